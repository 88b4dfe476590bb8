/* directory.h - a directory that may be replaced by a trace. */
#ifndef CTF_DIRECTORY_H
#define CTF_DIRECTORY_H

#include <stdbool.h>

/* Is the directory of this descriptor empty, or does it hold a trace of this writer and nothing else? */
bool ctf_directory_is_trace(int directory);

#endif
