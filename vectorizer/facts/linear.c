/* SPDX-License-Identifier: MIT */
/* See linear.h. No promise of an operation is used: sums wrap, as the values do. */
#include "linear.h"

#include "gep.h"
#include "integers.h"

typedef LLVMValueRef V;

enum { DEPTH = 8 };

static void
add_part(struct lw_linear *sum, V v, uint64_t by)
{
    unsigned k = 0;

    while (k < sum->count && sum->parts[k].value != v)
        k++;
    if (k == LW_LINEAR_PARTS) {
        sum->full = true;
        return;
    }
    if (k == sum->count) {
        sum->parts[k].value = v;
        sum->parts[k].by = 0;
        sum->count++;
    }
    sum->parts[k].by += by;
}

static void add(struct lw_linear *sum, V v, uint64_t by, unsigned depth);

/* Are all indices of as many bits as the address? */
static bool
has_whole_indices(struct lw_linear *sum, V gep)
{
    for (struct lw_gep_walk g = lw_gep_walk(sum->layout, gep); lw_gep_step(&g);)
        if (g.index && lw_int_width(g.index) != 64)
            return false;
    return true;
}

static void
add_gep(struct lw_linear *sum, V gep, uint64_t by, unsigned depth)
{
    if (!has_whole_indices(sum, gep)) {
        add_part(sum, gep, by);
        return;
    }
    add(sum, LLVMGetOperand(gep, 0), by, depth - 1);
    for (struct lw_gep_walk g = lw_gep_walk(sum->layout, gep); lw_gep_step(&g);) {
        if (g.index)
            add(sum, g.index, by * g.bytes, depth - 1);
        else
            sum->number += by * g.bytes;
    }
}

static void
add(struct lw_linear *sum, V v, uint64_t by, unsigned depth)
{
    uint64_t number;

    v = lw_without_lcssa(v);
    if (lw_is_int_constant(v, &number)) {
        sum->number += by * number;
        return;
    }
    LLVMOpcode op = depth && LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
    bool or_is_sum = op == LLVMOr && LLVMGetIsDisjoint(v);
    if (op == LLVMAdd || op == LLVMSub || or_is_sum) {
        add(sum, LLVMGetOperand(v, 0), by, depth - 1);
        add(sum, LLVMGetOperand(v, 1), op == LLVMSub ? 0 - by : by, depth - 1);
    } else if (op == LLVMMul && lw_is_int_constant(LLVMGetOperand(v, 1), &number)) {
        add(sum, LLVMGetOperand(v, 0), by * number, depth - 1);
    } else if (op == LLVMShl && lw_is_int_constant(LLVMGetOperand(v, 1), &number) && number < 64) {
        add(sum, LLVMGetOperand(v, 0), by << number, depth - 1);
    } else if (op == LLVMGetElementPtr && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind) {
        add_gep(sum, v, by, depth);
    } else {
        add_part(sum, v, by);
    }
}

void
lw_linear_add(struct lw_linear *sum, V value, uint64_t by)
{
    add(sum, value, by, DEPTH);
}

void
lw_linear_reduce(struct lw_linear *sum, unsigned width)
{
    unsigned kept = 0;

    for (unsigned k = 0; k < sum->count; k++) {
        sum->parts[k].by = lw_zero_extend(sum->parts[k].by, width);
        if (sum->parts[k].by)
            sum->parts[kept++] = sum->parts[k];
    }
    sum->count = kept;
    sum->number = lw_zero_extend(sum->number, width);
}
