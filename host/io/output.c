/* output.c - where a writer's bytes go: see output.h. */
#include "io/output.h"

#include "base/heap.h"
#include "io/temp_file.h"
#include "model/trace.h"
#include "os/os_file.h"
#include "os/os_signal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define RESERVED_BYTES 262144u /* smaller writes take no less time when their blocks are reserved */

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Create it under a temporary name, which a signal removes. Its path is NULL if errno tells why there is none. 0, or -1
 * after trace_fail(). */
static int create(struct output *output, struct trace *trace, const char *path, const struct os_status *old)
{
    const enum os_kind kind = output->directory ? OS_DIRECTORY : OS_FILE;
    output->temporary = output->path != NULL ? os_unfinished(output->path, kind, old, &output->fd) : NULL;
    if (output->temporary != NULL)
        return 0;
    return trace_fail(trace, "%s: cannot create a %s there: %s", path, output->directory ? "directory" : "file",
                      strerror(errno));
}

/* old: status of the file that is there, or NULL. A symbolic link stays, and the file it points to is replaced. */
static int open_file(struct output *output, struct trace *trace, const char *path, const struct os_status *old)
{
    int allowed = old != NULL ? os_open_to_write(OS_HERE, path) : -1;
    if (old != NULL && allowed < 0)
        return trace_fail(trace, "%s: %s", path, strerror(errno));
    if (old != NULL)
        os_close(allowed);
    output->path = os_real_path(path);
    return create(output, trace, path, old);
}

/* A pipe, a terminal or a device. */
static int open_special(struct output *output, struct trace *trace, const char *path)
{
    output->fd = os_open_to_write(OS_HERE, path);
    if (output->fd < 0)
        return trace_fail(trace, "%s: %s", path, strerror(errno));
    return 0;
}

static int open_path(struct output *output, struct trace *trace, const char *path)
{
    struct os_status status;
    output->own = true;
    if (path[0] == '\0')
        return trace_fail(trace, "the name of the output is empty");
    if (!os_status(path, &status)) {
        if (*os_base_name(path) == '\0')
            return trace_fail(trace, "%s: %s", path, strerror(EISDIR));
        return open_file(output, trace, path, NULL);
    }
    return status.kind == OS_FILE ? open_file(output, trace, path, &status) : open_special(output, trace, path);
}

/* Give the writer a temporary file. Its bytes are copied to the real output in the end. */
static int write_to_temporary(struct output *output, struct trace *trace)
{
    int fd = temp_file_open(trace, output->name);
    if (fd < 0)
        return -1;
    output->final_fd = output->fd;
    output->fd = fd;
    return 0;
}

int output_open(struct output *output, struct trace *trace, const char *path, bool seeks)
{
    bool standard = path == NULL || strcmp(path, "-") == 0;
    memset(output, 0, sizeof *output);
    output->name = standard ? "standard output" : path;
    output->fd = standard ? OS_STDOUT : -1;
    output->final_fd = -1;
    os_catch_ending(os_unfinished_remove_all);
    if (!standard && open_path(output, trace, path) != 0) {
        output_discard(output);
        return -1;
    }
    if (seeks && output->temporary == NULL && write_to_temporary(output, trace) != 0) {
        output_discard(output);
        return -1;
    }
    return 0;
}

/* ---- directories ------------------------------------------------------------------------------------------------- */

/* NULL if the directory at path may be replaced, else why it may not. What is in it is listed. */
static const char *find_objection(const char *path, output_replaceable *may_replace, struct tree_list *there)
{
    int fd = os_open_directory(path);
    const char *objection = NULL;
    if (fd < 0)
        return strerror(errno);
    if (!may_replace(fd))
        objection = "is there and holds something else than such a trace; it stays as it is";
    else if (!tree_list_read(there, fd))
        objection = strerror(errno);
    os_close(fd);
    return objection;
}

/* The path without links, and without slashes at its end. The caller frees it. NULL with errno set. */
static char *directory_name(const char *path)
{
    char *name = os_real_path(path);
    size_t n = name != NULL ? strlen(name) : 0;
    while (n > 1 && *os_base_name(name) == '\0')
        name[--n] = '\0';
    return name;
}

static int begin_directory(struct output *output, struct trace *trace, const char *path,
                           output_replaceable *may_replace)
{
    struct os_status status;
    bool exists = os_status(path, &status);
    const char *objection = exists ? find_objection(path, may_replace, &output->there) : NULL;
    if (path[0] == '\0')
        return trace_fail(trace, "the name of the output is empty");
    if (objection != NULL)
        return trace_fail(trace, "%s: %s", path, objection);
    output->path = directory_name(path);
    return create(output, trace, path, exists ? &status : NULL);
}

int output_open_directory(struct output *output, struct trace *trace, const char *path, output_replaceable *may_replace)
{
    *output = (struct output){.name = path, .fd = -1, .final_fd = -1, .own = true, .directory = true};
    output->may_replace = may_replace;
    os_catch_ending(os_unfinished_remove_all);
    if (begin_directory(output, trace, path, may_replace) == 0)
        return 0;
    output_discard(output);
    return -1;
}

/* The old directory was renamed to aside. NULL if it is as it was when the output was opened; else why it may not be
 * replaced. */
static const char *find_change(const struct output *output, const char *aside)
{
    struct tree_list now = {0};
    const char *objection = find_objection(aside, output->may_replace, &now);
    if (objection == NULL && !tree_list_same(&output->there, &now))
        objection = "was changed while the trace was made; it stays as it is";
    tree_list_free(&now);
    return objection;
}

/* Remove what was in the replaced directory when the output was opened; then the directory, if it is empty. */
static void remove_replaced(const struct output *output, const struct trace *trace, const char *aside)
{
    int directory = os_open_directory(aside);
    if (directory >= 0) {
        tree_list_remove(&output->there, directory);
        os_close(directory);
    }
    if (!os_remove_directory(aside))
        trace_tell(trace, "%s: replaced, but what came into it meanwhile is kept in %s", output->name, aside);
}

/* The old directory was renamed to aside: give the new one its name, and remove the old one. If that cannot be, the old
 * one gets its name back. 0, or -1 after trace_fail(). */
static int exchange(const struct output *output, struct trace *trace, const char *aside)
{
    const char *objection = find_change(output, aside);
    if (objection == NULL && !os_rename(output->temporary, output->path))
        objection = strerror(errno);
    if (objection == NULL) {
        remove_replaced(output, trace, aside);
        return 0;
    }
    if (os_rename(aside, output->path))
        return trace_fail(trace, "%s: %s", output->name, objection);
    return trace_fail(trace, "%s: %s; what was there is in %s", output->name, objection, aside);
}

/* Rename the new directory to path. rename() does that if path is free or an empty directory. A directory that is not
 * empty is renamed first, so that nothing can come into it under its name, and then checked. 0, or -1 after
 * trace_fail(). */
static int replace_directory(const struct output *output, struct trace *trace)
{
    char *aside = NULL;
    int result = -1;
    if (os_rename(output->temporary, output->path))
        return 0;
    if (errno == ENOTEMPTY || errno == EEXIST)
        aside = os_make_beside(output->path);
    if (aside == NULL) {
        trace_fail(trace, "%s: %s", output->name, strerror(errno));
    } else if (!os_rename(output->path, aside)) {
        trace_fail(trace, "%s: %s", output->name, strerror(errno));
        os_remove_directory(aside);
    } else {
        result = exchange(output, trace, aside);
    }
    heap_free(aside);
    return result;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

/* The descriptor of the real output, not of a temporary file. */
static int real_fd(const struct output *output)
{
    return output->final_fd >= 0 ? output->final_fd : output->fd;
}

/* The file system finds room for a large write at once. Pipes and the like have no offset, and need none. */
int output_put(struct trace *trace, int fd, const void *bytes, size_t size)
{
    int64_t offset = size >= RESERVED_BYTES ? os_seek(fd, 0, SEEK_CUR) : -1;
    int error;
    if (offset >= 0)
        os_reserve(fd, size, (uint64_t)offset);
    error = os_write(fd, bytes, size);
    return error == 0 ? 0 : trace_fail(trace, "cannot write: %s", strerror(error));
}

bool output_is_terminal(const struct output *output)
{
    return os_is_terminal(real_fd(output));
}

bool output_is_closed(const struct output *output)
{
    return output->reader_gone || (output->temporary == NULL && os_is_hung_up(real_fd(output)));
}

bool output_replaces(const struct output *output, const char *path)
{
    return output->path != NULL && os_is_same(output->path, path);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Close the files that are to be closed: a temporary one in any case. False if that fails: a file system may delay
 * writes until then. */
static bool close_own(struct output *output)
{
    bool good = true;
    if ((output->final_fd >= 0 || output->own) && output->fd >= 0)
        good = os_close(output->fd);
    if (output->final_fd >= 0 && output->own)
        good &= os_close(output->final_fd);
    output->own = false;
    output->final_fd = -1;
    return good;
}

/* Copy the bytes of a temporary file, if there is one, to the real output. */
static int copy_temporary(struct output *output, struct trace *trace)
{
    if (output->final_fd < 0)
        return 0;
    if (os_seek(output->fd, 0, SEEK_SET) == 0
        && copy_bytes(trace, output->fd, output->final_fd, UINT64_MAX) == COPY_DONE)
        return 0;
    output->reader_gone = errno == EPIPE;
    return trace_fail(trace, "%s: cannot write: %s", output->name, strerror(errno));
}

/* Give the finished output its name. A directory takes several steps to replace: the signals that end the program wait
 * until the last one. 0, or -1 after trace_fail(). */
static int publish(struct output *output, struct trace *trace)
{
    int result = 0;
    os_signals_hold();
    if (output->directory)
        result = replace_directory(output, trace);
    else if (!os_rename(output->temporary, output->path))
        result = trace_fail(trace, "%s: %s", output->name, strerror(errno));
    if (result == 0) {
        os_unfinished_end(output->temporary, false);
        output->temporary = NULL;
    }
    os_signals_release();
    return result;
}

int output_finish(struct output *output, struct trace *trace)
{
    if (copy_temporary(output, trace) != 0) {
        output_discard(output);
        return -1;
    }
    if (!output->directory && !close_own(output))
        trace_fail(trace, "%s: cannot write: %s", output->name, strerror(errno));
    if (!trace->failed && output->temporary != NULL)
        publish(output, trace);
    output_discard(output);
    return trace->failed ? -1 : 0;
}

/* A directory stays open until what is in it is removed. */
void output_discard(struct output *output)
{
    if (!output->directory)
        close_own(output);
    if (output->temporary != NULL)
        os_unfinished_end(output->temporary, true);
    output->temporary = NULL;
    close_own(output);
    tree_list_free(&output->there);
    heap_free(output->path);
    output->path = NULL;
}
