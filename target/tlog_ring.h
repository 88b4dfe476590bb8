/* tlog_ring.h - the record path, inlined into every call of tlog_record(), and what its slow half needs.
 *
 * Private to tlog: firmware includes tlog.h. How it works and why it is safe is argued at the top of tlog_ring.c. */
#ifndef TLOG_RING_H
#define TLOG_RING_H

#ifndef TLOG_H
#error "tlog: include tlog.h"
#endif

#include "tlog_port.h"
#include "tlog_wire.h"

TLOG_BEGIN_C

/* The chunks a CPU fills in turn, one behind the other in memory, and the constant part of their headers. Constant.
 * With TLOG_RUNS there are so many banks of these chunks, one behind the other: one for each run that is kept. */
#define TLOG_PATTERN_WORDS 9u
struct tlog_ring {
    struct tlog_chunk *first;
    uint32_t chunks;
    uint32_t last_flags; /* of the last one, besides those of all: TLOG_CHUNK_STOP or 0 */
    uint32_t pattern[TLOG_PATTERN_WORDS];
};

/* Where the context is logged, below the wraps in the high word, whose own place there is 0. */
#if TLOG_CONTEXT
#define TLOG_WRAP_SHIFT      TLOG_CONTEXT_BITS
#define TLOG_RING_ROLE(role) ((uint32_t)(role) << 16 | ((role) == TLOG_ROLE_NAMES ? 0u : TLOG_PORT_CONTEXT))
#else
#define TLOG_WRAP_SHIFT      0u
#define TLOG_RING_ROLE(role) ((uint32_t)(role) << 16)
#endif

#define TLOG_RING(memory, cpu, slots, emergency, chunk_count, role, stop_when_full)                                    \
    {                                                                                                                  \
        .first = (struct tlog_chunk *)(void *)(memory), .chunks = (chunk_count),                                       \
        .last_flags = (stop_when_full) ? TLOG_CHUNK_STOP : 0u,                                                         \
        .pattern = {                                                                                                   \
            TLOG_WIRE_MAGIC,                                                                                           \
            TLOG_WIRE_TAG,                                                                                             \
            TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16 | (uint32_t)sizeof(void *) << 24,                              \
            (uint32_t)(cpu) | TLOG_RING_ROLE(role) | (uint32_t)(chunk_count) << 24,                                    \
            0u, /* self */                                                                                             \
            (slots),                                                                                                   \
            (emergency),                                                                                               \
            TLOG_CHUNK_BYTES(slots, emergency),                                                                        \
            TLOG_CLOCK_HZ,                                                                                             \
        },                                                                                                             \
    }

/* X(0) X(1) ... X(TLOG_CPUS - 1) */
#define TLOG_EACH_1(X)         X(0)
#define TLOG_EACH_2(X)         TLOG_EACH_1(X) X(1)
#define TLOG_EACH_3(X)         TLOG_EACH_2(X) X(2)
#define TLOG_EACH_4(X)         TLOG_EACH_3(X) X(3)
#define TLOG_EACH_5(X)         TLOG_EACH_4(X) X(4)
#define TLOG_EACH_6(X)         TLOG_EACH_5(X) X(5)
#define TLOG_EACH_7(X)         TLOG_EACH_6(X) X(6)
#define TLOG_EACH_8(X)         TLOG_EACH_7(X) X(7)
#define TLOG_EACH_PASTED(n, X) TLOG_EACH_##n(X)
#define TLOG_EACH_OF(n, X)     TLOG_EACH_PASTED(n, X)
#define TLOG_EACH_CPU(X)       TLOG_EACH_OF(TLOG_CPUS, X)

/* So that no two CPUs' states share a line of a cache, or what an exclusive watch watches. */
#if TLOG_CPUS > 1
#define TLOG_CPU_APART __attribute__((aligned(64)))
#else
#define TLOG_CPU_APART
#endif

/* One CPU's state: everything tlog keeps beside the chunks. Constant-initialised, so it works before main. */
struct TLOG_CPU_APART tlog_cpu {
    uint32_t filter;  /* bit n: family n is not recorded; bit 31: codes 0xF0.. are not */
    uint32_t *cursor; /* of the current chunk, called home; tlog_ring_full before the first event */
    TLOG_PORT_CPU_MEMBERS
    uint32_t high;                  /* time stamp, high word */
    const volatile uint32_t *clock; /* its low word */
    const struct tlog_ring *ring;
    uint32_t muted; /* what the filters of all CPUs follow from: families, and TLOG_MUTED_OFF while disabled; CPU 0's */
#if TLOG_UNIQUE_STAMPS
    uint32_t last; /* the youngest stamp, low word; 0 before the first */
#endif
#if TLOG_RUNS > 1
    struct tlog_chunk *first; /* of the bank that this run has taken; NULL: none yet */
    uint32_t erased;          /* 1: no chunk of an older run is left there */
#endif
#if TLOG_CPUS > 1
    uint32_t began; /* half wraps of the clock before the ring was opened, and 1; 0: not decided yet */
#endif
};

#ifdef TLOG_PORT_CPU_HIGH
TLOG_STATIC_ASSERT(__builtin_offsetof(struct tlog_cpu, high) == TLOG_PORT_CPU_HIGH, "port_*.h knows this offset");
TLOG_STATIC_ASSERT(__builtin_offsetof(struct tlog_cpu, clock) == TLOG_PORT_CPU_HIGH + 4, "and this one");
#endif

#define TLOG_FILTER_ALL 0xFFFFFFFFu
#define TLOG_MUTED_OFF  0x80000000u

/* A cursor whose slot is always taken. Behind it is room for the slots that an event without a call looks at. */
#define TLOG_RING_FULL_WORDS (TLOG_TRACEEVENTS ? 13u : 2u)
extern const uint32_t tlog_ring_full[TLOG_RING_FULL_WORDS];

/* Where another CPU may open the ring the clock is there from the start: a core that looks ahead might see the ring open, and
 * not yet what was stored before that. */
#if TLOG_CPUS > 1 && defined(TLOG_CLOCK_ADDRESS)
#define TLOG_CPU_CLOCK (const volatile uint32_t *)TLOG_CLOCK_ADDRESS
#else
#define TLOG_CPU_CLOCK 0
#endif

/* The members that not all configurations have. */
#if TLOG_UNIQUE_STAMPS
#define TLOG_CPU_INIT_LAST , 0u
#else
#define TLOG_CPU_INIT_LAST
#endif
#if TLOG_RUNS > 1
#define TLOG_CPU_INIT_RUNS , 0, 0u
#else
#define TLOG_CPU_INIT_RUNS
#endif
#if TLOG_CPUS > 1
#define TLOG_CPU_INIT_CPUS , 0u
#else
#define TLOG_CPU_INIT_CPUS
#endif
#define TLOG_CPU_INIT(ring)                                                                                            \
    {                                                                                                                  \
        0u, (uint32_t *)(uintptr_t)tlog_ring_full, TLOG_PORT_CPU_INIT 0u, TLOG_CPU_CLOCK, (ring),                      \
            0u TLOG_CPU_INIT_LAST TLOG_CPU_INIT_RUNS TLOG_CPU_INIT_CPUS                                                \
    }

/* The first chunk of the CPU's ring; with TLOG_RUNS not before it is opened. */
TLOG_INLINE struct tlog_chunk *tlog_ring_first(const struct tlog_cpu *cpu)
{
#if TLOG_RUNS > 1
    return ((const volatile struct tlog_cpu *)cpu)->first;
#else
    return cpu->ring->first;
#endif
}

/* Which run of the firmware this is, the same for all rings; 0: not decided yet. */
extern uint32_t tlog_ring_boot;

#if TLOG_CPUS > 1
/* The high word that the ring opened last began with, all of them counted. */
extern uint32_t tlog_ring_high;
#endif

/* Bits of a code that only the record path sees; word 0 has no place for them. */
#define TLOG_CODE_OWN    0x80000000u /* tells of a loss, and is not lost itself */
#define TLOG_CODE_URGENT 0x40000000u /* may take an emergency slot */

/* The chunk whose cursor that is. From here on the compiler takes the header for the base, because the instructions that
 * watch a word have no negative offsets. */
TLOG_INLINE struct tlog_chunk *tlog_ring_chunk(uint32_t *cursor)
{
    struct tlog_chunk *chunk = (struct tlog_chunk *)(void *)((char *)cursor - TLOG_CURSOR_OFFSET);
    __asm("" : "+r"(chunk));
    return chunk;
}

/* The current chunk; not before the first event. */
TLOG_INLINE struct tlog_chunk *tlog_ring_home(const struct tlog_cpu *cpu)
{
    return tlog_ring_chunk(((const volatile struct tlog_cpu *)cpu)->cursor);
}

TLOG_INLINE bool tlog_ring_is_open(const struct tlog_cpu *cpu)
{
    return ((const volatile struct tlog_cpu *)cpu)->cursor != tlog_ring_full;
}

/* The event when the fast path stopped: open, switch, carry the high word over, tell of a loss, try again or drop. The
 * parameters come first so that they stay in the registers a caller of TRACER_LOGEVENT has them in. Any context. */
void tlog_ring_slow(uint32_t par1, uint32_t par2, uint32_t code, struct tlog_cpu *cpu);

/* Make room for an event, as far as can be told, by opening, switching, carrying the high word over; ahead of it tell of a
 * loss, unless the code is TLOG_CODE_OWN. False when there is none. Any context. */
bool tlog_ring_make_room(struct tlog_cpu *cpu, uint32_t code);

/* Count an event as lost. Any context. */
void tlog_ring_drop(struct tlog_cpu *cpu);

#if TLOG_TRACEEVENTS
/* 32-bit stamps need to be told the wraps of the clock: at the beginning of every lap (given in tlog_event.c: whether the
 * first two slots of the lap that the cursor opens can be had, with the time; and what is put there), and at every wrap. */
bool tlog_ring_refer(const struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t cursor, struct tlog_reserved *at);
void tlog_ring_put_reference(struct tlog_chunk *chunk, const struct tlog_reserved *at);
void tlog_ring_put_time(struct tlog_cpu *cpu, uint32_t wraps);
#else
TLOG_INLINE bool tlog_ring_refer(const struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t cursor,
                                 struct tlog_reserved *at)
{
    (void)cpu, (void)chunk, (void)cursor, (void)at;
    return false;
}
TLOG_INLINE void tlog_ring_put_reference(struct tlog_chunk *chunk, const struct tlog_reserved *at)
{
    (void)chunk, (void)at;
}
TLOG_INLINE void tlog_ring_put_time(struct tlog_cpu *cpu, uint32_t wraps)
{
    (void)cpu, (void)wraps;
}
#endif

/* Wraps of the clock that a high word, or word 1 of a record, tells. */
TLOG_INLINE uint32_t tlog_ring_wraps(uint32_t high)
{
    return (high & ~TLOG_HIGH_MIRROR) >> TLOG_WRAP_SHIFT;
}

/* The high word half a wrap of the clock later. */
TLOG_INLINE uint32_t tlog_ring_carry(uint32_t high)
{
    return high + TLOG_HIGH_MIRROR + (high >> 31 << TLOG_WRAP_SHIFT);
}

/* Carry the high word over when the clock has passed half a wrap. Any context. */
void tlog_ring_tick(struct tlog_cpu *cpu);

/* Open the CPU's first chunk unless that is done. Any context. */
void tlog_ring_start(struct tlog_cpu *cpu);

/* The chunk at `at`, or the next one behind it, in all of tlog's memory; NULL: none. They stand at multiples of 16, perhaps
 * with unused memory between them. Any context. */
struct tlog_chunk *tlog_ring_find(uintptr_t at);

#if TLOG_RUNS > 1
/* The number of the newest run before `limit` that memory tells of, 0: none; limit 0: of all runs. Any context. */
uint32_t tlog_ring_run_before(uint32_t limit);

/* Where this run's ring is to be: the first chunk of the bank that is empty, or else holds the oldest run. Any context. */
struct tlog_chunk *tlog_ring_bank(const struct tlog_ring *ring);
#endif

/* Make memory a chunk: header, empty slots, no seal; of a ring, or one that stands alone. It is open or full. Every
 * store is made only while the CPU's ring is not opened. */
void tlog_ring_format(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t number, bool open);

/* Leave the current chunk before it is full: for the one given, or for the one that follows it. When that is being sent,
 * or there is none, events are lost until there is. Any context. */
void tlog_ring_leave(struct tlog_cpu *cpu, struct tlog_chunk *to);

/* Park a chunk that is not current, so that nobody who is on the way to making it current can. False if it is. Any
 * context. */
bool tlog_ring_shut(struct tlog_cpu *cpu, struct tlog_chunk *chunk);

/* Whether every slot that has been reserved in a chunk is filled. */
bool tlog_ring_is_finished(const struct tlog_chunk *chunk);

/* Add to a word that interrupts change as well; its value before. Any context. */
uint32_t tlog_ring_add(uint32_t *word, uint32_t n);

/* CRC-32 (IEEE 802.3) over words, continuing from crc; start with and finally invert 0xFFFFFFFF. */
uint32_t tlog_ring_crc(uint32_t crc, const uint32_t *words, uint32_t count);

/* Whether that is a chunk, of this run or an earlier one. */
TLOG_INLINE bool tlog_ring_is_chunk(const struct tlog_chunk *chunk)
{
    return chunk->magic == TLOG_WIRE_MAGIC && chunk->tag == TLOG_WIRE_TAG && chunk->self == (uint32_t)(uintptr_t)chunk
           && ~tlog_ring_crc(~0u, &chunk->magic, TLOG_CRC_BYTES / 4u) == chunk->crc;
}

/* The same, and whole before that address. Chunks of another firmware may have any size and stand anywhere. */
TLOG_INLINE bool tlog_ring_is_inside(const struct tlog_chunk *chunk, uintptr_t end)
{
    return tlog_ring_is_chunk(chunk) && chunk->buf_size <= end - (uintptr_t)chunk && chunk->slots - 1u < TLOG_SLOTS_MAX
           && chunk->emergency <= TLOG_SLOTS_MAX && chunk->buf_size == TLOG_CHUNK_BYTES(chunk->slots, chunk->emergency);
}

/* Whether a filter word suppresses a code. Filter changes and commands (0xF0..0xFF) belong to no family; their bit is
 * 31, which is set only with all the others, so a code that is not constant has its family's bit looked at first. */
TLOG_ALWAYS_INLINE bool tlog_ring_is_muted(uint32_t filter, uint32_t code)
{
    bool in_family = (code & 0xF0u) != 0xF0u;
    if (__builtin_constant_p(code))
        return __builtin_expect((filter & (in_family ? 1u << (code & 15u) : 1u << 31)) != 0, 0);
    return __builtin_expect((filter >> (code & 15u) & 1u) != 0, 0) && (in_family || filter >> 31);
}

/* ---- stamps ------------------------------------------------------------------------------------------------------
 *
 * Each atomic step that gives an event its slots is: tlog_ring_claim(); load-exclusive; look; tlog_ring_stamp();
 * tlog_ring_commit(). With TLOG_UNIQUE_STAMPS the stamp is claimed before the watch begins, by a store-exclusive to
 * cpu->last, and the slots are had only while it is still the last: nobody claimed a later one since, and nobody can before
 * the store without ending the watch. So slot order is still stamp order. A claim that was overtaken is thrown away. Without
 * it the first is nothing, the second reads the clock, and the third is the store. */
#if TLOG_UNIQUE_STAMPS
#define TLOG_AHEAD_SHIFT 30u /* stamps are less than 2^30 ticks ahead of the clock */

/* The clock, or the youngest stamp where that is ahead. Does not go back. Not before the ring is opened. */
TLOG_ALWAYS_INLINE uint32_t tlog_ring_time(const struct tlog_cpu *cpu)
{
    uint32_t last = ((const volatile struct tlog_cpu *)cpu)->last, now = tlog_port_now_at(cpu->clock);
    return (last - now) >> TLOG_AHEAD_SHIFT == 0 ? last : now;
}

TLOG_ALWAYS_INLINE uint32_t tlog_ring_claim(struct tlog_cpu *cpu)
{
    uint32_t last, now;
    do {
        last = tlog_port_load_exclusive(&cpu->last);
        now = tlog_port_now_at(cpu->clock);
        if ((last - now) >> TLOG_AHEAD_SHIFT == 0)
            now = last + 1u;
    } while (tlog_port_store_exclusive(now, &cpu->last));
    return now;
}

TLOG_ALWAYS_INLINE uint32_t tlog_ring_stamp(const struct tlog_cpu *cpu, uint32_t claimed)
{
    (void)cpu;
    return claimed;
}

/* True when the step is to be done again. */
TLOG_ALWAYS_INLINE bool tlog_ring_commit(const struct tlog_cpu *cpu, uint32_t claimed, uint32_t value, uint32_t *word)
{
    if (((const volatile struct tlog_cpu *)cpu)->last != claimed) {
        tlog_port_clear_exclusive();
        return true;
    }
    return tlog_port_store_exclusive(value, word) != 0;
}

/* tlog_port_reserve() for n slots. Looks before it claims: a ring that is not opened has no clock, and an event without a
 * slot needs no stamp. */
TLOG_ALWAYS_INLINE bool tlog_ring_reserve_slots(struct tlog_cpu *cpu, uint32_t *cursor, uint32_t n,
                                                struct tlog_reserved *at)
{
    do {
        uint32_t seen = 0, now = *(volatile uint32_t *)cursor;
        volatile uint32_t *slot = (volatile uint32_t *)(uintptr_t)((uintptr_t)cursor + (now >> 12));
        if ((*slot & now & TLOG_TAG_MASK) != 0)
            return false;
        at->low = tlog_ring_claim(cpu);
        at->cursor = tlog_port_load_exclusive(cursor);
        slot = (volatile uint32_t *)(uintptr_t)((uintptr_t)cursor + (at->cursor >> 12));
        at->slot = (uint32_t *)(uintptr_t)slot;
        for (uint32_t i = 0; i < n; i++)
            seen |= slot[4u * i];
        at->high = ((volatile struct tlog_cpu *)cpu)->high;
        if ((seen & at->cursor & TLOG_TAG_MASK) != 0 || (int32_t)(at->high ^ at->low) < 0) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_ring_commit(cpu, at->low, at->cursor + n * TLOG_CURSOR_STEP, cursor));
    return true;
}

TLOG_ALWAYS_INLINE bool tlog_ring_reserve(struct tlog_cpu *cpu, uint32_t *cursor, struct tlog_reserved *at)
{
    if (!tlog_ring_reserve_slots(cpu, cursor, 1, at))
        return false;
    if (TLOG_CONTEXT)
        at->high = tlog_port_context(at->high);
    return true;
}

TLOG_ALWAYS_INLINE bool tlog_ring_reserve_home(struct tlog_cpu *cpu, tlog_port_home home, struct tlog_reserved *at)
{
    return tlog_ring_reserve(cpu, tlog_port_cursor(home), at);
}
#else
#define tlog_ring_time(cpu) tlog_port_now_at((cpu)->clock)

TLOG_ALWAYS_INLINE uint32_t tlog_ring_claim(const struct tlog_cpu *cpu)
{
    (void)cpu;
    return 0;
}

TLOG_ALWAYS_INLINE uint32_t tlog_ring_stamp(const struct tlog_cpu *cpu, uint32_t claimed)
{
    (void)claimed;
    return tlog_port_now_at(cpu->clock);
}

TLOG_ALWAYS_INLINE bool tlog_ring_commit(const struct tlog_cpu *cpu, uint32_t claimed, uint32_t value, uint32_t *word)
{
    (void)cpu, (void)claimed;
    return tlog_port_store_exclusive(value, word) != 0;
}

TLOG_ALWAYS_INLINE bool tlog_ring_reserve(struct tlog_cpu *cpu, uint32_t *cursor, struct tlog_reserved *at)
{
    return tlog_port_reserve(cpu, cursor, at);
}

TLOG_ALWAYS_INLINE bool tlog_ring_reserve_home(struct tlog_cpu *cpu, tlog_port_home home, struct tlog_reserved *at)
{
    return tlog_port_reserve_home(cpu, home, at);
}
#endif

/* Fill a reserved slot. Word 0 comes last: until it is there the slot bears the tag of an earlier lap. */
TLOG_ALWAYS_INLINE void tlog_ring_fill(const struct tlog_reserved *at, uint32_t code, uint32_t par1, uint32_t par2)
{
    at->slot[1] = at->high;
    at->slot[2] = at->low;
    at->slot[3] = par2;
    tlog_port_publish();
    tlog_port_head(at->slot, at->cursor + code, par1);
}

/* Whether the filter suppresses a class of traceevents: its bit stands behind those of the families. */
TLOG_ALWAYS_INLINE bool tlog_ring_is_class_muted(uint32_t filter, uint32_t cls)
{
    return __builtin_expect((filter & 1u << (cls < 16u ? 15u + cls : 31u)) != 0, 0);
}

/* The same without a look at the filter: recorded also while logging is disabled. */
TLOG_ALWAYS_INLINE void tlog_ring_record_fast(struct tlog_cpu *cpu, uint32_t code, uint32_t par1, uint32_t par2)
{
    struct tlog_reserved at;
    if (__builtin_expect(tlog_ring_reserve(cpu, cpu->cursor, &at), 1))
        tlog_ring_fill(&at, code, par1, par2);
    else
        tlog_ring_slow(par1, par2, code, tlog_port_again(cpu));
}

TLOG_ALWAYS_INLINE void tlog_ring_record(struct tlog_cpu *cpu, uint32_t code, uint32_t par1, uint32_t par2)
{
    tlog_port_home home;
    struct tlog_reserved at;
    if (tlog_ring_is_muted(tlog_port_filter(cpu, &home), code))
        return;
    if (__builtin_expect(tlog_ring_reserve_home(cpu, home, &at), 1))
        tlog_ring_fill(&at, code, par1, par2);
    else
        tlog_ring_slow(par1, par2, code, tlog_port_again(cpu));
}

TLOG_END_C

#endif
