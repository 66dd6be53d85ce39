/* SPDX-License-Identifier: MIT */
/* Pointers to built-in variables: Input ones, as SPIR-V has them, and those that DPC++ declares in global
 * memory. Both are no addresses: derived pointers may be loaded from, indexed and cast, nothing else.
 *
 * Enters: an instruction and an id that it uses.  Leaves: a yes, or a refusal.
 * Relies on: nothing.  Never: walks a chain of derivations twice.
 */
#include "chains.h"
#include "check_parts.h"

#define NONE UINT32_MAX

/* The built-in variable that a pointer leads to, 0: none. */
static uint32_t
builtin_behind(struct lw_check *c, uint32_t id)
{
    const lw_module *m = c->m;
    uint32_t at = id, root = NONE;
    for (;;) {
        const struct lw_inst *def = at < m->bound ? lw_def(m, at) : NULL;
        if (!def || c->builtin_of[at]) {
            root = def ? c->builtin_of[at] : NONE;
            break;
        }
        c->builtin_of[at] = NONE; /* also ends circles */
        if (lw_is_builtin_variable(m, at)) {
            root = c->builtin_of[at] = at;
            break;
        }
        if (!lw_derives_pointer(def->op) || lw_shape_of(m, at).class != LW_CLASS_POINTER)
            break;
        at = lw_word(m, def, 3);
    }
    for (at = id; root != NONE && at != root && c->builtin_of[at] != root; at = lw_word(m, lw_def(m, at), 3))
        c->builtin_of[at] = root;
    return root == NONE ? 0 : root;
}

/* Integers, of any width or the vector's own. */
static bool
check_builtin_load(struct lw_check *c, const struct lw_inst *inst, uint32_t variable)
{
    const lw_module *m = c->m;
    struct lw_shape r = lw_shape_of_type(m, inst->type), v = lw_shape_of(m, variable);
    struct lw_shape whole = lw_shape_of_type(m, v.pointee);
    if (r.class == LW_CLASS_INT && r.lanes <= whole.lanes && (r.lanes == 1 || r.width == whole.width))
        return true;
    return lw_refused(c, inst, "a built-in variable is loaded as another type");
}

bool
lw_check_builtin_pointer(struct lw_check *c, const struct lw_inst *inst, uint32_t id)
{
    if (lw_shape_of(c->m, id).class != LW_CLASS_POINTER)
        return true;
    uint32_t variable = builtin_behind(c, id);
    if (!variable)
        return true;
    if (inst->op == SpvOpLoad)
        return check_builtin_load(c, inst, variable);
    if (lw_derives_pointer(inst->op) && lw_shape_of_type(c->m, inst->type).class == LW_CLASS_POINTER)
        return true;
    return lw_refused(c, inst, "the address of a built-in variable can only be loaded from or indexed");
}
