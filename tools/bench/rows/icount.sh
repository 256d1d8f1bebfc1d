# shellcheck shell=bash
# Instructions per run of each program: in the lab, where nothing is noise.

row_icount() {
	if ((lab)); then
		"$top/tests/lab/icount" || true
		cat "$top/build/lab/icount/icount.tsv" >"$tmp/icount" 2>/dev/null ||
			{ skipped icount "instructions" "the lab does not run here"; return; }
	else
		say "As committed; --lab counts anew."
		cp "$top/tests/lab/icount.tsv" "$tmp/icount"
	fi
	sed 's/^# */  /' <(grep '^#' "$tmp/icount")
	while IFS=$'\t' read -r name count; do
		[[ $name == \#* ]] || result icount "$name, instructions" "$count" - - -
	done <"$tmp/icount"
}
