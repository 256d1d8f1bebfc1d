#!/bin/bash
# Numbers from what a command prints, which still arrives where it would have.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2016 # the command's own shell
script='echo "rate: 1,234.5 x"; echo to-err >&2; echo "rate: 2e3 x"
echo "Time: 0.973"; printf unended; exit 7'
run=(--preset hackbench --metric "rate=rate: ([^ ]+):higher" --metric "none=no ([0-9]+)")

"$idletrace" "${run[@]}" --duration 10s --settle 0s --no-observer-cost --json "$tmp/run.json" \
	-- sh -c "$script" >"$tmp/out" 2>"$tmp/err"
status=$?
if [[ $status == 0 && $(<"$tmp/err") == to-err ]]; then
	ok "errors pass through"
else
	fail "errors pass through" "status $status: $(tail -n 1 "$tmp/err")"
fi
sh -c "$script" >"$tmp/alone" 2>/dev/null
if head -c "$(stat -c %s "$tmp/alone")" "$tmp/out" | cmp -s - "$tmp/alone"; then
	ok "output passes through"
else
	fail "output passes through" "$(head -n 1 "$tmp/out")"
fi
holds "metrics of the command" "$tmp/run.json" '
c = d["command"]
assert c["exit_status"] == 7 and c["warnings"] == [], c
assert [tuple(m.values()) for m in c["metrics"]] == [
    ("time", 0.973, "s", "lower"), ("rate", 2000, "", "higher"), ("none", None, "", None)], c'
t "metrics in the text" grep -qx 'rate            2000, higher is better' "$tmp/out"
t "an unknown one in the text" grep -qx 'none            -' "$tmp/out"
valid "valid JSON" "$tmp/run.json"

# One file for both keeps the order.
"$idletrace" "${run[@]}" --no-trace -- sh -c 'echo 1; echo 2 >&2; echo 3' >"$tmp/both" 2>&1
if [[ $(head -n 3 "$tmp/both" | tr '\n' ' ') == '1 2 3 ' ]]; then
	ok "the order of output and errors"
else
	fail "the order of output and errors" "$(head -n 3 "$tmp/both" | tr '\n' ' ')"
fi

"$idletrace" --preset cyclictest --no-trace -- \
	echo '# /dev/cpu_dma_latency set to 0us' >"$tmp/out" 2>&1
t "cyclictest is warned of" grep -q '^WARNING: cyclictest held ' "$tmp/out"

# What came before a failure of ours is not lost.
timeout -s INT 2 "$idletrace" "${run[@]}" --no-trace -- \
	sh -c 'echo "rate: 5 x"; exec sleep 60' >"$tmp/out" 2>&1
t "interrupted: metrics so far" grep -q '^rate            5, ' "$tmp/out"

says "usage: an invalid regex" 2 'idletrace: --metric x=(: needs a POSIX extended regex: *' \
	"$idletrace" --metric 'x=(' -- true
# shellcheck disable=SC2016 # the inner shell's
says "a full standard output" 1 'idletrace: standard output: *' \
	sh -c '"$0" --metric "x=(x)" --no-trace --json /dev/null -- echo x >/dev/full' "$idletrace"
