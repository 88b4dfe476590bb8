/* memory.h - where on the target the firmware has memory for tlog's chunks. */
#ifndef IO_FIRMWARE_MEMORY_H
#define IO_FIRMWARE_MEMORY_H

#include "io/segments.h"
#include "model/trace.h"

#define FIRMWARE_PARTS_MAX 64u /* of that memory: further ones are left out */

/* The parts of it, as if they were in one input, in order of address: what the rings have, the section of chunks and
 * the arena in it. Returns how many; *size becomes the bytes of all. */
size_t firmware_memory(const struct trace_firmware *firmware, struct segment parts[static FIRMWARE_PARTS_MAX],
                       uint64_t *size);

#endif
