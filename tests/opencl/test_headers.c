/* SPDX-License-Identifier: MIT */
/* Headers that programs give to clCompileProgram: which of them is found, under what names. */
#include "support.h"

#include <unistd.h>

/* What `source` computes, compiled with the headers "#define VALUE number" under these names. */
static int
value_of(const char *source, const char *options, cl_uint count, const char **names, const int *numbers)
{
    cl_program headers[4];
    cl_int error;
    const size_t one = 1;
    int result = -1;
    for (cl_uint i = 0; i < count; i++) {
        char text[100];
        const char *strings[] = {text};
        snprintf(text, sizeof text, "#undef VALUE\n#define VALUE %d\n", numbers[i]);
        headers[i] = clCreateProgramWithSource(w.context, 1, strings, NULL, &error);
        ok(error);
    }
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    error = clCompileProgram(program, 0, NULL, options, count, count ? headers : NULL, names, NULL, NULL);
    for (cl_uint i = 0; i < count; i++)
        ok(clReleaseProgram(headers[i]));
    if (error == CL_SUCCESS) {
        cl_program linked = clLinkProgram(w.context, 0, NULL, NULL, 1, &program, NULL, NULL, &error);
        ok(error);
        cl_kernel kernel = clCreateKernel(linked, "k", &error);
        ok(error);
        cl_mem buffer = make_buffer(&result, 1);
        ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL));
        ok(clReleaseMemObject(buffer));
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(linked));
    }
    ok(clReleaseProgram(program));
    return error ? error : result;
}

#define KERNEL "\nkernel void k(global int *o) { o[0] = VALUE; }\n"

/* Of several with one name the first counts. */
START_TEST(test_same_name)
{
    const char *names[] = {"v.h", "v.h"};
    ck_assert_int_eq(value_of("#include \"v.h\"" KERNEL, "", 2, names, (const int[]){41, 42}), 41);
}
END_TEST

/* They are found before files in folders that the options name, whatever the quotes. */
START_TEST(test_before_folders)
{
    char folder[] = "/tmp/lanewise-test-XXXXXX", path[100], options[100];
    const char *names[] = {"v.h"};
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/v.h", folder);
    snprintf(options, sizeof options, "-I %s", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("#define VALUE 7\n", file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(value_of("#include \"v.h\"" KERNEL, options, 1, names, (const int[]){42}), 42);
    ck_assert_int_eq(value_of("#include <v.h>" KERNEL, options, 1, names, (const int[]){42}), 42);
    names[0] = "other.h";
    ck_assert_int_eq(value_of("#include <v.h>" KERNEL, options, 1, names, (const int[]){42}), 7);
    unlink(path);
    rmdir(folder);
}
END_TEST

static void
write_header(const char *folder, int value)
{
    char path[100];
    snprintf(path, sizeof path, "%s/lanewise-v.h", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "#define VALUE %d\n", value);
    ck_assert_int_eq(fclose(file), 0);
}

/* The working folder is searched without an option, behind those that options name; what was compiled in
 * one is not taken for another. */
START_TEST(test_working_folder)
{
    static const char *const sources[] = {"#include \"lanewise-v.h\"" KERNEL,
                                          "#include <lanewise-v.h>" KERNEL};
    char folders[2][30] = {"/tmp/lanewise-test-XXXXXX", "/tmp/lanewise-test-XXXXXX"};
    char options[2][100], here[4096];
    const char *names[] = {"lanewise-v.h"};
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_nonnull(mkdtemp(folders[i]));
        snprintf(options[i], sizeof options[i], "-I%s", folders[i]);
        write_header(folders[i], 10 + i);
    }
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(chdir(folders[i]), 0);
        for (int k = 0; k < 2; k++) {
            ck_assert_int_eq(value_of(sources[k], "", 0, NULL, NULL), 10 + i);
            ck_assert_int_eq(value_of(sources[k], options[1 - i], 0, NULL, NULL), 11 - i);
            ck_assert_int_eq(value_of(sources[k], "", 1, names, (const int[]){42}), 42);
        }
    }
    ck_assert_int_eq(chdir(here), 0);
    for (int i = 0; i < 2; i++) {
        char path[100];
        snprintf(path, sizeof path, "%s/lanewise-v.h", folders[i]);
        ck_assert_int_eq(unlink(path), 0);
        ck_assert_int_eq(rmdir(folders[i]), 0);
    }
}
END_TEST

/* clang's own header, which some programs name: what it declares is there, with and without it. */
START_TEST(test_clang_header)
{
    static const char *const sources[] = {"#include \"opencl-c.h\"\n", "#include <opencl-c.h>\n",
                                          "#include <opencl-c-base.h>\n"};
    static const char *const versions[] = {"", "-cl-std=CL3.0"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            char source[200];
            snprintf(source, sizeof source,
                     "%s#define VALUE max(convert_int((uchar)200), clamp(7, 3, 5))" KERNEL,
                     sources[i]);
            ck_assert_int_eq(value_of(source, versions[k], 0, NULL, NULL), 200);
        }
}
END_TEST

/* Names like those of files that a compilation has of its own, and names that climb. */
START_TEST(test_names)
{
    static const char *const names[] = {
        "preamble.h", "program.cl", "program.ll",  "rule",    "a..b.h",      "./v.h", "x/../v.h",
        "../v.h",     "x//y/./v.h", "../../x/v.h", "include", "x/../../v.h", "log0"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char source[200];
        snprintf(source, sizeof source, "#include \"%s\"" KERNEL, names[i]);
        int value = value_of(source, "", 1, (const char **)&names[i], (const int[]){42});
        ck_assert_msg(value == 42, "%s: %d", names[i], value);
    }
}
END_TEST

/* Out of the folder none gets. */
START_TEST(test_refused_names)
{
    static const char *const names[] = {"/tmp/lanewise-v.h", "../../../../../../../../../v.h", "..", ".",
                                        "x/"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ck_assert_int_eq(value_of(KERNEL, "-DVALUE=1", 1, (const char **)&names[i], (const int[]){42}),
                         CL_COMPILE_PROGRAM_FAILURE);
}
END_TEST

TCase *
header_tests(void)
{
    TCase *tests = tcase_create("headers");
    tcase_add_test(tests, test_same_name);
    tcase_add_test(tests, test_before_folders);
    tcase_add_test(tests, test_working_folder);
    tcase_add_test(tests, test_clang_header);
    tcase_add_test(tests, test_names);
    tcase_add_test(tests, test_refused_names);
    return tests;
}
