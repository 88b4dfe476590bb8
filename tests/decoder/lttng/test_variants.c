/* test_variants.c - traces of LTTng 0.x, written and read: every variant, clock and distance of stamps; formats;
 * directories.
 *
 * Traces are written from a reader of made-up events, and checked by reading them back. How they look is checked by
 * lttng.sh, with programs that share no code with tlog. To be started in the top directory of the repository.
 */
#include "tool/message.h"
#include "harness.h"

#include "formats/lttng/block_header.h"
#include "formats/lttng/marker.h"
#include "formats/lttng/metadata.h"
#include "formats/lttng/output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- written and read again ------------------------------------------------------------------------------------- */

/* Options of variant 0 to 63. */
static void name_variant(unsigned variant, char *options, size_t room)
{
    snprintf(options, room, "word=%u,order=%s,block=4096%s%s%s%s", variant & 1u ? 4 : 8,
             variant & 2u ? "big" : "little", variant & 4u ? ",packed" : "", variant & 8u ? ",heartbeat" : "",
             variant & 16u ? ",flight" : "", variant & 32u ? ",compact" : "");
}

/* Text of the events that are made up, and of those that were written and read, is the same. */
static void assert_round_trip(const char *options)
{
    assert_int_equal(convert(&reader_maker, none_path, &writer_text_full, text_path, NULL), DECODE_WHOLE);
    make_trace(options);
    assert_int_equal(convert(NULL, trace_path, &writer_text_full, again_path, NULL), DECODE_WHOLE);
    assert_same_text();
}

static void test_every_variant(void **state)
{
    char options[100];
    (void)state;
    for (unsigned variant = 0; variant < 64u; variant++) {
        bool compact = variant & 32u;
        /* A CPU's events of the same time are merged in the order of its files, and with compact there are two: five
         * events are few enough that no two have the same time. */
        set_events(compact ? 1 : 3, compact ? 5 : 400, 25000000, 0, 977);
        name_variant(variant, options, sizeof options);
        assert_round_trip(options);
    }
}

static void test_clocks_and_times(void **state)
{
    static const uint64_t clocks[] = {1, 999, 1000, 32768, 25000000, 72000001, 1000000000, 2400000000u, 3999999999u};
    static const uint64_t starts[] = {0, 1212364800654321000u, 1212364800654321987u};
    (void)state;
    for (size_t i = 0; i < COUNT(clocks); i++) {
        for (size_t k = 0; k < COUNT(starts); k++) {
            set_events(1, 100, clocks[i], starts[k], 3);
            assert_round_trip(i % 2u ? "heartbeat" : NULL);
            if (clocks[i] < 1000000u)
                continue; /* events would be centuries apart */
            set_events(1, 100, clocks[i], starts[k], (UINT64_C(1) << 33) + 7u);
            assert_round_trip(i % 2u ? "heartbeat,word=4" : NULL);
        }
    }
    set_events(1, 100, 0, 0, 5); /* an unknown clock: times are ticks */
    assert_round_trip(NULL);
}

static void test_trace_of_a_trace(void **state)
{
    (void)state;
    set_events(2, 200, 2400000000u, 1212364800654321000u, 12345);
    make_trace(NULL);
    assert_int_equal(convert(NULL, trace_path, &writer_text_full, text_path, NULL), DECODE_WHOLE);
    remove_tree(again_path);
    assert_int_equal(convert(NULL, trace_path, &writer_lttng, again_path, "word=4,order=big,packed,heartbeat"),
                     DECODE_WHOLE);
    assert_int_equal(convert(NULL, again_path, &writer_lttng, trace_path, NULL), DECODE_WHOLE);
    remove_tree(again_path);
    assert_int_equal(convert(NULL, trace_path, &writer_text_full, again_path, NULL), DECODE_WHOLE);
    assert_same_text();
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* The times are from Python: start_ns + (tsc - start_tsc) * 10**9 * divisor // freq, where // always rounds down. */
static void test_time_is_exact(void **state)
{
    static const struct {
        uint64_t freq;
        uint32_t divisor;
        uint64_t start_tsc, start_ns, tsc, ns;
    } rows[] = {
        {2400000000u, 1, 30064771072u, 1212364800654321000u, 30064771073u, 1212364800654321000u},
        {2400000000u, 1, 30064771072u, 1212364800654321000u, 30064771071u, 1212364800654320999u},
        {2400000000u, 1, 0, 0, 9223372036854775807u, 3843071682022823252u},
        {3, 1, 0, 0, 10, 3333333333u},
        {3, 1, 100, 5000000000u, 99, 4666666666u},
        {1000, 7, 5, 0, 12, 49000000},
        {4294967291u, 4294967295u, 0, 0, 4294967291u, 4294967295000000000u},
        {25000000, 1, 18446744073709551615u, 1000, 0, 1040}, /* the counter wrapped */
        {1, 1, 0, 0, 18446744073u, 18446744073000000000u},
        {1, 1, 0, 0, 18446744074u, UINT64_MAX}, /* more than 64 bits */
        {1, 1, 10, 5, 0, 0},                    /* before 1970 */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct lttng_clock clock = {rows[i].freq, rows[i].divisor, rows[i].start_tsc, rows[i].start_ns};
        assert_int_equal(lttng_ns(&clock, rows[i].tsc), rows[i].ns);
    }
}

/* The same for every extreme with every other one. Python's integers have no limits. */
static void test_extreme_times(void **state)
{
    FILE *rows = popen("python3 -c '\n"
                       "edge = [0, 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]\n"
                       "for f in [1, 3, 999999999, 10**9 + 7, 2**32 - 1, 2**63, 2**64 - 1]:\n"
                       "  for d in [1, 1000, 2**32 - 1]:\n"
                       "    for t0 in edge:\n"
                       "      for n0 in [0, 1212364800654321987, 2**64 - 1]:\n"
                       "        for t in edge:\n"
                       "          x = (t - t0 + 2**63) % 2**64 - 2**63\n"
                       "          ns = n0 + x * 10**9 * d // f\n"
                       "          print(f, d, t0, n0, t, min(max(ns, 0), 2**64 - 1))'",
                       "r");
    unsigned long long freq, divisor, start_tsc, start_ns, tsc, ns;
    unsigned n = 0;
    (void)state;
    assert_non_null(rows);
    while (fscanf(rows, "%llu %llu %llu %llu %llu %llu", &freq, &divisor, &start_tsc, &start_ns, &tsc, &ns) == 6) {
        struct lttng_clock clock = {freq, (uint32_t)divisor, start_tsc, start_ns};
        assert_int_equal(lttng_ns(&clock, tsc), ns);
        n++;
    }
    pclose(rows);
    assert_int_equal(n, 7 * 3 * 8 * 3 * 8);
}

static void test_frequency_of_every_version(void **state)
{
    struct lttng_block_header header = {.family = LTTNG_MARKERS, .major = 1, .start_freq = 2400000, .freq_scale = 1000};
    uint64_t freq;
    uint32_t divisor;
    (void)state;
    lttng_block_header_clock(&header, &freq, &divisor);
    assert_int_equal(freq, 2400000000u);
    assert_int_equal(divisor, 1);
    header.family = LTTNG_METADATA;
    header.minor = 1;
    lttng_block_header_clock(&header, &freq, &divisor);
    assert_int_equal(freq, 2400000000u);
    header.minor = 2;
    lttng_block_header_clock(&header, &freq, &divisor);
    assert_int_equal(freq, 2400000);
    assert_int_equal(divisor, 1000);
    header.minor = 0;
    header.start_freq = UINT64_MAX / 2;
    lttng_block_header_clock(&header, &freq, &divisor);
    assert_int_equal(freq, 0);
}

/* ---- distances of stamps ----------------------------------------------------------------------------------------- */

/* Begin a file for events without payload, of a clock whose ticks are ns. bits: of stamps in compact events. */
static struct lttng_output_file begin_file(const char *name, bool compact, unsigned bits)
{
    static struct trace trace;
    struct lttng_output_file file = {.trace = &trace, .fd = -1, .compact = compact, .arch_type = 6};
    int fd = open(trace_path, O_RDONLY | O_DIRECTORY);
    trace_init(&trace, "test");
    trace.sink = &message_sink;
    file.common = (struct lttng_block_header){.heartbeat = true, .arch_size = 4, .alignment = 4, .size = PAGE};
    file.common.tscbits = (uint8_t)bits;
    file.common.data_shift = (uint8_t)(bits + 6u);
    file.common.start_freq = 1000000;
    file.common.freq_scale = 1000;
    assert_int_equal(lttng_output_file_open(&file, fd, name), 0);
    close(fd);
    return file;
}

/* Make a trace whose only marker is t_e, without fields, of id 9. */
static void make_facilities(unsigned bits)
{
    static const unsigned char id[] = {'t', '_', 'e', 0, 9, 0, 4, 4, 4, 4, 4}, format[] = {'t', '_', 'e', 0, 0};
    struct lttng_output_file file;
    char path[120];
    remove_tree(trace_path);
    snprintf(path, sizeof path, "%s/control", trace_path);
    assert_int_equal(mkdir(trace_path, 0777) | mkdir(path, 0777), 0);
    file = begin_file("control/facilities_0", false, bits);
    lttng_output_file_add(&file, LTTNG_MARKER_ID, 0, id, sizeof id);
    lttng_output_file_add(&file, LTTNG_MARKER_FORMAT, 0, format, sizeof format);
    assert_int_equal(lttng_output_file_close(&file, 0), 0);
}

/* Write two events, distance ticks apart, the first at begin: both times are read exactly. */
static void check_distance(bool compact, unsigned bits, uint64_t begin, uint64_t distance)
{
    struct lttng_output_file file;
    const struct result *result;
    char path[120];
    snprintf(path, sizeof path, "%s/%s_0", trace_path, compact ? "compact" : "cpu");
    unlink(path);
    file = begin_file(compact ? "compact_0" : "cpu_0", compact, bits);
    assert_true(lttng_output_file_add(&file, 9, begin, NULL, 0));
    assert_true(lttng_output_file_add(&file, 9, begin + distance, NULL, 0));
    assert_int_equal(lttng_output_file_close(&file, 0), 0);
    result = read_trace(trace_path);
    assert_false(result->failed);
    assert_int_equal(result->gaps, 0);
    assert_int_equal(result->events, 2);
    assert_int_equal(result->first, begin);
    assert_int_equal(result->last, begin + distance);
}

/* Stamps of compact events may have only 4 bits: all distances up to more than twice what these can count, from all
 * values of the first stamp. */
static void test_every_distance_of_short_stamps(void **state)
{
    (void)state;
    make_facilities(4);
    for (uint64_t begin = 0; begin < 16u; begin++) {
        for (uint64_t distance = 0; distance <= 34u; distance++)
            check_distance(true, 4, begin + 16u, distance);
    }
}

static void test_boundary_distances_of_32_bits(void **state)
{
    static const uint64_t near[] = {0,           1,           2,           0x3FFFFFFFu, 0x7FFFFFFFu,
                                    0x80000000u, 0x80000001u, 0xFFFFFFFEu, 0xFFFFFFFFu};
    (void)state;
    make_facilities(20);
    for (size_t i = 0; i < COUNT(near); i++) {
        for (size_t k = 0; k < COUNT(near); k++) {
            check_distance(false, 20, near[i], near[k]);
            check_distance(false, 20, near[i] + (UINT64_C(5) << 32), near[k] + (UINT64_C(1) << 32));
            check_distance(false, 20, near[i] + (UINT64_C(1) << 40), near[k] + (UINT64_C(3) << 32));
        }
    }
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static void test_formats(void **state)
{
    static const struct lttng_sizes sizes = {4, 8, 8, 8, 8};
    static const struct {
        const char *text;
        unsigned n;
        const char *name;
        enum lttng_conversion conversion;
        uint8_t size;
    } rows[] = {
        {"irq %u addr #8x%llu ip #1u%hhu", 3, "irq", LTTNG_UNSIGNED, 4},
        {"addr #8x%llu", 1, "addr", LTTNG_HEX, 8},
        {"ip #1u%hhu", 1, "ip", LTTNG_UNSIGNED, 1},
        {"%d", 1, "field_1", LTTNG_SIGNED, 4},
        {"100%% name %s", 1, "100__", LTTNG_TEXT, 0},
        {"  state   0x%lx", 1, "state", LTTNG_HEX, 8},
        {"n #bn2d%-u", 1, "n", LTTNG_SIGNED, 2},
        {"x %p x %p", 2, "x", LTTNG_HEX, 8},
        {"x #4x%p", 1, "x", LTTNG_HEX, 4},
        {"z %zu", 1, "z", LTTNG_UNSIGNED, 8},
        {"", 0, NULL, LTTNG_UNSIGNED, 0},
        {"name", 0, NULL, LTTNG_UNSIGNED, 0},
    };
    static const char *const bad[] = {"%", "#", "a %f", "a %q", "a #", "a #4", "a %l", "a #z%", "%-", "a #n%u %"};
    struct lttng_format format;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(lttng_format_parse(&format, rows[i].text, &sizes));
        assert_int_equal(format.n, rows[i].n);
        if (rows[i].n == 0)
            continue;
        assert_string_equal(format.name[0], rows[i].name);
        assert_int_equal(format.field[0].conversion, rows[i].conversion);
        assert_int_equal(format.field[0].size, rows[i].size);
    }
    assert_true(lttng_format_parse(&format, "x %p x %p", &sizes));
    assert_string_equal(format.name[1], "x_2");
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(lttng_format_parse(&format, bad[i], &sizes));
}

/* ---- directories ------------------------------------------------------------------------------------------------- */

/* An empty directory and one of a trace are replaced as a whole; one that has other files is not. */
static void test_directories_that_exist(void **state)
{
    char path[120];
    (void)state;
    set_events(1, 50, 1000000, 0, 5);
    remove_tree(trace_path);
    assert_int_equal(mkdir(trace_path, 0777), 0); /* empty */
    assert_int_equal(convert(&reader_maker, none_path, &writer_lttng, trace_path, NULL), DECODE_WHOLE);
    set_events(2, 60, 1000000, 0, 5); /* of a trace */
    assert_int_equal(convert(&reader_maker, none_path, &writer_lttng, trace_path, "flight"), DECODE_WHOLE);
    assert_int_equal(read_trace(trace_path)->events, 120);
    snprintf(path, sizeof path, "%s/cpu_0", trace_path);
    assert_int_not_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/notes", trace_path); /* of a trace, with another file */
    save(path, "x", 1);
    assert_int_equal(convert(&reader_maker, none_path, &writer_lttng, trace_path, NULL), DECODE_NOTHING);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(read_trace(trace_path)->events, 120);
}

/* What may stand in the place of a file, how it is made, and how a message calls it in a directory and an archive. */
static const struct {
    const char *command, *name, *archived;
} no_files[] = {
    {"rm cpu_0", "no file of events of CPU 0", "no file of events of CPU 0"},
    {"rm cpu_0; mkfifo cpu_0", "cpu_0: left out, a FIFO", "cpu_0: left out, a FIFO"},
    {"rm cpu_0; mkdir cpu_0", "cpu_0: left out, a directory", "no file of events of CPU 0"},
    {"rm cpu_0; ln -s nowhere cpu_0", "cpu_0: left out, a link that leads nowhere", "cpu_0: left out, a link"},
    {"rm cpu_0; ln -s cpu_0 cpu_0", "cpu_0: left out, Too many levels", "cpu_0: left out, a link"},
    {"rm cpu_0; ln -s /dev/zero cpu_0", "cpu_0: left out, a device", "cpu_0: left out, a link"},
    {"mv cpu_0 events", "events: left out, its name does not end", "events: left out, its name does not end"},
    {"mv cpu_0 cpu_256", "cpu_256: left out, its name does not end", "cpu_256: left out, its name does not end"},
};

/* Make a trace of two CPUs, run a command in its directory, and make an archive of it. */
static void make_changed(const char *command)
{
    char line[400];
    make_trace("block=4096");
    snprintf(line, sizeof line, "cd '%s' && { %s; } && tar cf '%s' .", trace_path, command, again_path);
    assert_int_equal(system(line), 0);
}

/* Whatever stands in the place of a CPU's events, it is named, and the trace is not whole; without the events of any
 * CPU it is none. A directory and an archive tell the same. */
static void test_events_that_are_missing(void **state)
{
    static struct result result;
    char messages[2000], command[100];
    (void)state;
    set_events(2, 60, 1000000, 0, 5);
    for (size_t i = 0; i < COUNT(no_files); i++) {
        make_changed(no_files[i].command);
        for (unsigned archived = 0; archived < 2u; archived++) {
            read_into(&result, archived ? again_path : trace_path, messages, sizeof messages);
            assert_false(result.failed);
            assert_true(result.events == 60u && result.gaps > 0);
            assert_non_null(strstr(messages, archived ? no_files[i].archived : no_files[i].name));
        }
        snprintf(command, sizeof command, "%s; : >cpu_1", no_files[i].command);
        make_changed(command);
        for (unsigned archived = 0; archived < 2u; archived++) {
            read_into(&result, archived ? again_path : trace_path, messages, sizeof messages);
            assert_true(result.failed && result.events == 0);
        }
        remove_tree(again_path);
    }
}

/* A file that seems to be none of the trace's is named, too, but the trace is whole without it. */
static void test_files_beside_the_trace(void **state)
{
    static const char *const names[] = {"README: left out, its name", "sub: left out, a directory",
                                        "link: left out, a link", "control/pipe: left out, a FIFO"};
    static struct result result;
    char messages[2000];
    (void)state;
    set_events(2, 60, 1000000, 0, 5);
    make_changed("echo text >README; mkdir sub; ln -s sub/nowhere link; mkfifo control/pipe");
    for (unsigned archived = 0; archived < 2u; archived++) {
        read_into(&result, archived ? again_path : trace_path, messages, sizeof messages);
        assert_int_equal(result.events, 120);
        assert_int_equal(result.gaps, 0);
        for (size_t i = 0; i < COUNT(names); i++)
            assert_true(strstr(messages, names[i]) != NULL || (archived && i == 1));
    }
    make_changed("mv control descriptions; ln -s nowhere control");
    read_into(&result, trace_path, messages, sizeof messages);
    assert_true(result.failed);
    assert_non_null(strstr(messages, "control: left out, a link that leads nowhere"));
    remove_tree(again_path);
}

/* A trace without events has an empty file of them, in each variant: it is not one whose files are missing. */
static void test_trace_without_events(void **state)
{
    (void)state;
    set_events(3, 0, 1000000, 0, 5);
    for (unsigned variant = 0; variant < 64u; variant += 9u) {
        char options[100];
        name_variant(variant, options, sizeof options);
        make_trace(options);
        assert_int_equal(read_trace(trace_path)->events, 0);
        assert_int_equal(read_trace(trace_path)->gaps, 0);
        assert_false(read_trace(trace_path)->failed);
    }
}

/* Files whose names have no CPU are reported and left out. */
static void test_files_of_no_cpu(void **state)
{
    static const char *const names[] = {"cpu_256", "cpu_", "process-17.4.99"};
    char path[120];
    (void)state;
    begin_faults("block=4096", 60);
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct result *result;
        snprintf(path, sizeof path, "%s/%s", trace_path, names[i]);
        save(path, original[2], length[2]);
        result = read_trace(trace_path);
        assert_int_equal(result->events, whole.events);
        assert_int_equal(result->gaps, 1);
        unlink(path);
    }
}

static void test_other_directories(void **state)
{
    (void)state;
    assert_int_equal(convert(NULL, "/tmp/", &writer_text_full, text_path, NULL), DECODE_NOTHING);
    assert_int_equal(convert(&reader_shark, directory, &writer_text_full, text_path, NULL), DECODE_NOTHING);
    assert_int_equal(convert(&reader_native, directory, &writer_text_full, text_path, NULL), DECODE_NOTHING);
    assert_int_equal(convert(&reader_lttng, directory, &writer_text_full, text_path, NULL), DECODE_NOTHING);
    assert_int_equal(convert(&reader_maker, none_path, &writer_lttng, "-", NULL), DECODE_NOTHING);
    assert_int_equal(convert(&reader_maker, none_path, &writer_lttng, trace_path, "word=5"), DECODE_NOTHING);
}

/* ---- main --- */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant),
        cmocka_unit_test(test_clocks_and_times),
        cmocka_unit_test(test_trace_of_a_trace),
        cmocka_unit_test(test_time_is_exact),
        cmocka_unit_test(test_extreme_times),
        cmocka_unit_test(test_frequency_of_every_version),
        cmocka_unit_test(test_every_distance_of_short_stamps),
        cmocka_unit_test(test_boundary_distances_of_32_bits),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_directories_that_exist),
        cmocka_unit_test(test_files_of_no_cpu),
        cmocka_unit_test(test_events_that_are_missing),
        cmocka_unit_test(test_files_beside_the_trace),
        cmocka_unit_test(test_trace_without_events),
        cmocka_unit_test(test_other_directories),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
