/* tables.h - the prologue of a trace.dat file, and what stands beside its events: the description of its pages,
 * symbols, texts of trace_printk(), names of tasks. Each is in the words of the kernel's file of that name. */
#ifndef TRACEDAT_WRITE_TABLES_H
#define TRACEDAT_WRITE_TABLES_H

#include "model/module.h"
#include "formats/tracedat/write/piece.h"

/* Add what all versions begin with: magic, version ("6" or "7"), byte order, bytes of a long and of a page. */
void tracedat_add_prologue(struct tracedat_piece *piece, const struct trace_options *options, const char *version);

/* Add the description of a page and of the words on it. */
void tracedat_add_headers(struct tracedat_piece *piece, const struct trace_options *options);

/* Add the firmware's symbols, the formats that it logs by address, and the names of tasks. */
void tracedat_add_kallsyms(struct tracedat_piece *piece, const struct trace *trace);
void tracedat_add_printk(struct tracedat_piece *piece, const struct trace *trace);
void tracedat_add_cmdlines(struct tracedat_piece *piece, const struct trace *trace);

#endif
