/* SPDX-License-Identifier: MIT */
/* Independent forward progress through the C API: modules of both front ends, every instruction set, sub-
 * group size and tier, one thread and several, with and without tails. usage: test_progress FOLDER [RUNS
 * [KERNEL]]: each kernel of progress.cl so many times with each setting. What hangs is named, after a
 * minute. */
#include <lanewise/lanewise.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../local_sizes.h"

#define MOST 8192   /* work-items */
#define PATIENCE 60 /* seconds */

static unsigned long passed, failed;
static unsigned runs = 2;
static char place[300]; /* what is being tested */

static struct setting {
    lw_program *program;
    uint32_t n; /* sub-group size */
    size_t global, local;
    int down;
} now;

/* What kernels read and write. */
static int out[MOST], in[MOST], words[MOST], more[MOST], count[16];

static void
hang(int number)
{
    (void)number;
    static const char text[] = "\nHANGS: ";
    if (write(1, text, sizeof text - 1) < 0 || write(1, place, strlen(place)) < 0 || write(1, "\n", 1) < 0)
        _exit(3);
    _exit(2);
}

static size_t
sub_groups_of(size_t items)
{
    return (items + now.n - 1) / now.n;
}

static size_t
group_size(size_t group)
{
    size_t left = now.global - group * now.local;
    return left < now.local ? left : now.local;
}

static size_t
groups(void)
{
    return (now.global + now.local - 1) / now.local;
}

static size_t
all_sub_groups(void)
{
    size_t sum = 0;
    for (size_t g = 0; g < groups(); g++)
        sum += sub_groups_of(group_size(g));
    return sum;
}

/* ---- what must come out: false, and where ---- */

static bool
each(int (*expected)(size_t id), size_t *at)
{
    for (*at = 0; *at < now.global; ++*at)
        if (out[*at] != expected(*at))
            return false;
    return true;
}

static int
expect_local_flag(size_t id)
{
    return 17 + (int)(id / now.local) + (int)(id % now.local);
}

static int
expect_local_chain(size_t id)
{
    size_t all = sub_groups_of(group_size(id / now.local)), me = id % now.local / now.n;
    int before = (int)(now.down ? all - 1 - me : me), last = (int)all;
    return before + (int)id * (int)(id % 5) + last;
}

static int
expect_global_chain(size_t id)
{
    size_t me = id / now.local * sub_groups_of(now.local) + id % now.local / now.n;
    return (int)(now.down ? all_sub_groups() - 1 - me : me);
}

static int
expect_volatile_flag(size_t id)
{
    (void)id;
    return 5;
}

static int
expect_spin_lock(size_t id)
{
    size_t left = group_size(id / now.local) - id % now.local / now.n * now.n;
    return (int)(left < now.n ? left : now.n);
}

static int
expect_exchange_lock(size_t id)
{
    return (int)(id % now.local / now.n * now.n);
}

static int
expect_look_back(size_t id)
{
    int sum = 0;
    for (size_t i = 0; i <= id; i++)
        sum += in[i];
    return sum;
}

static int
expect_grid_barrier(size_t id)
{
    (void)id;
    int n = (int)groups();
    return 6 * (n * (n - 1) / 2);
}

static int
expect_item_lock(size_t id)
{
    size_t size = group_size(id / now.local), local = id % now.local;
    return (int)(local ? local : size);
}

static int
expect_id(size_t id)
{
    return (int)id;
}

static int
expect_backwards(size_t id)
{
    return (int)(groups() - 1 - id / now.local);
}

static int
expect_many_locks(size_t id)
{
    return 1 + (int)(id % now.local);
}

static int
expect_reduced_lock(size_t id)
{
    int lanes = expect_spin_lock(id);
    return lanes * (lanes + 1) / 2;
}

static int
expect_fenced_lock(size_t id)
{
    return 6 * ((int)group_size(id / now.local) - 1);
}

static int
expect_turns(size_t id)
{
    int size = (int)group_size(id / now.local), local = (int)(id % now.local);
    return now.down ? size - 1 - local : local;
}

static int
expect_some_lock(size_t id)
{
    return id % 3 ? (int)id : -(int)id;
}

static int
expect_lock_in_loop(size_t id)
{
    return (int)(id % 3 == 0 ? 0 : id % 3 == 1 ? id : 2 * id + 1);
}

static int
expect_lock_and_continue(size_t id)
{
    return 6 - (int)(id % 4);
}

/* Every number of a lock's holder once, and all lanes of a sub-group the same. */
static bool
tickets_are_good(size_t *at)
{
    static bool seen[MOST];
    memset(seen, 0, sizeof seen);
    for (*at = 0; *at < now.global; ++*at) {
        size_t lane = *at % now.local % now.n;
        if (lane ? out[*at] != out[*at - 1]
                 : out[*at] < 0 || (size_t)out[*at] >= all_sub_groups() || seen[out[*at]])
            return false;
        seen[out[*at]] = true;
    }
    return true;
}

static const struct row {
    const char *name;
    const char *arguments; /* o out, i in, w words, m more, c count, d down, p places, l local memory */
    int (*expected)(size_t id);
    char counts; /* what count[0] must be: s sub-groups, i work-items, t those of ids that three does
                    not divide, 3 three times, l id % 3 times, p a share each; 0: nothing */
    bool whole;  /* no remainder work-group */
    size_t most; /* work-groups; 0: any */
} rows[] = {
    {"local_flag", "od", expect_local_flag, 0, false, 0},
    {"local_chain", "od", expect_local_chain, 0, false, 0},
    {"global_chain", "owd", expect_global_chain, 0, false, 40},
    {"volatile_flag", "owd", expect_volatile_flag, 0, false, 0},
    {"called_flag", "owd", expect_volatile_flag, 0, false, 0},
    {"spin_lock", "owc", expect_spin_lock, 's', false, 0},
    {"exchange_lock", "owc", expect_exchange_lock, 's', false, 0},
    {"ticket_lock", "owmc", NULL, 's', false, 0},
    {"look_back", "iowm", expect_look_back, 0, true, 0},
    {"grid_barrier", "owm", expect_grid_barrier, 0, false, 40},
    {"item_lock", "owcl", expect_item_lock, 'i', false, 0},
    {"item_ticket", "owmc", expect_id, 'i', false, 0},
    {"switch_lock", "owc", expect_id, 'i', false, 0},
    {"counted_lock", "owc", expect_id, 'i', false, 0},
    {"semaphore", "owc", expect_id, 'i', false, 0},
    {"local_semaphore", "owc", expect_id, 'i', false, 0},
    {"begun_anew", "owc", expect_id, 'i', false, 0},
    {"begun_anew_as_generic", "owc", expect_id, 'i', false, 0},
    {"begun_anew_here", "owc", expect_id, 'i', false, 0},
    {"begun_anew_of_many", "owc", expect_id, 'i', false, 0},
    {"budget", "owc", expect_id, 'i', false, 0},
    {"budget_here", "owc", expect_id, 'i', false, 0},
    {"many_locks", "owcp", expect_many_locks, 'p', false, 0},
    {"reduced_lock", "owc", expect_reduced_lock, 'i', false, 0},
    {"fenced_lock", "owc", expect_fenced_lock, '3', false, 0},
    {"turns", "ocd", expect_turns, 'i', false, 0},
    {"item_chain", "od", expect_turns, 0, false, 0},
    {"two_locks", "owcp", expect_spin_lock, 'p', false, 0},
    {"some_lock", "owc", expect_some_lock, 't', false, 0},
    {"lock_and_continue", "owc", expect_lock_and_continue, 0, false, 0},
    {"lock_in_loop", "owc", expect_lock_in_loop, 'l', false, 0},
    {"warp_look_back", "iowm", expect_look_back, 0, true, 0},
    {"voting_look_back", "iowm", expect_look_back, 0, true, 0},
    {"persistent", "owm", expect_id, 0, false, 0},
    {"sense_barrier", "owm", expect_grid_barrier, 0, false, 40},
    {"backwards", "ow", expect_backwards, 0, false, 40},
    {"ping_pong", "ow", expect_id, 0, false, 40},
    {"bounded_buffer", "o", expect_id, 0, false, 0},
    {"nested_locks", "owc", expect_id, 's', false, 0},
    {"called_locks", "owc", expect_id, 'i', false, 0},
    {"called_counts", "owc", expect_id, 'i', false, 0},
    {"called_between", "owc", expect_id, 'i', false, 0},
    {"tried_locks", "owc", expect_id, 'i', false, 0},
    {"backing_off", "owc", expect_id, 's', false, 0},
    {"held_in_struct", "owc", expect_id, 's', false, 0},
    {"held_by_group", "owc", expect_id, 'i', false, 0},
    {"held_by_sub_group", "owc", expect_id, 'i', false, 0},
    {"heard_by_sub_group", "owc", expect_id, 'i', false, 0},
    {"heard_by_group", "owc", expect_id, 'i', false, 0},
    {"halves", "owd", expect_id, 0, false, 0},
};

#define ROWS (sizeof rows / sizeof *rows)

static bool
set_arguments(lw_kernel *k, const struct row *row, lw_error *error)
{
    int places = 3;
    bool good = true;
    for (uint32_t i = 0; good && row->arguments[i]; i++) {
        switch (row->arguments[i]) {
        case 'd':
            good = lw_kernel_set_arg(k, i, &now.down, sizeof now.down, error);
            break;
        case 'p':
            good = lw_kernel_set_arg(k, i, &places, sizeof places, error);
            break;
        case 'l':
            good = lw_kernel_set_arg_local(k, i, now.local * sizeof(int), error);
            break;
        default: {
            int *memory = row->arguments[i] == 'o'   ? out
                          : row->arguments[i] == 'i' ? in
                          : row->arguments[i] == 'w' ? words
                          : row->arguments[i] == 'm' ? more
                                                     : count;
            good = lw_kernel_set_arg_pointer(k, i, memory, SIZE_MAX, error);
        }
        }
    }
    return good;
}

static bool
counts_are_good(const struct row *row)
{
    size_t sum =
        row->counts == 'p' ? (size_t)count[0] + (size_t)count[1] + (size_t)count[2] : (size_t)count[0];
    size_t expected = row->counts == 's'   ? all_sub_groups()
                      : row->counts == '3' ? 3 * now.global
                      : row->counts == 't' ? now.global - (now.global + 2) / 3
                      : row->counts == 'l' ? now.global / 3 * 3 + (now.global % 3 > 1)
                                           : now.global;
    return !row->counts || sum == expected;
}

static void
run(const struct row *row, lw_kernel *k)
{
    lw_error error = {0};
    lw_ndrange range = {.dimensions = 1, .global = {now.global}, .local = {now.local}};
    size_t at = 0;
    memset(out, 0xff, sizeof out);
    memset(words, 0, sizeof words);
    memset(more, 0, sizeof more);
    memset(count, 0, sizeof count);
    alarm(PATIENCE);
    bool good = lw_kernel_run(k, &range, &error);
    alarm(0);
    if (!good)
        printf("FAILED %s: %s\n", place, error.text);
    else if (!(row->expected ? each(row->expected, &at) : tickets_are_good(&at)))
        printf("FAILED %s: work-item %zu has %d\n", place, at, out[at]), good = false;
    else if (!counts_are_good(row))
        printf("FAILED %s: counted %d\n", place, count[0]), good = false;
    passed += good;
    failed += !good;
}

/* A local size, with a tail or without, and a range with a remainder or without. One of five is from the list
 * of all suites. */
static void
choose_sizes(const struct row *row, unsigned draw)
{
    static const size_t locals[] = {40, 64, 1, 150, 256, 7};
#define LOCAL(GLOBAL, SIZE, OFFSET) SIZE,
    static const size_t more[] = {LINES_OF_PEOPLE(LOCAL)};
    size_t n = draw % 5 + 3;
    now.local = draw % 5 == 2 ? more[draw / 5 % (sizeof more / sizeof *more)] : locals[draw % 6];
    n = n * now.local > MOST ? MOST / now.local : n;
    now.down = draw & 1;
    if (row->most)
        n = row->most < n ? row->most : n;
    now.global = n * now.local - (row->whole || draw % 4 < 2 ? 0 : now.local / 3);
}

static void
test_row(const struct row *row, unsigned draw, const char *what)
{
    lw_error error = {0};
    lw_kernel *k = lw_kernel_create(now.program, row->name, &error);
    bool good = k && lw_kernel_set_sub_group_size(k, now.n, &error);
    choose_sizes(row, draw);
    snprintf(place, sizeof place, "%s %s: N %u, %zu in %zu, %s", row->name, what, now.n, now.global,
             now.local, now.down ? "down" : "up");
    good = good && set_arguments(k, row, &error);
    if (!good) {
        printf("FAILED %s: %s\n", place, error.text);
        failed++;
    }
    for (unsigned i = 0; good && i < runs; i++)
        run(row, k);
    lw_kernel_release(k);
}

static void
test_device(const char *folder, int isa, const char *tier, unsigned threads, const char *module,
            unsigned *draw, const char *only)
{
    lw_error error = {0};
    lw_device_options options = {.isa = (lw_isa)isa, .threads = threads};
    char path[1000], what[200];
    setenv("LANEWISE_TIER", tier, 1);
    lw_device *device = lw_device_create(&options, &error);
    if (!device) {
        printf("not run: %s\n", error.text);
        return;
    }
    snprintf(path, sizeof path, "%s/%s", folder, module);
    snprintf(what, sizeof what, "%s %s %s %u threads", module, lw_isa_name((lw_isa)isa), tier, threads);
    now.program = lw_program_load_file(device, path, &error);
    if (!now.program) {
        printf("FAILED %s: %s\n", what, error.text);
        failed++;
    }
    for (uint32_t r = 0; now.program && r < ROWS; r++)
        for (now.n = 4 << *draw % 2; now.n <= 64 && (!only || !strcmp(only, rows[r].name)); now.n *= 4)
            test_row(&rows[r], (*draw)++, what);
    lw_program_release(now.program);
    lw_device_release(device);
}

int
main(int argument_count, char **arguments)
{
    static const char *const tiers[] = {"masked", "specialised", "first"};
    static const char *const modules[] = {"progress.spv", "progress15.spv", "progress0.spv"};
    static const unsigned threads[] = {1, 2, 5};
    const char *folder = argument_count > 1 ? arguments[1] : ".";
    unsigned draw = 0;
    if (argument_count > 2)
        runs = (unsigned)strtoul(arguments[2], NULL, 10);
    signal(SIGALRM, hang);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < MOST; i++)
        in[i] = i % 17;
    for (int isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512; isa++)
        for (unsigned t = 0; t < 9; t++, draw++)
            test_device(folder, isa, tiers[t % 3], threads[t / 3], modules[(t + t / 3 + (unsigned)isa) % 3],
                        &draw, argument_count > 3 ? arguments[3] : NULL);
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
