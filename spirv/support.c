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
    case SpvOpSubgroupBlockWriteINTEL:
    case SpvOpSubgroupImageBlockReadINTEL:
    case SpvOpSubgroupImageBlockWriteINTEL: return true;
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

bool
lw_is_pipe_op(uint32_t op)
{
    return op >= SpvOpReadPipe && op <= SpvOpGroupCommitWritePipe;
}

static bool
is_handle(const lw_module *m, uint32_t type)
{
    uint32_t op = lw_op_of(m, type);
    return op == SpvOpTypeReserveId || op == SpvOpTypeQueue || op == SpvOpTypeDeviceEvent;
}

bool
lw_casts_handle(const lw_module *m, const struct lw_inst *inst)
{
    bool casts = inst->op == SpvOpConvertPtrToU || inst->op == SpvOpConvertUToPtr ||
                 inst->op == SpvOpPtrCastToGeneric || inst->op == SpvOpGenericCastToPtr;
    return casts && inst->count == 4 &&
           (is_handle(m, inst->type) || is_handle(m, lw_type_of(m, lw_word(m, inst, 3))));
}

bool
lw_is_builtin_variable(const lw_module *m, uint32_t id)
{
    const struct lw_inst *inst = lw_def(m, id);
    if (!inst || inst->op != SpvOpVariable)
        return false;
    uint32_t storage = lw_word(m, inst, 3);
    if (storage != SpvStorageClassInput && storage != SpvStorageClassCrossWorkgroup &&
        storage != SpvStorageClassUniformConstant)
        return false;
    const struct lw_decoration *d = lw_find_decoration(m, id, LW_NO_MEMBER, SpvDecorationBuiltIn);
    return d && d->count;
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

/* intel_sub_group_block_read[_uc|_us|_ui|_ul][2|4|8|16]: the types say the rest. */
static const struct lw_imported_builtin *
find_block(const char *name, uint32_t length)
{
    static const struct lw_imported_builtin blocks[] = {
        {"intel_sub_group_block_read", LW_IMPORT_INTEL_BLOCK, SpvOpSubgroupBlockReadINTEL,
         SpvOpSubgroupBlockReadINTEL},
        {"intel_sub_group_block_write", LW_IMPORT_INTEL_BLOCK, SpvOpSubgroupBlockWriteINTEL,
         SpvOpSubgroupBlockWriteINTEL}};
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(blocks[i].name);
        if (length < n || memcmp(name, blocks[i].name, n) != 0)
            continue;
        const char *rest = name + n, *end = name + length;
        if (end - rest >= 3 && rest[0] == '_' && rest[1] == 'u' && strchr("csil", rest[2]))
            rest += 3;
        if (rest == end || (end - rest == 1 && strchr("248", *rest)) ||
            (end - rest == 2 && rest[0] == '1' && rest[1] == '6'))
            return &blocks[i];
    }
    return NULL;
}

const struct lw_imported_builtin *
lw_find_imported_builtin(const char *mangled)
{
    static const struct lw_imported_builtin conversion = {"convert_*", LW_IMPORT_CONVERT, SpvOpNop, SpvOpNop};
    static const struct lw_imported_builtin group = {"*_group_*", LW_IMPORT_GROUP, SpvOpNop, SpvOpNop};
    const char *name, *parameters;
    struct lw_import_conversion parts;
    struct lw_import_group collective;
    uint32_t length = lw_unmangle(mangled, &name, &parameters);
    for (size_t i = 0; length && i < sizeof imports / sizeof *imports; i++)
        if (strlen(imports[i].name) == length && memcmp(imports[i].name, name, length) == 0)
            return &imports[i];
    const struct lw_imported_builtin *block = find_block(name, length);
    if (block)
        return block;
    if (lw_import_group(mangled, &collective))
        return &group;
    return lw_import_conversion(mangled, &parts) ? &conversion : NULL;
}

const struct lw_imported_builtin *
lw_called_import(const lw_module *m, const struct lw_inst *inst)
{
    uint32_t f = inst->op == SpvOpFunctionCall ? lw_function_index(m, lw_word(m, inst, 3)) : LW_NO_INST;
    const char *name = f == LW_NO_INST ? NULL : m->functions[f].import_name;
    return name ? lw_find_imported_builtin(name) : NULL;
}

bool
lw_import_is_atomic(const struct lw_imported_builtin *row)
{
    return row && (row->kind == LW_IMPORT_ATOMIC || row->kind == LW_IMPORT_ATOMIC_EXPLICIT);
}

uint32_t
lw_import_float_op(uint32_t op)
{
    switch (op) {
    case SpvOpAtomicExchange: return SpvOpAtomicExchange;
    case SpvOpAtomicIAdd:
    case SpvOpAtomicISub: return SpvOpAtomicFAddEXT;
    case SpvOpAtomicSMin: return SpvOpAtomicFMinEXT;
    case SpvOpAtomicSMax: return SpvOpAtomicFMaxEXT;
    default: return 0;
    }
}

bool
lw_import_is_unsigned(const char *mangled)
{
    const char *name, *parameters;
    struct lw_mangled_type type;
    if (!lw_unmangle(mangled, &name, &parameters))
        return false;
    lw_unmangle_type(parameters, &type);
    return type.points && type.lanes == 1 && type.kind == 'u';
}

/* Takes `word` off the front of `text`. */
static bool
eat(const char **text, const char *end, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(end - *text) < n || memcmp(*text, word, n) != 0)
        return false;
    *text += n;
    return true;
}

static bool
eat_type(const char **text, const char *end, struct lw_import_conversion *out)
{
    static const struct {
        const char *word;
        char kind;
        uint8_t width;
    } types[] = {{"char", 's', 8},   {"uchar", 'u', 8},  {"short", 's', 16}, {"ushort", 'u', 16},
                 {"int", 's', 32},   {"uint", 'u', 32},  {"long", 's', 64},  {"ulong", 'u', 64},
                 {"half", 'f', 16}, {"float", 'f', 32}, {"double", 'f', 64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (eat(text, end, types[i].word)) {
            out->to = types[i].kind;
            out->to_width = types[i].width;
            return true;
        }
    }
    return false;
}

bool
lw_import_conversion(const char *mangled, struct lw_import_conversion *out)
{
    static const char *const lane_words[] = {"16", "2", "3", "4", "8"};
    static const uint8_t lane_counts[] = {16, 2, 3, 4, 8};
    const char *c, *parameters;
    struct lw_mangled_type from;
    uint32_t length = lw_unmangle(mangled, &c, &parameters);
    if (!length)
        return false;
    const char *end = c + length;
    *out = (struct lw_import_conversion){.lanes = 1, .rounding = -1};
    if (!eat(&c, end, "convert_") || !eat_type(&c, end, out))
        return false;
    for (size_t i = 0; i < 5; i++) {
        if (eat(&c, end, lane_words[i])) {
            out->lanes = lane_counts[i];
            break;
        }
    }
    out->saturated = eat(&c, end, "_sat");
    out->rounding = eat(&c, end, "_rte")   ? SpvFPRoundingModeRTE
                    : eat(&c, end, "_rtz") ? SpvFPRoundingModeRTZ
                    : eat(&c, end, "_rtp") ? SpvFPRoundingModeRTP
                    : eat(&c, end, "_rtn") ? SpvFPRoundingModeRTN
                                           : -1;
    bool single = *lw_unmangle_type(parameters, &from) == 0;
    out->from = from.kind;
    return c == end && single && from.kind && !from.points && from.lanes == out->lanes;
}
