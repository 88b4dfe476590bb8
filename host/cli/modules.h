/* modules.h - the readers and writers there are, each defined in its format's folder.
 *
 * Of the decoder only cli/ includes this: modules never name each other.
 */
#ifndef CLI_MODULES_H
#define CLI_MODULES_H

#include "model/module.h"

extern const struct trace_reader reader_native;
extern const struct trace_reader reader_tracedat;
extern const struct trace_reader reader_shark;
extern const struct trace_reader reader_kev;
extern const struct trace_reader reader_lttng;

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
extern const struct trace_writer writer_vcd;
extern const struct trace_writer writer_vcd_wires;

/* Not among those below: their output is an answer, asked for by an option of its own. */
extern const struct trace_writer writer_stat;
extern const struct trace_writer writer_info;
extern const struct trace_writer writer_check;

/* All of them, up to a NULL, in the order of --list-formats. Of readers that are equally sure of an input the first one
 * gets it; of writers with the same suffix the first one gets outputs of such names. */
extern const struct trace_reader *const cli_readers[];
extern const struct trace_writer *const cli_writers[];

#endif
