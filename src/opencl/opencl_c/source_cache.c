/* SPDX-License-Identifier: MIT */
/* What clang made of a source, kept in the disk cache: the SPIR-V, the warnings, and what they depend on.
 *
 * The key covers the compiler, the options and every text that the child is given. What it found by itself
 * (headers by -I) is listed in the entry, which counts only while the list holds (dependencies.c).
 */
#include "../objects.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../native/object_cache.h"
#include "../../objects.h"
#include "../../host/sha256.h"
#include "dependencies.h"

#define KEY_VERSION 22u

static const char key_name[] = "OpenCL C";

static void
add_text(struct lw_sha256 *hash, const char *text)
{
    lw_sha256_add(hash, text, strlen(text) + 1);
}

/* Which file it is, and which state of it. */
static bool
add_compiler(struct lw_sha256 *hash, const char *compiler)
{
    struct stat status;
    char path[PATH_MAX];
    if (!realpath(compiler, path) || stat(path, &status) != 0)
        return false;
    const uint64_t state[] = {(uint64_t)status.st_size, (uint64_t)status.st_mtim.tv_sec,
                              (uint64_t)status.st_mtim.tv_nsec, (uint64_t)status.st_ino};
    add_text(hash, path);
    lw_sha256_add(hash, state, sizeof state);
    return true;
}

/* The folder that relative names of folders begin in. */
static bool
add_place(struct lw_sha256 *hash, const struct lw_cl_options *options)
{
    char here[PATH_MAX];
    if (!lw_cl_has_relative_folder(options))
        return true;
    if (!getcwd(here, sizeof here))
        return false;
    add_text(hash, here);
    return true;
}

bool
lw_cl_source_key(cl_program program, const struct lw_cl_source *source, const char *const *texts,
                 struct lw_object_key *key)
{
    lw_device *device = program->devices[0]->device;
    const uint32_t version = KEY_VERSION;
    struct lw_build_id ours;
    struct lw_sha256 hash;
    lw_device_after_fork(device);
    if (!device->cache_folder || !lw_compiler_build_id(device, &ours))
        return false;
    lw_sha256_begin(&hash);
    add_text(&hash, key_name);
    lw_sha256_add(&hash, &version, sizeof version);
    lw_sha256_add(&hash, ours.bytes, ours.size);
    if (!add_compiler(&hash, source->compiler) || !add_place(&hash, source->options))
        return false;
    for (const char *word = source->options->compiler; *word; word += strlen(word) + 1)
        add_text(&hash, word);
    lw_sha256_add(&hash, &source->options->werror, sizeof source->options->werror);
    lw_sha256_add(&hash, &source->separate, sizeof source->separate);
    for (; *texts; texts++)
        add_text(&hash, *texts);
    add_text(&hash, program->source);
    for (cl_uint i = 0; i < source->header_count; i++) {
        add_text(&hash, source->headers[i].name);
        add_text(&hash, source->headers[i].text);
    }
    lw_sha256_end(&hash, key->bytes);
    return true;
}

/* An entry's object: the module, the log, and the list of what they depend on. */
void *
lw_cl_find_source(cl_program program, const struct lw_object_key *key, size_t *size)
{
    struct lw_cached_object entry;
    if (!lw_object_cache_find(program->devices[0]->device->cache_folder, key, &entry))
        return NULL;
    char *module = entry.object, *log = module + entry.code_bytes;
    if (strcmp(entry.symbol, key_name) != 0 || entry.code_bytes >= entry.object_bytes ||
        module[entry.object_bytes - 1] != '\0' ||
        !lw_cl_dependencies_hold(log + strlen(log) + 1,
                                 entry.object_bytes - entry.code_bytes - strlen(log) - 1)) {
        free(module);
        return NULL;
    }
    *size = entry.code_bytes;
    if (*log)
        lw_cl_log(program, "%s", log);
    return module;
}

void
lw_cl_keep_source(cl_program program, const struct lw_object_key *key, const void *module, size_t size,
                  const char *log, const struct lw_cl_words *depends)
{
    lw_device *device = program->devices[0]->device;
    size_t log_size = strlen(log) + 1;
    struct lw_cached_object entry = {.code_bytes = size, .object_bytes = size + log_size + depends->size};
    char *object = malloc(entry.object_bytes);
    if (!object)
        return;
    memcpy(object, module, size);
    memcpy(object + size, log, log_size);
    if (depends->size)
        memcpy(object + size + log_size, depends->text, depends->size);
    memcpy(entry.symbol, key_name, sizeof key_name);
    entry.object = object;
    lw_object_cache_store(device->cache_folder, key, &entry, device->options.cache_size);
    free(object);
}
