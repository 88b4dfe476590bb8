/* context.h - what an event of a firmware was logged in, besides its task: the exception of a Cortex-M, or the mode of
 * an ARMv7-A. The numbers are those of struct trace_event (event.h).
 *
 * Sources: ARMv7-M Architecture Reference Manual, B1.5.2 (exception numbers); ARMv7-A and -R, B1.3.1 (modes).
 */
#ifndef MODEL_CONTEXT_H
#define MODEL_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Of the longest name, with its NUL. */
#define CONTEXT_NAME_BYTES 16u

/* The name of a context: a constant, or written to text. NULL for that of tasks, and if the context is not known. */
const char *context_name(uint16_t context, char text[CONTEXT_NAME_BYTES]);

/* Whether a context is that of an interrupt, or of another exception that interrupts tasks. */
bool context_is_interrupt(uint16_t context);

#endif
