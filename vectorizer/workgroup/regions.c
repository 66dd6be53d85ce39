/* SPDX-License-Identifier: MIT */
/* Writes one instance of a region into the work-group function: a copy of its instructions for one sub-group,
 * with the lw.* calls answered, the values from other regions fetched and those for other regions left
 * behind.
 *
 * Enters: a plan (slots.c).
 * Leaves: blocks that begin at the returned one and end in f->done; f->next says where to go from there.
 * Relies on: pieces of a region come in reverse post-order, so that a definition is written before its uses.
 * Where the sub-group's number is a constant, neither what folds nor what nothing leads to is written.
 * Never: writes control flow of its own but the exits.
 */
#include "fold.h"
#include "regions.h"
#include "spaces.h"

#include <string.h>

struct instance {
    struct lw_former *f;
    const struct lw_region *region;
    LLVMBasicBlockRef *blocks; /* by place in the region's pieces */
};

static LLVMValueRef fetch(struct lw_former *f, struct lw_carried *v);

static void
choose_copy(struct lw_former *f, uint32_t copy)
{
    f->copy = copy;
    f->sub_group = f->sub_groups[copy];
}

/* ---- slots ---- */

/* Inside the frame: LLVM sees that what all sub-groups share is not what one of them has, and keeps running
 * sums in registers. */
static LLVMValueRef
frame_address(struct lw_former *f, LLVMBuilderRef b, LLVMValueRef from, LLVMValueRef offset, const char *name)
{
    LLVMValueRef address = LLVMBuildInBoundsGEP2(b, f->i8, from, &offset, 1, name);

    if (LLVMIsAGetElementPtrInst(address))
        LLVMGEPSetNoWrapFlags(address, LLVMGEPFlagInBounds | LLVMGEPFlagNUSW | LLVMGEPFlagNUW);
    return address;
}

static LLVMValueRef
my_frame(struct lw_former *f)
{
    if (!f->mine[f->copy] && f->mine[0] && !LLVMIsConstant(f->sub_group)) {
        LLVMValueRef further = lw_c64(f, f->copy * f->frame.per_sub_group);
        f->mine[f->copy] = LLVMBuildGEP2(f->head, f->i8, f->mine[0], &further, 1, "mine");
    } else if (!f->mine[f->copy]) {
        LLVMValueRef size = lw_c64(f, f->frame.per_sub_group), fixed = lw_c64(f, f->frame.fixed);
        LLVMValueRef start = frame_address(f, f->head, f->memory, fixed, "");
        LLVMValueRef offset = LLVMBuildNUWMul(f->head, f->turns ? f->count : f->sub_group, size, "");
        f->mine[f->copy] = frame_address(f, f->head, start, offset, "mine");
    }
    return f->mine[f->copy];
}

static unsigned
slot_align(struct lw_former *f, LLVMTypeRef stored)
{
    unsigned a = LLVMABIAlignmentOfType(f->layout, stored);
    return a > 64 ? 64 : a;
}

static LLVMValueRef
slot_address(struct lw_former *f, LLVMBuilderRef b, const struct lw_carried *v)
{
    LLVMValueRef offset = lw_c64(f, v->offset);
    return frame_address(f, b, my_frame(f), offset, "slot");
}

static void
store_slot(struct lw_former *f, const struct lw_carried *v, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value), stored = lw_stored_type(f, v);

    if (stored != type) {
        bool vector = LLVMGetTypeKind(stored) == LLVMVectorTypeKind;
        bool bits = !vector && LLVMGetTypeKind(type) == LLVMVectorTypeKind;
        value = bits     ? LLVMBuildBitCast(f->body, value, stored, "")
                : vector ? LLVMBuildSExt(f->body, value, stored, "")
                         : LLVMBuildZExt(f->body, value, stored, "");
    }
    LLVMValueRef store = LLVMBuildStore(f->body, value, slot_address(f, f->body, v));
    LLVMSetAlignment(store, slot_align(f, stored));
    lw_mark_slot(store);
}

static LLVMValueRef
load_slot(struct lw_former *f, const struct lw_carried *v)
{
    LLVMTypeRef type = LLVMTypeOf(v->ref), stored = lw_stored_type(f, v);
    LLVMValueRef value = LLVMBuildLoad2(f->head, stored, slot_address(f, f->head, v), "");

    LLVMSetAlignment(value, slot_align(f, stored));
    lw_mark_slot(value);
    if (stored == type)
        return value;
    if (LLVMGetTypeKind(stored) == LLVMVectorTypeKind)
        return LLVMBuildICmp(f->head, LLVMIntSLT, value, LLVMConstNull(stored), "");
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        return LLVMBuildBitCast(f->head, value, type, "");
    return LLVMBuildTrunc(f->head, value, type, "");
}

/* ---- operands ---- */

static LLVMValueRef
map_operand(struct lw_former *f, LLVMValueRef x)
{
    if (LLVMIsAArgument(x))
        return f->params[lw_value_map_get(f->param_numbers, x)];
    if (!LLVMIsAInstruction(x))
        return x;
    uint32_t n = lw_value_map_get(f->numbers, x);
    if (n == LW_NONE)
        return LLVMGetPoison(LLVMTypeOf(x)); /* of unreachable code */
    struct lw_carried *v = &f->values[n];
    return v->now[f->copy] ? v->now[f->copy] : fetch(f, v);
}

static void
map_operands(struct lw_former *f, LLVMValueRef copy, LLVMValueRef original)
{
    int count = LLVMGetNumOperands(original);
    for (int k = 0; k < count; k++) {
        LLVMValueRef x = LLVMGetOperand(original, (unsigned)k);
        if (x && (LLVMIsAInstruction(x) || LLVMIsAArgument(x)))
            LLVMSetOperand(copy, (unsigned)k, map_operand(f, x));
    }
}

/* The instruction at the builder, or what it folds to for a constant sub-group; NULL where nothing is left of
 * it. */
static LLVMValueRef
write_copy(struct lw_former *f, LLVMBuilderRef b, struct lw_carried *v)
{
    LLVMValueRef original = v->ref, step = lw_write_step(f, b, v);
    if (step)
        return step;
    LLVMValueRef operands[LW_FOLD_OPERANDS];
    int count = LLVMGetNumOperands(original);

    if (count <= LW_FOLD_OPERANDS && LLVMIsAConstantInt(f->sub_group) && lw_may_fold(original)) {
        bool gone;
        for (int k = 0; k < count; k++) {
            LLVMValueRef x = LLVMGetOperand(original, (unsigned)k);
            operands[k] = LLVMIsAInstruction(x) || LLVMIsAArgument(x) ? map_operand(f, x) : x;
        }
        LLVMValueRef folded = lw_fold(b, original, operands, &gone);
        if (folded || gone)
            return folded;
    }
    LLVMValueRef copy = LLVMInstructionClone(original);
    map_operands(f, copy, original); /* may write to the head: before the copy is put there */
    LLVMInsertIntoBuilder(b, copy);
    return copy;
}

static LLVMValueRef
room_address(struct lw_former *f, struct lw_carried *v)
{
    LLVMValueRef offset = lw_c64(f, v->offset), at;

    if (v->room == LW_ROOM_STACK) {
        if (!v->variable) {
            v->variable = LLVMInstructionClone(v->ref);
            LLVMInsertIntoBuilder(f->top, v->variable);
        }
        return v->variable;
    }
    at = v->room == LW_ROOM_FIXED ? f->memory : my_frame(f);
    at = LLVMBuildGEP2(f->head, f->i8, at, &offset, 1, "room");
    return LLVMTypeOf(v->ref) == f->ptr ? at : LLVMBuildAddrSpaceCast(f->head, at, LLVMTypeOf(v->ref), "");
}

static LLVMValueRef
group_variable(struct lw_former *f, struct lw_carried *v)
{
    if (!v->variable)
        v->variable = LLVMBuildAlloca(f->top, LLVMTypeOf(v->ref), "group");
    return v->variable;
}

/* A value that this instance did not compute, at its head. */
static LLVMValueRef
fetch(struct lw_former *f, struct lw_carried *v)
{
    f->fetched[f->fetched_count++] = (uint32_t)(v - f->values);
    switch (v->carrier) {
    case LW_CARRY_ROOM:
        return v->now[f->copy] = room_address(f, v);
    case LW_CARRY_GROUP:
        return v->now[f->copy] = LLVMBuildLoad2(f->head, LLVMTypeOf(v->ref), group_variable(f, v), "");
    case LW_CARRY_SLOT:
        return v->now[f->copy] = load_slot(f, v);
    default:
        break;
    }
    if (v->query != LW_Q_NONE)
        return v->now[f->copy] = lw_answer_query(f, (enum lw_query)v->query, v->ref);
    return v->now[f->copy] = write_copy(f, f->head, v);
}

/* ---- instructions ---- */

static void
leave_behind(struct lw_former *f, struct lw_carried *v)
{
    if (!v->external || v->cut_phi)
        return;
    if (v->carrier == LW_CARRY_GROUP)
        LLVMBuildStore(f->body, v->now[f->copy], group_variable(f, v));
    else if (v->carrier == LW_CARRY_SLOT)
        store_slot(f, v, v->now[f->copy]);
}

static bool
is_lifetime(LLVMValueRef i)
{
    if (LLVMGetInstructionOpcode(i) != LLVMCall)
        return false;
    const char *name = LLVMGetValueName(LLVMGetCalledValue(i));
    return strncmp(name, "llvm.lifetime.", 14) == 0;
}

/* What is equal over the work-group is written for the first copy, and serves the others. */
static bool
is_shared(struct lw_former *f, struct lw_carried *v)
{
    if (f->copy == 0 || !v->uniform || !v->now[0])
        return false;
    v->now[f->copy] = v->now[0];
    return true;
}

static void
write_instruction(struct lw_former *f, struct lw_carried *v)
{
    if (v->query == LW_Q_BARRIER && f->turns)
        lw_write_meeting(f);
    if (v->query == LW_Q_BARRIER || is_lifetime(v->ref) || is_shared(f, v))
        return;
    if (v->query != LW_Q_NONE) {
        v->now[f->copy] = lw_answer_query(f, (enum lw_query)v->query, v->ref);
    } else if (v->carrier == LW_CARRY_ROOM) {
        v->now[f->copy] = room_address(f, v);
    } else {
        v->now[f->copy] = write_copy(f, f->body, v);
    }
    leave_behind(f, v);
}

/* Edges from the end of the block that `last` ended to the block being written; 0 where it is not written. */
static unsigned
written_edges(struct lw_former *f, uint32_t last, LLVMBasicBlockRef to)
{
    LLVMValueRef end = last == LW_NONE ? NULL : f->values[last].now[0];
    unsigned count = 0;

    for (unsigned s = 0; end && s < LLVMGetNumSuccessors(end); s++)
        count += LLVMGetSuccessor(end, s) == to;
    return count;
}

/* The value of a phi that only one edge leads to, all others being folded away. */
static LLVMValueRef
only_incoming(struct instance *in, uint32_t number)
{
    struct lw_former *f = in->f;
    LLVMValueRef phi = f->values[number].ref, found = NULL;
    LLVMBasicBlockRef block = LLVMGetInsertBlock(f->body);

    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        uint32_t last =
            lw_value_map_get(f->numbers, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, k)));
        if (in->region->irreducible || (last != LW_NONE && last > number))
            return NULL; /* a loop goes round */
        if (!written_edges(f, last, block))
            continue;
        if (found)
            return NULL;
        found = LLVMGetIncomingValue(phi, k);
    }
    return found ? map_operand(f, found) : NULL;
}

/* Phis inside a region keep their edges; those of its cut come from where the edges into it have left them.
 */
static uint32_t
write_phis(struct instance *in, uint32_t piece)
{
    struct lw_former *f = in->f;
    uint32_t n = f->piece_values[piece], end = f->piece_values[piece + 1];

    for (; n < end && LLVMIsAPHINode(f->values[n].ref); n++) {
        struct lw_carried *v = &f->values[n];
        if (is_shared(f, v))
            continue;
        if (v->cut_phi)
            fetch(f, v);
        else if (!(v->now[f->copy] = only_incoming(in, n)))
            v->now[f->copy] = LLVMBuildPhi(f->body, LLVMTypeOf(v->ref), "");
    }
    return n;
}

/* Behind the phis of all copies: what other regions want of them. */
static void
leave_phis_behind(struct lw_former *f, uint32_t piece, uint32_t end)
{
    for (uint32_t k = f->piece_values[piece]; k < end; k++)
        if (f->copy == 0 || !f->values[k].uniform)
            leave_behind(f, &f->values[k]);
}

static void
complete_phis(struct instance *in, uint32_t piece)
{
    struct lw_former *f = in->f;
    LLVMBasicBlockRef at = in->blocks[f->places[piece]];

    for (uint32_t n = f->piece_values[piece]; n < f->piece_values[piece + 1]; n++) {
        struct lw_carried *v = &f->values[n];
        if (!LLVMIsAPHINode(v->ref) || v->cut_phi)
            break;
        if (f->copy > 0 && v->uniform)
            continue;
        LLVMValueRef phi = v->now[f->copy];
        if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != at)
            continue; /* folded */
        for (unsigned k = 0; k < LLVMCountIncoming(v->ref); k++) {
            LLVMValueRef last = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(v->ref, k));
            uint32_t from = lw_value_map_get(f->numbers, last);
            if (!written_edges(f, from, at))
                continue;
            LLVMValueRef x = map_operand(f, LLVMGetIncomingValue(v->ref, k));
            LLVMBasicBlockRef block = LLVMGetInstructionParent(f->values[from].now[0]);
            LLVMAddIncoming(phi, &x, &block, 1);
        }
    }
}

/* ---- exits ---- */

/* What the target's phis are on the edge from `block`. */
static void
store_phis(struct lw_former *f, uint32_t cut, LLVMBasicBlockRef block)
{
    for (uint32_t n = f->piece_values[cut]; n < f->piece_values[cut + 1]; n++) {
        struct lw_carried *v = &f->values[n];
        if (!LLVMIsAPHINode(v->ref))
            break;
        for (unsigned k = 0; k < LLVMCountIncoming(v->ref); k++) {
            if (LLVMGetIncomingBlock(v->ref, k) != block)
                continue;
            LLVMValueRef x = map_operand(f, LLVMGetIncomingValue(v->ref, k));
            if (v->carrier != LW_CARRY_GROUP) {
                store_slot(f, v, x);
            } else {
                if (!v->incoming)
                    v->incoming = LLVMBuildAlloca(f->top, LLVMTypeOf(v->ref), "group.in");
                LLVMBuildStore(f->body, x, v->incoming);
            }
            break;
        }
    }
}

LLVMValueRef
lw_want_address(struct lw_former *f, LLVMBuilderRef b, LLVMValueRef number)
{
    LLVMValueRef size = lw_c64(f, f->frame.per_sub_group), start = lw_c64(f, f->frame.fixed + f->want);
    LLVMValueRef offset = LLVMBuildNUWAdd(b, LLVMBuildNUWMul(b, number, size, ""), start, "");
    return frame_address(f, b, f->memory, offset, "want");
}

void
lw_want(struct lw_former *f, LLVMBuilderRef b, LLVMValueRef key)
{
    LLVMValueRef least = LLVMBuildLoad2(b, f->i32, f->next, "");
    LLVMValueRef less = LLVMBuildICmp(b, LLVMIntULT, key, least, "");
    LLVMBuildStore(b, LLVMBuildSelect(b, less, key, least, ""), f->next);
}

/* From a barrier all sub-groups go the same way in a valid kernel; where that is not seen, the first one's
 * way counts. */
static void
store_next(struct instance *in, uint32_t piece, uint32_t target)
{
    struct lw_former *f = in->f;
    LLVMValueRef to = LLVMConstInt(f->i32, target, false);

    if (f->parted) {
        to = LLVMConstInt(f->i32, lw_exit_key(f, piece, target), false);
        LLVMBuildStore(f->body, to, lw_want_address(f, f->body, f->sub_group));
        lw_want(f, f->body, to);
        return;
    }
    if (in->region->target_end - in->region->target_begin < 2)
        return;
    if (!f->straight[f->region]) {
        LLVMValueRef first = LLVMBuildICmp(f->body, LLVMIntEQ, f->sub_group, lw_c64(f, 0), "");
        LLVMValueRef before = LLVMBuildLoad2(f->body, f->i32, f->next, "");
        to = LLVMBuildSelect(f->body, first, to, before, "");
    }
    LLVMBuildStore(f->body, to, f->next);
}

static void
write_exit(struct instance *in, uint32_t piece, uint32_t target)
{
    struct lw_former *f = in->f;

    for (uint32_t c = 0; target < f->cuts->region_count && c < f->copies; c++) {
        choose_copy(f, c);
        store_phis(f, f->cuts->regions[target].cut, f->cuts->pieces[piece].block);
    }
    choose_copy(f, 0);
    store_next(in, piece, target);
    LLVMBuildBr(f->body, f->done);
}

/* The block that stands for an edge: the copy of its target, or an exit, one per piece and target. */
static LLVMBasicBlockRef
edge_block(struct instance *in, uint32_t piece, uint32_t to, const uint32_t *place)
{
    struct lw_former *f = in->f;
    uint32_t target = f->cuts->pieces[to].region;

    if (f->cuts->regions[target].cut != to) {
        f->reached[place[to]] = true;
        return in->blocks[place[to]];
    }
    if (f->exit_stamp[target] == f->stamp)
        return f->exits[target];
    LLVMBasicBlockRef back = LLVMGetInsertBlock(f->body);
    f->exits[target] = LLVMAppendBasicBlockInContext(f->context, f->run, "leave");
    f->exit_stamp[target] = f->stamp;
    LLVMPositionBuilderAtEnd(f->body, f->exits[target]);
    write_exit(in, piece, target);
    LLVMPositionBuilderAtEnd(f->body, back);
    return f->exits[target];
}

static void
write_terminator(struct instance *in, uint32_t piece, const uint32_t *place)
{
    struct lw_former *f = in->f;
    const struct lw_piece *p = &f->cuts->pieces[piece];

    if (p->end) {
        write_exit(in, piece, f->cuts->pieces[f->cuts->succs[p->succ_begin]].region);
        return;
    }
    struct lw_carried *v = &f->values[f->piece_values[piece + 1] - 1];
    switch (LLVMGetInstructionOpcode(v->ref)) {
    case LLVMRet:
        write_exit(in, piece, f->cuts->region_count);
        v->now[0] = LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(f->body));
        return;
    case LLVMBr:
    case LLVMSwitch:
    case LLVMUnreachable:
        break;
    default:
        lw_former_fail(f, LW_INTERNAL, "the sub-group function ends a block in an unexpected way");
    }
    LLVMValueRef c =
        LLVMGetNumSuccessors(v->ref) == 2 && LLVMIsABranchInst(v->ref) ? LLVMGetCondition(v->ref) : NULL;
    c = c && LLVMIsAInstruction(c) ? map_operand(f, c) : NULL;
    if (c && LLVMIsAConstantInt(c) && !in->region->irreducible) {
        uint32_t taken = f->cuts->succs[p->succ_begin + (LLVMConstIntGetZExtValue(c) ? 0 : 1)];
        v->now[0] = LLVMBuildBr(f->body, edge_block(in, piece, taken, place));
        return;
    }
    LLVMValueRef copy = LLVMInstructionClone(v->ref);
    map_operands(f, copy, v->ref);
    LLVMInsertIntoBuilder(f->body, copy);
    v->now[0] = copy;
    for (uint32_t e = p->succ_begin; e < p->succ_end; e++)
        LLVMSetSuccessor(copy, e - p->succ_begin, edge_block(in, piece, f->cuts->succs[e], place));
}

/* ---- the instance ---- */

static void
begin_instance(struct instance *in, uint32_t r, uint32_t *place)
{
    struct lw_former *f = in->f;

    in->region = &f->cuts->regions[r];
    f->region = r;
    f->step_stamp++;
    memset(f->mine, 0, sizeof f->mine);
    memset(f->own_queries, 0, sizeof f->own_queries);
    memset(f->reached, 0, in->region->piece_end - in->region->piece_begin);
    f->reached[0] = true;
    for (uint32_t k = in->region->piece_begin; k < in->region->piece_end; k++) {
        in->blocks[k - in->region->piece_begin] = LLVMAppendBasicBlockInContext(f->context, f->run, "");
        place[f->cuts->region_pieces[k]] = k - in->region->piece_begin;
    }
}

static void
end_instance(struct lw_former *f, struct instance *in)
{
    for (uint32_t k = in->region->piece_begin; k < in->region->piece_end; k++) {
        uint32_t piece = f->cuts->region_pieces[k];
        for (uint32_t n = f->piece_values[piece]; n < f->piece_values[piece + 1]; n++)
            memset(f->values[n].now, 0, sizeof f->values[n].now);
    }
    while (f->fetched_count) {
        struct lw_carried *v = &f->values[f->fetched[--f->fetched_count]];
        memset(v->now, 0, sizeof v->now);
    }
}

/* Phis of all copies first, then instruction by instruction. */
static void
write_piece(struct instance *in, uint32_t piece)
{
    struct lw_former *f = in->f;
    uint32_t n = 0, end = f->piece_values[piece + 1] - !f->cuts->pieces[piece].end;

    for (uint32_t c = 0; c < f->copies; c++) {
        choose_copy(f, c);
        n = write_phis(in, piece);
    }
    for (uint32_t c = 0; c < f->copies; c++) {
        choose_copy(f, c);
        leave_phis_behind(f, piece, n);
    }
    for (; n < end; n++) {
        for (uint32_t c = 0; c < f->copies; c++) {
            choose_copy(f, c);
            write_instruction(f, &f->values[n]);
        }
    }
    choose_copy(f, 0);
}

LLVMBasicBlockRef
lw_write_region(struct lw_former *f, uint32_t r)
{
    const struct lw_region *region = &f->cuts->regions[r];
    struct instance in = {.f = f};
    uint32_t count = region->piece_end - region->piece_begin;

    in.blocks = LW_ARENA_NEW(f->arena, LLVMBasicBlockRef, count);
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(f->context, f->run, "region");
    begin_instance(&in, r, f->places);
    choose_copy(f, 0);
    LLVMPositionBuilderAtEnd(f->head, head);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t piece = f->cuts->region_pieces[region->piece_begin + k];
        if (!f->reached[k])
            continue; /* its edges are folded away */
        LLVMPositionBuilderAtEnd(f->body, in.blocks[k]);
        f->stamp++;
        write_piece(&in, piece);
        write_terminator(&in, piece, f->places);
    }
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t c = 0; f->reached[k] && c < f->copies; c++) {
            choose_copy(f, c);
            complete_phis(&in, f->cuts->region_pieces[region->piece_begin + k]);
        }
    }
    choose_copy(f, 0);
    LLVMBuildBr(f->head, in.blocks[0]);
    for (uint32_t k = 0; k < count; k++)
        if (!f->reached[k])
            LLVMDeleteBasicBlock(in.blocks[k]);
    end_instance(f, &in);
    return head;
}
