/* test_samples.c - percentiles: exact ones, those within 1 %, and what is told when there is no memory. */
#include "answer/samples.h"
#include "answer/scheduling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct samples_pool pool = {0, SAMPLES_MEMORY};
static struct samples series;

static int clear(void **state)
{
    (void)state;
    samples_clear(&series, &pool);
    assert_int_equal(pool.used, 0);
    pool.most = SAMPLES_MEMORY;
    return 0;
}

/* The next of n numbers from 0 to n - 1 that come in another order: 7919 is a prime that divides no n used here. */
static uint64_t shuffled(uint64_t i, uint64_t n)
{
    return i * 7919u % n;
}

static void nothing_has_no_percentile(void **state)
{
    (void)state;
    assert_int_equal(samples_percentile(&series, 50), 0);
    assert_int_equal(samples_average(&series), 0);
    assert_true(samples_are_exact(&series));
}

/* The nearest rank: of 1 to 200, 100 values do not exceed 100, and 198 not 198. */
static void percentiles_are_of_the_nearest_rank(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200; i++)
        samples_add(&series, &pool, shuffled(i, 200) + 1u, i);
    assert_int_equal(samples_percentile(&series, 50), 100);
    assert_int_equal(samples_percentile(&series, 99), 198);
    assert_int_equal(samples_percentile(&series, 100), 200);
    assert_int_equal(samples_percentile(&series, 1), 2);
    assert_int_equal(samples_average(&series), 100);
    assert_int_equal(series.least, 1);
    assert_int_equal(series.most, 200);
    assert_int_equal(shuffled(series.most_at, 200), 199);
    samples_add(&series, &pool, 200, 1000); /* of two that are the most the first counts */
    assert_int_not_equal(series.most_at, 1000);
}

static void one_value_is_every_percentile(void **state)
{
    (void)state;
    samples_add(&series, &pool, 7, 3);
    assert_int_equal(samples_percentile(&series, 1), 7);
    assert_int_equal(samples_percentile(&series, 99), 7);
}

/* Values from 2^32 on stand behind all others, and sums do not wrap. */
static void values_of_any_size_are_exact(void **state)
{
    (void)state;
    samples_add(&series, &pool, UINT64_MAX, 1);
    samples_add(&series, &pool, UINT64_MAX - 1u, 2);
    samples_add(&series, &pool, UINT32_MAX, 3);
    samples_add(&series, &pool, (uint64_t)UINT32_MAX + 1u, 4);
    samples_add(&series, &pool, 0, 5);
    assert_int_equal(samples_percentile(&series, 20), 0);
    assert_int_equal(samples_percentile(&series, 40), UINT32_MAX);
    assert_int_equal(samples_percentile(&series, 60), (uint64_t)UINT32_MAX + 1u);
    assert_int_equal(samples_percentile(&series, 80), UINT64_MAX - 1u);
    assert_int_equal(samples_percentile(&series, 99), UINT64_MAX);
    assert_true(samples_average(&series) == UINT64_MAX / 5u * 2u + UINT64_C(2) * UINT32_MAX / 5u); /* 5 divides it */
}

static void within_1_percent(unsigned percent, uint64_t exact)
{
    uint64_t told = samples_percentile(&series, percent);
    uint64_t off = told > exact ? told - exact : exact - told;
    if (off * 100u > exact)
        fail_msg("%u %%: %llu is told, %llu is right", percent, (unsigned long long)told, (unsigned long long)exact);
}

/* A million values are exact; with one more they are within 1 %. */
static void a_million_is_exact_and_more_within_1_percent(void **state)
{
    const uint64_t n = SAMPLES_EXACT;
    (void)state;
    for (uint64_t i = 0; i < n; i++)
        samples_add(&series, &pool, 1000u + 13u * shuffled(i, n), i);
    assert_true(samples_are_exact(&series));
    assert_int_equal(samples_percentile(&series, 50), 1000u + 13u * (n / 2u - 1u));
    assert_int_equal(samples_percentile(&series, 99), 1000u + 13u * (n / 100u * 99u - 1u));
    samples_add(&series, &pool, 1000u + 13u * n, 0);
    assert_false(samples_are_exact(&series));
    assert_int_equal(series.n, n + 1u);
    assert_int_equal(series.missed, 0);
    assert_int_equal(series.most, 1000u + 13u * n);
    assert_int_equal(samples_percentile(&series, 100), series.most);
    for (unsigned percent = 1; percent < 100; percent++)
        within_1_percent(percent, 1000u + 13u * ((n + 1u) * percent / 100u));
    assert_true(pool.used < 16384);
}

/* Each power of two and what is beside it, in a histogram. */
static void every_size_is_within_1_percent(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        for (uint64_t near = 0; near < 3; near++) {
            uint64_t value = (UINT64_C(1) << bit) - 1u + near;
            clear(NULL);
            for (unsigned i = 0; i <= SAMPLES_EXACT && bit == 0 && near == 0; i++)
                samples_add(&series, &pool, 0, 0);
            pool.most = 2048;
            for (unsigned i = 0; i < 300; i++)
                samples_add(&series, &pool, value, i);
            samples_add(&series, &pool, value > 2 ? value - value / 3u : value, 1);
            within_1_percent(99, value);
        }
    }
}

/* When the pool is used up, a series becomes a histogram; with no memory for that either, it tells how many values are
 * in no percentile, and all else stays exact. */
static void memory_is_bounded(void **state)
{
    struct samples other = {0};
    (void)state;
    pool.most = 4096;
    for (uint64_t i = 0; i < 5000; i++)
        samples_add(&series, &pool, 5000u + i % 50u, i);
    assert_non_null(series.histogram);
    assert_int_equal(series.missed, 0);
    assert_int_equal(series.n, 5000);
    within_1_percent(50, 5024);
    pool.most = pool.used - 1u;
    samples_add(&other, &pool, 9, 1);
    assert_int_equal(other.missed, 1);
    assert_int_equal(other.n, 1);
    assert_int_equal(samples_percentile(&other, 50), 0);
    assert_false(samples_are_exact(&other));
    samples_clear(&other, &pool);
}

/* A series that has much becomes a histogram although others have taken all the rest. */
static void a_full_pool_does_not_keep_a_series_from_becoming_a_histogram(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 2000; i++)
        samples_add(&series, &pool, i, i);
    pool.most = pool.used;
    for (uint64_t i = 2000; i < 9000; i++)
        samples_add(&series, &pool, i, i);
    assert_int_equal(series.missed, 0);
    assert_non_null(series.histogram);
    within_1_percent(50, 4499);
    assert_true(pool.used <= pool.most);
}

/* ---- load -------------------------------------------------------------------------------------------------------- */

static void load_is_kept_for_traces_of_any_length(void **state)
{
    struct cpu_load load = {.first = 1000};
    (void)state;
    cpu_load_add(&load, 0, 1000); /* before the first step */
    assert_int_equal(cpu_load_part(&load, 2000, 0, 1) * 1000, 0);
    cpu_load_add(&load, 1000, 1500);
    assert_int_equal(cpu_load_part(&load, 2000, 0, 1) * 1000, 500);
    cpu_load_add(&load, 1000000, 1000000000);
    assert_int_equal(cpu_load_part(&load, 1000000000, 1, 2) * 1000 + 0.5, 1000);
    cpu_load_add(&load, 1000000000, UINT64_MAX / 2u);
    assert_true(cpu_load_part(&load, UINT64_MAX / 2u, 0, 64) > 0.99);
    assert_true(cpu_load_part(&load, UINT64_MAX / 2u, 63, 64) <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nothing_has_no_percentile, clear),
        cmocka_unit_test_teardown(percentiles_are_of_the_nearest_rank, clear),
        cmocka_unit_test_teardown(one_value_is_every_percentile, clear),
        cmocka_unit_test_teardown(values_of_any_size_are_exact, clear),
        cmocka_unit_test_teardown(a_million_is_exact_and_more_within_1_percent, clear),
        cmocka_unit_test_teardown(every_size_is_within_1_percent, clear),
        cmocka_unit_test_teardown(memory_is_bounded, clear),
        cmocka_unit_test_teardown(a_full_pool_does_not_keep_a_series_from_becoming_a_histogram, clear),
        cmocka_unit_test(load_is_kept_for_traces_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
