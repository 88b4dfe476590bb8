/* test_writer.c - what the text writer makes of events is compared with lines that were written by hand. */
#include "decoder/model/harness.h"
#include "lib/tier.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tlog_field number_fields[] = {
    {"u8", TLOG_KIND_UNSIGNED, 0, 1}, {"s8", TLOG_KIND_SIGNED, 0, 1},  {"u16", TLOG_KIND_UNSIGNED, 0, 2},
    {"s16", TLOG_KIND_SIGNED, 0, 2},  {"s32", TLOG_KIND_SIGNED, 0, 4}, {"u64", TLOG_KIND_UNSIGNED, 0, 8},
    {"s64", TLOG_KIND_SIGNED, 0, 8},  {"hex", TLOG_KIND_HEX, 0, 8},
};
static const struct tlog_field word_fields[] = {{"par1", TLOG_KIND_UNSIGNED, 0, 2}, {"par2", TLOG_KIND_UNSIGNED, 4, 4}};
static const struct tlog_field text_fields[] = {{"chars", TLOG_KIND_CHARS, 0, 8}, {"string", TLOG_KIND_STRING, 8, 4}};
static const struct tlog_field beyond_fields[] = {{"far", TLOG_KIND_UNSIGNED, 6, 4}, {"odd", TLOG_KIND_UNSIGNED, 0, 9}};

static const struct tlog_type number_type = {"shark", "numbers", TLOG_MEANS_PLAIN, 8, 8, number_fields, NULL};
static const struct tlog_type word_type = {"shark", "user_event_0", TLOG_MEANS_PLAIN, 8, 2, word_fields, NULL};
static const struct tlog_type text_type = {"qnx", "texts", TLOG_MEANS_PLAIN, 12, 2, text_fields, NULL};
static const struct tlog_type beyond_type = {"qnx", "beyond", TLOG_MEANS_PLAIN, 12, 2, beyond_fields, NULL};
static const struct tlog_type bare_type = {"shark", "trace_stop", TLOG_MEANS_PLAIN, 0, 0, NULL, NULL};
static const struct tlog_type loss_type = {"tlog", "loss", TLOG_MEANS_LOSS, 8, 0, NULL, NULL};
static const struct tlog_type damage_type = {"tlog", "damage", TLOG_MEANS_DAMAGE, 8, 0, NULL, NULL};

static void lines_look_like_trace_cmd_report(void **state)
{
    (void)state;
    trace_set_name(&trace, TRACE_NAME_TASK, 0, "not shown");
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "sensor");
    trace_set_name(&trace, TRACE_NAME_TASK, 123456, "a name of 20 letters");
    add(&word_type, 1234567890123, 1, "\x34\x12\0\0\xEF\xBE\xAD\xDE", 8);
    add(&word_type, 5, 0, "\0\0\0\0\0\0\0\0", 8);
    add(&bare_type, 123456000000001, 99999, "", 0);
    add(&bare_type, 999999999, 123456, "", 0);
    trace.ncpus = 13;
    check_lines(&writer_text_full, 12,
                "cpus=13\n"
                "          sensor-1     [012]  1234.567890123: shark:user_event_0: par1=4660 par2=3735928559\n"
                "          <idle>-0     [012]     0.000000005: shark:user_event_0: par1=0 par2=0\n"
                "           <...>-99999 [012] 123456.000000001: shark:trace_stop:\n"
                "a name of 20 letters-123456 [012]     0.999999999: shark:trace_stop:\n");
}

static void numbers_are_shown_by_kind_and_size(void **state)
{
    (void)state;
    add(&number_type, 0, 1, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8);
    add(&number_type, 0, 1, "\0\0\0\0\0\0\0\x80", 8);
    add(&number_type, 0, 1, "\x07\x01\0\0\0\0\0\0", 8);
    add(&number_type, 0, 1, "\x80\x80\0\x80\0\0\0\0", 8);
    add(&number_type, 0, 1, "\0\0\0\0\0\0\0\0", 8);
    check_lines(&writer_text_full, 0,
                "cpus=1\n"
                "           <...>-1     [000]     0.000000000: shark:numbers: u8=255 s8=-1 u16=65535 s16=-1 s32=-1 "
                "u64=18446744073709551615 s64=-1 hex=0xffffffffffffffff\n"
                "           <...>-1     [000]     0.000000000: shark:numbers: u8=0 s8=0 u16=0 s16=0 s32=0 "
                "u64=9223372036854775808 s64=-9223372036854775808 hex=0x8000000000000000\n"
                "           <...>-1     [000]     0.000000000: shark:numbers: u8=7 s8=7 u16=263 s16=263 s32=263 "
                "u64=263 s64=263 hex=0x107\n"
                "           <...>-1     [000]     0.000000000: shark:numbers: u8=128 s8=-128 u16=32896 s16=-32640 "
                "s32=-2147450752 u64=2147516544 s64=2147516544 hex=0x80008080\n"
                "           <...>-1     [000]     0.000000000: shark:numbers: u8=0 s8=0 u16=0 s16=0 s32=0 u64=0 s64=0 "
                "hex=0x0\n");
}

static void texts_cannot_disturb_the_lines(void **state)
{
    (void)state;
    add(&text_type, 0, 1, "plain\0\0\0\x0C\0\x06\0hello\0\0\0", 20);
    add(&text_type, 0, 1, "a\n\t\r\\\x1B\x7F\0\x0C\0\x04\0\xC3\xA9=\0", 16);
    add(&text_type, 0, 1, "12345678\x0C\0\x02\0abcd", 16);
    add(&text_type, 0, 1, "\0\0\0\0\0\0\0\0\x0C\0\0\0", 12);
    check_lines(&writer_text_full, 0,
                "cpus=1\n"
                "           <...>-1     [000]     0.000000000: qnx:texts: chars=plain string=hello\n"
                "           <...>-1     [000]     0.000000000: qnx:texts: chars=a\\n\\t\\r\\\\\\x1b\\x7f "
                "string=\xC3\xA9=\n"
                "           <...>-1     [000]     0.000000000: qnx:texts: chars=12345678 string=ab\n"
                "           <...>-1     [000]     0.000000000: qnx:texts: chars= string=\n");
}

/* Names of types, fields and symbols are an input's, too. 0x9B is the control that ESC [ stands for; U+009B the
 * same. */
static void names_cannot_disturb_the_lines(void **state)
{
    static const struct tlog_field fields[] = {{"fi\x9B"
                                                "eld",
                                                TLOG_KIND_ADDRESS, 0, 4}};
    static const struct tlog_type type = {"sys\x1B[31m",
                                          "na\xC2\x9B"
                                          "1m\n\xC3\xA9",
                                          TLOG_MEANS_PLAIN,
                                          4,
                                          1,
                                          fields,
                                          NULL};
    static const struct trace_symbol symbols[] = {{0x1000, 16, "sym\x1B]0;\x07\xC2\x9B\xC3\xA9", 'T'}};
    static const struct trace_firmware firmware = {.symbols = symbols, .nsymbols = 1};
    (void)state;
    trace.firmware = &firmware;
    add(&type, 0, 1, "\x04\x10\0\0", 4);
    check_lines(&writer_text_full, 0,
                "cpus=1\n"
                "           <...>-1     [000]     0.000000000: sys\\x1b[31m:na\\xc2\\x9b1m\\n\xC3\xA9: "
                "fi\\x9beld=sym\\x1b]0;\\x07\\xc2\\x9b\xC3\xA9+0x4\n");
}

static void fields_outside_the_payload_are_not_read(void **state)
{
    (void)state;
    add(&text_type, 0, 1, "\0\0\0\0\0\0\0\0\x0C\0\x05\0four", 16);
    add(&text_type, 0, 1, "\0\0\0\0\0\0\0\0\x11\0\x01\0four", 16);
    add(&text_type, 0, 1, "\0\0\0\0", 4);
    add(&beyond_type, 0, 1, "\x01\0\0\0\0\0\0\0", 8);
    add(&beyond_type, 0, 1, "\x01\0\0\0\0\0\x02\0\0\0\0\0", 12);
    check_lines(&writer_text_full, 0,
                "cpus=1\n"
                "           <...>-1     [000]     0.000000000: qnx:texts: chars= string=?\n"
                "           <...>-1     [000]     0.000000000: qnx:texts: chars= string=?\n"
                "           <...>-1     [000]     0.000000000: qnx:texts: chars=? string=?\n"
                "           <...>-1     [000]     0.000000000: qnx:beyond: far=? odd=?\n"
                "           <...>-1     [000]     0.000000000: qnx:beyond: far=2 odd=?\n");
}

static void losses_stand_before_the_next_event(void **state)
{
    (void)state;
    add(&loss_type, 1, 0, "\x11\0\0\0\0\0\0\0", 8);
    add(&loss_type, 1, 0, "\0\0\0\0\0\0\0\0", 8);
    add(&damage_type, 1, 0, "\x03\0\0\0\0\0\0\0", 8);
    add(&damage_type, 1, 0, "\0\0\0\0\0\0\0\0", 8);
    add(&bare_type, 1, 0, "", 0);
    check_lines(&writer_text_full, 3,
                "cpus=1\n"
                "CPU:3 [17 EVENTS DROPPED]\n"
                "CPU:3 [EVENTS DROPPED]\n"
                "CPU:3 [DAMAGED INPUT: 3 EVENTS]\n"
                "CPU:3 [DAMAGED INPUT]\n"
                "          <idle>-0     [003]     0.000000001: shark:trace_stop:\n");
}

static void derived_events_are_not_shown(void **state)
{
    (void)state;
    add(&bare_type, 1, 0, "", 0)->flags = TLOG_FLAG_DERIVED;
    add(&bare_type, 2, 0, "", 0)->flags = TLOG_FLAG_IN_INTERRUPT;
    check_lines(&writer_text_full, 0,
                "cpus=1\n"
                "          <idle>-0     [000]     0.000000002: shark:trace_stop:\n");
}

static void without_a_clock_times_are_ticks(void **state)
{
    (void)state;
    trace.clock_hz = 0;
    add(&bare_type, 1234567890123, 0, "", 0);
    add(&bare_type, 5, 0, "", 0);
    check_lines(&writer_text_full, 0,
                "cpus=1\n"
                "          <idle>-0     [000] 1234567890123: shark:trace_stop:\n"
                "          <idle>-0     [000]            5: shark:trace_stop:\n");
}

/* The writer's own formatting gives what printf() does, for every digit of a time and every length of a number. */
static void formatting_agrees_with_printf(void **state)
{
    uint64_t value = 1;
    char expected[160];
    (void)state;
    for (unsigned i = 0; i < 4000u; i += tier_step(11)) {
        char data[8] = {0};
        char *text;
        value = value * 6364136223846793005u + 1442695040888963407u;
        batch.n = batch.used = 0;
        for (unsigned k = 0; k < 4; k++)
            data[4 + k] = (char)(value >> i % 32u >> 8u * k);
        add(&word_type, value >> i % 64u, (uint32_t)(value >> 32 >> i % 32u) | 1u, data, 8);
        snprintf(expected, sizeof expected,
                 "cpus=1\n%16s-%-5u [%03u] %5llu.%09llu: shark:user_event_0: par1=0 par2=%u\n", "<...>",
                 batch.event[0].task, i % 200u, (unsigned long long)batch.event[0].time / 1000000000u,
                 (unsigned long long)batch.event[0].time % 1000000000u, (uint32_t)(value >> i % 32u));
        text = write_batch(&writer_text_full, i % 200u);
        assert_string_equal(text, expected);
        free(text);
    }
}

/* There are more lines than the buffer holds: no line is lost, cut or written twice when it is written and reused. */
static void the_buffer_is_emptied_between_lines(void **state)
{
    static const char line[] = "          <idle>-0     [000]     0.000000000: shark:trace_stop:\n";
    int fd = new_file();
    void *writer = writer_text_full.open(&trace, NULL, fd);
    char *text;
    (void)state;
    for (unsigned i = 0; i < TRACE_BATCH_EVENTS; i++)
        add(&bare_type, 0, 0, "", 0);
    for (unsigned i = 0; i < 50u; i++)
        assert_int_equal(writer_text_full.write(writer, 0, &batch), 0);
    assert_int_equal(writer_text_full.close(writer, true), 0);
    text = contents(fd);
    assert_int_equal(strlen(text), strlen("cpus=1\n") + 50u * TRACE_BATCH_EVENTS * strlen(line));
    for (const char *at = text + strlen("cpus=1\n"); *at != '\0'; at += strlen(line))
        assert_memory_equal(at, line, strlen(line));
    free(text);
    close(fd);
}

static void a_full_disk_is_an_error(void **state)
{
    int fd = open("/dev/full", O_WRONLY);
    void *writer = writer_text_full.open(&trace, NULL, fd);
    (void)state;
    assert_int_equal(writer_text_full.write(writer, 0, &batch), 0);
    assert_int_equal(writer_text_full.close(writer, true), -1);
    assert_string_equal(trace.error, "cannot write: No space left on device");
    close(fd);
}

static void an_abandoned_text_is_not_written(void **state)
{
    int fd = new_file();
    void *writer = writer_text_full.open(&trace, NULL, fd);
    char *text;
    (void)state;
    add(&bare_type, 0, 0, "", 0);
    assert_int_equal(writer_text_full.write(writer, 0, &batch), 0);
    assert_int_equal(writer_text_full.close(writer, false), 0);
    text = contents(fd);
    assert_string_equal(text, "");
    free(text);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("lines look like trace-cmd report", lines_look_like_trace_cmd_report),
        test("numbers are shown by kind and size", numbers_are_shown_by_kind_and_size),
        test("texts cannot disturb the lines", texts_cannot_disturb_the_lines),
        test("names cannot disturb the lines", names_cannot_disturb_the_lines),
        test("fields outside the payload are not read", fields_outside_the_payload_are_not_read),
        test("losses stand before the next event", losses_stand_before_the_next_event),
        test("derived events are not shown", derived_events_are_not_shown),
        test("without a clock times are ticks", without_a_clock_times_are_ticks),
        test("formatting agrees with printf", formatting_agrees_with_printf),
        test("the buffer is emptied between lines", the_buffer_is_emptied_between_lines),
        test("a full disk is an error", a_full_disk_is_an_error),
        test("an abandoned text is not written", an_abandoned_text_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
