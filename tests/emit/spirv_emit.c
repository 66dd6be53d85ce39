/* SPDX-License-Identifier: MIT */
/* spirv-emit: a developer's tool. Reads a module, emits each kernel, verifies it and prints the IR.
 * spirv-emit [-q] [-x] [-l X,Y,Z] [-k KERNEL] MODULE.spv...     -q: print nothing but errors; -x: facts
 * assumed */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <llvm-c/Analysis.h>
#include "module_check.h"
#include "emit.h"

struct options {
    bool quiet, unchecked;
    const char *kernel;
    struct lw_emit_facts facts;
};

static void *
read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    *size = 0;
    if (!file)
        return NULL;
    for (size_t room = 1 << 16;; room *= 2) {
        char *more = realloc(data, room);
        if (!more)
            break;
        data = more;
        *size += fread(data + *size, 1, room - *size, file);
        if (*size < room)
            break;
    }
    fclose(file);
    return data;
}

static bool
emit_one(const lw_module *module, uint32_t entry_point, const struct options *options, const char *path)
{
    lw_error error = {.status = LW_OK};
    char *message = NULL;
    struct lw_kernel_desc *kernel = lw_reflect_kernel(module, entry_point, &error);
    LLVMContextRef context = LLVMContextCreate();
    bool sound = options->unchecked || (lw_module_check(module, &error) &&
                                        lw_kernel_check(module, entry_point, &error));
    LLVMModuleRef ir = kernel && sound ? lw_emit_kernel(context, module, kernel, &options->facts,
                                                        &error) : NULL;
    bool ok = ir != NULL;
    if (!ok)
        fprintf(stderr, "%s: %s: %s\n", path, sound ? "not emitted" : "refused", error.text);
    if (ok && !options->quiet) {
        char *text = LLVMPrintModuleToString(ir);
        fputs(text, stdout);
        LLVMDisposeMessage(text);
    }
    if (ok && LLVMVerifyModule(ir, LLVMReturnStatusAction, &message)) {
        fprintf(stderr, "%s: kernel %s: invalid IR: %s\n", path, kernel->name, message);
        ok = false;
    }
    LLVMDisposeMessage(message);
    if (ir)
        LLVMDisposeModule(ir);
    LLVMContextDispose(context);
    lw_kernel_desc_free(kernel);
    return ok;
}

static bool
emit_file(const char *path, const struct options *options)
{
    lw_error error = {.status = LW_OK};
    size_t size;
    void *data = read_file(path, &size);
    lw_module *module = data ? lw_module_read(data, size, &error) : NULL;
    bool ok = module != NULL;
    if (!ok)
        fprintf(stderr, "%s: error: %s\n", path, data ? error.text : "cannot be read");
    for (uint32_t i = 0; module && i < module->entry_point_count; i++)
        if (!options->kernel || !strcmp(module->entry_points[i].name, options->kernel))
            ok &= emit_one(module, i, options, path);
    lw_module_free(module);
    free(data);
    return ok;
}

int
main(int argc, char **argv)
{
    struct options options = {.facts = {.sub_group_size = 16}};
    bool ok = true;
    for (int option; (option = getopt(argc, argv, "qxul:k:")) != -1;)
        switch (option) {
        case 'q': options.quiet = true; break;
        case 'u': options.unchecked = true; break;
        case 'x': options.facts.index31 = options.facts.offset_zero = true; break;
        case 'k': options.kernel = optarg; break;
        case 'l':
            options.facts.work_dim = 3;
            sscanf(optarg, "%u,%u,%u", &options.facts.local_size[0], &options.facts.local_size[1],
                   &options.facts.local_size[2]);
            break;
        default: return 2;
        }
    for (int i = optind; i < argc; i++)
        ok &= emit_file(argv[i], &options);
    return ok ? 0 : 1;
}
