/* tlog_printk.c - the functions that TLOG_PRINTK calls: see tlog_printk.h. */
#include "tlog.h"

#include <stddef.h>

#if TLOG_ENABLE && TLOG_TRACEEVENTS

void tlog_printk_words(const uint32_t *words, uint32_t count)
{
    tlog_event_words_any(TLOG_CLASS_CONTROL, TLOG_CONTROL_PRINTK, words, count);
}

__attribute__((cold)) void tlog_printk_slow(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t words[] = {a, b, c, d};
    tlog_printk_words(words, 4);
}

__attribute__((cold)) void tlog_printk_slow3(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f)
{
    const uint32_t words[] = {a, b, c, d, e, f};
    tlog_printk_words(words, 6);
}

__attribute__((cold)) void tlog_printk_slow4(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f,
                                             uint32_t g, uint32_t h)
{
    const uint32_t words[] = {a, b, c, d, e, f, g, h};
    tlog_printk_words(words, 8);
}

uint32_t *tlog_printk_text(uint32_t *to, const char *text)
{
    uint32_t word, shift, left = TLOG_PRINTK_TEXT - 1u;
    if (text == NULL)
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
