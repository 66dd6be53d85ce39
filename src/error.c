/* SPDX-License-Identifier: MIT */
/* Error sentences, and the small public functions that belong to no object. */
#include "objects.h"

#include <stdarg.h>
#include <string.h>

bool
lw_runtime_error(lw_error *error, lw_status status, const char *format, ...)
{
    if (!error)
        return false;
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    error->word = 0;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

void
lw_no_error(lw_error *error)
{
    if (!error)
        return;
    error->status = LW_OK;
    error->word = 0;
    error->text[0] = '\0';
}

const char *
lw_isa_name(lw_isa isa)
{
    switch (isa) {
    case LW_ISA_AUTO:
        return "auto";
    case LW_ISA_SSE42:
        return "sse4.2";
    case LW_ISA_AVX2:
        return "avx2";
    case LW_ISA_AVX512:
        return "avx512";
    }
    return "unknown";
}

/* The psABI levels are what jit/target.c generates code for: v4 is AVX-512 F, BW, CD, DQ and VL, v3 is AVX2
 * with FMA, BMI and F16C, v2 is SSE4.2 with POPCNT. The operating system's support is part of the answer. */
lw_isa
lw_isa_host(void)
{
    if (__builtin_cpu_supports("x86-64-v4"))
        return LW_ISA_AVX512;
    if (__builtin_cpu_supports("x86-64-v3"))
        return LW_ISA_AVX2;
    if (__builtin_cpu_supports("x86-64-v2"))
        return LW_ISA_SSE42;
    return LW_ISA_AUTO;
}

const char *
lw_version(void)
{
    return LW_VERSION;
}
