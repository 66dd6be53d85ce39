/* SPDX-License-Identifier: MIT */
/* Ors without a common bit, see sums.h.
 *
 * Enters: any function in SSA form. Leaves: the same, with marks. Legal: of one operand the lowest bits are
 * zero (a multiple of a power of two), the other is less than that power: by what it is computed from, or as
 * a counter that goes up to a constant. LLVM knows the bits of single operations, but not how far a loop
 * counts. Why: a loop over `x[id * 64 + k]` has contiguous accesses where this is a sum, gathers where it is
 * an or. Never: looks deeper than DEPTH.
 */
#include "sums.h"

#include "../facts/counters.h"
#include "../facts/integers.h"
#include "module_pass.h"

#define DEPTH 6
#define NO_CONSTANT UINT64_MAX

static unsigned
least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned
most(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Bits of a number. */
static unsigned
length_of(uint64_t value)
{
    return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

/* The second operand where it is a constant; NO_CONSTANT: it is none. */
static uint64_t
second_number(LLVMValueRef v)
{
    uint64_t value;
    return lw_is_int_constant(LLVMGetOperand(v, 1), &value) ? value : NO_CONSTANT;
}

/* A counter that begins with a constant. */
struct counter {
    uint64_t start, step;
    struct lw_round round;
};

static bool
is_counter(LLVMValueRef phi, struct counter *c)
{
    return lw_read_counter(phi, &c->round) && lw_is_int_constant(c->round.first, &c->start) &&
           lw_is_int_constant(c->round.step, &c->step) && c->step != NO_CONSTANT;
}

/* The greatest value of a counter: the latch goes round while it, or what comes next, is not a constant that
 * it meets. That is how front ends' loops end behind LLVM's passes. NO_CONSTANT: no such bound is seen. */
static uint64_t
counts_to(LLVMValueRef phi, const struct counter *c)
{
    struct lw_round_test t;
    uint64_t last, highest = UINT64_C(1) << (lw_int_width(phi) - 1);
    if (!lw_read_round_test(phi, &c->round, &t) || t.p != LLVMIntNE || !lw_is_int_constant(t.bound, &last) ||
        last >= highest || !c->step)
        return NO_CONSTANT;
    bool meets = last >= c->start && (last - c->start) % c->step == 0 && (!t.of_next || last > c->start);
    return !meets ? NO_CONSTANT : t.of_next ? last - c->step : last;
}

/* How many of its lowest bits are zero? */
static unsigned
zeros(LLVMValueRef v, unsigned depth)
{
    unsigned width = lw_int_width(v);
    uint64_t value;
    struct counter c;
    if (lw_is_int_constant(v, &value))
        return value ? (unsigned)__builtin_ctzll(value) : width;
    if (!LLVMIsAInstruction(v) || !width || width > 64 || depth == DEPTH)
        return 0;
    LLVMValueRef x = LLVMGetNumOperands(v) ? LLVMGetOperand(v, 0) : NULL;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    switch (op) {
    case LLVMPHI:
        if (!is_counter(v, &c))
            return 0;
        return least(c.start ? (unsigned)__builtin_ctzll(c.start) : width,
                     c.step ? (unsigned)__builtin_ctzll(c.step) : width);
    case LLVMShl:
        value = second_number(v);
        return value < width ? least(width, zeros(x, depth + 1) + (unsigned)value) : 0;
    case LLVMMul:
        return least(width, zeros(x, depth + 1) + zeros(LLVMGetOperand(v, 1), depth + 1));
    case LLVMAnd:
        return most(zeros(x, depth + 1), zeros(LLVMGetOperand(v, 1), depth + 1));
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr:
    case LLVMXor:
        return least(zeros(x, depth + 1), zeros(LLVMGetOperand(v, 1), depth + 1));
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
        return least(width, zeros(x, depth + 1));
    default:
        return 0;
    }
}

/* It is less than the power of two of how many bits? */
static unsigned
bits(LLVMValueRef v, unsigned depth)
{
    unsigned width = lw_int_width(v);
    uint64_t value;
    struct counter c;
    if (lw_is_int_constant(v, &value))
        return length_of(value);
    if (!LLVMIsAInstruction(v) || !width || width > 64 || depth == DEPTH)
        return width;
    LLVMValueRef x = LLVMGetNumOperands(v) ? LLVMGetOperand(v, 0) : NULL;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    switch (op) {
    case LLVMPHI:
        value = is_counter(v, &c) ? counts_to(v, &c) : NO_CONSTANT;
        return value == NO_CONSTANT ? width : length_of(value);
    case LLVMShl:
        value = second_number(v);
        return value < width ? least(width, bits(x, depth + 1) + (unsigned)value) : width;
    case LLVMMul:
        return least(width, bits(x, depth + 1) + bits(LLVMGetOperand(v, 1), depth + 1));
    case LLVMAnd:
        return least(bits(x, depth + 1), bits(LLVMGetOperand(v, 1), depth + 1));
    case LLVMAdd:
        return least(width, 1 + most(bits(x, depth + 1), bits(LLVMGetOperand(v, 1), depth + 1)));
    case LLVMOr:
    case LLVMXor:
        return most(bits(x, depth + 1), bits(LLVMGetOperand(v, 1), depth + 1));
    case LLVMLShr:
        value = second_number(v);
        return value < width ? bits(x, depth + 1) - least((unsigned)value, bits(x, depth + 1)) : width;
    case LLVMURem:
        value = second_number(v);
        return value && value != NO_CONSTANT ? least(bits(x, depth + 1), length_of(value - 1)) : width;
    case LLVMZExt:
    case LLVMTrunc:
        return least(width, bits(x, depth + 1));
    case LLVMSExt:
        return bits(x, depth + 1) < lw_int_width(x) ? bits(x, depth + 1) : width;
    default:
        return width;
    }
}

unsigned
lw_low_zeros(LLVMValueRef v)
{
    return zeros(v, 0);
}

static void
mark(lw_lanes *l, V v)
{
    (void)l;
    if (LLVMGetInstructionOpcode(v) != LLVMOr || !lw_int_width(v) || LLVMGetIsDisjoint(v))
        return;
    V x = LLVMGetOperand(v, 0), y = LLVMGetOperand(v, 1);
    if (zeros(x, 0) >= bits(y, 0) || zeros(y, 0) >= bits(x, 0))
        LLVMSetIsDisjoint(v, true);
}

void
lw_find_sums(LLVMModuleRef module)
{
    lw_visit_instructions(module, LW_ISA_AUTO, mark);
}
