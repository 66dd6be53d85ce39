/* SPDX-License-Identifier: MIT */
/* The vectorizer's report (docs/explain.md) as text, for spirv-run --explain and LANEWISE_EXPLAIN. */
#ifndef LW_SRC_REPORT_TEXT_H
#define LW_SRC_REPORT_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* The text of a source file, malloc'd, NULL: it is not at hand. "<spirv>" is the module itself, a line for
 * each instruction that ends in its byte offset ("; 0x000000d4"). */
typedef char *lw_report_source(const void *data, const char *file);

/* The notes, under the source lines that they are about. */
void lw_report_print(FILE *out, const char *report, lw_report_source *source, const void *data);
/* A lw_report_source's answer where the source is a file. */
char *lw_report_read_file(const char *file);
/* The line of "<spirv>" about the instruction at this word; NULL: there is none. */
const char *lw_report_instruction(const char *text, unsigned long word, size_t *length);
/* A string of JSON, in its quotes. */
void lw_report_quote(FILE *out, const char *text);

#endif
