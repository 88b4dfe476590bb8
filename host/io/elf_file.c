/* elf_file.c - see elf_file.h. */
#include "io/elf_file.h"

#include "base/heap.h"
#include "io/decompress.h"

#include <string.h>

#define HELD_FACTOR 4u /* bytes of all sections together, for each byte of the file: sections may overlap */

enum { CLASS_32 = 1, CLASS_64 = 2, LITTLE = 1, BIG = 2, IDENT_BYTES = 16 };
enum { COUNTED_ELSEWHERE = 0xFFFF, RESERVED = 0xFF00 }; /* numbers of sections and segments, and indexes of sections */
enum { BUILD_ID = 3, ZLIB = 1, ZSTD = 2 };

#define NO_BYTES "it cannot be read, or there is no memory"
#define TOO_MANY "with it all that is read has more than four times the bytes of the file"

/* Returns false. */
static bool fail(struct elf_file *elf, uint64_t where, const char *why)
{
    elf->where = where;
    elf->why = why;
    return false;
}

/* ---- headers ----------------------------------------------------------------------------------------------------- */

/* A number that has the size of an address. */
static uint64_t get_word(struct cursor *at, bool is_wide)
{
    return is_wide ? cursor_64(at) : cursor_32(at);
}

static struct elf_section next_section(struct cursor *at, bool is_wide)
{
    struct elf_section section = {.name = "", .name_at = cursor_32(at)};
    section.type = cursor_32(at);
    section.flags = get_word(at, is_wide);
    section.address = get_word(at, is_wide);
    section.offset = get_word(at, is_wide);
    section.size = get_word(at, is_wide);
    section.link = cursor_32(at);
    section.info = cursor_32(at);
    section.alignment = get_word(at, is_wide);
    section.entry = get_word(at, is_wide);
    return section;
}

static struct elf_segment next_segment(struct cursor *at, bool is_wide)
{
    struct elf_segment segment = {.type = cursor_32(at)};
    if (is_wide)
        cursor_skip(at, 4); /* flags */
    segment.offset = get_word(at, is_wide);
    segment.address = get_word(at, is_wide);
    segment.physical = get_word(at, is_wide);
    segment.size = get_word(at, is_wide);
    segment.memory = get_word(at, is_wide);
    if (!is_wide)
        cursor_skip(at, 4); /* flags */
    segment.alignment = get_word(at, is_wide);
    return segment;
}

/* Where the header has no room for a number, it is in the header of the first section. */
static void count_elsewhere(struct elf_file *elf)
{
    struct cursor at = elf->bytes;
    struct elf_section first;
    at.at = elf->sections_at;
    first = next_section(&at, elf->is_wide);
    if (elf->nsections == 0)
        elf->nsections = at.bad ? 1 : first.size; /* 1: then reading it fails */
    if (elf->nsegments == COUNTED_ELSEWHERE && !at.bad)
        elf->nsegments = first.info;
    if (elf->names == COUNTED_ELSEWHERE)
        elf->names = first.link;
}

bool elf_file_open(struct elf_file *elf, struct cursor bytes)
{
    unsigned char ident[IDENT_BYTES];
    struct cursor at = bytes;
    *elf = (struct elf_file){.bytes = bytes, .left = HELD_FACTOR * bytes.end};
    if (!cursor_get(&at, ident, sizeof ident) || memcmp(ident, "\177ELF", 4) != 0)
        return false;
    elf->is_wide = ident[4] == CLASS_64;
    elf->bytes.big = at.big = ident[5] == BIG;
    elf->type = cursor_16(&at);
    elf->machine = cursor_16(&at);
    cursor_skip(&at, elf->is_wide ? 12 : 8); /* version, entry */
    elf->segments_at = get_word(&at, elf->is_wide);
    elf->sections_at = get_word(&at, elf->is_wide);
    cursor_skip(&at, 6); /* flags, size of this header */
    elf->segment_bytes = cursor_16(&at);
    elf->nsegments = cursor_16(&at);
    elf->section_bytes = cursor_16(&at);
    elf->nsections = cursor_16(&at);
    elf->names = cursor_16(&at);
    if ((ident[4] != CLASS_32 && !elf->is_wide) || (ident[5] != LITTLE && !elf->bytes.big))
        return fail(elf, 4, "its header tells neither 32 nor 64 bits, or no byte order");
    if (at.bad)
        return fail(elf, bytes.end, "it ends in its header");
    if (elf->sections_at != 0)
        count_elsewhere(elf);
    return true;
}

/* ---- what sections hold ------------------------------------------------------------------------------------------ */

/* Put what is decompressed in the place of the compressed bytes. Returns what is wrong, or NULL. */
static const char *unpack(struct elf_file *elf, struct elf_section *section)
{
    struct cursor at = cursor_in_memory(section->bytes, section->n, elf->bytes.big);
    uint32_t how = cursor_32(&at);
    const char *why = NO_BYTES;
    unsigned char *to;
    uint64_t size;
    if (elf->is_wide)
        cursor_skip(&at, 4);
    size = get_word(&at, elf->is_wide);
    get_word(&at, elf->is_wide); /* alignment */
    if (at.bad || (how != ZLIB && how != ZSTD))
        return "it is compressed in a way that is not known";
    if (size > elf->left)
        return TOO_MANY;
    to = heap_alloc((size_t)size + 1u);
    if (to != NULL)
        why = decompress_block(how == ZSTD, section->bytes + at.at, (size_t)cursor_left(&at), to, (size_t)size);
    if (why != NULL) {
        heap_free(to);
        return why;
    }
    heap_free(section->bytes);
    to[size] = '\0';
    elf->left -= size;
    section->bytes = to;
    section->n = (size_t)size;
    return NULL;
}

/* Returns why it cannot be read, or NULL. */
static const char *load(struct elf_file *elf, struct elf_section *section)
{
    struct cursor at = elf->bytes;
    at.at = section->offset;
    if (section->size > cursor_left(&at))
        return "it ends behind the file";
    if (section->size > elf->left)
        return TOO_MANY;
    section->bytes = (unsigned char *)cursor_copy(&at, section->size, section->size);
    if (section->bytes == NULL)
        return NO_BYTES;
    section->n = (size_t)section->size;
    elf->left -= section->size;
    return (section->flags & ELF_COMPRESSED) != 0 ? unpack(elf, section) : NULL;
}

bool elf_file_load(struct elf_file *elf, struct elf_section *section)
{
    const char *why;
    if (section->bytes != NULL || section->is_skipped || section->size == 0 || section->type == ELF_UNUSED
        || section->type == ELF_NOBITS)
        return section->n > 0;
    why = load(elf, section);
    if (why == NULL)
        return section->n > 0;
    heap_free(section->bytes);
    section->bytes = NULL;
    section->n = 0;
    section->is_skipped = true;
    elf->skipped = section->name;
    elf->nskipped++;
    return fail(elf, section->offset, why);
}

bool elf_file_need(struct elf_file *elf, struct elf_section *section, const char *missing)
{
    elf->why = NULL;
    return elf_file_load(elf, section) || (elf->why == NULL && fail(elf, section->offset, missing));
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Have a table of n headers in memory, each of which must have that size: where to read it, and its bytes, which the
 * caller frees; or NULL. */
static char *hold(struct elf_file *elf, uint64_t where, uint64_t n, unsigned bytes, unsigned must_be, struct cursor *to)
{
    struct cursor at = elf->bytes;
    char *held;
    at.at = where;
    if (n > 0 && bytes != must_be)
        fail(elf, where, "its tables have entries of another size than ELF's");
    else if (where > at.end || n > cursor_left(&at) / must_be)
        fail(elf, where, "its tables end behind the file, which is cut off");
    else if ((held = cursor_copy(&at, n * must_be, n * must_be)) == NULL)
        fail(elf, where, NO_BYTES);
    else {
        *to = cursor_in_memory(held, n * must_be, at.big);
        return held;
    }
    return NULL;
}

bool elf_file_read_segments(struct elf_file *elf)
{
    struct cursor at;
    char *bytes = hold(elf, elf->segments_at, elf->nsegments, elf->segment_bytes, elf->is_wide ? 56 : 32, &at);
    if (bytes == NULL)
        return false;
    elf->segments = heap_calloc((size_t)elf->nsegments + 1u, sizeof *elf->segments);
    for (size_t i = 0; elf->segments != NULL && i < elf->nsegments; i++)
        elf->segments[i] = next_segment(&at, elf->is_wide);
    heap_free(bytes);
    return elf->segments != NULL || fail(elf, elf->segments_at, NO_BYTES);
}

/* In a file without sections the segments of notes stand for those. */
static void take_notes(struct elf_file *elf)
{
    for (size_t i = 0; elf->segments != NULL && i < elf->nsegments; i++) {
        const struct elf_segment *from = &elf->segments[i];
        if (from->type == ELF_NOTE_SEGMENT)
            elf->sections[elf->nsections++] = (struct elf_section){.name = "",
                                                                   .type = ELF_NOTES,
                                                                   .offset = from->offset,
                                                                   .size = from->size,
                                                                   .alignment = from->alignment};
    }
}

/* Names that are behind the end of their table are empty. */
static bool take_names(struct elf_file *elf)
{
    struct elf_section *names = elf->names < elf->nsections ? &elf->sections[elf->names] : NULL;
    if (elf->names == 0)
        return true;
    if (names == NULL)
        return fail(elf, elf->sections_at, "the section with the names of its sections is missing");
    if (!elf_file_need(elf, names, "the names of its sections are missing"))
        return false;
    if (names->bytes[names->n - 1u] != '\0')
        return fail(elf, names->offset, "the names of its sections have no end");
    for (size_t i = 0; i < elf->nsections; i++) {
        if (elf->sections[i].name_at < names->n)
            elf->sections[i].name = (const char *)names->bytes + elf->sections[i].name_at;
    }
    return true;
}

bool elf_file_read_sections(struct elf_file *elf)
{
    struct cursor at;
    const uint64_t n = elf->nsections, most = n == 0 && elf->segments != NULL ? elf->nsegments : n;
    char *bytes = hold(elf, elf->sections_at, n, elf->section_bytes, elf->is_wide ? 64 : 40, &at);
    if (bytes == NULL)
        return false;
    elf->sections = heap_calloc((size_t)most + 1u, sizeof *elf->sections);
    for (size_t i = 0; elf->sections != NULL && i < n; i++)
        elf->sections[i] = next_section(&at, elf->is_wide);
    heap_free(bytes);
    if (elf->sections == NULL)
        return fail(elf, elf->sections_at, NO_BYTES);
    if (n > 0)
        return take_names(elf);
    take_notes(elf);
    return true;
}

void elf_file_free(struct elf_file *elf)
{
    for (size_t i = 0; elf->sections != NULL && i < elf->nsections; i++)
        heap_free(elf->sections[i].bytes);
    heap_free(elf->sections);
    heap_free(elf->segments);
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

/* The first section of a type, and with that link if it is not 0; NULL: there is none. */
static struct elf_section *find(struct elf_file *elf, uint32_t type, size_t link)
{
    for (size_t i = 0; i < elf->nsections; i++) {
        if (elf->sections[i].type == type && (link == 0 || elf->sections[i].link == link))
            return &elf->sections[i];
    }
    return NULL;
}

bool elf_file_symbols(struct elf_file *elf, struct elf_symbols *symbols)
{
    struct elf_section *table = find(elf, ELF_SYMTAB, 0), *names, *indexes;
    *symbols = (struct elf_symbols){.is_wide = elf->is_wide};
    elf->why = NULL;
    if (table == NULL)
        return true;
    if (table->entry != (elf->is_wide ? 24u : 16u))
        return fail(elf, table->offset, "its symbols have another size than ELF's");
    if (!elf_file_need(elf, table, "its table of symbols is empty"))
        return false;
    names = table->link < elf->nsections ? &elf->sections[table->link] : elf->sections;
    if (!elf_file_need(elf, names, "the names of its symbols are missing"))
        return false;
    symbols->at = cursor_in_memory(table->bytes, table->n, elf->bytes.big);
    symbols->n = table->n / (size_t)table->entry;
    symbols->names = names;
    indexes = find(elf, ELF_SYMTAB_SHNDX, (size_t)(table - elf->sections));
    if (indexes != NULL && !elf_file_need(elf, indexes, "the indexes of its symbols' sections are missing"))
        return false;
    if (indexes != NULL)
        symbols->indexes = cursor_in_memory(indexes->bytes, indexes->n, elf->bytes.big);
    elf_file_next_symbol(symbols);
    return true;
}

struct elf_symbol elf_file_next_symbol(struct elf_symbols *symbols)
{
    struct cursor *at = &symbols->at;
    struct elf_symbol symbol = {.name = cursor_32(at)};
    uint32_t index = symbols->indexes.end > 0 ? cursor_32(&symbols->indexes) : 0;
    unsigned char info[2]; /* the second byte: who may see it */
    if (!symbols->is_wide) {
        symbol.value = cursor_32(at);
        symbol.size = cursor_32(at);
    }
    cursor_get(at, info, sizeof info);
    symbol.section = cursor_16(at);
    if (symbols->is_wide) {
        symbol.value = cursor_64(at);
        symbol.size = cursor_64(at);
    }
    if (symbol.section >= RESERVED)
        symbol.section = symbol.section == COUNTED_ELSEWHERE ? index : 0;
    symbol.type = info[0] & 0xFu;
    symbol.bind = info[0] >> 4;
    return symbol;
}

/* ---- the build id ------------------------------------------------------------------------------------------------ */

/* That among a section's notes. What a note holds begins at a multiple of the alignment, and so does the next note. */
static const unsigned char *id_in(const struct elf_section *notes, bool big, size_t *size)
{
    struct cursor at = cursor_in_memory(notes->bytes, notes->n, big);
    const uint64_t pad = notes->alignment == 8 ? 7 : 3;
    while (cursor_left(&at) > 0) {
        const uint32_t name_bytes = cursor_32(&at), bytes = cursor_32(&at), type = cursor_32(&at);
        const unsigned char *name = cursor_view(&at, name_bytes), *id;
        at.at = (at.at + pad) & ~pad;
        id = cursor_view(&at, bytes);
        at.at = (at.at + pad) & ~pad;
        if (id == NULL || bytes == 0 || type != BUILD_ID || name_bytes != 4 || memcmp(name, "GNU", 4) != 0)
            continue;
        *size = bytes;
        return id;
    }
    return NULL;
}

const unsigned char *elf_file_build_id(struct elf_file *elf, size_t *size)
{
    const unsigned char *id = NULL;
    elf->why = NULL;
    for (size_t i = 0; i < elf->nsections && id == NULL; i++) {
        if (elf->sections[i].type == ELF_NOTES && elf_file_load(elf, &elf->sections[i]))
            id = id_in(&elf->sections[i], elf->bytes.big, size);
    }
    return id;
}
