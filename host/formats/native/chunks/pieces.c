/* pieces.c - from smeared images to images of one lap each: see pieces.h. */
#include "formats/native/chunks/pieces.h"

#include "base/heap.h"
#include "base/text.h"
#include "formats/native/chunks/image_parse.h"
#include "formats/native/chunks/smear.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- extra slots ------------------------------------------------------------------------------------------------- */

uint64_t native_piece_extra(struct native_view *view, const struct native_image *piece)
{
    uint64_t n = 0;
    native_view_load(view, piece, native_slot_offset(piece->hidden + 1u),
                     (size_t)(piece->used - piece->hidden) * TLOG_SLOT_BYTES);
    for (uint32_t i = piece->hidden + 1u; i <= piece->used; i++) {
        const unsigned char *slot = native_view_slot(view, i);
        n += native_slot_tag(slot) == native_tag(piece->lap) && native_is_extra(slot);
    }
    return n;
}

/* Let each piece tell the extra slots up to its end. The image tells those up to its cursor; so it is known how many
 * were overwritten ahead of the oldest piece. */
static void count_extra(struct native_view *view, const struct native_image *image, struct native_image *piece,
                        size_t n)
{
    uint64_t shown = 0, total;
    for (size_t i = 0; i < n; i++) {
        bool behind = piece[i].lap > image->lap || (piece[i].lap == image->lap && piece[i].hidden >= image->used);
        shown += behind ? 0 : native_piece_extra(view, &piece[i]);
    }
    total = image->extra > shown ? image->extra - shown : 0;
    for (size_t i = 0; i < n; i++)
        piece[i].extra = total += native_piece_extra(view, &piece[i]);
}

/* ---- from an image to its pieces --------------------------------------------------------------------------------- */

/* For qsort(): by time. */
static int time_order(const void *a, const void *b)
{
    const struct native_smear_piece *left = a, *right = b;
    if (left->lap != right->lap)
        return left->lap < right->lap ? -1 : 1;
    return (left->first > right->first) - (left->first < right->first);
}

/* The image that shows a piece alone. Emergency slots are shown by the newest one. */
static struct native_image make_image(const struct native_image *image, const struct native_smear_piece *piece,
                                      bool newest)
{
    struct native_image made = *image;
    made.lap = piece->lap;
    made.hidden = (uint16_t)(piece->first - 1u);
    made.used = (uint16_t)piece->last;
    made.emergency_used = newest ? image->emergency_used : 0;
    made.lap_confirmed = made.smeared = false;
    made.piece = true;
    return made;
}

/* Put the pieces of image `at` in its place, and behind the last image. There is room for them. */
static void put_pieces(struct native_image_list *list, struct native_view *view, size_t at, struct native_smear *smear)
{
    struct native_image image = list->image[at], *made = &list->image[list->n];
    if (smear->n == 0) {
        list->image[at].piece = true;
        list->image[at].used = list->image[at].emergency_used = 0;
        return;
    }
    qsort(smear->piece, smear->n, sizeof *smear->piece, time_order);
    for (size_t i = 0; i < smear->n; i++) {
        made[i] = make_image(&image, &smear->piece[i], i + 1u == smear->n);
        native_image_find_stamps(view, &made[i]);
    }
    count_extra(view, &image, made, smear->n);
    list->image[at] = made[smear->n - 1u];
    list->n += smear->n - 1u;
}

static int split(struct native_image_list *list, struct native_view *view, size_t at, struct native_smear *smear)
{
    size_t n = list->n;
    for (size_t i = 1; i < smear->n; i++) {
        if (native_image_list_add(list, view->trace) == NULL)
            return -1;
    }
    if (native_image_list_add(list, view->trace) == NULL || native_view_reserve(view, &list->image[at]) != 0)
        return -1;
    list->n = n;
    put_pieces(list, view, at, smear);
    return 0;
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* What was found in all. */
struct tally {
    size_t smeared;    /* images */
    uint32_t left_out; /* slots that no piece shows, though they were written */
};

/* Whether a smear tells nothing that its image does not. */
static bool is_as_image(const struct native_image *image, const struct native_smear *smear)
{
    uint32_t slots = image->layout.slots;
    if (smear->n == 1u && smear->piece->first == 1u && smear->piece->lap == image->lap)
        return smear->piece->last == image->used && (image->used == slots || image->lap == 1u);
    return false;
}

static void count(struct tally *tally, const struct native_image *image, const struct native_smear *smear)
{
    tally->smeared++;
    tally->left_out += smear->n == 0 ? image->layout.slots : 0;
    for (size_t i = 1; i < smear->n; i++)
        tally->left_out += smear->piece[i].first - smear->piece[i - 1u].last - 1u;
}

/* Make pieces of the n images of a ring, or of one image, which begin with number `at`. Returns 1; 0: they are not
 * smeared; -1 after trace_fail(). */
static int take_images(struct native_image_list *list, struct native_view *view, size_t at, size_t n,
                       struct tally *tally)
{
    struct native_smear *smears = heap_calloc(n, sizeof *smears);
    int result = smears == NULL ? trace_fail(view->trace, "%s: no memory", view->trace->input_name) : 0;
    for (size_t i = 0; i < n && result == 0; i++) {
        const struct native_image *image = &list->image[at + i];
        smears[i] = (struct native_smear){.image = image, .position = {.lap = image->lap, .slot = image->used + 1u}};
    }
    if (result == 0 && native_smear_find(view, smears, n, true)) {
        result = 1;
        for (size_t i = 0; i < n && result > 0; i++) {
            const struct native_image *image = &list->image[at + i];
            if (is_as_image(image, &smears[i]))
                continue;
            count(tally, image, &smears[i]);
            if (split(list, view, at + i, &smears[i]) != 0)
                result = -1;
        }
    }
    for (size_t i = 0; smears != NULL && i < n; i++)
        heap_free(smears[i].piece);
    heap_free(smears);
    return result;
}

/* For qsort(): by CPU and role; those first that were opened; then by address. */
static int address_order(const void *a, const void *b)
{
    const struct native_image *left = a, *right = b;
    unsigned cpus[2] = {native_cpu(left), native_cpu(right)};
    if (cpus[0] != cpus[1])
        return cpus[0] < cpus[1] ? -1 : 1;
    if (native_role(left) != native_role(right))
        return native_role(left) < native_role(right) ? -1 : 1;
    if ((left->lap == 0) != (right->lap == 0))
        return left->lap == 0 ? 1 : -1;
    if (left->self != right->self)
        return left->self < right->self ? -1 : 1;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

/* How many images from `at` to end - 1 are of its ring. *alone: each chunk has one. */
static size_t count_ring(const struct native_image_list *list, size_t at, size_t end, bool *alone)
{
    size_t n = 1;
    *alone = native_role(&list->image[at]) == TLOG_ROLE_EVENTS;
    for (; at + n < end && native_cpu(&list->image[at + n]) == native_cpu(&list->image[at])
           && native_role(&list->image[at + n]) == native_role(&list->image[at]);
         n++)
        *alone = *alone && list->image[at + n].self != list->image[at + n - 1u].self;
    return n;
}

/* Make pieces of the images of a ring: of all together, if they are smeared together, as its chunks tell more than one;
 * else of each that is smeared by itself. */
static int take_ring(struct native_image_list *list, struct native_view *view, size_t at, size_t n, bool alone,
                     struct tally *tally)
{
    int result;
    while (n > 0 && list->image[at + n - 1u].lap == 0)
        n--;
    result = alone && n > 1u ? take_images(list, view, at, n, tally) : 0;
    for (size_t i = 0; i < n && result == 0; i++) {
        if (list->image[at + i].smeared && take_images(list, view, at + i, 1, tally) < 0)
            result = -1;
    }
    return result < 0 ? -1 : 0;
}

int native_pieces_make(struct native_image_list *list, struct native_view *view)
{
    struct tally tally = {0, 0};
    size_t end = list->n, n;
    bool alone;
    qsort(list->image, list->n, sizeof *list->image, address_order);
    for (size_t at = 0; at < end; at += n) {
        n = count_ring(list, at, end, &alone);
        if (native_role(&list->image[at]) != TLOG_ROLE_NAMES && take_ring(list, view, at, n, alone, &tally) != 0)
            return -1;
    }
    if (tally.smeared > 0)
        trace_note(view->trace,
                   "%zu chunk%s read while the firmware logged: %" PRIu32 " slot%s, which may have been written "
                   "meanwhile, count%s as overwritten",
                   tally.smeared, tally.smeared > 1u ? "s were" : " was", tally.left_out, text_plural(tally.left_out),
                   tally.left_out == 1u ? "s" : "");
    return 0;
}
