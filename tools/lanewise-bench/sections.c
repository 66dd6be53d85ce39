/* SPDX-License-Identifier: MIT */
/* Files with several descriptions: `name NAME` begins each, what stands before the first belongs to all.
 * `name NAME like OTHER [FROM=TO]` takes the lines of OTHER too, but for those that NAME has itself, with TO
 * for the type FROM and for vectors of it; its kernel is OTHER's. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "description.h"
#include "text.h"

/* A line of a file, without its comment. */
struct line {
    char *text, *word; /* its first word; NULL: none */
    char *name;        /* of the section that it is in; NULL: all */
};

struct lines {
    struct line *items;
    size_t count;
};

static void
lines_free(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->items[i].text);
        free(lines->items[i].word);
        free(lines->items[i].name);
    }
    free(lines->items);
}

/* The word of a line with that number; NULL: it has fewer. */
static char *
line_word(const char *line, unsigned which)
{
    for (; *line; which--) {
        size_t length = strcspn(line += strspn(line, " \t\r"), " \t\r");

        if (!which)
            return length ? text_make("%.*s", (int)length, line) : NULL;
        line += length;
    }
    return NULL;
}

static struct lines
lines_split(const char *text)
{
    struct lines lines = {0};
    const char *name = NULL;

    while (*text) {
        size_t length = strcspn(text, "\n");
        struct line line = {.text = text_make("%.*s", (int)length, text)};

        line.text[strcspn(line.text, "#")] = 0;
        line.word = line_word(line.text, 0);
        if (line.word && !strcmp(line.word, "name") && (line.name = line_word(line.text, 1)))
            name = line.name;
        else
            line.name = name ? text_copy(name) : NULL;
        lines.items = memory_grow(lines.items, (lines.count + 1) * sizeof *lines.items);
        lines.items[lines.count++] = line;
        text += length + (text[length] == '\n');
    }
    return lines;
}

static bool
is_name(const struct line *line)
{
    return line->word && !strcmp(line->word, "name");
}

char **
description_sections(const char *path, char *error, size_t error_bytes)
{
    char *text = file_read(path, NULL), **sections = memory_get(sizeof *sections);
    struct lines lines;
    size_t count = 0;

    if (!text) {
        snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
        free(sections);
        return NULL;
    }
    lines = lines_split(text);
    free(text);
    for (size_t i = 0; i < lines.count; i++)
        if (is_name(&lines.items[i]) && lines.items[i].name) {
            sections = memory_grow(sections, (count + 2) * sizeof *sections);
            sections[count++] = text_copy(lines.items[i].name);
            sections[count] = NULL;
        }
    lines_free(&lines);
    return sections;
}

void
description_sections_free(char **sections)
{
    for (size_t i = 0; sections && sections[i]; i++)
        free(sections[i]);
    free(sections);
}

static bool
in_section(const struct line *line, const char *name)
{
    return line->name && name && !strcmp(line->name, name);
}

/* Whether a section has a line that begins like this one; of `local` lines the sizes, not the arguments. */
static bool
has_such_line(const struct lines *lines, const char *section, const char *word, const char *text)
{
    for (size_t i = 0; i < lines->count; i++)
        if (in_section(&lines->items[i], section) && lines->items[i].word &&
            !strcmp(lines->items[i].word, word) && !strchr(lines->items[i].text, '[') == !strchr(text, '['))
            return true;
    return false;
}

/* The line with the type `to` for `from`, in vectors too. */
static void
add_replaced(struct text *out, const char *line, const char *from, const char *to)
{
    size_t length = strlen(from);

    for (const char *at = line; *at; at++) {
        bool begins = at == line || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');

        if (length && begins && !strncmp(at, from, length) && !isalpha((unsigned char)at[length]) &&
            at[length] != '_') {
            text_add(out, "%s", to);
            at += length - 1;
        } else {
            text_add_bytes(out, at, 1);
        }
    }
}

/* What `name NAME like OTHER FROM=TO` says. */
struct likeness {
    char *other, *from, *to;
};

static bool
read_likeness(const struct lines *lines, const char *section, struct likeness *like, unsigned *wrong)
{
    for (size_t i = 0; i < lines->count; i++) {
        const char *text = lines->items[i].text;
        char *word, *extra, *equals;
        bool good, found = false;

        *wrong = (unsigned)i + 1;
        if (is_name(&lines->items[i]) && !lines->items[i].name)
            return false;
        if (!is_name(&lines->items[i]) || !in_section(&lines->items[i], section) ||
            !(word = line_word(text, 2)))
            continue;
        like->other = line_word(text, 3);
        like->from = line_word(text, 4);
        extra = line_word(text, 5);
        equals = like->from ? strchr(like->from, '=') : NULL;
        if (equals) {
            *equals = 0;
            like->to = equals + 1;
        }
        good = !strcmp(word, "like") && like->other && strcmp(like->other, section) && !extra &&
               (!like->from || equals);
        for (size_t k = 0; k < lines->count && like->other; k++)
            found |= in_section(&lines->items[k], like->other);
        free(word);
        free(extra);
        return good && found;
    }
    return true;
}

char *
section_text(const char *whole, const char *section, unsigned *wrong)
{
    struct lines lines = lines_split(whole);
    struct likeness like = {0};
    struct text out = {0};
    bool good = read_likeness(&lines, section, &like, wrong);

    text_add(&out, "%s", "");
    for (size_t i = 0; i < lines.count && good; i++) {
        const struct line *line = &lines.items[i];
        bool own = in_section(line, section), others = in_section(line, like.other);

        if (own && is_name(line)) {
            if (like.other && !has_such_line(&lines, section, "kernel", "") &&
                !has_such_line(&lines, like.other, "kernel", ""))
                text_add(&out, "kernel %s", like.other);
        } else if (!line->name || own) {
            text_add(&out, "%s", line->text);
        } else if (others && line->word && !is_name(line) &&
                   (!strcmp(line->word, "buffer") || !strcmp(line->word, "value") ||
                    !has_such_line(&lines, section, line->word, line->text))) {
            add_replaced(&out, line->text, like.from ? like.from : "", like.to ? like.to : "");
        }
        text_add(&out, "\n");
    }
    lines_free(&lines);
    free(like.other);
    free(like.from);
    if (good)
        return text_take(&out);
    text_free(&out);
    return NULL;
}
