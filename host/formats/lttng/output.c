/* output.c - a trace directory that is written: see output.h. */
#include "formats/lttng/output.h"

#include "base/bytes.h"
#include "base/printable.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COMPACT_STAMP 20u /* bits of time in the word of a compact event */
#define COMPACT_SHIFT 26u /* of the data in it: behind the time and 6 bits of id; data stay 0 */
#define KHZ           1000u
#define UNKNOWN_KHZ   1000000u /* what headers have for a clock of unknown frequency: ticks are ns */

#define ARCH_ARM 6u /* as a tracer calls the processor; a word's size and byte order are told besides */

/* ---- files ------------------------------------------------------------------------------------------------------- */

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

int lttng_output_restart(const struct lttng_output *output, const char *channel, unsigned number)
{
    struct lttng_output_file file;
    char path[LTTNG_OUTPUT_NAME];
    lttng_output_path(output, path, "", channel, number);
    if (faccessat(output->directory, path, F_OK, 0) != 0)
        return 0;
    set_common(output, &file, false);
    return lttng_output_file_restart(&file, output->directory, path);
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
static void put_string(struct lttng_output *output, const struct trace_event *event, uint32_t number)
{
    uint32_t offset = number & 0xFFFFu, length = number >> 16;
    bool is_there = offset <= event->size && length <= event->size - offset;
    put_text(output, event->data + (is_there ? offset : 0), is_there ? length : 0);
}

/* A field that is not all in the payload is 0, or an empty text. */
static void put_field(struct lttng_output *output, const struct trace_event *event, const struct trace_field *field)
{
    const unsigned char *data = event->data + field->offset;
    bool is_there = field->offset <= event->size && field->size <= event->size - field->offset;
    if (field->kind == TRACE_CHARS)
        put_text(output, data, is_there ? field->size : 0);
    else if (field->kind == TRACE_BYTES)
        put_bytes(output, data, is_there ? field->size : 0);
    else if (field->kind == TRACE_STRING)
        put_string(output, event, is_there ? get_le32(data) : 0);
    else
        lttng_output_number(output, field->size, is_there ? number_at(data, field->size, false) : 0);
}

bool lttng_output_is_count(const struct trace_type *type)
{
    return type->class == TRACE_LOSS || type->class == TRACE_DAMAGE;
}

void lttng_output_payload(struct lttng_output *output, const struct trace_event *event)
{
    const struct trace_type *type = output->trace->types[event->type];
    output->n = 0;
    if (lttng_output_is_count(type)) {
        lttng_output_number(output, 8, event->size >= 8u ? get_le64(event->data) : 0);
        return;
    }
    for (unsigned i = 0; i < type->nfields; i++)
        put_field(output, event, &type->fields[i]);
}
