/* SPDX-License-Identifier: MIT */
/* Tests of a number's class (llvm.is.fpclass), which LLVM makes of x > 0 && x < INFINITY: as comparisons,
 * where code generation would take the number's bits apart, by 64-bit integers for doubles.
 *
 * Enters: a module after its last LLVM pass. Leaves: the same answers, by at most two comparisons, of x or of
 * |x|, where the classes are all that lies between two numbers, or all that does not, with every NaN or none;
 * other tests as they are. Where subnormal numbers may count as zeros, they do.
 */
#include <math.h>

#include "../facts/calls.h"
#include "../facts/integers.h"
#include "../flow/module_pass.h"
#include "../lanes/internal.h"

/* Classes as they lie from minus infinity to infinity, both zeros in the middle. */
enum { ZERO = 3, LAST = 6 };

struct test {
    lw_lanes *l;
    V x;
    bool of_nan;
    double least; /* normal number */
};

/* Is x in the class numbered `place`, or above? Or else, is it below? */
static V
compare(const struct test *t, unsigned place, bool below)
{
    const double numbers[] = {0, -INFINITY, -t->least, 0, 0, t->least, INFINITY};
    bool or_equal = (place == ZERO || place > ZERO + 1) != below;
    LLVMRealPredicate p =
        below ? (or_equal ? LLVMRealOLE : LLVMRealOLT) : (or_equal ? LLVMRealOGE : LLVMRealOGT);
    V number = LLVMConstReal(lw_lane_element(t->x), numbers[place]);

    if (lw_lane_is_vector(t->x))
        number = lw_lane_splat_n(t->l, number, lw_lane_count(t->x));
    return LLVMBuildFCmp(t->l->builder, t->of_nan ? p + (LLVMRealUGT - LLVMRealOGT) : p, t->x, number, "");
}

/* Is it in the classes from `first` to `last`? NULL: always, or for no NaN. */
static V
within(const struct test *t, unsigned first, unsigned last, unsigned lowest)
{
    V above = first > lowest ? compare(t, first, false) : NULL;
    V below = last < LAST ? compare(t, last + 1, true) : NULL;

    return above && below ? LLVMBuildAnd(t->l->builder, above, below, "") : above ? above : below;
}

static bool
is_row(unsigned set, unsigned *first, unsigned *last)
{
    *first = set ? (unsigned)__builtin_ctz(set) : 0;
    *last = set ? 31 - (unsigned)__builtin_clz(set) : 0;
    return set && set == (2u << *last) - (1u << *first);
}

static V
write_test(struct test *t, unsigned set, unsigned lowest)
{
    unsigned all = (2u << LAST) - (1u << lowest), first, last;

    if (is_row(set, &first, &last))
        return within(t, first, last, lowest);
    if (!is_row(all & ~set, &first, &last) || first == lowest || last == LAST)
        return NULL;
    V below = compare(t, first, true);
    return LLVMBuildOr(t->l->builder, below, compare(t, last + 1, false), "");
}

static void
visit(lw_lanes *l, V i)
{
    uint64_t classes;

    if (!lw_is_call_like(i, "llvm.is.fpclass.") || !lw_is_int_constant(LLVMGetOperand(i, 1), &classes))
        return;
    struct test t = {.l = l, .x = LLVMGetOperand(i, 0), .of_nan = classes & 3};
    LLVMTypeKind kind = LLVMGetTypeKind(lw_lane_element(t.x));
    unsigned nans = classes & 3, zeros = classes >> 5 & 3, set = 0;
    if ((kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind) || nans % 3 || zeros % 3)
        return;
    t.least = kind == LLVMFloatTypeKind ? 0x1p-126 : 0x1p-1022;
    for (unsigned k = 0; k <= LAST; k++)
        set |= (unsigned)(classes >> (k + 2 + (k > ZERO)) & 1) << k;
    bool mirrored = true;
    for (unsigned k = 0; k < ZERO; k++)
        mirrored = mirrored && (set >> k & 1) == (set >> (LAST - k) & 1);
    LLVMPositionBuilderBefore(l->builder, i);
    V x = t.x, made = NULL;
    if (mirrored) {
        t.x = lw_lane_call1(l, "llvm.fabs", x);
        made = write_test(&t, set & ~((1u << ZERO) - 1), ZERO);
        if (!made)
            LLVMInstructionEraseFromParent(t.x);
    } else {
        made = write_test(&t, set, 0);
    }
    if (!made)
        return;
    LLVMReplaceAllUsesWith(i, made);
    LLVMInstructionEraseFromParent(i);
}

void
lw_settle_classes(LLVMModuleRef module)
{
    lw_visit_instructions(module, LW_ISA_AUTO, visit);
}
