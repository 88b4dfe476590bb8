/* descriptors.c - the descriptors of the events that a firmware defines: events/own_descriptor.h says what they are.
 * They are in sections tlog_event; or in the firmware's memory, where a word begins each. */
#include "io/firmware/elf.h"

#include "base/bytes.h"
#include "base/sort.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
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
    size_t room = found->room > 0 ? 2u * found->room : 16u;
    struct trace_descriptors *more;
    if (found->n == found->room) {
        more = realloc(found->at, room * sizeof *more);
        found->failed = more == NULL;
        if (more == NULL)
            return;
        found->at = more;
        found->room = room;
    }
    found->at[found->n++] = (struct trace_descriptors){address, bytes, size};
}

/* Whether a section has descriptors, by its name. C++ may have a section for each one. */
static bool has_descriptors(const struct firmware_file *file, const GElf_Shdr *header)
{
    const char *name = elf_strptr(file->elf, file->names, header->sh_name);
    size_t length = sizeof SECTION - 1u;
    return name != NULL && strncmp(name, SECTION, length) == 0 && (name[length] == '\0' || name[length] == '.')
           && header->sh_type == SHT_PROGBITS;
}

/* Add the descriptors in a section that is loaded. */
static void search(struct found *found, const GElf_Shdr *header, const Elf_Data *data, size_t sections)
{
    const unsigned char *bytes = data->d_buf;
    for (size_t at = (4u - header->sh_addr % 4u) % 4u; at + LEAST <= data->d_size && !found->failed; at += 4u) {
        uint32_t size = get_32(bytes + at + 4, found->big);
        if (get_32(bytes + at, found->big) == MAGIC && size >= LEAST && size <= data->d_size - at
            && found->n < sections + OTHERS_MAX)
            add(found, header->sh_addr + at, bytes + at, size);
    }
}

/* Go through all sections: those of descriptors, or those that are loaded. */
static void walk(struct found *found, struct firmware_file *file, bool is_loaded)
{
    size_t sections = found->n;
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while ((section = elf_nextscn(file->elf, section)) != NULL && !found->failed) {
        Elf_Data *data;
        bool loaded;
        if (gelf_getshdr(section, &header) == NULL)
            continue;
        loaded = (header.sh_flags & SHF_ALLOC) != 0;
        if (is_loaded ? !loaded || header.sh_type != SHT_PROGBITS : !has_descriptors(file, &header))
            continue;
        data = elf_content(section, &file->left);
        if (data != NULL && is_loaded)
            search(found, &header, data, sections);
        else if (data != NULL)
            add(found, 0, data->d_buf, data->d_size);
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
    const char *ident = elf_getident(file->elf, NULL);
    struct found found = {.big = ident != NULL && ident[EI_DATA] == ELFDATA2MSB};
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
