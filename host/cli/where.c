/* where.c - --where: the commands that take tlog's memory out of a target, with each tool, ready to be pasted.
 *
 * What is the user's, such as the chip's name, is in capitals. A tool that can be asked for one part of memory only is
 * asked for each of them; parts that are close to each other are taken as one, with what is between them.
 */
#include "cli/command.h"
#include "io/firmware/firmware.h"
#include "io/firmware/memory.h"
#include "tool/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CLOSE 65536u /* bytes between parts that are read with them */
#define ROOM  512u   /* of a path as a shell takes it */
#define NAME  40u    /* of a file for a part */

/* What is printed. */
struct places {
    struct segment parts[FIRMWARE_PARTS_MAX];
    size_t n;
    uint64_t size; /* of all */
    char elf[ROOM];
};

/* The path of the ELF file as a shell takes it. */
static void quote(char to[static ROOM], const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+@%:,";
    if (path[strspn(path, plain)] == '\0' || strchr(path, '\'') != NULL)
        snprintf(to, ROOM, "%s", path);
    else
        snprintf(to, ROOM, "'%s'", path);
}

/* Make one part of those that are close to each other. */
static void join_close(struct places *places)
{
    for (size_t i = 0; i + 1u < places->n; i++) {
        struct segment *next = &places->parts[i + 1u];
        if (next->address - (places->parts[i].address + places->parts[i].size) < CLOSE)
            places->parts[i].size = next->address - places->parts[i].address;
    }
    places->n = segments_join(places->parts, places->n, &places->size);
}

/* ---- the commands ------------------------------------------------------------------------------------------------ */

/* The name of the file for a part, counted from 0. */
static const char *file_of(const struct places *places, size_t part, char name[static NAME])
{
    if (places->n == 1)
        snprintf(name, NAME, "dump.bin");
    else
        snprintf(name, NAME, "dump-%zu.bin", part + 1u);
    return name;
}

/* How a tool is asked for parts. */
enum style { ADDRESS_SIZE, ADDRESS_SIZE_FILE, FILE_ADDRESS_SIZE, FILE_ADDRESS_HEX, FILE_ADDRESS_END };

/* Print a part between two texts. */
static void print_part(const struct places *places, size_t part, enum style style, const char *before,
                       const char *behind)
{
    const struct segment *at = &places->parts[part];
    char file[NAME];
    file_of(places, part, file);
    printf("%s", before);
    switch (style) {
    case ADDRESS_SIZE:
        printf("0x%" PRIx64 " %" PRIu64 " --output %s", at->address, at->size, file);
        break;
    case ADDRESS_SIZE_FILE:
        printf("0x%" PRIx64 " %" PRIu64 " %s", at->address, at->size, file);
        break;
    case FILE_ADDRESS_SIZE:
        printf("%s 0x%" PRIx64 " %" PRIu64, file, at->address, at->size);
        break;
    case FILE_ADDRESS_HEX:
        printf("%s, 0x%" PRIx64 ", 0x%" PRIx64, file, at->address, at->size);
        break;
    case FILE_ADDRESS_END:
        printf("%s 0x%" PRIx64 " 0x%" PRIx64, file, at->address, at->address + at->size);
        break;
    }
    printf("%s", behind);
}

/* Print all parts, each between these texts. */
static void print_parts(const struct places *places, enum style style, const char *before, const char *behind)
{
    for (size_t i = 0; i < places->n; i++)
        print_part(places, i, style, before, behind);
}

static void print_servers(const struct places *places)
{
    static const char *const urls[][2] = {
        {"gdb:localhost:3333", "a GDB server: OpenOCD or pyOCD; J-Link 2331, probe-rs 1337, st-util 4242, QEMU 1234"},
        {"openocd:localhost:6666", "OpenOCD's Tcl port: the firmware is not halted"},
    };
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++)
        printf("# %s\ntlog-decode %s --elf=%s -o trace.pftrace\n\n", urls[i][1], urls[i][0], places->elf);
}

/* gdb's commands, which other programs take, too. */
static void print_gdb(const struct places *places)
{
    printf("# gdb, with the firmware halted; Cortex-Debug: the same line in the Debug Console\n");
    print_parts(places, FILE_ADDRESS_END, "dump binary memory ", "\n");
    printf("\n# Black Magic Probe, PORT is its first serial port\n"
           "gdb -batch -ex 'target extended-remote PORT' -ex 'monitor swdp_scan' -ex 'attach 1'");
    print_parts(places, FILE_ADDRESS_END, " -ex 'dump binary memory ", "'");
    printf(" -ex detach\n");
}

static void print_others(const struct places *places)
{
    printf("\n# OpenOCD, BOARD.cfg is yours; the firmware is not halted\nopenocd -f BOARD.cfg -c 'init");
    print_parts(places, FILE_ADDRESS_SIZE, "; dump_image ", "");
    printf("; shutdown'\n\n# J-Link Commander: JLinkExe -device CHIP -if SWD -speed 4000 -autoconnect 1\n");
    print_parts(places, FILE_ADDRESS_HEX, "savebin ", "\n");
    printf("\n# pyOCD\npyocd cmd -t CHIP -M attach");
    print_parts(places, ADDRESS_SIZE_FILE, " -c 'savemem ", "'");
    printf("\n\n# probe-rs\n");
    print_parts(places, ADDRESS_SIZE, "probe-rs read --chip CHIP b8 ", " --format binary\n");
    printf("\n# STM32CubeProgrammer\n");
    print_parts(places, ADDRESS_SIZE_FILE, "STM32_Programmer_CLI -c port=SWD mode=HOTPLUG -u ", "\n");
    printf("\n# QEMU's monitor\n");
    for (size_t i = 0; i < places->n; i++) {
        char file[NAME];
        printf("pmemsave 0x%" PRIx64 " %" PRIu64 " %s\n", places->parts[i].address, places->parts[i].size,
               file_of(places, i, file));
    }
}

/* What is done with the file, or with those of several parts, which stand one behind the other in it. */
static void print_decoding(const struct places *places)
{
    if (places->n == 1) {
        printf("\n# then\ntlog-decode dump.bin --elf=%s -o trace.pftrace\n", places->elf);
        return;
    }
    printf("\n# then\ncat");
    for (size_t i = 0; i < places->n; i++)
        printf(" dump-%zu.bin", i + 1u);
    printf(" | tlog-decode - --elf=%s -o trace.pftrace\n", places->elf);
}

static void print_all(struct places *places)
{
    printf("# tlog's memory:");
    for (size_t i = 0; i < places->n; i++)
        printf("%s %" PRIu64 " bytes at 0x%" PRIx64, i > 0 ? "," : "", places->parts[i].size, places->parts[i].address);
    printf("\n\n");
    print_servers(places);
    join_close(places);
    print_gdb(places);
    print_others(places);
    print_decoding(places);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

enum decode_exit cli_where(const char *elf)
{
    struct places places = {.n = 0};
    struct trace trace;
    struct firmware_file *firmware;
    trace_init(&trace, elf);
    trace.sink = &message_sink;
    firmware = firmware_open(&trace, elf);
    if (firmware != NULL) {
        quote(places.elf, elf);
        places.n = firmware_memory(trace.firmware, places.parts, &places.size);
        if (places.n == 0)
            trace_fail(&trace, "%s: has no symbols of tlog's memory", elf);
        else
            print_all(&places);
    }
    if (trace.failed)
        message("%s", trace.error);
    firmware_close(firmware);
    trace_free(&trace);
    return places.n > 0 ? DECODE_WHOLE : DECODE_NOTHING;
}
