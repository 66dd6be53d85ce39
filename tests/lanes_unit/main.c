/* SPDX-License-Identifier: MIT */
/* Lanes, sub-group operations and collectives: compiled for every ISA level of the host and compared with C.
 */
#include "../run_suite.h"
#include "tests.h"

int
main(void)
{
    static const struct {
        const char *name;
        void (*add)(TCase *tests);
    } groups[] = {{"groups", add_groups},
                  {"shuffles", add_shuffles},
                  {"masks", add_masks},
                  {"memory", add_memory},
                  {"guards", add_guards},
                  {"records", add_records},
                  {"vectors", add_vectors},
                  {"arithmetic", add_arithmetic},
                  {"collectives", add_collectives},
                  {"broaden", add_broaden},
                  {"assembly", add_assembly},
                  {"apart", add_apart},
                  {"network", add_network},
                  {"numbers", add_numbers},
                  {"rounds", add_rounds}};
    Suite *suite = suite_create("lanes");

    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
        TCase *tests = tcase_create(groups[i].name);
        tcase_set_timeout(tests, 300);
        groups[i].add(tests);
        suite_add_tcase(suite, tests);
    }
    return run_suite(suite);
}
