/* test_lost_chunks.c - which chunks are found whose header and seal are both damaged, with what a firmware's ELF file
 * tells of its rings; and what tells nothing: files of another firmware, other rings, other memory. */
#include "lib/tier.h"
#include "lost_harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* Whether the laps of the ring's other chunks tell that a chunk was opened. lost: bits of those that are damaged. */
static bool is_told(struct bytes dump, const struct gen_options *kind, uint32_t cpu, uint32_t number, uint32_t lost)
{
    uint32_t newest = 0, last = 0;
    size_t size;
    for (uint32_t i = 0; i < kind->chunks; i++) {
        uint32_t lap = get32(dump.data + lost_chunk_at(dump, cpu, 0, i, &size) + CHUNK_LAP) >> 16;
        if ((lost >> i & 1u) == 0 && lap > 0 && lap >= newest) {
            newest = lap;
            last = i;
        }
    }
    return newest > 1 || (newest == 1 && number < last);
}

/* Whether chunk `number` has the newest events of its ring: no other one tells what is later. */
static bool is_newest(struct bytes dump, const struct gen_options *kind, uint32_t cpu, uint32_t number)
{
    size_t size;
    const unsigned char *chunk = dump.data + lost_chunk_at(dump, cpu, 0, number, &size);
    uint32_t lap = get32(chunk + CHUNK_LAP) >> 16, next = (number + 1u) % kind->chunks;
    const unsigned char *other = dump.data + lost_chunk_at(dump, cpu, 0, next, &size);
    return get32(other + CHUNK_LAP) >> 16 != lap + (next == 0);
}

/* Whether slot 1 begins with 0 behind a header that ends in zeros: what wiped the header may have reached it. */
static bool is_beside_zeros(const unsigned char *chunk)
{
    return get32(chunk + CHUNK_LAP) == 0 && get32(chunk + CHUNK_DROPPED) == 0 && get32(chunk + CHUNK_EXTRA) == 0
           && chunk[HEADER] == 0;
}

/* How many events may be missing when a chunk is found. Without its end mark it is only found if other laps tell its
 * times, which takes records. */
static uint64_t may_lack(struct bytes dump, const struct gen_options *kind, uint32_t cpu, uint32_t number,
                         enum lost_how how)
{
    if (how == MARK && (kind->traceevents == 100 || is_newest(dump, kind, cpu, number)))
        return UINT64_MAX;
    return how == MORE ? kind->traceevents > 0 ? 7u : 3u : how == MARK ? 1u : 0u;
}

/* Damage a chunk. With the ELF file all events are there but those of slots that are damaged, too; without it those of
 * the chunk are missing. */
static void try_chunk(struct bytes dump, const struct gen_options *kind, const struct decoded *whole, uint32_t cpu,
                      uint32_t number, enum lost_how how)
{
    struct bytes bad = lost_copy(dump);
    struct decoded without;
    size_t size, at = lost_chunk_at(dump, cpu, 0, number, &size);
    lost_wipe(bad, at, how);
    snprintf(lost_what, sizeof lost_what, "kind %u, CPU %u, chunk %u, wiped %u", (unsigned)(kind - lost_kinds), cpu,
             number, (unsigned)how);
    firmware_given = &lost_firmware;
    if (is_told(dump, kind, cpu, number, 1u << number)) {
        uint64_t beside = is_beside_zeros(bad.data + at), lack = may_lack(dump, kind, cpu, number, how);
        uint64_t gaps = lost_must_have(bad, whole, lack + (lack < UINT64_MAX ? beside : 0));
        if (how == ZEROS)
            assert_int_equal(gaps, 1 + beside);
    }
    firmware_given = NULL;
    decode_bytes(&without, bad);
    assert_true(count_events(&without.list) < count_events(&whole->list));
    decoded_free(&without);
    bytes_free(&bad);
}

static void a_chunk_is_found_by_its_ring(void **state)
{
    (void)state;
    for (size_t i = 0; i < LOST_KINDS; i++) {
        struct bytes dump = lost_make(&lost_kinds[i]);
        struct decoded whole;
        decode_bytes(&whole, dump);
        assert_int_equal(whole.trace.counts.gaps, 0);
        firmware_given = &lost_firmware;
        lost_must_be_like(dump, &whole);
        for (uint32_t cpu = 0; cpu < lost_kinds[i].cpus; cpu++) {
            for (uint32_t number = 0; number < lost_kinds[i].chunks; number++) {
                for (unsigned how = 0; how < HOWS; how++)
                    try_chunk(dump, &lost_kinds[i], &whole, cpu, number, (enum lost_how)how);
            }
        }
        decoded_free(&whole);
        bytes_free(&dump);
    }
}

/* Any chunks of a ring may be lost, but for one. Those that the others tell of are found. */
static void several_chunks_are_found(void **state)
{
    const struct gen_options *kind = &lost_kinds[*(const size_t *)*state];
    struct bytes dump = lost_make(kind);
    uint32_t all = (1u << kind->chunks) - 1u;
    for (uint32_t lost = 1; lost < all; lost++) {
        uint32_t untold = 0;
        struct bytes bad = lost_wiped(dump, lost, ZEROS), fewer;
        struct decoded expected;
        for (uint32_t number = 0; number < kind->chunks; number++) {
            if (lost >> number & 1u && !is_told(dump, kind, 0, number, lost))
                untold |= 1u << number;
        }
        fewer = lost_wiped(dump, untold, ZEROS);
        firmware_given = NULL;
        decode_bytes(&expected, fewer);
        firmware_given = &lost_firmware;
        snprintf(lost_what, sizeof lost_what, "chunks 0x%x, of them not told 0x%x", lost, untold);
        lost_must_have(bad, &expected, untold != lost ? 0 : UINT64_MAX);
        decoded_free(&expected);
        bytes_free(&fewer);
        bytes_free(&bad);
    }
    bytes_free(&dump);
}

/* The turn of a chunk tells its lap, though its first slots have the tag of the next one: right behind the current
 * chunk, which is not full; further behind it; right behind it, if it is full; and where no records tell times. */
static void the_turn_tells_the_lap(void **state)
{
    static const uint32_t cases[][2] = {{0, 0}, {1, 1}, {1, 0}, {5, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes dump = lost_make(&lost_kinds[cases[i][0]]), bad = lost_wiped(dump, 1u << cases[i][1], ZEROS);
        struct decoded whole;
        size_t size, at = lost_chunk_at(dump, 0, 0, cases[i][1], &size);
        decode_bytes(&whole, dump);
        for (size_t slot = 0; slot < 3; slot++)
            bad.data[at + HEADER + SLOT * slot + 13] ^= 3u;
        firmware_given = &lost_firmware;
        snprintf(lost_what, sizeof lost_what, "kind %u, chunk %u", cases[i][0], cases[i][1]);
        lost_must_have(bad, &whole, 3);
        decoded_free(&whole);
        bytes_free(&bad);
        bytes_free(&dump);
        firmware_given = NULL;
    }
}

/* ---- zeros at headers -------------------------------------------------------------------------------------------- */

enum { ZEROS_MOST = 256, ZEROS_STEP = 61, CHUNK = 40 }; /* the campaign tries more of them */

/* How many events may be missing if n bytes are zeros from byte `from` of a header on: those of the group, or of the
 * slots, that this reaches, and the one behind; without seal and ELF file the chunk's. So it is if half of the lap word
 * is left, which tells then that the chunk was never opened; or if half of a lap is wiped, which has 20 slots. */
static size_t zeros_cost(size_t from, size_t n, bool sealed, bool has_elf)
{
    size_t slots = from + n > HEADER ? (from + n - HEADER + SLOT - 1) / SLOT : 0;
    has_elf = has_elf && slots < 10 && (from <= CHUNK_LAP + 1 || from >= CHUNK_LAP + 4);
    return sealed ? (slots > 0 ? 32 : 0) : has_elf ? slots + (from + n >= HEADER) : CHUNK;
}

/* How many of the events were never logged. */
static size_t count_untrue(const struct decoded *decoded, const struct decoded *whole)
{
    size_t n = 0;
    for (size_t i = 0, at = 0; i < decoded->list.n; i++) {
        const struct item *item = &decoded->list.item[i];
        size_t next = at;
        if (item->code == ITEM_LOSS || item->code == ITEM_DAMAGE)
            continue;
        while (next < whole->list.n && !same_item(item, &whole->list.item[next]))
            next++;
        n += next == whole->list.n;
        at = next < whole->list.n ? next + 1 : at;
    }
    return n;
}

/* Decode a dump with zeros. Few events are missing, and none without a word but with its whole chunk; and so many are
 * untrue at most. */
static void zeros_must_cost(struct bytes dump, const struct decoded *whole, size_t most, size_t untrue)
{
    struct decoded decoded;
    size_t n;
    decode_bytes(&decoded, dump);
    n = count_events(&decoded.list);
    if (n + most < count_events(&whole->list))
        print_error("%s: %zu events\n", lost_what, n);
    assert_true(decoded.opened);
    assert_true(n + most >= count_events(&whole->list));
    assert_true(n == count_events(&whole->list) || most == CHUNK || decoded.trace.counts.gaps > 0);
    if (count_untrue(&decoded, whole) > untrue)
        print_error("%s: an event was never logged\n", lost_what);
    assert_true(count_untrue(&decoded, whole) <= untrue);
    decoded_free(&decoded);
}

/* n zeros from byte `from` of a header on. If they begin behind the lap word nothing shows without a seal that they
 * have reached slot 1. */
static void try_zeros(struct bytes dump, const struct decoded *whole, size_t header, bool sealed, size_t from, size_t n)
{
    size_t untrue = !sealed && from > CHUNK_LAP && from + n > HEADER;
    struct bytes bad = lost_copy(dump);
    memset(bad.data + header + from, 0, n);
    for (unsigned elf = 0; elf < 2; elf++) {
        snprintf(lost_what, sizeof lost_what, "header at %zu, %zu zeros from %zu on, sealed %u, ELF %u", header, n,
                 from, sealed, elf);
        firmware_given = elf ? &lost_firmware : NULL;
        zeros_must_cost(bad, whole, zeros_cost(from, n, sealed, elf > 0), untrue);
    }
    bytes_free(&bad);
}

/* A magic of 0 is damage, if a seal or the ELF file tells of the chunk; so are zeros at any other place. */
static void put_zeros(struct bytes dump, const struct decoded *whole, size_t header, bool sealed)
{
    try_zeros(dump, whole, header, sealed, 0, 4);
    for (size_t i = 0; i < (size_t)HEADER * ZEROS_MOST; i += ZEROS_STEP * tier_step(11))
        try_zeros(dump, whole, header, sealed, i / ZEROS_MOST, i % ZEROS_MOST + 1);
}

static void zeros_in_headers(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < 2; kind++) {
        struct bytes dump = lost_make(&lost_kinds[kind]);
        struct decoded whole;
        size_t size;
        decode_bytes(&whole, dump);
        for (size_t at = find_image(dump, 0, &size); at != SIZE_MAX; at = find_image(dump, at + size, &size))
            put_zeros(dump, &whole, at, lost_kinds[kind].sealed);
        decoded_free(&whole);
        bytes_free(&dump);
    }
}

/* ---- what tells nothing ------------------------------------------------------------------------------------------ */

/* Put a build id into the header of the n-th image, or of all (SIZE_MAX). */
static void put_build(struct bytes dump, size_t n, const void *id)
{
    size_t at = 0, size;
    for (size_t i = 0; (at = find_image(dump, at, &size)) != SIZE_MAX; i++, at += size) {
        if (i != n && n != SIZE_MAX)
            continue;
        memcpy(dump.data + at + CHUNK_BOOT + 4, id, 8);
        fix_header(dump.data + at);
    }
}

static void another_firmware_tells_nothing(void **state)
{
    struct bytes dump = lost_make(&lost_kinds[1]), bad;
    struct decoded whole;
    (void)state;
    decode_bytes(&whole, dump);
    bad = lost_wiped(dump, 1u << 2, ZEROS);
    firmware_given = &lost_firmware;
    lost_must_have(bad, &whole, 0);
    put_build(bad, SIZE_MAX, lost_build_id);
    lost_must_have(bad, &whole, 0);
    lost_firmware.build_id_size = 0;
    lost_must_tell_nothing(bad);
    lost_firmware.build_id_size = 7;
    lost_must_tell_nothing(bad);
    lost_firmware.build_id_size = 8;
    lost_must_have(bad, &whole, 0);
    for (size_t i = 0; i < 3; i++) {
        put_build(bad, i, "another!");
        lost_must_tell_nothing(bad);
        put_build(bad, i, lost_build_id);
    }
    put_build(bad, SIZE_MAX, "another!");
    lost_must_tell_nothing(bad);
    put_build(bad, SIZE_MAX, "\0\0\0\0\0\0\0\0");
    lost_firmware.build_id_size = 0;
    lost_must_have(bad, &whole, 0);
    decoded_free(&whole);
    bytes_free(&bad);
    bytes_free(&dump);
}

static void other_rings_tell_nothing(void **state)
{
    struct bytes dump = lost_make(&lost_kinds[1]), bad = lost_wiped(dump, 1u << 2, ZEROS);
    const struct trace_ring right = lost_rings[0];
    (void)state;
    for (unsigned i = 0; i < 11; i++) {
        const int64_t by[] = {16, -16, right.size, -(int64_t)right.size, 4 * (int64_t)right.size};
        lost_rings[0] = right;
        if (i < 5)
            lost_rings[0].address += (uint64_t)by[i];
        lost_rings[0].chunks -= i == 5 ? 2u : 0;
        lost_rings[0].slots += i == 6;
        lost_rings[0].freq += i == 7;
        lost_rings[0].coarse_freq += i == 8;
        lost_rings[0].format += i == 9 ? 4u << 24 : 0;
        lost_rings[0].place += i == 10;
        lost_must_tell_nothing(bad);
    }
    lost_rings[0] = right;
    lost_firmware.nrings = 0;
    lost_must_tell_nothing(bad);
    bytes_free(&bad);
    bytes_free(&dump);
}

/* A symbol does not tell that a chunk was opened, not even if memory has events of a run before. */
static void a_chunk_may_never_have_been_opened(void **state)
{
    struct gen_options kind = lost_kinds[2];
    struct bytes before = lost_make(&kind), dump;
    const size_t size = lost_rings[0].size;
    struct decoded whole;
    (void)state;
    kind.events = 70;
    dump = lost_make(&kind);
    decode_bytes(&whole, dump);
    assert_int_equal(whole.trace.counts.gaps, 0);
    firmware_given = &lost_firmware;
    for (uint32_t lost = 4; lost < 16; lost += 4) {
        struct bytes bad = lost_copy(dump);
        for (uint32_t number = 2; number < 4; number++) {
            if ((lost >> number & 1u) == 0)
                continue;
            memcpy(bad.data + number * size, before.data + number * size, size);
            lost_wipe(bad, number * size, ZEROS);
        }
        lost_must_be_like(bad, &whole);
        bytes_free(&bad);
    }
    decoded_free(&whole);
    bytes_free(&before);
    bytes_free(&dump);
}

/* What memory holds where there is no chunk. */
static void put_other(unsigned char *at, size_t n, unsigned kind)
{
    for (size_t i = 0; i + 16 <= n; i += 16) {
        uint32_t number = (uint32_t)(i / 16u);
        for (size_t k = 0; k < 16; k++)
            at[i + k] = kind == 0 ? 0 : kind == 1 ? 0xFF : (unsigned char)random64();
        if (kind == 3) { /* a vector table */
            for (size_t k = 0; k < 16; k += 4)
                put32(at + i + k, 0x08000101u + 4u * (uint32_t)(random64() % 4000u));
        } else if (kind == 4) { /* entries with a number, a value and times */
            put32(at + i, 1000u * number);
            put32(at + i + 4, 0);
            put32(at + i + 8, 500000000u + 100u * number);
            put32(at + i + 12, 0x110u + number);
        }
    }
}

/* A dump may lack a part of the memory: what stands there instead is not a chunk. */
static void other_memory_is_no_chunk(void **state)
{
    (void)state;
    for (size_t i = 0; i < LOST_KINDS; i++) {
        struct bytes dump = lost_make(&lost_kinds[i]), bad = lost_copy(dump);
        size_t size, at = lost_chunk_at(dump, 0, 0, 1, &size);
        for (unsigned kind = 0; kind < 5; kind++) {
            put_other(bad.data + at, size, kind);
            snprintf(lost_what, sizeof lost_what, "kind %u, memory %u", (unsigned)i, kind);
            lost_must_tell_nothing(bad);
        }
        bytes_free(&bad);
        bytes_free(&dump);
    }
}

int main(void)
{
    static size_t four = 0, nine = 6;
    const struct CMUnitTest tests[] = {
        LOST_TEST(a_chunk_is_found_by_its_ring),
        cmocka_unit_test_prestate_setup_teardown(several_chunks_are_found, lost_set_up, lost_set_up, &four),
        cmocka_unit_test_prestate_setup_teardown(several_chunks_are_found, lost_set_up, lost_set_up, &nine),
        LOST_TEST(the_turn_tells_the_lap),
        LOST_TEST(zeros_in_headers),
        LOST_TEST(another_firmware_tells_nothing),
        LOST_TEST(other_rings_tell_nothing),
        LOST_TEST(a_chunk_may_never_have_been_opened),
        LOST_TEST(other_memory_is_no_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
