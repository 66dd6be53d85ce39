/* SPDX-License-Identifier: MIT */
/* Memory at constant distances from lane 0, as whole vectors and shuffles. */
#ifndef LW_VECTORIZER_LANES_WINDOW_H
#define LW_VECTORIZER_LANES_WINDOW_H

#include <stdint.h>
#include "lanes.h"

struct lw_window {
    const int64_t *offsets; /* bytes of each lane from `pointer`, which is lane 0's */
    int64_t low, high; /* bytes that these and other accesses of the same lanes touch at both ends; low >=
                          high: unknown. Accesses with equal bounds share their loads */
};

/* NULL, with nothing written: a gather is no worse. */
V lw_lane_load_window(lw_lanes *l, LLVMTypeRef element, V pointer, const struct lw_window *at, V mask,
                      unsigned align);
/* false, with nothing written: a scatter is no worse. */
bool lw_lane_store_window(lw_lanes *l, V vector, V pointer, const int64_t *offsets, V mask, unsigned align);

#endif
