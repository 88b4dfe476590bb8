/* metadata.h - the file that describes all events and fields to readers. */
#ifndef CTF_METADATA_H
#define CTF_METADATA_H

#include "formats/ctf/output.h"

/* How the file begins. */
#define CTF_METADATA_START CTF_FIRST_LINE "/* Written by tlog-decode"

/* Write the file. 0, or -1 after trace_fail(). */
int ctf_metadata_write(const struct ctf_output *output);

#endif
