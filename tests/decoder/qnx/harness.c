/* harness.c - makes .kev files and decodes them for tests: see harness.h. */
#define _GNU_SOURCE
#include "tool/message.h"
#include "harness.h"
#include "model/module.h"

#include "cli/formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- files ------------------------------------------------------------------------------------------------------- */

void start_file(struct file *to, bool big, const char *more)
{
    to->big = big;
    to->n = (size_t)snprintf((char *)to->data, 512,
                             "TRACE_HEADER_BEGIN::TRACE_VER_MAJOR::1TRACE_VER_MINOR::01TRACE_%s_ENDIAN::TRUE"
                             "TRACE_CYCLES_PER_SEC::1000000000%sTRACE_HEADER_END::",
                             big ? "BIG" : "LITTLE", more);
    to->head = to->n;
}

static void add_word(struct file *to, uint32_t word)
{
    for (unsigned i = 0; i < 4u; i++)
        to->data[to->n++] = (unsigned char)(word >> 8u * (to->big ? 3u - i : i));
}

void add_slot(struct file *to, uint32_t part, uint32_t cpu, uint32_t means, uint32_t event, uint32_t stamp,
              const unsigned char *bytes)
{
    assert_true(to->n + 16u <= FILE_MAX);
    add_word(to, part << 30 | cpu << 24 | means << 10 | event);
    add_word(to, stamp);
    memcpy(to->data + to->n, bytes, 8);
    to->n += 8;
}

void add_words(struct file *to, uint32_t part, uint32_t cpu, uint32_t means, uint32_t event, uint32_t stamp,
               uint32_t first, uint32_t second)
{
    unsigned char none[8] = {0};
    add_slot(to, part, cpu, means, event, stamp, none);
    to->n -= 8;
    add_word(to, first);
    add_word(to, second);
}

/* ---- what is decoded --------------------------------------------------------------------------------------------- */

void add_line(struct lines *lines, unsigned cpu, const uint64_t *ticks, const char *name, const unsigned char *payload,
              size_t size)
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

/* Append the line of an event that was decoded. */
static void take_event(struct result *got, const struct trace *trace, unsigned cpu, const struct tlog_event *event,
                       bool timed)
{
    const struct tlog_type *type = trace->types[event->type];
    size_t skip = type->nfields > 0 && strcmp(type->fields[0].name, "context") == 0 ? 4u : 0;
    assert_true(event->size >= type->size && event->size <= TRACE_PAYLOAD_MAX);
    add_line(&got->lines, cpu, timed ? &event->time : NULL, type->name, event->data + skip, event->size - skip);
}

static void read_cpu(struct result *got, struct trace *trace, const struct trace_reader *reader, void *state,
                     unsigned cpu, bool timed)
{
    static struct trace_batch batch;
    uint64_t before = 0;
    while (reader->read(state, cpu, &batch) > 0) {
        assert_true(batch.n <= TRACE_BATCH_EVENTS && batch.used <= sizeof batch.room);
        for (size_t i = 0; i < batch.n; i++) {
            assert_true(batch.event[i].time >= before);
            before = batch.event[i].time;
            take_event(got, trace, cpu, &batch.event[i], timed);
        }
    }
}

struct trace last;

void decode_data(struct result *got, const struct trace_reader *reader, const void *data, size_t n, bool timed)
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
    last.sink = &message_sink;
    last.quiet = getenv("TEST_VERBOSE") == NULL;
    got->lines.n = 0;
    got->lines.text[0] = '\0';
    in = input_open(&last, path, NULL);
    assert_non_null(in);
    state = reader->open(&last, in);
    got->opened = state != NULL;
    assert_int_equal(got->opened, !last.failed);
    for (unsigned cpu = 0; state != NULL && cpu < last.ncpus; cpu++)
        read_cpu(got, &last, reader, state, cpu, timed);
    snprintf(got->target, sizeof got->target, "%s", last.target != NULL && !last.failed ? last.target : "");
    if (state != NULL)
        reader->close(state);
    input_close(in);
    got->counts = last.counts;
    snprintf(got->error, sizeof got->error, "%s", last.error);
}

void decode_file(struct result *got, const struct file *from)
{
    decode_data(got, &reader_kev, from->data, from->n, true);
}

struct file file;
struct result result, wanted;

/* The types by number of words: user; user_words4, user_words6 .. user_words16; user_data. */
void expect_words(unsigned cpu, uint64_t ticks, uint32_t event, const uint32_t *words, size_t n)
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

void expect_text(unsigned cpu, uint64_t ticks, uint32_t event, const char *text)
{
    unsigned char payload[TRACE_PAYLOAD_MAX] = {0};
    size_t length = strlen(text) + 1u;
    put32(payload, event);
    put32(payload + 4, 8u | (uint32_t)length << 16);
    memcpy(payload + 8, text, length);
    add_line(&wanted.lines, cpu, &ticks, "user_string", payload, 8u + ((length + 3u) & ~(size_t)3));
}

void assert_wanted(void)
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

uint32_t seed = 1;

uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}
