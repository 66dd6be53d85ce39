/* SPDX-License-Identifier: MIT */
/* Looks calls up in intrinsics.def, and group operations by their names. */
#include "intrinsics.h"

#include <stddef.h>
#include <string.h>

#define PREFIX 3 /* "lw." */

static const char *const names[LW_GROUP_OP_COUNT] = {
#define X(e, n) [LW_GROUP_##e] = n,
    LW_GROUP_OPS(X)
#undef X
};

static const struct lw_call_row rows[] = {
#define CALL(id, name, effect, meets, same, how)                                                             \
    {LW_CALL_##id, LW_DOES_##effect, LW_MEETS_##meets, LW_SAME_##same, name},
#include "intrinsics.def"
#undef CALL
};

const char *
lw_group_op_name(enum lw_group_op op)
{
    return (unsigned)op < LW_GROUP_OP_COUNT ? names[op] : "?";
}

const struct lw_call_row *
lw_find_call(const char *function)
{
    if (strncmp(function, "lw.", PREFIX) != 0)
        return NULL;
    function += PREFIX;
    for (size_t k = 0; k < LW_CALL_COUNT; k++) {
        const char *name = rows[k].name;
        size_t n = *name == *function ? strlen(name) : 0;
        if (n && strncmp(name, function, n) == 0 && (name[n - 1] == '.' || !function[n]))
            return &rows[k];
    }
    return NULL;
}

enum lw_group_op
lw_group_op_of(const struct lw_call_row *row, const char *function)
{
    const char *behind = function + PREFIX + strlen(row->name);
    size_t n = strcspn(behind, ".");

    for (int op = 0; op < LW_GROUP_OP_COUNT && behind[n]; op++)
        if (strlen(names[op]) == n && strncmp(names[op], behind, n) == 0)
            return (enum lw_group_op)op;
    return LW_GROUP_OP_COUNT;
}
