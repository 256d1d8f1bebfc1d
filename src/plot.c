// SPDX-License-Identifier: GPL-2.0
#include "plot_private.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "units.h"
#include "version.h"

static FILE *open_file(struct picture *p, const char *suffix)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%.3900s/%.90s.%s", p->dir, p->name, suffix);
	f = fopen(path, "we");
	if (!f)
		snprintf(p->err, p->size, "--plot: %s: %s", path, strerror(errno));
	return f;
}

/* Told apart by colour, and in grey by how light they are, dashes and markers. */
static void define_styles(FILE *f)
{
	static const struct {
		const char *colour;
		int dashes, points;
	} styles[PLOT_STYLES] = {
		{"#0072b2", 1, 7},  {"#e69f00", 2, 5}, {"#009e73", 4, 9},
		{"#d55e00", 5, 13}, {"#000000", 3, 6}, {"#56b4e9", 1, 11},
		{"#cc79a7", 2, 4},  {"#7f7f7f", 4, 8},
	};

	for (int i = 0; i < PLOT_STYLES; i++)
		fprintf(f, "set style line %d lc rgb '%s' lw 2 dt %d pt %d ps 0.9\n",
			i + 1, styles[i].colour, styles[i].dashes, styles[i].points);
}

static void begin_script(const struct picture *p, unsigned int width, unsigned int height)
{
	FILE *f = p->script;

	fprintf(f,
		"# Written by idletrace %s. Here, \"gnuplot %s.gp\" makes %s.png and "
		".svg.\n"
		"set encoding utf8\n"
		"set datafile missing '?'\n",
		IDLETRACE_VERSION, p->name, p->name);
	define_styles(f);
	fprintf(f,
		"set style line 20 lc rgb '#d0d0d0' lw 0.7 dt 1\n"
		"set border lw 1 lc rgb '#404040'\n"
		"set grid back ls 20\n"
		"set tics nomirror\n"
		"set key at graph 1.02, graph 1 left top reverse Left samplen 3\n"
		"png = strstrt(GPVAL_TERMINALS, 'pngcairo') ? 'pngcairo' : 'png'\n"
		"do for [format in 'png svg'] {\n"
		"if (format eq 'png') {\n"
		"set terminal @png noenhanced size %u,%u font 'sans,11'\n"
		"} else {\n"
		"set terminal svg noenhanced size %u,%u font 'sans,11' background "
		"'white'\n"
		"}\n"
		"set output '%s.'.format\n",
		width, height, width, height, p->name);
}

int picture_begin(struct picture *p, const char *dir, const char *name,
		  unsigned int width, unsigned int height, char *err, size_t size)
{
	*p = (struct picture){.dir = dir, .name = name, .err = err, .size = size};
	if (mkdir(dir, 0777) && errno != EEXIST) {
		snprintf(err, size, "--plot %s: %s", dir, strerror(errno));
		return -1;
	}
	p->script = open_file(p, "gp");
	p->data = p->script ? open_file(p, "dat") : NULL;
	if (!p->data) {
		if (p->script)
			fclose(p->script);
		return -1;
	}
	begin_script(p, width, height);
	return 0;
}

unsigned int picture_block(struct picture *p)
{
	if (p->blocks)
		fputs("\n\n", p->data);
	return p->blocks++;
}

static int close_file(FILE *f)
{
	int failed = ferror(f);

	return fclose(f) || failed ? -1 : 0;
}

_Noreturn static void become_gnuplot(const char *dir, const char *script)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(null, STDERR_FILENO) < 0 || chdir(dir))
		_exit(126);
	execlp("gnuplot", "gnuplot", script, NULL);
	_exit(errno == ENOENT ? 127 : 126);
}

/* Its exit status, or -1. */
static int run_gnuplot(const struct picture *p)
{
	char script[128];
	int status;
	pid_t pid;

	snprintf(script, sizeof(script), "%.100s.gp", p->name);
	fflush(NULL);
	pid = fork();
	if (!pid)
		become_gnuplot(p->dir, script);
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void say_not_installed(const char *dir)
{
	static bool said;

	if (!said)
		fprintf(stderr,
			"idletrace: gnuplot is not installed: %s has only its scripts\n",
			dir);
	said = true;
}

int picture_end(struct picture *p)
{
	int failed, status;

	fputs("unset output\n}\n", p->script);
	failed = close_file(p->script);
	failed |= close_file(p->data);
	if (failed) {
		snprintf(p->err, p->size, "--plot %s: %s", p->dir, strerror(errno));
		return -1;
	}
	status = run_gnuplot(p);
	if (status == 127)
		say_not_installed(p->dir);
	else if (status) {
		snprintf(p->err, p->size, "--plot %s: gnuplot %s.gp failed there", p->dir,
			 p->name);
		return -1;
	}
	return 0;
}

char *plot_quoted(const char *text, char *buf, size_t size)
{
	size_t used = 0;

	buf[used++] = '\'';
	for (; *text && used + 3 < size; text++) {
		if (*text == '\'')
			buf[used++] = '\'';
		buf[used++] = *text < ' ' || *text > '~' ? '?' : *text;
	}
	buf[used++] = '\'';
	buf[used] = '\0';
	return buf;
}

void plot_number(FILE *f, double value)
{
	if (isnan(value))
		fputs(" ?", f);
	else
		fprintf(f, " %.10g", value);
}

char *plot_state_colour(unsigned int state, unsigned int states, char *buf)
{
	static const int light[] = {0xe3, 0xee, 0xf9}, dark[] = {0x08, 0x30, 0x6b};
	double part = states > 1 ? (double)state / (states - 1) : 1;
	int c[3];

	for (int i = 0; i < 3; i++)
		c[i] = light[i] + (int)lround(part * (dark[i] - light[i]));
	snprintf(buf, 8, "#%02x%02x%02x", c[0] & 0xff, c[1] & 0xff, c[2] & 0xff);
	return buf;
}

/* ---- distributions ---- */

void plot_nines_axis(FILE *script)
{
	fputs("set yrange [0:5]\n"
	      "set ytics ('0' 0, '50' 0.30103, '90' 1, '99' 2, '99.9' 3, '99.99' 4, "
	      "'99.999' 5)\n"
	      "set ylabel '% of wakeups, no slower'\n",
	      script);
}

void plot_nines(struct picture *p, const struct hist *h)
{
	u64 sum = 0;

	if (!h->count)
		return;
	fprintf(p->data, "%.10g 0\n", (double)h->min / NSEC_PER_USEC);
	for (u32 i = 0; i < HIST_BUCKETS; i++) {
		if (!h->bucket[i])
			continue;
		sum += h->bucket[i];
		/* The last one has none above it and would be at the end of all nines. */
		if (sum < h->count)
			fprintf(p->data, "%.10g %.6f\n",
				(double)hist_high(i) / NSEC_PER_USEC,
				-log10(1 - (double)sum / (double)h->count));
	}
	fprintf(p->data, "%.10g %.6f\n", (double)h->max / NSEC_PER_USEC,
		log10((double)h->count));
}
