/* SPDX-License-Identifier: MIT */
/* What a front end knows of kernels and their arguments, from its LLVM IR and its text into its SPIR-V.
 *
 * clang writes types and qualifiers as metadata of the kernels, which its SPIR-V back end drops; its pointers
 * have no types. They become the strings that llvm-spirv would write, "kernel_arg_type.NAME.uint*,float4,",
 * which reflection reads.
 */
#include "../objects.h"
#include "../../../spirv/module.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TEXT ((size_t)1 << 16) /* of a string: an instruction's words are counted by 16 bits */

static const char *const keys[] = {"kernel_arg_type", "kernel_arg_type_qual"};

struct strings { /* OpString instructions */
    uint32_t *words;
    size_t count, room;
    uint32_t bound; /* the next free id */
};

static bool
append_string(struct strings *out, const char *text)
{
    size_t bytes = strlen(text) + 1, words = 2 + (bytes + 3) / 4;
    if (out->count + words > out->room) {
        size_t room = 2 * out->room + words;
        uint32_t *grown = realloc(out->words, room * sizeof *grown);
        if (!grown)
            return false;
        out->words = grown;
        out->room = room;
    }
    uint32_t *at = out->words + out->count;
    memset(at, 0, words * sizeof *at);
    at[0] = (uint32_t)words << 16 | SpvOpString;
    at[1] = out->bound++;
    memcpy(at + 2, text, bytes);
    out->count += words;
    return true;
}

/* The texts of the node "!12 = !{!"uint*", !""}", each with a comma behind it. */
static bool
append_texts(const char *nodes, unsigned long node, char *out, size_t room)
{
    char head[40];
    size_t used = strlen(out);
    snprintf(head, sizeof head, "\n!%lu = !{", node);
    const char *at = strstr(nodes, head);
    if (!at)
        return false;
    for (at += strlen(head); *at && *at != '}' && *at != '\n'; at++) {
        if (at[0] != '!' || at[1] != '"')
            continue;
        for (at += 2; *at && *at != '"'; at++) {
            if (used + 2 >= room || *at == '\\' || *at == ',')
                return false; /* no name of a type */
            out[used++] = *at;
        }
        out[used++] = ',';
        out[used] = '\0';
    }
    return true;
}

/* One line "define ... spir_kernel void @name(...) ... !kernel_arg_type !12 {". */
static bool
take_kernel(const char *nodes, const char *line, size_t length, char *text, struct strings *out)
{
    const char *end = line + length;
    const char *kernel = memmem(line, length, " spir_kernel ", 13), *name = memchr(line, '@', length);
    const char *close = name ? memchr(name, '(', (size_t)(end - name)) : NULL;
    if (!kernel || !close || kernel > name || name[1] == '"')
        return true;
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        char mark[40];
        size_t size = (size_t)snprintf(mark, sizeof mark, " !%s !", keys[k]);
        const char *at = memmem(close, (size_t)(end - close), mark, size);
        int used = snprintf(text, MAX_TEXT, "%s.%.*s.", keys[k], (int)(close - name - 1), name + 1);
        if (at && used > 0 && (size_t)used < MAX_TEXT &&
            append_texts(nodes, strtoul(at + size, NULL, 10), text, MAX_TEXT) && !append_string(out, text))
            return false;
    }
    return true;
}

/* Where strings stand: behind capabilities, imports, entry points and modes. 0: no module. */
static size_t
place_of_strings(const uint32_t *words, size_t count)
{
    size_t at = 5;
    while (at < count) {
        uint32_t op = words[at] & 0xffff, length = words[at] >> 16;
        if (op != SpvOpCapability && op != SpvOpExtension && op != SpvOpExtInstImport &&
            op != SpvOpMemoryModel && op != SpvOpEntryPoint && op != SpvOpExecutionMode &&
            op != SpvOpExecutionModeId)
            return at;
        if (!length)
            return 0;
        at += length;
    }
    return 0;
}

static void *
insert(const struct strings *strings, const uint32_t *words, size_t count, size_t at, size_t *size)
{
    uint32_t *made = malloc((count + strings->count) * sizeof *made + 1);
    if (!made)
        return NULL;
    memcpy(made, words, at * sizeof *made);
    memcpy(made + at, strings->words, strings->count * sizeof *made);
    memcpy(made + at + strings->count, words + at, (count - at) * sizeof *made);
    made[3] = strings->bound;
    *size = (count + strings->count) * sizeof *made;
    return made;
}

/* What the program's text declares. false: no memory. */
static bool
take_attributes(const char *source, char *text, struct strings *out)
{
    char name[256], attributes[4096];
    if (!strstr(source, "__attribute"))
        return true;
    while (lw_cl_next_attributes(&source, name, sizeof name, attributes, sizeof attributes)) {
        snprintf(text, MAX_TEXT, LW_CL_ATTRIBUTES "%s.%s", name, attributes);
        if (!append_string(out, text))
            return false;
    }
    return true;
}

void *
lw_cl_add_arg_info(const char *ir, const char *source, void *module, size_t *size)
{
    const uint32_t *words = module;
    size_t count = *size / sizeof *words;
    const char *nodes = strstr(ir, "\n!0 = "); /* they are numbered, behind all code */
    if (!nodes || count < 5 || words[0] != SpvMagicNumber)
        return module;
    struct strings strings = {.bound = words[3]};
    char *text = malloc(MAX_TEXT);
    bool good = text && take_attributes(source, text, &strings);
    for (const char *line = strstr(ir, "\ndefine "); good && line; line = strstr(line + 1, "\ndefine "))
        good = take_kernel(nodes, line + 1, strcspn(line + 1, "\n"), text, &strings);
    size_t at = place_of_strings(words, count);
    void *made = good && at && strings.count ? insert(&strings, words, count, at, size) : NULL;
    free(text);
    free(strings.words);
    if (!made)
        return module;
    free(module);
    return made;
}
