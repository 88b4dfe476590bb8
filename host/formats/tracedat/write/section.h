/* section.h - the sections of trace.dat version 7, while they are written. */
#ifndef TRACEDAT_WRITE_SECTION_H
#define TRACEDAT_WRITE_SECTION_H

#include "formats/tracedat/ids.h"
#include "formats/tracedat/write/writer.h"

enum { TRACEDAT_PROLOGUE_SIZE = 32 }; /* bytes, with name and version of the compression and the place of the options */

struct tracedat_sections;

/* The sections of a file are a table of these, in the order of the file. */
struct tracedat_section {
    enum tracedat_section_id id;
    const char *string; /* what it is called in the strings section, for people only */
    /* Adds its content to the piece; NULL: it is in the file already. */
    void (*fill)(struct tracedat_sections *sections);
    bool compressed; /* if the file is */
};

/* All sections of a file, while they are made. */
struct tracedat_sections {
    struct tracedat_writer *writer;
    const struct tracedat_section *table;
    unsigned n;                        /* of table */
    uint64_t base;                     /* offset in the file of writer->piece */
    uint64_t place[TRACEDAT_SECTIONS]; /* offset in the file of each section that was begun, by its id */
};

/* Add the content of a section that does not depend on where the events are. */
void tracedat_fill_headers(struct tracedat_sections *sections);
void tracedat_fill_ftrace_events(struct tracedat_sections *sections);
void tracedat_fill_event_formats(struct tracedat_sections *sections);
void tracedat_fill_kallsyms(struct tracedat_sections *sections);
void tracedat_fill_printk(struct tracedat_sections *sections);
void tracedat_fill_cmdlines(struct tracedat_sections *sections);
void tracedat_fill_strings(struct tracedat_sections *sections);

/* Add the content of the section of options: where sections 16 to 21 are, all options that describe the trace, and
 * those that add_buffer adds, which say where the events are. */
void tracedat_fill_options(struct tracedat_sections *sections, void (*add_buffer)(struct tracedat_sections *sections));

/* Add the whole prologue. The place of the options is that of their section, which was begun, or else is 0. */
void tracedat_add_prologue7(struct tracedat_sections *sections);

/* Add the header of a section. The caller adds its content, and sets its size by giving what is returned to
 * tracedat_set_size_64(). string: offset of its name in the strings section. */
size_t tracedat_begin_section(struct tracedat_sections *sections, enum tracedat_section_id id, bool compressed,
                              uint32_t string);

/* Add all sections of the table that are not in the file already. */
void tracedat_add_sections(struct tracedat_sections *sections);

#endif
