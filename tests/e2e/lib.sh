# shellcheck shell=bash
# What every end-to-end script sources. A script is bash, runs as root from any
# directory, and prints one line per test through these functions:
#
#     ok NAME             fail NAME WHY...           skip NAME REASON...
#     t NAME COMMAND...   ok if COMMAND succeeds; else its last line is the reason
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

finish() {
	local status=$?
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
