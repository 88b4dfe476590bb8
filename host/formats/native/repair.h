/* repair.h - what could not be read as it stands of a dump, made images again as far as they are proved (target/FORMAT.md,
 * 4.1 to 4.4). A dump without damage never comes here, unless what stands beside its chunks looks like a chunk.
 */
#ifndef NATIVE_REPAIR_H
#define NATIVE_REPAIR_H

#include "formats/native/header_search.h"
#include "formats/native/image_list.h"

/* A place that looks like a damaged header or head, or like a seal. */
struct native_place {
    uint64_t offset;
    enum native_found found; /* NATIVE_UNPROVED or NATIVE_SEAL */
    bool proved;             /* it is one: set by native_repair() */
    bool is_image;           /* its seal is right, but which chunk it is is not known: so, too */
};

/* A header that is right, or repaired, but nothing shows where its image ends. */
struct native_open {
    struct native_header header;
    bool settled; /* its image is one of the list, or adds nothing: set by native_repair() */
};

/* What could not be read. */
struct native_unread {
    struct native_open *opens; /* nopens of them */
    size_t nopens, opens_room;
    struct native_place *places; /* nplaces, in the order of their offsets, which are in no image that could be read */
    size_t nplaces, places_room;
};

/* Add a header, or a place, to what could not be read. Returns 0, or -1 after trace_fail(). */
int native_unread_header(struct native_unread *unread, struct trace *trace, const struct native_header *header);
int native_unread_place(struct native_unread *unread, struct trace *trace, uint64_t offset, enum native_found found);

void native_unread_free(struct native_unread *unread);

/* Add to the images of a dump what is proved of what could not be read. Reports damage. Takes what it looks at from the
 * view's budget. Returns 0, or -1 after trace_fail(). */
int native_repair(struct native_view *view, struct native_unread *unread, struct native_image_list *list);

#endif
