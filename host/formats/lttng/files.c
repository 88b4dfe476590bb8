/* files.c - the files of a trace: see files.h. Here is what is done with those of a directory; archive.c does it with
 * those of an archive. Whatever is passed over is told: as damage if it seems to be of the trace, else as a note. */
#include "formats/lttng/files.h"

#include "base/heap.h"
#include "formats/lttng/block_header.h"
#include "base/text.h"
#include "io/input.h"
#include "model/trace.h"
#include "os/os_file.h"

#include <errno.h>
#include <string.h>

/* ---- going through a directory ----------------------------------------------------------------------------------- */

/* What is looked for, or opened, while the entries of a directory are called back for. */
struct search {
    int directory;
    struct trace *trace;
    const struct input *in;
    struct lttng_files *files;
};

/* Call back for every entry of a directory, "." or LTTNG_CONTROL, with its path below the trace's directory, as long
 * as the calls return true. Returns what the last call returned. A directory that cannot be opened counts as
 * empty: open_one() tells why. */
static bool each_entry(struct search *search, const char *name, bool (*call)(struct search *search, const char *path))
{
    char **names = os_list(search->directory, name);
    bool good = true;
    for (size_t i = 0; good && names != NULL && names[i] != NULL; i++) {
        struct growing_text path = {0};
        text_add(&path, "%s%s", name[0] == '.' ? "" : LTTNG_CONTROL "/", names[i]);
        good = !path.failed && call(search, path.bytes);
        heap_free(path.bytes);
    }
    os_list_free(names);
    return good;
}

/* Call back for every entry of the trace's directory, then of control/ in it. */
static bool each_file(struct search *search, bool (*call)(struct search *search, const char *path))
{
    return each_entry(search, ".", call) && each_entry(search, LTTNG_CONTROL, call);
}

/* ---- judging files ----------------------------------------------------------------------------------------------- */

/* Why a path leads to no regular file, for messages; NULL if it does, and then its size is told. */
static const char *why_no_file(int directory, const char *path, uint64_t *size)
{
    struct os_status status;
    if (!os_status_in(directory, path, true, &status))
        return errno == ENOENT ? "a link that leads nowhere" : strerror(errno);
    *size = status.size;
    return status.kind == OS_FILE ? NULL : lttng_table_kind(status.kind);
}

static bool is_file(int directory, const char *path, uint64_t *size)
{
    return why_no_file(directory, path, size) == NULL;
}

/* Does a file begin like a block? It is not opened as an input, since a failure of that would be one of the trace. */
static bool has_magic(int directory, const char *path)
{
    unsigned char bytes[LTTNG_HEADER_MAX];
    struct os_status status;
    size_t n;
    int error, fd = os_open_file(directory, path, &status);
    if (fd < 0)
        return false;
    n = os_read_at(fd, 0, bytes, sizeof bytes, &error);
    os_close(fd);
    return n > 0 && lttng_block_header_is(bytes, n);
}

static bool is_trace_file(int directory, const char *path)
{
    return lttng_table_is_named(path) && has_magic(directory, path);
}

static bool is_no_trace_file(struct search *search, const char *path)
{
    return !is_trace_file(search->directory, path);
}

/* The directory of descriptions is gone through by itself, if that is possible. why: what it is. */
static void check_control(struct search *search, const char *why)
{
    char **names = os_list(search->directory, LTTNG_CONTROL);
    if (names == NULL)
        lttng_table_lack(search->trace, 0, LTTNG_CONTROL, errno == ENOENT ? why : strerror(errno));
    os_list_free(names);
}

/* Tell that a file is left out whose name is none of a trace's. */
static void pass_over(struct search *search, const char *path)
{
    uint64_t size;
    const char *why = why_no_file(search->directory, path, &size);
    if (strcmp(path, LTTNG_CONTROL) == 0)
        check_control(search, why);
    else if (why == NULL && has_magic(search->directory, path))
        lttng_table_lack(search->trace, 0, path, LTTNG_NO_NAME);
    else
        lttng_table_leave_out(search->trace, path, why != NULL ? why : LTTNG_NO_NAME);
}

/* Open a file, if it is the trace's; else tell why it is left out. */
static bool open_one(struct search *search, const char *path)
{
    struct lttng_file *file;
    const char *why;
    uint64_t size;
    if (!lttng_table_is_named(path)) {
        pass_over(search, path);
        return true;
    }
    why = why_no_file(search->directory, path, &size);
    if (why != NULL) {
        lttng_table_lack(search->trace, 0, path, why);
        return true;
    }
    if (size == 0) {
        lttng_table_note_empty(search->files, path);
        return true;
    }
    file = lttng_table_add(search->files, search->trace, path);
    if (file != NULL)
        file->in = input_open_at(search->in, file->path);
    return file != NULL && file->in != NULL;
}

/* May this entry be replaced: is it control/, an empty file, or a file of a trace? */
static bool is_replaceable(struct search *search, const char *path)
{
    struct os_status status;
    uint64_t size;
    if (strcmp(path, LTTNG_CONTROL) == 0 && os_status_in(search->directory, path, false, &status)
        && status.kind == OS_DIRECTORY)
        return true;
    return is_file(search->directory, path, &size) && lttng_table_is_named(path)
           && (size == 0 || has_magic(search->directory, path));
}

bool lttng_files_may_replace(int directory)
{
    struct search search = {.directory = directory};
    return each_file(&search, is_replaceable);
}

/* ---- the face ---------------------------------------------------------------------------------------------------- */

bool lttng_files_probe(struct input *in)
{
    struct search search = {.directory = input_directory(in)};
    return search.directory >= 0 ? !each_file(&search, is_no_trace_file) : lttng_archive_probe(in);
}

int lttng_files_open(struct lttng_files *files, struct trace *trace, struct input *in)
{
    struct search search = {.directory = input_directory(in), .trace = trace, .in = in, .files = files};
    if (search.directory >= 0 ? !each_file(&search, open_one) : lttng_archive_open(files, trace, in) != 0)
        return -1;
    return lttng_table_complete(files, trace);
}
