/* test_writer.c - gives the trace.dat writer events that are made here and has other programs judge the files: see
 * harness.h. */
#define _GNU_SOURCE

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- whole files ------------------------------------------------------------------------------------------------- */

static void no_events_at_all_is_a_file(void **state)
{
    (void)state;
    begin(1);
    finish();
    judge();
}

static void no_cpus_at_all_is_a_file(void **state)
{
    (void)state;
    begin(0);
    finish();
    judge();
}

static void one_event_is_a_file(void **state)
{
    (void)state;
    begin(1);
    add_pair(0, 5000, 7);
    finish();
    judge();
    assert_int_equal(pages_in_file(), 1);
}

static void the_prologue_is_as_derived_by_hand(void **state)
{
    static const unsigned char expected[40] = {
        0x17, 0x08, 0x44, 't',  'r', 'a', 'c', 'i', 'n', 'g', '7', 0, /* magic, version "7" */
        0,    8,    0x00, 0x10, 0,   0,           /* little-endian, long of 8 bytes, pages of 4096 */
        'n',  'o',  'n',  'e',  0,   0,           /* compression "none" of version "" */
        0,    0,    0,    0,    0,   0,   0,   0, /* options: compared below */
        3,    0,    0,    0,    0,   0,   0,   0, /* section 3, no flags, string 0 */
    };
    unsigned char found[40];
    off_t chain;
    (void)state;
    begin(1);
    finish();
    chain = (off_t)number_in_file(24, 8);
    read_file(found, sizeof found, 0);
    memset(found + 24, 0, 8);
    assert_memory_equal(found, expected, sizeof expected);
    assert_int_equal(number_in_file(chain, 2), 0);       /* a section of options */
    assert_int_equal(number_in_file(chain + 16, 2), 16); /* whose first says where the headers are */
}

static void every_kind_and_size_is_shown(void **state)
{
    (void)state;
    begin(1);
    add_kinds(0, 1000);
    finish();
    judge();
}

static void texts_of_any_length_are_shown(void **state)
{
    (void)state;
    begin(1);
    for (unsigned i = 0; i < 120; i++)
        add_texts(0, 2000 + i, i, i % 115, i * 7 % 115);
    finish();
    judge();
}

static void a_text_that_does_not_end_is_not_shown(void **state)
{
    unsigned char data[16] = {0};
    (void)state;
    begin(1);
    memset(data + 12, 'x', 4); /* no NUL */
    put_number(data + 4, 12 | 4 << 16, 4);
    put_number(data + 8, 20 | 8 << 16, 4); /* outside of the payload, though the byte where it ends is 0 */
    give(0, &(struct tlog_event){
                .time = 5000, .data = data, .task = 2, .type = trace_type(&trace, &text_type), .size = 16});
    expect(0, 5000, 2, "text", "id=0 text= more=");
    add_pair(0, 5001, 1);
    add_pair(0, 5002, 2);
    finish();
    judge();
    assert_int_equal(number_in_file(4096 + 16 + 4 + 8 + 4, 8), UINT64_C(0x800000008)); /* both without length */
}

static void types_of_many_systems_come_as_they_are_used(void **state)
{
    static const struct tlog_type types[] = {
        {.system = "irq", .name = "one", .size = 8, .nfields = 2, .fields = pair_fields},
        {.system = "ftrace",
         .name = "two",
         .size = 8,
         .nfields = 2,
         .fields = pair_fields,
         .print = "\"<%d|%s>\", REC->par1, REC->par2 == 5 ? \"five\" : \"other\""},
        {.system = "irq", .name = "three", .size = 8, .nfields = 1, .fields = pair_fields},
        {.system = "qnx", .name = "four"},
    };
    static const char *const info[] = {"par1=1 par2=0x5", "<2|five>", "par1=3", ""};
    unsigned char data[8];
    (void)state;
    begin(1);
    trace_type(&trace, &lost); /* never used, and not an event */
    for (unsigned i = 0; i < 4; i++) {
        put_number(data, i + 1, 4);
        put_number(data + 4, 5, 4);
        give(0, &(struct tlog_event){.time = 1000 + i,
                                     .data = data,
                                     .task = 1,
                                     .type = trace_type(&trace, &types[i]),
                                     .size = types[i].size});
        flush();
        expect(0, 1000 + i, 1, types[i].name, info[i]);
    }
    finish();
    judge();
    run_prints("[Ftrace format, 1 events]\n[Events format, 3 systems]\n",
               "trace-cmd dump --summary --ftrace-events --systems %s | grep -o '\\[[EF].* format, .*\\]' | sort -r",
               path);
}

/* Give out an event of three numbers, and expect trace-cmd to show it so. */
static void add_named(const struct tlog_type *type, uint64_t time, uint32_t a, uint32_t b, uint32_t c, const char *info)
{
    unsigned char data[12];
    put_number(data, a, 4);
    put_number(data + 4, b, 4);
    put_number(data + 8, c, 4);
    give(0, &(struct tlog_event){.time = time, .data = data, .task = 9, .type = trace_type(&trace, type), .size = 12});
    flush();
    expect(0, time, 9, type->name, info);
}

/* Print formats have the names of tasks, interrupts and mutexes. A number without a name is hexadecimal, and decimal if
  * there are no names of the kind. No field that is 0 is missing but an optional one behind others, and no line begins
  * or ends with a blank. */
static void numbers_are_shown_by_name(void **state)
{
    static const struct tlog_field wait_fields[] = {
        {"context", TLOG_KIND_TASK, 0, 4}, {"mutex", TLOG_KIND_MUTEX, 4, 4}, {"level", TLOG_KIND_OPTIONAL, 8, 4}};
    static const struct tlog_field sleep_fields[] = {
        {"context", TLOG_KIND_TASK_OR_0, 0, 4}, {"irq", TLOG_KIND_INTERRUPT, 4, 4}, {"owner", TLOG_KIND_TASK, 8, 4}};
    static const struct tlog_field bare_fields[] = {
        {"par1", TLOG_KIND_OPTIONAL, 0, 4}, {"par2", TLOG_KIND_OPTIONAL, 4, 4}, {"par3", TLOG_KIND_OPTIONAL, 8, 4}};
    static const struct tlog_type wait = {"shark", "wait", TLOG_MEANS_PLAIN, 12, 3, wait_fields, NULL};
    static const struct tlog_type sleep = {"shark", "sleep", TLOG_MEANS_PLAIN, 12, 3, sleep_fields, NULL};
    static const struct tlog_type bare = {"shark", "bare", TLOG_MEANS_PLAIN, 12, 3, bare_fields, NULL};
    (void)state;
    begin(1);
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "a \"b\" \\c");
    trace_set_name(&trace, TRACE_NAME_TASK, 0x107A, "timer");
    trace_set_name(&trace, TRACE_NAME_TASK, UINT32_MAX, "last");
    trace_set_name(&trace, TRACE_NAME_MUTEX, 2, "bus");
    trace_set_name(&trace, TRACE_NAME_MUTEX, 0, "store");
    add_named(&wait, 1001, 0, 2, 0, "task=idle mutex=bus");
    add_named(&wait, 1002, 1, 0, 7, "task=a _b_ _c mutex=store level=7");
    add_named(&wait, 1003, UINT32_MAX, 9, 1, "task=last mutex=0x9 level=1");
    add_named(&wait, 1004, 0x107A, 1, 0, "task=timer mutex=0x1");
    add_named(&sleep, 1005, 0, 0, 0, "task=- irq=0 owner=idle");
    add_named(&sleep, 1006, 1, 17, 1, "task=a _b_ _c irq=17 owner=a _b_ _c");
    add_named(&bare, 1007, 0, 0, 0, "par1=0 par2=0 par3=0");
    add_named(&bare, 1008, 0, 5, 0, "par1=0 par2=5 par3=0");
    finish();
    judge();
}

/* Objects of an operating system have names by number or address, and those of each kind are their own. A kind with
 * more names than a print format should hold has none. */
static void objects_are_shown_by_name(void **state)
{
    static const struct tlog_field fields[] = {{"timer", TLOG_KIND_TIMER, 0, 4},
                                               {"queue", TLOG_KIND_OBJECT + 1, 4, 4},
                                               {"counter", TLOG_KIND_OBJECT_LAST, 8, 4}};
    static const struct tlog_type type = {"shark", "send", TLOG_MEANS_PLAIN, 12, 3, fields, NULL};
    (void)state;
    begin(1);
    trace_set_name(&trace, TRACE_NAME_OBJECT + 4, 0x20001234, "tick");
    trace_set_name(&trace, TRACE_NAME_OBJECT + 4, UINT32_MAX, "last");
    trace_set_name(&trace, TRACE_NAME_OBJECT + 1, 0, "first");
    for (uint32_t i = 0; i <= 4096; i++)
        trace_set_name(&trace, TRACE_NAME_KINDS - 1, i, "one of many");
    add_named(&type, 1001, 0x20001234, 0, 5, "timer=tick queue=first counter=0x5");
    add_named(&type, 1002, UINT32_MAX, 0x20001234, 5, "timer=last queue=0x20001234 counter=0x5");
    add_named(&type, 1003, 0, 0, 0, "timer=0x0 queue=first counter=0x0");
    finish();
    judge();
}

/* A trace of several boards has no names for such numbers: they mean something else on each. */
static void numbers_of_several_boards_stay_numbers(void **state)
{
    static const struct tlog_field fields[] = {
        {"context", TLOG_KIND_TASK, 0, 4}, {"mutex", TLOG_KIND_MUTEX, 4, 4}, {"irq", TLOG_KIND_INTERRUPT, 8, 4}};
    static const struct tlog_type type = {"shark", "wait", TLOG_MEANS_PLAIN, 12, 3, fields, NULL};
    (void)state;
    begin(1);
    trace.only_numbers = true;
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "one");
    trace_set_name(&trace, TRACE_NAME_MUTEX, 1, "one");
    trace_set_name(&trace, TRACE_NAME_IRQ, 1, "one");
    add_named(&type, 1001, 0, 0, 0, "task=0 mutex=0x0 irq=0");
    add_named(&type, 1002, 1, 1, 1, "task=1 mutex=0x1 irq=1");
    finish();
    judge();
}

static void a_trace_may_have_as_many_types_as_there_can_be(void **state)
{
    static struct tlog_type types[TRACE_TYPES_MAX];
    static char names[TRACE_TYPES_MAX][2][16];
    static const unsigned char data[8] = {3, 0, 0, 0, 4, 0, 0, 0};
    (void)state;
    begin(1);
    for (unsigned i = 0; i < TRACE_TYPES_MAX; i++) {
        snprintf(names[i][0], sizeof names[i][0], "system_%u", i % 13);
        snprintf(names[i][1], sizeof names[i][1], "event_%u", i);
        types[i] = pair;
        types[i].system = names[i][0];
        types[i].name = names[i][1];
        give(0, &(struct tlog_event){
                    .time = 1000 + i, .data = data, .task = 1, .type = trace_type(&trace, &types[i]), .size = 8});
        expect(0, 1000 + i, 1, names[i][1], "par1=3 par2=0x4");
    }
    finish();
    judge();
}

static void tasks_have_their_names(void **state)
{
    (void)state;
    begin(1);
    trace_set_name(&trace, TRACE_NAME_TASK, 0, "never shown");
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "idle task");
    trace_set_name(&trace, TRACE_NAME_TASK, 2, "  ");
    trace_set_name(&trace, TRACE_NAME_TASK, 3, "a name of thirty-one letters ok");
    trace_set_name(&trace, TRACE_NAME_TASK, UINT32_MAX, "not a pid");
    trace_set_name(&trace, TRACE_NAME_IRQ, 4, "not a task");
    for (uint32_t i = 0; i < 10; i++)
        if (i % 5 != 1)
            add_pair(0, 1000 + i, i);
    trace_set_name(&trace, TRACE_NAME_TASK, 5, "named late");
    for (unsigned i = 0; i < nlines; i++) { /* shown with the name, though written before it was known */
        char *unnamed = strstr(lines[i].text, "           <...>-5");
        if (unnamed != NULL)
            memcpy(unnamed, "      named late-5", 18);
    }
    finish();
    judge();
    run_prints("1 idle task\n3 a name of thirty-one letters ok\n5 named late\n",
               "trace-cmd dump --cmd-lines %s | grep '^[0-9]'", path);
}

static void without_a_frequency_times_are_plain_numbers(void **state)
{
    (void)state;
    trace.clock_hz = 0;
    begin(1);
    add_pair(0, 123456789, 1);
    finish();
    run_prints("1\n", "trace-cmd report %s | grep -c ' 123456789: pair: '", path);
}

static void the_file_says_where_it_comes_from(void **state)
{
    (void)state;
    trace_count_dropped(&trace, 0, 12);
    trace_count_overwritten(&trace, 1, 34);
    begin(2);
    add_loss(0, &lost, 1000, 5000000000);
    for (uint32_t i = 0; i < 500; i++)
        add_pair(0, 2000 + i, i);
    finish();
    run_prints("cpus=2\na board\n", "trace-cmd report --uname %s | head -2", path);
    free(run("trace-cmd report --version %s | grep -qx 'tlog-decode [0-9].*'", path));
    run_prints("CPU: 0\nentries: 0\noverrun: 0\ncommit overrun: 0\nbytes: 12288\noldest event ts:     0.000002\n"
               "now ts:     0.000002\ndropped events: 12\nread events: 500\nmarked as lost: 5000000000\n"
               "CPU: 1\nentries: 0\noverrun: 34\ncommit overrun: 0\nbytes: 0\ndropped events: 0\nread events: 0\n"
               "All CPUs\nentries: 0\noverrun: 34\ndropped events: 12\nunfinished events: 0\ndamaged events: 0\n"
               "damaged regions: 0\nread events: 0\nderived events: 0\n",
               "trace-cmd report --stat %s | sed '1,/zero/d;/recorded/,$d' | grep .", path);
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

static void a_loss_is_told_before_the_next_event(void **state)
{
    (void)state;
    begin(1);
    add_loss(0, &lost, 1500, 17);
    expect_loss(0, 2000, 17);
    add_pair(0, 2000, 1);
    add_pair(0, 2100, 2);
    add_loss(0, &damage, 2500, 0);
    expect_loss(0, 3000, 0);
    add_pair(0, 3000, 3);
    add_loss(0, &damage, 3001, 1);
    expect_loss(0, 3000 + 5 * UINT64_C(1000000000), 1);
    add_pair(0, 3000 + 5 * UINT64_C(1000000000), 4);
    finish();
    judge();
}

static void losses_in_a_row_add_up(void **state)
{
    (void)state;
    begin(1);
    add_pair(0, 1000, 1);
    add_loss(0, &lost, 1001, 10);
    add_loss(0, &damage, 1002, 5);
    expect_loss(0, 2000, 15);
    add_pair(0, 2000, 2);
    add_loss(0, &lost, 2001, 10);
    add_loss(0, &damage, 2002, 0); /* how many more is not known */
    expect_loss(0, 3000, 0);
    add_pair(0, 3000, 3);
    finish();
    judge();
}

static void a_loss_at_the_end_gets_an_event_of_its_own(void **state)
{
    (void)state;
    begin(3);
    add_pair(0, 1000, 1);
    add_loss(0, &lost, 1500, 4);
    expect_loss(0, 1500, 4);
    expect(0, 1500, 9, "end_of_trace", "no event was kept behind the loss");
    add_loss(1, &lost, 1600, 6); /* nothing but a loss */
    expect_loss(1, 1600, 6);
    expect(1, 1600, 9, "end_of_trace", "no event was kept behind the loss");
    add_pair(2, 1700, 1);
    add_loss(2, &lost, 1650, 0); /* stamped before the last event */
    expect_loss(2, 1711, 0);     /* libkshark shows the mark 10 ns before this, which is behind the last event */
    expect(2, 1711, 9, "end_of_trace", "no event was kept behind the loss");
    finish();
    judge();
    assert_int_equal(number_in_file(3 * 4096 + 8, 8), 12 | 0xC0000000); /* CPU 1: a word and the common fields */
}

static void a_count_is_as_large_as_readers_can_hold(void **state)
{
    static const uint64_t counts[] = {INT32_MAX - 1, INT32_MAX, (uint64_t)INT32_MAX + 1, 5000000000, UINT64_MAX};
    (void)state;
    begin(1);
    for (uint32_t i = 0; i < 5; i++) {
        add_loss(0, &lost, 2000 + i, counts[i]);
        if (i % 2)
            add_loss(0, &lost, 2000 + i, UINT64_MAX); /* the sum must not wrap */
        expect_loss(0, 2000 + i, i == 0 ? INT32_MAX - 1 : INT32_MAX);
        add_pair(0, 2000 + i, i);
    }
    finish();
    judge();
}

/* ---- CPUs -------------------------------------------------------------------------------------------------------- */

static void cpus_without_events_are_there(void **state)
{
    (void)state;
    begin(5);
    for (uint32_t i = 0; i < 1000; i++)
        add_pair(1, 1000 + 10 * i, i);
    for (uint32_t i = 0; i < 300; i++)
        add_pair(3, 1001 + 30 * i, i);
    finish();
    judge();
}

static void the_order_of_cpus_is_free_but_each_comes_whole(void **state)
{
    (void)state;
    begin(3);
    add_pair(2, 1000, 1);
    add_pair(0, 1010, 2);
    add_pair(1, 1020, 3);
    finish();
    judge();
}

/* Give an event that breaks the rules. The writer must refuse it with this message. */
static void refuse(unsigned cpu, const struct tlog_event *event, const char *error)
{
    batch.n = batch.used = 0;
    batch.event[batch.n++] = *event;
    assert_int_equal(variant.writer->write(writer, cpu, &batch), -1);
    assert_string_equal(trace.error, error);
    assert_int_equal(variant.writer->close(writer, false), 0);
    trace.failed = false;
    trace.ntypes = 0;
}

static void broken_rules_are_errors(void **state)
{
    static const unsigned char data[5000] = {0};
    struct tlog_event event = {.time = 5000, .data = data, .size = 8};
    (void)state;
    begin(2);
    trace_type(&trace, &pair);
    refuse(2, &event, "events of CPU 2 in a trace of 2 CPUs");
    begin(2);
    add_pair(0, 1000, 1);
    add_pair(1, 1000, 1);
    flush();
    refuse(0, &event, "the events of CPU 0 are not in one stretch");
    begin(1);
    refuse(0, &event, "event of type 0, which was not declared");
    begin(1);
    event.type = UINT16_MAX;
    refuse(0, &event, "event of type 65535, which was not declared");
    begin(1);
    event.size = 4057;
    event.type = trace_type(&trace, &pair);
    refuse(0, &event, "an event with 4057 bytes of payload is too long for trace.dat");
    begin(0);
    refuse(0, &event, "events of CPU 0 in a trace of 0 CPUs");
}

static void the_longest_event_fits_a_marked_page(void **state)
{
    static const unsigned char data[4056] = {0};
    (void)state;
    begin(1);
    for (unsigned i = 0; i < 3; i++) {
        add_loss(0, &lost, 1000 + i, 1);
        flush();
        batch.event[batch.n++] = (struct tlog_event){
            .time = 1000 + i, .data = data, .task = 1, .type = trace_type(&trace, &pair), .size = sizeof data};
        flush();
        expect_loss(0, 1000 + i, 1);
        expect(0, 1000 + i, 1, "pair", "par1=0 par2=0x0");
    }
    finish();
    judge();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("no events at all is a file", no_events_at_all_is_a_file),
        test("no CPUs at all is a file", no_cpus_at_all_is_a_file),
        test("one event is a file", one_event_is_a_file),
        test("the prologue is as derived by hand", the_prologue_is_as_derived_by_hand),
        test("every kind and size is shown", every_kind_and_size_is_shown),
        test("texts of any length are shown", texts_of_any_length_are_shown),
        test("a text that does not end is not shown", a_text_that_does_not_end_is_not_shown),
        test("numbers are shown by name", numbers_are_shown_by_name),
        test("objects are shown by name", objects_are_shown_by_name),
        test("numbers of several boards stay numbers", numbers_of_several_boards_stay_numbers),
        test("types of many systems come as they are used", types_of_many_systems_come_as_they_are_used),
        test("a trace may have as many types as there can be", a_trace_may_have_as_many_types_as_there_can_be),
        test("tasks have their names", tasks_have_their_names),
        test("without a frequency times are plain numbers", without_a_frequency_times_are_plain_numbers),
        test("the file says where it comes from", the_file_says_where_it_comes_from),
        test("a loss is told before the next event", a_loss_is_told_before_the_next_event),
        test("losses in a row add up", losses_in_a_row_add_up),
        test("a loss at the end gets an event of its own", a_loss_at_the_end_gets_an_event_of_its_own),
        test("a count is as large as readers can hold", a_count_is_as_large_as_readers_can_hold),
        test("CPUs without events are there", cpus_without_events_are_there),
        test("the order of CPUs is free but each comes whole", the_order_of_cpus_is_free_but_each_comes_whole),
        test("broken rules are errors", broken_rules_are_errors),
        test("the longest event fits a marked page", the_longest_event_fits_a_marked_page),
    };
    begin_tests();
    return end_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
