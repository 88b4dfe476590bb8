/* request.h - what one call of the decoder is to do: inputs, output, options. */
#ifndef DECODE_REQUEST_H
#define DECODE_REQUEST_H

#include "io/input.h"
#include "decode/map.h"
#include "model/module.h"
#include "decode/sync.h"

#include <stdbool.h>

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

#endif
