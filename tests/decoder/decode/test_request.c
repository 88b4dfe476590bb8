/* test_request.c - the values of --time, --task, --cpu, --event, --irq, --around and --sync: which are right, and why
 * others are not. */
#include "decode/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static struct decode_selection selection;

static const char *parse(enum select_kind kind, const char *text)
{
    memset(&selection, 0, sizeof selection);
    return decode_select_parse(&selection, kind, text);
}

static const struct {
    enum select_kind kind;
    const char *text, *why; /* NULL: it is right, and the next one too much */
} wrong[] = {
    {SELECT_TIME, "", "not A..B"},
    {SELECT_TIME, "1", "not A..B"},
    {SELECT_TIME, "..", "neither"},
    {SELECT_TIME, "2..1", "ends before"},
    {SELECT_TIME, "1.5..1.4", "ends before"},
    {SELECT_TIME, "1...5", "a number is missing"},
    {SELECT_TIME, ".5..b", "a number is missing"},
    {SELECT_TIME, "a..b c", "not EVENT"},
    {SELECT_TIME, ":a..b", "not EVENT"},
    {SELECT_TIME, "a...b", "a number is missing"},
    {SELECT_TIME, "1s..", "not a time"},
    {SELECT_TIME, "1.0000000001..", "more than nine"},
    {SELECT_TASK, "", "a name is missing"},
    {SELECT_TASK, "a,,b", "a name is missing"},
    {SELECT_TASK, "a,", "a name is missing"},
    {SELECT_TASK, "4294967296", "too large"},
    {SELECT_TASK, "a:4294967296", "too large"},
    {SELECT_CPU, "x", "not a CPU"},
    {SELECT_CPU, "1-", "not a CPU"},
    {SELECT_CPU, "-1", "not a CPU"},
    {SELECT_CPU, "2-1", "ends before"},
    {SELECT_EVENT, ":a", "not EVENT"},
    {SELECT_EVENT, "a:", "not EVENT"},
    {SELECT_EVENT, "a:b:c", "not EVENT"},
    {SELECT_IRQ, ",1", "a name is missing"},
    {SELECT_AROUND, "", "a name is missing"},
    {SELECT_AROUND, "a", "not EVENT:TIME"},
    {SELECT_AROUND, ":5ms", "not EVENT"},
    {SELECT_AROUND, "a:", "a number is missing"},
    {SELECT_AROUND, "a:5", "without its unit"},
    {SELECT_AROUND, "a:5min", "without its unit"},
    {SELECT_AROUND, "a:5ms,", "a number is missing"},
    {SELECT_AROUND, "a:5ms,6ms,7ms", "more than two"},
    {SELECT_AROUND, "a:18446744072s", NULL},
    {SELECT_AROUND, "a:18446744073s", "too long"},
    {SELECT_AROUND, "a b:5ms", "not EVENT"},
    {SELECT_AROUND, "a:b:c:5ms", "not EVENT"},
};

static void wrong_texts_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *why = parse(wrong[i].kind, wrong[i].text);
        if (wrong[i].why == NULL ? why != NULL : why == NULL || strstr(why, wrong[i].why) == NULL)
            fail_msg("%s: %s", wrong[i].text, why != NULL ? why : "taken");
    }
}

static void right_texts_are_taken(void **state)
{
    (void)state;
    assert_null(parse(SELECT_TIME, "1.5..20"));
    assert_true(selection.from.seconds == 1 && selection.from.ns == 500000000 && selection.to.seconds == 20);
    assert_null(parse(SELECT_TIME, "..1.000000001"));
    assert_true(!selection.from.is_given && selection.to.ns == 1);
    assert_null(parse(SELECT_TIME, "1.5..user:a*"));
    assert_true(!selection.from.is_event && selection.from.ns == 500000000 && selection.to.is_event);
    assert_string_equal(selection.to.event.system, "user");
    assert_string_equal(selection.to.event.name, "a*");
    assert_null(parse(SELECT_TIME, "boot.."));
    assert_true(selection.from.is_event && !selection.to.is_given && !selection.to.is_event);
    assert_null(parse(SELECT_AROUND, "a:b:1.5ms,3ns"));
    assert_string_equal(selection.list[SELECT_AROUND].pattern[0].system, "a");
    assert_string_equal(selection.list[SELECT_AROUND].pattern[0].name, "b");
    assert_int_equal(selection.list[SELECT_AROUND].pattern[0].ahead, 1500000);
    assert_int_equal(selection.list[SELECT_AROUND].pattern[0].behind, 3);
    assert_null(parse(SELECT_AROUND, "a:2us"));
    assert_int_equal(selection.list[SELECT_AROUND].pattern[0].behind, 2000);
    assert_null(parse(SELECT_CPU, "0,2-4"));
    assert_true(selection.list[SELECT_CPU].n == 2 && selection.list[SELECT_CPU].pattern[1].last == 4);
    assert_null(parse(SELECT_EVENT, "sched:*,adc_*"));
    assert_string_equal(selection.list[SELECT_EVENT].pattern[0].system, "sched");
    assert_string_equal(selection.list[SELECT_EVENT].pattern[1].name, "adc_*");
}

/* ---- --sync ------------------------------------------------------------------------------------------------------ */

static void test_rules_of_events(void **state)
{
    static const struct {
        const char *text, *system, *name, *field;
    } good[] = {
        {"user_event_0", "", "user_event_0", ""},
        {"user_event_0:par1", "", "user_event_0", "par1"},
        {"shark:user_event_0:par2", "shark", "user_event_0", "par2"},
    };
    struct decode_sync_rule rule;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(decode_sync_parse(&rule, good[i].text));
        assert_false(rule.fixed);
        assert_string_equal(rule.system, good[i].system);
        assert_string_equal(rule.name, good[i].name);
        assert_string_equal(rule.field, good[i].field);
    }
}

static void test_rules_of_lines(void **state)
{
    static const struct {
        const char *text;
        int64_t offset;
        double drift;
    } lines[] = {
        {"+5", 5000000000, 0},
        {"-5", -5000000000, 0},
        {"+0.000000001", 1, 0},
        {"-0.25", -250000000, 0},
        {"+999999999", 999999999000000000, 0},
        {"-1,20.5", -1000000000, 20.5e-6},
        {"+1,-0.001", 1000000000, -1e-9},
        {"+0,50000", 0, 0.05},
    };
    struct decode_sync_rule rule;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_true(decode_sync_parse(&rule, lines[i].text));
        assert_true(rule.fixed);
        assert_int_equal(rule.line.offset, lines[i].offset);
        assert_true(rule.line.drift - lines[i].drift < 1e-15 && lines[i].drift - rule.line.drift < 1e-15);
    }
}

static void test_bad_rules(void **state)
{
    static const char *const bad[] = {"",
                                      ":",
                                      "a:",
                                      ":a",
                                      "a:b:c:d",
                                      "a::b",
                                      "+",
                                      "-",
                                      "+.",
                                      "+1,",
                                      "+1.5.5",
                                      "+1x",
                                      "+1,x",
                                      "+1,1x",
                                      "+-1",
                                      "+1,50001",
                                      "+1,-50001",
                                      "+0.0000000001",
                                      "+1234567890",
                                      "+1 ",
                                      "a:b:"};
    struct decode_sync_rule rule;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (decode_sync_parse(&rule, bad[i]))
            fail_msg("taken: %s", bad[i]);
    }
}

/* Parts as long as they may be, and longer ones. */
static void test_long_rules(void **state)
{
    struct decode_sync_rule rule;
    char text[256];
    (void)state;
    for (int n = 1; n < 120; n++) {
        snprintf(text, sizeof text, "%0*d:f", n, 0);
        assert_int_equal(decode_sync_parse(&rule, text), n < 64);
        snprintf(text, sizeof text, "e:%0*d", n, 0);
        assert_int_equal(decode_sync_parse(&rule, text), n < 32);
        snprintf(text, sizeof text, "%0*d:e:f", n, 0);
        assert_int_equal(decode_sync_parse(&rule, text), n < 32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_texts_are_refused), cmocka_unit_test(right_texts_are_taken),
        cmocka_unit_test(test_rules_of_events),    cmocka_unit_test(test_rules_of_lines),
        cmocka_unit_test(test_bad_rules),          cmocka_unit_test(test_long_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
