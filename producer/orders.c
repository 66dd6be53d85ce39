/* SPDX-License-Identifier: MIT */
/* Orders and scopes of atomic functions, fences and barriers. The back end takes the order of
 * atomic_load_explicit for its scope, and its scope for its semantics, writes each atomic_store_explicit as
 * sequentially consistent, gives barriers of a device's scope that scope of execution, and dies of some
 * orders and scopes that only the running kernel knows. These functions are called by SPIR-V's names instead,
 * whose operands it writes as they are. What the others have that is no constant becomes the strongest there
 * is. */
#include "legal.h"

#include <stdio.h>
#include <string.h>

#include "spirv/attributes.h"
#include "spirv/support.h"

#define IN_LOCAL SpvMemorySemanticsWorkgroupMemoryMask
#define IN_GLOBAL SpvMemorySemanticsCrossWorkgroupMemoryMask
#define IN_IMAGES SpvMemorySemanticsImageMemoryMask

static bool
is_number(V value, uint64_t *number)
{
    if (!LLVMIsAConstantInt(value))
        return false;
    *number = LLVMConstIntGetZExtValue(value);
    return true;
}

/* OpenCL C's memory_scope. */
static uint64_t
scope_of(V value)
{
    static const SpvScope scopes[] = {SpvScopeInvocation, SpvScopeWorkgroup, SpvScopeDevice,
                                      SpvScopeCrossDevice, SpvScopeSubgroup};
    uint64_t k;
    return is_number(value, &k) && k < sizeof scopes / sizeof *scopes ? scopes[k] : SpvScopeCrossDevice;
}

/* Its memory_order: relaxed, (consume,) acquire, release, acquire and release, sequentially consistent. */
static uint64_t
order_of(V value)
{
    static const uint8_t orders[] = {
        0, SpvMemorySemanticsAcquireMask, SpvMemorySemanticsAcquireMask, SpvMemorySemanticsReleaseMask,
        SpvMemorySemanticsAcquireReleaseMask};
    uint64_t k;
    return is_number(value, &k) && k < sizeof orders ? orders[k]
                                                     : SpvMemorySemanticsSequentiallyConsistentMask;
}

/* Its cl_mem_fence_flags. */
static uint64_t
memory_of_flags(V value)
{
    uint64_t k;
    if (!is_number(value, &k))
        return IN_LOCAL | IN_GLOBAL | IN_IMAGES;
    return (k & 1 ? IN_LOCAL : 0u) | (k & 2 ? IN_GLOBAL : 0u) | (k & 4 ? IN_IMAGES : 0u);
}

static uint64_t
memory_of_pointer(V pointer)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    return space == 1 ? IN_GLOBAL : space == 3 ? IN_LOCAL : IN_LOCAL | IN_GLOBAL;
}

static V
number(struct lw_legal *l, uint64_t k)
{
    return LLVMConstInt(LLVMInt32TypeInContext(l->context), k, false);
}

/* Calls `name`, which lanes enter together; NULL where that is a function of other types. */
static V
called(struct lw_legal *l, V old, const char *name, V *arguments, unsigned count)
{
    T types[4];
    for (unsigned k = 0; k < count; k++)
        types[k] = LLVMTypeOf(arguments[k]);
    T type = LLVMFunctionType(LLVMTypeOf(old), types, count, false);
    V function = LLVMGetNamedFunction(l->module, name);
    if (!function) {
        function = LLVMAddFunction(l->module, name, type);
        lw_add_attributes(function, "convergent");
        LLVMSetFunctionCallConv(function, LLVMGetInstructionCallConv(old));
    }
    if (LLVMGlobalGetValueType(function) != type)
        return NULL;
    lw_write_at(l, old);
    V call = LLVMBuildCall2(l->b, type, function, arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetInstructionCallConv(old));
    return call;
}

/* The letters of a type in a mangled name; NULL of those that no atomic function has. */
static const char *
letters(T type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) == 32 ? "i" : LLVMGetIntTypeWidth(type) == 64 ? "l" : NULL;
    case LLVMHalfTypeKind: return "Dh";
    case LLVMFloatTypeKind: return "f";
    case LLVMDoubleTypeKind: return "d";
    default: return NULL;
    }
}

/* atomic_load_explicit(pointer, order[, scope]), atomic_store_explicit(pointer, value, order[, scope]) */
static V
access(struct lw_legal *l, V old, bool store)
{
    char name[64];
    unsigned count = LLVMGetNumArgOperands(old), at = 1u + store;
    V pointer = LLVMGetOperand(old, 0), value = store ? LLVMGetOperand(old, 1) : NULL;
    const char *type = letters(store ? LLVMTypeOf(value) : LLVMTypeOf(old));
    if (!type || count < at + 1 || count > at + 2)
        return NULL;
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    snprintf(name, sizeof name, "_Z%s%uV%sii%s",
             store ? "19__spirv_AtomicStorePU3AS" : "18__spirv_AtomicLoadPU3AS", space, type,
             store ? type : "");
    uint64_t scope = count > at + 1 ? scope_of(LLVMGetOperand(old, at + 1)) : SpvScopeDevice;
    uint64_t order = order_of(LLVMGetOperand(old, at));
    V arguments[] = {pointer, number(l, scope), number(l, order | memory_of_pointer(pointer)), value};
    return called(l, old, name, arguments, 3u + store);
}

/* atomic_work_item_fence(flags, order, scope) */
static V
fence(struct lw_legal *l, V old)
{
    if (LLVMGetNumArgOperands(old) != 3)
        return NULL;
    uint64_t semantics = order_of(LLVMGetOperand(old, 1)) | memory_of_flags(LLVMGetOperand(old, 0));
    V arguments[] = {number(l, scope_of(LLVMGetOperand(old, 2))), number(l, semantics)};
    return called(l, old, "_Z21__spirv_MemoryBarrierii", arguments, 2);
}

/* barrier(flags), work_group_barrier(flags[, scope]) */
static V
barrier(struct lw_legal *l, V old)
{
    unsigned count = LLVMGetNumArgOperands(old);
    if (count < 1 || count > 2)
        return NULL;
    uint64_t scope = count > 1 ? scope_of(LLVMGetOperand(old, 1)) : SpvScopeWorkgroup;
    uint64_t semantics =
        SpvMemorySemanticsSequentiallyConsistentMask | memory_of_flags(LLVMGetOperand(old, 0));
    V arguments[] = {number(l, SpvScopeWorkgroup), number(l, scope), number(l, semantics)};
    return called(l, old, "_Z22__spirv_ControlBarrieriii", arguments, 3);
}

/* The last parameters of all other functions: one or two orders (the second's type is told by reference to
 * the first), and a scope. */
static void
make_constant(struct lw_legal *l, V call, const char *parameters)
{
    static const char order[] = "12memory_order", scope[] = "12memory_scope";
    const char *orders = strstr(parameters, order), *scopes = strstr(parameters, scope);
    unsigned count = LLVMGetNumArgOperands(call);
    unsigned behind = scopes != NULL, two = orders && orders[strlen(order)] == 'S';
    if (count < behind + two + (orders != NULL))
        return;
    if (scopes && !LLVMIsAConstantInt(LLVMGetOperand(call, count - 1)))
        LLVMSetOperand(call, count - 1, number(l, 3)); /* memory_scope_all_svm_devices */
    for (unsigned k = 0; orders && k <= two; k++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(call, count - 1 - behind - k)))
            LLVMSetOperand(call, count - 1 - behind - k, number(l, 5)); /* memory_order_seq_cst */
}

static bool
is(const char *name, uint32_t length, const char *other)
{
    return strlen(other) == length && memcmp(name, other, length) == 0;
}

static V
meant(struct lw_legal *l, V call)
{
    if (!LLVMIsACallInst(call))
        return NULL;
    size_t size;
    const char *name, *parameters;
    V callee = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
        return NULL;
    const char *mangled = LLVMGetValueName2(callee, &size);
    uint32_t length = lw_unmangle(mangled, &name, &parameters);
    if (strncmp(mangled, "_Z", 2) != 0)
        return NULL;
    if (is(name, length, "atomic_load_explicit") || is(name, length, "atomic_store_explicit"))
        return access(l, call, is(name, length, "atomic_store_explicit"));
    if (is(name, length, "atomic_work_item_fence"))
        return fence(l, call);
    if (is(name, length, "barrier") || is(name, length, "work_group_barrier"))
        return barrier(l, call);
    make_constant(l, call, parameters);
    return NULL;
}

bool
lw_legal_orders(struct lw_legal *l)
{
    return lw_replace_each(l, meant);
}
