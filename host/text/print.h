/* print.h - the text that a viewer shows of an event: the print format of its type with the fields put in, as
 * libtraceevent does it.
 *
 *   "irq=%d ret=%s", REC->irq, REC->ret ? "handled" : "unhandled"
 *
 * Types without a print format get the one that trace.dat has for them: "name=value name=value" (model/display.h). The
 * events of Linux's scheduler look as libtraceevent's plugin shows them. Of print formats only those arguments are
 * understood that this program's own types have: fields, their texts, a choice between two texts, and names of numbers
 * (__print_symbolic(), 4 KiB of them). Events of other print formats are shown as name=value.
 */
#ifndef TEXT_PRINT_H
#define TEXT_PRINT_H

#include "model/trace.h"

struct print_type;

#define PRINT_MOST 262144u /* bytes that an event takes at most; what is longer ends in "..." */

/* Parse the print format of a type. NULL: no memory. Ends with print_type_free(), which allows NULL. */
struct print_type *print_type_new(const struct trace *trace, const struct tlog_type *type);
void print_type_free(struct print_type *print);

/* Put the text of an event at `to`, which has room for PRINT_MOST bytes. Returns the place behind it. */
char *print_event(char *to, struct print_type *print, const struct tlog_event *event);

#endif
