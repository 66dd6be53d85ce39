/* SPDX-License-Identifier: MIT */
/* Decides how each value of the sub-group function reaches the regions that do not compute it, and lays out
 * the frame.
 *
 * Enters: the function and its cuts.
 * Leaves: lw_carried of every instruction, lw_frame.
 * Relies on: SSA: where a value is used in another region, its definition dominates that region's cut, so
 * what was last stored is the value, and what its operands hold there is what they held where it was
 * computed. Never: changes the function.
 */
#include "../facts/calls.h"
#include "fold.h"
#include "../facts/integers.h"
#include "../facts/kept.h"
#include "../lanes/internal.h"
#include "regions.h"

#define REALLY_CHEAP 4 /* instructions that are computed again rather than stored and loaded */
/* The same, of scalars, and where they are constants once sub-groups are written out. */
#define FIXED_CHEAP 6
/* Rooms of one region: real allocas up to here, so that SROA still sees them. */
#define STACK_ROOM (16u * 1024)
/* The same, of scratch. */
#define STACK_SCRATCH (8u * 1024)

/* ---- numbering ---- */

static void
number_values(struct lw_former *f)
{
    struct lw_cuts *c = f->cuts;
    uint32_t n = 0;

    f->piece_values = LW_ARENA_NEW(f->arena, uint32_t, c->piece_count + 1);
    for (int round = 0; round < 2; round++) {
        if (round) {
            f->values = LW_ARENA_NEW(f->arena, struct lw_carried, n);
            f->numbers = lw_value_map_create(f->arena, n);
        }
        n = 0;
        for (uint32_t p = 0; p < c->piece_count; p++) {
            f->piece_values[p] = n;
            for (LLVMValueRef i = c->pieces[p].first; i && i != c->pieces[p].end;
                 i = LLVMGetNextInstruction(i)) {
                if (round) {
                    f->values[n] = (struct lw_carried){.ref = i, .region = c->pieces[p].region};
                    f->values[n].cut_phi = LLVMIsAPHINode(i) && c->regions[c->pieces[p].region].cut == p;
                    f->values[n].query = (uint8_t)lw_query_of(i);
                    lw_value_map_add(f->numbers, i, n);
                }
                n++;
            }
        }
        f->piece_values[c->piece_count] = n;
    }
    f->value_count = n;
}

struct lw_carried *
lw_find_carried(struct lw_former *f, LLVMValueRef ref)
{
    uint32_t n = LLVMIsAInstruction(ref) ? lw_value_map_get(f->numbers, ref) : LW_NONE;
    return n == LW_NONE ? NULL : &f->values[n];
}

uint32_t
lw_edge_region(struct lw_former *f, LLVMBasicBlockRef block)
{
    struct lw_carried *last = lw_find_carried(f, LLVMGetBasicBlockTerminator(block));
    return last ? last->region : LW_NONE;
}

/* ---- what is cheap to compute again ---- */

static uint8_t
own_cost(struct lw_former *f, const struct lw_carried *v)
{
    if (v->query != LW_Q_NONE) {
        if (v->query != LW_Q_LOCAL_IDS || f->shape->work_dim == 1 || f->shape->flat)
            return v->query <= LW_Q_LAST_OF_GROUP || v->query == LW_Q_SUB_GROUP_ID ? 0 : 1;
        return LW_DEAR; /* divisions */
    }
    LLVMOpcode op = LLVMGetInstructionOpcode(v->ref);
    switch (op) {
    case LLVMInsertElement: /* half a splat */
        return LLVMIsUndef(LLVMGetOperand(v->ref, 0)) || LLVMIsPoison(LLVMGetOperand(v->ref, 0)) ? 0 : 1;
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMGetElementPtr:
    case LLVMICmp:
    case LLVMSelect:
    case LLVMExtractElement:
    case LLVMShuffleVector:
        return 1;
    case LLVMAlloca:
        return 0;
    default:
        return lw_is_int_operation(op) || lw_is_int_cast(op) ? 1 : LW_DEAR;
    }
}

/* A number that the sub-group's number decides. */
static bool
is_fixed(struct lw_former *f, const struct lw_carried *v)
{
    if (v->query != LW_Q_NONE)
        return v->query == LW_Q_SUB_GROUP_ID;
    if (LLVMIsACallInst(v->ref) || !lw_may_fold(v->ref))
        return false;
    for (int k = 0; k < LLVMGetNumOperands(v->ref); k++) {
        LLVMValueRef x = LLVMGetOperand(v->ref, (unsigned)k);
        const struct lw_carried *from = lw_find_carried(f, x);
        if (from ? !from->fixed || from->cost == LW_DEAR : !LLVMIsConstant(x))
            return false;
    }
    return true;
}

/* At a constant distance from an address: one slot, of that address, serves all such. */
static bool
is_near(LLVMValueRef i)
{
    bool near = LLVMIsAGetElementPtrInst(i) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind;

    for (int k = 1; near && k < LLVMGetNumOperands(i); k++)
        near = LLVMIsAConstantInt(LLVMGetOperand(i, (unsigned)k)) != NULL;
    return near;
}

/* A lane of a vector of which others are taken as well: its slot serves them all, and they are read there. */
static bool
is_one_of_many(LLVMValueRef i)
{
    if (!LLVMIsAExtractElementInst(i) || !LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
        return false;
    LLVMValueRef vector = LLVMGetOperand(i, 0);
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(vector)), taken = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(vector); u && 2 * taken < lanes; u = LLVMGetNextUse(u))
        taken += LLVMIsAExtractElementInst(LLVMGetUser(u)) != NULL;
    return 2 * taken >= lanes;
}

static void
find_costs(struct lw_former *f)
{
    for (uint32_t n = 0; n < f->value_count; n++) {
        struct lw_carried *v = &f->values[n];
        v->fixed = is_fixed(f, v);
        unsigned cost = v->fixed && LLVMIsAFreezeInst(v->ref) ? 0 : own_cost(f, v);
        bool scalar = LLVMGetTypeKind(LLVMTypeOf(v->ref)) != LLVMVectorTypeKind;
        unsigned cheap = v->fixed || scalar ? FIXED_CHEAP : REALLY_CHEAP;
        int operands = v->query != LW_Q_NONE ? 0 : LLVMGetNumOperands(v->ref);
        for (int k = 0; k < operands && cost <= cheap; k++) {
            const struct lw_carried *x = lw_find_carried(f, LLVMGetOperand(v->ref, (unsigned)k));
            if (x && !x->uniform &&
                !(x->carrier == LW_CARRY_SLOT && (is_near(v->ref) || is_one_of_many(v->ref))))
                cost += x->cost;
        }
        v->cost = cost <= cheap ? (uint8_t)cost : LW_DEAR;
        bool free_query = v->query != LW_Q_NONE && v->cost == 0;
        v->carrier = LLVMIsAAllocaInst(v->ref)   ? LW_CARRY_ROOM
                     : v->uniform && !free_query ? LW_CARRY_GROUP
                     : v->cost != LW_DEAR        ? LW_CARRY_COMPUTE
                                                 : LW_CARRY_SLOT;
    }
}

/* Depth is bounded: LW_CARRY_COMPUTE takes at most FIXED_CHEAP instructions, and as many halves of splats.
 */
static void
want_outside(struct lw_former *f, struct lw_carried *v)
{
    if (v->external)
        return;
    v->external = true;
    if (v->carrier != LW_CARRY_COMPUTE || v->query != LW_Q_NONE)
        return;
    for (int k = 0; k < LLVMGetNumOperands(v->ref); k++) {
        struct lw_carried *x = lw_find_carried(f, LLVMGetOperand(v->ref, (unsigned)k));
        if (x)
            want_outside(f, x);
    }
}

static void
find_external(struct lw_former *f)
{
    for (uint32_t n = 0; n < f->value_count; n++) {
        const struct lw_carried *user = &f->values[n];
        bool phi = LLVMIsAPHINode(user->ref) != NULL;
        int operands = phi ? (int)LLVMCountIncoming(user->ref) : LLVMGetNumOperands(user->ref);
        for (int k = 0; k < operands; k++) {
            LLVMValueRef x =
                phi ? LLVMGetIncomingValue(user->ref, (unsigned)k) : LLVMGetOperand(user->ref, (unsigned)k);
            struct lw_carried *v = lw_find_carried(f, x);
            if (!v)
                continue;
            uint32_t at =
                phi ? lw_edge_region(f, LLVMGetIncomingBlock(user->ref, (unsigned)k)) : user->region;
            if (at != LW_NONE && at != v->region)
                want_outside(f, v);
        }
    }
}

/* ---- private memory: which regions see it ---- */

#define EVERYWHERE (LW_NONE - 1)

static uint32_t
join(uint32_t a, uint32_t b)
{
    return a == LW_NONE || a == b ? b : b == LW_NONE ? a : EVERYWHERE;
}

/* Where this use lets the address be dereferenced: a region, or EVERYWHERE where it gets away. */
static uint32_t
use_reach(const struct lw_carried *user, LLVMValueRef address)
{
    switch (LLVMGetInstructionOpcode(user->ref)) {
    case LLVMStore:
        return LLVMGetOperand(user->ref, 0) == address ? EVERYWHERE : user->region;
    case LLVMLoad:
    case LLVMICmp:
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMExtractElement:
    case LLVMFreeze:
        return user->region;
    case LLVMCall: {
        /* The masked stores and scatters take what they store first; addresses come second there. */
        bool stored = LLVMGetTypeKind(LLVMTypeOf(user->ref)) == LLVMVoidTypeKind &&
                      LLVMGetOperand(user->ref, 0) == address && lw_is_call_like(user->ref, "llvm.masked.");
        return lw_is_call_like(user->ref, "llvm.") && !stored ? user->region : EVERYWHERE;
    }
    default: /* integers made of addresses, aggregates, atomics that may store them, terminators */
        return EVERYWHERE;
    }
}

static bool
passes_address_on(LLVMValueRef user)
{
    return LLVMGetTypeKind(lw_lane_element(user)) == LLVMPointerTypeKind && !LLVMIsALoadInst(user);
}

/* reach[v]: the one region in which memory that v points to is accessed through v. Goes up from uses to
 * definitions until nothing changes; each value changes at most twice. */
static uint32_t *
find_reach(struct lw_former *f)
{
    uint32_t *reach = lw_arena_fill(f->arena, f->value_count, LW_NONE);
    uint32_t *list = LW_ARENA_NEW(f->arena, uint32_t, 3 * (size_t)f->value_count + 1), count = 0;

    for (uint32_t n = f->value_count; n-- > 0;)
        if (LLVMIsAAllocaInst(f->values[n].ref) || passes_address_on(f->values[n].ref))
            list[count++] = n;
    for (uint32_t k = 0; k < count; k++) { /* direct uses first */
        const struct lw_carried *v = &f->values[list[k]];
        for (LLVMUseRef u = LLVMGetFirstUse(v->ref); u; u = LLVMGetNextUse(u)) {
            const struct lw_carried *user = lw_find_carried(f, LLVMGetUser(u));
            if (user)
                reach[list[k]] = join(reach[list[k]], use_reach(user, v->ref));
        }
    }
    while (count) {
        uint32_t n = list[--count];
        LLVMValueRef ref = f->values[n].ref;
        if (!passes_address_on(ref) || LLVMIsAAllocaInst(ref))
            continue;
        int operands = LLVMIsAPHINode(ref) ? (int)LLVMCountIncoming(ref) : LLVMGetNumOperands(ref);
        for (int k = 0; k < operands; k++) {
            LLVMValueRef x = LLVMIsAPHINode(ref) ? LLVMGetIncomingValue(ref, (unsigned)k)
                                                 : LLVMGetOperand(ref, (unsigned)k);
            struct lw_carried *v = lw_find_carried(f, x);
            uint32_t met = v ? join(reach[v - f->values], reach[n]) : 0;
            if (!v || met == reach[v - f->values])
                continue;
            reach[v - f->values] = met;
            list[count++] = (uint32_t)(v - f->values);
        }
    }
    return reach;
}

/* ---- the frame ---- */

static uint64_t
place(uint64_t *end, uint64_t size, uint64_t align)
{
    uint64_t at = (*end + align - 1) / align * align;
    *end = at + size;
    return at;
}

static uint64_t
room_size(struct lw_former *f, LLVMValueRef room)
{
    LLVMValueRef count = LLVMGetOperand(room, 0);
    if (!LLVMIsAConstantInt(count))
        lw_former_fail(f, LW_INTERNAL, "private memory of variable size");
    uint64_t each = LLVMABISizeOfType(f->layout, LLVMGetAllocatedType(room)),
             n = LLVMConstIntGetZExtValue(count);
    if (each && n > (1ull << 31) / each)
        lw_former_fail(f, LW_OUT_OF_MEMORY, "private memory of more than 2 GiB");
    return each * n;
}

static uint64_t
room_align(LLVMValueRef room)
{
    unsigned a = LLVMGetAlignment(room);
    return a > LW_FRAME_ALIGN ? LW_FRAME_ALIGN : a ? a : 64;
}

/* So that what lies behind it, parts of sub-groups one behind the other, is aligned as all its rooms are. */
static uint64_t
whole(struct lw_former *f, uint64_t size)
{
    uint64_t align = 64;
    for (uint32_t n = 0; n < f->value_count; n++)
        if (f->values[n].carrier == LW_CARRY_ROOM && room_align(f->values[n].ref) > align)
            align = room_align(f->values[n].ref);
    return (size + align - 1) / align * align;
}

static void
place_rooms(struct lw_former *f)
{
    bool one_region = f->cuts->region_count == 1;
    uint32_t *reach = find_reach(f);
    uint64_t stack = 0;

    for (uint32_t n = 0; n < f->value_count; n++) {
        struct lw_carried *v = &f->values[n];
        if (v->carrier != LW_CARRY_ROOM)
            continue;
        uint64_t size = room_size(f, v->ref);
        size_t length;
        bool kept = strncmp(LLVMGetValueName2(v->ref, &length), LW_KEPT_ROOM, sizeof LW_KEPT_ROOM - 1) == 0;
        uint32_t r = kept ? LW_NONE : reach[n];
        if (one_region || r == LW_NONE || (r != EVERYWHERE && !f->cuts->regions[r].cyclic)) {
            v->room = stack + size <= STACK_ROOM ? LW_ROOM_STACK
                      : f->turns                 ? LW_ROOM_SUB_GROUP
                                                 : LW_ROOM_FIXED;
            if (v->room == LW_ROOM_STACK)
                stack += size;
            else if (f->turns)
                v->offset = place(&f->frame.per_sub_group, size, room_align(v->ref));
            else
                v->offset = place(&f->frame.fixed, size, room_align(v->ref));
        } else {
            v->room = LW_ROOM_SUB_GROUP;
            v->offset = place(&f->frame.per_sub_group, size, room_align(v->ref));
        }
    }
}

LLVMTypeRef
lw_stored_type(struct lw_former *f, const struct lw_carried *v)
{
    LLVMTypeRef type = LLVMTypeOf(v->ref);

    if (type == f->i1)
        return f->i8;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetElementType(type) != f->i1)
        return type;
    /* Before AVX-512 a mask in bits costs tens of instructions to spread again (DESIGN, traps). */
    unsigned n = LLVMGetVectorSize(type);
    bool registers = lw_isa_row((lw_isa)f->shape->isa)->mask_registers;
    bool bits = (registers || v->as_bits) && n >= 8 && n <= 64 && (n & (n - 1)) == 0;
    return bits ? LLVMIntTypeInContext(f->context, n) : LLVMVectorType(f->i8, n);
}

/* Is a mask asked for its bits alone outside of its region? */
static bool
is_bits_elsewhere(struct lw_former *f, const struct lw_carried *v)
{
    LLVMTypeRef type = LLVMTypeOf(v->ref);

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetElementType(type) != f->i1 || v->cut_phi)
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(v->ref); u; u = LLVMGetNextUse(u)) {
        const struct lw_carried *user = lw_find_carried(f, LLVMGetUser(u));
        bool outside = user && (user->region != v->region || user->external || LLVMIsAPHINode(user->ref));
        if (outside &&
            !(LLVMIsABitCastInst(user->ref) && LLVMGetTypeKind(LLVMTypeOf(user->ref)) == LLVMIntegerTypeKind))
            return false;
    }
    return true;
}

static void
place_slots(struct lw_former *f)
{
    for (uint32_t n = 0; n < f->value_count; n++)
        f->values[n].as_bits = f->values[n].external && is_bits_elsewhere(f, &f->values[n]);
    for (unsigned align = 64; align; align /= 2) {
        for (uint32_t n = 0; n < f->value_count; n++) {
            struct lw_carried *v = &f->values[n];
            if (v->carrier != LW_CARRY_SLOT || !(v->external || v->cut_phi))
                continue;
            if (LLVMGetTypeKind(LLVMTypeOf(v->ref)) == LLVMVoidTypeKind)
                continue;
            LLVMTypeRef type = lw_stored_type(f, v);
            unsigned wants = LLVMABIAlignmentOfType(f->layout, type);
            if ((wants > 64 ? 64 : wants) == align)
                v->offset = place(&f->frame.per_sub_group, LLVMABISizeOfType(f->layout, type), align);
        }
    }
}

static void
place_scratch(struct lw_former *f)
{
    uint64_t stack = 0;

    for (int round = 0; round < 2; round++) {
        for (uint32_t n = 0; n < f->value_count; n++) {
            const struct lw_carried *v = &f->values[n];
            if (v->query == LW_Q_UNKNOWN)
                lw_former_fail(f, LW_INTERNAL, "%s is left in the sub-group function",
                               LLVMGetValueName(LLVMGetCalledValue(v->ref)));
            if (v->query != LW_Q_GROUP_SCRATCH)
                continue;
            LLVMValueRef k = LLVMGetOperand(v->ref, 0), bytes = LLVMGetOperand(v->ref, 1);
            if (!LLVMIsAConstantInt(k) || !LLVMIsAConstantInt(bytes) ||
                LLVMConstIntGetZExtValue(k) >= 1u << 20)
                lw_former_fail(f, LW_INTERNAL, "lw.group_scratch without constants");
            uint64_t piece = LLVMConstIntGetZExtValue(k), size = LLVMConstIntGetZExtValue(bytes);
            if (!round && piece >= f->scratch_count)
                f->scratch_count = (uint32_t)piece + 1;
            if (round && f->scratch[piece].size < size)
                f->scratch[piece].size = size;
        }
        if (!round)
            f->scratch = LW_ARENA_NEW(f->arena, struct lw_scratch, f->scratch_count);
    }
    for (uint32_t k = 0; k < f->scratch_count; k++) {
        struct lw_scratch *piece = &f->scratch[k];
        piece->on_stack = !f->turns && stack + piece->size <= STACK_SCRATCH;
        if (piece->on_stack)
            stack += piece->size;
        else
            piece->offset = place(&f->frame.fixed, piece->size, LW_SCRATCH_ALIGN);
    }
}

void
lw_plan_values(struct lw_former *f)
{
    number_values(f);
    lw_find_group_uniform(f);
    if (lw_sub_groups_part(f)) {
        f->parted = true;
        lw_find_group_uniform(f);
    }
    find_costs(f);
    find_external(f);
    place_scratch(f);
    place_slots(f);
    place_rooms(f);
    if (f->parted)
        f->want = place(&f->frame.per_sub_group, 4, 4);
    f->frame.fixed = whole(f, f->frame.fixed);
    f->frame.per_sub_group = whole(f, f->frame.per_sub_group);
}
