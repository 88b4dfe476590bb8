/* statedump.c - see statedump.h. Viewers know the name of a task that never ran only from here. What a task did before
 * the first event is not known, so its status is 0. metadata.c describes the fields to readers. */
#include "formats/ctf/statedump.h"

#include "base/bytes.h"

#include <string.h>

#define COMMON_BYTES 13u /* task 0, "<idle>" without a name, and so on: as put_common() of writer.c puts them */
#define STATE_BYTES  64u

/* Begin an event; the fields that every event bears are empty. */
static unsigned char *begin(struct ctf_output *output, unsigned id)
{
    unsigned char *to = ctf_stream_begin(&output->stream, id, output->stream.first, COMMON_BYTES + STATE_BYTES);
    size_t size = output->has_groups ? 10u : 8u; /* task, no name, context, flags, group */
    if (to == NULL)
        return NULL;
    memset(to, 0, size);
    return to + size;
}

static void put_empty(struct ctf_output *output, unsigned id)
{
    unsigned char *to = begin(output, id);
    if (to != NULL)
        ctf_stream_end(&output->stream, to);
}

/* Put a task: tid, vtid, pid, vpid, ppid, vppid; its name; type, mode, submode, status, level of namespaces; CPU. */
static void put_task(void *ctx, uint32_t id, const char *name)
{
    struct ctf_output *output = ctx;
    unsigned char *to = output->trace->failed ? NULL : begin(output, CTF_STATEDUMP_STATE);
    if (to == NULL)
        return;
    memset(to, 0, STATE_BYTES);
    for (unsigned i = 0; i < 4u; i++)
        put_le32(to + 4u * i, id);
    memcpy(to + 24, name, strnlen(name, CTF_CHARS_MOST - 1u));
    ctf_stream_end(&output->stream, to + STATE_BYTES);
}

static void note_name(void *ctx, uint32_t id, const char *name)
{
    bool *found = ctx;
    (void)id;
    *found = *found || name[0] != '\0';
}

int ctf_statedump_write(struct ctf_output *output)
{
    bool found = false;
    trace_each_name(output->trace, TRACE_NAME_TASK, note_name, &found);
    if (!found || output->stream.first == UINT64_MAX)
        return 0;
    if (ctf_stream_open(&output->stream, CTF_STATEDUMP, 0) != 0)
        return -1;
    put_empty(output, CTF_STATEDUMP_START);
    trace_each_name(output->trace, TRACE_NAME_TASK, put_task, output);
    put_empty(output, CTF_STATEDUMP_END);
    return output->trace->failed ? -1 : ctf_stream_close(&output->stream);
}
