/* trace.h - a trace: its types and names, what is known of the firmware, and what was lost, between readers and writers.
 *
 *   reader --batches, one stream per CPU--> map --batches--> writer
 *
 * Vocabulary. One word has one meaning in all of host/.
 *   input     the bytes that are decoded: a file, a pipe, a directory, or what comes by UDP (io/input.h)
 *   output    the file or directory that is written (io/output.h)
 *   reader    turns the bytes of one format into events (module.h)
 *   writer    turns events into the bytes of one format (module.h)
 *   trace     what a reader tells of its input besides the events: types, names, clock, CPUs, counts
 *   source    an input together with its reader, its mapping and its trace (decode/source.h)
 *   board     what an input is a trace of; several boards are merged, or written as host and guests
 *   CPU       a processor of a board, counted from 0; a reader gives out one stream of events for each
 *   lane      what a module keeps for one of these streams
 *   event     something that happened at a time on a CPU, with a type and a payload (event.h)
 *   type      what events of a kind have in common: system, name, class, fields; declared once
 *   class     what an event means in the picture of a system: switch, wake-up, interrupt ...; map.c acts on it
 *   field     a named, typed part of the payload
 *   payload   the bytes of the fields, little-endian, laid out as the type says
 *   batch     events of one CPU in the order of time, handed on together
 *   group     events that the target kept apart from others, such as those of a chunk that stands alone
 *   task      what the target's scheduler switches between; a task is known by its pid, a number
 *   context   what an event was logged in: an exception or a mode of the processor (context.h)
 *   firmware  the program on the target; its ELF file is an image (trace_image)
 *   run       the life of a firmware from one reset to the next
 *   stamp     a time as the target's clock told it, in ticks; a time is in ns
 *   loss      an event that stands for events the target did not keep
 *   damage    an event that stands for input that could not be decoded
 *   mapping   the change of a target's events into those Linux has, too (decode/map.h)
 *   derived   said of an event that the mapping added; no count includes it
 */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include "model/event.h"

#define TRACE_TYPES_MAX 1024u

/* ---- what a trace holds ------------------------------------------------------------------------------------------ */

/* What was lost on one CPU; parts of dropped and overwritten below. */
struct trace_cpu_counts {
    uint64_t dropped, overwritten;
};

#define TRACE_CPUS_COUNTED 256u /* CPUs that have counts of their own */

enum trace_name_kind { TRACE_NAME_TASK, TRACE_NAME_IRQ, TRACE_NAME_MUTEX, TRACE_NAME_EVENT, TRACE_NAME_KINDS };

struct trace_counts {
    uint64_t events;      /* input events, each written once */
    uint64_t derived;     /* added by the mapping */
    uint64_t dropped;     /* lost on the target for want of a slot */
    uint64_t overwritten; /* lost on the target, replaced by later events */
    uint64_t unfinished;  /* slots whose writer had not finished, or came too late */
    uint64_t damaged;     /* slots that could not be decoded */
    uint64_t gaps;        /* damaged regions of the input */
    uint64_t first, last; /* ns, of input events */
    struct trace_cpu_counts cpu[TRACE_CPUS_COUNTED];
};

#define TRACE_GROUP_BYTES 32u
#define TRACE_GROUPS_MAX  512u

struct trace_group {
    char name[TRACE_GROUP_BYTES]; /* [A-Za-z0-9_-]+ */
    uint64_t *overwritten;        /* for each CPU; a part of the counts of the trace */
};

#define TRACE_BUILD_BYTES 8u

/* The firmware the trace is of, from its ELF file. All strings live as long as the trace. */
struct trace_symbol {
    uint64_t address; /* without the Thumb bit */
    uint64_t size;    /* 0: only marks an end */
    const char *name;
    char type; /* as nm shows it: T t W = code, D d B b R r V = data */
};

struct trace_segment {
    uint64_t address;
    uint64_t size;
    const char *name; /* e.g. the ELF file's */
};

struct trace_image {
    const char *path;                   /* of the ELF file */
    bool has_formats;                   /* the file has sections of format strings */
    const struct trace_symbol *symbols; /* in order of address, at most one at each */
    size_t nsymbols;
    const struct trace_segment *segments; /* what is loaded, in order of address */
    size_t nsegments;
    const unsigned char *build_id;
    size_t build_id_size; /* 0 = none */
};

/* A format string that the firmware logs by its address. */
struct trace_printk {
    uint64_t address;
    const char *format; /* as the compiler made it of the source: without quotes, escapes replaced */
    uint64_t function;  /* address of the function that logs it; 0 = not known */
};

/* What becomes of functions that the firmware logs as entered and left: both as a graph, calls, nothing. */
enum trace_functions { TRACE_FUNCTIONS_GRAPH, TRACE_FUNCTIONS_FLAT, TRACE_FUNCTIONS_NONE };

struct trace {
    const char *input_name; /* for messages */
    unsigned ncpus;
    uint64_t clock_hz;       /* 0 = unknown: times are ticks */
    uint64_t clock_hz_given; /* by the user, for inputs that do not tell; 0 = not given */
    uint64_t start_ns;       /* real time of the clock's 0, ns since 1970, contained in all times; 0 = not known */
    enum trace_functions functions;
    /* Of the firmware, where an input has several: its number, or 0, -1, ...: the newest, the one before. */
    int64_t run;
    const char *target; /* what the firmware runs on, or NULL */
    /* What the firmware logs by a format is to stay format and arguments, where viewers can put them together. */
    bool formats;
    uint32_t task_base;  /* added to the pids of tasks, but for 0, when they are told from those of other boards */
    char task_prefix[8]; /* put before their names, likewise */
    unsigned cpu_base;   /* added to the numbers of CPUs in Linux's events */
    /* The events are those viewers know already, and bear their tasks: map.c passes them on; classes then tell what
     * Linux's own events are, whose fields go by their names. */
    bool mapped;
    /* How the firmware's build id begins, as the input tells; all 0 = not told. */
    unsigned char build[TRACE_BUILD_BYTES];
    unsigned ntypes;
    const struct trace_type *types[TRACE_TYPES_MAX];
    struct trace_counts counts;
    const struct trace_image *image;   /* NULL = not given */
    const struct trace_printk *printk; /* nprintk of them; live as long as the trace */
    size_t nprintk;
    bool told_formatless;       /* that the firmware's ELF file has no format strings was said */
    struct trace_group *groups; /* ngroups of them */
    unsigned ngroups;
    struct trace_names *names;
    unsigned naming; /* grows with every name given */
    bool failed;     /* trace_fail() was called; the first message stays */
    bool quiet;      /* no warnings on stderr */
    char error[512];
};

/* ---- calls -------------------------------------------------------------------------------------------------------- */

/* Index of a type in the trace; declares it when it is new: in open(), or in read() before the batch that has events of
 * it is handed out. The type must live as long as the trace. */
uint16_t trace_type(struct trace *trace, const struct trace_type *type);

/* Give a task, interrupt, mutex or record code a name (copied, cut at 31 bytes; control characters and non-ASCII bytes
 * become '_'; an empty name is ignored; the last one given wins). */
void trace_set_name(struct trace *trace, enum trace_name_kind kind, uint32_t id, const char *name);

/* The name, or NULL. Valid as long as the trace. */
const char *trace_name(const struct trace *trace, enum trace_name_kind kind, uint32_t id);

/* Calls back for every name of a kind, in order of id. */
void trace_each_name(const struct trace *trace, enum trace_name_kind kind,
                     void (*call)(void *ctx, uint32_t id, const char *name), void *ctx);

/* Count events that were lost on a CPU of the target: found no room, or replaced by later ones. */
void trace_count_dropped(struct trace *trace, unsigned cpu, uint64_t n);
void trace_count_overwritten(struct trace *trace, unsigned cpu, uint64_t n);

/* Number of the group of that name; declares it when it is new, which is possible in open() once ncpus is known. 0 after
 * trace_fail(). */
uint16_t trace_group(struct trace *trace, const char *name);

/* Say of events counted as overwritten that they were of a group, unless it is 0. */
void trace_count_in_group(struct trace *trace, uint16_t group, unsigned cpu, uint64_t n);

/* The last symbol that is not above the address; NULL if there is none, or no image. */
const struct trace_symbol *trace_symbol_before(const struct trace_image *image, uint64_t address);

/* The symbol that address lies in, and in *offset how far behind its beginning; NULL if there is none, or no image. */
const struct trace_symbol *trace_symbol_at(const struct trace_image *image, uint64_t address, uint64_t *offset);

/* The format string at an address, which may also be inside of another one whose end it shares; NULL if there is none.
 * trace->printk is in order of address. */
const char *trace_printk_at(const struct trace *trace, uint64_t address);

/* The same with all that is known of it; NULL also if the address is inside of another one. */
const struct trace_printk *trace_printk_exactly_at(const struct trace *trace, uint64_t address);

/* Record the first error; later ones are ignored. Always returns -1. */
int trace_fail(struct trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Say that length bytes of input at offset were damaged, why, and that they cost count events (0 = unknown). Printed
 * unless quiet, at most a screenful; counted always. */
void trace_damage(struct trace *trace, uint64_t offset, uint64_t length, uint64_t count, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A line on standard error about the input, unless quiet; printf() format. */
void trace_note(const struct trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An empty trace; input_name stays the caller's. */
void trace_init(struct trace *trace, const char *input_name);

/* Free what the trace allocated; it may be initialised again. */
void trace_free(struct trace *trace);

#endif
