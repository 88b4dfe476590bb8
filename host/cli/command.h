/* command.h - what the command line asks for. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "decode/decode.h"

#include <stdbool.h>

/* What the program is to do. */
enum cli_action {
    CLI_DECODE,
    CLI_USAGE_ERROR, /* the user has been told what is wrong */
    CLI_HELP,
    CLI_VERSION,
    CLI_LIST_FORMATS,
    CLI_SAVE_EVENTS,
    CLI_ANSWER,
};

/* At the beginning request.readers is set, request.ninputs is 1, and all else is zero. Strings are those of argv. The
 * struct has pointers into itself, and must not be copied. */
struct cli_command {
    struct decode_request request; /* inputs[0] is kept for the first argument that is no option */
    const char *save_events;       /* the ELF file of which events are to be saved, or NULL; then there is no input */
    const struct trace_writer *answer; /* of --stat, --info or --check; NULL: none was given */
    bool json;                         /* --json was given */
    bool is_alone;                     /* there are no arguments at all */
    char **inputs;                     /* that are answered, ninputs of them; the request has none of them */
    unsigned ninputs;
    bool merge;                        /* --merge was given */
    unsigned nelf;                     /* how often --elf was given; inputs[i].elf is the file of the i-th */
    struct decode_selection selection; /* of --time, --task ...; request.selection points to it if one was given */
    struct decode_sync_rule rule;      /* of --sync; request.sync points to it if that was given */
};

/* Tell the user by a message what is wrong. Always returns CLI_USAGE_ERROR. */
enum cli_action cli_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Add a further input; guest: its name, or NULL. CLI_DECODE, or CLI_USAGE_ERROR: there are too many. */
enum cli_action cli_add_input(struct cli_command *command, const char *path, const char *guest);

#endif
