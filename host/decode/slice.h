/* slice.h - some events of a batch that are mapped together. For map.c only.
 *
 * Vocabulary
 *   meaning   what the mapping must know of a type of event
 *   special   said of an event of any class but TRACE_PLAIN; the plain ones from one to the next are a stretch
 *   slice     some events of a batch that are mapped together
 *
 * The processor cannot predict whether the next event of a trace is special, and a branch that it predicts wrongly
 * takes as long as a whole event. So the events of a slice are sorted into special and plain ones first, without a
 * branch; then the special ones are mapped; then all plain ones get what holds for their stretch.
 */
#ifndef DECODE_SLICE_H
#define DECODE_SLICE_H

#include "base/bytes.h"
#include "model/event.h"

enum {
    DECODE_SLICE = 256, /* events of a slice, at most */
    DECODE_PLACES = 3,  /* fields of an event that mean something to the mapping, at most */
};

/* Where an event has a number. */
struct place {
    uint16_t offset; /* in the payload */
    uint8_t size;    /* bytes, up to 8; 0 = the event has no such number */
    bool is_signed;
};

struct meaning {
    enum trace_class class;
    struct place place[DECODE_PLACES]; /* of the first fields */
};

/* Where a type has field n, if that is a number. */
static inline struct place place_of(const struct trace_type *type, unsigned n)
{
    const struct trace_field *field;
    if (n >= type->nfields)
        return (struct place){0};
    field = &type->fields[n];
    if (field->kind > TRACE_OPTIONAL || field->size > 8)
        return (struct place){0};
    return (struct place){field->offset, (uint8_t)field->size, field->kind == TRACE_SIGNED};
}

static inline struct meaning meaning_of(const struct trace_type *type)
{
    struct meaning meaning = {.class = type->class};
    for (unsigned n = 0; n < DECODE_PLACES; n++)
        meaning.place[n] = place_of(type, n);
    return meaning;
}

/* A number that has not 4 bytes, as one of 4 bytes of the same value; 0 if it is not there. */
static inline uint32_t number_in(struct place place, const unsigned char *data)
{
    uint32_t value = place.size == 0 ? 0 : (uint32_t)number_at(data + place.offset, place.size, false);
    if (place.is_signed && place.size == 1)
        return (uint32_t)(int8_t)value;
    return place.is_signed && place.size == 2 ? (uint32_t)(int16_t)value : value;
}

/* Field n of an event, below DECODE_PLACES, as an unsigned number; 0 if the event has no such field. */
static inline uint32_t field_value(const struct meaning *meaning, const struct trace_event *event, unsigned n)
{
    struct place place = meaning->place[n];
    return place.size == 4 ? get_le32(event->data + place.offset) : number_in(place, event->data);
}

/* What holds for the plain events of a stretch. */
struct stretch {
    size_t shift; /* what is added to an event's index in the slice to get that in out */
    uint32_t pid; /* of the task they belong to */
    uint8_t flags;
};

struct slice {
    const struct trace_event *event;
    size_t n, nspecial;
    uint16_t plain[DECODE_SLICE], special[DECODE_SLICE]; /* indices in event, in their order */
    struct stretch stretch[DECODE_SLICE + 1];            /* before the first special event, and after each */
};

/* Sort the events' indices into special and plain. Every index is written to both lists, and stays in one of them: no
 * branch depends on the event. */
static inline void sort_slice(const struct meaning *meaning, struct slice *slice)
{
    size_t n = 0;
    for (size_t i = 0; i < slice->n; i++) {
        slice->plain[i - n] = slice->special[n] = (uint16_t)i;
        n += meaning[slice->event[i].type].class != TRACE_PLAIN;
    }
    slice->nspecial = n;
}

static inline void copy_event(struct trace_event *to, const struct trace_event *event, const struct stretch *stretch)
{
    *to = *event;
    to->task = stretch->pid;
    to->flags |= stretch->flags;
}

/* Copy the plain events to the places left for them. The k-th plain event, at i, has i - k special events before it; so
 * that is the number of its stretch. */
static inline void copy_plain(const struct slice *slice, struct trace_batch *out)
{
    struct trace_event *to = out->event + slice->stretch[0].shift;
    if (slice->nspecial == 0) {
        for (size_t i = 0; i < slice->n; i++)
            copy_event(&to[i], &slice->event[i], &slice->stretch[0]);
        return;
    }
    for (size_t k = 0; k < slice->n - slice->nspecial; k++) {
        size_t i = slice->plain[k];
        const struct stretch *stretch = &slice->stretch[i - k];
        copy_event(&out->event[i + stretch->shift], &slice->event[i], stretch);
    }
}

#endif
