/* test_lttng.c - traces of LTTng 0.x, out and in: every variant, every fault, every distance of stamps.
 *
 * Traces are written from a reader of made-up events, and judged by reading them back; what they look like is judged by
 * tests/lttng.sh, with programs that know nothing of tlog. Run from the top of the repository.
 */
#include "decode.h"
#include "input.h"
#include "lttng_block.h"
#include "lttng_format.h"
#include "lttng_sink.h"
#include "lttng_time.h"
#include "modules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEXT_BYTES   (1u << 18)
#define FILE_BYTES   (1u << 17)
#define PAGE         4096u

/* In memory if there is such a place: thousands of files are written. */
static char directory[40];
static char trace_path[80], text_path[80], again_path[80], none_path[80];

/* ---- a reader of made-up events ---------------------------------------------------------------------------------- */

static const struct trace_field all_fields[] = {
    {"u1", TRACE_UNSIGNED, 0, 1}, {"u2", TRACE_UNSIGNED, 2, 2},  {"u4", TRACE_UNSIGNED, 4, 4},
    {"u8", TRACE_UNSIGNED, 8, 8}, {"name", TRACE_STRING, 16, 4}, {"s1", TRACE_SIGNED, 20, 1},
    {"s2", TRACE_SIGNED, 22, 2},  {"s4", TRACE_SIGNED, 24, 4},   {"s8", TRACE_SIGNED, 28, 8},
    {"x1", TRACE_HEX, 36, 1},     {"comm", TRACE_CHARS, 37, 8},  {"x2", TRACE_HEX, 46, 2},
    {"x4", TRACE_HEX, 48, 4},     {"x8", TRACE_HEX, 52, 8},      {"maybe", TRACE_OPTIONAL, 60, 4},
};
static const struct trace_field task_fields[] = {{"context", TRACE_UNSIGNED, 0, 4}, {"par2", TRACE_OPTIONAL, 4, 4}};
static const struct trace_field count_fields[] = {{"count", TRACE_UNSIGNED, 0, 8}};

enum { ALL, SWITCH, WAKE, ENTRY, EXIT, NOTHING, LOSS, TYPES };

static const struct trace_type types[TYPES] = {
    [ALL] = {"test", "all_kinds", TRACE_PLAIN, 64, COUNT(all_fields), all_fields, NULL},
    [SWITCH] = {"test", "run", TRACE_SWITCH, 8, 2, task_fields, NULL},
    [WAKE] = {"test", "wake", TRACE_WAKE, 8, 2, task_fields, NULL},
    [ENTRY] = {"test", "enter", TRACE_IRQ_ENTRY, 8, 2, task_fields, NULL},
    [EXIT] = {"test", "leave", TRACE_IRQ_EXIT, 8, 2, task_fields, NULL},
    [NOTHING] = {"test", "nothing", TRACE_PLAIN, 0, 0, NULL, NULL},
    [LOSS] = {"tlog", "loss", TRACE_LOSS, 8, 1, count_fields, NULL},
};

/* What the reader makes up. */
static struct {
    unsigned cpus, events; /* per CPU */
    uint64_t hz, start_ns, step;
} wanted;

struct maker {
    struct trace *trace;
    unsigned at[4];
    uint64_t ticks[4];
    uint16_t index[TYPES];
};

static void *maker_open(struct trace *trace, struct input *in)
{
    struct maker *maker = calloc(1, sizeof *maker);

    (void)in;
    assert_non_null(maker);
    maker->trace = trace;
    trace->ncpus = wanted.cpus;
    trace->clock_hz = wanted.hz;
    trace->start_ns = wanted.start_ns;
    for (unsigned i = 0; i < TYPES; i++)
        maker->index[i] = trace_type(trace, &types[i]);
    trace_set_name(trace, TRACE_NAME_TASK, 1, "one");
    trace_set_name(trace, TRACE_NAME_TASK, 2, "the second, with blanks");
    trace_set_name(trace, TRACE_NAME_IRQ, 3, "uart");
    trace_set_name(trace, TRACE_NAME_MUTEX, 9, "mutex nine");
    return maker;
}

static void make_all(unsigned char *data, unsigned i)
{
    static const char *const texts[] = {"", "a", "four", "a longer text, 31 bytes long..."};
    size_t n = strlen(texts[i % 4u]) + 1u;

    for (unsigned k = 0; k < 64u; k++)
        data[k] = (unsigned char)(i * 37u + k * 91u);
    memcpy(data + 37, "comm\0\0\0\0", 8);
    data[37] = (unsigned char)('a' + i % 20u);
    put_le32(data + 60, i % 3u);
    put_le32(data + 16, 64u | (uint32_t)n << 16);
    memcpy(data + 64, texts[i % 4u], n);
}

static void make_event(struct maker *maker, unsigned cpu, struct trace_batch *batch)
{
    unsigned i = maker->at[cpu]++, kind = i % 16u == 5 ? LOSS : i % 6u;
    size_t size = kind == ALL ? 64u + strlen("a longer text, 31 bytes long...") + 1u : types[kind].size;
    unsigned char *data = trace_batch_room(batch, size);
    struct trace_event *event = &batch->event[batch->n++];
    uint64_t ticks = maker->ticks[cpu] += i % 5u == 0 ? 0 : wanted.step, hz = wanted.hz;

    memset(data, 0, size);
    if (kind == ALL)
        make_all(data, i);
    else if (kind == LOSS)
        put_le64(data, i + 1u);
    else if (kind != NOTHING)
        put_le64(data, kind == ENTRY || kind == EXIT ? 3u : i % 4u);
    *event = (struct trace_event){.data = data, .type = maker->index[kind], .size = (uint16_t)size};
    event->time = wanted.start_ns + ticks_ns(ticks, hz);
    event->rest = ticks_rest(ticks, ticks_ns(ticks, hz), hz);
    if (kind == LOSS)
        maker->trace->counts.dropped += i + 1u;
}

static int maker_read(void *state, unsigned cpu, struct trace_batch *batch)
{
    struct maker *maker = state;

    while (maker->at[cpu] < wanted.events && batch->n < 300u)
        make_event(maker, cpu, batch);
    return batch->n > 0;
}

static enum trace_probe maker_probe(struct input *in)
{
    (void)in;
    return TRACE_NOT_MINE;
}

static const struct trace_reader reader_maker = {"maker", "", maker_probe, maker_open, maker_read, free};
static const struct trace_reader *const readers[] = {&reader_native, &reader_shark, &reader_lttng, NULL};

/* ---- running --- */

static enum decode_exit run(const struct trace_reader *reader, const char *input, const struct trace_writer *writer,
                            const char *output, const char *options)
{
    struct decode_request request = {.input = input, .output = output, .readers = readers, .reader = reader};

    request.writer = writer;
    request.options.lttng = options;
    request.quiet = true;
    return decode(&request);
}

static void save(const char *path, const void *data, size_t n)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, n, file), n);
    fclose(file);
}

static size_t load(const char *path, void *data, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t n;

    assert_non_null(file);
    n = fread(data, 1, room, file);
    fclose(file);
    return n;
}

static void remove_tree(const char *path)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

static void make_trace(const char *options)
{
    remove_tree(trace_path);
    assert_int_equal(run(&reader_maker, none_path, &writer_lttng, trace_path, options), DECODE_WHOLE);
}

static void assert_same_text(void)
{
    static char one[TEXT_BYTES], two[TEXT_BYTES];
    size_t n = load(text_path, one, TEXT_BYTES), m = load(again_path, two, TEXT_BYTES);

    assert_true(n > 100u && n < TEXT_BYTES);
    assert_int_equal(n, m);
    assert_memory_equal(one, two, n);
}

/* What the reader alone makes of a trace: no mapping, no output. */
struct result {
    uint64_t events, gaps, first, last;
    bool failed;
    uint32_t sum; /* of all events' times, types and payloads */
};

static void take_batch(const struct trace *trace, struct trace_batch *batch, struct result *result)
{
    for (size_t i = 0; i < batch->n; i++) {
        const struct trace_event *event = &batch->event[i];
        enum trace_class class = trace->types[event->type]->class;

        assert_true(event->time >= result->last);
        result->last = event->time;
        if (class == TRACE_DAMAGE)
            continue;
        result->first = result->events == 0 ? event->time : result->first;
        result->events++;
        result->sum = result->sum * 31u + (uint32_t)event->time + event->type;
        for (size_t k = 0; k < event->size; k++)
            result->sum = result->sum * 31u + event->data[k];
    }
}

static struct result read_trace(const char *path)
{
    static struct trace_batch batch;
    struct trace trace;
    struct result result = {0};
    struct input *in;
    void *state = NULL;

    trace_init(&trace, path);
    trace.quiet = true;
    in = input_open(&trace, path);
    if (in != NULL)
        state = reader_lttng.open(&trace, in);
    for (unsigned cpu = 0; state != NULL && cpu < trace.ncpus; cpu++) {
        result.last = 0;
        for (batch.n = batch.used = 0; reader_lttng.read(state, cpu, &batch) > 0; batch.n = batch.used = 0)
            take_batch(&trace, &batch, &result);
    }
    result.failed = trace.failed;
    result.gaps = trace.counts.gaps;
    if (state != NULL)
        reader_lttng.close(state);
    input_close(in);
    trace_free(&trace);
    return result;
}

/* ---- out and in again ------------------------------------------------------------------------------------------- */

static void want(unsigned cpus, unsigned events, uint64_t hz, uint64_t start_ns, uint64_t step)
{
    wanted.cpus = cpus;
    wanted.events = events;
    wanted.hz = hz;
    wanted.start_ns = start_ns;
    wanted.step = step;
}

/* Variant number 0 .. 63 as options. */
static void name_variant(unsigned variant, char *options, size_t room)
{
    snprintf(options, room, "word=%u,order=%s,block=4096%s%s%s%s", variant & 1u ? 4 : 8,
             variant & 2u ? "big" : "little", variant & 4u ? ",packed" : "", variant & 8u ? ",heartbeat" : "",
             variant & 16u ? ",flight" : "", variant & 32u ? ",compact" : "");
}

static void assert_round_trip(const char *options)
{
    assert_int_equal(run(&reader_maker, none_path, &writer_text, text_path, NULL), DECODE_WHOLE);
    make_trace(options);
    assert_int_equal(run(NULL, trace_path, &writer_text, again_path, NULL), DECODE_WHOLE);
    assert_same_text();
}

static void test_every_variant(void **state)
{
    char options[100];

    (void)state;
    for (unsigned variant = 0; variant < 64u; variant++) {
        bool compact = variant & 32u;

        /* Events of one time come in the order of files: with two files per CPU, no two may have one time. */
        want(compact ? 1 : 3, compact ? 5 : 400, 25000000, 0, 977);
        name_variant(variant, options, sizeof options);
        assert_round_trip(options);
    }
}

static void test_clocks_and_times(void **state)
{
    static const uint64_t clocks[] = {1, 999, 1000, 32768, 25000000, 72000001, 1000000000, 2400000000u, 3999999999u};
    static const uint64_t starts[] = {0, 1212364800654321000u, 1212364800654321987u};

    (void)state;
    for (size_t i = 0; i < COUNT(clocks); i++) {
        for (size_t k = 0; k < COUNT(starts); k++) {
            want(1, 100, clocks[i], starts[k], 3);
            assert_round_trip(i % 2u ? "heartbeat" : NULL);
            if (clocks[i] < 1000000u)
                continue; /* the next would be centuries */
            want(1, 100, clocks[i], starts[k], (UINT64_C(1) << 33) + 7u);
            assert_round_trip(i % 2u ? "heartbeat,word=4" : NULL);
        }
    }
    want(1, 100, 0, 0, 5); /* not known: times are ticks */
    assert_round_trip(NULL);
}

static void test_trace_of_a_trace(void **state)
{
    (void)state;
    want(2, 200, 2400000000u, 1212364800654321000u, 12345);
    make_trace(NULL);
    assert_int_equal(run(NULL, trace_path, &writer_text, text_path, NULL), DECODE_WHOLE);
    remove_tree(again_path);
    assert_int_equal(run(NULL, trace_path, &writer_lttng, again_path, "word=4,order=big,packed,heartbeat"),
                     DECODE_WHOLE);
    assert_int_equal(run(NULL, again_path, &writer_lttng, trace_path, NULL), DECODE_WHOLE);
    remove_tree(again_path);
    assert_int_equal(run(NULL, trace_path, &writer_text, again_path, NULL), DECODE_WHOLE);
    assert_same_text();
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* In Python: start_ns + (tsc - start_tsc) * 10**9 * divisor // freq, where // rounds down for all signs. */
static void test_time_is_exact(void **state)
{
    static const struct {
        uint64_t freq;
        uint32_t divisor;
        uint64_t start_tsc, start_ns, tsc, ns;
    } rows[] = {
        {2400000000u, 1, 30064771072u, 1212364800654321000u, 30064771073u, 1212364800654321000u},
        {2400000000u, 1, 30064771072u, 1212364800654321000u, 30064771071u, 1212364800654320999u},
        {2400000000u, 1, 0, 0, 9223372036854775807u, 3843071682022823252u},
        {3, 1, 0, 0, 10, 3333333333u},
        {3, 1, 100, 5000000000u, 99, 4666666666u},
        {1000, 7, 5, 0, 12, 49000000},
        {4294967291u, 4294967295u, 0, 0, 4294967291u, 4294967295000000000u},
        {25000000, 1, 18446744073709551615u, 1000, 0, 1040}, /* the counter wrapped */
        {1, 1, 0, 0, 18446744073u, 18446744073000000000u},
        {1, 1, 0, 0, 18446744074u, UINT64_MAX}, /* more than 64 bits */
        {1, 1, 10, 5, 0, 0},                    /* before 1970 */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct lttng_clock clock = {rows[i].freq, rows[i].divisor, rows[i].start_tsc, rows[i].start_ns};

        assert_int_equal(lttng_ns(&clock, rows[i].tsc), rows[i].ns);
    }
}

static void test_frequency_of_every_version(void **state)
{
    struct lttng_header header = {.family = LTTNG_MARKERS, .major = 1, .start_freq = 2400000, .freq_scale = 1000};
    uint64_t freq;
    uint32_t divisor;

    (void)state;
    lttng_header_clock(&header, &freq, &divisor);
    assert_int_equal(freq, 2400000000u);
    assert_int_equal(divisor, 1);
    header.family = LTTNG_METADATA;
    header.minor = 1;
    lttng_header_clock(&header, &freq, &divisor);
    assert_int_equal(freq, 2400000000u);
    header.minor = 2;
    lttng_header_clock(&header, &freq, &divisor);
    assert_int_equal(freq, 2400000);
    assert_int_equal(divisor, 1000);
    header.minor = 0;
    header.start_freq = UINT64_MAX / 2;
    lttng_header_clock(&header, &freq, &divisor);
    assert_int_equal(freq, 0);
}

/* ---- distances of stamps ----------------------------------------------------------------------------------------- */

/* A file for events without payload, by the writer's own means. */
static struct lttng_sink begin_file(const char *name, bool compact, unsigned bits)
{
    static struct trace trace;
    struct lttng_sink sink = {.trace = &trace, .fd = -1, .compact = compact, .arch_type = 6};
    int fd = open(trace_path, O_RDONLY | O_DIRECTORY);

    trace_init(&trace, "test");
    sink.form = (struct lttng_header){.heartbeat = true, .arch_size = 4, .alignment = 4, .size = PAGE};
    sink.form.tscbits = (uint8_t)bits;
    sink.form.data_shift = (uint8_t)(bits + 6u);
    sink.form.start_freq = 1000000;
    sink.form.freq_scale = 1000;
    assert_int_equal(lttng_sink_open(&sink, fd, name), 0);
    close(fd);
    return sink;
}

static void make_facilities(unsigned bits)
{
    static const unsigned char id[] = {'t', '_', 'e', 0, 9, 0, 4, 4, 4, 4, 4}, format[] = {'t', '_', 'e', 0, 0};
    struct lttng_sink sink;
    char path[120];

    remove_tree(trace_path);
    snprintf(path, sizeof path, "%s/control", trace_path);
    assert_int_equal(mkdir(trace_path, 0777) | mkdir(path, 0777), 0);
    sink = begin_file("control/facilities_0", false, bits);
    lttng_sink_event(&sink, LTTNG_MARKER_ID, 0, id, sizeof id);
    lttng_sink_event(&sink, LTTNG_MARKER_FORMAT, 0, format, sizeof format);
    assert_int_equal(lttng_sink_close(&sink, 0), 0);
}

/* Two events, distance apart, the first at begin: both times are told exactly. ns are ticks here. */
static void check_distance(bool compact, unsigned bits, uint64_t begin, uint64_t distance)
{
    struct lttng_sink sink;
    struct result result;
    char path[120];

    snprintf(path, sizeof path, "%s/%s_0", trace_path, compact ? "compact" : "cpu");
    unlink(path);
    sink = begin_file(compact ? "compact_0" : "cpu_0", compact, bits);
    assert_true(lttng_sink_event(&sink, 9, begin, NULL, 0));
    assert_true(lttng_sink_event(&sink, 9, begin + distance, NULL, 0));
    assert_int_equal(lttng_sink_close(&sink, 0), 0);
    result = read_trace(trace_path);
    assert_false(result.failed);
    assert_int_equal(result.gaps, 0);
    assert_int_equal(result.events, 2);
    assert_int_equal(result.first, begin);
    assert_int_equal(result.last, begin + distance);
}

/* All distances up to beyond two wraps of 4 bits, from all begins: the compact channel's stamps may be that short. */
static void test_every_distance_of_short_stamps(void **state)
{
    (void)state;
    make_facilities(4);
    for (uint64_t begin = 0; begin < 16u; begin++) {
        for (uint64_t distance = 0; distance <= 34u; distance++)
            check_distance(true, 4, begin + 16u, distance);
    }
}

static void test_boundary_distances_of_32_bits(void **state)
{
    static const uint64_t near[] = {0, 1, 2, 0x7FFFFFFFu, 0x80000000u, 0x80000001u, 0xFFFFFFFEu, 0xFFFFFFFFu};

    (void)state;
    make_facilities(20);
    for (size_t i = 0; i < COUNT(near); i++) {
        for (size_t k = 0; k < COUNT(near); k++) {
            check_distance(false, 20, near[i], near[k]);
            check_distance(false, 20, near[i] + (UINT64_C(5) << 32), near[k] + (UINT64_C(1) << 32));
            check_distance(false, 20, near[i] + (UINT64_C(1) << 40), near[k] + (UINT64_C(3) << 32));
        }
    }
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* The small trace that is broken: one block per file, one of 8 KiB for the events. */
static const char *const files[] = {"control/facilities_0", "control/modules_0", "cpu_0"};
static unsigned char original[COUNT(files)][FILE_BYTES];
static size_t length[COUNT(files)];
static struct result whole;
static char file_path[120];

static void begin_faults(const char *options, unsigned events)
{
    want(1, events, 25000000, 0, 1001);
    make_trace(options);
    for (size_t i = 0; i < COUNT(files); i++) {
        snprintf(file_path, sizeof file_path, "%s/%s", trace_path, files[i]);
        length[i] = load(file_path, original[i], FILE_BYTES);
        assert_true(length[i] > 0 && length[i] % PAGE == 0);
    }
    whole = read_trace(trace_path);
    assert_int_equal(whole.events, events);
    assert_int_equal(whole.gaps, 0);
}

static struct result with_bytes(size_t file, const void *bytes, size_t n)
{
    snprintf(file_path, sizeof file_path, "%s/%s", trace_path, files[file]);
    save(file_path, bytes, n);
    return read_trace(trace_path);
}

static void restore(size_t file)
{
    with_bytes(file, original[file], length[file]);
}

static uint32_t used_bytes(size_t file)
{
    return (uint32_t)(get_le32(original[file] + 36) - get_le32(original[file] + 32));
}

static void test_cut_at_every_byte(void **state)
{
    (void)state;
    begin_faults("block=4096,word=4", 60);
    for (size_t file = 0; file < COUNT(files); file++) {
        for (size_t n = 0; n < length[file]; n += n < 700u || n + 100u > length[file] ? 1u : 13u) {
            struct result result = with_bytes(file, original[file], n);

            assert_true(result.events <= whole.events);
            assert_true(result.failed || result.gaps > 0 || n == 0);
            if (file == 2 && n >= used_bytes(2))
                assert_int_equal(result.events, whole.events);
        }
        restore(file);
    }
}

/* One bit: whatever is not said has cost no event; the events behind the broken one are there. */
static void flip_all(const char *options)
{
    static unsigned char broken[FILE_BYTES];

    begin_faults(options, 32);
    for (size_t file = 0; file < COUNT(files); file++) {
        uint32_t used = used_bytes(file);

        memcpy(broken, original[file], length[file]);
        for (uint32_t at = 0; at < used; at++) {
            for (unsigned bit = 0; bit < 8u; bit += file == 2 ? 1u : 3u) {
                struct result result;

                broken[at] ^= (unsigned char)(1u << bit);
                result = with_bytes(file, broken, length[file]);
                broken[at] ^= (unsigned char)(1u << bit);
                if (!result.failed && result.gaps == 0 && !(at >= 32 && at < 36))
                    assert_int_equal(result.events, whole.events);
                if (file == 2 && at >= LTTNG_HEADER_1_0)
                    assert_true(result.events + 2u >= whole.events);
            }
        }
        restore(file);
    }
}

static void test_every_bit_flipped(void **state)
{
    (void)state;
    flip_all("block=4096");
}

static void test_every_bit_flipped_with_heartbeat(void **state)
{
    (void)state;
    flip_all("block=4096,word=4,heartbeat,packed");
}

/* Fields of the block header of 1.0. said: any wrong value must be noticed. */
static void test_every_header_field(void **state)
{
    static const struct {
        unsigned at, size;
        bool said;
    } fields[] = {{0, 8, false},  {8, 8, false},  {16, 8, false}, {24, 8, false}, {32, 4, true},  {36, 4, true},
                  {40, 4, true},  {44, 4, false}, {48, 4, false}, {52, 4, false}, {56, 1, true},  {57, 1, true},
                  {58, 1, true},  {59, 1, false}, {60, 1, false}, {61, 1, false}, {62, 1, false}, {63, 1, false},
                  {64, 1, false}, {65, 4, false}, {69, 8, false}, {77, 8, false}, {85, 8, false}, {93, 8, false}};
    static unsigned char broken[FILE_BYTES];

    (void)state;
    begin_faults("block=4096", 200);
    for (size_t file = 0; file < COUNT(files); file++) {
        memcpy(broken, original[file], length[file]);
        for (size_t i = 0; i < COUNT(fields) * 5u; i++) {
            unsigned at = fields[i / 5u].at, size = fields[i / 5u].size;
            uint64_t old = lttng_get(original[file] + at, size, false);
            uint64_t values[] = {0, 1, UINT64_MAX, old - 1u, old + 1u};
            struct result result;

            lttng_put(broken + at, size, false, values[i % 5u]);
            result = with_bytes(file, broken, length[file]);
            if (fields[i / 5u].said && memcmp(broken, original[file], PAGE) != 0)
                assert_true(result.failed || result.gaps > 0);
            assert_true(result.events <= whole.events);
            if (file == 2 && at != 57 && at != 58 && at != 40 && at < 56) /* other blocks are as they were */
                assert_true(result.events + 80u >= whole.events);
            memcpy(broken, original[file], PAGE);
        }
        restore(file);
    }
}

/* event_size of every event: the event is left out and said, all others are kept. */
static void test_every_event_size(void **state)
{
    static unsigned char broken[FILE_BYTES];
    uint32_t at = LTTNG_HEADER_1_0, n = 0;

    (void)state;
    begin_faults("block=8192", 60);
    memcpy(broken, original[2], length[2]);
    while (at < used_bytes(2)) {
        uint16_t old;
        static const uint16_t values[] = {0, 1, 0xFFFE, 0, 0};

        at += lttng_pad(at, 8, 8);
        old = get_le16(original[2] + at + 10);
        for (unsigned i = 0; i < COUNT(values); i++) {
            uint16_t value = i < 3u ? values[i] : (uint16_t)(i == 3u ? old - 1u : old + 1u);
            struct result result;

            put_le16(broken + at + 10, value);
            result = with_bytes(2, broken, length[2]);
            if (value != old && value != LTTNG_SIZE_BY_FORMAT) {
                assert_true(result.gaps > 0);
                assert_int_equal(result.events, whole.events - 1u);
            }
        }
        put_le16(broken + at + 10, LTTNG_SIZE_BY_FORMAT); /* what the format says */
        assert_int_equal(with_bytes(2, broken, length[2]).sum, whole.sum);
        put_le16(broken + at + 10, old);
        at += 12;
        at += lttng_pad(at, 8, 8) + old;
        n++;
    }
    assert_int_equal(n, whole.events);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void rotate(unsigned char *to, const unsigned char *from, size_t n, size_t by)
{
    memcpy(to, from + by, n - by);
    memcpy(to + n - by, from, by);
}

static void test_rotated_blocks(void **state)
{
    static unsigned char turned[FILE_BYTES];
    struct result result;

    (void)state;
    begin_faults("block=4096", 600);
    assert_true(length[2] >= 5u * PAGE);
    for (size_t by = PAGE; by < length[2]; by += PAGE) {
        rotate(turned, original[2], length[2], by);
        result = with_bytes(2, turned, length[2]);
        assert_int_equal(result.gaps, 0);
        assert_int_equal(result.sum, whole.sum);
    }
    memcpy(turned, original[2], length[2]); /* two blocks exchanged: no ring looks like that */
    memcpy(turned + PAGE, original[2] + 3u * PAGE, PAGE);
    memcpy(turned + 3u * PAGE, original[2] + PAGE, PAGE);
    result = with_bytes(2, turned, length[2]);
    assert_true(result.gaps > 0);
    assert_int_equal(result.events, whole.events);
}

static void test_block_lost_in_the_middle(void **state)
{
    static unsigned char broken[FILE_BYTES];
    struct result result;

    (void)state;
    begin_faults("block=4096", 600);
    for (size_t block = 0; block < length[2] / PAGE; block++) {
        memcpy(broken, original[2], length[2]);
        memset(broken + block * PAGE, 0xAA, PAGE);
        result = with_bytes(2, broken, length[2]);
        assert_true(result.gaps > 0 && !result.failed);
        assert_true(result.events + 130u >= whole.events && result.events < whole.events);
    }
}

/* A block that was not finished: whatever is behind its events, they are all there, and no other. */
static void test_open_blocks(void **state)
{
    static const char *const variants[] = {"block=8192", "block=8192,word=4,heartbeat", "block=8192,packed,order=big"};
    static unsigned char open_block[FILE_BYTES];

    (void)state;
    for (size_t i = 0; i < COUNT(variants); i++) {
        bool big = strstr(variants[i], "big") != NULL;
        size_t used;

        begin_faults(variants[i], 40);
        used = (size_t)(lttng_get(original[2] + 36, 4, big) - lttng_get(original[2] + 32, 4, big));
        for (unsigned rest = 0; rest < 4u; rest++) {
            struct result result;

            memcpy(open_block, original[2], length[2]);
            lttng_put(open_block + 32, 4, big, LTTNG_OPEN);
            lttng_put(open_block + 16, 8, big, 0);
            memset(open_block + used, rest == 0 ? 0 : rest == 1 ? 0xAA : 0xFF, length[2] - used);
            if (rest == 3u) /* what the lap before left */
                memcpy(open_block + used, original[2] + used - 600u, 600u);
            result = with_bytes(2, open_block, length[2]);
            assert_true(result.gaps > 0);
            assert_int_equal(result.sum, whole.sum);
        }
    }
}

/* ---- traces of others -------------------------------------------------------------------------------------------- */

static void break_file(const char *name, uint64_t events)
{
    static unsigned char bytes[FILE_BYTES];
    size_t n;

    snprintf(file_path, sizeof file_path, "%s/%s", trace_path, name);
    n = load(file_path, bytes, FILE_BYTES);
    for (size_t at = 0; at < 400u && at < n; at += at < 130u ? 1u : 5u) {
        unsigned char old = bytes[at];
        unsigned char values[] = {0, 0xFF, (unsigned char)(old + 1u), (unsigned char)(old - 1u)};

        for (size_t i = 0; i < COUNT(values); i++) {
            struct result result;

            bytes[at] = values[i];
            save(file_path, bytes, n);
            result = read_trace(trace_path);
            assert_true(result.events <= events + 2u || result.gaps > 0);
        }
        bytes[at] = old;
    }
    save(file_path, bytes, n);
}

/* Every byte of the headers and of the first events and descriptions, in the formats that tlog does not write. Where
 * events do not tell their sizes, a wrong one may look like several until that is noticed. */
static void test_broken_traces_of_others(void **state)
{
    static const char *const versions[][3] = {{"2.6", "metadata_0", "user_0"},
                                              {"2.2 order=big word=4", "metadata_0", "kernel_0"},
                                              {"seed heartbeat", "control/facilities_0", "cpu_0"},
                                              {"0.4 word=4", "control/facilities_0", "cpu_0"}};
    char command[200];

    (void)state;
    for (size_t i = 0; i < COUNT(versions); i++) {
        struct result good;

        remove_tree(trace_path);
        snprintf(command, sizeof command, "python3 tests/lttng_gen.py %s %s >%s", trace_path, versions[i][0],
                 text_path);
        assert_int_equal(system(command), 0);
        good = read_trace(trace_path);
        assert_int_equal(good.gaps, 0);
        assert_true(good.events >= 600u);
        break_file(versions[i][1], good.events);
        break_file(versions[i][2], good.events);
        assert_int_equal(read_trace(trace_path).sum, good.sum);
    }
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static void test_formats(void **state)
{
    static const struct lttng_sizes sizes = {4, 8, 8, 8, 8};
    static const struct {
        const char *text;
        unsigned n;
        const char *name;
        enum lttng_conversion conversion;
        uint8_t size;
    } rows[] = {
        {"irq %u addr #8x%llu ip #1u%hhu", 3, "irq", LTTNG_UNSIGNED, 4},
        {"addr #8x%llu", 1, "addr", LTTNG_HEX, 8},
        {"ip #1u%hhu", 1, "ip", LTTNG_UNSIGNED, 1},
        {"%d", 1, "field_1", LTTNG_SIGNED, 4},
        {"100%% name %s", 1, "100__", LTTNG_TEXT, 0},
        {"  state   0x%lx", 1, "state", LTTNG_HEX, 8},
        {"n #bn2d%-u", 1, "n", LTTNG_SIGNED, 2},
        {"x %p x %p", 2, "x", LTTNG_ADDRESS, 8},
        {"x #4x%p", 1, "x", LTTNG_ADDRESS, 4},
        {"z %zu", 1, "z", LTTNG_UNSIGNED, 8},
        {"", 0, NULL, LTTNG_UNSIGNED, 0},
        {"name", 0, NULL, LTTNG_UNSIGNED, 0},
    };
    static const char *const bad[] = {"%", "#", "a %f", "a %q", "a #", "a #4", "a %l", "a #z%", "%-", "a #n%u %"};
    struct lttng_format format;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(lttng_format_parse(&format, rows[i].text, &sizes));
        assert_int_equal(format.n, rows[i].n);
        if (rows[i].n == 0)
            continue;
        assert_string_equal(format.name[0], rows[i].name);
        assert_int_equal(format.field[0].conversion, rows[i].conversion);
        assert_int_equal(format.field[0].size, rows[i].size);
    }
    assert_true(lttng_format_parse(&format, "x %p x %p", &sizes));
    assert_string_equal(format.name[1], "x_2");
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(lttng_format_parse(&format, bad[i], &sizes));
}

/* ---- directories ------------------------------------------------------------------------------------------------- */

static void test_directories_that_are_there(void **state)
{
    char path[120];

    (void)state;
    want(1, 50, 1000000, 0, 5);
    remove_tree(trace_path);
    assert_int_equal(mkdir(trace_path, 0777), 0); /* empty: replaced */
    assert_int_equal(run(&reader_maker, none_path, &writer_lttng, trace_path, NULL), DECODE_WHOLE);
    want(2, 60, 1000000, 0, 5); /* a trace: replaced as a whole */
    assert_int_equal(run(&reader_maker, none_path, &writer_lttng, trace_path, "flight"), DECODE_WHOLE);
    assert_int_equal(read_trace(trace_path).events, 120);
    snprintf(path, sizeof path, "%s/cpu_0", trace_path);
    assert_int_not_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/notes", trace_path); /* something else, too: stays */
    save(path, "x", 1);
    assert_int_equal(run(&reader_maker, none_path, &writer_lttng, trace_path, NULL), DECODE_NOTHING);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(read_trace(trace_path).events, 120);
}

static void test_files_of_no_cpu(void **state)
{
    static const char *const names[] = {"cpu_256", "cpu_", "process-17.4.99"};
    char path[120];

    (void)state;
    begin_faults("block=4096", 60);
    for (size_t i = 0; i < COUNT(names); i++) {
        struct result result;

        snprintf(path, sizeof path, "%s/%s", trace_path, names[i]);
        save(path, original[2], length[2]);
        result = read_trace(trace_path);
        assert_int_equal(result.events, whole.events);
        assert_int_equal(result.gaps, 1);
        unlink(path);
    }
}

static void test_other_directories(void **state)
{
    (void)state;
    assert_int_equal(run(NULL, "/tmp/", &writer_text, text_path, NULL), DECODE_NOTHING);
    assert_int_equal(run(&reader_shark, directory, &writer_text, text_path, NULL), DECODE_NOTHING);
    assert_int_equal(run(&reader_native, directory, &writer_text, text_path, NULL), DECODE_NOTHING);
    assert_int_equal(run(&reader_lttng, directory, &writer_text, text_path, NULL), DECODE_NOTHING);
    assert_int_equal(run(&reader_maker, none_path, &writer_lttng, "-", NULL), DECODE_NOTHING);
    assert_int_equal(run(&reader_maker, none_path, &writer_lttng, trace_path, "word=5"), DECODE_NOTHING);
}

/* ---- main --- */

static int set_up(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "%s/test-lttng-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(trace_path, sizeof trace_path, "%s/trace", directory);
    snprintf(text_path, sizeof text_path, "%s/text", directory);
    snprintf(again_path, sizeof again_path, "%s/again", directory);
    snprintf(none_path, sizeof none_path, "%s/none", directory);
    save(none_path, "no events here", 14);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_tree(directory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant),
        cmocka_unit_test(test_clocks_and_times),
        cmocka_unit_test(test_trace_of_a_trace),
        cmocka_unit_test(test_time_is_exact),
        cmocka_unit_test(test_frequency_of_every_version),
        cmocka_unit_test(test_every_distance_of_short_stamps),
        cmocka_unit_test(test_boundary_distances_of_32_bits),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_bit_flipped),
        cmocka_unit_test(test_every_bit_flipped_with_heartbeat),
        cmocka_unit_test(test_every_header_field),
        cmocka_unit_test(test_every_event_size),
        cmocka_unit_test(test_rotated_blocks),
        cmocka_unit_test(test_block_lost_in_the_middle),
        cmocka_unit_test(test_open_blocks),
        cmocka_unit_test(test_broken_traces_of_others),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_directories_that_are_there),
        cmocka_unit_test(test_files_of_no_cpu),
        cmocka_unit_test(test_other_directories),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
