/* test_set_back.c - a clock that somebody has set back costs no event and invents no time (target/FORMAT.md, 1.3). */
#include "harness.h"
#include "lib/tier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>

#define SLOTS     40u
#define MOST_BACK 8u /* places in a lap */

/* What a firmware logged: the clock at each event, and the time that may be told of it. */
struct log {
    uint32_t clock[SLOTS], n;
    uint64_t time[SLOTS];
    bool back[SLOTS]; /* ahead of the event the clock was set back, so that its stamp is less than the one before */
};

/* The next event is so many ticks behind the last one, or the clock is set back and the event so many ticks behind
 * that. */
static void log_event(struct log *log, uint32_t ticks, bool back)
{
    uint32_t i = log->n++, before = i > 0 ? log->clock[i - 1u] : 0;
    log->clock[i] = back ? ticks : before + ticks;
    log->back[i] = log->clock[i] < before;
    log->time[i] = (i > 0 ? log->time[i - 1u] : 0) + (log->back[i] ? 0 : log->clock[i] - before);
}

/* Events in steps of 1 to 5000 ticks; the clock is set back ahead of every `each` of them, from `first` on, at most
 * MOST_BACK times. */
static struct log make_log(uint32_t first, uint32_t each)
{
    struct log log = {.n = 0};
    log_event(&log, 3000000u + (uint32_t)rand() % 5000u * 100u, false);
    while (log.n < SLOTS) {
        bool back = log.n >= first && (log.n - first) % each == 0 && (log.n - first) / each < MOST_BACK;
        log_event(&log, back ? (uint32_t)rand() % 200u : 1u + (uint32_t)rand() % 5000u, back);
    }
    return log;
}

static struct bytes dump_of(const struct log *log, bool sealed)
{
    struct bytes dump = empty_chunk(SLOTS);
    set_cursor(dump, 1, SLOTS + 1u);
    for (uint32_t i = 0; i < SLOTS; i++)
        set_record(dump, i + 1u, 1, log->clock[i]);
    if (sealed)
        fix_seal(dump.data);
    return dump;
}

/* All events come in their order, and a mark ahead of each that the clock was set back ahead of, if stamps show it. */
static void expect_log(const struct log *log, struct bytes dump)
{
    struct decoded decoded;
    size_t at = 0;
    decode_bytes(&decoded, dump);
    assert_int_equal(decoded.trace.counts.gaps, 0);
    assert_int_equal(decoded.trace.counts.damaged, 0);
    for (uint32_t i = 0; i < log->n; i++) {
        if (log->back[i]) {
            assert_int_equal(decoded.list.item[at].code, ITEM_SET_BACK);
            assert_int_equal(decoded.list.item[at].par2, log->clock[i - 1u] - log->clock[i]);
            at++;
        }
        assert_true(decoded.list.item[at].time == log->time[i]);
        at++;
    }
    assert_int_equal(decoded.list.n, at);
    decoded_free(&decoded);
}

/* A seal confirms the stamps: every step back is told, also from the first event on, and if it happens each time. */
static void every_place_sealed(void **state)
{
    (void)state;
    for (uint32_t first = 1; first < SLOTS; first++) {
        for (uint32_t each = 1; each < SLOTS; each += tier_step(3)) {
            struct log log = make_log(first, each);
            struct bytes dump = dump_of(&log, true);
            expect_log(&log, dump);
            bytes_free(&dump);
        }
    }
}

/* Without a seal the last event may as well be damaged, and each of the others is told. */
static void one_place_without_a_seal(void **state)
{
    (void)state;
    for (uint32_t first = 1; first + 1u < SLOTS; first++) {
        for (unsigned run = 0; run < 20; run++) {
            struct log log = make_log(first, SLOTS);
            struct bytes dump = dump_of(&log, false);
            expect_log(&log, dump);
            bytes_free(&dump);
        }
    }
}

/* A product that measures by setting the clock to 0: pairs of events that take the same time. */
static void often_without_a_seal(void **state)
{
    (void)state;
    for (uint32_t work = 70000; work < 300000; work += 9973) {
        struct log log = {.n = 0};
        struct bytes dump;
        log_event(&log, 2000000, false);
        log_event(&log, 300, false);
        while (log.n < SLOTS) {
            log_event(&log, 30u + (uint32_t)rand() % 10u, true);
            log_event(&log, work + (uint32_t)rand() % 50u, false);
        }
        dump = dump_of(&log, false);
        expect_log(&log, dump);
        bytes_free(&dump);
    }
}

/* What one damaged byte explains is damage: nothing is shifted. */
static void a_damaged_byte_sets_nothing_back(void **state)
{
    (void)state;
    for (uint32_t i = 1; i + 1u < SLOTS; i++) {
        for (unsigned bit = 0; bit < 31; bit++) {
            struct log log = make_log(SLOTS, 1);
            struct bytes dump;
            struct decoded decoded;
            log.clock[i] ^= (uint32_t)1 << bit;
            dump = dump_of(&log, false);
            decode_bytes(&decoded, dump);
            for (size_t k = 0; k < decoded.list.n; k++)
                assert_int_not_equal(decoded.list.item[k].code, ITEM_SET_BACK);
            if (i + 2u < SLOTS) /* else the last two contradict each other */
                assert_true(decoded.list.item[decoded.list.n - 1u].time == log.time[SLOTS - 1u]);
            decoded_free(&decoded);
            bytes_free(&dump);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place_sealed),
        cmocka_unit_test(one_place_without_a_seal),
        cmocka_unit_test(often_without_a_seal),
        cmocka_unit_test(a_damaged_byte_sets_nothing_back),
    };
    return cmocka_run_group_tests_name("native reader, a clock that is set back", tests, NULL, NULL);
}
