/* SPDX-License-Identifier: MIT */
/* Widening of calls: which file widens which, dot products, LLVM intrinsics.
 *
 * Enters: a call of an lw.* function (spirv/intrinsics.def), of a function that is kept (kept.h) or an
 * intrinsic; everything else was inlined.
 * Leaves: instructions over lanes; intrinsics over vectors.
 */
#include <string.h>

#include "../facts/elementwise.h"
#include "../facts/flags.h"
#include "../facts/kept.h"
#include "widener.h"

static bool
name_starts(const char *name, const char *prefix)
{
    return !strncmp(name, prefix, strlen(prefix));
}

V
lw_call_declared(lw_widener *w, const char *name, LLVMTypeRef result, V *args, unsigned count)
{
    LLVMTypeRef types[2];
    V function = LLVMGetNamedFunction(w->l.module, name);
    for (unsigned k = 0; k < count; k++)
        types[k] = LLVMTypeOf(args[k]);
    if (!function)
        function = LLVMAddFunction(w->l.module, name, LLVMFunctionType(result, types, count, false));
    return LLVMBuildCall2(w->l.builder, LLVMGlobalGetValueType(function), function, args, count, "");
}

static LLVMValueRef
operand(LLVMValueRef call, unsigned k)
{
    return LLVMGetOperand(call, k);
}

/* ---- dot products ---- */

void
lw_widen_dot(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    const char *signs = lw_called(i) + strlen("lw.") + strlen(row->name);
    bool vector = lw_is_varying(w, i);
    V a = vector ? lw_use_vector(w, operand(i, 0), 0) : lw_use_scalar(w, operand(i, 0));
    V b = vector ? lw_use_vector(w, operand(i, 1), 0) : lw_use_scalar(w, operand(i, 1));
    V made = lane_dot_4x8(&w->l, a, b, signs[0] == 's', signs[1] == 's');
    lw_define_leaf(w, i, 0, made);
}

/* ---- LLVM intrinsics ---- */

/* One leaf position of the operands through the vector form of the intrinsic. */
static V
call_vector_intrinsic(lw_widener *w, LLVMValueRef i, const struct lw_intrinsic *row, uint32_t leaf,
                      LLVMTypeRef result)
{
    V args[4];
    LLVMTypeRef types[4], overloads[2];
    unsigned count = LLVMGetNumArgOperands(i) < 4 ? LLVMGetNumArgOperands(i) : 4, overload_count = 1;
    for (unsigned k = 0; k < count; k++) {
        args[k] = (int)k == row->scalar_argument ? operand(i, k) : lw_use_for(w, i, operand(i, k), leaf);
        types[k] = LLVMTypeOf(args[k]);
    }
    overloads[0] = row->overload == LW_BY_FIRST ? types[0] : result;
    if (row->overload == LW_BY_RESULT_AND_FIRST || row->overload == LW_BY_RESULT_AND_SECOND) {
        overloads[1] = types[row->overload == LW_BY_RESULT_AND_FIRST ? 0 : 1];
        overload_count = 2;
    }
    unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(i));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(w->l.module, id, overloads, overload_count);
    V made = LLVMBuildCall2(w->l.builder, LLVMGlobalGetValueType(f), f, args, count, "");
    lw_copy_fast_math(i, made);
    return made;
}

static void
widen_intrinsic(lw_widener *w, LLVMValueRef i, const struct lw_intrinsic *row)
{
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMStructTypeKind) { /* with.overflow, of scalars */
        V made = call_vector_intrinsic(w, i, row, 0, NULL);
        for (unsigned k = 0; k < 2; k++)
            lw_define_leaf(w, i, k, LLVMBuildExtractValue(w->l.builder, made, k, ""));
        return;
    }
    for (uint32_t k = 0; k < lw_leaf_count(w, LLVMTypeOf(i)); k++) {
        LLVMTypeRef result = lane_type(&w->l, lw_leaf_at(w, LLVMTypeOf(i), k).type);
        lw_define_leaf(w, i, k, call_vector_intrinsic(w, i, row, k, result));
    }
}

/* What works on lane 0 of a register of scalar code: the others are passed on, and nothing reads them. */
static void
widen_native(lw_widener *w, LLVMValueRef i, const char *name)
{
    V a = lw_use_vector(w, operand(i, 0), 0), b = lw_use_vector(w, operand(i, 1), 0);
    lw_define_leaf(w, i, 0, lane_native(&w->l, name, i, a, b));
    for (uint32_t k = 1; k < lw_leaf_count(w, LLVMTypeOf(i)); k++)
        lw_define_leaf(w, i, k, lw_use_vector(w, operand(i, 0), k));
    lw_report_note(w->report, i, "math", "%s: vector instruction", name);
}

/* The larger or smaller of two lanes, of the reduction "llvm.vector.reduce.smax.v4i32". */
static V
call_extremum(lw_widener *w, const char *reduction, V a, V b)
{
    static const char *const names[][2] = {{"smax", "llvm.smax"},   {"smin", "llvm.smin"},
                                           {"umax", "llvm.umax"},   {"umin", "llvm.umin"},
                                           {"fmax", "llvm.maxnum"}, {"fmin", "llvm.minnum"}};
    const char *kind = reduction + strlen("llvm.vector.reduce.");
    LLVMTypeRef type = LLVMTypeOf(a);
    size_t k = 0;
    while (k + 1 < sizeof names / sizeof *names && strncmp(names[k][0], kind, 4) != 0)
        k++;
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(
        w->l.module, LLVMLookupIntrinsicID(names[k][1], strlen(names[k][1])), &type, 1);
    return LLVMBuildCall2(w->l.builder, LLVMGlobalGetValueType(f), f, (V[]){a, b}, 2, "");
}

/* llvm.vector.reduce.* of a small OpenCL vector, which clean-up passes make: fold the leaves. */
static bool
widen_component_reduce(lw_widener *w, LLVMValueRef i, const char *name)
{
    static const struct {
        const char *name;
        LLVMOpcode op;
        bool start;
    } folds[] = {
        {"llvm.vector.reduce.add.", LLVMAdd, false},  {"llvm.vector.reduce.mul.", LLVMMul, false},
        {"llvm.vector.reduce.and.", LLVMAnd, false},  {"llvm.vector.reduce.or.", LLVMOr, false},
        {"llvm.vector.reduce.xor.", LLVMXor, false},  {"llvm.vector.reduce.fadd.", LLVMFAdd, true},
        {"llvm.vector.reduce.fmul.", LLVMFMul, true}, {"llvm.vector.reduce.smax.", 0, false},
        {"llvm.vector.reduce.smin.", 0, false},       {"llvm.vector.reduce.umax.", 0, false},
        {"llvm.vector.reduce.umin.", 0, false},       {"llvm.vector.reduce.fmax.", 0, false},
        {"llvm.vector.reduce.fmin.", 0, false},
    };
    for (size_t f = 0; f < sizeof folds / sizeof *folds; f++) {
        if (!name_starts(name, folds[f].name))
            continue;
        LLVMValueRef vector = operand(i, folds[f].start ? 1 : 0);
        V made = folds[f].start ? lw_use_vector(w, operand(i, 0), 0) : lw_use_vector(w, vector, 0);
        for (uint32_t k = folds[f].start ? 0 : 1; k < lw_leaf_count(w, LLVMTypeOf(vector)); k++)
            made = folds[f].op
                       ? LLVMBuildBinOp(w->l.builder, folds[f].op, made, lw_use_vector(w, vector, k), "")
                       : call_extremum(w, name, made, lw_use_vector(w, vector, k));
        lw_define_leaf(w, i, 0, made);
        return true;
    }
    return false;
}

/* ---- any call ---- */

static void
widen_llvm(lw_widener *w, LLVMValueRef i, const char *name)
{
    const struct lw_intrinsic *row;
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind)
        return; /* assume, lifetime, donothing: nothing for the lanes */
    if (!lw_is_varying(w, i)) {
        lw_define_scalar(w, i, lw_clone_scalar(w, i));
    } else if (lane_is_native(name)) {
        widen_native(w, i, name);
    } else if ((row = lw_find_intrinsic(name))) {
        widen_intrinsic(w, i, row);
        lw_report_note(w->report, i, "math", "%s: vector intrinsic", name);
    } else if (!widen_component_reduce(w, i, name)) {
        lw_widen_fail(w, i, "an LLVM intrinsic that has no vector form");
    }
}

#define lw_widen_NONE NULL
typedef void widen_function(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
static widen_function *const ways[LW_CALL_COUNT] = {
#define CALL(id, name, effect, meets, same, how) [LW_CALL_##id] = lw_widen_##how,
#include "../../spirv/intrinsics.def"
#undef CALL
};

void
lw_widen_call(lw_widener *w, LLVMValueRef i)
{
    const char *name = lw_called(i);
    const struct lw_call_row *row = lw_find_call(name);
    if (lw_is_kept(LLVMGetCalledValue(i)))
        lw_widen_kept_call(w, i);
    else if (row && ways[row->id])
        ways[row->id](w, i, row);
    else if (name_starts(name, "llvm."))
        widen_llvm(w, i, name);
    else
        lw_widen_fail(w, i, "a call that was not inlined");
}
