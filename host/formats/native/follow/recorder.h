/* recorder.h - follows the chunks of a firmware that logs: what is read again and again is put together, lap by lap,
 * to images that decode to what a dump of a large enough ring holds. tool/follow.c uses this.
 *
 * At each poll the headers are read, then the slots that are new, and then, if the firmware runs meanwhile, these once
 * more, and the headers again: a slot is believed if it was the same both times, and not reserved again by then.
 *
 * Example: a ring has a chunk of 4096 slots. A poll finds it in lap 3 at slot 100, the next one in lap 3 at slot 1100:
 * that one reads slots 100 to 1099, and puts them to the 100 that are known of lap 3. When a poll finds lap 5, lap 3 is
 * over, and its image is handed on. A poll that finds 5000 new slots can read the last 4096 of them: the others are
 * unread, and the image of their lap tells that.
 */
#ifndef NATIVE_RECORDER_H
#define NATIVE_RECORDER_H

#include "formats/native/follow/record.h"
#include "io/segments.h"

struct trace_firmware;

enum native_polled {
    NATIVE_POLL_FAILED = -1, /* memory cannot be read, or the sink fails, or there is no memory */
    NATIVE_POLL_NOTHING,     /* nothing is new */
    NATIVE_POLL_NEW,
    NATIVE_POLL_OTHER_RUN, /* the firmware was started again: nothing more can be read of this run */
};

struct native_recorder;

/* Record chunks that stand in parts of the target's memory; where rings are, the firmware may tell, or it is NULL. Both
 * must live as long. NULL: no memory. */
struct native_recorder *native_recorder_new(const struct trace_firmware *firmware, const struct segment *parts,
                                            size_t nparts);
void native_recorder_free(struct native_recorder *recorder);

/* Read what is new. now: ns of a clock. Images of laps that are over go into the sink. */
enum native_polled native_recorder_poll(struct native_recorder *recorder, const struct native_memory *memory,
                                        const struct record_sink *sink, uint64_t now);

/* Hand on images of all that is not in those that were handed on: of laps that go on, and of names. They do not end the
 * recording. Events that are not finished for longer than pending_ns are left out of them. 0, or -1 if the sink
 * fails. */
int native_recorder_rest(const struct native_recorder *recorder, const struct record_sink *sink, uint64_t pending_ns);

const struct native_recorded *native_recorder_told(const struct native_recorder *recorder);

#endif
