/* event.c - see event.h. */
#include "formats/perfetto/event.h"

#include "base/digits.h"
#include "base/printable.h"
#include "base/text.h"
#include "model/display.h"
#include "formats/perfetto/cpu.h"
#include "formats/perfetto/proto.h"
#include "formats/perfetto/tracks.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    EVENT_BYTES = 512, /* of an event besides its arguments, with the numbers of its texts */
    DEEPEST = 64,      /* if a mutex's owner locks it more often, further locks are not shown */
    NAME_ROOM = 80,    /* of a track's name */
};

/* A packet with a track event that is being written. */
struct draft {
    unsigned char *event; /* where its fields begin */
    unsigned char *to;    /* where the next one goes */
};

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static bool begin(struct perfetto *state, struct draft *draft, size_t room, uint64_t time, unsigned type,
                  uint64_t track)
{
    unsigned char *to = track != 0 ? perfetto_user_packet(state, EVENT_BYTES + room) : NULL;
    if (to == NULL)
        return false;
    draft->event = proto_begin(perfetto_put_time(state, to, time), PACKET_TRACK_EVENT);
    draft->to = proto_number(proto_number(draft->event, EVENT_TYPE, type), EVENT_TRACK, track);
    return true;
}

static int end(struct perfetto *state, const struct draft *draft)
{
    perfetto_user_end(state, proto_end(draft->event, draft->to));
    return state->trace->failed ? -1 : 0;
}

/* Put a short text: by its number, or in full if there are too many texts. *iid: its number if it is known; else 0, and
 * set. */
static void put_interned(struct perfetto *state, struct draft *draft, unsigned kind, unsigned by_iid, unsigned by_text,
                         uint64_t *iid, const char *text, size_t n)
{
    if (*iid == 0)
        *iid = perfetto_intern(&state->user, kind, text, n);
    draft->to = *iid != 0 ? proto_number(draft->to, by_iid, *iid) : proto_chars(draft->to, by_text, text, n);
}

static void put_name(struct perfetto *state, struct draft *draft, uint64_t *iid, const char *name, size_t n)
{
    put_interned(state, draft, INTERNED_EVENT_NAMES, EVENT_NAME_IID, EVENT_NAME, iid, name, n);
}

/* Put the categories of the event: its system, and its group if it has one. */
static void put_categories(struct perfetto *state, struct draft *draft, struct perfetto_shape *shape,
                           const struct tlog_event *event)
{
    const char *system = shape->type->system;
    uint64_t iid = 0;
    put_interned(state, draft, INTERNED_CATEGORIES, EVENT_CATEGORY_IIDS, EVENT_CATEGORIES, &shape->category, system,
                 shape->system_length);
    if (event->group == 0)
        return;
    system = state->trace->groups[event->group - 1u].name;
    put_interned(state, draft, INTERNED_CATEGORIES, EVENT_CATEGORY_IIDS, EVENT_CATEGORIES, &iid, system,
                 strlen(system));
}

/* Put where the event was logged: in an exception, in an emergency slot. */
static void put_context(struct perfetto *state, struct draft *draft, const struct tlog_event *event)
{
    char text[TRACE_CONTEXT_NAME_BYTES];
    const char *name = event->context != 0 ? trace_context_name(event->context, text) : NULL;
    if (name != NULL)
        draft->to = perfetto_put_text_arg(state, draft->to, "exception", name);
    if (event->flags & TLOG_FLAG_EMERGENCY)
        draft->to = perfetto_put_text_arg(state, draft->to, "slot", "emergency");
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

/* The track of the event's task or interrupt, which is described first. 0 after trace_fail(). */
static uint64_t track_of(struct perfetto *state, const struct tlog_event *event, uint64_t time)
{
    bool in_interrupt = (event->flags & TLOG_FLAG_IN_INTERRUPT) != 0;
    struct perfetto_task *task = perfetto_task(state, event->task);
    if (task == NULL)
        return 0;
    if ((!in_interrupt || state->trace->mapped) && perfetto_task_describe(state, task, time) != 0)
        return 0;
    return perfetto_task_track(state, task, in_interrupt);
}

/* The name of a track: the text, with the number of the board in front if there are several. */
static void name_track(const struct perfetto *state, unsigned cpu, char name[NAME_ROOM], const char *text)
{
    unsigned board = perfetto_board(state, cpu);
    if (board > 0)
        name = put_bytes(put_unsigned(name, board), ":", 1);
    *put_at_most(name, text, 64) = '\0';
}

/* The track of the event's counter, which is described if it is new. 0: there are too many; or after trace_fail(). */
static uint64_t counter_track(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape)
{
    struct perfetto_track *track =
        perfetto_track(state, TRACK_COUNTER, perfetto_board(state, cpu), shape->counter.number);
    char name[NAME_ROOM];
    if (track == NULL || track->uuid != 0)
        return track != NULL ? track->uuid : 0;
    name_track(state, cpu, name, shape->counter.name);
    track->uuid = perfetto_describe(state, PERFETTO_ROOT_TRACK, name, shape->unit);
    return track->uuid;
}

/* ---- moments and slices ------------------------------------------------------------------------------------------ */

/* Write an event as an instant on the track of its task: name, categories, fields, and the value of a counter. */
static int write_whole(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape,
                       const struct tlog_event *event, uint64_t time)
{
    bool has_value = shape->counter.field != NULL && tlog_event_has(event, shape->counter.field);
    uint64_t counter = has_value ? counter_track(state, cpu, shape) : 0;
    const struct tlog_type *type = shape->type;
    size_t name = shape->type_length;
    uint64_t iid = shape->length == name ? shape->iid : 0;
    uint64_t track = track_of(state, event, time);
    struct draft draft;
    if (!begin(state, &draft,
               shape->room + shape->strings * PRINTABLE_MOST * event->size + 2 * name + 2 * shape->system_length, time,
               TYPE_INSTANT, track))
        return -1;
    put_name(state, &draft, &iid, type->name, name);
    shape->iid = shape->length == name ? iid : shape->iid;
    put_categories(state, &draft, shape, event);
    draft.to = perfetto_put_args(state, draft.to, shape, event);
    if (counter != 0) {
        draft.to = proto_number(draft.to, EVENT_EXTRA_TRACKS, counter);
        draft.to = proto_number(draft.to, EVENT_EXTRA_VALUES, tlog_event_number(event, shape->counter.field));
    }
    put_context(state, &draft, event);
    return end(state, &draft);
}

/* The key by which an end finds its slice: the address of a function, or the name of a span. */
static uint64_t key_of(struct perfetto *state, struct perfetto_shape *shape, const struct tlog_event *event)
{
    if (shape->place[0] != NULL)
        return 1u | tlog_event_number(event, shape->place[0]) << 1;
    if (shape->iid == 0)
        shape->iid = perfetto_intern(&state->user, INTERNED_EVENT_NAMES, shape->name, shape->length);
    return shape->iid << 1;
}

/* The name of a slice: that of the span, or of the function. */
static void put_slice_name(struct perfetto *state, struct draft *draft, struct perfetto_shape *shape,
                           const struct tlog_event *event)
{
    const struct trace_symbol *symbol = NULL;
    char number[24];
    uint64_t iid = 0, offset, address = shape->place[0] != NULL ? tlog_event_number(event, shape->place[0]) : 0;
    if (shape->place[0] == NULL) {
        put_name(state, draft, &shape->iid, shape->name, shape->length);
        return;
    }
    symbol = trace_symbol_at(state->trace->firmware, address, &offset);
    snprintf(number, sizeof number, "0x%" PRIx64, address);
    put_name(state, draft, &iid, symbol != NULL ? symbol->name : number,
             text_length(symbol != NULL ? symbol->name : number, NAME_ROOM));
}

static int write_begin(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape,
                       const struct tlog_event *event, uint64_t time)
{
    struct perfetto_task *task = perfetto_task(state, event->task);
    struct draft draft;
    if (task == NULL)
        return -1;
    if (!perfetto_slice_begin(state, task, cpu, key_of(state, shape, event)))
        return state->trace->failed ? -1 : write_whole(state, cpu, shape, event, time);
    if (!begin(state, &draft, 2 * shape->length + 2 * shape->system_length, time, TYPE_BEGIN,
               track_of(state, event, time)))
        return -1;
    put_slice_name(state, &draft, shape, event);
    put_categories(state, &draft, shape, event);
    put_context(state, &draft, event);
    return end(state, &draft);
}

/* An end without a beginning is an instant. */
static int write_end(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape, const struct tlog_event *event,
                     uint64_t time)
{
    struct perfetto_task *task = perfetto_task(state, event->task);
    if (task == NULL)
        return -1;
    if (perfetto_slice_end(state, task, key_of(state, shape, event), time))
        return perfetto_put_end(state, task->track, time);
    return state->trace->failed ? -1 : write_whole(state, cpu, shape, event, time);
}

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

/* The track of the event's mutex, which is described if it is new. NULL: there are too many; or after trace_fail(). */
static struct perfetto_track *mutex_of(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                                       const struct tlog_event *event)
{
    uint32_t mutex = (uint32_t)tlog_event_number(event, shape->place[1]);
    struct perfetto_track *track = perfetto_track(state, TRACK_MUTEX, perfetto_board(state, cpu), mutex);
    char shown[DISPLAY_NAME_BYTES], text[NAME_ROOM], name[NAME_ROOM];
    if (track == NULL || track->uuid != 0)
        return track;
    perfetto_number_name(state->trace, shape, shape->place[1], mutex, shown);
    *put_word(put_word(text, "mutex "), shown) = '\0';
    name_track(state, cpu, name, text);
    track->uuid = perfetto_describe(state, PERFETTO_ROOT_TRACK, name, NULL);
    return track->uuid != 0 ? track : NULL;
}

/* The pid of the task that a lock or unlock names. */
static uint32_t owner_of(const struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                         const struct tlog_event *event)
{
    return perfetto_pid(state, cpu, (uint32_t)tlog_event_number(event, shape->place[0]));
}

/* The name of a task, as its thread has it. */
static void name_task(struct perfetto *state, uint32_t pid, char name[PERFETTO_NAME_BYTES])
{
    const struct perfetto_task *task = pid != 0 ? perfetto_task(state, pid) : NULL;
    if (task != NULL)
        perfetto_task_name(state, task, name);
    else
        memcpy(name, "idle", sizeof "idle");
}

/* Begin a slice with the name of the task that has the mutex now. If another task had it, the unlock is missing: its
 * slices end here. */
static int write_lock(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape,
                      const struct tlog_event *event, uint64_t time)
{
    struct perfetto_track *track = mutex_of(state, cpu, shape, event);
    uint32_t owner = owner_of(state, cpu, shape, event);
    char name[PERFETTO_NAME_BYTES];
    struct draft draft;
    uint64_t iid = 0;
    if (track == NULL || (track->depth >= DEEPEST && track->owner == owner))
        return state->trace->failed ? -1 : write_whole(state, cpu, shape, event, time);
    if (track->owner != owner && perfetto_mutex_give_all(state, cpu, track, time) != 0)
        return -1;
    perfetto_mutex_take(state, cpu, track, owner);
    name_task(state, owner, name);
    if (!begin(state, &draft, 2 * shape->system_length, time, TYPE_BEGIN, track->uuid))
        return -1;
    put_name(state, &draft, &iid, name, strlen(name));
    put_categories(state, &draft, shape, event);
    put_context(state, &draft, event);
    return end(state, &draft);
}

/* A mutex that is a signal is held by nobody, and one that is nothing else has no track: the event is an instant. */
static int write_signal(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape,
                        const struct tlog_event *event, uint64_t time)
{
    const struct tlog_field *field = tlog_field_named(shape->type, "mutex");
    uint32_t mutex = field != NULL ? (uint32_t)tlog_event_number(event, field) : 0;
    struct perfetto_track *track = perfetto_track(state, TRACK_MUTEX, perfetto_board(state, cpu), mutex);
    if (track != NULL && perfetto_mutex_give_all(state, cpu, track, time) != 0)
        return -1;
    return state->trace->failed ? -1 : write_whole(state, cpu, shape, event, time);
}

/* An unlock without a lock is an instant. */
static int write_unlock(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape,
                        const struct tlog_event *event, uint64_t time)
{
    struct perfetto_track *track = mutex_of(state, cpu, shape, event);
    uint32_t by = owner_of(state, cpu, shape, event);
    char name[PERFETTO_NAME_BYTES];
    struct draft draft;
    if (track == NULL || track->depth == 0)
        return state->trace->failed ? -1 : write_whole(state, cpu, shape, event, time);
    perfetto_mutex_give(state, cpu, track);
    if (!begin(state, &draft, 0, time, TYPE_END, track->uuid))
        return -1;
    if (by != track->owner) {
        name_task(state, by, name);
        draft.to = perfetto_put_text_arg(state, draft.to, "unlocked_by", name);
    }
    return end(state, &draft);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static int write_value(struct perfetto *state, uint64_t track, const struct tlog_event *event,
                       const struct tlog_field *field, uint64_t time)
{
    struct draft draft;
    if (!begin(state, &draft, 0, time, TYPE_COUNTER, track))
        return -1;
    draft.to = proto_number(draft.to, EVENT_COUNTER_VALUE, tlog_event_number(event, field));
    return end(state, &draft);
}

/* Write the priority as a value of the task's own counter. */
static int write_priority(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                          const struct tlog_event *event, uint64_t time)
{
    struct perfetto_task *task = perfetto_task(state, owner_of(state, cpu, shape, event));
    uint64_t parent;
    if (task == NULL || perfetto_task_describe(state, task, time) != 0)
        return -1;
    parent = perfetto_task_track(state, task, false);
    if (parent != 0 && task->priority_track == 0)
        task->priority_track = perfetto_describe(state, parent, "priority", "");
    return parent == 0 ? -1 : write_value(state, task->priority_track, event, shape->place[1], time);
}

static int write_counter(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape,
                         const struct tlog_event *event, uint64_t time)
{
    uint64_t track = counter_track(state, cpu, shape);
    if (track == 0)
        return state->trace->failed ? -1 : write_whole(state, cpu, shape, event, time);
    return write_value(state, track, event, shape->counter.field, time);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* The level of a text, which tlog_level.h puts at its beginning. */
static unsigned level_of(const char *text, size_t n)
{
    static const struct {
        const char *text;
        unsigned prio;
    } levels[] = {{"error: ", LOG_PRIO_ERROR}, {"warning: ", LOG_PRIO_WARN}, {"debug: ", LOG_PRIO_DEBUG}};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        size_t length = strlen(levels[i].text);
        if (n >= length && memcmp(text, levels[i].text, length) == 0)
            return levels[i].prio;
    }
    return LOG_PRIO_INFO;
}

/* Write an instant that is called by its text, and a line of the log. Texts are not remembered, because each may be
 * different. */
static int write_log(struct perfetto *state, struct perfetto_shape *shape, const struct tlog_event *event,
                     uint64_t time)
{
    size_t n = (size_t)(print_event(state->text, shape->print, event) - state->text);
    uint64_t body = perfetto_intern_once(&state->user, INTERNED_LOG_BODIES, state->text, n);
    uint64_t name = n > 0 ? perfetto_intern_once(&state->user, INTERNED_EVENT_NAMES, state->text, n) : shape->iid;
    unsigned char *message;
    struct draft draft;
    if (body == 0 || (n > 0 && name == 0)
        || !begin(state, &draft, 2 * shape->length, time, TYPE_INSTANT, track_of(state, event, time)))
        return -1;
    put_name(state, &draft, &name, shape->name, shape->length);
    put_categories(state, &draft, shape, event);
    message = proto_begin(draft.to, EVENT_LOG_MESSAGE);
    draft.to = proto_number(message, LOG_BODY_IID, body);
    draft.to = proto_end(message, proto_number(draft.to, LOG_PRIO, level_of(state->text, n)));
    put_context(state, &draft, event);
    return end(state, &draft);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

int perfetto_event(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape, const struct tlog_event *event,
                   uint64_t time)
{
    if ((event->flags & TLOG_FLAG_SIGNAL) != 0)
        return write_signal(state, cpu, shape, event, time);
    switch (shape->form) {
    case FORM_BEGIN:
        return write_begin(state, cpu, shape, event, time);
    case FORM_END:
        return write_end(state, cpu, shape, event, time);
    case FORM_LOCK:
        return write_lock(state, cpu, shape, event, time);
    case FORM_UNLOCK:
        return write_unlock(state, cpu, shape, event, time);
    case FORM_PRIORITY:
        return write_priority(state, cpu, shape, event, time);
    case FORM_COUNTER:
        return write_counter(state, cpu, shape, event, time);
    case FORM_LOG:
        return write_log(state, shape, event, time);
    default:
        return write_whole(state, cpu, shape, event, time);
    }
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

/* "17 events lost" */
static void name_loss(char name[NAME_ROOM], bool is_damage, uint64_t count)
{
    const char *events = count == 1 ? "event" : "events";
    if (is_damage && count > 0)
        snprintf(name, NAME_ROOM, "input damaged: %" PRIu64 " %s", count, events);
    else if (is_damage)
        snprintf(name, NAME_ROOM, "input damaged");
    else if (count > 0)
        snprintf(name, NAME_ROOM, "%" PRIu64 " %s lost", count, events);
    else
        snprintf(name, NAME_ROOM, "events lost");
}

/* The track of a CPU's losses. 0 after trace_fail(). */
static uint64_t losses_of(struct perfetto *state, unsigned cpu)
{
    uint64_t *track = &state->cpu[cpu].losses;
    char name[NAME_ROOM] = "Losses";
    if (state->trace->ncpus > 1)
        snprintf(name, sizeof name, "Losses (CPU %u)", cpu);
    if (*track == 0)
        *track = perfetto_describe(state, PERFETTO_ROOT_TRACK, name, NULL);
    return *track;
}

int perfetto_loss(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                  const struct tlog_event *event, uint64_t time)
{
    uint64_t count = event->size >= 8u ? get_le64(event->data) : 0, track = losses_of(state, cpu), iid = 0;
    bool is_damage = shape->form == FORM_DAMAGE;
    unsigned char *annotation;
    char name[NAME_ROOM];
    struct draft draft;
    if (!begin(state, &draft, 0, time, TYPE_BEGIN, track))
        return -1;
    name_loss(name, is_damage, count);
    draft.to = proto_text(draft.to, EVENT_NAME, name);
    put_interned(state, &draft, INTERNED_CATEGORIES, EVENT_CATEGORY_IIDS, EVENT_CATEGORIES, &iid,
                 is_damage ? "damage" : "loss", is_damage ? 6 : 4);
    annotation = proto_begin(draft.to, EVENT_ANNOTATIONS);
    draft.to = proto_text(annotation, ANNOTATION_NAME, "events");
    draft.to = proto_end(annotation, proto_number(draft.to, ANNOTATION_UINT, count));
    return end(state, &draft);
}

int perfetto_losses_end(struct perfetto *state, unsigned cpu, uint64_t time)
{
    struct perfetto_cpu *of = &state->cpu[cpu];
    for (; of->losses_open > 0; of->losses_open--) {
        if (perfetto_put_end(state, of->losses, time) != 0)
            return -1;
    }
    return 0;
}
