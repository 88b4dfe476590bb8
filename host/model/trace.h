/* trace.h - a trace: all that is known of an input besides its events. A reader fills it; the mapping and a writer read
 * it.
 *
 *   input --reader--> batches, for each CPU --mapping--> batches --writer--> output
 *
 * Vocabulary. One word has one meaning in all of host/. Each format has words of its own besides (chunk, slot, record,
 * page, section, block ...), which the files of that format explain.
 *   input           the bytes that are decoded: a file, a pipe, a directory, or what comes by UDP (io/input.h)
 *   output          the file or directory that is written (io/output.h)
 *   format          how the bytes of a kind of input or output are laid out
 *   reader          turns the bytes of one format into events (module.h)
 *   writer          turns events into the bytes of one format (module.h)
 *   module          a reader or a writer
 *   trace           what a reader tells of its input besides the events: types, names, clock, CPUs, counts
 *   source          an input together with its reader, its mapping and its trace (decode/source.h)
 *   target          the machine that made the trace, and the software on it: the opposite of the host, which decodes
 *   board           the target of one input, where there are several: they are merged, or written as host and guests
 *   CPU             a processor of a board, counted from 0; a reader gives out the events of each one by themselves
 *   lane            what a part of the decoder keeps for one sequence of events, such as those of a CPU
 *   event           something that happened at a time on a CPU, with a type and a payload (event.h)
 *   type            what events of a kind have in common: system, name, class, fields; declared once
 *   class           what an event means for tasks and interrupts: switch, wake-up, ...; the mapping acts on it
 *   field           a named, typed part of the payload
 *   payload         the bytes of the fields, little-endian, laid out as the type tells
 *   batch           events of one CPU in the order of time, handed on together
 *   group           events that the target kept separate from the others; in trace.dat an instance
 *   task            what the target's scheduler switches between; known by its pid, a number; 0 is idle
 *   name            a text for the number of a task, an interrupt, a mutex or a kind of record
 *   context         what an event was logged in: an exception or a mode of the processor (event.h)
 *   firmware        the program on the target; what its ELF file tells of it is struct trace_firmware
 *   symbol          the name of an address in the firmware
 *   format string   what printf() takes; the firmware logs its address (struct trace_printk)
 *   run             the life of a firmware from one reset to the next
 *   tick            the unit of the target's clock
 *   stamp           a time as the target's clock told it, in ticks
 *   time            of an event: in ns, made of its stamp; ticks where the clock's frequency is not known
 *   loss            an event that stands for events the target did not keep: dropped or overwritten
 *   damage          an event that stands for input that could not be decoded
 *   mapping         the change of the target's events into those that Linux has, too (decode/map.h)
 *   derived         of an event: added by the mapping; no count but its own includes it
 */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include "model/event.h"

/* ---- counts ------------------------------------------------------------------------------------------------------ */

#define TRACE_CPUS_COUNTED 256u /* CPUs that have counts of their own */

/* What was lost on one CPU; parts of dropped and overwritten below. */
struct trace_cpu_counts {
    uint64_t dropped, overwritten;
};

/* Of events, but for gaps and times. The mapping counts events, derived, first and last; readers count the others. */
struct trace_counts {
    uint64_t events;      /* input events; each is written once */
    uint64_t derived;     /* added by the mapping */
    uint64_t dropped;     /* lost on the target: they found no room */
    uint64_t overwritten; /* lost on the target: later events took their room */
    uint64_t unfinished;  /* the target had not finished logging them, or finished too late for them to be kept */
    uint64_t passed;      /* places that others passed, because the target never finished logging there */
    uint64_t damaged;     /* could not be decoded */
    uint64_t gaps;        /* damaged regions of the input: calls of trace_damage() */
    uint64_t left_out, derived_left_out; /* of events and derived: the user does not want them (decode/filter.h) */
    uint64_t first, last;                /* time of the first and the last input event */
    struct trace_cpu_counts cpu[TRACE_CPUS_COUNTED];
};

/* ---- names and groups -------------------------------------------------------------------------------------------- */

/* What has a name: TLOG_NAME_TASK - 1 (tlog_wire.h) and so on. TRACE_NAME_EVENT: a record code of S.Ha.R.K.
 * TRACE_NAME_OBJECT: the first kind of objects. */
enum trace_name_kind {
    TRACE_NAME_TASK,
    TRACE_NAME_IRQ,
    TRACE_NAME_MUTEX,
    TRACE_NAME_EVENT,
    TRACE_NAME_OBJECT,
    TRACE_NAME_KINDS = TRACE_NAME_OBJECT + TRACE_OBJECTS,
};

/* Tasks that a mapping adds (decode/map.h): the code before the first switch, and a row for each interrupt. They have
 * names as others do, but are no numbers that a firmware gives. */
#define TRACE_MAPPED_TASK     65536u
#define TRACE_MAPPED_TASK_END 71024u

#define TRACE_GROUP_BYTES 32u
#define TRACE_GROUPS_MAX  512u

struct trace_group {
    char name[TRACE_GROUP_BYTES]; /* [A-Za-z0-9_-]+ */
    uint64_t *overwritten;        /* events, one count per CPU; a part of the trace's counts */
};

/* The priority of a task when the trace begins. */
struct trace_priority {
    uint32_t task;
    int32_t priority;
};

/* ---- the firmware ------------------------------------------------------------------------------------------------ */

struct trace_symbol {
    uint64_t address; /* without the bit that tells Thumb code */
    uint64_t size;    /* bytes; 0: it only marks an end */
    const char *name;
    char type; /* as nm shows it: T t W = code, D d B b R r V = data */
};

/* A part of the firmware's memory that is loaded. */
struct trace_segment {
    uint64_t address;
    uint64_t size;    /* bytes */
    const char *name; /* such as the ELF file's */
};

/* Descriptors of events that the firmware defines (events/own_descriptor.h): those of a section, one behind the other;
 * or one that lies in the firmware's memory, and is logged by its address. */
struct trace_descriptors {
    uint64_t address; /* 0 for those of a section */
    const unsigned char *bytes;
    size_t size;
};

#define TRACE_HANDLER_BYTES 32u /* with the NUL, as any name */

/* The handler of an exception, without the end that all handlers' names have. */
struct trace_handler {
    uint32_t number; /* as IPSR tells it: 15 = SysTick, 16 = the first interrupt */
    char name[TRACE_HANDLER_BYTES];
};

/* What is known of the firmware, from its ELF file or a trace.dat file. It and all that it points to live until
 * firmware_close() (io/firmware/firmware.h), or until the reader of the trace.dat file is closed. */
struct trace_firmware {
    const char *path;                     /* of the ELF file, or NULL */
    bool has_formats;                     /* the ELF file has sections of format strings */
    const struct trace_symbol *symbols;   /* in order of address, at most one at each */
    size_t nsymbols;                      /* may be 0: the ELF file is stripped */
    const struct trace_segment *segments; /* in order of address */
    size_t nsegments;
    const unsigned char *build_id;
    size_t build_id_size;                        /* bytes; 0 = none */
    bool is_wrong;                               /* the input tells another build id */
    bool big_endian;                             /* words of descriptors */
    const struct trace_descriptors *descriptors; /* first those of sections, then the others in order of address */
    size_t ndescriptors, nsections;              /* all; those of sections */
    const struct trace_handler *handlers;        /* in order of number */
    size_t nhandlers;
};

/* A format string that the firmware logs by its address. */
struct trace_printk {
    uint64_t address;
    const char *format; /* as the compiler made it of the source: without quotes, escapes replaced */
    uint64_t function;  /* address of the function that logs it; 0 = not known */
};

/* What becomes of functions that the firmware logs as entered and left: a graph of both, the calls only, nothing. */
enum trace_functions { TRACE_FUNCTIONS_GRAPH, TRACE_FUNCTIONS_FLAT, TRACE_FUNCTIONS_NONE };

/* A number that only inputs of some formats have, such as the count of chunks: --info shows it. */
#define TRACE_DETAILS_MAX 8u

struct trace_detail {
    const char *name; /* [a-z_]+; a constant */
    uint64_t value;
};

/* What is called for each damaged part of the input, as it is found: see trace_damage(). */
struct trace_damage_sink {
    void (*call)(void *ctx, const char *input, uint64_t offset, uint64_t length, uint64_t count, const char *text);
    void *ctx;
};

/* Which board a CPU of several boards' trace is of. */
struct trace_board {
    unsigned number;    /* from 1 on, in the order of the inputs */
    uint32_t task_base; /* added to the pids of its tasks, but not to 0; fields have the numbers without it */
};

/* ---- the trace --------------------------------------------------------------------------------------------------- */

#define TRACE_TYPES_MAX   4096u
#define TRACE_BUILD_BYTES 8u /* of a build id that an input tells */

struct trace {
    /* What the user wants, set before the reader is opened. */
    const char *input_name;                 /* for messages; the caller's */
    bool quiet;                             /* no notes and no damage on standard error */
    const struct trace_damage_sink *damage; /* where damage goes, unless quiet, or NULL: standard error */
    uint64_t clock_hz_given;                /* frequency of the clock for inputs that do not tell it; 0 = not given */
    int64_t run; /* which run, where an input has several: its number; 0 = the newest, -1 = the one before */
    enum trace_functions functions; /* how functions are shown */
    bool typed_text;                /* texts whose formats name their arguments are events with fields */
    uint64_t unpack_most;           /* bytes that an archive may unpack to; 0 = the reader's choice */
    bool formats;                   /* events keep format string and arguments where viewers can make text of them */

    /* This board among several, set before the reader is opened; all 0 for a board alone. In the trace of several
     * boards only_numbers is set. */
    uint32_t task_base;  /* added to the pids of its tasks, but not to 0 */
    char task_prefix[8]; /* put before the names of its tasks */
    bool only_numbers;   /* tasks, interrupts and mutexes in fields have no names: several boards' numbers are one */
    const struct trace_board *boards; /* of each CPU, in the trace of several boards; else NULL */
    unsigned cpu_base;                /* added to the numbers of its CPUs where Linux's events have them as a field */

    /* What the input tells, set by the reader in open(). */
    unsigned ncpus;
    uint64_t clock_hz;  /* frequency of the clock; 0 = not known: times are ticks */
    uint64_t start_ns;  /* real time of the clock's 0, in ns since 1970; part of all times; 0 = not known */
    const char *format; /* the reader's name; set before the reader is opened; or NULL */
    const char *target; /* what the firmware runs on, or NULL; lives as long as the reader */
    unsigned char build[TRACE_BUILD_BYTES]; /* how the firmware's build id begins; all 0 = not told */
    bool ran_before; /* the system ran before the trace began: what runs at the beginning is unknown, and no main() */
    bool mapped;     /* events have Linux's types and their tasks already: the mapping passes them on unchanged */

    /* What the firmware's ELF file tells (io/firmware/firmware.h). */
    const struct trace_firmware *firmware; /* NULL = not known; a trace.dat file may tell it, too */
    const struct trace_printk *printk;     /* nprintk of them, in order of address */
    size_t nprintk;

    /* What was declared, by the calls below only. */
    const struct trace_type *types[TRACE_TYPES_MAX]; /* ntypes of them; each lives as long as the trace */
    unsigned ntypes;
    struct trace_group *groups; /* ngroups of them; an event of group g is of groups[g - 1] */
    unsigned ngroups;
    struct trace_names *names;         /* or NULL: none */
    struct trace_priority *priorities; /* npriorities of them */
    size_t npriorities;
    unsigned naming; /* grows with every name given: a caller that keeps names asks for them again then */

    struct trace_detail details[TRACE_DETAILS_MAX]; /* ndetails of them */
    unsigned ndetails;

    struct trace_counts counts;
    bool missed_firmware; /* the user was told that there is no file of the firmware */

    /* The first error. */
    bool failed; /* trace_fail() was called */
    char error[512];
};

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* Index of a type in the trace, which is declared if it is new: in open(), or in read() before the batch that has
 * events of it is handed on. The type must live as long as the trace. 0 after trace_fail(): there are too many. */
uint16_t trace_type(struct trace *trace, const struct trace_type *type);

/* Give a name to a task, interrupt, mutex or record code. The text is copied and cut at 31 bytes, task_prefix included,
 * that of a record code at 47;
 * control characters and bytes that are not ASCII become '_'. An empty name is ignored. The last name given counts.
 * Beyond 131072 names no new ones are kept, which the user is told. */
void trace_set_name(struct trace *trace, enum trace_name_kind kind, uint32_t id, const char *name);

/* The name, or NULL. It lives as long as the trace; a new name for the same id overwrites it. */
const char *trace_name(const struct trace *trace, enum trace_name_kind kind, uint32_t id);

/* Call a function for every name of a kind, in order of id. */
void trace_each_name(const struct trace *trace, enum trace_name_kind kind,
                     void (*call)(void *ctx, uint32_t id, const char *name), void *ctx);

/* Call a function for every name that was given since trace.naming had the value naming, in the order in which they
 * were given. */
void trace_each_new_name(const struct trace *trace, unsigned naming,
                         void (*call)(void *ctx, enum trace_name_kind kind, uint32_t id, const char *name), void *ctx);

/* Tell the priority that a task has when the trace begins: in open(), once for each task. */
void trace_set_priority(struct trace *trace, uint32_t task, int32_t priority);

/* Set a detail of the input, in open(); the last value of a name counts. The name stays the caller's. */
void trace_set_detail(struct trace *trace, const char *name, uint64_t value);

/* The value of a detail; 0 if the reader has not set it. */
uint64_t trace_detail(const struct trace *trace, const char *name);

/* Count n events that were lost on a CPU of the target: they found no room, or were replaced by later ones. */
void trace_count_dropped(struct trace *trace, unsigned cpu, uint64_t n);
void trace_count_overwritten(struct trace *trace, unsigned cpu, uint64_t n);

/* Number of the group with that name, from 1, which is declared if it is new: in open(), once ncpus is set. 0 after
 * trace_fail(). */
uint16_t trace_group(struct trace *trace, const char *name);

/* Note that n events, which were counted as overwritten, were of a group. Does nothing for group 0. */
void trace_count_in_group(struct trace *trace, uint16_t group, unsigned cpu, uint64_t n);

/* The last symbol whose address is not above this one; NULL if there is none, or the firmware is NULL. */
const struct trace_symbol *trace_symbol_before(const struct trace_firmware *firmware, uint64_t address);

/* The symbol that an address is in. *offset: bytes from the symbol's address to it. NULL if there is none, or the
 * firmware is NULL. */
const struct trace_symbol *trace_symbol_at(const struct trace_firmware *firmware, uint64_t address, uint64_t *offset);

/* The format string at an address, which may also be inside of one: linkers let strings share their ends. NULL if there
 * is none. */
const char *trace_printk_at(const struct trace *trace, uint64_t address);

/* The same with all that is known of it, but NULL for an address inside of one. */
const struct trace_printk *trace_printk_exactly_at(const struct trace *trace, uint64_t address);

/* Keep the first error, which the caller of the module shows; later ones are ignored. printf() format. Always
 * returns -1. */
int trace_fail(struct trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Count a damaged region: length bytes of input at offset, which cost count events (0 = not known). The text says what
 * is wrong; it is shown with the place on standard error, unless quiet and only for the first 20 regions. printf()
 * format. */
void trace_damage(struct trace *trace, uint64_t offset, uint64_t length, uint64_t count, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Write a line about the input to standard error, unless quiet: its name, and the text. printf() format. */
void trace_note(const struct trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Make an empty trace. input_name stays the caller's and must live as long. */
void trace_init(struct trace *trace, const char *input_name);

/* Free what the trace allocated: groups and names. It may be initialised again. */
void trace_free(struct trace *trace);

#endif
