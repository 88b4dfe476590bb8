/* help.h - what the program prints of itself, to standard output. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "model/module.h"

/* --help: usage, options, examples, exit status. */
void cli_print_help(void);

/* --list-formats. Both tables end with NULL. */
void cli_list_formats(const struct trace_reader *const *readers, const struct trace_writer *const *writers);

#endif
