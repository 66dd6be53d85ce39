/* SPDX-License-Identifier: MIT */
/* What is told of programs from OpenCL C and their kernels: attributes, arguments, private memory, and which
 * functions are kept. */
#include "support.h"

static void
get_attributes(cl_program program, const char *name, char *out, size_t size)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    ok(error);
    ok(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, size, out, NULL));
    ok(clReleaseKernel(kernel));
}

/* Does what is kept of the program name that? */
static bool
keeps_name(cl_program program, const char *name)
{
    size_t size, length = strlen(name);
    bool found = false;
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    char *binary = malloc(size);
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    for (size_t at = 0; !found && at + length <= size; at++)
        found = memcmp(binary + at, name, length) == 0;
    free(binary);
    return found;
}

/* Functions that no kernel reaches are left out of what is built; what is to be linked has
 * them, and what links them finds them. */
START_TEST(test_unreached)
{
    const char *library = "int unreached_leaf(int x) { return x * 3; }\n"
                          "int unreached_root(int x) { return unreached_leaf(x) + 1; }\n"
                          "__attribute__((noinline)) int reached_leaf(int x) { return x + 40; }\n"
                          "kernel void adds(global int *o) { o[0] = reached_leaf(2); }\n",
               *user = "int unreached_root(int x);\n"
                       "kernel void takes(global int *o) { o[0] = unreached_root(4); }\n";
    cl_int error;
    cl_program built = make_program(library, ""), parts[2];
    ck_assert(!keeps_name(built, "unreached_leaf"));
    ck_assert(!keeps_name(built, "unreached_root"));
    ck_assert(keeps_name(built, "reached_leaf"));
    ck_assert_int_eq(run_one(built, "adds"), 42);
    for (unsigned k = 0; k < 2; k++) {
        parts[k] = clCreateProgramWithSource(w.context, 1, k ? &user : &library, NULL, &error);
        ok(error);
        ok(clCompileProgram(parts[k], 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    }
    ck_assert(keeps_name(parts[0], "unreached_leaf"));
    cl_program linked = clLinkProgram(w.context, 0, NULL, NULL, 2, parts, NULL, NULL, &error);
    ok(error);
    ck_assert_int_eq(run_one(linked, "takes"), 13);
    ok(clReleaseProgram(linked));
    ok(clReleaseProgram(parts[1]));
    ok(clReleaseProgram(parts[0]));
    ok(clReleaseProgram(built));
    /* None is left of a program without kernels. */
    ok(clReleaseProgram(make_program("int alone(int x) { return x + 1; }", "")));
}
END_TEST

START_TEST(test_attributes)
{
    const char *source =
        "kernel __attribute__((reqd_work_group_size(8, 4, 1), vec_type_hint(float4)))\n"
        "void a(global int *o) { o[0] = 1; }\n"
        "kernel __attribute__((work_group_size_hint(64, 1, 1), intel_reqd_sub_group_size(16)))\n"
        "void b(global int *o) { o[0] = 1; }\n"
        "kernel void c(global int *o) { o[0] = 1; }\n";
    char text[200];
    cl_program program = make_program(source, "");
    get_attributes(program, "a", text, sizeof text);
    ck_assert_str_eq(text, "reqd_work_group_size(8,4,1) vec_type_hint(float4)");
    get_attributes(program, "b", text, sizeof text);
    ck_assert_str_eq(text, "work_group_size_hint(64,1,1) intel_reqd_sub_group_size(16)");
    get_attributes(program, "c", text, sizeof text);
    ck_assert_str_eq(text, "");
    get_attributes(w.program, "fixed", text, sizeof text);
    ck_assert_str_eq(text, ""); /* it is no source */
    ok(clReleaseProgram(program));
}
END_TEST

/* In the order of the text and with all that it says, through comments, macros, declarations and a link. */
START_TEST(test_declared_attributes)
{
    static const char *const rows[][2] = {
        {"a", "vec_type_hint(uint4) work_group_size_hint(4,2,1)"},
        {"b", "nosvm reqd_work_group_size(8,4,1)"},
        {"c", "reqd_work_group_size(16,1,1) vec_type_hint(uchar)"},
        {"d", "work_group_size_hint(2,2,2)"},
        {"e", ""},
        {"f", "reqd_work_group_size(32,1,1)"},
        {"g", "vec_type_hint(float) work_group_size_hint(1,2,3)"},
        {"h", "intel_reqd_sub_group_size(8) work_group_size_hint(8,1,1)"},
    };
    const char *source =
        "#define TWO 2, \\\n  2 // kernel __attribute__((nosvm)) void e(\n"
        "/* kernel __attribute__((nosvm)) void e(global int *o); */\n"
        "#define WHOLE kernel __attribute__((reqd_work_group_size(32, 1, 1)))\n"
        "constant char text[] = \"kernel __attribute__((nosvm)) void e(\\\"{\";\n"
        "struct pair { int a, b; } __attribute__((packed));\n"
        "__attribute__((always_inline)) int twice(int x) { return x ? 2 * x : 0; }\n"
        "__kernel __attribute__((vec_type_hint( uint4 ))) __attribute__ (( work_group_size_hint(4, 2,1) ))\n"
        "void a(__global int *o) { if (o[1]) { o[0] = twice(1); } }\n"
        "kernel __attribute__((nosvm, reqd_work_group_size(8, 4, 1))) void b(global int *o) { o[0] = 1; }\n"
        "__attribute__((reqd_work_group_size(WIDTH, 1, 1))) __attribute__((vec_type_hint(uchar))) kernel "
        "void\n"
        "c(global int *o) { o[0] = text[0]; }\n"
        "kernel void __attribute__((work_group_size_hint(2, TWO))) d(global int *o) { o[0] = 1; }\n"
        "kernel void e(global struct pair *o) { o[0].a = 1; }\n"
        "WHOLE void f(global int *o) { o[0] = 1; }\n"
        "kernel __attribute__((vec_type_hint(float))) void g(global int *o);\n"
        "kernel __attribute__((work_group_size_hint(1, 2, 3))) void g(global int *o) { o[0] = 1; }\n"
        "kernel __attribute__((intel_reqd_sub_group_size(8))) __attribute__((work_group_size_hint(8, 1, "
        "1)))\n"
        "void h(global int *o) { o[0] = 1; }\n";
    char text[200];
    cl_int error;
    cl_program program = make_program(source, "-DWIDTH=16");
    cl_program part = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    ok(clCompileProgram(part, 0, NULL, "-DWIDTH=16", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(w.context, 0, NULL, NULL, 1, &part, NULL, NULL, &error);
    ok(error);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        get_attributes(program, rows[i][0], text, sizeof text);
        ck_assert_str_eq(text, rows[i][1]);
        get_attributes(linked, rows[i][0], text, sizeof text);
        ck_assert_str_eq(text, rows[i][1]);
    }
    ok(clReleaseProgram(linked));
    ok(clReleaseProgram(part));
    ok(clReleaseProgram(program));
}
END_TEST

/* 256 KiB for each work-item, which live across a barrier: 4096 of them are a gigabyte. */
START_TEST(test_private_memory)
{
    const char *source = "kernel void large(global int *o, int n) {\n"
                         "  int mine[65536];\n"
                         "  for (int i = 0; i < 65536; i++) mine[i] = i * n + (int)get_local_id(0);\n"
                         "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
                         "  o[get_global_id(0)] = mine[o[get_global_id(0)] & 65535];\n"
                         "}\n"
                         "kernel void small(global int *o) { o[get_global_id(0)] += 1; }\n";
    const size_t many = 8192, few = 64;
    int values[64], n = 3;
    size_t most;
    cl_ulong bytes;
    cl_int error;
    cl_program program = make_program(source, "");
    cl_kernel kernel = clCreateKernel(program, "large", &error);
    ok(error);
    ok(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    ck_assert_uint_eq(most, 4096);
    ok(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL));
    ck_assert_uint_ge(bytes, 65536 * sizeof(int));
    ck_assert_uint_le(bytes, 65536 * sizeof(int) + 4096);
    for (int i = 0; i < 64; i++)
        values[i] = 1000 * i;
    cl_mem buffer = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, sizeof values, values, &error);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ok(clSetKernelArg(kernel, 1, sizeof n, &n));
    fails(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &many, &many, 0, NULL, NULL));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &few, &few, 0, NULL, NULL));
    ok(clFinish(w.queue));
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(values[i], 1000 * i * 3 + i);
    ok(clReleaseKernel(kernel));
    kernel = clCreateKernel(program, "small", &error);
    ok(error);
    ok(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL));
    ck_assert_uint_le(bytes, 256);
    ok(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    ck_assert_uint_eq(most, 8192);
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseProgram(program));
}
END_TEST

/* What the source says of the arguments, though SPIR-V's pointers are of bytes. */
START_TEST(test_argument_info)
{
    static const struct {
        const char *name, *type;
        cl_kernel_arg_type_qualifier qualifier;
        cl_kernel_arg_address_qualifier space;
    } rows[] = {
        {"a", "uint*", CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT, CL_KERNEL_ARG_ADDRESS_GLOBAL},
        {"b", "float4*", CL_KERNEL_ARG_TYPE_CONST, CL_KERNEL_ARG_ADDRESS_CONSTANT},
        {"c", "uchar*", 0, CL_KERNEL_ARG_ADDRESS_LOCAL},
        {"d", "pair", 0, CL_KERNEL_ARG_ADDRESS_PRIVATE},
        {"e", "float3", 0, CL_KERNEL_ARG_ADDRESS_PRIVATE},
        {"f", "pair*", 0, CL_KERNEL_ARG_ADDRESS_GLOBAL},
        {"g", "ulong*", CL_KERNEL_ARG_TYPE_VOLATILE, CL_KERNEL_ARG_ADDRESS_GLOBAL},
        {"unused", "short8*", 0, CL_KERNEL_ARG_ADDRESS_GLOBAL},
        {"i", "int", 0, CL_KERNEL_ARG_ADDRESS_PRIVATE},
    };
    const char *source = "typedef struct { int a; float b; } pair;\n"
                         "kernel void other(global char *x) { x[0] = 1; }\n"
                         "kernel void k(global const uint *restrict a, constant float4 *b, local uchar *c,\n"
                         "              pair d, float3 e, global pair *f, volatile global ulong *g,\n"
                         "              global short8 *unused, int i) {\n"
                         "  c[0] = 1; f[0] = d; g[0] = a[0] + (uint)b[0].x + (uint)e.x + i;\n"
                         "}\n";
    cl_int error;
    char text[100];
    cl_program program = make_program(source, "-cl-kernel-arg-info");
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    ok(error);
    for (cl_uint i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_kernel_arg_type_qualifier qualifier;
        cl_kernel_arg_address_qualifier space;
        ok(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
        ck_assert_str_eq(text, rows[i].name);
        ok(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
        ck_assert_str_eq(text, rows[i].type);
        ok(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL));
        ck_assert_uint_eq(qualifier, rows[i].qualifier);
        ok(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
        ck_assert_uint_eq(space, rows[i].space);
    }
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(program));
}
END_TEST

TCase *
source_info_tests(void)
{
    TCase *tests = tcase_create("source info");
    tcase_add_test(tests, test_unreached);
    tcase_add_test(tests, test_attributes);
    tcase_add_test(tests, test_declared_attributes);
    tcase_add_test(tests, test_argument_info);
    tcase_add_test(tests, test_private_memory);
    return tests;
}
