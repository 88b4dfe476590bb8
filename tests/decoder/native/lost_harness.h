/* lost_harness.h - what the tests of lost chunks share: dumps, the rings of the firmware that made them, damage, and
 * the comparison with the undamaged dump, which is the judge.
 */
#ifndef DECODER_NATIVE_LOST_HARNESS_H
#define DECODER_NATIVE_LOST_HARNESS_H

#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { LOST_HZ = 1000000000, LOST_KINDS = 7 };

/* Kinds of dumps. The last chunk that is filled is the one that is open. */
extern const struct gen_options lost_kinds[LOST_KINDS];

/* What the firmware of a dump tells, since lost_make(): rings of events of each CPU, then the names of CPU 0. A test
 * lets firmware_given (harness.h) point to it. */
extern struct trace_firmware lost_firmware;
extern struct trace_ring lost_rings[16];
extern const unsigned char lost_build_id[20];

/* For messages: what is tried. */
extern char lost_what[128];

/* Where the generator has chunk 0 of a CPU's ring (role 0), or its names. */
uint64_t lost_address(uint32_t cpu, uint32_t role);

/* Make a dump of a kind, and its firmware. */
struct bytes lost_make(const struct gen_options *kind);

/* The same firmware, without a dump. */
void lost_make_firmware(const struct gen_options *options);

/* Make all chunks of a dump, and the firmware's rings, stand where they do in memory: side by side. */
void lost_lie_in_memory(struct bytes dump);

/* The offset of chunk `number` of a CPU's ring (role 0), or of its names. SIZE_MAX: there is none. */
size_t lost_chunk_at(struct bytes dump, uint32_t cpu, uint32_t role, uint32_t number, size_t *size);

/* What becomes of header and seal: bytes of one kind; or less or more of them than that. CONSTANTS: the words of the
 * header that change are left as they are; NEXT: but `next` is not, and dropped events are told; HALF: these are zeros,
 * and the others are not all; MORE: three slots are lost, too; MARK: the end mark is. */
enum lost_how { ZEROS, ONES, RANDOM, INVERTED, CONSTANTS, NEXT, HALF, MORE, MARK, HOWS };

/* Damage header and seal of the chunk at an offset. */
void lost_wipe(struct bytes dump, size_t at, enum lost_how how);

struct bytes lost_copy(struct bytes dump);

/* A copy of a dump in which some chunks of CPU 0 are damaged: bits of their numbers. */
struct bytes lost_wiped(struct bytes dump, uint32_t chunks, enum lost_how how);

/* Check the events of a damaged dump, and how many were dropped and overwritten, against the undamaged one: `missing`
 * of the events are not there at most, none is another one, and there is damage. Returns in how many places. */
uint64_t lost_must_have(struct bytes dump, const struct decoded *whole, uint64_t missing);

/* Check that a dump gives the same as another decoding; and the same without the firmware. */
void lost_must_be_like(struct bytes dump, const struct decoded *other);
void lost_must_tell_nothing(struct bytes dump);

/* Of each test: nothing is given. */
int lost_set_up(void **state);

#define LOST_TEST(name) cmocka_unit_test_setup_teardown(name, lost_set_up, lost_set_up)

#endif
