/* ring_turns.c - what the chunks of a ring that are shown tell of the others: see ring_turns.h. */
#include "formats/native/ring_turns.h"

#include <stdlib.h>
#include <string.h>

/* ---- the firmware ------------------------------------------------------------------------------------------------ */

/* Whether an image is of another firmware than the ELF file. */
static bool is_foreign(const struct trace_firmware *firmware, const struct native_image *image)
{
    unsigned char build[TRACE_BUILD_BYTES];
    put_le32(build, image->build[0]);
    put_le32(build + 4, image->build[1]);
    return (image->build[0] | image->build[1]) != 0
           && (firmware->build_id_size < sizeof build || memcmp(build, firmware->build_id, sizeof build) != 0);
}

/* Whether the firmware's ELF file may be asked about these images. */
static bool is_known(const struct trace_firmware *firmware, const struct native_image *images, size_t n)
{
    if (firmware == NULL || firmware->nrings == 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (is_foreign(firmware, &images[i]))
            return false;
    }
    return true;
}

/* Whether an image shows a chunk of a ring, and is what the firmware makes there. *first: the address of chunk 0 in its
 * bank. */
static bool is_of_ring(const struct trace_ring *ring, const struct native_image *image, uint64_t *first)
{
    uint64_t chunk = (image->self - ring->address) / ring->size;
    *first = image->self - (uint64_t)native_number(image) * ring->size;
    return (image->place & ~(uint32_t)0xFF00u) == ring->place && image->layout.slots == ring->slots
           && image->layout.emergency == ring->emergency && image->pointer == ring->format >> 24
           && image->freq == ring->freq && image->coarse_freq == ring->coarse_freq && image->self >= ring->address
           && (image->self - ring->address) % ring->size == 0 && chunk / ring->chunks < ring->banks
           && chunk % ring->chunks == native_number(image);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* For qsort(): by run and bank. */
static int member_order(const void *a, const void *b)
{
    const struct native_member *left = a, *right = b;
    if (left->image->boot != right->image->boot)
        return left->image->boot < right->image->boot ? -1 : 1;
    return (left->address > right->address) - (left->address < right->address);
}

/* The images of a ring. Returns how many; `members` has room for n. */
static size_t find_members(const struct trace_ring *ring, const struct native_image *images, size_t n,
                           struct native_member *members)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t address;
        if (is_of_ring(ring, &images[i], &address))
            members[found++] = (struct native_member){&images[i], address};
    }
    if (found > 0)
        qsort(members, found, sizeof *members, member_order);
    return found;
}

/* Note what an image of the ring tells. */
static void note(struct native_turns *turns, const struct native_image *image)
{
    unsigned number = native_number(image);
    turns->shown[number] = true;
    if (image->lap == 0 || image->lap < turns->newest || (image->lap == turns->newest && number < turns->current))
        return;
    turns->is_full = image->used >= image->layout.slots
                     || (image->lap == turns->newest && number == turns->current && turns->is_full);
    turns->newest = image->lap;
    turns->current = number;
}

/* Call the function for each run and bank of a ring's members. */
static int each_run(const struct trace_ring *ring, const struct native_member *members, size_t n,
                    int (*call)(void *ctx, const struct native_turns *turns), void *ctx)
{
    int result = 0;
    for (size_t from = 0, to = 0; from < n && result == 0; from = to) {
        struct native_turns turns = {
            .ring = ring, .address = members[from].address, .like = members[from].image, .members = &members[from]};
        for (; to < n && member_order(&members[from], &members[to]) == 0; to++)
            note(&turns, members[to].image);
        turns.n = to - from;
        result = call(ctx, &turns);
    }
    return result;
}

/* Whether there are names of a CPU, of one run, and of its ring, of which this run has a single bank, there is no image.
 * *turns: what is known of that ring. */
static bool has_only_names(struct native_turns *turns, const struct trace_firmware *firmware,
                           const struct trace_ring *ring, const struct native_image *images, size_t n)
{
    *turns = (struct native_turns){.ring = ring, .address = ring->address};
    for (size_t i = 0; i < n; i++) {
        if (native_cpu(&images[i]) != (ring->place & 0xFFu))
            continue;
        if (native_role(&images[i]) != TLOG_ROLE_NAMES || (turns->like != NULL && turns->like->boot != images[i].boot))
            return false;
        turns->like = &images[i];
    }
    for (size_t i = 0; i < firmware->nrings && turns->like != NULL; i++) {
        uint64_t address;
        if (is_of_ring(&firmware->rings[i], turns->like, &address))
            return ring->banks == 1u;
    }
    return false;
}

int native_turns_each(struct native_view *view, const struct native_image *images, size_t n,
                      int (*call)(void *ctx, const struct native_turns *turns), void *ctx)
{
    const struct trace_firmware *firmware = view->trace->firmware;
    struct native_member *members;
    int result = 0;
    if (!is_known(firmware, images, n))
        return 0;
    members = malloc((n + 1u) * sizeof *members);
    if (members == NULL)
        return trace_fail(view->trace, "%s: no memory for %zu chunks", view->trace->input_name, n);
    for (size_t i = 0; i < firmware->nrings && result == 0; i++) {
        const struct trace_ring *ring = &firmware->rings[i];
        struct native_turns turns;
        if ((ring->place >> 16 & TLOG_ROLE_MASK) != TLOG_ROLE_EVENTS)
            continue;
        result = each_run(ring, members, find_members(ring, images, n, members), call, ctx);
        if (result == 0 && has_only_names(&turns, firmware, ring, images, n))
            result = call(ctx, &turns);
    }
    free(members);
    return result;
}

/* ---- a chunk ----------------------------------------------------------------------------------------------------- */

/* Whether a chunk may be the one that was filled last: the current one is full, and none that is shown comes in between.
 */
static bool may_follow(const struct native_turns *turns, unsigned number)
{
    unsigned i = (turns->current + 1u) % turns->ring->chunks;
    while (i != number && !turns->shown[i])
        i = (i + 1u) % turns->ring->chunks;
    return turns->is_full && i == number;
}

/* Of a ring that only names tell of the first chunk was opened. */
bool native_turns_lack(const struct native_turns *turns, unsigned number, struct native_turn *turn)
{
    bool ahead = number < turns->current, follows;
    *turn = (struct native_turn){.turns = turns, .number = number};
    if (turns->shown[number])
        return false;
    if (turns->newest == 0)
        return number == 0 && turns->n == 0;
    follows = may_follow(turns, number);
    turn->lap = turns->newest - (ahead ? 0 : 1u) + (follows ? 1u : 0);
    turn->is_full = !follows;
    return turns->newest > 1u || ahead;
}

/* The number of a lap among those of all chunks of the ring. */
static uint64_t count_turns(const struct native_turns *turns, unsigned number, uint64_t lap)
{
    return lap * turns->ring->chunks + number;
}

/* Learn from a stamp of another lap: earlier turns have earlier times. */
static void narrow(struct native_times *times, uint64_t turn, uint64_t other, uint64_t stamp)
{
    if (other < turn && stamp != NATIVE_STAMP_UNKNOWN && stamp > times->from)
        times->from = stamp;
    if (other > turn && stamp < times->to)
        times->to = stamp;
}

struct native_times native_turn_times(const struct native_turn *turn, uint64_t lap)
{
    const struct native_turns *turns = turn->turns;
    const uint64_t own = count_turns(turns, turn->number, lap);
    struct native_times times = {0, UINT64_MAX};
    for (size_t i = 0; i < turns->n; i++) {
        const struct native_image *image = turns->members[i].image;
        uint64_t other = count_turns(turns, native_number(image), image->lap);
        narrow(&times, own, other, image->stamp[NATIVE_PART_LAST]);
        narrow(&times, own, other - turns->ring->chunks, image->stamp[NATIVE_PART_BEFORE]);
    }
    return times.from <= times.to ? times : (struct native_times){0, UINT64_MAX};
}
