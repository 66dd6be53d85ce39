/* SPDX-License-Identifier: MIT */
/* Single packets of 1 to 16 bytes by lanes that are active here and there, at every instruction set and
 * sub-group size, where pipes are full and empty, and where lanes have different pipes. usage: test_packets
 * FOLDER [ISA]. */
#include "pipe_test.h"

#define MOST 2048 /* work-items */
#define WIDEST 16

enum kind { BYTE, HALF, WORD, LONG, PAIR, FOUR, DOUBLES, LONGS, QUAD, THREE, TWELVE, KINDS };

static const struct {
    const char *name;
    uint32_t size;
} kinds[KINDS] = {{"byte", 1},     {"half", 2},   {"word", 4},  {"long", 8},  {"pair", 8},   {"four", 16},
                  {"doubles", 16}, {"longs", 16}, {"quad", 16}, {"three", 3}, {"twelve", 12}};

/* The packet that packets.cl makes. */
static void
make(enum kind kind, uint32_t id, unsigned char *to)
{
    uint8_t byte = (uint8_t)(id * 7), three[] = {(uint8_t)id, (uint8_t)(id >> 8), (uint8_t)(id * 3)};
    uint16_t half = (uint16_t)(id * 40503);
    uint64_t longs[] = {id * 0x9e3779b97f4a7c15ul, ~(uint64_t)id};
    uint32_t four[] = {id, id * 3, ~id, id ^ 0x55}, quad[] = {id, id * 5, ~id, id ^ 0x33};
    uint32_t twelve[] = {id, id * 7, ~id};
    float word = (float)id * 0.5f;
    double doubles[] = {id, id * -0.25};
    struct {
        uint32_t a;
        float b;
    } pair = {id * 3, (float)id};
    const void *from[KINDS] = {&byte, &half, &word, longs, &pair, four, doubles, longs, quad, three, twelve};
    memcpy(to, from[kind], kinds[kind].size);
}

static bool
is_wanted(uint32_t id, uint32_t modulus)
{
    return (id ^ id >> 3) % modulus == 0;
}

static int
compare(const void *a, const void *b)
{
    return memcmp(a, b, WIDEST);
}

/* ---- one pipe ---- */

struct exchange {
    enum kind kind;
    uint32_t capacity, modulus;
    void *pipe;
    unsigned char in[MOST][WIDEST], out[MOST][WIDEST]; /* what has gone in, and come out */
    size_t put, got;
};

/* As many as there is room for, by those that want it. */
static void
put(struct exchange *x)
{
    static int results[MOST];
    char name[32];
    void *arguments[] = {results, &x->modulus, x->pipe};
    size_t wanted = 0, wrong = 0, before = x->put;
    snprintf(name, sizeof name, "write_%s", kinds[x->kind].name);
    run(name, now.global, now.local, "bip", arguments);
    for (uint32_t i = 0; i < now.global; i++) {
        bool wants = is_wanted(i, x->modulus);
        wanted += wants;
        wrong += wants ? results[i] > 0 : results[i] != 1;
        if (results[i] == 0)
            make(x->kind, i, x->in[x->put++]);
    }
    expect(!wrong, "what writing answers");
    expect(x->put - before == smaller(wanted, x->capacity), "how many are written");
}

static void
get(struct exchange *x)
{
    static int results[MOST];
    static unsigned char values[MOST * WIDEST];
    char name[32];
    uint32_t size = kinds[x->kind].size;
    void *arguments[] = {values, results, &x->modulus, x->pipe};
    size_t wanted = 0, wrong = 0, before = x->got;
    memset(values, 0xa5, sizeof values);
    snprintf(name, sizeof name, "read_%s", kinds[x->kind].name);
    run(name, now.global, now.local, "bbip", arguments);
    for (uint32_t i = 0; i < now.global; i++) {
        bool wants = is_wanted(i, x->modulus);
        wanted += wants;
        wrong += wants ? results[i] > 0 : results[i] != 1;
        if (results[i] == 0 && x->got < MOST)
            memcpy(x->out[x->got++], values + i * size, size);
        for (uint32_t k = 0; results[i] != 0 && k < size; k++)
            wrong += values[i * size + k] != 0xa5;
    }
    expect(!wrong, "what reading answers, and leaves alone");
    expect(x->got - before == smaller(wanted, x->put - before), "how many are read");
}

static void
test_kind(enum kind kind, unsigned draw)
{
    static const uint32_t moduli[] = {1, 3, 2, 5};
    static struct exchange x;
    memset(&x, 0, sizeof x);
    x.kind = kind;
    x.capacity = (uint32_t)(draw % 2 ? now.global + 3 : now.global / 4 + 1);
    x.pipe = make_pipe(kinds[kind].size, x.capacity);
    for (unsigned round = 0; round < 3; round++) { /* the ring goes round */
        x.put = x.got = 0;
        memset(x.in, 0, sizeof x.in);
        memset(x.out, 0, sizeof x.out);
        x.modulus = moduli[(draw + round) % 4];
        put(&x);
        x.modulus = moduli[(draw / 2 + round) % 4];
        get(&x);
        x.modulus = 1;
        get(&x);
        expect(x.got == x.put, "how many come out");
        qsort(x.in, x.put, WIDEST, compare);
        qsort(x.out, x.got, WIDEST, compare);
        expect(x.got == x.put && !memcmp(x.in, x.out, x.put * WIDEST), kinds[kind].name);
    }
    free(x.pipe);
}

/* Packets of another size than the pipe's are neither moved, nor do they take any of its places. */
static void
test_size(void)
{
    static int results[MOST];
    static unsigned char values[MOST * WIDEST];
    uint32_t one = 1, capacity = 20;
    void *pipe = make_pipe(8, capacity), *write[] = {results, &one, pipe},
         *read[] = {values, results, &one, pipe};
    static const char *const wrong[] = {"write_word", "write_twelve", "write_four", "read_twelve",
                                        "read_half"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        size_t failed_ones = 0, fitting = 0;
        bool reads = wrong[k][0] == 'r';
        if (reads) /* something is there */
            run("write_pair", now.global, now.local, "bip", write);
        run(wrong[k], now.global, now.local, reads ? "bbip" : "bip", reads ? read : write);
        for (size_t i = 0; i < now.global; i++)
            failed_ones += results[i] < 0;
        expect(failed_ones == now.global, wrong[k]);
        if (!reads)
            run("write_long", now.global, now.local, "bip", write);
        run("read_long", now.global, now.local, "bbip", read);
        for (size_t i = 0; i < now.global; i++)
            fitting += results[i] == 0;
        expect(fitting == smaller(capacity, now.global), "packets beside those of another size");
    }
    free(pipe);
}

/* ---- a pipe for each lane ---- */

static void
test_several(const char *folder)
{
    static int results[MOST], values[MOST];
    char path[1000];
    lw_error error = {0};
    lw_program *other = now.program;
    uint32_t odd = (uint32_t)now.global / 4 + 1, count[2] = {0}, got[2] = {0};
    void *pipes[] = {make_pipe(4, (uint32_t)now.global), make_pipe(4, odd)};
    void *write[] = {results, pipes[0], pipes[1]}, *read[] = {values, pipes[0], pipes[1]};
    size_t wrong = 0;
    snprintf(path, sizeof path, "%s/several.spv", folder);
    now.program = lw_program_load_file(now.device, path, &error);
    expect(now.program != NULL, error.text);
    if (now.program) {
        run("put", now.global, now.local, "bpp", write);
        run("get", now.global, now.local, "bpp", read);
    }
    for (uint32_t i = 0; i < now.global; i++) /* before any is marked: see test_pipe_passes_packets */
        count[i % 2] += results[i] == 0;
    for (uint32_t i = 0; i < now.global; i++) {
        bool known = values[i] >= 0 && (size_t)values[i] < now.global && !results[values[i]];
        got[i % 2] += values[i] >= 0;
        wrong += values[i] >= 0 && (!known || (uint32_t)values[i] % 2 != i % 2);
        if (known)
            results[values[i]] = -2;
    }
    expect(!wrong && count[0] == (now.global + 1) / 2 && count[1] == smaller(now.global / 2, odd) &&
               got[0] == count[0] && got[1] == count[1],
           "lanes with different pipes");
    free(pipes[0]);
    free(pipes[1]);
    lw_program_release(now.program);
    now.program = other;
}

/* ---- the matrix ---- */

/* `all` sizes, or two of them. */
static void
test_all(const char *folder, bool all, unsigned *draw)
{
    static const size_t locals[] = {64, 7, 100, 256, 60};
    static const uint32_t sizes[] = {4, 8, 16, 32, 64};
    for (size_t s = all ? 0 : *draw % 3; s < 5; s += all ? 1 : 3) {
        now.sub_group_size = sizes[s];
        now.local = locals[*draw % 5];
        now.global = now.local * (1 + *draw % 3) + *draw % now.local / 2;
        for (int kind = 0; kind < KINDS; kind++)
            test_kind((enum kind)kind, (*draw)++);
        test_several(folder);
        test_size();
    }
}

int
main(int count, char **arguments)
{
    static const char *const modules[] = {"packets.spv", "packets15.spv"}, *const tiers[] = {"masked",
                                                                                             "specialised",
                                                                                             "first"};
    unsigned draw = 0;
    signal(SIGALRM, hang);
    const char *folder = count > 1 ? arguments[1] : ".";
    for (int isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512; isa++) {
        for (int t = 0; t < 3; t++) {
            if (count > 2 && strcmp(arguments[2], lw_isa_name((lw_isa)isa)))
                continue;
            lw_error error = {0};
            lw_device_options options = {.isa = (lw_isa)isa, .threads = 1 + (unsigned)(t + isa) % 2};
            char path[1000];
            setenv("LANEWISE_TIER", tiers[t], 1);
            now.device = lw_device_create(&options, &error);
            if (!now.device) {
                printf("not run: %s\n", error.text);
                continue;
            }
            snprintf(path, sizeof path, "%s/%s", folder, modules[(t + isa) % 2]);
            snprintf(place, sizeof place, "%s %s %s", modules[(t + isa) % 2], lw_isa_name((lw_isa)isa),
                     tiers[t]);
            now.program = lw_program_load_file(now.device, path, &error);
            expect(now.program != NULL, error.text);
            if (now.program)
                test_all(folder, t == 1, &draw);
            lw_program_release(now.program);
            lw_device_release(now.device);
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
