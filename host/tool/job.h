/* job.h - an output that is to be written, with the sources whose events go into it.
 *
 * The calls for a job come in this order: init; open_output; find_windows, when the sources are prepared; write;
 * perhaps write_session; publish; release. discard_output and release may come at any time.
 */
#ifndef DECODE_JOB_H
#define DECODE_JOB_H

#include "tool/merge.h"
#include "decode/select.h"
#include "io/output.h"

/* All zero before decode_job_init(). */
struct decode_job {
    const struct decode_request *request;
    struct tlog_decoder *decoders; /* ndecoders of them */
    unsigned ndecoders;
    struct decode_merge merge; /* this and merged are used if there are several sources */
    struct trace merged;
    struct trace *trace; /* what is written: merged, or the only source's */
    struct decode_windows windows;
    char guest_path[1024];   /* of a guest's output */
    const char *output_path; /* "-" or NULL = standard output */
    struct output output;
    void *writer_state; /* NULL: the writer is not open */
    bool reader_gone;   /* writing failed because the other end of the output's pipe is closed */
};

/* Make it the job of n decoders, which are initialised and stay the caller's. guest: NULL, or what is put into the
 * requested output's name to get this output's. If that fails, the job's trace has failed. */
void decode_job_init(struct decode_job *job, const struct decode_request *request, struct tlog_decoder *decoders,
                     unsigned n, const char *guest);

/* Open the output, and refuse one that does not suit the format. 0, or -1 after trace_fail() of the job's trace. */
int decode_job_open_output(struct decode_job *job);

/* Refuse an output that would replace the source's input or ELF file, because these may be irreplaceable. 0, or -1
 * after trace_fail() of the job's trace. */
int decode_job_spare_input(struct decode_job *job, const struct decode_source *source);

/* If --time or --around name events, read the inputs to find them, and give the sources the windows that follow. Tells
 * the user if no event has such a name. 0, or -1 after trace_fail() of the job's trace. In find_windows.c. */
int decode_job_find_windows(struct decode_job *job);

/* Start the decoders, and write all their events. 0, or -1 after trace_fail() of the job's trace or a source's. */
int decode_job_write(struct decode_job *job);

/* In place of write, for a decoder that is started and whose events come bit by bit: open the writer; write all events
 * that there are, so that they can be seen, as often as there are more; and end. 0, or -1 after trace_fail() of the
 * job's trace or the source's. */
int decode_job_begin(struct decode_job *job);
int decode_job_go_on(struct decode_job *job);
int decode_job_end(struct decode_job *job);

/* Write a session file for KernelShark to fd, about the output, which is whole but not yet published. 0, or -1 after
 * trace_fail() of the job's trace. In kernelshark.c. */
int decode_job_write_session(const struct decode_job *job, int fd);

/* Give the output its name; or, if it goes to a pipe or a device, copy it there. 0, or -1 after trace_fail() of the
 * job's trace. */
int decode_job_publish(struct decode_job *job);

/* Leave nothing of the output behind. */
void decode_job_discard_output(struct decode_job *job);

/* Tell the user in one line what was written and what was lost. */
void decode_job_summarise(const struct decode_job *job);

/* Free what the job owns. */
void decode_job_release(struct decode_job *job);

#endif
