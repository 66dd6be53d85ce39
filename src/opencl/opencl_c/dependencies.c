/* SPDX-License-Identifier: MIT */
/* On what a compilation's outcome depends beside the texts that we gave clang, so that it can be kept.
 *
 * Files that clang read: its own rule for make names them; they must have the content that they had. Files
 * that would have been taken in their place, in folders that are searched before: they must still be absent.
 * A text that asks for the time, or whether other files exist, in whatever spelling, depends on more than
 * that: its outcome is never kept. Such a question is the name of a built-in macro, spelt out (perhaps with
 * line splices) or pasted together, and then a text has an identifier that is the name's beginning.
 *
 * A list is a sequence of NUL-terminated records: "f", the content's SHA-256 in hexadecimal digits and the
 * path, or "a" and the path.
 */
#include "dependencies.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../host/sha256.h"
#include "headers.h"

#define MAX_RECORDS 20000
#define DIGEST_DIGITS 64

/* ---- Questions in a text ---- */

static const char *const questions[] = {"__has_include", "__has_embed", "__DATE__", "__TIME__",
                                        "__TIMESTAMP__"};

struct asked {
    bool whole;     /* a question */
    bool beginning; /* of one, as an identifier of its own */
    bool pastes;    /* the operator */
};

/* The text without spliced line ends, malloc'd: a backslash, or its trigraph, before blanks and a line's end.
 */
static char *
without_splices(const char *text)
{
    char *copy = malloc(strlen(text) + 1), *out = copy;
    while (copy && *text) {
        size_t slash = *text == '\\' ? 1 : strncmp(text, "?\?/", 3) == 0 ? 3 : 0;
        const char *end = text + slash + (slash ? strspn(text + slash, " \t\v\f") : 0);
        if (slash && (*end == '\n' || *end == '\r'))
            text = end + 1 + (end[0] == '\r' && end[1] == '\n');
        else
            *out++ = *text++;
    }
    if (copy)
        *out = '\0';
    return copy;
}

static bool
is_beginning(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
        if (length < strlen(questions[i]) && strncmp(word, questions[i], length) == 0)
            return true;
    return false;
}

static void
look_for_questions(const char *given, struct asked *asked)
{
    char *text = without_splices(given);
    if (!text) {
        asked->whole = true; /* nobody knows */
        return;
    }
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
        asked->whole |= strstr(text, questions[i]) != NULL;
    asked->pastes |= strstr(text, "##") || strstr(text, "%:%:") || strstr(text, "?\?=");
    for (const char *at = text; *at; at++) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '$')
            length++;
        if (length) {
            asked->beginning |= *at == '_' && is_beginning(at, length);
            at += length - 1;
        }
    }
    free(text);
}

/* Of all that we gave it. */
static struct asked
questions_of(cl_program program, const struct lw_cl_source *source)
{
    struct asked asked = {0};
    look_for_questions(program->source, &asked);
    for (cl_uint i = 0; i < source->header_count; i++)
        look_for_questions(source->headers[i].text, &asked);
    for (const char *word = source->options->compiler; *word; word += strlen(word) + 1)
        look_for_questions(strncmp(word, "-D", 2) == 0 ? word + 2 : word, &asked);
    return asked;
}

/* ---- Files ---- */

/* All of a regular file with a zero byte behind, malloc'd. */
static char *
read_whole(const char *path, struct stat *status, size_t *size)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    char *text = fstat(file, status) == 0 && S_ISREG(status->st_mode) ? lw_cl_file_text(file, size) : NULL;
    close(file);
    return text;
}

static void
digest(const char *text, size_t size, char digits[DIGEST_DIGITS + 1])
{
    struct lw_sha256 hash;
    uint8_t bytes[DIGEST_DIGITS / 2];
    lw_sha256_begin(&hash);
    lw_sha256_add(&hash, text, size);
    lw_sha256_end(&hash, bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
}

static bool
is_older(const struct timespec *a, const struct timespec *b)
{
    if (a->tv_nsec == 0) /* perhaps a file system that counts seconds, or two of them at a time */
        return a->tv_sec + 2 < b->tv_sec;
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Nothing that clang could read. */
static bool
is_absent(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || S_ISDIR(status.st_mode) || access(path, R_OK) != 0;
}

/* ---- The rule ---- */

/* "TARGET: FILE FILE \": the next file's name, unescaped into `name` (of the rule's size); false: none is
 * left, or (at: NULL) it is not clear what it is. */
static bool
next_file(const char **at, char *name)
{
    const char *from = *at;
    while (*from && (isspace((unsigned char)*from) || (from[0] == '\\' && from[1] == '\n')))
        from++;
    if (!*from)
        return false;
    for (; *from && !isspace((unsigned char)*from); from++) {
        if (from[0] == '$' && from[1] == '$')
            from++;
        else if (from[0] == '\\' && (from[1] == ' ' || from[1] == '#'))
            from++;
        else if (from[0] == '\\') {
            *at = NULL;
            return false;
        }
        *name++ = *from;
    }
    *name = '\0';
    *at = from;
    return true;
}

struct search {
    struct lw_cl_words folders; /* of the options, and those that files were read from */
    struct lw_cl_words files;
};

static bool
has_word(const struct lw_cl_words *words, const char *word)
{
    const char *at = words->text;
    for (size_t i = 0; i < words->count; i++, at += strlen(at) + 1)
        if (strcmp(at, word) == 0)
            return true;
    return false;
}

/* Without slashes at its end. */
static void
add_folder(struct search *search, const char *name, size_t length)
{
    while (length && name[length - 1] == '/')
        length--;
    char *copy = strndup(name, length);
    if (!copy)
        search->folders.failed = true;
    else if (!has_word(&search->folders, copy))
        lw_cl_add_word(&search->folders, copy);
    free(copy);
}

/* false: one of them is a file, which says by itself where headers are. */
static bool
add_option_folders(struct search *search, const struct lw_cl_options *options)
{
    struct stat status;
    for (const char *word = options->compiler; *word; word += strlen(word) + 1) {
        if (strncmp(word, "-I", 2) != 0)
            continue;
        if (stat(word + 2, &status) == 0 && !S_ISDIR(status.st_mode))
            return false;
        add_folder(search, word + 2, strlen(word + 2));
    }
    return true;
}

/* What the rule names beside our own anonymous files and headers. */
static bool
read_rule(struct search *search, const char *rule)
{
    static const char anonymous[] = "/proc/self/fd/";
    const char *at = strstr(rule, ": ");
    char *name = at ? malloc(strlen(rule) + 1) : NULL;
    if (!name)
        return false;
    bool good = true;
    for (at += 2; good && next_file(&at, name);) {
        const char *number = name + sizeof anonymous - 1;
        bool ours = (strncmp(name, anonymous, sizeof anonymous - 1) == 0 && *number &&
                     number[strspn(number, "0123456789")] == '\0') ||
                    lw_cl_is_given_header(name);
        /* Names that only this process, or this moment, gives a meaning. */
        good = ours || (strncmp(name, "/proc/", 6) != 0 && strncmp(name, "/dev/", 5) != 0);
        if (!ours && good && !has_word(&search->files, name)) {
            const char *slash = strrchr(name, '/');
            add_folder(search, slash ? name : ".", slash ? (size_t)(slash - name) : 1);
            lw_cl_add_word(&search->files, name);
        }
    }
    free(name);
    return good && at && search->files.count + search->folders.count < MAX_RECORDS;
}

/* ---- Records ---- */

static void
add_record(struct lw_cl_words *out, const char *head, const char *path)
{
    char *record = malloc(strlen(head) + strlen(path) + 1);
    if (record) {
        strcpy(record, head);
        strcat(record, path);
        lw_cl_add_word(out, record);
    } else {
        out->failed = true;
    }
    free(record);
}

/* Clang's own, which the compiler's part of the key stands for. */
static bool
is_clangs(const char *path, const struct lw_cl_options *options)
{
    const char *leaf = strrchr(path, '/');
    if (!leaf || !strstr(path, "/clang/") || strcmp(leaf, "/opencl-c-base.h") != 0)
        return false;
    for (const char *word = options->compiler; *word; word += strlen(word) + 1)
        if (strncmp(word, "-I", 2) == 0 && strncmp(path, word + 2, (size_t)(leaf - path)) == 0)
            return false;
    return true;
}

static bool
add_content(struct lw_cl_words *out, const char *path, const struct timespec *start, struct asked *asked)
{
    struct stat status;
    size_t size;
    char head[DIGEST_DIGITS + 2] = "f", *text = read_whole(path, &status, &size);
    /* What was written since may not be what clang read. */
    bool good = text && is_older(&status.st_mtim, start) && is_older(&status.st_ctim, start);
    if (good) {
        look_for_questions(text, asked);
        digest(text, size, head + 1);
        add_record(out, head, path);
    }
    free(text);
    return good;
}

/* By which names was the file perhaps asked for? In all other folders these have no file. */
static bool
add_absences(struct lw_cl_words *out, const struct lw_cl_words *folders, const char *path)
{
    const char *folder = folders->text;
    for (size_t i = 0; i < folders->count; i++, folder += strlen(folder) + 1) {
        size_t length = strlen(folder);
        if (strncmp(path, folder, length) != 0 || path[length] != '/')
            continue;
        const char *other = folders->text;
        for (size_t k = 0; k < folders->count; k++, other += strlen(other) + 1) {
            char *there = k == i ? NULL : malloc(strlen(other) + strlen(path + length) + 1);
            if (there) {
                strcpy(there, other);
                strcat(there, path + length);
                if (is_absent(there))
                    add_record(out, "a", there);
            }
            free(there);
        }
    }
    return out->count < MAX_RECORDS;
}

bool
lw_cl_list_dependencies(cl_program program, const struct lw_cl_source *source, const char *rule,
                        const struct timespec *start, struct lw_cl_words *out)
{
    struct search search = {0};
    struct asked asked = questions_of(program, source);
    bool good = !asked.whole && add_option_folders(&search, source->options) && read_rule(&search, rule);
    const char *path = search.files.text;
    for (size_t i = 0; good && i < search.files.count; i++, path += strlen(path) + 1) {
        if (!is_clangs(path, source->options))
            good = add_content(out, path, start, &asked);
        good = good && add_absences(out, &search.folders, path);
    }
    good = good && !asked.whole && !(asked.beginning && asked.pastes) && !search.files.failed &&
           !search.folders.failed && !out->failed;
    free(search.folders.text);
    free(search.files.text);
    return good;
}

static bool
record_holds(const char *record)
{
    struct stat status;
    size_t size;
    char digits[DIGEST_DIGITS + 1];
    if (record[0] == 'a')
        return is_absent(record + 1);
    if (record[0] != 'f' || strlen(record) <= DIGEST_DIGITS + 1)
        return false;
    char *text = read_whole(record + 1 + DIGEST_DIGITS, &status, &size);
    if (!text)
        return false;
    digest(text, size, digits);
    free(text);
    return strncmp(digits, record + 1, DIGEST_DIGITS) == 0;
}

bool
lw_cl_dependencies_hold(const char *list, size_t size)
{
    for (const char *end = list + size; list < end; list += strlen(list) + 1)
        if (!record_holds(list))
            return false;
    return true;
}

bool
lw_cl_has_relative_folder(const struct lw_cl_options *options)
{
    for (const char *word = options->compiler; *word; word += strlen(word) + 1)
        if (strncmp(word, "-I", 2) == 0 && word[2] != '/')
            return true;
    return false;
}
