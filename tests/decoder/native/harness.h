/* harness.h - dumps in memory for the tests of the native reader: made, changed, decoded into a list. */
#ifndef DECODER_NATIVE_HARNESS_H
#define DECODER_NATIVE_HARNESS_H

#include "gen/dump.h"
#include "model/module.h"

/* Bytes of an image. */
enum { HEADER = 112, SLOT = 16 };

/* What stands in a list where records have their code. */
enum { ITEM_LOSS = 0x100, ITEM_DAMAGE = 0x101, ITEM_TRACEEVENT = 0x102 };

struct item {
    uint64_t time;                  /* ns */
    uint64_t count;                 /* of a loss or damage; the first two words of a traceevent's data */
    uint32_t cpu, code, par1, par2; /* of a traceevent: class << 16 | event, words of data */
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

extern uint64_t clock_given; /* of --clock-hz */

/* Decode bytes. Fails the test if a CPU's times go back or an event is malformed. */
void decode_bytes(struct decoded *decoded, struct bytes bytes);
void decoded_free(struct decoded *decoded);

/* Fail the test unless the dump holds these items, and so many gaps. */
void expect_items(struct bytes dump, const struct item *items, size_t n, uint64_t gaps);

/* Read the events of all CPUs one by one, as the reader gives them. Fails the test if it does not open. */
void read_events(struct bytes bytes, void (*take)(const struct trace *trace, const struct trace_event *event));

/* What the reader's probe says to the bytes. */
enum trace_probe probe_bytes(struct bytes bytes);

/* Generate a dump and, unless expect is NULL, what it holds. */
struct bytes make_dump(const struct gen_options *options, struct list *expect);
void bytes_free(struct bytes *bytes);
struct bytes join(struct bytes a, struct bytes b);

/* A chunk to write slots into, empty: of CPU 0, in its first lap, 1 GHz, so ns are ticks. Slots are counted from 1 on. */
struct bytes empty_chunk(uint32_t slots);
void set_cursor(struct bytes dump, uint32_t lap, uint32_t index);
void set_words(struct bytes dump, uint32_t slot, uint32_t word0, uint32_t word1, uint32_t word2, uint32_t word3);

/* A user event of a lap, par2 = its time; and what comes of it. */
void set_record(struct bytes dump, uint32_t slot, uint32_t lap, uint32_t time);
struct item user_event(uint32_t time);

/* Lap n up to a slot, lap n - 1 from there on; times 1000 * lap + slot. */
void fill_laps(struct bytes dump, uint32_t lap, uint32_t index);

/* Add the events of a lap that slots from..to hold after fill_laps(), from items[n] on. The number of items then. */
size_t add_range(struct item *items, size_t n, uint32_t lap, uint32_t from, uint32_t to);

/* Records, and traceevents, of a list. */
size_t count_events(const struct list *list);
uint64_t count_lost(const struct list *list, uint32_t code);

bool same_item(const struct item *a, const struct item *b);

/* Fail the test unless the lists are the same. */
void assert_same(const struct list *got, const struct list *expected);

/* Whether the events of a list are events of the other one, in its order. */
bool is_part(const struct list *part, const struct list *whole);

/* The image that begins at or after *at: its offset, or SIZE_MAX; *size bytes long. */
size_t find_image(struct bytes dump, size_t at, size_t *size);

uint32_t get32(const unsigned char *at);
void put32(unsigned char *at, uint32_t value);

/* The next number of a sequence that is the same in every run. */
uint64_t random64(void);

/* Make the CRC of the header, and of the seal and its groups, right again. */
void fix_header(unsigned char *image);
void fix_seal(unsigned char *image);

#endif
