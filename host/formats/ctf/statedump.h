/* statedump.h - all tasks that have names, as events of LTTng's state dump: viewers take the names from them. */
#ifndef CTF_STATEDUMP_H
#define CTF_STATEDUMP_H

#include "formats/ctf/output.h"

/* Write the file, unless no task has a name. 0, or -1 after trace_fail(). */
int ctf_statedump_write(struct ctf_output *output);

#endif
