/* shark_types.h - the types of the events that records of S.Ha.R.K. become, for every reader and writer of such
 * records.
 *
 * Prefix: shark_ names in events/ are about records, whatever file they come from: a raw trace file (formats/shark/),
 * or a tlog dump (formats/native/). Records are described in target/tlog_wire.h. Types are of system "shark".
 */
#ifndef EVENTS_SHARK_TYPES_H
#define EVENTS_SHARK_TYPES_H

#include "model/trace.h"

#define SHARK_TYPE_NONE  UINT16_MAX
#define SHARK_CODES      256u
#define SHARK_NAME_BYTES 48u

/* What is known, by the type of an event, of the record that it comes from. */
enum shark_origin {
    SHARK_NO_RECORD,  /* it comes from no record */
    SHARK_KNOWN,      /* all events of the type come from records with one code */
    SHARK_IN_PAYLOAD, /* the payload begins with the record's code */
};

/* A type with the firmware's names of a record code, and of its parameters. */
struct shark_named {
    struct tlog_type type; /* its system is the one below, by which shark_origin() knows such types */
    struct tlog_field field[3];
    enum shark_origin origin;
    uint32_t code;
    char system[sizeof "shark"];
    char name[SHARK_NAME_BYTES];
    char parameters[SHARK_NAME_BYTES]; /* their names, each with its NUL */
};

/* Types of a trace, as indices in struct trace. The payload of the types in record[] is u32 par1, par2; that of the
 * types in other[] u32 code, par1, par2. */
struct shark_types {
    uint16_t record[SHARK_CODES];          /* by code; SHARK_TYPE_NONE: no table has the code */
    uint16_t other[SHARK_CODES];           /* by code, for the codes that no table has */
    uint16_t unknown;                      /* for codes of more than 8 bits */
    uint16_t loss, damage;                 /* u64 count */
    struct shark_named named[SHARK_CODES]; /* types of codes to which the firmware gave a name */
};

/* Declare all types to the trace. *types must live as long as the trace. */
void shark_types_declare(struct shark_types *types, struct trace *trace);

/* Declare further types for the record codes to which the firmware gave names, once the trace has these. The text may
 * name the two parameters as well: "adc_sample(channel,value)" or, with their forms, "adc_sample: ch=%u mv=%d". A
 * parameter called task, irq or mutex is the number of one, and is shown by its name. */
void shark_types_name(struct shark_types *types, struct trace *trace);

/* What a parameter is, as its name tells: task, irq, mutex, queue, timer and so on, else TLOG_KIND_UNSIGNED. */
enum tlog_kind shark_kind_called(const char *name);

/* The type of a record with that code. The code may have more than 8 bits if the file is damaged. */
uint16_t shark_type(const struct shark_types *types, uint32_t code);

#define SHARK_PAYLOAD_MAX 12u

/* Put a record's payload to data, at most SHARK_PAYLOAD_MAX bytes. Returns its size. */
uint16_t shark_payload(const struct shark_types *types, unsigned char *data, uint32_t code, uint32_t par1,
                       uint32_t par2);

/* The origin of a type's events; *code is set if it is SHARK_KNOWN. */
enum shark_origin shark_origin(const struct tlog_type *type, uint32_t *code);

#endif
