/* file.h - raw S.Ha.R.K. trace files: their records, and the streams of records in the order of time. A run may be in
 * several files, one for each chunk that was sent.
 *
 * The file is nothing but slots of 16 bytes, each a record: u16 code, u16 par1, u32 TSC high, u32 TSC low, u32 par2,
 * little-endian. That is the "record" of tlog_wire.h, without tag and mirror. A slot whose code is 0 is empty.
 *
 * shark_ names in this folder are about such files; those of events/shark_types.h are about records in general.
 *
 * Vocabulary
 *   stream   neighbouring records of the file whose times rise. A cyclic chunk that was filled more than once is two
 *            streams, the newer one first: times 7 8 9 | 3 4 5 6. A file that collects several chunks may have more
 *   walk     reads the records of a stream one after another, and looks one record ahead
 *   ticks    the value of the TSC, the processor's clock
 */
#ifndef SHARK_FILE_H
#define SHARK_FILE_H

#include "io/input.h"
#include "model/trace.h"

#define SHARK_RECORD_BYTES 16u
#define SHARK_FAST         0x8000u /* bit of the code: the fast path logged the record, and left par2 as it was */
#define SHARK_STREAMS_MAX  512u    /* two for each of the 256 chunks there can be */

/* Offsets in a record. */
enum { SHARK_CODE = 0, SHARK_PAR1 = 2, SHARK_TICKS_HIGH = 4, SHARK_TICKS_LOW = 8, SHARK_PAR2 = 12 };

/* Ticks, two years at 1 GHz. Of two neighbouring records that are farther apart one is damaged. */
#define SHARK_JUMP_MAX ((uint64_t)1 << 56)

struct shark_record {
    uint64_t ticks;
    uint64_t offset; /* in the input */
    uint32_t code;   /* without SHARK_FAST; as it is in the file if it has bits that no code has */
    uint32_t par1, par2;
    bool fast; /* the code had SHARK_FAST */
};

#define SHARK_WALK_BYTES 4096u

struct shark_walk {
    struct input *in;
    uint64_t at, end; /* offsets of the next slot that is not in the buffer, and of the end */
    size_t used, n;   /* bytes of the buffer that were given out as records; that are there */
    uint64_t empty;   /* slots without a record so far */
    uint64_t last;    /* ticks of the last good record */
    bool has_last, has_next;
    struct shark_record next;
    unsigned char buffer[SHARK_WALK_BYTES];
};

enum shark_step {
    SHARK_END,
    SHARK_RECORD,
    SHARK_DAMAGED, /* its neighbours' times rise, and its own does not lie between them */
    SHARK_BEGINS,  /* it is earlier than the record before: a stream begins with it. A walk through one stream meets
                    * this only if the file has too many of them */
};

/* Walk from an offset up to another one, both multiples of SHARK_RECORD_BYTES. The input stays the caller's. */
void shark_walk_start(struct shark_walk *walk, struct input *in, uint64_t from, uint64_t end);

/* Get the next record, and what it is by its time. SHARK_END: there is none. */
enum shark_step shark_walk_next(struct shark_walk *walk, struct shark_record *record);

struct shark_stream {
    struct input *in;     /* the file that it is in */
    uint64_t from, end;   /* offsets of its first record, and behind its last one */
    uint64_t first, last; /* ticks of these records */
};

/* What must be known of all files before the first event can be given out. */
struct shark_index {
    uint64_t empty;   /* empty slots */
    uint64_t fast;    /* records of the fast path */
    uint64_t unlocks; /* records with code 0x43, which only the manual has */
    uint32_t clock;   /* ticks per ms, as the first record that tells it has them; 0: none does */
    unsigned nstreams;
    struct shark_stream stream[SHARK_STREAMS_MAX]; /* in the order of .first */
};

/* Read the whole input and those behind it once, and fill in the index, which must be all zeros. False: they have more
 * streams than can be held. */
bool shark_index_build(struct shark_index *index, struct input *in);

/* The offset behind the input's last whole slot. */
uint64_t shark_end(const struct input *in);

/* Whether the input is probably such a file. The format has no magic number, so this judges by codes and times. */
bool shark_makes_sense(struct input *in);

#endif
