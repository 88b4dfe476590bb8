/* decompress.c - see decompress.h. */
#include "formats/tracedat/read/decompress.h"

#include "io/decompress.h"

#include <string.h>

#include <zlib.h>
#include <zstd.h>

#define WINDOW_LOG_MAX 23 /* of TRACEDAT_WINDOW_MAX */

_Static_assert(TRACEDAT_WINDOW_MAX == 1u << WINDOW_LOG_MAX, "window");

bool tracedat_can_decompress(enum tracedat_compression how)
{
    return how == TRACEDAT_UNCOMPRESSED || (how == TRACEDAT_ZSTD ? ZSTD_versionString() : zlibVersion())[0] != '\0';
}

bool tracedat_decompress(enum tracedat_compression how, const unsigned char *from, size_t size, unsigned char *to,
                         size_t to_size)
{
    return (how == TRACEDAT_ZLIB || how == TRACEDAT_ZSTD)
           && decompress_block(how == TRACEDAT_ZSTD, from, size, to, to_size) == NULL;
}

/* ---- a part ------------------------------------------------------------------------------------------------------ */

/* Where the bytes that come out go: first into `dust`, which nobody reads, until enough are left out; then to the
 * caller. */
struct part {
    unsigned char dust[16384];
    uint64_t before; /* bytes that are still to be left out */
    unsigned char *to;
    size_t left; /* bytes that the caller still wants behind those */
};

/* The place for the next bytes that come out, and how many it takes. */
static unsigned char *next(struct part *part, size_t *room)
{
    *room = part->before < sizeof part->dust ? (size_t)part->before : sizeof part->dust;
    if (part->before > 0)
        return part->dust;
    *room = part->left;
    return part->to;
}

/* n bytes came out there. */
static void took(struct part *part, size_t n)
{
    if (part->before > 0) {
        part->before -= n;
        return;
    }
    part->to += n;
    part->left -= n;
}

static bool part_of_zlib(const unsigned char *from, size_t size, struct part *part)
{
    z_stream stream;
    int result = Z_OK;
    memset(&stream, 0, sizeof stream);
    stream.next_in = (z_const Bytef *)from;
    stream.avail_in = (uInt)size;
    if (inflateInit(&stream) != Z_OK)
        return false;
    while (part->left > 0 && result == Z_OK) {
        size_t room;
        stream.next_out = next(part, &room);
        stream.avail_out = (uInt)room;
        result = inflate(&stream, Z_NO_FLUSH);
        took(part, room - stream.avail_out);
    }
    inflateEnd(&stream);
    return part->left == 0;
}

static bool part_of_zstd(const unsigned char *from, size_t size, struct part *part)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_inBuffer in = {from, size, 0};
    size_t result = 1;
    if (context == NULL || ZSTD_isError(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
        part->before = UINT64_MAX; /* nothing will come */
    while (part->before < UINT64_MAX && part->left > 0 && result != 0 && !ZSTD_isError(result)) {
        size_t room, before = in.pos;
        unsigned char *to = next(part, &room);
        ZSTD_outBuffer out = {to, room, 0};
        result = ZSTD_decompressStream(context, &out, &in);
        took(part, out.pos);
        if (out.pos == 0 && in.pos == before)
            break;
    }
    ZSTD_freeDCtx(context);
    return part->left == 0;
}

bool tracedat_decompress_part(enum tracedat_compression how, const unsigned char *from, size_t size, uint64_t before,
                              unsigned char *to, size_t to_size)
{
    struct part part = {.before = before, .to = to, .left = to_size};
    if (how == TRACEDAT_ZLIB)
        return part_of_zlib(from, size, &part);
    return how == TRACEDAT_ZSTD && part_of_zstd(from, size, &part);
}
