/* SPDX-License-Identifier: MIT */
/* Loads and stores of vectors whose length SPIR-V does not have (lengths.c): in vectors of the lengths that
 * there are.
 *
 * Enters: a load or a store, and its parts: components, or words of long integers, of whole bytes. Leaves:
 * others before it, for the same bytes, but for a load that is one aligned block to its next length: it is
 * read whole.
 */
#include "legal.h"

static unsigned
bytes_of(T scalar)
{
    return lw_bits_of(scalar) / 8;
}

static unsigned
lesser_align(unsigned align, unsigned offset)
{
    while (offset % align)
        align /= 2;
    return align;
}

static V
address(struct lw_legal *l, V pointer, unsigned offset)
{
    V at = LLVMConstInt(LLVMInt64TypeInContext(l->context), offset, false);
    return offset ? LLVMBuildInBoundsGEP2(l->b, LLVMInt8TypeInContext(l->context), pointer, &at, 1, "")
                  : pointer;
}

unsigned
lw_next_length(unsigned left)
{
    return left >= 16 ? 16 : left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

static T
of_length(T scalar, unsigned count)
{
    return count == 1 ? scalar : LLVMVectorType(scalar, count);
}

/* The memory up to the next length that there is may be read, too, where it is one aligned block. */
static unsigned
read_length(V load, T scalar, unsigned count)
{
    unsigned full = count <= 4 ? 4 : count <= 8 ? 8 : 16;
    bool block = count < full && LLVMGetAlignment(load) >= full * bytes_of(scalar) && !LLVMGetVolatile(load);
    return block ? full : lw_next_length(count);
}

void
lw_load_parts(struct lw_legal *l, V load, T scalar, unsigned count, V *out)
{
    unsigned bytes = bytes_of(scalar), align = LLVMGetAlignment(load);
    for (unsigned first = 0; first < count;) {
        unsigned length = first ? lw_next_length(count - first) : read_length(load, scalar, count);
        V value = LLVMBuildLoad2(l->b, of_length(scalar, length),
                                 address(l, LLVMGetOperand(load, 0), first * bytes), "");
        LLVMSetAlignment(value, lesser_align(align, first * bytes));
        LLVMSetVolatile(value, LLVMGetVolatile(load));
        for (unsigned k = 0; k < length && first + k < count; k++)
            out[first + k] = lw_part(l, value, k);
        first += length;
    }
}

void
lw_store_piece(struct lw_legal *l, V store, T scalar, unsigned first, unsigned length, V *parts)
{
    unsigned offset = first * bytes_of(scalar);
    V made = LLVMBuildStore(l->b, lw_whole(l, of_length(scalar, length), parts),
                            address(l, LLVMGetOperand(store, 1), offset));
    LLVMSetAlignment(made, lesser_align(LLVMGetAlignment(store), offset));
    LLVMSetVolatile(made, LLVMGetVolatile(store));
}
