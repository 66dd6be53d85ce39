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
            for (uint32_t n = 1 + fuzz_below(&random, 4); n; n--)
                size = fuzz_mutate(&random, FUZZ_ANY, w, size);
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
