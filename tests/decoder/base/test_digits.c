/* test_digits.c - numbers and words that are put without printf(): each number of a new length, and what is around it,
 * is what snprintf() makes of it; nothing before or, but for put_short(), behind it changes. */
#include "base/digits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>

enum { AROUND = 64 };

/* The result of a put_...(), with bytes around it that must stay. */
static char place[AROUND + 256];

static char *fresh(void)
{
    memset(place, '#', sizeof place);
    return place + AROUND;
}

static void assert_put(const char *end, const char *expected)
{
    size_t n = strlen(expected);
    assert_int_equal(end - (place + AROUND), n);
    assert_memory_equal(place + AROUND, expected, n);
    for (size_t i = 0; i < AROUND; i++) {
        assert_int_equal(place[i], '#');
        assert_int_equal(end[i], '#');
    }
}

static void check_number(uint64_t value)
{
    char expected[64];
    snprintf(expected, sizeof expected, "%" PRIu64, value);
    assert_put(put_unsigned(fresh(), value), expected);
    snprintf(expected, sizeof expected, "%" PRId64, (int64_t)value);
    assert_put(put_signed(fresh(), value), expected);
    snprintf(expected, sizeof expected, "0x%" PRIx64, value);
    assert_put(put_hex(fresh(), value), expected);
    snprintf(expected, sizeof expected, "%012" PRIu64, value);
    assert_put(put_padded(fresh(), value, 12, '0'), expected);
}

static void numbers_of_every_length(void **state)
{
    uint64_t ten = 1;
    (void)state;
    for (unsigned digits = 0; digits < 20u; digits++, ten *= 10u) {
        for (uint64_t times = 1; times < 10u; times++) {
            for (uint64_t near = 0; near < 3u; near++) {
                check_number(ten * times - near);
                check_number(ten * times + near);
            }
        }
    }
    for (unsigned bit = 0; bit < 64u; bit++) {
        check_number((UINT64_C(1) << bit) - 1u);
        check_number(UINT64_C(1) << bit);
        check_number(~(UINT64_C(1) << bit));
    }
}

/* Every digit in every place: multiples of a number without small factors. */
static void numbers_of_all_digits(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20000u; i++) {
        check_number(i * 7919u);
        check_number(i * 922337203685477u);
    }
}

static void words_of_every_length(void **state)
{
    char word[128], expected[128];
    (void)state;
    for (size_t i = 0; i < sizeof word; i++)
        word[i] = (char)('a' + i % 26u);
    for (size_t n = 0; n < sizeof word - SHORT_BYTES; n++) {
        char *end = put_short(fresh(), word, n);
        memcpy(expected, word, n);
        assert_int_equal(end - (place + AROUND), n);
        assert_memory_equal(place + AROUND, expected, n);
        assert_int_equal(place[AROUND - 1], '#');
        assert_int_equal(place[AROUND + (n > SHORT_BYTES ? n : SHORT_BYTES)], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_length),
        cmocka_unit_test(numbers_of_all_digits),
        cmocka_unit_test(words_of_every_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
