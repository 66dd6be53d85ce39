/* SPDX-License-Identifier: MIT */
/* Programs, error by error (API 5.8): creation, builds, compilations, links, binaries of every state. */
#include "support.h"

static cl_program
program_of(const char *text)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(w.context, 1, &text, NULL, &error);
    ok(error);
    return program;
}

static cl_program_binary_type
type_of(cl_program program)
{
    cl_program_binary_type type;
    ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    return type;
}

static cl_build_status
status_of(cl_program program)
{
    cl_build_status status;
    ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    return status;
}

static size_t
binary_size(cl_program program)
{
    size_t size = 77;
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    return size;
}

/* Strings with and without lengths; the zeros that lengths count are left out. */
START_TEST(test_source_strings)
{
    static const struct {
        const char *strings[3];
        size_t lengths[3];
        bool with_lengths;
        cl_uint count;
        const char *all;
    } rows[] = {
        {{"abc"}, {0}, false, 1, "abc"},
        {{"abc", "", "de"}, {0}, false, 3, "abcde"},
        {{"abc", "xyz", "de"}, {2, 0, 1}, true, 3, "abxyzd"},
        {{"abc", "de"}, {4, 3}, true, 2, "abcde"}, /* with the terminator */
        {{"a\0b\0c", "d"}, {5, 1}, true, 2, "abcd"},
        {{""}, {0}, false, 1, ""},
    };
    char text[32];
    size_t size;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_int error;
        cl_program program =
            clCreateProgramWithSource(w.context, rows[i].count, (const char **)rows[i].strings,
                                      rows[i].with_lengths ? rows[i].lengths : NULL, &error);
        ok(error);
        ok(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, &size));
        ck_assert_str_eq(text, rows[i].all);
        ck_assert_uint_eq(size, strlen(rows[i].all) + 1);
        ok(clReleaseProgram(program));
    }
    const char *holes[2] = {"a", NULL};
    makes(CL_INVALID_VALUE, clCreateProgramWithSource(w.context, 2, holes, NULL, code_ret));
    makes(CL_INVALID_VALUE, clCreateProgramWithSource(w.context, 0, holes, NULL, code_ret));
    makes(CL_INVALID_VALUE, clCreateProgramWithSource(w.context, 1, NULL, NULL, code_ret));
}
END_TEST

/* What there is of a program before it is built, and after a build that failed. */
START_TEST(test_states)
{
    cl_program il = load_program("opencl_spec.spv"), bad = program_of("kernel void k( {");
    cl_program good = program_of("kernel void k(global int *o) { o[0] = 1; }");
    cl_program const fresh[3] = {il, bad, good};
    char text[8192];
    size_t size;
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(status_of(fresh[i]), CL_BUILD_NONE);
        ck_assert_uint_eq(type_of(fresh[i]), CL_PROGRAM_BINARY_TYPE_NONE);
        ck_assert_uint_eq(binary_size(fresh[i]), 0);
        ok(clGetProgramBuildInfo(fresh[i], w.device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
        ck_assert_str_eq(text, "");
        ok(clGetProgramBuildInfo(fresh[i], w.device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
        ck_assert_str_eq(text, "");
        makes(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(fresh[i], "k", code_ret));
        fails(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernelsInProgram(fresh[i], 0, NULL, NULL));
        fails(CL_INVALID_PROGRAM_EXECUTABLE,
              clGetProgramInfo(fresh[i], CL_PROGRAM_NUM_KERNELS, 0, NULL, &size));
        fails(CL_INVALID_PROGRAM_EXECUTABLE,
              clGetProgramInfo(fresh[i], CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size));
    }
    fails(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(bad, 0, NULL, "-w", NULL, NULL));
    ck_assert_int_eq(status_of(bad), CL_BUILD_ERROR);
    ck_assert_uint_eq(binary_size(bad), 0);
    ok(clGetProgramBuildInfo(bad, w.device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
    ck_assert_str_eq(text, "-w");
    fails(CL_COMPILE_PROGRAM_FAILURE, clCompileProgram(bad, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    ok(clBuildProgram(good, 0, NULL, NULL, NULL, NULL));
    ck_assert_uint_eq(type_of(good), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    ck_assert_uint_gt(binary_size(good), 0);
    ok(clGetProgramInfo(good, CL_PROGRAM_IL, 0, NULL, &size)); /* it came as source */
    ck_assert_uint_eq(size, 0);
    ok(clGetProgramInfo(il, CL_PROGRAM_SOURCE, sizeof text, text, &size));
    ck_assert_uint_eq(size, 1);
    ok(clReleaseProgram(il));
    ok(clReleaseProgram(bad));
    ok(clReleaseProgram(good));
}
END_TEST

/* The compiler may be missing: source programs say so, others are built all the same. */
START_TEST(test_no_compiler)
{
    const char *before = getenv("LANEWISE_CLANG");
    char *kept = strdup(before ? before : ""), log[2000];
    cl_bool there;
    cl_program source = program_of("kernel void k(global int *o) { o[0] = 1; }");
    cl_program il = load_program("opencl_spec.spv");
    setenv("LANEWISE_CLANG", "/nowhere/clang", 1);
    ok(clGetDeviceInfo(w.device, CL_DEVICE_COMPILER_AVAILABLE, sizeof there, &there, NULL));
    ck_assert_int_eq(there, CL_FALSE);
    fails(CL_COMPILER_NOT_AVAILABLE, clBuildProgram(source, 0, NULL, NULL, NULL, NULL));
    ck_assert_int_eq(status_of(source), CL_BUILD_ERROR);
    ok(clGetProgramBuildInfo(source, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    ck_assert_ptr_nonnull(strstr(log, "install"));
    fails(CL_COMPILER_NOT_AVAILABLE, clCompileProgram(source, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    ok(clBuildProgram(il, 0, NULL, NULL, NULL, NULL));
    setenv("LANEWISE_CLANG", kept, 1);
    ok(clBuildProgram(source, 0, NULL, NULL, NULL, NULL));
    free(kept);
    ok(clReleaseProgram(source));
    ok(clReleaseProgram(il));
}
END_TEST

static void CL_CALLBACK
never(cl_program program, void *data)
{
    (void)program, (void)data;
    ck_abort_msg("called back");
}

START_TEST(test_build_arguments)
{
    cl_program p = load_program("opencl_spec.spv"), header = program_of("");
    const char *name = "a.h";
    int data;
    fails(CL_INVALID_VALUE, clBuildProgram(p, 1, NULL, NULL, NULL, NULL));
    fails(CL_INVALID_VALUE, clBuildProgram(p, 0, &w.device, NULL, NULL, NULL));
    fails(CL_INVALID_VALUE, clBuildProgram(p, 0, NULL, NULL, NULL, &data));
    fails(CL_INVALID_BUILD_OPTIONS, clBuildProgram(p, 0, NULL, "-nonsense", never, NULL));
    fails(CL_INVALID_COMPILER_OPTIONS, clCompileProgram(p, 0, NULL, "-nonsense", 0, NULL, NULL, never, NULL));
    fails(CL_INVALID_VALUE, clCompileProgram(p, 1, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    fails(CL_INVALID_VALUE, clCompileProgram(p, 0, &w.device, NULL, 0, NULL, NULL, NULL, NULL));
    fails(CL_INVALID_VALUE, clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, &data));
    cl_program source = program_of("");
    fails(CL_INVALID_VALUE, clCompileProgram(source, 0, NULL, NULL, 1, NULL, &name, NULL, NULL));
    fails(CL_INVALID_VALUE, clCompileProgram(source, 0, NULL, NULL, 1, &header, NULL, NULL, NULL));
    fails(CL_INVALID_VALUE, clCompileProgram(source, 0, NULL, NULL, 0, &header, NULL, NULL, NULL));
    fails(CL_INVALID_VALUE, clCompileProgram(source, 0, NULL, NULL, 0, NULL, &name, NULL, NULL));
    /* Of IL they are ignored. */
    ok(clCompileProgram(p, 0, NULL, NULL, 1, NULL, &name, NULL, NULL));
    ok(clBuildProgram(p, 1, &w.device, NULL, NULL, NULL));
    cl_int error;
    cl_kernel kernel = clCreateKernel(p, "constant", &error);
    fails(CL_INVALID_OPERATION, clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    fails(CL_INVALID_OPERATION, clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    ok(clReleaseKernel(kernel));
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    ok(clReleaseProgram(p));
    ok(clReleaseProgram(source));
    ok(clReleaseProgram(header));
}
END_TEST

START_TEST(test_link_arguments)
{
    cl_program part = load_program("opencl_library_part.spv");
    int data;
    ok(clCompileProgram(part, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    ck_assert_uint_eq(type_of(part), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    makes(CL_INVALID_VALUE, clLinkProgram(w.context, 1, NULL, NULL, 1, &part, NULL, NULL, code_ret));
    makes(CL_INVALID_VALUE, clLinkProgram(w.context, 0, &w.device, NULL, 1, &part, NULL, NULL, code_ret));
    makes(CL_INVALID_VALUE, clLinkProgram(w.context, 0, NULL, NULL, 0, NULL, NULL, NULL, code_ret));
    makes(CL_INVALID_VALUE, clLinkProgram(w.context, 0, NULL, NULL, 0, &part, NULL, NULL, code_ret));
    makes(CL_INVALID_VALUE, clLinkProgram(w.context, 0, NULL, NULL, 1, NULL, NULL, NULL, code_ret));
    makes(CL_INVALID_VALUE, clLinkProgram(w.context, 0, NULL, NULL, 1, &part, NULL, &data, code_ret));
    makes(CL_INVALID_LINKER_OPTIONS,
          clLinkProgram(w.context, 0, NULL, "-nonsense", 1, &part, NULL, NULL, code_ret));
    makes(CL_INVALID_OPERATION, clLinkProgram(w.context, 0, NULL, NULL, 1, &w.program, NULL, NULL, code_ret));
    ok(clReleaseProgram(part));
}
END_TEST

/* ---- Binaries ---- */

static unsigned char *
binary_of(cl_program program, size_t *size)
{
    *size = binary_size(program);
    unsigned char *data = malloc(*size);
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL));
    return data;
}

static cl_program
again(cl_program program)
{
    size_t size;
    cl_int error, status = 1;
    unsigned char *data = binary_of(program, &size);
    const unsigned char *given = data;
    cl_program copy = clCreateProgramWithBinary(w.context, 1, &w.device, &size, &given, &status, &error);
    ok(error);
    ok(status);
    ck_assert_uint_eq(type_of(copy), type_of(program));
    ck_assert_int_eq(status_of(copy), CL_BUILD_NONE);
    size_t second;
    unsigned char *same = binary_of(copy, &second); /* "can be the binary specified" */
    ck_assert_uint_eq(second, size);
    ck_assert_mem_eq(same, data, size);
    free(same);
    free(data);
    return copy;
}

/* Executables are built again; compiled objects and libraries are linked, and are no executables (5.8.3). */
START_TEST(test_binaries_of_every_type)
{
    cl_program parts[2] = {load_program("opencl_main_part.spv"), load_program("opencl_library_part.spv")};
    cl_int error;
    for (int i = 0; i < 2; i++)
        ok(clCompileProgram(parts[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program library =
        clLinkProgram(w.context, 0, NULL, "-create-library", 1, &parts[1], NULL, NULL, &error);
    ok(error);
    cl_program both[2] = {again(parts[0]), again(library)};
    ck_assert_uint_eq(type_of(both[0]), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    ck_assert_uint_eq(type_of(both[1]), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    fails(CL_INVALID_BINARY, clBuildProgram(both[0], 0, NULL, NULL, NULL, NULL));
    fails(CL_INVALID_BINARY, clBuildProgram(both[1], 0, NULL, NULL, NULL, NULL));
    fails(CL_INVALID_OPERATION, clCompileProgram(both[0], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(w.context, 0, NULL, NULL, 2, both, NULL, NULL, &error);
    ok(error);
    cl_program executable = again(linked);
    makes(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(executable, "linked", code_ret));
    makes(CL_INVALID_OPERATION,
          clLinkProgram(w.context, 0, NULL, NULL, 1, &executable, NULL, NULL, code_ret));
    ok(clBuildProgram(executable, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(executable, "linked", &error);
    ok(error);
    ok(clReleaseKernel(kernel));
    cl_program all[] = {parts[0], parts[1], library, both[0], both[1], linked, executable};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        ok(clReleaseProgram(all[i]));
}
END_TEST

START_TEST(test_binary_arguments)
{
    size_t size, none = 0;
    cl_int status = 1;
    unsigned char *data = binary_of(w.program, &size);
    const unsigned char *given = data, *null = NULL, *text = (const unsigned char *)"no binary";
    cl_device_id *d = &w.device;
    makes(CL_INVALID_VALUE, clCreateProgramWithBinary(w.context, 0, d, &size, &given, NULL, code_ret));
    makes(CL_INVALID_VALUE, clCreateProgramWithBinary(w.context, 1, NULL, &size, &given, NULL, code_ret));
    makes(CL_INVALID_VALUE, clCreateProgramWithBinary(w.context, 1, d, NULL, &given, NULL, code_ret));
    makes(CL_INVALID_VALUE, clCreateProgramWithBinary(w.context, 1, d, &size, NULL, NULL, code_ret));
    makes(CL_INVALID_VALUE, clCreateProgramWithBinary(w.context, 1, d, &none, &given, &status, code_ret));
    ck_assert_int_eq(status, CL_INVALID_VALUE);
    status = 1;
    makes(CL_INVALID_VALUE, clCreateProgramWithBinary(w.context, 1, d, &size, &null, &status, code_ret));
    ck_assert_int_eq(status, CL_INVALID_VALUE);
    size = 9;
    makes(CL_INVALID_BINARY, clCreateProgramWithBinary(w.context, 1, d, &size, &text, &status, code_ret));
    ck_assert_int_eq(status, CL_INVALID_BINARY);
    makes(CL_INVALID_BINARY, clCreateProgramWithBinary(w.context, 1, d, &size, &text, NULL, code_ret));
    free(data);
    fails(CL_INVALID_VALUE, clGetProgramInfo(w.program, CL_PROGRAM_BINARIES, 7, &data, NULL));
    data = NULL; /* a device whose binary is not wanted */
    ok(clGetProgramInfo(w.program, CL_PROGRAM_BINARIES, sizeof data, &data, &size));
    ck_assert_uint_eq(size, sizeof data);
}
END_TEST

START_TEST(test_specialization_errors)
{
    cl_program il = load_program("opencl_spec.spv"), source = program_of("");
    int value = 1;
    fails(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(source, 7, 4, &value));
    fails(CL_INVALID_SPEC_ID, clSetProgramSpecializationConstant(il, 12345, 4, &value));
    fails(CL_INVALID_VALUE, clSetProgramSpecializationConstant(il, 7, 0, &value));
    fails(CL_INVALID_VALUE, clSetProgramSpecializationConstant(il, 7, 8, &value));
    fails(CL_INVALID_VALUE, clSetProgramSpecializationConstant(il, 7, 4, NULL));
    ok(clReleaseProgram(il));
    ok(clReleaseProgram(source));
}
END_TEST

/* Kernels that no range could be given are no kernels of what was built, and the log says why; alone they
 * fail their build. */
START_TEST(test_kernels_beyond_the_device)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"kernel void k(global int *o) { local int t[66000]; int i = get_local_id(0); t[i] = o[i];"
         " barrier(1); o[i] = t[65999 - i]; }",
         "264064 bytes of local memory, of which there are 262144"},
        {"kernel __attribute__((reqd_work_group_size(128, 128, 1))) void k(global int *o) { o[0] = 1; }",
         "requires work-groups of 128 x 128 x 1; 8192 work-items"},
        {"kernel __attribute__((reqd_work_group_size(8192, 1, 1))) void k(global int *o) { int p[100000];"
         " int n = o[0]; for (int i = 0; i < n; i++) p[o[i]] = i; barrier(1); o[n] = p[n]; }",
         "requires work-groups of 8192 work-items; with "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char both[1000], log[2000];
        cl_program program = program_of(rows[i].text);
        fails(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
        ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        ck_assert_msg(strstr(log, "error: kernel k") && strstr(log, rows[i].why), "%s", log);
        ok(clReleaseProgram(program));
        snprintf(both, sizeof both, "%s\nkernel void good(global int *o) { o[0] = 2; }", rows[i].text);
        program = program_of(both);
        ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
        ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        ck_assert_msg(strstr(log, "warning: left out: kernel k") && strstr(log, rows[i].why), "%s", log);
        makes(CL_INVALID_KERNEL_DEFINITION, clCreateKernel(program, "k", code_ret));
        ck_assert_int_eq(run_one(program, "good"), 2);
        ok(clReleaseProgram(program));
    }
}
END_TEST

TCase *
program_error_tests(void)
{
    TCase *tests = tcase_create("program errors");
    tcase_add_test(tests, test_source_strings);
    tcase_add_test(tests, test_states);
    tcase_add_test(tests, test_no_compiler);
    tcase_add_test(tests, test_build_arguments);
    tcase_add_test(tests, test_link_arguments);
    tcase_add_test(tests, test_binaries_of_every_type);
    tcase_add_test(tests, test_binary_arguments);
    tcase_add_test(tests, test_specialization_errors);
    tcase_add_test(tests, test_kernels_beyond_the_device);
    return tests;
}
