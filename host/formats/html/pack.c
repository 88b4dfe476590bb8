/* pack.c - see pack.h. */
#include "formats/html/pack.h"

#include "base/heap.h"
#include "io/output.h"
#include "model/trace.h"

#include <zlib.h>

enum {
    PACKED_BYTES = 3 << 14,
    TEXT_BYTES = PACKED_BYTES / 3 * 4,
    ZLIB_BITS = 15,  /* the largest window */
    ZLIB_MEMORY = 8, /* zlib's default */
};

struct html_pack {
    struct trace *trace;
    int fd;
    z_stream stream; /* if the program has zlib */
    size_t n;        /* bytes that wait in packed */
    unsigned char packed[PACKED_BYTES];
    char text[TEXT_BYTES];
};

bool html_packs(void)
{
    return zlibVersion()[0] != '\0';
}

struct html_pack *html_pack_begin(struct trace *trace, int fd)
{
    struct html_pack *pack = heap_calloc(1, sizeof *pack);
    if (pack != NULL) {
        pack->trace = trace;
        pack->fd = fd;
        if (!html_packs()
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
static int write_text(struct html_pack *pack)
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
static int compress_bytes(struct html_pack *pack, const unsigned char *bytes, size_t n, int how)
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

int html_pack_add(struct html_pack *pack, const unsigned char *bytes, size_t n)
{
    if (html_packs())
        return compress_bytes(pack, bytes, n, Z_NO_FLUSH);
    for (size_t i = 0; i < n; i++) {
        pack->packed[pack->n++] = bytes[i];
        if (pack->n == PACKED_BYTES && write_text(pack) != 0)
            return -1;
    }
    return 0;
}

int html_pack_end(struct html_pack *pack, bool ok)
{
    int result = ok && html_packs() ? compress_bytes(pack, NULL, 0, Z_FINISH) : 0;
    if (ok && result == 0)
        result = write_text(pack);
    if (html_packs())
        deflateEnd(&pack->stream);
    heap_free(pack);
    return result;
}
