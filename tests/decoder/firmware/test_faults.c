/* test_faults.c - firmware files that are cut off or have wrong bytes, and those of another firmware than the dump's.
 */
#define _GNU_SOURCE
#include "tool/message.h"
#include "harness.h"

#include "io/firmware/firmware.h"
#include "decoder/native/harness.h"
#include "lib/tier.h"
#include "tlog_pack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
    must_fail(directory, "cannot be read: Is a directory");
}

static void stripped_is_a_warning(void **state)
{
    struct firmware_file *elf;
    uint64_t offset;
    char expected[256];
    (void)state;
    build(&builds[0], "-s");
    snprintf(expected, sizeof expected,
             "tlog-decode: %s: no symbols in it, it may be stripped: addresses stay numbers\n", path);
    catch_stderr();
    elf = firmware_open(&trace, path);
    stderr_must_be(expected);
    assert_non_null(elf);
    assert_false(trace.failed);
    assert_int_equal(trace.firmware->nsymbols, 0);
    assert_int_equal(trace.firmware->nsegments > 0, 1);
    assert_null(trace_symbol_at(trace.firmware, CODE, &offset));
    firmware_close(elf);
    trace.quiet = true;
    catch_stderr();
    elf = firmware_open(&trace, path);
    stderr_must_be("");
    firmware_close(elf);
}

/* Open the bytes as a file and read all that is found in them. Returns whether the file was opened. */
static bool try_bytes(const unsigned char *bytes, size_t size)
{
    int file = memfd_create("elf", 0);
    char name[64];
    struct firmware_file *elf;
    uint64_t sum = 0;
    assert_int_equal(write(file, bytes, size), size);
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    trace_free(&trace);
    trace_init(&trace, "dump.bin");
    trace.sink = &message_sink;
    trace.quiet = true;
    elf = firmware_open(&trace, name);
    if (elf == NULL) {
        assert_true(trace.failed);
        assert_int_equal(strncmp(trace.error, name, strlen(name)), 0);
        close(file);
        return false;
    }
    for (size_t i = 0; i < trace.firmware->nsymbols; i++)
        sum += strlen(trace.firmware->symbols[i].name)
               + (i > 0 && trace.firmware->symbols[i - 1].address >= trace.firmware->symbols[i].address);
    for (size_t i = 0; i < trace.firmware->build_id_size; i++)
        sum += trace.firmware->build_id[i];
    for (size_t i = 0; i < trace.nprintk; i++)
        sum += strlen(trace.printk[i].format);
    for (size_t i = 0; i < trace.firmware->nsegments; i++)
        sum += trace.firmware->segments[i].size;
    assert_true(sum != 1);
    firmware_close(elf);
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

/* The table of sections is at the end of the file: however little is cut off, a part of it is missing. */
static void cut_files_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < BUILDS; i++) {
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

/* Give every byte of the file, one after the other, other values. */
static void bent_files_do_no_harm(void **state)
{
    static const unsigned char masks[] = {0x01, 0x80, 0xFF};
    size_t opened = 0, tried = 0;
    (void)state;
    for (size_t i = 0; i < BUILDS; i++) {
        size_t size;
        unsigned char *bytes;
        build(&builds[i], "-Wl,-z,max-page-size=64 -Wl,--build-id");
        bytes = whole_file(&size);
        for (size_t at = 0; at < size; at += tier_step(7)) {
            for (size_t k = 0; k < sizeof masks; k++) {
                bytes[at] ^= masks[k];
                opened += try_bytes(bytes, size);
                bytes[at] ^= masks[k];
                tried++;
            }
        }
        free(bytes);
    }
    assert_in_range(opened, tried / 4, tried - 100 / tier_step(7));
}

/* Make a number 0, 1, all ones, one more and one less. */
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
    for (size_t i = 0; i < BUILDS; i++) {
        size_t size, tried = 0;
        unsigned char *bytes;
        build(&builds[i], "-Wl,-z,max-page-size=64 -Wl,--build-id");
        bytes = whole_file(&size);
        for (size_t width = 2; width <= 8; width *= 2) {
            for (size_t at = 0; at + width <= size; at += width * tier_step(7))
                tried += bend_number(bytes, size, at, width);
        }
        assert_true(tried * tier_step(7) > 4 * size);
        assert_true(try_bytes(bytes, size));
        free(bytes);
    }
}

/* ---- another firmware -------------------------------------------------------------------------------------------- */

static void another_firmware_is_said(void **state)
{
    struct firmware_file *elf;
    char expected[256];
    (void)state;
    build(&builds[0], "-Wl,--build-id=0x0102030405060708090a0b0c");
    elf = must_open();
    catch_stderr();
    firmware_compare(elf, &trace); /* the dump tells no build id */
    memcpy(trace.build, "\1\2\3\4\5\6\7\10", 8);
    firmware_compare(elf, &trace);
    stderr_must_be("");
    trace.build[7] = 0xFE;
    snprintf(expected, sizeof expected,
             "tlog-decode: %s is not the firmware of this dump: build id 0102030405060708, dump has 01020304050607fe; "
             "names may be wrong\n",
             path);
    catch_stderr();
    firmware_compare(elf, &trace);
    stderr_must_be(expected);
    trace.quiet = true;
    catch_stderr();
    firmware_compare(elf, &trace);
    stderr_must_be("");
    firmware_close(elf);
    trace.quiet = false;
    build(&builds[0], "-Wl,--build-id=none");
    elf = must_open();
    snprintf(expected, sizeof expected,
             "tlog-decode: %s is not the firmware of this dump: build id none, dump has 01020304050607fe; names may be "
             "wrong\n",
             path);
    catch_stderr();
    firmware_compare(elf, &trace);
    stderr_must_be(expected);
    firmware_close(elf);
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
        memcpy(dump.data + at + 52, "firmware", 8); /* FORMAT.md, 2.1 */
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
    memcpy(dump.data + 52, "firmware", 8);
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(others_are_refused),          TEST(stripped_is_a_warning),   TEST(cut_files_fail),
        TEST(bent_files_do_no_harm),       TEST(bent_numbers_do_no_harm), TEST(another_firmware_is_said),
        TEST(the_dump_tells_its_firmware), TEST(a_region_tells_it_too),
    };
    if (mkdtemp(directory) == NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
