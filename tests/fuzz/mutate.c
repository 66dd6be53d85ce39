/* SPDX-License-Identifier: MIT */
/* Seeded mutations of real modules through the fuzz target: mutate ROUNDS SEED FILE... A crash is the
 * failure; the last line printed has what replays it. */
#include "mutation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SECONDS_PER_INPUT 10

static void
splice(struct fuzz_random *random, uint32_t *w, size_t bytes, const char *path)
{
    size_t other_bytes;
    uint32_t *other = fuzz_read(path, &other_bytes);
    if (other)
        fuzz_splice(random, w, bytes, other, other_bytes);
    free(other);
}

int
main(int argc, char **argv)
{
    if (argc < 4)
        return fprintf(stderr, "usage: mutate ROUNDS SEED FILE...\n"), 2;
    struct fuzz_random random;
    unsigned long rounds = strtoul(argv[1], NULL, 0), first = strtoul(argv[2], NULL, 0);
    for (int file = 3; file < argc; file++) {
        size_t bytes;
        uint32_t *original = fuzz_read(argv[file], &bytes);
        if (!original)
            return fprintf(stderr, "%s: cannot be read\n", argv[file]), 2;
        uint32_t *w = malloc(bytes + 4);
        for (unsigned long round = 0; round < rounds; round++) {
            fprintf(stderr, "\rmutate 1 %lu %s ", first + round, argv[file]);
            fuzz_seed(&random, first + round);
            memcpy(w, original, bytes);
            size_t size = bytes;
            if (round % 4 == 0) /* with another module of those that were given */
                splice(&random, w, bytes, argv[3 + fuzz_below(&random, (uint32_t)argc - 3)]);
            enum fuzz_kind kind = round % 2 ? FUZZ_ANY : FUZZ_INSIDE;
            for (uint32_t n = fuzz_below(&random, round % 4 ? 4 : 2) + (round % 4 != 0); n; n--)
                size = fuzz_mutate(&random, kind, w, size);
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
