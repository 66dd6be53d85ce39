/* SPDX-License-Identifier: MIT */
/* Entry points by name alone, which no header of Debian's declares. */
#ifndef LW_OPENCL_GLOBAL_VARIABLES_H
#define LW_OPENCL_GLOBAL_VARIABLES_H

#include "../objects.h"

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadGlobalVariableINTEL(cl_command_queue queue, cl_program program,
                                                                 const char *name, cl_bool blocking,
                                                                 size_t size, size_t offset, void *ptr,
                                                                 cl_uint count, const cl_event *list,
                                                                 cl_event *event);
CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteGlobalVariableINTEL(cl_command_queue queue, cl_program program,
                                                                  const char *name, cl_bool blocking,
                                                                  size_t size, size_t offset, const void *ptr,
                                                                  cl_uint count, const cl_event *list,
                                                                  cl_event *event);
CL_API_ENTRY cl_int CL_API_CALL clGetDeviceGlobalVariablePointerINTEL(cl_device_id device, cl_program program,
                                                                      const char *name, size_t *size_ret,
                                                                      void **pointer_ret);

#endif
