/* test_elf.c - firmware files built here by the ARM compiler, judged by readelf and nm; then cut and bent in every way.
 *
 * What the ELF module must say of a file is computed from what readelf prints; libtraceevent shows addresses by it.
 */
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "elf_image.h"
#include "native_harness.h"
#include "tlog_pack.h"
#include "trace.h"
#include "tracedat_format.h"
#include "tracedat_text.h"

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const struct trace_writer writer_text;

enum { MAX_SYMBOLS = 256, CODE = 0x1000, DATA = 0x20000000 };

static struct trace trace;
static char directory[] = "/tmp/test_elf_XXXXXX";
static char path[64];

/* ---- building ---------------------------------------------------------------------------------------------------- */

static const char source[] =
    "__asm__(\".pushsection tlog_printk,\\\"\\\",%progbits\\n\"\n"
    "        \"one: .asciz \\\"value %d\\\\n\\\"\\n.balign 16\\ntwo: .asciz \\\"name %s, %llu\\\"\\n\"\n"
    "        \"three: .asciz \\\"100%%\\\"\\n.type one, %object\\n.size one, 10\\n.popsection\");\n"
    "int counter = 7; static int hidden = 8; int zeroed[10]; static long small_bss; const int table[4] = {1, 2, 3, "
    "4};\n"
    "static const short local_table[3] = {1, 2, 3};\n"
    "static __attribute__((noinline)) int helper(int a) { return a * hidden + local_table[a & 1] + (int)small_bss; }\n"
    "int work(int a) { small_bss++; return helper(a) + counter + zeroed[a & 7] + table[a & 3]; }\n"
    "int work_alias(int a) __attribute__((alias(\"work\")));\n"
    "int wk(int a) __attribute__((alias(\"work\")));\n"
    "__attribute__((weak)) int soft(void) { return 3; }\n"
    "__attribute__((weak, alias(\"work\"))) int w(int);\n"
    "static __attribute__((used, alias(\"soft\"))) int s(void);\n"
    "int _start(void); int _start(void) { return work(1) + soft(); }\n"
    "#ifdef ODD_NAME\nint ODD_NAME(void); int ODD_NAME(void) { return 5; }\n#endif\n"
    "#ifdef __arm__\n"
    "static __attribute__((used)) int $d(void) { return 9; }\n"
    "__asm__(\".text\\n.thumb_func\\n.global no_size\\n.type no_size, %function\\nno_size: nop\\nnop\\n\"\n"
    "        \".global only_label\\nonly_label: nop\\nnop\\n\");\n"
    "#endif\n";

/* What readelf and nm print for it must come from tools of the same kind: prefix is theirs. */
struct build {
    const char *prefix, *flags;
};

static const struct build builds[] = {
    {"arm-none-eabi-", "-mcpu=cortex-m3 -mthumb -Wl,-Ttext=0x1000,-Tdata=0x20000000"},
    {"arm-none-eabi-", "-mcpu=arm7tdmi -marm -mbig-endian -Wl,-Ttext=0x1000,-Tdata=0x20000000"},
    {"", "-m64 -static -no-pie -fno-pie -fcf-protection=none"},
};

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void shell(const char *format, ...)
{
    char command[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    assert_int_equal(system(command), 0);
}

static void build(const struct build *how, const char *more)
{
    char name[96];
    FILE *file;

    snprintf(name, sizeof name, "%s/t.c", directory);
    file = fopen(name, "w");
    assert_non_null(file);
    fputs(source, file);
    fclose(file);
    shell("cd %s && %sgcc -Os %s -ffreestanding -fno-asynchronous-unwind-tables -nostdlib %s t.c -o t.elf 2>log || "
          "{ cat log; exit 1; }",
          directory, how->prefix, how->flags, more);
}

/* ---- what readelf says ------------------------------------------------------------------------------------------- */

struct symbol {
    uint64_t address, size;
    char bind[16], type[16], name[64];
};

static struct symbol symbols[MAX_SYMBOLS];
static size_t nsymbols;

static FILE *output_of(const struct build *how, const char *tool)
{
    char command[256];
    FILE *pipe;

    snprintf(command, sizeof command, "%s%s %s 2>/dev/null", how->prefix, tool, path);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    return pipe;
}

/* "  12: 00001001    24 FUNC    GLOBAL DEFAULT    1 work" */
static void ask_readelf(const struct build *how)
{
    FILE *pipe = output_of(how, "readelf -sW");
    char line[256], section[16], size[32];
    struct symbol *to;

    nsymbols = 0;
    while (fgets(line, sizeof line, pipe)) {
        to = &symbols[nsymbols];
        assert_true(nsymbols < MAX_SYMBOLS);
        if (sscanf(line, " %*u: %" SCNx64 " %31s %15s %15s %*s %15s %63s", &to->address, size, to->type, to->bind,
                   section, to->name)
            != 6)
            continue;
        to->size = strtoull(size, NULL, 0);
        if ((strcmp(to->type, "FUNC") != 0 && strcmp(to->type, "OBJECT") != 0) || section[0] < '0' || section[0] > '9')
            continue;
        if (strcmp(to->name, "one") == 0 || to->name[0] == '$')
            continue; /* in the section that is not loaded; like a mapping symbol */
        if (strcmp(to->type, "FUNC") == 0 && how->prefix[0] != '\0')
            to->address &= ~UINT64_C(1);
        nsymbols++;
    }
    pclose(pipe);
    assert_true(nsymbols > 10);
}

static bool is_better(const struct symbol *a, const struct symbol *b)
{
    static const char *const order[] = {"GLOBAL", "WEAK", "LOCAL"};
    int left = 0, right = 0;

    while (strcmp(order[left], a->bind) != 0)
        left++;
    while (strcmp(order[right], b->bind) != 0)
        right++;
    if (left != right)
        return left < right;
    return strlen(a->name) != strlen(b->name) ? strlen(a->name) < strlen(b->name) : strcmp(a->name, b->name) < 0;
}

/* The symbol that must stand at an address. */
static const struct symbol *best_at(uint64_t address)
{
    const struct symbol *best = NULL;

    for (size_t i = 0; i < nsymbols; i++) {
        if (symbols[i].address == address && (best == NULL || is_better(&symbols[i], best)))
            best = &symbols[i];
    }
    return best;
}

static char nm_letter(const struct build *how, const char *name)
{
    FILE *pipe = output_of(how, "nm");
    char line[256], found[64], letter, result = '?';

    while (fgets(line, sizeof line, pipe)) {
        if (sscanf(line, "%*x %c %63s", &letter, found) == 2 && strcmp(found, name) == 0)
            result = letter;
    }
    pclose(pipe);
    return result;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static int set_up(void **state)
{
    (void)state;
    trace_init(&trace, "dump.bin");
    snprintf(path, sizeof path, "%s/t.elf", directory);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    trace_free(&trace);
    return 0;
}

static struct elf_image *must_open(void)
{
    struct elf_image *elf = elf_image_open(&trace, path);

    assert_string_equal(trace.error, "");
    assert_non_null(elf);
    assert_non_null(trace.image);
    return elf;
}

static void must_fail(const char *file, const char *message)
{
    char expected[256];

    snprintf(expected, sizeof expected, "%s: %s", file, message);
    assert_null(elf_image_open(&trace, file));
    assert_string_equal(trace.error, expected);
    assert_null(trace.image);
    trace_free(&trace);
    trace_init(&trace, "dump.bin");
}

static int saved_stderr;

static void catch_stderr(void)
{
    int file = memfd_create("stderr", 0);

    fflush(stderr);
    saved_stderr = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    close(file);
}

static void stderr_must_be(const char *expected)
{
    char got[512] = "";
    ssize_t n;

    fflush(stderr);
    n = pread(STDERR_FILENO, got, sizeof got - 1u, 0);
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    assert_true(n >= 0);
    assert_string_equal(got, expected);
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

static bool is_end_marker(const struct trace_symbol *symbol)
{
    return symbol->size == 0
           && (strcmp(symbol->name, ELF_IMAGE_CODE_END) == 0 || strcmp(symbol->name, ELF_IMAGE_END) == 0);
}

static void check_symbols(const struct build *how)
{
    const struct trace_image *image = trace.image;
    size_t distinct = 0, markers = 0;

    for (size_t i = 0; i < nsymbols; i++)
        distinct += best_at(symbols[i].address) == &symbols[i];
    for (size_t i = 0; i < image->nsymbols; i++) {
        const struct trace_symbol *symbol = &image->symbols[i];
        const struct symbol *expected = best_at(symbol->address);

        assert_true(i == 0 || image->symbols[i - 1].address < symbol->address);
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
    assert_int_equal(image->nsymbols, distinct + markers);
    assert_in_range(markers, 1, 2);
    assert_string_equal(image->symbols[image->nsymbols - 1].name, ELF_IMAGE_END);
}

/* Every address in and around every symbol, looked up by going through all of them. */
static void check_lookups(void)
{
    const struct trace_image *image = trace.image;

    for (size_t i = 0; i < image->nsymbols; i++) {
        for (uint64_t at = image->symbols[i].address - 9; at < image->symbols[i].address + image->symbols[i].size + 9;
             at++) {
            const struct trace_symbol *expected = NULL;
            uint64_t offset = 0;
            const struct trace_symbol *found = trace_symbol_at(image, at, &offset);

            for (size_t k = 0; k < image->nsymbols && image->symbols[k].address <= at; k++)
                expected = &image->symbols[k];
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
    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
        struct elf_image *elf;

        build(&builds[i], "");
        ask_readelf(&builds[i]);
        elf = must_open();
        check_symbols(&builds[i]);
        check_lookups();
        elf_image_close(elf);
        assert_null(trace.image);
    }
}

static const struct trace_symbol *named(const char *name)
{
    for (size_t i = 0; i < trace.image->nsymbols; i++) {
        if (strcmp(trace.image->symbols[i].name, name) == 0)
            return &trace.image->symbols[i];
    }
    return NULL;
}

static void the_best_name_stays(void **state)
{
    struct elf_image *elf;
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
    for (size_t i = 0; i < trace.image->nsymbols; i++)
        assert_int_not_equal(trace.image->symbols[i].name[0], '$');
    /* "no_size: nop nop only_label: nop nop" is 8 bytes of Thumb code */
    assert_string_equal(trace_symbol_at(trace.image, named("no_size")->address + 7, &offset)->name, "no_size");
    assert_int_equal(offset, 7);
    assert_null(trace_symbol_at(trace.image, 0, &offset));
    assert_null(trace_symbol_at(trace.image, UINT64_MAX, &offset));
    assert_null(trace_symbol_at(NULL, CODE, &offset));
    elf_image_close(elf);
}

static void names_need_not_be_ascii(void **state)
{
    struct elf_image *elf;

    (void)state;
    build(&builds[0], "-DODD_NAME=v\xC3\xA9rit\xC3\xA9");
    elf = must_open();
    assert_non_null(named("v\xC3\xA9rit\xC3\xA9"));
    elf_image_close(elf);
}

/* ---- the rest of an image ---------------------------------------------------------------------------------------- */

/* "  LOAD           0x001000 0x00001000 0x00001000 0x00058 0x00058 R E 0x1000" */
static void segments_are_those_of_readelf(void **state)
{
    struct elf_image *elf;
    char line[256];
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
        FILE *pipe;

        build(&builds[i], "");
        elf = must_open();
        n = 0;
        pipe = output_of(&builds[i], "readelf -lW");
        while (fgets(line, sizeof line, pipe)) {
            uint64_t address, size;

            if (sscanf(line, " LOAD %*x %" SCNx64 " %*x %*x %" SCNx64, &address, &size) != 2)
                continue;
            assert_true(n < trace.image->nsegments);
            assert_int_equal(trace.image->segments[n].address, address);
            assert_int_equal(trace.image->segments[n].size, size);
            assert_string_equal(trace.image->segments[n++].name, path);
        }
        pclose(pipe);
        assert_int_equal(n, trace.image->nsegments);
        assert_true(n > 0);
        elf_image_close(elf);
    }
}

static void build_id_is_that_of_readelf(void **state)
{
    static const char *const styles[] = {"sha1", "md5", "0x1234567890abcdef01020304", "0x12345678"};
    char line[256], id[64], expected[64];
    struct elf_image *elf;

    (void)state;
    for (size_t i = 0; i < sizeof builds / sizeof builds[0] * 4; i++) {
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
        for (size_t k = 0; k < trace.image->build_id_size; k++)
            sprintf(id + 2 * k, "%02x", trace.image->build_id[k]);
        assert_true(strlen(expected) > 0);
        assert_string_equal(id, expected);
        elf_image_close(elf);
    }
    build(&builds[0], "-Wl,--build-id=none");
    elf = must_open();
    assert_int_equal(trace.image->build_id_size, 0);
    elf_image_close(elf);
}

static void formats_have_their_addresses(void **state)
{
    struct elf_image *elf;
    uint64_t last;

    (void)state;
    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
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
                assert_ptr_equal(elf_format_at(elf, trace.printk[k].address + at), format + at);
                assert_ptr_equal(trace_printk_at(&trace, trace.printk[k].address + at), format + at);
            }
        }
        last = trace.printk[2].address + strlen(trace.printk[2].format);
        assert_null(trace_printk_at(&trace, last + 1));
        assert_null(elf_format_at(elf, last + 16));
        assert_null(elf_format_at(elf, UINT64_MAX));
        if (trace.printk[0].address > 0) {
            assert_null(elf_format_at(elf, trace.printk[0].address - 1));
            assert_null(trace_printk_at(&trace, trace.printk[0].address - 1));
        }
        elf_image_close(elf);
        assert_int_equal(trace.nprintk, 0);
        assert_null(trace_printk_at(&trace, 0));
    }
}

/* ---- files that are not what they should be ---------------------------------------------------------------------- */

static void others_are_refused(void **state)
{
    char other[96];

    (void)state;
    must_fail("/nonexistent.elf", "No such file or directory");
    must_fail("/dev/null", "not an ELF file");
    snprintf(other, sizeof other, "%s/t.c", directory);
    build(&builds[0], "");
    must_fail(other, "not an ELF file");
    snprintf(other, sizeof other, "%s/t.o", directory);
    shell("cd %s && arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -c t.c -o t.o", directory);
    must_fail(other, "an object file, not a linked firmware: its addresses are not final");
    must_fail(directory, "cannot be read: invalid file descriptor");
}

static void stripped_is_a_warning(void **state)
{
    struct elf_image *elf;
    uint64_t offset;
    char expected[256];

    (void)state;
    build(&builds[0], "-s");
    snprintf(expected, sizeof expected,
             "tlog-decode: %s: no symbols in it, it may be stripped: addresses stay numbers\n", path);
    catch_stderr();
    elf = elf_image_open(&trace, path);
    stderr_must_be(expected);
    assert_non_null(elf);
    assert_false(trace.failed);
    assert_int_equal(trace.image->nsymbols, 0);
    assert_int_equal(trace.image->nsegments > 0, 1);
    assert_null(trace_symbol_at(trace.image, CODE, &offset));
    elf_image_close(elf);
    trace.quiet = true;
    catch_stderr();
    elf = elf_image_open(&trace, path);
    stderr_must_be("");
    elf_image_close(elf);
}

/* Open the bytes as a file and use all that is found in them. Whether it was opened. */
static bool try_bytes(const unsigned char *bytes, size_t size)
{
    int file = memfd_create("elf", 0);
    char name[64];
    struct elf_image *elf;
    uint64_t sum = 0;

    assert_int_equal(write(file, bytes, size), size);
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    trace_free(&trace);
    trace_init(&trace, "dump.bin");
    trace.quiet = true;
    elf = elf_image_open(&trace, name);
    if (elf == NULL) {
        assert_true(trace.failed);
        assert_int_equal(strncmp(trace.error, name, strlen(name)), 0);
        close(file);
        return false;
    }
    for (size_t i = 0; i < trace.image->nsymbols; i++)
        sum += strlen(trace.image->symbols[i].name)
               + (i > 0 && trace.image->symbols[i - 1].address >= trace.image->symbols[i].address);
    for (size_t i = 0; i < trace.image->build_id_size; i++)
        sum += trace.image->build_id[i];
    for (size_t i = 0; i < trace.nprintk; i++)
        sum += strlen(trace.printk[i].format);
    for (size_t i = 0; i < trace.image->nsegments; i++)
        sum += trace.image->segments[i].size;
    assert_true(sum != 1);
    elf_image_close(elf);
    close(file);
    return true;
}

static unsigned char *whole_file(size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes;

    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* The table of sections is the last thing in the file, so whatever is cut off, something is missing. */
static void cut_files_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
        size_t size;
        unsigned char *bytes;

        build(&builds[i], "-Wl,-z,max-page-size=64 -Wl,--build-id");
        bytes = whole_file(&size);
        assert_true(try_bytes(bytes, size));
        for (size_t cut = 0; cut < size; cut += cut < 256 ? 1 : 64)
            assert_false(try_bytes(bytes, cut));
        for (size_t cut = size - 64; cut < size; cut++)
            assert_false(try_bytes(bytes, cut));
        free(bytes);
    }
}

/* Every byte of the file, one after the other, with other values. */
static void bent_files_do_no_harm(void **state)
{
    static const unsigned char masks[] = {0x01, 0x80, 0xFF};
    size_t opened = 0, tried = 0;

    (void)state;
    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
        size_t size;
        unsigned char *bytes;

        build(&builds[i], "-Wl,-z,max-page-size=64 -Wl,--build-id");
        bytes = whole_file(&size);
        for (size_t at = 0; at < size; at++) {
            for (size_t k = 0; k < sizeof masks; k++) {
                bytes[at] ^= masks[k];
                opened += try_bytes(bytes, size);
                bytes[at] ^= masks[k];
                tried++;
            }
        }
        free(bytes);
    }
    assert_in_range(opened, tried / 4, tried - 100);
}

/* Every number of 2, 4 or 8 bytes as 0, 1, all ones, one more and one less. */
static size_t bend_number(unsigned char *bytes, size_t size, size_t at, size_t width)
{
    uint64_t was = 0, now[] = {0, 1, UINT64_MAX, 0, 0};
    size_t tried = 0;

    memcpy(&was, bytes + at, width);
    now[3] = was + 1;
    now[4] = was - 1;
    for (size_t i = 0; i < sizeof now / sizeof now[0]; i++, tried++) {
        memcpy(bytes + at, &now[i], width);
        try_bytes(bytes, size);
    }
    memcpy(bytes + at, &was, width);
    return tried;
}

static void bent_numbers_do_no_harm(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
        size_t size, tried = 0;
        unsigned char *bytes;

        build(&builds[i], "-Wl,-z,max-page-size=64 -Wl,--build-id");
        bytes = whole_file(&size);
        for (size_t width = 2; width <= 8; width *= 2) {
            for (size_t at = 0; at + width <= size; at += width)
                tried += bend_number(bytes, size, at, width);
        }
        assert_true(tried > 4 * size);
        assert_true(try_bytes(bytes, size));
        free(bytes);
    }
}

/* ---- another firmware -------------------------------------------------------------------------------------------- */

static void another_firmware_is_said(void **state)
{
    struct elf_image *elf;
    char expected[256];

    (void)state;
    build(&builds[0], "-Wl,--build-id=0x0102030405060708090a0b0c");
    elf = must_open();
    catch_stderr();
    elf_image_compare(elf, &trace); /* the dump does not tell */
    memcpy(trace.build, "\1\2\3\4\5\6\7\10", 8);
    elf_image_compare(elf, &trace);
    stderr_must_be("");
    trace.build[7] = 0xFE;
    snprintf(expected, sizeof expected,
             "tlog-decode: %s is not the firmware of this dump: build id 0102030405060708, dump has 01020304050607fe; "
             "names may be wrong\n",
             path);
    catch_stderr();
    elf_image_compare(elf, &trace);
    stderr_must_be(expected);
    trace.quiet = true;
    catch_stderr();
    elf_image_compare(elf, &trace);
    stderr_must_be("");
    elf_image_close(elf);
    trace.quiet = false;
    build(&builds[0], "-Wl,--build-id=none");
    elf = must_open();
    snprintf(expected, sizeof expected,
             "tlog-decode: %s is not the firmware of this dump: build id none, dump has 01020304050607fe; names may be "
             "wrong\n",
             path);
    catch_stderr();
    elf_image_compare(elf, &trace);
    stderr_must_be(expected);
    elf_image_close(elf);
}

static void the_dump_tells_its_firmware(void **state)
{
    struct gen_options options = {
        .events = 100, .seed = 5, .slots = 32, .chunks = 3, .cpus = 2, .hz = 1000000, .boot = 1};
    struct bytes dump = make_dump(&options, NULL);
    struct decoded decoded;
    size_t size = 0;

    (void)state;
    decode_bytes(&decoded, dump);
    assert_memory_equal(decoded.trace.build, "\0\0\0\0\0\0\0", 8);
    decoded_free(&decoded);
    for (size_t at = 0; (at = find_image(dump, at, &size)) != SIZE_MAX; at += size) {
        memcpy(dump.data + at + 40, "firmware", 8); /* FORMAT.md, 2.1 */
        fix_header(dump.data + at);
    }
    decode_bytes(&decoded, dump);
    assert_memory_equal(decoded.trace.build, "firmware", 8);
    decoded_free(&decoded);
    bytes_free(&dump);
}

static void a_region_tells_it_too(void **state)
{
    struct gen_options options = {
        .events = 20, .seed = 5, .slots = 32, .chunks = 1, .cpus = 1, .hz = 1000000, .boot = 1};
    struct bytes dump = make_dump(&options, NULL);
    struct bytes region = {malloc(TLOG_PACK_BYTES(32, 0)), 0};
    struct tlog_pack work;
    struct decoded decoded;
    int32_t size;

    (void)state;
    memcpy(dump.data + 40, "firmware", 8);
    fix_header(dump.data);
    size = tlog_pack((const struct tlog_chunk *)(void *)dump.data, region.data, TLOG_PACK_BYTES(32, 0), &work);
    assert_true(size > 0);
    region.n = (size_t)size;
    decode_bytes(&decoded, region);
    assert_memory_equal(decoded.trace.build, "firmware", 8);
    decoded_free(&decoded);
    bytes_free(&region);
    bytes_free(&dump);
}

/* ---- addresses in events ----------------------------------------------------------------------------------------- */

static const struct trace_symbol two_symbols[] = {{CODE, 0x20, "tick_handler", 'T'},
                                                  {CODE + 0x20, 0, "_etext", 'T'},
                                                  {DATA, 16, "queue", 'B'},
                                                  {DATA + 16, 0, "_end", 'B'}};
static const struct trace_image two_image = {.symbols = two_symbols, .nsymbols = 4};

static const struct trace_field address_fields[] = {{"at", TRACE_ADDRESS, 0, 4}, {"from", TRACE_ADDRESS, 8, 8}};
static const struct trace_type address_type = {"shark", "test", TRACE_PLAIN, 16, 2, address_fields, NULL};

struct shown {
    uint32_t at;
    uint64_t from;
    const char *text, *without;
};

static const struct shown shown[] = {
    {CODE, DATA + 15, "at=tick_handler+0x0 from=queue+0xf", "at=0x1000 from=0x2000000f"},
    {CODE + 0x1F, CODE, "at=tick_handler+0x1f from=tick_handler+0x0", "at=0x101f from=0x1000"},
    {CODE - 1, 1, "at=0xfff from=0x1", "at=0xfff from=0x1"},
    {0, UINT64_MAX, "at=0x0 from=0xffffffffffffffff", "at=0x0 from=0xffffffffffffffff"},
};

static void put_payload(unsigned char *to, const struct shown *what)
{
    memset(to, 0, 16);
    for (int i = 0; i < 8; i++) {
        to[i] = (unsigned char)((uint64_t)what->at >> 8 * i);
        to[8 + i] = (unsigned char)(what->from >> 8 * i);
    }
}

static void text_shows_names(const struct trace_image *image)
{
    static struct trace_batch batch;

    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        int file = memfd_create("text", 0);
        char got[512] = "";
        void *writer;

        trace.image = image;
        trace.ncpus = 1;
        batch.event[0] =
            (struct trace_event){.data = batch.room, .size = 16, .type = trace_type(&trace, &address_type)};
        batch.n = 1;
        put_payload(batch.room, &shown[i]);
        writer = writer_text.open(&trace, file);
        assert_int_equal(writer_text.write(writer, 0, &batch), 0);
        assert_int_equal(writer_text.close(writer, true), 0);
        assert_true(pread(file, got, sizeof got - 1, 0) > 0);
        got[strlen(got) - 1] = '\0';
        assert_string_equal(strstr(got, "at="), image != NULL ? shown[i].text : shown[i].without);
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
static void tracedat_shows_names(const char *format, size_t size, const struct trace_image *image)
{
    struct tep_handle *tep = tep_alloc();
    unsigned char record[24] = {0};
    struct tep_record event = {.data = record, .size = sizeof record};
    struct trace_seq seq;
    int id;

    for (size_t i = 0; image != NULL && i < image->nsymbols; i++)
        tep_register_function(tep, (char *)(uintptr_t)image->symbols[i].name, image->symbols[i].address, NULL);
    assert_int_equal(tep_parse_event(tep, format, size, "shark"), 0);
    id = tep_find_event_by_name(tep, "shark", "test")->id;
    record[0] = (unsigned char)id;
    record[1] = (unsigned char)(id >> 8);
    trace_seq_init(&seq);
    for (size_t i = 0; i < (image != NULL ? 2 : 4); i++) {
        put_payload(record + 8, &shown[i]);
        trace_seq_reset(&seq);
        tep_print_event(tep, &seq, &event, "%s", TEP_PRINT_INFO);
        trace_seq_terminate(&seq);
        assert_string_equal(seq.buffer, image != NULL ? shown[i].text : shown[i].without);
    }
    trace_seq_destroy(&seq);
    tep_free(tep);
}

static void tracedat_has_names(void **state)
{
    static const char last[] = "REC->from\n";
    struct dat_text text = {0};
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
    free(text.bytes);
}

static int remove_files(void **state)
{
    (void)state;
    shell("rm -rf %s", directory);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(symbols_are_those_of_readelf),
        TEST(the_best_name_stays),
        TEST(names_need_not_be_ascii),
        TEST(segments_are_those_of_readelf),
        TEST(build_id_is_that_of_readelf),
        TEST(formats_have_their_addresses),
        TEST(others_are_refused),
        TEST(stripped_is_a_warning),
        TEST(cut_files_fail),
        TEST(bent_files_do_no_harm),
        TEST(bent_numbers_do_no_harm),
        TEST(another_firmware_is_said),
        TEST(the_dump_tells_its_firmware),
        TEST(a_region_tells_it_too),
        TEST(text_has_names),
        TEST(tracedat_has_names),
    };

    if (mkdtemp(directory) == NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
