/* SPDX-License-Identifier: MIT */
/* Accesses to the local memory that a kernel declares: the bytes that each may touch, as a function of the
 * local id where it is one.
 *
 * Enters: the scalar kernel, and l->base, where its local memory begins. Leaves: l->accesses.
 * Relies on: the local size being constant: what depends on nothing but the local id is tabulated for all
 * work-items. Never: takes an address for understood whose parts could be out of the ranges found.
 */
#include "../facts/calls.h"
#include "../facts/integers.h"
#include "../facts/memory_effects.h"
#include "local_layout_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

/* ---- functions of the local id ---- */

static const uint64_t *tabulate(struct layout *l, V v, int depth);

static uint64_t *
new_table(struct layout *l, V v)
{
    uint64_t *table = LW_ARENA_NEW(l->arena, uint64_t, l->items);
    lw_value_map_add(l->numbers, v, l->known);
    l->tables[l->known++] = table;
    return table;
}

static bool
fill(struct layout *l, V v, uint64_t *table, int depth)
{
    unsigned width = lw_int_width(v);

    if (LLVMIsAConstantInt(v)) {
        for (uint32_t i = 0; i < l->items; i++)
            table[i] = LLVMConstIntGetZExtValue(v);
        return true;
    }
    if (lw_is_call_of(v, "lw.local_id")) {
        V d = LLVMGetOperand(v, 0);
        bool first = LLVMIsAConstantInt(d) && LLVMConstIntGetZExtValue(d) == 0;
        for (uint32_t i = 0; i < l->items; i++)
            table[i] = first ? i : 0;
        return LLVMIsAConstantInt(d) != NULL;
    }
    int operands = LLVMIsAInstruction(v) ? LLVMGetNumOperands(v) : 0;
    if (!operands || !lw_int_width(LLVMGetOperand(v, 0)))
        return false;
    const uint64_t *a = tabulate(l, LLVMGetOperand(v, 0), depth + 1), *b = a;
    if (a && operands == 2)
        b = tabulate(l, LLVMGetOperand(v, 1), depth + 1);
    for (uint32_t i = 0; a && b && i < l->items; i++)
        if (!lw_int_operate(LLVMGetInstructionOpcode(v), lw_int_width(LLVMGetOperand(v, 0)), width, a[i],
                            b[i], &table[i]))
            return false;
    return a && b;
}

/* The value of each work-item; NULL: not known. */
static const uint64_t *
tabulate(struct layout *l, V v, int depth)
{
    uint32_t n = lw_value_map_get(l->numbers, v);

    if (n != UINT32_MAX)
        return l->tables[n];
    unsigned width = lw_int_width(v);
    bool may = LLVMIsAConstantInt(v) || LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) ||
               LLVMIsAFreezeInst(v) || lw_is_call_of(v, "lw.local_id");
    if (!may || !width || width > 64 || depth > DEPTH || l->known == MOST_KNOWN)
        return NULL;
    uint64_t *table = new_table(l, v);
    n = l->known - 1;
    l->tables[n] = NULL; /* should it meet itself */
    return l->tables[n] = fill(l, v, table, depth) ? table : NULL;
}

/* ---- ranges of what is not known ---- */

#define FAR ((int64_t)1 << 40)

static bool
range_of(V v, int64_t *low, int64_t *high, int depth)
{
    unsigned width = lw_int_width(v);
    int64_t other_low, other_high;

    if (LLVMIsAConstantInt(v) && width <= 64) {
        *low = *high = LLVMConstIntGetSExtValue(v);
        return *low > -FAR && *high < FAR;
    }
    if (!LLVMIsAInstruction(v) || depth > DEPTH || !width || width > 64)
        return false;
    V a = LLVMGetNumOperands(v) ? LLVMGetOperand(v, 0) : NULL;
    V b = LLVMGetNumOperands(v) == 2 ? LLVMGetOperand(v, 1) : NULL;
    int64_t n = b && LLVMIsAConstantInt(b) && lw_int_width(b) <= 64 ? LLVMConstIntGetSExtValue(b) : -1;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAnd:
        *low = 0, *high = n;
        return n >= 0 && n < FAR;
    case LLVMURem:
        *low = 0, *high = n - 1;
        return n > 0 && n < FAR;
    case LLVMLShr:
        *low = 0,
        *high = n > 0 && width - (unsigned)n < 40 ? (int64_t)(((uint64_t)1 << (width - (unsigned)n)) - 1) : 0;
        return n > 0 && n < (int64_t)width && width - (unsigned)n < 40;
    case LLVMZExt:
        if (range_of(a, low, high, depth + 1) && *low >= 0)
            return true;
        *low = 0, *high = lw_int_width(a) <= 16 ? ((int64_t)1 << lw_int_width(a)) - 1 : 0;
        return lw_int_width(a) <= 16;
    case LLVMSExt:
        return range_of(a, low, high, depth + 1);
    case LLVMShl:
        if (n < 0 || n > 16 || !range_of(a, low, high, depth + 1) || *low < 0)
            return false;
        *high <<= n, *low <<= n;
        break;
    case LLVMAdd:
    case LLVMOr: /* disjoint: the same */
        if (LLVMGetInstructionOpcode(v) == LLVMOr && !LLVMGetIsDisjoint(v))
            return false;
        if (!range_of(a, low, high, depth + 1) || !range_of(b, &other_low, &other_high, depth + 1))
            return false;
        *low += other_low, *high += other_high;
        break;
    default:
        return false;
    }
    return *low > -FAR && *high < FAR && (width > 41 || (*low >= 0 && *high < (int64_t)1 << (width - 1)));
}

static unsigned
zeros_below(V v)
{
    if (LLVMIsAZExtInst(v))
        v = LLVMGetOperand(v, 0);
    bool masked = LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAnd && lw_int_width(v) <= 64;
    V mask = masked ? LLVMGetOperand(v, 1) : NULL;
    uint64_t bits = mask && LLVMIsAConstantInt(mask) ? LLVMConstIntGetZExtValue(mask) : 1;

    return bits ? (unsigned)__builtin_ctzll(bits) : 0;
}

/* ---- addresses ---- */

static bool
add_index(struct layout *l, struct access *a, V index, int64_t scale, int depth)
{
    const uint64_t *table = tabulate(l, index, 0);

    if (table) {
        for (uint32_t i = 0; i < l->items; i++)
            l->sums[i] += scale * (int64_t)table[i];
        return true;
    }
    LLVMOpcode op = LLVMIsAInstruction(index) ? LLVMGetInstructionOpcode(index) : LLVMUnreachable;
    if (depth < DEPTH && (op == LLVMAdd || (op == LLVMOr && LLVMGetIsDisjoint(index))))
        return add_index(l, a, LLVMGetOperand(index, 0), scale, depth + 1) &&
               add_index(l, a, LLVMGetOperand(index, 1), scale, depth + 1);
    V by = op == LLVMShl || op == LLVMMul ? LLVMGetOperand(index, 1) : NULL;
    uint64_t n = by && LLVMIsAConstantInt(by) ? LLVMConstIntGetZExtValue(by) : 0;
    if (n && n < (op == LLVMShl ? 16 : 1u << 16) && scale < INT32_MAX && depth < DEPTH)
        return add_index(l, a, LLVMGetOperand(index, 0), op == LLVMShl ? scale << n : scale * (int64_t)n,
                         depth + 1);
    struct term t = {.value = index, .shift = zeros_below(index)};
    if (a->count == MOST_TERMS || t.shift > 16 || scale > INT32_MAX || !range_of(index, &t.low, &t.high, 0))
        return false;
    t.scale = scale << t.shift;
    t.low >>= t.shift;
    t.high >>= t.shift;
    a->terms[a->count++] = t;
    return true;
}

/* From the start of the kernel's own local memory; false: not from there, or not understood. */
static bool
add_address(struct layout *l, struct access *a, V pointer)
{
    for (; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0)) {
        LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
        for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(pointer); k++) {
            V index = LLVMGetOperand(pointer, k);
            if (k > 1 && LLVMGetTypeKind(type) != LLVMArrayTypeKind)
                return false;
            type = k > 1 ? LLVMGetElementType(type) : type;
            uint64_t scale = LLVMABISizeOfType(l->data, type);
            if (lw_int_width(index) != 64 || scale > INT32_MAX || !add_index(l, a, index, (int64_t)scale, 0))
                return false;
        }
    }
    return lw_is_call_of(pointer, "lw.local_base");
}

static bool
read_access(struct layout *l, V instruction, V pointer, LLVMTypeRef type)
{
    struct access *a = &l->accesses[l->count];

    if (l->count == MOST_ACCESSES)
        return false;
    *a = (struct access){.instruction = instruction, .pointer = pointer, .affine = true};
    a->size = (unsigned)LLVMStoreSizeOfType(l->data, type);
    memset(l->sums, 0, l->items * sizeof *l->sums);
    if (!add_address(l, a, pointer))
        return false;
    a->first = a->low = a->high = l->sums[0];
    a->stride = l->sums[1] - l->sums[0];
    for (uint32_t i = 0; i < l->items; i++) {
        a->affine &= l->sums[i] == a->first + a->stride * i;
        a->low = l->sums[i] < a->low ? l->sums[i] : a->low;
        a->high = l->sums[i] > a->high ? l->sums[i] : a->high;
    }
    a->high += a->size;
    for (unsigned k = 0; k < a->count; k++) {
        if (a->terms[k].scale <= 0 || a->terms[k].scale > INT32_MAX)
            return false;
        a->low += a->terms[k].scale * a->terms[k].low;
        a->high += a->terms[k].scale * a->terms[k].high;
    }
    l->count++;
    return true;
}

bool
lw_local_read_users(struct layout *l, V address, int depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        V i = LLVMGetUser(use);
        bool good = false;
        if (LLVMIsAGetElementPtrInst(i))
            good = depth < DEPTH && LLVMGetOperand(i, 0) == address && lw_local_read_users(l, i, depth + 1);
        else if (lw_address_of(i))
            good = lw_moved_by(i) != address && read_access(l, i, address, LLVMTypeOf(lw_moved_by(i)));
        else if (LLVMIsAAtomicRMWInst(i))
            good = LLVMGetOperand(i, 1) != address && read_access(l, i, address, LLVMTypeOf(i));
        if (!good)
            return false;
    }
    return true;
}
