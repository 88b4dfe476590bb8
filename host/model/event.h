/* event.h - what an event is, and the batches in which events travel. The words are explained in trace.h. */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- types ---------------------------------------------------------------------------------------------------- */

enum trace_kind {
    TRACE_UNSIGNED, /* 1, 2, 4 or 8 bytes */
    TRACE_SIGNED,   /* 1, 2, 4 or 8 bytes, two's complement */
    TRACE_HEX,      /* unsigned, shown as 0x... */
    TRACE_OPTIONAL, /* unsigned, 4 bytes, shown only if it is not 0; fields of other kinds stand before it */
    TRACE_CHARS,    /* char[size], NUL-padded, NUL-terminated */
    TRACE_STRING,   /* 4 bytes: offset of the text in the payload (16 bits), its length with the NUL << 16 */
    TRACE_ADDRESS,  /* 4 or 8 bytes, in the firmware's memory: shown as symbol+0x..., or as TRACE_HEX without one */
    TRACE_WORDS,    /* numbers of 4 bytes up to the end of the payload; size 0, the last field */
};

struct trace_field {
    const char *name;
    enum trace_kind kind;
    uint16_t offset; /* in the payload */
    uint16_t size;   /* bytes */
};

enum trace_class {
    TRACE_PLAIN,
    TRACE_SWITCH,    /* field 0 = context that runs from now on; a context is its task's pid */
    TRACE_WAKE,      /* field 0 = context that became ready */
    TRACE_BLOCK,     /* field 0 = context (0: the running one) that will not be ready when it is switched out */
    TRACE_UNBLOCK,   /* field 0 = context (0: the running one) that goes on, after all */
    TRACE_IRQ_ENTRY, /* field 0 = interrupt number */
    TRACE_IRQ_EXIT,  /* field 0 = interrupt number */
    TRACE_PRIORITY,  /* field 0 = context, field 1 = its priority */
    TRACE_LOSS,   /* payload: u64 count of events lost here by the target, 0 = unknown; comes before the next event */
    TRACE_DAMAGE, /* payload: u64 count of events the damage may have cost, 0 = unknown; like TRACE_LOSS */
};

struct trace_type {
    const char *system; /* "shark", "sched", ... [A-Za-z0-9_]+ */
    const char *name;   /* [A-Za-z0-9_]+ */
    enum trace_class class;
    uint16_t size; /* of the fixed part of the payload, multiple of 4 */
    uint16_t nfields;
    const struct trace_field *fields;
    const char *print; /* libtraceevent print format with its arguments, or NULL: made from the fields */
};

/* What readers declare for losses and damage: a count of events, 8 bytes. */
extern const struct trace_type trace_loss_type, trace_damage_type;

/* ---- events --------------------------------------------------------------------------------------------------- */

#define TRACE_IN_INTERRUPT 0x01u /* the event was logged inside an interrupt */
#define TRACE_DERIVED      0x02u /* added by the mapping for the picture; in no count and no check */
#define TRACE_EMERGENCY    0x08u /* it took an emergency slot, because no other was left */
#define TRACE_UNCHECKED    0x04u /* logged by the fast path of S.Ha.R.K., which leaves the second parameter as it was */

struct trace_event {
    uint64_t time;             /* ns */
    const unsigned char *data; /* payload, valid until the batch is filled again */
    uint32_t task;             /* pid of the task it belongs to */
    uint16_t type;             /* index in struct trace */
    uint16_t size;             /* bytes of payload */
    uint16_t rest;             /* of a clock above 1 GHz: ticks since the first one in that ns; see ticks.h */
    uint8_t flags;             /* TRACE_IN_INTERRUPT ... */
    uint16_t group;            /* 0 = in none, else trace->groups has it at group - 1 */
    uint16_t context;          /* what it was logged in: see below; 0 = a thread, or not told */
};

/* A context: the number of a Cortex-M's exception, 1 to 511; or that of an ARMv7-A's mode with this bit. */
#define TRACE_CONTEXT_MODE 0x200u

#define TRACE_BATCH_EVENTS 1024u
#define TRACE_PAYLOAD_MAX  2048u

struct trace_batch {
    size_t n;
    size_t used; /* bytes of room taken */
    struct trace_event event[TRACE_BATCH_EVENTS];
    unsigned char room[TRACE_BATCH_EVENTS * 64u]; /* where payloads live */
};

/* Room for size bytes of payload in the batch, or NULL when it is full. */
void *trace_batch_room(struct trace_batch *batch, size_t size);

#endif
