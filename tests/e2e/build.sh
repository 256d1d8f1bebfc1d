#!/bin/bash
# The build and what belongs to it: increments, installing, the man page, completion.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

unset MAKEFLAGS MAKELEVEL MFLAGS
tree=$tmp/tree
mkdir "$tree"
(cd "$top" && cp -a Makefile bpf build docs idletrace src tools vmlinux "$tree")

# built FILE...: touches them; says what make made, sorted
built() {
	sleep 0.02 # coarse file times
	((! $#)) || (cd "$tree" && touch "$@")
	make -C "$tree" --no-print-directory -j2 2>&1 |
		awk '/^  [A-Z]+ / { print $1 ":" $2 }' | sort
}

out=$(built)
if [[ -z $out ]]; then
	ok "nothing is built twice"
else
	fail "nothing is built twice" "${out//$'\n'/ }"
fi

out=$(built src/hist.h)
if [[ $out == *CC:build/hist.o*LINK:idletrace && $out != *BPF:* ]]; then
	ok "a header rebuilds what includes it"
else
	fail "a header rebuilds what includes it" "${out//$'\n'/ }"
fi

out=$(built bpf/idletrace.h)
if [[ $out == *BPF:build/idletrace.bpf.o*CC:*LINK:idletrace*SKEL:* ]]; then
	ok "the shared header rebuilds both sides"
else
	fail "the shared header rebuilds both sides" "${out//$'\n'/ }"
fi

make -C "$tree" -s CFLAGS=-O0 >/dev/null 2>&1
out=$(built)
if [[ $(grep -c ^CC: <<<"$out") == "$(find "$top/src" -name '*.c' | wc -l)" ]]; then
	ok "changed flags rebuild every object"
else
	fail "changed flags rebuild every object" "${out//$'\n'/ }"
fi

root=$tmp/root
t "install" make -C "$tree" install "DESTDIR=$root" PREFIX=/usr
out=$(cd "$root" && find . -type f | sort | tr '\n' ' ')
want='./usr/bin/idletrace ./usr/share/bash-completion/completions/idletrace '
want+='./usr/share/man/man8/idletrace.8 '
if [[ $out == "$want" ]]; then
	ok "install puts three files"
else
	fail "install puts three files" "$out"
fi
t "uninstall" make -C "$tree" uninstall "DESTDIR=$root" PREFIX=/usr
out=$(find "$root" -type f)
if [[ -z $out ]]; then
	ok "uninstall leaves none"
else
	fail "uninstall leaves none" "$out"
fi

# The man page and the program's help name the same options.
"$idletrace" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]+' | sort -u |
	grep -vxE -- '--(help|threads)' >"$tmp/help"
sed -n 's/^\.It .*Fl Fl \([a-z-]*\).*/--\1/p' "$top/docs/idletrace.8" | grep -vx -- --help | sort -u >"$tmp/man"
out=$(diff "$tmp/help" "$tmp/man" | sed -n 's/^< /help only: /p; s/^> /man page only: /p')
if [[ -z $out ]]; then
	ok "man page and --help agree"
else
	fail "man page and --help agree" "${out//$'\n'/, }"
fi

# shellcheck source=tools/completion.bash
. "$top/tools/completion.bash"
complete_as() { # WORD...: what is offered for the last of them
	COMP_WORDS=("$idletrace" "$@") COMP_CWORD=$# COMPREPLY=()
	_idletrace
	echo "${COMPREPLY[*]}"
}
out=$(complete_as --workload adre)
if [[ $out == adrestia ]]; then
	ok "workloads are completed"
else
	fail "workloads are completed" "'$out'"
fi
out=$(complete_as --workload adrestia --threa)
if [[ $out == --threads ]]; then
	ok "a workload's options are completed"
else
	fail "a workload's options are completed" "'$out'"
fi

status=0
"$top/tools/bootstrap" >/dev/null 2>&1 || status=$?
if ((status == 2)); then
	ok "bootstrap: usage"
else
	fail "bootstrap: usage" "status $status"
fi
out=$("$top/tools/bootstrap" --dry-run check 2>/dev/null)
if [[ -z $out ]]; then
	ok "bootstrap: a second run installs nothing"
elif [[ ${CI-} == true ]]; then
	fail "bootstrap: a second run installs nothing" "$out"
else
	skip "bootstrap: a second run installs nothing" "missing here: $out"
fi
