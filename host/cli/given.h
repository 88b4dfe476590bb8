/* given.h - an option of the command line, and how it was given: for the functions that take options. */
#ifndef CLI_GIVEN_H
#define CLI_GIVEN_H

#include "cli/command.h"

#include <string.h>

/* Headings of --help, in its order. */
enum heading { OUTPUT, ANSWERS, DECODING, BOARDS, TRACE_DAT, RECEIVING, MESSAGES, HEADINGS };

/* An option as it was given on the command line. */
struct given {
    const struct option_row *option;
    char *text; /* its argument; NULL: the option takes none */
    struct cli_command *command;
    struct decode_request *request; /* of command */
};

struct option_row {
    const char *name;     /* the long one */
    char letter;          /* the short one, or 0 */
    enum heading heading; /* what --help lists it under */
    const char *argument; /* what --help calls the option's argument; NULL: it takes none */
    /* Do what the option says. CLI_DECODE, or what the program is to do instead. */
    enum cli_action (*take)(const struct given *given);
    unsigned writer_bit; /* of an option that not every writer takes: TRACE_OPTION_..., else 0 */
    const char *wanted;  /* how a message ends that refuses an argument, or NULL: take() refuses none */
    const char *help;    /* lines, with newlines between them */
};

/* Refuse the option's argument. */
static inline enum cli_action refuse(const struct given *given)
{
    return cli_usage_error("--%s=%s: %s", given->option->name, given->text, given->option->wanted);
}

/* The index of the text among words, which end with NULL; -1: it is none of them. */
static inline int find_word(const char *const *words, const char *text)
{
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], text) == 0)
            return i;
    }
    return -1;
}

#endif
