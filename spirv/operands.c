/* SPDX-License-Identifier: MIT */
/* Walking the operands of any instruction by the grammar's tables. */
#include "operands.h"

#include <string.h>

uint32_t
lw_switch_literal_words(const lw_module *m, const struct lw_inst *inst)
{
    const struct lw_inst *type = lw_def(m, lw_type_of(m, lw_word(m, inst, 1)));
    return type && type->op == SpvOpTypeInt && lw_word(m, type, 2) > 32 ? 2 : 1;
}

uint32_t
lw_successor(const lw_module *m, const struct lw_inst *inst, uint32_t n)
{
    switch (inst->op) {
    case SpvOpBranch: return n == 0 ? lw_word(m, inst, 1) : 0;
    case SpvOpBranchConditional: return n < 2 ? lw_word(m, inst, 2 + n) : 0;
    case SpvOpSwitch: return lw_word(m, inst, 2 + n * (n ? lw_switch_literal_words(m, inst) + 1 : 0));
    default: return 0;
    }
}

const struct lw_inst *
lw_next_back_branch(const lw_module *m, const struct lw_spirv_function *function, const struct lw_inst *inst,
                    uint32_t *n)
{
    for (uint32_t label; (label = lw_successor(m, inst, *n));) {
        const struct lw_inst *to = lw_def(m, label);
        ++*n;
        if (to && to <= inst && to >= &m->insts[function->inst])
            return to;
    }
    return NULL;
}

/* The operand codes of `op` behind its result type and result. */
static const uint8_t *
codes_of(uint32_t op)
{
    const uint8_t *codes = &lw_operand_codes[lw_op_info(op)->operands];
    while (*codes == LW_CODE_TYPE || *codes == LW_CODE_RESULT)
        codes++;
    return codes;
}

void
lw_operands_start(struct lw_operand_walk *walk, const lw_module *m, const struct lw_inst *inst)
{
    const struct lw_op_info *info = lw_op_info(inst->op);
    memset(walk, 0, sizeof *walk);
    walk->m = m;
    walk->inst = inst;
    walk->at = inst->at + 1u + info->has_type + info->has_result;
    walk->end = inst->at + inst->count;
    walk->codes = codes_of(inst->op);
    walk->bad = walk->at > walk->end;
}

static const struct lw_enumerant *
find_enumerant(const struct lw_enum_kind *kind, uint32_t value)
{
    uint32_t low = 0, high = kind->count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (kind->rows[mid].value == value)
            return &kind->rows[mid];
        if (kind->rows[mid].value < value)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

/* Goes on with the parameters of the next bit of the mask. false: that bit is unknown. */
static bool
next_mask_bit(struct lw_operand_walk *walk)
{
    uint32_t bit = walk->mask & -walk->mask;
    walk->mask &= ~bit;
    const struct lw_enumerant *row = find_enumerant(walk->mask_kind, bit);
    walk->codes = row ? &lw_operand_codes[row->parameters] : lw_operand_codes;
    return row != NULL;
}

/* Whatever is left has no known structure. */
static bool
rest_is_opaque(struct lw_operand_walk *walk, struct lw_operand *out)
{
    if (walk->at >= walk->end)
        return false;
    *out = (struct lw_operand){LW_OPERAND_OPAQUE, LW_CODE_END, walk->at, walk->end - walk->at};
    walk->at = walk->end;
    walk->mask = 0;
    walk->after = NULL;
    walk->pair = 0;
    walk->codes = lw_operand_codes;
    return true;
}

static void
enter_enumerant(struct lw_operand_walk *walk, uint8_t code, uint32_t value)
{
    const struct lw_enum_kind *kind = &lw_enum_kinds[code - LW_CODE_FIRST_ENUM];
    if (kind->bits) {
        walk->after = walk->codes;
        walk->codes = lw_operand_codes;
        walk->mask_kind = kind;
        walk->mask = value;
        return;
    }
    const struct lw_enumerant *row = find_enumerant(kind, value);
    if (row && lw_operand_codes[row->parameters] == LW_CODE_END)
        return;
    walk->after = walk->codes;
    walk->codes = row ? &lw_operand_codes[row->parameters] : lw_operand_codes;
    if (!row)
        walk->after = NULL;
}

/* Words of the string at `walk->at`, 0 where it does not end inside the instruction. */
static uint32_t
string_words(const struct lw_operand_walk *walk)
{
    const char *text = (const char *)&walk->m->words[walk->at];
    size_t room = (size_t)(walk->end - walk->at) * 4;
    const char *end = memchr(text, 0, room);
    return end ? (uint32_t)((end - text) / 4 + 1) : 0;
}

static bool
take(struct lw_operand_walk *walk, struct lw_operand *out, enum lw_operand_kind kind, uint8_t code,
     uint32_t count)
{
    if (count == 0 || count > walk->end - walk->at) {
        walk->bad = true;
        return false;
    }
    *out = (struct lw_operand){kind, code, walk->at, count};
    walk->at += count;
    return true;
}

static bool
take_by_code(struct lw_operand_walk *walk, struct lw_operand *out, uint8_t code)
{
    uint32_t left = walk->end - walk->at;
    uint32_t word = left ? walk->m->words[walk->at] : 0;
    switch (code) {
    case LW_CODE_STRING: return take(walk, out, LW_OPERAND_STRING, code, string_words(walk));
    case LW_CODE_NUMBER: return take(walk, out, LW_OPERAND_NUMBER, code, left);
    case LW_CODE_TYPE:
    case LW_CODE_RESULT:
    case LW_CODE_ID: return take(walk, out, LW_OPERAND_ID, code, 1);
    case LW_CODE_PAIR_NUMBER_ID:
        walk->pair = LW_CODE_ID;
        return take(walk, out, LW_OPERAND_NUMBER, code, lw_switch_literal_words(walk->m, walk->inst));
    case LW_CODE_PAIR_ID_LITERAL:
        walk->pair = LW_CODE_LITERAL;
        return take(walk, out, LW_OPERAND_ID, code, 1);
    case LW_CODE_PAIR_ID_ID: walk->pair = LW_CODE_ID; return take(walk, out, LW_OPERAND_ID, code, 1);
    case LW_CODE_SPEC_OP:
        if (left && word != SpvOpSpecConstantOp)
            walk->codes = codes_of(word);
        return take(walk, out, LW_OPERAND_LITERAL, code, 1);
    case LW_CODE_EXT_INST:
        /* Other sets' operands are not known. */
        walk->codes = lw_operand_codes;
        if (walk->m->ext_sets[lw_word(walk->m, walk->inst, 3)] == LW_EXT_OPENCL_STD && word < LW_CL_STD_LIMIT)
            walk->codes += lw_cl_std_table[word].operands;
        return take(walk, out, LW_OPERAND_LITERAL, code, 1);
    case LW_CODE_LITERAL: return take(walk, out, LW_OPERAND_LITERAL, code, 1);
    default:
        if (!take(walk, out, LW_OPERAND_ENUM, code, 1))
            return false;
        enter_enumerant(walk, code, word);
        return true;
    }
}

bool
lw_operands_next(struct lw_operand_walk *walk, struct lw_operand *out)
{
    if (walk->bad)
        return false;
    if (walk->pair) {
        uint8_t code = walk->pair;
        walk->pair = 0;
        return take_by_code(walk, out, code);
    }
    while (*walk->codes == LW_CODE_END) {
        if (walk->mask) {
            if (!next_mask_bit(walk))
                return rest_is_opaque(walk, out);
        } else if (walk->after) {
            walk->codes = walk->after;
            walk->after = NULL;
        } else {
            return rest_is_opaque(walk, out);
        }
    }
    uint8_t code = *walk->codes;
    if (walk->at == walk->end && (code & (LW_CODE_OPTIONAL | LW_CODE_VARIADIC)))
        return false;
    if (!(code & LW_CODE_VARIADIC))
        walk->codes++;
    return take_by_code(walk, out, code & LW_CODE_MASK);
}

unsigned
lw_integer_operands(uint32_t op)
{
    switch (op) {
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpSNegate:
    case SpvOpNot:
        return 1;
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpSRem:
    case SpvOpSMod:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
        return 2;
    default:
        return 0;
    }
}
