/* SPDX-License-Identifier: MIT */
/* Finds the compiler library and the program that compiles by it, and loads the library where the process
 * itself is to compile or link.
 */
#include "../objects.h"
#include "compile_protocol.h"
#include "compiler_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
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

/* A file of ours beside this library (the OpenCL face), in the folder of its parts, or in its build tree. */
static bool
find_beside(const char *file, int mode, char *path, size_t size)
{
    char folder[PATH_MAX];
    static const char *const places[] = {"", "/lanewise", "/../jit", "/../../jit"};
    if (own_folder(folder, sizeof folder))
        for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++)
            if (snprintf(path, size, "%s%s/%s", folder, places[i], file) < (int)size &&
                access(path, mode) == 0)
                return true;
    return false;
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
    return find_beside(COMPILER_FILE, R_OK, path, size) ||
           lw_runtime_error(error, LW_COMPILER_MISSING,
                            "the compiler library " COMPILER_FILE
                            " is neither beside liblanewise.so nor in its build "
                            "tree; LANEWISE_COMPILER may name it");
}

const struct lw_compiler *
lw_load_compiler(lw_device *device, lw_error *error)
{
    struct lw_loader *loader = &device->loader;
    pthread_mutex_lock(&loader->lock);
    if (!loader->compiler) {
        char path[PATH_MAX + 64];
        if (find_compiler(device, path, sizeof path, error))
            loader->compiler = lw_open_compiler(path, error);
    }
    const struct lw_compiler *compiler = loader->compiler;
    pthread_mutex_unlock(&loader->lock);
    return compiler;
}

bool
lw_find_compilers(lw_device *device, const char **program, const char **library)
{
    struct lw_loader *loader = &device->loader;
    char path[PATH_MAX + 64];
    pthread_mutex_lock(&loader->lock);
    if (!loader->program && find_beside(LW_COMPILE_PROGRAM, X_OK, path, sizeof path))
        loader->program = realpath(path, NULL);
    if (!loader->library && find_compiler(device, path, sizeof path, NULL))
        loader->library = realpath(path, NULL);
    *program = loader->program;
    *library = loader->library;
    pthread_mutex_unlock(&loader->lock);
    return *program && *library;
}

/* ---- the build id ---- */

#define MOST_PROGRAM_HEADERS 64
#define MOST_NOTE_BYTES 65536

/* In one segment of notes. */
static bool
find_note(const uint8_t *notes, size_t size, struct lw_build_id *out)
{
    Elf64_Nhdr n;
    for (size_t at = 0; size - at >= sizeof n;) {
        memcpy(&n, notes + at, sizeof n);
        size_t name = at + sizeof n, left = size - name;
        size_t name_bytes = ((size_t)n.n_namesz + 3) & ~(size_t)3,
               bytes = ((size_t)n.n_descsz + 3) & ~(size_t)3;
        if (name_bytes > left || bytes > left - name_bytes)
            return false;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0 &&
            n.n_descsz >= 8 && n.n_descsz <= sizeof out->bytes) {
            memcpy(out->bytes, notes + name + name_bytes, n.n_descsz);
            out->size = n.n_descsz;
            return true;
        }
        at = name + name_bytes + bytes;
    }
    return false;
}

static bool
read_build_id(const char *path, struct lw_build_id *out)
{
    Elf64_Ehdr h;
    Elf64_Phdr headers[MOST_PROGRAM_HEADERS];
    static const size_t wanted = sizeof(Elf64_Phdr);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool found = false;
    if (pread(fd, &h, sizeof h, 0) == sizeof h && memcmp(h.e_ident, ELFMAG, SELFMAG) == 0 &&
        h.e_ident[EI_CLASS] == ELFCLASS64 && h.e_phentsize == wanted && h.e_phnum <= MOST_PROGRAM_HEADERS &&
        pread(fd, headers, h.e_phnum * wanted, (off_t)h.e_phoff) == (ssize_t)(h.e_phnum * wanted))
        for (unsigned i = 0; i < h.e_phnum && !found; i++) {
            size_t size = headers[i].p_filesz;
            uint8_t *notes =
                headers[i].p_type == PT_NOTE && size <= MOST_NOTE_BYTES ? malloc(size + 1) : NULL;
            if (notes && pread(fd, notes, size, (off_t)headers[i].p_offset) == (ssize_t)size)
                found = find_note(notes, size, out);
            free(notes);
        }
    close(fd);
    return found;
}

bool
lw_compiler_build_id(lw_device *device, struct lw_build_id *out)
{
    struct lw_loader *loader = &device->loader;
    pthread_mutex_lock(&loader->lock);
    if (!loader->looked) {
        char path[PATH_MAX + 64];
        loader->looked = true;
        if (!find_compiler(device, path, sizeof path, NULL) || !read_build_id(path, &loader->build_id))
            loader->build_id.size = 0;
    }
    *out = loader->build_id;
    pthread_mutex_unlock(&loader->lock);
    return out->size != 0;
}
