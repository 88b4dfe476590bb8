/* blocks.c - see blocks.h.
 *
 * Pages that are not compressed lie in the file as they lie in the blocks, so the pages of several CPUs may share a
 * block. A chunk has pages of one CPU only, so with compression each CPU begins a new block.
 *
 * Chunks are compressed by a thread on each core. They are numbered in the order in which they are given. An idle
 * thread takes the lowest number that no thread has taken, and compresses that chunk. Then it waits until all lower
 * ones have their places in the file, takes the place behind them, and writes. So the file does not depend on the
 * number of threads or on their speed, and several threads write at the same time.
 *
 *   placed <= taken <= given     chunk N is jobs[N % njobs]
 */
#include "formats/tracedat/write/blocks.h"

#include "base/heap.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "io/write_behind.h"
#include "formats/tracedat/write/layout.h"
#include "formats/tracedat/write/piece.h"
#include "os/os_file.h"
#include "os/os_thread.h"

enum {
    BLOCK_SIZE = 1 << 20, /* bytes of pages as they are; 16 of the largest */
    CHUNK_SIZE = 1 << 18, /* bytes; larger chunks become no smaller, and readers keep whole ones in memory */
    COUNT_SIZE = 4,       /* bytes of the number of chunks, which stands in front of them */
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

struct compressor {
    int fd;
    enum trace_compression method;
    bool big_endian;
    size_t bound; /* most bytes that a chunk becomes */
    /* All that follows is read and changed under the lock, except what a job's memory holds. */
    struct os_lock *lock; /* rings when something of it has changed */
    uint64_t given;       /* number of the next chunk to be given */
    uint64_t taken;       /* number of the next chunk to be compressed */
    uint64_t placed;      /* number of the next chunk to get its place in the file */
    uint64_t first;       /* number of the first chunk since compressor_set_offset() */
    uint64_t offset;      /* of the next chunk in the file */
    int error;            /* errno of the first chunk that failed, or 0 */
    bool ended;           /* no more chunks will be given */
    unsigned nthreads, njobs;
    struct os_thread *thread[THREADS_MAX];
    struct job jobs[THREADS_MAX + SPARE_JOBS];
};

/* ---- compressing ------------------------------------------------------------------------------------------------- */

const char *tracedat_compressor_version(enum trace_compression method)
{
    if (method == TRACE_COMPRESS_NONE)
        return "";
    return method == TRACE_COMPRESS_ZSTD ? ZSTD_versionString() : zlibVersion();
}

size_t tracedat_compress_bound(enum trace_compression method, size_t size)
{
    return method == TRACE_COMPRESS_ZSTD ? ZSTD_compressBound(size) : compressBound((uLong)size);
}

/* Each returns how many bytes it made, or 0 if there is no memory. A block has fewer than 4 GiB, which is what zlib can
 * count on Windows. */
static size_t compress_zlib(void *to, size_t room, const void *from, size_t size)
{
    uLongf used = (uLongf)room;
    return compress2(to, &used, from, (uLong)size, ZLIB_LEVEL) == Z_OK ? used : 0;
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

/* The job of a chunk. An earlier chunk may have had it, and must be written: compressor_memory() waits for that. */
static struct job *job_of(struct compressor *compressor, uint64_t number)
{
    return &compressor->jobs[number % compressor->njobs];
}

/* Compress chunk `number` and write it. context: of the calling thread; NULL for zlib. The caller holds the lock, which
 * is free while the chunk is compressed and while it is written. */
static void work(struct compressor *compressor, ZSTD_CCtx *context, uint64_t number)
{
    struct job *job = job_of(compressor, number);
    size_t used;
    uint64_t offset;
    int error;
    os_unlock(compressor->lock);
    used = context != NULL ? compress_zstd(context, job->to + CHUNK_HEADER, compressor->bound, job->from, job->size)
                           : compress_zlib(job->to + CHUNK_HEADER, compressor->bound, job->from, job->size);
    tracedat_put_number(compressor->big_endian, job->to, used, 4);
    tracedat_put_number(compressor->big_endian, job->to + 4, job->size, 4);
    os_lock(compressor->lock);
    /* The chunk's place in the file is known when all chunks before it have theirs. */
    while (compressor->placed != number)
        os_wait(compressor->lock);
    offset = compressor->offset;
    compressor->offset += CHUNK_HEADER + used;
    compressor->placed++;
    os_ring(compressor->lock);
    error = compressor->error;
    os_unlock(compressor->lock);
    if (error == 0)
        error = used == 0 ? ENOMEM : os_write_at(compressor->fd, job->to, CHUNK_HEADER + used, offset);
    os_lock(compressor->lock);
    compressor->error = compressor->error != 0 ? compressor->error : error;
    job->used = false;
    os_ring(compressor->lock);
}

/* What a thread compresses with; NULL for zlib. Without memory it is NULL, too, and no more is written. The caller
 * holds the lock. */
static ZSTD_CCtx *make_context(struct compressor *compressor)
{
    ZSTD_CCtx *context = compressor->method == TRACE_COMPRESS_ZSTD ? ZSTD_createCCtx() : NULL;
    if (compressor->method == TRACE_COMPRESS_ZSTD && context == NULL)
        compressor->error = ENOMEM;
    return context;
}

/* There is no thread: compress the next chunk here. */
static void serve_one(struct compressor *compressor)
{
    ZSTD_CCtx *context = make_context(compressor);
    work(compressor, context, compressor->taken++);
    ZSTD_freeCCtx(context);
}

/* A thread: takes chunks until there will be no more. */
static void serve(void *argument)
{
    struct compressor *compressor = argument;
    ZSTD_CCtx *context;
    os_lock(compressor->lock);
    context = make_context(compressor);
    for (;;) {
        while (compressor->taken == compressor->given && !compressor->ended)
            os_wait(compressor->lock);
        if (compressor->taken == compressor->given)
            break;
        work(compressor, context, compressor->taken++);
    }
    os_unlock(compressor->lock);
    ZSTD_freeCCtx(context);
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

/* Get memory for all jobs. False: there is not enough; what was got is kept. */
static bool allocate_jobs(struct compressor *compressor, size_t size)
{
    for (unsigned i = 0; i < compressor->njobs; i++) {
        compressor->jobs[i].from = heap_alloc(size);
        compressor->jobs[i].to = heap_alloc(CHUNK_HEADER + compressor->bound);
        if (compressor->jobs[i].from == NULL || compressor->jobs[i].to == NULL)
            return false;
    }
    return true;
}

/* Start so many threads, or as many as the system allows. If that is none, chunks are compressed by who gives them. */
static void start_threads(struct compressor *compressor, unsigned wanted)
{
    while (compressor->nthreads < wanted
           && (compressor->thread[compressor->nthreads] = os_thread_start(serve, compressor)) != NULL)
        compressor->nthreads++;
}

/* End the threads when they have done what they were given, and free all; NULL is allowed. */
static void compressor_end(struct compressor *compressor)
{
    if (compressor == NULL)
        return;
    if (compressor->nthreads > 0) {
        os_lock(compressor->lock);
        compressor->ended = true;
        os_ring(compressor->lock);
        os_unlock(compressor->lock);
    }
    for (unsigned i = 0; i < compressor->nthreads; i++)
        os_thread_join(compressor->thread[i]);
    for (unsigned i = 0; i < compressor->njobs; i++) {
        heap_free(compressor->jobs[i].from);
        heap_free(compressor->jobs[i].to);
    }
    os_lock_free(compressor->lock);
    heap_free(compressor);
}

/* Start a thread for each core of this machine. Chunks have up to size bytes; their sizes in the file get that byte
 * order. NULL if there is no memory. */
static struct compressor *compressor_start(int fd, enum trace_compression method, size_t size, bool big_endian)
{
    struct compressor *compressor = heap_calloc(1, sizeof *compressor);
    unsigned cores = os_cpus(), threads = cores > THREADS_MAX ? THREADS_MAX : cores;
    if (compressor == NULL)
        return NULL;
    compressor->fd = fd;
    compressor->method = method;
    compressor->big_endian = big_endian;
    compressor->bound = tracedat_compress_bound(method, size);
    compressor->njobs = threads + SPARE_JOBS;
    compressor->lock = os_lock_new();
    if (compressor->lock == NULL || !allocate_jobs(compressor, size)) {
        compressor_end(compressor);
        return NULL;
    }
    start_threads(compressor, threads);
    return compressor;
}

/* ---- giving chunks ----------------------------------------------------------------------------------------------- */

/* The next chunk goes to that offset of the file. All chunks before it must be written: see compressor_wait(). */
static void compressor_set_offset(struct compressor *compressor, uint64_t offset)
{
    os_lock(compressor->lock);
    compressor->offset = offset;
    compressor->first = compressor->given;
    os_unlock(compressor->lock);
}

/* Memory for the bytes of the next chunk; waits until some is free. The same until compressor_give(). */
static unsigned char *compressor_memory(struct compressor *compressor)
{
    struct job *job;
    os_lock(compressor->lock);
    job = job_of(compressor, compressor->given);
    while (job->used)
        os_wait(compressor->lock);
    os_unlock(compressor->lock);
    return job->from;
}

/* Compress and write the chunk that was put into that memory: size bytes, 1 or more. 0, or the errno of a chunk that
 * failed. */
static int compressor_give(struct compressor *compressor, size_t size)
{
    struct job *job;
    int error;
    os_lock(compressor->lock);
    job = job_of(compressor, compressor->given);
    job->size = size;
    job->used = true;
    compressor->given++;
    if (compressor->nthreads == 0)
        serve_one(compressor);
    error = compressor->error;
    os_ring(compressor->lock);
    os_unlock(compressor->lock);
    return error;
}

/* Whether any chunk is not written yet. */
static bool is_busy(const struct compressor *compressor)
{
    for (unsigned i = 0; i < compressor->njobs; i++)
        if (compressor->jobs[i].used)
            return true;
    return false;
}

/* Wait until all is written. *end: the offset behind the last chunk; *chunks: how many since compressor_set_offset().
 * 0, or the errno of a chunk that failed, after which nothing is written any more. */
static int compressor_wait(struct compressor *compressor, uint64_t *end, uint32_t *chunks)
{
    int error;
    os_lock(compressor->lock);
    while (is_busy(compressor))
        os_wait(compressor->lock);
    *end = compressor->offset;
    *chunks = (uint32_t)(compressor->given - compressor->first);
    error = compressor->error;
    os_unlock(compressor->lock);
    return error;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

struct tracedat_blocks {
    struct trace *trace;
    const struct trace_options *options;
    int fd;
    uint64_t offset;               /* in the file: of the block, or, if compressed, of the CPU's pages */
    struct write_behind *behind;   /* writes blocks as they are; NULL: they are compressed */
    struct compressor *compressor; /* compresses and writes blocks; NULL: they are not compressed */
    unsigned char *block;          /* the one being filled while the other one is written; if not compressed */
    unsigned char *memory[2];
};

/* 0 if there was no error, else -1 after trace_fail(). */
static int result_of(struct tracedat_blocks *blocks, int error)
{
    return error != 0 ? trace_fail(blocks->trace, "cannot write: %s", strerror(error)) : 0;
}

/* Start what writes the blocks. False if there is no memory, or no thread. */
static bool start(struct tracedat_blocks *blocks)
{
    const struct trace_options *options = blocks->options;
    if (options->compression != TRACE_COMPRESS_NONE) {
        blocks->compressor = compressor_start(blocks->fd, options->compression, CHUNK_SIZE, options->big_endian);
        return blocks->compressor != NULL;
    }
    blocks->memory[0] = heap_alloc(BLOCK_SIZE);
    blocks->memory[1] = heap_alloc(BLOCK_SIZE);
    blocks->block = blocks->memory[0];
    blocks->behind = write_behind_start(blocks->fd);
    return blocks->memory[0] != NULL && blocks->memory[1] != NULL && blocks->behind != NULL;
}

struct tracedat_blocks *tracedat_blocks_open(struct trace *trace, const struct trace_options *options, int fd,
                                             uint64_t offset)
{
    struct tracedat_blocks *blocks = heap_calloc(1, sizeof *blocks);
    if (blocks == NULL)
        return NULL;
    blocks->trace = trace;
    blocks->options = options;
    blocks->fd = fd;
    blocks->offset = offset;
    if (start(blocks))
        return blocks;
    tracedat_blocks_free(blocks);
    return NULL;
}

void tracedat_blocks_free(struct tracedat_blocks *blocks)
{
    if (blocks == NULL)
        return;
    write_behind_end(blocks->behind);
    compressor_end(blocks->compressor);
    heap_free(blocks->memory[0]);
    heap_free(blocks->memory[1]);
    heap_free(blocks);
}

unsigned char *tracedat_blocks_memory(struct tracedat_blocks *blocks, size_t *room)
{
    *room = blocks->compressor != NULL ? CHUNK_SIZE : BLOCK_SIZE;
    return blocks->compressor != NULL ? compressor_memory(blocks->compressor) : blocks->block;
}

int tracedat_blocks_write(struct tracedat_blocks *blocks, size_t filled)
{
    int error;
    if (blocks->compressor != NULL) /* a chunk is not empty; a block as it is may be */
        return filled > 0 ? result_of(blocks, compressor_give(blocks->compressor, filled)) : 0;
    /* write_behind_put() returns when the block before was written: its memory is the next one. */
    error = write_behind_put(blocks->behind, blocks->block, filled, blocks->offset);
    blocks->offset += filled;
    blocks->block = blocks->memory[blocks->block == blocks->memory[0]];
    return result_of(blocks, error);
}

uint64_t tracedat_blocks_begin_cpu(struct tracedat_blocks *blocks, size_t filled)
{
    if (blocks->compressor == NULL)
        return blocks->offset + filled;
    /* The number of chunks is known at the end of the CPU; its place is kept free. */
    compressor_set_offset(blocks->compressor, blocks->offset + COUNT_SIZE);
    return blocks->offset;
}

/* When the last chunk of the CPU is written, write how many there are. *size leaves out that number, as files of
 * trace-cmd do. */
static int end_compressed(struct tracedat_blocks *blocks, size_t *filled, uint64_t *size)
{
    unsigned char count[COUNT_SIZE];
    uint32_t chunks;
    uint64_t end;
    if (tracedat_blocks_write(blocks, *filled) != 0
        || result_of(blocks, compressor_wait(blocks->compressor, &end, &chunks)) != 0)
        return -1;
    tracedat_put_number(blocks->options->big_endian, count, chunks, COUNT_SIZE);
    *size = end - blocks->offset - COUNT_SIZE;
    *filled = 0;
    if (result_of(blocks, os_write_at(blocks->fd, count, COUNT_SIZE, blocks->offset)) != 0)
        return -1;
    blocks->offset = tracedat_whole_pages(blocks->options, end); /* where the next CPU begins */
    return 0;
}

int tracedat_blocks_end_cpu(struct tracedat_blocks *blocks, uint64_t begin, size_t *filled, uint64_t *size)
{
    if (blocks->compressor != NULL)
        return end_compressed(blocks, filled, size);
    *size = blocks->offset + *filled - begin;
    return 0;
}

int tracedat_blocks_finish(struct tracedat_blocks *blocks, size_t filled, uint64_t *end)
{
    if (blocks->compressor == NULL
        && (tracedat_blocks_write(blocks, filled) != 0 || result_of(blocks, write_behind_wait(blocks->behind)) != 0))
        return -1;
    *end = blocks->offset;
    return 0;
}
