/* formats.c - see formats.h. */
#include "cli/formats.h"

#include "base/text.h"
#include "cli/suggest.h"

#include <stddef.h>

const struct trace_writer *const cli_writers[] = {
    &writer_tracedat, &writer_tracedat6, &writer_tracedat_text, &writer_perfetto,  &writer_text,  &writer_text_full,
    &writer_shark,    &writer_kev,       &writer_lttng,         &writer_csv,       &writer_jsonl, &writer_columns,
    &writer_html,     &writer_ctf,       &writer_vcd,           &writer_vcd_wires, NULL};

const char *cli_format_meant(const char *word)
{
    static const struct {
        const char *viewer, *format;
    } viewers[] = {{"kernelshark", "trace.dat"},
                   {"trace-cmd", "trace.dat"},
                   {"dat", "trace.dat"},
                   {"gtkwave", "vcd"},
                   {"json", "jsonl"},
                   {"page", "html"},
                   {"pftrace", "perfetto"},
                   {"qnx", "kev"},
                   {"babeltrace", "ctf"},
                   {"tracecompass", "ctf"}};
    const char *names[sizeof cli_writers / sizeof cli_writers[0]];
    size_t n = 0;
    for (; cli_writers[n] != NULL; n++)
        names[n] = cli_writers[n]->name;
    for (size_t i = 0; i < sizeof viewers / sizeof viewers[0]; i++) {
        if (text_is(word, viewers[i].viewer))
            return viewers[i].format;
    }
    return cli_closest(word, names, n);
}
