/* SPDX-License-Identifier: MIT */
/* Error sentences, and the small public functions that belong to no object. */
#include "api.h"

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
        return "avx512-v4";
    case LW_ISA_AVX512_VBMI:
        return "avx512-vbmi";
    case LW_ISA_AVX512_FP16:
        return "avx512";
    }
    return "unknown";
}

const char *
lw_version(void)
{
    return LW_VERSION;
}
