/* fuzz.c - the native reader is given any bytes. It must not crash or work without end, and the times of a CPU must not
 * go back.
 *
 * `make fuzz` compiles it for libFuzzer, with -DFUZZ_ENGINE. Otherwise it is a program that decodes files, for instance
 * those that libFuzzer has found. A fuzzer can hardly guess a CRC, so every input is decoded twice: as it is, and with
 * its headers and regions put right.
 */
#define _GNU_SOURCE
#include "io/input.h"
#include "cli/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stop unless the condition holds. */
static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_native: %s\n", what);
    abort();
}

static void read_cpu(struct trace *trace, void *reader, unsigned cpu)
{
    static struct trace_batch batch;
    uint64_t before = 0;
    while (reader_native.read(reader, cpu, &batch) > 0) {
        check(batch.n > 0 && batch.n <= TRACE_BATCH_EVENTS && batch.used <= sizeof batch.room, "batch too full");
        for (size_t i = 0; i < batch.n; i++) {
            const struct trace_event *event = &batch.event[i];
            check(event->time >= before, "time goes back");
            check(event->type < trace->ntypes && event->size == trace->types[event->type]->size, "malformed event");
            check(event->data >= batch.room && event->data + event->size <= batch.room + batch.used,
                  "payload is outside");
            before = event->time;
        }
        batch.n = batch.used = 0;
    }
}

static void decode(const uint8_t *data, size_t size)
{
    static int file = -1;
    struct trace trace;
    struct input *in;
    void *reader;
    char path[64];
    if (file < 0)
        file = memfd_create("dump", 0);
    check(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size, "no memory file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    trace_init(&trace, "fuzz");
    trace.quiet = true;
    in = input_open(&trace, path, NULL);
    check(in != NULL, "cannot open the input");
    reader_native.probe(in);
    reader = reader_native.open(&trace, in);
    check((reader == NULL) == trace.failed, "open and its error differ");
    for (unsigned cpu = 0; reader != NULL && cpu < trace.ncpus; cpu++)
        read_cpu(&trace, reader, cpu);
    if (reader != NULL)
        reader_native.close(reader);
    input_close(in);
    trace_free(&trace);
}

static void put32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Give every header the right CRC, and a size that fits its number of slots, of which it has 100 at most. */
static void fix_headers(uint8_t *data, size_t size)
{
    for (size_t at = 0; at + 112 <= size; at++) {
        uint32_t slots, groups;
        if (memcmp(data + at, "\xED\xB7\xD6\x00TLOG", 8) != 0)
            continue;
        slots = data[at + 20] % 100u + 1u;
        groups = (slots + 31u) / 32u;
        put32(data + at + 8, 0x04700001u);
        put32(data + at + 20, slots);
        put32(data + at + 24, 0);
        put32(data + at + 28, 112 + 16 * (slots + 1) + 32 + (groups + 3) / 4 * 16);
        put32(data + at + 60, (uint32_t)crc32(0, data + at, 60));
    }
}

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Give the groups of a region the right numbers and CRCs, as far as there is room for them. Returns where they end. */
static size_t fix_groups(uint8_t *region, size_t size, uint32_t slots)
{
    uLong seed = crc32(0, region + 12, 104);
    size_t at = 120;
    for (uint32_t group = 0; group < (slots + 31u) / 32u; group++) {
        uint32_t left = slots - 32u * group, words = region[at] % (4u * (left < 32u ? left : 32u)) + 1u;
        if (at + 8u + 4u * words > size)
            break;
        put32(region + at, words | (get32(region + at) & 0xFF00u) | group << 16);
        put32(region + at + 4u + 4u * words, (uint32_t)crc32(crc32(seed, region + at + 4, 4u * words), region + at, 4));
        at += 8u + 4u * words;
        if (at >= size)
            break;
    }
    return at;
}

/* Give every compressed region a head with the right CRCs, and sizes that fit its number of slots. */
static void fix_regions(uint8_t *data, size_t size)
{
    static const uint8_t begin[8] = {0xED, 0xB7, 0xD6, 0x00, 'T', 'L', 'O', 'G'};
    for (size_t at = 0; at + 121 <= size; at++) {
        uint8_t *region = data + at;
        uint32_t slots, groups;
        size_t end;
        if (memcmp(region, "TLPK", 4) != 0)
            continue;
        slots = region[24] % 100u + 1u;
        groups = (slots + 31u) / 32u;
        put32(region + 4, 0x00780001u);
        put32(region + 12, 0x04700001u);
        put32(region + 24, slots);
        put32(region + 28, 0);
        put32(region + 32, 112 + 16 * (slots + 1) + 32 + (groups + 3) / 4 * 16);
        put32(region + 64, (uint32_t)crc32(crc32(0, begin, 8), region + 12, 52));
        end = fix_groups(region, size - at, slots);
        put32(region + 8, (uint32_t)(end > 120u + 8u * groups ? end : 124u + 8u * groups));
        put32(region + 116, (uint32_t)crc32(0, region, 116));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    check(copy != NULL, "no memory");
    decode(data, size);
    if (size > 0)
        memcpy(copy, data, size);
    fix_headers(copy, size);
    fix_regions(copy, size);
    decode(copy, size);
    free(copy);
    return 0;
}

#ifndef FUZZ_ENGINE
static void replay(const char *path)
{
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t size;
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    size = fread(data, 1, sizeof data, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    printf("%d input%s replayed\n", argc - 1, argc == 2 ? "" : "s");
    return 0;
}
#endif
