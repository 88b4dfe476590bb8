/* expect.h - the one door through which the demo logs, and what the firmware itself says it logged.
 *
 * With -DDEMO_EXPECT=1 every event is noted a second time, outside tlog, with the clock read just before and just after
 * the call. expect_save() writes the notes to expect.bin on the host. A test then asks of the decoded dump: the same
 * events, counted by (code, par1, par2), and every stamp between its two clock readings.
 *
 * expect.bin: little-endian 32-bit words
 *
 *     word 0   0x54505845, "EXPT"
 *          1   version of this layout, 1
 *          2   words per note, 5
 *          3   notes that follow
 *          4   notes for which there was no room: 0, or the comparison is void
 *          5   ticks of the clock per second
 *     then for each note
 *          0   code
 *          1   par1, as given to TRACER_LOGEVENT
 *          2   par2
 *          3   clock before the call, low 32 bits
 *          4   clock after it: stamp - before <= after - before, all modulo 2^32
 *
 * Notes are in the order in which the calls returned. An interrupted call is noted after the calls of the interrupt, so
 * a note whose two readings enclose another note shows logging that was interrupted while it logged.
 * Names are not noted. */
#ifndef SYSTEM_DEMO_EXPECT_H
#define SYSTEM_DEMO_EXPECT_H

#include <stdint.h>

#include "board.h"
#include "tlog.h"

#ifndef DEMO_EXPECT
#define DEMO_EXPECT 0
#endif

struct expect_note {
    uint32_t code, par1, par2, before, after;
};

/* Keep a note. Any context. */
void expect_add(const struct expect_note *note);

/* Write expect.bin, when notes were kept. 0, or -1. Thread, when nothing logs any more. */
int expect_save(void);

/* The clock of the trace, read past tlog: it counts up and wraps. Any context. */
static inline uint32_t demo_clock(void)
{
    return ~BOARD_TIMER0->value;
}

/* Log an event, and note it. Any context. Inlined, so that a constant code stays one. */
static inline __attribute__((always_inline)) void demo_log(uint32_t code, uint32_t par1, uint32_t par2)
{
#if DEMO_EXPECT
    struct expect_note note = {code, par1, par2, demo_clock(), 0};
    TRACER_LOGEVENT(code, par1, par2);
    note.after = demo_clock();
    expect_add(&note);
#else
    TRACER_LOGEVENT(code, par1, par2);
#endif
}

#endif
