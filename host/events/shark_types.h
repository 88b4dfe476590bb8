/* shark_types.h - the types of event that records of S.Ha.R.K. are, for every reader and writer of such records.
 *
 * Prefix: shark_ names in events/ are about records, whatever file they come from: a raw trace file (shark/), or a tlog
 * dump (native/). Records are described in target/tlog_wire.h. Types are of system "shark".
 */
#ifndef EVENTS_SHARK_TYPES_H
#define EVENTS_SHARK_TYPES_H

#include "model/trace.h"

#define SHARK_TYPE_NONE   UINT16_MAX
#define SHARK_USER_EVENTS 15u /* codes the firmware may name: 0x09, 0x19 ... 0xE9 */
#define SHARK_NAME_BYTES  48u

/* Types of a trace, as indices in struct trace. The payload of the types in record[] is u32 par1, par2; that of unknown
 * and manual_unlock u32 code, par1, par2. */
struct shark_types {
    uint16_t record[256];   /* by code; SHARK_TYPE_NONE: no table has the code */
    uint16_t unknown;       /* for the codes that no table has */
    uint16_t manual_unlock; /* 0x43, which only the manual's table has */
    uint16_t loss, damage;  /* u64 count */
    /* Types and names of user events to which the firmware gave a name. */
    struct trace_type named[SHARK_USER_EVENTS];
    char name[SHARK_USER_EVENTS][SHARK_NAME_BYTES];
};

/* Declare all types to the trace. *types must live as long as the trace. */
void shark_types_declare(struct shark_types *types, struct trace *trace);

/* Once the trace has the firmware's names of record codes: declare user events once more, under these names. */
void shark_types_name(struct shark_types *types, struct trace *trace);

/* The type of a record with that code. The code may have more than 8 bits if the file is damaged. */
uint16_t shark_type(const struct shark_types *types, uint32_t code);

#define SHARK_PAYLOAD_MAX 12u

/* Put a record's payload to data, at most SHARK_PAYLOAD_MAX bytes. Returns its size. */
uint16_t shark_payload(const struct shark_types *types, unsigned char *data, uint32_t code, uint32_t par1,
                       uint32_t par2);

/* What a type says about the record that its events come from. */
enum shark_origin {
    SHARK_NO_RECORD,  /* they come from no record */
    SHARK_KNOWN,      /* all of the records have the same code */
    SHARK_IN_PAYLOAD, /* the payload begins with the record's code */
};

/* The origin of a type's events; *code is set if it is SHARK_KNOWN. */
enum shark_origin shark_origin(const struct trace_type *type, uint32_t *code);

#endif
