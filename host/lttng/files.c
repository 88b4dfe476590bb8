/* files.c - the files of an LTTng trace, in a directory: see files.h. */
#include "lttng/files.h"

#include "io/input.h"
#include "lttng/block.h"
#include "model/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONTROL "control/"
#define FLIGHT  "flight-"

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The digits behind the last "_", or NULL. */
static const char *number_of(const char *name)
{
    const char *bar = strrchr(name, '_');

    if (bar == NULL || bar == name || bar[1] == '\0' || strlen(bar + 1) > 3u
        || strspn(bar + 1, "0123456789") != strlen(bar + 1))
        return NULL;
    return bar + 1;
}

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

static bool fill(struct lttng_file *file, const char *path, struct input *in)
{
    const char *base = base_of(path), *number = number_of(base);

    file->in = in;
    file->path = strdup(path);
    file->control = base != path;
    file->cpu = (unsigned)strtoul(number, NULL, 10);
    if (strncmp(base, FLIGHT, strlen(FLIGHT)) == 0)
        base += strlen(FLIGHT);
    file->channel = number > base ? strndup(base, (size_t)(number - base) - 1u) : strdup("");
    return file->path != NULL && file->channel != NULL;
}

int lttng_files_add(struct lttng_files *files, struct trace *trace, const char *path, struct input *in)
{
    struct lttng_file *more = NULL;

    if (files->n < LTTNG_FILES_MAX)
        more = realloc(files->file, (files->n + 1u) * sizeof *more);
    if (more == NULL) {
        input_close(in);
        return trace_fail(trace, "%s: more files than can be held", trace->input_name);
    }
    files->file = more;
    memset(&more[files->n], 0, sizeof *more);
    if (!fill(&more[files->n++], path, in))
        return trace_fail(trace, "%s: no memory for files", trace->input_name);
    return 0;
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

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct lttng_file *)a)->path, ((const struct lttng_file *)b)->path);
}

/* ---- directories ------------------------------------------------------------------------------------------------- */

/* Calls back for every entry of the directory; stops when that returns false, which is the result then. */
static bool each_entry(int at, const char *name, bool (*call)(void *ctx, const char *path), void *ctx)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    bool good = true;

    if (directory == NULL) {
        if (fd >= 0)
            close(fd);
        return true;
    }
    while (good && (entry = readdir(directory)) != NULL) {
        char path[sizeof entry->d_name + sizeof CONTROL];

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s%s", name[0] == '.' ? "" : CONTROL, entry->d_name);
        good = call(ctx, path);
    }
    closedir(directory);
    return good;
}

static bool each_file(int directory, bool (*call)(void *ctx, const char *path), void *ctx)
{
    return each_entry(directory, ".", call, ctx) && each_entry(directory, "control", call, ctx);
}

static bool is_file(int directory, const char *path, off_t *size)
{
    struct stat status;

    if (fstatat(directory, path, &status, 0) != 0 || !S_ISREG(status.st_mode))
        return false;
    *size = status.st_size;
    return true;
}

/* The magic number of a file in the directory, without an input, which would fail the trace. */
static bool has_magic(int directory, const char *path)
{
    unsigned char bytes[LTTNG_HEADER_MAX];
    off_t size;
    ssize_t n;
    int fd;

    if (!is_file(directory, path, &size))
        return false;
    fd = openat(directory, path, O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    n = read(fd, bytes, sizeof bytes);
    close(fd);
    return n > 0 && lttng_header_is(bytes, (size_t)n);
}

static bool is_trace_file(int directory, const char *path)
{
    return lttng_file_named(path) && has_magic(directory, path);
}

struct search {
    int directory;
    struct trace *trace;
    const struct input *in;
    struct lttng_files *files;
};

static bool not_found(void *ctx, const char *path)
{
    const struct search *search = ctx;

    return !is_trace_file(search->directory, path);
}

bool lttng_files_look(struct input *in)
{
    struct search search = {.directory = input_directory(in)};

    if (search.directory < 0)
        return lttng_archive_is(in) && lttng_archive_look(in);
    return !each_file(search.directory, not_found, &search);
}

static bool open_one(void *ctx, const char *path)
{
    struct search *search = ctx;
    struct trace *trace = search->trace;
    struct lttng_file *file;
    off_t size;

    if (!lttng_file_named(path)) {
        if (has_magic(search->directory, path))
            trace_damage(trace, 0, 0, 0, "%s: left out, its name does not end in _ and a CPU below %u", path,
                         LTTNG_CPUS_MAX);
        return true;
    }
    if (!is_file(search->directory, path, &size) || size == 0)
        return true;
    if (lttng_files_add(search->files, trace, path, NULL) != 0)
        return false;
    file = &search->files->file[search->files->n - 1u];
    file->in = input_open_at(search->in, file->path);
    return file->in != NULL;
}

int lttng_files_open(struct lttng_files *files, struct trace *trace, struct input *in)
{
    struct search search = {.directory = input_directory(in), .trace = trace, .in = in, .files = files};

    if (search.directory < 0) {
        if (lttng_archive_open(files, trace, in) != 0)
            return -1;
    } else if (!each_file(search.directory, open_one, &search)) {
        return -1;
    }
    if (files->n > 1)
        qsort(files->file, files->n, sizeof files->file[0], by_path);
    return 0;
}

/* ---- directories to be replaced ---------------------------------------------------------------------------------- */

static bool not_foreign(void *ctx, const char *path)
{
    struct search *search = ctx;
    struct stat status;
    off_t size;

    if (strcmp(path, "control") == 0 && fstatat(search->directory, path, &status, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISDIR(status.st_mode))
        return true;
    return is_file(search->directory, path, &size) && lttng_file_named(path)
           && (size == 0 || is_trace_file(search->directory, path));
}

bool lttng_directory_is_trace(int directory)
{
    struct search search = {.directory = directory};

    return each_file(directory, not_foreign, &search);
}
