/* test_lost_places.c - where chunks are found whose header and seal are both damaged: by the distance from other
 * images, by the user's address of the input, by an ELF core file; in each bank; and in how much time. */
#include "lost_harness.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

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
    struct bytes dump = lost_make(&lost_kinds[1]), bad = lost_wiped(dump, 1u << 2, ZEROS), memory;
    uint64_t base = lost_address(0, 0) - 20000u;
    struct decoded whole;
    (void)state;
    decode_bytes(&whole, dump);
    memory = memory_with(bad, 20000, 30000);
    firmware_given = &lost_firmware;
    lost_must_have(memory, &whole, 0);
    base_given = &base;
    lost_must_have(memory, &whole, 0);
    memcpy(memory.data + 3000, bad.data, bad.n);
    lost_must_have(memory, &whole, 0);
    base_given = NULL;
    lost_must_tell_nothing(memory);
    decoded_free(&whole);
    bytes_free(&memory);
    bytes_free(&bad);
    bytes_free(&dump);
}

/* If none of the images stands where the base tells, the base is wrong, and the images tell the places. */
static void a_wrong_base_does_no_harm(void **state)
{
    static const int64_t wrong[] = {1, 16, -16, 0x10000, -0x10000, 0x40000000};
    struct bytes dump = lost_make(&lost_kinds[1]), bad = lost_wiped(dump, 1u << 2, ZEROS), memory;
    struct decoded whole;
    uint64_t base;
    (void)state;
    decode_bytes(&whole, dump);
    memory = memory_with(bad, 20000, 30000);
    base_given = &base;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0] + 6u; i++) {
        int64_t by = i < 6 ? wrong[i] : ((int64_t)i - 6 - (i < 9 ? 3 : 2)) * lost_rings[0].size;
        base = (uint64_t)((int64_t)lost_address(0, 0) - 20000 + by);
        firmware_given = &lost_firmware;
        lost_must_have(memory, &whole, 0);
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
    struct bytes older = lost_make(&lost_kinds[2]), newer = lost_make(&lost_kinds[1]), both, bad;
    struct decoded whole;
    const size_t half = newer.n;
    (void)state;
    move(newer, 4u * lost_rings[0].size, 4);
    both = join(older, newer);
    decode_bytes(&whole, both);
    lost_rings[0].banks = 2;
    for (uint32_t number = 0; number < 4; number++) {
        size_t size, at = half + lost_chunk_at(newer, 0, 0, number, &size);
        bad = lost_copy(both);
        lost_wipe(bad, at, ZEROS);
        lost_rings[0].banks = 2;
        firmware_given = &lost_firmware;
        lost_must_have(bad, &whole, 0);
        lost_rings[0].banks = 1;
        lost_must_tell_nothing(bad);
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
    struct bytes dump = lost_make(&lost_kinds[1]), bad = lost_wiped(dump, 3, ZEROS), core;
    const size_t from[] = {0, 2u * lost_rings[0].size};
    uint64_t address[] = {lost_address(0, 0), lost_address(0, 0) + 2u * lost_rings[0].size};
    struct decoded whole;
    (void)state;
    decode_bytes(&whole, dump);
    core = core_of(bad, from, address, 2);
    firmware_given = &lost_firmware;
    lost_must_have(core, &whole, 0);
    core.data[0] = 0;
    lost_must_tell_nothing(core);
    core.data[0] = 0x7F;
    bytes_free(&core);
    address[0] += 8; /* not where the chunks are */
    core = core_of(bad, from, address, 2);
    lost_must_tell_nothing(core);
    decoded_free(&whole);
    bytes_free(&core);
    bytes_free(&bad);
    bytes_free(&dump);
}

/* There are names of the CPU, but no ring: so its first chunk was opened. */
static void names_tell_of_a_ring(void **state)
{
    static const struct gen_options kind = {.events = 90, .slots = 64, .chunks = 1, .cpus = 1, .names = 3};
    struct bytes dump = lost_make(&kind), bad = lost_wiped(dump, 1, ZEROS), core;
    const size_t from[] = {0, lost_rings[1].size};
    const uint64_t address[] = {lost_address(0, 1), lost_address(0, 0)};
    struct decoded whole;
    (void)state;
    decode_bytes(&whole, dump);
    core = core_of(bad, from, address, 2);
    firmware_given = &lost_firmware;
    lost_must_have(core, &whole, 0);
    lost_rings[0].banks = 2; /* nothing tells which */
    lost_must_tell_nothing(core);
    lost_rings[0].banks = 1;
    lost_must_tell_nothing(bad);
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
    lost_make_firmware(&options);
    lost_rings[0].freq = get32(one.data + 28);
    lost_rings[0].address = get32(one.data + CHUNK_SELF);
    put32(one.data + CHUNK_LAP, 2u << 16 | 0x200u);
    for (size_t i = 0; i < IMAGES; i++) {
        put32(one.data + CHUNK_BOOT, (uint32_t)i + 1u);
        fix_header(one.data);
        memcpy(many.data + i * one.n, one.data, one.n);
    }
    firmware_given = &lost_firmware;
    decode_bytes(&decoded, many);
    assert_true(decoded.opened);
    decoded_free(&decoded);
    bytes_free(&many);
    bytes_free(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOST_TEST(an_address_tells_which_place), LOST_TEST(a_wrong_base_does_no_harm),
        LOST_TEST(each_run_has_a_bank),          LOST_TEST(a_core_file_tells_addresses),
        LOST_TEST(names_tell_of_a_ring),         LOST_TEST(many_runs_take_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
