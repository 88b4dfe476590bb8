/* test_variants.c - versions, byte orders, widths and compressions of trace.dat, and what stands in a file beside its
 * events. harness.h says which programs judge the files. */
#define _GNU_SOURCE

#include "harness.h"
#include "lib/tier.h"
#include "model/module.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/option_values.h"
#include "formats/tracedat/write/blocks.h"

/* What trace-cmd 3.1.6 cannot do: convert writes some numbers of a big-endian file in the order of its machine; split
 * knows no other order than that, and loses events if pages with marks are not of 4096 bytes. */
static const struct variant variants[] = {
    {"version 6", &writer_tracedat6, {0}, false, false},
    {"version 6, long of 4", &writer_tracedat6, {.long_size = 4}, false, false},
    {"version 6, big-endian, long of 4", &writer_tracedat6, {.big_endian = true, .long_size = 4}, true, true},
    {"version 6, pages of 16384", &writer_tracedat6, {.page_size = 16384}, false, true},
    {"long of 4", &writer_tracedat, {.long_size = 4}, false, false},
    {"big-endian", &writer_tracedat, {.big_endian = true}, true, true},
    {"big-endian, long of 4", &writer_tracedat, {.big_endian = true, .long_size = 4}, true, true},
    {"pages of 8192", &writer_tracedat, {.page_size = 8192}, false, true},
    {"pages of 32768, long of 4", &writer_tracedat, {.page_size = 32768, .long_size = 4}, false, true},
    {"pages of 65536", &writer_tracedat, {.page_size = 65536}, false, true},
    {"zstd", &writer_tracedat, {.compression = TRACE_COMPRESS_ZSTD}, false, false},
    {"zstd, pages of 65536",
     &writer_tracedat,
     {.compression = TRACE_COMPRESS_ZSTD, .page_size = 65536, .long_size = 4},
     false,
     true},
};

enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* ---- events, in every variant ------------------------------------------------------------------------------------ */

/* Numbers and texts of all sizes, short and long gaps in time, and a CPU without events between two others. */
static void add_all_sorts(void)
{
    static const uint64_t gaps[] = {0, 1, (1u << 27) - 1, (1u << 27) + 1, UINT32_MAX, UINT64_C(1) << 40};
    uint64_t time = 1000000;
    begin(3);
    trace_set_name(&trace, TRACE_NAME_TASK, 3, "a task");
    add_kinds(0, time);
    for (unsigned i = 0; i < 115; i++)
        add_texts(0, time + 20 + i, i, i, 114 - i);
    for (uint32_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++)
        add_pair(0, time += gaps[i] + 500, i);
    for (uint32_t i = 0; i < 4000; i++)
        add_pair(2, 3000 + 7 * i, i);
}

static void all_sorts_of_events_are_shown(void **state)
{
    (void)state;
    add_all_sorts();
    finish();
    judge();
}

/* trace-cmd split is no judge here: it leaves no room for a count on the pages that it makes. */
static void losses_are_told_anywhere(void **state)
{
    (void)state;
    begin(2);
    add_loss(1, &lost, 2000, 17);
    expect_loss(1, 3000, 17);
    for (uint32_t i = 0; i < 4000; i++)
        add_pair(1, 3000 + 7 * i, i);
    add_loss(1, &damage, 70000, 0);
    expect_loss(1, 80000, 0);
    add_pair(1, 80000, 1);
    add_loss(1, &lost, 80000, 5000);
    expect_loss(1, 80011, 5000);
    expect(1, 80011, 9, "end_of_trace", "no event was kept behind the loss");
    finish();
    judge_all_but_split();
}

static void a_file_may_be_empty(void **state)
{
    (void)state;
    begin(2);
    finish();
    judge();
}

static void the_longest_event_fits_a_marked_page(void **state)
{
    static const unsigned char data[65536] = {0};
    uint32_t page = variant.options.page_size ? variant.options.page_size : 4096;
    unsigned long_size = variant.options.long_size ? variant.options.long_size : 8;
    uint16_t size = (uint16_t)(page - 8 - 2 * long_size - 8 - 8); /* time, longs, words, common fields */
    (void)state;
    begin(1);
    for (unsigned i = 0; i < 3; i++) {
        add_loss(0, &lost, 1000 + i, 1);
        flush();
        batch.event[batch.n++] = (struct tlog_event){
            .time = 1000 + i, .data = data, .task = 1, .type = trace_type(&trace, &pair), .size = size};
        flush();
        expect_loss(0, 1000 + i, 1);
        expect(0, 1000 + i, 1, "pair", "par1=0 par2=0x0");
    }
    finish();
    judge_all_but_split();
    assert_true(trace_type(&trace, &pair) < trace.ntypes);
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

/* So many events need many chunks. Threads finish chunks in any order. */
static void many_chunks_come_in_order(void **state)
{
    enum { EVENTS = 200000 };
    char expected[200], version[40];
    (void)state;
    options.compression = TRACE_COMPRESS_ZSTD;
    begin(2);
    for (uint32_t i = 0; i < EVENTS; i++) {
        add_pair(i < EVENTS / 2 ? 0 : 1, 5000 + i, i * i);
        nlines = 0;
    }
    finish();
    snprintf(expected, sizeof expected, "events %u lost 0 cpus 2 first 5000 last %u unknown 0 disordered 0\n",
             (unsigned)EVENTS, 5000u + EVENTS - 1);
    run_prints(expected, "%s/check_tracedat %s", judges, path);
    assert_int_equal(number_in_file(prologue_size(version, sizeof version) + 2, 2), 1); /* the section is compressed */
}

/* The prologue tells the version of the library that compressed the file, whichever it is: as trace-cmd does with
 * zstd, and as Python tells that of zlib. */
static void the_compressor_tells_its_version(void **state)
{
    static const char *const python = "python3 -c 'import zlib; print(zlib.ZLIB_RUNTIME_VERSION, end=\"\")'";
    char version[40];
    off_t size;
    (void)state;
    options.compression = TRACE_COMPRESS_ZSTD;
    begin(1);
    add_pair(0, 5000, 7);
    finish();
    size = prologue_size(version, sizeof version);
    assert_true(version[0] >= '0' && version[0] <= '9');
    free(run("cd %s && trace-cmd convert -i t.dat -o z.dat --file-version 7 --compression zstd 2>&1", directory));
    run_prints("", "cmp -n %d %s %s/z.dat", (int)size - 8, path, directory);
    options.compression = TRACE_COMPRESS_ZLIB;
    begin(1);
    add_pair(0, 5000, 7);
    finish();
    prologue_size(version, sizeof version);
    run_prints(version, "%s", python);
}

/* A short chunk behind a long one is compressed first, and has to wait for its place. No two chunks have the same
 * size. */
static void short_chunks_wait_for_long_ones(void **state)
{
    enum { CHUNKS = 60, LONG = 1 << 18 };
    static const struct trace_options zlib = {.compression = TRACE_COMPRESS_ZLIB};
    struct tracedat_blocks *blocks = tracedat_blocks_open(&trace, &zlib, file, 0);
    uint64_t size, at = 4; /* behind their number */
    size_t filled = 0, room;
    (void)state;
    assert_non_null(blocks);
    assert_int_equal(tracedat_blocks_begin_cpu(blocks, 0), 0);
    for (uint32_t i = 0; i < CHUNKS; i++) {
        unsigned char *to = tracedat_blocks_memory(blocks, &room);
        assert_int_equal(room, LONG);
        filled = i % 2 ? i : LONG - i;
        for (uint32_t k = 0; k < filled; k++)
            to[k] = (unsigned char)(k * k >> 7);
        if (i + 1 < CHUNKS) /* the last one is written at the end */
            assert_int_equal(tracedat_blocks_write(blocks, filled), 0);
    }
    assert_int_equal(tracedat_blocks_end_cpu(blocks, 0, &filled, &size), 0);
    tracedat_blocks_free(blocks);
    assert_int_equal(filled, 0);
    assert_int_equal(number_in_file(0, 4), CHUNKS);
    for (uint32_t i = 0; i < CHUNKS; i++) {
        assert_int_equal(number_in_file((off_t)at + 4, 4), i % 2 ? i : LONG - i);
        at += 8 + number_in_file((off_t)at, 4);
    }
    assert_int_equal(at, 4 + size);
    assert_int_equal(lseek(file, 0, SEEK_END), at);
}

/* ---- the head of version 6 --------------------------------------------------------------------------------------- */

/* Give names to tasks that were not known when room for the head was measured. */
static void give_names_late(uint32_t n)
{
    char name[32];
    for (uint32_t i = 10; i < n; i++) {
        snprintf(name, sizeof name, "a name given late %u", i);
        trace_set_name(&trace, TRACE_NAME_TASK, i, name);
    }
}

/* Names that are given late need more room than was kept, so the pages are moved. */
static void pages_make_room_for_a_long_head(void **state)
{
    uint64_t before;
    (void)state;
    variant.writer = &writer_tracedat6;
    begin(2);
    for (uint32_t i = 0; i < 9000; i++)
        add_pair(0, 1000 + i, i);
    for (uint32_t i = 0; i < 200; i++)
        add_pair(1, 1000 + i, i);
    flush();
    before = (uint64_t)lseek(file, 0, SEEK_END);
    give_names_late(5000);
    finish();
    judge();
    assert_true((uint64_t)lseek(file, 0, SEEK_END) > before + 4096 * 30);
}

/* The parser of Trace Compass needs a line in each of these two tables: of three words and of two. */
static void no_table_of_version_6_is_empty(void **state)
{
    (void)state;
    variant.writer = &writer_tracedat6;
    begin(1);
    add_pair(0, 1000, 1);
    finish();
    judge();
    run_prints("0000000000000000 A none\n", "trace-cmd dump --kallsyms %s | grep '^0'", path);
    run_prints("0x0 : \"none\"\n", "trace-cmd dump --printk %s | grep '^0x'", path);
    free(run("valgrind -q --error-exitcode=9 trace-cmd report %s 2>&1 >/dev/null", path));
}

/* ---- lines of text ----------------------------------------------------------------------------------------------- */

/* Without names that are given late, and with them, so that the text is moved. */
static void text_stands_behind_its_head(void **state)
{
    for (unsigned late = 0; late < 2; late++) {
        for (unsigned big = 0; big < 2; big++) {
            if (big != late && tier_step(2) > 1u)
                continue;
            if (late + big > 0)
                use_default(state);
            variant.writer = &writer_tracedat_text;
            options.big_endian = big;
            begin(1);
            for (uint32_t i = 0; i < 6000; i++)
                add_pair(0, 1000 + i, i);
            flush();
            if (late)
                give_names_late(3000);
            finish();
            free(run("trace-cmd dump --all %s >/dev/null", path));
            run_prints("6002\n", "trace-cmd report %s 2>&1 | wc -l", path); /* cpus=1 before, an empty line behind */
            run_prints("           <...>-1     [000]     0.000001000: pair:                 par1=0 par2=0\n"
                       "           <...>-5     [000]     0.000006999: pair:                 par1=5999 par2=0x464d\n\n",
                       "trace-cmd report %s 2>&1 | sed -n '2p;6001,$p' | sed s/=0x0/=0/", path);
            if (late || tier_step(2) == 1u)
                free(run("valgrind -q --error-exitcode=9 trace-cmd report %s 2>&1 >/dev/null", path));
            if (late + big < 2)
                tear_down(state);
        }
    }
}

/* ---- what stands beside the events ------------------------------------------------------------------------------- */

static const struct trace_symbol symbols[] = {
    {0x08000100, 0x40, "reset_handler", 'T'},
    {0x08000140, 0x20, "bad name\n", 't'}, /* a parser would stop here */
    {0x08000160, 0, "", 't'},
    {0x20000000, 4, "counter", 'B'},
    {0x20000010, 16, "buffer", 'b'},
};
static const struct trace_segment segments[] = {
    {0x08000000, 0x1000, "fire ware.elf"},
    {0x20000000, 0x400, "fire ware.elf"},
};
static const struct trace_firmware firmware = {
    .symbols = symbols,
    .nsymbols = 5,
    .segments = segments,
    .nsegments = 2,
    .build_id = (const unsigned char *)"\x01\xab\xff",
    .build_id_size = 3,
};
static const struct trace_printk printk[] = {
    {.address = 0x08000800, .format = "value %d\n"},
    {.address = 0x08000810, .format = "say \"%s\" \\ \t\xe9"},
};

static void use_image(const struct trace_writer *with)
{
    variant.writer = with;
    trace.firmware = &firmware;
    trace.printk = printk;
    trace.nprintk = 2;
}

/* A type with an address that readers look up. */
static const struct tlog_field address_fields[] = {{"at", TLOG_KIND_HEX, 0, 8}};
static const struct tlog_type address_type = {.system = "qnx",
                                              .name = "at",
                                              .size = 8,
                                              .nfields = 1,
                                              .fields = address_fields,
                                              .print = "\"%pS\", (void *)REC->at"};

static void add_address(uint64_t time, uint64_t address, const char *shown)
{
    unsigned char data[8];
    put_number(data, address, 8);
    give(0, &(struct tlog_event){
                .time = time, .data = data, .task = 1, .type = trace_type(&trace, &address_type), .size = 8});
    expect(0, time, 1, "at", shown);
}

static void addresses_have_symbols(void **state)
{
    const struct trace_writer *writers[] = {&writer_tracedat, &writer_tracedat6};
    for (unsigned i = 0; i < 2; i++) {
        if (i > 0)
            use_default(state);
        use_image(writers[i]);
        begin(1);
        add_address(1000, 0x08000100, "reset_handler+0x0");
        add_address(1001, 0x08000110, "reset_handler+0x10");
        add_address(1002, 0x08000144, "bad_name_+0x4");
        add_address(1003, 0x20000012, "buffer+0x2");
        add_address(1004, 0x20000020, "_end_of_symbols+0x0");
        finish();
        judge();
        run_prints("0000000008000100 T reset_handler\n0000000008000140 t bad_name_\n0000000020000000 B counter\n"
                   "0000000020000010 b buffer\n0000000020000020 T _end_of_symbols\n",
                   "trace-cmd dump --kallsyms %s | grep '^0'", path);
        if (i == 0)
            tear_down(state);
    }
}

static void formats_are_strings_of_the_source(void **state)
{
    (void)state;
    use_image(&writer_tracedat);
    begin(1);
    finish();
    judge();
    run_prints("0x8000800 : \"value %d\\n\"\n0x8000810 : \"say \\\"%s\\\" \\\\ \\t?\"\n",
               "trace-cmd dump --printk %s | grep '^0x'", path);
}

static void the_firmware_is_told(void **state)
{
    (void)state;
    use_image(&writer_tracedat);
    trace_set_name(&trace, TRACE_NAME_TASK, 10, "the task");
    begin(1);
    finish();
    judge();
    run_prints("a board build-id 01abff\n", "trace-cmd report --uname %s | sed -n 2p", path);
    run_prints("a 2 the_task\n8000000 8001000 fire_ware.elf\n20000000 20000400 fire_ware.elf\n",
               "trace-cmd dump --options %s | grep -A2 the_task | sed 's/.*\\(a 2 \\)/\\1/'", path);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* trace-cmd report with these flags shows the first pair at this time. */
static void pair_is_shown_at(const char *time, const char *flags)
{
    char expected[64];
    snprintf(expected, sizeof expected, "%s: pair\n", time);
    run_prints(expected, "trace-cmd report -t %s %s 2>&1 | sed -n 's/.*\\] *\\([^ ]*: pair\\):.*/\\1/p' | head -n 1",
               flags, path);
}

static void the_first_event_has_the_start_time(void **state)
{
    static const struct {
        const char *start, *shown, *without;
    } cases[] = {
        /* a reader can leave out only whole microseconds */
        {"@1700000000.123456789", "1700000000.123456789", "0.000005789"},
        {"2023-11-14T22:13:20.123456Z", "1700000000.123456000", "0.000005000"},
        {"@0", "0.000000000", "0.000000000"}, /* before the clock began */
        {"@0.000005000", "0.000005000", "0.000005000"},
    };
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned k = 0; k < 2; k++) {
            if (i + k > 0)
                use_default(state);
            variant.writer = k ? &writer_tracedat6 : &writer_tracedat;
            assert_true(cli_start_time(cases[i].start, &options.start_time));
            options.given |= TRACE_OPTION_START_TIME;
            begin(2);
            add_pair(0, 7000, 1);
            add_pair(1, 5000, 1);
            finish();
            pair_is_shown_at(cases[i].shown, "");
            pair_is_shown_at(i == 0 ? "0.000005789" : cases[i].without, "--nodate");
            if (i + k < 4)
                tear_down(state);
        }
    }
}

static const struct {
    const char *text;
    int64_t ns;
} good_start_times[] = {
    {"@0", 0},
    {"@1.5", 1500000000},
    {"@1.0000000019", 1000000001},
    {"1970-01-01T00:00Z", 0},
    {"1970-01-01T00:00:01.25Z", 1250000000},
    {"1970-01-01 01:30:00+0130", 0},
    {"1970-01-01T01:00:00+01", 0},
    {"1969-12-31T23:00:00-01:00", -1}, /* the year is refused */
    {"1970-01-01T00:00:00-01:00", INT64_C(3600) * SECOND},
    {"2000-02-29T12:00:00Z", INT64_C(951825600) * SECOND},
    {"2026-01-31T12:00:00Z", 1769860800000000000},
    {"2100-03-01T00:00:00Z", 4107542400000000000},
    {"2199-12-31T23:59:59.999999999Z", 7258118399999999999},
};

static void start_times_are_understood(void **state)
{
    int64_t ns;
    (void)state;
    for (unsigned i = 0; i < sizeof good_start_times / sizeof good_start_times[0]; i++) {
        bool understood = cli_start_time(good_start_times[i].text, &ns);
        if (understood != (good_start_times[i].ns >= 0) || (understood && ns != good_start_times[i].ns))
            fail_msg("%s becomes %" PRId64, good_start_times[i].text, ns);
    }
    setenv("TZ", "XYZ-2", 1); /* two hours east of Greenwich */
    assert_true(cli_start_time("1970-01-01T02:00:01", &ns));
    assert_int_equal(ns, 1000000000);
    unsetenv("TZ");
}

static const char *const bad_start_times[] = {
    "",
    "@",
    "@-1",
    "@1.",
    "@1x",
    "@99999999999",
    "@7258118400",
    "now",
    "2026-01-31",
    "2026-13-01T00:00Z",
    "2026-00-01T00:00Z",
    "2026-02-29T00:00Z",
    "2100-02-29T00:00Z",
    "2026-04-31T00:00Z",
    "2026-01-00T00:00Z",
    "2026-01-31T24:00Z",
    "2026-01-31T12:60Z",
    "2026-01-31T12:00:61Z",
    "2026-01-31T12:00:00.Z",
    "2026-01-31T12:00:00ZZ",
    "2026-01-31T12:00:00+1",
    "2026-01-31T12:00:00+25:00",
    "2026-01-31T12:00:00+01:60",
    "2200-01-01T00:00Z",
    "26-01-31T12:00Z",
    "1970-01-01T00:00:00+01:00",
};

static void other_start_times_are_refused(void **state)
{
    int64_t ns;
    (void)state;
    for (unsigned i = 0; i < sizeof bad_start_times / sizeof bad_start_times[0]; i++) {
        if (cli_start_time(bad_start_times[i], &ns))
            fail_msg("%s is understood as %" PRId64, bad_start_times[i], ns);
    }
}

__extension__ typedef unsigned __int128 wide;

/* At 168 MHz 42 ticks are 250 ns. Later times are shown a little too late, because mult is rounded up. */
static void raw_ticks_stay_and_become_ns_on_reading(void **state)
{
    const struct trace_writer *writers[] = {&writer_tracedat, &writer_tracedat6};
    for (unsigned i = 0; i < 2; i++) {
        if (i > 0)
            use_default(state);
        variant.writer = writers[i];
        trace.clock_hz = 168000000;
        options.raw_tsc = true;
        begin(1);
        for (uint32_t k = 0; k < 1000; k++)
            add_pair(0, 1000000 + 250 * k, k);
        for (uint32_t k = 0; k < 100; k++)
            add_pair(0, 2000000 + 1000000000 * (uint64_t)k, k);
        for (unsigned k = 1000; k < nlines; k++) { /* 1 ns too much in 2 s */
            uint64_t ticks = (lines[k].time * 168 + 999) / 1000;
            uint64_t shown = (uint64_t)((wide)ticks * 1597830096 >> 28);
            char time[32];

            assert_true(shown - lines[k].time < 60);
            snprintf(time, sizeof time, "%5" PRIu64 ".%09" PRIu64, shown / SECOND, shown % SECOND);
            memcpy(strchr(lines[k].text, ']') + 2, time, strlen(time));
            lines[k].time = shown;
        }
        finish();
        judge();
        run_prints("168000\n",
                   "trace-cmd report --raw-ts %s 2>&1 | sed -n 's/.*\\] *\\([^ ]*\\): pair.*/\\1/p' | head -n 1", path);
        if (i == 0)
            tear_down(state);
    }
}

/* Clocks of any speed, as exactly as two roundings allow: of ns to ticks here, and of ticks to ns by readers. */
static void clocks_of_any_speed_become_ns(void **state)
{
    static const uint64_t clocks[] = {1,         1000,       32768,      1000000,   499999999,
                                      999999999, 1000000000, 1000000001, 4200000000};
    for (unsigned i = 0; i < sizeof clocks / sizeof clocks[0]; i += tier_step(3)) {
        uint64_t second = UINT64_C(1000000000) * 5000; /* viewers take times from the 1000th tick on */
        if (i > 0)
            use_default(state);
        trace.clock_hz = clocks[i];
        options.raw_tsc = true;
        begin(1);
        add_pair(0, second, 1);
        finish();
        free(run("trace-cmd report %s 2>/dev/null | grep -q ' 5000.00000[0-5]: pair:'", path));
        if (i + tier_step(3) < sizeof clocks / sizeof clocks[0])
            tear_down(state);
    }
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int run_variants(void)
{
    static const struct named events[] = {
        {"all sorts of events are shown", all_sorts_of_events_are_shown},
        {"losses are told anywhere", losses_are_told_anywhere},
        {"a file may be empty", a_file_may_be_empty},
        {"the longest event fits a marked page", the_longest_event_fits_a_marked_page},
    };
    int failed = 0;
    for (unsigned i = 0; i < VARIANTS; i += tier_step(5))
        failed += run_variant(&variants[i], events, sizeof events / sizeof events[0]);
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("many chunks come in order", many_chunks_come_in_order),
        test("short chunks wait for long ones", short_chunks_wait_for_long_ones),
        test("the compressor tells its version", the_compressor_tells_its_version),
        test("pages make room for a long head", pages_make_room_for_a_long_head),
        test("no table of version 6 is empty", no_table_of_version_6_is_empty),
        test("text stands behind its head", text_stands_behind_its_head),
        test("addresses have symbols", addresses_have_symbols),
        test("formats are strings of the source", formats_are_strings_of_the_source),
        test("the firmware is told", the_firmware_is_told),
        test("the first event has the start time", the_first_event_has_the_start_time),
        test("start times are understood", start_times_are_understood),
        test("other start times are refused", other_start_times_are_refused),
        test("raw ticks stay and become ns on reading", raw_ticks_stay_and_become_ns_on_reading),
        test("clocks of any speed become ns", clocks_of_any_speed_become_ns),
    };
    int failed;
    begin_tests();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    return end_tests(failed + run_variants());
}
