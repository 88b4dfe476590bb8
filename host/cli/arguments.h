/* arguments.h - the inputs, and what options and inputs together must not be. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "cli/command.h"

/* Take the inputs, which begin at argv[optind], once all options are taken; choose the output's format if none was
 * given; and refuse what contradicts itself. CLI_DECODE, CLI_ANSWER or
 * CLI_SAVE_EVENTS: the request is complete; else CLI_USAGE_ERROR. */
enum cli_action cli_take_arguments(struct cli_command *command, int argc, char **argv);

#endif
