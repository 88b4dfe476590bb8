/* times.h - which times of a lap are believed (target/FORMAT.md, "Reading a damaged dump"). */
#ifndef NATIVE_TIMES_H
#define NATIVE_TIMES_H

#include "formats/native/lap.h"

#define NATIVE_VOICES 32u /* stamps of the lap behind that are listened to */

/* A lap that is not clean, and the stamps that it must lie between. */
struct native_times {
    struct native_loader *loader;
    struct native_lap *lap;
    const struct native_image *image; /* that most slots are from */
    const struct native_part *behind; /* the lane's next lap; NULL: none */
    uint64_t from;                    /* no event is before that */
    bool proven;                      /* a seal speaks for all slots that are not damaged */
};

/* Mark the slots whose times are not believed as damaged, and report them; set lap->lead. The loader's order has room
 * for all slots of the lap and for NATIVE_VOICES more. */
void native_times_settle(const struct native_times *times);

#endif
