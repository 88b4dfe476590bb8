/* image_list.h - the images of a dump, and what could not be read of it. */
#ifndef NATIVE_IMAGE_LIST_H
#define NATIVE_IMAGE_LIST_H

#include "formats/native/chunks/header_search.h"
#include "formats/native/chunks/image.h"

/* ---- what could not be read as it stands ------------------------------------------------------------------------- */

/* A place that looks like a damaged header or head, or like a seal. */
struct native_place {
    uint64_t offset;
    enum native_found found; /* NATIVE_UNPROVED or NATIVE_SEAL */
    bool may_be_mended;      /* NATIVE_UNPROVED, and a change may prove it */
    bool proved;             /* it is one: set by native_repair() */
    bool is_image;           /* its seal is right, but which chunk it is is not known: so, too */
};

/* A header that is right, or repaired, but nothing shows where its image ends. */
struct native_open {
    struct native_header header;
    bool settled; /* its image is one of the list, or adds nothing: set by native_repair() */
};

/* A header whose image has damage: it is reported when it is known which run is decoded. */
struct native_report {
    struct native_header header;
    uint64_t next; /* offset of the next image that may have cut it */
};

struct native_unread {
    struct native_open *opens; /* nopens of them */
    size_t nopens, opens_room;
    struct native_place *places; /* nplaces, in the order of their offsets, which are in no image that could be read */
    size_t nplaces, places_room;
    struct native_report *reports; /* nreports of them */
    size_t nreports, reports_room;
    uint64_t problem;                 /* offset of the first thing that looks like a header, and is none */
    char reason[NATIVE_REASON_BYTES]; /* what is wrong with it, for a message; "": there is none */
    bool foreign;                     /* its check is right: so it is damage, if there are images */
};

/* ---- the list ---------------------------------------------------------------------------------------------------- */

struct native_image_list {
    struct native_image *image; /* n of them, in no certain order */
    size_t n, room;
    struct native_unread unread;
};

/* Add an image to the list, which the caller fills. NULL after trace_fail(). */
struct native_image *native_image_list_add(struct native_image_list *list, struct trace *trace);

/* Add a header, or a place, to what could not be read. Of places a hostile dump may have many: further ones are left
 * out. Return 0, or -1 after trace_fail(). */
int native_image_list_add_open(struct native_image_list *list, struct trace *trace, const struct native_header *header);
int native_image_list_add_place(struct native_image_list *list, struct trace *trace, const struct native_header *header,
                                enum native_found found);

/* Add a header whose image is to be reported. Returns 0, or -1 after trace_fail(). */
int native_image_list_add_report(struct native_image_list *list, struct trace *trace,
                                 const struct native_header *header, uint64_t next);

/* Whether all could be read that looks like a chunk. */
static inline bool native_image_list_is_read(const struct native_image_list *list)
{
    return list->unread.nopens == 0 && list->unread.nplaces == 0;
}

/* Free what could not be read. */
void native_image_list_free_unread(struct native_image_list *list);

#endif
