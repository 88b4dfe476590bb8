/* zstd.h - stands in for the header of zstd in a build without it: nothing succeeds, and ZSTD_getErrorName() tells why.
 * It has no more of zstd's names than the decoder uses. */
#ifndef OS_NONE_ZSTD_H
#define OS_NONE_ZSTD_H

#include <stddef.h>

typedef struct ZSTD_none ZSTD_CCtx, ZSTD_DCtx, ZSTD_DStream;

typedef struct {
    const void *src;
    size_t size, pos;
} ZSTD_inBuffer;

typedef struct {
    void *dst;
    size_t size, pos;
} ZSTD_outBuffer;

#define ZSTD_d_windowLogMax 0
#define ZSTD_FAILED         ((size_t)-1)

static inline const char *ZSTD_getErrorName(size_t code)
{
    (void)code;
    return "this program was built without zstd";
}

/* "": there is none. */
static inline const char *ZSTD_versionString(void)
{
    return "";
}

static inline unsigned ZSTD_isError(size_t code)
{
    return code == ZSTD_FAILED;
}

/* Something that is not NULL, which would mean that there is no memory. */
static inline void *ZSTD_context(void)
{
    static char context;
    return &context;
}

#define ZSTD_createCCtx()    ((ZSTD_CCtx *)ZSTD_context())
#define ZSTD_createDCtx()    ((ZSTD_DCtx *)ZSTD_context())
#define ZSTD_createDStream() ((ZSTD_DStream *)ZSTD_context())

#define ZSTD_freeCCtx(context)                       ((void)(context))
#define ZSTD_freeDCtx(context)                       ((void)(context))
#define ZSTD_freeDStream(context)                    ((void)(context))
#define ZSTD_DCtx_setParameter(context, what, value) ((void)(context), (void)(value), (size_t)0)
#define ZSTD_compressBound(size)                     (size)
#define ZSTD_compress(to, room, from, size, level)   ((void)(to), (void)(room), (void)(from), (void)(size), ZSTD_FAILED)
#define ZSTD_compressCCtx(context, to, room, from, size, level)                                                        \
    ((void)(context), ZSTD_compress(to, room, from, size, level))
#define ZSTD_decompress(to, room, from, size)   ZSTD_compress(to, room, from, size, 0)
#define ZSTD_decompressStream(context, out, in) ((void)(context), (void)(out), (void)(in), ZSTD_FAILED)

#endif
