/* test_reader.c - the native reader: a dump by hand, made-up dumps by the thousand, and each rule of target/FORMAT.md.
 */
#include "harness.h"
#include "model/module.h"

#include "base/crc32.h"
#include "native/scale.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

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

static void check_scale(uint64_t hz, uint64_t ticks, struct native_scale *scale)
{
    native_uint128 ns = (native_uint128)ticks * 1000000000u / hz;

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

/* The clock that is taken, and what becomes of the time of the first event, when --clock-hz is given. */
static void expect_clock(struct bytes dump, uint64_t given, uint64_t hz, uint64_t ticks)
{
    struct decoded decoded;

    clock_given = given;
    decode_bytes(&decoded, dump);
    clock_given = 0;
    assert_int_equal(decoded.trace.clock_hz, hz);
    assert_int_equal(decoded.list.item[0].time, ticks * 1000000000u / (hz > 0 ? hz : 1000000000u));
    assert_int_equal(decoded.trace.counts.gaps, 0);
    decoded_free(&decoded);
}

/* A record tells ticks per ms; what is given is more exact, if that agrees. */
static void unknown_clock(void **state)
{
    struct gen_options options = {.events = 50, .seed = 4, .slots = 64, .chunks = 1, .cpus = 1, .hz = 0, .boot = 1};
    struct bytes dump = make_dump(&options, NULL);
    uint64_t ticks = get32(dump.data + HEADER + 8);

    (void)state;
    expect_generated(&options);
    expect_clock(dump, 0, 0, ticks);
    expect_clock(dump, 2000768, 2000768, ticks);

    put32(dump.data + HEADER + 10 * SLOT, (get32(dump.data + HEADER + 10 * SLOT) & 0xFFFFFF00) | 0x10);
    put32(dump.data + HEADER + 10 * SLOT + 12, 2000);
    expect_clock(dump, 0, 2000000, ticks);
    expect_clock(dump, 2000768, 2000768, ticks);
    expect_clock(dump, 2001000, 2000000, ticks);
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
        cmocka_unit_test(refused_headers),
        cmocka_unit_test(refused_beside_good),
    };

    return cmocka_run_group_tests_name("native reader", tests, NULL, NULL);
}
