/* tlog_printk.c - the half of TLOG_PRINTK that is not in every call: see tlog_printk.h. */
#include "tlog.h"

#if TLOG_ENABLE && TLOG_TRACEEVENTS

void tlog_printk_words(const uint32_t *words, uint32_t count)
{
    tlog_event_words_any(TLOG_CLASS_CONTROL, TLOG_CONTROL_PRINTK, words, count);
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
