/* SPDX-License-Identifier: MIT */
/* What goes in comes out. */
#include "limit.h"

LIMIT_REFERENCE(pipe_item)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    memcpy(out, in, limit->size * sizeof *out);
}

LIMIT_REFERENCE(pipe_item_wide)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    memcpy(out, in, limit->size * 4 * sizeof *out);
}

LIMIT_REFERENCE(pipe_item_some)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    for (size_t i = 0; i < limit->size; i++)
        out[i] = in[i] > 0 ? in[i] : 0;
}
