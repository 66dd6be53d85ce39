/* SPDX-License-Identifier: MIT */
/* Answers which address space generic pointers point into.
 *
 * Enters: `i32 lw.space_of(ptr addrspace(4))`, enum lw_address_space, in functions whose calls are inlined
 * and whose variables are in SSA form. Leaves: none of them; constants, and phis and selects of constants,
 * wherever the pointers' origins show. A pointer that comes from memory is looked up by its address:
 * lw.memory_begin and lw.memory_end (workgroup.h) bound local memory, the frame and the stack; anything else
 * is global. Relies on: phis' and selects' pointers being made of pointers of the four spaces. Never:
 * recurses.
 */
#include "pointer_spaces.h"

#include "../../spirv/attributes.h"
#include "../../spirv/intrinsics.h"
#include "../../spirv/arena.h"
#include "../facts/value_map.h"
#include "../facts/gep.h"
#include "../facts/instructions.h"

/* What a phi or select of pointers became: the same of spaces, its operands still to be filled in. */
struct twin {
    LLVMValueRef pointer, space;
};

struct tracer {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTypeRef i32, i64;
    LLVMBuilderRef builder;
    struct lw_value_map *numbers; /* pointer -> twin */
    struct twin *twins;
    uint32_t count;
};

static LLVMValueRef
constant_space(const struct tracer *t, unsigned space)
{
    return LLVMConstInt(t->i32, space, false);
}

/* Past steps that stay in the object. */
static LLVMValueRef
origin_of(LLVMValueRef pointer)
{
    for (;;) {
        LLVMOpcode op = LLVMIsAInstruction(pointer)    ? LLVMGetInstructionOpcode(pointer)
                        : LLVMIsAConstantExpr(pointer) ? LLVMGetConstOpcode(pointer)
                                                       : LLVMRet;
        if (op != LLVMGetElementPtr && op != LLVMAddrSpaceCast && op != LLVMBitCast && op != LLVMFreeze)
            return pointer;
        pointer = LLVMGetOperand(pointer, 0);
    }
}

static LLVMValueRef
bound(struct tracer *t, const char *name, unsigned memory)
{
    LLVMTypeRef type = LLVMFunctionType(t->i64, &t->i32, 1, false);
    LLVMValueRef function = LLVMGetNamedFunction(t->module, name), which = constant_space(t, memory);

    if (!function) {
        function = LLVMAddFunction(t->module, name, type);
        lw_add_attributes(function, "memory nounwind willreturn speculatable");
    }
    return LLVMBuildCall2(t->builder, type, function, &which, 1, "");
}

static LLVMValueRef
is_inside(struct tracer *t, LLVMValueRef address, unsigned memory)
{
    LLVMValueRef begin = bound(t, "lw.memory_begin", memory), end = bound(t, "lw.memory_end", memory);
    LLVMValueRef offset = LLVMBuildSub(t->builder, address, begin, "");

    return LLVMBuildICmp(t->builder, LLVMIntULT, offset, LLVMBuildSub(t->builder, end, begin, ""), "");
}

/* By its address, where it is made or enters. */
static LLVMValueRef
look_up(struct tracer *t, LLVMValueRef pointer, LLVMValueRef function)
{
    LLVMBuilderRef b = t->builder;

    if (LLVMIsAPHINode(pointer) || !LLVMIsAInstruction(pointer))
        LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    else
        LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(pointer));
    LLVMValueRef address = LLVMBuildPtrToInt(b, pointer, t->i64, "");
    LLVMValueRef local = is_inside(t, address, LW_MEMORY_LOCAL);
    LLVMValueRef own =
        LLVMBuildOr(b, is_inside(t, address, LW_MEMORY_FRAME), is_inside(t, address, LW_MEMORY_STACK), "");
    LLVMValueRef rest =
        LLVMBuildSelect(b, own, constant_space(t, LW_AS_PRIVATE), constant_space(t, LW_AS_GLOBAL), "");
    return LLVMBuildSelect(b, local, constant_space(t, LW_AS_LOCAL), rest, "");
}

static LLVMValueRef
add_twin(struct tracer *t, LLVMValueRef pointer, LLVMValueRef space)
{
    lw_value_map_add(t->numbers, pointer, t->count);
    t->twins[t->count++] = (struct twin){pointer, space};
    return space;
}

/* The space of what `pointer` points to; phis and selects are filled in later. */
static LLVMValueRef
space_of(struct tracer *t, LLVMValueRef pointer, LLVMValueRef function)
{
    pointer = origin_of(pointer);
    unsigned space = lw_space_of(pointer);
    uint32_t known = lw_value_map_get(t->numbers, pointer);

    if (space != LW_AS_GENERIC)
        return constant_space(t, space == LW_AS_CONSTANT ? LW_AS_GLOBAL : space);
    if (LLVMIsConstant(pointer)) /* null, a number, what is not defined */
        return constant_space(t, LW_AS_GLOBAL);
    if (known != UINT32_MAX)
        return t->twins[known].space;
    if (LLVMIsAPHINode(pointer)) {
        LLVMPositionBuilderBefore(t->builder, pointer);
        return add_twin(t, pointer, LLVMBuildPhi(t->builder, t->i32, "space"));
    }
    if (LLVMIsASelectInst(pointer)) {
        /* Two values that the builder does not fold into one. */
        LLVMPositionBuilderBefore(t->builder, pointer);
        LLVMValueRef made = LLVMBuildSelect(t->builder, LLVMGetOperand(pointer, 0), LLVMGetUndef(t->i32),
                                            constant_space(t, LW_AS_GLOBAL), "space");
        if (LLVMIsASelectInst(made))
            return add_twin(t, pointer, made);
    }
    return add_twin(t, pointer, look_up(t, pointer, function));
}

static void
fill_in(struct tracer *t, const struct twin *twin, LLVMValueRef function)
{
    LLVMValueRef pointer = twin->pointer;

    if (LLVMIsAPHINode(pointer)) {
        for (unsigned k = 0; k < LLVMCountIncoming(pointer); k++) {
            LLVMValueRef from = space_of(t, LLVMGetIncomingValue(pointer, k), function);
            LLVMBasicBlockRef block = LLVMGetIncomingBlock(pointer, k);
            LLVMAddIncoming(twin->space, &from, &block, 1);
        }
    } else if (LLVMIsASelectInst(pointer) && LLVMIsASelectInst(twin->space)) {
        for (unsigned k = 1; k <= 2; k++)
            LLVMSetOperand(twin->space, k, space_of(t, LLVMGetOperand(pointer, k), function));
    }
}

static void
trace(struct lw_arena *arena, void *data)
{
    struct tracer *t = data;
    LLVMValueRef query = LLVMGetNamedFunction(t->module, "lw.space_of");
    uint32_t most = 0, filled = 0;

    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f)) {
        most += LLVMCountParams(f);
        for (LLVMValueRef i = lw_first_instruction(f); i; i = lw_next_instruction(i))
            most += LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind;
    }
    t->numbers = lw_value_map_create(arena, most);
    t->twins = LW_ARENA_NEW(arena, struct twin, most);
    for (LLVMUseRef u; (u = LLVMGetFirstUse(query));) {
        LLVMValueRef call = LLVMGetUser(u);
        LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
        LLVMValueRef space = space_of(t, LLVMGetOperand(call, 0), function);
        for (; filled < t->count; filled++)
            fill_in(t, &t->twins[filled], function);
        lw_replace(call, space);
    }
    LLVMDeleteFunction(query);
}

bool
lw_lower_pointer_spaces(LLVMModuleRef module, bool *changed)
{
    LLVMContextRef context = LLVMGetModuleContext(module);

    *changed = LLVMGetNamedFunction(module, "lw.space_of") != NULL;
    if (!*changed)
        return true;
    struct tracer t = {
        .context = context,
        .module = module,
        .i32 = LLVMInt32TypeInContext(context),
        .i64 = LLVMInt64TypeInContext(context),
        .builder = LLVMCreateBuilderInContext(context),
    };
    bool done = lw_with_arena(trace, &t);
    LLVMDisposeBuilder(t.builder);
    return done;
}
