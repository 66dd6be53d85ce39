/* SPDX-License-Identifier: MIT */
/* Pipes through the C API: modules of both front ends, every instruction set, sub-group size, tier and many
 * local sizes. usage: test_pipes FOLDER. What comes out of a pipe must be what went in, once each, and no
 * more than fits. */
#include "pipe_test.h"

#define MOST 4096   /* work-items */
#define PATIENCE 60 /* seconds */

struct packet {
    int id;
    char tag[5];
    short rest;
};

/* ---- a packet each ---- */

static void
test_each(void)
{
    static int results[MOST], values[MOST];
    static char seen[MOST];
    uint32_t capacity = (uint32_t)(now.global / 2 + 1), modulus = 3;
    void *pipe = make_pipe(4, capacity), *write[] = {results, &modulus, pipe},
         *read[] = {values, &modulus, pipe};
    size_t wanted = (now.global + modulus - 1) / modulus, held = 0;
    memset(seen, 0, sizeof seen);
    for (int round = 0; round < 5; round++) { /* the ring goes round */
        size_t written = 0, got = 0, wrong = 0;
        run("write_some", now.global, now.local, "bip", write);
        for (size_t i = 0; i < now.global; i++) {
            wrong += results[i] > 0 ? i % modulus == 0 : i % modulus != 0;
            if (results[i] == 0) {
                wrong += seen[i] != 0 && round == 0;
                seen[i]++;
                written++;
            }
        }
        expect(!wrong, "results of writing");
        expect(written == smaller(wanted, capacity - held), "how many packets were written");
        held += written;
        modulus = round % 2 ? 1 : 4;
        run("read_some", now.global, now.local, "bip", read);
        size_t readers = (now.global + modulus - 1) / modulus;
        wrong = 0;
        for (size_t i = 0; i < now.global; i++) {
            if (i % modulus) {
                wrong += values[i] != -9;
            } else if (values[i] != -7) {
                bool known = values[i] >= 0 && (size_t)values[i] < now.global && seen[values[i]] > 0;
                wrong += !known;
                if (known)
                    seen[values[i]]--;
                got++;
            }
        }
        expect(!wrong, "packets that were read");
        expect(got == smaller(readers, held), "how many packets were read");
        held -= got;
        modulus = 3;
    }
    free(pipe);
}

/* ---- reservations of work-items ---- */

static void
test_reserved(void)
{
    static int results[MOST], read_results[MOST];
    static struct packet values[2 * MOST];
    uint32_t capacity = (uint32_t)now.global + 3;
    void *pipe = make_pipe(sizeof(struct packet), capacity), *write[] = {results, pipe},
         *read[] = {values, read_results, pipe};
    static char seen[MOST][3];
    size_t held = 0, wrong = 0, got = 0;
    memset(seen, 0, sizeof seen);
    run("write_reserved", now.global, now.local, "bp", write);
    for (size_t i = 0; i < now.global; i++) {
        wrong += results[i] < 0 || (results[i] && i % 4 == 0);
        held += results[i] == 1 ? i % 4 : 0;
        for (size_t k = 0; results[i] == 1 && k < i % 4; k++)
            seen[i][k] = 1;
    }
    expect(!wrong, "results of writing reservations");
    expect(held <= capacity && (held + 3 > capacity ||
                                held == now.global / 4 * 6 + (now.global % 4) * (now.global % 4 - 1) / 2),
           "how many packets were reserved");
    run("read_reserved", now.global, now.local, "bbp", read);
    wrong = 0;
    for (size_t i = 0; i < now.global; i++) {
        wrong += read_results[i] < 0;
        for (size_t k = 0; read_results[i] == 1 && k < 2; k++) {
            const struct packet *p = &values[2 * i + k];
            bool fits = p->id >= 0 && (size_t)p->id < now.global && p->tag[0] >= 0 && p->tag[0] < 3 &&
                        p->tag[1] == 1 && p->tag[4] == 4 && p->rest == (short)(p->id + p->tag[0]) &&
                        seen[p->id][(int)p->tag[0]] == 1;
            if (fits)
                seen[p->id][(int)p->tag[0]] = 0;
            wrong += !fits;
            got++;
        }
    }
    expect(!wrong, "packets of reservations");
    expect(got == smaller(2 * now.global, held / 2 * 2), "how many packets were read by reservations");
    free(pipe);
}

/* ---- reservations of groups ---- */

static uint32_t
sub_group_size(const char *kernel)
{
    lw_kernel *k = lw_kernel_create(now.program, kernel, NULL);
    lw_kernel_set_sub_group_size(k, now.sub_group_size, NULL);
    uint32_t size = lw_kernel_sub_group_size(k);
    lw_kernel_release(k);
    return size;
}

/* What is left over in the pipe, less than a sub-group's packets, is read by work-groups of one work-item. */
static void
read_the_rest(void *pipe, size_t left, const char *seen)
{
    int results[64];
    double values[64];
    void *read[] = {values, results, pipe};
    size_t wrong = 0;
    if (!left)
        return;
    run("read_sub_group", left, 1, "bbp", read);
    for (size_t i = 0; i < left; i++)
        wrong += results[i] != 1 || seen[(size_t)values[i]] != 1;
    expect(!wrong, "packets that were left");
}

static void
test_sub_groups(void)
{
    static int results[MOST], read_results[MOST];
    static double values[MOST];
    static char seen[MOST];
    uint32_t n = sub_group_size("write_sub_group"), capacity = (uint32_t)(now.global * 3 / 4 + 1);
    void *pipe = make_pipe(32, capacity), *write[] = {results, pipe}, *read[] = {values, read_results, pipe};
    for (int round = 0; round < 2; round++) { /* the ring goes round */
        size_t wrong = 0, held = 0, got = 0;
        run("write_sub_group", now.global, now.local, "bp", write);
        for (size_t i = 0; i < now.global; i++) {
            size_t group = i / now.local * now.local, first = group + (i - group) / n * n;
            wrong += results[i] != results[first] || results[i] < 0;
            seen[i] = results[i] == 1;
            held += results[i] == 1;
        }
        expect(!wrong, "results of writing by sub-groups");
        expect(held <= capacity && held + n > smaller(capacity, now.global),
               "how many packets sub-groups wrote");
        run("read_sub_group", now.global, now.local, "bbp", read);
        for (size_t i = 0; i < now.global; i++) {
            wrong += read_results[i] < 0;
            if (read_results[i] != 1)
                continue;
            bool known = values[i] >= 0 && values[i] < (double)now.global && seen[(size_t)values[i]] == 1;
            wrong += !known;
            if (known)
                seen[(size_t)values[i]] = 0;
            got++;
        }
        expect(!wrong, "packets that sub-groups read");
        expect(got <= held && got + n > held, "how many packets sub-groups read");
        read_the_rest(pipe, held - got, seen);
    }
    free(pipe);
}

static void
test_work_groups(void)
{
    static int results[MOST], read_results[MOST];
    static unsigned char values[MOST];
    size_t groups = (now.global + now.local - 1) / now.local, room = now.local;
    uint32_t capacity = (uint32_t)(groups > 1 ? now.global - 1 : now.global);
    void *pipe = make_pipe(1, capacity), *write[] = {results, pipe, &room},
         *read[] = {values, read_results, pipe, &room};
    size_t wrong = 0, held = 0;
    run("write_work_group", now.global, now.local, "bpl", write);
    unsigned written[256] = {0}, got[256] = {0};
    for (size_t i = 0; i < now.global; i++) {
        wrong += results[i] < 0 || results[i] != results[i / now.local * now.local];
        held += results[i] == 1;
        written[(unsigned char)i] += results[i] == 1;
    }
    expect(!wrong, "results of writing by work-groups");
    expect(held <= capacity && held + now.local > capacity, "how many packets work-groups wrote");
    memset(values, 0xee, sizeof values);
    run("read_work_group", now.global, now.local, "bbpl", read);
    size_t taken = 0;
    for (size_t i = 0; i < now.global; i++) {
        wrong += read_results[i] < 0 || read_results[i] != read_results[i / now.local * now.local];
        taken += read_results[i] == 1;
        got[values[i]] += read_results[i] == 1;
    }
    expect(!wrong, "results of reading by work-groups");
    expect(taken <= held && taken + now.local > held, "how many packets work-groups read");
    for (unsigned v = 0; v < 256; v++)
        wrong += got[v] > written[v] || (taken == held && got[v] != written[v]);
    expect(!wrong, "packets that work-groups read");
    free(pipe);
}

/* ---- order ---- */

static void
test_turned(void)
{
    static const int wanted[] = {1, 1, 0, 0, 0, 0, 4, 8, 0}, order[] = {10, 11, 12, 13, -7};
    int got[9], values[5];
    uint32_t one = 1;
    void *pipe = make_pipe(4, 8), *write[] = {got, pipe}, *read[] = {values, &one, pipe};
    for (int round = 0; round < 5; round++) {
        run("write_turned", 1, 1, "bp", write);
        expect(memcmp(got, wanted, sizeof got) == 0, "reservations committed the other way round");
        run("read_some", 5, 5, "bip", read);
        expect(memcmp(values, order, sizeof values) == 0, "their order");
    }
    free(pipe);
}

static void
test_open(void)
{
    int values[2], first = 5, commit = 0, second = 50;
    uint32_t one = 1;
    void *pipe = make_pipe(4, 8), *write[] = {pipe, &first, &commit}, *read[] = {values, &one, pipe};
    run("write_open", 1, 1, "pii", write);
    run("read_some", 2, 2, "bip", read);
    expect(values[0] == -7 && values[1] == -7, "what is committed behind an open reservation");
    void *again[] = {pipe, &second, &one};
    run("write_open", 1, 1, "pii", again);
    run("read_some", 2, 2, "bip", read);
    expect(values[0] == -7 && values[1] == -7, "what is committed behind an open reservation, later");
    free(pipe);
}

/* A packet of another size than the pipe's is neither read nor written. */
static void
test_size(void)
{
    int results[4];
    uint32_t one = 1;
    void *pipe = make_pipe(8, 8), *write[] = {results, &one, pipe};
    run("write_some", 4, 4, "bip", write);
    for (int i = 0; i < 4; i++)
        expect(results[i] < 0, "a packet of another size");
    free(pipe);
}

/* ---- in program scope ---- */

static void
test_storage(const char *folder)
{
    char path[1000];
    int results[120], values[120];
    char seen[120] = {0};
    lw_error error = {0};
    void *put[] = {results}, *get[] = {values};
    snprintf(path, sizeof path, "%s/storage.spv", folder);
    lw_program *other = now.program;
    now.program = lw_program_load_file(now.device, path, &error);
    expect(now.program != NULL, error.text);
    for (int round = 0; now.program && round < 3; round++) {
        run("put", 120, 40, "b", put);
        run("get", 100, 50, "b", get);
        for (int i = 0; i < 120; i++)
            seen[i] = results[i] == 0;
        size_t wrong = 0;
        for (int i = 0; i < 100; i++) {
            wrong += values[i] < 0 || values[i] >= 120 || !seen[values[i]];
            if (values[i] >= 0 && values[i] < 120)
                seen[values[i]] = 0;
        }
        expect(!wrong, "a pipe in program scope");
    }
    lw_program_release(now.program);
    now.program = other;
}

/* ---- two kernels at once ---- */

struct side {
    struct setting setting;
    void *pipe, *seen;
    int count;
};

static void *
produce(void *data)
{
    struct side *s = data;
    lw_error error;
    lw_ndrange range = {.dimensions = 1, .global = {64}, .local = {16}};
    lw_kernel *k = lw_kernel_create(s->setting.program, "produce", &error);
    bool good = k && lw_kernel_set_arg_pipe(k, 0, s->pipe, &error) &&
                lw_kernel_set_arg(k, 1, &s->count, 4, &error) && lw_kernel_run(k, &range, &error);
    lw_kernel_release(k);
    return good ? s : NULL;
}

static void
test_both(void)
{
    enum { COUNT = 20000 };
    static unsigned seen[COUNT];
    memset(seen, 0, sizeof seen);
    struct side s = {now, make_pipe(4, 50), seen, COUNT};
    void *read[] = {seen, s.pipe, &s.count}, *other = NULL;
    pthread_t thread;
    pthread_create(&thread, NULL, produce, &s);
    run("consume", 48, 8, "bpi", read);
    pthread_join(thread, &other);
    size_t wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += seen[i] != 1;
    expect(other && !wrong, "a producer and a consumer at once");
    free(s.pipe);
}

/* ---- those that wait for each other in one kernel ---- */

static size_t
wrong_counts(const unsigned *seen, size_t count, unsigned expected)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += seen[i] != expected;
    return wrong;
}

/* `capacity`: less than a sub-group's packets, too. */
static void
test_through(uint32_t capacity)
{
    enum { COUNT = 500 };
    static unsigned seen[COUNT];
    int next[2] = {0}, count = COUNT;
    void *pipe = make_pipe(4, capacity), *arguments[] = {pipe, pipe, seen, next, &count};
    memset(seen, 0, sizeof seen);
    alarm(PATIENCE);
    run("through", now.global, now.local, "ppbbi", arguments);
    alarm(0);
    expect(!wrong_counts(seen, COUNT, 1), "sub-groups that write for others");
    free(pipe);
}

/* Whole sub-groups only: what one writes another may read. */
static void
test_waiting(void)
{
    static unsigned seen[MOST];
    int rounds = 3;
    size_t n = now.sub_group_size, items = 6 * n;
    void *pipe = make_pipe(4, 6), *arguments[] = {pipe, pipe, seen, &rounds};
    memset(seen, 0, sizeof seen);
    alarm(PATIENCE);
    run("wait_reserved", items, 3 * n, "ppbi", arguments);
    expect(!wrong_counts(seen, items, 6), "reservations that work-items wait for");
    free(pipe);
    arguments[0] = arguments[1] = pipe = make_pipe(4, (uint32_t)n * 2);
    memset(seen, 0, sizeof seen);
    run("wait_sub_group", items, 3 * n, "ppbi", arguments);
    alarm(0);
    expect(!wrong_counts(seen, items, 3), "reservations that sub-groups wait for");
    free(pipe);
}

/* ---- the matrix ---- */

static void
test_sizes(unsigned *draw)
{
    static const size_t locals[] = {1, 7, 16, 60, 64, 100, 256, 257, 600, 1024};
    static const uint32_t sizes[] = {4, 8, 16, 32, 64};
    for (size_t s = 0; s < 2; s++) {
        now.sub_group_size = sizes[(*draw * 3 + *draw / 10) % 5];
        now.local = locals[(*draw)++ % 10];
        now.global = now.local * (1 + *draw % 3) + *draw % now.local / 2;
        test_each();
        test_reserved();
        test_work_groups();
        test_sub_groups();
        test_waiting();
        if (now.global >= 2 * now.local) { /* else nobody reads, where a sub-group is the work-group */
            test_through(5);
            test_through(100);
        }
    }
    now.sub_group_size = 16;
    test_turned();
    test_open();
    test_size();
}

int
main(int count, char **arguments)
{
    static const char *const modules[] = {"pipes.spv", "pipes15.spv"}, *const tiers[] = {
                                                                           "masked", "specialised", "first"};
    unsigned draw = 0;
    signal(SIGALRM, hang);
    const char *folder = count > 1 ? arguments[1] : ".";
    for (int isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512; isa++) {
        for (int t = 0; t < 3; t++) {
            lw_error error = {0};
            lw_device_options options = {.isa = (lw_isa)isa, .threads = 1 + (unsigned)(t + isa) % 2};
            setenv("LANEWISE_TIER", tiers[t], 1);
            now.device = lw_device_create(&options, &error);
            if (!now.device) {
                printf("not run: %s\n", error.text);
                continue;
            }
            const char *module = modules[(t + isa) % 2];
            char path[1000];
            snprintf(path, sizeof path, "%s/%s", folder, module);
            snprintf(place, sizeof place, "%s %s %s", module, lw_isa_name((lw_isa)isa), tiers[t]);
            now.program = lw_program_load_file(now.device, path, &error);
            if (!now.program)
                printf("%s\n", error.text);
            expect(now.program != NULL, "the module");
            if (now.program) {
                test_sizes(&draw);
                test_both();
                test_storage(folder);
            }
            lw_program_release(now.program);
            lw_device_release(now.device);
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
