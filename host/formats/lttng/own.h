/* own.h - what tlog-decode adds to the control channels of the traces it writes, and uses in those it reads.
 *
 * The format has no place for an unknown frequency of the clock, its start in ns, the systems, names and classes of
 * types, and names of anything but processes and interrupts. They are kept in events of these markers, in
 * control/modules_0.
 */
#ifndef LTTNG_OWN_H
#define LTTNG_OWN_H

#include "model/event.h"

#define LTTNG_OWN_WRITER "tlog_writer" /* a trace that has this marker was written by tlog-decode */
#define LTTNG_OWN_CLOCK  "tlog_clock"
#define LTTNG_OWN_TYPE   "tlog_type"
#define LTTNG_OWN_NAME   "tlog_name"

/* The word for a class of types. */
const char *lttng_own_class_name(enum trace_class class);

/* The class that a word is for; TRACE_PLAIN for an unknown one. */
enum trace_class lttng_own_class(const char *name);

#endif
