/* SPDX-License-Identifier: MIT */
/* Attributes of functions and calls: see attributes.h. */
#include <string.h>
#include "attributes.h"

static LLVMAttributeRef
attribute(LLVMValueRef of, const char *name, size_t length, uint64_t value)
{
    return LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(of)),
                                   LLVMGetEnumAttributeKindForName(name, length), value);
}

void
lw_add_attribute(LLVMValueRef function, const char *name, uint64_t value)
{
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            attribute(function, name, strlen(name), value));
}

void
lw_add_parameter_attribute(LLVMValueRef function, unsigned number, const char *name, uint64_t value)
{
    LLVMAddAttributeAtIndex(function, 1 + number, attribute(function, name, strlen(name), value));
}

typedef void (*adder)(LLVMValueRef, LLVMAttributeIndex, LLVMAttributeRef);

static void
add_each(LLVMValueRef to, const char *names, adder add)
{
    for (size_t length; *names; names += length + (names[length] == ' ')) {
        length = strcspn(names, " ");
        add(to, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute(to, names, length, 0));
    }
}

void
lw_add_attributes(LLVMValueRef function, const char *names)
{
    add_each(function, names, LLVMAddAttributeAtIndex);
}

void
lw_add_call_attributes(LLVMValueRef call, const char *names)
{
    add_each(call, names, LLVMAddCallSiteAttribute);
}
