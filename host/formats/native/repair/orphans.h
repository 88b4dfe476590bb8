/* orphans.h - images that have lost their header, but have a right seal: orphans (target/FORMAT.md, 4.3). */
#ifndef NATIVE_ORPHANS_H
#define NATIVE_ORPHANS_H

#include "formats/native/repair/siblings.h"

enum native_orphan_found {
    NATIVE_ORPHAN_NONE,    /* no seal, or one that belongs to an image whose header is right */
    NATIVE_ORPHAN_UNKNOWN, /* nothing tells of which run or CPU it is */
    NATIVE_ORPHAN_LOST,    /* the same, in a dump that has nothing but images */
    NATIVE_ORPHAN_EMPTY,   /* none of its groups is as it was sealed; in a dump that has nothing but images */
    NATIVE_ORPHAN_PIECE,   /* a part of an image: groups of it are not as they were sealed */
    NATIVE_ORPHAN_HIT,     /* the same, in a dump that has nothing but images */
    NATIVE_ORPHAN_WHOLE,   /* all of its slots are as they were sealed */
};

/* Find the orphan that belongs to the seal at an offset of the input, which is in none of the siblings. *header is what
 * its header should be, if it is known. Takes what it looks at from the view's budget. */
enum native_orphan_found native_orphan_find(struct native_view *view, const struct native_siblings *siblings,
                                            uint64_t seal, struct native_header *header);

#endif
