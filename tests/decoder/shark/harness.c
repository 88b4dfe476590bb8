/* harness.c - makes and decodes raw S.Ha.R.K. trace files for tests: see harness.h. */
#define _GNU_SOURCE
#include "harness.h"
#include "model/module.h"

#include "cli/formats.h"
#include "decode/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct trace_reader *const readers[] = {&reader_native, &reader_shark, NULL};
static char directory[] = "/tmp/test-shark-XXXXXX";
char in_path[64], out_path[64];

/* ---- files ------------------------------------------------------------------------------------------------------- */

void save(const char *path, const void *data, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, n, file), n);
    fclose(file);
}

void load(const char *path, struct bytes *bytes)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    bytes->n = fread(bytes->data, 1, FILE_BYTES - 1u, file);
    bytes->data[bytes->n] = '\0';
    fclose(file);
}

void add(struct bytes *bytes, uint32_t code, uint32_t par1, uint64_t ticks, uint32_t par2)
{
    const uint32_t words[4] = {par1 << 16 | code, (uint32_t)(ticks >> 32), (uint32_t)ticks, par2};
    assert_true(bytes->n + 16u < FILE_BYTES);
    for (size_t i = 0; i < 16; i++)
        bytes->data[bytes->n++] = (unsigned char)(words[i / 4] >> 8 * (i % 4));
}

void add_rising(struct bytes *bytes, uint64_t from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        add(bytes, 0x09, i, from + i, 0);
}

void command(const char *format, const char *argument)
{
    char line[512];
    snprintf(line, sizeof line, format, argument);
    assert_int_equal(system(line), 0);
}

const char *build(void)
{
    return getenv("BUILD") != NULL ? getenv("BUILD") : "build";
}

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

uint64_t clock_hz;
struct bytes in, out, other;

enum decode_exit decode_file(const struct trace_reader *reader, const struct trace_writer *writer,
                             enum tlog_map_mode map)
{
    struct decode_request request = {.open = input_open,
                                     .inputs = {{.path = in_path}},
                                     .ninputs = 1,
                                     .output = out_path,
                                     .readers = readers,
                                     .reader = reader,
                                     .writer = writer,
                                     .map = map,
                                     .clock_hz = clock_hz,
                                     .quiet = true};
    return decode(&request);
}

enum decode_exit convert(const struct trace_writer *writer)
{
    enum decode_exit result;
    save(in_path, in.data, in.n);
    result = decode_file(&reader_shark, writer, TLOG_MAP_NATIVE);
    out.n = 0;
    out.data[0] = '\0';
    if (result != DECODE_NOTHING)
        load(out_path, &out);
    return result;
}

/* ---- decoding in memory ------------------------------------------------------------------------------------------ */

#define WRITERS_MAX 4u

/* Several writers that get the same events. */
struct outputs {
    const struct trace_writer *const *writers;
    void *state[WRITERS_MAX];
};

/* An empty file in memory, which is the same one whenever i is. */
static int memory(size_t i)
{
    static int fds[WRITERS_MAX + 1u]; /* 0: not made yet */
    assert_true(i < COUNT(fds));
    if (fds[i] == 0)
        fds[i] = memfd_create("shark", 0);
    assert_true(fds[i] > 0);
    assert_int_equal(ftruncate(fds[i], 0), 0);
    assert_int_equal(lseek(fds[i], 0, SEEK_SET), 0);
    return fds[i];
}

static bool open_outputs(struct outputs *outputs, struct trace *trace)
{
    static const struct trace_options options;
    bool ok = true;
    for (size_t i = 0; outputs->writers[i] != NULL; i++) {
        outputs->state[i] = outputs->writers[i]->open(trace, &options, memory(i));
        ok = ok && outputs->state[i] != NULL;
    }
    return ok;
}

static bool write_outputs(const struct outputs *outputs, const struct trace_batch *batch)
{
    for (size_t i = 0; outputs->writers[i] != NULL; i++) {
        if (outputs->writers[i]->write(outputs->state[i], 0, batch) != 0)
            return false;
    }
    return true;
}

static bool close_outputs(const struct outputs *outputs, bool ok)
{
    for (size_t i = 0; outputs->writers[i] != NULL; i++) {
        if (outputs->state[i] != NULL)
            ok = outputs->writers[i]->close(outputs->state[i], ok) == 0 && ok;
    }
    return ok;
}

static size_t count_records(const struct trace *trace, const struct trace_batch *batch)
{
    size_t n = 0;
    for (size_t i = 0; i < batch->n; i++)
        n += strcmp(trace->types[batch->event[i].type]->system, "shark") == 0;
    return n;
}

/* Pass all events of the reader through the mapping to the outputs. */
static bool pass_events(struct trace *trace, void *reader, const struct outputs *outputs, size_t *events)
{
    static struct trace_batch read, mapped;
    struct decode_map *map = decode_map_new(trace, TLOG_MAP_NATIVE);
    int got = 0;
    bool ok = map != NULL;
    while (ok && (read.n = read.used = 0, got = reader_shark.read(reader, 0, &read)) > 0) {
        for (size_t at = 0; at < read.n;) {
            at = decode_map_batch(map, 0, &read, at, read.n, &mapped);
            *events += count_records(trace, &mapped);
            ok = ok && write_outputs(outputs, &mapped);
        }
    }
    decode_map_free(map);
    return ok && got == 0;
}

bool convert_in_memory(const struct trace_writer *const *writers, size_t *events)
{
    struct outputs outputs = {.writers = writers};
    struct trace trace;
    struct input *input;
    char path[64];
    void *reader;
    bool ok;
    *events = 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory(WRITERS_MAX));
    save(path, in.data, in.n);
    trace_init(&trace, "test");
    trace.quiet = true;
    input = input_open(&trace, path, NULL);
    assert_non_null(input);
    reader = reader_shark.open(&trace, input);
    ok = reader != NULL && open_outputs(&outputs, &trace) && pass_events(&trace, reader, &outputs, events);
    ok = close_outputs(&outputs, ok);
    if (reader != NULL)
        reader_shark.close(reader);
    input_close(input);
    trace_free(&trace);
    return ok;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

size_t count_lines(const struct bytes *text, const char *with)
{
    size_t n = 0;
    for (const char *at = (const char *)text->data; (at = strstr(at, with)) != NULL; at++)
        n++;
    return n;
}

void assert_counts_up(uint64_t first, uint64_t n)
{
    const char *at = (const char *)out.data;
    for (uint64_t i = 0; i < n; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, " %" PRIu64 ": shark:user_event_0: ", first + i);
        at = strstr(at, wanted);
        assert_non_null(at);
    }
    assert_int_equal(count_lines(&out, "user_event_0"), n);
}

void assert_is_input(void)
{
    assert_int_equal(out.n, in.n);
    assert_memory_equal(out.data, in.data, in.n);
}

uint32_t random32(void)
{
    static uint64_t random_state;
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 32);
}

int make_files(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(in_path, sizeof in_path, "%s/in", directory);
    snprintf(out_path, sizeof out_path, "%s/out.dat", directory);
    return 0;
}

int remove_files(void **state)
{
    (void)state;
    unlink(in_path);
    unlink(out_path);
    return rmdir(directory);
}
