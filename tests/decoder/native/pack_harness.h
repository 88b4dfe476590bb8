/* pack_harness.h - what the tests of compressed chunks share: chunks of noise, of events and of a mixture, packed by the
 * target's compressor and unpacked by the host's.
 */
#ifndef DECODER_NATIVE_PACK_HARNESS_H
#define DECODER_NATIVE_PACK_HARNESS_H

#include "tlog_pack.h"
#include "native/unpack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define GROUP_BYTES (TLOG_GROUP_SLOTS * TLOG_SLOT_BYTES)

struct packed {
    unsigned char *bytes;
    size_t size;
};

struct loss {
    bool lost[4096]; /* by group */
};

/* The next of a sequence that is the same in every run. */
uint32_t noise(void);

/* A sealed chunk with zero slots, in memory of exactly its size. Free with free(). */
struct tlog_chunk *new_chunk(uint32_t slots, uint32_t emergency);

/* The slots, four words each; groups of slots, the emergency ones' included. */
uint32_t *slots_of(struct tlog_chunk *chunk);
uint32_t all_groups(const struct tlog_chunk *chunk);

/* End mark and seal, as tlog_dump() makes them. */
void seal(struct tlog_chunk *chunk);

void fill_noise(uint32_t *slots, uint32_t count);

/* Like a kernel's: few codes, few tasks, times that go up, now and then half a wrap. */
void fill_events(uint32_t *slots, uint32_t count);

/* Every kind of slot beside every other: empty, unfinished, of both tags, of all classes, damaged, and repetitions. */
void fill_mixture(uint32_t *slots, uint32_t count);

/* Pack into memory of exactly the size that is always enough, then into as much as was needed. */
struct packed pack(const struct tlog_chunk *chunk);

/* Unpack from memory of exactly that size. What unpack_region() returned; the image was checked. */
int unpack(const struct tlog_chunk *chunk, struct packed packed, struct loss *loss);

/* Seal, pack and unpack; the size of the region. */
size_t round_trip(struct tlog_chunk *chunk);

/* Which group a byte of a region is in; -1: the head. */
int group_of(struct packed packed, size_t at);

/* Groups that compress and one that does not, whole ones and short ones, and emergency slots. */
struct tlog_chunk *small_chunk(void);

#endif
