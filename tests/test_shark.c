/* test_shark.c - raw S.Ha.R.K. trace files, in and out: every row of the manual's tables, bit for bit, order, clocks,
 * damage.
 *
 * Most tests go through decode(), from a file to a file. Run from the top of the repository, with BUILD in the
 * environment.
 */
#include "decode.h"
#include "modules.h"
#include "shark_types.h"
#include "ticks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FILE_BYTES   (1u << 20)
#define BILLION      1000000000u
#define FAST         0x8000u

static const struct trace_reader *const readers[] = {&reader_native, &reader_shark, NULL};
static char directory[] = "/tmp/test-shark-XXXXXX";
static char in_path[64], out_path[64]; /* libkshark wants names that end in .dat */

/* ---- files ------------------------------------------------------------------------------------------------------- */

struct bytes {
    size_t n;
    unsigned char data[FILE_BYTES];
};

static void save(const char *path, const void *data, size_t n)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, n, file), n);
    fclose(file);
}

static void load(const char *path, struct bytes *bytes)
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    bytes->n = fread(bytes->data, 1, FILE_BYTES - 1u, file);
    bytes->data[bytes->n] = '\0';
    fclose(file);
}

static void add(struct bytes *bytes, uint32_t code, uint32_t par1, uint64_t ticks, uint32_t par2)
{
    const uint32_t words[4] = {par1 << 16 | code, (uint32_t)(ticks >> 32), (uint32_t)ticks, par2};

    assert_true(bytes->n + 16u < FILE_BYTES);
    for (size_t i = 0; i < 16; i++)
        bytes->data[bytes->n++] = (unsigned char)(words[i / 4] >> 8 * (i % 4));
}

/* n user events from that time on, one tick apart; par1 counts. */
static void add_run(struct bytes *bytes, uint64_t from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        add(bytes, 0x09, i, from + i, 0);
}

/* A shell command with one %s, which must succeed. */
static void command(const char *format, const char *argument)
{
    char line[512];

    snprintf(line, sizeof line, format, argument);
    assert_int_equal(system(line), 0);
}

static const char *build(void)
{
    return getenv("BUILD") ? getenv("BUILD") : "build";
}

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

static uint64_t clock_hz; /* of --clock-hz */
static struct bytes in, out, other;

static enum decode_exit decode_file(const struct trace_reader *reader, const struct trace_writer *writer,
                                    enum map_mode map)
{
    struct decode_request request = {.input = in_path,
                                     .output = out_path,
                                     .readers = readers,
                                     .reader = reader,
                                     .writer = writer,
                                     .map = map,
                                     .clock_hz = clock_hz,
                                     .quiet = true};

    return decode(&request);
}

/* What is in `in`, written by a writer, to `out`. */
static enum decode_exit convert(const struct trace_writer *writer)
{
    enum decode_exit result;

    save(in_path, in.data, in.n);
    result = decode_file(&reader_shark, writer, MAP_NATIVE);
    out.n = 0;
    out.data[0] = '\0';
    if (result != DECODE_NOTHING)
        load(out_path, &out);
    return result;
}

static size_t count_lines(const struct bytes *text, const char *with)
{
    size_t n = 0;

    for (const char *at = (const char *)text->data; (at = strstr(at, with)) != NULL; at++)
        n++;
    return n;
}

/* Whether the n user events in `out` have the times first, first + 1 ... in ticks. */
static void assert_counts_up(uint64_t first, uint64_t n)
{
    const char *at = (const char *)out.data;

    for (uint64_t i = 0; i < n; i++) {
        char wanted[64];

        snprintf(wanted, sizeof wanted, " %" PRIu64 ": shark:user_event_0: ", first + i);
        at = strstr(at, wanted);
        assert_non_null(at);
    }
    assert_int_equal(count_lines(&out, "user_event_0"), n);
}

static void assert_is_input(void)
{
    assert_int_equal(out.n, in.n);
    assert_memory_equal(out.data, in.data, in.n);
}

static uint64_t random_state;

static uint32_t random32(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 32);
}

/* ---- the manual's tables ----------------------------------------------------------------------------------------- */

/* In the order of shark_golden.py, whose par1 is 100 + row and par2 0x10000 + row where the manual gives them a
 * meaning. */
static const char *const rows[] = {
    "trace_start: context=0 clk_per_msec=1000000",
    "cycles_per_msec: clk_per_msec=1000000",
    "trace_stop:",
    "blackout_start:",
    "blackout_end:",
    "id: context=105 pid=65541",
    "numevents:",
    "ipoint: number=107",
    "task_create: context=108 pid=65544",
    "task_activate: context=109",
    "task_dispatch:",
    "task_epilogue:",
    "task_end: context=112 pid=65548",
    "task_begin_cycle:",
    "task_end_cycle: context=114 level=65550",
    "task_sleep:",
    "task_schedule: exec_shadow=116 exec=65552",
    "task_timer: context=117 level=65553",
    "task_disable:",
    "task_deadline_miss: context=119",
    "task_wcet_violation: context=120",
    "interrupt_start: number=121",
    "interrupt_end: number=122",
    "interrupt_hit: number=123",
    "interrupt_count: count=65560",
    "to_real_mode:",
    "to_protected_mode:",
    "CLI:",
    "STI:",
    "set_priority:",
    "context_switch: context=130",
    "inheritance: exec_shadow=131 exec=65567",
    "set_mutex_create:",
    "set_mutex_lock: context=133 mutex=65569",
    "set_mutex_inherit:",
    "set_mutex_unlock: context=135 mutex=65571",
    "unknown_mutex_unlock: code=0x43 par1=136 par2=65572",
    "set_mutex_wait: context=137 mutex=65573",
    "set_mutex_post: context=138 mutex=65574",
    "signal:",
    "server_create: server=65576",
    "server_replenish: server=65577",
    "server_exhaust: server=65578",
    "server_reclaiming: server=65579",
    "server_remove: server=65580",
    "server_active: server=65581",
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
    "timer_post:",
    "timer_delete:",
    "timer_wakeup_start:",
    "timer_wakeup_end: context=166",
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
    command("python3 tests/shark_golden.py %s", in_path);
    load(in_path, &in);
    assert_int_equal(in.n, 16 * COUNT(rows));
}

/* A line's event, its blanks made single; behind it may stand a hint in brackets. */
static bool shows(const char *line, const char *time, const char *row)
{
    const char *at = strstr(line, time);

    if (at == NULL)
        return false;
    at += strlen(time);
    at += strspn(at, " ");
    at += strncmp(at, "shark:", 6) == 0 ? 6 : 0;
    for (; *row != '\0'; row++, at++) {
        if (*at != *row)
            return false;
        at += *at == ' ' ? strspn(at, " ") - 1 : 0;
    }
    at += strspn(at, " ");
    return *at == '\n' || *at == '(';
}

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
    assert_int_equal(convert(&writer_text), DECODE_WHOLE);
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
}

static void trace_dat_conforms(void **state)
{
    char line[256];

    (void)state;
    make_golden();
    assert_int_equal(decode_file(NULL, &writer_tracedat, MAP_EXACT), DECODE_WHOLE);
    snprintf(line, sizeof line, "sh tests/conform.sh %s %%s %zu 0", build(), COUNT(rows));
    command(line, out_path);
}

static void used_parameters_are_shown_always(void **state)
{
    (void)state;
    in.n = 0;
    add(&in, 0x52, 7, 1, 0);
    add(&in, 0x30, 0, 2, 9);
    add(&in, 0x08, 4, 3, 0);
    assert_int_equal(convert(&writer_text), DECODE_WHOLE);
    assert_non_null(strstr((const char *)out.data, "task_begin_cycle: context=7\n"));
    assert_non_null(strstr((const char *)out.data, "trace_stop: par2=9\n"));
    assert_non_null(strstr((const char *)out.data, "server_create: server=0 par1=4\n"));
}

/* From the reference: a made-up record, and the first one of the original's sample. */
static void known_bytes_decode(void **state)
{
    static const unsigned char made_up[16] = {0x09, 0,    0x34, 0x12, 1,    0,    0,    0,
                                              0x89, 0x67, 0x45, 0x23, 0xEF, 0xBE, 0xAD, 0xDE};
    static const unsigned char real[16] = {0x20, 0, 0, 1, 5, 0, 0, 0, 0xAE, 0x27, 0xBF, 0xA8, 0x7B, 0x9B, 5, 0};

    (void)state;
    memcpy(in.data, made_up, in.n = 16);
    assert_int_equal(convert(&writer_text), DECODE_WHOLE);
    assert_non_null(strstr((const char *)out.data, " 4886718345: shark:user_event_0: par1=4660 par2=3735928559\n"));
    memcpy(in.data, real, in.n = 16);
    assert_int_equal(convert(&writer_text), DECODE_WHOLE); /* 24305936302 ticks */
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
    assert_int_equal(convert(&writer_text), DECODE_WHOLE);
    assert_int_equal(count_lines(&out, "shark:unknown: code=0x109 par1=1 par2=2\n"), 1);
    assert_int_equal(count_lines(&out, "shark:unknown: code=0xff par1=1 par2=2\n"), 1);
    assert_int_equal(count_lines(&out, "shark:unknown: code=0x8000 par1=1 par2=2\n"), 1);
    assert_int_equal(count_lines(&out, "shark:unknown: code=0x1c par1=1 par2=2\n"), 1);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static void ticks_come_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t hz = i % 3 == 0 ? random32() % 4000000000000u + 1u : random32() % BILLION + 1u;
        uint64_t t = ((uint64_t)random32() << 32 | random32()) >> (random32() % 40 + 14), ns;

        hz *= i % 3 == 0 ? random32() % 900 + 1u : 1u;
        ns = ticks_ns(t, hz);
        if (ns != UINT64_MAX)
            assert_int_equal(ticks_first(ns, hz) + ticks_rest(t, ns, hz), t);
    }
}

/* Any records, unknown and fast ones too, under any clock. */
static void files_come_back_to_the_bit(void **state)
{
    static const uint32_t clocks[] = {0, 25000, 367483, 1000000, 1000001, 3600000, 4294967295};

    (void)state;
    for (size_t i = 0; i < COUNT(clocks); i++) {
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
    assert_int_equal(decode_file(NULL, &writer_shark, MAP_FULL), DECODE_WHOLE);
    load(out_path, &out);
    assert_is_input();
}

/* Lines without what stands before the time, and without marks of losses. */
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
        assert_int_equal(decode_file(&reader_native, &writer_text, MAP_NATIVE), DECODE_WHOLE);
        load(out_path, &other);
        assert_int_equal(decode_file(&reader_native, &writer_shark, MAP_NATIVE), DECODE_WHOLE);
        load(out_path, &in);
        clock_hz = clocks[i];
        assert_int_equal(convert(&writer_shark), DECODE_WHOLE);
        assert_is_input();
        assert_int_equal(convert(&writer_text), DECODE_WHOLE);
        clock_hz = 0;
        strip(&out);
        strip(&other);
        assert_int_equal(out.n, other.n);
        assert_memory_equal(out.data, other.data, out.n);
    }
}

static void only_records_are_written(void **state)
{
    static const struct trace_type foreign = {"qnx", "traceevent", TRACE_PLAIN, 8, 0, NULL, NULL};
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
    batch.event[0] = (struct trace_event){.data = payload, .size = 8, .type = trace_type(&trace, &foreign)};
    batch.event[1] = (struct trace_event){.data = payload, .size = 8, .type = types.loss};
    batch.event[2] =
        (struct trace_event){.data = payload, .size = 8, .type = shark_type(&types, 0x09), .flags = TRACE_DERIVED};
    batch.event[3] = (struct trace_event){.data = payload, .size = 8, .type = shark_type(&types, 0x09), .time = 5};
    batch.n = 4;
    writer = writer_shark.open(&trace, fileno(file));
    assert_int_equal(writer_shark.write(writer, 0, &batch), 0);
    assert_int_equal(writer_shark.close(writer, true), 0);
    fclose(file);
    trace_free(&trace);
    in.n = 0;
    add(&in, 0x09, 1, 5, 0);
    load(out_path, &out);
    assert_is_input();
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static void a_cyclic_file_is_turned(void **state)
{
    (void)state;
    for (uint32_t at = 0; at < 40; at++) {
        in.n = 0;
        add_run(&in, 100 + at, 40 - at);
        add_run(&in, 100, at);
        assert_int_equal(convert(&writer_text), DECODE_WHOLE);
        assert_counts_up(100, 40);
    }
}

/* A cyclic chunk that came round, then the chunk after it; and chunks sent in another order than they were filled. */
static void several_chunks_are_put_in_order(void **state)
{
    (void)state;
    in.n = 0;
    add_run(&in, 120, 10);
    add_run(&in, 110, 10);
    add_run(&in, 130, 10);
    assert_int_equal(convert(&writer_text), DECODE_WHOLE);
    assert_counts_up(110, 30);
    in.n = 0;
    add_run(&in, 150, 10);
    add_run(&in, 140, 10);
    add_run(&in, 120, 20);
    add_run(&in, 100, 20);
    assert_int_equal(convert(&writer_text), DECODE_WHOLE);
    assert_counts_up(100, 60);
}

static void empty_slots_are_skipped(void **state)
{
    (void)state;
    in.n = 0;
    for (uint64_t i = 0; i < 300; i++) {
        add(&in, 0, 3, random32(), 7);
        add(&in, 0x09, 0, 100 + i, 0);
    }
    assert_int_equal(convert(&writer_text), DECODE_WHOLE);
    assert_counts_up(100, 300);
}

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

static void assert_time(const char *time)
{
    assert_int_equal(convert(&writer_text), DECODE_WHOLE);
    if (strstr((const char *)out.data, time) == NULL)
        fail_msg("expected%s in %s", time, (const char *)out.data);
}

static void the_clock_is_found(void **state)
{
    (void)state;
    in.n = 0;
    add(&in, FAST | 0x20, 0, 10, 77); /* a leftover: it tells no clock */
    add(&in, 0x09, 0, 32768, 0);
    assert_time(" 32768: shark:user");
    clock_hz = 32768;
    assert_time(" 1.000000000: shark:user");
    add(&in, 0x10, 0, 32769, 32);
    assert_time(" 1.000000000: shark:user"); /* agrees, and is more exact */
    clock_hz = 33000;
    assert_time(" 1.024000000: shark:user");
    clock_hz = 0;
    assert_time(" 1.024000000: shark:user");
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

/* A time that is out of line costs its record, and says so where it stood. */
static void a_damaged_time_costs_one_event(void **state)
{
    (void)state;
    for (size_t bit = 8; bit < 64; bit++) {
        in.n = 0;
        add_run(&in, 0x123400000000 + 50, 100);
        in.data[16 * 40 + (bit < 32 ? 8u : 4u) + bit % 32 / 8] ^= (unsigned char)(1u << bit % 8);
        assert_int_equal(convert(&writer_text), DECODE_DAMAGED);
        assert_int_equal(count_lines(&out, "user_event_0"), 99);
        assert_non_null(strstr((const char *)out.data, "par1=39 par2=0\nCPU:0 [DAMAGED INPUT: 1 EVENTS]\n"));
    }
}

static void times_that_interleave_are_damage(void **state)
{
    (void)state;
    in.n = 0;
    add_run(&in, 100, 50);
    add_run(&in, 120, 50);
    assert_int_equal(convert(&writer_text), DECODE_DAMAGED);
    assert_int_equal(count_lines(&out, "user_event_0"), 100);
    assert_int_equal(count_lines(&out, "DAMAGED INPUT]"), 2);
}

static void noise_in_the_middle_stays_there(void **state)
{
    (void)state;
    in.n = 0;
    add_run(&in, 1000, 50);
    for (unsigned i = 0; i < 160; i++)
        in.data[in.n++] = (unsigned char)(random32() | 1u);
    add_run(&in, 1050, 50);
    assert_int_equal(convert(&writer_text), DECODE_DAMAGED);
    assert_int_equal(count_lines(&out, "user_event_0"), 100);
}

static void too_many_runs_are_survived(void **state)
{
    (void)state;
    in.n = 0;
    for (uint64_t i = 0; i < 2000; i++)
        add_run(&in, 1000000 - i * 20, 5);
    assert_int_equal(convert(&writer_text), DECODE_DAMAGED);
    assert_true(count_lines(&out, "user_event_0") >= 5 * 512);
}

static void a_cut_file_is_told(void **state)
{
    (void)state;
    make_golden();
    for (size_t n = in.n; n > 0; n--) {
        in.n = n;
        assert_int_equal(convert(&writer_text), n % 16 == 0 ? DECODE_WHOLE : n < 16 ? DECODE_NOTHING : DECODE_DAMAGED);
        assert_int_equal(count_lines(&out, "shark:"), n / 16);
    }
}

static void no_flipped_bit_breaks_it(void **state)
{
    (void)state;
    for (unsigned turn = 0; turn < 2; turn++) {
        in.n = 0;
        add(&in, 0x20, 0, 1000 + 20 * turn, 25000);
        add_run(&in, 1001 + 20 * turn, 10);
        add_run(&in, turn ? 1001 : 1011, 10);
        for (size_t bit = 0; bit < 8 * in.n; bit++) {
            in.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_int_not_equal(convert(&writer_tracedat), DECODE_NOTHING);
            assert_int_not_equal(convert(&writer_text), DECODE_NOTHING);
            assert_true(count_lines(&out, "shark:") >= 19);
            in.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
    }
}

static void noise_does_not_break_it(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        in.n = random32() % 4000;
        for (size_t at = 0; at < in.n; at++)
            in.data[at] = (unsigned char)(at % 16 < 8 && i % 2 ? random32() & 1u : random32());
        convert(&writer_tracedat);
        convert(&writer_shark);
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
    input = input_open(&trace, in_path);
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
    shark_types_name(&types, &trace);
    assert_string_equal(trace.types[types.record[0x09]]->name, "valve_open");
    assert_string_equal(trace.types[types.record[0x19]]->name, "valve_open_2");
    assert_string_equal(trace.types[types.record[0x29]]->name, "context_switch_2");
    assert_string_equal(trace.types[types.record[0x39]]->name, "user_event_3");
    assert_string_equal(trace.types[types.record[0x15]]->name, "context_switch");
    assert_int_equal(shark_origin(trace.types[types.record[0x19]], &code), SHARK_KNOWN);
    assert_int_equal(code, 0x19);
    trace_free(&trace);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int make_files(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(in_path, sizeof in_path, "%s/in", directory);
    snprintf(out_path, sizeof out_path, "%s/out.dat", directory);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    unlink(in_path);
    unlink(out_path);
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_decodes_to_text),
        cmocka_unit_test(every_row_arrives_at_trace_cmd),
        cmocka_unit_test(trace_dat_conforms),
        cmocka_unit_test(used_parameters_are_shown_always),
        cmocka_unit_test(known_bytes_decode),
        cmocka_unit_test(unknown_codes_are_shown_as_they_are),
        cmocka_unit_test(ticks_come_back),
        cmocka_unit_test(files_come_back_to_the_bit),
        cmocka_unit_test(a_mapping_has_no_effect),
        cmocka_unit_test(a_dump_and_its_file_are_the_same),
        cmocka_unit_test(only_records_are_written),
        cmocka_unit_test(a_cyclic_file_is_turned),
        cmocka_unit_test(several_chunks_are_put_in_order),
        cmocka_unit_test(empty_slots_are_skipped),
        cmocka_unit_test(the_clock_is_found),
        cmocka_unit_test(a_damaged_time_costs_one_event),
        cmocka_unit_test(times_that_interleave_are_damage),
        cmocka_unit_test(noise_in_the_middle_stays_there),
        cmocka_unit_test(too_many_runs_are_survived),
        cmocka_unit_test(a_cut_file_is_told),
        cmocka_unit_test(no_flipped_bit_breaks_it),
        cmocka_unit_test(noise_does_not_break_it),
        cmocka_unit_test(files_are_recognised_by_content),
        cmocka_unit_test(other_things_are_not),
        cmocka_unit_test(events_get_the_names_firmware_gave),
    };

    return cmocka_run_group_tests(tests, make_files, remove_files);
}
