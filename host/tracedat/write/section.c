/* section.c - see section.h. */
#include "tracedat/write/section.h"
#include "model/module.h"

#include <stdlib.h>
#include <string.h>

#include "tracedat/write/format.h"
#include "tracedat/write/compress.h"

/* ---- contents of the sections ----------------------------------------------------------------------------------- */

void tracedat_fill_headers(struct sections *sections)
{
    tracedat_add_headers(sections->dat);
}

void tracedat_fill_ftrace_events(struct sections *sections)
{
    tracedat_add_ftrace_events(&sections->dat->text, sections->dat->trace);
}

void tracedat_fill_event_formats(struct sections *sections)
{
    tracedat_add_event_formats(&sections->dat->text, sections->dat->trace);
}

void tracedat_fill_kallsyms(struct sections *sections)
{
    tracedat_add_kallsyms(sections->dat);
}

void tracedat_fill_printk(struct sections *sections)
{
    tracedat_add_printk(sections->dat);
}

void tracedat_fill_cmdlines(struct sections *sections)
{
    tracedat_add_cmdlines(sections->dat);
}

void tracedat_fill_strings(struct sections *sections)
{
    for (unsigned i = 0; i < sections->n; i++)
        dat_add_string(&sections->dat->text, sections->table[i].string);
}

void tracedat_fill_options(struct sections *sections, void (*add_buffer)(struct sections *sections))
{
    struct dat_text *text = &sections->dat->text;

    for (unsigned id = SECTION_HEADERS; id <= SECTION_CMDLINES; id++) {
        dat_add_16(text, (uint16_t)id);
        dat_add_32(text, 8);
        dat_add_64(text, sections->place[id]);
    }
    dat_add_16(text, OPTION_CPUCOUNT);
    dat_add_32(text, 4);
    dat_add_32(text, sections->dat->ncpus);
    tracedat_add_options(sections->dat);
    add_buffer(sections);
    dat_add_16(text, OPTION_DONE);
    dat_add_32(text, 8);
    dat_add_64(text, 0); /* there are no more */
}

void tracedat_add_prologue7(struct sections *sections)
{
    static const char *const methods[] = {"none", "zstd", "zlib"}; /* as enum trace_compression has them */
    struct tracedat *dat = sections->dat;

    tracedat_add_prologue(dat, "7");
    dat_add_string(&dat->text, methods[dat->options->compression]);
    dat_add_string(&dat->text, ""); /* of any version */
    dat_add_64(&dat->text, sections->place[SECTION_OPTIONS]);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

/* Compress what was added from at on; both its sizes come first. */
static void squeeze_from(struct tracedat *dat, size_t at)
{
    enum trace_compression method = dat->options->compression;
    struct dat_text *text = &dat->text;
    size_t size = text->used - at;
    size_t room = squeeze_bound(method, size);
    void *to = malloc(room);
    size_t used = to && !text->failed ? squeeze_bytes(method, to, room, text->bytes + at, size) : 0;

    if (used == 0) {
        text->failed = true;
    } else {
        text->used = at;
        dat_add_32(text, (uint32_t)used);
        dat_add_32(text, (uint32_t)size);
        dat_add_bytes(text, to, used);
    }
    free(to);
}

size_t tracedat_begin_section(struct sections *sections, enum section_id id, bool compressed, uint32_t string)
{
    struct dat_text *text = &sections->dat->text;

    sections->place[id] = sections->base + text->used;
    dat_add_16(text, (uint16_t)id);
    dat_add_16(text, compressed ? SECTION_COMPRESSED : 0);
    dat_add_32(text, string);
    dat_add_64(text, 0);
    return text->used - 8;
}

static void add_section(struct sections *sections, const struct section *section, uint32_t string)
{
    struct tracedat *dat = sections->dat;
    bool compressed = section->compressed && dat->options->compression != TRACE_COMPRESS_NONE;
    size_t at = tracedat_begin_section(sections, section->id, compressed, string);

    section->fill(sections);
    if (compressed)
        squeeze_from(dat, at + 8);
    dat_set_size_64(&dat->text, at);
}

void tracedat_add_sections(struct sections *sections)
{
    uint32_t string = 0;

    for (unsigned i = 0; i < sections->n; i++) {
        if (sections->table[i].fill)
            add_section(sections, &sections->table[i], string);
        string += (uint32_t)strlen(sections->table[i].string) + 1;
    }
}
