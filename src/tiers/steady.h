/* SPDX-License-Identifier: MIT */
/* Code for the values that a kernel's integer arguments keep from dispatch to dispatch. */
#ifndef LW_SRC_STEADY_H
#define LW_SRC_STEADY_H

#include "specialize.h"

/* Will there be such code, once dispatches have taken longer (lw_race_watch)? */
enum lw_hope { LW_HOPE_NONE, LW_HOPE_LATER, LW_HOPE_SOON };

/* A dispatch by this special code is about to begin: the code, ready to run, that knows the values which its
 * arguments have had for a while; NULL: see `*hope`. It is right for this dispatch; whether it is fast is to
 * be seen. The instance is the kernel's. Safe from several threads. */
struct lw_instance *lw_steady_code(lw_kernel *kernel, struct lw_instance *special, enum lw_hope *hope);

#endif
