#!/bin/bash
# Pictures of every command, and what is there without gnuplot.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

short=(--workload pingpong --place any --duration 0.3s --settle 0 --no-observer-cost)

# Status 3 is a run that lost records, which is not what is tested here.
run() { # NAME COMMAND...
	local n=$1 status=0
	shift
	"$@" >"$tmp/$n.txt" 2>"$tmp/$n.err" || status=$?
	((status == 0 || status == 3)) || { cat "$tmp/$n.err"; return 1; }
}

drawn() { # NAME PICTURE
	local file=$tmp/$1/$2
	t "$1: $2.gp and .dat" test -s "$file.gp" -a -s "$file.dat"
	if ! command -v gnuplot >/dev/null; then
		skip "$1: $2.png and .svg" "no gnuplot"
		return
	fi
	t "$1: $2.png" cmp -n 8 "$file.png" <(printf '\x89PNG\r\n\x1a\n')
	t "$1: $2.svg" grep -q '<svg' "$file.svg"
}

t "a run" run run "$idletrace" "${short[@]}" --plot "$tmp/run" --json "$tmp/a.json"
drawn run latency
drawn run idle
t "intervals" run series "$idletrace" "${short[@]}" --interval 100ms --plot "$tmp/series"
drawn series series
t "ab" run ab "$idletrace" ab --vary none=x,y --rounds 2 --settle 0 "${short[@]}" \
	--plot "$tmp/ab"
drawn ab samples
drawn ab latency
cp "$tmp/a.json" "$tmp/b.json"
t "compare" run compare "$idletrace" compare "$tmp/a.json" "$tmp/b.json" --plot "$tmp/compare"
drawn compare samples
drawn compare latency

# Both formats have the same axes: nothing of the first is left for the second.
if command -v gnuplot >/dev/null; then
	(cd "$tmp/run" && sed "s/'png svg'/'svg'/; s/'latency\.'/'alone.'/" latency.gp | gnuplot -)
	t "one format is as the other" cmp "$tmp/run/latency.svg" "$tmp/run/alone.svg"
fi

mkdir "$tmp/bin"
PATH=$tmp/bin run bare "$idletrace" compare "$tmp/a.json" "$tmp/b.json" --plot "$tmp/bare"
t "without gnuplot: says what to install" \
	grep -q '^idletrace: gnuplot is not installed: .*apt install gnuplot' "$tmp/bare.err"
t "without gnuplot: once" test "$(wc -l <"$tmp/bare.err")" = 1
t "without gnuplot: scripts" test -s "$tmp/bare/samples.gp" -a ! -e "$tmp/bare/samples.png"

for command in "" "ab --vary none=x,y"; do
	# shellcheck disable=SC2086 # words they are
	says "no such directory: ${command:-run}" 1 "idletrace: --plot $tmp/no/p: No such file*" \
		"$idletrace" $command "${short[@]}" --plot "$tmp/no/p"
done
says "no such directory: compare" 1 "idletrace: --plot $tmp/no/p: No such file*" \
	"$idletrace" compare "$tmp/a.json" "$tmp/b.json" --plot "$tmp/no/p"
says "no directory named" 2 "idletrace: --plot '': needs the name of a directory" \
	"$idletrace" "${short[@]}" --plot ''
