/* test_disk.c - for every trace.dat writer: writes that fail, are short or are interrupted, and outputs that are not
 * regular files. */
#define _GNU_SOURCE

#include "harness.h"
#include "lib/tier.h"
#include "model/module.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- failing writes ---------------------------------------------------------------------------------------------- */

enum { EVENTS = 60000 }; /* of each CPU: some blocks of pages */

/* Write a file of a few blocks of pages, with a head that grows, until something fails. 0, or -1. */
static int write_all(void)
{
    char name[32];
    int result = 0;
    batch.n = batch.used = 0;
    trace.failed = false;
    disk.count = 0;
    options = variant.options;
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
    assert_true(writes >= 5); /* full blocks, the last one, the sections, the first page */
    for (unsigned i = 0; i < writes; i += tier_step(307)) {
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
    for (unsigned i = 0; i < 2 * writes; i += tier_step(307)) {
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

/* To move pages the writer reads them, which it cannot here. */
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

/* ---- temporary files of instances -------------------------------------------------------------------------------- */

enum { APART = 6000, NEAR_END = 3 * 4096 };

static off_t saved;     /* bytes of the temporary file when all was written to it */
static off_t cut_saved; /* bytes that are cut off its end before it is read */

/* The writer calls this to go back to the beginning of a temporary file, which is complete then. */
int fseek(FILE *stream, long offset, int whence)
{
    struct stat status;
    assert_int_equal(fstat(fileno(stream), &status), 0);
    saved = status.st_size;
    if (cut_saved > 0)
        assert_int_equal(ftruncate(fileno(stream), saved - cut_saved), 0);
    return fseeko(stream, offset, whence);
}

/* Write a file whose events are all in one instance. The temporary file is larger than the file. 0, or -1. */
static int write_apart(void)
{
    unsigned char data[8] = {0};
    int result = 0;
    trace_free(&trace);
    trace_init(&trace, "test");
    trace.ncpus = 2;
    trace.clock_hz = SECOND;
    options.instances = true;
    batch.n = batch.used = 0;
    trace_group(&trace, "apart");
    begin(2);
    for (uint32_t i = 0; i < APART && result == 0; i++) {
        batch.event[batch.n++] = (struct tlog_event){
            .time = 5000 + i, .data = data, .type = trace_type(&trace, &pair), .size = 8, .group = 1};
        if (batch.n < 1000)
            continue;
        result = variant.writer->write(writer, i < APART / 2 ? 0 : 1, &batch);
        batch.n = 0;
    }
    return variant.writer->close(writer, result == 0) ? -1 : result;
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The last bytes are written only when the temporary file is about to be read back. If there is no room for them that
 * is an error, too. */
static void a_full_temporary_directory_is_an_error(void **state)
{
    char *good, *got;
    off_t room;
    unsigned refused = 0;
    (void)state;
    assert_int_equal(write_apart(), 0);
    good = run("cksum < %s", path);
    room = saved;
    assert_true(room > NEAR_END && lseek(file, 0, SEEK_END) < room - NEAR_END);
    for (off_t bytes = room - NEAR_END; bytes <= room + NEAR_END; bytes += 128 * tier_step(11)) {
        int result;
        assert_int_equal(ftruncate(file, 0), 0);
        limit_files((rlim_t)bytes);
        result = write_apart();
        limit_files(RLIM_INFINITY);
        assert_int_equal(result, bytes < room ? -1 : 0);
        if (result == 0) {
            got = run("cksum < %s", path);
            assert_string_equal(got, good);
            free(got);
        } else {
            assert_string_equal(trace.error, "cannot write a temporary file: File too large");
            refused++;
        }
    }
    assert_int_equal(refused, (NEAR_END / 128 - 1u) / tier_step(11) + 1u);
    free(good);
}

/* Cut at every byte of the last events: inside of events, inside of payloads and between them. */
static void a_temporary_file_that_is_cut_is_an_error(void **state)
{
    (void)state;
    for (cut_saved = 1; cut_saved < 200; cut_saved += tier_step(11)) {
        assert_int_equal(write_apart(), -1);
        assert_string_equal(trace.error, "cannot read a temporary file: it ends before the events do");
    }
    cut_saved = 0;
    assert_int_equal(write_apart(), 0);
    cut_saved = saved;
    assert_int_equal(write_apart(), -1);
    cut_saved = 0;
}

/* ---- main -------------------------------------------------------------------------------------------------------- */

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
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i += tier_step(3))
        failed += run_variant(&variants[i], faults, sizeof faults / sizeof faults[0]);
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("a pipe is an error", a_pipe_is_an_error),
        test("an abandoned file is no trace", an_abandoned_file_is_no_trace),
        test("a file that cannot be read back is an error", a_file_that_cannot_be_read_back_is_an_error),
        test("a full temporary directory is an error", a_full_temporary_directory_is_an_error),
        test("a temporary file that is cut is an error", a_temporary_file_that_is_cut_is_an_error),
    };
    int failed;
    begin_tests();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    return end_tests(failed + run_variants());
}
