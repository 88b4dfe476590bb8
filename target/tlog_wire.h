/* tlog_wire.h - every byte that leaves the target, written once.
 *
 * The firmware and the decoder both compile this file, so beside tlog_cxx.h it needs <stdint.h> alone. target/FORMAT.md says
 * the same in words and pictures; a change here is a change there, and of TLOG_WIRE_VERSION.
 *
 * Vocabulary
 *   slot    16 bytes, 16-aligned: one record, one traceevent slot, or empty
 *   record  a slot as S.Ha.R.K.'s New Tracer wrote it: code, two parameters, a 64-bit time stamp
 *   chunk   header, slots, end mark, emergency slots, seal: the unit that is filled, sent and found again
 *   cursor  the word of a chunk that says which slot is next, and the lap tag
 *   lap     one filling of a chunk, from its first slot to its last
 *   tag     two bits in word 0 of a slot that tell laps apart: 1 in odd laps, 2 in even ones
 *   seal    check values over a whole chunk, made when it is sent
 * All words are in the target's byte order, which the magic number shows.
 */
#ifndef TLOG_WIRE_H
#define TLOG_WIRE_H

#include "tlog_cxx.h"

#include <stdint.h>

#define TLOG_WIRE_VERSION 1u
#define TLOG_WIRE_MAGIC   0x00D6B7EDu /* block magic of the LTTng 2008 trace format */
#define TLOG_WIRE_TAG     0x474F4C54u /* "TLOG" in a little-endian dump */
#define TLOG_WIRE_SEAL    0x4C414553u /* "SEAL" likewise */

/* ---- slot ---------------------------------------------------------------------------------------------------- */

struct tlog_slot {
    uint32_t word[4];
};

#define TLOG_SLOT_BYTES 16u

/* Word 0, both kinds: bits 9..8 are the lap tag and bits 14..10 tell the kind (0 record, else a QNX class). */
#define TLOG_TAG_SHIFT   8u
#define TLOG_TAG_ODD     0x0100u
#define TLOG_TAG_EVEN    0x0200u
#define TLOG_TAG_MASK    0x0300u
#define TLOG_CLASS_SHIFT 10u
#define TLOG_CLASS_MASK  0x7C00u

/* A slot nobody has written yet, as if lap 0 had left it: code 0, tag even. */
#define TLOG_SLOT_EMPTY TLOG_TAG_EVEN

/* Record: word 0 = par1 << 16 | fast << 15 | tag | code, then time stamp high, time stamp low, par2. */
#define TLOG_RECORD_CODE 0x00FFu
#define TLOG_RECORD_FAST 0x8000u /* logged by the unchecked path of S.Ha.R.K. */

/* Time stamp high: bit 31 mirrors bit 31 of the low word, bits 30..0 count the wraps of the low word. */
#define TLOG_HIGH_MIRROR 0x80000000u

/* In chunks that say so in `place`, the context in which a record was logged stands below the wraps of word 1. */
#define TLOG_CONTEXT_BITS 9u
#define TLOG_CONTEXT_MASK 0x1FFu

/* traceevent slot: word 0 = struct << 30 | event 9..8 << 16 | class << 10 | tag | event 7..0, then time stamp low, data,
 * data. The two high event bits give their place to the tag, so that it stands where a record's does. Bits 29..24, QNX's
 * CPU, are 0: the chunk tells it. */
#define TLOG_STRUCT_SHIFT     30u
#define TLOG_STRUCT_S         0u /* simple: the whole event */
#define TLOG_STRUCT_CB        1u /* combine: begin */
#define TLOG_STRUCT_CC        2u /* combine: continuation */
#define TLOG_STRUCT_CE        3u /* combine: end */
#define TLOG_EVENT_LOW        0x00FFu
#define TLOG_EVENT_HIGH_SHIFT 16u
#define TLOG_EVENT_HIGH_MASK  0x3u

/* CONTROL class: events about the trace itself. Numbers below 0x100 belong to QNX. */
#define TLOG_CLASS_CONTROL  1u
#define TLOG_CONTROL_TIME   0x001u /* wraps of the clock, clock */
#define TLOG_CONTROL_BUFFER 0x002u /* number of the lap from 1 on, slots of the chunk */
#define TLOG_CONTROL_NAME   0x100u /* kind << 16 | id, then the name's bytes up to and with the NUL */
#define TLOG_CONTROL_PRINTK 0x101u /* address of the format, then the arguments: see tlog_printk.h */
#define TLOG_CONTROL_PAD    0x102u /* nothing: left over at the end of a lap */

#define TLOG_CONTROL_FUNC_ENTER 0x110u /* address of the function, where it was called from */
#define TLOG_CONTROL_FUNC_EXIT  0x111u /* the same */

#define TLOG_CONTROL_FAULT 0x120u /* TLOG_FAULT_WORDS words, see target/FORMAT.md */

/* Words of a FAULT. The first one: kind of core << 16 | number of the exception. */
#define TLOG_FAULT_WORDS 16u
#define TLOG_FAULT_V6M   1u
#define TLOG_FAULT_V7M   2u /* ARMv7-M, ARMv8-M mainline */
#define TLOG_FAULT_V7A   3u

/* Word 0 of an event without structure, CPU and tag. */
#define TLOG_EVENT_WORD(class, event)                                                                                  \
    ((uint32_t)(class) << TLOG_CLASS_SHIFT | ((uint32_t)(event)&TLOG_EVENT_LOW)                                        \
     | ((uint32_t)(event) >> 8 & TLOG_EVENT_HIGH_MASK) << TLOG_EVENT_HIGH_SHIFT)

/* What a CONTROL NAME names. */
#define TLOG_NAME_TASK      1u  /* id = context */
#define TLOG_NAME_INTERRUPT 2u  /* id = interrupt number */
#define TLOG_NAME_MUTEX     3u  /* id = mutex number, low 16 bits */
#define TLOG_NAME_EVENT     4u  /* id = record code */
#define TLOG_NAME_BYTES     32u /* longest name with its NUL; longer ones are cut */

/* ---- chunk --------------------------------------------------------------------------------------------------- */

/* Cursor: bits 31..16 = index of the next slot to fill, counted in slots from the cursor word itself (the first slot
 * has index 1, a full chunk stands at slots + 1), bits 9..8 = tag of this lap, or both tags: the chunk is parked, nothing
 * is written until it is filled further in the same lap. Other bits 0. */
#define TLOG_CURSOR_SHIFT 16u
#define TLOG_CURSOR_STEP  0x10000u
#define TLOG_SLOTS_MAX    65534u

struct tlog_chunk {
    /* constant from the first opening on, protected by crc */
    uint32_t magic;     /* TLOG_WIRE_MAGIC */
    uint32_t tag;       /* TLOG_WIRE_TAG */
    uint32_t format;    /* version | header bytes << 16 | bytes of a pointer (LTTng arch_size) << 24 */
    uint32_t place;     /* cpu | chunk number << 8 | (role, context) << 16 | chunks of the ring << 24 */
    uint32_t self;      /* address of this header */
    uint32_t slots;     /* normal slots, 1..TLOG_SLOTS_MAX */
    uint32_t emergency; /* emergency slots */
    uint32_t buf_size;  /* bytes of the whole chunk, seal included (LTTng buf_size) */
    uint32_t freq;      /* clock, Hz (LTTng freq); 0 = unknown */
    uint32_t boot;      /* which run of the firmware, 1.. */
    uint32_t build[2];  /* build id of the firmware; 0 = not given */
    uint32_t reserved[3];
    uint32_t crc; /* CRC-32 (IEEE 802.3) of the 60 bytes above */
    /* changes while logging */
    uint32_t next;           /* the chunk that follows: its address minus this one's, or TLOG_NEXT_STOP */
    uint32_t flags;          /* TLOG_CHUNK_* */
    uint32_t emergency_used; /* emergency slots filled, or about to be */
    uint32_t lost_at;        /* clock, low word, when the loss not yet reported began */
    uint32_t goal;           /* of a parked chunk: where to go on, like next */
    uint32_t spare[3];
    uint32_t cursor;
    uint32_t lap;      /* laps so far, the current one included, << 10, and the current lap's tag in bits 9..8 */
    uint32_t dropped;  /* events of this CPU lost for want of a slot, or refused; counted in the first chunk of its ring */
    uint32_t reported; /* ... of which the stream tells in blackout_end records */
    /* slots[slots], struct tlog_end, emergency[emergency], struct tlog_seal, groups follow */
};

#define TLOG_HEADER_BYTES  112u
#define TLOG_CRC_BYTES     60u /* the part that crc protects */
#define TLOG_CURSOR_OFFSET 96u

#define TLOG_ROLE_MASK   0x3Fu
#define TLOG_ROLE_EVENTS 0u
#define TLOG_ROLE_NAMES  1u /* CONTROL NAME slots only, never overwritten */

#define TLOG_ROLE_FREE 2u /* events, in a chunk of the arena: its number and its laps are its own */

/* What the contexts of a chunk's records are, if they bear any: bits of place. */
#define TLOG_CONTEXT_KIND      0x00C00000u
#define TLOG_CONTEXT_EXCEPTION 0x00400000u /* the exception's number, as in IPSR of the M profile: 0 = thread */
#define TLOG_CONTEXT_MODE      0x00800000u /* the processor's mode, as in CPSR of the A profile */

#define TLOG_NEXT_STOP 1u /* no chunk follows: stop when full */

/* Flags, with the values of S.Ha.R.K.'s FTRACE_CHUNK_FLAG_*. Neither JTN nor STOP: start over when full (CYC). */
#define TLOG_CHUNK_FREE  0x01u /* may be selected and linked to */
#define TLOG_CHUNK_FULL  0x02u /* reported, never stored: the cursor tells */
#define TLOG_CHUNK_JTN   0x04u /* when full go on in the next chunk, or stop if there is none */
#define TLOG_CHUNK_STOP  0x08u /* when full stop */
#define TLOG_CHUNK_BUSY  0x10u /* being sent: no new lap is begun */
#define TLOG_CHUNK_NODEL 0x20u /* not to be deleted */
#define TLOG_CHUNK_COMPR 0x40u /* a compressed region of it is in the arena */

/* Laps of a chunk that was never opened. The lap after a lap: (lap ^ TLOG_TAG_MASK) + TLOG_LAP_STEP. */
#define TLOG_LAP_NONE  TLOG_TAG_EVEN
#define TLOG_LAP_STEP  0x400u
#define TLOG_LAP_SHIFT 10u
#define TLOG_LAP_FIRST (TLOG_LAP_STEP | TLOG_TAG_ODD)

/* The end mark stands where slot slots + 1 would be. It bears both tags, so it looks taken in every lap. */
struct tlog_end {
    uint32_t mark; /* TLOG_TAG_MASK */
    uint32_t spare[3];
};

/* The seal: valid while its words equal the header's. One CRC-32 per group of 32 slots, emergency slots after the
 * normal ones, so damage costs a group at most. */
#define TLOG_GROUP_SLOTS 32u

struct tlog_seal {
    uint32_t magic; /* TLOG_WIRE_SEAL */
    uint32_t cursor, lap, dropped, reported, emergency_used;
    uint32_t spare;
    uint32_t crc; /* CRC-32 of the 28 bytes above, then of the group table */
    /* uint32_t group[TLOG_GROUPS(slots + emergency)] */
};

#define TLOG_GROUPS(slots) (((slots) + TLOG_GROUP_SLOTS - 1u) / TLOG_GROUP_SLOTS)

/* Bytes of a chunk of that many slots, seal included. */
#define TLOG_CHUNK_BYTES(slots, emergency)                                                                             \
    (TLOG_HEADER_BYTES + ((slots) + (emergency) + 1u) * TLOG_SLOT_BYTES + 32u                                          \
     + ((TLOG_GROUPS(slots) + TLOG_GROUPS(emergency) + 3u) & ~3u) * 4u)

TLOG_STATIC_ASSERT(sizeof(struct tlog_slot) == TLOG_SLOT_BYTES, "slot");
TLOG_STATIC_ASSERT(sizeof(struct tlog_chunk) == TLOG_HEADER_BYTES, "chunk header");
TLOG_STATIC_ASSERT(__builtin_offsetof(struct tlog_chunk, crc) == TLOG_CRC_BYTES, "crc");
TLOG_STATIC_ASSERT(__builtin_offsetof(struct tlog_chunk, cursor) == TLOG_CURSOR_OFFSET, "cursor");
TLOG_STATIC_ASSERT(TLOG_CURSOR_OFFSET % TLOG_SLOT_BYTES == 0, "slots are counted from the cursor");
TLOG_STATIC_ASSERT(sizeof(struct tlog_end) == TLOG_SLOT_BYTES, "end mark");
TLOG_STATIC_ASSERT(sizeof(struct tlog_seal) == 32u, "seal");

/* ---- compressed region ------------------------------------------------------------------------------------------- */

/* A chunk made smaller, see target/FORMAT.md: head (magic, version and size of the head, bytes of the region, the
 * chunk's header without magic and tag, CRC-32 of all that), then the groups of its slots, each with a CRC of its own.
 * */
#define TLOG_PACK_MAGIC      0x4B504C54u /* "TLPK" in a little-endian dump */
#define TLOG_PACK_VERSION    1u
#define TLOG_PACK_HEAD_BYTES 120u
#define TLOG_PACK_CRC_BYTES  116u /* the part that the head's CRC protects */
#define TLOG_PACK_CHUNK_AT   12u  /* offset in the head of bytes 8..111 of the chunk's header */

/* A group: word 0 = words of payload | bits 15..8 of the first slot's word 0 | number of the group << 16, then the
 * payload, then the check. */
#define TLOG_PACK_GROUP_BYTES 8u

/* Numbers: four bits of length, LONG and beyond five bits more, all set to say that words 1 and 2 follow as they are.
 * */
#define TLOG_PACK_LENGTH_BITS 4u
#define TLOG_PACK_LONG        15u
#define TLOG_PACK_LONG_BITS   9u
#define TLOG_PACK_VERBATIM    31u
#define TLOG_PACK_STEP_LEAST  4u

/* Codes that are written in four bits: where they stand in the table follows from the code itself. */
#define TLOG_PACK_COMMON                                                                                               \
    {                                                                                                                  \
        0x00, 0x56, 0x62, 0x16, 0x09, 0x15, 0x52, 0x13, 0x12, 0x82, 0x36, 0x29, 0x03, 0x72, 0x01, 0x19,                \
    }
#define TLOG_PACK_COMMON_HASH(code) ((code)*471u >> 5 & 15u)
#define TLOG_PACK_ANY_KEY           0xFFu /* not a code: 16 bits follow, those of word 0 */

/* ---- record codes ---------------------------------------------------------------------------------------------
 * S.Ha.R.K. New Tracer: low nibble = family, high nibble = event in the family.
 * X(code, name, what par1 is, what par2 is); "" = not used. FTrace_EVT_next_chunk is a command, never on the wire. */
#define TLOG_EVENTS(X)                                                                                                 \
    X(0x10, cycles_per_msec, "", "clk_per_msec")                                                                       \
    X(0x20, trace_start, "context", "clk_per_msec")                                                                    \
    X(0x30, trace_stop, "", "")                                                                                        \
    X(0x40, blackout_start, "", "ticks_ago")                                                                           \
    X(0x50, blackout_end, "", "count")                                                                                 \
    X(0x60, id, "context", "pid")                                                                                      \
    X(0x70, numevents, "", "count")                                                                                    \
    X(0x01, ipoint, "number", "")                                                                                      \
    X(0x02, task_create, "context", "pid")                                                                             \
    X(0x12, task_activate, "context", "")                                                                              \
    X(0x22, task_dispatch, "", "")                                                                                     \
    X(0x32, task_epilogue, "", "")                                                                                     \
    X(0x42, task_end, "context", "pid")                                                                                \
    X(0x52, task_begin_cycle, "context", "")                                                                           \
    X(0x62, task_end_cycle, "context", "level")                                                                        \
    X(0x72, task_sleep, "context", "")                                                                                 \
    X(0x82, task_schedule, "exec_shadow", "exec")                                                                      \
    X(0x92, task_timer, "context", "level")                                                                            \
    X(0xA2, task_disable, "context", "level")                                                                          \
    X(0xB2, task_deadline_miss, "context", "level")                                                                    \
    X(0xC2, task_wcet_violation, "context", "level")                                                                   \
    X(0x03, interrupt_start, "number", "")                                                                             \
    X(0x13, interrupt_end, "number", "")                                                                               \
    X(0x23, interrupt_hit, "number", "")                                                                               \
    X(0x33, interrupt_count, "number", "count")                                                                        \
    X(0x04, to_real_mode, "", "")                                                                                      \
    X(0x14, to_protected_mode, "", "")                                                                                 \
    X(0x24, CLI, "", "")                                                                                               \
    X(0x34, STI, "", "")                                                                                               \
    X(0x05, set_priority, "context", "priority")                                                                       \
    X(0x15, context_switch, "context", "")                                                                             \
    X(0x25, inheritance, "exec_shadow", "exec")                                                                        \
    X(0x06, set_mutex_create, "context", "mutex")                                                                      \
    X(0x16, set_mutex_lock, "context", "mutex")                                                                        \
    X(0x26, set_mutex_inherit, "context", "mutex")                                                                     \
    X(0x36, set_mutex_unlock, "context", "mutex")                                                                      \
    X(0x46, set_mutex_wait, "context", "mutex")                                                                        \
    X(0x56, set_mutex_post, "context", "mutex")                                                                        \
    X(0x07, signal, "context", "signal")                                                                               \
    X(0x08, server_create, "", "server")                                                                               \
    X(0x18, server_replenish, "", "server")                                                                            \
    X(0x28, server_exhaust, "", "server")                                                                              \
    X(0x38, server_reclaiming, "", "server")                                                                           \
    X(0x48, server_remove, "", "server")                                                                               \
    X(0x58, server_active, "", "server")                                                                               \
    X(0x68, server_using_rec, "reclaiming", "server")                                                                  \
    X(0x09, user_event_0, "par1", "par2")                                                                              \
    X(0x19, user_event_1, "par1", "par2")                                                                              \
    X(0x29, user_event_2, "par1", "par2")                                                                              \
    X(0x39, user_event_3, "par1", "par2")                                                                              \
    X(0x49, user_event_4, "par1", "par2")                                                                              \
    X(0x59, user_event_5, "par1", "par2")                                                                              \
    X(0x69, user_event_6, "par1", "par2")                                                                              \
    X(0x79, user_event_7, "par1", "par2")                                                                              \
    X(0x89, user_event_8, "par1", "par2")                                                                              \
    X(0x99, user_event_9, "par1", "par2")                                                                              \
    X(0xA9, user_event_10, "par1", "par2")                                                                             \
    X(0xB9, user_event_11, "par1", "par2")                                                                             \
    X(0xC9, user_event_12, "par1", "par2")                                                                             \
    X(0xD9, user_event_13, "par1", "par2")                                                                             \
    X(0xE9, user_event_14, "par1", "par2")                                                                             \
    X(0x1A, data_pointer, "type", "address")                                                                           \
    X(0x0B, timer_post, "context", "timer")                                                                            \
    X(0x1B, timer_delete, "context", "timer")                                                                          \
    X(0x2B, timer_wakeup_start, "context", "timer")                                                                    \
    X(0x3B, timer_wakeup_end, "context", "timer")

#define TLOG_EVENT_CODE(code, name, par1, par2) FTrace_EVT_##name = (code),
enum tlog_code { TLOG_EVENTS(TLOG_EVENT_CODE) FTrace_EVT_next_chunk = 0xFF };
#undef TLOG_EVENT_CODE

/* A filter change: code 0xF0 | family, par1 = status. S.Ha.R.K. FTrace_filter_*. X(family, name) */
#define TLOG_FAMILIES(X)                                                                                               \
    X(0x0, trace_Events)                                                                                               \
    X(0x1, ipoint)                                                                                                     \
    X(0x2, task)                                                                                                       \
    X(0x3, interrupt)                                                                                                  \
    X(0x4, CPU) X(0x5, priority) X(0x6, mutex) X(0x7, signal) X(0x8, server) X(0x9, user) X(0xA, data) X(0xB, timer)

#define TLOG_FAMILY_CODE(family, name) FTrace_filter_##name = 0xF0 | (family),
enum tlog_family { TLOG_FAMILIES(TLOG_FAMILY_CODE) FTrace_family_mask = 0x0F };
#undef TLOG_FAMILY_CODE

#endif
