/* image_search.c - the images of a dump that can be read as they stand: see image_search.h. */
#include "formats/native/chunks/image_search.h"

#include "base/heap.h"
#include "formats/native/chunks/image_parse.h"

#include <string.h>

/* What the search has come to. */
struct find {
    struct native_view *view;
    struct native_image_list *list;
    struct native_image first; /* of a ring: the last one that was met */
    struct native_image open;  /* the last image, which may have memory that is not formatted; size 0: none */
    struct native_header open_header;
    struct native_search search;
};

/* Whether an offset of an image is in slots that the firmware may not have formatted yet. */
static bool is_unformatted(const struct native_image *image, const struct native_position *position, uint64_t offset)
{
    uint32_t first = native_image_first_unformatted(image, position);
    return first > 0 && offset >= native_slot_offset(first) && offset < native_claims_offset(image->layout);
}

/* Whether a header that is right, and that was found inside an image, is stale: it was left in memory that the firmware
 * has not formatted yet. Then it has the address that belongs to its place. */
static bool is_stale(const struct native_image *image, const struct native_header *header,
                     const struct native_header *found)
{
    const struct tlog_chunk *chunk = &header->chunk;
    uint64_t offset = found->offset - image->offset;
    uint64_t self = (uint64_t)found->chunk.self_high << 32 | found->chunk.self;
    struct native_position position;
    if (image->packed)
        return false;
    native_position_read(image, chunk->cursor, chunk->lap, chunk->lap_high, &position);
    return is_unformatted(image, &position, offset) && self == image->self + offset;
}

/* Keep what is wrong with the first thing that looks like a header: it is the error if there is no image. */
static void note_problem(struct find *find, const struct native_header *header, bool foreign)
{
    struct native_unread *unread = &find->list->unread;
    struct native_header found;
    if (unread->reason[0] != '\0')
        return;
    unread->problem = header->offset;
    unread->foreign = foreign;
    native_header_at(find->view->in, header->offset, &found, unread->reason);
}

/* Report a chunk of a format that this decoder does not know. The first one is reported when there is an image. */
static void take_foreign(struct find *find, const struct native_header *header)
{
    char reason[NATIVE_REASON_BYTES];
    struct native_header found;
    if (find->list->unread.reason[0] != '\0' && native_header_at(find->view->in, header->offset, &found, reason))
        trace_damage(find->view->trace, header->offset, 0, 0, "%s", reason);
    note_problem(find, header, true);
    native_search_pass(&find->search, header->offset + offsetof(struct tlog_chunk, next));
}

/* Take an image that can be read, and is damaged nevertheless or not. Returns 0, or -1 after trace_fail(). */
static int take_image(struct find *find, const struct native_header *header, const struct native_image *image,
                      bool damaged)
{
    struct trace *trace = find->view->trace;
    struct native_image *added = native_image_list_add(find->list, trace);
    if (added == NULL)
        return -1;
    *added = *image;
    native_search_pass(&find->search,
                       header->offset + (image->formatted > 0 ? image->formatted : native_extent(image)));
    return damaged ? native_image_list_add_report(find->list, trace, header, input_size(find->view->in)) : 0;
}

/* Make an image of a header. Returns 0, or -1 after trace_fail(). */
static int take_header(struct find *find, const struct native_header *header)
{
    struct trace *trace = find->view->trace;
    struct trace_silence silence;
    struct native_image image;
    bool damaged;
    int result;
    if (native_image_has_left_over(find->view, &find->first, header)
        || (find->open.size > 0 && is_stale(&find->open, &find->open_header, header)))
        return 0;
    trace_silence_begin(trace, &silence);
    result = native_image_parse(find->view, header, &image);
    damaged = trace_silence_end(trace, &silence);
    if (result < 0)
        return -1;
    if (result > 0 && native_role(&image) == TLOG_ROLE_EVENTS && native_number(&image) == 0 && !image.packed)
        find->first = image;
    find->open = image;
    find->open_header = *header;
    if (result > 0)
        return take_image(find, header, &image, damaged);
    native_search_pass(&find->search, header->offset + offsetof(struct tlog_chunk, next));
    return native_image_list_add_open(find->list, find->view->trace, header);
}

/* Find all images that can be read as they stand, and note what looks like more. Images are not searched inside, but
 * for memory that is not formatted: it may not be there, if only the part in use was copied.
 * Returns 0, or -1 after trace_fail(). */
static int find_images(struct find *find)
{
    struct native_header header;
    int result = 0;
    native_search_begin(&find->search, find->view->in, 0, input_size(find->view->in));
    while (result == 0) {
        enum native_found found = native_search_next(&find->search, &header);
        if (found == NATIVE_NOTHING)
            return 0;
        if (found == NATIVE_HEADER)
            result = take_header(find, &header);
        else if (found == NATIVE_FOREIGN)
            take_foreign(find, &header);
        else
            result = native_image_list_add_place(find->list, find->view->trace, &header, found);
        if (found == NATIVE_UNPROVED)
            note_problem(find, &header, false);
    }
    return -1;
}

int native_image_search(struct native_image_list *list, struct native_view *view)
{
    struct find *find = heap_calloc(1, sizeof *find);
    int result;
    if (find == NULL)
        return trace_fail(view->trace, "%s: no memory", view->trace->input_name);
    find->view = view;
    find->list = list;
    result = find_images(find);
    native_search_end(&find->search);
    heap_free(find);
    return result;
}
