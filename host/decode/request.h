/* request.h - what one call of decode() is to do: inputs, outputs, options.
 *
 * Some options have an argument with a grammar of its own. --sync and those that select events are parsed here; the
 * expression of --filter is parsed by filter.h.
 */
#ifndef DECODE_REQUEST_H
#define DECODE_REQUEST_H

#include "io/input.h"
#include "model/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DECODE_INPUTS_MAX 8u

/* ---- events that are wanted -------------------------------------------------------------------------------------- */

/* The options that select events. An event must satisfy every option that is given. Of the patterns in one option's
 * list, it need satisfy only one.
 *
 *   time     A..B, where each is a time in seconds with up to nine decimals, or an event pattern; either may be missing
 *   task     numbers, and patterns of names, with * ? [] as in the shell; and both together, NAME:NUMBER
 *   cpu      numbers, and ranges such as 0-3
 *   event    event patterns: [SYSTEM:]EVENT
 *   irq      numbers, and patterns of names
 *   around   an event pattern and a time before and after its events: EVENT:50ms, or EVENT:BEFORE,AFTER */
enum select_kind { SELECT_TIME, SELECT_TASK, SELECT_CPU, SELECT_EVENT, SELECT_IRQ, SELECT_AROUND, SELECT_KINDS };
enum { SELECT_PATTERNS = 64, SELECT_ROOM = 8192 };

struct select_pattern {
    const char *text;          /* as the user gave it, for messages */
    const char *system, *name; /* patterns; system: NULL for any */
    bool is_number;            /* a number was given instead of a name: */
    uint32_t number, last;     /* that number; of SELECT_CPU the range from number to last */
    const char *stem;          /* of SELECT_TASK: the name ahead of :NUMBER, which number is; NULL: it has no number */
    uint64_t ahead, behind;    /* of SELECT_AROUND: ns before and after an event */
};

/* The beginning or the end of --time. */
struct select_edge {
    bool is_given, is_event; /* is_event: it is the time of an event like `event`, not that of seconds and ns */
    struct select_pattern event;
    uint64_t seconds;
    uint32_t ns;
};

/* What all these options ask for together. All zero: every event is wanted. Must not be copied, because it points into
 * itself. */
struct decode_selection {
    struct select_edge from, to;
    struct {
        unsigned n;
        struct select_pattern pattern[SELECT_PATTERNS];
    } list[SELECT_KINDS]; /* of SELECT_TIME, n is 1 if it is given, and the pattern has only its text */
    size_t used;
    char room[SELECT_ROOM]; /* the texts of patterns; `used` bytes are taken */
};

/* The options' names without --, by kind. */
extern const char *const decode_select_names[SELECT_KINDS];

/* Parse an option's argument and add it to the selection. Returns NULL, or why it is wrong; the selection is of no use
 * then. */
const char *decode_select_parse(struct decode_selection *selection, enum select_kind kind, const char *text);

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

#define DECODE_SYNC_DRIFT_MAX 0.05 /* ns per ns; no two clocks differ by more */

/* How a time of one clock becomes a time of another: offset + drift * (time - from) is added to it. With all members
 * zero nothing is added. */
struct decode_clock_line {
    int64_t offset; /* ns */
    double drift;   /* ns per ns */
    uint64_t from;  /* ns */
};

/* What --sync asks for: either a fixed line, or a line found from marks. Marks are events of one type that several
 * boards log with equal numbers at (nearly) the same moment. */
struct decode_sync_rule {
    bool fixed;
    struct decode_clock_line line; /* if fixed */
    char system[32];               /* if not fixed: system of the marks' type, "" = any */
    char name[64];                 /* its name; "" = there are no marks, and nothing is added to times */
    char field[32];                /* its field with the number; "" = the last field that is a number */
};

/* Parse the argument of --sync: "EVENT", "EVENT:FIELD", "SYSTEM:EVENT:FIELD", or "+SECONDS" or "-SECONDS", which ",PPM"
 * may follow. False: the text is none of these. */
bool decode_sync_parse(struct decode_sync_rule *rule, const char *text);

/* ---- the request ------------------------------------------------------------------------------------------------- */

/* An input, and what belongs to it alone. */
struct decode_input {
    const char *path;  /* "-" = standard input, "udp:PORT" = receive */
    char *const *more; /* nmore paths of further files of the same trace: see run_files.h */
    unsigned nmore;
    const char *guest; /* it is written to a file of its own, which gets this name; NULL = to the first input's file */
    const char *elf;   /* the firmware's ELF file, or NULL */
    const struct tlog_bytes *bytes; /* what the input has, so that path is only its name; or NULL */
};

/* How a board is followed (tool/follow.h). */
struct decode_follow {
    bool on;
    uint32_t poll_ms;      /* from one poll to the next; 0: 50 */
    uint32_t duration_ms;  /* of all; 0: until it is interrupted */
    const char *until;     /* it stops at an event for which this expression (filter.h) holds; NULL: at none */
    uint32_t after_ms;     /* then so long goes on */
    uint32_t every_ms;     /* from one writing of the output to the next; 0: it is written at the end */
    uint32_t rotate_ms;    /* a file is over when it is so old, */
    uint64_t rotate_bytes; /* or has so many bytes; both 0: there is one */
    uint32_t keep;         /* so many files stay; 0: all */
};

static inline bool decode_follow_rotates(const struct decode_follow *follow)
{
    return follow->rotate_ms > 0 || follow->rotate_bytes > 0;
}

/* Strings and tables stay the caller's, and must live until decode() returns. */
struct decode_request {
    struct decode_input inputs[DECODE_INPUTS_MAX]; /* the first is no guest; all others are guests, or none is */
    unsigned ninputs;                              /* 1 to DECODE_INPUTS_MAX */
    /* input_open(); unused where the source has an input when it is prepared. */
    struct input *(*open)(struct trace *trace, const char *path, const struct input_until *until);
    struct input_until until;                  /* when to stop receiving */
    struct decode_follow follow;               /* the one input is followed */
    const char *output;                        /* "-" or NULL = standard output */
    const struct trace_reader *const *readers; /* all there are, up to a NULL */
    const struct trace_reader *reader;         /* NULL = the one that recognises the input */
    const struct trace_writer *writer;
    struct trace_page *page;    /* for a writer that puts the inputs into it; else unused */
    const char *session;        /* where to write a session file for the viewer, or NULL */
    const char *elf_folders[2]; /* where to look for firmware by its build id: lists with colons between, or NULL */
    const char *filter;         /* only events for which this expression (filter.h) holds; NULL = all */
    const struct decode_selection *selection; /* only the events that these options ask for; NULL = all */
    enum tlog_map_mode map;
    enum trace_functions functions;
    bool typed_text;                     /* see struct trace */
    struct trace_options options;        /* for the writer */
    int64_t run;                         /* which run of the firmware: see struct trace */
    bool has_base;                       /* the one input's first byte was on the target at the address */
    uint64_t base;                       /* base */
    uint64_t clock_hz;                   /* of the target, for inputs that do not tell it; 0 = not given */
    uint64_t unpack_most;                /* bytes that an archive may unpack to; 0 = the reader's choice */
    uint64_t spool_most;                 /* bytes of an input that is no file at most; 0 = the input's choice */
    bool quiet;                          /* errors only */
    bool verbose;                        /* tell what was chosen and found */
    const struct tlog_sink *sink;        /* who is told of notes and damage; NULL = nobody */
    char *error;                         /* room for the reason of a failure, as large as trace.error; or NULL */
    bool force;                          /* write a binary format to a terminal, too */
    const struct decode_sync_rule *sync; /* ties clocks of further inputs to that of the first; NULL = one clock */
};

/* Whether the further inputs are guests, each with an output of its own. */
static inline bool decode_has_guests(const struct decode_request *request)
{
    return request->ninputs > 1 && request->inputs[1].guest != NULL;
}

#endif
