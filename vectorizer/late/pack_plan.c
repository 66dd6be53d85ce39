/* SPDX-License-Identifier: MIT */
/* What a group of rows becomes: nodes, down to loads, reductions and single values, and whether that is less
 * than there was. Computes, changes nothing.
 *
 * Enters: rows, equal instructions of the block read. Leaves: p->nodes, and whether they save instructions.
 * Relies on: what lw_pack_read_block found to stand between accesses.
 */
#include <string.h>

#include "../facts/calls.h"
#include "../facts/elementwise.h"
#include "pack_internal.h"

/* ---- planning ---- */

static const char *const elementwise[] = {
    "llvm.smin.",     "llvm.smax.",     "llvm.umin.",     "llvm.umax.",     "llvm.minnum.",
    "llvm.maxnum.",   "llvm.fma.",      "llvm.fabs.",     "llvm.sqrt.",     "llvm.ctpop.",
    "llvm.uadd.sat.", "llvm.sadd.sat.", "llvm.usub.sat.", "llvm.ssub.sat.", "llvm.copysign.",
    "llvm.minimumnum.", "llvm.maximumnum.", "llvm.rint.", "llvm.roundeven.",
};

/* "llvm.smin", of a call that works on each lane alone; NULL: none. */
const char *
lw_pack_elementwise(V call, char *name, size_t size)
{
    const char *full = lw_called(call);

    for (size_t k = 0; k < sizeof elementwise / sizeof elementwise[0]; k++) {
        size_t n = strlen(elementwise[k]);
        if (strncmp(full, elementwise[k], n) || n > size)
            continue;
        memcpy(name, full, n - 1);
        name[n - 1] = '\0';
        return name;
    }
    return NULL;
}

static bool
is_elementwise(V i)
{
    char name[32];

    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMCall:
        return lw_pack_elementwise(i, name, sizeof name) != NULL;
    case LLVMBitCast:
        return lw_lane_count(i) == lw_lane_count(LLVMGetOperand(i, 0));
    case LLVMSelect:
        return lw_lane_is_vector(LLVMGetOperand(i, 0)) == lw_lane_is_vector(i);
    default:
        return lw_is_elementwise(i);
    }
}

static bool
alike(V a, V b)
{
    if (LLVMTypeOf(a) != LLVMTypeOf(b) || !lw_is_same_operation(a, b))
        return false;
    if (LLVMGetNumOperands(a) && LLVMTypeOf(LLVMGetOperand(a, 0)) != LLVMTypeOf(LLVMGetOperand(b, 0)))
        return false;
    switch (LLVMGetInstructionOpcode(a)) {
    case LLVMExtractElement:
        return LLVMGetOperand(a, 1) == LLVMGetOperand(b, 1);
    case LLVMShuffleVector:
        for (unsigned k = 0; k < lw_lane_count(a); k++)
            if (LLVMGetMaskValue(a, k) != LLVMGetMaskValue(b, k))
                return false;
        return true;
    default:
        return true;
    }
}

/* Loads of consecutive addresses, with nothing between them that may write. */
static bool
is_row_of_loads(struct packer *p, V *rows, unsigned count)
{
    uint32_t first = UINT32_MAX, last = lw_pack_last_place(p, rows, count);
    int64_t size = (int64_t)LLVMABISizeOfType(p->layout, LLVMTypeOf(rows[0]));
    struct address a, b;

    if ((uint64_t)size * 8 != LLVMSizeOfTypeInBits(p->layout, LLVMTypeOf(rows[0])))
        return false;
    for (unsigned k = 0; k < count; k++) {
        uint32_t at = lw_pack_place(p, rows[k]);
        first = at < first ? at : first;
        if (lw_is_ordered_access(rows[k]))
            return false;
    }
    if (p->writes[first] != p->writes[last] || !lw_pack_address(p->layout, LLVMGetOperand(rows[0], 0), &a))
        return false;
    for (unsigned k = 1; k < count; k++)
        if (!lw_pack_address(p->layout, LLVMGetOperand(rows[k], 0), &b) ||
            !lw_pack_follows(&a, &b, (int64_t)k * size))
            return false;
    return true;
}

/* LLVM 22 takes wrong lanes of halves that were extended together and then chosen from. */
static bool
chooses_extended(V shuffle)
{
    return LLVMIsAFPExtInst(LLVMGetOperand(shuffle, 0)) || LLVMIsAFPExtInst(LLVMGetOperand(shuffle, 1));
}

static enum kind
kind_of(struct packer *p, V *rows, unsigned count, enum lw_group_op *op)
{
    bool same = true, constant = true;

    for (unsigned k = 0; k < count; k++) {
        same &= rows[k] == rows[0];
        constant &= LLVMIsConstant(rows[k]) && !LLVMIsAConstantExpr(rows[k]) && !LLVMIsAGlobalValue(rows[k]);
    }
    if (constant)
        return CONSTANT;
    if (same)
        return SAME;
    for (unsigned k = 0; k < count; k++)
        if (lw_pack_place(p, rows[k]) == UINT32_MAX || !alike(rows[0], rows[k]))
            return LEAF;
    if (lw_is_reduction(rows[0], op)) /* masks are tested as bits */
        return lw_lane_bits(LLVMTypeOf(rows[0])) >= 8 ? REDUCTION : LEAF;
    if (is_elementwise(rows[0]))
        return ELEMENTWISE;
    switch (LLVMGetInstructionOpcode(rows[0])) {
    case LLVMLoad:
        return is_row_of_loads(p, rows, count) ? LOAD : LEAF;
    case LLVMShuffleVector:
        return chooses_extended(rows[0]) ? LEAF : SHUFFLE;
    case LLVMExtractElement:
        return LLVMIsAConstantInt(LLVMGetOperand(rows[0], 1)) ? EXTRACT : LEAF;
    case LLVMInsertElement: {
        V into = LLVMGetOperand(rows[0], 0), at = LLVMGetOperand(rows[0], 2);
        bool alone = LLVMIsUndef(into) || LLVMIsPoison(into);
        return alone && LLVMIsAConstantInt(at) && LLVMConstIntGetZExtValue(at) == 0 ? INSERT : LEAF;
    }
    default:
        return LEAF;
    }
}

static bool
plan_operands(struct packer *p, struct node *node, unsigned depth)
{
    unsigned first = node->kind == INSERT, n = (unsigned)LLVMGetNumOperands(node->rows[0]);
    V rows[ROWS];

    n = node->kind == INSERT ? 1 : node->kind == EXTRACT ? 1 : node->opcode == LLVMCall ? n - 1 : n;
    for (unsigned o = 0; o < n; o++) {
        for (unsigned k = 0; k < node->count; k++)
            rows[k] = LLVMGetOperand(node->rows[k], o + first);
        int operand = lw_pack_plan(p, rows, node->count, depth);
        if (operand < 0)
            return false;
        node->operands[node->operand_count++] = (uint8_t)operand;
    }
    return true;
}

/* The rows of a reduction, as many in each part as a register holds. */
static bool
plan_reduction(struct packer *p, struct node *node, unsigned depth)
{
    V x = LLVMGetOperand(node->rows[0], 0), rows[ROWS];
    unsigned lanes = p->register_bits / lw_lane_bits(lw_lane_element(x)), each = lanes / lw_lane_count(x);

    each = each < 1 ? 1 : each > node->count ? node->count : each;
    for (unsigned first = 0; first < node->count; first += each) {
        for (unsigned k = 0; k < each; k++)
            rows[k] = LLVMGetOperand(node->rows[first + k], 0);
        int operand = each > 1 ? lw_pack_plan(p, rows, each, depth) : 0;
        if (operand < 0)
            return false;
        node->operands[node->operand_count++] = (uint8_t)operand;
    }
    return true;
}

static bool
fits(V *rows, unsigned count)
{
    LLVMTypeRef element = lw_lane_element(rows[0]);
    unsigned lanes = lw_lane_count(rows[0]);

    return lw_lane_bits(element) && LLVMGetTypeKind(element) != LLVMPointerTypeKind &&
           lanes * count <= MOST_LANES && !(lanes & (lanes - 1));
}

/* The node of these rows; negative: too much. Recursion: `depth` deep. */
int
lw_pack_plan(struct packer *p, V *rows, unsigned count, unsigned depth)
{
    for (unsigned k = 0; k < p->node_count; k++)
        if (p->nodes[k].count == count && !memcmp(p->nodes[k].rows, rows, count * sizeof *rows))
            return (int)k;
    if (p->node_count == NODES || !depth || !fits(rows, count))
        return -1;
    unsigned number = p->node_count++;
    struct node *node = &p->nodes[number];
    *node = (struct node){.count = (uint8_t)count};
    memcpy(node->rows, rows, count * sizeof *rows);
    node->kind = kind_of(p, rows, count, &node->op);
    node->opcode = LLVMIsAInstruction(rows[0]) ? LLVMGetInstructionOpcode(rows[0]) : LLVMRet;
    bool good = true;
    if (node->kind == REDUCTION)
        good = plan_reduction(p, node, depth - 1);
    else if (node->kind >= ELEMENTWISE)
        good = plan_operands(p, node, depth - 1);
    if (!good) {
        p->node_count = number + 1;
        node->kind = LEAF;
        node->operand_count = 0;
    }
    return (int)number;
}

/* ---- what a plan saves ---- */

static bool
goes_away(struct packer *p, V row)
{
    for (LLVMUseRef u = LLVMGetFirstUse(row); u; u = LLVMGetNextUse(u)) {
        uint32_t at = lw_pack_place(p, LLVMGetUser(u));
        if (at == UINT32_MAX || !p->inside[at])
            return false;
    }
    return true;
}

static int
saving_of(struct packer *p, const struct node *node)
{
    int rows = node->count, less = rows - 1;
    unsigned steps = 0;

    switch (node->kind) {
    case LEAF:
        return lw_lane_is_vector(node->rows[0]) ? -less : -rows;
    case SAME:
    case CONSTANT:
    case INSERT:
    case EXTRACT:
        return 0;
    case REDUCTION:
        while (1u << steps < lw_lane_count(LLVMGetOperand(node->rows[0], 0)))
            steps++;
        return rows * (int)(2 * steps) - 3 * less;
    default:
        break;
    }
    for (int k = 0; k < rows; k++)
        if (!goes_away(p, node->rows[k]))
            return -1;
    return less;
}

static void
put_inside(struct packer *p, V *rows, unsigned count, uint32_t from, uint32_t plan)
{
    for (unsigned k = 0; k < count; k++) {
        uint32_t *inside = &p->inside[lw_pack_place(p, rows[k])];
        *inside = *inside == from ? plan : *inside;
    }
}

/* Of the nodes from `first` on, and the stores. */
bool
lw_pack_saves(struct packer *p, unsigned first, V *stores, unsigned count)
{
    int saving = (int)count - 1;

    p->plan++;
    put_inside(p, stores, count, 0, p->plan);
    for (unsigned n = first; n < p->node_count; n++)
        if (p->nodes[n].kind >= LOAD)
            put_inside(p, p->nodes[n].rows, p->nodes[n].count, 0, p->plan);
    for (unsigned n = first; n < p->node_count; n++)
        saving += saving_of(p, &p->nodes[n]);
    if (saving > 0)
        return true;
    put_inside(p, stores, count, p->plan, 0);
    for (unsigned n = first; n < p->node_count; n++)
        if (p->nodes[n].kind >= LOAD)
            put_inside(p, p->nodes[n].rows, p->nodes[n].count, p->plan, 0);
    return false;
}
