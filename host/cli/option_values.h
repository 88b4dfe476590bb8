/* option_values.h - an option as it was given, and the options that option_values.c takes for options.c: those of
 * several boards and of receiving, those that select events, and those of trace.dat files. With them options.c would be
 * too long.
 */
#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include "cli/command.h"

#include <string.h>

/* Headings of --help, in their order. */
enum heading { OUTPUT, ANSWERS, DECODING, CHOOSING, BOARDS, TRACE_DAT, RECEIVING, MESSAGES, HEADINGS };

/* An option as it was given on the command line. */
struct given {
    const struct option_row *option;
    char *text; /* its value; NULL: the option takes none */
    struct cli_command *command;
    struct decode_request *request; /* of command */
};

/* All that there is to say of an option. */
struct option_row {
    const char *name;     /* the long one */
    char letter;          /* the short one, or 0 */
    enum heading heading; /* of --help */
    const char *value;    /* what --help calls its value, in [] if that may be missing; NULL: it takes none */
    /* Do what the option says. CLI_DECODE, or what the program is to do instead. */
    enum cli_action (*take)(const struct given *given);
    unsigned writer_bit; /* TRACE_OPTION_..., if not every writer takes it; else 0 */
    const char *wanted;  /* end of the message that refuses a value; NULL: take() refuses none, or says more itself */
    const char *help;    /* lines, with newlines between them */
};

/* Refuse the option's value. */
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

/* What refuses a value of --duration, --after and --every. */
#define NOT_SECONDS "not a number of seconds, 0.001 to 4000000"

/* Options of several boards and of receiving. */
enum cli_action cli_take_merge(const struct given *given);
enum cli_action cli_take_guest(const struct given *given);
enum cli_action cli_take_sync(const struct given *given);
enum cli_action cli_take_idle(const struct given *given);
enum cli_action cli_take_wait(const struct given *given);
enum cli_action cli_take_count(const struct given *given);
enum cli_action cli_take_follow(const struct given *given);
enum cli_action cli_take_poll(const struct given *given);
enum cli_action cli_take_duration(const struct given *given);
enum cli_action cli_take_until(const struct given *given);
enum cli_action cli_take_after(const struct given *given);
enum cli_action cli_take_every(const struct given *given);
enum cli_action cli_take_rotate(const struct given *given);
enum cli_action cli_take_keep(const struct given *given);

/* Options that select events (decode/request.h). */
enum cli_action cli_take_filter(const struct given *given);
enum cli_action cli_take_time(const struct given *given);
enum cli_action cli_take_around(const struct given *given);
enum cli_action cli_take_task(const struct given *given);
enum cli_action cli_take_cpu(const struct given *given);
enum cli_action cli_take_event(const struct given *given);
enum cli_action cli_take_irq(const struct given *given);

/* Options of trace.dat files. A writer may not heed them all: see cli_unheeded_option(). */
enum cli_action cli_take_compress(const struct given *given);
enum cli_action cli_take_start_time(const struct given *given);
enum cli_action cli_take_raw_tsc(const struct given *given);
enum cli_action cli_take_instances(const struct given *given);
enum cli_action cli_take_where(const struct given *given);
enum cli_action cli_take_save_events(const struct given *given);
enum cli_action cli_take_session(const struct given *given);
enum cli_action cli_take_open(const struct given *given);
enum cli_action cli_take_endian(const struct given *given);
enum cli_action cli_take_long_size(const struct given *given);
enum cli_action cli_take_page_size(const struct given *given);

/* Keep an option that chooses how inputs are decoded, so that a page with the trace does the same. CLI_DECODE, or
 * CLI_USAGE_ERROR: no memory. */
enum cli_action cli_keep_for_page(const struct given *given);

/* Parse a moment of real time, from 1970 to 2199. It is either ISO 8601: YYYY-MM-DD, T or a blank, hh:mm, perhaps :ss
 * and a fraction, then Z, +hh:mm, -hh:mm, or nothing for local time. Or it is @SECONDS since 1970, perhaps with a
 * fraction. Digits of a fraction after the ninth have no effect. *ns becomes ns since 1970, UTC. False: the text is no
 * such moment; *ns stays. */
bool cli_start_time(const char *text, int64_t *ns);

#endif
