/* test_spans.c - spans of a firmware, paired: nested, in tasks and in interrupts between them, and unbalanced. */
#include "tool/message.h"
#include "base/bytes.h"
#include "events/nesting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static struct trace trace;
static struct trace_batch batch;
static struct nesting *nesting;
static struct tlog_type types[4];

/* Index of the type of the beginning of span s; that of the end is one more. */
static uint16_t begin_of(unsigned s)
{
    return trace_type(&trace, &types[2u * s]);
}

static int set_up(void **state)
{
    static const char *const names[] = {"a_begin", "a_end", "b_begin", "b_end"};
    (void)state;
    trace_init(&trace, "dump.bin");
    trace.sink = &message_sink;
    trace.quiet = true;
    for (unsigned i = 0; i < 4; i++) {
        bool begins = i % 2 == 0;
        types[i] = (struct tlog_type){"user",
                                      names[i],
                                      TLOG_MEANS_PLAIN,
                                      begins ? SPANS_BEGIN_BYTES : SPANS_END_BYTES,
                                      begins ? SPANS_BEGIN_FIELDS : SPANS_END_FIELDS,
                                      begins ? spans_begin_fields : spans_end_fields,
                                      begins ? spans_begin_print : spans_end_print};
        trace_type(&trace, &types[i]);
    }
    nesting = nesting_new(&trace);
    assert_non_null(nesting);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    nesting_free(nesting);
    trace_free(&trace);
    return 0;
}

/* Pass one event, and return its payload. */
static const unsigned char *pass(unsigned cpu, uint16_t type, uint32_t task, uint8_t flags, uint64_t time)
{
    memset(batch.room, 0xFF, 16);
    batch.event[0] =
        (struct tlog_event){.data = batch.room, .size = 16, .type = type, .task = task, .flags = flags, .time = time};
    batch.n = 1;
    assert_int_equal(nesting_batch(nesting, cpu, &batch, batch.room), 0);
    return batch.room;
}

static void begins(unsigned cpu, unsigned s, uint32_t task, uint64_t time, uint32_t depth)
{
    assert_int_equal(get_le32(pass(cpu, begin_of(s), task, 0, time)), depth);
}

static void ends(unsigned cpu, unsigned s, uint32_t task, uint64_t time, uint64_t duration, uint32_t depth)
{
    const unsigned char *data = pass(cpu, (uint16_t)(begin_of(s) + 1u), task, 0, time);
    assert_int_equal(get_le64(data), duration);
    assert_int_equal(get_le32(data + 8), depth);
    assert_int_equal(get_le32(data + 12), 1);
}

static void ends_alone(unsigned cpu, unsigned s, uint32_t task)
{
    const unsigned char *data = pass(cpu, (uint16_t)(begin_of(s) + 1u), task, 0, 1000);
    assert_int_equal(get_le64(data) | get_le64(data + 8), 0);
}

static void each_task_has_its_own(void **state)
{
    (void)state;
    begins(0, 0, 5, 100, 0);
    begins(0, 0, 6, 110, 0);
    begins(1, 0, 5, 120, 0);
    begins(0, 1, 5, 130, 1);
    assert_int_equal(get_le32(pass(0, begin_of(0), 5, TLOG_FLAG_IN_INTERRUPT, 140)), 0);
    assert_int_equal(get_le64(pass(0, (uint16_t)(begin_of(0) + 1u), 5, TLOG_FLAG_IN_INTERRUPT, 150)), 10);
    ends(0, 1, 5, 160, 30, 1);
    ends(0, 0, 5, 170, 70, 0);
    ends(0, 0, 6, 180, 70, 0);
    ends(1, 0, 5, 190, 70, 0);
}

static void the_innermost_one_ends(void **state)
{
    (void)state;
    begins(0, 0, 5, 100, 0);
    begins(0, 0, 5, 110, 1);
    ends(0, 0, 5, 120, 10, 1);
    begins(0, 1, 5, 130, 1); /* never ends */
    ends(0, 0, 5, 150, 50, 0);
    ends_alone(0, 1, 5);
    ends_alone(0, 0, 5);
}

static void a_loss_forgets_what_is_open(void **state)
{
    (void)state;
    begins(0, 0, 5, 100, 0);
    begins(1, 0, 5, 100, 0);
    pass(0, trace_type(&trace, &trace_loss_type), 0, 0, 110);
    ends_alone(0, 0, 5);
    ends(1, 0, 5, 120, 20, 0);
}

static void deeper_than_is_kept(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        begins(0, 0, 5, i, i);
    for (uint32_t i = 0; i < 36; i++)
        ends_alone(0, 0, 5);
    for (uint32_t i = 64; i-- > 0;)
        ends(0, 0, 5, 200, 200 - i, i);
    ends_alone(0, 0, 5);
}

static void more_tasks_than_are_followed(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4096; i++)
        begins(0, 0, i, 7, 0);
    begins(0, 0, 5000, 7, 0);
    ends_alone(0, 0, 5000);
    ends(0, 0, 4095, 8, 1, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_task_has_its_own), TEST(the_innermost_one_ends),       TEST(a_loss_forgets_what_is_open),
        TEST(deeper_than_is_kept),   TEST(more_tasks_than_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
