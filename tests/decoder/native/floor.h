/* floor.h - flips of one bit that nothing in a dump without a seal shows: what no decoder can notice. */
#ifndef DECODER_NATIVE_FLOOR_H
#define DECODER_NATIVE_FLOOR_H

#include "harness.h"

/* A slot that holds something: where it stands, in which lap, its place in the order of time, and its time. */
struct floor_slot {
    size_t at;
    uint32_t cpu, lap, chunk, number;
    bool emergency;
    uint64_t time; /* ticks */
};

struct floor {
    struct bytes dump; /* the caller's */
    struct floor_slot *slot;
    size_t n, room;
    size_t *of_byte; /* for each byte of the dump: the index of its slot in `slot`, or SIZE_MAX */
};

/* Find the slots of a sound dump's newest run. floor_free() is due then. */
void floor_of(struct floor *floor, struct bytes dump);
void floor_free(struct floor *floor);

/* Whether a flip of this bit makes its slot another event, with a valid kind, tag, mirror bit and code, and a time that
 * lies between those of its neighbours. */
bool floor_has(const struct floor *floor, size_t bit);

#endif
