/* SPDX-License-Identifier: MIT */
/* Which code serves a dispatch, of three kinds: first code, the masked instance, code specialised on the
 * shape. */
#ifndef LW_SRC_TIERS_H
#define LW_SRC_TIERS_H

#include "../ranges/range.h"
#include "specialize.h"

struct lw_choice {
    struct lw_instance *special; /* for full work-groups; NULL: `masked` serves them too */
    struct lw_instance *masked;  /* NULL: no remainder work-groups, and special code for the others */
    struct lw_instance
        *better;       /* cold: what a dispatch that takes long goes over to in the middle, or NULL */
    uint64_t patience; /* nanoseconds after which that pays */
    bool silent;       /* what it prints is lost */
    struct lw_race *race; /* that `special` is part of, or NULL */
    struct lw_instance *watched; /* how long it takes is of interest (lw_race_watch), or NULL */
};

/* Chooses and compiles: `special` and `masked` of the choice are ready to run. The instances are the
 * kernel's. `preparing`: what runs that are repeated end up with. */
bool lw_choose_code(lw_kernel *kernel, const struct lw_range *range, const struct lw_shape *masked,
                    const struct lw_shape *special, bool preparing, struct lw_choice *out, lw_error *error);
/* First code for all of a range for which code was chosen before. false: it cannot be had. */
bool lw_choose_first_code(lw_kernel *kernel, const struct lw_range *range, struct lw_choice *out);
/* Is it known that there is no code for it? */
bool lw_range_is_refused(const lw_kernel *kernel, const struct lw_range *range,
                         const struct lw_shape *special, lw_error *error);
/* Counts in kernel->info, at the first kernel that runs it. */
bool lw_compile_code(lw_kernel *kernel, struct lw_instance *instance, lw_error *error);
/* A dispatch by this choice took so long. */
void lw_note_run(lw_kernel *kernel, const struct lw_choice *choice, uint64_t nanoseconds);
/* Puts the instance of the shape into the kernel's slot, from the cache where the slot holds another. NULL:
 * no memory. */
struct lw_instance *lw_fetch_code(lw_kernel *kernel, enum lw_code_slot slot, const struct lw_shape *shape,
                                  lw_error *error);

#endif
