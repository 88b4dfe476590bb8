/* test_faults.c - faults in traces of LTTng 1.0 that tlog-decode wrote, in files and blocks as a whole: cut, damaged,
 * rotated, exchanged, lost, open; and files whose ends lack events. Faults of fields, in every version, are in
 * test_fields.c.
 */
#include "harness.h"
#include "lib/tier.h"

#include "base/bytes.h"
#include "formats/lttng/block_header.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that hold headers and events in the first block of a file, which is little-endian: buf_size less lost_size. */
static uint32_t used_bytes(size_t file)
{
    return (uint32_t)(get_le32(original[file] + 36) - get_le32(original[file] + 32));
}

static void test_cut_at_every_byte(void **state)
{
    (void)state;
    begin_faults("block=4096,word=4", 60);
    for (size_t file = 0; file < FAULT_FILES; file++) {
        for (size_t n = 0; n < length[file]; n += tier_step(13) * (n < 700u || n + 100u > length[file] ? 1u : 13u)) {
            const struct result *result = with_bytes(file, original[file], n);
            assert_true(result->events <= whole.events);
            assert_true(result->failed || result->gaps > 0 || n == 0);
            if (file == 2 && n >= used_bytes(2))
                assert_int_equal(result->events, whole.events);
        }
        restore(file);
    }
}

/* Flip one bit: if no damage is reported, no event is missing; the events behind the broken one are there. A wrong
 * lost_size, at offset 32, may hide events without damage. */
static void flip_all(const char *options)
{
    static unsigned char broken[FILE_BYTES];
    begin_faults(options, 32);
    for (size_t file = 0; file < FAULT_FILES; file++) {
        uint32_t used = used_bytes(file);
        memcpy(broken, original[file], length[file]);
        for (uint32_t at = 0; at < used; at += tier_step(11)) {
            for (unsigned bit = 0; bit < 8u; bit += file == 2 ? tier_step(7) : 3u) {
                const struct result *result;
                broken[at] ^= (unsigned char)(1u << bit);
                result = with_bytes(file, broken, length[file]);
                broken[at] ^= (unsigned char)(1u << bit);
                if (!result->failed && result->gaps == 0 && !(at >= 32 && at < 36))
                    assert_int_equal(result->events, whole.events);
                if (file == 2 && at >= LTTNG_HEADER_1_0)
                    assert_true(result->events + 2u >= whole.events);
            }
        }
        restore(file);
    }
}

static void test_every_bit_flipped(void **state)
{
    (void)state;
    flip_all("block=4096");
}

static void test_every_bit_flipped_with_heartbeat(void **state)
{
    (void)state;
    flip_all("block=4096,word=4,heartbeat,packed");
}

/* The header of the event at an offset, behind its padding: event_size gets several values. The event is left out and
 * reported, all others are kept. */
static void break_event_size(unsigned char *broken, uint32_t at)
{
    static const uint16_t values[] = {0, 1, 0xFFFE, 0, 0};
    uint16_t old = get_le16(original[2] + at + 10);
    for (unsigned i = 0; i < COUNT(values); i++) {
        uint16_t value = i < 3u ? values[i] : (uint16_t)(i == 3u ? old - 1u : old + 1u);
        const struct result *result;
        put_le16(broken + at + 10, value);
        result = with_bytes(2, broken, length[2]);
        if (value != old && value != LTTNG_SIZE_BY_FORMAT) {
            assert_true(result->gaps > 0);
            assert_int_equal(result->events, whole.events - 1u);
        }
    }
    put_le16(broken + at + 10, LTTNG_SIZE_BY_FORMAT);
    assert_int_equal(with_bytes(2, broken, length[2])->sum, whole.sum);
    put_le16(broken + at + 10, old);
}

static void test_every_event_size(void **state)
{
    static unsigned char broken[FILE_BYTES];
    uint32_t at = LTTNG_HEADER_1_0, n = 0;
    (void)state;
    begin_faults("block=8192", 60);
    memcpy(broken, original[2], length[2]);
    while (at < used_bytes(2)) {
        uint16_t size;
        at += lttng_pad(at, 8, 8);
        size = get_le16(original[2] + at + 10);
        break_event_size(broken, at);
        at += 12;
        at += lttng_pad(at, 8, 8) + size;
        n++;
    }
    assert_int_equal(n, whole.events);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void rotate(unsigned char *to, const unsigned char *from, size_t n, size_t by)
{
    memcpy(to, from + by, n - by);
    memcpy(to + n - by, from, by);
}

static void test_rotated_blocks(void **state)
{
    static unsigned char turned[FILE_BYTES];
    const struct result *result;
    (void)state;
    begin_faults("block=4096", 600);
    assert_true(length[2] >= 5u * PAGE);
    for (size_t by = PAGE; by < length[2]; by += PAGE) {
        rotate(turned, original[2], length[2], by);
        result = with_bytes(2, turned, length[2]);
        assert_int_equal(result->gaps, 0);
        assert_int_equal(result->sum, whole.sum);
    }
    memcpy(turned, original[2], length[2]); /* two blocks exchanged: that cannot be a ring */
    memcpy(turned + PAGE, original[2] + 3u * PAGE, PAGE);
    memcpy(turned + 3u * PAGE, original[2] + PAGE, PAGE);
    result = with_bytes(2, turned, length[2]);
    assert_true(result->gaps > 0);
    assert_int_equal(result->events, whole.events);
}

static void test_block_lost_in_the_middle(void **state)
{
    static unsigned char broken[FILE_BYTES];
    const struct result *result;
    (void)state;
    begin_faults("block=4096", 600);
    for (size_t block = 0; block < length[2] / PAGE; block++) {
        memcpy(broken, original[2], length[2]);
        memset(broken + block * PAGE, 0xAA, PAGE);
        result = with_bytes(2, broken, length[2]);
        assert_true(result->gaps > 0 && !result->failed);
        assert_true(result->events + 130u >= whole.events && result->events < whole.events);
    }
}

/* An open block: all its events are given out, and no other, whatever lies behind them. */
static void test_open_blocks(void **state)
{
    static const char *const variants[] = {"block=8192", "block=8192,word=4,heartbeat", "block=8192,packed,order=big"};
    static unsigned char open_block[FILE_BYTES];
    (void)state;
    for (size_t i = 0; i < COUNT(variants); i++) {
        bool big = strstr(variants[i], "big") != NULL;
        size_t used;
        begin_faults(variants[i], 40);
        used = (size_t)(number_at(original[2] + 36, 4, big) - number_at(original[2] + 32, 4, big));
        for (unsigned rest = 0; rest < 4u; rest++) {
            const struct result *result;
            memcpy(open_block, original[2], length[2]);
            lttng_put(open_block + 32, 4, big, LTTNG_OPEN);
            lttng_put(open_block + 16, 8, big, 0);
            memset(open_block + used, rest == 0 ? 0 : rest == 1 ? 0xAA : 0xFF, length[2] - used);
            if (rest == 3u) /* events that the ring had there before */
                memcpy(open_block + used, original[2] + used - 600u, 600u);
            result = with_bytes(2, open_block, length[2]);
            assert_true(result->gaps > 0);
            assert_int_equal(result->sum, whole.sum);
        }
    }
}

/* ---- ends of files ----------------------------------------------------------------------------------------------- */

/* Read a trace of so many events, with losses and damage before the last one and behind it: see gen/lttng.py. */
static void read_ends(const char *options, unsigned events)
{
    char command[200];
    remove_tree(trace_path);
    snprintf(command, sizeof command, "python3 tests/gen/lttng.py %s %s ends=%u", trace_path, options, events);
    assert_int_equal(system(command), 0);
    read_into(&whole, trace_path, NULL, 0);
}

/* With some number of events, a batch has room for all but what is missing before the last event, or behind it. */
static void test_every_number_of_events_in_a_batch(void **state)
{
    (void)state;
    for (unsigned events = TRACE_BATCH_EVENTS - 12u; events < TRACE_BATCH_EVENTS + 4u; events += tier_step(5)) {
        read_ends("2.2", events);
        assert_int_equal(whole.n, events + 1u);
        assert_int_equal(whole.lost, 8);
        assert_int_equal(whole.dropped, 8);
        assert_int_equal(whole.gaps, 2);
        assert_int_equal(whole.marks, 2);
    }
}

/* In a channel without an event, those that were lost are given out at the time of its block. */
static void test_files_without_an_event(void **state)
{
    static const char *const versions[] = {"2.2", "2.3 order=big word=4", "2.4 packed", "2.5", "2.6 heartbeat"};
    static const unsigned char rubbish[PAGE] = {0xAA};
    char path[120];
    (void)state;
    for (size_t i = 0; i < COUNT(versions); i++) {
        read_ends(versions[i], 0);
        assert_int_equal(whole.n, 1);
        assert_int_equal(whole.lost, 5);
        assert_int_equal(whole.dropped, 5);
        assert_int_equal(whole.gaps, 1);
        assert_int_equal(whole.marks, 1);
        assert_int_equal(whole.last, whole.first + 417u); /* cycles 1000 and 2000 of 2.4 GHz */
    }
    snprintf(path, sizeof path, "%s/other_1", trace_path);
    save(path, rubbish, sizeof rubbish);
    read_into(&whole, trace_path, NULL, 0);
    assert_int_equal(whole.lost, 5);
    assert_int_equal(whole.gaps, 2);
    assert_int_equal(whole.marks, 2);
}

/* ---- main --- */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_bit_flipped),
        cmocka_unit_test(test_every_bit_flipped_with_heartbeat),
        cmocka_unit_test(test_every_event_size),
        cmocka_unit_test(test_rotated_blocks),
        cmocka_unit_test(test_block_lost_in_the_middle),
        cmocka_unit_test(test_open_blocks),
        cmocka_unit_test(test_every_number_of_events_in_a_batch),
        cmocka_unit_test(test_files_without_an_event),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
