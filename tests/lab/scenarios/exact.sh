# shellcheck shell=sh
# Mixed sleeps on two CPUs with every governor: the kernel's counters are the oracle.
# shellcheck source=tests/lab/scenarios/lib.sh
. /scenarios/lib.sh

exact() {
	trace "exact-$1" --events all --records "exact-$1.tsv" --interval 100ms \
		-- sleeper 5
}
each_governor exact
