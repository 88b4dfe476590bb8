/* types.h - the types of event in tlog's own dumps. Private to the native reader. */
#ifndef NATIVE_TYPES_H
#define NATIVE_TYPES_H

#include "events/qnx_types.h"
#include "events/shark_types.h"

/* What is known of simple events of a class and number. User events have types for the class. */
struct native_simple {
    uint16_t type;
    uint16_t layout; /* enum qnx_layout */
};

/* What is known of those of several slots, once one has come whose payload has no more than so many bytes for each slot,
 * aligned. */
struct native_wide {
    uint16_t type;
    uint16_t size; /* of the payload; 0: none has come */
    uint16_t layout;
};

#define NATIVE_SLOT_BYTES 32u

/* Indexes in struct trace. */
struct native_types {
    struct native_simple traceevent[32u * _TRACE_MAX_EVENT_NUM]; /* by class and event, once such an event has come */
    uint16_t simple[256]; /* by record code; SHARK_TYPE_NONE: unknown, or more than the event is to be made of it */
    struct shark_types shark;
    struct qnx_types qnx;
    struct native_wide wide[QNX_WORDS_SLOTS + 1][32u * _TRACE_MAX_EVENT_NUM]; /* by slots, too; likewise */
    uint16_t user_text;                       /* SHARK_TYPE_NONE: no such event has come */
    uint16_t user_words[QNX_WORDS_SLOTS + 1]; /* by slots; likewise */
};

/* As qnx_payload(), which is asked no more for simple events that native_types.traceevent tells all about. */
uint16_t native_qnx_payload(struct native_types *types, const struct qnx_event *event, unsigned char *data,
                            uint16_t *type);

void native_declare_types(struct native_types *types, struct trace *trace);

/* Says what the events' types had no room for. */
void native_free_types(struct native_types *types, const struct trace *trace);

/* Once the firmware's names are known: use those it gave to events. */
void native_name_types(struct native_types *types, struct trace *trace);

#endif
