/* test_pages.c - how events fill the pages of trace.dat: payloads, times and marks of every length. Two pages are
 * compared with bytes that were derived by hand. */
#define _GNU_SOURCE

#include "harness.h"

#include <stdio.h>
#include <string.h>

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* 4080 bytes of room are 204 events of a word, 8 common bytes and 8 of payload. */
static void a_page_holds_what_it_can(void **state)
{
    static const unsigned sizes[][2] = {{203, 1}, {204, 1}, {205, 2}, {408, 2}, {409, 3}};
    for (unsigned i = 0; i < 5; i++) {
        if (i > 0)
            set_up(state);
        begin(1);
        for (uint32_t k = 0; k < sizes[i][0]; k++)
            add_pair(0, 1000 + k, k);
        finish();
        assert_int_equal(pages_in_file(), sizes[i][1]);
        judge();
        if (i < 4)
            tear_down(state);
    }
}

/* Events without payload take 12 bytes. So many of them leave 0, 8, 16, 4 or 12 bytes free at the end of the first
 * page. */
static void any_rest_of_a_page_stays_free(void **state)
{
    static const struct tlog_type bare = {.system = "shark", .name = "bare"};
    for (uint32_t bares = 0; bares < 5; bares++) {
        if (bares > 0)
            set_up(state);
        begin(1);
        for (uint32_t i = 0; i < bares; i++) {
            give(0, &(struct tlog_event){.time = 1000 + i, .task = 1, .type = trace_type(&trace, &bare)});
            expect(0, 1000 + i, 1, "bare", "");
        }
        for (uint32_t i = 0; i < 450; i++)
            add_pair(0, 2000 + i, i);
        finish();
        judge();
        if (bares < 4)
            tear_down(state);
    }
}

static void a_payload_of_any_length_is_rounded_up(void **state)
{
    static const unsigned char data[16] = {1, 0, 0, 0, 1, 0, 0, 0, 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x'};
    unsigned char found[12];
    (void)state;
    begin(1);
    for (uint16_t i = 8; i < 16; i++) {
        give(0, &(struct tlog_event){
                    .time = 1000 + i, .data = data, .task = 1, .type = trace_type(&trace, &pair), .size = i});
        expect(0, 1000 + i, 1, "pair", "par1=1 par2=0x1");
    }
    finish();
    judge();
    read_file(found, 12, 4096 + 16 + 20 + 12); /* the payload of 9 bytes */
    assert_memory_equal(found, "\1\0\0\0\1\0\0\0x\0\0\0", 12);
}

/* Fields behind the end of the payload are 0, and not the bytes that follow in the file. */
static void a_payload_that_is_too_short_is_filled_up(void **state)
{
    static const unsigned char data[8] = {1, 0, 0, 0, 2, 0, 0, 0};
    (void)state;
    begin(1);
    for (uint16_t i = 0; i < 4; i++) {
        give(0,
             &(struct tlog_event){
                 .time = 1000 + i, .data = data, .task = 1, .type = trace_type(&trace, &pair), .size = i % 2 ? 4 : 8});
        expect(0, 1000 + i, 1, "pair", i % 2 ? "par1=1 par2=0x0" : "par1=1 par2=0x2");
    }
    finish();
    judge();
    assert_int_equal(number_in_file(4096 + 8, 8), 4 * 20); /* all are as long as the type says */
}

/* The count behind the data takes 8 bytes, so only 203 events fit on a page with a mark. trace-cmd split 3.1.6 does not
 * leave that room on its own pages, and reads a count from behind them. */
static void a_page_with_a_mark_leaves_room_for_its_count(void **state)
{
    (void)state;
    begin(1);
    add_loss(0, &lost, 1000, 77);
    expect_loss(0, 1000, 77);
    for (uint32_t k = 0; k < 204; k++)
        add_pair(0, 1000 + k, k);
    finish();
    assert_int_equal(pages_in_file(), 2);
    judge_all_but_split();
}

/* ---- two pages by hand ------------------------------------------------------------------------------------------- */

/* The first page, up to the 108 bytes of the fifth event. Ids are 1000 + index: pair 0x3E8, hello 0x3E9, block 0x3EB.
 * 0x3EA is the loss, which is no record. */
static const unsigned char first_page[] = {
    0x40, 0x42, 0x0F, 0, 0, 0, 0, 0, /* page time 1000000 */
    0x4C, 1, 0, 0, 0, 0, 0, 0,       /* commit 20 + 20 + 28 + 24 + 124 + 116 = 332 bytes, nothing lost */
    /* at 1000000: 16 bytes = 4 words of data, no time since the page's: 0 << 5 | 4 */
    0x04, 0, 0, 0, 0xE8, 3, 0, 0, 5, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
    /* 100 ns later in an interrupt, flag 0x08: 100 << 5 | 4 = 0xC84 */
    0x84, 0x0C, 0, 0, 0xE8, 3, 8, 0, 7, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
    /* 2^27 + 5 ns later: an extend with the low 27 bits, 5 << 5 | 30 = 0xBE, and the rest, 1; then the event */
    0xBE, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0xE8, 3, 0, 0, 0, 0, 0, 0x80, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
    /* 1 ns later "hello", 6 bytes at 4 in the payload, which is at 12 in the event; 10 bytes round up to 12, 20 in
     * all are 5 words: 1 << 5 | 5 */
    0x25, 0, 0, 0, 0xE9, 3, 0, 0, 5, 0, 0, 0, 12, 0, 6, 0, 'h', 'e', 'l', 'l', 'o', 0, 0, 0,
    /* 2 ns later 108 bytes of payload: 116 are more than 28 words, so kind 0 and the length 116 + 4 */
    0x40, 0, 0, 0, 120, 0, 0, 0, 0xEB, 3, 0, 0, 5, 0, 0, 0, 'A'};

/* Behind the 108 bytes: no time later 104 bytes of payload, with the common ones 112 = 28 words. */
static const unsigned char first_page_end[] = {28, 0, 0, 0, 0xEB, 3, 0, 0, 5, 0, 0, 0, 'A'};
enum { FIRST_PAGE_END = 16 + 216 };

static const unsigned char second_page[] = {
    /* page time 1000000 + 100 + 2^27 + 5 + 1 + 2 + 8 = 0xF4240 + 0x8000000 + 0x74 = 0x80F42B4 */
    0xB4, 0x42, 0x0F, 8, 0, 0, 0, 0,
    /* commit 20 bytes; bit 31: lost, bit 30: counted */
    0x14, 0, 0, 0xC0, 0, 0, 0, 0,
    /* as the very first event, then the count: three lost */
    0x04, 0, 0, 0, 0xE8, 3, 0, 0, 5, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 3, 0, 0, 0, 0, 0, 0, 0};

/* The events of these pages. */
static void give_events_by_hand(void)
{
    static const struct tlog_field hello_fields[] = {{"text", TLOG_KIND_STRING, 0, 4}};
    static const struct tlog_type hello = {
        .system = "s", .name = "hello", .size = 4, .nfields = 1, .fields = hello_fields};
    static const struct tlog_field block_fields[] = {{"chars", TLOG_KIND_CHARS, 0, 104}};
    static const struct tlog_type block = {
        .system = "s", .name = "block", .size = 104, .nfields = 1, .fields = block_fields};
    static const unsigned char numbers[] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
    unsigned char as[108] = {'A'};
    uint64_t time = 1000000;
    uint16_t pairs = trace_type(&trace, &pair), hellos = trace_type(&trace, &hello);
    uint16_t losses = trace_type(&trace, &lost), blocks = trace_type(&trace, &block);
    give(0, &(struct tlog_event){time, numbers, 5, pairs, 8, 0, 0, 0, 0});
    give(0, &(struct tlog_event){time += 100, numbers, 7, pairs, 8, 0, TLOG_FLAG_IN_INTERRUPT, 0, 0});
    give(0, &(struct tlog_event){time += (1u << 27) + 5, numbers, 0x80000000, pairs, 8, 0, TLOG_FLAG_DERIVED, 0, 0});
    give(0, &(struct tlog_event){time += 1, (const unsigned char *)"\4\0\6\0hello", 5, hellos, 10, 0, 0, 0, 0});
    give(0, &(struct tlog_event){time += 2, as, 5, blocks, 108, 0, 0, 0, 0});
    give(0, &(struct tlog_event){time, as, 5, blocks, 104, 0, 0, 0, 0});
    give(0, &(struct tlog_event){time, (const unsigned char *)"\3\0\0\0\0\0\0", 5, losses, 8, 0, 0, 0, 0});
    give(0, &(struct tlog_event){time + 8, numbers, 5, pairs, 8, 0, 0, 0, 0});
}

static void pages_are_as_derived_by_hand(void **state)
{
    unsigned char found[4096], expected[4096] = {0};
    (void)state;
    begin(1);
    give_events_by_hand();
    finish();
    read_file(found, sizeof found, 4096);
    memcpy(expected, first_page, sizeof first_page);
    memcpy(expected + FIRST_PAGE_END, first_page_end, sizeof first_page_end);
    assert_memory_equal(found, expected, sizeof found);
    read_file(found, sizeof found, 8192);
    memset(expected, 0, sizeof expected);
    memcpy(expected, second_page, sizeof second_page);
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(pages_in_file(), 2);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static void any_time_between_events_is_kept(void **state)
{
    static const uint64_t deltas[] = {
        0, 1, (1u << 27) - 1, (1u << 27) + 1, UINT32_MAX, UINT64_C(1) << 33, 1, (UINT64_C(1) << 58) + 12345, 2};
    uint64_t time = 1000;
    (void)state;
    begin(1);
    for (uint32_t i = 0; i < sizeof deltas / sizeof deltas[0]; i++)
        add_pair(0, time += deltas[i], i);
    finish();
    judge();
}

/* trace-cmd split 3.1.6 is no judge here: it loses a bit of exactly 2^27 ns, and all time that does not fit into an
 * extend. */
static void the_limits_of_an_extend_are_kept(void **state)
{
    static const uint64_t deltas[] = {1u << 27, (UINT64_C(1) << 59) - 1, UINT64_C(1) << 59,
                                      1,        (UINT64_C(1) << 60) + 1, 2};
    uint64_t time = 1000;
    (void)state;
    begin(1);
    add_pair(0, time, 7);
    for (uint32_t i = 0; i < sizeof deltas / sizeof deltas[0]; i++)
        add_pair(0, time += deltas[i], i);
    finish();
    judge_all_but_split();
    assert_int_equal(pages_in_file(), 3);
}

/* An extend and its event need 28 bytes: with 24 left the event opens a page, and the extend is not needed. */
static void an_extend_and_its_event_stay_together(void **state)
{
    uint64_t time = 1000;
    for (uint32_t pairs = 200; pairs < 205; pairs++) {
        if (pairs > 200)
            set_up(state);
        begin(1);
        for (uint32_t i = 0; i < pairs; i++)
            add_pair(0, time += 10, i);
        add_pair(0, time += SECOND, 1);
        add_pair(0, time += 10, 2);
        finish();
        judge();
        if (pairs < 204)
            tear_down(state);
    }
}

static void times_no_viewer_can_hold_move_inside(void **state)
{
    (void)state;
    begin(1);
    add_pair_as(0, 0, 1000, 1);
    add_pair_as(0, 999, 1000, 2);
    add_pair_as(0, 1000, 1000, 3);
    add_pair_as(0, 5000, 5000, 4);
    add_pair_as(0, 4999, 5000, 5); /* backwards */
    add_pair_as(0, INT64_MAX - 1, INT64_MAX - 1, 8);
    add_pair_as(0, (uint64_t)INT64_MAX + 1, INT64_MAX, 9);
    add_pair_as(0, UINT64_MAX, INT64_MAX, 6);
    add_pair_as(0, UINT64_MAX - 1, INT64_MAX, 7);
    finish();
    judge_all_but_split();
}

static void many_events_go_through_the_buffer(void **state)
{
    enum { EVENTS = 300000 }; /* 1471 pages of 204: the buffer is emptied several times */
    unsigned char page[4096];
    char expected[200];
    (void)state;
    begin(2);
    for (uint32_t i = 0; i < EVENTS; i++) {
        add_pair(i < EVENTS / 2 ? 0 : 1, 5000 + i, i);
        nlines = 0;
    }
    finish();
    assert_int_equal(pages_in_file(), 2 * ((EVENTS / 2 + 203) / 204));
    read_file(page, sizeof page, (off_t)(4096 * pages_in_file())); /* 735 full pages and 60 events */
    for (size_t i = 16 + 60 * 20; i < sizeof page; i++)
        assert_int_equal(page[i], 0);
    snprintf(expected, sizeof expected, "events %u lost 0 cpus 2 first 5000 last %u unknown 0 disordered 0\n",
             (unsigned)EVENTS, 5000u + EVENTS - 1);
    run_prints(expected, "%s/check_tracedat %s", judges, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("a page holds what it can", a_page_holds_what_it_can),
        test("any rest of a page stays free", any_rest_of_a_page_stays_free),
        test("a payload of any length is rounded up", a_payload_of_any_length_is_rounded_up),
        test("a payload that is too short is filled up", a_payload_that_is_too_short_is_filled_up),
        test("a page with a mark leaves room for its count", a_page_with_a_mark_leaves_room_for_its_count),
        test("pages are as derived by hand", pages_are_as_derived_by_hand),
        test("any time between events is kept", any_time_between_events_is_kept),
        test("the limits of an extend are kept", the_limits_of_an_extend_are_kept),
        test("an extend and its event stay together", an_extend_and_its_event_stay_together),
        test("times no viewer can hold move inside", times_no_viewer_can_hold_move_inside),
        test("many events go through the buffer", many_events_go_through_the_buffer),
    };
    begin_tests();
    return end_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
