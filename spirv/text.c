/* SPDX-License-Identifier: MIT */
/* SPIR-V text and SPIRV-Tools' validator. */
#include "text.h"

#include <spirv-tools/libspirv.h>
#include <stdlib.h>
#include <string.h>

static bool
fail(lw_error *error, lw_status status, const char *what, const spv_diagnostic diagnostic)
{
    if (!error)
        return false;
    error->status = status;
    error->word = 0;
    if (diagnostic && diagnostic->isTextSource)
        snprintf(error->text, sizeof error->text, "%s: line %zu, column %zu: %s", what,
                 diagnostic->position.line + 1, diagnostic->position.column + 1, diagnostic->error);
    else if (diagnostic) {
        error->word = (uint32_t)diagnostic->position.index;
        snprintf(error->text, sizeof error->text, "%s: %s", what, diagnostic->error);
    } else
        snprintf(error->text, sizeof error->text, "%s", what);
    return false;
}

bool
lw_text_assemble(const char *text, size_t size, uint32_t **words, size_t *count, lw_error *error)
{
    spv_binary binary = NULL;
    spv_diagnostic diagnostic = NULL;
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    *words = NULL;
    *count = 0;
    if (!context)
        return fail(error, LW_OUT_OF_MEMORY, "out of memory", NULL);
    bool done =
        spvTextToBinaryWithOptions(context, text, size, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS,
                                   &binary, &diagnostic) == SPV_SUCCESS;
    if (!done)
        fail(error, LW_BAD_MODULE, "the SPIR-V text cannot be assembled", diagnostic);
    if (done && !(*words = malloc(binary->wordCount * sizeof **words)))
        done = fail(error, LW_OUT_OF_MEMORY, "out of memory", NULL);
    if (done) {
        memcpy(*words, binary->code, binary->wordCount * sizeof **words);
        *count = binary->wordCount;
    }
    spvDiagnosticDestroy(diagnostic);
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    return done;
}

/* The OpenCL environment that goes with the version in the header. */
static spv_target_env
environment(const uint32_t *words, size_t count)
{
    uint32_t version = count > 1 ? words[1] : 0x10400;
    if (count > 1 && words[0] != 0x07230203)
        version = __builtin_bswap32(version);
    switch (version >> 8 & 0xff) {
    case 0: return SPV_ENV_OPENCL_2_1;
    case 1: return SPV_ENV_UNIVERSAL_1_1;
    case 2: return SPV_ENV_OPENCL_2_2;
    case 3: return SPV_ENV_UNIVERSAL_1_3;
    case 4: return SPV_ENV_UNIVERSAL_1_4;
    case 5: return SPV_ENV_UNIVERSAL_1_5;
    default: return SPV_ENV_UNIVERSAL_1_6;
    }
}

bool
lw_text_validate(const uint32_t *words, size_t count, lw_error *error)
{
    spv_const_binary_t binary = {words, count};
    spv_diagnostic diagnostic = NULL;
    spv_context context = spvContextCreate(environment(words, count));
    if (!context)
        return fail(error, LW_OUT_OF_MEMORY, "out of memory", NULL);
    bool valid = spvValidate(context, &binary, &diagnostic) == SPV_SUCCESS;
    if (!valid)
        fail(error, LW_BAD_MODULE, "the module is not valid", diagnostic);
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    return valid;
}

char *
lw_text_disassemble(const uint32_t *words, size_t count)
{
    const uint32_t options =
        SPV_BINARY_TO_TEXT_OPTION_SHOW_BYTE_OFFSET | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
        SPV_BINARY_TO_TEXT_OPTION_NO_HEADER;
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    spv_text text = NULL;
    char *copy = NULL;
    if (context && spvBinaryToText(context, words, count, options, &text, NULL) == SPV_SUCCESS)
        copy = strndup(text->str, text->length);
    spvTextDestroy(text);
    spvContextDestroy(context);
    return copy;
}
