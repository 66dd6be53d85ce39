/* SPDX-License-Identifier: MIT */
/* How many processors this process may use: the affinity mask, capped by the cgroup's quota. */
#include "objects.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static unsigned
affinity_cpus(void)
{
    /* The kernel refuses a set smaller than its own: grow until it fits. */
    for (int cpus = 1024; cpus <= 1 << 20; cpus *= 4) {
        cpu_set_t *set = CPU_ALLOC(cpus);
        if (!set)
            return 1;
        size_t size = CPU_ALLOC_SIZE(cpus);
        int failed = sched_getaffinity(0, size, set), why = errno;
        int count = failed ? 0 : CPU_COUNT_S(size, set);
        CPU_FREE(set);
        if (!failed)
            return count > 0 ? (unsigned)count : 1;
        if (why != EINVAL)
            return 1;
    }
    return 1;
}

/* Quota and period, e.g. "150000 100000" -> 2 processors; UINT_MAX for "max". */
static unsigned
quota_cpus(double quota, double period)
{
    if (!(quota > 0) || !(period > 0))
        return UINT_MAX;
    double cpus = quota / period;
    unsigned whole = cpus >= 65536 ? 65536 : (unsigned)cpus;
    return whole < cpus ? whole + 1 : whole;
}

static unsigned
read_cpu_max(const char *directory)
{
    char path[PATH_MAX], text[64];
    if (snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", directory) >= (int)sizeof path)
        return UINT_MAX;
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT_MAX;
    unsigned cpus = UINT_MAX;
    double quota, period;
    if (fgets(text, sizeof text, file) && sscanf(text, "%lf %lf", &quota, &period) == 2)
        cpus = quota_cpus(quota, period);
    fclose(file);
    return cpus;
}

/* Version 2: the limit of every ancestor holds. `path` is cut from the end. */
static unsigned
unified_quota(char *path)
{
    unsigned least = UINT_MAX;
    for (;;) {
        unsigned here = read_cpu_max(path);
        if (here < least)
            least = here;
        char *slash = strrchr(path, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

static double
read_v1(const char *path, const char *name)
{
    char file_name[PATH_MAX];
    double value = 0;
    if (snprintf(file_name, sizeof file_name, "/sys/fs/cgroup/cpu%s/%s", path, name) >= (int)sizeof file_name)
        return 0;
    FILE *file = fopen(file_name, "re");
    if (!file)
        return 0;
    if (fscanf(file, "%lf", &value) != 1)
        value = 0;
    fclose(file);
    return value;
}

static unsigned
v1_quota(const char *path)
{
    unsigned here = quota_cpus(read_v1(path, "cpu.cfs_quota_us"), read_v1(path, "cpu.cfs_period_us"));
    /* Inside a container the path names a directory of the host, and the container's own is the root. */
    unsigned root = quota_cpus(read_v1("", "cpu.cfs_quota_us"), read_v1("", "cpu.cfs_period_us"));
    return here < root ? here : root;
}

static unsigned
cgroup_cpus(void)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return UINT_MAX;
    char line[PATH_MAX];
    unsigned least = UINT_MAX;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        controllers++;
        unsigned cpus = UINT_MAX;
        if (controllers[0] == '\0')
            cpus = unified_quota(path);
        else if (strcmp(controllers, "cpu") == 0 || strncmp(controllers, "cpu,", 4) == 0 ||
                 strstr(controllers, ",cpu,"))
            cpus = v1_quota(path);
        if (cpus < least)
            least = cpus;
    }
    fclose(file);
    return least;
}

unsigned
lw_usable_cpus(void)
{
    unsigned mask = affinity_cpus(), quota = cgroup_cpus();
    unsigned cpus = mask < quota ? mask : quota;
    return cpus ? cpus : 1;
}
