/* SPDX-License-Identifier: MIT */
/* Whether somebody will wait for a compilation, or profit from it soon. */
#ifndef LW_SRC_HASTE_H
#define LW_SRC_HASTE_H

enum lw_haste {
    LW_NEEDED,
    LW_AT_LEISURE /* it may turn out to be of no use: dispatches go before it, on every processor */
};

#endif
