/* SPDX-License-Identifier: MIT */
/* tlog_ring.h - the record path that is inlined into every tlog_record(), and the functions of its slow half.
 *
 * Private to tlog: firmware includes tlog.h. The top of tlog_ring.c explains how the ring works and why it is safe. */
#ifndef TLOG_RING_H
#define TLOG_RING_H

#ifndef TLOG_H
#error "tlog: include tlog.h"
#endif

#include "tlog_cpu.h"

TLOG_BEGIN_C

/* ---- the slow half: tlog_ring.c and others -------------------------------------------------------------------------
 *
 * All of it is callable from any context. */

/* Record an event for which the fast path found no slot. As needed: open the ring, switch chunks, carry the high word
 * over, report a loss, and try again; or drop the event. The parameters come first so that they stay in the registers
 * where a caller of TRACER_LOGEVENT() has them. */
void tlog_ring_slow(uint32_t par1, uint32_t par2, uint32_t code, struct tlog_cpu *cpu);

/* If home is full, switch to the chunk that follows it, in few instructions, if nothing stands in the way. */
void tlog_ring_switch(struct tlog_cpu *cpu);

/* Make room for an event: open the ring, switch chunks, carry the high word over, as needed. reports: if events were
 * lost, report that ahead of the event. False: there is no room. An interrupt may take the room before the caller
 * does. */
bool tlog_ring_make_room(struct tlog_cpu *cpu, bool reports);

/* Count an event as lost. */
void tlog_ring_drop(struct tlog_cpu *cpu);

#if TLOG_START
/* The same before the ring is opened. False: it is open now. */
bool tlog_ring_drop_early(struct tlog_cpu *cpu);
#else
TLOG_INLINE bool tlog_ring_drop_early(struct tlog_cpu *cpu)
{
    (void)cpu;
    return false;
}
#endif

/* Park home, so that the next event takes the slow path. */
void tlog_ring_close(struct tlog_cpu *cpu);

/* Whether logging is off: by tlog_disable(), or because it is held. */
TLOG_INLINE bool tlog_ring_is_off(void)
{
    return tlog_ring_is_held() || (((volatile struct tlog_cpu *)tlog_cpus)->muted & TLOG_MUTED_OFF) != 0;
}

/* Clear and set bits of a word that interrupts and other CPUs change as well. Returns the word before. */
uint32_t tlog_ring_change_bits(uint32_t *word, uint32_t clear, uint32_t set);

/* Pauses (tlog_pause.c). A pause is marked before logging goes off, and noted when it is off: skipped tells what is not
 * counted. It ends when logging is on again, and is told ahead of a CPU's next event, or here at once. Between hold and
 * release nothing is logged, and every event is counted as lost. */
void tlog_pause_mark(void);
void tlog_pause_note(uint32_t skipped);
void tlog_pause_end(void);
void tlog_pause_tell(void);
void tlog_pause_mark_filter(uint32_t number, uint32_t status);

/* tlog_filter_bit(): suppressed if the status is not 0; the mark tells the status. False: nothing has changed, and
 * there is no mark. */
bool tlog_ring_filter(uint32_t number, uint32_t status);
void tlog_pause_hold(void);
void tlog_pause_release(void);

/* What the slots at the beginning of a lap tell. */
struct tlog_reference {
    struct tlog_reserved at;
#if TLOG_HAS_COARSE
    uint32_t coarse;
#endif
};

#if TLOG_TRACEEVENTS || TLOG_HAS_COARSE
/* The 32-bit stamps of traceevents need slots that tell the wraps of the clock; a coarse clock is told by a slot, too
 * (tlog_time.c). At every wrap: tlog_ring_put_time(). At the beginning of each lap: tlog_ring_refer() says whether the
 * first TLOG_LAP_SLOTS slots of the lap that `cursor` opens are free, and reads the time for them;
 * tlog_ring_put_reference() fills them. */
bool tlog_ring_refer(const struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t cursor,
                     struct tlog_reference *reference);
void tlog_ring_put_reference(struct tlog_chunk *chunk, const struct tlog_reference *reference);
void tlog_ring_put_time(struct tlog_cpu *cpu, uint32_t wraps);

/* The clock has wrapped: log a slot that tells it. While logging is disabled that is done when it is enabled again: so
 * a dump that is being sent does not change. */
void tlog_ring_tell_time(struct tlog_cpu *cpu);
void tlog_ring_tell_times(void);
#else
TLOG_INLINE bool tlog_ring_refer(const struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t cursor,
                                 struct tlog_reference *reference)
{
    (void)cpu, (void)chunk, (void)cursor, (void)reference;
    return false;
}
TLOG_INLINE void tlog_ring_put_reference(struct tlog_chunk *chunk, const struct tlog_reference *reference)
{
    (void)chunk, (void)reference;
}
TLOG_INLINE void tlog_ring_put_time(struct tlog_cpu *cpu, uint32_t wraps)
{
    (void)cpu, (void)wraps;
}
TLOG_INLINE void tlog_ring_tell_time(struct tlog_cpu *cpu)
{
    (void)cpu;
}
TLOG_INLINE void tlog_ring_tell_times(void)
{
}
#endif

/* The wraps of the clock in a high word, which is also word 1 of a record. */
TLOG_INLINE uint32_t tlog_ring_wraps(uint32_t high)
{
    return (high & ~TLOG_HIGH_MIRROR) >> TLOG_WRAP_SHIFT;
}

/* The high word half a wrap of the clock later. */
TLOG_INLINE uint32_t tlog_ring_carry(uint32_t high)
{
    return high + TLOG_HIGH_MIRROR + (high >> 31 << TLOG_WRAP_SHIFT);
}

/* Carry the high word over if the clock has passed half a wrap; with a coarse clock also by the wraps that were not
 * seen. */
void tlog_ring_tick(struct tlog_cpu *cpu);

#if TLOG_HAS_COARSE
/* Forget what the coarse clock told, because the clock is set. */
void tlog_ring_forget_coarse(struct tlog_cpu *cpu);

/* The ring is open: tell the coarse clock, unless it is a ring of names. */
void tlog_ring_start_coarse(struct tlog_cpu *cpu);
#else
TLOG_INLINE void tlog_ring_forget_coarse(struct tlog_cpu *cpu)
{
    (void)cpu;
}
TLOG_INLINE void tlog_ring_start_coarse(struct tlog_cpu *cpu)
{
    (void)cpu;
}
#endif

#if TLOG_SLEEP_HZ
/* The rate of the clock is about to change: compare it with the sleep clock (tlog_sleep.c). */
void tlog_sleep_rate(void);
#else
TLOG_INLINE void tlog_sleep_rate(void)
{
}
#endif

#if TLOG_CLOCK_CHANGES
/* A ring is open: if it is one of events, and the first of this run, tell the rate of the clock (tlog_rate.c). */
void tlog_rate_start(struct tlog_cpu *cpu);

/* Logging is enabled again: tell how the rate of the clock has changed since it was disabled. */
void tlog_rate_tell(void);

/* The present rate, in Hz; 0: not known. */
uint32_t tlog_rate_now(void);
#else
TLOG_INLINE void tlog_rate_start(struct tlog_cpu *cpu)
{
    (void)cpu;
}
TLOG_INLINE void tlog_rate_tell(void)
{
}
TLOG_INLINE uint32_t tlog_rate_now(void)
{
    return TLOG_CLOCK_RATE;
}
#endif

/* Open the CPU's ring, unless it is open. With TLOG_FORMS tlog_ring_open() opens a ring that is not open, for an event
 * of n slots; names have a function of their own, because their chunk is formatted as a whole. */
void tlog_ring_start(struct tlog_cpu *cpu);
#if TLOG_FORMS
void tlog_ring_start_names(struct tlog_cpu *cpu);
void tlog_ring_open(struct tlog_cpu *cpu, uint32_t n);
#else
#define tlog_ring_start_names  tlog_ring_start
#define tlog_ring_open(cpu, n) ((void)(n), tlog_ring_start(cpu))
#endif

/* Open the rings of all CPUs, for a call that needs them. */
void tlog_ring_start_all(void);

/* The first chunk at address `at` or behind it, and before address `end`; NULL: none. Chunks stand at multiples of 16
 * bytes; unused memory may be between them. */
struct tlog_chunk *tlog_ring_find(uintptr_t at, uintptr_t end);

/* tlog's memory: one or more areas, each from begin up to end. See tlog_runs.c. */
struct tlog_area {
    uintptr_t begin, end;
};

/* Area `number` of TLOG_RING_AREAS; it may be empty. */
#define TLOG_RING_AREAS (TLOG_RUNS > 1 ? 1u : TLOG_ARENA ? 4u : 3u)
struct tlog_area tlog_ring_area(uint32_t number);

/* The section of the chunks. Names have one of their own, with ".names" behind that, because linkers keep or drop whole
 * sections. Every linker script places sections that begin with .bss, among zeroed variables: that does for one run.
 * More runs need memory that start-up code leaves alone, and so a name that no script takes for .bss. */
#if TLOG_RUNS > 1
#define TLOG_SECTION "tlog_chunks"
#else
#define TLOG_SECTION ".bss.tlog_chunks"
#endif
#define TLOG_EVENT_WORDS (TLOG_RUNS * TLOG_CHUNKS * TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS) / 4u)
#define TLOG_NAME_WORDS  (TLOG_RUNS * TLOG_CHUNK_BYTES(TLOG_NAME_SLOTS, 0u) / 4u)
extern uint32_t tlog_event_chunks[TLOG_CPUS][TLOG_EVENT_WORDS + TLOG_REFUSED_WORDS]; /* tlog.c */
extern uint32_t tlog_name_chunks[TLOG_CPUS][TLOG_NAME_WORDS];                        /* tlog_name.c */

/* With TLOG_RUNS = 1: the chunks of names, if any name was logged; else NULL. A reference from tlog_runs.c would keep
 * them in firmware that has no names. */
extern uint32_t *tlog_ring_names;

#if TLOG_RUNS > 1
/* The number of the newest run before run `limit` of which memory holds a chunk; limit 0: of all runs. 0: there is
 * none. */
uint32_t tlog_ring_run_before(uint32_t limit);

/* The number of the newest run that memory knows, also if its bank was just being taken. 0: there is none. */
uint32_t tlog_ring_newest_run(void);

/* Whether the newest run is being sent: a run that begins meanwhile does not take its bank. */
extern bool tlog_ring_sends;

/* The bank that a new run is to take. Returns its first chunk. An empty one; else that of the newest short run, if two
 * short runs at least have followed the newest long one, or if no other run is left but that; else that of the oldest
 * run. A run is short if it has ended within its first lap, and with at most TLOG_SHORT_RUN events. */
enum { TLOG_SHORT_RUN = 64 };
struct tlog_chunk *tlog_ring_bank(const struct tlog_ring *ring);
#endif

/* Make memory a chunk, of a ring or alone: header, empty slots, no seal. It is open or full, as `open` says. For a
 * chunk of a ring every store is made only while the CPU's ring is not opened yet. */
void tlog_ring_format(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t number, bool open);

/* Leave the current chunk before it is full, for chunk `to`, or with NULL for the chunk that follows it. While there is
 * none, or it is being sent, events are lost. */
void tlog_ring_leave(struct tlog_cpu *cpu, struct tlog_chunk *to);

/* Park a chunk that is not current, so that a writer that is about to make it current can no longer do so. False: the
 * chunk is current already. */
bool tlog_ring_shut(struct tlog_cpu *cpu, struct tlog_chunk *chunk);

/* Whether every slot that was reserved in a chunk is filled. */
bool tlog_ring_is_finished(const struct tlog_chunk *chunk);

/* Add n to a word that interrupts change as well. Returns the value before. */
uint32_t tlog_ring_add(uint32_t *word, uint32_t n);

/* CRC-32 (IEEE 802.3) over count words, continued from crc. The first call gets 0xFFFFFFFF; the last result is inverted
 * by the caller. */
uint32_t tlog_ring_crc(uint32_t crc, const uint32_t *words, uint32_t count);

/* What the word `check` of a chunk's header should be. */
uint32_t tlog_ring_check(const struct tlog_chunk *chunk);

/* The notes of a chunk's claimed slots. */
TLOG_INLINE struct tlog_claims *tlog_chunk_claims(const struct tlog_chunk *chunk)
{
    const uint32_t *slots = (const uint32_t *)(chunk + 1);
    return (struct tlog_claims *)(uintptr_t)(slots + (chunk->slots + 1u + chunk->emergency) * 4u);
}

/* Whether a chunk, of this run or an earlier one, stands at this address. */
TLOG_INLINE bool tlog_ring_is_chunk(const struct tlog_chunk *chunk)
{
    return chunk->magic == TLOG_WIRE_MAGIC && chunk->tag == TLOG_WIRE_TAG && chunk->self == (uint32_t)(uintptr_t)chunk
           && tlog_ring_check(chunk) == chunk->check;
}

/* ---- the filter ------------------------------------------------------------------------------------------------- */

/* Each event looks at the filter once before it writes anything: so it is there that an event of a CPU that may not log
 * (tlog_refuse.c) is refused, and counted. An event that is suppressed is not counted. */

/* Whether a filter word suppresses a code. Filter changes and commands (0xF0..0xFF) belong to no family; their bit is
 * 31, which is set only together with all other bits. So of a code that is not constant the family's bit is looked at
 * first. */
TLOG_ALWAYS_INLINE bool tlog_ring_is_muted(uint32_t filter, uint32_t code)
{
    bool in_family = (code & 0xF0u) != 0xF0u;
    if (__builtin_constant_p(code))
        return __builtin_expect((filter & (in_family ? 1u << (code & 15u) : 1u << 31)) != 0, 0) || tlog_port_refuses();
    return (__builtin_expect((filter >> (code & 15u) & 1u) != 0, 0) && (in_family || filter >> 31))
           || tlog_port_refuses();
}

/* The same for the CPU's filter word; what is loaded with it goes to home. A port with few registers keeps a code that
 * is not constant where it is in the way of none, and has none left for the filter word: that is loaded again. */
TLOG_ALWAYS_INLINE bool tlog_ring_is_suppressed(const struct tlog_cpu *cpu, uint32_t *code, tlog_port_home *home)
{
#ifdef TLOG_PORT_FAMILY
    const uint32_t family = tlog_port_family(code);
    return (__builtin_expect((tlog_port_filter(cpu, home) >> family & 1u) != 0, 0)
            && ((*code & 0xF0u) != 0xF0u || ((const volatile struct tlog_cpu *)cpu)->filter >> 31))
           || tlog_port_refuses();
#else
    return tlog_ring_is_muted(tlog_port_filter(cpu, home), *code);
#endif
}

/* The bit of a filter word that suppresses a class of traceevents. Those of classes 1..15 are above those of the
 * families. */
TLOG_ALWAYS_INLINE uint32_t tlog_ring_class_bit(uint32_t cls)
{
    return 1u << (cls < 16u ? 15u + cls : 31u);
}

TLOG_ALWAYS_INLINE bool tlog_ring_is_class_muted(uint32_t filter, uint32_t cls)
{
    return __builtin_expect((filter & tlog_ring_class_bit(cls)) != 0, 0) || tlog_port_refuses();
}

/* ---- stamps --------------------------------------------------------------------------------------------------------
 *
 * Each atomic step that reserves slots for an event is: tlog_ring_claim(); load-exclusive of the cursor; checks;
 * tlog_ring_stamp(); tlog_ring_commit(), which stores the cursor.
 *
 * Without TLOG_UNIQUE_STAMPS tlog_ring_claim() does nothing, tlog_ring_stamp() reads the clock, and tlog_ring_commit()
 * is the store-exclusive.
 *
 * With TLOG_UNIQUE_STAMPS the stamp is claimed before the watch begins, by a store-exclusive to cpu->last. The slots
 * are reserved only if the claimed stamp is still the last one: then no other writer has claimed a later stamp since,
 * and none can do so before the store without ending the watch. So slot order is still stamp order. A claim that was
 * overtaken by another writer's is thrown away, and the step begins again. */
#if TLOG_UNIQUE_STAMPS
#define TLOG_AHEAD_SHIFT 30u /* stamps are less than 2^30 ticks ahead of the clock */

/* The time: the clock, or the youngest stamp where that is ahead of the clock. Never goes back. Not valid before the
 * ring is opened. */
TLOG_ALWAYS_INLINE uint32_t tlog_ring_time(const struct tlog_cpu *cpu)
{
    uint32_t last = ((const volatile struct tlog_cpu *)cpu)->last, now = tlog_port_now_at(cpu->clock);
    return (last - now) >> TLOG_AHEAD_SHIFT == 0 ? last : now;
}

/* Claim a stamp: the clock's time, or the youngest stamp plus 1 where that is later. */
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

/* The stamp of the step. */
TLOG_ALWAYS_INLINE uint32_t tlog_ring_stamp(const struct tlog_cpu *cpu, uint32_t claimed)
{
    (void)cpu;
    return claimed;
}

/* Store value in the watched word. True: it was not stored, and the step must begin again. */
TLOG_ALWAYS_INLINE bool tlog_ring_commit(const struct tlog_cpu *cpu, uint32_t claimed, uint32_t value, uint32_t *word)
{
    if (((const volatile struct tlog_cpu *)cpu)->last != claimed) {
        tlog_port_clear_exclusive();
        return true;
    }
    return tlog_port_store_exclusive(value, word) != 0;
}

/* tlog_port_reserve() for n slots side by side. It looks for a free slot before it claims a stamp, because a ring that
 * is not opened has no clock, and an event without a slot needs no stamp. */
TLOG_ALWAYS_INLINE bool tlog_ring_reserve_slots(struct tlog_cpu *cpu, uint32_t *cursor, uint32_t n,
                                                struct tlog_reserved *at)
{
    do {
        uint32_t seen = 0, now = *(volatile uint32_t *)cursor;
        volatile uint32_t *slot = (volatile uint32_t *)(uintptr_t)((uintptr_t)cursor + (now >> 12));
        if ((slot[TLOG_WORD_HEAD] & now & TLOG_TAG_MASK) != 0)
            return false;
        at->low = tlog_ring_claim(cpu);
        at->cursor = tlog_port_load_exclusive(cursor);
        slot = (volatile uint32_t *)(uintptr_t)((uintptr_t)cursor + (at->cursor >> 12));
        at->slot = (uint32_t *)(uintptr_t)slot;
        for (uint32_t i = 0; i < n; i++)
            seen |= slot[4u * i + TLOG_WORD_HEAD];
        at->high = ((volatile struct tlog_cpu *)cpu)->high;
        if ((seen & at->cursor & TLOG_TAG_MASK) != 0 || (int32_t)(at->high ^ at->low) < 0) {
            TLOG_PORT_NEED();
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_ring_commit(cpu, at->low, at->cursor + n * TLOG_CURSOR_STEP, cursor));
    return true;
}

/* tlog_port_reserve() and tlog_port_reserve_home(), with a stamp that is unique. */
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

/* Count n slots of the chunk with that cursor as slots that are no event of their own. Called between reserving the
 * slots and filling them: so the count is right wherever no slot is unfinished. */
TLOG_ALWAYS_INLINE void tlog_ring_count_extra(uint32_t *cursor, uint32_t n)
{
#ifdef TLOG_PORT_ADD
    tlog_port_add(cursor + 3, n);
#else
    uint32_t extra;
    do
        extra = tlog_port_load_exclusive(cursor + 3);
    while (__builtin_expect(tlog_port_store_exclusive(extra + n, cursor + 3) != 0, 0));
#endif
}

/* Fill a reserved slot. The head comes last: until it is there the slot bears the tag of an earlier lap. */
TLOG_ALWAYS_INLINE void tlog_ring_fill(const struct tlog_reserved *at, uint32_t code, uint32_t par1, uint32_t par2)
{
#ifdef TLOG_PORT_PUT_RECORD
    tlog_port_put_record(at, code, par1, par2);
#else
    tlog_port_put_two(at->slot, par2, at->high); /* par2 and the stamp's high word are words 0 and 1 */
    at->slot[TLOG_WORD_LOW] = at->low;
    tlog_port_publish();
    tlog_port_head(at->slot, at->cursor + code, par1);
#endif
}

/* Record an event without a look at the filter. */
TLOG_ALWAYS_INLINE void tlog_ring_record_fast(struct tlog_cpu *cpu, uint32_t code, uint32_t par1, uint32_t par2)
{
    struct tlog_reserved at;
    if (tlog_port_refuses())
        return;
    if (__builtin_expect(tlog_ring_reserve(cpu, cpu->cursor, &at), 1))
        tlog_ring_fill(&at, code, par1, par2);
    else
        tlog_ring_slow(par1, par2, code, tlog_port_again(cpu));
}

/* Record an event unless the filter suppresses it. */
TLOG_ALWAYS_INLINE void tlog_ring_record(struct tlog_cpu *cpu, uint32_t code, uint32_t par1, uint32_t par2)
{
    tlog_port_home home;
    struct tlog_reserved at;
    if (__builtin_constant_p(code) ? tlog_ring_is_muted(tlog_port_filter(cpu, &home), code)
                                   : tlog_ring_is_suppressed(cpu, &code, &home))
        return;
    if (__builtin_expect(tlog_ring_reserve_home(cpu, home, &at), 1))
        tlog_ring_fill(&at, code, par1, par2);
    else
        tlog_ring_slow(par1, par2, code, tlog_port_again(cpu));
}

TLOG_END_C

#endif
