/* test_sorted_set.c - elements that are added in any order: what is found, and how many comparisons that takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>

#include "base/sorted_set.h"
#include "base/sort.h"
#include "lib/tier.h"

enum { MANY = 1 << 15, BITS = 15 };

static uint64_t compared;

static int order(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    compared++;
    return (left > right) - (left < right);
}

/* The orders in which numbers are added: upwards, downwards, in no order, and upwards but for every third. */
static uint32_t upwards(uint32_t i)
{
    return i;
}

static uint32_t downwards(uint32_t i)
{
    return MANY - 1u - i;
}

static uint32_t in_no_order(uint32_t i)
{
    return i * 40503u % MANY;
}

static uint32_t upwards_with_gaps(uint32_t i)
{
    return i % 4u == 3u ? i - 2u : i % 4u == 1u ? i + 2u : i;
}

static void check_order(uint32_t (*number)(uint32_t i))
{
    struct sorted_set set = {.size = sizeof(uint32_t), .order = order};
    compared = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t one = number(i);
        const bool looks = i % tier_step(7) == 0;
        if (looks)
            assert_null(sorted_set_find(&set, &one));
        assert_true(sorted_set_add(&set, &one));
        if (looks)
            assert_int_equal(*(const uint32_t *)sorted_set_find(&set, &one), one);
    }
    assert_true(compared <= (uint64_t)MANY * (3 * BITS + BITS * BITS));
    sorted_set_sort(&set);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(((const uint32_t *)(const void *)set.element)[i], i);
    sorted_set_free(&set);
    assert_int_equal(set.n, 0);
}

static void every_order_is_searched_and_sorted(void **state)
{
    (void)state;
    check_order(upwards);
    check_order(downwards);
    check_order(in_no_order);
    check_order(upwards_with_gaps);
}

/* So many that qsort() would take more than SORT_MEMORY; and few. Of 4 bytes; quick tier: of 64, which are fewer. */
static void arrays_of_any_size_are_sorted(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 3, 1000, SORT_MEMORY / 4u, SORT_MEMORY / 4u + 1u, SORT_MEMORY / 2u};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        if (sizes[k] > SORT_MEMORY / 4u + 1u && tier_step(2) > 1u)
            continue;
        const size_t words = tier_step(16),
                     n = sizes[k] > 1000u ? sizes[k] / words + sizes[k] % 2u * (words > 1u) : sizes[k];
        uint32_t *numbers = calloc(n + 1u, words * 4u);
        assert_non_null(numbers);
        for (size_t i = 0; i < n; i++)
            numbers[i * words] = (uint32_t)(i * 2654435761u) >> 7;
        compared = 0;
        sort(numbers, n, 4u * words, order);
        assert_true(compared <= n * 2u * 24u);
        for (size_t i = 1; i < n; i++)
            assert_true(numbers[(i - 1u) * words] <= numbers[i * words]);
        compared = 0;
        sort(numbers, n, 4u * words, order);
        assert_true(compared <= n);
        free(numbers);
    }
}

/* Elements of two numbers, the first of which is a key that some share: the first one of these is found. */
static void what_is_not_below_a_key_is_found(void **state)
{
    static const uint32_t pairs[][2] = {{3, 0}, {3, 1}, {5, 2}, {9, 3}, {9, 4}, {9, 5}, {UINT32_MAX, 6}};
    static const size_t n = sizeof pairs / sizeof pairs[0];
    (void)state;
    for (size_t count = 0; count <= n; count++) {
        for (uint32_t key = 0; key < 12; key++) {
            size_t first = 0;
            while (first < count && pairs[first][0] < key)
                first++;
            compared = 0;
            assert_int_equal(sort_first(pairs, count, sizeof pairs[0], &key, order), first);
            assert_true(compared <= 3);
        }
    }
    assert_int_equal(sort_first(pairs, n, sizeof pairs[0], &(uint32_t){UINT32_MAX}, order), n - 1u);
    assert_int_equal(sort_first(NULL, 0, 1, NULL, order), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_is_searched_and_sorted),
        cmocka_unit_test(arrays_of_any_size_are_sorted),
        cmocka_unit_test(what_is_not_below_a_key_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
