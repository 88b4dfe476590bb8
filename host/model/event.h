/* event.h - events, their types, and the batches in which they go from reader to writer. trace.h explains the words. */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* How many kinds of objects an operating system has besides tasks, interrupts and mutexes: object of any kind, queue,
 * queue set ... counter. They have the order of the names from TLOG_NAME_OBJECT on (tlog_wire.h). */
#define TRACE_OBJECTS 18u

/* What a field is, and how writers show it. Numbers are little-endian. */
enum tlog_kind {
    TLOG_KIND_UNSIGNED,  /* 1, 2, 4 or 8 bytes */
    TLOG_KIND_SIGNED,    /* 1, 2, 4 or 8 bytes, two's complement */
    TLOG_KIND_HEX,       /* unsigned, shown as 0x... */
    TLOG_KIND_TASK,      /* unsigned, 4 bytes: the pid of a task, shown by its name (display.h); 0 is idle */
    TLOG_KIND_TASK_OR_0, /* the same, but 0 is no task: the target does not tell which one */
    TLOG_KIND_INTERRUPT, /* the number of an interrupt, shown by its name */
    TLOG_KIND_MUTEX,     /* the same of a mutex */
    TLOG_KIND_OBJECT,    /* the number or address of an object of the first kind; the other kinds follow */
    TLOG_KIND_TIMER = TLOG_KIND_OBJECT + 4,
    TLOG_KIND_NOTIFICATION = TLOG_KIND_OBJECT + 13, /* a number among those of a task */
    TLOG_KIND_OBJECT_LAST = TLOG_KIND_OBJECT + TRACE_OBJECTS - 1,
    TLOG_KIND_OPTIONAL, /* unsigned; where it is 0 it is not shown, if fields of other kinds come before it */
    TLOG_KIND_CHARS,    /* char[size], a text with its NUL, padded with NULs */
    TLOG_KIND_STRING,   /* 4 bytes: where the text is in the payload. Low 16 bits: offset; high: length with the NUL */
    TLOG_KIND_ADDRESS, /* 4 or 8 bytes, in the firmware's memory: shown as symbol or symbol+0x..., or as TLOG_KIND_HEX */
    TLOG_KIND_BYTES,   /* any number of bytes, shown as hexadecimal digits, the first byte first */
    TLOG_KIND_WORDS,   /* numbers of 4 bytes up to the end of the payload; size 0, the last field */
};

struct tlog_field {
    const char *name;
    enum tlog_kind kind;
    uint16_t offset; /* bytes from the beginning of the payload */
    uint16_t size;   /* bytes */
};

/* Whether a field of a kind is the number of something that may have a name. */
static inline bool tlog_kind_has_names(enum tlog_kind kind)
{
    return kind >= TLOG_KIND_TASK && kind <= TLOG_KIND_OBJECT_LAST;
}

/* The states in which a task that has ended leaves a CPU, in Linux's sched_switch. The first one is the mapping's,
 * which trace-cmd shows as X; Perfetto, and Linux since 3.14, call the other one so. */
#define TRACE_STATE_ENDED       32u
#define TRACE_STATE_ENDED_OTHER 16u

static inline bool trace_state_is_ended(uint64_t state)
{
    return (state & (TRACE_STATE_ENDED | TRACE_STATE_ENDED_OTHER)) != 0;
}

/* What an event means for tasks and interrupts: the mapping acts on it (decode/map.h). Where a class names fields,
 * these are numbers of any size and sign, and tasks are pids. Events of TLOG_CLASS_LOSS and the classes after it come from
 * no event of the input, and no count includes them. What is not known behind a loss, damage, a pause and what was left
 * out, known.h says. */
enum tlog_class {
    TLOG_CLASS_PLAIN,     /* nothing */
    TLOG_CLASS_SWITCH,    /* field 0 = task that runs from now on */
    TLOG_CLASS_SWITCH_OF, /* the same; field 1 = task that ran until now, field 2 = not 0 if it is not ready any more */
    TLOG_CLASS_WAKE,      /* field 0 = task that became ready */
    TLOG_CLASS_BLOCK,     /* field 0 = task (0: the running one) that will not be ready when it is switched out */
    TLOG_CLASS_LOCK,      /* the same, because it waits for a lock */
    TLOG_CLASS_UNBLOCK,   /* field 0 = task (0: the running one) that does not wait, after all */
    TLOG_CLASS_IRQ_ENTRY, /* field 0 = interrupt number */
    TLOG_CLASS_IRQ_EXIT,  /* field 0 = interrupt number */
    TLOG_CLASS_IRQ_LEAVE, /* the end of the interrupt that was entered last */
    TLOG_CLASS_RESUME,    /* field 0 = task that runs after an interrupt; 0: not told */
    TLOG_CLASS_RUNNING,   /* field 0 = task that runs already, without a switch; 0: not told */
    TLOG_CLASS_PRIORITY,  /* field 0 = task, field 1 = its priority */
    TLOG_CLASS_PAUSE,     /* logging stops: what comes before the next event was not logged */
    TLOG_CLASS_NO_SWITCHES,   /* switches were not logged before this, or are not from here on */
    TLOG_CLASS_BLOCK_RUNNING, /* as TLOG_CLASS_BLOCK, of the running task; it needs no field */
    TLOG_CLASS_LOCK_RUNNING,  /* as TLOG_CLASS_LOCK, likewise */
    TLOG_CLASS_CREATE,   /* field 0 = a task, mutex or other object, as its kind tells, that did not exist before */
    TLOG_CLASS_END,      /* field 0 = one that does not exist any more; a task runs on until its next switch */
    TLOG_CLASS_LOSS,     /* payload: 8 bytes, count of events the target lost before the next event, 0 = not known */
    TLOG_CLASS_DAMAGE,   /* payload: 8 bytes, count of events the damage before the next event cost, 0 = not known */
    TLOG_CLASS_LEFT_OUT, /* payload: 4 bytes; 0 = the user does not want what comes from here on, 1 = again he does */
    TLOG_CLASS_MARK,     /* marks a place in the trace; nothing happened there */
};

/* A type of event. It is constant, and lives as long as the trace. */
struct tlog_type {
    const char *system; /* "shark", "sched", ... [A-Za-z0-9_]+ */
    const char *name;   /* [A-Za-z0-9_]+ */
    enum tlog_class class;
    uint16_t size; /* bytes of the fixed part of the payload, a multiple of 4 */
    uint16_t nfields;
    const struct tlog_field *fields;
    const char *print; /* libtraceevent print format with its arguments, or NULL: made from the fields */
};

/* Whether an event of the type tells that a task has ended, and not another object. */
static inline bool trace_ends_task(const struct tlog_type *type)
{
    return type->class == TLOG_CLASS_END && type->nfields > 0 && type->fields[0].kind < TLOG_KIND_MUTEX;
}

/* The field that tells what a task waits for: the last one that is the number of a mutex or another object; else, in a
 * TLOG_CLASS_LOCK, the second one; else NULL. */
static inline const struct tlog_field *trace_object_of(const struct tlog_type *type)
{
    const struct tlog_field *field = type->class == TLOG_CLASS_LOCK && type->nfields > 1 ? &type->fields[1] : NULL;
    for (unsigned i = 0; i < type->nfields; i++) {
        if (type->fields[i].kind >= TLOG_KIND_MUTEX && type->fields[i].kind <= TLOG_KIND_OBJECT_LAST)
            field = &type->fields[i];
    }
    return field;
}

/* The types of losses and damage for all readers: the payload is a count of events, 8 bytes. And that of what is left
 * out. */
extern const struct tlog_type trace_loss_type, trace_damage_type, trace_left_out_type;

/* Whether field i is a rounded floating point number, and the next field is the text of that number. */
bool trace_field_is_rounded(const struct tlog_type *type, unsigned i);

/* The type's field of that name; NULL: it has none. */
const struct tlog_field *tlog_field_named(const struct tlog_type *type, const char *name);

/* Viewers show a loss only before an event. So an event of this name is added behind a loss at the end of a trace. */
#define TRACE_END_NAME "end_of_trace"
#define TRACE_END_TEXT "no event was kept behind the loss"

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Flags of an event. */
#define TLOG_FLAG_IN_INTERRUPT 0x01u /* it was logged inside an interrupt */
#define TLOG_FLAG_DERIVED      0x02u /* the mapping added it; only its own count includes it */
#define TLOG_FLAG_UNCHECKED    0x04u /* logged by the fast path of S.Ha.R.K., which does not set the second parameter */
#define TLOG_FLAG_EMERGENCY    0x08u /* it is in an emergency slot of tlog's ring, because no other was free */
#define TLOG_FLAG_TELLS        0x10u /* derived, and every writer gets it: known.h */
#define TLOG_FLAG_IN_THREAD    0x20u /* logged where no handler of the CPU is active, as its context tells. Mapping only */
#define TLOG_FLAG_SIGNAL       0x40u /* its mutex is a signal there (FORMAT.md, section 5.1): set by the mapping */

struct tlog_event {
    uint64_t time;             /* ns, or ticks where the clock's frequency is not known */
    const unsigned char *data; /* payload, valid until the batch is filled again */
    uint32_t task;             /* pid of the task that logged it: set by the mapping, or by readers of mapped traces */
    uint16_t type;             /* index in struct trace */
    uint16_t size;             /* bytes of payload; a type that the input declares may tell fields beyond it */
    uint16_t rest;             /* with a clock above 1 GHz: ticks since the first one in this ns; see clock.h */
    uint8_t flags;             /* TLOG_FLAG_IN_INTERRUPT ... */
    uint16_t group;            /* the number of its group: trace->groups[group - 1]; 0 = in none */
    uint16_t context;          /* see below; 0 = a task, or not told */
};

/* Whether the payload has the whole field. */
static inline bool tlog_event_has(const struct tlog_event *event, const struct tlog_field *field)
{
    return field->offset <= event->size && field->size <= event->size - field->offset;
}

/* A field's number, with its sign extended if it has one; 0 if the payload does not have the whole field. */
uint64_t tlog_event_number(const struct tlog_event *event, const struct tlog_field *field);

/* The text of a TLOG_KIND_STRING or TLOG_KIND_CHARS, in the payload, and its length up to a NUL. NULL: the payload does not
 * have all of it. */
const char *tlog_event_string(const struct tlog_event *event, const struct tlog_field *field, size_t *length);

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

/* A context is the number of an exception of a Cortex-M, 1 to 511; or, with this bit, of a mode of an ARMv7-A.
 * Sources: ARMv7-M Architecture Reference Manual, B1.5.2 (exception numbers); ARMv7-A and -R, B1.3.1 (modes). */
#define TRACE_CONTEXT_MODE 0x200u

/* Bytes of the longest name, with its NUL. */
#define TRACE_CONTEXT_NAME_BYTES 16u

/* The name of a context: a constant, or written to text. NULL for 0, and for the modes that tasks run in. */
const char *trace_context_name(uint16_t context, char text[TRACE_CONTEXT_NAME_BYTES]);

/* Whether a context is an interrupt, or another exception that interrupts tasks. */
bool trace_context_is_interrupt(uint16_t context);

/* ---- batches ----------------------------------------------------------------------------------------------------- */

#define TRACE_BATCH_EVENTS 1024u
#define TRACE_PAYLOAD_MAX  2048u /* bytes */

/* Events of one CPU in the order of time. A batch whose n and used are 0 is empty. Each CPU has a batch of its own;
 * where there are hundreds of CPUs, readers set `enough` lower. */
struct trace_batch {
    size_t n;
    size_t used;   /* bytes of room that are taken */
    size_t enough; /* it should be handed on when it has so many events; 0 = TRACE_BATCH_EVENTS */
    struct tlog_event event[TRACE_BATCH_EVENTS];
    unsigned char room[TRACE_BATCH_EVENTS * 64u]; /* for payloads, at multiples of 8 */
};

/* Take room for size bytes of payload in the batch, aligned for 8 bytes. NULL when the batch is full. */
void *trace_batch_room(struct trace_batch *batch, size_t size);

#endif
