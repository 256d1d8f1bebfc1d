# shellcheck shell=bash
# Bash completion for idletrace. What depends on the program is asked of it.

_idletrace_workloads() {
	"$1" list 2>/dev/null | awk '$1 ~ /^[a-z][a-z0-9_-]*$/ { print $1 }'
}

# The options that the program, or one of its workloads, prints in its help.
_idletrace_options() { # PROGRAM [--workload NAME]
	"$@" --help 2>/dev/null | grep -oE '(^|[[:space:],])--[a-z][a-z0-9-]*' | tr -d ,
}

_idletrace() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local program=${COMP_WORDS[0]} words='' workload='' i
	COMPREPLY=()

	# Readline splits --option=value into three words.
	if [[ $cur == = ]]; then
		cur=''
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi

	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) # what follows is a command of its own
			if declare -F _command_offset >/dev/null; then
				_command_offset $((i + 1))
			elif ((i == COMP_CWORD - 1)); then
				mapfile -t COMPREPLY < <(compgen -c -- "$cur")
			else
				mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			fi
			return
			;;
		--workload)
			workload=${COMP_WORDS[i + 1]}
			[[ $workload != = ]] || workload=${COMP_WORDS[i + 2]-}
			;;
		esac
	done

	case $prev in
	--workload) words=$(_idletrace_workloads "$program") ;;
	--events) words='all slow: none' ;;
	-p | --pid) words=$(cd /proc && printf '%s ' [0-9]*) ;;
	--comm) words=$(sort -u /proc/[0-9]*/comm 2>/dev/null) ;;
	--housekeeping) words=$(seq 0 $(($(nproc --all) - 1))) ;;
	--json | --btf | --cgroup | --records | --series | --plot | --html)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	--duration | --settle | --slowest | --cpus | --interval | --rounds) return ;;
	*)
		words=$(_idletrace_options "$program")
		((COMP_CWORD != 1)) || words+=' run list info sweep ab compare'
		[[ -z $workload ]] || words+=" $(_idletrace_options "$program" --workload "$workload")"
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur" | sort -u)
}

complete -F _idletrace idletrace
