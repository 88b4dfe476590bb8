/* test_report.c - the lines of --format=text, compared with lines that were written by hand. That trace-cmd report
 * prints the same of trace.dat is checked by tests/decoder/text/text.sh. */
#include "decoder/model/harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tlog_field wait_fields[] = {
    {"context", TLOG_KIND_TASK, 0, 4}, {"mutex", TLOG_KIND_MUTEX, 4, 4}, {"level", TLOG_KIND_OPTIONAL, 8, 4}};
static const struct tlog_type wait_type = {"shark", "wait", TLOG_MEANS_PLAIN, 12, 3, wait_fields, NULL};
static const struct tlog_type loss_type = {"tlog", "loss", TLOG_MEANS_LOSS, 8, 0, NULL, NULL};
static const struct tlog_type damage_type = {"tlog", "damage", TLOG_MEANS_DAMAGE, 8, 0, NULL, NULL};

static void numbers_are_shown_by_name(void **state)
{
    (void)state;
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "sensor");
    add(&wait_type, 1000, 1, "\0\0\0\0\2\0\0\0\0\0\0\0", 12);
    add(&wait_type, 2000, 1, "\1\0\0\0\0\0\0\0\7\0\0\0", 12)->flags = TLOG_FLAG_DERIVED;
    add(&wait_type, 3000, 0, "\x21\0\0\0\0\0\0\0\0\0\0\0", 12)->context = 25;
    check_lines(&writer_text, 0,
                "cpus=1\n"
                "          sensor-1     [000]     0.000001000: wait:                 task=idle mutex=0x2\n"
                "          sensor-1     [000]     0.000002000: wait:                 task=sensor mutex=0x0 level=7\n"
                "          <idle>-0     [000]     0.000003000: wait:                 task=0x21 mutex=0x0\n");
}

/* Objects have names by number or address; those of each kind are their own. */
static void objects_are_shown_by_name(void **state)
{
    static const struct tlog_field fields[] = {{"timer", TLOG_KIND_TIMER, 0, 4}, {"queue", TLOG_KIND_OBJECT + 1, 4, 4}};
    static const struct tlog_type type = {"shark", "send", TLOG_MEANS_PLAIN, 8, 2, fields, NULL};
    (void)state;
    trace_set_name(&trace, TRACE_NAME_OBJECT + 4, 0x20001234, "tick");
    trace_set_name(&trace, TRACE_NAME_OBJECT + 1, 0, "first");
    add(&type, 1000, 1, "\x34\x12\0\x20\0\0\0\0", 8);
    add(&type, 2000, 1, "\0\0\0\0\x34\x12\0\x20", 8);
    check_lines(&writer_text, 0,
                "cpus=1\n"
                "           <...>-1     [000]     0.000001000: send:                 timer=tick queue=first\n"
                "           <...>-1     [000]     0.000002000: send:                 timer=0x0 queue=0x20001234\n");
}

/* The marks of what was lost on a CPU add up until its next event, and damage is a loss, as in trace.dat. */
static void losses_stand_before_the_next_event(void **state)
{
    (void)state;
    add(&loss_type, 1, 0, "\x11\0\0\0\0\0\0\0", 8);
    add(&damage_type, 1, 0, "\x03\0\0\0\0\0\0\0", 8);
    add(&wait_type, 7, 0, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
    add(&loss_type, 8, 0, "\4\0\0\0\0\0\0\0", 8);
    add(&loss_type, 8, 0, "\0\0\0\0\0\0\0\0", 8);
    add(&wait_type, 3000, 0, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
    add(&wait_type, 2000, 0, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
    add(&loss_type, 2500, 4, "\5\0\0\0\0\0\0\0", 8);
    check_lines(&writer_text, 3,
                "cpus=1\n"
                "CPU:3 [20 EVENTS DROPPED]\n"
                "          <idle>-0     [003]     0.000000007: wait:                 task=0 mutex=0x0\n"
                "CPU:3 [EVENTS DROPPED]\n"
                "          <idle>-0     [003]     0.000003000: wait:                 task=0 mutex=0x0\n"
                "          <idle>-0     [003]     0.000002000: wait:                 task=0 mutex=0x0\n"
                "CPU:3 [5 EVENTS DROPPED]\n"
                "           <...>-4     [003]     0.000003011: end_of_trace:         no event was kept behind the loss"
                "\n");
}

/* Fields that the payload does not have are 0 or empty; a print format that is not understood is none. */
static void broken_events_are_shown(void **state)
{
    static const struct tlog_field fields[] = {{"n", TLOG_KIND_SIGNED, 0, 4}, {"s", TLOG_KIND_STRING, 4, 4}};
    static const char *const prints[] = {
        "\"<%03d|%s>\", REC->n, __get_str(s)",
        "\"%d\", REC->n + 1",
        "\"%d\", REC->none",
        "\"%s %d\", REC->n ? \"yes\" : \"no\", REC->n",
        "\"%d%%\", REC->n",
        "\"%s\", __print_flags(REC->n, \"|\", { 2, \"B\" }, { 0, \"Z\" }, { 0xC, \"C\" })",
        "\"%s\", __print_flags(REC->n, \",\", { 2, \"B\" })",
        "\"%s\", REC->n",
        "\"%d %d\", REC->n",
        "\"unfinished"};
    static struct tlog_type types[sizeof prints / sizeof prints[0]];
    (void)state;
    for (unsigned i = 0; i < sizeof prints / sizeof prints[0]; i++) {
        types[i] = (struct tlog_type){"x", "e", TLOG_MEANS_PLAIN, 8, 2, fields, prints[i]};
        add(&types[i], 1000, 0, "\xFE\xFF\xFF\xFF\x08\0\x04\0a\x1B\\\0", 12);
    }
    add(&types[0], 1000, 0, "\7\0\0\0\x09\0\x04\0abc\0", 12);
    add(&types[0], 1000, 0, "\7\0", 2);
#define LINE "          <idle>-0     [000]     0.000001000: e:                    "
    check_lines(&writer_text, 0,
                "cpus=1\n" LINE "<-02|a\\x1b\\>\n" LINE "n=-2 s=a\\x1b\\\n" LINE "n=-2 s=a\\x1b\\\n" LINE
                "yes -2\n" LINE "-2%\n" LINE "B|C|0xfffffffffffffff0\n" LINE "n=-2 s=a\\x1b\\\n" LINE
                "n=-2 s=a\\x1b\\\n" LINE "n=-2 s=a\\x1b\\\n" LINE "n=-2 s=a\\x1b\\\n" LINE "<007|>\n" LINE "<000|>\n");
}

/* Print formats as kernels have them: widths, casts that leave the number as it is, parentheses, and %Lu. */
static void formats_of_kernels_are_understood(void **state)
{
    static const struct tlog_field fields[] = {
        {"n", TLOG_KIND_UNSIGNED, 0, 8}, {"c", TLOG_KIND_CHARS, 8, 4}, {"s", TLOG_KIND_STRING, 12, 4}};
    static const char *const prints[] = {"\"run=%Lu [ns]\", (unsigned long long)REC->n",
                                         "\"<%5s|%-4s|%2s>\", REC->c, REC->c, __get_str(s)",
                                         "\"%3s|%-6s|%5d|%-3u|%#x\", REC->n ? \"a\" : \"b\", (REC->n ? \"get\" : "
                                         "\"set\"), (int)(REC->n), REC->n, REC->n",
                                         "\"%u\", (unsigned char)REC->n",
                                         "\"%u\", ((REC->n)",
                                         "\"%64s\", REC->c",
                                         "\"%.2s\", REC->c",
                                         "\"%.99u\", REC->n"};
    static struct tlog_type types[sizeof prints / sizeof prints[0]];
    (void)state;
    for (unsigned i = 0; i < sizeof prints / sizeof prints[0]; i++) {
        types[i] = (struct tlog_type){"x", "e", TLOG_MEANS_PLAIN, 16, 3, fields, prints[i]};
        add(&types[i], 1000, 0, "\7\0\0\0\0\0\0\0ab\0\0\x10\0\x04\0xyz\0", 20);
    }
    check_lines(&writer_text, 0,
                "cpus=1\n" LINE "run=7 [ns]\n" LINE "<   ab|ab  |xyz>\n" LINE "  a|get   |    7|7  |0x7\n" LINE
                "n=7 c=ab s=xyz\n" LINE "n=7 c=ab s=xyz\n" LINE "n=7 c=ab s=xyz\n" LINE "n=7 c=ab s=xyz\n" LINE
                "n=7 c=ab s=xyz\n");
}

/* sched_wakeup_new is shown as sched_wakeup is, and tells a name, too. */
static void new_tasks_wake_up_as_others(void **state)
{
    static const struct tlog_field fields[] = {{"comm", TLOG_KIND_CHARS, 0, 16},
                                               {"pid", TLOG_KIND_SIGNED, 16, 4},
                                               {"prio", TLOG_KIND_SIGNED, 20, 4},
                                               {"success", TLOG_KIND_SIGNED, 24, 4},
                                               {"target_cpu", TLOG_KIND_SIGNED, 28, 4}};
    static const struct tlog_type type = {"sched", "sched_wakeup_new",      TLOG_MEANS_PLAIN, 32, 5,
                                          fields,  "\"comm=%s\", REC->comm"};
    (void)state;
    add(&type, 1000, 0, "sh\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x09\0\0\0\x78\0\0\0\1\0\0\0\2\0\0\0", 32);
    add(&wait_type, 2000, 9, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
    check_lines(&writer_text, 0,
                "cpus=1\n"
                "          <idle>-0     [000]     0.000001000: sched_wakeup_new:     sh:9 [120] success=1 CPU:002\n"
                "              sh-9     [000]     0.000002000: wait:                 task=0 mutex=0x0\n");
}

static void all_fields_are_shown(void **state)
{
    enum { FIELDS = 100 };
    static struct tlog_field fields[FIELDS];
    static const struct tlog_type type = {"x", "e", TLOG_MEANS_PLAIN, 4, FIELDS, fields, NULL};
    char expected[2000] = "cpus=1\n          <idle>-0     [000]     0.000001000: e:                   ";
    (void)state;
    for (unsigned i = 0; i < FIELDS; i++) {
        fields[i] = (struct tlog_field){"n", TLOG_KIND_UNSIGNED, 0, 4};
        strcat(expected, " n=7");
    }
    add(&type, 1000, 0, "\7\0\0\0", 4);
    check_lines(&writer_text, 0, strcat(expected, "\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("numbers are shown by name", numbers_are_shown_by_name),
        test("objects are shown by name", objects_are_shown_by_name),
        test("losses stand before the next event", losses_stand_before_the_next_event),
        test("broken events are shown", broken_events_are_shown),
        test("formats of kernels are understood", formats_of_kernels_are_understood),
        test("new tasks wake up as others", new_tasks_wake_up_as_others),
        test("all fields are shown", all_fields_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
