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

void *
clGetExtensionFunctionAddress(const char *name)
{
    return strcmp(name, "clIcdGetPlatformIDsKHR") ? NULL : (void *)get_platforms;
}
