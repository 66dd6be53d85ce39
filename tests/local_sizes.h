/* SPDX-License-Identifier: MIT */
/* Local sizes as people use them, for every suite that has local sizes: one list of ranges. */
#ifndef LW_TESTS_LOCAL_SIZES_H
#define LW_TESTS_LOCAL_SIZES_H

/* PEOPLE(dimensions, {global}, {local}, {offset}): most with a remainder; no more than 8192 work-items, counting
 * work-groups as full ones. */
#define LOCAL_SIZES_OF_PEOPLE                                                                                        \
    PEOPLE(1, {9}, {1}, {0})                                                                                         \
    PEOPLE(1, {40}, {7}, {3})                                                                                        \
    PEOPLE(1, {190}, {60}, {0})                                                                                      \
    PEOPLE(1, {256}, {64}, {0})                                                                                      \
    PEOPLE(1, {330}, {100}, {5})                                                                                     \
    PEOPLE(1, {1024}, {256}, {0})                                                                                    \
    PEOPLE(1, {600}, {257}, {0})                                                                                     \
    PEOPLE(1, {1536}, {512}, {0})                                                                                    \
    PEOPLE(1, {1300}, {600}, {0})                                                                                    \
    PEOPLE(1, {1537}, {768}, {0})                                                                                    \
    PEOPLE(1, {2100}, {1000}, {0})                                                                                   \
    PEOPLE(1, {2048}, {1024}, {0})                                                                                   \
    PEOPLE(1, {4099}, {2048}, {0})                                                                                   \
    PEOPLE(1, {8192}, {4096}, {0})                                                                                   \
    PEOPLE(1, {8192}, {8192}, {0})                                                                                   \
    PEOPLE(2, {37, 32}, {16, 16}, {0, 0})                                                                            \
    PEOPLE(2, {64, 40}, {32, 32}, {0, 1})                                                                            \
    PEOPLE(2, {128, 19}, {64, 16}, {0, 0})                                                                           \
    PEOPLE(3, {19, 16, 8}, {8, 16, 8}, {0, 0, 0})

#endif
