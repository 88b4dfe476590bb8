/* big.c - trace.dat files with more than 4 GiB of events of one CPU. All of these events are put on pages, but most of
 * the full blocks between the first and the last are not written, so the file has a large hole. trace-cmd reads the
 * beginning and the end, and the events of the next CPU behind them. */
#define _GNU_SOURCE

#include "harness.h"
#include "model/module.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PAYLOAD = 104, /* as much as ordinary events have: with a word and the common fields 116 bytes, 35 to a page */
    EVENTS_PER_PAGE = (4096 - 16) / 116,
};

static const uint64_t FOUR_GIB = UINT64_C(1) << 32;
static const uint64_t PAGES = (1 << 20) + 500; /* of CPU 0: 4 GiB and a little more */

static const struct tlog_field block_fields[] = {{"chars", TLOG_KIND_CHARS, 0, PAYLOAD}};
static const struct tlog_type block = {
    .system = "s", .name = "block", .size = PAYLOAD, .nfields = 1, .fields = block_fields};

/* n events of CPU 0, 10 ns apart from 1000 on. */
static void fill(uint64_t n)
{
    static const unsigned char text[PAYLOAD] = "much";
    uint16_t type = trace_type(&trace, &block);
    for (uint64_t i = 0; i < n;) {
        batch_cpu = 0;
        for (batch.n = 0; batch.n < TRACE_BATCH_EVENTS && i < n; i++)
            batch.event[batch.n++] =
                (struct tlog_event){.time = 1000 + 10 * i, .data = text, .task = 1, .type = type, .size = PAYLOAD};
        flush();
    }
}

/* where: how trace-cmd dump begins the line with place and size of CPU 0's pages. */
static void four_gib_are_not_the_end(const struct trace_writer *with, const char *where)
{
    uint64_t events = PAGES * EVENTS_PER_PAGE;
    uint64_t last = 1000 + 10 * (events - 1);
    char expected[160];
    variant.writer = with;
    disk.drop_from = 8 << 20;
    disk.drop_to = FOUR_GIB;
    begin(2);
    fill(events);
    for (uint32_t i = 0; i < 3000; i++)
        add_pair(1, 5000 + i, i);
    finish();
    assert_true((uint64_t)lseek(file, 0, SEEK_END) > FOUR_GIB + 3000 * 20);
    free(run("trace-cmd dump --all %s >/dev/null", path));
    free(run("trace-cmd dump --flyrecord %s | grep -q '%s[0-9][0-9]*[[:blank:]]*%" PRIu64 "[[:blank:]]*\\[.*offset'",
             path, where, PAGES * 4096));
    run_prints("3000\n", "trace-cmd report --cpu 1 %s 2>&1 | grep -c ' pair: '", path);
    free(run("trace-cmd report -t --cpu 1 %s 2>&1 | grep -q ' 0.000007999: pair: *par1=2999 par2=0x2325$'", path));
    snprintf(expected, sizeof expected, "%" PRIu64 ".%06" PRIu64 "\n", last / SECOND, (last % SECOND + 500) / 1000);
    run_prints(expected, "trace-cmd report --last-event %s 2>&1 | sed -n 's/ *0\\tLast event: *//p'", path);
    run_prints("0.000001\n", "trace-cmd report --first-event %s 2>&1 | sed -n 's/ *0\\tFirst event: *//p'", path);
}

static void version_7_goes_past_4_gib(void **state)
{
    (void)state;
    four_gib_are_not_the_end(&writer_tracedat, "^   0 ");
}

static void version_6_goes_past_4_gib(void **state)
{
    (void)state;
    four_gib_are_not_the_end(&writer_tracedat6, "^\t *");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("version 7 goes past 4 GiB", version_7_goes_past_4_gib),
        test("version 6 goes past 4 GiB", version_6_goes_past_4_gib),
    };
    begin_tests();
    return end_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
