/* SPDX-License-Identifier: MIT */
/* Debug instructions of OpenCL.DebugInfo.100 and NonSemantic.Shader.DebugInfo, as far as variables go. Both
 * sets have the same numbers for what is read here. */
#ifndef LW_SPIRV_DEBUG_INFO_H
#define LW_SPIRV_DEBUG_INFO_H

#include "debug_encoding.h"
#include "emitter.h"

enum { LW_DEBUG_FIRST_OPERAND = 5 }; /* word of an instruction */

/* ---- debug_info.c ---- */

/* The debug instruction of an id, if it is that one with so many operands; NULL: it is not. */
const struct lw_inst *lw_debug_inst(const lw_emitter *e, uint32_t id, uint32_t number, unsigned operands);
uint32_t lw_debug_operand(const lw_emitter *e, const struct lw_inst *inst, unsigned n);
/* A number: one of the shader's set is an id of a constant. */
uint32_t lw_debug_number(const lw_emitter *e, const struct lw_inst *inst, unsigned n);
/* "?" where it has none. */
const char *lw_debug_name(const lw_emitter *e, const struct lw_inst *inst);
/* How the basic type below names, qualifiers and vectors is encoded; LW_ENCODED_POINTER; 0: neither. */
uint32_t lw_debug_encoding(const lw_emitter *e, uint32_t type);
/* What a pointer points to, for a debugger; NULL: it is not told. */
LLVMMetadataRef lw_debug_pointee(lw_emitter *e, uint32_t pointer);
/* A number or a vector as it lies in memory; NULL: it is neither. */
T lw_debug_value_type(const lw_emitter *e, uint32_t type);
/* How many bytes an expression goes on from where it begins; false: it does something else. */
bool lw_debug_distance(const lw_emitter *e, uint32_t expression, uint32_t *bytes);

/* ---- emit_variables.c ---- */

/* The variable has this value from here on; NULL: one that is not known. */
void lw_show(lw_emitter *e, uint32_t variable, V value);

/* ---- emit_places.c ---- */

/* The variable, or the part of one that it names, is so many bytes behind this pointer. */
void lw_add_place(lw_emitter *e, uint32_t pointer, uint32_t variable, uint32_t offset);

#endif
