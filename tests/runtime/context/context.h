/* context.h - what the parts of this test share: app.c logs, context_m.c and context_a.c bring about the contexts. */
#ifndef RUNTIME_CONTEXT_CONTEXT_H
#define RUNTIME_CONTEXT_CONTEXT_H

#include "board.h"
#include "tlog.h"

extern volatile bool is_urgent;

/* Log an event of which the caller knows the context. */
void log_in(uint32_t context);

void prepare_contexts(void);
void log_everywhere(void);
void log_in_interrupt(void);

#endif
