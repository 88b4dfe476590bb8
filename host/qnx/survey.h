/* survey.h - the first walk through a .kev file, for what concerns all CPUs. Private to the reader. */
#ifndef QNX_SURVEY_H
#define QNX_SURVEY_H

#include "qnx/slot.h"

struct kev_time {
    bool known;
    uint32_t high, low;
};

struct kev_survey {
    struct kev_time first[KEV_CPUS_MAX]; /* the first CONTROL TIME of each CPU */
    bool per_cpu;                        /* every CPU counts its own buffers */
    bool cut;                            /* the file lacks its end */
};

/* Sets trace->ncpus, declares the threads to types, gives names, and reports damage of the file. 0, or -1 after
 * trace_fail(). */
int kev_survey(struct trace *trace, struct input *in, const struct kev_header *header, struct qnx_types *types,
               struct kev_survey *survey);

#endif
