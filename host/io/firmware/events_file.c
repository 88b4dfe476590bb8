/* events_file.c - see events_file.h. The whole file is read into memory; texts are changed where they stand. */
#include "io/firmware/events_file.h"

#include "base/heap.h"
#include "base/crc32.h"
#include "base/sort.h"
#include "base/text.h"
#include "io/firmware/elf.h"
#include "io/output.h"
#include "os/os_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST     "tlog-events 1\n"
#define SIZE_MOST (64 << 20) /* bytes of a file */
#define ID_MOST   64u        /* bytes of a build id */

struct events_file {
    struct trace *trace;
    struct trace_firmware *firmware;
    const char *path;
    char *text; /* size bytes, and a NUL */
    size_t size, lines;
    bool failed;
    struct trace_symbol *symbols;
    struct trace_segment *segments;
    struct trace_printk *formats;
    size_t nformats;
    struct trace_descriptors *descriptors;
    struct trace_handler handlers[ELF_VECTORS_MOST];
    struct trace_ring rings[ELF_RINGS_MAX];
};

bool events_file_is(const char *bytes, size_t n)
{
    size_t word = sizeof FIRST - 2u;
    return n > word + 1u && memcmp(bytes, FIRST, word) == 0
           && (bytes[word] == '\n' || (bytes[word] == '\r' && bytes[word + 1u] == '\n'));
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static int digit(char c)
{
    const char *digits = "0123456789abcdef", *at = c != '\0' ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* Replace pairs of hexadecimal digits by their bytes, in place. Returns how many bytes; 0: there are none, or other
 * characters. */
static size_t take_bytes(char *text)
{
    size_t n = 0;
    for (; text[2u * n] != '\0'; n++) {
        int high = digit(text[2u * n]), low = digit(text[2u * n + 1u]);
        if (high < 0 || low < 0)
            return 0;
        text[n] = (char)(high << 4 | low);
    }
    return n;
}

/* Replace escapes by the characters that they mean, in place. False: there are other escapes. */
static bool take_text(char *text)
{
    char *to = text;
    for (; *text != '\0'; text++) {
        if (*text != '\\') {
            *to++ = *text;
        } else if (text[1] == 'x' && digit(text[2]) >= 0 && digit(text[3]) >= 0) {
            *to++ = (char)(digit(text[2]) << 4 | digit(text[3]));
            text += 3;
        } else if (text[1] == '\\' || text[1] == 'n') {
            *to++ = *++text == 'n' ? '\n' : '\\';
        } else {
            return false;
        }
    }
    *to = '\0';
    return true;
}

/* The number at *at, which goes behind it and a blank. */
static uint64_t take_number(char **at, bool *good)
{
    char *end = *at;
    uint64_t number = 0;
    *good = *good && strncmp(*at, "0x", 2) == 0 && digit((*at)[2]) >= 0;
    if (*good)
        number = strtoull(*at, &end, 16);
    *good = *good && (*end == ' ' || *end == '\0');
    *at = end + (*end == ' ');
    return number;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* The functions below take the rest of a line behind its first word. False: it is damaged. */

static bool take_build_id(struct events_file *file, char *at)
{
    file->firmware->build_id = (const unsigned char *)at;
    file->firmware->build_id_size = take_bytes(at);
    return file->firmware->build_id_size > 0 && file->firmware->build_id_size <= ID_MOST;
}

static bool take_order(struct events_file *file, char *at)
{
    file->firmware->big_endian = strcmp(at, "big") == 0;
    return file->firmware->big_endian || strcmp(at, "little") == 0;
}

static bool take_segment(struct events_file *file, char *at)
{
    struct trace_segment *to = &file->segments[file->firmware->nsegments];
    bool good = true;
    to->address = take_number(&at, &good);
    to->size = take_number(&at, &good);
    to->name = file->path;
    file->firmware->nsegments += good;
    return good && *at == '\0';
}

static bool take_symbol(struct events_file *file, char *at)
{
    struct trace_symbol *to = &file->symbols[file->firmware->nsymbols];
    bool good = true;
    to->address = take_number(&at, &good);
    to->size = take_number(&at, &good);
    if (!good || strchr("TtWVDdBbRr", *at) == NULL || at[0] == '\0' || at[1] != ' ')
        return false;
    to->type = *at;
    to->name = at + 2;
    if (to->size > UINT64_MAX - to->address)
        return false;
    file->firmware->nsymbols++;
    return take_text(at + 2) && elf_shows_name(at + 2);
}

static bool take_format(struct events_file *file, char *at)
{
    struct trace_printk *to = &file->formats[file->nformats];
    bool good = true;
    to->address = take_number(&at, &good);
    to->function = take_number(&at, &good);
    to->format = at;
    file->nformats++;
    return good && take_text(at);
}

static bool add_descriptors(struct events_file *file, uint64_t address, char *digits)
{
    size_t n = take_bytes(digits);
    file->descriptors[file->firmware->ndescriptors++] =
        (struct trace_descriptors){address, (const unsigned char *)digits, n};
    return n > 0;
}

/* Sections come ahead of descriptors that have addresses. */
static bool take_events(struct events_file *file, char *at)
{
    bool good = file->firmware->nsections == file->firmware->ndescriptors;
    file->firmware->nsections++;
    return good && add_descriptors(file, 0, at);
}

static bool take_event(struct events_file *file, char *at)
{
    bool good = true;
    uint64_t address = take_number(&at, &good);
    return good && add_descriptors(file, address, at);
}

/* Numbers rise, so there are no more than there is room for. */
static bool take_handler(struct events_file *file, char *at)
{
    struct trace_handler *to = &file->handlers[file->firmware->nhandlers];
    uint64_t least = file->firmware->nhandlers > 0 ? to[-1].number + 1u : ELF_VECTORS_FIRST;
    bool good = true;
    uint64_t number = take_number(&at, &good);
    if (!good || number < least || number >= ELF_VECTORS_MOST || !take_text(at) || !elf_shows_name(at))
        return false;
    to->number = (uint32_t)number;
    snprintf(to->name, sizeof to->name, "%s", at);
    file->firmware->nhandlers++;
    return true;
}

/* Addresses rise, and no two rings share memory. */
static bool take_ring(struct events_file *file, char *at)
{
    struct trace_ring *to = &file->rings[file->firmware->nrings];
    uint32_t *const words[] = {&to->banks,     &to->format, &to->place,      &to->slots,
                               &to->emergency, &to->freq,   &to->coarse_freq};
    bool good = file->firmware->nrings < ELF_RINGS_MAX;
    if (!good)
        return false;
    to->address = take_number(&at, &good);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        uint64_t number = take_number(&at, &good);
        good = good && number <= UINT32_MAX;
        *words[i] = (uint32_t)number;
    }
    if (good && *at != '\0') {
        to->needs = (uint32_t)take_number(&at, &good);
        good = good && to->needs != 0;
    }
    good = good && *at == '\0' && elf_complete_ring(to)
           && (file->firmware->nrings == 0 || to->address >= trace_ring_end(&to[-1]));
    file->firmware->nrings += good;
    return good;
}

static const struct {
    const char *word;
    bool (*take)(struct events_file *file, char *at);
} lines[] = {
    {"build-id ", take_build_id}, {"order ", take_order},     {"segment ", take_segment},
    {"symbol ", take_symbol},     {"format ", take_format},   {"events ", take_events},
    {"event ", take_event},       {"handler ", take_handler}, {"ring ", take_ring},
};

static bool take_line(struct events_file *file, char *line)
{
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (strncmp(line, lines[i].word, strlen(lines[i].word)) == 0)
            return lines[i].take(file, line + strlen(lines[i].word));
    }
    return true;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Read the whole file. 0, or -1 after trace_fail(). */
static int read_all(struct events_file *file, int fd)
{
    struct os_status status;
    int error;
    if (!os_status_of(fd, &status))
        return trace_fail(file->trace, "%s: %s", file->path, strerror(errno));
    if (status.size > SIZE_MOST)
        return trace_fail(file->trace, "%s: larger than a file of events may be", file->path);
    file->text = heap_alloc((size_t)status.size + 1u);
    if (file->text == NULL)
        return trace_fail(file->trace, "%s: no memory for what is in it", file->path);
    file->size = os_read_at(fd, 0, file->text, (size_t)status.size, &error);
    file->text[file->size] = '\0';
    return error == 0 ? 0 : trace_fail(file->trace, "%s: %s", file->path, strerror(error));
}

/* Take out what Windows' editors, and git there, put ahead of the end of a line. */
static void drop_returns(struct events_file *file)
{
    size_t n = 0;
    for (size_t i = 0; i < file->size; i++) {
        if (file->text[i] != '\r' || file->text[i + 1u] != '\n')
            file->text[n++] = file->text[i];
    }
    file->text[file->size = n] = '\0';
}

/* Check the CRC in the last line, and cut that line off. False: it is wrong, or there is a NUL in the file. */
static bool check(struct events_file *file)
{
    char *last;
    unsigned long crc;
    if (file->size < 2u || strlen(file->text) != file->size || file->text[file->size - 1u] != '\n')
        return false;
    file->text[file->size - 1u] = '\0';
    last = strrchr(file->text, '\n');
    if (last == NULL || strncmp(last + 1, "end 0x", 6) != 0)
        return false;
    crc = strtoul(last + 7, NULL, 16);
    last[1] = '\0';
    for (const char *c = file->text; *c != '\0'; c++)
        file->lines += *c == '\n';
    return crc == crc32_of((const unsigned char *)file->text, (size_t)(last + 1 - file->text));
}

/* Get memory for as many of everything as there are lines. */
static bool allocate(struct events_file *file)
{
    file->symbols = heap_calloc(file->lines + 1u, sizeof *file->symbols);
    file->segments = heap_calloc(file->lines + 1u, sizeof *file->segments);
    file->formats = heap_calloc(file->lines + 1u, sizeof *file->formats);
    file->descriptors = heap_calloc(file->lines + 1u, sizeof *file->descriptors);
    return file->symbols != NULL && file->segments != NULL && file->formats != NULL && file->descriptors != NULL;
}

/* For sort(): all that is sorted begins with its address. */
static int address_order(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* Sort all by address, as searches need it, and let the trace and its firmware point to it. */
static void finish(struct events_file *file)
{
    struct trace_firmware *firmware = file->firmware;
    sort(file->symbols, firmware->nsymbols, sizeof *file->symbols, address_order);
    sort(file->segments, firmware->nsegments, sizeof *file->segments, address_order);
    sort(file->formats, file->nformats, sizeof *file->formats, address_order);
    sort(file->descriptors + firmware->nsections, firmware->ndescriptors - firmware->nsections,
         sizeof *file->descriptors, address_order);
    firmware->symbols = file->symbols;
    firmware->segments = file->segments;
    firmware->descriptors = file->descriptors;
    firmware->handlers = file->handlers;
    firmware->rings = file->rings;
    firmware->has_formats = file->nformats > 0;
    file->trace->printk = file->formats;
    file->trace->nprintk = file->nformats;
}

static bool take_lines(struct events_file *file)
{
    bool good;
    char *next;
    drop_returns(file);
    good = events_file_is(file->text, file->size) && check(file);
    if (!good)
        return false;
    if (!allocate(file)) {
        trace_fail(file->trace, "%s: no memory for what is in it", file->path);
        return false;
    }
    for (char *line = file->text; good && *line != '\0'; line = next) {
        next = strchr(line, '\n');
        if (next == NULL)
            return false;
        *next++ = '\0';
        good = take_line(file, line);
    }
    return good;
}

struct events_file *events_file_open(struct trace *trace, const char *path, int fd, struct trace_firmware *firmware)
{
    struct events_file *file = heap_calloc(1, sizeof *file);
    if (file == NULL) {
        trace_fail(trace, "%s: no memory", path);
        return NULL;
    }
    file->trace = trace;
    file->path = path;
    file->firmware = firmware;
    if (read_all(file, fd) == 0 && take_lines(file)) {
        finish(file);
        return file;
    }
    trace_fail(trace, "%s: damaged: its check is wrong, or a line of it makes no sense", path);
    events_file_close(file);
    return NULL;
}

void events_file_close(struct events_file *file)
{
    if (file == NULL)
        return;
    heap_free(file->text);
    heap_free(file->symbols);
    heap_free(file->segments);
    heap_free(file->formats);
    heap_free(file->descriptors);
    heap_free(file);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put_bytes(struct growing_text *to, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_add(to, "%02x", bytes[i]);
    text_add(to, "\n");
}

static void put_text(struct growing_text *to, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\\')
            text_add(to, "\\\\");
        else if (*text == '\n')
            text_add(to, "\\n");
        else if (*text < ' ' || *text > '~')
            text_add(to, "\\x%02x", (unsigned char)*text);
        else
            text_add(to, "%c", *text);
    }
    text_add(to, "\n");
}

static void put_descriptors(struct growing_text *to, const struct trace_firmware *firmware)
{
    for (size_t i = 0; i < firmware->ndescriptors; i++) {
        const struct trace_descriptors *at = &firmware->descriptors[i];
        if (i < firmware->nsections)
            text_add(to, "events ");
        else
            text_add(to, "event 0x%" PRIx64 " ", at->address);
        put_bytes(to, at->bytes, at->size);
    }
}

static void put_rings(struct growing_text *to, const struct trace_firmware *firmware)
{
    for (size_t i = 0; i < firmware->nrings; i++) {
        const struct trace_ring *ring = &firmware->rings[i];
        const uint32_t words[] = {ring->banks,     ring->format, ring->place,      ring->slots,
                                  ring->emergency, ring->freq,   ring->coarse_freq};
        text_add(to, "ring 0x%" PRIx64, ring->address);
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
            text_add(to, " 0x%" PRIx32, words[k]);
        if (ring->needs != 0)
            text_add(to, " 0x%" PRIx32, ring->needs);
        text_add(to, "\n");
    }
}

/* All lines but the last one. */
static void put_lines(struct growing_text *to, const struct trace *trace)
{
    const struct trace_firmware *firmware = trace->firmware;
    text_add(to, FIRST);
    if (firmware->build_id_size > 0) {
        text_add(to, "build-id ");
        put_bytes(to, firmware->build_id, firmware->build_id_size);
    }
    text_add(to, "order %s\n", firmware->big_endian ? "big" : "little");
    for (size_t i = 0; i < firmware->nsegments; i++)
        text_add(to, "segment 0x%" PRIx64 " 0x%" PRIx64 "\n", firmware->segments[i].address,
                 firmware->segments[i].size);
    for (size_t i = 0; i < firmware->nsymbols; i++) {
        const struct trace_symbol *symbol = &firmware->symbols[i];
        text_add(to, "symbol 0x%" PRIx64 " 0x%" PRIx64 " %c ", symbol->address, symbol->size, symbol->type);
        put_text(to, symbol->name);
    }
    for (size_t i = 0; i < trace->nprintk; i++) {
        text_add(to, "format 0x%" PRIx64 " 0x%" PRIx64 " ", trace->printk[i].address, trace->printk[i].function);
        put_text(to, trace->printk[i].format);
    }
    put_descriptors(to, firmware);
    for (size_t i = 0; i < firmware->nhandlers; i++) {
        text_add(to, "handler 0x%" PRIx32 " ", firmware->handlers[i].number);
        put_text(to, firmware->handlers[i].name);
    }
    put_rings(to, firmware);
}

int events_file_write(struct trace *trace, int fd)
{
    struct growing_text text = {0};
    int result;
    put_lines(&text, trace);
    text_add(&text, "end 0x%" PRIx32 "\n", crc32_of((const unsigned char *)text.bytes, text.n));
    result = text.failed ? trace_fail(trace, "no memory for the events") : output_put(trace, fd, text.bytes, text.n);
    heap_free(text.bytes);
    return result;
}
