/* compress.c - see compress.h.
 *
 * Chunks are numbered in the order they are given. A thread that has nothing to do takes the lowest one that no thread
 * has taken. When the chunk is compressed, its thread waits until all lower ones have their places in the file, takes
 * the place behind them, and writes. So the file does not depend on the number of threads or on their speed, and
 * several threads write at the same time.
 *
 *   placed <= taken <= given     chunk N is jobs[N % njobs]
 */
#define _FILE_OFFSET_BITS 64

#include "formats/tracedat/write/compress.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "io/write_behind.h"
#include "formats/tracedat/write/piece.h"

enum {
    THREADS_MAX = 64,
    SPARE_JOBS = 2,   /* one is filled while every thread works, and one waits */
    CHUNK_HEADER = 8, /* bytes: both sizes */
    ZSTD_LEVEL = 3,
    ZLIB_LEVEL = 6,
};

/* A chunk on its way, and its memory. */
struct job {
    unsigned char *from; /* the chunk */
    unsigned char *to;   /* its header, and the compressed bytes */
    size_t size;         /* bytes of the chunk */
    bool used;           /* given and not yet written */
};

struct tracedat_compressor {
    int fd;
    enum trace_compression method;
    bool big_endian;
    size_t bound; /* most bytes that a chunk becomes */
    /* All that follows is read and changed under the lock, but for what a job's memory holds. */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* something of it has changed */
    uint64_t given;         /* number of the next chunk to be given */
    uint64_t taken;         /* number of the next chunk to be compressed */
    uint64_t placed;        /* number of the next chunk to get its place in the file */
    uint64_t first;         /* number of the first chunk since tracedat_compressor_seek() */
    uint64_t offset;        /* of the next chunk in the file */
    int error;              /* errno of the first chunk that failed, or 0 */
    bool ended;             /* no more chunks will be given */
    unsigned nthreads, njobs;
    pthread_t thread[THREADS_MAX];
    struct job jobs[THREADS_MAX + SPARE_JOBS];
};

/* ---- compressing ------------------------------------------------------------------------------------------------- */

size_t tracedat_compress_bound(enum trace_compression method, size_t size)
{
    return method == TRACE_COMPRESS_ZSTD ? ZSTD_compressBound(size) : compressBound(size);
}

/* Each returns how many bytes it made, or 0 if there is no memory. */
static size_t compress_zlib(void *to, size_t room, const void *from, size_t size)
{
    uLongf used = room;
    return compress2(to, &used, from, size, ZLIB_LEVEL) == Z_OK ? used : 0;
}

static size_t compress_zstd(ZSTD_CCtx *context, void *to, size_t room, const void *from, size_t size)
{
    size_t used = ZSTD_compressCCtx(context, to, room, from, size, ZSTD_LEVEL);
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

/* The job of a chunk. It was another chunk's before, which must be written: see tracedat_compressor_memory(). */
static struct job *job_of(struct tracedat_compressor *compressor, uint64_t number)
{
    return &compressor->jobs[number % compressor->njobs];
}

/* Compress chunk number and write it. context: of the calling thread; NULL for zlib. The lock is held on entry and on
 * return, and free while the chunk is compressed and while it is written. */
static void work(struct tracedat_compressor *compressor, ZSTD_CCtx *context, uint64_t number)
{
    struct job *job = job_of(compressor, number);
    size_t used;
    uint64_t offset;
    int error;
    pthread_mutex_unlock(&compressor->lock);
    used = context != NULL ? compress_zstd(context, job->to + CHUNK_HEADER, compressor->bound, job->from, job->size)
                           : compress_zlib(job->to + CHUNK_HEADER, compressor->bound, job->from, job->size);
    tracedat_put_number(compressor->big_endian, job->to, used, 4);
    tracedat_put_number(compressor->big_endian, job->to + 4, job->size, 4);
    pthread_mutex_lock(&compressor->lock);
    /* The chunk's place in the file is known when all chunks before it have theirs. */
    while (compressor->placed != number)
        pthread_cond_wait(&compressor->changed, &compressor->lock);
    offset = compressor->offset;
    compressor->offset += CHUNK_HEADER + used;
    compressor->placed++;
    pthread_cond_broadcast(&compressor->changed);
    error = compressor->error;
    pthread_mutex_unlock(&compressor->lock);
    if (error == 0)
        error = used == 0 ? ENOMEM : write_at(compressor->fd, job->to, CHUNK_HEADER + used, offset);
    pthread_mutex_lock(&compressor->lock);
    compressor->error = compressor->error != 0 ? compressor->error : error;
    job->used = false;
    pthread_cond_broadcast(&compressor->changed);
}

/* A thread: takes chunks until there will be no more. */
static void *serve(void *argument)
{
    struct tracedat_compressor *compressor = argument;
    ZSTD_CCtx *context = compressor->method == TRACE_COMPRESS_ZSTD ? ZSTD_createCCtx() : NULL;
    pthread_mutex_lock(&compressor->lock);
    if (compressor->method == TRACE_COMPRESS_ZSTD && context == NULL)
        compressor->error = ENOMEM;
    for (;;) {
        while (compressor->taken == compressor->given && !compressor->ended)
            pthread_cond_wait(&compressor->changed, &compressor->lock);
        if (compressor->taken == compressor->given)
            break;
        work(compressor, context, compressor->taken++);
    }
    pthread_mutex_unlock(&compressor->lock);
    ZSTD_freeCCtx(context);
    return NULL;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

/* Get memory for all jobs. What there is of it stays in any case. */
static bool allocate_jobs(struct tracedat_compressor *compressor, size_t size)
{
    for (unsigned i = 0; i < compressor->njobs; i++) {
        compressor->jobs[i].from = malloc(size);
        compressor->jobs[i].to = malloc(CHUNK_HEADER + compressor->bound);
        if (compressor->jobs[i].from == NULL || compressor->jobs[i].to == NULL)
            return false;
    }
    return true;
}

/* Start so many threads, or as many as there can be. */
static void start_threads(struct tracedat_compressor *compressor, unsigned wanted)
{
    while (compressor->nthreads < wanted
           && pthread_create(&compressor->thread[compressor->nthreads], NULL, serve, compressor) == 0)
        compressor->nthreads++;
}

struct tracedat_compressor *tracedat_compressor_start(int fd, enum trace_compression method, size_t size,
                                                      bool big_endian)
{
    struct tracedat_compressor *compressor = calloc(1, sizeof *compressor);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = cores < 1 ? 1 : cores > THREADS_MAX ? THREADS_MAX : (unsigned)cores;
    if (compressor == NULL)
        return NULL;
    compressor->fd = fd;
    compressor->method = method;
    compressor->big_endian = big_endian;
    compressor->bound = tracedat_compress_bound(method, size);
    compressor->njobs = threads + SPARE_JOBS;
    pthread_mutex_init(&compressor->lock, NULL);
    pthread_cond_init(&compressor->changed, NULL);
    if (allocate_jobs(compressor, size))
        start_threads(compressor, threads);
    if (compressor->nthreads > 0)
        return compressor;
    tracedat_compressor_end(compressor);
    return NULL;
}

void tracedat_compressor_end(struct tracedat_compressor *compressor)
{
    if (compressor == NULL)
        return;
    pthread_mutex_lock(&compressor->lock);
    compressor->ended = true;
    pthread_cond_broadcast(&compressor->changed);
    pthread_mutex_unlock(&compressor->lock);
    for (unsigned i = 0; i < compressor->nthreads; i++)
        pthread_join(compressor->thread[i], NULL);
    for (unsigned i = 0; i < compressor->njobs; i++) {
        free(compressor->jobs[i].from);
        free(compressor->jobs[i].to);
    }
    pthread_cond_destroy(&compressor->changed);
    pthread_mutex_destroy(&compressor->lock);
    free(compressor);
}

/* ---- giving chunks ----------------------------------------------------------------------------------------------- */

void tracedat_compressor_seek(struct tracedat_compressor *compressor, uint64_t offset)
{
    pthread_mutex_lock(&compressor->lock);
    compressor->offset = offset;
    compressor->first = compressor->given;
    pthread_mutex_unlock(&compressor->lock);
}

unsigned char *tracedat_compressor_memory(struct tracedat_compressor *compressor)
{
    struct job *job;
    pthread_mutex_lock(&compressor->lock);
    job = job_of(compressor, compressor->given);
    while (job->used)
        pthread_cond_wait(&compressor->changed, &compressor->lock);
    pthread_mutex_unlock(&compressor->lock);
    return job->from;
}

int tracedat_compressor_give(struct tracedat_compressor *compressor, size_t size)
{
    struct job *job;
    int error;
    pthread_mutex_lock(&compressor->lock);
    job = job_of(compressor, compressor->given);
    job->size = size;
    job->used = true;
    compressor->given++;
    error = compressor->error;
    pthread_cond_broadcast(&compressor->changed);
    pthread_mutex_unlock(&compressor->lock);
    return error;
}

/* Whether any chunk is not written yet. */
static bool is_busy(const struct tracedat_compressor *compressor)
{
    for (unsigned i = 0; i < compressor->njobs; i++)
        if (compressor->jobs[i].used)
            return true;
    return false;
}

int tracedat_compressor_wait(struct tracedat_compressor *compressor, uint64_t *end, uint32_t *chunks)
{
    int error;
    pthread_mutex_lock(&compressor->lock);
    while (is_busy(compressor))
        pthread_cond_wait(&compressor->changed, &compressor->lock);
    *end = compressor->offset;
    *chunks = (uint32_t)(compressor->given - compressor->first);
    error = compressor->error;
    pthread_mutex_unlock(&compressor->lock);
    return error;
}
