# shellcheck shell=bash
# Memory of the loader and of the maps.

# Of maps and programs, in KiB: all, and rings alone.
bpf_kib() { # PID
	awk '
		FNR == 1 { ring = 0 }
		$1 == "map_type:" { ring = $2 == 27 }
		$1 == "memlock:" { all += $2; if (ring) rings += $2 }
		END { printf "%d %d\n", all / 1024, rings / 1024 }' "/proc/$1/fdinfo/"*
}

# Resident, in KiB, without the rings, which are mapped from the kernel.
resident_kib() { # PID
	awk '
		/^[0-9a-f]+-[0-9a-f]+ / { ring = /bpf-map/ }
		$1 == "Rss:" && ring { rings += $2 }
		$1 == "VmHWM:" { most = $2 }
		END { print most - rings }' "/proc/$1/status" "/proc/$1/smaps"
}

memory_case() { # EVENTS
	local resident bpf rings mib limit
	background "$tmp/memory.txt" "$bin" run --json "$tmp/memory.json" --events "$1" \
		--duration "${memory_seconds}s" --workload messaging --groups 20
	until is_attached "$pid"; do sleep 0.02; done
	sleep "$memory_seconds"
	resident=$(resident_kib "$pid")
	read -r bpf rings < <(bpf_kib "$pid")
	wait "$pid"
	running=()
	mib=$(calc %.1f "($resident + $bpf) / 1024")
	limit=$((24 + $(nproc --all)))
	say "--events $1: resident $resident KiB without rings, in the kernel $bpf KiB, of it rings $rings" \
		"KiB; by its report $(calc %.0f "$(pick "$tmp/memory.json" observer memory) / 1024")" \
		"and $(calc %.0f "$(pick "$tmp/memory.json" observer bpf_memory) / 1024") KiB"
	result memory "$1: loader and maps" "$mib MiB" - "<= $limit" "$(judge "$mib" "$limit")"
}

row_memory() {
	local memory_seconds=10
	((!quick)) || memory_seconds=3
	say "The most that was resident and what maps, rings and programs take, in" \
		"$memory_seconds s of messaging --groups 20, which has 800 tasks. Rings count" \
		"once: they are mapped twice into the loader, and its report says so."
	memory_case none
	memory_case all
}
