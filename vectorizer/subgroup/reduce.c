/* SPDX-License-Identifier: MIT */
/* Reductions of one vector, and of several at once.
 *
 * Enters: lw.reduce.* calls (of floating-point operations: the order of these is ours) and
 * llvm.vector.reduce.*. Leaves: shuffles and operations. Relies on: a reduction folding halves, lane i with
 * lane i + n/2, then n/4 ..., alone or beside others, so that a sub-group's sum is the same in both. Never:
 * control flow, memory.
 *
 * Several at once: two vectors become one of half as many lanes of each, until one vector holds a lane of
 * each:
 *
 *     a0 a1 a2 a3                                a0 a1 b0 b1 (op) a2 a3 b2 b3   ->  A0 A1 B0 B1   ->  A B C D
 *     b0 b1 b2 b3   c0 c1 c2 c3   d0 d1 d2 d3    ...                                C0 C1 D0 D1
 */
#include <stdio.h>
#include <string.h>

#include "../../spirv/attributes.h"
#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../lanes/internal.h"
#include "reduce.h"

static const struct {
    const char *name;
    enum lw_group_op op;
} operations[] = {
    {"lw.reduce.fadd.", LW_GROUP_FADD},          {"lw.reduce.fmul.", LW_GROUP_FMUL},
    {"lw.reduce.fmin.", LW_GROUP_FMIN},          {"lw.reduce.fmax.", LW_GROUP_FMAX},
    {"llvm.vector.reduce.add.", LW_GROUP_IADD},  {"llvm.vector.reduce.mul.", LW_GROUP_IMUL},
    {"llvm.vector.reduce.smin.", LW_GROUP_SMIN}, {"llvm.vector.reduce.umin.", LW_GROUP_UMIN},
    {"llvm.vector.reduce.smax.", LW_GROUP_SMAX}, {"llvm.vector.reduce.umax.", LW_GROUP_UMAX},
    {"llvm.vector.reduce.and.", LW_GROUP_AND},   {"llvm.vector.reduce.or.", LW_GROUP_OR},
    {"llvm.vector.reduce.xor.", LW_GROUP_XOR},
};

#define OWN 4 /* the first are declarations of ours, not LLVM's */

bool
lw_is_reduction(V call, enum lw_group_op *op)
{
    const char *name = lw_called(call);

    if (strncmp(name, "lw.", 3) && strncmp(name, "llvm.vector.", 12))
        return false;
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++) {
        if (strncmp(name, operations[k].name, strlen(operations[k].name)))
            continue;
        if (op)
            *op = operations[k].op;
        return LLVMGetNumArgOperands(call) == 1;
    }
    return false;
}

V
lw_reduce_later(lw_lanes *l, enum lw_group_op op, V x)
{
    LLVMTypeRef type = LLVMTypeOf(x), element = lw_lane_element(x);
    char name[64];
    size_t k = 0;

    while (k < OWN && operations[k].op != op)
        k++;
    snprintf(name, sizeof name, "%sv%uf%u", operations[k].name, lw_lane_count(x), lw_lane_bits(element));
    V callee = LLVMGetNamedFunction(l->module, name);
    if (!callee) {
        callee = LLVMAddFunction(l->module, name, LLVMFunctionType(element, &type, 1, false));
        lw_add_attributes(callee, "nounwind willreturn speculatable memory");
    }
    return LLVMBuildCall2(l->builder, LLVMGlobalGetValueType(callee), callee, &x, 1, "");
}

/* ---- one vector ---- */

static V
fold(lw_lanes *l, enum lw_group_op op, V x, unsigned to)
{
    for (unsigned n = lw_lane_count(x); n > to; n /= 2)
        x = lw_group_combine(l, op, lw_lane_part(l, x, 0, n / 2), lw_lane_part(l, x, n / 2, n / 2));
    return x;
}

void
lw_lower_reductions(LLVMModuleRef module)
{
    lw_lanes l = {.context = LLVMGetModuleContext(module), .module = module};

    l.builder = LLVMCreateBuilderInContext(l.context);
    for (V f = LLVMGetFirstFunction(module), next; f; f = next) {
        size_t length;
        next = LLVMGetNextFunction(f);
        if (strncmp(LLVMGetValueName2(f, &length), "lw.reduce.", 10))
            continue;
        for (LLVMUseRef use; (use = LLVMGetFirstUse(f));) {
            V call = LLVMGetUser(use);
            enum lw_group_op op = LW_GROUP_FADD;
            lw_is_reduction(call, &op);
            LLVMPositionBuilderBefore(l.builder, call);
            V x = fold(&l, op, LLVMGetOperand(call, 0), 2);
            V a = LLVMBuildExtractElement(l.builder, x, lane_int(&l, 32, 0), "");
            V b = LLVMBuildExtractElement(l.builder, x, lane_int(&l, 32, 1), "");
            lw_replace(call, lw_group_combine(&l, op, a, b));
        }
        LLVMDeleteFunction(f);
    }
    LLVMDisposeBuilder(l.builder);
}

/* ---- several ---- */

struct rows {
    lw_lanes *l;
    enum lw_group_op op;
    V *parts;
    unsigned count;
    unsigned lanes; /* of a row in a part */
    unsigned width; /* of a part */
};

/* The lanes of both, folded by halves: where a part of `a` had a row of 2 * half lanes stands now half of it
 * from `a`, then half of that of `b`. A sum does not ask which operand came first: then one of the two
 * shuffles can be a blend. Minima of zeros of both signs do. */
static V
join(struct rows *r, V a, V b, unsigned half)
{
    unsigned n = lw_lane_count(a);
    bool ordered = r->op == LW_GROUP_FMIN || r->op == LW_GROUP_FMAX;
    int x[64], y[64];

    for (unsigned i = 0; i < n; i++) {
        bool from_b = i & half;
        unsigned same = from_b ? i + n : i, other = from_b ? i + n - half : i + half;
        x[i] = (int)(ordered && from_b ? other : same);
        y[i] = (int)(ordered && from_b ? same : other);
    }
    return lw_group_combine(r->l, r->op, lw_lane_shuffle_const(r->l, a, b, x, n),
                            lw_lane_shuffle_const(r->l, a, b, y, n));
}

/* Part `at` after `stages` joins: depth first, so that few vectors are alive. Recursion: 4 deep. */
static V
joined(struct rows *r, unsigned stages, unsigned at)
{
    if (!stages)
        return fold(r->l, r->op, r->parts[at], r->width);
    V a = joined(r, stages - 1, at), b = joined(r, stages - 1, at + (r->count >> stages));
    return join(r, a, b, r->lanes >> stages);
}

V
lw_reduce_rows(lw_lanes *l, enum lw_group_op op, V *parts, unsigned count, unsigned rows_each,
               unsigned most_lanes)
{
    struct rows r = {l, op, parts, count, lw_lane_count(parts[0]) / rows_each, lw_lane_count(parts[0])};
    unsigned stages = 0;
    int lanes[64];

    if (rows_each == 1 && r.lanes > most_lanes)
        r.lanes = r.width = most_lanes;
    while (1u << stages < count)
        stages++;
    V x = joined(&r, stages, 0);
    unsigned n = lw_lane_count(x), left = r.lanes >> stages;
    for (unsigned d = left / 2; d; d /= 2) {
        for (unsigned i = 0; i < n; i++)
            lanes[i] = (i & (2 * d - 1)) < d ? (int)(i + d) : -1;
        x = lw_group_combine(l, op, x, lw_lane_shuffle_const(l, x, NULL, lanes, n));
    }
    /* One of two, four or eight neighbours: an instruction of AVX-512. */
    unsigned bits = lw_lane_bits(lw_lane_element(x));
    if (l->isa >= LW_ISA_AVX512 && left > 1 && bits * left <= 64 && !lw_lane_is_float(lw_lane_element(x))) {
        x = LLVMBuildBitCast(l->builder, x, LLVMVectorType(lw_lane_int_type(l, bits * left), n / left), "");
        x = LLVMBuildTrunc(l->builder, x, LLVMVectorType(lw_lane_int_type(l, bits), n / left), "");
        left = 1;
    }
    for (unsigned k = 0; k < count * rows_each; k++)
        lanes[k] = (int)((k % rows_each * count + k / rows_each) * left);
    return lw_lane_shuffle_const(l, x, NULL, lanes, count * rows_each);
}
