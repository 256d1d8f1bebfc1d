#!/bin/bash
# The lab's scripts without a guest: apt's source formats, the matrix, the way that
# files take over the console, skipping where something is missing.
set -uo pipefail
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0

# is NAME EXPECTED ACTUAL
is() {
	if [[ $2 = "$3" ]]; then
		echo "ok - $1"
	else
		failures=$((failures + 1))
		echo "not ok - $1: \"$3\", not \"$2\""
	fi
}

mkdir -p "$tmp/etc/apt/sources.list.d"
echo 'VERSION_CODENAME=trixie' > "$tmp/etc/os-release"
one_line=$tmp/etc/apt/sources.list deb822=$tmp/etc/apt/sources.list.d/a.sources

is "no sources: no mirror" 1 "$("$lab/mirror" "$tmp/etc" >/dev/null; echo $?)"
is "the machine's suite" trixie "$("$lab/mirror" --suite "$tmp/etc")"
cat > "$one_line" <<'LIST'
# deb http://commented/debian trixie main
deb cdrom:[Debian]/ trixie main
deb http://other/tool stable-tool main
deb [arch=amd64 signed-by=/a/b] http://one-line/debian trixie main
LIST
is "mirror of the one-line format" http://one-line/debian "$("$lab/mirror" "$tmp/etc")"
cat > "$deb822" <<'SOURCES'
Types: deb
URIs: http://disabled/debian
Suites: trixie
Enabled: no

Types: deb-src
URIs: http://source/debian
Suites: trixie

Types: deb deb-src
# a comment within a stanza
URIs: http://deb822/debian
Suites: trixie trixie-updates
SOURCES
is "mirror of the deb822 format" http://deb822/debian "$("$lab/mirror" "$tmp/etc")"

is "every row has its fields" "" "$(matrix_rows | awk 'NF != 8 { print $1 }')"
is "a row by its id" arm64-6.1 "$(matrix_rows arm64-6.1 | awk '{ print $1 }')"
is "rows by tag" "arm64-7.3 arm64-6.12-teo amd64-7.3 amd64-5.10" \
	"$(matrix_rows ci | awk '{ print $1 }' | xargs)"

# As it comes: lines of the kernel before, a carriage return for every newline.
head -c 100000 /dev/urandom > "$tmp/sent"
{
	echo "[    0.1] a line of the kernel"
	echo "@lab file received"
	gzip -c "$tmp/sent" | base64
	echo "@lab end received"
} | sed 's/$/\r/' > "$tmp/console"
"$lab/unpack" "$tmp/console" "$tmp/out"
is "a file comes through the console" 0 "$(cmp "$tmp/sent" "$tmp/out/received"; echo $?)"

# A machine with no mirror but a disk that is not there, and an empty cache.
export XDG_CACHE_HOME=$tmp/cache
mkdir -p "$lab_cache"
mkdir -p "$tmp/bin"
for tool in awk bash cat dirname find flock id mkdir mktemp mv readlink rm sed tail; do
	ln -s "$(command -v "$tool")" "$tmp/bin/$tool"
done
out=$(PATH=$tmp/bin "$lab/fetch" amd64-6.12 2>&1)
is "without apt: status 77" 77 $?
is "without apt: the reason" "lab: skipped: dpkg-deb is not installed" "$(tail -n 1 <<<"$out")"
is "nothing that looks complete is left" "" "$(find "$tmp/cache" -name vmlinuz)"

((failures == 0))
