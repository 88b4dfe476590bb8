/* gen_dump.c - writes a dump that dump.h makes, and what it holds. */
#include "dump.h"
#include "event.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "Usage: gen_dump [OPTION]...\n"
    "Write a valid tlog dump to standard output.\n"
    "  -o FILE            write FILE instead\n"
    "  --expect=FILE      also write the events it holds, as lines \"cpu ns code par1 par2\"\n"
    "  --events=N         events logged per CPU (1000)\n"
    "  --slots=N --chunks=N --cpus=N    (1024, 4, 1)\n"
    "  --seed=N --hz=N --boot=N         (1, 168000000, 1)\n"
    "  --names=N          tasks with a name (0)\n"
    "  --drops=N          losses in 1000 events (0)\n"
    "  --tasks=N          par1 is below N (any)\n"
    "  --garbage=N        up to N random bytes before every image (0)\n"
    "  --start=N          clock at the first event (1000)\n"
    "  --traceevents=N    of 100 events; --events then counts slots (0)\n"
    "  --shortest=N --longest=N         slots of a traceevent, up to 8 (1, 1)\n"
    "  --class=N          of traceevents: 2 to 5 or 7; records mean the same as those of 2, 3, 4 (any)\n"
    "  --rates=N          with traceevents: events from one change of the clock's rate to the next (none)\n"
    "  --sealed --stream --uncounted --jumps --still --user --texts --unknown\n";

/* An option that sets a member of struct gen_options: a number, of 32 or 64 bits, or a flag without an argument. */
static const struct member {
    const char *name;
    enum { BITS_32, BITS_64, FLAG } kind;
    size_t at; /* offset of the member */
} members[] = {
    {"events", BITS_64, offsetof(struct gen_options, events)},
    {"seed", BITS_32, offsetof(struct gen_options, seed)},
    {"slots", BITS_32, offsetof(struct gen_options, slots)},
    {"chunks", BITS_32, offsetof(struct gen_options, chunks)},
    {"cpus", BITS_32, offsetof(struct gen_options, cpus)},
    {"hz", BITS_32, offsetof(struct gen_options, hz)},
    {"boot", BITS_32, offsetof(struct gen_options, boot)},
    {"names", BITS_32, offsetof(struct gen_options, names)},
    {"drops", BITS_32, offsetof(struct gen_options, drops)},
    {"garbage", BITS_32, offsetof(struct gen_options, garbage)},
    {"tasks", BITS_32, offsetof(struct gen_options, tasks)},
    {"start", BITS_64, offsetof(struct gen_options, start)},
    {"traceevents", BITS_32, offsetof(struct gen_options, traceevents)},
    {"shortest", BITS_32, offsetof(struct gen_options, shortest)},
    {"longest", BITS_32, offsetof(struct gen_options, longest)},
    {"class", BITS_32, offsetof(struct gen_options, class)},
    {"rates", BITS_32, offsetof(struct gen_options, rates)},
    {"sealed", FLAG, offsetof(struct gen_options, sealed)},
    {"stream", FLAG, offsetof(struct gen_options, stream)},
    {"uncounted", FLAG, offsetof(struct gen_options, uncounted)},
    {"jumps", FLAG, offsetof(struct gen_options, jumps)},
    {"still", FLAG, offsetof(struct gen_options, still)},
    {"user", FLAG, offsetof(struct gen_options, user)},
    {"texts", FLAG, offsetof(struct gen_options, texts)},
    {"unknown", FLAG, offsetof(struct gen_options, unknown)},
};
enum { MEMBERS = sizeof members / sizeof members[0], FIRST_MEMBER = 256 };

/* Set a member from the option's argument; text: NULL for a flag. False: the argument is no number. */
static bool set_member(struct gen_options *options, const struct member *member, const char *text)
{
    void *to = (char *)options + member->at;
    char *end;
    uint64_t value;
    if (member->kind == FLAG) {
        *(bool *)to = true;
        return true;
    }
    value = strtoull(text, &end, 0);
    if (*text == '\0' || *end != '\0')
        return false;
    if (member->kind == BITS_64)
        *(uint64_t *)to = value;
    else
        *(uint32_t *)to = (uint32_t)value;
    return true;
}

static bool is_within(uint32_t value, uint32_t least, uint32_t most)
{
    return value >= least && value <= most;
}

/* Whether FORMAT.md allows such a dump, and this generator can make it. */
static bool are_possible(const struct gen_options *options)
{
    return is_within(options->slots, options->traceevents > 0 ? 16 : 1, 65534) && is_within(options->chunks, 1, 256)
           && is_within(options->cpus, 1, 256) && options->names <= 13106 && options->shortest <= GEN_SLOTS_MAX
           && options->longest <= GEN_SLOTS_MAX && options->class <= 7 && options->class != 1 && options->class != 6;
}

static FILE *open_output(const char *path)
{
    FILE *file = path != NULL ? fopen(path, "wb") : stdout;
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    return file;
}

static int usage(void)
{
    fputs(help, stderr);
    return 1;
}

int main(int argc, char **argv)
{
    struct gen_options options = {
        .events = 1000, .seed = 1, .slots = 1024, .chunks = 4, .cpus = 1, .hz = 168000000, .boot = 1, .start = 1000};
    struct option table[MEMBERS + 2] = {{"expect", required_argument, NULL, 'e'}};
    const char *output = NULL, *expect = NULL;
    FILE *dump, *text;
    int option;
    for (int i = 0; i < MEMBERS; i++)
        table[i + 1] = (struct option){members[i].name, members[i].kind == FLAG ? no_argument : required_argument, NULL,
                                       FIRST_MEMBER + i};
    while ((option = getopt_long(argc, argv, "o:", table, NULL)) != -1) {
        if (option == 'o')
            output = optarg;
        else if (option == 'e')
            expect = optarg;
        else if (option < FIRST_MEMBER || !set_member(&options, &members[option - FIRST_MEMBER], optarg))
            return usage();
    }
    if (!are_possible(&options))
        return usage();
    dump = open_output(output);
    text = expect != NULL ? open_output(expect) : NULL;
    gen_dump(&options, dump, text);
    return (text != NULL && fclose(text) != 0) | (fclose(dump) != 0);
}
