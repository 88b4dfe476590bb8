/* context.h - shared by the parts of this test: app.c logs, context_m.c and context_a.c enter the contexts. */
#ifndef RUNTIME_CONTEXT_CONTEXT_H
#define RUNTIME_CONTEXT_CONTEXT_H

#include "board.h"
#include "tlog.h"

extern volatile bool is_urgent;

/* Log an event in a context whose number the caller knows. */
void log_in(uint32_t context);

void prepare_contexts(void);
void log_everywhere(void);
void log_in_interrupt(void);

#endif
