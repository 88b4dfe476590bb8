/* test_cursor.c - the cursor: numbers of every width and both orders, in memory and in a file, cut at every byte. */
#include "base/heap.h"
#include "base/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { BYTES = 40 };

/* A file in memory. It may have fewer bytes than a cursor's end says. */
struct file {
    const unsigned char *bytes;
    size_t size;
};

static const unsigned char sample[BYTES] = {0x80, 0x11, 0xFF, 0x33, 0x44, 0x00, 0x66, 0x77, 0x88, 0x99,
                                            0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0x01, 0x02, 0x03, 0x04, 0x05,
                                            0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F,
                                            0x10, 0x21, 0x32, 0x43, 0x54, 0x65, 0x76, 0x87, 0x98, 0xA9};

static size_t read_file(void *file, uint64_t at, void *to, size_t size)
{
    const struct file *from = file;
    size_t left = at < from->size ? from->size - (size_t)at : 0;
    size = size < left ? size : left;
    memcpy(to, from->bytes + at, size);
    return size;
}

static struct cursor in_file(struct file *file, uint64_t end, bool big)
{
    return (struct cursor){.read = read_file, .file = file, .end = end, .big = big};
}

/* What a number of the sample is, computed another way than number_at() does. */
static uint64_t expected_number(size_t at, unsigned size, bool big)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value += (uint64_t)sample[at + i] << 8u * (big ? size - 1u - i : i);
    return value;
}

static uint64_t take(struct cursor *cursor, unsigned size, bool by_width)
{
    if (by_width && size == 2)
        return cursor_16(cursor);
    if (by_width && size == 4)
        return cursor_32(cursor);
    if (by_width && size == 8)
        return cursor_64(cursor);
    return cursor_number(cursor, size);
}

/* Numbers of one size, one after the other, up to the end at cut; what would reach beyond it is 0, and all after it. */
static void check_numbers(struct cursor cursor, unsigned size, size_t cut, bool by_width)
{
    size_t at = 0;
    for (; at + size <= cut; at += size) {
        assert_int_equal(cursor_left(&cursor), cut - at);
        assert_true(take(&cursor, size, by_width) == expected_number(at, size, cursor.big));
        assert_false(cursor.bad);
    }
    assert_int_equal(cursor_left(&cursor), cut - at);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(take(&cursor, size, by_width), 0);
        assert_true(cursor.bad);
        assert_int_equal(cursor_left(&cursor), 0);
        assert_int_equal(cursor.at, at);
    }
    assert_int_equal(take(&cursor, 1, by_width), 0);
}

/* The memory is no longer than the cursor says, for the sanitizer. */
static unsigned char *cut_sample(size_t cut)
{
    unsigned char *bytes = malloc(cut + 1u);
    memcpy(bytes, sample, cut);
    return realloc(bytes, cut > 0 ? cut : 1u);
}

static void numbers_of_every_width_end_with_the_bytes(void **state)
{
    (void)state;
    for (size_t cut = 0; cut <= BYTES; cut++) {
        unsigned char *bytes = cut_sample(cut);
        struct file file = {bytes, cut};
        for (unsigned size = 1; size <= 8; size++) {
            for (unsigned how = 0; how < 4; how++) {
                check_numbers(cursor_in_memory(bytes, cut, how & 1u), size, cut, how & 2u);
                check_numbers(in_file(&file, cut, how & 1u), size, cut, how & 2u);
            }
        }
        free(bytes);
    }
}

/* Every place in memory, whatever its alignment. */
static void numbers_need_no_alignment(void **state)
{
    (void)state;
    for (size_t at = 0; at + 8 <= BYTES; at++) {
        for (unsigned size = 0; size <= 8; size++) {
            assert_true(number_at(sample + at, size, false) == expected_number(at, size, false));
            assert_true(number_at(sample + at, size, true) == expected_number(at, size, true));
        }
        assert_int_equal(get_le16(sample + at), expected_number(at, 2, false));
        assert_int_equal(get_le32(sample + at), expected_number(at, 4, false));
        assert_true(get_le64(sample + at) == expected_number(at, 8, false));
    }
}

static void numbers_are_stored_little_endian(void **state)
{
    unsigned char bytes[16];
    (void)state;
    for (size_t at = 0; at <= 8; at++) {
        memset(bytes, 0x55, sizeof bytes);
        put_le64(bytes + at, UINT64_C(0x1122334455667788));
        assert_memory_equal(bytes + at, "\x88\x77\x66\x55\x44\x33\x22\x11", 8);
        put_le32(bytes + at, 0xAABBCCDDu);
        assert_memory_equal(bytes + at, "\xDD\xCC\xBB\xAA\x44\x33\x22\x11", 8);
        put_le16(bytes + at, 0xEEFFu);
        assert_memory_equal(bytes + at, "\xFF\xEE\xBB\xAA\x44\x33\x22\x11", 8);
        for (size_t i = 0; i < sizeof bytes; i++)
            assert_true(bytes[i] == 0x55 || (i >= at && i < at + 8));
    }
}

/* A file that ends before its cursor does is as bad as the cursor's end. */
static void a_file_may_be_shorter_than_its_cursor(void **state)
{
    (void)state;
    for (size_t size = 0; size < 8; size++) {
        struct file file = {sample, size};
        struct cursor cursor = in_file(&file, BYTES, false);
        unsigned char bytes[8];
        memset(bytes, 0x55, sizeof bytes);
        assert_false(cursor_get(&cursor, bytes, sizeof bytes));
        assert_memory_equal(bytes, "\0\0\0\0\0\0\0\0", 8);
        assert_true(cursor.bad);
        assert_int_equal(cursor.at, 0);
    }
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static void check_bytes(struct cursor cursor, size_t end)
{
    for (size_t at = 0; at <= end; at++) {
        for (size_t size = 0; size <= end + 2; size++) {
            unsigned char bytes[BYTES + 4];
            struct cursor here = cursor;
            bool there = size <= end - at;
            memset(bytes, 0x55, sizeof bytes);
            assert_true(cursor_skip(&here, at));
            assert_int_equal(cursor_get(&here, bytes, size), there);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(bytes[i], there ? sample[at + i] : 0);
            assert_int_equal(bytes[size], 0x55);
            assert_int_equal(here.bad, !there);
            assert_int_equal(here.at, there ? at + size : at);
        }
    }
}

static void bytes_are_copied_or_zero(void **state)
{
    struct file file = {sample, 12};
    (void)state;
    check_bytes(cursor_in_memory(sample, 12, false), 12);
    check_bytes(in_file(&file, 12, false), 12);
}

static void check_skip(struct cursor cursor)
{
    static const uint64_t beyond[] = {BYTES + 1, UINT32_MAX, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        struct cursor here = cursor;
        assert_false(cursor_skip(&here, beyond[i]));
        assert_true(here.bad);
        assert_int_equal(here.at, 0);
        assert_false(cursor_skip(&here, 0)); /* bad is bad */
        here = cursor;
        assert_true(cursor_skip(&here, 1));
        assert_false(cursor_skip(&here, beyond[i] - 1));
        here = cursor;
        assert_true(cursor_skip(&here, BYTES));
        assert_true(cursor_skip(&here, 0));
        assert_int_equal(cursor_left(&here), 0);
        assert_false(cursor_skip(&here, 1));
    }
}

static void what_is_beyond_the_end_is_not_skipped_to(void **state)
{
    struct file file = {sample, BYTES};
    struct cursor cursor = {.memory = sample, .at = 5, .end = 4};
    (void)state;
    check_skip(cursor_in_memory(sample, BYTES, false));
    check_skip(in_file(&file, BYTES, false));
    assert_int_equal(cursor_left(&cursor), 0); /* made behind its end */
    assert_int_equal(cursor_number(&cursor, 1), 0);
    assert_true(cursor.bad);
}

/* No bytes at all are there, too, unless the cursor is bad. */
static void no_bytes_are_an_empty_cursor(void **state)
{
    struct cursor cursor = cursor_in_memory(NULL, 0, false);
    unsigned char byte = 0x55;
    char *copy;
    (void)state;
    assert_true(cursor_get(&cursor, &byte, 0));
    assert_non_null(cursor_view(&cursor, 0));
    copy = cursor_copy(&cursor, 0, 10);
    assert_string_equal(copy, "");
    heap_free(copy);
    assert_false(cursor.bad);
    assert_false(cursor_get(&cursor, &byte, 1));
    assert_int_equal(byte, 0);
    assert_false(cursor_get(&cursor, &byte, 0));
    assert_null(cursor_view(&cursor, 0));
    assert_null(cursor_copy(&cursor, 0, 10));
}

static void a_view_is_in_memory_only(void **state)
{
    struct file file = {sample, BYTES};
    struct cursor cursor = cursor_in_memory(sample, BYTES, false);
    (void)state;
    assert_ptr_equal(cursor_view(&cursor, 3), sample);
    assert_ptr_equal(cursor_view(&cursor, 0), sample + 3);
    assert_ptr_equal(cursor_view(&cursor, BYTES - 3), sample + 3);
    assert_null(cursor_view(&cursor, 1));
    assert_true(cursor.bad);
    cursor = cursor_in_memory(sample, BYTES, false);
    assert_null(cursor_view(&cursor, BYTES + 1));
    assert_null(cursor_view(&cursor, 1));
    cursor = in_file(&file, BYTES, false);
    assert_null(cursor_view(&cursor, 1));
    assert_true(cursor.bad);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static void check_copy(struct cursor cursor)
{
    for (size_t size = 0; size <= BYTES + 1; size++) {
        for (size_t limit = size > 1 ? size - 2 : 0; limit <= size + 1; limit++) {
            struct cursor here = cursor;
            char *copy = cursor_copy(&here, size, limit);
            assert_int_equal(copy != NULL, size <= limit && size <= BYTES);
            assert_int_equal(here.bad, copy == NULL);
            if (copy != NULL) {
                assert_memory_equal(copy, sample, size);
                assert_int_equal(copy[size], '\0');
                assert_int_equal(here.at, size);
            }
            heap_free(copy);
        }
    }
    assert_null(cursor_copy(&cursor, UINT64_MAX, UINT64_MAX)); /* as damaged input may say */
}

static void a_copy_has_a_limit(void **state)
{
    struct file file = {sample, BYTES}, cut = {sample, 4};
    struct cursor cursor = in_file(&cut, BYTES, false);
    (void)state;
    check_copy(cursor_in_memory(sample, BYTES, false));
    check_copy(in_file(&file, BYTES, false));
    assert_null(cursor_copy(&cursor, 5, 10)); /* the file gives fewer */
    assert_true(cursor.bad);
}

/* A text that has its NUL at byte 5, in room for fewer bytes than that and for more, cut at every byte. */
static void check_string(bool is_file)
{
    static const unsigned char text[] = {'a', 'b', 'c', 'd', 'e', '\0', 'f', 'g'};
    for (size_t end = 0; end <= sizeof text; end++) {
        for (size_t room = 1; room <= sizeof text; room++) {
            struct file file = {text, end};
            struct cursor cursor = is_file ? in_file(&file, end, false) : cursor_in_memory(text, end, false);
            char to[sizeof text + 1];
            bool whole = end > 5 && room > 5;
            memset(to, 0x55, sizeof to);
            assert_int_equal(cursor_string(&cursor, to, room), whole);
            assert_string_equal(to, whole ? "abcde" : "");
            assert_int_equal(cursor.bad, !whole);
            assert_int_equal(to[room], 0x55);
            if (whole)
                assert_int_equal(cursor.at, 6);
            else
                assert_false(cursor_string(&cursor, to, room));
        }
    }
}

static void a_text_needs_its_nul(void **state)
{
    (void)state;
    check_string(false);
    check_string(true);
}

static void a_place_is_in_the_input(void **state)
{
    struct file file = {sample, BYTES};
    struct cursor memory = cursor_in_memory(sample, BYTES, false), cursor = in_file(&file, BYTES, false);
    (void)state;
    memory.origin = 1000;
    cursor_skip(&memory, 7);
    cursor_skip(&cursor, 7);
    assert_int_equal(cursor_place(&memory), 1000);
    assert_int_equal(cursor_place(&cursor), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_width_end_with_the_bytes),
        cmocka_unit_test(numbers_need_no_alignment),
        cmocka_unit_test(numbers_are_stored_little_endian),
        cmocka_unit_test(a_file_may_be_shorter_than_its_cursor),
        cmocka_unit_test(bytes_are_copied_or_zero),
        cmocka_unit_test(what_is_beyond_the_end_is_not_skipped_to),
        cmocka_unit_test(no_bytes_are_an_empty_cursor),
        cmocka_unit_test(a_view_is_in_memory_only),
        cmocka_unit_test(a_copy_has_a_limit),
        cmocka_unit_test(a_text_needs_its_nul),
        cmocka_unit_test(a_place_is_in_the_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
