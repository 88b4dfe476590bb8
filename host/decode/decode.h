/* decode.h - one run of the decoder: input, reader, mapping, writer, output. */
#ifndef DECODE_DECODE_H
#define DECODE_DECODE_H

#include "io/input.h"
#include "decode/map.h"
#include "decode/sync.h"
#include "model/trace.h"

#include <stdarg.h>
#include <stdbool.h>

enum decode_exit {
    DECODE_WHOLE = 0,   /* written, and the input was whole */
    DECODE_NOTHING = 1, /* nothing written */
    DECODE_DAMAGED = 2, /* written, but parts of the input were damaged and skipped */
};

/* A further input. */
struct decode_more {
    const char *path;
    const char *guest; /* its name in a file of its own, or NULL: merged */
    const char *elf;   /* or NULL */
};

#define DECODE_MORE 7u

struct decode_request {
    const char *input;                         /* "-" = standard input, "udp:PORT" = receive */
    struct input_until until;                  /* limits of receiving */
    const char *output;                        /* "-" or NULL = standard output */
    const struct trace_reader *const *readers; /* all there are, up to a NULL */
    const struct trace_reader *reader;         /* or NULL: whoever recognises the input */
    const struct trace_writer *writer;
    enum map_mode map;
    enum trace_functions functions;
    struct trace_options options; /* for the writer, which takes those that are given */
    const char *elf;              /* the firmware's ELF file, or NULL */
    int64_t run;                  /* which run of the firmware: see struct trace */
    uint64_t clock_hz;            /* of the target, for inputs that do not tell it; 0 = not given */
    bool quiet;                   /* errors only */
    bool verbose;                 /* say what was chosen and found */
    bool force;                   /* binary output on a terminal */
    struct decode_more more[DECODE_MORE];
    unsigned nmore;
    const struct sync_rule *sync; /* how clocks of further inputs are tied to that of the first; NULL: they are one */
};

enum decode_exit decode(const struct decode_request *request);

/* A line on standard error, as all of the decoder's messages look. */
void decode_say(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
void decode_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
