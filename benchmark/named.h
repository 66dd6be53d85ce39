/* SPDX-License-Identifier: MIT */
/* For headers that define the functions of several kernels, by NAME. */
#include "limit.h"

/* NAME is a macro, which those of limit.h take only at second hand. */
#define REFERENCE(name) LIMIT_REFERENCE(name)
#define PHASES(name, count) LIMIT_PHASES(name, count)
#define UNITS(name, phase) LIMIT_UNITS(name, phase)
#define RUN(name, phase, begin, end) LIMIT_RUN(name, phase, begin, end)

/* function(in, out, count, n) with the sub-group size as a constant n. */
#define BY_SUB_GROUP(function, in, out, count)                                                               \
    do {                                                                                                     \
        switch (limit->subgroup) {                                                                           \
        case 4:                                                                                              \
            function(in, out, count, 4);                                                                     \
            break;                                                                                           \
        case 8:                                                                                              \
            function(in, out, count, 8);                                                                     \
            break;                                                                                           \
        case 16:                                                                                             \
            function(in, out, count, 16);                                                                    \
            break;                                                                                           \
        case 32:                                                                                             \
            function(in, out, count, 32);                                                                    \
            break;                                                                                           \
        case 64:                                                                                             \
            function(in, out, count, 64);                                                                    \
            break;                                                                                           \
        }                                                                                                    \
    } while (0)
