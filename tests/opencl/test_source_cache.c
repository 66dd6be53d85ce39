/* SPDX-License-Identifier: MIT */
/* Sources that were compiled before, from the disk: a script in place of clang counts how often it is run. */
#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/lanewise_sources_XXXXXX";

static const char *
in_folder(const char *name)
{
    static char paths[4][100];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void
write_to(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

void
open_cached_world(void)
{
    char script[1000];
    const char *clang = getenv("LANEWISE_CLANG");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(script, sizeof script, "#!/bin/sh\necho run >> %s\nexec %s \"$@\"\n", in_folder("count"),
             clang ? clang : "clang-22");
    write_to("clang", script);
    ck_assert_int_eq(chmod(in_folder("clang"), 0700), 0);
    setenv("LANEWISE_CLANG", in_folder("clang"), 1);
    setenv("LANEWISE_CACHE", "1", 1);
    setenv("LANEWISE_CACHE_DIR", in_folder("cache"), 1);
    open_world();
}

void
close_cached_world(void)
{
    char command[100];
    close_world();
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* Since the last call. */
static bool
clang_ran(void)
{
    bool ran = access(in_folder("count"), F_OK) == 0;
    unlink(in_folder("count"));
    return ran;
}

/* Builds the program anew, says what its kernel `k` writes, and whether clang was run. */
static int
result_of(const char *source, const char *options, bool *compiled)
{
    cl_int error, value = -1;
    clang_ran();
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    ok(clBuildProgram(program, 1, &w.device, options, NULL, NULL));
    *compiled = clang_ran();
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    ok(error);
    cl_mem out = clCreateBuffer(w.context, CL_MEM_READ_WRITE, sizeof value, NULL, &error);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof out, &out));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    ok(clReleaseMemObject(out));
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(program));
    return value;
}

#define gives(value, anew, source, options)                                                                  \
    do {                                                                                                     \
        bool compiled;                                                                                       \
        ck_assert_int_eq(result_of(source, options, &compiled), value);                                      \
        ck_assert_int_eq(compiled, anew);                                                                    \
    } while (0)

START_TEST(what_is_known_is_not_compiled)
{
    const char *source = "kernel void k(global int *o) { o[0] = X; }";
    gives(5, true, source, "-DX=5");
    gives(5, false, source, "-DX=5");
    gives(6, true, source, "-DX=6");
    gives(5, false, source, "-DX=5");
    gives(5, true, source, "-DX=5 -cl-std=CL3.0");
    gives(7, true, "kernel void k(global int *o) { o[0] = X + 2; }", "-DX=5");
    gives(5, false, source, "-DX=5");
}
END_TEST

/* Another compiler is another key: here, by the time of its file. */
START_TEST(another_compiler)
{
    const char *source = "kernel void k(global int *o) { o[0] = 8; }";
    gives(8, true, source, "");
    gives(8, false, source, "");
    FILE *file = fopen(in_folder("clang"), "a");
    fputs("# newer\n", file);
    fclose(file);
    gives(8, true, source, "");
}
END_TEST

START_TEST(damaged_entries)
{
    char command[300];
    const char *source = "kernel void k(global int *o) { o[0] = 9; }";
    gives(9, true, source, "");
    snprintf(
        command, sizeof command,
        "for f in %s/????????????????*; do printf x | dd of=$f bs=1 seek=200 conv=notrunc 2>/dev/null; done",
        in_folder("cache"));
    ck_assert_int_eq(system(command), 0);
    gives(9, true, source, "");
    gives(9, false, source, "");
}
END_TEST

/* What clang finds by itself may change without our knowing. */
START_TEST(headers_of_folders)
{
    char options[100];
    const char *asks = "#if __has_include(\"b.h\")\n"
                       "#include \"b.h\"\n"
                       "#else\n"
                       "#define B 1\n"
                       "#endif\n"
                       "kernel void k(global int *o) { o[0] = B; }";
    snprintf(options, sizeof options, "-I%s", folder);
    write_to("a.h", "#define A 3\n");
    gives(3, true, "#include \"a.h\"\nkernel void k(global int *o) { o[0] = A; }", options);
    write_to("a.h", "#define A 4\n");
    gives(4, true, "#include \"a.h\"\nkernel void k(global int *o) { o[0] = A; }", options);
    gives(1, true, asks, options);
    write_to("b.h", "#define B 2\n");
    gives(2, true, asks, options);
    /* A folder that nothing is read from does not matter. */
    gives(5, true, "kernel void k(global int *o) { o[0] = 5; }", options);
    gives(5, false, "kernel void k(global int *o) { o[0] = 5; }", options);
}
END_TEST

static cl_program
from_source(const char *source)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    return program;
}

START_TEST(headers_of_programs)
{
    const char *names[] = {"h.h"};
    const char *texts[] = {"#define H 1\n", "#define H 1\n", "#define H 2\n"};
    for (int i = 0; i < 3; i++) {
        cl_program header = from_source(texts[i]);
        cl_program program = from_source("#include <h.h>\nkernel void k(global int *o) { o[0] = H; }");
        clang_ran();
        ok(clCompileProgram(program, 0, NULL, "", 1, &header, names, NULL, NULL));
        ck_assert_int_eq(clang_ran(), i != 1);
        ok(clReleaseProgram(program));
        ok(clReleaseProgram(header));
    }
}
END_TEST

/* Warnings come with what is known; errors are found again. And no message is cut. */
START_TEST(messages)
{
    char *first = calloc(1, 100000), *again = calloc(1, 100000), source[20000] = "";
    char *texts[2] = {first, again};
    for (int i = 0; i < 100; i++)
        snprintf(source + strlen(source), 150, "#warning number %d of them\n", i);
    strcat(source, "kernel void k(global int *o) { o[0] = 1; }");
    for (int i = 0; i < 2; i++) {
        cl_program program = from_source(source);
        clang_ran();
        ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
        ck_assert_int_eq(clang_ran(), i == 0);
        ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, 100000, texts[i], NULL));
        ok(clReleaseProgram(program));
    }
    ck_assert_ptr_nonnull(strstr(first, "number 0 of them"));
    ck_assert_ptr_nonnull(strstr(first, "number 99 of them"));
    ck_assert_str_eq(first, again);
    for (int i = 0; i < 2; i++) {
        cl_program program = from_source("kernel void k(global int *o) { o[0] = nothing; }");
        fails(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, "", NULL, NULL));
        ck_assert(clang_ran());
        ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, 100000, first, NULL));
        ck_assert_ptr_nonnull(strstr(first, "nothing"));
        ok(clReleaseProgram(program));
    }
    free(first);
    free(again);
}
END_TEST

TCase *
source_cache_tests(void)
{
    TCase *tests = tcase_create("source cache");
    tcase_add_test(tests, what_is_known_is_not_compiled);
    tcase_add_test(tests, another_compiler);
    tcase_add_test(tests, damaged_entries);
    tcase_add_test(tests, headers_of_folders);
    tcase_add_test(tests, headers_of_programs);
    tcase_add_test(tests, messages);
    return tests;
}
