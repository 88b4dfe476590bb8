/* elf_events.h - the descriptors of the events that a firmware defines, out of its ELF file. */
#ifndef IO_ELF_EVENTS_H
#define IO_ELF_EVENTS_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

struct trace_descriptors;

/* The bytes of a section that has any in the file, or NULL. libelf reads each section into memory of its own. Sections
 * of a damaged file may lie over each other, so all together may have *left bytes, which becomes less. */
Elf_Data *elf_content(Elf_Scn *section, uint64_t *left);

/* The descriptors of a file: those of its sections tlog_event, and those in the firmware's memory, which have a word
 * that tells them. names: index of the section with the sections' names. Bytes are libelf's. *n becomes how many there
 * are, *nsections how many of them are sections. The caller frees them; NULL: no memory. */
struct trace_descriptors *elf_events(Elf *elf, size_t names, uint64_t *left, size_t *n, size_t *nsections);

#endif
