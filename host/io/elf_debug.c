/* elf_debug.c - the functions that formats belong to, read by libdw: see elf_debug.h.
 *
 * A format is a static variable inside of a function, so its entry stands below the function's. A function that is
 * inlined everywhere has one entry without an address, and one in every function it went into: the first of those
 * counts. */
#include "io/elf_debug.h"

#include "model/trace.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_NAME "tlog_format" /* what target/tlog_printk.h calls the variable */

#define DEPTH_MAX 64u /* blocks in blocks; more are damage */

struct search {
    struct trace_printk *formats;
    Dwarf_Off *inlined; /* by format: the entry of the function without an address that has it, or 0 */
    size_t n;
    bool second; /* all formats have been found: now for where the functions without an address went */
};

/* Where the walk is. */
struct place {
    uint64_t function; /* address of the function around, or 0 */
    Dwarf_Off inlined; /* the entry of the one without an address, or 0 */
};

static int by_address(const void *key, const void *format)
{
    uint64_t left = *(const uint64_t *)key, right = ((const struct trace_printk *)format)->address;

    return (left > right) - (left < right);
}

/* Formats are not loaded, so other variables may stand at their addresses. */
static bool is_format(Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);

    return name != NULL && strcmp(name, FORMAT_NAME) == 0;
}

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

/* A function without an address went into this one. */
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

static struct place place_of(Dwarf_Die *function)
{
    Dwarf_Addr address;

    if (dwarf_entrypc(function, &address) == 0)
        return (struct place){address & ~(uint64_t)1, 0};
    return (struct place){0, dwarf_dieoffset(function)};
}

/* The entries below one, which stands at that place. */
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
