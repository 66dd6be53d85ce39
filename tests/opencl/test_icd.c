/* SPDX-License-Identifier: MIT */
/* What loaders ask of the driver, both versions of the ICD extension: entry points by name, the tags in the
 * dispatch table, and data of the loader's in every object. */
#include "support.h"

#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <stdint.h>

#define TAG ((void *)(intptr_t)0x4F50454E434C3331) /* CL_ICD2_TAG_KHR */

struct icd_object { /* cl_khr_icd 2.0.0 */
    const cl_icd_dispatch *dispatch;
    void *data;
};

typedef void *find_function(cl_platform_id platform, const char *name);
typedef cl_int set_data(cl_platform_id platform, void *data);

/* The driver's library, which the loader has loaded. */
static void *
open_driver(void)
{
    char path[1000];
    const char *file = getenv("OCL_ICD_VENDORS");
    FILE *icd = fopen(file, "r");
    ck_assert_ptr_nonnull(icd);
    ck_assert_ptr_nonnull(fgets(path, sizeof path, icd));
    fclose(icd);
    path[strcspn(path, "\n")] = '\0';
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    ck_assert_ptr_nonnull(library);
    return library;
}

START_TEST(test_tags)
{
    const struct icd_object *platform = (const struct icd_object *)w.platform;
    ck_assert_ptr_eq(__extension__(void *) platform->dispatch->clGetPlatformIDs, TAG);
    ck_assert_ptr_eq(__extension__(void *) platform->dispatch->clUnloadCompiler, TAG);
    char text[4096];
    ok(clGetPlatformInfo(w.platform, CL_PLATFORM_EXTENSIONS, sizeof text, text, NULL));
    ck_assert_ptr_nonnull(strstr(text, "cl_khr_icd "));
}
END_TEST

START_TEST(test_functions_by_name)
{
    static const char *const names[] = {
        "clGetPlatformIDs",
        "clGetPlatformInfo",
        "clUnloadCompiler",
        "clGetDeviceInfo",
        "clCreateProgramWithIL",
        "clCreateProgramWithILKHR",
        "clGetKernelSubGroupInfo",
        "clGetKernelSubGroupInfoKHR",
        "clGetKernelSuggestedLocalWorkSize",
        "clGetKernelSuggestedLocalWorkSizeKHR",
        "clCreateCommandQueueWithPropertiesKHR",
        "clCreateSubDevicesEXT",
        "clRetainDeviceEXT",
        "clReleaseDeviceEXT",
        "clSetContextDestructorCallback",
        "clHostMemAllocINTEL",
        "clIcdGetPlatformIDsKHR",
        "clIcdGetFunctionAddressForPlatformKHR",
        "clIcdSetPlatformDispatchDataKHR",
    };
    void *library = open_driver();
    find_function *find = (find_function *)(uintptr_t)dlsym(library, "clIcdGetFunctionAddressForPlatformKHR");
    ck_assert_ptr_nonnull(__extension__(void *) find);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ck_assert_msg(find(w.platform, names[i]) != NULL, "%s is missing", names[i]);
    ck_assert_ptr_null(find(w.platform, "clMakeCoffee"));
    ck_assert_ptr_null(find((cl_platform_id)w.device, "clGetPlatformInfo"));
    dlclose(library);
}
END_TEST

/* No call goes through the loader while the data is not its own: it may be one that dispatches by it. */
START_TEST(test_data_in_every_object)
{
    typedef cl_event create_event(cl_context context, cl_int *error);
    int mark;
    cl_int error;
    void *library = open_driver();
    void *own = ((const struct icd_object *)w.platform)->data;
    set_data *set = (set_data *)(uintptr_t)dlsym(library, "clIcdSetPlatformDispatchDataKHR");
    find_function *find = (find_function *)(uintptr_t)dlsym(library, "clIcdGetFunctionAddressForPlatformKHR");
    create_event *create = (create_event *)(uintptr_t)find(w.platform, "clCreateUserEvent");
    cl_mem buffer = make_buffer(NULL, 1);
    cl_kernel kernel = make_kernel("add");
    fails(CL_INVALID_PLATFORM, set((cl_platform_id)w.device, &mark));
    ok(set(w.platform, &mark));
    cl_event event = create(w.context, &error);
    const void *objects[] = {w.platform, w.device, w.context, w.queue, w.program, event, buffer, kernel};
    bool everywhere = true;
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++)
        everywhere &= ((const struct icd_object *)objects[i])->data == &mark;
    ok(set(w.platform, own));
    ck_assert(everywhere);
    ok(clReleaseEvent(event));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
    dlclose(library);
}
END_TEST

TCase *
icd_tests(void)
{
    TCase *tests = tcase_create("icd");
    tcase_add_test(tests, test_tags);
    tcase_add_test(tests, test_functions_by_name);
    tcase_add_test(tests, test_data_in_every_object);
    return tests;
}
