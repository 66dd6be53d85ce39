/* SPDX-License-Identifier: MIT */
/* An ICD that crashes, or never answers, at its first call: FAKE_ICD=crash or hang. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((visibility("default"))) void *clGetExtensionFunctionAddress(const char *name);

static int
get_platforms(unsigned count, void **platforms, unsigned *found)
{
    const char *what = getenv("FAKE_ICD");

    (void)count, (void)platforms, (void)found;
    if (what && !strcmp(what, "hang"))
        for (;;)
            pause();
    abort();
}

/* Loaders look for it before they ask for platforms. */
static int
get_platform_info(void *platform, unsigned what, size_t bytes, void *value, size_t *found)
{
    (void)platform, (void)what, (void)bytes, (void)value, (void)found;
    return -30;
}

void *
clGetExtensionFunctionAddress(const char *name)
{
    if (!strcmp(name, "clGetPlatformInfo"))
        return (void *)get_platform_info;
    return strcmp(name, "clIcdGetPlatformIDsKHR") ? NULL : (void *)get_platforms;
}
