/* SPDX-License-Identifier: MIT */
/* The loader of relocatable objects: sections laid out, relocations of a few kinds applied, calls outside to
 * a fixed table only.
 *
 * Enters: the bytes of an object that code generation made, or damaged ones.
 * Leaves: [text, stubs | read-only data, addresses of functions outside | data], each on pages of its own.
 * Relies on: nothing in the input. Every offset is checked before it is used; the work is linear in the size.
 * Never: maps memory that is writable and executable at once; looks a name up in the process.
 *
 * What code generation makes of position-independent code of the small model, 2 GiB at most, has relative
 * references to its own sections and calls. Functions outside may lie farther away: each gets an address in
 * the read-only part and a stub that jumps there.
 */
#include "object_loader.h"
#include "gdb.h"
#include "line_table.h"

#include "library_calls.def"

#include <elf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u
#define MOST_SECTIONS 4096u
#define MOST_BYTES ((uint64_t)1 << 30)
#define MOST_ZEROED ((uint64_t)64 << 20)
#define STUB_BYTES 8u
#define SLOT_BYTES 8u

/* Only their addresses are wanted; their types use what C17 does not name. */
#define X(f) extern void f(void);
LW_COMPILER_CALLS(X)
#undef X

static const struct {
    const char *name;
    void *address;
} calls[] = {
#define X(f) {#f, (void *)(uintptr_t)f},
    LW_COMPILER_CALLS(X) LW_LIBRARY_CALLS(X)
#undef X
};

enum region { TEXT, CONSTANT, DATA, REGIONS, NOWHERE = REGIONS };

/* Where a section goes: offset in its region. */
struct place {
    enum region region;
    uint64_t offset, size;
    bool zeroed;
};

/* What a symbol needs beside its value. */
struct need {
    uint32_t stub, slot; /* number + 1, 0: none */
    void *outside;       /* the address of a function outside, NULL: defined here */
};

struct load {
    const uint8_t *bytes;
    size_t size;
    const char **why;
    unsigned sections;
    uint64_t section_offset;
    struct place *places; /* by section */
    unsigned symbol_section;
    uint64_t symbols, symbol_offset;
    const char *names;
    uint64_t names_size;
    struct need *needs; /* by symbol */
    uint32_t stubs, slots;
    uint64_t stub_offset, slot_offset;     /* in TEXT, in CONSTANT */
    uint64_t used[REGIONS], base[REGIONS]; /* bytes, and where the region begins in the mapping */
    uint8_t *image;
    struct lw_loaded *loaded;
};

static bool
refuse(const struct load *l, const char *why)
{
    *l->why = why;
    return false;
}

/* Is [offset, offset + size) inside the object? */
static bool
inside(const struct load *l, uint64_t offset, uint64_t size)
{
    return offset <= l->size && size <= l->size - offset;
}

/* ---- reading; offsets are known to be inside ---- */

static Elf64_Shdr
section_at(const struct load *l, unsigned index)
{
    Elf64_Shdr s;
    memcpy(&s, l->bytes + l->section_offset + (uint64_t)index * sizeof s, sizeof s);
    return s;
}

static Elf64_Sym
symbol_at(const struct load *l, uint64_t index)
{
    Elf64_Sym s;
    memcpy(&s, l->bytes + l->symbol_offset + index * sizeof s, sizeof s);
    return s;
}

static bool
read_header(struct load *l)
{
    Elf64_Ehdr h;
    if (l->size < sizeof h)
        return refuse(l, "the object is too short");
    memcpy(&h, l->bytes, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_type != ET_REL || h.e_machine != EM_X86_64 ||
        h.e_shentsize != sizeof(Elf64_Shdr))
        return refuse(l, "no relocatable object for x86-64");
    if (h.e_shnum == 0 || h.e_shnum > MOST_SECTIONS ||
        !inside(l, h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr)))
        return refuse(l, "the section table is not inside the object");
    l->sections = h.e_shnum;
    l->section_offset = h.e_shoff;
    return true;
}

static bool
read_symbols(struct load *l, unsigned index)
{
    Elf64_Shdr s = section_at(l, index);
    if (l->symbol_section)
        return refuse(l, "two symbol tables");
    if (s.sh_entsize != sizeof(Elf64_Sym) || s.sh_link >= l->sections || !inside(l, s.sh_offset, s.sh_size))
        return refuse(l, "the symbol table is damaged");
    Elf64_Shdr names = section_at(l, s.sh_link);
    if (names.sh_type != SHT_STRTAB || names.sh_size == 0 || !inside(l, names.sh_offset, names.sh_size) ||
        l->bytes[names.sh_offset + names.sh_size - 1] != '\0')
        return refuse(l, "the symbols' names are damaged");
    l->symbol_section = index;
    l->symbols = s.sh_size / sizeof(Elf64_Sym);
    l->symbol_offset = s.sh_offset;
    l->names = (const char *)l->bytes + names.sh_offset;
    l->names_size = names.sh_size;
    return true;
}

/* ---- laying out ---- */

/* Which region a section belongs to; NOWHERE: it is not loaded. Unwind tables are not: nothing unwinds. */
static bool
choose_region(const struct load *l, const Elf64_Shdr *s, enum region *region)
{
    const uint64_t known = SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR | SHF_MERGE | SHF_STRINGS | SHF_INFO_LINK;
    *region = NOWHERE;
    if (!(s->sh_flags & SHF_ALLOC) || s->sh_type == SHT_X86_64_UNWIND || s->sh_type == SHT_NOTE)
        return true;
    if ((s->sh_type != SHT_PROGBITS && s->sh_type != SHT_NOBITS) || (s->sh_flags & ~known))
        return refuse(l, "a section of a kind that the loader does not know");
    if ((s->sh_flags & SHF_EXECINSTR) && ((s->sh_flags & SHF_WRITE) || s->sh_type == SHT_NOBITS))
        return refuse(l, "a section that is writable and executable");
    *region = s->sh_flags & SHF_EXECINSTR ? TEXT : s->sh_flags & SHF_WRITE ? DATA : CONSTANT;
    return true;
}

/* Room in a region; false where the object asks for more than it may. */
static bool
reserve(struct load *l, enum region region, uint64_t size, uint64_t align, uint64_t *offset)
{
    *offset = (l->used[region] + align - 1) & ~(align - 1);
    if (size > MOST_BYTES || *offset + size > MOST_BYTES)
        return refuse(l, "the object is too large");
    l->used[region] = *offset + size;
    return true;
}

static bool
place_sections(struct load *l)
{
    uint64_t copied = 0, zeroed = 0;
    for (unsigned i = 1; i < l->sections; i++) {
        Elf64_Shdr s = section_at(l, i);
        struct place *p = &l->places[i];
        uint64_t align = s.sh_addralign ? s.sh_addralign : 1;
        if (s.sh_type == SHT_SYMTAB && !read_symbols(l, i))
            return false;
        if (!choose_region(l, &s, &p->region))
            return false;
        if (p->region == NOWHERE)
            continue;
        p->size = s.sh_size;
        p->zeroed = s.sh_type == SHT_NOBITS;
        if ((align & (align - 1)) || align > PAGE)
            return refuse(l, "a section's alignment is out of range");
        if (!p->zeroed && !inside(l, s.sh_offset, s.sh_size))
            return refuse(l, "a section is not inside the object");
        uint64_t *sum = p->zeroed ? &zeroed : &copied;
        /* Sections that overlap could ask for far more memory than the object has bytes. */
        if (s.sh_size > (p->zeroed ? MOST_ZEROED : l->size) - *sum)
            return refuse(l, "the sections are larger than the object");
        *sum += s.sh_size;
        if (!reserve(l, p->region, s.sh_size, align, &p->offset))
            return false;
    }
    return l->symbol_section ? true : refuse(l, "no symbol table");
}

/* ---- symbols ---- */

static void *
find_outside(const char *name)
{
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++)
        if (strcmp(calls[k].name, name) == 0)
            return calls[k].address;
    return NULL;
}

/* Checks a symbol that something refers to, and finds it where it is outside. */
static bool
check_symbol(struct load *l, uint64_t index)
{
    if (index == 0 || index >= l->symbols)
        return refuse(l, "a relocation without a symbol");
    Elf64_Sym s = symbol_at(l, index);
    if (s.st_shndx != SHN_UNDEF) {
        if (s.st_shndx >= l->sections || l->places[s.st_shndx].region == NOWHERE ||
            s.st_value > l->places[s.st_shndx].size)
            return refuse(l, "a symbol is in no section that is loaded");
        return true;
    }
    if (l->needs[index].outside)
        return true;
    if (s.st_name >= l->names_size)
        return refuse(l, "a symbol's name is not inside the object");
    l->needs[index].outside = find_outside(l->names + s.st_name);
    return l->needs[index].outside ? true : refuse(l, "the code calls a function that is not in the table");
}

/* The value of a checked symbol. */
static uint64_t
symbol_address(const struct load *l, uint64_t index)
{
    Elf64_Sym s = symbol_at(l, index);
    if (l->needs[index].outside)
        return (uintptr_t)l->needs[index].outside;
    const struct place *p = &l->places[s.st_shndx];
    return (uintptr_t)l->image + l->base[p->region] + p->offset + s.st_value;
}

/* ---- relocations ---- */

/* Calls `act` for each relocation of what is loaded. */
static bool
each_relocation(struct load *l, bool (*act)(struct load *l, const struct place *place, const Elf64_Rela *r))
{
    uint64_t seen = 0;
    for (unsigned i = 1; i < l->sections; i++) {
        Elf64_Shdr s = section_at(l, i);
        if (s.sh_type == SHT_REL)
            return refuse(l, "relocations without addends");
        if (s.sh_type != SHT_RELA)
            continue;
        if (s.sh_info >= l->sections || s.sh_link != l->symbol_section ||
            s.sh_entsize != sizeof(Elf64_Rela) || !inside(l, s.sh_offset, s.sh_size))
            return refuse(l, "a relocation table is damaged");
        if (s.sh_size > l->size - seen) /* tables that overlap would cost a multiple of the size */
            return refuse(l, "the relocations are larger than the object");
        seen += s.sh_size;
        const struct place *place = &l->places[s.sh_info];
        if (place->region == NOWHERE)
            continue;
        if (place->zeroed)
            return refuse(l, "relocations of a section without contents");
        for (uint64_t k = 0; k < s.sh_size / sizeof(Elf64_Rela); k++) {
            Elf64_Rela r;
            memcpy(&r, l->bytes + s.sh_offset + k * sizeof r, sizeof r);
            if (ELF64_R_TYPE(r.r_info) != R_X86_64_NONE && !act(l, place, &r))
                return false;
        }
    }
    return true;
}

/* Bytes that a relocation writes; 0: of no kind that the loader does. */
static unsigned
width_of(uint64_t type)
{
    switch (type) {
    case R_X86_64_64:
    case R_X86_64_PC64:
        return 8;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        return 4;
    default:
        return 0;
    }
}

static bool
wants_slot(uint64_t type)
{
    return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
}

/* First round: is it well-formed, and what does it need? */
static bool
check_relocation(struct load *l, const struct place *place, const Elf64_Rela *r)
{
    uint64_t type = ELF64_R_TYPE(r->r_info), index = ELF64_R_SYM(r->r_info);
    unsigned width = width_of(type);
    if (!width)
        return refuse(l, "a relocation of a kind that the loader does not do");
    if (r->r_offset > place->size || width > place->size - r->r_offset)
        return refuse(l, "a relocation outside its section");
    if (!check_symbol(l, index))
        return false;
    struct need *need = &l->needs[index];
    bool stub = need->outside && !wants_slot(type) && width == 4;
    if ((stub || wants_slot(type)) && !need->slot)
        need->slot = ++l->slots;
    if (stub && !need->stub)
        need->stub = ++l->stubs;
    return true;
}

/* Second round, in the mapping. */
static bool
apply_relocation(struct load *l, const struct place *place, const Elf64_Rela *r)
{
    uint64_t type = ELF64_R_TYPE(r->r_info), index = ELF64_R_SYM(r->r_info);
    const struct need *need = &l->needs[index];
    uint8_t *at = l->image + l->base[place->region] + place->offset + r->r_offset;
    uint64_t value = symbol_address(l, index);
    if (wants_slot(type))
        value = (uintptr_t)l->image + l->base[CONSTANT] + l->slot_offset +
                (need->slot - 1) * (uint64_t)SLOT_BYTES;
    else if (need->stub && width_of(type) == 4)
        value =
            (uintptr_t)l->image + l->base[TEXT] + l->stub_offset + (need->stub - 1) * (uint64_t)STUB_BYTES;
    value += (uint64_t)r->r_addend;
    if (type != R_X86_64_64)
        value -= (uintptr_t)at;
    if (width_of(type) == 8) {
        memcpy(at, &value, 8);
        return true;
    }
    if (value + 0x80000000u > UINT32_MAX)
        return refuse(l, "a relocation out of reach");
    uint32_t low = (uint32_t)value;
    memcpy(at, &low, 4);
    return true;
}

/* ---- the image ---- */

static bool
map_image(struct load *l)
{
    uint64_t total = 0;
    if (!reserve(l, TEXT, (uint64_t)l->stubs * STUB_BYTES, 16, &l->stub_offset) ||
        !reserve(l, CONSTANT, (uint64_t)l->slots * SLOT_BYTES, SLOT_BYTES, &l->slot_offset))
        return false;
    for (unsigned r = 0; r < REGIONS; r++) {
        l->base[r] = total;
        total += (l->used[r] + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    }
    if (total == 0 || total > MOST_BYTES)
        return refuse(l, "the object is empty, or too large");
    void *image = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (image == MAP_FAILED)
        return refuse(l, "no memory for code");
    l->image = image;
    l->loaded->base = image;
    l->loaded->bytes = total;
    l->loaded->text = (char *)image + l->base[TEXT];
    l->loaded->text_bytes = l->used[TEXT];
    return true;
}

static void
fill_image(struct load *l)
{
    for (unsigned i = 1; i < l->sections; i++) {
        const struct place *p = &l->places[i];
        if (p->region != NOWHERE && !p->zeroed && p->size)
            memcpy(l->image + l->base[p->region] + p->offset, l->bytes + section_at(l, i).sh_offset, p->size);
    }
    for (uint64_t i = 0; i < l->symbols; i++) {
        const struct need *need = &l->needs[i];
        if (!need->slot)
            continue;
        uint8_t *slot =
            l->image + l->base[CONSTANT] + l->slot_offset + (need->slot - 1) * (uint64_t)SLOT_BYTES;
        uint64_t value = symbol_address(l, i);
        memcpy(slot, &value, sizeof value);
        if (!need->stub)
            continue;
        /* jmp *slot(%rip) */
        uint8_t *stub = l->image + l->base[TEXT] + l->stub_offset + (need->stub - 1) * (uint64_t)STUB_BYTES;
        uint32_t distance = (uint32_t)(slot - (stub + 6));
        stub[0] = 0xff;
        stub[1] = 0x25;
        memcpy(stub + 2, &distance, sizeof distance);
    }
}

static bool
protect_image(const struct load *l)
{
    static const int protections[REGIONS] = {PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};
    for (unsigned r = 0; r < DATA; r++) {
        uint64_t bytes = (l->used[r] + PAGE - 1) & ~(uint64_t)(PAGE - 1);
        if (bytes && mprotect(l->image + l->base[r], bytes, protections[r]) != 0)
            return refuse(l, "this process may not make memory executable");
    }
    return true;
}

static bool
find_entry(struct load *l, const char *symbol)
{
    for (uint64_t i = 1; i < l->symbols; i++) {
        Elf64_Sym s = symbol_at(l, i);
        if (s.st_name >= l->names_size || strcmp(l->names + s.st_name, symbol) != 0)
            continue;
        if (s.st_shndx == SHN_UNDEF || !check_symbol(l, i) || l->places[s.st_shndx].region != TEXT ||
            s.st_value >= l->places[s.st_shndx].size)
            return refuse(l, "the function is not in the code");
        l->loaded->entry = (void *)(uintptr_t)symbol_address(l, i);
        return true;
    }
    return refuse(l, "the object does not have the function");
}

static bool
load(struct load *l, const char *symbol)
{
    if (!read_header(l))
        return false;
    l->places = malloc(l->sections * sizeof *l->places);
    if (!l->places)
        return refuse(l, "no memory");
    for (unsigned i = 0; i < l->sections; i++)
        l->places[i] = (struct place){.region = NOWHERE};
    if (!place_sections(l))
        return false;
    l->needs = calloc(l->symbols ? l->symbols : 1, sizeof *l->needs);
    if (!l->needs)
        return refuse(l, "no memory");
    if (!each_relocation(l, check_relocation) || !map_image(l))
        return false;
    fill_image(l);
    return each_relocation(l, apply_relocation) && find_entry(l, symbol) && protect_image(l);
}

/* Where the sections lie: for debuggers, who may be told later. */
static bool
keep_addresses(struct load *l)
{
    uint64_t *addresses = calloc(l->sections, sizeof *addresses);
    for (unsigned i = 0; i < l->sections && addresses; i++) {
        const struct place *p = &l->places[i];
        if (p->region != NOWHERE)
            addresses[i] = (uintptr_t)l->image + l->base[p->region] + p->offset;
    }
    l->loaded->addresses = addresses;
    return addresses || refuse(l, "no memory");
}

bool
lw_object_load(const void *object, size_t size, const char *symbol, struct lw_loaded *loaded,
               const char **why)
{
    struct load l = {.bytes = object, .size = size, .why = why, .loaded = loaded};
    *loaded = (struct lw_loaded){0};
    *why = "";
    bool good = load(&l, symbol) && keep_addresses(&l);
    free(l.places);
    free(l.needs);
    if (!good)
        lw_object_unload(loaded);
    return good;
}

/* Its own copy with the sections' addresses, as debuggers read it: they apply the relocations of debug
 * sections. */
void
lw_object_tell_debugger(struct lw_loaded *loaded, const void *object, size_t size)
{
    struct load l = {.bytes = object, .size = size, .why = &(const char *){""}};
    uint8_t *copy = loaded->addresses && read_header(&l) ? malloc(size) : NULL;
    if (!copy)
        return;
    memcpy(copy, object, size);
    for (unsigned i = 0; i < l.sections; i++)
        memcpy(copy + l.section_offset + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr),
               &loaded->addresses[i], sizeof loaded->addresses[i]);
    loaded->told = lw_gdb_register(copy, size);
}

void
lw_object_keep_lines(struct lw_loaded *loaded, const void *object, size_t size)
{
    if (loaded->addresses)
        loaded->lines = lw_line_table_read(object, size, loaded->addresses);
}

void
lw_object_unload(struct lw_loaded *loaded)
{
    lw_line_table_free(loaded->lines);
    lw_gdb_unregister(loaded->told);
    free(loaded->addresses);
    if (loaded->base)
        munmap(loaded->base, loaded->bytes);
    *loaded = (struct lw_loaded){0};
}
