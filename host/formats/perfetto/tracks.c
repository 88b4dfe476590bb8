/* tracks.c - see tracks.h. */
#include "formats/perfetto/tracks.h"

#include "formats/perfetto/fields.h"

#include <stdlib.h>

enum {
    FIRST_SIZE = 64,
    TRACKS_MOST = 1 << 15, /* numbers of mutexes may be garbage */
    TRACK_BYTES = 128,     /* of a description, but for its texts */
    END_BYTES = 64,
};

struct perfetto_tracks {
    struct perfetto_track **table; /* size of them, a power of two; n are used */
    size_t size, n;
    uint64_t last; /* uuid that was given last */
};

struct perfetto_tracks *perfetto_tracks_new(void)
{
    struct perfetto_tracks *tracks = calloc(1, sizeof *tracks);
    if (tracks == NULL)
        return NULL;
    tracks->last = PERFETTO_ROOT_TRACK;
    tracks->size = FIRST_SIZE;
    tracks->table = calloc(FIRST_SIZE, sizeof *tracks->table);
    if (tracks->table != NULL)
        return tracks;
    free(tracks);
    return NULL;
}

void perfetto_tracks_free(struct perfetto_tracks *tracks)
{
    for (size_t i = 0; tracks != NULL && i < tracks->size; i++)
        free(tracks->table[i]);
    if (tracks != NULL)
        free(tracks->table);
    free(tracks);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Where the track is, or the free place where it would be. */
static struct perfetto_track **find(struct perfetto_track **table, size_t size, uint64_t key)
{
    size_t at = (size_t)(key * 0x9E3779B97F4A7C15u >> 32) & (size - 1u);
    while (table[at] != NULL && table[at]->key != key)
        at = (at + 1u) & (size - 1u);
    return &table[at];
}

/* Double the table. False: no memory. */
static bool grow(struct perfetto_tracks *tracks)
{
    size_t size = 2 * tracks->size;
    struct perfetto_track **table = calloc(size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < tracks->size; i++) {
        if (tracks->table[i] != NULL)
            *find(table, size, tracks->table[i]->key) = tracks->table[i];
    }
    free(tracks->table);
    tracks->table = table;
    tracks->size = size;
    return true;
}

struct perfetto_track *perfetto_track(struct perfetto *state, enum perfetto_track_kind kind, unsigned board,
                                      uint32_t number)
{
    struct perfetto_tracks *tracks = state->tracks;
    uint64_t key = ((uint64_t)kind + 1u) << 56 | (uint64_t)board << 32 | number;
    struct perfetto_track *track = *find(tracks->table, tracks->size, key);
    if (track != NULL || tracks->n == TRACKS_MOST)
        return track;
    track = calloc(1, sizeof *track);
    if (track == NULL || (2 * tracks->n >= tracks->size && !grow(tracks))) {
        free(track);
        trace_fail(state->trace, "no memory for tracks");
        return NULL;
    }
    tracks->n++;
    track->key = key;
    *find(tracks->table, tracks->size, key) = track;
    return track;
}

/* ---- descriptions ------------------------------------------------------------------------------------------------ */

uint64_t perfetto_describe(struct perfetto *state, uint64_t parent, const char *name, const char *unit)
{
    unsigned char *track, *counter, *to;
    to = perfetto_user_packet(state, TRACK_BYTES + strlen(name) + (unit != NULL ? strlen(unit) : 0));
    if (to == NULL)
        return 0;
    track = proto_begin(to, PACKET_TRACK_DESCRIPTOR);
    to = proto_number(track, DESCRIPTOR_UUID, ++state->tracks->last);
    to = proto_text(proto_number(to, DESCRIPTOR_PARENT_UUID, parent), DESCRIPTOR_NAME, name);
    if (unit != NULL) {
        counter = proto_begin(to, DESCRIPTOR_COUNTER);
        to = proto_end(counter, unit[0] != '\0' ? proto_text(counter, DESCRIPTOR_COUNTER_UNIT, unit) : counter);
    }
    perfetto_user_end(state, proto_end(track, to));
    return state->tracks->last;
}

/* The track of a thread. */
static uint64_t describe_thread(struct perfetto *state, const struct perfetto_task *task)
{
    unsigned char *track, *thread, *to = perfetto_user_packet(state, TRACK_BYTES);
    if (to == NULL)
        return 0;
    track = proto_begin(to, PACKET_TRACK_DESCRIPTOR);
    to = proto_number(track, DESCRIPTOR_UUID, ++state->tracks->last);
    thread = proto_begin(to, DESCRIPTOR_THREAD);
    to = proto_number(thread, DESCRIPTOR_THREAD_PID, perfetto_process(task->pid));
    to = proto_end(thread, proto_number(to, DESCRIPTOR_THREAD_TID, perfetto_tid(task->pid)));
    perfetto_user_end(state, proto_end(track, to));
    return state->tracks->last;
}

/* Interrupts and the idle task are not threads: they have named tracks. In a trace with Linux's own events, the events
 * of an interrupt belong to the task that it interrupts. */
uint64_t perfetto_task_track(struct perfetto *state, struct perfetto_task *task, bool in_interrupt)
{
    const char *name;
    if (task->track != 0)
        return task->track;
    name = task->pid != 0 ? trace_name(state->trace, TRACE_NAME_TASK, task->pid) : "idle";
    if (task->pid != 0 && (!in_interrupt || state->trace->mapped))
        task->track = describe_thread(state, task);
    else
        task->track = perfetto_describe(state, PERFETTO_ROOT_TRACK, name != NULL ? name : "interrupt", NULL);
    return task->track;
}

int perfetto_put_end(struct perfetto *state, uint64_t uuid, uint64_t time)
{
    unsigned char *event, *to = perfetto_user_packet(state, END_BYTES);
    if (to == NULL)
        return -1;
    event = proto_begin(perfetto_put_time(state, to, time), PACKET_TRACK_EVENT);
    to = proto_number(proto_number(event, EVENT_TYPE, TYPE_END), EVENT_TRACK, uuid);
    perfetto_user_end(state, proto_end(event, to));
    return 0;
}
