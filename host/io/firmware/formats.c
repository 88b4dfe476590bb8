/* formats.c - the format strings of a firmware, and the functions that log them.
 *
 * Format strings are in the section tlog_printk, which is never loaded; the address there, from 0 up, stands for the
 * string. Where a linker script does not make that section, those of C++ are in sections tlog_printk.0, tlog_printk.1
 * ... in memory.
 */
#include "base/heap.h"
#include "io/firmware/elf.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#define FORMATS_SECTION "tlog_printk"

/* ---- the format strings ------------------------------------------------------------------------------------------ */

/* The text at an address of a section, up to its NUL; NULL outside of the section, or if there is no NUL. */
static const char *text_at(const struct texts *texts, uint64_t address)
{
    uint64_t at = address - texts->address;
    if (address < texts->address || at >= texts->size)
        return NULL;
    return memchr(texts->at + at, '\0', (size_t)(texts->size - at)) != NULL ? texts->at + at : NULL;
}

/* The next format string from *address on, which becomes its address; NULL if there is none. Between two of them are
 * NULs, for alignment. */
static const char *next_format(const struct texts *texts, uint64_t *address)
{
    const char *format;
    while ((format = text_at(texts, *address)) != NULL && format[0] == '\0')
        ++*address;
    return format;
}

/* Count the format strings of a section, up to `most`. If to is not NULL, store them there. */
static size_t take_formats(const struct texts *texts, struct trace_printk *to, size_t most)
{
    const char *format;
    size_t n = 0;
    for (uint64_t at = texts->address; n < most && (format = next_format(texts, &at)) != NULL;
         at += strlen(format) + 1u, n++) {
        if (to != NULL)
            to[n] = (struct trace_printk){.address = at, .format = format};
    }
    return n;
}

/* Whether a section has format strings, by its name. C++ has a section for each one: they stay separate where the
 * linker script does not put them together. */
static bool is_formats(const struct elf_section *section)
{
    return section->type == ELF_PROGBITS && section->size > 0 && elf_is_part(section->name, FORMATS_SECTION);
}

/* Add a section of format strings, for which there is room. */
static int add_texts(struct firmware_file *file, struct elf_section *section)
{
    if (!elf_file_need(&file->elf, section, "its format strings are missing"))
        return elf_damaged(file);
    if (section->n > UINT64_MAX - section->address)
        section->n = (size_t)(UINT64_MAX - section->address);
    file->texts[file->ntexts++] = (struct texts){(const char *)section->bytes, section->address, section->n};
    return 0;
}

/* For qsort(): by address. */
static int texts_order(const void *a, const void *b)
{
    const struct texts *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

/* Find all sections of format strings. */
static int find_texts(struct firmware_file *file)
{
    file->texts = heap_alloc(((size_t)file->elf.nsections + 1u) * sizeof *file->texts);
    if (file->texts == NULL)
        return elf_no_memory(file);
    for (size_t i = 0; i < file->elf.nsections; i++) {
        if (is_formats(&file->elf.sections[i]) && add_texts(file, &file->elf.sections[i]) != 0)
            return -1;
    }
    qsort(file->texts, file->ntexts, sizeof *file->texts, texts_order);
    return 0;
}

/* Forget all format strings if sections of them overlap: an address in two sections could mean either. */
static void drop_overlapping(struct firmware_file *file)
{
    bool overlapping = false;
    for (size_t i = 1; i < file->ntexts; i++)
        overlapping = overlapping || file->texts[i].address - file->texts[i - 1u].address < file->texts[i - 1u].size;
    if (!overlapping)
        return;
    file->ntexts = 0;
    elf_warn(file,
             "its sections " FORMATS_SECTION ".* lie over each other, and no format is known: see linker/tlog.ld");
}

/* Count them, then store them, in order of address, and find their functions. */
int elf_read_formats(struct firmware_file *file)
{
    struct trace *trace = file->trace;
    size_t n = 0;
    if (find_texts(file) != 0)
        return -1;
    file->firmware.has_formats = file->ntexts > 0;
    drop_overlapping(file);
    for (size_t i = 0; i < file->ntexts; i++)
        n += take_formats(&file->texts[i], NULL, ELF_SYMBOLS_MAX - n);
    if (n == ELF_SYMBOLS_MAX)
        elf_warn(file, "more format strings than a firmware has: not all of them are known");
    file->formats = heap_alloc((n + 1u) * sizeof *file->formats);
    if (file->formats == NULL)
        return elf_no_memory(file);
    n = 0;
    for (size_t i = 0; i < file->ntexts; i++)
        n += take_formats(&file->texts[i], file->formats + n, ELF_SYMBOLS_MAX - n);
    trace->nprintk = n;
    trace->printk = file->formats;
    elf_find_functions(file);
    return 0;
}
