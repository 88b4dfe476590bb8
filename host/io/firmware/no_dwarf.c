/* no_dwarf.c - what is not known in a build without libdw: see elf.h. */
#include "io/firmware/elf.h"

void elf_find_functions(struct firmware_file *file)
{
    if (file->trace->nprintk > 0)
        trace_note(file->trace, "%s: this program was built without libdw: no function is known of a TLOG_PRINTK",
                   file->path);
}

bool elf_is_unoptimised(struct firmware_file *file, uint64_t function)
{
    (void)function;
    elf_warn(file, "this program was built without libdw: whether the runtime was compiled without optimisation is not "
                   "checked");
    return false;
}
