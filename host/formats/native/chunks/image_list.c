/* image_list.c - the images of a dump, and what could not be read of it: see image_list.h. */
#include "formats/native/chunks/image_list.h"

#include "base/heap.h"

#define PLACES_MAX (1u << 16) /* places that are kept */

/* Make room for one more of n elements. NULL after trace_fail(): then `memory` is as it was. */
static void *grow(struct trace *trace, void *memory, size_t n, size_t *room, size_t size)
{
    void *bigger = heap_grow(memory, n, room, size);
    if (bigger == NULL)
        trace_fail(trace, "%s: no memory for more than %zu chunks", trace->input_name, *room);
    return bigger;
}

struct native_image *native_image_list_add(struct native_image_list *list, struct trace *trace)
{
    struct native_image *image = grow(trace, list->image, list->n, &list->room, sizeof *image);
    if (image == NULL)
        return NULL;
    list->image = image;
    return &list->image[list->n++];
}

int native_image_list_add_open(struct native_image_list *list, struct trace *trace, const struct native_header *header)
{
    struct native_unread *unread = &list->unread;
    struct native_open *opens = grow(trace, unread->opens, unread->nopens, &unread->opens_room, sizeof *opens);
    if (opens == NULL)
        return -1;
    unread->opens = opens;
    opens[unread->nopens++] = (struct native_open){.header = *header};
    return 0;
}

int native_image_list_add_place(struct native_image_list *list, struct trace *trace, const struct native_header *header,
                                enum native_found found)
{
    struct native_unread *unread = &list->unread;
    struct native_place *places;
    if (unread->nplaces == PLACES_MAX)
        return 0;
    places = grow(trace, unread->places, unread->nplaces, &unread->places_room, sizeof *places);
    if (places == NULL)
        return -1;
    unread->places = places;
    places[unread->nplaces++] =
        (struct native_place){.offset = header->offset, .found = found, .may_be_mended = header->may_be_mended};
    return 0;
}

int native_image_list_add_report(struct native_image_list *list, struct trace *trace,
                                 const struct native_header *header, uint64_t next)
{
    struct native_unread *unread = &list->unread;
    struct native_report *reports =
        grow(trace, unread->reports, unread->nreports, &unread->reports_room, sizeof *reports);
    if (reports == NULL)
        return -1;
    unread->reports = reports;
    reports[unread->nreports++] = (struct native_report){*header, next};
    return 0;
}

void native_image_list_free_unread(struct native_image_list *list)
{
    heap_free(list->unread.opens);
    heap_free(list->unread.places);
    heap_free(list->unread.reports);
    list->unread = (struct native_unread){.opens = NULL};
}
