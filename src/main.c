// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ab.h"
#include "compare.h"
#include "exit_status.h"
#include "info.h"
#include "journal.h"
#include "options.h"
#include "session.h"
#include "sweep.h"
#include "tracer.h"

static int list_run(void)
{
	for (int i = 0; workloads[i]; i++)
		printf("%-10s %s\n", workloads[i]->name, workloads[i]->summary);
	return EXIT_STATUS_DONE;
}

static bool needs_quotes(const char *word)
{
	return !*word || word[strcspn(word, " \t\n\"'\\$&|;<>()*?[]#~`!{}")];
}

/* The command line as a shell would take it back; NULL without memory. */
static char *quote_args(int argc, char **argv)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (int i = 0; i < argc; i++) {
		if (i)
			fputc(' ', f);
		if (!needs_quotes(argv[i])) {
			fputs(argv[i], f);
			continue;
		}
		fputc('\'', f);
		for (const char *c = argv[i]; *c; c++)
			if (*c == '\'')
				fputs("'\\''", f);
			else
				fputc(*c, f);
		fputc('\'', f);
	}
	fclose(f);
	return text;
}

/* Commands with a command line of their own. */
static const struct command_entry {
	const char *name;
	int (*run)(int argc, char **argv, const char *args);
} commands[] = {
	{"ab", ab_run},
	{"compare", compare_run},
	{"sweep", sweep_run},
};

static const struct command_entry *find_command(const char *name)
{
	for (size_t i = 0; name && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

static int parse_and_run(int argc, char **argv, const char *args)
{
	struct options o;
	int status = EXIT_STATUS_USAGE;

	switch (options_parse(&o, argc, argv)) {
	case OPTIONS_WRONG: break;
	case OPTIONS_DONE: status = EXIT_STATUS_DONE; break;
	case OPTIONS_OK:
		tracer_set_verbose(o.verbose);
		status = o.command == COMMAND_INFO   ? info_run(&o)
			 : o.command == COMMAND_LIST ? list_run()
			 : o.calibrate		     ? ab_calibrate(&o, argc, argv, args)
						     : session_run(&o, args);
		break;
	}
	options_free(&o);
	return status;
}

/* A descriptor of ours must never become a closed standard one. */
static void open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY); /* writing fails, as it should */
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* A report that cannot be read was not given. */
static int flush_output(int status)
{
	bool failed = fflush(stdout) || ferror(stdout);

	if (!failed || (status != EXIT_STATUS_DONE && status != EXIT_STATUS_LOST))
		return status;
	fprintf(stderr, "idletrace: standard output: cannot write\n");
	return EXIT_STATUS_FAILED;
}

int main(int argc, char **argv)
{
	const struct command_entry *command = find_command(argc > 1 ? argv[1] : NULL);
	char *args = quote_args(argc, argv);
	int status;

	open_standard_files();
	if (!geteuid())
		journal_recover(JOURNAL_DIR, stderr);
	if (command)
		status = command->run(argc, argv, args ? args : "");
	else
		status = parse_and_run(argc, argv, args ? args : "");
	free(args);
	return flush_output(status);
}
