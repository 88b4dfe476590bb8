/* following.h - the first stamps of the lap behind one: no slot of this lap is later. */
#ifndef NATIVE_FOLLOWING_H
#define NATIVE_FOLLOWING_H

#include "formats/native/time/lap_slots.h"

/* The first whole stamps of the next lap. */
struct native_following {
    uint64_t stamp[NATIVE_FOLLOWING];
    uint32_t n;
    uint64_t limit; /* the first of them, if a seal confirms it; else the last stamp there can be */
    uint64_t wraps; /* that were added to them */
    bool begins;    /* the first of them is not a record's */
};

/* Read them, with what is missing in this lap's stamps added. */
struct native_following native_following_read(const struct native_lap_times *times);

#endif
