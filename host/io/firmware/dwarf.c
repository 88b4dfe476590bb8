/* dwarf.c - what a firmware's debugging information tells, by libdw: see elf.h.
 *
 * DWARF is a tree of entries. A format string is a static variable inside of a function, so its entry is below the
 * function's. A function that is inlined everywhere has one entry without an address, and one entry in every function
 * it was inlined into; the first of those counts.
 *
 * Source: DWARF Debugging Information Format, version 5: 3.3 (subroutines, inlined ones in 3.3.8), 4.1 (variables).
 */
#include "base/heap.h"
#include "io/firmware/elf.h"

#include "base/sort.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_NAME "tlog_format" /* what target/tlog_printk.h calls the variable */
#define DEPTH_MAX   64u           /* entries in entries; a file with more is damaged */

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

void elf_find_functions(struct firmware_file *file)
{
    size_t n = file->trace->nprintk;
    struct search search = {file->formats, n, heap_alloc((n + 1u) * sizeof *search.inlined), 0, false};
    Dwarf *dwarf = n > 0 && search.inlined != NULL ? dwarf_begin(file->fd, DWARF_C_READ) : NULL;
    if (dwarf != NULL) {
        walk_all(&search, dwarf);
        start_second(&search);
        walk_all(&search, dwarf);
    }
    dwarf_end(dwarf);
    heap_free(search.inlined);
}
