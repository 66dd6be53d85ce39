/* SPDX-License-Identifier: MIT */
/* Sub-group function -> work-group function: the driver over work-groups and the spine of regions.
 *
 * Enters: lw.subgroup (workgroup.h), cleaned: values in SSA form where they can be.
 * Leaves: lw_run; lw.subgroup and the lw.* declarations are gone.
 * Relies on: cuts.c for the regions, slots.c for what crosses them, regions.c for their code.
 * Never: assumes that sub-groups agree where that is not seen; the first one's way counts then.
 *
 * With a barrier in a loop, and constant sizes that leave a tail:
 *
 *   prologue -> group -> region 0: full sub-groups, tail
 *                 ^      -> enter 1: full sub-groups, tail -> next? -> enter 1, as long as there is one
 *                 |                                            |
 *                 +------------- latch <-----------------------+
 */
#include "../../spirv/attributes.h"
#include "regions.h"

#include <stdarg.h>
#include <string.h>

/* What is written once for each sub-group: instructions of one region, of all of them. */
#define UNROLL_SUB_GROUPS 32
#define UNROLL_REGION 160
#define UNROLL_DIVISION 8 /* as many more for each division by a constant: they fold away */
#define UNROLL_FOLDED 640 /* where more than half of it folds away */
#define UNROLL_KERNEL 640

#define MOST_OWN_CHOICES 16 /* regions that each choose where parted sub-groups go on: of n, n^2 ways */

#define STACK_FRAME 8192     /* bytes */
#define MAX_ITEMS (1u << 22) /* queries.c divides local ids in floats up to here */

_Noreturn void
lw_former_fail(struct lw_former *f, lw_status status, const char *what, ...)
{
    va_list list;
    int n;

    f->error->status = status;
    f->error->word = status == LW_OUT_OF_MEMORY ? LW_NEEDS_TOO_MUCH : 0;
    n = snprintf(f->error->text, sizeof f->error->text, "kernel %s: ", f->kernel->name);
    va_start(list, what);
    if (n >= 0 && (size_t)n < sizeof f->error->text)
        vsnprintf(f->error->text + n, sizeof f->error->text - (size_t)n, what, list);
    va_end(list);
    lw_arena_leave(f->arena);
}

/* ---- loops over sub-groups, for turn.c ---- */

static unsigned
sub_groups_mark(LLVMValueRef counter)
{
    static const char mark[] = "lw.sub_groups";
    return LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(counter)), mark, sizeof mark - 1);
}

static void
mark_sub_groups(LLVMValueRef counter)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(counter));
    LLVMSetMetadata(counter, sub_groups_mark(counter),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0)));
}

bool
lw_counts_sub_groups(LLVMValueRef counter)
{
    return LLVMGetMetadata(counter, sub_groups_mark(counter)) != NULL;
}

/* ---- the spine ---- */

struct spine {
    struct lw_former *f;
    LLVMBasicBlockRef *enter; /* by region; [region_count] is the work-group's end */
    LLVMBuilderRef builder;   /* between instances */
    LLVMBasicBlockRef choice; /* of many regions, which go on by it */
};

static LLVMBasicBlockRef
new_block(struct lw_former *f, const char *name)
{
    return LLVMAppendBasicBlockInContext(f->context, f->run, name);
}

/* What the edges into the cut left, once for all sub-groups: each of them would advance a counter otherwise.
 */
static void
take_phis(struct spine *s, uint32_t r)
{
    struct lw_former *f = s->f;
    uint32_t cut = f->cuts->regions[r].cut;

    for (uint32_t n = f->piece_values[cut]; n < f->piece_values[cut + 1]; n++) {
        struct lw_carried *v = &f->values[n];
        if (!v->cut_phi)
            break;
        if (v->carrier != LW_CARRY_GROUP)
            continue;
        LLVMTypeRef type = LLVMTypeOf(v->ref);
        if (!v->variable)
            v->variable = LLVMBuildAlloca(f->top, type, "group");
        if (!v->incoming)
            v->incoming = LLVMBuildAlloca(f->top, type, "group.in");
        LLVMBuildStore(s->builder, LLVMBuildLoad2(s->builder, type, v->incoming, ""), v->variable);
    }
}

/* A region of parted sub-groups is for those that want it. */
static void
pass_others_by(struct spine *s, LLVMValueRef sub_group, LLVMBasicBlockRef mine)
{
    struct lw_former *f = s->f;
    LLVMBasicBlockRef other = new_block(f, "other");
    LLVMValueRef address = lw_want_address(f, s->builder, sub_group);
    LLVMValueRef want = LLVMBuildLoad2(s->builder, f->i32, address, "want");
    LLVMBuildCondBr(s->builder, LLVMBuildICmp(s->builder, LLVMIntEQ, want, f->now, ""), mine, other);
    LLVMPositionBuilderAtEnd(s->builder, other);
    lw_want(f, s->builder, want);
    LLVMBuildBr(s->builder, f->done);
}

/* One instance for one sub-group, or f->copies of them, from the builder's position on. */
static void
run_once(struct spine *s, uint32_t r, LLVMValueRef sub_group, enum lw_instance instance)
{
    struct lw_former *f = s->f;

    f->sub_groups[0] = sub_group;
    for (uint32_t c = 1; c < f->copies; c++)
        f->sub_groups[c] = LLVMBuildAdd(s->builder, sub_group, lw_c64(f, c), "");
    f->instance = instance;
    f->done = new_block(f, "done");
    LLVMBasicBlockRef first = lw_write_region(f, r);
    if (f->parted && r > 0) /* nothing leads back to the first */
        pass_others_by(s, sub_group, first);
    else
        LLVMBuildBr(s->builder, first);
    LLVMPositionBuilderAtEnd(s->builder, f->done);
}

/* One instance for the sub-groups 0 .. count - 1, count > 0 and a multiple of f->copies. */
static void
run_loop(struct spine *s, uint32_t r, LLVMValueRef count, enum lw_instance instance)
{
    struct lw_former *f = s->f;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(s->builder), loop = new_block(f, "sub_groups");

    f->loops = true;

    LLVMBuildBr(s->builder, loop);
    LLVMPositionBuilderAtEnd(s->builder, loop);
    LLVMValueRef number = LLVMBuildPhi(s->builder, f->i64, "sub_group");
    if (!f->parted && lw_region_has_no_order(f, r))
        mark_sub_groups(number);
    run_once(s, r, number, instance);
    LLVMValueRef after = LLVMBuildAdd(s->builder, number, lw_c64(f, f->copies), "");
    LLVMSetNUW(after, true);
    LLVMSetNSW(after, true);
    LLVMValueRef values[] = {lw_c64(f, 0), after};
    LLVMBasicBlockRef blocks[] = {before, LLVMGetInsertBlock(s->builder)};
    LLVMAddIncoming(number, values, blocks, 2);
    LLVMBasicBlockRef out = new_block(f, "out");
    LLVMBuildCondBr(s->builder, LLVMBuildICmp(s->builder, LLVMIntULT, after, count, ""), loop, out);
    LLVMPositionBuilderAtEnd(s->builder, out);
}

/* To the region of the least key. */
static void
go_where_wanted(struct spine *s)
{
    struct lw_former *f = s->f;
    uint32_t regions = f->cuts->region_count;
    LLVMBasicBlockRef known = s->choice;
    if (regions > MOST_OWN_CHOICES) {
        s->choice = known ? known : new_block(f, "choice");
        LLVMBuildBr(s->builder, s->choice);
        LLVMPositionBuilderAtEnd(s->builder, s->choice);
    }
    if (known)
        return;
    LLVMValueRef next = LLVMBuildLoad2(s->builder, f->i32, f->next, "next");
    LLVMValueRef choice = LLVMBuildSwitch(s->builder, next, s->enter[regions], 2 * regions);
    for (uint32_t r = 1; r < regions; r++) {
        LLVMAddCase(choice, LLVMConstInt(f->i32, r, false), s->enter[r]);
        LLVMAddCase(choice, LLVMConstInt(f->i32, r + regions, false), s->enter[r]);
    }
}

static void
go_on(struct spine *s, const struct lw_region *region)
{
    struct lw_former *f = s->f;
    if (f->parted) {
        go_where_wanted(s);
        return;
    }
    uint32_t first = region->target_begin, count = region->target_end - first;

    if (count == 0) { /* an endless loop without a barrier */
        LLVMBuildUnreachable(s->builder);
        return;
    }
    uint32_t *targets = f->cuts->targets + first;
    if (count == 1) {
        LLVMBuildBr(s->builder, s->enter[targets[0]]);
        return;
    }
    LLVMValueRef next = LLVMBuildLoad2(s->builder, f->i32, f->next, "next");
    LLVMValueRef choice = LLVMBuildSwitch(s->builder, next, s->enter[targets[0]], count - 1);
    for (uint32_t k = 1; k < count; k++)
        LLVMAddCase(choice, LLVMConstInt(f->i32, targets[k], false), s->enter[targets[k]]);
}

/* Short regions between barriers are written once for each sub-group: conditions on the sub-group's number
 * are constants then, what one region stores is at hand in the next, and the sub-groups overlap in time. */
static bool
is_written_out(struct lw_former *f, uint32_t r, uint64_t full)
{
    uint64_t instructions = 0, most = UNROLL_KERNEL - f->unrolled;

    most = most < UNROLL_FOLDED ? most : UNROLL_FOLDED;
    if (f->cuts->region_count < 2 || f->shape->build & LW_BUILD_FIRST || full > UNROLL_SUB_GROUPS)
        return false;
    f->folded = f->divisions = 0;
    for (uint64_t k = 0; k < full && instructions <= most; k++)
        instructions += lw_count_written(f, r, k, most - instructions);
    if (instructions > most ||
        (f->folded <= instructions && instructions > UNROLL_REGION + UNROLL_DIVISION * f->divisions))
        return false;
    f->unrolled += instructions;
    return true;
}

static void
run_full(struct spine *s, uint32_t r, uint64_t full)
{
    struct lw_former *f = s->f;

    uint64_t first = 0;

    if (full > 1 && !is_written_out(f, r, full)) {
        f->copies = f->parted ? 1 : lw_region_copies(f, r, full);
        first = full / f->copies * f->copies;
        if (first > f->copies)
            run_loop(s, r, lw_c64(f, first), LW_INSTANCE_FULL);
        else
            run_once(s, r, lw_c64(f, 0), LW_INSTANCE_FULL);
        f->copies = 1;
    }
    for (uint64_t k = first; k < full; k++)
        run_once(s, r, lw_c64(f, k), LW_INSTANCE_FULL);
}

static void
write_region_for_all(struct spine *s, uint32_t r)
{
    struct lw_former *f = s->f;
    uint32_t w = f->shape->lanes;

    LLVMPositionBuilderAtEnd(s->builder, s->enter[r]);
    take_phis(s, r);
    if (f->parted) {
        f->now = LLVMBuildLoad2(s->builder, f->i32, f->next, "now");
        LLVMBuildStore(s->builder, LLVMConstAllOnes(f->i32), f->next);
    }
    if (!f->fixed_size) {
        run_loop(s, r, lw_group_sub_groups(f), LW_INSTANCE_ANY);
    } else {
        uint64_t full = f->size / w;
        run_full(s, r, f->busy[r]);
        if (f->size % w)
            run_once(s, r, lw_c64(f, full), LW_INSTANCE_TAIL);
    }
    go_on(s, &f->cuts->regions[r]);
}

/* ---- turns ---- */

/* One turn: lw_run's count is its number. */
static void
write_turn(struct spine *s, LLVMBasicBlockRef end)
{
    struct lw_former *f = s->f;
    LLVMValueRef w = lw_c64(f, f->shape->lanes), number = f->count;
    uint64_t full = f->size / f->shape->lanes;

    LLVMPositionBuilderAtEnd(s->builder, s->enter[0]);
    if (f->turns == LW_TURNS_WORK_ITEMS) {
        f->lane = LLVMBuildURem(s->builder, f->count, w, "lane");
        number = LLVMBuildUDiv(s->builder, f->count, w, "sub_group");
    }
    if (!f->fixed_size || f->turns == LW_TURNS_WORK_ITEMS || full == 0) {
        run_once(s, 0, number, f->fixed_size && full == 0 ? LW_INSTANCE_TAIL : LW_INSTANCE_ANY);
    } else if (f->size % f->shape->lanes == 0) {
        run_once(s, 0, number, LW_INSTANCE_FULL);
    } else {
        LLVMBasicBlockRef whole = new_block(f, "full"), tail = new_block(f, "tail");
        LLVMValueRef is_full = LLVMBuildICmp(s->builder, LLVMIntULT, number, lw_c64(f, full), "");
        LLVMBuildCondBr(s->builder, is_full, whole, tail);
        LLVMPositionBuilderAtEnd(s->builder, whole);
        run_once(s, 0, number, LW_INSTANCE_FULL);
        LLVMBuildBr(s->builder, end);
        LLVMPositionBuilderAtEnd(s->builder, tail);
        run_once(s, 0, number, LW_INSTANCE_TAIL);
    }
    LLVMBuildBr(s->builder, end);
}

/* ---- the prologue ---- */

static void
declare_run(struct lw_former *f)
{
    LLVMTypeRef types[] = {f->ptr, f->ptr, f->i64, f->i64, f->ptr, f->ptr};
    static const char *const names[] = {"launch", "args", "first", "count", "local", "frame"};
    LLVMValueRef *params[] = {&f->launch, &f->args, &f->first, &f->count, &f->local, &f->memory};

    f->run = LLVMAddFunction(f->module, "lw_run",
                             LLVMFunctionType(LLVMVoidTypeInContext(f->context), types, 6, false));
    lw_add_attributes(f->run, "nounwind");
    unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
    for (unsigned k = 0; k < 6; k++) {
        *params[k] = LLVMGetParam(f->run, k);
        LLVMSetValueName2(*params[k], names[k], strlen(names[k]));
        /* True of these four: nothing else reaches them. Local memory then never aliases a buffer. */
        if (types[k] == f->ptr && !(f->turns && k >= 4)) /* others write there at their turns */
            LLVMAddAttributeAtIndex(f->run, k + 1, LLVMCreateEnumAttribute(f->context, noalias, 0));
    }
}

static void
load_arguments(struct lw_former *f)
{
    uint32_t count = LLVMCountParams(f->source);

    if (count != f->kernel->arg_count)
        lw_former_fail(f, LW_INTERNAL, "%u parameters for %u arguments", count, f->kernel->arg_count);
    f->params = LW_ARENA_NEW(f->arena, LLVMValueRef, count);
    f->param_numbers = lw_value_map_create(f->arena, count);
    for (uint32_t k = 0; k < count; k++) {
        const struct lw_kernel_arg *arg = &f->kernel->args[k];
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(f->source, k));
        LLVMValueRef offset = lw_c64(f, arg->offset);
        LLVMValueRef at = LLVMBuildGEP2(f->top, f->i8, f->args, &offset, 1, "");
        bool pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
        lw_value_map_add(f->param_numbers, LLVMGetParam(f->source, k), k);
        if (arg->info.kind == LW_ARG_STRUCT && pointer) {
            f->params[k] = LLVMBuildAddrSpaceCast(f->top, at, type, "");
        } else if (arg->info.kind == LW_ARG_LOCAL) {
            LLVMValueRef inside = LLVMBuildLoad2(f->top, f->i64, at, "");
            LLVMValueRef place = LLVMBuildGEP2(f->top, f->i8, f->local, &inside, 1, "");
            f->params[k] = LLVMBuildAddrSpaceCast(f->top, place, type, "");
        } else if (type == f->i1) {
            f->params[k] = LLVMBuildTrunc(f->top, LLVMBuildLoad2(f->top, f->i8, at, ""), type, "");
        } else {
            f->params[k] = LLVMBuildLoad2(f->top, type, at, "");
            LLVMSetAlignment(f->params[k], arg->offset & 7 ? arg->offset & (0 - arg->offset) & 7 : 8);
        }
    }
}

/* The ids of the first work-group, and those of the one after: counted up, not divided, from group to group.
 */
static void
begin_groups(struct lw_former *f, LLVMBasicBlockRef group, LLVMBasicBlockRef latch, LLVMBuilderRef b)
{
    LLVMValueRef rest = f->first, start[3], one = lw_c64(f, 1), zero = lw_c64(f, 0);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(f->top);
    unsigned dims = f->shape->work_dim;

    for (unsigned d = 0; d < 3; d++) {
        if (d + 1 >= dims) {
            start[d] = d < dims ? rest : zero;
            continue;
        }
        LLVMValueRef many = lw_launch_field(f, LW_F_NUM_GROUPS, d);
        start[d] = LLVMBuildURem(f->top, rest, many, "");
        rest = LLVMBuildUDiv(f->top, rest, many, "");
    }
    LLVMPositionBuilderAtEnd(f->group, group);
    for (unsigned d = 0; d < 3; d++)
        f->group_ids[d] = d < dims ? LLVMBuildPhi(f->group, f->i64, "group_id") : zero;

    LLVMPositionBuilderAtEnd(b, latch);
    LLVMValueRef carry = NULL; /* i1: the dimension before wrapped */
    for (unsigned d = 0; d < dims; d++) {
        LLVMValueRef id = f->group_ids[d], step = carry ? LLVMBuildZExt(b, carry, f->i64, "") : one;
        LLVMValueRef up = LLVMBuildAdd(b, id, step, "");
        if (d + 1 < dims) {
            carry = LLVMBuildICmp(b, LLVMIntEQ, up, lw_launch_field(f, LW_F_NUM_GROUPS, d), "");
            up = LLVMBuildSelect(b, carry, zero, up, "");
        }
        LLVMValueRef values[] = {start[d], up};
        LLVMBasicBlockRef blocks[] = {before, latch};
        LLVMAddIncoming(id, values, blocks, 2);
    }
}

/* ---- everything ---- */

static void
put_on_stack(struct lw_former *f, LLVMValueRef memory, uint64_t size)
{
    if (!LLVMGetFirstUse(memory) || !size)
        return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(f->context);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->run)));
    LLVMValueRef variable = LLVMBuildAlloca(b, LLVMArrayType2(f->i8, size), "");
    LLVMSetAlignment(variable, 128);
    LLVMReplaceAllUsesWith(memory, variable);
    LLVMDisposeBuilder(b);
}

/* Where every sub-group is written out, all places in the frame and in local memory are constants: variables
 * of the function then, which SROA makes registers of. */
static void
keep_on_stack(struct lw_former *f)
{
    uint64_t sub_groups = (f->size + f->shape->lanes - 1) / f->shape->lanes;
    uint64_t size = f->frame.fixed + sub_groups * f->frame.per_sub_group;

    if (!f->fixed_size || f->loops || f->bounded || f->turns)
        return;
    if (size <= STACK_FRAME) {
        put_on_stack(f, f->memory, size);
        f->frame = (struct lw_frame){0};
    }
    for (uint32_t k = 0; k < f->kernel->arg_count; k++)
        if (f->kernel->args[k].info.kind == LW_ARG_LOCAL)
            return;
    if (f->kernel->info.local_bytes <= STACK_FRAME && !f->kernel->guarded_locals)
        put_on_stack(f, f->local, f->kernel->info.local_bytes);
}

static void
write_run(struct lw_former *f, struct spine *s)
{
    declare_run(f);
    LLVMBasicBlockRef entry = new_block(f, "entry"), group = new_block(f, "group");
    LLVMBasicBlockRef latch = new_block(f, "latch"), end = new_block(f, "end");
    uint32_t regions = f->cuts->region_count;

    LLVMPositionBuilderAtEnd(f->top, entry);
    f->next = LLVMBuildAlloca(f->top, f->i32, "next");
    load_arguments(f);
    begin_groups(f, group, latch, s->builder);
    LLVMBasicBlockRef at_latch = LLVMGetInsertBlock(s->builder);
    LLVMValueRef done = LLVMBuildPhi(f->group, f->i64, "done_groups");
    LLVMValueRef more = LLVMBuildAdd(s->builder, done, lw_c64(f, 1), ""),
                 count = f->turns ? lw_c64(f, 1) : f->count;
    LLVMValueRef values[] = {lw_c64(f, 0), more};
    LLVMBasicBlockRef blocks[] = {entry, at_latch};
    LLVMAddIncoming(done, values, blocks, 2);
    LLVMBuildCondBr(s->builder, LLVMBuildICmp(s->builder, LLVMIntULT, more, count, ""), group, end);

    s->enter = LW_ARENA_NEW(f->arena, LLVMBasicBlockRef, regions + 1);
    for (uint32_t r = 0; r < regions; r++)
        s->enter[r] = new_block(f, "enter");
    s->enter[regions] = latch;
    if (f->turns)
        write_turn(s, latch);
    else if (f->fixed_size)
        lw_find_busy(f, f->size / f->shape->lanes);
    for (uint32_t r = 0; r < regions && !f->turns; r++)
        write_region_for_all(s, r);
    LLVMBuildBr(f->group, s->enter[0]);
    LLVMValueRef none = LLVMBuildICmp(f->top, LLVMIntEQ, count, lw_c64(f, 0), "");
    LLVMBuildCondBr(f->top, none, end, group);
    LLVMPositionBuilderAtEnd(s->builder, end);
    LLVMBuildRetVoid(s->builder);
    keep_on_stack(f);
}

static void
drop_declarations(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMIsDeclaration(f) && !LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
}

static bool
is_asked_for(LLVMModuleRef module, const char *query)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, query);
    return f && LLVMGetFirstUse(f);
}

static void
form(struct lw_arena *arena, void *data)
{
    struct spine *s = data;
    struct lw_former *f = s->f;
    const struct lw_shape *shape = f->shape;

    f->arena = arena;
    if (!f->source || LLVMIsDeclaration(f->source))
        lw_former_fail(f, LW_INTERNAL, "no sub-group function");
    f->size = 1;
    for (unsigned d = 0; d < 3; d++) {
        f->fixed_size |= shape->local_size[d] != 0;
        f->size *= shape->local_size[d];
    }
    if (f->fixed_size && (f->size == 0 || f->size > MAX_ITEMS))
        lw_former_fail(f, LW_INTERNAL, "a work-group of %llu work-items", (unsigned long long)f->size);
    f->turns = !is_asked_for(f->module, "lw.waiter")      ? LW_TURNS_NOT
               : is_asked_for(f->module, "lw.entry_lane") ? LW_TURNS_WORK_ITEMS
                                                          : LW_TURNS_SUB_GROUPS;
    f->frame.turns = f->turns;
    f->cuts = lw_find_cuts(f->arena, f->source, f->turns || (f->fixed_size && f->size <= shape->lanes));
    lw_plan_values(f);
    f->fetched = LW_ARENA_NEW(f->arena, uint32_t, LW_JAM * (size_t)f->value_count);
    f->copies = 1;
    f->places = LW_ARENA_NEW(f->arena, uint32_t, f->cuts->piece_count);
    f->reached = LW_ARENA_NEW(f->arena, bool, f->cuts->piece_count);
    f->exits = LW_ARENA_NEW(f->arena, LLVMBasicBlockRef, f->cuts->region_count);
    f->exit_stamp = LW_ARENA_NEW(f->arena, uint32_t, f->cuts->region_count);
    write_run(f, s);
}

static void
set_types(struct lw_former *f, LLVMModuleRef module)
{
    f->module = module;
    f->context = LLVMGetModuleContext(module);
    f->layout = LLVMGetModuleDataLayout(module);
    f->i1 = LLVMInt1TypeInContext(f->context);
    f->i8 = LLVMInt8TypeInContext(f->context);
    f->i32 = LLVMInt32TypeInContext(f->context);
    f->i64 = LLVMInt64TypeInContext(f->context);
    f->ptr = LLVMPointerTypeInContext(f->context, 0);
}

bool
lw_form_workgroup(LLVMModuleRef module, const struct lw_kernel_desc *kernel, const struct lw_shape *shape,
                  struct lw_frame *frame, lw_error *error)
{
    lw_error ignored;
    struct lw_former f = {.error = error ? error : &ignored, .kernel = kernel, .shape = shape};
    struct spine s = {.f = &f};
    LLVMBuilderRef *builders[] = {&f.top, &f.group, &f.head, &f.body, &s.builder};

    *f.error = (lw_error){.status = LW_OUT_OF_MEMORY, .text = "no memory to form the work-group function"};
    set_types(&f, module);
    for (int k = 0; k < 5; k++)
        *builders[k] = LLVMCreateBuilderInContext(f.context);
    f.source = LLVMGetNamedFunction(module, "lw.subgroup");
    bool good = lw_with_arena(form, &s);
    for (int k = 0; k < 5; k++)
        LLVMDisposeBuilder(*builders[k]);
    if (good) {
        LLVMDeleteFunction(f.source);
        drop_declarations(module);
        *frame = f.frame;
        *f.error = (lw_error){0};
    } else if (f.run) {
        LLVMDeleteFunction(f.run);
    }
    return good;
}
