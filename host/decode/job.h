/* job.h - an output that is to be written, with the sources it is written of.
 *
 * Calls come in this order: init, open_output, write, publish; the sources are prepared before write. discard_output
 * and release may come at any time.
 */
#ifndef DECODE_JOB_H
#define DECODE_JOB_H

#include "decode/merge.h"
#include "decode/request.h"
#include "decode/source.h"
#include "decode/windows.h"
#include "io/output.h"

#include <stdbool.h>

/* All zero before decode_job_init(). */
struct decode_job {
    const struct decode_request *request;
    struct decode_source *sources;
    unsigned nsources;
    struct decode_merge merge; /* this and merged: if there are several sources */
    struct trace merged;
    struct trace *trace;           /* what is written: merged, or the only source's */
    struct decode_windows windows; /* of the selection, see find.h */
    char guest_path[1024];         /* of a guest's output */
    const char *output_path;       /* "-" or NULL = standard output */
    struct output output;
    void *writer_state; /* NULL: the writer is not open */
    bool reader_gone;   /* writing failed because the other end of the output's pipe is closed */
};

/* Make it the job of n sources, which are initialised and stay the caller's. guest: the name that is put into that of
 * the requested output, or NULL. After a failure the job's trace has failed. */
void decode_job_init(struct decode_job *job, const struct decode_request *request, struct decode_source *sources,
                     unsigned n, const char *guest);

/* Open the output, and refuse one that is not fit for the format. 0, or -1 after trace_fail() of the job's trace. */
int decode_job_open_output(struct decode_job *job);

/* Refuse an output that would replace the source's input or ELF file, which may be irreplaceable. 0, or -1 after
 * trace_fail() of the job's trace. */
int decode_job_spare_input(struct decode_job *job, const struct decode_source *source);

/* Start the sources, and write all their events. 0, or -1 after trace_fail() of the job's trace or a source's. */
int decode_job_write(struct decode_job *job);

/* Give the output its name; or copy it to where it goes, if that is no file. 0, or -1 after trace_fail() of the job's
 * trace. */
int decode_job_publish(struct decode_job *job);

/* Leave nothing of the output behind. */
void decode_job_discard_output(struct decode_job *job);

/* Tell the user in one line what was written and what was lost. */
void decode_job_summarise(const struct decode_job *job);

/* Free what the job owns. */
void decode_job_release(struct decode_job *job);

#endif
