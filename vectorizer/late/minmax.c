/* SPDX-License-Identifier: MIT */
/* fmin and fmax of lanes, which ignore one NaN, where x86's own minimum and maximum do not.
 *
 * Enters: a module after its last LLVM pass. Leaves: the same values. On AVX-512 each operation becomes
 * vrangeps or vrangepd, which is one instruction where LLVM 22 makes three (minmax_range.c), or two
 * instructions of halves, which have none. Below, of halves, and where that saves enough, networks of them
 * (sorting, medians) are written twice: once for inputs without NaN, where each operation is one
 * instruction, and as they were; what chooses is one test of all inputs. Of networks without NaN, integers'
 * too, operations that their results do not need are left out (minmax_network.c). Relies on: neither fmin nor
 * fmax making a NaN of anything but two. Never: touches scalars.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../lanes/internal.h"
#include "../facts/memory_effects.h"
#include "minmax_network.h"
#include "minmax_range.h"
#include "../../src/compiler.h"

/* LEAST_LEFT_OUT: on AVX-512, beside one for each comparison that looks for NaN. */
enum { LEAST_NODES = 8, MOST_NODES = 500, MOST_LEAVES = 64, LEAST_LEFT_OUT = 4 };

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

enum place { STAYS, NODE, BEHIND };

struct numbered {
    V value, fast; /* a node's copy for inputs without NaN */
    uint32_t number;
    uint64_t leaves;  /* of a node: what it depends on */
    V operands[2];    /* where it was looked at: what is left of it */
    V instead;        /* nothing of it is left but this, if anything */
    uint8_t in_group; /* its number there */
    bool gone;
};

/* Operations of one block, from one to the last that depend on nothing but each other and what can stand
 * before all of them. */
struct network {
    V *order; /* the block's instructions */
    struct numbered *sorted;
    uint8_t *place;
    enum family family;
    unsigned left_out;                 /* nodes that are not needed */
    uint32_t count, start, end, nodes; /* end: the last node */
    V leaves[MOST_LEAVES];
    uint32_t leaf_count;
    bool memory_behind;
};

static int
compare(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct numbered *)a)->value,
              y = (uintptr_t)((const struct numbered *)b)->value;
    return x < y ? -1 : x > y;
}

static struct numbered *
find(const struct network *n, V value)
{
    struct numbered key = {.value = value};
    return bsearch(&key, n->sorted, n->count, sizeof *n->sorted, compare);
}

static bool
list_block(struct network *n, LLVMBasicBlockRef block)
{
    uint32_t count = 0;

    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        count++;
    n->order = calloc(count + 1, sizeof *n->order);
    n->sorted = calloc(count + 1, sizeof *n->sorted);
    n->place = calloc(count + 1, sizeof *n->place);
    if (!n->order || !n->sorted || !n->place)
        return false;
    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        n->order[n->count] = i;
        n->sorted[n->count] = (struct numbered){.value = i, .number = n->count};
        n->count++;
    }
    qsort(n->sorted, n->count, sizeof *n->sorted, compare);
    return true;
}

static bool
depends_on_network(const struct network *n, V i, uint32_t number)
{
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
        struct numbered *at = find(n, LLVMGetOperand(i, k));
        if (at && at->number < number && at->number >= n->start && n->place[at->number] != STAYS)
            return true;
    }
    return false;
}

static bool
keeps_its_order(V i)
{
    return LLVMIsATerminatorInst(i) || lw_memory_effect(i) != LW_NO_MEMORY;
}

/* May the operation join: are its inputs nodes, or known before all of them? Adds its leaves. */
static bool
join(struct network *n, V i)
{
    uint32_t before = n->leaf_count;

    for (unsigned k = 0; k < 2; k++) {
        V operand = LLVMGetOperand(i, k);
        struct numbered *at = find(n, operand);
        bool node = at && at->number >= n->start && n->place[at->number] == NODE, known = false;
        if (node)
            continue;
        for (uint32_t leaf = 0; leaf < n->leaf_count; leaf++)
            known |= n->leaves[leaf] == operand;
        if (!known && ((at && at->number >= n->start && n->place[at->number] != STAYS) ||
                       n->leaf_count == MOST_LEAVES)) {
            n->leaf_count = before;
            return false;
        }
        if (!known)
            n->leaves[n->leaf_count++] = operand;
    }
    return true;
}

static bool
worth_it(const struct network *n)
{
    return n->nodes >= LEAST_NODES && n->nodes >= n->leaf_count + n->leaf_count / 2;
}

static void
begin(struct network *n, uint32_t number)
{
    memset(n->place + number, STAYS, n->count - number);
    n->start = n->end = number;
    n->nodes = n->leaf_count = 0;
    n->memory_behind = false;
}

/* The first network of the block that is worth it. */
static bool
find_network(struct network *n)
{
    bool open = false, max;

    for (uint32_t k = 0; k < n->count; k++) {
        V i = n->order[k];
        bool node =
            is_min_max(i, n->family, &max) && (!open || LLVMTypeOf(i) == LLVMTypeOf(n->order[n->start]));
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
            n->place[k] = NODE;
            n->end = k;
            n->nodes++;
        } else if (depends_on_network(n, i, k) || (n->memory_behind && keeps_its_order(i))) {
            n->place[k] = BEHIND;
            n->memory_behind |= keeps_its_order(i);
        }
    }
    return open && worth_it(n);
}

/* ---- what results do not need ---- */

static bool
used_outside(const struct network *n, V node)
{
    for (LLVMUseRef u = LLVMGetFirstUse(node); u; u = LLVMGetNextUse(u)) {
        struct numbered *at = find(n, LLVMGetUser(u));
        if (!at || n->place[at->number] != NODE)
            return true;
    }
    return false;
}

/* The node at `k`; NULL: none. */
static struct numbered *
node_at(const struct network *n, uint32_t k)
{
    return n->place[k] == NODE ? find(n, n->order[k]) : NULL;
}

static struct numbered *
node_of(const struct network *n, V value)
{
    struct numbered *at = find(n, value);
    return at && at->number >= n->start && n->place[at->number] == NODE ? at : NULL;
}

static uint64_t
leaves_of(const struct network *n, V value)
{
    struct numbered *at = node_of(n, value);
    unsigned leaf = 0;

    while (!at && n->leaves[leaf] != value)
        leaf++;
    return at ? at->leaves : UINT64_C(1) << leaf;
}

/* Leaves that meet in no node belong to different groups, as those of sub-groups side by side do. */
static unsigned
find_groups(struct network *n, uint64_t *groups)
{
    unsigned count = 0;

    for (uint32_t k = n->start; k <= n->end; k++) {
        struct numbered *at = node_at(n, k);
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
number_in(const struct network *n, uint64_t group, V value)
{
    struct numbered *at = node_of(n, value);

    return at ? at->in_group : (uint8_t)__builtin_popcountll(group & (leaves_of(n, value) - 1));
}

/* The operations of a group; false: too many. */
static bool
read_group(struct network *n, uint64_t group, struct lw_network *net, V *values)
{
    net->inputs = (unsigned)__builtin_popcountll(group);
    net->count = 0;
    if (net->inputs > LW_NETWORK_INPUTS)
        return false;
    for (uint32_t leaf = 0; leaf < n->leaf_count; leaf++)
        if (group >> leaf & 1)
            values[number_in(n, group, n->leaves[leaf])] = n->leaves[leaf];
    for (uint32_t k = n->start; k <= n->end; k++) {
        struct numbered *at = node_at(n, k);
        if (!at || !(at->leaves & group))
            continue;
        if (net->count == LW_NETWORK_OPS)
            return false;
        struct lw_network_op *op = &net->ops[net->count];
        *op = (struct lw_network_op){.a = number_in(n, group, LLVMGetOperand(at->value, 0)),
                                     .b = number_in(n, group, LLVMGetOperand(at->value, 1)),
                                     .output = used_outside(n, at->value)};
        is_min_max(at->value, n->family, &op->max);
        at->in_group = (uint8_t)(net->inputs + net->count++);
        values[at->in_group] = at->value;
    }
    return true;
}

static void
simplify(struct network *n)
{
    uint64_t groups[MOST_LEAVES];
    unsigned count = find_groups(n, groups);
    struct lw_network net;
    V values[LW_NETWORK_INPUTS + LW_NETWORK_OPS];

    for (unsigned g = 0; g < count; g++) {
        if (!read_group(n, groups[g], &net, values))
            continue;
        lw_simplify_network(&net);
        for (unsigned k = 0; k < net.count; k++) {
            struct numbered *at = find(n, values[net.inputs + k]);
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
simplify_in_place(struct network *n)
{
    for (uint32_t k = n->start; k <= n->end; k++) {
        struct numbered *at = node_at(n, k);
        if (at && at->instead)
            LLVMReplaceAllUsesWith(at->value, at->instead);
        for (unsigned o = 0; at && !at->gone && at->operands[0] && o < 2; o++)
            LLVMSetOperand(at->value, o, at->operands[o]);
    }
    for (uint32_t k = n->end + 1; k-- > n->start;) {
        struct numbered *at = node_at(n, k);
        if (at && at->gone)
            LLVMInstructionEraseFromParent(at->value);
    }
}

/* ---- written twice ---- */

/* With mask registers each comparison takes the mask of those before it, where an `or` is one more. */
static V
any_nan(lw_lanes *l, const struct network *n)
{
    LLVMBuilderRef b = l->builder;
    bool masked = lw_isa_row(l->isa)->mask_registers;
    V any = NULL;

    for (uint32_t k = 0; k < n->leaf_count; k += 2) {
        V other = n->leaves[k + 1 < n->leaf_count ? k + 1 : k];
        V test = LLVMBuildFCmp(b, masked ? LLVMRealORD : LLVMRealUNO, n->leaves[k], other, "");
        any = !any ? test : masked ? LLVMBuildAnd(b, any, test, "") : LLVMBuildOr(b, any, test, "");
    }
    LLVMTypeRef type = lw_lane_int_type(l, LLVMGetVectorSize(LLVMTypeOf(any)));
    V bits = LLVMBuildBitCast(b, any, type, "any_nan");
    return LLVMBuildICmp(b, LLVMIntNE, bits, masked ? LLVMConstAllOnes(type) : LLVMConstNull(type), "");
}

static void
move(lw_lanes *l, V i)
{
    LLVMInstructionRemoveFromParent(i);
    LLVMInsertIntoBuilder(l->builder, i);
}

/* What jumped from one block jumps from another now. */
static void
rename_in_phis(lw_lanes *l, LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    V next;

    for (V phi = LLVMGetFirstInstruction(block); phi && LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilder(l->builder, block, phi);
        V made = LLVMBuildPhi(l->builder, LLVMTypeOf(phi), "");
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            V value = LLVMGetIncomingValue(phi, k);
            LLVMBasicBlockRef block_of = LLVMGetIncomingBlock(phi, k);
            LLVMAddIncoming(made, &value, block_of == from ? &to : &block_of, 1);
        }
        lw_replace(phi, made);
    }
}

/* The copies, in a block of their own. */
static void
write_fast(const struct network *n, lw_lanes *l)
{
    for (uint32_t k = n->start; k <= n->end; k++) {
        struct numbered *node = node_at(n, k);
        if (!node)
            continue;
        if (node->gone) {
            struct numbered *at = node->instead ? node_of(n, node->instead) : NULL;
            node->fast = at ? at->fast : node->instead;
            continue;
        }
        V copy = LLVMInstructionClone(node->value);
        for (unsigned o = 0; o < 2; o++) {
            V operand = node->operands[o] ? node->operands[o] : LLVMGetOperand(copy, o);
            struct numbered *at = node_of(n, operand);
            LLVMSetOperand(copy, o, at ? at->fast : operand);
        }
        LLVMSetFastMathFlags(copy, LLVMGetFastMathFlags(copy) | LLVMFastMathNoNaNs);
        LLVMInsertIntoBuilder(l->builder, copy);
        node->fast = copy;
    }
}

/* Phis for what is used behind the network; its nodes are used by each other too, and stay so. */
static void
join_values(const struct network *n, lw_lanes *l, LLVMBasicBlockRef fast, LLVMBasicBlockRef slow)
{
    for (uint32_t k = n->start; k <= n->end; k++) {
        V node = n->order[k];
        if (n->place[k] != NODE || !used_outside(n, node))
            continue;
        V phi = LLVMBuildPhi(l->builder, LLVMTypeOf(node), "");
        LLVMReplaceAllUsesWith(node, phi);
        for (uint32_t j = k + 1; j <= n->end; j++)
            for (unsigned o = 0; n->place[j] == NODE && o < 2; o++)
                if (LLVMGetOperand(n->order[j], o) == phi)
                    LLVMSetOperand(n->order[j], o, node);
        LLVMAddIncoming(phi, &find(n, node)->fast, &fast, 1);
        LLVMAddIncoming(phi, &node, &slow, 1);
    }
}

/* Returns the block that holds what came behind the network. */
static LLVMBasicBlockRef
write_twice(struct network *n, lw_lanes *l, LLVMBasicBlockRef block)
{
    V function = LLVMGetBasicBlockParent(block), end = LLVMGetBasicBlockTerminator(block);
    LLVMBasicBlockRef fast = LLVMAppendBasicBlockInContext(l->context, function, "no_nan");
    LLVMBasicBlockRef slow = LLVMAppendBasicBlockInContext(l->context, function, "nan");
    LLVMBasicBlockRef behind = LLVMAppendBasicBlockInContext(l->context, function, "ordered");

    LLVMMoveBasicBlockAfter(fast, block);
    LLVMMoveBasicBlockAfter(behind, fast);
    LLVMPositionBuilderAtEnd(l->builder, fast);
    write_fast(n, l);
    LLVMBuildBr(l->builder, behind);
    LLVMPositionBuilderAtEnd(l->builder, behind);
    join_values(n, l, fast, slow);
    for (uint32_t k = n->start; k < n->count; k++)
        if (k > n->end || n->place[k] == BEHIND)
            move(l, n->order[k]);
    LLVMPositionBuilderAtEnd(l->builder, slow);
    for (uint32_t k = n->start; k <= n->end; k++)
        if (n->place[k] == NODE)
            move(l, n->order[k]);
    LLVMBuildBr(l->builder, behind);
    LLVMPositionBuilderAtEnd(l->builder, block);
    LLVMBuildCondBr(l->builder, any_nan(l, n), slow, fast);
    /* Last: the block may be a loop, and its own phis inputs of the network. */
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
        rename_in_phis(l, LLVMGetSuccessor(end, s), block, behind);
    return behind;
}

static void
free_network(struct network *n)
{
    free(n->order);
    free(n->sorted);
    free(n->place);
}

static LLVMBasicBlockRef
split_at_network(lw_lanes *l, LLVMBasicBlockRef block)
{
    struct network n = {.family = FLOATS};
    LLVMBasicBlockRef rest = NULL;

    if (list_block(&n, block) && find_network(&n)) {
        simplify(&n);
        if (!lw_isa_row(l->isa)->mask_registers || is_of_halves(n.order[n.start]) ||
            n.left_out >= n.leaf_count / 2 + LEAST_LEFT_OUT)
            rest = write_twice(&n, l, block);
    }
    free_network(&n);
    return rest;
}

/* The block's first network of this family. */
static void
simplify_block(LLVMBasicBlockRef block, enum family family)
{
    struct network n = {.family = family};

    if (list_block(&n, block) && find_network(&n)) {
        simplify(&n);
        simplify_in_place(&n);
    }
    free_network(&n);
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
            simplify_block(block, family);
    while (block && twice && count[FLOATS] >= LEAST_NODES)
        block = split_at_network(l, block);
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
