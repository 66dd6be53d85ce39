/* SPDX-License-Identifier: MIT */
/* Device-side enqueue through the C API: every instruction set, sub-group size and tier. usage: test_enqueue
 * FOLDER. What children leave in memory must be what the text of enqueue.cl says, computed here in C. */
#include <lanewise/lanewise.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 100000

static unsigned passed, failed;
static char place[200]; /* what is being tested */

static struct setting {
    lw_device *device;
    lw_program *program;
    lw_device_queue *queue; /* the default one */
    uint32_t sub_group_size;
} now;

static int out[MOST], more[MOST];

static void
expect(bool good, const char *what)
{
    passed += good;
    if (good)
        return;
    failed++;
    printf("FAILED %s: N %u: %s\n", place, now.sub_group_size, what);
}

/* 'b' a buffer, 'i' an int, 'q' a queue. The buffers `out` and `more` are cleared by whoever needs it. */
static bool
run(lw_error *error, const char *kernel, size_t global, size_t local, const char *kinds, ...)
{
    lw_ndrange range = {.dimensions = 1, .global = {global}, .local = {local}};
    lw_kernel *k = lw_kernel_create(now.program, kernel, error);
    bool good = k && lw_kernel_set_sub_group_size(k, now.sub_group_size, error) &&
                lw_kernel_set_default_queue(k, now.queue, error);
    va_list list;
    va_start(list, kinds);
    for (uint32_t i = 0; good && kinds[i]; i++) {
        if (kinds[i] == 'i') {
            int value = va_arg(list, int);
            good = lw_kernel_set_arg(k, i, &value, sizeof value, error);
        } else if (kinds[i] == 'q') {
            good = lw_kernel_set_arg_queue(k, i, va_arg(list, lw_device_queue *), error);
        } else {
            good = lw_kernel_set_arg_pointer(k, i, va_arg(list, void *), SIZE_MAX, error);
        }
    }
    va_end(list);
    good = good && lw_kernel_run(k, &range, error);
    lw_kernel_release(k);
    return good;
}

#define RUN(...)                                                                                             \
    do {                                                                                                     \
        lw_error run_error = {0};                                                                            \
        if (!run(&run_error, __VA_ARGS__)) {                                                                 \
            printf("  %s\n", run_error.text);                                                                \
            expect(false, "a kernel did not run");                                                           \
        }                                                                                                    \
    } while (0)

static void
clear(void)
{
    memset(out, 0, sizeof out);
    memset(more, 0, sizeof more);
}

static void
test_captures(size_t n, size_t local)
{
    size_t wrong = 0;
    clear();
    RUN("captures", n, local, "bb", out, more);
    for (size_t i = 0; i < n; i++) {
        int x = (int)i, children = i % 2 ? x % 7 + 1 : 0;
        int sum = (signed char)x + 11 + x + (short)(x * 3) + x + 4 * x + 6 + (unsigned char)(x + 200);
        wrong += more[i] != (i % 2 ? 0 : 77);
        for (int k = 0; k < 8; k++)
            wrong += out[8 * i + (size_t)k] != (k < children ? sum + 1000 * children : 0);
    }
    expect(!wrong, "captured values");
}

static void
test_locals(int n)
{
    int wrong = 0;
    clear();
    lw_device_queue *queue = lw_device_queue_create(now.device, 1 << 20, NULL);
    RUN("locals", 70, 0, "biq", out, n, queue);
    lw_device_queue_release(queue);
    for (int id = 0; id < n; id++)
        for (int group = 0; group < 2; group++) {
            int sum = 0;
            for (int k = 0; k < 32; k++)
                sum += (32 * group + k + id) * (31 - k);
            wrong += out[2 * id + group] != sum;
        }
    expect(!wrong, "local memory of children");
}

static void
test_numbers(int depth, int each)
{
    int wrong = 0, power = 1;
    clear();
    RUN("recursion", 3, 0, "bi", out, depth);
    expect(out[0] == depth * (depth + 1) / 2, "recursion");
    clear();
    RUN("tree", 3, 0, "bii", out, 4, 5);
    for (int level = 5; level >= 0; level--, power *= 4)
        wrong += out[level] != power;
    expect(!wrong, "a tree of children");
    clear();
    wrong = 0;
    RUN("many", 1000, 0, "bi", out, each);
    for (int i = 0; i < 1000 * each; i++)
        wrong += out[i] != i + 1;
    expect(!wrong, "many children");
}

static void
test_waits(int n, int local)
{
    int sum = 0, wrong = 0;
    clear();
    RUN("waits", (size_t)n, (size_t)local, "bbi", out, more, n);
    for (int i = 0; i < n; i++)
        sum += i + 3;
    expect(more[0] == sum, "a child that waits for the kernel");
    for (int group = 0; group * local < n; group++) {
        sum = 0;
        for (int i = group * local; i < (group + 1) * local && i < n; i++)
            sum += i + 3;
        wrong += more[1 + group] != sum;
    }
    expect(!wrong, "children that wait for the work-group");
}

static void
test_events(int n)
{
    int wrong = 0;
    clear();
    RUN("events", (size_t)n, 0, "bb", out, more);
    for (int i = 0; i < 4 * n; i++)
        wrong += out[i] != i % 4 + 1;
    expect(!wrong, "events");
    for (int i = 0; i < n; i++)
        wrong += more[4 * i] != 1 || more[4 * i + 1] != 0;
    expect(!wrong, "valid events");
    clear();
    RUN("nulls", (size_t)n, 0, "b", out);
    for (int i = 0; i < 4 * n; i++)
        wrong += out[i] != i % 2;
    expect(!wrong, "null events");
    clear();
    RUN("failures", 1, 0, "b", out);
    expect(out[0] == 0 && out[1] == 0 && out[2] == 1, "events that fail");
    clear();
    RUN("many_events", (size_t)n, 0, "bi", out, 5);
    for (int i = 0; i < n; i++) {
        int count = 5 + i % 3;
        wrong += out[20 * i + 19] != count * (count + 1) / 2;
    }
    expect(!wrong, "lists of events");
    lw_error error = {0};
    clear();
    expect(!run(&error, "unending", 2, 0, "b", out) && strstr(error.text, "2 that it had enqueued"),
           "children that wait for ever");
    expect(out[0] == 0, "a child that waits for ever");
}

static void
test_ranges(void)
{
    int wrong = 0;
    clear();
    RUN("ranges", 1, 0, "b", out);
    for (int i = 0; i < 10; i++) /* groups of 4: the last has 2 */
        wrong += out[i] != i + 7 + 100 * (i < 8 ? 4 : 2) + 1000 + 70000;
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 5; x++)
            wrong += out[16 + 5 * y + x] != (x < 4 ? 2 : 1) + 10 * (y < 2 ? 2 : 1) + 100 * (x / 2) + 2000;
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 4; x++)
                wrong += out[32 + 12 * z + 4 * y + x] != x + 1 + 10 * (y + 2) + 100 * (z + 3) + 3000;
    wrong += out[60] != 15;
    expect(!wrong, "ranges of children");
}

static void
test_wrong(void)
{
    clear();
    lw_device_queue *small = lw_device_queue_create(now.device, 2000, NULL);
    RUN("wrong", 1, 0, "bbq", out, more, small);
    for (int i = 0; i < 7; i++)
        expect(out[i] == -101, "what is wrong is answered");
    expect(out[7] == 0 && out[8] == 1, "an event that is gone");
    expect(out[9] > 0 && out[9] < 100 && more[1] == out[9], "a queue that is full");
    expect(out[10] == 0 && out[11] == -101, "an empty range, a marker of no event");
    expect(more[0] == 0, "what is wrong does not run");
    RUN("wrong", 1, 0, "bbq", out, more, small);
    expect(more[1] == 2 * out[9], "a queue is empty afterwards");
    lw_device_queue_release(small);
    lw_device_queue *queue = now.queue;
    now.queue = NULL;
    clear();
    RUN("no_queue", 1, 0, "b", out);
    expect(out[0] == -101 && out[1] == 0, "no default queue");
    now.queue = queue;
}

static void
test_profile(void)
{
    uint64_t times[2] = {0};
    clear();
    RUN("profile", 1, 0, "bb", times, out);
    expect(out[16] && out[17], "the child's child");
    expect(times[0] > 1000 && times[1] > times[0] && times[1] < 60000000000u, "times of a child");
}

static void
test_queries(void)
{
    static const int ranges[][4] = {{70, 10, 7, 5},  {100, 3, 1, 1}, {100, 3, 0, 0}, {130, 1, 65, 1},
                                    {64, 64, 64, 8}, {3, 3, 3, 1},   {7, 7, 60, 1}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const int *r = ranges[i];
        clear();
        RUN("ask_and_run", 1, 0, "biiii", out, r[0], r[1], r[2], r[3]);
        expect(out[1] == (int)now.sub_group_size && out[5] == out[1], "the sub-group size of a block");
        bool full = r[0] >= r[2] && r[1] >= r[3]; /* else there is none but a remainder */
        expect((out[0] == out[4] || !full) && out[0] > 0, "the number of sub-groups of a block");
        if (r[2])
            expect(out[0] == (r[2] * r[3] + out[1] - 1) / out[1], "the number of sub-groups of a size");
        expect(out[2] == 8192 && out[3] == out[1], "work-group sizes of a block");
    }
    clear();
    RUN("ask", 1, 0, "bii", out, 100, 20000);
    expect(out[0] == 0, "a local size that cannot be");
}

static void
test_ask(void)
{
    static const int sizes[] = {1, 3, 60, 64, 100, 8192};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        clear();
        RUN("ask", 1, 0, "bii", out, 10000, sizes[i]);
        int n = (int)now.sub_group_size;
        expect(out[1] == n && out[0] == (sizes[i] + n - 1) / n, "queries of a block");
    }
}

/* Of several blocks. clang-22's module does not say which: all are one size, and what is no answer for all is
 * an error. */
static void
test_several(bool named)
{
    lw_error error = {0};
    int n = (int)now.sub_group_size;
    clear();
    RUN("ask_several", 1, 0, "bii", out, 10000, 64);
    for (int i = 0; i < 4; i++)
        expect(out[i] == (i < 2 ? (64 + n - 1) / n : n), "queries of several blocks");
    clear();
    bool good = run(&error, "ask_several", 1, 0, "bii", out, 10000, 8192);
    if (named)
        expect(good && out[0] == 8192 / n && out[1] == 0, "blocks of which one cannot be so large");
    else
        expect(!good && strstr(error.text, "ask_several asks about a block"),
               "blocks that differ, and have no name");
    RUN("ask_several", 1, 0, "bii", out, 10000, 64); /* nothing stays behind */
    now.sub_group_size = 0;
    clear();
    RUN("ask_several", 1, 0, "bii", out, 10000, 64);
    expect(named || out[2] == out[3], "the size of any block");
    now.sub_group_size = (uint32_t)n;
}

static void
test_several_named(void)
{
    test_several(true);
}

static void
test_several_unnamed(void)
{
    test_several(false);
}

/* The queries that no front end emits: what the host is told of the same kernel, and what its dispatch then
 * does. */
static void
test_counts(void)
{
    lw_error error = {0};
    lw_kernel *child = lw_kernel_create(now.program, "child", &error);
    expect(child && lw_kernel_set_sub_group_size(child, now.sub_group_size, &error), "the block as a kernel");
    int n = (int)now.sub_group_size;
    for (int count = 1; child && count < 3000; count = count * 3 / 2 + 1) {
        size_t local[3];
        lw_kernel_local_size_for_count(child, (uint32_t)count, local);
        clear();
        RUN("ask", 1, 0, "bi", out, count);
        bool fits = count * n <= 8192;
        expect(out[0] == (fits ? count * n : 0), "a local size for so many sub-groups");
        expect((size_t)out[0] == local[0] * local[1] * local[2], "the host's answer");
        expect(out[1] == 8192 / n && (uint32_t)out[1] == lw_kernel_max_sub_groups(child),
               "the most sub-groups");
        expect(out[2] == 0 && out[3] == (fits ? count : 0) && out[4] == out[0], "what the dispatch does");
    }
    lw_kernel_release(child);
}

static void
with_module(const char *folder, const char *name, const char *how, void test(void))
{
    lw_error error = {0};
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(place, sizeof place, "%s %s", name, how);
    now.program = lw_program_load_file(now.device, path, &error);
    if (!now.program)
        printf("%s\n", error.text);
    expect(now.program != NULL, "the module");
    for (now.sub_group_size = 4; now.program && now.sub_group_size <= 64; now.sub_group_size *= 2)
        test();
    lw_program_release(now.program);
}

static void
test_enqueue(void)
{
    bool often = now.sub_group_size == 16;
    test_captures(1, 0);
    test_captures(100, 0);
    test_captures(61, 7);
    test_locals(40);
    test_numbers(often ? 1000 : 50, often ? 100 : 5);
    test_waits(100, 30);
    test_waits(1000, 64);
    test_events(1);
    test_events(70);
    test_ranges();
    test_wrong();
    test_profile();
}

int
main(int count, char **arguments)
{
    static const char *const tiers[] = {"masked", "specialised", "first"};
    const char *folder = count > 1 ? arguments[1] : ".";
    for (int isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512; isa++)
        for (int t = 0; t < 3; t++) {
            char how[60];
            lw_error error = {0};
            lw_device_options options = {.isa = (lw_isa)isa, .threads = 1 + (unsigned)t};
            setenv("LANEWISE_TIER", tiers[t], 1);
            snprintf(how, sizeof how, "%s %s", lw_isa_name((lw_isa)isa), tiers[t]);
            now.device = lw_device_create(&options, &error);
            if (!now.device) {
                printf("not run: %s\n", error.text);
                continue;
            }
            now.queue = lw_device_queue_create(now.device, 0, &error);
            expect(now.queue != NULL, "a queue");
            with_module(folder, "enqueue.spv", how, test_enqueue);
            with_module(folder, "queries15.spv", how, test_queries);
            with_module(folder, "queries15.spv", how, test_ask);
            with_module(folder, "queries.spv", how, test_ask);
            with_module(folder, "several15.spv", how, test_several_named);
            with_module(folder, "several.spv", how, test_several_unnamed);
            with_module(folder, "counts.spv", how, test_counts);
            lw_device_queue_release(now.queue);
            lw_device_release(now.device);
        }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
