/* file.c - records and runs of a raw S.Ha.R.K. trace file: see file.h. */
#include "shark/file.h"

#include "base/bytes.h"
#include "events/shark_types.h"
#include "tlog_wire.h"

#include <stdlib.h>

#define CODE_BITS          0x00FFu /* all that codes have, beside the mark of the fast path */
#define CODE_MANUAL_UNLOCK 0x43u

/* ---- slots ------------------------------------------------------------------------------------------------------- */

/* The record in a slot; false if it is empty. A code with other bits than it may have is left as it is. */
static bool slot_record(const unsigned char *slot, struct shark_record *record)
{
    uint32_t code = get_le16(slot);
    bool plain = (code & ~(SHARK_FAST | CODE_BITS)) == 0 && (code & CODE_BITS) != 0;

    record->fast = plain && (code & SHARK_FAST);
    record->code = plain ? code & CODE_BITS : code;
    record->par1 = get_le16(slot + 2);
    record->ticks = (uint64_t)get_le32(slot + 4) << 32 | get_le32(slot + 8);
    record->par2 = get_le32(slot + 12);
    return code != 0;
}

static bool fill(struct shark_walk *walk)
{
    uint64_t left = walk->end - walk->at;
    size_t wanted = left < SHARK_WALK_BYTES ? (size_t)left : SHARK_WALK_BYTES;

    walk->used = 0;
    walk->n = input_read(walk->in, walk->at, walk->buffer, wanted) & ~(size_t)(SHARK_RECORD_BYTES - 1u);
    walk->at += walk->n;
    return walk->n > 0;
}

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

/* Whether the record after this one follows the last good one, which this one does not. */
static bool next_fits_better(const struct shark_walk *walk)
{
    return walk->has_next && walk->next.ticks >= walk->last && walk->next.ticks - walk->last <= SHARK_JUMP_MAX;
}

static enum shark_step judge(const struct shark_walk *walk, const struct shark_record *record)
{
    if (!walk->has_last)
        return SHARK_RECORD;
    if (record->ticks < walk->last)
        return next_fits_better(walk) ? SHARK_DAMAGED : SHARK_BACK;
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

/* A record of the fast path bears whatever par2 the slot held before, so it tells no clock. */
static void note_record(struct shark_index *index, const struct shark_record *record)
{
    bool tells = record->code == FTrace_EVT_cycles_per_msec || record->code == FTrace_EVT_trace_start;

    index->fast += record->fast;
    index->unlocks += record->code == CODE_MANUAL_UNLOCK;
    if (index->clock == 0 && tells && !record->fast)
        index->clock = record->par2;
}

static void begin_run(struct shark_index *index, const struct shark_record *record)
{
    if (index->nruns > 0)
        index->run[index->nruns - 1u].end = record->offset;
    index->run[index->nruns++] = (struct shark_run){record->offset, index->end, record->ticks, record->ticks};
}

static int run_order(const void *a, const void *b)
{
    const struct shark_run *left = a, *right = b;

    if (left->first != right->first)
        return left->first < right->first ? -1 : 1;
    return (left->last > right->last) - (left->last < right->last);
}

void shark_index_build(struct shark_index *index, struct input *in)
{
    struct shark_walk walk;
    struct shark_record record;
    enum shark_step step;

    index->end = input_size(in) & ~(uint64_t)(SHARK_RECORD_BYTES - 1u);
    index->cut = input_size(in) - index->end;
    shark_walk_start(&walk, in, 0, index->end);
    while ((step = shark_walk_next(&walk, &record)) != SHARK_END) {
        if (step == SHARK_DAMAGED)
            continue;
        note_record(index, &record);
        if (index->nruns == 0 || (step == SHARK_BACK && index->nruns < SHARK_RUNS_MAX))
            begin_run(index, &record);
        index->run[index->nruns - 1u].last = record.ticks;
    }
    index->empty = walk.empty;
    qsort(index->run, index->nruns, sizeof index->run[0], run_order);
}

/* ---- recognising ------------------------------------------------------------------------------------------------- */

#define SAMPLE_BYTES  1024u
#define SAMPLES       64u
#define FEWEST_IF_CUT 4u /* records that make up for a file that ends in the middle of one */

struct sense {
    uint64_t records, known, back;
    uint64_t lowest, highest; /* ticks */
};

static bool is_known(const struct shark_types *types, const struct shark_record *record)
{
    return record->code < 256u && types->record[record->code] != SHARK_TYPE_NONE;
}

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

/* Small files whole, of large ones a part here and there. */
static void look_around(struct sense *sense, const struct shark_types *types, struct input *in)
{
    uint64_t end = input_size(in) & ~(uint64_t)(SHARK_RECORD_BYTES - 1u);
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
    return sense.known * 8u >= sense.records * 7u && sense.back <= 1u + sense.records / 16u;
}
