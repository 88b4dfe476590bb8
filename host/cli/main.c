/* main.c - tlog-decode: main(), which does what the command line asks for; and what the program prints of itself. */
#include "cli/command.h"
#include "cli/formats.h"
#include "tool/decode.h"
#include "tool/message.h"
#include "tool/page.h"
#include "tool/show.h"
#include "base/heap.h"
#include "os/os_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The Makefile gives the version and the parts of this build; this is for builds without it. */
#ifndef TLOG_VERSION
#define TLOG_VERSION "(version unknown)"
#endif
#ifndef TLOG_WITH
#define TLOG_WITH    "(parts unknown)"
#define TLOG_WITHOUT ""
#endif

/* ---- help -------------------------------------------------------------------------------------------------------- */

static const char purpose[] =
    "Turn a dump of tlog events (\"-\" = standard input) into a file that trace viewers open.\n"
    "\n";

/* --help */
static const char usual[] =
    "  tlog-decode --elf=firmware.elf dump.bin                     events as text\n"
    "  tlog-decode --elf=firmware.elf dump.bin -o trace.pftrace    for ui.perfetto.dev\n"
    "  tlog-decode --elf=firmware.elf dump.bin -o trace.dat        for KernelShark and trace-cmd\n"
    "  tlog-decode --elf=firmware.elf --stat dump.bin              load, tasks, interrupts, mutexes\n"
    "\n"
    "Options:\n"
    "  --help=output      files, formats, and what a trace.dat is like\n"
    "  --help=answers     figures, contents or damage of a dump instead of its events\n"
    "  --help=decoding    where names come from, and how events are shown\n"
    "  --help=choosing    only some times, tasks, CPUs, events\n"
    "  --help=boards      several dumps on one timeline; dumps that come by UDP\n"
    "  --help=all         all of these, and examples\n"
    "  --list-formats     what can be read and written\n"
    "  --version          the version\n"
    "man tlog-decode explains all of it.\n"
    "\n";

/* --help=all */
static const char usage[] = "Usage: tlog-decode [OPTION]... DUMP\n"
                            "       tlog-decode [OPTION]... --merge DUMP DUMP...\n"
                            "       tlog-decode --stat|--info|--check [OPTION]... DUMP...\n"
                            "       tlog-decode --save-events=ELF [-o FILE]\n"
                            "       tlog-decode --where=ELF\n";

/* The manual page has the same examples; tests/system/cli.sh checks that. */
static const char examples[] =
    "\n"
    "Examples:\n"
    "  tlog-decode dump.bin -o trace.dat                          for KernelShark and trace-cmd report\n"
    "  tlog-decode dump.bin | grep -A1 DROPPED                    what came after each loss\n"
    "  tlog-decode --map=native dump.bin -o events.txt            events as the firmware named them\n"
    "  nc -l 5555 | tlog-decode - -o trace.dat                    what a board sends over TCP\n"
    "  tlog-decode dump.bin --guest=b:b.bin --sync=user_event_0 -o trace.dat   two boards on one timeline\n"
    "  tlog-decode -q dump.bin --format=trace.dat -o - | gzip > trace.dat.gz\n"
    "\n";

static const char status[] =
    "Exit status: 0 written, input whole; 1 nothing written; 2 written, but input was damaged,\n"
    "or is of another firmware.\n";

/* What a new user needs, when the program is started without arguments. To standard error, as nothing is done. */
static void print_first_steps(void)
{
    message_line("tlog-decode turns a dump of tlog events into a file that trace viewers open:\n"
                 "  tlog-decode dump.bin                     as text\n"
                 "  tlog-decode dump.bin -o trace.dat        for KernelShark and trace-cmd report\n"
                 "  tlog-decode dump.bin -o trace.pftrace    for ui.perfetto.dev");
}

static void print_help(const char *topic)
{
    if (topic == NULL) {
        printf("Usage: tlog-decode [OPTION]... DUMP\n%s%s%s", purpose, usual, status);
    } else if (strcmp(topic, "all") == 0) {
        printf("%s%s", usage, purpose);
        cli_print_options(topic);
        printf("%s%s", examples, status);
    } else {
        cli_print_options(topic);
    }
}

static void list_formats(void)
{
    printf("Input formats (--from):\n");
    for (size_t i = 0; library_readers[i] != NULL; i++)
        printf("  %-14s %s\n", library_readers[i]->name, library_readers[i]->description);
    printf("Output formats (--format):\n");
    for (size_t i = 0; cli_writers[i] != NULL; i++) {
        const char *suffix = cli_writers[i]->suffix;
        printf("  %-14s %s%s%s\n", cli_writers[i]->name, cli_writers[i]->description, suffix != NULL ? "; suffix " : "",
               suffix != NULL ? suffix : "");
    }
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

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
    enum decode_exit code;
    switch (action) {
    case CLI_DECODE:
        code = command->request.follow.on ? decode_follow(&command->request) : decode(&command->request);
        if (command->show && code != DECODE_NOTHING)
            decode_show(&command->request);
        return (int)code;
    case CLI_HELP:
        print_help(command->topic);
        return flush_output();
    case CLI_VERSION:
        puts("tlog-decode " TLOG_VERSION);
        if (sizeof TLOG_WITH > 1)
            puts("with: " TLOG_WITH);
        if (sizeof TLOG_WITHOUT > 1)
            puts("without: " TLOG_WITHOUT);
        return flush_output();
    case CLI_LIST_FORMATS:
        list_formats();
        return flush_output();
    case CLI_ANSWER:
        return (int)cli_answer(command);
    case CLI_WHERE:
        code = cli_where(command->where);
        return code == DECODE_WHOLE ? flush_output() : (int)code;
    case CLI_SAVE_EVENTS:
        return (int)decode_save_events(command->save_events, command->request.output, command->request.quiet);
    case CLI_USAGE_ERROR:
        break;
    }
    if (command->is_alone)
        print_first_steps();
    message_line("Try 'tlog-decode --help'.");
    return DECODE_NOTHING;
}

/* Where the page is that html puts a trace into: where TLOG_PAGE says; below share/, if the program is installed; or
 * below the folder that it was built in. NULL: nowhere. The caller frees it. */
static char *find_page(const char *called)
{
    static const char *const places[] = {"../share/tlog/page.html", "page/page.html"};
    const char *told = getenv("TLOG_PAGE");
    char *program = told == NULL ? os_program(called) : NULL, *found = told != NULL ? text_copy(told) : NULL;
    const char *slash = program != NULL ? strrchr(program, '/') : NULL;
    for (size_t i = 0; slash != NULL && found == NULL && i < sizeof places / sizeof places[0]; i++) {
        struct growing_text path = {0};
        text_add(&path, "%.*s/%s", (int)(slash - program), program, places[i]);
        found = path.bytes;
        if (found != NULL && !os_is_file(found)) {
            heap_free(found);
            found = NULL;
        }
    }
    heap_free(program);
    return found;
}

int main(int argc, char **argv)
{
    struct cli_command command = {
        .request = {.readers = library_readers, .ninputs = 1, .open = input_open, .sink = &message_sink}};
    enum cli_action action;
    char *page;
    int code;
    os_begin();
    cli_set_colour(CLI_COLOUR_AUTO);
    command.is_alone = argc < 2;
    command.request.elf_folders[1] = getenv("TLOG_ELF_PATH");
    action = cli_take_options(&command, argc, argv);
    if (action == CLI_DECODE)
        action = cli_take_arguments(&command, argc, argv);
    command.page.path = page = find_page(argv[0]);
    command.request.page = &command.page;
    code = act(&command, action);
    decode_page_free(&command.page);
    heap_free(page);
    return code;
}
