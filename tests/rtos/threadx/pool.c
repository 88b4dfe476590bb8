/* pool.c - the stand-in's block and byte pools. */
#include "stand_in.h"

static TX_BLOCK_POOL blocks = {(CHAR *)(uintptr_t) "packets", 3};
static TX_BYTE_POOL bytes = {(CHAR *)(uintptr_t) "heap0", 4096, 4000};
static uintptr_t block[4]; /* its head is the address of the next one, and a word more */

static void wait_for(UINT state, void *pool, ULONG info, thread_t *other)
{
    suspend(state, pool, info);
    TX_RESTORE
    switch_to(other);
    TX_DISABLE
}

static void end_wait(thread_t *self, UINT status)
{
    resume(self, status);
    TX_RESTORE
    switch_to(self);
    TX_DISABLE
}

static void block_tour(thread_t *other)
{
    thread_t *self = running();
    expect("memory_pool_create: memory_pool=packets size=3");
    EVENT(BLOCK_POOL_CREATE, &blocks, &blocks, 3, 64);
    expect("memory_pool_allocate: memory_pool=packets waiting=2");
    EVENT(BLOCK_ALLOCATE, &blocks, 0, 100, 3);
    blocks.tx_block_pool_available = 2;
    expect("memory_pool_free: memory_pool=packets waiting=3");
    EVENT(BLOCK_RELEASE, &blocks, &blocks, 0, &self);
    blocks.tx_block_pool_available = 0;
    expect("memory_pool_allocate_failed: memory_pool=packets");
    EVENT(BLOCK_ALLOCATE, &blocks, 0, TX_NO_WAIT, 0);
    EVENT(BLOCK_ALLOCATE, &blocks, 0, 100, 0);
    expect("memory_pool_allocate_block: memory_pool=packets");
    wait_for(TX_BLOCK_MEMORY, &blocks, 0, other);
    expect("memory_pool_free: memory_pool=packets waiting=0");
    EVENT(BLOCK_RELEASE, &blocks, &blocks, 1, &self);
    expect("memory_pool_allocate: memory_pool=packets waiting=0");
    end_wait(self, TX_SUCCESS);
    expect("memory_pool_delete: memory_pool=packets");
    EVENT(BLOCK_POOL_DELETE, &blocks, &self, 0, 0);
}

/* What the kernel's function has in scope. */
static void allocate(TX_BYTE_POOL *pool_ptr, ULONG memory_size, const UCHAR *work_ptr, ULONG wait_option)
{
    EVENT(BYTE_ALLOCATE, pool_ptr, 0, memory_size, wait_option);
    TX_RESTORE
    note_hook("TX_BYTE_ALLOCATE_EXTENSION");
    TX_BYTE_ALLOCATE_EXTENSION
    TX_DISABLE
}

static void byte_tour(thread_t *other)
{
    thread_t *self = running();
    expect("heap_create: heap=heap0 size=2047");
    EVENT(BYTE_POOL_CREATE, &bytes, &bytes, 4096, &self);
    bytes.tx_byte_pool_available = 3488;
    expect("heap_allocate: bytes=500 in_use=608");
    allocate(&bytes, 500, (const UCHAR *)block, 0);
    expect("allocate_failed: value=9000");
    allocate(&bytes, 9000, 0, TX_NO_WAIT);
    allocate(&bytes, 600, 0, 100);
    expect("heap_allocate_block: heap=heap0");
    wait_for(TX_BYTE_MEMORY, &bytes, 600, other);
    block[0] = (uintptr_t)block + 508u;
    expect("heap_free: bytes=508 in_use=100");
    EVENT(BYTE_RELEASE, &bytes, &block[2], 1, 3488);
    bytes.tx_byte_pool_available = 3388;
    expect("heap_allocate: bytes=600 in_use=708");
    end_wait(self, TX_SUCCESS);
    allocate(&bytes, 601, 0, 100);
    expect("heap_allocate_block: heap=heap0");
    wait_for(TX_BYTE_MEMORY, &bytes, 601, other);
    expect("heap_allocate_failed: heap=heap0");
    end_wait(self, 16);
    expect("heap_delete: heap=heap0");
    EVENT(BYTE_POOL_DELETE, &bytes, &self, 0, 0);
}

void pool_tour(thread_t *other)
{
    TX_DISABLE
    block_tour(other);
    byte_tour(other);
    TX_RESTORE
}
