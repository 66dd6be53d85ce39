/* SPDX-License-Identifier: MIT */
/* Opens a compiler library and asks for its table. */
#include "compiler_library.h"
#include "../api.h"

#include <dlfcn.h>

const struct lw_compiler *
lw_open_compiler(const char *path, lw_error *error)
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
