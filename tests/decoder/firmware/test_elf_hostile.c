/* test_elf_hostile.c - ELF files made by hand, of 32 and 64 bits and both byte orders: cut at any byte, with any wrong
 * byte, number or size, they do no harm, and what is wrong is told.
 */
#define _GNU_SOURCE
#include "harness.h"

#include "io/firmware/firmware.h"
#include "lib/tier.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- a file made by hand ----------------------------------------------------------------------------------------- */

enum { ROOM = 4096, SECTIONS = 9, SEGMENTS = 2 };

/* How it is made. elsewhere: the header has no room for the numbers of sections and segments. */
struct shape {
    bool is_wide, is_big, elsewhere;
};

static const struct shape shapes[] = {{false, false, false}, {false, true, false}, {true, false, false},
                                      {true, true, false},   {false, true, true},  {true, false, true}};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static unsigned char made[ROOM];
static const struct shape *shape;
static size_t end, sections_at, section_bytes;

static void put(uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        made[end + (shape->is_big ? size - 1 - i : i)] = (unsigned char)(number >> 8 * i);
    end += size;
}

static void put_word(uint64_t number)
{
    put(number, shape->is_wide ? 8 : 4);
}

static size_t put_bytes(const void *bytes, size_t n)
{
    memcpy(made + end, bytes, n);
    end += n;
    return n;
}

static const char names[] = "\0.text\0.note\0tlog_printk\0.symtab\0.strtab\0.index\0.shstrtab\0.bss";
static const char symbol_names[] = "\0one\0two\0three";
static const char format[] = "value %d\nvalue %d\nvalue %d\nvalue %d\nvalue %d\nvalue %d\nvalue %d\nvalue %d\n";

static uint32_t name_in(const char *table, size_t size, const char *name)
{
    return (uint32_t)((const char *)memmem(table, size, name, strlen(name) + 1) - table);
}

static void put_symbol(const char *name, uint64_t value, unsigned info, unsigned section)
{
    put(name_in(symbol_names, sizeof symbol_names, name), 4);
    if (!shape->is_wide) {
        put_word(value);
        put_word(4);
    }
    put(info, 1);
    put(0, 1);
    put(section, 2);
    if (shape->is_wide) {
        put_word(value);
        put_word(4);
    }
}

/* Of notes, and of everything else. */
static size_t alignment(void)
{
    return shape->is_wide ? 8 : 4;
}

static void put_segment(uint32_t type, size_t offset, size_t size)
{
    put(type, 4);
    if (shape->is_wide)
        put(5, 4);
    put_word(offset);
    put_word(0x8000);
    put_word(0x8000);
    put_word(size);
    put_word(size);
    if (!shape->is_wide)
        put(5, 4);
    put_word(alignment());
}

static void put_section(const char *name, uint32_t type, uint64_t flags, size_t offset, size_t size, uint32_t link,
                        uint32_t info, size_t entry)
{
    put(name_in(names, sizeof names, name), 4);
    put(type, 4);
    put_word(flags);
    put_word((flags & ELF_ALLOC) != 0 ? 0x8000 + offset : 0);
    put_word(offset);
    put_word(size);
    put(link, 4);
    put(info, 4);
    put_word(alignment());
    put_word(entry);
}

static void put_header(size_t segments)
{
    const unsigned char ident[16] = {0x7F, 'E', 'L', 'F', shape->is_wide ? 2 : 1, shape->is_big ? 2 : 1, 1};
    put_bytes(ident, sizeof ident);
    put(ELF_PROGRAM, 2);
    put(ELF_ARM, 2);
    put(1, 4);
    put_word(0x8000);
    put_word(segments);
    put_word(sections_at);
    put(0, 4);
    put(shape->is_wide ? 64 : 52, 2);
    put(shape->is_wide ? 56 : 32, 2);
    put(shape->elsewhere ? 0xFFFF : SEGMENTS, 2);
    put(section_bytes, 2);
    put(shape->elsewhere ? 0 : SECTIONS, 2);
    put(shape->elsewhere ? 0xFFFF : SECTIONS - 1, 2);
}

static size_t put_compressed(void)
{
    const size_t from = end;
    uLongf n = ROOM - 1024;
    put(1, 4);
    if (shape->is_wide)
        put(0, 4);
    put_word(sizeof format);
    put_word(1);
    assert_int_equal(compress2(made + end, &n, (const Bytef *)format, sizeof format, 9), Z_OK);
    end += n;
    return end - from;
}

/* What a note holds begins where the alignment wants it, and so does the next note. */
static void put_note(unsigned type, const char *name, size_t name_size, const char *bytes, size_t size)
{
    const size_t from = end, pad = alignment() - 1;
    put(name_size, 4);
    put(size, 4);
    put(type, 4);
    put_bytes(name, name_size);
    end = from + ((end - from + pad) & ~pad);
    put_bytes(bytes, size);
    end = from + ((end - from + pad) & ~pad);
}

/* Make the file: headers, what sections hold, and the table of sections, which ends it. */
static void make(void)
{
    size_t at[SECTIONS], size[SECTIONS], segments;
    memset(made, 0, sizeof made);
    end = shape->is_wide ? 64 : 52;
    segments = end;
    end += SEGMENTS * (shape->is_wide ? 56u : 32u);
    for (size_t i = 1; i < SECTIONS; i++) {
        at[i] = end;
        if (i == 1)
            put_bytes("\0\1\2\3\4\5\6\7\10\11\12\13", 12);
        if (i == 2) { /* another note, of odd sizes, one without an id, and the build id */
            put_note(7, "ab", 3, "something", 9);
            put_note(3, "GNU", 4, "", 0);
            put_note(3, "GNU", 4, "build-id", 8);
        }
        if (i == 3)
            put_compressed();
        if (i == 4) {
            put_symbol("", 0, 0, 0);
            put_symbol("one", 0x8001, ELF_WEAK << 4 | ELF_FUNCTION, 1);
            put_symbol("two", 0x8004, 1 << 4 | ELF_OBJECT, 0xFFFF);
            put_symbol("three", 7, ELF_LOCAL, 0xFFF1); /* a number, which is in no section */
        }
        if (i == 5)
            put_bytes(symbol_names, sizeof symbol_names);
        if (i == 6)
            put(0, 4), put(0, 4), put(1, 4), put(0, 4);
        if (i == 8)
            put_bytes(names, sizeof names);
        size[i] = end - at[i];
    }
    sections_at = end;
    section_bytes = shape->is_wide ? 64 : 40;
    put_section("", 0, 0, 0, shape->elsewhere ? SECTIONS : 0, shape->elsewhere ? SECTIONS - 1 : 0,
                shape->elsewhere ? SEGMENTS : 0, 0);
    put_section(".text", ELF_PROGBITS, ELF_ALLOC | ELF_CODE, at[1], size[1], 0, 0, 0);
    put_section(".note", ELF_NOTES, 0, at[2], size[2], 0, 0, 0);
    put_section("tlog_printk", ELF_PROGBITS, ELF_COMPRESSED, at[3], size[3], 0, 0, 0);
    put_section(".symtab", ELF_SYMTAB, 0, at[4], size[4], 5, 1, shape->is_wide ? 24 : 16);
    put_section(".strtab", 3, 0, at[5], size[5], 0, 0, 0);
    put_section(".index", ELF_SYMTAB_SHNDX, 0, at[6], size[6], 4, 0, 4);
    put_section(".bss", ELF_NOBITS, ELF_ALLOC | ELF_WRITE, at[7], 1u << 30, 0, 0, 0);
    put_section(".shstrtab", 3, 0, at[8], size[8], 0, 0, 0);
    end = 0;
    put_header(segments);
    assert_int_equal(end, segments);
    put_segment(ELF_LOAD, at[1], size[1]);
    put_segment(ELF_NOTE_SEGMENT, at[2], size[2]);
    end = sections_at + SECTIONS * section_bytes;
}

/* Load a section, and touch its bytes and its name. Returns how many bytes are held. */
static size_t load(struct elf_file *elf, struct elf_section *section, size_t *sum)
{
    size_t n = 0;
    elf->why = NULL;
    if (elf_file_load(elf, section)) {
        assert_int_equal(section->bytes[section->n], 0);
        *sum += section->bytes[section->n - 1];
        n = section->n;
    } else if (section->size > 0 && section->type != ELF_NOBITS) {
        assert_true(section->is_skipped || section->n == 0);
    }
    *sum += strlen(section->name);
    return n;
}

/* Read everything of the file. Whether it is sound: else there is a reason, in the file or at its end. */
static bool read_all(struct elf_file *elf, struct memory *file)
{
    const bool is_open = open_memory(elf, file);
    struct elf_symbols table;
    size_t sum = 0, n = 0, held = 0;
    bool good = is_open;
    if (!is_open && (file->n < 16 || memcmp(file->at, "\177ELF", 4) != 0))
        assert_null(elf->why);
    else if (!is_open)
        assert_non_null(elf->why);
    for (size_t i = 0; is_open && i < elf->nsections; i++) {
        struct elf_section *section = &elf->sections[i];
        held += load(elf, section, &sum);
    }
    assert_true(held <= 4 * file->n);
    if (is_open && elf_file_symbols(elf, &table)) {
        for (size_t i = 1; i < table.n; i++) {
            const struct elf_symbol symbol = elf_file_next_symbol(&table);
            if (symbol.name < table.names->n)
                sum += strlen((const char *)table.names->bytes + symbol.name);
        }
    } else if (is_open) {
        assert_non_null(elf->why);
        good = false;
    }
    if (is_open) {
        const unsigned char *id = elf_file_build_id(elf, &n);
        for (size_t i = 0; id != NULL && i < n; i++)
            sum += id[i];
    }
    assert_true(sum != 1);
    return good && elf->nskipped == 0;
}

static void hand_made_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        struct elf_file elf;
        struct memory file = {made, 0};
        struct elf_symbols table;
        struct elf_symbol symbol;
        size_t n = 0;
        shape = &shapes[i];
        make();
        file.n = end;
        assert_true(read_all(&elf, &file));
        assert_int_equal(elf.nsections, SECTIONS);
        assert_int_equal(elf.nsegments, SEGMENTS);
        assert_int_equal(elf.segments[1].type, ELF_NOTE_SEGMENT);
        assert_int_equal(elf.segments[0].physical, 0x8000);
        assert_string_equal(elf.sections[SECTIONS - 1].name, ".shstrtab");
        assert_string_equal((char *)section_of(&elf, "tlog_printk")->bytes, format);
        assert_memory_equal(elf_file_build_id(&elf, &n), "build-id", 8);
        assert_int_equal(n, 8);
        assert_true(elf_file_symbols(&elf, &table));
        assert_int_equal(table.n, 4);
        symbol = elf_file_next_symbol(&table);
        assert_true(symbol.value == 0x8001 && symbol.size == 4 && symbol.section == 1);
        assert_true(symbol.type == ELF_FUNCTION && symbol.bind == ELF_WEAK);
        symbol = elf_file_next_symbol(&table);
        assert_true(symbol.value == 0x8004 && symbol.section == 1 && symbol.type == ELF_OBJECT);
        symbol = elf_file_next_symbol(&table);
        assert_true(symbol.value == 7 && symbol.section == 0);
        elf_file_free(&elf);
    }
}

/* Cut the file, whose table of sections is its end: without its last byte something is missing. What is left is copied
 * to memory of its own, where the address sanitizer sees the end. */
static void cut_anywhere(const unsigned char *bytes, size_t n, size_t step)
{
    for (size_t cut = 0; cut<n; cut += n - cut> 64 ? step : 1) {
        struct elf_file elf;
        struct memory file = {memcpy(malloc(cut + 1), bytes, cut), cut};
        assert_false(read_all(&elf, &file));
        elf_file_free(&elf);
        free(file.at);
    }
}

static void cut_anywhere_it_fails(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        shape = &shapes[i];
        make();
        cut_anywhere(made, end, 1);
    }
    for (size_t i = 0; i < BUILDS; i++) {
        struct memory file;
        build(&builds[i], "-Wl,-z,max-page-size=64 -Wl,--build-id");
        file = file_at(path);
        cut_anywhere(file.at, file.n, tier_step(31));
        free(file.at);
    }
}

/* Read it with other bytes somewhere. */
static size_t try_bent(size_t at, const void *bytes, size_t n)
{
    struct elf_file elf;
    struct memory file = {made, end};
    unsigned char was[8];
    bool good;
    memcpy(was, made + at, n);
    memcpy(made + at, bytes, n);
    good = read_all(&elf, &file);
    elf_file_free(&elf);
    memcpy(made + at, was, n);
    return good;
}

static void any_byte_may_be_wrong(void **state)
{
    size_t good = 0, tried = 0;
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        shape = &shapes[i];
        make();
        for (size_t at = 0; at < end; at++) {
            for (unsigned bit = 0; bit < 8; bit += tier_step(5)) {
                const unsigned char bent = made[at] ^ (unsigned char)(1u << bit);
                good += try_bent(at, &bent, 1);
                tried++;
            }
        }
    }
    assert_in_range(good, tried / 4, tried - tried / 8);
}

/* Each number becomes 0, 1, the largest, one more, one less, the file's size, and far behind that. */
static void any_number_may_be_wrong(void **state)
{
    size_t good = 0, tried = 0;
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        shape = &shapes[i];
        make();
        for (size_t k = 0; k < 3 * end; k += 2 * tier_step(5)) {
            const size_t size = (size_t)2 << k % 3, at = k / 3 & ~(size - 1);
            uint64_t was = 0, now[] = {0, 1, UINT64_MAX, 0, 0, end, (uint64_t)1 << 40 | end};
            if (at + size > end)
                continue;
            for (size_t n = 0; n < size; n++)
                was |= (uint64_t)made[at + (shape->is_big ? size - 1 - n : n)] << 8 * n;
            now[3] = was + 1;
            now[4] = was - 1;
            for (size_t n = 0; n < sizeof now / sizeof now[0]; n++) {
                unsigned char bytes[8];
                for (size_t b = 0; b < size; b++)
                    bytes[shape->is_big ? size - 1 - b : b] = (unsigned char)(now[n] >> 8 * b);
                good += try_bent(at, bytes, size);
                tried++;
            }
        }
    }
    assert_in_range(good, tried / 8, tried - tried / 8);
}

/* ---- much -------------------------------------------------------------------------------------------------------- */

/* A file of zeros, but for the headers that are in `made`; and each header of a section is like the second one. */
static size_t read_much(void *file, uint64_t at, void *to, size_t size)
{
    unsigned char *bytes = to;
    (void)file;
    for (size_t i = 0; i < size; i++, at++) {
        uint64_t from = at < sections_at + 2 * section_bytes
                            ? at
                            : sections_at + section_bytes + (at - sections_at) % section_bytes;
        bytes[i] = made[from];
    }
    return size;
}

/* A million sections, of which each has all of the file: only four of them are held, and that is told of the others. */
static void million_sections_have_a_bound(void **state)
{
    const size_t n = 1000000 / tier_step(97);
    static const struct shape small = {.elsewhere = true};
    struct elf_file elf;
    size_t held = 0, size;
    (void)state;
    shape = &small;
    memset(made, 0, sizeof made);
    section_bytes = 40;
    sections_at = 52;
    size = 52 + n * section_bytes;
    end = 0;
    put_header(0);
    put_section("", 0, 0, 0, n, 0, 0, 0);
    put_section("", ELF_PROGBITS, ELF_ALLOC, 0, size, 0, 0, 0);
    assert_true(elf_file_open(&elf, (struct cursor){.read = read_much, .end = size}));
    assert_true(elf_file_read_segments(&elf) && elf_file_read_sections(&elf));
    assert_int_equal(elf.nsections, n);
    for (size_t i = 0; i < n; i++)
        held += elf_file_load(&elf, &elf.sections[i]);
    assert_false(elf_file_load(&elf, &elf.sections[n - 1])); /* that is no other one */
    assert_int_equal(held, 4);
    assert_int_equal(elf.nskipped, n - 5);
    assert_string_equal(elf.why, "with it all that is read has more than four times the bytes of the file");
    elf_file_free(&elf);
}

/* ---- what the user is told --------------------------------------------------------------------------------------- */

/* Write the file that was made to path; give a number in it another value before. */
static void save_bent(size_t at, uint64_t value, size_t size)
{
    const size_t whole = end;
    FILE *file = fopen(path, "wb");
    end = at;
    if (size > 0)
        put(value, size);
    end = whole;
    assert_int_equal(fwrite(made, 1, whole, file), whole);
    fclose(file);
    make();
}

/* Where the file tells the offset of a section, in a file of 32 bits. */
static size_t offset_of(size_t section)
{
    return sections_at + section * 40 + 16;
}

/* Each kind of damage, with its offset: sections are numbered as make() makes them. */
static void damage_is_told_with_its_offset(void **state)
{
    static const struct shape plain = {.is_big = true};
    char expected[256];
    struct firmware_file *elf;
    (void)state;
    shape = &plain;
    make();
    {
        const struct told {
            size_t at;
            uint64_t value;
            size_t size, of; /* of: whose offset is told, a section's; or 0 */
            uint64_t where;
            const char *why;
        } told[] = {
            {4, 3, 1, 0, 4, "its header tells neither 32 nor 64 bits, or no byte order"},
            {32, end, 4, 0, end, "its tables end behind the file, which is cut off"},
            {44, 999, 2, 0, 52, "its tables end behind the file, which is cut off"},
            {46, 41, 2, 0, sections_at, "its tables have entries of another size than ELF's"},
            {50, 77, 2, 0, sections_at, "the section with the names of its sections is missing"},
            {50, 7, 2, 7, 0, "the names of its sections are missing"},
            {sections_at - 1, '!', 1, 8, 0, "the names of its sections have no end"},
            {offset_of(8), end, 4, 0, end, "it ends behind the file"},
            {offset_of(4) + 20, 15, 4, 4, 0, "its symbols have another size than ELF's"},
            {offset_of(4) + 8, 7, 4, 7, 0, "the names of its symbols are missing"},
            {offset_of(6) + 4, 0, 4, 6, 0, "the indexes of its symbols' sections are missing"},
            {offset_of(2) + 4, 1u << 31, 4, 2, 0, "it ends behind the file"},
            {offset_of(5) + 4, 1u << 31, 4, 5, 0, "it ends behind the file"},
        };
        for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
            const uint64_t of = get_32(made + offset_of(told[i].of), true);
            save_bent(told[i].at, told[i].value, told[i].size);
            snprintf(expected, sizeof expected, "damaged ELF file: offset 0x%" PRIx64 ": %s",
                     told[i].of > 0 ? of : told[i].where, told[i].why);
            must_fail(path, expected);
        }
    }
    save_bent(0, 0, 0);
    elf = must_open();
    assert_int_equal(trace.nprintk, 1);
    assert_string_equal(trace.printk[0].format, format);
    firmware_close(elf);
    save_bent(offset_of(1), end - 1, 4);
    snprintf(expected, sizeof expected,
             "tlog-decode: %s: offset 0x%zx: section .text is not read: it ends behind the file\n", path, end - 1);
    catch_stderr();
    elf = must_open();
    stderr_must_be(expected);
    firmware_close(elf);
}

/* Without sections, the segments tell the build id. */
static void without_sections_there_is_a_build_id(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct firmware_file *elf;
        shape = &shapes[i];
        make();
        memset(made + (shape->is_wide ? 40 : 32), 0, shape->is_wide ? 8 : 4);
        memset(made + (shape->is_wide ? 60 : 48), 0, 2); /* some tools leave the index of the names */
        save_bent(0, 0, 0);
        trace.quiet = true;
        elf = must_open();
        assert_int_equal(trace.firmware->build_id_size, 8);
        assert_memory_equal(trace.firmware->build_id, "build-id", 8);
        assert_int_equal(trace.firmware->nsegments, 1);
        firmware_close(elf);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(hand_made_is_read),
        TEST(cut_anywhere_it_fails),
        TEST(any_byte_may_be_wrong),
        TEST(any_number_may_be_wrong),
        TEST(million_sections_have_a_bound),
        TEST(damage_is_told_with_its_offset),
        TEST(without_sections_there_is_a_build_id),
    };
    if (mkdtemp(directory) == NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
