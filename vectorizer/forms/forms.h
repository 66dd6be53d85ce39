/* SPDX-License-Identifier: MIT */
/* The forms of memory access (forms.def): what the writer asks of them all, and what each has. */
#ifndef LW_VECTORIZER_FORMS_H
#define LW_VECTORIZER_FORMS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lw_widener;

enum lw_form_id {
#define FORM(id, name, left_out) LW_FORM_##id,
#define LOAD(id, applies, write, words)
#define STORE(id, applies, write, words)
#include "forms.def"
#undef FORM
#undef LOAD
#undef STORE
    LW_FORM_COUNT
};

/* How the lanes' addresses lie, by their facts. */
enum lw_reach { LW_REACH_UNIFORM, LW_REACH_CONTIGUOUS, LW_REACH_INTERLEAVED, LW_REACH_GATHERED };

/* A load or store that is being written. */
struct lw_access {
    LLVMValueRef access, pointer;
    LLVMValueRef value; /* that is stored; NULL: a load */
    LLVMTypeRef type;
    uint32_t leaves;
    unsigned align;
    enum lw_reach reach;
    const char *how; /* words of the form that took it */
};

/* Those of the table. */
#define FORM(id, name, left_out)
#define LOAD(id, applies, write, words) bool write(struct lw_widener *w, struct lw_access *a);
#define STORE(id, applies, write, words) bool write(struct lw_widener *w, struct lw_access *a);
#include "forms.def"
#undef FORM
#undef LOAD
#undef STORE

enum lw_reach lw_reach_of(struct lw_widener *w, LLVMValueRef access);

/* Is the form not left out? */
bool lw_has_form(const struct lw_widener *w, enum lw_form_id form);
/* A form's own state: zeros when it is first asked for, gone with the widener. */
void *lw_form_state(struct lw_widener *w, enum lw_form_id form, size_t bytes);
/* Those that look at the whole function before it is written. */
void lw_forms_open(struct lw_widener *w);
/* What is not in the widener's arena. */
void lw_forms_close(struct lw_widener *w);

/* A set of forms, a bit each: those of the names, which stand between commas. */
uint32_t lw_forms_named(const char *names);
const char *lw_form_name(enum lw_form_id form, bool *optional);

#endif
