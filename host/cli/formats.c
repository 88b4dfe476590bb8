/* formats.c - see formats.h. */
#include "cli/formats.h"

#include <stddef.h>

const struct trace_reader *const cli_readers[] = {&reader_native, &reader_tracedat, &reader_shark,
                                                  &reader_kev,    &reader_lttng,    NULL};

const struct trace_writer *const cli_writers[] = {
    &writer_tracedat,  &writer_tracedat6, &writer_tracedat_text, &writer_perfetto,  &writer_text,
    &writer_text_full, &writer_shark,     &writer_kev,           &writer_lttng,     &writer_csv,
    &writer_jsonl,     &writer_ctf,       &writer_vcd,           &writer_vcd_wires, NULL};
