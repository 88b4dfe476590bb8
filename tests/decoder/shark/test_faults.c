/* test_faults.c - raw S.Ha.R.K. trace files out of order, without a known clock, and damaged. */
#include "harness.h"

#include "cli/formats.h"
#include "events/shark_types.h"
#include "lib/tier.h"

#include <string.h>

/* ---- order ------------------------------------------------------------------------------------------------------- */

static void a_cyclic_file_is_turned(void **state)
{
    (void)state;
    for (uint32_t at = 0; at < 40; at++) {
        in.n = 0;
        add_rising(&in, 100 + at, 40 - at);
        add_rising(&in, 100, at);
        assert_int_equal(convert(&writer_text_full), DECODE_WHOLE);
        assert_counts_up(100, 40);
    }
}

/* A cyclic chunk that was filled more than once, then the chunk after it; and chunks that were sent in another order
 * than they were filled in. */
static void several_chunks_are_put_in_order(void **state)
{
    (void)state;
    in.n = 0;
    add_rising(&in, 120, 10);
    add_rising(&in, 110, 10);
    add_rising(&in, 130, 10);
    assert_int_equal(convert(&writer_text_full), DECODE_WHOLE);
    assert_counts_up(110, 30);
    in.n = 0;
    add_rising(&in, 150, 10);
    add_rising(&in, 140, 10);
    add_rising(&in, 120, 20);
    add_rising(&in, 100, 20);
    assert_int_equal(convert(&writer_text_full), DECODE_WHOLE);
    assert_counts_up(100, 60);
}

static void empty_slots_are_skipped(void **state)
{
    (void)state;
    in.n = 0;
    for (uint64_t i = 0; i < 300; i++) {
        add(&in, 0, 3, random32(), 7);
        add(&in, 0x09, 0, 100 + i, 0);
    }
    assert_int_equal(convert(&writer_text_full), DECODE_WHOLE);
    assert_counts_up(100, 300);
}

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

static void assert_time(const char *time)
{
    assert_int_equal(convert(&writer_text_full), DECODE_WHOLE);
    if (strstr((const char *)out.data, time) == NULL)
        fail_msg("expected%s in %s", time, (const char *)out.data);
}

static void the_clock_is_found(void **state)
{
    (void)state;
    in.n = 0;
    add(&in, FAST | 0x20, 0, 10, 77); /* a leftover: it tells no clock */
    add(&in, 0x09, 0, 32768, 0);
    assert_time(" 32768: shark:user");
    clock_hz = 32768;
    assert_time(" 1.000000000: shark:user");
    add(&in, 0x10, 0, 32769, 32);
    assert_time(" 1.000000000: shark:user"); /* the user's frequency agrees with the record's, and is more exact */
    clock_hz = 33000;
    assert_time(" 1.024000000: shark:user");
    clock_hz = 0;
    assert_time(" 1.024000000: shark:user");
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

/* A time that does not fit costs its record. A mark of damage stands where the record was. */
static void a_damaged_time_costs_one_event(void **state)
{
    (void)state;
    for (size_t bit = 8; bit < 64; bit++) {
        in.n = 0;
        add_rising(&in, 0x123400000000 + 50, 100);
        in.data[16 * 40 + (bit < 32 ? 8u : 4u) + bit % 32 / 8] ^= (unsigned char)(1u << bit % 8);
        assert_int_equal(convert(&writer_text_full), DECODE_DAMAGED);
        assert_int_equal(count_lines(&out, "user_event_0"), 99);
        assert_non_null(strstr((const char *)out.data, "par1=39 par2=0\nCPU:0 [DAMAGED INPUT: 1 EVENTS]\n"));
    }
}

static void times_that_interleave_are_damage(void **state)
{
    (void)state;
    in.n = 0;
    add_rising(&in, 100, 50);
    add_rising(&in, 120, 50);
    assert_int_equal(convert(&writer_text_full), DECODE_DAMAGED);
    assert_int_equal(count_lines(&out, "user_event_0"), 100);
    assert_int_equal(count_lines(&out, "DAMAGED INPUT]"), 2);
}

static void noise_in_the_middle_stays_there(void **state)
{
    (void)state;
    in.n = 0;
    add_rising(&in, 1000, 50);
    for (unsigned i = 0; i < 160; i++)
        in.data[in.n++] = (unsigned char)(random32() | 1u);
    add_rising(&in, 1050, 50);
    assert_int_equal(convert(&writer_text_full), DECODE_DAMAGED);
    assert_int_equal(count_lines(&out, "user_event_0"), 100);
}

static void too_many_streams_are_survived(void **state)
{
    (void)state;
    in.n = 0;
    for (uint64_t i = 0; i < 2000; i++)
        add_rising(&in, 1000000 - i * 20, 5);
    assert_int_equal(convert(&writer_text_full), DECODE_DAMAGED);
    assert_true(count_lines(&out, "user_event_0") >= 5 * 512);
}

/* Files of one stream and of two, with each of their bits flipped: no more than two records are lost, and the writers
 * can write what is left. A record is judged by the ones beside it, so few records have every neighbourhood there is:
 * at the beginning, at the end, inside, and where a stream ends. */
static void no_flipped_bit_breaks_it(void **state)
{
    static const struct trace_writer *const writers[] = {&writer_tracedat, &writer_text_full, NULL};
    const uint32_t n = 4;
    size_t events;
    (void)state;
    for (unsigned turn = 0; turn < 2; turn++) {
        in.n = 0;
        add(&in, 0x20, 0, 1000 + 20 * turn, 25000);
        add_rising(&in, 1001 + 20 * turn, n);
        add_rising(&in, turn ? 1001 : 1001 + n, n);
        for (size_t bit = 0; bit < 8 * in.n; bit += tier_step(29)) {
            in.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_true(convert_in_memory(writers, &events));
            assert_true(events >= 2 * n - 1);
            in.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
    }
}

static void noise_does_not_break_it(void **state)
{
    static const struct trace_writer *const writers[] = {&writer_tracedat, &writer_shark, NULL};
    size_t events;
    (void)state;
    for (unsigned i = 0; i < 300; i += tier_step(7)) {
        in.n = random32() % 4000;
        for (size_t at = 0; at < in.n; at++)
            in.data[at] = (unsigned char)(at % 16 < 8 && i % 2 ? random32() & 1u : random32());
        convert_in_memory(writers, &events);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cyclic_file_is_turned),         cmocka_unit_test(several_chunks_are_put_in_order),
        cmocka_unit_test(empty_slots_are_skipped),         cmocka_unit_test(the_clock_is_found),
        cmocka_unit_test(a_damaged_time_costs_one_event),  cmocka_unit_test(times_that_interleave_are_damage),
        cmocka_unit_test(noise_in_the_middle_stays_there), cmocka_unit_test(too_many_streams_are_survived),
        cmocka_unit_test(no_flipped_bit_breaks_it),        cmocka_unit_test(noise_does_not_break_it),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
