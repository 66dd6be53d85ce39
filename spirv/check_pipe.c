/* SPDX-License-Identifier: MIT */
/* Pipes: reading, writing, reservations (SPIR-V 3.49.23). See check_code.c. */
#include "check_parts.h"
#include "pipe.h"

/* The last two operands: constants that packets of a pipe can have. */
static bool
check_packet(struct lw_check *c, const struct lw_inst *inst)
{
    uint32_t size = lw_constant_operand(c->m, inst, inst->count - 2u, 0);
    uint32_t align = lw_constant_operand(c->m, inst, inst->count - 1u, 0);
    if (!size || size > LW_MAX_PIPE_PACKET)
        return lw_refused(c, inst, "its packet size is no constant from 1 to 65536");
    return (align && (align & (align - 1)) == 0) ||
           lw_refused(c, inst, "its packet alignment is no constant power of two");
}

static bool
is_pipe(const lw_module *m, uint32_t id, uint32_t access)
{
    struct lw_shape s = lw_shape_of(m, id);
    return s.class == LW_CLASS_PIPE && lw_op_of(m, s.id) == SpvOpTypePipe &&
           (access == UINT32_MAX || lw_word(m, lw_def(m, s.id), 2) == access);
}

static bool
check_scope(struct lw_check *c, const struct lw_inst *inst, uint32_t word)
{
    uint32_t scope = lw_constant_operand(c->m, inst, word, UINT32_MAX);
    return scope == SpvScopeSubgroup || scope == SpvScopeWorkgroup ||
           lw_refused(c, inst, "its scope is neither the work-group nor the sub-group");
}

/* One kind of instruction: which result, where the pipe stands, what follows it, which end of the pipe it
 * needs. */
static bool
check(struct lw_check *c, const struct lw_inst *inst, char result, const char *operands, uint32_t access)
{
    uint32_t first = result ? 3 : 1, pipe = first + (operands[0] == 's');
    if (!lw_check_signature(c, inst, result, operands, first) || !check_packet(c, inst))
        return false;
    if (!is_pipe(c->m, lw_word(c->m, inst, pipe), access))
        return lw_invalid(c, inst, "its pipe is none, or open at its other end");
    return operands[0] != 's' || check_scope(c, inst, first);
}

static bool
check_storage(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape storage = lw_shape_of(m, lw_word(m, inst, 3));
    return (inst->count == 4 && lw_op_of(m, inst->type) == SpvOpTypePipe && storage.class == LW_CLASS_PIPE &&
            lw_op_of(m, storage.id) == SpvOpTypePipeStorage) ||
           lw_invalid(c, inst, "it does not make a pipe of a pipe's storage");
}

bool
lw_check_pipe(struct lw_check *c, const struct lw_inst *inst, bool *fine)
{
    const uint32_t reads = SpvAccessQualifierReadOnly, writes = SpvAccessQualifierWriteOnly;
    switch (inst->op) {
    case SpvOpReadPipe:
        *fine = check(c, inst, 'I', "opss", reads);
        return true;
    case SpvOpWritePipe:
        *fine = check(c, inst, 'I', "opss", writes);
        return true;
    case SpvOpReservedReadPipe:
        *fine = check(c, inst, 'I', "osspss", reads);
        return true;
    case SpvOpReservedWritePipe:
        *fine = check(c, inst, 'I', "osspss", writes);
        return true;
    case SpvOpReserveReadPipePackets:
        *fine = check(c, inst, 'I', "osss", reads);
        return true;
    case SpvOpReserveWritePipePackets:
        *fine = check(c, inst, 'I', "osss", writes);
        return true;
    case SpvOpCommitReadPipe:
        *fine = check(c, inst, 0, "osss", reads);
        return true;
    case SpvOpCommitWritePipe:
        *fine = check(c, inst, 0, "osss", writes);
        return true;
    case SpvOpGetNumPipePackets:
    case SpvOpGetMaxPipePackets:
        *fine = check(c, inst, 'I', "oss", UINT32_MAX);
        return true;
    case SpvOpGroupReserveReadPipePackets:
        *fine = check(c, inst, 'I', "sosss", reads);
        return true;
    case SpvOpGroupReserveWritePipePackets:
        *fine = check(c, inst, 'I', "sosss", writes);
        return true;
    case SpvOpGroupCommitReadPipe:
        *fine = check(c, inst, 0, "sosss", reads);
        return true;
    case SpvOpGroupCommitWritePipe:
        *fine = check(c, inst, 0, "sosss", writes);
        return true;
    case SpvOpIsValidReserveId:
        *fine = lw_check_signature(c, inst, 'B', "s", 3);
        return true;
    case SpvOpCreatePipeFromPipeStorage:
        *fine = check_storage(c, inst);
        return true;
    default:
        return false;
    }
}
