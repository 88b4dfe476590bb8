/* native_types.h - the types of event in tlog's own dumps. Private to the native reader. */
#ifndef NATIVE_TYPES_H
#define NATIVE_TYPES_H

#include "qnx_types.h"
#include "shark_types.h"

#define NATIVE_KEYS (1u << 15)

/* Class and number of an event as one number, from word 0: number 9..8, class, number 7..0. */
static inline uint32_t native_traceevent_key(uint32_t word0)
{
    return (word0 >> 3 & 0x6000u) | (word0 >> 2 & 0x1F00u) | (word0 & 0xFFu);
}

/* Indexes in struct trace. */
struct native_types {
    uint16_t simple[256]; /* by record code; SHARK_TYPE_NONE: unknown, or more than the event is to be made of it */
    struct shark_types shark;
    struct qnx_types qnx;
    struct qnx_simple traceevent[NATIVE_KEYS]; /* by class and event, once such an event has come */
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
