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

/* A file that is younger than the compilation may not be what clang read; the clock ticks. */
static void
settle(void)
{
    usleep(50000);
}

/* What clang finds by itself is known by its content, wherever it stands. */
START_TEST(headers_of_folders)
{
    char options[200];
    const char *source = "#include \"a.h\"\nkernel void k(global int *o) { o[0] = A; }";
    snprintf(options, sizeof options, "-I%s -I %s/", in_folder("first"), folder);
    write_to("a.h", "#include \"inner.h\"\n#define A (3 + INNER)\n");
    write_to("inner.h", "#define INNER 0\n");
    settle();
    gives(3, true, source, options);
    gives(3, false, source, options);
    write_to("a.h", "#include \"inner.h\"\n#define A (4 + INNER)\n"); /* of the same size */
    settle();
    gives(4, true, source, options);
    gives(4, false, source, options);
    write_to("inner.h", "#define INNER 5\n");
    settle();
    gives(9, true, source, options);
    gives(9, false, source, options);
    /* Found before, from here on: as an included name, and as one of the including file's folder. */
    ck_assert_int_eq(mkdir(in_folder("first"), 0700), 0);
    gives(9, false, source, options);
    write_to("first/inner.h", "#define INNER 1\n");
    settle();
    gives(9, true, source, options); /* perhaps; but the one beside a.h is nearer */
    write_to("first/a.h", "#define A 20\n");
    settle();
    gives(20, true, source, options);
    gives(20, false, source, options);
    unlink(in_folder("first/a.h"));
    gives(9, true, source, options);
    unlink(in_folder("inner.h"));
    gives(5, true, source, options);
    /* A folder that nothing is read from does not matter. */
    gives(5, true, "kernel void k(global int *o) { o[0] = 5; }", options);
    gives(5, false, "kernel void k(global int *o) { o[0] = 5; }", options);
}
END_TEST

/* Relative folders begin where the process is. */
START_TEST(relative_folders)
{
    const char *source = "#include <r.h>\nkernel void k(global int *o) { o[0] = R; }";
    char here[1000];
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    mkdir(in_folder("a"), 0700);
    mkdir(in_folder("b"), 0700);
    mkdir(in_folder("a/i"), 0700);
    mkdir(in_folder("b/i"), 0700);
    write_to("a/i/r.h", "#define R 1\n");
    write_to("b/i/r.h", "#define R 2\n");
    settle();
    for (int round = 0; round < 2; round++) {
        ck_assert_int_eq(chdir(in_folder("a")), 0);
        gives(1, round == 0, source, "-Ii");
        ck_assert_int_eq(chdir(in_folder("b")), 0);
        gives(2, round == 0, source, "-Ii");
    }
    ck_assert_int_eq(chdir(here), 0);
}
END_TEST

/* Who asks for the time, or whether a file is there, is answered anew: however the question is put. */
START_TEST(questions)
{
    static const char *const asks[][2] = {
        {"constant char t[] = __TIME__;", ""},
        {"constant char t[] = X;", "-DX=__DATE__"},
        {"constant char t[] = __TI\\\nME__;", ""},
        {"constant char t[] = __TIMEST\\ \nAMP__;", ""},
        {"constant char t[] = __DA?\?/\nTE__;", ""},
        {"#define P(a, b) a##b\nconstant char t[] = P(__TI, ME__);", ""},
        {"#define P(a, b) a%:%:b\nconstant char t[] = P(__, TIME__);", ""},
        {"constant char t[] = X(__TI, ME__);", "-DX(a,b)=a##b"},
        {"#define Q(a, b) a##b\n#define P(a, b) Q(a, b)\nconstant char t[] = P(X, ME__);", "-DX=__TI"},
        {"#define P(a, b) P_(a, b)\n#define P_(a, b) a##b\nconstant char t[] = P(X, __);", "-DX=__TIME"},
        {"#if __has_include(<f.h>)\n#endif", ""},
        {"#if __has_\\\ninclude(<f.h>)\n#endif", ""},
        {"#define P(a, b) a##b\n#if P(__has_, include)(<f.h>)\n#endif", ""},
        {"#if __has_embed(\"f.h\")\n#endif", ""},
        {"#if __has_emb\\\ned(\"f.h\")\n#endif", ""},
        {"#if X(<f.h>)\n#endif", "-DX=__has_include"},
        {"#include <asks.h>\nASK", ""},
        {"#include <pastes.h>\n#if P(__has_, include)(<f.h>)\n#endif", ""},
    };
    char source[400], options[300];
    write_to("asks.h", "#define ASK constant char t[] = __TIME__;\n");
    write_to("pastes.h", "#define P(a, b) a##b\n");
    settle();
    for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++) {
        snprintf(source, sizeof source, "%s\nkernel void k(global int *o) { o[0] = 1; }", asks[i][0]);
        snprintf(options, sizeof options, "%s -I%s", asks[i][1], folder);
        for (int round = 0; round < 2; round++) {
            bool compiled;
            ck_assert_int_eq(result_of(source, options, &compiled), 1);
            ck_assert_msg(compiled, "%s", source);
        }
    }
    /* Pasting and names with underscores alone are no question. */
    const char *plain = "#define P(a, b) a##b\n#define __lane 3\n"
                        "kernel void k(global int *o) { int __la = P(__la, ne); o[0] = __la; }";
    gives(3, true, plain, "");
    gives(3, false, plain, "");
}
END_TEST

/* clang's variables are no part of a build. */
START_TEST(variables_of_compilers)
{
    const char *source = "#include <v.h>\nkernel void k(global int *o) { o[0] = V; }";
    const char *plain =
        "kernel void k(global int *o) {\n#ifdef BAD\n  o[0] = 2;\n#else\n  o[0] = 1;\n#endif\n}";
    mkdir(in_folder("path"), 0700);
    write_to("path/v.h", "#define V 1\n");
    setenv("CPATH", in_folder("path"), 1);
    setenv("CCC_OVERRIDE_OPTIONS", "+-DBAD", 1);
    cl_int error;
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    fails(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 1, &w.device, "", NULL, NULL));
    ok(clReleaseProgram(program));
    gives(1, true, plain, "");
    unsetenv("CPATH");
    unsetenv("CCC_OVERRIDE_OPTIONS");
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
    tcase_add_test(tests, relative_folders);
    tcase_add_test(tests, questions);
    tcase_add_test(tests, variables_of_compilers);
    tcase_add_test(tests, headers_of_programs);
    tcase_add_test(tests, messages);
    return tests;
}
