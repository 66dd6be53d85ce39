/* SPDX-License-Identifier: MIT */
#include "mutation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER 5u

void
fuzz_seed(struct fuzz_random *random, uint64_t seed)
{
    random->state = (seed + 1) * 0x9e3779b97f4a7c15u;
}

uint32_t
fuzz_below(struct fuzz_random *random, uint32_t limit)
{
    uint64_t x = random->state;
    x ^= x << 13;
    x ^= x >> 7;
    random->state = x ^= x << 17;
    return limit ? (uint32_t)((x >> 11) % limit) : 0;
}

/* The start of the instruction in which a random word lies. */
static size_t
some_instruction(struct fuzz_random *r, const uint32_t *w, size_t count)
{
    size_t target = HEADER + fuzz_below(r, (uint32_t)(count - HEADER)), at = HEADER;
    while (at < count && (w[at] >> 16) && at + (w[at] >> 16) <= target)
        at += w[at] >> 16;
    return at < count ? at : HEADER;
}

static void
swap_instructions(struct fuzz_random *r, uint32_t *w, size_t count)
{
    size_t a = some_instruction(r, w, count), b = a + (w[a] >> 16);
    if (b >= count || b + (w[b] >> 16) > count)
        return;
    size_t na = w[a] >> 16, nb = w[b] >> 16;
    uint32_t *copy = malloc(na * 4 + 4);
    memcpy(copy, w + a, na * 4);
    memmove(w + a, w + b, nb * 4);
    memcpy(w + a + nb, copy, na * 4);
    free(copy);
}

/* The result of another instruction before this one, of whatever type, for one of its operands: what comes
 * before often dominates it, so that little else is wrong. */
static void
take_other_value(struct fuzz_random *r, uint32_t *w, size_t count)
{
    size_t at = some_instruction(r, w, count), words = w[at] >> 16, from = HEADER, seen = HEADER;
    size_t wanted = at - HEADER < 400 ? HEADER : at - fuzz_below(r, 400);
    while (seen < at && w[seen] >> 16) {
        if (seen <= wanted)
            from = seen;
        seen += w[seen] >> 16;
    }
    if (words > 3 && at + words <= count && w[from] >> 16 > 2 && from + 2 < count)
        w[at + 3 + fuzz_below(r, (uint32_t)words - 3)] = w[from + 2];
}

size_t
fuzz_splice(struct fuzz_random *r, uint32_t *w, size_t bytes, const uint32_t *other, size_t other_bytes)
{
    size_t count = bytes / 4, others = other_bytes / 4;
    if (count <= HEADER + 1 || others <= HEADER + 1)
        return bytes;
    size_t a = some_instruction(r, w, count), b = some_instruction(r, other, others);
    size_t to = a, from = b, best = 0, most = 4 + fuzz_below(r, 200);
    /* As many whole instructions of either as have one length together. */
    while (to < count && from < others && to - a < most && w[to] >> 16 && other[from] >> 16) {
        if (to - a <= from - b)
            to += w[to] >> 16;
        else
            from += other[from] >> 16;
        if (to - a == from - b && to <= count && from <= others)
            best = to - a;
    }
    memcpy(w + a, other + b, best * 4);
    if (best && w[3] < other[3])
        w[3] = other[3];
    return bytes;
}

size_t
fuzz_mutate(struct fuzz_random *r, enum fuzz_kind kind, uint32_t *w, size_t bytes)
{
    static const uint32_t strange[] = {0, 1, 0xffffffffu, 0x80000000u, 4194303, 65535, 0x00010000u, 4096};
    static const uint8_t inside[] = {2, 3, 7, 8, 9, 10, 11, 11, 11, 12, 12, 13, 13, 13};
    size_t count = bytes / 4, at;
    if (count <= HEADER + 1)
        return bytes;
    uint32_t way = kind == FUZZ_INSIDE ? inside[fuzz_below(r, sizeof inside)] : fuzz_below(r, 14);
    switch (way) {
    case 0: return fuzz_below(r, (uint32_t)bytes);
    case 1: return (size_t)fuzz_below(r, (uint32_t)count) * 4;
    case 2: w[fuzz_below(r, (uint32_t)count)] ^= 1u << fuzz_below(r, 32); break;
    case 3: swap_instructions(r, w, count); break;
    case 4:
        for (size_t i = 0; i < count; i++)
            w[i] = __builtin_bswap32(w[i]);
        break;
    case 5: w[3] = strange[fuzz_below(r, 8)]; break;
    case 6: w[some_instruction(r, w, count)] &= 0xffff; break;
    case 7: w[HEADER + fuzz_below(r, (uint32_t)(count - HEADER))] = strange[fuzz_below(r, 8)]; break;
    case 8: /* an id for another */
        at = some_instruction(r, w, count) + 1;
        if (at < count)
            w[at + 1 < count ? at + fuzz_below(r, 2) : at] = 1 + fuzz_below(r, w[3] ? w[3] : 1);
        break;
    case 9: /* an opcode for another */
        at = some_instruction(r, w, count);
        w[at] = (w[at] & 0xffff0000u) | fuzz_below(r, fuzz_below(r, 2) ? 400 : 6500);
        break;
    case 11: /* any operand for another id */
    case 12: /* or a small number: most enumerations and literals are */
        at = some_instruction(r, w, count);
        if (at + (w[at] >> 16) <= count && w[at] >> 16 > 1)
            w[at + 1 + fuzz_below(r, (w[at] >> 16) - 1)] =
                way == 11 ? 1 + fuzz_below(r, w[3] ? w[3] - 1 : 1) : fuzz_below(r, 40);
        break;
    case 13: take_other_value(r, w, count); break;
    default: /* one instruction over another of its length */
        at = some_instruction(r, w, count);
        for (int tries = 0; tries < 8; tries++) {
            size_t from = some_instruction(r, w, count);
            if (from != at && w[from] >> 16 == w[at] >> 16 && from + (w[at] >> 16) <= count &&
                at + (w[at] >> 16) <= count) {
                memmove(w + at, w + from, (size_t)(w[at] >> 16) * 4);
                break;
            }
        }
    }
    return bytes;
}

uint32_t *
fuzz_read(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *bytes = (size_t)ftell(f);
    rewind(f);
    uint32_t *w = calloc(*bytes / 4 + 1, 4);
    if (fread(w, 1, *bytes, f) != *bytes)
        *bytes = 0;
    fclose(f);
    return w;
}
