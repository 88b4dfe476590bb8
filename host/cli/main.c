/* main.c - tlog-decode: main(), which does what the command line asks for. */
#include "cli/answers.h"
#include "cli/arguments.h"
#include "cli/colour.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/formats.h"
#include "cli/options.h"
#include "decode/decode.h"
#include "model/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The Makefile gives the version; this is for builds without it. */
#ifndef TLOG_VERSION
#define TLOG_VERSION "(version unknown)"
#endif

/* Open the standard streams that the program was started without: else a file that it opens would get the number of one
 * of them, and messages would be written into that file. What is opened here cannot be written, so that output to a
 * closed standard output is still an error. */
static void fill_standard_streams(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDONLY);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* Write out what was printed. Returns the exit code: it is an error if the text did not arrive whole. */
static int flush_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return DECODE_WHOLE;
    message_error("standard output: %s", strerror(errno));
    return DECODE_NOTHING;
}

/* Do what the command line asks for. Returns the exit code. */
static int act(const struct cli_command *command, enum cli_action action)
{
    switch (action) {
    case CLI_DECODE:
        return (int)decode(&command->request);
    case CLI_HELP:
        cli_print_help();
        return flush_output();
    case CLI_VERSION:
        puts("tlog-decode " TLOG_VERSION);
        return flush_output();
    case CLI_LIST_FORMATS:
        cli_list_formats();
        return flush_output();
    case CLI_ANSWER:
        return (int)cli_answer(command);
    case CLI_SAVE_EVENTS:
        return (int)decode_save_events(command->save_events, command->request.output, command->request.quiet);
    case CLI_USAGE_ERROR:
        break;
    }
    if (command->is_alone)
        cli_print_first_steps();
    message_line("Try 'tlog-decode --help'.");
    return DECODE_NOTHING;
}

int main(int argc, char **argv)
{
    struct cli_command command = {.request = {.readers = cli_readers, .ninputs = 1}};
    char program[] = "tlog-decode";
    enum cli_action action;
    fill_standard_streams();
    if (argc > 0)
        argv[0] = program; /* getopt's messages begin with it, and thus like all others */
    cli_colour_messages();
    command.is_alone = argc < 2;
    command.request.elf_folders[1] = getenv("TLOG_ELF_PATH");
    action = cli_take_options(&command, argc, argv);
    if (action == CLI_DECODE)
        action = cli_take_arguments(&command, argc, argv);
    return act(&command, action);
}
