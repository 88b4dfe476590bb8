/* harness.c - dumps in memory, and what they are decoded into: see harness.h. */
#define _GNU_SOURCE
#include "tool/message.h"
#include "harness.h"

#include "io/input.h"
#include "cli/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

uint32_t get32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void put32(unsigned char *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

void fix_header(unsigned char *image)
{
    uint32_t sum = 0, factor = 1;
    for (unsigned i = 0; i < 15; i++) {
        uint32_t word = get32(image + (size_t)4 * i);
        factor *= 0x9E3779B1u;
        sum += (word ^ word >> 16) * factor;
    }
    put32(image + CHUNK_CHECK, sum);
}

/* Put the CRCs of the groups of n slots from `at` on. Returns where the next CRC goes. */
static unsigned char *put_groups(unsigned char *crc, const unsigned char *at, uint32_t n)
{
    for (uint32_t count; n > 0; n -= count, at += SLOT * count, crc += 4) {
        count = n < 32 ? n : 32;
        put32(crc, (uint32_t)crc32(0, at, SLOT * count));
    }
    return crc;
}

void fix_seal(unsigned char *image)
{
    static const unsigned words[10] = {CHUNK_CURSOR,         CHUNK_LAP,          CHUNK_DROPPED,  CHUNK_REPORTED,
                                       CHUNK_EMERGENCY_USED, CHUNK_DROPPED_HIGH, CHUNK_LAP_HIGH, CHUNK_EXTRA_HIGH,
                                       CHUNK_EXTRA,          CHUNK_TRIGGER};
    uint32_t slots = get32(image + CHUNK_SLOTS), emergency = get32(image + CHUNK_EMERGENCY);
    unsigned char *behind = image + HEADER + SLOT * ((size_t)slots + 1), *claims = behind + SLOT * (size_t)emergency,
                  *seal = claims + CLAIMS, *end;
    uLong crc;
    put32(seal, 0x4C414553u);
    for (size_t i = 0; i < 10; i++)
        put32(seal + 4 + 4 * i, get32(image + words[i]));
    end = put_groups(put_groups(seal + SEAL, image + HEADER, slots), behind, emergency);
    crc = crc32(crc32(0, seal, 44), claims, CLAIMS);
    put32(seal + 44, (uint32_t)crc32(crc, seal + SEAL, (unsigned)(end - seal - SEAL)));
}

int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

uint64_t random64(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static void add_item(struct list *list, const struct item *item)
{
    if (list->n == list->room) {
        list->room = list->room ? list->room * 2 : 64;
        list->item = realloc(list->item, list->room * sizeof *list->item);
        assert_non_null(list->item);
    }
    list->item[list->n++] = *item;
}

bool same_item(const struct item *a, const struct item *b)
{
    return a->time == b->time && a->count == b->count && a->cpu == b->cpu && a->code == b->code && a->par1 == b->par1
           && a->par2 == b->par2;
}

/* Print item i of a list, or that there is none. */
static void show(const char *what, const struct list *list, size_t i)
{
    const struct item *item = &list->item[i];
    if (i >= list->n)
        print_error("%s %zu: none\n", what, i);
    else
        print_error("%s %zu: cpu %" PRIu32 " ns %" PRIu64 " code %" PRIx32 " par %" PRIu32 " %" PRIu32 " count %" PRIu64
                    "\n",
                    what, i, item->cpu, item->time, item->code, item->par1, item->par2, item->count);
}

void assert_same(const struct list *got, const struct list *expected)
{
    size_t i = 0;
    while (i < got->n && i < expected->n && same_item(&got->item[i], &expected->item[i]))
        i++;
    if (i == got->n && i == expected->n)
        return;
    show("got", got, i);
    show("expected", expected, i);
    fail_msg("%zu events, expected %zu", got->n, expected->n);
}

static bool is_event(const struct item *item)
{
    return item->code != ITEM_LOSS && item->code != ITEM_DAMAGE;
}

bool is_part(const struct list *part, const struct list *whole)
{
    size_t at = 0;
    for (size_t i = 0; i < part->n; i++) {
        if (!is_event(&part->item[i]))
            continue;
        while (at < whole->n && !same_item(&part->item[i], &whole->item[at]))
            at++;
        if (at++ == whole->n)
            return false;
    }
    return true;
}

size_t count_events(const struct list *list)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        n += is_event(&list->item[i]);
    return n;
}

uint64_t count_lost(const struct list *list, uint32_t code)
{
    uint64_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        n += list->item[i].code == code ? list->item[i].count : 0;
    return n;
}

/* ---- dumps ------------------------------------------------------------------------------------------------------- */

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    bytes->data = NULL;
    bytes->n = 0;
}

struct bytes join(struct bytes a, struct bytes b)
{
    struct bytes both = {malloc(a.n + b.n + 1), a.n + b.n};
    assert_non_null(both.data);
    memcpy(both.data, a.data, a.n);
    if (b.n > 0)
        memcpy(both.data + a.n, b.data, b.n);
    return both;
}

/* Read what the generator says that its dump holds: tests/gen/dump.h has the form. */
static void read_expected(struct list *list, FILE *text)
{
    struct item item;
    char code[16];
    uint64_t last;
    while (fscanf(text, "%" SCNu32 " %" SCNu64 " %15s %" SCNu32 " %" SCNu64, &item.cpu, &item.time, code, &item.par1,
                  &last)
           == 5) {
        bool loss = strcmp(code, "loss") == 0;
        item.code = loss ? ITEM_LOSS : (uint32_t)strtoul(code, NULL, 16);
        item.par2 = loss ? 0 : (uint32_t)last;
        item.count = loss ? last : 0;
        if (item.code == ITEM_TRACEEVENT) {
            uint32_t low, high;
            assert_int_equal(fscanf(text, "%" SCNu32 " %" SCNu32, &low, &high), 2);
            item.count = low | (uint64_t)high << 32;
        }
        add_item(list, &item);
    }
}

struct bytes make_dump(const struct gen_options *options, struct list *expect)
{
    struct bytes dump = {NULL, 0};
    FILE *file = open_memstream((char **)&dump.data, &dump.n), *text = expect ? tmpfile() : NULL;
    assert_non_null(file);
    gen_dump(options, file, text);
    fclose(file);
    if (expect != NULL) {
        memset(expect, 0, sizeof *expect);
        rewind(text);
        read_expected(expect, text);
        fclose(text);
    }
    return dump;
}

size_t find_image(struct bytes dump, size_t at, size_t *size)
{
    for (; at + HEADER <= dump.n; at++) {
        if (memcmp(dump.data + at, "\xED\xB7\xD6\x00TLOG", 8) == 0) {
            *size = get32(dump.data + at + CHUNK_SIZE);
            return at;
        }
    }
    return SIZE_MAX;
}

/* ---- a chunk to write slots into --------------------------------------------------------------------------------- */

struct bytes empty_chunk(uint32_t slots)
{
    struct gen_options options = {.events = 0, .slots = slots, .chunks = 1, .cpus = 1, .hz = 1000000000, .boot = 1};
    return make_dump(&options, NULL);
}

void add_emergency(struct bytes *dump, uint32_t n)
{
    uint32_t slots = get32(dump->data + CHUNK_SLOTS);
    size_t behind = HEADER + SLOT * ((size_t)slots + 1u);
    struct bytes bigger = {calloc(1, dump->n + SLOT * (size_t)n + 16u), dump->n + SLOT * (size_t)n};
    memcpy(bigger.data, dump->data, behind);
    put32(bigger.data + CHUNK_EMERGENCY, n);
    put32(bigger.data + CHUNK_EMERGENCY_USED, n - 1u);
    put32(bigger.data + CHUNK_SIZE, (uint32_t)bigger.n);
    fix_header(bigger.data);
    for (uint32_t i = 0; i < n; i++)
        set_words(bigger, slots + 2u + i, i + 1u < n ? 0x10109u : 0x200u, 0, 9000u + 400u * i, i);
    bytes_free(dump);
    *dump = bigger;
}

void set_cursor(struct bytes dump, uint32_t lap, uint32_t index)
{
    put32(dump.data + CHUNK_CURSOR, index << 16 | (lap % 2 ? 0x100 : 0x200));
    put32(dump.data + CHUNK_LAP, lap << 16 | (lap % 2 ? 0x100 : 0x200));
}

void set_words(struct bytes dump, uint32_t slot, uint32_t head, uint32_t high, uint32_t low, uint32_t par2)
{
    unsigned char *at = dump.data + HEADER + (size_t)(slot - 1) * SLOT;
    put32(at, par2);
    put32(at + 4, high);
    put32(at + 8, low);
    put32(at + 12, head);
}

void set_traceevent(struct bytes dump, uint32_t slot, uint32_t head, uint32_t clock, uint32_t data0, uint32_t data1)
{
    set_words(dump, slot, head, data1, clock, data0);
}

void set_record(struct bytes dump, uint32_t slot, uint32_t lap, uint32_t time)
{
    set_words(dump, slot, (lap % 2 ? 0x100u : 0x200u) | 0x09, time & 0x80000000u, time, time);
}

struct item user_event(uint32_t time)
{
    return (struct item){.time = time, .code = 0x09, .par2 = time};
}

void fill_laps(struct bytes dump, uint32_t lap, uint32_t index)
{
    uint32_t slots = get32(dump.data + CHUNK_SLOTS);
    set_cursor(dump, lap, index);
    for (uint32_t i = 1; i <= slots; i++) {
        uint32_t of = i < index ? lap : lap - 1;
        if (of > 0)
            set_record(dump, i, of, 1000 * of + i);
    }
}

size_t add_range(struct item *items, size_t n, uint32_t lap, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i <= to; i++)
        items[n++] = user_event(1000 * lap + i);
    return n;
}

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

/* The code of a type: of a record's type the one that has its name in the generator's own table; UINT32_MAX for the
 * type of unknown codes. */
static uint32_t find_code(const struct tlog_type *type)
{
    if (strcmp(type->name, "loss") == 0)
        return ITEM_LOSS;
    if (strcmp(type->name, "damage") == 0)
        return ITEM_DAMAGE;
    if (strcmp(type->system, "qnx") == 0)
        return ITEM_TRACEEVENT;
    for (unsigned code = 0; code < 256; code++) {
        if (gen_name(code) != NULL && strcmp(gen_name(code), type->name) == 0)
            return code;
    }
    return UINT32_MAX;
}

/* The same by the type's index. It is remembered, because the types of records have the same one in all traces. */
static uint32_t code_of(const struct trace *trace, unsigned index)
{
    static struct {
        char name[64];
        uint32_t code;
    } known[TRACE_TYPES_MAX];
    const struct tlog_type *type = trace->types[index];
    if (known[index].name[0] == '\0' || strcmp(known[index].name, type->name) != 0) {
        snprintf(known[index].name, sizeof known[index].name, "%s", type->name);
        known[index].code = find_code(type);
    }
    return known[index].code;
}

/* Add n bytes to a sum that is another one for other bytes (FNV-1a). */
static uint64_t mix(uint64_t hash, const void *data, size_t n)
{
    for (const unsigned char *at = data; n > 0; n--)
        hash = (hash ^ *at++) * 0x100000001B3u;
    return hash;
}

/* Fill an item with a traceevent whose type has a name. The context in front of its payload is left out of the sum: it
 * depends on the events before. */
static void take_named(struct item *item, const struct tlog_type *type, const struct tlog_event *event)
{
    size_t from = strcmp(type->fields[0].name, "context") == 0 ? 4u : 0;
    item->par1 = (uint32_t)mix(0, type->name, strlen(type->name));
    item->par2 = event->size;
    item->count = mix(0, event->data + from, event->size - from);
}

/* Fill an item with a traceevent of unknown class or number. Its payload has two words of data, or more as a text. */
static void take_traceevent(struct item *item, const struct tlog_type *type, const unsigned char *data)
{
    unsigned low, high;
    item->par1 = get32(data) << 16 | get32(data + 4);
    item->par2 = strcmp(type->name, "unknown") == 0 ? 2u : get32(data + 8);
    item->count = get32(data + 8) | (uint64_t)get32(data + 12) << 32;
    if (item->par2 == 2u)
        return;
    assert_string_equal(type->name, "unknown_data");
    assert_int_equal(sscanf((const char *)data + (get32(data + 12) & 0xFFFF), "%x %x", &low, &high), 2);
    item->count = low | (uint64_t)high << 32;
}

static void take_event(struct decoded *decoded, unsigned cpu, const struct tlog_event *event)
{
    struct item item = {.time = event->time, .cpu = cpu};
    const unsigned char *data = event->data;
    assert_true(event->type < decoded->trace.ntypes);
    assert_true(event->size >= decoded->trace.types[event->type]->size);
    item.code = decoded->trace.types[event->type]->means == TLOG_MEANS_MARK ? (uint32_t)ITEM_MARK
                                                                            : code_of(&decoded->trace, event->type);
    if (item.code == ITEM_LOSS || item.code == ITEM_DAMAGE) {
        item.count = get32(data) | (uint64_t)get32(data + 4) << 32;
    } else if (item.code == ITEM_MARK && strcmp(decoded->trace.types[event->type]->name, "clock_set_back") == 0) {
        item.code = ITEM_SET_BACK;
        item.par2 = get32(data);
    } else if (item.code == ITEM_MARK && strcmp(decoded->trace.types[event->type]->name, "clock_rate_unknown") == 0) {
        item.code = ITEM_RATE_UNKNOWN;
        item.count = get32(data) | (uint64_t)get32(data + 4) << 32;
    } else if (item.code == ITEM_MARK) {
        item.par2 = get32(data);
    } else if (item.code == ITEM_TRACEEVENT && strncmp(decoded->trace.types[event->type]->name, "unknown", 7) != 0) {
        take_named(&item, decoded->trace.types[event->type], event);
    } else if (item.code == ITEM_TRACEEVENT) {
        take_traceevent(&item, decoded->trace.types[event->type], data);
    } else {
        if (item.code == UINT32_MAX) { /* then the payload begins with the code */
            item.code = get32(data);
            data += 4;
        }
        item.par1 = get32(data);
        item.par2 = get32(data + 4);
    }
    add_item(&decoded->list, &item);
}

static void read_cpu(struct decoded *decoded, void *reader, unsigned cpu)
{
    static struct trace_batch batch;
    uint64_t before = 0;
    int got;
    while ((got = reader_native.read(reader, cpu, &batch)) > 0) {
        assert_true(batch.n > 0 && batch.n <= TRACE_BATCH_EVENTS && batch.used <= sizeof batch.room);
        for (size_t i = 0; i < batch.n; i++) {
            assert_true(batch.event[i].time >= before);
            before = batch.event[i].time;
            take_event(decoded, cpu, &batch.event[i]);
        }
        batch.n = batch.used = 0;
    }
    assert_int_equal(got, 0);
}

/* Keep a dump for tests/judges/native.sh, if the environment names a directory for it: DIRECTORY/TEST-NUMBER.bin */
static void keep_dump(struct bytes bytes)
{
    static unsigned number;
    const char *directory = getenv("TLOG_KEEP_DUMPS");
    char path[256];
    FILE *file;
    if (directory == NULL || number >= 2000u)
        return;
    snprintf(path, sizeof path, "%s/%s-%u.bin", directory, program_invocation_short_name, number++);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.n, file), bytes.n);
    assert_int_equal(fclose(file), 0);
}

/* The bytes as an input: in a file in memory, for the reader only reads files. */
static struct input *open_bytes(struct trace *trace, struct bytes bytes)
{
    static int file = -1;
    char path[64];
    keep_dump(bytes);
    if (file < 0)
        file = memfd_create("dump", 0);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)bytes.n), 0);
    assert_int_equal(pwrite(file, bytes.data, bytes.n, 0), (ssize_t)bytes.n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return input_open(trace, path, NULL);
}

void read_events(struct bytes bytes, void (*take)(const struct trace *trace, const struct tlog_event *event))
{
    static struct trace_batch batch;
    struct trace trace;
    struct input *in;
    void *reader;
    trace_init(&trace, "dump");
    trace.sink = &message_sink;
    in = open_bytes(&trace, bytes);
    assert_non_null(in);
    reader = reader_native.open(&trace, in);
    assert_non_null(reader);
    for (unsigned cpu = 0; cpu < trace.ncpus; cpu++) {
        while (reader_native.read(reader, cpu, &batch) > 0) {
            for (size_t i = 0; i < batch.n; i++)
                take(&trace, &batch.event[i]);
            batch.n = batch.used = 0;
        }
    }
    reader_native.close(reader);
    input_close(in);
    trace_free(&trace);
}

uint64_t clock_given;
const struct trace_firmware *firmware_given;
const uint64_t *base_given;
int64_t run_given;
bool decode_is_quiet = true;

void decode_bytes(struct decoded *decoded, struct bytes bytes)
{
    struct input *in;
    void *reader;
    memset(decoded, 0, sizeof *decoded);
    trace_init(&decoded->trace, "dump");
    decoded->trace.sink = &message_sink;
    decoded->trace.clock_hz_given = clock_given;
    decoded->trace.firmware = firmware_given;
    decoded->trace.has_base = base_given != NULL;
    decoded->trace.base = base_given != NULL ? *base_given : 0;
    decoded->trace.run = run_given;
    decoded->trace.quiet = decode_is_quiet && getenv("TEST_VERBOSE") == NULL;
    in = open_bytes(&decoded->trace, bytes);
    assert_non_null(in);
    reader = reader_native.open(&decoded->trace, in);
    decoded->opened = reader != NULL;
    assert_int_equal(decoded->opened, !decoded->trace.failed);
    for (unsigned cpu = 0; reader != NULL && cpu < decoded->trace.ncpus; cpu++)
        read_cpu(decoded, reader, cpu);
    if (reader != NULL)
        reader_native.close(reader);
    input_close(in);
}

void decoded_free(struct decoded *decoded)
{
    trace_free(&decoded->trace);
    free(decoded->list.item);
}

void expect_items(struct bytes dump, const struct item *items, size_t n, uint64_t gaps)
{
    struct list expected = {malloc(n * sizeof *items), n, n};
    struct decoded decoded;
    memcpy(expected.item, items, n * sizeof *items);
    decode_bytes(&decoded, dump);
    assert_true(decoded.opened);
    assert_same(&decoded.list, &expected);
    assert_int_equal(decoded.trace.counts.gaps, gaps);
    decoded_free(&decoded);
    free(expected.item);
}

enum trace_probe probe_bytes(struct bytes bytes)
{
    struct trace trace;
    struct input *in;
    enum trace_probe answer;
    trace_init(&trace, "dump");
    trace.sink = &message_sink;
    in = open_bytes(&trace, bytes);
    assert_non_null(in);
    answer = reader_native.probe(in);
    input_close(in);
    trace_free(&trace);
    return answer;
}
