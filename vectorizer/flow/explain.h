/* SPDX-License-Identifier: MIT */
/* The vectorizer's report: what each source line or instruction became. Collected while widening, written as
 * JSON. */
#ifndef LW_VECTORIZER_EXPLAIN_H
#define LW_VECTORIZER_EXPLAIN_H

#include <stdbool.h>
#include <llvm-c/Core.h>

struct lw_report; /* one per compilation, one thread */

struct lw_report *lw_report_create(void); /* NULL: no memory */
void lw_report_free(struct lw_report *report);
/* Notes `what` (printf) about `instruction`, whose debug location says where. `kind`: "memory", "branch",
 * "loop", "call", "collective", "math", "serialised", "private", "argument". NULL report: nothing. */
void lw_report_note(struct lw_report *report, LLVMValueRef instruction, const char *kind, const char *what,
                    ...) __attribute__((format(printf, 4, 5)));
/* Counts `instruction` for its line: one over all lanes, or one for all of them together. */
void lw_report_lanes(struct lw_report *report, LLVMValueRef instruction, bool vector);
/* {"lanes":16,"isa":"avx512",...,"notes":[{"file","line","kind","text","count"},...],
 * "lines":[{"file","line","kind","count"},...]}, sorted by line, equal ones merged; kinds of lines: "vector",
 * "scalar". malloc'd. */
char *lw_report_json(const struct lw_report *report, const char *kernel, unsigned lanes, const char *isa);

#endif
