/* test_fields.c - the fields of --format=ctf: the bytes in the packets, and how the metadata tell them. */
#include "harness.h"

#include "base/bytes.h"

#include <string.h>

#define COMMON_BYTES 19u /* before the fields of an event of task 1, which has no name */

static struct packet packet[2];

/* The fields of the only event are these bytes. */
static void check_fields(const void *expected, size_t n)
{
    assert_int_equal(packets_of("channel0_0", packet, 2), 1);
    assert_int_equal(packet[0].n, COMMON_BYTES + n);
    assert_memory_equal(packet[0].events + COMMON_BYTES, expected, n);
}

static const struct tlog_field all_fields[] = {
    {"u", TLOG_KIND_UNSIGNED, 0, 8}, {"s", TLOG_KIND_SIGNED, 8, 2},  {"h", TLOG_KIND_HEX, 10, 1},
    {"c", TLOG_KIND_CHARS, 12, 4},   {"t", TLOG_KIND_STRING, 16, 4}, {"b", TLOG_KIND_BYTES, 10, 3},
    {"o", TLOG_KIND_OPTIONAL, 0, 4}, {"a", TLOG_KIND_ADDRESS, 0, 4}, {"w", TLOG_KIND_WORDS, 20, 0}};
static const struct tlog_type all_type = {"own", "all", TLOG_MEANS_PLAIN, 20, 9, all_fields, NULL};

static void fields_of_every_kind_have_values(void **state)
{
    static const unsigned char expected[] = {
        1, 2, 3, 4, 5, 6, 7, 8, 0xfe, 0xff, 0xab, 'a', 'b', 0, 'd', 'h', 'i', '"', 0, 0xab, 1, 'a', 1,
        2, 3, 4, 1, 2, 3, 4, 3, 0,    0,    0,    1,   0,   0, 0,   'h', 'i', '"', 0, 0,    0, 0,   0x80};
    (void)state;
    add(&all_type, 1000, 1, "\1\2\3\4\5\6\7\x8\xfe\xff\xab\1ab\0d\x18\0\4\0\1\0\0\0hi\"\0\0\0\0\x80", 32);
    write_trace();
    check_fields(expected, sizeof expected);
    check_metadata("\tname = \"own:all\";\n\tid = 0;\n\tstream_id = 0;\n\tfields := struct {\n"
                   "\t\tinteger { size = 64; align = 8; signed = false; base = 10; } _u;\n"
                   "\t\tinteger { size = 16; align = 8; signed = true; base = 10; } _s;\n"
                   "\t\tinteger { size = 8; align = 8; signed = false; base = 16; } _h;\n"
                   "\t\tchar_t _c[4];\n"
                   "\t\tstring _t;\n"
                   "\t\tuint8_hex_t _b[3];\n"
                   "\t\tinteger { size = 32; align = 8; signed = false; base = 10; } _o;\n"
                   "\t\tinteger { size = 32; align = 8; signed = false; base = 16; } _a;\n"
                   "\t\tuint32_t __w_length;\n\t\tuint32_t _w[__w_length];\n"
                   "\t};\n");
}

static void what_the_payload_does_not_have_is_0(void **state)
{
    static const unsigned char expected[46 - 12] = {1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, [15] = 2, [18] = 1, [22] = 1};
    (void)state;
    add(&all_type, 1000, 1, "\1\0\0\0\0\0\0\0\1\0\2\0", 12);
    write_trace();
    assert_int_equal(packets_of("channel0_0", packet, 2), 1);
    assert_int_equal(packet[0].n, COMMON_BYTES + 11u + 4u + 1u + 3u + 8u + 4u);
    assert_memory_equal(packet[0].events + COMMON_BYTES, expected, 15);
    assert_int_equal(packet[0].events[COMMON_BYTES + 15u], 0); /* the text */
    assert_int_equal(packet[0].events[COMMON_BYTES + 16u], 2); /* the bytes */
}

static void texts_end_at_their_nul_and_are_utf8(void **state)
{
    static const struct tlog_field fields[] = {
        {"name", TLOG_KIND_CHARS, 0, 8}, {"long", TLOG_KIND_CHARS, 8, 20}, {"text", TLOG_KIND_STRING, 28, 4}};
    static const struct tlog_type type = {"own", "texts", TLOG_MEANS_PLAIN, 32, 3, fields, NULL};
    (void)state;
    add(&type, 1000, 1,
        "\xc3\xa4\xff"
        "b\0\0\0\0"
        "long enough \xc3\0......"
        "\x20\0\x8\0"
        "a\xe2\x82\xac\x80\0zz",
        40);
    write_trace();
    check_fields("\xc3\xa4?b\0\0\0\0"
                 "long enough ?\0"
                 "a\xe2\x82\xac?\0",
                 28);
    check_metadata("\t\tchar_t _name[8];\n\t\tstring _long;\n\t\tstring _text;\n");
}

static void strings_outside_of_the_payload_are_empty(void **state)
{
    static const struct tlog_field fields[] = {{"text", TLOG_KIND_STRING, 0, 4}, {"n", TLOG_KIND_UNSIGNED, 4, 4}};
    static const struct tlog_type type = {"own", "texts", TLOG_MEANS_PLAIN, 8, 2, fields, NULL};
    (void)state;
    add(&type, 1000, 1, "\x8\0\xff\xff\x7\0\0\0abc", 11);
    write_trace();
    check_fields("\0\7\0\0\0", 5);
}

static void floating_point_numbers_are_those_of_their_texts(void **state)
{
    static const struct tlog_field fields[] = {{"rpm", TLOG_KIND_SIGNED, 0, 8}, {"rpm_text", TLOG_KIND_STRING, 8, 4}};
    static const struct tlog_type type = {
        "own", "motor", TLOG_MEANS_PLAIN, 12, 2, fields, "\"rpm=%s\", __get_str(rpm_text)"};
    static const char *const texts[] = {"624.5", "-0.1", "0.14285714285714285", "inf", "-inf", "5e-324", "-0"};
    static const uint64_t bits[] = {0x4083840000000000, 0xBFB999999999999A, 0x3FC2492492492492,
                                    0x7FF0000000000000, 0xFFF0000000000000, 1,
                                    0x8000000000000000};
    const unsigned char *at;
    (void)state;
    for (unsigned i = 0; i < 7u; i++) {
        char data[40] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 0, 24, 0};
        memcpy(data + 12, texts[i], strlen(texts[i]));
        add(&type, 1000, 1, data, 36);
    }
    add(&type, 1000, 1, "\0\0\0\0\0\0\0\0\xc\0\4\0nan\0", 16);
    add(&type, 1000, 1, "\0\0\0\0\0\0\0\0", 8);
    write_trace();
    assert_int_equal(packets_of("channel0_0", packet, 2), 1);
    at = packet[0].events + COMMON_BYTES;
    for (unsigned i = 0; i < 9u; i++, at += COMMON_BYTES + 8u) {
        if (i < 7u)
            assert_int_equal(get_le64(at), bits[i]);
        else
            assert_int_equal(get_le64(at) >> 51 & 0xFFFu, 0xFFFu); /* not a number */
    }
    check_metadata("\tfields := struct {\n\t\tdouble_t _rpm;\n\t};\n");
}

static void numbers_with_names_are_enumerations(void **state)
{
    static const struct tlog_field fields[] = {{"state", TLOG_KIND_UNSIGNED, 0, 1},
                                               {"mode", TLOG_KIND_HEX, 1, 2},
                                               {"mutex", TLOG_KIND_MUTEX, 4, 4},
                                               {"task", TLOG_KIND_TASK, 8, 4}};
    static const struct tlog_type type = {
        "own",
        "motor",
        TLOG_MEANS_PLAIN,
        12,
        4,
        fields,
        "\"state=%s mode=%s\", __print_symbolic(REC->state, { 0, \"IDLE\" }, { 2, \"a }\" }, { 256, \"no\" }), "
        "__print_flags(REC->mode, \"|\", { 1, \"a\" }, { 2, \"b\" })"};
    (void)state;
    trace_set_name(&trace, TRACE_NAME_MUTEX, 2, "bus, \"fast\"\\");
    trace_set_name(&trace, TRACE_NAME_MUTEX, 3, "bus");
    add(&type, 1000, 1, "\2\1\2\0\2\0\0\0\7\0\0\0", 12);
    write_trace();
    check_fields("\2\1\2\2\0\0\0\7\0\0\0", 11);
    check_metadata("enum tlog_name6 : uint32_t { \"bus, \\\"fast\\\"\\\\\" = 2, \"bus\" = 3 };\n");
    check_metadata("\t\tenum : uint8_t { \"IDLE\" = 0, \"a }\" = 2 } _state;\n"
                   "\t\tenum : integer { size = 16; align = 8; signed = false; base = 16; } "
                   "{ \"\" = 0, \"a\" = 1, \"b\" = 2, \"a|b\" = 3 } _mode;\n"
                   "\t\tenum tlog_name6 _mutex;\n"
                   "\t\tinteger { size = 32; align = 8; signed = false; base = 10; } _task;\n");
}

static void addresses_have_the_names_of_symbols(void **state)
{
    static const struct trace_symbol symbols[] = {
        {0x100, 0x20, "main", 'T'}, {0x110, 8, "a\"b", 't'}, {0x200, 0, "end", 'T'}, {0xFFFFFFFF0, 4, "far", 'T'}};
    static const struct trace_firmware firmware = {.symbols = symbols, .nsymbols = 4};
    static const struct tlog_field fields[] = {{"at", TLOG_KIND_ADDRESS, 0, 4}, {"far", TLOG_KIND_ADDRESS, 8, 8}};
    static const struct tlog_type type = {"own", "call", TLOG_MEANS_PLAIN, 16, 2, fields, NULL};
    (void)state;
    trace.firmware = &firmware;
    add(&type, 1000, 1, "\4\1\0\0....\0\0\0\0\0\0\0\0", 16);
    write_trace();
    check_metadata("enum tlog_symbol32 : uint32_hex_t { \"main\" = 256 ... 271, \"a\\\"b\" = 272 ... 279 };\n"
                   "enum tlog_symbol64 : uint64_hex_t { \"main\" = 256 ... 271, \"a\\\"b\" = 272 ... 279, "
                   "\"far\" = 68719476720 ... 68719476723 };\n");
    check_metadata("\t\tenum tlog_symbol32 _at;\n\t\tenum tlog_symbol64 _far;\n");
}

static void names_that_the_language_does_not_take_are_changed(void **state)
{
    static const struct tlog_field fields[] = {
        {"struct", TLOG_KIND_UNSIGNED, 0, 1}, {"a-b", TLOG_KIND_UNSIGNED, 1, 1},
        {"a_b", TLOG_KIND_UNSIGNED, 2, 1},    {"a\xc3\xa4", TLOG_KIND_UNSIGNED, 3, 1},
        {"1st", TLOG_KIND_UNSIGNED, 4, 1},    {"pid", TLOG_KIND_UNSIGNED, 5, 1},
        {"w", TLOG_KIND_WORDS, 8, 0}};
    static const struct tlog_type type = {"own", "odd", TLOG_MEANS_PLAIN, 8, 7, fields, NULL};
    (void)state;
    add(&type, 1000, 1, "\1\2\3\4\5\6\7\x8", 8);
    write_trace();
    check_fields("\1\2\3\4\5\6\0\0\0\0", 10);
    check_metadata("signed = false; base = 10; } _struct;\n");
    check_metadata("} _a_b;\n");
    check_metadata("} _a_b__2;\n");
    check_metadata("} _a__;\n");
    check_metadata("} _1st;\n");
    check_metadata("} _pid;\n");
}

static void events_of_linux_have_the_names_of_lttng(void **state)
{
    static const struct tlog_field fields[] = {{"comm", TLOG_KIND_CHARS, 0, 16},
                                               {"pid", TLOG_KIND_SIGNED, 16, 4},
                                               {"parent_pid", TLOG_KIND_SIGNED, 20, 4},
                                               {"cupid", TLOG_KIND_SIGNED, 24, 4}};
    static const struct tlog_type type = {"sched", "sched_waking", TLOG_MEANS_WAKE, 28, 4, fields, NULL};
    static const struct tlog_type entry = {"irq", "irq_handler_entry", TLOG_MEANS_IRQ_ENTRY, 0, 0, NULL, NULL};
    static const struct tlog_type other = {"shark", "struct", TLOG_MEANS_PLAIN, 0, 0, NULL, NULL};
    (void)state;
    add(&type, 1000, 1, "control\0\0\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0", 28);
    add(&entry, 1000, 1, "", 0);
    add(&other, 1000, 1, "", 0);
    write_trace();
    check_metadata("\tname = \"sched_waking\";\n");
    check_metadata("\tname = \"irq_handler_entry\";\n");
    check_metadata("\tname = \"shark:struct\";\n");
    check_metadata("\t\tchar_t _comm[16];\n\t\tinteger { size = 32; align = 8; signed = true; base = 10; } _tid;\n"
                   "\t\tinteger { size = 32; align = 8; signed = true; base = 10; } _parent_tid;\n"
                   "\t\tinteger { size = 32; align = 8; signed = true; base = 10; } _cupid;\n");
    check_metadata("\tdomain = \"kernel\";\n");
}

static void switches_that_show_interrupts_as_tasks_are_left_out(void **state)
{
    static const struct tlog_type type = {"sched", "sched_switch", TLOG_MEANS_SWITCH, 0, 0, NULL, NULL};
    (void)state;
    add(&type, 1000, 1, "", 0)->flags = TLOG_FLAG_DERIVED;
    add(&type, 2000, 1, "", 0);
    write_trace();
    assert_int_equal(packets_of("channel0_0", packet, 2), 1);
    assert_int_equal(packet[0].n, COMMON_BYTES);
    assert_int_equal(packet[0].begin, 2000);
}

static void tasks_have_names_before_they_run(void **state)
{
    static const struct tlog_type type = {"own", "plain", TLOG_MEANS_PLAIN, 0, 0, NULL, NULL};
    const unsigned char *at;
    (void)state;
    trace_set_name(&trace, TRACE_NAME_TASK, 7, "a name of 21 letters.");
    trace_group(&trace, "boot");
    add(&type, 1000, 0, "", 0)->group = 1;
    write_trace();
    assert_int_equal(packets_of("statedump_0", packet, 2), 1);
    assert_int_equal(packet[0].begin, 1000);
    assert_int_equal(packet[0].end, 1000);
    assert_int_equal(packet[0].n, 3u * 16u + 64u);
    at = packet[0].events;
    assert_int_equal(get_le16(at), 60000);
    assert_int_equal(get_le16(at + 16), 60001);
    assert_int_equal(get_le32(at + 32), 7);
    assert_int_equal(get_le32(at + 40), 7);
    assert_string_equal((const char *)at + 56, "a name of 21 le");
    assert_int_equal(get_le16(at + 96), 60002);
    check_metadata("\t\tenum : uint16_t { \"\" = 0, \"boot\" = 1 } _group;\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ctf_test("fields of every kind have values", fields_of_every_kind_have_values),
        ctf_test("what the payload does not have is 0", what_the_payload_does_not_have_is_0),
        ctf_test("texts end at their NUL, and are UTF-8", texts_end_at_their_nul_and_are_utf8),
        ctf_test("strings outside of the payload are empty", strings_outside_of_the_payload_are_empty),
        ctf_test("floating point numbers", floating_point_numbers_are_those_of_their_texts),
        ctf_test("numbers with names are enumerations", numbers_with_names_are_enumerations),
        ctf_test("addresses have the names of symbols", addresses_have_the_names_of_symbols),
        ctf_test("names that the language does not take", names_that_the_language_does_not_take_are_changed),
        ctf_test("events of Linux have the names of LTTng", events_of_linux_have_the_names_of_lttng),
        ctf_test("switches that show interrupts as tasks", switches_that_show_interrupts_as_tasks_are_left_out),
        ctf_test("tasks have names before they run", tasks_have_names_before_they_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
