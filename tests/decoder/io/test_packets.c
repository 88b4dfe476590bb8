/* test_packets.c - packets in the worst order: each one before all that came so far. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <time.h>

#include "io/packets.h"
#include "model/trace.h"

/* Moving all that came before for each packet takes some hundred times as long as adding it behind them. */
enum { MANY = 100000, TIMES = 40 };

static clock_t add_all(uint64_t first, int64_t step)
{
    static struct packets packets;
    static const unsigned char record[PACKETS_RECORD_BYTES];
    clock_t begin = clock();
    struct trace trace;
    packets = (struct packets){0};
    trace_init(&trace, "test");
    assert_int_equal(packets_open(&packets, &trace), 0);
    for (uint64_t i = 0, number = first; i < MANY; i++, number += (uint64_t)step)
        assert_int_equal(packets_add(&packets, number, record, number % 1000u == 0), 1);
    for (uint64_t i = 0, number = first; i < MANY; i++, number += (uint64_t)step)
        assert_int_equal(packets_find(&packets, number)->number, number);
    assert_null(packets_find(&packets, first - (uint64_t)step));
    assert_null(packets_find(&packets, first + MANY * (uint64_t)step));
    assert_int_equal(packets_sort(&packets), 0);
    packets_close(&packets);
    trace_free(&trace);
    return clock() - begin;
}

/* CPU time, as a ratio to that of packets in order, in the same run. */
static void packets_may_come_backwards(void **state)
{
    clock_t forwards = add_all(PACKETS_FIRST, 1), backwards = add_all(PACKETS_FIRST + MANY, -1);
    (void)state;
    print_message("forwards %ld, backwards %ld\n", (long)forwards, (long)backwards);
    assert_true(backwards < TIMES * (forwards + CLOCKS_PER_SEC / 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(packets_may_come_backwards)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
