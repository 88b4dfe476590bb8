/* output.c - a trace directory that is written: see output.h. */
#include "formats/lttng/output.h"

#include "base/heap.h"
#include "base/bytes.h"
#include "base/printable.h"
#include "io/output.h"
#include "os/os_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define COMPACT_STAMP 20u /* bits of time in the word of a compact event */
#define COMPACT_SHIFT 26u /* of the data in it: behind the time and 6 bits of id; data stay 0 */
#define KHZ           1000u
#define UNKNOWN_KHZ   1000000u /* what headers have for a clock of unknown frequency: ticks are ns */
#define ARCH_ARM      6u       /* as a tracer calls the processor; a word's size and byte order are told besides */
#define HEADER_BYTES  12u      /* stamp, id and size, the longest form */

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Write the current block as one of size bytes, its rest filled with 0. */
static void write_block(struct lttng_output_file *file, size_t size)
{
    struct lttng_block_header header = file->common;
    header.size = size;
    header.begin = file->begin;
    header.end = file->last;
    header.lost = (uint32_t)size - file->at;
    lttng_block_header_write(&header, file->block, file->arch_type);
    memset(file->block + file->at, 0, header.lost);
    if (!file->trace->failed)
        output_put(file->trace, file->fd, file->block, size);
    file->at = 0;
}

/* Has the file neither a block nor an event? */
static bool is_empty(const struct lttng_output_file *file)
{
    return file->last == 0 && file->at == 0 && os_seek(file->fd, 0, SEEK_CUR) == 0;
}

/* All blocks of a file have one size, but a block that is the only one is just as large as it needs to be: a trace of
 * many CPUs may have few events of each. */
static size_t last_size(const struct lttng_output_file *file)
{
    size_t pages = (file->at + LTTNG_PAGE - 1u) / LTTNG_PAGE;
    return os_seek(file->fd, 0, SEEK_CUR) == 0 ? pages * LTTNG_PAGE : (size_t)file->common.size;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void put(struct lttng_output_file *file, unsigned size, uint64_t value)
{
    lttng_put(file->block + file->at, size, file->common.big, value);
    file->at += size;
}

static void pad(struct lttng_output_file *file, unsigned size)
{
    uint32_t n = lttng_pad(file->at, size, file->common.alignment);
    memset(file->block + file->at, 0, n);
    file->at += n;
}

/* The header of an event: see event.c. */
static void put_header(struct lttng_output_file *file, uint32_t id, uint64_t tsc, size_t n)
{
    const struct lttng_block_header *common = &file->common;
    if (file->compact) {
        pad(file, 4);
        put(file, 4,
            (uint64_t)id << common->tscbits | (tsc >> common->truncate & ((UINT64_C(1) << common->tscbits) - 1u)));
        return;
    }
    pad(file, common->arch_size);
    put(file, common->heartbeat ? 4 : 8, tsc);
    if (common->family == LTTNG_SEED) {
        put(file, 1, id >> 8); /* facility and event, as in 0.x */
        put(file, 1, id & 0xFFu);
    } else {
        put(file, 2, id);
    }
    put(file, 2, n < LTTNG_SIZE_BY_FORMAT ? n : LTTNG_SIZE_BY_FORMAT);
    pad(file, common->arch_size);
}

/* The most bytes that an event of n bytes of payload takes, with its header and padding before and behind it. */
static size_t room_for(const struct lttng_output_file *file, size_t n)
{
    return n + HEADER_BYTES + 2u * (file->common.alignment ? file->common.arch_size - 1u : 0u);
}

static void put_event(struct lttng_output_file *file, uint32_t id, uint64_t tsc, const unsigned char *payload, size_t n)
{
    put_header(file, id, tsc, n);
    if (n > 0)
        memcpy(file->block + file->at, payload, n);
    file->at += (uint32_t)n;
    file->last = tsc;
}

static void put_heartbeat(struct lttng_output_file *file, uint64_t tsc)
{
    unsigned char payload[8];
    lttng_put(payload, 8, file->common.big, tsc);
    put_event(file, LTTNG_HEARTBEAT_64, tsc, payload, sizeof payload);
}

/* Has so much time passed since the last event that the bits of a stamp cannot show it? */
static bool is_far(const struct lttng_output_file *file, uint64_t tsc)
{
    unsigned bits = file->compact ? file->common.tscbits + file->common.truncate : 32u;
    return file->common.heartbeat && (tsc - file->last) >> bits != 0;
}

bool lttng_output_file_add(struct lttng_output_file *file, uint32_t id, uint64_t tsc, const unsigned char *payload,
                           size_t n)
{
    size_t room = room_for(file, n) + (file->common.heartbeat ? room_for(file, 8) : 0);
    bool first = is_empty(file);
    if (room > file->common.size - file->common.first)
        return false;
    if (file->at > 0 && room > file->common.size - file->at)
        write_block(file, (size_t)file->common.size);
    if (file->at == 0) {
        file->at = file->common.first;
        file->begin = file->last = tsc;
    }
    if (is_far(file, tsc) || (first && file->common.heartbeat))
        put_heartbeat(file, tsc);
    put_event(file, id, tsc, payload, n);
    return true;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

int lttng_output_file_open(struct lttng_output_file *file, int directory, const char *path)
{
    file->at = 0;
    file->common.first = LTTNG_HEADER_1_0 - (file->common.family == LTTNG_SEED ? 8u : 0u);
    file->block = heap_alloc((size_t)file->common.size);
    file->fd = os_create_in(directory, path);
    if (file->fd < 0)
        return trace_fail(file->trace, "%s: %s", path, strerror(errno));
    if (file->block == NULL)
        return trace_fail(file->trace, "no memory for a block of %llu bytes", (unsigned long long)file->common.size);
    return 0;
}

void lttng_output_file_drop(struct lttng_output_file *file)
{
    if (file->fd >= 0)
        os_close(file->fd);
    heap_free(file->block);
    file->block = NULL;
    file->fd = -1;
}

int lttng_output_file_close(struct lttng_output_file *file, uint64_t tsc)
{
    if (!file->trace->failed && is_empty(file))
        lttng_output_file_add(file, LTTNG_HEARTBEAT_32, tsc, NULL, 0);
    if (file->at > 0 && !file->trace->failed)
        write_block(file, last_size(file));
    if (!os_close(file->fd))
        trace_fail(file->trace, "cannot write: %s", strerror(errno));
    file->fd = -1;
    lttng_output_file_drop(file);
    return file->trace->failed ? -1 : 0;
}

/* Write the real time of the start that file->common has into all blocks of a file. Of *file only what is set before a
 * file is opened is used. 0, or -1 after trace_fail(). */
static int set_file_start(const struct lttng_output_file *file, int directory, const char *path)
{
    unsigned char start[LTTNG_START_MOST];
    size_t n = lttng_block_header_write_start(&file->common, start);
    int fd = os_open_to_write(directory, path);
    int64_t end = fd >= 0 ? os_seek(fd, 0, SEEK_END) : -1;
    int error = end < 0 ? errno : 0;
    for (uint64_t at = 0; error == 0 && at < (uint64_t)end; at += file->common.size)
        error = os_write_at(fd, start, n, at + LTTNG_START_AT);
    if (fd >= 0)
        os_close(fd);
    return error == 0 ? 0 : trace_fail(file->trace, "%s: %s", path, strerror(error));
}

/* Set what all headers of a file have in common. */
static void set_common(const struct lttng_output *output, struct lttng_output_file *file, bool compact)
{
    const struct lttng_options *options = &output->options;
    const struct trace *trace = output->trace;
    uint64_t hz = trace->clock_hz;
    struct lttng_block_header *common = &file->common;
    *file = (struct lttng_output_file){.trace = output->trace, .fd = -1, .compact = compact};
    file->arch_type = ARCH_ARM;
    common->family = options->seed ? LTTNG_SEED : LTTNG_MARKERS;
    common->big = options->big;
    common->heartbeat = options->heartbeat;
    common->arch_size = options->word;
    common->alignment = options->packed ? 0 : options->word;
    common->flight = options->flight;
    common->tscbits = options->compact ? COMPACT_STAMP : 32;
    common->data_shift = options->compact ? COMPACT_SHIFT : 0;
    common->freq_scale = hz % KHZ == 0 ? KHZ : 1u;
    common->start_freq = hz == 0 ? UNKNOWN_KHZ : hz / common->freq_scale;
    common->start_ns = output->start_ns;
    common->size = options->block;
}

/* A flight recorder overwrites all channels but facilities; their names show it. */
void lttng_output_path(const struct lttng_output *output, char *path, const char *directory, const char *channel,
                       unsigned number)
{
    bool flight = output->options.flight && strcmp(channel, "facilities") != 0;
    snprintf(path, LTTNG_OUTPUT_NAME, "%s%s%s_%u", directory, flight ? "flight-" : "", channel, number);
}

int lttng_output_open(const struct lttng_output *output, struct lttng_output_file *file, const char *directory,
                      const char *channel, unsigned number)
{
    char path[LTTNG_OUTPUT_NAME];
    lttng_output_path(output, path, directory, channel, number);
    set_common(output, file, strcmp(channel, "compact") == 0);
    return lttng_output_file_open(file, output->directory, path);
}

int lttng_output_set_start(const struct lttng_output *output, const char *channel, unsigned number)
{
    struct lttng_output_file file;
    struct os_status status;
    char path[LTTNG_OUTPUT_NAME];
    lttng_output_path(output, path, "", channel, number);
    if (!os_status_in(output->directory, path, false, &status))
        return 0;
    set_common(output, &file, false);
    return set_file_start(&file, output->directory, path);
}

/* ---- payloads ---------------------------------------------------------------------------------------------------- */

void lttng_output_number(struct lttng_output *output, unsigned size, uint64_t value)
{
    unsigned alignment = output->options.packed ? 0 : output->options.word;
    uint32_t pad = lttng_pad(output->n, size, alignment);
    if (output->n + pad + size > LTTNG_OUTPUT_PAYLOAD)
        return;
    memset(output->payload + output->n, 0, pad);
    output->n += pad;
    lttng_put(output->payload + output->n, size, output->options.big, value);
    output->n += size;
}

/* Add the first n bytes of a text, or those before a NUL among them, and a NUL. */
static void put_text(struct lttng_output *output, const void *text, size_t n)
{
    const unsigned char *end = n > 0 ? memchr(text, 0, n) : NULL;
    if (end != NULL)
        n = (size_t)(end - (const unsigned char *)text);
    if (output->n + n + 1u > LTTNG_OUTPUT_PAYLOAD)
        return;
    if (n > 0)
        memcpy(output->payload + output->n, text, n);
    output->payload[output->n + n] = '\0';
    output->n += n + 1u;
}

/* Add n bytes as a text in hex. */
static void put_bytes(struct lttng_output *output, const unsigned char *bytes, size_t n)
{
    if (output->n + 2u * n + 1u > LTTNG_OUTPUT_PAYLOAD)
        n = 0;
    hex_put((char *)output->payload + output->n, bytes, n);
    output->n += 2u * n;
    put_text(output, "", 0);
}

void lttng_output_text(struct lttng_output *output, const char *text)
{
    put_text(output, text, strlen(text));
}

/* A string's number leads to its text: offset and length, 16 bits each. A text that is not all in the payload is
 * empty. */
static void put_string(struct lttng_output *output, const struct tlog_event *event, uint32_t number)
{
    uint32_t offset = number & 0xFFFFu, length = number >> 16;
    bool is_there = offset <= event->size && length <= event->size - offset;
    put_text(output, event->data + (is_there ? offset : 0), is_there ? length : 0);
}

uint64_t lttng_output_field(const struct tlog_event *event, const struct tlog_field *field)
{
    return tlog_event_has(event, field) ? number_at(event->data + field->offset, field->size, false) : 0;
}

/* A field that is not all in the payload is 0, or an empty text. */
static void put_field(struct lttng_output *output, const struct tlog_event *event, const struct tlog_field *field)
{
    const unsigned char *data = event->data + field->offset;
    bool is_there = tlog_event_has(event, field);
    if (field->kind == TLOG_KIND_CHARS)
        put_text(output, data, is_there ? field->size : 0);
    else if (field->kind == TLOG_KIND_BYTES)
        put_bytes(output, data, is_there ? field->size : 0);
    else if (field->kind == TLOG_KIND_STRING)
        put_string(output, event, is_there ? get_le32(data) : 0);
    else
        lttng_output_number(output, field->size, lttng_output_field(event, field));
}

bool lttng_output_is_count(const struct tlog_type *type)
{
    return type->means == TLOG_MEANS_LOSS || type->means == TLOG_MEANS_DAMAGE;
}

void lttng_output_payload(struct lttng_output *output, const struct tlog_event *event)
{
    const struct tlog_type *type = output->trace->types[event->type];
    output->n = 0;
    if (lttng_output_is_count(type)) {
        lttng_output_number(output, 8, event->size >= 8u ? get_le64(event->data) : 0);
        return;
    }
    for (unsigned i = 0; i < type->nfields; i++)
        put_field(output, event, &type->fields[i]);
}
