#!/bin/bash
# The test driver: what it counts, and that nothing that goes wrong counts as passed.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# closes NAME EXPECTED-LAST-LINE EXPECTED-STATUS: with the test program on stdin
closes() {
	local out status=0
	{ echo '#!/bin/bash'; cat; } >"$tmp/program"
	chmod +x "$tmp/program"
	out=$(TEST_TIMEOUT=${limit:-10} "$top/tests/run" "$tmp/program" 2>&1) || status=$?
	if [[ ${out##*$'\n'} == "$2" && $status == "$3" ]]; then
		ok "$1"
	else
		fail "$1" "'${out##*$'\n'}' ($status), not '$2' ($3)"
	fi
}

closes "own lines" "1 passed, 1 failed, 1 skipped" 1 <<'P'
echo 'ok - a'; echo 'not ok - b: c'; echo 'skip - d: e'; exit 1
P
closes "TAP" "2 passed, 0 failed, 1 skipped" 0 <<'P'
printf '%s\n' 1..3 'ok 1 - a' 'ok 2 - b' 'not ok 3 # SKIP c' '# ok - tests'
P
closes "no line at all" "0 passed, 1 failed" 1 <<'P'
exit 0
P
closes "a status without a failure" "1 passed, 1 failed" 1 <<'P'
echo 'ok - a'; exit 23
P
closes "a plan that was not kept" "1 passed, 1 failed" 1 <<'P'
echo 1..2; echo 'ok 1 - a'
P
closes "killed" "1 passed, 1 failed" 1 <<'P'
echo 'ok - a'; kill -KILL $$
P
limit=1 closes "hangs" "1 passed, 1 failed" 1 <<'P'
echo 'ok - a'; sleep 60
P
closes "status 77 skips" "0 passed, 0 failed, 1 skipped" 0 <<'P'
echo reason >&2; exit 77
P
closes "a process that stays behind" "1 passed, 0 failed" 0 <<'P'
sleep 60 & echo 'ok - a'
P
closes "SIGINT is not ignored" "1 passed, 0 failed" 0 <<'P'
if ((0x$(awk '/^SigIgn/ { print $2 }' /proc/self/status) & 2)); then exit 1; fi
echo 'ok - a'
P
