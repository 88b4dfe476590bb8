/* tlog_wire.h - every byte that leaves the target, defined once.
 *
 * The firmware and the decoder both compile this file, so it includes only tlog_cxx.h and <stdint.h>. target/FORMAT.md
 * specifies the same bytes in words and pictures. A change here needs the same change there, and a new
 * TLOG_WIRE_VERSION. All words are in the target's byte order, which the magic number shows.
 *
 * Glossary: one word for one thing, in target/, port/ and FORMAT.md
 *
 *   event           what one call logs: a record, or a traceevent
 *   record          an event in one slot as S.Ha.R.K.'s New Tracer wrote it: a code, two parameters, a 64-bit stamp
 *   traceevent      an event as QNX writes it: class, number, words of data, a 32-bit stamp. A simple event takes one
 *                   slot; a combine event takes several, side by side in one lap
 *
 *   slot            16 bytes at a multiple of 16: a record, a simple event, a part of a combine event, or empty
 *   chunk           header, normal slots, end mark, emergency slots, seal: the unit that is filled, sealed and sent
 *   end mark        16 bytes behind the last normal slot that bear both tags: they look like a slot that is never free
 *   emergency slot  a slot behind the end mark, for an important event that found no normal slot; filled only once
 *   group           up to 32 consecutive slots of a chunk that share one CRC
 *   seal            check values over a whole chunk, with one CRC per group, computed when a dump is made
 *   ring            the chunks that one CPU fills in turn; its names have a second ring of one chunk
 *   bank            the memory of one ring's chunks in one run; there are TLOG_RUNS banks per ring
 *   arena           memory for chunks that are made at run time (TLOG_ARENA); it is divided into blocks
 *   dump            bytes that contain images; an image is a copy of a chunk as it was at some moment
 *   region          a compressed image (tlog_pack.c)
 *
 *   home            the current chunk: the only chunk of a ring that events go to
 *   cursor          the word of a chunk that holds the index of the next slot to fill, and the tag of the lap
 *   lap             one filling of a chunk, from its first slot to its last; laps are counted from 1
 *   tag             two bits of word 0 of a slot: 1 = written in an odd lap, 2 = in an even lap. A cursor has them, too
 *   full, parked    a chunk is full when its cursor stands on the end mark. It is parked when its cursor bears both
 *                   tags: then no slot can be reserved until the chunk is opened again
 *   open, closed    a closed chunk is full or parked, an open chunk is neither
 *
 *   stamp           the time of an event: the low word is the clock, the high word counts the wraps of the clock
 *   wrap, half wrap 2^32 ticks, after which the 32-bit clock starts again from 0; 2^31 ticks
 *   mirror bit      bit 31 of a stamp's high word; it repeats bit 31 of the low word
 *   run, boot id    the firmware from one reset to the next; the number of a run, in the header's word `boot`
 *
 *   attempted       events that were to be logged
 *   dropped         events that were not logged, because no slot was free or because they were not allowed
 *   overwritten     events that were logged, and whose slots a later lap has filled again
 *   blackout        a time in which events were dropped; two records report it: blackout_start and blackout_end
 */
#ifndef TLOG_WIRE_H
#define TLOG_WIRE_H

#include "tlog_cxx.h"

#include <stdint.h>

#define TLOG_WIRE_VERSION 1u
#define TLOG_WIRE_MAGIC   0x00D6B7EDu /* block magic of the LTTng 2008 trace format */
#define TLOG_WIRE_TAG     0x474F4C54u /* "TLOG" in a little-endian dump */
#define TLOG_WIRE_SEAL    0x4C414553u /* "SEAL" in a little-endian dump */

/* ---- slot ---------------------------------------------------------------------------------------------------- */

struct tlog_slot {
    uint32_t word[4];
};

#define TLOG_SLOT_BYTES 16u

/* Word 0 of a slot: bits 9..8 are the tag. Bits 14..10 are 0 in a record, and the QNX class in a traceevent's slot. */
#define TLOG_TAG_SHIFT   8u
#define TLOG_TAG_ODD     0x0100u
#define TLOG_TAG_EVEN    0x0200u
#define TLOG_TAG_MASK    0x0300u
#define TLOG_CLASS_SHIFT 10u
#define TLOG_CLASS_MASK  0x7C00u

/* Word 0 of an empty slot: code 0, and the tag of the even lap 0 that comes before lap 1. */
#define TLOG_SLOT_EMPTY TLOG_TAG_EVEN

/* Record: word 0 = par1 << 16 | fast << 15 | tag | code, words 1 and 2 = stamp, high word first, word 3 = par2. */
#define TLOG_RECORD_CODE 0x00FFu
#define TLOG_RECORD_FAST 0x8000u /* logged by the unchecked path of S.Ha.R.K. */

/* High word of a stamp: bit 31 is the mirror bit, bits 30..0 count the wraps of the clock. */
#define TLOG_HIGH_MIRROR 0x80000000u

/* If the header's word `place` tells a kind of context, bits 8..0 of word 1 hold the context in which the record was
 * logged, and the wraps begin at bit 9. */
#define TLOG_CONTEXT_BITS 9u
#define TLOG_CONTEXT_MASK 0x1FFu

/* Slot of a traceevent: word 0 = struct << 30 | event 9..8 << 16 | class << 10 | tag | event 7..0, word 1 = stamp, low
 * word, words 2 and 3 = data. QNX has bits 9..8 of the event number where the tag is, so they are moved to bits 17..16:
 * the tag has the same bits in every slot. Bits 29..24, the CPU in QNX's files, are 0: the chunk tells the CPU. */
#define TLOG_STRUCT_SHIFT     30u
#define TLOG_STRUCT_S         0u /* simple: the whole event */
#define TLOG_STRUCT_CB        1u /* combine: begin */
#define TLOG_STRUCT_CC        2u /* combine: continuation */
#define TLOG_STRUCT_CE        3u /* combine: end */
#define TLOG_EVENT_LOW        0x00FFu
#define TLOG_EVENT_HIGH_SHIFT 16u
#define TLOG_EVENT_HIGH_MASK  0x3u

/* Class CONTROL: events about the trace itself, and the words of their data. Numbers below 0x100 are QNX's. */
#define TLOG_CLASS_CONTROL      1u
#define TLOG_CONTROL_TIME       0x001u /* wraps of the clock, clock */
#define TLOG_CONTROL_BUFFER     0x002u /* number of the lap from 1 on, slots of the chunk */
#define TLOG_CONTROL_BUFFER_END 0x004u /* only in QNX's files; tlog never writes it */
#define TLOG_CONTROL_DROPPED    0x008u /* only in QNX's files; tlog never writes it */
#define TLOG_CONTROL_NAME       0x100u /* kind << 16 | id, then the bytes of the name, its NUL included */
#define TLOG_CONTROL_PRINTK     0x101u /* address of the format, then the arguments: see tlog_printk.h */
#define TLOG_CONTROL_PAD        0x102u /* no data: the slot was left over at the end of a lap */

#define TLOG_CONTROL_FUNC_ENTER 0x110u /* address of the function, address it was called from */
#define TLOG_CONTROL_FUNC_EXIT  0x111u /* the same */

#define TLOG_CONTROL_FAULT 0x120u /* TLOG_FAULT_WORDS words, see target/FORMAT.md */

/* Data words of a FAULT event. The first word is kind of core << 16 | number of the exception. */
#define TLOG_FAULT_WORDS 16u
#define TLOG_FAULT_V6M   1u
#define TLOG_FAULT_V7M   2u /* ARMv7-M, ARMv8-M mainline */
#define TLOG_FAULT_V7A   3u

/* Word 0 of a traceevent's slot; struct, CPU and tag are 0. */
#define TLOG_EVENT_WORD(class, event)                                                                                  \
    ((uint32_t)(class) << TLOG_CLASS_SHIFT | ((uint32_t)(event)&TLOG_EVENT_LOW)                                        \
     | ((uint32_t)(event) >> 8 & TLOG_EVENT_HIGH_MASK) << TLOG_EVENT_HIGH_SHIFT)

/* Kinds of things that a CONTROL NAME event names. */
#define TLOG_NAME_TASK      1u  /* id = context */
#define TLOG_NAME_INTERRUPT 2u  /* id = interrupt number */
#define TLOG_NAME_MUTEX     3u  /* id = mutex number, low 16 bits */
#define TLOG_NAME_EVENT     4u  /* id = record code */
#define TLOG_NAME_BYTES     32u /* most bytes of a name, its NUL included; longer names are cut */

/* ---- chunk --------------------------------------------------------------------------------------------------- */

/* Cursor: bits 31..16 are the index of the next slot to fill, counted in slots from the cursor word itself: the first
 * slot has index 1, and in a full chunk the index is slots + 1. Bits 9..8 are the tag of this lap, or both tags if the
 * chunk is parked: then no slot is reserved until the chunk is opened again in the same lap. The other bits are 0. */
#define TLOG_CURSOR_SHIFT 16u
#define TLOG_CURSOR_STEP  0x10000u
#define TLOG_SLOTS_MAX    65534u

struct tlog_chunk {
    /* constant from the first opening of the chunk on; protected by crc */
    uint32_t magic;     /* TLOG_WIRE_MAGIC */
    uint32_t tag;       /* TLOG_WIRE_TAG: a second magic number, not the tag of a lap */
    uint32_t format;    /* version | header bytes << 16 | bytes of a pointer (LTTng arch_size) << 24 */
    uint32_t place;     /* cpu | chunk number << 8 | (role, context) << 16 | chunks of the ring << 24 */
    uint32_t self;      /* address of this header */
    uint32_t slots;     /* normal slots, 1..TLOG_SLOTS_MAX */
    uint32_t emergency; /* emergency slots, 0..TLOG_SLOTS_MAX */
    uint32_t buf_size;  /* bytes of the whole chunk, seal included (LTTng buf_size) */
    uint32_t freq;      /* clock, Hz (LTTng freq); 0 = unknown */
    uint32_t boot;      /* boot id: the number of this run, never 0 */
    uint32_t build[2];  /* build id of the firmware; 0 = not given */
    uint32_t reserved[3];
    uint32_t crc; /* CRC-32 (IEEE 802.3) of the 60 bytes above */
    /* changes while events are logged */
    uint32_t next;           /* the chunk to fill after this one: its address minus this one's, or TLOG_NEXT_STOP */
    uint32_t flags;          /* TLOG_CHUNK_* */
    uint32_t emergency_used; /* emergency slots that are reserved */
    uint32_t lost_at;        /* the clock when the first event was dropped that is not reported yet */
    uint32_t goal;           /* of a parked chunk: the chunk where logging continues, encoded like next; 0 = not told */
    uint32_t spare[3];
    uint32_t cursor;
    uint32_t lap;      /* laps so far, the current one included, << TLOG_LAP_SHIFT | tag of the current lap */
    uint32_t dropped;  /* dropped events of this CPU; counted in the first chunk of its ring */
    uint32_t reported; /* those of them that blackout_end records report */
    /* behind the header: slots[slots], struct tlog_end, emergency[emergency], struct tlog_seal, CRCs of the groups */
};

#define TLOG_HEADER_BYTES  112u
#define TLOG_CRC_BYTES     60u /* the part that crc protects */
#define TLOG_CURSOR_OFFSET 96u

#define TLOG_ROLE_MASK   0x3Fu
#define TLOG_ROLE_EVENTS 0u
#define TLOG_ROLE_NAMES  1u /* only CONTROL NAME events, which are never overwritten */

#define TLOG_ROLE_FREE 2u /* events, in a chunk of the arena: it belongs to no ring and has a number of its own */

/* Bits of `place`: the kind of context that the records of the chunk bear; 0 = they bear none. */
#define TLOG_CONTEXT_KIND      0x00C00000u
#define TLOG_CONTEXT_EXCEPTION 0x00400000u /* number of the active exception, as in IPSR of the M profile: 0 = thread */
#define TLOG_CONTEXT_MODE      0x00800000u /* mode of the processor, as in CPSR of the A profile */

#define TLOG_NEXT_STOP 1u /* a value of next: no chunk follows, logging stops when this one is full */

/* Flags, with the values of S.Ha.R.K.'s FTRACE_CHUNK_FLAG_*. They say what happens when the chunk is full. Without JTN
 * and STOP the next lap of the same chunk begins (S.Ha.R.K.: CYC). */
#define TLOG_CHUNK_FREE  0x01u /* the chunk may be selected and linked to */
#define TLOG_CHUNK_FULL  0x02u /* the chunk is full; computed from the cursor when asked for, never stored */
#define TLOG_CHUNK_JTN   0x04u /* logging continues in the chunk that `next` tells, or stops if there is none */
#define TLOG_CHUNK_STOP  0x08u /* logging stops, also with JTN */
#define TLOG_CHUNK_BUSY  0x10u /* the chunk is being sent: no new lap is begun */
#define TLOG_CHUNK_NODEL 0x20u /* the chunk must not be deleted */
#define TLOG_CHUNK_COMPR 0x40u /* a region made of the chunk is in the arena */

/* The lap word of a chunk that was never opened. The lap after a lap is (lap ^ TLOG_TAG_MASK) + TLOG_LAP_STEP. */
#define TLOG_LAP_NONE  TLOG_TAG_EVEN
#define TLOG_LAP_STEP  0x400u
#define TLOG_LAP_SHIFT 10u
#define TLOG_LAP_FIRST (TLOG_LAP_STEP | TLOG_TAG_ODD)

/* The end mark, where the slot with index slots + 1 would be. It bears both tags, so it looks taken in every lap. */
struct tlog_end {
    uint32_t mark; /* TLOG_TAG_MASK */
    uint32_t spare[3];
};

/* The seal is valid while its words equal the header's. It has one CRC-32 for each group, so damage inside one group
 * costs that group at most. The groups of the normal slots come first, then those of the emergency slots. */
#define TLOG_GROUP_SLOTS 32u

struct tlog_seal {
    uint32_t magic; /* TLOG_WIRE_SEAL */
    uint32_t cursor, lap, dropped, reported, emergency_used;
    uint32_t spare;
    uint32_t crc; /* CRC-32 of the 28 bytes above, then of the CRCs of the groups */
    /* behind it: uint32_t group[TLOG_GROUPS(slots) + TLOG_GROUPS(emergency)] */
};

#define TLOG_GROUPS(slots) (((slots) + TLOG_GROUP_SLOTS - 1u) / TLOG_GROUP_SLOTS)

/* Bytes of a chunk with that many slots, seal included. */
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

/* A compressed image of a chunk, see target/FORMAT.md. It has a head and then the groups of the chunk's slots, each
 * with a CRC of its own. The head is: magic; version and size of the head; bytes of the region; the chunk's header
 * without its first two words, magic and tag; CRC-32 of all that. */
#define TLOG_PACK_MAGIC      0x4B504C54u /* "TLPK" in a little-endian dump */
#define TLOG_PACK_VERSION    1u
#define TLOG_PACK_HEAD_BYTES 120u
#define TLOG_PACK_CRC_BYTES  116u /* the part of the head that its CRC protects */
#define TLOG_PACK_CHUNK_AT   12u  /* offset in the head of bytes 8..111 of the chunk's header */

/* A group: one word = words of the payload | bits 15..8 of word 0 of the first slot | number of the group << 16; then
 * the payload; then the CRC. These are the bytes beside the payload. */
#define TLOG_PACK_GROUP_BYTES 8u

/* A number begins with four bits that tell its length. If they are LONG, five more bits tell it; if these are all set,
 * VERBATIM, no number follows but words 1 and 2 of the slot, unchanged. */
#define TLOG_PACK_LENGTH_BITS 4u
#define TLOG_PACK_LONG        15u
#define TLOG_PACK_LONG_BITS   9u
#define TLOG_PACK_VERBATIM    31u
#define TLOG_PACK_STEP_LEAST  4u

/* Codes that are written in four bits, as their index in this table. TLOG_PACK_COMMON_HASH computes the only index that
 * a code can have. */
/* clang-format off */
#define TLOG_PACK_COMMON                                                                                               \
    {                                                                                                                  \
        0x00, 0x56, 0x62, 0x16, 0x09, 0x15, 0x52, 0x13, 0x12, 0x82, 0x36, 0x29, 0x03, 0x72, 0x01, 0x19,                \
    }
#define TLOG_PACK_COMMON_HASH(code) ((code)*471u >> 5 & 15u)
/* clang-format on */
#define TLOG_PACK_ANY_KEY 0xFFu /* stands in place of a code: bits 15..0 of word 0 follow */

/* ---- record codes ------------------------------------------------------------------------------------------------
 *
 * Those of the S.Ha.R.K. New Tracer: the low nibble is the family, the high nibble the event in the family.
 * X(code, name, meaning of par1, meaning of par2); "" = not used. FTrace_EVT_next_chunk is a command to the logger and
 * never stands in a slot. */
/* clang-format off */
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

/* clang-format on */

#define TLOG_EVENT_CODE(code, name, par1, par2) FTrace_EVT_##name = (code),
enum tlog_code { TLOG_EVENTS(TLOG_EVENT_CODE) FTrace_EVT_next_chunk = 0xFF };
#undef TLOG_EVENT_CODE

/* The families, X(family, name). A record with code 0xF0 | family tells that the family's filter was changed; par1 is
 * its new status. Source: S.Ha.R.K., FTrace_filter_*. */
/* clang-format off */
#define TLOG_FAMILIES(X)                                                                                               \
    X(0x0, trace_Events)                                                                                               \
    X(0x1, ipoint)                                                                                                     \
    X(0x2, task)                                                                                                       \
    X(0x3, interrupt)                                                                                                  \
    X(0x4, CPU)                                                                                                        \
    X(0x5, priority)                                                                                                   \
    X(0x6, mutex)                                                                                                      \
    X(0x7, signal)                                                                                                     \
    X(0x8, server)                                                                                                     \
    X(0x9, user)                                                                                                       \
    X(0xA, data)                                                                                                       \
    X(0xB, timer)
/* clang-format on */

#define TLOG_FAMILY_CODE(family, name) FTrace_filter_##name = 0xF0 | (family),
enum tlog_family { TLOG_FAMILIES(TLOG_FAMILY_CODE) FTrace_family_mask = 0x0F };
#undef TLOG_FAMILY_CODE

#endif
