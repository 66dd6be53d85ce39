/* SPDX-License-Identifier: MIT */
/* What is in the names of OpenCL C's functions that act for the work-items which come to them together, and
 * need not be met by all of a sub-group. */
#ifndef LW_PRODUCER_TELLING_H
#define LW_PRODUCER_TELLING_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Is there such a name in the text? */
static inline bool
lw_names_telling(const char *text)
{
    static const char *const names[] = {"sub_group_elect", "sub_group_balloti", "sub_group_broadcast_first",
                                        "sub_group_non_uniform_", "sub_group_clustered_"};
    bool found = false;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        found |= strstr(text, names[k]) != NULL;
    return found;
}

#endif
