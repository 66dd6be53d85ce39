/* SPDX-License-Identifier: MIT */
/* Answers to clGet...Info: the rules about sizes, once for all of them. */
#include "objects.h"

#include <string.h>

cl_int
lw_cl_answer_bytes(const struct lw_cl_answer *to, const void *data, size_t size)
{
    if (to->value && to->size < size)
        return CL_INVALID_VALUE;
    if (to->value && size)
        memcpy(to->value, data, size);
    if (to->size_ret)
        *to->size_ret = size;
    return CL_SUCCESS;
}

cl_int
lw_cl_answer_text(const struct lw_cl_answer *to, const char *text)
{
    return lw_cl_answer_bytes(to, text, strlen(text) + 1);
}

cl_int
lw_cl_answer_uint(const struct lw_cl_answer *to, cl_uint value)
{
    return lw_cl_answer_bytes(to, &value, sizeof value);
}

cl_int
lw_cl_answer_ulong(const struct lw_cl_answer *to, cl_ulong value)
{
    return lw_cl_answer_bytes(to, &value, sizeof value);
}

cl_int
lw_cl_answer_size(const struct lw_cl_answer *to, size_t value)
{
    return lw_cl_answer_bytes(to, &value, sizeof value);
}

cl_int
lw_cl_answer_pointer(const struct lw_cl_answer *to, const void *value)
{
    return lw_cl_answer_bytes(to, &value, sizeof value);
}

void *
lw_cl_fail(cl_int *errcode_ret, cl_int error)
{
    if (errcode_ret)
        *errcode_ret = error;
    return NULL;
}

size_t
lw_cl_property_words(const cl_properties *properties)
{
    size_t words = 0;
    if (!properties)
        return 0;
    while (properties[words])
        words += 2;
    return words + 1;
}
