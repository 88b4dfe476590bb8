/* table.c - see table.h. */
#include "formats/lttng/table.h"

#include "base/heap.h"
#include "base/text.h"
#include "io/input.h"
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

#define FILES_MAX 4096u
#define FLIGHT    "flight-"

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* A path taken apart. */
struct parts {
    const char *channel; /* where the channel's name begins */
    size_t length;       /* of the channel's name */
    bool control;        /* it is in control/ */
    unsigned cpu;
};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Take a path apart. Returns false if its name does not end in "_" and one to three digits for a CPU. */
static bool take_apart(struct parts *parts, const char *path)
{
    const char *base = starts_with(path, LTTNG_CONTROL "/") ? path + strlen(LTTNG_CONTROL "/") : path,
               *bar = strrchr(base, '_');
    size_t digits = bar != NULL ? strspn(bar + 1, "0123456789") : 0;
    if (strchr(base, '/') != NULL || bar == base || digits == 0 || digits > 3u || bar[1 + digits] != '\0')
        return false;
    parts->control = base != path;
    parts->cpu = (unsigned)strtoul(bar + 1, NULL, 10);
    parts->channel = starts_with(base, FLIGHT) ? base + strlen(FLIGHT) : base;
    parts->length = parts->channel < bar ? (size_t)(bar - parts->channel) : 0;
    return parts->cpu < LTTNG_CPUS_MAX;
}

bool lttng_table_is_named(const char *path)
{
    struct parts parts;
    return take_apart(&parts, path);
}

/* ---- the files --------------------------------------------------------------------------------------------------- */

/* Set all that the path says of a file. False if there is no memory. */
static bool fill(struct lttng_file *file, const char *path)
{
    struct parts parts = {0};
    take_apart(&parts, path);
    *file = (struct lttng_file){.control = parts.control, .cpu = parts.cpu};
    file->path = text_copy(path);
    file->channel = parts.channel != NULL ? text_part(parts.channel, parts.length) : NULL;
    if (file->path != NULL && file->channel != NULL)
        return true;
    heap_free(file->path);
    heap_free(file->channel);
    return false;
}

static void count_cpu(struct lttng_files *files, unsigned cpu)
{
    if (cpu >= files->ncpus)
        files->ncpus = cpu + 1u;
}

/* Does a file describe the trace, so that it holds none of its events? */
static bool describes(const struct parts *parts)
{
    return parts->control || (parts->length == strlen("metadata") && starts_with(parts->channel, "metadata"));
}

void lttng_table_note_empty(struct lttng_files *files, const char *path)
{
    struct parts parts;
    if (!take_apart(&parts, path))
        return;
    if (parts.control && starts_with(parts.channel, "facilities_"))
        count_cpu(files, parts.cpu);
    if (!describes(&parts))
        files->has_events[parts.cpu] = true;
}

struct lttng_file *lttng_table_add(struct lttng_files *files, struct trace *trace, const char *path)
{
    struct lttng_file *more = NULL, file;
    if (files->n < FILES_MAX)
        more = heap_realloc(files->file, (files->n + 1u) * sizeof *more);
    if (more == NULL) {
        trace_fail(trace, "%s: more files than can be held", trace->input_name);
        return NULL;
    }
    files->file = more;
    if (!fill(&file, path)) {
        trace_fail(trace, "%s: no memory for files", trace->input_name);
        return NULL;
    }
    count_cpu(files, file.cpu);
    more[files->n] = file;
    return &more[files->n++];
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct lttng_file *)a)->path, ((const struct lttng_file *)b)->path);
}

int lttng_table_complete(struct lttng_files *files, struct trace *trace)
{
    struct parts parts = {0};
    bool is_some = false;
    if (files->n > 1)
        qsort(files->file, files->n, sizeof files->file[0], by_path);
    for (size_t i = 0; i < files->n; i++) {
        if (take_apart(&parts, files->file[i].path) && !describes(&parts))
            is_some = files->has_events[parts.cpu] = true;
    }
    if (!is_some)
        return trace_fail(trace, "%s: has descriptions of events, but no file of events that has any, such as cpu_0",
                          trace->input_name);
    for (size_t i = 0; i < files->n; i++) {
        const struct lttng_file *file = &files->file[i];
        if (!files->has_events[file->cpu])
            trace_damage(trace, 0, 0, 0, "%s: is there, but no file of events of CPU %u, such as cpu_%u", file->path,
                         file->cpu, file->cpu);
        files->has_events[file->cpu] = true; /* one message for each CPU */
    }
    return 0;
}

void lttng_table_close(struct lttng_files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        input_close(files->file[i].in);
        heap_free(files->file[i].path);
        heap_free(files->file[i].channel);
    }
    heap_free(files->file);
    files->file = NULL;
    files->n = 0;
}

_Static_assert(LTTNG_CPUS_MAX == 256u, "LTTNG_NO_NAME tells it");

/* libarchive is not asked about any other input. */
bool lttng_table_is_archive(struct input *in)
{
    static const struct {
        uint64_t at;
        size_t n;
        const char *bytes;
    } signs[] = {{0, 2, "\x1F\x8B"},
                 {0, 3, "BZh"},
                 {0, 6,
                  "\xFD"
                  "7zXZ\0"},
                 {0, 4, "\x28\xB5\x2F\xFD"},
                 {257, 5, "ustar"}};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        char bytes[8];
        if (input_read(in, signs[i].at, bytes, signs[i].n) == signs[i].n
            && memcmp(bytes, signs[i].bytes, signs[i].n) == 0)
            return true;
    }
    return false;
}

/* ---- what is left out -------------------------------------------------------------------------------------------- */

const char *lttng_table_kind(enum os_kind kind)
{
    if (kind == OS_DIRECTORY)
        return "a directory";
    if (kind == OS_PIPE)
        return "a FIFO";
    if (kind == OS_DEVICE || kind == OS_BLOCK_DEVICE)
        return "a device";
    return kind == OS_LINK ? "a link" : "no regular file";
}

void lttng_table_leave_out(const struct trace *trace, const char *path, const char *why)
{
    trace_note(trace, "%s: left out, %s", path, why);
}

void lttng_table_lack(struct trace *trace, uint64_t at, const char *path, const char *why)
{
    trace_damage(trace, at, 0, 0, "%s: left out, %s", path, why);
}
