/* SPDX-License-Identifier: MIT */
/* Vectors of other lengths than SPIR-V has, which clang's passes make of those that it has: seven halves
 * where the last of eight is not read, 32 words of a long16. And integers of more than 64 bits, an i128 for a
 * half of a long4, and vectors of them.
 *
 * Each becomes its components, a long integer words of at most 64 bits. First every component of every such
 * instruction gets a stand-in, an extraction behind it; then each instruction is computed of its operands'
 * components, which replace the stand-ins: blocks may come in any order.
 *
 * Enters: a function.  Leaves: no value of such a type.  Refuses: functions that take or return such vectors,
 * structures with them, calls of others than of LLVM's elementwise functions, sums and products of long
 * integers.
 */
#include "lengths.h"

#include <stdlib.h>

#include <llvm-c/Target.h>

/* ---- Stand-ins ---- */

static bool
add(struct lengths *s, V instruction)
{
    T type = LLVMTypeOf(instruction);
    unsigned count = lw_part_count(type);
    if (count > LW_MOST_COMPONENTS)
        return lw_refuse_length(s, "a vector of more than 256 components");
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        struct split *grown = realloc(s->splits, s->room * sizeof *grown);
        if (!grown)
            return lw_refuse_length(s, "no memory");
        s->splits = grown;
    }
    V *parts = calloc(2 * (size_t)count, sizeof *parts);
    if (!parts)
        return lw_refuse_length(s, "no memory");
    lw_write_at(s->l, LLVMGetNextInstruction(instruction));
    V words = lw_long_bits(type)
                  ? LLVMBuildBitCast(s->l->b, instruction, LLVMVectorType(lw_part_type(s, type), count), "")
                  : NULL;
    for (unsigned k = 0; k < count; k++) {
        V number = LLVMConstInt(LLVMInt32TypeInContext(s->l->context), k, false);
        parts[k] = LLVMBuildExtractElement(s->l->b, words ? words : instruction, number, "");
    }
    s->splits[s->count++] = (struct split){instruction, words, parts, count};
    return true;
}

static bool
collect(struct lengths *s)
{
    for (unsigned k = 0; k < LLVMCountParams(s->l->function); k++)
        if (lw_is_odd(LLVMTypeOf(LLVMGetParam(s->l->function, k))))
            return lw_refuse_length(s, "a parameter of such a vector");
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(s->l->function); block;
         block = LLVMGetNextBasicBlock(block))
        for (V i = LLVMGetFirstInstruction(block), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (lw_is_odd(LLVMTypeOf(i)) && !add(s, i))
                return false;
        }
    if (s->count)
        qsort(s->splits, s->count, sizeof *s->splits, lw_compare_splits);
    return true;
}

/* What a value stands for, NULL where it is no stand-in. */
static V *
stood_for(struct lengths *s, V value)
{
    V vector = LLVMIsAExtractElementInst(value) ? LLVMGetOperand(value, 0) : NULL;
    struct split *split = vector ? lw_find_split(s, vector) : NULL;
    if (vector && !split && LLVMIsABitCastInst(vector)) {
        split = lw_find_split(s, LLVMGetOperand(vector, 0));
        split = split && split->words == vector ? split : NULL;
    }
    for (unsigned k = 0; split && k < split->count; k++)
        if (split->parts[k] == value)
            return &split->parts[split->count + k];
    return NULL;
}

/* The stand-ins give way to what was computed; components that are only passed on are others' stand-ins. */
static void
replace(struct lengths *s, const struct split *split)
{
    for (unsigned k = 0; k < split->count; k++) {
        V value = split->parts[split->count + k], *next;
        for (size_t steps = 0; (next = stood_for(s, value)); steps++) {
            if (steps > s->count) { /* a ring, in code that is never reached */
                value = LLVMGetPoison(LLVMTypeOf(value));
                break;
            }
            value = *next;
        }
        LLVMReplaceAllUsesWith(split->parts[k], value);
    }
}

static void
erase(const struct split *split)
{
    for (unsigned k = 0; k < split->count; k++)
        LLVMInstructionEraseFromParent(split->parts[k]);
    if (split->words)
        LLVMInstructionEraseFromParent(split->words);
    LLVMReplaceAllUsesWith(split->instruction, LLVMGetPoison(LLVMTypeOf(split->instruction)));
    LLVMInstructionEraseFromParent(split->instruction);
}

/* ---- Users ---- */

static bool
takes_odd(V i)
{
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
        if (lw_is_odd(LLVMTypeOf(LLVMGetOperand(i, (unsigned)k))))
            return true;
    return false;
}

static bool
is_words(struct lengths *s, V i)
{
    struct split *split = LLVMIsABitCastInst(i) ? lw_find_split(s, LLVMGetOperand(i, 0)) : NULL;
    return split && split->words == i;
}

static bool
rewrite_users(struct lengths *s)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(s->l->function); block;
         block = LLVMGetNextBasicBlock(block))
        for (V i = LLVMGetFirstInstruction(block), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!lw_is_odd(LLVMTypeOf(i)) && takes_odd(i) && !stood_for(s, i) && !is_words(s, i) &&
                !lw_rewrite_odd_user(s, i))
                return false;
        }
    return true;
}

/* A variable of such a vector has room for what the layout gives it. */
static void
replace_variable(struct lw_legal *l, V variable)
{
    T type = LLVMGetAllocatedType(variable), scalar = LLVMGetElementType(type);
    uint64_t bytes = LLVMABISizeOfType(LLVMGetModuleDataLayout(l->module), type);
    lw_write_at(l, variable);
    V made = LLVMBuildAlloca(l->b, LLVMArrayType2(scalar, bytes / (lw_bits_of(scalar) / 8)), "");
    LLVMSetAlignment(made, LLVMGetAlignment(variable));
    LLVMReplaceAllUsesWith(variable, made);
    LLVMInstructionEraseFromParent(variable);
}

static void
replace_variables(struct lw_legal *l)
{
    LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(l->function);
    for (V i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        T type = LLVMIsAAllocaInst(i) ? LLVMGetAllocatedType(i) : NULL;
        if (type && lw_is_odd(type) && !lw_long_bits(type) && lw_bits_of(LLVMGetElementType(type)) >= 8)
            replace_variable(l, i);
    }
}

bool
lw_legal_lengths(struct lw_legal *l)
{
    struct lengths s = {.l = l};
    replace_variables(l);
    bool good = collect(&s) && rewrite_users(&s);
    for (size_t k = 0; good && k < s.count; k++)
        good = lw_compute_parts(&s, s.splits[k].instruction, s.splits[k].parts + s.splits[k].count);
    for (size_t k = 0; good && k < s.count; k++)
        replace(&s, &s.splits[k]);
    for (size_t k = 0; good && k < s.count; k++)
        erase(&s.splits[k]);
    for (size_t k = 0; k < s.count; k++)
        free(s.splits[k].parts);
    free(s.splits);
    return good;
}
