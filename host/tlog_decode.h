/* tlog_decode.h - libtlogdecode: dumps of tlog, and the other traces that tlog-decode reads, as events.
 *
 * A decoder reads one input: a file or a directory, bytes that a function of the caller reads, or bytes as they come.
 * There may be any number of decoders, in any threads; a decoder is used by one thread at a time. The library prints
 * nothing, and never ends the program. Decoders own what they give out; it lives as long as they do, unless a comment
 * tells another time. Calls may come from threads only, never from a signal's handler.
 *
 * This program prints the events of a file, each with its fields (cc show.c $(pkg-config --cflags --libs tlogdecode)):
 *
 *   #include <tlog_decode.h>
 *
 *   #include <inttypes.h>
 *   #include <stdio.h>
 *
 *   static void print_field(const struct tlog_decoder *decoder, const struct tlog_event *event,
 *                           const struct tlog_field *field)
 *   {
 *       char name[TLOG_SHOWN_BYTES];
 *       size_t length;
 *       uint64_t number = tlog_event_number(event, field);
 *       const char *text = tlog_event_string(event, field, &length);
 *       if (text != NULL)
 *           printf(" %s=%.*s", field->name, (int)length, text);
 *       else if (tlog_decoder_name(decoder, field->kind, number, name))
 *           printf(" %s=%s", field->name, name);
 *       else
 *           printf(" %s=%" PRId64, field->name, (int64_t)number);
 *   }
 *
 *   int main(int argc, char **argv)
 *   {
 *       const struct tlog_options options = {.elf = argc > 2 ? argv[2] : NULL};
 *       struct tlog_decoder *decoder = tlog_decoder_new(&options, sizeof options);
 *       struct tlog_events events = {.n = 0};
 *       const struct tlog_event *event;
 *       tlog_decoder_open(decoder, argc > 1 ? argv[1] : "dump.bin");
 *       while ((event = tlog_decoder_next(decoder, &events)) != NULL) {
 *           const struct tlog_type *type = events.types[event->type];
 *           printf("%" PRIu64 " ns, CPU %u: %s", event->time, events.cpu, type->name);
 *           for (unsigned i = 0; i < type->nfields; i++)
 *               print_field(decoder, event, &type->fields[i]);
 *           printf("\n");
 *       }
 *       if (tlog_decoder_error(decoder)->text[0] != '\0')
 *           fprintf(stderr, "%s\n", tlog_decoder_error(decoder)->text);
 *       tlog_decoder_free(decoder);
 *   }
 */
#ifndef TLOG_DECODE_H
#define TLOG_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the shared library gives to others; all else in it is hidden. */
#if defined __GNUC__
#define TLOG_API __attribute__((visibility("default")))
#else
#define TLOG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types of events --------------------------------------------------------------------------------------------- */

/* How many kinds of objects an operating system has besides tasks, interrupts and mutexes: object of any kind, queue,
 * queue set ... counter. They have the order of the names from TLOG_NAME_OBJECT on (tlog_wire.h). */
#define TLOG_OBJECTS 18u

/* What a field is, and how it is shown. Numbers are little-endian, whatever the input's are. */
enum tlog_kind {
    TLOG_KIND_UNSIGNED,  /* 1, 2, 4 or 8 bytes */
    TLOG_KIND_SIGNED,    /* 1, 2, 4 or 8 bytes, two's complement */
    TLOG_KIND_HEX,       /* unsigned, shown as 0x... */
    TLOG_KIND_TASK,      /* unsigned, 4 bytes: the pid of a task, shown by its name; 0 is idle */
    TLOG_KIND_TASK_OR_0, /* the same, but 0 is no task: the target does not tell which one */
    TLOG_KIND_INTERRUPT, /* the number of an interrupt, shown by its name */
    TLOG_KIND_MUTEX,     /* the same of a mutex */
    TLOG_KIND_OBJECT,    /* the number or address of an object of the first kind; the other kinds follow */
    TLOG_KIND_TIMER = TLOG_KIND_OBJECT + 4,
    TLOG_KIND_NOTIFICATION = TLOG_KIND_OBJECT + 13, /* a number among those of a task */
    TLOG_KIND_OBJECT_LAST = TLOG_KIND_OBJECT + TLOG_OBJECTS - 1,
    TLOG_KIND_OPTIONAL, /* unsigned; where it is 0 it is not shown, if fields of other kinds come before it */
    TLOG_KIND_CHARS,    /* char[size], a text with its NUL, padded with NULs */
    TLOG_KIND_STRING,   /* 4 bytes: where the text is in the payload. Low 16 bits: offset; high: length with the NUL */
    TLOG_KIND_ADDRESS,  /* 4 or 8 bytes, in the firmware's memory: shown as symbol, symbol+0x... or 0x... */
    TLOG_KIND_BYTES,    /* any number of bytes, shown as hexadecimal digits, the first byte first */
    TLOG_KIND_WORDS,    /* numbers of 4 bytes up to the end of the payload; size 0, the last field */
};

struct tlog_field {
    const char *name;
    enum tlog_kind kind;
    uint16_t offset; /* bytes from the beginning of the payload */
    uint16_t size;   /* bytes */
};

/* What an event means for tasks and interrupts. Where a meaning names fields, these are numbers of any size and sign,
 * and tasks are pids. Events of TLOG_MEANS_LOSS and of the meanings after it come from no event of the input, and no
 * count includes them. */
enum tlog_meaning {
    TLOG_MEANS_PLAIN,     /* nothing */
    TLOG_MEANS_SWITCH,    /* field 0 = task that runs from now on */
    TLOG_MEANS_SWITCH_OF, /* the same; field 1 = task that ran until now, field 2 = not 0 if it is not ready any more */
    TLOG_MEANS_WAKE,      /* field 0 = task that became ready */
    TLOG_MEANS_BLOCK,     /* field 0 = task (0: the running one) that will not be ready when it is switched out */
    TLOG_MEANS_LOCK,      /* the same, because it waits for a lock */
    TLOG_MEANS_UNBLOCK,   /* field 0 = task (0: the running one) that does not wait, after all */
    TLOG_MEANS_IRQ_ENTRY, /* field 0 = interrupt number */
    TLOG_MEANS_IRQ_EXIT,  /* field 0 = interrupt number */
    TLOG_MEANS_IRQ_LEAVE, /* the end of the interrupt that was entered last */
    TLOG_MEANS_RESUME,    /* field 0 = task that runs after an interrupt; 0: not told */
    TLOG_MEANS_RUNNING,   /* field 0 = task that runs already, without a switch; 0: not told */
    TLOG_MEANS_PRIORITY,  /* field 0 = task, field 1 = its priority */
    TLOG_MEANS_PAUSE,     /* logging stops: what comes before the next event was not logged */
    TLOG_MEANS_NO_SWITCHES,   /* switches were not logged before this, or are not from here on */
    TLOG_MEANS_BLOCK_RUNNING, /* as TLOG_MEANS_BLOCK, of the running task; it needs no field */
    TLOG_MEANS_LOCK_RUNNING,  /* as TLOG_MEANS_LOCK, likewise */
    TLOG_MEANS_CREATE,   /* field 0 = a task, mutex or other object, as its kind tells, that did not exist before */
    TLOG_MEANS_END,      /* field 0 = one that does not exist any more; a task runs on until its next switch */
    TLOG_MEANS_LOSS,     /* payload: 8 bytes, count of events the target lost before the next event, 0 = not known */
    TLOG_MEANS_DAMAGE,   /* payload: 8 bytes, count of events the damage before the next event cost, 0 = not known */
    TLOG_MEANS_LEFT_OUT, /* payload: 4 bytes; 0 = the user does not want what comes from here on, 1 = again he does */
    TLOG_MEANS_MARK,     /* marks a place in the trace; nothing happened there */
};

/* What events of one kind have in common. It never changes. */
struct tlog_type {
    const char *system; /* "shark", "sched", ... [A-Za-z0-9_]+ */
    const char *name;   /* [A-Za-z0-9_]+ */
    enum tlog_meaning means;
    uint16_t size; /* bytes of the fixed part of the payload, a multiple of 4 */
    uint16_t nfields;
    const struct tlog_field *fields;
    const char *print; /* libtraceevent print format with its arguments, or NULL: made from the fields */
};

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Flags of an event. */
#define TLOG_FLAG_IN_INTERRUPT 0x01u /* it was logged inside an interrupt */
#define TLOG_FLAG_DERIVED      0x02u /* the mapping added it; only its own count includes it */
#define TLOG_FLAG_UNCHECKED    0x04u /* logged by the fast path of S.Ha.R.K., which does not set the second parameter */
#define TLOG_FLAG_EMERGENCY    0x08u /* it is in an emergency slot of tlog's ring, because no other was free */
#define TLOG_FLAG_TELLS        0x10u /* derived, and tells that what runs is not known, or is again */
#define TLOG_FLAG_IN_THREAD    0x20u /* logged where no handler of the CPU was active */
#define TLOG_FLAG_SIGNAL       0x40u /* its mutex is a signal there (FORMAT.md, section 5.1) */

struct tlog_event {
    uint64_t time;             /* ns, or ticks where the clock's frequency is not known */
    const unsigned char *data; /* payload: valid until the next events are read */
    uint32_t task;             /* pid of the task that logged it */
    uint16_t type;             /* index in tlog_events.types */
    uint16_t size;             /* bytes of payload; a type that the input declares may tell fields beyond it */
    uint16_t rest;             /* with a clock above 1 GHz: ticks since the first one in this ns */
    uint8_t flags;             /* TLOG_FLAG_IN_INTERRUPT ... */
    uint16_t group;            /* the number of its group, from 1; 0 = in none */
    uint16_t context;          /* the exception that it was logged in, as IPSR tells it; 0 = a task, or not told */
};

/* Whether the payload has the whole field. */
static inline bool tlog_event_has(const struct tlog_event *event, const struct tlog_field *field)
{
    return field->offset <= event->size && field->size <= event->size - field->offset;
}

/* A field's number, with its sign extended if it has one; 0 if the payload does not have the whole field. */
TLOG_API uint64_t tlog_event_number(const struct tlog_event *event, const struct tlog_field *field);

/* The text of a TLOG_KIND_STRING or TLOG_KIND_CHARS, in the payload, and its length up to a NUL. NULL: the field is of
 * another kind, or the payload does not have all of it. */
TLOG_API const char *tlog_event_string(const struct tlog_event *event, const struct tlog_field *field, size_t *length);

/* The type's field of that name; NULL: it has none. */
TLOG_API const struct tlog_field *tlog_field_named(const struct tlog_type *type, const char *name);

/* Events of one CPU that follow each other, in the order of time. All zero before the first call. */
struct tlog_events {
    const struct tlog_event *event; /* n of them: valid until the decoder's next events are read */
    size_t n;
    size_t next; /* how many of them tlog_decoder_next() has given out */
    unsigned cpu;
    const struct tlog_type *const *types; /* of all events, by tlog_event.type */
};

/* ---- what a decoder tells ---------------------------------------------------------------------------------------- */

enum tlog_told {
    TLOG_TOLD_NOTE,    /* what the decoder did, or left out */
    TLOG_TOLD_WARNING, /* what may be wrong with the input */
    TLOG_TOLD_DAMAGE,  /* a part of the input that could not be decoded */
};

/* The last four are of damage only: length bytes of the input at an offset, in which `events` were lost (0 = not
 * known), are skipped; it is part number `number` of those that are damaged, from 1. */
struct tlog_message {
    enum tlog_told told;
    const char *input; /* its name, or NULL: the message is about something else */
    const char *text;  /* may have control characters, from names in the input */
    uint64_t offset, length, events, number;
};

/* Who is told: called by the thread that calls the decoder. Either function may be NULL. */
struct tlog_sink {
    void (*tell)(void *ctx, const struct tlog_message *message);
    /* So many more bytes of the input, or events, were read. An input may be read several times. */
    void (*progress)(void *ctx, uint64_t bytes, uint64_t events);
    void *ctx;
};

/* The first error: all calls fail from then on. offset: where in the input it is, if has_offset is true. */
struct tlog_error {
    const char *text; /* names the input; "" = there was none */
    uint64_t offset;
    bool has_offset;
};

/* ---- decoders ---------------------------------------------------------------------------------------------------- */

enum tlog_map_mode {
    TLOG_MAP_FULL,   /* events that Linux has too become Linux's; more are derived, to show interrupts as tasks */
    TLOG_MAP_EXACT,  /* the same without derived events: one event out for each one in */
    TLOG_MAP_NATIVE, /* every event keeps its own name */
};

/* All zero: what tlog-decode does without options. The decoder copies the struct and its texts. */
struct tlog_options {
    const char *from;        /* the input's format, as tlog-decode --list-formats names it; NULL = it is recognised */
    const char *elf;         /* path of the firmware's ELF file, or NULL */
    const char *elf_folders; /* folders to look for it by its build id, with colons between; or NULL */
    const char *filter;      /* only events for which this expression holds: see tlog-decode --filter; NULL = all */
    enum tlog_map_mode map;
    bool by_cpu; /* events will be read by tlog_decoder_read_cpu() */
    /* Do not read the input ahead for numbers of tasks that were given again. It saves half of the time; but the first
     * task that had such a number gets the name of the last one. */
    bool read_once;
    bool has_base;
    uint64_t base;        /* if has_base: the address on the target of the input's first byte */
    int64_t run;          /* which run of the firmware: 0 = the newest, -1 = the one before it ..., or its number */
    uint64_t clock_hz;    /* of the target, for inputs that do not tell it; 0 = not given */
    uint64_t memory_most; /* bytes that the decoder may take from malloc(), besides what zlib, zstd, libarchive and
                           * libdw take; 0 = as many as it needs. If they are too few, the error names how many
                           * would do: once the input is open, also for all of its CPUs */
    uint64_t spool_most;  /* bytes of a temporary file, for bytes as they come and what is unpacked; 0 = 4 GiB */
    struct tlog_sink sink;
};

struct tlog_decoder;

/* Make a decoder. options: size bytes of them, which is the size of the struct; NULL = all zero. NULL: there is no
 * memory; for all calls below that is a decoder that has failed. */
TLOG_API struct tlog_decoder *tlog_decoder_new(const struct tlog_options *options, size_t size);

/* Free it, and what it gave out. */
TLOG_API void tlog_decoder_free(struct tlog_decoder *decoder);

/* The bytes of an input that a function reads. read() copies n bytes from an offset on, which the input has, and
 * returns how many it copied: fewer mean that reading failed. It and ctx must be good as long as the decoder. */
struct tlog_bytes {
    const char *name; /* for messages; the decoder copies it */
    uint64_t size;
    size_t (*read)(void *ctx, uint64_t offset, void *to, size_t n);
    void *ctx;
};

/* Open an input: a file or directory; or bytes that are there. 0, or -1: see tlog_decoder_error(). */
TLOG_API int tlog_decoder_open(struct tlog_decoder *decoder, const char *path);
TLOG_API int tlog_decoder_open_bytes(struct tlog_decoder *decoder, const struct tlog_bytes *bytes);

/* Take the next n bytes of an input that comes piece by piece; a temporary file keeps them. Then say that there are no
 * more: not before is the order of events certain, whatever the format. 0, or -1. */
TLOG_API int tlog_decoder_push(struct tlog_decoder *decoder, const void *bytes, size_t n);
TLOG_API int tlog_decoder_finish(struct tlog_decoder *decoder);

enum tlog_result {
    TLOG_FAILED = -1, /* see tlog_decoder_error() */
    TLOG_END = 0,     /* there are no more events */
    TLOG_EVENTS = 1,  /* at least one */
    TLOG_MORE = 2,    /* more bytes must come before events do */
};

/* Read the next events of all CPUs, in the order of time; or, if options.by_cpu is set, of one CPU (0 to info.cpus -
 * 1), each CPU to its end before the next. */
TLOG_API enum tlog_result tlog_decoder_read(struct tlog_decoder *decoder, struct tlog_events *events);
TLOG_API enum tlog_result tlog_decoder_read_cpu(struct tlog_decoder *decoder, unsigned cpu, struct tlog_events *events);

/* The next event by tlog_decoder_read(), or NULL: there are no more, or an error, or no more bytes yet. */
static inline const struct tlog_event *tlog_decoder_next(struct tlog_decoder *decoder, struct tlog_events *events)
{
    if (events->next == events->n && tlog_decoder_read(decoder, events) != TLOG_EVENTS)
        return NULL;
    return &events->event[events->next++];
}

TLOG_API const struct tlog_error *tlog_decoder_error(const struct tlog_decoder *decoder);

/* What is known of an open input, and has been counted so far. Counts are of events, unless they say otherwise. */
struct tlog_info {
    const char *format; /* as --list-formats names it; NULL: no input is open */
    const char *target; /* what the firmware runs on, or NULL */
    unsigned cpus;
    bool other_firmware;  /* options.elf is another firmware's: names may be wrong */
    uint64_t clock_hz;    /* of the target; 0 = not known: times are ticks */
    uint64_t start_ns;    /* real time of the clock's 0, in ns since 1970, which all times include; 0 = not known */
    uint64_t events;      /* of the input that were given out */
    uint64_t derived;     /* added to them */
    uint64_t dropped;     /* lost on the target: there was no room for them */
    uint64_t overwritten; /* lost on the target: later ones took their room */
    uint64_t unfinished;  /* the target was still logging them */
    uint64_t left_out;    /* those that the filter left out */
    uint64_t damaged;     /* could not be decoded, as far as their number is known */
    uint64_t gaps;        /* damaged parts of the input, not events */
    uint64_t first, last; /* times of the first and the last event of the input */
};

/* Fill in size bytes of *info: sizeof *info. */
TLOG_API void tlog_decoder_info(const struct tlog_decoder *decoder, struct tlog_info *info, size_t size);

#define TLOG_SHOWN_BYTES 128u /* of the longest name, with its NUL */

/* Copy what a number is shown as: the name of a task, an interrupt, a mutex or another object, or the symbol that an
 * address lies in. False: it has no name, or numbers of that kind have none. */
TLOG_API bool tlog_decoder_name(const struct tlog_decoder *decoder, enum tlog_kind kind, uint64_t number,
                                char name[TLOG_SHOWN_BYTES]);

/* The library's version, such as "1.2.3". */
TLOG_API const char *tlog_decode_version(void);

#ifdef __cplusplus
}
#endif

#endif
