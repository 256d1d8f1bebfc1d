// SPDX-License-Identifier: GPL-2.0
/* Figures of posts, and layouts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "formats.h"
#include "nayak_tables.h"
#include "report_capture.h"
#include "run_fixture.h"

#define NR(a) (sizeof(a) / sizeof((a)[0]))

static char err[256];

/* A run of a workload with one metric. */
static json_t *run_of(const char *test, const char *metric, const char *unit,
		      const char *better, double value)
{
	json_t *run = run_fixture();

	run_fixture_set(run, "workload.name", json_string(test));
	run_fixture_set(run, "workload.metrics",
			json_pack("[{s:s,s:f,s:s,s:s}]", "name", metric, "value", value,
				  "unit", unit, "better", better));
	return run;
}

static void add(struct comparison *c, const char *side, const char *name, json_t *run)
{
	json_t *runs = json_pack("[o]", run);

	assert_int_equal(comparison_add(c, side, name, runs, err, sizeof(err)), 0);
	json_decref(runs);
}

/* What a format prints; free it. */
static char *print(const struct comparison *c, const char *format)
{
	struct capture capture;

	capture_begin(&capture, STDOUT_FILENO);
	comparison_print(c, comparison_find_format(format));
	return capture_end(&capture);
}

/* Several blanks are one. */
static char *squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != ' ' || to == text || to[-1] != ' ')
			*to++ = *from;
	*to = '\0';
	return text;
}

static void assert_fits(const char *text)
{
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		size_t len = strcspn(line, "\n");

		if (len > FORMAT_WIDTH)
			print_error("%.*s\n", (int)len, line);
		assert_true(len <= FORMAT_WIDTH);
		for (size_t i = 0; i < len; i++)
			assert_true(line[i] >= ' ' && line[i] <= '~');
		if (!line[len])
			break;
	}
}

/* ---- nayak ---- */

/* Two samples with that statistic and that variation. */
static void add_nayak(struct comparison *c, const struct nayak_table *t, unsigned int row,
		      unsigned int side)
{
	double improvement = atof(t->rows[row].cells[side].improvement) / 100;
	double value = t->better == BETTER_LOWER ? 1 - improvement : 1 + improvement;
	double off = atof(t->rows[row].cells[side].cv) / 100 / sqrt(2);
	double mean = strcmp(t->statistic, "HMean") ? value : value / (1 - off * off);
	const char *better = t->better == BETTER_LOWER ? "lower" : "higher";

	for (int sign = -1; sign <= 1; sign += 2)
		add(c, nayak_sides[side], t->rows[row].label,
		    run_of(t->test, t->metric, t->unit, better,
			   50 * mean * (1 + sign * off)));
}

static void check_header(const char *text, const struct nayak_table *t)
{
	char header[512];

	snprintf(header, sizeof(header),
		 "\nTest : %s\nUnits : %s\nInterpretation: %s\nStatistic : %s\n====="
		 "=============================================================\n"
		 "Case: tip[pct imp](CV) vanilla[pct imp](CV) DELAYED[pct imp](CV)\n",
		 t->test, t->units, t->interpretation, t->statistic);
	assert_non_null(strstr(text, header));
}

static void check_row(const char *text, const struct nayak_row *row, int first)
{
	const int sides[] = {0, first, first + 1};
	char line[256];
	size_t used = (size_t)snprintf(line, sizeof(line), "\n%s", row->label);

	for (int i = 0; i < 3; i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used,
					 " %s [%6s](%5s)", row->cells[sides[i]].norm,
					 row->cells[sides[i]].improvement,
					 row->cells[sides[i]].cv);
	snprintf(line + used, sizeof(line) - used, "\n");
	squeeze(line);
	if (!strstr(text, line))
		print_error("%s", line);
	assert_non_null(strstr(text, line));
}

static void test_nayak_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(nayak_tables); i++) {
		const struct nayak_table *t = &nayak_tables[i];
		const char *names[] = {t->metric, NULL};
		struct comparison c;
		char *text;

		comparison_init(&c);
		for (unsigned int row = 0; row < t->nr_rows; row++)
			for (unsigned int s = 0; s < NAYAK_SIDES; s++)
				add_nayak(&c, t, row, s);
		assert_int_equal(comparison_finish(&c, names, err, sizeof(err)), 0);
		text = print(&c, "nayak");
		assert_fits(text);
		squeeze(text);
		check_header(text, t);
		for (unsigned int row = 0; row < t->nr_rows; row++) {
			check_row(text, &t->rows[row], 1);
			check_row(text, &t->rows[row], 3);
		}
		free(text);
		comparison_free(&c);
	}
}

static void test_nayak_cell(void **state)
{
	char text[64];

	(void)state;
	assert_string_equal(format_nayak_cell(3, 3, 13.74, BETTER_LOWER, text, 64),
			    "1.00 [ -0.00](13.74)");
	assert_string_equal(format_nayak_cell(3, 3, 8.37, BETTER_HIGHER, text, 64),
			    "1.00 [  0.00]( 8.37)");
	assert_string_equal(format_nayak_cell(5, 4, 5.36, BETTER_LOWER, text, 64),
			    "1.25 [-25.00]( 5.36)");
	assert_string_equal(format_nayak_cell(104.33, 100, NAN, BETTER_HIGHER, text, 64),
			    "1.04 [  4.33](    -)");
	assert_string_equal(format_nayak_cell(1, 0, 1, BETTER_HIGHER, text, 64), "   -");
	assert_string_equal(format_nayak_cell(NAN, 2, 1, BETTER_HIGHER, text, 64),
			    "   -");
}

static void test_statistic(void **state)
{
	static const struct {
		const char *name, *statistic;
		enum metric_better better;
	} cases[] = {
		{"usecs_per_loop", "AMean", BETTER_LOWER},
		{"records_per_s", "HMean", BETTER_HIGHER},
		{"wakeup.p99", "Median", BETTER_LOWER},
		{"hop_p99_9", "Median", BETTER_LOWER},
		{"rps_p50", "Median", BETTER_HIGHER},
		{"hop_pass", "AMean", BETTER_LOWER},
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		struct run_measure m = {.better = cases[i].better};

		snprintf(m.name, sizeof(m.name), "%s", cases[i].name);
		assert_string_equal(format_statistic_name(format_statistic(&m)),
				    cases[i].statistic);
	}
}

/* ---- smythies ---- */

struct figure {
	const char *side;
	double value;
	const char *change;
};

static void check_figures(const struct figure *figures, size_t nr)
{
	const char *names[] = {"cost", NULL};
	struct comparison c;
	char line[128], *text;

	comparison_init(&c);
	for (size_t i = 0; i < nr; i++)
		add(&c, figures[i].side, "",
		    run_of("adrestia", "cost", "ns", "lower", figures[i].value));
	assert_int_equal(comparison_finish(&c, names, err, sizeof(err)), 0);
	text = print(&c, "smythies");
	assert_fits(text);
	squeeze(text);
	for (size_t i = 0; i < nr; i++) {
		snprintf(line, sizeof(line), "\n %s %.3f %s\n", figures[i].side,
			 figures[i].value / 1000, figures[i].change);
		assert_non_null(strstr(text, line));
	}
	free(text);
	comparison_free(&c);
}

static void test_smythies(void **state)
{
	static const struct figure wakeup[] = {{"teo-613", 3331, "reference"},
					       {"teo-614", 3375, "+1.32 %"},
					       {"menu-613", 3207, "-3.72 %"},
					       {"menu-614", 3315, "-0.48 %"},
					       {"menu-614-p", 3353, "+0.66 %"}};
	/* The post has -1.94 and +6.54, of values with more digits than it gives. */
	static const struct figure dwell[] = {{"teo-613", 3826, "reference"},
					      {"teo-614", 4159, "+8.70 %"},
					      {"menu-613", 3751, "-1.96 %"},
					      {"menu-614", 4076, "+6.53 %"}};

	(void)state;
	check_figures(wakeup, NR(wakeup));
	check_figures(dwell, NR(dwell));
}

static void test_smythies_sweep(void **state)
{
	static const double base[] = {10, 20, 40}, other[] = {11, 18, 42};
	const char *names[] = {"cost", NULL};
	struct comparison c;
	char point[16], *text;

	(void)state;
	comparison_init(&c);
	for (int i = 0; i < 3; i++) {
		snprintf(point, sizeof(point), "work=%dus", i);
		add(&c, "menu", point, run_of("ring", "cost", "us", "lower", base[i]));
		add(&c, "teo", point, run_of("ring", "cost", "us", "lower", other[i]));
	}
	add(&c, "menu", "work=3us", run_of("ring", "cost", "us", "lower", 50));
	assert_int_equal(comparison_finish(&c, names, err, sizeof(err)), 0);
	text = squeeze(print(&c, "smythies"));
	assert_non_null(strstr(text, "cost, us against menu; negative is better\n"));
	assert_non_null(strstr(text, "\n work=1us 20.00 -10.00 %\n"));
	assert_non_null(strstr(text, "\n work=3us 50.00 -\n"));
	assert_non_null(strstr(text, "\n teo +1.67 % +10.00 % -10.00 % 3\n"));
	free(text);
	comparison_free(&c);
}

/* ---- loehle ---- */

static void set_counter(json_t *run, size_t cpu, size_t state, const char *name,
			int value)
{
	json_t *states =
		json_object_get(json_array_get(run_at(run, "idle.cpus"), cpu), "states");

	json_object_set_new(run_at(json_array_get(states, state), "kernel"), name,
			    json_integer(value));
}

static void test_loehle(void **state)
{
	json_t *run = run_of("fio", "iops", "1/s", "higher", 1523);
	struct comparison c;
	char *text;

	(void)state;
	comparison_init(&c);
	set_counter(run, 1, 0, "usage", 2644);
	set_counter(run, 1, 0, "below", 98000);
	set_counter(run, 1, 1, "usage", 200000);
	set_counter(run, 1, 1, "above", 20000);
	set_counter(run, 2, 0, "usage", 0);
	set_counter(run, 2, 0, "below", 552);
	set_counter(run, 2, 1, "usage", 200000);
	set_counter(run, 2, 1, "above", 1436);
	add(&c, "menu", "", run);
	run = run_of("fio", "iops", "1/s", "higher", 1700.5);
	run_fixture_set(run, "idle", json_null());
	add(&c, "teo", "", run);
	assert_int_equal(comparison_finish(&c, NULL, err, sizeof(err)), 0);
	text = print(&c, "loehle");
	assert_string_equal(
		text, "device\tgov\titer\tiops\tidles\tidle_misses\tidle_miss_ratio\t"
		      "belows\taboves\n"
		      "fio\tmenu\t1\t1523\t402644\t119988\t0.298\t98552\t21436\n"
		      "fio\tteo\t1\t1700.5\t-\t-\t-\t-\t-\n");
	free(text);
	comparison_free(&c);
}

/* ---- names of sides ---- */

static void test_knob_in_names(void **state)
{
	struct comparison c;
	char *text;

	(void)state;
	comparison_init(&c);
	add(&c, "governor=menu", "", run_of("fio", "iops", "1/s", "higher", 100));
	add(&c, "governor=haltpoll", "", run_of("fio", "iops", "1/s", "higher", 110));
	assert_string_equal(format_side(&c, 1, 17), "governor=haltpoll");
	assert_string_equal(format_side(&c, 1, 16), "haltpoll");
	assert_string_equal(format_side(&c, 0, 16), "menu");
	assert_int_equal(comparison_finish(&c, NULL, err, sizeof(err)), 0);
	text = print(&c, "nayak");
	assert_non_null(strstr(text, " menu[pct imp](CV)"));
	assert_non_null(strstr(text, " haltpoll[pct imp](CV)\n"));
	free(text);
	text = print(&c, "loehle");
	assert_non_null(strstr(text, "\nfio\tmenu\t1\t100\t"));
	free(text);
	text = print(&c, "native");
	assert_non_null(strstr(text, "all against governor=menu\n"));
	assert_non_null(strstr(text, "\n  haltpoll           1 "));
	free(text);
	comparison_free(&c);
	/* Of two knobs, or of several, neither says it all. */
	comparison_init(&c);
	add(&c, "governor=menu", "", run_of("fio", "iops", "1/s", "higher", 100));
	add(&c, "state1=on", "", run_of("fio", "iops", "1/s", "higher", 110));
	assert_string_equal(format_side(&c, 0, 0), "governor=menu");
	comparison_free(&c);
	comparison_init(&c);
	add(&c, "a=1 b=1", "", run_of("fio", "iops", "1/s", "higher", 110));
	assert_string_equal(format_side(&c, 0, 0), "a=1 b=1");
	comparison_free(&c);
}

/* ---- percentiles and mmtests ---- */

static void test_percentiles(void **state)
{
	struct comparison c;
	char *text;

	(void)state;
	comparison_init(&c);
	add(&c, "a", "", run_fixture());
	add(&c, "a", "", run_fixture());
	add(&c, "b", "", run_fixture());
	assert_int_equal(comparison_finish(&c, NULL, err, sizeof(err)), 0);
	text = print(&c, "percentiles");
	assert_fits(text);
	squeeze(text);
	assert_non_null(strstr(text, "\nwakeup latency, us\n a b\ncount 200 100\n"));
	assert_non_null(strstr(text, "\np96 5.000 5.000\n"));
	assert_non_null(strstr(text, "\nexit phase, us\n"));
	assert_non_null(strstr(text, "\naverage 2.000 2.000\n"));
	free(text);
	comparison_free(&c);
}

static void test_mmtests(void **state)
{
	const char *names[] = {"ops", NULL};
	struct comparison c;
	char *text;

	(void)state;
	comparison_init(&c);
	add(&c, "base", "", run_of("x", "ops", "1/s", "higher", 40));
	add(&c, "base", "", run_of("x", "ops", "1/s", "higher", 60));
	add(&c, "new", "", run_of("x", "ops", "1/s", "higher", 60));
	add(&c, "new", "", run_of("x", "ops", "1/s", "higher", 60));
	assert_int_equal(comparison_finish(&c, names, err, sizeof(err)), 0);
	text = print(&c, "mmtests");
	assert_non_null(strstr(text, "\n                            base  "));
	squeeze(text);
	assert_non_null(strstr(text, "\nMin 40.00 ( 0.00%) 60.00 ( 50.00%)\n"));
	assert_non_null(strstr(text, "\nHmean 48.00 ( 0.00%) 60.00 ( 25.00%)\n"));
	assert_non_null(strstr(text, "\nCoeffVar 28.28 ( 0.00%) 0.00 ( 100.00%)\n"));
	free(text);
	comparison_free(&c);
}

/* ---- all ---- */

/* Many sides with long names, huge values, names that are not ASCII. */
static void test_width(void **state)
{
	struct comparison c;
	char side[80], point[80];

	(void)state;
	for (int points = 1; points <= 3; points += 2) {
		comparison_init(&c);
		for (int s = 0; s < 7; s++)
			for (int p = 0; p < points; p++)
				for (int n = 0; n < 2; n++) {
					json_t *run = run_fixture();

					snprintf(side, sizeof(side),
						 "governor=menu\t\xc3\xa4 "
						 "file:/sys/kernel/very/long/name=%d",
						 s);
					snprintf(point, sizeof(point),
						 "work=%d0000us and a very long name "
						 "of a point of a sweep",
						 p);
					run_fixture_metric(run, 0,
							   n ? 1e-3 : 1e12 * (s + 1));
					add(&c, side, points > 1 ? point : "", run);
				}
		assert_int_equal(comparison_finish(&c, NULL, err, sizeof(err)), 0);
		for (size_t i = 0; comparison_formats[i]; i++) {
			char *text = print(&c, comparison_formats[i]->name);

			assert_true(*text);
			if (!comparison_formats[i]->bare)
				assert_fits(text);
			free(text);
		}
		comparison_free(&c);
	}
}

static void test_find_format(void **state)
{
	char names[128];

	(void)state;
	assert_ptr_equal(comparison_find_format("native"), comparison_formats[0]);
	assert_null(comparison_find_format("nativ"));
	assert_string_equal(comparison_format_names(names, sizeof(names)),
			    "native, nayak, smythies, loehle, percentiles, mmtests");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_knob_in_names),
		cmocka_unit_test(test_nayak_tables),
		cmocka_unit_test(test_nayak_cell),
		cmocka_unit_test(test_statistic),
		cmocka_unit_test(test_smythies),
		cmocka_unit_test(test_smythies_sweep),
		cmocka_unit_test(test_loehle),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_mmtests),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_find_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
