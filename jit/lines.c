/* SPDX-License-Identifier: MIT */
/* Source lines of the code, for a debugger (LANEWISE_GDB): kept by the instructions on their way, and at its
 * end written anew.
 *
 * Enters: instructions whose locations come from the SPIR-V reader, in functions that were cut out of each
 * other meanwhile. Leaves: each function a DISubprogram of its own, in which each instruction that has a line
 * has it, in its file. Relies on: locations alone; scopes and what was inlined where mean nothing any more.
 * Never: changes code, but for blocks that are cut behind the stores of variables.
 *
 * Between widening and the end no function has a subprogram: LLVM would refuse locations of other functions
 * in it.
 */
#include "job.h"
#include "debugger_variables.h"
#include "../vectorizer/facts/instructions.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

/* Where an instruction comes from. */
struct place {
    LLVMValueRef instruction;
    char *file; /* owned */
    unsigned line;
};

struct lines {
    LLVMModuleRef module;
    LLVMDIBuilderRef builder;
    LLVMMetadataRef unit, type;
    struct place *places;
    size_t count;
    bool failed; /* no memory */
};

void
lw_leave_lines(struct job *j)
{
    if (!j->request->lines) {
        LLVMStripModuleDebugInfo(j->module);
        return;
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(j->module); f; f = LLVMGetNextFunction(f))
        LLVMSetSubprogram(f, NULL);
}

/* False: no memory. Words of a module without lines are no lines of a file. */
static bool
read_places(struct lines *l)
{
    l->places = calloc(lw_count_instructions(l->module) + 1, sizeof *l->places);
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f && l->places; f = LLVMGetNextFunction(f))
        for (LLVMValueRef i = lw_first_instruction(f); i; i = lw_next_instruction(i)) {
            lw_mark_variable_store(l->module, i, LLVMGetDebugLocColumn(i));
            unsigned length = 0, line = LLVMGetDebugLocLine(i);
            const char *file = line ? LLVMGetDebugLocFilename(i, &length) : NULL;
            if (!file || (length == 7 && memcmp(file, "<spirv>", 7) == 0))
                continue;
            struct place p = {.instruction = i, .file = strndup(file, length), .line = line};
            if (!p.file)
                return false;
            l->places[l->count++] = p;
        }
    return l->places != NULL;
}

static LLVMMetadataRef
file_of(struct lines *l, const char *path)
{
    return LLVMDIBuilderCreateFile(l->builder, path, strlen(path), "", 0);
}

static void
add_flag(struct lines *l, const char *name, unsigned value)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(l->module));
    if (LLVMGetModuleFlag(l->module, name, strlen(name)))
        return;
    LLVMAddModuleFlag(l->module, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                      LLVMValueAsMetadata(LLVMConstInt(i32, value, false)));
}

static void
open_unit(struct lines *l)
{
    LLVMMetadataRef file = file_of(l, l->places[0].file);
    add_flag(l, "Dwarf Version", 4);
    l->unit =
        LLVMDIBuilderCreateCompileUnit(l->builder, LLVMDWARFSourceLanguageC99, file, "lanewise", 8, true, "",
                                       0, 0, "", 0, LLVMDWARFEmissionFull, 0, false, false, "", 0, "", 0);
    l->type = LLVMDIBuilderCreateSubroutineType(l->builder, file, NULL, 0, LLVMDIFlagZero);
}

static LLVMMetadataRef
make_function(struct lines *l, const char *name, size_t length, const struct place *first)
{
    LLVMMetadataRef file = file_of(l, first->file);
    return LLVMDIBuilderCreateFunction(l->builder, l->unit, name, length, "", 0, file, first->line, l->type,
                                       false, true, first->line, LLVMDIFlagZero, true);
}

/* An instruction that has no line belongs to that of the one before it. */
static void
fill(LLVMBasicBlockRef block)
{
    LLVMValueRef known = NULL;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (LLVMInstructionGetDebugLoc(i))
            known = i;
        else if (known && !LLVMIsAPHINode(i))
            LLVMInstructionSetDebugLoc(i, LLVMInstructionGetDebugLoc(known));
}

/* The places from `at` on are the block's; the next one that is not. Debuggers stop at one place of a line in
 * a function only, and a line is in several: for full and partial masks, in rounds. So each block is a piece
 * that was inlined. */
static size_t
write_block(struct lines *l, LLVMBasicBlockRef block, LLVMMetadataRef outer, LLVMMetadataRef inner,
            struct lw_variables *variables, size_t at)
{
    LLVMContextRef context = LLVMGetModuleContext(l->module);
    const struct place *first = &l->places[at];
    LLVMMetadataRef scope = NULL, call = LLVMDIBuilderCreateDebugLocation(
                                      context, first->line, 0,
                                      LLVMDIBuilderCreateLexicalBlock(
                                          l->builder, outer, file_of(l, first->file), first->line, 0),
                                      NULL);

    for (const char *last = NULL;
         at < l->count && LLVMGetInstructionParent(l->places[at].instruction) == block; at++) {
        const struct place *p = &l->places[at];
        if (!last || strcmp(last, p->file))
            scope = LLVMDIBuilderCreateLexicalBlockFile(l->builder, inner, file_of(l, p->file), 0);
        last = p->file;
        LLVMInstructionSetDebugLoc(p->instruction,
                                   LLVMDIBuilderCreateDebugLocation(context, p->line, 0, scope, call));
    }
    fill(block);
    lw_tell_variables(variables, block,
                      LLVMDIBuilderCreateDebugLocation(context, first->line, 0, inner, call));
    return at;
}

/* The kernel's function has the kernel's name for a debugger. */
static size_t
write_function(struct lines *l, LLVMValueRef f, const char *kernel, size_t at)
{
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    if (!strcmp(name, "lw_run")) {
        name = kernel;
        length = strlen(kernel);
    }
    LLVMMetadataRef outer = make_function(l, name, length, &l->places[at]);
    LLVMMetadataRef inner = make_function(l, name, length, &l->places[at]);

    struct lw_variables *variables = lw_variables_of(f, l->builder, inner, file_of(l, l->places[at].file));
    l->failed |= !variables;
    LLVMSetSubprogram(f, outer);
    while (at < l->count && variables) {
        LLVMBasicBlockRef block = LLVMGetInstructionParent(l->places[at].instruction);
        if (LLVMGetBasicBlockParent(block) != f)
            break;
        at = write_block(l, block, outer, inner, variables, at);
    }
    lw_free_variables(variables);
    return variables ? at : l->count;
}

bool
lw_write_lines(struct job *j)
{
    struct lines l = {.module = j->module};
    bool good = !j->request->lines || read_places(&l);

    if (good && l.count) {
        if (j->request->variables) {
            lw_cut_behind_variables(j->module);
            lw_target_keep_order();
        }
        LLVMStripModuleDebugInfo(j->module);
        add_flag(&l, "Debug Info Version", LLVMDebugMetadataVersion());
        l.builder = LLVMCreateDIBuilder(j->module);
        open_unit(&l);
        for (size_t at = 0; at < l.count;)
            at = write_function(&l,
                                LLVMGetBasicBlockParent(LLVMGetInstructionParent(l.places[at].instruction)),
                                j->request->kernel, at);
        LLVMDIBuilderFinalize(l.builder);
        LLVMDisposeDIBuilder(l.builder);
    } else if (good && j->request->lines) {
        LLVMStripModuleDebugInfo(j->module);
    }
    for (size_t i = 0; i < l.count; i++)
        free(l.places[i].file);
    free(l.places);
    return good && !l.failed;
}
