/* shark_types.h - the types of event that S.Ha.R.K. records are, for every reader and writer of such records. */
#ifndef EVENTS_SHARK_TYPES_H
#define EVENTS_SHARK_TYPES_H

#include "model/trace.h"

#define SHARK_TYPE_NONE   UINT16_MAX
#define SHARK_USER_EVENTS 15u /* codes the firmware may name: 0x09, 0x19 ... 0xE9 */
#define SHARK_NAME_BYTES  48u

/* Payloads: of the types in record[] u32 par1, par2; of the other two u32 code, par1, par2. */
struct shark_types {
    uint16_t record[256];   /* by code, index in struct trace; SHARK_TYPE_NONE: unknown */
    uint16_t unknown;       /* any code that is not in the tables */
    uint16_t manual_unlock; /* 0x43, which only the manual's table has */
    uint16_t loss, damage;  /* u64 count */
    struct trace_type named[SHARK_USER_EVENTS];
    char name[SHARK_USER_EVENTS][SHARK_NAME_BYTES];
};

/* Declare all types. *types must live as long as the trace. */
void shark_types_declare(struct shark_types *types, struct trace *trace);

/* Once the firmware's names are known: give user events the names it gave them. */
void shark_types_name(struct shark_types *types, struct trace *trace);

/* The type of a record with that code, which may have more than 8 bits if the file is damaged. */
uint16_t shark_type(const struct shark_types *types, uint32_t code);

/* Bytes of a record's payload, and the payload put at data. */
#define SHARK_PAYLOAD_MAX 12u
uint16_t shark_payload(const struct shark_types *types, unsigned char *data, uint32_t code, uint32_t par1,
                       uint32_t par2);

/* What a type says about the record an event came from. */
enum shark_origin {
    SHARK_NO_RECORD,  /* none */
    SHARK_KNOWN,      /* *code */
    SHARK_IN_PAYLOAD, /* the payload begins with the code */
};

enum shark_origin shark_origin(const struct trace_type *type, uint32_t *code);

#endif
