/* SPDX-License-Identifier: MIT */
/* The emitter's only way to fail: it names kernel, instruction and word, and the first failure stays. */
#include "emitter.h"

#include <stdarg.h>
#include <stdio.h>

void
lw_emit_fail(lw_emitter *e, const char *format, ...)
{
    char text[600];
    va_list args;
    if (e->failed)
        return;
    e->failed = true;
    if (!e->error)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    e->error->status = LW_INTERNAL; /* the check has passed */
    e->error->word = e->inst ? e->inst->at : 0;
    if (e->inst)
        snprintf(e->error->text, sizeof e->error->text,
                 "kernel %.200s: %s at word %u: %s is not what the check let through", e->kernel->name,
                 lw_op_name(e->inst->op), e->inst->at, text);
    else
        snprintf(e->error->text, sizeof e->error->text, "kernel %.200s: %s is not what the check let through",
                 e->kernel->name, text);
}
