/* SPDX-License-Identifier: MIT */
/* Writes the nodes of a plan: an operation stands before the last of its rows, what is put together behind
 * them.
 *
 * Enters: nodes that were found worth it. Leaves: the packed values; the rows stand as they were, dead where
 * nothing else reads them. Relies on: the plan, block unchanged since.
 */
#include "../facts/elementwise.h"
#include "../facts/instructions.h"
#include "pack_internal.h"

/* ---- writing ---- */

static V
operand(struct packer *p, struct node *node, unsigned k)
{
    return lw_pack_write(p, &p->nodes[node->operands[k]]);
}

/* Behind all rows, or at the start of the block. */
static void
stand_behind(struct packer *p, struct node *node)
{
    uint32_t last = 0;
    bool inside = false;

    for (unsigned k = 0; k < node->count; k++) {
        uint32_t at = lw_pack_place(p, node->rows[k]);
        inside |= at != UINT32_MAX;
        last = at != UINT32_MAX && at > last ? at : last;
    }
    V next = inside ? LLVMGetNextInstruction(p->instructions[last]) : LLVMGetFirstInstruction(p->block);
    LLVMPositionBuilderBefore(p->l.builder, lw_behind_phis(next));
}

static V
write_together(struct packer *p, struct node *node)
{
    LLVMBuilderRef b = p->l.builder;
    V x;

    stand_behind(p, node);
    if (lw_lane_is_vector(node->rows[0]))
        return lw_lane_concat(&p->l, node->rows, node->count);
    x = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(node->rows[0]), node->count));
    for (unsigned k = 0; k < node->count; k++)
        x = LLVMBuildInsertElement(b, x, node->rows[k], lane_int(&p->l, 32, k), "");
    return x;
}

static V
write_same(struct packer *p, struct node *node)
{
    unsigned n = lw_lane_count(node->rows[0]);
    int lanes[MOST_LANES];

    stand_behind(p, node);
    if (!lw_lane_is_vector(node->rows[0]))
        return lw_lane_splat_n(&p->l, node->rows[0], node->count);
    for (unsigned k = 0; k < n * node->count; k++)
        lanes[k] = (int)(k % n);
    return lw_lane_shuffle_const(&p->l, node->rows[0], NULL, lanes, n * node->count);
}

static V
write_constant(struct node *node)
{
    unsigned n = lw_lane_count(node->rows[0]);
    V elements[MOST_LANES];

    for (unsigned k = 0; k < n * node->count; k++) {
        V row = node->rows[k / n];
        elements[k] = lw_lane_is_vector(row) ? LLVMGetAggregateElement(row, k % n) : row;
    }
    return LLVMConstVector(elements, n * node->count);
}

static LLVMTypeRef
packed_type(struct node *node)
{
    return LLVMVectorType(lw_lane_element(node->rows[0]), lw_lane_count(node->rows[0]) * node->count);
}

static V
write_load(struct packer *p, struct node *node)
{
    V x = LLVMBuildLoad2(p->l.builder, packed_type(node), LLVMGetOperand(node->rows[0], 0), "");

    LLVMSetAlignment(x, LLVMGetAlignment(node->rows[0]));
    return x;
}

static V
write_shuffle(struct packer *p, struct node *node, V *x)
{
    unsigned from = lw_lane_count(LLVMGetOperand(node->rows[0], 0)), n = lw_lane_count(node->rows[0]);
    int lanes[MOST_LANES];

    for (unsigned k = 0; k < n * node->count; k++) {
        int lane = LLVMGetMaskValue(node->rows[0], k % n);
        unsigned row = k / n;
        lanes[k] = lane == LLVMGetUndefMaskElem() ? -1
                   : (unsigned)lane < from        ? lane + (int)(row * from)
                                                  : lane - (int)from + (int)((node->count + row) * from);
    }
    return lw_lane_shuffle_const(&p->l, x[0], x[1], lanes, n * node->count);
}

/* A lane of each row of x, each in lane 0 of a row, or together. */
static V
write_single_lanes(struct packer *p, struct node *node, V x)
{
    unsigned from = lw_lane_count(x) / node->count, n = lw_lane_count(node->rows[0]), lane = 0;
    int lanes[MOST_LANES];

    if (node->kind == EXTRACT)
        lane = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(node->rows[0], 1));
    for (unsigned k = 0; k < n * node->count; k++)
        lanes[k] = k % n ? -1 : (int)(k / n * from + lane);
    return lw_lane_shuffle_const(&p->l, x, NULL, lanes, n * node->count);
}

/* As many rows at a time as a register has lanes. */
static V
write_reduction(struct packer *p, struct node *node, V *x)
{
    V part = LLVMGetOperand(node->rows[0], 0), made[ROWS];
    unsigned each = node->count / node->operand_count;
    unsigned lanes = p->register_bits / lw_lane_bits(lw_lane_element(part));
    unsigned rows = node->count < lanes ? node->count : lanes;

    for (unsigned k = 0; k < node->operand_count && each == 1; k++)
        x[k] = LLVMGetOperand(node->rows[k], 0);
    for (unsigned k = 0; k < node->count / rows; k++)
        made[k] = lw_reduce_rows(&p->l, node->op, x + k * rows / each, rows / each, each, lanes);
    return lw_lane_concat(&p->l, made, node->count / rows);
}

static V
write_operation(struct packer *p, struct node *node)
{
    V x[ROWS];

    bool alone = node->kind == REDUCTION && node->operand_count == node->count;
    for (unsigned k = 0; k < node->operand_count && !alone; k++)
        x[k] = operand(p, node, k);
    LLVMPositionBuilderBefore(p->l.builder, p->instructions[lw_pack_last_place(p, node->rows, node->count)]);
    switch (node->kind) {
    case LOAD:
        return write_load(p, node);
    case SHUFFLE:
        return write_shuffle(p, node, x);
    case INSERT:
    case EXTRACT:
        return write_single_lanes(p, node, x[0]);
    case REDUCTION:
        return write_reduction(p, node, x);
    default:
        break;
    }
    return lw_build_like(p->l.builder, node->rows[0], packed_type(node), x);
}

/* Recursion: as deep as the plan. An operand stands before the last of the rows that use it. */
V
lw_pack_write(struct packer *p, struct node *node)
{
    if (node->packed)
        return node->packed;
    switch (node->kind) {
    case LEAF:
        return node->packed = write_together(p, node);
    case SAME:
        return node->packed = write_same(p, node);
    case CONSTANT:
        return node->packed = write_constant(node);
    default:
        return node->packed = write_operation(p, node);
    }
}
