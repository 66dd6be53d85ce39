/* SPDX-License-Identifier: MIT */
/* The slices of the library that a module wants: each is loaded once, all of a round are linked at once.
 *
 * Enters: names of the library's functions. Leaves: their bodies in the module, internal and alwaysinline.
 * Relies on: slices that are self-contained (slices.py checks). */
#include "builtins/resolve.h"
#include "builtins/table.h"
#include "spirv/attributes.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
lw_builtin_fail(struct lw_resolve *r, lw_status status, const char *format, ...)
{
    if (!r->error)
        return false;
    va_list list;
    va_start(list, format);
    r->error->status = status;
    r->error->word = 0;
    vsnprintf(r->error->text, sizeof r->error->text, format, list);
    va_end(list);
    return false;
}

LLVMValueRef
lw_builtin_declare(struct lw_resolve *r, const char *name, LLVMTypeRef type)
{
    LLVMValueRef f = LLVMGetNamedFunction(r->module, name);
    return f ? f : LLVMAddFunction(r->module, name, type);
}

static LLVMModuleRef
load_slice(struct lw_resolve *r, const char *name)
{
    size_t size;
    const char *data = lw_builtin_slice(name, r->isa, &size);
    LLVMModuleRef slice = NULL;
    if (!data)
        return NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(data, size, name, 0);
    if (LLVMParseBitcodeInContext2(r->context, buffer, &slice))
        slice = NULL;
    LLVMDisposeMemoryBuffer(buffer);
    if (slice) {
        LLVMSetTarget(slice, LLVMGetTarget(r->module));
        LLVMSetDataLayout(slice, LLVMGetDataLayoutStr(r->module));
    }
    return slice;
}

bool
lw_builtin_want(struct lw_resolve *r, const char *name)
{
    LLVMValueRef have = LLVMGetNamedFunction(r->module, name);
    if (have && !LLVMIsDeclaration(have))
        return true;
    if (r->library && LLVMGetNamedFunction(r->library, name))
        return true;
    LLVMModuleRef slice = load_slice(r, name);
    if (!slice)
        return lw_builtin_fail(r, LW_INTERNAL, "the builtin library has no %s", name);
    if (!r->library) {
        r->library = slice;
        return true;
    }
    if (LLVMLinkModules2(r->library, slice))
        return lw_builtin_fail(r, LW_INTERNAL, "linking the builtin %s failed", name);
    return true;
}

static bool
is_ours(const char *name)
{
    static const char *const prefixes[] = {LW_BUILTIN_PREFIX, LW_IMAGE_PREFIX, "lw.soft."};
    for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++)
        if (strncmp(name, prefixes[k], strlen(prefixes[k])) == 0)
            return true;
    return false;
}

/* One link for all of a round's slices: each link walks the whole destination. */
bool
lw_builtin_link(struct lw_resolve *r)
{
    if (!r->library)
        return true;
    LLVMModuleRef library = r->library;
    r->library = NULL;
    if (LLVMLinkModules2(r->module, library))
        return lw_builtin_fail(r, LW_INTERNAL, "linking the builtin library failed");
    for (LLVMValueRef f = LLVMGetFirstFunction(r->module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        if (LLVMIsDeclaration(f) || !is_ours(name))
            continue;
        LLVMSetLinkage(f, LLVMInternalLinkage);
        lw_add_attributes(f, "alwaysinline");
    }
    return true;
}
