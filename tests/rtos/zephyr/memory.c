/* memory.c - the stand-in's memory slabs and heaps. */
#include "stand_in.h"

enum { ENOMEM = 12 };

static struct k_mem_slab slab;
static uint32_t heap; /* no member is read */

static void allocate(int result)
{
    slab.num_used += result == 0;
    if (result == 0)
        expect("memory_pool_allocate: memory_pool=slab waiting=%u", slab.num_blocks - slab.num_used);
    else
        expect("memory_pool_allocate_failed: memory_pool=slab");
    TRACE(k_mem_slab, alloc_exit, &slab, forever, result);
}

static void slab_tour(thread_t *other)
{
    thread_t *self = running();
    slab.num_blocks = 2;
    expect("memory_pool_create: memory_pool=slab size=2");
    TRACE(k_mem_slab, init, &slab, 0);
    allocate(0);
    allocate(0);
    allocate(-ENOMEM);
    expect("memory_pool_allocate_block: memory_pool=slab");
    TRACE(k_mem_slab, alloc_blocking, &slab, forever);
    pend_in('S', other);
    tick_wakes(self);
    switch_to(self);
    slab.num_used--;
    expect("memory_pool_free: memory_pool=slab waiting=1");
    TRACE(k_mem_slab, free_exit, &slab);
}

static void expect_wait(thread_t *other)
{
    thread_t *self = running();
    pend_in('S', other);
    tick_wakes(self);
    switch_to(self);
}

/* In early versions all calls allocate by k_heap_aligned_alloc(). */
static void allocate_from_heap(void *memory)
{
    const char *line = memory != 0 ? "heap_allocate: heap=heap" : "heap_allocate_failed: heap=heap";
    expect("%s", line);
    TRACE(k_heap, aligned_alloc_exit, &heap, forever, memory);
#if !defined(CONFIG_TRACING_USER)
    expect("%s", line);
    expect("%s", line);
    expect("%s", line);
#endif
    TRACE(k_heap, alloc_exit, &heap, forever, memory);
    TRACE(k_heap_sys, k_malloc_exit, &heap, memory);
    TRACE(k_heap_sys, k_aligned_alloc_exit, &heap, memory);
}

static void heap_tour(thread_t *other)
{
    expect("heap_allocate_block: heap=heap");
    TRACE(k_heap, alloc_helper_blocking, &heap, forever);
    expect_wait(other);
    expect("object_wait_block: object=0x0"); /* again, as too little was freed */
    expect_wait(other);
    expect("heap_allocate_block: heap=heap");
    TRACE(k_heap, aligned_alloc_blocking, &heap, forever);
    expect_wait(other);
    allocate_from_heap(&heap);
    allocate_from_heap(0);
    expect("heap_free: heap=heap");
    TRACE(k_heap, free, &heap);
}

void memory_tour(thread_t *other)
{
    slab_tour(other);
    heap_tour(other);
}
