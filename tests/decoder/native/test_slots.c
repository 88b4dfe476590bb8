/* test_slots.c - the native reader and the slots of a chunk: which of them hold events, of which lap, and what they
 * say; unfinished and damaged slots, losses, traceevents, and wrong words in headers. */
#include "harness.h"
#include "lib/tier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* ---- slots that are unfinished ----------------------------------------------------------------------------------- */

/* Fail unless the dump has so many unfinished slots and events, and no damage. */
static void expect_unfinished(struct bytes dump, uint64_t unfinished, size_t events)
{
    struct decoded decoded;
    decode_bytes(&decoded, dump);
    assert_int_equal(decoded.trace.counts.unfinished, unfinished);
    assert_int_equal(decoded.trace.counts.gaps, 0);
    assert_int_equal(count_events(&decoded.list), events);
    decoded_free(&decoded);
}

/* The table in target/FORMAT.md, 2.3, line by line, with all that may be in the other words of a slot that is being
 * written. */
static void half_written_slots(void **state)
{
    struct bytes dump = empty_chunk(8);
    (void)state;
    for (uint32_t lap = 1; lap <= 6; lap++) {
        for (uint32_t index = 2; index <= 9; index++) {
            for (uint32_t words = 0; words < 8; words++) {
                uint32_t slot = index - 1, old = (lap % 2 ? 0x200u : 0x100u) | (lap > 1 ? 0x09u : 0);
                fill_laps(dump, lap, index);
                set_words(dump, slot, old, words & 1 ? 0x80000000u : 0, words & 2 ? 5 : 1000 * lap + slot,
                          words & 4 ? 7 : 0);
                expect_unfinished(dump, 1, lap > 1 ? 7 : index - 2);
            }
            if (lap > 2 && index < 8) { /* a slot behind the cursor that was never finished in the lap before */
                fill_laps(dump, lap, index);
                set_record(dump, index, lap - 2, 1000 * (lap - 2) + index);
                expect_unfinished(dump, 1, 7);
            }
            for (uint32_t slot = 1; slot <= 8; slot++)
                set_words(dump, slot, 0x200, 0, 0, 0); /* never written */
        }
    }
    bytes_free(&dump);
}

/* The slot at the cursor is emptied if its owner of the lap before does not come back, or came late. The dump may be
 * made before it is reserved again, whatever its other words are. */
static void emptied_at_the_cursor(void **state)
{
    struct bytes dump = empty_chunk(12);
    (void)state;
    for (uint32_t lap = 2; lap <= 4; lap++) {
        for (uint32_t index = 1; index <= 12; index++) {
            for (unsigned kind = 0; kind < 8; kind++) {
                fill_laps(dump, lap, index);
                set_words(dump, index, lap % 2 ? 0x200 : 0x100, kind & 1 ? 0x80000000u : 0, 7, 5);
                if (kind & 2)
                    put32(dump.data + CHUNK_CURSOR, index << 16 | 0x300);
                if (kind & 4)
                    fix_seal(dump.data);
                expect_unfinished(dump, 0, 11);
                put32(dump.data + HEADER + SLOT * 13 + CLAIMS, 0); /* no seal */
            }
        }
    }
    bytes_free(&dump);
}

/* The cursor is that of the next lap, which the lap word does not count yet. */
static void lap_open_but_not_counted(void **state)
{
    struct bytes dump = empty_chunk(8);
    (void)state;
    for (uint32_t lap = 1; lap <= 4; lap++) {
        for (uint32_t index = 1; index <= 9; index++) {
            fill_laps(dump, lap, index);
            put32(dump.data + CHUNK_LAP, (lap - 1) << 16 | (lap % 2 ? 0x200 : 0x100));
            expect_unfinished(dump, 0, lap > 1 ? 8 : index - 1);
        }
    }
    bytes_free(&dump);
}

/* A parked cursor bears both tags, and the lap word tells which lap it is in. */
static void parked(void **state)
{
    struct bytes dump = empty_chunk(8);
    (void)state;
    for (uint32_t lap = 1; lap <= 4; lap++) {
        for (uint32_t index = 1; index <= 9; index++) {
            fill_laps(dump, lap, index);
            put32(dump.data + CHUNK_CURSOR, index << 16 | 0x300);
            expect_unfinished(dump, 0, lap > 1 ? 8 : index - 1);
        }
    }
    bytes_free(&dump);
}

/* Laps are counted in 47 bits, of which the lap word has 16. Its high word is carried over later: by 0x80000000 where
 * bit 31 of the lap word has become 1, and by 1 more where it has become 0. */
static void laps_beyond_16_bits(void **state)
{
    static const struct {
        uint32_t low, high;
        uint64_t lap;
    } counts[] = {
        {0x7FFF, 0, 0x7FFF},
        {0x8000, 0x80000000u, 0x8000},
        {0x8000, 0, 0x8000}, /* to be carried over */
        {0xFFFF, 0x80000000u, 0xFFFF},
        {0, 1, 0x10000},
        {0, 0x80000000u, 0x10000}, /* to be carried over */
        {3, 5, 0x50003},
        {0x8001, 0x8000FFFFu, 0xFFFF8001u},
        {0, 0x12345, 0x123450000u},
    };
    struct bytes dump = empty_chunk(8);
    struct decoded decoded;
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint64_t lap = counts[i].lap;
        fill_laps(dump, lap & 1 ? 3 : 2, 5);
        put32(dump.data + CHUNK_LAP, counts[i].low << 16 | (lap & 1 ? 0x100 : 0x200));
        put32(dump.data + CHUNK_LAP_HIGH, counts[i].high);
        decode_bytes(&decoded, dump);
        assert_int_equal(count_events(&decoded.list), 8);
        assert_int_equal(decoded.trace.counts.gaps, 0);
        assert_true(decoded.trace.counts.overwritten == (lap - 2) * 8 + 4);
        decoded_free(&decoded);
    }
    bytes_free(&dump);
}

/* ---- damage that shows without a seal ---------------------------------------------------------------------------- */

/* Fail unless events first to last of lap 1 come, with damage in place of event `but`. */
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
        fill_laps(dump, 1, 21);
        set_words(dump, slot, 0x109, 0x80000000u, 1000 + slot, 0); /* the mirror of bit 31 is wrong */
        expect_without(dump, 1, 20, slot);
        set_words(dump, slot, 0x009, 0, 1000 + slot, 0); /* no tag */
        expect_without(dump, 1, 20, slot);
        set_words(dump, slot, 0x100, 0, 1000 + slot, 0); /* no code */
        expect_without(dump, 1, 20, slot);
        if (slot < 19) {
            /* Too late for the two behind it. A first one so late might be of a clock that was set back, unless one
             * byte of it explains that. */
            set_record(dump, slot, 1, slot > 1 ? 900000 : 1000 + (1 << 20));
            expect_without(dump, 1, 20, slot);
        }
        if (slot > 2) {
            set_record(dump, slot, 1, 10); /* too early for the two before it */
            expect_without(dump, 1, 20, slot);
        }
    }
    bytes_free(&dump);
}

/* Two records contradict each other, and no other one tells which is right: both are damaged. */
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

/* If blackout_end comes right behind blackout_start the loss is ahead of both, also when a lap ends between them. */
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
    put32(dump.data + CHUNK_DROPPED, 7);
    put32(dump.data + CHUNK_REPORTED, 7);
    set_record(dump, 1, 1, 10);
    set_words(dump, 2, 0x000001FF, 0, 20, 0);
    set_words(second, 1, 0x000101FF, 0, 30, 7);
    expect_items(dump, items, 4, 0);
    set_words(dump, 1, 0x000001FF, 0, 10, 0);
    set_record(dump, 2, 1, 20);
    expect_items(dump, apart, 4, 0);
    bytes_free(&dump);
}

/* The third of a stream's five images is missing. The last image, of the same chunk, still shows 5 of its 16 slots: 11
 * events are lost, exactly there. */
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

/* ---- wrong words in headers -------------------------------------------------------------------------------------- */

/* A seal is ignored if events were logged since. Where words of the header are damaged, the seal tells what they
 * were. */
static void seals_and_words(void **state)
{
    struct bytes dump = empty_chunk(70), stale;
    struct decoded decoded;
    (void)state;
    fill_laps(dump, 3, 30);
    fix_seal(dump.data);
    stale = join(dump, (struct bytes){NULL, 0});
    fill_laps(stale, 3, 40);
    expect_unfinished(stale, 0, 70);
    for (size_t at = CHUNK_CURSOR; at < HEADER; at++) {
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

/* A sealed chunk that is full for good: 4 slots, and behind them 2 emergency slots, one of them used. */
static struct bytes full_chunk(void)
{
    struct bytes dump = empty_chunk(6); /* is as long */
    put32(dump.data + CHUNK_SLOTS, 4);
    put32(dump.data + CHUNK_EMERGENCY, 2);
    fix_header(dump.data);
    put32(dump.data + CHUNK_NEXT, 1); /* no chunk follows: it stops */
    fill_laps(dump, 1, 5);
    set_words(dump, 5, 0x300, 0, 0, 0); /* end mark */
    set_words(dump, 7, 0x200, 0, 0, 0);
    put32(dump.data + CHUNK_DROPPED, 6);
    put32(dump.data + CHUNK_EMERGENCY_USED, 1);
    set_record(dump, 6, 1, 2000);
    fix_seal(dump.data);
    return dump;
}

/* Fail unless the dump has so many events, lost events and damaged places. */
static void expect_counts(struct bytes dump, size_t events, uint64_t lost, uint64_t gaps)
{
    struct decoded decoded;
    decode_bytes(&decoded, dump);
    assert_int_equal(count_events(&decoded.list), events);
    assert_int_equal(count_lost(&decoded.list, ITEM_LOSS), lost);
    assert_int_equal(decoded.trace.counts.gaps, gaps);
    assert_int_equal(decoded.trace.counts.unfinished, 0);
    decoded_free(&decoded);
}

/* Slots may have been reserved since a chunk was sealed, and none of them filled: then all groups are as they were.
 * That is no damage, unless there are more than writers can be interrupted. */
static void reserved_since_sealed(void **state)
{
    (void)state;
    for (uint32_t lap = 1; lap < 4; lap++) {
        for (uint32_t index = 1; index <= 70; index += tier_step(5)) {
            struct bytes dump = empty_chunk(70);
            fill_laps(dump, lap, index);
            fix_seal(dump.data);
            for (uint32_t n = 1; n < 8 && index + n <= 71; n++) {
                set_cursor(dump, lap, index + n);
                expect_unfinished(dump, n, (lap > 1 ? 70 : index - 1) - (lap > 1 ? n : 0));
            }
            if (index + 8 <= 71) {
                set_cursor(dump, lap, index + 8);
                expect_counts(dump, lap > 1 ? 70 : index - 1, (lap > 1 ? lap - 2 : 0) * 70u + (lap > 1 ? index - 1 : 0),
                              1);
            }
            bytes_free(&dump);
        }
    }
}

/* A chunk that is full for good still counts the events it loses, and its emergency slots are still filled. So these
 * words may differ from the seal's, but only as the firmware can have changed them. */
static void sealed_when_full(void **state)
{
    struct bytes dump = full_chunk();
    (void)state;
    expect_counts(dump, 5, 6, 0);
    put32(dump.data + CHUNK_DROPPED, 12);
    expect_counts(dump, 5, 12, 0);
    dump.data[HEADER + 12] ^= 0x40; /* the seal still holds for the slots */
    expect_counts(dump, 4, 12, 1);
    dump.data[HEADER + 12] ^= 0x40;
    put32(dump.data + CHUNK_DROPPED, 5);
    expect_counts(dump, 5, 6, 1);
    put32(dump.data + CHUNK_DROPPED, 7);
    put32(dump.data + CHUNK_REPORTED, 1);
    expect_counts(dump, 5, 6, 1);
    put32(dump.data + CHUNK_REPORTED, 0);
    put32(dump.data + CHUNK_EMERGENCY_USED, 2);
    expect_unfinished(dump, 1, 5); /* the second emergency slot has not changed: nobody has filled it yet */
    put32(dump.data + CHUNK_EMERGENCY_USED, 3);
    expect_counts(dump, 5, 6, 1); /* there is no third one */
    put32(dump.data + CHUNK_EMERGENCY_USED, 2);
    set_record(dump, 7, 1, 2001);
    expect_counts(dump, 6, 7, 0);
    bytes_free(&dump);
}

/* A chunk may be parked after it was sealed: by a command to leave it, or when it loses an event. */
static void parked_since_sealed(void **state)
{
    struct bytes dump = empty_chunk(70);
    (void)state;
    fill_laps(dump, 1, 30);
    fix_seal(dump.data);
    dump.data[CHUNK_CURSOR + 1] = 3;
    expect_counts(dump, 29, 0, 0);
    put32(dump.data + CHUNK_DROPPED, 2);
    expect_counts(dump, 29, 2, 0);
    dump.data[CHUNK_CURSOR + 1] = 1;
    expect_counts(dump, 29, 0, 1);
    dump.data[CHUNK_CURSOR + 1] = 3; /* it was parked when it was sealed, and then opened again */
    fix_seal(dump.data);
    dump.data[CHUNK_CURSOR + 1] = 1;
    expect_counts(dump, 29, 2, 0);
    put32(dump.data + CHUNK_DROPPED, 3);
    expect_counts(dump, 29, 3, 0);
    bytes_free(&dump);
}

/* If a chunk is not at rest when it should be sealed, the seal's magic becomes 0, and the rest of an older seal
 * stays. */
static void sealed_no_longer(void **state)
{
    struct bytes dump = empty_chunk(70);
    unsigned char *seal = dump.data + HEADER + SLOT * 71 + CLAIMS;
    (void)state;
    fill_laps(dump, 1, 30);
    fix_seal(dump.data);
    fill_laps(dump, 1, 40);
    put32(seal, 0);
    expect_counts(dump, 39, 0, 0);
    put32(seal, 0x4C414552);
    seal[28] ^= 1;
    expect_counts(dump, 39, 0, 1); /* a magic that is neither is damage */
    bytes_free(&dump);
}

/* Whether a cursor that is too low may be that of an image which was read while the firmware logged the slots up to 50:
 * so it is unless it lacks a single bit, 3 or higher. */
static bool may_be_smeared(uint32_t lap, uint32_t cursor)
{
    uint32_t bits = cursor ^ 50;
    return cursor > 0 && cursor < 50 && (lap > 1 || cursor > 1) && ((bits & (bits - 1)) != 0 || bits < 8);
}

/* Without a seal the tags tell where a damaged cursor stood, unless it is so little too high that the slots may be
 * unfinished, or it is too low: then the firmware may have logged while the image was read. */
static void cursor_from_tags(void **state)
{
    struct bytes dump = empty_chunk(100);
    struct decoded decoded;
    (void)state;
    for (uint32_t lap = 1; lap <= 3; lap++) {
        for (uint32_t bad = 0; bad < 0x10000; bad += bad < 120 ? 1 : 173) {
            uint32_t unfinished = bad > 50 && bad < 58 ? bad - 50 : 0; /* so few may be unfinished */
            fill_laps(dump, lap, 50);
            put32(dump.data + CHUNK_CURSOR, bad << 16 | (lap % 2 ? 0x100 : 0x200));
            decode_bytes(&decoded, dump);
            if (may_be_smeared(lap, bad)) {
                assert_int_equal(decoded.trace.counts.gaps, 0);
                assert_in_range(count_events(&decoded.list),
                                lap > 1   ? 46 + bad
                                : bad > 5 ? bad - 5
                                          : 0,
                                lap > 1 ? 98 : 47);
                decoded_free(&decoded);
                continue;
            }
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

/* A damaged count of laps costs the count of overwritten events, but never the order of the others. */
static void order_without_laps(void **state)
{
    struct gen_options options = {.events = 230, .seed = 9, .slots = 40, .chunks = 3, .cpus = 1, .hz = 1000, .boot = 1};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    struct decoded decoded;
    (void)state;
    for (size_t image = 0; image < dump.n; image += dump.n / 3) {
        for (unsigned bit = 17; bit < 32; bit++) {
            put32(dump.data + image + CHUNK_LAP, get32(dump.data + image + CHUNK_LAP) ^ 1u << bit);
            decode_bytes(&decoded, dump);
            assert_int_equal(count_events(&decoded.list), 120);
            assert_true(is_part(&decoded.list, &expected));
            decoded_free(&decoded);
            put32(dump.data + image + CHUNK_LAP, get32(dump.data + image + CHUNK_LAP) ^ 1u << bit);
        }
    }
    bytes_free(&dump);
    free(expected.item);
}

/* The lap word tells odd from even twice; and slots that were never written show that the lap is the first one. */
static void laps_from_other_bits(void **state)
{
    struct bytes dump = empty_chunk(100);
    struct decoded decoded;
    (void)state;
    for (uint32_t lap = 1; lap <= 4; lap++) {
        fill_laps(dump, lap, 50);
        for (unsigned bit = 0; bit < (lap == 1 ? 32 : 17); bit++) {
            put32(dump.data + CHUNK_LAP, get32(dump.data + CHUNK_LAP) ^ 1u << bit);
            decode_bytes(&decoded, dump);
            assert_int_equal(count_events(&decoded.list), lap > 1 ? 100 : 49);
            assert_int_equal(count_lost(&decoded.list, ITEM_LOSS), lap > 1 ? (lap - 2) * 100 + 49 : 0);
            assert_int_equal(decoded.trace.counts.gaps, 1);
            decoded_free(&decoded);
            put32(dump.data + CHUNK_LAP, get32(dump.data + CHUNK_LAP) ^ 1u << bit);
        }
    }
    bytes_free(&dump);
}

/* The only event of the last lap has a time that is too early. It is damaged, and not the later events of the lap
 * before. */
static void one_early_event_of_the_next_lap(void **state)
{
    struct bytes dump = empty_chunk(40);
    struct item items[42] = {{.time = 2002, .code = ITEM_LOSS, .count = 41}};
    size_t n = add_range(items, 1, 2, 2, 40);
    (void)state;
    fill_laps(dump, 3, 2);
    set_record(dump, 1, 3, 2010);
    items[n++] = (struct item){.time = 2040, .code = ITEM_DAMAGE, .count = 1};
    expect_items(dump, items, n, 1);
    bytes_free(&dump);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_written_slots),        cmocka_unit_test(emptied_at_the_cursor),
        cmocka_unit_test(lap_open_but_not_counted),  cmocka_unit_test(parked),
        cmocka_unit_test(laps_beyond_16_bits),       cmocka_unit_test(damaged_slots),
        cmocka_unit_test(undecidable_order),         cmocka_unit_test(losses_stand_where_they_begin),
        cmocka_unit_test(missing_image_of_a_stream), cmocka_unit_test(seals_and_words),
        cmocka_unit_test(reserved_since_sealed),     cmocka_unit_test(sealed_when_full),
        cmocka_unit_test(parked_since_sealed),       cmocka_unit_test(sealed_no_longer),
        cmocka_unit_test(cursor_from_tags),          cmocka_unit_test(order_without_laps),
        cmocka_unit_test(laps_from_other_bits),      cmocka_unit_test(one_early_event_of_the_next_lap),
    };
    return cmocka_run_group_tests_name("native reader, slots", tests, NULL, NULL);
}
