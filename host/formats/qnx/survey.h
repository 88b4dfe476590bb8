/* survey.h - the first walk through a .kev file, for what concerns all CPUs. For the reader. */
#ifndef QNX_SURVEY_H
#define QNX_SURVEY_H

#include "formats/qnx/slot.h"

/* A time stamp, in ticks. */
struct kev_time {
    bool known; /* false: there is none */
    uint32_t high, low;
};

struct kev_survey {
    struct kev_time first[KEV_CPUS_MAX]; /* the first CONTROL TIME of each CPU */
    bool per_cpu;                        /* each CPU numbers its own kernel buffers */
    bool cut;                            /* the end of the file is missing */
};

/* Walk through the whole file: set trace->ncpus and threads->idle, take all threads, give names to the trace, count
 * what was dropped, and report damage of the file. 0, or -1 after trace_fail(). */
int kev_survey(struct trace *trace, struct input *in, const struct kev_header *header, struct qnx_threads *threads,
               struct kev_survey *survey);

#endif
