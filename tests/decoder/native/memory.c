/* memory.c - images of memory, with what must come of them: whether the decoder shows exactly that. They come from
 * tests/judges/memory.py, which makes up its mind without the decoder, by the standard input.
 *
 * Usage: memory [DIRECTORY]: keep the images that are wrong there, as NUMBER.bin, and print them all
 *
 * A case is a head, and behind it: the label; the items of all CPUs, in any order; names of tasks, 4 bytes the task and
 * 36 the text with NULs; the image. All words are in this machine's order.
 */
#include "harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The head of a case. code: the exit code that tlog-decode must have. UINT64_MAX losses: any number. */
struct head {
    uint32_t number, label, image, code, items, names;
    uint64_t overwritten, dropped;
};

struct name {
    uint32_t task;
    char text[36];
};

/* A case: the head, and what is behind it, in memory. */
struct trial {
    struct head head;
    char *label;
    struct list items;
    struct name *name;
    struct bytes image;
};

enum { SHOWN = 20 }; /* cases that are wrong and are printed, without a directory */

/* In how many cases something is wrong. */
static struct {
    uint64_t cases, wrong, events, invented, missing, of_code, of_losses, of_names;
} sums;

/* ---- reading cases ----------------------------------------------------------------------------------------------- */

static void *read_bytes(size_t n)
{
    void *bytes = malloc(n + 1u);
    if (bytes == NULL || fread(bytes, 1, n, stdin) != n) {
        fprintf(stderr, "memory: the input ends in a case\n");
        exit(1);
    }
    ((char *)bytes)[n] = '\0';
    return bytes;
}

/* Read the next case. False: there is none. */
static bool read_trial(struct trial *trial)
{
    if (fread(&trial->head, sizeof trial->head, 1, stdin) != 1)
        return false;
    trial->label = read_bytes(trial->head.label);
    trial->items.n = trial->head.items;
    trial->items.item = read_bytes(trial->items.n * sizeof *trial->items.item);
    trial->name = read_bytes(trial->head.names * sizeof *trial->name);
    trial->image = (struct bytes){read_bytes(trial->head.image), trial->head.image};
    return true;
}

static void free_trial(struct trial *trial)
{
    free(trial->label);
    free(trial->items.item);
    free(trial->name);
    free(trial->image.data);
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* For qsort(): by CPU and time, then by all else. */
static int by_time(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int found = compare_numbers(a->cpu, b->cpu);
    found = found ? found : compare_numbers(a->time, b->time);
    found = found ? found : compare_numbers(a->code, b->code);
    found = found ? found : compare_numbers(a->par1, b->par1);
    found = found ? found : compare_numbers(a->par2, b->par2);
    return found ? found : compare_numbers(a->count, b->count);
}

/* Leave only events in a list, and order them. */
static void order_events(struct list *list)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++) {
        if (list->item[i].code != ITEM_LOSS && list->item[i].code != ITEM_DAMAGE)
            list->item[n++] = list->item[i];
    }
    list->n = n;
    if (n > 0)
        qsort(list->item, n, sizeof *list->item, by_time);
}

/* How many events of a list the other one has not. Both are in order. */
static uint64_t count_others(const struct list *list, const struct list *other)
{
    uint64_t n = 0;
    for (size_t i = 0, k = 0; i < list->n; i++) {
        while (k < other->n && by_time(&other->item[k], &list->item[i]) < 0)
            k++;
        if (k < other->n && by_time(&other->item[k], &list->item[i]) == 0)
            k++;
        else
            n++;
    }
    return n;
}

/* The exit code of tlog-decode, which takes a dump only if the reader finds it whole enough without being told. */
static uint32_t code_of(const struct trial *trial, const struct decoded *decoded)
{
    if (!decoded->opened || probe_bytes(trial->image) != TRACE_MINE)
        return 1;
    return decoded->trace.counts.gaps + decoded->trace.counts.damaged > 0 ? 2 : 0;
}

static bool is_other_count(uint64_t expected, uint64_t got)
{
    return expected != UINT64_MAX && expected != got;
}

/* How many names of tasks are not as they must be. */
static uint64_t count_wrong_names(const struct trial *trial, const struct trace *trace)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < trial->head.names; i++) {
        const char *name = trace_name(trace, TRACE_NAME_TASK, trial->name[i].task);
        n += name == NULL || strcmp(name, trial->name[i].text) != 0;
    }
    return n;
}

/* Keep an image that is decoded wrongly. */
static void keep(const struct trial *trial, const char *directory)
{
    char path[512];
    FILE *file;
    snprintf(path, sizeof path, "%s/%" PRIu32 ".bin", directory, trial->head.number);
    file = fopen(path, "wb");
    if (file == NULL || fwrite(trial->image.data, 1, trial->image.n, file) != trial->image.n || fclose(file) != 0)
        perror(path);
}

/* What is wrong with a case. */
struct wrong {
    uint64_t invented, missing, names;
    bool code, losses;
};

static bool is_wrong(const struct wrong *wrong)
{
    return wrong->invented + wrong->missing + wrong->names > 0 || wrong->code || wrong->losses;
}

static void compare(struct trial *trial, struct decoded *decoded, struct wrong *wrong)
{
    const struct head *head = &trial->head;
    const struct trace_counts *counts = &decoded->trace.counts;
    order_events(&decoded->list);
    order_events(&trial->items);
    wrong->invented = count_others(&decoded->list, &trial->items);
    wrong->missing = count_others(&trial->items, &decoded->list);
    wrong->names = decoded->opened ? count_wrong_names(trial, &decoded->trace) : 0;
    wrong->code = code_of(trial, decoded) != head->code;
    wrong->losses =
        decoded->opened
        && (is_other_count(head->overwritten, counts->overwritten) || is_other_count(head->dropped, counts->dropped));
}

static void show(const struct trial *trial, const struct decoded *decoded, const struct wrong *wrong)
{
    const struct head *head = &trial->head;
    const struct trace_counts *counts = &decoded->trace.counts;
    printf("case %" PRIu32 ": of %zu events %" PRIu64 " are missing, %" PRIu64 " invented; exit code %" PRIu32
           ", must be %" PRIu32 "; overwritten %" PRIu64 ", must be %" PRId64 "; dropped %" PRIu64 ", must be %" PRId64
           "; names wrong %" PRIu64 " (%s)\n",
           head->number, trial->items.n, wrong->missing, wrong->invented, code_of(trial, decoded), head->code,
           counts->overwritten, (int64_t)head->overwritten, counts->dropped, (int64_t)head->dropped, wrong->names,
           trial->label);
}

/* Decode the image, and compare. */
static void try(struct trial *trial, const char *directory)
{
    struct decoded decoded;
    struct wrong wrong;
    decode_bytes(&decoded, trial->image);
    compare(trial, &decoded, &wrong);
    sums.cases++;
    sums.wrong += is_wrong(&wrong);
    sums.events += trial->items.n;
    sums.invented += wrong.invented;
    sums.missing += wrong.missing;
    sums.of_code += wrong.code;
    sums.of_losses += wrong.losses;
    sums.of_names += wrong.names > 0;
    if (is_wrong(&wrong) && (directory != NULL || sums.wrong <= SHOWN))
        show(trial, &decoded, &wrong);
    if (is_wrong(&wrong) && directory != NULL)
        keep(trial, directory);
    decoded_free(&decoded);
}

int main(int argc, char **argv)
{
    struct trial trial;
    while (read_trial(&trial)) {
        try(&trial, argc > 1 ? argv[1] : NULL);
        free_trial(&trial);
    }
    printf("\n%-34s %8s %8s %9s %9s %9s %9s %9s %9s\n", "memory", "images", "wrong", "events", "invented", "missing",
           "exit code", "losses", "names");
    printf("%-34s %8" PRIu64 " %8" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64
           "\n",
           "sound dumps between other bytes", sums.cases, sums.wrong, sums.events, sums.invented, sums.missing,
           sums.of_code, sums.of_losses, sums.of_names);
    return sums.wrong > 0;
}
