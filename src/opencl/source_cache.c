/* SPDX-License-Identifier: MIT */
/* What clang made of a source, kept in the disk cache: the SPIR-V and the warnings.
 *
 * The key covers the compiler, the options and every text that the child reads. Texts that it would find by
 * itself (headers by -I) are not in the key: sources that include such, or ask whether they exist, or say
 * when they were compiled, are not kept.
 */
#include "objects.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../object_cache.h"
#include "../objects.h"
#include "../sha256.h"

#define KEY_VERSION 7u

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

static bool
depends_on_more(const char *text)
{
    static const char *const words[] = {"__has_include", "__DATE__", "__TIME__", "__TIMESTAMP__"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
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
    if (!add_compiler(&hash, source->compiler) || depends_on_more(program->source))
        return false;
    for (const char *word = source->options->compiler; *word; word += strlen(word) + 1)
        add_text(&hash, word);
    lw_sha256_add(&hash, &source->options->werror, sizeof source->options->werror);
    lw_sha256_add(&hash, &source->separate, sizeof source->separate);
    for (; *texts; texts++)
        add_text(&hash, *texts);
    add_text(&hash, program->source);
    for (cl_uint i = 0; i < source->header_count; i++) {
        if (depends_on_more(source->headers[i].text))
            return false;
        add_text(&hash, source->headers[i].name);
        add_text(&hash, source->headers[i].text);
    }
    lw_sha256_end(&hash, key->bytes);
    return true;
}

/* A rule of make: the target, then what it was made of, with backslashes before blanks in names. Beside the
 * folder only clang's own header is expected. */
bool
lw_cl_source_is_whole(const char *rule, const char *folder)
{
    static const char own[] = "/opencl-c-base.h";
    const char *at = strstr(rule, ": ");
    if (!at)
        return false;
    for (at += 2; *at;) {
        size_t blank = strspn(at, " \t\n");
        at += blank;
        if (at[0] == '\\' && at[1] == '\n') {
            at += 2;
            continue;
        }
        size_t length = strcspn(at, " \t\n");
        if (!length)
            continue;
        bool mine = strncmp(at, folder, strlen(folder)) == 0 && at[strlen(folder)] == '/';
        bool clangs =
            length >= sizeof own && memcmp(at + length - (sizeof own - 1), own, sizeof own - 1) == 0;
        if (!mine && !clangs)
            return false;
        at += length;
    }
    return true;
}

/* An entry's object: the module, then the log. */
void *
lw_cl_find_source(cl_program program, const struct lw_object_key *key, size_t *size)
{
    struct lw_cached_object entry;
    if (!lw_object_cache_find(program->devices[0]->device->cache_folder, key, &entry))
        return NULL;
    char *module = entry.object;
    if (strcmp(entry.symbol, key_name) != 0 || entry.code_bytes >= entry.object_bytes ||
        module[entry.object_bytes - 1] != '\0') {
        free(module);
        return NULL;
    }
    *size = entry.code_bytes;
    if (module[*size])
        lw_cl_log(program, "%s", module + *size);
    return module;
}

void
lw_cl_keep_source(cl_program program, const struct lw_object_key *key, const void *module, size_t size,
                  const char *log)
{
    lw_device *device = program->devices[0]->device;
    struct lw_cached_object entry = {.code_bytes = size, .object_bytes = size + strlen(log) + 1};
    char *object = malloc(entry.object_bytes);
    if (!object)
        return;
    memcpy(object, module, size);
    memcpy(object + size, log, strlen(log) + 1);
    memcpy(entry.symbol, key_name, sizeof key_name);
    entry.object = object;
    lw_object_cache_store(device->cache_folder, key, &entry, device->options.cache_size);
    free(object);
}
