/* take_select.h - takes the options that say which events are wanted (decode/select_parse.h). */
#ifndef CLI_TAKE_SELECT_H
#define CLI_TAKE_SELECT_H

#include "cli/given.h"

enum cli_action cli_take_time(const struct given *given);
enum cli_action cli_take_around(const struct given *given);
enum cli_action cli_take_task(const struct given *given);
enum cli_action cli_take_cpu(const struct given *given);
enum cli_action cli_take_event(const struct given *given);
enum cli_action cli_take_irq(const struct given *given);

#endif
