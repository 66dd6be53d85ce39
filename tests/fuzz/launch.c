/* SPDX-License-Identifier: MIT */
/* Mutants that are run: launch MUTANTS SEED FILE...
 *
 * Each kernel of a mutant gets buffers between pages that may not be touched and is launched three times, in
 * a process each: by masked code with sub-groups of 16, by masked code with sub-groups of 4, and by
 * specialised code with sub-groups of 16. Where masked code itself faults, does not end or leaves other
 * memory with other sub-groups, or both codes end their processes, the mutant runs wild: it reaches beyond
 * its buffers, or its work-items race. Where it does not, and specialised code does anything else, the
 * compiler is wrong: the failure. Kernels that look at their sub-groups cannot be judged so: where codes
 * differ, these are wild. No launch may take more than SECONDS of a processor, or MAX_BYTES.
 */
#include "mutation.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <lanewise/lanewise.h>

#define MAX_KERNELS 4u
#define MAX_ARGUMENTS 12u
#define MAX_BYTES ((rlim_t)2 << 30) /* beyond what this process has mapped */
#define SECONDS 10u
#define BUFFER ((size_t)1 << 16)
#define ROOM (BUFFER + 2 * 4096u)

enum tier { MASKED, NARROW, SPECIAL, TIERS };
/* How a launch ends. */
enum { RAN = 40, FAULTED, REFUSED, DEFECT, ENDLESS, DIED };

static const char *const endings[] = {"runs", "faults", "is refused", "has a defect", "does not end", "dies"};

static uint8_t *memory;           /* a room for each argument, shared with the children */
static size_t memory_bytes;
static uint8_t *left[TIERS];      /* what each tier left there */

static void
fill_memory(void)
{
    for (uint32_t a = 0; a < MAX_ARGUMENTS; a++) {
        uint32_t *words = (uint32_t *)(memory + a * ROOM + 4096);
        for (size_t i = 0; i < BUFFER / 4; i++) /* indices, and floats if need be, that lead nowhere far */
            words[i] = (uint32_t)(i * 7 + a) % 61;
    }
}

static void
guard_memory(void)
{
    for (uint32_t a = 0; a < MAX_ARGUMENTS; a++) {
        mprotect(memory + a * ROOM, 4096, PROT_NONE);
        mprotect(memory + a * ROOM + 4096 + BUFFER, 4096, PROT_NONE);
    }
}

static bool
set_arguments(lw_program *program, uint32_t index, lw_kernel *kernel, struct fuzz_random *random, lw_error *e)
{
    uint8_t bytes[4096];
    lw_kernel_info info;
    lw_program_kernel_info(program, index, &info);
    if (info.arg_count > MAX_ARGUMENTS)
        return false;
    for (uint32_t i = 0; i < info.arg_count; i++) {
        lw_arg_info arg;
        bool good = lw_program_arg_info(program, index, i, &arg);
        if (good && arg.kind == LW_ARG_POINTER)
            good = lw_kernel_set_arg_pointer(kernel, i, memory + i * ROOM + 4096, BUFFER, e);
        else if (good && arg.kind == LW_ARG_LOCAL)
            good = lw_kernel_set_arg_local(kernel, i, 8192, e);
        else if (good && (arg.kind == LW_ARG_VALUE || arg.kind == LW_ARG_STRUCT) &&
                 arg.size <= sizeof bytes) {
            memset(bytes, 0, sizeof bytes);
            for (uint32_t k = 0; k < arg.size; k += 4)
                bytes[k] = (uint8_t)(1 + fuzz_below(random, 64));
            good = lw_kernel_set_arg(kernel, i, bytes, arg.size, e);
        } else
            good = false; /* images, samplers, pipes, queues */
        if (!good)
            return false;
    }
    return true;
}

static int
launch(lw_program *program, uint32_t index, struct fuzz_random *random)
{
    lw_error e = {0};
    lw_kernel_info info;
    lw_program_kernel_info(program, index, &info);
    lw_kernel *kernel = info.unsupported ? NULL : lw_kernel_create(program, info.name, &e);
    if (!kernel)
        return REFUSED;
    lw_ndrange range = {.dimensions = 1, .global = {256}, .local = {64}};
    if (info.required_local_size[0]) {
        range.dimensions = 3;
        for (unsigned d = 0; d < 3; d++) {
            range.local[d] = info.required_local_size[d];
            range.global[d] = range.local[d] * 2;
        }
    }
    int result = REFUSED;
    if (set_arguments(program, index, kernel, random, &e))
        result = lw_kernel_run(kernel, &range, &e) ? RAN
                 : e.status == LW_FAULT            ? FAULTED
                 : e.status == LW_INTERNAL         ? DEFECT
                                                   : REFUSED;
    if (result == DEFECT)
        fprintf(stderr, "a defect: %s\n", e.text);
    lw_kernel_release(kernel);
    return result;
}

static int
in_child(lw_device *device, const void *data, size_t size, uint32_t index, struct fuzz_random *random)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    setrlimit(RLIMIT_DATA, &(struct rlimit){MAX_BYTES, MAX_BYTES});
#endif
    setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS, SECONDS + 1});
    guard_memory();
    lw_error e = {0};
    lw_program *program = lw_program_create(device, data, size, &e);
    return program ? launch(program, index, random) : REFUSED;
}

static int
launch_apart(lw_device *device, const void *data, size_t size, uint32_t index, uint64_t seed)
{
    fill_memory();
    pid_t child = fork();
    if (child < 0)
        return perror("fork"), DIED;
    if (child == 0) {
        struct fuzz_random random;
        fuzz_seed(&random, seed);
        _exit(in_child(device, data, size, index, &random));
    }
    int status;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) >= RAN && WEXITSTATUS(status) <= DEFECT)
        return WEXITSTATUS(status);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU ? ENDLESS : DIED;
}

/* False: the compiler is at fault. */
static bool
judge(const int ended[TIERS], bool looks_at_sub_groups, unsigned *wild, unsigned *ran)
{
    bool same = memcmp(left[MASKED], left[SPECIAL], memory_bytes) == 0;
    bool steady = !looks_at_sub_groups && memcmp(left[MASKED], left[NARROW], memory_bytes) == 0;
    for (int t = 0; t < TIERS; t++)
        if (ended[t] == DEFECT || (ended[t] == DIED && ended[MASKED] != DIED))
            return false;
    if (ended[MASKED] == RAN && ended[SPECIAL] == RAN && same) {
        ++*ran;
        return true;
    }
    if (ended[MASKED] == DIED ? ended[SPECIAL] == DIED : ended[NARROW] != RAN || !steady) {
        ++*wild;
        return true;
    }
    return ended[SPECIAL] == REFUSED;
}

static bool
try_kernel(lw_device *const devices[TIERS], const void *data, size_t size, uint32_t index, uint64_t seed,
           bool looks_at_sub_groups, unsigned *wild, unsigned *ran)
{
    int ended[TIERS];
    for (int t = 0; t < TIERS; t++) {
        ended[t] = launch_apart(devices[t], data, size, index, seed);
        memcpy(left[t], memory, memory_bytes);
        if (t == MASKED && (ended[t] == REFUSED || ended[t] == FAULTED || ended[t] == ENDLESS)) {
            *wild += ended[t] != REFUSED;
            return true;
        }
    }
    if (judge(ended, looks_at_sub_groups, wild, ran))
        return true;
    fprintf(stderr, "kernel %u: masked code %s, specialised code %s%s\n", index, endings[ended[MASKED] - RAN],
            endings[ended[SPECIAL] - RAN], ended[SPECIAL] == RAN ? " and leaves other memory" : "");
    return false;
}

static lw_device *
make_device(const char *tier, const char *sub_group_size)
{
    lw_error e;
    setenv("LANEWISE_TIER", tier, 1);
    setenv("LANEWISE_SUB_GROUP_SIZE", sub_group_size, 1);
    /* No worker thread: the children inherit a process that may fork. */
    lw_device *device = lw_device_create(&(lw_device_options){.threads = 1, .contain_faults = true}, &e);
    if (!device)
        fprintf(stderr, "%s\n", e.text);
    return device;
}

static bool
make_memory(void)
{
    memory_bytes = MAX_ARGUMENTS * ROOM;
    memory = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    for (int t = 0; t < TIERS; t++)
        if (!(left[t] = malloc(memory_bytes)))
            return false;
    return true;
}

/* The compiler once in this process, so that no child loads it anew. */
static bool
load_compiler(lw_device *device, const void *data, size_t size)
{
    lw_error e = {0};
    lw_program *program = lw_program_create(device, data, size, &e);
    lw_kernel_info info;
    lw_kernel *kernel = program && lw_program_kernel_info(program, 0, &info)
                            ? lw_kernel_create(program, info.name, &e)
                            : NULL;
    lw_ndrange range = {.dimensions = 1, .global = {256}, .local = {64}};
    if (kernel)
        lw_kernel_prepare(kernel, &range, &e);
    lw_kernel_release(kernel);
    lw_program_release(program);
    return kernel && e.status != LW_INTERNAL && e.status != LW_COMPILER_MISSING;
}

static bool
try_module(lw_device *const devices[TIERS], const void *data, size_t size, uint64_t seed, unsigned *wild,
           unsigned *ran)
{
    lw_error e = {0};
    lw_program *program = lw_program_create(devices[MASKED], data, size, &e);
    uint32_t count = program ? lw_program_kernel_count(program) : 0;
    bool good = true;
    for (uint32_t k = 0; k < count && k < MAX_KERNELS; k++) {
        lw_kernel_info info;
        if (lw_program_kernel_info(program, k, &info) && !info.unsupported)
            good &= try_kernel(devices, data, size, k, seed, info.observes_sub_groups, wild, ran);
    }
    lw_program_release(program);
    return good;
}

int
main(int argc, char **argv)
{
    if (argc < 4)
        return fprintf(stderr, "usage: launch MUTANTS SEED FILE...\n"), 2;
    unsigned long count = strtoul(argv[1], NULL, 0), first = strtoul(argv[2], NULL, 0);
    unsigned ran = 0, wild = 0, failed = 0;
    setenv("LANEWISE_CACHE", "0", 1);
    setenv("LANEWISE_COMPILER_PROCESS", "0", 1);
    lw_device *devices[TIERS] = {make_device("masked", "16"), make_device("masked", "4"),
                                 make_device("specialised", "16")};
    if (!devices[MASKED] || !devices[NARROW] || !devices[SPECIAL] || !make_memory())
        return 1;
    for (unsigned long seed = first; seed < first + count; seed++) {
        const char *path = argv[3 + seed % (unsigned long)(argc - 3)];
        struct fuzz_random random;
        size_t bytes;
        uint32_t *words = fuzz_read(path, &bytes);
        if (!words)
            return fprintf(stderr, "%s: cannot be read\n", path), 2;
        for (int t = 0; t < TIERS && seed == first; t++)
            if (!load_compiler(devices[t], words, bytes))
                return fprintf(stderr, "%s does not compile unchanged\n", path), 1;
        fuzz_seed(&random, seed);
        for (uint32_t n = 1 + fuzz_below(&random, 2); n; n--)
            bytes = fuzz_mutate(&random, FUZZ_INSIDE, words, bytes);
        if (!try_module(devices, words, bytes, seed, &wild, &ran)) {
            failed++;
            fprintf(stderr, "failed: fuzz_launch 1 %lu %s\n", seed, path);
        }
        free(words);
    }
    for (int t = 0; t < TIERS; t++) {
        lw_device_release(devices[t]);
        free(left[t]);
    }
    printf("%u kernels the same by both codes, %u wild, %u failed\n", ran, wild, failed);
    /* Where nearly none runs, this tests nothing. */
    return failed || (count >= 50 && ran < count / 20) ? 1 : 0;
}
