/* SPDX-License-Identifier: MIT */
/* tlog_chunk.c - chunks made at run time: how they are made in the arena, linked, selected, compressed and deleted.
 *
 * The arena is a sequence of blocks. A block has a head of 16 bytes and then a chunk or a region. New blocks are cut
 * from the unused end of the arena. Blocks are never joined or divided, and a block that held a chunk never holds a
 * region later: so a word that was once a cursor stays a cursor. The cursor of a deleted chunk bears both tags and has
 * index 0, so it stands on itself: a writer that still has its address finds no free slot there.
 *
 * Words that belong together are changed under a lock. No call waits for it: a call that finds it taken has interrupted
 * or preempted the one that holds it, and returns TLOG_CHUNK_NESTED. Logging takes no lock. What both logging and these
 * calls change, cursor, flags, next and goal, is changed by one store each. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"
#include "tlog_pack.h"

#include <stddef.h>

#if TLOG_ENABLE && TLOG_ARENA

extern uint32_t __tlog_arena_start[], __tlog_arena_end[];

struct block {
    uint32_t size;  /* bytes, head included */
    uint32_t owner; /* number of the chunk that it belongs to, + 1; 0 = unused */
    uint32_t chunk; /* 1: it holds, or held, a chunk; 0: only regions */
    uint32_t told;  /* of a chunk: its lap that its owner has seen FULL, and taken the flag away */
};

static const uint32_t settable = TLOG_CHUNK_FREE | TLOG_CHUNK_JTN | TLOG_CHUNK_STOP | TLOG_CHUNK_NODEL;

static struct tlog_chunk *chunk_table[TLOG_CHUNK_NUMBERS];
static uint32_t arena_used; /* bytes of the arena that blocks take */
static uint32_t locked;
static int (*sender)(const struct tlog_chunk *chunk);

/* ---- lock and flags ---------------------------------------------------------------------------------------------- */

static bool lock(void)
{
    do {
        if (tlog_port_load_exclusive(&locked)) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(1, &locked));
    return true;
}

static int unlock(int result)
{
    tlog_port_publish();
    *(volatile uint32_t *)&locked = 0;
    return result;
}

static struct tlog_chunk *chunk_of(int number)
{
    return number >= 0 && number < TLOG_CHUNK_NUMBERS ? ((struct tlog_chunk *volatile *)chunk_table)[number] : NULL;
}

/* Clear and set flags of a chunk, if it has all flags of `with` and none of `without`; else false. */
static bool change_flags(struct tlog_chunk *chunk, uint32_t with, uint32_t without, uint32_t clear, uint32_t set)
{
    uint32_t flags;
    do {
        flags = tlog_port_load_exclusive(&chunk->flags);
        if ((flags & with) != with || flags & without) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive((flags & ~clear) | set, &chunk->flags));
    return true;
}

static bool is_current(const struct tlog_chunk *chunk)
{
    return ((volatile struct tlog_cpu *)tlog_cpu_here())->cursor == &chunk->cursor;
}

static bool is_chunk_full(const volatile struct tlog_chunk *chunk)
{
    return chunk->lap >> TLOG_LAP_SHIFT && chunk->cursor >> TLOG_CURSOR_SHIFT > chunk->slots;
}

static struct block *block_of(struct tlog_chunk *chunk)
{
    return (struct block *)(void *)chunk - 1;
}

static uint32_t lap_of_chunk(const volatile struct tlog_chunk *chunk)
{
    return chunk->lap;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static uint32_t arena_size(void)
{
    return (uint32_t)((uintptr_t)__tlog_arena_end - (uintptr_t)__tlog_arena_start);
}

static struct block *block_at(uint32_t offset)
{
    return (struct block *)(void *)((char *)__tlog_arena_start + offset);
}

/* The smallest unused block of at least that many bytes, for a chunk or (chunk: false) for a region; NULL: there is
 * none. */
static struct block *find_block(uint32_t bytes, bool chunk)
{
    struct block *best = NULL;
    for (uint32_t at = 0; at < arena_used; at += block_at(at)->size) {
        struct block *block = block_at(at);
        if (block->owner == 0 && (chunk || !block->chunk) && block->size >= bytes
            && (best == NULL || block->size < best->size))
            best = block;
    }
    return best;
}

/* A block for a chunk of that many bytes, a multiple of 16; NULL: there is no room. */
static struct block *take_block(uint32_t content, uint32_t owner)
{
    uint32_t bytes = content + (uint32_t)sizeof(struct block);
    struct block *block = find_block(bytes, true);
    if (block == NULL) {
        if (bytes > arena_size() - arena_used)
            return NULL;
        block = block_at(arena_used);
        block->size = bytes;
        arena_used += bytes;
    }
    block->owner = owner;
    block->chunk = 1;
    return block;
}

/* Free the blocks of a chunk, and erase the magic of what they hold, so that no reader finds it any more. */
static void free_blocks(uint32_t owner)
{
    for (uint32_t at = 0; at < arena_used; at += block_at(at)->size) {
        struct block *block = block_at(at);
        if (block->owner != owner)
            continue;
        *(volatile uint32_t *)(block + 1) = 0; /* its first word is the magic, of a chunk and of a region */
        block->owner = 0;
    }
}

/* ---- making and deleting ----------------------------------------------------------------------------------------- */

static int free_number(void)
{
    for (int number = 0; number < TLOG_CHUNK_NUMBERS; number++)
        if (chunk_table[number] == NULL)
            return number;
    return TLOG_CHUNK_ROOM;
}

/* Format a chunk as a ring of one chunk, of a CPU whose ring is not open. */
static void format_chunk(struct tlog_chunk *chunk, uint32_t number, uint32_t slots, uint32_t emergency)
{
    const struct tlog_ring *like = tlog_cpu_here()->ring;
    struct tlog_ring ring;
    for (uint32_t i = 0; i < TLOG_PATTERN_WORDS; i++)
        *(volatile uint32_t *)&ring.pattern[i] = like->pattern[i];
    ring.first = chunk;
    ring.chunks = 1;
    ring.last_flags = TLOG_CHUNK_BUSY;
    ring.pattern[TLOG_PATTERN_PLACE] =
        (like->pattern[TLOG_PATTERN_PLACE] & 0xFFu) | number << 8 | TLOG_RING_ROLE(TLOG_ROLE_FREE);
    ring.pattern[TLOG_PATTERN_SLOTS] = slots;
    ring.pattern[TLOG_PATTERN_EMERGENCY] = emergency;
    ring.pattern[TLOG_PATTERN_SIZE] = TLOG_CHUNK_BYTES(slots, emergency);
    struct tlog_cpu unopened = TLOG_CPU_INIT(&ring);
    if (TLOG_RUNS > 1) /* as in tlog_start.c: the magic is erased first and written last */
        *(volatile uint32_t *)&chunk->magic = 0;
    tlog_ring_format(&unopened, chunk, 0, false);
    chunk->next = TLOG_NEXT_STOP;
}

static int create_chunk(uint32_t slots, uint32_t emergency, uint32_t flags)
{
    int number = free_number();
    struct block *block = NULL;
    if (number >= 0)
        block = take_block(TLOG_CHUNK_BYTES(slots, emergency), (uint32_t)number + 1u);
    if (block == NULL)
        return TLOG_CHUNK_ROOM;
    struct tlog_chunk *chunk = (struct tlog_chunk *)(void *)(block + 1);
    format_chunk(chunk, (uint32_t)number, slots, emergency);
    block->told = 0;
    tlog_port_publish();
    *(volatile uint32_t *)&chunk->flags = flags & settable;
    chunk_table[number] = chunk;
    return number;
}

void tlog_chunk_reset(void)
{
    for (int number = 0; number < TLOG_CHUNK_NUMBERS; number++)
        chunk_table[number] = NULL;
    arena_used = locked = 0;
}

int tlog_chunk_create(uint32_t slots, uint32_t emergency, uint32_t flags)
{
    if (slots - 1u >= TLOG_SLOTS_MAX || emergency > TLOG_SLOTS_MAX)
        return TLOG_CHUNK_SIZE;
    tlog_ring_start_all();
    return lock() ? unlock(create_chunk(slots, emergency, flags)) : TLOG_CHUNK_NESTED;
}

/* Let a word of `from`, its next or its goal, lead nowhere if it leads to the chunk `to`. */
static void cut_link(uint32_t *word, const struct tlog_chunk *from, const struct tlog_chunk *to)
{
    const uint32_t link = (uint32_t)((uintptr_t)to - (uintptr_t)from);
    do {
        if (tlog_port_load_exclusive(word) != link) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(TLOG_NEXT_STOP, word));
}

/* Cut all links to a chunk: no other chunk leads to it any more. */
static void cut_links(const struct tlog_chunk *to)
{
    struct tlog_chunk *home = tlog_ring_home(tlog_cpu_here());
    for (int i = 0; i < TLOG_CHUNK_NUMBERS; i++) {
        if (chunk_table[i] != NULL) {
            cut_link(&chunk_table[i]->next, chunk_table[i], to);
            cut_link(&chunk_table[i]->goal, chunk_table[i], to);
        }
    }
    cut_link(&home->goal, home, to);
}

/* With BUSY no writer opens the chunk any more. tlog_ring_shut() parks it, so a writer that has opened it before cannot
 * make it home. */
static int delete_chunk(int number, struct tlog_chunk *chunk)
{
    if (!change_flags(chunk, 0, TLOG_CHUNK_BUSY, 0, TLOG_CHUNK_BUSY))
        return TLOG_CHUNK_STATE;
    if (!tlog_ring_shut(tlog_cpu_here(), chunk) || !tlog_ring_is_finished(chunk)) {
        change_flags(chunk, 0, 0, TLOG_CHUNK_BUSY, 0);
        return TLOG_CHUNK_STATE;
    }
    chunk_table[number] = NULL;
    cut_links(chunk);
    *(volatile uint32_t *)&chunk->cursor = TLOG_TAG_MASK;
    if (tlog_ring_told_of == chunk)
        tlog_ring_told_at[0][0] = 0;
    free_blocks((uint32_t)number + 1u);
    return 0;
}

int tlog_chunk_delete(int number)
{
    if (!lock())
        return TLOG_CHUNK_NESTED;
    struct tlog_chunk *chunk = chunk_of(number);
    if (chunk == NULL)
        return unlock(TLOG_CHUNK_UNKNOWN);
    return unlock(chunk->flags & TLOG_CHUNK_NODEL ? 0 : delete_chunk(number, chunk));
}

/* ---- flags ------------------------------------------------------------------------------------------------------- */

/* Whether logging stops when a chunk with these flags is full. */
static bool stops_at(const struct tlog_chunk *chunk, uint32_t flags)
{
    bool has_next = ((const volatile struct tlog_chunk *)chunk)->next != TLOG_NEXT_STOP;
    return flags & TLOG_CHUNK_STOP || (flags & TLOG_CHUNK_JTN && !has_next);
}

int tlog_chunk_set_flags(int number, uint32_t flags)
{
    struct tlog_chunk *chunk = chunk_of(number);
    const uint32_t stay = TLOG_CHUNK_COMPR | TLOG_CHUNK_BUSY;
    if (chunk == NULL)
        return TLOG_CHUNK_UNKNOWN;
    bool is_read = !(flags & TLOG_CHUNK_FULL) && is_chunk_full(chunk);
    uint32_t lap = lap_of_chunk(chunk);
    if (is_read && is_current(chunk) && stops_at(chunk, flags)) {
        if (!change_flags(chunk, 0, TLOG_CHUNK_BUSY, ~stay, 0))
            return TLOG_CHUNK_STATE;
        tlog_ring_leave(tlog_cpu_here(), chunk); /* leave the chunk for itself: that begins its next lap */
    }
    if (!change_flags(chunk, 0, TLOG_CHUNK_BUSY, ~stay, flags & settable))
        return TLOG_CHUNK_STATE;
    if (is_read)
        *(volatile uint32_t *)&block_of(chunk)->told = lap;
    return 0;
}

int tlog_chunk_flags(int number)
{
    struct tlog_chunk *chunk = chunk_of(number);
    if (chunk == NULL)
        return TLOG_CHUNK_UNKNOWN;
    uint32_t flags = ((const volatile struct tlog_chunk *)chunk)->flags;
    bool starts_over = is_current(chunk) && !(flags & (TLOG_CHUNK_JTN | TLOG_CHUNK_STOP));
    bool is_told = lap_of_chunk(chunk) == *(volatile uint32_t *)&block_of(chunk)->told;
    return (int)(flags | (is_chunk_full(chunk) && !starts_over && !is_told ? TLOG_CHUNK_FULL : 0u));
}

int tlog_chunk_first(uint32_t flags)
{
    for (int number = 0; number < TLOG_CHUNK_NUMBERS; number++) {
        int found = tlog_chunk_flags(number);
        if (found > 0 && (uint32_t)found & flags)
            return number;
    }
    return TLOG_CHUNK_UNKNOWN;
}

struct tlog_chunk **tlog_chunk_table(void)
{
    return chunk_table;
}

/* ---- selecting and linking --------------------------------------------------------------------------------------- */

/* Find a chunk that is FREE, and clear FREE. 0 or an error. */
static int take_free(int number, struct tlog_chunk **chunk)
{
    *chunk = chunk_of(number);
    if (*chunk == NULL)
        return TLOG_CHUNK_UNKNOWN;
    return change_flags(*chunk, TLOG_CHUNK_FREE, TLOG_CHUNK_BUSY, TLOG_CHUNK_FREE, 0) ? 0 : TLOG_CHUNK_STATE;
}

int tlog_chunk_select(int number)
{
    struct tlog_chunk *chunk;
    if (!lock())
        return TLOG_CHUNK_NESTED;
    int result = take_free(number, &chunk);
    if (result == 0)
        tlog_ring_leave(tlog_cpu_here(), chunk);
    return unlock(result);
}

int tlog_chunk_link(int from, int to)
{
    struct tlog_chunk *chunk;
    if (!lock())
        return TLOG_CHUNK_NESTED;
    struct tlog_chunk *before = chunk_of(from);
    int result = before != NULL ? take_free(to, &chunk) : TLOG_CHUNK_UNKNOWN;
    if (result == 0)
        *(volatile uint32_t *)&before->next = (uint32_t)((uintptr_t)chunk - (uintptr_t)before);
    return unlock(result);
}

void tlog_next_chunk(void)
{
    if (!(tlog_cpu_here()->muted & TLOG_MUTED_OFF))
        tlog_ring_leave(tlog_cpu_here(), NULL);
}

/* ---- compressing and sending ------------------------------------------------------------------------------------- */

/* Compress a chunk into a block of that size, its head included; size 0: into a new block at the unused end of the
 * arena, which is made as large as the region. False: it does not fit. */
static bool compress_at(struct block *block, uint32_t size, const struct tlog_chunk *chunk)
{
    static struct tlog_pack work;
    const uint32_t head = (uint32_t)sizeof(struct block), room = size ? size : arena_size() - arena_used;
    int32_t bytes = room > head ? tlog_pack(chunk, block + 1, room - head, &work) : TLOG_PACK_ROOM;
    if (bytes >= 0 && size == 0) {
        arena_used += block->size = ((uint32_t)bytes + 15u + head) & ~15u;
        block->chunk = 0;
    }
    return bytes >= 0;
}

/* Compress a chunk into an unused block that is large enough for any region of it; if there is none, at the end of the
 * arena; or else into any unused block that turns out to be large enough. 0 or an error. */
static int compress(uint32_t owner, const struct tlog_chunk *chunk)
{
    uint32_t most = TLOG_PACK_BYTES(chunk->slots, chunk->emergency) + (uint32_t)sizeof(struct block);
    struct block *block = find_block(most, false);
    bool done = block != NULL && compress_at(block, block->size, chunk);
    if (!done) {
        block = block_at(arena_used);
        done = compress_at(block, 0, chunk);
    }
    for (uint32_t at = 0, next; at < arena_used && !done; at = next) {
        block = block_at(at);
        next = at + block->size;
        done = block->owner == 0 && !block->chunk && compress_at(block, block->size, chunk);
    }
    if (!done)
        return TLOG_CHUNK_ROOM;
    block->owner = owner;
    return 0;
}

int tlog_chunk_compress(int number, uint32_t flags)
{
    if (!lock())
        return TLOG_CHUNK_NESTED;
    struct tlog_chunk *chunk = chunk_of(number);
    if (chunk == NULL)
        return unlock(TLOG_CHUNK_UNKNOWN);
    if (!change_flags(chunk, 0, TLOG_CHUNK_BUSY, 0, TLOG_CHUNK_BUSY))
        return unlock(TLOG_CHUNK_STATE);
    int result = compress((uint32_t)number + 1u, chunk);
    change_flags(chunk, 0, 0, TLOG_CHUNK_BUSY, result == 0 ? TLOG_CHUNK_COMPR : 0);
    return unlock(result == 0 ? tlog_chunk_set_flags(number, flags) : result);
}

void tlog_chunk_set_sender(int (*send)(const struct tlog_chunk *chunk))
{
    sender = send;
}

int tlog_chunk_send(int number, uint32_t flags)
{
    struct tlog_chunk *chunk = chunk_of(number);
    if (chunk == NULL)
        return TLOG_CHUNK_UNKNOWN;
    if (!change_flags(chunk, 0, TLOG_CHUNK_BUSY, 0, TLOG_CHUNK_BUSY))
        return TLOG_CHUNK_STATE;
    int result = sender != NULL ? sender(chunk) : 0;
    change_flags(chunk, 0, 0, TLOG_CHUNK_BUSY, 0);
    return result == 0 ? tlog_chunk_set_flags(number, flags) : TLOG_CHUNK_SINK;
}

#endif
