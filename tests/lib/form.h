/* form.h - for tests that begin with chunks that are formatted as a whole. */
#ifndef LIB_FORM_H
#define LIB_FORM_H

#include "tlog.h"
#include "src/tlog_form.h"

/* Format all chunks of a ring that is open. */
static inline void form_all(struct tlog_cpu *cpu)
{
    (void)cpu;
#if TLOG_FORMS
    while (tlog_ring_is_forming(cpu))
        tlog_form_settle(cpu);
#endif
}

#endif
