/* formats.c - the format strings of a firmware, and the functions that log them.
 *
 * Format strings are in the section tlog_printk, which is never loaded; the address there, from 0 up, stands for the
 * string. Where a linker script does not make that section, those of C++ are in sections tlog_printk.0, tlog_printk.1
 * ... in memory.
 *
 * The functions come from DWARF, by libdw. DWARF is a tree of entries. A format string is a static variable inside of a
 * function, so its entry is below the function's. A function that is inlined everywhere has one entry without an
 * address, and one entry in every function it was inlined into; the first of those counts.
 *
 * Source: DWARF Debugging Information Format, version 5: 3.3 (subroutines, inlined ones in 3.3.8), 4.1 (variables).
 */
#include "io/firmware/elf.h"

#include "base/sort.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#define FORMATS_SECTION "tlog_printk"
#define FORMAT_NAME     "tlog_format" /* what target/tlog_printk.h calls the variable */
#define DEPTH_MAX       64u           /* entries in entries; a file with more is damaged */

/* ---- the functions that log them --------------------------------------------------------------------------------- */

/* A format string whose function has no address of its own. */
struct inlined {
    Dwarf_Off entry; /* the function's */
    struct trace_printk *format;
};

/* The tree is walked twice: first for the variables, then for where functions without an address were inlined. */
struct search {
    struct trace_printk *formats; /* n of them, in order of address */
    size_t n;
    struct inlined *inlined; /* in the second walk in order of entry */
    size_t ninlined;         /* at most n */
    bool second;             /* this is the second walk */
};

/* The function around an entry. */
struct place {
    uint64_t function; /* its address, or 0 */
    Dwarf_Off inlined; /* its entry, if it has no address; else 0 */
};

/* For bsearch(). */
static int by_address(const void *key, const void *format)
{
    uint64_t left = *(const uint64_t *)key, right = ((const struct trace_printk *)format)->address;
    return (left > right) - (left < right);
}

/* Whether a variable is a format string, by its name. Its address alone does not tell: the section of format strings is
 * not loaded, so other variables may have the same addresses. */
static bool is_format(Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);
    return name != NULL && strcmp(name, FORMAT_NAME) == 0;
}

/* Note the function of a variable that is a format string. */
static void take_variable(struct search *search, Dwarf_Die *die, const struct place *place)
{
    struct trace_printk *found;
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t nops;
    if (dwarf_attr_integrate(die, DW_AT_location, &attribute) == NULL || dwarf_getlocation(&attribute, &ops, &nops) != 0
        || nops != 1 || ops[0].atom != DW_OP_addr)
        return;
    found = bsearch(&ops[0].number, search->formats, search->n, sizeof *search->formats, by_address);
    if (found == NULL || found->function != 0)
        return;
    found->function = place->function;
    if (place->inlined != 0 && search->ninlined < search->n)
        search->inlined[search->ninlined++] = (struct inlined){place->inlined, found};
}

/* For sort(): by entry, then as they are. */
static int by_entry(const void *a, const void *b)
{
    const struct inlined *left = a, *right = b;
    if (left->entry != right->entry)
        return left->entry < right->entry ? -1 : 1;
    return (left->format > right->format) - (left->format < right->format);
}

static int entry_order(const void *inlined, const void *entry)
{
    Dwarf_Off left = ((const struct inlined *)inlined)->entry, right = *(const Dwarf_Off *)entry;
    return (left > right) - (left < right);
}

/* Number of the first inlined one with an entry that is not below this one. */
static size_t first_inlined(const struct search *search, Dwarf_Off entry)
{
    return sort_first(search->inlined, search->ninlined, sizeof *search->inlined, &entry, entry_order);
}

/* die: the entry of a function that was inlined into the function at this address. If it has no address of its own,
 * this address becomes that of its format strings, unless they have one already. */
static void take_inlined(const struct search *search, Dwarf_Die *die, uint64_t function)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    Dwarf_Off entry;
    if (function == 0 || dwarf_attr(die, DW_AT_abstract_origin, &attribute) == NULL
        || dwarf_formref_die(&attribute, &origin) == NULL)
        return;
    entry = dwarf_dieoffset(&origin);
    for (size_t i = first_inlined(search, entry); i < search->ninlined && search->inlined[i].entry == entry; i++) {
        if (search->inlined[i].format->function != 0)
            break; /* all of that function were found before */
        search->inlined[i].format->function = function;
    }
}

/* The place of entries below a function's. Bit 0 of its address tells Thumb code. */
static struct place place_of(Dwarf_Die *function)
{
    Dwarf_Addr address;
    if (dwarf_entrypc(function, &address) == 0)
        return (struct place){address & ~(uint64_t)1, 0};
    return (struct place){0, dwarf_dieoffset(function)};
}

/* Look at all entries below one. place: the function around it. Damaged entries may lead back: there it ends. */
static void walk(struct search *search, Dwarf_Die *parent, struct place place, unsigned depth)
{
    Dwarf_Die die;
    Dwarf_Off before;
    if (depth == DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        before = dwarf_dieoffset(&die);
        if (tag == DW_TAG_variable && !search->second && is_format(&die))
            take_variable(search, &die, &place);
        if (tag == DW_TAG_inlined_subroutine && search->second)
            take_inlined(search, &die, place.function);
        if (tag == DW_TAG_subprogram)
            walk(search, &die, place_of(&die), depth + 1u);
        else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
            walk(search, &die, place, depth + 1u);
    } while (dwarf_siblingof(&die, &die) == 0 && dwarf_dieoffset(&die) > before);
}

/* Prepare for the second walk: only those that have no function yet, in order. */
static void start_second(struct search *search)
{
    size_t kept = 0;
    for (size_t i = 0; i < search->ninlined; i++) {
        if (search->inlined[i].format->function == 0)
            search->inlined[kept++] = search->inlined[i];
    }
    search->ninlined = kept;
    sort(search->inlined, kept, sizeof *search->inlined, by_entry);
    search->second = true;
}

/* Look at all entries of the file. */
static void walk_all(struct search *search, Dwarf *dwarf)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        walk(search, &die, (struct place){0, 0}, 0);
}

/* Set trace_printk.function of n format strings, which are in order of address: the address of the function that has
 * the TLOG_PRINTK, or into which that function was inlined. It stays 0 where the file has no debugging information. */
static void find_functions(Elf *elf, struct trace_printk *formats, size_t n)
{
    struct search search = {formats, n, malloc((n + 1u) * sizeof *search.inlined), 0, false};
    Dwarf *dwarf = n > 0 && search.inlined != NULL ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    if (dwarf != NULL) {
        walk_all(&search, dwarf);
        start_second(&search);
        walk_all(&search, dwarf);
    }
    dwarf_end(dwarf);
    free(search.inlined);
}

/* ---- the format strings ------------------------------------------------------------------------------------------ */

/* The text at an address of a section, up to its NUL; NULL outside of the section, or if there is no NUL. */
static const char *text_at(const struct texts *texts, uint64_t address)
{
    uint64_t at = address - texts->address;
    if (address < texts->address || at >= texts->size)
        return NULL;
    return memchr(texts->at + at, '\0', texts->size - at) != NULL ? texts->at + at : NULL;
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
static bool is_formats(const struct firmware_file *file, const GElf_Shdr *header)
{
    const char *name = elf_strptr(file->elf, file->names, header->sh_name);
    size_t length = sizeof FORMATS_SECTION - 1u;
    return name != NULL && strncmp(name, FORMATS_SECTION, length) == 0 && (name[length] == '\0' || name[length] == '.')
           && header->sh_type == SHT_PROGBITS && header->sh_size > 0;
}

/* Add a section of format strings, for which there is room. */
static int add_texts(struct firmware_file *file, Elf_Scn *section, uint64_t address)
{
    Elf_Data *data = elf_content(section, &file->left);
    if (data == NULL || data->d_size > UINT64_MAX - address)
        return elf_damaged(file);
    file->texts[file->ntexts++] = (struct texts){data->d_buf, address, data->d_size};
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
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    size_t n;
    if (elf_getshdrnum(file->elf, &n) != 0)
        return elf_damaged(file);
    file->texts = malloc((n + 1u) * sizeof *file->texts);
    if (file->texts == NULL)
        return elf_no_memory(file);
    while ((section = elf_nextscn(file->elf, section)) != NULL && file->ntexts < n) {
        if (gelf_getshdr(section, &header) != NULL && is_formats(file, &header)
            && add_texts(file, section, header.sh_addr) != 0)
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
    file->formats = malloc((n + 1u) * sizeof *file->formats);
    if (file->formats == NULL)
        return elf_no_memory(file);
    n = 0;
    for (size_t i = 0; i < file->ntexts; i++)
        n += take_formats(&file->texts[i], file->formats + n, ELF_SYMBOLS_MAX - n);
    find_functions(file->elf, file->formats, n);
    trace->nprintk = n;
    trace->printk = file->formats;
    return 0;
}
