/* trace.h - the one event model between readers and writers.
 *
 *   reader --batches, one stream per CPU--> map --batches--> writer
 *
 * A reader turns a format's bytes into events of the types it declares; a writer turns events into a file and learns
 * nothing of the reader. Modules never name each other: main.c holds the two tables.
 *
 * Vocabulary
 *   type    what an event is: system, name, class, fields. Constant, declared once, named by its index in struct trace
 *   class   what an event means for the picture of a system (switch, wake-up, interrupt ...); map.c lives on it
 *   payload the fields' bytes, little-endian, laid out as the type's fields say
 *   batch   a run of events of one CPU in time order
 *   loss    an event that stands for others the target did not keep; damage: for input that could not be decoded
 *   group   events that the target kept apart from the others, e.g. in a chunk that stands alone
 */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- types ---------------------------------------------------------------------------------------------------- */

enum trace_kind {
    TRACE_UNSIGNED, /* 1, 2, 4 or 8 bytes */
    TRACE_SIGNED,   /* 1, 2, 4 or 8 bytes, two's complement */
    TRACE_HEX,      /* unsigned, shown as 0x... */
    TRACE_OPTIONAL, /* unsigned, 4 bytes, shown only if it is not 0; fields of other kinds stand before it */
    TRACE_CHARS,    /* char[size], NUL-padded, NUL-terminated */
    TRACE_STRING,   /* 4 bytes: offset of the text in the payload (16 bits), its length with the NUL << 16 */
    TRACE_ADDRESS,  /* 4 or 8 bytes, in the firmware's memory: shown as symbol+0x..., or as TRACE_HEX without one */
    TRACE_WORDS,    /* numbers of 4 bytes up to the end of the payload; size 0, the last field */
};

struct trace_field {
    const char *name;
    enum trace_kind kind;
    uint16_t offset; /* in the payload */
    uint16_t size;   /* bytes */
};

enum trace_class {
    TRACE_PLAIN,
    TRACE_SWITCH,    /* field 0 = context that runs from now on; a context is its task's pid */
    TRACE_WAKE,      /* field 0 = context that became ready */
    TRACE_BLOCK,     /* field 0 = context (0: the running one) that will not be ready when it is switched out */
    TRACE_UNBLOCK,   /* field 0 = context (0: the running one) that goes on, after all */
    TRACE_IRQ_ENTRY, /* field 0 = interrupt number */
    TRACE_IRQ_EXIT,  /* field 0 = interrupt number */
    TRACE_PRIORITY,  /* field 0 = context, field 1 = its priority */
    TRACE_LOSS,   /* payload: u64 count of events lost here by the target, 0 = unknown; comes before the next event */
    TRACE_DAMAGE, /* payload: u64 count of events the damage may have cost, 0 = unknown; like TRACE_LOSS */
};

struct trace_type {
    const char *system; /* "shark", "sched", ... [A-Za-z0-9_]+ */
    const char *name;   /* [A-Za-z0-9_]+ */
    enum trace_class class;
    uint16_t size; /* of the fixed part of the payload, multiple of 4 */
    uint16_t nfields;
    const struct trace_field *fields;
    const char *print; /* libtraceevent print format with its arguments, or NULL: made from the fields */
};

#define TRACE_TYPES_MAX 1024u

/* ---- events --------------------------------------------------------------------------------------------------- */

#define TRACE_IN_INTERRUPT 0x01u /* the event was logged inside an interrupt */
#define TRACE_DERIVED      0x02u /* added by the mapping for the picture; in no count and no check */
#define TRACE_EMERGENCY    0x08u /* it took an emergency slot, because no other was left */
#define TRACE_UNCHECKED    0x04u /* logged by the fast path of S.Ha.R.K., which leaves the second parameter as it was */

struct trace_event {
    uint64_t time;             /* ns */
    const unsigned char *data; /* payload, valid until the batch is filled again */
    uint32_t task;             /* pid of the task it belongs to */
    uint16_t type;             /* index in struct trace */
    uint16_t size;             /* bytes of payload */
    uint16_t rest;             /* of a clock above 1 GHz: ticks since the first one in that ns; see ticks.h */
    uint8_t flags;             /* TRACE_IN_INTERRUPT ... */
    uint16_t group;            /* 0 = in none, else trace->groups has it at group - 1 */
    uint16_t context;          /* what it was logged in: see below; 0 = a thread, or not told */
};

/* A context: the number of a Cortex-M's exception, 1 to 511; or that of an ARMv7-A's mode with this bit. */
#define TRACE_CONTEXT_MODE 0x200u

#define TRACE_BATCH_EVENTS 1024u
#define TRACE_PAYLOAD_MAX  2048u

struct trace_batch {
    size_t n;
    size_t used; /* bytes of room taken */
    struct trace_event event[TRACE_BATCH_EVENTS];
    unsigned char room[TRACE_BATCH_EVENTS * 64u]; /* where payloads live */
};

/* ---- a trace --------------------------------------------------------------------------------------------------- */

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

struct trace;

/* ---- options of writers --------------------------------------------------------------------------------------- */

enum trace_compression { TRACE_COMPRESS_NONE, TRACE_COMPRESS_ZSTD, TRACE_COMPRESS_ZLIB };

/* Bits for options that not every writer takes. */
#define TRACE_OPTION_COMPRESS   0x01u
#define TRACE_OPTION_START_TIME 0x02u
#define TRACE_OPTION_RAW_TSC    0x04u
#define TRACE_OPTION_LONG_SIZE  0x08u
#define TRACE_OPTION_ENDIAN     0x10u
#define TRACE_OPTION_PAGE_SIZE  0x20u
#define TRACE_OPTION_LTTNG      0x40u
#define TRACE_OPTION_INSTANCES  0x80u
#define TRACE_OPTION_GUESTS     0x100u

/* A trace of another board, whose file goes with this one's. */
struct trace_guest {
    const char *name;
    uint64_t id;
    unsigned ncpus;
};

/* What is to be added to times to get those of another trace: between two points the offset changes evenly. */
struct trace_shift {
    uint64_t peer; /* id of that trace */
    size_t n;      /* points; 1: the offset never changes */
    const uint64_t *times;
    const int64_t *offsets;
};

/* What the user wants of the file; all zero = as the writer likes it. */
struct trace_options {
    unsigned given; /* TRACE_OPTION_... */
    enum trace_compression compression;
    bool raw_tsc;       /* events carry ticks of the target's clock */
    bool instances;     /* groups of events are apart in the file, too */
    bool big_endian;    /* byte order of numbers in the file */
    unsigned long_size; /* bytes of a long on the target: 4 or 8 */
    uint32_t page_size; /* bytes; a power of two, 4096 to 65536 */
    const char *lttng;  /* how a trace of LTTng is to look, or NULL: see lttng/options.h */
    int64_t start_time; /* of the first event in real time: ns since 1970, UTC; given tells whether it is known */
    uint64_t id;        /* of the trace, or 0: the writer makes one */
    const struct trace_guest *guests; /* nguests of them: traces that are shown together with this one */
    unsigned nguests;
    const struct trace_shift *shift; /* from the clock of a trace that it is shown with to this one's, or NULL */
};

/* ---- readers and writers --------------------------------------------------------------------------------------- */

struct input; /* input.h */

enum trace_probe { TRACE_NOT_MINE, TRACE_MAYBE, TRACE_MINE, TRACE_MINE_BROKEN };

struct trace_reader {
    const char *name;        /* as given to --from */
    const char *description; /* one line for --list-formats */
    enum trace_probe (*probe)(struct input *in);
    /* Index the input, declare types, names, CPUs and clock in *trace. NULL after trace_fail(). */
    void *(*open)(struct trace *trace, struct input *in);
    /* Fill batch with the next events of one CPU (0 .. trace->ncpus - 1). 0 at the end, -1 after trace_fail(). */
    int (*read)(void *reader, unsigned cpu, struct trace_batch *batch);
    void (*close)(void *reader);
};

struct trace_writer {
    const char *name;        /* as given to --format */
    const char *suffix;      /* of files this format is guessed for, or NULL */
    const char *description; /* one line for --list-formats */
    bool binary;             /* not for a terminal */
    bool merged;             /* wants all CPUs merged in time order; else CPU after CPU, each whole */
    bool seeks;              /* the output must be a regular file */
    bool native;             /* wants events as they were logged, whatever mapping was asked for */
    bool formats;            /* has a section for formats: takes ftrace:bprint, if long has 8 bytes, little-endian */
    unsigned takes;          /* options it heeds: TRACE_OPTION_... */
    /* A format that is a directory: may this one be replaced? Not NULL: open() gets the descriptor of an empty one. */
    bool (*may_replace)(int directory);
    /* Start writing to fd, which the caller owns. NULL after trace_fail(). */
    void *(*open)(struct trace *trace, int fd);
    /* Append the events of one CPU. 0, or -1 after trace_fail(). */
    int (*write)(void *writer, unsigned cpu, const struct trace_batch *batch);
    /* Finish the file and free the writer. 0, or -1 after trace_fail(). With ok false only free. */
    int (*close)(void *writer, bool ok);
};

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
    struct trace_options options;
    const struct trace_image *image;   /* NULL = not given */
    const struct trace_printk *printk; /* nprintk of them; live as long as the trace */
    size_t nprintk;
    /* The firmware's ELF file, if it has no section for them; to be said when the first one is wanted. NULL then. */
    const char *formatless;
    struct trace_group *groups; /* ngroups of them */
    unsigned ngroups;
    struct trace_names *names;
    unsigned naming; /* grows with every name given */
    bool failed;     /* trace_fail() was called; the first message stays */
    bool quiet;      /* no warnings on stderr */
    char error[512];
};

/* Room for size bytes of payload in the batch, or NULL when it is full. */
void *trace_batch_room(struct trace_batch *batch, size_t size);

/* Index of a type in the trace; declares it when it is new: in open(), or in read() before the batch that has events of
 * it is handed out. The type must live as long as the trace. */
uint16_t trace_type(struct trace *trace, const struct trace_type *type);

/* What readers declare for losses and damage: a count of events, 8 bytes. */
extern const struct trace_type trace_loss_type, trace_damage_type;

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

/* Say that times are ticks, if the clock is not known: 0. */
void trace_note_clock(const struct trace *trace, uint64_t hz);

/* The clock of an input in which a record tells whole ticks per ms, or none does: 0. What the user gave is more exact,
 * if the two agree; what is not used, and that no clock is known, is said. */
uint64_t trace_choose_clock(const struct trace *trace, uint32_t per_ms);

/* An empty trace; input_name stays the caller's. */
void trace_init(struct trace *trace, const char *input_name);

/* Free what the trace allocated; it may be initialised again. */
void trace_free(struct trace *trace);

#endif
