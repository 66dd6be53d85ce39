/* SPDX-License-Identifier: MIT */
/* The loops of WITH_REALS, a header, for each type of floating point: REAL is the type, NAME(x) what the
 * function is called. HALF_TOO: for half, too. */
#include <math.h>

#define EXP(x) ((REAL)(sizeof(REAL) == 8 ? exp((double)(x)) : (double)expf((float)(x))))
#define SQRT(x) ((REAL)(sizeof(REAL) == 8 ? sqrt((double)(x)) : (double)sqrtf((float)(x))))

#define REAL float
#define NAME(name) name
#include WITH_REALS
#undef REAL
#undef NAME

#define REAL double
#define NAME(name) name##_double
#include WITH_REALS
#undef REAL
#undef NAME

#ifdef HALF_TOO
#define REAL _Float16
#define NAME(name) name##_half
#include WITH_REALS
#undef REAL
#undef NAME
#endif
