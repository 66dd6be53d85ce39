/* SPDX-License-Identifier: MIT */
/* Finds, filters and sorts the kernels to measure. */
#include "suite.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "text.h"

static bool
add_section(struct suite *suite, const char *path, const char *section, bool built_in, char *error,
            size_t error_bytes)
{
    struct description *description = description_read(path, section, error, error_bytes);

    if (!description)
        return false;
    for (size_t i = 0; i < suite->count; i++)
        if (!strcmp(suite->kernels[i].description->name, description->name)) {
            snprintf(error, error_bytes, "%s: there is already a kernel of this name, %s: rename one", path,
                     suite->kernels[i].description->path);
            description_free(description);
            return false;
        }
    suite->kernels = memory_grow(suite->kernels, (suite->count + 1) * sizeof *suite->kernels);
    suite->kernels[suite->count++] = (struct suite_kernel){.description = description, .built_in = built_in};
    return true;
}

static bool
add_description(struct suite *suite, const char *path, bool built_in, char *error, size_t error_bytes)
{
    char **sections = description_sections(path, error, error_bytes);
    bool good = sections && (sections[0] || add_section(suite, path, NULL, built_in, error, error_bytes));

    for (size_t i = 0; good && sections[i]; i++)
        good = add_section(suite, path, sections[i], built_in, error, error_bytes);
    description_sections_free(sections);
    return good;
}

static bool
add_one_folder(struct suite *suite, const char *folder, bool built_in, bool deeper, char *error,
               size_t error_bytes)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    bool good = true;

    if (count < 0) {
        snprintf(error, error_bytes, "%s: %s", folder, strerror(errno));
        return false;
    }
    for (int i = 0; i < count; i++) {
        char *path = text_make("%s/%s", folder, entries[i]->d_name);
        size_t length = strlen(entries[i]->d_name);
        struct stat about;

        if (good && entries[i]->d_name[0] != '.' && stat(path, &about) == 0) {
            if (S_ISDIR(about.st_mode) && deeper)
                good = add_one_folder(suite, path, built_in, false, error, error_bytes);
            else if (S_ISREG(about.st_mode) && length > 4 && !strcmp(entries[i]->d_name + length - 4, ".txt"))
                good = add_description(suite, path, built_in, error, error_bytes);
        }
        free(path);
        free(entries[i]);
    }
    free(entries);
    return good;
}

bool
suite_add(struct suite *suite, const char *folder, bool built_in, char *error, size_t error_bytes)
{
    size_t before = suite->count, length = strlen(folder);
    char *clean = text_copy(folder);
    bool good;

    while (length > 1 && clean[length - 1] == '/')
        clean[--length] = 0;
    good = add_one_folder(suite, clean, built_in, true, error, error_bytes);
    free(clean);
    if (good && suite->count == before) {
        snprintf(error, error_bytes, "%s: holds no description (NAME.txt, or NAME/NAME.txt)", folder);
        good = false;
    }
    return good;
}

static void
kernel_free(struct suite_kernel *kernel)
{
    description_free(kernel->description);
    free(kernel->il);
    free(kernel->source);
    free(kernel->reference);
    free(kernel->limit);
    free(kernel->openmp[0]);
    free(kernel->openmp[1]);
    free(kernel->il_error);
}

/* Keeps what matches; `of` tells the text of a kernel that is matched. */
static bool
keep(struct suite *suite, const char *patterns, const char *(*of)(const struct description *),
     const char *what, char *error, size_t error_bytes)
{
    char *copy = text_copy(patterns), *save = NULL;
    bool *kept = memory_get(suite->count), good = true;
    size_t left = 0;

    for (char *one = strtok_r(copy, ",", &save); one && good; one = strtok_r(NULL, ",", &save)) {
        bool found = false;

        for (size_t i = 0; i < suite->count; i++)
            if (fnmatch(one, of(suite->kernels[i].description), 0) == 0)
                kept[i] = found = true;
        good = found;
        if (!found)
            snprintf(error, error_bytes, "--%s %s: no kernel's %s is that: --list shows them", what, one,
                     !strcmp(what, "group") ? "group" : "name");
    }
    for (size_t i = 0; i < suite->count && good; i++) {
        if (kept[i])
            suite->kernels[left++] = suite->kernels[i];
        else
            kernel_free(&suite->kernels[i]);
    }
    if (good)
        suite->count = left;
    free(kept);
    free(copy);
    return good;
}

static const char *
name_of(const struct description *description)
{
    return description->name;
}

static const char *
group_of(const struct description *description)
{
    return description->group;
}

bool
suite_keep(struct suite *suite, const char *names, const char *groups, char *error, size_t error_bytes)
{
    if (groups && !keep(suite, groups, group_of, "group", error, error_bytes))
        return false;
    return !names || keep(suite, names, name_of, "kernel", error, error_bytes);
}

static int
group_rank(const char *group)
{
    static const char *const order[] = {"sub-group", "work-group", "barrier", "divergent",
                                        "math",      "memory",     "private", "shape"};

    for (int i = 0; i < 8; i++)
        if (!strcmp(order[i], group))
            return i;
    return 8;
}

static int
by_group(const void *a, const void *b)
{
    const struct description *x = ((const struct suite_kernel *)a)->description;
    const struct description *y = ((const struct suite_kernel *)b)->description;
    int rank = group_rank(x->group) - group_rank(y->group), group = strcmp(x->group, y->group);

    return rank ? rank : group ? group : strcmp(x->name, y->name);
}

void
suite_sort(struct suite *suite)
{
    if (suite->count)
        qsort(suite->kernels, suite->count, sizeof *suite->kernels, by_group);
}

void
suite_free(struct suite *suite)
{
    for (size_t i = 0; i < suite->count; i++)
        kernel_free(&suite->kernels[i]);
    free(suite->kernels);
    *suite = (struct suite){0};
}
