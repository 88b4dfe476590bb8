/* tlog_event.h - traceevents: simple and combine events of a class, with any number of words up to 224, and texts.
 *
 *     tlog_event(TLOG_TRACE_USER, 7, temperature, pressure);
 *     trace_logi(7, temperature, pressure);            the same, as QNX calls it
 *
 * Needs TLOG_TRACEEVENTS = 1. A traceevent has a 32-bit stamp; slots that tell the wraps of the clock stand at the
 * beginning of every lap and where it wraps. An event of several slots is reserved in one step: its slots stand side by
 * side and bear one stamp, and no interrupt's event stands among them. What does not fit into the rest of a chunk goes
 * whole into the next lap; what fits into none is lost whole, and counted. Any context; texts and
 * bytes need 1400 bytes of its stack. Source: QNX Neutrino's
 * TraceEvent(), trace_logi(), trace_logb(), trace_logbc(). */
#include "tlog.h" /* which includes this where it belongs */

#ifndef TLOG_EVENT_H
#define TLOG_EVENT_H

#include "tlog_traceevent.h"

TLOG_BEGIN_C

/* Words of an event at most; a text has four bytes to the word, with its NUL. */
#define TLOG_EVENT_WORDS_MAX 224u

#if defined(__OPTIMIZE__) && !defined(__NO_INLINE__)
void tlog_refuse_event(void)
    __attribute__((error("tlog: a class is 1..31, an event 0..1023, and an event has at most 224 words")));
#else
TLOG_INLINE void tlog_refuse_event(void)
{
}
#endif

TLOG_INLINE bool tlog_event_ok(uint32_t cls, uint32_t event, uint32_t count)
{
    return cls - 1u < 31u && event < 1024u && count <= TLOG_EVENT_WORDS_MAX;
}

#if TLOG_ENABLE && TLOG_TRACEEVENTS

/* The slow half of tlog_event(). */
void tlog_event_slow(uint32_t word0, uint32_t d0, uint32_t d1, struct tlog_cpu *cpu);

/* An event of any number of words, 0..TLOG_EVENT_WORDS_MAX; use tlog_event_words(). */
void tlog_event_words_any(uint32_t cls, uint32_t event, const uint32_t *words, uint32_t count);

/* An event of 3..TLOG_EVENT_SLOTS slots, whose words end at end; begin as tlog_event_begin() has it. Does not look at the
 * filter. Use tlog_event_words(). */
#define TLOG_EVENT_SLOTS 16u
void tlog_event_slots(const uint32_t *end, uint32_t slots, uint32_t begin, struct tlog_cpu *cpu);

TLOG_ALWAYS_INLINE void tlog_event_fill(const struct tlog_reserved *at, uint32_t word0, uint32_t d0, uint32_t d1)
{
    at->slot[1] = at->low;
    at->slot[2] = d0;
    at->slot[3] = d1;
    tlog_port_publish();
    *(volatile uint32_t *)at->slot = word0 | (at->cursor & TLOG_TAG_MASK);
}

/* Log an event of two words. Class 1..31 (TLOG_TRACE_...), event 0..1023; constants out of range do not compile, others
 * are counted as lost. Nothing is logged while logging is disabled or the class is suppressed. */
TLOG_ALWAYS_INLINE void tlog_event(uint32_t cls, uint32_t event, uint32_t d0, uint32_t d1)
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    tlog_port_home home;
    uint32_t word0 = TLOG_EVENT_WORD(cls, event);
    struct tlog_reserved at;
    if (__builtin_constant_p(cls) && __builtin_constant_p(event) && !tlog_event_ok(cls, event, 0))
        tlog_refuse_event();
    if (tlog_ring_is_class_muted(tlog_port_filter(cpu, &home), cls))
        return;
    if (__builtin_expect(tlog_event_ok(cls, event, 0) && tlog_ring_reserve_home(cpu, home, &at), 1))
        tlog_event_fill(&at, word0, d0, d1);
    else
        tlog_event_slow(tlog_event_ok(cls, event, 0) ? word0 : 0, d0, d1, cpu);
}

/* Slots of an event that is logged without a call. A chunk's seal is longer than what is looked at beyond its end. */
#define TLOG_EVENT_INLINE_SLOTS 3u

/* tlog_port_reserve() for n slots, a constant up to that number: all are free, or none is taken. */
TLOG_ALWAYS_INLINE bool tlog_event_reserve(struct tlog_cpu *cpu, uint32_t *cursor, uint32_t n, struct tlog_reserved *at)
{
#if TLOG_UNIQUE_STAMPS
    return tlog_ring_reserve_slots(cpu, cursor, n, at);
#else
#ifdef TLOG_PORT_SLOTS
    if (n > 1u)
        return tlog_port_reserve_few(cpu, cursor, n, at);
#endif
    uint32_t now, high, low;
    volatile uint32_t *slot;
    do {
        uint32_t seen = 0;
        now = tlog_port_load_exclusive(cursor);
        slot = (volatile uint32_t *)(uintptr_t)((uintptr_t)cursor + (now >> 12));
        for (uint32_t i = 0; i < n; i++)
            seen |= slot[4u * i];
        high = ((volatile struct tlog_cpu *)cpu)->high;
        low = tlog_port_now_at(cpu->clock);
        if ((seen & now & TLOG_TAG_MASK) != 0 || (int32_t)(high ^ low) < 0) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(now + n * TLOG_CURSOR_STEP, cursor));
    *at = TLOG_LITERAL(tlog_reserved){(uint32_t *)(uintptr_t)slot, now, high, low};
    return true;
#endif
}

/* Word 0 of the first slot of an event of count words, without the tag. */
TLOG_INLINE uint32_t tlog_event_first(uint32_t cls, uint32_t event, uint32_t count)
{
    return TLOG_EVENT_WORD(cls, event) | (count > 2u ? TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT : 0u);
}

/* What slot i of an event of n slots has more in word 0 than slot 0. */
TLOG_INLINE uint32_t tlog_event_struct(uint32_t i, uint32_t n)
{
    uint32_t part = i == 0 ? TLOG_STRUCT_CB : i + 1u == n ? TLOG_STRUCT_CE : TLOG_STRUCT_CC;
    return (part - TLOG_STRUCT_CB) << TLOG_STRUCT_SHIFT;
}

/* Slot i of an event of count words; word0: of slot 0, with the tag. */
TLOG_ALWAYS_INLINE void tlog_event_fill_one(const struct tlog_reserved *at, uint32_t word0, const uint32_t *words,
                                            uint32_t count, uint32_t i)
{
    uint32_t *slot = at->slot + 4u * i;
    slot[1] = at->low;
    slot[2] = 2u * i < count ? words[2u * i] : 0;
    slot[3] = 2u * i + 1u < count ? words[2u * i + 1u] : 0;
    if (i == 0)
        tlog_port_publish();
    *(volatile uint32_t *)slot = word0 + tlog_event_struct(i, TLOG_TRACE_SLOTS(count));
}

/* Fill the slots of an event of count words, up to four slots; word0 as tlog_event_first() has it. The first slot is
 * published last: without it the others are no event, and nobody comes past it to write over them. Written out because
 * the compiler does not unroll what has these conditions. */
TLOG_ALWAYS_INLINE void tlog_event_fill_all(const struct tlog_reserved *at, uint32_t word0, const uint32_t *words,
                                            uint32_t count)
{
    word0 |= at->cursor & TLOG_TAG_MASK;
    if (count > 6u)
        tlog_event_fill_one(at, word0, words, count, 3);
    if (count > 4u)
        tlog_event_fill_one(at, word0, words, count, 2);
    if (count > 2u)
        tlog_event_fill_one(at, word0, words, count, 1);
    tlog_event_fill_one(at, word0, words, count, 0);
}

/* Word 0 of the first slot of an event of count words, shifted left by one bit, which has no use there; bit 0 tells whether
 * the last slot lacks a word. */
TLOG_ALWAYS_INLINE uint32_t tlog_event_begin(uint32_t cls, uint32_t event, uint32_t count)
{
    return tlog_event_first(cls, event, count) << 1 | (count & 1u);
}

/* Log an event of count words. With constant arguments up to three slots are filled without a call. */
TLOG_ALWAYS_INLINE void tlog_event_words(uint32_t cls, uint32_t event, const uint32_t *words, uint32_t count)
{
    if (__builtin_constant_p(cls) && __builtin_constant_p(event) && __builtin_constant_p(count)
        && !tlog_event_ok(cls, event, count))
        tlog_refuse_event();
    if (!__builtin_constant_p(cls) || !__builtin_constant_p(count)) {
        tlog_event_words_any(cls, event, words, count);
        return;
    }
    struct tlog_cpu *cpu = tlog_cpu_here();
    tlog_port_home home;
    uint32_t word0 = tlog_event_first(cls, event, count);
    struct tlog_reserved at;
    if (tlog_ring_is_class_muted(tlog_port_filter(cpu, &home), cls))
        return;
    if (!tlog_event_ok(cls, event, count))
        tlog_ring_drop(cpu);
    else if (TLOG_TRACE_SLOTS(count) > TLOG_EVENT_SLOTS)
        tlog_event_words_any(cls, event, words, count);
    else if (TLOG_TRACE_SLOTS(count) > TLOG_EVENT_INLINE_SLOTS)
        tlog_event_slots(words + count, TLOG_TRACE_SLOTS(count), tlog_event_begin(cls, event, count), cpu);
    else if (__builtin_expect(tlog_event_reserve(cpu, tlog_port_cursor(home), TLOG_TRACE_SLOTS(count), &at), 1))
        tlog_event_fill_all(&at, word0, words, count);
    else
        tlog_event_words_any(cls, event, words, count);
}

/* Log a text with its NUL. A longer one is cut to 895 bytes. */
void tlog_event_text(uint32_t cls, uint32_t event, const char *text);

/* Suppress (true) or record (false) a class, 1..15. */
void tlog_filter_class(uint32_t cls, bool suppress);

/* ---- as QNX calls them ------------------------------------------------------------------------------------------- */

/* A user event of two words. 0; -1: the code is not 0..1023, nothing is logged. */
TLOG_ALWAYS_INLINE int trace_logi(int code, unsigned d0, unsigned d1)
{
    if ((unsigned)code >= _TRACE_MAX_EVENT_NUM)
        return -1;
    tlog_event(TLOG_TRACE_USER, (uint32_t)code, d0, d1);
    return 0;
}

/* A user event of any bytes, filled up with zeros to whole words. 0; -1: the code is not 0..1023, or there are more than 896
 * bytes; nothing is logged. */
int trace_logb(int code, const void *bytes, unsigned count);

/* The same of any class; cls is _TRACE_USER_C and the like; -1 also for one there is not. */
int trace_logbc(unsigned cls, int event, const void *bytes, unsigned count);

/* A user event that is a text. 0; -1: the code is not 0..1023. */
int trace_logs(int code, const char *text);

#elif TLOG_ENABLE

#define TLOG_NEEDS_TRACEEVENTS __attribute__((error("tlog: traceevents need TLOG_TRACEEVENTS = 1")))
TLOG_NEEDS_TRACEEVENTS void tlog_event(uint32_t cls, uint32_t event, uint32_t d0, uint32_t d1);
TLOG_NEEDS_TRACEEVENTS void tlog_event_words(uint32_t cls, uint32_t event, const uint32_t *words, uint32_t count);
TLOG_NEEDS_TRACEEVENTS void tlog_event_text(uint32_t cls, uint32_t event, const char *text);
TLOG_NEEDS_TRACEEVENTS void tlog_filter_class(uint32_t cls, bool suppress);
TLOG_NEEDS_TRACEEVENTS int trace_logi(int code, unsigned d0, unsigned d1);
TLOG_NEEDS_TRACEEVENTS int trace_logb(int code, const void *bytes, unsigned count);
TLOG_NEEDS_TRACEEVENTS int trace_logbc(unsigned cls, int event, const void *bytes, unsigned count);
TLOG_NEEDS_TRACEEVENTS int trace_logs(int code, const char *text);

#endif

TLOG_END_C

#endif
