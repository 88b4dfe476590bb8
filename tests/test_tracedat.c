/* test_tracedat.c - drives the trace.dat writer with events made here and lets other programs judge the files.
 * tracedat_harness.h tells how. Two pages are derived by hand, byte by byte. */
#define _GNU_SOURCE

#include "tracedat_harness.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- whole files ------------------------------------------------------------------------------------------------- */

static void no_events_at_all_is_a_file(void **state)
{
    (void)state;
    begin(1);
    finish();
    judge();
}

static void no_cpus_at_all_is_a_file(void **state)
{
    (void)state;
    begin(0);
    finish();
    judge();
}

static void one_event_is_a_file(void **state)
{
    (void)state;
    begin(1);
    add_pair(0, 5000, 7);
    finish();
    judge();
    assert_int_equal(pages_in_file(), 1);
}

static void the_prologue_is_as_derived_by_hand(void **state)
{
    static const unsigned char expected[40] = {
        0x17, 0x08, 0x44, 't',  'r', 'a', 'c', 'i', 'n', 'g', '7', 0, /* magic, version "7" */
        0,    8,    0x00, 0x10, 0,   0,           /* little-endian, long of 8 bytes, pages of 4096 */
        'n',  'o',  'n',  'e',  0,   0,           /* compression "none" of version "" */
        0,    0,    0,    0,    0,   0,   0,   0, /* options: compared below */
        3,    0,    0,    0,    0,   0,   0,   0, /* section 3, no flags, string 0 */
    };
    unsigned char found[40];
    off_t options;

    (void)state;
    begin(1);
    finish();
    options = (off_t)number_at(24, 8);
    read_file(found, sizeof found, 0);
    memset(found + 24, 0, 8);
    assert_memory_equal(found, expected, sizeof expected);
    assert_int_equal(number_at(options, 2), 0);       /* a section of options */
    assert_int_equal(number_at(options + 16, 2), 16); /* whose first says where the headers are */
}

static void every_kind_and_size_is_shown(void **state)
{
    (void)state;
    begin(1);
    add_kinds(0, 1000);
    finish();
    judge();
}

static void texts_of_any_length_are_shown(void **state)
{
    (void)state;
    begin(1);
    for (unsigned i = 0; i < 120; i++)
        add_texts(0, 2000 + i, i, i % 115, i * 7 % 115);
    finish();
    judge();
}

static void a_text_that_does_not_end_is_not_shown(void **state)
{
    unsigned char data[16] = {0};

    (void)state;
    begin(1);
    memset(data + 12, 'x', 4); /* no NUL */
    put_number(data + 4, 12 | 4 << 16, 4);
    put_number(data + 8, 20 | 8 << 16, 4); /* outside, though its last byte is a 0, in the payload after the next */
    give(0, &(struct trace_event){
                .time = 5000, .data = data, .task = 2, .type = trace_type(&trace, &text_type), .size = 16});
    expect(0, 5000, 2, "text", "id=0 text= more=");
    add_pair(0, 5001, 1);
    add_pair(0, 5002, 2);
    finish();
    judge();
    assert_int_equal(number_at(4096 + 16 + 4 + 8 + 4, 8), UINT64_C(0x800000008)); /* both without length */
}

static void types_of_many_systems_come_as_they_are_used(void **state)
{
    static const struct trace_type types[] = {
        {.system = "irq", .name = "one", .size = 8, .nfields = 2, .fields = pair_fields},
        {.system = "ftrace",
         .name = "two",
         .size = 8,
         .nfields = 2,
         .fields = pair_fields,
         .print = "\"<%d|%s>\", REC->par1, REC->par2 == 5 ? \"five\" : \"other\""},
        {.system = "irq", .name = "three", .size = 8, .nfields = 1, .fields = pair_fields},
        {.system = "qnx", .name = "four"},
    };
    static const char *const info[] = {"par1=1 par2=0x5", "<2|five>", "par1=3", ""};
    unsigned char data[8];

    (void)state;
    begin(1);
    trace_type(&trace, &lost); /* never used, and not an event */
    for (unsigned i = 0; i < 4; i++) {
        put_number(data, i + 1, 4);
        put_number(data + 4, 5, 4);
        give(0, &(struct trace_event){.time = 1000 + i,
                                      .data = data,
                                      .task = 1,
                                      .type = trace_type(&trace, &types[i]),
                                      .size = types[i].size});
        flush();
        expect(0, 1000 + i, 1, types[i].name, info[i]);
    }
    finish();
    judge();
    run_prints("[Ftrace format, 1 events]\n[Events format, 3 systems]\n",
               "trace-cmd dump --summary --ftrace-events --systems %s | grep -o '\\[[EF].* format, .*\\]' | sort -r",
               path);
}

static void a_trace_may_have_as_many_types_as_there_can_be(void **state)
{
    static struct trace_type types[TRACE_TYPES_MAX];
    static char names[TRACE_TYPES_MAX][2][16];
    static const unsigned char data[8] = {3, 0, 0, 0, 4, 0, 0, 0};

    (void)state;
    begin(1);
    for (unsigned i = 0; i < TRACE_TYPES_MAX; i++) {
        snprintf(names[i][0], sizeof names[i][0], "system_%u", i % 13);
        snprintf(names[i][1], sizeof names[i][1], "event_%u", i);
        types[i] = pair;
        types[i].system = names[i][0];
        types[i].name = names[i][1];
        give(0, &(struct trace_event){
                    .time = 1000 + i, .data = data, .task = 1, .type = trace_type(&trace, &types[i]), .size = 8});
        expect(0, 1000 + i, 1, names[i][1], "par1=3 par2=0x4");
    }
    finish();
    judge();
}

static void tasks_have_their_names(void **state)
{
    (void)state;
    begin(1);
    trace_set_name(&trace, TRACE_NAME_TASK, 0, "never shown");
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "idle task");
    trace_set_name(&trace, TRACE_NAME_TASK, 2, "  ");
    trace_set_name(&trace, TRACE_NAME_TASK, 3, "a name of thirty-one letters ok");
    trace_set_name(&trace, TRACE_NAME_TASK, UINT32_MAX, "not a pid");
    trace_set_name(&trace, TRACE_NAME_IRQ, 4, "not a task");
    for (uint32_t i = 0; i < 10; i++)
        if (i % 5 != 1)
            add_pair(0, 1000 + i, i);
    trace_set_name(&trace, TRACE_NAME_TASK, 5, "named late");
    for (unsigned i = 0; i < nlines; i++) { /* written before the name was known, shown with it */
        char *unnamed = strstr(lines[i].text, "           <...>-5");
        if (unnamed)
            memcpy(unnamed, "      named late-5", 18);
    }
    finish();
    judge();
    run_prints("1 idle task\n3 a name of thirty-one letters ok\n5 named late\n",
               "trace-cmd dump --cmd-lines %s | grep '^[0-9]'", path);
}

static void without_a_frequency_times_are_plain_numbers(void **state)
{
    (void)state;
    trace.clock_hz = 0;
    begin(1);
    add_pair(0, 123456789, 1);
    finish();
    run_prints("1\n", "trace-cmd report %s | grep -c ' 123456789: pair: '", path);
}

static void the_file_says_where_it_comes_from(void **state)
{
    (void)state;
    trace_count_dropped(&trace, 0, 12);
    trace_count_overwritten(&trace, 1, 34);
    begin(2);
    add_loss(0, &lost, 1000, 5000000000);
    for (uint32_t i = 0; i < 500; i++)
        add_pair(0, 2000 + i, i);
    finish();
    run_prints("cpus=2\na board\n", "trace-cmd report --uname %s | head -2", path);
    free(run("trace-cmd report --version %s | grep -qx 'tlog-decode [0-9].*'", path));
    run_prints("CPU: 0\nentries: 0\noverrun: 0\ncommit overrun: 0\nbytes: 12288\noldest event ts:     0.000002\n"
               "now ts:     0.000002\ndropped events: 12\nread events: 500\nmarked as lost: 5000000000\n"
               "CPU: 1\nentries: 0\noverrun: 34\ncommit overrun: 0\nbytes: 0\ndropped events: 0\nread events: 0\n"
               "All CPUs\nentries: 0\noverrun: 34\ndropped events: 12\nunfinished events: 0\ndamaged events: 0\n"
               "damaged regions: 0\nread events: 0\nderived events: 0\n",
               "trace-cmd report --stat %s | sed '1,/zero/d;/recorded/,$d' | grep .", path);
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

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

/* Events without payload take 12 bytes and shift where the page ends: 0, 8, 16, 4 or 12 bytes are left over. */
static void any_rest_of_a_page_stays_free(void **state)
{
    static const struct trace_type bare = {.system = "shark", .name = "bare"};

    for (uint32_t bares = 0; bares < 5; bares++) {
        if (bares > 0)
            set_up(state);
        begin(1);
        for (uint32_t i = 0; i < bares; i++) {
            give(0, &(struct trace_event){.time = 1000 + i, .task = 1, .type = trace_type(&trace, &bare)});
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
        give(0, &(struct trace_event){
                    .time = 1000 + i, .data = data, .task = 1, .type = trace_type(&trace, &pair), .size = i});
        expect(0, 1000 + i, 1, "pair", "par1=1 par2=0x1");
    }
    finish();
    judge();
    read_file(found, 12, 4096 + 16 + 20 + 12); /* the payload of 9 bytes */
    assert_memory_equal(found, "\1\0\0\0\1\0\0\0x\0\0\0", 12);
}

/* Fields past the end are 0, and not what happens to follow in the file. */
static void a_payload_that_is_too_short_is_filled_up(void **state)
{
    static const unsigned char data[8] = {1, 0, 0, 0, 2, 0, 0, 0};

    (void)state;
    begin(1);
    for (uint16_t i = 0; i < 4; i++) {
        give(0,
             &(struct trace_event){
                 .time = 1000 + i, .data = data, .task = 1, .type = trace_type(&trace, &pair), .size = i % 2 ? 4 : 8});
        expect(0, 1000 + i, 1, "pair", i % 2 ? "par1=1 par2=0x0" : "par1=1 par2=0x2");
    }
    finish();
    judge();
    assert_int_equal(number_at(4096 + 8, 8), 4 * 20); /* all are as long as the type says */
}

/* The count behind the data takes 8 bytes, so only 203 events go on a page with a mark. trace-cmd split
 * 3.1.6 does not leave that room on its own pages, and reads a count from behind them. */
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

static void pages_are_as_derived_by_hand(void **state)
{
    /* Events of CPU 0. Ids are 1000 + index: pair 0x3E8, text 0x3E9, block 0x3EB (0x3EA is the loss, not written). */
    static const unsigned char first[] = {
        0x40, 0x42, 0x0F, 0, 0, 0, 0, 0, /* page time 1000000 */
        0x4C, 1, 0, 0, 0, 0, 0, 0,       /* commit 20 + 20 + 28 + 24 + 124 + 116 = 332 bytes, nothing lost */
        /* at 1000000: 16 bytes = 4 words of data, no time since the page's: 0 << 5 | 4 */
        0x04, 0, 0, 0, 0xE8, 3, 0, 0, 5, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
        /* 100 ns later in an interrupt, flag 0x08: 100 << 5 | 4 = 0xC84 */
        0x84, 0x0C, 0, 0, 0xE8, 3, 8, 0, 7, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
        /* 2^27 + 5 ns later: an extend with the low 27 bits, 5 << 5 | 30 = 0xBE, and the rest, 1; then the event */
        0xBE, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0xE8, 3, 0, 0, 0, 0, 0, 0x80, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
        0x88,
        /* 1 ns later "hello", 6 bytes at 4 in the payload, which is at 12 in the event; 10 bytes round up to 12, 20 in
         * all are 5 words: 1 << 5 | 5 */
        0x25, 0, 0, 0, 0xE9, 3, 0, 0, 5, 0, 0, 0, 12, 0, 6, 0, 'h', 'e', 'l', 'l', 'o', 0, 0, 0,
        /* 2 ns later 108 bytes of payload: 116 are more than 28 words, so kind 0 and the length 116 + 4 */
        0x40, 0, 0, 0, 120, 0, 0, 0, 0xEB, 3, 0, 0, 5, 0, 0, 0, 'A'};
    /* behind the 108: no time later 104 bytes of payload, with the common ones 112 = 28 words */
    static const unsigned char last[] = {28, 0, 0, 0, 0xEB, 3, 0, 0, 5, 0, 0, 0, 'A'};
    static const unsigned char second[] = {
        /* page time 1000000 + 100 + 2^27 + 5 + 1 + 2 + 8 = 0xF4240 + 0x8000000 + 0x74 = 0x80F42B4 */
        0xB4, 0x42, 0x0F, 8, 0, 0, 0, 0,
        /* commit 20 bytes; bit 31: lost, bit 30: counted */
        0x14, 0, 0, 0xC0, 0, 0, 0, 0,
        /* as the very first event, then the count: three lost */
        0x04, 0, 0, 0, 0xE8, 3, 0, 0, 5, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 3, 0, 0, 0, 0, 0, 0,
        0};
    static const struct trace_field hello_fields[] = {{"text", TRACE_STRING, 0, 4}};
    static const struct trace_type hello = {
        .system = "s", .name = "hello", .size = 4, .nfields = 1, .fields = hello_fields};
    static const struct trace_field block_fields[] = {{"chars", TRACE_CHARS, 0, 104}};
    static const struct trace_type block = {
        .system = "s", .name = "block", .size = 104, .nfields = 1, .fields = block_fields};
    static const unsigned char numbers[] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
    unsigned char as[108] = {'A'}, found[4096], expected[4096] = {0};
    uint64_t time = 1000000;
    uint16_t pairs = trace_type(&trace, &pair), hellos = trace_type(&trace, &hello);
    uint16_t losses = trace_type(&trace, &lost), blocks = trace_type(&trace, &block);

    (void)state;
    begin(1);
    give(0, &(struct trace_event){time, numbers, 5, pairs, 8, 0, 0, 0});
    give(0, &(struct trace_event){time += 100, numbers, 7, pairs, 8, 0, TRACE_IN_INTERRUPT, 0});
    give(0, &(struct trace_event){time += (1u << 27) + 5, numbers, 0x80000000, pairs, 8, 0, TRACE_DERIVED, 0});
    give(0, &(struct trace_event){time += 1, (const unsigned char *)"\4\0\6\0hello", 5, hellos, 10, 0, 0, 0});
    give(0, &(struct trace_event){time += 2, as, 5, blocks, 108, 0, 0, 0});
    give(0, &(struct trace_event){time, as, 5, blocks, 104, 0, 0, 0});
    give(0, &(struct trace_event){time, (const unsigned char *)"\3\0\0\0\0\0\0", 5, losses, 8, 0, 0, 0});
    give(0, &(struct trace_event){time + 8, numbers, 5, pairs, 8, 0, 0, 0});
    finish();
    read_file(found, sizeof found, 4096);
    memcpy(expected, first, sizeof first);
    memcpy(expected + 16 + 216, last, sizeof last);
    assert_memory_equal(found, expected, sizeof found);
    read_file(found, sizeof found, 8192);
    memset(expected, 0, sizeof expected);
    memcpy(expected, second, sizeof second);
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(pages_in_file(), 2);
}

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

/* Where trace-cmd split 3.1.6 is no judge: it loses a bit of exactly 2^27 ns, and all that does not fit an extend. */
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

/* ---- losses ------------------------------------------------------------------------------------------------------ */

static void a_loss_is_told_before_the_next_event(void **state)
{
    (void)state;
    begin(1);
    add_loss(0, &lost, 1500, 17);
    expect_loss(0, 2000, 17);
    add_pair(0, 2000, 1);
    add_pair(0, 2100, 2);
    add_loss(0, &damage, 2500, 0);
    expect_loss(0, 3000, 0);
    add_pair(0, 3000, 3);
    add_loss(0, &damage, 3001, 1);
    expect_loss(0, 3000 + 5 * UINT64_C(1000000000), 1);
    add_pair(0, 3000 + 5 * UINT64_C(1000000000), 4);
    finish();
    judge();
}

static void losses_in_a_row_add_up(void **state)
{
    (void)state;
    begin(1);
    add_pair(0, 1000, 1);
    add_loss(0, &lost, 1001, 10);
    add_loss(0, &damage, 1002, 5);
    expect_loss(0, 2000, 15);
    add_pair(0, 2000, 2);
    add_loss(0, &lost, 2001, 10);
    add_loss(0, &damage, 2002, 0); /* nobody knows how many more */
    expect_loss(0, 3000, 0);
    add_pair(0, 3000, 3);
    finish();
    judge();
}

static void a_loss_at_the_end_gets_an_event_of_its_own(void **state)
{
    (void)state;
    begin(3);
    add_pair(0, 1000, 1);
    add_loss(0, &lost, 1500, 4);
    expect_loss(0, 1500, 4);
    expect(0, 1500, 9, "end_of_trace", "");
    add_loss(1, &lost, 1600, 6); /* nothing but a loss */
    expect_loss(1, 1600, 6);
    expect(1, 1600, 9, "end_of_trace", "");
    add_pair(2, 1700, 1);
    add_loss(2, &lost, 1650, 0); /* stamped before the last event */
    expect_loss(2, 1700, 0);
    expect(2, 1700, 9, "end_of_trace", "");
    finish();
    judge();
    assert_int_equal(number_at(3 * 4096 + 8, 8), 12 | 0xC0000000); /* CPU 1: a word and the common fields */
}

static void a_count_is_as_large_as_readers_can_hold(void **state)
{
    static const uint64_t counts[] = {INT32_MAX - 1, INT32_MAX, (uint64_t)INT32_MAX + 1, 5000000000, UINT64_MAX};

    (void)state;
    begin(1);
    for (uint32_t i = 0; i < 5; i++) {
        add_loss(0, &lost, 2000 + i, counts[i]);
        if (i % 2)
            add_loss(0, &lost, 2000 + i, UINT64_MAX); /* the sum must not wrap */
        expect_loss(0, 2000 + i, i == 0 ? INT32_MAX - 1 : INT32_MAX);
        add_pair(0, 2000 + i, i);
    }
    finish();
    judge();
}

/* ---- CPUs -------------------------------------------------------------------------------------------------------- */

static void cpus_without_events_are_there(void **state)
{
    (void)state;
    begin(5);
    for (uint32_t i = 0; i < 1000; i++)
        add_pair(1, 1000 + 10 * i, i);
    for (uint32_t i = 0; i < 300; i++)
        add_pair(3, 1001 + 30 * i, i);
    finish();
    judge();
}

static void the_order_of_cpus_is_free_but_each_comes_whole(void **state)
{
    (void)state;
    begin(3);
    add_pair(2, 1000, 1);
    add_pair(0, 1010, 2);
    add_pair(1, 1020, 3);
    finish();
    judge();
}

/* What the writer says to a batch that breaks the rules. */
static void refuse(unsigned cpu, const struct trace_event *event, const char *error)
{
    batch.n = batch.used = 0;
    batch.event[batch.n++] = *event;
    assert_int_equal(variant.writer->write(writer, cpu, &batch), -1);
    assert_string_equal(trace.error, error);
    assert_int_equal(variant.writer->close(writer, false), 0);
    trace.failed = false;
    trace.ntypes = 0;
}

static void broken_rules_are_errors(void **state)
{
    static const unsigned char data[5000] = {0};
    struct trace_event event = {.time = 5000, .data = data, .size = 8};

    (void)state;
    begin(2);
    trace_type(&trace, &pair);
    refuse(2, &event, "events of CPU 2 in a trace of 2 CPUs");
    begin(2);
    add_pair(0, 1000, 1);
    add_pair(1, 1000, 1);
    flush();
    refuse(0, &event, "the events of CPU 0 are not in one stretch");
    begin(1);
    refuse(0, &event, "event of type 0, which was not declared");
    begin(1);
    event.type = UINT16_MAX;
    refuse(0, &event, "event of type 65535, which was not declared");
    begin(1);
    event.size = 4057;
    event.type = trace_type(&trace, &pair);
    refuse(0, &event, "an event with 4057 bytes of payload is too long for trace.dat");
    begin(0);
    refuse(0, &event, "events of CPU 0 in a trace of 0 CPUs");
}

static void the_longest_event_fits_a_marked_page(void **state)
{
    static const unsigned char data[4056] = {0};

    (void)state;
    begin(1);
    for (unsigned i = 0; i < 3; i++) {
        add_loss(0, &lost, 1000 + i, 1);
        flush();
        batch.event[batch.n++] = (struct trace_event){
            .time = 1000 + i, .data = data, .task = 1, .type = trace_type(&trace, &pair), .size = sizeof data};
        flush();
        expect_loss(0, 1000 + i, 1);
        expect(0, 1000 + i, 1, "pair", "par1=0 par2=0x0");
    }
    finish();
    judge();
}

/* ---- failing writes ---------------------------------------------------------------------------------------------- */

/* Write a file of a few buffers until something fails. 0, or -1. */
static int write_all(void)
{
    int result = 0;

    batch.n = batch.used = 0;
    trace.failed = false;
    nlines = 0;
    disk.count = 0;
    begin(2);
    for (uint32_t i = 0; i < 120000 && result == 0; i++) {
        add_pair(i < 60000 ? 0 : 1, 5000 + i, i);
        nlines = 0;
        if (batch.n < TRACE_BATCH_EVENTS && i != 59999 && i != 119999)
            continue;
        result = variant.writer->write(writer, batch_cpu, &batch);
        batch.n = batch.used = 0;
    }
    if (variant.writer->close(writer, result == 0))
        result = -1;
    return result;
}

static void any_write_may_fail(void **state)
{
    unsigned writes;

    (void)state;
    assert_int_equal(write_all(), 0);
    writes = disk.count;
    assert_true(writes >= 5); /* full buffers, the last one, the sections, the first page */
    for (unsigned i = 0; i < writes; i++) {
        disk.fault = FAIL;
        disk.at = i;
        assert_int_equal(write_all(), -1);
        assert_true(trace.failed);
        assert_string_equal(trace.error, "cannot write: Input/output error");
    }
}

static void any_write_may_be_short_or_interrupted(void **state)
{
    char good[128], *sum;
    unsigned writes;

    (void)state;
    assert_int_equal(write_all(), 0);
    writes = disk.count;
    sum = run("cksum < %s", path);
    snprintf(good, sizeof good, "%s", sum);
    free(sum);
    for (unsigned i = 0; i < 2 * writes; i++) {
        assert_int_equal(ftruncate(file, 0), 0);
        disk.fault = i % 2 ? CUT : INTERRUPT;
        disk.at = i / 2;
        assert_int_equal(write_all(), 0);
        assert_int_equal(disk.count, writes + 1);
        run_prints(good, "cksum < %s", path);
    }
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    close(file);
    file = open("/dev/full", O_WRONLY);
    assert_true(file >= 0);
    assert_int_equal(write_all(), -1);
    assert_string_equal(trace.error, "cannot write: No space left on device");
}

static void a_pipe_is_an_error(void **state)
{
    int ends[2];

    (void)state;
    close(file);
    assert_int_equal(pipe(ends), 0);
    file = ends[1];
    assert_int_equal(write_all(), -1);
    assert_string_equal(trace.error, "cannot write: Illegal seek");
    close(ends[0]);
}

static void an_abandoned_file_is_no_trace(void **state)
{
    (void)state;
    begin(1);
    add_pair(0, 1000, 1);
    flush();
    assert_int_equal(variant.writer->close(writer, false), 0);
    assert_int_equal(lseek(file, 0, SEEK_END), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        test("no events at all is a file", no_events_at_all_is_a_file),
        test("no CPUs at all is a file", no_cpus_at_all_is_a_file),
        test("one event is a file", one_event_is_a_file),
        test("the prologue is as derived by hand", the_prologue_is_as_derived_by_hand),
        test("every kind and size is shown", every_kind_and_size_is_shown),
        test("texts of any length are shown", texts_of_any_length_are_shown),
        test("a text that does not end is not shown", a_text_that_does_not_end_is_not_shown),
        test("types of many systems come as they are used", types_of_many_systems_come_as_they_are_used),
        test("a trace may have as many types as there can be", a_trace_may_have_as_many_types_as_there_can_be),
        test("tasks have their names", tasks_have_their_names),
        test("without a frequency times are plain numbers", without_a_frequency_times_are_plain_numbers),
        test("the file says where it comes from", the_file_says_where_it_comes_from),
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
        test("a loss is told before the next event", a_loss_is_told_before_the_next_event),
        test("losses in a row add up", losses_in_a_row_add_up),
        test("a loss at the end gets an event of its own", a_loss_at_the_end_gets_an_event_of_its_own),
        test("a count is as large as readers can hold", a_count_is_as_large_as_readers_can_hold),
        test("CPUs without events are there", cpus_without_events_are_there),
        test("the order of CPUs is free but each comes whole", the_order_of_cpus_is_free_but_each_comes_whole),
        test("broken rules are errors", broken_rules_are_errors),
        test("the longest event fits a marked page", the_longest_event_fits_a_marked_page),
        test("any write may fail", any_write_may_fail),
        test("any write may be short or interrupted", any_write_may_be_short_or_interrupted),
        test("a full disk is an error", a_full_disk_is_an_error),
        test("a pipe is an error", a_pipe_is_an_error),
        test("an abandoned file is no trace", an_abandoned_file_is_no_trace),
    };
    int failed;

    find_judges(argc > 0 ? argv[0] : "");
    if (!mkdtemp(directory))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (!failed)
        free(run("rm -r %s", directory));
    return failed;
}
