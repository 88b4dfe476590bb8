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

#include "io/write_behind.h"

enum {
    MORE_ROOM = 16384,   /* for names and types that come later, beside a quarter of what is known */
    ROOM_PER_CPU = 512,  /* for its statistics and its place */
    MOVE_SIZE = 1 << 20, /* bytes moved at a time */
};

/* ---- the file ---------------------------------------------------------------------------------------------------- */

struct tracedat *tracedat_begin(struct trace *trace, const struct trace_options *options, int fd, uint64_t offset)
{
    bool timeless = (options->given & TRACE_OPTION_START_TIME) && trace->clock_hz == 0;
    struct tracedat *dat = timeless ? NULL : calloc(1, sizeof *dat);

    if (timeless)
        trace_fail(trace, "the clock's frequency is not known, so --start-time has no meaning; --clock-hz=N tells it");
    if (!dat) {
        trace_fail(trace, "no memory for writing trace.dat");
        return NULL;
    }
    dat->trace = trace;
    dat->options = options;
    dat->fd = fd;
    dat->ncpus = trace->ncpus;
    dat->text.big_endian = options->big_endian;
    if (offset == 0)
        return dat;
    dat->pages = tracedat_pages_open(trace, options, fd, offset);
    if (dat->pages && options->instances && trace->ngroups > 0)
        dat->split = tracedat_split_open(trace, options, fd);
    if (dat->pages && !trace->failed)
        return dat;
    tracedat_release(dat);
    return NULL;
}

int tracedat_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct tracedat *dat = writer;

    if (dat->split)
        return tracedat_split_write(dat->split, dat->pages, cpu, batch);
    return tracedat_pages_write(dat->pages, cpu, batch);
}

int tracedat_finish_pages(struct tracedat *dat, uint64_t *top, uint64_t *end)
{
    if (tracedat_pages_finish(dat->pages, top))
        return -1;
    *end = *top;
    return dat->split ? tracedat_split_finish(dat->split, end) : 0;
}

void tracedat_release(struct tracedat *dat)
{
    if (dat->pages)
        tracedat_pages_free(dat->pages);
    tracedat_split_free(dat->split);
    free(dat->text.bytes);
    free(dat);
}

int tracedat_put(struct tracedat *dat, const void *bytes, size_t size, uint64_t offset)
{
    int error = write_at(dat->fd, bytes, size, offset);

    return error ? trace_fail(dat->trace, "cannot write: %s", strerror(error)) : 0;
}

uint64_t tracedat_whole_pages(const struct trace_options *options, uint64_t size)
{
    uint64_t page = dat_page_size(options);

    return (size + page - 1) / page * page;
}

uint64_t tracedat_room(const struct trace *trace, const struct trace_options *options, uint64_t size)
{
    return tracedat_whole_pages(options, size + size / 4 + MORE_ROOM + trace->ncpus * (uint64_t)ROOM_PER_CPU);
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

/* Read exactly size bytes. 0, or -1 after trace_fail(). */
static int get(struct tracedat *dat, unsigned char *to, size_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t n = pread(dat->fd, to, size, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return trace_fail(dat->trace, "cannot read back: %s", n < 0 ? strerror(errno) : "the file is shorter");
        to += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return 0;
}

/* The last ones first, as the places overlap. */
int tracedat_move(struct tracedat *dat, uint64_t first, uint64_t end, uint64_t shift)
{
    unsigned char *buffer = malloc(MOVE_SIZE);
    int result = buffer ? 0 : trace_fail(dat->trace, "no memory for moving pages");

    while (result == 0 && end > first) {
        size_t size = end - first < MOVE_SIZE ? (size_t)(end - first) : MOVE_SIZE;

        end -= size;
        result = get(dat, buffer, size, end);
        if (result == 0)
            result = tracedat_put(dat, buffer, size, end + shift);
    }
    free(buffer);
    return result;
}

/* ---- headers ----------------------------------------------------------------------------------------------------- */

void tracedat_add_prologue(struct tracedat *dat, const char *version)
{
    struct dat_text *text = &dat->text;

    dat_add_text(text, "\x17\x08\x44tracing");
    dat_add_string(text, version);
    dat_add_bytes(text, dat->options->big_endian ? "\1" : "\0", 1);
    dat_add_bytes(text, dat_long_size(dat->options) == 4 ? "\4" : "\10", 1);
    dat_add_32(text, dat_page_size(dat->options));
}

static void add_header_page(struct dat_text *text, unsigned long_size, unsigned page_size)
{
    size_t at = text->used;
    unsigned data = 8 + long_size;

    dat_add_64(text, 0);
    dat_add_text(text, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
    dat_add_format(text, "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n", long_size);
    dat_add_text(text, "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n");
    dat_add_format(text, "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n", data, page_size - data);
    dat_set_size_64(text, at);
}

void tracedat_add_headers(struct tracedat *dat)
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
    struct dat_text *text = &dat->text;

    dat_add_string(text, "header_page");
    add_header_page(text, dat_long_size(dat->options), dat_page_size(dat->options));
    dat_add_string(text, "header_event");
    dat_add_64(text, sizeof event - 1);
    dat_add_text(text, event);
}

/* ---- symbols, formats, tasks ------------------------------------------------------------------------------------- */

/* A line: "address type name". The parser stops for good at a line without a name, and ends a name at a blank. */
static void add_symbol(struct dat_text *text, uint64_t address, char type, const char *name)
{
    size_t at;

    if (name[0] == '\0')
        return;
    dat_add_format(text, "%016" PRIx64 " %c ", address, type);
    at = text->used;
    dat_add_text(text, name);
    for (; at < text->used; at++)
        if (text->bytes[at] <= ' ' || text->bytes[at] > '~')
            text->bytes[at] = '_';
    dat_add_text(text, "\n");
}

/* Readers take an address for the symbol before it, but for the last symbol, of which they know no end. */
void tracedat_add_kallsyms(struct tracedat *dat)
{
    const struct trace_image *image = dat->trace->image;
    struct dat_text *text = &dat->text;
    size_t at = text->used;

    dat_add_32(text, 0);
    for (size_t i = 0; image && i < image->nsymbols; i++)
        add_symbol(text, image->symbols[i].address, image->symbols[i].type, image->symbols[i].name);
    if (image && image->nsymbols > 0) {
        const struct trace_symbol *last = &image->symbols[image->nsymbols - 1];

        add_symbol(text, last->address + (last->size ? last->size : 1), 'T', "_end_of_symbols");
    }
    dat_set_size_32(text, at);
}

/* As in a C string. Readers of a format know nothing but ASCII. */
static void add_escaped(struct dat_text *text, const char *format)
{
    static const char escaped[] = "\n\t\r\\\"";

    for (; *format; format++) {
        const char *escape = strchr(escaped, *format);

        if (escape)
            dat_add_format(text, "\\%c", "ntr\\\""[escape - escaped]);
        else
            dat_add_format(text, "%c", *format >= ' ' && *format <= '~' ? *format : '?');
    }
}

void tracedat_add_printk(struct tracedat *dat)
{
    const struct trace *trace = dat->trace;
    struct dat_text *text = &dat->text;
    size_t at = text->used;

    dat_add_32(text, 0);
    for (size_t i = 0; i < trace->nprintk; i++) {
        dat_add_format(text, "0x%" PRIx64 " : \"", trace->printk[i].address);
        add_escaped(text, trace->printk[i].format);
        dat_add_text(text, "\"\n");
    }
    dat_set_size_32(text, at);
}

/* The parser of these lines skips blanks before a name, and stops for good at a line that has none. */
static void add_task(void *ctx, uint32_t id, const char *name)
{
    name += strspn(name, " ");
    if (id != 0 && id <= INT32_MAX && name[0] != '\0')
        dat_add_format(ctx, "%" PRIu32 " %s\n", id, name);
}

void tracedat_add_cmdlines(struct tracedat *dat)
{
    size_t at = dat->text.used;

    dat_add_64(&dat->text, 0);
    trace_each_name(dat->trace, TRACE_NAME_TASK, add_task, &dat->text);
    dat_set_size_64(&dat->text, at);
}
