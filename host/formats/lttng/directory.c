/* directory.c - the files of a trace in a directory: see directory.h. */
#include "formats/lttng/directory.h"

#include "io/input.h"
#include "formats/lttng/header.h"
#include "model/trace.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONTROL "control"

/* ---- going through a directory ----------------------------------------------------------------------------------- */

/* What is looked for, or opened, while the entries of a directory are called back for. */
struct search {
    int directory;
    struct trace *trace;
    const struct input *in;
    struct lttng_files *files;
};

/* Call back for every entry of a directory, which is "." or CONTROL, with its path below the trace's directory, as
 * long as the calls return true. Returns what the last call returned. A directory that cannot be opened counts as
 * empty. */
static bool each_entry(struct search *search, const char *name, bool (*call)(struct search *search, const char *path))
{
    int fd = openat(search->directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    bool good = true;
    if (directory == NULL) {
        if (fd >= 0)
            close(fd);
        return true;
    }
    while (good && (entry = readdir(directory)) != NULL) {
        char path[sizeof entry->d_name + sizeof CONTROL "/"];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s%s", name[0] == '.' ? "" : CONTROL "/", entry->d_name);
        good = call(search, path);
    }
    closedir(directory);
    return good;
}

/* Call back for every entry of the trace's directory, then of control/ in it. */
static bool each_file(struct search *search, bool (*call)(struct search *search, const char *path))
{
    return each_entry(search, ".", call) && each_entry(search, CONTROL, call);
}

/* ---- judging files ----------------------------------------------------------------------------------------------- */

static bool is_file(int directory, const char *path, off_t *size)
{
    struct stat status;
    if (fstatat(directory, path, &status, 0) != 0 || !S_ISREG(status.st_mode))
        return false;
    *size = status.st_size;
    return true;
}

/* Does a file begin like a block? It is not opened as an input, since a failure of that would be one of the trace. */
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

/* ---- looking and opening ----------------------------------------------------------------------------------------- */

static bool is_no_trace_file(struct search *search, const char *path)
{
    return !is_trace_file(search->directory, path);
}

bool lttng_directory_look(struct input *in)
{
    struct search search = {.directory = input_directory(in)};
    return !each_file(&search, is_no_trace_file);
}

/* A file of a trace whose name has no CPU is reported. An empty file may tell a CPU; other ones are ignored. */
static bool open_one(struct search *search, const char *path)
{
    struct lttng_file *file;
    off_t size;
    if (!lttng_file_named(path)) {
        if (has_magic(search->directory, path))
            trace_damage(search->trace, 0, 0, 0, "%s: left out, its name does not end in _ and a CPU below %u", path,
                         LTTNG_CPUS_MAX);
        return true;
    }
    if (!is_file(search->directory, path, &size))
        return true;
    if (size == 0) {
        lttng_files_note(search->files, path);
        return true;
    }
    file = lttng_files_add(search->files, search->trace, path);
    if (file != NULL)
        file->in = input_open_at(search->in, file->path);
    return file != NULL && file->in != NULL;
}

int lttng_directory_open(struct lttng_files *files, struct trace *trace, struct input *in)
{
    struct search search = {.directory = input_directory(in), .trace = trace, .in = in, .files = files};
    return each_file(&search, open_one) ? 0 : -1;
}

/* ---- directories to be replaced ---------------------------------------------------------------------------------- */

/* May this entry be replaced: is it control/, an empty file, or a file of a trace? */
static bool is_own(struct search *search, const char *path)
{
    struct stat status;
    off_t size;
    if (strcmp(path, CONTROL) == 0 && fstatat(search->directory, path, &status, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISDIR(status.st_mode))
        return true;
    return is_file(search->directory, path, &size) && lttng_file_named(path)
           && (size == 0 || has_magic(search->directory, path));
}

bool lttng_directory_is_trace(int directory)
{
    struct search search = {.directory = directory};
    return each_file(&search, is_own);
}
