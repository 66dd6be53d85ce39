/* SPDX-License-Identifier: MIT */
/* Buffers between pages that may not be touched, so that an access out of bounds is caught where it happens.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cli.h"

/* Address space only: wide enough that a stride or a wrong row still lands in it and is told with its
 * argument. */
#define GUARD_BYTES ((size_t)64 << 20)
#define SLACK_PATTERN 0xa5

bool
cli_region_create(struct cli_region *region, size_t bytes, size_t align)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    memset(region, 0, sizeof *region);
    if (bytes > (size_t)1 << 46)
        return false;
    size_t body = (bytes + align + page - 1) / page * page;
    for (size_t guard = GUARD_BYTES; guard >= page; guard = guard > page ? page : 0) {
        void *map =
            mmap(NULL, body + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (map == MAP_FAILED)
            continue; /* an address space limit: one page is a guard as well */
        unsigned char *start = (unsigned char *)map + guard;
        if (mprotect(start, body, PROT_READ | PROT_WRITE)) {
            munmap(map, body + 2 * guard);
            return false;
        }
        region->map = map;
        region->map_bytes = body + 2 * guard;
        region->bytes = bytes;
        region->slack = (align - bytes % align) % align;
        region->base = start + body - region->slack - bytes;
        region->front = (size_t)(region->base - start);
        memset(start, SLACK_PATTERN, region->front);
        memset(region->base + bytes, SLACK_PATTERN, region->slack);
        return true;
    }
    return false;
}

bool
cli_region_intact(const struct cli_region *region, ptrdiff_t *where)
{
    for (size_t i = 0; i < region->slack; i++)
        if (region->base[region->bytes + i] != SLACK_PATTERN) {
            *where = (ptrdiff_t)(region->bytes + i);
            return false;
        }
    for (size_t i = 1; i <= region->front; i++)
        if (*(region->base - i) != SLACK_PATTERN) {
            *where = -(ptrdiff_t)i;
            return false;
        }
    return true;
}

void
cli_region_free(struct cli_region *region)
{
    if (region->map)
        munmap(region->map, region->map_bytes);
    memset(region, 0, sizeof *region);
}
