/* SPDX-License-Identifier: MIT */
/* Widening of printf: the arguments of all lanes to a table, one call of the runtime for the lanes that are
 * active.
 *
 * The table is a piece of the work-group's scratch, column after column, a row to a lane (lw_print_function
 * in src/compiler.h). The runtime prints the rows in increasing order, so that lanes print as work-items do
 * that run one after the other up to the next printf.
 *
 * Enters: a call of lw.printf. Leaves: its value for each lane. Never: prints for a lane that is not active.
 */
#include <string.h>

#include "../src/compiler.h"
#include "collectives.h"
#include "lanes_internal.h"
#include "widener.h"

static V
call_declared(lw_widener *w, const char *name, LLVMTypeRef result, V *args, unsigned count)
{
    LLVMTypeRef types[2];
    V function = LLVMGetNamedFunction(w->l.module, name);
    for (unsigned k = 0; k < count; k++)
        types[k] = LLVMTypeOf(args[k]);
    if (!function)
        function = LLVMAddFunction(w->l.module, name, LLVMFunctionType(result, types, count, false));
    return LLVMBuildCall2(w->l.builder, LLVMGlobalGetValueType(function), function, args, count, "");
}

static void
mark(lw_widener *w, V call, const char *attribute)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(w->l.context, kind, 0));
}

/* Lanes that failed. */
static V
print_lanes(lw_widener *w, LLVMValueRef i, V bits, V table)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMTypeRef ptr = LLVMPointerTypeInContext(w->l.context, 0), i64 = LLVMInt64TypeInContext(w->l.context);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(w->l.context), types[] = {ptr, i64, i32, ptr};
    V args[] = {LLVMBuildAddrSpaceCast(b, lw_use_scalar(w, LLVMGetOperand(i, 0)), ptr, ""), bits,
                lane_int(&w->l, 32, w->l.n), table};
    V printer = call_declared(w, "lw.printer", ptr, NULL, 0);
    V call = LLVMBuildCall2(b, LLVMFunctionType(i64, types, 4, false), printer, args, 4, "failed");
    mark(w, call, "nounwind");
    mark(w, call, "willreturn");
    return call;
}

void
lw_widen_printf(lw_widener *w, LLVMValueRef i)
{
    lw_lanes *l = &w->l;
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    unsigned count = LLVMGetNumArgOperands(i) - 1;
    if (!w->print_table)
        w->print_table = ++w->scratch; /* one for all: it is read at once */
    V piece[] = {lane_int(l, 32, w->print_table - 1), lane_int(l, 32, (uint64_t)count * l->n * 8)};
    V table = call_declared(w, "lw.group_scratch", LLVMPointerTypeInContext(l->context, 0), piece, 2);
    V bits = lane_mask_bits64(l, w->mask ? w->mask : lane_all_true(l));

    lw_report_note(w->report, i, "serialised", "printf: lane after lane");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), print = lw_lane_block(l, "print");
    LLVMBasicBlockRef printed = lw_lane_block(l, "printed");
    /* In front of the branch: what makes the vectors serves the code behind it too. */
    for (unsigned k = 0; k < count; k++) {
        V at = lane_int(l, 64, (uint64_t)k * l->n * 8);
        V place = LLVMBuildGEP2(b, LLVMInt8TypeInContext(l->context), table, &at, 1, "");
        V store = LLVMBuildStore(b, lw_use_vector(w, LLVMGetOperand(i, k + 1), 0), place);
        LLVMSetAlignment(store, l->n * 8 < 64 ? l->n * 8 : 64);
    }
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
