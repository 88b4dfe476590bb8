/* test_merge.c - several sources as one trace. */
#include "tool/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct tlog_field fields[] = {{"number", TLOG_KIND_UNSIGNED, 0, 8}};
static const struct tlog_type type = {"test", "mark", TLOG_MEANS_PLAIN, 8, 1, fields, NULL};
static const struct tlog_type same = {"test", "mark", TLOG_MEANS_PLAIN, 8, 1, fields, NULL};
static const struct tlog_type other_class = {"test", "mark", TLOG_MEANS_WAKE, 8, 1, fields, NULL};
static const struct tlog_type other_print = {"test", "mark", TLOG_MEANS_PLAIN, 8, 1, fields, "\"\""};
static const struct tlog_field hex[] = {{"number", TLOG_KIND_HEX, 0, 8}};
static const struct tlog_type other_kind = {"test", "mark", TLOG_MEANS_PLAIN, 8, 1, hex, NULL};
static const struct tlog_type other_name = {"test", "mark2", TLOG_MEANS_PLAIN, 8, 1, fields, NULL};

static void make_source(struct decode_source *source, unsigned n, unsigned ncpus)
{
    trace_init(&source->trace, "a source");
    source->trace.ncpus = ncpus;
    source->trace.clock_hz = n + 1u;
    decode_merge_name_tasks(source, n);
    trace_set_name(&source->trace, TRACE_NAME_TASK, 5, "blink");
    trace_set_name(&source->trace, TRACE_NAME_IRQ, 9, n == 0 ? "timer" : "uart");
}

static void assert_declared(struct trace *trace, struct tlog_decoder *decoders)
{
    assert_int_equal(trace->ncpus, 5);
    assert_int_equal(trace->clock_hz, 1);
    assert_int_equal(decoders[1].source.trace.cpu_base, 2);
    assert_int_equal(trace->ntypes, 2);
    assert_string_equal(trace_name(trace, TRACE_NAME_TASK, 5), "1:blink");
    assert_string_equal(trace_name(trace, TRACE_NAME_TASK, DECODE_MERGE_TASKS + 5), "2:blink");
    assert_string_equal(trace_name(trace, TRACE_NAME_IRQ, 9), "timer");
    assert_int_equal(trace->ngroups, 2);
    assert_string_equal(trace->groups[1].name, "2-chunk-4");
}

/* Types and names that are declared after the traces were merged get their numbers with the next batch. */
static void assert_late(struct decode_merge *merge, struct trace *trace, struct tlog_decoder *decoders)
{
    struct trace_batch *batch = calloc(1, sizeof *batch);
    unsigned cpu = 1;
    assert_non_null(batch);
    trace_type(&decoders[1].source.trace, &other_class);
    trace_type(&decoders[1].source.trace, &other_print);
    trace_type(&decoders[1].source.trace, &other_kind);
    trace_set_name(&decoders[1].source.trace, TRACE_NAME_TASK, 6, "late");
    batch->n = 5;
    for (uint16_t i = 0; i < 5; i++) {
        batch->event[i].type = i;
        batch->event[i].group = i & 1u;
    }
    assert_int_equal(decode_merge_batch(merge, &decoders[1].source, &cpu, batch), 0);
    assert_int_equal(cpu, 3);
    assert_int_equal(trace->ntypes, 5);
    assert_int_equal(batch->event[0].type, 1);
    assert_int_equal(batch->event[1].type, 0);
    assert_int_equal(batch->event[2].type, 2);
    assert_int_equal(batch->event[4].type, 4);
    assert_int_equal(batch->event[0].group, 0);
    assert_int_equal(batch->event[1].group, 2);
    assert_string_equal(trace_name(trace, TRACE_NAME_TASK, DECODE_MERGE_TASKS + 6), "2:late");
    free(batch);
}

static void assert_counts(struct decode_merge *merge, struct trace *trace, struct tlog_decoder *decoders)
{
    decoders[0].source.trace.counts = (struct trace_counts){.events = 3, .first = 5, .last = 9};
    decoders[1].source.trace.counts =
        (struct trace_counts){.events = 4, .first = 2, .last = 8, .damaged = 1, .gaps = 1};
    trace_count_dropped(&decoders[0].source.trace, 1, 10);
    trace_count_overwritten(&decoders[1].source.trace, 1, 20);
    trace_count_in_group(&decoders[1].source.trace, 1, 1, 15);
    decode_merge_count(merge);
    assert_int_equal(trace->counts.events, 7);
    assert_int_equal(trace->counts.first, 2);
    assert_int_equal(trace->counts.last, 9);
    assert_int_equal(trace->counts.gaps, 1);
    assert_int_equal(trace->counts.cpu[1].dropped, 10);
    assert_int_equal(trace->counts.cpu[3].overwritten, 20);
    assert_int_equal(trace->groups[1].overwritten[3], 15);
}

static void test_merged_trace(void **state)
{
    struct tlog_decoder *decoders = calloc(2, sizeof *decoders);
    struct decode_merge merge = {0};
    struct trace trace;
    (void)state;
    make_source(&decoders[0].source, 0, 2);
    make_source(&decoders[1].source, 1, 3);
    trace_type(&decoders[0].source.trace, &type);
    trace_type(&decoders[1].source.trace, &other_name);
    trace_type(&decoders[1].source.trace, &same);
    assert_int_equal(trace_group(&decoders[0].source.trace, "chunk-4"), 1);
    assert_int_equal(trace_group(&decoders[1].source.trace, "chunk-4"), 1);
    trace_init(&trace, "both");
    assert_int_equal(decode_merge_open(&merge, &trace, decoders, 2), 0);
    assert_declared(&trace, decoders);
    assert_late(&merge, &trace, decoders);
    assert_counts(&merge, &trace, decoders);
    decode_merge_close(&merge);
    trace_free(&trace);
    trace_free(&decoders[0].source.trace);
    trace_free(&decoders[1].source.trace);
    free(decoders);
}

/* A prefix counts for the longest name that is kept. */
static void test_prefix(void **state)
{
    struct trace trace;
    (void)state;
    trace_init(&trace, "");
    snprintf(trace.task_prefix, sizeof trace.task_prefix, "8:");
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
    assert_string_equal(trace_name(&trace, TRACE_NAME_TASK, 1), "8:abcdefghijklmnopqrstuvwxyzabc");
    trace_set_name(&trace, TRACE_NAME_MUTEX, 1, "m");
    assert_string_equal(trace_name(&trace, TRACE_NAME_MUTEX, 1), "m");
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merged_trace),
        cmocka_unit_test(test_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
