/* SPDX-License-Identifier: MIT */
/* The part of the runtime that needs nothing but the public header. */
#ifndef LW_SRC_API_H
#define LW_SRC_API_H

#include <lanewise/lanewise.h>

/* Fills `error` (may be NULL) and returns false, so that `return lw_runtime_error(...)` reads well. */
bool lw_runtime_error(lw_error *error, lw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lw_no_error(lw_error *error);

/* How its kernels are compiled: of enum lw_build_flag, before any is created. */
void lw_program_set_flags(lw_program *program, unsigned flags);

#define LW_MAX_DEVICE_EVENTS (1u << 20) /* of all that descends from a kernel */

/* How kernels are answered that enqueue others. */
enum lw_enqueue_flag {
    LW_ENQUEUE_UNIFORM = 1, /* work-groups of one size only */
    LW_ENQUEUE_CODES = 2    /* what is wrong, not just that something is */
};
/* Of enum lw_enqueue_flag, for kernels created afterwards; before other threads have the program. */
void lw_program_set_enqueue_flags(lw_program *program, unsigned flags);
/* lw_program_specialize for several at once: a module is made for all of them, not one for each. */
struct lw_spec_value;
bool lw_program_specialize_all(lw_program *program, const struct lw_spec_value *spec, size_t count,
                               lw_error *error);
const char *lw_kernel_name(const lw_kernel *kernel);
uint32_t lw_kernel_arg_count(const lw_kernel *kernel);
const lw_arg_info *lw_kernel_arg_info(const lw_kernel *kernel, uint32_t index);
/* The checks of lw_kernel_run on a range, alone. */
bool lw_kernel_check_range(const lw_kernel *kernel, const lw_ndrange *range, lw_error *error);
/* Is it known by now, without compiling anything, that there is no code for this range? The reason is in
 * `error`. */
bool lw_kernel_is_refused(const lw_kernel *kernel, const lw_ndrange *asked, lw_error *error);
/* A compilation failed that this kernel's last run did without: the reason, once. NULL: none. */
const char *lw_kernel_take_failure(lw_kernel *kernel);
/* A kernel of its own with the same settings and arguments. */
lw_kernel *lw_kernel_clone(const lw_kernel *kernel, lw_error *error);
/* Gives `to`, a clone of `from` or made of the same kernel, the arguments of `from`. */
void lw_kernel_copy_arguments(lw_kernel *to, const lw_kernel *from);
/* Bytes from the first texel to the end of the last. */
uint64_t lw_image_span(const struct lw_image *image);
/* Bytes of private memory that compiled code keeps per work-item; compiles the kernel where it is not. */
bool lw_kernel_private_bytes(lw_kernel *kernel, uint64_t *out, lw_error *error);
/* No more than so many threads run it, the caller's among them; 0: all of the device's. */
void lw_kernel_limit_threads(lw_kernel *kernel, unsigned threads);
/* Bytes of local memory that a work-group takes with the arguments set so far. */
size_t lw_kernel_local_bytes(const lw_kernel *kernel);

#endif
