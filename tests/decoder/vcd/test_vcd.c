/* test_vcd.c - value change dumps, compared with such that were written by hand. That they show what the rows of the
 * same input tell, and that other programs read them, is checked by tests/decoder/vcd/vcd.sh. */
#include "decoder/model/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct trace_writer writer_vcd, writer_vcd_wires;

#define TOP     "$version tlog-decode $end\n$timescale 1 ns $end\n$scope module tlog $end\n"
#define UP      "$upscope $end\n"
#define SCOPE   "$scope module "
#define BOTTOM  UP UP "$enddefinitions $end\n"
#define CPU     SCOPE "cpus $end\n$var string 1 "
#define CPU_END " cpu0_gaps [31:0] $end\n" UP

static const struct tlog_field switch_fields[] = {{"prev_comm", TLOG_KIND_CHARS, 0, 8},
                                                  {"prev_pid", TLOG_KIND_SIGNED, 8, 4},
                                                  {"prev_state", TLOG_KIND_SIGNED, 12, 4},
                                                  {"next_comm", TLOG_KIND_CHARS, 16, 8},
                                                  {"next_pid", TLOG_KIND_SIGNED, 24, 4}};
static const struct tlog_type switch_type = {"sched", "sched_switch", TLOG_MEANS_PLAIN, 28, 5, switch_fields, NULL};
static const struct tlog_field waking_fields[] = {{"comm", TLOG_KIND_CHARS, 0, 8}, {"pid", TLOG_KIND_SIGNED, 8, 4}};
static const struct tlog_type waking_type = {"sched", "sched_waking", TLOG_MEANS_PLAIN, 12, 2, waking_fields, NULL};
static const struct tlog_field entry_fields[] = {{"irq", TLOG_KIND_SIGNED, 0, 4}, {"name", TLOG_KIND_CHARS, 4, 8}};
static const struct tlog_type entry_type = {"irq", "irq_handler_entry", TLOG_MEANS_PLAIN, 12, 2, entry_fields, NULL};
static const struct tlog_field exit_fields[] = {{"irq", TLOG_KIND_SIGNED, 0, 4}, {"ret", TLOG_KIND_SIGNED, 4, 4}};
static const struct tlog_type exit_type = {"irq", "irq_handler_exit", TLOG_MEANS_PLAIN, 8, 2, exit_fields, NULL};
static const struct tlog_field lock_fields[] = {{"context", TLOG_KIND_TASK, 0, 4}, {"mutex", TLOG_KIND_MUTEX, 4, 4}};
static const struct tlog_type lock_type = {"shark", "set_mutex_lock", TLOG_MEANS_PLAIN, 8, 2, lock_fields, NULL};
static const struct tlog_type unlock_type = {"shark", "set_mutex_unlock", TLOG_MEANS_PLAIN, 8, 2, lock_fields, NULL};
static const struct tlog_type wait_type = {"shark", "set_mutex_wait", TLOG_MEANS_LOCK, 8, 2, lock_fields, NULL};
static const struct tlog_field value_field[] = {{"value", TLOG_KIND_SIGNED, 0, 4}};
static const struct tlog_type counter_type = {"user", "depth", TLOG_MEANS_PLAIN, 4, 1, value_field, NULL};

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void add_switch(uint64_t time, uint8_t from, uint8_t state, uint8_t to)
{
    char data[28] = {0};
    snprintf(data, 8, "t%u", from);
    snprintf(data + 16, 8, "t%u", to);
    data[8] = (char)from;
    data[12] = (char)state;
    data[24] = (char)to;
    add(&switch_type, time, from, data, sizeof data);
}

static void add_waking(uint64_t time, const char *comm, uint8_t pid)
{
    char data[12] = {0};
    snprintf(data, 8, "%s", comm);
    data[8] = (char)pid;
    add(&waking_type, time, 0, data, sizeof data);
}

/* The part of what the writer makes of the batch that begins with that text must be the expected one. */
static void check_from(const struct trace_writer *writer, const char *begin, const char *expected)
{
    char *text = write_batch(writer, 0);
    const char *at = strstr(text, begin);
    assert_non_null(at);
    assert_string_equal(at, expected);
    free(text);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* What runs before the first switch is known by it. A wait tells its reason, and a loss makes all unknown. */
static void states_follow_switches_and_wakeups(void **state)
{
    (void)state;
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "net rx");
    trace_set_name(&trace, TRACE_NAME_MUTEX, 2, "bus");
    add_waking(1000, "t2", 2);
    add_switch(2000, 1, 0, 2);
    add(&wait_type, 2500, 2, "\2\0\0\0\2\0\0\0", 8);
    add_switch(3000, 2, 1, 0);
    add(&trace_loss_type, 4000, 0, "\x11\0\0\0\0\0\0\0", 8);
    add_switch(5000, 1, 0, 2);
    check_lines(&writer_vcd, 0,
                TOP CPU
                "$ cpu0_task $end\n$var wire 1 % cpu0_idle $end\n$var reg 64 & cpu0_lost [63:0] $end\n"
                "$var reg 32 '" CPU_END SCOPE "tasks $end\n"
                "$var wire 1 ( net_rx $end\n$var wire 1 ) net_rx_ready $end\n$var string 1 * net_rx_state $end\n"
                "$var wire 1 ! t2 $end\n$var wire 1 \" t2_ready $end\n$var string 1 # t2_state $end\n" UP SCOPE
                "events $end\n$var event 1 + set_mutex_wait $end\n$var string 1 , set_mutex_wait_in $end\n"
                "$var reg 32 - set_mutex_wait_task [31:0] $end\n$var string 1 . set_mutex_wait_task_name $end\n"
                "$var reg 32 / set_mutex_wait_mutex [31:0] $end\n"
                "$var string 1 0 set_mutex_wait_mutex_name $end\n" BOTTOM
                "#1000\n$dumpvars\nsnet\\040rx $\n0%\nb0 &\nb0 '\n1(\n0)\nsrunning *\nx!\nx\"\nsx #\n"
                "bx -\nbx /\n$end\n"
                "0!\n1\"\nsready #\n"
                "#2000\n0(\n1)\nsready *\n1!\n0\"\nsrunning #\n0%\nst2 $\n"
                "#2500\n1+\nstask-2 ,\nb10 -\ns2 .\nb10 /\nsbus 0\n"
                "#3000\n0!\nsblocked:\\040mutex\\040bus #\n1%\nsidle $\n"
                "#4000\nb10001 &\nb1 '\nx%\nsx $\nx!\nx\"\nsx #\nx(\nx)\nsx *\n"
                "#5000\n0(\n1)\nsready *\n1!\n0\"\nsrunning #\n0%\nst2 $\n");
}

static void a_switch_from_another_task_than_the_one_that_ran_makes_it_unknown(void **state)
{
    (void)state;
    add_switch(1000, 1, 0, 2);
    add_switch(2000, 3, 0, 1);
    check_from(&writer_vcd_wires, "#2000", "#2000\nx(\nx)\n0+\n1,\n1%\n0&\n");
}

static void interrupts_and_mutexes_begin_as_their_first_event_tells(void **state)
{
    (void)state;
    add(&exit_type, 1000, 0, "\7\0\0\0\1\0\0\0", 8);
    add(&entry_type, 1500, 0,
        "\x9\0\0\0"
        "adc\0\0\0\0\0",
        12);
    add(&unlock_type, 2000, 1, "\1\0\0\0\4\0\0\0", 8);
    add(&lock_type, 3000, 1, "\1\0\0\0\4\0\0\0", 8);
    add(&lock_type, 3500, 1, "\1\0\0\0\4\0\0\0", 8);
    add(&unlock_type, 4000, 1, "\1\0\0\0\4\0\0\0", 8);
    add(&unlock_type, 4500, 1, "\1\0\0\0\4\0\0\0", 8);
    add(&trace_damage_type, 5000, 0, "\0\0\0\0\0\0\0\0", 8);
    check_from(&writer_vcd, SCOPE "interrupts",
               SCOPE "interrupts $end\n$var wire 1 ! irq_7 $end\n$var wire 1 \" irq_adc $end\n" UP SCOPE
                     "mutexes $end\n$var wire 1 # mutex_0x4 $end\n$var string 1 $ mutex_0x4_owner $end\n" BOTTOM
                     "#1000\n$dumpvars\nsx %\nx&\nb0 '\nb0 (\n1!\n0\"\n1#\nsx $\n$end\n"
                     "0!\n#1500\n1\"\n#2000\n0#\ns- $\n#3000\n1#\nstask-1 $\n#4500\n0#\ns- $\n"
                     "#5000\nb0 '\nb1 (\nx\"\nx!\nx#\nsx $\n");
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void names_are_made_of_letters_and_are_all_different(void **state)
{
    (void)state;
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "a.b");
    trace_set_name(&trace, TRACE_NAME_TASK, 2, "a[b");
    trace_set_name(&trace, TRACE_NAME_TASK, 3, "a_b_ready");
    trace_set_name(&trace, TRACE_NAME_TASK, 4, "4x");
    trace_set_name(&trace, TRACE_NAME_TASK, 5, "$end");
    for (uint8_t i = 1; i <= 5; i++)
        add_waking(1000, "", i);
    check_from(&writer_vcd_wires, SCOPE "tasks",
               SCOPE "tasks $end\n$var wire 1 ! a_b $end\n$var wire 1 \" a_b_ready $end\n"
                     "$var wire 1 $ a_b_2 $end\n$var wire 1 % a_b_ready_2 $end\n"
                     "$var wire 1 ' a_b_ready_3 $end\n$var wire 1 ( a_b_ready_ready $end\n"
                     "$var wire 1 * _4x $end\n$var wire 1 + _4x_ready $end\n"
                     "$var wire 1 - _end $end\n$var wire 1 . _end_ready $end\n" BOTTOM
                     "#1000\n$dumpvars\nx!\nx\"\nx$\nx%\nx'\nx(\nx*\nx+\nx-\nx.\n$end\n"
                     "0!\n1\"\n0$\n1%\n0'\n1(\n0*\n1+\n0-\n1.\n");
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void fields_have_the_types_that_they_have(void **state)
{
    static const struct tlog_field fields[] = {{"u", TLOG_KIND_UNSIGNED, 0, 8}, {"s", TLOG_KIND_SIGNED, 8, 2},
                                               {"t", TLOG_KIND_STRING, 12, 4},  {"b", TLOG_KIND_BYTES, 10, 2},
                                               {"r", TLOG_KIND_SIGNED, 0, 8},   {"r_text", TLOG_KIND_STRING, 16, 4},
                                               {"m", TLOG_KIND_UNSIGNED, 10, 1}};
    static const struct tlog_type type = {
        "own", "all", TLOG_MEANS_PLAIN, 20, 7, fields, "\"m=%s\", __print_symbolic(REC->m, { 1, \"ON A\" })"};
    (void)state;
    add(&type, 1000, 0, "\xff\xff\xff\xff\xff\xff\xff\x7f\xfe\xff\1\2\x14\0\3\0\x17\0\5\0a\\\n-1.5\0", 28);
    add(&type, 2000, 0, "\5\0\0\0\0\0\0\0\1\0\2\0\x14\0\1\0\x15\0\6\0\0nan 1\0", 28);
    add(&type, 3000, 0, "\5\0\0\0\0\0\0\0", 8);
    add(&counter_type, 3000, 0, "\xf6\xff\xff\xff", 4);
    check_from(&writer_vcd, SCOPE "counters",
               SCOPE
               "counters $end\n$var real 64 * depth $end\n" UP SCOPE "events $end\n"
               "$var event 1 ! all $end\n$var string 1 \" all_in $end\n$var reg 64 # all_u [63:0] $end\n"
               "$var integer 16 $ all_s $end\n$var string 1 % all_t $end\n$var string 1 & all_b $end\n"
               "$var real 64 ' all_r $end\n$var reg 8 ( all_m [7:0] $end\n$var string 1 ) all_m_name $end\n" BOTTOM
               "#1000\n$dumpvars\nbx #\nbx $\nbx (\n$end\n"
               "1!\nsidle \"\nb111111111111111111111111111111111111111111111111111111111111111 #\n"
               "b1111111111111110 $\nsa\\134\\012 %\ns0102 &\nr-1.5 '\nb1 (\nsON\\040A )\n"
               "#2000\n1!\nb101 #\nb1 $\ns %\ns0200 &\nb10 (\ns0x2 )\n"
               "#3000\n1!\nb101 #\nr-10 *\n");
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* Times never go back, and the file ends at the last one, though nothing has changed there. */
static void times_are_steps_of_the_time_scale(void **state)
{
    struct trace_options options = {.given = TRACE_OPTION_TIMESCALE, .timescale = 1000};
    int fd = new_file();
    void *writer = writer_vcd_wires.open(&trace, &options, fd);
    char *text;
    (void)state;
    assert_non_null(writer);
    add(&entry_type, 5999, 0, "\7\0\0\0x\0\0\0\0\0\0\0", 12);
    add(&exit_type, 6000, 0, "\7\0\0\0\1\0\0\0", 8);
    add(&entry_type, 4000, 0, "\7\0\0\0x\0\0\0\0\0\0\0", 12);
    add(&counter_type, 9000, 0, "\1\0\0\0", 4);
    add(&counter_type, 9999, 0, "\1\0\0\0", 4)->flags = TLOG_FLAG_DERIVED;
    assert_int_equal(writer_vcd_wires.write(writer, 0, &batch), 0);
    assert_int_equal(writer_vcd_wires.close(writer, true), 0);
    text = contents(fd);
    assert_non_null(strstr(text, "$timescale 1 us $end\n"));
    assert_string_equal(strstr(text, "#5\n"), "#5\n$dumpvars\n0!\n$end\n1!\n#6\n0!\n1!\n#9\n");
    free(text);
    close(fd);
}

static void a_trace_without_events_is_a_header(void **state)
{
    (void)state;
    check_lines(&writer_vcd, 0, TOP UP "$enddefinitions $end\n");
    trace.clock_hz = 0;
    check_from(&writer_vcd, "$comment",
               "$comment the clock's frequency is not known: times are ticks, not ns $end\n"
               "$timescale 1 ns $end\n$scope module tlog $end\n" UP "$enddefinitions $end\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("states follow switches and wake-ups", states_follow_switches_and_wakeups),
        test("a switch from another task than the one that ran makes it unknown",
             a_switch_from_another_task_than_the_one_that_ran_makes_it_unknown),
        test("interrupts and mutexes begin as their first event tells",
             interrupts_and_mutexes_begin_as_their_first_event_tells),
        test("names are made of letters and are all different", names_are_made_of_letters_and_are_all_different),
        test("fields have the types that they have", fields_have_the_types_that_they_have),
        test("times are steps of the time scale", times_are_steps_of_the_time_scale),
        test("a trace without events is a header", a_trace_without_events_is_a_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
