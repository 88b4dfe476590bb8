/* writer.c - the format "html": the page that host/page/ makes, with the trace put in.
 *
 * The page decodes for itself: so what is put in are not the events, but the inputs as they are, the firmware as
 * --save-events saves it, and the options by which the user chooses events. They stand in elements at a mark of the
 * page: a JSON text first, then the files that it names. Events are decoded all the same, so that the user learns of
 * damage now, and there is no page of what cannot be decoded.
 */
#include "base/heap.h"
#include "io/input.h"
#include "io/output.h"
#include "model/module.h"
#include "os/os_file.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#define MARK "<!-- a trace stands here -->\n"

enum {
    PAGE_MOST = 64 << 20,
    PIECE = 1 << 16,
    PACKED_BYTES = 3 << 14,
    TEXT_BYTES = PACKED_BYTES / 3 * 4,
    ZLIB_BITS = 15,  /* the largest window */
    ZLIB_MEMORY = 8, /* zlib's default */
};

struct html {
    struct trace *trace;
    const struct trace_page *page;
    int fd;
    char *bytes; /* the page: n of them, and where the trace is to stand */
    size_t n, mark;
    unsigned char piece[PIECE];
};

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* Read the page. False after trace_fail(). */
static bool read_page(struct html *html, const char *path)
{
    struct os_status status;
    const char *mark;
    int fd = os_open_file(OS_HERE, path, &status), error = 0;
    if (fd < 0)
        return trace_fail(html->trace, "%s: %s", path, errno != 0 ? strerror(errno) : "is no file") == 0;
    html->bytes = status.size <= PAGE_MOST ? heap_alloc((size_t)status.size + 1u) : NULL;
    if (html->bytes != NULL)
        html->n = os_read_at(fd, 0, html->bytes, (size_t)status.size, &error);
    os_close(fd);
    if (html->bytes == NULL || html->n != status.size)
        return trace_fail(html->trace, "%s: cannot read it: %s", path, strerror(error != 0 ? error : ENOMEM)) == 0;
    mark = text_find(html->bytes, html->bytes + html->n, MARK);
    html->mark = mark != NULL ? (size_t)(mark - html->bytes) : 0;
    return mark != NULL || trace_fail(html->trace, "%s: is no page of tlog's", path) == 0;
}

static void free_html(struct html *html)
{
    heap_free(html->bytes);
    heap_free(html);
}

static void *open_html(struct trace *trace, const struct trace_options *options, int fd)
{
    struct html *html = heap_calloc(1, sizeof *html);
    if (html == NULL) {
        trace_fail(trace, "no memory for the page");
        return NULL;
    }
    html->trace = trace;
    html->page = options->page;
    html->fd = fd;
    if (options->page->path == NULL)
        trace_fail(trace,
                   "the page is not installed: make page, then make install, put it there; or TLOG_PAGE names it");
    else if (read_page(html, options->page->path))
        return html;
    free_html(html);
    return NULL;
}

static int write_nothing(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    (void)writer, (void)cpu, (void)batch;
    return 0;
}

/* ---- bytes as text ----------------------------------------------------------------------------------------------- */

/* A file that is being put into the page: compressed by zlib, if the program has it, and in base64 (RFC 4648). */
struct pack {
    struct trace *trace;
    int fd;
    z_stream stream; /* if the program has zlib */
    size_t n;        /* bytes that wait in packed */
    unsigned char packed[PACKED_BYTES];
    char text[TEXT_BYTES];
};

/* Whether this program compresses. */
static bool packs(void)
{
    return zlibVersion()[0] != '\0';
}

/* NULL after trace_fail(). */
static struct pack *pack_begin(struct trace *trace, int fd)
{
    struct pack *pack = heap_calloc(1, sizeof *pack);
    if (pack != NULL) {
        pack->trace = trace;
        pack->fd = fd;
        if (!packs()
            || deflateInit2(&pack->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, ZLIB_BITS, ZLIB_MEMORY,
                            Z_DEFAULT_STRATEGY)
                   == Z_OK)
            return pack;
        heap_free(pack);
    }
    trace_fail(trace, "no memory for compressing");
    return NULL;
}

/* Write what waits as base64. Only at the file's end may it be other than a multiple of three bytes. */
static int write_text(struct pack *pack)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = pack->n, at = 0;
    for (size_t i = 0; i < n; i += 3) {
        unsigned long bits = (unsigned long)pack->packed[i] << 16;
        bits |= i + 1u < n ? (unsigned long)pack->packed[i + 1u] << 8 : 0;
        bits |= i + 2u < n ? pack->packed[i + 2u] : 0;
        pack->text[at++] = digits[bits >> 18];
        pack->text[at++] = digits[bits >> 12 & 63u];
        pack->text[at++] = i + 1u < n ? digits[bits >> 6 & 63u] : '=';
        pack->text[at++] = i + 2u < n ? digits[bits & 63u] : '=';
    }
    pack->n = 0;
    return output_put(pack->trace, pack->fd, pack->text, at);
}

/* Compress, with Z_FINISH also what zlib still holds. */
static int compress_bytes(struct pack *pack, const unsigned char *bytes, size_t n, int how)
{
    z_stream *stream = &pack->stream;
    bool full;
    stream->next_in = (z_const Bytef *)bytes;
    stream->avail_in = (uInt)n;
    do {
        stream->next_out = pack->packed + pack->n;
        stream->avail_out = (uInt)(PACKED_BYTES - pack->n);
        deflate(stream, how);
        pack->n = PACKED_BYTES - stream->avail_out;
        full = pack->n == PACKED_BYTES;
        if (full && write_text(pack) != 0)
            return -1;
    } while (full);
    return 0;
}

static int pack_add(struct pack *pack, const unsigned char *bytes, size_t n)
{
    if (packs())
        return compress_bytes(pack, bytes, n, Z_NO_FLUSH);
    for (size_t i = 0; i < n; i++) {
        pack->packed[pack->n++] = bytes[i];
        if (pack->n == PACKED_BYTES && write_text(pack) != 0)
            return -1;
    }
    return 0;
}

/* End the file, unless ok is false, and free the state. 0, or -1 after trace_fail(). */
static int pack_end(struct pack *pack, bool ok)
{
    int result = ok && packs() ? compress_bytes(pack, NULL, 0, Z_FINISH) : 0;
    if (ok && result == 0)
        result = write_text(pack);
    if (packs())
        deflateEnd(&pack->stream);
    heap_free(pack);
    return result;
}

/* ---- what is told of the files ----------------------------------------------------------------------------------- */

/* Add a text as JSON that may stand in an element of HTML. */
static void add_text(struct growing_text *to, const char *text)
{
    text_add(to, "\"");
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0x7F)
            text_add(to, "\\u%04x", c);
        else
            text_add(to, "%c", c);
    }
    text_add(to, "\"");
}

/* Add a member that is a list of texts. */
static void add_list(struct growing_text *to, const char *key, const struct text_list *list)
{
    text_add(to, "\"%s\":[", key);
    for (size_t i = 0; i < list->n; i++) {
        text_add(to, i > 0 ? "," : "");
        add_text(to, list->text[i]);
    }
    text_add(to, "],");
}

static int write_head(struct html *html)
{
    const struct trace_page *page = html->page;
    struct growing_text head = {0};
    int result;
    text_add(&head, "<script type=\"application/json\" id=\"trace\">{");
    add_list(&head, "options", &page->options);
    add_list(&head, "boards", &page->boards);
    add_list(&head, "inputs", &page->inputs);
    add_list(&head, "firmware", &page->firmware);
    text_add(&head, "\"packed\":%s,\"files\":[", packs() ? "true" : "false");
    for (size_t i = 0; i < page->nfiles; i++) {
        text_add(&head, i > 0 ? "," : "");
        add_text(&head, page->file[i].name);
    }
    text_add(&head, "]}</script>\n");
    result = head.failed ? trace_fail(html->trace, "no memory for the page")
                         : output_put(html->trace, html->fd, head.bytes, head.n);
    heap_free(head.bytes);
    return result;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int put(struct html *html, const char *text)
{
    return output_put(html->trace, html->fd, text, strlen(text));
}

static int pack_input(struct html *html, const struct input *in)
{
    struct pack *pack = pack_begin(html->trace, html->fd);
    uint64_t size = input_size(in), at = 0;
    bool good = pack != NULL;
    while (good && at < size) {
        size_t want = size - at < PIECE ? (size_t)(size - at) : PIECE;
        size_t got = input_peek(in, at, html->piece, want);
        if (got < want)
            trace_fail(html->trace, "%s cannot be read again", input_name(in));
        good = got == want && pack_add(pack, html->piece, got) == 0;
        at += got;
    }
    return pack != NULL && pack_end(pack, good) == 0 && good ? 0 : -1;
}

static int write_file(struct html *html, const struct trace_page_file *file)
{
    struct input *below = file->below != NULL ? input_open_at(file->input, file->below) : NULL;
    int result = -1;
    if ((below != NULL || file->below == NULL) && put(html, "<script type=\"text/plain\" class=\"file\">") == 0
        && pack_input(html, below != NULL ? below : file->input) == 0)
        result = put(html, "</script>\n");
    input_close(below);
    return result;
}

static int write_page(struct html *html)
{
    size_t tail = html->mark + strlen(MARK);
    if (output_put(html->trace, html->fd, html->bytes, html->mark) != 0 || write_head(html) != 0)
        return -1;
    for (size_t i = 0; i < html->page->nfiles; i++) {
        if (write_file(html, &html->page->file[i]) != 0)
            return -1;
    }
    return output_put(html->trace, html->fd, html->bytes + tail, html->n - tail);
}

static int close_html(void *writer, bool ok)
{
    struct html *html = writer;
    int result = ok ? write_page(html) : 0;
    free_html(html);
    return result;
}

const struct trace_writer writer_html = {
    .name = "html",
    .suffix = ".html",
    .description = "page with the trace, for any browser",
    .exact = true,
    .pages = true,
    .open = open_html,
    .write = write_nothing,
    .close = close_html,
};
