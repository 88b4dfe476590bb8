/* tracks.c - see tracks.h. */
#include "formats/perfetto/tracks.h"

#include "base/heap.h"
#include "formats/perfetto/proto.h"

enum {
    FIRST_SIZE = 64,
    TRACKS_MOST = 1 << 15, /* numbers of mutexes may be garbage */
    TRACK_BYTES = 128,     /* of a description, without its texts */
    END_BYTES = 64,
    OPEN_MOST = 64,        /* slices of a task */
    SLICES_MOST = 1 << 15, /* of all tasks; so not all tasks have one, on which tasks.c relies */
};

struct perfetto_tracks {
    struct perfetto_track **table; /* size of them, a power of two; n are used */
    size_t size, n;
    uint64_t last; /* uuid that was given last */
};

struct perfetto_tracks *perfetto_tracks_new(void)
{
    struct perfetto_tracks *tracks = heap_calloc(1, sizeof *tracks);
    if (tracks == NULL)
        return NULL;
    tracks->last = PERFETTO_ROOT_TRACK;
    tracks->size = FIRST_SIZE;
    tracks->table = heap_calloc(FIRST_SIZE, sizeof *tracks->table);
    if (tracks->table != NULL)
        return tracks;
    heap_free(tracks);
    return NULL;
}

void perfetto_tracks_free(struct perfetto_tracks *tracks)
{
    for (size_t i = 0; tracks != NULL && i < tracks->size; i++)
        heap_free(tracks->table[i]);
    if (tracks != NULL)
        heap_free(tracks->table);
    heap_free(tracks);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* The place of the track in the table, or the free place where it belongs. */
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
    struct perfetto_track **table = heap_calloc(size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < tracks->size; i++) {
        if (tracks->table[i] != NULL)
            *find(table, size, tracks->table[i]->key) = tracks->table[i];
    }
    heap_free(tracks->table);
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
    track = heap_calloc(1, sizeof *track);
    if (track == NULL || (2 * tracks->n >= tracks->size && !grow(tracks))) {
        heap_free(track);
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

/* Interrupts and the idle task are no threads but have named tracks. In a trace with Linux's own events, the events of
 * an interrupt belong to the task that it has interrupted. */
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

int perfetto_put_begin(struct perfetto *state, uint64_t uuid, const char *name, uint64_t time)
{
    unsigned char *event, *to = perfetto_user_packet(state, END_BYTES + strlen(name));
    if (to == NULL)
        return -1;
    event = proto_begin(perfetto_put_time(state, to, time), PACKET_TRACK_EVENT);
    to = proto_number(proto_number(event, EVENT_TYPE, TYPE_BEGIN), EVENT_TRACK, uuid);
    perfetto_user_end(state, proto_end(event, proto_text(to, EVENT_NAME, name)));
    return 0;
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

/* ---- slices ------------------------------------------------------------------------------------------------------ */

struct perfetto_slice {
    struct perfetto_slice *below;         /* the slice in which it began; NULL: none */
    struct perfetto_slice *older, *newer; /* neighbours among those that began on the same CPU */
    struct perfetto_task *task;
    uint64_t key;
    unsigned cpu; /* that it began on */
};

struct perfetto_slices {
    struct perfetto_slice **on_cpu;   /* by CPU: the one that began last */
    struct perfetto_track **on_board; /* by board, from 0: the mutex that was taken last */
    struct perfetto_slice *unused;    /* each leads to the next one below */
    size_t n;                         /* that are open */
};

struct perfetto_slices *perfetto_slices_new(const struct trace *trace)
{
    struct perfetto_slices *slices = heap_calloc(1, sizeof *slices);
    if (slices == NULL)
        return NULL;
    slices->on_cpu = heap_calloc(trace->ncpus + 1u, sizeof *slices->on_cpu);
    slices->on_board = heap_calloc(trace->ncpus + 1u, sizeof *slices->on_board); /* a board has a CPU at least */
    if (slices->on_cpu != NULL && slices->on_board != NULL)
        return slices;
    perfetto_slices_free(slices, trace);
    return NULL;
}

void perfetto_slices_free(struct perfetto_slices *slices, const struct trace *trace)
{
    struct perfetto_slice *next;
    if (slices == NULL)
        return;
    for (unsigned i = 0; slices->on_cpu != NULL && i < trace->ncpus; i++) {
        for (struct perfetto_slice *slice = slices->on_cpu[i]; slice != NULL; slice = next) {
            next = slice->older;
            heap_free(slice);
        }
    }
    for (struct perfetto_slice *slice = slices->unused; slice != NULL; slice = next) {
        next = slice->below;
        heap_free(slice);
    }
    heap_free(slices->on_cpu);
    heap_free(slices->on_board);
    heap_free(slices);
}

/* ---- slices of tasks --------------------------------------------------------------------------------------------- */

bool perfetto_slice_begin(struct perfetto *state, struct perfetto_task *task, unsigned cpu, uint64_t key)
{
    struct perfetto_slices *slices = state->slices;
    struct perfetto_slice *slice = slices->unused, **last = &slices->on_cpu[cpu];
    if (task->depth == OPEN_MOST || slices->n == SLICES_MOST)
        return false;
    if (slice != NULL)
        slices->unused = slice->below;
    else
        slice = heap_alloc(sizeof *slice);
    if (slice == NULL)
        return trace_fail(state->trace, "no memory for spans") == 0;
    *slice = (struct perfetto_slice){.below = task->slice, .older = *last, .task = task, .key = key, .cpu = cpu};
    if (*last != NULL)
        (*last)->newer = slice;
    *last = slice;
    task->slice = slice;
    task->depth++;
    slices->n++;
    return true;
}

/* The innermost slice of a task is over. */
static void close_slice(struct perfetto_slices *slices, struct perfetto_task *task)
{
    struct perfetto_slice *slice = task->slice;
    if (slice->newer != NULL)
        slice->newer->older = slice->older;
    else
        slices->on_cpu[slice->cpu] = slice->older;
    if (slice->older != NULL)
        slice->older->newer = slice->newer;
    task->slice = slice->below;
    task->depth--;
    slice->below = slices->unused;
    slices->unused = slice;
    slices->n--;
}

/* Write the ends of all slices inside a slice. False after trace_fail(). */
static bool end_inner(struct perfetto *state, const struct perfetto_slice *slice, uint64_t time)
{
    struct perfetto_task *task = slice->task;
    while (task->slice != slice) {
        if (perfetto_put_end(state, task->track, time) != 0)
            return false;
        close_slice(state->slices, task);
    }
    return true;
}

bool perfetto_slice_end(struct perfetto *state, struct perfetto_task *task, uint64_t key, uint64_t time)
{
    const struct perfetto_slice *slice = task->slice;
    while (slice != NULL && slice->key != key)
        slice = slice->below;
    if (slice == NULL || !end_inner(state, slice, time))
        return false;
    close_slice(state->slices, task);
    return true;
}

int perfetto_slices_end_all(struct perfetto *state, unsigned cpu, uint64_t time)
{
    struct perfetto_slice *slice;
    while ((slice = state->slices->on_cpu[cpu]) != NULL) {
        if (!end_inner(state, slice, time) || perfetto_put_end(state, slice->task->track, time) != 0)
            return -1;
        close_slice(state->slices, slice->task);
    }
    return 0;
}

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

static struct perfetto_track **last_on(struct perfetto *state, unsigned cpu)
{
    return &state->slices->on_board[perfetto_board(state, cpu)];
}

void perfetto_mutex_take(struct perfetto *state, unsigned cpu, struct perfetto_track *mutex, uint32_t owner)
{
    struct perfetto_track **last = last_on(state, cpu);
    mutex->owner = owner;
    if (mutex->depth++ > 0)
        return;
    mutex->older = *last;
    mutex->newer = NULL;
    if (*last != NULL)
        (*last)->newer = mutex;
    *last = mutex;
}

void perfetto_mutex_give(struct perfetto *state, unsigned cpu, struct perfetto_track *mutex)
{
    if (--mutex->depth > 0)
        return;
    if (mutex->newer != NULL)
        mutex->newer->older = mutex->older;
    else
        *last_on(state, cpu) = mutex->older;
    if (mutex->older != NULL)
        mutex->older->newer = mutex->newer;
}

int perfetto_mutex_give_all(struct perfetto *state, unsigned cpu, struct perfetto_track *mutex, uint64_t time)
{
    while (mutex->depth > 0) {
        if (perfetto_put_end(state, mutex->uuid, time) != 0)
            return -1;
        perfetto_mutex_give(state, cpu, mutex);
    }
    return 0;
}

int perfetto_mutexes_end_all(struct perfetto *state, unsigned cpu, uint64_t time)
{
    struct perfetto_track **last = last_on(state, cpu);
    while (*last != NULL) {
        if (perfetto_mutex_give_all(state, cpu, *last, time) != 0)
            return -1;
    }
    return 0;
}
