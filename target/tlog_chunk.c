/* tlog_chunk.c - the arena and its chunks.
 *
 * The arena is a row of blocks, each with a head of 16 bytes in front of what it holds. Blocks are cut off its unused end
 * and never joined or divided, and one that held a chunk holds nothing else later, so what was once a cursor stays one. A
 * deleted chunk's cursor bears both tags and names itself: a writer that got its address before finds no slot there.
 *
 * What belongs together is changed under a lock that is only tried: whoever finds it taken has interrupted its owner and
 * goes away. Logging takes no lock; it meets these changes in single words: cursor, flags, next, goal. */
#include "tlog.h"
#include "tlog_pack.h"

#include <stddef.h>

#if TLOG_ENABLE && TLOG_ARENA

extern uint32_t __tlog_arena_start[], __tlog_arena_end[];

struct block {
    uint32_t size;  /* bytes, head included */
    uint32_t owner; /* number of the chunk it is for, + 1; 0 = unused */
    uint32_t chunk; /* 1: it holds, or has held, a chunk */
    uint32_t spare;
};

static const uint32_t settable = TLOG_CHUNK_FREE | TLOG_CHUNK_JTN | TLOG_CHUNK_STOP | TLOG_CHUNK_NODEL;

static struct tlog_chunk *table[TLOG_CHUNK_NUMBERS];
static uint32_t used; /* bytes of the arena in blocks */
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
    return number >= 0 && number < TLOG_CHUNK_NUMBERS ? ((struct tlog_chunk *volatile *)table)[number] : NULL;
}

/* Change flags of a chunk that has all of `with` and none of `without`; false if it has not. */
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

static bool is_full(const volatile struct tlog_chunk *chunk)
{
    return chunk->lap >> TLOG_LAP_SHIFT && chunk->cursor >> TLOG_CURSOR_SHIFT > chunk->slots;
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

/* The smallest unused block for so many bytes of a chunk, or of a region. */
static struct block *find_block(uint32_t bytes, bool chunk)
{
    struct block *best = NULL;
    for (uint32_t at = 0; at < used; at += block_at(at)->size) {
        struct block *block = block_at(at);
        if (block->owner == 0 && (chunk || !block->chunk) && block->size >= bytes
            && (!best || block->size < best->size))
            best = block;
    }
    return best;
}

/* A block for a chunk of so many bytes, a multiple of 16; NULL without room. */
static struct block *take_block(uint32_t content, uint32_t owner)
{
    uint32_t bytes = content + (uint32_t)sizeof(struct block);
    struct block *block = find_block(bytes, true);
    if (!block) {
        if (bytes > arena_size() - used)
            return NULL;
        block = block_at(used);
        block->size = bytes;
        used += bytes;
    }
    block->owner = owner;
    block->chunk = 1;
    return block;
}

/* Give the blocks of a chunk back. Nothing in them is found any more. */
static void free_blocks(uint32_t owner)
{
    for (uint32_t at = 0; at < used; at += block_at(at)->size) {
        struct block *block = block_at(at);
        if (block->owner != owner)
            continue;
        *(volatile uint32_t *)(block + 1) = 0; /* the magic */
        block->owner = 0;
    }
}

/* ---- making and deleting ----------------------------------------------------------------------------------------- */

static int free_number(void)
{
    for (int number = 0; number < TLOG_CHUNK_NUMBERS; number++)
        if (!table[number])
            return number;
    return TLOG_CHUNK_ROOM;
}

/* Format a chunk as a ring of its own that nobody has opened. */
static void format(struct tlog_chunk *chunk, uint32_t number, uint32_t slots, uint32_t emergency)
{
    const struct tlog_ring *like = tlog_cpu_here()->ring;
    struct tlog_ring ring;
    for (uint32_t i = 0; i < TLOG_PATTERN_WORDS; i++)
        *(volatile uint32_t *)&ring.pattern[i] = like->pattern[i];
    ring.first = chunk;
    ring.chunks = 1;
    ring.last_flags = TLOG_CHUNK_BUSY;
    ring.pattern[3] = (like->pattern[3] & 0xFFu) | number << 8 | TLOG_RING_ROLE(TLOG_ROLE_FREE);
    ring.pattern[5] = slots;
    ring.pattern[6] = emergency;
    ring.pattern[7] = TLOG_CHUNK_BYTES(slots, emergency);
    struct tlog_cpu nobody = TLOG_CPU_INIT(&ring);
    if (TLOG_RUNS > 1) /* as of a ring's chunk: gone first, back last */
        *(volatile uint32_t *)&chunk->magic = 0;
    tlog_ring_format(&nobody, chunk, 0, false);
    chunk->next = TLOG_NEXT_STOP;
}

static int create(uint32_t slots, uint32_t emergency, uint32_t flags)
{
    int number = free_number();
    struct block *block = NULL;
    if (number >= 0)
        block = take_block(TLOG_CHUNK_BYTES(slots, emergency), (uint32_t)number + 1u);
    if (!block)
        return TLOG_CHUNK_ROOM;
    struct tlog_chunk *chunk = (struct tlog_chunk *)(void *)(block + 1);
    format(chunk, (uint32_t)number, slots, emergency);
    tlog_port_publish();
    *(volatile uint32_t *)&chunk->flags = flags & settable;
    table[number] = chunk;
    return number;
}

void tlog_chunk_reset(void)
{
    for (int number = 0; number < TLOG_CHUNK_NUMBERS; number++)
        table[number] = NULL;
    used = locked = 0;
}

int tlog_chunk_create(uint32_t slots, uint32_t emergency, uint32_t flags)
{
    if (slots - 1u >= TLOG_SLOTS_MAX || emergency > TLOG_SLOTS_MAX)
        return TLOG_CHUNK_SIZE;
    tlog_start();
    return lock() ? unlock(create(slots, emergency, flags)) : TLOG_CHUNK_NESTED;
}

/* From here on nothing leads to the chunk. */
static void cut_link(uint32_t *way, const struct tlog_chunk *from, const struct tlog_chunk *to)
{
    const uint32_t link = (uint32_t)((uintptr_t)to - (uintptr_t)from);
    do {
        if (tlog_port_load_exclusive(way) != link) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(TLOG_NEXT_STOP, way));
}

static void cut_links(const struct tlog_chunk *to)
{
    struct tlog_chunk *home = tlog_ring_home(tlog_cpu_here());
    for (int i = 0; i < TLOG_CHUNK_NUMBERS; i++) {
        if (table[i]) {
            cut_link(&table[i]->next, table[i], to);
            cut_link(&table[i]->goal, table[i], to);
        }
    }
    cut_link(&home->goal, home, to);
}

/* BUSY keeps everybody from opening the chunk, and shutting it those who have opened it from making it current. */
static int delete (int number, struct tlog_chunk *chunk)
{
    if (!change_flags(chunk, 0, TLOG_CHUNK_BUSY, 0, TLOG_CHUNK_BUSY))
        return TLOG_CHUNK_STATE;
    if (!tlog_ring_shut(tlog_cpu_here(), chunk) || !tlog_ring_is_finished(chunk)) {
        change_flags(chunk, 0, 0, TLOG_CHUNK_BUSY, 0);
        return TLOG_CHUNK_STATE;
    }
    table[number] = NULL;
    cut_links(chunk);
    *(volatile uint32_t *)&chunk->cursor = TLOG_TAG_MASK;
    free_blocks((uint32_t)number + 1u);
    return 0;
}

int tlog_chunk_delete(int number)
{
    if (!lock())
        return TLOG_CHUNK_NESTED;
    struct tlog_chunk *chunk = chunk_of(number);
    if (!chunk)
        return unlock(TLOG_CHUNK_UNKNOWN);
    return unlock(chunk->flags & TLOG_CHUNK_NODEL ? 0 : delete (number, chunk));
}

/* ---- flags ------------------------------------------------------------------------------------------------------- */

int tlog_chunk_set_flags(int number, uint32_t flags)
{
    struct tlog_chunk *chunk = chunk_of(number);
    const uint32_t stay = TLOG_CHUNK_COMPR | TLOG_CHUNK_BUSY;
    if (!chunk)
        return TLOG_CHUNK_UNKNOWN;
    if (flags & TLOG_CHUNK_STOP && !(flags & TLOG_CHUNK_FULL) && is_current(chunk) && is_full(chunk)) {
        if (!change_flags(chunk, 0, TLOG_CHUNK_BUSY, ~stay, 0))
            return TLOG_CHUNK_STATE;
        tlog_ring_leave(tlog_cpu_here(), chunk); /* for itself: a chunk that starts over does it now */
    }
    return change_flags(chunk, 0, TLOG_CHUNK_BUSY, ~stay, flags & settable) ? 0 : TLOG_CHUNK_STATE;
}

int tlog_chunk_flags(int number)
{
    const struct tlog_chunk *chunk = chunk_of(number);
    if (!chunk)
        return TLOG_CHUNK_UNKNOWN;
    uint32_t flags = ((const volatile struct tlog_chunk *)chunk)->flags;
    bool starts_over = is_current(chunk) && !(flags & (TLOG_CHUNK_JTN | TLOG_CHUNK_STOP));
    return (int)(flags | (is_full(chunk) && !starts_over ? TLOG_CHUNK_FULL : 0u));
}

int tlog_chunk_first(uint32_t flags)
{
    for (int number = 0; number < TLOG_CHUNK_NUMBERS; number++) {
        int has = tlog_chunk_flags(number);
        if (has > 0 && (uint32_t)has & flags)
            return number;
    }
    return TLOG_CHUNK_UNKNOWN;
}

struct tlog_chunk **tlog_chunk_table(void)
{
    return table;
}

/* ---- the way from chunk to chunk --------------------------------------------------------------------------------- */

static int take_free(int number, struct tlog_chunk **chunk)
{
    *chunk = chunk_of(number);
    if (!*chunk)
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
    int result = before ? take_free(to, &chunk) : TLOG_CHUNK_UNKNOWN;
    if (result == 0)
        *(volatile uint32_t *)&before->next = (uint32_t)((uintptr_t)chunk - (uintptr_t)before);
    return unlock(result);
}

void tlog_next_chunk(void)
{
    if (!(tlog_cpu_here()->muted & TLOG_MUTED_OFF))
        tlog_ring_leave(tlog_cpu_here(), NULL);
}

/* ---- out of memory ----------------------------------------------------------------------------------------------- */

/* Compress into memory that begins with a block's head: of so many bytes, or 0 for the unused end of the arena. */
static bool compress_at(struct block *block, uint32_t size, const struct tlog_chunk *chunk)
{
    static struct tlog_pack work;
    const uint32_t head = (uint32_t)sizeof(struct block), room = size ? size : arena_size() - used;
    int32_t bytes = room > head ? tlog_pack(chunk, block + 1, room - head, &work) : TLOG_PACK_ROOM;
    if (bytes >= 0 && size == 0) {
        used += block->size = ((uint32_t)bytes + 15u + head) & ~15u;
        block->chunk = 0;
    }
    return bytes >= 0;
}

/* Where it fits in any case, else at the end, else into any block that happens to do. */
static int compress(uint32_t owner, const struct tlog_chunk *chunk)
{
    uint32_t most = TLOG_PACK_BYTES(chunk->slots, chunk->emergency) + (uint32_t)sizeof(struct block);
    struct block *block = find_block(most, false);
    bool done = block && compress_at(block, block->size, chunk);
    if (!done) {
        block = block_at(used);
        done = compress_at(block, 0, chunk);
    }
    for (uint32_t at = 0, next; at < used && !done; at = next) {
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
    if (!chunk)
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
    if (!chunk)
        return TLOG_CHUNK_UNKNOWN;
    if (!change_flags(chunk, 0, TLOG_CHUNK_BUSY, 0, TLOG_CHUNK_BUSY))
        return TLOG_CHUNK_STATE;
    int result = sender ? sender(chunk) : 0;
    change_flags(chunk, 0, 0, TLOG_CHUNK_BUSY, 0);
    return result == 0 ? tlog_chunk_set_flags(number, flags) : TLOG_CHUNK_SINK;
}

#endif
