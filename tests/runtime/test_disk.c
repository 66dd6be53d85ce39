/* SPDX-License-Identifier: MIT */
/* The disk cache as programs meet it: the same kernels in cold and warm processes, through our loader and
 * through LLVM's linker. Every process is a child that has never seen the library's code run. */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <lanewise/lanewise.h>

#include "../run_suite.h"

#define N 5000

static char folder[64];
static bool no_files; /* processes may write none */
static bool large;    /* processes run one large range */

/* What one process did. */
struct report {
    unsigned compilations;
    bool compiler_loaded; /* LLVM is in the process */
    bool wrong;
    bool explained;
    bool first; /* by code for a first run */
    lw_error error;
};

static bool
has_mapping(const char *name)
{
    char line[4096];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        found |= strstr(line, name) != NULL;
    if (maps)
        fclose(maps);
    return found;
}

static bool
run(lw_program *program, const char *name, void *a, void *b, bool local, size_t group, struct report *r)
{
    lw_compile_info info;
    lw_kernel *kernel = lw_kernel_create(program, name, &r->error);
    bool good = kernel && lw_kernel_set_arg_pointer(kernel, 0, a, N * 4, &r->error) &&
                (!b || lw_kernel_set_arg_pointer(kernel, 1, b, N * 4, &r->error)) &&
                (!local || lw_kernel_set_arg_local(kernel, 1, group * 4, &r->error)) &&
                lw_kernel_run(kernel, &(lw_ndrange){1, {N}, {group}, {0}}, &r->error);
    if (good) {
        lw_kernel_compile_info(kernel, &info);
        r->compilations += info.compilations;
        const char *report = lw_kernel_explain(kernel);
        r->explained |= report && report[0] == '{';
    }
    lw_kernel_release(kernel);
    return good;
}

/* Two kernels with remainders, in the masked and the specialised tier: four pieces of code. */
static bool
run_kernels(lw_program *program, struct report *r)
{
    static uint32_t data[N], in[N], out[N];
    const size_t group = 96;
    for (uint32_t i = 0; i < N; i++) {
        data[i] = i * 3;
        in[i] = i % 1013;
    }
    if (!run(program, "reverse", data, NULL, true, group, r) ||
        !run(program, "sums", out, in, false, group, r))
        return false;
    lw_kernel *kernel = lw_kernel_create(program, "sums", &r->error);
    size_t n = lw_kernel_sub_group_size(kernel);
    lw_kernel_release(kernel);
    for (size_t i = 0; i < N; i++) {
        size_t begin = i / group * group, size = N - begin < group ? N - begin : group;
        size_t id = (i - begin) / n, first = begin + id * n, end = first + n;
        uint32_t sum = 0;
        for (size_t j = first; j < end && j < begin + size; j++)
            sum += in[j];
        r->wrong |= data[i] != (begin + size - 1 - (i - begin)) * 3;
        r->wrong |= out[i] != sum * 1000 + id * 10 + (size + n - 1) / n;
    }
    return true;
}

/* A range without remainders, that is worth specialised code at once: two work-groups of it are looked at. */
static bool
run_large(lw_program *program, struct report *r)
{
    enum { ITEMS = 1 << 17, GROUP = 64 };
    static uint32_t in[ITEMS], out[ITEMS];
    lw_compile_info info;
    for (uint32_t i = 0; i < ITEMS; i++)
        in[i] = i % 1013;
    lw_kernel *kernel = lw_kernel_create(program, "sums", &r->error);
    size_t n = kernel ? lw_kernel_sub_group_size(kernel) : 1;
    bool good = kernel && lw_kernel_set_arg_pointer(kernel, 0, out, sizeof out, &r->error) &&
                lw_kernel_set_arg_pointer(kernel, 1, in, sizeof in, &r->error) &&
                lw_kernel_run(kernel, &(lw_ndrange){1, {ITEMS}, {GROUP}, {0}}, &r->error);
    for (size_t i = 0; good && i < ITEMS; i++) {
        size_t id = i % GROUP / n, first = i / GROUP * GROUP + id * n;
        uint32_t sum = 0;
        for (size_t j = first; j < first + n && j < i / GROUP * GROUP + GROUP; j++)
            sum += in[j];
        r->wrong |= out[i] != sum * 1000 + id * 10 + (GROUP + n - 1) / n;
    }
    if (good) {
        lw_kernel_compile_info(kernel, &info);
        r->compilations = info.compilations;
        r->first = info.first;
    }
    lw_kernel_release(kernel);
    return good;
}

static void
work(const lw_device_options *options, struct report *r)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/real.spv", getenv("LANEWISE_TEST_MODULES"));
    lw_device *device = lw_device_create(options, &r->error);
    lw_program *program = device ? lw_program_load_file(device, path, &r->error) : NULL;
    if (program)
        large ? run_large(program, r) : run_kernels(program, r);
    r->compiler_loaded = has_mapping("lanewise-compiler");
    lw_program_release(program);
    lw_device_release(device);
}

static pid_t
start(const lw_device_options *options, int *result)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct report r = {0};
        if (no_files) /* here, for the test's own process keeps a log */
            setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
        work(options, &r);
        _exit(write(ends[1], &r, sizeof r) == sizeof r ? 0 : 1);
    }
    close(ends[1]);
    *result = ends[0];
    return child;
}

static struct report
finish(pid_t child, int result)
{
    struct report r;
    int status;
    ck_assert_int_eq(read(result, &r, sizeof r), sizeof r);
    close(result);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a process ended with %x", status);
    ck_assert_msg(r.error.status == LW_OK, "%s", r.error.text);
    ck_assert(!r.wrong);
    return r;
}

static struct report
process_with(const lw_device_options *options)
{
    int result;
    pid_t child = start(options, &result);
    return finish(child, result);
}

static struct report
process(void)
{
    return process_with(&(lw_device_options){.threads = 2});
}

/* A process of their own compiles: LLVM comes into this one only to link. */
static bool
loads_compiler(void)
{
    const char *apart = getenv("LANEWISE_COMPILER_PROCESS"), *loader = getenv("LANEWISE_LOADER");
    return (apart && strcmp(apart, "0") == 0) || (loader && strcmp(loader, "orc") == 0);
}

static void
assert_cold(struct report r)
{
    ck_assert_msg(r.compilations > 0 && r.compiler_loaded == loads_compiler(),
                  "%u compiled, the compiler is %sloaded",
                  r.compilations, r.compiler_loaded ? "" : "not ");
}

static void
assert_warm(struct report r)
{
    ck_assert_msg(r.compilations == 0 && !r.compiler_loaded, "%u compiled, the compiler is %sloaded",
                  r.compilations, r.compiler_loaded ? "" : "not ");
}

static void
begin(void)
{
    strcpy(folder, "/tmp/lanewise-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("LANEWISE_CACHE", "1", 1);
    setenv("LANEWISE_CACHE_DIR", folder, 1);
    setenv("LANEWISE_TIER", "specialised", 1);
    unsetenv("LANEWISE_LOADER");
}

static void
end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* Calls `act` with each entry's path; how many there are. */
static unsigned
each_entry(void (*act)(const char *path))
{
    char path[512];
    unsigned count = 0;
    DIR *stream = opendir(folder);
    ck_assert_ptr_nonnull(stream);
    for (struct dirent *e = readdir(stream); e; e = readdir(stream))
        if (strlen(e->d_name) == 64) {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            if (act)
                act(path);
            count++;
        }
    closedir(stream);
    return count;
}

START_TEST(the_second_process_does_not_load_llvm)
{
    struct report cold = process();
    assert_cold(cold);
    ck_assert_uint_eq(each_entry(NULL), cold.compilations);
    for (unsigned i = 0; i < 3; i++)
        assert_warm(process());
    /* The other tier's code is not there yet. */
    setenv("LANEWISE_TIER", "masked", 1);
    process();
    assert_warm(process());
}
END_TEST

/* First code is enough for a process that runs a kernel once, and what was compiled to last is taken where it
 * is there. */
START_TEST(first_code_needs_no_llvm)
{
    large = true;
    setenv("LANEWISE_TIER", "first", 1);
    struct report r = process();
    assert_cold(r);
    ck_assert(r.first);
    setenv("LANEWISE_TIER", "auto", 1);
    r = process();
    assert_warm(r);
    ck_assert(r.first);
    setenv("LANEWISE_TIER", "specialised", 1);
    assert_cold(process());
    setenv("LANEWISE_TIER", "auto", 1);
    r = process();
    assert_warm(r);
    ck_assert(!r.first);
    large = false;
}
END_TEST

/* The device goes while its compile thread works; the first code is kept all the same. */
START_TEST(first_code_is_kept)
{
    large = true;
    setenv("LANEWISE_TIER", "auto", 1);
    setenv("LANEWISE_PROMPT", "0", 1);
    struct report r = process();
    assert_cold(r);
    ck_assert_uint_ge(each_entry(NULL), 1);
    setenv("LANEWISE_TIER", "first", 1);
    assert_warm(process());
    large = false;
    unsetenv("LANEWISE_PROMPT");
}
END_TEST

/* And what the first run waited for. */
START_TEST(prompt_code_is_kept)
{
    large = true;
    setenv("LANEWISE_TIER", "auto", 1);
    assert_cold(process());
    struct report r = process();
    assert_warm(r);
    ck_assert(!r.first);
    large = false;
}
END_TEST

START_TEST(every_isa_has_its_own)
{
    for (lw_isa isa = LW_ISA_SSE42; isa <= lw_isa_host(); isa++)
        assert_cold(process_with(&(lw_device_options){.isa = isa}));
    for (lw_isa isa = LW_ISA_SSE42; isa <= lw_isa_host(); isa++)
        assert_warm(process_with(&(lw_device_options){.isa = isa}));
}
END_TEST

START_TEST(settings_that_change_code_have_their_own)
{
    process();
    setenv("LANEWISE_SUB_GROUP_SIZE", "32", 1);
    assert_cold(process());
    assert_warm(process());
    unsetenv("LANEWISE_SUB_GROUP_SIZE");
    assert_warm(process());
}
END_TEST

START_TEST(both_linkers_agree)
{
    setenv("LANEWISE_LOADER", "own", 1);
    assert_cold(process());
    assert_warm(process());
    setenv("LANEWISE_LOADER", "orc", 1);
    assert_cold(process());
    assert_cold(process()); /* LLVM's works on what is in the process */
}
END_TEST

START_TEST(off_means_off)
{
    setenv("LANEWISE_CACHE", "0", 1);
    assert_cold(process());
    ck_assert_uint_eq(each_entry(NULL), 0);
    assert_cold(process());
    setenv("LANEWISE_CACHE", "1", 1);
    setenv("LANEWISE_CACHE_SIZE", "0", 1);
    assert_cold(process());
    ck_assert_uint_eq(each_entry(NULL), 0);
    setenv("LANEWISE_CACHE_SIZE", "1M", 1);
    process();
    assert_warm(process());
    unsetenv("LANEWISE_CACHE_SIZE");
}
END_TEST

START_TEST(reports_are_made_anew)
{
    process();
    struct report r = process_with(&(lw_device_options){.explain = true});
    assert_cold(r);
    ck_assert(r.explained);
    r = process_with(&(lw_device_options){.dump = "time"});
    assert_cold(r);
}
END_TEST

static void
flip_in_the_middle(const char *path)
{
    char byte;
    struct stat status;
    int fd = open(path, O_RDWR);
    ck_assert_int_eq(fstat(fd, &status), 0);
    ck_assert_int_eq(pread(fd, &byte, 1, status.st_size / 2), 1);
    byte ^= 4;
    ck_assert_int_eq(pwrite(fd, &byte, 1, status.st_size / 2), 1);
    close(fd);
}

static void
cut_in_half(const char *path)
{
    struct stat status;
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_int_eq(truncate(path, status.st_size / 2), 0);
}

static void
empty(const char *path)
{
    ck_assert_int_eq(truncate(path, 0), 0);
}

static char first_entry[512];

static void
replace_by_the_first(const char *path)
{
    char command[1100];
    if (!first_entry[0])
        snprintf(first_entry, sizeof first_entry, "%s", path);
    else {
        snprintf(command, sizeof command, "cp %s %s", first_entry, path);
        ck_assert_int_eq(system(command), 0);
    }
}

START_TEST(damaged_entries_are_rebuilt)
{
    static void (*const acts[])(const char *path) = {flip_in_the_middle, cut_in_half, empty,
                                                     replace_by_the_first};
    process();
    ck_assert_uint_gt(each_entry(acts[_i]), 1);
    assert_cold(process());
    assert_warm(process());
}
END_TEST

/* A compiler library with another build id, else the same. */
START_TEST(another_build_has_its_own)
{
    static const unsigned char note[] = {4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};
    char copy[128], command[4400];
    unsigned char head[8192];
    snprintf(copy, sizeof copy, "%s/liblanewise-compiler.so", folder);
    snprintf(command, sizeof command, "cp %s %s", getenv("LANEWISE_TEST_COMPILER"), copy);
    ck_assert_int_eq(system(command), 0);
    int fd = open(copy, O_RDWR);
    ck_assert_int_eq(read(fd, head, sizeof head), sizeof head);
    unsigned char *found = memmem(head, sizeof head, note, sizeof note);
    ck_assert_ptr_nonnull(found);
    found[sizeof note] ^= 1;
    ck_assert_int_eq(pwrite(fd, head, sizeof head, 0), sizeof head);
    close(fd);
    process();
    setenv("LANEWISE_COMPILER", copy, 1);
    assert_cold(process());
    assert_warm(process());
    unsetenv("LANEWISE_COMPILER");
    assert_warm(process());
}
END_TEST

START_TEST(many_processes_at_once)
{
    pid_t children[16];
    int results[16];
    for (unsigned i = 0; i < 16; i++)
        children[i] = start(&(lw_device_options){.threads = 1}, &results[i]);
    for (unsigned i = 0; i < 16; i++)
        finish(children[i], results[i]);
    assert_warm(process());
}
END_TEST

START_TEST(no_place_for_a_cache)
{
    unsetenv("LANEWISE_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_cold(process());
    setenv("LANEWISE_CACHE_DIR", "/proc/no/such/place", 1);
    assert_cold(process());
    setenv("LANEWISE_CACHE_DIR", "/dev/full", 1);
    assert_cold(process());
    unsetenv("LANEWISE_CACHE_DIR");
    setenv("XDG_CACHE_HOME", folder, 1);
    process();
    assert_warm(process());
    ck_assert_uint_eq(each_entry(NULL), 0); /* one folder deeper */
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", folder, 1);
    assert_cold(process());
    assert_warm(process());
}
END_TEST

/* Nothing can be written: the kernels run all the same. */
#ifndef __SANITIZE_THREAD__
START_TEST(a_limit_on_file_sizes)
{
    no_files = true;
    assert_cold(process());
    ck_assert_uint_eq(each_entry(NULL), 0);
}
END_TEST
#endif

int
main(void)
{
    Suite *suite = suite_create("disk");
    TCase *cases = tcase_create("disk");
    tcase_add_checked_fixture(cases, begin, end);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, the_second_process_does_not_load_llvm);
    tcase_add_test(cases, first_code_needs_no_llvm);
    tcase_add_test(cases, first_code_is_kept);
    tcase_add_test(cases, prompt_code_is_kept);
    tcase_add_test(cases, every_isa_has_its_own);
    tcase_add_test(cases, settings_that_change_code_have_their_own);
    tcase_add_test(cases, both_linkers_agree);
    tcase_add_test(cases, off_means_off);
    tcase_add_test(cases, reports_are_made_anew);
    tcase_add_loop_test(cases, damaged_entries_are_rebuilt, 0, 4);
    tcase_add_test(cases, another_build_has_its_own);
    tcase_add_test(cases, many_processes_at_once);
    tcase_add_test(cases, no_place_for_a_cache);
#ifndef __SANITIZE_THREAD__ /* whose own start writes a file: the compiler process dies of the limit */
    tcase_add_test(cases, a_limit_on_file_sizes);
#endif
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
