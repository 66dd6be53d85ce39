/* SPDX-License-Identifier: MIT */
/* Marks in the IR: where each source line begins, and where a variable has which value.
 *
 * LLVM's SPIR-V back end drops debug locations (LLVM 22; its NonSemantic.Shader.DebugInfo has types, neither
 * lines nor values). A call it keeps, in its place among all that has an effect: so a line is a call, which
 * marks.c makes an OpLine of. IR without debug information has no marks and is written as it always was.
 *
 * Enters: legal IR. Leaves: the same with marks, and no debug information. Never: a mark before a phi, or
 * among the variables at the function's begin, where SPIR-V has no room for one.
 */
#include "marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <llvm-c/DebugInfo.h>

#include "../spirv/attributes.h"
#include "legal.h"

struct writer {
    struct lw_marks *marks;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef b;
    T i32;
    V line;
    const char *last_name;
    unsigned last_file;
    bool failed; /* no memory */
};

/* ---- Tables ---- */

/* Room for one more behind `count` of them. */
static bool
make_room(void **list, unsigned count, size_t size)
{
    if (count & (count - 1)) /* it grows at powers of two */
        return true;
    void *grown = realloc(*list, (count ? 2 * count : 1) * size);
    if (grown)
        *list = grown;
    return grown != NULL;
}

/* Its number; 0: no memory. Whole paths: a debugger opens them. Takes the path over. */
static unsigned
path_number(struct lw_marks *marks, char *path)
{
    for (unsigned i = 0; path && i < marks->file_count; i++)
        if (!strcmp(marks->files[i], path)) {
            free(path);
            return i + 1;
        }
    if (!path || !make_room((void **)&marks->files, marks->file_count, sizeof *marks->files)) {
        free(path);
        return 0;
    }
    marks->files[marks->file_count++] = path;
    return marks->file_count;
}

/* The file's number; 0: no memory. A text that is in no file (#line) has no folder. */
static unsigned
file_number(struct writer *w, const char *folder, unsigned folder_length, const char *name, unsigned length)
{
    char *path = NULL;
    bool apart = name && length && *name != '/' && folder && folder_length;
    if (w->last_file && name == w->last_name)
        return w->last_file;
    if (asprintf(&path, "%.*s%s%.*s", apart ? (int)folder_length : 0, folder ? folder : "", apart ? "/" : "",
                 name ? (int)length : 0, name ? name : "") < 0)
        path = NULL;
    if (path && apart && access(path, F_OK) != 0)
        memmove(path, path + folder_length + 1, length + 1);
    w->last_name = name;
    w->last_file = path_number(w->marks, path);
    w->failed |= !w->last_file;
    return w->last_file;
}

static bool
is_type(LLVMMetadataRef node)
{
    unsigned kind = LLVMGetMetadataKind(node);
    return kind == LLVMDIBasicTypeMetadataKind || kind == LLVMDIDerivedTypeMetadataKind ||
           kind == LLVMDICompositeTypeMetadataKind;
}

/* What a node has first of text and of types, wherever it has them: that differs between LLVM's versions. */
struct described {
    char *name;
    LLVMMetadataRef type;
};

static struct described
describe(struct writer *w, LLVMMetadataRef node)
{
    enum { MOST = 32 };
    struct described d = {0};
    V operands[MOST], value = LLVMMetadataAsValue(w->context, node);
    unsigned length, count = LLVMGetMDNodeNumOperands(value);
    if (count > MOST)
        return d;
    LLVMGetMDNodeOperands(value, operands);
    for (unsigned i = 0; i < count; i++) {
        const char *text = operands[i] && LLVMIsAMDString(operands[i]) && !d.name
                               ? LLVMGetMDString(operands[i], &length)
                               : NULL;
        if (text)
            d.name = strndup(text, length);
        else if (operands[i] && !LLVMIsAMDString(operands[i]) && !d.type &&
                 is_type(LLVMValueAsMetadata(operands[i])))
            d.type = LLVMValueAsMetadata(operands[i]);
    }
    return d;
}

/* The name of the basic type below names (typedef) and qualifiers; NULL: it has none. */
static char *
basic_name(struct writer *w, LLVMMetadataRef type)
{
    enum { NAMES_DEEP = 16 };
    for (unsigned deep = 0; type && deep < NAMES_DEEP; deep++) {
        struct described d = describe(w, type);
        if (LLVMGetMetadataKind(type) == LLVMDIBasicTypeMetadataKind)
            return d.name;
        free(d.name);
        type = d.type;
    }
    return NULL;
}

static enum lw_encoding
encoding_of(const char *type)
{
    if (!strcmp(type, "half") || !strcmp(type, "float") || !strcmp(type, "double"))
        return LW_FLOAT;
    if (!strcmp(type, "bool") || !strcmp(type, "_Bool"))
        return LW_BOOLEAN;
    return strncmp(type, "unsigned", 8) ? LW_SIGNED : LW_UNSIGNED;
}

/* Its number; 0: it has no type that is shown, or there is no memory. */
static unsigned
variable_number(struct writer *w, LLVMMetadataRef variable, V value)
{
    struct lw_marks *marks = w->marks;
    T type = LLVMTypeOf(value);
    for (unsigned i = 0; i < marks->variable_count; i++)
        if (marks->variables[i].known_by == variable)
            return i + 1;
    struct described d = describe(w, variable);
    struct lw_variable v = {.known_by = variable, .name = d.name, .type = basic_name(w, d.type),
                            .bits = lw_bits_of(lw_scalar_of(type)), .components = lw_count_of(type),
                            .line = LLVMDIVariableGetLine(variable)};
    unsigned length = 0, folder_length = 0;
    LLVMMetadataRef file = LLVMDIVariableGetFile(variable);
    const char *name = file ? LLVMDIFileGetFilename(file, &length) : NULL;
    const char *folder = file ? LLVMDIFileGetDirectory(file, &folder_length) : NULL;
    v.file = file_number(w, folder, folder_length, name, length);
    if (!v.file || !v.name || !v.type ||
        !make_room((void **)&marks->variables, marks->variable_count, sizeof v)) {
        free(v.name);
        free(v.type);
        return 0;
    }
    v.encoding = encoding_of(v.type);
    marks->variables[marks->variable_count++] = v;
    return marks->variable_count;
}

/* ---- Marks ---- */

/* It is left where it is, and goes nowhere. */
static V
declare(struct writer *w, const char *name, T operand)
{
    V mark = LLVMGetNamedFunction(w->module, name);
    if (mark)
        return mark;
    mark = LLVMAddFunction(
        w->module, name,
        LLVMFunctionType(LLVMVoidTypeInContext(w->context), (T[]){w->i32, operand}, 2, false));
    LLVMSetFunctionCallConv(mark, LLVMSPIRFUNCCallConv);
    lw_add_attributes(mark, "nounwind willreturn convergent");
    return mark;
}

static void
write_mark(struct writer *w, V before, V mark, unsigned number, V operand)
{
    V operands[] = {LLVMConstInt(w->i32, number, false), operand};
    LLVMPositionBuilderBefore(w->b, before);
    LLVMSetCurrentDebugLocation2(w->b, NULL);
    V call = LLVMBuildCall2(w->b, LLVMGlobalGetValueType(mark), mark, operands, 2, "");
    LLVMSetInstructionCallConv(call, LLVMSPIRFUNCCallConv);
}

/* The value itself, or the address's first variable: clang says of OpenCL's private ones that they are in
 * address space 0. What else a value must go through is not followed. */
static bool
is_direct(LLVMDbgRecordRef record)
{
    char *text = LLVMPrintDbgRecordToString(record);
    bool direct = text && (strstr(text, "!DIExpression(),") ||
                           strstr(text, "!DIExpression(DW_OP_constu, 0, DW_OP_swap, DW_OP_xderef),"));
    LLVMDisposeMessage(text);
    return direct;
}

static bool
is_shown(V value)
{
    T type = LLVMTypeOf(value);
    unsigned bits = lw_bits_of(lw_scalar_of(type)), components = lw_count_of(type);
    return bits >= 8 && lw_is_legal_width(bits) && (components == 1 || lw_is_legal_length(components));
}

/* Values are marked behind the phis and the variables at the function's begin. A value that cannot be written
 * is said to be unknown, lest the one before it be shown. */
static void
mark_value(struct writer *w, V before, LLVMDbgRecordRef record)
{
    char name[96];
    if (LLVMDbgRecordGetKind(record) != LLVMDbgRecordValue)
        return;
    V value = LLVMDbgVariableRecordGetValue(record, 0);
    if (value && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
        return;
    LLVMMetadataRef variable = LLVMDbgVariableRecordGetVariable(record);
    bool direct = value && is_shown(value) && is_direct(record);
    if (!direct)
        value = LLVMGetPoison(w->i32);
    unsigned number = variable_number(w, variable, value);
    if (!number)
        return;
    T type = LLVMTypeOf(value), scalar = lw_scalar_of(type);
    snprintf(name, sizeof name, LW_MARK_VALUE "%ux%u.%u", lw_count_of(type), lw_bits_of(scalar),
             (unsigned)LLVMGetTypeKind(scalar));
    write_mark(w, before, declare(w, name, type), number, value);
}

static void
mark_block(struct writer *w, LLVMBasicBlockRef block)
{
    unsigned last_file = 0, last_line = 0, length, folder_length;
    V first = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(first) || LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    bool begun = false;
    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        begun |= i == first;
        for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r))
            mark_value(w, begun ? i : first, r);
        unsigned line = LLVMGetDebugLocLine(i);
        if (!begun || !line)
            continue;
        const char *name = LLVMGetDebugLocFilename(i, &length);
        const char *folder = LLVMGetDebugLocDirectory(i, &folder_length);
        unsigned file = file_number(w, folder, folder_length, name, length);
        if (file && (file != last_file || line != last_line))
            write_mark(w, i, w->line, file, LLVMConstInt(w->i32, line, false));
        last_file = file;
        last_line = line;
    }
}

bool
lw_mark(struct lw_marks *marks, LLVMModuleRef module)
{
    struct writer w = {.marks = marks, .module = module, .context = LLVMGetModuleContext(module)};

    if (!LLVMGetNamedMetadata(module, "llvm.dbg.cu", strlen("llvm.dbg.cu")))
        return true;
    w.i32 = LLVMInt32TypeInContext(w.context);
    w.line = declare(&w, LW_MARK_LINE, w.i32);
    w.b = LLVMCreateBuilderInContext(w.context);
    for (V f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            mark_block(&w, b);
    LLVMDisposeBuilder(w.b);
    if (!LLVMGetFirstUse(w.line))
        LLVMDeleteFunction(w.line);
    LLVMStripModuleDebugInfo(module);
    return !w.failed;
}

void
lw_free_marks(struct lw_marks *marks)
{
    for (unsigned i = 0; i < marks->file_count; i++)
        free(marks->files[i]);
    for (unsigned i = 0; i < marks->variable_count; i++) {
        free(marks->variables[i].name);
        free(marks->variables[i].type);
    }
    free(marks->files);
    free(marks->variables);
}
