/* test_torn.c - the native reader and chunks without a seal that are proved by their headers, but torn: bytes were lost
 * from them or came in, words of the header or slots were damaged. The rule: what could as well be wrong is left out.
 */
#include "harness.h"
#include "lib/tier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HZ = 84000000, LENGTHS = 64 };

/* Bytes that come in, are lost, or stand there twice. */
static const size_t lengths[] = {1, 2, 3, 4, 8, 13, 16, 17, 31, 32, 33, 48, 50, 64};
enum { NLENGTHS = sizeof lengths / sizeof lengths[0] };

/* A dump, and what it holds. */
struct sound {
    struct bytes dump;
    struct list list;
};

static struct sound make_sound(struct gen_options options)
{
    struct sound sound;
    struct decoded decoded;
    options.hz = HZ;
    options.boot = 3;
    options.seed = 11;
    options.start = options.start ? options.start : 1000;
    sound.dump = make_dump(&options, NULL);
    decode_bytes(&decoded, sound.dump);
    assert_int_equal(decoded.trace.counts.gaps, 0);
    sound.list = decoded.list;
    decoded.list = (struct list){NULL, 0, 0};
    decoded_free(&decoded);
    return sound;
}

static void sound_free(struct sound *sound)
{
    bytes_free(&sound->dump);
    free(sound->list.item);
}

/* A ring of records, and one of records and traceevents, the first chunk of which is in its second lap. */
static struct sound make_records(void)
{
    return make_sound((struct gen_options){.events = 55, .slots = 20, .chunks = 2, .cpus = 1});
}

static struct sound make_mixed(void)
{
    return make_sound(
        (struct gen_options){.events = 60, .slots = 20, .chunks = 2, .cpus = 1, .traceevents = 60, .longest = 3});
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

/* A copy of a dump with `gone` bytes at an offset replaced by `come` others. */
static struct bytes with_replaced(struct bytes dump, size_t at, size_t gone, const unsigned char *by, size_t come)
{
    struct bytes copy = {malloc(dump.n + come), dump.n - gone + come};
    assert_non_null(copy.data);
    memcpy(copy.data, dump.data, at);
    if (come > 0)
        memcpy(copy.data + at, by, come);
    memcpy(copy.data + at + come, dump.data + at + gone, dump.n - at - gone);
    return copy;
}

static struct bytes with_inserted(struct bytes dump, size_t at, size_t n)
{
    unsigned char bytes[LENGTHS];
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)random64();
    return with_replaced(dump, at, 0, bytes, n);
}

static struct bytes with_doubled(struct bytes dump, size_t at, size_t n)
{
    return with_replaced(dump, at, 0, dump.data + at, n);
}

static struct bytes with_deleted(struct bytes dump, size_t at, size_t n)
{
    return with_replaced(dump, at, n, NULL, 0);
}

static struct bytes with_zeroed(struct bytes dump, size_t at, size_t n)
{
    static const unsigned char zeros[LENGTHS];
    return with_replaced(dump, at, n, zeros, n);
}

/* Decode a damaged dump, and free it. Every event must be one of the sound dump, and at most `lost` of these may be
 * missing. Returns how many are. */
static size_t expect_part(struct bytes damaged, const struct sound *sound, size_t lost)
{
    struct decoded decoded;
    size_t missing;
    decode_bytes(&decoded, damaged);
    assert_true(decoded.opened);
    assert_true(is_part(&decoded.list, &sound->list));
    missing = count_events(&sound->list) - count_events(&decoded.list);
    assert_in_range(missing, 0, lost);
    assert_true(decoded.trace.counts.gaps > 0);
    decoded_free(&decoded);
    bytes_free(&damaged);
    return missing;
}

/* The offset behind the slots of the dump's first chunk. */
static size_t slots_end(struct bytes dump)
{
    return HEADER + SLOT * (size_t)get32(dump.data + CHUNK_SLOTS);
}

/* ---- bytes that came in, or were lost ---------------------------------------------------------------------------- */

/* Bytes come in anywhere in the slots: one of them may be torn, or some of which nothing tells whether they are: more
 * of them if these bytes are as many as slots have, and may by chance be a slot. */
static void bytes_come_in(void **state)
{
    struct sound records = make_records(), mixed = make_mixed();
    (void)state;
    for (size_t at = HEADER; at < slots_end(records.dump); at += tier_step(17)) {
        for (size_t i = 0, n; i < NLENGTHS; i++) {
            n = lengths[i];
            expect_part(with_inserted(records.dump, at, n), &records, n % SLOT == 0 ? 20 : 6);
            expect_part(with_inserted(mixed.dump, at, n), &mixed, n % SLOT == 0 ? 20 : 4);
        }
    }
    sound_free(&records);
    sound_free(&mixed);
}

/* Bytes stand there twice: no event comes twice. */
static void bytes_are_doubled(void **state)
{
    struct sound records = make_records(), mixed = make_mixed();
    (void)state;
    for (size_t at = HEADER; at < slots_end(records.dump) - LENGTHS; at += tier_step(17)) {
        for (size_t i = 0, n; i < NLENGTHS; i++) {
            n = lengths[i];
            expect_part(with_doubled(records.dump, at, n), &records, 4);
            expect_part(with_doubled(mixed.dump, at, n), &mixed, 4);
        }
    }
    sound_free(&records);
    sound_free(&mixed);
}

/* Bytes are lost: what they were stands in neither of two slots. If these were whole slots, a slot may be put together
 * of two ones, which nothing shows: so these lengths are not here. */
static void bytes_are_lost(void **state)
{
    struct sound records = make_records(), mixed = make_mixed();
    (void)state;
    for (size_t at = HEADER; at < slots_end(records.dump) - LENGTHS; at += tier_step(17)) {
        for (size_t i = 0, n; i < NLENGTHS; i++) {
            n = lengths[i];
            if (n % SLOT == 0)
                continue;
            expect_part(with_deleted(records.dump, at, n), &records, n / SLOT + 6);
            expect_part(with_deleted(mixed.dump, at, n), &mixed, n / SLOT + 5);
        }
    }
    sound_free(&records);
    sound_free(&mixed);
}

/* Whole slots are lost, at a slot: the others are there. */
static void slots_are_lost(void **state)
{
    struct sound records = make_records();
    (void)state;
    for (size_t at = HEADER; at < slots_end(records.dump) - LENGTHS; at += SLOT) {
        for (size_t n = SLOT; n <= LENGTHS; n += SLOT)
            assert_int_equal(expect_part(with_deleted(records.dump, at, n), &records, n / SLOT), n / SLOT);
    }
    sound_free(&records);
}

/* Bytes came into the words that the check protects, behind the first three: it tells where, and all else is there. */
static void header_is_in_two_parts(void **state)
{
    struct sound records = make_records();
    (void)state;
    for (size_t at = 12; at < CHUNK_NEXT; at += tier_step(17)) {
        for (size_t i = 0; i < NLENGTHS; i++)
            expect_part(with_inserted(records.dump, at, lengths[i]), &records, 2);
    }
    sound_free(&records);
}

/* The break is ahead of the slots, in words of the header that no check protects. */
static void header_is_torn(void **state)
{
    struct sound records = make_records(), mixed = make_mixed();
    (void)state;
    for (size_t at = CHUNK_NEXT; at < HEADER; at += tier_step(17)) {
        for (size_t i = 0, n; i < NLENGTHS; i++) {
            n = lengths[i];
            expect_part(with_inserted(records.dump, at, n), &records, 2);
            expect_part(with_inserted(mixed.dump, at, n), &mixed, 2);
            expect_part(with_doubled(records.dump, at, n), &records, 20);
            expect_part(with_deleted(records.dump, at, n), &records, 20);
            expect_part(with_deleted(mixed.dump, at, n), &mixed, 20);
        }
    }
    sound_free(&records);
    sound_free(&mixed);
}

/* A damaged end mark moves nothing: the next chunk begins where this one ends. */
static void end_mark_is_damaged(void **state)
{
    struct sound records = make_records();
    size_t mark = slots_end(records.dump);
    (void)state;
    for (size_t bit = 8 * mark; bit < 8 * (mark + SLOT); bit++) {
        struct bytes damaged = with_replaced(records.dump, 0, 0, NULL, 0);
        damaged.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        expect_part(damaged, &records, 0);
    }
    sound_free(&records);
}

/* What wiped slots may have begun in the one ahead of them, and ended in the one behind them. */
static void slots_are_wiped(void **state)
{
    struct sound records = make_records();
    (void)state;
    for (size_t at = HEADER; at < slots_end(records.dump); at += tier_step(17)) {
        for (size_t n = 2 * SLOT; n <= LENGTHS; n += 8)
            expect_part(with_zeroed(records.dump, at, n), &records, n / SLOT + 2);
    }
    sound_free(&records);
}

/* Whole slots are lost from the older one of two images of a lap: no event comes twice, and no time steps back. */
static void slots_are_lost_from_one_image(void **state)
{
    struct sound stream =
        make_sound((struct gen_options){.events = 70, .slots = 20, .chunks = 2, .cpus = 1, .stream = true});
    size_t size, first = find_image(stream.dump, 0, &size), second = first + size;
    (void)state;
    for (size_t at = second + HEADER; at < second + slots_end(stream.dump) - LENGTHS; at += SLOT) {
        for (size_t n = SLOT; n <= LENGTHS; n += SLOT)
            expect_part(with_deleted(stream.dump, at, n), &stream, 2 * n / SLOT);
    }
    sound_free(&stream);
}

/* ---- emergency slots --------------------------------------------------------------------------------------------- */

enum { EMERGENCY = 6 };

/* A chunk with emergency slots, all but the last one used. */
static struct sound make_emergency(bool sealed)
{
    struct sound sound = make_sound((struct gen_options){.events = 30, .slots = 20, .chunks = 1, .cpus = 1});
    struct decoded decoded;
    add_emergency(&sound.dump, EMERGENCY);
    if (sealed)
        fix_seal(sound.dump.data);
    free(sound.list.item);
    decode_bytes(&decoded, sound.dump);
    sound.list = decoded.list;
    decoded.list = (struct list){NULL, 0, 0};
    decoded_free(&decoded);
    return sound;
}

/* Nothing shows where emergency slots end: none is given out behind the place where bytes may have come in. */
static void emergency_slots_are_torn(void **state)
{
    unsigned char bytes[LENGTHS];
    struct sound sound = make_emergency(false);
    size_t from = slots_end(sound.dump) + SLOT;
    (void)state;
    memset(bytes, 0x55, sizeof bytes);
    for (size_t at = from + 1; at < from + 3 * SLOT; at++) {
        for (size_t n = 1; n <= LENGTHS; n += SLOT)
            expect_part(with_replaced(sound.dump, at, 0, bytes, n), &sound, 5);
    }
    sound_free(&sound);
}

/* With a seal they are put together, however many bytes came in. */
static void sealed_emergency_slots_are_torn(void **state)
{
    struct sound sound = make_emergency(true);
    size_t from = slots_end(sound.dump) + SLOT, to = sound.dump.n - 64;
    (void)state;
    for (size_t at = from; at < to; at += tier_step(17)) {
        for (size_t i = 0; i < NLENGTHS; i++)
            expect_part(with_inserted(sound.dump, at, lengths[i]), &sound, 0);
    }
    sound_free(&sound);
}

/* A seal whose notes are lost tells what the header tells: so it shows by how much the rear is displaced. */
static void notes_are_lost(void **state)
{
    struct sound sound = make_emergency(true);
    size_t notes = slots_end(sound.dump) + SLOT * (1 + EMERGENCY);
    (void)state;
    for (size_t n = 1; n <= CLAIMS; n++) {
        expect_part(with_deleted(sound.dump, notes, n), &sound, 5);
        expect_part(with_deleted(sound.dump, notes - 2 * SLOT - 3, n + 2 * SLOT), &sound, 5);
    }
    sound_free(&sound);
}

/* ---- the header's words ------------------------------------------------------------------------------------------ */

/* One bit of `cursor`, `lap` or its high word is inverted. In a stream the other laps of the chunk are there: lap 3 in
 * place of 1, or none in place of 2, is as likely. */
static void position_bits(const struct sound *sound, size_t lost, bool stream)
{
    size_t size;
    for (size_t at = 0; (at = find_image(sound->dump, at, &size)) != SIZE_MAX; at += size) {
        static const size_t words[] = {CHUNK_CURSOR, CHUNK_LAP, CHUNK_LAP_HIGH};
        for (size_t bit = 0; bit < 32 * sizeof words / sizeof words[0]; bit++) {
            struct bytes damaged;
            struct decoded decoded;
            if (stream && words[bit / 32] == CHUNK_LAP && bit % 32 == 17)
                continue;
            damaged = with_replaced(sound->dump, 0, 0, NULL, 0);
            damaged.data[at + words[bit / 32] + bit % 32 / 8] ^= (unsigned char)(1u << bit % 8);
            decode_bytes(&decoded, damaged);
            assert_true(is_part(&decoded.list, &sound->list));
            assert_in_range(count_events(&sound->list) - count_events(&decoded.list), 0, lost);
            decoded_free(&decoded);
            bytes_free(&damaged);
        }
    }
}

/* No event is moved: the lap is found by tags, by the slots that tell its number, and by the other chunks. A cursor
 * that is up to seven slots too high may be right. */
static void a_bit_of_the_position(void **state)
{
    struct sound records = make_records(), mixed = make_mixed();
    struct sound stream =
        make_sound((struct gen_options){.events = 70, .slots = 20, .chunks = 2, .cpus = 1, .stream = true});
    (void)state;
    position_bits(&records, 7, false);
    position_bits(&mixed, 7, false);
    position_bits(&stream, 7, true);
    sound_free(&records);
    sound_free(&mixed);
    sound_free(&stream);
}

/* All of the words are wiped, or are garbage: the tags tell which slots are of the last lap. */
static void the_position_is_lost(void **state)
{
    struct sound records = make_records(), mixed = make_mixed();
    size_t size;
    (void)state;
    find_image(records.dump, 0, &size);
    for (size_t at = 0; at <= size; at += size) {
        expect_part(with_zeroed(records.dump, at + CHUNK_CURSOR, 8), &records, 0);
        expect_part(with_zeroed(mixed.dump, at + CHUNK_CURSOR, 8), &mixed, 0);
        expect_part(with_zeroed(records.dump, at + CHUNK_LAP, 4), &records, 0);
        expect_part(with_replaced(records.dump, at + CHUNK_LAP, 4, (const unsigned char *)"lap?", 4), &records, 0);
        expect_part(with_replaced(records.dump, at + CHUNK_CURSOR, 8, (const unsigned char *)"cur? lap", 8), &records,
                    0);
    }
    sound_free(&records);
    sound_free(&mixed);
}

/* ---- the clock --------------------------------------------------------------------------------------------------- */

/* A chunk of records, 1000 ticks apart, the last ones of which were logged `pause` ticks later. */
static struct bytes with_pause(uint32_t last, uint64_t pause)
{
    struct bytes dump = empty_chunk(20);
    set_cursor(dump, 1, 11);
    for (uint32_t i = 1; i <= 10; i++) {
        uint64_t time = 1000 * i + (i > 10 - last ? pause : 0);
        set_words(dump, i, 0x109, (uint32_t)(time >> 32) | (uint32_t)(time & 0x80000000u), (uint32_t)time, i);
    }
    return dump;
}

static size_t count_with_pause(uint32_t last, uint64_t pause)
{
    struct bytes dump = with_pause(last, pause);
    struct decoded decoded;
    size_t n;
    decode_bytes(&decoded, dump);
    n = count_events(&decoded.list);
    assert_int_equal(decoded.trace.counts.damaged, 10 - n);
    decoded_free(&decoded);
    bytes_free(&dump);
    return n;
}

/* A last record that alone tells that whole wraps passed is damaged. After a pause the clock stands anywhere. */
static void one_record_tells_wraps(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 31; bit++) {
        assert_int_equal(count_with_pause(1, 1ull << (32 + bit)), 9);
        assert_int_equal(count_with_pause(2, 1ull << (32 + bit)), 10);
    }
    for (unsigned wraps = 0; wraps < 9; wraps++)
        assert_int_equal(count_with_pause(1, ((uint64_t)wraps << 32) + 77000000), 10);
}

/* Likewise the CONTROL TIME of a lap of traceevents, if a slot ahead has told the wraps: the events behind it keep
 * their times. */
static void one_time_slot_tells_wraps(void **state)
{
    struct sound sound = make_sound(
        (struct gen_options){.events = 60, .slots = 40, .chunks = 1, .cpus = 1, .traceevents = 90, .longest = 4});
    (void)state;
    for (unsigned bit = 0; bit < 32; bit++) {
        struct bytes damaged = with_replaced(sound.dump, 0, 0, NULL, 0);
        put32(damaged.data + HEADER, get32(damaged.data + HEADER) ^ 1u << bit);
        expect_part(damaged, &sound, 0);
    }
    sound_free(&sound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_in),
        cmocka_unit_test(bytes_are_doubled),
        cmocka_unit_test(bytes_are_lost),
        cmocka_unit_test(slots_are_lost),
        cmocka_unit_test(header_is_in_two_parts),
        cmocka_unit_test(header_is_torn),
        cmocka_unit_test(end_mark_is_damaged),
        cmocka_unit_test(slots_are_wiped),
        cmocka_unit_test(slots_are_lost_from_one_image),
        cmocka_unit_test(emergency_slots_are_torn),
        cmocka_unit_test(sealed_emergency_slots_are_torn),
        cmocka_unit_test(notes_are_lost),
        cmocka_unit_test(a_bit_of_the_position),
        cmocka_unit_test(the_position_is_lost),
        cmocka_unit_test(one_record_tells_wraps),
        cmocka_unit_test(one_time_slot_tells_wraps),
    };
    return cmocka_run_group_tests_name("native reader, torn chunks", tests, NULL, NULL);
}
