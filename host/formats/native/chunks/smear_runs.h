/* smear_runs.h - the slots of images in runs of one tag, and the runs in the order of time: for smear.c. */
#ifndef NATIVE_SMEAR_RUNS_H
#define NATIVE_SMEAR_RUNS_H

#include "formats/native/chunks/image.h"

struct native_smear;

#define SMEAR_MEET      2u /* slots on either side of the place where two runs meet: not relied on */
#define SMEAR_DISORDERS 8u /* slots of a chunk that are earlier than the one ahead: late ones, or torn ones */

/* Slots side by side with one tag. */
struct smear_run {
    uint32_t chunk;
    uint32_t first, last; /* all of them */
    uint32_t low, high;   /* those that can be relied on */
    uint32_t end;         /* the last one that is not earlier than these */
    uint32_t tag;
    int64_t from, to; /* when these were logged, in ticks */
    uint64_t lap;
};

/* A chunk: its slots are cells `cells` to cells + slots - 1 of the arrays. */
struct smear_chunk {
    size_t cells;
    bool differs;   /* a chunk shows by itself what one of a single moment does not: set by smear.c */
    uint32_t whole; /* its slots */
    uint32_t slots; /* those that the firmware has written */
    bool has_later; /* something else than its runs shows that the firmware logged meanwhile */
};

struct smear_runs {
    struct native_smear *smear; /* smear.c's: nchunks of them, and of chunk */
    struct smear_chunk *chunk;
    uint32_t nchunks;
    int64_t *time;           /* of each cell */
    unsigned char *tag;      /* the two bits of the slot's tag; 0: it is not sound */
    unsigned char *left_out; /* it is not relied on */
    size_t cells;
    bool differs;          /* a chunk shows by itself what one of a single moment does not: set by smear.c */
    struct smear_run *run; /* n of them, in the order of slots */
    struct smear_run **by_time;
    uint32_t n, parted; /* how many there are, and how many of them were parted by time alone */
};

/* Have room for n chunks with so many slots together. All is as before if that fails. Returns 0, or -1: no memory. */
int smear_runs_begin(struct smear_runs *runs, size_t n, size_t slots);
void smear_runs_end(struct smear_runs *runs);

/* Add the slots of the next chunk, whose `slots` and `has_later` are set. They are in view. */
void smear_runs_add(struct smear_runs *runs, const struct native_view *view, const struct native_image *image);

/* Find the runs, and put pointers to them in the order of time. Returns how many are relied on; 0: there is no such
 * order, or there are too many, or too many slots are broken or not in order. */
uint32_t smear_runs_find(struct smear_runs *runs);

/* Half of the time that a lap takes, by a usual time between two events. */
int64_t smear_half_lap(const struct smear_runs *runs);

/* A run of which nothing is left may be one of unfinished slots. */
static inline bool smear_is_relied_on(const struct smear_run *run)
{
    return run->low <= run->high && run->high < UINT32_MAX / 2u;
}

/* The time of a slot of a run, and whether it is left out. */
static inline int64_t *smear_time(const struct smear_runs *runs, const struct smear_run *run, uint32_t slot)
{
    return &runs->time[runs->chunk[run->chunk].cells + slot - 1u];
}

static inline unsigned char *smear_left_out(const struct smear_runs *runs, const struct smear_run *run, uint32_t slot)
{
    return &runs->left_out[runs->chunk[run->chunk].cells + slot - 1u];
}

#endif
