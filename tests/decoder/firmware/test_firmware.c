/* test_firmware.c - firmware files judged by readelf and nm: symbols, segments, format strings, and addresses shown by
 * name.
 *
 * What io/firmware must say of a file is computed from what readelf prints; libtraceevent shows addresses by it.
 */
#define _GNU_SOURCE
#include "base/heap.h"
#include "harness.h"

#include "io/firmware/elf.h"
#include "io/firmware/firmware.h"
#include "formats/tracedat/write/tables.h"
#include "formats/tracedat/write/piece.h"

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

static bool is_end_marker(const struct trace_symbol *symbol)
{
    return symbol->size == 0 && (strcmp(symbol->name, ELF_CODE_END) == 0 || strcmp(symbol->name, ELF_END) == 0);
}

static void check_symbols(const struct build *how)
{
    const struct trace_firmware *firmware = trace.firmware;
    size_t distinct = 0, markers = 0;
    for (size_t i = 0; i < nsymbols; i++)
        distinct += best_at(symbols[i].address) == &symbols[i];
    for (size_t i = 0; i < firmware->nsymbols; i++) {
        const struct trace_symbol *symbol = &firmware->symbols[i];
        const struct symbol *expected = best_at(symbol->address);
        assert_true(i == 0 || firmware->symbols[i - 1].address < symbol->address);
        if (is_end_marker(symbol)) {
            assert_null(expected);
            markers++;
            continue;
        }
        assert_non_null(expected);
        assert_string_equal(symbol->name, expected->name);
        assert_int_equal(symbol->type, nm_letter(how, symbol->name));
        if (expected->size > 0)
            assert_int_equal(symbol->size, expected->size);
    }
    assert_int_equal(firmware->nsymbols, distinct + markers);
    assert_in_range(markers, 1, 2);
    assert_string_equal(firmware->symbols[firmware->nsymbols - 1].name, ELF_END);
}

/* Look up every address in and around every symbol, and compare with a search through all of them. */
static void check_lookups(void)
{
    const struct trace_firmware *firmware = trace.firmware;
    for (size_t i = 0; i < firmware->nsymbols; i++) {
        for (uint64_t at = firmware->symbols[i].address - 9;
             at < firmware->symbols[i].address + firmware->symbols[i].size + 9; at++) {
            const struct trace_symbol *expected = NULL;
            uint64_t offset = 0;
            const struct trace_symbol *found = trace_symbol_at(firmware, at, &offset);
            for (size_t k = 0; k < firmware->nsymbols && firmware->symbols[k].address <= at; k++)
                expected = &firmware->symbols[k];
            if (expected != NULL && at - expected->address >= expected->size)
                expected = NULL;
            assert_ptr_equal(found, expected);
            if (found != NULL)
                assert_int_equal(offset, at - found->address);
        }
    }
}

static void symbols_are_those_of_readelf(void **state)
{
    (void)state;
    for (size_t i = 0; i < BUILDS; i++) {
        struct firmware_file *elf;
        build(&builds[i], "");
        ask_readelf(&builds[i]);
        elf = must_open();
        check_symbols(&builds[i]);
        check_lookups();
        firmware_close(elf);
        assert_null(trace.firmware);
    }
}

static const struct trace_symbol *named(const char *name)
{
    for (size_t i = 0; i < trace.firmware->nsymbols; i++) {
        if (strcmp(trace.firmware->symbols[i].name, name) == 0)
            return &trace.firmware->symbols[i];
    }
    return NULL;
}

static void the_best_name_stays(void **state)
{
    struct firmware_file *elf;
    uint64_t offset;
    (void)state;
    build(&builds[0], "");
    elf = must_open();
    assert_non_null(named("wk")); /* of work, work_alias, wk and the weak w */
    assert_null(named("work"));
    assert_null(named("work_alias"));
    assert_null(named("w"));
    assert_non_null(named("soft")); /* weak, before the local s */
    assert_null(named("s"));
    assert_null(named("only_label"));
    assert_non_null(named("no_size"));
    for (size_t i = 0; i < trace.firmware->nsymbols; i++)
        assert_int_not_equal(trace.firmware->symbols[i].name[0], '$');
    /* "no_size: nop nop only_label: nop nop" is 8 bytes of Thumb code */
    assert_string_equal(trace_symbol_at(trace.firmware, named("no_size")->address + 7, &offset)->name, "no_size");
    assert_int_equal(offset, 7);
    assert_null(trace_symbol_at(trace.firmware, 0, &offset));
    assert_null(trace_symbol_at(trace.firmware, UINT64_MAX, &offset));
    assert_null(trace_symbol_at(NULL, CODE, &offset));
    firmware_close(elf);
}

static void clones_have_the_names_of_their_functions(void **state)
{
    static const struct {
        const char *name, *shown;
    } clones[] = {{"one.isra.0", "one"},         {"two.constprop.12", "two"},
                  {"three.lto_priv.0", "three"}, {"four.part.1.lto_priv.0", "four"},
                  {"five.llvm.123", "five"},     {".isra.0", ".isra.0"},
                  {"six.isra", "six.isra"},      {"seven.0", "seven.0"}};
    char text[2048] = ".syntax unified\n.thumb\n";
    struct firmware_file *elf;
    (void)state;
    for (size_t i = 0; i < sizeof clones / sizeof clones[0]; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ".type %s, %%function\n%s: bx lr\n.size %s, .-%s\n",
                 clones[i].name, clones[i].name, clones[i].name, clones[i].name);
    put_source("t.s", text);
    shell("cd %s && arm-none-eabi-gcc -nostdlib -Wl,-e,0 t.s -o t.elf", directory);
    elf = must_open();
    for (size_t i = 0; i < sizeof clones / sizeof clones[0]; i++) {
        if (named(clones[i].shown) == NULL)
            fail_msg("%s", clones[i].name);
    }
    firmware_close(elf);
}

static void names_need_not_be_ascii(void **state)
{
    struct firmware_file *elf;
    (void)state;
    build(&builds[0], "-DODD_NAME=v\xC3\xA9rit\xC3\xA9");
    elf = must_open();
    assert_non_null(named("v\xC3\xA9rit\xC3\xA9"));
    firmware_close(elf);
}

/* ---- what else a file tells -------------------------------------------------------------------------------------- */

/* "  LOAD           0x001000 0x00001000 0x00001000 0x00058 0x00058 R E 0x1000" */
static void segments_are_those_of_readelf(void **state)
{
    struct firmware_file *elf;
    char line[256];
    size_t n = 0;
    (void)state;
    for (size_t i = 0; i < BUILDS; i++) {
        FILE *pipe;
        build(&builds[i], "");
        elf = must_open();
        n = 0;
        pipe = output_of(&builds[i], "readelf -lW");
        while (fgets(line, sizeof line, pipe)) {
            uint64_t address, size;
            if (sscanf(line, " LOAD %*x %" SCNx64 " %*x %*x %" SCNx64, &address, &size) != 2)
                continue;
            assert_true(n < trace.firmware->nsegments);
            assert_int_equal(trace.firmware->segments[n].address, address);
            assert_int_equal(trace.firmware->segments[n].size, size);
            assert_string_equal(trace.firmware->segments[n++].name, path);
        }
        pclose(pipe);
        assert_int_equal(n, trace.firmware->nsegments);
        assert_true(n > 0);
        firmware_close(elf);
    }
}

static void build_id_is_that_of_readelf(void **state)
{
    static const char *const styles[] = {"sha1", "md5", "0x1234567890abcdef01020304", "0x12345678"};
    char line[256], id[64], expected[64];
    struct firmware_file *elf;
    (void)state;
    for (size_t i = 0; i < BUILDS * 4; i++) {
        const struct build *how = &builds[i / 4];
        FILE *pipe;
        snprintf(line, sizeof line, "-Wl,--build-id=%s", styles[i % 4]);
        build(how, line);
        pipe = output_of(how, "readelf -n");
        id[0] = expected[0] = '\0';
        while (fgets(line, sizeof line, pipe))
            if (strstr(line, "Build ID: ") != NULL)
                sscanf(strstr(line, "Build ID: "), "Build ID: %63s", expected);
        pclose(pipe);
        elf = must_open();
        for (size_t k = 0; k < trace.firmware->build_id_size; k++)
            sprintf(id + 2 * k, "%02x", trace.firmware->build_id[k]);
        assert_true(strlen(expected) > 0);
        assert_string_equal(id, expected);
        firmware_close(elf);
    }
    build(&builds[0], "-Wl,--build-id=none");
    elf = must_open();
    assert_int_equal(trace.firmware->build_id_size, 0);
    firmware_close(elf);
}

static void formats_have_their_addresses(void **state)
{
    struct firmware_file *elf;
    uint64_t last;
    (void)state;
    for (size_t i = 0; i < BUILDS; i++) {
        build(&builds[i], i == 1 ? "-Wl,--section-start=tlog_printk=0x4000" : "-Wl,--section-start=tlog_printk=0");
        elf = must_open();
        assert_int_equal(trace.nprintk, 3);
        assert_int_equal(trace.printk[0].address & 0x3FFF, 0);
        assert_string_equal(trace_printk_at(&trace, trace.printk[0].address), trace.printk[0].format);
        for (size_t k = 0; k < 3; k++) {
            const char *format = trace.printk[k].format;
            assert_true(strcmp(format, "value %d\n") == 0 || strcmp(format, "name %s, %llu") == 0
                        || strcmp(format, "100%%") == 0);
            for (size_t at = 0; at <= strlen(format); at++) {
                assert_ptr_equal(trace_printk_at(&trace, trace.printk[k].address + at), format + at);
            }
        }
        last = trace.printk[2].address + strlen(trace.printk[2].format);
        assert_null(trace_printk_at(&trace, last + 1));
        assert_null(trace_printk_at(&trace, last + 16));
        assert_null(trace_printk_at(&trace, UINT64_MAX));
        if (trace.printk[0].address > 0)
            assert_null(trace_printk_at(&trace, trace.printk[0].address - 1));
        firmware_close(elf);
        assert_int_equal(trace.nprintk, 0);
        assert_null(trace_printk_at(&trace, 0));
    }
}

/* Compile a source of its own to path. */
static void build_text(const char *text, const char *flags)
{
    put_source("l.c", text);
    shell("cd %s && arm-none-eabi-gcc -O1 -g -mcpu=cortex-m3 -nostdlib -Wl,-Ttext=0x1000,--no-check-sections%s l.c -o "
          "t.elf",
          directory, flags);
}

/* Sections as C++ makes them, where no linker script puts them together; and two with names that are only similar. */
static const char apart[] = "#define TEXT(n, s, t) const char n[] __attribute__((section(s), used)) = t;\n"
                            "TEXT(a, \"tlog_printk.10\", \"ten\") TEXT(b, \"tlog_printk.2\", \"two\\0more of two\") "
                            "TEXT(c, \"tlog_printk\", \"plain\")\n"
                            "TEXT(d, \"tlog_printks\", \"no format\") TEXT(e, \".tlog_printk.3\", \"no format\")\n"
                            "int _start(void) { return (int)a + (int)b + (int)c; }\n";

static void formats_may_be_in_many_sections(void **state)
{
    static const char *const formats[] = {"two", "more of two", "plain", "ten"};
    static const uint64_t addresses[] = {0x3000, 0x3004, 0x4000, 0x5000};
    struct firmware_file *elf;
    char expected[256];
    (void)state;
    build_text(apart, ",--section-start=tlog_printk.10=0x5000,--section-start=tlog_printk.2=0x3000"
                      ",--section-start=tlog_printk=0x4000");
    elf = must_open();
    assert_true(trace.firmware->has_formats);
    assert_int_equal(trace.nprintk, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(trace.printk[i].address, addresses[i]);
        assert_string_equal(trace.printk[i].format, formats[i]);
        assert_string_equal(trace_printk_at(&trace, addresses[i] + 1), formats[i] + 1);
    }
    assert_null(trace_printk_at(&trace, 0x3010));
    assert_null(trace_printk_at(&trace, 0x5004));
    firmware_close(elf);

    build_text(apart, ",--section-start=tlog_printk.10=0x3003,--section-start=tlog_printk.2=0x3000");
    snprintf(expected, sizeof expected,
             "tlog-decode: %s: its sections tlog_printk.* lie over each other, and no format is known: see "
             "linker/tlog.ld\n",
             path);
    catch_stderr();
    elf = must_open();
    stderr_must_be(expected);
    assert_int_equal(trace.nprintk, 0);
    assert_null(trace_printk_at(&trace, 0x3000));
    firmware_close(elf);

    build_text("int _start(void) { return 0; }", "");
    elf = must_open();
    assert_false(trace.firmware->has_formats);
    assert_string_equal(trace.firmware->path, path);
    firmware_close(elf);
    assert_null(trace.firmware);
}

/* Two functions with a table at the address of the format string, as on a core whose RAM or flash begins at 0. */
static const char logging[] =
    "#define TABLE(s) static const volatile char table[3] __attribute__((section(s))) = {1, 2, 3}; return table[i]\n"
    "__attribute__((noinline)) int before(int i) { TABLE(\".low1\"); }\n"
    "__attribute__((noinline)) int logger(int i)\n"
    "{\n"
    "    static const char tlog_format[] __attribute__((section(\"tlog_printk\"), used)) = \"hello\";\n"
    "    return (int)tlog_format + i;\n"
    "}\n"
    "__attribute__((noinline)) int after(int i) { TABLE(\".low2\"); }\n"
    "int _start(void) { return before(1) + logger(2) + after(1); }\n";

static void formats_have_their_functions(void **state)
{
    const struct trace_symbol *symbol;
    struct firmware_file *elf;
    (void)state;
    build_text(logging,
               ",--section-start=tlog_printk=0x4000,--section-start=.low1=0x4000,--section-start=.low2=0x4000");
    elf = must_open();
    assert_int_equal(trace.nprintk, 1);
    symbol = trace_symbol_before(trace.firmware, trace.printk[0].function);
    assert_non_null(symbol);
    assert_string_equal(symbol->name, "logger");
    firmware_close(elf);
}

/* ---- addresses in events ----------------------------------------------------------------------------------------- */

static const struct trace_symbol two_symbols[] = {{CODE, 0x20, "tick_handler", 'T'},
                                                  {CODE + 0x20, 0, "_etext", 'T'},
                                                  {DATA, 16, "queue", 'B'},
                                                  {DATA + 16, 0, "_end", 'B'}};
static const struct trace_firmware two_image = {.symbols = two_symbols, .nsymbols = 4};

static const struct tlog_field address_fields[] = {{"at", TLOG_KIND_ADDRESS, 0, 4}, {"from", TLOG_KIND_ADDRESS, 8, 8}};
static const struct tlog_type address_type = {"shark", "test", TLOG_MEANS_PLAIN, 16, 2, address_fields, NULL};

struct shown {
    uint32_t at;
    uint64_t from;
    const char *text, *without, *traced; /* traced: as trace-cmd shows it, with the offset 0 */
};

static const struct shown shown[] = {
    {CODE, DATA + 15, "at=tick_handler from=queue+0xf", "at=0x1000 from=0x2000000f",
     "at=tick_handler+0x0 from=queue+0xf"},
    {CODE + 0x1F, CODE, "at=tick_handler+0x1f from=tick_handler", "at=0x101f from=0x1000",
     "at=tick_handler+0x1f from=tick_handler+0x0"},
    {CODE - 1, 1, "at=0xfff from=0x1", "at=0xfff from=0x1", NULL},
    {0, UINT64_MAX, "at=0x0 from=0xffffffffffffffff", "at=0x0 from=0xffffffffffffffff", NULL},
};

static void put_payload(unsigned char *to, const struct shown *what)
{
    memset(to, 0, 16);
    for (int i = 0; i < 8; i++) {
        to[i] = (unsigned char)((uint64_t)what->at >> 8 * i);
        to[8 + i] = (unsigned char)(what->from >> 8 * i);
    }
}

static void text_shows_names(const struct trace_firmware *firmware)
{
    static struct trace_batch batch;
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        int file = memfd_create("text", 0);
        char got[512] = "";
        void *writer;
        trace.firmware = firmware;
        trace.ncpus = 1;
        batch.event[0] = (struct tlog_event){.data = batch.room, .size = 16, .type = trace_type(&trace, &address_type)};
        batch.n = 1;
        put_payload(batch.room, &shown[i]);
        writer = writer_text_full.open(&trace, NULL, file);
        assert_int_equal(writer_text_full.write(writer, 0, &batch), 0);
        assert_int_equal(writer_text_full.close(writer, true), 0);
        assert_true(pread(file, got, sizeof got - 1, 0) > 0);
        got[strlen(got) - 1] = '\0';
        assert_string_equal(strstr(got, "at="), firmware != NULL ? shown[i].text : shown[i].without);
        close(file);
    }
}

static void text_has_names(void **state)
{
    (void)state;
    text_shows_names(NULL);
    text_shows_names(&two_image);
}

/* What libtraceevent prints of the shown events with the format that the trace.dat writer gives the type. Its symbols
 * do not tell their size, so with symbols only the first two, which are inside of some, are compared. */
static void tracedat_shows_names(const char *format, size_t size, const struct trace_firmware *firmware)
{
    struct tep_handle *tep = tep_alloc();
    unsigned char record[24] = {0};
    struct tep_record event = {.data = record, .size = sizeof record};
    struct trace_seq seq;
    int id;
    for (size_t i = 0; firmware != NULL && i < firmware->nsymbols; i++)
        tep_register_function(tep, (char *)(uintptr_t)firmware->symbols[i].name, firmware->symbols[i].address, NULL);
    assert_int_equal(tep_parse_event(tep, format, size, "shark"), 0);
    id = tep_find_event_by_name(tep, "shark", "test")->id;
    record[0] = (unsigned char)id;
    record[1] = (unsigned char)(id >> 8);
    trace_seq_init(&seq);
    for (size_t i = 0; i < (firmware != NULL ? 2 : 4); i++) {
        put_payload(record + 8, &shown[i]);
        trace_seq_reset(&seq);
        tep_print_event(tep, &seq, &event, "%s", TEP_PRINT_INFO);
        trace_seq_terminate(&seq);
        assert_string_equal(seq.buffer, firmware != NULL ? shown[i].traced : shown[i].without);
    }
    trace_seq_destroy(&seq);
    tep_free(tep);
}

static void tracedat_has_names(void **state)
{
    static const char last[] = "REC->from\n";
    struct tracedat_piece text = {0};
    const char *format, *end;
    (void)state;
    trace_type(&trace, &address_type);
    tracedat_add_event_formats(&text, &trace);
    assert_false(text.failed);
    format = memmem(text.bytes, text.used, "name: test\n", 11);
    assert_non_null(format);
    end = memmem(format, 1000, last, sizeof last - 1);
    assert_non_null(end);
    tracedat_shows_names(format, (size_t)(end - format) + sizeof last - 1, NULL);
    tracedat_shows_names(format, (size_t)(end - format) + sizeof last - 1, &two_image);
    heap_free(text.bytes);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(symbols_are_those_of_readelf),
        TEST(the_best_name_stays),
        TEST(clones_have_the_names_of_their_functions),
        TEST(names_need_not_be_ascii),
        TEST(segments_are_those_of_readelf),
        TEST(build_id_is_that_of_readelf),
        TEST(formats_have_their_addresses),
        TEST(formats_may_be_in_many_sections),
        TEST(formats_have_their_functions),
        TEST(text_has_names),
        TEST(tracedat_has_names),
    };
    if (mkdtemp(directory) == NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
