/* unpack.h - the slots of one group of a compressed region, from the bits of its payload (FORMAT.md, 7.2, 7.3). */
#ifndef NATIVE_UNPACK_H
#define NATIVE_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

/* Unpack the payload of a group, `words` words as they stand in the region, into `slots` slots of 16 bytes each. bits:
 * bits 15..8 of the head of the first slot, in their places. False: the payload is damaged; it ends too early, has bits
 * left over, or tells what cannot be. The slots are not valid then. */
bool native_unpack(const unsigned char *payload, uint32_t words, uint32_t bits, uint32_t slots, unsigned char *to);

#endif
