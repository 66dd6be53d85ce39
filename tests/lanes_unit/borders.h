/* SPDX-License-Identifier: MIT */
/* Memory that ends, or begins, at an unmapped page. */
#ifndef LW_TESTS_LANES_BORDERS_H
#define LW_TESTS_LANES_BORDERS_H

#include "unit.h"

extern unsigned char *pages; /* one page between two that cannot be touched */

void map_pages(void);
void unmap_pages(void);
/* Lane memory at each place around the page's borders, with the lanes inside it (thinned by `mask`)
 * active. */
bool check_at_borders(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask, unsigned record,
                      bool stores);

static inline bool
active(uint64_t mask, unsigned i)
{
    return mask >> i & 1;
}

#endif
