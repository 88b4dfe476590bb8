/* tlog_start.c - from memory full of anything to an open chunk, at the first event.
 *
 * The chunks' memory is not initialised at reset: it may hold noise, or the last run's events. The first writer of this
 * run formats it. An interrupt that logs in the middle starts over and finishes; then cpu->cursor is set, and no store of
 * the interrupted writer gets through any more, because every store here is exclusive and made only while it is not. Two
 * threads may take turns in it, and with several CPUs two of them may do it at once, when one opens the rings of all, or a
 * thread was moved in the middle. So every word is written but once, and depends on nothing that the two do not share:
 * what one writes over what the other wrote is the same.
 *
 * With TLOG_RUNS > 1 the new run takes a bank of chunks (tlog_runs.c), and what is in the others stays. A reset may come in
 * between, again and again: a chunk's magic goes first and comes back last, so that a chunk that is not whole is none, and
 * the first chunk of a bank, by which the bank is known, is the last to be whole.
 *
 * A magic, which goes and comes, is written twice: it goes only while cpu->erased is not set, seen between load and store,
 * and comes back only after that. Whoever sees it not set and is overtaken has his store refused, for the magic has been
 * stored to in between. Where store-exclusives are made of compare-and-exchange the store may be made nevertheless; but he
 * formats the ring, too, and puts back what he took, whether the ring is open or not. */
#include "tlog.h"

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

/* The word behind it. The ring comes last, so that it stays in its register from one word to the next. */
static __attribute__((noinline, cold)) uint32_t *put(uint32_t *word, uint32_t value, struct tlog_cpu *cpu)
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

static __attribute__((noinline, cold)) void put_zeros(uint32_t *word, const uint32_t *end, struct tlog_cpu *cpu)
{
    while (word < end)
        word = put(word, 0, cpu);
}

uint32_t tlog_ring_boot;

#if TLOG_RUNS > 1
static uint32_t newest_run(void)
{
    return tlog_ring_run_before(0);
}

/* Once, by whoever comes first. */
static void choose_bank(struct tlog_cpu *cpu)
{
    struct tlog_chunk *bank = tlog_ring_bank(cpu->ring);
    do {
        if (tlog_port_load_exclusive_pointer((void **)&cpu->first)) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive_pointer(bank, (void **)&cpu->first));
}

static struct tlog_chunk *chunk_at(const struct tlog_cpu *cpu, uint32_t number)
{
    return (struct tlog_chunk *)((uintptr_t)tlog_ring_first(cpu) + number * cpu->ring->pattern[7]);
}

static uint32_t chunks_of(const struct tlog_cpu *cpu)
{
    return TLOG_CHUNKS > 1 ? cpu->ring->chunks : 1u;
}

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

/* While the magic is wrong nobody takes that for a chunk, so the old run is gone at once, and not chunk by chunk. */
static void format_bank(struct tlog_cpu *cpu)
{
    for (uint32_t i = 0; i < chunks_of(cpu); i++)
        erase(cpu, &chunk_at(cpu, i)->magic);
    put(&cpu->erased, 1, cpu);
    for (uint32_t i = chunks_of(cpu); i-- > 0;)
        tlog_ring_format(cpu, chunk_at(cpu, i), i, i == 0);
}
#else
static inline uint32_t newest_run(void)
{
    return 0;
}
#endif

/* With several CPUs the newest run of all, for some of them may not have logged in every run. */
static uint32_t boot_before(const struct tlog_chunk *chunk)
{
    uint32_t boot = chunk->boot;
    for (uint32_t i = 0; TLOG_CPUS > 1 && i < TLOG_CPUS; i++) {
        uint32_t other = ((const volatile struct tlog_chunk *)tlog_cpus[i].ring->first)->boot;
        boot = (int32_t)(other - boot) > 0 ? other : boot;
    }
    return boot;
}

/* One more than the run before, whose chunk may still stand there; after a cold start, any number. Decided once, by
 * whoever comes first. */
static void choose_boot(const struct tlog_chunk *chunk)
{
    uint32_t next = (TLOG_RUNS > 1 ? newest_run() : boot_before(chunk)) + 1u;
    do {
        if (tlog_port_load_exclusive(&tlog_ring_boot)) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(next + (next == 0), &tlog_ring_boot));
}

/* What the linker knows the firmware by, if the linker script tells where that is. */
extern const uint32_t tlog_build_id[2] __attribute__((weak));

#if TLOG_UNIQUE_STAMPS
/* Where the stamps begin. Decided once, by whoever comes first; never 0. */
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

/* Half wraps, and back. */
static uint32_t halves(uint32_t high)
{
    return high << 1 | high >> 31;
}

static uint32_t high_of(uint32_t half)
{
    return half >> 1 | half << 31;
}

static uint32_t later(uint32_t high, uint32_t other)
{
    return halves(high) > halves(other) ? high : other;
}

/* The wraps so far, which must be the same for all CPUs, though some of them log for the first time long after the others:
 * what the open rings tell, and what was decided for those that are just being opened. Stored even if it stays what it
 * is, so that nobody who looked at the clock before can store after that. */
static uint32_t decide_high(const struct tlog_cpu *opening)
{
    uint32_t high, told = 0;
    for (struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++)
        if (tlog_ring_is_open(cpu)) {
            tlog_ring_tick(cpu);
            told = later(((volatile struct tlog_cpu *)cpu)->high, told);
        }
    do {
        high = later(tlog_port_load_exclusive(&tlog_ring_high), told);
        if ((int32_t)(high ^ tlog_ring_time(opening)) < 0)
            high = tlog_ring_carry(high);
    } while (tlog_port_store_exclusive(high, &tlog_ring_high));
    return high;
}

/* Decided once, by whoever comes first. When the clock has passed half a wrap since, the first event makes up for it. */
static void choose_high(struct tlog_cpu *cpu)
{
    const uint32_t first = halves(decide_high(cpu)) + 1u;
    bool is_chosen;
    do {
        is_chosen = tlog_port_load_exclusive(&cpu->began) != 0;
        if (is_chosen)
            tlog_port_clear_exclusive();
    } while (!is_chosen && tlog_port_store_exclusive(first, &cpu->began));
    put(&cpu->high, high_of(((volatile struct tlog_cpu *)cpu)->began - 1u), cpu);
}
#else
static inline void choose_high(struct tlog_cpu *cpu)
{
#if TLOG_UNIQUE_STAMPS
    put(&cpu->high, cpu->last & TLOG_HIGH_MIRROR, cpu);
#else
    (void)cpu;
#endif
}
#endif

/* The first lap of a ring with traceevents begins like all others: with two slots that tell the time. It is before every
 * event, and the same whoever puts it there: when the half wrap began that the ring is opened in, or where stamps begin. */
static void put_reference(struct tlog_cpu *cpu, uint32_t *slot, uint32_t slots)
{
    const uint32_t high = TLOG_CPUS > 1 ? cpu->high : 0;
#if TLOG_UNIQUE_STAMPS && TLOG_CPUS == 1
    const uint32_t low = cpu->last;
#else
    const uint32_t low = high & TLOG_HIGH_MIRROR;
#endif
    const uint32_t word[8] = {TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_BUFFER) | TLOG_TAG_ODD,
                              low,
                              1u,
                              slots,
                              TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_TIME) | TLOG_TAG_ODD,
                              low,
                              tlog_ring_wraps(high),
                              low};
    for (uint32_t i = 0; i < 8u; i++)
        put(slot + i, word[i], cpu);
}

/* tlog_ring_crc(~0u, ...) of the magic. */
#define MAGIC_CRC 0xEDDD330Au

/* The words before the cursor, each of them once, and the CRC of what then stands there; with several runs the magic is
 * still missing. */
static void put_header(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t number, bool last)
{
    enum {
        PLACE = __builtin_offsetof(struct tlog_chunk, place) / 4,
        SELF = __builtin_offsetof(struct tlog_chunk, self) / 4
    };
    const struct tlog_ring *ring = cpu->ring;
    uint32_t *word = TLOG_RUNS > 1 ? &chunk->tag : &chunk->magic;
    for (uint32_t i = TLOG_RUNS > 1 ? 1 : 0; i < TLOG_PATTERN_WORDS; i++) {
        uint32_t value = i == SELF ? (uint32_t)(uintptr_t)chunk : ring->pattern[i];
        word = put(word, value + (TLOG_CHUNKS > 1 && i == PLACE ? number << 8 : 0), cpu);
    }
    word = put(word, tlog_ring_boot, cpu);
    for (uint32_t i = 0; tlog_build_id && i < 2u; i++)
        word = put(word, tlog_build_id[i], cpu);
    put_zeros(word, &chunk->crc, cpu);
    word = put(&chunk->crc, ~tlog_ring_crc(MAGIC_CRC, &chunk->tag, TLOG_CRC_BYTES / 4u - 1u), cpu);
    word = put(word, !last ? ring->pattern[7] : 0u - number * ring->pattern[7], cpu);
    word = put(word, (TLOG_CHUNKS > 1 ? TLOG_CHUNK_JTN : 0u) | (last ? ring->last_flags : 0u), cpu);
    put_zeros(word, &chunk->cursor, cpu);
}

__attribute__((cold)) void tlog_ring_format(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t number, bool open)
{
    const struct tlog_ring *ring = cpu->ring;
    uint32_t *word, *slot = &chunk->cursor + 4u;
    uint32_t slots = ring->pattern[5], size = ring->pattern[7], open_at = 1;
    bool last = number + 1u == (TLOG_CHUNKS > 1 ? ring->chunks : 1u);
    put_header(cpu, chunk, number, last);
    word = put(&chunk->lap, open ? TLOG_LAP_FIRST : TLOG_LAP_NONE, cpu);
    put_zeros(word, slot, cpu);
    if (TLOG_TRACEEVENTS && open && slots > 2u && (chunk->place >> 16 & 0xFFu) != TLOG_ROLE_NAMES) {
        put_reference(cpu, slot, slots);
        open_at = 3;
    }
    const uint32_t *end = slot + slots * 4u;
    for (slot += 4u * (open_at - 1u); slot < end; slot += 4)
        put(slot, TLOG_SLOT_EMPTY, cpu);
    word = put(slot, TLOG_TAG_MASK, cpu);
    put_zeros(word, (const uint32_t *)((uintptr_t)chunk + size), cpu);
    put(&chunk->cursor,
        open ? open_at << TLOG_CURSOR_SHIFT | TLOG_TAG_ODD : (slots + 1u) << TLOG_CURSOR_SHIFT | TLOG_TAG_EVEN, cpu);
    if (TLOG_RUNS > 1) /* all of it is there, or the ring is open already */
        *(volatile uint32_t *)&chunk->magic = TLOG_WIRE_MAGIC;
}

__attribute__((cold)) void tlog_ring_start(struct tlog_cpu *cpu)
{
    const struct tlog_ring *ring = cpu->ring;
    struct tlog_chunk *first;
    if (tlog_ring_is_open(cpu))
        return;
    cpu->clock = tlog_port_clock_start();
    choose_stamp(cpu);
    choose_high(cpu);
    choose_boot(ring->first);
#if TLOG_RUNS > 1
    choose_bank(cpu);
    format_bank(cpu);
#else
    for (uint32_t i = 0; i < (TLOG_CHUNKS > 1 ? ring->chunks : 1u); i++)
        tlog_ring_format(cpu, (struct tlog_chunk *)((uintptr_t)ring->first + i * ring->pattern[7]), i, i == 0);
#endif
    do {
        tlog_port_load_exclusive_pointer((void **)&cpu->cursor);
        if (tlog_ring_is_open(cpu)) {
            tlog_port_clear_exclusive();
            return;
        }
        first = TLOG_RUNS > 1 ? tlog_ring_first(cpu) : ring->first;
    } while (tlog_port_store_exclusive_pointer(&first->cursor, (void **)&cpu->cursor));
}

#endif
