/* SPDX-License-Identifier: MIT */
/* Memory intrinsics as accesses of whole elements, see expand_memory.h.
 *
 * Enters: a function with llvm.memcpy, memmove or memset. Leaves: short ones as straight loads and stores,
 * others as calls of `lw.expand.*` functions (alwaysinline), since blocks cannot be split through the C API:
 * the caller inlines them. Elements are as wide as alignment, length and the private objects involved allow:
 * an access that spans two elements of a private array would spoil its lane-minor layout.
 */
#include "expand_memory.h"
#include "../../spirv/attributes.h"
#include "../facts/calls.h"
#include "../facts/gep.h"

#include <stdio.h>
#include <llvm-c/Target.h>

#define STRAIGHT 64   /* accesses before a loop is made */
#define MOST_ZEROS 16 /* that are counted */

enum kind { COPY, MOVE, SET };

struct call {
    enum kind kind;
    LLVMValueRef to, from, length; /* `from`: the byte, for SET */
    unsigned to_align, from_align;
    uint64_t bytes; /* 0: not constant, or nothing to do */
    unsigned zeros; /* of the length, its lowest bits */
    bool constant, is_volatile;
    unsigned element; /* bytes per access */
};

/* The size of the smallest scalar in `type`, 8 at most. Depth is bounded by the module check. */
static unsigned
smallest_leaf(LLVMTargetDataRef layout, LLVMTypeRef type)
{
    unsigned least = 8, size;
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
            size = smallest_leaf(layout, LLVMStructGetTypeAtIndex(type, i));
            least = size < least ? size : least;
        }
        return least;
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind:
        return smallest_leaf(layout, LLVMGetElementType(type));
    default:
        size = (unsigned)LLVMStoreSizeOfType(layout, type);
        return size == 1 || size == 2 || size == 4 ? size : 8;
    }
}

/* The element size that the private object behind `pointer` is made of; 8 where there is none. */
static unsigned
private_element(LLVMTargetDataRef layout, LLVMValueRef pointer)
{
    LLVMValueRef object = lw_object_of(pointer);
    return LLVMIsAAllocaInst(object) ? smallest_leaf(layout, LLVMGetAllocatedType(object)) : 8;
}

/* How many of its lowest bits are 0, as far as its making tells. */
static unsigned
lowest_zeros(LLVMValueRef value, unsigned depth)
{
    LLVMValueRef constant = LLVMIsAConstantInt(value);
    if (constant) {
        uint64_t bits = LLVMConstIntGetZExtValue(constant);
        return bits ? (unsigned)__builtin_ctzll(bits) : MOST_ZEROS;
    }
    if (depth == 0 || !LLVMIsAInstruction(value))
        return 0;
    unsigned a, b;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMFreeze: return lowest_zeros(LLVMGetOperand(value, 0), depth - 1);
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr:
        a = lowest_zeros(LLVMGetOperand(value, 0), depth - 1);
        b = lowest_zeros(LLVMGetOperand(value, 1), depth - 1);
        return a < b ? a : b;
    case LLVMMul:
        return lowest_zeros(LLVMGetOperand(value, 0), depth - 1) +
               lowest_zeros(LLVMGetOperand(value, 1), depth - 1);
    case LLVMShl:
        constant = LLVMIsAConstantInt(LLVMGetOperand(value, 1));
        return lowest_zeros(LLVMGetOperand(value, 0), depth - 1) +
               (constant && LLVMConstIntGetZExtValue(constant) < MOST_ZEROS
                    ? (unsigned)LLVMConstIntGetZExtValue(constant)
                    : 0);
    default: return 0;
    }
}

static void
choose_element(struct lw_expansion *x, struct call *c)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(x->module);
    bool is_private = LLVMIsAAllocaInst(lw_object_of(c->to));
    unsigned limit = c->to_align, other = private_element(layout, c->to);
    /* Bytes alone are set where nobody says an alignment: x86 needs none, but a private array's elements. */
    if (c->kind == SET && !is_private && c->to_align == 1)
        limit = 8;
    else if (LLVMIsAAllocaInst(c->to) && LLVMGetAlignment(c->to) > limit)
        limit = LLVMGetAlignment(c->to);
    limit = other < limit ? other : limit;
    if (c->kind != SET) {
        limit = c->from_align < limit ? c->from_align : limit;
        other = private_element(layout, c->from);
        limit = other < limit ? other : limit;
    }
    unsigned whole = c->constant ? 8 : 1u << (c->zeros < 3 ? c->zeros : 3);
    c->element = 1;
    while (c->element < limit && c->element < whole && c->bytes % (2 * c->element) == 0)
        c->element *= 2;
}

static bool
read_call(struct lw_expansion *x, LLVMValueRef i, struct call *c)
{
    static const struct {
        const char *prefix;
        enum kind kind;
    } kinds[] = {{"llvm.memcpy.", COPY}, {"llvm.memmove.", MOVE}, {"llvm.memset.", SET}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (!lw_is_call_like(i, kinds[k].prefix))
            continue;
        c->kind = kinds[k].kind;
        c->to = LLVMGetOperand(i, 0);
        c->from = LLVMGetOperand(i, 1);
        c->length = LLVMGetOperand(i, 2);
        c->to_align = lw_pointer_align(i, 0);
        c->from_align = c->kind == SET ? 1 : lw_pointer_align(i, 1);
        c->constant = LLVMIsAConstantInt(c->length);
        c->zeros = lowest_zeros(c->length, 4);
        c->bytes = c->constant ? LLVMConstIntGetZExtValue(c->length) : 0;
        c->is_volatile =
            LLVMIsAConstantInt(LLVMGetOperand(i, 3)) && LLVMConstIntGetZExtValue(LLVMGetOperand(i, 3));
        choose_element(x, c);
        return true;
    }
    return false;
}

static LLVMTypeRef
element_type(struct lw_expansion *x, const struct call *c)
{
    return LLVMIntTypeInContext(LLVMGetModuleContext(x->module), 8 * c->element);
}

static LLVMValueRef
load_element(LLVMBuilderRef b, LLVMTypeRef type, const struct call *c, LLVMValueRef pointer,
             LLVMValueRef index)
{
    LLVMValueRef load = LLVMBuildLoad2(b, type, LLVMBuildGEP2(b, type, pointer, &index, 1, ""), "");
    LLVMSetAlignment(load, c->element);
    LLVMSetVolatile(load, c->is_volatile);
    return load;
}

static unsigned
stored_align(const struct call *c)
{
    return c->kind == SET && c->to_align < c->element ? c->to_align : c->element;
}

static void
store_element(LLVMBuilderRef b, LLVMTypeRef type, const struct call *c, LLVMValueRef value,
              LLVMValueRef pointer, LLVMValueRef index)
{
    LLVMValueRef store = LLVMBuildStore(b, value, LLVMBuildGEP2(b, type, pointer, &index, 1, ""));
    LLVMSetAlignment(store, stored_align(c));
    LLVMSetVolatile(store, c->is_volatile);
}

/* The byte of a memset in every byte of an element. */
static LLVMValueRef
repeat_byte(LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef byte)
{
    LLVMValueRef wide = LLVMBuildZExtOrBitCast(b, byte, type, "");
    uint64_t ones = UINT64_C(0x0101010101010101) >> (64 - LLVMGetIntTypeWidth(type));
    return LLVMBuildMul(b, wide, LLVMConstInt(type, ones, false), "");
}

/* All loads come first: that serves memmove too. */
static void
expand_straight(struct lw_expansion *x, LLVMBuilderRef b, const struct call *c)
{
    LLVMTypeRef type = element_type(x, c), i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(x->module));
    unsigned count = (unsigned)(c->bytes / c->element);
    LLVMValueRef values[STRAIGHT], byte = c->kind == SET && count ? repeat_byte(b, type, c->from) : NULL;
    for (unsigned i = 0; i < count; i++)
        values[i] = byte ? byte : load_element(b, type, c, c->from, LLVMConstInt(i64, i, false));
    for (unsigned i = 0; i < count; i++)
        store_element(b, type, c, values[i], c->to, LLVMConstInt(i64, i, false));
}

/* void lw.expand.KIND...(to, from, count): memmove runs downwards where the destination is above the source.
 */
static void
write_loop(struct lw_expansion *x, LLVMValueRef function, const struct call *c)
{
    LLVMContextRef context = LLVMGetModuleContext(x->module);
    LLVMTypeRef type = element_type(x, c), i64 = LLVMInt64TypeInContext(context);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, function, "entry");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(context, function, "body");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(context, function, "end");
    LLVMValueRef to = LLVMGetParam(function, 0), from = LLVMGetParam(function, 1),
                 count = LLVMGetParam(function, 2);
    LLVMValueRef zero = LLVMConstInt(i64, 0, false), one = LLVMConstInt(i64, 1, false), down = NULL;
    LLVMPositionBuilderAtEnd(b, entry);
    if (c->kind == MOVE)
        down = LLVMBuildICmp(b, LLVMIntUGT, LLVMBuildPtrToInt(b, to, i64, ""),
                             LLVMBuildPtrToInt(b, from, i64, ""), "");
    LLVMValueRef byte = c->kind == SET ? repeat_byte(b, type, from) : NULL;
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, count, zero, ""), end, body);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef at = LLVMBuildPhi(b, i64, ""), index = at;
    if (down) {
        LLVMValueRef last = LLVMBuildSub(b, count, one, "");
        index = LLVMBuildSelect(b, down, LLVMBuildSub(b, last, at, ""), at, "");
    }
    store_element(b, type, c, byte ? byte : load_element(b, type, c, from, index), to, index);
    LLVMValueRef next = LLVMBuildAdd(b, at, one, ""), in[2] = {zero, next};
    LLVMBasicBlockRef blocks[2] = {entry, body};
    LLVMAddIncoming(at, in, blocks, 2);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, next, count, ""), end, body);
    LLVMPositionBuilderAtEnd(b, end);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
}

static void
expand_loop(struct lw_expansion *x, LLVMBuilderRef b, const struct call *c)
{
    LLVMContextRef context = LLVMGetModuleContext(x->module);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
    LLVMTypeRef types[3] = {LLVMTypeOf(c->to), LLVMTypeOf(c->from), i64};
    unsigned space = c->kind == SET ? 0 : LLVMGetPointerAddressSpace(types[1]);
    char name[96];
    snprintf(name, sizeof name, "lw.expand.%d.%u.%u.%u.%u.%d", c->kind,
             LLVMGetPointerAddressSpace(types[0]), space, c->element, stored_align(c), c->is_volatile);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), types, 3, false);
    LLVMValueRef function = LLVMGetNamedFunction(x->module, name);
    if (!function) {
        function = LLVMAddFunction(x->module, name, type);
        LLVMSetLinkage(function, LLVMInternalLinkage);
        lw_add_attributes(function, "alwaysinline");
        write_loop(x, function, c);
    }
    LLVMValueRef count = LLVMConstInt(i64, c->bytes / c->element, false);
    if (!c->constant) {
        unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(c->length));
        count = width < 64 ? LLVMBuildZExt(b, c->length, i64, "")
                           : LLVMBuildTruncOrBitCast(b, c->length, i64, "");
        if (c->element > 1)
            count = LLVMBuildLShr(b, count, LLVMConstInt(i64, __builtin_ctz(c->element), false), "");
    }
    LLVMValueRef arguments[3] = {c->to, c->from, count};
    LLVMBuildCall2(b, type, function, arguments, 3, "");
    x->loops = true;
}

bool
lw_expand_memory_call(struct lw_expansion *x, LLVMValueRef i)
{
    struct call c = {0};
    if (!read_call(x, i, &c))
        return false;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(x->module));
    LLVMPositionBuilderBefore(b, i); /* takes the call's debug location with it */
    if (c.constant && c.bytes / c.element <= STRAIGHT)
        expand_straight(x, b, &c);
    else
        expand_loop(x, b, &c);
    LLVMDisposeBuilder(b);
    LLVMInstructionEraseFromParent(i);
    x->changed = true;
    return true;
}

/* Constants that front ends write over several elements at once: zeros of an array of bytes. */
void
lw_expand_constant_store(struct lw_expansion *x, LLVMValueRef store)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(x->module);
    LLVMValueRef value = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1);
    unsigned bits = LLVMIsAConstantInt(value) ? LLVMGetIntTypeWidth(LLVMTypeOf(value)) : 0;
    unsigned element = 8 * private_element(layout, pointer);

    if (bits <= element || bits > 64 || bits % element || LLVMGetVolatile(store) ||
        LLVMGetOrdering(store) != LLVMAtomicOrderingNotAtomic)
        return;
    LLVMContextRef context = LLVMGetModuleContext(x->module);
    LLVMTypeRef type = LLVMIntTypeInContext(context, element), i64 = LLVMInt64TypeInContext(context);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderBefore(b, store);
    uint64_t all = LLVMConstIntGetZExtValue(value), mask = UINT64_MAX >> (64 - element);
    unsigned align = LLVMGetAlignment(store);
    for (unsigned k = 0; k < bits / element; k++) {
        LLVMValueRef index = LLVMConstInt(i64, k, false), to = pointer;
        if (k)
            to = LLVMBuildGEP2(b, type, pointer, &index, 1, "");
        LLVMValueRef part = LLVMBuildStore(b, LLVMConstInt(type, all >> (k * element) & mask, false), to);
        LLVMSetAlignment(part, align < element / 8 ? align : element / 8);
    }
    LLVMDisposeBuilder(b);
    LLVMInstructionEraseFromParent(store);
    x->changed = true;
}
