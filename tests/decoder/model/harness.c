/* harness.c - a trace and files without a name: see harness.h. */
#include "tool/message.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct trace trace;
struct trace_batch batch;

static int set_up(void **state)
{
    (void)state;
    trace_init(&trace, "dump.bin");
    trace.sink = &message_sink;
    trace.ncpus = 1;
    trace.clock_hz = 1000000;
    batch.n = batch.used = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    trace_free(&trace);
    return 0;
}

int new_file(void)
{
    char path[] = "/tmp/test_trace_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    return fd;
}

char *contents(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1u);
    assert_non_null(text);
    assert_int_equal(pread(fd, text, (size_t)size, 0), size);
    return text;
}

void put_all(int fd, const void *data, size_t size)
{
    assert_int_equal(write(fd, data, size), (ssize_t)size);
}

char *damage_messages(unsigned n)
{
    int file = new_file();
    int saved = dup(STDERR_FILENO);
    char *text;
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    for (unsigned i = 0; i < n; i++)
        trace_damage(&trace, 0x1f40u + i, i, 2, "slot of class %u", 7u);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    text = contents(file);
    close(file);
    return text;
}

struct tlog_event *add(const struct tlog_type *type, uint64_t time, uint32_t task, const char *data, size_t size)
{
    struct tlog_event *event;
    void *room = trace_batch_room(&batch, size);
    assert_non_null(room);
    memcpy(room, data, size);
    event = &batch.event[batch.n++];
    *event = (struct tlog_event){
        .time = time, .data = room, .task = task, .type = trace_type(&trace, type), .size = (uint16_t)size};
    return event;
}

char *write_batch(const struct trace_writer *writer, unsigned cpu)
{
    int fd = new_file();
    void *state = writer->open(&trace, NULL, fd);
    char *text;
    assert_non_null(state);
    assert_int_equal(writer->write(state, cpu, &batch), 0);
    assert_int_equal(writer->close(state, true), 0);
    text = contents(fd);
    close(fd);
    return text;
}

void check_lines(const struct trace_writer *writer, unsigned cpu, const char *expected)
{
    char *text = write_batch(writer, cpu);
    assert_string_equal(text, expected);
    free(text);
}

struct CMUnitTest test(const char *name, CMUnitTestFunction function)
{
    return (struct CMUnitTest){name, function, set_up, tear_down, NULL};
}
