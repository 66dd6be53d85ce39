/* SPDX-License-Identifier: MIT */
/* Facts about opcodes, and the imported built-in functions that the emitter resolves by name. */
#include "support.h"

#include <string.h>

static bool
is_sub_group_op(uint32_t op)
{
    switch (op) {
    case SpvOpGroupNonUniformRotateKHR:
    case SpvOpSubgroupBallotKHR:
    case SpvOpSubgroupFirstInvocationKHR:
    case SpvOpSubgroupAllKHR:
    case SpvOpSubgroupAnyKHR:
    case SpvOpSubgroupAllEqualKHR:
    case SpvOpSubgroupReadInvocationKHR:
    case SpvOpSubgroupShuffleINTEL:
    case SpvOpSubgroupShuffleDownINTEL:
    case SpvOpSubgroupShuffleUpINTEL:
    case SpvOpSubgroupShuffleXorINTEL:
    case SpvOpSubgroupBlockReadINTEL:
    case SpvOpSubgroupBlockWriteINTEL: return true;
    default: return op >= SpvOpGroupNonUniformElect && op <= SpvOpGroupNonUniformQuadSwap;
    }
}

static bool
is_scoped_group_op(uint32_t op)
{
    return (op >= SpvOpGroupAll && op <= SpvOpGroupSMax) ||
           (op >= SpvOpGroupIMulKHR && op <= SpvOpGroupLogicalXorKHR);
}

static bool
is_atomic_op(uint32_t op)
{
    return (op >= SpvOpAtomicLoad && op <= SpvOpAtomicXor) || op == SpvOpAtomicFlagTestAndSet ||
           op == SpvOpAtomicFlagClear || op == SpvOpAtomicFMinEXT || op == SpvOpAtomicFMaxEXT ||
           op == SpvOpAtomicFAddEXT;
}

uint32_t
lw_op_flags(uint32_t op)
{
    return (is_atomic_op(op) ? LW_OP_ATOMIC : 0u) | (is_sub_group_op(op) ? LW_OP_SUB_GROUP : 0u) |
           (is_scoped_group_op(op) ? LW_OP_SCOPED_GROUP : 0u);
}

static const struct lw_imported_builtin imports[] = {
#define LW_IMPORTED(name, kind, op, alternative) {name, LW_IMPORT_##kind, op, alternative},
#include "imported_builtins.def"
#undef LW_IMPORTED
};

uint32_t
lw_unmangle(const char *mangled, const char **name)
{
    if (mangled[0] != '_' || mangled[1] != 'Z')
        return 0;
    const char *c = mangled + 2;
    uint32_t length = 0;
    while (*c >= '0' && *c <= '9' && length < 1000)
        length = length * 10 + (uint32_t)(*c++ - '0');
    *name = c;
    return length && strlen(c) > length ? length : 0;
}

const struct lw_imported_builtin *
lw_find_imported_builtin(const char *mangled)
{
    const char *name;
    uint32_t length = lw_unmangle(mangled, &name);
    for (size_t i = 0; length && i < sizeof imports / sizeof *imports; i++)
        if (strlen(imports[i].name) == length && memcmp(imports[i].name, name, length) == 0)
            return &imports[i];
    return NULL;
}
