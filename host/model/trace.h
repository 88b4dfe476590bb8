/* trace.h - a trace: all that is known of an input besides its events. A reader fills it; the mapping and a writer read
 * it.
 *
 *   input --reader--> batches of events --mapping--> batches of events --writer--> output
 *
 * These words have one meaning in all of host/. The words of a format (chunk, slot, page, section ...) are explained in
 * its folder.
 *   event      something that happened at a time on a CPU; it has a type and a payload
 *   type       what events of one kind have in common: system, name, meaning, fields
 *   meaning    what an event means for tasks and interrupts, such as a switch or a wake-up
 *   payload    the bytes of an event's fields, little-endian
 *   batch      events of one CPU, in the order of time
 *   reader     turns the bytes of one format into events
 *   writer     turns events into the bytes of one format
 *   target     the machine that made the trace, and its software; the host decodes it
 *   board      a target, where the traces of several are put together
 *   firmware   the program on the target
 *   task       what the target's scheduler switches between: a thread. It has a number, its pid; 0 is idle
 *   context    the exception, or the mode of the processor, that an event was logged in
 *   group      events that the target keeps apart from the others; trace.dat calls it an instance
 *   stamp      a time in ticks of the target's clock; an event's time, in ns, is computed from it
 *   loss       an event that stands for events which the target dropped, or overwrote with later ones
 *   damage     an event that stands for input that could not be decoded
 *   mapping    replaces the target's events by those of Linux that mean the same, because viewers know these
 *   derived    said of an event that the mapping adds; only its own count includes it
 *   lane       what is kept for each CPU, or for each other sequence of events
 */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include "model/event.h"

/* ---- counts ------------------------------------------------------------------------------------------------------ */

#define TRACE_CPUS_COUNTED 256u /* CPUs that have counts of their own */

/* The events that one CPU lost: its part of dropped and overwritten below. */
struct trace_cpu_counts {
    uint64_t dropped, overwritten;
    uint64_t pauses, paused;
};

/* Counts are of events, unless another unit is named. The mapping sets events, derived, first and last; filters set
 * left_out and derived_left_out, writers no_place; readers set the others. */
struct trace_counts {
    uint64_t events;      /* input events; each is written once */
    uint64_t derived;     /* added by the mapping */
    uint64_t dropped;     /* lost on the target: there was no room for them */
    uint64_t overwritten; /* lost on the target: later events took their room */
    uint64_t unfinished;  /* not complete in the input: the target was still logging them, or ended too late */
    uint64_t passed;      /* slots, not events: given up, because whoever had taken them never filled them */
    uint64_t slots;       /* of how many; 0: not known */
    uint64_t damaged;     /* could not be decoded */
    uint64_t gaps;        /* calls of trace_damage(), each for a damaged region of the input */
    uint64_t left_out, derived_left_out; /* how many of events, and of derived, the user does not want */
    uint64_t no_place;                   /* how many of events the output's format has no place for */
    uint64_t first, last;                /* times of the first and the last input event */
    uint64_t pauses, paused; /* how often logging was off, not events, and for how long, as times are told: on the CPU
                              * that was told of most pauses */
    bool is_uncounted;       /* events in them were not counted */
    struct trace_cpu_counts cpu[TRACE_CPUS_COUNTED];
};

/* ---- names and groups -------------------------------------------------------------------------------------------- */

/* The kinds of things that have a number and a name. Each value is one less than its TLOG_NAME_... (tlog_wire.h).
 * TRACE_NAME_EVENT: a record code of S.Ha.R.K. TRACE_NAME_OBJECT: the first kind of object, with the others behind
 * it. */
enum trace_name_kind {
    TRACE_NAME_TASK,
    TRACE_NAME_IRQ,
    TRACE_NAME_MUTEX,
    TRACE_NAME_EVENT,
    TRACE_NAME_OBJECT,
    TRACE_NAME_KINDS = TRACE_NAME_OBJECT + TLOG_OBJECTS,
};

/* Pids of the tasks that the mapping adds (decode/map.h): one for the code before the first switch, and one for each
 * interrupt, which viewers draw as a row. They have names, as other tasks do. No firmware uses these numbers. */
#define TRACE_MAPPED_TASK     65536u
#define TRACE_MAPPED_TASK_END 71024u

/* Pids of tasks whose number the firmware had given before, to others (decode/lives.h). */
#define TRACE_LIVES_TASK     80000u
#define TRACE_LIVES_TASK_END 100000u

#define TRACE_GROUP_BYTES 32u
#define TRACE_GROUPS_MAX  512u

struct trace_group {
    char name[TRACE_GROUP_BYTES]; /* [A-Za-z0-9_-]+ */
    uint64_t *overwritten;        /* events by CPU: the group's part of trace_cpu_counts.overwritten */
};

/* Which priorities are the more important ones to the traced system: the lowest numbers, or the highest. */
enum trace_priority_order {
    TRACE_ORDER_UNKNOWN,
    TRACE_LOWEST_FIRST,
    TRACE_HIGHEST_FIRST,
    TRACE_PRIORITY_ORDERS,
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

/* A part of the firmware that is loaded into memory. */
struct trace_segment {
    uint64_t address;
    uint64_t size;    /* bytes */
    const char *name; /* such as the ELF file's */
};

/* Descriptors of events that the firmware defines (events/own_descriptor.h): all of a section, one behind the other; or
 * a single one that lies in the firmware's memory, and is logged by its address. */
struct trace_descriptors {
    uint64_t address; /* 0 for those of a section */
    const unsigned char *bytes;
    size_t size;
};

#define TRACE_HANDLER_BYTES 32u /* with the NUL, as any name */

/* A ring of chunks, as the firmware's runtime declares it: where its memory is, and what the firmware writes there into
 * the headers (target/FORMAT.md, section 2.1). Whether it ever did so the ELF file does not tell. */
struct trace_ring {
    uint64_t address; /* of chunk 0 in the first bank. Chunk k of bank b is (b * chunks + k) * size bytes behind it */
    uint32_t banks;   /* one for each run that memory keeps, from 1 */
    uint32_t chunks;  /* of a bank: bits 31..24 of place */
    uint32_t format, place, slots, emergency, size, freq, coarse_freq, needs; /* place: with 0 as number of the chunk */
};

/* The first address behind a ring's memory. */
static inline uint64_t trace_ring_end(const struct trace_ring *ring)
{
    return ring->address + (uint64_t)ring->banks * ring->chunks * ring->size;
}

/* The handler of an exception. */
struct trace_handler {
    uint32_t number;                /* as IPSR tells it: 15 = SysTick, 16 = the first interrupt */
    char name[TRACE_HANDLER_BYTES]; /* "UART0" of UART0_IRQHandler() */
};

/* What is known of the firmware, from its ELF file or a trace.dat file. It and all that it points to live until
 * firmware_close() (io/firmware/firmware.h), or until the reader of the trace.dat file is closed. */
struct trace_firmware {
    const char *path;                   /* of the ELF file, or NULL */
    bool has_formats;                   /* the ELF file has sections of format strings */
    const struct trace_symbol *symbols; /* in order of address; of several at one, the last one counts */
    size_t nsymbols;                    /* may be 0: the ELF file is stripped */
    const char *kallsyms; /* a table of symbols as a trace.dat file has it, kallsyms_size bytes long, or NULL: a viewer
                           * chooses among symbols at one address by their order and number in it */
    size_t kallsyms_size;
    const struct trace_segment *segments; /* in order of address */
    size_t nsegments;
    const unsigned char *build_id;
    size_t build_id_size;                        /* bytes; 0 = none */
    bool is_wrong;                               /* the input has another build id: names may be wrong */
    bool big_endian;                             /* words of descriptors are big-endian */
    const struct trace_descriptors *descriptors; /* first those of sections, then the others in order of address */
    size_t ndescriptors, nsections;              /* how many; how many are of sections */
    const struct trace_handler *handlers;        /* in order of number */
    size_t nhandlers;
    const struct trace_ring *rings; /* in order of address, without overlap; none if their symbols are missing */
    size_t nrings;
};

/* A format string that the firmware logs by its address. */
struct trace_printk {
    uint64_t address;
    const char *format; /* as in the firmware's memory: escapes of the source are replaced */
    uint64_t function;  /* address of the function that logs it; 0 = not known */
};

/* What becomes of functions that the firmware logs: events when they are entered and left, which viewers draw as a
 * graph; events when they are entered; or no events. */
enum trace_functions { TRACE_FUNCTIONS_GRAPH, TRACE_FUNCTIONS_FLAT, TRACE_FUNCTIONS_NONE };

/* A number that only inputs of some formats have, such as the count of chunks: --info shows it. */
#define TRACE_DETAILS_MAX 8u

struct trace_detail {
    const char *name; /* [a-z_]+; a constant */
    uint64_t value;
};

/* A place of the input that looks like a part of a trace, but is not proved to be one: --info shows it. */
#define TRACE_UNPROVED_MAX   20u
#define TRACE_UNPROVED_BYTES 112u

struct trace_unproved {
    uint64_t offset;
    char text[TRACE_UNPROVED_BYTES]; /* what is wrong with it */
};

/* The board that a CPU belongs to, in a trace of several boards. */
struct trace_board {
    unsigned number;    /* from 1, in the order of the inputs */
    uint32_t task_base; /* added to the pids of its tasks, but not to 0. Fields of events have the pids without it */
    enum trace_priority_order priority_order;
};

/* ---- the trace --------------------------------------------------------------------------------------------------- */

#define TRACE_TYPES_MAX   4096u
#define TRACE_BUILD_BYTES 8u /* of a build id that an input tells */

struct trace {
    /* What the user wants: set before the reader is opened. */
    const char *input_name;         /* for messages; the caller's */
    bool quiet;                     /* nobody is told of notes and damage */
    const struct tlog_sink *sink;   /* who is told; NULL = nobody */
    uint64_t clock_hz_given;        /* --clock-hz, for inputs that do not tell the frequency; 0 = not given */
    bool has_base;                  /* --base is given, */
    uint64_t base;                  /* the address on the target of the input's first byte */
    int64_t run;                    /* number of the run to decode; 0 = the newest, -1 = the one before it */
    enum trace_functions functions; /* how functions are shown */
    bool typed_text;                /* a TLOG_PRINTK whose format names its arguments becomes an event with fields */
    uint64_t unpack_most;           /* bytes that an archive may unpack to; 0 = the reader's choice */
    uint64_t spool_most;            /* bytes of an input that is no file at most; 0 = the input's choice */
    bool goes_on;                   /* the input goes on: a CPU's events end where one is not finished yet */
    bool formats;                   /* a TLOG_PRINTK stays format string and arguments, where viewers make the text */

    /* This board among several: set before the reader is opened, all 0 for a board alone. */
    uint32_t task_base;  /* added to the pids of its tasks, but not to 0 */
    char task_prefix[8]; /* put before the names of its tasks */
    unsigned cpu_base;   /* added to the numbers of its CPUs in fields of Linux's events */

    /* The trace that several boards are merged into: set when it is made. */
    bool only_numbers; /* fields show no names of tasks, interrupts and objects, because boards use the same numbers */
    const struct trace_board *boards; /* by CPU; else NULL */

    /* What the input tells: set by the reader in open(). */
    unsigned ncpus;
    uint64_t clock_hz;  /* frequency of the clock; 0 = not known: times are ticks */
    uint64_t start_ns;  /* real time of the clock's 0, in ns since 1970; included in all times; 0 = not known */
    const char *format; /* the reader's name, or NULL; set before the reader is opened */
    const char *target; /* what the firmware runs on, or NULL; lives as long as the reader */
    unsigned char build[TRACE_BUILD_BYTES]; /* the first bytes of the firmware's build id; all 0 = not told */
    enum trace_priority_order priority_order;
    bool ran_before; /* the system ran before the trace began: the task at the beginning is unknown, not main() */
    bool mapped;     /* events have Linux's types and their tasks already: the mapping passes them on unchanged */
    bool irqs_once;  /* an interrupt cannot come while its own handler runs, as on Cortex-M. So if it comes while it
                      * seems to run, its handler was left without an exit: by longjmp(), for example */

    /* What the firmware's ELF file tells: set by firmware_open() (io/firmware/firmware.h). */
    const struct trace_firmware *firmware; /* NULL = not known. A trace.dat file may tell it, too */
    const struct trace_printk *printk;     /* nprintk of them, in order of address */
    size_t nprintk;

    /* What was declared: set by the calls below. */
    const struct tlog_type *types[TRACE_TYPES_MAX]; /* ntypes of them; each lives as long as the trace */
    unsigned ntypes;
    struct trace_group *groups; /* ngroups of them; an event of group g is of groups[g - 1] */
    unsigned ngroups;
    struct trace_names *names;    /* or NULL: none */
    struct trace_past_name *past; /* npast of them: see past_names.h */
    size_t npast, past_room;
    struct trace_priority *priorities; /* npriorities of them */
    size_t npriorities, priorities_room;
    unsigned naming; /* how many names were given; when it grows, a caller that keeps names looks them up again */

    struct trace_detail details[TRACE_DETAILS_MAX]; /* ndetails of them */
    unsigned ndetails;
    struct trace_unproved unproved[TRACE_UNPROVED_MAX]; /* the first ones of nunproved */
    uint64_t nunproved;

    struct trace_counts counts;
    bool missed_firmware; /* the user was told that the firmware's file is missing */

    /* The first error. */
    bool failed; /* trace_fail() was called */
    bool has_error_offset;
    uint64_t error_offset; /* trace_fail_at() told it */
    char error[512];
};

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* The index of a type in the trace. A new type is declared: in open(), or in read() before the batch with its first
 * event is handed on. The type must live as long as the trace. 0 after trace_fail(): there are too many types. */
uint16_t trace_type(struct trace *trace, const struct tlog_type *type);

/* Give a name to a task, an interrupt, a mutex, another object or a record code. The last name given counts; an empty
 * one is ignored. The text is copied, with '_' for control characters and bytes that are not UTF-8, and cut at 31
 * bytes, task_prefix included; the name of a record code at 47. After 131072 names all others are dropped, and the user
 * is told. */
void trace_set_name(struct trace *trace, enum trace_name_kind kind, uint32_t id, const char *name);

/* The name, or NULL. It lives as long as the trace; a new name for the same id overwrites the text. */
const char *trace_name(const struct trace *trace, enum trace_name_kind kind, uint32_t id);

/* Whether other tasks have the same name as that one, so that it alone does not tell which is meant. */
bool trace_task_name_is_shared(const struct trace *trace, uint32_t task);

/* Call a function for every name of a kind, in order of id. */
void trace_each_name(const struct trace *trace, enum trace_name_kind kind,
                     void (*call)(void *ctx, uint32_t id, const char *name), void *ctx);

/* Call a function for every name that was given since trace.naming had this value, in the order in which they were
 * given. */
void trace_each_new_name(const struct trace *trace, unsigned naming,
                         void (*call)(void *ctx, enum trace_name_kind kind, uint32_t id, const char *name), void *ctx);

/* Set the priority that a task has when the trace begins: in open(), at most once for each task. */
void trace_set_priority(struct trace *trace, uint32_t task, int32_t priority);

/* Tell of a place that looks like a part of the trace, but is not proved to be one, in open(). It is no damage. */
void trace_add_unproved(struct trace *trace, uint64_t offset, const char *text);

/* Set a detail of the input, in open(); the last value of a name counts. The name stays the caller's. */
void trace_set_detail(struct trace *trace, const char *name, uint64_t value);

/* The value of a detail; 0 if the reader has not set it. */
uint64_t trace_detail(const struct trace *trace, const char *name);

/* Count n events that were lost on a CPU of the target: they found no room, or were replaced by later ones. */
void trace_count_dropped(struct trace *trace, unsigned cpu, uint64_t n);
void trace_count_overwritten(struct trace *trace, unsigned cpu, uint64_t n);

/* Count a pause that a CPU was told of: its length, 0 = not known, and whether events in it were not counted. */
void trace_count_pause(struct trace *trace, unsigned cpu, uint64_t length, bool is_uncounted);

/* The number of the group with that name, from 1. A new group is declared: in open(), after ncpus was set. 0 after
 * trace_fail(). */
uint16_t trace_group(struct trace *trace, const char *name);

/* Note that n events of those counted as overwritten were of a group. Does nothing for group 0. */
void trace_count_in_group(struct trace *trace, uint16_t group, unsigned cpu, uint64_t n);

/* The last symbol that begins at or before an address; NULL if there is none, or the firmware is NULL. */
const struct trace_symbol *trace_symbol_before(const struct trace_firmware *firmware, uint64_t address);

/* The symbol that an address is in. *offset: bytes from the symbol's address to it. NULL if there is none, or the
 * firmware is NULL. */
const struct trace_symbol *trace_symbol_at(const struct trace_firmware *firmware, uint64_t address, uint64_t *offset);

/* The format string at an address; NULL if there is none. It may be the end of another one: linkers let strings share
 * their ends. */
const char *trace_printk_at(const struct trace *trace, uint64_t address);

/* The format string that begins at an address, with all that is known of it, or NULL. */
const struct trace_printk *trace_printk_exactly_at(const struct trace *trace, uint64_t address);

/* Keep an error, if it is the first one; the caller of the reader or writer shows it. printf() format. Always returns
 * -1. */
int trace_fail(struct trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same of an error at an offset of a file of the input: the text follows its name and the offset. */
int trace_fail_at(struct trace *trace, const char *name, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Count a damaged region: length bytes of the input at offset, in which count events were lost (0 = not known). The
 * text says what is wrong; the sink is told, unless quiet is set. printf() format. */
void trace_damage(struct trace *trace, uint64_t offset, uint64_t length, uint64_t count, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* From begin to end damage and notes are neither shown nor counted. The end returns whether there was any damage. */
struct trace_silence {
    uint64_t gaps, damaged;
    bool quiet;
};

void trace_silence_begin(struct trace *trace, struct trace_silence *silence);
bool trace_silence_end(struct trace *trace, const struct trace_silence *silence);

/* Tell the sink, unless quiet is set: a warning about the input; a note about something else, which the text names.
 * printf() format. */
void trace_tell(const struct trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));
void trace_note(const struct trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For a writer that closes its file: n events are not in it, for the reason that is told. Nothing if n is 0. printf()
 * format. */
void trace_leave_out(struct trace *trace, const char *writer, uint64_t n, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Tell the sink that so many more bytes of the input, or events, were read. */
static inline void trace_progress(const struct trace *trace, uint64_t bytes, uint64_t events)
{
    if (trace->sink != NULL && trace->sink->progress != NULL)
        trace->sink->progress(trace->sink->ctx, bytes, events);
}

/* Make an empty trace. input_name must live as long as the trace. */
void trace_init(struct trace *trace, const char *input_name);

/* Free what the calls above allocated. The trace may be initialised again. */
void trace_free(struct trace *trace);

#endif
