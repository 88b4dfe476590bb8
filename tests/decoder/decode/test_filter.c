/* test_filter.c - expressions of --filter: what they mean for events of many kinds of fields, and where one is wrong.
 */
#include "base/bytes.h"
#include "decode/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static struct trace trace;
static struct trace_batch batch;

/* ---- one event --------------------------------------------------------------------------------------------------- */

static const struct tlog_field fields[] = {
    {"i8", TLOG_KIND_SIGNED, 0, 1},       {"i16", TLOG_KIND_SIGNED, 2, 2},    {"i32", TLOG_KIND_SIGNED, 4, 4},
    {"i64", TLOG_KIND_SIGNED, 8, 8},      {"u64", TLOG_KIND_UNSIGNED, 16, 8}, {"state", TLOG_KIND_UNSIGNED, 24, 1},
    {"bits", TLOG_KIND_UNSIGNED, 26, 2},  {"rpm", TLOG_KIND_SIGNED, 28, 8},   {"rpm_text", TLOG_KIND_STRING, 36, 4},
    {"name", TLOG_KIND_CHARS, 40, 8},     {"owner", TLOG_KIND_TASK, 48, 4},   {"at", TLOG_KIND_ADDRESS, 52, 4},
    {"far", TLOG_KIND_UNSIGNED, 1000, 4},
};
static const struct tlog_type type = {
    "motor",
    "state",
    TLOG_MEANS_PLAIN,
    56,
    sizeof fields / sizeof fields[0],
    fields,
    "\"state=%s bits=%s\", __print_symbolic(REC->state, { 0x1, \"RUN\" }, { 0x7, \"m::STALL\" }), "
    "__print_flags(REC->bits, \"|\", { 0x1, \"RX\" }, { 0x8000, \"ERR\" })"};
static const struct trace_symbol symbols[] = {{0x1000, 16, "main", 'T'}};
static const struct trace_firmware firmware = {.symbols = symbols, .nsymbols = 1};

static void make_event(void)
{
    unsigned char *data = batch.room;
    memset(data, 0, 80);
    data[0] = 0xFF;                           /* i8 = -1 */
    put_le16(data + 2, (uint16_t)-120);       /* i16 */
    put_le32(data + 4, 0x80000000u);          /* i32 */
    put_le64(data + 8, 0x8000000000000000u);  /* i64 */
    put_le64(data + 16, 0xFFFFFFFFFFFFFFFFu); /* u64 */
    data[24] = 7;
    put_le16(data + 26, 0x8001);
    put_le64(data + 28, 625);
    put_le32(data + 36, 56u | 6u << 16);
    memcpy(data + 40, "sensor", 6);
    put_le32(data + 48, 3);
    put_le32(data + 52, 0x1004);
    memcpy(data + 56, "624.5", 6);
    batch.n = 1;
    batch.event[0] = (struct tlog_event){.data = data, .size = 64, .task = 9, .type = trace_type(&trace, &type)};
}

static int set_up(void **state)
{
    (void)state;
    trace_init(&trace, "dump.bin");
    trace.quiet = true;
    trace.firmware = &firmware;
    trace_set_name(&trace, TRACE_NAME_TASK, 3, "idle_3");
    trace_set_name(&trace, TRACE_NAME_TASK, 9, "control");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    trace_free(&trace);
    return 0;
}

static bool is_left(const char *text)
{
    struct decode_filter_error error;
    struct decode_filter *filter = decode_filter_new(text, &trace, &error);
    if (filter == NULL)
        fail_msg("%s: column %zu: %s", text, error.column, error.why);
    make_event();
    decode_filter_batch(filter, 2, &batch);
    decode_filter_tell(filter);
    decode_filter_free(filter);
    return batch.n == 1;
}

static const char *const true_ones[] = {
    "i8 == -1",
    "i8 < 0",
    "i16 < -100",
    "i16 >= -120",
    "i16 <= -120",
    "i16 != -121",
    "i16 > -120.5",
    "i16 < -119.5",
    "i32 == -2147483648",
    "i64 == -9223372036854775808",
    "u64 == 18446744073709551615",
    "u64 > 9223372036854775807",
    "u64 > -1",
    "u64 == 0xFFFFFFFFFFFFFFFF",
    "u64 > 1e19",
    "state == 7",
    "state == m::STALL",
    "state != RUN",
    "state > RUN",
    "bits & RX",
    "bits & ERR",
    "bits & 0x8000",
    "bits == 0x8001",
    "rpm == 624.5",
    "rpm > 624",
    "rpm < 625",
    "rpm > 624.49",
    "rpm_text == \"624.5\"",
    "name == \"sensor\"",
    "name == sensor",
    "name ~ \"sen*\"",
    "name != \"senso\"",
    "owner == \"idle_3\"",
    "owner == 3",
    "at == \"main\"",
    "at == 0x1004",
    "motor:state",
    "state",
    "motor:*",
    "st?te.state == 7",
    "motor:state.i8 == -1",
    "*.i8 == -1",
    "event == \"state\"",
    "system ~ \"mo*\"",
    "cpu == 2",
    "task == 9",
    "task == \"control\"",
    "task ~ \"con*\"",
    "!(i8 == 1)",
    "!far == 3",
    "i8 == 1 || i16 == -120",
    "i8 == -1 && i16 == -120",
    "i8==1||i8==-1&&i16==-120",
    "!i8 == 1 && (i8 == 1 || !(i8 == 2))",
    "other.none == 3 || i8 == -1",
    " i8 == -1 ",
    "i8 == +0 || i8 == -1",
};

static const char *const false_ones[] = {
    "i8 == 255",
    "i8 > 0",
    "i16 > 100",
    "i16 < -120",
    "i16 == -120.5",
    "i64 > 0",
    "u64 < 0",
    "u64 == -1",
    "state == RUN",
    "state == m::NONE",
    "bits & 2",
    "bits & 0x7FFE",
    "rpm == 625",
    "rpm > 624.5",
    "rpm < 0",
    "name == \"senso\"",
    "name ~ \"sen\"",
    "name > 3",
    "owner == \"idle\"",
    "far == 0",
    "far != 0",
    "none == 3",
    "none != 3",
    "other.i8 == -1",
    "motor:other.i8 == -1",
    "other:state.i8 == -1",
    "other",
    "other:*",
    "cpu == 0",
    "task == 3",
    "task == \"idle_3\"",
    "i8 == -1 && i16 == 120",
    "!i8 == -1",
    "!(motor:state)",
    "rpm & 1",
    "event > 3",
};

static void events_are_left_or_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof true_ones / sizeof true_ones[0]; i++) {
        if (!is_left(true_ones[i]))
            fail_msg("%s is false", true_ones[i]);
    }
    for (size_t i = 0; i < sizeof false_ones / sizeof false_ones[0]; i++) {
        if (is_left(false_ones[i]))
            fail_msg("%s is true", false_ones[i]);
    }
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

static void losses_stay_and_others_are_counted(void **state)
{
    struct decode_filter_error error;
    struct decode_filter *filter = decode_filter_new("none == 1", &trace, &error);
    (void)state;
    make_event();
    batch.event[1] = batch.event[2] = batch.event[0];
    batch.event[1].type = trace_type(&trace, &trace_loss_type);
    batch.event[2].flags = TLOG_FLAG_DERIVED;
    batch.n = 3;
    decode_filter_batch(filter, 0, &batch);
    assert_int_equal(batch.n, 1);
    assert_int_equal(batch.event[0].type, trace_type(&trace, &trace_loss_type));
    assert_int_equal(trace.counts.left_out, 1);
    assert_int_equal(trace.counts.derived_left_out, 1);
    decode_filter_free(filter);
}

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    size_t column;
    const char *why;
} wrong[] = {
    {"", 1, "the name of a field or an event is missing"},
    {"mv <", 5, "a value is missing: a number, \"a text\" or a name"},
    {"mv < -", 6, "not a number"},
    {"mv < 3x", 6, "not a number"},
    {"mv < 0x", 6, "not a number"},
    {"mv < 18446744073709551616", 6, "a number that is too large"},
    {"mv = 3", 4, "more than an expression"},
    {"mv == 3 &&", 11, "the name of a field or an event is missing"},
    {"mv == 3 & ch", 9, "more than an expression"},
    {"mv == 3)", 8, "more than an expression"},
    {"(mv == 3", 2, "a parenthesis that is not closed"},
    {"path == \"log", 9, "a text without an end"},
    {"path ~ 3", 8, "~ wants \"a pattern\""},
    {"path < \"x\"", 8, "a text is only compared with ==, != and ~"},
    {"adc.mv", 1, "a comparison is missing"},
    {"user:mv == 3", 1, "not EVENT.FIELD"},
    {"adc. == 3", 1, "not the name of a field or an event"},
    {".mv == 3", 1, "not the name of a field or an event"},
    {"a*b == 3", 1, "not the name of a field or an event"},
    {"mv == 3 mv == 4", 9, "more than an expression"},
    {"-3 == mv", 1, "the name of a field or an event is missing"},
};

static void the_place_of_a_mistake_is_told(void **state)
{
    struct decode_filter_error error;
    char deep[300];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_null(decode_filter_new(wrong[i].text, NULL, &error));
        assert_non_null(error.why);
        assert_string_equal(error.why, wrong[i].why);
        assert_int_equal(error.column, wrong[i].column);
    }
    memset(deep, '!', sizeof deep);
    deep[sizeof deep - 1u] = '\0';
    assert_null(decode_filter_new(deep, NULL, &error));
    assert_string_equal(error.why, "too deep");
}

/* Pieces of expressions in any order. */
static void any_expression(void **state)
{
    static const char *const pieces[] = {"i8", "user:x.y", " ",       "==", "<",    "&", "&&", "||", "!",   "(", ")",
                                         "-1", "0x1",      "\"a\\\"", "\"", "m::X", "~", ".",  ":",  "1e9", "*"};
    uint32_t seed = 1;
    (void)state;
    for (unsigned round = 0; round < 30000; round++) {
        struct decode_filter_error error;
        struct decode_filter *filter;
        char text[400] = "";
        for (unsigned k = 0; k < round % 40u; k++) {
            seed = seed * 1664525u + 1013904223u;
            strcat(text, pieces[(seed >> 8) % (sizeof pieces / sizeof pieces[0])]);
        }
        filter = decode_filter_new(text, &trace, &error);
        assert_true((filter == NULL) == (error.why != NULL));
        assert_true(filter != NULL || (error.column >= 1 && error.column <= strlen(text) + 1u));
        make_event();
        if (filter != NULL)
            decode_filter_batch(filter, 0, &batch);
        decode_filter_free(filter);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_are_left_or_not),
        TEST(losses_stay_and_others_are_counted),
        TEST(the_place_of_a_mistake_is_told),
        TEST(any_expression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
