/* SPDX-License-Identifier: MIT */
/* Memory that ends, or begins, at an unmapped page. */
#include "borders.h"

#include <check.h>
#include <sys/mman.h>

unsigned char *pages;

void
map_pages(void)
{
    unsigned char *p = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert(p != MAP_FAILED && !mprotect(p + 4096, 4096, PROT_READ | PROT_WRITE));
    pages = p + 4096;
}

void
unmap_pages(void)
{
    munmap(pages - 4096, 3 * 4096);
}

bool
check_at_borders(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask, unsigned record,
                 bool stores)
{
    static _Alignas(64) unsigned char other[24 * 512];

    for (unsigned inside = 0; inside <= n; inside++) {
        for (unsigned side = 0; side < 2; side++) {
            uint64_t low = inside < 64 ? (1ull << inside) - 1 : ~0ull;
            uint64_t lanes = mask & (side ? low << (n - inside) % 64 : low);
            unsigned char *p = side ? pages - (n - inside) * record : pages + 4096 - inside * record;
            random_fill(other, c->t, n);
            if (stores)
                f(other, inside ? lanes : 0, p);
            else
                f(p, inside ? lanes : 0, other);
            for (unsigned i = 0; inside && i < n && record == type_size(c->t); i++)
                if (active(lanes, i) && value_get(p, c->t, i) != value_get(other, c->t, i))
                    return false;
        }
    }
    return true;
}
