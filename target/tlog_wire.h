/* SPDX-License-Identifier: MIT */
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
 *   head            the last word of a slot. It tells what the slot holds, and is written last
 *   chunk           header, normal slots, end mark, emergency slots, seal: the unit that is filled, sealed and sent
 *   end mark        16 bytes behind the last normal slot that bear both tags: they look like a slot that is never free
 *   emergency slot  a slot behind the end mark, for an important event that found no normal slot; filled only once
 *   fact            a name or a value that stays true until it is changed, in one or more slots side by side of a chunk
 *                   that has only facts
 *   group           up to 32 consecutive slots of a chunk that share one CRC
 *   claimed         a slot that writers pass, because the writer that reserved it in an earlier lap has not filled it.
 *                   It bears both tags. A note at the end of the chunk tells its number, and the lap that passed it
 *   seal            check values over a whole chunk, with one CRC per group, computed when a dump is made
 *   ring            the chunks that one CPU fills in turn; its names have a second ring of one chunk
 *   bank            the memory of one ring's chunks in one run; there are TLOG_RUNS banks per ring
 *   arena           memory for chunks that are made at run time (TLOG_ARENA), divided into blocks
 *   image           a copy of a chunk as it was at some moment
 *   dump            bytes that contain images
 *   region          a compressed image (tlog_pack.c)
 *
 *   home            the current chunk: the only chunk of a ring that events go to
 *   cursor          the word of a chunk that holds the index of the next slot to fill, and the tag of the lap
 *   lap             one filling of a chunk, from its first slot to its last; laps are counted from 1
 *   tag             two bits of the head of a slot: 1 = written in an odd lap, 2 = in an even lap. A cursor has these
 *                   bits, too
 *   full, parked    full: the cursor stands on the end mark. Parked: the cursor bears both tags. In either state no
 *                   slot can be reserved until the chunk is opened again
 *   open, closed    a closed chunk is full or parked, an open chunk is neither
 *
 *   stamp           the time of an event: the low word is the clock, the high word counts the wraps of the clock
 *   wrap, half wrap 2^32 ticks, after which the 32-bit clock starts again from 0; 2^31 ticks
 *   mirror bit      bit 31 of a stamp's high word; it repeats bit 31 of the low word
 *   run, boot id    the firmware from one reset to the next; the number of a run, in the header's word `boot`
 *
 *   attempted       all events that the program logs: those that are kept, dropped and overwritten
 *   dropped         events that were not logged: no slot was free, or their code is not allowed
 *   overwritten     events that were logged; a later lap has filled their slots again
 *   extra           slots behind which the cursor stands and that are no event of their own: further slots of a combine
 *                   event, slots that were left over or claimed, records of a loss, and slots that tell the time
 *   blackout        a time in which events were dropped; two records report it: blackout_start and blackout_end
 */
#ifndef TLOG_WIRE_H
#define TLOG_WIRE_H

#include "src/tlog_cxx.h"

#include <stdint.h>

#define TLOG_WIRE_VERSION 2u
#define TLOG_WIRE_MAGIC   0x00D6B7EDu /* block magic of the LTTng 2008 trace format */
#define TLOG_WIRE_TAG     0x474F4C54u /* "TLOG" in a little-endian dump */
#define TLOG_WIRE_SEAL    0x4C414553u /* "SEAL" in a little-endian dump */

/* ---- slot ---------------------------------------------------------------------------------------------------- */

struct tlog_slot {
    uint32_t word[4];
};

#define TLOG_SLOT_BYTES 16u

/* The words of a slot, from the first to the last. In a slot of a traceevent words 0 and 1 are data. The order lets one
 * instruction that stores ascending registers to ascending addresses fill a slot and write the head last. */
#define TLOG_WORD_PAR2 0u
#define TLOG_WORD_HIGH 1u /* of the stamp of a record */
#define TLOG_WORD_LOW  2u /* of the stamp: the clock */
#define TLOG_WORD_HEAD 3u

/* Head of a slot: bits 9..8 are the tag. Bits 14..10 are 0 in a record, and the QNX class in a traceevent's slot. */
#define TLOG_TAG_SHIFT   8u
#define TLOG_TAG_ODD     0x0100u
#define TLOG_TAG_EVEN    0x0200u
#define TLOG_TAG_MASK    0x0300u
#define TLOG_CLASS_SHIFT 10u
#define TLOG_CLASS_MASK  0x7C00u

/* Head of an empty slot: code 0, and the tag of the even lap 0 that comes before lap 1. */
#define TLOG_SLOT_EMPTY TLOG_TAG_EVEN

/* Head of a slot that another context has claimed while tlog_start() was emptying it: both tags, and a bit that says
 * that there is no note of it. A slot that is claimed later may have more in its head. */
#define TLOG_SLOT_CLAIMED (TLOG_TAG_MASK | 0x0400u)

/* Record: word 0 = par2, words 1 and 2 = stamp, high word first, head = par1 << 16 | fast << 15 | tag | code. */
#define TLOG_RECORD_CODE 0x00FFu
#define TLOG_RECORD_FAST 0x8000u /* logged by the unchecked path of S.Ha.R.K. */

/* High word of a stamp: bit 31 is the mirror bit, bits 30..0 count the wraps of the clock. */
#define TLOG_HIGH_MIRROR 0x80000000u

/* Where the header's word `place` tells a kind of context: bits 8..0 of word 1 are the context in which the record was
 * logged, and the wraps begin at bit 9. */
#define TLOG_CONTEXT_BITS 9u
#define TLOG_CONTEXT_MASK 0x1FFu

/* Slot of a traceevent: words 0 and 1 = data, word 2 = stamp, low word, head = struct << 30 | event 9..8 << 16
 * | class << 10 | tag | event 7..0. Bits 9..8 of the event number are in bits 17..16, because the tag takes the place
 * that QNX gives them. Bits 29..24 are the CPU in QNX's files, and 0 here: the chunk tells the CPU. */
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
#define TLOG_CONTROL_NAME       0x100u /* only in QNX's files: kind << 16 | id, then the name, its NUL included */
#define TLOG_CONTROL_PRINTK     0x101u /* address of the format, then the arguments: see tlog_printk.h */
#define TLOG_CONTROL_PAD        0x102u /* no data: the slot was left over, because an event had no room there */
#define TLOG_CONTROL_COARSE     0x103u /* the coarse clock, the wraps of the clock: see the header's word coarse_freq */
#define TLOG_CONTROL_TRIGGER    0x104u /* events that are recorded behind this one, or ~0: the trigger was taken back */
#define TLOG_CONTROL_OWN        0x105u /* + kind: address of an own event's description, then its fields */

#define TLOG_CONTROL_FUNC_ENTER 0x110u /* address of the function, address it was called from */
#define TLOG_CONTROL_FUNC_EXIT  0x111u /* the same */

#define TLOG_CONTROL_RATE  0x108u /* the clock's rate has changed: enum tlog_rate_word, see target/FORMAT.md */
#define TLOG_CONTROL_FAULT 0x120u /* TLOG_FAULT_WORDS words, see target/FORMAT.md */

/* Data words of a RATE event. */
enum tlog_rate_word {
    TLOG_RATE_WRAPS, /* when the rate changed: wraps of the clock, and the clock */
    TLOG_RATE_LOW,
    TLOG_RATE_NS, /* the same in ns since the start of the run: low word, high word, and 2^-32 ns */
    TLOG_RATE_NS_HIGH,
    TLOG_RATE_FRACTION,
    TLOG_RATE_BEFORE, /* ticks per second before; 0 = not known, the new rate counts */
    TLOG_RATE_HZ,     /* ticks per second from now on */
    TLOG_RATE_CHECK,  /* TLOG_FACT_MIX() over the words ahead of this one, from 0 on */
    TLOG_RATE_WORDS
};
#define TLOG_RATE_SLOTS (TLOG_RATE_WORDS / 2u)

/* Data words of a FAULT event. The first word is kind of core << 16 | number of the exception. */
#define TLOG_FAULT_WORDS 16u
#define TLOG_FAULT_V6M   1u
#define TLOG_FAULT_V7M   2u /* ARMv7-M, ARMv8-M mainline */
#define TLOG_FAULT_V7A   3u

/* Head of a traceevent's slot; struct, CPU and tag are 0. */
#define TLOG_EVENT_WORD(class, event)                                                                                  \
    (TLOG_U32(class) << TLOG_CLASS_SHIFT | (TLOG_U32(event) & TLOG_EVENT_LOW)                                          \
     | (TLOG_U32(event) >> 8 & TLOG_EVENT_HIGH_MASK) << TLOG_EVENT_HIGH_SHIFT)

/* Own events (tlog_define.h): class TLOG_CLASS_OWN + group, event = kind << 8 | id. The linker gives the id: each event
 * has a byte in a section that begins at the address class << TLOG_CLASS_SHIFT, and the byte's address is the head of
 * the event. Section tlog_event describes them. Neither section is loaded. In the portable form the description stands
 * in flash, and its address in the event. */
#define TLOG_CLASS_OWN      12u
#define TLOG_OWN_GROUPS     4u
#define TLOG_OWN_EVENT      0u /* kinds: an event or a counter */
#define TLOG_OWN_BEGIN      1u /* of a span */
#define TLOG_OWN_END        2u
#define TLOG_OWN_VERSION    1u          /* of descriptions */
#define TLOG_OWN_MAGIC      0x54564554u /* "TEVT": the first word of a description in flash */
#define TLOG_OWN_TEXT_BYTES 64u         /* most bytes of a text field, its NUL included */

/* Without TLOG_TRACEEVENTS an own event is a record with this code: par1 = kind << 12 | group << 8 | id, par2 = fields.
 */
#define TLOG_RECORD_OWN 0x0Fu

/* ---- facts -----------------------------------------------------------------------------------------------------
 *
 * In a chunk of role TLOG_ROLE_NAMES. Words 0..2 of a fact's slots are its data: first the id, in as many words as a
 * pointer has, the low word first; then a text and zeros, or a value. Head of each slot: more << 31 | check << 16
 * | released << 15 | class CONTROL | tag | kind. The tag of the first slot is ODD if the fact is valid, and MASK while
 * it is being written; check has no meaning then. */
#define TLOG_FACT_KIND        0x00FFu
#define TLOG_FACT_RELEASED    0x8000u /* its room may be used for other facts */
#define TLOG_FACT_CHECK_SHIFT 16u
#define TLOG_FACT_CHECK_MASK  0x7FFFu
#define TLOG_FACT_MORE        0x80000000u /* the next slot belongs to the same fact */

/* Head of a fact's slot; more, check and tag are 0. Kind 0: the slots are free. */
#define TLOG_FACT_HEAD(kind) ((uint32_t)TLOG_CLASS_CONTROL << TLOG_CLASS_SHIFT | ((uint32_t)(kind)&TLOG_FACT_KIND))

/* The check: begin with kind | slots << 8, mix in all words of the data, and take the low bits. */
#define TLOG_FACT_MIX(sum, word) TLOG_FACT_FOLD(((sum) ^ (uint32_t)(word)) * TLOG_CHECK_ROOT)
#define TLOG_FACT_FOLD(sum)      ((sum) << 15 | (sum) >> 17)

/* Kinds of facts that are names. */
#define TLOG_NAME_TASK           1u  /* id = context */
#define TLOG_NAME_INTERRUPT      2u  /* id = interrupt number */
#define TLOG_NAME_HANDLER        '@' /* an interrupt's name: this and the handler's address, 8 hexadecimal digits */
#define TLOG_NAME_MUTEX          3u  /* id = mutex */
#define TLOG_NAME_EVENT          4u  /* id = record code */
#define TLOG_NAME_OBJECT         5u  /* from here on id = address or number of an object: of any kind ... */
#define TLOG_NAME_QUEUE          6u
#define TLOG_NAME_QUEUE_SET      7u
#define TLOG_NAME_SEMAPHORE      8u
#define TLOG_NAME_TIMER          9u
#define TLOG_NAME_EVENT_GROUP    10u
#define TLOG_NAME_STREAM_BUFFER  11u
#define TLOG_NAME_MESSAGE_BUFFER 12u
#define TLOG_NAME_MAILBOX        13u
#define TLOG_NAME_PIPE           14u
#define TLOG_NAME_MEMORY_POOL    15u
#define TLOG_NAME_HEAP           16u
#define TLOG_NAME_CONDITION      17u
#define TLOG_NAME_NOTIFICATION   18u
#define TLOG_NAME_BARRIER        19u
#define TLOG_NAME_LOCK           20u
#define TLOG_NAME_WORK_QUEUE     21u
#define TLOG_NAME_COUNTER        22u
#define TLOG_NAME_ORDER          32u /* id = 0; no name, but which priorities are the more important ones, as follows */
#define TLOG_NAME_BYTES          32u /* most bytes of a name, its NUL included; longer names are cut */

/* The texts of TLOG_NAME_ORDER. */
#define TLOG_LOWEST_FIRST  "lowest"  /* a smaller number is more important */
#define TLOG_HIGHEST_FIRST "highest" /* a larger one */

/* Kinds from here on are values, of one word. */
#define TLOG_FACT_VALUES   128u
#define TLOG_FACT_PRIORITY 128u /* id = context; the priority of the task */
#define TLOG_FACT_WORDS    192u /* kinds from here on have 1 to 6 words */
#define TLOG_FACT_RATE     192u /* id = 0; the last change of the clock's rate: TLOG_RATE_WRAPS to _FRACTION, _HZ */

/* The word of a TLOG_FACT_PRIORITY: bits 15..0 the priority, signed; 16: it is being changed; 23..17 count its changes;
 * 31..24 check the others, unless it is being changed. */
#define TLOG_PRIORITY_CHANGING    0x00010000u
#define TLOG_PRIORITY_STEP        0x00020000u
#define TLOG_PRIORITY_COUNT       0x00FE0000u
#define TLOG_PRIORITY_CHECK(word) (((word)&0x00FFFFFFu) * TLOG_CHECK_ROOT & 0xFF000000u)

/* par2 of a set_priority record whose context has a TLOG_FACT_PRIORITY. If bits 31..16 are all equal: the priority,
 * signed. Else bits 31..16 are the priority before + TLOG_PRIORITY_BIAS, and bits 15..0 the priority, signed. */
#define TLOG_PRIORITY_BIAS 0x8000u
#define TLOG_PRIORITY_MOST 32766

/* ---- chunk --------------------------------------------------------------------------------------------------- */

/* Cursor: bits 31..16 are the index of the next slot to fill, counted in slots from the cursor word itself: the first
 * slot has index 1, and in a full chunk the index is slots + 1. Bits 9..8 are the tag of this lap, or both tags if the
 * chunk is parked: then no slot is reserved until the chunk is opened again in the same lap. The other bits are 0. */
#define TLOG_CURSOR_SHIFT 16u
#define TLOG_CURSOR_STEP  0x10000u
#define TLOG_SLOTS_MAX    65534u

struct tlog_chunk {
    /* constant from the first opening of the chunk on; protected by check */
    uint32_t magic;       /* TLOG_WIRE_MAGIC */
    uint32_t tag;         /* TLOG_WIRE_TAG: a second magic number, not the tag of a lap */
    uint32_t format;      /* version | header bytes << 16 | bytes of a pointer (LTTng arch_size) << 24 */
    uint32_t place;       /* cpu | chunk number << 8 | (role, context) << 16 | chunks of the ring << 24 */
    uint32_t slots;       /* normal slots, 1..TLOG_SLOTS_MAX */
    uint32_t emergency;   /* emergency slots, 0..TLOG_SLOTS_MAX */
    uint32_t buf_size;    /* bytes of the whole chunk, seal included (LTTng buf_size) */
    uint32_t freq;        /* clock, Hz (LTTng freq); 0 = unknown */
    uint32_t coarse_freq; /* coarse clock, Hz; 0 = there is none */
    uint32_t needs;       /* what a decoder must know to read this chunk rightly: TLOG_NEEDS_* */
    uint32_t self;        /* address of this header, low and high word */
    uint32_t self_high;
    uint32_t boot;     /* boot id: the number of this run, never 0 */
    uint32_t build[2]; /* build id of the firmware; 0 = not given */
    uint32_t check;    /* the sum of TLOG_CHECK_TERM() of the 15 words above, modulo 2^32 */
    /* changes while events are logged */
    uint32_t next;           /* the chunk to fill after this one: its address minus this one's, or TLOG_NEXT_STOP */
    uint32_t flags;          /* TLOG_CHUNK_* */
    uint32_t emergency_used; /* emergency slots that are reserved */
    uint32_t lost_at;        /* clock, and its wraps, when the first event was dropped that is not reported yet */
    uint32_t lost_high;
    uint32_t goal;         /* of a parked chunk: the chunk where logging continues, encoded like next; 0 = not told */
    uint32_t trigger;      /* events that are still to be recorded, | TLOG_TRIGGER_ARMED; 0 = no trigger */
    uint32_t dropped_high; /* see TLOG_COUNT_MIRROR: of dropped, lap, extra */
    uint32_t lap_high;
    uint32_t extra_high;
    uint32_t reported; /* dropped events that blackout_end records report, low and high word as dropped has them */
    uint32_t reported_high;
    uint32_t cursor;
    uint32_t lap;     /* laps so far, the current one included, << TLOG_LAP_SHIFT | tag of the current lap */
    uint32_t dropped; /* dropped events of this CPU; counted in the first chunk of its ring */
    uint32_t extra;   /* slots that were passed and are no event of their own */
    /* behind the header: slots[slots], struct tlog_end, emergency[emergency], struct tlog_claims, struct tlog_seal,
     * CRCs of the groups */
};

#define TLOG_HEADER_BYTES  128u
#define TLOG_CHECK_WORDS   15u /* the words that check protects */
#define TLOG_CURSOR_OFFSET 112u

/* What word i of the header, from 0 on, adds to `check`. Its factor is the power i + 1 of TLOG_CHECK_ROOT, modulo 2^32.
 * The factors are odd, so any change of one word changes the sum. By the sum a byte that was changed can be found. */
#define TLOG_CHECK_ROOT               0x9E3779B1u
#define TLOG_CHECK_TERM(word, factor) (((uint32_t)(word) ^ (uint32_t)(word) >> 16) * (factor))

/* The high word of a count: bit 31 repeats bit 31 of the low word, bits 30..0 count how often the low word wrapped. If
 * bit 31 differs, the high word is about to be carried over: by 0x80000000, and by 1 more if its bit 31 is set. */
#define TLOG_COUNT_MIRROR 0x80000000u

/* The code of the records blackout_start and blackout_end, which report a loss; no event can be logged with it. par1:
 * bit 0 is 0 in the first one, 1 in the second; bits 15..1 are bits 46..32 of the value whose low word is par2. */
#define TLOG_RECORD_LOSS      0xFFu
#define TLOG_LOSS_END         1u
#define TLOG_LOSS_VALUE_SHIFT 1u

/* The same two records tell of a pause, in which logging was off. Then bit 15 of par1 is set, and the value has 46
 * bits. That of the second record tells what was not counted, by bits of the filter (tlog_filter_bit()); bit 31:
 * everything that was logged. */
#define TLOG_LOSS_PAUSED 0x8000u
#define TLOG_PAUSE_HIGH  0x7FFEu /* bits 14..1 of par1: bits 45..32 of the value */
#define TLOG_PAUSE_ALL   0x80000000u

#define TLOG_TRIGGER_ARMED 0x80000000u

/* Bits of `needs`. A decoder refuses a chunk with a bit that it does not know. */
#define TLOG_NEEDS_RATES 0x00000001u /* the clock's rate changes: CONTROL RATE events tell how, and freq is 0 */
#define TLOG_NEEDS_KNOWN TLOG_NEEDS_RATES

#define TLOG_ROLE_MASK   0x3Fu
#define TLOG_ROLE_EVENTS 0u
#define TLOG_ROLE_NAMES  1u /* facts; no events */
#define TLOG_ROLE_FREE   2u /* events, in a chunk of the arena: it belongs to no ring and has a number of its own */

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
#define TLOG_CHUNK_HALT  0x80u /* a trigger has stopped logging here, though the chunk may not be full */

/* The lap word of a chunk that was never opened. The lap after a lap is (lap ^ TLOG_TAG_MASK) + TLOG_LAP_STEP. */
#define TLOG_LAP_NONE  TLOG_TAG_EVEN
#define TLOG_LAP_STEP  0x10000u
#define TLOG_LAP_SHIFT 16u
#define TLOG_LAP_FIRST (TLOG_LAP_STEP | TLOG_TAG_ODD)

/* The end mark, where the slot with index slots + 1 would be. It bears both tags, so it looks taken in every lap. */
struct tlog_end {
    uint32_t spare[3];
    uint32_t mark; /* TLOG_TAG_MASK */
};

/* Notes of claimed slots: number of the slot | low 16 bits of the number of the lap in which it was passed last << 16;
 * 0 = no note. */
#define TLOG_CLAIMS          8u
#define TLOG_CLAIM_LAP_SHIFT 16u
#define TLOG_CLAIM_SLOT_MASK 0xFFFFu

struct tlog_claims {
    uint32_t note[TLOG_CLAIMS];
};

/* The seal is valid while its words equal the header's. It has one CRC-32 for each group, so damage inside one group
 * costs that group at most. The groups of the normal slots come first, then those of the emergency slots. */
#define TLOG_GROUP_SLOTS 32u

struct tlog_seal {
    uint32_t magic; /* TLOG_WIRE_SEAL */
    uint32_t cursor, lap, dropped, reported, emergency_used;
    uint32_t dropped_high, lap_high, extra_high, extra, trigger;
    uint32_t crc; /* CRC-32 of the 44 bytes above, then of the claims, then of the CRCs of the groups */
    /* behind it: uint32_t group[TLOG_GROUPS(slots) + TLOG_GROUPS(emergency)] */
};

#define TLOG_SEAL_BYTES 48u

#define TLOG_GROUPS(slots) (((slots) + TLOG_GROUP_SLOTS - 1u) / TLOG_GROUP_SLOTS)

/* Bytes of a chunk with that many slots, seal included. */
#define TLOG_CHUNK_BYTES(slots, emergency)                                                                             \
    (TLOG_HEADER_BYTES + ((slots) + (emergency) + 1u) * TLOG_SLOT_BYTES + TLOG_CLAIMS * 4u + TLOG_SEAL_BYTES           \
     + ((TLOG_GROUPS(slots) + TLOG_GROUPS(emergency) + 3u) & ~3u) * 4u)

TLOG_STATIC_ASSERT(sizeof(struct tlog_slot) == TLOG_SLOT_BYTES, "slot");
TLOG_STATIC_ASSERT(sizeof(struct tlog_chunk) == TLOG_HEADER_BYTES, "chunk header");
TLOG_STATIC_ASSERT(__builtin_offsetof(struct tlog_chunk, check) == TLOG_CHECK_WORDS * 4u, "check");
TLOG_STATIC_ASSERT(__builtin_offsetof(struct tlog_chunk, cursor) == TLOG_CURSOR_OFFSET, "cursor");
TLOG_STATIC_ASSERT(TLOG_CURSOR_OFFSET % TLOG_SLOT_BYTES == 0, "slots are counted from the cursor");
TLOG_STATIC_ASSERT(__builtin_offsetof(struct tlog_chunk, extra) == TLOG_CURSOR_OFFSET + 12u,
                   "extra is near the cursor");
TLOG_STATIC_ASSERT(sizeof(struct tlog_end) == TLOG_SLOT_BYTES, "end mark");
TLOG_STATIC_ASSERT(sizeof(struct tlog_claims) % TLOG_SLOT_BYTES == 0, "claims");
TLOG_STATIC_ASSERT(sizeof(struct tlog_seal) == TLOG_SEAL_BYTES, "seal");

/* ---- compressed region ------------------------------------------------------------------------------------------- */

/* A compressed image of a chunk, see target/FORMAT.md. It has a head and then the groups of the chunk's slots, each
 * with a CRC of its own. The head is: magic; version and size of the head; bytes of the region; the chunk's header
 * without its first two words, magic and tag; its claims; CRC-32 of all that. */
#define TLOG_PACK_MAGIC      0x4B504C54u /* "TLPK" in a little-endian dump */
#define TLOG_PACK_VERSION    2u
#define TLOG_PACK_HEAD_BYTES 168u
#define TLOG_PACK_CRC_BYTES  164u /* the part of the head that its CRC protects */
#define TLOG_PACK_CHUNK_AT   12u  /* offset in the head of bytes 8..127 of the chunk's header, then of its claims */

/* A group: one word = words of the payload | bits 15..8 of the head of the first slot | number of the group << 16; then
 * the payload; then the CRC. These are the bytes beside the payload. */
#define TLOG_PACK_GROUP_BYTES 8u

/* A number begins with four bits that tell its length. If they are LONG, five more bits tell it. If these are VERBATIM,
 * all set, both words of the stamp follow unchanged instead of a number. */
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
#define TLOG_PACK_ANY_KEY 0xFFu /* stands in place of a code: bits 15..0 of the head follow */

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
    X(0x58, server_active, "context", "server")                                                                        \
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

/* ---- records of an operating system's objects ---------------------------------------------------------------------
 *
 * In family 0xF, which S.Ha.R.K. does not have; port/rtos/tlog_rtos.h logs them. X(code, name, par1, par2). "kind":
 * bits 4..0 of par1 are what the object is, a TLOG_NAME_*, or 0: none. "count" and "operation" are bits 15..5; an
 * operation is the high nibble of the code that has its name, or one of those below. par2 is the object's address.
 * block, delay and wait_bits tell why the running task is going to be switched out. */
/* clang-format off */
#define TLOG_RTOS_EVENTS(X)                                                                                            \
    X(0x1F, create, "count, kind", "object")                                                                           \
    X(0x2F, delete, "count, kind", "object")                                                                           \
    X(0x3F, send, "count, kind", "object")                                                                             \
    X(0x4F, receive, "count, kind", "object")                                                                          \
    X(0x5F, fail, "operation, kind", "object")                                                                         \
    X(0x6F, block, "operation, kind", "object")                                                                        \
    X(0x7F, delay, "", "ticks")                                                                                        \
    X(0x8F, set_bits, "bits", "event_group")                                                                           \
    X(0x9F, clear_bits, "bits", "event_group")                                                                         \
    X(0xAF, wait_bits, "bits", "event_group")                                                                          \
    X(0xBF, other, "operation, kind", "object")                                                                        \
    X(0xCF, notify, "context", "index")                                                                                \
    X(0xDF, allocate, "bytes", "in_use")                                                                               \
    X(0xEF, free, "bytes", "in_use")

/* Operations of fail, block and other that have no code of their own, X(number, name). */
#define TLOG_RTOS_OPERATIONS(X)                                                                                        \
    X(16, peek)                                                                                                        \
    X(17, wait)                                                                                                        \
    X(18, sync)                                                                                                        \
    X(19, reset)                                                                                                       \
    X(20, start)                                                                                                       \
    X(21, stop)                                                                                                        \
    X(22, change)                                                                                                      \
    X(23, expire)                                                                                                      \
    X(24, suspend)                                                                                                     \
    X(25, resume)                                                                                                      \
    X(26, join)                                                                                                        \
    X(27, call)                                                                                                        \
    X(28, stack_overflow)                                                                                              \
    X(29, tick)                                                                                                        \
    X(30, sleep_begin)                                                                                                 \
    X(31, sleep_end)
/* clang-format on */

#define TLOG_RTOS_CODE(code, name, par1, par2) TLOG_RTOS_##name = (code) >> 4,
#define TLOG_RTOS_OPERATION_CODE(number, name) TLOG_RTOS_##name = (number),
enum tlog_rtos {
    TLOG_RTOS_EVENTS(TLOG_RTOS_CODE) TLOG_RTOS_OPERATIONS(TLOG_RTOS_OPERATION_CODE) TLOG_RTOS_FAMILY = 0x0F
};
#undef TLOG_RTOS_CODE
#undef TLOG_RTOS_OPERATION_CODE

#define TLOG_RTOS_KIND_MASK   0x001Fu
#define TLOG_RTOS_COUNT_SHIFT 5u
#define TLOG_RTOS_COUNT_MOST  2047u

#endif
