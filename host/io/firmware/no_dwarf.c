/* no_dwarf.c - what is not known in a build without libdw: see elf.h. */
#include "io/firmware/elf.h"

void elf_find_functions(struct firmware_file *file)
{
    if (file->trace->nprintk > 0)
        trace_note(file->trace, "%s: this program was built without libdw: no function is known of a TLOG_PRINTK",
                   file->path);
}
