/* SPDX-License-Identifier: MIT */
/* Remainders that are written as sums: clang makes x - x / d * d of x % d, of fewer bits where what is read
 * of it has fewer, and then joins what is subtracted from the same x:
 *
 *     size_t plane = i % 6561, y = plane / 81, z = plane % 81;
 *         ->    short j = i, p = (short)(i / 6561) * 6561, y = (j - p) / 81, z = (j - y * 81) - p;
 *
 * where j is a counter of its own. So a value of w bits is looked at as a sum of multiples, modulo 2^w. It is
 * the remainder of a division in it if nothing is left when that many times the divisor are added, and what
 * is divided is taken away.
 *
 * Enters: a value. Leaves: all as it was.
 */
#include "quotients_internal.h"

#define MOST_TERMS 8
#define DEPTH 8

struct sum {
    LLVMValueRef of[MOST_TERMS];
    uint64_t times[MOST_TERMS], constant;
    unsigned count;
    bool known;
};

/* ---- phis that another one has all bits of ---- */

struct pair {
    LLVMValueRef narrow, wide;
    const struct pair *outer; /* is assumed to be one, too */
};

static bool has_bits_of(LLVMValueRef narrow, LLVMValueRef wide, const struct pair *assumed, unsigned depth);

static bool
phi_has_bits_of(LLVMValueRef narrow, LLVMValueRef wide, const struct pair *outer, unsigned depth)
{
    struct pair these = {narrow, wide, outer};
    if (LLVMGetInstructionParent(narrow) != LLVMGetInstructionParent(wide))
        return false;
    for (const struct pair *p = outer; p; p = p->outer)
        if (p->narrow == narrow && p->wide == wide)
            return true;
    for (unsigned k = 0; k < LLVMCountIncoming(narrow); k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(narrow, k);
        unsigned at = 0;
        while (LLVMGetIncomingBlock(wide, at) != from)
            at++;
        if (!has_bits_of(LLVMGetIncomingValue(narrow, k), LLVMGetIncomingValue(wide, at), &these, depth + 1))
            return false;
    }
    return true;
}

/* Is `narrow` the lower bits of `wide`, if the assumed pairs are? They go round in loops from the same
 * numbers. */
static bool
has_bits_of(LLVMValueRef narrow, LLVMValueRef wide, const struct pair *assumed, unsigned depth)
{
    uint64_t a, b;
    if (lw_is_int_constant(narrow, &a) && lw_is_int_constant(wide, &b))
        return a == lw_zero_extend(b, lw_int_width(narrow));
    if (!LLVMIsAInstruction(narrow) || depth == DEPTH)
        return false;
    if (LLVMIsATruncInst(narrow) && LLVMGetOperand(narrow, 0) == wide)
        return true;
    if (!LLVMIsAInstruction(wide) || LLVMGetInstructionOpcode(narrow) != LLVMGetInstructionOpcode(wide))
        return false;
    if (LLVMIsAPHINode(narrow))
        return phi_has_bits_of(narrow, wide, assumed, depth);
    if (LLVMGetInstructionOpcode(narrow) != LLVMAdd)
        return false;
    for (unsigned k = 0; k < 2; k++)
        if (has_bits_of(LLVMGetOperand(narrow, 0), LLVMGetOperand(wide, k), assumed, depth + 1) &&
            has_bits_of(LLVMGetOperand(narrow, 1), LLVMGetOperand(wide, !k), assumed, depth + 1))
            return true;
    return false;
}

/* The widest whose lower bits it is: itself, or another phi of its block. */
static LLVMValueRef
widest_counter(LLVMValueRef phi)
{
    LLVMValueRef widest = phi;
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetInstructionParent(phi)); i && LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
        if (lw_int_width(i) > lw_int_width(widest) && lw_int_width(i) <= 64 &&
            phi_has_bits_of(phi, i, NULL, 0))
            widest = i;
    return widest;
}

/* ---- sums ---- */

static void
add_term(struct sum *s, LLVMValueRef v, uint64_t times)
{
    unsigned k = 0;
    v = LLVMIsAPHINode(v) ? widest_counter(v) : v;
    while (k < s->count && s->of[k] != v)
        k++;
    if (k == MOST_TERMS) {
        s->known = false;
        return;
    }
    s->of[k] = v;
    s->times[k] = (k < s->count ? s->times[k] : 0) + times;
    s->count += k == s->count;
}

/* `times` v: what v has more bits than the sum is lost in it. */
static void
add_sum(struct sum *s, LLVMValueRef v, uint64_t times, unsigned depth)
{
    uint64_t by = 0;
    LLVMOpcode op = LLVMIsAInstruction(v) && depth < DEPTH ? LLVMGetInstructionOpcode(v) : LLVMPHI;
    bool constant = LLVMIsABinaryOperator(v) && lw_is_int_constant(LLVMGetOperand(v, 1), &by);
    if (lw_is_int_constant(v, &by))
        s->constant += times * by;
    else if (op == LLVMTrunc && lw_int_width(LLVMGetOperand(v, 0)) <= 64)
        add_sum(s, LLVMGetOperand(v, 0), times, depth + 1);
    else if (op == LLVMMul && constant)
        add_sum(s, LLVMGetOperand(v, 0), times * by, depth + 1);
    else if (op == LLVMShl && constant && by < 64)
        add_sum(s, LLVMGetOperand(v, 0), times << by, depth + 1);
    else if (op == LLVMAdd || op == LLVMSub) {
        add_sum(s, LLVMGetOperand(v, 0), times, depth + 1);
        add_sum(s, LLVMGetOperand(v, 1), op == LLVMSub ? -times : times, depth + 1);
    } else
        add_term(s, v, times);
}

static bool
is_nothing(const struct sum *s, unsigned width)
{
    uint64_t rest = s->constant;
    for (unsigned k = 0; k < s->count; k++)
        rest |= s->times[k];
    return s->known && lw_zero_extend(rest, width) == 0;
}

LLVMValueRef
lw_division_of_sum(LLVMValueRef v)
{
    uint64_t divisor;
    unsigned width = lw_int_width(v);
    struct sum all = {.known = true};
    if (!width || width > 64)
        return NULL;
    add_sum(&all, v, 1, 0);
    for (unsigned k = 0; k < all.count && all.known; k++) {
        struct sum rest = all;
        LLVMValueRef q = all.of[k];
        if (!lw_is_division(q) || !lw_is_quotient(q) || !lw_is_int_constant(lw_divisor_of(q), &divisor))
            continue;
        add_term(&rest, q, divisor);
        add_sum(&rest, LLVMGetOperand(q, 0), -UINT64_C(1), 0);
        if (is_nothing(&rest, width))
            return q;
    }
    return NULL;
}
