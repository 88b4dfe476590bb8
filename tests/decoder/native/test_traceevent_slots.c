/* test_traceevent_slots.c - the native reader makes events of traceevents' slots (target/FORMAT.md, 1.2). */
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* Traceevents between records, ahead of the first one, and across a wrap of the low word; a combine event, and one that
 * lacks its end; wraps that only a CONTROL TIME tells. */
static void traceevent_slots(void **state)
{
    struct bytes dump = empty_chunk(10);
    const uint32_t means = 9u << 10, tag = 0x100;
    struct item items[] = {
        {.time = 0xFFFFFFF0, .code = ITEM_TRACEEVENT, .par1 = 9u << 16 | 0x342, .par2 = 2, .count = 1 | 2ull << 32},
        {.time = 0x100000010, .code = 0x09, .par2 = 4},
        {.time = 0x100000020, .code = ITEM_TRACEEVENT, .par1 = 9u << 16 | 7, .par2 = 4, .count = 6 | 7ull << 32},
        {.time = 0x200000000, .code = ITEM_TRACEEVENT, .par1 = 9u << 16 | 8, .par2 = 2},
        {.time = 0x700000005, .code = 0x09, .par2 = 5},
        {.time = 0x900000040, .code = ITEM_DAMAGE, .count = 1}, /* slot 7 lacks another one */
        {.time = 0x900000040, .code = ITEM_TRACEEVENT, .par1 = 9u << 16 | 9, .par2 = 2},
    };
    struct decoded decoded;
    (void)state;
    set_cursor(dump, 1, 11);
    set_traceevent(dump, 1, 3u << 16 | means | tag | 0x42, 0xFFFFFFF0, 1, 2);
    set_words(dump, 2, tag | 0x09, 1, 0x10, 4);
    set_traceevent(dump, 3, 1u << 30 | means | tag | 7, 0x20, 6, 7);
    set_traceevent(dump, 4, 3u << 30 | means | tag | 7, 0x20, 0, 0);
    set_traceevent(dump, 5, means | tag | 8, 0, 0, 0);
    set_words(dump, 6, tag | 0x09, 7, 5, 5);
    set_traceevent(dump, 7, 1u << 30 | means | tag | 7, 0x20, 0, 0);
    set_traceevent(dump, 8, 2u | 1u << 10 | tag, 0x30, 0, 0);   /* CONTROL BUFFER */
    set_traceevent(dump, 9, 1u << 10 | tag | 1, 0x40, 9, 0x40); /* CONTROL TIME */
    set_traceevent(dump, 10, means | tag | 9, 0x40, 0, 0);
    expect_items(dump, items, 7, 1);
    set_words(dump, 8, 0x200 | 7, 0, 0, 0); /* its owner has not filled the slot */
    decode_bytes(&decoded, dump);
    assert_int_equal(decoded.trace.counts.unfinished, 1);
    assert_int_equal(decoded.trace.counts.damaged, 0);
    decoded_free(&decoded);
    bytes_free(&dump);
}

/* If an event ahead of a lap's first record was more than a wrap of the clock before it, only a CONTROL TIME tells
 * how long. That may be the lap's first slot, or come behind an event. */
static void a_time_ahead_of_records(void **state)
{
    (void)state;
    for (uint32_t time_at = 1; time_at <= 2; time_at++) {
        for (uint32_t told = 0; told < 5u; told++) { /* low words 0x40 and 0x60 are above the record's */
            struct bytes dump = empty_chunk(4);
            struct item items[] = {
                {.time = (uint64_t)told << 32 | 0x40, .code = ITEM_TRACEEVENT, .par1 = 9u << 16 | 8, .par2 = 2},
                {.time = (uint64_t)told << 32 | 0x60, .code = ITEM_TRACEEVENT, .par1 = 9u << 16 | 9, .par2 = 2},
                {.time = 5ull << 32 | 0x10, .code = 0x09, .par2 = 5},
            };

            set_cursor(dump, 1, 5);
            set_traceevent(dump, 3u - time_at, 9u << 10 | 0x108, 0x40, 0, 0);
            set_traceevent(dump, time_at, 1u << 10 | 0x101, 0x40, told, 0x40); /* CONTROL TIME */
            set_traceevent(dump, 3, 9u << 10 | 0x109, 0x60, 0, 0);
            set_words(dump, 4, 0x109, 5, 0x10, 5);
            expect_items(dump, items, 3, 0);
            bytes_free(&dump);
        }
    }
}

/* Users' events of 2 to 8 slots, each twice: the reader makes the first of a type slot by slot, and the second one in
 * the fast path. Word i of the event of n slots is 0x80000000 + 256 n + i, so that no word is text. By
 * target/FORMAT.md, 1.2, the event of n slots with number 0x120 + n is
 *
 *   slot 1   CB 1 << 30, bits 17..16 = 1, class 6 << 10, tag 0x100, 0x20 + n   stamp   0x80000000 + 256 n    ... + 1
 *   slot k   CC 2 << 30, the last one CE 3 << 30, else the same                stamp   ... + 2 (k - 1)       ... + 1
 *
 * So the event of 2 slots is user_words4: event=0x122 d0=0x80000200 d1=0x80000201 d2=0x80000202 d3=0x80000203. */
static unsigned user_events_seen;

static const struct tlog_field *find_field(const struct tlog_type *type, const char *name)
{
    for (unsigned i = 0; i < type->nfields; i++) {
        if (strcmp(type->fields[i].name, name) == 0)
            return &type->fields[i];
    }
    fail_msg("%s has no field %s", type->name, name);
    return NULL;
}

static void take_user_words(const struct trace *trace, const struct tlog_event *event)
{
    const struct tlog_type *type = trace->types[event->type];
    uint32_t slots = 2 + user_events_seen / 2;
    char name[32];
    snprintf(name, sizeof name, "user_words%u", (unsigned)(2 * slots));
    assert_string_equal(type->system, "qnx");
    assert_string_equal(type->name, name);
    assert_int_equal(type->nfields, 1 + 2 * slots);
    assert_int_equal(event->size, 4 + 8 * slots);
    assert_int_equal(event->time, 10 * (user_events_seen + 1));
    assert_int_equal(get32(event->data + find_field(type, "event")->offset), 0x120 + slots);
    for (uint32_t i = 0; i < 2 * slots; i++) {
        const struct tlog_field *field;
        snprintf(name, sizeof name, "d%u", (unsigned)i);
        field = find_field(type, name);
        assert_int_equal(field->size, 4);
        assert_int_equal(field->kind, TLOG_KIND_HEX);
        assert_int_equal(get32(event->data + field->offset), 0x80000000u + 256 * slots + i);
    }
    user_events_seen++;
}

static void user_events_have_a_field_for_each_word(void **state)
{
    struct bytes dump = empty_chunk(2 * (2 + 3 + 4 + 5 + 6 + 7 + 8));
    uint32_t at = 1;
    (void)state;
    for (uint32_t event = 0; event < 14; event++) {
        uint32_t slots = 2 + event / 2, head = 1u << 16 | 6u << 10 | 0x100 | (0x20 + slots);
        for (uint32_t k = 1; k <= slots; k++) {
            uint32_t part = k == 1 ? 1 : k < slots ? 2 : 3, word = 0x80000000u + 256 * slots + 2 * (k - 1);
            set_traceevent(dump, at++, part << 30 | head, 10 * (event + 1), word, word + 1);
        }
    }
    set_cursor(dump, 1, at);
    user_events_seen = 0;
    read_events(dump, take_user_words);
    assert_int_equal(user_events_seen, 14);
    bytes_free(&dump);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traceevent_slots),
        cmocka_unit_test(a_time_ahead_of_records),
        cmocka_unit_test(user_events_have_a_field_for_each_word),
    };
    return cmocka_run_group_tests_name("native reader, slots of traceevents", tests, NULL, NULL);
}
