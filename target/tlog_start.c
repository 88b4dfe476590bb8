/* tlog_start.c - from memory full of anything to an open chunk, at the first event.
 *
 * The chunks' memory is not initialised at reset: it may hold noise, or the last run's events. The first writer of this
 * run formats it. An interrupt that logs in the middle starts over and finishes; then cpu->cursor is set, and no store of
 * the interrupted writer gets through any more, because every store here is exclusive and made only while it is not.
 *
 * With TLOG_RUNS > 1 the new run takes a bank of chunks (tlog_runs.c), and what is in the others stays. A reset may come in
 * between, again and again: a chunk's magic goes first and comes back last, so that a chunk that is not whole is none, and
 * the first chunk of a bank, by which the bank is known, is the last to be whole.
 *
 * With several CPUs two of them may format one ring at once, when one opens the rings of all, or a thread was moved in the
 * middle. So then every word is written but once, and depends on nothing that the two do not share: what one writes over
 * what the other wrote is the same. A magic, which goes and comes, is written twice: it goes only while cpu->erased is not
 * set, seen between load and store, and comes back only after that. Whoever sees it not set and is overtaken has his store
 * refused, for the magic has been stored to in between. Where store-exclusives are made of compare-and-exchange the store
 * may be made nevertheless; but he formats the ring, too, and puts back what he took, whether the ring is open or not. */
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
    put(&cpu->high, cpu->last & TLOG_HIGH_MIRROR, cpu);
}
#else
static inline void choose_stamp(struct tlog_cpu *cpu)
{
    (void)cpu;
}
#endif

/* The first lap of a ring with traceevents begins like all others: with two slots that tell the time. With several CPUs,
 * and in banks, it is time 0, which is before every event and the same whoever puts it there. */
static void put_reference(struct tlog_cpu *cpu, uint32_t *slot, uint32_t slots)
{
#if TLOG_UNIQUE_STAMPS
    const uint32_t low = cpu->last;
#else
    const uint32_t low = TLOG_CPUS > 1 || TLOG_RUNS > 1 ? 0 : tlog_port_now_at(cpu->clock);
#endif
    const uint32_t word[8] = {TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_BUFFER) | TLOG_TAG_ODD, low, 1u, slots,
                              TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_TIME) | TLOG_TAG_ODD,   low, 0u, low};
    for (uint32_t i = 0; i < 8u; i++)
        put(slot + i, word[i], cpu);
}

#if TLOG_RUNS > 1 || TLOG_CPUS > 1
/* The words before the cursor; with several runs the magic is still missing. */
static void put_header(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t number, bool last)
{
    const struct tlog_ring *ring = cpu->ring;
    struct tlog_chunk as;
    for (uint32_t i = 0; i < TLOG_CURSOR_OFFSET / 4u; i++)
        *((volatile uint32_t *)&as.magic + i) = i < TLOG_PATTERN_WORDS ? ring->pattern[i] : 0u;
    as.place += number << 8;
    as.self = (uint32_t)(uintptr_t)chunk;
    as.boot = tlog_ring_boot;
    for (uint32_t i = 0; tlog_build_id && i < 2u; i++)
        as.build[i] = tlog_build_id[i];
    as.crc = ~tlog_ring_crc(~0u, &as.magic, TLOG_CRC_BYTES / 4u);
    as.next = !last ? ring->pattern[7] : 0u - number * ring->pattern[7];
    as.flags = (TLOG_CHUNKS > 1 ? TLOG_CHUNK_JTN : 0u) | (last ? ring->last_flags : 0u);
    for (uint32_t i = TLOG_RUNS > 1 ? 1 : 0; i < TLOG_CURSOR_OFFSET / 4u; i++)
        put(&chunk->magic + i, (&as.magic)[i], cpu);
}
#endif

__attribute__((cold)) void tlog_ring_format(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t number, bool open)
{
    const struct tlog_ring *ring = cpu->ring;
    uint32_t *word = &chunk->magic, *slot = &chunk->cursor + 4u;
    uint32_t slots = ring->pattern[5], size = ring->pattern[7], open_at = 1;
    bool last = number + 1u == (TLOG_CHUNKS > 1 ? ring->chunks : 1u);
#if TLOG_RUNS > 1 || TLOG_CPUS > 1
    put_header(cpu, chunk, number, last);
#else
    for (uint32_t i = 0; i < TLOG_PATTERN_WORDS; i++)
        word = put(word, ring->pattern[i], cpu);
    word = put(word, tlog_ring_boot, cpu);
    for (uint32_t i = 0; tlog_build_id && i < 2u; i++)
        word = put(word, tlog_build_id[i], cpu);
    put_zeros(word, &chunk->cursor, cpu);
    if (TLOG_CHUNKS > 1)
        put(&chunk->place, chunk->place + (number << 8), cpu);
    put(&chunk->self, (uint32_t)(uintptr_t)chunk, cpu);
    word = put(&chunk->crc, ~tlog_ring_crc(~0u, &chunk->magic, TLOG_CRC_BYTES / 4u), cpu);
    word = put(word, !last ? size : 0u - number * size, cpu);
    put(word, (TLOG_CHUNKS > 1 ? TLOG_CHUNK_JTN : 0u) | (last ? ring->last_flags : 0u), cpu);
#endif
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
