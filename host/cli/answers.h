/* answers.h - runs --stat, --info and --check. */
#ifndef CLI_ANSWERS_H
#define CLI_ANSWERS_H

#include "cli/command.h"

/* Answer what the command asks about each of its inputs, one after the other. DECODE_WHOLE: all were whole;
 * DECODE_NOTHING: none could be decoded, or the answer could not be written; else DECODE_DAMAGED. */
enum decode_exit cli_answer(const struct cli_command *command);

#endif
