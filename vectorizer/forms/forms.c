/* SPDX-License-Identifier: MIT */
/* Loads and stores, each in the first form of the table (forms.def) that it has.
 *
 * Enters: a load or store of the block being widened, what it needs widened. Leaves: the access of all active
 * lanes, and a note of its form. Relies on: the mask of the block being w->mask. Never: touches memory for a
 * lane that is not active, but private memory.
 */
#include "forms.h"

#include <stdlib.h>
#include <string.h>

#include "../facts/memory_effects.h"
#include "../widen/widener.h"

/* Are the leaves of the access alike and packed, so that lane records of `stride` bytes tile memory? */
static bool
tiles(lw_widener *w, const struct lw_access *a, int64_t stride)
{
    struct lw_leaf first = lw_leaf_at(w, a->type, 0);
    for (uint32_t k = 0; k < a->leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, a->type, k);
        if (leaf.type != first.type || leaf.offset != k * first.size)
            return false;
    }
    return stride == (int64_t)(a->leaves * first.size);
}

static enum lw_reach
reach_of(lw_widener *w, const struct lw_access *a)
{
    struct lw_vinfo info = lw_info(w, a->pointer);
    if (info.form == LW_UNIFORM)
        return LW_REACH_UNIFORM;
    if (info.form != LW_STRIDED || !info.linear)
        return LW_REACH_GATHERED;
    if (a->leaves == 1 && info.stride == (int64_t)lw_leaf_at(w, a->type, 0).size)
        return LW_REACH_CONTIGUOUS;
    if (a->leaves > 1 && a->leaves <= 16 && tiles(w, a, info.stride))
        return LW_REACH_INTERLEAVED;
    return LW_REACH_GATHERED;
}

static struct lw_access
access_of(lw_widener *w, LLVMValueRef i)
{
    struct lw_access a = {.access = i, .pointer = lw_address_of(i), .type = LLVMTypeOf(lw_moved_by(i))};
    a.value = LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : NULL;
    a.leaves = lw_leaf_count(w, a.type);
    a.align = LLVMGetAlignment(i);
    a.reach = reach_of(w, &a);
    return a;
}

enum lw_reach
lw_reach_of(lw_widener *w, LLVMValueRef i)
{
    return access_of(w, i).reach;
}

static void
tell(lw_widener *w, const struct lw_access *a, const char *words)
{
    if (words)
        lw_report_note(w->report, a->access, "memory", "%s: %s%s", a->value ? "store" : "load", words,
                       w->may_be_empty ? ", masked" : "");
}

#define ANY true
#define UNIFORM (a.reach == LW_REACH_UNIFORM)
#define CONTIGUOUS (a.reach == LW_REACH_CONTIGUOUS)
#define INTERLEAVED (a.reach == LW_REACH_INTERLEAVED)
#define GATHERED (a.reach == LW_REACH_GATHERED)
#define ONE (a.leaves == 1)
#define VARYING (lw_info(w, a.pointer).form == LW_VARYING)
#define TOLD NULL
#define HOW a.how
#define ASK(id, applies, write, words)                                                                       \
    if (lw_has_form(w, LW_FORM_##id) && (applies) && write(w, &a)) {                                         \
        tell(w, &a, words);                                                                                  \
        return;                                                                                              \
    }
#define FORM(id, name, left_out)

void
lw_widen_load(lw_widener *w, LLVMValueRef i)
{
    struct lw_access a = access_of(w, i);
#define LOAD ASK
#define STORE(id, applies, write, words)
#include "forms.def"
#undef LOAD
#undef STORE
}

void
lw_widen_store(lw_widener *w, LLVMValueRef i)
{
    struct lw_access a = access_of(w, i);
#define LOAD(id, applies, write, words)
#define STORE ASK
#include "forms.def"
#undef FORM
#undef STORE
}

/* ---- all of them ---- */

#define OPTIONAL true
#define NEEDED false
#define FORM(id, name, left_out) {name, left_out},
#define STORE(id, applies, write, words)
static const struct {
    const char *name;
    bool optional;
} forms[LW_FORM_COUNT] = {
#include "forms.def"
};

const char *
lw_form_name(enum lw_form_id form, bool *optional)
{
    *optional = forms[form].optional;
    return forms[form].name;
}

uint32_t
lw_forms_named(const char *names)
{
    uint32_t set = 0;
    for (const char *at = names; at && *at; at += strcspn(at, ","), at += *at == ',')
        for (unsigned k = 0; k < LW_FORM_COUNT; k++)
            if (strlen(forms[k].name) == strcspn(at, ",") && !strncmp(at, forms[k].name, strcspn(at, ",")))
                set |= forms[k].optional ? UINT32_C(1) << k : 0;
    return set;
}

bool
lw_has_form(const lw_widener *w, enum lw_form_id form)
{
    return !(w->left_out >> form & 1);
}

void *
lw_form_state(lw_widener *w, enum lw_form_id form, size_t bytes)
{
    if (!w->forms[form])
        w->forms[form] = lw_arena_alloc(w->arena, 1, bytes);
    return w->forms[form];
}

void
lw_forms_open(lw_widener *w)
{
    if (lw_has_form(w, LW_FORM_PIECES))
        lw_pieces_open(w);
    if (lw_has_form(w, LW_FORM_STREAMS))
        lw_streams_open(w);
    if (lw_has_form(w, LW_FORM_ROWS))
        lw_rows_open(w);
    if (lw_has_form(w, LW_FORM_IN_ORDER))
        lw_in_order_open(w);
}

void
lw_forms_close(lw_widener *w)
{
    lw_pieces_close(w);
    lw_rows_close(w);
}
