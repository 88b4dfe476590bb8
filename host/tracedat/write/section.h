/* section.h - the sections of trace.dat version 7. Private to the trace.dat writers.
 *
 * Vocabulary
 *   section  id, string, size, content; all but the options are found through the options
 *   string   the name of a section, for people only; given as its offset in the strings section
 */
#ifndef TRACEDAT_WRITE_SECTION_H
#define TRACEDAT_WRITE_SECTION_H

#include "tracedat/write/file.h"

enum { TRACEDAT_PROLOGUE_SIZE = 32 }; /* with the names of the compression and the place of the options */

struct tracedat_sections;

/* A file's sections are a table of these, in order. */
struct tracedat_section {
    enum tracedat_section_id id;
    const char *string;
    void (*fill)(struct tracedat_sections *sections); /* NULL: it is in the file already */
    bool compressed;                         /* in a file that is */
};

/* A file's sections while they are made. */
struct tracedat_sections {
    struct tracedat_writer *writer;
    const struct tracedat_section *table;
    unsigned n;
    uint64_t base;            /* offset in the file of dat->text */
    uint64_t place[TRACEDAT_SECTIONS]; /* offset in the file of each so far */
};

/* Contents that do not depend on where the events are. */
void tracedat_fill_headers(struct tracedat_sections *sections);
void tracedat_fill_ftrace_events(struct tracedat_sections *sections);
void tracedat_fill_event_formats(struct tracedat_sections *sections);
void tracedat_fill_kallsyms(struct tracedat_sections *sections);
void tracedat_fill_printk(struct tracedat_sections *sections);
void tracedat_fill_cmdlines(struct tracedat_sections *sections);
void tracedat_fill_strings(struct tracedat_sections *sections);

/* Content of the options: where sections 16 to 21 are, all options that tell of the trace, and what add_buffer adds. */
void tracedat_fill_options(struct tracedat_sections *sections, void (*add_buffer)(struct tracedat_sections *sections));

/* The whole prologue, with the names of the compression and the place of the options. */
void tracedat_add_prologue7(struct tracedat_sections *sections);

/* A section's header; its size is set when what comes back is given to tracedat_set_size_64(). */
size_t tracedat_begin_section(struct tracedat_sections *sections, enum tracedat_section_id id, bool compressed, uint32_t string);

/* All sections that have something to fill them. */
void tracedat_add_sections(struct tracedat_sections *sections);

#endif
