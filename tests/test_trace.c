/* test_trace.c - the event model's core on the host: trace.c, input.c and the text writer, against lines written by
 * hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "input.h"
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct trace_writer writer_text;

static struct trace trace;
static struct trace_batch batch;

static int set_up(void **state)
{
    (void)state;
    trace_init(&trace, "dump.bin");
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

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static int new_file(void)
{
    char path[] = "/tmp/test_trace_XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    unlink(path);
    return fd;
}

/* All of a file, NUL-terminated; the caller frees it. */
static char *contents(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1u);

    assert_non_null(text);
    assert_int_equal(pread(fd, text, (size_t)size, 0), size);
    return text;
}

static void put_all(int fd, const void *data, size_t size)
{
    assert_int_equal(write(fd, data, size), (ssize_t)size);
}

/* What the damage messages of n damaged regions look like. */
static char *damage_messages(unsigned n)
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

/* ---- batches and types ------------------------------------------------------------------------------------------- */

static void room_is_aligned_and_apart(void **state)
{
    unsigned char *first = trace_batch_room(&batch, 4);
    unsigned char *second = trace_batch_room(&batch, 12);
    unsigned char *third = trace_batch_room(&batch, 8);

    (void)state;
    assert_ptr_equal(first, batch.room);
    assert_ptr_equal(second, batch.room + 8);
    assert_ptr_equal(third, batch.room + 24);
    assert_int_equal(batch.used, 32);
}

static void room_ends_with_the_bytes(void **state)
{
    size_t taken = 0;

    (void)state;
    while (trace_batch_room(&batch, TRACE_PAYLOAD_MAX) != NULL)
        taken += TRACE_PAYLOAD_MAX;
    assert_int_equal(taken, sizeof batch.room);
    assert_null(trace_batch_room(&batch, 1));
    assert_non_null(trace_batch_room(&batch, 0));
}

static void room_ends_with_the_events(void **state)
{
    (void)state;
    batch.n = TRACE_BATCH_EVENTS - 1u;
    assert_non_null(trace_batch_room(&batch, 4));
    batch.n = TRACE_BATCH_EVENTS;
    assert_null(trace_batch_room(&batch, 0));
}

static void types_are_declared_once(void **state)
{
    static const struct trace_type type[TRACE_TYPES_MAX + 1u];

    (void)state;
    for (unsigned i = 0; i < TRACE_TYPES_MAX; i++)
        assert_int_equal(trace_type(&trace, &type[i]), i);
    assert_int_equal(trace_type(&trace, &type[5]), 5);
    assert_int_equal(trace.ntypes, TRACE_TYPES_MAX);
    assert_false(trace.failed);
    trace_type(&trace, &type[TRACE_TYPES_MAX]);
    assert_string_equal(trace.error, "dump.bin: more than 1024 types of event");
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void names_are_made_harmless(void **state)
{
    (void)state;
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "a b\tc\xC3\xA9\x7F~!");
    assert_string_equal(trace_name(&trace, TRACE_NAME_TASK, 1), "a b_c___~!");
    trace_set_name(&trace, TRACE_NAME_TASK, 2, "0123456789012345678901234567890X");
    assert_string_equal(trace_name(&trace, TRACE_NAME_TASK, 2), "0123456789012345678901234567890");
}

static void names_are_told_apart_by_kind_and_id(void **state)
{
    (void)state;
    assert_null(trace_name(&trace, TRACE_NAME_TASK, 1));
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "task");
    trace_set_name(&trace, TRACE_NAME_IRQ, 1, "irq");
    trace_set_name(&trace, TRACE_NAME_TASK, 0xFFFFFFFFu, "last");
    assert_string_equal(trace_name(&trace, TRACE_NAME_TASK, 1), "task");
    assert_string_equal(trace_name(&trace, TRACE_NAME_IRQ, 1), "irq");
    assert_string_equal(trace_name(&trace, TRACE_NAME_TASK, 0xFFFFFFFFu), "last");
    assert_null(trace_name(&trace, TRACE_NAME_MUTEX, 1));
    assert_null(trace_name(&trace, TRACE_NAME_TASK, 2));
}

static void last_name_wins_and_empty_ones_do_not(void **state)
{
    (void)state;
    trace_set_name(&trace, TRACE_NAME_EVENT, 7, "first");
    trace_set_name(&trace, TRACE_NAME_EVENT, 7, "second");
    trace_set_name(&trace, TRACE_NAME_EVENT, 7, "");
    trace_set_name(&trace, TRACE_NAME_EVENT, 8, "");
    trace_set_name(&trace, TRACE_NAME_KINDS, 7, "no kind");
    assert_string_equal(trace_name(&trace, TRACE_NAME_EVENT, 7), "second");
    assert_null(trace_name(&trace, TRACE_NAME_EVENT, 8));
    assert_null(trace_name(&trace, TRACE_NAME_KINDS, 7));
}

struct walk {
    uint32_t calls;
    uint32_t last;
};

static void check_name(void *ctx, uint32_t id, const char *name)
{
    struct walk *walk = ctx;
    char expected[32];

    snprintf(expected, sizeof expected, "t%u", id);
    assert_string_equal(name, expected);
    assert_true(walk->calls == 0 || id > walk->last);
    walk->last = id;
    walk->calls++;
}

/* Ids in an order that is neither up nor down: 7919 has no factor in common with 10000. */
static void many_names_come_in_order_and_stay_where_they_are(void **state)
{
    struct walk walk = {0, 0};
    const char *early;
    char name[32];

    (void)state;
    trace_set_name(&trace, TRACE_NAME_TASK, 3, "t3");
    trace_set_name(&trace, TRACE_NAME_IRQ, 3, "other kind");
    early = trace_name(&trace, TRACE_NAME_TASK, 3);
    for (uint32_t i = 0; i < 10000u; i++) {
        uint32_t id = i * 7919u % 10000u;

        snprintf(name, sizeof name, "t%u", id);
        trace_set_name(&trace, TRACE_NAME_TASK, id, name);
    }
    assert_ptr_equal(trace_name(&trace, TRACE_NAME_TASK, 3), early);
    trace_each_name(&trace, TRACE_NAME_TASK, check_name, &walk);
    assert_int_equal(walk.calls, 10000);
    assert_string_equal(trace_name(&trace, TRACE_NAME_TASK, 9999), "t9999");
}

static void a_trace_without_names_calls_nobody(void **state)
{
    struct walk walk = {0, 0};

    (void)state;
    trace_each_name(&trace, TRACE_NAME_TASK, check_name, &walk);
    assert_int_equal(walk.calls, 0);
}

/* ---- errors and damage ------------------------------------------------------------------------------------------- */

static void first_error_stays(void **state)
{
    (void)state;
    assert_int_equal(trace_fail(&trace, "offset 0x%x: %s", 16u, "first"), -1);
    assert_int_equal(trace_fail(&trace, "second"), -1);
    assert_true(trace.failed);
    assert_string_equal(trace.error, "offset 0x10: first");
}

static void damage_is_said_and_counted(void **state)
{
    char *text = damage_messages(3);

    (void)state;
    assert_string_equal(text, "tlog-decode: dump.bin: offset 0x1f40: slot of class 7\n"
                              "tlog-decode: dump.bin: offset 0x1f41: slot of class 7: skipped 1 byte\n"
                              "tlog-decode: dump.bin: offset 0x1f42: slot of class 7: skipped 2 bytes\n");
    assert_int_equal(trace.counts.gaps, 3);
    assert_int_equal(trace.counts.damaged, 6);
    free(text);
}

static void damage_is_not_said_without_end(void **state)
{
    char *text = damage_messages(50);
    const char *last = strstr(text, "tlog-decode: dump.bin: further damage is counted, not shown\n");
    unsigned lines = 0;

    (void)state;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 21);
    assert_non_null(last);
    assert_null(strchr(strchr(last, '\n') + 1, '\n'));
    assert_int_equal(trace.counts.gaps, 50);
    assert_int_equal(trace.counts.damaged, 100);
    free(text);
}

static void quiet_damage_is_counted_only(void **state)
{
    char *text;

    (void)state;
    trace.quiet = true;
    text = damage_messages(30);
    assert_string_equal(text, "");
    assert_int_equal(trace.counts.gaps, 30);
    free(text);
}

/* ---- input ------------------------------------------------------------------------------------------------------- */

#define SAMPLE_BYTES 200001u

static unsigned char sample_byte(uint64_t at)
{
    return (unsigned char)(at * 31u + (at >> 8) * 7u + (at >> 16));
}

static int sample_file(char *path)
{
    static unsigned char sample[SAMPLE_BYTES];
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof sample; i++)
        sample[i] = sample_byte(i);
    put_all(fd, sample, sizeof sample);
    return fd;
}

/* size bytes asked for at offset bring what the file has there, and nothing is written behind them. */
static void check_read(struct input *in, uint64_t offset, size_t size, size_t expected)
{
    static unsigned char buffer[SAMPLE_BYTES + 100u];

    memset(buffer, 0xEE, sizeof buffer);
    assert_int_equal(input_read(in, offset, buffer, size), expected);
    for (size_t i = 0; i < expected; i++)
        assert_true(buffer[i] == sample_byte(offset + i));
    assert_int_equal(buffer[expected], 0xEE);
}

static void check_sample(struct input *in)
{
    static const size_t sizes[] = {1, 16, 112, 4096, 65535, 65536, 65537, 150000, SAMPLE_BYTES};

    assert_int_equal(input_size(in), SAMPLE_BYTES);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (uint64_t offset = 0; offset < SAMPLE_BYTES; offset += 16381) {
            uint64_t rest = SAMPLE_BYTES - offset;

            check_read(in, offset, sizes[i], sizes[i] < rest ? sizes[i] : (size_t)rest);
        }
    }
    check_read(in, SAMPLE_BYTES - 1u, 10, 1);
    check_read(in, SAMPLE_BYTES, 10, 0);
    check_read(in, UINT64_MAX, 10, 0);
    check_read(in, 0, 0, 0);
}

static void a_file_is_read_at_any_offset(void **state)
{
    char path[] = "/tmp/test_trace_XXXXXX";
    int fd = sample_file(path);
    struct input *in = input_open(&trace, path);

    (void)state;
    unlink(path);
    assert_non_null(in);
    check_sample(in);
    input_close(in);
    close(fd);
    assert_false(trace.failed);
}

/* Let standard input be fd while open() is called. */
static struct input *open_as_stdin(int fd)
{
    int saved = dup(STDIN_FILENO);
    struct input *in;

    dup2(fd, STDIN_FILENO);
    in = input_open(&trace, "-");
    if (saved >= 0)
        dup2(saved, STDIN_FILENO);
    if (saved >= 0)
        close(saved);
    return in;
}

static void a_pipe_is_read_at_any_offset(void **state)
{
    char path[] = "/tmp/test_trace_XXXXXX";
    char command[64];
    int fd = sample_file(path);
    FILE *pipe;
    struct input *in;

    (void)state;
    snprintf(command, sizeof command, "cat %s", path);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    in = open_as_stdin(fileno(pipe));
    assert_non_null(in);
    pclose(pipe);
    unlink(path);
    check_sample(in);
    input_close(in);
    close(fd);
}

/* A shell may have given the head of the file to another program. */
static void standard_input_begins_where_it_stands(void **state)
{
    char byte = 0;
    int file = new_file();
    int saved = dup(STDIN_FILENO);
    struct input *in;

    (void)state;
    put_all(file, "headtail", 8);
    lseek(file, 4, SEEK_SET);
    dup2(file, STDIN_FILENO);
    in = input_open(&trace, "-");
    assert_non_null(in);
    assert_int_equal(input_size(in), 4);
    assert_int_equal(input_read(in, 0, &byte, 1), 1);
    assert_int_equal(byte, 't');
    input_close(in);
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(file);
}

static void an_empty_file_is_an_input(void **state)
{
    struct input *in = input_open(&trace, "/dev/null");

    (void)state;
    assert_non_null(in);
    assert_int_equal(input_size(in), 0);
    check_read(in, 0, 1, 0);
    input_close(in);
}

static void a_file_that_claims_no_size_is_read(void **state)
{
    struct input *in = input_open(&trace, "/proc/self/stat");

    (void)state;
    assert_non_null(in);
    assert_true(input_size(in) > 10);
    input_close(in);
}

static void what_is_no_input_is_an_error(void **state)
{
    struct input *in;

    (void)state;
    in = input_open(&trace, "/tmp"); /* no bytes, but files, of which devices and directories are none */
    assert_non_null(in);
    assert_int_equal(input_size(in), 0);
    assert_true(input_directory(in) >= 0);
    assert_null(input_open_at(in, "../dev/null"));
    assert_string_equal(trace.error, "/tmp/../dev/null: not a regular file");
    input_close(in);
    trace_init(&trace, "dump.bin");
    assert_null(input_open(&trace, "/nonexistent/dump.bin"));
    assert_string_equal(trace.error, "/nonexistent/dump.bin: No such file or directory");
}

static void spooling_needs_a_place(void **state)
{
    const char *before = getenv("TMPDIR");
    char *saved = before ? strdup(before) : NULL;

    (void)state;
    setenv("TMPDIR", "/nonexistent", 1);
    assert_null(input_open(&trace, "/dev/null"));
    assert_string_equal(trace.error,
                        "/dev/null: cannot make a temporary file in /nonexistent: No such file or directory");
    if (saved != NULL)
        setenv("TMPDIR", saved, 1);
    else
        unsetenv("TMPDIR");
    free(saved);
}

static void a_file_that_shrinks_ends_there(void **state)
{
    char path[] = "/tmp/test_trace_XXXXXX";
    int fd = sample_file(path);
    struct input *in = input_open(&trace, path);

    (void)state;
    assert_non_null(in);
    assert_int_equal(ftruncate(fd, 70000), 0);
    check_read(in, 69990, 100, 10);
    assert_int_equal(input_size(in), 70000);
    check_read(in, 70000, 1, 0);
    check_read(in, 0, SAMPLE_BYTES, 70000);
    assert_true(trace.failed);
    assert_non_null(strstr(trace.error, ": offset 0x11170: the file became shorter while it was read"));
    input_close(in);
    unlink(path);
    close(fd);
}

/* ---- the text writer --------------------------------------------------------------------------------------------- */

static const struct trace_field number_fields[] = {
    {"u8", TRACE_UNSIGNED, 0, 1}, {"s8", TRACE_SIGNED, 0, 1},  {"u16", TRACE_UNSIGNED, 0, 2},
    {"s16", TRACE_SIGNED, 0, 2},  {"s32", TRACE_SIGNED, 0, 4}, {"u64", TRACE_UNSIGNED, 0, 8},
    {"s64", TRACE_SIGNED, 0, 8},  {"hex", TRACE_HEX, 0, 8},
};
static const struct trace_field word_fields[] = {{"par1", TRACE_UNSIGNED, 0, 2}, {"par2", TRACE_UNSIGNED, 4, 4}};
static const struct trace_field text_fields[] = {{"chars", TRACE_CHARS, 0, 8}, {"string", TRACE_STRING, 8, 4}};
static const struct trace_field beyond_fields[] = {{"far", TRACE_UNSIGNED, 6, 4}, {"odd", TRACE_UNSIGNED, 0, 9}};

static const struct trace_type number_type = {"shark", "numbers", TRACE_PLAIN, 8, 8, number_fields, NULL};
static const struct trace_type word_type = {"shark", "user_event_0", TRACE_PLAIN, 8, 2, word_fields, NULL};
static const struct trace_type text_type = {"qnx", "texts", TRACE_PLAIN, 12, 2, text_fields, NULL};
static const struct trace_type beyond_type = {"qnx", "beyond", TRACE_PLAIN, 12, 2, beyond_fields, NULL};
static const struct trace_type bare_type = {"shark", "trace_stop", TRACE_PLAIN, 0, 0, NULL, NULL};
static const struct trace_type loss_type = {"tlog", "loss", TRACE_LOSS, 8, 0, NULL, NULL};
static const struct trace_type damage_type = {"tlog", "damage", TRACE_DAMAGE, 8, 0, NULL, NULL};

static struct trace_event *add(const struct trace_type *type, uint64_t time, uint32_t task, const char *data,
                               size_t size)
{
    struct trace_event *event;
    void *room = trace_batch_room(&batch, size);

    assert_non_null(room);
    memcpy(room, data, size);
    event = &batch.event[batch.n++];
    *event = (struct trace_event){
        .time = time, .data = room, .task = task, .type = trace_type(&trace, type), .size = (uint16_t)size};
    return event;
}

static char *write_batch(unsigned cpu)
{
    int fd = new_file();
    void *writer = writer_text.open(&trace, fd);
    char *text;

    assert_non_null(writer);
    assert_int_equal(writer_text.write(writer, cpu, &batch), 0);
    assert_int_equal(writer_text.close(writer, true), 0);
    text = contents(fd);
    close(fd);
    return text;
}

static void check_lines(unsigned cpu, const char *expected)
{
    char *text = write_batch(cpu);

    assert_string_equal(text, expected);
    free(text);
}

static void lines_look_like_trace_cmd_report(void **state)
{
    (void)state;
    trace_set_name(&trace, TRACE_NAME_TASK, 0, "not shown");
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "sensor");
    trace_set_name(&trace, TRACE_NAME_TASK, 123456, "a name of 20 letters");
    add(&word_type, 1234567890123, 1, "\x34\x12\0\0\xEF\xBE\xAD\xDE", 8);
    add(&word_type, 5, 0, "\0\0\0\0\0\0\0\0", 8);
    add(&bare_type, 123456000000001, 99999, "", 0);
    add(&bare_type, 999999999, 123456, "", 0);
    trace.ncpus = 13;
    check_lines(12, "cpus=13\n"
                    "          sensor-1     [012]  1234.567890123: shark:user_event_0: par1=4660 par2=3735928559\n"
                    "          <idle>-0     [012]     0.000000005: shark:user_event_0: par1=0 par2=0\n"
                    "           <...>-99999 [012] 123456.000000001: shark:trace_stop:\n"
                    "a name of 20 letters-123456 [012]     0.999999999: shark:trace_stop:\n");
}

static void numbers_are_shown_by_kind_and_size(void **state)
{
    (void)state;
    add(&number_type, 0, 1, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8);
    add(&number_type, 0, 1, "\0\0\0\0\0\0\0\x80", 8);
    add(&number_type, 0, 1, "\x07\x01\0\0\0\0\0\0", 8);
    add(&number_type, 0, 1, "\x80\x80\0\x80\0\0\0\0", 8);
    add(&number_type, 0, 1, "\0\0\0\0\0\0\0\0", 8);
    check_lines(0,
                "cpus=1\n"
                "           <...>-1     [000]     0.000000000: shark:numbers: u8=255 s8=-1 u16=65535 s16=-1 s32=-1 "
                "u64=18446744073709551615 s64=-1 hex=0xffffffffffffffff\n"
                "           <...>-1     [000]     0.000000000: shark:numbers: u8=0 s8=0 u16=0 s16=0 s32=0 "
                "u64=9223372036854775808 s64=-9223372036854775808 hex=0x8000000000000000\n"
                "           <...>-1     [000]     0.000000000: shark:numbers: u8=7 s8=7 u16=263 s16=263 s32=263 "
                "u64=263 s64=263 hex=0x107\n"
                "           <...>-1     [000]     0.000000000: shark:numbers: u8=128 s8=-128 u16=32896 s16=-32640 "
                "s32=-2147450752 u64=2147516544 s64=2147516544 hex=0x80008080\n"
                "           <...>-1     [000]     0.000000000: shark:numbers: u8=0 s8=0 u16=0 s16=0 s32=0 u64=0 s64=0 "
                "hex=0x0\n");
}

static void texts_cannot_disturb_the_lines(void **state)
{
    (void)state;
    add(&text_type, 0, 1, "plain\0\0\0\x0C\0\x06\0hello\0\0\0", 20);
    add(&text_type, 0, 1, "a\n\t\r\\\x1B\x7F\0\x0C\0\x04\0\xC3\xA9=\0", 16);
    add(&text_type, 0, 1, "12345678\x0C\0\x02\0abcd", 16);
    add(&text_type, 0, 1, "\0\0\0\0\0\0\0\0\x0C\0\0\0", 12);
    check_lines(0, "cpus=1\n"
                   "           <...>-1     [000]     0.000000000: qnx:texts: chars=plain string=hello\n"
                   "           <...>-1     [000]     0.000000000: qnx:texts: chars=a\\n\\t\\r\\\\\\x1b\\x7f "
                   "string=\xC3\xA9=\n"
                   "           <...>-1     [000]     0.000000000: qnx:texts: chars=12345678 string=ab\n"
                   "           <...>-1     [000]     0.000000000: qnx:texts: chars= string=\n");
}

static void fields_outside_the_payload_are_not_read(void **state)
{
    (void)state;
    add(&text_type, 0, 1, "\0\0\0\0\0\0\0\0\x0C\0\x05\0four", 16);
    add(&text_type, 0, 1, "\0\0\0\0\0\0\0\0\x11\0\x01\0four", 16);
    add(&text_type, 0, 1, "\0\0\0\0", 4);
    add(&beyond_type, 0, 1, "\x01\0\0\0\0\0\0\0", 8);
    add(&beyond_type, 0, 1, "\x01\0\0\0\0\0\x02\0\0\0\0\0", 12);
    check_lines(0, "cpus=1\n"
                   "           <...>-1     [000]     0.000000000: qnx:texts: chars= string=?\n"
                   "           <...>-1     [000]     0.000000000: qnx:texts: chars= string=?\n"
                   "           <...>-1     [000]     0.000000000: qnx:texts: chars=? string=?\n"
                   "           <...>-1     [000]     0.000000000: qnx:beyond: far=? odd=?\n"
                   "           <...>-1     [000]     0.000000000: qnx:beyond: far=2 odd=?\n");
}

static void losses_stand_before_the_next_event(void **state)
{
    (void)state;
    add(&loss_type, 1, 0, "\x11\0\0\0\0\0\0\0", 8);
    add(&loss_type, 1, 0, "\0\0\0\0\0\0\0\0", 8);
    add(&damage_type, 1, 0, "\x03\0\0\0\0\0\0\0", 8);
    add(&damage_type, 1, 0, "\0\0\0\0\0\0\0\0", 8);
    add(&bare_type, 1, 0, "", 0);
    check_lines(3, "cpus=1\n"
                   "CPU:3 [17 EVENTS DROPPED]\n"
                   "CPU:3 [EVENTS DROPPED]\n"
                   "CPU:3 [DAMAGED INPUT: 3 EVENTS]\n"
                   "CPU:3 [DAMAGED INPUT]\n"
                   "          <idle>-0     [003]     0.000000001: shark:trace_stop:\n");
}

static void derived_events_are_not_shown(void **state)
{
    (void)state;
    add(&bare_type, 1, 0, "", 0)->flags = TRACE_DERIVED;
    add(&bare_type, 2, 0, "", 0)->flags = TRACE_IN_INTERRUPT;
    check_lines(0, "cpus=1\n"
                   "          <idle>-0     [000]     0.000000002: shark:trace_stop:\n");
}

static void without_a_clock_times_are_ticks(void **state)
{
    (void)state;
    trace.clock_hz = 0;
    add(&bare_type, 1234567890123, 0, "", 0);
    add(&bare_type, 5, 0, "", 0);
    check_lines(0, "cpus=1\n"
                   "          <idle>-0     [000] 1234567890123: shark:trace_stop:\n"
                   "          <idle>-0     [000]            5: shark:trace_stop:\n");
}

/* Every nanosecond digit and every length of number comes through the hand-made formatting as printf would have it. */
static void formatting_agrees_with_printf(void **state)
{
    uint64_t value = 1;
    char expected[160];

    (void)state;
    for (unsigned i = 0; i < 4000u; i++) {
        char data[8] = {0};
        char *text;

        value = value * 6364136223846793005u + 1442695040888963407u;
        batch.n = batch.used = 0;
        for (unsigned k = 0; k < 4; k++)
            data[4 + k] = (char)(value >> i % 32u >> 8u * k);
        add(&word_type, value >> i % 64u, (uint32_t)(value >> 32 >> i % 32u) | 1u, data, 8);
        snprintf(expected, sizeof expected,
                 "cpus=1\n%16s-%-5u [%03u] %5llu.%09llu: shark:user_event_0: par1=0 par2=%u\n", "<...>",
                 batch.event[0].task, i % 200u, (unsigned long long)batch.event[0].time / 1000000000u,
                 (unsigned long long)batch.event[0].time % 1000000000u, (uint32_t)(value >> i % 32u));
        text = write_batch(i % 200u);
        assert_string_equal(text, expected);
        free(text);
    }
}

/* More lines than the buffer holds: none is lost, cut or written twice where it is flushed. */
static void the_buffer_is_emptied_between_lines(void **state)
{
    static const char line[] = "          <idle>-0     [000]     0.000000000: shark:trace_stop:\n";
    int fd = new_file();
    void *writer = writer_text.open(&trace, fd);
    char *text;

    (void)state;
    for (unsigned i = 0; i < TRACE_BATCH_EVENTS; i++)
        add(&bare_type, 0, 0, "", 0);
    for (unsigned i = 0; i < 50u; i++)
        assert_int_equal(writer_text.write(writer, 0, &batch), 0);
    assert_int_equal(writer_text.close(writer, true), 0);
    text = contents(fd);
    assert_int_equal(strlen(text), strlen("cpus=1\n") + 50u * TRACE_BATCH_EVENTS * strlen(line));
    for (const char *at = text + strlen("cpus=1\n"); *at != '\0'; at += strlen(line))
        assert_memory_equal(at, line, strlen(line));
    free(text);
    close(fd);
}

static void a_full_disk_is_an_error(void **state)
{
    int fd = open("/dev/full", O_WRONLY);
    void *writer = writer_text.open(&trace, fd);

    (void)state;
    assert_int_equal(writer_text.write(writer, 0, &batch), 0);
    assert_int_equal(writer_text.close(writer, true), -1);
    assert_string_equal(trace.error, "cannot write: No space left on device");
    close(fd);
}

static void an_abandoned_text_is_not_written(void **state)
{
    int fd = new_file();
    void *writer = writer_text.open(&trace, fd);
    char *text;

    (void)state;
    add(&bare_type, 0, 0, "", 0);
    assert_int_equal(writer_text.write(writer, 0, &batch), 0);
    assert_int_equal(writer_text.close(writer, false), 0);
    text = contents(fd);
    assert_string_equal(text, "");
    free(text);
    close(fd);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static struct CMUnitTest test(const char *name, CMUnitTestFunction function)
{
    return (struct CMUnitTest){name, function, set_up, tear_down, NULL};
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("room is aligned and apart", room_is_aligned_and_apart),
        test("room ends with the bytes", room_ends_with_the_bytes),
        test("room ends with the events", room_ends_with_the_events),
        test("types are declared once", types_are_declared_once),
        test("names are made harmless", names_are_made_harmless),
        test("names are told apart by kind and id", names_are_told_apart_by_kind_and_id),
        test("the last name wins, and empty ones do not", last_name_wins_and_empty_ones_do_not),
        test("many names come in order and stay where they are", many_names_come_in_order_and_stay_where_they_are),
        test("a trace without names calls nobody", a_trace_without_names_calls_nobody),
        test("the first error stays", first_error_stays),
        test("damage is said and counted", damage_is_said_and_counted),
        test("damage is not said without end", damage_is_not_said_without_end),
        test("quiet damage is counted only", quiet_damage_is_counted_only),
        test("a file is read at any offset", a_file_is_read_at_any_offset),
        test("a pipe is read at any offset", a_pipe_is_read_at_any_offset),
        test("standard input begins where it stands", standard_input_begins_where_it_stands),
        test("an empty file is an input", an_empty_file_is_an_input),
        test("a file that claims no size is read", a_file_that_claims_no_size_is_read),
        test("what is no input is an error", what_is_no_input_is_an_error),
        test("spooling needs a place", spooling_needs_a_place),
        test("a file that shrinks ends there", a_file_that_shrinks_ends_there),
        test("lines look like trace-cmd report", lines_look_like_trace_cmd_report),
        test("numbers are shown by kind and size", numbers_are_shown_by_kind_and_size),
        test("texts cannot disturb the lines", texts_cannot_disturb_the_lines),
        test("fields outside the payload are not read", fields_outside_the_payload_are_not_read),
        test("losses stand before the next event", losses_stand_before_the_next_event),
        test("derived events are not shown", derived_events_are_not_shown),
        test("without a clock times are ticks", without_a_clock_times_are_ticks),
        test("formatting agrees with printf", formatting_agrees_with_printf),
        test("the buffer is emptied between lines", the_buffer_is_emptied_between_lines),
        test("a full disk is an error", a_full_disk_is_an_error),
        test("an abandoned text is not written", an_abandoned_text_is_not_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
