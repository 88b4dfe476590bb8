/* rings.c - the rings of tlog's runtime: where the firmware has memory for chunks, and what it writes into their
 * headers.
 *
 * Two things in the ELF file must agree. The runtime has a constant for each ring, struct tlog_ring
 * (target/src/tlog_ring_type.h): address of the first chunk, chunks of a bank, flags, and the first ten words of the
 * headers. They are found by these words, whatever their symbol is called. The memory has a symbol, one for all rings
 * of events and one for all of names. Each ring has an equal part of it, in the order of the CPUs: so its size tells
 * how many banks there are. Where anything disagrees nothing is known: no place is guessed. Nor is one known of a file
 * that is placed where it runs only when it is loaded; and the runtime is for little-endian cores.
 */
#include "io/firmware/elf.h"

#include "base/bytes.h"
#include "tlog_wire.h"

#include <stdlib.h>
#include <string.h>

/* The words of a header that the constant has. */
enum { PATTERN_WORDS = 10, PATTERN_BYTES = 4 * PATTERN_WORDS };

#define CPUS_MOST  8u
#define BANKS_MOST 255u

/* ---- a ring ------------------------------------------------------------------------------------------------------ */

bool elf_complete_ring(struct trace_ring *ring)
{
    const uint32_t pointer = ring->format >> 24, role = ring->place >> 16 & TLOG_ROLE_MASK;
    const uint64_t size = TLOG_CHUNK_BYTES((uint64_t)ring->slots, (uint64_t)ring->emergency);
    ring->chunks = ring->place >> 24;
    ring->size = (uint32_t)size;
    return (ring->format & 0xFFFFFFu) == (TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16) && (pointer == 4 || pointer == 8)
           && (ring->place & 0xFFFFu) < CPUS_MOST && (role == TLOG_ROLE_EVENTS || role == TLOG_ROLE_NAMES)
           && ring->chunks > 0 && ring->slots - 1u < TLOG_SLOTS_MAX && ring->emergency <= TLOG_SLOTS_MAX
           && ring->banks > 0 && ring->banks <= BANKS_MOST && (ring->needs & ~TLOG_NEEDS_KNOWN) == 0
           && (uint64_t)ring->banks * ring->chunks * size <= UINT64_MAX - ring->address;
}

/* Read the constant of a ring, whose pattern is at bytes[at]. False: it is none. Its banks are not known yet. */
static bool read_ring(const unsigned char *bytes, size_t at, struct trace_ring *ring)
{
    uint32_t word[PATTERN_WORDS], flags;
    unsigned pointer;
    for (unsigned i = 0; i < PATTERN_WORDS; i++)
        word[i] = get_le32(bytes + at + 4u * i);
    pointer = word[2] >> 24;
    if ((pointer != 4 && pointer != 8) || at < 8u + pointer)
        return false;
    *ring = (struct trace_ring){.address = number_at(bytes + at - 8u - pointer, pointer, false),
                                .banks = 1,
                                .format = word[2],
                                .place = word[3],
                                .slots = word[4],
                                .emergency = word[5],
                                .freq = word[7],
                                .coarse_freq = word[8],
                                .needs = word[9]};
    flags = get_le32(bytes + at - 4u);
    return word[0] == TLOG_WIRE_MAGIC && word[1] == TLOG_WIRE_TAG && elf_complete_ring(ring) && word[6] == ring->size
           && get_le32(bytes + at - 8u) == ring->chunks && (flags & ~TLOG_CHUNK_STOP) == 0;
}

/* ---- finding the constants --------------------------------------------------------------------------------------- */

/* The constants that were found. */
struct found {
    struct trace_ring ring[ELF_RINGS_MAX + 1u]; /* one more than there may be */
    size_t n;
};

static void search_section(struct found *found, const struct elf_section *section)
{
    const unsigned char *bytes = section->bytes;
    for (size_t at = (4u - section->address % 4u) % 4u; at + PATTERN_BYTES <= section->n; at += 4u) {
        struct trace_ring ring;
        if (get_le32(bytes + at) == TLOG_WIRE_MAGIC && found->n <= ELF_RINGS_MAX && read_ring(bytes, at, &ring))
            found->ring[found->n++] = ring;
    }
}

static void search(struct found *found, struct firmware_file *file)
{
    for (size_t i = 0; i < file->elf.nsections; i++) {
        struct elf_section *section = &file->elf.sections[i];
        if (elf_is_loaded(section) && elf_file_load(&file->elf, section))
            search_section(found, section);
    }
}

/* ---- comparing them with the symbols ----------------------------------------------------------------------------- */

/* The memory of all rings of one role. */
struct memory {
    const char *name;
    uint32_t role;
};

/* For qsort(): by address. */
static int address_order(const void *a, const void *b)
{
    const struct trace_ring *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

/* Whether a ring is the CPU's that it must be, and else like the first one. */
static bool is_like(const struct trace_ring *ring, const struct trace_ring *first, uint32_t cpu)
{
    return ring->place == first->place + cpu && ring->format == first->format && ring->slots == first->slots
           && ring->emergency == first->emergency && ring->freq == first->freq
           && ring->coarse_freq == first->coarse_freq;
}

/* What stands behind the ring of a CPU that alone may log: a chunk of one slot, which counts the other's calls
 * (TLOG_ONLY_CPU_ADDRESS). */
static uint64_t refused_bytes(size_t n, uint64_t part, uint64_t bank, uint32_t role)
{
    const uint64_t refused = TLOG_CHUNK_BYTES(UINT64_C(1), UINT64_C(0));
    return n == 1 && role == TLOG_ROLE_EVENTS && part % bank == refused ? refused : 0;
}

/* The rings of a symbol, n of them by address: whether they fill it, each an equal part. Sets their banks. */
static bool fill_symbol(struct trace_ring *ring, size_t n, const struct trace_symbol *symbol, uint32_t role)
{
    const uint64_t bank = (uint64_t)ring->chunks * ring->size, whole = symbol->size / n;
    const uint64_t part = whole - refused_bytes(n, whole, bank, role);
    if ((ring->place & 0xFFu) != 0 || (ring->place >> 16 & TLOG_ROLE_MASK) != role || symbol->size % n != 0
        || part % bank != 0 || part / bank - 1u >= BANKS_MOST)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (ring[i].address != symbol->address + i * part || !is_like(&ring[i], ring, (uint32_t)i))
            return false;
        ring[i].banks = (uint32_t)(part / bank);
    }
    return true;
}

/* Take the rings in a symbol's memory, if all agrees. */
static void take_symbol(struct firmware_file *file, struct found *found, const struct trace_symbol *symbol,
                        uint32_t role)
{
    size_t from = 0, n = 0, *kept = &file->firmware.nrings;
    while (from < found->n && found->ring[from].address < symbol->address)
        from++;
    while (from + n < found->n && found->ring[from + n].address - symbol->address < symbol->size)
        n++;
    if (n == 0 || n > CPUS_MOST || *kept + n > ELF_RINGS_MAX || !fill_symbol(&found->ring[from], n, symbol, role))
        return;
    memcpy(&file->rings[*kept], &found->ring[from], n * sizeof *file->rings);
    *kept += n;
}

void elf_read_rings(struct firmware_file *file)
{
    static const struct memory memories[] = {{"tlog_event_chunks", TLOG_ROLE_EVENTS},
                                             {"tlog_name_chunks", TLOG_ROLE_NAMES}};
    struct trace_firmware *firmware = &file->firmware;
    struct found found = {.n = 0};
    if (file->elf.type == ELF_PROGRAM && !firmware->big_endian)
        search(&found, file);
    if (found.n == 0 || found.n > ELF_RINGS_MAX)
        return;
    qsort(found.ring, found.n, sizeof found.ring[0], address_order);
    for (size_t i = 0; i < firmware->nsymbols; i++) {
        for (size_t k = 0; k < sizeof memories / sizeof memories[0]; k++) {
            if (elf_is_part(firmware->symbols[i].name,
                            memories[k].name)) /* what is linked as a whole (LTO) has a dot */
                take_symbol(file, &found, &firmware->symbols[i], memories[k].role);
        }
    }
    firmware->rings = file->rings;
}
