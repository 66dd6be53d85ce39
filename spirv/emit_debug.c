/* SPDX-License-Identifier: MIT */
/* Debug locations: the line of OpLine in its file, or the SPIR-V word offset in a file named "<spirv>". They
 * serve
 * --explain; no debug sections are written. */
#include <string.h>
#include "emitter.h"

void
lw_debug_open(lw_emitter *e)
{
    LLVMMetadataRef version = LLVMValueAsMetadata(LLVMConstInt(e->i32, LLVMDebugMetadataVersion(), false));
    LLVMAddModuleFlag(e->module, LLVMModuleFlagBehaviorWarning, "Debug Info Version", 18, version);
    e->di = LLVMCreateDIBuilder(e->module);
    e->di_file = LLVMDIBuilderCreateFile(e->di, "<spirv>", 7, "", 0);
    e->di_unit =
        LLVMDIBuilderCreateCompileUnit(e->di, LLVMDWARFSourceLanguageOpenCL, e->di_file, "lanewise", 8, true,
                                       "", 0, 0, "", 0, LLVMDWARFEmissionNone, 0, false, false, "", 0, "", 0);
    e->di_type = LLVMDIBuilderCreateSubroutineType(e->di, e->di_file, NULL, 0, LLVMDIFlagZero);
}

void
lw_debug_function(lw_emitter *e, V function, const char *name, const struct lw_inst *inst)
{
    for (uint32_t i = 0; i < e->di_used_count; i++)
        e->di_blocks[e->di_used[i]] = NULL;
    e->di_used_count = 0;
    e->di_scope =
        LLVMDIBuilderCreateFunction(e->di, e->di_unit, name, strlen(name), "", 0, e->di_file, inst->at,
                                    e->di_type, true, true, inst->at, LLVMDIFlagZero, true);
    LLVMSetSubprogram(function, e->di_scope);
}

static LLVMMetadataRef
scope_of(lw_emitter *e, uint32_t file)
{
    if (!file || file >= e->spv->bound || lw_op_of(e->spv, file) != SpvOpString)
        return e->di_scope;
    if (!e->di_files[file]) {
        const char *path = lw_string_at(e->spv, lw_def(e->spv, file)->at + 2);
        e->di_files[file] = LLVMDIBuilderCreateFile(e->di, path, strlen(path), "", 0);
    }
    if (!e->di_blocks[file]) {
        e->di_blocks[file] = LLVMDIBuilderCreateLexicalBlockFile(e->di, e->di_scope, e->di_files[file], 0);
        e->di_used[e->di_used_count++] = file;
    }
    return e->di_blocks[file];
}

void
lw_debug_at(lw_emitter *e, const struct lw_inst *inst)
{
    LLVMMetadataRef scope = inst->line ? scope_of(e, inst->file) : e->di_scope;
    unsigned line = inst->line ? inst->line : inst->at;
    LLVMMetadataRef where = LLVMDIBuilderCreateDebugLocation(e->context, line, 0, scope, NULL);
    LLVMSetCurrentDebugLocation2(e->b, where);
}

void
lw_debug_close(lw_emitter *e)
{
    if (!e->di)
        return;
    LLVMDIBuilderFinalize(e->di);
    LLVMDisposeDIBuilder(e->di);
    e->di = NULL;
}
