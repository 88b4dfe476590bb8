/* memory.c - see memory.h. */
#include "io/firmware/memory.h"

#include "io/firmware/elf.h"

#include <string.h>

/* Add a part, unless it has no bytes or no end. */
static void add(struct segment *parts, size_t *n, uint64_t address, uint64_t size)
{
    if (size > 0 && size - 1u <= UINT64_MAX - address && *n < FIRMWARE_PARTS_MAX)
        parts[(*n)++] = (struct segment){.address = address, .size = size};
}

/* The address of a symbol that only marks a place. */
static bool find_mark(const struct trace_firmware *firmware, const char *name, uint64_t *address)
{
    for (size_t i = 0; i < firmware->nsymbols; i++) {
        if (strcmp(firmware->symbols[i].name, name) != 0)
            continue;
        *address = firmware->symbols[i].address;
        return true;
    }
    return false;
}

size_t firmware_memory(const struct trace_firmware *firmware, struct segment parts[static FIRMWARE_PARTS_MAX],
                       uint64_t *size)
{
    size_t n = 0;
    uint64_t begin, end;
    if (find_mark(firmware, "__start_tlog_chunks", &begin) && find_mark(firmware, "__stop_tlog_chunks", &end)
        && end > begin)
        add(parts, &n, begin, end - begin);
    for (size_t i = 0; i < firmware->nrings; i++)
        add(parts, &n, firmware->rings[i].address, trace_ring_end(&firmware->rings[i]) - firmware->rings[i].address);
    for (size_t i = 0; i < firmware->nsymbols; i++) {
        const struct trace_symbol *symbol = &firmware->symbols[i];
        if (elf_is_part(symbol->name, "tlog_event_chunks") || elf_is_part(symbol->name, "tlog_name_chunks"))
            add(parts, &n, symbol->address, symbol->size);
    }
    return segments_join(parts, n, size);
}
