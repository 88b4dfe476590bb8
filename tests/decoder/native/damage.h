/* damage.h - what the campaign does to dumps: each damage has many cases, at all places of a dump. */
#ifndef DECODER_NATIVE_DAMAGE_H
#define DECODER_NATIVE_DAMAGE_H

#include "harness.h"

enum damage { FLIP, CUT, INSERT, DELETE, ZERO, DOUBLE, WIPE, DAMAGES };
enum { DAMAGE_ROOM = 64 }; /* bytes that come in at most */

extern const char *const damage_names[DAMAGES];

/* Bytes of a sound dump that a damage changes or takes away. Of bytes that come in: those ahead and behind. */
struct range {
    size_t from, to;
};

/* How many cases of a damage a dump has. */
size_t damage_cases(enum damage damage, struct bytes dump);

/* The bytes of a case. */
struct range damage_range(struct bytes dump, enum damage damage, size_t number);

/* Do a case of a damage to a dump, whose memory has room for DAMAGE_ROOM bytes more. */
void damage_do(struct bytes *dump, enum damage damage, size_t number);

#endif
