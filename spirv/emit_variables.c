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

#include "emitter.h"

enum { DEBUG_TYPE_BASIC = 2, DEBUG_TYPE_QUALIFIER = 4, DEBUG_TYPE_VECTOR = 6, DEBUG_TYPEDEF = 8,
       DEBUG_LOCAL_VARIABLE = 26, DEBUG_DECLARE = 28, DEBUG_VALUE = 29, DEBUG_EXPRESSION = 31 };
enum { FIRST_OPERAND = 5, TYPES_DEEP = 8, ALIGN = 16, MOST_NAME = 200, MOST_ROWS = 65000 /* of 16 bits */ };

struct lw_shown {
    uint32_t variable; /* DebugLocalVariable */
    V slot;
    T type;
    unsigned row[2]; /* of an unknown value, and a known one */
};

/* The debug instruction of an id, if it is that one with so many operands; NULL: it is not. */
static const struct lw_inst *
debug_inst(const lw_emitter *e, uint32_t id, uint32_t number, unsigned operands)
{
    const struct lw_inst *inst = id < e->spv->bound ? lw_def(e->spv, id) : NULL;
    if (!inst || inst->op != SpvOpExtInst || !lw_is_debug_set(e->spv, inst))
        return NULL;
    return lw_word(e->spv, inst, 4) == number && inst->count >= FIRST_OPERAND + operands ? inst : NULL;
}

static uint32_t
debug_operand(const lw_emitter *e, const struct lw_inst *inst, unsigned n)
{
    return lw_word(e->spv, inst, FIRST_OPERAND + n);
}

/* A number: one of the shader's set is an id of a constant. */
static uint32_t
debug_number(const lw_emitter *e, const struct lw_inst *inst, unsigned n)
{
    uint32_t word = debug_operand(e, inst, n);
    if (e->spv->ext_sets[lw_word(e->spv, inst, 3)] == LW_EXT_DEBUG_INFO)
        return word;
    const struct lw_inst *constant = word < e->spv->bound ? lw_def(e->spv, word) : NULL;
    return constant && constant->op == SpvOpConstant ? lw_word(e->spv, constant, 3) : 0;
}

/* How the basic type below names, qualifiers and vectors is encoded; 0: there is none. */
static uint32_t
encoding_of(const lw_emitter *e, uint32_t type)
{
    for (unsigned deep = 0; deep < TYPES_DEEP; deep++) {
        const struct lw_inst *basic = debug_inst(e, type, DEBUG_TYPE_BASIC, 3), *outer;
        if (basic)
            return debug_number(e, basic, 2);
        if ((outer = debug_inst(e, type, DEBUG_TYPEDEF, 2)))
            type = debug_operand(e, outer, 1);
        else if ((outer = debug_inst(e, type, DEBUG_TYPE_QUALIFIER, 1)) ||
                 (outer = debug_inst(e, type, DEBUG_TYPE_VECTOR, 1)))
            type = debug_operand(e, outer, 0);
        else
            return 0;
    }
    return 0;
}

static bool
is_shown(T type)
{
    T scalar = lw_scalar(type);
    return lw_is_float(scalar) ||
           (LLVMGetTypeKind(scalar) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(scalar) >= 8);
}

static const char *
name_of(const lw_emitter *e, const struct lw_inst *variable)
{
    uint32_t name = debug_operand(e, variable, 0);
    return name < e->spv->bound && lw_op_of(e->spv, name) == SpvOpString
               ? lw_string_at(e->spv, lw_def(e->spv, name)->at + 2)
               : "?";
}

/* A row of the list, from 1 on. */
static unsigned
add_row(lw_emitter *e, const struct lw_inst *variable, const char *name, bool known)
{
    const uint32_t numbers[] = {encoding_of(e, debug_operand(e, variable, 1)),
                                debug_number(e, variable, 3), known};
    LLVMMetadataRef parts[4] = {LLVMMDStringInContext2(e->context, name, strlen(name))};
    for (unsigned i = 0; i < 3; i++)
        parts[i + 1] = LLVMValueAsMetadata(LLVMConstInt(e->i32, numbers[i], false));
    V node = LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, parts, 4));
    LLVMAddNamedMetadataOperand(e->module, LW_VARIABLES, node);
    return LLVMGetNamedMetadataNumOperands(e->module, LW_VARIABLES);
}

/* "v" and, of a vector, "v.x" or "v.s0" and so on behind it. */
static unsigned
add_rows(lw_emitter *e, const struct lw_inst *variable, T type, bool known)
{
    char name[MOST_NAME + 8];
    unsigned components = lw_parts(type), row = add_row(e, variable, name_of(e, variable), known);
    for (unsigned k = 0; k < components && components > 1; k++) {
        int length = snprintf(name, sizeof name - 4, "%.*s", MOST_NAME, name_of(e, variable));
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
    const struct lw_inst *inst = debug_inst(e, variable, DEBUG_LOCAL_VARIABLE, 4);
    struct lw_shown *grown = realloc(e->shown, (e->shown_count + 1) * sizeof *grown);
    if (grown)
        e->shown = grown;
    if (!grown || LLVMGetNamedMetadataNumOperands(e->module, LW_VARIABLES) > MOST_ROWS)
        return NULL;
    grown[e->shown_count] = (struct lw_shown){variable, lw_alloca(e, type, ALIGN, "variable"), type,
                                              {add_rows(e, inst, type, false),
                                               add_rows(e, inst, type, true)}};
    e->shown_of[variable] = ++e->shown_count;
    struct lw_shown *made = &grown[e->shown_count - 1];
    store(e, e->prologue, made, LLVMConstNull(type), false);
    return made;
}

static void
show(lw_emitter *e, uint32_t variable, V value)
{
    if (!debug_inst(e, variable, DEBUG_LOCAL_VARIABLE, 4))
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

/* An expression with operations says how the value is found; such a one is not followed. */
static bool
is_direct(lw_emitter *e, uint32_t expression)
{
    const struct lw_inst *inst = debug_inst(e, expression, DEBUG_EXPRESSION, 0);
    return inst && inst->count == FIRST_OPERAND;
}

void
lw_show_variables(lw_emitter *e)
{
    if (!e->facts->variables || !lw_is_debug_set(e->spv, e->inst) || e->inst->count < FIRST_OPERAND + 3)
        return;
    uint32_t number = lw_operand(e, 4), variable = lw_operand(e, 5), value = lw_operand(e, 6);
    if (variable >= e->spv->bound || value >= e->spv->bound)
        return;
    uint32_t op = lw_op_of(e->spv, value);
    if (number == DEBUG_DECLARE && op == SpvOpVariable) {
        e->declared[value] = variable;
    } else if (number == DEBUG_VALUE) {
        bool constant = op == SpvOpConstant || op == SpvOpConstantNull || op == SpvOpConstantComposite;
        V known = e->values[value] || !constant ? e->values[value] : lw_emit_value(e, value);
        show(e, variable, is_direct(e, lw_operand(e, 7)) && op != SpvOpUndef ? known : NULL);
    }
}

void
lw_show_store(lw_emitter *e, uint32_t pointer, V value)
{
    if (e->facts->variables && pointer < e->spv->bound && e->declared[pointer])
        show(e, e->declared[pointer], value);
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
}
