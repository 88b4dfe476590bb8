/* fuzz.c - the native reader is given any bytes. It must not crash or work without end, and the times of a CPU must not
 * go back.
 *
 * `make fuzz` compiles it for libFuzzer, with -DFUZZ_ENGINE. Otherwise it is a program that decodes files, for instance
 * those that libFuzzer has found. A fuzzer can hardly guess a CRC, so every input is decoded three times: as it is,
 * with its headers, seals and regions put right, and then with some of these headers wiped.
 */
#define _GNU_SOURCE
#include "io/input.h"
#include "cli/formats.h"

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

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The check of a header, of whose first 15 words `from` has all but the first two. */
static uint32_t check_of(const uint8_t *from)
{
    static const uint8_t begin[8] = {0xED, 0xB7, 0xD6, 0x00, 'T', 'L', 'O', 'G'};
    uint32_t sum = 0, factor = 1;
    for (unsigned i = 0; i < 15; i++) {
        uint32_t word = get32(i < 2 ? begin + 4 * i : from + 4 * (i - 2));
        factor *= 0x9E3779B1u;
        sum += (word ^ word >> 16) * factor;
    }
    return sum;
}

enum { WISHES = 36, SEALED = 1, WIPED = 2 }; /* bits of an unused word of a header: what is to be done to it */

/* Give an image of so many slots a seal with the right CRCs, if there is room for it. */
static void fix_seal(uint8_t *image, size_t size, uint32_t slots)
{
    static const uint8_t words[] = {112, 116, 120, 104, 72, 92, 96, 100, 124, 88};
    size_t groups = (slots + 31u) / 32u, at = 128u + 16u * (slots + 1u) + 32u;
    uint8_t *seal = image + at;
    uLong crc;
    if (at + 48u + 4u * groups > size)
        return;
    memcpy(seal, "SEAL", 4);
    for (size_t i = 0; i < sizeof words; i++)
        memcpy(seal + 4u + 4u * i, image + words[i], 4);
    for (size_t i = 0; i < groups; i++) {
        size_t left = 16u * (slots - 32u * i);
        put32(seal + 48u + 4u * i, (uint32_t)crc32(0, image + 128u + 512u * i, (uInt)(left < 512u ? left : 512u)));
    }
    crc = crc32(crc32(0, seal, 44), seal - 32, 32);
    put32(seal + 44, (uint32_t)crc32(crc, seal + 48, (uInt)(4u * groups)));
}

/* Wipe the headers that wish it. */
static void wipe_headers(uint8_t *data, size_t size)
{
    for (size_t at = 0; at + 128 <= size; at++) {
        if (memcmp(data + at, "\xED\xB7\xD6\x00TLOG", 8) == 0 && (data[at + WISHES] & WIPED) != 0)
            memset(data + at, 0, 8u + data[at + WISHES] % 121u);
    }
}

/* Give every header the right check, and a size that fits its number of slots, of which it has 100 at most. */
static void fix_headers(uint8_t *data, size_t size)
{
    for (size_t at = 0; at + 128 <= size; at++) {
        uint32_t slots, groups;
        if (memcmp(data + at, "\xED\xB7\xD6\x00TLOG", 8) != 0)
            continue;
        slots = data[at + 16] % 100u + 1u;
        groups = (slots + 31u) / 32u;
        put32(data + at + 8, 0x04800002u);
        put32(data + at + 16, slots);
        put32(data + at + 20, 0);
        put32(data + at + 24, 128 + 16 * (slots + 1) + 32 + 48 + (groups + 3) / 4 * 16);
        put32(data + at + 60, check_of(data + at + 8));
        if (data[at + WISHES] & SEALED)
            fix_seal(data + at, size - at, slots);
    }
}

/* Give the groups of a region the right numbers and CRCs, as far as there is room for them. Returns where they end. */
static size_t fix_groups(uint8_t *region, size_t size, uint32_t slots)
{
    uLong seed = crc32(0, region + 12, 152);
    size_t at = 168;
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
    for (size_t at = 0; at + 169 <= size; at++) {
        uint8_t *region = data + at;
        uint32_t slots, groups;
        size_t end;
        if (memcmp(region, "TLPK", 4) != 0)
            continue;
        slots = region[20] % 100u + 1u;
        groups = (slots + 31u) / 32u;
        put32(region + 4, 0x00A80002u);
        put32(region + 12, 0x04800002u);
        put32(region + 20, slots);
        put32(region + 24, 0);
        put32(region + 28, 128 + 16 * (slots + 1) + 32 + 48 + (groups + 3) / 4 * 16);
        put32(region + 64, check_of(region + 12));
        end = fix_groups(region, size - at, slots);
        put32(region + 8, (uint32_t)(end > 168u + 8u * groups ? end : 172u + 8u * groups));
        put32(region + 164, (uint32_t)crc32(0, region, 164));
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
    wipe_headers(copy, size);
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
