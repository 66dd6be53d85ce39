/* SPDX-License-Identifier: MIT */
/* Compiled code by module, kernel, constants and shape: found, compiled once, kept within bounds. */
#ifndef LW_SRC_SPECIALIZE_H
#define LW_SRC_SPECIALIZE_H

#include "../compiler/haste.h"
#include "../native/object_loader.h"
#include "../objects.h"
#include "crew.h"

enum lw_instance_state {
    LW_INSTANCE_COLD, /* known by its shape, not compiled (yet) */
    LW_INSTANCE_COMPILING,
    LW_INSTANCE_READY,
    LW_INSTANCE_FAILED
};

enum lw_refused { LW_REFUSED_FULL = 1, LW_REFUSED_REMAINDERS = 2 };

/* Of special code, steady.c: the arguments of the dispatches that it serves. All zero: none yet. */
struct lw_steady {
    pthread_mutex_t lock; /* of all that follows */
    uint64_t last[LW_MOST_VALUES];
    uint8_t restless[LW_MOST_VALUES]; /* by how often they changed lately */
    uint64_t known;                   /* those that stay */
    uint64_t since;                   /* nanoseconds_watched when one of those was another */
    unsigned compiled;                /* codes for such, up to a bound */
    bool begun;
};

struct lw_instance {
    atomic_uint refs;
    atomic_uint state;         /* enum lw_instance_state */
    _Atomic uint64_t last_use; /* ticks of the cache's clock */
    _Atomic uint64_t runs; /* cold: dispatches of this shape that other code served, and the time they took */
    _Atomic uint64_t nanoseconds;
    /* The key */
    uint64_t hash;
    struct lw_source *source;
    uint32_t entry_point;
    struct lw_shape shape;
    struct lw_spec_value *spec;
    size_t spec_count;
    /* Of a ready one */
    const struct lw_compiler *compiler; /* NULL: the code is from disk, and ours */
    struct lw_code *code;
    struct lw_loaded loaded;   /* by our loader, else empty */
    double milliseconds;       /* that compiling took, here or for the entry on disk */
    double spent;              /* milliseconds, here, on compiling or loading it */
    _Atomic(struct lw_race *) race; /* NULL: none yet; of special code, race.h */
    _Atomic uint64_t nanoseconds_watched, groups_watched; /* of dispatches before it */
    _Atomic uint64_t group_nanoseconds; /* that a work-group took last, about; 0: not known */
    struct lw_crew crew;
    struct lw_steady steady;
    lw_error error;            /* of a failed one */
    struct lw_instance *chain; /* of the bucket */
    bool listed;
    atomic_bool not_on_disk; /* as far as is known */
    atomic_bool counted;     /* in some kernel's info */
    bool needs_too_much;     /* the error's LW_NEEDS_TOO_MUCH */
    atomic_bool told;        /* its failure, to some run */
    atomic_uint refused;     /* of enum lw_refused: ranges of this shape for which there is no code at all */
    char *refusal;           /* under the cache's lock: why */
    atomic_bool wished;      /* compile_threads.c */
    atomic_bool awaited;     /* by some run, once */
    struct lw_instance *next_wish; /* under that one's lock */
};

/* Keeps about so many instances; NULL: no memory. Freed when nothing compiles or runs by it any more. */
struct lw_cache *lw_cache_create(unsigned entries);
void lw_cache_free(struct lw_cache *cache);
/* In a forked child: compilations that ran in the parent are forgotten. */
void lw_cache_after_fork(struct lw_cache *cache);

/* The instance of this kernel and shape, made cold where there is none. A reference is the caller's. NULL: no
 * memory. */
struct lw_instance *lw_cache_find(struct lw_cache *cache, const lw_kernel *kernel,
                                  const struct lw_shape *shape);
void lw_instance_release(struct lw_instance *instance);
/* Is it this kernel's of this shape? */
bool lw_instance_matches(const struct lw_instance *instance, const lw_kernel *kernel,
                         const struct lw_shape *shape);

/* Gets its code from disk or compiles it, or waits for the thread that does. What failed for want of memory
 * or of the compiler leaves the cache, and a later dispatch tries again, unless other code can do its work
 * (special and first code): every other failure stays. */
bool lw_instance_compile(lw_device *device, struct lw_instance *instance, enum lw_haste haste,
                         lw_error *error);
/* Waits so long for the thread that compiles it, or was asked to (compile_threads.c). Is it ready? */
bool lw_instance_wait(lw_device *device, struct lw_instance *instance, uint64_t nanoseconds);
/* Only from disk, which is asked once. Is it ready? */
bool lw_instance_load(lw_device *device, struct lw_instance *instance);
/* Marks it used now. */
void lw_instance_touch(struct lw_cache *cache, struct lw_instance *instance);

/* Notes that such ranges are refused, with the reason; and asks for that without a dispatch. */
void lw_instance_refuse(struct lw_cache *cache, struct lw_instance *special, unsigned refused,
                        const lw_error *why);
bool lw_cache_refuses(struct lw_cache *cache, const lw_kernel *kernel, const struct lw_shape *special,
                      unsigned refused, lw_error *error);

/* Did it fail, and will not be tried again? */
bool lw_instance_failed(const struct lw_instance *instance);

static inline bool
lw_instance_ready(struct lw_instance *instance)
{
    return atomic_load_explicit(&instance->state, memory_order_acquire) == LW_INSTANCE_READY;
}

#endif
