/* cover.c - was every instruction interrupted that can be? Holds hit maps (hits.h) against QEMU's log of what it executed.
 *
 * usage: cover LEVELS HITS begin=HEX arm=HEX disarm=HEX enter1=HEX leave1=HEX ... [mask=HEX]... [unmask=HEX]... < LOG
 *
 * LOG is that of `qemu -singlestep -d exec,nochain` of the same program, making the same calls with interrupts up to level
 * LEVELS - 1 only. What a context executes there between test_irq_armed() and test_irq_disarm() can be interrupted by the
 * next level: LEVELS = 1, the thread, of which nothing was interrupted; 2, a handler, by where the thread was when it came;
 * 3, a handler by where that one and the thread were. Each call of the thread counts by itself. What is executed with
 * interrupts masked is not reachable, and must not be hit. begin is test_code; only from there on addresses count. Prints
 * covered / reachable; fails when they are not the same sets. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hits.h"

enum { MAX_LEVELS = 3, MAX_MASKS = 1024, MAX_SHOWN = 8 };

static uint32_t begin, arm, disarm, enter[MAX_LEVELS + 1], leave[MAX_LEVELS + 1];
static uint32_t mask[MAX_MASKS], unmask[MAX_MASKS], masks, unmasks;
static int levels;

/* ---- sets of rows -------------------------------------------------------------------------------------------------- */

struct set {
    struct hits_row **rows;
    size_t room, used;
};

static struct set reachable, hit;

static void *must(void *memory)
{
    if (memory)
        return memory;
    perror("cover");
    exit(2);
}

static size_t place_of(const struct set *set, const uint32_t *prefix)
{
    uint32_t hash = prefix[0] * 0x9E3779B1u ^ prefix[1] * 0x85EBCA77u ^ prefix[HITS_CALL] * 0xC2B2AE3Du;
    size_t at = (hash ^ hash >> 15) & (set->room - 1u);
    while (set->rows[at] && memcmp(set->rows[at]->prefix, prefix, sizeof(set->rows[at]->prefix)) != 0)
        at = (at + 1u) & (set->room - 1u);
    return at;
}

static void grow(struct set *set)
{
    struct set bigger = {NULL, set->room ? set->room * 2u : 1024u, set->used};
    bigger.rows = must(calloc(bigger.room, sizeof(*bigger.rows)));
    for (size_t i = 0; i < set->room; i++)
        if (set->rows[i])
            bigger.rows[place_of(&bigger, set->rows[i]->prefix)] = set->rows[i];
    free(set->rows);
    *set = bigger;
}

static struct hits_row *row_of(struct set *set, const uint32_t *prefix)
{
    if (set->used * 2u >= set->room)
        grow(set);
    struct hits_row **row = &set->rows[place_of(set, prefix)];
    if (!*row) {
        *row = must(calloc(1, sizeof(**row)));
        memcpy((*row)->prefix, prefix, sizeof((*row)->prefix));
        set->used++;
    }
    return *row;
}

static void merge(struct set *set, const uint32_t *prefix, const uint32_t *bits)
{
    struct hits_row *row = row_of(set, prefix);
    for (int i = 0; i < HITS_WORDS; i++)
        row->bits[i] |= bits[i];
}

/* ---- the log ------------------------------------------------------------------------------------------------------- */

/* The contexts at work, each interrupted by the next. */
static struct context {
    bool is_armed, is_masked;
    bool is_back; /* where it was interrupted is what it executes next */
} contexts[MAX_LEVELS + 1];
static int level;

/* What the innermost one has executed; its row is known when all outside have gone on. */
static struct hits_row row;
static bool is_waiting;

/* Where the call begins that the thread makes: the first code behind test_irq_armed(). */
static uint32_t call;
static bool is_call_next;

static bool is_one_of(const uint32_t *list, uint32_t count, uint32_t pc)
{
    while (count > 0)
        if (list[--count] == pc)
            return true;
    return false;
}

static bool is_code(uint32_t pc)
{
    return pc - begin < HITS_WORDS * 64u;
}

static void go_on(uint32_t pc)
{
    contexts[level].is_back = false;
    is_waiting = is_waiting && is_code(pc) && contexts[level].is_armed; /* not on its way out of test_irq_disarm() */
    row.prefix[level] = pc;
    row.prefix[HITS_CALL] = call;
    if (is_waiting && level == 0)
        merge(&reachable, row.prefix, row.bits);
}

static void execute_code(uint32_t pc)
{
    struct context *context = &contexts[level];
    uint32_t at = (pc - begin) / 2u;
    if (level == levels - 1 && context->is_armed && !context->is_masked)
        row.bits[at / 32u] |= 1u << at % 32u;
    if (is_one_of(mask, masks, pc))
        context->is_masked = true;
    if (is_one_of(unmask, unmasks, pc))
        context->is_masked = false;
}

/* In a level that is looked at alone each call has a row of its own. */
static void end_call(void)
{
    row.prefix[HITS_CALL] = call;
    if (levels == 1 && call != 0)
        merge(&reachable, row.prefix, row.bits);
    if (levels == 1)
        row = (struct hits_row){0};
}

static void begin_call(void)
{
    contexts[level].is_armed = true;
    if (level > 0)
        return;
    end_call();
    is_call_next = true;
}

static void take(void)
{
    if (level >= levels - 1) {
        fprintf(stderr, "cover: interrupts deeper than %d\n", levels - 1);
        exit(2);
    }
    contexts[++level] = (struct context){0};
    if (level == levels - 1)
        row = (struct hits_row){0};
}

static void come_back(void)
{
    is_waiting = is_waiting || level == levels - 1;
    contexts[--level].is_back = true;
}

static void execute(uint32_t pc)
{
    if (level == 0 && is_call_next && is_code(pc)) {
        call = pc;
        is_call_next = false;
    }
    if (contexts[level].is_back)
        go_on(pc);
    if (pc == arm)
        begin_call();
    else if (pc == disarm)
        contexts[level].is_armed = false;
    else if (level < levels && pc == enter[level + 1])
        take();
    else if (level > 0 && pc == leave[level])
        come_back();
    else if (is_code(pc))
        execute_code(pc);
}

/* "Trace 0: 0x7f7ba4000100 [00800400/00001458/00000110/ff020201] reset_handler": the second number is the address. */
static void read_log(void)
{
    static char line[512];
    while (fgets(line, sizeof(line), stdin)) {
        const char *at = strncmp(line, "Trace", 5) == 0 ? strchr(line, '[') : NULL;
        at = at ? strchr(at, '/') : NULL;
        if (at)
            execute((uint32_t)strtoul(at + 1, NULL, 16));
    }
    end_call();
}

static int read_hits(const char *path)
{
    static struct hits_row one;
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return -1;
    }
    while (fread(&one, sizeof(one), 1, file) == 1)
        merge(&hit, one.prefix, one.bits);
    fclose(file);
    return 0;
}

/* ---- verdict ------------------------------------------------------------------------------------------------------- */

static uint64_t count(const struct set *set)
{
    uint64_t n = 0;
    for (size_t i = 0; i < set->room; i++)
        for (int w = 0; set->rows[i] && w < HITS_WORDS; w++)
            n += (uint64_t)__builtin_popcount(set->rows[i]->bits[w]);
    return n;
}

static uint64_t show_row(const struct hits_row *from, const uint32_t *not_in, const char *what, uint64_t shown)
{
    for (uint32_t at = 0; at < HITS_WORDS * 32u; at++) {
        if (!(from->bits[at / 32u] & ~not_in[at / 32u] & 1u << at % 32u) || ++shown > MAX_SHOWN)
            continue;
        printf("%s, call %" PRIx32 ":", what, from->prefix[HITS_CALL]);
        for (int i = 0; i < levels - 1; i++)
            printf(" %" PRIx32, from->prefix[i]);
        printf(" %" PRIx32 "\n", begin + at * 2u);
    }
    return shown;
}

/* What is in one set and not in the other. */
static uint64_t show(const struct set *from, struct set *other, const char *what)
{
    uint64_t shown = 0;
    for (size_t i = 0; i < from->room; i++)
        if (from->rows[i])
            shown = show_row(from->rows[i], row_of(other, from->rows[i]->prefix)->bits, what, shown);
    return shown;
}

static int argument(const char *text)
{
    char name[16];
    uint32_t value;
    if (sscanf(text, "%15[a-z0-9]=%" SCNx32, name, &value) != 2)
        return -1;
    if (strcmp(name, "begin") == 0)
        begin = value;
    else if (strcmp(name, "arm") == 0)
        arm = value;
    else if (strcmp(name, "disarm") == 0)
        disarm = value;
    else if (strncmp(name, "enter", 5) == 0 && name[5] >= '1' && name[5] <= '3')
        enter[name[5] - '0'] = value;
    else if (strncmp(name, "leave", 5) == 0 && name[5] >= '1' && name[5] <= '3')
        leave[name[5] - '0'] = value;
    else if (strcmp(name, "mask") == 0 && masks < MAX_MASKS)
        mask[masks++] = value;
    else if (strcmp(name, "unmask") == 0 && unmasks < MAX_MASKS)
        unmask[unmasks++] = value;
    else
        return -1;
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"", "addresses", "pairs", "triples"};
    for (int i = 3; i < argc; i++)
        if (argument(argv[i]) != 0) {
            fprintf(stderr, "cover: %s?\n", argv[i]);
            return 2;
        }
    levels = argc > 3 ? atoi(argv[1]) : 0;
    if (levels < 1 || levels > MAX_LEVELS || read_hits(argv[2]) != 0)
        return 2;
    read_log();
    uint64_t missing = show(&reachable, &hit, "not interrupted"),
             wrong = show(&hit, &reachable, "not reachable, but hit");
    uint64_t all = count(&reachable);
    printf("covered %" PRIu64 " / reachable %" PRIu64 " %s\n", all - missing, all, kinds[levels]);
    return missing > 0 || wrong > 0 || all < 50u;
}
