/* SPDX-License-Identifier: MIT */
/* The groups of tests. */
#ifndef LW_TESTS_LANES_TESTS_H
#define LW_TESTS_LANES_TESTS_H

#include <check.h>
#include "unit.h"

void add_groups(TCase *tests);
void add_shuffles(TCase *tests);
void add_masks(TCase *tests);
void add_memory(TCase *tests);
void add_guards(TCase *tests);
void add_records(TCase *tests);
void add_vectors(TCase *tests);
void add_arithmetic(TCase *tests);
void add_collectives(TCase *tests);
void add_broaden(TCase *tests);
void add_assembly(TCase *tests);
void add_rounds(TCase *tests);
void add_apart(TCase *tests);
void add_network(TCase *tests);
void add_numbers(TCase *tests);

#endif
