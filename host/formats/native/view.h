/* view.h - the bytes of one image brought into memory, as much as is needed of them. */
#ifndef NATIVE_VIEW_H
#define NATIVE_VIEW_H

#include "base/crc32.h"
#include "io/input.h"
#include "model/trace.h"
#include "formats/native/image.h"

/* trace and in are the caller's, who also frees bytes. A view of zeros with these two set is ready for use. */
struct native_view {
    struct trace *trace;
    struct input *in;
    unsigned char *bytes; /* of the image, by offset; only what was loaded is valid */
    size_t room;          /* bytes that are allocated */
    uint64_t region;      /* if unpacked: offset of the region in the input */
    bool unpacked;        /* bytes are a region's image, all of it, and unchanged */
    uint32_t lost;        /* groups of the region that are lost */
    uint64_t effort;      /* bytes that may still be looked at beyond what whole images need: native_view_spend() */
};

/* A damaged dump is searched for what is left of it, in many places again and again: some bytes are looked at many
 * times. All of that together is bounded by the size of the input, or a dump made to that end would take days. */
#define NATIVE_EFFORT       (64u << 20)
#define NATIVE_EFFORT_TIMES 64u

/* The effort that an input is worth. */
static inline uint64_t native_view_effort(const struct input *in)
{
    return NATIVE_EFFORT + NATIVE_EFFORT_TIMES * input_size(in);
}

/* Take n bytes from the effort. False: there are no more. */
static inline bool native_view_spend(struct native_view *view, uint64_t n)
{
    bool can = n <= view->effort;
    view->effort = can ? view->effort - n : 0;
    return can;
}

/* Have room for an image, or for its first `size` bytes. Returns 0, or -1 after trace_fail(). */
int native_view_fit(struct native_view *view, const struct native_image *image);
int native_view_fit_bytes(struct native_view *view, size_t size);

/* Load size bytes from offset `from` of the image on; there is room for the image. What the input does not have becomes
 * zero. The image of a region is always loaded as a whole. */
void native_view_load(struct native_view *view, const struct native_image *image, size_t from, size_t size);

/* To be called before bytes of the view are changed: a region is then unpacked again when it is loaded next. */
static inline void native_view_will_change(struct native_view *view)
{
    view->unpacked = false;
}

/* A slot that was loaded. */
static inline const unsigned char *native_view_slot(const struct native_view *view, size_t index)
{
    return view->bytes + native_slot_offset(index);
}

/* By which bits the CRC of a group differs from the one that the seal has; 0: the group is intact. Both the group and
 * the seal were loaded. */
static inline uint32_t native_view_group_difference(const struct native_view *view, const struct native_image *image,
                                                    size_t group)
{
    uint32_t crc =
        crc32_of(view->bytes + native_group_offset(image->layout, group), native_group_size(image->layout, group));
    return crc ^ get_le32(view->bytes + native_group_crc_offset(image->layout, group));
}

#endif
