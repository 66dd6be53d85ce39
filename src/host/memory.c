/* SPDX-License-Identifier: MIT */
/* How much memory this process may use: the machine's, capped by the limits of its control groups. Linux
 * gives out more than it has, and ends a process that writes it. */
#include "memory.h"
#include "cgroup.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/* What stands behind "NAME" in a file of names and numbers; 0: nothing. */
static uint64_t
number_of(FILE *file, const char *name)
{
    char line[256], word[64];
    uint64_t value;
    rewind(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%63s %" SCNu64, word, &value) == 2 && strcmp(word, name) == 0)
            return value;
    return 0;
}

static uint64_t
limit_of(const char *directory, bool unified)
{
    char text[64];
    uint64_t limit;
    const char *name = unified ? "memory.max" : "memory.limit_in_bytes";
    if (!lw_cgroup_line(directory, name, text, sizeof text) || sscanf(text, "%" SCNu64, &limit) != 1)
        return UINT64_MAX; /* "max" */
    return limit;
}

static void
cap_by_limit(const char *directory, bool unified, void *least)
{
    uint64_t limit = limit_of(directory, unified);
    if (limit && limit < *(uint64_t *)least)
        *(uint64_t *)least = limit;
}

uint64_t
lw_usable_memory(void)
{
    struct sysinfo machine = {0};
    sysinfo(&machine);
    uint64_t bytes = (uint64_t)machine.totalram * machine.mem_unit;
    lw_cgroup_visit("memory", cap_by_limit, &bytes);
    return bytes;
}

/* Of files, which the group can do without. */
static uint64_t
cached_by(const char *directory, bool unified)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/memory.stat", directory) >= (int)sizeof path)
        return 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    uint64_t bytes = unified ? number_of(file, "inactive_file") + number_of(file, "active_file")
                             : number_of(file, "total_inactive_file") + number_of(file, "total_active_file");
    fclose(file);
    return bytes;
}

static void
cap_by_rest(const char *directory, bool unified, void *least)
{
    char text[64];
    uint64_t used, limit = limit_of(directory, unified);
    if (limit > INT64_MAX / 2 ||
        !lw_cgroup_line(directory, unified ? "memory.current" : "memory.usage_in_bytes", text, sizeof text) ||
        sscanf(text, "%" SCNu64, &used) != 1)
        return;
    uint64_t room = limit + cached_by(directory, unified), rest = room > used ? room - used : 0;
    if (rest < *(uint64_t *)least)
        *(uint64_t *)least = rest;
}

uint64_t
lw_available_memory(void)
{
    uint64_t bytes = UINT64_MAX;
    FILE *file = fopen("/proc/meminfo", "re");
    if (file) {
        uint64_t available = number_of(file, "MemAvailable:"); /* since Linux 3.14 */
        if (available)
            bytes = (available + number_of(file, "SwapFree:")) * 1024;
        fclose(file);
    }
    lw_cgroup_visit("memory", cap_by_rest, &bytes);
    return bytes;
}

uint64_t
lw_resident_memory(void)
{
    uint64_t all = 0, resident = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    bool known = fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64, &all, &resident, &shared) == 3;
    fclose(file);
    return known && resident > shared ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}
