/* chunk_calls.c - saves and restores the private state of tlog_chunk.c and out_disk.c for sweeps. */
#include "calls.h"
#include "lib/test.h"

/* Included as source, for their private variables. */
#include "out_disk.c"
#include "src/tlog_chunk.c"

enum { NUMBERS = 5 };

static struct tlog_chunk *saved_table[NUMBERS];
static uint32_t saved_used;

uint32_t sweep_chunks_save(void)
{
    for (int i = 0; i < NUMBERS; i++)
        saved_table[i] = chunk_table[i];
    saved_used = arena_used;
    return arena_used;
}

void sweep_chunks_restore(void)
{
    for (int i = 0; i < NUMBERS; i++)
        chunk_table[i] = saved_table[i];
    arena_used = saved_used;
    locked = queued = 0;
    sender = NULL;
}
