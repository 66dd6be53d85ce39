/* SPDX-License-Identifier: MIT */
/* The device: settings, worker pool, cache, and what makes them usable again in a forked child. */
#include "host/clock.h"
#include "host/fork_mark.h"
#include "native/object_cache.h"
#include "objects.h"
#include "threads/pool.h"
#include "threads/threads.h"
#include "tiers/compile_threads.h"
#include "tiers/explain.h"
#include "trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define DEFAULT_CACHE_ENTRIES 256
#define MAX_CACHE_ENTRIES 65536u
#define MAX_THREADS 4096u

/* (A handler of pthread_atfork could wait for compilations, too, so that no lock of LLVM's is held; but every
 * fork would wait then, those too that only go on to exec.) */
static void
repair_after_fork(void *data)
{
    lw_device *device = data;
    pthread_mutex_init(&device->loader.lock, NULL);
    pthread_mutex_init(&device->sources_lock, NULL);
    pthread_mutex_init(&device->check_lock, NULL);
    lw_pool_after_fork(device->pool);
    lw_cache_after_fork(device->cache);
    lw_compile_threads_after_fork(device->compile_threads);
}

void
lw_device_after_fork(lw_device *device)
{
    lw_fork_mark_check(device->fork_mark, repair_after_fork, device);
}

/* What goes beyond x86-64-v4 is what the processor has of it. */
static lw_isa
of_this_host(lw_isa isa, lw_isa host)
{
    return isa > LW_ISA_AVX512 && host >= LW_ISA_AVX512 && isa > host ? host : isa;
}

static bool
choose_isa(lw_device *device, lw_isa asked, lw_error *error)
{
    lw_isa host = lw_isa_host();
    if (host == LW_ISA_AUTO)
        return lw_runtime_error(error, LW_UNSUPPORTED,
                                "this processor has no SSE4.2, the least that Lanewise needs");
    if ((unsigned)asked > LW_ISA_AVX512_FP16)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "%u is no lw_isa", (unsigned)asked);
    asked = of_this_host(asked, host);
    if (asked > host)
        return lw_runtime_error(error, LW_UNSUPPORTED, "%s was asked for, but this machine has %s at most",
                                lw_isa_name(asked), lw_isa_name(host));
    lw_isa wished = of_this_host(device->options.isa, host);
    if (wished > host) {
        fprintf(stderr, "lanewise: warning: LANEWISE_ISA=%s is ignored: this machine has %s at most\n",
                lw_isa_name(wished), lw_isa_name(host));
        wished = LW_ISA_AUTO;
    }
    device->isa = asked ? asked : wished ? wished : host;
    return true;
}

static bool
fill_device(lw_device *device, const lw_device_options *options, lw_error *error)
{
    static const lw_device_options defaults = {0};
    const lw_device_options *o = options ? options : &defaults;
    if (!choose_isa(device, o->isa, error))
        return false;
    unsigned gathers = device->options.gathers;
    device->slow_gathers = gathers == LW_GATHERS_AUTO ? lw_host_gathers_slowly() : gathers == LW_GATHERS_SLOW;
    unsigned threads = o->threads ? o->threads : device->options.threads, cpus = lw_usable_cpus();
    if (!threads)
        threads = cpus;
    device->threads = threads < MAX_THREADS ? threads : MAX_THREADS;
    unsigned entries = o->cache_entries ? o->cache_entries : device->options.cache_entries;
    if (!entries)
        entries = DEFAULT_CACHE_ENTRIES;
    const char *dump = o->dump && *o->dump ? o->dump : device->options.dump;
    device->dump = dump ? strdup(dump) : NULL;
    if (device->options.cache && device->options.cache_size && device->options.loader != LW_LOADER_ORC &&
        !device->options.own_budget)
        device->cache_folder = lw_object_cache_folder(device->options.cache_dir);
    device->explain = o->explain || device->explanations;
    device->trace_groups = o->trace_groups;
    device->most_local = o->most_local ? o->most_local : LW_MAX_LOCAL_BYTES;
    device->guard_local = o->guard_local;
    device->contain_faults = o->contain_faults && !o->guard_local && device->options.faults;
    device->created = lw_nanoseconds_now();
    device->fork_mark = lw_fork_mark_create();
    device->pool = lw_pool_create(device->threads, cpus, device->options.spin);
    device->cache = lw_cache_create(entries < MAX_CACHE_ENTRIES ? entries : MAX_CACHE_ENTRIES);
    device->compile_threads = lw_compile_threads_create(device);
    if ((dump && !device->dump) || !device->fork_mark || !device->pool || !device->cache ||
        !device->compile_threads)
        return lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for a device");
    return true;
}

static void
free_device(lw_device *device)
{
    lw_compile_threads_free(device->compile_threads);
    lw_pool_free(device->pool);
    lw_cache_free(device->cache);
    if (device->fork_mark)
        munmap(device->fork_mark, LW_FORK_MARK_BYTES);
    pthread_mutex_destroy(&device->loader.lock);
    pthread_mutex_destroy(&device->sources_lock);
    pthread_mutex_destroy(&device->check_lock);
    lw_trace_close(device->trace);
    lw_explain_close(device->explanations);
    lw_options_free(&device->options);
    free(device->loader.program);
    free(device->loader.library);
    free(device->cache_folder);
    free(device->dump);
    free(device);
}

lw_device *
lw_device_create(const lw_device_options *options, lw_error *error)
{
    lw_no_error(error);
    lw_device *device = calloc(1, sizeof *device);
    if (!device) {
        lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for a device");
        return NULL;
    }
    atomic_init(&device->refs, 1);
    pthread_mutex_init(&device->loader.lock, NULL);
    pthread_mutex_init(&device->sources_lock, NULL);
    pthread_mutex_init(&device->check_lock, NULL);
    lw_options_read(&device->options);
    lw_notice_end_of_thread();
    device->trace = lw_trace_open(device->options.trace);
    device->explanations = lw_explain_open(device->options.explain);
    if (fill_device(device, options, error))
        return device;
    free_device(device);
    return NULL;
}

void
lw_device_retain(lw_device *device)
{
    atomic_fetch_add_explicit(&device->refs, 1, memory_order_relaxed);
}

void
lw_device_release(lw_device *device)
{
    if (!device || atomic_fetch_sub_explicit(&device->refs, 1, memory_order_acq_rel) != 1)
        return;
    lw_device_after_fork(device);
    if (device->options.cross_check > 1)
        fprintf(stderr, "lanewise: cross check: %llu dispatches compared, %llu not\n",
                (unsigned long long)device->checked[1], (unsigned long long)device->checked[0]);
    free_device(device);
}

unsigned
lw_device_threads(const lw_device *device)
{
    return device ? device->threads : 0;
}

lw_isa
lw_device_isa(const lw_device *device)
{
    return device ? device->isa : LW_ISA_AUTO;
}
