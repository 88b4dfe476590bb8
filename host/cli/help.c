/* help.c - see help.h. */
#include "cli/help.h"

#include "cli/formats.h"
#include "cli/options.h"
#include "model/message.h"

#include <stdio.h>

static const char usage[] = "Usage: tlog-decode [OPTION]... DUMP\n"
                            "       tlog-decode [OPTION]... --merge DUMP DUMP...\n"
                            "       tlog-decode --stat|--info|--check [OPTION]... DUMP...\n"
                            "       tlog-decode --save-events=ELF [-o FILE]\n"
                            "Turn a dump of tlog events (\"-\" = standard input) into a file that trace viewers open.\n"
                            "\n";

/* The examples are in the manual page, too: tests/system/cli.sh compares them. */
static const char examples[] =
    "\n"
    "Examples:\n"
    "  tlog-decode dump.bin -o trace.dat                          for KernelShark and trace-cmd report\n"
    "  tlog-decode dump.bin | grep -A1 DROPPED                    what came after each loss\n"
    "  tlog-decode --map=native dump.bin -o events.txt            events as the firmware named them\n"
    "  nc -l 5555 | tlog-decode - -o trace.dat                    what a board sends over TCP\n"
    "  tlog-decode dump.bin --guest=b:b.bin --sync=user_event_0 -o trace.dat   two boards on one timeline\n"
    "  tlog-decode -q dump.bin --format=trace.dat -o - | gzip > trace.dat.gz\n"
    "\n"
    "Exit status: 0 written, input whole; 1 nothing written; 2 written, but input was damaged,\n"
    "or is of another firmware.\n";

/* To standard error: nothing was asked for, and nothing is done. */
void cli_print_first_steps(void)
{
    message_line("tlog-decode turns a dump of tlog events into a file that trace viewers open:\n"
                 "  tlog-decode dump.bin                     as text\n"
                 "  tlog-decode dump.bin -o trace.dat        for KernelShark and trace-cmd report\n"
                 "  tlog-decode dump.bin -o trace.pftrace    for ui.perfetto.dev");
}

void cli_print_help(void)
{
    fputs(usage, stdout);
    cli_print_options();
    fputs(examples, stdout);
}

void cli_list_formats(void)
{
    printf("Input formats (--from):\n");
    for (size_t i = 0; cli_readers[i] != NULL; i++)
        printf("  %-14s %s\n", cli_readers[i]->name, cli_readers[i]->description);
    printf("Output formats (--format):\n");
    for (size_t i = 0; cli_writers[i] != NULL; i++) {
        const char *suffix = cli_writers[i]->suffix;
        printf("  %-14s %s%s%s\n", cli_writers[i]->name, cli_writers[i]->description, suffix != NULL ? "; suffix " : "",
               suffix != NULL ? suffix : "");
    }
}
