/* SPDX-License-Identifier: MIT */
/* Prototypes of entry points that the CL headers lack, and the visibility of those that a loader looks up. */
#ifndef LW_OPENCL_ENTRY_POINTS_H
#define LW_OPENCL_ENTRY_POINTS_H

#include "objects.h"

extern CL_API_ENTRY LW_API void *CL_API_CALL clGetExtensionFunctionAddress(const char *name);
extern CL_API_ENTRY LW_API cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries,
                                                                     cl_platform_id *platforms,
                                                                     cl_uint *num_platforms);
extern CL_API_ENTRY LW_API void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform,
                                                                                   const char *name);
extern CL_API_ENTRY LW_API cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id platform,
                                                                              void *data);

#endif
