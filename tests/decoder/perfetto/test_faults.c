/* test_faults.c - Perfetto traces: writes that fail, are short or are interrupted; texts, messages and numbers at their
 * limits. */
#define _GNU_SOURCE

#include "cli/formats.h"
#include "formats/perfetto/packet.h"
#include "formats/perfetto/proto.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BATCHES = 80, TEXT_BYTES = 60 };

static const struct tlog_field fields[] = {{"text", TLOG_KIND_CHARS, 0, TEXT_BYTES},
                                           {"n", TLOG_KIND_UNSIGNED, TEXT_BYTES, 4}};
static const struct tlog_type type = {"test", "event", TLOG_MEANS_PLAIN, TEXT_BYTES + 4, 2, fields, NULL};

static struct trace_batch batch;
static struct trace trace;
static struct {
    enum { GOOD, FAIL, SHORT, INTERRUPT } fault;
    unsigned count, at; /* calls of write(); the one with the fault */
} disk;

/* In the place of the C library's: the writer calls it. */
ssize_t write(int fd, const void *from, size_t size)
{
    static const char bytes[1] = "";
    bool now = disk.fault != GOOD && disk.count++ == disk.at;
    if (disk.fault == GOOD)
        disk.count++;
    if (now && disk.fault != SHORT) {
        errno = disk.fault == FAIL ? EIO : EINTR;
        return -1;
    }
    if (now)
        size = 1;
    return pwrite(fd, size > 0 ? from : bytes, size, lseek(fd, (off_t)size, SEEK_CUR) - (off_t)size);
}

static void add_event(uint16_t id, uint32_t n)
{
    unsigned char *data = trace_batch_room(&batch, TEXT_BYTES + 4);
    assert_non_null(data);
    for (unsigned i = 0; i < TEXT_BYTES; i++)
        data[i] = (unsigned char)('a' + (n * 7u + i * i) % 26u);
    put_le32(data + TEXT_BYTES, n);
    batch.event[batch.n++] =
        (struct tlog_event){.time = 1000u + n, .data = data, .task = n % 5u, .type = id, .size = TEXT_BYTES + 4};
}

/* Write a trace of a few buffers. 0, or -1. */
static int write_all(int fd, bool gzip)
{
    struct trace_options options = {.given = TRACE_OPTION_COMPRESS,
                                    .compression = gzip ? TRACE_COMPRESS_ZLIB : TRACE_COMPRESS_NONE};
    void *writer;
    uint16_t id;
    int result = 0;
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    disk.count = 0;
    trace_init(&trace, "test");
    trace.quiet = true;
    trace.ncpus = 1;
    trace.clock_hz = 1000000000;
    id = trace_type(&trace, &type);
    writer = writer_perfetto.open(&trace, &options, fd);
    assert_non_null(writer);
    for (uint32_t i = 0; i < BATCHES && result == 0; i++) {
        batch.n = batch.used = 0;
        for (uint32_t k = 0; k < TRACE_BATCH_EVENTS / 2; k++)
            add_event(id, i * TRACE_BATCH_EVENTS + k);
        result = writer_perfetto.write(writer, 0, &batch);
    }
    if (writer_perfetto.close(writer, result == 0) != 0)
        result = -1;
    return result;
}

static uint64_t sum_of(int fd)
{
    static unsigned char bytes[1u << 24];
    ssize_t n = pread(fd, bytes, sizeof bytes, 0);
    uint64_t sum = 0xCBF29CE484222325u;
    assert_true(n > 1000);
    for (ssize_t i = 0; i < n; i++)
        sum = (sum ^ bytes[i]) * 0x100000001B3u;
    return sum;
}

static void any_write_may_fail(void **state)
{
    int fd = memfd_create("perfetto", 0);
    (void)state;
    for (unsigned gzip = 0; gzip < 2; gzip++) {
        unsigned writes;
        disk.fault = GOOD;
        assert_int_equal(write_all(fd, gzip != 0), 0);
        writes = disk.count;
        assert_true(writes >= 3);
        trace_free(&trace);
        for (disk.at = 0; disk.at < writes; disk.at++) {
            disk.fault = FAIL;
            assert_int_equal(write_all(fd, gzip != 0), -1);
            assert_string_equal(trace.error, "cannot write: Input/output error");
            trace_free(&trace);
        }
    }
    close(fd);
}

static void any_write_may_be_short_or_interrupted(void **state)
{
    int fd = memfd_create("perfetto", 0);
    (void)state;
    for (unsigned gzip = 0; gzip < 2; gzip++) {
        unsigned writes;
        uint64_t sum;
        disk.fault = GOOD;
        assert_int_equal(write_all(fd, gzip != 0), 0);
        writes = disk.count;
        sum = sum_of(fd);
        trace_free(&trace);
        for (disk.at = 0; disk.at < writes; disk.at++) {
            disk.fault = disk.at % 2u != 0 ? SHORT : INTERRUPT;
            assert_int_equal(write_all(fd, gzip != 0), 0);
            assert_true(sum_of(fd) == sum);
            trace_free(&trace);
        }
    }
    close(fd);
}

/* The length of a message takes one byte more at 2^7, 2^14 and 2^21. */
static void messages_of_every_length(void **state)
{
    static const size_t sizes[] = {0, 1, 126, 127, 128, 129, 16383, 16384, 16385, 2097151, 2097152};
    unsigned char *room = malloc(2200000), *text = malloc(2200000);
    (void)state;
    assert_true(room != NULL && text != NULL);
    memset(text, 'x', 2200000);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *fields_at = proto_begin(room, 1), *end, want[16];
        size_t head;
        memcpy(fields_at, text, sizes[i]);
        end = proto_end(fields_at, fields_at + sizes[i]);
        head = (size_t)(proto_varint(proto_varint(want, 1u << 3 | PROTO_BYTES), sizes[i]) - want);
        assert_int_equal(end - room, head + sizes[i]);
        assert_memory_equal(room, want, head);
        assert_memory_equal(room + head, text, sizes[i]);
    }
    free(room);
    free(text);
}

static void numbers_of_every_length(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits <= 64; bits++) {
        uint64_t value = bits == 0 ? 0 : UINT64_MAX >> (64u - bits), read = 0;
        unsigned char room[16], *end = proto_varint(room, value);
        for (unsigned char *at = end; at-- > room;)
            read = read << 7 | (*at & 0x7Fu);
        assert_true(read == value);
        assert_int_equal(end - room, bits == 0 ? 1 : (bits + 6) / 7);
    }
}

/* Beyond so many texts no more are remembered, and the old ones are still known. */
static void texts_do_not_take_ever_more_memory(void **state)
{
    struct perfetto_interns interns;
    uint64_t first, last = 1;
    char name[32];
    unsigned n = 0;
    (void)state;
    trace_init(&trace, "test");
    perfetto_interns_init(&interns, &trace);
    first = perfetto_intern(&interns, 2, "first", 5);
    assert_int_equal(first, 1);
    for (; last != 0 && n < 1000000; n++) {
        last = perfetto_intern(&interns, 2, name, (size_t)snprintf(name, sizeof name, "text %u", n));
        assert_true(last == 0 || last == n + 2u);
    }
    assert_true(n > 50000 && n < 100000);
    assert_int_equal(perfetto_intern(&interns, 2, "first", 5), 1);
    assert_int_equal(perfetto_intern(&interns, 3, "first", 5), 0);
    perfetto_interns_free(&interns);
    trace_free(&trace);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_write_may_fail),
        cmocka_unit_test(any_write_may_be_short_or_interrupted),
        cmocka_unit_test(messages_of_every_length),
        cmocka_unit_test(numbers_of_every_length),
        cmocka_unit_test(texts_do_not_take_ever_more_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
