// SPDX-License-Identifier: GPL-2.0
#include "html.h"

#include <stdarg.h>
#include <string.h>

#include "version.h"

#define TEXT_MAX 8192

/* ---- text ---- */

/* Length of the UTF-8 sequence at text that HTML can have, 0: none. */
static size_t sequence(const unsigned char *text)
{
	size_t len = *text < 0x80   ? 1
		     : *text < 0xc2 ? 0
		     : *text < 0xe0 ? 2
		     : *text < 0xf0 ? 3
		     : *text < 0xf5 ? 4
				    : 0;

	for (size_t i = 1; i < len; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if (len == 1 && *text < ' ' && !strchr("\t\n\r", *text))
		return 0;
	return *text == 0x7f ? 0 : len;
}

void html_text(FILE *f, const char *text)
{
	for (size_t len; *text; text += len) {
		len = sequence((const unsigned char *)text);
		switch (*text) {
		case '&': fputs("&amp;", f); break;
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '"': fputs("&quot;", f); break;
		case '\'': fputs("&#39;", f); break;
		default: fwrite(len ? text : "?", 1, len ? len : 1, f);
		}
		len = len ? len : 1;
	}
}

static void text_va(FILE *f, const char *fmt, va_list args)
{
	char text[TEXT_MAX];

	vsnprintf(text, sizeof(text), fmt, args);
	html_text(f, text);
}

/* begin TEXT end: the text is escaped, the rest is ours. */
#define PUT_FORMATTED(f, begin, end)   \
	do {                           \
		va_list args;          \
                                       \
		fputs(begin, f);       \
		va_start(args, fmt);   \
		text_va(f, fmt, args); \
		va_end(args);          \
		fputs(end, f);         \
	} while (0)

void html_element(FILE *f, const char *tag, const char *fmt, ...)
{
	fprintf(f, "<%s>", tag);
	PUT_FORMATTED(f, "", "</");
	fprintf(f, "%.*s>\n", (int)strcspn(tag, " "), tag);
}

/* ---- tables ---- */

static unsigned int group_span(const struct html_column *columns, unsigned int nr,
			       unsigned int first)
{
	unsigned int span = 1;

	while (first + span < nr && !columns[first + span].group)
		span++;
	return span;
}

static void group_row(FILE *f, const struct html_column *columns, unsigned int nr)
{
	unsigned int span;

	fputs("<tr>", f);
	for (unsigned int i = 0; i < nr; i += span) {
		const char *group = columns[i].group ? columns[i].group : "";

		span = group_span(columns, nr, i);
		fprintf(f, "<%s colspan=\"%u\"%s>", *group ? "th" : "td", span,
			*group ? " scope=\"colgroup\" class=\"group\"" : "");
		html_text(f, group);
		fprintf(f, "</%s>", *group ? "th" : "td");
	}
	fputs("</tr>\n", f);
}

void html_table_begin(FILE *f, const char *caption, const struct html_column *columns,
		      unsigned int nr)
{
	bool grouped = false;

	for (unsigned int i = 0; i < nr; i++)
		grouped |= columns[i].group != NULL;
	fputs("<div class=\"wide\"><table>\n", f);
	html_element(f, "caption", "%s", caption);
	fputs("<thead>\n", f);
	if (grouped)
		group_row(f, columns, nr);
	fputs("<tr>", f);
	for (unsigned int i = 0; i < nr; i++) {
		fprintf(f, "<th scope=\"col\"%s>",
			columns[i].text ? " class=\"text\"" : "");
		html_text(f, columns[i].name);
		fputs("</th>", f);
	}
	fputs("</tr>\n</thead>\n<tbody>\n", f);
}

void html_table_end(FILE *f)
{
	fputs("</tbody>\n</table></div>\n", f);
}

void html_row(FILE *f, bool strong, const char *fmt, ...)
{
	fputs(strong ? "<tr class=\"sum\">" : "<tr>", f);
	PUT_FORMATTED(f, "<th scope=\"row\">", "</th>");
}

void html_row_end(FILE *f)
{
	fputs("</tr>\n", f);
}

void html_group(FILE *f, unsigned int columns, const char *fmt, ...)
{
	fprintf(f,
		"</tbody>\n<tbody>\n<tr><th class=\"head\" scope=\"rowgroup\" "
		"colspan=\"%u\">",
		columns);
	PUT_FORMATTED(f, "", "</th></tr>\n");
}

void html_remark(FILE *f, unsigned int columns, const char *fmt, ...)
{
	fprintf(f, "<tr><td class=\"text remark\" colspan=\"%u\">", columns);
	PUT_FORMATTED(f, "", "</td></tr>\n");
}

void html_cell(FILE *f, const char *fmt, ...)
{
	PUT_FORMATTED(f, "<td>", "</td>");
}

void html_text_cell(FILE *f, const char *fmt, ...)
{
	PUT_FORMATTED(f, "<td class=\"text\">", "</td>");
}

void html_ns_cell(FILE *f, const json_t *ns, struct unit unit)
{
	char text[UNITS_TEXT_MAX] = "-";

	if (json_is_number(ns))
		format_in(json_number_value(ns), unit, text, sizeof(text));
	html_cell(f, "%s", text);
}

void html_count_cell(FILE *f, const json_t *count)
{
	char text[UNITS_TEXT_MAX] = "-";

	if (json_is_integer(count) && json_integer_value(count) >= 0)
		format_count((u64)json_integer_value(count), text, sizeof(text));
	html_cell(f, "%s", text);
}

void html_share_cell(FILE *f, const json_t *part, const json_t *whole)
{
	char text[UNITS_TEXT_MAX] = "-";

	if (json_is_integer(part) && json_is_integer(whole))
		format_share((u64)json_integer_value(part),
			     (u64)json_integer_value(whole), text, sizeof(text));
	html_cell(f, "%s", text);
}

/* ---- lists ---- */

void html_pairs_begin(FILE *f)
{
	fputs("<dl>\n", f);
}

void html_keys_begin(FILE *f)
{
	fputs("<dl class=\"keys\">\n", f);
}

void html_pair(FILE *f, const char *what, const char *fmt, ...)
{
	fputs("<div><dt>", f);
	html_text(f, what);
	PUT_FORMATTED(f, "</dt><dd>", "</dd></div>\n");
}

void html_pairs_end(FILE *f)
{
	fputs("</dl>\n", f);
}

/* ---- the page ---- */

void html_page_begin(FILE *f, const char *title, const char *below, const char *date)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, "
	      "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n",
	      f);
	html_element(f, "title", "%s - idletrace", title);
	fprintf(f, "<style>\n%s</style>\n</head>\n<body>\n<header>\n", html_style);
	html_element(f, "p class=\"tool\"", "idletrace %s%s%s", IDLETRACE_VERSION,
		     *date ? ", " : "", date);
	html_element(f, "h1", "%s", title);
	html_element(f, "p class=\"below\"", "%s", below);
	fputs("</header>\n<main>\n", f);
}

void html_warning(FILE *f, const char *fmt, ...)
{
	PUT_FORMATTED(f, "<p class=\"warning\">", "</p>\n");
}

void html_page_end(FILE *f)
{
	fputs("</main>\n</body>\n</html>\n", f);
}

void html_section(FILE *f, const char *title)
{
	fputs("<section>\n", f);
	html_element(f, "h2", "%s", title);
}

void html_section_end(FILE *f)
{
	fputs("</section>\n", f);
}

void html_note(FILE *f, const char *fmt, ...)
{
	PUT_FORMATTED(f, "<p class=\"note\">", "</p>\n");
}

void html_verbatim(FILE *f, const char *text)
{
	fputs("<pre>", f);
	html_text(f, text);
	fputs("</pre>\n", f);
}
