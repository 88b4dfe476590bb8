/* files.c - the files of a trace: see files.h. */
#include "lttng/files.h"

#include "io/input.h"
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

#define FILES_MAX 4096u
#define CONTROL   "control/"
#define FLIGHT    "flight-"

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The one to three digits behind the last "_" of a name, or NULL. */
static const char *number_of(const char *name)
{
    const char *bar = strrchr(name, '_');
    if (bar == NULL || bar == name || bar[1] == '\0' || strlen(bar + 1) > 3u
        || strspn(bar + 1, "0123456789") != strlen(bar + 1))
        return NULL;
    return bar + 1;
}

/* A path without "control/". */
static const char *base_of(const char *path)
{
    return strncmp(path, CONTROL, strlen(CONTROL)) == 0 ? path + strlen(CONTROL) : path;
}

bool lttng_file_named(const char *path)
{
    const char *base = base_of(path), *number = number_of(base);
    return strchr(base, '/') == NULL && number != NULL && strtoul(number, NULL, 10) < LTTNG_CPUS_MAX;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Set all that the path says of a file. False if there is no memory. */
static bool fill(struct lttng_file *file, const char *path)
{
    const char *base = base_of(path), *number = number_of(base);
    file->path = strdup(path);
    file->control = base != path;
    file->cpu = (unsigned)strtoul(number, NULL, 10);
    if (strncmp(base, FLIGHT, strlen(FLIGHT)) == 0)
        base += strlen(FLIGHT);
    file->channel = number > base ? strndup(base, (size_t)(number - base) - 1u) : strdup("");
    return file->path != NULL && file->channel != NULL;
}

struct lttng_file *lttng_files_add(struct lttng_files *files, struct trace *trace, const char *path)
{
    struct lttng_file *more = NULL;
    if (files->n < FILES_MAX)
        more = realloc(files->file, (files->n + 1u) * sizeof *more);
    if (more == NULL) {
        trace_fail(trace, "%s: more files than can be held", trace->input_name);
        return NULL;
    }
    files->file = more;
    more += files->n++;
    *more = (struct lttng_file){.in = NULL};
    if (fill(more, path))
        return more;
    trace_fail(trace, "%s: no memory for files", trace->input_name);
    return NULL;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct lttng_file *)a)->path, ((const struct lttng_file *)b)->path);
}

void lttng_files_sort(struct lttng_files *files)
{
    if (files->n > 1)
        qsort(files->file, files->n, sizeof files->file[0], by_path);
}

void lttng_files_close(struct lttng_files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        input_close(files->file[i].in);
        free(files->file[i].path);
        free(files->file[i].channel);
    }
    free(files->file);
    files->file = NULL;
    files->n = 0;
}
