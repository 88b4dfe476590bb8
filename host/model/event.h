/* event.h - more of events and their types than the library tells (tlog_decode.h), and the batches in which they go
 * from reader to writer. trace.h explains the words. */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include "tlog_decode.h"

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

/* Whether an event of the type tells that a task has ended, and not another object. */
static inline bool trace_ends_task(const struct tlog_type *type)
{
    return type->means == TLOG_MEANS_END && type->nfields > 0 && type->fields[0].kind < TLOG_KIND_MUTEX;
}

/* The field that tells what a task waits for: the last one that is the number of a mutex or another object; else, in a
 * TLOG_MEANS_LOCK, the second one; else NULL. */
static inline const struct tlog_field *trace_object_of(const struct tlog_type *type)
{
    const struct tlog_field *field = type->means == TLOG_MEANS_LOCK && type->nfields > 1 ? &type->fields[1] : NULL;
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

/* Viewers show a loss only before an event. So an event of this name is added behind a loss at the end of a trace. */
#define TRACE_END_NAME "end_of_trace"
#define TRACE_END_TEXT "no event was kept behind the loss"

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
