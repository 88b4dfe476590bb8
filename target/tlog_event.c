/* tlog_event.c - the slow path of simple events; combine events; and the slots that tell the wraps of the clock. */
#include "tlog.h"

#if TLOG_ENABLE && TLOG_TRACEEVENTS

/* ---- one slot ---------------------------------------------------------------------------------------------------- */

__attribute__((cold)) void tlog_event_slow(uint32_t word0, uint32_t d0, uint32_t d1, struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    do {
        if (word0 == 0 || !tlog_ring_make_room(cpu, 0)) {
            tlog_ring_drop(cpu);
            return;
        }
    } while (!tlog_ring_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, &at));
    tlog_event_fill(&at, word0, d0, d1);
}

/* ---- several slots ----------------------------------------------------------------------------------------------- */

/* The result of trying to reserve slots: done; the lap ends before them; one of them still has its owner of the lap
 * before; or another reason, which making room may remove. */
enum fit { RESERVED, ENDS, OWNED, BUSY };

/* Why n slots could not be reserved. If the cursor has moved since, an interrupt may have filled them: that is BUSY. */
static enum fit why_not_free(const struct tlog_chunk *chunk, const volatile uint32_t *slot, uint32_t now, uint32_t n)
{
    uint32_t index = now >> TLOG_CURSOR_SHIFT;
    bool is_free = (slot[0] & now & TLOG_TAG_MASK) == 0;
    if (((const volatile struct tlog_chunk *)chunk)->cursor != now || !is_free)
        return BUSY;
    return index + n - 1u > chunk->slots ? ENDS : OWNED;
}

/* The atomic step of tlog_port_reserve(), for n slots side by side. If wanted is greater than n, they are reserved only
 * where `wanted` slots do not fit into the rest of the lap. */
static inline enum fit reserve(struct tlog_cpu *cpu, uint32_t n, uint32_t wanted, struct tlog_reserved *at)
{
    uint32_t *cursor = ((volatile struct tlog_cpu *)cpu)->cursor;
    const struct tlog_chunk *chunk = tlog_ring_chunk(cursor);
    uint32_t claimed;
    do {
        claimed = tlog_ring_claim(cpu);
        uint32_t now = tlog_port_load_exclusive(cursor), seen = TLOG_TAG_MASK;
        uint32_t before = (now >> TLOG_CURSOR_SHIFT) - 1u;
        volatile uint32_t *first = cursor + (now >> TLOG_CURSOR_SHIFT) * 4u, *slot = first;
        if (before + n <= chunk->slots && (wanted == n || before + wanted > chunk->slots))
            for (seen = 0; slot < first + n * 4u; slot += 4)
                seen |= *slot;
        *at = (struct tlog_reserved){(uint32_t *)(uintptr_t)first, now, ((volatile struct tlog_cpu *)cpu)->high,
                                     tlog_ring_stamp(cpu, claimed)};
        if ((seen & now & TLOG_TAG_MASK) != 0 || (int32_t)(at->high ^ at->low) < 0) {
            tlog_port_clear_exclusive();
            return (seen & now & TLOG_TAG_MASK) != 0 ? why_not_free(chunk, first, now, n) : BUSY;
        }
    } while (tlog_ring_commit(cpu, claimed, at->cursor + n * TLOG_CURSOR_STEP, cursor));
    return RESERVED;
}

/* Fill the rest of a lap, which is too short for an event of `wanted` slots, with PAD events. An interrupt may begin
 * the next lap meanwhile: there the event fits, so the padding ends. */
static void pad(struct tlog_cpu *cpu, uint32_t wanted)
{
    struct tlog_reserved at;
    while (reserve(cpu, 1, wanted, &at) == RESERVED)
        tlog_event_fill(&at, TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_PAD), 0, 0);
}

/* Slots of a lap that an event can have: not the two that tell the time. */
static uint32_t slots_of_lap(const struct tlog_cpu *cpu)
{
    uint32_t slots = tlog_ring_home(cpu)->slots;
    return slots > 2u ? slots - 2u : slots;
}

/* Reserve n slots, in the next lap if necessary. False: an owner is in the way, the chunk is too small, or there is no
 * room. */
static __attribute__((noinline)) bool find_room(struct tlog_cpu *cpu, uint32_t n, struct tlog_reserved *at)
{
    tlog_ring_start(cpu);
    for (;;) {
        enum fit fit = reserve(cpu, n, n, at);
        if (fit == RESERVED)
            return true;
        if (fit == OWNED || n > slots_of_lap(cpu) || (fit == BUSY && !tlog_ring_make_room(cpu, 0)))
            return false;
        if (fit == ENDS) {
            tlog_ring_tick(cpu); /* otherwise no PAD can be reserved once the clock has passed half a wrap */
            pad(cpu, n);
        }
    }
}

/* As tlog_event_fill_all(), for any number of slots from 2 on. begin: word 0 of the first slot, with its tag. */
static void fill_long(const struct tlog_reserved *at, uint32_t begin, const uint32_t *words, uint32_t count, uint32_t n)
{
    const uint32_t *last = at->slot + 4u * (n - 1u), low = at->low, middle = begin + (1u << TLOG_STRUCT_SHIFT);
    uint32_t *slot = at->slot;
    slot[1] = low;
    slot[2] = words[0];
    slot[3] = words[1];
    for (slot += 4, words += 2; slot < last; slot += 4, words += 2) {
        slot[0] = middle;
        slot[1] = low;
        slot[2] = words[0];
        slot[3] = words[1];
    }
    slot[0] = middle + (1u << TLOG_STRUCT_SHIFT);
    slot[1] = low;
    slot[2] = words[0];
    slot[3] = count & 1u ? 0 : words[1];
    tlog_port_publish();
    *(volatile uint32_t *)at->slot = begin;
}

/* Log an event of any number of slots: the slow path for events that the fast path cannot log. */
static __attribute__((noinline)) void log_long(const uint32_t *words, uint32_t count, uint32_t word0,
                                               struct tlog_cpu *cpu)
{
    const uint32_t n = TLOG_TRACE_SLOTS(count);
    struct tlog_reserved at;
    if (!(tlog_ring_is_open(cpu) && reserve(cpu, n, n, &at) == RESERVED) && !find_room(cpu, n, &at))
        tlog_ring_drop(cpu);
    else if (n == 1u)
        tlog_event_fill_one(&at, word0 | (at.cursor & TLOG_TAG_MASK), words, count, 0);
    else
        fill_long(&at, word0 | TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT | (at.cursor & TLOG_TAG_MASK), words, count, n);
}

void tlog_event_slots(const uint32_t *end, uint32_t slots, uint32_t begin, struct tlog_cpu *cpu)
{
#if defined(TLOG_PORT_SLOTS) && !TLOG_UNIQUE_STAMPS
    struct tlog_reserved at;
    if (__builtin_expect(tlog_port_reserve_slots(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, slots, &at), 1)) {
        begin = tlog_port_fill_slots(&at, begin, end, slots);
        tlog_port_publish();
        *(volatile uint32_t *)at.slot = begin;
        return;
    }
#endif
    const uint32_t count = slots * 2u - (begin & 1u);
    log_long(end - count, count, begin >> 1 & ~(3u << TLOG_STRUCT_SHIFT), cpu);
}

void tlog_event_words_any(uint32_t cls, uint32_t event, const uint32_t *words, uint32_t count)
{
    const uint32_t slots = TLOG_TRACE_SLOTS(count);
    struct tlog_cpu *cpu = tlog_cpu_here();
    if (tlog_ring_is_class_muted(((volatile struct tlog_cpu *)cpu)->filter, cls))
        return;
    if (!tlog_event_ok(cls, event, count))
        tlog_ring_drop(cpu);
    else if (slots - 3u <= TLOG_EVENT_SLOTS - 3u)
        tlog_event_slots(words + count, slots, tlog_event_begin(cls, event, count), cpu);
    else
        log_long(words, count, TLOG_EVENT_WORD(cls, event), cpu);
}

/* ---- bytes and texts --------------------------------------------------------------------------------------------- */

/* Log an event of count bytes, filled up with zeros to whole words. Volatile accesses keep the compiler from calling
 * memcpy and memset. */
static void log_bytes(uint32_t cls, uint32_t event, const char *bytes, uint32_t count)
{
    uint32_t words[TLOG_EVENT_WORDS_MAX], n = (count + 3u) / 4u;
    char *to = (char *)words;
    if (n > 0)
        *(volatile uint32_t *)&words[n - 1u] = 0;
    for (uint32_t i = 0; i < count; i++)
        ((volatile char *)to)[i] = bytes[i];
    tlog_event_words_any(cls, event, words, n);
}

void tlog_event_text(uint32_t cls, uint32_t event, const char *text)
{
    static const char end[1] = "";
    uint32_t length = 0;
    while (length < TLOG_EVENT_WORDS_MAX * 4u - 1u && text[length])
        length++;
    if (text[length] == 0)
        log_bytes(cls, event, text, length + 1u);
    else
        log_bytes(cls, event, length > 0 ? text : end, length);
}

int trace_logbc(unsigned cls, int event, const void *bytes, unsigned count)
{
    uint32_t number = cls >> TLOG_CLASS_SHIFT;
    if (count > TLOG_EVENT_WORDS_MAX * 4u || !tlog_event_ok(number, (uint32_t)event, 0))
        return -1;
    log_bytes(number, (uint32_t)event, bytes, count);
    return 0;
}

int trace_logb(int code, const void *bytes, unsigned count)
{
    return trace_logbc(_TRACE_USER_C, code, bytes, count);
}

int trace_logs(int code, const char *text)
{
    if (!tlog_event_ok(TLOG_TRACE_USER, (uint32_t)code, 0))
        return -1;
    tlog_event_text(TLOG_TRACE_USER, (uint32_t)code, text);
    return 0;
}

/* ---- the wraps of the clock -------------------------------------------------------------------------------------- */

/* tlog_ring.h describes this and the next two functions. */
bool tlog_ring_refer(const struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t cursor, struct tlog_reserved *at)
{
    uint32_t *first = &chunk->cursor + 4, tag = cursor & TLOG_TAG_MASK;
    *at = (struct tlog_reserved){first, cursor, ((const volatile struct tlog_cpu *)cpu)->high,
                                 TLOG_UNIQUE_STAMPS ? at->low : tlog_port_now_at(cpu->clock)};
    return cursor >> TLOG_CURSOR_SHIFT == 1u && chunk->slots > 2u
           && ((((volatile uint32_t *)first)[0] | ((volatile uint32_t *)first)[4]) & tag) == 0;
}

void tlog_ring_put_reference(struct tlog_chunk *chunk, const struct tlog_reserved *at)
{
    struct tlog_reserved second = *at;
    uint32_t lap = ((volatile struct tlog_chunk *)chunk)->lap;
    uint32_t number = (lap >> TLOG_LAP_SHIFT) + (((lap ^ at->cursor) & TLOG_TAG_MASK) != 0);
    second.slot += 4;
    tlog_event_fill(at, TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_BUFFER), number, chunk->slots);
    tlog_event_fill(&second, TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_TIME),
                    (at->high & ~TLOG_HIGH_MIRROR) >> TLOG_WRAP_SHIFT, at->low);
}

void tlog_ring_put_time(struct tlog_cpu *cpu, uint32_t wraps)
{
    uint32_t low = tlog_ring_time(cpu);
    if (tlog_ring_is_open(cpu))
        tlog_event_slow(TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_TIME), wraps, low, cpu);
}

void tlog_filter_class(uint32_t cls, bool suppress)
{
    if (cls - 1u < 15u)
        tlog_filter_bit(15u + cls, suppress);
}

#endif
