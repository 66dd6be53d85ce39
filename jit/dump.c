/* SPDX-License-Identifier: MIT */
/* What LANEWISE_DUMP shows of a compilation, to standard error. */
#include "job.h"

#include <stdio.h>
#include <string.h>

bool
lw_names(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0)
            return true;
    return false;
}

/* "time" and "steps" are no stages and not in "all". */
bool
lw_wants_dump(const char *list, const char *name)
{
    return lw_names(list, name) ||
           (lw_names(list, "all") && strcmp(name, "time") != 0 && strcmp(name, "steps") != 0);
}

bool
lw_skips(const struct job *j, const char *row)
{
    return lw_names(j->request->skip, row);
}

void
lw_dump_module(const struct job *j, const char *stage)
{
    if (!j->module)
        return;
    char *text = LLVMPrintModuleToString(j->module);
    fprintf(stderr, "; ---- %s: after %s\n%s\n", j->request->kernel, stage, text);
    LLVMDisposeMessage(text);
}

/* Code generation changes the module, so it gets a copy. */
void
lw_dump_assembly(const struct job *j)
{
    LLVMMemoryBufferRef text = NULL;
    char *message = NULL;
    LLVMModuleRef copy = LLVMCloneModule(j->module);

    if (LLVMTargetMachineEmitToMemoryBuffer(j->machine, copy, LLVMAssemblyFile, &message, &text)) {
        LLVMDisposeMessage(message);
    } else {
        fprintf(stderr, "# ---- %s: asm\n%.*s\n", j->request->kernel, (int)LLVMGetBufferSize(text),
                LLVMGetBufferStart(text));
        LLVMDisposeMemoryBuffer(text);
    }
    LLVMDisposeModule(copy);
}
