// SPDX-License-Identifier: GPL-2.0
/* What --help prints. argp's own help would sort the options, and speak of argp. */
#include "options_table.h"

#include <string.h>

#define COLUMN 28 /* where the help of an option begins, as for a workload's */
#define WIDTH  80

static const char usage_run[] =
	"Usage: idletrace [run] --workload NAME [options of NAME] [options]\n"
	"       idletrace [run] [options] -- COMMAND [ARG...]\n"
	"       idletrace [run] [options]\n"
	"       idletrace info | list\n"
	"       idletrace sweep | ab | compare --help\n"
	"\n"
	"Joins each task wakeup with the idle period that it ended: while a built-in\n"
	"workload runs, while a command runs, or for what runs anyway.\n";

static const char usage_info[] =
	"Usage: idletrace info [options]\n"
	"\n"
	"The machine, its idle states, what this kernel offers, and what will work.\n"
	"\n";

static const char usage_list[] =
	"Usage: idletrace list [options]\n"
	"\n"
	"The built-in workloads; idletrace --workload NAME --help has their options.\n"
	"\n";

static const char epilogue[] =
	"\nTimes have units, as in 10s, 250ms or 20us; sizes may, as in 64k or 2M.\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage, 3 done but records were lost.\n";

static void print_option(const struct option_entry *entry, FILE *out)
{
	const char *text = entry->help;
	int col;

	if (entry->letter)
		col = fprintf(out, "  -%c, --%s", entry->letter, entry->name);
	else
		col = fprintf(out, "      --%s", entry->name);
	col += fprintf(out, " %s", entry->arg ? entry->arg : "");
	col += fprintf(out, "%*s", COLUMN - 1 - col, "");
	while (*text) {
		int len = (int)strcspn(text, " ");

		if (col + 1 + len > WIDTH)
			col = fprintf(out, "\n%*s", COLUMN - 1, "") - 1;
		col += fprintf(out, " %.*s", len, text);
		text += len + (int)strspn(text + len, " ");
	}
	fputc('\n', out);
}

static void help_run(FILE *out)
{
	static const char *const headers[] = {
		[GROUP_WHAT] = "What runs",
		[GROUP_WHICH] = "Which wakeups are reported",
		[GROUP_HOW] = "How they are traced",
		[GROUP_REPORT] = "How they are reported",
		[GROUP_OTHER] = "Other",
	};
	enum option_group group = 0;

	fputs(usage_run, out);
	for (int i = 0; i < NR_OPTIONS; i++) {
		if (option_table[i].group != group) {
			group = option_table[i].group;
			fprintf(out, "\n%s:\n", headers[group]);
		}
		print_option(&option_table[i], out);
	}
	fputs(epilogue, out);
}

static void help_command(enum command command, FILE *out)
{
	fputs(command == COMMAND_INFO ? usage_info : usage_list, out);
	for (int i = 0; i < NR_OPTIONS; i++) {
		const struct option_entry *entry = &option_table[i];

		if (command == COMMAND_INFO ? entry->info : entry->list)
			print_option(entry, out);
	}
}

static void help_workload(const struct workload *w, FILE *out)
{
	fprintf(out,
		"Usage: idletrace --workload %s [its options] [options]\n"
		"       idletrace --help has the options of every run.\n\n",
		w->name);
	workload_print_help(w, out);
}

void option_help(const struct options *o, FILE *out)
{
	if (o->command != COMMAND_RUN)
		help_command(o->command, out);
	else if (o->workload)
		help_workload(o->workload, out);
	else
		help_run(out);
}
