/* rtos_types.h - the types of records about an operating system's objects: those of TLOG_RTOS_EVENTS (tlog_wire.h).
 *
 * The code of such a record tells the operation, and its first parameter the kind of object. Each pair of these is a
 * type of its own, such as rtos:queue_send, which is made when its first event comes. The payload begins with both
 * parameters of the record, as that of every record does.
 */
#ifndef EVENTS_RTOS_TYPES_H
#define EVENTS_RTOS_TYPES_H

#include "base/bytes.h"
#include "model/trace.h"
#include "tlog_wire.h"

#define RTOS_TYPE_NONE    UINT16_MAX
#define RTOS_PLACES       0x4000u
#define RTOS_NAME_BYTES   48u
#define RTOS_PAYLOAD_SIZE 8u

struct rtos_type;

struct rtos_types {
    struct trace *trace;
    struct rtos_type *last;      /* the type that was made last; each one leads to the one before */
    uint16_t index[RTOS_PLACES]; /* by rtos_place(), in struct trace; RTOS_TYPE_NONE: not made */
};

/* Whether a record code is one of TLOG_RTOS_EVENTS. */
static inline bool rtos_is_code(uint32_t code)
{
    return (code & 0xFu) == TLOG_RTOS_FAMILY && code > TLOG_RTOS_FAMILY && code < 0xF0u;
}

/* Sets of record codes: bit code >> 4 of a set stands for a code. par1 of a code in either set has the kind of object
 * in its low bits. Above these it has a count, for a code WITH_COUNT, or the number of an operation, for a code
 * WITH_REASON. */
#define RTOS_OF(name)     (1u << TLOG_RTOS_##name)
#define RTOS_WITH_COUNT   (RTOS_OF(create) | RTOS_OF(delete) | RTOS_OF(send) | RTOS_OF(receive))
#define RTOS_WITH_REASON  (RTOS_OF(fail) | RTOS_OF(block) | RTOS_OF(other))
#define RTOS_HAS(code, w) (((w) >> ((code) >> 4) & 1u) != 0)

/* Index of a record's type in rtos_types.index; 0, where no type ever is, if there is no operation of that number. */
static inline uint32_t rtos_place(uint32_t code, uint32_t par1)
{
    uint32_t kind = RTOS_HAS(code, RTOS_WITH_COUNT | RTOS_WITH_REASON) ? par1 & TLOG_RTOS_KIND_MASK : 0;
    uint32_t operation = RTOS_HAS(code, RTOS_WITH_REASON) ? par1 >> TLOG_RTOS_COUNT_SHIFT : 0;
    return operation < 32u ? (code >> 4) << 10 | kind << 5 | operation : 0;
}

/* Put the payload of such a record to data. A count in par1 becomes a field of its own. */
static inline void rtos_put(unsigned char *data, uint32_t code, uint32_t par1, uint32_t par2)
{
    uint32_t count = RTOS_HAS(code, RTOS_WITH_COUNT) ? par1 >> TLOG_RTOS_COUNT_SHIFT : 0;
    put_le32(data, par1 | count << 16);
    put_le32(data + 4, par2);
}

/* Nothing is declared yet. The trace must live as long. */
void rtos_types_start(struct rtos_types *types, struct trace *trace);

/* Free all types. The trace's writer must be closed. */
void rtos_types_free(struct rtos_types *types);

/* Like shark_payload(), for a record with such a code. Returns 0 if it is none of these: its kind or operation is not
 * known, or the firmware has given the code a name of its own. */
uint16_t rtos_types_payload(struct rtos_types *types, unsigned char *data, uint32_t code, uint32_t par1, uint32_t par2,
                            uint16_t *type);

/* The name of a kind of object, by its number from TLOG_NAME_OBJECT on, below TLOG_OBJECTS. */
const char *rtos_object_name(uint32_t number);

/* The code of the records that events of a type come from; 0: they come from no such record. */
uint32_t rtos_types_code(const struct tlog_type *type);

#endif
