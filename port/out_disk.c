/* SPDX-License-Identifier: MIT */
/* out_disk.c - S.Ha.R.K.'s disk writer: writes chunks to files on the host, by semihosting, when the program ends.
 *
 * A file holds the record of every slot that holds one, 16 bytes, in the order of memory, without the tag and the
 * mirror bit. Slots of traceevents are left out: S.Ha.R.K. has none. If the queue was full for some chunks, the last
 * file reports their events as a blackout, with blackout_start and blackout_end as a ring reports a loss. Source:
 * S.Ha.R.K. New Tracer, FTrace_disk.c. */
#include "out_semihost.h"
#include "tlog.h"

#include <stddef.h>

#if TLOG_ENABLE && TLOG_ARENA

enum {
    TLOG_DISK_NAME_BYTES = 255,
    TLOG_DISK_DIGITS = 10,
    TLOG_DISK_QUEUE = 64,
    TLOG_DISK_BUFFER_SLOTS = 32,
    TLOG_DISK_MISSING = 16
};

static char name[TLOG_DISK_NAME_BYTES + 1];
static const struct tlog_chunk *queue[TLOG_DISK_QUEUE];
static uint32_t queued;

/* The events of a chunk that is in no file. The last element also counts the events of all further chunks. */
static struct missing {
    uint64_t first, last; /* ticks */
    uint32_t events;
} missing[TLOG_DISK_MISSING];
static uint32_t chunks_missing;

/* ---- one file ---------------------------------------------------------------------------------------------------- */

static struct {
    int handle;
    uint32_t filled;
    bool failed;
    struct tlog_slot slot[TLOG_DISK_BUFFER_SLOTS];
} file;

static void flush(void)
{
    if (file.filled > 0 && semihost_write(file.handle, file.slot, file.filled * TLOG_SLOT_BYTES) != 0)
        file.failed = true;
    file.filled = 0;
}

static bool is_record(const struct tlog_slot *slot)
{
    uint32_t head = tlog_shark_head(slot);
    return (head & 0xFFFFu) != 0 && (head & TLOG_CLASS_MASK) == 0;
}

/* A record in the order of words that S.Ha.R.K. has. */
static void queue_record(uint32_t head, uint64_t ticks, uint32_t par2)
{
    file.slot[file.filled++] = (struct tlog_slot){{head, (uint32_t)(ticks >> 32), (uint32_t)ticks, par2}};
    if (file.filled == TLOG_DISK_BUFFER_SLOTS)
        flush();
}

static uint64_t ticks_of(const struct tlog_slot *slot)
{
    return (uint64_t)tlog_ring_wraps(slot->word[TLOG_WORD_HIGH]) << 32 | slot->word[TLOG_WORD_LOW];
}

static void queue_slots(const struct tlog_slot *slot, uint32_t count)
{
    for (const struct tlog_slot *end = slot + count; slot < end; slot++)
        if (is_record(slot))
            queue_record(tlog_shark_head(slot), ticks_of(slot), slot->word[TLOG_WORD_PAR2]);
}

static void put_missing(void)
{
    for (const struct missing *at = missing; at < missing + TLOG_DISK_MISSING; at++) {
        if (at->events == 0)
            continue;
        queue_record(FTrace_EVT_blackout_start, at->last, (uint32_t)(at->last - at->first));
        queue_record(FTrace_EVT_blackout_end, at->last, at->events);
    }
}

/* The path of a file: its number and the name. */
static void make_path(char *path, uint32_t number)
{
    char digits[TLOG_DISK_DIGITS];
    uint32_t n = 0, at = 0;
    do
        digits[n++] = (char)('0' + number % 10u);
    while ((number /= 10u) > 0);
    while (n > 0)
        path[at++] = digits[--n];
    for (const char *from = name; *from; from++)
        path[at++] = *from;
    path[at] = 0;
}

static void report_failure(const char *path)
{
    semihost_print("tlog: cannot write ");
    semihost_print(path);
    semihost_print("\n");
}

static void put_all_slots(const struct tlog_chunk *chunk)
{
    queue_slots(tlog_chunk_slots(chunk), chunk->slots);
    queue_slots(tlog_chunk_emergency_slots(chunk), chunk->emergency);
}

static void write_file(uint32_t number, const struct tlog_chunk *chunk, bool is_last)
{
    static char path[TLOG_DISK_DIGITS + TLOG_DISK_NAME_BYTES + 1];
    make_path(path, number);
    file.handle = semihost_open(path);
    file.failed = file.handle < 0;
    if (!file.failed) {
        put_all_slots(chunk);
        if (is_last)
            put_missing();
        flush();
        file.failed |= semihost_close(file.handle) != 0;
    }
    if (file.failed)
        report_failure(path);
}

void tlog_disk_write_queued(void)
{
    for (uint32_t i = 0; i < queued; i++)
        write_file(i, queue[i], i + 1u == queued);
    if (chunks_missing > 0)
        semihost_print(
            "tlog: chunks are in no file: the queue was full; the last file tells how many events they had\n");
    queued = 0;
}

/* ---- the primitives ---------------------------------------------------------------------------------------------- */

static int put_in_queue(const struct tlog_chunk *chunk)
{
    uint32_t index = ((volatile uint32_t *)&queued)[0];
    if (chunk == NULL || index >= TLOG_DISK_QUEUE)
        return -1;
    index = tlog_ring_add(&queued, 1u);
    if (index >= TLOG_DISK_QUEUE) {
        tlog_ring_add(&queued, 0u - 1u);
        return -1;
    }
    queue[index] = chunk;
    return 0;
}

static void count_slots(struct missing *of, const struct tlog_slot *slot, uint32_t count)
{
    for (const struct tlog_slot *end = slot + count; slot < end; slot++) {
        if (!is_record(slot))
            continue;
        uint64_t ticks = ticks_of(slot);
        of->first = of->events == 0 || ticks < of->first ? ticks : of->first;
        of->last = of->events == 0 || ticks > of->last ? ticks : of->last;
        of->events++;
    }
}

/* An interrupt that comes in between and counts a chunk, too, takes another element, or adds to the last one. */
static void count_missing(const struct tlog_chunk *chunk)
{
    struct missing of = {0, 0, 0};
    count_slots(&of, tlog_chunk_slots(chunk), chunk->slots);
    count_slots(&of, tlog_chunk_emergency_slots(chunk), chunk->emergency);
    uint32_t index = tlog_ring_add(&chunks_missing, 1u);
    struct missing *at = &missing[index < TLOG_DISK_MISSING ? index : TLOG_DISK_MISSING - 1];
    if (index < TLOG_DISK_MISSING) {
        at->first = of.first;
        at->last = of.last;
    }
    tlog_ring_add(&at->events, of.events);
}

void FTrace_disk_writer(FTrace_Chunk_Ptr c)
{
    if (c != NULL && put_in_queue(c) != 0)
        count_missing(c);
}

int FTrace_init_disk_writer(char *fname, int flag, char *l_ip, char *t_ip)
{
    uint32_t n = 0;
    (void)flag, (void)l_ip, (void)t_ip;
    if (fname == NULL)
        return -1;
    for (; n < TLOG_DISK_NAME_BYTES && fname[n]; n++)
        name[n] = fname[n];
    name[n] = 0;
    tlog_chunk_set_sender(put_in_queue);
    return 0;
}

#endif
