/* sweep_chunk_calls.c - what tlog_chunk.c and out_disk.c keep to themselves, for sweeps to put back. */
#include "sweep.h"
#include "test.h"

/* Private to their files. */
#include "out_disk.c"
#include "tlog_chunk.c"

enum { NUMBERS = 5 };

static struct tlog_chunk *saved_table[NUMBERS];
static uint32_t saved_arena[SWEEP_ARENA_WORDS], saved_used;

/* Blocks are multiples of 16 bytes. */
static void copy(void *to, const void *from, uint32_t bytes)
{
    const struct tlog_slot *slot = from;
    for (struct tlog_slot *at = to, *end = at + bytes / sizeof(*at); at < end;)
        *at++ = *slot++;
}

void sweep_chunks_save(void)
{
    CHECK(used <= sizeof(saved_arena));
    for (int i = 0; i < NUMBERS; i++)
        saved_table[i] = table[i];
    saved_used = used;
    copy(saved_arena, __tlog_arena_start, used);
}

void sweep_chunks_restore(void)
{
    for (int i = 0; i < NUMBERS; i++)
        table[i] = saved_table[i];
    used = saved_used;
    locked = queued = 0;
    sender = NULL;
    copy(__tlog_arena_start, saved_arena, used);
}
