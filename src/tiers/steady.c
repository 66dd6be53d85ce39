/* SPDX-License-Identifier: MIT */
/* Integer arguments that stay what they are: sizes, strides, counts of rounds.
 *
 * Most programs run a kernel again and again with the same ones. Known to the compiler they make quotients
 * cheap, loops short, rows visible and guards vanish. So the arguments of special code are watched. Those
 * that stay while dispatches take a good part of the time that compiling takes are constants of code of its
 * own, which then has to be faster than the code that knows none of them (race.h).
 *
 * An argument that differs again and again (the step of an elimination, a seed) is restless and left alone;
 * the others count without it. Who changes them now and then pays more for each further code.
 *
 * Enters: special code that is ready. Leaves: the same with more arguments known, when it is ready.
 * Legal: the values are part of the code's shape, and the shape is made of the arguments of the dispatch that
 * is about to begin, each time.
 * Never: waits; compiles for arguments that were seen for a short time only.
 */
#include "steady.h"
#include "../ranges/known.h"
#include "compile_threads.h"
#include "tiers.h"

#include <string.h>

#define PART_OF_COMPILING 0.3      /* of the special code's own compilation, before the first */
#define MOST_DOUBLINGS 4           /* of that, one for each that was compiled */
#define LOADING_NANOSECONDS 300000 /* what comes from the disk is worth it sooner */
#define MOST_CHANGES 3.0           /* times that price, while the first is waited for */
#define CHANGED 8                  /* what a change adds to a restless argument, and a dispatch takes off */
#define RESTLESS 16
#define MOST_RESTLESS 64

static bool
is_allowed(const lw_kernel *kernel, const struct lw_instance *special)
{
    const lw_device *device = kernel->program->device;
    return device->options.values == LW_VALUES_AUTO && device->options.race && !device->dump &&
           !device->explain && !kernel->desc->prints && special->code->turns == LW_TURNS_NOT;
}

/* Under the lock: the arguments that stay, of the first LW_MOST_VALUES integers. `*changed`: one of those has
 * another value than before, or they are others. */
static uint64_t
watch_arguments(struct lw_steady *s, const lw_kernel *kernel, bool *changed)
{
    uint64_t known = 0;
    unsigned count = 0;
    for (uint32_t i = 0; i < kernel->desc->arg_count && count < LW_MOST_VALUES; i++) {
        if (!lw_may_be_known(kernel->desc, i))
            continue;
        uint64_t value = lw_integer_argument(kernel, i);
        uint8_t *restless = &s->restless[count];
        bool differs = s->begun && value != s->last[count];
        if (differs)
            *restless = *restless + CHANGED < MOST_RESTLESS ? *restless + CHANGED : MOST_RESTLESS;
        else
            *restless -= *restless != 0;
        s->last[count++] = value;
        if (*restless < RESTLESS) {
            known |= UINT64_C(1) << i;
            *changed |= differs;
        }
    }
    s->begun = true;
    *changed |= known != s->known;
    return s->known = known;
}

struct account {
    double spent; /* nanoseconds, since the arguments are what they are */
    double price; /* that are to be spent before code for them is compiled */
    bool first;   /* would be the first such code, and soon */
};

/* Which arguments stay. */
static uint64_t
find_steady(const lw_kernel *kernel, struct lw_instance *special, struct account *out)
{
    struct lw_steady *s = &special->steady;
    uint64_t now = atomic_load_explicit(&special->nanoseconds_watched, memory_order_relaxed);
    double price = PART_OF_COMPILING * 1e6 * special->milliseconds;
    bool changed = false;
    pthread_mutex_lock(&s->lock);
    uint64_t known = watch_arguments(s, kernel, &changed);
    if (changed)
        s->since = now;
    *out = (struct account){.spent = (double)(now - s->since),
                            .price = price * (1u << s->compiled),
                            .first = !s->compiled && (double)now < MOST_CHANGES * price};
    pthread_mutex_unlock(&s->lock);
    return known;
}

static bool
wish_for(lw_device *device, struct lw_instance *special, struct lw_instance *code)
{
    struct lw_steady *s = &special->steady;
    if (!lw_compile_at_leisure(device, code))
        return false;
    pthread_mutex_lock(&s->lock);
    s->compiled += s->compiled < MOST_DOUBLINGS;
    pthread_mutex_unlock(&s->lock);
    return true;
}

struct lw_instance *
lw_steady_code(lw_kernel *kernel, struct lw_instance *special, enum lw_hope *hope)
{
    lw_device *device = kernel->program->device;
    struct lw_instance *code = kernel->code[LW_SLOT_STEADY];
    struct lw_shape shape;
    struct account account;
    *hope = LW_HOPE_NONE;
    if (!is_allowed(kernel, special))
        return NULL;
    uint64_t known = find_steady(kernel, special, &account) | special->shape.known;
    if (known == special->shape.known)
        return NULL;
    memcpy(&shape, &special->shape, sizeof shape); /* the padding is part of the key */
    lw_know_arguments(kernel, known, &shape);
    bool held = code && lw_instance_matches(code, kernel, &shape), pays = account.spent >= account.price;
    bool cheap = !special->compiler && account.spent >= LOADING_NANOSECONDS;
    *hope = account.first ? LW_HOPE_SOON : LW_HOPE_LATER;
    if (!held && !pays && !cheap)
        return NULL;
    code = lw_fetch_code(kernel, LW_SLOT_STEADY, &shape, &(lw_error){0});
    if (code && (lw_instance_ready(code) || lw_instance_load(device, code))) {
        *hope = LW_HOPE_NONE;
        return code;
    }
    if (!code || lw_instance_failed(code))
        *hope = LW_HOPE_NONE;
    else if (atomic_load_explicit(&code->wished, memory_order_relaxed))
        *hope = LW_HOPE_SOON;
    else if (pays)
        *hope = wish_for(device, special, code) ? LW_HOPE_SOON : LW_HOPE_NONE;
    return NULL;
}
