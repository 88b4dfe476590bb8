/* clock.h - which frequency the clock of an input has. */
#ifndef MODEL_CLOCK_H
#define MODEL_CLOCK_H

#include "model/trace.h"

/* Tell the user that times are ticks where the clock's frequency hz is not known, 0. */
void clock_note(const struct trace *trace, uint64_t hz);

/* The clock's frequency in Hz, or 0: not known. per_ms: whole ticks per millisecond as a record of the input tells them; 0: no
 * record does. What the user gave with --clock-hz is more exact and is taken where the two agree. Tells the user when it is not
 * taken, and when no frequency is known. */
uint64_t clock_choose(const struct trace *trace, uint32_t per_ms);

#endif
