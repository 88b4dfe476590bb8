/* native_types.h - the types of event in tlog's own dumps. Private to the native reader. */
#ifndef NATIVE_TYPES_H
#define NATIVE_TYPES_H

#include "trace.h"

#define NATIVE_TYPE_NONE UINT16_MAX

/* Indexes in struct trace. */
struct native_types {
    uint16_t simple[256]; /* by record code; NATIVE_TYPE_NONE: unknown, or more than the event is to be made of it */
    uint16_t record[256]; /* by record code; NATIVE_TYPE_NONE: unknown */
    uint16_t unknown;     /* u32 code, par1, par2; all known records are u32 par1, par2 */
    uint16_t traceevent;  /* u32 class, event, struct, data0, data1 */
    uint16_t loss, damage;
};

void native_declare_types(struct native_types *types, struct trace *trace);

#endif
