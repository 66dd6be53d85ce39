/* SPDX-License-Identifier: MIT */
/* Group functions that producers leave as imports: llvm-spirv those of cl_khr_work_group_uniform_arithmetic,
 * clang-22 the products of a sub-group.
 *
 * <work_group|sub_group|sub_group_non_uniform>_<reduce|scan_inclusive|scan_exclusive>_<operation>(type),
 * ..._all(int), ..._any(int), <work_group|sub_group>_broadcast(type, ids). The type in the mangled name tells
 * signedness, which SPIR-V's integers lack. */
#include <string.h>

#include "support.h"

static const struct {
    const char *name;
    uint16_t on_signed, on_unsigned, on_float; /* 0: there is no such function */
} operations[] = {
    {"add", SpvOpGroupIAdd, SpvOpGroupIAdd, SpvOpGroupFAdd},
    {"mul", SpvOpGroupIMulKHR, SpvOpGroupIMulKHR, SpvOpGroupFMulKHR},
    {"min", SpvOpGroupSMin, SpvOpGroupUMin, SpvOpGroupFMin},
    {"max", SpvOpGroupSMax, SpvOpGroupUMax, SpvOpGroupFMax},
    {"and", SpvOpGroupBitwiseAndKHR, SpvOpGroupBitwiseAndKHR, 0},
    {"or", SpvOpGroupBitwiseOrKHR, SpvOpGroupBitwiseOrKHR, 0},
    {"xor", SpvOpGroupBitwiseXorKHR, SpvOpGroupBitwiseXorKHR, 0},
    {"logical_and", SpvOpGroupLogicalAndKHR, 0, 0},
    {"logical_or", SpvOpGroupLogicalOrKHR, 0, 0},
    {"logical_xor", SpvOpGroupLogicalXorKHR, 0, 0},
};

static const struct {
    const char *prefix;
    uint32_t operation;
} kinds[] = {
    {"reduce_", SpvGroupOperationReduce},
    {"scan_inclusive_", SpvGroupOperationInclusiveScan},
    {"scan_exclusive_", SpvGroupOperationExclusiveScan},
};

/* What is behind `word` at the front of a name, NULL where it does not begin so. */
static const char *
behind(const char *name, const char *word)
{
    size_t length = strlen(word);
    return strncmp(name, word, length) == 0 ? name + length : NULL;
}

/* The parameters behind `name`'s end at `end`, where the whole rest of the name is `word`. */
static bool
is_whole(const char *rest, const char *end, const char *word)
{
    return (size_t)(end - rest) == strlen(word) && strncmp(rest, word, (size_t)(end - rest)) == 0;
}

static bool
read_operation(const char *rest, const char *end, const char *parameters, struct lw_import_group *out)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const char *name = behind(rest, kinds[k].prefix);
        for (size_t i = 0; name && i < sizeof operations / sizeof *operations; i++) {
            if (!is_whole(name, end, operations[i].name))
                continue;
            struct lw_mangled_type type;
            lw_unmangle_type(parameters, &type);
            char class = type.points || type.lanes > 1 ? 0 : type.kind;
            out->operation = kinds[k].operation;
            out->op = class == 'f'   ? operations[i].on_float
                      : class == 'u' ? operations[i].on_unsigned
                      : class == 's' ? operations[i].on_signed
                                     : 0;
            return out->op != 0;
        }
    }
    return false;
}

bool
lw_import_group(const char *mangled, struct lw_import_group *out)
{
    const char *name, *parameters, *rest;
    uint32_t length = lw_unmangle(mangled, &name, &parameters);
    const char *end = name + length;
    if (!length)
        return false;
    *out = (struct lw_import_group){.scope = SpvScopeSubgroup};
    bool non_uniform = (rest = behind(name, "sub_group_non_uniform_")) != NULL;
    if (!rest && !(rest = behind(name, "sub_group_"))) {
        out->scope = SpvScopeWorkgroup;
        rest = behind(name, "work_group_");
    }
    if (!rest || rest > end)
        return false;
    out->op = is_whole(rest, end, "all")                         ? SpvOpGroupAll
              : is_whole(rest, end, "any")                       ? SpvOpGroupAny
              : !non_uniform && is_whole(rest, end, "broadcast") ? SpvOpGroupBroadcast
                                                                 : 0;
    return out->op != 0 || read_operation(rest, end, parameters, out);
}
