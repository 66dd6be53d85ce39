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
#include "../flow/waits.h"
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

/* How an elementwise intrinsic is overloaded. */
enum overload {
    BY_RESULT,            /* llvm.sqrt.v16f32 */
    BY_RESULT_AND_FIRST,  /* llvm.fptosi.sat.v16i32.v16f32 */
    BY_RESULT_AND_SECOND, /* llvm.ldexp.v16f32.v16i32 */
    BY_FIRST              /* llvm.is.fpclass: result i1; llvm.umul.with.overflow: a struct */
};

struct intrinsic {
    const char *name; /* without the type suffix */
    enum overload overload;
    int scalar_argument; /* an immediate that stays scalar, or -1 */
};

static const struct intrinsic intrinsics[] = {
    {"llvm.abs.", BY_RESULT, 1},
    {"llvm.bitreverse.", BY_RESULT, -1},
    {"llvm.bswap.", BY_RESULT, -1},
    {"llvm.canonicalize.", BY_RESULT, -1},
    {"llvm.ceil.", BY_RESULT, -1},
    {"llvm.copysign.", BY_RESULT, -1},
    {"llvm.ctlz.", BY_RESULT, 1},
    {"llvm.ctpop.", BY_RESULT, -1},
    {"llvm.cttz.", BY_RESULT, 1},
    {"llvm.fabs.", BY_RESULT, -1},
    {"llvm.floor.", BY_RESULT, -1},
    {"llvm.fma.", BY_RESULT, -1},
    {"llvm.fmuladd.", BY_RESULT, -1},
    {"llvm.fptosi.sat.", BY_RESULT_AND_FIRST, -1},
    {"llvm.fptoui.sat.", BY_RESULT_AND_FIRST, -1},
    {"llvm.fshl.", BY_RESULT, -1},
    {"llvm.fshr.", BY_RESULT, -1},
    {"llvm.is.fpclass.", BY_FIRST, 1},
    {"llvm.ldexp.", BY_RESULT_AND_SECOND, -1},
    {"llvm.maximum.", BY_RESULT, -1},
    {"llvm.maximumnum.", BY_RESULT, -1},
    {"llvm.maxnum.", BY_RESULT, -1},
    {"llvm.minimum.", BY_RESULT, -1},
    {"llvm.minimumnum.", BY_RESULT, -1},
    {"llvm.minnum.", BY_RESULT, -1},
    {"llvm.nearbyint.", BY_RESULT, -1},
    {"llvm.rint.", BY_RESULT, -1},
    {"llvm.round.", BY_RESULT, -1},
    {"llvm.roundeven.", BY_RESULT, -1},
    {"llvm.sadd.sat.", BY_RESULT, -1},
    {"llvm.sadd.with.overflow.", BY_FIRST, -1},
    {"llvm.scmp.", BY_RESULT_AND_FIRST, -1},
    {"llvm.smax.", BY_RESULT, -1},
    {"llvm.smin.", BY_RESULT, -1},
    {"llvm.smul.with.overflow.", BY_FIRST, -1},
    {"llvm.sqrt.", BY_RESULT, -1},
    {"llvm.sshl.sat.", BY_RESULT, -1},
    {"llvm.ssub.sat.", BY_RESULT, -1},
    {"llvm.ssub.with.overflow.", BY_FIRST, -1},
    {"llvm.trunc.", BY_RESULT, -1},
    {"llvm.uadd.sat.", BY_RESULT, -1},
    {"llvm.uadd.with.overflow.", BY_FIRST, -1},
    {"llvm.ucmp.", BY_RESULT_AND_FIRST, -1},
    {"llvm.umax.", BY_RESULT, -1},
    {"llvm.umin.", BY_RESULT, -1},
    {"llvm.umul.with.overflow.", BY_FIRST, -1},
    {"llvm.ushl.sat.", BY_RESULT, -1},
    {"llvm.usub.sat.", BY_RESULT, -1},
    {"llvm.usub.with.overflow.", BY_FIRST, -1},
};

static const struct intrinsic *
find_intrinsic(const char *name)
{
    for (size_t k = 0; k < sizeof intrinsics / sizeof *intrinsics; k++)
        if (name_starts(name, intrinsics[k].name))
            return &intrinsics[k];
    return NULL;
}

bool
lw_is_call_by_component(LLVMValueRef call, int *scalar_argument)
{
    size_t length;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const struct intrinsic *row =
        LLVMIsAFunction(callee) ? find_intrinsic(LLVMGetValueName2(callee, &length)) : NULL;

    if (!row || row->overload != BY_RESULT)
        return false;
    *scalar_argument = row->scalar_argument;
    return true;
}

static unsigned
components_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 0;
}

bool
lw_is_by_component(LLVMValueRef i)
{
    int scalar;

    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFRem:
        return false;
    case LLVMSelect:
        return true;
    case LLVMBitCast:
        return components_of(LLVMTypeOf(LLVMGetOperand(i, 0))) == components_of(LLVMTypeOf(i));
    case LLVMCall:
        return lw_is_call_by_component(i, &scalar);
    default:
        return lw_is_elementwise(i);
    }
}

/* One leaf position of the operands through the vector form of the intrinsic. */
static V
call_vector_intrinsic(lw_widener *w, LLVMValueRef i, const struct intrinsic *row, uint32_t leaf,
                      LLVMTypeRef result)
{
    V args[4];
    LLVMTypeRef types[4], overloads[2];
    unsigned count = LLVMGetNumArgOperands(i) < 4 ? LLVMGetNumArgOperands(i) : 4, overload_count = 1;
    for (unsigned k = 0; k < count; k++) {
        args[k] = (int)k == row->scalar_argument ? operand(i, k) : lw_use_for(w, i, operand(i, k), leaf);
        types[k] = LLVMTypeOf(args[k]);
    }
    overloads[0] = row->overload == BY_FIRST ? types[0] : result;
    if (row->overload == BY_RESULT_AND_FIRST || row->overload == BY_RESULT_AND_SECOND) {
        overloads[1] = types[row->overload == BY_RESULT_AND_FIRST ? 0 : 1];
        overload_count = 2;
    }
    unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(i));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(w->l.module, id, overloads, overload_count);
    V made = LLVMBuildCall2(w->l.builder, LLVMGlobalGetValueType(f), f, args, count, "");
    lw_copy_fast_math(i, made);
    return made;
}

static void
widen_intrinsic(lw_widener *w, LLVMValueRef i, const struct intrinsic *row)
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
    const struct intrinsic *row;
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind)
        return; /* assume, lifetime, donothing: nothing for the lanes */
    if (!lw_is_varying(w, i)) {
        lw_define_scalar(w, i, lw_clone_scalar(w, i));
    } else if (lane_is_native(name)) {
        widen_native(w, i, name);
    } else if ((row = find_intrinsic(name))) {
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
