/* clock_harness.h - a board whose clock wraps: a firmware that logs to a ring of chunks and is idle in between, and
 * what becomes of its dump. */
#ifndef DECODER_NATIVE_CLOCK_HARNESS_H
#define DECODER_NATIVE_CLOCK_HARNESS_H

#include "harness.h"

#define WRAP (1ull << 32)

enum { BOARD_EVENTS = 400, BOARD_CHUNKS = 8, BOARD_HZ = 1000000000 };

struct board {
    struct bytes dump;      /* of the ring's chunks, side by side */
    uint32_t slots, chunks; /* of a chunk; of the ring */
    uint32_t coarse_hz;     /* 0: there is no coarse clock */
    bool traceevents;       /* the firmware logs BUFFER and TIME slots as well */
    uint64_t time;          /* of its clock */
    uint64_t halves;        /* half wraps of it that the firmware has counted */
    uint64_t used;          /* slots, of all laps */
    uint32_t extra[BOARD_CHUNKS];
    uint64_t times[BOARD_EVENTS]; /* when event i was logged, of n */
    uint64_t told[BOARD_EVENTS];  /* the same by the firmware's count */
    uint32_t n;
};

/* A board with an empty ring. Its clock runs at BOARD_HZ, so a tick is a ns. The dump is to be freed. */
struct board board_make(uint32_t slots, uint32_t chunks, uint32_t coarse_hz, bool traceevents, uint64_t start);

/* Log a record, or a traceevent of one slot. Its number is in par2, or in the first word. */
void board_log(struct board *board, bool record);

/* Log n events, `step` ticks apart: kind 0: traceevents, 1: records, 2: both. */
void board_burst(struct board *board, uint32_t n, uint64_t step, unsigned kind);

/* What tlog_tick() does. */
void board_tick(struct board *board);

/* Let time pass, and tick now and after each `step`; 0: never. */
void board_idle(struct board *board, uint64_t ticks, uint64_t step);

/* Put a slot of no event into the ring: a COARSE slot with that coarse clock and that count of wraps. */
void board_put_coarse(struct board *board, uint32_t coarse, uint32_t wraps);

/* Make the headers those of the ring as it is, and seal the images or not. */
void board_finish(struct board *board, bool sealed);

/* What a dump was decoded to, and what was told of it. */
struct outcome {
    uint32_t kept, wrong;   /* events; those with another time than they were logged at */
    uint32_t marks, untold; /* marks of unseen wraps; changes of the decoder's count without the mark that is due */
    uint32_t set_back;      /* wraps behind which the clock tells so little that it may as well have been set back */
    uint64_t wraps;         /* of all marks */
    uint64_t damaged;       /* slots and places */
    uint32_t notes;         /* lines that tell of wraps */
    uint64_t exact, least;  /* wraps that these tell, with a coarse clock, and without */
    char text[8192];        /* all lines */
};

/* Decode the dump, and compare with what was logged. In a dump of other chunks as well these events are still found by
 * their numbers. */
struct outcome board_decode(const struct board *board, struct bytes dump);

#endif
