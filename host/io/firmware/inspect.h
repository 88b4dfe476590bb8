/* inspect.h - what an ELF file tells of whether its firmware will give a trace, beside struct trace_firmware. */
#ifndef IO_INSPECT_H
#define IO_INSPECT_H

#include <stdbool.h>
#include <stdint.h>

struct firmware_file;

/* An RTOS whose hooks tlog has (port/rtos). */
struct firmware_kernel {
    const char *name;
    const char *mark;   /* a function that only the kernel has */
    const char *hook;   /* the function of port/rtos that a switch of tasks calls */
    const char *prefix; /* what the names of all of its functions of port/rtos begin with */
    const char *create; /* the function that creates a task, whose name port/rtos logs; or NULL */
    const char *change; /* what makes the kernel call the hook */
};

struct firmware_facts {
    bool is_cortex_m;                     /* there is a vector table of one */
    bool has_section;                     /* tlog_chunks */
    bool has_id;                          /* a build id whose address the runtime has */
    uint64_t vectors;                     /* address of a vector table that VTOR cannot take, */
    uint32_t alignment;                   /* and what it must be a multiple of; 0: there is no such table */
    const struct firmware_kernel *silent; /* the kernel that is in it and calls no hook, or NULL */
    /* Slots which names and priorities take at least: two and one for each call in the code that gives one. */
    uint64_t facts;
};

/* Look through a file that firmware_open() has opened, of an ELF file; names of the facts are constants. */
void firmware_inspect(struct firmware_file *file, struct firmware_facts *facts);

#endif
