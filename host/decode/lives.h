/* lives.h - tasks, mutexes and other objects whose number was given again.
 *
 * Many kernels use a task's control block, and with it the task's number, for another task once the first one has
 * ended. What has a number from its creation, or from the first event about it, to its end is a life. Each life gets a
 * number of its own here, before the mapping sees its events; so mapping and writers know nothing of lives: to them
 * they are different tasks. The first life keeps the number that the firmware gives.
 *
 * The other way round, tasks of one name that are created and end one after the other, with numbers of their own, are
 * shown as one: they get the number of the first one (lives_find.c).
 *
 * A life has the name that ended in its time (model/past_names.h), the last one that which the number has now. A life
 * of which no name is left is called by its number, "task-5".
 *
 * Whether any number is given again shows only when its next creation comes, and then the events before it have been
 * written under the wrong name. To look for that beforehand costs a reading of the whole input, which hardly any needs.
 * So the mapping tells when it meets such a creation (decode_map_meets_lives()); then decode_lives_find() reads the
 * input, and all is written once more. What goes to a pipe waits in a temporary file for that, or, if the input is
 * large, has the reading first (job.c).
 */
#ifndef DECODE_LIVES_H
#define DECODE_LIVES_H

#include "model/trace.h"

struct decode_lives;
struct decode_source;

/* Read the input of a source that is prepared, and see whose numbers are given again: source->lives, or NULL if there
 * are none. Sets source->knows_lives. 0, or -1 after trace_fail(). In lives_find.c. */
int decode_lives_find(struct decode_source *source);

/* NULL is allowed. */
void decode_lives_free(struct decode_lives *lives);

/* Give the names of the trace, whose reader is open, to the lives that have them. */
void decode_lives_name(const struct decode_lives *lives, struct trace *trace);

/* The number of the life before the one of that task's number; that number itself if there is none. */
uint32_t decode_lives_before(const struct decode_lives *lives, uint32_t task);

/* What a CPU's events need. All 0 at the beginning. */
struct decode_lives_lane {
    uint64_t events; /* that the CPU had so far */
    unsigned char *room;
    size_t size; /* bytes of room, in which payloads with other numbers are */
};

/* Give all numbers in the CPU's next events those of their lives. The payloads that change are valid until the next
 * call for the lane. 0, or -1 after trace_fail(). */
int decode_lives_batch(const struct decode_lives *lives, struct trace *trace, unsigned cpu,
                       struct decode_lives_lane *lane, struct trace_batch *batch);

/* ---- for lives_find.c -------------------------------------------------------------------------------------------- */

/* A kind of number, and the number: see decode_lives_key(). */
typedef uint64_t decode_lives_key_t;

static inline decode_lives_key_t decode_lives_key(enum trace_name_kind kind, uint32_t id)
{
    return (uint64_t)kind << 32 | id;
}

/* Find out whether field i of an event of the type is such a number, and which one. False also for 0, which is no task.
 */
bool decode_lives_field(const struct tlog_event *event, const struct tlog_type *type, unsigned i,
                        decode_lives_key_t *key);

/* Where a life begins: at event n of a CPU, counted from 0. */
struct decode_life {
    uint64_t time, n;
    unsigned cpu;
    uint32_t number;
};

/* None so far. NULL: no memory. */
struct decode_lives *decode_lives_new(void);

/* Add what a number was given for, behind its first life: n lives in the order of time. Those whose number is 0 get one
 * of their own. Keys come in their order. The lives stay the caller's. 0, or -1 if there is no memory. */
int decode_lives_add(struct decode_lives *lives, decode_lives_key_t key, const struct decode_life *life, size_t n);

#endif
