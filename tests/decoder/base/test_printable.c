/* test_printable.c - texts that are made fit for a terminal: no control comes through, and nothing else changes;
 * and texts made UTF-8. */
#include "base/printable.h"
#include "lib/tier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#define test(text, function) cmocka_unit_test(function)

enum { ROOM = 64 };

static char put[ROOM * PRINTABLE_MOST + 1u];

/* What becomes of n bytes. */
static const char *printable(const char *text, size_t n)
{
    char *end = printable_put(put, text, n, true);
    assert_true(end <= put + n * PRINTABLE_MOST);
    *end = '\0';
    return put;
}

/* Would a terminal that reads UTF-8, in the C library's sense of it, meet a control? A byte that is no part of UTF-8 is
 * one if a terminal that reads bytes takes it for one. */
static bool has_control(const char *text)
{
    while (*text != '\0') {
        mbstate_t state = {0};
        wchar_t character;
        size_t n = mbrtowc(&character, text, strlen(text), &state);
        unsigned char byte = (unsigned char)*text;
        if (n == 0 || n > 4u) {
            if (byte < 0xA0)
                return true;
            n = 1;
        } else if (character < L' ' || (character >= 0x7F && character < 0xA0)) {
            return true;
        }
        text += n;
    }
    return false;
}

static void bytes_are_escaped_or_stay(void **state)
{
    (void)state;
    for (unsigned byte = 1; byte < 256u; byte++) {
        char text = (char)byte, escaped[8];
        snprintf(escaped, sizeof escaped, "\\x%02x", byte);
        if (byte == '\n' || byte == '\t' || byte == '\r' || byte == '\\')
            snprintf(escaped, sizeof escaped, "\\%c",
                     byte == '\n'   ? 'n'
                     : byte == '\t' ? 't'
                     : byte == '\r' ? 'r'
                                    : '\\');
        else if ((byte >= ' ' && byte < 0x7Fu) || byte >= 0xA0u)
            snprintf(escaped, sizeof escaped, "%c", byte);
        assert_string_equal(printable(&text, 1), escaped);
    }
}

/* All sequences of up to three bytes, and of four those that begin like UTF-8 of four. */
static void no_control_comes_through(void **state)
{
    (void)state;
    for (unsigned first = 0x7F; first < 256u; first++) {
        for (unsigned rest = 0; rest < 65536u; rest += tier_step(17)) {
            char text[5] = {(char)first, (char)(rest >> 8), (char)rest, (char)0x9B, 'm'};
            assert_false(has_control(printable(text, 2)));
            assert_false(has_control(printable(text, 3)));
            assert_false(has_control(printable(text, first >= 0xEFu ? 5 : 3)));
        }
    }
}

static void letters_of_all_languages_stay(void **state)
{
    (void)state;
    for (uint32_t letter = 0xA0; letter < 0x110000u; letter += tier_step(11)) {
        char text[MB_LEN_MAX + 1];
        mbstate_t conversion = {0};
        size_t n = wcrtomb(text, (wchar_t)letter, &conversion);
        if (n == (size_t)-1) /* halves of UTF-16 are no letters */
            continue;
        text[n] = '\0';
        assert_string_equal(printable(text, n), text);
    }
}

static void a_text_ends_at_its_nul_or_its_size(void **state)
{
    char *end;
    (void)state;
    assert_string_equal(printable("ab\0cd", 5), "ab");
    assert_string_equal(printable("abcd", 3), "abc");
    assert_string_equal(printable("\xC3\xA9", 1), "\xC3");
    assert_string_equal(printable("\xE2\x82\xAC", 2), "\xE2\\x82");
    end = printable_put(put, "a\\b\x1B", 4, false);
    *end = '\0';
    assert_string_equal(put, "a\\b\\x1b");
}

/* A byte that is no UTF-8, and a letter that is, at every place of texts of every length. */
static void what_is_no_utf8_is_mended_wherever_it_stands(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 20; n++) {
        for (size_t i = 0; i < n; i++) {
            unsigned char text[20], wanted[20];
            memset(text, 'a', sizeof text);
            memset(wanted, 'a', sizeof wanted);
            text[i] = 0xE9;
            wanted[i] = '?';
            if (i >= 2)
                memcpy(wanted + i - 2, memcpy(text + i - 2, "\xC3\xA9", 2), 2);
            utf8_mend(text, n);
            assert_memory_equal(text, wanted, sizeof wanted);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("bytes are escaped, or stay", bytes_are_escaped_or_stay),
        test("no control comes through", no_control_comes_through),
        test("letters of all languages stay", letters_of_all_languages_stay),
        test("a text ends at its NUL or its size", a_text_ends_at_its_nul_or_its_size),
        test("what is no UTF-8 is mended wherever it stands", what_is_no_utf8_is_mended_wherever_it_stands),
    };
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
