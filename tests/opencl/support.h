/* SPDX-License-Identifier: MIT */
/* What the OpenCL tests share: the platform found through the loader, programs from the test's modules. */
#ifndef TEST_OPENCL_SUPPORT_H
#define TEST_OPENCL_SUPPORT_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;      /* in order, with profiling */
    cl_command_queue unordered;
    cl_program program;          /* kernels.cl, built */
};

extern struct world w;

void open_world(void);
void open_wide_world(void); /* with six threads, whatever the machine has */
void open_imageless_world(void); /* of a device that was told to have no images */
void close_world(void);
void open_cached_world(void); /* with a disk cache and a clang of its own, see test_source_cache.c */
void close_cached_world(void);
void *read_module(const char *name, size_t *size);
cl_program load_program(const char *name); /* from IL, not built */
cl_program make_program(const char *source, const char *options); /* built */
cl_kernel make_kernel(const char *name);
cl_kernel make_kernel_of(cl_program program, const char *name);
cl_mem make_buffer(const int *data, size_t count);
cl_event make_gate(void); /* a user event */
int run_one(cl_program program, const char *name); /* what a kernel of one int stores by one work-item */

#define ok(call) ck_assert_int_eq(call, CL_SUCCESS)
#define fails(error, call) ck_assert_int_eq(call, error)
/* A call whose last argument is the error: `error` where it gives NULL. */
#define makes(error, call)                                                                                 \
    do {                                                                                                   \
        cl_int code = 1;                                                                                   \
        cl_int *code_ret = &code;                                                                          \
        ck_assert_ptr_null(call);                                                                          \
        ck_assert_int_eq(code, error);                                                                     \
    } while (0)

TCase *icd_tests(void);
TCase *option_tests(void);
TCase *handle_tests(void);
TCase *header_tests(void);
TCase *query_tests(void);
TCase *transfer_tests(void);
TCase *device_tests(void);
TCase *device_type_tests(void);
TCase *source_tests(void);
TCase *source_info_tests(void);
TCase *source_cache_tests(void);
TCase *source_option_tests(void);
TCase *launch_tests(void);
TCase *event_tests(void);
TCase *native_kernel_tests(void);
TCase *svm_tests(void);
TCase *unsupported_tests(void);
TCase *program_error_tests(void);
TCase *mapping_tests(void);
TCase *platform_tests(void);
TCase *meeting_tests(void);
TCase *memory_tests(void);
TCase *queue_tests(void);
TCase *program_tests(void);
TCase *kernel_tests(void);
TCase *pipe_tests(void);
TCase *enqueue_tests(void);
TCase *progress_tests(void);
TCase *pointer_tests(void);
TCase *process_tests(void);
TCase *language_tests(void);
TCase *producer_tests(void);
TCase *cxx_tests(void);
TCase *dialect_tests(void);
TCase *image_tests(void);
TCase *image_transfer_tests(void);
TCase *image_fill_tests(void);
TCase *image_kernel_tests(void); /* with their fixture */
TCase *image_range_tests(void);

#endif
