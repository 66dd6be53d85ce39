/* SPDX-License-Identifier: MIT */
/* Variables of the source for a debugger (LANEWISE_GDB): an array of the lanes' values, or one value where
 * all lanes have the same.
 *
 * Enters: volatile stores that are rows of "lw.variables" (spirv/emit_variables.c), the lanes' by now.
 * Leaves: each variable in a slot of the function's frame, stored to behind them, and records that say from
 * where to where the slot has its value: where every way has come by such a store, and none since that says
 * it is not known, as the beginning of the next sub-group does. Relies on: lines.c, whose scopes are one for
 * each block.
 */
#include "debugger_variables.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "spirv/intrinsics.h"

#define MARK "lw.variable"

enum { MOST_VARIABLES = 1024 };

/* A name with one type of value; the same variable may have several. */
struct variable {
    LLVMValueRef name, encoding, line;
    LLVMTypeRef type;
    LLVMValueRef slot;
    LLVMMetadataRef described;
};

struct block {
    LLVMBasicBlockRef ref;
    uint64_t *known; /* at its begin: a bit for each variable */
};

struct lw_variables {
    LLVMContextRef context;
    LLVMDIBuilderRef builder;
    LLVMMetadataRef scope, file;
    unsigned kind; /* of the mark */
    struct variable list[MOST_VARIABLES];
    unsigned count, words;
    struct block *blocks;
    unsigned block_count;
    uint64_t *bits;
};

/* ---- Marks ---- */

struct mark {
    LLVMValueRef name, encoding, line;
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

static bool
read_mark(const struct lw_variables *v, LLVMValueRef i, struct mark *mark)
{
    LLVMValueRef node = LLVMIsAStoreInst(i) ? LLVMGetMetadata(i, v->kind) : NULL, parts[4];
    if (!node || LLVMGetMDNodeNumOperands(node) != 4)
        return false;
    LLVMGetMDNodeOperands(node, parts);
    *mark = (struct mark){parts[0], parts[1], parts[2], LLVMConstIntGetZExtValue(parts[3]) != 0};
    return true;
}

/* Its row; -1: there is none. */
static int
find(const struct lw_variables *v, const struct mark *mark, LLVMTypeRef type)
{
    for (unsigned k = 0; k < v->count; k++) {
        const struct variable *x = &v->list[k];
        if (x->name == mark->name && x->encoding == mark->encoding && x->line == mark->line &&
            (!type || x->type == type))
            return (int)k;
    }
    return -1;
}

static LLVMTypeRef
stored_type(LLVMValueRef store)
{
    return LLVMTypeOf(LLVMGetOperand(store, 0));
}

/* ---- Types ---- */

static LLVMMetadataRef
describe_scalar(struct lw_variables *v, LLVMTypeRef type, unsigned encoding)
{
    enum { BOOLEAN = 2, UNSIGNED = 6, UNSIGNED_CHAR = 7 };
    enum { DWARF_BOOLEAN = 2, DWARF_FLOAT = 4, DWARF_SIGNED = 5, DWARF_UNSIGNED = 7 };
    static const char *const names[][4] = {
        {"char", "short", "int", "long"}, {"uchar", "ushort", "uint", "ulong"},
                                           {"?", "half", "float", "double"}};
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned bits = kind == LLVMIntegerTypeKind  ? LLVMGetIntTypeWidth(type)
                    : kind == LLVMHalfTypeKind   ? 16
                    : kind == LLVMDoubleTypeKind ? 64
                                                 : 32;
    unsigned size = bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3;
    bool number = kind == LLVMIntegerTypeKind, natural = encoding == UNSIGNED || encoding == UNSIGNED_CHAR;
    const char *name = names[!number ? 2 : natural ? 1 : 0][size];
    unsigned dwarf = !number ? DWARF_FLOAT : natural ? DWARF_UNSIGNED : DWARF_SIGNED;
    if (number && encoding == BOOLEAN) {
        name = "bool";
        dwarf = DWARF_BOOLEAN;
    }
    return LLVMDIBuilderCreateBasicType(v->builder, name, strlen(name), bits, dwarf, LLVMDIFlagZero);
}

static void
describe(struct lw_variables *v, struct variable *x)
{
    bool lanes = LLVMGetTypeKind(x->type) == LLVMVectorTypeKind;
    LLVMTypeRef element = lanes ? LLVMGetElementType(x->type) : x->type;
    LLVMMetadataRef type = describe_scalar(v, element, (unsigned)LLVMConstIntGetZExtValue(x->encoding));
    LLVMTargetDataRef layout =
        LLVMGetModuleDataLayout(LLVMGetGlobalParent(LLVMGetBasicBlockParent(v->blocks[0].ref)));
    if (lanes) {
        LLVMMetadataRef range = LLVMDIBuilderGetOrCreateSubrange(v->builder, 0, LLVMGetVectorSize(x->type));
        type = LLVMDIBuilderCreateArrayType(v->builder, LLVMSizeOfTypeInBits(layout, x->type), 0, type,
                                            &range, 1);
    }
    unsigned length;
    const char *name = LLVMGetMDString(x->name, &length);
    x->described = LLVMDIBuilderCreateAutoVariable(v->builder, v->scope, name, length, v->file,
                                                   (unsigned)LLVMConstIntGetZExtValue(x->line), type, true,
                                                   LLVMDIFlagZero, 0);
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
        const struct variable *x = &v->list[k];
        if (x->name == mark->name && x->encoding == mark->encoding && x->line == mark->line)
            set_bit(bits, k, mark->known && x->type == type);
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

/* The slot of what is stored; NULL: there are too many variables. */
static LLVMValueRef
slot_of(struct lw_variables *v, LLVMBuilderRef b, LLVMValueRef function, const struct mark *mark,
        LLVMTypeRef type)
{
    int k = find(v, mark, type);
    if (k < 0 && v->count == MOST_VARIABLES)
        return NULL;
    if (k >= 0)
        return v->list[k].slot;
    struct variable *x = &v->list[v->count++];
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    *x = (struct variable){mark->name, mark->encoding, mark->line, type, LLVMBuildAlloca(b, type, "variable"),
                           NULL};
    describe(v, x);
    return x->slot;
}

/* Behind each store of a known value, one into its slot. */
static void
add_slots(struct lw_variables *v, LLVMValueRef function)
{
    struct mark mark;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(v->context);
    for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function); at; at = LLVMGetNextBasicBlock(at))
        for (LLVMValueRef i = LLVMGetFirstInstruction(at); i; i = LLVMGetNextInstruction(i)) {
            if (!read_mark(v, i, &mark) || !mark.known)
                continue;
            LLVMValueRef slot = slot_of(v, b, function, &mark, stored_type(i));
            if (!slot) {
                LLVMSetMetadata(i, v->kind, NULL);
                continue;
            }
            LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(i));
            LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(i));
            LLVMSetVolatile(LLVMBuildStore(b, LLVMGetOperand(i, 0), slot), true);
        }
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
    }
    if (!v->blocks || !find_known(v, function)) {
        lw_free_variables(v);
        return NULL;
    }
    return v;
}

/* From this instruction on the variable is in its slot; `known` false: it is nowhere. */
static void
record(struct lw_variables *v, const struct variable *x, bool known, LLVMValueRef before,
       LLVMMetadataRef location)
{
    enum { DEREF = 6 }; /* DW_OP_deref */
    uint64_t operation = DEREF;
    LLVMMetadataRef expression = LLVMDIBuilderCreateExpression(v->builder, &operation, known ? 1 : 0);
    LLVMValueRef where = known ? x->slot : LLVMGetPoison(LLVMTypeOf(x->slot));
    LLVMDIBuilderInsertDbgValueRecordBefore(v->builder, where, x->described, expression, location, before);
}

/* Behind the store of a variable it is in its slot, and other forms of it are not told of any more. */
static void
follow(struct lw_variables *v, LLVMValueRef store, const struct mark *mark, LLVMMetadataRef location)
{
    LLVMValueRef next = LLVMGetNextInstruction(store);
    if (mark->known)
        next = LLVMGetNextInstruction(next); /* behind the slot's */
    for (unsigned k = 0; k < v->count; k++) {
        const struct variable *x = &v->list[k];
        if (x->name == mark->name && x->encoding == mark->encoding && x->line == mark->line)
            record(v, x, mark->known && x->type == stored_type(store), next, location);
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
