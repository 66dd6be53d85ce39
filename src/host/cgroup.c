/* SPDX-License-Identifier: MIT */
/* The control groups that this process is in: whoever limits it, by processors or memory, does it there. */
#include "cgroup.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define ROOT "/sys/fs/cgroup"

static void
visit_path(const char *controller, const char *path, lw_cgroup_visitor *visit, void *data)
{
    char directory[PATH_MAX];
    int length = controller ? snprintf(directory, sizeof directory, ROOT "/%s%s", controller, path)
                            : snprintf(directory, sizeof directory, ROOT "%s", path);
    if (length > 0 && length < (int)sizeof directory)
        visit(directory, controller == NULL, data);
}

/* Version 2: the limit of every ancestor holds. `path` is cut from the end. */
static void
visit_ancestors(char *path, lw_cgroup_visitor *visit, void *data)
{
    for (;;) {
        visit_path(NULL, path, visit, data);
        char *slash = strrchr(path, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* Is it one of the names between commas? */
static bool
names(const char *list, const char *controller)
{
    size_t length = strlen(controller);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, controller, length) == 0)
            return true;
    return false;
}

void
lw_cgroup_visit(const char *controller, lw_cgroup_visitor *visit, void *data)
{
    char line[PATH_MAX];
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        controllers++;
        if (controllers[0] == '\0') {
            visit_ancestors(path, visit, data);
        } else if (names(controllers, controller)) {
            /* Inside a container the path names a directory of the host, and its own is the root. */
            visit_path(controller, path, visit, data);
            visit_path(controller, "", visit, data);
        }
    }
    if (file)
        fclose(file);
}

bool
lw_cgroup_line(const char *directory, const char *name, char *text, size_t size)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "re");
    bool good = file && fgets(text, (int)size, file);
    if (file)
        fclose(file);
    return good;
}
