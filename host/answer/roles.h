/* roles.h - what the events of a type mean for the figures of --stat: the type's role.
 *
 * Switches, wake-ups and interrupts are recognised as Linux's events, which the mapping or a trace.dat file has made of
 * the target's own. Other events are recognised by their meaning, and by their name too, because a trace.dat file does
 * not keep classes.
 */
#ifndef ANSWER_ROLES_H
#define ANSWER_ROLES_H

#include "base/bytes.h"
#include "model/trace.h"

/* Behind each role are the numbers that its events tell, in their order. */
enum role {
    ROLE_NONE,
    ROLE_SWITCH,    /* task that runs now, task that ran, state it left in */
    ROLE_WAKE,      /* task that became ready */
    ROLE_READY,     /* task that is ready after all: an earlier event told that it would wait */
    ROLE_BLOCK,     /* task that is going to wait, or 0 or no field for the running one; what for */
    ROLE_LOCK,      /* the same, and what it waits for is a lock */
    ROLE_NEW,       /* task that is created */
    ROLE_GONE,      /* task that has ended; it runs on until the next switch away from it */
    ROLE_BEGIN,     /* of a cycle: task, or 0 for the running one */
    ROLE_END,       /* the same; the task then waits for the next cycle */
    ROLE_MISS,      /* a deadline: task */
    ROLE_ACQUIRE,   /* a mutex: task, mutex */
    ROLE_RELEASE,   /* the same */
    ROLE_PRIORITY,  /* task, priority */
    ROLE_ENTRY,     /* interrupt */
    ROLE_EXIT,      /* interrupt, result */
    ROLE_HIT,       /* interrupt that came; nothing tells how long it ran */
    ROLE_HITS,      /* interrupt, how often it has come */
    ROLE_WATERMARK, /* of stacks and heaps, in any fields */
    ROLE_GAP,       /* events are missing behind it */
    ROLE_PAUSE,     /* the same, and it is an event itself */
    ROLE_LEFT_OUT,  /* whether what comes behind it is wanted */
};

/* Where a number is in a payload. */
struct role_place {
    uint16_t offset;
    uint8_t size; /* bytes; 0: the type has no such field */
    bool is_signed;
};

/* What is known of a type. */
struct role_of {
    enum role role;
    struct role_place first, second, third; /* of the role's numbers */
    struct role_place priority[2];          /* of a switch: of the task that runs now, and of the one that ran */
    struct role_place name[2];              /* the same tasks' names, which are texts; of a wake-up only [0] */
    const struct tlog_field *object;        /* what a task waits for, or NULL */
    const char *symbols;                    /* where the print format has the names of the object's numbers, or NULL */
};

/* The roles of a trace's types; n of them are known. */
struct roles {
    const struct trace *trace;
    unsigned n;
    struct role_of of[TRACE_TYPES_MAX];
};

/* Find the roles of the types that were declared since the last call. */
void roles_learn(struct roles *roles);

/* Whether the field tells how much of a stack or a heap is used or free. */
bool role_is_watermark(const struct tlog_type *type, const struct tlog_field *field);

/* The name of an object as viewers show it, of at most 31 bytes; or its number, if it has none. value: of the type's
 * field `object`, which it has. */
void role_value_name(const struct trace *trace, const struct role_of *of, uint64_t value, char name[32]);

/* Where a field is. */
static inline struct role_place role_place_of(const struct tlog_field *field)
{
    return (struct role_place){field->offset, (uint8_t)field->size, field->kind == TLOG_KIND_SIGNED};
}

/* The number at a place; 0 if the payload is too short. */
static inline uint64_t role_number(const struct tlog_event *event, struct role_place place)
{
    const unsigned char *at = event->data + place.offset;
    uint64_t value;
    if (place.size == 0 || (unsigned)place.offset + place.size > event->size)
        return 0;
    if (place.size == 4)
        return place.is_signed ? (uint64_t)(int32_t)get_le32(at) : get_le32(at);
    value = number_at(at, place.size, false);
    if (place.is_signed && place.size < 8 && (value >> (8u * place.size - 1u) & 1u) != 0)
        value |= UINT64_MAX << (8u * place.size);
    return value;
}

#endif
