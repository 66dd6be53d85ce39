/* SPDX-License-Identifier: MIT */
/* What objects share: answers to clGet...Info, properties, destructor callbacks. */
#include "objects.h"

#include <stdlib.h>
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

void *
lw_cl_give(cl_int *errcode_ret, void *made)
{
    if (errcode_ret)
        *errcode_ret = CL_SUCCESS;
    return made;
}

/* ---- Properties ---- */

bool
lw_cl_copy_properties(struct lw_cl_properties *out, const cl_properties *given)
{
    *out = (struct lw_cl_properties){NULL, 0};
    if (!given)
        return true;
    size_t words = 1;
    while (given[words - 1])
        words += 2;
    out->list = malloc(words * sizeof *given);
    if (!out->list)
        return false;
    memcpy(out->list, given, words * sizeof *given);
    out->words = words;
    return true;
}

cl_int
lw_cl_answer_properties(const struct lw_cl_answer *to, const struct lw_cl_properties *properties)
{
    return lw_cl_answer_bytes(to, properties->list, properties->words * sizeof *properties->list);
}

/* ---- Destructor callbacks ---- */

cl_int
lw_cl_push_destructor(cl_context context, struct lw_cl_destructor **stack, void *function, void *data)
{
    if (!function)
        return CL_INVALID_VALUE;
    struct lw_cl_destructor *destructor = malloc(sizeof *destructor);
    if (!destructor)
        return CL_OUT_OF_HOST_MEMORY;
    destructor->function = function;
    destructor->data = data;
    pthread_mutex_lock(&context->memory_lock);
    destructor->next = *stack;
    *stack = destructor;
    pthread_mutex_unlock(&context->memory_lock);
    return CL_SUCCESS;
}

bool
lw_cl_pop_destructor(struct lw_cl_destructor **stack, struct lw_cl_destructor *out)
{
    struct lw_cl_destructor *top = *stack;
    if (!top)
        return false;
    *out = *top;
    *stack = top->next;
    free(top);
    return true;
}
