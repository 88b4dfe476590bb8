/* module.h - what a reader and a writer of a format are, and the options a writer heeds.
 *
 * A reader turns a format's bytes into events of the types it declares; a writer turns events into a file and learns
 * nothing of the reader. Modules never name each other: cli/modules.h has the table of all.
 */
#ifndef MODEL_MODULE_H
#define MODEL_MODULE_H

#include "model/trace.h"

/* ---- options of writers --------------------------------------------------------------------------------------- */

enum trace_compression { TRACE_COMPRESS_NONE, TRACE_COMPRESS_ZSTD, TRACE_COMPRESS_ZLIB };

/* Bits for options that not every writer takes. */
#define TRACE_OPTION_COMPRESS   0x01u
#define TRACE_OPTION_START_TIME 0x02u
#define TRACE_OPTION_RAW_TSC    0x04u
#define TRACE_OPTION_INSTANCES  0x08u
#define TRACE_OPTION_LONG_SIZE  0x10u
#define TRACE_OPTION_ENDIAN     0x20u
#define TRACE_OPTION_PAGE_SIZE  0x40u
#define TRACE_OPTION_VARIANT    0x80u
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
    bool raw_tsc;        /* events carry ticks of the target's clock */
    bool instances;      /* groups of events are apart in the file, too */
    bool big_endian;     /* byte order of numbers in the file */
    unsigned long_size;  /* bytes of a long on the target: 4 or 8 */
    uint32_t page_size;  /* bytes; a power of two, 4096 to 65536 */
    const char *variant; /* of a format that has several, in the words of its writer, or NULL */
    int64_t start_time;  /* of the first event in real time: ns since 1970, UTC; given tells whether it is known */
    uint64_t id;         /* of the trace, or 0: the writer makes one */
    const struct trace_guest *guests; /* nguests of them: traces that are shown together with this one */
    unsigned nguests;
    const struct trace_shift *shift; /* from the clock of a trace that it is shown with to this one's, or NULL */
};

/* ---- readers and writers --------------------------------------------------------------------------------------- */

struct input; /* io/input.h */

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
    /* Start writing to fd, which the caller owns, like the options. NULL after trace_fail(). */
    void *(*open)(struct trace *trace, const struct trace_options *options, int fd);
    /* Append the events of one CPU. 0, or -1 after trace_fail(). */
    int (*write)(void *writer, unsigned cpu, const struct trace_batch *batch);
    /* Finish the file and free the writer. 0, or -1 after trace_fail(). With ok false only free. */
    int (*close)(void *writer, bool ok);
};

#endif
