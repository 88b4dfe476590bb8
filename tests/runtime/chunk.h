/* chunk.h - what chunk.c (the answers) and chunk_irq.c (the interrupts) of the chunk test share. */
#ifndef RUNTIME_CHUNK_H
#define RUNTIME_CHUNK_H

#include "chunk_ops.h"
#include "chunk_read.h"
#include "lib/logged.h"
#include "lib/test.h"
#include "lib/irq.h"
#include "tlog.h"

#include <stddef.h>

/* Of long loops one case in so many is tried, of random schedules one in its square. */
#ifndef TEST_PART
#define TEST_PART 1u
#endif

enum { SLOTS = CHUNK_SLOTS };

static inline void log_code(uint32_t code)
{
    uint32_t n = logged_begin(1);
    if (n >= LOGGED_MAX)
        return;
    tlog_record_call(code, (n ^ LOGGED_SALT) & 0xFFFFu, n);
    logged_end(n);
}

static inline void log_many(uint32_t count)
{
    while (count-- > 0)
        log_code(FTrace_EVT_user_event_0);
}

/* Make the four chunks, and forget what was logged. */
static inline void prepare(void)
{
    logged_count = 0;
    chunk_prepare();
}

/* The tests of runtime/chunk_irq.c. */
void test_chunk_irq(void);

#endif
