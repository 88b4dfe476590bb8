/* output.h - the output of packets: a buffer and a file, whose bytes are compressed by gzip if the user wants that. */
#ifndef PERFETTO_OUTPUT_H
#define PERFETTO_OUTPUT_H

#include "model/trace.h"

#include <stddef.h>

struct perfetto_output {
    unsigned char *at, *end; /* next free byte of the buffer; the end of its room */
    struct perfetto_file *file;
};

/* fd and trace stay the caller's. False after trace_fail(). */
bool perfetto_output_open(struct perfetto_output *output, struct trace *trace, int fd, bool gzip);

/* Make room for that many bytes. 0, or -1 after trace_fail(). */
int perfetto_output_flush(struct perfetto_output *output, size_t bytes);

static inline int perfetto_output_need(struct perfetto_output *output, size_t bytes)
{
    return bytes <= (size_t)(output->end - output->at) ? 0 : perfetto_output_flush(output, bytes);
}

/* Write what is still in memory. 0, or -1 after trace_fail(). */
int perfetto_output_finish(struct perfetto_output *output);

/* Free the output. It may be all 0 instead of open. */
void perfetto_output_free(struct perfetto_output *output);

#endif
