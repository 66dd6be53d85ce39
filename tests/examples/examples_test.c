/* SPDX-License-Identifier: MIT */
/* Runs one example in every variant: examples-test NAME MODULE... [--isa I] [-s N] [-w X[,Y[,Z]]] */
#include "../local_sizes.h"
#include "examples_test.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 128
#define GUARD_BYTE 0x5a

static const struct shape {
    unsigned kind;
    uint32_t dimensions;
    size_t local[3], global[3];
} shapes[] = {
    {ON_LINE, 1, {1, 1, 1}, {509, 1, 1}},   {ON_LINE, 1, {3, 1, 1}, {1009, 1, 1}},
    {ON_LINE, 1, {60, 1, 1}, {1009, 1, 1}}, {ON_LINE, 1, {64, 1, 1}, {1009, 1, 1}},
    {ON_PLANE, 2, {1, 1, 1}, {19, 23, 1}},  {ON_PLANE, 2, {3, 1, 1}, {37, 29, 1}},
    {ON_PLANE, 2, {60, 1, 1}, {131, 5, 1}}, {ON_PLANE, 2, {64, 1, 1}, {131, 5, 1}},
    {ON_PLANE, 2, {7, 5, 1}, {37, 29, 1}},  {IN_SPACE, 3, {4, 4, 5}, {13, 11, 9}},
    {IN_SPACE, 3, {1, 1, 1}, {7, 6, 5}},    {IN_SPACE, 3, {64, 1, 1}, {67, 5, 3}},
    {IN_SPACE, 3, {3, 1, 1}, {13, 5, 3}},   {IN_SPACE, 3, {60, 1, 1}, {67, 5, 3}},
};

/* As people have them, with the same remainders: another one for each sub-group size and instruction set. */
static const struct shape people[] = {
#define ONE(global, local, offset) {ON_LINE, 1, {local, 1, 1}, {global, 1, 1}},
#define MORE(dims, gx, gy, gz, lx, ly, lz, ox, oy)                                                           \
    {dims == 2 ? ON_PLANE : IN_SPACE, dims, {lx, ly, lz}, {gx, gy, gz}},
    LINES_OF_PEOPLE(ONE) BLOCKS_OF_PEOPLE(MORE)};
enum { SHAPES = sizeof shapes / sizeof *shapes, PEOPLE = sizeof people / sizeof *people };

struct filter {
    lw_isa isa;
    uint32_t sub_group_size;
    uint32_t dimensions;
    size_t local[3];
};

void
trial_fail(struct trial *trial, const char *format, ...)
{
    va_list list;
    if (trial->failed)
        return;
    trial->failed = true;
    va_start(list, format);
    vsnprintf(trial->why, sizeof trial->why, format, list);
    va_end(list);
}

void
trial_near(struct trial *trial, const char *what, size_t index, double got, double want, double relative,
           double absolute)
{
    if (!(fabs(got - want) <= absolute + relative * fabs(want)))
        trial_fail(trial, "%s[%zu] is %.9g, expected %.9g", what, index, got, want);
}

void
trial_equal(struct trial *trial, const char *what, size_t index, int64_t got, int64_t want)
{
    if (got != want)
        trial_fail(trial, "%s[%zu] is %lld, expected %lld", what, index, (long long)got, (long long)want);
}

void
trial_value(struct trial *trial, const void *value, size_t size)
{
    lw_error error;
    if (!lw_kernel_set_arg(trial->kernel, trial->argument++, value, size, &error))
        trial_fail(trial, "%s", error.text);
}

void
trial_uint(struct trial *trial, uint32_t value)
{
    trial_value(trial, &value, sizeof value);
}

void
trial_float(struct trial *trial, float value)
{
    trial_value(trial, &value, sizeof value);
}

void
trial_local_memory(struct trial *trial, size_t bytes)
{
    lw_error error;
    if (!lw_kernel_set_arg_local(trial->kernel, trial->argument++, bytes, &error))
        trial_fail(trial, "%s", error.text);
}

void *
trial_buffer(struct trial *trial, size_t count, size_t size)
{
    size_t bytes = count * size, room = (bytes + 2 * GUARD + GUARD - 1) / GUARD * GUARD;
    unsigned char *block = aligned_alloc(GUARD, room);
    lw_error error;

    if (!block || trial->buffer_count == MAX_BUFFERS)
        abort();
    memset(block, GUARD_BYTE, room);
    memset(block + GUARD, 0, bytes);
    trial->buffers[trial->buffer_count].block = block;
    trial->buffers[trial->buffer_count++].bytes = bytes;
    if (!lw_kernel_set_arg_pointer(trial->kernel, trial->argument++, block + GUARD, bytes, &error))
        trial_fail(trial, "%s", error.text);
    return block + GUARD;
}

bool
trial_run(struct trial *trial)
{
    lw_ndrange range = {.dimensions = trial->dimensions};
    lw_error error;

    memcpy(range.global, trial->global, sizeof range.global);
    memcpy(range.local, trial->local, sizeof range.local);
    if (!trial->failed && !lw_kernel_run(trial->kernel, &range, &error))
        trial_fail(trial, "%s", error.text);
    for (unsigned i = 0; i < trial->buffer_count && !trial->failed; i++)
        for (unsigned g = 0; g < GUARD; g++)
            if (trial->buffers[i].block[g] != GUARD_BYTE ||
                trial->buffers[i].block[GUARD + trial->buffers[i].bytes + g] != GUARD_BYTE)
                trial_fail(trial, "it wrote outside of buffer %u", i);
    return !trial->failed;
}

void
trial_each_item(const struct trial *t, trial_visit *visit, void *data)
{
    size_t id[3], groups[3] = {trial_groups(t, 0), trial_groups(t, 1), trial_groups(t, 2)};

    for (size_t group = 0; group < groups[0] * groups[1] * groups[2]; group++) {
        size_t g[3] = {group % groups[0], group / groups[0] % groups[1], group / groups[0] / groups[1]};
        size_t local_id = 0;
        for (size_t z = 0; z < t->local[2]; z++)
            for (size_t y = 0; y < t->local[1]; y++)
                for (size_t x = 0; x < t->local[0]; x++) {
                    id[0] = g[0] * t->local[0] + x;
                    id[1] = g[1] * t->local[1] + y;
                    id[2] = g[2] * t->local[2] + z;
                    if (id[0] < t->global[0] && id[1] < t->global[1] && id[2] < t->global[2])
                        visit(data, group, local_id++, (id[2] * t->global[1] + id[1]) * t->global[0] + id[0]);
                }
    }
}

uint32_t
trial_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

float
trial_random_float(uint32_t *state, float low, float high)
{
    return low + (high - low) * (float)trial_random(state) / 16777216.0f;
}

static bool
run_trial(const struct example *example, lw_device *device, lw_program *program, uint32_t sub_group_size,
          const struct shape *shape, char why[1200])
{
    struct trial trial = {.dimensions = shape->dimensions};
    lw_error error = {0};
    lw_device_queue *queue = lw_device_queue_create(device, 0, &error);

    memcpy(trial.local, shape->local, sizeof trial.local);
    memcpy(trial.global, shape->global, sizeof trial.global);
    trial.kernel = lw_kernel_create(program, example->name, &error);
    if (!queue || !trial.kernel || !lw_kernel_set_sub_group_size(trial.kernel, sub_group_size, &error) ||
        !lw_kernel_set_default_queue(trial.kernel, queue, &error))
        trial_fail(&trial, "%s", error.text);
    else
        example->run(&trial);
    for (unsigned i = 0; i < trial.buffer_count; i++)
        free(trial.buffers[i].block);
    lw_kernel_release(trial.kernel);
    lw_device_queue_release(queue);
    snprintf(why, 1200, "%s", trial.why);
    return !trial.failed;
}

/* Every sub-group size and shape of one module on one ISA level. */
static unsigned
run_module(const struct example *example, lw_device *device, const char *path, const char *self,
           const struct filter *filter, unsigned *runs)
{
    unsigned failures = 0;
    lw_error error;
    char why[1200];
    lw_program *program = lw_program_load_file(device, path, &error);

    if (!program) {
        printf("FAILED %s: %s\n", path, error.text);
        return 1;
    }
    for (uint32_t n = 4; n <= 64; n *= 2) {
        if (filter->sub_group_size && n != filter->sub_group_size)
            continue;
        size_t turn = 3 * (size_t)lw_device_isa(device) + (size_t)__builtin_ctz(n) * 7 + strlen(path);
        for (size_t i = 0; i < SHAPES + PEOPLE; i++) {
            const struct shape *s = i < SHAPES ? &shapes[i] : &people[i - SHAPES];
            bool chosen = i < SHAPES || filter->dimensions || (i + turn) % 8 == 0;
            if (!chosen || !(example->shapes & s->kind) ||
                (filter->dimensions &&
                 (filter->dimensions != s->dimensions || memcmp(filter->local, s->local, sizeof s->local))))
                continue;
            ++*runs;
            if (run_trial(example, device, program, n, s, why))
                continue;
            if (++failures > 20)
                continue;
            printf("FAILED %s: %s\n  again: %s %s %s --isa %s -s %u -w %zu", example->name, why, self,
                   example->name, path, lw_isa_name(lw_device_isa(device)), n, s->local[0]);
            for (uint32_t d = 1; d < s->dimensions; d++)
                printf(",%zu", s->local[d]);
            printf("\n");
            fflush(stdout);
        }
    }
    lw_program_release(program);
    return failures;
}

static const struct example *
find_example(const char *name)
{
    const struct example *const tables[] = {lw_line_examples, lw_plane_examples, lw_enqueue_examples};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct example *e = tables[t]; e->name; e++)
            if (!strcmp(e->name, name))
                return e;
    return NULL;
}

static bool
read_filter(struct filter *filter, const char *option, const char *value)
{
    if (!strcmp(option, "-s"))
        return sscanf(value, "%u", &filter->sub_group_size) == 1;
    if (!strcmp(option, "-w")) {
        filter->local[0] = filter->local[1] = filter->local[2] = 1;
        int n = sscanf(value, "%zu,%zu,%zu", &filter->local[0], &filter->local[1], &filter->local[2]);
        filter->dimensions = (uint32_t)n;
        return n >= 1;
    }
    for (lw_isa isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512; isa++)
        if (!strcmp(option, "--isa") && !strcmp(value, lw_isa_name(isa)))
            filter->isa = isa;
    return filter->isa != LW_ISA_AUTO;
}

int
main(int argc, char **argv)
{
    struct filter filter = {0};
    const struct example *example = argc > 2 ? find_example(argv[1]) : NULL;
    unsigned failures = 0, runs = 0;
    int modules = 2;

    while (modules < argc && argv[modules][0] != '-')
        modules++;
    if (!example || modules == 2) {
        fprintf(stderr, "usage: examples-test EXAMPLE MODULE... [--isa I] [-s N] [-w X,Y,Z]\n");
        return 2;
    }
    for (int i = modules; i < argc; i += 2)
        if (i + 1 >= argc || !read_filter(&filter, argv[i], argv[i + 1])) {
            fprintf(stderr, "what is %s?\n", argv[i]);
            return 2;
        }
    for (lw_isa isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512; isa++) {
        lw_device_options options = {.isa = isa};
        lw_error error;
        if (filter.isa && isa != filter.isa)
            continue;
        if (isa > lw_isa_host()) {
            printf("not run: %s on %s, which this machine does not have\n", example->name, lw_isa_name(isa));
            continue;
        }
        lw_device *device = lw_device_create(&options, &error);
        if (!device) {
            printf("FAILED: %s\n", error.text);
            return 1;
        }
        for (int m = 2; m < modules; m++)
            failures += run_module(example, device, argv[m], argv[0], &filter, &runs);
        lw_device_release(device);
    }
    printf("%s: %u runs, %u failed\n", example->name, runs, failures);
    return failures || !runs;
}
