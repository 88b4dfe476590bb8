/* SPDX-License-Identifier: MIT */
/* tlog_start.c - opening a ring: at the first event, memory with any content becomes chunks, and the first of them is
 * open.
 *
 * The memory of the chunks is not initialised at reset: it may hold noise, or the events of the last run. The first
 * writer of this run formats it. An interrupt that logs in the middle of that begins anew, finishes, and sets
 * cpu->cursor. Every store here is a store-exclusive, made only while cpu->cursor is not set: so the interrupted writer
 * stores nothing any more.
 *
 * Several writers may format one ring at once: two threads that take turns, a CPU that opens the rings of all, a thread
 * that was moved to another CPU. So each writer stores each word once, and computes its value only from what they
 * share. All store the same values.
 *
 * With TLOG_RUNS > 1 a new run takes one bank (tlog_runs.c), and the other banks keep what they hold. A reset may
 * interrupt this, more than once. So the magic of a chunk is erased first and written last: a chunk that is not whole
 * has no magic and is not found. The first chunk of a bank becomes whole last, because the bank is recognised by it.
 *
 * So each magic is stored to twice. It is erased only while cpu->erased is 0, and written only after cpu->erased was
 * set to 1. What if a writer sees 0, and is interrupted until another writer has set it and written the magic? Its
 * store-exclusive fails, because the magic was stored to since the load. Where store-exclusives are made of
 * compare-and-exchange it may succeed. But then this writer goes on to format the ring, and writes the magic back,
 * whether the ring is open or not. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#include <stddef.h>

#if TLOG_ENABLE

__attribute__((cold)) uint32_t tlog_ring_crc(uint32_t crc, const uint32_t *words, uint32_t count)
{
    for (const uint32_t *end = words + count; words < end; words++) {
        crc ^= *words;
        for (int bit = 0; bit < 32; bit++)
            crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1u)));
    }
    return crc;
}

/* Store a word unless the ring is open; returns the address of the next word. The parameter cpu is the last one, so
 * that it stays in its register from one call to the next. */
static __attribute__((noinline, cold)) uint32_t *put_unopened(uint32_t *word, uint32_t value, struct tlog_cpu *cpu)
{
    do {
        tlog_port_load_exclusive(word);
        if (tlog_ring_is_open(cpu)) {
            tlog_port_clear_exclusive();
            break;
        }
    } while (tlog_port_store_exclusive(value, word));
    return word + 1;
}

static __attribute__((noinline, cold)) uint32_t *put_zeros(uint32_t *word, const uint32_t *end, struct tlog_cpu *cpu)
{
    while (word < end)
        word = put_unopened(word, 0, cpu);
    return word;
}

__attribute__((cold)) uint32_t tlog_ring_check(const struct tlog_chunk *chunk)
{
    const uint32_t *word = &chunk->magic;
    uint32_t sum = 0, factor = 1;
    for (uint32_t i = 0; i < TLOG_CHECK_WORDS; i++) {
        factor *= TLOG_CHECK_ROOT;
        sum += TLOG_CHECK_TERM(word[i], factor);
    }
    return sum;
}

uint32_t tlog_ring_boot;

#if TLOG_RUNS > 1
/* Decide which bank this run takes. The first writer decides, the others keep that. */
static void choose_bank(struct tlog_cpu *cpu)
{
    struct tlog_chunk *bank = tlog_ring_bank(cpu->ring);
    do {
        if (tlog_port_load_exclusive_pointer((void **)&cpu->first) != NULL) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive_pointer(bank, (void **)&cpu->first));
}

static struct tlog_chunk *chunk_at(const struct tlog_cpu *cpu, uint32_t number)
{
    return (struct tlog_chunk *)((uintptr_t)tlog_ring_first(cpu) + number * cpu->ring->pattern[TLOG_PATTERN_SIZE]);
}

static uint32_t chunks_of_cpu(const struct tlog_cpu *cpu)
{
    return TLOG_CHUNKS > 1 ? cpu->ring->chunks : 1u;
}

/* Erase a magic, unless all of them are erased. */
static void erase(struct tlog_cpu *cpu, uint32_t *magic)
{
    do {
        tlog_port_load_exclusive(magic);
        if (((volatile struct tlog_cpu *)cpu)->erased) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(0, magic));
}

/* A chunk with a wrong magic is not found. All magics are erased first: so the old run disappears before any chunk of
 * the new one is there. */
static void format_bank(struct tlog_cpu *cpu)
{
    for (uint32_t i = 0; i < chunks_of_cpu(cpu); i++)
        erase(cpu, &chunk_at(cpu, i)->magic);
    put_unopened(&cpu->erased, 1, cpu);
    for (uint32_t i = chunks_of_cpu(cpu); i-- > 0;)
        tlog_ring_format(cpu, chunk_at(cpu, i), i, i == 0);
}
#else
static inline uint32_t tlog_ring_newest_run(void)
{
    return 0;
}
#endif

/* The boot id of the last run, as the ring's memory tells it. With several CPUs it is the newest of all rings, because
 * a CPU may have logged nothing in the last run. */
static uint32_t boot_before(const struct tlog_chunk *chunk)
{
    uint32_t boot = chunk->boot;
    for (uint32_t i = 0; TLOG_CPUS > 1 && i < TLOG_CPUS; i++) {
        uint32_t other = ((const volatile struct tlog_chunk *)tlog_cpus[i].ring->first)->boot;
        boot = (int32_t)(other - boot) > 0 ? other : boot;
    }
    return boot;
}

/* Decide the boot id of this run: one more than that of the last run, if its chunk is still in memory; after a cold
 * start, any number but 0. The first writer decides, the others keep that. With TLOG_START a name may be first; its
 * chunk may be older than the last run. */
static TLOG_FORCE_INLINE void choose_boot(const struct tlog_cpu *cpu)
{
    const struct tlog_chunk *first = TLOG_START ? tlog_cpus->ring->first : cpu->ring->first;
    uint32_t next = (TLOG_RUNS > 1 ? tlog_ring_newest_run() : boot_before(first)) + 1u;
    do {
        if (tlog_port_load_exclusive(&tlog_ring_boot)) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(next + (next == 0), &tlog_ring_boot));
}

/* The build id that the linker has put into the firmware, if the linker script defines this symbol. */
extern const uint32_t tlog_build_id[2] __attribute__((weak));

#if TLOG_UNIQUE_STAMPS
/* Decide where the stamps begin: at the clock's time, but not at 0. The first writer decides, the others keep that. */
static void choose_stamp(struct tlog_cpu *cpu)
{
    uint32_t now;
    bool is_chosen;
    do {
        is_chosen = tlog_port_load_exclusive(&cpu->last) != 0 || tlog_ring_is_open(cpu);
        if (is_chosen)
            tlog_port_clear_exclusive();
        now = tlog_port_now_at(cpu->clock);
    } while (!is_chosen && tlog_port_store_exclusive(now + (now == 0), &cpu->last));
}
#else
static inline void choose_stamp(struct tlog_cpu *cpu)
{
    (void)cpu;
}
#endif

#if TLOG_CPUS > 1
uint32_t tlog_ring_high;

/* The half wraps that a high word tells, and the high word for a number of half wraps. */
static uint32_t halves(uint32_t high)
{
    return high << 1 | high >> 31;
}

static uint32_t high_of_half(uint32_t half)
{
    return half >> 1 | half << 31;
}

static uint32_t later(uint32_t high, uint32_t other)
{
    return halves(high) > halves(other) ? high : other;
}

/* The high word of the present time. It must be the same for all CPUs, though some of them log for the first time long
 * after the others. It is computed from the high words of the open rings, and from the one that was decided for rings
 * that are just being opened (tlog_ring_high). It is stored even if it stays the same: so the store-exclusive of a
 * writer that read the clock earlier fails. */
static uint32_t decide_high(const struct tlog_cpu *opening)
{
    uint32_t high, latest = 0;
    for (struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++)
        if (tlog_ring_is_open(cpu)) {
            tlog_ring_tick(cpu);
            latest = later(((volatile struct tlog_cpu *)cpu)->high, latest);
        }
    do {
        high = later(tlog_port_load_exclusive(&tlog_ring_high), latest);
        if ((int32_t)(high ^ tlog_ring_time(opening)) < 0)
            high = tlog_ring_carry(high);
    } while (tlog_port_store_exclusive(high, &tlog_ring_high));
    return high;
}

/* Decide the high word that the ring begins with. The first writer decides, the others keep that. If the clock passes
 * half a wrap before the ring is open, the first event carries the high word over. */
static void choose_high(struct tlog_cpu *cpu)
{
    const uint32_t first = halves(decide_high(cpu)) + 1u;
    bool is_chosen;
    do {
        is_chosen = tlog_port_load_exclusive(&cpu->began) != 0;
        if (is_chosen)
            tlog_port_clear_exclusive();
    } while (!is_chosen && tlog_port_store_exclusive(first, &cpu->began));
    put_unopened(&cpu->high, high_of_half(((volatile struct tlog_cpu *)cpu)->began - 1u), cpu);
}
#else
static inline void choose_high(struct tlog_cpu *cpu)
{
#if TLOG_UNIQUE_STAMPS
    put_unopened(&cpu->high, cpu->last & TLOG_HIGH_MIRROR, cpu);
#else
    (void)cpu;
#endif
}
#endif

/* Fill the two slots that tell the time at the beginning of the first lap, as every lap of a ring with traceevents
 * begins. The time is not later than any event, and all writers compute the same: the beginning of the half wrap in
 * which the ring is opened; or with TLOG_UNIQUE_STAMPS on one CPU the beginning of the stamps. */
static void put_reference(struct tlog_cpu *cpu, uint32_t *slot, uint32_t slots)
{
    const uint32_t high = TLOG_CPUS > 1 ? cpu->high : 0;
#if TLOG_UNIQUE_STAMPS && TLOG_CPUS == 1
    const uint32_t low = cpu->last;
#else
    const uint32_t low = high & TLOG_HIGH_MIRROR;
#endif
    const uint32_t word[8] = {1u,
                              slots,
                              low,
                              TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_BUFFER) | TLOG_TAG_ODD,
                              tlog_ring_wraps(high),
                              low,
                              low,
                              TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_TIME) | TLOG_TAG_ODD};
    for (uint32_t i = 0; i < 8u; i++)
        put_unopened(slot + i, word[i], cpu);
}

/* Whether chunks are formatted that have another number than 0, or are not open. */
enum { TLOG_START_MANY = TLOG_CHUNKS > 1 || TLOG_ARENA };

/* Write the words of the header that never change, the check last. With several runs the magic is not written yet. */
static void put_constants(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t number)
{
    const uint32_t own[] = {(uint32_t)(uintptr_t)chunk, high_half((uintptr_t)chunk), tlog_ring_boot,
                            tlog_build_id != NULL ? tlog_build_id[0] : 0, tlog_build_id != NULL ? tlog_build_id[1] : 0};
    uint32_t *word = &chunk->magic, sum = 0, factor = 1;
    for (uint32_t i = 0; i < TLOG_CHECK_WORDS; i++, word++) {
        uint32_t value = i < TLOG_PATTERN_WORDS ? cpu->ring->pattern[i] : own[i - TLOG_PATTERN_WORDS];
        value += TLOG_START_MANY && i == TLOG_PATTERN_PLACE ? number << 8 : 0;
        factor *= TLOG_CHECK_ROOT;
        sum += TLOG_CHECK_TERM(value, factor);
        if (TLOG_RUNS == 1 || i > 0)
            put_unopened(word, value, cpu);
    }
    put_unopened(word, sum, cpu);
}

/* Write the words that change while events are logged, but for those that count slots. Returns the address behind them.
 */
static uint32_t *put_variables(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t number, bool open)
{
    const struct tlog_ring *ring = cpu->ring;
    const uint32_t size = ring->pattern[TLOG_PATTERN_SIZE], last = !TLOG_START_MANY || number + 1u == ring->chunks;
    uint32_t *word = put_unopened(&chunk->next, TLOG_START_MANY && !last ? size : 0u - number * size, cpu);
    word = put_unopened(word, (TLOG_CHUNKS > 1 ? TLOG_CHUNK_JTN : 0u) | (last ? ring->last_flags : 0u), cpu);
    word = put_zeros(word, &chunk->cursor, cpu) + 1;
    word = put_unopened(word, open ? TLOG_LAP_FIRST : TLOG_LAP_NONE, cpu);
    return put_unopened(word, 0, cpu);
}

#if TLOG_START && TLOG_BLOCKS
/* Go on from a block to another one, or to none. False: that is another writer's block, or the ring is open. */
static bool claim_block(struct tlog_cpu *cpu, const uint32_t *from, uint32_t *to)
{
    do {
        if (tlog_port_load_exclusive_pointer((void **)&cpu->block) != from || tlog_ring_is_open(cpu)) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive_pointer(to, (void **)&cpu->block));
    return true;
}

/* The head of a slot at first. Those of a block that another writer is emptying are claimed, because it may come back
 * late. */
static uint32_t head_at_first(const struct tlog_cpu *cpu, const uint32_t *slot)
{
    const uintptr_t block = (uintptr_t)((const volatile struct tlog_cpu *)cpu)->block;
    const bool is_taken = block != 0 && (uintptr_t)slot - block < TLOG_BLOCK_WORDS * 4u;
    return is_taken ? TLOG_SLOT_CLAIMED : TLOG_SLOT_EMPTY;
}
#else
static inline uint32_t head_at_first(const struct tlog_cpu *cpu, const uint32_t *slot)
{
    (void)cpu, (void)slot;
    return TLOG_SLOT_EMPTY;
}
#endif

/* The slots that tell the time at the beginning of the first lap: 2 or 0. */
static inline uint32_t slots_of_time(const struct tlog_ring *ring, bool open)
{
    return TLOG_TRACEEVENTS && open && ring->pattern[TLOG_PATTERN_SLOTS] > TLOG_LAP_SLOTS
                   && (ring->pattern[TLOG_PATTERN_PLACE] >> 16 & 0xFFu) != TLOG_ROLE_NAMES
               ? 2u
               : 0u;
}

/* Empty the slots up to `end`. With TLOG_START whole blocks of them, as far as no other writer does so. */
static uint32_t *empty_slots(struct tlog_cpu *cpu, uint32_t *slot, const uint32_t *end)
{
#if TLOG_START && TLOG_BLOCKS
    uint32_t *block = NULL;
    while (cpu == &tlog_cpu0 && end - slot >= TLOG_BLOCK_WORDS && claim_block(cpu, block, slot)) {
        block = slot;
        slot = tlog_form_block(block);
    }
    claim_block(cpu, block, NULL);
#endif
    for (; slot < end; slot += 4)
        put_unopened(slot + TLOG_WORD_HEAD, head_at_first(cpu, slot), cpu);
    return slot;
}

/* The check is written last of all: before that a reader finds no chunk there, or one of an older run whose cursor says
 * that it is empty. */
__attribute__((cold)) void tlog_ring_format(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t number, bool open)
{
    const uint32_t slots = cpu->ring->pattern[TLOG_PATTERN_SLOTS], size = cpu->ring->pattern[TLOG_PATTERN_SIZE];
    if (!TLOG_START_MANY) {
        number = 0;
        open = true;
    }
    const uint32_t refers = slots_of_time(cpu->ring, open);
    put_unopened(&chunk->cursor,
                 open ? (refers + 1u) << TLOG_CURSOR_SHIFT | TLOG_TAG_ODD
                      : (slots + 1u) << TLOG_CURSOR_SHIFT | TLOG_TAG_EVEN,
                 cpu);
    uint32_t *slot = put_unopened(put_variables(cpu, chunk, number, open), refers, cpu);
    const uint32_t *end = slot + slots * 4u;
    if (TLOG_TRACEEVENTS && refers)
        put_reference(cpu, slot, slots);
    slot = empty_slots(cpu, slot + 4u * refers, end);
    uint32_t *word = put_unopened(put_zeros(slot, slot + TLOG_WORD_HEAD, cpu), TLOG_TAG_MASK, cpu);
    put_zeros(word, (const uint32_t *)((uintptr_t)chunk + size), cpu);
    put_constants(cpu, chunk, number);
    if (TLOG_RUNS > 1) /* all other words are written by now, or the ring is open */
        *(volatile uint32_t *)&chunk->magic = TLOG_WIRE_MAGIC;
}

/* Make all chunks of a ring at once. */
static inline void format_all(struct tlog_cpu *cpu)
{
#if TLOG_RUNS > 1
    choose_bank(cpu);
    format_bank(cpu);
#else
    const struct tlog_ring *ring = cpu->ring;
    for (uint32_t i = 0; i < (TLOG_CHUNKS > 1 ? ring->chunks : 1u); i++)
        tlog_ring_format(cpu, (struct tlog_chunk *)((uintptr_t)ring->first + i * ring->pattern[TLOG_PATTERN_SIZE]), i,
                         i == 0);
#endif
}

static TLOG_FORCE_INLINE void prepare_ring(struct tlog_cpu *cpu)
{
    cpu->clock = tlog_port_clock_start();
    choose_stamp(cpu);
    choose_high(cpu);
    choose_boot(cpu);
    tlog_refuse_begin();
}

#if TLOG_START
bool tlog_ring_drop_early(struct tlog_cpu *cpu)
{
    uint32_t early;
    do {
        early = tlog_port_load_exclusive(&cpu->early);
        if (tlog_ring_is_open(cpu)) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(early + 1u, &cpu->early));
    return true;
}

/* Events that were dropped before the ring was opened are lost since now, which is the time that it begins with. */
static void put_lost_at(struct tlog_cpu *cpu, struct tlog_chunk *first)
{
    if (tlog_ring_early(cpu) == 0)
        return;
    put_unopened(&first->lost_at, tlog_port_now_at(cpu->clock), cpu);
    put_unopened(&first->lost_high, tlog_ring_wraps(((volatile struct tlog_cpu *)cpu)->high), cpu);
}

#if TLOG_CPUS > 1
/* Nothing to do before a ring is opened: a late store by another CPU's writer must not meet a count. */
static uint32_t put_early(struct tlog_cpu *cpu, struct tlog_chunk *first)
{
    put_lost_at(cpu, first);
    return 0;
}

static bool is_put(const struct tlog_cpu *cpu, const struct tlog_chunk *first, uint32_t early)
{
    (void)cpu, (void)first, (void)early;
    return true;
}

/* Count the events that were dropped before, when the ring is open. The store ends the watch of a writer, one that was
 * moved to another CPU, that found the ring not open and is about to count one more. */
static uint32_t add_early(struct tlog_cpu *cpu, struct tlog_chunk *first)
{
    uint32_t early;
    do
        early = tlog_port_load_exclusive(&cpu->early);
    while (tlog_port_store_exclusive(early + TLOG_COUNT_MIRROR, &cpu->early));
    tlog_ring_add(&first->dropped, early);
    return early;
}
#else
/* Count the events that were dropped so far. */
static uint32_t put_early(struct tlog_cpu *cpu, struct tlog_chunk *first)
{
    const uint32_t early = tlog_ring_early(cpu);
    put_lost_at(cpu, first);
    put_unopened(&first->dropped, early, cpu);
    return early;
}

/* Whether that count is right. Another thread, which formats the ring from the beginning, may have cleared it. */
static bool is_put(const struct tlog_cpu *cpu, const struct tlog_chunk *first, uint32_t early)
{
    return tlog_ring_early(cpu) == early && ((const volatile struct tlog_chunk *)first)->dropped == early;
}

static uint32_t add_early(const struct tlog_cpu *cpu, const struct tlog_chunk *first)
{
    (void)first;
    return tlog_ring_early(cpu);
}
#endif

/* The memory is formatted: log there from now on. The count of those dropped before is right when the ring becomes
 * open, because an event that is dropped in between ends the watch. The next event reports them. */
static void make_open(struct tlog_cpu *cpu)
{
    struct tlog_chunk *const first = tlog_ring_first(cpu);
    bool is_late;
    do {
        const uint32_t early = put_early(cpu, first);
        tlog_port_load_exclusive_pointer((void **)&cpu->cursor);
        is_late = !is_put(cpu, first, early);
        if (is_late || tlog_ring_is_open(cpu))
            tlog_port_clear_exclusive();
        if (tlog_ring_is_open(cpu))
            return;
    } while (is_late || tlog_port_store_exclusive_pointer(&first->cursor, (void **)&cpu->cursor));
    const uint32_t lost = add_early(cpu, first);
    tlog_ring_start_coarse(cpu);
    tlog_rate_start(cpu);
    if (!TLOG_MINIMAL && lost != 0)
        tlog_ring_close(cpu);
}
#else
/* The memory is formatted: log there from now on. */
static TLOG_FORCE_INLINE void make_open(struct tlog_cpu *cpu)
{
    struct tlog_chunk *first;
    if (TLOG_MINIMAL) { /* all writers store the same, and nobody changes it */
        uint32_t *volatile *cursor = &cpu->cursor;
        *cursor = &cpu->ring->first->cursor;
        tlog_rate_start(cpu);
        return;
    }
    do {
        tlog_port_load_exclusive_pointer((void **)&cpu->cursor);
        if (tlog_ring_is_open(cpu)) {
            tlog_port_clear_exclusive();
            return;
        }
        first = TLOG_RUNS > 1 ? tlog_ring_first(cpu) : cpu->ring->first;
    } while (tlog_port_store_exclusive_pointer(&first->cursor, (void **)&cpu->cursor));
    tlog_ring_start_coarse(cpu);
    tlog_rate_start(cpu);
}

#endif

/* Names are recorded also while the rings of events are held. */
static void open_ring(struct tlog_cpu *cpu)
{
    make_open(cpu);
    if (tlog_ring_is_held() && cpu >= tlog_cpus && cpu < tlog_cpus + TLOG_CPUS)
        tlog_ring_close(cpu);
}

#if TLOG_FORMS
__attribute__((cold)) void tlog_ring_open(struct tlog_cpu *cpu, uint32_t n)
{
    prepare_ring(cpu);
    tlog_form_first(cpu, n);
    open_ring(cpu);
}

__attribute__((cold)) void tlog_ring_start(struct tlog_cpu *cpu)
{
    if (!tlog_ring_is_open(cpu))
        tlog_ring_open(cpu, 1);
}
#endif

__attribute__((cold)) void tlog_ring_start_names(struct tlog_cpu *cpu)
{
    if (tlog_ring_is_open(cpu))
        return;
    prepare_ring(cpu);
    format_all(cpu);
    open_ring(cpu);
}

#endif
