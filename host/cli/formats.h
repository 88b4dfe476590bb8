/* formats.h - the table of all writers. Each is defined in the folder of its format. Readers: library/readers.h.
 *
 * Only cli/ includes this, so no other part of the decoder depends on a format.
 */
#ifndef CLI_FORMATS_H
#define CLI_FORMATS_H

#include "library/readers.h"

extern const struct trace_writer writer_tracedat;
extern const struct trace_writer writer_tracedat6;
extern const struct trace_writer writer_tracedat_text;
extern const struct trace_writer writer_perfetto;
extern const struct trace_writer writer_text;
extern const struct trace_writer writer_text_full;
extern const struct trace_writer writer_shark;
extern const struct trace_writer writer_kev;
extern const struct trace_writer writer_lttng;
extern const struct trace_writer writer_csv;
extern const struct trace_writer writer_jsonl;
extern const struct trace_writer writer_ctf;
extern const struct trace_writer writer_columns;
extern const struct trace_writer writer_html;
extern const struct trace_writer writer_vcd;
extern const struct trace_writer writer_vcd_wires;

/* The writers of --stat, --info and --check. --format does not offer them, so they are not in the table. */
extern const struct trace_writer writer_stat;
extern const struct trace_writer writer_info;
extern const struct trace_writer writer_check;

/* The table ends with NULL and has the order of --list-formats. The order also decides ties: if several writers have
 * the suffix of an output, the first one is taken. */
extern const struct trace_writer *const cli_writers[];

/* The output format that the user meant by a word that is none: the word is a viewer's name, or like a format's. NULL:
 * none is known. */
const char *cli_format_meant(const char *word);

#endif
