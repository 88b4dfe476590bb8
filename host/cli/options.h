/* options.h - the options of the command line. The table in options.c has all there is to say of each. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/command.h"

/* Take all options; optind, of getopt(), is then the index of the first argument that is none. CLI_DECODE, or what the
 * program is to do instead. */
enum cli_action cli_take_options(struct cli_command *command, int argc, char **argv);

/* Print the options' part of --help to standard output. */
void cli_print_options(void);

/* The long name of an option that was given and that the writer does not heed, or NULL. Of several it is the one whose
 * TRACE_OPTION_... has the lowest value. */
const char *cli_unheeded_option(const struct trace_options *options, const struct trace_writer *writer);

#endif
