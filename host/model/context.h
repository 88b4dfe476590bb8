/* context.h - what a firmware event was logged in, beside its task: the exception of a Cortex-M, the mode of an ARMv7-A.
 *
 * Sources: ARMv7-M Architecture Reference Manual, B1.5.2 (exception numbers); ARMv7-A and -R, B1.3.1 (modes). */
#ifndef MODEL_CONTEXT_H
#define MODEL_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Longest name, with its NUL. */
#define CONTEXT_NAME_BYTES 16u

/* Of a context in struct trace_event: its name in text, or NULL when there is nothing to be said of it: nobody knows,
 * or it is the usual one of threads. */
const char *context_name(uint16_t context, char text[CONTEXT_NAME_BYTES]);

/* Whether it is one of an interrupt or another exception that interrupts threads. */
bool context_is_interrupt(uint16_t context);

#endif
