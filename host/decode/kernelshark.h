/* kernelshark.h - a session file for KernelShark: which rows it shows when it opens the trace.dat file that was
 * written.
 *
 * Without one it shows a row per CPU, in which all tasks are stripes. The session has a row for each CPU, then for each
 * interrupt and task that ran: interrupts first, then tasks by priority, the most important one, which has the smallest
 * number, first, and the idle task last.
 */
#ifndef DECODE_KERNELSHARK_H
#define DECODE_KERNELSHARK_H

#include "decode/job.h"

/* Write the session for the output of a job, which is complete but not yet published, into a file. 0, or -1 after
 * trace_fail() of the job's trace. */
int decode_kernelshark_write(const struct decode_job *job, int fd);

#endif
