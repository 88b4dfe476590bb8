/* test_rings.c - where a firmware has its chunks, and what it writes into their headers: the runtime's own constants,
 * compiled here in many configurations; constants and symbols that contradict each other; saved files of them. */
#define _GNU_SOURCE
#include "tool/message.h"
#include "harness.h"

#include "base/crc32.h"
#include "io/firmware/events_file.h"
#include "io/firmware/firmware.h"
#include "lib/tier.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the runtime ------------------------------------------------------------------------------------------------- */

#define CORTEX_M "-mcpu=cortex-m3 -mthumb -DTLOG_CLOCK_HZ=25000000"
#define CORTEX_A "-mcpu=cortex-a15 -mthumb -DTLOG_CLOCK_HZ=25000000"
#define HOST     "-m64 -static -no-pie -fno-pie"

#define ONE_CPU_OF_TWO " -DTLOG_ONLY_CPU_ADDRESS=0xD0000000u -DTLOG_CLOCK_ADDRESS=0x40000004u"

/* How the runtime is compiled, and what its constants are then: of events, and of names. */
struct configuration {
    const char *prefix, *flags;
    uint32_t pointer, cpus, chunks, slots, emergency, banks, freq, coarse;
};

static const struct configuration configurations[] = {
    {"arm-none-eabi-", CORTEX_M, 4, 1, 1, 256, 0, 1, 25000000, 0},
    {"arm-none-eabi-", CORTEX_M " -DTLOG_CHUNKS=3 -DTLOG_SLOTS=33 -DTLOG_EMERGENCY_SLOTS=5", 4, 1, 3, 33, 5, 1,
     25000000, 0},
    {"arm-none-eabi-", CORTEX_M " -DTLOG_CHUNKS=255 -DTLOG_SLOTS=40 -DTLOG_RUNS=3 -DTLOG_STOP_WHEN_FULL=1", 4, 1, 255,
     40, 0, 3, 25000000, 0},
    {"arm-none-eabi-", CORTEX_M " -DTLOG_MINIMAL=1", 4, 1, 1, 256, 0, 1, 25000000, 0},
    {"arm-none-eabi-", CORTEX_M " -DTLOG_MINIMAL=1 -flto", 4, 1, 1, 256, 0, 1, 25000000, 0},
    {"arm-none-eabi-", CORTEX_M " -DTLOG_CHUNKS=2 -flto", 4, 1, 2, 256, 0, 1, 25000000, 0},
    {"arm-none-eabi-", CORTEX_M " -DTLOG_TRACEEVENTS=1 -DTLOG_COARSE_HZ=32768 -DTLOG_PORT_COARSE_NOW=1u -Os", 4, 1, 1,
     256, 0, 1, 25000000, 32768},
    {"arm-none-eabi-", CORTEX_M " -DTLOG_ARENA=1 -O0", 4, 1, 1, 256, 0, 1, 25000000, 0},
    {"arm-none-eabi-", CORTEX_M ONE_CPU_OF_TWO, 4, 1, 1, 256, 0, 1, 25000000, 0},
    {"arm-none-eabi-", CORTEX_M ONE_CPU_OF_TWO " -DTLOG_RUNS=2 -DTLOG_CHUNKS=3", 4, 1, 3, 256, 0, 2, 25000000, 0},
    {"arm-none-eabi-", CORTEX_A " -DTLOG_CPUS=2 -DTLOG_SLOTS=100", 4, 2, 1, 100, 0, 1, 25000000, 0},
    {"arm-none-eabi-", CORTEX_A " -DTLOG_CPUS=8 -DTLOG_SLOTS=100 -DTLOG_RUNS=2 -DTLOG_CHUNKS=2 -flto", 4, 8, 2, 100, 0,
     2, 25000000, 0},
    {"", HOST, 8, 1, 1, 256, 0, 1, 0, 0},
    {"", HOST " -DTLOG_CHUNKS=4 -DTLOG_RUNS=255 -DTLOG_SLOTS=7", 8, 1, 4, 7, 0, 255, 0, 0},
};

enum { CONFIGURATIONS = sizeof configurations / sizeof configurations[0], NAME_SLOTS = 80 };

/* Compile the files of the runtime that have the constants; what they call may be missing. */
static void build_runtime(const struct configuration *how)
{
    shell("cd %s && %sgcc -O2 -ffreestanding -nostdlib -I\"$OLDPWD/target\" -I\"$OLDPWD/port\" %s "
          "-Wl,--unresolved-symbols=ignore-all -Wl,--defsym=__stop_tlog_chunks=0 -Wl,-e,tlog_start,-u,tlog_name "
          "\"$OLDPWD/target/src/tlog.c\" \"$OLDPWD/target/src/tlog_name.c\" \"$OLDPWD/target/src/tlog_minimal_name.c\" "
          "-o t.elf 2>log || { cat log; exit 1; }",
          directory, how->prefix, how->flags);
}

/* The address of a symbol, as nm tells it. */
static uint64_t address_of(const struct configuration *how, const char *name)
{
    const struct build of = {how->prefix, ""};
    FILE *pipe = output_of(&of, "nm");
    char line[256], found[64];
    uint64_t address, result = 0;
    while (fgets(line, sizeof line, pipe)) {
        if (sscanf(line, "%" SCNx64 " %*c %63s", &address, found) == 2 && strcmp(found, name) == 0)
            result = address;
    }
    pclose(pipe);
    return result;
}

/* FORMAT.md, section 2. */
static uint32_t bytes_of(uint32_t slots, uint32_t emergency)
{
    uint32_t groups = (slots + 31u) / 32u + (emergency + 31u) / 32u;
    return 128u + 16u * (slots + 1u + emergency) + 32u + 48u + (4u * groups + 15u) / 16u * 16u;
}

/* The ring at an address is that of a CPU and a role, as it was compiled. */
static void ring_is(const struct configuration *how, uint64_t address, uint32_t cpu, uint32_t role)
{
    const struct trace_firmware *firmware = trace.firmware;
    const uint32_t chunks = role == 0 ? how->chunks : 1u, slots = role == 0 ? how->slots : NAME_SLOTS;
    const struct trace_ring *ring = NULL;
    for (size_t i = 0; i < firmware->nrings; i++) {
        assert_true(i == 0 || firmware->rings[i].address > firmware->rings[i - 1u].address);
        if (firmware->rings[i].address == address)
            ring = &firmware->rings[i];
    }
    assert_non_null(ring);
    assert_int_equal(ring->format, 2u | 128u << 16 | how->pointer << 24);
    assert_int_equal(ring->place, cpu | role << 16 | chunks << 24);
    assert_int_equal(ring->chunks, chunks);
    assert_int_equal(ring->slots, slots);
    assert_int_equal(ring->emergency, role == 0 ? how->emergency : 0u);
    assert_int_equal(ring->size, bytes_of(slots, role == 0 ? how->emergency : 0u));
    assert_int_equal(ring->banks, how->banks);
    assert_int_equal(ring->freq, how->freq);
    assert_int_equal(ring->coarse_freq, how->coarse);
}

static void rings_are(const struct configuration *how)
{
    const uint64_t events = address_of(how, "tlog_event_chunks"), names = address_of(how, "tlog_name_chunks");
    assert_int_equal(trace.firmware->nrings, 2u * how->cpus);
    for (uint32_t cpu = 0; cpu < how->cpus; cpu++) {
        ring_is(how, events + (uint64_t)cpu * how->banks * how->chunks * bytes_of(how->slots, how->emergency), cpu, 0);
        ring_is(how, names + (uint64_t)cpu * how->banks * bytes_of(NAME_SLOTS, 0), cpu, 1);
    }
}

/* Save what the trace has of its firmware, close that, and open the saved file. */
static struct firmware_file *saved(struct firmware_file *elf)
{
    char name[64];
    int fd = memfd_create("saved", 0);
    assert_int_equal(events_file_write(&trace, fd), 0);
    firmware_close(elf);
    snprintf(name, sizeof name, "%s/t.events", directory);
    shell("cp /proc/%d/fd/%d %s", (int)getpid(), fd, name);
    close(fd);
    elf = firmware_open(&trace, name);
    assert_string_equal(trace.error, "");
    assert_non_null(elf);
    return elf;
}

static void the_runtime_tells_its_rings(void **state)
{
    (void)state;
    for (size_t i = 0; i < CONFIGURATIONS; i += tier_step(3)) {
        struct firmware_file *elf;
        build_runtime(&configurations[i]);
        elf = must_open();
        rings_are(&configurations[i]);
        elf = saved(elf);
        rings_are(&configurations[i]);
        firmware_close(elf);
    }
}

/* Without symbols nothing is known; nor in a file whose addresses are not final. */
static void nothing_is_guessed(void **state)
{
    const struct configuration movable = {"", "-m64 -fPIE -static-pie -Wl,-z,notext", 8, 1, 1, 256, 0, 1, 0, 0};
    struct firmware_file *elf;
    (void)state;
    trace.quiet = true;
    build_runtime(&configurations[1]);
    shell("arm-none-eabi-strip %s", path);
    elf = must_open();
    assert_int_equal(trace.firmware->nrings, 0);
    firmware_close(elf);
    build_runtime(&movable);
    elf = must_open();
    assert_int_equal(trace.firmware->nrings, 0);
    firmware_close(elf);
    shell("cd %s && arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -xc -Wl,-e0 /dev/null -o t.elf", directory);
    elf = must_open();
    assert_int_equal(trace.firmware->nrings, 0);
    firmware_close(elf);
}

/* ---- constants and symbols that disagree ------------------------------------------------------------------------- */

/* Of 32 slots and no emergency slots: 752 bytes. */
#define MACROS                                                                                                         \
    ".macro memory name, bytes\n.section .bss.\\name, \"aw\", %nobits\n.balign 16\n.global \\name\n"                   \
    ".type \\name, %object\n\\name: .space \\bytes\n.size \\name, \\bytes\n.section .rodata, \"a\"\n.endm\n"           \
    ".macro ring first, place, chunks=1, flags=0, format=0x04800002, slots=32, emergency=0, size=752, freq=1000, "     \
    "coarse=0, zero=0, magic=0x00D6B7ED, tag=0x474F4C54\n"                                                             \
    ".word \\first, \\chunks, \\flags, \\magic, \\tag, \\format, \\place, \\slots, \\emergency, \\size, \\freq\n"      \
    ".word \\coarse, \\zero\n.endm\n.section .rodata, \"a\"\n"
#define EVENTS(bytes) "memory tlog_event_chunks " #bytes "\n"
#define NAMES(bytes)  "memory tlog_name_chunks " #bytes "\n"
#define ONE           "0x01000000"
#define NAME          "0x01010000"

static const struct {
    const char *text;
    size_t nrings;
    uint32_t banks; /* of the first ring */
} contradictions[] = {
    {EVENTS(752) "ring tlog_event_chunks " ONE "\n", 1, 1},
    {EVENTS(752) "ring tlog_event_chunks " ONE " flags=8\n", 1, 1},
    {EVENTS(752) ".word 0\nring tlog_event_chunks " ONE "\n.word 0x00D6B7ED\n", 1, 1},
    {EVENTS(3008) "ring tlog_event_chunks " ONE "\n", 1, 4},
    {EVENTS(3008) "ring tlog_event_chunks 0x02000000 chunks=2\n", 1, 2},
    {EVENTS(752) NAMES(752) "ring tlog_event_chunks " ONE "\nring tlog_name_chunks " NAME "\n", 2, 1},
    {EVENTS(1504) "ring tlog_event_chunks " ONE "\nring tlog_event_chunks+752 0x01000001\n", 2, 1},
    {EVENTS(3008) "ring tlog_event_chunks+1504 0x01000001\nring tlog_event_chunks " ONE "\n", 2, 2},
    {"memory tlog_event_chunks.lto_priv.0 752\nring tlog_event_chunks.lto_priv.0 " ONE "\n", 1, 1},
    /* a word of the constant is not what it must be */
    {EVENTS(752) "ring tlog_event_chunks " ONE " magic=0x00D6B7EC\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks " ONE " tag=0x474F4C55\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks " ONE " format=0x04800003\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks " ONE " format=0x04810002\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks " ONE " format=0x05800002\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks " ONE " format=0x08800002\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks " ONE " flags=1\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks " ONE " slots=33\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks " ONE " emergency=1\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks " ONE " size=768\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks " ONE " zero=2\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks " ONE " chunks=2\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks 0x01000001\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks 0x01000100\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks 0x01020000\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks " NAME "\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks 0 chunks=0\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks 0x02000000 chunks=2\n", 0, 0},
    {EVENTS(240) "ring tlog_event_chunks " ONE " slots=0 size=240\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks " ONE " slots=0xFFFFFFFF size=208\n", 0, 0},
    /* the memory is another one's */
    {NAMES(752) "ring tlog_name_chunks " ONE "\n", 0, 0},
    {"memory my_event_chunks 752\nring my_event_chunks " ONE "\n", 0, 0},
    {"memory tlog_event_chunks_2 752\nring tlog_event_chunks_2 " ONE "\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks+16 " ONE "\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks-16 " ONE "\n", 0, 0},
    {EVENTS(752) "ring tlog_event_chunks+752 " ONE "\n", 0, 0},
    {EVENTS(751) "ring tlog_event_chunks " ONE "\n", 0, 0},
    {EVENTS(768) "ring tlog_event_chunks " ONE "\n", 0, 0},
    {EVENTS(1128) "ring tlog_event_chunks " ONE "\n", 0, 0},
    {EVENTS(752 * 256) "ring tlog_event_chunks " ONE "\n", 0, 0},
    {EVENTS(752 * 255) "ring tlog_event_chunks " ONE "\n", 1, 255},
    /* rings that are not each other's */
    {EVENTS(752) "ring tlog_event_chunks " ONE "\nring tlog_event_chunks " ONE "\n", 0, 0},
    {EVENTS(1504) "ring tlog_event_chunks " ONE "\nring tlog_event_chunks+752 " ONE "\n", 0, 0},
    {EVENTS(1504) "ring tlog_event_chunks 0x01000001\nring tlog_event_chunks+752 " ONE "\n", 0, 0},
    {EVENTS(1504) "ring tlog_event_chunks " ONE "\nring tlog_event_chunks+752 0x01000002\n", 0, 0},
    {EVENTS(1504) "ring tlog_event_chunks " ONE "\nring tlog_event_chunks+752 0x01000001 freq=2000\n", 0, 0},
    {EVENTS(1504) "ring tlog_event_chunks " ONE "\nring tlog_event_chunks+752 0x01000001 coarse=2\n", 0, 0},
    {EVENTS(3008) "ring tlog_event_chunks " ONE "\nring tlog_event_chunks+752 0x01000001\n", 0, 0},
    {EVENTS(1505) "ring tlog_event_chunks " ONE "\nring tlog_event_chunks+752 0x01000001\n", 0, 0},
    {EVENTS(752 * 9) ".set n, 0\n.rept 9\nring tlog_event_chunks+752*n 0x01000000+n\n.set n, n+1\n.endr\n", 0, 0},
    {EVENTS(752 * 8) ".set n, 0\n.rept 8\nring tlog_event_chunks+752*n 0x01000000+n\n.set n, n+1\n.endr\n", 8, 1},
    {EVENTS(752) "ring tlog_event_chunks " ONE "\n.rept 40\nring 0 " ONE "\n.endr\n", 0, 0},
    /* a symbol in another one's memory */
    {"memory tlog_event_chunks 1504\n.global tlog_name_chunks\n.set tlog_name_chunks, tlog_event_chunks+752\n"
     ".type tlog_name_chunks, %object\n.size tlog_name_chunks, 752\nring tlog_event_chunks " ONE "\n",
     1, 2},
    {"memory tlog_event_chunks 1504\n.global tlog_name_chunks\n.set tlog_name_chunks, tlog_event_chunks+752\n"
     ".type tlog_name_chunks, %object\n.size tlog_name_chunks, 752\nring tlog_event_chunks " ONE "\n"
     "ring tlog_name_chunks " NAME "\n",
     1, 1},
};

static void what_disagrees_is_not_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof contradictions / sizeof contradictions[0]; i++) {
        struct firmware_file *elf;
        char text[4096];
        snprintf(text, sizeof text, "%s%s", MACROS, contradictions[i].text);
        put_source("t.s", text);
        shell("cd %s && arm-none-eabi-gcc -mcpu=cortex-m3 -nostdlib -Wl,-e0 t.s -o t.elf 2>log || { cat log; exit 1; }",
              directory);
        elf = must_open();
        if (trace.firmware->nrings != contradictions[i].nrings)
            print_error("%s", contradictions[i].text);
        assert_int_equal(trace.firmware->nrings, contradictions[i].nrings);
        if (trace.firmware->nrings > 0)
            assert_int_equal(trace.firmware->rings[0].banks, contradictions[i].banks);
        firmware_close(elf);
    }
}

/* ---- files that are bent ----------------------------------------------------------------------------------------- */

/* Open the bytes as a file. What it tells of rings must be possible. */
static void try_bytes(const unsigned char *bytes, size_t size)
{
    int fd = memfd_create("elf", 0);
    char name[64];
    struct firmware_file *elf;
    uint64_t end = 0;
    assert_int_equal(write(fd, bytes, size), size);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    trace_free(&trace);
    trace_init(&trace, "dump.bin");
    trace.sink = &message_sink;
    trace.quiet = true;
    elf = firmware_open(&trace, name);
    assert_int_equal(elf == NULL, trace.failed);
    for (size_t i = 0; elf != NULL && i < trace.firmware->nrings; i++) {
        const struct trace_ring *ring = &trace.firmware->rings[i];
        assert_true(ring->address >= end && ring->banks - 1u < 255u && ring->chunks - 1u < 255u);
        assert_int_equal(ring->chunks, ring->place >> 24);
        assert_int_equal(ring->size, bytes_of(ring->slots, ring->emergency));
        end = ring->address + (uint64_t)ring->banks * ring->chunks * ring->size;
        assert_true(end > ring->address);
    }
    firmware_close(elf);
    close(fd);
}

/* Give each byte of a part of the file, one after the other, other values. */
static void bend(unsigned char *bytes, size_t size, size_t from, size_t n)
{
    for (size_t at = from; at < from + n && at < size; at++) {
        unsigned char was = bytes[at];
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[at] = (unsigned char)(was ^ 1u << bit);
            try_bytes(bytes, size);
        }
        bytes[at] = 0;
        try_bytes(bytes, size);
        bytes[at] = 0xFF;
        try_bytes(bytes, size);
        bytes[at] = was;
    }
}

/* The constants, and all that stands in the file of the memory's addresses: their symbols. */
static void bent_files_do_no_harm(void **state)
{
    static unsigned char bytes[1u << 18];
    const struct configuration *how = &configurations[1];
    uint32_t found = 0, wanted[2];
    size_t size;
    FILE *file;
    (void)state;
    build_runtime(how);
    shell("arm-none-eabi-objcopy --strip-debug %s", path);
    wanted[0] = (uint32_t)address_of(how, "tlog_event_chunks");
    wanted[1] = (uint32_t)address_of(how, "tlog_name_chunks");
    file = fopen(path, "rb");
    assert_non_null(file);
    size = fread(bytes, 1, sizeof bytes, file);
    assert_in_range(size, 1000, sizeof bytes - 1u);
    fclose(file);
    for (size_t at = 8; at + 64 <= size; at += 4) {
        uint32_t word;
        memcpy(&word, bytes + at, sizeof word);
        if (word != wanted[0] && word != wanted[1])
            continue;
        bend(bytes, size, at - 4u, 64);
        found++;
    }
    assert_true(found >= 4); /* two constants, and two symbols */
}

/* ---- saved files ------------------------------------------------------------------------------------------------- */

/* How many rings a saved file with these lines has; -1: it is refused. */
static int rings_of(const char *lines)
{
    char text[2048], name[64];
    int fd = memfd_create("saved", 0), n;
    struct firmware_file *file;
    n = snprintf(text, sizeof text, "tlog-events 1\nsymbol 0x0 0x1 T f\n%s", lines);
    n += snprintf(text + n, sizeof text - (size_t)n, "end 0x%x\n", crc32_of((const unsigned char *)text, (size_t)n));
    assert_int_equal(write(fd, text, (size_t)n), n);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    trace_free(&trace);
    trace_init(&trace, "dump.bin");
    trace.sink = &message_sink;
    file = firmware_open(&trace, name);
    n = file != NULL ? (int)trace.firmware->nrings : -1;
    firmware_close(file);
    close(fd);
    return n;
}

/* At 0x1000: 2 banks of 3 chunks, 752 bytes each. */
#define LINE "ring 0x1000 0x2 0x4800002 0x3000000 0x20 0x0 0x3e8 0x0"

static void saved_rings_are_checked(void **state)
{
    static const char *const wrong[] = {
        "ring",
        "ring ",
        "ring 0x1000\n",
        "ring 0x1000 0x2 0x4800002 0x3000000 0x20 0x0 0x3e8\n",
        LINE " 0x0\n",
        LINE "x\n",
        "ring 4096 0x2 0x4800002 0x3000000 0x20 0x0 0x3e8 0x0\n",
        "ring 0x1000 0x0 0x4800002 0x3000000 0x20 0x0 0x3e8 0x0\n",
        "ring 0x1000 0x100 0x4800002 0x3000000 0x20 0x0 0x3e8 0x0\n",
        "ring 0x1000 0x100000002 0x4800002 0x3000000 0x20 0x0 0x3e8 0x0\n",
        "ring 0x1000 0x2 0x4800001 0x3000000 0x20 0x0 0x3e8 0x0\n",
        "ring 0x1000 0x2 0x4800002 0x20 0x20 0x0 0x3e8 0x0\n",
        "ring 0x1000 0x2 0x4800002 0x3000000 0x0 0x0 0x3e8 0x0\n",
        "ring 0x1000 0x2 0x4800002 0x3000000 0xffff 0x0 0x3e8 0x0\n",
        "ring 0x1000 0x2 0x4800002 0x3000000 0x20 0xffff 0x3e8 0x0\n",
        "ring 0xfffffffffffff000 0x2 0x4800002 0x3000000 0x20 0x0 0x3e8 0x0\n",
        LINE "\n" LINE "\n",
        LINE "\nring 0x219f 0x2 0x4800002 0x3000000 0x20 0x0 0x3e8 0x0\n",
        LINE "\nring 0xff0 0x1 0x4800002 0x1000000 0x20 0x0 0x3e8 0x0\n",
    };
    char many[2048] = "";
    (void)state;
    assert_int_equal(rings_of(""), 0);
    assert_int_equal(rings_of(LINE "\n"), 1);
    assert_int_equal(rings_of("rings 0x1000\nunknown\n" LINE "\n"), 1);
    assert_int_equal(rings_of(LINE "\nring 0x21a0 0x2 0x4800002 0x3000000 0x20 0x0 0x3e8 0x0\n"), 2);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int n = rings_of(wrong[i]);
        if (n != -1 && strcmp(wrong[i], "ring") != 0)
            print_error("%s", wrong[i]);
        assert_int_equal(n, -1);
    }
    for (unsigned i = 0; i < 17; i++) {
        size_t length = strlen(many);
        assert_int_equal(rings_of(many), i);
        snprintf(many + length, sizeof many - length, "ring 0x%x 0x1 0x4800002 0x1000000 0x20 0x0 0x3e8 0x0\n",
                 0x1000u + 0x1000u * i);
    }
    assert_int_equal(rings_of(many), -1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(the_runtime_tells_its_rings), TEST(nothing_is_guessed),      TEST(what_disagrees_is_not_known),
        TEST(bent_files_do_no_harm),       TEST(saved_rings_are_checked),
    };
    if (mkdtemp(directory) == NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
