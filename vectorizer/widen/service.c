/* SPDX-License-Identifier: MIT */
/* Widening of what the runtime does for kernels, printf and the services of spirv/pipe.h: the words of all
 * lanes to a table, one call of the runtime for the lanes that are active.
 *
 * The table is a piece of the work-group's scratch, column after column, a row to a lane (lw_print_function
 * and lw_service_function in src/compiler.h). The runtime takes the rows in increasing order, so that lanes
 * print as work-items do that run one after the other up to the next printf.
 *
 * Enters: a call of lw.printf or lw.service. Leaves: its value for each lane. Never: acts for a lane that is
 * not active.
 */
#include <string.h>

#include "../../spirv/attributes.h"
#include "../../spirv/pipe.h"
#include "../../src/compiler.h"
#include "../subgroup/group_collectives.h"
#include "../lanes/internal.h"
#include "widener.h"

V
lw_call_runtime(lw_widener *w, const char *query, LLVMTypeRef result, V what, V bits, unsigned width, V table)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(w->l.context, 0), i64 = LLVMInt64TypeInContext(w->l.context);
    LLVMTypeRef types[] = {LLVMTypeOf(what), i64, LLVMInt32TypeInContext(w->l.context), ptr};
    V args[] = {what, bits, lane_int(&w->l, 32, width), table};
    V function = lw_call_declared(w, query, ptr, NULL, 0);
    V call = LLVMBuildCall2(w->l.builder, LLVMFunctionType(result, types, 4, false), function, args, 4, "");
    lw_add_call_attributes(call, "nounwind willreturn");
    return call;
}

/* Lanes that failed. */
static V
print_lanes(lw_widener *w, LLVMValueRef i, V bits, V table)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(w->l.context, 0), i64 = LLVMInt64TypeInContext(w->l.context);
    V types = LLVMBuildAddrSpaceCast(w->l.builder, lw_use_scalar(w, LLVMGetOperand(i, 0)), ptr, "");
    return lw_call_runtime(w, "lw.printer", i64, types, bits, w->l.n, table);
}

V
lw_service_table(lw_widener *w, unsigned bytes)
{
    if (!w->service_table)
        w->service_table = ++w->scratch; /* one for all: it is read at once */
    V piece[] = {lane_int(&w->l, 32, w->service_table - 1), lane_int(&w->l, 32, bytes)};
    return lw_call_declared(w, "lw.group_scratch", LLVMPointerTypeInContext(w->l.context, 0), piece, 2);
}

/* All operands but the first, to the table. */
static V
fill_table(lw_widener *w, LLVMValueRef i)
{
    lw_lanes *l = &w->l;
    LLVMBuilderRef b = l->builder;
    unsigned count = LLVMGetNumArgOperands(i) - 1;
    V table = lw_service_table(w, count * l->n * 8);
    for (unsigned k = 0; k < count; k++) {
        V at = lane_int(l, 64, (uint64_t)k * l->n * 8);
        V place = LLVMBuildGEP2(b, LLVMInt8TypeInContext(l->context), table, &at, 1, "");
        V store = LLVMBuildStore(b, lw_use_vector(w, LLVMGetOperand(i, k + 1), 0), place);
        LLVMSetAlignment(store, l->n * 8 < 64 ? l->n * 8 : 64);
    }
    return table;
}

V
lw_active_bits(lw_widener *w)
{
    return lane_mask_bits64(&w->l, w->mask ? w->mask : lane_all_true(&w->l));
}

void
lw_widen_printf(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    (void)row;
    lw_lanes *l = &w->l;
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    V bits = lw_active_bits(w);

    lw_report_note(w->report, i, "serialised", "printf: lane after lane");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), print = lw_lane_block(l, "print");
    LLVMBasicBlockRef printed = lw_lane_block(l, "printed");
    /* In front of the branch: what makes the vectors serves the code behind it too. */
    V table = fill_table(w, i);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, bits, LLVMConstNull(i64), ""), print, printed);
    LLVMPositionBuilderAtEnd(b, print);
    V failed = print_lanes(w, i, bits, table);
    LLVMBuildBr(b, printed);
    LLVMPositionBuilderAtEnd(b, printed);
    failed = lw_lane_phi2(l, LLVMConstNull(i64), before, failed, print);
    V lanes = LLVMBuildShl(b, lane_splat(l, lane_int(l, 64, 1)), lane_iota(l, i64), "");
    V some = LLVMBuildAnd(b, lane_splat(l, failed), lanes, "");
    V wrong = LLVMBuildICmp(b, LLVMIntNE, some, LLVMConstNull(LLVMTypeOf(some)), "");
    lw_define_leaf(w, i, 0, LLVMBuildSExt(b, wrong, lane_type(l, LLVMInt32TypeInContext(l->context)), ""));
}

/* Lanes for which nothing is to be done: a reservation of no packets, the commit of none. Groups have one
 * lane that acts for all. The answer is 0. */
static V
acting_lanes(lw_widener *w, LLVMValueRef i)
{
    uint64_t service = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0));
    if (service >= LW_SERVICE_PIPE_COUNT)
        return w->mask;
    V word = lw_use_vector(w, LLVMGetOperand(i, 2), 0);
    V some = LLVMBuildICmp(w->l.builder, LLVMIntNE, word, LLVMConstNull(LLVMTypeOf(word)), "");
    return lane_and(&w->l, w->mask, LLVMBuildFreeze(w->l.builder, some, ""));
}

/* The results take the first column's place; what stands there for lanes that are not active is never looked
 * at. */
void
lw_widen_service(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    (void)row;
    lw_lanes *l = &w->l;
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef words = lane_type(l, LLVMInt64TypeInContext(l->context));
    V acting = acting_lanes(w, i), mask = acting ? acting : lane_all_true(l),
      bits = lane_mask_bits64(l, mask);
    V table = fill_table(w, i), any = LLVMBuildICmp(b, LLVMIntNE, bits, lane_int(l, 64, 0), "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), serve = lw_lane_block(l, "serve");
    LLVMBasicBlockRef served = lw_lane_block(l, "served");
    LLVMBuildCondBr(b, any, serve, served);
    LLVMPositionBuilderAtEnd(b, serve);
    lw_call_runtime(w, "lw.server", LLVMVoidTypeInContext(l->context), LLVMGetOperand(i, 0), bits, l->n,
                    table);
    V results = LLVMBuildLoad2(b, words, table, "");
    LLVMSetAlignment(results, l->n * 8 < 64 ? l->n * 8 : 64);
    if (acting != w->mask)
        results = LLVMBuildSelect(b, mask, results, LLVMConstNull(words), "");
    LLVMBuildBr(b, served);
    LLVMPositionBuilderAtEnd(b, served);
    results = lw_lane_phi2(l, results, serve, LLVMConstNull(words), before);
    lw_report_note(w->report, i, "runtime", "one call of the runtime for all lanes");
    lw_define_leaf(w, i, 0, results);
}

/* ---- turns ---- */

/* Has the sub-group looked at memory often enough? Counted here, so that loops of few rounds call nobody. */
static V
has_looked(lw_widener *w, V any)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(w->l.context);

    if (!w->looks) {
        w->looks = LLVMBuildAlloca(w->alloca_builder, i32, "looks");
        LLVMBuildStore(w->alloca_builder, lane_int(&w->l, 32, 0), w->looks);
    }
    V looks = LLVMBuildLoad2(b, i32, w->looks, "");
    looks = LLVMBuildAdd(b, looks, LLVMBuildZExt(b, any, i32, ""), "");
    LLVMBuildStore(b, looks, w->looks);
    V over = LLVMBuildAnd(b, looks, lane_int(&w->l, 32, LW_LOOKS - 1), "");
    return LLVMBuildAnd(b, any, LLVMBuildICmp(b, LLVMIntEQ, over, lane_int(&w->l, 32, 0), ""), "");
}

/* Waits where some lane goes round, now and then. A function that is kept knows nothing of its last call:
 * there the runtime counts. */
void
lw_widen_yield(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    (void)row;
    LLVMBuilderRef b = w->l.builder;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(w->l.context), ptr = LLVMPointerTypeInContext(w->l.context, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(w->l.context), &i32, 1, false);
    LLVMBasicBlockRef wait = lw_lane_block(&w->l, "wait"), waited = lw_lane_block(&w->l, "waited");
    V round = lw_use_vector(w, LLVMGetOperand(i, 0), 0);
    V any = lane_any(&w->l, lane_and(&w->l, w->mask, LLVMBuildFreeze(b, round, "")));
    V what = lane_int(&w->l, 32, w->m->instance ? LW_WAIT_LOOK : LW_WAIT_MEMORY);

    LLVMBuildCondBr(b, w->m->instance ? any : has_looked(w, any), wait, waited);
    LLVMPositionBuilderAtEnd(b, wait);
    V call = LLVMBuildCall2(b, type, lw_call_declared(w, "lw.waiter", ptr, NULL, 0), &what, 1, "");
    lw_add_call_attributes(call, "nounwind cold");
    LLVMBuildBr(b, waited);
    LLVMPositionBuilderAtEnd(b, waited);
    lw_report_note(w->report, i, "loop", "%s",
                   w->by_item ? "waits: work-items take turns" : "waits: sub-groups take turns");
}
