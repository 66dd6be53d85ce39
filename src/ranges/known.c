/* SPDX-License-Identifier: MIT */
/* Which integer arguments code is to know, and whether it is the dispatch's values that it knows. */
#include "known.h"

#include <string.h>

bool
lw_may_be_known(const struct lw_kernel_desc *desc, uint32_t index)
{
    const lw_arg_info *info = &desc->args[index].info;
    return index < 64 && info->kind == LW_ARG_VALUE && info->components == 1 && info->scalar[0] == 'i';
}

uint64_t
lw_integer_argument(const lw_kernel *kernel, uint32_t index)
{
    uint64_t value = 0;
    memcpy(&value, kernel->args + kernel->desc->args[index].offset, kernel->desc->args[index].info.size);
    return value;
}

/* Found when it is asked first, once for all kernel objects. */
static bool
is_stride(const lw_kernel *kernel, uint32_t index)
{
    const uint64_t asked = UINT64_C(1) << 63; /* no argument's bit */
    _Atomic uint64_t *known = &kernel->build->strides[kernel->entry_point];
    uint64_t strides = atomic_load_explicit(known, memory_order_relaxed);
    if (!strides) {
        strides = lw_find_strides(kernel->build->module, kernel->desc) | asked;
        atomic_store_explicit(known, strides, memory_order_relaxed);
    }
    return strides >> index & 1;
}

uint64_t
lw_find_ones(const lw_kernel *kernel)
{
    uint64_t ones = 0;
    for (uint32_t i = 0; i < kernel->desc->arg_count; i++)
        if (lw_may_be_stride(kernel->desc, i) && lw_integer_argument(kernel, i) == 1 && is_stride(kernel, i))
            ones |= UINT64_C(1) << i;
    return ones;
}

/* So many of them as shapes have room for. */
static uint64_t
first_of(uint64_t arguments)
{
    uint64_t first = 0;
    for (unsigned count = 0; arguments && count < LW_MOST_VALUES; count++, arguments &= arguments - 1)
        first |= arguments & -arguments;
    return first;
}

uint64_t
lw_find_known(const lw_kernel *kernel)
{
    uint64_t all = 0;
    if (kernel->program->device->options.values != LW_VALUES_ALWAYS)
        return first_of(lw_find_ones(kernel));
    for (uint32_t i = 0; i < kernel->desc->arg_count; i++)
        all |= (uint64_t)lw_may_be_known(kernel->desc, i) << (i & 63);
    return first_of(all);
}

void
lw_know_arguments(const lw_kernel *kernel, uint64_t known, struct lw_shape *shape)
{
    unsigned count = 0;
    memset(shape->values, 0, sizeof shape->values);
    shape->known = first_of(known);
    for (uint64_t left = shape->known; left; left &= left - 1)
        shape->values[count++] = lw_integer_argument(kernel, (uint32_t)__builtin_ctzll(left));
}

bool
lw_known_arguments_are(const lw_kernel *kernel, const struct lw_shape *shape)
{
    const uint64_t *value = shape->values;
    if (shape->known != lw_find_known(kernel))
        return false;
    for (uint64_t left = shape->known; left; left &= left - 1)
        if (*value++ != lw_integer_argument(kernel, (uint32_t)__builtin_ctzll(left)))
            return false;
    return true;
}
