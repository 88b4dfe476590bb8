/* elf_debug.c - the functions that formats belong to, read by libdw: see elf_debug.h.
 *
 * A format is a static variable inside of a function, so its entry stands below the function's. Of a function that is
 * inlined there is one entry without an address, and one in every function it went into, which then counts. */
#include "elf_debug.h"

#include "trace.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#define DEPTH_MAX 64u /* blocks in blocks; more are damage */

struct search {
    struct trace_printk *formats;
    size_t n;
};

static int by_address(const void *key, const void *format)
{
    uint64_t left = *(const uint64_t *)key, right = ((const struct trace_printk *)format)->address;

    return (left > right) - (left < right);
}

static void take_variable(const struct search *search, Dwarf_Die *die, uint64_t function)
{
    struct trace_printk *found;
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t nops;

    if (function == 0 || dwarf_attr_integrate(die, DW_AT_location, &attribute) == NULL
        || dwarf_getlocation(&attribute, &ops, &nops) != 0 || nops != 1 || ops[0].atom != DW_OP_addr)
        return;
    found = bsearch(&ops[0].number, search->formats, search->n, sizeof *search->formats, by_address);
    if (found != NULL && found->function == 0)
        found->function = function;
}

static uint64_t address_of(Dwarf_Die *function)
{
    Dwarf_Addr address;

    return dwarf_entrypc(function, &address) == 0 ? address & ~(uint64_t)1 : 0;
}

/* The entries below one, which is inside of that function. */
static void walk(const struct search *search, Dwarf_Die *parent, uint64_t function, unsigned depth)
{
    Dwarf_Die die;

    if (depth == DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);

        if (tag == DW_TAG_variable)
            take_variable(search, &die, function);
        else if (tag == DW_TAG_subprogram)
            walk(search, &die, address_of(&die), depth + 1u);
        else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
            walk(search, &die, function, depth + 1u);
    } while (dwarf_siblingof(&die, &die) == 0);
}

void elf_debug_functions(Elf *elf, struct trace_printk *formats, size_t n)
{
    struct search search = {formats, n};
    Dwarf *dwarf = n > 0 ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;

    while (dwarf != NULL && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        walk(&search, &die, 0, 0);
    dwarf_end(dwarf);
}
