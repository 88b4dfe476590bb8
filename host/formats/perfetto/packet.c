/* packet.c - see packet.h. */
#include "formats/perfetto/packet.h"

#include "formats/perfetto/fields.h"

enum {
    KERNEL_SEQUENCE = 1,
    USER_SEQUENCE = 2,
    HEAD_BYTES = 64, /* of a packet: its tag, sequence, flags, time, and the length at the end */
    FIRST_BYTES = 256,
};

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static unsigned char *begin(struct perfetto *state, const struct perfetto_interns *interns, size_t room,
                            unsigned sequence, unsigned flags)
{
    unsigned char *to;
    if (perfetto_output_need(&state->output, room + HEAD_BYTES + perfetto_interns_room(interns)) != 0)
        return NULL;
    to = proto_begin(state->output.at, TRACE_PACKET);
    return proto_number(proto_number(to, PACKET_SEQUENCE_ID, sequence), PACKET_SEQUENCE_FLAGS, flags);
}

/* Where the fields of the packet that begins at the next free byte begin. */
static unsigned char *fields_of(const struct perfetto *state)
{
    return state->output.at + 2;
}

unsigned char *perfetto_kernel_packet(struct perfetto *state, size_t room)
{
    return begin(state, &state->kernel, room, KERNEL_SEQUENCE, FLAG_NEEDS_STATE);
}

unsigned char *perfetto_user_packet(struct perfetto *state, size_t room)
{
    return begin(state, &state->user, room, USER_SEQUENCE, FLAG_NEEDS_STATE);
}

static void end(struct perfetto *state, struct perfetto_interns *interns, unsigned char *to)
{
    to = perfetto_interns_put(interns, to);
    state->output.at = proto_end(fields_of(state), to);
}

void perfetto_kernel_end(struct perfetto *state, unsigned char *to)
{
    end(state, &state->kernel, to);
}

void perfetto_user_end(struct perfetto *state, unsigned char *to)
{
    end(state, &state->user, to);
}

unsigned char *perfetto_put_time(struct perfetto *state, unsigned char *to, uint64_t time)
{
    if (time < state->clock)
        return proto_number(proto_number(to, PACKET_TIMESTAMP, time), PACKET_CLOCK_ID, CLOCK_BOOTTIME);
    to = proto_number(to, PACKET_TIMESTAMP, time - state->clock);
    state->clock = time;
    return to;
}

/* ---- the first packets ------------------------------------------------------------------------------------------- */

static unsigned char *put_clock(unsigned char *to, unsigned id, uint64_t time)
{
    unsigned char *clock = proto_begin(to, SNAPSHOT_CLOCKS);
    to = proto_number(proto_number(clock, CLOCK_ID, id), CLOCK_TIMESTAMP, time);
    if (id == CLOCK_INCREMENTAL)
        to = proto_number(to, CLOCK_IS_INCREMENTAL, 1);
    return proto_end(clock, to);
}

/* Put a snapshot of two clocks: the one that the times are of, and another one, which is real time or the sequence's
 * own. */
static unsigned char *put_snapshot(unsigned char *to, uint64_t time, unsigned other, uint64_t other_time)
{
    unsigned char *snapshot = proto_begin(to, PACKET_CLOCK_SNAPSHOT);
    to = put_clock(snapshot, CLOCK_BOOTTIME, time);
    to = put_clock(to, other, other_time);
    return proto_end(snapshot, proto_number(to, SNAPSHOT_PRIMARY, CLOCK_BOOTTIME));
}

static unsigned char *put_system(const struct perfetto *state, unsigned char *to)
{
    unsigned char *info = proto_begin(to, PACKET_SYSTEM_INFO), *name = proto_begin(info, INFO_UTSNAME);
    to = proto_end(name, proto_text(name, UTSNAME_SYSNAME, "tlog"));
    return proto_end(info, proto_number(to, INFO_NUM_CPUS, state->trace->ncpus));
}

static int begin_kernel(struct perfetto *state, uint64_t time)
{
    uint64_t real = state->has_start ? state->start : time + state->bias;
    unsigned char *to = begin(state, &state->kernel, FIRST_BYTES, KERNEL_SEQUENCE, FLAG_STATE_CLEARED);
    if (to == NULL)
        return -1;
    to = proto_number(to, PACKET_FIRST_ON_SEQUENCE, 1);
    if (state->has_start || state->bias > 0)
        to = put_snapshot(to, time, CLOCK_REALTIME, real);
    perfetto_kernel_end(state, to);
    to = perfetto_kernel_packet(state, FIRST_BYTES);
    if (to == NULL)
        return -1;
    perfetto_kernel_end(state, put_system(state, to));
    return 0;
}

/* Begin the sequence of track events: from here on, its times are differences from the packet before. */
static int begin_user(struct perfetto *state, uint64_t time)
{
    unsigned char *defaults, *to = begin(state, &state->user, FIRST_BYTES, USER_SEQUENCE, FLAG_STATE_CLEARED);
    if (to == NULL)
        return -1;
    to = put_snapshot(proto_number(to, PACKET_FIRST_ON_SEQUENCE, 1), time, CLOCK_INCREMENTAL, time);
    defaults = proto_begin(to, PACKET_DEFAULTS);
    to = proto_end(defaults, proto_number(defaults, DEFAULTS_CLOCK_ID, CLOCK_INCREMENTAL));
    perfetto_user_end(state, to);
    state->clock = time;
    return 0;
}

/* Describe the firmware as a process: its track is the parent of all tracks that belong to no task. */
static int put_root(struct perfetto *state)
{
    const char *name = state->trace->clock_hz == 0 ? "firmware (times are ticks, not ns)" : "firmware";
    unsigned char *track, *process, *to = perfetto_user_packet(state, FIRST_BYTES);
    if (to == NULL)
        return -1;
    track = proto_begin(to, PACKET_TRACK_DESCRIPTOR);
    to = proto_number(track, DESCRIPTOR_UUID, PERFETTO_ROOT_TRACK);
    process = proto_begin(to, DESCRIPTOR_PROCESS);
    to = proto_number(process, DESCRIPTOR_PROCESS_PID, PERFETTO_FIRMWARE_PID);
    to = proto_end(process, proto_text(to, DESCRIPTOR_PROCESS_NAME, name));
    perfetto_user_end(state, proto_end(track, to));
    return 0;
}

int perfetto_begin(struct perfetto *state, uint64_t time)
{
    state->begun = true;
    state->bias = state->trace->start_ns < time ? state->trace->start_ns : 0;
    time -= state->bias;
    return begin_kernel(state, time) != 0 || begin_user(state, time) != 0 ? -1 : put_root(state);
}
