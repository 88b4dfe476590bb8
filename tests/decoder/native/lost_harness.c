/* lost_harness.c - dumps with lost chunks, and the firmware that made them: see lost_harness.h. */
#include "lost_harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- dumps, and the firmware that made them ---------------------------------------------------------------------- */

uint64_t lost_address(uint32_t cpu, uint32_t role)
{
    return 0x20001000u + cpu * 0x1000000u + role * 0x800000u;
}

const unsigned char lost_build_id[20] = "firmware of the test";

struct trace_ring lost_rings[16];
struct trace_firmware lost_firmware;

/* Bytes of a chunk (FORMAT.md, 2). */
static uint32_t chunk_bytes(uint32_t slots)
{
    return HEADER + SLOT * (slots + 1u) + CLAIMS + SEAL + ((slots + 31u) / 32u * 4u + 15u) / 16u * 16u;
}

static void add_ring(uint32_t cpu, uint32_t role, uint32_t chunks, uint32_t slots)
{
    lost_rings[lost_firmware.nrings++] = (struct trace_ring){.address = lost_address(cpu, role),
                                                             .banks = 1,
                                                             .chunks = chunks,
                                                             .format = 2u | HEADER << 16 | 4u << 24,
                                                             .place = cpu | role << 16,
                                                             .slots = slots,
                                                             .size = chunk_bytes(slots),
                                                             .freq = LOST_HZ};
}

void lost_make_firmware(const struct gen_options *options)
{
    lost_firmware =
        (struct trace_firmware){.rings = lost_rings, .build_id = lost_build_id, .build_id_size = sizeof lost_build_id};
    for (uint32_t cpu = 0; cpu < options->cpus; cpu++)
        add_ring(cpu, 0, options->chunks, options->slots);
    if (options->names > 0)
        add_ring(0, 1, 1, options->names * 4u);
    firmware_given = NULL;
    base_given = NULL;
}

void lost_lie_in_memory(struct bytes dump)
{
    const uint32_t ram = (uint32_t)lost_address(0, 0);
    size_t size;
    for (size_t at = 0; (at = find_image(dump, at, &size)) != SIZE_MAX; at += size) {
        uint32_t place = get32(dump.data + at + CHUNK_PLACE);
        put32(dump.data + at + CHUNK_SELF, ram + (uint32_t)at);
        fix_header(dump.data + at);
        for (size_t i = 0; i < lost_firmware.nrings; i++) {
            if ((place & 0x3FFFFFu) == lost_rings[i].place)
                lost_rings[i].address = ram + at;
        }
    }
}

size_t lost_chunk_at(struct bytes dump, uint32_t cpu, uint32_t role, uint32_t number, size_t *size)
{
    size_t at = 0;
    while ((at = find_image(dump, at, size)) != SIZE_MAX
           && (get32(dump.data + at + CHUNK_PLACE) & 0x3FFFFFu) != (cpu | number << 8 | role << 16))
        at += *size;
    return at;
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

static void wipe_bytes(unsigned char *at, size_t n, enum lost_how how)
{
    for (size_t i = 0; i < n; i++)
        at[i] = how == ONES       ? 0xFF
                : how == RANDOM   ? (unsigned char)random64()
                : how == INVERTED ? (unsigned char)~at[i]
                                  : 0;
}

void lost_wipe(struct bytes dump, size_t at, enum lost_how how)
{
    unsigned char *chunk = dump.data + at;
    uint32_t slots = get32(chunk + CHUNK_SLOTS), size = get32(chunk + CHUNK_SIZE);
    size_t seal = HEADER + SLOT * (size_t)(slots + 1u) + CLAIMS, first = 0, n = HEADER;
    if (how == CONSTANTS)
        n = CHUNK_NEXT;
    if (how == NEXT)
        n = CHUNK_FLAGS;
    if (how == HALF)
        first = 24;
    if (how == MORE)
        n = HEADER + 3 * SLOT;
    if (how == MARK)
        seal -= CLAIMS + SLOT;
    wipe_bytes(chunk + first, n - first, how);
    wipe_bytes(chunk + seal, size - seal, how);
    if (how == NEXT)
        put32(chunk + CHUNK_DROPPED, 77);
}

char lost_what[128]; /* is tried, for messages */

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* Whether the undamaged dump tells how many slots were no events, and how many events were dropped: what a header tells
 * that is lost. */
static bool has_extras(const struct decoded *whole)
{
    for (size_t i = 0; i < whole->list.n; i++) {
        if (whole->list.item[i].code == ITEM_TRACEEVENT)
            return true;
    }
    return whole->trace.counts.dropped > 0;
}

uint64_t lost_must_have(struct bytes dump, const struct decoded *whole, uint64_t missing)
{
    struct decoded decoded;
    uint64_t lacks, gaps;
    decode_bytes(&decoded, dump);
    assert_true(decoded.opened);
    assert_true(decoded.trace.counts.gaps > 0);
    lacks = count_events(&whole->list) - count_events(&decoded.list);
    if (lacks > missing)
        print_error("%s: %d events missing\n", lost_what, (int)lacks);
    assert_true(lacks <= missing);
    if (lacks == 0 && !has_extras(whole)) {
        assert_int_equal(decoded.trace.counts.overwritten, whole->trace.counts.overwritten);
        assert_int_equal(decoded.trace.counts.dropped, whole->trace.counts.dropped);
    }
    for (size_t i = 0, at = 0; i < decoded.list.n; i++) {
        const struct item *item = &decoded.list.item[i];
        if (item->code == ITEM_LOSS || item->code == ITEM_DAMAGE)
            continue;
        while (at < whole->list.n && !same_item(item, &whole->list.item[at]))
            at++;
        assert_true(at++ < whole->list.n);
    }
    gaps = decoded.trace.counts.gaps;
    decoded_free(&decoded);
    return gaps;
}

void lost_must_be_like(struct bytes dump, const struct decoded *other)
{
    struct decoded decoded;
    decode_bytes(&decoded, dump);
    if (decoded.trace.counts.gaps != other->trace.counts.gaps)
        print_error("%s\n", lost_what);
    assert_int_equal(decoded.opened, other->opened);
    assert_int_equal(decoded.trace.counts.gaps, other->trace.counts.gaps);
    assert_int_equal(decoded.trace.counts.overwritten, other->trace.counts.overwritten);
    assert_int_equal(decoded.trace.counts.damaged, other->trace.counts.damaged);
    assert_same(&decoded.list, &other->list);
    decoded_free(&decoded);
}

struct bytes lost_copy(struct bytes dump)
{
    struct bytes copy = {malloc(dump.n), dump.n};
    memcpy(copy.data, dump.data, dump.n);
    return copy;
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

const struct gen_options lost_kinds[LOST_KINDS] = {
    {.events = 300, .slots = 40, .chunks = 4, .cpus = 1, .names = 3},
    {.events = 320, .slots = 40, .chunks = 4, .cpus = 1, .sealed = true},
    {.events = 150, .slots = 40, .chunks = 4, .cpus = 1, .sealed = true},
    {.events = 333, .slots = 64, .chunks = 2, .cpus = 2, .names = 3, .sealed = true},
    {.events = 500, .slots = 64, .chunks = 3, .cpus = 1, .traceevents = 60, .longest = 4, .sealed = true},
    {.events = 400, .slots = 64, .chunks = 3, .cpus = 1, .traceevents = 100},
    {.events = 1000, .slots = 33, .chunks = 9, .cpus = 1, .drops = 5, .names = 1, .garbage = 0},
};

struct bytes lost_make(const struct gen_options *kind)
{
    struct gen_options options = *kind;
    options.hz = LOST_HZ;
    options.boot = 3;
    options.seed = 5;
    options.start = 1000;
    lost_make_firmware(&options);
    return make_dump(&options, NULL);
}

struct bytes lost_wiped(struct bytes dump, uint32_t lost, enum lost_how how)
{
    struct bytes bad = lost_copy(dump);
    size_t size;
    for (uint32_t number = 0; lost >> number != 0; number++) {
        if (lost >> number & 1u)
            lost_wipe(bad, lost_chunk_at(dump, 0, 0, number, &size), how);
    }
    return bad;
}

void lost_must_tell_nothing(struct bytes dump)
{
    struct decoded without;
    firmware_given = NULL;
    decode_bytes(&without, dump);
    firmware_given = &lost_firmware;
    lost_must_be_like(dump, &without);
    decoded_free(&without);
}

int lost_set_up(void **state)
{
    (void)state;
    firmware_given = NULL;
    base_given = NULL;
    return 0;
}
