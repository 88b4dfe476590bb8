/* descriptors.c - the descriptors of the events that a firmware defines: events/own_descriptor.h says what they are.
 * They are in sections tlog_event; or in the firmware's memory, where a word begins each. */
#include "base/heap.h"
#include "io/firmware/elf.h"

#include "base/bytes.h"
#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

#define SECTION    "tlog_event"
#define MAGIC      0x54564554u /* the first word of a descriptor in the firmware's memory */
#define LEAST      20u         /* bytes of one */
#define OTHERS_MAX 2048u       /* descriptors in memory that are kept: twice as many as there may be others */

/* What is found. */
struct found {
    struct trace_descriptors *at;
    size_t n, room;
    bool failed, big;
};

static void add(struct found *found, uint64_t address, const unsigned char *bytes, size_t size)
{
    struct trace_descriptors *all = heap_grow(found->at, found->n, &found->room, sizeof *all);
    found->failed = all == NULL;
    if (all == NULL)
        return;
    found->at = all;
    all[found->n++] = (struct trace_descriptors){address, bytes, size};
}

/* Whether a section has descriptors, by its name. C++ may have a section for each one. */
static bool has_descriptors(const struct elf_section *section)
{
    return section->type == ELF_PROGBITS && elf_is_part(section->name, SECTION);
}

/* Add the descriptors in a section that is loaded. */
static void search(struct found *found, const struct elf_section *section, size_t sections)
{
    const unsigned char *bytes = section->bytes;
    for (size_t at = (4u - section->address % 4u) % 4u; at + LEAST <= section->n && !found->failed; at += 4u) {
        uint32_t size = get_32(bytes + at + 4, found->big);
        if (get_32(bytes + at, found->big) == MAGIC && size >= LEAST && size <= section->n - at
            && found->n < sections + OTHERS_MAX)
            add(found, section->address + at, bytes + at, size);
    }
}

/* Go through all sections: those of descriptors, or those that are loaded. */
static void walk(struct found *found, struct firmware_file *file, bool is_loaded)
{
    size_t sections = found->n;
    for (size_t i = 0; i < file->elf.nsections && !found->failed; i++) {
        struct elf_section *section = &file->elf.sections[i];
        if (!(is_loaded ? elf_is_loaded(section) : has_descriptors(section)) || !elf_file_load(&file->elf, section))
            continue;
        if (is_loaded)
            search(found, section, sections);
        else
            add(found, 0, section->bytes, section->n);
    }
}

/* For sort(): by address. */
static int address_order(const void *a, const void *b)
{
    const struct trace_descriptors *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

int elf_read_descriptors(struct firmware_file *file)
{
    struct trace_firmware *firmware = &file->firmware;
    struct found found = {.big = file->elf.bytes.big};
    firmware->big_endian = found.big;
    walk(&found, file, false);
    firmware->nsections = found.n;
    walk(&found, file, true);
    firmware->ndescriptors = found.n;
    firmware->descriptors = file->descriptors = found.at;
    if (found.failed)
        return elf_no_memory(file);
    if (found.n > 0)
        sort(found.at + firmware->nsections, found.n - firmware->nsections, sizeof *found.at, address_order);
    return 0;
}
