/* stream.h - a lane as a stream of events: lap after lap, slot after slot.
 *
 * Events that are missing become a loss or damage event with their number, just before the next event. A loss that the
 * firmware itself reports is put before the blackout_start record, where it begins.
 */
#ifndef NATIVE_STREAM_H
#define NATIVE_STREAM_H

#include "formats/native/events/decoder.h"

/* Go to the beginning of a lane. A new stream must be all zeros. lane and in must outlive the stream. */
void native_stream_start(struct native_decoder *decoder, struct native_stream *stream, const struct native_lane *lane,
                         struct input *in);

/* Load the next lap without decoding it. Returns 1, 0 if there is none, or -1 after trace_fail(). */
int native_stream_lap(struct native_decoder *decoder, struct native_stream *stream);

/* Whether a slot of the loaded lap is a record. */
static inline bool native_stream_has_record(const struct native_stream *stream, uint32_t slot)
{
    enum native_state state = native_lap_state(&stream->lap, slot);
    return state == NATIVE_RECORD
           || (state == NATIVE_WRAPPED && !native_is_traceevent(native_head(native_lap_slot(&stream->lap, slot))));
}

/* The stamp of the next slot, which is an event's. Where the clock wrapped unseen, more than its low word tells it. */
uint64_t native_stream_stamp(const struct native_stream *stream);

/* The stamp of the next event, or an earlier one; NATIVE_STAMP_NEVER: there are no more events. Loads laps, and may add
 * to the batch what is missing before them. */
uint64_t native_stream_next(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch);

/* Whether the batch has room for all events that one slot may add. */
bool native_stream_has_room(const struct trace_batch *batch);

/* Add events to the batch, as long as it has room and the next event is not after stream->until. */
void native_stream_read(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch);

/* Add a loss and damage for the events that are missing behind the last one: `lost` events, and those that the stream
 * has counted. They are not before `stamp`. */
void native_stream_finish(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                          uint64_t lost, uint64_t stamp);

/* Free what the stream has allocated, and make it all zeros. */
void native_stream_free(struct native_stream *stream);

#endif
