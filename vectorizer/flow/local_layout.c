/* SPDX-License-Identifier: MIT */
/* Local arrays of which each work-item goes through K elements in a row, `a[K * lid + k]`, are turned:
 * element e goes to e % K * rows + e / K. Each k is then a vector in one piece, where there were loads, and
 * shuffles to turn K rows of them, at every such loop. What work-items reach by numbers of their own
 * (`a[digit * size + lid]`) costs the same in any order.
 *
 * Enters: the scalar kernel of a constant local size in one dimension, loops unrolled.
 * Leaves: the same values. Stores that set all of an array to one constant stay as they are; a barrier goes
 * behind them, since it is no longer each work-item's own elements that it sets.
 * Relies on: seeing every access to local memory that the kernel declares, and its range; a barrier that all
 * work-items reach being no change to a kernel without races.
 * Never: touches an array that anything goes through in the order of its elements otherwise, or whose
 * accesses differ in size, or any array where an address gets away.
 */
#include "local_layout.h"

#include "../facts/calls.h"
#include "local_layout_internal.h"

#define MOST_ITEMS 1024
#define MOST_STEP 64
#define LEAST_STEP 4
#define LEAST_STRIDED 4 /* accesses that gain */

/* ---- what an array is used for ---- */

static bool
is_within(const struct array *v, const struct access *a)
{
    return a->low >= v->start && a->high <= v->end;
}

/* Made of what work-items loaded from places of their own. */
static bool
is_own(struct layout *l, V v, int depth)
{
    if (!LLVMIsAInstruction(v) || depth > DEPTH || LLVMIsAPHINode(v))
        return false;
    if (lw_is_call_of(v, "lw.local_id"))
        return true;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (is_own(l, LLVMGetOperand(v, (unsigned)k), depth + 1))
            return true;
    return false;
}

/* Stores one constant to the element of the work-item's number, or so many groups further: a whole element,
 * since a wider constant need not be the same in all the elements that it sets. */
static bool
may_clear(struct layout *l, const struct array *v, const struct access *a)
{
    int64_t group = (int64_t)a->size * l->items;

    return LLVMIsAStoreInst(a->instruction) && LLVMIsAConstant(LLVMGetOperand(a->instruction, 0)) &&
           a->size == v->size && a->affine && !a->count && a->stride == a->size &&
           (a->first - v->start) % group == 0 &&
           LLVMGetInstructionParent(a->instruction) == LLVMGetEntryBasicBlock(l->function);
}

static struct access *
access_of(struct layout *l, const struct array *v, V instruction)
{
    for (unsigned k = 0; k < l->count; k++)
        if (l->accesses[k].instruction == instruction)
            return is_within(v, &l->accesses[k]) ? &l->accesses[k] : NULL;
    return NULL;
}

/* The stores at the kernel's start that set all of the array's bytes up to `high`, each once, before anything
 * else looks at it. */
static void
find_clears(struct layout *l, struct array *v, int64_t high)
{
    int64_t group = 0, bytes = 0;
    V constant = NULL, last = NULL;

    for (V i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(l->function)); i;
         i = LLVMGetNextInstruction(i)) {
        struct access *a = access_of(l, v, i);
        if (LLVMIsACallInst(i) && lw_is_call_of(i, "lw.wg.barrier"))
            break;
        if (!a)
            continue;
        if (!may_clear(l, v, a) || (constant && LLVMGetOperand(i, 0) != constant))
            break;
        bool twice = false;
        for (unsigned k = 0; k < l->count; k++)
            twice |=
                l->accesses[k].clears && l->accesses[k].first == a->first && is_within(v, &l->accesses[k]);
        if (twice)
            break;
        constant = LLVMGetOperand(i, 0);
        group = (int64_t)a->size * l->items;
        bytes += group;
        a->clears = true;
        last = i;
    }
    if (bytes == high - v->start) {
        v->last_clear = last;
        return;
    }
    for (unsigned k = 0; k < l->count; k++)
        if (is_within(v, &l->accesses[k]))
            l->accesses[k].clears = false;
}

static bool
is_step(int64_t k)
{
    return k >= LEAST_STEP && k <= MOST_STEP && !(k & (k - 1));
}

/* The step that most accesses have; 0: not worth it. */
static unsigned
choose_step(struct layout *l, const struct array *v)
{
    unsigned found[MOST_STEP + 1] = {0}, best = 0;

    for (unsigned n = 0; n < l->count; n++) {
        const struct access *a = &l->accesses[n];
        bool own = false;
        if (!is_within(v, a) || a->clears)
            continue;
        if (a->size != v->size || !a->affine)
            return 0;
        for (unsigned k = 0; k < a->count; k++)
            own |= is_own(l, a->terms[k].value, 0);
        if (own || a->stride == 0)
            continue;
        if (a->count || a->stride % a->size || !is_step(a->stride / a->size))
            return 0; /* in order, or in another that should stay */
        unsigned step = (unsigned)(a->stride / a->size);
        found[step]++;
        best = found[step] > found[best] ? step : best;
    }
    return found[best] >= LEAST_STRIDED ? best : 0;
}

/* Can each access be said in the new order? */
static bool
fits(struct layout *l, const struct array *v)
{
    for (unsigned n = 0; n < l->count; n++) {
        const struct access *a = &l->accesses[n];
        if (!is_within(v, a))
            continue;
        if ((a->first - v->start) % a->size || a->stride % a->size || a->first < v->start || a->stride < 0)
            return false;
        for (unsigned k = 0; k < a->count; k++)
            if (a->terms[k].scale % ((int64_t)a->size * v->step) || a->terms[k].low < 0)
                return false;
    }
    return true;
}

static bool
plan(struct layout *l, struct array *v)
{
    int64_t high = v->start;

    v->size = 0;
    for (unsigned n = 0; n < l->count; n++)
        if (is_within(v, &l->accesses[n])) {
            high = l->accesses[n].high > high ? l->accesses[n].high : high;
            v->size = l->accesses[n].size;
        }
    if (!v->size || (v->size & (v->size - 1)) || v->size > 8)
        return false;
    find_clears(l, v, high);
    v->step = choose_step(l, v);
    if (!v->step)
        return false;
    v->rows = (high - v->start) / v->size / v->step;
    return v->rows * v->size * v->step == high - v->start && fits(l, v);
}

/* ---- the new order ---- */

static V
number(struct layout *l, int64_t n)
{
    return LLVMConstInt(LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(l->lid))), (uint64_t)n, true);
}

static V
further(struct layout *l, V pointer, V index, int64_t scale)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(l->lid)));

    if (LLVMIsAConstantInt(index) && LLVMConstIntGetSExtValue(index) * scale == 0)
        return pointer;
    return LLVMBuildGEP2(l->builder, scale == 1 ? byte : LLVMArrayType2(byte, (uint64_t)scale), pointer,
                         &index, 1, "");
}

static V
new_address(struct layout *l, const struct array *v, const struct access *a)
{
    LLVMBuilderRef b = l->builder;
    int64_t each = a->stride / v->size, first = (a->first - v->start) / v->size, k = v->step,
            row = v->rows * v->size;
    V at = l->base;

    if (each % k == 0) {
        at = each ? further(l, at, l->lid, each / k * v->size) : at;
        at = further(l, at, number(l, v->start + first % k * row + first / k * v->size), 1);
    } else {
        V element = each == 1 ? l->lid : LLVMBuildMul(b, l->lid, number(l, each), "");
        if (first % k)
            element = LLVMBuildAdd(b, element, number(l, first % k), "");
        at = further(l, at, LLVMBuildAnd(b, element, number(l, k - 1), ""), row);
        at = further(l, at, LLVMBuildLShr(b, element, number(l, __builtin_ctzll((uint64_t)k)), ""), v->size);
        at = further(l, at, number(l, v->start + first / k * v->size), 1);
    }
    for (unsigned n = 0; n < a->count; n++) {
        const struct term *t = &a->terms[n];
        V index = t->shift ? LLVMBuildLShr(b, t->value, number(l, t->shift), "") : t->value;
        at = further(l, at, index, t->scale / k);
    }
    return at;
}

static void
drop_unused(struct layout *l, V pointer)
{
    while (pointer && LLVMIsAGetElementPtrInst(pointer) && !LLVMGetFirstUse(pointer)) {
        V next = LLVMGetOperand(pointer, 0);
        for (unsigned k = 0; k < l->count; k++)
            if (l->accesses[k].pointer == pointer)
                l->accesses[k].pointer = NULL;
        LLVMInstructionEraseFromParent(pointer);
        pointer = next;
    }
}

/* Does a barrier follow the last store that clears before anything else looks at the array? */
static bool
waits(struct layout *l, const struct array *v)
{
    for (V i = LLVMGetNextInstruction(v->last_clear); i; i = LLVMGetNextInstruction(i)) {
        if (lw_is_call_of(i, "lw.wg.barrier"))
            return true;
        if (access_of(l, v, i))
            return false;
    }
    return false;
}

static void
lay_out(struct layout *l, const struct array *v)
{
    for (unsigned n = 0; n < l->count; n++) {
        struct access *a = &l->accesses[n];
        if (!is_within(v, a) || a->clears)
            continue;
        LLVMPositionBuilderBefore(l->builder, a->instruction);
        V at = new_address(l, v, a);
        LLVMSetOperand(a->instruction, LLVMIsAStoreInst(a->instruction) ? 1 : 0, at);
        LLVMSetAlignment(a->instruction, a->size);
    }
    for (unsigned n = 0; n < l->count; n++)
        drop_unused(l, l->accesses[n].pointer);
    if (v->last_clear && !waits(l, v)) {
        LLVMPositionBuilderBefore(l->builder, LLVMGetNextInstruction(v->last_clear));
        LLVMInsertIntoBuilder(l->builder, LLVMInstructionClone(l->barrier));
    }
}

/* ---- everything ---- */

/* The calls that the pass makes copies of; false: one is missing, or local memory is used elsewhere. */
static bool
find_calls(struct layout *l, LLVMModuleRef module)
{
    V base = LLVMGetNamedFunction(module, "lw.local_base"), lid = LLVMGetNamedFunction(module, "lw.local_id");
    V barrier = LLVMGetNamedFunction(module, "lw.wg.barrier");

    if (!base || !lid || !barrier)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(base); use; use = LLVMGetNextUse(use)) {
        l->a_base = LLVMGetUser(use);
        if (!LLVMIsACallInst(l->a_base) ||
            LLVMGetBasicBlockParent(LLVMGetInstructionParent(l->a_base)) != l->function ||
            !lw_local_read_users(l, l->a_base, 0))
            return false;
    }
    for (LLVMUseRef use = LLVMGetFirstUse(lid); use && !l->a_lid; use = LLVMGetNextUse(use)) {
        V call = LLVMGetUser(use);
        if (LLVMIsACallInst(call) && LLVMIsNull(LLVMGetOperand(call, 0)))
            l->a_lid = call;
    }
    LLVMUseRef use = LLVMGetFirstUse(barrier);
    l->barrier = use ? LLVMGetUser(use) : NULL;
    return l->a_base && l->a_lid && l->barrier && LLVMIsACallInst(l->barrier);
}

/* Copies at the kernel's start, for all new addresses. */
static void
begin_entry(struct layout *l)
{
    V first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(l->function));

    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(l->builder, first);
    l->base = LLVMInstructionClone(l->a_base);
    l->lid = LLVMInstructionClone(l->a_lid);
    LLVMInsertIntoBuilder(l->builder, l->base);
    LLVMInsertIntoBuilder(l->builder, l->lid);
}

static void
lay_out_arrays(struct layout *l)
{
    const struct lw_kernel_desc *kernel = l->kernel;
    struct array *arrays = LW_ARENA_NEW(l->arena, struct array, kernel->local_count);

    for (uint32_t k = 0; k < kernel->local_count; k++) {
        arrays[k] = (struct array){.start = (int64_t)kernel->locals[k].offset,
                                   .end = (int64_t)kernel->info.local_bytes};
        for (uint32_t n = 0; n < kernel->local_count; n++) {
            int64_t other = (int64_t)kernel->locals[n].offset;
            if (other > arrays[k].start && other < arrays[k].end)
                arrays[k].end = other;
        }
    }
    for (unsigned n = 0; n < l->count; n++) {
        uint32_t k = 0;
        while (k < kernel->local_count && !is_within(&arrays[k], &l->accesses[n]))
            k++;
        if (k == kernel->local_count)
            return;
    }
    for (uint32_t k = 0; k < kernel->local_count; k++) {
        if (!plan(l, &arrays[k]))
            continue;
        if (!l->base)
            begin_entry(l);
        lay_out(l, &arrays[k]);
        for (unsigned n = 0; n < l->count; n++)
            if (is_within(&arrays[k], &l->accesses[n]) &&
                l->accesses[n].stride == (int64_t)arrays[k].step * arrays[k].size)
                lw_report_note(l->report, l->accesses[n].instruction, "memory",
                               "local array: %u elements of each work-item, turned in memory",
                               arrays[k].step);
    }
}

static void
lay_out_all(lw_lanes *lanes, struct lw_arena *arena, void *data)
{
    struct layout *l = data;

    l->arena = arena;
    l->builder = lanes->builder;
    l->data = LLVMGetModuleDataLayout(lanes->module);
    l->accesses = LW_ARENA_NEW(arena, struct access, MOST_ACCESSES + 1);
    l->sums = LW_ARENA_NEW(arena, int64_t, l->items);
    l->numbers = lw_value_map_create(arena, MOST_KNOWN);
    l->tables = LW_ARENA_NEW(arena, uint64_t *, MOST_KNOWN);
    if (find_calls(l, lanes->module))
        lay_out_arrays(l);
}

bool
lw_lay_out_local(LLVMModuleRef module, const struct lw_kernel_desc *kernel, const struct lw_shape *shape,
                 struct lw_report *report)
{
    struct layout l = {.kernel = kernel,
                       .report = report,
                       .function = LLVMGetNamedFunction(module, "lw.kernel"),
                       .items = shape->local_size[0]};

    if (!l.function || !kernel->local_count || kernel->guarded_locals || l.items < 2 * LEAST_STEP ||
        l.items > MOST_ITEMS || shape->local_size[1] > 1 || shape->local_size[2] > 1)
        return true;
    return lw_run_pass(module, LW_ISA_AUTO, lay_out_all, &l);
}
