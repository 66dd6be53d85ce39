/* SPDX-License-Identifier: MIT */
/* Threads of the device's that compile what is wanted, and not waited for. */
#ifndef LW_SRC_COMPILE_THREADS_H
#define LW_SRC_COMPILE_THREADS_H

#include "specialize.h"

/* NULL where there is no memory. No thread is started before the first wish. */
struct lw_compile_threads *lw_compile_threads_create(lw_device *device);
/* Ends them: what they compile is finished, what waits is forgotten. */
void lw_compile_threads_free(struct lw_compile_threads *threads);
/* In a forked child: the threads and what they had to do stayed with the parent. */
void lw_compile_threads_after_fork(struct lw_compile_threads *threads);

/* The instance becomes ready, or failed, some time. false: there is no thread to be had, and nothing happens.
 * Safe from several threads. */
bool lw_compile_later(lw_device *device, struct lw_instance *instance);
/* The same, while processors have nothing better to do. */
bool lw_compile_at_leisure(lw_device *device, struct lw_instance *instance);
/* Is there no more than one wish to fulfil, leaving aside what is done at leisure? */
bool lw_compiles_one(lw_device *device);

#endif
