// SPDX-License-Identifier: GPL-2.0
#include "plot_private.h"

#include <dirent.h>
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

/* What the user said that led here. */
static const char *option_of(const struct plots *plots)
{
	return plots->own ? "--html" : "--plot";
}

static int open_own(struct plots *plots)
{
	const char *base = getenv("TMPDIR");

	plots->own = true;
	snprintf(plots->dir, sizeof(plots->dir), "%.3900s/idletrace.XXXXXX",
		 base && *base ? base : "/tmp");
	if (mkdtemp(plots->dir))
		return 0;
	snprintf(plots->err, sizeof(plots->err), "--html: %.400s: %s", plots->dir,
		 strerror(errno));
	plots->dir[0] = '\0';
	return -1;
}

int plots_open(struct plots *plots, const char *dir)
{
	*plots = (struct plots){0};
	if (!dir)
		return open_own(plots);
	snprintf(plots->dir, sizeof(plots->dir), "%s", dir);
	if (!mkdir(dir, 0777) || errno == EEXIST)
		return 0;
	snprintf(plots->err, sizeof(plots->err), "--plot %.400s: %s", dir,
		 strerror(errno));
	return -1;
}

void plots_close(struct plots *plots)
{
	DIR *dir = plots->own && plots->dir[0] ? opendir(plots->dir) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir) {
		closedir(dir);
		rmdir(plots->dir);
	}
	*plots = (struct plots){0};
}

static FILE *open_file(struct picture *p, const char *suffix)
{
	struct plots *plots = p->plots;
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%.3900s/%.90s.%s", plots->dir, p->name, suffix);
	f = fopen(path, "we");
	if (!f)
		snprintf(plots->err, sizeof(plots->err), "%s: %.400s: %s",
			 option_of(plots), path, strerror(errno));
	return f;
}

/* Told apart by colour, and in grey by how light they are, dashes and markers. */
static void define_styles(FILE *f)
{
	static const struct {
		const char *colour, *dashes;
		int points;
	} styles[PLOT_STYLES] = {
		{"#0072b2", "1", 7},	 {"#e69f00", "2", 5},
		{"#009e73", "4", 9},	 {"#d55e00", "5", 13},
		{"#000000", "3", 6},	 {"#56b4e9", "(18,4)", 11},
		{"#cc79a7", "(2,6)", 4}, {"#7f7f7f", "(10,3,2,3)", 8},
	};

	for (int i = 0; i < PLOT_STYLES; i++)
		fprintf(f, "set style line %d lc rgb '%s' lw 2 dt %s pt %d ps 0.9\n",
			i + 1, styles[i].colour, styles[i].dashes, styles[i].points);
}

static void begin_script(const struct picture *p, unsigned int width, unsigned int height)
{
	FILE *f = p->script;

	/* The second format must not begin where the first one has ended. */
	fprintf(f,
		"# Written by idletrace %s. Here, \"gnuplot %s.gp\" makes %s.png and "
		".svg.\n"
		"png = strstrt(GPVAL_TERMINALS, 'pngcairo') ? 'pngcairo' : 'png'\n"
		"do for [format in '%s'] {\n"
		"reset\n"
		"set encoding utf8\n"
		"set datafile missing '?'\n",
		IDLETRACE_VERSION, p->name, p->name, p->plots->own ? "svg" : "png svg");
	define_styles(f);
	fprintf(f,
		"set style line 20 lc rgb '#d0d0d0' lw 0.7 dt 1\n"
		"set border lw 1 lc rgb '#404040'\n"
		"set grid back ls 20\n"
		"set tics nomirror\n"
		"set key at graph 1.02, graph 1 left top reverse Left samplen 3\n"
		"if (format eq 'png') {\n"
		"set terminal @png noenhanced size %u,%u font 'sans,11'\n"
		"} else {\n"
		"set terminal svg noenhanced size %u,%u font 'sans,14' background "
		"'white'\n"
		"}\n"
		"set output '%s.'.format\n",
		width, height, width, height, p->name);
}

int picture_begin(struct picture *p, struct plots *plots, const char *name,
		  unsigned int width, unsigned int height)
{
	*p = (struct picture){.plots = plots, .name = name};
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

void picture_title(struct picture *p, const char *what, const char *where)
{
	char first[PLOTS_TITLE], second[PLOTS_TITLE];

	snprintf(p->title, sizeof(p->title), "%.190s; %.190s", what, where);
	fprintf(p->script, "head = %s.\"\\n\".%s\nset title head\n",
		plot_quoted(what, first, sizeof(first)),
		plot_quoted(where, second, sizeof(second)));
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
		become_gnuplot(p->plots->dir, script);
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void say_not_installed(struct plots *plots)
{
	if (!plots->no_gnuplot && plots->own)
		fprintf(stderr, "idletrace: gnuplot is not installed: the page has no "
				"pictures (Debian, Ubuntu: apt install gnuplot-nox)\n");
	else if (!plots->no_gnuplot)
		fprintf(stderr,
			"idletrace: gnuplot is not installed: %s has scripts and data, "
			"no pictures (Debian, Ubuntu: apt install gnuplot-nox)\n",
			plots->dir);
	plots->no_gnuplot = true;
}

static void add_drawn(struct plots *plots, const struct picture *p)
{
	struct plots_drawn *drawn = &plots->drawn[plots->nr];

	if (plots->nr == PLOTS_MAX)
		return;
	snprintf(drawn->name, sizeof(drawn->name), "%s", p->name);
	snprintf(drawn->title, sizeof(drawn->title), "%s", p->title);
	plots->nr++;
}

int picture_end(struct picture *p)
{
	struct plots *plots = p->plots;
	int failed, status;

	fputs("unset output\n}\n", p->script);
	failed = close_file(p->script);
	failed |= close_file(p->data);
	if (failed) {
		snprintf(plots->err, sizeof(plots->err), "%s: %.400s: %s",
			 option_of(plots), plots->dir, strerror(errno));
		return -1;
	}
	status = run_gnuplot(p);
	if (status == 127) {
		say_not_installed(plots);
	} else if (status) {
		snprintf(plots->err, sizeof(plots->err),
			 "%s: %.400s: gnuplot %s.gp failed there", option_of(plots),
			 plots->dir, p->name);
		return -1;
	} else {
		add_drawn(plots, p);
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

void plot_nines_axis(FILE *script, double most)
{
	double nines = ceil(log10(most > 1 ? most : 1));

	fprintf(script,
		"set yrange [0:%.0f]\n"
		"set ytics ('0' 0, '50' 0.30103, '90' 1, '99' 2, '99.9' 3, '99.99' 4, "
		"'99.999' 5, '99.9999' 6)\n"
		"set ylabel '%% of wakeups, this fast or faster'\n",
		nines < 2   ? 2
		: nines > 6 ? 6
			    : nines);
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
