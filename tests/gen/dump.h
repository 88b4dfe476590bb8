/* dump.h - makes valid dumps with wanted properties, and texts of the events they hold. Written from target/FORMAT.md
 * alone, so that tests compare the decoder with something independent of it. */
#ifndef GEN_DUMP_H
#define GEN_DUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct gen_options {
    uint64_t events;            /* logged per CPU */
    uint32_t seed;              /* of everything that is random */
    uint32_t slots;             /* per chunk */
    uint32_t chunks;            /* per CPU, 1..256 */
    uint32_t cpus;              /* 1..256 */
    uint32_t hz;                /* of the clock; 0: unknown, and no record tells either */
    uint32_t boot;              /* number of the run */
    uint32_t names;             /* tasks with a name; 0: no chunk of names */
    uint32_t drops;             /* losses in 1000 events */
    uint32_t tasks;             /* par1 is below this; 0: any */
    uint32_t garbage;           /* up to so many random bytes before every image */
    uint64_t start;             /* clock at the first event */
    uint32_t traceevents;       /* in 100 events; chunks then have 16 slots at least */
    uint32_t shortest, longest; /* slots of a traceevent, up to 8; 0: 1 */
    uint32_t class;             /* of all traceevents: 2, 3, 4, 5, 7, and what records mean, too; 0: any */
    uint32_t rates; /* with traceevents: events from one change of the clock's rate to the next; then the times that
                     * are expected, which are by hz alone, are wrong */
    bool sealed;    /* images have a seal behind the slots */
    bool user;      /* user events only; else all codes, one in three of them a switch, a wake-up or an interrupt */
    bool stream;    /* an image whenever a chunk is full; else one of each chunk at the end */
    bool uncounted; /* the last chunk's lap is open, but not counted yet */
    bool jumps;     /* the clock sometimes jumps far */
    bool still;     /* the clock stands still */
    bool texts;     /* traceevents are user events with a text; with user instead of this, user events with words */
    bool unknown;   /* traceevents are of class 9, which has no events with a name */
};

/* The name that FORMAT.md gives a record code; NULL: none. */
const char *gen_name(unsigned code);

/* Write a dump, and to expect, which may be NULL, a line for each event that a decoder must find in it:
 *
 *   cpu ns code par1 par2                          a record; code in hexadecimal
 *   cpu ns loss 0 count                            a loss
 *   cpu ns 102 class<<16|event words word0 word1   a traceevent
 *
 * With traceevents, events are logged until as many slots are used as options->events says, and the lines are of all
 * events, as a stream has them. */
void gen_dump(const struct gen_options *options, FILE *dump, FILE *expect);

#endif
