/* bundle.c - see bundle.h. */
#include "formats/perfetto/bundle.h"

#include "base/heap.h"
#include "formats/perfetto/proto.h"

enum {
    BUNDLES = 32,               /* each of about 120 KB */
    EVENTS = 640,               /* in a bundle, at most */
    COLUMN_BYTES = EVENTS * 10, /* a varint each */
    OTHER_BYTES = 192,          /* of an event that is in no column, at most */
    OTHERS_BYTES = 1 << 15,     /* of all of them */
    NAMES = 64,                 /* names that are remembered; others may be in a bundle twice */
    NAMES_BYTES = 2 * EVENTS * (PERFETTO_COMM_BYTES + 2),
    HEAD_BYTES = 256, /* of the packet and its messages */
};

enum column {
    SWITCH_TIME,
    SWITCH_STATE,
    SWITCH_PID,
    SWITCH_PRIO,
    SWITCH_COMM,
    WAKING_TIME,
    WAKING_PID,
    WAKING_CPU,
    WAKING_PRIO,
    WAKING_COMM,
    WAKING_FLAGS,
    COLUMNS
};

static const unsigned column_field[COLUMNS] = {
    [SWITCH_TIME] = COMPACT_SWITCH_TIMESTAMP, [SWITCH_STATE] = COMPACT_SWITCH_PREV_STATE,
    [SWITCH_PID] = COMPACT_SWITCH_NEXT_PID,   [SWITCH_PRIO] = COMPACT_SWITCH_NEXT_PRIO,
    [SWITCH_COMM] = COMPACT_SWITCH_NEXT_COMM, [WAKING_TIME] = COMPACT_WAKING_TIMESTAMP,
    [WAKING_PID] = COMPACT_WAKING_PID,        [WAKING_CPU] = COMPACT_WAKING_TARGET_CPU,
    [WAKING_PRIO] = COMPACT_WAKING_PRIO,      [WAKING_COMM] = COMPACT_WAKING_COMM,
    [WAKING_FLAGS] = COMPACT_WAKING_FLAGS,
};

#define FLAG_HARD_INTERRUPT 8u /* of a wake-up, as Linux's common_flags have it */

/* A name that the bundle has already. */
struct name {
    char comm[PERFETTO_COMM_BYTES];
    uint32_t number; /* 1 + its index in the table; 0: none */
};

struct perfetto_bundle {
    unsigned cpu;
    struct perfetto_lane *lane;  /* of that CPU */
    uint64_t asked;              /* the count of perfetto_bundles.asked when it was asked for last */
    unsigned n;                  /* events in it */
    uint64_t first;              /* time of the first event */
    uint64_t switched, woken;    /* times of the last switch and wake-up in it; 0: none is */
    unsigned char *at[COLUMNS];  /* ends of columns */
    unsigned char *other, *name; /* ends of others and names */
    uint32_t nnames;
    struct name remembered[NAMES]; /* by pid modulo NAMES */
    unsigned char column[COLUMNS][COLUMN_BYTES];
    unsigned char others[OTHERS_BYTES]; /* messages FtraceEvent */
    unsigned char names[NAMES_BYTES];   /* fields of the table of names */
};

struct perfetto_bundles {
    struct perfetto_bundle *bundle[BUNDLES]; /* n of them */
    unsigned n;
    uint64_t asked; /* how often one was asked for */
};

static void empty(struct perfetto_bundle *bundle)
{
    bundle->n = bundle->nnames = 0;
    bundle->switched = bundle->woken = 0;
    for (unsigned i = 0; i < COLUMNS; i++)
        bundle->at[i] = bundle->column[i];
    bundle->other = bundle->others;
    bundle->name = bundle->names;
    for (unsigned i = 0; i < NAMES; i++)
        bundle->remembered[i].number = 0;
}

struct perfetto_bundles *perfetto_bundles_new(void)
{
    return heap_calloc(1, sizeof(struct perfetto_bundles));
}

void perfetto_bundles_free(struct perfetto_bundles *bundles)
{
    for (unsigned i = 0; bundles != NULL && i < bundles->n; i++)
        heap_free(bundles->bundle[i]);
    heap_free(bundles);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static size_t size_of(const struct perfetto_bundle *bundle)
{
    size_t size = (size_t)(bundle->other - bundle->others) + (size_t)(bundle->name - bundle->names) + HEAD_BYTES;
    for (unsigned i = 0; i < COLUMNS; i++)
        size += (size_t)(bundle->at[i] - bundle->column[i]);
    return size;
}

static unsigned char *put_compact(const struct perfetto_bundle *bundle, unsigned char *to)
{
    unsigned char *compact = proto_begin(to, BUNDLE_COMPACT_SCHED);
    size_t names = (size_t)(bundle->name - bundle->names);
    memcpy(compact, bundle->names, names);
    to = compact + names;
    for (unsigned i = 0; i < COLUMNS; i++) {
        size_t n = (size_t)(bundle->at[i] - bundle->column[i]);
        if (n > 0)
            to = proto_bytes(to, column_field[i], bundle->column[i], n);
    }
    return proto_end(compact, to);
}

int perfetto_bundle_flush(struct perfetto *state, struct perfetto_bundle *bundle)
{
    unsigned char *to, *message;
    size_t others = (size_t)(bundle->other - bundle->others);
    if (bundle->n == 0 && !bundle->lane->lost)
        return 0;
    to = perfetto_kernel_packet(state, size_of(bundle));
    if (to == NULL)
        return -1;
    if (bundle->n > 0)
        to = proto_number(to, PACKET_TIMESTAMP, bundle->first);
    message = proto_begin(to, PACKET_FTRACE_EVENTS);
    to = proto_number(message, BUNDLE_CPU, bundle->cpu);
    if (bundle->lane->lost)
        to = proto_number(to, BUNDLE_LOST_EVENTS, 1);
    memcpy(to, bundle->others, others);
    to += others;
    if (bundle->nnames > 0)
        to = put_compact(bundle, to);
    perfetto_kernel_end(state, proto_end(message, to));
    bundle->lane->lost = false;
    empty(bundle);
    return 0;
}

/* Make room for an event, and count it. 0, or -1 after trace_fail(). */
static int need(struct perfetto *state, struct perfetto_bundle *bundle, uint64_t time)
{
    bool is_full = bundle->n == EVENTS || bundle->other + OTHER_BYTES > bundle->others + OTHERS_BYTES;
    if (is_full && perfetto_bundle_flush(state, bundle) != 0)
        return -1;
    if (bundle->n++ == 0)
        bundle->first = time;
    return 0;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void put(struct perfetto_bundle *bundle, enum column column, uint64_t value)
{
    bundle->at[column] = proto_varint(bundle->at[column], value);
}

/* The index of a name in the bundle's table, to which it is added if need be. */
static uint32_t index_of(struct perfetto_bundle *bundle, uint32_t pid, const char *comm)
{
    struct name *name = &bundle->remembered[pid % NAMES];
    if (name->number != 0 && strcmp(name->comm, comm) == 0)
        return name->number - 1u;
    bundle->name = proto_text(bundle->name, COMPACT_INTERN_TABLE, comm);
    strncpy(name->comm, comm, PERFETTO_COMM_BYTES - 1u);
    name->comm[PERFETTO_COMM_BYTES - 1u] = '\0';
    name->number = ++bundle->nnames;
    return name->number - 1u;
}

int perfetto_bundle_switch(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_switch *event)
{
    bool is_behind = bundle->n > 0 && (event->time < bundle->switched || event->time <= bundle->woken);
    if ((is_behind && perfetto_bundle_flush(state, bundle) != 0) || need(state, bundle, event->time) != 0)
        return -1;
    put(bundle, SWITCH_TIME, event->time - bundle->switched);
    put(bundle, SWITCH_STATE, event->state);
    put(bundle, SWITCH_PID, perfetto_tid(event->next));
    put(bundle, SWITCH_PRIO, (uint64_t)(int64_t)event->priority);
    put(bundle, SWITCH_COMM, index_of(bundle, event->next, event->comm));
    bundle->switched = event->time;
    return 0;
}

int perfetto_bundle_waking(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_waking *event)
{
    bool is_behind = bundle->n > 0 && event->time < bundle->woken;
    if ((is_behind && perfetto_bundle_flush(state, bundle) != 0) || need(state, bundle, event->time) != 0)
        return -1;
    put(bundle, WAKING_TIME, event->time - bundle->woken);
    put(bundle, WAKING_PID, perfetto_tid(event->pid));
    put(bundle, WAKING_CPU, event->target_cpu);
    put(bundle, WAKING_PRIO, (uint64_t)(int64_t)event->priority);
    put(bundle, WAKING_COMM, index_of(bundle, event->pid, event->comm));
    put(bundle, WAKING_FLAGS, event->in_interrupt ? FLAG_HARD_INTERRUPT : 0);
    bundle->woken = event->time;
    return 0;
}

/* Begin a message FtraceEvent with its time and task. */
static unsigned char *begin_other(const struct perfetto_bundle *bundle, uint64_t time, uint32_t task)
{
    unsigned char *to = proto_begin(bundle->other, BUNDLE_EVENT);
    to = proto_number(to, FTRACE_TIMESTAMP, time);
    return proto_number(to, FTRACE_PID, perfetto_tid(task));
}

/* End that message. Its last field is a message itself, which ends at `to`. */
static void end_other(struct perfetto_bundle *bundle, unsigned char *message, unsigned char *to)
{
    to = proto_end(message, to);
    bundle->other = proto_end(bundle->other + 2, to);
}

int perfetto_bundle_other(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_other *event)
{
    unsigned char *to, *message;
    if (need(state, bundle, event->time) != 0)
        return -1;
    message = proto_begin(begin_other(bundle, event->time, event->task), event->field);
    if (event->field == FTRACE_BLOCKED_REASON) {
        to = proto_number(message, REASON_PID, perfetto_tid(event->task));
        to = proto_number(proto_number(to, REASON_CALLER, event->number), REASON_IO_WAIT, 0);
    } else {
        to = proto_number(message, IRQ_NUMBER, event->number);
        if (event->name != NULL)
            to = proto_chars(to, IRQ_NAME, (const char *)event->name,
                             event->length < BUNDLE_NAME_BYTES ? event->length : BUNDLE_NAME_BYTES);
        else
            to = proto_number(to, IRQ_RET, 1);
    }
    end_other(bundle, message, to);
    return 0;
}

int perfetto_bundle_wakeup(struct perfetto *state, struct perfetto_bundle *bundle, uint32_t task,
                           const struct perfetto_waking *event)
{
    unsigned char *to, *message;
    if (need(state, bundle, event->time) != 0)
        return -1;
    message = proto_begin(begin_other(bundle, event->time, task), FTRACE_SCHED_WAKEUP);
    to = proto_text(message, WAKEUP_COMM, event->comm);
    to = proto_number(to, WAKEUP_PID, perfetto_tid(event->pid));
    to = proto_number(to, WAKEUP_PRIO, (uint64_t)(int64_t)event->priority);
    to = proto_number(to, WAKEUP_SUCCESS, 1);
    end_other(bundle, message, proto_number(to, WAKEUP_TARGET_CPU, event->target_cpu));
    return 0;
}

int perfetto_bundle_note_loss(struct perfetto *state, struct perfetto_lane *lane)
{
    if (lane->bundle != NULL && perfetto_bundle_flush(state, lane->bundle) != 0)
        return -1;
    lane->lost = true;
    return 0;
}

/* ---- bundles of CPUs --------------------------------------------------------------------------------------------- */

/* Make a bundle, which no CPU has yet. NULL after trace_fail(). */
static struct perfetto_bundle *add(struct perfetto *state)
{
    struct perfetto_bundles *bundles = state->bundles;
    struct perfetto_bundle *bundle = heap_alloc(sizeof *bundle);
    if (bundle == NULL)
        trace_fail(state->trace, "no memory for events of CPUs");
    else
        bundles->bundle[bundles->n++] = bundle;
    return bundle;
}

/* Take the bundle from the CPU that has had no event for the longest time. An empty one is not written: the lane keeps
 * the note that events were lost. NULL after trace_fail(). */
static struct perfetto_bundle *take(struct perfetto *state)
{
    struct perfetto_bundle *found = state->bundles->bundle[0];
    for (unsigned i = 1; i < BUNDLES; i++) {
        if (state->bundles->bundle[i]->asked < found->asked)
            found = state->bundles->bundle[i];
    }
    if (found->n > 0 && perfetto_bundle_flush(state, found) != 0)
        return NULL;
    found->lane->bundle = NULL;
    return found;
}

struct perfetto_bundle *perfetto_bundle_of(struct perfetto *state, struct perfetto_lane *lane, unsigned cpu)
{
    struct perfetto_bundle *bundle = lane->bundle;
    if (bundle == NULL) {
        bundle = state->bundles->n < BUNDLES ? add(state) : take(state);
        if (bundle == NULL)
            return NULL;
        empty(bundle);
        bundle->cpu = cpu;
        bundle->lane = lane;
        lane->bundle = bundle;
    }
    bundle->asked = ++state->bundles->asked;
    return bundle;
}
