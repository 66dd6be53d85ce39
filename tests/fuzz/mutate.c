/* SPDX-License-Identifier: MIT */
/* Seeded mutations of real modules through the fuzz target: mutate ROUNDS SEED FILE... A crash is the
 * failure; the last line printed has what replays it. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEADER 5u
#define SECONDS_PER_INPUT 10

static uint64_t state;

static uint32_t
random_below(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit ? (uint32_t)((state >> 11) % limit) : 0;
}

/* The start of the instruction in which a random word lies. */
static size_t
some_instruction(const uint32_t *w, size_t count)
{
    size_t target = HEADER + random_below((uint32_t)(count - HEADER)), at = HEADER;
    while (at < count && (w[at] >> 16) && at + (w[at] >> 16) <= target)
        at += w[at] >> 16;
    return at < count ? at : HEADER;
}

static void
swap_instructions(uint32_t *w, size_t count)
{
    size_t a = some_instruction(w, count), b = a + (w[a] >> 16);
    if (b >= count || b + (w[b] >> 16) > count)
        return;
    size_t na = w[a] >> 16, nb = w[b] >> 16;
    uint32_t *copy = malloc(na * 4 + 4);
    memcpy(copy, w + a, na * 4);
    memmove(w + a, w + b, nb * 4);
    memcpy(w + a + nb, copy, na * 4);
    free(copy);
}

/* One mutation; returns the new size in bytes. */
static size_t
mutate(uint32_t *w, size_t bytes)
{
    static const uint32_t strange[] = {0, 1, 0xffffffffu, 0x80000000u, 4194303, 65535, 0x00010000u, 4096};
    size_t count = bytes / 4, at;
    if (count <= HEADER + 1)
        return bytes;
    switch (random_below(11)) {
    case 0: return random_below((uint32_t)bytes);
    case 1: return (size_t)random_below((uint32_t)count) * 4;
    case 2: w[random_below((uint32_t)count)] ^= 1u << random_below(32); break;
    case 3: swap_instructions(w, count); break;
    case 4:
        for (size_t i = 0; i < count; i++)
            w[i] = __builtin_bswap32(w[i]);
        break;
    case 5: w[3] = strange[random_below(8)]; break;
    case 6: w[some_instruction(w, count)] &= 0xffff; break;
    case 7: w[HEADER + random_below((uint32_t)(count - HEADER))] = strange[random_below(8)]; break;
    case 8: /* an id for another */
        at = some_instruction(w, count) + 1;
        if (at < count)
            w[at + random_below(3) < count ? at + random_below(2) : at] = 1 + random_below(w[3] ? w[3] : 1);
        break;
    case 9: /* an opcode for another */
        at = some_instruction(w, count);
        w[at] = (w[at] & 0xffff0000u) | random_below(random_below(2) ? 400 : 6500);
        break;
    default: /* one instruction over another of its length */
        at = some_instruction(w, count);
        for (int tries = 0; tries < 8; tries++) {
            size_t from = some_instruction(w, count);
            if (from != at && w[from] >> 16 == w[at] >> 16 && from + (w[at] >> 16) <= count &&
                at + (w[at] >> 16) <= count) {
                memmove(w + at, w + from, (size_t)(w[at] >> 16) * 4);
                break;
            }
        }
    }
    return bytes;
}

static uint32_t *
read_words(const char *path, size_t *bytes)
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

int
main(int argc, char **argv)
{
    if (argc < 4)
        return fprintf(stderr, "usage: mutate ROUNDS SEED FILE...\n"), 2;
    unsigned long rounds = strtoul(argv[1], NULL, 0), first = strtoul(argv[2], NULL, 0);
    for (int file = 3; file < argc; file++) {
        size_t bytes;
        uint32_t *original = read_words(argv[file], &bytes);
        if (!original)
            return fprintf(stderr, "%s: cannot be read\n", argv[file]), 2;
        uint32_t *w = malloc(bytes + 4);
        for (unsigned long round = 0; round < rounds; round++) {
            fprintf(stderr, "\rmutate 1 %lu %s ", first + round, argv[file]);
            state = (first + round + 1) * 0x9e3779b97f4a7c15u;
            memcpy(w, original, bytes);
            size_t size = bytes;
            for (uint32_t n = 1 + random_below(4); n; n--)
                size = mutate(w, size);
            alarm(SECONDS_PER_INPUT);
            LLVMFuzzerTestOneInput((const uint8_t *)w, size);
            alarm(0);
        }
        free(w);
        free(original);
    }
    fprintf(stderr, "\n");
    return 0;
}
