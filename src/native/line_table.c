/* SPDX-License-Identifier: MIT */
/* The line number program of an object (DWARF 4, chapter 6.2), run over the addresses that its sections have.
 *
 * Enters: a relocatable object for x86-64, or damaged bytes. Leaves: rows sorted by address. Relies on:
 * nothing in the input; every read is checked against what is left. Never: runs longer than in the object's
 * size.
 */
#include "line_table.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 4, MOST_FILES = 65536, ADDRESS_BYTES = 8 };
enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, SET_COLUMN, NEGATE, BASIC, CONST_ADD_PC, FIXED_ADVANCE };
enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };

/* Bytes, and how far they are read; past their end everything is 0. */
struct bytes {
    const uint8_t *data;
    size_t size, at;
    bool bad;
};

struct reader {
    struct bytes object;
    const uint64_t *addresses;
    unsigned sections;
    uint64_t section_offset;
    struct bytes relocations, symbols;
    struct lw_line_table *table;
    size_t room;
    bool failed; /* no memory */
};

/* ---- Bytes ---- */

static uint64_t
take(struct bytes *b, size_t count)
{
    uint64_t value = 0;
    if (b->bad || b->size - b->at < count) {
        b->bad = true;
        return 0;
    }
    memcpy(&value, b->data + b->at, count);
    b->at += count;
    return value;
}

static uint64_t
take_leb(struct bytes *b, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    for (uint64_t byte = 0x80; byte & 0x80 && !b->bad; shift += 7) {
        byte = take(b, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        if (is_signed && !(byte & 0x80) && byte & 0x40 && shift + 7 < 64)
            value |= ~0ull << (shift + 7);
    }
    return value;
}

static const char *
take_text(struct bytes *b)
{
    const char *text = (const char *)b->data + b->at;
    size_t length = b->bad ? 0 : strnlen(text, b->size - b->at);
    if (b->bad || b->at + length == b->size) {
        b->bad = true;
        return "";
    }
    b->at += length + 1;
    return text;
}

static struct bytes
part_of(struct bytes whole, uint64_t at, uint64_t size)
{
    if (at > whole.size || size > whole.size - at)
        return (struct bytes){.bad = true};
    return (struct bytes){.data = whole.data + at, .size = size};
}

/* ---- The object ---- */

static bool
section_at(const struct reader *r, unsigned index, Elf64_Shdr *out)
{
    struct bytes header = part_of(r->object, r->section_offset + (uint64_t)index * sizeof *out, sizeof *out);
    if (header.bad || index >= r->sections)
        return false;
    memcpy(out, header.data, sizeof *out);
    return true;
}

static struct bytes
contents(const struct reader *r, const Elf64_Shdr *section)
{
    return section->sh_type == SHT_NOBITS ? (struct bytes){.bad = true}
                                          : part_of(r->object, section->sh_offset, section->sh_size);
}

/* The section of that name; false: there is none. */
static bool
find_section(const struct reader *r, const char *name, Elf64_Shdr *out)
{
    Elf64_Ehdr h;
    Elf64_Shdr names;
    memcpy(&h, r->object.data, sizeof h);
    if (!section_at(r, h.e_shstrndx, &names))
        return false;
    struct bytes texts = contents(r, &names);
    for (unsigned i = 0; i < r->sections && !texts.bad; i++) {
        if (!section_at(r, i, out) || out->sh_name >= texts.size)
            return false;
        texts.at = out->sh_name;
        if (!strcmp(take_text(&texts), name))
            return true;
    }
    return false;
}

/* The address that the relocation at this offset of the line section means; 0: none. Those of one sequence
 * after the other are sorted. */
static uint64_t
relocated(struct reader *r, uint64_t offset)
{
    Elf64_Rela rela;
    Elf64_Sym symbol;
    for (struct bytes *b = &r->relocations; b->size - b->at >= sizeof rela && !b->bad; b->at += sizeof rela) {
        memcpy(&rela, b->data + b->at, sizeof rela);
        if (rela.r_offset < offset)
            continue;
        struct bytes entry =
            part_of(r->symbols, (uint64_t)ELF64_R_SYM(rela.r_info) * sizeof symbol, sizeof symbol);
        if (rela.r_offset != offset || entry.bad || ELF64_R_TYPE(rela.r_info) != R_X86_64_64)
            return 0;
        memcpy(&symbol, entry.data, sizeof symbol);
        uint64_t base = symbol.st_shndx < r->sections ? r->addresses[symbol.st_shndx] : 0;
        return base ? base + symbol.st_value + (uint64_t)rela.r_addend : 0;
    }
    return 0;
}

/* ---- The table ---- */

static void
add_row(struct reader *r, uint64_t address, uint64_t file, uint64_t line)
{
    struct lw_line_table *t = r->table;
    if (t->row_count == r->room) {
        size_t room = r->room ? 2 * r->room : 256;
        struct lw_line_row *grown = realloc(t->rows, room * sizeof *grown);
        if (!grown) {
            r->failed = true;
            return;
        }
        t->rows = grown;
        r->room = room;
    }
    bool known = file >= 1 && file <= t->file_count && line <= UINT32_MAX;
    t->rows[t->row_count++] =
        (struct lw_line_row){(uintptr_t)address, known ? (uint32_t)line : 0, known ? (uint32_t)file - 1 : 0};
}

static void
add_file(struct reader *r, const char *folder, const char *name)
{
    struct lw_line_table *t = r->table;
    char **grown = realloc(t->files, (t->file_count + 1) * sizeof *grown), *path = NULL;
    if (grown)
        t->files = grown;
    bool apart = *folder && *name != '/';
    if (!grown || asprintf(&path, "%s%s%s", apart ? folder : "", apart ? "/" : "", name) < 0) {
        r->failed = true;
        return;
    }
    t->files[t->file_count++] = path;
}

static void
read_files(struct reader *r, struct bytes *b)
{
    size_t folders = b->at, count = 0;
    while (*take_text(b) && !b->bad)
        count++;
    for (const char *name; *(name = take_text(b)) && !b->bad && r->table->file_count < MOST_FILES;) {
        uint64_t folder = take_leb(b, false);
        take_leb(b, false);
        take_leb(b, false);
        struct bytes at = *b;
        at.at = folders;
        const char *path = "";
        for (uint64_t k = 0; k < folder && folder <= count; k++)
            path = take_text(&at);
        add_file(r, path, name);
    }
}

/* ---- The program ---- */

struct header {
    uint8_t least_bytes, line_range, opcode_base;
    int8_t line_base;
    const uint8_t *lengths; /* operands of the standard opcodes */
};

struct state {
    uint64_t address, file, line;
};

static void
special(struct reader *r, const struct header *h, struct state *s, uint8_t opcode)
{
    unsigned by = opcode - h->opcode_base;
    s->address += by / h->line_range * h->least_bytes;
    s->line += (uint64_t)(int64_t)(h->line_base + (int)(by % h->line_range));
    add_row(r, s->address, s->file, s->line);
}

static void
extended(struct reader *r, struct bytes *b, struct state *s, uint64_t place)
{
    uint64_t length = take_leb(b, false);
    struct bytes own = part_of(*b, b->at, length);
    uint64_t operand = place + b->at + 1;
    if (own.bad || !length) {
        b->bad = true;
        return;
    }
    b->at += length;
    uint8_t what = (uint8_t)take(&own, 1);
    if (what == SET_ADDRESS && own.size - own.at == ADDRESS_BYTES) {
        s->address = relocated(r, operand);
    } else if (what == END_SEQUENCE) {
        add_row(r, s->address, 0, 0);
        *s = (struct state){.file = 1, .line = 1};
    }
}

static void
standard(struct reader *r, const struct header *h, struct bytes *b, struct state *s, uint8_t opcode)
{
    switch (opcode) {
    case COPY: add_row(r, s->address, s->file, s->line); break;
    case ADVANCE_PC: s->address += take_leb(b, false) * h->least_bytes; break;
    case ADVANCE_LINE: s->line += take_leb(b, true); break;
    case SET_FILE: s->file = take_leb(b, false); break;
    case CONST_ADD_PC: s->address += (255u - h->opcode_base) / h->line_range * h->least_bytes; break;
    case FIXED_ADVANCE: s->address += take(b, 2); break;
    default:
        for (unsigned k = 0; k < h->lengths[opcode - 1]; k++)
            take_leb(b, false);
    }
}

/* One unit's; `place`: where in the section its bytes begin. */
static void
read_unit(struct reader *r, struct bytes b, uint64_t place)
{
    struct header h;
    uint64_t version = take(&b, 2), header_bytes = take(&b, 4), program = b.at + header_bytes;
    h.least_bytes = (uint8_t)take(&b, 1);
    take(&b, 2); /* operations in an instruction; is_stmt */
    h.line_base = (int8_t)take(&b, 1);
    h.line_range = (uint8_t)take(&b, 1);
    h.opcode_base = (uint8_t)take(&b, 1);
    struct bytes lengths = part_of(b, b.at, h.opcode_base ? h.opcode_base - 1u : 0);
    if (version != VERSION || b.bad || lengths.bad || !h.line_range || !h.opcode_base)
        return;
    h.lengths = lengths.data;
    b.at += lengths.size;
    read_files(r, &b);
    if (program < b.at || program > b.size)
        return;
    b.at = program;
    struct state s = {.file = 1, .line = 1};
    while (b.at < b.size && !b.bad && !r->failed) {
        uint8_t opcode = (uint8_t)take(&b, 1);
        if (opcode >= h.opcode_base)
            special(r, &h, &s, opcode);
        else if (opcode)
            standard(r, &h, &b, &s, opcode);
        else
            extended(r, &b, &s, place);
    }
}

static int
compare_rows(const void *a, const void *b)
{
    const struct lw_line_row *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->line != 0) - (y->line != 0); /* an end comes before what begins there */
}

static bool
read_object(struct reader *r)
{
    Elf64_Ehdr h;
    Elf64_Shdr lines, relocations, symbols;
    if (r->object.size < sizeof h)
        return false;
    memcpy(&h, r->object.data, sizeof h);
    r->sections = h.e_shnum;
    r->section_offset = h.e_shoff;
    if (h.e_shentsize != sizeof lines || !find_section(r, ".debug_line", &lines))
        return false;
    if (!find_section(r, ".rela.debug_line", &relocations) || !section_at(r, relocations.sh_link, &symbols))
        return false;
    struct bytes b = contents(r, &lines);
    r->relocations = contents(r, &relocations);
    r->symbols = contents(r, &symbols);
    uint64_t length = take(&b, 4); /* code generation makes one unit */
    if (!b.bad && !r->relocations.bad && !r->symbols.bad && length <= b.size - b.at)
        read_unit(r, part_of(b, b.at, length), b.at);
    return !r->failed && r->table->row_count;
}

struct lw_line_table *
lw_line_table_read(const void *object, size_t size, const uint64_t *addresses)
{
    struct reader r = {.object = {.data = object, .size = size}, .addresses = addresses,
                       .table = calloc(1, sizeof *r.table)};
    if (!r.table)
        return NULL;
    if (!read_object(&r)) {
        lw_line_table_free(r.table);
        return NULL;
    }
    qsort(r.table->rows, r.table->row_count, sizeof *r.table->rows, compare_rows);
    return r.table;
}

const struct lw_line_row *
lw_line_table_find(const struct lw_line_table *table, uintptr_t address)
{
    size_t low = 0, high = table ? table->row_count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->rows[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && table->rows[low - 1].line ? &table->rows[low - 1] : NULL;
}

void
lw_line_table_free(struct lw_line_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->file_count; i++)
        free(table->files[i]);
    free(table->files);
    free(table->rows);
    free(table);
}
