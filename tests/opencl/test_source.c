/* SPDX-License-Identifier: MIT */
/* OpenCL C through whatever clang the test's environment names: versions, the macros of extensions and
 * features, and functions that come with them. */
#include "support.h"

static const char *
log_of(cl_program program)
{
    static char log[8000];
    ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    return log;
}

START_TEST(test_versions)
{
    static const struct {
        const char *option;
        int version;
    } rows[] = {{"", 120},
                {"-cl-std=CL1.0", 100},
                {"-cl-std=CL1.1", 110},
                {"-cl-std=CL1.2", 120},
                {"-cl-std=CL2.0", 200},
                {"-cl-std=CL3.0", 300},
                {"-cl-std=CL3.1", 310}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char source[300], options[50];
        snprintf(source, sizeof source,
                 "#if __OPENCL_C_VERSION__ != %d || __OPENCL_VERSION__ != 310 || CL_VERSION_3_1 != 310\n"
                 "#error wrong\n"
                 "#endif\n"
                 "kernel void k(global int *o) { o[0] = __OPENCL_C_VERSION__; }",
                 rows[i].version);
        snprintf(options, sizeof options, "%s -Werror", rows[i].option);
        ok(clReleaseProgram(make_program(source, options)));
    }
}
END_TEST

/* A version is taken where the device lists it, and only there. */
START_TEST(test_listed_versions)
{
    const char *source = "kernel void k(global int *o) { o[0] = 1; }";
    cl_name_version listed[20];
    size_t size;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof listed, listed, &size));
    for (unsigned version = 0; version < 40; version++) {
        char option[20];
        bool found = false;
        cl_int error;
        for (size_t i = 0; i < size / sizeof listed[0]; i++)
            found |= listed[i].version == CL_MAKE_VERSION(version / 10, version % 10, 0);
        snprintf(option, sizeof option, "-cl-std=CL%u.%u", version / 10, version % 10);
        cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
        ok(error);
        error = clBuildProgram(program, 0, NULL, option, NULL, NULL);
        ck_assert_msg(error == (found ? CL_SUCCESS : CL_INVALID_BUILD_OPTIONS), "%s: %d", option, error);
        ok(clReleaseProgram(program));
    }
}
END_TEST

/* What OpenCL C 2.0 has, without pragmas. */
START_TEST(test_version_2)
{
    const char *source =
        "global int total = 5;\n"
        "global atomic_int count = ATOMIC_VAR_INIT(1);\n"
        "int next(int *p) { return *p + 1; }\n"
        "kernel void passes(read_only pipe int from, write_only pipe int to, read_write image2d_t i) {\n"
        "  int v = 0;\n"
        "  read_pipe(from, &v);\n"
        "  write_pipe(to, &v);\n"
        "  write_imagef(i, (int2)(0), read_imagef(i, (int2)(1)));\n"
        "}\n"
        "kernel void k(global int *o) {\n"
        "  static global int calls = 2;\n"
        "  local int here;\n"
        "  int i = get_global_linear_id(), own = i;\n"
        "  int (^twice)(int) = ^(int x) { return 2 * x; };\n"
        "  here = 10;\n"
        "  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);\n"
        "  o[i] = next(&own) + next(&here) + total + calls + twice(i) + work_group_reduce_add(1) +\n"
        "         atomic_load_explicit(&count, memory_order_acquire, memory_scope_device) + ctz(8);\n"
        "}\n";
    const size_t global = 64, local = 16;
    int out[64];
    cl_int error;
    cl_program program = make_program(source, "-cl-std=CL2.0");
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    cl_mem buffer = make_buffer(NULL, 64);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(out[i], (i + 1) + 11 + 5 + 2 + 2 * i + 16 + 1 + 3);
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(program));
}
END_TEST

/* All that the device lists is defined, and what it lacks is not. */
START_TEST(test_macros)
{
    static const char *const options[] = {"-Werror", "-cl-std=CL3.0 -Werror", "-cl-std=CL3.1 -Werror"};
    char extensions[8192], source[32768] = "";
    cl_name_version features[100];
    size_t size;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_OPENCL_C_FEATURES, sizeof features, features, &size));
    for (char *word = strtok(extensions, " "); word; word = strtok(NULL, " "))
        if (strcmp(word, "cl_ext_cxx_for_opencl") != 0) /* a language has macros of its own */
            sprintf(source + strlen(source), "#if %s != 1\n#error %s\n#endif\n", word, word);
    sprintf(source + strlen(source), "#if __OPENCL_C_VERSION__ >= 300\n");
    for (size_t i = 0; i < size / sizeof features[0]; i++)
        sprintf(source + strlen(source), "#if %s != 1\n#error %s\n#endif\n", features[i].name,
                features[i].name);
    strcat(source, "#endif\n"
                   "#if !defined(__IMAGE_SUPPORT__)\n"
                   "#error promised\n"
                   "#endif\n"
                   "kernel void k(global int *o) { o[0] = 1; }");
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        ok(clReleaseProgram(make_program(source, options[i])));
}
END_TEST

/* Each extension that the device lists may be switched on and off, and warnings be errors meanwhile; nobody
 * is told anything. */
START_TEST(test_pragmas)
{
    static const char *const options[] = {"-Werror", "-cl-std=CL2.0 -Werror", "-cl-std=CL3.0 -Werror"};
    char extensions[8192], source[16384] = "";
    ok(clGetDeviceInfo(w.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    for (char *word = strtok(extensions, " "); word; word = strtok(NULL, " "))
        sprintf(source + strlen(source),
                "#pragma OPENCL EXTENSION %s : enable\n#pragma OPENCL EXTENSION %s : disable\n", word, word);
    strcat(source, "kernel void k(global int *o) { o[0] = 1; }");
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        cl_program program = make_program(source, options[i]);
        ck_assert_str_eq(log_of(program), "");
        ok(clReleaseProgram(program));
    }
}
END_TEST

#define SUB_GROUPS "#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable\n"
#define NOBODYS "#pragma OPENCL EXTENSION cl_khr_nobodys : enable\n"
#define KERNEL "kernel void k(global int *o) { int i; i; o[0] = 1; }\n"

/* Of others they are, and of all else; what counts the warnings counts those that are left. */
START_TEST(test_other_pragmas)
{
    static const struct {
        const char *source, *says, *counts;
    } rows[] = {
        {SUB_GROUPS NOBODYS "kernel void k() { }", "cl_khr_nobodys", "1 warning generated.\n"},
        {NOBODYS SUB_GROUPS KERNEL, "unused", "2 warnings generated.\n"},
        {SUB_GROUPS "kernel void k() { x; }\n", "undeclared", "\n1 error generated.\n"},
        {SUB_GROUPS KERNEL "kernel void l() { x; }\n", "undeclared", "\n1 warning and 1 error generated.\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_int error;
        cl_program program =
            clCreateProgramWithSource(w.context, 1, (const char **)&rows[i].source, NULL, &error);
        ok(error);
        clBuildProgram(program, 0, NULL, "-cl-std=CL3.0 -Wunused-value", NULL, NULL);
        const char *log = log_of(program);
        ck_assert_msg(strstr(log, rows[i].says) && strstr(log, rows[i].counts) &&
                          !strstr(log, "cl_khr_subgroup_ballot"),
                      "%zu: %s", i, log);
        ok(clReleaseProgram(program));
    }
}
END_TEST

/* A compiler that ends on a program says of what and in which function; its stack is for nobody here. */
START_TEST(test_dumps)
{
    cl_int error;
    const char *source = "kernel void k(global int *o) {\n"
                         "    int x;\n"
                         "    __asm__(\"mov %0, 1\" : \"=r\"(x));\n"
                         "    o[0] = x;\n"
                         "}";
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    fails(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    const char *log = log_of(program);
    ck_assert_msg(strstr(log, "Inline assembly instructions") && strstr(log, "on function") &&
                      !strstr(log, "PLEASE submit") && !strstr(log, "Program arguments") &&
                      !strstr(log, "Stack dump") && !strstr(log, "#1"),
                  "%.1500s", log);
    ok(clReleaseProgram(program));
}
END_TEST

/* What OpenCL C 3.1 has in its core. */
START_TEST(test_newest_functions)
{
    enum { ITEMS = 64 };
    const char *source =
        "kernel void k(global uint *o, uint n) {\n"
        "  size_t i = get_global_id(0);\n"
        "  uint l = get_sub_group_local_id(), s = get_sub_group_size();\n"
        "  o[i * 5] = dot(as_uchar4((uint)i * 0x01020304u), (uchar4)(1, 2, 3, 4));\n"
        "  o[i * 5 + 1] = sub_group_rotate((uint)i, 1) == i - l + (l + 1) % s;\n"
        "  o[i * 5 + 2] = bit_reverse((uint)i);\n"
        "  o[i * 5 + 3] = sub_group_shuffle_xor((ushort)i, 1) == (i ^ 1);\n"
        "  o[i * 5 + 4] = bitfield_extract_unsigned((uint)i, 1, 3) + n;\n"
        "}\n";
    const size_t items = ITEMS, local = ITEMS;
    cl_uint out[ITEMS * 5];
    const cl_uint n = 7;
    cl_int error;
    cl_program program = make_program(source, "-cl-std=CL3.1");
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    ok(error);
    cl_mem buffer = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, sizeof out, out, &error);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ok(clSetKernelArg(kernel, 1, sizeof n, &n));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    ok(clFinish(w.queue));
    for (cl_uint i = 0; i < ITEMS; i++) {
        cl_uint bytes = i * 0x01020304u, sum = 0, reversed = 0;
        for (cl_uint b = 0; b < 4; b++)
            sum += (bytes >> 8 * b & 255) * (b + 1);
        for (cl_uint b = 0; b < 32; b++)
            reversed |= (i >> b & 1) << (31 - b);
        ck_assert_uint_eq(out[i * 5], sum);
        ck_assert_uint_eq(out[i * 5 + 1], 1);
        ck_assert_uint_eq(out[i * 5 + 2], reversed);
        ck_assert_uint_eq(out[i * 5 + 3], 1);
        ck_assert_uint_eq(out[i * 5 + 4], (i >> 1 & 7) + n);
    }
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseProgram(program));
}
END_TEST

/* A group of `items` runs the source's kernel k, whose only argument is `out`. */
static void
run_source(const char *source, void *out, size_t bytes, size_t items)
{
    cl_int error;
    cl_program program = make_program(source, "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    ok(error);
    cl_mem buffer = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, bytes, out, &error);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    ok(clFinish(w.queue));
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseProgram(program));
}

/* What asynchronous copies move is what the function's type says, whatever the passes make of the pointers:
 * from the begin of an array, from a part of it, as other elements than it has. */
START_TEST(test_copied_elements)
{
    enum { ITEMS = 16, INTS = 64 };
    const char *source =
        "kernel void k(global int *o) {\n"
        "  local int a[16]; local uchar b[64]; local int3 c[4];\n"
        "  int l = get_local_id(0);\n"
        "  a[l] = l + 1; c[l & 3] = l & 3;\n"
        "  for (int i = 0; i < 4; i++) b[4 * l + i] = 4 * l + i;\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  event_t e = async_work_group_copy(o, a, 16, 0);\n"
        "  e = async_work_group_copy(o + 16, a + 4, 8, e);\n"
        "  e = async_work_group_copy((global uchar *)(o + 24), (local uchar *)a, 16, e);\n"
        "  e = async_work_group_copy(o + 28, (local int *)(b + 16), 4, e);\n"
        "  e = async_work_group_copy((global int3 *)(o + 32), c + 1, 3, e);\n"
        "  e = async_work_group_strided_copy(o + 48, a + 1, 4, 2, e);\n"
        "  wait_group_events(1, &e);\n"
        "}\n";
    cl_int out[INTS];
    memset(out, 0x55, sizeof out);
    run_source(source, out, sizeof out, ITEMS);
    for (int i = 0; i < INTS; i++) {
        bool strided = i >= 48 && i < 56 && i % 2 == 0, vector = i >= 32 && i < 44;
        int bytes = (int)(0x03020100u + (cl_uint)(i - 24) * 0x04040404u);
        int want = i < 16                ? i + 1
                   : i < 24              ? i - 16 + 5
                   : i < 28              ? i - 24 + 1
                   : i < 32              ? bytes
                   : vector && i % 4 < 3 ? (i - 32) / 4 + 1
                   : strided             ? (i - 48) / 2 + 2
                                         : 0x55555555;
        if (!vector || i % 4 < 3)
            ck_assert_msg(out[i] == want, "%d: %#x, not %#x", i, (unsigned)out[i], (unsigned)want);
    }
}
END_TEST

/* Walks over arrays of pointers: to an end that nothing reads, and from the begin of a local array, which is
 * as long as it is. */
START_TEST(test_walks_over_pointers)
{
    enum { ITEMS = 12 };
    const char *source =
        "typedef local int *L;\n"
        "constant char *names[] = {\"alpha\", \"be\", \"\", \"gamma\"};\n"
        "kernel void k(global int *o) {\n"
        "  int l = get_local_id(0), s = 0;\n"
        "  local int w[12]; local L a[12];\n"
        "  w[l] = l; a[l] = w + l;\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  for (local L *p = a; p != a + l; p++) s += (p - a) & 1 ? **p : 100 * **p;\n"
        "  local L *p = a;\n"
        "  for (int i = 0; i < l; i++, p++) s += 10000 * **p;\n"
        "  for (constant char **n = names; n != names + (l & 3); n++) s += (*n)[0];\n"
        "  o[l] = s;\n"
        "}\n";
    static const int letters[] = {0, 'a', 'a' + 'b', 'a' + 'b'};
    cl_int out[ITEMS];
    run_source(source, out, sizeof out, ITEMS);
    for (int l = 0; l < ITEMS; l++) {
        int want = letters[l & 3];
        for (int i = 0; i < l; i++)
            want += 10000 * i + (i & 1 ? i : 100 * i);
        ck_assert_int_eq(out[l], want);
    }
}
END_TEST

/* A program's own functions are what they say, whatever C's of the same name and type do. */
START_TEST(test_own_functions)
{
    enum { ITEMS = 4 };
    static const char *const names[] = {"exp2f", "sqrtf", "log10f", "cosf", "floorf", "nearbyintf", "tanhf"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char source[512];
        float out[ITEMS];
        snprintf(source, sizeof source,
                 "__attribute__((noinline)) float %s(float x) { return 2 * x + 5; }\n"
                 "__attribute__((noinline)) long labs(long x) { return -x; }\n"
                 "kernel void k(global float *o) { int i = get_global_id(0);\n"
                 "  o[i] = %s(4.5f) + 100 * %s((float)i) + 1000 * labs((long)i); }\n",
                 names[k], names[k], names[k]);
        run_source(source, out, sizeof out, ITEMS);
        for (int i = 0; i < ITEMS; i++)
            ck_assert_float_eq(out[i], (float)(14 + 100 * (2 * i + 5) - 1000 * i));
    }
}
END_TEST

/* Conversions between integers keep the sign of their source: one kernel for each pair of types. */
START_TEST(test_conversions)
{
    static const char *const types[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"};
    enum { TYPES = sizeof types / sizeof types[0], VALUES = 4 };
    const cl_long values[VALUES] = {3, 200, -5, -40000};
    _Alignas(128) cl_long in[VALUES], out[2 * VALUES];
    cl_int error;
    cl_mem from = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, sizeof in, in, &error);
    ok(error);
    cl_mem to = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, sizeof out, out, &error);
    ok(error);
    char source[16384], *at = source;
    for (int a = 0; a < TYPES; a++)
        for (int b = 0; b < TYPES; b++)
            at += sprintf(at,
                          "kernel void k%d%d(global %s4 *a, global %s *b) { vstore4(convert_%s4(*a), 0, b);\n"
                          "b[4] = convert_%s(a->x); b[5] = convert_%s(a->y); b[6] = convert_%s(a->z); }\n",
                          a, b, types[a], types[b], types[b], types[b], types[b], types[b]);
    cl_program program = make_program(source, "-cl-std=CL3.0 -Werror");
    for (int a = 0; a < TYPES; a++)
        for (int b = 0; b < TYPES; b++) {
            char name[8];
            size_t wide = (size_t)1 << a / 2, result = (size_t)1 << b / 2;
            snprintf(name, sizeof name, "k%d%d", a, b);
            for (int i = 0; i < VALUES; i++)
                memcpy((char *)in + (size_t)i * wide, &values[i], wide);
            cl_kernel kernel = clCreateKernel(program, name, &error);
            ok(error);
            ok(clSetKernelArg(kernel, 0, sizeof from, &from));
            ok(clSetKernelArg(kernel, 1, sizeof to, &to));
            ok(clEnqueueTask(w.queue, kernel, 0, NULL, NULL));
            ok(clFinish(w.queue));
            for (int i = 0; i < 7; i++) {
                cl_ulong bits = (cl_ulong)values[i % VALUES] << (64 - 8 * wide);
                cl_long value = a % 2 ? (cl_long)(bits >> (64 - 8 * wide)) : (cl_long)bits >> (64 - 8 * wide);
                ck_assert_mem_eq((char *)out + (size_t)i * result, &value, result);
            }
            ok(clReleaseKernel(kernel));
        }
    ok(clReleaseMemObject(from));
    ok(clReleaseMemObject(to));
    ok(clReleaseProgram(program));
}
END_TEST

/* The same with saturation and with rounding modes, which change nothing between integers; names that macros
 * of the text and of the options put together. */
START_TEST(test_saturation)
{
    static const char *const types[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"};
    enum { TYPES = sizeof types / sizeof types[0], VALUES = 4 };
    static const cl_long samples[][VALUES] = {
        {3, 200, -5, -40000}, {127, 128, 255, 256}, {-128, -129, 32767, 32768},
        {-32768, -32769, 65535, 65536},
        {2147483647, 2147483648, 4294967295, 4294967296},
        {-2147483648, -2147483649, CL_LONG_MAX, CL_LONG_MIN}};
    _Alignas(128) cl_long in[VALUES], out[2 * VALUES];
    cl_int error;
    cl_mem from = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, sizeof in, in, &error);
    ok(error);
    cl_mem to = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, sizeof out, out, &error);
    ok(error);
    char *source = malloc(65536), *at = source;
    at += sprintf(at, "#define TOWARDS_ZERO(T) convert_##T##_sat_rtz\n");
    for (int a = 0; a < TYPES; a++)
        for (int b = 0; b < TYPES; b++)
            at += sprintf(at,
                          "kernel void k%d%d(global %s4 *a, global %s *b) { vstore4(convert_%s4_sat(*a), 0, "
                          "b);\n"
                          "b[4] = TOWARDS_ZERO(%s)(a->x); b[5] = convert_%s_sat(a->y);\n"
                          "vstore2(EVEN(%s2)(a->zw), 3, b); }\n",
                          a, b, types[a], types[b], types[b], types[b], types[b], types[b]);
    cl_program program = make_program(source, "-cl-std=CL3.0 -g -Werror -DEVEN(T)=convert_##T##_rte");
    free(source);
    for (int a = 0; a < TYPES; a++)
        for (int b = 0; b < TYPES; b++) {
            char name[8];
            size_t wide = (size_t)1 << a / 2, result = (size_t)1 << b / 2;
            snprintf(name, sizeof name, "k%d%d", a, b);
            cl_kernel kernel = clCreateKernel(program, name, &error);
            ok(error);
            ok(clSetKernelArg(kernel, 0, sizeof from, &from));
            ok(clSetKernelArg(kernel, 1, sizeof to, &to));
            for (size_t set = 0; set < sizeof samples / sizeof samples[0]; set++) {
                for (int i = 0; i < VALUES; i++)
                    memcpy((char *)in + (size_t)i * wide, &samples[set][i], wide);
                ok(clEnqueueTask(w.queue, kernel, 0, NULL, NULL));
                ok(clFinish(w.queue));
                for (int i = 0; i < 8; i++) {
                    int lane = i < 6 ? i % VALUES : i - 4;
                    cl_ulong bits = (cl_ulong)samples[set][lane] << (64 - 8 * wide);
                    __int128 value = a % 2 ? (__int128)(bits >> (64 - 8 * wide))
                                           : (__int128)((cl_long)bits >> (64 - 8 * wide));
                    __int128 least = b % 2 ? 0 : -((__int128)1 << (8 * result - 1));
                    __int128 most = ((__int128)1 << (8 * result - (b % 2 ? 0 : 1))) - 1;
                    if (i < 6)
                        value = value < least ? least : value > most ? most : value;
                    ck_assert_msg(!memcmp((char *)out + (size_t)i * result, &value, result),
                                  "%s to %s, %lld, element %d", types[a], types[b],
                                  (long long)samples[set][lane], i);
                }
            }
            ok(clReleaseKernel(kernel));
        }
    ok(clReleaseMemObject(from));
    ok(clReleaseMemObject(to));
    ok(clReleaseProgram(program));
}
END_TEST

/* Elements of vloada_half3 are four halves apart, in each address space. */
START_TEST(test_aligned_half3)
{
    static const char *const spaces[] = {"global", "local", "private", "constant", ""};
    _Alignas(64) cl_half in[20];
    _Alignas(64) cl_float out[16];
    cl_int error;
    for (cl_half i = 0; i < 20; i++)
        in[i] = 0x4000 + 16 * i; /* 2 + i / 32 */
    cl_mem from = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, sizeof in, in, &error);
    ok(error);
    cl_mem to = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, sizeof out, out, &error);
    ok(error);
    char source[4096], *at = source;
    for (size_t s = 0; s < 5; s++) {
        bool copies = s == 1 || s == 2;
        at += sprintf(at,
                      "kernel void k%zu(%s half *a, global float *b) {\n"
                      "%s half h[20] __attribute__((aligned(8)));\n"
                      "for (int k = 0; k < 20; k++) h[k] = a[k];\n"
                      "for (int i = 0; i < 5; i++) vstore3(vloada_half3(i, (const %s half *)%s), i, b); }\n",
                      s, s == 3 ? "constant" : "global", s == 1 ? "local" : "private", spaces[s],
                      copies ? "h" : "a");
    }
    cl_program program = make_program(source, "-cl-std=CL3.0");
    for (int s = 0; s < 5; s++) {
        char name[4];
        snprintf(name, sizeof name, "k%d", s);
        cl_kernel kernel = clCreateKernel(program, name, &error);
        ok(error);
        ok(clSetKernelArg(kernel, 0, sizeof from, &from));
        ok(clSetKernelArg(kernel, 1, sizeof to, &to));
        memset(out, 0, sizeof out);
        ok(clEnqueueTask(w.queue, kernel, 0, NULL, NULL));
        ok(clFinish(w.queue));
        for (int i = 0; i < 15; i++)
            ck_assert_msg(out[i] == 2 + (i / 3 * 4 + i % 3) / 32.f, "%s, element %d: %g", spaces[s], i,
                          out[i]);
        ok(clReleaseKernel(kernel));
    }
    ok(clReleaseMemObject(from));
    ok(clReleaseMemObject(to));
    ok(clReleaseProgram(program));
}
END_TEST

/* cl_khr_integer_dot_product and cl_ext_float_atomics: the queries that go with them. */
START_TEST(test_queries)
{
    cl_bitfield dots, atomics;
    cl_bool accelerated[6];
    size_t size;
    ok(clGetDeviceInfo(w.device, 0x1073, sizeof dots, &dots, &size));
    ck_assert_uint_eq(size, sizeof dots);
    ck_assert_uint_eq(dots, 3); /* packed and not: 3.1 requires both */
    ok(clGetDeviceInfo(w.device, 0x1074, sizeof accelerated, accelerated, &size));
    ck_assert_uint_eq(size, sizeof accelerated);
    ok(clGetDeviceInfo(w.device, 0x1075, sizeof accelerated, accelerated, &size));
    ck_assert_uint_eq(size, sizeof accelerated);
    for (cl_device_info name = 0x4231; name <= 0x4233; name++) {
        ok(clGetDeviceInfo(w.device, name, sizeof atomics, &atomics, NULL));
        ck_assert_uint_eq(atomics, 0x70007);
    }
}
END_TEST

TCase *
source_tests(void)
{
    TCase *tests = tcase_create("source");
    tcase_add_test(tests, test_versions);
    tcase_add_test(tests, test_listed_versions);
    tcase_add_test(tests, test_version_2);
    tcase_add_test(tests, test_macros);
    tcase_add_test(tests, test_pragmas);
    tcase_add_test(tests, test_other_pragmas);
    tcase_add_test(tests, test_dumps);
    tcase_add_test(tests, test_newest_functions);
    tcase_add_test(tests, test_copied_elements);
    tcase_add_test(tests, test_walks_over_pointers);
    tcase_add_test(tests, test_own_functions);
    tcase_add_test(tests, test_conversions);
    tcase_add_test(tests, test_saturation);
    tcase_add_test(tests, test_aligned_half3);
    tcase_add_test(tests, test_queries);
    return tests;
}
