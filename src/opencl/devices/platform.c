/* SPDX-License-Identifier: MIT */
/* The platform: one, with one device, made at the first call without touching the compiler. */
#include "../objects.h"

#include <stdlib.h>
#include <string.h>

#define PLATFORM_NAME "Lanewise"
#define PLATFORM_VENDOR "The Lanewise project"

/* The platform is the process's, as the API has it. */
static struct {
    pthread_once_t once;
    cl_platform_id platform;
} the = {.once = PTHREAD_ONCE_INIT};

static void
never_destroyed(void *object)
{
    (void)object;
}

static void
make_platform(void)
{
    cl_platform_id platform = lw_cl_new(LW_CL_PLATFORM, sizeof *platform, never_destroyed);
    if (!platform)
        return;
    platform->device = lw_cl_device_create(platform);
    if (platform->device)
        the.platform = platform;
    else
        lw_cl_drop(platform);
}

cl_platform_id
lw_cl_platform(void)
{
    pthread_once(&the.once, make_platform);
    return the.platform;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    if ((!platforms && !num_platforms) || (platforms && num_entries == 0))
        return CL_INVALID_VALUE;
    cl_platform_id platform = lw_cl_platform();
    if (num_platforms)
        *num_platforms = platform != NULL;
    if (!platform)
        return CL_PLATFORM_NOT_FOUND_KHR;
    if (platforms)
        platforms[0] = platform;
    return CL_SUCCESS;
}

static cl_int
platform_info(cl_platform_id platform, cl_platform_info name, const struct lw_cl_answer *to)
{
    const char *own_name = secure_getenv("LANEWISE_PLATFORM_NAME");
    (void)platform;
    switch (name) {
    case CL_PLATFORM_PROFILE: return lw_cl_answer_text(to, "FULL_PROFILE");
    case CL_PLATFORM_VERSION: return lw_cl_answer_text(to, LW_CL_VERSION_TEXT);
    case CL_PLATFORM_NAME: return lw_cl_answer_text(to, own_name && *own_name ? own_name : PLATFORM_NAME);
    case CL_PLATFORM_VENDOR: return lw_cl_answer_text(to, PLATFORM_VENDOR);
    case CL_PLATFORM_EXTENSIONS: return lw_cl_answer_text(to, lw_cl_extensions(platform->device));
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION: return lw_cl_answer_extensions(to, platform->device);
    case CL_PLATFORM_NUMERIC_VERSION: return lw_cl_answer_uint(to, LW_CL_VERSION);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION: return lw_cl_answer_ulong(to, 1);
    case CL_PLATFORM_UNLOADABLE_KHR: return lw_cl_answer_uint(to, CL_FALSE); /* it has threads */
    case CL_PLATFORM_ICD_SUFFIX_KHR: return lw_cl_answer_text(to, "LANEWISE");
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL
clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t size, void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    /* Without a platform the answer is implementation-defined: ours is the only one. */
    if (!platform)
        platform = lw_cl_platform();
    if (!lw_cl_is(platform, LW_CL_PLATFORM))
        return CL_INVALID_PLATFORM;
    return platform_info(platform, name, &to);
}

CL_API_ENTRY cl_int CL_API_CALL
clUnloadPlatformCompiler(cl_platform_id platform)
{
    return lw_cl_is(platform, LW_CL_PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

CL_API_ENTRY cl_int CL_API_CALL
clUnloadCompiler(void)
{
    return CL_SUCCESS;
}
