/* SPDX-License-Identifier: MIT */
/* Local sizes as people use them, for every suite that has local sizes: one list of ranges, most of them with
 * a remainder, of no more than 8192 work-items, counting work-groups as full ones.
 *
 * ONE(global, local, offset) in one dimension; MORE(dimensions, global x 3, local x 3, offset x 2) in more.
 */
#ifndef LW_TESTS_LOCAL_SIZES_H
#define LW_TESTS_LOCAL_SIZES_H

#define LINES_OF_PEOPLE(ONE)                                                                                 \
    ONE(33, 1, 0)                                                                                            \
    ONE(40, 7, 3)                                                                                            \
    ONE(190, 60, 0)                                                                                          \
    ONE(256, 64, 0)                                                                                          \
    ONE(330, 100, 5)                                                                                         \
    ONE(1024, 256, 0)                                                                                        \
    ONE(600, 257, 0)                                                                                         \
    ONE(1536, 512, 0)                                                                                        \
    ONE(1300, 600, 0)                                                                                        \
    ONE(1537, 768, 0)                                                                                        \
    ONE(2100, 1000, 0)                                                                                       \
    ONE(2048, 1024, 0)                                                                                       \
    ONE(4099, 2048, 0)                                                                                       \
    ONE(8192, 4096, 0)                                                                                       \
    ONE(8192, 8192, 0)
#define BLOCKS_OF_PEOPLE(MORE)                                                                               \
    MORE(2, 37, 32, 1, 16, 16, 1, 0, 0)                                                                      \
    MORE(2, 64, 40, 1, 32, 32, 1, 0, 1)                                                                      \
    MORE(2, 128, 19, 1, 64, 16, 1, 0, 0)                                                                     \
    MORE(3, 19, 16, 8, 8, 16, 8, 0, 0)

enum { MOST_ITEMS_OF_PEOPLE = 8192 };

#endif
