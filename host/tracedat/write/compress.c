/* compress.c - see compress.h.
 *
 * Chunks are numbered in the order they are given. Any thread takes the lowest that nobody has taken; when it has
 * compressed it, it waits until all lower ones have their place in the file, takes the place behind them and writes. So
 * the file does not depend on the number of threads or on their speed, and writes go on side by side.
 *
 *   released <= placed <= taken <= given     each chunk is in the slot number % slots
 */
#define _FILE_OFFSET_BITS 64

#include "tracedat/write/compress.h"
#include "model/module.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "io/behind.h"
#include "tracedat/write/piece.h"

enum {
    THREADS_MAX = 64,
    SPARE_SLOTS = 2,  /* one is filled while every thread works, and one waits */
    CHUNK_HEADER = 8, /* both sizes */
    ZSTD_LEVEL = 3,
    ZLIB_LEVEL = 6,
};

struct slot {
    unsigned char *from, *to;
    size_t size;
    bool used; /* given and not yet written */
};

struct tracedat_compressor {
    int fd;
    enum trace_compression method;
    bool big_endian;
    size_t bound; /* bytes of a slot's to */
    pthread_mutex_t lock;
    pthread_cond_t moved; /* anything below changed */
    uint64_t given, taken, placed;
    uint64_t seek;   /* number of the first chunk since tracedat_compressor_seek() */
    uint64_t offset; /* of the next chunk in the file */
    int error;
    bool ended;
    unsigned nthreads, nslots;
    pthread_t thread[THREADS_MAX];
    struct slot slot[THREADS_MAX + SPARE_SLOTS];
};

/* ---- compressing ------------------------------------------------------------------------------------------------- */

size_t tracedat_compress_bound(enum trace_compression method, size_t size)
{
    return method == TRACE_COMPRESS_ZSTD ? ZSTD_compressBound(size) : compressBound(size);
}

static size_t compress_zlib(void *to, size_t room, const void *from, size_t size)
{
    uLongf used = room;

    return compress2(to, &used, from, size, ZLIB_LEVEL) == Z_OK ? used : 0;
}

/* context: of this thread, or NULL for zlib. 0 = no memory. */
static size_t compress_with(ZSTD_CCtx *context, void *to, size_t room, const void *from, size_t size)
{
    size_t used;

    if (!context)
        return compress_zlib(to, room, from, size);
    used = ZSTD_compressCCtx(context, to, room, from, size, ZSTD_LEVEL);
    return ZSTD_isError(used) ? 0 : used;
}

size_t tracedat_compress(enum trace_compression method, void *to, size_t room, const void *from, size_t size)
{
    size_t used;

    if (method != TRACE_COMPRESS_ZSTD)
        return compress_zlib(to, room, from, size);
    used = ZSTD_compress(to, room, from, size, ZSTD_LEVEL);
    return ZSTD_isError(used) ? 0 : used;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static struct slot *slot_of(struct tracedat_compressor *compressor, uint64_t number)
{
    return &compressor->slot[number % compressor->nslots];
}

/* Called and left with the lock held, which is free while the chunk is compressed and written. */
static void work(struct tracedat_compressor *compressor, ZSTD_CCtx *context, uint64_t number)
{
    struct slot *slot = slot_of(compressor, number);
    size_t used;
    uint64_t offset;
    int error;

    pthread_mutex_unlock(&compressor->lock);
    used = compress_with(context, slot->to + CHUNK_HEADER, compressor->bound, slot->from, slot->size);
    tracedat_put_number(compressor->big_endian, slot->to, used, 4);
    tracedat_put_number(compressor->big_endian, slot->to + 4, slot->size, 4);
    pthread_mutex_lock(&compressor->lock);
    while (compressor->placed != number)
        pthread_cond_wait(&compressor->moved, &compressor->lock);
    offset = compressor->offset;
    compressor->offset += CHUNK_HEADER + used;
    compressor->placed++;
    pthread_cond_broadcast(&compressor->moved);
    error = compressor->error;
    pthread_mutex_unlock(&compressor->lock);
    if (error == 0)
        error = used == 0 ? ENOMEM : write_at(compressor->fd, slot->to, CHUNK_HEADER + used, offset);
    pthread_mutex_lock(&compressor->lock);
    compressor->error = compressor->error ? compressor->error : error;
    slot->used = false;
    pthread_cond_broadcast(&compressor->moved);
}

static void *serve(void *argument)
{
    struct tracedat_compressor *compressor = argument;
    ZSTD_CCtx *context = compressor->method == TRACE_COMPRESS_ZSTD ? ZSTD_createCCtx() : NULL;

    pthread_mutex_lock(&compressor->lock);
    if (compressor->method == TRACE_COMPRESS_ZSTD && !context)
        compressor->error = ENOMEM;
    for (;;) {
        while (compressor->taken == compressor->given && !compressor->ended)
            pthread_cond_wait(&compressor->moved, &compressor->lock);
        if (compressor->taken == compressor->given)
            break;
        work(compressor, context, compressor->taken++);
    }
    pthread_mutex_unlock(&compressor->lock);
    ZSTD_freeCCtx(context);
    return NULL;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static bool allocate_slots(struct tracedat_compressor *compressor, size_t size)
{
    for (unsigned i = 0; i < compressor->nslots; i++) {
        compressor->slot[i].from = malloc(size);
        compressor->slot[i].to = malloc(CHUNK_HEADER + compressor->bound);
        if (!compressor->slot[i].from || !compressor->slot[i].to)
            return false;
    }
    return true;
}

static void start_threads(struct tracedat_compressor *compressor, unsigned wanted)
{
    while (compressor->nthreads < wanted && pthread_create(&compressor->thread[compressor->nthreads], NULL, serve, compressor) == 0)
        compressor->nthreads++;
}

struct tracedat_compressor *tracedat_compressor_start(int fd, enum trace_compression method, size_t size, bool big_endian)
{
    struct tracedat_compressor *compressor = calloc(1, sizeof *compressor);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = cores < 1 ? 1 : cores > THREADS_MAX ? THREADS_MAX : (unsigned)cores;

    if (!compressor)
        return NULL;
    compressor->fd = fd;
    compressor->method = method;
    compressor->big_endian = big_endian;
    compressor->bound = tracedat_compress_bound(method, size);
    compressor->nslots = threads + SPARE_SLOTS;
    pthread_mutex_init(&compressor->lock, NULL);
    pthread_cond_init(&compressor->moved, NULL);
    if (allocate_slots(compressor, size))
        start_threads(compressor, threads);
    if (compressor->nthreads > 0)
        return compressor;
    tracedat_compressor_end(compressor);
    return NULL;
}

void tracedat_compressor_end(struct tracedat_compressor *compressor)
{
    if (!compressor)
        return;
    pthread_mutex_lock(&compressor->lock);
    compressor->ended = true;
    pthread_cond_broadcast(&compressor->moved);
    pthread_mutex_unlock(&compressor->lock);
    for (unsigned i = 0; i < compressor->nthreads; i++)
        pthread_join(compressor->thread[i], NULL);
    for (unsigned i = 0; i < compressor->nslots; i++) {
        free(compressor->slot[i].from);
        free(compressor->slot[i].to);
    }
    pthread_cond_destroy(&compressor->moved);
    pthread_mutex_destroy(&compressor->lock);
    free(compressor);
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

void tracedat_compressor_seek(struct tracedat_compressor *compressor, uint64_t offset)
{
    pthread_mutex_lock(&compressor->lock);
    compressor->offset = offset;
    compressor->seek = compressor->given;
    pthread_mutex_unlock(&compressor->lock);
}

unsigned char *tracedat_compressor_block(struct tracedat_compressor *compressor)
{
    struct slot *slot;

    pthread_mutex_lock(&compressor->lock);
    slot = slot_of(compressor, compressor->given);
    while (slot->used)
        pthread_cond_wait(&compressor->moved, &compressor->lock);
    pthread_mutex_unlock(&compressor->lock);
    return slot->from;
}

int tracedat_compressor_give(struct tracedat_compressor *compressor, size_t size)
{
    struct slot *slot;
    int error;

    pthread_mutex_lock(&compressor->lock);
    slot = slot_of(compressor, compressor->given);
    slot->size = size;
    slot->used = true;
    compressor->given++;
    error = compressor->error;
    pthread_cond_broadcast(&compressor->moved);
    pthread_mutex_unlock(&compressor->lock);
    return error;
}

static bool busy(const struct tracedat_compressor *compressor)
{
    for (unsigned i = 0; i < compressor->nslots; i++)
        if (compressor->slot[i].used)
            return true;
    return false;
}

int tracedat_compressor_wait(struct tracedat_compressor *compressor, uint64_t *end, uint32_t *chunks)
{
    int error;

    pthread_mutex_lock(&compressor->lock);
    while (busy(compressor))
        pthread_cond_wait(&compressor->moved, &compressor->lock);
    *end = compressor->offset;
    *chunks = (uint32_t)(compressor->given - compressor->seek);
    error = compressor->error;
    pthread_mutex_unlock(&compressor->lock);
    return error;
}
