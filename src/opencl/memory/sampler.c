/* SPDX-License-Identifier: MIT */
/* Samplers: 5 bits, which kernels are given, and how they were asked for. */
#include "../objects.h"

#include <stdlib.h>

struct _cl_sampler {
    struct lw_cl_object object;
    cl_context context;
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    struct lw_cl_properties properties;
};

static void
destroy_sampler(void *object)
{
    cl_sampler sampler = object;
    free(sampler->properties.list);
    lw_cl_drop(sampler->context);
}

/* SPIR-V counts modes from CL_ADDRESS_NONE on. */
uint32_t
lw_cl_sampler_bits(cl_sampler sampler)
{
    return LW_SAMPLER_BITS(sampler->addressing - CL_ADDRESS_NONE, sampler->normalized ? 1u : 0u,
                           sampler->filter == CL_FILTER_LINEAR ? 1u : 0u);
}

bool
lw_cl_sampler_is_of(cl_sampler sampler, const struct _cl_context *context)
{
    return lw_cl_is(sampler, LW_CL_SAMPLER) && sampler->context == context;
}

static cl_sampler
make_sampler(cl_context context, const struct _cl_sampler *as, const cl_sampler_properties *properties,
             cl_int *errcode_ret)
{
    if (as->normalized > CL_TRUE || as->addressing < CL_ADDRESS_NONE ||
        as->addressing > CL_ADDRESS_MIRRORED_REPEAT ||
        (as->filter != CL_FILTER_NEAREST && as->filter != CL_FILTER_LINEAR))
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    cl_sampler sampler = lw_cl_new(LW_CL_SAMPLER, sizeof *sampler, destroy_sampler);
    if (!sampler)
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    sampler->context = context;
    lw_cl_hold(context);
    sampler->normalized = as->normalized;
    sampler->addressing = as->addressing;
    sampler->filter = as->filter;
    if (!lw_cl_copy_properties(&sampler->properties, properties)) {
        lw_cl_drop(sampler);
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    return lw_cl_give(errcode_ret, sampler);
}

static cl_int
check_context(cl_context context)
{
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    return lw_cl_has_images(context->device) ? CL_SUCCESS : CL_INVALID_OPERATION;
}

CL_API_ENTRY cl_sampler CL_API_CALL
clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
                cl_int *errcode_ret)
{
    const struct _cl_sampler as = {.normalized = normalized, .addressing = addressing, .filter = filter};
    cl_int error = check_context(context);
    return error ? lw_cl_fail(errcode_ret, error) : make_sampler(context, &as, NULL, errcode_ret);
}

/* Each name at most once. */
static bool
read_properties(const cl_sampler_properties *at, struct _cl_sampler *out)
{
    unsigned seen = 0;
    for (; at && *at; at += 2) {
        unsigned mark = 0;
        if (at[1] > UINT32_MAX)
            return false;
        switch (at[0]) {
        case CL_SAMPLER_NORMALIZED_COORDS: out->normalized = (cl_bool)at[1], mark = 1; break;
        case CL_SAMPLER_ADDRESSING_MODE: out->addressing = (cl_addressing_mode)at[1], mark = 2; break;
        case CL_SAMPLER_FILTER_MODE: out->filter = (cl_filter_mode)at[1], mark = 4; break;
        default: return false;
        }
        if (seen & mark)
            return false;
        seen |= mark;
    }
    return true;
}

CL_API_ENTRY cl_sampler CL_API_CALL
clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *properties,
                              cl_int *errcode_ret)
{
    struct _cl_sampler as = {
        .normalized = CL_TRUE, .addressing = CL_ADDRESS_CLAMP, .filter = CL_FILTER_NEAREST};
    cl_int error = check_context(context);
    if (!error && !read_properties(properties, &as))
        error = CL_INVALID_VALUE;
    return error ? lw_cl_fail(errcode_ret, error) : make_sampler(context, &as, properties, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL
clRetainSampler(cl_sampler sampler)
{
    return lw_cl_retain(sampler, LW_CL_SAMPLER);
}

CL_API_ENTRY cl_int CL_API_CALL
clReleaseSampler(cl_sampler sampler)
{
    return lw_cl_release(sampler, LW_CL_SAMPLER);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t size, void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    if (!lw_cl_is(sampler, LW_CL_SAMPLER))
        return CL_INVALID_SAMPLER;
    switch (name) {
    case CL_SAMPLER_REFERENCE_COUNT: return lw_cl_answer_uint(&to, lw_cl_refs(sampler));
    case CL_SAMPLER_CONTEXT: return lw_cl_answer_pointer(&to, sampler->context);
    case CL_SAMPLER_NORMALIZED_COORDS: return lw_cl_answer_uint(&to, sampler->normalized);
    case CL_SAMPLER_ADDRESSING_MODE: return lw_cl_answer_uint(&to, sampler->addressing);
    case CL_SAMPLER_FILTER_MODE: return lw_cl_answer_uint(&to, sampler->filter);
    case CL_SAMPLER_PROPERTIES: return lw_cl_answer_properties(&to, &sampler->properties);
    default: return CL_INVALID_VALUE;
    }
}
