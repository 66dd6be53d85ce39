/* SPDX-License-Identifier: MIT */
/* Arrays of more elements than an instruction of SPIR-V has words for, as tables of 65,536 numbers are.
 *
 * Enters: a module. Leaves: variables that begin with such an array as a struct of shorter arrays, one behind
 * the other. Legal: every byte lies where it lay, since an array is as long as a multiple of its alignment;
 * pointers know no type, and each access says its own. Without it the back end asks for
 * SPV_INTEL_long_composites.
 */
#include <stdlib.h>
#include <string.h>

#include "legal.h"

#define MOST_ELEMENTS 65532u /* an instruction has 65,535 words; three are its own, its type and its result */

static T parted(T type);

static T
struct_of(T type)
{
    unsigned count = LLVMCountStructElementTypes(type);
    T *members = calloc(count + 1u, sizeof *members), made = type;
    bool changed = false;
    for (unsigned k = 0; members && k < count; k++) {
        members[k] = parted(LLVMStructGetTypeAtIndex(type, k));
        changed |= members[k] != LLVMStructGetTypeAtIndex(type, k);
    }
    if (changed)
        made = LLVMStructTypeInContext(LLVMGetTypeContext(type), members, count, LLVMIsPackedStruct(type));
    free(members);
    return made;
}

/* The type of as many bytes whose arrays are short. */
static T
parted(T type)
{
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        return struct_of(type);
    if (LLVMGetTypeKind(type) != LLVMArrayTypeKind)
        return type;
    T element = parted(LLVMGetElementType(type));
    uint64_t count = LLVMGetArrayLength2(type), whole = count ? (count - 1) / MOST_ELEMENTS : 0;
    if (!whole || whole > MOST_ELEMENTS)
        return element == LLVMGetElementType(type) ? type : LLVMArrayType2(element, count);
    T members[] = {LLVMArrayType2(LLVMArrayType2(element, MOST_ELEMENTS), whole),
                   LLVMArrayType2(element, count - whole * MOST_ELEMENTS)};
    return LLVMStructTypeInContext(LLVMGetTypeContext(type), members, 2, false);
}

static V as_type(V value, T type, bool *good);

/* Elements or members of `value` from `first` on, as those of `type`. */
static V
part_of(V value, uint64_t first, T type, bool *good)
{
    bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
    uint64_t count = is_struct ? LLVMCountStructElementTypes(type) : LLVMGetArrayLength2(type);
    V *parts = calloc(count + 1u, sizeof *parts), made = value;
    *good &= parts != NULL;
    for (uint64_t k = 0; *good && k < count; k++) {
        T wanted = is_struct ? LLVMStructGetTypeAtIndex(type, (unsigned)k) : LLVMGetElementType(type);
        parts[k] = as_type(LLVMGetAggregateElement(value, (unsigned)(first + k)), wanted, good);
    }
    if (*good && is_struct)
        made = LLVMConstStructInContext(LLVMGetTypeContext(type), parts, (unsigned)count,
                                        LLVMIsPackedStruct(type));
    else if (*good)
        made = LLVMConstArray2(LLVMGetElementType(type), parts, count);
    free(parts);
    return made;
}

static V
as_type(V value, T type, bool *good)
{
    if (LLVMTypeOf(value) == type)
        return value;
    if (LLVMIsNull(value) || LLVMIsUndef(value))
        return LLVMConstNull(type);
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMGetTypeKind(type))
        return part_of(value, 0, type, good);
    T rows = LLVMStructGetTypeAtIndex(type, 0), row = LLVMGetElementType(rows);
    uint64_t whole = LLVMGetArrayLength2(rows);
    V *parts = calloc(whole, sizeof *parts);
    *good &= parts != NULL;
    for (uint64_t k = 0; *good && k < whole; k++)
        parts[k] = part_of(value, k * MOST_ELEMENTS, row, good);
    V members[] = {*good ? LLVMConstArray2(row, parts, whole) : NULL,
                   part_of(value, whole * MOST_ELEMENTS, LLVMStructGetTypeAtIndex(type, 1), good)};
    free(parts);
    return *good ? LLVMConstStructInContext(LLVMGetTypeContext(type), members, 2, false) : value;
}

/* In the place of the variable, one that begins as `initial`. */
static void
replace(LLVMModuleRef module, V variable, V initial)
{
    size_t count;
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(variable));
    V made = LLVMAddGlobalInAddressSpace(module, LLVMTypeOf(initial), "", space);
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(variable, &count);
    for (unsigned k = 0; k < count; k++)
        LLVMGlobalSetMetadata(made, LLVMValueMetadataEntriesGetKind(entries, k),
                              LLVMValueMetadataEntriesGetMetadata(entries, k));
    LLVMDisposeValueMetadataEntries(entries);
    LLVMSetInitializer(made, initial);
    LLVMSetLinkage(made, LLVMGetLinkage(variable));
    LLVMSetVisibility(made, LLVMGetVisibility(variable));
    LLVMSetUnnamedAddress(made, LLVMGetUnnamedAddress(variable));
    LLVMSetGlobalConstant(made, LLVMIsGlobalConstant(variable));
    LLVMSetAlignment(made, LLVMGetAlignment(variable));
    LLVMReplaceAllUsesWith(variable, made);
    char *name = strdup(LLVMGetValueName2(variable, &count));
    LLVMSetValueName2(variable, "", 0);
    LLVMSetValueName2(made, name ? name : "", name ? count : 0);
    free(name);
    LLVMDeleteGlobal(variable);
}

bool
lw_part_long_arrays(LLVMModuleRef module)
{
    bool good = true;
    for (V v = LLVMGetFirstGlobal(module), next; good && v; v = next) {
        next = LLVMGetNextGlobal(v);
        V initial = LLVMGetInitializer(v);
        T type = parted(LLVMGlobalGetValueType(v));
        if (!initial || LLVMIsNull(initial) || LLVMIsUndef(initial) || type == LLVMGlobalGetValueType(v))
            continue;
        initial = as_type(initial, type, &good);
        if (good)
            replace(module, v, initial);
    }
    return good;
}
