/* request.h - what one call of the decoder is to do: inputs, output, options. */
#ifndef DECODE_REQUEST_H
#define DECODE_REQUEST_H

#include "io/input.h"
#include "decode/map.h"
#include "model/module.h"
#include "decode/select_parse.h"
#include "decode/sync.h"

#include <stdbool.h>

#define DECODE_INPUTS_MAX 8u

/* An input, and what belongs to it alone. */
struct decode_input {
    const char *path;  /* "-" = standard input, "udp:PORT" = receive */
    const char *guest; /* name of the file of its own that it is written into, or NULL: it goes into the first one's */
    const char *elf;   /* the firmware's ELF file, or NULL */
};

/* All strings and tables belong to the caller, and live at least until decode() returns. */
struct decode_request {
    struct decode_input inputs[DECODE_INPUTS_MAX]; /* the first is no guest; of the others all are guests, or none */
    unsigned ninputs;                              /* 1 to DECODE_INPUTS_MAX */
    struct input_until until;                      /* limits of receiving */
    const char *output;                            /* "-" or NULL = standard output */
    const struct trace_reader *const *readers;     /* all there are, up to a NULL */
    const struct trace_reader *reader;             /* or NULL: the one that recognises the input */
    const struct trace_writer *writer;
    const char *session;        /* file that becomes a session of KernelShark, or NULL: none */
    const char *elf_folders[2]; /* folders, with colons between them, where firmware is found by its build id; NULL */
    const char *filter;         /* expression of filter.h for the events that are wanted; NULL: all of them */
    const struct decode_selection *selection; /* events that are wanted besides; NULL: all of them */
    enum decode_map_mode map;
    enum trace_functions functions;
    bool typed_text;                        /* see struct trace */
    struct trace_options options;           /* for the writer, which uses those that are given */
    int64_t run;                            /* which run of the firmware: see struct trace */
    uint64_t clock_hz;                      /* of the target, for inputs that do not tell it; 0 = not given */
    uint64_t unpack_most;                   /* bytes that an archive may unpack to; 0 = the reader's choice */
    bool quiet;                             /* errors only */
    bool verbose;                           /* say what was chosen and found */
    const struct trace_damage_sink *damage; /* where damage is told; NULL: on standard error */
    char *error;                            /* where decode() puts why it failed, as trace.error has it; or NULL */
    bool force;                             /* binary output on a terminal */
    const struct decode_sync_rule *sync; /* ties the clocks of further inputs to that of the first; NULL: one clock */
};

/* Whether further inputs are guests, each with an output of its own. */
static inline bool decode_has_guests(const struct decode_request *request)
{
    return request->ninputs > 1 && request->inputs[1].guest != NULL;
}

#endif
