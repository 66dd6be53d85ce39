/* SPDX-License-Identifier: MIT */
/* Where the parts of lanewise-bench are. The build defines the two places that there may be. */
#include "paths.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "text.h"

static bool
in_build_tree(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length <= 0)
        return false;
    path[length] = 0;
    return !strncmp(path, BUILD_ROOT "/", strlen(BUILD_ROOT) + 1);
}

const char *
paths_suite(void)
{
    const char *given = getenv("LANEWISE_BENCH_SUITE");

    return given && *given ? given : in_build_tree() ? SOURCE_ROOT "/benchmark" : DATA_FOLDER;
}

const char *
paths_suite_modules(void)
{
    const char *given = getenv("LANEWISE_BENCH_SUITE");

    return in_build_tree() && !(given && *given) ? BUILD_ROOT "/benchmark" : NULL;
}

const char *
paths_limits(void)
{
    return in_build_tree() ? BUILD_ROOT "/benchmark" : LIBRARY_FOLDER;
}

const char *
paths_limit_header(void)
{
    return in_build_tree() ? SOURCE_ROOT "/benchmark" : DATA_FOLDER;
}

const char *
paths_own_icd(void)
{
    return in_build_tree() && file_exists(BUILD_ROOT "/src/opencl/lanewise.icd") ? BUILD_ROOT
               "/src/opencl/lanewise.icd"
                                                                                 : NULL;
}

char *
paths_tool(const char *name)
{
    char path[4096], *slash, *found;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length <= 0)
        return NULL;
    path[length] = 0;
    slash = strrchr(path, '/');
    *slash = 0;
    found = in_build_tree() ? text_make("%s/tools/%s/%s", BUILD_ROOT, name, name)
                            : text_make("%s/%s", path, name);
    if (access(found, X_OK) == 0)
        return found;
    free(found);
    return NULL;
}

const char *
paths_clang(void)
{
    const char *given = getenv("LANEWISE_CLANG");

    return given && *given ? given : CLANG;
}
