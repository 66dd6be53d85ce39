/* SPDX-License-Identifier: MIT */
/* Mutants of real modules through the whole compiler: compile MUTANTS SEED FILE...
 *
 * A mutant is refused with a sentence, or it compiles: every kernel, to IR that LLVM verifies. Each is done
 * in a child process (LLVM ends the process where it cannot go on), which must not end by a signal, by the
 * exit of LLVM, past its time, or with an error that is a defect of ours. Nothing is run: what the kernel of
 * a mutant does to memory is its own affair.
 */
#include "mutation.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <lanewise/lanewise.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) && !defined __SANITIZE_ADDRESS__
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer) && !defined __SANITIZE_THREAD__
#define __SANITIZE_THREAD__ 1
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
int __lsan_do_recoverable_leak_check(void);
#endif

#define MAX_KERNELS 8u
#define MAX_BYTES ((rlim_t)2 << 30)

/* How a child ends; everything else is a failure. */
enum { COMPILED = 40, REFUSED, DEFECT, LEAKED, ENDS };

/* Of a processor: others may have it meanwhile. */
static rlim_t
seconds_per_mutant(void)
{
    const char *asked = getenv("LANEWISE_TEST_SECONDS");
    return asked ? strtoul(asked, NULL, 10) : 10;
}

static bool
is_defect(const lw_error *e)
{
    if (e->status != LW_INTERNAL && e->status != LW_COMPILER_MISSING)
        return false;
    fprintf(stderr, "a defect: %s\n", e->text);
    return true;
}

/* Random shapes: work-groups that fill their sub-groups and others; with a remainder, the masked code too. */
static int
compile_kernel(lw_program *program, uint32_t index, struct fuzz_random *random)
{
    static const size_t locals[][3] = {{64, 1, 1}, {17, 1, 1}, {7, 5, 1}, {4, 4, 5}};
    lw_error e = {0};
    lw_kernel_info info;
    lw_program_kernel_info(program, index, &info);
    lw_kernel *kernel = lw_kernel_create(program, info.name, &e);
    if (!kernel)
        return is_defect(&e) ? DEFECT : REFUSED;
    const size_t *l = locals[fuzz_below(random, 4)];
    lw_ndrange range = {1 + fuzz_below(random, 3), {0}, {0}, {0}};
    bool required = info.required_local_size[0] != 0;
    if (required)
        range.dimensions = 3;
    for (uint32_t d = 0; d < range.dimensions; d++) {
        range.local[d] = required ? info.required_local_size[d] : l[d];
        range.global[d] = range.local[d] * 2 + fuzz_below(random, 2);
    }
    if (fuzz_below(random, 2)) /* or it has one of its own */
        lw_kernel_set_sub_group_size(kernel, 4u << fuzz_below(random, 5), NULL);
    bool good = lw_kernel_prepare(kernel, &range, &e);
    lw_kernel_release(kernel);
    return good ? COMPILED : is_defect(&e) ? DEFECT : REFUSED;
}

static int
compile_module(lw_device *device, const void *data, size_t size, struct fuzz_random *random)
{
    lw_error e = {0};
    lw_program *program = lw_program_create(device, data, size, &e);
    if (!program)
        return is_defect(&e) ? DEFECT : REFUSED;
    int worst = REFUSED;
    uint32_t count = lw_program_kernel_count(program);
    for (uint32_t k = 0; k < count && k < MAX_KERNELS && worst != DEFECT; k++) {
        int result = compile_kernel(program, k, random);
        worst = result == REFUSED ? worst : result;
    }
    lw_program_release(program);
    return worst;
}

static int
in_child(lw_device *device, const void *data, size_t size, struct fuzz_random *random)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    setrlimit(RLIMIT_AS, &(struct rlimit){MAX_BYTES, MAX_BYTES});
#endif
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds_per_mutant(), seconds_per_mutant() + 1});
    int result = compile_module(device, data, size, random);
#ifdef __SANITIZE_ADDRESS__
    if (__lsan_do_recoverable_leak_check())
        return LEAKED;
#endif
    return result;
}

/* What became of it, 0 for a failure, which is told. */
static int
try_mutant(lw_device *device, const void *data, size_t size, struct fuzz_random *random)
{
    pid_t child = fork();
    if (child < 0)
        return perror("fork"), 0;
    if (child == 0)
        _exit(in_child(device, data, size, random));
    int status;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && (WEXITSTATUS(status) == COMPILED || WEXITSTATUS(status) == REFUSED))
        return WEXITSTATUS(status);
    if (WIFSIGNALED(status))
        fprintf(stderr, "ended by signal %d%s\n", WTERMSIG(status),
                WTERMSIG(status) == SIGXCPU ? ": it takes too long" : "");
    else if (WEXITSTATUS(status) < DEFECT || WEXITSTATUS(status) >= ENDS)
        fprintf(stderr, "ended with status %d\n", WEXITSTATUS(status));
    return 0;
}

static void
splice(struct fuzz_random *random, uint32_t *words, size_t bytes, const char *path)
{
    size_t other_bytes;
    uint32_t *other = fuzz_read(path, &other_bytes);
    if (other)
        fuzz_splice(random, words, bytes, other, other_bytes);
    free(other);
}

static void
keep(const char *folder, unsigned long seed, const void *data, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/mutant-%lu.spv", folder, seed);
    FILE *file = fopen(path, "wb");
    if (!file)
        return;
    fwrite(data, 1, size, file);
    fclose(file);
}

int
main(int argc, char **argv)
{
    if (argc < 4)
        return fprintf(stderr, "usage: compile MUTANTS SEED FILE...\n"), 2;
    unsigned long count = strtoul(argv[1], NULL, 0), first = strtoul(argv[2], NULL, 0);
    unsigned long compiled = 0, refused = 0, failed = 0;
    const char *folder = getenv("LANEWISE_TEST_KEEP"); /* where to leave the mutants that fail */
    setenv("LANEWISE_VERIFY", "1", 1);
    setenv("LANEWISE_CACHE", "0", 1);
    setenv("LANEWISE_COMPILER_PROCESS", "0", 1); /* the children's limits are the compiler's */
    lw_error e;
    lw_device *devices[LW_ISA_AVX512 + 1] = {NULL};
    lw_isa host = lw_isa_host();
    for (lw_isa isa = LW_ISA_SSE42; isa <= host; isa++) {
        /* No worker thread: the children inherit a process that may fork. */
        devices[isa] = lw_device_create(&(lw_device_options){.threads = 1, .isa = isa}, &e);
        if (!devices[isa])
            return fprintf(stderr, "%s\n", e.text), 1;
    }
    for (unsigned long seed = first; seed < first + count; seed++) {
        const char *path = argv[3 + seed % (unsigned long)(argc - 3)];
        lw_device *device = devices[LW_ISA_SSE42 + seed / 7 % host];
        struct fuzz_random random;
        size_t bytes;
        uint32_t *words = fuzz_read(path, &bytes);
        if (!words)
            return fprintf(stderr, "%s: cannot be read\n", path), 2;
        fuzz_seed(&random, seed);
        /* The compiler once in this process, so that no child loads it anew; the module is sound. */
        if (seed == first && compile_module(device, words, bytes, &random) == DEFECT)
            return fprintf(stderr, "%s does not compile unchanged\n", path), 1;
        fuzz_seed(&random, seed);
        if (seed % 5 == 0) /* with another module */
            splice(&random, words, bytes, argv[3 + fuzz_below(&random, (uint32_t)argc - 3)]);
        for (uint32_t n = 1 + fuzz_below(&random, 3); n; n--)
            bytes = fuzz_mutate(&random, FUZZ_INSIDE, words, bytes);
        int result = try_mutant(device, words, bytes, &random);
        compiled += result == COMPILED;
        refused += result == REFUSED;
        if (!result) {
            failed++;
            fprintf(stderr, "failed: fuzz_compile 1 %lu %s\n", seed, path);
            if (folder)
                keep(folder, seed, words, bytes);
        }
        free(words);
    }
    for (lw_isa isa = LW_ISA_SSE42; isa <= host; isa++)
        lw_device_release(devices[isa]);
    printf("%lu compiled, %lu refused, %lu failed\n", compiled, refused, failed);
    /* Where nearly none passes the check, this tests nothing. */
    return failed || (count >= 50 && compiled < count / 10) ? 1 : 0;
}
