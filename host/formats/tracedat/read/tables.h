/* tables.h - what the sections of a trace.dat file say that are not pages: sections 16 to 21 of version 7, which
 * version 6 has one behind the other. They hold the formats of events, symbols, texts of trace_printk() and names of
 * tasks.
 *
 * The texts of formats are only kept by their ids; a format is parsed when the first event of it comes (type.h).
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
    const char *text; /* in the section's */
};

struct tracedat_printk {
    void *memory; /* with the section's text, which the texts are in */
    struct tracedat_printk_text *text;
    size_t n; /* of text, in order of address */
};

/* A format that has not been parsed yet. */
struct tracedat_format_text {
    const char *system;
    char *text;  /* NUL-terminated */
    size_t size; /* bytes of it */
    uint64_t at; /* offset in the input, or of the section that was compressed; for messages */
};

/* All 0 to begin with, but for budget. */
struct tracedat_tables {
    struct tracedat_budget *budget;
    unsigned char *section; /* the decompressed section that is being taken, or NULL; a table that keeps it sets NULL */
    struct tracedat_format_text **format; /* by the id of the event; NULL where there is none */
    uint32_t nformats;                    /* ids that format has room for */
    struct tracedat_common common;        /* of all records; see tracedat_tables_learn_common() */
    struct tracedat_printk printk;
    void *kallsyms;                  /* memory with the section's text, which the names of symbols are in */
    struct trace_symbol *symbols;    /* the firmware's */
    struct trace_firmware firmware;  /* symbols only */
    unsigned commit_size;            /* bytes of the commit word: 4, 8, or 0 = not told */
    struct tracedat_system *systems; /* their names */
};

/* Take the table of the section TRACEDAT_SECTION_HEADERS + number from its content. A cursor that is bad afterwards
 * means that the section is cut or wrong; what was read before that is kept. Damage is told with trace_damage(). */
void tracedat_tables_take(struct tracedat_tables *tables, struct trace *trace, unsigned number, struct cursor *cursor);

/* What a table is called in messages. */
const char *tracedat_table_name(unsigned number);

/* Find the common fields, when all formats are there: those of the format with the lowest id that makes sense. Without
 * any, they are taken to lie where they do in all kernels so far. */
void tracedat_tables_learn_common(struct tracedat_tables *tables, unsigned long_size);

/* The text at an address, or NULL. It lives as long as the tables. */
const char *tracedat_printk_find(const struct tracedat_printk *printk, uint64_t address);

void tracedat_tables_free(struct tracedat_tables *tables);

#endif
