/* SPDX-License-Identifier: MIT */
/* Options of OpenCL C programs on their way to clang: quotes, lengths, numbers, and words that clang would
 * take for something else. And what is left when a process ends in the middle. */
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char keeper[] = "#define TEXT_(...) #__VA_ARGS__\n"
                             "#define TEXT(...) TEXT_(__VA_ARGS__)\n"
                             "constant char text[] = TEXT(X);\n"
                             "kernel void k(global char *o) {\n"
                             "  for (int i = 0; i < 200 && i < sizeof text; i++) o[i] = text[i];\n"
                             "}\n";

static cl_int
try_build(const char *source, const char *options, cl_program *program)
{
    cl_int error;
    *program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    return clBuildProgram(*program, 0, NULL, options, NULL, NULL);
}

/* What the program's kernel writes. */
static void
read_text(const char *source, const char *options, char out[200])
{
    cl_program program;
    cl_int error;
    const size_t one = 1;
    memset(out, 0, 200);
    error = try_build(source, options, &program);
    ck_assert_msg(error == CL_SUCCESS, "%.300s: %d", options ? options : "", error);
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    ok(error);
    cl_mem buffer = clCreateBuffer(w.context, CL_MEM_COPY_HOST_PTR, 200, out, &error);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 200, out, 0, NULL, NULL));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(program));
}

/* What X is with these options. */
static void
read_macro(const char *options, char out[200])
{
    read_text(keeper, options, out);
}

START_TEST(test_quotes)
{
    static const char *const rows[][2] = {
        {"-DX=1", "1"},
        {"-D X=1", "1"},
        {" \t-D\tX=12  ", "12"},
        {"-DX", "1"},
        {"-D X=", ""},
        {"-DX=\"a b\"", "a b"},
        {"-D X='a  b'", "a b"},
        {"\"-DX=a b\" -DY=2", "a b"},
        {"-D \"X=a b\"", "a b"},
        {"-DX='\"a  b\"'", "\"a  b\""},
        {"-DX=\\\"a\\ b\\\"", "\"a b\""},
        {"-DX=\"\\\"a'b\\\"\"", "\"a'b\""},
        {"-DX=@none", "@none"},
        {"-DX='\"a\\\\\\\\b\"'", "\"a\\\\b\""},
        {"-DX=$(none)`none`;%s*~", "$(none)`none`;%s*~"},
        {"-DY(a)=a+X '-DX=Y(3)'", "3+X"},
        {"-DX=1 -I -w", "1"},
        {"-I '' -DX=4", "4"},
        {"-w -DX=5 -Werror", "5"},
        {"-Wall -Wno-unused -Wformat=2 -DX=6", "6"},
    };
    char text[200];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        read_macro(rows[i][0], text);
        ck_assert_msg(strcmp(text, rows[i][1]) == 0, "%s: %s", rows[i][0], text);
    }
}
END_TEST

/* Words that begin like clang's response files, options and plugins are values. */
/* Programs mark by infinity, and ask for it, with options that let them expect none. */
START_TEST(test_infinity_as_a_mark)
{
    static const char source[] = "kernel void k(global char *o) {\n"
                                 "  float t = o[9] ? 1.0f : INFINITY, x = o[9];\n"
                                 "  o[0] = t < INFINITY ? 'y' : 'n';\n"
                                 "  o[1] = fmin(t, o[9] ? 2.0f : INFINITY) == INFINITY ? 'y' : 'n';\n"
                                 "  o[2] = exp(x - INFINITY) == 0.0f ? 'y' : 'n';\n"
                                 "#ifdef __FAST_RELAXED_MATH__\n"
                                 "  o[3] = 'f';\n"
                                 "#endif\n"
                                 "}\n";
    char text[200];
    read_text(source, NULL, text);
    ck_assert_str_eq(text, "nyy");
    read_text(source, "-cl-finite-math-only", text);
    ck_assert_str_eq(text, "nyy");
    read_text(source, "-cl-fast-relaxed-math", text);
    ck_assert_str_eq(text, "nyyf");
}
END_TEST

START_TEST(test_no_response_files)
{
    static const char *const forms[] = {"-I @%s", "-I@%s", "-D @%s", "-D@%s", "@%s", "-DA=1 '-I' \"@%s\""};
    const char *source =
        "#ifdef INJECTED\n#error injected\n#endif\nkernel void k(global int *o) { o[0] = 1; }";
    char path[] = "/tmp/lanewise-response-XXXXXX", options[200], log[2000];
    const char text[] = "-DINJECTED=1 -fplugin=/nonexistent/plugin.so\n";
    int file = mkstemp(path);
    ck_assert_int_eq(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        cl_program program;
        snprintf(options, sizeof options, forms[i], path);
        cl_int error = try_build(source, options, &program);
        ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        ck_assert_msg(!strstr(log, "plugin") && !strstr(log, "injected"), "%s: %s", options, log);
        ck_assert_int_eq(error, strchr(forms[i], 'I') ? CL_SUCCESS : CL_INVALID_BUILD_OPTIONS);
        ok(clReleaseProgram(program));
    }
    unlink(path);
}
END_TEST

START_TEST(test_other_words)
{
    static const char *const wrong[] = {"-fplugin=x.so",
                                        "-D -fplugin=x.so",
                                        "-Xclang -load",
                                        "-mllvm -debug",
                                        "-include x.h",
                                        "-o /tmp/x",
                                        "-D",
                                        "-D ''",
                                        "-I",
                                        "--config=x",
                                        "-x c",
                                        "-Wp,-MD,x",
                                        "-Wl,x",
                                        "-W",
                                        "-cl-std=CL3.0 -cl",
                                        "-working-directory x",
                                        "x.cl",
                                        "-D 1=2"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cl_program program;
        fails(CL_INVALID_BUILD_OPTIONS, try_build("kernel void k() {}", wrong[i], &program));
        fails(CL_INVALID_COMPILER_OPTIONS,
              clCompileProgram(program, 0, NULL, wrong[i], 0, NULL, NULL, NULL, NULL));
        ok(clReleaseProgram(program));
    }
}
END_TEST

/* One option of 200 KB; 5,000 options. */
START_TEST(test_long_options)
{
    const char *source = "constant int list[] = {LIST};\n"
                         "kernel void k(global int *o) { o[0] = sizeof list / 4; o[1] = list[o[2]]; }";
    char text[200], *options = malloc(400000), *at = options;
    int values[3] = {0, 0, 33333};
    cl_program program;
    cl_int error;
    at += sprintf(at, "-DLIST=7");
    for (int i = 1; i < 40000; i++)
        at += sprintf(at, ",%04d", i % 9000 + 1000);
    ck_assert_uint_gt(strlen(options), 199000);
    ok(try_build(source, options, &program));
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    ok(error);
    cl_mem buffer = make_buffer(values, 3);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    ck_assert_int_eq(values[0], 40000);
    ck_assert_int_eq(values[1], 33333 % 9000 + 1000);
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(program));
    at = options;
    for (int i = 0; i < 5000; i++)
        at += sprintf(at, "-DM%d=%d -I/nonexistent/%d ", i, i, i);
    strcpy(at, "-DX=M0,M4999");
    read_macro(options, text);
    ck_assert_str_eq(text, "0,4999");
    free(options);
}
END_TEST

/* A pointer is no number: clang says so, and the build fails. */
START_TEST(test_pointers_are_no_numbers)
{
    static const char *const wrong[] = {
        "kernel void k(global uint *o, global uint *p) { uint n = p; o[0] = n; }",
        "kernel void k(global uint *o) { o[0] = o; }",
        "uint f(uint n) { return n; } kernel void k(global uint *o) { o[0] = f(o); }",
        "kernel void k(global uint *o, uint n) { global uint *p = n; p[0] = 1; }"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cl_program program;
        fails(CL_BUILD_PROGRAM_FAILURE, try_build(wrong[i], "", &program));
        fails(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, "-w", NULL, NULL));
        ok(clReleaseProgram(program));
    }
}
END_TEST

static unsigned char *
read_binary(const char *options, size_t *size)
{
    cl_program program;
    ok(try_build(keeper, options, &program));
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL));
    unsigned char *binary = malloc(*size);
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    ok(clReleaseProgram(program));
    return binary;
}

/* What else the process has open does not show. */
START_TEST(test_same_module)
{
    const char *options = "-g -DX=__FILE__";
    size_t sizes[2];
    unsigned char *first = read_binary(options, &sizes[0]);
    int taken[] = {open("/dev/null", O_RDONLY), open("/dev/null", O_RDONLY)};
    unsigned char *second = read_binary(options, &sizes[1]);
    ck_assert_uint_eq(sizes[0], sizes[1]);
    ck_assert_mem_eq(first, second, sizes[0]);
    close(taken[0]);
    close(taken[1]);
    free(first);
    free(second);
}
END_TEST

/* ---- Processes of all kinds ---- */

/* A process that collects no children, or has no standard streams, compiles all the same. */
START_TEST(test_signals_and_streams)
{
    char text[200];
    signal(SIGCHLD, SIG_IGN);
    read_macro("-DX=7", text);
    ck_assert_str_eq(text, "7");
    cl_program program;
    fails(CL_BUILD_PROGRAM_FAILURE, try_build("kernel void k() { none; }", "", &program));
    ok(clReleaseProgram(program));
    signal(SIGCHLD, SIG_DFL);
    int kept[3];
    for (int i = 0; i < 3; i++) {
        kept[i] = fcntl(i, F_DUPFD_CLOEXEC, 100);
        close(i);
    }
    cl_int error = try_build(keeper, "-DX=8", &program);
    for (int i = 0; i < 3; i++)
        dup2(kept[i], i);
    ok(error);
    ok(clReleaseProgram(program));
}
END_TEST

static unsigned
entries_of(const char *folder)
{
    unsigned count = 0;
    DIR *stream = opendir(folder);
    ck_assert_ptr_nonnull(stream);
    for (struct dirent *entry; (entry = readdir(stream));)
        count += entry->d_name[0] != '.';
    closedir(stream);
    return count;
}

/* Killed while its compiler runs, a process leaves nothing behind; headers and all. */
/* A limit on the size of files fails a build; it ends no process (SIGXFSZ would). */
START_TEST(test_limit_of_files)
{
    const char *source = "kernel void k(global int *o) { o[0] = 21; }";
    struct rlimit usual, none;
    cl_int error;
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &usual), 0);
    none = (struct rlimit){0, usual.rlim_max};
    /* No check meanwhile: the framework writes a file. */
    int limited = setrlimit(RLIMIT_FSIZE, &none);
    error = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    int unlimited = setrlimit(RLIMIT_FSIZE, &usual);
    ck_assert_int_eq(limited | unlimited, 0);
    fails(CL_BUILD_PROGRAM_FAILURE, error);
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    ok(clReleaseProgram(program));
}
END_TEST

START_TEST(test_killed)
{
    char folder[] = "/tmp/lanewise-killed-XXXXXX", script[100], started[100], command[300];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(script, sizeof script, "%s/clang", folder);
    snprintf(started, sizeof started, "%s/started", folder);
    FILE *file = fopen(script, "w");
    fprintf(file, "#!/bin/sh\n: > %s\nsleep 3\n", started);
    fclose(file);
    chmod(script, 0700);
    setenv("TMPDIR", folder, 1);
    setenv("LANEWISE_CLANG", script, 1);
    cl_int error;
    const char *text = "#define H 1\n", *name = "h.h", *source = "#include <h.h>\nkernel void k() {}";
    cl_program header = clCreateProgramWithSource(w.context, 1, &text, NULL, &error);
    ok(error);
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    pid_t child = fork();
    if (child == 0) {
        clCompileProgram(program, 0, NULL, "", 1, &header, &name, NULL, NULL);
        _exit(0);
    }
    for (int i = 0; i < 500 && access(started, F_OK) != 0; i++)
        usleep(10000);
    ck_assert_int_eq(access(started, F_OK), 0);
    kill(child, SIGKILL);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    ck_assert_uint_eq(entries_of(folder), 2); /* the script and its mark */
    ok(clReleaseProgram(header));
    ok(clReleaseProgram(program));
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

TCase *
source_option_tests(void)
{
    TCase *tests = tcase_create("source options");
    tcase_add_test(tests, test_quotes);
    tcase_add_test(tests, test_infinity_as_a_mark);
    tcase_add_test(tests, test_no_response_files);
    tcase_add_test(tests, test_other_words);
    tcase_add_test(tests, test_long_options);
    tcase_add_test(tests, test_pointers_are_no_numbers);
    tcase_add_test(tests, test_same_module);
    tcase_add_test(tests, test_signals_and_streams);
    tcase_add_test(tests, test_limit_of_files);
    tcase_add_test(tests, test_killed);
    return tests;
}
