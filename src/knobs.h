/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `idletrace ab --vary KNOB=A,B` can vary. A knob is one file in src/knobs/ that
 * defines one struct knob, and one line in the table in src/knobs.c.
 *
 * Most knobs write text to files. What is in them is kept when the knob is opened, so
 * that knobs_restore(), in whatever process, needs nothing but the list.
 */
#ifndef IDLETRACE_KNOBS_H
#define IDLETRACE_KNOBS_H

#include <stdbool.h>
#include <stdio.h>

#include "saved.h"
#include "workload.h"

#define KNOB_ERROR  1024 /* bytes for one error line, without "idletrace: " */
#define KNOB_VALUES 64	 /* of one knob */
#define KNOBS_MAX   8	 /* at the same time */

struct knob_use;

/* A growing list of words. */
struct knob_words {
	char **words;
	unsigned int nr;
};

/*
 * Functions that return int: 0, or -1 with the line in use->err, as knob_error() sets it.
 * Only open is mandatory.
 */
struct knob {
	const char *name;
	const char *subject; /* what follows the name and a colon; NULL: nothing does */
	const char *example; /* its name and values in the help */
	const char *summary;
	bool strict; /* a file that is written must read the same */
	/* Can the name alone, without this knob's, stand for it, as in state3? */
	bool (*takes)(const char *name, const struct workload *workload);
	/* The words that this machine has to choose from, as --knobs lists them. */
	int (*offers)(struct knob_use *use, struct knob_words *words);
	/* Finds the files and keeps them, checks all values. Changes nothing. */
	int (*open)(struct knob_use *use);
	/* What goes into that file for that value; NULL: leave the file alone. */
	const char *(*text)(const struct knob_use *use, const struct saved *file,
			    const char *value);
	/* The word that each run with that value is given, to be freed, or NULL in *word.
	 * -1: no memory. */
	int (*argument)(const struct knob_use *use, const char *value, char **word);
	/* Instead of writing files. */
	int (*set)(struct knob_use *use, const char *value);
	void (*release)(struct knob_use *use);
};

/* A knob with the values that it is to have. */
struct knob_use {
	const struct knob *knob;
	const char *root; /* what stands before /sys, /proc and /dev: "", but in tests */
	const struct workload *workload; /* of the run, or NULL */
	char *name;			 /* as given: "governor", "sysctl:kernel.foo" */
	const char *subject;		 /* in name, or NULL */
	struct knob_words values;
	struct saved *files;
	unsigned int nr_files;
	int fd;	      /* that is held open, or -1 */
	bool skipped; /* a CPU was offline, which has been told */
	char err[KNOB_ERROR];
};

struct knobs {
	struct knob_use uses[KNOBS_MAX];
	unsigned int nr;
	const char *root;
};

/* All knobs, NULL at the end. */
extern const struct knob *const knob_table[];

void knobs_init(struct knobs *knobs, const char *root);
void knobs_free(struct knobs *knobs);

/*
 * One more, from "KNOB=A,B,..."; "\," is a comma within a value. Changes nothing on the
 * machine. Returns the new one, or NULL with a line in err: no such knob, or a value that
 * this machine does not have.
 */
struct knob_use *knobs_add(struct knobs *knobs, const char *spec,
			   const struct workload *workload, char *err, size_t size);

/* Sets the value. 0, or -1 with a line in use->err. */
int knob_set(struct knob_use *use, const char *value);

/*
 * Puts everything back, the last knob first. Returns how many values could not be; each
 * has had a line on report.
 */
int knobs_restore(struct knobs *knobs, FILE *report);

/* The knobs, and what this machine offers for each of them. */
void knobs_print(const char *root, FILE *out);

/* ---- for the knobs themselves ---- */

/* Sets use->err and returns -1. */
int knob_error(struct knob_use *use, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The path below use->root, in buf of PATH_MAX bytes. */
char *knob_path(const struct knob_use *use, char *buf, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Reads a file's first line, or all of it as one. 0 or -errno. */
int knob_read(const struct knob_use *use, char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Keeps one more file, which must be there and writable. */
int knob_keep(struct knob_use *use, const char *path, const char *feature, int cpu);

/* Adds len bytes as a word unless it is there. 0 or -ENOMEM. */
int knob_words_add(struct knob_words *words, const char *word, size_t len);
bool knob_words_have(const struct knob_words *words, const char *word);
void knob_words_free(struct knob_words *words);

/* Adds every blank-separated word of text. */
int knob_words_split(struct knob_words *words, const char *text);

/* "a, b, c", cut with "..." where it does not fit. Returns buf. */
char *knob_words_text(const struct knob_words *words, char *buf, size_t size);

/* Every value must be one of what the knob offers. */
int knob_check_offered(struct knob_use *use);

/* Numbers N of the directory's entries called PREFIXN, rising. Their count or -errno. */
int knob_scan(const struct knob_use *use, const char *dir, const char *prefix,
	      int **numbers);

#endif
