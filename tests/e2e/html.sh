#!/bin/bash
# Pages of every command, and what a browser makes of them: on a laptop, and on A4.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

short=(--workload pingpong --place any --duration 0.3s --settle 0 --no-observer-cost)
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
a4=688 # CSS pixels between margins of 14 mm

# Status 3 is a run that lost records, which is not what is tested here.
run() { # NAME COMMAND...
	local n=$1 status=0
	shift
	"$@" >"$tmp/$n.txt" 2>"$tmp/$n.err" || status=$?
	((status == 0 || status == 3)) || { cat "$tmp/$n.err"; return 1; }
}

not() { # COMMAND...
	! "$@"
}

browse() { # OPTION... FILE: its errors are in $tmp/console
	HOME=$tmp timeout 60 "$browser" --no-sandbox --headless=new --disable-gpu \
		--user-data-dir="$tmp/browser" --enable-logging=stderr --hide-scrollbars \
		"${@:1:$#-1}" "file://${!#}" 2>"$tmp/console"
}

# What a page measures when it is shown that wide: a script in a copy of it tells.
measure() { # PAGE WIDTH
	{
		cat "$1"
		cat <<-'EOT'
			<script>addEventListener("load", () => {
			const all = what => [...document.querySelectorAll(what)];
			const cut = all(".wide").filter(w => w.scrollWidth > w.clientWidth + 1);
			const ids = new Set(all("[id]").map(e => e.id));
			document.title = "width=" + document.documentElement.scrollWidth +
				" cut=" + cut.length + " ids=" + (ids.size == all("[id]").length);
			})</script>
		EOT
	} >"$tmp/measured.html"
	browse --window-size="$2,720" --dump-dom "$tmp/measured.html" | grep -o '<title>[^<]*'
}

fits() { # PAGE WIDTH
	local seen
	seen=$(measure "$1" "$2") || return
	echo "$seen"
	[[ $seen =~ width=([0-9]+)\ cut=([0-9]+)\ .*ids=true ]] &&
		((BASH_REMATCH[1] <= $2 && BASH_REMATCH[2] == 0))
}

# Print's rules on a screen as wide as the paper.
fits_paper() { # PAGE
	sed 's/@media print/@media screen/; s/@page{[^}]*}//' "$1" >"$tmp/paper.html"
	fits "$tmp/paper.html" "$a4"
}

prints() { # PAGE
	browse --no-pdf-header-footer --print-to-pdf="$tmp/page.pdf" "$1" >/dev/null
	local pages size
	pages=$(grep -ac '/Type /Page$' "$tmp/page.pdf")
	size=$(grep -ao '/MediaBox \[[^]]*' "$tmp/page.pdf" | sort -u)
	echo "$pages pages, $size"
	((pages > 0)) && [[ $size =~ ^/MediaBox\ \[0\ 0\ 59[456][.0-9]*\ 84[123][.0-9]*$ ]]
}

silent() { # PAGE
	browse --dump-dom "$1" >/dev/null
	! grep CONSOLE "$tmp/console"
}

in_browser() { # PAGE
	local n
	n=$(basename "$1" .html)
	if [[ -z $browser ]]; then
		skip "$n: in a browser" "no chromium"
		return
	fi
	t "$n: no error on the console" silent "$1"
	t "$n: fits a screen of 1280" fits "$1" 1280
	t "$n: fits A4" fits_paper "$1"
	t "$n: prints" prints "$1"
}

captions() { # PAGE CAPTION...
	local n caption
	n=$(basename "$1" .html)
	for caption in "${@:2}"; do
		t "$n: $caption" grep -qF "<caption>$caption" "$1"
	done
}

sound() { # PAGE
	local n size pictures
	n=$(basename "$1" .html)
	size=$(stat -c %s "$1")
	t "$n: below 1 MB" test "$size" -gt 2000 -a "$size" -lt 1000000
	t "$n: whole" test "$(tail -n 1 "$1")" = "</html>"
	t "$n: nothing is fetched or run" not grep -E '<script|src=|@import|<link|url\(.?http' "$1"
	if command -v gnuplot >/dev/null; then
		pictures=$(grep -o '<figure><svg' "$1" | wc -l)
		t "$n: pictures" test "$pictures" -gt 0
	else
		skip "$n: pictures" "no gnuplot"
	fi
	in_browser "$1"
}

t "a run" run run "$idletrace" "${short[@]}" --html "$tmp/run.html" --json "$tmp/a.json"
captions "$tmp/run.html" "Metrics" "Wakeup latency by class" "What woke the tasks" \
	"The slowest wakeups" "Idle states" "What ended the idle periods" \
	"How late hrtimers expired" "Loss"
t "run: exact command" grep -qF "<pre>$idletrace --workload pingpong" "$tmp/run.html"
sound "$tmp/run.html"

t "a command" run command "$idletrace" --settle 0 --no-observer-cost --html "$tmp/command.html" \
	-- sh -c 'sleep 0.2; : "<script>alert(1)</script>"'
t "command: escaped" grep -qF '&lt;script&gt;alert(1)' "$tmp/command.html"
sound "$tmp/command.html"

t "a sweep" run sweep "$idletrace" sweep "${short[@]}" --over work=0,50us --html "$tmp/sweep.html"
captions "$tmp/sweep.html" "Points" "Loss, all runs"
sound "$tmp/sweep.html"

t "ab" run ab "$idletrace" ab --vary none=x,y --rounds 2 --settle 0 "${short[@]}" \
	--format nayak --html "$tmp/ab.html"
captions "$tmp/ab.html" "Measures" "Loss, all runs"
t "ab: the format asked for" grep -qF '<h2>To paste</h2>' "$tmp/ab.html"
sound "$tmp/ab.html"

cp "$tmp/a.json" "$tmp/b.json"
t "compare" run compare "$idletrace" compare "$tmp/a.json" "$tmp/b.json" \
	--html "$tmp/compare.html" --plot "$tmp/p"
captions "$tmp/compare.html" "Measures"
t "compare: with --plot, too" test -s "$tmp/p/samples.gp"
sound "$tmp/compare.html"

mkdir "$tmp/bin" "$tmp/own"
PATH=$tmp/bin TMPDIR=$tmp/own run bare "$idletrace" compare "$tmp/a.json" "$tmp/b.json" \
	--html "$tmp/bare.html"
t "without gnuplot: says so" grep -q '^idletrace: gnuplot is not installed: ' "$tmp/bare.err"
t "without gnuplot: the page as well" grep -q 'Pictures need gnuplot' "$tmp/bare.html"
captions "$tmp/bare.html" "Measures"
t "nothing is left behind" test -z "$(ls -A "$tmp/own")"

# Do these checks see anything at all?
if [[ -n $browser ]]; then
	echo '<script>console.error("x")</script>' >"$tmp/bad.html"
	t "a bad page: console" not silent "$tmp/bad.html"
	echo '<title>x</title><p style="width: 2000px">x</p>' >"$tmp/bad.html"
	t "a bad page: too wide" not fits "$tmp/bad.html" 1280
	t "a bad page: too wide for paper" not fits_paper "$tmp/bad.html"
fi

says "full disk" 1 "idletrace: --html /dev/full: No space left on device" \
	"$idletrace" compare "$tmp/a.json" "$tmp/b.json" --html /dev/full
says "not to the standard output" 1 "idletrace: --html -: needs the name of a file" \
	"$idletrace" compare "$tmp/a.json" "$tmp/b.json" --html -
says "no such directory: run" 1 "idletrace: --html $tmp/no/x: No such file*" \
	"$idletrace" "${short[@]}" --html "$tmp/no/x"
says "no such directory: ab" 1 "idletrace: --html $tmp/no/x: No such file*" \
	"$idletrace" ab --vary none=x,y "${short[@]}" --html "$tmp/no/x"
