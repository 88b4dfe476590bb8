/* SPDX-License-Identifier: MIT */
/* tlog_printk.c - the functions that TLOG_PRINTK calls: see tlog_printk.h. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#include <stddef.h>

#if TLOG_ENABLE && TLOG_TRACEEVENTS

uint32_t tlog_muted_levels;

void tlog_filter_level(uint32_t level, bool suppress)
{
    uint32_t muted;
    if (level - 1u > 3u)
        return;
    do {
        muted = tlog_port_load_exclusive(&tlog_muted_levels) & ~(1u << level);
        muted |= suppress ? 1u << level : 0u;
    } while (tlog_port_store_exclusive(muted, &tlog_muted_levels));
}

void tlog_printk_words(const uint32_t *words, uint32_t count)
{
    tlog_event_words_any(TLOG_CLASS_CONTROL, TLOG_CONTROL_PRINTK, words, count);
}

void tlog_printk_one(uint32_t a, uint32_t b)
{
    tlog_event_here(a, b, TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_PRINTK),
                    tlog_ring_class_bit(TLOG_CLASS_CONTROL));
}

void tlog_printk_two(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t words[] = {a, b, c, d};
    tlog_printk_few(words, 4);
}

__attribute__((cold)) void tlog_printk_slow(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t words[] = {a, b, c, d};
    tlog_event_log(TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_PRINTK), words, 4);
}

__attribute__((cold)) void tlog_printk_slow3(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f)
{
    const uint32_t words[] = {a, b, c, d, e, f};
    tlog_event_log(TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_PRINTK), words, 6);
}

__attribute__((cold)) void tlog_printk_slow4(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f,
                                             uint32_t g, uint32_t h)
{
    const uint32_t words[] = {a, b, c, d, e, f, g, h};
    tlog_event_log(TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_PRINTK), words, 8);
}

/* The next four bytes of a text as a word; behind its NUL they are 0. Returns whether the NUL is not among them. */
static inline bool next_four(const char *text, uint32_t *word)
{
    uint32_t byte = (unsigned char)text[0], sum = byte;
    if (byte != 0)
        byte = (unsigned char)text[1], sum |= byte << 8;
    if (byte != 0)
        byte = (unsigned char)text[2], sum |= byte << 16;
    if (byte != 0)
        byte = (unsigned char)text[3], sum |= byte << 24;
    *word = sum;
    return byte != 0;
}

#ifdef __arm__
/* The same for a text at an address that is a multiple of 4: then bytes behind the NUL can be read as well. The first
 * test finds bytes of 0 and some above 128, in one instruction less than an exact one. */
typedef uint32_t __attribute__((may_alias)) text_word;
static inline bool next_text_word(const char *text, uint32_t *word)
{
    const uint32_t all = *(const text_word *)(const void *)text, less = all - 0x01010101u;
    *word = all;
    if (__builtin_expect((less & 0x80808080u) == 0, 1))
        return true;
    const uint32_t zeros = less & ~all & 0x80808080u;
    if (zeros == 0)
        return true;
    *word = all & (zeros ^ (zeros - 1u)); /* the lowest bit that is set is in the NUL */
    return false;
}
#define TLOG_PRINTK_IS_ALIGNED(text) (((uintptr_t)(text)&3u) == 0)
#else
static inline bool next_text_word(const char *text, uint32_t *word)
{
    return next_four(text, word);
}
#define TLOG_PRINTK_IS_ALIGNED(text) false
#endif

uint32_t *tlog_printk_text(uint32_t *to, const char *text)
{
    uint32_t *const last = to + TLOG_PRINTK_TEXT / 4u - 1u;
    uint32_t word;
    if (text == NULL)
        text = "(null)";
    if (TLOG_PRINTK_IS_ALIGNED(text))
        for (; next_text_word(text, &word) && to < last; text += 4)
            *to++ = word;
    else
        for (; next_four(text, &word) && to < last; text += 4)
            *to++ = word;
    *to = to < last ? word : word & 0x00FFFFFFu;
    return to + 1;
}

/* ---- a text as the end of an event ------------------------------------------------------------------------------- */

void tlog_text_words(uint32_t *words, uint32_t count, const char *text, uint32_t head)
{
    tlog_event_log(head, words, (uint32_t)(tlog_printk_text(words + count, text) - words));
}

/* A text that ends beyond three slots, or that cannot be read by words. */
static __attribute__((noinline)) void log_long_text(uint32_t first, uint32_t count, const char *text, uint32_t head)
{
    uint32_t words[1u + TLOG_PRINTK_TEXT / 4u];
    words[0] = first;
    tlog_text_words(words, count, text, head);
}

/* Log an event of one, two or three slots. Words are passed by value: so they stay in registers. */
static TLOG_FORCE_INLINE void log_1(uint32_t a, uint32_t b, uint32_t head)
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    struct tlog_reserved at;
    if (__builtin_expect(tlog_event_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, 1, &at), 1))
        tlog_event_fill(&at, head, a, b);
    else
        tlog_own_slow_1(a, b, head);
}

static TLOG_FORCE_INLINE void log_2(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t head)
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    const uint32_t words[] = {a, b, c, d};
    struct tlog_reserved at;
    if (__builtin_expect(tlog_event_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, 2, &at), 1))
        tlog_event_fill_all(&at, head | TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT, words, 4);
    else
        tlog_own_slow_2(a, b, c, d, head);
}

static TLOG_FORCE_INLINE void log_3(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f,
                                    uint32_t head)
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    const uint32_t words[] = {a, b, c, d, e, f};
    struct tlog_reserved at;
    if (__builtin_expect(tlog_event_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, 3, &at), 1))
        tlog_event_fill_all(&at, head | TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT, words, 6);
    else
        tlog_own_slow_3(a, b, c, d, e, f, head);
}

/* Log a text behind `count` words, 0 or 1, a constant. Up to three slots the text goes from where it stands into
 * registers and from there into the slots. */
static TLOG_FORCE_INLINE void log_text(uint32_t first, uint32_t count, const char *text, uint32_t head)
{
    const uint32_t at = 4u - 4u * count; /* where the second word of the event begins in the text */
    uint32_t a = first, b = 0, c, d = 0, e, f = 0;
    if (text == NULL || !TLOG_PRINTK_IS_ALIGNED(text))
        log_long_text(first, count, text, head);
    else if ((count == 0 && !next_text_word(text, &a)) || !next_text_word(text + at, &b))
        log_1(a, b, head);
    else if (!next_text_word(text + at + 4, &c) || !next_text_word(text + at + 8, &d))
        log_2(a, b, c, d, head);
    else if (!next_text_word(text + at + 12, &e) || !next_text_word(text + at + 16, &f))
        log_3(a, b, c, d, e, f, head);
    else
        log_long_text(first, count, text, head);
}

void tlog_text_alone(const char *text, uint32_t head)
{
    log_text(0, 0, text, head);
}

void tlog_text_behind(uint32_t first, const char *text, uint32_t head)
{
    log_text(first, 1, text, head);
}

#endif
