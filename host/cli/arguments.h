/* arguments.h - takes the inputs, and refuses options and inputs that do not fit together. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "cli/command.h"

/* Take the inputs, which begin at argv[optind], after all options are taken; choose the output's format if none was
 * given; and refuse contradictions. Returns CLI_DECODE, CLI_ANSWER or CLI_SAVE_EVENTS if the request is complete; else
 * CLI_USAGE_ERROR. */
enum cli_action cli_take_arguments(struct cli_command *command, int argc, char **argv);

#endif
