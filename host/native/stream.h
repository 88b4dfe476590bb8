/* stream.h - a lane as a stream of events: lap after lap, slot after slot.
 *
 * What is not there becomes a loss or damage event with its count, just before the next event. A loss that the firmware
 * reports itself stands before the blackout_start record where that begins. Private to the native reader.
 */
#ifndef NATIVE_STREAM_H
#define NATIVE_STREAM_H

#include "native/lap.h"
#include "native/scale.h"
#include "native/types.h"

#define NATIVE_TIME_NEVER UINT64_MAX

/* What all streams of a dump share. */
struct native_decoder {
    struct trace *trace;
    struct native_index index;
    struct native_loader loader;
    struct native_types types;
};

/* A record in the order of its words. */
struct native_record {
    uint64_t ticks;
    uint32_t code, par1, par2;
    bool fast;
    uint16_t context;
};

struct native_stream {
    const struct native_lane *lane;
    struct native_lap lap;
    uint32_t slot;   /* next slot of the lap; behind its last one: the lap is done */
    size_t at, end;  /* segments still to come */
    uint64_t ticks;  /* time of the last event given out */
    uint64_t recent; /* time that the next traceevent slot is counted from */
    uint64_t until;  /* events after this time wait for those of other lanes */
    uint64_t place;  /* of the lap that should come next, and its slot */
    uint32_t place_slot;
    struct native_scale scale;
    uint64_t loss, damage; /* events that are missing before the next one */
    uint16_t group;        /* of its events */
    bool held;             /* start is still to be given out, when it is known whether blackout_end follows */
    bool ended;
    struct native_record start; /* a blackout_start record */
};

/* Begin, or begin again, at the lane's first lap. */
void native_stream_start(struct native_decoder *decoder, struct native_stream *stream, const struct native_lane *lane,
                         struct input *in);

/* Load the next lap, without decoding it: 1, 0 if there is none, -1 after trace_fail(). */
int native_stream_lap(struct native_decoder *decoder, struct native_stream *stream);

/* The slot is a record of the loaded lap. */
static inline bool native_stream_has_record(const struct native_stream *stream, uint32_t slot)
{
    return native_lap_state(&stream->lap, slot) == NATIVE_RECORD;
}

/* Put the payload of a traceevent to data, at most QNX_PAYLOAD_MAX bytes, and its type in *type. The size; 0 if nothing
 * is to be made of it, or after trace_fail(). */
uint16_t native_payload(struct native_decoder *decoder, const struct qnx_event *event, unsigned char *data,
                        uint16_t *type);

/* Time of the next event in ticks, or one before it; NATIVE_TIME_NEVER at the end. Loads laps, and may add what is
 * missing before them to the batch. */
uint64_t native_stream_next(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch);

/* Whether the batch has room for what the next step of a stream may add. */
bool native_stream_has_room(const struct trace_batch *batch);

/* Add events to the batch, as long as there is room and the next one is not after stream->until. */
void native_stream_read(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch);

/* Add what is still to be said after the last event: so many further events were lost, not before that time. */
void native_stream_finish(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                          uint64_t lost, uint64_t ticks);

void native_stream_free(struct native_stream *stream);

#endif
