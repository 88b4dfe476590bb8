/* chunk_calls.c - what tlog_chunk.c and out_disk.c keep to themselves, for sweeps to put back. */
#include "calls.h"
#include "lib/test.h"

/* Private to their files. */
#include "out_disk.c"
#include "tlog_chunk.c"

enum { NUMBERS = 5 };

static struct tlog_chunk *saved_table[NUMBERS];
static uint32_t saved_used;

uint32_t sweep_chunks_save(void)
{
    for (int i = 0; i < NUMBERS; i++)
        saved_table[i] = table[i];
    saved_used = used;
    return used;
}

void sweep_chunks_restore(void)
{
    for (int i = 0; i < NUMBERS; i++)
        table[i] = saved_table[i];
    used = saved_used;
    locked = queued = 0;
    sender = NULL;
}
