/* command.h - what the command line asks for, and the steps that find it out and do it.
 *
 * main.c calls the steps in the order in which they stand here: options, then arguments, then decode() or cli_answer().
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "tool/decode.h"

#include <stdbool.h>

/* What the program is to do. */
enum cli_action {
    CLI_DECODE,
    CLI_USAGE_ERROR, /* nothing: the command line is wrong, and the user has been told why */
    CLI_HELP,
    CLI_VERSION,
    CLI_LIST_FORMATS,
    CLI_SAVE_EVENTS,
    CLI_WHERE,
    CLI_ANSWER,
};

/* At the beginning request.readers is set, request.ninputs is 1, and all else is zero. Strings are those of argv. Must
 * not be copied, because it points into itself. */
struct cli_command {
    struct decode_request request;     /* inputs[0] is kept free for the first argument that is no option */
    const char *save_events;           /* of --save-events: the ELF file, or NULL */
    const char *where;                 /* of --where: the ELF file, or NULL */
    const struct trace_writer *answer; /* of --stat, --info or --check, or NULL */
    bool json;                         /* --json was given */
    bool show;                         /* --open was given */
    const char *topic;                 /* of --help, or NULL */
    bool is_alone;                     /* there are no arguments at all */
    char **inputs;                     /* of an answer: ninputs of them, instead of the request's */
    unsigned ninputs;
    bool merge;                        /* --merge was given */
    unsigned nelf;                     /* how often --elf was given; the i-th file is at inputs[i].elf of the request */
    struct decode_selection selection; /* of --time, --task ...; if one is given, request.selection points here */
    struct trace_page page;            /* request.page points here */
    struct decode_sync_rule rule;      /* of --sync; if it is given, request.sync points here */
};

/* ---- options.c --------------------------------------------------------------------------------------------------- */

/* Take all options. After that optind, of getopt(), is the index of the first argument that is no option. CLI_DECODE,
 * or what the program is to do instead. */
enum cli_action cli_take_options(struct cli_command *command, int argc, char **argv);

/* Whether --help=NAME is about something. */
bool cli_is_topic(const char *name);

/* Print the options of a topic of --help to standard output. */
void cli_print_options(const char *topic);

/* The name of an option that was given although the writer does not heed it; NULL: there is none. Of several it is the
 * one with the lowest TRACE_OPTION_... bit. */
const char *cli_unheeded_option(const struct trace_options *options, const struct trace_writer *writer);

/* ---- arguments.c ------------------------------------------------------------------------------------------------- */

/* After the options, take the inputs, which begin at argv[optind]. Chooses the output's format if none was given, and
 * refuses what does not fit together. CLI_DECODE, CLI_ANSWER, CLI_WHERE or CLI_SAVE_EVENTS if the command is complete;
 * else CLI_USAGE_ERROR. */
enum cli_action cli_take_arguments(struct cli_command *command, int argc, char **argv);

/* ---- answers.c --------------------------------------------------------------------------------------------------- */

/* Answer --stat, --info or --check about each input, one after the other. DECODE_WHOLE: all inputs are whole.
 * DECODE_NOTHING: none could be decoded, or the answer could not be written. Else DECODE_DAMAGED. */
enum decode_exit cli_answer(const struct cli_command *command);

/* ---- where.c ----------------------------------------------------------------------------------------------------- */

/* Print the commands that take tlog's memory out of a target with that firmware. DECODE_WHOLE, or DECODE_NOTHING after
 * a message. */
enum decode_exit cli_where(const char *elf);

/* ---- for all of them --------------------------------------------------------------------------------------------- */

/* Tell the user by a message what is wrong. Always returns CLI_USAGE_ERROR. */
enum cli_action cli_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Add an input after inputs[0]. guest: its name, or NULL. CLI_DECODE, or CLI_USAGE_ERROR: there are too many. */
enum cli_action cli_add_input(struct cli_command *command, const char *path, const char *guest);

/* What --color says: CLI_COLOUR_AUTO unless it is given. */
enum cli_colour { CLI_COLOUR_AUTO, CLI_COLOUR_ALWAYS, CLI_COLOUR_NEVER };

/* Set it, and whether messages have colours from now on. */
void cli_set_colour(enum cli_colour colour);

/* Whether what is written to fd has colours. A regular file never has; a terminal has unless the user does not want
 * it. */
bool cli_has_colour(int fd);

#endif
