/* clock_sync.h - the clocks of several boards, tied to the clock of the first one.
 *
 * Boards log marks: events of one type with a number, such as that of a sync pulse which all of them see. Two marks
 * with one number are a pair, and should have one time. The line that lies nearest to all pairs turns times of one
 * clock into times of the other.
 */
#ifndef DECODE_CLOCK_SYNC_H
#define DECODE_CLOCK_SYNC_H

#include "library/decoder.h"

/* ---- all sources ------------------------------------------------------------------------------------------------- */

/* Memory that the options of writers point to. */
struct decode_clock_sync;

/* Tie the clocks of n prepared decoders, 2 to DECODE_INPUTS_MAX, as request->sync says; without it they are one clock.
 *
 * Sources that are merged get the lines that bring their times onto the first source's clock. With guests, only the
 * first source, which is their host, gets a line; guests keep their times, and the writers' options tell viewers what
 * to add to them.
 *
 * Unless quiet, the user is told what was found. The result must live as long as the writers' options. Returns NULL
 * after trace_fail() of one of the sources. */
struct decode_clock_sync *decode_sync_clocks(struct tlog_decoder *decoders, unsigned n,
                                             const struct decode_request *request);

/* NULL is allowed. */
void decode_clock_sync_free(struct decode_clock_sync *sync);

/* ---- two clocks -------------------------------------------------------------------------------------------------- */

#define DECODE_SYNC_MARKS_MAX 65536u /* of one source; later ones are left out */

struct decode_sync_mark {
    uint64_t number;
    uint64_t time; /* ns */
};

/* The marks of a source, and when its events begin and end. All zero to begin with. */
struct decode_sync_marks {
    struct decode_sync_mark *mark;
    size_t n, room;       /* marks, and how many there is room for */
    size_t seen;          /* marks before decode_sync_fit() left any out */
    uint64_t events;      /* all events of the source but losses and damage */
    uint64_t first, last; /* ns, their earliest and latest time */
};

/* What decode_sync_fit() found. */
struct decode_sync_fit {
    struct decode_clock_line line;
    size_t pairs;
    size_t repeated;       /* numbers that were left out, because a source has them more than once */
    uint64_t worst;        /* ns from the line to the pair that is furthest from it */
    uint64_t worst_number; /* of that pair */
    uint64_t apart;        /* ns from one pair to the next, on average; 0 = there is only one */
};

enum decode_sync_result {
    DECODE_SYNC_FITS,
    DECODE_SYNC_NO_PAIRS,
    DECODE_SYNC_CONTRADICTION, /* no line fits: the clocks would differ too much, or a pair is too far from it */
    DECODE_SYNC_NO_MEMORY,
};

/* Find the line from times of `from` to times of `to` that lies nearest to all pairs, by least squares. Sorts the
 * marks, and leaves out those whose number is repeated. Fills *fit unless memory runs out. */
enum decode_sync_result decode_sync_fit(struct decode_sync_fit *fit, struct decode_sync_marks *to,
                                        struct decode_sync_marks *from);

#endif
