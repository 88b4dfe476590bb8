/* passed.h - what the minimal runtime keeps beside a ring, of slots that were passed: for tests that begin a ring anew,
 * or that keep its memory and restore it. */
#ifndef LIB_PASSED_H
#define LIB_PASSED_H

#include "tlog.h"
#include "src/tlog_ring_impl.h"

#if TLOG_MINIMAL
static inline void passed_copy(uint32_t *to, const uint32_t *from)
{
    for (uint32_t i = 0; i < 2u * TLOG_PASSED_WORDS; i++)
        to[i] = from != NULL ? from[i] : 0;
}

static uint32_t passed_kept[2u * TLOG_PASSED_WORDS];

static inline void passed_clear(void)
{
    passed_copy(tlog_ring_passed[0], NULL);
}

static inline void passed_keep(void)
{
    passed_copy(passed_kept, tlog_ring_passed[0]);
}

static inline void passed_restore(void)
{
    passed_copy(tlog_ring_passed[0], passed_kept);
}
#else
static inline void passed_clear(void)
{
}

static inline void passed_keep(void)
{
}

static inline void passed_restore(void)
{
}
#endif

#endif
