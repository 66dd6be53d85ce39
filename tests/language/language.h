/* SPDX-License-Identifier: MIT */
/* What every file of kernels starts with. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#pragma OPENCL FP_CONTRACT OFF

/* JOIN: the work-items of a sub-group meet here in the reference, as they do on lanes after divergent flow.
 * */
#ifdef REFERENCE
void ref_join(void);
#define JOIN() ref_join()
#else
#define JOIN()
#endif

#define ITEM ((uint)get_global_linear_id())
#define LID ((uint)get_local_linear_id())
#define NOINLINE __attribute__((noinline))
