/* test_counts.c - the native reader and what a dump tells of events that are not in it: exact counts of what was
 * overwritten, slots that were claimed, memory that is not formatted yet, and dumps of format version 1. */
#include "harness.h"
#include "lib/tier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* ---- overwritten events ------------------------------------------------------------------------------------------ */

/* Fail unless all events that the dump lacks are counted as overwritten. The text of the generator has all of them. */
static void expect_overwritten(const struct gen_options *options)
{
    struct list expected;
    struct bytes dump = make_dump(options, &expected);
    struct decoded decoded;
    decode_bytes(&decoded, dump);
    assert_true(decoded.opened);
    assert_true(is_part(&decoded.list, &expected));
    assert_int_equal(decoded.trace.counts.gaps + decoded.trace.counts.damaged + decoded.trace.counts.unfinished, 0);
    assert_int_equal(decoded.trace.counts.overwritten, count_events(&expected) - count_events(&decoded.list));
    decoded_free(&decoded);
    bytes_free(&dump);
    free(expected.item);
}

/* Events of 1 to 8 slots, with slots between them that are no events: the sum of events is right, in rings of any
 * number of chunks and CPUs, from the first lap on. */
static void overwritten_events_of_several_slots(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 300; seed += tier_step(17)) {
        struct gen_options options = {.seed = seed,
                                      .slots = seed % 3 ? 16 + seed % 50 : 200,
                                      .chunks = seed % 4 + 1,
                                      .cpus = seed % 2 + 1,
                                      .hz = 1000000,
                                      .boot = 1,
                                      .start = 7,
                                      .traceevents = seed % 5 == 0 ? 100 : seed % 95 + 1,
                                      .shortest = 1,
                                      .longest = seed % 8 + 1,
                                      .sealed = seed % 2,
                                      .unknown = true};
        options.events = (uint64_t)options.slots * options.chunks * (seed % 5) + seed;
        expect_overwritten(&options);
    }
}

/* The example of target/FORMAT.md, 2.4, by hand: 4 slots, lap 3, the cursor at slot 3. Laps 1 to 3 passed 10 slots, of
 * which 5 were extra: 5 events, of which slots 1 to 4 show 3; so 2 were overwritten, and not 6. */
static void extra_slots_by_hand(void **state)
{
    struct bytes dump = empty_chunk(4);
    struct item items[] = {
        {.time = 2003, .code = ITEM_LOSS, .count = 2}, user_event(2003), user_event(3001), user_event(3002)};
    (void)state;
    fill_laps(dump, 3, 3);
    set_traceevent(dump, 4, 1u << 10 | 0x202, 2004, 0, 0); /* PAD, number 0x102: bit 8 is bit 16 */
    set_traceevent(dump, 4, 1u << 16 | 1u << 10 | 0x202, 2004, 0, 0);
    put32(dump.data + CHUNK_EXTRA, 5);
    expect_items(dump, items, 4, 0);
    put32(dump.data + CHUNK_EXTRA, 0xFFFFFFFF); /* more than there can be: nothing is below 0 */
    items[0] = items[1];
    items[1] = items[2];
    items[2] = items[3];
    expect_items(dump, items, 3, 0);
    bytes_free(&dump);
}

/* Counts beyond 32 bits. */
static void wide_counts(void **state)
{
    struct bytes dump = empty_chunk(4);
    struct decoded decoded;
    (void)state;
    fill_laps(dump, 3, 3);
    put32(dump.data + CHUNK_LAP_HIGH, 0x20000);
    put32(dump.data + CHUNK_EXTRA, 0x80000001);
    put32(dump.data + CHUNK_EXTRA_HIGH, 1); /* to be carried over to 0x80000001 */
    put32(dump.data + CHUNK_DROPPED, 5);
    put32(dump.data + CHUNK_DROPPED_HIGH, 0x80000006); /* to be carried over to 7 */
    put32(dump.data + CHUNK_REPORTED, 4);
    put32(dump.data + CHUNK_REPORTED_HIGH, 2);
    decode_bytes(&decoded, dump);
    assert_int_equal(decoded.trace.counts.gaps, 0);
    assert_true(decoded.trace.counts.dropped == 0x700000005u);
    assert_true(decoded.trace.counts.overwritten == (0x200000003u - 1) * 4 + 2 - 4 - 0x180000001u);
    assert_true(count_lost(&decoded.list, ITEM_LOSS) == decoded.trace.counts.overwritten + 0x500000001u);
    decoded_free(&decoded);
    bytes_free(&dump);
}

/* A user's event may have the code of a blackout_end: it tells of no loss. The runtime's own has code 0xFF. */
static void losses_of_the_runtime_only(void **state)
{
    struct bytes dump = empty_chunk(4);
    struct item items[] = {{.time = 10, .code = 0x50, .par1 = 3, .par2 = 9},
                           {.time = 20, .code = ITEM_LOSS, .count = 0x200000007},
                           {.time = 20, .code = 0x40, .par2 = 5},
                           {.time = 30, .code = 0x50, .par1 = 2, .par2 = 7}};
    (void)state;
    set_cursor(dump, 1, 4);
    set_words(dump, 1, 3u << 16 | 0x150, 0, 10, 9);
    set_words(dump, 2, 0x1FF, 0, 20, 5);
    set_words(dump, 3, 5u << 16 | 0x1FF, 0, 30, 7); /* the end, 2 << 32 | 7 events */
    put32(dump.data + CHUNK_DROPPED, 7);
    put32(dump.data + CHUNK_DROPPED_HIGH, 2);
    put32(dump.data + CHUNK_REPORTED, 7);
    put32(dump.data + CHUNK_REPORTED_HIGH, 2);
    expect_items(dump, items, 4, 0);
    bytes_free(&dump);
}

/* ---- combine events that lack a slot ----------------------------------------------------------------------------- */

/* A chunk of 6 slots in lap 2, of which two slots are filled. Of lap 1 there are slots 3 to 6: from slot `first` on an
 * event of `n` slots, further records. Its first slot, if that is slot 2, is overwritten. */
static struct bytes combined_chunk(uint32_t first, uint32_t n, uint32_t extra)
{
    struct bytes dump = empty_chunk(6);
    set_cursor(dump, 2, 3);
    set_words(dump, 1, 0x209, 0, 3001, 0);
    set_words(dump, 2, 0x209, 0, 3002, 0);
    for (uint32_t i = 3; i <= 6; i++) {
        uint32_t part = i == first ? 1 : i + 1u == first + n ? 3 : 2;
        if (i < first || i >= first + n)
            set_words(dump, i, 0x109, 0, 1000 + i, 0);
        else
            set_traceevent(dump, i, part << 30 | 9u << 10 | 0x107, 1000 + first, 0, 0);
    }
    put32(dump.data + CHUNK_EXTRA, extra);
    return dump;
}

/* Fail unless the summary counts that. */
static void expect_missing(struct bytes dump, size_t events, uint64_t overwritten, uint64_t unfinished,
                           uint64_t damaged)
{
    struct decoded decoded;
    decode_bytes(&decoded, dump);
    assert_int_equal(count_events(&decoded.list), events);
    assert_int_equal(decoded.trace.counts.overwritten, overwritten);
    assert_int_equal(decoded.trace.counts.unfinished, unfinished);
    assert_int_equal(decoded.trace.counts.damaged, damaged);
    assert_int_equal(count_lost(&decoded.list, ITEM_LOSS), overwritten);
    assert_int_equal(count_lost(&decoded.list, ITEM_DAMAGE), decoded.trace.counts.gaps);
    decoded_free(&decoded);
    bytes_free(&dump);
}

/* Three words for three things. In all cases slots 1 and 2 of lap 1 are overwritten. */
static void events_that_lack_a_slot(void **state)
{
    struct bytes unfinished = combined_chunk(3, 3, 1), damaged = combined_chunk(3, 3, 1);
    (void)state;
    expect_missing(combined_chunk(3, 3, 2), 4, 2, 0, 0); /* it is whole */
    expect_missing(combined_chunk(2, 3, 2), 4, 2, 0, 0); /* its first slot is overwritten */
    set_traceevent(unfinished, 5, 3u << 30 | 9u << 10 | 0x207, 1003, 0, 0);
    expect_missing(unfinished, 3, 2, 1, 0); /* its last one has the tag of the lap before */
    set_words(damaged, 5, 0x109, 0, 1005, 0);
    expect_missing(damaged, 4, 2, 0, 1); /* a record stands there */
}

/* ---- claimed slots ----------------------------------------------------------------------------------------------- */

static void set_note(struct bytes dump, uint32_t i, uint32_t slot, uint32_t lap)
{
    put32(dump.data + HEADER + (size_t)(get32(dump.data + CHUNK_SLOTS) + 1) * SLOT + (size_t)4 * i, slot | lap << 16);
}

/* Fail unless the dump of 8 slots in a lap, with the cursor at slot 5, has all events but that of one slot; passed:
 * that slot is known to be claimed. */
static void expect_passed(struct bytes dump, uint32_t lap, uint32_t slot, bool passed)
{
    struct decoded decoded;
    struct list expected;
    struct item items[9];
    size_t n = 0, all = 0;
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t i = (k + 4) % 8 + 1, of = i < 5 ? lap : lap - 1;
        if (i != slot || !passed)
            n = add_range(items, n, of, i, i);
    }
    expected = (struct list){items, n, n};
    decode_bytes(&decoded, dump);
    for (size_t i = 0; i < decoded.list.n; i++) {
        if (decoded.list.item[i].code != ITEM_LOSS)
            decoded.list.item[all++] = decoded.list.item[i];
    }
    decoded.list.n = all;
    assert_same(&decoded.list, &expected);
    assert_int_equal(decoded.trace.counts.passed, passed);
    assert_int_equal(decoded.trace.counts.gaps + decoded.trace.counts.unfinished, 0);
    decoded_free(&decoded);
}

/* A slot is passed if it bears both tags, or if a note of its lap is there, whatever it bears then. */
static void claimed_slots(void **state)
{
    (void)state;
    for (uint32_t lap = 2; lap <= 5; lap++) {
        for (uint32_t slot = 1; slot <= 8; slot++) {
            for (unsigned sealed = 0; sealed < 2; sealed++) {
                struct bytes dump = empty_chunk(8);
                uint32_t of = slot < 5 ? lap : lap - 1;
                unsigned char *head = dump.data + HEADER + (size_t)(slot - 1) * SLOT + 12;
                fill_laps(dump, lap, 5);
                put32(head, get32(head) | 0x300);
                if (sealed)
                    fix_seal(dump.data);
                expect_passed(dump, lap, slot, true);
                fill_laps(dump, lap, 5);
                set_note(dump, 3, slot, of);
                if (sealed)
                    fix_seal(dump.data);
                expect_passed(dump, lap, slot, true);
                set_note(dump, 3, slot, of - 1); /* an old note, of a slot that was filled again since */
                if (sealed)
                    fix_seal(dump.data);
                expect_passed(dump, lap, slot, of - 1 == lap - 1 && slot >= 5);
                bytes_free(&dump);
            }
        }
    }
}

/* A note of a lap whose number has more than 16 bits. */
static void a_note_of_a_late_lap(void **state)
{
    struct bytes dump = empty_chunk(8);
    (void)state;
    fill_laps(dump, 3, 5);
    put32(dump.data + CHUNK_LAP_HIGH, 7);
    set_note(dump, 7, 2, 3);
    expect_passed(dump, 3, 2, true);
    bytes_free(&dump);
}

/* The notes change when slots are claimed, also behind the back of a seal: it is old then, and not damaged. */
static void claimed_since_sealed(void **state)
{
    struct bytes dump = empty_chunk(8);
    (void)state;
    fill_laps(dump, 3, 3);
    fix_seal(dump.data);
    fill_laps(dump, 3, 5);
    set_note(dump, 0, 4, 3);
    expect_passed(dump, 3, 4, true);
    bytes_free(&dump);
}

/* ---- memory that is not formatted -------------------------------------------------------------------------------- */

/* Put the memory of another dump, from an earlier run, behind slot `from` of a chunk in lap 1. */
static void leave_memory(struct bytes dump, struct bytes old, uint32_t from)
{
    size_t at = HEADER + (size_t)(from - 1) * SLOT, end = HEADER + (size_t)(get32(dump.data + CHUNK_SLOTS) + 1) * SLOT;
    memcpy(dump.data + at, old.data + at, end - at);
}

/* In lap 1 slots are formatted shortly ahead of the cursor. What is behind the mark may be anything: noise, all ones,
 * or the slots of an earlier run in the same memory. */
static void first_lap(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 5; kind++) {
        struct bytes dump = empty_chunk(40), old = empty_chunk(40);
        fill_laps(old, kind < 3 ? kind + 1 : 2, 40);
        for (size_t i = HEADER; i < old.n && kind >= 3; i++)
            old.data[i] = kind == 3 ? 0xFF : (unsigned char)(random64() >> 8);
        for (uint32_t index = 1; index <= 41; index++) {
            struct item items[40];
            size_t n = add_range(items, 0, 1, 1, index - 1);
            for (uint32_t ahead = 0; ahead <= 4 && index + ahead <= 40; ahead++) {
                fill_laps(dump, 1, index);
                leave_memory(dump, old, index);
                for (uint32_t i = 0; i < ahead; i++)
                    set_words(dump, index + i, 0x200, 0xAA, 0xBB, 0xCC);
                set_words(dump, index + ahead, 0x300, 0xAA, 0xBB, 0xCC);
                expect_items(dump, items, n, 0);
            }
        }
        bytes_free(&old);
        bytes_free(&dump);
    }
}

/* Headers of earlier runs, whole chunks, stand in the memory that the first lap has not reached, and in a chunk of the
 * ring that has no header of this run yet. They are not shown, and their run is not chosen even if its number is
 * higher. */
static void stale_headers(void **state)
{
    struct gen_options options = {.events = 20, .seed = 1, .slots = 60, .chunks = 3, .cpus = 1, .hz = 1000, .boot = 5};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected), old, small = empty_chunk(4);
    size_t size = dump.n / 3, at = HEADER + 30 * SLOT;
    (void)state;
    for (uint32_t chunk = 0; chunk < 3; chunk++) {
        unsigned char *image = dump.data + chunk * size;
        put32(image + CHUNK_PLACE, get32(image + CHUNK_PLACE) | 3u << 24);
        fix_header(image);
    }
    for (uint32_t boot = 4; boot <= 6; boot += 2) {
        struct decoded decoded;
        options.boot = boot;
        options.events = 400;
        old = make_dump(&options, NULL);
        memcpy(dump.data + 2 * size, old.data + 2 * size, size); /* chunk 2 is as the older run left it */
        memcpy(dump.data + at, small.data, small.n);             /* a chunk of a smaller firmware, in chunk 0 */
        put32(dump.data + at + CHUNK_BOOT, boot);
        put32(dump.data + at + CHUNK_SELF, get32(dump.data + CHUNK_SELF) + (uint32_t)at);
        fix_header(dump.data + at);
        put32(dump.data + HEADER + 22 * SLOT + 12, 0x300); /* the mark */
        decode_bytes(&decoded, dump);
        assert_same(&decoded.list, &expected);
        assert_int_equal(decoded.trace.counts.gaps, 0);
        decoded_free(&decoded);
        bytes_free(&old);
    }
    bytes_free(&small);
    bytes_free(&dump);
    free(expected.item);
}

/* ---- version 1 --------------------------------------------------------------------------------------------------- */

/* A chunk of four slots as version 1 had it. */
static const uint32_t version_1_words[60] = {
    /* magic, "TLOG", version 1 | header 112 | pointers of 4 bytes, CPU 0 chunk 0 role events */
    0x00D6B7ED, 0x474F4C54, 0x04700001, 0x00000000,
    /* address, 4 slots, no emergency slots, 112 + 16 * (4 + 1) + 32 + 16 = 240 bytes */
    0x20000000, 4, 0, 240,
    /* 1 MHz: a tick is 1000 ns; run 1; no build id */
    1000000, 1, 0, 0,
    /* 12 bytes 0, CRC of the 60 bytes above */
    0, 0, 0, 0x0EF130F1,
    /* next: this chunk again; flags, emergency_used, lost_at, goal, spare */
    0, 0, 0, 0, 0, 0, 0, 0,
    /* slot 3 is next, tag of even laps; 2 laps; 7 events lost, 5 of them told */
    0x00030200, 0x00000A00, 7, 5,
    /* lap 2: context_switch to 3; clock 0x80000005 after 1 wrap, mirror set: 6442450949 ticks */
    0x00030215, 0x80000001, 0x80000005, 0,
    /* lap 2: blackout_end, 5 lost, 11 ticks later */
    0x00000250, 0x80000001, 0x80000010, 5,
    /* lap 1: task_activate 3 at 100 */
    0x00030112, 0x00000000, 0x00000064, 0,
    /* lap 1: interrupt_start 9 at 0x80000000, mirror set, by the fast path */
    0x00098103, 0x80000000, 0x80000000, 0,
    /* end mark */
    0x00000300, 0, 0, 0,
    /* "SEAL", cursor, lap, dropped, reported, emergency_used, 0, CRC of the seven words and the table */
    0x4C414553, 0x00030200, 0x00000A00, 7, 5, 0, 0, 0xFBBD414F,
    /* CRC of the 64 bytes of slots, padding */
    0xCA6B7406, 0, 0, 0};

static void version_1(void **state)
{
    struct bytes old = {malloc(sizeof version_1_words), sizeof version_1_words}, dump = empty_chunk(4), both;
    struct decoded decoded;
    struct item items[] = {user_event(1001)};
    (void)state;
    for (size_t i = 0; i < sizeof version_1_words / 4; i++)
        put32(old.data + 4 * i, version_1_words[i]);
    for (unsigned damaged = 0; damaged < 2; damaged++) { /* also if its CRC is wrong */
        old.data[20] ^= (unsigned char)damaged;
        decode_bytes(&decoded, old);
        assert_false(decoded.opened);
        assert_string_equal(decoded.trace.error, "dump: offset 0x0: chunk of format version 1, which this decoder does "
                                                 "not read; it reads version 2");
        decoded_free(&decoded);
        assert_int_equal(probe_bytes(old), TRACE_MINE_BROKEN);
    }
    fill_laps(dump, 1, 2);
    both = join(old, dump);
    expect_items(both, items, 1, 0); /* not proved: somebody else's bytes */
    bytes_free(&both);
    bytes_free(&dump);
    bytes_free(&old);
}

/* ---- marks ------------------------------------------------------------------------------------------------------- */

static uint32_t marks_seen[4];
static unsigned nmarks;

static void take_mark(const struct trace *trace, const struct tlog_event *event)
{
    const struct tlog_type *type = trace->types[event->type];
    if (type->means != TLOG_MEANS_MARK)
        return;
    assert_string_equal(type->system, "tlog");
    assert_string_equal(type->name, "trigger");
    marks_seen[nmarks++] = get32(event->data);
}

/* A TRIGGER is a mark, and a COARSE slot is nothing. */
static void triggers(void **state)
{
    struct bytes dump = empty_chunk(8);
    (void)state;
    fill_laps(dump, 1, 7);
    set_traceevent(dump, 2, 1u << 16 | 1u << 10 | 0x104, 1002, 100, 0);
    set_traceevent(dump, 4, 1u << 16 | 1u << 10 | 0x104, 1004, 0xFFFFFFFF, 0);
    set_traceevent(dump, 5, 1u << 16 | 1u << 10 | 0x103, 1005, 77, 0);
    read_events(dump, take_mark);
    assert_int_equal(nmarks, 2);
    assert_int_equal(marks_seen[0], 100);
    assert_int_equal(marks_seen[1], 0xFFFFFFFF);
    bytes_free(&dump);
}

/* ---- wraps that were not seen ------------------------------------------------------------------------------------ */

enum { BEFORE = 100, BEHIND = 100, STEP = 1000 };

/* The high word that the firmware writes: it sees a wrap only if bit 31 of the clock is not what it was at the event
 * before (target/FORMAT.md, 1.3). */
static uint32_t next_high(uint32_t high, uint32_t low)
{
    return (high ^ low) >> 31 ? high + 0x80000000u + (high >> 31) : high;
}

/* Chunks of `slots` slots with events, 100 ahead of a gap of so many hundredths of a wrap and 100 behind it, and the
 * list of times that the decoder must find. Returns whether a step back shows. */
static struct bytes gap_dump(uint32_t slots, uint32_t chunks, uint64_t start, uint32_t gap, uint64_t *times,
                             bool *shows)
{
    struct gen_options options = {.slots = slots, .chunks = chunks, .cpus = 1, .hz = 1000000000, .boot = 1};
    struct bytes dump = make_dump(&options, NULL);
    uint64_t ticks = start, before = 0, added = 0;
    uint32_t high = (uint32_t)(start >> 32) | ((uint32_t)start & 0x80000000u);
    size_t size = dump.n / chunks;
    *shows = false;
    for (uint32_t i = 0; i < BEFORE + BEHIND; i++) {
        uint32_t chunk = i / slots % chunks, lap = i / slots / chunks + 1, index = i % slots + 1;
        struct bytes image = {dump.data + chunk * size, size};
        uint64_t seen;
        high = next_high(high, (uint32_t)ticks);
        seen = (uint64_t)(high & 0x7FFFFFFF) << 32 | (uint32_t)ticks;
        added += seen + added < before ? 1ull << 32 : 0;
        *shows = *shows || added > 0;
        times[i] = before = seen + added;
        set_words(image, index, i % 7 << 16 | (lap % 2 ? 0x100 : 0x200) | 0x09, high, (uint32_t)ticks, i);
        set_cursor(image, lap, index + 1);
        ticks += i + 1 == BEFORE ? (uint64_t)gap * 42949673 : STEP;
    }
    return dump;
}

/* Fail unless the events of the dump from the number `first` on come at these times, with nothing damaged, and a mark
 * where a wrap was not seen. */
static void expect_times(struct bytes dump, uint32_t first, const uint64_t *times, bool shows)
{
    struct decoded decoded;
    uint32_t n = first, marks = 0;
    decode_bytes(&decoded, dump);
    assert_int_equal(decoded.trace.counts.gaps + decoded.trace.counts.damaged, 0);
    for (size_t i = 0; i < decoded.list.n; i++) {
        const struct item *item = &decoded.list.item[i];
        if (item->code == ITEM_MARK)
            marks++;
        if (item->code != 0x09)
            continue;
        assert_int_equal(item->par2, n);
        assert_true(item->time == times[n]);
        n++;
    }
    assert_int_equal(n, BEFORE + BEHIND);
    assert_int_equal(marks, shows);
    decoded_free(&decoded);
}

/* Gaps of every length, at every place of a chunk and between chunks and laps. All events are kept, in their order. */
static void gaps_of_any_length(void **state)
{
    static const uint32_t shapes[][2] = {{200, 1}, {250, 1}, {110, 2}, {100, 2}, {67, 3}, {40, 5}, {60, 2}, {150, 1}};
    uint64_t times[BEFORE + BEHIND];
    unsigned seen = 0, all = 0;
    (void)state;
    for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
        for (uint32_t gap = 30; gap <= 790; gap += 5 * tier_step(23)) {
            for (uint32_t start = 0; start < 8; start++) {
                uint32_t slots = shapes[shape][0], chunks = shapes[shape][1];
                uint64_t from =
                    5ull << 32 | (uint64_t)start << 29 | 0x810000; /* not so low as a clock that was set back */
                bool shows;
                struct bytes dump = gap_dump(slots, chunks, from, gap, times, &shows);
                uint32_t room = slots * chunks;
                expect_times(dump, room < 200 ? 200 - room : 0, times, shows);
                seen += shows;
                all++;
                bytes_free(&dump);
            }
        }
    }
    print_message("%u of %u gaps show\n", seen, all);
    assert_true(seen > all / 8);
}

/* Two CPUs have a gap each. */
static void gaps_of_two_cpus(void **state)
{
    uint64_t times[2][BEFORE + BEHIND];
    bool shows;
    struct bytes one = gap_dump(67, 3, 5ull << 32 | 0x60000000, 65, times[0], &shows);
    struct bytes two = gap_dump(150, 2, 5ull << 32 | 0x60001000, 65, times[1], &shows), both;
    struct decoded decoded;
    size_t size = 0, n[2] = {0, 0};
    (void)state;
    for (size_t at = 0; (at = find_image(two, at, &size)) != SIZE_MAX; at += size) {
        put32(two.data + at + CHUNK_PLACE, get32(two.data + at + CHUNK_PLACE) | 1);
        fix_header(two.data + at);
    }
    both = join(one, two);
    decode_bytes(&decoded, both);
    assert_int_equal(decoded.trace.counts.gaps + decoded.trace.counts.damaged, 0);
    for (size_t i = 0; i < decoded.list.n; i++) {
        const struct item *item = &decoded.list.item[i];
        if (item->code == 0x09)
            assert_true(item->time == times[item->cpu][n[item->cpu]++]);
    }
    assert_int_equal(n[0], 200);
    assert_int_equal(n[1], 200);
    decoded_free(&decoded);
    bytes_free(&both);
    bytes_free(&two);
    bytes_free(&one);
}

/* A wrong bit in the time of one slot is damage of that slot and no wrap; beside a wrap, it hides nothing else. */
static void wrong_bits_are_no_wraps(void **state)
{
    uint64_t times[BEFORE + BEHIND];
    bool shows;
    (void)state;
    for (uint32_t gap = 1; gap <= 65; gap += 64) {
        struct bytes dump = gap_dump(200, 1, 5ull << 32 | 0x60000000, gap, times, &shows);
        assert_int_equal(shows, gap > 1);
        for (uint32_t slot = 1; slot <= 200; slot += tier_step(53)) {
            for (unsigned bit = 0; bit < 64; bit++) {
                unsigned char *byte = dump.data + HEADER + (slot - 1) * SLOT + 4 + bit / 8;
                struct decoded decoded;
                uint32_t marks = 0;
                *byte ^= (unsigned char)(1u << bit % 8);
                decode_bytes(&decoded, dump);
                for (size_t i = 0; i < decoded.list.n; i++)
                    marks += decoded.list.item[i].code == ITEM_MARK;
                assert_int_equal(marks, shows);
                assert_in_range(count_events(&decoded.list) - marks, 197, 200);
                decoded_free(&decoded);
                *byte ^= (unsigned char)(1u << bit % 8);
            }
        }
        bytes_free(&dump);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overwritten_events_of_several_slots),
        cmocka_unit_test(extra_slots_by_hand),
        cmocka_unit_test(wide_counts),
        cmocka_unit_test(losses_of_the_runtime_only),
        cmocka_unit_test(events_that_lack_a_slot),
        cmocka_unit_test(claimed_slots),
        cmocka_unit_test(a_note_of_a_late_lap),
        cmocka_unit_test(claimed_since_sealed),
        cmocka_unit_test(first_lap),
        cmocka_unit_test(stale_headers),
        cmocka_unit_test(version_1),
        cmocka_unit_test(triggers),
        cmocka_unit_test(gaps_of_any_length),
        cmocka_unit_test(gaps_of_two_cpus),
        cmocka_unit_test(wrong_bits_are_no_wraps),
    };
    return cmocka_run_group_tests_name("native reader, counts", tests, NULL, NULL);
}
