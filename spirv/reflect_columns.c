/* SPDX-License-Identifier: MIT */
/* Where a kernel's accesses to memory lie for neighbours in each dimension: beside each other, in one place
 * or far apart. Work-items that only know their global ids can be laid over lanes along any dimension
 * (regroup.c): what that costs is reckoned here, an access whose lanes lie far apart being a gather or a
 * scatter. And do accesses go by columns, neighbours in dimension 1 beside each other, neighbours in
 * dimension 0 a row's length apart, as a transpose's? Rows of work-items touch as many cache lines then as
 * they are long, and every line again for the next row. Last, what is computed beside that: short rows that
 * have sub-groups to themselves leave lanes idle.
 *
 * Follows the global ids in steps of sums, products, bounds, conversions and joins of ways to the addresses
 * of loads and stores. Whatever else happens to an id is taken for no id at all: a kernel that is not
 * recognised is run as all others are.
 */
#include "reflect.h"

#include <stdlib.h>

#include <spirv/unified1/OpenCL.std.h>

#include "evaluate.h"
#include "operands.h"
#include "uses.h"

/* How far neighbours in a dimension are apart: in bytes, where it is about addresses. */
enum { NONE, UNIT, FAR = UINT16_MAX };

#define NEAR 8       /* elements: still beside each other */
#define FAR_COST 8   /* of a gather, where an access in one piece costs 1 */
#define LOOP_COST 4  /* times, of what runs in a loop */
#define LOOP_ROUNDS 16 /* the same where arithmetic is weighed against accesses */
#define MOST_DEPTH 3 /* of loops that count */

struct ids {
    uint16_t of[3];
    bool is_one; /* an argument that is known to be 1 */
};

static bool
is_any(struct ids a)
{
    return a.of[0] || a.of[1] || a.of[2];
}

static struct ids
sum(struct ids a, struct ids b)
{
    for (unsigned d = 0; d < 3; d++)
        a.of[d] = a.of[d] > b.of[d] ? a.of[d] : b.of[d];
    a.is_one = false;
    return a;
}

/* By 0: by what nobody knows. */
static struct ids
times(struct ids a, uint64_t factor)
{
    for (unsigned d = 0; d < 3; d++)
        if (a.of[d])
            a.of[d] = factor && factor < FAR && a.of[d] * factor < FAR ? (uint16_t)(a.of[d] * factor) : FAR;
    return a;
}

/* Bytes of what a pointer of this type points to. */
static uint64_t
pointee_size(const lw_module *m, uint32_t type)
{
    const struct lw_inst *pointer = lw_def(m, type);
    struct lw_layout layout;
    return pointer && pointer->op == SpvOpTypePointer && lw_type_layout(m, lw_word(m, pointer, 3), &layout)
               ? layout.size
               : 1;
}

static bool
is_global_id(const lw_module *m, uint32_t vector)
{
    const struct lw_inst *load = lw_def(m, vector);
    if (!load || load->op != SpvOpLoad)
        return false;
    const struct lw_decoration *b =
        lw_find_decoration(m, lw_word(m, load, 3), LW_NO_MEMBER, SpvDecorationBuiltIn);
    return b && b->count && m->words[b->at] == SpvBuiltInGlobalInvocationId;
}

static bool
bounds(const lw_module *m, const struct lw_inst *i)
{
    if (m->ext_sets[lw_word(m, i, 3)] != LW_EXT_OPENCL_STD)
        return false;
    switch (lw_word(m, i, 4)) {
    case LW_CL_s_min:
    case LW_CL_s_max:
    case LW_CL_s_clamp:
    case LW_CL_u_min:
    case LW_CL_u_max:
    case LW_CL_u_clamp: return true;
    default: return false;
    }
}

/* To the right. Where it was shifted to the left before, it is an id as an int, extended: by less than then
 * where it is multiplied, too. */
static struct ids
shifted(const lw_module *m, const struct lw_inst *i, const struct ids *at)
{
    const struct lw_inst *left = lw_def(m, lw_word(m, i, 3));
    uint32_t by = lw_constant_operand(m, i, 4, 0);
    if (left && left->op == SpvOpShiftLeftLogical && by) {
        uint32_t out = lw_constant_operand(m, left, 4, 0);
        if (out >= by && out - by < 16)
            return times(at[lw_word(m, left, 3)], UINT64_C(1) << (out - by));
    }
    return by ? at[lw_word(m, i, 3)] : (struct ids){0}; /* in one place, or beside each other */
}

/* An extension of the lower half, of what ends in zeros too, keeps all of it. */
static struct ids
masked(const lw_module *m, const struct lw_inst *i, const struct ids *at)
{
    for (uint32_t k = 3; k < 5; k++) {
        uint32_t mask = lw_constant_operand(m, i, k, 0);
        if (mask && (mask | ((mask & -mask) - 1)) == UINT32_MAX)
            return at[lw_word(m, i, 7 - k)];
    }
    return (struct ids){0};
}

static struct ids
product(const lw_module *m, const struct lw_inst *i, const struct ids *at)
{
    struct ids a = at[lw_word(m, i, 3)], b = at[lw_word(m, i, 4)];

    if (a.is_one || b.is_one)
        return a.is_one ? b : a;
    if (is_any(b))
        return is_any(a) ? (struct ids){0} : times(b, lw_constant_operand(m, i, 3, 0));
    return times(a, lw_constant_operand(m, i, 4, 0));
}

/* `at`: what is known of each id so far. */
static struct ids
follow(const lw_module *m, const struct lw_inst *i, const struct ids *at)
{
    struct ids a = {0};

    switch (i->op) {
    case SpvOpCompositeExtract:
        if (is_global_id(m, lw_word(m, i, 3)))
            for (uint32_t d = 0; d < 3; d++)
                a.of[d] = lw_word(m, i, 4) == d ? UNIT : NONE;
        return a;
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpBitcast:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
    case SpvOpCopyObject:
        return at[lw_word(m, i, 3)];
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpBitwiseOr:
        return sum(at[lw_word(m, i, 3)], at[lw_word(m, i, 4)]);
    case SpvOpBitwiseAnd:
        return masked(m, i, at);
    case SpvOpIMul:
        return product(m, i, at);
    case SpvOpShiftLeftLogical: {
        uint32_t by = lw_constant_operand(m, i, 4, 31);
        return times(at[lw_word(m, i, 3)], by < 31 ? UINT32_C(1) << by : 0);
    }
    case SpvOpShiftRightArithmetic:
    case SpvOpShiftRightLogical:
        return shifted(m, i, at);
    case SpvOpSelect:
        return sum(at[lw_word(m, i, 4)], at[lw_word(m, i, 5)]);
    case SpvOpPhi: /* a counter lies where it begins */
        for (uint32_t k = 3; k < i->count; k += 2)
            a = sum(a, at[lw_word(m, i, k)]);
        return a;
    case SpvOpExtInst: /* min, max and clamp of integers */
        if (bounds(m, i))
            for (uint32_t k = 5; k < i->count; k++)
                a = sum(a, at[lw_word(m, i, k)]);
        return a;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        for (uint32_t k = 4; k < i->count; k++)
            a = sum(a, at[lw_word(m, i, k)]);
        return sum(at[lw_word(m, i, 3)], times(a, pointee_size(m, lw_word(m, i, 1))));
    default:
        return a;
    }
}

/* Memory that all work-items have in common, as far as the pointer tells. */
static bool
is_common(const lw_module *m, uint32_t pointer)
{
    const struct lw_inst *type = lw_def(m, lw_type_of(m, pointer));
    if (!type || type->op != SpvOpTypePointer)
        return true;
    uint32_t class = lw_word(m, type, 2);
    return class != SpvStorageClassFunction && class != SpvStorageClassWorkgroup &&
           class != SpvStorageClassInput;
}

/* Of each instruction of the function, what begins (1) and ends (-1) at it: the loops, from a label to the
 * last branch back to it. */
static void
mark_loops(const lw_module *m, const struct lw_spirv_function *function, int32_t *depth)
{
    for (uint32_t i = function->inst; i < function->end; i++) {
        const struct lw_inst *to;
        for (uint32_t k = 0; (to = lw_next_back_branch(m, function, &m->insts[i], &k));) {
            depth[to - &m->insts[function->inst]]++;
            depth[i - function->inst]--;
        }
    }
}

static uint64_t
times_in_loops(int depth, uint64_t cost)
{
    uint64_t weight = 1;
    for (int k = 0; k < depth && k < MOST_DEPTH; k++)
        weight *= cost;
    return weight;
}

/* An access to an element of so many bytes. */
static void
reckon(struct ids address, uint64_t size, int depth, bool is_load, struct lw_columns *out)
{
    for (unsigned k = 0; k < 3; k++)
        if (address.of[k])
            address.of[k] = address.of[k] > NEAR * size ? FAR : UNIT;
    uint64_t weight = times_in_loops(depth, LOOP_COST), rounds = times_in_loops(depth, LOOP_ROUNDS);
    for (unsigned k = 0; k < 3; k++) {
        out->lane_cost[k] += address.of[k] == FAR ? weight * FAR_COST : weight;
        out->beside[k] += address.of[k] == UNIT ? rounds : 0;
    }
    for (unsigned k = 0; k < 9 && is_load && depth > 0; k++)
        out->shared[k / 3][k % 3] += address.of[k / 3] == FAR && address.of[k % 3] == NONE ? weight : 0;
    out->any |= address.of[0] == FAR && address.of[1] == UNIT;
}

/* Of a kernel's parameters, in their order. */
static void
mark_ones(const lw_module *m, const struct lw_spirv_function *kernel, uint64_t ones, struct ids *at)
{
    uint32_t k = 0;
    for (uint32_t i = kernel->first_param; i < kernel->end && k < 64; i++)
        if (m->insts[i].op == SpvOpFunctionParameter)
            at[m->insts[i].result].is_one = ones >> k++ & 1;
}

/* Loads and stores of OpenCL.std: component by component at a pointer, behind an offset in whole vectors. */
static void
reckon_vector(const lw_module *m, const struct lw_inst *i, const struct ids *at, int depth,
              struct lw_columns *out)
{
    uint32_t number = lw_word(m, i, 4);
    if (m->ext_sets[lw_word(m, i, 3)] != LW_EXT_OPENCL_STD || number < OpenCLstd_Vloadn ||
        number > OpenCLstd_Vstorea_halfn_r)
        return;
    bool is_load = number == OpenCLstd_Vloadn || number == OpenCLstd_Vload_half ||
                   number == OpenCLstd_Vload_halfn || number == OpenCLstd_Vloada_halfn;
    uint32_t offset = lw_word(m, i, is_load ? 5 : 6), pointer = lw_word(m, i, is_load ? 6 : 7);
    uint32_t type = is_load ? i->type : lw_type_of(m, lw_word(m, i, 5));
    uint64_t size = pointee_size(m, lw_type_of(m, pointer)) * lw_value_of_type(m, type).lanes;
    if (is_common(m, pointer) && size)
        reckon(sum(at[pointer], times(at[offset], size)), size, depth, is_load, out);
}

void
lw_reflect_columns(const lw_module *m, uint32_t index, const struct lw_kernel_desc *d, uint64_t ones,
                   struct lw_columns *out)
{
    const struct lw_spirv_function *function = &m->functions[index];
    struct ids *at = calloc(m->bound, sizeof *at);
    int32_t *depth = calloc(function->end - function->inst + 1u, sizeof *depth), now = 0;

    if (at && depth)
        mark_loops(m, function, depth);
    if (at && index == d->function)
        mark_ones(m, function, ones, at);
    for (uint32_t k = function->inst; at && depth && k < function->end; k++) {
        const struct lw_inst *i = &m->insts[k];
        now += depth[k - function->inst];
        out->work += times_in_loops(now, LOOP_ROUNDS);
        if (i->op == SpvOpLoad || i->op == SpvOpStore) {
            uint32_t pointer = lw_word(m, i, i->op == SpvOpStore ? 1 : 3);
            if (is_common(m, pointer))
                reckon(at[pointer], pointee_size(m, lw_type_of(m, pointer)), now, i->op == SpvOpLoad, out);
        } else if (i->result && i->op != SpvOpFunctionParameter) {
            at[i->result] = follow(m, i, at);
        }
        if (i->op == SpvOpExtInst)
            reckon_vector(m, i, at, now, out);
    }
    free(at);
    free(depth);
}
