/* events_write.c - writes files of descriptions: see events_file.h. */
#include "base/crc32.h"
#include "io/events_file.h"
#include "io/output.h"
#include "model/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_bytes(FILE *to, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fprintf(to, "%02x", bytes[i]);
    fputc('\n', to);
}

static void put_text(FILE *to, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\\')
            fputs("\\\\", to);
        else if (*text == '\n')
            fputs("\\n", to);
        else if (*text < ' ' || *text > '~')
            fprintf(to, "\\x%02x", (unsigned char)*text);
        else
            fputc(*text, to);
    }
    fputc('\n', to);
}

static void put_descriptors(FILE *to, const struct trace_firmware *firmware)
{
    for (size_t i = 0; i < firmware->ndescriptors; i++) {
        const struct trace_descriptors *at = &firmware->descriptors[i];
        if (i < firmware->nsections)
            fputs("events ", to);
        else
            fprintf(to, "event 0x%" PRIx64 " ", at->address);
        put_bytes(to, at->bytes, at->size);
    }
}

/* All lines but the last one. */
static void put_lines(FILE *to, const struct trace *trace)
{
    const struct trace_firmware *firmware = trace->firmware;
    fputs("tlog-events 1\n", to);
    if (firmware->build_id_size > 0) {
        fputs("build-id ", to);
        put_bytes(to, firmware->build_id, firmware->build_id_size);
    }
    fprintf(to, "order %s\n", firmware->big_endian ? "big" : "little");
    for (size_t i = 0; i < firmware->nsegments; i++)
        fprintf(to, "segment 0x%" PRIx64 " 0x%" PRIx64 "\n", firmware->segments[i].address, firmware->segments[i].size);
    for (size_t i = 0; i < firmware->nsymbols; i++) {
        const struct trace_symbol *symbol = &firmware->symbols[i];
        fprintf(to, "symbol 0x%" PRIx64 " 0x%" PRIx64 " %c ", symbol->address, symbol->size, symbol->type);
        put_text(to, symbol->name);
    }
    for (size_t i = 0; i < trace->nprintk; i++) {
        fprintf(to, "format 0x%" PRIx64 " 0x%" PRIx64 " ", trace->printk[i].address, trace->printk[i].function);
        put_text(to, trace->printk[i].format);
    }
    put_descriptors(to, firmware);
    for (size_t i = 0; i < firmware->nhandlers; i++) {
        fprintf(to, "handler 0x%" PRIx32 " ", firmware->handlers[i].number);
        put_text(to, firmware->handlers[i].name);
    }
}

int events_file_write(struct trace *trace, int fd)
{
    char *text = NULL, last[32];
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    int result = -1;
    if (to != NULL) {
        put_lines(to, trace);
        if (fclose(to) == 0) {
            snprintf(last, sizeof last, "end 0x%" PRIx32 "\n", crc32_of((const unsigned char *)text, size));
            result = output_put(trace, fd, text, size) != 0 || output_put(trace, fd, last, strlen(last)) != 0;
        }
    }
    free(text);
    if (result < 0)
        trace_fail(trace, "no memory for the events");
    return result == 0 ? 0 : -1;
}
