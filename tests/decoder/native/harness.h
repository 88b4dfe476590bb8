/* harness.h - dumps in memory for the tests of the native reader: they are made, changed, and decoded into lists. */
#ifndef DECODER_NATIVE_HARNESS_H
#define DECODER_NATIVE_HARNESS_H

#include "gen/dump.h"
#include "model/module.h"

/* Sizes in an image, as target/FORMAT.md has them. The tests have numbers of their own, in place of those in
 * tlog_wire.h, so that a mistake there does not stay hidden. */
enum { HEADER = 128, SLOT = 16, CLAIMS = 32, SEAL = 48 };

/* Offsets of words in a header. */
enum {
    CHUNK_PLACE = 12,
    CHUNK_SLOTS = 16,
    CHUNK_EMERGENCY = 20,
    CHUNK_SIZE = 24,
    CHUNK_SELF = 40,
    CHUNK_BOOT = 48,
    CHUNK_BUILD = 52,
    CHUNK_CHECK = 60,
    CHUNK_NEXT = 64,
    CHUNK_FLAGS = 68,
    CHUNK_EMERGENCY_USED = 72,
    CHUNK_TRIGGER = 88,
    CHUNK_DROPPED_HIGH = 92,
    CHUNK_LAP_HIGH = 96,
    CHUNK_EXTRA_HIGH = 100,
    CHUNK_REPORTED = 104,
    CHUNK_REPORTED_HIGH = 108,
    CHUNK_CURSOR = 112,
    CHUNK_LAP = 116,
    CHUNK_DROPPED = 120,
    CHUNK_EXTRA = 124,
};

/* In place of a record's code: items of a list that are no records. */
enum {
    ITEM_LOSS = 0x100,
    ITEM_DAMAGE = 0x101,
    ITEM_TRACEEVENT = 0x102,
    ITEM_MARK = 0x103,
    ITEM_SET_BACK = 0x104,
    ITEM_RATE_UNKNOWN = 0x105, /* count: for so many ns; 0: up to the end */
};

/* An event. Of a traceevent par1 is class << 16 | event, par2 the number of words of data, and count the first two of
 * these; of one whose type has a name of its own: a sum of that name, bytes of payload, and a sum of the payload. */
struct item {
    uint64_t time;  /* ns */
    uint64_t count; /* of a loss or damage */
    uint32_t cpu, code, par1, par2;
};

struct list {
    struct item *item;
    size_t n, room;
};

struct bytes {
    unsigned char *data;
    size_t n;
};

/* One decoding: events, and what the trace says of them. */
struct decoded {
    bool opened;
    struct list list;
    struct trace trace; /* names and counts; freed by decoded_free() */
};

extern uint64_t clock_given;                        /* what --clock-hz would give; 0 = nothing */
extern const struct trace_firmware *firmware_given; /* what --elf would give; NULL = nothing */
extern const uint64_t *base_given;                  /* what --base would give; NULL = nothing */
extern int64_t run_given;                           /* what --run would give */
extern bool decode_is_quiet;                        /* decode_bytes() writes no messages, as at first */

/* Decode bytes. Fails the test if a CPU's times go back or an event is malformed. decoded_free() is due then. */
void decode_bytes(struct decoded *decoded, struct bytes bytes);
void decoded_free(struct decoded *decoded);

/* Fail the test unless the dump is decoded into these n items, and has so many damaged places. */
void expect_items(struct bytes dump, const struct item *items, size_t n, uint64_t gaps);

/* Call take() for each event of all CPUs, as the reader gives it out. Fails the test if the dump cannot be opened. */
void read_events(struct bytes bytes, void (*take)(const struct trace *trace, const struct tlog_event *event));

/* The reader's answer to the question whether the bytes are a dump. */
enum trace_probe probe_bytes(struct bytes bytes);

/* Generate a dump and, unless expect is NULL, the list of what it holds. Both are the caller's. */
struct bytes make_dump(const struct gen_options *options, struct list *expect);
void bytes_free(struct bytes *bytes);

/* Both one behind the other, in new memory. */
struct bytes join(struct bytes a, struct bytes b);

/* A dump of one empty chunk to write slots into: of CPU 0, in its first lap, with a clock of 1 GHz, so a tick is a ns.
 * Slots are counted from 1 on. */
struct bytes empty_chunk(uint32_t slots);

/* Give the dump's only chunk so many emergency slots, of which all but the last one are used. */
void add_emergency(struct bytes *dump, uint32_t n);

/* Set the cursor and the lap word of the dump's first chunk; and the words of one of its slots, as a record's or as
 * those of a traceevent. */
void set_cursor(struct bytes dump, uint32_t lap, uint32_t index);
void set_words(struct bytes dump, uint32_t slot, uint32_t head, uint32_t high, uint32_t low, uint32_t par2);
void set_traceevent(struct bytes dump, uint32_t slot, uint32_t head, uint32_t clock, uint32_t data0, uint32_t data1);

/* Make a slot a record of a user's event in a lap, with its time as par2; and what is to come of that slot. */
void set_record(struct bytes dump, uint32_t slot, uint32_t lap, uint32_t time);
struct item user_event(uint32_t time);

/* Fill the slots ahead of the cursor, `index`, with records of a lap, and the others with those of the lap before.
 * Their times are 1000 * lap + slot. */
void fill_laps(struct bytes dump, uint32_t lap, uint32_t index);

/* Add to n items the events that slots from..to hold of a lap after fill_laps(). Returns how many items there are. */
size_t add_range(struct item *items, size_t n, uint32_t lap, uint32_t from, uint32_t to);

/* How many records and traceevents a list has. */
size_t count_events(const struct list *list);

/* The sum of the counts of all items with that code, ITEM_LOSS or ITEM_DAMAGE. */
uint64_t count_lost(const struct list *list, uint32_t code);

bool same_item(const struct item *a, const struct item *b);

/* Fail the test unless the lists are the same. */
void assert_same(const struct list *got, const struct list *expected);

/* Whether all events of a list are also in the other one, in the same order. */
bool is_part(const struct list *part, const struct list *whole);

/* The offset of the first image from offset at on, and its size in *size; SIZE_MAX if there is none. */
size_t find_image(struct bytes dump, size_t at, size_t *size);

/* A little-endian word. */
uint32_t get32(const unsigned char *at);
void put32(unsigned char *at, uint32_t value);

/* For functions that qsort() calls: below 0, 0 or above 0, as a is less than b, the same, or more. */
int compare_numbers(uint64_t a, uint64_t b);

/* The next number of a sequence that is the same in every run. */
uint64_t random64(void);

/* Make the check of a header right again; and the seal with all of its CRCs that of the image as it is. */
void fix_header(unsigned char *image);
void fix_seal(unsigned char *image);

#endif
