/* elf_debug.c - the functions that log format strings, read by libdw: see elf_debug.h.
 *
 * DWARF is a tree of entries. A format string is a static variable inside of a function, so its entry is below the
 * function's. A function that is inlined everywhere has one entry without an address, and one entry in every function
 * it was inlined into; the first of those counts.
 *
 * Source: DWARF Debugging Information Format, version 5: 3.3 (subroutines, inlined ones in 3.3.8), 4.1 (variables).
 */
#include "io/elf_debug.h"

#include "model/trace.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_NAME "tlog_format" /* what target/tlog_printk.h calls the variable */
#define DEPTH_MAX   64u           /* entries in entries; a file with more is damaged */

/* The tree is walked twice: first for the variables, then for where functions without an address were inlined. */
struct search {
    struct trace_printk *formats; /* n of them, in order of address */
    Dwarf_Off *inlined;           /* by format string: the entry of its function, if that has no address; else 0 */
    size_t n;
    bool second; /* this is the second walk */
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
static void take_variable(const struct search *search, Dwarf_Die *die, const struct place *place)
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
    search->inlined[found - search->formats] = place->inlined;
}

/* die: the entry of a function that was inlined into the one at that address. If it is one without an address of its
 * own, the format strings in it now have a function, unless they had one before. */
static void take_inlined(const struct search *search, Dwarf_Die *die, uint64_t function)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (dwarf_attr(die, DW_AT_abstract_origin, &attribute) == NULL || dwarf_formref_die(&attribute, &origin) == NULL)
        return;
    for (size_t i = 0; i < search->n; i++) {
        if (search->formats[i].function == 0 && search->inlined[i] == dwarf_dieoffset(&origin))
            search->formats[i].function = function;
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

/* Look at all entries below one. place: the function around it. */
static void walk(const struct search *search, Dwarf_Die *parent, struct place place, unsigned depth)
{
    Dwarf_Die die;
    if (depth == DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_variable && !search->second && is_format(&die))
            take_variable(search, &die, &place);
        if (tag == DW_TAG_inlined_subroutine && search->second)
            take_inlined(search, &die, place.function);
        if (tag == DW_TAG_subprogram)
            walk(search, &die, place_of(&die), depth + 1u);
        else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
            walk(search, &die, place, depth + 1u);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* Look at all entries of the file. */
static void walk_all(const struct search *search, Dwarf *dwarf)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        walk(search, &die, (struct place){0, 0}, 0);
}

void elf_debug_functions(Elf *elf, struct trace_printk *formats, size_t n)
{
    struct search search = {formats, calloc(n + 1u, sizeof *search.inlined), n, false};
    Dwarf *dwarf = n > 0 && search.inlined != NULL ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    if (dwarf != NULL) {
        walk_all(&search, dwarf);
        search.second = true;
        walk_all(&search, dwarf);
    }
    dwarf_end(dwarf);
    free(search.inlined);
}
