/* colour.h - --color: whether messages and headings have colours. */
#ifndef CLI_COLOUR_H
#define CLI_COLOUR_H

#include "cli/given.h"

/* The option. */
enum cli_action cli_take_color(const struct given *given);

/* Without the option, until it is taken: what --color=auto means. */
void cli_colour_messages(void);

/* Whether what is written there has colours. A file never has. */
bool cli_has_colour(int fd);

#endif
