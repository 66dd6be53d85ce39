/* SPDX-License-Identifier: MIT */
/* Places whose address has one term that differs between lanes: root + constant + uniform terms + scale *
 * term.
 *
 * Enters: a place (widener.h). Leaves: its term; addresses with a number in the term's stead. Relies on: the
 * place being exact.
 */
#include "../lanes/internal.h"
#include "lane_terms.h"

unsigned
lw_varying_term(lw_widener *w, const struct lw_place *p)
{
    unsigned found = LW_PLACE_TERMS;
    for (unsigned k = 0; k < p->terms; k++) {
        if (lw_info(w, p->term[k]).form == LW_UNIFORM)
            continue;
        if (found != LW_PLACE_TERMS)
            return LW_PLACE_TERMS;
        found = k;
    }
    return lw_info(w, p->root).form == LW_UNIFORM ? found : LW_PLACE_TERMS;
}

V
lw_address_at(lw_widener *w, const struct lw_place *p, unsigned term, V number)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMTypeRef i64 = lw_lane_int_type(&w->l, 64);
    V sum = lane_int(&w->l, 64, p->constant);
    for (unsigned k = 0; k < p->terms; k++) {
        V value = k == term ? number : lw_use_scalar(w, p->term[k]);
        if (!value)
            continue;
        value = LLVMBuildIntCast2(b, value, i64, p->extension[k] != LLVMZExt, "");
        sum = LLVMBuildAdd(b, sum, LLVMBuildMul(b, value, lane_int(&w->l, 64, p->scale[k]), ""), "");
    }
    return lw_lane_gep(&w->l, lw_lane_int_type(&w->l, 8), lw_use_scalar(w, p->root), sum);
}

V
lw_run_from_first(lw_widener *w, const struct lw_place *p, unsigned term, unsigned length, V *first, V *lanes)
{
    lw_lanes *l = &w->l;
    LLVMOpcode extension = p->extension[term];
    *lanes = LLVMBuildFreeze(l->builder, lw_use_vector(w, p->term[term], 0), "");
    *first = LLVMBuildExtractElement(l->builder, *lanes, lane_int(l, 32, 0), "");
    if (extension == LLVMAdd)
        return lane_int(l, 1, 1);
    bool sign = extension == LLVMSExt;
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(*first));
    int64_t end = (int64_t)(~0ull >> (64 - bits + sign)) - (int64_t)(length - 1);
    return LLVMBuildICmp(l->builder, sign ? LLVMIntSLE : LLVMIntULE, *first, lane_int(l, bits, end), "");
}
