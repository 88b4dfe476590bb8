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

#include "io/write_behind.h"
#include "tracedat/write/text.h"

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

struct squeeze {
    int fd;
    enum trace_compression method;
    bool big_endian;
    size_t bound; /* bytes of a slot's to */
    pthread_mutex_t lock;
    pthread_cond_t moved; /* anything below changed */
    uint64_t given, taken, placed;
    uint64_t seek;   /* number of the first chunk since squeeze_seek() */
    uint64_t offset; /* of the next chunk in the file */
    int error;
    bool ended;
    unsigned nthreads, nslots;
    pthread_t thread[THREADS_MAX];
    struct slot slot[THREADS_MAX + SPARE_SLOTS];
};

/* ---- compressing ------------------------------------------------------------------------------------------------- */

size_t squeeze_bound(enum trace_compression method, size_t size)
{
    return method == TRACE_COMPRESS_ZSTD ? ZSTD_compressBound(size) : compressBound(size);
}

static size_t squeeze_zlib(void *to, size_t room, const void *from, size_t size)
{
    uLongf used = room;

    return compress2(to, &used, from, size, ZLIB_LEVEL) == Z_OK ? used : 0;
}

/* context: of this thread, or NULL for zlib. 0 = no memory. */
static size_t squeeze_with(ZSTD_CCtx *context, void *to, size_t room, const void *from, size_t size)
{
    size_t used;

    if (!context)
        return squeeze_zlib(to, room, from, size);
    used = ZSTD_compressCCtx(context, to, room, from, size, ZSTD_LEVEL);
    return ZSTD_isError(used) ? 0 : used;
}

size_t squeeze_bytes(enum trace_compression method, void *to, size_t room, const void *from, size_t size)
{
    size_t used;

    if (method != TRACE_COMPRESS_ZSTD)
        return squeeze_zlib(to, room, from, size);
    used = ZSTD_compress(to, room, from, size, ZSTD_LEVEL);
    return ZSTD_isError(used) ? 0 : used;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static struct slot *slot_of(struct squeeze *squeeze, uint64_t number)
{
    return &squeeze->slot[number % squeeze->nslots];
}

/* Called and left with the lock held, which is free while the chunk is compressed and written. */
static void work(struct squeeze *squeeze, ZSTD_CCtx *context, uint64_t number)
{
    struct slot *slot = slot_of(squeeze, number);
    size_t used;
    uint64_t offset;
    int error;

    pthread_mutex_unlock(&squeeze->lock);
    used = squeeze_with(context, slot->to + CHUNK_HEADER, squeeze->bound, slot->from, slot->size);
    dat_put(squeeze->big_endian, slot->to, used, 4);
    dat_put(squeeze->big_endian, slot->to + 4, slot->size, 4);
    pthread_mutex_lock(&squeeze->lock);
    while (squeeze->placed != number)
        pthread_cond_wait(&squeeze->moved, &squeeze->lock);
    offset = squeeze->offset;
    squeeze->offset += CHUNK_HEADER + used;
    squeeze->placed++;
    pthread_cond_broadcast(&squeeze->moved);
    error = squeeze->error;
    pthread_mutex_unlock(&squeeze->lock);
    if (error == 0)
        error = used == 0 ? ENOMEM : write_at(squeeze->fd, slot->to, CHUNK_HEADER + used, offset);
    pthread_mutex_lock(&squeeze->lock);
    squeeze->error = squeeze->error ? squeeze->error : error;
    slot->used = false;
    pthread_cond_broadcast(&squeeze->moved);
}

static void *serve(void *argument)
{
    struct squeeze *squeeze = argument;
    ZSTD_CCtx *context = squeeze->method == TRACE_COMPRESS_ZSTD ? ZSTD_createCCtx() : NULL;

    pthread_mutex_lock(&squeeze->lock);
    if (squeeze->method == TRACE_COMPRESS_ZSTD && !context)
        squeeze->error = ENOMEM;
    for (;;) {
        while (squeeze->taken == squeeze->given && !squeeze->ended)
            pthread_cond_wait(&squeeze->moved, &squeeze->lock);
        if (squeeze->taken == squeeze->given)
            break;
        work(squeeze, context, squeeze->taken++);
    }
    pthread_mutex_unlock(&squeeze->lock);
    ZSTD_freeCCtx(context);
    return NULL;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static bool allocate_slots(struct squeeze *squeeze, size_t size)
{
    for (unsigned i = 0; i < squeeze->nslots; i++) {
        squeeze->slot[i].from = malloc(size);
        squeeze->slot[i].to = malloc(CHUNK_HEADER + squeeze->bound);
        if (!squeeze->slot[i].from || !squeeze->slot[i].to)
            return false;
    }
    return true;
}

static void start_threads(struct squeeze *squeeze, unsigned wanted)
{
    while (squeeze->nthreads < wanted && pthread_create(&squeeze->thread[squeeze->nthreads], NULL, serve, squeeze) == 0)
        squeeze->nthreads++;
}

struct squeeze *squeeze_start(int fd, enum trace_compression method, size_t size, bool big_endian)
{
    struct squeeze *squeeze = calloc(1, sizeof *squeeze);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = cores < 1 ? 1 : cores > THREADS_MAX ? THREADS_MAX : (unsigned)cores;

    if (!squeeze)
        return NULL;
    squeeze->fd = fd;
    squeeze->method = method;
    squeeze->big_endian = big_endian;
    squeeze->bound = squeeze_bound(method, size);
    squeeze->nslots = threads + SPARE_SLOTS;
    pthread_mutex_init(&squeeze->lock, NULL);
    pthread_cond_init(&squeeze->moved, NULL);
    if (allocate_slots(squeeze, size))
        start_threads(squeeze, threads);
    if (squeeze->nthreads > 0)
        return squeeze;
    squeeze_end(squeeze);
    return NULL;
}

void squeeze_end(struct squeeze *squeeze)
{
    if (!squeeze)
        return;
    pthread_mutex_lock(&squeeze->lock);
    squeeze->ended = true;
    pthread_cond_broadcast(&squeeze->moved);
    pthread_mutex_unlock(&squeeze->lock);
    for (unsigned i = 0; i < squeeze->nthreads; i++)
        pthread_join(squeeze->thread[i], NULL);
    for (unsigned i = 0; i < squeeze->nslots; i++) {
        free(squeeze->slot[i].from);
        free(squeeze->slot[i].to);
    }
    pthread_cond_destroy(&squeeze->moved);
    pthread_mutex_destroy(&squeeze->lock);
    free(squeeze);
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

void squeeze_seek(struct squeeze *squeeze, uint64_t offset)
{
    pthread_mutex_lock(&squeeze->lock);
    squeeze->offset = offset;
    squeeze->seek = squeeze->given;
    pthread_mutex_unlock(&squeeze->lock);
}

unsigned char *squeeze_buffer(struct squeeze *squeeze)
{
    struct slot *slot;

    pthread_mutex_lock(&squeeze->lock);
    slot = slot_of(squeeze, squeeze->given);
    while (slot->used)
        pthread_cond_wait(&squeeze->moved, &squeeze->lock);
    pthread_mutex_unlock(&squeeze->lock);
    return slot->from;
}

int squeeze_give(struct squeeze *squeeze, size_t size)
{
    struct slot *slot;
    int error;

    pthread_mutex_lock(&squeeze->lock);
    slot = slot_of(squeeze, squeeze->given);
    slot->size = size;
    slot->used = true;
    squeeze->given++;
    error = squeeze->error;
    pthread_cond_broadcast(&squeeze->moved);
    pthread_mutex_unlock(&squeeze->lock);
    return error;
}

static bool busy(const struct squeeze *squeeze)
{
    for (unsigned i = 0; i < squeeze->nslots; i++)
        if (squeeze->slot[i].used)
            return true;
    return false;
}

int squeeze_wait(struct squeeze *squeeze, uint64_t *end, uint32_t *chunks)
{
    int error;

    pthread_mutex_lock(&squeeze->lock);
    while (busy(squeeze))
        pthread_cond_wait(&squeeze->moved, &squeeze->lock);
    *end = squeeze->offset;
    *chunks = (uint32_t)(squeeze->given - squeeze->seek);
    error = squeeze->error;
    pthread_mutex_unlock(&squeeze->lock);
    return error;
}
