/* handles.h - names for kernel objects that the firmware gave none: the symbol of the firmware that they lie in.
 *
 * Where a kernel's objects are known by their addresses, as FreeRTOS's handles are, many of them are variables. Such a
 * name is given to the trace when the handle comes first, as if the firmware had given it; so all outputs show it,
 * those that have a table of names, too.
 */
#ifndef DECODE_HANDLES_H
#define DECODE_HANDLES_H

#include "model/display.h"
#include "model/trace.h"

#define DECODE_HANDLES_MAX 1024u /* objects that are named so: viewers search the whole table of names each time */

struct decode_handles;

/* NULL: no memory. */
struct decode_handles *decode_handles_new(void);

void decode_handles_free(struct decode_handles *handles);

/* Put the name of an object of that handle: the variable that it lies in, and the offset there if it is not 0. False:
 * it lies in none, or the firmware is NULL. */
bool decode_handles_text(const struct trace_firmware *firmware, uint32_t handle, char name[DISPLAY_NAME_BYTES]);

/* Name the objects without a name that a batch's events from index `at` on and before `end` have as fields. Does
 * nothing if the firmware's file is not known. */
void decode_handles_name(struct decode_handles *handles, struct trace *trace, const struct trace_batch *in, size_t at,
                         size_t end);

#endif
