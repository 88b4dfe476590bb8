/* file.h - a trace.dat file of version 6 or 7 that is read: all that is known of it but the content of its pages.
 *
 * The words of the format are in tracedat/ids.h. The reader's own:
 *   table   the content of one of the sections 16 to 21, such as the formats of events; version 6 has the same contents
 *           (tables.h)
 *   range   where the pages of a CPU in one buffer lie in the file
 *   block   pages in memory: some that were read at once, or a chunk that was decompressed (walk.h)
 *   walk    goes through the records of a range, page after page (walk.h)
 *   shape   how the bytes of a field are to be understood (format.h)
 *
 * When a file is opened, metadata.c reads all but the pages into struct tracedat_file.
 *
 * From a record to an event: walk.c reads a block and takes the records off its pages. type.c makes a type of the event
 * model of a format, payload.c a payload of a record, clock.c ns of a time. reader.c calls them, and hands the events
 * on.
 */
#ifndef TRACEDAT_READ_FILE_H
#define TRACEDAT_READ_FILE_H

#include "base/cursor.h"
#include "base/sorted_set.h"
#include "io/input.h"
#include "model/trace.h"
#include "formats/tracedat/read/clock.h"
#include "formats/tracedat/read/decompress.h"
#include "formats/tracedat/read/tables.h"

#define TRACEDAT_PAGE_SIZE_MIN 64u
#define TRACEDAT_PAGE_SIZE_MAX (1u << 24)

struct tracedat_type; /* type.h */

/* How many ranges all buffers may have together: those of 512 CPUs in 128 instances. */
#define TRACEDAT_RANGES_MAX 65536u

/* How many CPUs may have pages: so many, and one more for each TRACEDAT_BYTES_PER_CPU bytes of the file. A limit is
 * needed because the decoder reads ahead for each of them. */
#define TRACEDAT_CPUS          1024u
#define TRACEDAT_BYTES_PER_CPU 4096u

struct tracedat_range {
    uint64_t offset, size; /* bytes in the file */
    unsigned cpu;
};

struct tracedat_buffer {
    char name[64];      /* of the instance; empty for the top buffer */
    uint64_t section;   /* offset of its section, or in version 6 of its table of pages */
    uint32_t page_size; /* bytes; a power of two */
    bool compressed;    /* the ranges hold chunks */
    unsigned ncpus;     /* 1 + the highest CPU that the file lists for the buffer, with or without pages */
    unsigned nranges, range_room;
    struct tracedat_range *range; /* nranges of them: one for each CPU that has pages, in order of CPU */
    const char *prefix;           /* what stands in front of its events' systems: "" or the name; set by reader.c */
};

/* A part of the file that holds something known. */
struct tracedat_extent {
    uint64_t from, end;
    const char *what; /* for messages; a literal */
};

struct tracedat_file {
    struct trace *trace;
    struct input *in;
    unsigned version; /* 6 or 7 */
    bool big;         /* numbers are big-endian */
    unsigned long_size;
    uint32_t page_size;
    enum tracedat_compression compression;
    uint64_t options;                     /* version 7: offset of the next section of options; 0: there are no more */
    unsigned cpu_count;                   /* as an option or the head says; 0: not told */
    uint64_t dropped[TRACE_CPUS_COUNTED]; /* by CPU: events that the top buffer dropped and no mark counted yet */
    bool in_instance_stats;               /* the CPUSTAT options that follow are of an instance */
    bool has_text;                        /* there is output of a latency tracer, which is text */
    struct tracedat_clock clock;
    struct tracedat_tables tables;
    char *uname;                        /* of the traced system, or NULL */
    enum trace_priority_order order;    /* as tlog-decode tells, if it wrote the file */
    uint64_t table_at[TRACEDAT_TABLES]; /* version 7: offsets of the sections of the tables, 0 = none */
    struct tracedat_buffer *buffer;     /* the top buffer, unless it is missing, and those of instances, in any order */
    unsigned nbuffers;
    unsigned nranges;                  /* of all buffers */
    unsigned ncpus;                    /* CPUs that have pages, in any buffer */
    bool has_pages[TRACEDAT_CPUS_MAX]; /* by CPU: it has some */
    struct sorted_set extents;         /* of struct tracedat_extent: all that were claimed */
    struct tracedat_budget budget;     /* what is left */
    uint64_t share;                    /* bytes of memory for the decompressed pages of one range */
    struct tracedat_type ***types;     /* of type.c: by buffer and event id */
    struct tracedat_type *unknown;     /* of type.c: for events that have none of their own */
};

/* ---- reading it: metadata.c -------------------------------------------------------------------------------------- */

/* Whether the input begins as a trace.dat file does. */
bool tracedat_recognise(struct input *in);

/* Read all of the file but the pages. *file may hold anything before that. 0, or -1 after trace_fail(). The caller
 * frees the file in any case. */
int tracedat_read_metadata(struct tracedat_file *file, struct trace *trace, struct input *in);

/* ---- what is known of the file: file.c --------------------------------------------------------------------------- */

/* A cursor in the file from an offset up to another one, or to the end of the file if that comes first. */
struct cursor tracedat_file_cursor(const struct tracedat_file *file, uint64_t from, uint64_t end);

/* Remember what lies in a part of the file. In a damaged file parts may overlap, or refer to each other in a circle: if
 * something else lies there already, this returns false after trace_damage(). False after trace_fail(), too. */
bool tracedat_file_claim(struct tracedat_file *file, uint64_t from, uint64_t size, const char *what);

/* Add a buffer without pages. The name is copied, and cut to the room there is. The pointer is valid until the next
 * buffer is added. NULL after trace_fail(). */
struct tracedat_buffer *tracedat_file_add_buffer(struct tracedat_file *file, const char *name);

/* Note where the pages of a CPU are. A place that cannot be, and a second one for the same CPU, is reported with
 * trace_damage() and left out. False after trace_fail(). */
bool tracedat_file_set_range(struct tracedat_file *file, struct tracedat_buffer *buffer, uint64_t cpu, uint64_t offset,
                             uint64_t size);

/* The range of a CPU in a buffer, or NULL if it has no pages there. */
const struct tracedat_range *tracedat_file_range(const struct tracedat_buffer *buffer, unsigned cpu);

/* Take the content of an option; the cursor covers exactly that. Options that tell neither the place nor the time of
 * events are ignored: they describe the recording. Damage is reported with trace_damage(). */
void tracedat_take_option(struct tracedat_file *file, unsigned id, struct cursor *cursor);

/* Free all of the file but its types, which must be freed before: tracedat_types_free(). */
void tracedat_file_free(struct tracedat_file *file);

#endif
