/* test_faults.c - columns: reads and writes that fail, are short or are interrupted, of the file and of the temporary
 * files that hold its parts until then. */
#define _GNU_SOURCE

#include "decoder/model/harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern const struct trace_writer writer_columns;

enum { BATCHES = 30, TEXT_BYTES = 60 };

enum call { WRITE, READ, WRITE_AT, READ_AT, CALLS };

static struct {
    enum { GOOD, FAIL, SHORT, INTERRUPT } fault;
    enum call call;     /* that has the fault */
    unsigned count, at; /* such calls; the one with the fault */
} disk;

/* What a call is to do: the size, which may be less than asked for; or -1 with errno. */
static ssize_t fate(enum call call, size_t size)
{
    bool now = disk.call == call && disk.count++ == disk.at && disk.fault != GOOD;
    if (!now)
        return (ssize_t)size;
    if (disk.fault == SHORT)
        return 1;
    errno = disk.fault == FAIL ? EIO : EINTR;
    return -1;
}

/* These four stand in the place of the C library's: the decoder calls them, with 64-bit offsets. */
ssize_t write(int fd, const void *from, size_t size)
{
    ssize_t n = fate(WRITE, size);
    return n < 0 ? n : syscall(SYS_write, fd, from, n);
}

ssize_t read(int fd, void *to, size_t size)
{
    ssize_t n = fate(READ, size);
    return n < 0 ? n : syscall(SYS_read, fd, to, n);
}

ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at)
{
    ssize_t n = fate(WRITE_AT, size);
    return n < 0 ? n : syscall(SYS_pwrite64, fd, from, n, at);
}

ssize_t pread64(int fd, void *to, size_t size, off64_t at)
{
    ssize_t n = fate(READ_AT, size);
    return n < 0 ? n : syscall(SYS_pread64, fd, to, n, at);
}

/* A trace of which not all fits into memory. 0, or -1. */
static int write_all(int fd)
{
    static const struct tlog_field fields[] = {{"text", TLOG_KIND_CHARS, 0, TEXT_BYTES}};
    static const struct tlog_type type = {"test", "event", TLOG_MEANS_PLAIN, TEXT_BYTES, 1, fields, NULL};
    static const struct trace_options options = {0};
    char data[TEXT_BYTES];
    void *writer;
    int result = 0;
    memset(data, 'x', sizeof data);
    trace.failed = false;
    trace.error[0] = '\0';
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    disk.count = 0;
    writer = writer_columns.open(&trace, &options, fd);
    assert_non_null(writer);
    for (unsigned i = 0; i < BATCHES && result == 0; i++) {
        batch.n = batch.used = 0;
        for (unsigned k = 0; k < TRACE_BATCH_EVENTS / 2; k++) {
            data[k % 50u] = (char)('a' + (i + k) % 26u);
            add(&type, 1000u + i * TRACE_BATCH_EVENTS + k, k % 5u, data, sizeof data);
        }
        result = writer_columns.write(writer, 0, &batch);
    }
    return writer_columns.close(writer, result == 0) != 0 ? -1 : result;
}

/* The bytes of a file, of a size; the caller frees them. */
static char *bytes_of(int fd, off_t *size)
{
    *size = lseek(fd, 0, SEEK_END);
    return contents(fd);
}

/* Every call of a kind in turn has the fault; the first round, without one, tells how many calls there are. */
static void check(enum call call, unsigned least)
{
    int fd = new_file();
    char *good, *now;
    off_t size, size_now;
    unsigned calls;
    disk.call = call;
    disk.fault = GOOD;
    assert_int_equal(write_all(fd), 0);
    calls = disk.count;
    good = bytes_of(fd, &size);
    assert_in_range(calls, least, 400);
    assert_true(size > 400000 && memcmp(good, "tlogcols", 8) == 0);
    for (int fault = FAIL; fault <= INTERRUPT; fault++) {
        for (disk.at = 0; disk.at < calls; disk.at++) {
            disk.fault = fault;
            assert_int_equal(write_all(fd), fault == FAIL ? -1 : 0);
            disk.fault = GOOD;
            now = bytes_of(fd, &size_now);
            assert_true(fault == FAIL || (size == size_now && memcmp(now, good, (size_t)size) == 0));
            assert_true(fault != FAIL || strstr(trace.error, "Input/output error") != NULL);
            free(now);
        }
    }
    free(good);
    close(fd);
}

static void writes_that_fail_are_told_and_others_are_repeated(void **state)
{
    (void)state;
    check(WRITE, 5);
    check(WRITE_AT, 5);
}

static void reads_that_fail_are_told_and_others_are_repeated(void **state)
{
    (void)state;
    check(READ, 1);
    check(READ_AT, 5);
}

static void without_a_directory_for_its_parts_there_is_a_message(void **state)
{
    int fd = new_file();
    (void)state;
    disk.fault = GOOD;
    setenv("TMPDIR", "/nowhere", 1);
    assert_int_equal(write_all(fd), -1);
    unsetenv("TMPDIR");
    assert_non_null(strstr(trace.error, "cannot make a temporary file in /nowhere"));
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("writes that fail are told, and others are repeated", writes_that_fail_are_told_and_others_are_repeated),
        test("reads that fail are told, and others are repeated", reads_that_fail_are_told_and_others_are_repeated),
        test("without a directory for its parts there is a message",
             without_a_directory_for_its_parts_there_is_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
