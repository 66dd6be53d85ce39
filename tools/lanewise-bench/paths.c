/* SPDX-License-Identifier: MIT */
/* Where the parts of lanewise-bench are: in the build tree that it is in, or where they are installed,
 * relative to the program. */
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

/* The build tree that this program is in, by a file at its root that names the sources; nothing that is
 * installed has a path of the build in it. */
static struct {
    bool looked;
    char build[PATH_MAX], source[PATH_MAX]; /* "" where there is none */
} tree;

static bool
read_root(const char *folder)
{
    char *path = text_make("%s/lanewise-build-tree", folder);
    FILE *in = fopen(path, "r");
    bool found = in && fgets(tree.source, sizeof tree.source, in);

    if (in)
        fclose(in);
    free(path);
    if (!found)
        return false;
    tree.source[strcspn(tree.source, "\n")] = 0;
    strcpy(tree.build, folder);
    return true;
}

static bool
in_build_tree(void)
{
    char folder[PATH_MAX];

    if (!tree.looked && own_folder(folder))
        while (*folder && !read_root(folder))
            *strrchr(folder, '/') = 0;
    tree.looked = true;
    return *tree.build;
}

/* A file of the build, or of its sources; `kept` has its path for good. */
static const char *
in_tree(const char *root, const char *name, char kept[PATH_MAX])
{
    return snprintf(kept, PATH_MAX, "%s/%s", root, name) < PATH_MAX ? kept : name;
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

static const char *
source_data(void)
{
    static char path[PATH_MAX];

    return in_build_tree() ? in_tree(tree.source, "benchmark", path) : installed_data();
}

const char *
paths_suite(void)
{
    const char *given = getenv("LANEWISE_BENCH_SUITE");

    return given && *given ? given : source_data();
}

const char *
paths_suite_modules(void)
{
    static char path[PATH_MAX];
    const char *given = getenv("LANEWISE_BENCH_SUITE");

    return in_build_tree() && !(given && *given) ? in_tree(tree.build, "benchmark", path) : NULL;
}

const char *
paths_limits(void)
{
    static char path[PATH_MAX];

    return in_build_tree() ? in_tree(tree.build, "benchmark", path)
                           : installed(LIBRARY_FOLDER "/lanewise-bench", path);
}

const char *
paths_limit_header(void)
{
    return source_data();
}

const char *
paths_own_icd(void)
{
    static char path[PATH_MAX];
    const char *own = in_build_tree() ? in_tree(tree.build, "src/opencl/lanewise.icd", path)
                                      : installed(LIBRARY_FOLDER "/lanewise/liblanewise-opencl.so", path);

    return file_exists(own) ? own : NULL;
}

char *
paths_tool(const char *name)
{
    char folder[PATH_MAX], *found;

    if (!own_folder(folder))
        return NULL;
    found = in_build_tree() ? text_make("%s/tools/%s/%s", tree.build, name, name)
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
