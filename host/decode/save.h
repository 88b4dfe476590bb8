/* save.h - saves what a firmware's ELF file tells in a small file: see io/events_file.h. */
#ifndef DECODE_SAVE_H
#define DECODE_SAVE_H

#include "decode/decode.h"

/* Write what the firmware's ELF file tells to output; "-" or NULL = standard output. Errors go to standard error. */
enum decode_exit decode_save_events(const char *elf, const char *output, bool quiet);

#endif
