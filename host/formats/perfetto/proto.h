/* proto.h - messages of protobuf, put together in memory: a tag and a value for each field; and the numbers of the
 * fields of Perfetto's messages.
 *
 * Each function puts something at `to` and returns the place behind it. The caller must have made room: a number takes
 * PROTO_NUMBER bytes at most, a text so many and its length.
 *
 * Source: protobuf.dev, "Encoding": a tag is the field's number << 3 with the kind of value in bits 2..0; a varint has
 * 7 bits in each byte, the low ones first, and bit 7 set in all but the last.
 */
#ifndef PERFETTO_PROTO_H
#define PERFETTO_PROTO_H

#include "base/bytes.h"
#include "base/printable.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PROTO_NUMBER 15u /* bytes of a tag and a varint */

enum { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2 };

static inline unsigned char *proto_varint(unsigned char *to, uint64_t value)
{
    for (; value >= 0x80u; value >>= 7)
        *to++ = (unsigned char)(value | 0x80u);
    *to++ = (unsigned char)value;
    return to;
}

/* Put a whole number. The caller has extended one with a sign to 64 bits. */
static inline unsigned char *proto_number(unsigned char *to, unsigned field, uint64_t value)
{
    return proto_varint(proto_varint(to, field << 3 | PROTO_VARINT), value);
}

static inline unsigned char *proto_double(unsigned char *to, unsigned field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    to = proto_varint(to, field << 3 | PROTO_FIXED64);
    put_le64(to, bits);
    return to + 8;
}

static inline unsigned char *proto_bytes(unsigned char *to, unsigned field, const void *from, size_t n)
{
    to = proto_varint(proto_varint(to, field << 3 | PROTO_BYTES), n);
    memcpy(to, from, n);
    return to + n;
}

/* Put a text. Protobuf wants UTF-8: a byte that is not UTF-8 becomes "?". */
static inline unsigned char *proto_chars(unsigned char *to, unsigned field, const char *text, size_t n)
{
    unsigned char *end = proto_bytes(to, field, text, n);
    utf8_mend(end - n, n);
    return end;
}

static inline unsigned char *proto_text(unsigned char *to, unsigned field, const char *text)
{
    return proto_chars(to, field, text, strlen(text));
}

/* Begin a message inside a message. Returns where its fields go; pass that to proto_end(). */
static inline unsigned char *proto_begin(unsigned char *to, unsigned field)
{
    return proto_varint(to, field << 3 | PROTO_BYTES) + 1;
}

/* The message ends at `to`: put its length in front of it. One byte is free for that; if the length takes more, the
 * fields are moved. */
static inline unsigned char *proto_end(unsigned char *fields, unsigned char *to)
{
    size_t n = (size_t)(to - fields), more = 0;
    for (size_t rest = n >> 7; rest > 0; rest >>= 7)
        more++;
    if (more > 0)
        memmove(fields + more, fields, n);
    proto_varint(fields - 1, n);
    return to + more;
}

/* The same for a text that proto_begin() began, which is also made UTF-8. */
static inline unsigned char *proto_end_text(unsigned char *text, unsigned char *to)
{
    utf8_mend(text, (size_t)(to - text));
    return proto_end(text, to);
}

/* ---- Perfetto's fields ------------------------------------------------------------------------------------------- */

/* The numbers of the fields of Perfetto's messages that are written here, each behind its message's name.
 *
 * Source: Perfetto's protos/perfetto/trace, as its documentation shows them (perfetto.dev/docs/reference/
 * trace-packet-proto); FORMAT.md says what is written into them, and why.
 */
enum {
    TRACE_PACKET = 1,

    PACKET_FTRACE_EVENTS = 1,
    PACKET_PROCESS_TREE = 2,
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE_ID = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_SYSTEM_INFO = 45,
    PACKET_CLOCK_ID = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK_DESCRIPTOR = 60,
    PACKET_FIRST_ON_SEQUENCE = 87,

    FLAG_STATE_CLEARED = 1, /* of PACKET_SEQUENCE_FLAGS */
    FLAG_NEEDS_STATE = 2,

    DEFAULTS_CLOCK_ID = 58,

    SNAPSHOT_CLOCKS = 1,
    SNAPSHOT_PRIMARY = 2,
    CLOCK_ID = 1,
    CLOCK_TIMESTAMP = 2,
    CLOCK_IS_INCREMENTAL = 3,
    CLOCK_REALTIME = 1, /* of CLOCK_ID */
    CLOCK_BOOTTIME = 6,
    CLOCK_INCREMENTAL = 64, /* the first one that a sequence may define for itself */

    INFO_UTSNAME = 1,
    INFO_NUM_CPUS = 8,
    UTSNAME_SYSNAME = 1,

    TREE_PROCESSES = 1,
    TREE_THREADS = 2,
    PROCESS_PID = 1,
    PROCESS_CMDLINE = 3,
    THREAD_TID = 1,
    THREAD_NAME = 2,
    THREAD_TGID = 3,

    BUNDLE_CPU = 1,
    BUNDLE_EVENT = 2,
    BUNDLE_LOST_EVENTS = 3,
    BUNDLE_COMPACT_SCHED = 4,
    COMPACT_SWITCH_TIMESTAMP = 1,
    COMPACT_SWITCH_PREV_STATE = 2,
    COMPACT_SWITCH_NEXT_PID = 3,
    COMPACT_SWITCH_NEXT_PRIO = 4,
    COMPACT_INTERN_TABLE = 5,
    COMPACT_SWITCH_NEXT_COMM = 6,
    COMPACT_WAKING_TIMESTAMP = 7,
    COMPACT_WAKING_PID = 8,
    COMPACT_WAKING_TARGET_CPU = 9,
    COMPACT_WAKING_PRIO = 10,
    COMPACT_WAKING_COMM = 11,
    COMPACT_WAKING_FLAGS = 12,
    FTRACE_TIMESTAMP = 1,
    FTRACE_PID = 2,
    FTRACE_SCHED_WAKEUP = 17,
    FTRACE_BLOCKED_REASON = 18,
    FTRACE_IRQ_ENTRY = 36,
    FTRACE_IRQ_EXIT = 37,
    WAKEUP_COMM = 1,
    WAKEUP_PID = 2,
    WAKEUP_PRIO = 3,
    WAKEUP_SUCCESS = 4,
    WAKEUP_TARGET_CPU = 5,
    REASON_PID = 1,
    REASON_CALLER = 2,
    REASON_IO_WAIT = 3,
    IRQ_NUMBER = 1,
    IRQ_NAME = 2,
    IRQ_RET = 2,

    DESCRIPTOR_UUID = 1,
    DESCRIPTOR_NAME = 2,
    DESCRIPTOR_PROCESS = 3,
    DESCRIPTOR_THREAD = 4,
    DESCRIPTOR_PARENT_UUID = 5,
    DESCRIPTOR_COUNTER = 8,
    DESCRIPTOR_PROCESS_PID = 1,
    DESCRIPTOR_PROCESS_NAME = 6,
    DESCRIPTOR_THREAD_PID = 1,
    DESCRIPTOR_THREAD_TID = 2,
    DESCRIPTOR_COUNTER_UNIT = 6,

    EVENT_CATEGORY_IIDS = 3,
    EVENT_ANNOTATIONS = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_LOG_MESSAGE = 21,
    EVENT_CATEGORIES = 22,
    EVENT_NAME = 23,
    EVENT_EXTRA_VALUES = 12, /* of the counters in the same place of EVENT_EXTRA_TRACKS */
    EVENT_COUNTER_VALUE = 30,
    EVENT_EXTRA_TRACKS = 31,
    TYPE_BEGIN = 1, /* of EVENT_TYPE */
    TYPE_END = 2,
    TYPE_INSTANT = 3,
    TYPE_COUNTER = 4,
    LOG_BODY_IID = 2,
    LOG_PRIO = 3,
    LOG_PRIO_DEBUG = 3, /* of LOG_PRIO */
    LOG_PRIO_INFO = 4,
    LOG_PRIO_WARN = 5,
    LOG_PRIO_ERROR = 6,

    ANNOTATION_NAME_IID = 1,
    ANNOTATION_BOOL = 2,
    ANNOTATION_UINT = 3,
    ANNOTATION_INT = 4,
    ANNOTATION_DOUBLE = 5,
    ANNOTATION_STRING = 6,
    ANNOTATION_POINTER = 7,
    ANNOTATION_NAME = 10,
    ANNOTATION_ARRAY = 12,
    ANNOTATION_STRING_IID = 17,

    INTERNED_CATEGORIES = 1,
    INTERNED_EVENT_NAMES = 2,
    INTERNED_ANNOTATION_NAMES = 3,
    INTERNED_LOG_BODIES = 20,
    INTERNED_KERNEL_SYMBOLS = 26,
    INTERNED_STRINGS = 29,
    INTERNED_IID = 1,
    INTERNED_TEXT = 2,
};

#endif
