/* test_file.c - traceevents of QNX: put together from slots of .kev files and of tlog's dumps, and written again. What
 * contexts threads get is tested apart from that.
 */
#define _GNU_SOURCE
#include "tool/message.h"
#include "harness.h"
#include "lib/tier.h"
#include "model/module.h"

#include "cli/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- goldens ----------------------------------------------------------------------------------------------------- */

/* Class USER is 6, so bits 14..10 of the header are 6 << 10 = 0x1800. Event 6 is 0x1806, in a little-endian file 06 18
 * 00 00. The first slot of a combine event has 1 in bits 31..30, so byte 3 is 0x40; the last one has 3, so it is 0xC0.
 * CPU 1 adds 1 to that byte. A text has its characters in the order of reading, 8 bytes to a slot, and a NUL. */
static void golden_slots(void **state)
{
    static const unsigned char slots[] = {
        0x06, 0x18, 0, 0,    0x24, 0, 0, 0, 'h', 'e', 'l', 'l', 'o', 0,   0,   0,   /* "hello" */
        0x06, 0x18, 0, 0x40, 0x25, 0, 0, 0, 'h', 'e', 'l', 'l', 'o', ',', ' ', 'w', /* "hello, world" */
        0x06, 0x18, 0, 0xC0, 0x25, 0, 0, 0, 'o', 'r', 'l', 'd', 0,   0,   0,   0,   /* */
        0x07, 0x18, 0, 0x41, 0x26, 0, 0, 0, 1,   0,   0,   0,   2,   0,   0,   0,   /* {1, 2, 3, 4, 5} on CPU 1 */
        0x07, 0x18, 0, 0x81, 0x26, 0, 0, 0, 3,   0,   0,   0,   4,   0,   0,   0,   /* */
        0x07, 0x18, 0, 0xC1, 0x26, 0, 0, 0, 5,   0,   0,   0,   0,   0,   0,   0,   /* */
        0x08, 0x18, 0, 0x40, 0x27, 0, 0, 0, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', /* "abcdefgh": the NUL is in */
        0x08, 0x18, 0, 0xC0, 0x27, 0, 0, 0, 0,   0,   0,   0,   0,   0,   0,   0,   /* a slot of its own */
        0x09, 0x18, 0, 0,    0x28, 0, 0, 0, 'a', 'b', 'c', 0,   0,   0,   0,   0,   /* too short for a text */
    };
    static const uint32_t five[] = {1, 2, 3, 4, 5, 0}, abc[] = {0x00636261, 0};
    (void)state;
    start_file(&file, false, "");
    memcpy(file.data + file.n, slots, sizeof slots);
    file.n += sizeof slots;
    decode_file(&result, &file);
    expect_text(0, 0x24, 6, "hello");
    expect_text(0, 0x25, 6, "hello, world");
    expect_text(0, 0x27, 8, "abcdefgh");
    expect_words(0, 0x28, 9, abc, 2);
    expect_words(1, 0x26, 7, five, 6);
    assert_wanted();
    assert_int_equal(result.counts.gaps + result.counts.unfinished, 0);
    assert_int_equal(last.priority_order, TRACE_HIGHEST_FIRST); /* QNX's own */
}

/* Decode n bytes of data by a reader and write them as .kev, to `file`. */
static void write_kev(const struct trace_reader *reader, const void *data, size_t n)
{
    static char in_path[32], out_path[40];
    const struct trace_reader *const readers[] = {reader, NULL};
    struct decode_request request = {.open = input_open,
                                     .inputs = {{.path = in_path}},
                                     .ninputs = 1,
                                     .output = out_path,
                                     .readers = readers,
                                     .reader = reader,
                                     .writer = &writer_kev,
                                     .map = TLOG_MAP_FULL,
                                     .quiet = true};
    FILE *out;
    int fd;
    snprintf(in_path, sizeof in_path, "/tmp/test-kev-XXXXXX");
    fd = mkstemp(in_path);
    snprintf(out_path, sizeof out_path, "%s.kev", in_path);
    assert_int_equal(write(fd, data, n), (ssize_t)n);
    close(fd);
    assert_int_equal(decode(&request), DECODE_WHOLE);
    out = fopen(out_path, "rb");
    assert_non_null(out);
    file.n = fread(file.data, 1, FILE_MAX, out);
    fclose(out);
    unlink(in_path);
    unlink(out_path);
}

/* A file as the tracer of S.Ha.R.K. writes it, with a clock of 1 GHz, written as .kev. What must come was derived by
 * hand:
 *
 *   trace_start tells the clock in its second parameter: 1000000 = 0xF4240 ticks per ms
 *   context_switch to context 3 is THRUNNING (class 4, event 1: header 0x1001) of process 2, thread 3
 *   interrupt_start 7 is INT ENTRY (class 3, event 1: header 0x0C01) of number 7
 * Before them BUFFER (class 1, event 2: 0x0402) number 1, and TIME (0x0401), high word 0. */
static void golden_written(void **state)
{
    static const unsigned char records[] = {
        0x20, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0x40, 0x42, 0x0F, 0, /* trace_start */
        0x15, 0, 3, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0,    0,    0,    0, /* context_switch */
        0x03, 0, 7, 0, 0, 0, 0, 0, 0x30, 0, 0, 0, 0,    0,    0,    0, /* interrupt_start */
    };
    static const char text[] = "shark:trace_start context=0 ticks_per_ms=1000000";
    const unsigned char *slots;
    uint32_t n;
    (void)state;
    write_kev(&reader_shark, records, sizeof records);
    slots = memmem(file.data, file.n, "TRACE_HEADER_END::", 18);
    assert_non_null(slots);
    slots += 18;
    n = (uint32_t)(file.n - (size_t)(slots - file.data)) / 16u;
    assert_int_equal(get32(slots), 0x0402);
    assert_int_equal(get32(slots + 4), 0x10);
    assert_int_equal(get32(slots + 8), 1);
    assert_int_equal(get32(slots + 12), n);
    assert_int_equal(get32(slots + 16), 0x0401);
    assert_int_equal(get32(slots + 24), 0);
    assert_int_equal(get32(slots + 28), 0x10);
    assert_int_equal(get32(slots + 32) & 0xC0FFFC00u, 0x40001800);
    assert_memory_equal(slots + 40, text, 8);
    assert_int_equal(get32(slots + 48) & 0xC0FFFC00u, 0x80001800);
    assert_memory_equal(slots + 56, text + 8, 8);
    assert_int_equal(n, 2 + (sizeof text + 7) / 8 + 2);
    slots += 16u * (n - 2u);
    assert_memory_equal(slots, "\x01\x10\0\0\x20\0\0\0\x02\0\0\0\x03\0\0\0\x01\x0c\0\0\x30\0\0\0\x07\0\0\0\0\0\0\0",
                        32);
}

/* ---- written event by event -------------------------------------------------------------------------------------- */

/* Write an event of one of four CPUs as .kev, to `file`. said: the messages when the writer is closed. */
static void write_event(const struct tlog_type *type, unsigned cpu, const unsigned char *data, size_t size,
                        char said[256])
{
    static struct trace_batch batch;
    int out = memfd_create("kev", 0), messages = memfd_create("said", 0), before = dup(STDERR_FILENO);
    struct trace trace;
    void *writer;
    trace_init(&trace, "test");
    trace.sink = &message_sink;
    trace.ncpus = 4;
    trace.clock_hz = 1000000000;
    trace_set_name(&trace, TRACE_NAME_OBJECT + 4, 0x20001234, "tick");
    trace_set_name(&trace, TRACE_NAME_MUTEX, 9, "bus");
    batch.n = 1;
    batch.event[0] = (struct tlog_event){.data = data, .type = trace_type(&trace, type), .size = (uint16_t)size};
    writer = writer_kev.open(&trace, NULL, out);
    assert_int_equal(writer_kev.write(writer, cpu, &batch), 0);
    dup2(messages, STDERR_FILENO);
    assert_int_equal(writer_kev.close(writer, true), 0);
    dup2(before, STDERR_FILENO);
    file.n = (size_t)pread(out, file.data, FILE_MAX, 0);
    memset(said, 0, 256);
    assert_true(pread(messages, said, 255, 0) >= 0);
    close(out);
    close(messages);
    close(before);
    trace_free(&trace);
}

static const struct tlog_field long_fields[] = {{"text", TLOG_KIND_STRING, 0, 4}, {"tail", TLOG_KIND_UNSIGNED, 4, 4}};
static const struct tlog_type long_type = {"test", "long", TLOG_MEANS_PLAIN, 8, 2, long_fields, NULL};

/* An event has room for 895 characters. A longer text ends in dots, and a message tells so. */
static void long_texts(void **state)
{
    static const char begin[] = "test:long text=", end[] = " tail=7", message[] = "1 event too long for QNX's";
    static unsigned char data[1200];
    char expected[1300], said[256];
    size_t room = 895u - (sizeof begin - 1u);
    (void)state;
    for (uint32_t n = (uint32_t)room - 20u; n < 1100u; n += (n > room + 4u) ? 43u : 1u) {
        memset(data, 'x', sizeof data);
        put32(data, 8u | (n + 1u) << 16);
        put32(data + 4, 7);
        data[8u + n] = '\0';
        write_event(&long_type, 0, data, 8u + n + 1u, said);
        snprintf(expected, sizeof expected, "%s%.*s%s", begin, (int)n, (const char *)data + 8, end);
        if (strlen(expected) > 895u)
            strcpy(expected + 892, "...");
        assert_int_equal(strstr(said, message) != NULL, n + sizeof end - 1u > room);
        decode_file(&result, &file);
        expect_text(0, 0, 0, expected);
        assert_wanted();
    }
}

static const struct tlog_field send_fields[] = {
    {"timer", TLOG_KIND_TIMER, 0, 4}, {"mutex", TLOG_KIND_MUTEX, 4, 4}, {"queue", TLOG_KIND_OBJECT + 1, 8, 4}};
static const struct tlog_type send_type = {"shark", "send", TLOG_MEANS_PLAIN, 12, 3, send_fields, NULL};

/* Mutexes and other objects have their names in texts, and where there is none the number. */
static void objects_have_names(void **state)
{
    static const char *const expected[] = {"shark:send timer=tick mutex=0x8 queue=0x9",
                                           "shark:send timer=0x20001235 mutex=bus queue=0x9"};
    unsigned char data[12];
    char said[256];
    (void)state;
    for (uint32_t i = 0; i < 2u; i++) {
        put32(data, 0x20001234u + i);
        put32(data + 4, 8u + i);
        put32(data + 8, 9);
        write_event(&send_type, 0, data, sizeof data, said);
        decode_file(&result, &file);
        expect_text(0, 0, 0, expected[i]);
        assert_wanted();
    }
}

static const struct tlog_field switch_fields[] = {{"context", TLOG_KIND_UNSIGNED, 0, 4}};
static const struct tlog_type switch_type = {"test", "switch", TLOG_MEANS_SWITCH, 4, 1, switch_fields, NULL};

/* The idle task is written as QNX's idle thread of the CPU, a thread of process 1, and is read as idle. */
static void idle(void **state)
{
    static const unsigned char task[4] = {0};
    char said[256];
    (void)state;
    for (unsigned cpu = 0; cpu < 4u; cpu++) {
        write_event(&switch_type, cpu, task, sizeof task, said);
        assert_int_equal(get32(file.data + file.n - 16) & 0x3FFFFFFFu, cpu << 24 | 0x1001u);
        assert_int_equal(get32(file.data + file.n - 8), 1);
        assert_int_equal(get32(file.data + file.n - 4), cpu + 1u);
        decode_file(&result, &file);
        assert_null(trace_name(&last, TRACE_NAME_TASK, 1));
    }
}

/* ---- time and threads -------------------------------------------------------------------------------------------- */

static void wraps(void **state)
{
    static const uint32_t none[2] = {0};
    (void)state;
    start_file(&file, true, "");
    add_words(&file, SIMPLE, 0, USER, 1, 0xFFFFFF00, 0, 0); /* before the first TIME, and before a wrap */
    add_words(&file, SIMPLE, 0, CONTROL, 1, 0x10, 5, 0x10);
    add_words(&file, SIMPLE, 0, USER, 2, 0x10, 0, 0);
    add_words(&file, SIMPLE, 0, USER, 3, 0xF0000000, 0, 0);
    add_words(&file, SIMPLE, 0, USER, 4, 0x10, 0, 0); /* behind a wrap that no TIME tells */
    add_words(&file, SIMPLE, 0, CONTROL, 1, 0x20, 9, 0x20);
    add_words(&file, SIMPLE, 0, USER, 5, 0x20, 0, 0);
    decode_file(&result, &file);
    expect_words(0, 0x4FFFFFF00, 1, none, 2);
    expect_words(0, 0x500000010, 2, none, 2);
    expect_words(0, 0x5F0000000, 3, none, 2);
    expect_words(0, 0x600000010, 4, none, 2);
    expect_words(0, 0x900000020, 5, none, 2);
    assert_wanted();
    assert_int_equal(result.counts.gaps, 0);
}

/* The name of a process is given to all its threads, before and after they appear; a thread may have a name of its own.
 * A long name is cut so that the tid stays whole. */
static void task_names(void **state)
{
    (void)state;
    start_file(&file, false, "TRACE_CPU_NUM::1");
    add_words(&file, SIMPLE, 0, PR_TH, 1, 1, 1, 1);    /* idle: thread 1 of process 1, one CPU */
    add_words(&file, SIMPLE, 0, PR_TH, 2, 2, 4099, 1); /* context 1 */
    add_words(&file, BEGIN, 0, PR_TH, 192, 3, 1, 4099);
    add_slot(&file, MIDDLE, 0, PR_TH, 192, 3, (const unsigned char *)"sbin/dev");
    add_slot(&file, END, 0, PR_TH, 192, 3, (const unsigned char *)"c-ser\0\0\0");
    add_words(&file, SIMPLE, 0, PR_TH, 2, 4, 4099, 2);    /* context 2 */
    add_words(&file, SIMPLE, 0, PR_TH, 2, 5, 77, 123456); /* context 3, of nameless 77 */
    add_words(&file, BEGIN, 0, PR_TH, 320, 6, 4099, 2);
    add_slot(&file, END, 0, PR_TH, 320, 6, (const unsigned char *)"worker\0\0");
    decode_file(&result, &file);
    assert_null(trace_name(&last, TRACE_NAME_TASK, 0));
    assert_string_equal(trace_name(&last, TRACE_NAME_TASK, 1), "devc-ser:1");
    assert_string_equal(trace_name(&last, TRACE_NAME_TASK, 2), "worker:2");
    assert_string_equal(trace_name(&last, TRACE_NAME_TASK, 3), "77:123456");
}

/* More threads than there are contexts, and a process whose name changes again and again. */
static void many_threads(void **state)
{
    static struct qnx_threads threads;
    unsigned char data[16] = {0};
    struct qnx_event event = {PR_TH, 192, 2, data, false};
    (void)state;
    trace_free(&last);
    trace_init(&last, "test");
    last.sink = &message_sink;
    qnx_threads_start(&threads, &last, 6, 1, 100);
    for (uint32_t i = 0; i < 2u * QNX_THREADS_MAX; i++) {
        event.event = i % 2u ? 192 : 2;
        put32(data, i % 2u ? 1 : 5);
        put32(data + 4, i % 2u ? 5 : i + 2u);
        data[8] = (unsigned char)('a' + i % 7u);
        qnx_threads_note(&threads, &event);
    }
    assert_string_equal(trace_name(&last, TRACE_NAME_TASK, 100), "other threads");
    assert_null(trace_name(&last, TRACE_NAME_TASK, 101));
    assert_false(last.failed);
    qnx_threads_free(&threads);
}

/* ---- any sequence ------------------------------------------------------------------------------------------------ */

#define CPUS   3u
#define DEPTH  4u
#define EVENTS 60u

/* An event whose slots are to be written. */
struct planned {
    uint32_t event, stamp;
    size_t slots;
    unsigned char bytes[48 * 8];
};

/* A CPU on which events begin inside of others, up to DEPTH deep: the innermost one must end first. */
struct planned_cpu {
    struct planned open[DEPTH]; /* depth of them */
    size_t done[DEPTH];         /* slots of each that are written */
    unsigned depth;
    uint32_t clock;
};

static struct result lines_of[CPUS]; /* what is expected, per CPU */

/* Make up an event with that stamp, and append the line that is expected of it. */
static void plan(struct planned *event, unsigned cpu, uint32_t stamp)
{
    uint32_t kind = random_below(3), words[96] = {0};
    size_t n = kind == 0 ? random_below(3) : 3u + random_below(kind == 1 ? 8 : 90);
    char text[400] = "";
    memset(event, 0, sizeof *event);
    event->event = random_below(1024);
    event->stamp = stamp;
    wanted.lines = lines_of[cpu].lines;
    if (random_below(2) != 0) { /* a text */
        size_t length = 4u + random_below(random_below(4) == 0 ? 300 : 20);

        for (size_t i = 0; i < length; i++)
            text[i] = (char)(' ' + random_below(95));
        memcpy(event->bytes, text, length);
        event->slots = (length + 8u) / 8u;
        expect_text(cpu, stamp, event->event, text);
    } else {
        for (size_t i = 0; i < n; i++) {
            words[i] = random_below(1u << 24) | 0xFE000000u; /* these are no text */
            for (unsigned k = 0; k < 4u; k++)
                event->bytes[4u * i + k] = (unsigned char)(words[i] >> 8u * (file.big ? 3u - k : k));
        }
        event->slots = n <= 2u ? 1u : (n + 1u) / 2u;
        expect_words(cpu, stamp, event->event, words, n <= 2u ? 2u : n);
    }
    lines_of[cpu].lines = wanted.lines;
}

/* Append the next slot of the CPU's innermost event, perhaps with the beginning of a kernel buffer before it. */
static void add_part(unsigned cpu, struct planned_cpu *on, bool maybe_buffer)
{
    struct planned *event = &on->open[on->depth - 1u];
    size_t i = on->done[on->depth - 1u]++;
    uint32_t part = event->slots == 1u ? SIMPLE : i == 0 ? BEGIN : i + 1u == event->slots ? END : MIDDLE;
    static uint32_t sequence;
    if (maybe_buffer && random_below(20) == 0) {
        sequence = file.n == file.head ? random_below(2048) : sequence + 1u;
        add_words(&file, SIMPLE, cpu, CONTROL, 2, event->stamp, sequence % 2048u, 0);
    }
    add_slot(&file, part, cpu, USER, event->event, event->stamp, event->bytes + 8u * i);
    on->depth -= i + 1u == event->slots;
}

/* Append one slot of a CPU: of its innermost event, or of a new one inside of that. */
static void step(unsigned cpu, struct planned_cpu *on, uint32_t *left)
{
    if (on->depth == 0 || (*left > 0 && on->depth < DEPTH && random_below(4) == 0)) {
        on->clock += 1u + random_below(1000);
        on->done[on->depth] = 0;
        plan(&on->open[on->depth++], cpu, on->clock);
        --*left;
    }
    add_part(cpu, on, file.n > file.head);
}

/* Make a file with events of all CPUs, and the lines expected of each CPU. */
static void random_file(void)
{
    struct planned_cpu on[CPUS] = {{.depth = 0}};
    uint32_t left = EVENTS;
    start_file(&file, random_below(2) != 0, random_below(2) ? "TRACE_CPU_NUM::3" : "");
    add_words(&file, SIMPLE, CPUS - 1u, CONTROL, 1, 0, 0, 0); /* so that all CPUs are there */
    file.head = file.n;
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        lines_of[cpu].lines.n = 0;
    while (left > 0) {
        unsigned cpu = random_below(CPUS);
        step(cpu, &on[cpu], &left);
    }
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        while (on[cpu].depth > 0)
            add_part(cpu, &on[cpu], false);
    }
}

static void expect_planned(void)
{
    wanted.lines.n = 0;
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        memcpy(wanted.lines.text + wanted.lines.n, lines_of[cpu].lines.text, lines_of[cpu].lines.n);
        wanted.lines.n += lines_of[cpu].lines.n;
    }
    wanted.lines.text[wanted.lines.n] = '\0';
}

static void any_sequence(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 300u; i += tier_step(19)) {
        random_file();
        expect_planned();
        decode_file(&result, &file);
        assert_wanted();
        assert_int_equal(result.counts.gaps + result.counts.unfinished, 0);
    }
}

/* ---- written again ----------------------------------------------------------------------------------------------- */

/* What is written of `file` as .kev is read as the same events. */
static void expect_again(void)
{
    decode_file(&result, &file);
    assert_int_equal(result.counts.gaps + result.counts.unfinished, 0);
    wanted.lines = result.lines;
    write_kev(&reader_kev, file.data, file.n);
    decode_file(&result, &file);
    assert_wanted();
    assert_int_equal(result.counts.gaps + result.counts.unfinished, 0);
}

static void any_sequence_again(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 60u; i += tier_step(7)) {
        random_file();
        expect_again();
    }
}

/* Append an event of up to 8 slots, with words that are often 0, or that may be a text from some byte on. */
static void add_any(uint32_t means, uint32_t event, uint32_t stamp)
{
    size_t slots = 1u + (random_below(2) ? random_below(8) : 0), from = random_below(3) ? 64u : 4u * random_below(5);
    unsigned char bytes[64] = {0};
    for (size_t i = 0; i < 8u * slots; i++) {
        if (random_below(3) != 0)
            bytes[i] = (unsigned char)random_below(256);
        if (i >= from)
            bytes[i] = (unsigned char)('a' + i % 26u);
    }
    if (from < 8u * slots)
        for (size_t i = 8u * slots - 1u - random_below(8); i < 8u * slots; i++)
            bytes[i] = 0;
    for (size_t i = 0; i < slots; i++)
        add_slot(&file,
                 slots == 1u       ? SIMPLE
                 : i == 0          ? BEGIN
                 : i + 1u == slots ? END
                                   : MIDDLE,
                 1, means, event, stamp, bytes + 8u * i);
}

/* Classes whose events may have a text. Words of a big-endian file are written little-endian, and may then look like a
 * text: these classes are not tested with such files. */
static bool has_texts(uint32_t means)
{
    return means == USER || means == PR_TH || means == SYSTEM;
}

/* Every event there can be, of both releases and byte orders. */
static void every_event_again(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4u; i += tier_step(3)) {
        for (uint32_t means = KER_CALL; means < 32u; means += means < 13u ? 1u : 9u) {
            if (i % 2u != 0 && has_texts(means))
                continue;
            start_file(&file, i % 2u, i / 2u ? "TRACE_SYSNAME::QNXTRACE_SYS_RELEASE::8.0.0" : "TRACE_SYSNAME::QNX");
            for (uint32_t event = 0; event < 1024u; event++)
                add_any(means, event, 1000u + event);
            expect_again();
        }
    }
}

/* ---- tlog's own dumps -------------------------------------------------------------------------------------------- */

/* Turn a slot of a chunk into one of a traceevent. The class is in the same bits as in .kev files, the two high bits of
 * the event in bits 17..16. */
static void put_traceevent(unsigned char *slot, uint32_t part, uint32_t means, uint32_t event, uint32_t stamp,
                           const char *data)
{
    uint32_t tag = get32(slot + 12) & 0x300u;
    memcpy(slot, data, 8);
    put32(slot + 8, stamp);
    put32(slot + 12, part << 30 | (event >> 8) << 16 | means << 10 | tag | (event & 0xFFu));
}

static void native_dump(void **state)
{
    struct gen_options options = {.events = 16,
                                  .seed = 3,
                                  .slots = 32,
                                  .chunks = 1,
                                  .cpus = 1,
                                  .hz = 1000000000,
                                  .boot = 1,
                                  .user = true,
                                  .sealed = false,
                                  .start = 1000};
    struct bytes dump = make_dump(&options, NULL);
    unsigned char *slot = dump.data + 128;
    uint32_t stamp = get32(slot + 8);
    uint64_t time = stamp;
    (void)state;
    put_traceevent(slot, SIMPLE, PR_TH, 1, stamp, "\5\0\0\0\1\0\0\0");
    put_traceevent(slot + 16, BEGIN, USER, 0x3FF, stamp, "eight by");
    put_traceevent(slot + 32, END, USER, 0x3FF, stamp, "tes\0\0\0\0\0");
    put_traceevent(slot + 48, BEGIN, PR_TH, 192, stamp, "\1\0\0\0\5\0\0\0");
    put_traceevent(slot + 64, END, PR_TH, 192, stamp, "motor\0\0\0");
    put_traceevent(slot + 80, BEGIN, USER, 1, stamp, "no end..");
    decode_data(&result, &reader_native, dump.data, dump.n, true);
    assert_true(result.opened);
    add_line(&wanted.lines, 0, &time, "THRUNNING", (const unsigned char *)"\5\0\0\0\1\0\0\0", 8);
    expect_text(0, time, 0x3FF, "eight bytes");
    add_line(&wanted.lines, 0, &time, "PROCCREATE_NAME", (const unsigned char *)"\1\0\0\0\5\0\0\0\x0c\0\6\0motor\0\0\0",
             20);
    assert_int_equal(result.counts.damaged, 1); /* a sound slot of another event stands where its end should be */
    assert_memory_equal(result.lines.text, wanted.lines.text, wanted.lines.n);
    assert_non_null(strstr(result.lines.text + wanted.lines.n, " user_event_"));
    assert_string_equal(trace_name(&last, TRACE_NAME_TASK, 65537), "motor:1");
    wanted.lines.n = 0;
    wanted.lines.text[0] = '\0';
    bytes_free(&dump);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_slots),
        cmocka_unit_test(golden_written),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(objects_have_names),
        cmocka_unit_test(idle),
        cmocka_unit_test(wraps),
        cmocka_unit_test(task_names),
        cmocka_unit_test(many_threads),
        cmocka_unit_test(any_sequence),
        cmocka_unit_test(any_sequence_again),
        cmocka_unit_test(every_event_again),
        cmocka_unit_test(native_dump),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    trace_free(&last);
    return failed;
}
