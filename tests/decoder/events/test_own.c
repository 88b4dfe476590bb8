/* test_own.c - descriptors of events that a firmware defines, good ones and any bytes; and payloads made by them. */
#include "tool/message.h"
#include "base/bytes.h"
#include "events/own_descriptor.h"
#include "events/own_fields.h"
#include "events/own_types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 2048, HEAD = 12 << 10 };

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* A section that is being made. */
struct section {
    unsigned char bytes[ROOM];
    size_t n;
    bool big;
};

static void put_word(struct section *section, uint32_t word)
{
    uint32_t turned = section->big ? __builtin_bswap32(word) : word;
    put_le32(section->bytes + section->n, turned);
    section->n += 4;
}

/* Add a descriptor with n values 10, 11, 12 ... */
static void add(struct section *section, uint32_t head, const char *text, uint32_t n)
{
    size_t length = strlen(text) + 1u, padded = (length + 3u) & ~(size_t)3;
    put_word(section, head);
    put_word(section, (uint32_t)(16u + 4u * n + padded));
    put_word(section, 1);
    put_word(section, n);
    for (uint32_t i = 0; i < n; i++)
        put_word(section, 10 + i);
    memset(section->bytes + section->n, 0, padded);
    memcpy(section->bytes + section->n, text, length);
    section->n += padded;
}

static const char full[] = "motor\nstate\nevent\n"
                           "u8 motor,\nenum8 state mode::IDLE, RUN,\nbool braked,\nf32 rpm \"1/min\",\nhex64 mask,\n"
                           "u16 [ 3 ] raw \"a\\\"\\\\%\",\nptr at ,\nflags16 bits RX,\nint16_t mv,\nstr path,\n";

/* Everything that a parse reads of it is used here, so that the sanitizers see it. */
static size_t use(const struct own_descriptor *of)
{
    size_t n = strlen(of->system) + strlen(of->name);
    assert_true(of->nfields <= OWN_FIELDS_MAX && of->words <= OWN_BYTES_MAX / 4u);
    for (unsigned i = 0; i < of->nfields; i++) {
        const struct own_field *field = &of->field[i];
        size_t elements = field->elements > 0 ? field->elements : 1u;
        assert_true(own_is_name(field->name));
        assert_true(field->form == OWN_TEXT || field->offset + elements * field->size <= 4u * of->words);
        n += strlen(field->unit);
        for (unsigned k = 0; k < field->nnames; k++)
            n += strlen(field->names[k].text) + (size_t)field->names[k].value % 2u;
    }
    return n;
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

static void check_full(bool big)
{
    static const uint16_t offsets[] = {0, 1, 2, 4, 8, 16, 24, 28, 30, 32};
    struct section section = {.big = big};
    const char *why;
    struct own_descriptor *of;
    add(&section, HEAD | 3 << 10 | 255, full, 3);
    assert_int_equal(own_descriptor_size(section.bytes, section.n, big), section.n);
    of = own_descriptor_parse(section.bytes, section.n, big, &why);
    assert_null(why);
    assert_non_null(of);
    assert_string_equal(of->system, "motor");
    assert_string_equal(of->name, "state");
    assert_int_equal(of->nfields, 10);
    assert_int_equal(of->words, 8);
    assert_true(of->has_text);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(of->field[i].offset, offsets[i]);
    assert_string_equal(of->field[1].names[0].text, "mode::IDLE");
    assert_int_equal(of->field[1].names[1].value, 11);
    assert_int_equal(of->field[7].names[0].value, 12);
    assert_string_equal(of->field[3].unit, "1/min");
    assert_string_equal(of->field[5].unit, "a%");
    assert_int_equal(of->field[5].elements, 3);
    assert_int_equal(of->field[8].form, OWN_SIGNED);
    own_descriptor_free(of);
}

static void all_that_a_descriptor_may_have(void **state)
{
    (void)state;
    check_full(false);
    check_full(true);
}

/* Texts that make no sense, and why. */
static const struct {
    const char *text, *why;
    uint32_t values;
} wrong[] = {
    {"", "names that are none", 0},
    {"a\nb\nevent", "names that are none", 0},
    {"a-b\nc\nevent\n", "names that are none", 0},
    {"a\n1b\nevent\n", "names that are none", 0},
    {"a\n\nevent\n", "names that are none", 0},
    {"sched\nsched_switch\nevent\n", "the name of one of Linux's systems", 0},
    {"a\nb\nthing\n", "neither an event nor a counter nor a span", 0},
    {"a\nb\nspan\nu8 c,\n", "a span with fields", 0},
    {"a\nb\nevent\nu8 c\n", "a line that is no field", 0},
    {"a\nb\nevent\nu8,\n", "a line that is no field", 0},
    {"a\nb\nevent\nu8[3 c,\n", "a line that is no field", 0},
    {"a\nb\nevent\nu9 c,\n", "a type that is not known", 0},
    {"a\nb\nevent\nu8[897] c,\n", "an array of another kind", 0},
    {"a\nb\nevent\nu8 c \"12345678901234567890123456789012\",\n", "a unit that is too long", 0},
    {"a\nb\nevent\nu8[0] c,\n", "an array of another kind", 0},
    {"a\nb\nevent\ni8[2] c,\n", "an array of another kind", 0},
    {"a\nb\nevent\nu8[2x] c,\n", "an array of another kind", 0},
    {"a\nb\nevent\nu8 c d,\n", "something behind a field's name", 0},
    {"a\nb\nevent\nu8 c \"x,\n", "a unit without an end", 0},
    {"a\nb\nevent\nu8 common_pid,\n", "a field whose name is none", 0},
    {"a\nb\nevent\nu8 c;d,\n", "a field whose name is none", 0},
    {"a\nb\nevent\nenum8 c A, B,\n", "fewer values than enumerators", 1},
    {"a\nb\nevent\nenum8 c A\"B,\n", "an enumerator that is no name", 1},
    {"a\nb\nevent\nenum8 c A B,\n", "an enumerator that is no name", 1},
    {"a\nb\nevent\nenum8 c A, ,\n", "an enumerator that is no name", 2},
    {"a\nb\nevent\nenum8 c A,\n", "more in it than fields", 2},
    {"a\nb\nevent\nu8 c,\nx", "more in it than fields", 0},
    {"a\nb\nevent\nstr c,\nu8 d,\n", "a field behind a text", 0},
    {"a\nb\nevent\nu32[223] c,\nu8[5] d,\n", "more fields than an event has room for", 0},
    {"a\nb\nevent\nu8 c,\nu16 c,\n", "two fields of one name", 0},
    {"a\nb\nevent\nf32 c,\nu16 c_text,\n", "two fields of one name", 0},
    {"a\nb\nevent\nu8[2] c,\nu16 c_1,\n", "two fields of one name", 0},
    {"a\nb\nevent\nu8 c \"V\",\nu16 c_unit,\n", "two fields of one name", 0},
    {"a\nb\nevent\nu8 a,\nu8 b,\nu8 c,\nu8 d,\nu8 e,\nu8 f,\nu8 g,\nu8 h,\nu8 i,\nu8 j,\nu8 k,\nu8 l,\nu8 m,\nu8 n,\n"
     "u8 o,\nu8 p,\nu8 q,\n",
     "more fields than an event has room for", 0},
};

static void what_is_wrong_is_told(void **state)
{
    const char *why;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct section section = {.n = 0};
        add(&section, HEAD, wrong[i].text, wrong[i].values);
        assert_null(own_descriptor_parse(section.bytes, section.n, false, &why));
        assert_non_null(why);
        assert_string_equal(why, wrong[i].why);
    }
}

/* Change a word of a good descriptor. */
static void check_word(size_t at, uint32_t word, const char *expected)
{
    struct section section = {.n = 0};
    const char *why;
    add(&section, HEAD, full, 3);
    put_le32(section.bytes + at, word);
    assert_null(own_descriptor_parse(section.bytes, section.n, false, &why));
    assert_string_equal(why, expected);
}

static void words_that_cannot_be(void **state)
{
    static const uint32_t heads[] = {HEAD | 0x100, HEAD | 0x10000, HEAD | 1u << 31, 11 << 10, 16 << 10, 0};
    static const uint32_t sizes[] = {0, 4, 19, 21, 1000, 0xFFFFFFFC};
    (void)state;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        check_word(0, heads[i], "not of an event of a group");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        check_word(4, sizes[i], "a size that is not its own");
    check_word(8, 2, "of a version that is not known");
    check_word(12, 0x40000000, "more values than there is room for, or a text without an end");
    check_word(12, 200, "more values than there is room for, or a text without an end");
}

/* ---- any bytes --------------------------------------------------------------------------------------------------- */

static uint32_t seed = 1;

static uint32_t next(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* Parse the bytes, in memory that ends where they end. */
static void parse_any(const unsigned char *bytes, size_t n, bool big)
{
    unsigned char *copy = malloc(n + 1u);
    const char *why;
    struct own_descriptor *of;
    assert_non_null(copy);
    memcpy(copy, bytes, n);
    copy = realloc(copy, n > 0 ? n : 1u);
    of = own_descriptor_parse(copy, n, big, &why);
    assert_true((of == NULL) == (why != NULL));
    if (of != NULL)
        use(of);
    own_descriptor_free(of);
    free(copy);
}

static void cut_bytes_and_flipped_bits(void **state)
{
    struct section good = {.n = 0};
    (void)state;
    add(&good, HEAD, full, 3);
    for (size_t n = 0; n <= good.n; n++)
        parse_any(good.bytes, n, n % 2 != 0);
    for (size_t bit = 0; bit < 8u * good.n; bit++) {
        struct section section = good;
        section.bytes[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
        parse_any(section.bytes, section.n, false);
    }
    for (unsigned round = 0; round < 60000; round++) {
        struct section section = good;
        for (unsigned k = next() % 6u; k > 0; k--)
            section.bytes[16 + next() % (section.n - 16)] = (unsigned char)("\n,\" []u8\\:\0\xFF%"[next() % 13u]);
        section.n -= round % 4u == 0 ? 4u * (next() % 8u) : 0;
        put_le32(section.bytes + 4, (uint32_t)section.n);
        parse_any(section.bytes, section.n, false);
    }
}

/* ---- floating point numbers -------------------------------------------------------------------------------------- */

static void floats_as_texts_and_whole_numbers(void **state)
{
    static const struct {
        double value;
        const char *text;
        int64_t whole;
    } numbers[] = {{624.5, "624.5", 625},
                   {-0.5, "-0.5", -1},
                   {0.49, "0.49", 0},
                   {-0.1f, "-0.1", 0},
                   {16777216.0, "16777216", 16777216},
                   {0, "0", 0},
                   {1.5e-6, "1.5e-06", 0},
                   {0.000001, "0.000001", 0},
                   {-1234.056, "-1234.056", -1234},
                   {1e30, "1e+30", INT64_MAX},
                   {-1e30, "-1e+30", INT64_MIN},
                   {INFINITY, "inf", INT64_MAX},
                   {-INFINITY, "-inf", INT64_MIN},
                   {NAN, "nan", 0}};
    char text[OWN_FLOAT_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        assert_int_equal(own_float_text(text, (float)numbers[i].value, 4), strlen(numbers[i].text));
        assert_string_equal(text, numbers[i].text);
        assert_true(own_float_round(numbers[i].value) == numbers[i].whole);
    }
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t bits = (uint64_t)next() << 40 ^ (uint64_t)next() << 20 ^ next();
        unsigned char bytes[8];
        double value;
        put_le64(bytes, bits);
        value = own_float_at(bytes, 8);
        assert_true(own_float_text(text, value, 8) < OWN_FLOAT_TEXT);
        assert_true(value != value || strtod(text, NULL) == value);
        value = own_float_at(bytes, 4);
        own_float_text(text, value, 4);
        assert_true(value != value || (double)strtof(text, NULL) == value);
        value = (double)(int32_t)(uint32_t)bits / (1u << (bits >> 32) % 24u);
        own_float_text(text, value, 8);
        assert_true(strtod(text, NULL) == value);
        own_float_text(text, (double)(float)value, 4);
        assert_true(strtof(text, NULL) == (float)value);
    }
}

/* ---- types and payloads ------------------------------------------------------------------------------------------ */

static struct trace trace;
static struct trace_firmware firmware;
static struct trace_descriptors at[2];

/* A trace of a firmware with that section. */
static struct own_types *begin(const struct section *section)
{
    struct own_types *types;
    trace_init(&trace, "dump.bin");
    trace.sink = &message_sink;
    trace.quiet = true;
    at[0] = (struct trace_descriptors){0, section->bytes, section->n};
    firmware = (struct trace_firmware){.path = "fw.elf", .descriptors = at, .ndescriptors = 1, .nsections = 1};
    trace.firmware = &firmware;
    types = own_types_new(&trace);
    assert_non_null(types);
    return types;
}

static void end(struct own_types *types)
{
    own_types_free(types);
    trace_free(&trace);
}

/* Put an event of n words of id `id` in group 0; number: with its tag. */
static uint16_t put(struct own_types *types, uint32_t number, const void *words, uint32_t n)
{
    static unsigned char data[OWN_PAYLOAD_MAX];
    bool is_plain;
    uint16_t type;
    return own_types_payload(types, 0, number, (struct own_data){words, n}, data, &type, &is_plain);
}

static const unsigned char words[64];

static void only_what_is_described_becomes_an_event(void **state)
{
    static struct section section;
    struct own_types *types;
    (void)state;
    section.n = 0;
    add(&section, HEAD, "user\none\nevent\nu8 a,\n", 0);
    put_word(&section, 0); /* padding */
    add(&section, HEAD | 1, "user\ntwo\nspan\n", 0);
    add(&section, HEAD | 2, "user\nthree\nevent\nu32[3] a,\n", 0);
    add(&section, HEAD | 3, "user\nfour\nevent\nstr a,\n", 0);
    add(&section, HEAD | 4, "user\nfive\nevent\n", 0);
    add(&section, HEAD | 4, "user\nsix\nevent\n", 0);         /* two of one event */
    add(&section, HEAD | 5, "user\none\nevent\nu16 a,\n", 0); /* of the same name */
    add(&section, HEAD | 5, "user\none\nevent\nu16 a,\n", 0); /* the same twice */
    add(&section, HEAD | 6, "user\nbad\nevent\nu7 a,\n", 0);
    types = begin(&section);
    assert_int_equal(put(types, 0, words, 2), 8);
    assert_int_equal(put(types, 0, words, 1), 8); /* a record */
    assert_int_equal(put(types, 0, words, 4), 0);
    assert_int_equal(put(types, 0x100, words, 2), 0);
    assert_int_equal(put(types, 1, words, 2), 0);
    assert_int_equal(put(types, 0x101, words, 2), 8);
    assert_int_equal(put(types, 0x201, words, 2), 16);
    assert_int_equal(put(types, 0x301, words, 2), 0);
    assert_int_equal(put(types, 2, words, 2), 0);
    assert_int_equal(put(types, 2, words, 4), 16);
    assert_int_equal(put(types, 3, words, 2), 8);
    assert_int_equal(put(types, 3, "abcdefg", 2), 12);
    assert_int_equal(put(types, 3, "abcdefgh", 2), 0);
    assert_int_equal(put(types, 4, words, 2), 0);
    assert_int_equal(put(types, 5, words, 2), 8);
    assert_int_equal(put(types, 6, words, 2), 0);
    assert_int_equal(put(types, 7, words, 2), 0);
    assert_int_equal(trace.ntypes, 6);
    assert_string_equal(trace.types[5]->name, "one_2");
    end(types);
}

/* As many events as there can be, and as many types as a trace has room for. */
static void more_types_than_there_is_room_for(void **state)
{
    static struct tlog_type others[TRACE_TYPES_MAX];
    static struct section section;
    struct own_types *types;
    (void)state;
    section.n = 0;
    add(&section, HEAD, "user\none\nevent\nu8 a,\n", 0);
    types = begin(&section);
    for (unsigned i = 0; i < TRACE_TYPES_MAX - 64u; i++) {
        others[i] = (struct tlog_type){"a", "b", TLOG_MEANS_PLAIN, 0, 0, NULL, NULL};
        trace.types[trace.ntypes++] = &others[i];
    }
    assert_int_equal(put(types, 0, words, 2), 0);
    assert_false(trace.failed);
    trace.ntypes = 0;
    end(types);
}

/* As much as an event can have: its payload has room. */
static void the_largest_payload(void **state)
{
    static struct section section;
    static unsigned char most[OWN_BYTES_MAX];
    struct own_types *types;
    char text[ROOM] = "user\none\nevent\n";
    (void)state;
    for (unsigned i = 0; i < 11; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "f64 f%u \"%.29s\xC2\xB0\",\n", i,
                 "123456789012345678901234567890");
    strcat(text, "str s,\n");
    for (unsigned i = 0; i < 88; i++)
        most[i] = (unsigned char)("\x55\x55\x55\x55\x55\x55\xE5\x95"[i % 8u]); /* -1.2e-203 */
    memset(most + 88, 'x', sizeof most - 89u);
    section.n = 0;
    add(&section, HEAD, text, 0);
    types = begin(&section);
    assert_in_range(put(types, 0, most, sizeof most / 4u), 1500, OWN_PAYLOAD_MAX);
    end(types);
    section.n = 0;
    add(&section, HEAD, "user\none\nevent\nu8[896] a,\n", 0);
    types = begin(&section);
    assert_int_equal(put(types, 0, most, sizeof most / 4u), OWN_BYTES_MAX);
    end(types);
}

/* Descriptors of any bytes, and an event of each number, of any size and data. */
static void any_section(void **state)
{
    static struct section good, section;
    (void)state;
    good.n = 0;
    add(&good, HEAD, full, 3);
    add(&good, HEAD | 1, "user\ntwo\nspan\n", 0);
    add(&good, HEAD | 2,
        "user\nthree\nevent\nf64 b \"\xC2\xB0"
        "C\",\nstr a,\n",
        0);
    for (unsigned round = 0; round < 3000; round++) {
        struct own_types *types;
        section = good;
        for (unsigned k = next() % 3u; k > 0; k--)
            section.bytes[next() % section.n] ^= (unsigned char)(1u << next() % 8u);
        section.n -= round % 4u == 0 ? next() % 60u : 0;
        types = begin(&section);
        for (unsigned i = 0; i < 12; i++) {
            uint32_t n = 1u + next() % 16u, any[16];
            for (unsigned k = 0; k < n; k++)
                any[k] = next() << 8 ^ next();
            assert_true(put(types, (i % 3u) << 8 | i % 4u, any, n) <= OWN_PAYLOAD_MAX);
        }
        assert_false(trace.failed);
        end(types);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_a_descriptor_may_have),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(words_that_cannot_be),
        cmocka_unit_test(cut_bytes_and_flipped_bits),
        cmocka_unit_test(floats_as_texts_and_whole_numbers),
        cmocka_unit_test(only_what_is_described_becomes_an_event),
        cmocka_unit_test(more_types_than_there_is_room_for),
        cmocka_unit_test(the_largest_payload),
        cmocka_unit_test(any_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
