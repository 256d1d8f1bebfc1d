# shellcheck shell=bash
# What the lab's scripts share: where the cache is, exit codes, the matrix.
#
# Exit codes of every script here: 0 done, 1 failed, 77 skipped (what is needed
# is not on this machine and cannot be fetched; the reason is on stderr).

lab=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
lab_top=$(readlink -f "$lab/../..")
lab_cache=${XDG_CACHE_HOME:-$HOME/.cache}/idletrace-lab

fail() {
	echo "lab: $*" >&2
	exit 1
}

skip() {
	echo "lab: skipped: $*" >&2
	exit 77
}

need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
}

# matrix_rows [ID|TAG...]: the rows that are named, all of them without a name
matrix_rows() {
	awk -v want="$*" '
		BEGIN { n = split(want, w) }
		/^#/ || !NF { next }
		!n { print; next }
		{
			split($7, tags, ",")
			hit = 0
			for (i = 1; i <= n; i++) {
				hit = hit || w[i] == $1
				for (t in tags)
					hit = hit || w[i] == tags[t]
			}
			if (hit)
				print
		}' "$lab/matrix"
}

# cache_work: a directory to work in beside what is finished, named after the process
cache_work() {
	mkdir -p "$lab_cache"
	mktemp -d "$lab_cache/.fetch.$$.XXXXXX"
}

# publish DIR FINAL: moves a finished directory to its place in the cache, so
# that whoever is stopped half-way leaves nothing behind that looks complete
publish() {
	mkdir -p "$(dirname "$2")"
	rm -rf "$2"
	mv -T "$1" "$2"
}
