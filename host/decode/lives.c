/* lives.c - see lives.h. */
#include "decode/lives.h"

#include "base/heap.h"
#include "base/bytes.h"
#include "decode/handles.h"
#include "model/display.h"
#include "model/past_names.h"

#include <stdio.h>
#include <string.h>

/* A number that has several lives. */
struct owner {
    decode_lives_key_t key;
    size_t n;
    struct decode_life *life; /* n of them, behind the first life */
};

struct decode_lives {
    struct owner *owner; /* n of them, in the order of keys; room for `room` */
    size_t n, room;
    uint32_t next_task, next_object;      /* numbers that are free */
    uint32_t *before;                     /* of task TRACE_LIVES_TASK + i: the number of its life before */
    bool kind_is_owner[TRACE_NAME_KINDS]; /* a number of that kind has */
};

/* ---- making ------------------------------------------------------------------------------------------------------ */

struct decode_lives *decode_lives_new(void)
{
    struct decode_lives *lives = heap_calloc(1, sizeof *lives);
    if (lives == NULL)
        return NULL;
    lives->before = heap_calloc(TRACE_LIVES_TASK_END - TRACE_LIVES_TASK, sizeof *lives->before);
    lives->next_task = TRACE_LIVES_TASK;
    lives->next_object = UINT32_MAX;
    if (lives->before != NULL)
        return lives;
    heap_free(lives);
    return NULL;
}

void decode_lives_free(struct decode_lives *lives)
{
    if (lives == NULL)
        return;
    for (size_t i = 0; i < lives->n; i++)
        heap_free(lives->owner[i].life);
    heap_free(lives->owner);
    heap_free(lives->before);
    heap_free(lives);
}

/* A number for a life behind that of the number `before`. If there are no more, it is the same one. Objects get numbers
 * from the end of the address space, where no object is. */
static uint32_t new_number(struct decode_lives *lives, bool is_task, uint32_t before)
{
    if (!is_task)
        return lives->next_object--;
    if (lives->next_task == TRACE_LIVES_TASK_END)
        return before;
    lives->before[lives->next_task - TRACE_LIVES_TASK] = before;
    return lives->next_task++;
}

int decode_lives_add(struct decode_lives *lives, decode_lives_key_t key, const struct decode_life *life, size_t n)
{
    enum trace_name_kind kind = (enum trace_name_kind)(key >> 32);
    uint32_t number = (uint32_t)key;
    struct owner *owner = heap_grow(lives->owner, lives->n, &lives->room, sizeof *owner);
    if (owner == NULL)
        return -1;
    lives->owner = owner;
    owner += lives->n;
    *owner = (struct owner){key, n, heap_alloc(n * sizeof *life)};
    if (owner->life == NULL)
        return -1;
    lives->n++;
    memcpy(owner->life, life, n * sizeof *life);
    for (size_t i = 0; i < n; i++) {
        if (owner->life[i].number == 0)
            owner->life[i].number = new_number(lives, kind == TRACE_NAME_TASK, number);
        number = owner->life[i].number;
    }
    lives->kind_is_owner[kind] = true;
    return 0;
}

uint32_t decode_lives_before(const struct decode_lives *lives, uint32_t task)
{
    bool is_later = task >= TRACE_LIVES_TASK && task < lives->next_task;
    return is_later ? lives->before[task - TRACE_LIVES_TASK] : task;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Life i of an owner, 0 the first one, has the name that ended in its time; the last one that which the trace has, if
 * that is none of the past. Without a name they are called by the number, or by the variable that an object lies in. */
static void name_lives(const struct owner *owner, struct trace *trace)
{
    enum trace_name_kind kind = (enum trace_name_kind)(owner->key >> 32);
    uint32_t id = (uint32_t)owner->key;
    const struct trace_past_name *last = trace_past_name(trace, kind, id, 0, UINT64_MAX);
    const char *now = last != NULL && last->is_last ? NULL : trace_name(trace, kind, id);
    char text[DISPLAY_NAME_BYTES], number[DISPLAY_NAME_BYTES];
    snprintf(text, sizeof text, "%s",
             now == NULL               ? ""
             : kind == TRACE_NAME_TASK ? now + strlen(trace->task_prefix)
                                       : now);
    if (kind == TRACE_NAME_TASK || !decode_handles_text(trace->firmware, id, number))
        snprintf(number, sizeof number, kind == TRACE_NAME_TASK ? "task-%u" : "0x%x", id);
    for (size_t i = 0; i <= owner->n; i++) {
        uint64_t begin = i > 0 ? owner->life[i - 1u].time : 0, end = i < owner->n ? owner->life[i].time : UINT64_MAX;
        const struct trace_past_name *past = trace_past_name(trace, kind, id, begin, end);
        const char *name = i == owner->n && text[0] != '\0' ? text : past != NULL ? past->text : number;
        trace_set_name(trace, kind, i > 0 ? owner->life[i - 1u].number : id, name);
    }
}

void decode_lives_name(const struct decode_lives *lives, struct trace *trace)
{
    for (size_t i = 0; i < lives->n; i++)
        name_lives(&lives->owner[i], trace);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Whether the meaning of an event tells that its first field, or the second, is a task. */
static bool is_task(enum tlog_meaning means, unsigned i)
{
    if (i > 0)
        return i == 1 && means == TLOG_MEANS_SWITCH_OF;
    return (means >= TLOG_MEANS_SWITCH && means <= TLOG_MEANS_UNBLOCK)
           || (means >= TLOG_MEANS_RESUME && means <= TLOG_MEANS_PRIORITY);
}

/* The kind of names that field i of a type is a number of. False: it has none. */
static bool kind_of(const struct tlog_type *type, unsigned i, enum trace_name_kind *kind)
{
    *kind = TRACE_NAME_TASK;
    return is_task(type->means, i) || display_names_of(type->fields[i].kind, kind);
}

bool decode_lives_field(const struct tlog_event *event, const struct tlog_type *type, unsigned i,
                        decode_lives_key_t *key)
{
    const struct tlog_field *field = &type->fields[i];
    enum trace_name_kind kind;
    uint32_t id;
    if (field->size != 4 || !kind_of(type, i, &kind) || (unsigned)field->offset + 4u > event->size)
        return false;
    id = get_le32(event->data + field->offset);
    *key = decode_lives_key(kind, id);
    return id != 0;
}

/* Whether fields of the type may be numbers that have several lives. */
static bool has_numbers(const struct decode_lives *lives, const struct tlog_type *type)
{
    enum trace_name_kind kind;
    for (unsigned i = 0; i < type->nfields; i++) {
        if (kind_of(type, i, &kind) && lives->kind_is_owner[kind])
            return true;
    }
    return false;
}

/* NULL: the number has one life only. */
static const struct owner *owner_of(const struct decode_lives *lives, decode_lives_key_t key)
{
    size_t low = 0, high = lives->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2u;
        if (lives->owner[middle].key < key)
            low = middle + 1u;
        else
            high = middle;
    }
    return low < lives->n && lives->owner[low].key == key ? &lives->owner[low] : NULL;
}

/* An event's place: its CPU, how many events that had before it, and its time. */
struct place_of_event {
    unsigned cpu;
    uint64_t n, time;
};

/* The number that the owner has at that place. Among a CPU's events their order counts, because several may have one
 * time. */
static uint32_t number_at_place(const struct owner *owner, const struct place_of_event *at)
{
    size_t low = 0, high = owner->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2u;
        const struct decode_life *life = &owner->life[middle];
        bool has_begun = life->cpu == at->cpu ? life->n <= at->n : life->time <= at->time;
        if (has_begun)
            low = middle + 1u;
        else
            high = middle;
    }
    return low > 0 ? owner->life[low - 1u].number : (uint32_t)owner->key;
}

/* Give the numbers in an event those of their lives. The payload is copied to `to` when the first one changes. Returns
 * how many bytes it takes there. */
static size_t change(const struct decode_lives *lives, const struct tlog_type *type, struct tlog_event *event,
                     const struct place_of_event *at, unsigned char *to)
{
    decode_lives_key_t key;
    bool is_copied = false;
    for (unsigned i = 0; i < type->nfields; i++) {
        const struct owner *owner = decode_lives_field(event, type, i, &key) ? owner_of(lives, key) : NULL;
        uint32_t number = owner != NULL ? number_at_place(owner, at) : (uint32_t)key;
        if (owner == NULL || number == (uint32_t)key)
            continue;
        if (!is_copied)
            memcpy(to, event->data, event->size);
        is_copied = true;
        event->data = to;
        put_le32(to + type->fields[i].offset, number);
    }
    return is_copied ? (event->size + 7u) & ~(size_t)7 : 0;
}

/* Make room for all payloads of the batch that may change. 0, or -1 after trace_fail(). */
static int make_room(const struct decode_lives *lives, struct trace *trace, struct decode_lives_lane *lane,
                     const struct trace_batch *batch)
{
    size_t size = 0;
    for (size_t i = 0; i < batch->n; i++)
        size += has_numbers(lives, trace->types[batch->event[i].type]) ? batch->event[i].size + 7u : 0;
    if (size <= lane->size)
        return 0;
    heap_free(lane->room);
    lane->room = heap_alloc(size);
    lane->size = lane->room != NULL ? size : 0;
    return lane->room != NULL ? 0 : trace_fail(trace, "%s: no memory for events", trace->input_name);
}

int decode_lives_batch(const struct decode_lives *lives, struct trace *trace, unsigned cpu,
                       struct decode_lives_lane *lane, struct trace_batch *batch)
{
    unsigned char *to;
    if (make_room(lives, trace, lane, batch) != 0)
        return -1;
    to = lane->room;
    for (size_t i = 0; i < batch->n; i++) {
        struct tlog_event *event = &batch->event[i];
        struct place_of_event at = {cpu, lane->events++, event->time};
        if (has_numbers(lives, trace->types[event->type]))
            to += change(lives, trace->types[event->type], event, &at, to);
    }
    return 0;
}
