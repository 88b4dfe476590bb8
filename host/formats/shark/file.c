/* file.c - reads records and finds streams of a raw S.Ha.R.K. trace file: see file.h. */
#include "formats/shark/file.h"

#include "base/bytes.h"
#include "events/shark_types.h"
#include "tlog_wire.h"

#include <stdlib.h>

#define CODE_BITS          0x00FFu /* all bits that codes have, beside SHARK_FAST */
#define CODE_MANUAL_UNLOCK 0x43u   /* see events/shark_types.c */

/* ---- slots ------------------------------------------------------------------------------------------------------- */

/* Get the record in a slot; false if the slot is empty. Every record passes here, so fields are loaded without a
 * cursor. */
static bool slot_record(const unsigned char *slot, struct shark_record *record)
{
    uint32_t code = get_le16(slot + SHARK_CODE);
    bool plain = (code & ~(SHARK_FAST | CODE_BITS)) == 0 && (code & CODE_BITS) != 0;
    record->fast = plain && (code & SHARK_FAST);
    record->code = plain ? code & CODE_BITS : code;
    record->par1 = get_le16(slot + SHARK_PAR1);
    record->ticks = (uint64_t)get_le32(slot + SHARK_TICKS_HIGH) << 32 | get_le32(slot + SHARK_TICKS_LOW);
    record->par2 = get_le32(slot + SHARK_PAR2);
    return code != 0;
}

/* Read the next whole slots into the empty buffer. False: there are none. */
static bool fill(struct shark_walk *walk)
{
    uint64_t left = walk->end - walk->at;
    size_t wanted = left < SHARK_WALK_BYTES ? (size_t)left : SHARK_WALK_BYTES;
    walk->used = 0;
    walk->n = input_read(walk->in, walk->at, walk->buffer, wanted) & ~(size_t)(SHARK_RECORD_BYTES - 1u);
    walk->at += walk->n;
    return walk->n > 0;
}

/* Get the next record of the walk, without regard to its time. False: there is none. */
static bool fetch(struct shark_walk *walk, struct shark_record *record)
{
    while (walk->used < walk->n || fill(walk)) {
        const unsigned char *slot = walk->buffer + walk->used;
        record->offset = walk->at - walk->n + walk->used;
        walk->used += SHARK_RECORD_BYTES;
        if (slot_record(slot, record))
            return true;
        walk->empty++;
    }
    return false;
}

/* ---- walks ------------------------------------------------------------------------------------------------------- */

void shark_walk_start(struct shark_walk *walk, struct input *in, uint64_t from, uint64_t end)
{
    walk->in = in;
    walk->at = from;
    walk->end = end;
    walk->used = walk->n = 0;
    walk->empty = 0;
    walk->has_last = false;
    walk->has_next = fetch(walk, &walk->next);
}

/* Whether the time of the record after this one fits behind the last good one. */
static bool next_fits_better(const struct shark_walk *walk)
{
    return walk->has_next && walk->next.ticks >= walk->last && walk->next.ticks - walk->last <= SHARK_JUMP_MAX;
}

/* What a record is, by its time and those of its neighbours. A record that goes back in time begins a stream. But if
 * the record after it goes on where the last good one was, this record alone is damaged; so is one that jumps ahead of
 * both. */
static enum shark_step judge(const struct shark_walk *walk, const struct shark_record *record)
{
    if (!walk->has_last)
        return SHARK_RECORD;
    if (record->ticks < walk->last)
        return next_fits_better(walk) ? SHARK_DAMAGED : SHARK_BEGINS;
    if (record->ticks - walk->last > SHARK_JUMP_MAX)
        return SHARK_DAMAGED;
    return next_fits_better(walk) && walk->next.ticks < record->ticks ? SHARK_DAMAGED : SHARK_RECORD;
}

enum shark_step shark_walk_next(struct shark_walk *walk, struct shark_record *record)
{
    enum shark_step step;
    if (!walk->has_next)
        return SHARK_END;
    *record = walk->next;
    walk->has_next = fetch(walk, &walk->next);
    step = judge(walk, record);
    if (step != SHARK_DAMAGED) {
        walk->last = record->ticks;
        walk->has_last = true;
    }
    return step;
}

/* ---- the index --------------------------------------------------------------------------------------------------- */

/* Count a record, and take the clock from it if it tells one. The fast path leaves par2 as it was in the slot before,
 * so its records tell none. */
static void note_record(struct shark_index *index, const struct shark_record *record)
{
    bool tells = record->code == FTrace_EVT_cycles_per_msec || record->code == FTrace_EVT_trace_start;
    index->fast += record->fast;
    index->unlocks += record->code == CODE_MANUAL_UNLOCK;
    if (index->clock == 0 && tells && !record->fast)
        index->clock = record->par2;
}

/* The record begins a stream. It ends the one before it, unless that is in another file. */
static void begin_stream(struct shark_index *index, struct input *in, const struct shark_record *record)
{
    if (index->nstreams > 0 && index->stream[index->nstreams - 1u].in == in)
        index->stream[index->nstreams - 1u].end = record->offset;
    index->stream[index->nstreams++] =
        (struct shark_stream){in, record->offset, shark_end(in), record->ticks, record->ticks};
}

/* For qsort(): by the time of the first record, then by that of the last one. */
static int stream_order(const void *a, const void *b)
{
    const struct shark_stream *left = a, *right = b;
    if (left->first != right->first)
        return left->first < right->first ? -1 : 1;
    return (left->last > right->last) - (left->last < right->last);
}

uint64_t shark_end(const struct input *in)
{
    return input_size(in) & ~(uint64_t)(SHARK_RECORD_BYTES - 1u);
}

/* Add the streams of a file. If there are too many, the last one gets all further records, although their times go
 * back. False: the file cannot have even one. */
static bool add_file(struct shark_index *index, struct input *in)
{
    struct shark_walk walk;
    struct shark_record record;
    enum shark_step step;
    bool is_first = true;
    shark_walk_start(&walk, in, 0, shark_end(in));
    while ((step = shark_walk_next(&walk, &record)) != SHARK_END) {
        if (step == SHARK_DAMAGED)
            continue;
        if (is_first && index->nstreams == SHARK_STREAMS_MAX)
            return false;
        note_record(index, &record);
        if (is_first || (step == SHARK_BEGINS && index->nstreams < SHARK_STREAMS_MAX))
            begin_stream(index, in, &record);
        is_first = false;
        index->stream[index->nstreams - 1u].last = record.ticks;
    }
    index->empty += walk.empty;
    return true;
}

bool shark_index_build(struct shark_index *index, struct input *in)
{
    for (; in != NULL; in = input_next(in)) {
        if (!add_file(index, in))
            return false;
    }
    qsort(index->stream, index->nstreams, sizeof index->stream[0], stream_order);
    return true;
}

/* ---- recognising ------------------------------------------------------------------------------------------------- */

#define SAMPLE_BYTES  1024u
#define SAMPLES       64u
#define FEWEST_IF_CUT 4u /* a file that ends in the middle of a record must have so many whole ones */

/* What was counted of the records that were looked at. */
struct sense {
    uint64_t records;
    uint64_t known;           /* those with a code of the tables */
    uint64_t back;            /* those with a time that does not follow the one before */
    uint64_t lowest, highest; /* ticks */
};

static bool is_known(const struct shark_types *types, const struct shark_record *record)
{
    return record->code < 256u && types->record[record->code] != SHARK_TYPE_NONE;
}

/* Look at the records between two offsets. */
static void look(struct sense *sense, const struct shark_types *types, struct input *in, uint64_t from, uint64_t end)
{
    struct shark_walk walk;
    struct shark_record record;
    enum shark_step step;
    shark_walk_start(&walk, in, from, end);
    while ((step = shark_walk_next(&walk, &record)) != SHARK_END) {
        sense->lowest = sense->records == 0 || record.ticks < sense->lowest ? record.ticks : sense->lowest;
        sense->highest = record.ticks > sense->highest ? record.ticks : sense->highest;
        sense->records++;
        sense->known += is_known(types, &record);
        sense->back += step != SHARK_RECORD;
    }
}

/* Look at all records of a small file; of a large one at SAMPLES parts, evenly distributed. */
static void look_around(struct sense *sense, const struct shark_types *types, struct input *in)
{
    uint64_t end = shark_end(in);
    uint64_t step = end / SAMPLES & ~(uint64_t)(SHARK_RECORD_BYTES - 1u);
    if (end <= (uint64_t)SAMPLES * SAMPLE_BYTES) {
        look(sense, types, in, 0, end);
        return;
    }
    for (uint64_t i = 0; i < SAMPLES; i++)
        look(sense, types, in, i * step, i * step + SAMPLE_BYTES);
}

bool shark_makes_sense(struct input *in)
{
    struct trace trace;
    struct shark_types types;
    struct sense sense = {0};
    trace_init(&trace, "");
    shark_types_declare(&types, &trace);
    look_around(&sense, &types, in);
    if (sense.records == 0 || (sense.records < FEWEST_IF_CUT && input_size(in) % SHARK_RECORD_BYTES != 0))
        return false;
    if (sense.highest == 0 || (sense.records > 1u && sense.highest == sense.lowest))
        return false;
    /* Seven of eight codes are known, and few times go back. */
    return sense.known * 8u >= sense.records * 7u && sense.back <= 1u + sense.records / 16u;
}
