/* SPDX-License-Identifier: MIT */
/* Code for an instance: from the disk cache, else from the compiler; loaded by our loader, else by the
 * compiler's linker.
 *
 * With everything on disk the compiler library is never opened. Compilations whose by-products somebody wants
 * to see (dumps, reports) neither ask the disk nor fill it.
 */
#include "code.h"
#include "../compiler/compiler_process.h"
#include "../host/clock.h"
#include "../host/sha256.h"
#include "../native/object_cache.h"
#include "../native/perf.h"
#include "../trace.h"
#include "explain.h"

#include <stdlib.h>
#include <string.h>
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#else
#include <cpuid.h>
#endif

#define KEY_VERSION 1u

static const char *
kernel_name(const struct lw_instance *instance)
{
    return instance->source->module->entry_points[instance->entry_point].name;
}

/* ---- the key ---- */

/* What the processor and the system let programs use. The C library has asked already where it can tell:
 * asking the processor is slow in a virtual machine. */
static void
add_features(struct lw_sha256 *hash)
{
#if __has_include(<sys/platform/x86.h>)
    static const unsigned leaves[] = {CPUID_INDEX_1, CPUID_INDEX_7, CPUID_INDEX_80000001,
                                      CPUID_INDEX_7_ECX_1};
    for (unsigned i = 0; i < sizeof leaves / sizeof leaves[0]; i++)
        lw_sha256_add(hash, __x86_get_cpuid_feature_leaf(leaves[i])->active_array, 4 * sizeof(unsigned));
#else
    static const unsigned leaves[][2] = {{1, 0}, {7, 0}, {7, 1}, {0x80000001, 0}};
    for (unsigned i = 0; i < sizeof leaves / sizeof leaves[0]; i++) {
        unsigned r[4] = {0};
        __get_cpuid_count(leaves[i][0], leaves[i][1], &r[0], &r[1], &r[2], &r[3]);
        if (leaves[i][0] == 1)
            r[0] = r[1] = 0; /* model and core number */
        lw_sha256_add(hash, r, sizeof r);
    }
#endif
}

static void
add_sized(struct lw_sha256 *hash, const void *data, uint64_t size)
{
    lw_sha256_add(hash, &size, sizeof size);
    lw_sha256_add(hash, data, size);
}

/* The module's words are long: once per module. */
static void
add_source(struct lw_sha256 *hash, struct lw_source *source)
{
    pthread_mutex_lock(&source->device->sources_lock);
    if (!source->digested) {
        struct lw_sha256 words;
        lw_sha256_begin(&words);
        lw_sha256_add(&words, source->module->words,
                      source->module->word_count * sizeof *source->module->words);
        lw_sha256_end(&words, source->digest);
        source->digested = true;
    }
    lw_sha256_add(hash, source->digest, sizeof source->digest);
    pthread_mutex_unlock(&source->device->sources_lock);
}

/* Everything that decides about the code. False: this compiler library cannot be told from others. */
static bool
make_key(lw_device *device, const struct lw_instance *instance, struct lw_object_key *key)
{
    struct lw_build_id compiler;
    if (!lw_compiler_build_id(device, &compiler))
        return false;
    const uint32_t numbers[] = {KEY_VERSION, LW_COMPILER_ABI, instance->entry_point,
                                (uint32_t)instance->spec_count};
    struct lw_sha256 hash;
    lw_sha256_begin(&hash);
    lw_sha256_add(&hash, numbers, sizeof numbers);
    add_sized(&hash, compiler.bytes, compiler.size);
    add_source(&hash, instance->source);
    const char *name = kernel_name(instance);
    add_sized(&hash, name, strlen(name));
    for (size_t i = 0; i < instance->spec_count; i++) {
        lw_sha256_add(&hash, &instance->spec[i].id, sizeof instance->spec[i].id);
        lw_sha256_add(&hash, &instance->spec[i].size, sizeof instance->spec[i].size);
        lw_sha256_add(&hash, &instance->spec[i].value, sizeof instance->spec[i].value);
    }
    lw_sha256_add(&hash, &instance->shape, sizeof instance->shape);
    const char *skip = device->options.skip ? device->options.skip : "";
    add_sized(&hash, skip, strlen(skip));
    if (lw_wants_lines(&device->options))
        add_sized(&hash, "lines", 5);
    add_features(&hash);
    lw_sha256_end(&hash, key->bytes);
    return true;
}

/* ---- from disk ---- */

static bool
from_disk(const char *folder, const struct lw_object_key *key, struct lw_instance *instance)
{
    struct lw_cached_object entry;
    const char *why;
    if (!lw_object_cache_find(folder, key, &entry))
        return false;
    struct lw_code *code = calloc(1, sizeof *code);
    bool good =
        code && lw_object_load(entry.object, entry.object_bytes, entry.symbol, &instance->loaded, &why);
    free(entry.object);
    if (!good) {
        free(code);
        lw_object_cache_drop(folder, key);
        return false;
    }
    *code = (struct lw_code){.run = (lw_group_function *)(uintptr_t)instance->loaded.entry,
                             .frame_fixed = entry.frame_fixed,
                             .frame_per_sub_group = entry.frame_per_sub_group,
                             .code_bytes = entry.code_bytes,
                             .turns = entry.turns,
                             .doubt = entry.doubt};
    instance->code = code;
    instance->milliseconds = entry.milliseconds;
    return true;
}

static void
to_disk(const lw_device *device, const struct lw_object_key *key, const struct lw_instance *instance)
{
    const struct lw_code *code = instance->code;
    struct lw_cached_object entry = {.frame_fixed = code->frame_fixed,
                                     .frame_per_sub_group = code->frame_per_sub_group,
                                     .code_bytes = code->code_bytes,
                                     .turns = code->turns,
                                     .doubt = code->doubt,
                                     .milliseconds = instance->milliseconds,
                                     .object = code->object,
                                     .object_bytes = code->object_bytes};
    _Static_assert(sizeof entry.symbol == sizeof code->symbol, "one symbol, two homes");
    memcpy(entry.symbol, code->symbol, sizeof entry.symbol);
    lw_object_cache_store(device->cache_folder, key, &entry, device->options.cache_size);
}

/* ---- from the compiler ---- */

/* Where the code is an object yet: maps it, or has it linked. */
static bool
link_code(lw_device *device, struct lw_instance *instance)
{
    struct lw_code *code = instance->code;
    const char *why = "the compiler gave no object";
    if (code->run)
        return true;
    if (device->options.loader != LW_LOADER_ORC && code->object &&
        lw_object_load(code->object, code->object_bytes, code->symbol, &instance->loaded, &why)) {
        code->run = (lw_group_function *)(uintptr_t)instance->loaded.entry;
        if (lw_wants_lines(&device->options))
            lw_object_keep_lines(&instance->loaded, code->object, code->object_bytes);
        if (device->options.gdb)
            lw_object_tell_debugger(&instance->loaded, code->object, code->object_bytes);
        return true;
    }
    if (device->options.loader == LW_LOADER_OWN)
        return lw_runtime_error(&instance->error, LW_INTERNAL,
                                "kernel %s: LANEWISE_LOADER=own, and the loader does not take the code: %s",
                                kernel_name(instance), why);
    const struct lw_compiler *compiler = lw_load_compiler(device, &instance->error);
    if (!compiler)
        return false;
    instance->compiler = compiler; /* LLVM's linker is in this process, and the code's owner from now on */
    return compiler->link(code, &instance->error);
}

/* In the compiler process. False: there is none to be had. */
static bool
compile_apart(lw_device *device, const struct lw_compile_request *request, enum lw_haste haste,
              struct lw_instance *instance)
{
    const char *program, *library;
    struct lw_remote_code made;
    if (!device->options.compiler_process || !lw_find_compilers(device, &program, &library) ||
        !lw_compile_apart(program, library, device->options.compile_seconds, haste, request, &made,
                          &instance->error))
        return false;
    instance->compiler = &lw_compiler_apart;
    instance->code = made.code;
    instance->milliseconds = made.milliseconds; /* without what starting it took */
    return true;
}

static bool
compile_here(lw_device *device, const struct lw_compile_request *request, struct lw_instance *instance)
{
    instance->compiler = lw_load_compiler(device, &instance->error);
    if (!instance->compiler)
        return false;
    double begin = lw_milliseconds_now();
    instance->code = instance->compiler->compile(request, &instance->error);
    instance->milliseconds = lw_milliseconds_now() - begin; /* without what loading the library took */
    return true;
}

static bool
compile(lw_device *device, struct lw_instance *instance, enum lw_haste haste)
{
    const lw_module *module = instance->source->module;
    struct lw_compile_request request = {
        .words = module->words,
        .word_count = module->word_count,
        .kernel = kernel_name(instance),
        .spec = instance->spec,
        .spec_count = instance->spec_count,
        .shape = instance->shape,
        .dump = device->dump,
        .skip = device->options.skip,
        .explain = device->explain,
        .lines = lw_wants_lines(&device->options),
        .variables = device->options.gdb,
        .unlinked = device->options.loader != LW_LOADER_ORC,
    };
    lw_no_error(&instance->error);
    if (!compile_apart(device, &request, haste, instance) && !compile_here(device, &request, instance))
        return false;
    double begin = lw_milliseconds_now();
    bool good = instance->code && link_code(device, instance);
    instance->milliseconds += lw_milliseconds_now() - begin;
    instance->spent = instance->milliseconds;
    if (!good && instance->error.status == LW_OK)
        lw_runtime_error(&instance->error, LW_INTERNAL,
                         "the compiler failed on kernel %s and did not say why", kernel_name(instance));
    instance->needs_too_much =
        !good && instance->error.status == LW_OUT_OF_MEMORY && instance->error.word == LW_NEEDS_TOO_MUCH;
    if (instance->needs_too_much)
        instance->error.word = 0;
    if (!good && device->options.debug)
        fprintf(stderr, "lanewise: %s\n", instance->error.text);
    if (!good)
        lw_code_free(instance);
    return good;
}

/* ---- what others are told ---- */

static const char *
form_of(const struct lw_instance *instance)
{
    const struct lw_shape *shape = &instance->shape;
    return shape->build & LW_BUILD_FIRST ? "first" : shape->local_size[0] ? "specialised" : "masked";
}

/* To the timeline, from `begin` on, and to perf where it is code of our loader's. */
static void
tell(const lw_device *device, const struct lw_instance *instance, uint64_t begin, const char *what, bool good)
{
    const struct lw_shape *shape = &instance->shape;
    lw_trace_span(device->trace, what, kernel_name(instance), begin,
                  "\"code\":\"%s\",\"lanes\":%u,\"local\":[%u,%u,%u],\"%s\":%s", form_of(instance),
                  shape->lanes, shape->local_size[0], shape->local_size[1], shape->local_size[2],
                  strcmp(what, "cache") ? "good" : "hit", good ? "true" : "false");
    if (good && device->options.perf && instance->loaded.base)
        lw_perf_code(kernel_name(instance), form_of(instance), instance->loaded.text,
                     instance->loaded.text_bytes, instance->loaded.lines);
}

/* `known`: the cache on disk may be asked, by this key. */
static bool
load(lw_device *device, struct lw_instance *instance, struct lw_object_key *key, bool *known)
{
    double begin = lw_milliseconds_now();
    *known = device->cache_folder && !device->dump && !device->explain && !device->options.gdb &&
             make_key(device, instance, key);
    if (!*known || atomic_load_explicit(&instance->not_on_disk, memory_order_relaxed))
        return false;
    uint64_t traced = lw_trace_begin(device->trace);
    bool good = from_disk(device->cache_folder, key, instance);
    tell(device, instance, traced, "cache", good);
    if (!good)
        return false;
    instance->spent = lw_milliseconds_now() - begin;
    return true;
}

bool
lw_code_load(lw_device *device, struct lw_instance *instance)
{
    struct lw_object_key key;
    bool known;
    return load(device, instance, &key, &known);
}

bool
lw_code_make(lw_device *device, struct lw_instance *instance, enum lw_haste haste)
{
    struct lw_object_key key;
    bool disk;
    if (load(device, instance, &key, &disk))
        return true;
    int claim = -1;
    if (disk) {
        uint64_t waited = lw_trace_begin(device->trace);
        claim = lw_object_cache_claim(device->cache_folder, &key);
        if (from_disk(device->cache_folder, &key, instance)) { /* another process was compiling it */
            tell(device, instance, waited, "cache", true);
            lw_object_cache_disclaim(claim);
            return true;
        }
    }
    uint64_t traced = lw_trace_begin(device->trace);
    bool good = compile(device, instance, haste);
    tell(device, instance, traced, "compile", good);
    if (device->explanations)
        lw_explain_code(device, instance, form_of(instance), good);
    if (good && disk &&
        instance->loaded.base) /* what the loader does not take is of no use to the next process */
        to_disk(device, &key, instance);
    lw_object_cache_disclaim(claim);
    if (!good)
        return false;
    free(instance->code->object);
    instance->code->object = NULL;
    return true;
}

void
lw_code_free(struct lw_instance *instance)
{
    if (instance->code && instance->compiler)
        instance->compiler->release(instance->code);
    else
        free(instance->code);
    instance->code = NULL;
    lw_object_unload(&instance->loaded);
}
