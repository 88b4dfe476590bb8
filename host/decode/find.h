/* find.h - looks for the events that --time and --around name, before any is written: inputs are read once more. */
#ifndef DECODE_FIND_H
#define DECODE_FIND_H

#include "decode/job.h"

/* If the selection of a job names events, find the windows and give them to its sources, which are prepared. Tells the
 * user if no event has a given name. 0, or -1 after trace_fail() of the job's trace. */
int decode_find(struct decode_job *job);

#endif
