/* tables.h - sections 16 to 21 of a trace.dat file: the formats of events, symbols, texts of trace_printk(), names of
 * tasks. Version 6 has the same contents, one behind the other.
 *
 * The texts of formats are kept by the ids of their events. A format is parsed when its first event comes (type.h).
 */
#ifndef TRACEDAT_READ_TABLES_H
#define TRACEDAT_READ_TABLES_H

#include "base/cursor.h"
#include "model/trace.h"
#include "formats/tracedat/ids.h"
#include "formats/tracedat/read/decompress.h"
#include "formats/tracedat/read/format.h"

enum { TRACEDAT_TABLES = TRACEDAT_SECTION_CMDLINES - TRACEDAT_SECTION_HEADERS + 1 };

#define TRACEDAT_SECTION_SIZE_MAX (1u << 28) /* bytes of one section, not compressed, other than pages */

/* A text that events refer to by its address in the traced kernel. */
struct tracedat_printk_text {
    uint64_t address;
    const char *text; /* in the text of the section */
};

struct tracedat_printk {
    void *memory; /* with the text of the section */
    struct tracedat_printk_text *text;
    size_t n; /* of text, in order of address */
};

/* A format that has not been parsed yet. */
struct tracedat_format_text {
    const char *system;
    char *text;  /* NUL-terminated */
    size_t size; /* bytes of it */
    uint64_t at; /* offset in the input, of the text or of the compressed section with it; for messages */
};

/* All 0 to begin with, except budget. */
struct tracedat_tables {
    struct tracedat_budget *budget;
    unsigned char *section; /* the decompressed section that is being taken, or NULL; a table that keeps it sets this
                             * to NULL */
    struct tracedat_format_text **format; /* by the id of the event; NULL where there is none */
    uint32_t nformats;                    /* ids that format has room for */
    struct tracedat_common common;        /* of all records: tracedat_tables_learn_common() */
    struct tracedat_printk printk;
    void *kallsyms;                  /* memory with the section's text, to which the names of symbols point */
    char *lines;                     /* the section's text as it was, or NULL: there was no memory for it */
    struct trace_symbol *symbols;    /* the firmware's */
    struct trace_firmware firmware;  /* symbols only */
    unsigned commit_size;            /* bytes of the commit word: 4, 8, or 0 = not told */
    struct tracedat_system *systems; /* their names */
};

/* Take table `number`, 0 to 5, from the content of its section, TRACEDAT_SECTION_HEADERS + number. The cursor is bad
 * afterwards if the section is cut or wrong; what was read until then is kept. Damage in the lines is reported with
 * trace_damage(). */
void tracedat_tables_take(struct tracedat_tables *tables, struct trace *trace, unsigned number, struct cursor *cursor);

/* The name of a table, for messages. */
const char *tracedat_table_name(unsigned number);

/* Find the common fields, when all formats are there, by the first format that makes sense. Without one, they are taken
 * to lie where all kernels so far have them. */
void tracedat_tables_learn_common(struct tracedat_tables *tables, unsigned long_size);

/* The text of trace_printk() at an address, or NULL. It lives as long as the tables. */
const char *tracedat_printk_find(const struct tracedat_printk *printk, uint64_t address);

void tracedat_tables_free(struct tracedat_tables *tables);

#endif
