/* archive.c - a tar archive of an LTTng trace, compressed or not: see archive.h.
 *
 * Only regular files whose names are a trace's are unpacked, each to a temporary file without a name. All must be in
 * one directory of the archive, and in control/ below it. libarchive takes the archive apart.
 */
#include "lttng/archive.h"

#include "io/input.h"
#include "io/spool.h"
#include "model/trace.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE     16384u /* bytes that libarchive gets at a time */
#define LOOK_MOST 200u   /* entries that are looked at to find one of a trace */

/* The archive's bytes on their way to libarchive. */
struct archive_bytes {
    struct input *in;
    uint64_t at; /* offset of the next piece in the input */
    unsigned char piece[PIECE];
};

/* An archive that is being unpacked. */
struct unpacking {
    struct trace *trace;
    struct lttng_files *files;
    struct archive_bytes bytes;
    struct archive *archive;
    char *root; /* directory of the trace in the archive, with its "/"; NULL = not known yet */
};

/* ---- reading the archive ----------------------------------------------------------------------------------------- */

/* Called by libarchive for the next bytes: 0 of them is the end. */
static la_ssize_t give_piece(struct archive *archive, void *ctx, const void **piece)
{
    struct archive_bytes *bytes = ctx;
    size_t n = input_read(bytes->in, bytes->at, bytes->piece, PIECE);
    (void)archive;
    bytes->at += n;
    *piece = bytes->piece;
    return (la_ssize_t)n;
}

/* Begin to read an archive; bytes must live as long as the result. NULL if it is none. */
static struct archive *open_archive(struct archive_bytes *bytes, struct input *in)
{
    struct archive *archive = archive_read_new();
    bytes->in = in;
    bytes->at = 0;
    if (archive == NULL)
        return NULL;
    archive_read_support_filter_gzip(archive);
    archive_read_support_filter_bzip2(archive);
    archive_read_support_filter_xz(archive);
    archive_read_support_filter_zstd(archive);
    archive_read_support_format_tar(archive);
    if (archive_read_open(archive, bytes, NULL, give_piece, NULL) == ARCHIVE_OK)
        return archive;
    archive_read_free(archive);
    return NULL;
}

/* What went wrong, in the words of libarchive. */
static const char *archive_error(struct archive *archive)
{
    const char *error = archive_error_string(archive);
    return error != NULL ? error : "cut";
}

/* Does the input begin like a file of gzip, bzip2, xz or zstd, or like a tar archive? libarchive is
 * not asked about any other input. */
static bool is_archive(struct input *in)
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

/* The part of a path that is below the trace's directory: the file's name, with control/ if that is before it. */
static const char *trace_part(const char *path)
{
    const char *slash = strrchr(path, '/'), *before;
    if (slash == NULL)
        return path;
    for (before = slash; before > path && before[-1] != '/';)
        before--;
    return strncmp(before, "control/", 8) == 0 ? before : slash + 1;
}

/* Is an entry a regular file that a trace may have? Its path is given, too. */
static bool is_wanted(struct archive_entry *entry, const char **path)
{
    *path = archive_entry_pathname(entry);
    return *path != NULL && archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == NULL
           && lttng_file_named(trace_part(*path));
}

bool lttng_archive_look(struct input *in)
{
    struct archive_bytes *bytes = is_archive(in) ? calloc(1, sizeof *bytes) : NULL;
    struct archive *archive = bytes != NULL ? open_archive(bytes, in) : NULL;
    struct archive_entry *entry;
    bool found = false;
    for (unsigned i = 0; archive != NULL && i < LOOK_MOST && !found; i++) {
        const char *path;
        if (archive_read_next_header(archive, &entry) != ARCHIVE_OK)
            break;
        found = is_wanted(entry, &path);
    }
    if (archive != NULL)
        archive_read_free(archive);
    free(bytes);
    return found;
}

/* ---- unpacking --------------------------------------------------------------------------------------------------- */

/* Write an entry's bytes to a file. Damage of the archive is reported, and ends the file. 0, or -1 after
 * trace_fail(). */
static int unpack_data(struct unpacking *unpacking, const char *path, int fd)
{
    const void *bytes;
    size_t n;
    la_int64_t at;
    int result;
    while ((result = archive_read_data_block(unpacking->archive, &bytes, &n, &at)) == ARCHIVE_OK) {
        for (size_t done = 0; done < n;) {
            ssize_t wrote = pwrite(fd, (const char *)bytes + done, n - done, (off_t)at + (off_t)done);
            if (wrote < 0 && errno == EINTR)
                continue;
            if (wrote < 0)
                return trace_fail(unpacking->trace, "%s: cannot unpack %s: %s", unpacking->trace->input_name, path,
                                  strerror(errno));
            done += (size_t)wrote;
        }
    }
    if (result != ARCHIVE_EOF)
        trace_damage(unpacking->trace, unpacking->bytes.at, 0, 0, "%s: the archive is damaged: %s", path,
                     archive_error(unpacking->archive));
    return 0;
}

/* Is a path, whose part below the trace's directory is known, one of the trace? The first file of all shows where in
 * the archive the trace is. */
static bool is_in_root(struct unpacking *unpacking, const char *path, const char *part)
{
    size_t n = (size_t)(part - path);
    if (unpacking->root == NULL)
        unpacking->root = strndup(path, n);
    return unpacking->root != NULL && strlen(unpacking->root) == n && strncmp(unpacking->root, path, n) == 0;
}

/* Unpack one file and add it to the table, unless it is in another directory. 0, or -1 after trace_fail(). */
static int unpack_file(struct unpacking *unpacking, const char *path)
{
    struct trace *trace = unpacking->trace;
    const char *part = trace_part(path);
    struct lttng_file *file;
    int fd;
    if (!is_in_root(unpacking, path, part)) {
        trace_damage(trace, unpacking->bytes.at, 0, 0, "%s: left out, the trace is in %s", path, unpacking->root);
        return 0;
    }
    fd = spool_open(trace, trace->input_name);
    if (fd < 0)
        return -1;
    file = unpack_data(unpacking, path, fd) == 0 ? lttng_files_add(unpacking->files, trace, part) : NULL;
    if (file == NULL) {
        close(fd);
        return -1;
    }
    file->in = input_adopt(trace, file->path, fd);
    return file->in != NULL ? 0 : -1;
}

static int unpack_all(struct unpacking *unpacking)
{
    struct archive_entry *entry;
    const char *path;
    int result;
    while ((result = archive_read_next_header(unpacking->archive, &entry)) == ARCHIVE_OK || result == ARCHIVE_WARN) {
        if (is_wanted(entry, &path) && unpack_file(unpacking, path) != 0)
            return -1;
    }
    if (result != ARCHIVE_EOF)
        trace_damage(unpacking->trace, unpacking->bytes.at, 0, 0, "the archive is damaged: %s",
                     archive_error(unpacking->archive));
    return unpacking->trace->failed ? -1 : 0;
}

int lttng_archive_open(struct lttng_files *files, struct trace *trace, struct input *in)
{
    struct unpacking *unpacking = calloc(1, sizeof *unpacking);
    int result = -1;
    if (unpacking == NULL)
        return trace_fail(trace, "%s: no memory", trace->input_name);
    unpacking->trace = trace;
    unpacking->files = files;
    unpacking->archive = open_archive(&unpacking->bytes, in);
    if (unpacking->archive == NULL)
        trace_fail(trace, "%s: not a directory, and no tar archive", trace->input_name);
    else
        result = unpack_all(unpacking);
    if (unpacking->archive != NULL)
        archive_read_free(unpacking->archive);
    free(unpacking->root);
    free(unpacking);
    return result;
}
