/* test_tracedat_disk.c - writes of trace.dat that fail, are short or interrupted, and files that are no files, for every
 * writer. */
#define _GNU_SOURCE

#include "tracedat_harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- failing writes ---------------------------------------------------------------------------------------------- */

enum { EVENTS = 60000 }; /* of each CPU: some buffers */

/* Write a file of a few buffers, with a head that grows, until something fails. 0, or -1. */
static int write_all(void)
{
    char name[32];
    int result = 0;

    batch.n = batch.used = 0;
    trace.failed = false;
    disk.count = 0;
    trace.options = variant.options;
    trace_free(&trace);
    begin(2);
    for (uint32_t i = 0; i < 2 * EVENTS && result == 0; i++) {
        add_pair(i < EVENTS ? 0 : 1, 5000 + i, i);
        nlines = 0;
        if (batch.n < TRACE_BATCH_EVENTS && i != EVENTS - 1 && i != 2 * EVENTS - 1)
            continue;
        result = variant.writer->write(writer, batch_cpu, &batch);
        batch.n = batch.used = 0;
    }
    for (uint32_t i = 10; i < 3000; i++) {
        snprintf(name, sizeof name, "a name given late %u", i);
        trace_set_name(&trace, TRACE_NAME_TASK, i, name);
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

/* Moving pages reads them: here is nothing to read from. */
static void a_file_that_cannot_be_read_back_is_an_error(void **state)
{
    (void)state;
    variant.writer = &writer_tracedat6;
    close(file);
    file = open(path, O_WRONLY);
    assert_true(file >= 0);
    assert_int_equal(write_all(), -1);
    assert_string_equal(trace.error, "cannot read back: Bad file descriptor");
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

static int run_variants(void)
{
    static const struct named faults[] = {
        {"any write may fail", any_write_may_fail},
        {"any write may be short or interrupted", any_write_may_be_short_or_interrupted},
        {"a full disk is an error", a_full_disk_is_an_error},
    };
    static const struct variant variants[] = {
        {.name = "default", .writer = &writer_tracedat},
        {.name = "version 6", .writer = &writer_tracedat6},
        {.name = "zstd", .writer = &writer_tracedat, .options = {.compression = TRACE_COMPRESS_ZSTD}},
        {.name = "text", .writer = &writer_tracedat_text},
    };
    int failed = 0;

    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        failed += run_variant(&variants[i], faults, sizeof faults / sizeof faults[0]);
    return failed;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        test("a pipe is an error", a_pipe_is_an_error),
        test("an abandoned file is no trace", an_abandoned_file_is_no_trace),
        test("a file that cannot be read back is an error", a_file_that_cannot_be_read_back_is_an_error),
    };
    int failed;

    begin_tests(argc, argv);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    return end_tests(failed + run_variants());
}
