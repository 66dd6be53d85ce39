/* SPDX-License-Identifier: MIT */
/* Loads, stores, copies, addresses, pointer casts. Address arithmetic is by lw_type_layout alone; composites
 * move member by member, so that padding and the fourth element of a vec3 are never touched. */
#include "chains.h"
#include "emitter.h"

#include <stdlib.h>

#define MOST_ROOM (1u << 20) /* bytes of an array that is declared as a pointer */

V
lw_to_storage(lw_emitter *e, V pointer, T type)
{
    if (e->failed || !pointer || !type)
        return NULL;
    if (LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind) {
        lw_emit_fail(e, "a pointer operand that is no pointer");
        return NULL;
    }
    return LLVMTypeOf(pointer) == type ? pointer : LLVMBuildAddrSpaceCast(e->b, pointer, type, "");
}

V
lw_load_plain(lw_emitter *e, T type, V pointer, unsigned align, bool is_volatile)
{
    if (e->failed || !pointer)
        return NULL;
    bool is_bool = lw_scalar(type) == e->i1;
    V value = LLVMBuildLoad2(e->b, is_bool ? lw_like(e->i8, type) : type, pointer, "");
    LLVMSetAlignment(value, align);
    LLVMSetVolatile(value, is_volatile);
    return is_bool ? LLVMBuildICmp(e->b, LLVMIntNE, value, lw_int(LLVMTypeOf(value), 0), "") : value;
}

void
lw_store_plain(lw_emitter *e, V value, V pointer, unsigned align, bool is_volatile)
{
    if (e->failed || !pointer || !value)
        return;
    T type = LLVMTypeOf(value);
    if (lw_scalar(type) == e->i1)
        value = LLVMBuildZExt(e->b, value, lw_like(e->i8, type), "");
    V store = LLVMBuildStore(e->b, value, pointer);
    LLVMSetAlignment(store, align);
    LLVMSetVolatile(store, is_volatile);
}

struct leaves {
    bool is_store, is_volatile;
    unsigned count;
};

static unsigned
align_at(unsigned align, uint64_t offset)
{
    uint64_t both = align | offset;
    return offset ? (unsigned)(both & (~both + 1)) : align;
}

/* Loads (returning the value) or stores `value`, one access per scalar or vector inside. */
static V
move(lw_emitter *e, uint32_t id, V value, V pointer, unsigned align, struct leaves *leaves)
{
    const struct lw_inst *t = lw_def(e->spv, id);
    T type = lw_emit_type(e, id);
    if (!e->failed && ++leaves->count > LW_MAX_LEAVES)
        lw_emit_fail(e, "a composite value of more than %u parts", LW_MAX_LEAVES);
    if (e->failed || !t || !pointer)
        return NULL;
    if (t->op != SpvOpTypeStruct && t->op != SpvOpTypeArray) {
        if (leaves->is_store)
            lw_store_plain(e, value, pointer, align, leaves->is_volatile);
        else
            return lw_load_plain(e, type, pointer, align, leaves->is_volatile);
        return NULL;
    }
    if (++e->nesting > LW_MAX_NESTING)
        lw_emit_fail(e, "types nested deeper than %u", LW_MAX_NESTING);
    V result = LLVMConstNull(type);
    bool is_struct = t->op == SpvOpTypeStruct;
    uint32_t element = is_struct ? 0 : lw_part_type(e, id, 0);
    uint64_t stride = is_struct ? 0 : lw_size_of(e, element);
    for (unsigned i = 0; i < lw_parts(type) && !e->failed; i++) {
        uint64_t offset = is_struct ? lw_member_offset(e->spv, id, i) : i * stride;
        V by = lw_int(e->i64, offset);
        V at = offset ? LLVMBuildInBoundsGEP2(e->b, e->i8, pointer, &by, 1, "") : pointer;
        V part = leaves->is_store ? LLVMBuildExtractValue(e->b, value, i, "") : NULL;
        part =
            move(e, is_struct ? lw_part_type(e, id, i) : element, part, at, align_at(align, offset), leaves);
        if (!leaves->is_store && !e->failed)
            result = LLVMBuildInsertValue(e->b, result, part, i, "");
    }
    e->nesting--;
    return result;
}

V
lw_load(lw_emitter *e, uint32_t type, V pointer, unsigned align, bool is_volatile)
{
    struct leaves leaves = {.is_volatile = is_volatile};
    return move(e, type, NULL, pointer, align, &leaves);
}

static void
store_value(lw_emitter *e, uint32_t type, V value, V pointer, unsigned align, bool is_volatile)
{
    struct leaves leaves = {.is_store = true, .is_volatile = is_volatile};
    if (value)
        move(e, type, value, pointer, align, &leaves);
}

/* Memory operands at operand `n`: the alignment promised, or `align`. Returns the operand after them. */
static unsigned
memory_operands(lw_emitter *e, unsigned n, unsigned *align, bool *is_volatile)
{
    uint32_t mask = lw_operand(e, n);
    if (n >= e->inst->count)
        return n;
    *is_volatile = mask & SpvMemoryAccessVolatileMask;
    n++;
    if (mask & SpvMemoryAccessAlignedMask) {
        uint32_t promised = lw_alignment(lw_operand(e, n++));
        if (promised)
            *align = promised;
        else
            lw_emit_fail(e, "an alignment that is no power of two");
    }
    return n;
}

static void
emit_load(lw_emitter *e)
{
    uint32_t pointer = lw_operand(e, 3), type = e->inst->type;
    bool is_volatile = false;
    if (lw_is_input(e, pointer)) {
        V value = lw_load_input(e, pointer, type);
        if (value)
            lw_emit_result(e, value);
        return;
    }
    unsigned align = lw_align_of(e, type);
    memory_operands(e, 4, &align, &is_volatile);
    lw_emit_result(e, lw_load(e, type, lw_operand_value(e, 3), align, is_volatile));
}

static void
emit_store(lw_emitter *e)
{
    uint32_t type = lw_type_of(e->spv, lw_operand(e, 2));
    bool is_volatile = false;
    unsigned align = lw_align_of(e, type);
    memory_operands(e, 3, &align, &is_volatile);
    V value = lw_operand_value(e, 2), pointer = lw_operand_value(e, 1);
    store_value(e, type, value, pointer, align, is_volatile);
    lw_show_store(e, lw_operand(e, 1), value);
}

static void
emit_copy(lw_emitter *e)
{
    bool sized = e->inst->op == SpvOpCopyMemorySized, is_volatile = false, source_volatile = false;
    uint32_t to_type = lw_type_of(e->spv, lw_operand(e, 1)), from_type = lw_type_of(e->spv, lw_operand(e, 2));
    unsigned to_align = 1, from_align = 1, n = sized ? 4 : 3;
    if (!sized) {
        to_align = lw_align_of(e, lw_pointee(e, to_type));
        from_align = lw_align_of(e, lw_pointee(e, from_type));
    }
    n = memory_operands(e, n, &to_align, &is_volatile);
    if (e->inst->count > (sized ? 4 : 3))
        from_align = to_align;
    memory_operands(e, n, &from_align, &source_volatile);
    V to = lw_operand_value(e, 1), from = lw_operand_value(e, 2), size;
    size = sized ? lw_operand_value(e, 3) : lw_int(e->i64, lw_size_of(e, lw_pointee(e, to_type)));
    if (e->failed)
        return;
    V copy = LLVMBuildMemCpy(e->b, to, to_align, from, from_align, size);
    if (is_volatile || source_volatile)
        LLVMSetOperand(copy, 3, lw_int(e->i1, 1));
}

/* Where in a variable a pointer leads; variable 0: nobody knows. */
struct place {
    uint32_t variable;
    uint64_t offset;
};

static struct place
place_of(lw_emitter *e, const struct lw_inst *i, const struct place *places)
{
    struct place at = {0, 0};
    switch (i->op) {
    case SpvOpVariable: return (struct place){i->result, 0};
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop: return places[lw_word(e->spv, i, 1)];
    case SpvOpBitcast: return places[lw_word(e->spv, i, 3)];
    default:
        if (lw_is_access_chain(i->op))
            at = places[lw_word(e->spv, i, 3)];
        if (at.variable && (!lw_chain_offset(e->spv, i, &at.offset) || at.offset > MOST_ROOM))
            at.variable = 0;
        return at;
    }
}

/* clang-22 declares some private arrays of pointers as one pointer or one row, or what a pointer that it is
 * compared with leads to: what the variable and its places are cast to, constant indices into it, and what
 * its lifetime is told of, show its size. By id of the variable. */
static void
find_rooms(lw_emitter *e)
{
    const lw_module *m = e->spv;
    struct place *places = calloc(m->bound, sizeof *places);
    e->rooms = calloc(m->bound, sizeof *e->rooms);
    for (uint32_t n = m->global_count; e->rooms && places && n < m->inst_count; n++) {
        const struct lw_inst *i = &m->insts[n];
        struct place at = place_of(e, i, places);
        struct lw_layout layout;
        uint64_t bytes = at.offset;
        if (!at.variable)
            continue;
        if (i->op == SpvOpLifetimeStart || i->op == SpvOpLifetimeStop)
            bytes += lw_word(m, i, 2);
        else if (lw_type_layout(m, lw_pointee(e, i->type), &layout))
            bytes += layout.size;
        if (i->result)
            places[i->result] = at;
        if (bytes <= MOST_ROOM && bytes > e->rooms[at.variable])
            e->rooms[at.variable] = (uint32_t)bytes;
    }
    free(places);
    if (!e->rooms || !places)
        lw_emit_fail(e, "no memory for the sizes of variables");
}

/* `aligned`: to more than its type asks for. */
static T
room_of_variable(lw_emitter *e, uint32_t pointee, bool aligned)
{
    uint32_t part = pointee;
    while (part && lw_op_of(e->spv, part) == SpvOpTypeArray)
        part = lw_part_type(e, part, 0);
    bool doubtful = aligned || (part && lw_op_of(e->spv, part) == SpvOpTypePointer);
    if (doubtful && !e->rooms)
        find_rooms(e);
    bool more = doubtful && !e->failed && e->rooms[e->inst->result] > lw_size_of(e, pointee);
    return more ? LLVMArrayType2(e->i8, e->rooms[e->inst->result]) : lw_emit_memory_type(e, pointee);
}

static void
emit_variable(lw_emitter *e)
{
    uint32_t pointee = lw_pointee(e, e->inst->type);
    unsigned align = lw_align_of(e, pointee), asked = lw_alignment_asked(e->spv, e->inst->result);
    asked = asked < LW_MAX_PRIVATE_ALIGN ? asked : LW_MAX_PRIVATE_ALIGN;
    T room = room_of_variable(e, pointee, asked > align);
    align = asked > align ? asked : align;
    V slot = lw_alloca(e, room, align, lw_name_of(e->spv, e->inst->result));
    if (e->inst->count > 4)
        store_value(e, pointee, lw_operand_value(e, 4), slot, lw_align_of(e, pointee), false);
    lw_emit_result(e, slot);
}

static V
step(lw_emitter *e, T element, V pointer, V index, bool in_bounds)
{
    if (e->failed || !element || !pointer || !index)
        return NULL;
    return in_bounds ? LLVMBuildInBoundsGEP2(e->b, element, pointer, &index, 1, "")
                     : LLVMBuildGEP2(e->b, element, pointer, &index, 1, "");
}

/* One index of an access chain: moves `pointer`, returns the type it now points to. `declared`: the
 * instruction's pointee where this is the last index, else 0; see lw_chain_offset. */
static uint32_t
descend(lw_emitter *e, uint32_t type, V *pointer, uint32_t index, uint32_t declared, bool in_bounds)
{
    uint32_t part = lw_indexed_type(e->spv, type, index);
    uint64_t member;
    if (!part) {
        lw_emit_fail(e, "index %%%u into type %%%u", index, type);
        return 0;
    }
    if (lw_op_of(e->spv, type) == SpvOpTypeStruct && lw_constant_bits(e->spv, index, &member)) {
        *pointer = step(e, e->i8, *pointer, lw_int(e->i64, lw_member_offset(e->spv, type, (uint32_t)member)),
                        true);
        return part;
    }
    type = declared ? declared : part;
    *pointer = step(e, lw_emit_memory_type(e, type), *pointer, lw_emit_value(e, index), in_bounds);
    return type;
}

/* Into a built-in variable: elements first, then components. */
static void
index_input(lw_emitter *e, uint32_t base, bool has_element)
{
    uint32_t type = lw_pointee(e, lw_type_of(e->spv, base));
    V offset = NULL;
    for (unsigned n = 4; n < e->inst->count && !e->failed; n++) {
        type = n == 4 && has_element ? type : lw_part_type(e, type, 0);
        V index = lw_operand_value(e, n);
        if (e->failed || !type || LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind) {
            lw_emit_fail(e, "an index into a built-in variable");
            return;
        }
        index = LLVMBuildIntCast2(e->b, index, e->i64, true, "");
        index = LLVMBuildMul(e->b, index, lw_int(e->i64, lw_size_of(e, type)), "");
        offset = offset ? LLVMBuildAdd(e->b, offset, index, "") : index;
    }
    if (!e->failed)
        lw_derive_input(e, base, offset);
}

static void
emit_access_chain(lw_emitter *e)
{
    uint32_t op = e->inst->op;
    bool has_element = lw_chain_has_element(op);
    bool in_bounds = op == SpvOpInBoundsAccessChain || op == SpvOpInBoundsPtrAccessChain;
    uint32_t base = lw_operand(e, 3), type = lw_pointee(e, lw_type_of(e->spv, base));
    uint32_t declared = lw_pointee(e, e->inst->type);
    unsigned n = 4, last = e->inst->count - 1u;
    if (lw_is_input(e, base)) {
        index_input(e, base, has_element);
        return;
    }
    V pointer = lw_operand_value(e, 3);
    if (has_element) {
        uint32_t stride = n == last ? declared : type;
        pointer = step(e, lw_emit_memory_type(e, stride), pointer, lw_operand_value(e, n++), in_bounds);
    }
    for (; n <= last && !e->failed; n++)
        type = descend(e, type, &pointer, lw_operand(e, n), n == last ? declared : 0, in_bounds);
    lw_emit_result(e, pointer);
}

/* The storage class a pointer had before it became generic, as far as the module shows; Generic where it does
 * not. */
uint32_t
lw_storage_origin(const lw_emitter *e, uint32_t id)
{
    for (unsigned i = 0; i < 1000; i++) {
        const struct lw_inst *inst = lw_def(e->spv, id);
        uint32_t storage = lw_storage_of(e, lw_type_of(e->spv, id));
        if (storage != SpvStorageClassGeneric || !inst)
            return storage;
        if (!lw_derives_pointer(inst->op))
            return storage;
        id = lw_word(e->spv, inst, 3);
    }
    return SpvStorageClassGeneric;
}

V
lw_is_in_space(lw_emitter *e, uint32_t pointer_id, V pointer, unsigned space)
{
    uint32_t from = lw_storage_origin(e, pointer_id);
    if (e->failed)
        return NULL;
    if (from != SpvStorageClassGeneric)
        return lw_int(e->i1, lw_address_space_of(e, from) == space);
    V call = lw_call(e, "lw.space_of", e->i32, &pointer, 1);
    return call ? LLVMBuildICmp(e->b, LLVMIntEQ, call, lw_int(e->i32, space), "") : NULL;
}

V
lw_cast_explicit(lw_emitter *e, uint32_t pointer_id, V pointer, unsigned space)
{
    T type = LLVMPointerTypeInContext(e->context, space);
    V there = lw_is_in_space(e, pointer_id, pointer, space), cast = lw_to_storage(e, pointer, type);
    return cast && there ? LLVMBuildSelect(e->b, there, cast, LLVMConstNull(type), "") : NULL;
}

static void
emit_pointer_semantics(lw_emitter *e)
{
    T type = lw_emit_type(e, e->inst->type);
    uint32_t id = lw_operand(e, 3);
    V pointer = lw_operand_value(e, 3);
    V local = lw_is_in_space(e, id, pointer, LW_AS_LOCAL),
      global = lw_is_in_space(e, id, pointer, LW_AS_GLOBAL);
    if (e->failed || !type)
        return;
    V rest = LLVMBuildSelect(e->b, global, lw_int(type, SpvMemorySemanticsCrossWorkgroupMemoryMask),
                             lw_int(type, SpvMemorySemanticsMaskNone), "");
    lw_emit_result(
        e, LLVMBuildSelect(e->b, local, lw_int(type, SpvMemorySemanticsWorkgroupMemoryMask), rest, ""));
}

static void
emit_pointer_difference(lw_emitter *e)
{
    uint32_t op = e->inst->op;
    T type = lw_emit_type(e, e->inst->type);
    V a = lw_operand_value(e, 3), b = lw_operand_value(e, 4);
    if (e->failed)
        return;
    b = lw_to_storage(e, b, LLVMTypeOf(a));
    if (op != SpvOpPtrDiff) {
        lw_emit_result(e, LLVMBuildICmp(e->b, op == SpvOpPtrEqual ? LLVMIntEQ : LLVMIntNE, a, b, ""));
        return;
    }
    uint64_t size = lw_size_of(e, lw_pointee(e, lw_type_of(e->spv, lw_operand(e, 3))));
    if (e->failed || !size)
        return;
    V bytes = LLVMBuildSub(e->b, LLVMBuildPtrToInt(e->b, a, e->i64, ""),
                           LLVMBuildPtrToInt(e->b, b, e->i64, ""), "");
    lw_emit_result(e, LLVMBuildIntCast2(e->b, LLVMBuildExactSDiv(e->b, bytes, lw_int(e->i64, size), ""), type,
                                        true, ""));
}

bool
lw_emit_memory(lw_emitter *e)
{
    switch (e->inst->op) {
    case SpvOpVariable: emit_variable(e); return true;
    case SpvOpLoad: emit_load(e); return true;
    case SpvOpStore: emit_store(e); return true;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized: emit_copy(e); return true;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain: emit_access_chain(e); return true;
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
        if (lw_casts_handle(e->spv, e->inst))
            return false;
        if (lw_derive_input(e, lw_operand(e, 3), NULL))
            return true;
        lw_emit_result(e, lw_to_storage(e, lw_operand_value(e, 3), lw_emit_type(e, e->inst->type)));
        return true;
    case SpvOpGenericCastToPtrExplicit:
        lw_emit_result(e, lw_cast_explicit(e, lw_operand(e, 3), lw_operand_value(e, 3),
                                           lw_address_space_of(e, lw_storage_of(e, e->inst->type))));
        return true;
    case SpvOpGenericPtrMemSemantics: emit_pointer_semantics(e); return true;
    case SpvOpPtrEqual:
    case SpvOpPtrNotEqual:
    case SpvOpPtrDiff: emit_pointer_difference(e); return true;
    case SpvOpSizeOf:
        lw_emit_result(e, lw_int(lw_emit_type(e, e->inst->type),
                                 lw_size_of(e, lw_pointee(e, lw_type_of(e->spv, lw_operand(e, 3))))));
        return true;
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop: return true;
    default: return false;
    }
}
