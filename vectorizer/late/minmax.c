/* SPDX-License-Identifier: MIT */
/* fmin and fmax of lanes, which ignore one NaN, where x86's own minimum and maximum do not.
 *
 * Enters: a module after its last LLVM pass. Leaves: the same values. On AVX-512 each operation becomes
 * vrangeps or vrangepd, which is one instruction where LLVM 22 makes three (minmax_range.c), or two
 * instructions of halves, which have none. Below, of halves, and where that saves enough, networks of them
 * (sorting, medians) are written twice (minmax_twice.c): once for inputs without NaN, where each operation is
 * one instruction, and as they were. Of networks without NaN, integers'
 * too, operations that their results do not need are left out (minmax_network.c). Relies on: neither fmin nor
 * fmax making a NaN of anything but two. Never: touches scalars.
 */
#include <string.h>

#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../facts/memory_effects.h"
#include "../flow/module_pass.h"
#include "../lanes/internal.h"
#include "minmax_internal.h"
#include "minmax_network.h"
#include "minmax_range.h"

/* LEAST_LEFT_OUT: on AVX-512, beside one for each comparison that looks for NaN. */
enum { LEAST_NODES = 8, MOST_NODES = 500, LEAST_LEFT_OUT = 4 };

/* FLOATS ignore one NaN, FINITE ones promise that there is none. */
enum family { FLOATS, FINITE, SIGNED, UNSIGNED, FAMILIES };

static bool
is_min_max(V i, enum family family, bool *max)
{
    /* Of floats, those that a signalling NaN is a NaN for like others, and those of reductions. */
    static const char *const names[FAMILIES][4] = {
        {"llvm.minimumnum.", "llvm.maximumnum.", "llvm.minnum.", "llvm.maxnum."},
        {"llvm.minimumnum.", "llvm.maximumnum.", "llvm.minnum.", "llvm.maxnum."},
        {"llvm.smin.", "llvm.smax."},
        {"llvm.umin.", "llvm.umax."}};

    if (!LLVMIsACallInst(i) || !lw_lane_is_vector(i))
        return false;
    LLVMTypeKind element = LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(i)));
    bool floats =
        element == LLVMHalfTypeKind || element == LLVMFloatTypeKind || element == LLVMDoubleTypeKind;
    if (floats != (family <= FINITE))
        return false;
    for (unsigned k = 0; k < 4 && names[family][k]; k++) {
        if (!lw_is_call_like(i, names[family][k]))
            continue;
        bool finite = floats && (LLVMGetFastMathFlags(i) & LLVMFastMathNoNaNs);
        *max = k & 1;
        return (!floats || finite == (family == FINITE)) && !LLVMIsConstant(LLVMGetOperand(i, 0)) &&
               !LLVMIsConstant(LLVMGetOperand(i, 1));
    }
    return false;
}

static bool
is_of_halves(V i)
{
    return LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(i))) == LLVMHalfTypeKind;
}

/* ---- networks ---- */

static struct lw_network_member *
find(const struct lw_min_max_network *n, V value)
{
    uint32_t number = lw_value_map_get(n->numbers, value);
    return number == UINT32_MAX ? NULL : &n->all[number];
}

static enum lw_network_place
place_of(const struct lw_min_max_network *n, V value)
{
    const struct lw_network_member *m = find(n, value);
    return m && m >= n->all + n->start ? m->place : LW_STAYS;
}

struct lw_network_member *
lw_node_at(const struct lw_min_max_network *n, uint32_t k)
{
    return n->all[k].place == LW_NODE ? &n->all[k] : NULL;
}

struct lw_network_member *
lw_node_of(const struct lw_min_max_network *n, V value)
{
    return place_of(n, value) == LW_NODE ? find(n, value) : NULL;
}

bool
lw_is_used_outside(const struct lw_min_max_network *n, V node)
{
    for (LLVMUseRef u = LLVMGetFirstUse(node); u; u = LLVMGetNextUse(u))
        if (place_of(n, LLVMGetUser(u)) != LW_NODE)
            return true;
    return false;
}

static void
list_block(struct lw_min_max_network *n, struct lw_arena *arena, LLVMBasicBlockRef block)
{
    uint32_t count = 0;

    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        count++;
    n->all = LW_ARENA_NEW(arena, struct lw_network_member, count);
    n->numbers = lw_value_map_create(arena, count);
    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        lw_value_map_add(n->numbers, i, n->count);
        n->all[n->count++].value = i;
    }
}

static bool
depends_on_network(const struct lw_min_max_network *n, V i)
{
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
        if (place_of(n, LLVMGetOperand(i, k)) != LW_STAYS)
            return true;
    return false;
}

static bool
keeps_its_order(V i)
{
    return LLVMIsATerminatorInst(i) || lw_memory_effect(i) != LW_NO_MEMORY;
}

/* May the operation join: are its inputs nodes, or known before all of them? Adds its leaves. */
static bool
join(struct lw_min_max_network *n, V i)
{
    uint32_t before = n->leaf_count;

    for (unsigned k = 0; k < 2; k++) {
        V operand = LLVMGetOperand(i, k);
        enum lw_network_place place = place_of(n, operand);
        bool known = false;
        if (place == LW_NODE)
            continue;
        for (uint32_t leaf = 0; leaf < n->leaf_count; leaf++)
            known |= n->leaves[leaf] == operand;
        if (!known && (place != LW_STAYS || n->leaf_count == LW_NETWORK_LEAVES)) {
            n->leaf_count = before;
            return false;
        }
        if (!known)
            n->leaves[n->leaf_count++] = operand;
    }
    return true;
}

static bool
worth_it(const struct lw_min_max_network *n)
{
    return n->nodes >= LEAST_NODES && n->nodes >= n->leaf_count + n->leaf_count / 2;
}

static void
begin(struct lw_min_max_network *n, uint32_t number)
{
    for (uint32_t k = number; k < n->count; k++)
        n->all[k].place = LW_STAYS;
    n->start = n->end = number;
    n->nodes = n->leaf_count = 0;
    n->memory_behind = false;
}

/* The first network of the block that is worth it. */
static bool
find_network(struct lw_min_max_network *n, enum family family)
{
    bool open = false;

    for (uint32_t k = 0; k < n->count; k++) {
        struct lw_network_member *m = &n->all[k];
        V i = m->value;
        bool node = is_min_max(i, family, &m->max) &&
                    (!open || LLVMTypeOf(i) == LLVMTypeOf(n->all[n->start].value));
        if (node && !open) {
            begin(n, k);
            open = true;
        }
        if (!open)
            continue;
        if (node && (n->nodes == MOST_NODES || !join(n, i))) {
            if (worth_it(n))
                break;
            begin(n, k);
            join(n, i);
        }
        if (node) {
            m->place = LW_NODE;
            n->end = k;
            n->nodes++;
        } else if (depends_on_network(n, i) || (n->memory_behind && keeps_its_order(i))) {
            m->place = LW_BEHIND;
            n->memory_behind |= keeps_its_order(i);
        }
    }
    return open && worth_it(n);
}

/* ---- what results do not need ---- */

static uint64_t
leaves_of(const struct lw_min_max_network *n, V value)
{
    struct lw_network_member *at = lw_node_of(n, value);
    unsigned leaf = 0;

    while (!at && n->leaves[leaf] != value)
        leaf++;
    return at ? at->leaves : UINT64_C(1) << leaf;
}

/* Leaves that meet in no node belong to different groups, as those of sub-groups side by side do. */
static unsigned
find_groups(struct lw_min_max_network *n, uint64_t *groups)
{
    unsigned count = 0;

    for (uint32_t k = n->start; k <= n->end; k++) {
        struct lw_network_member *at = lw_node_at(n, k);
        if (!at)
            continue;
        at->leaves = leaves_of(n, LLVMGetOperand(at->value, 0)) | leaves_of(n, LLVMGetOperand(at->value, 1));
        uint64_t all = at->leaves;
        unsigned kept = 0;
        for (unsigned g = 0; g < count; g++) {
            if (groups[g] & at->leaves)
                all |= groups[g];
            else
                groups[kept++] = groups[g];
        }
        groups[kept] = all;
        count = kept + 1;
    }
    return count;
}

static uint8_t
number_in(const struct lw_min_max_network *n, uint64_t group, V value)
{
    struct lw_network_member *at = lw_node_of(n, value);

    return at ? at->in_group : (uint8_t)__builtin_popcountll(group & (leaves_of(n, value) - 1));
}

/* The operations of a group; false: too many. */
static bool
read_group(struct lw_min_max_network *n, uint64_t group, struct lw_network *net, V *values)
{
    net->inputs = (unsigned)__builtin_popcountll(group);
    net->count = 0;
    if (net->inputs > LW_NETWORK_INPUTS)
        return false;
    for (uint32_t leaf = 0; leaf < n->leaf_count; leaf++)
        if (group >> leaf & 1)
            values[number_in(n, group, n->leaves[leaf])] = n->leaves[leaf];
    for (uint32_t k = n->start; k <= n->end; k++) {
        struct lw_network_member *at = lw_node_at(n, k);
        if (!at || !(at->leaves & group))
            continue;
        if (net->count == LW_NETWORK_OPS)
            return false;
        struct lw_network_op *op = &net->ops[net->count];
        *op = (struct lw_network_op){.a = number_in(n, group, LLVMGetOperand(at->value, 0)),
                                     .b = number_in(n, group, LLVMGetOperand(at->value, 1)),
                                     .max = at->max,
                                     .output = lw_is_used_outside(n, at->value)};
        at->in_group = (uint8_t)(net->inputs + net->count++);
        values[at->in_group] = at->value;
    }
    return true;
}

static void
simplify(struct lw_min_max_network *n)
{
    uint64_t groups[LW_NETWORK_LEAVES];
    unsigned count = find_groups(n, groups);
    struct lw_network net;
    V values[LW_NETWORK_INPUTS + LW_NETWORK_OPS];

    for (unsigned g = 0; g < count; g++) {
        if (!read_group(n, groups[g], &net, values))
            continue;
        lw_simplify_network(&net);
        for (unsigned k = 0; k < net.count; k++) {
            struct lw_network_member *at = find(n, values[net.inputs + k]);
            unsigned becomes = lw_network_value(&net, net.inputs + k);
            at->gone = !net.ops[k].live;
            n->left_out += at->gone;
            at->instead = at->gone && becomes != net.inputs + k ? values[becomes] : NULL;
            at->operands[0] = values[net.ops[k].a];
            at->operands[1] = values[net.ops[k].b];
        }
    }
}

/* Where there is no NaN. */
static void
simplify_in_place(struct lw_min_max_network *n)
{
    for (uint32_t k = n->start; k <= n->end; k++) {
        struct lw_network_member *at = lw_node_at(n, k);
        if (at && at->instead)
            LLVMReplaceAllUsesWith(at->value, at->instead);
        for (unsigned o = 0; at && !at->gone && at->operands[0] && o < 2; o++)
            LLVMSetOperand(at->value, o, at->operands[o]);
    }
    for (uint32_t k = n->end + 1; k-- > n->start;) {
        struct lw_network_member *at = lw_node_at(n, k);
        if (at && at->gone)
            LLVMInstructionEraseFromParent(at->value);
    }
}

/* ---- blocks ---- */

/* For want of memory a block stays as it is. */
struct visit {
    lw_lanes *l;
    LLVMBasicBlockRef block, rest; /* rest: out, what stands behind a network that was written twice */
    enum family family;
};

static void
split_at_network(struct lw_arena *arena, void *data)
{
    struct visit *v = data;
    struct lw_min_max_network n = {0};

    list_block(&n, arena, v->block);
    if (!find_network(&n, FLOATS))
        return;
    simplify(&n);
    if (!lw_isa_row(v->l->isa)->mask_registers || is_of_halves(n.all[n.start].value) ||
        n.left_out >= n.leaf_count / 2 + LEAST_LEFT_OUT)
        v->rest = lw_write_network_twice(&n, v->l, v->block);
}

/* The block's first network of this family. */
static void
simplify_block(struct lw_arena *arena, void *data)
{
    struct visit *v = data;
    struct lw_min_max_network n = {0};

    list_block(&n, arena, v->block);
    if (!find_network(&n, v->family))
        return;
    simplify(&n);
    simplify_in_place(&n);
}

static void
settle_block(lw_lanes *l, LLVMBasicBlockRef block, bool twice)
{
    unsigned count[FAMILIES] = {0};
    bool max;

    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        for (enum family family = FLOATS; LLVMIsACallInst(i) && family < FAMILIES; family++)
            if (is_min_max(i, family, &max)) {
                count[family]++;
                break;
            }
    for (enum family family = FINITE; family < FAMILIES; family++)
        if (count[family] >= LEAST_NODES)
            lw_with_arena(simplify_block, &(struct visit){l, block, NULL, family});
    for (LLVMBasicBlockRef b = block; b && twice && count[FLOATS] >= LEAST_NODES;) {
        struct visit v = {l, b, NULL, FLOATS};
        lw_with_arena(split_at_network, &v);
        b = v.rest;
    }
}

/* The processor's own takes its second operand where either is NaN: right but where that one is. What was
 * loaded is looked at, and no chain of them waits for it. */
static void
by_comparison(lw_lanes *l, V i, bool max)
{
    LLVMBuilderRef builder = l->builder;
    V a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);

    if (LLVMIsALoadInst(a)) {
        V loaded = a;
        a = b;
        b = loaded;
    }
    LLVMPositionBuilderBefore(builder, i);
    V first = LLVMBuildFCmp(builder, max ? LLVMRealOGT : LLVMRealOLT, a, b, "");
    V least = LLVMBuildSelect(builder, first, a, b, "");
    V number = LLVMBuildFCmp(builder, LLVMRealORD, b, b, "");
    lw_replace(i, LLVMBuildSelect(builder, number, least, a, ""));
}

static void
make_ranges(lw_lanes *l, V function)
{
    struct lw_minmax_ranges ranges = {.lanes = l, .function = function};
    V following;
    bool max;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (V i = LLVMGetFirstInstruction(b); i; i = following) {
            following = LLVMGetNextInstruction(i);
            if (!is_min_max(i, FLOATS, &max))
                continue;
            if (!is_of_halves(i))
                lw_minmax_range(&ranges, i, max);
            else if (lw_isa_row(l->isa)->computes_halves)
                by_comparison(l, i, max);
        }
}

/* OpenCL leaves open which zero is the lesser, and x86 would need two or three instructions for it. Not
 * before: LLVM takes sums with +0, of operands and of the result, for superfluous then; -0 gets through. */
static void
leave_zeros_open(V f)
{
    for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use)) {
        V call = LLVMGetUser(use);
        if (LLVMIsACallInst(call))
            LLVMSetFastMathFlags(call, LLVMGetFastMathFlags(call) | LLVMFastMathNoSignedZeros);
    }
}

void
lw_settle_min_max(LLVMModuleRef module, lw_isa isa, bool soon)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    lw_lanes l = {
        .context = context, .module = module, .isa = isa, .builder = LLVMCreateBuilderInContext(context)};

    for (V f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        const char *name = LLVMGetValueName(f);
        if (!strncmp(name, "llvm.minimumnum.", 16) || !strncmp(name, "llvm.maximumnum.", 16))
            leave_zeros_open(f);
        LLVMBasicBlockRef last = LLVMGetLastBasicBlock(f); /* what is written out stands behind it */
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f), next; b; b = next) {
            next = b == last ? NULL : LLVMGetNextBasicBlock(b);
            settle_block(&l, b, !lw_isa_row(isa)->mask_registers || !soon);
        }
        if (isa >= LW_ISA_AVX512)
            make_ranges(&l, f);
    }
    LLVMDisposeBuilder(l.builder);
}
