// SPDX-License-Identifier: GPL-2.0
/* Pages: what they are made of, whatever the names in them are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "comparison.h"
#include "formats.h"
#include "html.h"
#include "html_page.h"
#include "report_fixtures.h"
#include "report_json.h"
#include "run_fixture.h"
#include "tree.h"

#define EVIL "</td><script>alert(\"1\")</script>&'"

static char err[256];
static struct plots plots;

/* ---- is it well-formed? ---- */

static bool is_void(const char *name, size_t len)
{
	static const char *const voids[] = {"meta", "!DOCTYPE", "br"};

	for (size_t i = 0; i < sizeof(voids) / sizeof(voids[0]); i++)
		if (strlen(voids[i]) == len && !strncmp(voids[i], name, len))
			return true;
	return false;
}

/* Every element is ended, in the order in which they were begun. */
static void assert_well_formed(const char *html)
{
	char open[64][32];
	size_t depth = 0;

	for (const char *at = html; (at = strchr(at, '<'));) {
		bool end = at[1] == '/';
		const char *name = at + 1 + end, *close = strchr(at, '>');
		size_t len = strcspn(name, " \n/>");

		assert_non_null(close);
		assert_true(len > 0 && len < sizeof(open[0]));
		if (end) {
			assert_true(depth > 0);
			depth--;
			if (strlen(open[depth]) != len || strncmp(open[depth], name, len))
				fail_msg("%.*s ends %s", (int)len, name, open[depth]);
		} else if (close[-1] != '/' && !is_void(name, len)) {
			assert_true(depth < 64);
			snprintf(open[depth++], sizeof(open[0]), "%.*s", (int)len, name);
		}
		at = close;
	}
	assert_int_equal(depth, 0);
}

/* Nothing is fetched, nothing is run. */
static void assert_harmless(const char *html)
{
	assert_null(strstr(html, "<script"));
	assert_null(strstr(html, "src="));
	assert_null(strstr(html, "url(http"));
	assert_null(strstr(html, "@import"));
	assert_null(strstr(html, "<link"));
}

typedef int page_writer(FILE *f, const struct plots *plots, const void *what);

/* The page; free it. */
static char *page(page_writer *write, const void *what)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(write(f, &plots, what), 0);
	fclose(f);
	assert_well_formed(text);
	assert_harmless(text);
	return text;
}

static void assert_has(const char *html, const char *part)
{
	if (!strstr(html, part))
		fail_msg("\"%s\" is not in:\n%s", part, html);
}

/* ---- text ---- */

static char *escaped(const char *text)
{
	static char buf[200];
	FILE *f = fmemopen(buf, sizeof(buf), "w");

	html_text(f, text);
	fclose(f);
	return buf;
}

static void test_text(void **state)
{
	(void)state;
	assert_string_equal(escaped("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&#39;c");
	assert_string_equal(escaped("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
			    "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	/* Broken UTF-8 and what HTML does not have. */
	assert_string_equal(escaped("a\xc3"), "a?");
	assert_string_equal(escaped("\xc3<"), "?&lt;");
	assert_string_equal(escaped("\xff\xc0\x80"), "???");
	assert_string_equal(escaped("\x01\x1b\x7f\t"), "???\t");
}

static void test_svg(void **state)
{
	static const char svg[] =
		"<?xml version=\"1.0\"?>\n<svg width=\"9\"\n xmlns=\"x\">\n"
		"<title>Gnuplot</title>\n<desc>Produced by</desc>\n"
		"<g id=\"canvas\">\n<g class=\"a\">\n</g>\n<path id='gpPt1'/>\n"
		"<use xlink:href='#gpPt1'/><g fill=\"url(#p)\"><text>a id='b' </text></g>"
		"\n</g>\n</svg>\n";
	char buf[600];
	FILE *f = fmemopen(buf, sizeof(buf), "w");

	(void)state;
	html_svg(f, svg, "lat", "<1>");
	fclose(f);
	assert_string_equal(buf,
			    "<svg role=\"img\" aria-label=\"&lt;1&gt;\" width=\"9\"\n "
			    "xmlns=\"x\"><g id=\"lat-canvas\"><path id='lat-gpPt1'/>"
			    "<use xlink:href='#lat-gpPt1'/><g fill=\"url(#lat-p)\">"
			    "<text>a id='b' </text></g></g></svg>\n");
}

/* ---- pages ---- */

static void test_run(void **state)
{
	static const char *const captions[] = {
		"Wakeup latency by class",
		"Phases of wakeups of an idle CPU",
		"What woke the tasks",
		"The slowest wakeups",
		"Idle states",
		"What ended the idle periods",
		"What wrong states cost",
		"How late hrtimers expired",
		"Loss",
	};

	(void)state;
	for (size_t i = 0; i < FIXTURES; i++) {
		struct fixture fixture;
		json_t *run;
		char *html;

		report_fixtures[i](&fixture);
		run = report_document(&fixture.results);
		html = page(html_run, run);
		for (size_t c = 0; !i && c < sizeof(captions) / sizeof(captions[0]);
		     c++) {
			char caption[80];

			snprintf(caption, sizeof(caption), "<caption>%s</caption>",
				 captions[c]);
			assert_has(html, caption);
		}
		free(html);
		json_decref(run);
		fixture_free(&fixture);
	}
}

static void test_untraced(void **state)
{
	json_t *run = run_fixture();
	char *html;

	(void)state;
	run_fixture_set(run, "wakeups", json_null());
	run_fixture_set(run, "idle", json_null());
	run_fixture_set(run, "traced", json_false());
	html = page(html_run, run);
	assert_has(html, "not traced");
	assert_null(strstr(html, "Wakeup latency by class"));
	free(html);
	json_decref(run);
}

/* Names come from whoever may name a task, a command, a file. */
static void test_evil(void **state)
{
	json_t *run = run_fixture();
	char *html;

	(void)state;
	run_fixture_set(run, "workload.name", json_string(EVIL));
	run_fixture_set(run, "tool.args", json_string(EVIL));
	run_fixture_set(run, "host.kernel", json_string(EVIL));
	json_object_set_new(run, "slowest",
			    json_pack("[{s:s, s:i, s:i, s:s, s:s, s:{s:s}}]", "comm",
				      EVIL, "latency", 1, "pid", 1, "class", EVIL,
				      "source", EVIL, "waker", "comm", EVIL));
	html = page(html_run, run);
	assert_has(html, "&lt;/td&gt;&lt;script&gt;alert(&quot;1&quot;)");
	free(html);
	json_decref(run);
}

static void test_without_gnuplot(void **state)
{
	json_t *run = run_fixture();
	char *html;

	(void)state;
	plots.no_gnuplot = true;
	html = page(html_run, run);
	plots.no_gnuplot = false;
	assert_has(html, "Pictures need gnuplot");
	assert_null(strstr(html, "<figure>"));
	free(html);
	json_decref(run);
}

/* Pictures that were drawn are in the page, each once. */
static void test_picture(void **state)
{
	json_t *run = run_fixture();
	char *html;

	(void)state;
	assert_int_equal(plots_open(&plots, tree_root), 0);
	tree_put("<?xml?><svg width='1'><g id='c'><text>t</text></g></svg>", "/idle.svg");
	plots.nr = 1;
	strcpy(plots.drawn[0].name, "idle");
	strcpy(plots.drawn[0].title, EVIL);
	html = page(html_run, run);
	assert_has(html, "<figure><svg role=\"img\" aria-label=\"&lt;/td&gt;");
	assert_has(html, "<g id='idle-c'>");
	free(html);
	plots_close(&plots);
	json_decref(run);
}

static void test_sweep(void **state)
{
	json_t *run = run_fixture();
	json_t *doc = json_pack(
		"{s:s, s:{s:s}, s:s, s:i, s:[{s:s, s:s, s:b}], s:[{s:s, s:{s:s}, s:b, "
		"s:[O]}, {s:s, s:{s:s}, s:s, s:[]}]}",
		"schema", "idletrace.sweep/1", "tool", "args", "idletrace sweep x",
		"metric", "usecs_per_loop", "points_asked", 2, "axes", "option", "work",
		"unit", "ns", "updown", 0, "points", "name", "work=1us", "values", "work",
		"1us", "back", 0, "runs", run, "name", "work=5us", "values", "work",
		"5us", "error", EVIL, "runs");
	char *html;

	(void)state;
	assert_non_null(doc);
	html = page(html_sweep, doc);
	assert_has(html, "<h1>pingpong over work</h1>");
	assert_has(html, "<caption>Points</caption>");
	assert_has(html, "<th scope=\"row\">1us</th><td>6.500</td>");
	assert_has(html, "<pre>idletrace sweep x</pre>");
	assert_has(html, "Failed at work=5us: &lt;");
	free(html);
	json_decref(doc);
	json_decref(run);
}

static void add_side(struct comparison *c, const char *side, double usecs)
{
	json_t *run = run_fixture(), *runs;

	run_fixture_metric(run, 0, usecs);
	runs = json_pack("[o]", run);
	assert_int_equal(comparison_add(c, side, "", runs, err, sizeof(err)), 0);
	json_decref(runs);
}

static void test_comparison(void **state)
{
	struct comparison c;
	struct html_comparison what = {
		.comparison = &c, .format = &format_nayak, .args = EVIL};
	char *html;

	(void)state;
	comparison_init(&c);
	add_side(&c, "a", 6);
	add_side(&c, "a", 8);
	add_side(&c, EVIL, 14);
	assert_int_equal(comparison_finish(&c, NULL, err, sizeof(err)), 0);
	html = page(html_comparison, &what);
	assert_has(html, "usecs_per_loop, us: lower is better</th>");
	assert_has(html, "<th scope=\"row\">a</th><td>2</td><td>7.000</td>");
	assert_has(html, "<td>+100.0%</td>");
	/* The format asked for is there, as it is printed. */
	assert_has(html, "<h2>To paste</h2>");
	assert_has(html, "1.00 [");
	free(html);
	what.format = &format_native;
	html = page(html_comparison, &what);
	assert_null(strstr(html, "To paste"));
	free(html);
	comparison_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_svg),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_untraced),
		cmocka_unit_test(test_evil),
		cmocka_unit_test(test_without_gnuplot),
		cmocka_unit_test_setup_teardown(test_picture, tree_setup, tree_teardown),
		cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_comparison),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
