/* save.c - see save.h. */
#include "decode/save.h"

#include "io/firmware.h"
#include "io/events_file.h"
#include "io/output.h"
#include "model/message.h"

static int save(struct trace *trace, const char *elf, struct output *output, const char *path)
{
    if (output_open(output, trace, path, false) != 0)
        return -1;
    if (output_replaces(output, elf))
        return trace_fail(trace, "%s: is the input, and stays as it is", output->name);
    if (events_file_write(trace, output->fd) != 0)
        return -1;
    return output_finish(output, trace);
}

enum decode_exit decode_save_events(const char *elf, const char *output, bool quiet)
{
    struct output to = {.fd = -1, .final_fd = -1};
    struct trace trace;
    struct firmware_file *firmware;
    enum decode_exit result = DECODE_WHOLE;
    trace_init(&trace, elf);
    trace.quiet = quiet;
    firmware = firmware_open(&trace, elf);
    if (firmware == NULL || save(&trace, elf, &to, output) != 0) {
        message("%s", trace.error);
        output_discard(&to);
        result = DECODE_NOTHING;
    }
    firmware_close(firmware);
    trace_free(&trace);
    return result;
}
