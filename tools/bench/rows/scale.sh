# shellcheck shell=bash
# The loader on a machine with many CPUs, whose maps are those of this one repeated.

scale_round() { # CPUS: its values are appended to files
	local report=$tmp/scale.json
	LD_PRELOAD=$helpers/many-cpus.so CPUS=$1 "$bin" run --json "$report" \
		--no-observer-cost --duration 500ms --workload messaging --groups 4 \
		>/dev/null 2>"$tmp/scale.err" || die 1 "$(head -n 1 "$tmp/scale.err")"
	calc '%.4f\n' "$(pick "$report" observer start) / 1e9" >>"$tmp/scale.$1.start"
	calc '%.4f\n' "$(pick "$report" observer finish) / 1e9" >>"$tmp/scale.$1.finish"
	calc '%.2f\n' "$(pick "$report" observer memory) / 1048576" >>"$tmp/scale.$1.memory"
}

scale_line() { # CPUS WHAT FORMAT UNIT REACH
	local median range
	IFS=$'\t' read -r median range < <(spread "$3" <"$tmp/scale.$1.$2")
	result scale "$1 CPUs: $2" "$median $4" "$range" "<= $5" "$(judge "$median" "$5")"
}

row_scale() {
	local rounds=5 round cpus
	((!quick)) || rounds=2
	say "The loader as if there were so many CPUs: what it reads from per-CPU maps are" \
		"this machine's values, over and over. $rounds runs each. What attaching takes" \
		"and what the kernel does per CPU is not in it; --lab --rows start is."
	for cpus in 2 256; do
		for ((round = 0; round < rounds; round++)); do
			scale_round "$cpus"
		done
		scale_line "$cpus" start %.2f s 0.5
		scale_line "$cpus" finish %.3f s 0.5
		scale_line "$cpus" memory %.1f MiB $((24 + cpus))
	done
}
