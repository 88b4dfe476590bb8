/* SPDX-License-Identifier: MIT */
/* tlog_event_impl.h - the inline calls of tlog_event.h, and the functions of tlog_event.c behind them.
 *
 * Private to tlog: firmware includes tlog.h. */
#ifndef TLOG_EVENT_IMPL_H
#define TLOG_EVENT_IMPL_H

#ifndef TLOG_EVENT_H
#error "tlog: include tlog.h"
#endif

#if TLOG_TRACEEVENTS || !TLOG_ENABLE

TLOG_BEGIN_C

/* Never defined: where the optimiser leaves a call of it in the program, that is an error with this text. */
#if defined(__OPTIMIZE__) && !defined(__NO_INLINE__)
void tlog_refuse_event(void)
    __attribute__((error("tlog: a class is 1..31, an event 0..1023, and an event has at most 224 words")));
#else
TLOG_INLINE void tlog_refuse_event(void)
{
}
#endif

/* ---- the slow half: tlog_event.c. Callable from: any context ---------------------------------------------------- */

/* Record a simple event for which the fast path found no slot. head is without the tag; 0: the event cannot be
 * recorded. */
void tlog_event_slow(uint32_t head, uint32_t d0, uint32_t d1, struct tlog_cpu *cpu);

/* The same for an event of up to two words. */
void tlog_event_slow_words(uint32_t head, const uint32_t *words, uint32_t count);

/* tlog_event_words() for arguments that are not constant, and for events of many slots. Looks at the filter. */
void tlog_event_words_any(uint32_t cls, uint32_t event, const uint32_t *words, uint32_t count);

/* Record an event of 2..TLOG_EVENT_SLOTS slots without a look at the filter. `end` is the address behind its words,
 * `begin` the value of tlog_event_begin(). */
#define TLOG_EVENT_SLOTS 16u
void tlog_event_slots(const uint32_t *end, uint32_t slots, uint32_t begin, struct tlog_cpu *cpu);

/* tlog_event() as a call; the same of an event that was checked, whose head is without the tag, and whose class has the
 * bit `mask` in the filter. The data come first because a caller has them in these registers already. */
void tlog_event_any(uint32_t d0, uint32_t d1, uint32_t cls, uint32_t event);
void tlog_event_checked(uint32_t d0, uint32_t d1, uint32_t head, uint32_t mask);

/* Log an event without a look at the filter. head is without the tag and the structure. */
void tlog_event_log(uint32_t head, const uint32_t *words, uint32_t count);

/* ---- simple events ---------------------------------------------------------------------------------------------- */

/* Fill a slot of a traceevent. The head is stored last: until then the slot bears the tag of an earlier lap. publish:
 * other CPUs see the head last, too; the first slot of a combine event does that for all of its slots. */
TLOG_ALWAYS_INLINE void tlog_event_put(uint32_t *slot, uint32_t d0, uint32_t d1, uint32_t low, uint32_t head,
                                       bool publish)
{
    slot[0] = d0;
    slot[1] = d1;
#ifdef TLOG_PORT_PUT_END
    (void)publish;
    tlog_port_put_end(slot, low, head);
#else
    slot[TLOG_WORD_LOW] = low;
    if (publish)
        tlog_port_publish();
    else
        __asm volatile("" ::: "memory");
    *(volatile uint32_t *)(slot + TLOG_WORD_HEAD) = head;
#endif
}

/* The same for the slot of a simple event. */
#ifdef TLOG_PORT_PUT_SLOT
TLOG_ALWAYS_INLINE void tlog_event_put_simple(const struct tlog_reserved *at, uint32_t head, uint32_t d0, uint32_t d1)
{
    tlog_port_put_slot(at->slot, d0, d1, at->low, head);
}
#else
TLOG_ALWAYS_INLINE void tlog_event_put_simple(const struct tlog_reserved *at, uint32_t head, uint32_t d0, uint32_t d1)
{
    tlog_event_put(at->slot, d0, d1, at->low, head, true);
}
#endif

/* Fill the reserved slot of a simple event. head is without the tag. */
TLOG_ALWAYS_INLINE void tlog_event_fill(const struct tlog_reserved *at, uint32_t head, uint32_t d0, uint32_t d1)
{
    tlog_event_put_simple(at, head | (at->cursor & TLOG_TAG_MASK), d0, d1);
}

/* Log a simple event inline. head is without the tag; 0: the event cannot be recorded. mask: the filter's bit of its
 * class. */
TLOG_ALWAYS_INLINE void tlog_event_here(uint32_t d0, uint32_t d1, uint32_t head, uint32_t mask)
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    tlog_port_home home;
    struct tlog_reserved at;
    if (__builtin_expect((tlog_port_filter(cpu, &home) & mask) != 0, 0) || tlog_port_refuses())
        return;
    if (__builtin_expect(head != 0 && tlog_ring_reserve_home(cpu, home, &at), 1))
        tlog_event_fill(&at, head, d0, d1);
    else
        tlog_event_slow(head, d0, d1, cpu);
}

/* The head of an event without the tag, 0 if it cannot be recorded. */
TLOG_ALWAYS_INLINE uint32_t tlog_event_head(uint32_t cls, uint32_t event)
{
    return tlog_event_ok(cls, event, 0) ? TLOG_EVENT_WORD(cls, event) : 0;
}

TLOG_ALWAYS_INLINE void tlog_event(uint32_t cls, uint32_t event, uint32_t d0, uint32_t d1)
{
    if (!TLOG_UNOPTIMIZED && __builtin_constant_p(cls) && __builtin_constant_p(event) && !tlog_event_ok(cls, event, 0))
        tlog_refuse_event();
    if (TLOG_ENABLE && !TLOG_BY_CALL)
        tlog_event_here(d0, d1, tlog_event_head(cls, event), tlog_ring_class_bit(cls));
    else if (TLOG_ENABLE && !TLOG_UNOPTIMIZED && __builtin_constant_p(cls) && __builtin_constant_p(event))
        tlog_event_checked(d0, d1, tlog_event_head(cls, event), tlog_ring_class_bit(cls));
    else if (TLOG_ENABLE)
        tlog_event_any(d0, d1, cls, event);
}

/* Without optimisation even the inline function is code in front of the call. */
#if TLOG_ENABLE && TLOG_UNOPTIMIZED
#define tlog_event(cls, event, d0, d1) tlog_event_any((d0), (d1), (cls), (event))
#endif

TLOG_ALWAYS_INLINE int trace_logi(int code, unsigned d0, unsigned d1)
{
    if ((unsigned)code >= _TRACE_MAX_EVENT_NUM)
        return -1;
    tlog_event(TLOG_TRACE_USER, (uint32_t)code, d0, d1);
    return 0;
}

/* ---- combine events --------------------------------------------------------------------------------------------- */

/* The most slots of an event that is recorded inline. Looking for that many free slots near the end of a chunk reads
 * beyond the end mark, but not beyond the seal. */
#define TLOG_EVENT_INLINE_SLOTS 3u

/* tlog_port_reserve() for n slots side by side, a constant up to TLOG_EVENT_INLINE_SLOTS: reserves all of them, or
 * none. */
TLOG_ALWAYS_INLINE bool tlog_event_reserve_slots(struct tlog_cpu *cpu, uint32_t *cursor, uint32_t n,
                                                 struct tlog_reserved *at)
{
#if TLOG_UNIQUE_STAMPS
    return tlog_ring_reserve_slots(cpu, cursor, n, at);
#else
#ifdef TLOG_PORT_SLOTS
    if (n > 1u)
        return tlog_port_reserve_few(cpu, cursor, n, at);
#endif
    uint32_t now, high = 0, low = 0;
    volatile uint32_t *slot;
    do {
        uint32_t seen = 0, i;
        now = tlog_port_load_exclusive(cursor);
        slot = (volatile uint32_t *)(uintptr_t)((uintptr_t)cursor + (now >> 12));
        for (i = 0; i < n; i++)
            seen |= slot[4u * i + TLOG_WORD_HEAD];
        bool is_free = (seen & now & TLOG_TAG_MASK) == 0;
        if (is_free) { /* so the ring is open, and has a clock */
            high = ((volatile struct tlog_cpu *)cpu)->high;
            low = tlog_port_now_at(cpu->clock);
            is_free = (int32_t)(high ^ low) >= 0;
        }
        if (!is_free) {
            TLOG_PORT_NEED();
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(now + n * TLOG_CURSOR_STEP, cursor));
    *at = TLOG_LITERAL(tlog_reserved){(uint32_t *)(uintptr_t)slot, now, high, low};
    return true;
#endif
}

/* The same, and count the slots behind the first one as extra. */
TLOG_ALWAYS_INLINE bool tlog_event_reserve(struct tlog_cpu *cpu, uint32_t *cursor, uint32_t n, struct tlog_reserved *at)
{
    if (!tlog_event_reserve_slots(cpu, cursor, n, at))
        return false;
    if (n > 1u)
        tlog_ring_count_extra(cursor, n - 1u);
    return true;
}

/* Head of the first slot of an event of count words, without the tag. */
TLOG_INLINE uint32_t tlog_event_first(uint32_t cls, uint32_t event, uint32_t count)
{
    return TLOG_EVENT_WORD(cls, event) | (count > 2u ? TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT : 0u);
}

/* The difference between the head of slot i and the head of slot 0, for an event of n slots. */
TLOG_INLINE uint32_t tlog_event_struct(uint32_t i, uint32_t n)
{
    uint32_t part = i == 0 ? TLOG_STRUCT_CB : i + 1u == n ? TLOG_STRUCT_CE : TLOG_STRUCT_CC;
    return (part - TLOG_STRUCT_CB) << TLOG_STRUCT_SHIFT;
}

/* Fill slot i of an event of count words. head is that of slot 0, with the tag. */
TLOG_ALWAYS_INLINE void tlog_event_fill_one(const struct tlog_reserved *at, uint32_t head, const uint32_t *words,
                                            uint32_t count, uint32_t i)
{
    tlog_event_put(at->slot + 4u * i, 2u * i < count ? words[2u * i] : 0, 2u * i + 1u < count ? words[2u * i + 1u] : 0,
                   at->low, head + tlog_event_struct(i, TLOG_TRACE_SLOTS(count)), i == 0);
}

/* Fill the slots of an event of count words, up to four slots. head is the value of tlog_event_first(). The first slot
 * is published last: without it the others are no event, and writers of the next lap do not pass it to overwrite the
 * others. Written without a loop, because the compiler does not unroll a loop with these conditions. */
TLOG_ALWAYS_INLINE void tlog_event_fill_all(const struct tlog_reserved *at, uint32_t head, const uint32_t *words,
                                            uint32_t count)
{
    head |= at->cursor & TLOG_TAG_MASK;
    if (count > 6u)
        tlog_event_fill_one(at, head, words, count, 3);
    if (count > 4u)
        tlog_event_fill_one(at, head, words, count, 2);
    if (count > 2u)
        tlog_event_fill_one(at, head, words, count, 1);
    tlog_event_fill_one(at, head, words, count, 0);
}

/* Head of the first slot of an event of count words, shifted left by one bit (its top bit has no use there). Bit 0 is
 * 1 if the last slot lacks a word. */
TLOG_ALWAYS_INLINE uint32_t tlog_event_begin(uint32_t cls, uint32_t event, uint32_t count)
{
    return tlog_event_first(cls, event, count) << 1 | (count & 1u);
}

/* Inline for a constant class and count, of few slots; a call otherwise. */
TLOG_ALWAYS_INLINE void tlog_event_words(uint32_t cls, uint32_t event, const uint32_t *words, uint32_t count)
{
    if (!TLOG_UNOPTIMIZED && __builtin_constant_p(cls) && __builtin_constant_p(event) && __builtin_constant_p(count)
        && !tlog_event_ok(cls, event, count))
        tlog_refuse_event();
    if (!TLOG_ENABLE)
        return;
    if (TLOG_BY_CALL || !__builtin_constant_p(cls) || !__builtin_constant_p(count)) {
        tlog_event_words_any(cls, event, words, count);
        return;
    }
    struct tlog_cpu *cpu = tlog_cpu_here();
    tlog_port_home home;
    uint32_t head = tlog_event_first(cls, event, count);
    struct tlog_reserved at;
    if (tlog_ring_is_class_muted(tlog_port_filter(cpu, &home), cls))
        return;
    if (!tlog_event_ok(cls, event, count))
        tlog_ring_drop(cpu);
    else if (TLOG_TRACE_SLOTS(count) > TLOG_EVENT_SLOTS)
        tlog_event_words_any(cls, event, words, count);
    else if (TLOG_TRACE_SLOTS(count) > TLOG_EVENT_INLINE_SLOTS) {
        TLOG_NEED_OPTIONS();
        tlog_event_slots(words + count, TLOG_TRACE_SLOTS(count), tlog_event_begin(cls, event, count), cpu);
    } else if (__builtin_expect(tlog_event_reserve(cpu, tlog_port_cursor(home), TLOG_TRACE_SLOTS(count), &at), 1))
        tlog_event_fill_all(&at, head, words, count);
    else if (count <= 2u)
        tlog_event_slow_words(head, words, count);
    else
        tlog_event_log(TLOG_EVENT_WORD(cls, event), words, count);
}

TLOG_END_C

#endif

#endif
