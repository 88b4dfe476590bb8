/* file.h - a raw S.Ha.R.K. trace file: its records, and the runs of them that lie in the order of time.
 *
 * Layout: reference in tlog_wire.h, "record", without tag and mirror: u16 code, u16 par1, u32 TSC high, u32 TSC low,
 * u32 par2, little-endian, nothing else. A record with code 0 is an empty slot.
 *
 * Vocabulary
 *   run   records that stand in the file in the order of their times. A cyclic chunk that came round is two runs, the
 * newer one first; a file that collects several chunks may have more walk  through the records of a run, with a look at
 * the one that follows
 *
 * Private to the S.Ha.R.K. reader.
 */
#ifndef SHARK_FILE_H
#define SHARK_FILE_H

#include "io/input.h"
#include "model/trace.h"

#define SHARK_RECORD_BYTES 16u
#define SHARK_FAST         0x8000u
#define SHARK_RUNS_MAX     512u /* two for each of the 256 chunks there can be */

/* Two records are never farther apart than this, or one of them is damaged: two years at 1 GHz. */
#define SHARK_JUMP_MAX ((uint64_t)1 << 56)

struct shark_record {
    uint64_t ticks;
    uint64_t offset;
    uint32_t code; /* without the mark of the fast path, if the rest of it is plain */
    uint32_t par1, par2;
    bool fast;
};

#define SHARK_WALK_BYTES 4096u

struct shark_walk {
    struct input *in;
    uint64_t at, end; /* offsets of the next slot that is not in the buffer, and of the end */
    size_t used, n;   /* bytes of the buffer */
    uint64_t empty;   /* slots without a record */
    uint64_t last;    /* time of the last record that was good */
    bool has_last, has_next;
    struct shark_record next;
    unsigned char buffer[SHARK_WALK_BYTES];
};

enum shark_step {
    SHARK_END,
    SHARK_RECORD,
    SHARK_DAMAGED, /* its time does not fit between those of its neighbours, which fit each other */
    SHARK_BACK,    /* a run begins with it; never met inside one, unless the file has too many */
};

void shark_walk_start(struct shark_walk *walk, struct input *in, uint64_t from, uint64_t end);
enum shark_step shark_walk_next(struct shark_walk *walk, struct shark_record *record);

struct shark_run {
    uint64_t from, end;   /* offsets */
    uint64_t first, last; /* ticks */
};

/* What there is to know before the first event. */
struct shark_index {
    uint64_t end;     /* of the last whole slot */
    uint64_t cut;     /* bytes behind it */
    uint64_t empty;   /* slots */
    uint64_t fast;    /* records of the fast path */
    uint64_t unlocks; /* records with the code that only the manual has */
    uint32_t clock;   /* ticks per ms as a record tells them; 0: none does */
    unsigned nruns;
    struct shark_run run[SHARK_RUNS_MAX]; /* by first time */
};

void shark_index_build(struct shark_index *index, struct input *in);

/* Whether the bytes make sense as such a file. */
bool shark_makes_sense(struct input *in);

#endif
