/* SPDX-License-Identifier: MIT */
/* Variables of the source for a debugger: what DebugValue and DebugDeclare tell (OpenCL.DebugInfo.100,
 * NonSemantic.Shader.DebugInfo).
 *
 * Each has memory of its own in the function, which is stored to, volatile, wherever it has another value:
 * the lanes keep it like any private variable, and no pass takes it away. The column of such a store's debug
 * location, which sroa and widening keep, unlike other metadata, is a number in the list "lw.variables" of
 * the module: name, encoding, line and whether the value is known. jit/debugger_variables.c tells the
 * debugger at the end. Vectors have a row more for each component, which the lanes' stores are of. After a
 * barrier each is stored once more as it is: another sub-group's code came between.
 *
 * Enters: debug instructions, where facts->variables asks for them. Never: changes what the kernel does.
 * Values that do not dominate are the caller's to notice: no check looks into debug instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug_info.h"
#include "intrinsics.h"

enum { MOST_NAME = 200, ALIGN = 16, MOST_ROWS = 65000 /* of 16 bits */ };

struct lw_shown {
    uint32_t variable; /* DebugLocalVariable */
    V slot;
    T type;
    unsigned row[2]; /* of an unknown value, and a known one */
};

static bool
is_shown(T type)
{
    T scalar = lw_scalar(type);
    return lw_is_float(scalar) ||
           (LLVMGetTypeKind(scalar) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(scalar) >= 8);
}

/* A row of the list, from 1 on. */
static unsigned
add_row(lw_emitter *e, const struct lw_inst *variable, const char *name, bool known)
{
    uint32_t type = lw_debug_operand(e, variable, 1);
    const uint32_t numbers[] = {lw_debug_encoding(e, type), lw_debug_number(e, variable, 3), known};
    LLVMMetadataRef parts[5] = {LLVMMDStringInContext2(e->context, name, strlen(name))};
    for (unsigned i = 0; i < 3; i++)
        parts[i + 1] = LLVMValueAsMetadata(LLVMConstInt(e->i32, numbers[i], false));
    parts[4] = lw_debug_pointee(e, type);
    V node = LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, parts, parts[4] ? 5 : 4));
    LLVMAddNamedMetadataOperand(e->module, LW_VARIABLES, node);
    return LLVMGetNamedMetadataNumOperands(e->module, LW_VARIABLES);
}

/* "v" and, of a vector, "v.x" or "v.s0" and so on behind it. */
static unsigned
add_rows(lw_emitter *e, const struct lw_inst *variable, T type, bool known)
{
    char name[MOST_NAME + 8];
    unsigned components = lw_parts(type), row = add_row(e, variable, lw_debug_name(e, variable), known);
    for (unsigned k = 0; k < components && components > 1; k++) {
        int length = snprintf(name, sizeof name - 4, "%.*s", MOST_NAME, lw_debug_name(e, variable));
        if (components <= 4)
            snprintf(name + length, 4, ".%c", "xyzw"[k]);
        else
            snprintf(name + length, 4, ".s%x", k & 15);
        add_row(e, variable, name, known);
    }
    return row;
}

static void
store(lw_emitter *e, LLVMBuilderRef at, const struct lw_shown *shown, V value, bool known)
{
    LLVMMetadataRef before = LLVMGetCurrentDebugLocation2(at);
    unsigned line = e->inst->line ? e->inst->line : e->inst->at;
    if (!before)
        return;
    LLVMMetadataRef scope = LLVMDILocationGetScope(before);
    LLVMSetCurrentDebugLocation2(
        at, LLVMDIBuilderCreateDebugLocation(e->context, line, shown->row[known], scope, NULL));
    V made = LLVMBuildStore(at, value, shown->slot);
    LLVMSetAlignment(made, ALIGN);
    LLVMSetVolatile(made, true);
    LLVMSetCurrentDebugLocation2(at, before);
}

/* NULL: it has none, as no value was told of it yet, or there is no memory. */
static struct lw_shown *
find(lw_emitter *e, uint32_t variable)
{
    return e->shown_of[variable] ? &e->shown[e->shown_of[variable] - 1] : NULL;
}

/* Where the function begins it has no value. */
static struct lw_shown *
add(lw_emitter *e, uint32_t variable, T type)
{
    const struct lw_inst *inst = lw_debug_inst(e, variable, OpenCLDebugInfo100DebugLocalVariable, 4);
    struct lw_shown *grown = realloc(e->shown, (e->shown_count + 1) * sizeof *grown);
    if (grown)
        e->shown = grown;
    if (!grown || LLVMGetNamedMetadataNumOperands(e->module, LW_VARIABLES) > MOST_ROWS)
        return NULL;
    grown[e->shown_count] =
        (struct lw_shown){variable,
                          lw_alloca(e, type, ALIGN, "variable"),
                          type,
                          {add_rows(e, inst, type, false), add_rows(e, inst, type, true)}};
    e->shown_of[variable] = ++e->shown_count;
    struct lw_shown *made = &grown[e->shown_count - 1];
    store(e, e->prologue, made, LLVMConstNull(type), false);
    return made;
}

/* Pointers into memory that all work-items have, as the integers that they are; NULL for others: private
 * variables would have to stay in memory. */
static V
plain_value(lw_emitter *e, V value)
{
    if (!value || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind)
        return value;
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(value));
    bool shared = space == LW_AS_GLOBAL || space == LW_AS_CONSTANT || space == LW_AS_LOCAL;
    return shared ? LLVMBuildPtrToInt(e->b, value, e->i64, "") : NULL;
}

void
lw_show(lw_emitter *e, uint32_t variable, V value)
{
    value = plain_value(e, value);
    if (!lw_debug_inst(e, variable, OpenCLDebugInfo100DebugLocalVariable, 4))
        return;
    struct lw_shown *shown = find(e, variable);
    if (value && !shown && is_shown(LLVMTypeOf(value)))
        shown = add(e, variable, LLVMTypeOf(value));
    if (!shown)
        return;
    if (value && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind &&
        LLVMGetTypeKind(shown->type) == LLVMIntegerTypeKind)
        value = LLVMBuildIntCast2(e->b, value, shown->type, false, ""); /* counters are made wider */
    bool known = value && LLVMTypeOf(value) == shown->type;
    store(e, e->b, shown, known ? value : LLVMConstNull(shown->type), known);
}

/* Does the pointer's variable hold a number, a vector or a pointer, which is stored as a whole? */
static bool
is_number(const lw_emitter *e, uint32_t pointer)
{
    uint32_t type = lw_pointee(e, lw_type_of(e->spv, pointer)), op = lw_op_of(e->spv, type);
    return op == SpvOpTypeInt || op == SpvOpTypeFloat || op == SpvOpTypeVector || op == SpvOpTypePointer;
}

void
lw_show_variables(lw_emitter *e)
{
    if (!e->facts->variables || !lw_is_debug_set(e->spv, e->inst) ||
        e->inst->count < LW_DEBUG_FIRST_OPERAND + 3)
        return;
    uint32_t number = lw_operand(e, 4), variable = lw_operand(e, 5), value = lw_operand(e, 6), distance;
    if (variable >= e->spv->bound || value >= e->spv->bound)
        return;
    uint32_t op = lw_op_of(e->spv, value);
    bool direct = lw_debug_distance(e, lw_operand(e, 7), &distance), whole = direct && !distance;
    /* clang's expressions say of private variables that they are in address space 0: of no account. */
    if (number == OpenCLDebugInfo100DebugDeclare && !distance && op == SpvOpVariable && is_number(e, value)) {
        e->declared[value] = variable;
    } else if (number == OpenCLDebugInfo100DebugDeclare && direct) {
        lw_add_place(e, value, variable, distance);
    } else if (number == OpenCLDebugInfo100DebugValue) {
        bool constant = op == SpvOpConstant || op == SpvOpConstantNull || op == SpvOpConstantComposite;
        V known = e->values[value] || !constant ? e->values[value] : lw_emit_value(e, value);
        lw_show(e, variable, whole && op != SpvOpUndef ? known : NULL);
    }
}

void
lw_show_store(lw_emitter *e, uint32_t pointer, V value)
{
    if (e->facts->variables && pointer < e->spv->bound && e->declared[pointer])
        lw_show(e, e->declared[pointer], value);
}

void
lw_show_all_again(lw_emitter *e)
{
    for (uint32_t i = 0; i < e->shown_count; i++) {
        V value = LLVMBuildLoad2(e->b, e->shown[i].type, e->shown[i].slot, "");
        LLVMSetAlignment(value, ALIGN);
        LLVMSetVolatile(value, true);
        store(e, e->b, &e->shown[i], value, true);
    }
}

void
lw_forget_variables(lw_emitter *e)
{
    for (uint32_t i = 0; i < e->shown_count; i++)
        e->shown_of[e->shown[i].variable] = 0;
    e->shown_count = 0;
    lw_forget_places(e);
}
