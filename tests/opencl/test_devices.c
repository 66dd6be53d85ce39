/* SPDX-License-Identifier: MIT */
/* Sub-devices: how units are dealt out, counts of references, contexts, programs and queues on several
 * devices. The device has six threads here. */
#include "support.h"

#include <sys/mman.h>
#include <unistd.h>

static cl_uint
units_of(cl_device_id device)
{
    cl_uint units;
    ok(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    return units;
}

static void
split(cl_device_id device, cl_uint first, cl_device_id out[2])
{
    const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, first,
                                                   units_of(device) - first, 0, 0};
    ok(clCreateSubDevices(device, counts, 2, out, NULL));
}

static void
release_both(cl_device_id devices[2])
{
    ok(clReleaseDevice(devices[0]));
    ok(clReleaseDevice(devices[1]));
}

START_TEST(test_equally)
{
    const cl_device_partition_property by_two[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    const cl_device_partition_property by_four[] = {CL_DEVICE_PARTITION_EQUALLY, 4, 0};
    cl_device_id parts[6], parent;
    cl_device_partition_property type[3];
    cl_uint count, refs;
    size_t size;
    ck_assert_uint_eq(units_of(w.device), 6);
    ok(clCreateSubDevices(w.device, by_two, 0, NULL, &count));
    ck_assert_uint_eq(count, 3);
    fails(CL_INVALID_VALUE, clCreateSubDevices(w.device, by_two, 2, parts, NULL));
    ok(clCreateSubDevices(w.device, by_two, 6, parts, &count));
    ck_assert_uint_eq(count, 3);
    for (cl_uint i = 0; i < count; i++) {
        ck_assert_uint_eq(units_of(parts[i]), 2);
        ok(clGetDeviceInfo(parts[i], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
        ck_assert_ptr_eq(parent, w.device);
        ok(clGetDeviceInfo(parts[i], CL_DEVICE_PARTITION_TYPE, sizeof type, type, &size));
        ck_assert_uint_eq(size, sizeof type);
        ck_assert_mem_eq(type, by_two, sizeof type);
        ok(clRetainDevice(parts[i]));
        ok(clGetDeviceInfo(parts[i], CL_DEVICE_REFERENCE_COUNT, sizeof refs, &refs, NULL));
        ck_assert_uint_eq(refs, 2);
        ok(clReleaseDevice(parts[i]));
        ok(clReleaseDevice(parts[i]));
        fails(CL_INVALID_DEVICE, clReleaseDevice(parts[i]));
        fails(CL_INVALID_DEVICE, clGetDeviceInfo(parts[i], CL_DEVICE_NAME, 0, NULL, NULL));
    }
    ok(clCreateSubDevices(w.device, by_four, 1, parts, &count)); /* two units belong to none */
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(units_of(parts[0]), 4);
    ok(clReleaseDevice(parts[0]));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
    ck_assert_ptr_null(parent);
    ok(clGetDeviceInfo(w.device, CL_DEVICE_PARTITION_TYPE, sizeof type, type, &size));
    ck_assert_uint_eq(size, 0);
}
END_TEST

START_TEST(test_by_counts)
{
    const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 3, 0, 0};
    const cl_device_partition_property again[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    const cl_device_partition_property none[] = {0, 0};
    cl_device_partition_property ways[4];
    cl_device_id parts[2], inner[3];
    cl_uint count;
    size_t size;
    ok(clCreateSubDevices(w.device, counts, 2, parts, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(units_of(parts[0]), 1);
    ck_assert_uint_eq(units_of(parts[1]), 3);
    /* A part of a part; one of a single unit has none. */
    ok(clCreateSubDevices(parts[1], again, 3, inner, &count));
    ck_assert_uint_eq(count, 3);
    fails(CL_DEVICE_PARTITION_FAILED, clCreateSubDevices(parts[0], again, 1, inner, NULL));
    ok(clGetDeviceInfo(parts[0], CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways, &size));
    ck_assert_uint_eq(size, sizeof ways[0]);
    ck_assert_mem_eq(ways, none, size);
    ok(clGetDeviceInfo(w.device, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways, &size));
    ck_assert_uint_eq(size, 2 * sizeof ways[0]);
    ok(clGetDeviceInfo(w.device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 6);
    release_both(parts);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(units_of(inner[i]), 1); /* they keep their parent */
        ok(clReleaseDevice(inner[i]));
    }
}
END_TEST

/* As SYCL's runtime sends it: one zero. Behind it there is nothing that could be read. */
START_TEST(test_end_of_counts)
{
    const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0};
    const cl_device_partition_property told[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0};
    cl_device_partition_property type[5];
    cl_device_id parts[2];
    cl_uint count;
    size_t size;
    long page = sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    ok(mprotect(pages + page, (size_t)page, PROT_NONE));
    void *end = memcpy(pages + page - sizeof counts, counts, sizeof counts);
    ok(clCreateSubDevices(w.device, end, 2, parts, &count));
    ck_assert_uint_eq(count, 2);
    ok(clGetDeviceInfo(parts[1], CL_DEVICE_PARTITION_TYPE, sizeof type, type, &size));
    ck_assert_uint_eq(size, sizeof type);
    ck_assert_mem_eq(type, told, sizeof type);
    release_both(parts);
    munmap(pages, 2 * (size_t)page);
}
END_TEST

START_TEST(test_bad_partitions)
{
    const cl_device_partition_property too_many[] = {CL_DEVICE_PARTITION_BY_COUNTS, 4, 3, 0, 0};
    const cl_device_partition_property negative[] = {CL_DEVICE_PARTITION_BY_COUNTS, -1, 0, 0};
    const cl_device_partition_property empty[] = {CL_DEVICE_PARTITION_BY_COUNTS, 0, 0};
    const cl_device_partition_property zero[] = {CL_DEVICE_PARTITION_EQUALLY, 0, 0};
    const cl_device_partition_property large[] = {CL_DEVICE_PARTITION_EQUALLY, 7, 0};
    const cl_device_partition_property whole[] = {CL_DEVICE_PARTITION_EQUALLY, 6, 0};
    const cl_device_partition_property two_ways[] = {CL_DEVICE_PARTITION_EQUALLY, 1,
                                                     CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    const cl_device_partition_property domain[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                   CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    const cl_device_partition_property strange[] = {0x7777, 1, 0};
    cl_device_id parts[8];
    fails(CL_INVALID_DEVICE_PARTITION_COUNT, clCreateSubDevices(w.device, too_many, 8, parts, NULL));
    fails(CL_INVALID_DEVICE_PARTITION_COUNT, clCreateSubDevices(w.device, negative, 8, parts, NULL));
    fails(CL_INVALID_VALUE, clCreateSubDevices(w.device, empty, 8, parts, NULL));
    fails(CL_INVALID_VALUE, clCreateSubDevices(w.device, zero, 8, parts, NULL));
    fails(CL_DEVICE_PARTITION_FAILED, clCreateSubDevices(w.device, large, 8, parts, NULL));
    fails(CL_DEVICE_PARTITION_FAILED, clCreateSubDevices(w.device, whole, 8, parts, NULL));
    fails(CL_INVALID_VALUE, clCreateSubDevices(w.device, two_ways, 8, parts, NULL));
    fails(CL_INVALID_VALUE, clCreateSubDevices(w.device, domain, 8, parts, NULL));
    fails(CL_INVALID_VALUE, clCreateSubDevices(w.device, strange, 8, parts, NULL));
    fails(CL_INVALID_VALUE, clCreateSubDevices(w.device, NULL, 8, parts, NULL));
    fails(CL_INVALID_DEVICE, clCreateSubDevices((cl_device_id)w.queue, large, 8, parts, NULL));
}
END_TEST

/* Root and parts in one context; the parts are released at once and live on in it. */
START_TEST(test_context_of_several)
{
    cl_device_id parts[2], got[3];
    cl_uint count;
    cl_int error;
    int values[64];
    const size_t items = 64;
    split(w.device, 2, parts);
    const cl_device_id devices[] = {w.device, parts[0], parts[1], parts[0]};
    cl_context context = clCreateContext(NULL, 4, devices, NULL, NULL, &error);
    ok(error);
    release_both(parts);
    ok(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 3);
    ok(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof got, got, NULL));
    ck_assert_mem_eq(got, devices, sizeof got);
    size_t size;
    void *module = read_module("opencl_devices.spv", &size);
    cl_program program = clCreateProgramWithIL(context, module, size, &error);
    free(module);
    ok(error);
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    for (unsigned d = 0; d < 3; d++) {
        cl_command_queue queue = clCreateCommandQueueWithProperties(context, devices[d], NULL, &error);
        ok(error);
        cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof values, values, &error);
        ok(error);
        cl_kernel kernel = clCreateKernel(program, "local_ids", &error);
        ok(error);
        ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        fails(CL_INVALID_DEVICE, /* which of them? */
              clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
        ok(clGetKernelWorkGroupInfo(kernel, devices[d], CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
        const size_t local = 16;
        memset(values, 0xff, sizeof values);
        ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
        ok(clFinish(queue));
        for (int i = 0; i < 64; i++)
            ck_assert_int_eq(values[i], i % 16);
        ok(clReleaseKernel(kernel));
        ok(clReleaseMemObject(buffer));
        ok(clReleaseCommandQueue(queue));
    }
    makes(CL_INVALID_DEVICE, clCreateCommandQueueWithProperties(w.context, got[1], NULL, code_ret));
    ok(clReleaseProgram(program));
    ok(clReleaseContext(context));
    fails(CL_INVALID_DEVICE, clGetDeviceInfo(got[1], CL_DEVICE_NAME, 0, NULL, NULL)); /* gone with it */
}
END_TEST

static cl_build_status
status_on(cl_program program, cl_device_id device)
{
    cl_build_status status;
    ok(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    return status;
}

/* What is built for a device is built for its parts, whether the context has these or not. */
START_TEST(test_build_of_the_root)
{
    cl_device_id parts[2], inner[2];
    cl_int error;
    size_t sizes[2], size;
    char text[100];
    split(w.device, 2, parts);
    split(parts[1], 2, inner);
    for (unsigned all = 0; all < 2; all++) {
        const cl_device_id devices[] = {w.device, inner[1]};
        cl_context context = clCreateContext(NULL, 1 + all, devices, NULL, NULL, &error);
        ok(error);
        void *module = read_module("opencl_devices.spv", &size);
        cl_program program = clCreateProgramWithIL(context, module, size, &error);
        free(module);
        ok(error);
        ck_assert_int_eq(status_on(program, inner[1]), CL_BUILD_NONE);
        ok(clBuildProgram(program, 1, &w.device, "-w", NULL, NULL));
        ck_assert_int_eq(status_on(program, w.device), CL_BUILD_SUCCESS);
        ck_assert_int_eq(status_on(program, parts[0]), CL_BUILD_SUCCESS);
        ck_assert_int_eq(status_on(program, inner[1]), CL_BUILD_SUCCESS);
        ok(clGetProgramBuildInfo(program, inner[1], CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
        ck_assert_str_eq(text, "-w");
        ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
        for (unsigned i = 0; i <= all; i++)
            ck_assert_uint_gt(sizes[i], 0);
        if (all) { /* not the other way round */
            ok(clBuildProgram(program, 1, &inner[1], "", NULL, NULL));
            ck_assert_int_eq(status_on(program, inner[1]), CL_BUILD_SUCCESS);
            ck_assert_int_eq(status_on(program, w.device), CL_BUILD_NONE);
            ck_assert_int_eq(status_on(program, inner[0]), CL_BUILD_NONE);
        }
        fails(CL_INVALID_DEVICE,
              clGetProgramBuildInfo(program, (cl_device_id)context, CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL));
        ok(clReleaseProgram(program));
        ok(clReleaseContext(context));
    }
    release_both(inner);
    release_both(parts);
}
END_TEST


/* Built for one of three, then for another; binaries and kernels are those devices'. */
START_TEST(test_program_of_several)
{
    cl_device_id parts[2];
    cl_int error, statuses[2];
    size_t size, sizes[3], one = 1;
    split(w.device, 3, parts);
    const cl_device_id devices[] = {w.device, parts[0], parts[1]};
    cl_context context = clCreateContext(NULL, 3, devices, NULL, NULL, &error);
    ok(error);
    void *module = read_module("opencl_spec.spv", &size);
    cl_program program = clCreateProgramWithIL(context, module, size, &error);
    free(module);
    ok(error);
    fails(CL_INVALID_VALUE, clBuildProgram(program, 1, NULL, NULL, NULL, NULL));
    ok(clBuildProgram(program, 1, &parts[0], NULL, NULL, NULL));
    ck_assert_int_eq(status_on(program, w.device), CL_BUILD_NONE);
    ck_assert_int_eq(status_on(program, parts[0]), CL_BUILD_SUCCESS);
    ck_assert_int_eq(status_on(program, parts[1]), CL_BUILD_NONE);
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &size));
    ck_assert_uint_eq(size, sizeof sizes);
    ck_assert(sizes[0] == 0 && sizes[1] > 0 && sizes[2] == 0);
    cl_kernel kernel = clCreateKernel(program, "constant", &error);
    ok(error);
    ok(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
    fails(CL_INVALID_DEVICE,
          clGetKernelWorkGroupInfo(kernel, parts[1], CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
    int value;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof value, &value, &error);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, parts[1], NULL, &error);
    fails(CL_INVALID_PROGRAM_EXECUTABLE,
          clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    ok(clReleaseKernel(kernel));
    ok(clBuildProgram(program, 1, &parts[1], NULL, NULL, NULL)); /* an equal build: the other keeps its own */
    ck_assert_int_eq(status_on(program, parts[0]), CL_BUILD_SUCCESS);
    ck_assert_int_eq(status_on(program, parts[1]), CL_BUILD_SUCCESS);
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    ck_assert(sizes[0] == 0 && sizes[1] > 0 && sizes[2] == sizes[1]);
    unsigned char *binaries[3] = {NULL, malloc(sizes[1]), malloc(sizes[2])};
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL));
    const unsigned char *given[] = {binaries[1], binaries[2]};
    cl_program again = clCreateProgramWithBinary(context, 2, parts, &sizes[1], given, statuses, &error);
    ok(error);
    ok(statuses[1]);
    cl_uint count;
    ok(clGetProgramInfo(again, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 2);
    fails(CL_INVALID_DEVICE, clBuildProgram(again, 1, &w.device, NULL, NULL, NULL));
    ok(clBuildProgram(again, 2, parts, NULL, NULL, NULL));
    kernel = clCreateKernel(again, "constant", &error);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    ok(clFinish(queue));
    ck_assert_int_eq(value, 42);
    binaries[2][3] ^= 1;
    makes(CL_INVALID_BINARY,
          clCreateProgramWithBinary(context, 2, parts, &sizes[1], given, statuses, code_ret));
    ok(statuses[0]);
    ck_assert_int_eq(statuses[1], CL_INVALID_BINARY);
    free(binaries[1]);
    free(binaries[2]);
    ok(clReleaseKernel(kernel));
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseProgram(again));
    ok(clReleaseProgram(program));
    ok(clReleaseContext(context));
    release_both(parts);
}
END_TEST

static cl_program
load_in(cl_context context, const char *name)
{
    size_t size;
    cl_int error;
    void *module = read_module(name, &size);
    cl_program program = clCreateProgramWithIL(context, module, size, &error);
    free(module);
    ok(error);
    return program;
}

/* A link is for the devices that it names, as far as there is something to link for them; what is built for a
 * device runs on its parts. */
START_TEST(test_link_of_several)
{
    cl_device_id parts[2], got[3];
    cl_int error;
    cl_uint count;
    size_t size;
    split(w.device, 3, parts);
    const cl_device_id devices[] = {w.device, parts[0], parts[1]};
    cl_context context = clCreateContext(NULL, 3, devices, NULL, NULL, &error);
    ok(error);
    cl_program inputs[] = {load_in(context, "opencl_main_part.spv"),
                           load_in(context, "opencl_library_part.spv")};
    for (unsigned i = 0; i < 2; i++)
        ok(clCompileProgram(inputs[i], 1, &parts[0], NULL, 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 2, inputs, NULL, NULL, &error);
    ok(error);
    ok(clGetProgramInfo(linked, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 3);
    ck_assert_int_eq(status_on(linked, w.device), CL_BUILD_NONE);
    ck_assert_int_eq(status_on(linked, parts[0]), CL_BUILD_SUCCESS);
    ck_assert_int_eq(status_on(linked, parts[1]), CL_BUILD_NONE);
    ok(clReleaseProgram(linked));
    linked = clLinkProgram(context, 1, &parts[0], NULL, 2, inputs, NULL, NULL, &error);
    ok(error);
    ok(clGetProgramInfo(linked, CL_PROGRAM_DEVICES, sizeof got, got, &size));
    ck_assert_uint_eq(size, sizeof got[0]);
    ck_assert_ptr_eq(got[0], parts[0]);
    fails(CL_INVALID_DEVICE, clGetProgramBuildInfo(linked, parts[1], CL_PROGRAM_BUILD_LOG, 0, NULL, NULL));
    ok(clReleaseProgram(linked));
    /* For the second part there is one of the two. */
    ok(clCompileProgram(inputs[1], 1, &parts[1], NULL, 0, NULL, NULL, NULL, NULL));
    makes(CL_INVALID_OPERATION, clLinkProgram(context, 0, NULL, NULL, 2, inputs, NULL, NULL, code_ret));
    makes(CL_INVALID_OPERATION, clLinkProgram(context, 1, &parts[1], NULL, 2, inputs, NULL, NULL, code_ret));
    linked = clLinkProgram(context, 1, &parts[0], NULL, 2, inputs, NULL, NULL, &error);
    ok(error);
    ok(clReleaseProgram(linked));
    /* What the root has, its parts have. */
    for (unsigned i = 0; i < 2; i++)
        ok(clCompileProgram(inputs[i], 1, &w.device, "-cl-mad-enable", 0, NULL, NULL, NULL, NULL));
    linked = clLinkProgram(context, 1, &w.device, NULL, 2, inputs, NULL, NULL, &error);
    ok(error);
    cl_kernel kernel = clCreateKernel(linked, "linked", &error);
    ok(error);
    int values[8] = {0};
    const size_t items = 8;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof values, values, &error);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, parts[1], NULL, &error);
    ok(error);
    ok(clGetKernelWorkGroupInfo(kernel, parts[1], CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
    ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    ok(clFinish(queue));
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(values[i], i * i + 1);
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(linked));
    for (unsigned i = 0; i < 2; i++)
        ok(clReleaseProgram(inputs[i]));
    ok(clReleaseContext(context));
    /* A part is no device of a context that holds the root alone. */
    fails(CL_INVALID_DEVICE, clSetDefaultDeviceCommandQueue(w.context, parts[0], NULL));
    kernel = make_kernel("add");
    fails(CL_INVALID_DEVICE,
          clGetKernelWorkGroupInfo(kernel, parts[0], CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
    ok(clReleaseKernel(kernel));
    release_both(parts);
}
END_TEST

/* Work-groups that wait for each other show how many threads there are: on a sub-device of two only two are
 * ever inside. */
START_TEST(test_threads_of_a_queue)
{
    cl_device_id parts[2];
    cl_int error;
    const size_t items = 4096, local = 64;
    int *inside = calloc(2, sizeof *inside); /* how many are, and the most that were */
    split(w.device, 2, parts);
    cl_context context = clCreateContext(NULL, 2, parts, NULL, NULL, &error);
    ok(error);
    size_t size;
    void *module = read_module("opencl_devices.spv", &size);
    cl_program program = clCreateProgramWithIL(context, module, size, &error);
    free(module);
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "crowd", &error);
    ok(error);
    for (unsigned d = 0; d < 2; d++) {
        cl_command_queue queue = clCreateCommandQueueWithProperties(context, parts[d], NULL, &error);
        memset(inside, 0, 2 * sizeof *inside);
        ok(clSetKernelArgSVMPointer(kernel, 0, inside));
        ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
        ok(clFinish(queue));
        ck_assert_int_eq(inside[0], 0);
        ck_assert_int_ge(inside[1], 1);
        ck_assert_int_le(inside[1], d ? 4 : 2);
        ok(clReleaseCommandQueue(queue));
    }
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(program));
    ok(clReleaseContext(context));
    release_both(parts);
    free(inside);
}
END_TEST

TCase *
device_tests(void)
{
    TCase *tests = tcase_create("devices");
    tcase_add_test(tests, test_equally);
    tcase_add_test(tests, test_by_counts);
    tcase_add_test(tests, test_end_of_counts);
    tcase_add_test(tests, test_bad_partitions);
    tcase_add_test(tests, test_build_of_the_root);
    tcase_add_test(tests, test_context_of_several);
    tcase_add_test(tests, test_program_of_several);
    tcase_add_test(tests, test_link_of_several);
    tcase_add_test(tests, test_threads_of_a_queue);
    return tests;
}
