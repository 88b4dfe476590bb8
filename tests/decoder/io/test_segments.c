/* test_segments.c - where the bytes of an input were on the target: ELF files of both sizes and byte orders, with
 * segments in any order, cut, bent and contradictory; and what the user says. */
#define _GNU_SOURCE /* memfd_create */

#include "decoder/model/harness.h"

#include "io/input.h"
#include "io/segments.h"
#include "lib/tier.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* A segment of a file that a test makes, and what the decoder makes of it. */
struct part {
    uint32_t type;
    uint64_t offset, address, size;
};

static const struct part sample[] = {
    {PT_NOTE, 600, 0x1000, 40},      {PT_LOAD, 0, 0x50000000, 60},    {PT_LOAD, 1000, 0x20000000, 500},
    {PT_LOAD, 640, 0x30000000, 360}, {PT_LOAD, 1500, 0x10000000, 96}, {PT_LOAD, 1600, 0x20000800, 1},
    {PT_LOAD, 1700, 0x40000000, 0},  {PT_LOAD, 1601, 0x200001F4, 99},
};

enum { PARTS = sizeof sample / sizeof sample[0], FILE_BYTES = 1700, ROOM = 70000 };

static unsigned char file[ROOM];
static bool is_wide, is_big;

static void put_number(unsigned char **at, uint64_t number, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        (*at)[is_big ? size - 1u - i : i] = (unsigned char)(number >> 8u * i);
    *at += size;
}

/* Put an ELF header and its program headers into the file; they begin at 64. */
static void make(unsigned type, const struct part *parts, size_t n)
{
    const unsigned word = is_wide ? 8 : 4;
    unsigned char *at = file;
    for (size_t i = 0; i < sizeof file; i++)
        file[i] = (unsigned char)(i * 7u);
    memcpy(at, "\177ELF", 4);
    at += 4;
    put_number(&at, is_wide ? 2 : 1, 1);
    put_number(&at, is_big ? 2 : 1, 1);
    put_number(&at, 1, 1);
    at = file + 16;
    put_number(&at, type, 2);
    put_number(&at, EM_ARM, 2);
    put_number(&at, 1, 4);
    put_number(&at, 0xAAAA, word);
    put_number(&at, 64, word);
    put_number(&at, 0xBBBB, word);
    put_number(&at, 0xCCCC, 4);
    put_number(&at, is_wide ? 64 : 52, 2);
    put_number(&at, is_wide ? 56 : 32, 2);
    put_number(&at, n, 2);
    at = file + 64;
    for (size_t i = 0; i < n; i++) {
        put_number(&at, parts[i].type, 4);
        put_number(&at, 7, is_wide ? 4 : 0);
        put_number(&at, parts[i].offset, word);
        put_number(&at, parts[i].address, word);
        put_number(&at, 0x5555, word);
        put_number(&at, parts[i].size, word);
        put_number(&at, 0x6666, word);
        put_number(&at, 7, is_wide ? 0 : 4);
        put_number(&at, 1, word);
    }
}

/* Open the first bytes of the file as an input, which is given to check(). Whether it was opened. */
static bool open_bytes(size_t size, void (*check)(struct input *in, size_t size))
{
    int fd = memfd_create("core", 0);
    char name[64];
    struct input *in;
    put_all(fd, file, size);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    trace.quiet = true;
    in = input_open(&trace, name, NULL);
    if (in != NULL && check != NULL)
        check(in, size);
    input_close(in);
    close(fd);
    return in != NULL;
}

/* Every byte has the address that these parts tell, and every address its byte. */
static void parts_are(struct input *in, size_t size, const struct part *parts, size_t n)
{
    uint64_t address, offset;
    for (uint64_t at = 0; at < size + 10u; at++) {
        const struct part *in_part = NULL;
        for (size_t i = 0; i < n; i++) {
            if (parts[i].type == PT_LOAD && at < size && at >= parts[i].offset && at - parts[i].offset < parts[i].size)
                in_part = &parts[i];
        }
        assert_int_equal(input_address(in, at, &address), in_part != NULL);
        if (in_part == NULL)
            continue;
        assert_int_equal(address, in_part->address + (at - in_part->offset));
        assert_true(input_offset(in, address, &offset));
        assert_int_equal(offset, at);
    }
}

static void sample_is_told(struct input *in, size_t size)
{
    uint64_t offset;
    parts_are(in, size, sample, PARTS);
    assert_false(input_offset(in, 0x1000, &offset));
    assert_false(input_offset(in, 0x1FFFFFFF, &offset));
    assert_false(input_offset(in, 0x20000000 + 0x800 + 1, &offset));
    assert_false(input_offset(in, 0x40000000, &offset));
}

static void nothing_is_told(struct input *in, size_t size)
{
    uint64_t value;
    for (uint64_t at = 0; at < size; at++)
        assert_false(input_address(in, at, &value));
    for (size_t i = 0; i < PARTS; i++)
        assert_false(input_offset(in, sample[i].address, &value));
}

/* Call a function for both sizes and both byte orders. */
static void each_kind(void (*call)(void))
{
    for (unsigned kind = 0; kind < 4; kind++) {
        is_wide = kind & 1u;
        is_big = kind & 2u;
        call();
    }
}

/* ---- ELF files --------------------------------------------------------------------------------------------------- */

static void tell_them(void)
{
    static const unsigned types[] = {ET_CORE, ET_EXEC, ET_DYN};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        make(types[i], sample, PARTS);
        assert_true(open_bytes(FILE_BYTES, sample_is_told));
    }
    make(ET_REL, sample, PARTS);
    assert_true(open_bytes(FILE_BYTES, nothing_is_told));
    make(ET_CORE, sample, 1);
    assert_true(open_bytes(FILE_BYTES, nothing_is_told));
}

static void an_elf_file_tells_addresses(void **state)
{
    (void)state;
    each_kind(tell_them);
}

/* As long as the program headers are whole, the segments are cut where the file is. */
static void cut_them(void)
{
    const size_t headers = 64u + PARTS * (is_wide ? 56u : 32u);
    make(ET_CORE, sample, PARTS);
    for (size_t size = 1; size <= FILE_BYTES; size += size < 600 ? 1 : 37)
        assert_true(open_bytes(size, size < headers ? nothing_is_told : sample_is_told));
}

static void a_cut_file_ends_there(void **state)
{
    (void)state;
    each_kind(cut_them);
}

static void ask_all(struct input *in, size_t size)
{
    uint64_t value, sum = 0;
    for (uint64_t at = 0; at < size; at += 13)
        sum += input_address(in, at, &value) ? value : 0;
    for (size_t i = 0; i < PARTS; i++) {
        if (input_offset(in, sample[i].address, &value))
            assert_true(value < size);
    }
    assert_true(sum != 1);
}

static void bend_them(void)
{
    static const unsigned char values[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
    const size_t headers = 64u + PARTS * (is_wide ? 56u : 32u);
    make(ET_CORE, sample, PARTS);
    for (size_t at = 0; at < headers; at += tier_step(3)) {
        unsigned char was = file[at];
        for (size_t i = 0; i < sizeof values; i++) {
            file[at] = values[i];
            assert_true(open_bytes(FILE_BYTES, ask_all));
        }
        file[at] = was;
    }
}

static void bent_files_do_no_harm(void **state)
{
    (void)state;
    each_kind(bend_them);
}

/* Of segments that share bytes, or addresses, these are not known; the others are. */
static void contradict(struct input *in, size_t size)
{
    uint64_t value;
    (void)size;
    assert_true(input_address(in, 1099, &value));
    assert_int_equal(value, 0x1000 + 99);
    assert_false(input_address(in, 1100, &value));
    assert_false(input_address(in, 1199, &value));
    assert_true(input_address(in, 1200, &value));
    assert_int_equal(value, 0x8000 + 100);
    assert_true(input_address(in, 1500, &value));
    assert_false(input_offset(in, 0x1000, &value));
    assert_false(input_offset(in, 0x1000 + 9, &value));
    assert_true(input_offset(in, 0x1000 + 10, &value));
    assert_int_equal(value, 1010);
}

static void make_contradiction(void)
{
    static const struct part parts[] = {
        {PT_LOAD, 1000, 0x1000, 200}, {PT_LOAD, 1100, 0x8000, 200}, {PT_LOAD, 1500, 0x0FF6, 20}};
    make(ET_CORE, parts, 3);
    assert_true(open_bytes(FILE_BYTES, contradict));
}

static void what_is_told_twice_is_not_known(void **state)
{
    (void)state;
    each_kind(make_contradiction);
}

/* The last address is one, and nothing is behind it. */
static void last_address(struct input *in, size_t size)
{
    uint64_t value;
    (void)size;
    assert_true(input_address(in, 1000, &value));
    assert_int_equal(value, UINT64_MAX - 9u);
    assert_true(input_address(in, 1009, &value));
    assert_int_equal(value, UINT64_MAX);
    assert_false(input_address(in, 1010, &value));
    assert_true(input_offset(in, UINT64_MAX, &value));
    assert_int_equal(value, 1009);
    assert_false(input_offset(in, 0, &value));
}

static void addresses_do_not_wrap(void **state)
{
    static const struct part part = {PT_LOAD, 1000, UINT64_MAX - 9u, 200};
    (void)state;
    is_wide = true;
    is_big = false;
    make(ET_CORE, &part, 1);
    assert_true(open_bytes(FILE_BYTES, last_address));
}

static void first_is_known(struct input *in, size_t size)
{
    uint64_t value;
    (void)size;
    assert_true(input_address(in, 65000, &value));
    assert_int_equal(value, 0x100000);
}

/* There is a limit, and the user is told. */
static void too_many_are_not_known(void **state)
{
    static struct part parts[1024];
    (void)state;
    is_wide = is_big = false;
    for (size_t i = 0; i < 1024; i++)
        parts[i] = (struct part){PT_LOAD, 65000u + i, 0x100000u + 2u * i, 1};
    make(ET_CORE, parts, 1023);
    assert_true(open_bytes(ROOM, first_is_known));
    make(ET_CORE, parts, 1024);
    assert_true(open_bytes(ROOM, nothing_is_told));
}

/* ---- what the user says ------------------------------------------------------------------------------------------ */

static void base_is_told(struct input *in, size_t size)
{
    const struct part all = {PT_LOAD, 0, trace.base, size};
    uint64_t offset;
    parts_are(in, size, &all, 1);
    assert_false(input_offset(in, trace.base - 1u, &offset));
    assert_false(input_offset(in, trace.base + size, &offset));
}

static void the_user_tells_the_first_address(void **state)
{
    static const uint64_t bases[] = {
        0, 1, 0x20000000, 0xFFFFFFFF, UINT64_MAX - FILE_BYTES, UINT64_MAX - FILE_BYTES + 1};
    (void)state;
    memset(file, 0x5A, sizeof file);
    trace.has_base = true;
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        trace.base = bases[i];
        assert_true(open_bytes(FILE_BYTES, base_is_told));
    }
    trace.base = UINT64_MAX - FILE_BYTES + 2;
    assert_false(open_bytes(FILE_BYTES, NULL));
    assert_non_null(strstr(trace.error, ": has more bytes than there are addresses from --base=0xfffffffffffff95d on"));
}

/* An ELF file without segments is bytes as any others. */
static void an_elf_file_needs_no_base(void **state)
{
    (void)state;
    trace.has_base = true;
    trace.base = 0x1000;
    make(ET_REL, sample, PARTS);
    assert_true(open_bytes(FILE_BYTES, base_is_told));
    make(ET_CORE, sample, PARTS);
    assert_true(open_bytes(70, base_is_told));
    assert_false(open_bytes(FILE_BYTES, NULL));
    assert_non_null(strstr(trace.error, ": an ELF file, which tells its addresses itself: --base is not for it"));
}

static void nothing_is_known_by_itself(void **state)
{
    (void)state;
    memset(file, 0, sizeof file);
    assert_true(open_bytes(FILE_BYTES, nothing_is_told));
    file[0] = 0x7F;
    assert_true(open_bytes(1, nothing_is_told));
}

/* Parts in any order become those that a map of bytes has, each once. */
static void parts_are_joined(void **state)
{
    struct segment parts[6];
    (void)state;
    for (unsigned seed = 0; seed < 5000; seed++) {
        bool has[40] = {false};
        uint64_t size, total = 0, before = 0;
        size_t n, kept;
        srand(seed);
        n = 1u + (unsigned)rand() % 6u;
        for (size_t i = 0; i < n; i++) {
            unsigned at = (unsigned)rand() % 30u, length = 1u + (unsigned)rand() % 10u;
            parts[i] = (struct segment){.address = 0xFFFFFFFFFFFFFFD8u + at, .size = length};
            memset(has + at, true, length);
        }
        kept = segments_join(parts, n, &size);
        for (size_t i = 0; i < kept; i++) {
            uint64_t at = parts[i].address - 0xFFFFFFFFFFFFFFD8u;
            assert_true(i == 0 || at > before);
            assert_int_equal(parts[i].offset, total);
            for (uint64_t k = 0; k < parts[i].size; k++)
                assert_true(has[at + k]);
            before = at + parts[i].size;
            total += parts[i].size;
        }
        assert_int_equal(size, total);
        for (size_t i = 0; i < sizeof has; i++)
            total -= has[i];
        assert_int_equal(total, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("an ELF file tells addresses", an_elf_file_tells_addresses),
        test("a cut file ends there", a_cut_file_ends_there),
        test("bent files do no harm", bent_files_do_no_harm),
        test("what is told twice is not known", what_is_told_twice_is_not_known),
        test("addresses do not wrap", addresses_do_not_wrap),
        test("too many are not known", too_many_are_not_known),
        test("the user tells the first address", the_user_tells_the_first_address),
        test("an ELF file needs no base", an_elf_file_needs_no_base),
        test("nothing is known by itself", nothing_is_known_by_itself),
        test("parts are joined", parts_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
