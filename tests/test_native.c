/* test_native.c - the native reader: a dump by hand, made-up dumps by the thousand, and each rule of target/FORMAT.md.
 */
#include "native_harness.h"

#include "crc32.h"
#include "native_scale.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { HEADER = 112, SLOT = 16 };

/* ---- a dump by hand ---------------------------------------------------------------------------------------------- */

/* One chunk of 4 slots in its second lap. Its words, in the order of FORMAT.md; CRCs from Python's zlib.crc32. */
static const uint32_t golden_words[60] = {
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

/* (2 - 2) * 4 + 2 events were overwritten; 7 - 5 are lost and not told. */
static const struct item golden_items[] = {
    {.time = 100000, .code = ITEM_LOSS, .count = 2},        {.time = 100000, .code = 0x12, .par1 = 3},
    {.time = 2147483648000, .code = 0x03, .par1 = 9},       {.time = 6442450949000, .code = 0x15, .par1 = 3},
    {.time = 6442450960000, .code = ITEM_LOSS, .count = 5}, {.time = 6442450960000, .code = 0x50, .par2 = 5},
    {.time = 6442450960000, .code = ITEM_LOSS, .count = 2},
};

static struct bytes golden_dump(void)
{
    struct bytes dump = {malloc(sizeof golden_words), sizeof golden_words};

    for (size_t i = 0; i < sizeof golden_words / 4; i++)
        put32(dump.data + 4 * i, golden_words[i]);
    return dump;
}

static void expect_items(struct bytes dump, const struct item *items, size_t n, uint64_t gaps)
{
    struct list expected = {malloc(n * sizeof *items), n, n};
    struct decoded decoded;

    memcpy(expected.item, items, n * sizeof *items);
    decode_bytes(&decoded, dump);
    assert_true(decoded.opened);
    assert_same(&decoded.list, &expected);
    assert_int_equal(decoded.trace.counts.gaps, gaps);
    decoded_free(&decoded);
    free(expected.item);
}

static void golden(void **state)
{
    struct bytes dump = golden_dump();
    struct decoded decoded;

    (void)state;
    expect_items(dump, golden_items, 7, 0);
    decode_bytes(&decoded, dump);
    assert_int_equal(decoded.trace.clock_hz, 1000000);
    assert_int_equal(decoded.trace.ncpus, 1);
    assert_int_equal(decoded.trace.counts.dropped, 7);
    assert_int_equal(decoded.trace.counts.overwritten, 2);
    assert_int_equal(decoded.trace.counts.unfinished, 0);
    decoded_free(&decoded);
    bytes_free(&dump);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void crc_and_its_inverse(void **state)
{
    unsigned char data[600];

    (void)state;
    assert_int_equal(crc32_of((const unsigned char *)"123456789", 9), 0xCBF43926);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 151 + i / 7);
    for (uint32_t n = 1; n <= sizeof data; n += n < 140 ? 1 : 92) {
        uint32_t right = crc32_of(data, n), slow = ~0u;

        for (uint32_t i = 0; i < n; i++) {
            slow ^= data[i];
            for (int bit = 0; bit < 8; bit++)
                slow = slow & 1 ? slow >> 1 ^ 0xEDB88320u : slow >> 1;
        }
        assert_int_equal(right, ~slow);
        for (uint32_t at = 0; at < n; at++) {
            struct crc32_error error;

            data[at] ^= (unsigned char)(at % 255 + 1);
            error = crc32_locate(right ^ crc32_of(data, n), n);
            data[at] ^= (unsigned char)(at % 255 + 1);
            assert_int_equal(error.at, at);
            assert_int_equal(error.bits, at % 255 + 1);
        }
        assert_int_equal(crc32_locate(0x00004200, n).at, n + 1);
    }
}

static uint64_t random64(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void check_scale(uint64_t hz, uint64_t ticks, struct native_scale *scale)
{
    native_wide ns = (native_wide)ticks * 1000000000u / hz;

    assert_int_equal(native_scale_ns(scale, ticks), ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns);
}

/* Against division of 128 bits: all kinds of frequencies, small and large steps, both ends of the range. */
static void time_is_exact(void **state)
{
    static const uint64_t special[] = {1,          2,          3,          999,
                                       1000,       32768,      168000000,  999999999,
                                       1000000000, 1000000001, UINT32_MAX, (uint64_t)UINT32_MAX * 1000};

    (void)state;
    for (unsigned i = 0; i < 4000; i++) {
        uint64_t hz = i < 12 ? special[i] : random64() >> (22 + random64() % 42), ticks;
        struct native_scale scale;

        hz += hz == 0;
        native_scale_set(&scale, hz);
        ticks = random64() >> (1 + random64() % 63);
        for (unsigned k = 0; k < 300; k++) {
            check_scale(hz, ticks, &scale);
            ticks = (ticks + (random64() >> (1 + random64() % 63))) & INT64_MAX;
        }
        check_scale(hz, 0, &scale);
        check_scale(hz, NATIVE_SCALE_SPAN - 1, &scale);
        check_scale(hz, NATIVE_SCALE_SPAN, &scale);
        check_scale(hz, INT64_MAX, &scale);
    }
}

/* ---- made-up dumps ----------------------------------------------------------------------------------------------- */

static void expect_generated(const struct gen_options *options)
{
    struct list expected;
    struct bytes dump = make_dump(options, &expected);
    struct decoded decoded;

    decode_bytes(&decoded, dump);
    assert_true(decoded.opened);
    assert_same(&decoded.list, &expected);
    assert_int_equal(decoded.trace.counts.gaps + decoded.trace.counts.damaged + decoded.trace.counts.unfinished, 0);
    decoded_free(&decoded);
    bytes_free(&dump);
    free(expected.item);
}

static void made_up_dumps(void **state)
{
    static const uint32_t slots[] = {1, 2, 3, 31, 32, 33, 64, 100, 1000};
    static const uint32_t clocks[] = {168000000, 1000000000, 32768, 1, 4294967295};

    (void)state;
    for (uint32_t seed = 1; seed <= 3000; seed++) {
        uint64_t r = random64();
        struct gen_options options = {
            .seed = seed,
            .slots = slots[r % 9],
            .chunks = (uint32_t)(r >> 8) % 5 + 1,
            .cpus = (uint32_t)(r >> 16) % 3 + 1,
            .hz = clocks[(r >> 20) % 5],
            .boot = (uint32_t)(r >> 24),
            .names = (uint32_t)(r >> 32) % 4,
            .drops = r >> 36 & 1 ? (uint32_t)(r >> 37) % 300 : 0,
            .garbage = r >> 46 & 1 ? 50 : 0,
            .start = r >> 47 & 1 ? random64() >> 24 : 5,
            .sealed = r >> 48 & 1,
            .stream = r >> 49 & 1,
            .uncounted = r >> 50 & 1,
            .jumps = r >> 51 & 1,
        };

        options.events = random64() % (options.slots * options.chunks * 4 + 2);
        /* a short stream that ends with a full chunk seems to lack the next one */
        if (options.stream && options.events % options.slots == 0)
            options.events += options.slots > 1 ? 1 : 2 * options.chunks;
        expect_generated(&options);
    }
}

/* More events than one batch, more bytes than one piece of a search; every event of a chunk in a batch boundary's
 * place. */
static void large_dumps(void **state)
{
    struct gen_options options = {.events = 200000,
                                  .seed = 4,
                                  .slots = 65534,
                                  .chunks = 3,
                                  .cpus = 2,
                                  .hz = 25000000,
                                  .boot = 1,
                                  .drops = 2,
                                  .sealed = true};

    (void)state;
    expect_generated(&options);
    options.stream = true;
    options.slots = 5000;
    expect_generated(&options);
}

static void unknown_clock(void **state)
{
    struct gen_options options = {.events = 100, .seed = 4, .slots = 64, .chunks = 1, .cpus = 1, .hz = 0, .boot = 1};
    struct bytes dump = make_dump(&options, NULL);
    struct decoded decoded;

    (void)state;
    expect_generated(&options);
    decode_bytes(&decoded, dump);
    assert_int_equal(decoded.trace.clock_hz, 0);
    decoded_free(&decoded);

    /* a record that tells ticks per ms: 2000 */
    put32(dump.data + HEADER + 10 * SLOT, (get32(dump.data + HEADER + 10 * SLOT) & 0xFFFFFF00) | 0x10);
    put32(dump.data + HEADER + 10 * SLOT + 12, 2000);
    decode_bytes(&decoded, dump);
    assert_int_equal(decoded.trace.clock_hz, 2000000);
    assert_int_equal(decoded.trace.counts.gaps, 0);
    decoded_free(&decoded);
    bytes_free(&dump);
}

static void names_are_known_at_once(void **state)
{
    struct gen_options options = {
        .events = 3, .seed = 4, .slots = 8, .chunks = 1, .cpus = 1, .hz = 1000, .boot = 1, .names = 20};
    struct bytes dump = make_dump(&options, NULL);
    struct decoded decoded;

    (void)state;
    decode_bytes(&decoded, dump);
    assert_string_equal(trace_name(&decoded.trace, TRACE_NAME_TASK, 1), "task w1");
    assert_string_equal(trace_name(&decoded.trace, TRACE_NAME_TASK, 19), "task with a rather long 19");
    assert_string_equal(trace_name(&decoded.trace, TRACE_NAME_TASK, 20), "task 20");
    assert_null(trace_name(&decoded.trace, TRACE_NAME_TASK, 21));
    decoded_free(&decoded);
    bytes_free(&dump);
}

/* ---- a chunk to write slots into --------------------------------------------------------------------------------- */

/* An empty chunk of CPU 0 in its first lap, 1 GHz: ns are ticks. */
static struct bytes empty_chunk(uint32_t slots)
{
    struct gen_options options = {.events = 0, .slots = slots, .chunks = 1, .cpus = 1, .hz = 1000000000, .boot = 1};

    return make_dump(&options, NULL);
}

static void set_cursor(struct bytes dump, uint32_t lap, uint32_t index)
{
    put32(dump.data + 96, index << 16 | (lap % 2 ? 0x100 : 0x200));
    put32(dump.data + 100, lap << 10 | (lap % 2 ? 0x100 : 0x200));
}

static void set_words(struct bytes dump, uint32_t slot, uint32_t word0, uint32_t word1, uint32_t word2, uint32_t word3)
{
    unsigned char *at = dump.data + HEADER + (size_t)(slot - 1) * SLOT;

    put32(at, word0);
    put32(at + 4, word1);
    put32(at + 8, word2);
    put32(at + 12, word3);
}

/* A user event of a lap, par2 = its time. */
static void set_record(struct bytes dump, uint32_t slot, uint32_t lap, uint32_t time)
{
    set_words(dump, slot, (lap % 2 ? 0x100u : 0x200u) | 0x09, time & 0x80000000u, time, time);
}

static struct item user_event(uint32_t time)
{
    return (struct item){.time = time, .code = 0x09, .par2 = time};
}

/* Lap n up to a slot, lap n - 1 from there on; times 1000 * lap + slot. */
static void fill(struct bytes dump, uint32_t lap, uint32_t index)
{
    uint32_t slots = get32(dump.data + 20);

    set_cursor(dump, lap, index);
    for (uint32_t i = 1; i <= slots; i++) {
        uint32_t of = i < index ? lap : lap - 1;

        if (of > 0)
            set_record(dump, i, of, 1000 * of + i);
    }
}

/* ---- slots that are not whole ------------------------------------------------------------------------------------ */

static void expect_unfinished(struct bytes dump, uint64_t unfinished, size_t events)
{
    struct decoded decoded;

    decode_bytes(&decoded, dump);
    assert_int_equal(decoded.trace.counts.unfinished, unfinished);
    assert_int_equal(decoded.trace.counts.gaps, 0);
    assert_int_equal(count_events(&decoded.list), events);
    decoded_free(&decoded);
}

/* FORMAT 2.3, line by line, with all that may be in words 1 to 3 of a slot that is being written. */
static void half_written_slots(void **state)
{
    struct bytes dump = empty_chunk(8);

    (void)state;
    for (uint32_t lap = 1; lap <= 6; lap++) {
        for (uint32_t index = 2; index <= 9; index++) {
            for (uint32_t words = 0; words < 8; words++) {
                uint32_t slot = index - 1, old = (lap % 2 ? 0x200u : 0x100u) | (lap > 1 ? 0x09u : 0);

                fill(dump, lap, index);
                set_words(dump, slot, old, words & 1 ? 0x80000000u : 0, words & 2 ? 5 : 1000 * lap + slot,
                          words & 4 ? 7 : 0);
                expect_unfinished(dump, 1, lap > 1 ? 7 : index - 2);
            }
            if (lap > 2 && index < 8) { /* never finished in the lap before, and the cursor has not come there again */
                fill(dump, lap, index);
                set_record(dump, index, lap - 2, 1000 * (lap - 2) + index);
                expect_unfinished(dump, 1, 7);
            }
            for (uint32_t slot = 1; slot <= 8; slot++)
                set_words(dump, slot, 0x200, 0, 0, 0); /* never written */
        }
    }
    bytes_free(&dump);
}

/* A lap is open, but not counted yet. */
static void lap_open_but_not_counted(void **state)
{
    struct bytes dump = empty_chunk(8);

    (void)state;
    for (uint32_t lap = 1; lap <= 4; lap++) {
        for (uint32_t index = 1; index <= 9; index++) {
            fill(dump, lap, index);
            put32(dump.data + 100, (lap - 1) << 10 | (lap % 2 ? 0x200 : 0x100));
            expect_unfinished(dump, 0, lap > 1 ? 8 : index - 1);
        }
    }
    bytes_free(&dump);
}

/* A parked cursor bears both tags; the lap word tells which one it is. */
static void parked(void **state)
{
    struct bytes dump = empty_chunk(8);

    (void)state;
    for (uint32_t lap = 1; lap <= 4; lap++) {
        for (uint32_t index = 1; index <= 9; index++) {
            fill(dump, lap, index);
            put32(dump.data + 96, index << 16 | 0x300);
            expect_unfinished(dump, 0, lap > 1 ? 8 : index - 1);
        }
    }
    bytes_free(&dump);
}

/* Laps are counted modulo 2^22. */
static void laps_wrap(void **state)
{
    struct bytes dump = empty_chunk(8);

    (void)state;
    for (uint32_t index = 1; index <= 9; index++) {
        fill(dump, 2, index);
        put32(dump.data + 100, 0 << 10 | 0x200);
        expect_unfinished(dump, 0, 8);
        fill(dump, 3, index);
        put32(dump.data + 100, 1 << 10 | 0x100);
        expect_unfinished(dump, 0, 8);
    }
    bytes_free(&dump);
}

/* ---- damage that shows without a seal ---------------------------------------------------------------------------- */

static void expect_without(struct bytes dump, uint32_t first, uint32_t last, uint32_t but)
{
    struct item items[40];
    size_t n = 0;

    for (uint32_t i = first; i <= last; i++) {
        if (i == but + 1)
            items[n++] = (struct item){.time = 1000 + i, .code = ITEM_DAMAGE, .count = 1};
        if (i != but)
            items[n++] = user_event(1000 + i);
    }
    expect_items(dump, items, n, 1);
}

static void damaged_slots(void **state)
{
    struct bytes dump = empty_chunk(20);

    (void)state;
    for (uint32_t slot = 1; slot < 20; slot++) {
        fill(dump, 1, 21);
        set_words(dump, slot, 0x109, 0x80000000u, 1000 + slot, 0); /* the mirror of bit 31 is wrong */
        expect_without(dump, 1, 20, slot);
        set_words(dump, slot, 0x309, 0, 1000 + slot, 0); /* no tag */
        expect_without(dump, 1, 20, slot);
        set_words(dump, slot, 0x100, 0, 1000 + slot, 0); /* no code */
        expect_without(dump, 1, 20, slot);
        set_words(dump, slot, 0x1FF, 0, 1000 + slot, 0); /* a command */
        expect_without(dump, 1, 20, slot);
        if (slot < 19) {
            set_record(dump, slot, 1, 900000); /* too late for the two behind it */
            expect_without(dump, 1, 20, slot);
        }
        if (slot > 2) {
            set_record(dump, slot, 1, 10); /* too early for the two before it */
            expect_without(dump, 1, 20, slot);
        }
    }
    bytes_free(&dump);
}

/* Two records that contradict each other and nothing else: neither is relied on. */
static void undecidable_order(void **state)
{
    struct bytes dump = empty_chunk(4);
    struct item items[] = {user_event(1000), {.time = 4000, .code = ITEM_DAMAGE, .count = 2}, user_event(4000)};

    (void)state;
    set_cursor(dump, 1, 5);
    set_record(dump, 1, 1, 1000);
    set_record(dump, 2, 1, 3000);
    set_record(dump, 3, 1, 2000);
    set_record(dump, 4, 1, 4000);
    expect_items(dump, items, 3, 2);
    bytes_free(&dump);
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

/* The loss stands before blackout_start, if that directly precedes blackout_end, also when a lap ends between them. */
static void losses_stand_where_they_begin(void **state)
{
    struct gen_options options = {
        .events = 3, .seed = 1, .slots = 2, .chunks = 2, .cpus = 1, .hz = 1000000000, .boot = 1};
    struct bytes dump = make_dump(&options, NULL), second = {dump.data + dump.n / 2, dump.n / 2};
    struct item items[] = {
        user_event(10),
        {.time = 20, .code = ITEM_LOSS, .count = 7},
        {.time = 20, .code = 0x40},
        {.time = 30, .code = 0x50, .par2 = 7},
    };
    struct item apart[] = {
        {.time = 10, .code = 0x40},
        user_event(20),
        {.time = 30, .code = ITEM_LOSS, .count = 7},
        {.time = 30, .code = 0x50, .par2 = 7},
    };

    (void)state;
    put32(dump.data + 104, 7);
    put32(dump.data + 108, 7);
    set_record(dump, 1, 1, 10);
    set_words(dump, 2, 0x140, 0, 20, 0);
    set_words(second, 1, 0x150, 0, 30, 7);
    expect_items(dump, items, 4, 0);
    set_words(dump, 1, 0x140, 0, 10, 0);
    set_record(dump, 2, 1, 20);
    expect_items(dump, apart, 4, 0);
    bytes_free(&dump);
}

/* A stream of five images without the third. The last one, of the same chunk, still shows 5 of its 16 slots: 11 are
 * lost, exactly there. */
static void missing_image_of_a_stream(void **state)
{
    struct gen_options options = {.events = 75,
                                  .seed = 1,
                                  .slots = 16,
                                  .chunks = 2,
                                  .cpus = 1,
                                  .hz = 1000,
                                  .boot = 1,
                                  .sealed = true,
                                  .stream = true};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    size_t size = dump.n / 5;
    struct bytes cut = join((struct bytes){dump.data, 2 * size}, (struct bytes){dump.data + 3 * size, 2 * size});
    struct item lost = {.time = expected.item[43].time, .code = ITEM_LOSS, .count = 11};

    (void)state;
    memmove(expected.item + 33, expected.item + 43, 32 * sizeof lost);
    expected.item[32] = lost;
    expect_items(cut, expected.item, 65, 0);
    bytes_free(&cut);
    bytes_free(&dump);
    free(expected.item);
}

/* ---- several images of one chunk --------------------------------------------------------------------------------- */

/* The same chunk at several times: copies of lap, index. */
static struct bytes snapshots(const uint32_t (*when)[2], size_t n, bool sealed)
{
    struct bytes all = {malloc(1), 0}, one = empty_chunk(40);

    for (size_t i = 0; i < n; i++) {
        struct bytes more;

        fill(one, when[i][0], when[i][1]);
        if (sealed)
            fix_seal(one.data);
        more = join(all, one);
        bytes_free(&all);
        all = more;
    }
    bytes_free(&one);
    return all;
}

/* Events of lap and slot from..to, and a loss of what was before them. */
static size_t add_range(struct item *items, size_t n, uint32_t lap, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i <= to; i++)
        items[n++] = user_event(1000 * lap + i);
    return n;
}

static void copies_of_a_chunk(void **state)
{
    static const uint32_t pairs[][2][2] = {
        {{5, 20}, {5, 20}},                     /* identical */
        {{5, 20}, {5, 30}},                     /* older, newer in the same lap */
        {{5, 30}, {5, 20}},                     /* the other way round */
        {{5, 20}, {6, 10}},                     /* a lap later: laps 4, 5 and 6 */
        {{6, 10}, {5, 20}}, {{5, 41}, {6, 41}}, /* full both times */
    };

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        for (unsigned sealed = 0; sealed < 2; sealed++) {
            struct bytes dump = snapshots(pairs[i], 2, sealed);
            const uint32_t *old = pairs[i][0], *new = pairs[i][1], *swap = old;
            struct item items[200] = {{.code = ITEM_LOSS}};
            size_t n = 1;

            if (old[0] * 100 + old[1] > new[0] * 100 + new[1]) {
                old = new;
                new = swap;
            }
            items[0].count = (old[0] - 2) * 40 + old[1] - 1;
            n = add_range(items, n, old[0] - 1, old[1], 40);
            if (new[0] > old[0])
                n = add_range(items, n, old[0], 1, 40);
            n = add_range(items, n, new[0], 1, new[1] - 1);
            items[0].time = items[1].time;
            expect_items(dump, items, n, 0);
            bytes_free(&dump);
        }
    }
}

/* Laps 4 to 9 seen at lap 5 and at lap 8: what was overwritten in between is a loss in the middle. */
static void copies_far_apart(void **state)
{
    static const uint32_t when[2][2] = {{5, 20}, {8, 10}};
    struct bytes dump = snapshots(when, 2, true);
    struct item items[200] = {{.time = 4020, .code = ITEM_LOSS, .count = 139}};
    size_t n = add_range(items, 1, 4, 20, 40);

    (void)state;
    n = add_range(items, n, 5, 1, 19);
    items[n++] = (struct item){.time = 7010, .code = ITEM_LOSS, .count = 21 + 40 + 9};
    n = add_range(items, n, 7, 10, 40);
    n = add_range(items, n, 8, 1, 9);
    expect_items(dump, items, n, 0);
    bytes_free(&dump);
}

/* What is damaged or unfinished in one copy is taken from the other, whichever comes first. */
static void damaged_copies(void **state)
{
    static const uint32_t when[2][2] = {{5, 20}, {5, 30}};
    struct item items[60] = {{.time = 4020, .code = ITEM_LOSS, .count = 139}};
    size_t n = add_range(items, 1, 4, 20, 40);

    (void)state;
    n = add_range(items, n, 5, 1, 29);
    for (unsigned sealed = 0; sealed < 2; sealed++) {
        for (uint32_t slot = 1; slot <= 19; slot++) {
            struct bytes dump = snapshots(when, 2, sealed);
            unsigned char *older = dump.data + HEADER + (slot - 1) * SLOT, *newer = older + dump.n / 2;

            older[9] ^= 0x55; /* nobody asks the older image for this slot */
            expect_items(dump, items, n, 0);
            older[9] ^= 0x55;
            newer[sealed ? 9 : 1] ^= 3; /* the time, which the seal tells; or the tag: not finished */
            expect_items(dump, items, n, sealed ? 1 : 0);
            bytes_free(&dump);
        }
    }
}

static void images_in_any_order(void **state)
{
    struct gen_options options = {.events = 400,
                                  .seed = 3,
                                  .slots = 20,
                                  .chunks = 4,
                                  .cpus = 2,
                                  .hz = 1000,
                                  .boot = 1,
                                  .names = 2,
                                  .sealed = true,
                                  .stream = true};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected), mixed = {malloc(dump.n), 0};
    size_t at[64], size[64], n = 0, end = 0;
    struct decoded decoded;

    (void)state;
    while ((at[n] = find_image(dump, end, &size[n])) != SIZE_MAX) {
        end = at[n] + size[n];
        n++;
    }
    for (unsigned round = 0; round < 50; round++) {
        mixed.n = 0;
        for (size_t i = 0; i < n; i++) { /* another order each time: take one of those left */
            size_t k = i + random64() % (n - i), keep = at[k], keep_size = size[k];

            at[k] = at[i];
            size[k] = size[i];
            at[i] = keep;
            size[i] = keep_size;
            memcpy(mixed.data + mixed.n, dump.data + keep, keep_size);
            mixed.n += keep_size;
        }
        decode_bytes(&decoded, mixed);
        assert_same(&decoded.list, &expected);
        assert_int_equal(decoded.trace.counts.gaps, 0);
        decoded_free(&decoded);
    }
    bytes_free(&mixed);
    bytes_free(&dump);
    free(expected.item);
}

/* Of several runs the last one is decoded. */
static void several_runs(void **state)
{
    struct gen_options options = {.events = 30, .seed = 3, .slots = 20, .chunks = 2, .cpus = 1, .hz = 1000, .boot = 8};
    struct list expected;
    struct bytes first = make_dump(&options, &expected), second, both;
    struct decoded decoded;

    (void)state;
    options.boot = 7;
    options.seed = 4;
    second = make_dump(&options, NULL);
    both = join(first, second);
    decode_bytes(&decoded, both);
    assert_same(&decoded.list, &expected);
    decoded_free(&decoded);
    bytes_free(&both);
    bytes_free(&first);
    bytes_free(&second);
    free(expected.item);
}

/* ---- traceevent slots -------------------------------------------------------------------------------------------- */

/* Between records, before the first one, across a wrap of the low word; a combine event; one that lacks its end; wraps
 * that only a CONTROL TIME tells. */
static void traceevent_slots(void **state)
{
    struct bytes dump = empty_chunk(10);
    const uint32_t class = 9u << 10, tag = 0x100;
    struct item items[] = {
        {.time = 0xFFFFFFF0, .code = ITEM_TRACEEVENT, .par1 = 9u << 16 | 0x342, .par2 = 2, .count = 1 | 2ull << 32},
        {.time = 0x100000010, .code = 0x09, .par2 = 4},
        {.time = 0x100000020, .code = ITEM_TRACEEVENT, .par1 = 9u << 16 | 7, .par2 = 4, .count = 6 | 7ull << 32},
        {.time = 0x200000000, .code = ITEM_TRACEEVENT, .par1 = 9u << 16 | 8, .par2 = 2},
        {.time = 0x700000005, .code = 0x09, .par2 = 5},
        {.time = 0x900000040, .code = ITEM_TRACEEVENT, .par1 = 9u << 16 | 9, .par2 = 2},
    };
    struct decoded decoded;

    (void)state;
    set_cursor(dump, 1, 11);
    set_words(dump, 1, 3u << 16 | class | tag | 0x42, 0xFFFFFFF0, 1, 2);
    set_words(dump, 2, tag | 0x09, 1, 0x10, 4);
    set_words(dump, 3, 1u << 30 | class | tag | 7, 0x20, 6, 7);
    set_words(dump, 4, 3u << 30 | class | tag | 7, 0x20, 0, 0);
    set_words(dump, 5, class | tag | 8, 0, 0, 0);
    set_words(dump, 6, tag | 0x09, 7, 5, 5);
    set_words(dump, 7, 1u << 30 | class | tag | 7, 0x20, 0, 0);
    set_words(dump, 8, 1u << 16 | 1u << 10 | tag, 0x30, 2u << 16 | 15, 'U' | 'A' << 8 | 'R' << 16 | 'T' << 24);
    set_words(dump, 9, 1u << 10 | tag | 1, 0x40, 9, 0x40); /* CONTROL TIME */
    set_words(dump, 10, class | tag | 9, 0x40, 0, 0);
    expect_items(dump, items, 6, 0);
    decode_bytes(&decoded, dump);
    assert_int_equal(decoded.trace.counts.unfinished, 1);
    assert_string_equal(trace_name(&decoded.trace, TRACE_NAME_IRQ, 15), "UART");
    decoded_free(&decoded);
    bytes_free(&dump);
}

/* Ahead of a lap's first record only CONTROL TIME tells how long ago an event was, if that was more than a wrap: at the
 * beginning of the lap, or behind an event. */
static void a_time_ahead_of_records(void **state)
{
    (void)state;
    for (uint32_t time_at = 1; time_at <= 2; time_at++) {
        for (uint32_t told = 0; told < 5u; told++) { /* low words 0x40 and 0x60 are above the record's */
            struct bytes dump = empty_chunk(4);
            struct item items[] = {
                {.time = (uint64_t)told << 32 | 0x40, .code = ITEM_TRACEEVENT, .par1 = 9u << 16 | 8, .par2 = 2},
                {.time = (uint64_t)told << 32 | 0x60, .code = ITEM_TRACEEVENT, .par1 = 9u << 16 | 9, .par2 = 2},
                {.time = 5ull << 32 | 0x10, .code = 0x09, .par2 = 5},
            };

            set_cursor(dump, 1, 5);
            set_words(dump, 3u - time_at, 9u << 10 | 0x108, 0x40, 0, 0);
            set_words(dump, time_at, 1u << 10 | 0x101, 0x40, told, 0x40); /* CONTROL TIME */
            set_words(dump, 3, 9u << 10 | 0x109, 0x60, 0, 0);
            set_words(dump, 4, 0x109, 5, 0x10, 5);
            expect_items(dump, items, 3, 0);
            bytes_free(&dump);
        }
    }
}

/* ---- headers that are refused ------------------------------------------------------------------------------------ */

static void expect_refused(struct bytes dump, const char *why, enum trace_probe probe)
{
    struct decoded decoded;

    decode_bytes(&decoded, dump);
    assert_false(decoded.opened);
    if (strstr(decoded.trace.error, why) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", decoded.trace.error, why);
    decoded_free(&decoded);
    assert_int_equal(probe_bytes(dump), probe);
}

static void refuse_word(size_t offset, uint32_t value, const char *why)
{
    struct bytes dump = golden_dump();

    put32(dump.data + offset, value);
    fix_header(dump.data);
    expect_refused(dump, why, TRACE_MINE);
    bytes_free(&dump);
}

static void refused_headers(void **state)
{
    struct bytes dump = golden_dump(), nothing = {NULL, 0};

    (void)state;
    refuse_word(8, 0x04700002, "offset 0x0: chunk of format version 2; this decoder knows version 1");
    refuse_word(8, 0x04700000, "format version 0");
    refuse_word(8, 0x04800001, "header of 128 bytes");
    refuse_word(12, 0x00030000, "role 3");
    refuse_word(20, 0, "impossible size: 0 slots");
    refuse_word(20, 5, "impossible size: 5 slots, 0 emergency slots, 240 bytes");
    refuse_word(20, 65535, "impossible size");
    refuse_word(20, 0xFFFFFFFF, "impossible size");
    refuse_word(24, 0xFFFFFFFF, "impossible size");
    refuse_word(28, 0xFFFFFFFF, "impossible size");
    refuse_word(28, 256, "impossible size");
    assert_int_equal(probe_bytes(dump), TRACE_MINE);
    dump.data[20] ^= 1;
    dump.data[30] ^= 1;
    expect_refused(dump, "damaged beyond repair", TRACE_MINE_BROKEN);
    expect_refused((struct bytes){dump.data, 40}, "ends in the header", TRACE_MINE_BROKEN);
    for (size_t i = 0; i < 240; i += 4)
        put32(dump.data + i, __builtin_bswap32(golden_words[i / 4]));
    expect_refused(dump, "big-endian", TRACE_MINE);
    expect_refused(nothing, "no tlog chunk found in 0 bytes", TRACE_NOT_MINE);
    bytes_free(&dump);
}

/* A refused image beside a good one costs nothing but a remark. */
static void refused_beside_good(void **state)
{
    struct bytes good = golden_dump(), bad = golden_dump(), both;

    (void)state;
    put32(bad.data + 8, 0x04700009);
    fix_header(bad.data);
    both = join(bad, good);
    expect_items(both, golden_items, 7, 1);
    bytes_free(&both);
    both = join(good, bad);
    expect_items(both, golden_items, 7, 1);
    bytes_free(&both);
    bytes_free(&good);
    bytes_free(&bad);
}

/* A seal from before further events says nothing; damaged words of a header are known from the seal. */
static void seals_and_words(void **state)
{
    struct bytes dump = empty_chunk(70), stale;
    struct decoded decoded;

    (void)state;
    fill(dump, 3, 30);
    fix_seal(dump.data);
    stale = join(dump, (struct bytes){NULL, 0});
    fill(stale, 3, 40);
    expect_unfinished(stale, 0, 70);
    for (size_t at = 96; at < 112; at++) {
        dump.data[at] ^= 0x24;
        decode_bytes(&decoded, dump);
        assert_int_equal(count_events(&decoded.list), 70);
        assert_int_equal(count_lost(&decoded.list, ITEM_LOSS), 70 + 29);
        assert_int_equal(decoded.trace.counts.gaps, 1);
        decoded_free(&decoded);
        dump.data[at] ^= 0x24;
    }
    bytes_free(&stale);
    bytes_free(&dump);
}

/* Without a seal the tags tell where a damaged cursor stood, unless it is only little ahead. */
static void cursor_from_tags(void **state)
{
    struct bytes dump = empty_chunk(100);
    struct decoded decoded;

    (void)state;
    for (uint32_t lap = 1; lap <= 3; lap++) {
        for (uint32_t bad = 0; bad < 0x10000; bad += bad < 120 ? 1 : 173) {
            uint32_t unfinished = bad > 50 && bad < 58 ? bad - 50 : 0; /* so few may be that: it is not decided */

            fill(dump, lap, 50);
            put32(dump.data + 96, bad << 16 | (lap % 2 ? 0x100 : 0x200));
            decode_bytes(&decoded, dump);
            assert_int_equal(count_events(&decoded.list), lap > 1 ? 100 - unfinished : 49);
            assert_int_equal(decoded.trace.counts.unfinished, unfinished);
            assert_int_equal(decoded.trace.counts.gaps, bad != 50 && unfinished == 0);
            decoded_free(&decoded);
            for (uint32_t slot = 1; slot <= 100; slot++)
                set_words(dump, slot, 0x200, 0, 0, 0); /* never written */
        }
    }
    bytes_free(&dump);
}

/* A damaged count of laps costs the count of what was overwritten, never the order of what was not. */
static void order_without_laps(void **state)
{
    struct gen_options options = {.events = 230, .seed = 9, .slots = 40, .chunks = 3, .cpus = 1, .hz = 1000, .boot = 1};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    struct decoded decoded;

    (void)state;
    for (size_t image = 0; image < dump.n; image += dump.n / 3) {
        for (unsigned bit = 11; bit < 32; bit++) {
            put32(dump.data + image + 100, get32(dump.data + image + 100) ^ 1u << bit);
            decode_bytes(&decoded, dump);
            assert_int_equal(count_events(&decoded.list), 120);
            assert_true(is_part(&decoded.list, &expected));
            decoded_free(&decoded);
            put32(dump.data + image + 100, get32(dump.data + image + 100) ^ 1u << bit);
        }
    }
    bytes_free(&dump);
    free(expected.item);
}

/* The lap word tells odd from even twice; and slots that were never written tell the first lap. */
static void laps_from_other_bits(void **state)
{
    struct bytes dump = empty_chunk(100);
    struct decoded decoded;

    (void)state;
    for (uint32_t lap = 1; lap <= 4; lap++) {
        fill(dump, lap, 50);
        for (unsigned bit = 0; bit < (lap == 1 ? 32 : 11); bit++) {
            put32(dump.data + 100, get32(dump.data + 100) ^ 1u << bit);
            decode_bytes(&decoded, dump);
            assert_int_equal(count_events(&decoded.list), lap > 1 ? 100 : 49);
            assert_int_equal(count_lost(&decoded.list, ITEM_LOSS), lap > 1 ? (lap - 2) * 100 + 49 : 0);
            assert_int_equal(decoded.trace.counts.gaps, 1);
            decoded_free(&decoded);
            put32(dump.data + 100, get32(dump.data + 100) ^ 1u << bit);
        }
    }
    bytes_free(&dump);
}

/* The only event of the next lap has a time too early: it goes, not all that would be later. */
static void one_early_event_of_the_next_lap(void **state)
{
    struct bytes dump = empty_chunk(40);
    struct item items[42] = {{.time = 2002, .code = ITEM_LOSS, .count = 41}};
    size_t n = add_range(items, 1, 2, 2, 40);

    (void)state;
    fill(dump, 3, 2);
    set_record(dump, 1, 3, 2010);
    items[n++] = (struct item){.time = 2040, .code = ITEM_DAMAGE, .count = 1};
    expect_items(dump, items, n, 1);
    bytes_free(&dump);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden),
        cmocka_unit_test(crc_and_its_inverse),
        cmocka_unit_test(time_is_exact),
        cmocka_unit_test(made_up_dumps),
        cmocka_unit_test(large_dumps),
        cmocka_unit_test(unknown_clock),
        cmocka_unit_test(names_are_known_at_once),
        cmocka_unit_test(half_written_slots),
        cmocka_unit_test(lap_open_but_not_counted),
        cmocka_unit_test(parked),
        cmocka_unit_test(laps_wrap),
        cmocka_unit_test(damaged_slots),
        cmocka_unit_test(undecidable_order),
        cmocka_unit_test(losses_stand_where_they_begin),
        cmocka_unit_test(missing_image_of_a_stream),
        cmocka_unit_test(copies_of_a_chunk),
        cmocka_unit_test(copies_far_apart),
        cmocka_unit_test(damaged_copies),
        cmocka_unit_test(images_in_any_order),
        cmocka_unit_test(several_runs),
        cmocka_unit_test(traceevent_slots),
        cmocka_unit_test(a_time_ahead_of_records),
        cmocka_unit_test(refused_headers),
        cmocka_unit_test(refused_beside_good),
        cmocka_unit_test(seals_and_words),
        cmocka_unit_test(cursor_from_tags),
        cmocka_unit_test(order_without_laps),
        cmocka_unit_test(laps_from_other_bits),
        cmocka_unit_test(one_early_event_of_the_next_lap),
    };

    return cmocka_run_group_tests_name("native reader", tests, NULL, NULL);
}
