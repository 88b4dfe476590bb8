/* sync.h - how times of one board's clock become times of another's.
 *
 * Vocabulary
 *   mark   an event that is logged on both boards, with a number that tells which one it is
 *   pair   the same mark in both traces; its two times should be one
 *   line   what is added to a time of the one clock to get that of the other: an offset, and a drift that grows with it
 */
#ifndef DECODE_SYNC_H
#define DECODE_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace.h"

#define SYNC_MARKS_MAX 65536u /* of one trace; later ones are not needed */
#define SYNC_DRIFT_MAX 0.05   /* no two clocks differ by more */

/* time + offset + drift * (time - from). All zero: nothing is added. */
struct sync_line {
    int64_t offset; /* ns */
    double drift;   /* ns per ns */
    uint64_t from;  /* ns */
};

/* What --sync asks for. */
struct sync_rule {
    bool fixed;            /* the line is given, and there are no marks */
    struct sync_line line; /* of that */
    char system[32];       /* of the marks' type, or "" = any */
    char name[64];
    char field[32]; /* that has the number, or "": the last one with a number */
};

struct sync_mark {
    uint64_t number, time;
};

/* The marks of a trace, and its events while we are at it. All zero to begin with. */
struct sync_marks {
    struct sync_mark *mark;
    size_t n, room;
    size_t seen; /* marks, before any was left out */
    uint64_t events, first, last;
};

struct sync_fit {
    struct sync_line line;
    size_t pairs;
    size_t repeated; /* numbers that came more than once in a trace, and were of no use */
    uint64_t worst;  /* ns between the line and the pair that is furthest from it */
    uint64_t worst_number;
    uint64_t apart; /* ns from a pair to the next, on average; 0 = only one pair */
};

enum sync_result { SYNC_FITS, SYNC_NO_PAIRS, SYNC_CONTRADICTION, SYNC_NO_MEMORY };

/* Take "EVENT", "SYSTEM:EVENT:FIELD", "EVENT:FIELD", or "+SECONDS" or "-SECONDS", then perhaps ",PPM". False: not such. */
bool sync_parse(struct sync_rule *rule, const char *text);

/* Note the events of a batch that are marks of the rule. 0, or -1 after trace_fail(). */
int sync_note(struct sync_marks *marks, const struct sync_rule *rule, struct trace *trace,
              const struct trace_batch *batch);

/* The line from times of `from` to times of `to` that lies nearest to all pairs, by least squares. Sorts the marks. */
enum sync_result sync_fit(struct sync_fit *fit, struct sync_marks *to, struct sync_marks *from);

/* What the line adds to a time, to the nearest ns. */
int64_t sync_offset(const struct sync_line *line, uint64_t time);

/* The time with that, at least 0. */
uint64_t sync_time(const struct sync_line *line, uint64_t time);

void sync_marks_free(struct sync_marks *marks);

#endif
