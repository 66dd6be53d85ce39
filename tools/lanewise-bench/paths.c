/* SPDX-License-Identifier: MIT */
/* Where the parts of lanewise-bench are. The build defines the two places that there may be: its own tree,
 * and, relative to the program, where the parts are installed. */
#include "paths.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "text.h"

/* This program's own path, its last component cut off in `folder`; false where /proc is not there. */
static bool
own_folder(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);

    if (length <= 0)
        return false;
    folder[length] = 0;
    *strrchr(folder, '/') = 0;
    return true;
}

static bool
in_build_tree(void)
{
    char folder[PATH_MAX];

    return own_folder(folder) && !strncmp(folder, BUILD_ROOT "/", strlen(BUILD_ROOT) + 1);
}

/* What is installed at `relative` to this program's folder, wherever that was moved; `kept` has it for good.
 */
static const char *
installed(const char *relative, char kept[PATH_MAX])
{
    char folder[PATH_MAX];

    if (!own_folder(folder) || snprintf(kept, PATH_MAX, "%s/%s", folder, relative) >= PATH_MAX)
        return relative;
    return kept;
}

static const char *
installed_data(void)
{
    static char path[PATH_MAX];

    return installed(DATA_FOLDER, path);
}

const char *
paths_suite(void)
{
    const char *given = getenv("LANEWISE_BENCH_SUITE");

    return given && *given ? given : in_build_tree() ? SOURCE_ROOT "/benchmark" : installed_data();
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
    static char path[PATH_MAX];

    return in_build_tree() ? BUILD_ROOT "/benchmark" : installed(LIBRARY_FOLDER "/lanewise-bench", path);
}

const char *
paths_limit_header(void)
{
    return in_build_tree() ? SOURCE_ROOT "/benchmark" : installed_data();
}

const char *
paths_own_icd(void)
{
    static char path[PATH_MAX];
    const char *own = in_build_tree() ? BUILD_ROOT "/src/opencl/lanewise.icd"
                                      : installed(LIBRARY_FOLDER "/lanewise/liblanewise-opencl.so", path);

    return file_exists(own) ? own : NULL;
}

char *
paths_tool(const char *name)
{
    char folder[PATH_MAX], *found;

    if (!own_folder(folder))
        return NULL;
    found = in_build_tree() ? text_make("%s/tools/%s/%s", BUILD_ROOT, name, name)
                            : text_make("%s/%s", folder, name);
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
