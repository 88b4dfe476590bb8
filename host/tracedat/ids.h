/*
 * ids.h - the numbers of trace.dat version 7: its options and its sections.
 *
 * Source document: trace-cmd.dat.v7(5).
 */
#ifndef TRACEDAT_IDS_H
#define TRACEDAT_IDS_H

enum option_id {
    OPTION_DONE = 0,
    OPTION_DATE = 1,
    OPTION_CPUSTAT = 2,
    OPTION_BUFFER = 3,
    OPTION_TRACECLOCK = 4,
    OPTION_UNAME = 5,
    OPTION_OFFSET = 7,
    OPTION_CPUCOUNT = 8,
    OPTION_VERSION = 9,
    OPTION_PROCMAPS = 10,
    OPTION_TRACEID = 11,
    OPTION_TIME_SHIFT = 12,
    OPTION_GUEST = 13,
    OPTION_TSC2NSEC = 14,
    OPTION_TEXT = 22, /* sections 16 to 21 have options of their own numbers */
};

enum section_id {
    SECTION_OPTIONS = 0,
    SECTION_FLYRECORD = 3,
    SECTION_STRINGS = 15,
    SECTION_HEADERS = 16,
    SECTION_FTRACE_EVENTS = 17,
    SECTION_EVENT_FORMATS = 18,
    SECTION_KALLSYMS = 19,
    SECTION_PRINTK = 20,
    SECTION_CMDLINES = 21,
    SECTION_TEXT = 22,
    SECTIONS,
};

enum {
    SECTION_HEADER = 16,    /* bytes */
    SECTION_COMPRESSED = 1, /* flag */
};

#endif
