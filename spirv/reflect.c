/* SPDX-License-Identifier: MIT */
/* Kernels: execution modes, local memory, and what the kernel's code makes use of.
 *
 * Enters: a read module, maybe specialized.  Leaves: lw_kernel_desc.
 * Relies on: nothing that only check.c promises.  Never: reads the words of a body but through the walk in
 * uses.c.
 */
#include <stdlib.h>
#include <string.h>

#include "enqueue.h"
#include "error.h"
#include "evaluate.h"
#include "reflect_parts.h"
#include "support.h"

#define MAX_LOCAL_BYTES (256u << 20)
#define LOCAL_PADDING 128u

static void
apply_mode(const lw_module *m, const struct lw_inst *inst, struct lw_kernel_desc *d)
{
    bool ids = inst->op == SpvOpExecutionModeId;
    uint32_t value[3];
    for (uint32_t i = 0; i < 3; i++)
        value[i] = ids ? lw_constant_operand(m, inst, 3 + i, 0) : lw_word(m, inst, 3 + i);
    switch (lw_word(m, inst, 2)) {
    case SpvExecutionModeLocalSize:
    case SpvExecutionModeLocalSizeId:
        memcpy(d->info.required_local_size, value, sizeof value);
        break;
    case SpvExecutionModeLocalSizeHint:
    case SpvExecutionModeLocalSizeHintId:
        memcpy(d->info.local_size_hint, value, sizeof value);
        break;
    case SpvExecutionModeSubgroupSize:
        d->info.required_sub_group_size = value[0];
        break;
    case SpvExecutionModeSubgroupsPerWorkgroup:
    case SpvExecutionModeSubgroupsPerWorkgroupId:
        d->info.required_sub_groups_per_group = value[0];
        break;
    case SpvExecutionModeContractionOff:
        d->contraction_off = true;
        break;
    default:
        break;
    }
}

uint32_t
lw_first_mode(const lw_module *m, uint32_t function)
{
    uint32_t low = 0, high = m->mode_count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (lw_word(m, &m->insts[m->modes[mid]], 1) < function)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void
reflect_modes(const lw_module *m, uint32_t id, struct lw_kernel_desc *d)
{
    for (uint32_t i = lw_first_mode(m, id); i < m->mode_count; i++) {
        if (lw_word(m, &m->insts[m->modes[i]], 1) != id)
            break;
        apply_mode(m, &m->insts[m->modes[i]], d);
    }
}

static void
reflect_builtin(uint32_t builtin, struct lw_kernel_desc *d)
{
    switch (builtin) {
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInGlobalSize:
    case SpvBuiltInGlobalOffset:
    case SpvBuiltInGlobalLinearId:
    case SpvBuiltInWorkDim:
        return;
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInNumEnqueuedSubgroups:
    case SpvBuiltInSubgroupId:
        d->info.observes_sub_groups = true;
        d->knows_group = true;
        break;
    case SpvBuiltInSubgroupSize:
    case SpvBuiltInSubgroupMaxSize:
    case SpvBuiltInSubgroupLocalInvocationId:
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        d->info.observes_sub_groups = true;
        break;
    default:
        d->knows_group = true;
        break;
    }
    d->uses_only_global_ids = false;
}

static bool
scans_floats(const lw_module *m, const struct lw_inst *inst)
{
    if (inst->op == SpvOpGroupAll || inst->op == SpvOpGroupAny || inst->op == SpvOpGroupBroadcast)
        return false;
    return inst->type && lw_value_of_type(m, inst->type).is_float &&
           lw_word(m, inst, 4) != SpvGroupOperationReduce;
}

/* Reservations are atomic operations; a group's are those of its first work-item, with a broadcast or a
 * barrier. */
static void
reflect_pipe(const lw_module *m, const struct lw_inst *inst, struct lw_kernel_desc *d)
{
    if (!lw_is_pipe_op(inst->op))
        return;
    d->has_atomics = true;
    if (inst->op < SpvOpGroupReserveReadPipePackets)
        return;
    d->has_collective = true;
    if (lw_constant_operand(m, inst, inst->type ? 3 : 1, SpvScopeWorkgroup) == SpvScopeSubgroup) {
        d->info.observes_sub_groups = true;
        return;
    }
    d->info.has_barrier = true;
    d->uses_only_global_ids = false;
    d->knows_group = true;
}

static void
reflect_instruction(const lw_module *m, const struct lw_inst *inst, struct lw_kernel_desc *d)
{
    uint32_t flags = lw_op_flags(inst->op);
    if (inst->op == SpvOpExtInst && m->ext_sets[lw_word(m, inst, 3)] == LW_EXT_OPENCL_STD &&
        lw_word(m, inst, 4) == LW_CL_printf)
        d->prints = true;
    struct lw_layout layout;
    const struct lw_inst *pointer = inst->op == SpvOpVariable ? lw_def(m, inst->type) : NULL;
    if (pointer && lw_word(m, inst, 3) == SpvStorageClassFunction &&
        lw_type_layout(m, lw_word(m, pointer, 3), &layout) &&
        __builtin_add_overflow(d->private_bytes, layout.size, &d->private_bytes))
        d->private_bytes = UINT64_MAX;
    d->instruction_count++;
    lw_reflect_widths(m, inst, d);
    if (flags & LW_OP_ATOMIC)
        d->has_atomics = true;
    lw_reflect_waits(m, inst, d);
    if (flags & LW_OP_SUB_GROUP)
        d->has_collective = d->info.observes_sub_groups = true;
    if (flags & LW_OP_SCOPED_GROUP) {
        d->has_collective = true;
        d->has_ordered_scan |= scans_floats(m, inst);
        if (lw_constant_operand(m, inst, 3, SpvScopeWorkgroup) == SpvScopeSubgroup)
            d->info.observes_sub_groups = true;
        else
            d->info.has_barrier = true;
    }
    if (inst->op == SpvOpGroupAsyncCopy) { /* by every work-item's place in the group */
        d->uses_only_global_ids = false;
        d->knows_group = true;
    }
    if (inst->op == SpvOpGroupWaitEvents)
        d->info.has_barrier = true;
    reflect_pipe(m, inst, d);
    d->names_blocks |= lw_is_enqueue_op(inst->op);
    d->enqueues |= lw_is_enqueue_op(inst->op) && !lw_is_block_query(inst->op);
    if (inst->op == SpvOpControlBarrier) {
        if (lw_constant_operand(m, inst, 1, SpvScopeWorkgroup) == SpvScopeSubgroup)
            d->info.observes_sub_groups = true;
        else
            d->info.has_barrier = true;
    }
}

static void
reflect_import(const char *name, struct lw_kernel_desc *d)
{
    const struct lw_imported_builtin *b = lw_find_imported_builtin(name);
    if (b && (b->kind == LW_IMPORT_ATOMIC || b->kind == LW_IMPORT_ATOMIC_EXPLICIT))
        d->has_atomics = true;
    if (b && b->kind == LW_IMPORT_BLOCK)
        d->names_blocks = true;
    if (b && b->kind == LW_IMPORT_SUB_GROUP_BARRIER)
        d->info.observes_sub_groups = true;
    if (b && (b->kind == LW_IMPORT_INTEL_SHUFFLE || b->kind == LW_IMPORT_INTEL_BLOCK))
        d->has_collective = d->info.observes_sub_groups = true;
    struct lw_import_group group;
    if (b && b->kind == LW_IMPORT_GROUP && lw_import_group(name, &group)) {
        bool of_sub_group = group.scope == SpvScopeSubgroup;
        d->has_collective = true;
        d->info.observes_sub_groups |= of_sub_group;
        d->info.has_barrier |= !of_sub_group;
        d->has_ordered_scan |= group.operation != SpvGroupOperationReduce &&
                               (group.op == SpvOpGroupFAdd || group.op == SpvOpGroupFMulKHR);
    }
}

static void
reflect_code(const lw_module *m, const struct lw_uses *uses, struct lw_kernel_desc *d)
{
    d->uses_only_global_ids = true;
    for (uint32_t f = 0; f < uses->function_count; f++) {
        const struct lw_spirv_function *function = &m->functions[uses->functions[f]];
        for (uint32_t i = function->inst; i < function->end; i++)
            reflect_instruction(m, &m->insts[i], d);
        lw_reflect_loops(m, function, d);
        lw_reflect_columns(m, uses->functions[f], d, 0, &d->columns);
        if (function->import_name)
            reflect_import(function->import_name, d);
    }
    for (uint32_t g = 0; g < uses->global_count; g++) {
        const struct lw_inst *inst = &m->insts[uses->globals[g]];
        if (inst->op != SpvOpVariable)
            continue;
        const struct lw_decoration *b =
            lw_find_decoration(m, inst->result, LW_NO_MEMBER, SpvDecorationBuiltIn);
        if (b && b->count)
            reflect_builtin(m->words[b->at], d);
    }
}

static bool
place_local(const lw_module *m, const struct lw_inst *variable, struct lw_kernel_desc *d, uint64_t *end,
            lw_error *error)
{
    const struct lw_inst *pointer = lw_def(m, variable->type);
    struct lw_layout layout;
    if (!pointer || !lw_type_layout(m, lw_word(m, pointer, 3), &layout))
        return true; /* check.c refuses such a variable */
    uint64_t align = layout.align;
    uint32_t asked = lw_alignment_asked(m, variable->result);
    asked = asked < LOCAL_PADDING ? asked : LOCAL_PADDING;
    align = asked > align ? asked : align;
    *end = (*end + align - 1) / align * align;
    d->locals[d->local_count++] = (struct lw_local_variable){variable->result, *end, layout.size, align};
    *end += layout.size;
    return *end <= MAX_LOCAL_BYTES ||
           lw_spirv_fail(error, LW_ERR_LOCAL_SIZE, variable->at, d->name, MAX_LOCAL_BYTES);
}

static bool
reflect_locals(const lw_module *m, const struct lw_uses *uses, struct lw_kernel_desc *d, lw_error *error)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < uses->global_count; g++) {
        const struct lw_inst *inst = &m->insts[uses->globals[g]];
        count += inst->op == SpvOpVariable && lw_word(m, inst, 3) == SpvStorageClassWorkgroup;
    }
    d->locals = calloc(count + 1u, sizeof *d->locals);
    if (!d->locals)
        return lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    uint64_t end = 0;
    for (uint32_t g = 0; g < uses->global_count; g++) {
        const struct lw_inst *inst = &m->insts[uses->globals[g]];
        if (inst->op == SpvOpVariable && lw_word(m, inst, 3) == SpvStorageClassWorkgroup &&
            !place_local(m, inst, d, &end, error))
            return false;
    }
    d->info.local_bytes = (uint32_t)((end + LOCAL_PADDING - 1) / LOCAL_PADDING * LOCAL_PADDING);
    return true;
}

static bool
reflect_body(const lw_module *m, struct lw_kernel_desc *d, lw_error *error)
{
    struct lw_uses uses;
    if (!lw_uses_collect(m, d->function, &uses))
        return lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    reflect_code(m, &uses, d);
    lw_reflect_grid_stride(m, d);
    bool done = reflect_locals(m, &uses, d, error);
    lw_uses_free(&uses);
    return done;
}

struct lw_kernel_desc *
lw_reflect_kernel(const lw_module *module, uint32_t entry_point, lw_error *error)
{
    if (entry_point >= module->entry_point_count) {
        lw_spirv_fail(error, LW_ERR_NO_ENTRY, 0, module->entry_point_count, entry_point);
        return NULL;
    }
    const struct lw_entry_point *entry = &module->entry_points[entry_point];
    struct lw_kernel_desc *d = calloc(1, sizeof *d);
    if (!d) {
        lw_spirv_fail(error, LW_ERR_MEMORY, 0);
        return NULL;
    }
    d->name = d->info.name = entry->name;
    d->entry_point = entry_point;
    d->function = entry->function;
    d->unnamed = module->asks_any_block && entry_point >= module->kernel_count;
    reflect_modes(module, module->functions[entry->function].id, d);
    if (!lw_reflect_args(module, d, error) || !reflect_body(module, d, error)) {
        lw_kernel_desc_free(d);
        return NULL;
    }
    return d;
}

bool
lw_guard_locals(struct lw_kernel_desc *desc, lw_error *error)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < desc->local_count; i++) {
        struct lw_local_variable *variable = &desc->locals[i];
        uint64_t bytes = (variable->size + variable->align - 1) / variable->align * variable->align;
        uint64_t body = (bytes + LW_GUARD_PAGE - 1) / LW_GUARD_PAGE * LW_GUARD_PAGE;
        variable->offset = at + body - bytes;
        at += body + LW_GUARD_BYTES;
    }
    if (at > UINT32_MAX)
        return lw_spirv_fail(error, LW_ERR_LOCAL_SIZE, 0, desc->name, MAX_LOCAL_BYTES);
    desc->info.local_bytes = (uint32_t)at;
    desc->guarded_locals = true;
    return true;
}

void
lw_kernel_desc_free(struct lw_kernel_desc *desc)
{
    if (!desc)
        return;
    for (uint32_t i = 0; i < desc->arg_count; i++) {
        free((char *)(uintptr_t)desc->args[i].info.name);
        free((char *)(uintptr_t)desc->args[i].info.type);
    }
    free(desc->args);
    free(desc->locals);
    free(desc);
}
