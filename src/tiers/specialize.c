/* SPDX-License-Identifier: MIT */
/* The in-memory cache of compiled shapes, and one compilation per shape however many threads ask.
 *
 * Cold instances are kept too: they count how much a shape is used before it has code of its own (dispatch.c
 * decides by that when one pays). Past the limit the least recently used one leaves the table; whoever still
 * runs its code holds a reference. The lock is never held while compiling.
 */
#include "code.h"
#include "race.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct lw_cache {
    pthread_mutex_t lock;
    pthread_cond_t compiled; /* some compilation ended */
    _Atomic uint64_t clock;
    struct lw_instance **buckets;
    unsigned bucket_mask;
    unsigned count, limit;
};

static void
init_lock(struct lw_cache *cache)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&cache->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&cache->compiled, &attributes);
    pthread_condattr_destroy(&attributes);
}

struct lw_cache *
lw_cache_create(unsigned entries)
{
    struct lw_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    unsigned buckets = 16;
    while (buckets < entries)
        buckets *= 2;
    cache->buckets = calloc(buckets, sizeof *cache->buckets);
    if (!cache->buckets) {
        free(cache);
        return NULL;
    }
    cache->bucket_mask = buckets - 1;
    cache->limit = entries;
    init_lock(cache);
    return cache;
}

/* Under the lock, or with no other thread left. Drops the table's reference. */
static void
unlist(struct lw_cache *cache, struct lw_instance *instance)
{
    struct lw_instance **link = &cache->buckets[instance->hash & cache->bucket_mask];
    while (*link != instance)
        link = &(*link)->chain;
    *link = instance->chain;
    instance->listed = false;
    cache->count--;
    lw_instance_release(instance);
}

void
lw_cache_free(struct lw_cache *cache)
{
    if (!cache)
        return;
    for (unsigned b = 0; b <= cache->bucket_mask; b++)
        while (cache->buckets[b])
            unlist(cache, cache->buckets[b]);
    pthread_mutex_destroy(&cache->lock);
    pthread_cond_destroy(&cache->compiled);
    free(cache->buckets);
    free(cache);
}

void
lw_cache_after_fork(struct lw_cache *cache)
{
    init_lock(cache);
    for (unsigned b = 0; b <= cache->bucket_mask; b++)
        for (struct lw_instance *i = cache->buckets[b]; i; i = i->chain) {
            atomic_store(&i->wished, false); /* of a thread that stayed with the parent */
            pthread_mutex_init(&i->steady.lock, NULL);
            if (atomic_load(&i->state) == LW_INSTANCE_COMPILING)
                atomic_store(&i->state, LW_INSTANCE_COLD);
        }
}

static uint64_t
mix(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

static uint64_t
hash_key(const lw_kernel *kernel, const struct lw_shape *shape)
{
    uint64_t hash = mix(0xcbf29ce484222325u, &kernel->build->source->hash, sizeof(uint64_t));
    hash = mix(hash, &kernel->entry_point, sizeof kernel->entry_point);
    for (size_t i = 0; i < kernel->build->spec_count; i++) {
        hash = mix(hash, &kernel->build->spec[i].id, sizeof(uint32_t));
        hash = mix(hash, &kernel->build->spec[i].value, sizeof(uint64_t));
    }
    return mix(hash, shape, offsetof(struct lw_shape, images) + 16 * sizeof *shape->images); /* the first */
}

bool
lw_instance_matches(const struct lw_instance *instance, const lw_kernel *kernel, const struct lw_shape *shape)
{
    const struct lw_build *build = kernel->build;
    if (instance->source != build->source || instance->entry_point != kernel->entry_point ||
        instance->spec_count != build->spec_count || memcmp(&instance->shape, shape, sizeof *shape) != 0)
        return false;
    for (size_t i = 0; i < build->spec_count; i++)
        if (instance->spec[i].id != build->spec[i].id || instance->spec[i].value != build->spec[i].value)
            return false;
    return true;
}

static struct lw_instance *
make_instance(const lw_kernel *kernel, const struct lw_shape *shape, uint64_t hash)
{
    struct lw_instance *instance = calloc(1, sizeof *instance);
    if (!instance)
        return NULL;
    size_t count = kernel->build->spec_count;
    if (count) {
        instance->spec = malloc(count * sizeof *instance->spec);
        if (!instance->spec) {
            free(instance);
            return NULL;
        }
        memcpy(instance->spec, kernel->build->spec, count * sizeof *instance->spec);
    }
    pthread_mutex_init(&instance->steady.lock, NULL);
    instance->spec_count = count;
    instance->hash = hash;
    instance->source = kernel->build->source;
    lw_source_retain(instance->source);
    instance->entry_point = kernel->entry_point;
    instance->shape = *shape;
    return instance;
}

/* Under the lock. Instances that are being compiled stay, so the limit may be passed by as many as there are
 * threads compiling. */
static void
evict_one(struct lw_cache *cache, const struct lw_instance *keep)
{
    struct lw_instance *oldest = NULL;
    for (unsigned b = 0; b <= cache->bucket_mask; b++)
        for (struct lw_instance *i = cache->buckets[b]; i; i = i->chain)
            if (i != keep && atomic_load(&i->state) != LW_INSTANCE_COMPILING &&
                (!oldest || atomic_load(&i->last_use) < atomic_load(&oldest->last_use)))
                oldest = i;
    if (oldest)
        unlist(cache, oldest);
}

void
lw_instance_touch(struct lw_cache *cache, struct lw_instance *instance)
{
    uint64_t now = atomic_fetch_add_explicit(&cache->clock, 1, memory_order_relaxed);
    atomic_store_explicit(&instance->last_use, now, memory_order_relaxed);
}

/* Under the lock. */
static struct lw_instance *
find(const struct lw_cache *cache, uint64_t hash, const lw_kernel *kernel, const struct lw_shape *shape)
{
    struct lw_instance *found = cache->buckets[hash & cache->bucket_mask];
    while (found && (found->hash != hash || !lw_instance_matches(found, kernel, shape)))
        found = found->chain;
    return found;
}

struct lw_instance *
lw_cache_find(struct lw_cache *cache, const lw_kernel *kernel, const struct lw_shape *shape)
{
    uint64_t hash = hash_key(kernel, shape);
    pthread_mutex_lock(&cache->lock);
    struct lw_instance **bucket = &cache->buckets[hash & cache->bucket_mask];
    struct lw_instance *found = find(cache, hash, kernel, shape);
    if (!found) {
        found = make_instance(kernel, shape, hash);
        if (found) {
            atomic_init(&found->refs, 1);
            found->chain = *bucket;
            *bucket = found;
            found->listed = true;
            if (++cache->count > cache->limit)
                evict_one(cache, found);
        }
    }
    if (found) {
        atomic_fetch_add_explicit(&found->refs, 1, memory_order_relaxed);
        lw_instance_touch(cache, found);
    }
    pthread_mutex_unlock(&cache->lock);
    return found;
}

void
lw_instance_release(struct lw_instance *instance)
{
    if (!instance || atomic_fetch_sub_explicit(&instance->refs, 1, memory_order_acq_rel) != 1)
        return;
    lw_code_free(instance);
    lw_race_free(atomic_load(&instance->race));
    pthread_mutex_destroy(&instance->steady.lock);
    free(instance->refusal);
    lw_source_release(instance->source);
    free(instance->spec);
    free(instance);
}

/* Under the lock. Has the instance become this thread's to fill? Waits for the thread that does, where asked.
 */
static bool
begin_filling(struct lw_cache *cache, struct lw_instance *instance, bool wait)
{
    while (wait && atomic_load(&instance->state) == LW_INSTANCE_COMPILING)
        pthread_cond_wait(&cache->compiled, &cache->lock);
    if (atomic_load(&instance->state) != LW_INSTANCE_COLD)
        return false;
    atomic_store(&instance->state, LW_INSTANCE_COMPILING);
    return true;
}

/* Whether a failure is the kernel's: then it fails again. */
static bool
fails_for_good(const struct lw_instance *instance)
{
    bool replaceable = instance->shape.local_size[0] || instance->shape.build & LW_BUILD_FIRST;
    lw_status status = instance->error.status;
    return status != LW_COMPILER_MISSING &&
           (status != LW_OUT_OF_MEMORY || replaceable || instance->needs_too_much);
}

bool
lw_instance_failed(const struct lw_instance *instance)
{
    return atomic_load_explicit(&instance->state, memory_order_acquire) == LW_INSTANCE_FAILED &&
           fails_for_good(instance);
}

static void
end_filling(struct lw_cache *cache, struct lw_instance *instance, enum lw_instance_state state)
{
    atomic_store_explicit(&instance->state, state, memory_order_release);
    if (state == LW_INSTANCE_FAILED && instance->listed && !fails_for_good(instance))
        unlist(cache, instance);
    pthread_cond_broadcast(&cache->compiled);
}

bool
lw_instance_load(lw_device *device, struct lw_instance *instance)
{
    struct lw_cache *cache = device->cache;
    if (lw_instance_ready(instance))
        return true;
    if (atomic_load_explicit(&instance->not_on_disk, memory_order_relaxed))
        return false;
    pthread_mutex_lock(&cache->lock);
    if (begin_filling(cache, instance, false)) {
        pthread_mutex_unlock(&cache->lock);
        bool done = lw_code_load(device, instance);
        atomic_store_explicit(&instance->not_on_disk, !done, memory_order_relaxed);
        pthread_mutex_lock(&cache->lock);
        end_filling(cache, instance, done ? LW_INSTANCE_READY : LW_INSTANCE_COLD);
    }
    pthread_mutex_unlock(&cache->lock);
    return lw_instance_ready(instance);
}

bool
lw_instance_wait(lw_device *device, struct lw_instance *instance, uint64_t nanoseconds)
{
    struct lw_cache *cache = device->cache;
    struct timespec until;
    if (lw_instance_ready(instance))
        return true;
    clock_gettime(CLOCK_MONOTONIC, &until);
    nanoseconds += (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(nanoseconds / 1000000000);
    until.tv_nsec = (long)(nanoseconds % 1000000000);
    pthread_mutex_lock(&cache->lock);
    while (atomic_load(&instance->state) < LW_INSTANCE_READY &&
           pthread_cond_timedwait(&cache->compiled, &cache->lock, &until) == 0)
        continue;
    pthread_mutex_unlock(&cache->lock);
    return lw_instance_ready(instance);
}

bool
lw_instance_compile(lw_device *device, struct lw_instance *instance, enum lw_haste haste, lw_error *error)
{
    struct lw_cache *cache = device->cache;
    if (lw_instance_ready(instance))
        return true;
    pthread_mutex_lock(&cache->lock);
    if (begin_filling(cache, instance, true)) {
        pthread_mutex_unlock(&cache->lock);
        bool done = lw_code_make(device, instance, haste);
        pthread_mutex_lock(&cache->lock);
        end_filling(cache, instance, done ? LW_INSTANCE_READY : LW_INSTANCE_FAILED);
    }
    pthread_mutex_unlock(&cache->lock);
    if (lw_instance_ready(instance))
        return true;
    if (error)
        *error = instance->error;
    return false;
}

void
lw_instance_refuse(struct lw_cache *cache, struct lw_instance *special, unsigned refused, const lw_error *why)
{
    pthread_mutex_lock(&cache->lock);
    if (!special->refusal)
        special->refusal = strdup(why->text);
    pthread_mutex_unlock(&cache->lock);
    atomic_fetch_or(&special->refused, refused);
}

bool
lw_cache_refuses(struct lw_cache *cache, const lw_kernel *kernel, const struct lw_shape *special,
                 unsigned refused, lw_error *error)
{
    pthread_mutex_lock(&cache->lock);
    const struct lw_instance *found = find(cache, hash_key(kernel, special), kernel, special);
    bool refuses = found && atomic_load(&found->refused) & refused;
    if (refuses)
        lw_runtime_error(error, LW_INTERNAL, "%s", found->refusal ? found->refusal : "it cannot be compiled");
    pthread_mutex_unlock(&cache->lock);
    return refuses;
}
