/* archive.c - the files of a trace that is in an archive: see table.h.
 *
 * libarchive takes an archive apart. Only regular files whose names are a trace's are unpacked, all from one directory
 * of the archive and from control/ below it.
 *
 * A small archive may unpack to a very large one, so two things are counted against a budget: the bytes that libarchive
 * has decompressed, and the pages that the temporary files take. Holes of a file take none, and are not written.
 * libarchive keeps headers and the maps of holes in memory, so it gets no more than HEADER_MOST for those of one file.
 */
#include "base/heap.h"
#include "base/text.h"
#include "formats/lttng/block_header.h"
#include "formats/lttng/table.h"
#include "io/input.h"
#include "io/temp_file.h"
#include "model/trace.h"
#include "os/os_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define PIECE         256u       /* bytes that libarchive gets at a time: few, as they may unpack to MiBs of headers */
#define LOOK_MOST     200u       /* entries that are looked at to find one of a trace */
#define HEADER_MOST   (1u << 20) /* bytes of the headers of one entry, decompressed */
#define BUDGET_LEAST  (256u << 20) /* bytes that any archive may unpack to; */
#define BUDGET_FACTOR 64u          /* a larger one: so many times its size */
#define PAGE          4096u        /* bytes that a file takes at least */

/* ---- reading an archive ------------------------------------------------------------------------------------------ */

/* The archive's bytes on their way to libarchive. */
struct archive_bytes {
    struct input *in;
    uint64_t at;    /* offset of the next piece in the input */
    uint64_t until; /* libarchive gets none once it has decompressed so many bytes */
    bool refused;   /* it has got none for that reason */
    bool in_entry;  /* the headers of an entry were read, which is skipped before the next one */
    unsigned char piece[PIECE];
};

/* Bytes that libarchive has decompressed and used. */
static uint64_t decompressed(struct archive *archive)
{
    la_int64_t n = archive_filter_bytes(archive, 0);
    return n > 0 ? (uint64_t)n : 0;
}

/* Called by libarchive for the next bytes: 0 of them is the end. */
static la_ssize_t give_piece(struct archive *archive, void *ctx, const void **piece)
{
    struct archive_bytes *bytes = ctx;
    size_t n;
    if (decompressed(archive) > bytes->until) {
        bytes->refused = true;
        archive_set_error(archive, EFBIG, "refused");
        return ARCHIVE_FATAL;
    }
    n = input_read(bytes->in, bytes->at, bytes->piece, PIECE);
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
    bytes->until = BUDGET_LEAST;
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

/* The part of a path that is below the trace's directory: the file's name, with control/ if that is before it. */
static const char *trace_part(const char *path)
{
    const char *slash = strrchr(path, '/'), *before;
    if (slash == NULL)
        return path;
    for (before = slash; before > path && before[-1] != '/';)
        before--;
    return strncmp(before, LTTNG_CONTROL "/", strlen(LTTNG_CONTROL "/")) == 0 ? before : slash + 1;
}

/* Why an entry holds no bytes, for messages; NULL if it does. */
static const char *why_no_bytes(struct archive_entry *entry)
{
    if (archive_entry_hardlink(entry) != NULL)
        return "a hard link";
    switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
        return NULL;
    case AE_IFDIR:
        return lttng_table_kind(OS_DIRECTORY);
    case AE_IFIFO:
        return lttng_table_kind(OS_PIPE);
    case AE_IFCHR:
    case AE_IFBLK:
        return lttng_table_kind(OS_DEVICE);
    default:
        return lttng_table_kind(archive_entry_filetype(entry) == AE_IFLNK ? OS_LINK : OS_SOCKET);
    }
}

/* Is an entry a regular file that a trace may have? Its path is given, too. */
static bool is_wanted(struct archive_entry *entry, const char **path)
{
    *path = archive_entry_pathname(entry);
    return *path != NULL && why_no_bytes(entry) == NULL && lttng_table_is_named(trace_part(*path));
}

/* Let libarchive decompress so many bytes more, but no more than most in all. */
static void allow(struct archive *archive, struct archive_bytes *bytes, uint64_t more, uint64_t most)
{
    uint64_t until = decompressed(archive) + more;
    bytes->until = until < most ? until : most;
}

/* Skip what is left of an entry, and read the headers of the next one: the result of libarchive. */
static int next_entry(struct archive *archive, struct archive_bytes *bytes, uint64_t most, struct archive_entry **entry)
{
    bytes->until = most;
    if (bytes->in_entry)
        archive_read_data_skip(archive);
    bytes->in_entry = true;
    allow(archive, bytes, HEADER_MOST, most);
    return archive_read_next_header(archive, entry);
}

bool lttng_archive_probe(struct input *in)
{
    struct archive_bytes *bytes = lttng_table_is_archive(in) ? heap_calloc(1, sizeof *bytes) : NULL;
    struct archive *archive = bytes != NULL ? open_archive(bytes, in) : NULL;
    struct archive_entry *entry;
    bool found = false;
    for (unsigned i = 0; archive != NULL && i < LOOK_MOST && !found; i++) {
        const char *path;
        if (next_entry(archive, bytes, BUDGET_LEAST, &entry) != ARCHIVE_OK)
            break;
        found = is_wanted(entry, &path);
    }
    if (archive != NULL)
        archive_read_free(archive);
    heap_free(bytes);
    return found;
}

/* ---- unpacking --------------------------------------------------------------------------------------------------- */

/* An archive that is being unpacked. */
struct unpacking {
    struct trace *trace;
    struct lttng_files *files;
    struct archive_bytes bytes;
    struct archive *archive;
    uint64_t budget;  /* bytes that may be decompressed, and that may be written */
    uint64_t written; /* bytes of pages that were written */
    char *root;       /* directory of the trace in the archive, with its "/"; NULL = not known yet */
};

/* Count the pages that n bytes at an offset of a temporary file take. end: offset behind the bytes before them; the
 * page in which these end is counted already. 0, or -1 after trace_fail(). */
static int count_pages(struct unpacking *unpacking, uint64_t end, uint64_t at, uint64_t n)
{
    uint64_t first = at / PAGE, last = (at + n + PAGE - 1u) / PAGE, counted = (end + PAGE - 1u) / PAGE;
    if (first < counted && at >= end)
        first = counted;
    unpacking->written += last > first ? (last - first) * PAGE : 0;
    if (unpacking->written <= unpacking->budget)
        return 0;
    return trace_fail(unpacking->trace,
                      "%s: the archive unpacks to more than %" PRIu64 " MiB, which --unpack=MIB raises",
                      unpacking->trace->input_name, unpacking->budget >> 20);
}

/* 0, or -1 after trace_fail(). */
static int write_at(struct unpacking *unpacking, const char *path, int fd, const char *bytes, size_t n, la_int64_t at)
{
    int error = os_write_at(fd, bytes, n, (uint64_t)at);
    if (error == 0)
        return 0;
    return trace_fail(unpacking->trace, "%s: cannot unpack %s: %s", unpacking->trace->input_name, path,
                      strerror(error));
}

/* libarchive has stopped before the end: it has used up the budget, or the archive is damaged, which is reported. 0, or
 * -1 after trace_fail(). */
static int report_end(struct unpacking *unpacking, const char *path)
{
    struct trace *trace = unpacking->trace;
    if (decompressed(unpacking->archive) > unpacking->budget)
        return trace_fail(trace, "%s: the archive unpacks to more than %" PRIu64 " MiB, which --unpack=MIB raises",
                          trace->input_name, unpacking->budget >> 20);
    trace_damage(trace, unpacking->bytes.at, 0, 0, "%s%sthe archive is damaged: %s", path != NULL ? path : "",
                 path != NULL ? ": " : "",
                 unpacking->bytes.refused ? "the headers of a file are longer than 1 MiB"
                                          : archive_error(unpacking->archive));
    return 0;
}

/* Write an entry's bytes to a file. Damage of the archive is reported, and ends the file. libarchive reads the map of
 * the file's holes together with the first bytes. 0, or -1 after trace_fail(). */
static int unpack_data(struct unpacking *unpacking, const char *path, int fd)
{
    const void *bytes;
    size_t n;
    la_int64_t at;
    uint64_t end = 0;
    int result;
    allow(unpacking->archive, &unpacking->bytes, HEADER_MOST, unpacking->budget);
    while ((result = archive_read_data_block(unpacking->archive, &bytes, &n, &at)) == ARCHIVE_OK) {
        if (count_pages(unpacking, end, (uint64_t)at, n) != 0 || write_at(unpacking, path, fd, bytes, n, at) != 0)
            return -1;
        end = (uint64_t)at + n;
        unpacking->bytes.until = unpacking->budget;
    }
    return result == ARCHIVE_EOF ? 0 : report_end(unpacking, path);
}

/* Is a path, whose part below the trace's directory is known, one of the trace? The first file of all shows where in
 * the archive the trace is. */
static bool is_in_root(struct unpacking *unpacking, const char *path, const char *part)
{
    size_t n = (size_t)(part - path);
    if (unpacking->root == NULL)
        unpacking->root = text_part(path, n);
    return unpacking->root != NULL && strlen(unpacking->root) == n && strncmp(unpacking->root, path, n) == 0;
}

/* Unpack one file and add it to the table, unless it is empty or in another directory. 0, or -1 after trace_fail(). */
static int unpack_file(struct unpacking *unpacking, struct archive_entry *entry, const char *path)
{
    struct trace *trace = unpacking->trace;
    const char *part = trace_part(path);
    struct lttng_file *file;
    int fd;
    if (!is_in_root(unpacking, path, part)) {
        trace_damage(trace, unpacking->bytes.at, 0, 0, "%s: left out, the trace is in %s", path,
                     unpacking->root != NULL && unpacking->root[0] != '\0' ? unpacking->root : "the top directory");
        return 0;
    }
    if (archive_entry_size_is_set(entry) && archive_entry_size(entry) == 0) {
        lttng_table_note_empty(unpacking->files, part);
        return 0;
    }
    fd = temp_file_open(trace, trace->input_name);
    if (fd < 0)
        return -1;
    file = unpack_data(unpacking, path, fd) == 0 ? lttng_table_add(unpacking->files, trace, part) : NULL;
    if (file == NULL) {
        os_close(fd);
        return -1;
    }
    file->in = input_adopt(trace, file->path, fd);
    return file->in != NULL ? 0 : -1;
}

/* Does the entry, a regular file, begin like a block? */
static bool entry_has_magic(struct unpacking *unpacking)
{
    unsigned char bytes[LTTNG_HEADER_MAX];
    la_ssize_t n;
    allow(unpacking->archive, &unpacking->bytes, HEADER_MOST, unpacking->budget);
    n = archive_read_data(unpacking->archive, bytes, sizeof bytes);
    return n > 0 && lttng_block_header_is(bytes, (size_t)n);
}

/* Tell that an entry is left out. Directories are not told: what is in them are entries, too. */
static void pass_over_entry(struct unpacking *unpacking, struct archive_entry *entry, const char *path)
{
    const char *why = why_no_bytes(entry);
    if (archive_entry_filetype(entry) == AE_IFDIR)
        return;
    if (path == NULL)
        lttng_table_lack(unpacking->trace, unpacking->bytes.at, "an entry", "its name cannot be read");
    else if (why != NULL && lttng_table_is_named(trace_part(path)))
        lttng_table_lack(unpacking->trace, unpacking->bytes.at, path, why);
    else if (why == NULL && entry_has_magic(unpacking))
        lttng_table_lack(unpacking->trace, unpacking->bytes.at, path, LTTNG_NO_NAME);
    else
        lttng_table_leave_out(unpacking->trace, path, why != NULL ? why : LTTNG_NO_NAME);
}

/* Unpack an entry if it may be of the trace. 0, or -1 after trace_fail(). */
static int unpack_entry(struct unpacking *unpacking, struct archive_entry *entry)
{
    const char *path;
    if (is_wanted(entry, &path))
        return unpack_file(unpacking, entry, path);
    pass_over_entry(unpacking, entry, path);
    return 0;
}

static int unpack_all(struct unpacking *unpacking)
{
    struct archive_entry *entry;
    int result;
    do {
        result = next_entry(unpacking->archive, &unpacking->bytes, unpacking->budget, &entry);
        if (result >= ARCHIVE_WARN && result < ARCHIVE_EOF && unpack_entry(unpacking, entry) != 0)
            return -1;
    } while (result == ARCHIVE_OK || result == ARCHIVE_WARN);
    if (result != ARCHIVE_EOF && report_end(unpacking, NULL) != 0)
        return -1;
    return unpacking->trace->failed ? -1 : 0;
}

/* Bytes that the archive may unpack to: what the user says, or what is usual. */
static uint64_t find_budget(const struct trace *trace, const struct input *in)
{
    uint64_t size = input_size(in), usual = size > UINT64_MAX / BUDGET_FACTOR ? UINT64_MAX : size * BUDGET_FACTOR;
    if (trace->unpack_most != 0)
        return trace->unpack_most;
    return usual > BUDGET_LEAST ? usual : BUDGET_LEAST;
}

int lttng_archive_open(struct lttng_files *files, struct trace *trace, struct input *in)
{
    struct unpacking *unpacking = heap_calloc(1, sizeof *unpacking);
    int result = -1;
    if (unpacking == NULL)
        return trace_fail(trace, "%s: no memory", trace->input_name);
    unpacking->trace = trace;
    unpacking->files = files;
    unpacking->budget = find_budget(trace, in);
    unpacking->archive = open_archive(&unpacking->bytes, in);
    if (unpacking->archive == NULL)
        trace_fail(trace, "%s: not a directory, and no tar archive", trace->input_name);
    else
        result = unpack_all(unpacking);
    if (unpacking->archive != NULL)
        archive_read_free(unpacking->archive);
    heap_free(unpacking->root);
    heap_free(unpacking);
    return result;
}
