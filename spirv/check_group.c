/* SPDX-License-Identifier: MIT */
/* Barriers, work-group and sub-group operations. See check_code.c. */
#include "check_parts.h"
#include "chains.h"

/* The execution scope is a constant and one of those allowed. */
static bool
check_scope(struct lw_check *c, const struct lw_inst *inst, uint32_t word, bool work_group)
{
    uint32_t scope = lw_constant_operand(c->m, inst, word, UINT32_MAX);
    if (scope == SpvScopeSubgroup || (work_group && scope == SpvScopeWorkgroup))
        return true;
    return lw_refused(c, inst, work_group ? "its scope is neither the work-group nor the sub-group"
                                          : "its scope is not the sub-group");
}

/* Between local and global memory, whose elements are alike. */
static bool
check_async_copy(struct lw_check *c, const struct lw_inst *inst)
{
    struct lw_shape to = lw_shape_of(c->m, lw_word(c->m, inst, 4));
    uint32_t moved = lw_copied_element(c->m, lw_type_of(c->m, lw_word(c->m, inst, 4)));
    uint32_t read = lw_copied_element(c->m, lw_type_of(c->m, lw_word(c->m, inst, 5)));
    struct lw_layout a, b;
    if (lw_constant_operand(c->m, inst, 3, UINT32_MAX) != SpvScopeWorkgroup)
        return lw_refused(c, inst, "its scope is not the work-group");
    if (!lw_check_signature(c, inst, 'I', "sppsss", 3))
        return false;
    if (!lw_type_layout(c->m, moved, &a) || !lw_type_layout(c->m, read, &b) || a.size != b.size)
        return lw_invalid(c, inst, "its pointers lead to elements of different sizes");
    if (to.storage == SpvStorageClassUniformConstant || to.storage == SpvStorageClassInput)
        return lw_invalid(c, inst, "it writes to memory that cannot be written");
    return (a.size && a.size <= 128 && (a.size & (a.size - 1)) == 0) ||
           lw_refused(c, inst, "its elements are no numbers or vectors of numbers");
}

static bool
check_wait(struct lw_check *c, const struct lw_inst *inst)
{
    if (lw_constant_operand(c->m, inst, 1, UINT32_MAX) != SpvScopeWorkgroup)
        return lw_refused(c, inst, "its scope is not the work-group");
    return lw_check_signature(c, inst, 0, "ssp", 1);
}

/* clang-22 gives work_group_barrier(flags, memory_scope_device), and that for all devices, the memory's scope
 * for that of execution too; there is no wider one than the work-group. */
static bool
check_barrier(struct lw_check *c, const struct lw_inst *inst)
{
    if (inst->op == SpvOpControlBarrier) {
        uint32_t scope = lw_constant_operand(c->m, inst, 1, UINT32_MAX);
        bool device = scope == SpvScopeDevice || scope == SpvScopeCrossDevice;
        return (device || check_scope(c, inst, 1, true)) && lw_check_signature(c, inst, 0, "sss", 1);
    }
    return lw_check_signature(c, inst, 0, "ss", 1);
}

static bool
check_work_group_broadcast(struct lw_check *c, const struct lw_inst *inst)
{
    struct lw_shape id = lw_shape_of(c->m, lw_word(c->m, inst, 5));
    if (id.class != LW_CLASS_INT || id.lanes > 3)
        return lw_invalid(c, inst, "its local id is no integer and no vector of two or three");
    return lw_check_signature(c, inst, 'm', "s=k", 3);
}

/* Which numbers a reduction or scan works on, as a code of check_signature.c; 0 for other instructions. */
static char
reduction_kind(uint32_t op)
{
    switch (op) {
    case SpvOpGroupFAdd:
    case SpvOpGroupFMin:
    case SpvOpGroupFMax:
    case SpvOpGroupFMulKHR:
    case SpvOpGroupNonUniformFAdd:
    case SpvOpGroupNonUniformFMul:
    case SpvOpGroupNonUniformFMin:
    case SpvOpGroupNonUniformFMax: return 'F';
    case SpvOpGroupLogicalAndKHR:
    case SpvOpGroupLogicalOrKHR:
    case SpvOpGroupLogicalXorKHR:
    case SpvOpGroupNonUniformLogicalAnd:
    case SpvOpGroupNonUniformLogicalOr:
    case SpvOpGroupNonUniformLogicalXor: return 'B';
    case SpvOpGroupIAdd:
    case SpvOpGroupUMin:
    case SpvOpGroupSMin:
    case SpvOpGroupUMax:
    case SpvOpGroupSMax:
    case SpvOpGroupIMulKHR:
    case SpvOpGroupBitwiseAndKHR:
    case SpvOpGroupBitwiseOrKHR:
    case SpvOpGroupBitwiseXorKHR:
    case SpvOpGroupNonUniformIAdd:
    case SpvOpGroupNonUniformIMul:
    case SpvOpGroupNonUniformSMin:
    case SpvOpGroupNonUniformUMin:
    case SpvOpGroupNonUniformSMax:
    case SpvOpGroupNonUniformUMax:
    case SpvOpGroupNonUniformBitwiseAnd:
    case SpvOpGroupNonUniformBitwiseOr:
    case SpvOpGroupNonUniformBitwiseXor: return 'I';
    default: return 0;
    }
}

char
lw_group_kind(uint32_t op)
{
    return op == SpvOpGroupAll || op == SpvOpGroupAny ? 'B' : reduction_kind(op);
}

/* A size that is no power of two or larger than any sub-group leaves the value undefined where it is
 * executed. */
static bool
check_cluster(struct lw_check *c, const struct lw_inst *inst, uint32_t word)
{
    uint64_t size;
    return lw_constant_bits(c->m, lw_word(c->m, inst, word), &size) ||
           lw_invalid(c, inst, "its cluster size is no constant");
}

static bool
check_reduction(struct lw_check *c, const struct lw_inst *inst, char kind)
{
    bool non_uniform = lw_op_flags(inst->op) & LW_OP_SUB_GROUP;
    uint32_t operation = lw_word(c->m, inst, 4);
    if (!check_scope(c, inst, 3, !non_uniform))
        return false;
    if (non_uniform && operation == SpvGroupOperationClusteredReduce)
        return lw_check_signature(c, inst, kind, "sL=s", 3) && check_cluster(c, inst, 6);
    if (operation > SpvGroupOperationExclusiveScan)
        return lw_refused(c, inst, "this group operation is not supported");
    return lw_check_signature(c, inst, kind, "sL=", 3);
}

static bool
check_bit_count(struct lw_check *c, const struct lw_inst *inst)
{
    if (lw_word(c->m, inst, 4) > SpvGroupOperationExclusiveScan)
        return lw_refused(c, inst, "this group operation is not supported");
    return lw_check_signature(c, inst, 'I', "sL4", 3);
}

static bool
check_rotate(struct lw_check *c, const struct lw_inst *inst)
{
    if (inst->count > 6)
        return lw_check_signature(c, inst, 'm', "s=ss", 3) && check_cluster(c, inst, 6);
    return lw_check_signature(c, inst, 'm', "s=s", 3);
}

/* Signature behind the result of the sub-group operations without a group operation, NULL for others. */
static const char *
sub_group_signature(uint32_t op, char *result)
{
    *result = 'B';
    switch (op) {
    case SpvOpGroupNonUniformElect: return "s";
    case SpvOpGroupNonUniformAll:
    case SpvOpGroupNonUniformAny: return "sS";
    case SpvOpGroupNonUniformAllEqual: return "sk";
    case SpvOpGroupNonUniformInverseBallot: return "s4";
    case SpvOpGroupNonUniformBallotBitExtract: return "s4s";
    default: break;
    }
    *result = op == SpvOpGroupNonUniformBallot ? '4' : 'I';
    switch (op) {
    case SpvOpGroupNonUniformBallot: return "sS";
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB: return "s4";
    default: break;
    }
    *result = 'm';
    switch (op) {
    case SpvOpGroupNonUniformBroadcastFirst: return "s=";
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformShuffle:
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpGroupNonUniformShuffleUp:
    case SpvOpGroupNonUniformShuffleDown: return "s=s";
    default: return NULL;
    }
}

/* Any pointer to memory will do: the result or the value tells what is moved. */
static bool
check_block(struct lw_check *c, const struct lw_inst *inst)
{
    bool read = inst->op == SpvOpSubgroupBlockReadINTEL;
    struct lw_shape p = lw_shape_of(c->m, lw_word(c->m, inst, read ? 3 : 1));
    struct lw_shape v = read ? lw_shape_of_type(c->m, inst->type) : lw_shape_of(c->m, lw_word(c->m, inst, 2));
    if (inst->count != (read ? 4 : 3))
        return lw_invalid(c, inst, "it has the wrong number of operands");
    return lw_fits_block(p, v, !read) ||
           lw_invalid(c, inst, "it does not move numbers between memory and a value");
}

bool
lw_fits_block(struct lw_shape pointer, struct lw_shape value, bool written)
{
    return pointer.class == LW_CLASS_POINTER && pointer.storage != SpvStorageClassInput &&
           !(written && pointer.storage == SpvStorageClassUniformConstant) && value.lanes &&
           (value.class == LW_CLASS_INT || value.class == LW_CLASS_FLOAT);
}

bool
lw_check_group(struct lw_check *c, const struct lw_inst *inst, bool *fine)
{
    char kind = reduction_kind(inst->op);
    if (kind) {
        *fine = check_reduction(c, inst, kind);
        return true;
    }
    const char *operands = sub_group_signature(inst->op, &kind);
    if (operands) {
        *fine = check_scope(c, inst, 3, false) && lw_check_signature(c, inst, kind, operands, 3);
        return true;
    }
    switch (inst->op) {
    case SpvOpGroupAsyncCopy: *fine = check_async_copy(c, inst); return true;
    case SpvOpGroupWaitEvents: *fine = check_wait(c, inst); return true;
    case SpvOpControlBarrier:
    case SpvOpMemoryBarrier: *fine = check_barrier(c, inst); return true;
    case SpvOpGroupAll:
    case SpvOpGroupAny:
        *fine = check_scope(c, inst, 3, true) && lw_check_signature(c, inst, 'B', "sS", 3);
        return true;
    case SpvOpGroupBroadcast:
        *fine = check_scope(c, inst, 3, true) && check_work_group_broadcast(c, inst);
        return true;
    case SpvOpSubgroupBlockReadINTEL:
    case SpvOpSubgroupBlockWriteINTEL: *fine = check_block(c, inst); return true;
    case SpvOpGroupNonUniformBallotBitCount:
        *fine = check_scope(c, inst, 3, false) && check_bit_count(c, inst);
        return true;
    case SpvOpGroupNonUniformRotateKHR:
        *fine = check_scope(c, inst, 3, false) && check_rotate(c, inst);
        return true;
    default: return false;
    }
}
