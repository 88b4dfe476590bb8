/* event.h - what an event is, and the batches in which events travel. The words are explained in trace.h. */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* Kinds of objects that an operating system has besides those below: any object, queue, queue set ... counter, in the
 * order of TLOG_NAME_OBJECT and those behind it (tlog_wire.h). */
#define TRACE_OBJECTS 18u

/* What a field is, and how writers show it. Numbers are little-endian. */
enum trace_kind {
    TRACE_UNSIGNED,  /* 1, 2, 4 or 8 bytes */
    TRACE_SIGNED,    /* 1, 2, 4 or 8 bytes, two's complement */
    TRACE_HEX,       /* unsigned, shown as 0x... */
    TRACE_TASK,      /* unsigned, 4 bytes, the number of a task, shown by its name (display.h); 0 is idle */
    TRACE_TASK_OR_0, /* the same, but 0 is no task: it was not told which */
    TRACE_INTERRUPT, /* the same of an interrupt */
    TRACE_MUTEX,     /* the same of a mutex */
    TRACE_OBJECT,    /* the same of an object, by its number or address; one kind for each kind of object */
    TRACE_TIMER = TRACE_OBJECT + 4,
    TRACE_OBJECT_LAST = TRACE_OBJECT + TRACE_OBJECTS - 1,
    TRACE_OPTIONAL, /* unsigned, 4 bytes, left out where it is 0 if fields of other kinds come before it */
    TRACE_CHARS,    /* char[size], a text with its NUL, padded with NULs */
    TRACE_STRING,   /* 4 bytes: offset of the text in the payload (16 bits), its length with the NUL << 16 */
    TRACE_ADDRESS,  /* 4 or 8 bytes, in the firmware's memory: shown as symbol+0x..., or as TRACE_HEX without one */
    TRACE_BYTES,    /* any number of bytes, shown as hex, the first one first */
    TRACE_WORDS,    /* numbers of 4 bytes up to the end of the payload; size 0, the last field */
};

struct trace_field {
    const char *name;
    enum trace_kind kind;
    uint16_t offset; /* bytes from the beginning of the payload */
    uint16_t size;   /* bytes */
};

/* Whether a field of that kind is the number of something that may have a name. */
static inline bool trace_kind_has_names(enum trace_kind kind)
{
    return kind >= TRACE_TASK && kind <= TRACE_OBJECT_LAST;
}

/* What an event means. Those from TRACE_LOSS on are no events of the input: no count includes them. The fields that the
 * mapping reads are numbers of any size and sign; tasks are given by their pids. */
enum trace_class {
    TRACE_PLAIN,         /* nothing for the mapping */
    TRACE_SWITCH,        /* field 0 = task that runs from now on */
    TRACE_SWITCH_OF,     /* the same; field 1 = task that ran until now, field 2 = not 0 if it is not ready any more */
    TRACE_WAKE,          /* field 0 = task that became ready */
    TRACE_BLOCK,         /* field 0 = task (0: the running one) that will not be ready when it is switched out */
    TRACE_LOCK,          /* the same, because it waits for a lock */
    TRACE_UNBLOCK,       /* field 0 = task (0: the running one) that goes on, after all */
    TRACE_IRQ_ENTRY,     /* field 0 = interrupt number */
    TRACE_IRQ_EXIT,      /* field 0 = interrupt number */
    TRACE_IRQ_LEAVE,     /* the end of the interrupt that was entered last */
    TRACE_RESUME,        /* field 0 = task that runs behind an interrupt; 0: not told */
    TRACE_RUNNING,       /* field 0 = task that runs already: nothing is switched; 0: not told */
    TRACE_PRIORITY,      /* field 0 = task, field 1 = its priority */
    TRACE_BLOCK_RUNNING, /* as TRACE_BLOCK of the running task; no field tells that */
    TRACE_LOCK_RUNNING,  /* as TRACE_LOCK, likewise */
    TRACE_LOSS,          /* payload: 8 bytes, count of events the target lost before the next event, 0 = not known */
    TRACE_DAMAGE,        /* payload: 8 bytes, count of events the damage before the next event cost, 0 = not known */
    TRACE_MARK,          /* a place in the trace that is marked, and nothing that happened */
};

/* What events of a kind have in common. Types are constant and live as long as the trace that has them. */
struct trace_type {
    const char *system; /* "shark", "sched", ... [A-Za-z0-9_]+ */
    const char *name;   /* [A-Za-z0-9_]+ */
    enum trace_class class;
    uint16_t size; /* bytes of the fixed part of the payload, a multiple of 4 */
    uint16_t nfields;
    const struct trace_field *fields;
    const char *print; /* libtraceevent print format with its arguments, or NULL: made from the fields */
};

/* The field that tells what a task waits for: the last one that is the number of an object, or that says what a lock is
 * of; else NULL. */
static inline const struct trace_field *trace_object_of(const struct trace_type *type)
{
    const struct trace_field *field = type->class == TRACE_LOCK && type->nfields > 1 ? &type->fields[1] : NULL;
    for (unsigned i = 0; i < type->nfields; i++) {
        if (type->fields[i].kind >= TRACE_MUTEX && type->fields[i].kind <= TRACE_OBJECT_LAST)
            field = &type->fields[i];
    }
    return field;
}

/* The types of losses and damage for all readers: a count of events, 8 bytes. */
extern const struct trace_type trace_loss_type, trace_damage_type;

/* The type's field of that name; NULL: it has none. */
const struct trace_field *trace_field_named(const struct trace_type *type, const char *name);

/* The event behind a loss at the end of a trace: viewers show a loss only before an event. */
#define TRACE_END_NAME "end_of_trace"
#define TRACE_END_TEXT "no event was kept behind the loss"

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Flags of an event. */
#define TRACE_IN_INTERRUPT 0x01u /* it was logged inside an interrupt */
#define TRACE_DERIVED      0x02u /* the mapping added it for viewers; only its own count includes it */
#define TRACE_UNCHECKED    0x04u /* logged by the fast path of S.Ha.R.K., which leaves the second parameter undefined */
#define TRACE_EMERGENCY    0x08u /* it took an emergency slot of tlog's ring, because no other was free */
#define TRACE_BEHIND_HOLE  0x10u /* the user did not want those between it and the one before on its CPU: --around */

struct trace_event {
    uint64_t time;             /* ns, or ticks where the clock's frequency is not known */
    const unsigned char *data; /* payload, valid until the batch is filled again */
    uint32_t task;             /* pid of the task it is of: set by the mapping, or by readers of mapped traces */
    uint16_t type;             /* index in struct trace */
    uint16_t size;             /* bytes of payload */
    uint16_t rest;             /* of a clock above 1 GHz: ticks since the first one in that ns; see clock.h */
    uint8_t flags;             /* TRACE_IN_INTERRUPT ... */
    uint16_t group;            /* 0 = in none, else it is of trace->groups[group - 1] */
    uint16_t context;          /* what it was logged in, see below; 0 = a task, or not told */
};

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

/* A context is the number of a Cortex-M's exception, 1 to 511; or, with this bit, that of an ARMv7-A's mode.
 * Sources: ARMv7-M Architecture Reference Manual, B1.5.2 (exception numbers); ARMv7-A and -R, B1.3.1 (modes). */
#define TRACE_CONTEXT_MODE 0x200u

/* Of the longest name, with its NUL. */
#define TRACE_CONTEXT_NAME_BYTES 16u

/* The name of a context: a constant, or written to text. NULL for that of tasks, and if the context is not known. */
const char *trace_context_name(uint16_t context, char text[TRACE_CONTEXT_NAME_BYTES]);

/* Whether a context is that of an interrupt, or of another exception that interrupts tasks. */
bool trace_context_is_interrupt(uint16_t context);

/* ---- batches ----------------------------------------------------------------------------------------------------- */

#define TRACE_BATCH_EVENTS 1024u
#define TRACE_PAYLOAD_MAX  2048u /* bytes */

/* Events of one CPU in the order of time. Empty with n and used 0. Each CPU has batches of its own, so where there are
 * hundreds of CPUs a batch should get fewer events; readers that may find so many heed that. */
struct trace_batch {
    size_t n;
    size_t used;   /* bytes of room taken */
    size_t enough; /* events with which it should be handed on; 0 = TRACE_BATCH_EVENTS */
    struct trace_event event[TRACE_BATCH_EVENTS];
    unsigned char room[TRACE_BATCH_EVENTS * 64u]; /* for payloads, at multiples of 8 */
};

/* Take room for size bytes of payload in the batch: it is aligned for 8 bytes. NULL when the batch is full. */
void *trace_batch_room(struct trace_batch *batch, size_t size);

#endif
