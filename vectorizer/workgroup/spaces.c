/* SPDX-License-Identifier: MIT */
/* Alias scopes from address spaces: for x86 LLVM's analyses take no notice of these, and a store to local
 * memory stands in the way of every load of a buffer.
 *
 * Enters: any function. Leaves: !alias.scope and !noalias on plain accesses of global, constant and local
 * memory. Relies on: pointers of these spaces staying in them; generic ones get no mark. Barriers, fences and
 * atomics are no accesses in this sense: LLVM moves nothing over them that it did not before. Never: says
 * that two accesses of one space differ by what the kernel says: `restrict` holds within a region only
 * (DESIGN). Where the dispatch's buffers have no byte in common, accesses through different arguments differ,
 * whichever work-items do them and when; what is reached through a pointer from memory gets no argument's
 * mark.
 */
#include "spaces.h"

#include <limits.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>

#include "../../spirv/intrinsics.h"
#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../facts/memory_effects.h"

enum space { GLOBAL, LOCAL, SLOT, SPACES };

/* With marks of their own; more than src/ranges/shape.c asks of are never known to be apart. */
#define MOST_ARGUMENTS 32
#define MOST_STEPS 32     /* from an access back to its argument */

static LLVMMetadataRef
scope_of(LLVMContextRef context, const char *space)
{
    LLVMMetadataRef name = LLVMMDStringInContext2(context, "lanewise", 8);
    LLVMMetadataRef domain = LLVMMDNodeInContext2(context, &name, 1);
    LLVMMetadataRef scope[] = {LLVMMDStringInContext2(context, space, strlen(space)), domain};

    return LLVMMDNodeInContext2(context, scope, 2);
}

static LLVMMetadataRef
scope_of_space(LLVMContextRef context, enum space space)
{
    static const char *const names[SPACES] = {"global", "local", "slot"};

    return scope_of(context, names[space]);
}

/* What an access of a space is told. */
struct marks {
    unsigned own_kind, others_kind;
    LLVMValueRef own, others;
};

static struct marks
make_marks(LLVMContextRef context, LLVMMetadataRef own, LLVMMetadataRef *others, unsigned count)
{
    return (struct marks){
        LLVMGetMDKindIDInContext(context, "alias.scope", 11),
        LLVMGetMDKindIDInContext(context, "noalias", 7),
        LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &own, 1)),
        LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, others, count)),
    };
}

static struct marks
marks_of(LLVMContextRef context, enum space space)
{
    LLVMMetadataRef others[SPACES - 1];
    unsigned count = 0;

    for (enum space s = 0; s < SPACES; s++)
        if (s != space)
            others[count++] = scope_of_space(context, s);
    return make_marks(context, scope_of_space(context, space), others, count);
}

static bool
is_of_buffers(LLVMValueRef pointer)
{
    LLVMTypeRef type = LLVMTypeOf(pointer);

    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    if (LLVMGetTypeKind(type) != LLVMPointerTypeKind)
        return false;
    unsigned space = LLVMGetPointerAddressSpace(type);
    return space == LW_AS_GLOBAL || space == LW_AS_CONSTANT;
}

/* The marks of a function's pointer arguments, in their order; 0: too many. */
static unsigned
mark_arguments(LLVMValueRef function, LLVMValueRef *arguments, struct marks *marks)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    LLVMMetadataRef scope[MOST_ARGUMENTS], others[MOST_ARGUMENTS + 1];
    unsigned count = 0;

    for (unsigned k = 0; k < LLVMCountParams(function); k++) {
        char name[24];
        if (!is_of_buffers(LLVMGetParam(function, k)))
            continue;
        if (count == MOST_ARGUMENTS)
            return 0;
        snprintf(name, sizeof name, "argument %u", k);
        arguments[count] = LLVMGetParam(function, k);
        scope[count++] = scope_of(context, name);
    }
    for (unsigned k = 0; k < count; k++) {
        unsigned n = 0;
        for (unsigned other = 0; other < count; other++)
            if (other != k)
                others[n++] = scope[other];
        others[n++] = scope_of_space(context, LOCAL);
        others[n++] = scope_of_space(context, SLOT);
        marks[k] = make_marks(context, scope[k], others, n);
    }
    return count;
}

/* The one argument that an address is computed from; NULL: not known, or several. Addresses that go round a
 * loop come from where they entered it. */
static LLVMValueRef
argument_behind(LLVMValueRef address)
{
    LLVMValueRef seen[MOST_STEPS] = {address}, argument = NULL;
    unsigned count = 1;

    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef at = seen[k], next[2] = {NULL, NULL};
        unsigned sources = 1;
        if (LLVMIsAArgument(at)) {
            if (argument && argument != at)
                return NULL;
            argument = at;
            continue;
        }
        if (LLVMIsAGetElementPtrInst(at)) {
            next[0] = LLVMGetOperand(at, 0);
        } else if (LLVMIsASelectInst(at)) {
            next[0] = LLVMGetOperand(at, 1);
            next[1] = LLVMGetOperand(at, 2);
            sources = 2;
        } else if (LLVMIsAPHINode(at)) {
            sources = LLVMCountIncoming(at);
        } else {
            return NULL;
        }
        for (unsigned s = 0; s < sources; s++) {
            LLVMValueRef source = LLVMIsAPHINode(at) ? LLVMGetIncomingValue(at, s) : next[s];
            bool known = false;
            for (unsigned n = 0; n < count; n++)
                known |= seen[n] == source;
            if (!known && count == MOST_STEPS)
                return NULL;
            if (!known)
                seen[count++] = source;
        }
    }
    return argument;
}

static void
mark(LLVMValueRef access, const struct marks *m)
{
    LLVMSetMetadata(access, m->own_kind, m->own);
    LLVMSetMetadata(access, m->others_kind, m->others);
}

/* The address of a plain access; NULL: none. */
static LLVMValueRef
address_of(LLVMValueRef i)
{
    if (!lw_is_call_like(i, "llvm.masked."))
        return lw_plain_address(i);
    bool stores = LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind;
    return LLVMGetOperand(i, stores ? 1 : 0);
}

/* What is known of a function's accesses. */
struct function_marks {
    struct marks space[SPACES], argument[MOST_ARGUMENTS];
    LLVMValueRef arguments[MOST_ARGUMENTS];
    unsigned count; /* of them */
};

static const struct marks *
find_marks(const struct function_marks *m, LLVMValueRef address)
{
    LLVMTypeRef type = LLVMTypeOf(address);

    if (is_of_buffers(address)) {
        LLVMValueRef argument = m->count ? argument_behind(address) : NULL;
        for (unsigned k = 0; k < m->count; k++)
            if (m->arguments[k] == argument)
                return &m->argument[k];
        return &m->space[GLOBAL];
    }
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetPointerAddressSpace(type) == LW_AS_LOCAL ? &m->space[LOCAL] : NULL;
}

static void
mark_function(struct function_marks *m, LLVMValueRef function, bool apart)
{
    m->count = apart ? mark_arguments(function, m->arguments, m->argument) : 0;
    for (LLVMValueRef i = lw_first_instruction(function); i; i = lw_next_instruction(i)) {
        LLVMValueRef address = address_of(i);
        const struct marks *marks = address ? find_marks(m, address) : NULL;
        if (marks && !LLVMGetMetadata(i, marks->own_kind))
            mark(i, marks);
    }
}

void
lw_mark_spaces(LLVMModuleRef module, bool apart)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct function_marks m = {
        .space = {[GLOBAL] = marks_of(context, GLOBAL), [LOCAL] = marks_of(context, LOCAL)}};

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        /* The arguments of other functions are not the kernel's. */
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        bool kernels = strcmp(name, "lw.kernel") == 0 || strcmp(name, "lw.subgroup") == 0;
        mark_function(&m, f, apart && kernels);
    }
}

void
lw_mark_slot(LLVMValueRef access)
{
    struct marks marks = marks_of(LLVMGetTypeContext(LLVMTypeOf(access)), SLOT);

    mark(access, &marks);
}

#define NEAR 512 /* instructions from a load to the first use */

static bool
uses(LLVMValueRef i, LLVMValueRef x)
{
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
        if (LLVMGetOperand(i, (unsigned)k) == x)
            return true;
    return false;
}

/* The first of the users of `x` among `steps` instructions behind `load`, all of which are in its block;
 * NULL: they are not, or something is stored in a slot before: the next round's value may go to the same. */
static LLVMValueRef
first_user(LLVMValueRef x, LLVMValueRef load, const struct marks *slot, unsigned steps)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(load);
    LLVMValueRef i = LLVMGetNextInstruction(load);

    for (LLVMUseRef u = LLVMGetFirstUse(x); u; u = LLVMGetNextUse(u))
        if (LLVMIsAPHINode(LLVMGetUser(u)) || LLVMGetInstructionParent(LLVMGetUser(u)) != block)
            return NULL;
    for (; i && steps; steps--, i = LLVMGetNextInstruction(i)) {
        if (uses(i, x))
            return i;
        if (LLVMIsAStoreInst(i) && LLVMGetMetadata(i, slot->own_kind) == slot->own)
            return NULL;
    }
    return NULL;
}

static bool
is_taken_apart(LLVMValueRef load, const struct marks *slot)
{
    LLVMTypeRef type = LLVMTypeOf(load);

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetMetadata(load, slot->own_kind) != slot->own)
        return false;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(type));
    bool bytes = kind == LLVMPointerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
                 (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMGetElementType(type)) % 8 == 0);
    for (LLVMUseRef u = LLVMGetFirstUse(load); bytes && u; u = LLVMGetNextUse(u)) {
        LLVMValueRef lane = LLVMGetUser(u);
        bytes = LLVMIsAExtractElementInst(lane) && LLVMIsAConstantInt(LLVMGetOperand(lane, 1)) &&
                first_user(lane, load, slot, NEAR);
    }
    return bytes && LLVMGetFirstUse(load);
}

/* Code generation would load them all where the vector is, and keep them on the stack. Nothing writes a slot
 * between its load and the end of the region. */
static void
take_apart(LLVMBuilderRef b, LLVMTargetDataRef layout, LLVMValueRef load, const struct marks *slot)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(load));
    unsigned align = LLVMGetAlignment(load), size = (unsigned)LLVMABISizeOfType(layout, element);

    for (LLVMUseRef u; (u = LLVMGetFirstUse(load));) {
        LLVMValueRef lane = LLVMGetUser(u), index = LLVMGetOperand(lane, 1);
        /* Near when the load was chosen; the other lanes' loads stand between by now. */
        LLVMPositionBuilderBefore(b, first_user(lane, load, slot, UINT_MAX));
        LLVMValueRef at = LLVMBuildGEP2(b, element, LLVMGetOperand(load, 0), &index, 1, "");
        LLVMValueRef one = LLVMBuildLoad2(b, element, at, "");
        LLVMSetAlignment(one, align < size ? align : size);
        mark(one, slot);
        lw_replace(lane, one);
    }
    LLVMInstructionEraseFromParent(load);
}

/* What is loaded from a slot goes there where it is used first. */
static void
bring_near(LLVMBuilderRef b, LLVMValueRef load, const struct marks *slot)
{
    LLVMValueRef user = NULL;

    if (LLVMGetMetadata(load, slot->own_kind) == slot->own)
        user = first_user(load, load, slot, NEAR);
    LLVMValueRef i = LLVMGetNextInstruction(load);
    while (user && i != user && (LLVMIsALoadInst(i) || LLVMIsAGetElementPtrInst(i)))
        i = LLVMGetNextInstruction(i);
    if (!user || i == user) /* near already: others that were brought stand between */
        return;
    LLVMInstructionRemoveFromParent(load);
    LLVMPositionBuilderBefore(b, user);
    LLVMInsertIntoBuilder(b, load);
}

void
lw_settle_slots(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    struct marks slot = marks_of(context, SLOT);

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef next;
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = next) {
                next = LLVMGetNextInstruction(i);
                /* What is erased stands behind the load; what follows it may be among that. */
                if (!LLVMIsALoadInst(i) || LLVMGetVolatile(i))
                    continue;
                if (!is_taken_apart(i, &slot)) {
                    bring_near(builder, i, &slot);
                } else {
                    LLVMValueRef before = LLVMGetPreviousInstruction(i);
                    take_apart(builder, LLVMGetModuleDataLayout(module), i, &slot);
                    next = before ? LLVMGetNextInstruction(before) : LLVMGetFirstInstruction(b);
                }
            }
        }
    LLVMDisposeBuilder(builder);
}
