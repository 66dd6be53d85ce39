/* SPDX-License-Identifier: MIT */
/* Work-groups whose sub-groups take turns on one thread: made up, with what they wait for. */
#include "support.h"
#include "../../src/threads/turns.h"

enum { GROUPS = 100, TURNS = 4, ALIKE = 25, MOST = 4 * GROUPS * TURNS };

struct log {
    unsigned begun, replaced, entered, group, length;
    unsigned done[GROUPS];
    struct {
        unsigned group, number, part;
    } at[MOST];
    unsigned waits, until; /* its first sub-group waits for a later work-group; 0: nobody does */
    bool meets;
};

static struct log *the_log;

/* turns.c frees what only memory that was reserved needs. */
void
lw_thread_memory_release(struct lw_thread_memory *memory)
{
    (void)memory;
}

static void
note(unsigned group, unsigned number, unsigned part)
{
    ck_assert_uint_lt(the_log->length, MOST);
    the_log->at[the_log->length].group = group;
    the_log->at[the_log->length].number = number;
    the_log->at[the_log->length++].part = part;
}

static void
turn(const struct lw_launch *launch, const void *args, uint64_t group, uint64_t number, void *local,
     void *frame)
{
    (void)launch, (void)args, (void)local, (void)frame;
    note((unsigned)group, (unsigned)number, 0);
    while (the_log->waits == group && number == 0 && the_log->until && !the_log->done[the_log->until])
        lw_wait(LW_WAIT_MEMORY);
    if (the_log->meets)
        lw_wait(LW_WAIT_GROUP);
    note((unsigned)group, (unsigned)number, 1);
    the_log->done[group]++;
}

static const struct lw_code code = {.run = turn, .turns = LW_TURNS_SUB_GROUPS};

static bool
begin(struct lw_giver *giver, struct lw_begun *out)
{
    (void)giver;
    if (the_log->group == GROUPS)
        return false;
    struct lw_begun g = {.group = the_log->group++,
                         .code = &code,
                         .count = TURNS,
                         .memory = out->memory,
                         .stacks = out->stacks,
                         .states = out->states,
                         .room = out->room};
    *out = g;
    the_log->begun++;
    return true;
}

static bool
next(struct lw_giver *giver, struct lw_begun *group)
{
    (void)giver;
    ck_assert_uint_eq(the_log->done[group->group], TURNS);
    if (the_log->group % ALIKE == 0)
        return false;
    group->group = the_log->group++;
    the_log->replaced++;
    return true;
}

static bool
reserve(struct lw_giver *giver, struct lw_thread_memory *memory)
{
    (void)giver, (void)memory;
    return true;
}

static void
enter(struct lw_giver *giver, const struct lw_begun *group)
{
    (void)giver, (void)group;
    the_log->entered++;
}

/* Runs them all; has anybody waited for memory? */
static bool
take_turns(struct log *log)
{
    static struct lw_launch launch;
    atomic_bool waited = false;
    struct lw_giver giver = {&launch, NULL, 0, 4096, begin, next, reserve, enter, &waited};
    struct lw_thread_memory arena = {0};

    the_log = log;
    ck_assert(lw_take_turns(&arena, &giver));
    lw_turns_free(&arena);
    for (unsigned g = 0; g < GROUPS; g++)
        ck_assert_uint_eq(log->done[g], TURNS);
    return waited;
}

/* The next one in place of the last, without a way back to the thread's own stack. */
START_TEST(nobody_waits)
{
    struct log log = {0};
    ck_assert(!take_turns(&log));
    ck_assert_uint_eq(log.begun, GROUPS / ALIKE);
    ck_assert_uint_eq(log.replaced, GROUPS - GROUPS / ALIKE);
    ck_assert_uint_ge(log.entered, GROUPS);
    for (unsigned k = 0; k < log.length; k++)
        ck_assert(log.at[k].group == k / 2 / TURNS && log.at[k].number == k / 2 % TURNS &&
                  log.at[k].part == k % 2);
}
END_TEST

/* The others begin one by one beside it: it has its turn between them. */
START_TEST(a_later_one_is_waited_for)
{
    struct log log = {.waits = 3, .until = 6};
    ck_assert(take_turns(&log));
    unsigned ends = 0, behind = 0;
    for (unsigned k = 0; k < log.length; k++) {
        if (log.at[k].group == 3 && log.at[k].number == 0 && log.at[k].part == 1)
            ends = k;
        behind += ends && log.at[k].group > 7 && log.at[k].part == 0 && log.at[k].number == 0;
    }
    ck_assert_uint_gt(ends, 0);
    ck_assert_uint_eq(behind, GROUPS - 8);
}
END_TEST

START_TEST(all_meet_in_each)
{
    struct log log = {.meets = true};
    ck_assert(!take_turns(&log));
    for (unsigned k = 0; k < log.length; k++)
        ck_assert(log.at[k].group == k / 2 / TURNS && log.at[k].part == k / TURNS % 2);
}
END_TEST

TCase *
turn_cases(void)
{
    TCase *cases = tcase_create("turns");
    tcase_add_test(cases, nobody_waits);
    tcase_add_test(cases, a_later_one_is_waited_for);
    tcase_add_test(cases, all_meet_in_each);
    return cases;
}
