/* campaign.c - every damage of a kind done to dumps of every kind, and what the decoder makes of it: a table of how
 * many events it keeps, how many it loses, and how many it gives out that were never logged.
 *
 * Usage: campaign [STEP [WORD]]: one of STEP cases (default: by the tier), of the kinds whose name has WORD
 *
 * An event is kept if it equals one of the undamaged dump in all of its fields, its time among them. One that does not
 * is wrong: it is *changed* if the undamaged dump has an event at its time that was not kept, else *misplaced*; and
 * it may lie *outside* of all times of the undamaged dump. A case is *silent* if events are lost or wrong, and the
 * decoder says that nothing is damaged. The *floor* of flipped bits is how many events must be wrong without a seal:
 * changed ones that nothing in the dump contradicts. *Whole* is the share of events kept in the cases that touch no
 * header of a chunk.
 */
#include "floor.h"
#include "harness.h"
#include "lib/tier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LENGTHS = 64,    /* bytes inserted, deleted, zeroed, doubled: 1 to so many */
    QUICK_TIMES = 8, /* how many times fewer cases the quick tier tries than the full one */
    FULL_STEP = 31,
    LARGE_STEP = 17, /* how many times fewer cases of a large dump are tried */
    HZ = 84000000,
};

/* ---- dumps ------------------------------------------------------------------------------------------------------- */

static const struct kind {
    const char *name;
    struct gen_options options;
    uint32_t runs, emergency; /* 0: one, none */
    bool large;
} kinds[] = {
    {"records", {.events = 55, .slots = 40, .chunks = 1, .cpus = 1}, 0, 0, false},
    {"several chunks", {.events = 90, .slots = 20, .chunks = 3, .cpus = 1, .start = 0xFFFF8000u}, 0, 0, false},
    {"traceevents", {.events = 60, .slots = 40, .chunks = 1, .cpus = 1, .traceevents = 100, .longest = 4}, 0, 0, false},
    {"mixed", {.events = 60, .slots = 20, .chunks = 2, .cpus = 1, .traceevents = 60, .longest = 3}, 0, 0, false},
    {"several CPUs", {.events = 30, .slots = 20, .chunks = 1, .cpus = 2}, 0, 0, false},
    {"stream", {.events = 70, .slots = 20, .chunks = 2, .cpus = 1, .stream = true}, 0, 0, false},
    {"names, losses", {.events = 30, .slots = 20, .chunks = 1, .cpus = 1, .names = 3, .drops = 60}, 0, 0, false},
    {"runs", {.events = 30, .slots = 20, .chunks = 1, .cpus = 1}, 2, 0, false},
    {"emergency", {.events = 30, .slots = 20, .chunks = 1, .cpus = 1}, 0, 6, false},
    {"1000 slots",
     {.events = 1300, .slots = 1000, .chunks = 1, .cpus = 1, .traceevents = 50, .longest = 3, .names = 4},
     0,
     0,
     true},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static struct bytes make_kind(const struct kind *kind, bool sealed)
{
    struct gen_options options = kind->options;
    struct bytes dump, other, both;
    options.sealed = sealed;
    options.hz = HZ;
    options.boot = 3;
    options.seed = 11;
    options.start = options.start ? options.start : 1000;
    dump = make_dump(&options, NULL);
    if (kind->emergency > 0) {
        add_emergency(&dump, kind->emergency);
        if (sealed)
            fix_seal(dump.data);
    }
    if (kind->runs < 2)
        return dump;
    options.boot = 4;
    options.seed = 12;
    other = make_dump(&options, NULL);
    both = join(dump, other);
    bytes_free(&dump);
    bytes_free(&other);
    return both;
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

enum damage { FLIP, CUT, INSERT, DELETE, ZERO, DOUBLE, DAMAGES };

static const char *const damage_names[DAMAGES] = {
    "one bit flipped", "cut", "1-64 bytes inserted", "1-64 bytes deleted", "1-64 bytes zeroed", "1-64 bytes doubled"};

/* How many cases of a damage a dump of n bytes has. */
static size_t count_cases(enum damage damage, size_t n)
{
    return damage == FLIP ? 8 * n : damage == CUT ? n : LENGTHS * n;
}

/* Replace `gone` bytes at an offset by `come` bytes. */
static void replace(struct bytes *dump, size_t at, size_t gone, const unsigned char *by, size_t come)
{
    memmove(dump->data + at + come, dump->data + at + gone, dump->n - at - gone);
    memcpy(dump->data + at, by, come);
    dump->n += come - gone;
}

/* Do a case of a damage to a dump, whose memory has room for LENGTHS bytes more. */
static void do_damage(struct bytes *dump, enum damage damage, size_t number)
{
    static const unsigned char zeros[LENGTHS];
    unsigned char bytes[LENGTHS];
    size_t at = damage == FLIP ? number / 8 : damage == CUT ? number : number / LENGTHS, n = number % LENGTHS + 1;
    size_t left = dump->n - at < n ? dump->n - at : n;
    if (damage == FLIP) {
        dump->data[at] ^= (unsigned char)(1u << number % 8);
    } else if (damage == CUT) {
        dump->n = at;
    } else if (damage == INSERT) {
        for (size_t i = 0; i < n; i++)
            bytes[i] = (unsigned char)random64();
        replace(dump, at, 0, bytes, n);
    } else if (damage == DELETE) {
        replace(dump, at, left, bytes, 0);
    } else if (damage == ZERO) {
        replace(dump, at, left, zeros, left);
    } else {
        memcpy(bytes, dump->data + at, left);
        replace(dump, at, 0, bytes, left);
    }
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

struct sums {
    uint64_t cases, events, kept, changed, misplaced, outside, silent, floor;
    uint64_t worst;                    /* most events that one case lost */
    uint64_t whole_events, whole_kept; /* of the cases that touch no header */
};

static bool is_event(const struct item *item)
{
    return item->code != ITEM_LOSS && item->code != ITEM_DAMAGE && item->code != ITEM_MARK;
}

/* What the undamaged dump holds, and which of that was found again. */
struct reference {
    struct list list;
    bool *taken;
    size_t own;           /* items of the run that is decoded; those of another run follow */
    uint64_t events;      /* of the own ones */
    uint64_t first, last; /* times */
    struct floor floor;
};

/* Add what a dump holds to the reference. */
static void add_reference(struct reference *reference, struct bytes dump)
{
    struct list *list = &reference->list;
    struct decoded decoded;
    decode_bytes(&decoded, dump);
    if (!decoded.opened || decoded.trace.counts.gaps > 0) {
        fprintf(stderr, "campaign: the undamaged dump cannot be decoded\n");
        exit(1);
    }
    list->item = realloc(list->item, (list->n + decoded.list.n + 1) * sizeof *list->item);
    reference->taken = realloc(reference->taken, (list->n + decoded.list.n + 1) * sizeof *reference->taken);
    for (size_t i = 0; i < decoded.list.n; i++) {
        uint64_t time = decoded.list.item[i].time;
        list->item[list->n++] = decoded.list.item[i];
        reference->first = time < reference->first ? time : reference->first;
        reference->last = time > reference->last ? time : reference->last;
    }
    decoded_free(&decoded);
}

/* The newest run is decoded. If its headers are lost an older one is, whose events are not wrong. */
static void take_reference(struct reference *reference, struct bytes dump, bool runs)
{
    *reference = (struct reference){.first = UINT64_MAX};
    floor_of(&reference->floor, dump);
    add_reference(reference, dump);
    reference->own = reference->list.n;
    reference->events = count_events(&reference->list);
    if (runs)
        add_reference(reference, (struct bytes){dump.data, dump.n / 2});
}

static void reference_free(struct reference *reference)
{
    floor_free(&reference->floor);
    free(reference->taken);
    free(reference->list.item);
}

static bool matches(const struct item *a, const struct item *b, bool exact)
{
    return exact ? same_item(a, b) : a->time == b->time && a->cpu == b->cpu;
}

/* Find an event in the reference that was not taken, from *near on. */
static bool take(struct reference *reference, const struct item *item, bool exact, size_t *near)
{
    for (size_t i = 0, n = reference->list.n; i < n; i++) {
        size_t at = (*near + i) % n;
        if (!reference->taken[at] && is_event(&reference->list.item[at])
            && matches(&reference->list.item[at], item, exact)) {
            reference->taken[at] = true;
            *near = at + 1;
            return true;
        }
    }
    return false;
}

/* Take all exact matches first; the items that have none become LOSS, so that the second pass sees the others only. */
static void compare(struct reference *reference, const struct decoded *decoded, struct sums *sums)
{
    uint64_t kept = 0, wrong = 0;
    size_t near = 0;
    memset(reference->taken, 0, reference->list.n * sizeof *reference->taken);
    for (size_t i = 0; i < decoded->list.n; i++) {
        struct item *item = &decoded->list.item[i];
        if (!is_event(item) || !take(reference, item, true, &near))
            continue;
        kept += near <= reference->own;
        item->code = ITEM_LOSS;
    }
    for (size_t i = 0; i < decoded->list.n; i++) {
        const struct item *item = &decoded->list.item[i];
        if (!is_event(item))
            continue;
        wrong++;
        if (take(reference, item, false, &near))
            sums->changed++;
        else
            sums->misplaced++;
        sums->outside += item->time < reference->first || item->time > reference->last;
    }
    sums->cases++;
    sums->events += reference->events;
    sums->kept += kept;
    sums->worst = reference->events - kept > sums->worst ? reference->events - kept : sums->worst;
    sums->silent += decoded->opened && decoded->trace.counts.gaps + decoded->trace.counts.damaged == 0
                    && (kept < reference->events || wrong > 0);
}

/* Whether a case changes a byte of a header, or puts bytes into one. */
static bool touches_header(struct bytes dump, enum damage damage, size_t number)
{
    size_t from = damage == FLIP ? number / 8 : damage == CUT ? number : number / LENGTHS, size;
    size_t end = from + (damage == DELETE || damage == ZERO ? number % LENGTHS + 1 : 1);
    end = damage == CUT ? dump.n : end;
    for (size_t at = 0; (at = find_image(dump, at, &size)) != SIZE_MAX; at += size) {
        if (from < at + HEADER && end > at)
            return true;
    }
    return false;
}

/* ---- all cases --------------------------------------------------------------------------------------------------- */

static void try_case(struct reference *reference, struct bytes dump, enum damage damage, size_t number,
                     struct sums *sums)
{
    static unsigned char room[1 << 16];
    struct bytes copy = {room, dump.n};
    struct sums before = *sums;
    struct decoded decoded;
    memcpy(room, dump.data, dump.n);
    do_damage(&copy, damage, number);
    decode_bytes(&decoded, copy);
    compare(reference, &decoded, sums);
    decoded_free(&decoded);
    if (!touches_header(dump, damage, number)) {
        sums->whole_events += sums->events - before.events;
        sums->whole_kept += sums->kept - before.kept;
    }
    if (getenv("CAMPAIGN_SHOW") != NULL
        && sums->misplaced + sums->changed + sums->silent > before.misplaced + before.changed + before.silent)
        printf("  %s, case %zu: kept %" PRIu64 " of %" PRIu64 ", changed %" PRIu64 ", misplaced %" PRIu64
               ", outside %" PRIu64 "%s\n",
               damage_names[damage], number, sums->kept - before.kept, reference->events,
               sums->changed - before.changed, sums->misplaced - before.misplaced, sums->outside - before.outside,
               sums->silent > before.silent ? ", silent" : "");
}

/* Every step-th case of a kind of dump. */
static void try_kind(const struct kind *kind, bool sealed, unsigned step, struct sums sums[DAMAGES])
{
    struct bytes dump = make_kind(kind, sealed);
    struct reference reference;
    take_reference(&reference, dump, kind->runs > 1);
    for (enum damage damage = 0; damage < DAMAGES; damage++) {
        size_t n = count_cases(damage, dump.n);
        unsigned by = damage == FLIP ? (step + 7u) / 8u : damage == CUT ? (step + 63u) / 64u : step;
        for (size_t number = 0; number < n; number += by) {
            try_case(&reference, dump, damage, number, &sums[damage]);
            sums[damage].floor += damage == FLIP && !sealed && floor_has(&reference.floor, number);
        }
    }
    reference_free(&reference);
    bytes_free(&dump);
}

static void print_row(const char *name, const struct sums *sums)
{
    double cases = (double)(sums->cases ? sums->cases : 1);
    printf("%-34s %8" PRIu64 " %6.2f %7.2f %5" PRIu64 " %9.2f %9.2f %8.2f %8.2f %8.3f %7" PRIu64 " %7.2f\n", name,
           sums->cases, 100.0 * (double)sums->kept / (double)(sums->events ? sums->events : 1),
           (double)(sums->events - sums->kept) / cases, sums->worst, 1000.0 * (double)sums->changed / cases,
           1000.0 * (double)sums->misplaced / cases, 1000.0 * (double)(sums->changed + sums->misplaced) / cases,
           1000.0 * (double)sums->floor / cases, 1000.0 * (double)sums->outside / cases, sums->silent,
           100.0 * (double)sums->whole_kept / (double)(sums->whole_events ? sums->whole_events : 1));
}

static void add_sums(struct sums *to, const struct sums *more)
{
    to->cases += more->cases;
    to->events += more->events;
    to->kept += more->kept;
    to->changed += more->changed;
    to->misplaced += more->misplaced;
    to->outside += more->outside;
    to->silent += more->silent;
    to->floor += more->floor;
    to->whole_events += more->whole_events;
    to->whole_kept += more->whole_kept;
    to->worst = more->worst > to->worst ? more->worst : to->worst;
}

static void print_head(const char *what)
{
    printf("\n%-34s %8s %6s %7s %5s %9s %9s %8s %8s %8s %7s %7s\n", what, "cases", "kept %", "lost", "most", "changed",
           "misplaced", "wrong", "floor", "outside", "silent", "whole %");
}

/* Try a kind of dump, print its row, and add what came of it to the sums. */
static void add_kind(const struct kind *kind, bool sealed, unsigned step, struct sums of_damage[DAMAGES])
{
    struct sums sums[DAMAGES] = {{0}}, all = {0};
    char name[64];
    try_kind(kind, sealed, step, sums);
    for (enum damage damage = 0; damage < DAMAGES; damage++) {
        add_sums(&of_damage[damage], &sums[damage]);
        add_sums(&all, &sums[damage]);
    }
    snprintf(name, sizeof name, "%s, %s", kind->name, sealed ? "sealed" : "no seal");
    print_row(name, &all);
}

/* What the decoder must not fall behind, per damage: per mille of the events that are kept, events that are wrong in
 * 1000 cases, and of these such as lie outside of all times. Without a seal nothing shows that a parameter was
 * changed; and a chunk whose header is not proved any more is none. */
static const struct bound {
    uint32_t kept, wrong, outside;
} bounds[2][DAMAGES] = {
    {{984, 300, 10}, {480, 0, 0}, {970, 3, 2}, {880, 30, 2}, {915, 80, 4}, {965, 3, 2}},
    {{985, 0, 0}, {480, 0, 0}, {999, 0, 0}, {735, 1, 1}, {745, 1, 1}, {999, 0, 0}},
};

/* Whether the sums are within a bound; says so if not. */
static bool is_within(const char *name, const struct sums *sums, const struct bound *bound)
{
    uint64_t wrong = sums->changed + sums->misplaced;
    if (sums->cases == 0
        || (1000u * sums->kept >= bound->kept * sums->events && 1000u * wrong <= bound->wrong * sums->cases
            && 1000u * sums->outside <= bound->outside * sums->cases))
        return true;
    printf("%s: worse than %" PRIu32 " of 1000 kept, in 1000 cases %" PRIu32 " wrong, %" PRIu32 " outside\n", name,
           bound->kept, bound->wrong, bound->outside);
    return false;
}

/* Try all kinds of dumps whose name has the word; those that are large have sums of their own. */
static void try_kinds(bool sealed, unsigned step, const char *word, struct sums of_damage[2][DAMAGES])
{
    for (size_t i = 0; i < KINDS; i++) {
        bool large = kinds[i].large;
        if (strstr(kinds[i].name, word) != NULL)
            add_kind(&kinds[i], sealed, large ? step * LARGE_STEP : step, of_damage[large]);
    }
}

/* Print a row for each damage. Returns whether all of them are within their bounds; NULL: there are none. */
static bool print_damages(const char *what, const struct sums sums[DAMAGES], const struct bound *within)
{
    bool good = true;
    print_head(what);
    for (enum damage damage = 0; damage < DAMAGES; damage++) {
        print_row(damage_names[damage], &sums[damage]);
        good = (within == NULL || is_within(damage_names[damage], &sums[damage], &within[damage])) && good;
    }
    return good;
}

int main(int argc, char **argv)
{
    unsigned step = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : tier_step(QUICK_TIMES) * FULL_STEP;
    struct sums of_damage[2][2][DAMAGES] = {{{{0}}}}; /* without and with a seal; small dumps and large ones */
    bool within = true;
    clock_given = HZ;
    print_head("dump");
    for (unsigned sealed = 0; sealed < 2; sealed++)
        try_kinds(sealed, step > 0 ? step : 1u, argc > 2 ? argv[2] : "", of_damage[sealed]);
    for (unsigned sealed = 0; sealed < 2; sealed++) {
        within = print_damages(sealed ? "damage, sealed" : "damage, no seal", of_damage[sealed][0], bounds[sealed])
                 && within;
        print_damages(sealed ? "damage, 1000 slots, sealed" : "damage, 1000 slots, no seal", of_damage[sealed][1],
                      NULL);
    }
    return !within;
}
