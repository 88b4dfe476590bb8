/* wire.h - headers and seals of chunks, read from a dump into the structures of target/tlog_wire.h. */
#ifndef NATIVE_WIRE_H
#define NATIVE_WIRE_H

#include "tlog_wire.h"

/* In place of the offset of a damaged byte that a CRC has located: no byte had to be mended. */
#define NATIVE_MEND_NONE UINT32_MAX

/* Read the header of a little-endian chunk from TLOG_HEADER_BYTES bytes. The fields are then in the byte order of the
 * host. Their values are not checked. */
struct tlog_chunk native_read_header(const unsigned char *bytes);

/* The sum that the word `check` of the header in these bytes should be. */
uint32_t native_check(const unsigned char *bytes);

/* The header's check is wrong. Find the one byte of which a change makes it right. Returns its offset, and in *bits
 * those that are to be inverted; NATIVE_MEND_NONE if there is none, or if several would do. */
uint32_t native_check_locate(const unsigned char *bytes, unsigned char *bits);

/* A count of 64 bits, from its low word and its high word with the mirror bit (TLOG_COUNT_MIRROR). */
uint64_t native_count(uint32_t low, uint32_t high);

/* Read a seal without its table of groups, likewise, from sizeof(struct tlog_seal) bytes. */
struct tlog_seal native_read_seal(const unsigned char *bytes);

#endif
