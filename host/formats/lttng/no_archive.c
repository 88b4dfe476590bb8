/* no_archive.c - what is done with an archive in a build without libarchive: see table.h. */
#include "formats/lttng/table.h"
#include "model/trace.h"

bool lttng_archive_probe(struct input *in)
{
    return lttng_table_is_archive(in);
}

int lttng_archive_open(struct lttng_files *files, struct trace *trace, struct input *in)
{
    (void)files, (void)in;
    return trace_fail(trace, "%s: an archive: this program was built without libarchive; unpack it first",
                      trace->input_name);
}
