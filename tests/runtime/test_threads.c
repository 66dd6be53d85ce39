/* SPDX-License-Identifier: MIT */
/* Many threads over a few devices, with the real compiler: the same kernels compiled, run in many shapes,
 * evicted and released in any order at once, each result compared with C. Made for ThreadSanitizer too.
 *
 *     test_threads [ROUNDS [SEED]]
 */
#include <dirent.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <lanewise/lanewise.h>

#define THREADS 8
#define DEVICES 3
#define MOST 4096

#ifdef __has_feature /* clang's, where gcc defines the macro itself */
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

typedef void saxpy_function(uint32_t n, float a, const float *x, float *y);

struct shared {
    lw_device *devices[DEVICES];
    lw_function *saxpy[DEVICES]; /* called by all threads */
    char path[4096], cache[64];
    unsigned rounds;
    uint64_t seed;
};

/* One thread's. */
struct work {
    const struct shared *shared;
    uint64_t random;
    lw_device *device; /* where it is a device of the thread's own */
    lw_program *program;
    lw_kernel *kernel;
    size_t global, local;
    uint32_t in[MOST], out[MOST];
    float x[MOST], y[MOST];
};

static uint32_t
below(struct work *w, uint32_t limit)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (uint32_t)((w->random >> 11) % limit);
}

#define CLAIM(condition, ...) ((condition) ? (void)0 : fail(__FILE__, __LINE__, #condition, __VA_ARGS__))

__attribute__((format(printf, 4, 5), noreturn)) static void
fail(const char *file, int line, const char *claim, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "%s:%d: %s: ", file, line, claim);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    _exit(1); /* the other threads are still at it */
}

static void
set_pointer(struct work *w, uint32_t index, void *pointer, size_t bytes)
{
    lw_error e;
    CLAIM(lw_kernel_set_arg_pointer(w->kernel, index, pointer, bytes, &e), "%s", e.text);
}

static void
set_value(struct work *w, uint32_t index, const void *value, size_t size)
{
    lw_error e;
    CLAIM(lw_kernel_set_arg(w->kernel, index, value, size, &e), "%s", e.text);
}

static void
run(struct work *w)
{
    lw_error e;
    lw_ndrange range = {1, {w->global}, {w->local}, {0}};
    if (below(w, 4) == 0)
        CLAIM(lw_kernel_prepare(w->kernel, &range, &e), "%s", e.text);
    CLAIM(lw_kernel_run(w->kernel, &range, &e), "%s", e.text);
}

/* ---- the kernels of real.cl ---- */

static void
fill_floats(struct work *w)
{
    for (size_t i = 0; i < MOST; i++) {
        w->x[i] = (float)i;
        w->y[i] = 3;
    }
}

static void
compare_floats(const struct work *w, uint32_t n)
{
    for (size_t i = 0; i < MOST; i++) {
        float wanted = i < n ? 2.0f * (float)i + 3 : 3;
        CLAIM(w->y[i] == wanted, "saxpy: y[%zu] of %u is %g", i, n, (double)w->y[i]);
    }
}

static void
run_saxpy(struct work *w)
{
    uint32_t n = (uint32_t)w->global;
    float a = 2.0f;
    fill_floats(w);
    set_value(w, 0, &n, sizeof n);
    set_value(w, 1, &a, sizeof a);
    set_pointer(w, 2, w->x, sizeof w->x);
    set_pointer(w, 3, w->y, sizeof w->y);
    run(w);
    compare_floats(w, n);
}

static void
run_reverse(struct work *w)
{
    lw_error e;
    for (uint32_t i = 0; i < MOST; i++)
        w->out[i] = i;
    set_pointer(w, 0, w->out, sizeof w->out);
    CLAIM(lw_kernel_set_arg_local(w->kernel, 1, w->local * 4, &e), "%s", e.text);
    run(w);
    for (size_t i = 0; i < w->global; i++) {
        size_t group = i / w->local * w->local;
        size_t size = w->global - group < w->local ? w->global - group : w->local;
        CLAIM(w->out[i] == 2 * group + size - 1 - i, "reverse by %zu: [%zu] is %u", w->local, i, w->out[i]);
    }
}

static void
run_sums(struct work *w)
{
    lw_error e;
    uint32_t n = 4u << below(w, 5);
    CLAIM(lw_kernel_set_sub_group_size(w->kernel, n, &e), "%s", e.text);
    for (uint32_t i = 0; i < MOST; i++)
        w->in[i] = i % 1013;
    set_pointer(w, 0, w->out, sizeof w->out);
    set_pointer(w, 1, w->in, sizeof w->in);
    run(w);
    for (size_t i = 0; i < w->global; i++) {
        size_t group = i / w->local * w->local, id = (i - group) / n, begin = group + id * n;
        size_t size = w->global - group < w->local ? w->global - group : w->local;
        uint32_t sum = 0, wanted = (uint32_t)(id * 10 + (size + n - 1) / n);
        for (size_t j = begin; j < begin + n && j < group + size; j++)
            sum += w->in[j];
        wanted += sum * 1000;
        CLAIM(w->out[i] == wanted, "sums, N %u, by %zu: [%zu] is %u, not %u", n, w->local, i, w->out[i],
              wanted);
    }
}

static void
run_places(struct work *w)
{
    set_pointer(w, 0, w->out, sizeof w->out);
    run(w);
    for (size_t i = 0; i < w->global; i++)
        CLAIM(w->out[i] == i % w->local + 10000 * (i / w->local), "places by %zu: [%zu] is %u", w->local, i,
              w->out[i]);
}

static const struct {
    const char *name;
    void (*run)(struct work *w);
} kernels[] = {{"saxpy", run_saxpy}, {"reverse", run_reverse}, {"sums", run_sums}, {"places", run_places}};

/* ---- threads ---- */

static void
release_some(struct work *w, uint32_t which)
{
    if (which == 0) {
        lw_kernel_release(w->kernel);
        w->kernel = NULL;
    } else if (which == 1) {
        lw_program_release(w->program);
        w->program = NULL;
    } else {
        lw_device_release(w->device);
        w->device = NULL;
    }
}

static void
open_kernel(struct work *w, lw_device *device, const char *name)
{
    lw_error e;
    w->program = lw_program_load_file(device, w->shared->path, &e);
    CLAIM(w->program, "%s", e.text);
    CLAIM(!lw_kernel_create(w->program, "nothing", &e) && e.status == LW_NOT_FOUND, "%s", e.text);
    w->kernel = lw_kernel_create(w->program, name, &e);
    CLAIM(w->kernel, "%s", e.text);
}

static void
one_round(struct work *w)
{
    static const size_t locals[] = {1, 3, 8, 16, 60, 64, 100, 256};
    uint32_t kernel = below(w, sizeof kernels / sizeof kernels[0]), d = below(w, DEVICES), first;
    lw_error e;
    lw_device *device = w->shared->devices[d];
    if (below(w, 8) == 0) {
        w->device = lw_device_create(&(lw_device_options){.threads = 1 + below(w, 3)}, &e);
        CLAIM(w->device, "%s", e.text);
        device = w->device;
    }
    open_kernel(w, device, kernels[kernel].name);
    for (uint32_t i = 1 + below(w, 4); i; i--) {
        w->local = locals[below(w, sizeof locals / sizeof locals[0])];
        w->global = 1 + below(w, MOST);
        if (i == 1 && below(w, 2)) /* its owner first: what is below keeps it alive */
            release_some(w, 1 + below(w, 2));
        kernels[kernel].run(w);
    }
    if (below(w, 4) == 0) {
        fill_floats(w);
        saxpy_function *saxpy;
        *(void **)&saxpy = lw_function_pointer(w->shared->saxpy[d]);
        saxpy(1000, 2.0f, w->x, w->y);
        compare_floats(w, 1000);
    }
    first = below(w, 3);
    for (uint32_t i = 0; i < 3; i++)
        release_some(w, (first + i) % 3);
}

static void *
thread(void *data)
{
    struct work *w = data;
    for (unsigned i = 0; i < w->shared->rounds; i++)
        one_round(w);
    return NULL;
}

static void
run_threads(struct shared *shared)
{
    pthread_t threads[THREADS];
    struct work *works = calloc(THREADS, sizeof *works);
    CLAIM(works, "no memory");
    for (unsigned i = 0; i < THREADS; i++) {
        works[i].shared = shared;
        works[i].random = (shared->seed * THREADS + i + 1) * 0x9e3779b97f4a7c15u;
        CLAIM(pthread_create(&threads[i], NULL, thread, &works[i]) == 0, "no thread %u", i);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    free(works);
}

/* A child has none of the threads: it compiles and runs by new ones, and so does the parent by its own. */
static void
run_forked(struct shared *shared)
{
#ifndef __SANITIZE_THREAD__ /* which knows no threads in a forked child */
    struct shared few = *shared;
    few.rounds = 3;
    few.seed += 1000;
    pid_t child = fork();
    CLAIM(child >= 0, "no child");
    if (child == 0) {
        alarm(120);
        run_threads(&few);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    CLAIM(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %x", (unsigned)status);
    run_threads(&few);
#else
    (void)shared;
#endif
}

/* The devices made from here on share a folder of compiled objects, which is new. */
static void
open_disk_cache(struct shared *shared)
{
    snprintf(shared->cache, sizeof shared->cache, "%s/lanewise-threads-XXXXXX", P_tmpdir);
    CLAIM(mkdtemp(shared->cache), "no folder %s", shared->cache);
    setenv("LANEWISE_CACHE", "1", 1);
    setenv("LANEWISE_CACHE_DIR", shared->cache, 1);
    setenv("LANEWISE_CACHE_SIZE", "64K", 1); /* so that it evicts */
}

static void
remove_disk_cache(const struct shared *shared)
{
    char path[sizeof shared->cache + 300];
    DIR *folder = opendir(shared->cache);
    CLAIM(folder, "no folder %s", shared->cache);
    for (struct dirent *entry; (entry = readdir(folder));) {
        snprintf(path, sizeof path, "%s/%s", shared->cache, entry->d_name);
        unlink(path);
    }
    closedir(folder);
    CLAIM(rmdir(shared->cache) == 0, "%s is not empty", shared->cache);
}

static void
open_devices(struct shared *shared)
{
    lw_error e;
    setenv("LANEWISE_CACHE", "0", 1);
    for (unsigned d = 0; d < DEVICES; d++) {
        /* The middle one evicts all the time, the last one keeps reports and has the disk cache. */
        lw_device_options options = {.threads = d + 1, .cache_entries = d == 1 ? 3 : 0, .explain = d == 2};
        if (d == DEVICES - 1)
            open_disk_cache(shared);
        if (d == 1)
            options.isa = LW_ISA_SSE42;
        shared->devices[d] = lw_device_create(&options, &e);
        CLAIM(shared->devices[d], "%s", e.text);
        lw_program *program = lw_program_load_file(shared->devices[d], shared->path, &e);
        CLAIM(program, "%s", e.text);
        lw_kernel *kernel = lw_kernel_create(program, "saxpy", &e);
        CLAIM(kernel, "%s", e.text);
        lw_ndrange range = {1, {MOST}, {0}, {0}};
        shared->saxpy[d] = lw_function_create(kernel, &range, &e);
        CLAIM(shared->saxpy[d], "%s", e.text);
        lw_kernel_release(kernel);
        lw_program_release(program);
    }
}

int
main(int argc, char **argv)
{
    struct shared shared = {.rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 25,
                            .seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1};
    const char *folder = getenv("LANEWISE_TEST_MODULES");
    snprintf(shared.path, sizeof shared.path, "%s/real.spv", folder ? folder : ".");
    open_devices(&shared);
    run_threads(&shared);
    run_forked(&shared);
    for (unsigned d = 0; d < DEVICES; d++) {
        if (d % 2)
            lw_device_release(shared.devices[d]);
        lw_function_release(shared.saxpy[d]);
        if (d % 2 == 0)
            lw_device_release(shared.devices[d]);
    }
    remove_disk_cache(&shared);
    return 0;
}
