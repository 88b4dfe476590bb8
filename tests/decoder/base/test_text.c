/* test_text.c - texts: patterns against fnmatch(), over all patterns and texts of a few characters. */
#include "base/heap.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <fnmatch.h>

/* Make the text number `index` of those of the letters, the shorter ones first. */
static void nth(char *text, const char *letters, unsigned index)
{
    unsigned base = (unsigned)strlen(letters);
    size_t n = 0;
    for (; index > 0; index = (index - 1u) / base)
        text[n++] = letters[(index - 1u) % base];
    text[n] = '\0';
}

static void patterns_fit_as_for_fnmatch(void **state)
{
    enum { PATTERNS = 40000, TEXTS = 85 };
    char pattern[16], text[16];
    (void)state;
    for (unsigned i = 0; i < PATTERNS; i++) {
        nth(pattern, "a*[]?b-!\\", i);
        for (unsigned k = 0; k < TEXTS; k++) {
            nth(text, "ab]-", k);
            if (text_fits(pattern, text) != (fnmatch(pattern, text, 0) == 0))
                fail_msg("pattern %s, text %s: %d", pattern, text, text_fits(pattern, text));
        }
    }
}

static void classes_fit_as_for_fnmatch(void **state)
{
    static const char *const patterns[] = {
        "[[:alnum:]]", "[[:alpha:]]", "[[:blank:]]", "[[:cntrl:]]", "[[:digit:]]",  "[[:graph:]]",    "[[:lower:]]",
        "[[:print:]]", "[[:punct:]]", "[[:space:]]", "[[:upper:]]", "[[:xdigit:]]", "[!x[:digit:]y]", "[^[:digit:]-]",
        "[\x01-\xff]", "[\\]-a]",     "[a-\\]]",     "[]-a]",       "[!]-a]",       "[z-a]",
    };
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        for (unsigned c = 1; c < 256; c++) {
            const char text[] = {(char)c, '\0'};
            if (text_fits(patterns[i], text) != (fnmatch(patterns[i], text, 0) == 0))
                fail_msg("pattern %s, character %u: %d", patterns[i], c, text_fits(patterns[i], text));
        }
    }
}

/* Steps grow with the product of the lengths, not with a power. */
static void many_stars_end(void **state)
{
    char text[4096], pattern[2048];
    (void)state;
    memset(text, 'a', sizeof text - 1u);
    text[sizeof text - 1u] = '\0';
    for (size_t i = 0; i + 2 < sizeof pattern; i += 2)
        memcpy(pattern + i, "*a", 2);
    memcpy(pattern + sizeof pattern - 2u, "b", 2);
    assert_false(text_fits(pattern, text));
}

static void words_are_found(void **state)
{
    const char text[] = "xvevector";
    (void)state;
    assert_ptr_equal(text_find(text, text + 9, "vector"), text + 3);
    assert_null(text_find(text, text + 8, "vector"));
    assert_null(text_find(text, text + 9, "vectors"));
    assert_null(text_find(text, text, "v"));
    assert_true(text_begins("Vectors", "vEctor"));
    assert_false(text_begins("Vecto", "vector"));
    assert_false(text_is("Vectors", "vector"));
    assert_true(text_is("INF", "inf"));
    assert_int_equal(text_length("abc", 2), 2);
    assert_int_equal(text_length("abc", 9), 3);
}

static void a_text_grows(void **state)
{
    struct growing_text text = {0};
    (void)state;
    for (int i = 0; i < 10000; i++)
        text_add(&text, "%04d", i);
    assert_int_equal(text.n, 40000);
    assert_int_equal(strlen(text.bytes), 40000);
    assert_memory_equal(text.bytes + 4 * 9998, "99989999", 8);
    text_add(&text, "%*s", 100000, "");
    assert_int_equal(text.n, 140000);
    heap_free(text.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_fit_as_for_fnmatch),
        cmocka_unit_test(classes_fit_as_for_fnmatch),
        cmocka_unit_test(many_stars_end),
        cmocka_unit_test(words_are_found),
        cmocka_unit_test(a_text_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
