/* test_lost_chunks.c - chunks whose header and seal are both damaged, with what a firmware's ELF file tells of its rings
 * and without it: in copies of memory and in ELF core files, in one bank and in several, with files of another firmware,
 * with wrong addresses. The judge is the undamaged dump. */
#include "harness.h"

#include "lib/tier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HZ = 1000000000, ROOM = 8192 };

/* ---- dumps, and the firmware that made them ---------------------------------------------------------------------- */

/* Where the generator has its chunks (tests/gen/dump.c): ring after ring, each CPU with memory of its own. */
static uint64_t address_of(uint32_t cpu, uint32_t role)
{
    return 0x20001000u + cpu * 0x1000000u + role * 0x800000u;
}

static const unsigned char build_id[20] = "firmware of the test";

static struct trace_ring rings[16];
static struct trace_firmware firmware;

/* Bytes of a chunk (FORMAT.md, 2). */
static uint32_t chunk_bytes(uint32_t slots)
{
    return HEADER + SLOT * (slots + 1u) + CLAIMS + SEAL + ((slots + 31u) / 32u * 4u + 15u) / 16u * 16u;
}

static void add_ring(uint32_t cpu, uint32_t role, uint32_t chunks, uint32_t slots)
{
    rings[firmware.nrings++] = (struct trace_ring){.address = address_of(cpu, role),
                                                   .banks = 1,
                                                   .chunks = chunks,
                                                   .format = 2u | HEADER << 16 | 4u << 24,
                                                   .place = cpu | role << 16,
                                                   .slots = slots,
                                                   .size = chunk_bytes(slots),
                                                   .freq = HZ};
}

/* The firmware of a dump with these options. */
static void make_firmware(const struct gen_options *options)
{
    firmware = (struct trace_firmware){.rings = rings, .build_id = build_id, .build_id_size = sizeof build_id};
    for (uint32_t cpu = 0; cpu < options->cpus; cpu++)
        add_ring(cpu, 0, options->chunks, options->slots);
    if (options->names > 0)
        add_ring(0, 1, 1, options->names * 3u);
    firmware_given = NULL;
    base_given = NULL;
}

/* The offset of chunk `number` of a CPU's ring (role 0), or of its names. SIZE_MAX: there is none. */
static size_t chunk_at(struct bytes dump, uint32_t cpu, uint32_t role, uint32_t number, size_t *size)
{
    size_t at = 0;
    while ((at = find_image(dump, at, size)) != SIZE_MAX
           && (get32(dump.data + at + CHUNK_PLACE) & 0x3FFFFFu) != (cpu | number << 8 | role << 16))
        at += *size;
    return at;
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

enum wipe { ZEROS, ONES, RANDOM, INVERTED, CONSTANTS, HALF, MORE, MARK, WIPES };

static void wipe_bytes(unsigned char *at, size_t n, enum wipe how)
{
    for (size_t i = 0; i < n; i++)
        at[i] = how == ONES       ? 0xFF
                : how == RANDOM   ? (unsigned char)random64()
                : how == INVERTED ? (unsigned char)~at[i]
                                  : 0;
}

/* Damage header and seal of the chunk at an offset. CONSTANTS: the words of the header that change are left as they are;
 * HALF: these are zeros, and the others are not all; MORE: three slots are lost, too; MARK: the end mark is. */
static void wipe(struct bytes dump, size_t at, enum wipe how)
{
    unsigned char *chunk = dump.data + at;
    uint32_t slots = get32(chunk + CHUNK_SLOTS), size = get32(chunk + CHUNK_SIZE);
    size_t seal = HEADER + SLOT * (size_t)(slots + 1u) + CLAIMS, first = 0, n = HEADER;
    if (how == CONSTANTS)
        n = CHUNK_NEXT;
    if (how == HALF)
        first = 24;
    if (how == MORE)
        n = HEADER + 3 * SLOT;
    if (how == MARK)
        seal -= CLAIMS + SLOT;
    wipe_bytes(chunk + first, n - first, how);
    wipe_bytes(chunk + seal, size - seal, how);
}

static char what[128]; /* is tried, for messages */

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* Check the events of a dump, and its losses and damage, against those of the undamaged one: `lost` of them are missing
 * at most, none is another one, and there is damage. Returns how many are missing. */
static uint64_t must_have(struct bytes dump, const struct decoded *whole, uint64_t lost)
{
    struct decoded decoded;
    uint64_t events = count_events(&whole->list), missing;
    decode_bytes(&decoded, dump);
    assert_true(decoded.opened);
    assert_true(decoded.trace.counts.gaps > 0);
    missing = events - count_events(&decoded.list);
    if (missing > lost)
        print_error("%s: %d events missing\n", what, (int)missing);
    assert_true(missing <= lost);
    for (size_t i = 0, at = 0; i < decoded.list.n; i++) {
        const struct item *item = &decoded.list.item[i];
        if (item->code == ITEM_LOSS || item->code == ITEM_DAMAGE)
            continue;
        while (at < whole->list.n && !same_item(item, &whole->list.item[at]))
            at++;
        assert_true(at++ < whole->list.n);
    }
    decoded_free(&decoded);
    return missing;
}

/* Both decodings of a dump give the same. */
static void must_be_like(struct bytes dump, const struct decoded *other)
{
    struct decoded decoded;
    decode_bytes(&decoded, dump);
    if (decoded.trace.counts.gaps != other->trace.counts.gaps)
        print_error("%s\n", what);
    assert_int_equal(decoded.opened, other->opened);
    assert_int_equal(decoded.trace.counts.gaps, other->trace.counts.gaps);
    assert_int_equal(decoded.trace.counts.overwritten, other->trace.counts.overwritten);
    assert_int_equal(decoded.trace.counts.damaged, other->trace.counts.damaged);
    assert_same(&decoded.list, &other->list);
    decoded_free(&decoded);
}

static struct bytes copy_of(struct bytes dump)
{
    struct bytes copy = {malloc(dump.n), dump.n};
    memcpy(copy.data, dump.data, dump.n);
    return copy;
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* Kinds of dumps. The last chunk that is filled is the one that is open. */
static const struct gen_options kinds[] = {
    {.events = 300, .slots = 40, .chunks = 4, .cpus = 1, .names = 3},
    {.events = 320, .slots = 40, .chunks = 4, .cpus = 1, .sealed = true},
    {.events = 150, .slots = 40, .chunks = 4, .cpus = 1, .sealed = true},
    {.events = 333, .slots = 64, .chunks = 2, .cpus = 2, .names = 3, .sealed = true},
    {.events = 500, .slots = 64, .chunks = 3, .cpus = 1, .traceevents = 60, .longest = 4, .sealed = true},
    {.events = 400, .slots = 64, .chunks = 3, .cpus = 1, .traceevents = 100},
    {.events = 1000, .slots = 33, .chunks = 9, .cpus = 1, .drops = 5, .names = 1, .garbage = 0},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static struct bytes make(const struct gen_options *kind)
{
    struct gen_options options = *kind;
    options.hz = HZ;
    options.boot = 3;
    options.seed = 5;
    options.start = 1000;
    make_firmware(&options);
    return make_dump(&options, NULL);
}

/* Whether the laps of the ring's other chunks tell that a chunk was opened. lost: bits of those that are damaged. */
static bool is_told(struct bytes dump, const struct gen_options *kind, uint32_t cpu, uint32_t number, uint32_t lost)
{
    uint32_t newest = 0, last = 0;
    size_t size;
    for (uint32_t i = 0; i < kind->chunks; i++) {
        uint32_t lap = get32(dump.data + chunk_at(dump, cpu, 0, i, &size) + CHUNK_LAP) >> 16;
        if ((lost >> i & 1u) == 0 && lap > 0 && lap >= newest) {
            newest = lap;
            last = i;
        }
    }
    return newest > 1 || (newest == 1 && number < last);
}

/* Whether chunk `number` has the newest events of its ring: no other one tells what is later. */
static bool is_newest(struct bytes dump, const struct gen_options *kind, uint32_t cpu, uint32_t number)
{
    size_t size;
    const unsigned char *chunk = dump.data + chunk_at(dump, cpu, 0, number, &size);
    uint32_t lap = get32(chunk + CHUNK_LAP) >> 16, next = (number + 1u) % kind->chunks;
    const unsigned char *other = dump.data + chunk_at(dump, cpu, 0, next, &size);
    return get32(other + CHUNK_LAP) >> 16 != lap + (next == 0);
}

/* How many events may be missing when a chunk is found. Without its end mark it is only found if other laps tell its
 * times, which takes records. */
static uint64_t may_lack(struct bytes dump, const struct gen_options *kind, uint32_t cpu, uint32_t number,
                         enum wipe how)
{
    if (how == MARK && (kind->traceevents == 100 || is_newest(dump, kind, cpu, number)))
        return UINT64_MAX;
    return how == MORE ? kind->traceevents > 0 ? 7u : 3u : how == MARK ? 1u : 0u;
}

/* Damage a chunk. With the ELF file all events are there but those of slots that are damaged, too; without it those of
 * the chunk are missing. */
static void try_chunk(struct bytes dump, const struct gen_options *kind, const struct decoded *whole, uint32_t cpu,
                      uint32_t number, enum wipe how)
{
    struct bytes bad = copy_of(dump);
    struct decoded without;
    size_t size, at = chunk_at(dump, cpu, 0, number, &size);
    wipe(bad, at, how);
    snprintf(what, sizeof what, "kind %u, CPU %u, chunk %u, wiped %u", (unsigned)(kind - kinds), cpu, number,
             (unsigned)how);
    firmware_given = &firmware;
    if (is_told(dump, kind, cpu, number, 1u << number))
        must_have(bad, whole, may_lack(dump, kind, cpu, number, how));
    firmware_given = NULL;
    decode_bytes(&without, bad);
    assert_true(count_events(&without.list) < count_events(&whole->list));
    decoded_free(&without);
    bytes_free(&bad);
}

static void a_chunk_is_found_by_its_ring(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        struct bytes dump = make(&kinds[i]);
        struct decoded whole;
        decode_bytes(&whole, dump);
        assert_int_equal(whole.trace.counts.gaps, 0);
        firmware_given = &firmware;
        must_be_like(dump, &whole);
        for (uint32_t cpu = 0; cpu < kinds[i].cpus; cpu++) {
            for (uint32_t number = 0; number < kinds[i].chunks; number++) {
                for (unsigned how = 0; how < WIPES; how++)
                    try_chunk(dump, &kinds[i], &whole, cpu, number, (enum wipe)how);
            }
        }
        decoded_free(&whole);
        bytes_free(&dump);
    }
}

/* Damage some chunks of CPU 0: bits of their numbers. */
static struct bytes wiped(struct bytes dump, uint32_t lost, enum wipe how)
{
    struct bytes bad = copy_of(dump);
    size_t size;
    for (uint32_t number = 0; lost >> number != 0; number++) {
        if (lost >> number & 1u)
            wipe(bad, chunk_at(dump, 0, 0, number, &size), how);
    }
    return bad;
}

/* Any chunks of a ring may be lost, but for one. Those that the others tell of are found. */
static void several_chunks_are_found(void **state)
{
    const struct gen_options *kind = &kinds[*(const size_t *)*state];
    struct bytes dump = make(kind);
    uint32_t all = (1u << kind->chunks) - 1u;
    for (uint32_t lost = 1; lost < all; lost++) {
        uint32_t untold = 0;
        struct bytes bad = wiped(dump, lost, ZEROS), fewer;
        struct decoded expected;
        for (uint32_t number = 0; number < kind->chunks; number++) {
            if (lost >> number & 1u && !is_told(dump, kind, 0, number, lost))
                untold |= 1u << number;
        }
        fewer = wiped(dump, untold, ZEROS);
        firmware_given = NULL;
        decode_bytes(&expected, fewer);
        firmware_given = &firmware;
        snprintf(what, sizeof what, "chunks 0x%x, of them not told 0x%x", lost, untold);
        must_have(bad, &expected, untold != lost ? 0 : UINT64_MAX);
        decoded_free(&expected);
        bytes_free(&fewer);
        bytes_free(&bad);
    }
    bytes_free(&dump);
}

/* ---- what tells nothing ------------------------------------------------------------------------------------------ */

/* Decode a dump as if there were no ELF file, and check that it is the same with the one that there is. */
static void must_tell_nothing(struct bytes dump)
{
    struct decoded without;
    firmware_given = NULL;
    decode_bytes(&without, dump);
    firmware_given = &firmware;
    must_be_like(dump, &without);
    decoded_free(&without);
}

/* Put a build id into the header of the n-th image, or of all (SIZE_MAX). */
static void put_build(struct bytes dump, size_t n, const void *id)
{
    size_t at = 0, size;
    for (size_t i = 0; (at = find_image(dump, at, &size)) != SIZE_MAX; i++, at += size) {
        if (i != n && n != SIZE_MAX)
            continue;
        memcpy(dump.data + at + CHUNK_BOOT + 4, id, 8);
        fix_header(dump.data + at);
    }
}

static void another_firmware_tells_nothing(void **state)
{
    struct bytes dump = make(&kinds[1]), bad;
    struct decoded whole;
    (void)state;
    decode_bytes(&whole, dump);
    bad = wiped(dump, 1u << 2, ZEROS);
    firmware_given = &firmware;
    must_have(bad, &whole, 0);
    put_build(bad, SIZE_MAX, build_id);
    must_have(bad, &whole, 0);
    firmware.build_id_size = 0;
    must_tell_nothing(bad);
    firmware.build_id_size = 7;
    must_tell_nothing(bad);
    firmware.build_id_size = 8;
    must_have(bad, &whole, 0);
    for (size_t i = 0; i < 3; i++) {
        put_build(bad, i, "another!");
        must_tell_nothing(bad);
        put_build(bad, i, build_id);
    }
    put_build(bad, SIZE_MAX, "another!");
    must_tell_nothing(bad);
    put_build(bad, SIZE_MAX, "\0\0\0\0\0\0\0\0");
    firmware.build_id_size = 0;
    must_have(bad, &whole, 0);
    decoded_free(&whole);
    bytes_free(&bad);
    bytes_free(&dump);
}

static void other_rings_tell_nothing(void **state)
{
    struct bytes dump = make(&kinds[1]), bad = wiped(dump, 1u << 2, ZEROS);
    const struct trace_ring right = rings[0];
    (void)state;
    for (unsigned i = 0; i < 11; i++) {
        const int64_t by[] = {16, -16, right.size, -(int64_t)right.size, 4 * (int64_t)right.size};
        rings[0] = right;
        if (i < 5)
            rings[0].address += (uint64_t)by[i];
        rings[0].chunks -= i == 5 ? 2u : 0;
        rings[0].slots += i == 6;
        rings[0].freq += i == 7;
        rings[0].coarse_freq += i == 8;
        rings[0].format += i == 9 ? 4u << 24 : 0;
        rings[0].place += i == 10;
        must_tell_nothing(bad);
    }
    rings[0] = right;
    firmware.nrings = 0;
    must_tell_nothing(bad);
    bytes_free(&bad);
    bytes_free(&dump);
}

/* A symbol does not tell that a chunk was opened. */
static void a_chunk_may_never_have_been_opened(void **state)
{
    struct gen_options kind = kinds[1];
    struct bytes dump, bad;
    struct decoded whole;
    (void)state;
    kind.events = 70;
    dump = make(&kind);
    decode_bytes(&whole, dump);
    firmware_given = &firmware;
    for (uint32_t lost = 4; lost < 16; lost += 4) {
        bad = wiped(dump, lost, ZEROS);
        must_be_like(bad, &whole);
        assert_int_equal(whole.trace.counts.gaps, 0);
        bytes_free(&bad);
    }
    decoded_free(&whole);
    bytes_free(&dump);
}

/* What memory holds where there is no chunk. */
static void put_other(unsigned char *at, size_t n, unsigned kind)
{
    for (size_t i = 0; i + 16 <= n; i += 16) {
        uint32_t number = (uint32_t)(i / 16u);
        for (size_t k = 0; k < 16; k++)
            at[i + k] = kind == 0 ? 0 : kind == 1 ? 0xFF : (unsigned char)random64();
        if (kind == 3) { /* a vector table */
            for (size_t k = 0; k < 16; k += 4)
                put32(at + i + k, 0x08000101u + 4u * (uint32_t)(random64() % 4000u));
        } else if (kind == 4) { /* entries with a number, a value and times */
            put32(at + i, 1000u * number);
            put32(at + i + 4, 0);
            put32(at + i + 8, 500000000u + 100u * number);
            put32(at + i + 12, 0x110u + number);
        }
    }
}

/* A dump may lack a part of the memory: what stands there instead is not a chunk. */
static void other_memory_is_no_chunk(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        struct bytes dump = make(&kinds[i]), bad = copy_of(dump);
        size_t size, at = chunk_at(dump, 0, 0, 1, &size);
        for (unsigned kind = 0; kind < 5; kind++) {
            put_other(bad.data + at, size, kind);
            snprintf(what, sizeof what, "kind %u, memory %u", (unsigned)i, kind);
            must_tell_nothing(bad);
        }
        bytes_free(&bad);
        bytes_free(&dump);
    }
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

/* Memory with a dump at an offset. */
static struct bytes memory_with(struct bytes dump, size_t at, size_t n)
{
    struct bytes memory = {calloc(1, n), n};
    memcpy(memory.data + at, dump.data, dump.n);
    return memory;
}

/* A copy of the ring's memory, from a moment before, makes the images tell two places. */
static void an_address_tells_which_place(void **state)
{
    struct bytes dump = make(&kinds[1]), bad = wiped(dump, 1u << 2, ZEROS), memory;
    uint64_t base = address_of(0, 0) - 20000u;
    struct decoded whole;
    (void)state;
    decode_bytes(&whole, dump);
    memory = memory_with(bad, 20000, 30000);
    firmware_given = &firmware;
    must_have(memory, &whole, 0);
    base_given = &base;
    must_have(memory, &whole, 0);
    memcpy(memory.data + 3000, bad.data, bad.n);
    must_have(memory, &whole, 0);
    base_given = NULL;
    must_tell_nothing(memory);
    decoded_free(&whole);
    bytes_free(&memory);
    bytes_free(&bad);
    bytes_free(&dump);
}

/* If none of the images stands where the base tells, the base is wrong, and the images tell the places. */
static void a_wrong_base_does_no_harm(void **state)
{
    static const int64_t wrong[] = {1, 16, -16, 0x10000, -0x10000, 0x40000000};
    struct bytes dump = make(&kinds[1]), bad = wiped(dump, 1u << 2, ZEROS), memory;
    struct decoded whole;
    uint64_t base;
    (void)state;
    decode_bytes(&whole, dump);
    memory = memory_with(bad, 20000, 30000);
    base_given = &base;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0] + 6u; i++) {
        int64_t by = i < 6 ? wrong[i] : ((int64_t)i - 6 - (i < 9 ? 3 : 2)) * rings[0].size;
        base = (uint64_t)((int64_t)address_of(0, 0) - 20000 + by);
        firmware_given = &firmware;
        must_have(memory, &whole, 0);
    }
    decoded_free(&whole);
    bytes_free(&memory);
    bytes_free(&bad);
    bytes_free(&dump);
}

/* ---- banks ------------------------------------------------------------------------------------------------------- */

/* Move the chunks of a dump to another bank, and to another run. */
static void move(struct bytes dump, uint32_t by, uint32_t boot)
{
    size_t at = 0, size;
    for (; (at = find_image(dump, at, &size)) != SIZE_MAX; at += size) {
        put32(dump.data + at + CHUNK_SELF, get32(dump.data + at + CHUNK_SELF) + by);
        put32(dump.data + at + CHUNK_BOOT, boot);
        fix_header(dump.data + at);
    }
}

static void each_run_has_a_bank(void **state)
{
    struct bytes older = make(&kinds[2]), newer = make(&kinds[1]), both, bad;
    struct decoded whole;
    const size_t half = newer.n;
    (void)state;
    move(newer, 4u * rings[0].size, 4);
    both = join(older, newer);
    decode_bytes(&whole, both);
    rings[0].banks = 2;
    for (uint32_t number = 0; number < 4; number++) {
        size_t size, at = half + chunk_at(newer, 0, 0, number, &size);
        bad = copy_of(both);
        wipe(bad, at, ZEROS);
        rings[0].banks = 2;
        firmware_given = &firmware;
        must_have(bad, &whole, 0);
        rings[0].banks = 1;
        must_tell_nothing(bad);
        bytes_free(&bad);
    }
    decoded_free(&whole);
    bytes_free(&both);
    bytes_free(&older);
    bytes_free(&newer);
}

/* ---- ELF core files ---------------------------------------------------------------------------------------------- */

/* A core file with segments of one dump: each from one offset to the next, in reverse order, with their addresses. */
static struct bytes core_of(struct bytes dump, const size_t *from, const uint64_t *address, unsigned n)
{
    struct bytes core = {calloc(1, 200u + 32u * n + dump.n + 700u * n), 0};
    Elf32_Ehdr *header = (Elf32_Ehdr *)(void *)core.data;
    Elf32_Phdr *segment = (Elf32_Phdr *)(void *)(core.data + 64);
    memcpy(header->e_ident, ELFMAG "\1\1\1", SELFMAG + 3);
    header->e_type = ET_CORE;
    header->e_phoff = 64;
    header->e_phentsize = sizeof *segment;
    header->e_phnum = (Elf32_Half)n;
    core.n = 64 + sizeof *segment * n;
    for (unsigned i = n; i-- > 0; segment++) {
        size_t size = (i + 1u < n ? from[i + 1u] : dump.n) - from[i];
        core.n += 333;
        *segment = (Elf32_Phdr){.p_type = PT_LOAD,
                                .p_offset = (Elf32_Off)core.n,
                                .p_vaddr = (Elf32_Addr)address[i],
                                .p_filesz = (Elf32_Word)size,
                                .p_memsz = (Elf32_Word)size};
        memcpy(core.data + core.n, dump.data + from[i], size);
        core.n += size;
    }
    return core;
}

/* Chunks 0 and 1 are lost, and the others stand elsewhere in the file. */
static void a_core_file_tells_addresses(void **state)
{
    struct bytes dump = make(&kinds[1]), bad = wiped(dump, 3, ZEROS), core;
    const size_t from[] = {0, 2u * rings[0].size};
    uint64_t address[] = {address_of(0, 0), address_of(0, 0) + 2u * rings[0].size};
    struct decoded whole;
    (void)state;
    decode_bytes(&whole, dump);
    core = core_of(bad, from, address, 2);
    firmware_given = &firmware;
    must_have(core, &whole, 0);
    core.data[0] = 0;
    must_tell_nothing(core);
    core.data[0] = 0x7F;
    bytes_free(&core);
    address[0] += 8; /* not where the chunks are */
    core = core_of(bad, from, address, 2);
    must_tell_nothing(core);
    decoded_free(&whole);
    bytes_free(&core);
    bytes_free(&bad);
    bytes_free(&dump);
}

/* There are names of the CPU, but no ring: so its first chunk was opened. */
static void names_tell_of_a_ring(void **state)
{
    static const struct gen_options kind = {.events = 90, .slots = 64, .chunks = 1, .cpus = 1, .names = 3};
    struct bytes dump = make(&kind), bad = wiped(dump, 1, ZEROS), core;
    const size_t from[] = {0, rings[1].size};
    const uint64_t address[] = {address_of(0, 1), address_of(0, 0)};
    struct decoded whole;
    (void)state;
    decode_bytes(&whole, dump);
    core = core_of(bad, from, address, 2);
    firmware_given = &firmware;
    must_have(core, &whole, 0);
    rings[0].banks = 2; /* nothing tells which */
    must_tell_nothing(core);
    rings[0].banks = 1;
    must_tell_nothing(bad);
    decoded_free(&whole);
    bytes_free(&core);
    bytes_free(&bad);
    bytes_free(&dump);
}

/* ---- hostile dumps ----------------------------------------------------------------------------------------------- */

/* So many runs, of each of which 254 chunks are missing: the search ends after a while. */
static void many_runs_take_no_time(void **state)
{
    enum { IMAGES = 4000, SLOTS = 1 };
    struct bytes one = empty_chunk(SLOTS), many = {malloc(one.n * IMAGES), one.n * IMAGES};
    struct gen_options options = {.slots = SLOTS, .chunks = 255, .cpus = 1};
    struct decoded decoded;
    (void)state;
    make_firmware(&options);
    rings[0].freq = get32(one.data + 28);
    rings[0].address = get32(one.data + CHUNK_SELF);
    put32(one.data + CHUNK_LAP, 2u << 16 | 0x200u);
    for (size_t i = 0; i < IMAGES; i++) {
        put32(one.data + CHUNK_BOOT, (uint32_t)i + 1u);
        fix_header(one.data);
        memcpy(many.data + i * one.n, one.data, one.n);
    }
    firmware_given = &firmware;
    decode_bytes(&decoded, many);
    assert_true(decoded.opened);
    decoded_free(&decoded);
    bytes_free(&many);
    bytes_free(&one);
}

static int set_up(void **state)
{
    (void)state;
    firmware_given = NULL;
    base_given = NULL;
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, set_up)

int main(void)
{
    static size_t four = 0, nine = 6;
    const struct CMUnitTest tests[] = {
        TEST(a_chunk_is_found_by_its_ring),
        cmocka_unit_test_prestate_setup_teardown(several_chunks_are_found, set_up, set_up, &four),
        cmocka_unit_test_prestate_setup_teardown(several_chunks_are_found, set_up, set_up, &nine),
        TEST(another_firmware_tells_nothing),
        TEST(other_rings_tell_nothing),
        TEST(a_chunk_may_never_have_been_opened),
        TEST(other_memory_is_no_chunk),
        TEST(an_address_tells_which_place),
        TEST(a_wrong_base_does_no_harm),
        TEST(each_run_has_a_bank),
        TEST(a_core_file_tells_addresses),
        TEST(names_tell_of_a_ring),
        TEST(many_runs_take_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, set_up);
}
