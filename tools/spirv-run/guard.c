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
    return cli_region_create_part(region, bytes, align, 0, bytes);
}

/* What of the front and the slack is there gets the pattern. */
static void
fill_slack(struct cli_region *region)
{
    unsigned char *end = region->base + region->bytes;
    if (region->open < region->base)
        memset(region->open, SLACK_PATTERN, (size_t)(region->base - region->open));
    if (region->open_end > end)
        memset(end, SLACK_PATTERN, (size_t)(region->open_end - end));
}

static unsigned char *
map_body(struct cli_region *region)
{
    return region->base - region->front;
}

bool
cli_region_complete(struct cli_region *region)
{
    unsigned char *start = map_body(region), *end = region->base + region->bytes + region->slack;
    if (mprotect(start, (size_t)(end - start), PROT_READ | PROT_WRITE))
        return false;
    region->open = start;
    region->open_end = end;
    fill_slack(region);
    return true;
}

bool
cli_region_create_part(struct cli_region *region, size_t bytes, size_t align, size_t first, size_t end)
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
        region->map = map;
        region->map_bytes = body + 2 * guard;
        region->bytes = bytes;
        region->slack = (align - bytes % align) % align;
        region->base = start + body - region->slack - bytes;
        region->front = (size_t)(region->base - start);
        /* whole pages around the part; a part without bytes has none, unless it is of nothing */
        size_t low = (region->front + first) / page * page,
               high = (region->front + end + page - 1) / page * page;
        region->open = first == 0 ? start : start + low;
        region->open_end = end == bytes ? start + body : start + high;
        if (first == end && bytes)
            region->open_end = region->open;
        if (region->open_end > region->open &&
            mprotect(region->open, (size_t)(region->open_end - region->open), PROT_READ | PROT_WRITE)) {
            munmap(map, body + 2 * guard);
            return false;
        }
        fill_slack(region);
        return true;
    }
    return false;
}

bool
cli_region_intact(const struct cli_region *region, ptrdiff_t *where)
{
    for (const unsigned char *at = region->base + region->bytes; at < region->open_end; at++)
        if (*at != SLACK_PATTERN) {
            *where = at - region->base;
            return false;
        }
    for (const unsigned char *at = region->base; at > region->open; at--)
        if (at[-1] != SLACK_PATTERN) {
            *where = at - 1 - region->base;
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
