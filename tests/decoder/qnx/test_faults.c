/* test_faults.c - traceevents of QNX that are not whole, and .kev files that are cut, damaged or of another kind. */
#define _GNU_SOURCE
#include "harness.h"
#include "lib/tier.h"

#include "cli/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is not whole ------------------------------------------------------------------------------------------- */

static const unsigned char eight[8] = {0xFF, 1, 2, 3, 4, 5, 6, 7};

/* A file that begins and ends within events: the slots of these are unfinished, and all other events are there. */
static void ring_ends(void **state)
{
    static const uint32_t words[4] = {0x030201FF, 0x07060504, 0x030201FF, 0x07060504};
    (void)state;
    start_file(&file, false, "");
    add_slot(&file, MIDDLE, 0, USER, 1, 10, eight);
    add_slot(&file, END, 0, USER, 1, 10, eight);
    add_slot(&file, BEGIN, 0, USER, 2, 20, eight);
    add_slot(&file, END, 0, USER, 2, 20, eight);
    add_slot(&file, BEGIN, 0, USER, 3, 30, eight);
    add_slot(&file, MIDDLE, 0, USER, 3, 30, eight);
    decode_file(&result, &file);
    expect_words(0, 20, 2, words, 4);
    assert_wanted();
    assert_int_equal(result.counts.unfinished, 4);
    assert_int_equal(result.counts.gaps, 0);
}

/* Events that begin and never end do not delay others for long, and need no more memory the more there are. */
static void never_ended(void **state)
{
    static struct kev_join join;
    struct kev_part slot = {0, 0, KEV_BEGIN, 0, 0, eight};
    size_t got = 0;
    (void)state;
    kev_join_start(&join);
    for (uint32_t i = 0; i < 100000u; i++) {
        slot.stamp = i;
        slot.part = i % 10u == 0 ? KEV_SIMPLE : KEV_BEGIN;
        kev_join_feed(&join, &slot);
        for (; kev_join_take(&join, false) != NULL; got++) {
        }
        assert_true(got + KEV_JOIN_EVENTS >= i / 10u);
    }
    for (; kev_join_take(&join, true) != NULL; got++) {
    }
    assert_int_equal(got, 10000);
    assert_int_equal(join.unfinished, 90000);
    assert_int_equal(join.damaged, 0);
}

/* Events of up to 112 slots are kept whole; of longer ones the first 112 slots, and how many words there were. */
static void long_events(void **state)
{
    static uint32_t words[2u * QNX_SLOTS_MAX];
    unsigned char bytes[8];
    (void)state;
    for (uint32_t slots = QNX_SLOTS_MAX - 1u; slots <= QNX_SLOTS_MAX + 40u; slots++) {
        start_file(&file, false, "");
        for (uint32_t i = 0; i < slots; i++) {
            put32(bytes, i | 0xFF000000u);
            put32(bytes + 4, ~i);
            add_slot(&file, i == 0 ? BEGIN : i + 1u == slots ? END : MIDDLE, 0, USER, 5, 9, bytes);
            if (i < QNX_SLOTS_MAX)
                memcpy(words + 2u * i, bytes, 8);
        }
        decode_file(&result, &file);
        expect_words(0, 9, 5, words, 2u * (slots < QNX_SLOTS_MAX ? slots : QNX_SLOTS_MAX));
        if (slots > QNX_SLOTS_MAX) { /* the second word of the payload is the number */
            unsigned char number[4];
            char *at = strstr(wanted.lines.text, "e0000000");

            put32(number, 2u * slots);
            assert_non_null(at);
            snprintf(at, 9, "%02x%02x%02x%02x", number[0], number[1], number[2], number[3]);
            at[8] = ' ';
        }
        assert_wanted();
        assert_int_equal(result.counts.gaps + result.counts.unfinished, 0);
    }
}

/* The mark of damage stands where the slot was. */
static void damage_in_place(void **state)
{
    static const uint32_t stamps[] = {100, 110, 56, 130, 140}, none[2] = {0};
    static const unsigned char one[8] = {1};
    uint64_t time = 130;
    (void)state;
    start_file(&file, true, "");
    for (uint32_t i = 0; i < 5u; i++)
        add_words(&file, SIMPLE, 0, USER, i, stamps[i], 0, 0);
    decode_file(&result, &file);
    expect_words(0, 100, 0, none, 2);
    expect_words(0, 110, 1, none, 2);
    add_line(&wanted.lines, 0, &time, "damage", one, 8);
    expect_words(0, 130, 3, none, 2);
    expect_words(0, 140, 4, none, 2);
    assert_wanted();
    assert_int_equal(result.counts.damaged, 1);
}

/* Missing kernel buffers are a loss on each CPU. That numbers start over after 2047 is no loss. */
static void missing_buffers(void **state)
{
    static const uint32_t none[2] = {0};
    static const unsigned char unknown[8] = {0};
    uint64_t time = 4;
    (void)state;
    start_file(&file, false, "TRACE_CPU_NUM::2");
    add_words(&file, SIMPLE, 0, CONTROL, 2, 1, 2047, 2);
    add_words(&file, SIMPLE, 0, USER, 1, 1, 0, 0);
    add_words(&file, SIMPLE, 1, CONTROL, 2, 2, 0, 2);
    add_slot(&file, BEGIN, 1, USER, 2, 2, eight);
    add_words(&file, SIMPLE, 0, CONTROL, 2, 3, 3, 4);
    add_slot(&file, END, 1, USER, 2, 2, eight);
    add_words(&file, SIMPLE, 0, USER, 3, 4, 0, 0);
    add_words(&file, SIMPLE, 1, USER, 4, 4, 0, 0);
    decode_file(&result, &file);
    expect_words(0, 1, 1, none, 2);
    add_line(&wanted.lines, 0, &time, "loss", unknown, 8);
    expect_words(0, 4, 3, none, 2);
    add_line(&wanted.lines, 1, &time, "loss", unknown, 8);
    expect_words(1, 4, 4, none, 2);
    assert_wanted();
    assert_int_equal(result.counts.unfinished, 2);
    assert_int_equal(result.counts.gaps, 0);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* A file with slots of all kinds. */
static void full_file(struct file *to)
{
    start_file(to, false, "TRACE_CPU_NUM::2TRACE_SYSPAGE_LEN::5");
    to->n += 5;
    to->head = to->n;
    add_words(to, SIMPLE, 0, CONTROL, 2, 100, 1, 13);
    add_words(to, SIMPLE, 0, CONTROL, 1, 100, 3, 100);
    add_words(to, SIMPLE, 0, PR_TH, 1, 100, 4099, 1);
    add_words(to, SIMPLE, 1, CONTROL, 1, 105, 3, 105);
    add_words(to, SIMPLE, 1, INT, 1, 105, 7, 0x8000);
    add_slot(to, BEGIN, 0, USER, 6, 110, (const unsigned char *)"a text w");
    add_words(to, BEGIN, 1, PR_TH, 2, 111, 4099, 2);
    add_words(to, SIMPLE, 0, INT, 2, 120, 7, 0);
    add_words(to, END, 1, PR_TH, 2, 111, 10, 2);
    add_slot(to, MIDDLE, 0, USER, 6, 110, (const unsigned char *)"ith more");
    add_slot(to, END, 0, USER, 6, 110, (const unsigned char *)"\0\0\0\0\0\0\0\0");
    add_words(to, SIMPLE, 0, KER_CALL, 11, 130, 5, 6);
    add_words(to, SIMPLE, 1, NAMELESS, 3, 131, 5, 6);
    add_words(to, SIMPLE, 0, CONTROL, 2, 140, 2, 5);
    add_words(to, SIMPLE, 0, COMM, 0, 140, 1, 2);
    add_slot(to, BEGIN, 1, USER, 9, 141, eight);
    add_slot(to, END, 1, USER, 9, 141, eight);
    add_words(to, SIMPLE, 1, USER, 9, 150, 1, 2);
}

static bool is_mark(const char *line)
{
    return strstr(line, " loss ") != NULL || strstr(line, " damage ") != NULL;
}

/* How many lines of a are not in b, without marks. A line that is several times in a must be as often in b. */
static size_t count_new(const struct lines *a, const struct lines *b)
{
    static char text[FILE_MAX];
    static bool used[256];
    size_t n = 0;
    memset(used, 0, sizeof used);
    memcpy(text, a->text, a->n + 1u);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        const char *at = b->text;
        size_t i = 0, length = strlen(line);
        bool found = is_mark(line);
        for (; !found && *at != '\0'; at = strchr(at, '\n') + 1, i++) {
            found = !used[i] && strncmp(at, line, length) == 0 && at[length] == '\n';
            used[i] = used[i] || found;
        }
        n += !found;
    }
    return n;
}

static struct result whole;
static struct file whole_file;

static void cut_everywhere(void **state)
{
    (void)state;
    full_file(&file);
    decode_data(&whole, &reader_kev, file.data, file.n, true);
    assert_int_equal(whole.counts.gaps + whole.counts.unfinished, 0);
    for (size_t n = 0; n < file.n; n++) {
        decode_data(&result, &reader_kev, file.data, n, true);
        if (n <= file.head) { /* a header without slots is no trace, either */
            assert_false(result.opened);
            continue;
        }
        assert_true(result.opened);
        assert_int_equal(count_new(&result.lines, &whole.lines), 0);
        if (n != file.head + 13u * 16u) /* between kernel buffers: a whole file, too */
            assert_true(result.counts.gaps > 0);
    }
}

/* How many events may be new when a bit of that byte is flipped. If the byte is data, its event has other data then. If
 * it is in the header of an event of one slot, that is another event then. In an event of several slots the others
 * contradict a changed header, unless the CPU has changed: each CPU's events are put together without the slots of
 * other CPUs. */
static size_t may_change(size_t byte)
{
    bool cpu = (byte - whole_file.head) % 16u == 3u;
    uint32_t header = get32(whole_file.data + whole_file.head + (byte - whole_file.head) / 16u * 16u);
    bool alone = header >> 30 == SIMPLE;
    return alone || cpu || (byte - whole_file.head) % 16u >= 8u ? 1u : 0u;
}

/* A flipped bit changes or removes what its slot belongs to, and nothing else: no other event is new, and few are
 * missing. */
static void flip_everywhere(void **state)
{
    size_t missing, most = 0;
    (void)state;
    full_file(&file);
    whole_file = file;
    decode_data(&whole, &reader_kev, file.data, file.n, false);
    for (size_t bit = 0; bit < 8u * file.n; bit += tier_step(5)) {
        file.data[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
        decode_data(&result, &reader_kev, file.data, file.n, false);
        if (bit / 8u >= file.head) {
            assert_true(result.opened);
            if (count_new(&result.lines, &whole.lines) > may_change(bit / 8u))
                fail_msg("byte %zu of the slots, bit %zu:\n%s", bit / 8u - file.head, bit % 8u, result.lines.text);
            missing = count_new(&whole.lines, &result.lines);
            most = missing > most ? missing : most;
        }
        file.data[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
    }
    assert_true(most <= 3u);
}

/* No byte, and no noise, makes the reader fail in a way that the sanitizers see. */
static void bytes_everywhere(void **state)
{
    static const unsigned char values[] = {0, 1, 0x7F, 0x80, 0xFE, 0xFF};
    (void)state;
    full_file(&file);
    for (size_t i = 0; i < file.n; i += tier_step(5)) {
        for (size_t k = 0; k < sizeof values; k++) {
            unsigned char before = file.data[i];
            file.data[i] = values[k];
            decode_data(&result, &reader_kev, file.data, file.n, false);
            file.data[i] = before;
        }
    }
    for (unsigned round = 0; round < 300u; round += tier_step(5)) {
        for (size_t i = file.head; i < file.n; i++)
            file.data[i] = (unsigned char)random_below(256);
        decode_data(&result, &reader_kev, file.data, file.n, false);
    }
}

/* A file with more text in its header is not opened, and the message has the reason. */
static void refuse(const char *more, const char *why)
{
    start_file(&file, false, more);
    add_words(&file, SIMPLE, 0, USER, 1, 1, 0, 0);
    decode_file(&result, &file);
    assert_false(result.opened);
    if (strstr(result.error, why) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", result.error, why);
}

static void headers(void **state)
{
    (void)state;
    refuse("TRACE_BIG_ENDIAN::TRUE", "contradicting byte order");
    refuse("TRACE_SYSPAGE_LEN::17", "the file ends in the system page: 17 bytes expected, 16 there");
    refuse("TRACE_SYSPAGE_LEN::99999999999999999999999", "TRACE_SYSPAGE_LEN is not a number");
    refuse("TRACE_SYSPAGE_LEN::-1", "TRACE_SYSPAGE_LEN is not a number");
    refuse("TRACE_SYSPAGE_LEN::", "TRACE_SYSPAGE_LEN is not a number");
    refuse("TRACE_CPU_NUM::65", "65 CPUs; expected 64 at most");
    start_file(&file, false,
               "TRACE_CPU_NUM::0TRACE_FILE_NAME::/tmp/TRACE_1.TTTRACETRACE_MACHINE::TRACE:xTRACE_SYSNAME::Q");
    add_words(&file, SIMPLE, 0, USER, 1, 1, 0, 0);
    decode_file(&result, &file);
    assert_true(result.opened);
    assert_string_equal(result.target, "Q TRACE:x");
    assert_int_equal(last.ncpus, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_ends),       cmocka_unit_test(never_ended),      cmocka_unit_test(long_events),
        cmocka_unit_test(missing_buffers), cmocka_unit_test(damage_in_place),  cmocka_unit_test(cut_everywhere),
        cmocka_unit_test(flip_everywhere), cmocka_unit_test(bytes_everywhere), cmocka_unit_test(headers),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    trace_free(&last);
    return failed;
}
