/* expect.h - demo_log(), through which the demo logs its records, and expect.bin, a second record of all its events.
 *
 * With -DDEMO_EXPECT=1, demo_log() also keeps a note of each event outside tlog, with the clock read just before and
 * just after the call; notes.h does so for the events that app.c defines. expect_save() writes the notes to expect.bin
 * on the host. A test then checks that the decoded dump holds the same events, counted by (code, par1, par2), and each
 * stamp between the two clock readings of its note.
 *
 * expect.bin: little-endian 32-bit words
 *
 *     word 0   0x54505845, "EXPT"
 *          1   version of this layout, 1
 *          2   words per note, 5
 *          3   number of notes that follow
 *          4   number of notes for which there was no room; unless it is 0, the comparison means nothing
 *          5   ticks of the clock per second
 *     then for each note
 *          0   code; of an event that app.c defines: a number of notes.h, 0x100 and above
 *          1   par1, as given to TRACER_LOGEVENT; or the first field, 0 if there is none
 *          2   par2; or the second field
 *          3   clock before the call, low 32 bits
 *          4   clock after it: stamp - before <= after - before, all modulo 2^32
 *
 * Notes are in the order in which the calls returned. The note of an interrupted call comes after the notes of the
 * interrupt's own calls, so a note whose two readings enclose another note shows a call that was interrupted.
 * tlog_name() is not noted. */
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

/* Keep a copy of a note. Callable from any context. */
void expect_add(const struct expect_note *note);

/* Write expect.bin if DEMO_EXPECT is 1. Returns 0, or -1 on failure. Call it from a thread, after the last event. */
int expect_save(void);

/* The trace's clock, read without tlog: low 32 bits, in ticks of TLOG_CLOCK_HZ. The timer itself counts down. Callable
 * from any context. */
static inline uint32_t demo_clock(void)
{
    return ~BOARD_TIMER0->value;
}

/* Log an event, and note it with DEMO_EXPECT. Callable from any context. Always inlined, so that a constant code is
 * still a constant for TRACER_LOGEVENT. */
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
