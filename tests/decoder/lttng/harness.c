/* harness.c - what the tests of LTTng traces share: see harness.h. */
#include "tool/message.h"
#include "harness.h"

#include "base/bytes.h"
#include "io/input.h"
#include "model/clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_BYTES (1u << 18)

char directory[40];
char trace_path[80], text_path[80], again_path[80], none_path[80];

/* ---- a reader of made-up events ---------------------------------------------------------------------------------- */

static const struct tlog_field all_fields[] = {
    {"u1", TLOG_KIND_UNSIGNED, 0, 1}, {"u2", TLOG_KIND_UNSIGNED, 2, 2},  {"u4", TLOG_KIND_UNSIGNED, 4, 4},
    {"u8", TLOG_KIND_UNSIGNED, 8, 8}, {"name", TLOG_KIND_STRING, 16, 4}, {"s1", TLOG_KIND_SIGNED, 20, 1},
    {"s2", TLOG_KIND_SIGNED, 22, 2},  {"s4", TLOG_KIND_SIGNED, 24, 4},   {"s8", TLOG_KIND_SIGNED, 28, 8},
    {"x1", TLOG_KIND_HEX, 36, 1},     {"comm", TLOG_KIND_CHARS, 37, 8},  {"x2", TLOG_KIND_HEX, 46, 2},
    {"x4", TLOG_KIND_HEX, 48, 4},     {"x8", TLOG_KIND_HEX, 52, 8},      {"maybe", TLOG_KIND_OPTIONAL, 60, 4},
};
static const struct tlog_field task_fields[] = {{"context", TLOG_KIND_UNSIGNED, 0, 4},
                                                {"par2", TLOG_KIND_OPTIONAL, 4, 4}};
static const struct tlog_field count_fields[] = {{"count", TLOG_KIND_UNSIGNED, 0, 8}};

static const struct tlog_field send_fields[] = {
    {"timer", TLOG_KIND_TIMER, 0, 4}, {"mutex", TLOG_KIND_MUTEX, 4, 4}, {"counter", TLOG_KIND_OBJECT_LAST, 8, 4}};

enum { ALL, SWITCH, WAKE, ENTRY, EXIT, NOTHING, LOSS, SEND, TYPES };

static const struct tlog_type types[TYPES] = {
    [ALL] = {"test", "all_kinds", TLOG_MEANS_PLAIN, 64, COUNT(all_fields), all_fields, NULL},
    [SWITCH] = {"test", "run", TLOG_MEANS_SWITCH, 8, 2, task_fields, NULL},
    [WAKE] = {"test", "wake", TLOG_MEANS_WAKE, 8, 2, task_fields, NULL},
    [ENTRY] = {"test", "enter", TLOG_MEANS_IRQ_ENTRY, 8, 2, task_fields, NULL},
    [EXIT] = {"test", "leave", TLOG_MEANS_IRQ_EXIT, 8, 2, task_fields, NULL},
    [NOTHING] = {"test", "nothing", TLOG_MEANS_PLAIN, 0, 0, NULL, NULL},
    [SEND] = {"shark", "send", TLOG_MEANS_PLAIN, 12, 3, send_fields, NULL},
    [LOSS] = {"tlog", "loss", TLOG_MEANS_LOSS, 8, 1, count_fields, NULL},
};

/* What the reader makes up: see set_events(). */
static struct {
    unsigned cpus, events; /* events per CPU */
    uint64_t hz, start_ns, step;
} wanted;

/* The reader's state. */
struct maker {
    struct trace *trace;
    unsigned at[4];    /* of each CPU: events so far, */
    uint64_t ticks[4]; /* and the time of the last one */
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
    trace_set_name(trace, TRACE_NAME_OBJECT + 4, 0x20001234, "tick");
    trace_set_name(trace, TRACE_NAME_KINDS - 1, 9, "counter nine");
    return maker;
}

/* The payload of event i of type ALL: all kinds of fields. */
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

/* The payload of a SEND: a timer by its address, a mutex and a counter by their number, in turn without a name. */
static void make_send(unsigned char *data, unsigned i)
{
    put_le32(data, 0x20001234u + i % 3u);
    put_le32(data + 4, 9u - i % 2u);
    put_le32(data + 8, 9u - i % 5u);
}

/* Make up the next event of a CPU. One in five has the time of the one before. */
static void make_event(struct maker *maker, unsigned cpu, struct trace_batch *batch)
{
    unsigned i = maker->at[cpu]++, kind = i % 16u == 5 ? LOSS : i % 12u == 11 ? SEND : i % 6u;
    size_t size = kind == ALL ? 64u + strlen("a longer text, 31 bytes long...") + 1u : types[kind].size;
    unsigned char *data = trace_batch_room(batch, size);
    struct tlog_event *event = &batch->event[batch->n++];
    uint64_t ticks = maker->ticks[cpu] += i % 5u == 0 ? 0 : wanted.step, hz = wanted.hz;
    memset(data, 0, size);
    if (kind == ALL)
        make_all(data, i);
    else if (kind == LOSS)
        put_le64(data, i + 1u);
    else if (kind == SEND)
        make_send(data, i);
    else if (kind != NOTHING)
        put_le64(data, kind == ENTRY || kind == EXIT ? 3u : i % 4u);
    *event = (struct tlog_event){.data = data, .type = maker->index[kind], .size = (uint16_t)size};
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

const struct trace_reader reader_maker = {
    .name = "maker", .description = "", .probe = maker_probe, .open = maker_open, .read = maker_read, .close = free};

void set_events(unsigned cpus, unsigned events, uint64_t hz, uint64_t start_ns, uint64_t step)
{
    wanted.cpus = cpus;
    wanted.events = events;
    wanted.hz = hz;
    wanted.start_ns = start_ns;
    wanted.step = step;
}

/* ---- the decoder --- */

static const struct trace_reader *const readers[] = {&reader_native, &reader_shark, &reader_lttng, NULL};

enum decode_exit convert(const struct trace_reader *reader, const char *input, const struct trace_writer *writer,
                         const char *output, const char *options)
{
    struct decode_request request = {.open = input_open,
                                     .inputs = {{.path = input}},
                                     .ninputs = 1,
                                     .output = output,
                                     .readers = readers,
                                     .reader = reader};
    request.writer = writer;
    request.options.variant = options;
    request.quiet = true;
    return decode(&request);
}

void save(const char *path, const void *data, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, n, file), n);
    fclose(file);
}

size_t load(const char *path, void *data, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t n;
    assert_non_null(file);
    n = fread(data, 1, room, file);
    fclose(file);
    return n;
}

void remove_tree(const char *path)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

void make_trace(const char *options)
{
    remove_tree(trace_path);
    assert_int_equal(convert(&reader_maker, none_path, &writer_lttng, trace_path, options), DECODE_WHOLE);
}

void assert_same_text(void)
{
    static char one[TEXT_BYTES], two[TEXT_BYTES];
    size_t n = load(text_path, one, TEXT_BYTES), m = load(again_path, two, TEXT_BYTES);
    assert_true(n > 100u && n < TEXT_BYTES);
    assert_int_equal(n, m);
    assert_memory_equal(one, two, n);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* FNV-1a, of 64 bits. */
static uint64_t hash(uint64_t sum, const void *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ ((const unsigned char *)data)[i]) * 0x100000001B3u;
    return sum;
}

static void take_event(struct result *result, const struct tlog_type *type, unsigned cpu,
                       const struct tlog_event *event)
{
    struct seen *seen = &result->seen[result->n];
    /* The number of an interrupt that is left is not in the trace: it depends on the events before. */
    uint16_t derived = type->means == TLOG_MEANS_IRQ_EXIT && event->size >= 4u ? 4 : 0;
    result->first = result->events == 0 ? event->time : result->first;
    result->events++;
    result->sum = result->sum * 31u + (uint32_t)event->time + event->type;
    for (size_t k = 0; k < event->size; k++)
        result->sum = result->sum * 31u + event->data[k];
    if (type->means == TLOG_MEANS_LOSS)
        result->lost += get_le64(event->data);
    if (type->means == TLOG_MEANS_LOSS || result->n == SEEN_MAX)
        return;
    *seen = (struct seen){.time = event->time, .cpu = cpu};
    seen->hash =
        hash(hash(0xCBF29CE484222325u, type->name, strlen(type->name)), event->data + derived, event->size - derived);
    result->n++;
}

static void take_batch(const struct trace *trace, unsigned cpu, const struct trace_batch *batch, struct result *result)
{
    for (size_t i = 0; i < batch->n; i++) {
        const struct tlog_event *event = &batch->event[i];
        const struct tlog_type *type = trace->types[event->type];
        assert_true(event->time >= result->last);
        result->last = event->time;
        result->marks += type->means == TLOG_MEANS_DAMAGE;
        if (type->means != TLOG_MEANS_DAMAGE)
            take_event(result, type, cpu, event);
    }
}

/* Read all events of all CPUs. */
static void read_all(struct result *result, struct trace *trace, const char *path)
{
    static struct trace_batch batch;
    struct input *in = input_open(trace, path, NULL);
    void *state = in != NULL ? reader_lttng.open(trace, in) : NULL;
    for (unsigned cpu = 0; state != NULL && cpu < trace->ncpus; cpu++) {
        result->last = 0;
        for (batch.n = batch.used = 0; reader_lttng.read(state, cpu, &batch) > 0; batch.n = batch.used = 0)
            take_batch(trace, cpu, &batch, result);
    }
    if (state != NULL)
        reader_lttng.close(state);
    input_close(in);
}

/* Send stderr to an empty file without a name. Returns a descriptor of what stderr was. */
static int begin_messages(void)
{
    static FILE *file;
    int was = dup(STDERR_FILENO);
    if (file == NULL)
        file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    assert_int_equal(ftruncate(fileno(file), 0), 0);
    lseek(fileno(file), 0, SEEK_SET);
    dup2(fileno(file), STDERR_FILENO);
    return was;
}

/* Make stderr what it was, and get what was written. */
static void end_messages(int was, char *messages, size_t room)
{
    ssize_t n;
    fflush(stderr);
    n = pread(STDERR_FILENO, messages, room - 1u, 0);
    messages[n > 0 ? n : 0] = '\0';
    dup2(was, STDERR_FILENO);
    close(was);
}

void read_into(struct result *result, const char *path, char *messages, size_t room)
{
    struct trace trace;
    int was = -1;
    result->events = result->gaps = result->first = result->last = 0;
    result->n = result->sum = 0;
    result->lost = result->marks = 0;
    trace_init(&trace, path);
    trace.sink = &message_sink;
    trace.quiet = messages == NULL;
    if (messages != NULL)
        was = begin_messages();
    read_all(result, &trace, path);
    if (messages != NULL)
        end_messages(was, messages, room);
    result->failed = trace.failed;
    result->gaps = trace.counts.gaps;
    result->dropped = trace.counts.dropped;
    trace_free(&trace);
}

const struct result *read_trace(const char *path)
{
    static struct result result;
    read_into(&result, path, NULL, 0);
    return &result;
}

/* ---- faults in a written trace ----------------------------------------------------------------------------------- */

static const char *const files[FAULT_FILES] = {"control/facilities_0", "control/modules_0", "cpu_0"};
unsigned char original[FAULT_FILES][FILE_BYTES];
size_t length[FAULT_FILES];
struct result whole;
static char file_path[120];

void begin_faults(const char *options, unsigned events)
{
    set_events(1, events, 25000000, 0, 1001);
    make_trace(options);
    for (size_t i = 0; i < FAULT_FILES; i++) {
        snprintf(file_path, sizeof file_path, "%s/%s", trace_path, files[i]);
        length[i] = load(file_path, original[i], FILE_BYTES);
        assert_true(length[i] > 0 && length[i] % PAGE == 0);
    }
    read_into(&whole, trace_path, NULL, 0);
    assert_int_equal(whole.events, events);
    assert_int_equal(whole.gaps, 0);
}

const struct result *with_bytes(size_t file, const void *bytes, size_t n)
{
    snprintf(file_path, sizeof file_path, "%s/%s", trace_path, files[file]);
    save(file_path, bytes, n);
    return read_trace(trace_path);
}

void restore(size_t file)
{
    with_bytes(file, original[file], length[file]);
}

/* ---- before and after the tests of a program --- */

int set_up(void **state)
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

int tear_down(void **state)
{
    (void)state;
    remove_tree(directory);
    return 0;
}
