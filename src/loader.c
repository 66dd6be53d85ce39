/* SPDX-License-Identifier: MIT */
/* Finds and loads the compiler library, on the first compilation only.
 *
 * Never: closes it. LLVM's static state does not survive a second load, and code of ours may still be
 * running.
 */
#include "objects.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define COMPILER_FILE "liblanewise-compiler.so"

/* The folder of the shared object that holds this function. */
static bool
own_folder(char *out, size_t size)
{
    Dl_info info;
    if (!dladdr(__extension__(void *) lw_load_compiler, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    size_t length = slash ? (size_t)(slash - info.dli_fname) : 1;
    if (length >= size)
        return false;
    memcpy(out, slash ? info.dli_fname : ".", length);
    out[length] = '\0';
    return true;
}

static bool
find_compiler(const struct lw_device *device, char *path, size_t size, lw_error *error)
{
    if (device->options.compiler) {
        if (snprintf(path, size, "%s", device->options.compiler) >= (int)size)
            return lw_runtime_error(error, LW_COMPILER_MISSING, "LANEWISE_COMPILER names too long a path");
        if (access(path, R_OK) != 0)
            return lw_runtime_error(error, LW_COMPILER_MISSING,
                                    "the compiler library that LANEWISE_COMPILER names cannot be read: %s",
                                    path);
        return true;
    }
    char folder[PATH_MAX];
    static const char *const places[] = {"", "/../jit"};
    if (own_folder(folder, sizeof folder))
        for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++)
            if (snprintf(path, size, "%s%s/" COMPILER_FILE, folder, places[i]) < (int)size &&
                access(path, R_OK) == 0)
                return true;
    return lw_runtime_error(error, LW_COMPILER_MISSING,
                            "the compiler library " COMPILER_FILE
                            " is neither beside liblanewise.so nor in its build "
                            "tree; LANEWISE_COMPILER may name it");
}

static const struct lw_compiler *
open_compiler(const char *path, lw_error *error)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        lw_runtime_error(error, LW_COMPILER_MISSING, "the compiler library does not load: %s",
                         why ? why : path);
        return NULL;
    }
    lw_compiler_entry_function *entry;
    *(void **)&entry = dlsym(library, LW_COMPILER_ENTRY);
    if (!entry) {
        lw_runtime_error(error, LW_COMPILER_MISSING,
                         "%s is no Lanewise compiler library: it has no symbol %s", path, LW_COMPILER_ENTRY);
        return NULL;
    }
    const struct lw_compiler *compiler = entry();
    if (!compiler) {
        lw_runtime_error(error, LW_COMPILER_MISSING, "%s does not support this processor", path);
        return NULL;
    }
    if (compiler->abi != LW_COMPILER_ABI) {
        lw_runtime_error(error, LW_COMPILER_MISSING,
                         "%s is of another build of Lanewise: interface %u, this library speaks %u", path,
                         compiler->abi, LW_COMPILER_ABI);
        return NULL;
    }
    return compiler;
}

const struct lw_compiler *
lw_load_compiler(lw_device *device, lw_error *error)
{
    struct lw_loader *loader = &device->loader;
    pthread_mutex_lock(&loader->lock);
    if (!loader->compiler) {
        char path[PATH_MAX + 64];
        if (find_compiler(device, path, sizeof path, error))
            loader->compiler = open_compiler(path, error);
    }
    const struct lw_compiler *compiler = loader->compiler;
    pthread_mutex_unlock(&loader->lock);
    return compiler;
}
