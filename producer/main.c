/* SPDX-License-Identifier: MIT */
/* lanewise-spirv: LLVM IR of OpenCL C on standard input, SPIR-V on standard output.
 *
 *     clang-22 --target=spirv64 -x cl -cl-std=CL3.0 -O2 -S -emit-llvm -o - k.cl | lanewise-spirv > k.spv
 *
 * A process of its own, since LLVM's back end ends the process where it does not know what to write. Found
 * beside liblanewise.so. --whole: nothing will be linked to it, so that what no kernel reaches is left out.
 * --optimize=O2: the IR is as clang has it before any pass (-Xclang -disable-llvm-passes
 * -fno-discard-value-names), and is optimized so that work-items of a sub-group meet where the source says.
 * --print shows the IR that is written instead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "legal.h"
#include "marks.h"
#include "meetings.h"
#include "spirv_options.h"

static int
fail(const char *what, const char *message)
{
    fprintf(stderr, "lanewise-spirv: %s%s%s\n", what, message ? ": " : "", message ? message : "");
    return 1;
}

static void
set_options(void)
{
    static const char *const options[] = {"lanewise-spirv", LW_SPIRV_EXTENSIONS,
                                          /* It counts in integers of two or three bits. */
                                          "-disable-lsr"};
    LLVMInitializeSPIRVTargetInfo();
    LLVMInitializeSPIRVTarget();
    LLVMInitializeSPIRVTargetMC();
    LLVMInitializeSPIRVAsmPrinter();
    LLVMParseCommandLineOptions(sizeof options / sizeof options[0], options, "");
}

/* The module as it is where nothing is marked. */
static int
write_words(const struct lw_marks *marks, const char *at, size_t size)
{
    uint32_t *marked = NULL;
    size_t count = 0;
    if (marks->file_count) {
        marked = lw_write_marks(marks, (const uint32_t *)at, size / 4, &count);
        if (!marked)
            return fail("the module's marks are lost", NULL);
        at = (const char *)marked;
        size = 4 * count;
    }
    bool good = fwrite(at, 1, size, stdout) == size && fflush(stdout) == 0;
    free(marked);
    return good ? 0 : fail("cannot write", NULL);
}

/* NULL: the IR is for another target. */
static LLVMTargetMachineRef
make_machine(LLVMModuleRef module, char **message)
{
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(LLVMGetTarget(module), &target, message))
        return NULL;
    return LLVMCreateTargetMachine(target, LLVMGetTarget(module), "", "", LLVMCodeGenLevelDefault,
                                   LLVMRelocDefault, LLVMCodeModelDefault);
}

static int
write_spirv(LLVMModuleRef module, LLVMTargetMachineRef machine, const struct lw_marks *marks)
{
    char *message = NULL;
    LLVMMemoryBufferRef words;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &words))
        return fail("the back end failed", message);
    return write_words(marks, LLVMGetBufferStart(words), LLVMGetBufferSize(words));
}

int
main(int argc, char **argv)
{
    static const char optimize[] = "--optimize=";
    bool print = false, whole = false, good = true;
    const char *why = NULL, *level = NULL;
    char *message = NULL;
    LLVMMemoryBufferRef text;
    LLVMModuleRef module;
    LLVMContextRef context = LLVMContextCreate();
    for (int k = 1; k < argc; k++) {
        print |= strcmp(argv[k], "--print") == 0;
        whole |= strcmp(argv[k], "--whole") == 0;
        bool optimizes = strcmp(argv[k], "--optimize=O1") == 0 || strcmp(argv[k], "--optimize=O2") == 0;
        level = optimizes ? argv[k] + strlen(optimize) : level;
        good &= strcmp(argv[k], "--print") == 0 || strcmp(argv[k], "--whole") == 0 || optimizes;
    }
    if (!good)
        return fail("usage: lanewise-spirv [--whole] [--optimize=O1|O2] [--print] < IR > SPIR-V", NULL);
    set_options();
    if (LLVMCreateMemoryBufferWithSTDIN(&text, &message))
        return fail("cannot read", message);
    if (LLVMParseIRInContext(context, text, &module, &message))
        return fail("not LLVM IR that it knows", message);
    LLVMTargetMachineRef machine = make_machine(module, &message);
    if (!machine)
        return fail("the IR is for another target", message);
    if (level && (why = lw_optimize_meetings(module, machine, level)))
        return fail(why, NULL);
    if (whole)
        lw_drop_unreached(module);
    if (!lw_part_long_arrays(module))
        return fail("no memory", NULL);
    if (!lw_make_legal(module, &why))
        return fail("cannot be made legal", why);
    struct lw_marks marks = {0};
    if (!lw_mark(&marks, module))
        return fail("no memory", NULL);
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        return fail("made wrong IR", message);
    int status = 0;
    if (print)
        fputs(LLVMPrintModuleToString(module), stdout);
    else
        status = write_spirv(module, machine, &marks);
    fflush(stdout);
    _exit(status); /* nothing is taken down that the end takes anyway */
}
