/* SPDX-License-Identifier: MIT */
/* Build, compile and link options (OpenCL API 5.8.6): split, checked, sorted by who wants them. */
#include "../objects.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum option_use {
    TO_COMPILER = 1, /* passed on where there is source */
    WITH_VALUE = 2,  /* what follows belongs to it, attached or as the next word */
    ATTACHED = 4,    /* begins with this text */
    LINKS = 8,       /* clLinkProgram takes it too */
    ONLY_LINKS = 16,
    WERROR = 32,
    LIBRARY = 64,
    QUIET = 128,
    WARNING = 256 /* begins with this text, and is no more than a warning's name */
};

#define WARNING_NAME "-WabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVXYZ0123456789+=_"

/* Unsafe mathematics imply the three before them, relaxed ones everything. */
#define UNSAFE (LW_MATH_UNSAFE | LW_MATH_NO_SIGNED_ZEROS | LW_MATH_CONTRACT | LW_MATH_FLUSH)

#define FAST_RELAXED "-cl-fast-relaxed-math"

static const struct {
    const char *text;
    unsigned use;
    unsigned flags; /* of enum lw_build_flag and enum lw_cl_program_flag */
} known[] = {
    {"-D", TO_COMPILER | WITH_VALUE, 0},
    {"-I", TO_COMPILER | WITH_VALUE, 0},
    {"-w", TO_COMPILER | QUIET, 0},
    {"-Werror", TO_COMPILER | WERROR, 0},
    {"-W", TO_COMPILER | WARNING, 0},
    {"-g", TO_COMPILER, LW_CL_ENQUEUE_CODES},
    {"-cl-std=", TO_COMPILER | ATTACHED, 0},
    {"-cl-single-precision-constant", TO_COMPILER, 0},
    {"-cl-fp32-correctly-rounded-divide-sqrt", TO_COMPILER, LW_MATH_EXACT_DIVISION},
    {"-cl-opt-disable", TO_COMPILER, LW_BUILD_UNOPTIMIZED},
    {"-cl-strict-aliasing", 0, 0},
    {"-cl-mad-enable", TO_COMPILER | LINKS, LW_MATH_CONTRACT},
    {"-cl-denorms-are-zero", TO_COMPILER | LINKS, LW_MATH_FLUSH},
    {"-cl-no-signed-zeros", TO_COMPILER | LINKS, LW_MATH_NO_SIGNED_ZEROS},
    {"-cl-unsafe-math-optimizations", TO_COMPILER | LINKS, UNSAFE},
    /* Clang would take `x < INFINITY` for true, by which programs ask for what they have marked so. */
    {"-cl-finite-math-only", LINKS, LW_MATH_FINITE},
    {FAST_RELAXED, LINKS, UNSAFE | LW_MATH_FINITE},
    {"-cl-no-subgroup-ifp", LINKS, LW_BUILD_NO_PROGRESS},
    {"-cl-uniform-work-group-size", LINKS, LW_CL_UNIFORM},
    {"-cl-kernel-arg-info", TO_COMPILER, 0}, /* there is always what the module tells */
    {"-cl-intel-greater-than-4GB-buffer-required", 0, 0},
    {"-create-library", LIBRARY | LINKS | ONLY_LINKS, 0},
    {"-enable-link-options", LINKS | ONLY_LINKS, LW_CL_LINK_OPTIONS},
};

/* The next word, unquoted, into `word`; false at the end. */
static bool
next_word(const char **text, char *word)
{
    const char *at = *text + strspn(*text, " \t\r\n");
    if (!*at)
        return false;
    char quote = 0;
    for (; *at && (quote || !strchr(" \t\r\n", *at)); at++) {
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else if (*at == '\\' && at[1] && strchr("\"'\\ ", at[1]))
            *word++ = *++at;
        else
            *word++ = *at;
    }
    *word = '\0';
    *text = at;
    return true;
}

static void
pass_on(struct lw_cl_options *out, const char *word)
{
    size_t size = strlen(word) + 1;
    memcpy(out->compiler + out->compiler_size, word, size);
    out->compiler_size += size;
}

/* The row of the option; -1: there is none. */
static int
find_option(const char *word, bool linking)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        bool prefix = known[i].use & (WITH_VALUE | ATTACHED | WARNING);
        if (linking ? !(known[i].use & LINKS) : known[i].use & ONLY_LINKS)
            continue;
        if (prefix ? strncmp(word, known[i].text, strlen(known[i].text)) == 0
                   : strcmp(word, known[i].text) == 0)
            return (int)i;
    }
    return -1;
}

static bool
is_c_version(const char *text)
{
    static const char *const versions[] = {"CL1.0", "CL1.1", "CL1.2",    "CL2.0",    "CL3.0",
                                           "CL3.1", "CLC++", "CLC++1.0", "CLC++2021"};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        if (strcmp(text, versions[i]) == 0)
            return true;
    return false;
}

/* What is attached to the option is as it must be. (-Wl, and the like are no warnings.) */
static bool
is_well_formed(const char *word, unsigned use)
{
    if (use & ATTACHED)
        return is_c_version(strchr(word, '=') + 1);
    return !(use & WARNING) || (word[2] && word[strspn(word, WARNING_NAME)] == '\0');
}

static bool
is_macro(const char *text)
{
    return isalpha((unsigned char)*text) || *text == '_' || *text == '$' || *text == '\\' ||
           (unsigned char)*text >= 0x80;
}

/* The value of -D or -I is behind it, or the next word, which is joined to it. The word has room for two
 * characters more: clang takes whatever begins with @ for a file of further options, the folder @x among
 * them, which ./@x is as well. */
static bool
has_value(const char **text, char *word)
{
    char *value = word + 2;
    if (!*value && !next_word(text, value))
        return false;
    if (word[1] == 'D')
        return is_macro(value);
    if (*value == '@') {
        memmove(value + 2, value, strlen(value) + 1);
        memcpy(value, "./", 2);
    }
    return true;
}

cl_int
lw_cl_read_options(cl_program program, const char *text, bool linking, cl_int otherwise,
                   struct lw_cl_options *out)
{
    memset(out, 0, sizeof *out);
    size_t room = text ? strlen(text) : 0;
    char *word = malloc(room + 5); /* an option and its value */
    out->compiler = malloc(3 * room + 2); /* one of them becomes two */
    cl_int result = word && out->compiler ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    bool early = true; /* before OpenCL C 2.0, as it is where nothing is said */
    while (!result && text && next_word(&text, word)) {
        int at = find_option(word, linking);
        if (at < 0 || !is_well_formed(word, known[at].use)) {
            lw_cl_log(program, "error: the option %.300s is not known", word);
            result = otherwise;
            break;
        }
        unsigned use = known[at].use;
        if (use & ATTACHED)
            early = strncmp(word + strlen(known[at].text), "CL1.", 4) == 0;
        out->werror |= (use & WERROR) != 0;
        out->create_library |= (use & LIBRARY) != 0;
        out->quiet |= (use & QUIET) != 0;
        out->flags |= known[at].flags;
        if ((use & WITH_VALUE) && !has_value(&text, word)) {
            lw_cl_log(program, "error: the option %s lacks what it needs: %.300s", known[at].text, word);
            result = otherwise;
        }
        if (strcmp(word, "-I") == 0)
            continue; /* the folder "": nothing is there */
        if (use & TO_COMPILER)
            pass_on(out, word);
        if (strcmp(word, FAST_RELAXED) == 0) {
            pass_on(out, "-cl-unsafe-math-optimizations");
            pass_on(out, "-D__FAST_RELAXED_MATH__=1");
        }
    }
    if (program->source && early && !linking)
        out->flags |= LW_CL_UNIFORM;
    if (!result && (out->flags & LW_CL_LINK_OPTIONS) && !out->create_library) {
        lw_cl_log(program, "error: -enable-link-options goes with -create-library");
        result = otherwise;
    }
    if (out->compiler)
        out->compiler[out->compiler_size] = '\0';
    free(word);
    if (result) {
        free(out->compiler);
        out->compiler = NULL;
    }
    return result;
}
