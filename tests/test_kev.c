/* test_kev.c - QNX's traceevents: put together from slots, out of .kev files and of tlog's dumps, and written again.
 *
 * Files are made here, slot by slot, from the layout in host/kev_file.h; what is decoded is compared as lines
 * "cpu ticks name payload", where a context is left out: numbers of threads are a test of their own. Clock: 1 GHz, so
 * that ticks are ns. Run from the top of the repository.
 */
#define _GNU_SOURCE
#include "decode.h"
#include "modules.h"
#include "native_harness.h"
#include "qnx_join.h"
#include "qnx_types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIMPLE, BEGIN, MIDDLE, END };
enum { CONTROL = 1, KER_CALL, INT, PR_TH, SYSTEM, USER, COMM, NOBODY = 9 };

/* ---- files ----------------------------------------------------------------------------------------------------- */

#define FILE_MAX (1u << 20)

struct file {
    size_t n, head; /* head: bytes before the slots */
    bool big;
    unsigned char data[FILE_MAX];
};

static void start_file(struct file *file, bool big, const char *more)
{
    file->big = big;
    file->n = (size_t)snprintf((char *)file->data, 512,
                               "TRACE_HEADER_BEGIN::TRACE_VER_MAJOR::1TRACE_VER_MINOR::01TRACE_%s_ENDIAN::TRUE"
                               "TRACE_CYCLES_PER_SEC::1000000000%sTRACE_HEADER_END::",
                               big ? "BIG" : "LITTLE", more);
    file->head = file->n;
}

static void add_word(struct file *file, uint32_t word)
{
    for (unsigned i = 0; i < 4u; i++)
        file->data[file->n++] = (unsigned char)(word >> 8u * (file->big ? 3u - i : i));
}

static void add_slot(struct file *file, uint32_t part, uint32_t cpu, uint32_t class, uint32_t event, uint32_t stamp,
                     const unsigned char *bytes)
{
    assert_true(file->n + 16u <= FILE_MAX);
    add_word(file, part << 30 | cpu << 24 | class << 10 | event);
    add_word(file, stamp);
    memcpy(file->data + file->n, bytes, 8);
    file->n += 8;
}

static void add_words(struct file *file, uint32_t part, uint32_t cpu, uint32_t class, uint32_t event, uint32_t stamp,
                      uint32_t first, uint32_t second)
{
    unsigned char none[8] = {0};

    add_slot(file, part, cpu, class, event, stamp, none);
    file->n -= 8;
    add_word(file, first);
    add_word(file, second);
}

/* ---- what is decoded --------------------------------------------------------------------------------------------- */

struct lines {
    size_t n;
    char text[FILE_MAX];
};

struct result {
    bool opened;
    struct trace_counts counts;
    char error[512], target[256];
    struct lines lines;
};

static void add_line(struct lines *lines, unsigned cpu, const uint64_t *ticks, const char *name,
                     const unsigned char *payload, size_t size)
{
    char *to = lines->text + lines->n;

    assert_true(lines->n + 64u + 3u * size < sizeof lines->text);
    to += sprintf(to, "%u ", cpu);
    if (ticks != NULL)
        to += sprintf(to, "%" PRIu64 " ", *ticks);
    to += sprintf(to, "%s", name);
    for (size_t i = 0; i < size; i++)
        to += sprintf(to, "%s%02x", i % 4u ? "" : " ", payload[i]);
    *to++ = '\n';
    *to = '\0';
    lines->n = (size_t)(to - lines->text);
}

static void take_event(struct result *result, const struct trace *trace, unsigned cpu, const struct trace_event *event,
                       bool timed)
{
    const struct trace_type *type = trace->types[event->type];
    size_t skip = type->nfields > 0 && strcmp(type->fields[0].name, "context") == 0 ? 4u : 0;

    assert_true(event->size >= type->size && event->size <= TRACE_PAYLOAD_MAX);
    add_line(&result->lines, cpu, timed ? &event->time : NULL, type->name, event->data + skip, event->size - skip);
}

static void read_cpu(struct result *result, struct trace *trace, const struct trace_reader *reader, void *state,
                     unsigned cpu, bool timed)
{
    static struct trace_batch batch;
    uint64_t before = 0;

    while (reader->read(state, cpu, &batch) > 0) {
        assert_true(batch.n <= TRACE_BATCH_EVENTS && batch.used <= sizeof batch.room);
        for (size_t i = 0; i < batch.n; i++) {
            assert_true(batch.event[i].time >= before);
            before = batch.event[i].time;
            take_event(result, trace, cpu, &batch.event[i], timed);
        }
    }
}

static struct trace last; /* of the last decoding; its names stay until the next one */

static void decode_data(struct result *result, const struct trace_reader *reader, const void *data, size_t n,
                        bool timed)
{
    static int memory = -1;
    char path[64];
    struct input *in;
    void *state;

    if (memory < 0)
        memory = memfd_create("kev", 0);
    assert_int_equal(ftruncate(memory, 0), 0);
    assert_int_equal(pwrite(memory, data, n, 0), (ssize_t)n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    trace_free(&last);
    trace_init(&last, "test");
    last.quiet = getenv("TEST_VERBOSE") == NULL;
    result->lines.n = 0;
    result->lines.text[0] = '\0';
    in = input_open(&last, path);
    assert_non_null(in);
    state = reader->open(&last, in);
    result->opened = state != NULL;
    assert_int_equal(result->opened, !last.failed);
    for (unsigned cpu = 0; state != NULL && cpu < last.ncpus; cpu++)
        read_cpu(result, &last, reader, state, cpu, timed);
    snprintf(result->target, sizeof result->target, "%s", last.target && !last.failed ? last.target : "");
    if (state != NULL)
        reader->close(state);
    input_close(in);
    result->counts = last.counts;
    snprintf(result->error, sizeof result->error, "%s", last.error);
}

static void decode_file(struct result *result, const struct file *file)
{
    decode_data(result, &reader_kev, file->data, file->n, true);
}

static struct file file;
static struct result result, wanted;

/* Lines of user events, as the description in host/qnx_types.h has their payloads. */
static void expect_words(unsigned cpu, uint64_t ticks, uint32_t event, const uint32_t *words, size_t n)
{
    unsigned char payload[TRACE_PAYLOAD_MAX] = {0};
    char name[16] = "user";
    size_t size = 12;

    put32(payload, event);
    if (n <= 2u) {
        put32(payload + 4, n > 0 ? words[0] : 0);
        put32(payload + 8, n > 1 ? words[1] : 0);
    } else if (n <= 16u) {
        for (size = 4; size < 4u + (n + 1u) / 2u * 8u; size += 4u)
            put32(payload + size, size / 4u <= n ? words[size / 4u - 1u] : 0);
        sprintf(name, "user_words%u", (unsigned)(size / 4u - 1u));
    } else {
        n = (n + 1u) / 2u * 2u;
        strcpy(name, "user_data");
        put32(payload + 4, (uint32_t)n);
        put32(payload + 8, 12u | (uint32_t)(9u * n) << 16);
        for (size_t i = 0; i < n; i++, size += 9u)
            sprintf((char *)payload + size, "%08x%s", words[i], i + 1u < n ? " " : "");
        size = (size + 3u) & ~(size_t)3;
    }
    add_line(&wanted.lines, cpu, &ticks, name, payload, size);
}

static void expect_text(unsigned cpu, uint64_t ticks, uint32_t event, const char *text)
{
    unsigned char payload[TRACE_PAYLOAD_MAX] = {0};
    size_t length = strlen(text) + 1u;

    put32(payload, event);
    put32(payload + 4, 8u | (uint32_t)length << 16);
    memcpy(payload + 8, text, length);
    add_line(&wanted.lines, cpu, &ticks, "user_string", payload, 8u + ((length + 3u) & ~(size_t)3));
}

static void assert_wanted(void)
{
    if (!result.opened)
        fail_msg("not opened: %s", result.error);
    if (strcmp(result.lines.text, wanted.lines.text) != 0) {
        size_t at = 0, line = 0;

        for (; result.lines.text[at] == wanted.lines.text[at]; at++)
            line = result.lines.text[at] == '\n' ? at + 1u : line;
        fail_msg("expected\n%.300s\nbut got\n%.300s", wanted.lines.text + line, result.lines.text + line);
    }
    wanted.lines.n = 0;
    wanted.lines.text[0] = '\0';
}

/* ---- goldens ------------------------------------------------------------------------------------------------------ */

/* Class USER is 6, so bits 14..10 of the header are 6 << 10 = 0x1800; event 6: 0x1806, in a little-endian file 06 18 00
 * 00. The begin of a combine event has 1 in bits 31..30, so byte 3 is 0x40, the end 3: 0xC0; CPU 1 adds 1 there. Texts
 * lie in the order of reading, NUL included, 8 bytes to a slot. */
static void golden_slots(void **state)
{
    static const unsigned char slots[] = {
        0x06, 0x18, 0, 0,    0x24, 0, 0, 0, 'h', 'e', 'l', 'l', 'o', 0,   0,   0,   /* "hello" */
        0x06, 0x18, 0, 0x40, 0x25, 0, 0, 0, 'h', 'e', 'l', 'l', 'o', ',', ' ', 'w', /* "hello, world" */
        0x06, 0x18, 0, 0xC0, 0x25, 0, 0, 0, 'o', 'r', 'l', 'd', 0,   0,   0,   0,   /* */
        0x07, 0x18, 0, 0x41, 0x26, 0, 0, 0, 1,   0,   0,   0,   2,   0,   0,   0,   /* {1, 2, 3, 4, 5} on CPU 1 */
        0x07, 0x18, 0, 0x81, 0x26, 0, 0, 0, 3,   0,   0,   0,   4,   0,   0,   0,   /* */
        0x07, 0x18, 0, 0xC1, 0x26, 0, 0, 0, 5,   0,   0,   0,   0,   0,   0,   0,   /* */
        0x08, 0x18, 0, 0x40, 0x27, 0, 0, 0, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', /* "abcdefgh": NUL in a slot of */
        0x08, 0x18, 0, 0xC0, 0x27, 0, 0, 0, 0,   0,   0,   0,   0,   0,   0,   0,   /* its own */
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
}

/* What a reader makes of data is written as .kev, to file. */
static void write_kev(const struct trace_reader *reader, const void *data, size_t n)
{
    static char in_path[32], out_path[40];
    const struct trace_reader *const readers[] = {reader, NULL};
    struct decode_request request = {.input = in_path,
                                     .output = out_path,
                                     .readers = readers,
                                     .reader = reader,
                                     .writer = &writer_kev,
                                     .map = MAP_FULL,
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

/* A file that S.Ha.R.K.'s tracer wrote, with a clock of 1 GHz, written as .kev: derived by hand.
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

/* ---- time and threads ---------------------------------------------------------------------------------------------- */

static void wraps(void **state)
{
    static const uint32_t none[2] = {0};

    (void)state;
    start_file(&file, true, "");
    add_words(&file, SIMPLE, 0, USER, 1, 0xFFFFFF00, 0, 0); /* before the first TIME, and before the wrap */
    add_words(&file, SIMPLE, 0, CONTROL, 1, 0x10, 5, 0x10);
    add_words(&file, SIMPLE, 0, USER, 2, 0x10, 0, 0);
    add_words(&file, SIMPLE, 0, USER, 3, 0xF0000000, 0, 0);
    add_words(&file, SIMPLE, 0, USER, 4, 0x10, 0, 0); /* a wrap that no TIME tells */
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

/* Names: of a process for all its threads, before and after they appear; of a thread; cut so that the tid stays. */
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

/* More threads than there are numbers for, and one process with a name that changes again and again. */
static void many_threads(void **state)
{
    static struct qnx_types types;
    unsigned char data[16] = {0};
    struct qnx_event event = {PR_TH, 192, 2, data, false};

    (void)state;
    trace_free(&last);
    trace_init(&last, "test");
    qnx_types_start(&types, &last, 6, 1, 100);
    for (uint32_t i = 0; i < 2u * QNX_THREADS_MAX; i++) {
        event.event = i % 2u ? 192 : 2;
        put32(data, i % 2u ? 1 : 5);
        put32(data + 4, i % 2u ? 5 : i + 2u);
        data[8] = (unsigned char)('a' + i % 7u);
        qnx_note(&types, &event);
    }
    assert_string_equal(trace_name(&last, TRACE_NAME_TASK, 100), "other threads");
    assert_null(trace_name(&last, TRACE_NAME_TASK, 101));
    assert_false(last.failed);
    qnx_types_free(&types);
}

/* ---- any sequence ------------------------------------------------------------------------------------------------- */

static uint32_t seed = 1;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

#define CPUS   3u
#define DEPTH  4u
#define EVENTS 60u

struct planned {
    uint32_t event, stamp;
    size_t slots;
    unsigned char bytes[48 * 8];
};

/* A CPU on which events begin inside each other, up to DEPTH deep. */
struct planned_cpu {
    struct planned open[DEPTH];
    size_t done[DEPTH];
    unsigned depth;
    uint32_t clock;
};

static struct result lines_of[CPUS]; /* what is expected, per CPU */

/* A new event: what it is, and the line that is expected of it. */
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
            words[i] = random_below(1u << 24) | 0xFE000000u; /* nothing that is a text */
            for (unsigned k = 0; k < 4u; k++)
                event->bytes[4u * i + k] = (unsigned char)(words[i] >> 8u * (file.big ? 3u - k : k));
        }
        event->slots = n <= 2u ? 1u : (n + 1u) / 2u;
        expect_words(cpu, stamp, event->event, words, n <= 2u ? 2u : n);
    }
    lines_of[cpu].lines = wanted.lines;
}

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

/* One slot of a CPU: of the event at hand, or of a new one, which then has to end first. */
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
    for (unsigned i = 0; i < 300u; i++) {
        random_file();
        expect_planned();
        decode_file(&result, &file);
        assert_wanted();
        assert_int_equal(result.counts.gaps + result.counts.unfinished, 0);
    }
}

/* ---- written again ------------------------------------------------------------------------------------------------- */

/* What is written from file is read as the same events. */
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
    for (unsigned i = 0; i < 60u; i++) {
        random_file();
        expect_again();
    }
}

/* An event of up to 8 slots, with words that are often 0, or such that they may be a text from some byte on. */
static void add_any(uint32_t class, uint32_t event, uint32_t stamp)
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
                 1, class, event, stamp, bytes + 8u * i);
}

/* Classes whose events may have a text. Written little-endian, the words of a big-endian file may look like one. */
static bool has_texts(uint32_t class)
{
    return class == USER || class == PR_TH || class == SYSTEM;
}

/* Every event there can be, of both releases and byte orders. */
static void every_event_again(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4u; i++) {
        for (uint32_t class = KER_CALL; class < 32u; class += class < 13u ? 1u : 9u) {
            if (i % 2u != 0 && has_texts(class))
                continue;
            start_file(&file, i % 2u, i / 2u ? "TRACE_SYSNAME::QNXTRACE_SYS_RELEASE::8.0.0" : "TRACE_SYSNAME::QNX");
            for (uint32_t event = 0; event < 1024u; event++)
                add_any(class, event, 1000u + event);
            expect_again();
        }
    }
}

/* ---- what is not whole --------------------------------------------------------------------------------------------- */

static const unsigned char eight[8] = {0xFF, 1, 2, 3, 4, 5, 6, 7};

/* A ring that begins and ends within events: these are unfinished, all others there. */
static void ring_ends(void **state)
{
    static const uint32_t words[4] = {0x030201FF, 0x07060504, 0x030201FF, 0x07060504};

    (void)state;
    start_file(&file, false, "");
    add_slot(&file, MIDDLE, 0, USER, 1, 10, eight);
    add_slot(&file, END, 0, USER, 1, 10, eight);
    add_slot(&file, BEGIN, 0, USER, 2, 20, eight);
    add_slot(&file, END, 0, USER, 2, 20, eight);
    add_slot(&file, BEGIN, 0, USER, 3, 30, eight);
    add_slot(&file, MIDDLE, 0, USER, 3, 30, eight);
    decode_file(&result, &file);
    expect_words(0, 20, 2, words, 4);
    assert_wanted();
    assert_int_equal(result.counts.unfinished, 4);
    assert_int_equal(result.counts.gaps, 0);
}

/* Beginnings without an end keep nothing up for long, and take no more memory the more there are. */
static void never_ended(void **state)
{
    static struct qnx_join join;
    struct qnx_slot slot = {0, 0, QNX_BEGIN, 0, 0, eight};
    size_t got = 0;

    (void)state;
    qnx_join_start(&join);
    for (uint32_t i = 0; i < 100000u; i++) {
        slot.stamp = i;
        slot.part = i % 10u == 0 ? QNX_SIMPLE : QNX_BEGIN;
        qnx_join_feed(&join, &slot);
        for (; qnx_join_take(&join, false) != NULL; got++) {
        }
        assert_true(got + QNX_JOIN_EVENTS >= i / 10u);
    }
    for (; qnx_join_take(&join, true) != NULL; got++) {
    }
    assert_int_equal(got, 10000);
    assert_int_equal(join.unfinished, 90000);
    assert_int_equal(join.damaged, 0);
}

/* 112 slots are kept whole; of more the first 112, and how many words there were. */
static void long_events(void **state)
{
    static uint32_t words[2u * QNX_SLOTS_MAX];
    unsigned char bytes[8];

    (void)state;
    for (uint32_t slots = QNX_SLOTS_MAX - 1u; slots <= QNX_SLOTS_MAX + 40u; slots++) {
        start_file(&file, false, "");
        for (uint32_t i = 0; i < slots; i++) {
            put32(bytes, i | 0xFF000000u);
            put32(bytes + 4, ~i);
            add_slot(&file, i == 0 ? BEGIN : i + 1u == slots ? END : MIDDLE, 0, USER, 5, 9, bytes);
            if (i < QNX_SLOTS_MAX)
                memcpy(words + 2u * i, bytes, 8);
        }
        decode_file(&result, &file);
        expect_words(0, 9, 5, words, 2u * (slots < QNX_SLOTS_MAX ? slots : QNX_SLOTS_MAX));
        if (slots > QNX_SLOTS_MAX) { /* the second word of the payload is the number */
            unsigned char number[4];
            char *at = strstr(wanted.lines.text, "e0000000");

            put32(number, 2u * slots);
            assert_non_null(at);
            snprintf(at, 9, "%02x%02x%02x%02x", number[0], number[1], number[2], number[3]);
            at[8] = ' ';
        }
        assert_wanted();
        assert_int_equal(result.counts.gaps + result.counts.unfinished, 0);
    }
}

/* The mark of damage stands where the slot was. */
static void damage_in_place(void **state)
{
    static const uint32_t stamps[] = {100, 110, 56, 130, 140}, none[2] = {0};
    static const unsigned char one[8] = {1};
    uint64_t time = 130;

    (void)state;
    start_file(&file, true, "");
    for (uint32_t i = 0; i < 5u; i++)
        add_words(&file, SIMPLE, 0, USER, i, stamps[i], 0, 0);
    decode_file(&result, &file);
    expect_words(0, 100, 0, none, 2);
    expect_words(0, 110, 1, none, 2);
    add_line(&wanted.lines, 0, &time, "damage", one, 8);
    expect_words(0, 130, 3, none, 2);
    expect_words(0, 140, 4, none, 2);
    assert_wanted();
    assert_int_equal(result.counts.damaged, 1);
}

/* Missing kernel buffers are a loss on every CPU; a number that starts over after 2047 is not. */
static void missing_buffers(void **state)
{
    static const uint32_t none[2] = {0};
    static const unsigned char unknown[8] = {0};
    uint64_t time = 4;

    (void)state;
    start_file(&file, false, "TRACE_CPU_NUM::2");
    add_words(&file, SIMPLE, 0, CONTROL, 2, 1, 2047, 2);
    add_words(&file, SIMPLE, 0, USER, 1, 1, 0, 0);
    add_words(&file, SIMPLE, 1, CONTROL, 2, 2, 0, 2);
    add_slot(&file, BEGIN, 1, USER, 2, 2, eight);
    add_words(&file, SIMPLE, 0, CONTROL, 2, 3, 3, 4);
    add_slot(&file, END, 1, USER, 2, 2, eight);
    add_words(&file, SIMPLE, 0, USER, 3, 4, 0, 0);
    add_words(&file, SIMPLE, 1, USER, 4, 4, 0, 0);
    decode_file(&result, &file);
    expect_words(0, 1, 1, none, 2);
    add_line(&wanted.lines, 0, &time, "loss", unknown, 8);
    expect_words(0, 4, 3, none, 2);
    add_line(&wanted.lines, 1, &time, "loss", unknown, 8);
    expect_words(1, 4, 4, none, 2);
    assert_wanted();
    assert_int_equal(result.counts.unfinished, 2);
    assert_int_equal(result.counts.gaps, 0);
}

/* ---- faults -------------------------------------------------------------------------------------------------------- */

/* A file with everything in it. */
static void full_file(struct file *to)
{
    start_file(to, false, "TRACE_CPU_NUM::2TRACE_SYSPAGE_LEN::5");
    to->n += 5;
    to->head = to->n;
    add_words(to, SIMPLE, 0, CONTROL, 2, 100, 1, 13);
    add_words(to, SIMPLE, 0, CONTROL, 1, 100, 3, 100);
    add_words(to, SIMPLE, 0, PR_TH, 1, 100, 4099, 1);
    add_words(to, SIMPLE, 1, CONTROL, 1, 105, 3, 105);
    add_words(to, SIMPLE, 1, INT, 1, 105, 7, 0x8000);
    add_slot(to, BEGIN, 0, USER, 6, 110, (const unsigned char *)"a text w");
    add_words(to, BEGIN, 1, PR_TH, 2, 111, 4099, 2);
    add_words(to, SIMPLE, 0, INT, 2, 120, 7, 0);
    add_words(to, END, 1, PR_TH, 2, 111, 10, 2);
    add_slot(to, MIDDLE, 0, USER, 6, 110, (const unsigned char *)"ith more");
    add_slot(to, END, 0, USER, 6, 110, (const unsigned char *)"\0\0\0\0\0\0\0\0");
    add_words(to, SIMPLE, 0, KER_CALL, 11, 130, 5, 6);
    add_words(to, SIMPLE, 1, NOBODY, 3, 131, 5, 6);
    add_words(to, SIMPLE, 0, CONTROL, 2, 140, 2, 5);
    add_words(to, SIMPLE, 0, COMM, 0, 140, 1, 2);
    add_slot(to, BEGIN, 1, USER, 9, 141, eight);
    add_slot(to, END, 1, USER, 9, 141, eight);
    add_words(to, SIMPLE, 1, USER, 9, 150, 1, 2);
}

static bool is_mark(const char *line)
{
    return strstr(line, " loss ") != NULL || strstr(line, " damage ") != NULL;
}

/* Lines of a that are not lines of b, each of which counts once; marks aside. */
static size_t count_new(const struct lines *a, const struct lines *b)
{
    static char text[FILE_MAX];
    static bool used[256];
    size_t n = 0;

    memset(used, 0, sizeof used);
    memcpy(text, a->text, a->n + 1u);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        const char *at = b->text;
        size_t i = 0, length = strlen(line);
        bool found = is_mark(line);

        for (; !found && *at != '\0'; at = strchr(at, '\n') + 1, i++) {
            found = !used[i] && strncmp(at, line, length) == 0 && at[length] == '\n';
            used[i] = used[i] || found;
        }
        n += !found;
    }
    return n;
}

static struct result whole;
static struct file whole_file;

static void cut_everywhere(void **state)
{
    (void)state;
    full_file(&file);
    decode_data(&whole, &reader_kev, file.data, file.n, true);
    assert_int_equal(whole.counts.gaps + whole.counts.unfinished, 0);
    for (size_t n = 0; n < file.n; n++) {
        decode_data(&result, &reader_kev, file.data, n, true);
        if (n < file.head) {
            assert_false(result.opened);
            continue;
        }
        assert_true(result.opened);
        assert_int_equal(count_new(&result.lines, &whole.lines), 0);
        if (n != file.head && n != file.head + 13u * 16u) /* between buffers nothing seems to be missing */
            assert_true(result.counts.gaps > 0);
    }
}

/* Data that is another then, and an event that is: of one slot. Where there are more slots, these contradict it, but for
 * its CPU: events of several CPUs are taken apart before they are put together. */
static size_t may_change(size_t byte)
{
    bool cpu = (byte - whole_file.head) % 16u == 3u;
    uint32_t header = get32(whole_file.data + whole_file.head + (byte - whole_file.head) / 16u * 16u);
    bool alone = header >> 30 == SIMPLE;

    return alone || cpu || (byte - whole_file.head) % 16u >= 8u ? 1u : 0u;
}

/* One bit spoils what its slot is of, and nothing else: no other event is new, and few are missing. */
static void flip_everywhere(void **state)
{
    size_t missing, most = 0;

    (void)state;
    full_file(&file);
    whole_file = file;
    decode_data(&whole, &reader_kev, file.data, file.n, false);
    for (size_t bit = 0; bit < 8u * file.n; bit++) {
        file.data[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
        decode_data(&result, &reader_kev, file.data, file.n, false);
        if (bit / 8u >= file.head) {
            assert_true(result.opened);
            if (count_new(&result.lines, &whole.lines) > may_change(bit / 8u))
                fail_msg("byte %zu of the slots, bit %zu:\n%s", bit / 8u - file.head, bit % 8u, result.lines.text);
            missing = count_new(&whole.lines, &result.lines);
            most = missing > most ? missing : most;
        }
        file.data[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
    }
    assert_true(most <= 3u);
}

static void bytes_everywhere(void **state)
{
    static const unsigned char values[] = {0, 1, 0x7F, 0x80, 0xFE, 0xFF};

    (void)state;
    full_file(&file);
    for (size_t i = 0; i < file.n; i++) {
        for (size_t k = 0; k < sizeof values; k++) {
            unsigned char before = file.data[i];

            file.data[i] = values[k];
            decode_data(&result, &reader_kev, file.data, file.n, false);
            file.data[i] = before;
        }
    }
    for (unsigned round = 0; round < 300u; round++) {
        for (size_t i = file.head; i < file.n; i++)
            file.data[i] = (unsigned char)random_below(256);
        decode_data(&result, &reader_kev, file.data, file.n, false);
    }
}

static void refuse(const char *more, const char *why)
{
    start_file(&file, false, more);
    add_words(&file, SIMPLE, 0, USER, 1, 1, 0, 0);
    decode_file(&result, &file);
    assert_false(result.opened);
    if (strstr(result.error, why) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", result.error, why);
}

static void headers(void **state)
{
    (void)state;
    refuse("TRACE_BIG_ENDIAN::TRUE", "contradicting byte order");
    refuse("TRACE_SYSPAGE_LEN::17", "the file ends in the system page: 17 bytes expected, 16 there");
    refuse("TRACE_SYSPAGE_LEN::99999999999999999999999", "TRACE_SYSPAGE_LEN is not a number");
    refuse("TRACE_SYSPAGE_LEN::-1", "TRACE_SYSPAGE_LEN is not a number");
    refuse("TRACE_SYSPAGE_LEN::", "TRACE_SYSPAGE_LEN is not a number");
    refuse("TRACE_CPU_NUM::65", "65 CPUs; expected 64 at most");
    start_file(&file, false,
               "TRACE_CPU_NUM::0TRACE_FILE_NAME::/tmp/TRACE_1.TTTRACETRACE_MACHINE::TRACE:xTRACE_SYSNAME::Q");
    decode_file(&result, &file);
    assert_true(result.opened);
    assert_string_equal(result.target, "Q TRACE:x");
    assert_int_equal(last.ncpus, 1);
}

/* ---- tlog's own dumps ----------------------------------------------------------------------------------------------- */

/* Slots of a chunk, from the first one on, become those of traceevents; the class stands where it does in .kev files, the
 * two high bits of the event in 17..16. */
static void put_traceevent(unsigned char *slot, uint32_t part, uint32_t class, uint32_t event, uint32_t stamp,
                           const char *data)
{
    uint32_t tag = get32(slot) & 0x300u;

    put32(slot, part << 30 | (event >> 8) << 16 | class << 10 | tag | (event & 0xFFu));
    put32(slot + 4, stamp);
    memcpy(slot + 8, data, 8);
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
    unsigned char *slot = dump.data + 112;
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
    assert_int_equal(result.counts.unfinished, 1);
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
        cmocka_unit_test(golden_slots),       cmocka_unit_test(golden_written),    cmocka_unit_test(wraps),
        cmocka_unit_test(task_names),         cmocka_unit_test(many_threads),      cmocka_unit_test(any_sequence),
        cmocka_unit_test(any_sequence_again), cmocka_unit_test(every_event_again), cmocka_unit_test(ring_ends),
        cmocka_unit_test(never_ended),        cmocka_unit_test(long_events),       cmocka_unit_test(missing_buffers),
        cmocka_unit_test(damage_in_place),    cmocka_unit_test(cut_everywhere),    cmocka_unit_test(flip_everywhere),
        cmocka_unit_test(bytes_everywhere),   cmocka_unit_test(headers),           cmocka_unit_test(native_dump),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    trace_free(&last);
    return failed;
}
