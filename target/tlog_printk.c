/* tlog_printk.c - the half of TLOG_PRINTK that is not in every call: see tlog_printk.h. */
#include "tlog.h"

#if TLOG_ENABLE && TLOG_TRACEEVENTS

/* The atomic step of tlog_port_reserve() for n slots side by side; false also when only the slow half can tell why. */
static inline __attribute__((always_inline)) bool reserve(struct tlog_cpu *cpu, uint32_t n, struct tlog_reserved *at)
{
    uint32_t *cursor = ((volatile struct tlog_cpu *)cpu)->cursor;
    const struct tlog_chunk *chunk = tlog_ring_chunk(cursor);
    do {
        uint32_t now = tlog_port_load_exclusive(cursor), taken = 0;
        const uint32_t *slot = at->slot = cursor + (now >> TLOG_CURSOR_SHIFT) * 4u;
        at->cursor = now;
        at->high = ((volatile struct tlog_cpu *)cpu)->high;
        if (cursor == tlog_ring_full || (now >> TLOG_CURSOR_SHIFT) + n > chunk->slots + 1u)
            break;
        for (uint32_t i = n; i > 0; i--, slot += 4)
            taken |= *(const volatile uint32_t *)slot;
        at->low = tlog_port_now_at(cpu->clock);
        if ((taken & now & TLOG_TAG_MASK) != 0 || (int32_t)(at->high ^ at->low) < 0)
            break;
        if (tlog_port_store_exclusive(now + n * TLOG_CURSOR_STEP, cursor) == 0)
            return true;
    } while (true);
    tlog_port_clear_exclusive();
    return false;
}

void tlog_printk_words(const uint32_t *words, uint32_t count)
{
    const uint32_t word0 = TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_PRINTK);
    uint32_t part = TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT, n = (count + 1u) / 2u;
    struct tlog_reserved at;
    if (__builtin_expect(n < 2u || !reserve(tlog_cpu_here(), n, &at), 0)) {
        tlog_event_words_any(TLOG_CLASS_CONTROL, TLOG_CONTROL_PRINTK, words, count);
        return;
    }
    for (; n > 1u; n--, words += 2, at.slot += 4) {
        tlog_event_fill(&at, word0 | part, words[0], words[1]);
        part = TLOG_STRUCT_CC << TLOG_STRUCT_SHIFT;
    }
    tlog_event_fill(&at, word0 | TLOG_STRUCT_CE << TLOG_STRUCT_SHIFT, words[0], words[1]);
}

uint32_t *tlog_printk_text(uint32_t *to, const char *text)
{
    uint32_t word, shift, left = TLOG_PRINTK_TEXT - 1u;
    if (text == 0)
        text = "(null)";
    do {
        word = 0;
        for (shift = 0; shift < 32u && left > 0 && *text != 0; shift += 8u, left--)
            word |= (uint32_t)(unsigned char)*text++ << shift;
        *to++ = word;
    } while (shift == 32u);
    return to;
}

#endif
