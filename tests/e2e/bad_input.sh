#!/bin/bash
# What cannot be done is refused with one line that says what, and the right status.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

cleanup() {
	umount "$tmp/small" 2>/dev/null
}

traced=(--duration 50ms --settle 0s --no-observer-cost)
untraced=(--duration 50ms --no-trace --workload adrestia --threads 2)

# usage PATTERN ARGUMENT...: status 2; the pattern follows "idletrace: "
usage() {
	local pattern=$1
	shift
	says "usage: $*" 2 "idletrace: $pattern" timeout 20 "$idletrace" "$@"
}

usage '--duration 10: needs a time with a unit, *' --duration 10
usage "-d '': needs a time with a unit, *" -d ''
usage '-d 1001h: needs a time with a unit, 0 to 1000h' -d 1001h
usage '-d -1s: needs a time with a unit, *' -d -1s
usage '--duration: needs a time with a unit, *' --duration
usage '--settle 61s: needs a time with a unit, 0 to 1m' --settle 61s
usage '--events some: needs all, slow:TIME *' --events some
usage '--events slow:: needs all, slow:TIME *' --events slow:
usage '--slowest 65: needs 0 to 64' --slowest 65
usage '--slowest 1x: needs 0 to 64' --slowest 1x
usage '--ring-size 100k: needs a power of two, 64k to 1G' --ring-size 100k
usage '--housekeeping -1: needs the number of a CPU' --housekeeping -1
usage '--housekeeping 4095: *not online' --housekeeping 4095
usage '--cpus 3-1: needs a CPU list *' --cpus 3-1
usage "--cpus '': needs a CPU list *" --cpus ''
usage '--cpus*4095*not online' --cpus 0,4095
usage '-p 0: needs 1 to 4194304' -p 0
usage '--pid init: needs 1 to 4194304' --pid init
true &
dead=$!
wait "$dead"
says "usage: -p of the dead" 2 "idletrace: -p $dead: no such process" \
	timeout 20 "$idletrace" -p "$dead"
usage '--comm 1234567890123456: needs a pattern of 1 to 15 *' --comm 1234567890123456
usage '--cgroup /nowhere: *' --cgroup /nowhere
usage '--cgroup /tmp: needs a directory of a cgroup v2 *' --cgroup /tmp
usage '--workload nosuch: needs one of *adrestia*' --workload nosuch
usage '--threads: an option of a workload (*); give --workload' --threads 5
usage '--threads 0: *' --workload adrestia --threads 0
usage '--threads lots: *' --workload adrestia --threads lots
usage '--threads: *' --workload adrestia --threads
usage '--bogus: no such option, see idletrace --help' --bogus 5
usage '-Z: no such option, see idletrace --help' -Z
usage '--dur: no such option, *' --dur 1s
usage '--histogram yes: takes no value' --histogram=yes
usage '--no-trace: needs --workload or -- COMMAND' --no-trace
usage '--warmup: needs --workload' --warmup 1s
usage '--workload adrestia: not together with -- COMMAND' --workload adrestia -- true
usage '--pid 1: not with --workload*' -p 1 --workload adrestia
usage '--records x: needs --events all or slow:TIME' --records x
usage '--records x: not with --no-trace' --records x --events all --no-trace -- true
usage '--records x: needs a file other than --json' --records x --events all --json x
usage '--: needs a command to run after it' --
usage 'sleep: a command goes after --, *' sleep 1
usage '--json: not an option of idletrace info' info --json x

refused() { # NAME PATTERN ARGUMENT...
	local n=$1 pattern=$2
	shift 2
	says "$n" 1 "idletrace: $pattern" timeout 20 "$idletrace" "$@"
}

refused "no BTF" '--btf /nonexistent: *No such file or directory' --btf /nonexistent \
	"${traced[@]}"
refused "BTF of something else" "--btf $tmp/lib: not a readable BTF file*" \
	--btf "$tmp/lib" "${traced[@]}"
refused "JSON in no directory" '--json /nonexistent/x: No such file or directory' \
	--json /nonexistent/x "${untraced[@]}"
refused "JSON on a full device" '--json /dev/full: No space left on device' \
	--json /dev/full "${untraced[@]}"
refused "records in no directory" '--records /nonexistent/x: No such file or directory' \
	--records /nonexistent/x --events all "${traced[@]}"
refused "records on a full device" '--records /dev/full: No space left on device' \
	--records /dev/full --events all "${traced[@]}"
refused "no such command" 'command not found: nosuch-*' --no-trace -- nosuch-command
refused "a command that is no program" "cannot execute $tmp: *" --no-trace -- "$tmp"

on_stdout() { # REDIRECTION ARGUMENT...
	local to=$1
	shift
	if [[ $to == closed ]]; then
		timeout 20 "$idletrace" "${untraced[@]}" "$@" >&-
	else
		timeout 20 "$idletrace" "${untraced[@]}" "$@" >"$to"
	fi
}
for command in info list --help "ab --help" "--workload idle --help" "ab --knobs"; do
	# shellcheck disable=SC2086 # words
	says "$command on a full device" 1 'idletrace: standard output: cannot write' \
		sh -c '"$@" >/dev/full' sh "$idletrace" $command
done

for to in closed /dev/full; do
	says "standard output: $to" 1 'idletrace: standard output: *' on_stdout "$to"
	says "JSON to standard output: $to" 1 'idletrace: *' on_stdout "$to" --json -
done

# A full disk: the report is on the screen, the old file stays, half of one does not.
mkdir "$tmp/small"
if mount -t tmpfs -o size=8k none "$tmp/small" 2>/dev/null; then
	echo old >"$tmp/small/x"
	refused "JSON on a full disk" "--json $tmp/small/x: No space left on device" \
		--json "$tmp/small/x" "${untraced[@]}"
	if [[ $(ls -A "$tmp/small") == x && $(<"$tmp/small/x") == old ]]; then
		ok "JSON on a full disk: the old file stays"
	else
		fail "JSON on a full disk: the old file stays" "$(ls -A "$tmp/small")"
	fi
	head -c 8k /dev/zero >"$tmp/small/filler" 2>/dev/null
	refused "records on a full disk" "--records $tmp/small/r: No space left on device" \
		--records "$tmp/small/r" --events all "${traced[@]}"
	umount "$tmp/small"
else
	skip "a full disk" "cannot mount a tmpfs here"
fi

# Older setpriv does not know the youngest capabilities by name.
nobody() { # CAPABILITIES COMMAND...
	local caps=$1
	shift
	timeout 20 setpriv --reuid 65534 --regid 65534 --clear-groups \
		--inh-caps="-all$caps" --ambient-caps="-all$caps" \
		--bounding-set="-all$caps" "$@"
}
says "no capability" 1 'idletrace: *needs root, or CAP_BPF and CAP_PERFMON*' \
	nobody '' "$idletrace" "${traced[@]}"
t "no capability, --no-trace" nobody '' "$idletrace" "${untraced[@]}"
caps=,+bpf,+perfmon
nobody "$caps" true 2>/dev/null || caps=,+cap_39,+cap_38
if ! nobody "$caps" true 2>/dev/null; then
	skip "CAP_BPF and CAP_PERFMON" "setpriv cannot give them"
	exit
fi
says "CAP_BPF alone" 1 'idletrace: *needs root, or CAP_BPF and CAP_PERFMON*' \
	nobody "${caps%,*}" "$idletrace" "${traced[@]}"
# Without what is said to need more: the cost of BPF, and the files of the kernel.
mkdir -m 777 "$tmp/out"
t "CAP_BPF and CAP_PERFMON" nobody "$caps" "$idletrace" --duration 300ms \
	--json "$tmp/out/caps.json"
holds "CAP_BPF and CAP_PERFMON: all but the cost of BPF" "$tmp/out/caps.json" '
assert d["observer"]["bpf"] is d["observer"]["calibration_wakeups"] is None
assert d["wakeups"]["count"] and not d["loss"]["ring"], d["wakeups"]["count"]
assert d["idle"]["observed_cpus"] == d["host"]["cpus"]'
