/* SPDX-License-Identifier: MIT */
/* A compiler library without a compiler: its "code" checks what the runtime hands it and counts work-items.
 */
#include "fake.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xmmintrin.h>

#define EXPORT __attribute__((visibility("default")))

/* Shared with the tests by dlsym, hence no static. */
EXPORT extern struct fake_state fake_state;
struct fake_state fake_state = {.lock = PTHREAD_MUTEX_INITIALIZER, .frame_per_sub_group = 192};

#define FRAME_FIXED 320

static void
count_items(struct fake_record *r, const struct lw_launch *l, const uint64_t id[3], const uint64_t size[3])
{
    for (uint64_t z = 0; z < size[2]; z++)
        for (uint64_t y = 0; y < size[1]; y++)
            for (uint64_t x = 0; x < size[0]; x++) {
                uint64_t g =
                    ((id[2] * l->local_size[2] + z) * l->global_size[1] + id[1] * l->local_size[1] + y) *
                        l->global_size[0] +
                    id[0] * l->local_size[0] + x;
                if (g < r->items)
                    atomic_fetch_add(&r->seen[g], 1);
                else
                    atomic_fetch_add(&r->wrong_size, 1);
            }
}

static void
meet(struct fake_record *r)
{
    const struct timespec moment = {0, 1000000};
    cpu_set_t mine;
    if (r->together && sched_getaffinity(0, sizeof mine, &mine) == 0)
        atomic_fetch_add(&r->kept, CPU_COUNT(&mine) < r->processors);
    atomic_fetch_add(&r->met, 1);
    for (unsigned looks = 0; atomic_load(&r->met) < r->together; looks++) {
        if (looks == 20000) {
            atomic_fetch_add(&r->wrong_order, 1);
            return;
        }
        nanosleep(&moment, NULL);
    }
}

static void
run_one(struct fake_record *r, const struct lw_launch *l, uint64_t group, unsigned lanes, bool special,
        unsigned work, char *local, char *frame)
{
    uint64_t id[3] = {group % l->num_groups[0], group / l->num_groups[0] % l->num_groups[1],
                      group / l->num_groups[0] / l->num_groups[1]};
    uint64_t size[3], enqueued = 1;
    for (unsigned d = 0; d < 3; d++) {
        uint64_t base = id[d] * l->local_size[d], left = l->global_size[d] - base;
        if (base >= l->global_size[d])
            atomic_fetch_add(&r->wrong_size, 1);
        size[d] = left < l->local_size[d] ? left : l->local_size[d];
        if (special && size[d] != l->local_size[d])
            atomic_fetch_add(&r->wrong_size, 1);
        enqueued *= l->local_size[d];
    }
    if (((uintptr_t)local | (uintptr_t)frame) % 128 || (r->local_bytes && frame < local + r->local_bytes))
        atomic_fetch_add(&r->wrong_memory, 1);
    memset(local, 0x5a, r->local_bytes);
    memset(frame, 0xa5, FRAME_FIXED + (enqueued + lanes - 1) / lanes * fake_state.frame_per_sub_group);
    for (uint32_t i = 0; i < r->local_bytes; i++)
        if (local[i] != 0x5a)
            atomic_fetch_add(&r->wrong_memory, 1);
    if ((_mm_getcsr() & ~0x3fu) != 0x1f80)
        atomic_fetch_add(&r->wrong_environment, 1);
    for (volatile unsigned i = 0; i < r->spin; i++)
        ;
    if (fake_state.pretend)
        fake_state.pretend(work);
    count_items(r, l, id, size);
    while (r->waiting && atomic_load(&r->groups) < group)
        sched_yield();
    meet(r);
    atomic_fetch_add(&r->groups, 1);
}

static void
check_activity(struct fake_record *r, const struct lw_launch *l, uint64_t first)
{
    lw_activity a;
    if (!r->one_at_a_time)
        return;
    if (!lw_current_activity(&a) || a.groups != 1 || strcmp(a.kernel, r->kernel) != 0 ||
        (a.group[2] * l->num_groups[1] + a.group[1]) * l->num_groups[0] + a.group[0] != first)
        atomic_fetch_add(&r->wrong_activity, 1);
}

/* Work of a work-group by code of so many lanes, whose branches this thread's processor learns. */
static unsigned
learn(unsigned lanes)
{
    static _Thread_local unsigned alone;
    unsigned work = fake_state.work_of_lanes[lanes], after = fake_state.learnt_after;
    alone = lanes == 1 ? alone + 1 : 0;
    if (lanes != 1 || !after)
        return work;
    return alone < after ? work - (unsigned)(0.99 * work * alone / after) : work / 100;
}

static void
run(const struct lw_launch *l, const void *args, uint64_t first, uint64_t count, char *local, char *frame,
    unsigned lanes, bool special, bool first_code, bool known)
{
    unsigned work = known ? fake_state.work_of_known : special ? fake_state.work_of_unknown : 0;
    static _Thread_local uint64_t serial, next;
    struct fake_record *r;
    memcpy(&r, args, sizeof r);
    if (serial != r->serial) {
        serial = r->serial;
        next = 0;
        atomic_fetch_add(&r->threads, 1);
    }
    if ((r->in_order && first < next) || count == 0)
        atomic_fetch_add(&r->wrong_order, 1);
    next = first + count;
    atomic_fetch_add(special ? &r->special_calls : &r->masked_calls, 1);
    atomic_fetch_add(&r->first_calls, first_code);
    atomic_fetch_add(&r->known_calls, known);
    check_activity(r, l, first);
    for (uint64_t g = first; g < first + count; g++)
        run_one(r, l, g, lanes, special, work + learn(lanes), local, frame);
}

/* The last that a thread takes at once is less than this before the end. */
#define LAST_GROUPS 128

/* Until the other thread has run one since this thread's last. */
static void
let_the_other_run(struct fake_record *r, unsigned me)
{
    const struct timespec moment = {0, 1000000};
    for (unsigned looks = 0; atomic_load(&r->last_owner) == me && !atomic_load(&r->over); looks++) {
        if (looks == 5000)
            atomic_store(&r->over, true); /* there is none */
        if (looks < 200)
            sched_yield();
        else
            nanosleep(&moment, NULL);
    }
}

/* One sub-group of those that take turns. */
static void
run_turn(const struct lw_launch *l, const void *args, uint64_t group, uint64_t number, void *local,
         void *frame)
{
    static _Thread_local uint64_t serial;
    static _Thread_local unsigned me;
    struct fake_record *r;
    (void)local, (void)frame;
    memcpy(&r, args, sizeof r);
    if (number)
        return;
    if (serial != r->serial) {
        serial = r->serial;
        me = atomic_fetch_add(&r->threads, 1) + 1;
    }
    if (group + LAST_GROUPS >= l->num_groups[0])
        atomic_store(&r->over, true);
    if (group == 0 && r->waits)
        l->wait(LW_WAIT_MEMORY);
    let_the_other_run(r, me);
    atomic_store(&r->owners[group], me);
    atomic_store(&r->last_owner, me);
}

#define VARIANT(name, lanes, special, first_code, known)                                                     \
    static void name##lanes(const struct lw_launch *l, const void *args, uint64_t first, uint64_t count,     \
                            void *local, void *frame)                                                        \
    {                                                                                                        \
        run(l, args, first, count, local, frame, lanes, special, first_code, known);                         \
    }
#define CODE(lanes)                                                                                          \
    VARIANT(run_masked_, lanes, false, false, false)                                                         \
    VARIANT(run_special_, lanes, true, false, false)                                                         \
    VARIANT(run_known_, lanes, true, false, true)                                                            \
    VARIANT(run_first_masked_, lanes, false, true, false)                                                    \
    VARIANT(run_first_special_, lanes, true, true, false)
CODE(1)
CODE(4)
CODE(8)
CODE(16)
CODE(32)
CODE(64)

static void
run_saxpy(const struct lw_launch *l, const void *args, uint64_t first, uint64_t count, void *local,
          void *frame)
{
    (void)local;
    (void)frame;
    struct {
        uint32_t n;
        float a;
        const float *x;
        float *y;
    } p;
    memcpy(&p, args, sizeof p);
    uint64_t end = (first + count) * l->local_size[0];
    for (uint64_t i = first * l->local_size[0]; i < end && i < l->global_size[0]; i++)
        if (i < p.n)
            p.y[i] = p.a * p.x[i] + p.y[i];
}

/* One element of its result is wrong. */
static void
run_wrong_saxpy(const struct lw_launch *l, const void *args, uint64_t first, uint64_t count, void *local,
                void *frame)
{
    float *y;
    run_saxpy(l, args, first, count, local, frame);
    memcpy(&y, (const char *)args + 16, sizeof y);
    if (first <= 17 / l->local_size[0] && 17 / l->local_size[0] < first + count)
        y[17] += 1;
}

/* Writes its own arguments out, as it got them. */
static void
run_scalars(const struct lw_launch *l, const void *args, uint64_t first, uint64_t count, void *local,
            void *frame)
{
    (void)l;
    (void)frame;
    char *record;
    memcpy(&record, args, sizeof record);
    if (first == 0 && count) {
        uint64_t at;
        memcpy(&at, (const char *)args + 32, sizeof at);
        memcpy(record, args, 40);
        memset((char *)local + at, 1, 16);
    }
}

static lw_group_function *
choose_code(const struct lw_compile_request *request)
{
    bool special = request->shape.local_size[0], first = request->shape.build & LW_BUILD_FIRST;
    if (fake_state.turns)
        return run_turn;
    if (strcmp(request->kernel, "saxpy") == 0)
        return special && fake_state.wrong == (first ? 2 : 1) ? run_wrong_saxpy : run_saxpy;
    if (strcmp(request->kernel, "scalars") == 0)
        return run_scalars;
#define VARIANTS(lanes)                                                                                      \
    {                                                                                                        \
        {run_masked_##lanes, run_special_##lanes, run_known_##lanes},                                        \
        {                                                                                                    \
            run_first_masked_##lanes, run_first_special_##lanes, run_first_special_##lanes                   \
        }                                                                                                    \
    }
    static lw_group_function *const code[][2][3] = {VARIANTS(4),  VARIANTS(8),  VARIANTS(16),
                                                    VARIANTS(32), VARIANTS(64), VARIANTS(1)};
    unsigned lanes = request->shape.lanes, kind = !special ? 0 : request->shape.known ? 2 : 1;
    return code[lanes == 1 ? 5 : __builtin_ctz(lanes) - 2][first][kind];
}

static struct lw_code *
compile(const struct lw_compile_request *request, lw_error *error)
{
    unsigned concurrent = atomic_fetch_add(&fake_state.concurrent, 1) + 1;
    unsigned most = atomic_load(&fake_state.most_concurrent);
    while (concurrent > most && !atomic_compare_exchange_weak(&fake_state.most_concurrent, &most, concurrent))
        ;
    if (fake_state.delay_microseconds)
        usleep(fake_state.delay_microseconds);
    unsigned number = atomic_fetch_add(&fake_state.compilations, 1);
    pthread_mutex_lock(&fake_state.lock);
    fake_state.shapes[number % 4096] = request->shape;
    fake_state.spec[number % 4096] = request->spec_count ? request->spec[0] : (struct lw_spec_value){0};
    pthread_mutex_unlock(&fake_state.lock);
    atomic_fetch_sub(&fake_state.concurrent, 1);
    bool fails = atomic_load(&fake_state.fail) ||
                 (atomic_load(&fake_state.fail_first) && request->shape.local_size[0] &&
                  request->shape.build & LW_BUILD_FIRST);
    struct lw_code *code = fails ? NULL : calloc(1, sizeof *code);
    if (!code) {
        *error = (lw_error){.status = LW_OUT_OF_MEMORY, .text = "the fake compiler was told to fail"};
        error->word = atomic_load(&fake_state.needs_too_much) ? LW_NEEDS_TOO_MUCH : 0;
        return NULL;
    }
    *code = (struct lw_code){
        .run = choose_code(request),
        .frame_fixed = FRAME_FIXED,
        .frame_per_sub_group = fake_state.frame_per_sub_group,
        .code_bytes = 77,
        .doubt = fake_state.doubt,
        .turns = fake_state.turns ? LW_TURNS_SUB_GROUPS : LW_TURNS_NOT,
        .report = request->explain ? strdup("{\"fake\":true}") : NULL,
    };
    atomic_fetch_add(&fake_state.live, 1);
    return code;
}

static void
release(struct lw_code *code)
{
    atomic_fetch_sub(&fake_state.live, 1);
    free(code->report);
    free(code);
}

EXPORT const struct lw_compiler *lw_compiler_entry(void);

const struct lw_compiler *
lw_compiler_entry(void)
{
    static const struct lw_compiler table = {LW_COMPILER_ABI, compile, release};
    return &table;
}
