// SPDX-License-Identifier: GPL-2.0
/* Pictures within a page: gnuplot's SVG, made fit for having others beside it. */
#include "html.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_MAX 600000 /* of the pictures in one place */

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static const char *after(const char *text, const char *end)
{
	const char *found = strstr(text, end);

	return found ? found + strlen(end) : text + strlen(text);
}

static size_t blanks(const char *text)
{
	return strspn(text, " \t\r\n");
}

/* What says nothing: names for tooltips, and groups that nothing was drawn in. */
static const char *skip(const char *at)
{
	const char *end;

	if (begins(at, "<title"))
		return after(at, "</title>");
	if (begins(at, "<desc"))
		return after(at, "</desc>");
	if (!begins(at, "<g ") && !begins(at, "<g>"))
		return at;
	end = at + strcspn(at, ">");
	end += *end == '>';
	end += blanks(end);
	return begins(end, "</g>") ? end + 4 : at;
}

/* Length of what comes before a name that is unique only within one picture. */
static size_t before_name(const char *at)
{
	static const char *const befores[] = {" id='", " id=\"", "href='#", "href=\"#",
					      "url(#"};

	for (size_t i = 0; i < sizeof(befores) / sizeof(befores[0]); i++)
		if (begins(at, befores[i]))
			return strlen(befores[i]);
	return 0;
}

/* One character, or more of them that belong together; returns what follows. */
static const char *copy(FILE *f, const char *at, bool in_tag, const char *prefix)
{
	size_t len = in_tag ? before_name(at) : 0;

	if (!len) {
		fputc(*at, f);
		return at + 1;
	}
	fwrite(at, 1, len, f);
	fprintf(f, "%s-", prefix);
	return at + len;
}

void html_svg(FILE *f, const char *svg, const char *prefix, const char *title)
{
	const char *at = after(svg, "<svg"), *next;
	bool in_tag = true;

	fputs("<svg role=\"img\" aria-label=\"", f);
	html_text(f, title);
	fputs("\"", f);
	while (*at) {
		next = skip(at);
		if (next != at) {
			at = next;
			continue;
		}
		/* Between two tags there is nothing but the order of the source. */
		if (!in_tag && at[-1] == '>' && at[blanks(at)] == '<' && blanks(at)) {
			at += blanks(at);
			continue;
		}
		in_tag = *at == '<' || (in_tag && *at != '>');
		at = copy(f, at, in_tag, prefix);
	}
}

/* The file's text, to be freed; NULL: it cannot be read. */
static char *read_svg(const struct plots *plots, const char *name)
{
	char path[PATH_MAX + PLOTS_NAME + 8], *text = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.svg", plots->dir, name);
	f = fopen(path, "re");
	if (!f)
		return NULL;
	if (getdelim(&text, &size, '\0', f) <= 0) {
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

/* Returns the bytes that it took. */
static size_t picture(FILE *f, const struct plots *plots, const struct plots_drawn *drawn)
{
	char *svg = read_svg(plots, drawn->name);
	size_t len = svg ? strlen(svg) : 0;

	if (svg) {
		fputs("<figure>", f);
		html_svg(f, svg, drawn->name, drawn->title);
		fputs("</figure>\n", f);
	}
	free(svg);
	return len;
}

void html_pictures(FILE *f, const struct plots *plots, const char *prefix)
{
	size_t bytes = 0;
	unsigned int more = 0;

	for (unsigned int i = 0; i < plots->nr; i++) {
		if (!begins(plots->drawn[i].name, prefix))
			continue;
		if (bytes < BYTES_MAX)
			bytes += picture(f, plots, &plots->drawn[i]);
		else
			more++;
	}
	if (more)
		html_note(f, "%u more pictures are drawn by --plot.", more);
}

void html_no_pictures(FILE *f, const struct plots *plots)
{
	if (plots->no_gnuplot)
		html_note(f,
			  "Pictures need gnuplot, which is not installed here (Debian, "
			  "Ubuntu: apt install gnuplot-nox).");
	else if (plots->err[0])
		html_note(f, "Pictures are missing: %s.", plots->err);
}
