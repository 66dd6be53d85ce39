/* SPDX-License-Identifier: MIT */
/* Which accesses of a block lie side by side, and what stands between them: addresses as sums, and the block
 * read once. Computes, changes nothing.
 *
 * Enters: a block of lw_run. Leaves: the place of each of its instructions, accesses and writes before each;
 * an address as base + terms + constant. Relies on: LLVM's flags, where a sum stands under a shift or an
 * extension.
 */
#include "pack_internal.h"
#include "../flow/sums.h"

/* ---- addresses ---- */

static void
add_term(struct address *a, V term, V other, unsigned shift, int64_t factor)
{
    for (unsigned k = 0; k < a->count; k++) {
        if (a->terms[k] == term && a->others[k] == other && a->shifts[k] == shift) {
            a->factors[k] = (int64_t)((uint64_t)a->factors[k] + (uint64_t)factor);
            return;
        }
    }
    if (a->count == TERMS) {
        a->base = NULL; /* too long: like no other */
        return;
    }
    a->terms[a->count] = term;
    a->others[a->count] = other;
    a->shifts[a->count] = shift;
    a->factors[a->count++] = factor;
}

static bool
small_constant(V value, int64_t *number)
{
    if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
        return false;
    *number = LLVMConstIntGetSExtValue(value);
    return true;
}

/* Are the upper bits of a sum, without the lowest `shift`, the sum of the upper bits of its operands? */
static bool
parts_shift_alone(V sum, unsigned shift)
{
    if (LLVMGetInstructionOpcode(sum) == LLVMOr)
        return LLVMGetIsDisjoint(sum);
    return !shift || (LLVMGetNUW(sum) && (lw_low_zeros(LLVMGetOperand(sum, 1)) >= shift ||
                                          lw_low_zeros(LLVMGetOperand(sum, 0)) >= shift));
}

/* x | y, or x | (y | constant) where the constant has none of their bits: LLVM loses at times that it knows
 * that of x and y too. */
static void
add_union(struct address *a, V index, unsigned shift, int64_t factor)
{
    V x = LLVMGetOperand(index, 0), y = LLVMGetOperand(index, 1);
    int64_t number;

    if (LLVMIsAInstruction(y) && LLVMGetInstructionOpcode(y) == LLVMOr && LLVMGetIsDisjoint(y) &&
        small_constant(LLVMGetOperand(y, 1), &number) && number > 0 &&
        lw_low_zeros(x) >= 64 - (unsigned)__builtin_clzll((uint64_t)number)) {
        a->constant = (int64_t)((uint64_t)a->constant + ((uint64_t)number >> shift) * (uint64_t)factor);
        y = LLVMGetOperand(y, 0);
    }
    add_term(a, x, y, shift, factor);
}

/* (index >> shift) * factor: a sum as its two operands, or a product by a constant; modulo 2^64 like the
 * address itself. Recursion: `depth` deep. */
static void
add_index(struct address *a, V index, unsigned shift, int64_t factor, unsigned depth)
{
    int64_t number;

    if (small_constant(index, &number)) {
        a->constant = (int64_t)((uint64_t)a->constant + ((uint64_t)number >> shift) * (uint64_t)factor);
        return;
    }
    LLVMOpcode op = LLVMIsAInstruction(index) ? LLVMGetInstructionOpcode(index) : LLVMRet;
    if (op != LLVMRet && LLVMGetIntTypeWidth(LLVMTypeOf(index)) == 64 && depth) {
        V x = LLVMGetNumOperands(index) == 2 ? LLVMGetOperand(index, 0) : NULL;
        if ((op == LLVMAdd || op == LLVMOr) && parts_shift_alone(index, shift)) {
            add_index(a, x, shift, factor, depth - 1);
            add_index(a, LLVMGetOperand(index, 1), shift, factor, depth - 1);
            return;
        }
        if (op == LLVMOr) {
            add_union(a, index, shift, factor);
            return;
        }
        bool constant = x && small_constant(LLVMGetOperand(index, 1), &number) && number >= 0;
        if (op == LLVMShl && !shift && constant && number < 63) {
            add_index(a, x, 0, (int64_t)((uint64_t)factor << number), depth - 1);
            return;
        }
        if (op == LLVMLShr && constant && (uint64_t)number + shift < 63) {
            add_index(a, x, shift + (unsigned)number, factor, depth - 1);
            return;
        }
    }
    add_term(a, index, NULL, shift, factor);
}

bool
lw_pack_address(LLVMTargetDataRef layout, V pointer, struct address *a)
{
    *a = (struct address){.base = pointer};
    for (unsigned depth = 0; depth < 8 && LLVMIsAGetElementPtrInst(a->base); depth++) {
        LLVMTypeRef type = LLVMGetGEPSourceElementType(a->base);
        if (LLVMGetNumOperands(a->base) != 2)
            break;
        V index = LLVMGetOperand(a->base, 1), base = LLVMGetOperand(a->base, 0);
        int64_t number;
        if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind ||
            (LLVMGetIntTypeWidth(LLVMTypeOf(index)) != 64 && !small_constant(index, &number)))
            break;
        a->base = base;
        add_index(a, index, 0, (int64_t)LLVMABISizeOfType(layout, type), 6);
        if (!a->base)
            return false;
    }
    return true;
}

bool
lw_pack_follows(const struct address *a, const struct address *b, int64_t distance)
{
    unsigned found = 0;

    if (a->base != b->base || a->count != b->count ||
        (uint64_t)b->constant - (uint64_t)a->constant != (uint64_t)distance)
        return false;
    for (unsigned k = 0; k < a->count; k++)
        for (unsigned j = 0; j < b->count; j++)
            found += a->terms[k] == b->terms[j] && a->others[k] == b->others[j] &&
                     a->shifts[k] == b->shifts[j] && a->factors[k] == b->factors[j];
    return found == a->count;
}

/* ---- the block ---- */

void
lw_pack_read_block(struct packer *p, LLVMBasicBlockRef block, uint32_t count)
{
    p->block = block;
    p->node_count = 0;
    p->count = 0;
    p->plan = 0;
    p->places = lw_value_map_create(p->arena, count);
    p->instructions = LW_ARENA_NEW(p->arena, V, count);
    p->writes = LW_ARENA_NEW(p->arena, uint32_t, count + 1);
    p->accesses = LW_ARENA_NEW(p->arena, uint32_t, count + 1);
    p->inside = LW_ARENA_NEW(p->arena, uint32_t, count);
    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        uint32_t at = p->count++;
        lw_value_map_add(p->places, i, at);
        p->instructions[at] = i;
        enum lw_memory_effect effect = lw_memory_effect(i);
        p->accesses[at + 1] = p->accesses[at] + (effect != LW_NO_MEMORY);
        p->writes[at + 1] = p->writes[at] + (effect == LW_WRITES_MEMORY);
    }
}

/* UINT32_MAX: not of this block. */
uint32_t
lw_pack_place(struct packer *p, V value)
{
    return lw_value_map_get(p->places, value);
}

uint32_t
lw_pack_last_place(struct packer *p, V *rows, unsigned count)
{
    uint32_t last = 0;

    for (unsigned k = 0; k < count; k++) {
        uint32_t at = lw_pack_place(p, rows[k]);
        last = at != UINT32_MAX && at > last ? at : last;
    }
    return last;
}
