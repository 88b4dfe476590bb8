/* orphans.h - the search for images that have lost their header: orphans (target/FORMAT.md, "A header that is lost").
 *
 * They stand in stray bytes: those that are in none of the images whose header was found. The caller goes through the
 * gaps between these images in the order of the input, and makes an image of each header that is returned:
 *
 *   begin { enter { next pass }* }* end
 */
#ifndef NATIVE_ORPHANS_H
#define NATIVE_ORPHANS_H

#include "formats/native/header_repair.h"

/* A search. Its parts are private to orphans.c. */
struct native_orphans {
    struct native_siblings siblings;
    struct native_stray stray; /* what is searched */
    unsigned char *bytes;      /* the window: n bytes, from offset `at` of the input on */
    uint64_t at;
    size_t n, room;
};

/* Begin with the n images whose header was found, in the order of their offsets. They outlive the search. Returns 0, or
 * -1 after trace_fail(). native_orphans_end() is due in both cases. */
int native_orphans_begin(struct native_orphans *orphans, struct native_view *view, const struct native_image *images,
                         size_t n);

void native_orphans_end(struct native_orphans *orphans);

/* Search the input from one offset to another, ahead of image number `after`, from now on. */
void native_orphans_enter(struct native_orphans *orphans, uint64_t from, uint64_t to, size_t after);

/* Find the next orphan. True: *header is what its header should be, and the loss is reported. An image is to be made of
 * it, and native_orphans_pass() called. */
bool native_orphans_next(struct native_orphans *orphans, struct native_header *header);

/* Go on behind the orphan that was found. Its image is now the last of n images; the first ones are those that the
 * search began with, but may have moved in memory. */
void native_orphans_pass(struct native_orphans *orphans, const struct native_image *images, size_t n);

/* Whether the input has the seal of an orphan: then it is a dump, even without any header. */
bool native_orphans_have_seal(struct input *in);

#endif
