/* clock.h - which frequency the clock of an input has. */
#ifndef MODEL_CLOCK_H
#define MODEL_CLOCK_H

#include "model/trace.h"

/* Tell the user that times are ticks, if the clock's frequency hz is 0: not known. */
void clock_note(const struct trace *trace, uint64_t hz);

/* Choose the clock's frequency in Hz; 0 = not known. per_ms: whole ticks per millisecond, as a record of the input
 * tells them; 0 = no record does. What the user gave with --clock-hz is more exact, and is taken if both have the same
 * ticks per millisecond. Tells the user if it is not taken, and if no frequency is known. */
uint64_t clock_choose(const struct trace *trace, uint32_t per_ms);

#endif
