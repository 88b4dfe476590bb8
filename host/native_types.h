/* native_types.h - the types of event in tlog's own dumps. Private to the native reader. */
#ifndef NATIVE_TYPES_H
#define NATIVE_TYPES_H

#include "shark_types.h"

/* Indexes in struct trace. */
struct native_types {
    uint16_t simple[256]; /* by record code; SHARK_TYPE_NONE: unknown, or more than the event is to be made of it */
    uint16_t traceevent;  /* u32 class, event, struct, data0, data1 */
    struct shark_types shark;
};

void native_declare_types(struct native_types *types, struct trace *trace);

/* Once the firmware's names are known: use those it gave to events. */
void native_name_types(struct native_types *types, struct trace *trace);

#endif
