/* header.h - the part of the file that declares all variables, and their values before the first event.
 *
 * The name of a variable is unique in the whole file, and tells what it is about: some viewers show no scopes. Names
 * have only letters, digits and "_".
 */
#ifndef VCD_HEADER_H
#define VCD_HEADER_H

#include "formats/vcd/states.h"

/* Write the header, when the body is complete. 0, or -1 after trace_fail(). */
int vcd_header(struct vcd *vcd);

#endif
