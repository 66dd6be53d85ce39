/* SPDX-License-Identifier: MIT */
/* A build, compilation or linking under way. */
#ifndef LW_OPENCL_BUILD_H
#define LW_OPENCL_BUILD_H

#include "../objects.h"

typedef void CL_CALLBACK lw_cl_build_callback(cl_program program, void *data);

enum lw_cl_work { LW_CL_BUILD, LW_CL_COMPILE, LW_CL_LINK };

struct lw_cl_job {
    cl_program program; /* held, and claimed */
    enum lw_cl_work work;
    struct lw_cl_options options;
    unsigned flags; /* of the outcome */
    struct lw_spec_value *spec; /* as they were when the call came */
    cl_uint spec_count;
    struct lw_cl_header *headers; /* the texts are of `held` */
    cl_program *held;
    cl_uint header_count;
    void **modules; /* to link: copies */
    size_t *sizes;
    cl_uint module_count;
    bool closed; /* one of them is a library made without -enable-link-options */
    lw_cl_build_callback *callback;
    void *data;
    lw_program *made;
};

/* From now on the program's old executable and log are gone and its status is CL_BUILD_IN_PROGRESS, for all
 * its devices where none are named. Devices have one build together: those built before keep it where nothing
 * changes. CL_INVALID_OPERATION: it has kernels, or somebody else is at it. */
cl_int lw_cl_claim(cl_program program, const char *options, cl_program_binary_type type, cl_uint device_count,
                   const cl_device_id *devices);
void lw_cl_unclaim(cl_program program, bool good, cl_program_binary_type type, const struct lw_cl_job *job);

/* NULL: no memory. */
struct lw_cl_job *lw_cl_job_create(cl_program program, enum lw_cl_work work);
void lw_cl_job_free(struct lw_cl_job *job);
/* Takes the job over. With a callback a thread does it, and this returns at once. */
cl_int lw_cl_job_run(struct lw_cl_job *job);

#endif
