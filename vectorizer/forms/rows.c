/* SPDX-License-Identifier: MIT */
/* Loads of which each lane reads its own consecutive elements, numbers or small vectors, one in each round of
 * a loop: a row of a matrix for each work-item. Where the lanes are a power of two apart, the lines that a
 * gather touches push each other out of the cache, in every round. Here each lane's next elements come at
 * once:
 *
 *     none left?              a whole register of each lane, transposed, to a table of the sub-group's
 *                             a gather of one element, where what a lane would read may lie in two pages,
 *                             or is written before its round
 *     every round             a vector of the table
 *
 * Enters: a load about to be gathered, in an innermost loop. Leaves: the above.
 * Relies on: a loop that waits for nobody reading the same earlier, but for what it writes itself, which is
 * compared; the load being passed in every round by all lanes that are still in the loop, each reading the
 * element behind the last. Never: reads a page that no active lane reads; in code for a first run, which is
 * quick to compile.
 */
#include <stdlib.h>
#include <string.h>

#include "../facts/integers.h"
#include "../facts/gep.h"
#include "../lanes/internal.h"
#include "../widen/widener.h"

#define MOST_LANES 32   /* an access for each: code grows with them */
#define MOST_ROWS 4     /* of a loop */
#define MOST_TRIED 8    /* loads of a loop, which is looked through for each */
#define MOST_STORES 4   /* of a loop */
#define MOST_STEP 4096  /* of an index, and of what one of it stands for */
#define LEAST_STRIDE 64 /* bytes: lanes that are closer share accesses better */
#define LEAST_WORDS 4   /* of each lane at once, */
#define LEAST_VECTORS 8 /* which else come whole (vectors.c), and are taken apart in every round here */
#define MOST_COMPONENTS 8
#define DEEPEST 6

/* What a loop writes, at addresses that are told. */
struct written {
    LLVMValueRef store;
    int64_t growth; /* bytes, in each round: none or more */
};

struct row {
    LLVMValueRef load;
    struct written store[MOST_STORES];
    uint32_t stores;
    uint32_t loop;
    unsigned lanes; /* which all others repeat: rows of a work-group that are shorter than the sub-group */
    V table; /* alloca: `words` vectors of integers; NULL until needed */
    V next;  /* alloca, i32: the element of it to be read next */
};

struct lw_rows {
    struct row *row;
    uint32_t count;
};

/* ---- which loads ---- */

/* How much an integer or a pointer grows in each round; false: not known. `narrow`: modulo 2^32 or less. */
static bool
find_growth(lw_widener *w, uint32_t loop, LLVMValueRef v, unsigned depth, int64_t *growth, bool *narrow)
{
    int64_t other = 0;

    *growth = 0;
    if (!lw_loop_computes(w->m, loop, v))
        return true;
    if (LLVMIsAPHINode(v))
        return lw_find_step(w, loop, v, growth);
    if (depth == DEEPEST)
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef second = LLVMGetNumOperands(v) == 2 ? LLVMGetOperand(v, 1) : NULL;
    if (!lw_is_int_cast(op) && !lw_is_int_operation(op))
        return false;
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    if (bits < 32)
        return false; /* may begin anew within the buffer */
    *narrow |= bits < 64;
    if (!find_growth(w, loop, LLVMGetOperand(v, 0), depth + 1, growth, narrow))
        return false;
    if (lw_is_int_cast(op))
        return true;
    if (op == LLVMAdd || op == LLVMSub || (op == LLVMOr && LLVMGetIsDisjoint(v))) {
        if (!find_growth(w, loop, second, depth + 1, &other, narrow))
            return false;
        *growth += op == LLVMSub ? -other : other;
    } else if ((op == LLVMMul || op == LLVMShl) && LLVMIsAConstantInt(second)) {
        int64_t by = LLVMConstIntGetSExtValue(second);
        if (op == LLVMShl)
            by = by >= 0 && by < 12 ? (int64_t)1 << by : MOST_STEP + 1;
        if (by > MOST_STEP || by < -MOST_STEP)
            return false;
        *growth *= by;
    } else {
        return false;
    }
    return *growth <= MOST_STEP && *growth >= -MOST_STEP;
}

/* By how many bytes the address grows in each round; false: not known. */
static bool
find_walk(lw_widener *w, uint32_t loop, LLVMValueRef pointer, int64_t *sum)
{
    struct lw_place p;
    bool narrow = false;
    int64_t growth;

    if (!lw_find_place(w, pointer, &p) || !lw_find_step(w, loop, p.root, sum))
        return false;
    for (unsigned k = 0; k < p.terms; k++) {
        narrow = p.extension[k] != LLVMAdd;
        if (!find_growth(w, loop, p.term[k], 0, &growth, &narrow) || p.scale[k] > MOST_STEP ||
            p.scale[k] < -MOST_STEP)
            return false;
        /* A narrow index that wraps between two rounds would lead out of the buffer. */
        if (growth && narrow && !p.in_buffer)
            return false;
        *sum += growth * p.scale[k];
    }
    return true;
}

/* What one transpose makes square: as many lanes as words of each. */
static unsigned
row_words(lw_widener *w, const struct row *row, unsigned bits)
{
    unsigned words = lw_isa_row(w->l.isa)->register_bits / (bits < 32 ? 32 : bits);

    return words < row->lanes ? words : row->lanes;
}

/* Elements of a lane in the table. */
static unsigned
row_length(lw_widener *w, const struct row *row, unsigned bits)
{
    return row_words(w, row, bits) * (bits < 32 ? 32 / bits : 1);
}

/* Of an element: a number, or a vector without gaps, which is moved as one. 0: neither. */
static unsigned
element_bits(LLVMTypeRef type)
{
    bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    unsigned count = vector ? LLVMGetVectorSize(type) : 1;
    LLVMTypeRef number = vector ? LLVMGetElementType(type) : type;
    LLVMTypeKind kind = LLVMGetTypeKind(number);
    bool is_scalar = kind == LLVMIntegerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
                     kind == LLVMHalfTypeKind;
    unsigned bits = is_scalar ? lw_lane_bits(number) : 0;
    return bits % 8 ? 0 : bits * count;
}

static bool
is_row(lw_widener *w, struct row *row)
{
    LLVMValueRef i = row->load;
    if (!LLVMIsALoadInst(i))
        return false;
    LLVMTypeRef type = LLVMTypeOf(i);
    unsigned bits = element_bits(type);
    unsigned least = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LEAST_VECTORS : LEAST_WORDS;
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    struct lw_vinfo at = lw_info(w, pointer);
    int64_t walk;
    bool apart =
        at.form == LW_VARYING ||
        (at.form == LW_STRIDED && (!at.linear || at.stride >= LEAST_STRIDE || at.stride <= -LEAST_STRIDE));
    if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || !apart || lw_info(w, i).form != LW_VARYING ||
        lw_lane_minor_behind(w, pointer) || !find_walk(w, row->loop, pointer, &walk) || walk != bits / 8)
        return false;
    row->lanes = lw_repeats_after(w, pointer);
    return row->lanes <= MOST_LANES && row_words(w, row, bits) >= least;
}

/* Different memory, by their address spaces. */
static bool
is_elsewhere(LLVMValueRef load, LLVMValueRef store)
{
    unsigned a = lw_space_of(LLVMGetOperand(load, 0));
    unsigned b = lw_space_of(LLVMGetOperand(store, 1));

    return a == 2 || (a != b && (a == 1 || a == 3) && (b == 1 || b == 3));
}

/* Is what the address is made of there when the load is widened? */
static bool
is_known_at(lw_widener *w, LLVMValueRef load, LLVMValueRef pointer)
{
    struct lw_place p;
    bool known = lw_find_exact_place(w, pointer, &p);

    for (unsigned k = 0; known && k <= p.terms; k++) {
        LLVMValueRef v = k ? p.term[k - 1] : p.root;
        uint32_t block = LLVMIsAInstruction(v) ? lw_block_id_of(w->m, v) : 0;
        known = !LLVMIsAInstruction(v) || (lw_value_id(w->m, v) < lw_value_id(w->m, load) &&
                                           lw_dominates(w->m, block, lw_block_id_of(w->m, load)));
    }
    return known;
}

/* An instruction of the loop. false: what is behind the row's next element cannot be read yet. */
static bool
lets_read_early(lw_widener *w, struct row *row, LLVMValueRef i)
{
    struct written *written = &row->store[row->stores];

    if (!LLVMIsAStoreInst(i))
        return lw_lets_read_early(i);
    LLVMValueRef pointer = LLVMGetOperand(i, 1);
    if (!lw_is_plain_store(i))
        return false;
    if (lw_lane_minor_behind(w, pointer) || is_elsewhere(row->load, i))
        return true;
    if (row->stores == MOST_STORES || !find_walk(w, row->loop, pointer, &written->growth) ||
        written->growth < 0 || written->growth > MOST_STEP || !is_known_at(w, row->load, pointer))
        return false;
    written->store = i;
    row->stores++;
    return true;
}

static bool
may_read_early(lw_widener *w, struct row *row)
{
    const struct lw_loop *l = &w->m->loops[row->loop];

    for (uint32_t n = w->m->blocks[l->header].first_value; n < w->m->blocks[l->end - 1].value_end; n++)
        if (!lets_read_early(w, row, w->m->values[n]))
            return false;
    return true;
}

/* The loads of a loop. */
static uint32_t
find_rows(lw_widener *w, uint32_t loop, struct row *found)
{
    const struct lw_loop *l = &w->m->loops[loop];
    uint32_t count = 0, tried = 0;

    if (w->plan->blocks[l->latch].group_loop || lw_in_rounds(w, loop))
        return 0;
    for (uint32_t b = l->header; b < l->end; b++)
        if (w->m->blocks[b].loop != loop)
            return 0;
    for (uint32_t b = l->header; b < l->end; b++) {
        const struct lw_vblock *k = &w->m->blocks[b];
        if (!lw_dominates(w->m, b, l->latch))
            continue;
        for (uint32_t n = k->first_value; n < k->value_end && count < MOST_ROWS && tried < MOST_TRIED; n++) {
            struct row *row = &found[count];
            *row = (struct row){.load = w->m->values[n], .loop = loop};
            if (!is_row(w, row))
                continue;
            tried++;
            count += may_read_early(w, row);
        }
    }
    return count;
}

void
lw_rows_open(lw_widener *w)
{
    if (w->shape->build & LW_BUILD_FIRST)
        return;
    for (uint32_t l = 0; l < w->m->loop_count; l++) {
        struct row found[MOST_ROWS];
        uint32_t count = find_rows(w, l, found);
        if (!count)
            continue;
        struct lw_rows *rows = lw_form_state(w, LW_FORM_ROWS, sizeof *rows);
        struct row *row = realloc(rows->row, (rows->count + count) * sizeof *row);
        if (!row)
            lw_arena_leave(w->arena);
        rows->row = row;
        memcpy(row + rows->count, found, count * sizeof *row);
        rows->count += count;
    }
}

void
lw_rows_close(lw_widener *w)
{
    struct lw_rows *rows = w->forms[LW_FORM_ROWS];

    if (rows)
        free(rows->row);
}

/* ---- the table ---- */

void
lw_enter_rows(lw_widener *w, uint32_t from, uint32_t to)
{
    uint32_t loop = w->m->blocks[to].loop;
    LLVMTypeRef i32 = lw_lane_int_type(&w->l, 32);
    struct lw_rows *rows = w->forms[LW_FORM_ROWS];

    if (!rows || from >= to || loop == LW_NONE || w->m->loops[loop].header != to)
        return;
    for (uint32_t k = 0; k < rows->count; k++) {
        struct row *row = &rows->row[k];
        if (row->loop != loop)
            continue;
        V none = lane_int(&w->l, 32, row_length(w, row, element_bits(LLVMTypeOf(row->load))));
        if (!row->next) {
            row->next = LLVMBuildAlloca(w->alloca_builder, i32, "next");
            LLVMBuildStore(w->alloca_builder, none, row->next); /* for a loop run with no lane */
        }
        LLVMBuildStore(w->l.builder, none, row->next);
    }
}

/* The lanes that are read for. */
static lw_lanes
lanes_of(lw_widener *w, const struct row *row)
{
    lw_lanes l = w->l;

    l.n = row->lanes;
    return l;
}

/* The next `words` words of each lane, transposed, to the table. */
static void
fill_table(lw_widener *w, const struct row *row, V at, LLVMTypeRef word, unsigned words, unsigned align)
{
    lw_lanes narrow = lanes_of(w, row), *l = &narrow;
    LLVMTypeRef pointer = LLVMTypeOf(LLVMGetOperand(row->load, 0)), whole = LLVMVectorType(word, words);
    V blocks[MOST_LANES / LEAST_WORDS][LW_SQUARE], parts[MOST_LANES / LEAST_WORDS];

    for (unsigned i = 0; i < l->n; i++) {
        V from = LLVMBuildExtractElement(l->builder, at, lane_int(l, 32, i), "");
        from = LLVMBuildIntToPtr(l->builder, from, pointer, "");
        V load = LLVMBuildLoad2(l->builder, whole, from, "");
        LLVMSetAlignment(load, align);
        /* Others may write behind the lane's last element. */
        blocks[i / words][i % words] = LLVMBuildFreeze(l->builder, load, "");
    }
    for (unsigned k = 0; k < l->n / words; k++)
        lw_lane_turn_square(l, blocks[k], lw_lane_bits(word));
    for (unsigned r = 0; r < words; r++) {
        for (unsigned k = 0; k < l->n / words; k++)
            parts[k] = blocks[k][r];
        V vector = lw_lane_concat(l, parts, l->n / words);
        LLVMBuildStore(l->builder, vector,
                       lw_lane_gep(l, LLVMTypeOf(vector), row->table, lane_int(l, 32, r)));
    }
}

/* i1: all of the table's bytes of each lane lie in the page of the first. `at`: addresses. */
static V
stay_in_pages(lw_widener *w, const struct row *row, V at, unsigned bytes)
{
    lw_lanes narrow = lanes_of(w, row), *l = &narrow;
    LLVMTypeRef i32 = lane_type(l, lw_lane_int_type(l, 32));
    V in_page = LLVMBuildTrunc(l->builder, at, i32, "");
    in_page = LLVMBuildAnd(l->builder, in_page, lane_splat(l, lane_int(l, 32, LW_PAGE - 1)), "");
    V last = lane_splat(l, lane_int(l, 32, LW_PAGE - bytes));
    V good = lane_all(l, LLVMBuildICmp(l->builder, LLVMIntULE, in_page, last, ""));

    if (w->may_be_empty && w->mask)
        good = LLVMBuildAnd(l->builder, good, lane_any(&w->l, w->mask), "");
    return good;
}

/* What the table is filled by, as vectors, made where it serves all that follows. */
static void
use_addresses(lw_widener *w, const struct row *row)
{
    struct lw_place p;

    lw_use_vector(w, LLVMGetOperand(row->load, 0), 0);
    for (uint32_t s = 0; s < row->stores; s++) {
        lw_find_exact_place(w, LLVMGetOperand(row->store[s].store, 1), &p);
        lw_use_vector(w, p.root, 0);
        for (unsigned k = 0; k < p.terms; k++)
            lw_use_vector(w, p.term[k], 0);
    }
}

/* i64 lanes: an address by its place, made of what is there before the instruction that has it. */
static V
address_at(lw_widener *w, LLVMValueRef pointer)
{
    lw_lanes *l = &w->l;
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef lanes = lane_type(l, lw_lane_int_type(l, 64));
    struct lw_place p;

    lw_find_exact_place(w, pointer, &p);
    V sum = LLVMBuildPtrToInt(b, lw_use_vector(w, p.root, 0), lanes, "");
    sum = LLVMBuildAdd(b, sum, lane_splat(l, lane_int(l, 64, p.constant)), "");
    for (unsigned k = 0; k < p.terms; k++) {
        V term = lw_use_vector(w, p.term[k], 0);
        if (p.extension[k] != LLVMAdd)
            term = LLVMBuildIntCast2(b, term, lanes, p.extension[k] == LLVMSExt, "");
        V scale = lane_splat(l, lane_int(l, 64, p.scale[k]));
        sum = LLVMBuildAdd(b, sum, LLVMBuildMul(b, term, scale, ""), "");
    }
    return sum;
}

/* i1: what the loop writes while it goes through the table is nothing that the table has. A store behind the
 * load that walks with it may be to where the load was. */
static V
stay_unwritten(lw_widener *w, const struct row *row, V at, V good)
{
    lw_lanes *l = &w->l;
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef i64 = lw_lane_int_type(l, 64);
    unsigned size = element_bits(LLVMTypeOf(row->load)) / 8;
    int64_t length = row_length(w, row, size * 8), bytes = length * size;

    for (uint32_t k = 0; k < row->stores; k++) {
        const struct written *s = &row->store[k];
        int64_t written = (int64_t)LLVMABISizeOfType(w->layout, LLVMTypeOf(LLVMGetOperand(s->store, 0)));
        bool together = written == size && s->growth == size &&
                        lw_value_id(w->m, row->load) < lw_value_id(w->m, s->store);
        int64_t before = together ? 0 : (length - 1) * s->growth + written; /* the load's address, at most */
        V address = address_at(w, LLVMGetOperand(s->store, 1));
        V apart = LLVMBuildSub(b, lw_only_active(w, LLVMBuildFreeze(b, address, "")), at, "");
        apart = LLVMBuildAdd(b, apart, lane_splat(l, lane_int(l, 64, before - 1)), "");
        V most = lane_splat(l, LLVMConstInt(i64, (uint64_t)(before + bytes - 1), false));
        V clear = lane_all(l, LLVMBuildICmp(b, LLVMIntUGE, apart, most, ""));
        good = LLVMBuildAnd(b, good, clear, "");
    }
    return good;
}

/* None is left: many of each lane, or one. */
static void
read_on(lw_widener *w, struct row *row, LLVMBasicBlockRef done)
{
    lw_lanes narrow = lanes_of(w, row), *l = &narrow;
    LLVMTypeRef type = LLVMTypeOf(row->load), i64 = lw_lane_int_type(l, 64);
    unsigned bits = element_bits(type), words = row_words(w, row, bits), length = row_length(w, row, bits);
    unsigned each = length / words, align = LLVMGetAlignment(row->load);
    LLVMTypeRef word = lw_lane_int_type(l, bits < 32 ? 32 : bits);
    LLVMBasicBlockRef many = lw_lane_block(l, "row.many"), one = lw_lane_block(l, "row.one");
    V addresses = lw_use_vector(w, LLVMGetOperand(row->load, 0), 0), mask = w->mask;

    V at = LLVMBuildPtrToInt(l->builder, addresses, lane_type(&w->l, i64), ""), all;
    all = at = lw_only_active(w, LLVMBuildFreeze(l->builder, at, ""));
    if (row->lanes < w->l.n) {
        at = lw_one_row(w, all, row->lanes);
        addresses = lw_one_row(w, addresses, row->lanes);
        mask = mask ? lw_one_row(w, mask, row->lanes) : NULL;
    }
    V good = stay_unwritten(w, row, all, stay_in_pages(w, row, at, words * lw_lane_bits(word) / 8));
    lw_lane_branch_likely(l, good, many, one);
    LLVMPositionBuilderAtEnd(l->builder, many);
    fill_table(w, row, at, word, words, align ? align : 1);
    LLVMBuildStore(l->builder, lane_int(l, 32, 0), row->next);
    LLVMBuildBr(l->builder, done);
    LLVMPositionBuilderAtEnd(l->builder, one);
    LLVMTypeRef whole = lw_leaf_count(w, type) == 1 ? type : lw_lane_int_type(l, bits);
    V gathered = lw_lane_to_bits(l, lane_gather(l, whole, addresses, mask, align));
    if (each > 1) { /* the last of the last word */
        gathered = LLVMBuildZExt(l->builder, gathered, lane_type(l, word), "");
        gathered = LLVMBuildShl(l->builder, gathered, lane_splat(l, lane_int(l, 32, (each - 1) * bits)), "");
    }
    V last = lw_lane_gep(l, LLVMTypeOf(gathered), row->table, lane_int(l, 32, words - 1));
    LLVMBuildStore(l->builder, gathered, last);
    LLVMBuildStore(l->builder, lane_int(l, 32, length - 1), row->next);
    LLVMBuildBr(l->builder, done);
}

/* The load's components, of the element's bits. */
static void
define_components(lw_widener *w, const struct row *row, V value)
{
    LLVMValueRef load = row->load;
    uint32_t count = lw_leaf_count(w, LLVMTypeOf(load));
    LLVMTypeRef type = lw_leaf_at(w, LLVMTypeOf(load), 0).type;
    V made[MOST_COMPONENTS];
    lw_lanes narrow = lanes_of(w, row);

    for (uint32_t k = 0; k < count; k++) {
        V part = count > 1 ? lw_lane_component(&narrow, value, lw_lane_bits(type), k) : value;
        made[k] = lw_all_rows(w, lw_lane_from_bits(&narrow, part, type), row->lanes);
    }
    for (uint32_t k = 0; k < count; k++)
        lw_define_leaf(w, load, k, made[k]);
}

bool
lw_widen_row(lw_widener *w, struct lw_access *a)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMValueRef load = a->access;
    struct lw_rows *rows = w->forms[LW_FORM_ROWS];
    struct row *row = NULL;

    for (uint32_t k = 0; rows && k < rows->count; k++)
        if (rows->row[k].load == load && rows->row[k].next)
            row = &rows->row[k];
    if (!row)
        return false;
    lw_lanes narrow = lanes_of(w, row), *l = &narrow;
    LLVMTypeRef type = LLVMTypeOf(load), i32 = lw_lane_int_type(l, 32);
    unsigned bits = element_bits(type), length = row_length(w, row, bits), words = row_words(w, row, bits);
    LLVMTypeRef lanes = lane_type(l, lw_lane_int_type(l, bits < 32 ? 32 : bits));
    if (!row->table) {
        row->table = LLVMBuildAlloca(w->alloca_builder, LLVMArrayType2(lanes, words), "row");
        LLVMSetAlignment(row->table, 64);
    }
    LLVMBasicBlockRef none = lw_lane_block(l, "row.on"), some = lw_lane_block(l, "row");
    use_addresses(w, row);
    V left = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildLoad2(b, i32, row->next, ""), lane_int(l, 32, length), "");
    lw_lane_branch_likely(l, left, some, none);
    LLVMPositionBuilderAtEnd(b, none);
    read_on(w, row, some);
    LLVMPositionBuilderAtEnd(b, some);
    V next = LLVMBuildLoad2(b, i32, row->next, ""), at = next;
    if (length > words)
        at = LLVMBuildUDiv(b, next, lane_int(l, 32, length / words), "");
    V value = LLVMBuildLoad2(b, lanes, lw_lane_gep(l, lanes, row->table, at), "");
    if (length > words) {
        V part = LLVMBuildURem(b, next, lane_int(l, 32, length / words), "");
        part = LLVMBuildMul(b, part, lane_int(l, 32, bits), "");
        value = LLVMBuildLShr(b, value, lane_splat(l, part), "");
        value = LLVMBuildTrunc(b, value, lane_type(l, lw_lane_int_type(l, bits)), "");
    }
    LLVMBuildStore(b, LLVMBuildAdd(b, next, lane_int(l, 32, 1), ""), row->next);
    define_components(w, row, value);
    lw_report_note(w->report, load, "memory", "load: %u elements of each lane at once%s%s", length,
                   row->lanes < w->l.n ? ", for all rows of the sub-group" : "",
                   w->may_be_empty ? ", masked" : "");
    return true;
}
