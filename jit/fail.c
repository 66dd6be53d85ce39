/* SPDX-License-Identifier: MIT */
/* How every file of the compiler fails: the error is filled, and false returned. */
#include "jit.h"

#include <stdarg.h>
#include <stdio.h>

bool
lw_jit_fail(lw_error *error, lw_status status, const char *format, ...)
{
    va_list list;

    error->status = status;
    error->word = 0;
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    return false;
}
