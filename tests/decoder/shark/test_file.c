/* test_file.c - raw S.Ha.R.K. trace files, read and written: each row of the manual's tables, bit for bit, and names.
 *
 * To be run from the top of the repository, with BUILD in the environment.
 */
#include "harness.h"
#include "lib/tier.h"
#include "model/module.h"

#include "cli/formats.h"
#include "events/shark_types.h"
#include "model/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the manual's tables ----------------------------------------------------------------------------------------- */

/* What the records of judges/shark.py are to be, in its order. Where the manual gives par1 and par2 a meaning, they are
 * 100 + row and 0x10000 + row; else they are 0, and shown if the decoder has a name for them or for none of them. */
static const char *const rows[] = {
    "trace_start: context=0 clk_per_msec=1000000",
    "cycles_per_msec: clk_per_msec=1000000",
    "trace_stop: par1=0 par2=0",
    "blackout_start: ticks_ago=0",
    "blackout_end: count=0",
    "id: context=105 pid=65541",
    "numevents: count=0",
    "ipoint: number=107",
    "task_create: context=108 pid=65544",
    "task_activate: context=109",
    "task_dispatch: par1=0 par2=0",
    "task_epilogue: par1=0 par2=0",
    "task_end: context=112 pid=65548",
    "task_begin_cycle: context=0",
    "task_end_cycle: context=114 level=65550",
    "task_sleep: context=0",
    "task_schedule: exec_shadow=116 exec=65552",
    "task_timer: context=117 level=65553",
    "task_disable: context=0 level=0",
    "task_deadline_miss: context=119 level=0",
    "task_wcet_violation: context=120 level=0",
    "interrupt_start: number=121",
    "interrupt_end: number=122",
    "interrupt_hit: number=123",
    "interrupt_count: number=0 count=65560",
    "to_real_mode: par1=0 par2=0",
    "to_protected_mode: par1=0 par2=0",
    "CLI: par1=0 par2=0",
    "STI: par1=0 par2=0",
    "set_priority: context=0 priority=0",
    "context_switch: context=130",
    "inheritance: exec_shadow=131 exec=65567",
    "set_mutex_create: context=0 mutex=0",
    "set_mutex_lock: context=133 mutex=65569",
    "set_mutex_inherit: context=0 mutex=0",
    "set_mutex_unlock: context=135 mutex=65571",
    "unknown_mutex_unlock: code=0x43 par1=136 par2=65572",
    "set_mutex_wait: context=137 mutex=65573",
    "set_mutex_post: context=138 mutex=65574",
    "signal: context=0 signal=0",
    "server_create: server=65576",
    "server_replenish: server=65577",
    "server_exhaust: server=65578",
    "server_reclaiming: server=65579",
    "server_remove: server=65580",
    "server_active: context=0 server=65581",
    "server_using_rec: reclaiming=146 server=65582",
    "user_event_0: par1=147 par2=65583",
    "user_event_1: par1=148 par2=65584",
    "user_event_2: par1=149 par2=65585",
    "user_event_3: par1=150 par2=65586",
    "user_event_4: par1=151 par2=65587",
    "user_event_5: par1=152 par2=65588",
    "user_event_6: par1=153 par2=65589",
    "user_event_7: par1=154 par2=65590",
    "user_event_8: par1=155 par2=65591",
    "user_event_9: par1=156 par2=65592",
    "user_event_10: par1=157 par2=65593",
    "user_event_11: par1=158 par2=65594",
    "user_event_12: par1=159 par2=65595",
    "user_event_13: par1=160 par2=65596",
    "user_event_14: par1=161 par2=65597",
    "data_pointer: type=162 address=0x1003e",
    "timer_post: context=0 timer=0",
    "timer_delete: context=0 timer=0",
    "timer_wakeup_start: context=0 timer=0",
    "timer_wakeup_end: context=166 timer=0",
    "filter_trace_Events: status=167",
    "filter_ipoint: status=168",
    "filter_task: status=169",
    "filter_interrupt: status=170",
    "filter_CPU: status=171",
    "filter_priority: status=172",
    "filter_mutex: status=173",
    "filter_signal: status=174",
    "filter_server: status=175",
    "filter_user: status=176",
    "filter_data: status=177",
    "filter_timer: status=178",
};

static void make_golden(void)
{
    command("python3 tests/judges/shark.py %s", in_path);
    load(in_path, &in);
    assert_int_equal(in.n, 16 * COUNT(rows));
}

/* Whether a hexadecimal number begins at `at` that is the decimal one at *row; then both pointers are moved to the last
 * digits. */
static bool is_same_number(const char **row, const char **at)
{
    char *row_end, *at_end;
    if (strncmp(*at, "0x", 2) != 0 || strtoull(*row, &row_end, 10) != strtoull(*at, &at_end, 16))
        return false;
    *row = row_end - 1;
    *at = at_end - 1;
    return true;
}

/* Whether the line has the time, and behind it the event of the row. Several blanks count as one; a hint in parentheses
 * may follow the event. Viewers are shown "task" for a context, but for that of trace_start, which may be none; and
 * mutexes and timers in hexadecimal. */
static bool shows(const char *line, const char *time, const char *row)
{
    const char *context = strstr(row, "context="), *task = strstr(line, " task=");
    const char *at = strstr(line, time),
               *handle = strstr(row, " mutex=") != NULL ? strstr(row, " mutex=") : strstr(row, " timer=");
    if (at == NULL)
        return false;
    handle += handle != NULL ? strlen(" mutex=") : 0;
    at += strlen(time);
    at += strspn(at, " ");
    at += strncmp(at, "shark:", 6) == 0 ? 6 : 0;
    for (; *row != '\0'; row++, at++) {
        if (row == context && task != NULL && at == task + 1) {
            row += strlen("context");
            at += strlen("task");
        }
        if (row == handle && is_same_number(&row, &at))
            continue;
        if (*at != *row)
            return false;
        at += *at == ' ' ? strspn(at, " ") - 1 : 0;
    }
    return *at == '\n' || strncmp(at, " (", 2) == 0;
}

/* The text is a line to be skipped, then a line for each row. */
static void assert_rows(const char *text)
{
    text = strchr(text, '\n');
    for (size_t i = 0; i < COUNT(rows); i++) {
        char time[32];
        snprintf(time, sizeof time, " %" PRIu64 ".%09" PRIu64 ":", ((UINT64_C(1) << 32) + i * 1000000) / BILLION,
                 ((UINT64_C(1) << 32) + i * 1000000) % BILLION);
        assert_non_null(text);
        if (!shows(text + 1, time, rows[i]))
            fail_msg("expected %s %s, got %.120s", time, rows[i], text + 1);
        text = strchr(text + 1, '\n');
    }
}

static void every_row_decodes_to_text(void **state)
{
    (void)state;
    make_golden();
    assert_int_equal(convert(&writer_text_full), DECODE_WHOLE);
    assert_rows((const char *)out.data);
}

static void every_row_arrives_at_trace_cmd(void **state)
{
    char line[256];
    (void)state;
    make_golden();
    assert_int_equal(convert(&writer_tracedat), DECODE_WHOLE);
    save(out_path, out.data, out.n);
    snprintf(line, sizeof line, "trace-cmd report -t %%s >%s 2>/dev/null", in_path);
    command(line, out_path);
    load(in_path, &out);
    assert_rows((const char *)out.data);
    assert_int_equal(count_lines(&out, "0x36 in the original's header"), 1);
    assert_int_equal(count_lines(&out, " context="), 1);
    assert_int_equal(count_lines(&out, " mutex=0x"), 6);
    assert_int_equal(count_lines(&out, " timer=0x"), 4);
}

static void trace_dat_conforms(void **state)
{
    char line[256];
    (void)state;
    make_golden();
    assert_int_equal(decode_file(NULL, &writer_tracedat, TLOG_MAP_EXACT), DECODE_WHOLE);
    /* What runs is not known behind trace_stop, and known again by a later event. */
    snprintf(line, sizeof line, "sh tests/judges/conform.sh %s %%s %zu 0", build(), COUNT(rows) + 2u);
    command(line, out_path);
}

static void used_parameters_are_shown_always(void **state)
{
    (void)state;
    in.n = 0;
    add(&in, 0x52, 7, 1, 0);
    add(&in, 0x30, 0, 2, 9);
    add(&in, 0x08, 4, 3, 0);
    add(&in, 0x58, 5, 4, 6);
    assert_int_equal(convert(&writer_text_full), DECODE_WHOLE);
    assert_non_null(strstr((const char *)out.data, "task_begin_cycle: context=7\n"));
    assert_non_null(strstr((const char *)out.data, "trace_stop: par1=0 par2=9\n"));
    assert_non_null(strstr((const char *)out.data, "server_create: server=0 par1=4\n"));
    assert_non_null(strstr((const char *)out.data, "server_active: context=5 server=6\n"));
}

/* Whether the text in `out` has an event of the task, at that time in ms, that goes on with these words. */
static bool has_event(uint32_t task, unsigned ms, const char *with)
{
    char text[160];
    snprintf(text, sizeof text, "-%-5u [000]     0.%03u000000: %s", (unsigned)task, ms, with);
    return strstr((const char *)out.data, text) != NULL;
}

/* Two records tell the context that runs without a context_switch: trace_start, and timer_wakeup_end, behind whose
 * handler another one may run than before it. 0 tells nothing, as the manual says of trace_start. */
static void the_running_context_is_told(void **state)
{
    (void)state;
    in.n = 0;
    add(&in, 0x20, 256, 1000, 1000);
    add(&in, 0x01, 1, 2000, 0);
    add(&in, 0x2B, 0, 3000, 0);
    add(&in, 0x3B, 296, 4000, 0);
    add(&in, 0x01, 2, 5000, 0);
    add(&in, 0x3B, 296, 6000, 0);
    add(&in, 0x3B, 0, 7000, 0);
    add(&in, 0x15, 264, 8000, 0);
    add(&in, 0x20, 0, 9000, 1000);
    save(in_path, in.data, in.n);
    assert_int_equal(decode_file(&reader_shark, &writer_text_full, TLOG_MAP_FULL), DECODE_WHOLE);
    load(out_path, &out);
    assert_true(has_event(256, 1, "shark:trace_start: context=256"));
    assert_true(has_event(256, 2, "shark:ipoint: number=1"));
    assert_true(has_event(256, 3, "shark:timer_wakeup_start:"));
    assert_true(has_event(256, 4, "sched:sched_switch:"));
    assert_true(has_event(296, 5, "shark:ipoint: number=2"));
    assert_true(has_event(296, 6, "shark:timer_wakeup_end: context=296"));
    assert_true(has_event(296, 7, "shark:timer_wakeup_end: context=0"));
    assert_true(has_event(296, 8, "sched:sched_switch:"));
    assert_true(has_event(264, 9, "shark:trace_start: context=0"));
    assert_int_equal(count_lines(&out, "sched:sched_switch:"), 2);
    assert_int_equal(count_lines(&out, "sched:sched_waking:"), 0);
}

/* An invented record with the bytes that the reference gives it, and the first record of the file that comes as a
 * sample with S.Ha.R.K. */
static void known_bytes_decode(void **state)
{
    static const unsigned char made_up[16] = {0x09, 0,    0x34, 0x12, 1,    0,    0,    0,
                                              0x89, 0x67, 0x45, 0x23, 0xEF, 0xBE, 0xAD, 0xDE};
    static const unsigned char real[16] = {0x20, 0, 0, 1, 5, 0, 0, 0, 0xAE, 0x27, 0xBF, 0xA8, 0x7B, 0x9B, 5, 0};
    (void)state;
    memcpy(in.data, made_up, in.n = 16);
    assert_int_equal(convert(&writer_text_full), DECODE_WHOLE);
    assert_non_null(strstr((const char *)out.data, " 4886718345: shark:user_event_0: par1=4660 par2=3735928559\n"));
    memcpy(in.data, real, in.n = 16);
    assert_int_equal(convert(&writer_text_full), DECODE_WHOLE); /* 24305936302 ticks */
    assert_non_null(
        strstr((const char *)out.data, " 66.141661796: shark:trace_start: context=256 clk_per_msec=367483\n"));
}

static void unknown_codes_are_shown_as_they_are(void **state)
{
    (void)state;
    in.n = 0;
    add(&in, 0x0109, 1, 1, 2);
    add(&in, 0xFF, 1, 2, 2);
    add(&in, 0x8000, 1, 3, 2);
    add(&in, 0x1C, 1, 4, 2);
    assert_int_equal(convert(&writer_text_full), DECODE_WHOLE);
    assert_int_equal(count_lines(&out, "shark:unknown: code=0x109 par1=1 par2=2\n"), 1);
    assert_int_equal(count_lines(&out, "shark:unknown: code=0xff par1=1 par2=2\n"), 1);
    assert_int_equal(count_lines(&out, "shark:unknown: code=0x8000 par1=1 par2=2\n"), 1);
    assert_int_equal(count_lines(&out, "shark:unknown: code=0x1c par1=1 par2=2\n"), 1);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static void ticks_come_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 200000; i += tier_step(31)) {
        uint64_t hz = i % 3 == 0 ? random32() % 4000000000000u + 1u : random32() % BILLION + 1u;
        uint64_t t = ((uint64_t)random32() << 32 | random32()) >> (random32() % 40 + 14), ns;
        hz *= i % 3 == 0 ? random32() % 900 + 1u : 1u;
        ns = ticks_ns(t, hz);
        if (ns != UINT64_MAX)
            assert_int_equal(ticks_first(ns, hz) + ticks_rest(t, ns, hz), t);
    }
}

/* Any records, also of unknown codes and of the fast path, with any clock. */
static void files_come_back_to_the_bit(void **state)
{
    static const uint32_t clocks[] = {0, 25000, 367483, 1000000, 1000001, 3600000, 4294967295};
    (void)state;
    for (size_t i = 0; i < COUNT(clocks); i += tier_step(3)) {
        uint64_t ticks = 0x5A8BF27AE;
        in.n = 0;
        add(&in, 0x20, 1, ticks, clocks[i]);
        for (unsigned n = 0; n < 3000; n++)
            add(&in, (random32() & (n % 50 ? 0x80FFu : 0xFFFFu)) | 1u, random32() & 0xFFFFu, ticks += random32() % 5000,
                random32());
        assert_int_equal(convert(&writer_shark), DECODE_WHOLE);
        assert_is_input();
    }
}

static void a_mapping_has_no_effect(void **state)
{
    (void)state;
    make_golden();
    assert_int_equal(decode_file(NULL, &writer_shark, TLOG_MAP_FULL), DECODE_WHOLE);
    load(out_path, &out);
    assert_is_input();
}

/* Cut each line's beginning off, up to the bracket behind the CPU, and remove the first line and those of losses. */
static void strip(struct bytes *text)
{
    char *to = (char *)text->data, *line = strtok(to, "\n");
    for (line = strtok(NULL, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *at = strchr(line, ']');
        if (strncmp(line, "CPU:", 4) == 0 || at == NULL)
            continue;
        memmove(to, at, strlen(at) + 1u);
        to += strlen(to);
    }
    text->n = (size_t)(to - (char *)text->data);
}

static void a_dump_and_its_file_are_the_same(void **state)
{
    static const char *const options[] = {"--hz=25000000", "--hz=32768 --drops=20", "--hz=168000000 --cpus=3 --drops=9",
                                          "--hz=3600000001 --slots=64"};
    static const uint64_t clocks[] = {25000000, 32768, 168000000, 3600000001};
    char line[512];
    (void)state;
    for (size_t i = 0; i < COUNT(options); i++) {
        snprintf(line, sizeof line, "%s/gen_dump --events=2000 %s -o %%s", build(), options[i]);
        command(line, in_path);
        assert_int_equal(decode_file(&reader_native, &writer_text_full, TLOG_MAP_NATIVE), DECODE_WHOLE);
        load(out_path, &other);
        assert_int_equal(decode_file(&reader_native, &writer_shark, TLOG_MAP_NATIVE), DECODE_WHOLE);
        load(out_path, &in);
        clock_hz = clocks[i];
        assert_int_equal(convert(&writer_shark), DECODE_WHOLE);
        assert_is_input();
        assert_int_equal(convert(&writer_text_full), DECODE_WHOLE);
        clock_hz = 0;
        strip(&out);
        strip(&other);
        assert_int_equal(out.n, other.n);
        assert_memory_equal(out.data, other.data, out.n);
    }
}

static void only_records_are_written(void **state)
{
    static const struct tlog_type foreign = {"qnx", "traceevent", TLOG_MEANS_PLAIN, 8, 0, NULL, NULL};
    static struct trace_batch batch;
    static const unsigned char payload[8] = {1};
    struct trace trace;
    struct shark_types types;
    FILE *file = fopen(out_path, "wb");
    void *writer;
    (void)state;
    trace_init(&trace, "test");
    trace.quiet = true;
    trace.ncpus = 1;
    shark_types_declare(&types, &trace);
    batch.event[0] = (struct tlog_event){.data = payload, .size = 8, .type = trace_type(&trace, &foreign)};
    batch.event[1] = (struct tlog_event){.data = payload, .size = 8, .type = types.loss};
    batch.event[2] =
        (struct tlog_event){.data = payload, .size = 8, .type = shark_type(&types, 0x09), .flags = TLOG_FLAG_DERIVED};
    batch.event[3] = (struct tlog_event){.data = payload, .size = 8, .type = shark_type(&types, 0x09), .time = 5};
    batch.n = 4;
    writer = writer_shark.open(&trace, NULL, fileno(file));
    assert_int_equal(writer_shark.write(writer, 0, &batch), 0);
    assert_int_equal(writer_shark.close(writer, true), 0);
    fclose(file);
    trace_free(&trace);
    in.n = 0;
    add(&in, 0x09, 1, 5, 0);
    load(out_path, &out);
    assert_is_input();
}

static void a_cut_file_is_told(void **state)
{
    (void)state;
    make_golden();
    for (size_t n = in.n; n > 0; n -= n > tier_step(7) ? tier_step(7) : n) {
        in.n = n;
        assert_int_equal(convert(&writer_text_full), n % 16 == 0 ? DECODE_WHOLE
                                                     : n < 16    ? DECODE_NOTHING
                                                                 : DECODE_DAMAGED);
        assert_int_equal(count_lines(&out, "shark:"), n / 16);
    }
}

/* ---- recognising ------------------------------------------------------------------------------------------------- */

static enum trace_probe probe(void)
{
    struct trace trace;
    struct input *input;
    enum trace_probe answer;
    save(in_path, in.data, in.n);
    trace_init(&trace, "test");
    input = input_open(&trace, in_path, NULL);
    assert_non_null(input);
    answer = reader_shark.probe(input);
    input_close(input);
    trace_free(&trace);
    return answer;
}

static void files_are_recognised_by_content(void **state)
{
    (void)state;
    make_golden();
    assert_int_equal(probe(), TRACE_MAYBE);
    in.n -= 5;
    assert_int_equal(probe(), TRACE_MAYBE);
    in.n = 0;
    for (unsigned i = 0; i < 20000; i++)
        add(&in, i % 3 ? 0x15 : 0x03, i % 8, 1000000 + 70 * ((i + 5000) % 20000), 0);
    assert_int_equal(probe(), TRACE_MAYBE);
}

static void other_things_are_not(void **state)
{
    (void)state;
    in.n = 0;
    assert_int_equal(probe(), TRACE_NOT_MINE);
    memset(in.data, 0, in.n = 4096);
    assert_int_equal(probe(), TRACE_NOT_MINE);
    memset(in.data, 1, in.n = 4096);
    assert_int_equal(probe(), TRACE_NOT_MINE);
    for (size_t i = 0; i < 4096; i++)
        in.data[i] = (unsigned char)random32();
    assert_int_equal(probe(), TRACE_NOT_MINE);
    for (size_t i = 0; i < 4096; i++)
        in.data[i] = (unsigned char)("a line of plain text\n"[i % 21]);
    assert_int_equal(probe(), TRACE_NOT_MINE);
    in.n = 0;
    for (unsigned i = 0; i < 100; i++)
        add(&in, 0x09, i, 12345, i);
    assert_int_equal(probe(), TRACE_NOT_MINE);
    in.n = 0;
    for (unsigned i = 0; i < 100; i++)
        add(&in, 0x09, i, i % 2 ? 1000 + i : 100000 - i, i);
    assert_int_equal(probe(), TRACE_NOT_MINE);
    in.n = 0;
    add(&in, 0x09, 1, 5, 0);
    in.n--;
    assert_int_equal(probe(), TRACE_NOT_MINE);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The last two fields of a type are par1 and par2 of the record, under these names. */
static void has_parameters(const struct trace *trace, uint16_t number, const char *name, const char *one,
                           enum tlog_kind kind_one, const char *two, enum tlog_kind kind_two)
{
    const struct tlog_type *type = trace->types[number];
    const struct tlog_field *field = &type->fields[type->nfields - 2u];
    assert_string_equal(type->name, name);
    assert_string_equal(field[0].name, one);
    assert_int_equal(field[0].kind, kind_one);
    assert_int_equal(field[0].offset, type->size - 8u);
    assert_string_equal(field[1].name, two);
    assert_int_equal(field[1].kind, kind_two);
    assert_int_equal(field[1].offset, type->size - 4u);
}

/* A list in parentheses behind the name names the parameters; what a print format cannot call a field is not taken. */
static void events_get_the_names_firmware_gave(void **state)
{
    static struct shark_types types;
    struct trace trace;
    uint32_t code;
    (void)state;
    trace_init(&trace, "test");
    shark_types_declare(&types, &trace);
    trace_set_name(&trace, TRACE_NAME_EVENT, 0x09, "valve open");
    trace_set_name(&trace, TRACE_NAME_EVENT, 0x19, "valve-open");
    trace_set_name(&trace, TRACE_NAME_EVENT, 0x29, "context_switch");
    trace_set_name(&trace, TRACE_NAME_EVENT, 0x39, "user_event_3");
    trace_set_name(&trace, TRACE_NAME_EVENT, 0x15, "mine");
    trace_set_name(&trace, TRACE_NAME_EVENT, 0x1C, "gauge");
    trace_set_name(&trace, TRACE_NAME_EVENT, 0xFE, "last");
    trace_set_name(&trace, TRACE_NAME_EVENT, 0x49, "handover(task,mutex)");
    trace_set_name(&trace, TRACE_NAME_EVENT, 0x59, "adc(channel-a)");
    trace_set_name(&trace, TRACE_NAME_EVENT, 0x69, "odd(same,same)");
    trace_set_name(&trace, TRACE_NAME_EVENT, 0x79, "worse(1st,common_pid");
    trace_set_name(&trace, TRACE_NAME_EVENT, 0x89, "(irq,)");
    trace_set_name(&trace, TRACE_NAME_EVENT, 0x99, "sent(queue,counter)");
    trace_set_name(&trace, TRACE_NAME_EVENT, 0xA9, "set(timer,object)");
    trace_set_name(&trace, TRACE_NAME_EVENT, 0x1D, "own(irq,code)");
    shark_types_name(&types, &trace);
    assert_string_equal(trace.types[types.record[0x09]]->name, "valve_open");
    assert_string_equal(trace.types[types.record[0x19]]->name, "valve_open_2");
    assert_string_equal(trace.types[types.record[0x29]]->name, "context_switch_2");
    assert_string_equal(trace.types[types.record[0x39]]->name, "user_event_3");
    assert_string_equal(trace.types[types.record[0x15]]->name, "mine");
    assert_int_equal(trace.types[types.record[0x15]]->means, TLOG_MEANS_SWITCH);
    assert_string_equal(trace.types[shark_type(&types, 0x1C)]->name, "gauge");
    assert_string_equal(trace.types[shark_type(&types, 0xFE)]->name, "last");
    assert_string_equal(trace.types[shark_type(&types, 0x1E)]->name, "unknown");
    has_parameters(&trace, types.record[0x09], "valve_open", "par1", TLOG_KIND_UNSIGNED, "par2", TLOG_KIND_UNSIGNED);
    has_parameters(&trace, types.record[0x49], "handover", "task", TLOG_KIND_TASK, "mutex", TLOG_KIND_MUTEX);
    has_parameters(&trace, types.record[0x99], "sent", "queue", TLOG_KIND_OBJECT + 1, "counter", TLOG_KIND_OBJECT_LAST);
    has_parameters(&trace, types.record[0xA9], "set", "timer", TLOG_KIND_TIMER, "object", TLOG_KIND_OBJECT);
    has_parameters(&trace, types.record[0x0B], "timer_post", "context", TLOG_KIND_TASK, "timer", TLOG_KIND_TIMER);
    has_parameters(&trace, types.record[0x59], "adc", "channel_a", TLOG_KIND_UNSIGNED, "par2", TLOG_KIND_UNSIGNED);
    has_parameters(&trace, types.record[0x69], "odd", "same", TLOG_KIND_UNSIGNED, "par2", TLOG_KIND_UNSIGNED);
    has_parameters(&trace, types.record[0x79], "worse", "par1", TLOG_KIND_UNSIGNED, "par2", TLOG_KIND_UNSIGNED);
    has_parameters(&trace, types.record[0x89], "user_event_8", "par1", TLOG_KIND_UNSIGNED, "par2", TLOG_KIND_UNSIGNED);
    has_parameters(&trace, shark_type(&types, 0x1D), "own", "irq", TLOG_KIND_INTERRUPT, "par2", TLOG_KIND_UNSIGNED);
    assert_int_equal(shark_origin(trace.types[shark_type(&types, 0x1D)], &code), SHARK_IN_PAYLOAD);
    assert_int_equal(shark_origin(trace.types[types.record[0x49]], &code), SHARK_KNOWN);
    assert_int_equal(code, 0x49);
    assert_int_equal(shark_origin(trace.types[shark_type(&types, 0x1C)], &code), SHARK_IN_PAYLOAD);
    assert_int_equal(shark_origin(trace.types[types.record[0x19]], &code), SHARK_KNOWN);
    assert_int_equal(code, 0x19);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_decodes_to_text),
        cmocka_unit_test(every_row_arrives_at_trace_cmd),
        cmocka_unit_test(trace_dat_conforms),
        cmocka_unit_test(used_parameters_are_shown_always),
        cmocka_unit_test(the_running_context_is_told),
        cmocka_unit_test(known_bytes_decode),
        cmocka_unit_test(unknown_codes_are_shown_as_they_are),
        cmocka_unit_test(ticks_come_back),
        cmocka_unit_test(files_come_back_to_the_bit),
        cmocka_unit_test(a_mapping_has_no_effect),
        cmocka_unit_test(a_dump_and_its_file_are_the_same),
        cmocka_unit_test(only_records_are_written),
        cmocka_unit_test(a_cut_file_is_told),
        cmocka_unit_test(files_are_recognised_by_content),
        cmocka_unit_test(other_things_are_not),
        cmocka_unit_test(events_get_the_names_firmware_gave),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
