// SPDX-License-Identifier: GPL-2.0
/* Pictures of one run. */
#include "plot_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"

#define CLASSES_MAX 6  /* drawn one by one; "all" is besides */
#define BARS_MAX    64 /* CPUs with a bar each */
#define PER_DECADE  24 /* bins of the histogram */
#define BINS	    (10 * PER_DECADE)

struct class_line {
	const json_t *class;
	json_int_t count;
};

static int by_count(const void *a, const void *b)
{
	const struct class_line *x = a, *y = b;

	return (y->count > x->count) - (y->count < x->count);
}

/* The classes with most wakeups. */
static unsigned int choose_classes(const json_t *run, struct class_line *lines)
{
	struct class_line all[256];
	const json_t *classes = run_at(run, "wakeups.classes"), *class;
	unsigned int nr = 0;
	size_t i;

	json_array_foreach (classes, i, class) {
		json_int_t count = json_integer_value(run_at(class, "count"));

		if (count > 0 && nr < sizeof(all) / sizeof(all[0]))
			all[nr++] = (struct class_line){class, count};
	}
	qsort(all, nr, sizeof(*all), by_count);
	nr = nr > CLASSES_MAX ? CLASSES_MAX : nr;
	memcpy(lines, all, nr * sizeof(*all));
	return nr;
}

static char *class_title(const json_t *class, char *buf, size_t size)
{
	char name[80];

	return plot_quoted(run_class_name(class, name, sizeof(name)), buf, size);
}

/* Bins of equal ratio, as shares of all wakeups: areas are to be compared. */
static void write_bins(struct picture *p, const struct hist *h, double all)
{
	u64 bins[BINS] = {0};
	int first = BINS, last = -1;

	for (u32 i = 0; i < HIST_BUCKETS; i++) {
		double middle =
			sqrt(((double)hist_low(i) + 1) * ((double)hist_high(i) + 1));
		int bin = (int)(log10(middle) * PER_DECADE);

		if (!h->bucket[i])
			continue;
		bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
		bins[bin] += h->bucket[i];
		first = bin < first ? bin : first;
		last = bin > last ? bin : last;
	}
	/* One empty bin on both sides lets the line begin and end at zero. */
	for (int bin = first ? first - 1 : 0; last >= 0 && bin <= last + 1; bin++)
		fprintf(p->data, "%.6g %.6g\n",
			pow(10, (bin + 0.5) / PER_DECADE) / NSEC_PER_USEC,
			bin < BINS ? 100 * (double)bins[bin] / all : 0);
}

static void latency_script(FILE *f, const struct class_line *lines, unsigned int nr,
			   double all)
{
	char name[160];

	fputs("set multiplot layout 2,1 margins 0.10,0.75,0.09,0.91 spacing 0,0.09\n"
	      "set logscale x\n"
	      "set format x '%g'\n"
	      "set xrange [*:*]\n"
	      "set yrange [0:*]\n"
	      "set ylabel '% of all wakeups'\n"
	      "plot ",
	      f);
	for (unsigned int i = 0; i < nr; i++)
		fprintf(f,
			"%s'latency.dat' index %u with fillsteps fs transparent solid "
			"0.15 "
			"noborder lc rgb '#808080' notitle, "
			"'' index %u with steps ls %u title %s",
			i ? ", " : "", 2 * i, 2 * i, i % PLOT_STYLES + 1,
			class_title(lines[i].class, name, sizeof(name)));
	fputs("\nset title ''\nset xlabel 'wakeup latency, us'\n", f);
	plot_nines_axis(f, all);
	fputs("plot ", f);
	for (unsigned int i = 0; i < nr; i++)
		fprintf(f, "'latency.dat' index %u with lines ls %u title %s, ",
			2 * i + 1, i % PLOT_STYLES + 1,
			class_title(lines[i].class, name, sizeof(name)));
	fprintf(f,
		"'latency.dat' index %u with lines lc rgb '#000000' lw 3 title 'all'\n"
		"unset multiplot\n",
		2 * nr);
}

static int draw_latency(struct plots *plots, const json_t *run)
{
	static struct hist h;
	struct class_line lines[CLASSES_MAX];
	unsigned int nr = choose_classes(run, lines);
	char ran[50], where[200], text[160];
	struct picture p;
	double all;

	memset(&h, 0, sizeof(h));
	if (!nr || !run_latency(run, "wakeups.latency", &h))
		return 0;
	all = (double)h.count;
	if (picture_begin(&p, plots, "latency", 1000, 800))
		return -1;
	for (unsigned int i = 0; i < nr; i++) {
		memset(&h, 0, sizeof(h));
		run_latency(lines[i].class, "latency", &h);
		picture_block(&p);
		write_bins(&p, &h, all);
		picture_block(&p);
		plot_nines(&p, &h);
	}
	memset(&h, 0, sizeof(h));
	run_latency(run, "wakeups.latency", &h);
	picture_block(&p);
	plot_nines(&p, &h);
	snprintf(text, sizeof(text), "%s: %.0f wakeups, by what they found their CPU at",
		 run_title(run, ran, sizeof(ran)), all);
	picture_title(&p, text, run_where(run, where, sizeof(where)));
	latency_script(p.script, lines, nr, all);
	return picture_end(&p);
}

/* ---- idle states ---- */

/* A row: CPU, then each state's share, cumulated from the deepest, which is at the foot.
 */
static void write_cpu(struct picture *p, const json_t *cpu, unsigned int states, double x)
{
	double span = json_number_value(run_at(cpu, "end")) -
		      json_number_value(run_at(cpu, "start"));
	const json_t *of = run_at(cpu, "states");
	double sum = 0;

	fprintf(p->data, "%g", x);
	for (unsigned int s = states; s-- > 0;) {
		double time = json_number_value(run_at(json_array_get(of, s), "time"));

		plot_number(p->data, 100 * sum);
		sum += span > 0 ? time / span : 0;
		plot_number(p->data, 100 * sum);
	}
	plot_number(p->data, 100 * sum);
	fputs(" 100\n", p->data);
}

/* Of many CPUs both edges of each, for a line; returns the highest number of one. */
static int write_cpus(struct picture *p, const json_t *run, bool many)
{
	const json_t *cpus = run_at(run, "idle.cpus"), *cpu;
	unsigned int states = run_states(run);
	int last = 0;
	size_t i;

	picture_block(p);
	json_array_foreach (cpus, i, cpu) {
		int number = (int)json_integer_value(run_at(cpu, "cpu"));

		last = number > last ? number : last;
		write_cpu(p, cpu, states, many ? number - 0.5 : number);
		if (many)
			write_cpu(p, cpu, states, number + 0.5);
	}
	return last;
}

static void idle_part(FILE *f, unsigned int column, bool many, const char *colour,
		      const char *name)
{
	char title[80];

	if (many)
		fprintf(f, "using 1:%u:%u with filledcurves fc rgb '%s' title %s", column,
			column + 1, colour, plot_quoted(name, title, sizeof(title)));
	else
		fprintf(f,
			"using 1:%u:($1-0.4):($1+0.4):%u:%u with boxxyerror fc rgb '%s' "
			"title %s",
			column, column, column + 1, colour,
			plot_quoted(name, title, sizeof(title)));
}

/* The key reads from top to bottom as the bars do. */
static void idle_script(FILE *f, const json_t *run, int last, bool many)
{
	unsigned int states = run_states(run), column = 2 + 2 * states;
	int step = 1;
	char colour[8];

	while (last / step >= 24)
		step *= 2;
	fprintf(f,
		"set lmargin 10\nset rmargin 22\n"
		"set yrange [0:100]\nset xrange [-0.6:%d.6]\n"
		"set ylabel '%% of time'\nset xlabel 'CPU'\n"
		"set xtics %d scale 0\n"
		"set style fill solid 1 border rgb '#404040'\nplot 'idle.dat' ",
		last, step);
	idle_part(f, column, many, "#ffffff", "not idle");
	for (unsigned int s = 0; s < states; s++) {
		column -= 2;
		fputs(", '' ", f);
		idle_part(f, column, many, plot_state_colour(s, states, colour),
			  run_state_name(run, s));
	}
	fputc('\n', f);
}

static int draw_idle(struct plots *plots, const json_t *run)
{
	char ran[50], where[200], text[160];
	bool many = json_array_size(run_at(run, "idle.cpus")) > BARS_MAX;
	struct picture p;
	int last;

	if (!run_states(run) || !json_array_size(run_at(run, "idle.cpus")))
		return 0;
	if (picture_begin(&p, plots, "idle", 1000, 500))
		return -1;
	last = write_cpus(&p, run, many);
	snprintf(text, sizeof(text), "%s: idle states of each CPU",
		 run_title(run, ran, sizeof(ran)));
	picture_title(&p, text, run_where(run, where, sizeof(where)));
	idle_script(p.script, run, last, many);
	return picture_end(&p);
}

int plot_run(struct plots *plots, const json_t *run)
{
	return draw_latency(plots, run) || draw_idle(plots, run) ? -1 : 0;
}
