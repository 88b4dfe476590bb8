/* header.h - the part of the file that tells all variables, and what they are before the first event.
 *
 * Every variable has a name of its own in the whole file, and one that tells what it is about: viewers show it without
 * the scopes that it is in, and some have no scopes. Names have letters, digits and "_" only.
 */
#ifndef VCD_HEADER_H
#define VCD_HEADER_H

#include "vcd/states.h"

/* Write the header, the body being complete. 0, or -1 after trace_fail(). */
int vcd_header(struct vcd *vcd);

#endif
