/* SPDX-License-Identifier: MIT */
/* Variables of the source for a debugger (LANEWISE_GDB): an array of the lanes' values, or one value where
 * all lanes have the same.
 *
 * A vector, an array or a structure comes by its parts ("v.x", "a[2].b"), each in a slot of its own. They are
 * one variable to the debugger, whose parts have arrays of lanes (debugger_types.c).
 *
 * Enters: volatile stores that are rows of "lw.variables" (spirv/emit_variables.c), the lanes' by now.
 * Leaves: each variable in a slot of the function's frame, stored to behind them, and records that say from
 * where to where the slot has its value: where every way has come by such a store, and none since that says
 * it is not known, as the beginning of the next sub-group does. Relies on: lines.c, whose scopes are one for
 * each block.
 */
#include "debugger_variables.h"
#include "debugger_types.h"
#include "jit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spirv/intrinsics.h"
#include "../vectorizer/facts/instructions.h"

#define MARK "lw.variable"

struct block {
    LLVMBasicBlockRef ref;
    uint64_t *known; /* at its begin: a bit for each variable */
};

struct lw_variables {
    LLVMContextRef context;
    LLVMDIBuilderRef builder;
    LLVMMetadataRef scope, file;
    unsigned kind; /* of the mark */
    struct lw_variable list[LW_MOST_VARIABLES];
    unsigned count, words;
    struct block *blocks;
    unsigned block_count;
    uint64_t *bits;
};

/* ---- Marks ---- */

struct mark {
    LLVMValueRef name, encoding, line, pointee; /* NULL: there is none */
    bool known;
};

void
lw_mark_variable_store(LLVMModuleRef module, LLVMValueRef i, unsigned column)
{
    unsigned count = column ? LLVMGetNamedMetadataNumOperands(module, LW_VARIABLES) : 0;
    LLVMContextRef context = LLVMGetModuleContext(module);
    if (!column || column > count || !LLVMIsAStoreInst(i) || !LLVMGetVolatile(i))
        return;
    LLVMValueRef *rows = malloc(count * sizeof *rows);
    if (!rows)
        return;
    LLVMGetNamedMetadataOperands(module, LW_VARIABLES, rows);
    LLVMSetMetadata(i, LLVMGetMDKindIDInContext(context, MARK, strlen(MARK)), rows[column - 1]);
    free(rows);
}

/* NULL: it stores no variable. */
static LLVMValueRef
mark_of(LLVMValueRef i, unsigned kind)
{
    return LLVMIsAStoreInst(i) ? LLVMGetMetadata(i, kind) : NULL;
}

static bool
read_mark(const struct lw_variables *v, LLVMValueRef i, struct mark *mark)
{
    LLVMValueRef node = mark_of(i, v->kind), parts[5] = {NULL};
    unsigned count = node ? LLVMGetMDNodeNumOperands(node) : 0;
    if (count != 4 && count != 5)
        return false;
    LLVMGetMDNodeOperands(node, parts);
    *mark = (struct mark){parts[0], parts[1], parts[2], parts[4], LLVMConstIntGetZExtValue(parts[3]) != 0};
    return true;
}

static unsigned
next_line(LLVMValueRef i)
{
    while (i && !LLVMGetDebugLocLine(i))
        i = LLVMGetNextInstruction(i);
    return i ? LLVMGetDebugLocLine(i) : 0;
}

/* Behind stores of variables another line begins in a block of its own. Instruction selection keeps the order
 * of memory accesses alone, and would put numbers of that line before the stores: a breakpoint there would
 * show what the variables were before. */
void
lw_cut_behind_variables(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    unsigned kind = LLVMGetMDKindIDInContext(context, MARK, strlen(MARK));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        LLVMBasicBlockRef elsewhere = NULL;
        for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(f); at; at = LLVMGetNextBasicBlock(at))
            for (LLVMValueRef i = LLVMGetFirstInstruction(at), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (next && !LLVMIsATerminatorInst(next) && mark_of(i, kind) && !mark_of(next, kind) &&
                    next_line(next) != LLVMGetDebugLocLine(i))
                    elsewhere = lw_cut_before(b, next, elsewhere);
            }
    }
    LLVMDisposeBuilder(b);
}

static bool
is_of(const struct lw_variable *x, const struct mark *mark)
{
    return x->name == mark->name && x->encoding == mark->encoding && x->line == mark->line;
}

static bool
is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

/* Is the slot for values of this type? One of a part takes what all lanes have, too. */
static bool
takes(const struct lw_variable *x, LLVMTypeRef type)
{
    return x->type == type || (x->part && is_vector(x->type) && LLVMGetElementType(x->type) == type);
}

static LLVMTypeRef
stored_type(LLVMValueRef store)
{
    return LLVMTypeOf(LLVMGetOperand(store, 0));
}

/* ---- What is known where ---- */

static void
set_bit(uint64_t *bits, unsigned k, bool on)
{
    bits[k / 64] = on ? bits[k / 64] | 1ull << k % 64 : bits[k / 64] & ~(1ull << k % 64);
}

static bool
has_bit(const uint64_t *bits, unsigned k)
{
    return bits[k / 64] >> k % 64 & 1;
}

/* Whatever type it has: it has a value of one of them. */
static void
pass_mark(const struct lw_variables *v, const struct mark *mark, LLVMTypeRef type, uint64_t *bits)
{
    for (unsigned k = 0; k < v->count; k++) {
        const struct lw_variable *x = &v->list[k];
        if (is_of(x, mark))
            set_bit(bits, k, mark->known && takes(x, type));
    }
}

static struct block *
block_of(struct lw_variables *v, LLVMBasicBlockRef ref)
{
    size_t low = 0, high = v->block_count;
    while (low < high) { /* they are sorted by address */
        size_t middle = (low + high) / 2;
        if ((uintptr_t)v->blocks[middle].ref < (uintptr_t)ref)
            low = middle + 1;
        else
            high = middle;
    }
    return &v->blocks[low];
}

static int
compare_blocks(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct block *)a)->ref, y = (uintptr_t)((const struct block *)b)->ref;
    return x < y ? -1 : x > y;
}

/* What is known behind the block is all that may be known where it leads to; whether that changed anything.
 * */
static bool
pass_block(struct lw_variables *v, LLVMBasicBlockRef ref, uint64_t *bits)
{
    struct mark mark;
    bool changed = false;
    memcpy(bits, block_of(v, ref)->known, v->words * sizeof *bits);
    for (LLVMValueRef i = LLVMGetFirstInstruction(ref); i; i = LLVMGetNextInstruction(i))
        if (read_mark(v, i, &mark))
            pass_mark(v, &mark, stored_type(i), bits);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(ref);
    for (unsigned s = 0; end && s < LLVMGetNumSuccessors(end); s++) {
        uint64_t *known = block_of(v, LLVMGetSuccessor(end, s))->known;
        for (unsigned k = 0; k < v->words; k++) {
            changed |= (known[k] & ~bits[k]) != 0;
            known[k] &= bits[k];
        }
    }
    return changed;
}

/* At first all is known everywhere but at the function's begin; then less, until nothing changes. */
static bool
find_known(struct lw_variables *v, LLVMValueRef function)
{
    v->words = (v->count + 63) / 64;
    v->bits = malloc(((size_t)v->block_count + 1) * (v->words + 1) * sizeof *v->bits);
    if (!v->bits)
        return false;
    for (unsigned k = 0; k < v->block_count; k++) {
        v->blocks[k].known = v->bits + (size_t)(k + 1) * v->words;
        bool entry = v->blocks[k].ref == LLVMGetEntryBasicBlock(function);
        memset(v->blocks[k].known, entry ? 0 : 0xff, v->words * sizeof *v->bits);
    }
    for (bool changed = v->words != 0; changed;) {
        changed = false;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
            changed |= pass_block(v, b, v->bits);
    }
    return true;
}

/* ---- Slots ---- */

static void
add(struct lw_variables *v, const struct mark *mark, LLVMTypeRef type, bool part)
{
    for (unsigned k = 0; k < v->count; k++)
        if (is_of(&v->list[k], mark) && takes(&v->list[k], type))
            return;
    if (v->count < LW_MOST_VARIABLES)
        v->list[v->count++] = (struct lw_variable){.name = mark->name,
                                                   .encoding = mark->encoding,
                                                   .line = mark->line,
                                                   .pointee = mark->pointee,
                                                   .type = type,
                                                   .part = part};
}

/* For each type of value that a variable has anywhere. Vectors first: a part's slots of lanes take single
 * values, too. */
static void
find_variables(struct lw_variables *v, LLVMValueRef function)
{
    struct mark mark;
    for (unsigned vectors = 2; vectors--;)
        for (LLVMValueRef i = lw_first_instruction(function); i; i = lw_next_instruction(i))
            if (read_mark(v, i, &mark) && mark.known && is_vector(stored_type(i)) == vectors)
                add(v, &mark, stored_type(i), lw_is_part(mark.name));
}

static void
make_slots(struct lw_variables *v, LLVMBuilderRef b, LLVMValueRef function)
{
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    for (unsigned k = 0; k < v->count; k++)
        v->list[k].slot = LLVMBuildAlloca(b, v->list[k].type, "variable");
}

/* One value for each lane. */
static LLVMValueRef
spread(struct lw_variables *v, LLVMBuilderRef b, LLVMValueRef value, LLVMTypeRef type)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(v->context);
    LLVMTypeRef mask = LLVMVectorType(i32, LLVMGetVectorSize(type));
    LLVMValueRef one = LLVMBuildInsertElement(b, LLVMGetPoison(type), value, LLVMConstNull(i32), "");
    return LLVMBuildShuffleVector(b, one, LLVMGetPoison(type), LLVMConstNull(mask), "");
}

/* Behind each store of a known value, one into each slot that takes it. */
static void
add_stores(struct lw_variables *v, LLVMBuilderRef b, LLVMValueRef function)
{
    struct mark mark;
    for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function); at; at = LLVMGetNextBasicBlock(at))
        for (LLVMValueRef i = LLVMGetFirstInstruction(at), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!read_mark(v, i, &mark) || !mark.known)
                continue;
            LLVMValueRef value = LLVMGetOperand(i, 0);
            LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(i));
            for (unsigned k = 0; k < v->count; k++) {
                const struct lw_variable *x = &v->list[k];
                if (!is_of(x, &mark) || !takes(x, LLVMTypeOf(value)))
                    continue;
                LLVMPositionBuilderBefore(b, i);
                LLVMValueRef lanes = x->type == LLVMTypeOf(value) ? value : spread(v, b, value, x->type);
                LLVMPositionBuilderBefore(b, next);
                LLVMSetVolatile(LLVMBuildStore(b, lanes, x->slot), true);
            }
        }
}

static void
add_slots(struct lw_variables *v, LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(v->context);
    find_variables(v, function);
    make_slots(v, b, function);
    add_stores(v, b, function);
    LLVMDisposeBuilder(b);
}

struct lw_variables *
lw_variables_of(LLVMValueRef function, LLVMDIBuilderRef builder, LLVMMetadataRef scope, LLVMMetadataRef file)
{
    struct lw_variables *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->context = LLVMGetTypeContext(LLVMTypeOf(function));
    v->builder = builder;
    v->scope = scope;
    v->file = file;
    v->kind = LLVMGetMDKindIDInContext(v->context, MARK, strlen(MARK));
    v->blocks = calloc(LLVMCountBasicBlocks(function), sizeof *v->blocks);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && v->blocks; b = LLVMGetNextBasicBlock(b))
        v->blocks[v->block_count++].ref = b;
    if (v->blocks) {
        qsort(v->blocks, v->block_count, sizeof *v->blocks, compare_blocks);
        add_slots(v, function);
        lw_describe_variables(&(struct lw_describer){builder, scope, file,
                                                     LLVMGetModuleDataLayout(LLVMGetGlobalParent(function))},
                              v->list, v->count);
    }
    if (!v->blocks || !find_known(v, function)) {
        lw_free_variables(v);
        return NULL;
    }
    return v;
}

/* From this instruction on the variable is in its slot; `known` false: it is nowhere. */
static void
record(struct lw_variables *v, const struct lw_variable *x, bool known, LLVMValueRef before,
       LLVMMetadataRef location)
{
    enum { DEREF = 6, FRAGMENT = 0x1000 }; /* DW_OP_deref, DW_OP_LLVM_fragment */
    uint64_t operations[] = {DEREF, FRAGMENT, x->offset, x->bits};
    size_t first = known ? 0 : 1, count = (x->bits ? 4 : 1) - first;
    if (!x->described)
        return;
    LLVMMetadataRef expression = LLVMDIBuilderCreateExpression(v->builder, operations + first, count);
    LLVMValueRef where = known ? x->slot : LLVMGetPoison(LLVMTypeOf(x->slot));
    LLVMDIBuilderInsertDbgValueRecordBefore(v->builder, where, x->described, expression, location, before);
}

/* Behind the store of a variable it is in its slots, and other forms of it are not told of any more. */
static void
follow(struct lw_variables *v, LLVMValueRef store, const struct mark *mark, LLVMMetadataRef location)
{
    LLVMValueRef next = LLVMGetNextInstruction(store);
    LLVMTypeRef type = stored_type(store);
    for (unsigned k = 0; k < v->count && mark->known; k++)
        if (is_of(&v->list[k], mark) && takes(&v->list[k], type))
            next = LLVMGetNextInstruction(next); /* behind that slot's */
    for (unsigned k = 0; k < v->count; k++) {
        const struct lw_variable *x = &v->list[k];
        if (is_of(x, mark))
            record(v, x, mark->known && takes(x, type), next, location);
    }
}

void
lw_tell_variables(struct lw_variables *v, LLVMBasicBlockRef block, LLVMMetadataRef location)
{
    struct mark mark;
    const struct block *own = block_of(v, block);
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(first) || LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    for (LLVMValueRef i = first; i; i = LLVMGetNextInstruction(i))
        if (read_mark(v, i, &mark))
            follow(v, i, &mark, location);
    for (unsigned k = 0; k < v->count; k++)
        if (has_bit(own->known, k))
            record(v, &v->list[k], true, first, location);
}

void
lw_free_variables(struct lw_variables *v)
{
    if (!v)
        return;
    free(v->blocks);
    free(v->bits);
    free(v);
}
