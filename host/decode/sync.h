/* sync.h - how times of one board's clock become times of another's.
 *
 * Vocabulary
 *   mark   an event that is logged on both boards, with a number that tells which one it is
 *   pair   the same mark in both traces; its two times should be one
 *   line   what is added to a time of the one clock to get that of the other: an offset, and a drift that grows with it
 *   rule   what --sync asks for: a line, or which events are marks
 */
#ifndef DECODE_SYNC_H
#define DECODE_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace.h"

#define DECODE_SYNC_MARKS_MAX 65536u /* of one trace; later ones are not needed */
#define DECODE_SYNC_DRIFT_MAX 0.05   /* ns per ns; no two clocks differ by more */

/* Adds offset + drift * (time - from) to a time. All zero: adds nothing. */
struct decode_sync_line {
    int64_t offset; /* ns */
    double drift;   /* ns per ns */
    uint64_t from;  /* ns */
};

/* What --sync asks for. */
struct decode_sync_rule {
    bool fixed;                   /* the line is given, and there are no marks */
    struct decode_sync_line line; /* if fixed */
    char system[32];              /* of the marks' type, or "": any system. This and the next two: unless fixed */
    char name[64];                /* of the marks' type; "": no event is a mark */
    char field[32];               /* the field that has the number, or "": the last field that is a number */
};

struct decode_sync_mark {
    uint64_t number; /* equal in both marks of a pair */
    uint64_t time;   /* ns */
};

/* The marks of a trace, and the count and span of its events, which are found on the way. All zero to begin with. */
struct decode_sync_marks {
    struct decode_sync_mark *mark;
    size_t n, room;       /* marks; those that mark has room for */
    size_t seen;          /* marks before decode_sync_fit() left out any; set by decode_tie() */
    uint64_t events;      /* events of the trace, losses and damage left out */
    uint64_t first, last; /* ns, earliest and latest time of these */
};

/* What decode_sync_fit() found. */
struct decode_sync_fit {
    struct decode_sync_line line;
    size_t pairs;
    size_t repeated;       /* numbers that came more than once in a trace, and were of no use */
    uint64_t worst;        /* ns between the line and the pair that is furthest from it */
    uint64_t worst_number; /* of that pair */
    uint64_t apart;        /* ns from a pair to the next, on average; 0 = only one pair */
};

enum decode_sync_result {
    DECODE_SYNC_FITS,
    DECODE_SYNC_NO_PAIRS,
    DECODE_SYNC_CONTRADICTION, /* no line fits: the clocks would differ too much, or the pairs are too far from it */
    DECODE_SYNC_NO_MEMORY,
};

/* Make a rule of "EVENT", "SYSTEM:EVENT:FIELD", "EVENT:FIELD", or of "+SECONDS" or "-SECONDS", perhaps with ",PPM"
 * behind it. False: the text is none of these. */
bool decode_sync_parse(struct decode_sync_rule *rule, const char *text);

/* Add the events of a batch that the rule calls marks to the marks, and all its events to their count. 0, or -1 after
 * trace_fail(). */
int decode_sync_note(struct decode_sync_marks *marks, const struct decode_sync_rule *rule, struct trace *trace,
                     const struct trace_batch *batch);

/* Find the line from times of `from` to times of `to` that lies nearest to all pairs, by least squares. Sorts the
 * marks, and leaves out those whose number is repeated. *fit is filled unless memory runs out. */
enum decode_sync_result decode_sync_fit(struct decode_sync_fit *fit, struct decode_sync_marks *to,
                                        struct decode_sync_marks *from);

/* What the line adds to a time, rounded to the nearest ns. */
int64_t decode_sync_offset(const struct decode_sync_line *line, uint64_t time);

/* The time with that added, at least 0. */
uint64_t decode_sync_time(const struct decode_sync_line *line, uint64_t time);

/* Free the marks; they are all zero again. */
void decode_sync_marks_free(struct decode_sync_marks *marks);

#endif
