/* ids.h - the numbers of the options and sections of a trace.dat file, and the words of the format.
 *
 * Source documents: the manual pages trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5).
 *
 * Vocabulary of the format. The words of the decoder are in model/trace.h.
 *   section   a part of a version 7 file: a header with id, flags, name and size; then the content. Version 6 has most
 *             of these contents, too, one behind the other and without headers
 *   option    id, size, data: something about the whole trace, or where a section is
 *   buffer    a set of ring buffers, one for each CPU. The top buffer has no name
 *   instance  any other buffer: what Linux calls a trace instance. It has a name
 *   page      a piece of a ring buffer: the time of the page, a commit word, records. All pages of a CPU lie one behind
 *             the other in the file
 *   commit    a word on each page: how many bytes of records follow, and flags for events that were lost before it
 *   record    the bytes of an event on a page: fields common to all events, then those that its format describes
 *   long      a number as wide as a C long of the traced system, 4 or 8 bytes. The commit word is one
 *   format    a text that says which fields the events of one type have, and how to print them
 *   system    the group that a format belongs to, such as "sched" or "irq". "ftrace" has a section of its own
 *   chunk     pages of a CPU that were compressed together. It has nothing to do with the chunks of tlog's dumps
 */
#ifndef TRACEDAT_IDS_H
#define TRACEDAT_IDS_H

enum tracedat_option_id {
    TRACEDAT_OPTION_DONE = 0,
    TRACEDAT_OPTION_DATE = 1,
    TRACEDAT_OPTION_CPUSTAT = 2,
    TRACEDAT_OPTION_BUFFER = 3,
    TRACEDAT_OPTION_TRACECLOCK = 4,
    TRACEDAT_OPTION_UNAME = 5,
    TRACEDAT_OPTION_OFFSET = 7,
    TRACEDAT_OPTION_CPUCOUNT = 8,
    TRACEDAT_OPTION_VERSION = 9,
    TRACEDAT_OPTION_PROCMAPS = 10,
    TRACEDAT_OPTION_TRACEID = 11,
    TRACEDAT_OPTION_TIME_SHIFT = 12,
    TRACEDAT_OPTION_GUEST = 13,
    TRACEDAT_OPTION_TSC2NSEC = 14,
    TRACEDAT_OPTION_TEXT = 22, /* the options 16 to 21 say where the sections of the same numbers are */
};

/* What stands in the option VERSION, behind the version, where it is known which priorities are the more important
 * ones. */
#define TRACEDAT_LOWEST_FIRST  ", lowest priorities first"
#define TRACEDAT_HIGHEST_FIRST ", highest priorities first"

enum tracedat_section_id {
    TRACEDAT_SECTION_OPTIONS = 0,
    TRACEDAT_SECTION_FLYRECORD = 3, /* the pages of a buffer */
    TRACEDAT_SECTION_STRINGS = 15,
    TRACEDAT_SECTION_HEADERS = 16,
    TRACEDAT_SECTION_FTRACE_EVENTS = 17,
    TRACEDAT_SECTION_EVENT_FORMATS = 18,
    TRACEDAT_SECTION_KALLSYMS = 19,
    TRACEDAT_SECTION_PRINTK = 20,
    TRACEDAT_SECTION_CMDLINES = 21,
    TRACEDAT_SECTION_TEXT = 22,
    TRACEDAT_SECTIONS,
};

enum {
    TRACEDAT_SECTION_HEADER_SIZE = 16, /* bytes */
    TRACEDAT_SECTION_COMPRESSED = 1,   /* a flag of the section's header */
    TRACEDAT_CPUS_MAX = 4096,          /* a file that names more CPUs is damaged */
};

#endif
