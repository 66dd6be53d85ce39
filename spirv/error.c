/* SPDX-License-Identifier: MIT */
/* Raising the errors of errors.def. */
#include "error.h"

#include <stdarg.h>

static const struct {
    lw_status status;
    const char *format;
} catalogue[LW_ERR_COUNT] = {
#define LW_ERR(name, status, format) [LW_ERR_##name] = {status, format},
#include "errors.def"
#undef LW_ERR
};

bool
lw_spirv_fail(lw_error *error, enum lw_spirv_error code, uint32_t word, ...)
{
    if (!error)
        return false;
    error->status = catalogue[code].status;
    error->word = word;
    va_list args;
    va_start(args, word);
    vsnprintf(error->text, sizeof error->text, catalogue[code].format, args);
    va_end(args);
    for (char *c = error->text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    return false;
}
