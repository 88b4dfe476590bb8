/* module.h - what readers and writers of formats are, and the options that writers take.
 *
 * A reader turns the bytes of a format into events of the types that it declares. A writer turns events into the bytes
 * of a format, and knows nothing of the reader. They never call each other; cli/formats.h lists them all.
 */
#ifndef MODEL_MODULE_H
#define MODEL_MODULE_H

#include "base/text.h"
#include "model/trace.h"

/* ---- options of writers ------------------------------------------------------------------------------------------ */

enum trace_compression { TRACE_COMPRESS_NONE, TRACE_COMPRESS_ZSTD, TRACE_COMPRESS_ZLIB };

/* Options that not every writer takes, a bit each. If the user gave several that a writer does not take, the one with
 * the lowest bit is reported. */
#define TRACE_OPTION_COMPRESS   0x01u
#define TRACE_OPTION_START_TIME 0x02u
#define TRACE_OPTION_RAW_TSC    0x04u
#define TRACE_OPTION_INSTANCES  0x08u
#define TRACE_OPTION_LONG_SIZE  0x10u
#define TRACE_OPTION_ENDIAN     0x20u
#define TRACE_OPTION_PAGE_SIZE  0x40u
#define TRACE_OPTION_VARIANT    0x80u
#define TRACE_OPTION_GUESTS     0x100u
#define TRACE_OPTION_SESSION    0x200u
#define TRACE_OPTION_TIMESCALE  0x400u

/* Another board's trace, in a file of its own, which viewers show together with this one. */
struct trace_guest {
    const char *name;
    uint64_t id; /* of that trace: trace_options.id */
    unsigned ncpus;
};

/* What to add to a time of this trace to get the time of the same moment in another trace; trace-cmd calls it time
 * shift. It is known at n points; between two of them it changes linearly. */
struct trace_time_shift {
    uint64_t peer;          /* id of the other trace */
    size_t n;               /* 1: the offset never changes */
    const uint64_t *times;  /* ns in this trace, n of them */
    const int64_t *offsets; /* ns to add there, n of them */
};

/* The file of --session, which tells a viewer what to show of the output. Both paths are whole. */
struct trace_session {
    int fd;
    char *path, *output;
};

struct input;         /* io/input.h */
struct answer;        /* answer/answer.h */
struct decode_finder; /* decode/find_windows.c */

/* A file that is put into a page. */
struct trace_page_file {
    char *name;          /* in the page */
    struct input *input; /* its bytes; or the directory that it is in */
    char *below;         /* its path in that directory; NULL: it is the input */
    bool own;            /* the input is closed with the page */
};

/* The page that shows a trace, and what is put into it: inputs as they are, and how the user wants them decoded. */
struct trace_page {
    const char *path;                  /* of the page; NULL: there is none */
    struct text_list options, boards;  /* as given: "--task=control"; boards: those for several inputs */
    struct text_list inputs, firmware; /* names of files, or of directories that files are in */
    struct trace_page_file *file;      /* nfiles of them */
    size_t nfiles, room;
};

/* What the user wants of the output. Where a member is 0, the writer chooses. Strings and arrays are the caller's. */
struct trace_options {
    unsigned given; /* TRACE_OPTION_...: the options that the user gave */
    enum trace_compression compression;
    bool raw_tsc;                     /* times are ticks of the target's clock, not ns */
    bool instances;                   /* groups of events stay apart in the file */
    bool big_endian;                  /* byte order of numbers in the file */
    unsigned long_size;               /* bytes of a long on the target: 4 or 8 */
    uint32_t page_size;               /* bytes; a power of two, 4096 to 65536 */
    uint32_t timescale;               /* ns in a unit of the file's time: 1 or 1000 */
    const char *variant;              /* of a format that has several: its name; or NULL */
    int64_t start_time;               /* real time of the first event, if given: ns since 1970, UTC */
    uint64_t id;                      /* of the trace; 0: the writer makes one */
    uint64_t later;                   /* ns to add to all times in the file: it can hold none as early as the first */
    const struct trace_guest *guests; /* nguests traces that are shown together with this one */
    unsigned nguests;
    struct answer *answer;                     /* of a writer whose output is an answer; NULL for others */
    struct decode_finder *finder;              /* of the writer that only looks for events; NULL for others */
    const struct trace_page *page;             /* of a writer that puts inputs into it; NULL for others */
    const struct trace_session *session;       /* of a writer that writes it; NULL for others, or if none is wanted */
    const struct trace_time_shift *time_shift; /* to the clock of a trace shown together with this one, or NULL */
};

/* ---- readers and writers ----------------------------------------------------------------------------------------- */

/* What a reader finds out about an input, in this order: it has another format; it may have this one; it has this one;
 * it has this one, but cannot be decoded. */
enum trace_probe { TRACE_NOT_MINE, TRACE_MAYBE, TRACE_MINE, TRACE_MINE_BROKEN };

struct trace_reader {
    const char *name;        /* as given to --from */
    const char *description; /* one line for --list-formats */
    /* Look whether the input is of this format, without a message. The reader that is surest is taken. */
    enum trace_probe (*probe)(struct input *in);
    /* Index the input; set in *trace what the input tells (ncpus, clock_hz ...), and declare types and names. Returns
     * the reader's state; NULL after trace_fail(). trace and in live as long as the state. */
    void *(*open)(struct trace *trace, struct input *in);
    /* Fill an empty batch with the next events of one CPU (0 .. trace->ncpus - 1). 1; 0 at the end; -1 after
     * trace_fail(). */
    int (*read)(void *reader, unsigned cpu, struct trace_batch *batch);
    /* Free the state. */
    void (*close)(void *reader);
    /* Whether the events of a CPU end where one is not finished yet, if trace.goes_on; NULL: never. */
    bool (*waits)(const void *reader, unsigned cpu);
    bool several; /* a trace may be in several files, which open() finds by input_next() */
};

struct trace_writer {
    const char *name;        /* as given to --format */
    const char *suffix;      /* of output names for which this format is chosen, or NULL */
    const char *description; /* one line for --list-formats */
    bool binary;             /* not fit for a terminal */
    bool merged;             /* wants the batches of all CPUs in the order of time; else one CPU after the other */
    bool seeks;              /* the output must be a regular file */
    bool exact;              /* wants no derived events but those of TLOG_FLAG_TELLS: model/known.h */
    bool left_out;           /* wants events of TLOG_MEANS_LEFT_OUT */
    bool gzips;              /* compresses by gzip, as with TRACE_COMPRESS_ZLIB, if the output's name ends in .gz */
    bool native;             /* wants events as they were logged, whatever mapping the user wants */
    bool pages;              /* puts the inputs into options.page */
    bool sessions;           /* writes the file of --session; for other formats decode/kernelshark.c does */
    bool formats;      /* takes format strings and arguments (ftrace:bprint) if a long has 8 bytes, little-endian */
    uint64_t earliest; /* ns: the file can hold no earlier times, so options.later moves them; 0: it can hold all */
    unsigned takes;    /* options that change what it writes: TRACE_OPTION_... */
    /* For a format that is a directory, else NULL: whether this directory is such a trace, which may be replaced.
     * open() gets the descriptor of an empty directory. */
    bool (*may_replace)(int directory);
    /* Start to write to fd. fd and the options are the caller's, and must stay until close() has returned.
     * Returns the writer's state; NULL after trace_fail(). */
    void *(*open)(struct trace *trace, const struct trace_options *options, int fd);
    /* Append a batch of events of one CPU. 0, or -1 after trace_fail(). */
    int (*write)(void *writer, unsigned cpu, const struct trace_batch *batch);
    /* Write out all that was appended, so that it can be seen while more comes. 0, or -1 after trace_fail(). NULL: the
     * format cannot be read before it is whole. */
    int (*flush)(void *writer);
    /* Finish the file, unless ok is false, and free the state. 0, or -1 after trace_fail(). */
    int (*close)(void *writer, bool ok);
};

#endif
