/* test_trace.c - the event model's core on the host: batches, types, names, errors and damage. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- batches and types ------------------------------------------------------------------------------------------- */

static void room_is_aligned_and_apart(void **state)
{
    unsigned char *first = trace_batch_room(&batch, 4);
    unsigned char *second = trace_batch_room(&batch, 12);
    unsigned char *third = trace_batch_room(&batch, 8);
    (void)state;
    assert_ptr_equal(first, batch.room);
    assert_ptr_equal(second, batch.room + 8);
    assert_ptr_equal(third, batch.room + 24);
    assert_int_equal(batch.used, 32);
}

static void room_ends_with_the_bytes(void **state)
{
    size_t taken = 0;
    (void)state;
    while (trace_batch_room(&batch, TRACE_PAYLOAD_MAX) != NULL)
        taken += TRACE_PAYLOAD_MAX;
    assert_int_equal(taken, sizeof batch.room);
    assert_null(trace_batch_room(&batch, 1));
    assert_non_null(trace_batch_room(&batch, 0));
}

static void room_ends_with_the_events(void **state)
{
    (void)state;
    batch.n = TRACE_BATCH_EVENTS - 1u;
    assert_non_null(trace_batch_room(&batch, 4));
    batch.n = TRACE_BATCH_EVENTS;
    assert_null(trace_batch_room(&batch, 0));
}

static void types_are_declared_once(void **state)
{
    static const struct tlog_type type[TRACE_TYPES_MAX + 1u];
    (void)state;
    for (unsigned i = 0; i < TRACE_TYPES_MAX; i++)
        assert_int_equal(trace_type(&trace, &type[i]), i);
    assert_int_equal(trace_type(&trace, &type[5]), 5);
    assert_int_equal(trace.ntypes, TRACE_TYPES_MAX);
    assert_false(trace.failed);
    trace_type(&trace, &type[TRACE_TYPES_MAX]);
    assert_string_equal(trace.error, "dump.bin: more than 4096 types of event");
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void names_are_made_harmless(void **state)
{
    (void)state;
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "a b\tc\xC3\xA9\x7F~!");
    assert_string_equal(trace_name(&trace, TRACE_NAME_TASK, 1), "a b_c\xC3\xA9_~!");
    trace_set_name(&trace, TRACE_NAME_TASK, 3, "\x80 \xC3 \xE2\x80 \xF5");
    assert_string_equal(trace_name(&trace, TRACE_NAME_TASK, 3), "_ _ __ _");
    trace_set_name(&trace, TRACE_NAME_TASK, 2, "0123456789012345678901234567890X");
    assert_string_equal(trace_name(&trace, TRACE_NAME_TASK, 2), "0123456789012345678901234567890");
}

static void names_are_told_apart_by_kind_and_id(void **state)
{
    (void)state;
    assert_null(trace_name(&trace, TRACE_NAME_TASK, 1));
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "task");
    trace_set_name(&trace, TRACE_NAME_IRQ, 1, "irq");
    trace_set_name(&trace, TRACE_NAME_TASK, 0xFFFFFFFFu, "last");
    assert_string_equal(trace_name(&trace, TRACE_NAME_TASK, 1), "task");
    assert_string_equal(trace_name(&trace, TRACE_NAME_IRQ, 1), "irq");
    assert_string_equal(trace_name(&trace, TRACE_NAME_TASK, 0xFFFFFFFFu), "last");
    assert_null(trace_name(&trace, TRACE_NAME_MUTEX, 1));
    assert_null(trace_name(&trace, TRACE_NAME_TASK, 2));
}

/* Names that trace_each_new_name() called back for: kind, id and text, in that order. */
static char new_names[200];

static void add_new_name(void *ctx, enum trace_name_kind kind, uint32_t id, const char *name)
{
    size_t n = strlen(new_names);
    assert_ptr_equal(ctx, new_names);
    snprintf(new_names + n, sizeof new_names - n, "%u:%u:%s ", (unsigned)kind, id, name);
}

static void check_new_names(unsigned naming, const char *expected)
{
    new_names[0] = '\0';
    trace_each_new_name(&trace, naming, add_new_name, new_names);
    assert_string_equal(new_names, expected);
}

static void names_given_since_are_told_in_order(void **state)
{
    unsigned naming = trace.naming;
    (void)state;
    check_new_names(naming, "");
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "a");
    trace_set_name(&trace, TRACE_NAME_IRQ, 1, "b");
    trace_set_name(&trace, TRACE_NAME_TASK, 2, "c");
    check_new_names(naming, "0:1:a 1:1:b 0:2:c ");
    trace_set_name(&trace, TRACE_NAME_IRQ, 1, "B");
    check_new_names(naming, "0:1:a 0:2:c 1:1:B ");
    naming = trace.naming;
    check_new_names(naming, "");
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "A");
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "AA");
    check_new_names(naming, "0:1:AA ");
}

static void last_name_wins_and_empty_ones_do_not(void **state)
{
    (void)state;
    trace_set_name(&trace, TRACE_NAME_EVENT, 7, "first");
    trace_set_name(&trace, TRACE_NAME_EVENT, 7, "second");
    trace_set_name(&trace, TRACE_NAME_EVENT, 7, "");
    trace_set_name(&trace, TRACE_NAME_EVENT, 8, "");
    trace_set_name(&trace, TRACE_NAME_KINDS, 7, "no kind");
    assert_string_equal(trace_name(&trace, TRACE_NAME_EVENT, 7), "second");
    assert_null(trace_name(&trace, TRACE_NAME_EVENT, 8));
    assert_null(trace_name(&trace, TRACE_NAME_KINDS, 7));
}

struct walk {
    uint32_t calls;
    uint32_t last;
};

static void check_name(void *ctx, uint32_t id, const char *name)
{
    struct walk *walk = ctx;
    char expected[32];
    snprintf(expected, sizeof expected, "t%u", id);
    assert_string_equal(name, expected);
    assert_true(walk->calls == 0 || id > walk->last);
    walk->last = id;
    walk->calls++;
}

/* Every id once, in no order: 7919 and 10000 have no common factor. */
static void many_names_come_in_order_and_stay_where_they_are(void **state)
{
    struct walk walk = {0, 0};
    const char *early;
    char name[32];
    (void)state;
    trace_set_name(&trace, TRACE_NAME_TASK, 3, "t3");
    trace_set_name(&trace, TRACE_NAME_IRQ, 3, "other kind");
    early = trace_name(&trace, TRACE_NAME_TASK, 3);
    for (uint32_t i = 0; i < 10000u; i++) {
        uint32_t id = i * 7919u % 10000u;
        snprintf(name, sizeof name, "t%u", id);
        trace_set_name(&trace, TRACE_NAME_TASK, id, name);
    }
    assert_ptr_equal(trace_name(&trace, TRACE_NAME_TASK, 3), early);
    trace_each_name(&trace, TRACE_NAME_TASK, check_name, &walk);
    assert_int_equal(walk.calls, 10000);
    assert_string_equal(trace_name(&trace, TRACE_NAME_TASK, 9999), "t9999");
}

static void a_trace_without_names_calls_nothing(void **state)
{
    struct walk walk = {0, 0};
    (void)state;
    trace_each_name(&trace, TRACE_NAME_TASK, check_name, &walk);
    assert_int_equal(walk.calls, 0);
}

/* ---- errors and damage ------------------------------------------------------------------------------------------- */

static void first_error_stays(void **state)
{
    (void)state;
    assert_int_equal(trace_fail(&trace, "offset 0x%x: %s", 16u, "first"), -1);
    assert_int_equal(trace_fail(&trace, "second"), -1);
    assert_true(trace.failed);
    assert_string_equal(trace.error, "offset 0x10: first");
}

static void damage_is_said_and_counted(void **state)
{
    char *text = damage_messages(3);
    (void)state;
    assert_string_equal(text, "tlog-decode: dump.bin: offset 0x1f40: slot of class 7\n"
                              "tlog-decode: dump.bin: offset 0x1f41: slot of class 7: skipped 1 byte\n"
                              "tlog-decode: dump.bin: offset 0x1f42: slot of class 7: skipped 2 bytes\n");
    assert_int_equal(trace.counts.gaps, 3);
    assert_int_equal(trace.counts.damaged, 6);
    free(text);
}

static void damage_is_not_said_without_end(void **state)
{
    char *text = damage_messages(50);
    const char *last = strstr(text, "tlog-decode: dump.bin: further damage is counted, not shown\n");
    unsigned lines = 0;
    (void)state;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 21);
    assert_non_null(last);
    assert_null(strchr(strchr(last, '\n') + 1, '\n'));
    assert_int_equal(trace.counts.gaps, 50);
    assert_int_equal(trace.counts.damaged, 100);
    free(text);
}

static void quiet_damage_is_counted_only(void **state)
{
    char *text;
    (void)state;
    trace.quiet = true;
    text = damage_messages(30);
    assert_string_equal(text, "");
    assert_int_equal(trace.counts.gaps, 30);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("room is aligned and apart", room_is_aligned_and_apart),
        test("room ends with the bytes", room_ends_with_the_bytes),
        test("room ends with the events", room_ends_with_the_events),
        test("types are declared once", types_are_declared_once),
        test("names are made harmless", names_are_made_harmless),
        test("names are told apart by kind and id", names_are_told_apart_by_kind_and_id),
        test("names given since are told in order", names_given_since_are_told_in_order),
        test("the last name wins, and empty ones do not", last_name_wins_and_empty_ones_do_not),
        test("many names come in order and stay where they are", many_names_come_in_order_and_stay_where_they_are),
        test("a trace without names calls nothing", a_trace_without_names_calls_nothing),
        test("the first error stays", first_error_stays),
        test("damage is said and counted", damage_is_said_and_counted),
        test("damage is not said without end", damage_is_not_said_without_end),
        test("quiet damage is counted only", quiet_damage_is_counted_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
