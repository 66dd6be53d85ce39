/* SPDX-License-Identifier: MIT */
/* How many processors this process may use: the affinity mask, capped by the cgroup's quota. */
#include "../objects.h"
#include "cgroup.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

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

static double
read_number(const char *directory, const char *name)
{
    char text[64];
    double value;
    return lw_cgroup_line(directory, name, text, sizeof text) && sscanf(text, "%lf", &value) == 1 ? value : 0;
}

static void
cap_by_quota(const char *directory, bool unified, void *least)
{
    char text[64];
    double quota = 0, period = 0;
    if (!unified) {
        quota = read_number(directory, "cpu.cfs_quota_us");
        period = read_number(directory, "cpu.cfs_period_us");
    } else if (!lw_cgroup_line(directory, "cpu.max", text, sizeof text) ||
               sscanf(text, "%lf %lf", &quota, &period) != 2) {
        quota = 0;
    }
    unsigned cpus = quota_cpus(quota, period);
    if (cpus < *(unsigned *)least)
        *(unsigned *)least = cpus;
}

unsigned
lw_usable_cpus(void)
{
    unsigned cpus = affinity_cpus();
    lw_cgroup_visit("cpu", cap_by_quota, &cpus);
    return cpus ? cpus : 1;
}
