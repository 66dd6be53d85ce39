/* SPDX-License-Identifier: MIT */
/* Types of a result and its operands by a string of codes, one for each operand: most instructions are
 * checked by this alone.
 *
 * Enters: an instruction and its codes.  Leaves: the promise that each type is what its code says.
 * Relies on: types that were checked.  Never: looks at values.
 */
#include "check_parts.h"

#include <string.h>

static bool
fits_result(const lw_module *m, struct lw_shape r, char code)
{
    bool scalar = r.lanes == 1;
    switch (code) {
    case 'i': return r.class == LW_CLASS_INT;
    case 'I': return r.class == LW_CLASS_INT && scalar;
    case 'f': return r.class == LW_CLASS_FLOAT;
    case 'F': return r.class == LW_CLASS_FLOAT && scalar;
    case 'b': return r.class == LW_CLASS_BOOL;
    case 'B': return r.class == LW_CLASS_BOOL && scalar;
    case 'n': return r.class == LW_CLASS_INT || r.class == LW_CLASS_FLOAT;
    case 'm': return r.class == LW_CLASS_INT || r.class == LW_CLASS_FLOAT || r.class == LW_CLASS_BOOL;
    case 'M': return r.lanes > 1; /* only vectors have components */
    case 'p': return r.class == LW_CLASS_POINTER;
    case 'v': return r.class == LW_CLASS_VOID;
    case '4': return r.class == LW_CLASS_INT && r.width == 32 && r.lanes == 4;
    default: return lw_is_value(m, r);
    }
}

/* Result codes as above. Operand codes:
 * '=' as the result, 'W' integer as the result or wider, of which the low bits count (clang-22 at -O0 writes
 * (uint)(ushort)a_long so), '1' as the first operand, 'c' a component of the result, 'i' 'f' 'b' integer,
 * floating, boolean of as many lanes as the result, 'x' integer like the result in lanes and width, 'w'
 * 32-bit integer of as many lanes or scalar, 'h' integer of half the width, 'u' floating vector or scalar
 * whose component is the result, 'e' vector of the result's component, 's' integer scalar, 'S' boolean
 * scalar, 'Q' boolean scalar or of the result's lanes, 'Y' booleans (or integers, scalars too: clang-22), 'V'
 * integer vector with the result's lanes, 'N' integer or floating of as many lanes (clang-22's OpIEqual of an
 * atomic's floats), '4' four 32-bit integers, 'p' pointer, 'o' pipe, 'k' any numbers, 'L' a literal */
static bool
fits_operand(const lw_module *m, struct lw_shape r, struct lw_shape first, struct lw_shape o, char code)
{
    bool scalar = o.lanes == 1, lanes = o.lanes == r.lanes;
    switch (code) {
    case '=': return lw_same_shape(o, r);
    case 'W': return o.class == LW_CLASS_INT && lanes && o.width >= r.width;
    case '1': return lw_same_shape(o, first);
    case 'c': return o.class == r.class && o.width == r.width && scalar;
    case 'i':
    case 'V': return o.class == LW_CLASS_INT && lanes;
    case 'N': return (o.class == LW_CLASS_INT || o.class == LW_CLASS_FLOAT) && lanes;
    case 'f': return o.class == LW_CLASS_FLOAT && lanes;
    case 'b': return o.class == LW_CLASS_BOOL && lanes;
    case 'x': return o.class == LW_CLASS_INT && lanes && o.width == r.width;
    case 'w': return o.class == LW_CLASS_INT && (lanes || scalar) && o.width == 32;
    case 'h': return o.class == LW_CLASS_INT && lanes && o.width * 2 == r.width;
    case 'u': return o.class == LW_CLASS_FLOAT && o.width == r.width;
    case 'e': return o.class == r.class && o.width == r.width && o.lanes > 1;
    case 's': return o.class == LW_CLASS_INT && scalar;
    case 'S': return o.class == LW_CLASS_BOOL && scalar;
    case 'Q': return o.class == LW_CLASS_BOOL && (scalar || lanes);
    case 'Y': return o.class == LW_CLASS_BOOL || o.class == LW_CLASS_INT;
    case '4': return o.class == LW_CLASS_INT && o.width == 32 && o.lanes == 4;
    case 'p': return o.class == LW_CLASS_POINTER;
    case 'o': return o.class == LW_CLASS_PIPE;
    case 'k': return o.class == LW_CLASS_INT || o.class == LW_CLASS_FLOAT || o.class == LW_CLASS_BOOL;
    default: return lw_is_value(m, o);
    }
}

bool
lw_check_signature(struct lw_check *c, const struct lw_inst *inst, char result, const char *operands,
                   uint32_t first)
{
    const lw_module *m = c->m;
    struct lw_shape r = lw_shape_of_type(m, inst->type);
    struct lw_shape leading = lw_shape_of(m, lw_word(m, inst, first));
    if (result && !fits_result(m, r, result))
        return lw_invalid(c, inst, "its result is not of a type that it can have");
    if (inst->count != first + strlen(operands))
        return lw_invalid(c, inst, "it has the wrong number of operands");
    for (uint32_t i = 0; operands[i]; i++)
        if (operands[i] != 'L' &&
            !fits_operand(m, r, leading, lw_shape_of(m, lw_word(m, inst, first + i)), operands[i]))
            return lw_invalid(c, inst, "an operand is not of the type that it must have");
    return true;
}
