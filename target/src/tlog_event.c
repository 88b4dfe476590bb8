/* SPDX-License-Identifier: MIT */
/* tlog_event.c - the slow path of simple events; combine events. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#if TLOG_ENABLE && TLOG_TRACEEVENTS

/* ---- one slot ---------------------------------------------------------------------------------------------------- */

/* Open the ring, or format slots, as needed, and log the event. False: that is not the reason why it found no slot. */
static __attribute__((noinline, cold)) bool form_and_try(uint32_t head, uint32_t d0, uint32_t d1, struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    if (!tlog_ring_is_open(cpu))
        tlog_ring_open(cpu, 1);
    else if (!tlog_ring_form(cpu, 1u))
        return false;
    if (!tlog_ring_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, &at))
        return false;
    tlog_event_fill(&at, head, d0, d1);
    return true;
}

/* Log the event where a lap must begin first, or the mark is in the way. False: nothing of that. */
static inline bool switch_or_form(uint32_t head, uint32_t d0, uint32_t d1, struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    if (!tlog_ring_is_at_mark(cpu, ((volatile struct tlog_cpu *)cpu)->cursor)) {
        tlog_ring_switch(cpu);
        if (tlog_ring_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, &at)) {
            tlog_event_fill(&at, head, d0, d1);
            return true;
        }
    }
    return tlog_ring_is_at_mark(cpu, ((volatile struct tlog_cpu *)cpu)->cursor) && form_and_try(head, d0, d1, cpu);
}

__attribute__((cold)) void tlog_event_slow(uint32_t head, uint32_t d0, uint32_t d1, struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    if (head != 0
        && (tlog_ring_drop_at_once(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, FTrace_EVT_user_event_0)
            || switch_or_form(head, d0, d1, cpu)))
        return;
    do {
        if (head != 0 && tlog_ring_make_room(cpu, true))
            continue;
        enum tlog_taken taken = head != 0 ? tlog_ring_take(cpu, 1, &at) : TLOG_TAKEN_NONE;
        if (taken == TLOG_TAKEN)
            break;
        if (taken == TLOG_TAKEN_NONE) {
            tlog_ring_drop(cpu);
            return;
        }
    } while (!tlog_ring_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, &at));
    tlog_event_fill(&at, head, d0, d1);
}

__attribute__((cold)) void tlog_event_slow_words(uint32_t head, const uint32_t *words, uint32_t count)
{
    tlog_event_slow(head, count > 0 ? words[0] : 0, count > 1u ? words[1] : 0, tlog_cpu_here());
}

TLOG_NOINLINE void tlog_event_checked(uint32_t d0, uint32_t d1, uint32_t head, uint32_t mask)
{
    tlog_event_here(d0, d1, head, mask);
}

void tlog_event_any(uint32_t d0, uint32_t d1, uint32_t cls, uint32_t event)
{
    tlog_event_checked(d0, d1, tlog_event_head(cls, event), tlog_ring_class_bit(cls));
}

/* ---- several slots ----------------------------------------------------------------------------------------------- */

/* The result of trying to reserve slots: done; the lap ends before them; one of them still has its owner of the lap
 * before; or another reason, which making room may remove. */
enum tlog_event_fit { TLOG_EVENT_RESERVED, TLOG_EVENT_ENDS, TLOG_EVENT_OWNED, TLOG_EVENT_BUSY };

/* Why n slots could not be reserved. If the cursor has moved since, an interrupt may have filled them: that is
 * TLOG_EVENT_BUSY. */
static enum tlog_event_fit why_not_free(const struct tlog_chunk *chunk, const volatile uint32_t *slot, uint32_t now,
                                        uint32_t n)
{
    uint32_t index = now >> TLOG_CURSOR_SHIFT;
    bool is_free = (slot[TLOG_WORD_HEAD] & now & TLOG_TAG_MASK) == 0;
    if (((const volatile struct tlog_chunk *)chunk)->cursor != now || !is_free)
        return TLOG_EVENT_BUSY;
    return index + n - 1u > chunk->slots ? TLOG_EVENT_ENDS : TLOG_EVENT_OWNED;
}

/* The atomic step of tlog_port_reserve(), for n slots side by side. */
static inline enum tlog_event_fit reserve(struct tlog_cpu *cpu, uint32_t n, struct tlog_reserved *at)
{
    uint32_t *cursor = ((volatile struct tlog_cpu *)cpu)->cursor;
    const struct tlog_chunk *chunk = tlog_ring_chunk(cursor);
    uint32_t claimed;
    do {
        claimed = tlog_ring_claim(cpu);
        uint32_t now = tlog_port_load_exclusive(cursor), seen = TLOG_TAG_MASK;
        volatile uint32_t *first = cursor + (now >> TLOG_CURSOR_SHIFT) * 4u, *slot = first;
        if ((now >> TLOG_CURSOR_SHIFT) - 1u + n <= chunk->slots)
            for (seen = 0; slot < first + n * 4u; slot += 4)
                seen |= slot[TLOG_WORD_HEAD];
        *at = (struct tlog_reserved){(uint32_t *)(uintptr_t)first, now, ((volatile struct tlog_cpu *)cpu)->high,
                                     tlog_ring_stamp(cpu, claimed)};
        if ((seen & now & TLOG_TAG_MASK) != 0 || (int32_t)(at->high ^ at->low) < 0) {
            tlog_port_clear_exclusive();
            return (seen & now & TLOG_TAG_MASK) != 0 ? why_not_free(chunk, first, now, n) : TLOG_EVENT_BUSY;
        }
    } while (tlog_ring_commit(cpu, claimed, at->cursor + n * TLOG_CURSOR_STEP, cursor));
    if (n > 1u)
        tlog_ring_count_extra(cursor, n - 1u);
    return TLOG_EVENT_RESERVED;
}

/* Fill the slot at the cursor, because the event does not fit there. */
static void pad(struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    uint32_t *cursor = ((volatile struct tlog_cpu *)cpu)->cursor;
    if (!tlog_ring_reserve(cpu, cursor, &at))
        return;
    tlog_ring_count_extra(cursor, 1);
    tlog_event_fill(&at, TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_PAD), 0, 0);
}

/* Slots of a lap that an event can have: not those at its beginning that tell the time. */
static uint32_t slots_of_lap(const struct tlog_cpu *cpu)
{
    uint32_t slots = tlog_ring_home(cpu)->slots;
    return slots > TLOG_LAP_SLOTS ? slots - TLOG_LAP_SLOTS : slots;
}

/* Whether home has n slots side by side without an owner of an earlier lap, ahead of the cursor, or anywhere if the
 * next lap is another one of home. */
static bool has_place(const struct tlog_cpu *cpu, uint32_t n)
{
    const struct tlog_chunk *home = tlog_ring_home(cpu);
    const uint32_t index = ((const volatile struct tlog_chunk *)home)->cursor >> TLOG_CURSOR_SHIFT;
    const uint32_t tag = ((const volatile struct tlog_chunk *)home)->lap & TLOG_TAG_MASK;
    uint32_t side_by_side = 0;
    if (TLOG_CHUNKS > 1 || TLOG_ARENA || (TLOG_FORMS && tlog_ring_is_first_lap(home)))
        return true;
    for (uint32_t i = 1; i <= home->slots && side_by_side < n; i++) {
        uint32_t head = ((const volatile uint32_t *)&home->cursor)[4u * i + TLOG_WORD_HEAD] & TLOG_TAG_MASK;
        bool is_stuck = head == TLOG_TAG_MASK || (i >= index && head == tag);
        side_by_side = is_stuck || i == index ? !is_stuck : side_by_side + 1u;
    }
    return side_by_side >= n;
}

/* Open the ring, or format slots: if it is possible, all that n slots at the cursor need. */
static inline void prepare(struct tlog_cpu *cpu, uint32_t n)
{
    if (tlog_ring_is_early(cpu))
        return;
    if (!tlog_ring_is_open(cpu))
        tlog_ring_open(cpu, n);
    else
        tlog_ring_form(cpu, n);
}

/* Reserve n slots, in the next lap if necessary. Where they do not fit, because the lap ends or a slot among them has
 * an owner of an earlier lap, the slots up to there are padded. False: the chunk is too small, no place is large
 * enough, or there is no room. */
static __attribute__((noinline)) bool find_room(struct tlog_cpu *cpu, uint32_t n, struct tlog_reserved *at)
{
    for (uint32_t pads = 0;;) {
        if (tlog_ring_is_early(cpu))
            return false;
        prepare(cpu, n);
        enum tlog_event_fit fit = reserve(cpu, n, at);
        if (fit == TLOG_EVENT_RESERVED)
            return true;
        if (n > slots_of_lap(cpu))
            return false;
        if (fit == TLOG_EVENT_BUSY && !tlog_ring_make_room(cpu, true)) {
            enum tlog_taken taken = tlog_ring_take(cpu, n, at);
            if (taken != TLOG_TAKEN_NOT_SET)
                return taken == TLOG_TAKEN;
        }
        if (fit == TLOG_EVENT_BUSY)
            continue;
        if ((fit == TLOG_EVENT_OWNED && !has_place(cpu, n)) || pads++ > 2u * tlog_ring_home(cpu)->slots)
            return false;
        tlog_ring_tick(cpu); /* otherwise no PAD can be reserved once the clock has passed half a wrap */
        pad(cpu);
    }
}

/* As tlog_event_fill_all(), for any number of slots from 2 on. begin: the head of the first slot, with its tag. */
static void fill_long(const struct tlog_reserved *at, uint32_t begin, const uint32_t *words, uint32_t count, uint32_t n)
{
    const uint32_t *last = at->slot + 4u * (n - 1u), low = at->low, middle = begin + (1u << TLOG_STRUCT_SHIFT);
    uint32_t *slot = at->slot + 4;
    const uint32_t *from = words + 2;
    for (; slot < last; slot += 4, from += 2)
        tlog_event_put(slot, from[0], from[1], low, middle, false);
    tlog_event_put(slot, from[0], count & 1u ? 0 : from[1], low, middle + (1u << TLOG_STRUCT_SHIFT), false);
    tlog_event_put(at->slot, words[0], words[1], low, begin, true);
}

/* Log an event of any number of slots: the slow path for events that the fast path cannot log. */
static __attribute__((noinline)) void log_long(const uint32_t *words, uint32_t count, uint32_t head,
                                               struct tlog_cpu *cpu)
{
    const uint32_t n = TLOG_TRACE_SLOTS(count);
    struct tlog_reserved at;
    if (tlog_ring_drop_at_once(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, FTrace_EVT_user_event_0))
        return;
    if (!(tlog_ring_is_open(cpu) && reserve(cpu, n, &at) == TLOG_EVENT_RESERVED) && !find_room(cpu, n, &at))
        tlog_ring_drop(cpu);
    else if (n == 1u)
        tlog_event_fill_one(&at, head | (at.cursor & TLOG_TAG_MASK), words, count, 0);
    else
        fill_long(&at, head | TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT | (at.cursor & TLOG_TAG_MASK), words, count, n);
}

#if defined(TLOG_PORT_SLOTS) && !TLOG_UNIQUE_STAMPS
/* Log an event of 2..TLOG_EVENT_SLOTS slots. False: they could not be reserved. */
static TLOG_FORCE_INLINE bool log_slots(const uint32_t *end, uint32_t slots, uint32_t begin, struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    uint32_t *cursor = ((volatile struct tlog_cpu *)cpu)->cursor;
    if (!__builtin_expect(tlog_port_reserve_slots(cpu, cursor, slots, &at), 1))
        return false;
    tlog_ring_count_extra(cursor, slots - 1u);
    begin = tlog_port_fill_slots(&at, begin, end, slots);
    tlog_port_publish();
    *(volatile uint32_t *)(at.slot + TLOG_WORD_HEAD) = begin;
    return true;
}
#else
static inline bool log_slots(const uint32_t *end, uint32_t slots, uint32_t begin, struct tlog_cpu *cpu)
{
    (void)end, (void)slots, (void)begin, (void)cpu;
    return false;
}
#endif

/* The same where slots must be formatted first. */
static __attribute__((noinline, cold)) void form_and_log_slots(const uint32_t *end, uint32_t slots, uint32_t begin,
                                                               struct tlog_cpu *cpu)
{
    const uint32_t count = slots * 2u - (begin & 1u);
    prepare(cpu, slots);
    if (!log_slots(end, slots, begin, cpu))
        log_long(end - count, count, begin >> 1 & ~(3u << TLOG_STRUCT_SHIFT), cpu);
}

void tlog_event_slots(const uint32_t *end, uint32_t slots, uint32_t begin, struct tlog_cpu *cpu)
{
    const uint32_t count = slots * 2u - (begin & 1u);
    if (log_slots(end, slots, begin, cpu))
        return;
    if (tlog_ring_is_forming(cpu))
        form_and_log_slots(end, slots, begin, cpu);
    else
        log_long(end - count, count, begin >> 1 & ~(3u << TLOG_STRUCT_SHIFT), cpu);
}

/* Log an event of two slots. False: they could not be reserved. */
static TLOG_FORCE_INLINE bool log_two(uint32_t head, const uint32_t *words, uint32_t count, struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    if (!__builtin_expect(tlog_event_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, 2, &at), 1))
        return false;
    head = tlog_event_first(0, 0, 4) | head | (at.cursor & TLOG_TAG_MASK);
    tlog_event_put(at.slot + 4, words[2], count > 3u ? words[3] : 0, at.low, head + tlog_event_struct(1, 2), false);
    tlog_event_put(at.slot, words[0], words[1], at.low, head, true);
    return true;
}

/* Log an event of any number of slots. head is without the tag and the structure. */
static inline void log_any(uint32_t head, const uint32_t *words, uint32_t count, struct tlog_cpu *cpu)
{
    const uint32_t slots = TLOG_TRACE_SLOTS(count);
    const uint32_t begin = (head | TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT) << 1 | (count & 1u);
    if (slots == 2u && log_two(head, words, count, cpu))
        return;
    if (slots - 2u <= TLOG_EVENT_SLOTS - 2u)
        tlog_event_slots(words + count, slots, begin, cpu);
    else
        log_long(words, count, head, cpu);
}

void tlog_event_words_any(uint32_t cls, uint32_t event, const uint32_t *words, uint32_t count)
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    if (tlog_ring_is_class_muted(((volatile struct tlog_cpu *)cpu)->filter, cls))
        return;
    if (!tlog_event_ok(cls, event, count))
        tlog_ring_drop(cpu);
    else
        log_any(TLOG_EVENT_WORD(cls, event), words, count, cpu);
}

void tlog_event_log(uint32_t head, const uint32_t *words, uint32_t count)
{
    log_any(head, words, count, tlog_cpu_here());
}

/* ---- bytes and texts --------------------------------------------------------------------------------------------- */

/* The next word of bytes, filled up with zeros behind the last one. */
static uint32_t next_word(const char **bytes, uint32_t *left)
{
    uint32_t word = 0;
    for (uint32_t shift = 0; shift < 32u && *left > 0; shift += 8u, --*left)
        word |= (uint32_t)(unsigned char)*(*bytes)++ << shift;
    return word;
}

/* Fill n slots with count bytes. word0: of the event, without tag and part. The first slot is published last, as by
 * tlog_event_fill_all(). */
static void fill_bytes(const struct tlog_reserved *at, uint32_t head, const char *bytes, uint32_t count, uint32_t n)
{
    head |= at->cursor & TLOG_TAG_MASK;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *slot = at->slot + 4u * i, part = i + 1u == n ? TLOG_STRUCT_CE : TLOG_STRUCT_CC;
        slot[0] = next_word(&bytes, &count);
        slot[1] = next_word(&bytes, &count);
        slot[TLOG_WORD_LOW] = at->low;
        __asm volatile("" ::: "memory");
        if (i > 0)
            *(volatile uint32_t *)(slot + TLOG_WORD_HEAD) = head | part << TLOG_STRUCT_SHIFT;
    }
    tlog_port_publish();
    *(volatile uint32_t *)(at->slot + TLOG_WORD_HEAD) = head | (n > 1u ? TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT : 0u);
}

/* Log an event of count bytes, filled up with zeros to whole words. They go from the caller's memory into the slots
 * directly: a copy would take up to 896 bytes of stack. */
static void log_bytes(uint32_t cls, uint32_t event, const char *bytes, uint32_t count)
{
    const uint32_t words = (count + 3u) / 4u, n = TLOG_TRACE_SLOTS(words);
    struct tlog_cpu *cpu = tlog_cpu_here();
    struct tlog_reserved at;
    if (tlog_ring_is_class_muted(((volatile struct tlog_cpu *)cpu)->filter, cls))
        return;
    if (!tlog_event_ok(cls, event, words)
        || (!(tlog_ring_is_open(cpu) && reserve(cpu, n, &at) == TLOG_EVENT_RESERVED) && !find_room(cpu, n, &at)))
        tlog_ring_drop(cpu);
    else
        fill_bytes(&at, TLOG_EVENT_WORD(cls, event), bytes, count, n);
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

/* ---- the filter -------------------------------------------------------------------------------------------------- */

void tlog_filter_class(uint32_t cls, bool suppress)
{
    if (cls - 1u < 15u)
        tlog_filter_bit(15u + cls, suppress);
}

#endif
