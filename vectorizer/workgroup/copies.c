/* SPDX-License-Identifier: MIT */
/* Scalars of sub-groups that go through a region together: what is the first one's and a constant is written
 * as that, so that addresses which meet are seen to meet, and stand beside each other otherwise.
 *
 * Enters: a value whose first copy is written, and f->copy, another one.
 * Leaves: the value of that copy, or NULL where it is no such value.
 * Relies on: f->copies is a power of two that divides the first copy's sub-group number; operands come before
 * their uses. Never: looks at memory, vectors or floating point.
 *
 * Of each value: how far the copies are from the first one, modulo 2^bits, and how many of the first one's
 * lowest bits are known to be zero. Where every distance fits into these bits, adding it is setting bits, and
 * shifts to the right, masks and extensions can be done on both parts.
 */
#include "../facts/integers.h"
#include "regions.h"

struct operand {
    const int64_t *steps; /* NULL: no such value */
    unsigned zeros;
    bool exact; /* value and steps add up without wrapping, read as unsigned */
};

static const int64_t no_steps[LW_JAM];

static unsigned
trailing_zeros(uint64_t number, unsigned bits)
{
    unsigned zeros = number ? (unsigned)__builtin_ctzll(number) : 64;
    return zeros < bits ? zeros : bits - 1;
}

static unsigned
bits_of(struct lw_former *f, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (kind == LLVMPointerTypeKind)
        return LLVMPointerSizeForAS(f->layout, LLVMGetPointerAddressSpace(type)) == 8 ? 64 : 0;
    return kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 1 && LLVMGetIntTypeWidth(type) <= 64
               ? LLVMGetIntTypeWidth(type)
               : 0;
}

static void find_steps(struct lw_former *f, struct lw_carried *v);

static struct operand
operand_of(struct lw_former *f, LLVMValueRef x)
{
    struct operand none = {0}, same = {.steps = no_steps, .exact = true};
    uint64_t number;

    if (lw_is_int_constant(x, &number)) {
        same.zeros = trailing_zeros(number, LLVMGetIntTypeWidth(LLVMTypeOf(x)));
        return same;
    }
    if (!LLVMIsAInstruction(x))
        return same; /* arguments, constants */
    uint32_t n = lw_value_map_get(f->numbers, x);
    struct lw_carried *v = n == LW_NONE ? NULL : &f->values[n];
    if (!v || (v->region != f->region && v->carrier == LW_CARRY_SLOT))
        return none;
    find_steps(f, v);
    if (!v->steps)
        return none;
    return (struct operand){.steps = v->step, .zeros = v->zeros, .exact = v->exact};
}

static bool
fits(const struct operand *x, uint32_t copies)
{
    for (uint32_t c = 1; c < copies; c++)
        if ((uint64_t)x->steps[c] >> x->zeros)
            return false;
    return true;
}

static int64_t
wrapped(int64_t step, unsigned bits)
{
    return bits == 64 ? step : (int64_t)((uint64_t)step << (64 - bits)) >> (64 - bits);
}

/* x | y, x ^ y: where the steps of both lie in bits that neither first copy has. */
static bool
find_union(struct lw_former *f, struct lw_carried *v, struct operand x, struct operand y)
{
    unsigned zeros = x.zeros < y.zeros ? x.zeros : y.zeros;
    bool either = LLVMGetInstructionOpcode(v->ref) == LLVMOr;

    for (uint32_t c = 1; c < f->copies; c++) {
        int64_t a = x.steps[c], b = y.steps[c];
        if ((uint64_t)(a | b) >> zeros)
            return false;
        v->step[c] = either ? a | b : a ^ b;
    }
    v->zeros = (uint8_t)zeros;
    return v->exact = true;
}

/* Lowest zeros of what is equal for all copies, by its own operation alone. */
static unsigned
zeros_of(struct lw_former *f, struct lw_carried *v)
{
    unsigned bits = bits_of(f, v->ref);
    uint64_t n;

    if (v->query == LW_Q_GROUP_BASE && f->fixed_size && f->shape->offset_zero)
        return lw_is_int_constant(LLVMGetOperand(v->ref, 0), &n) && n < 3
                   ? trailing_zeros(f->shape->local_size[n], bits)
                   : 0;
    if (!bits || !LLVMIsABinaryOperator(v->ref) || !lw_is_int_constant(LLVMGetOperand(v->ref, 1), &n))
        return 0;
    switch (LLVMGetInstructionOpcode(v->ref)) {
    case LLVMShl:
        return n < bits ? (unsigned)n : 0;
    case LLVMMul:
    case LLVMAnd:
        return trailing_zeros(n, bits);
    default:
        return 0;
    }
}

/* Sums, products by constants, shifts and masks by them. */
static bool
find_arithmetic(struct lw_former *f, struct lw_carried *v, struct operand x, struct operand y)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v->ref);
    unsigned bits = bits_of(f, v->ref), zeros = x.zeros < y.zeros ? x.zeros : y.zeros;
    bool known, disjoint = fits(&x, f->copies), unwrapped = false;
    uint64_t n = 0;

    known = lw_is_int_constant(LLVMGetOperand(v->ref, 1), &n);
    if (op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl)
        unwrapped = LLVMGetNUW(v->ref) && x.exact && y.exact && op != LLVMSub;
    if (op == LLVMOr && LLVMGetIsDisjoint(v->ref)) {
        op = LLVMAdd;
        unwrapped = x.exact && y.exact;
    }
    bool sum = op == LLVMAdd || op == LLVMSub;
    if (op == LLVMOr || op == LLVMXor)
        return find_union(f, v, x, y);
    if (!sum && !known)
        return false;
    if (!sum &&
        ((op != LLVMMul && op != LLVMAnd && n >= bits) || (op != LLVMMul && op != LLVMShl && !disjoint)))
        return false;
    for (uint32_t c = 1; c < f->copies; c++) {
        uint64_t a = (uint64_t)x.steps[c], b = (uint64_t)y.steps[c];
        uint64_t step = op == LLVMAdd   ? a + b
                        : op == LLVMSub ? a - b
                        : op == LLVMMul ? a * n
                        : op == LLVMShl ? a << n
                        : op == LLVMAnd ? a & n
                                        : a >> n;
        v->step[c] = wrapped((int64_t)step, bits);
    }
    unsigned more = op == LLVMMul || op == LLVMAnd ? trailing_zeros(n, bits) : (unsigned)n;
    if (op == LLVMMul || op == LLVMShl)
        zeros = x.zeros + more;
    else if (op == LLVMLShr || op == LLVMAShr)
        zeros = x.zeros > more ? x.zeros - more : 0;
    else if (op == LLVMAnd)
        zeros = n >> x.zeros == 0 ? bits - 1 : x.zeros > more ? x.zeros : more;
    v->zeros = (uint8_t)(zeros < bits ? zeros : bits - 1);
    struct operand made = {.steps = v->step, .zeros = v->zeros};
    v->exact = fits(&made, f->copies) || unwrapped;
    return true;
}

/* A pointer and constants, or one index of which the copies' distance is known. */
static bool
find_address(struct lw_former *f, struct lw_carried *v)
{
    struct operand base = operand_of(f, LLVMGetOperand(v->ref, 0));
    unsigned indices = LLVMGetNumIndices(v->ref);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(v->ref);
    struct operand index = {.steps = no_steps};
    bool constant = true;

    for (unsigned k = 1; k <= indices; k++)
        constant = constant && LLVMIsAConstantInt(LLVMGetOperand(v->ref, k));
    if (!constant) {
        LLVMValueRef x = LLVMGetOperand(v->ref, 1);
        index = operand_of(f, x);
        if (indices != 1 || bits_of(f, x) != 64)
            return false;
    }
    if (!base.steps || !index.steps || !LLVMTypeIsSized(type))
        return false;
    uint64_t size = LLVMABISizeOfType(f->layout, type);
    for (uint32_t c = 1; c < f->copies; c++)
        v->step[c] = (int64_t)((uint64_t)base.steps[c] + (uint64_t)index.steps[c] * size);
    v->zeros = 0;
    v->exact = false;
    return true;
}

static bool
find_cast(struct lw_former *f, struct lw_carried *v, struct operand x)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v->ref);
    unsigned bits = bits_of(f, v->ref);
    bool disjoint = fits(&x, f->copies);

    if ((op == LLVMZExt && !x.exact) || (op == LLVMSExt && !disjoint))
        return false;
    unsigned from = bits_of(f, LLVMGetOperand(v->ref, 0));
    for (uint32_t c = 1; c < f->copies; c++) {
        int64_t step = x.steps[c];
        if (op == LLVMZExt && from < 64 && !disjoint && step < 0)
            return false;
        v->step[c] = wrapped(step, bits);
    }
    v->zeros = (uint8_t)(x.zeros < bits ? x.zeros : bits - 1);
    struct operand made = {.steps = v->step, .zeros = v->zeros};
    bool keeps = op == LLVMZExt || op == LLVMFreeze || (op == LLVMTrunc && LLVMGetNUW(v->ref));
    v->exact = fits(&made, f->copies) || (keeps && x.exact);
    return true;
}

static bool
steps_found(struct lw_former *f, struct lw_carried *v)
{
    LLVMValueRef i = v->ref;

    if (v->query == LW_Q_SUB_GROUP_ID) {
        for (uint32_t c = 1; c < f->copies; c++)
            v->step[c] = c;
        v->zeros = (uint8_t)__builtin_ctz(f->copies);
        v->exact = true;
        return true;
    }
    if (v->uniform) {
        v->zeros = (uint8_t)zeros_of(f, v);
        v->exact = true;
        return true;
    }
    if (v->query != LW_Q_NONE || v->carrier == LW_CARRY_ROOM || !bits_of(f, i))
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (lw_is_int_operation(op)) {
        struct operand x = operand_of(f, LLVMGetOperand(i, 0)), y = operand_of(f, LLVMGetOperand(i, 1));
        return x.steps && y.steps && find_arithmetic(f, v, x, y);
    }
    switch (op) {
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFreeze: {
        struct operand x = operand_of(f, LLVMGetOperand(i, 0));
        return x.steps && bits_of(f, LLVMGetOperand(i, 0)) && find_cast(f, v, x);
    }
    case LLVMGetElementPtr:
        return find_address(f, v);
    default:
        return false;
    }
}

/* Depth is bounded: operands of this region come first, and what is computed again takes few instructions. */
static void
find_steps(struct lw_former *f, struct lw_carried *v)
{
    if (v->step_stamp == f->step_stamp)
        return;
    v->step_stamp = f->step_stamp;
    v->step = LW_ARENA_NEW(f->arena, int64_t, f->copies);
    v->steps = steps_found(f, v);
}

const int64_t *
lw_find_steps(struct lw_former *f, LLVMValueRef x)
{
    return operand_of(f, x).steps;
}

/* What would make the first copy poison where another one is none. A sum that wraps does so for larger
 * operands too, so where all steps go up that promise may stay. */
static void
drop_promises(struct lw_former *f, struct lw_carried *v)
{
    LLVMValueRef first = v->now[0];
    bool up = v->exact;

    if (!LLVMIsAInstruction(first) || LLVMGetInstructionOpcode(first) != LLVMGetInstructionOpcode(v->ref))
        return;
    for (uint32_t c = 1; c < f->copies; c++)
        up = up && v->step[c] >= 0;
    switch (LLVMGetInstructionOpcode(first)) {
    case LLVMSub:
        up = false;
        /* fallthrough */
    case LLVMAdd:
    case LLVMMul:
    case LLVMShl:
    case LLVMTrunc:
        LLVMSetNSW(first, false);
        if (!up)
            LLVMSetNUW(first, false);
        return;
    case LLVMLShr:
    case LLVMAShr:
        LLVMSetExact(first, false);
        return;
    case LLVMZExt:
        LLVMSetNNeg(first, false);
        return;
    case LLVMGetElementPtr:
        LLVMGEPSetNoWrapFlags(first, 0);
        return;
    default:
        return;
    }
}

LLVMValueRef
lw_write_step(struct lw_former *f, LLVMBuilderRef b, struct lw_carried *v)
{
    if (f->copy == 0)
        return NULL;
    find_steps(f, v);
    if (!v->steps || !v->now[0] || LLVMIsConstant(v->now[0]) || v->query != LW_Q_NONE)
        return NULL;
    LLVMTypeRef type = LLVMTypeOf(v->ref);
    int64_t step = v->step[f->copy];
    drop_promises(f, v);
    if (!step)
        return v->now[0];
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        LLVMValueRef distance = lw_c64(f, (uint64_t)step);
        return LLVMBuildGEP2(b, f->i8, v->now[0], &distance, 1, "");
    }
    LLVMValueRef sum = LLVMBuildAdd(b, v->now[0], LLVMConstInt(type, (uint64_t)step, true), "");
    if (v->exact && step > 0 && LLVMIsAInstruction(sum))
        LLVMSetNUW(sum, true);
    return sum;
}
