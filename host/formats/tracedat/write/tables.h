/* tables.h - the parts of a trace.dat file that are neither pages nor options: the prologue, the description of a page,
 * the formats of events, symbols, format strings, names of tasks. All but the prologue are texts as the kernel's file
 * of that name has them. */
#ifndef TRACEDAT_WRITE_TABLES_H
#define TRACEDAT_WRITE_TABLES_H

#include "model/module.h"
#include "formats/tracedat/write/piece.h"

/* Add what all versions begin with: magic, version ("6" or "7"), byte order, bytes of a long and of a page. */
void tracedat_add_prologue(struct tracedat_piece *piece, const struct trace_options *options, const char *version);

/* Add the description of a page, and of the words on it. */
void tracedat_add_headers(struct tracedat_piece *piece, const struct trace_options *options);

/* Add the formats of all types of the system ftrace. */
void tracedat_add_ftrace_events(struct tracedat_piece *piece, const struct trace *trace);

/* Add the formats of all other types, and last that of the writer's own event, "end_of_trace". */
void tracedat_add_event_formats(struct tracedat_piece *piece, const struct trace *trace);

/* Add the firmware's symbols, the format strings that it logs by address, and the names of tasks. */
void tracedat_add_kallsyms(struct tracedat_piece *piece, const struct trace *trace);
void tracedat_add_printk(struct tracedat_piece *piece, const struct trace *trace);
void tracedat_add_cmdlines(struct tracedat_piece *piece, const struct trace *trace);

#endif
