/* own_print.h - the print format of an event that a firmware defines itself. */
#ifndef EVENTS_OWN_PRINT_H
#define EVENTS_OWN_PRINT_H

#include "events/own_descriptor.h"

/* What the fields are called that stand for one field of a descriptor. */
#define OWN_ELEMENT "%s_%u"   /* an element of an array, counted from 0 */
#define OWN_SHOWN   "%s_text" /* the text of a number that trace.dat has no type for */
#define OWN_UNIT    "%s_unit" /* a unit that print formats cannot have */

/* Whether the unit has characters that are not ASCII: libtraceevent does not read them in a print format. Then it is a
 * field of its own. */
bool own_unit_is_field(const struct own_field *field);

/* The print format of all fields, in libtraceevent's words: "ch=%u mv=%hdmV", REC->ch, REC->mv. The caller frees it.
 * NULL: no memory. */
char *own_print(const struct own_descriptor *descriptor);

#endif
