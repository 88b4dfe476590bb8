/* help.h - what the program prints of itself, to standard output. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

/* --help: usage, options, examples, exit status. */
void cli_print_help(void);

/* --list-formats: names, descriptions and suffixes of all formats. */
void cli_list_formats(void);

/* Print the commands that a new user needs, to standard error. */
void cli_print_first_steps(void);

#endif
