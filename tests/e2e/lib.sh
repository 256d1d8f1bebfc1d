# shellcheck shell=bash
# What every end-to-end script sources. A script is bash, runs as root from any
# directory, and prints one line per test through these functions:
#
#     ok NAME             fail NAME WHY...           skip NAME REASON...
#     t NAME COMMAND...   ok if COMMAND succeeds; else its last line is the reason
#     holds NAME FILE PYTHON            ok if no assertion about the report d fails
#     valid NAME FILE                   ok if the report keeps to its schema
#     says NAME STATUS LINE COMMAND...  ok if it exits so, LINE alone on its stderr
#
# $idletrace is the program, $tmp a directory that is removed at the end, $top the
# repository. Exit status: 0 unless a test failed.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
idletrace=${IDLETRACE:-$top/idletrace}
# PATH may have a Python without the system's modules
python=/usr/bin/python3
tmp=$(mktemp -d "${TMPDIR:-/tmp}/idletrace-test.XXXXXX") || exit 1
failures=0
name=$(basename "$0" .sh)

ok() { # NAME
	echo "ok - $1"
}

fail() { # NAME WHY...
	local n=$1
	shift
	failures=$((failures + 1))
	echo "not ok - $n: $*"
}

skip() { # NAME REASON...
	local n=$1
	shift
	echo "skip - $n: $*"
}

t() { # NAME COMMAND...
	local n=$1 status=0
	shift
	"$@" >"$tmp/.out" 2>&1 || status=$?
	if ((status == 0)); then
		ok "$n"
	else
		fail "$n" "status $status: $(tail -n 1 "$tmp/.out")"
		sed 's/^/#   /' "$tmp/.out"
	fi
}

holds() { # NAME FILE PYTHON
	t "$1" "$python" -c "import json, sys
d = json.load(open(sys.argv[1]))
$3" "$2"
}

valid() { # NAME FILE
	local status=0
	"$top/tests/validate-json" "$2" >"$tmp/why" 2>&1 || status=$?
	case $status in
	0) ok "$1" ;;
	77) skip "$1" "$(cat "$tmp/why")" ;;
	*) fail "$1" "$(head -n 1 "$tmp/why")" ;;
	esac
}

says() { # NAME STATUS PATTERN COMMAND...
	local n=$1 want=$2 pattern=$3 status=0 line
	shift 3
	"$@" >/dev/null 2>"$tmp/.err" || status=$?
	line=$(head -n 1 "$tmp/.err")
	# shellcheck disable=SC2053 # a pattern it is
	if [[ $status == "$want" && $(wc -l <"$tmp/.err") == 1 && $line == $pattern ]]; then
		ok "$n"
	else
		fail "$n" "status $status, $(wc -l <"$tmp/.err") lines: $line"
	fi
}

# compile NAME: $tmp/NAME from tests/e2e/NAME.c
compile() {
	"${CC:-cc}" -std=gnu11 -O2 -Wall -Wextra -o "$tmp/$1" "$top/tests/e2e/$1.c" && return
	fail "$name" "cannot compile $1.c"
	exit 1
}

# For a script to replace, if it leaves more behind than files in $tmp.
cleanup() {
	:
}

finish() {
	local status=$?
	cleanup
	rm -rf "$tmp"
	((status != 0 || failures == 0)) || status=1
	exit "$status"
}
trap finish EXIT

if ((EUID != 0)); then
	skip "$name" "needs root"
	exit 0
fi
[[ -x $idletrace ]] || { fail "$name" "no $idletrace: run make"; exit 1; }
# A rebuild must not replace it meanwhile, and others than root must reach it.
cp "$idletrace" "$tmp/idletrace" && chmod 711 "$tmp" || exit 1
idletrace=$tmp/idletrace
