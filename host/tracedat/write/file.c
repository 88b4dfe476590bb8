/* file.c - what all versions of trace.dat have in common, but for the options: the file, and the texts that
 * stand beside the events. Each is in the words of the kernel's file of that name. */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "tracedat/write/file.h"
#include "model/module.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/behind.h"

enum {
    MORE_ROOM = 16384,   /* for names and types that come later, beside a quarter of what is known */
    ROOM_PER_CPU = 512,  /* for its statistics and its place */
    MOVE_SIZE = 1 << 20, /* bytes moved at a time */
};

/* ---- the file ---------------------------------------------------------------------------------------------------- */

struct tracedat_writer *tracedat_writer_open(struct trace *trace, const struct trace_options *options, int fd, uint64_t offset)
{
    bool timeless = (options->given & TRACE_OPTION_START_TIME) && trace->clock_hz == 0;
    struct tracedat_writer *writer = timeless ? NULL : calloc(1, sizeof *writer);

    if (timeless)
        trace_fail(trace, "the clock's frequency is not known, so --start-time has no meaning; --clock-hz=N tells it");
    if (!writer) {
        trace_fail(trace, "no memory for writing trace.dat");
        return NULL;
    }
    writer->trace = trace;
    writer->options = options;
    writer->fd = fd;
    writer->ncpus = trace->ncpus;
    writer->piece.big_endian = options->big_endian;
    if (offset == 0)
        return writer;
    writer->pages = tracedat_pages_open(trace, options, fd, offset);
    if (writer->pages && options->instances && trace->ngroups > 0)
        writer->instances = tracedat_instances_open(trace, options, fd);
    if (writer->pages && !trace->failed)
        return writer;
    tracedat_writer_free(writer);
    return NULL;
}

int tracedat_writer_write(void *state, unsigned cpu, const struct trace_batch *batch)
{
    struct tracedat_writer *writer = state;

    if (writer->instances)
        return tracedat_instances_write(writer->instances, writer->pages, cpu, batch);
    return tracedat_pages_write(writer->pages, cpu, batch);
}

int tracedat_writer_finish_pages(struct tracedat_writer *writer, uint64_t *top, uint64_t *end)
{
    if (tracedat_pages_finish(writer->pages, top))
        return -1;
    *end = *top;
    return writer->instances ? tracedat_instances_finish(writer->instances, end) : 0;
}

void tracedat_writer_free(struct tracedat_writer *writer)
{
    if (writer->pages)
        tracedat_pages_free(writer->pages);
    tracedat_instances_free(writer->instances);
    free(writer->piece.bytes);
    free(writer);
}

int tracedat_writer_put(struct tracedat_writer *writer, const void *bytes, size_t size, uint64_t offset)
{
    int error = write_at(writer->fd, bytes, size, offset);

    return error ? trace_fail(writer->trace, "cannot write: %s", strerror(error)) : 0;
}

uint64_t tracedat_whole_pages(const struct trace_options *options, uint64_t size)
{
    uint64_t page = tracedat_page_size(options);

    return (size + page - 1) / page * page;
}

uint64_t tracedat_head_room(const struct trace *trace, const struct trace_options *options, uint64_t size)
{
    return tracedat_whole_pages(options, size + size / 4 + MORE_ROOM + trace->ncpus * (uint64_t)ROOM_PER_CPU);
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

/* Read exactly size bytes. 0, or -1 after trace_fail(). */
static int get(struct tracedat_writer *writer, unsigned char *to, size_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t n = pread(writer->fd, to, size, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return trace_fail(writer->trace, "cannot read back: %s", n < 0 ? strerror(errno) : "the file is shorter");
        to += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return 0;
}

/* The last ones first, as the places overlap. */
int tracedat_writer_move(struct tracedat_writer *writer, uint64_t first, uint64_t end, uint64_t shift)
{
    unsigned char *buffer = malloc(MOVE_SIZE);
    int result = buffer ? 0 : trace_fail(writer->trace, "no memory for moving pages");

    while (result == 0 && end > first) {
        size_t size = end - first < MOVE_SIZE ? (size_t)(end - first) : MOVE_SIZE;

        end -= size;
        result = get(writer, buffer, size, end);
        if (result == 0)
            result = tracedat_writer_put(writer, buffer, size, end + shift);
    }
    free(buffer);
    return result;
}

/* ---- headers ----------------------------------------------------------------------------------------------------- */

void tracedat_add_prologue(struct tracedat_writer *writer, const char *version)
{
    struct tracedat_piece *piece = &writer->piece;

    tracedat_add_text(piece, "\x17\x08\x44tracing");
    tracedat_add_string(piece, version);
    tracedat_add_bytes(piece, writer->options->big_endian ? "\1" : "\0", 1);
    tracedat_add_bytes(piece, tracedat_long_size(writer->options) == 4 ? "\4" : "\10", 1);
    tracedat_add_32(piece, tracedat_page_size(writer->options));
}

static void add_header_page(struct tracedat_piece *piece, unsigned long_size, unsigned page_size)
{
    size_t at = piece->used;
    unsigned data = 8 + long_size;

    tracedat_add_64(piece, 0);
    tracedat_add_text(piece, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
    tracedat_add_format(piece, "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n", long_size);
    tracedat_add_text(piece, "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n");
    tracedat_add_format(piece, "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n", data, page_size - data);
    tracedat_set_size_64(piece, at);
}

void tracedat_add_headers(struct tracedat_writer *writer)
{
    static const char event[] = "# compressed entry header\n"
                                "\ttype_len    :    5 bits\n"
                                "\ttime_delta  :   27 bits\n"
                                "\tarray       :   32 bits\n"
                                "\n"
                                "\tpadding     : type == 29\n"
                                "\ttime_extend : type == 30\n"
                                "\ttime_stamp : type == 31\n"
                                "\tdata max type_len  == 28\n";
    struct tracedat_piece *piece = &writer->piece;

    tracedat_add_string(piece, "header_page");
    add_header_page(piece, tracedat_long_size(writer->options), tracedat_page_size(writer->options));
    tracedat_add_string(piece, "header_event");
    tracedat_add_64(piece, sizeof event - 1);
    tracedat_add_text(piece, event);
}

/* ---- symbols, formats, tasks ------------------------------------------------------------------------------------- */

/* A line: "address type name". The parser stops for good at a line without a name, and ends a name at a blank. */
static void add_symbol(struct tracedat_piece *piece, uint64_t address, char type, const char *name)
{
    size_t at;

    if (name[0] == '\0')
        return;
    tracedat_add_format(piece, "%016" PRIx64 " %c ", address, type);
    at = piece->used;
    tracedat_add_text(piece, name);
    for (; at < piece->used; at++)
        if (piece->bytes[at] <= ' ' || piece->bytes[at] > '~')
            piece->bytes[at] = '_';
    tracedat_add_text(piece, "\n");
}

/* Readers take an address for the symbol before it, but for the last symbol, of which they know no end. */
void tracedat_add_kallsyms(struct tracedat_writer *writer)
{
    const struct trace_image *image = writer->trace->image;
    struct tracedat_piece *piece = &writer->piece;
    size_t at = piece->used;

    tracedat_add_32(piece, 0);
    for (size_t i = 0; image && i < image->nsymbols; i++)
        add_symbol(piece, image->symbols[i].address, image->symbols[i].type, image->symbols[i].name);
    if (image && image->nsymbols > 0) {
        const struct trace_symbol *last = &image->symbols[image->nsymbols - 1];

        add_symbol(piece, last->address + (last->size ? last->size : 1), 'T', "_end_of_symbols");
    }
    tracedat_set_size_32(piece, at);
}

/* As in a C string. Readers of a format know nothing but ASCII. */
static void add_escaped(struct tracedat_piece *piece, const char *format)
{
    static const char escaped[] = "\n\t\r\\\"";

    for (; *format; format++) {
        const char *escape = strchr(escaped, *format);

        if (escape)
            tracedat_add_format(piece, "\\%c", "ntr\\\""[escape - escaped]);
        else
            tracedat_add_format(piece, "%c", *format >= ' ' && *format <= '~' ? *format : '?');
    }
}

void tracedat_add_printk(struct tracedat_writer *writer)
{
    const struct trace *trace = writer->trace;
    struct tracedat_piece *piece = &writer->piece;
    size_t at = piece->used;

    tracedat_add_32(piece, 0);
    for (size_t i = 0; i < trace->nprintk; i++) {
        tracedat_add_format(piece, "0x%" PRIx64 " : \"", trace->printk[i].address);
        add_escaped(piece, trace->printk[i].format);
        tracedat_add_text(piece, "\"\n");
    }
    tracedat_set_size_32(piece, at);
}

/* The parser of these lines skips blanks before a name, and stops for good at a line that has none. */
static void add_task(void *ctx, uint32_t id, const char *name)
{
    name += strspn(name, " ");
    if (id != 0 && id <= INT32_MAX && name[0] != '\0')
        tracedat_add_format(ctx, "%" PRIu32 " %s\n", id, name);
}

void tracedat_add_cmdlines(struct tracedat_writer *writer)
{
    size_t at = writer->piece.used;

    tracedat_add_64(&writer->piece, 0);
    trace_each_name(writer->trace, TRACE_NAME_TASK, add_task, &writer->piece);
    tracedat_set_size_64(&writer->piece, at);
}
