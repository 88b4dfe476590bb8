/* smear.c - which slots of images are of which lap, if they were read while the firmware logged: see smear.h.
 *
 * Slots of one tag that stand side by side are a run. In the order of time each run is behind the one before in the
 * ring, too: so the tags, and what each header tells, give the lap of each. The reader goes up: from one run of a chunk
 * to the next the lap can fall by 1 only, where the reader passed the writer; it rises where the writer passed the
 * reader. smear_runs.c finds the runs and their order.
 */
#include "formats/native/chunks/smear.h"

#include "base/heap.h"
#include "formats/native/chunks/smear_runs.h"

#define SLOTS_LEAST 16u  /* of a chunk: fewer tell too little */
#define HEELS       8    /* slots in whose reading time the reader may have been at the writer's heels */
#define PAUSES      16   /* of equal length that the reader may have made between two meetings */
#define PIECE_BYTES 256u /* pieces are as long, or a multiple of it; or so short that the reader did not pause long */
#define SHORTLY     16u  /* times the usual time between two events */
#define LONE_BITS   3u   /* if the cursor lacks one bit it was damaged, unless that is one of so many low ones */
#define HOPELESS    8u   /* the part of all sound slots that contradict */
#define LATE_MAX    16u  /* slots that are unfinished, or noted as claimed and filled late */

/* ---- laps -------------------------------------------------------------------------------------------------------- */

/* The first lap that a run can be of, by its header and its tag. Nothing is older than the lap ahead of the one that
 * the header tells. */
static uint64_t least_lap(const struct native_smear *smear, const struct smear_run *run)
{
    const struct native_position *position = &smear->position;
    if (run->tag == native_tag(position->lap))
        return position->lap;
    return run->first >= position->slot ? position->lap - 1u : position->lap + 1u;
}

/* Whether a run of lap `lap` is behind another one in their ring. */
static bool is_behind(const struct smear_run *run, uint64_t lap, const struct smear_run *other)
{
    if (lap != other->lap)
        return lap > other->lap;
    return run->chunk != other->chunk ? run->chunk > other->chunk : run->first > other->last;
}

static void number_laps(const struct smear_runs *runs, struct smear_run **by_time, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct smear_run *run = by_time[i];
        run->lap = least_lap(&runs->smear[run->chunk], run);
        while (i > 0 && !is_behind(run, run->lap, by_time[i - 1u]))
            run->lap += run->lap + 2u < by_time[i - 1u]->lap ? (by_time[i - 1u]->lap - run->lap) / 2u * 2u : 2u;
    }
}

/* Whether a slot was logged behind the header's cursor. */
static bool is_behind_header(const struct native_smear *smear, uint64_t lap, uint32_t slot)
{
    return lap > smear->position.lap || (lap == smear->position.lap && slot >= smear->position.slot);
}

/* What is to be known of the runs of a chunk. */
struct course {
    uint64_t before, least; /* the last lap, the least one */
    uint32_t falls, rises;  /* of the lap */
    uint32_t fell_at;       /* the slot where it fell last */
    uint32_t runs;          /* how many there are */
    uint32_t first_tag;     /* of the first one */
    bool possible;          /* it fell by 1 only */
    bool behind;            /* a run was logged behind the header's cursor */
};

static struct course course_of(const struct smear_runs *runs, uint32_t chunk)
{
    struct course course = {.least = UINT64_MAX, .possible = true};
    for (uint32_t i = 0; i < runs->n; i++) {
        const struct smear_run *run = &runs->run[i];
        if (run->chunk != chunk)
            continue;
        course.first_tag = course.runs++ == 0 ? run->tag : course.first_tag;
        if (!smear_is_relied_on(run))
            continue;
        course.possible = course.possible && run->lap + 1u >= course.before && run->lap > 0;
        course.behind = course.behind || is_behind_header(&runs->smear[chunk], run->lap, run->end);
        course.rises += course.before > 0 && run->lap > course.before;
        if (run->lap < course.before) {
            course.falls++;
            course.fell_at = run->first;
        }
        course.before = run->lap;
        course.least = run->lap < course.least ? run->lap : course.least;
    }
    return course;
}

/* Whether these bits are one, and no low one. */
static bool is_high_bit(uint32_t bits)
{
    return (bits & (bits - 1u)) == 0 && bits >> LONE_BITS != 0;
}

/* Whether a cursor that lacks one bit explains as much. */
static bool is_one_bit(const struct native_smear *smear, const struct course *course)
{
    uint32_t at = course->falls > 0 ? course->fell_at : smear->image->layout.slots + 1u;
    return course->falls <= 1u && course->rises == 0 && is_high_bit(smear->position.slot ^ at);
}

/* Whether the firmware had opened the next lap before the reader came to any slot, and it looks as if it had not: with
 * another cursor all tags would be right, or the few slots ahead of the cursor are unfinished. */
static bool may_be_cursor(const struct native_smear *smear, const struct course *course)
{
    if (course->least <= smear->position.lap)
        return false;
    return smear->position.slot <= NATIVE_UNFINISHED_MAX + 1u
           || (smear->position.lap > 1u && course->runs == 2u && course->first_tag == native_tag(smear->position.lap));
}

/* Whether a reader that goes up can have met those laps, and the firmware logged meanwhile. */
static bool are_possible(const struct smear_runs *runs)
{
    bool behind = false;
    for (uint32_t chunk = 0; chunk < runs->nchunks; chunk++) {
        struct course course = course_of(runs, chunk);
        if (!course.possible || (course.least != UINT64_MAX && may_be_cursor(&runs->smear[chunk], &course)))
            return false;
        behind = behind || runs->chunk[chunk].has_later || (course.behind && !is_one_bit(&runs->smear[chunk], &course));
    }
    return behind;
}

/* ---- at the writer's heels --------------------------------------------------------------------------------------- */

/* When the reader was at a cell, about. */
struct passing {
    int64_t cell, time;
};

/* The time of the last event ahead of a header's cursor; if no run shows it, of the oldest one behind. */
static int64_t header_time(const struct smear_runs *runs, uint32_t chunk)
{
    const struct native_position *position = &runs->smear[chunk].position;
    int64_t oldest = INT64_MAX;
    for (uint32_t i = 0; i < runs->n; i++) {
        const struct smear_run *run = &runs->run[i];
        if (run->chunk != chunk || !smear_is_relied_on(run) || run->lap < position->lap)
            continue;
        if (run->lap == position->lap && run->low < position->slot && position->slot <= run->high + 1u)
            return *smear_time(runs, run, position->slot - 1u);
        oldest = run->from < oldest ? run->from : oldest;
    }
    return oldest;
}

static int64_t cell_of(const struct smear_runs *runs, const struct smear_run *run, uint32_t slot)
{
    return (int64_t)runs->chunk[run->chunk].cells + slot;
}

/* Leave out the slots of a run that were logged behind the header's cursor, and so shortly before the reader came there
 * that it may have been at the writer's heels: such a slot may have been written while it was read, and the next one,
 * too, before the reader came there. The reader may have paused, too. */
static void leave_heels(const struct smear_runs *runs, const struct smear_run *run, struct passing from,
                        struct passing to)
{
    int64_t cells = to.cell > from.cell ? to.cell - from.cell : 1, ticks = to.time - from.time;
    int64_t near = ticks * HEELS / cells > ticks / PAUSES ? ticks * HEELS / cells : ticks / PAUSES;
    for (uint32_t i = run->low; i <= run->high; i++) {
        int64_t reader = from.time + ticks * (cell_of(runs, run, i) - from.cell) / cells - near;
        if (is_behind_header(&runs->smear[run->chunk], run->lap, i) && *smear_time(runs, run, i) > reader)
            *smear_left_out(runs, run, i) = 1;
    }
}

/* The next run of the same chunk, in the order of slots, that is relied on; NULL: there is none. */
static const struct smear_run *next_run(const struct smear_runs *runs, uint32_t i)
{
    uint32_t chunk = runs->run[i].chunk;
    for (i++; i < runs->n && runs->run[i].chunk == chunk; i++) {
        if (smear_is_relied_on(&runs->run[i]))
            return &runs->run[i];
    }
    return NULL;
}

/* Where a run ends the reader met the writer: so it is known when that was. At the end of the slots it may have. */
static void leave_all_heels(const struct smear_runs *runs)
{
    struct passing from = {0, INT64_MAX}, to;
    for (uint32_t i = 0; i < runs->n; i++) {
        const struct smear_run *run = &runs->run[i], *next = next_run(runs, i);
        if (i == 0 || run->chunk != runs->run[i - 1u].chunk)
            from = (struct passing){cell_of(runs, run, 0), header_time(runs, run->chunk)};
        if (!smear_is_relied_on(run) || run->lap < runs->smear[run->chunk].position.lap)
            continue;
        to = (struct passing){cell_of(runs, run, run->last),
                              next != NULL && next->from > run->to ? next->from : run->to};
        if (to.time < from.time)
            continue;
        leave_heels(runs, run, from, to);
        from = to;
    }
}

/* ---- pauses ------------------------------------------------------------------------------------------------------ */

/* Leave out the slots of a run on both sides of a long step: the reader may have paused there for whole laps, which
 * their tags do not show. Returns how many there are. */
static uint32_t leave_steps(const struct smear_runs *runs, const struct smear_run *run, int64_t half)
{
    uint32_t n = 0;
    for (uint32_t i = run->low + 1u; i <= run->high; i++) {
        if (*smear_time(runs, run, i) - *smear_time(runs, run, i - 1u) <= half)
            continue;
        n++;
        for (uint32_t j = i - SMEAR_MEET; j < i + SMEAR_MEET; j++) {
            if (j >= run->low && j <= run->high)
                *smear_left_out(runs, run, j) = 1;
        }
    }
    return n;
}

/* Whether a slot was read in two pieces, if the input begins with one and they are as long as pieces mostly are. */
static bool is_parted(const struct native_image *image, uint32_t slot)
{
    uint64_t from = native_input_offset(image, native_slot_offset(slot)), to = from + TLOG_SLOT_BYTES - 1u;
    return from / PIECE_BYTES != to / PIECE_BYTES;
}

/* Leave out the slots of a run that the reader may have paused in, if they were logged behind the header's cursor. */
static void leave_parted(const struct smear_runs *runs, const struct smear_run *run)
{
    const struct native_smear *smear = &runs->smear[run->chunk];
    for (uint32_t i = run->low; i <= run->high; i++) {
        if (is_parted(smear->image, i) && is_behind_header(smear, run->lap, i))
            *smear_left_out(runs, run, i) = 1;
    }
}

/* Leave out all slots that may have been written while they were read. Returns at how many places reader and writer
 * met. */
static uint32_t leave_out(const struct smear_runs *runs)
{
    int64_t half = smear_half_lap(runs);
    uint32_t meetings = runs->n;
    leave_all_heels(runs);
    for (uint32_t i = 0; i < runs->n; i++) {
        if (!smear_is_relied_on(&runs->run[i]))
            continue;
        meetings += leave_steps(runs, &runs->run[i], half);
        leave_parted(runs, &runs->run[i]);
    }
    return meetings;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* Add the pieces of a run: slots side by side that are not left out. There is room for all. */
static void add_pieces(const struct smear_runs *runs, const struct smear_run *run)
{
    struct native_smear *smear = &runs->smear[run->chunk];
    bool begins = true;
    for (uint32_t i = run->low; smear_is_relied_on(run) && i <= run->high; i++) {
        bool left_out = *smear_left_out(runs, run, i) != 0;
        if (!left_out && begins)
            smear->piece[smear->n++] = (struct native_smear_piece){.first = i, .lap = run->lap};
        if (!left_out)
            smear->piece[smear->n - 1u].last = i;
        begins = left_out;
    }
}

/* Have room for the pieces of all chunks, none of which has more than slots that are left out, and runs. */
static bool reserve_pieces(const struct smear_runs *runs)
{
    bool done = true;
    for (uint32_t k = 0; k < runs->nchunks; k++) {
        const struct smear_chunk *chunk = &runs->chunk[k];
        size_t n = 1u + runs->n;
        for (uint32_t i = 0; i < chunk->slots; i++)
            n += runs->left_out[chunk->cells + i];
        runs->smear[k].n = 0;
        runs->smear[k].piece = heap_calloc(n, sizeof *runs->smear[k].piece);
        done = done && runs->smear[k].piece != NULL;
    }
    return done;
}

static void free_pieces(const struct smear_runs *runs)
{
    for (uint32_t k = 0; k < runs->nchunks; k++) {
        heap_free(runs->smear[k].piece);
        runs->smear[k].piece = NULL;
    }
}

/* hopeless: no slot can be relied on. */
static bool make_pieces(const struct smear_runs *runs, bool hopeless)
{
    bool none = hopeless || leave_out(runs) > runs->cells / HOPELESS;
    if (!reserve_pieces(runs)) {
        free_pieces(runs);
        return false;
    }
    for (uint32_t i = 0; i < runs->n && !none; i++)
        add_pieces(runs, &runs->run[i]);
    return true;
}

/* ---- is it a smear? ---------------------------------------------------------------------------------------------- */

/* Whether times alone tell that the firmware logged meanwhile: a run was parted, and the clock cannot have wrapped
 * unseen. */
static bool is_told_by_time(const struct smear_runs *runs, uint32_t n)
{
    return runs->parted > 0 && runs->smear->image->coarse_freq == 0
           && runs->by_time[n - 1u]->to - runs->by_time[0]->from < (int64_t)(NATIVE_WRAP / 2u);
}

/* Whether runs can be found whose laps explain all. */
static bool explain(struct smear_runs *runs)
{
    uint32_t n = smear_runs_find(runs);
    if (n == 0 || (!runs->differs && !is_told_by_time(runs, n)))
        return false;
    number_laps(runs, runs->by_time, n);
    return are_possible(runs);
}

/* Whether so many slots of one chunk contradict any cursor that its image cannot be of one moment, though its slots are
 * sound: the reader was so slow that they are of too many moments. */
static bool is_hopeless(const struct smear_runs *runs)
{
    uint32_t sound = 0, now = 0, least, tag = native_tag(runs->smear->position.lap);
    for (uint32_t i = 0; i < runs->cells; i++) {
        sound += runs->tag[i] != 0;
        now += runs->tag[i] == tag >> TLOG_TAG_SHIFT;
    }
    least = now;
    for (uint32_t i = 0; i < runs->cells; i++) {
        if (runs->tag[i] == 0)
            continue;
        now = runs->tag[i] == tag >> TLOG_TAG_SHIFT ? now - 1u : now + 1u;
        least = now < least ? now : least;
    }
    return runs->nchunks == 1u && least > LATE_MAX && least > sound / HOPELESS && sound >= runs->cells / 2u;
}

static bool find(struct smear_runs *runs, bool pieces)
{
    bool found = explain(runs), hopeless = !found && is_hopeless(runs);
    return (found || hopeless) && (!pieces || make_pieces(runs, hopeless));
}

/* Whether any slot bears another tag than it should by the position. */
static bool has_other_tag(const struct native_view *view, const struct native_image *image,
                          const struct native_position *position)
{
    uint32_t ahead = 0, behind = 0;
    for (uint32_t i = 1; i <= image->layout.slots; i++) {
        uint32_t tag = native_slot_tag(native_view_slot(view, i));
        if (tag == TLOG_TAG_MASK)
            continue;
        ahead |= i < position->slot ? tag ^ native_tag(position->lap) : 0;
        behind |= i >= position->slot ? tag ^ native_tag_before(position->lap) : 0;
    }
    return (ahead | behind) != 0;
}

/* Whether the slot at the cursor, which is the oldest by its tag, has the time of an event that comes right behind the
 * newest one: it was being written when it was read. */
static bool is_being_written(const struct native_view *view, const struct native_smear *smear)
{
    uint32_t slots = smear->image->layout.slots, at = smear->position.slot;
    const unsigned char *slot = native_view_slot(view, at), *newest = slot - TLOG_SLOT_BYTES;
    const unsigned char *oldest = slot + TLOG_SLOT_BYTES;
    uint64_t last, step;
    if (smear->image->coarse_freq != 0 || smear->position.lap < 2u || at < 2u || at >= slots || !native_is_record(slot)
        || native_slot_tag(slot) != native_tag_before(smear->position.lap) || !native_is_record(newest)
        || !native_is_record(oldest))
        return false;
    last = native_stamp_in(smear->image, newest);
    step = (last - native_stamp_in(smear->image, oldest)) / slots;
    return native_stamp_in(smear->image, oldest) < last && native_stamp_in(smear->image, slot) - last <= step * SHORTLY;
}

/* ---- lap 1 ------------------------------------------------------------------------------------------------------- */

/* Whether a slot in view is a later one of lap 1 than the one ahead of it. */
static bool goes_on(const struct native_view *view, uint32_t index)
{
    const unsigned char *slot = native_view_slot(view, index), *ahead = native_view_slot(view, index - 1u);
    return native_is_sound(slot) && native_slot_tag(slot) == TLOG_TAG_ODD
           && (int32_t)(native_low_stamp(slot) - native_low_stamp(ahead)) >= 0;
}

/* Whether a slot in view is empty, the end mark, or one that was being emptied. */
static bool is_unused(const struct native_view *view, uint32_t index)
{
    uint32_t head = native_head(native_view_slot(view, index));
    return head == TLOG_SLOT_EMPTY || head == TLOG_TAG_MASK || head == TLOG_SLOT_CLAIMED;
}

/* The reader may have met the writer in a few of the slots ahead of the first unused one. */
uint32_t native_smear_first_unused(struct native_view *view, const struct native_image *image,
                                   const struct native_position *position)
{
    uint32_t slots = native_slots_available(image), index = position->slot, wrong = 0;
    if (position->doubtful || position->lap != 1u || index < 2u || index > slots
        || !native_view_spend(view, slots * TLOG_SLOT_BYTES))
        return index;
    native_view_load(view, image, TLOG_HEADER_BYTES, (size_t)slots * TLOG_SLOT_BYTES);
    for (; index <= slots && wrong <= SMEAR_DISORDERS && native_slot_tag(native_view_slot(view, index)) == TLOG_TAG_ODD;
         index++)
        wrong += !goes_on(view, index);
    return index > slots || is_unused(view, index) ? index : position->slot;
}

/* Whether slots that were written stand behind the cursor, or behind empty slots: the firmware went on ahead. */
static bool has_later(const struct native_view *view, const struct native_smear *smear, uint32_t unused)
{
    uint32_t slots = smear->image->layout.slots;
    if (unused > smear->position.slot && !is_high_bit(unused ^ smear->position.slot))
        return true;
    while (unused <= slots && native_head(native_view_slot(view, unused)) == TLOG_SLOT_EMPTY)
        unused++;
    return unused <= slots && native_is_sound(native_view_slot(view, unused));
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Whether the image and its position are such that tags and times can tell. */
static bool can_be_smeared(const struct native_smear *smear)
{
    const struct native_image *image = smear->image;
    const struct native_position *position = &smear->position;
    return !position->doubtful && !position->lap_lost && position->why == NULL && position->lap > 0 && !image->broken
           && !image->partial && !image->sealed && !image->packed && image->displaced.by == 0
           && image->layout.slots >= SLOTS_LEAST && native_slots_available(image) == image->layout.slots;
}

/* What an image shows by itself. */
struct look {
    uint32_t slots; /* that the firmware has written: in lap 1 nothing is known of the others */
    bool has_later; /* something else than tags shows that the firmware logged meanwhile */
    bool differs;   /* it shows what an image of one moment does not */
};

/* Loads all slots. */
static struct look look_at(struct native_view *view, const struct native_smear *smear)
{
    uint32_t slots = smear->image->layout.slots;
    uint32_t unused = native_smear_first_unused(view, smear->image, &smear->position);
    struct look look = {slots, false, false};
    native_view_load(view, smear->image, TLOG_HEADER_BYTES, (size_t)slots * TLOG_SLOT_BYTES);
    if (smear->position.lap == 1u && unused <= slots && is_unused(view, unused)) {
        look.slots = unused - 1u;
        look.has_later = look.differs = has_later(view, smear, unused);
        return look;
    }
    look.has_later = is_being_written(view, smear);
    look.differs = look.has_later || has_other_tag(view, smear->image, &smear->position);
    return look;
}

/* Whether the last slot in view is later than the first one, though the cursor is between them: the firmware may have
 * been laps further on when the reader came to their end. */
static bool ends_late(const struct native_view *view, const struct native_smear *smear)
{
    uint32_t slots = smear->image->layout.slots;
    const unsigned char *first = native_view_slot(view, 1), *last = native_view_slot(view, slots);
    return smear->position.slot >= 2u && smear->position.slot <= slots
           && (int32_t)(native_low_stamp(last) - native_low_stamp(first)) > 0;
}

/* Take all images. False: there is no memory. */
static bool take_images(struct smear_runs *runs, struct native_view *view, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct look look;
        if (native_view_reserve(view, runs->smear[i].image) != 0)
            return false;
        look = look_at(view, &runs->smear[i]);
        runs->chunk[i].slots = look.slots;
        runs->chunk[i].has_later = look.has_later;
        runs->differs = runs->differs || look.differs;
        smear_runs_add(runs, view, runs->smear[i].image);
    }
    return true;
}

/* Whether a look at a single image, which most are done with, leaves it possible that it is smeared. */
static bool may_be_smeared(struct native_view *view, const struct native_smear *smear)
{
    return native_view_reserve(view, smear->image) == 0 && (look_at(view, smear).differs || ends_late(view, smear));
}

bool native_smear_find(struct native_view *view, struct native_smear *smears, size_t n, bool pieces)
{
    struct smear_runs runs;
    size_t slots = 0;
    bool found = true;
    for (size_t i = 0; i < n; i++) {
        found = found && can_be_smeared(&smears[i]);
        slots += smears[i].image->layout.slots;
    }
    if (!found || !native_view_spend(view, slots * TLOG_SLOT_BYTES) || (n == 1u && !may_be_smeared(view, smears))
        || smear_runs_begin(&runs, n, slots) != 0)
        return false;
    runs.smear = smears;
    found = take_images(&runs, view, n) && find(&runs, pieces);
    smear_runs_end(&runs);
    return found;
}
