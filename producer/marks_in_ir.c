/* SPDX-License-Identifier: MIT */
/* Marks in the IR: where each source line begins, and where a variable has which value.
 *
 * LLVM's SPIR-V back end drops debug locations (LLVM 22; its NonSemantic.Shader.DebugInfo has types, neither
 * lines nor values). A call it keeps, in its place among all that has an effect: so a line is a call, which
 * marks_in_spirv.c makes an OpLine of. IR without debug information has no marks and is written as it always
 * was.
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

/* Of a variable, in bits; 0 of them: all of it. */
struct range {
    uint64_t offset, bits;
};

/* ---- Tables ---- */

/* Its number; 0: no memory. Whole paths: a debugger opens them. Takes the path over. */
static unsigned
path_number(struct lw_marks *marks, char *path)
{
    for (unsigned i = 0; path && i < marks->file_count; i++)
        if (!strcmp(marks->files[i], path)) {
            free(path);
            return i + 1;
        }
    if (!path || !lw_marks_room((void **)&marks->files, marks->file_count, sizeof *marks->files)) {
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

/* The first text in it is its name: that has a place of its own in each of LLVM's versions. malloc'd. */
static char *
name_of(struct writer *w, LLVMMetadataRef variable)
{
    enum { MOST = 32 };
    V operands[MOST], value = LLVMMetadataAsValue(w->context, variable);
    unsigned length, count = LLVMGetMDNodeNumOperands(value);
    if (count > MOST)
        return NULL;
    LLVMGetMDNodeOperands(value, operands);
    for (unsigned i = 0; i < count; i++)
        if (operands[i] && LLVMIsAMDString(operands[i])) {
            const char *text = LLVMGetMDString(operands[i], &length);
            return strndup(text, length);
        }
    return NULL;
}

/* The number of the variable, or of the part of it; 0: there is no memory. */
static unsigned
variable_number(struct writer *w, LLVMMetadataRef variable, const struct lw_part *part)
{
    struct lw_marks *marks = w->marks;
    for (unsigned i = 0; i < marks->variable_count; i++)
        if (marks->variables[i].known_by == variable && marks->variables[i].offset == part->offset)
            return i + 1;
    struct lw_variable v = {.known_by = variable,
                            .type = part->type,
                            .offset = part->offset,
                            .line = LLVMDIVariableGetLine(variable)};
    char *name = name_of(w, variable);
    unsigned length = 0, folder_length = 0;
    LLVMMetadataRef file = LLVMDIVariableGetFile(variable);
    const char *path = file ? LLVMDIFileGetFilename(file, &length) : NULL;
    const char *folder = file ? LLVMDIFileGetDirectory(file, &folder_length) : NULL;
    v.file = file_number(w, folder, folder_length, path, length);
    if (!name || asprintf(&v.name, "%s%s", name, part->path) < 0)
        v.name = NULL;
    free(name);
    if (!v.file || !v.name || !lw_marks_room((void **)&marks->variables, marks->variable_count, sizeof v)) {
        free(v.name);
        return 0;
    }
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

/* What an expression says of a value: all of the variable, or so many bits of it from there on. clang says of
 * OpenCL's private variables that they are in address space 0. What else a value must go through is not
 * followed. */
static bool
read_expression(LLVMDbgRecordRef record, struct range *range)
{
    static const char private[] = "DW_OP_constu, 0, DW_OP_swap, DW_OP_xderef";
    unsigned long long offset, bits;
    char *text = LLVMPrintDbgRecordToString(record);
    const char *at = text ? strstr(text, "!DIExpression(") : NULL;
    bool direct = at != NULL;
    *range = (struct range){0};
    if (direct) {
        at += strlen("!DIExpression(");
        at += strncmp(at, private, strlen(private)) ? 0 : strlen(private);
        at += strncmp(at, ", ", 2) ? 0 : 2;
        if (sscanf(at, "DW_OP_LLVM_fragment, %llu, %llu)", &offset, &bits) == 2)
            *range = (struct range){offset, bits};
        else
            direct = *at == ')';
    }
    LLVMDisposeMessage(text);
    return direct;
}

static bool
is_number(V value)
{
    T type = LLVMTypeOf(value);
    unsigned bits = lw_bits_of(lw_scalar_of(type)), components = lw_count_of(type);
    return bits >= 8 && lw_is_legal_width(bits) && (components == 1 || lw_is_legal_length(components));
}

/* Into memory that all work-items have. What points to private variables keeps quiet about it: they would
 * have to stay in memory. */
static bool
is_pointer(V value)
{
    enum { GLOBAL = 1, CONSTANT, LOCAL };
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind)
        return false;
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(value));
    return space >= GLOBAL && space <= LOCAL;
}

static V
as_integer(struct writer *w, V before, V pointer)
{
    LLVMPositionBuilderBefore(w->b, before);
    LLVMSetCurrentDebugLocation2(w->b, NULL);
    return LLVMBuildPtrToInt(w->b, pointer, LLVMInt64TypeInContext(w->context), "");
}

/* Which parts of the variable a value is of; how many. */
static unsigned
parts_told(struct writer *w, LLVMMetadataRef variable, const struct range *range,
           struct lw_part parts[LW_MOST_PARTS])
{
    unsigned type = lw_debug_type_of(w->marks, w->context, variable), used = 0;
    if (type && w->marks->types[type - 1].kind == LW_POINTER) {
        parts[0] = (struct lw_part){.type = type};
        return 1;
    }
    unsigned count = lw_parts_of(w->marks, type, parts);
    for (unsigned k = 0; k < count && range->bits; k++)
        if (parts[k].offset >= range->offset &&
            parts[k].offset + lw_debug_bits(w->marks, parts[k].type) <= range->offset + range->bits)
            parts[used++] = parts[k];
    return range->bits ? used : count;
}

/* Can `to` be reached from the function's begin around `block`? Then what that has is not known there. */
static bool
is_around(struct writer *w, LLVMBasicBlockRef block, LLVMBasicBlockRef to)
{
    V function = LLVMGetBasicBlockParent(block);
    unsigned room = LLVMCountBasicBlocks(function), count = 0, next = 0;
    LLVMBasicBlockRef *reached = malloc((room + 1) * sizeof *reached),
                      entry = LLVMGetEntryBasicBlock(function);
    bool around = false;
    w->failed |= !reached;
    for (LLVMBasicBlockRef at = block == entry ? NULL : entry; reached && at && !around;
         at = next < count ? reached[next++] : NULL) {
        V end = LLVMGetBasicBlockTerminator(at);
        around = at == to;
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end) && !around; k++) {
            LLVMBasicBlockRef successor = LLVMGetSuccessor(end, k);
            bool known = successor == block || successor == entry;
            for (unsigned i = 0; i < count && !known; i++)
                known = reached[i] == successor;
            if (!known)
                reached[count++] = successor;
        }
    }
    free(reached);
    return around;
}

/* Where the mark may stand: LLVM's records may tell of a value that is computed later in the block, which is
 * then known behind that, unless the variable has yet another value before. NULL: nowhere. */
static V
place_of(struct writer *w, V before, V value, LLVMMetadataRef variable)
{
    if (!LLVMIsAInstruction(value))
        return before;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(before), own = LLVMGetInstructionParent(value);
    if (own != block)
        return is_around(w, own, block) ? NULL : before;
    bool other = false;
    for (V i = before; i; i = LLVMGetNextInstruction(i)) {
        for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r && i != before; r = LLVMGetNextDbgRecord(r))
            other |= LLVMDbgRecordGetKind(r) == LLVMDbgRecordValue &&
                     LLVMDbgVariableRecordGetVariable(r) == variable;
        if (i == value)
            return other || LLVMIsATerminatorInst(i) ? NULL : LLVMGetNextInstruction(i);
    }
    return before;
}

/* Values are marked behind the phis and the variables at the function's begin. A value that cannot be written
 * is said to be unknown, lest the one before it be shown. */
static void
mark_value(struct writer *w, V before, LLVMDbgRecordRef record)
{
    char name[96];
    struct range range;
    struct lw_part parts[LW_MOST_PARTS];
    LLVMMetadataRef variable = LLVMDbgVariableRecordGetVariable(record);
    V value = LLVMDbgVariableRecordGetValue(record, 0);
    bool direct = read_expression(record, &range);
    unsigned count = parts_told(w, variable, &range, parts);
    bool pointer = count == 1 && w->marks->types[parts[0].type - 1].kind == LW_POINTER;
    bool known = direct && value && count == 1 && (pointer ? is_pointer(value) : is_number(value));
    V place = known ? place_of(w, before, value, variable) : NULL;
    if (!place)
        value = LLVMGetPoison(w->i32);
    else if (pointer)
        value = as_integer(w, place, value);
    before = place ? place : before;
    T type = LLVMTypeOf(value), scalar = lw_scalar_of(type);
    snprintf(name, sizeof name, LW_MARK_VALUE "%ux%u.%u", lw_count_of(type), lw_bits_of(scalar),
             (unsigned)LLVMGetTypeKind(scalar));
    for (unsigned k = 0; k < count; k++) {
        unsigned number = variable_number(w, variable, &parts[k]);
        if (number)
            write_mark(w, before, declare(w, name, type), number, value);
    }
}

/* A variable that is in memory for good: an array, a structure, an argument by value. */
static void
mark_place(struct writer *w, V before, LLVMDbgRecordRef record)
{
    struct range range;
    struct lw_part parts[LW_MOST_PARTS];
    LLVMMetadataRef variable = LLVMDbgVariableRecordGetVariable(record);
    V place = LLVMDbgVariableRecordGetValue(record, 0);
    bool direct = read_expression(record, &range) && place && !range.bits &&
                  LLVMGetTypeKind(LLVMTypeOf(place)) == LLVMPointerTypeKind &&
                  (LLVMIsAAllocaInst(place) || LLVMIsAArgument(place));
    unsigned count = direct ? parts_told(w, variable, &range, parts) : 0;
    V address = count ? as_integer(w, before, place) : NULL;
    for (unsigned k = 0; k < count; k++) {
        unsigned number = variable_number(w, variable, &parts[k]);
        if (number)
            write_mark(w, before, declare(w, LW_MARK_PLACE, LLVMTypeOf(address)), number, address);
    }
}

static void
mark_record(struct writer *w, V before, LLVMDbgRecordRef record)
{
    if (LLVMDbgRecordGetKind(record) == LLVMDbgRecordValue)
        mark_value(w, before, record);
    else if (LLVMDbgRecordGetKind(record) == LLVMDbgRecordDeclare)
        mark_place(w, before, record);
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
            mark_record(w, begun ? i : first, r);
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
