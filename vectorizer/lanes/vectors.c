/* SPDX-License-Identifier: MIT */
/* Vectors of one type, each lane's at an address of its own: moved whole, one load or store for each lane,
 * and turned in registers. A gather takes as long for one component as this takes for all of them.
 *
 *   32 or 64 bits     a gather or scatter of integers that have all components
 *   8 and 16 bits     fewer than 16 bytes of them, or few lanes: gathers of 32 bits that overlap; two or
 *                     three bytes by the 32 bits that end with them, or where these begin in the page before,
 *                     that begin with them
 *   16 bytes or more  16 bytes of each lane, those of lanes k apart (k components to 16 bytes) beside each
 *                     other, k rows of them: each 16 bytes wide column is turned by k log2 k unpackings; the
 *                     last 16 bytes may begin in the ones before them
 *   three of 32 bits  such a column, loaded as 16 bytes where aligned to as many, else as eight and four,
 *                     which is how they are stored
 *
 * Enters: addresses, a mask, the components' type and number. Leaves: a vector of each component, or memory
 * that has them. Lanes that are not active read zeros and write to the sink; a store's lanes write in their
 * order. Never: touches memory that is not the vectors', but for bytes of the same pages, which are only
 * read: those behind three components aligned to 16 bytes, and beside two or three bytes.
 */
#include <string.h>

#include "internal.h"

#define PIECE 16 /* bytes */
#define THREE 12 /* bytes, of three components, the least that lies in pieces */
#define MOST_COMPONENTS 16
#define MOST_BYTES 64
#define WORD 4 /* bytes, of the gathers that components of 8 and 16 bits come by */
#define PAGE 4096

static unsigned
vector_bytes(lw_lanes *l, LLVMTypeRef element, unsigned count)
{
    return lw_lane_bits(lw_lane_memory_type(l, element)) / 8 * count;
}

bool
lane_moves_vectors(lw_lanes *l, LLVMTypeRef element, unsigned count, unsigned align, bool stores)
{
    unsigned size = vector_bytes(l, element, 1), bytes = size * count;
    if (!size || count < 2 || count > MOST_COMPONENTS)
        return false;
    if (size < WORD && bytes <= PIECE && !stores)
        return true;
    if (count != 3 && (count & (count - 1)))
        return false;
    if (bytes == WORD)
        return true;
    if (bytes == 8)
        return size == 4 && align >= 4;
    return bytes >= THREE && bytes <= MOST_BYTES && l->n >= PIECE / size;
}

/* ---- integers that have all components ---- */

/* Floats are shuffled: of integers LLVM would make shifts and truncations, which take longer. */
V
lw_lane_component(lw_lanes *l, V words, unsigned bits, unsigned k)
{
    LLVMTypeRef type = lane_type(l, lw_lane_int_type(l, bits));
    unsigned word = lw_lane_bits(lw_lane_element(words)), count = word / bits;
    int lanes[64];

    if (bits != 32) {
        V by = lane_int(l, word, k * bits);
        V part = k ? LLVMBuildLShr(l->builder, words, lane_splat(l, by), "") : words;
        return LLVMBuildTrunc(l->builder, part, type, "");
    }
    LLVMTypeRef floats = LLVMVectorType(LLVMFloatTypeInContext(l->context), l->n * count);
    V parts = LLVMBuildBitCast(l->builder, words, floats, "");
    for (unsigned i = 0; i < l->n; i++)
        lanes[i] = (int)(i * count + k);
    return LLVMBuildBitCast(l->builder, lw_lane_shuffle_const(l, parts, parts, lanes, l->n), type, "");
}

static void
gather_words(lw_lanes *l, LLVMTypeRef memory, unsigned count, V pointers, V mask, unsigned align, V *out)
{
    unsigned bits = lw_lane_bits(memory);
    V words = lane_gather(l, lw_lane_int_type(l, bits * count), pointers, mask, align);
    for (unsigned k = 0; k < count; k++)
        out[k] = LLVMBuildBitCast(l->builder, lw_lane_component(l, words, bits, k), lane_type(l, memory), "");
}

/* The words that a lane's two or three bytes lie in, shifted: the first byte is the lowest. */
static V
gather_short_run(lw_lanes *l, unsigned bytes, V pointers, V mask)
{
    unsigned back = WORD - bytes;
    LLVMTypeRef i64 = lw_lane_int_type(l, 64), i32 = lw_lane_int_type(l, 32);
    V zeros = LLVMConstNull(lane_type(l, i64));
    V address = LLVMBuildPtrToInt(l->builder, pointers, lane_type(l, i64), "");
    V in_page = LLVMBuildAnd(l->builder, address, lane_splat(l, lane_int(l, 64, PAGE - 1)), "");
    V fits = LLVMBuildICmp(l->builder, LLVMIntUGE, in_page, lane_splat(l, lane_int(l, 64, back)), "");
    V by = LLVMBuildSelect(l->builder, fits, lane_splat(l, lane_int(l, 64, -(int64_t)back)), zeros, "");
    V words = lane_gather(l, i32, lw_lane_gep(l, lw_lane_int_type(l, 8), pointers, by), mask, 1);
    V shift = lane_splat(l, lane_int(l, 32, 8 * back));

    words = LLVMBuildFreeze(l->builder, words, "");
    return LLVMBuildSelect(l->builder, fits, LLVMBuildLShr(l->builder, words, shift, ""), words, "");
}

static void
gather_runs(lw_lanes *l, LLVMTypeRef memory, unsigned count, V pointers, V mask, V *out)
{
    unsigned size = lw_lane_bits(memory) / 8, bytes = size * count;
    LLVMTypeRef i8 = lw_lane_int_type(l, 8), i32 = lw_lane_int_type(l, 32);

    for (unsigned first = 0, start = 0, k = 0; first < bytes; first += WORD) {
        if (first)
            start = first + WORD <= bytes ? first : bytes - WORD;
        V at = start ? lw_lane_gep(l, i8, pointers, lane_splat(l, lane_int(l, 64, start))) : pointers;
        V words = bytes < WORD ? gather_short_run(l, bytes, at, mask) : lane_gather(l, i32, at, mask, 1);
        words = LLVMBuildFreeze(l->builder, words, "");
        for (; k < count && k * size < start + WORD; k++) {
            V part = lw_lane_component(l, words, 8 * size, k - start / size);
            out[k] = LLVMBuildBitCast(l->builder, part, lane_type(l, memory), "");
        }
    }
}

static V
to_floats(lw_lanes *l, V lanes)
{
    return LLVMBuildBitCast(l->builder, lanes, lane_type(l, LLVMFloatTypeInContext(l->context)), "");
}

static void
scatter_words(lw_lanes *l, V *values, unsigned count, V pointers, V mask, unsigned align)
{
    unsigned bits = lw_lane_bits(lw_lane_element(values[0]));
    LLVMTypeRef type = lane_type(l, lw_lane_int_type(l, bits * count));
    LLVMTypeRef part = lane_type(l, lw_lane_int_type(l, bits));
    V words = NULL;
    if (bits == 32 && count == 2) {
        int lanes[2 * 64];
        for (unsigned i = 0; i < 2 * l->n; i++)
            lanes[i] = (int)(i / 2 + i % 2 * l->n);
        words = lw_lane_shuffle_const(l, to_floats(l, values[0]), to_floats(l, values[1]), lanes, 2 * l->n);
        lane_scatter(l, LLVMBuildBitCast(l->builder, words, type, ""), pointers, mask, align);
        return;
    }
    for (unsigned k = 0; k < count; k++) {
        V one = LLVMBuildZExt(l->builder, LLVMBuildBitCast(l->builder, values[k], part, ""), type, "");
        if (k)
            one = LLVMBuildShl(l->builder, one, lane_splat(l, lane_int(l, bits * count, k * bits)), "");
        words = words ? LLVMBuildOr(l->builder, words, one, "") : one;
    }
    lane_scatter(l, words, pointers, mask, align);
}

/* ---- pieces of 16 bytes ---- */

/* Of each column of `count` elements the lower or upper halves of a and b in turn. */
static V
unpack(lw_lanes *l, V a, V b, unsigned count, bool upper)
{
    int lanes[64];
    for (unsigned i = 0; i < l->n; i++) {
        unsigned in = i % count;
        lanes[i] = (int)(i - in + in / 2 + (upper ? count / 2 : 0) + (in % 2 ? l->n : 0));
    }
    return lw_lane_shuffle_const(l, a, b, lanes, l->n);
}

/* `count` rows: element j of row i in each column becomes element i of row j. */
static void
turn(lw_lanes *l, V *rows, unsigned count)
{
    V next[MOST_COMPONENTS];
    for (unsigned step = 1; step < count; step *= 2) {
        for (unsigned i = 0; i < count / 2; i++) {
            next[2 * i] = unpack(l, rows[i], rows[i + count / 2], count, false);
            next[2 * i + 1] = unpack(l, rows[i], rows[i + count / 2], count, true);
        }
        memcpy(rows, next, count * sizeof *rows);
    }
}

static V
lane_address(lw_lanes *l, const struct lw_lane_places *at, unsigned lane, unsigned bytes)
{
    V pointer =
        at->offsets ? at->base : LLVMBuildExtractElement(l->builder, at->pointers, lane_int(l, 32, lane), "");
    int64_t offset = (at->offsets ? at->offsets[lane] : 0) + (int64_t)bytes;
    return offset ? lw_lane_gep(l, lw_lane_int_type(l, 8), pointer, lane_int(l, 64, offset)) : pointer;
}

/* Those of lanes that are not active at `other`. */
static struct lw_lane_places
redirect(lw_lanes *l, const struct lw_lane_places *at, V mask, bool stores)
{
    if (lane_mask_is_all(mask))
        return *at;
    LLVMTypeRef type = lw_lane_element(at->pointers);
    V other = stores ? lw_lane_sink(l, type) : lw_lane_zeros(l, type);
    V pointers = LLVMBuildSelect(l->builder, mask, at->pointers, lane_splat(l, other), "");
    return (struct lw_lane_places){.pointers = pointers};
}

/* The first component of a piece of k; the last piece ends with the last one. */
static unsigned
first_of(unsigned piece, unsigned k, unsigned count)
{
    return (piece + 1) * k <= count || !piece ? piece * k : count - k;
}

static V
load_part(lw_lanes *l, LLVMTypeRef type, V pointer, unsigned bytes, unsigned align)
{
    V at = bytes ? lw_lane_gep(l, lw_lane_int_type(l, 8), pointer, lane_int(l, 64, bytes)) : pointer;
    V part = LLVMBuildLoad2(l->builder, type, at, "");
    LLVMSetAlignment(part, lw_align_at(align, bytes));
    return part;
}

/* k components, of which `count` are asked for. */
static V
load_piece(lw_lanes *l, LLVMTypeRef memory, unsigned k, unsigned count, V pointer, unsigned align)
{
    static const int lanes[] = {0, 1, -1, -1};
    if (count >= k || align >= PIECE)
        return load_part(l, LLVMVectorType(memory, k), pointer, 0, align);
    V two = load_part(l, LLVMVectorType(memory, 2), pointer, 0, align);
    V third = load_part(l, memory, pointer, PIECE / 2, align);
    two = lw_lane_shuffle_const(l, two, two, lanes, k);
    return LLVMBuildInsertElement(l->builder, two, third, lane_int(l, 32, 2), "");
}

static void
store_part(lw_lanes *l, V part, V pointer, unsigned bytes, unsigned align)
{
    V at = bytes ? lw_lane_gep(l, lw_lane_int_type(l, 8), pointer, lane_int(l, 64, bytes)) : pointer;
    LLVMSetAlignment(LLVMBuildStore(l->builder, part, at), lw_align_at(align, bytes));
}

static void
store_piece(lw_lanes *l, V piece, unsigned k, unsigned count, V pointer, unsigned align)
{
    if (count >= k) {
        store_part(l, piece, pointer, 0, align);
    } else {
        store_part(l, lw_lane_part(l, piece, 0, 2), pointer, 0, align);
        V third = LLVMBuildExtractElement(l->builder, piece, lane_int(l, 32, 2), "");
        store_part(l, third, pointer, PIECE / 2, align);
    }
}

void
lane_gather_vectors(lw_lanes *l, LLVMTypeRef element, unsigned count, const struct lw_lane_places *places,
                    V mask, unsigned align, V *out)
{
    LLVMTypeRef memory = lw_lane_memory_type(l, element);
    unsigned size = lw_lane_bits(memory) / 8, k = PIECE / size;
    if (size < WORD && (size * count < PIECE || l->n < k)) {
        gather_runs(l, memory, count, places->pointers, mask, out);
    } else if (size * count < THREE) {
        gather_words(l, memory, count, places->pointers, mask, align, out);
    } else {
        struct lw_lane_places at = redirect(l, places, mask, false);
        V rows[MOST_COMPONENTS];
        for (unsigned piece_number = 0; piece_number * k < count; piece_number++) {
            unsigned first = first_of(piece_number, k, count);
            for (unsigned r = 0; r < k; r++) {
                V parts[64];
                for (unsigned c = 0; c < l->n / k; c++) {
                    V pointer = lane_address(l, &at, c * k + r, first * size);
                    unsigned known = lw_align_at(align < 64 ? align : 64, first * size);
                    parts[c] = load_piece(l, memory, k, count, pointer, known);
                }
                rows[first + r] = lw_lane_concat(l, parts, l->n / k);
            }
            turn(l, rows + first, k);
        }
        memcpy(out, rows, count * sizeof *out);
    }
    for (unsigned i = 0; i < count; i++)
        out[i] = lw_lane_from_memory(l, out[i], element);
}

void
lane_scatter_vectors(lw_lanes *l, V *values, unsigned count, const struct lw_lane_places *places, V mask,
                     unsigned align)
{
    V rows[MOST_COMPONENTS] = {0};
    for (unsigned i = 0; i < count; i++)
        rows[i] = lw_lane_to_memory(l, values[i]);
    if (count == 3)
        rows[3] = LLVMGetPoison(LLVMTypeOf(rows[0]));
    unsigned size = lw_lane_bits(lw_lane_element(rows[0])) / 8, k = PIECE / size;
    if (size * count < THREE) {
        scatter_words(l, rows, count, places->pointers, mask, align);
        return;
    }
    struct lw_lane_places at = redirect(l, places, mask, true);
    V turned[MOST_COMPONENTS][MOST_COMPONENTS]; /* by piece */
    unsigned pieces = (count + k - 1) / k;
    for (unsigned p = 0; p < pieces; p++) {
        memcpy(turned[p], rows + first_of(p, k, count), k * sizeof *rows);
        turn(l, turned[p], k);
    }
    for (unsigned lane = 0; lane < l->n; lane++)
        for (unsigned p = 0; p < pieces; p++) {
            unsigned first = first_of(p, k, count);
            V piece = lw_lane_part(l, turned[p][lane % k], lane / k * k, k);
            V pointer = lane_address(l, &at, lane, first * size);
            store_piece(l, piece, k, count, pointer, lw_align_at(align < 64 ? align : 64, first * size));
        }
}
