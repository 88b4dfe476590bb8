/* clock.c - which frequency the clock of an input has: see clock.h. */
#include "model/clock.h"

#include <inttypes.h>

void clock_note_unknown(const struct trace *trace, uint64_t hz)
{
    if (hz == 0)
        trace_note(trace, "clock frequency unknown: times are ticks; --clock-hz=N tells it");
}

uint64_t clock_choose(const struct trace *trace, uint32_t per_ms)
{
    uint64_t told = per_ms * (uint64_t)1000, given = trace->clock_hz_given;
    bool agree = given / 1000u == per_ms;
    uint64_t hz = told == 0 || agree ? given : told;
    if (told != 0 && given != 0 && !agree)
        trace_note(trace, "a record tells the clock, %" PRIu64 " Hz: what --clock-hz says is not used", told);
    clock_note_unknown(trace, hz);
    return hz;
}
