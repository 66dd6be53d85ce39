/* SPDX-License-Identifier: MIT */
/* What objects hold, in one function: calls outside, a jump table, constants of several alignments, a table
 * of addresses, zeroed and other data. Compiled into an object for the loader and into its test for the
 * answer. */
#include <stdint.h>
#include <string.h>
#include <math.h>

uint64_t loader_object(const uint64_t *in, uint64_t count, void *out);

static const double factors[8] __attribute__((aligned(64))) = {1.5, 2, 3, 4, 5, 6, 7, 8};
static uint64_t zeroed[3000];
static uint64_t counter = 40;

static __attribute__((noinline)) uint64_t
twice(uint64_t x)
{
    return x * 2;
}

static __attribute__((noinline)) uint64_t
thrice(uint64_t x)
{
    return x * 3 + (uint64_t)factors[x % 8];
}

/* Addresses in data: R_X86_64_64. */
static uint64_t (*volatile const functions[])(uint64_t) = {twice, thrice};
/* A function outside by its address: through a slot. */
static double (*volatile root)(double);

uint64_t
loader_object(const uint64_t *in, uint64_t count, void *out)
{
    uint64_t sum = 0;
    root = sqrt;
    for (uint64_t i = 0; i < count; i++) {
        switch (in[i] % 9) {
        case 0:
            sum += in[i];
            break;
        case 1:
            sum ^= in[i] << 3;
            break;
        case 2:
            sum = functions[in[i] & 1](sum);
            break;
        case 3:
            sum += (uint64_t)(pow((double)(in[i] % 100), 1.25) * 1000);
            break;
        case 4:
            sum += (uint64_t)factors[in[i] / 9 % 8];
            break;
        case 5:
            zeroed[in[i] % 3000] += i;
            sum += zeroed[in[i] % 3000];
            break;
        case 6:
            sum += counter++;
            break;
        case 7:
            sum -= (uint64_t)root((double)(in[i] % 1000));
            break;
        default:
            sum = ~sum;
        }
    }
    memcpy(out, in, count * sizeof *in);
    return sum;
}
