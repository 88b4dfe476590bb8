/* test_faults.c - value change dumps: reads and writes that fail, are short or are interrupted. */
#define _GNU_SOURCE

#include "decoder/model/harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct trace_writer writer_vcd;

enum { BATCHES = 30, TEXT_BYTES = 60 };

static struct {
    enum { GOOD, FAIL, SHORT, INTERRUPT } fault;
    bool reads;         /* the fault is in read(), not in write() */
    unsigned count, at; /* calls; the one with the fault */
} disk;

/* Whether the fault is now. */
static bool is_now(bool reads)
{
    return disk.reads == reads && disk.count++ == disk.at && disk.fault != GOOD;
}

static ssize_t refuse(void)
{
    errno = disk.fault == FAIL ? EIO : EINTR;
    return -1;
}

/* These two stand in the place of the C library's: the writer calls them. */
ssize_t write(int fd, const void *from, size_t size)
{
    bool now = is_now(false);
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (now && disk.fault != SHORT)
        return refuse();
    size = now ? 1 : size;
    lseek(fd, (off_t)size, SEEK_CUR);
    return pwrite(fd, from, size, at);
}

ssize_t read(int fd, void *to, size_t size)
{
    bool now = is_now(true);
    off_t at = lseek(fd, 0, SEEK_CUR);
    ssize_t n;
    if (now && disk.fault != SHORT)
        return refuse();
    n = pread(fd, to, now ? 1 : size, at);
    lseek(fd, n > 0 ? n : 0, SEEK_CUR);
    return n;
}

/* A trace whose body is longer than the writer's buffer. 0, or -1. */
static int write_all(int fd)
{
    static const struct tlog_field fields[] = {{"text", TLOG_KIND_CHARS, 0, TEXT_BYTES}};
    static const struct tlog_type type = {"test", "event", TLOG_MEANS_PLAIN, TEXT_BYTES, 1, fields, NULL};
    char data[TEXT_BYTES];
    void *writer;
    int result = 0;
    memset(data, 'x', sizeof data);
    trace.failed = false;
    trace.error[0] = '\0';
    disk.count = 0;
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    writer = writer_vcd.open(&trace, NULL, fd);
    assert_non_null(writer);
    for (unsigned i = 0; i < BATCHES && result == 0; i++) {
        batch.n = batch.used = 0;
        for (unsigned k = 0; k < TRACE_BATCH_EVENTS / 2; k++)
            add(&type, 1000u + i * TRACE_BATCH_EVENTS + k, k % 5u, data, sizeof data);
        result = writer_vcd.write(writer, 0, &batch);
    }
    return writer_vcd.close(writer, result == 0) != 0 ? -1 : result;
}

/* Every call in turn has the fault; the first round, without one, tells how many calls there are. */
static void check(bool reads)
{
    int fd = new_file();
    char *good, *text;
    unsigned calls;
    disk.reads = reads;
    disk.fault = GOOD;
    assert_int_equal(write_all(fd), 0);
    calls = disk.count;
    good = contents(fd);
    assert_in_range(calls, 3, 20);
    for (int fault = FAIL; fault <= INTERRUPT; fault++) {
        for (disk.at = 0; disk.at < calls; disk.at++) {
            disk.fault = fault;
            assert_int_equal(write_all(fd), fault == FAIL ? -1 : 0);
            disk.fault = GOOD;
            text = contents(fd);
            assert_true(fault == FAIL || strcmp(text, good) == 0);
            assert_true(fault != FAIL || strstr(trace.error, "Input/output error") != NULL);
            free(text);
        }
    }
    free(good);
    close(fd);
}

static void writes_that_fail_are_told_and_others_are_repeated(void **state)
{
    (void)state;
    check(false);
}

static void reads_that_fail_are_told_and_others_are_repeated(void **state)
{
    (void)state;
    check(true);
}

static void without_a_directory_for_the_body_there_is_a_message(void **state)
{
    int fd = new_file();
    (void)state;
    setenv("TMPDIR", "/nowhere", 1);
    assert_null(writer_vcd.open(&trace, NULL, fd));
    unsetenv("TMPDIR");
    assert_non_null(strstr(trace.error, "cannot make a temporary file in /nowhere"));
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("writes that fail are told, and others are repeated", writes_that_fail_are_told_and_others_are_repeated),
        test("reads that fail are told, and others are repeated", reads_that_fail_are_told_and_others_are_repeated),
        test("without a directory for the body there is a message",
             without_a_directory_for_the_body_there_is_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
