/* find.h - looks for the events that --time and --around name, before any is written: inputs are read once more. */
#ifndef DECODE_FIND_H
#define DECODE_FIND_H

#include "decode/job.h"

/* Find the windows of a job whose sources are prepared, if its selection names events; its sources get them. The user
 * is told which events there are none of. 0, or -1 after trace_fail() of the job's trace. */
int decode_find(struct decode_job *job);

#endif
