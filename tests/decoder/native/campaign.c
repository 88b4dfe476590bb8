/* campaign.c - every damage of a kind done to dumps of every kind, and what the decoder makes of it: a table of how
 * many events it keeps, how many it loses, and how many it gives out that were never logged.
 *
 * Usage: campaign [STEP [WORD]]: one of STEP cases (default: by the tier), of the kinds whose name has WORD
 *
 * An event is kept if it equals one of the undamaged dump in all of its fields, its time among them. One that does not
 * is wrong: it is *changed* if the undamaged dump has an event at its time that was not kept, else *misplaced*; and
 * it may lie *outside* of all times of the undamaged dump. A case is *silent* if events are lost or wrong, and the
 * decoder says that nothing is damaged; each one of a wiped header without a seal must be right (silence.h). The
 * *floor* of flipped bits is how many events must be wrong without a seal: changed ones that nothing in the dump
 * contradicts. *Touched* is the share of events of which bytes were changed or are gone themselves; with a seal, bytes
 * of their group. What is lost *beyond* them the decoder could not save. *Whole* is the share of events kept in the
 * cases that touch no header of a chunk, and what is touched there.
 */
#include "damage.h"
#include "floor.h"
#include "harness.h"
#include "lost_harness.h"
#include "silence.h"
#include "lib/tier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    QUICK_TIMES = 8, /* how many times fewer cases the quick tier tries than the full one */
    FULL_STEP = 31,
    LARGE_STEP = 17, /* how many times fewer cases of a large dump are tried */
    ELF_STEP = 4,    /* and of a sealed one with the ELF file */
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
    {"rates",
     {.events = 100, .slots = 40, .chunks = 2, .cpus = 1, .traceevents = 60, .longest = 3, .rates = 12},
     0,
     0,
     false},
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

/* What a kind of dump has beside it. */
enum mode { NO_SEAL, SEALED, NO_SEAL_ELF, SEALED_ELF, MODES };

static const char *const mode_names[MODES] = {"no seal", "sealed", "no seal, ELF", "sealed, ELF"};

static bool has_seal(enum mode mode)
{
    return mode == SEALED || mode == SEALED_ELF;
}

/* Whether a dump of the kind is a copy of memory, where the ELF file tells the place of each chunk. A stream and
 * several runs show a chunk more than once. */
static bool is_memory(const struct kind *kind)
{
    return !kind->options.stream && kind->runs < 2;
}

/* Let the decoder know the firmware of a kind of dump, or nothing. */
static void give_firmware(const struct kind *kind, enum mode mode, struct bytes dump)
{
    lost_make_firmware(&kind->options);
    for (size_t i = 0; i < lost_firmware.nrings; i++)
        lost_rings[i].freq = HZ;
    firmware_given = mode >= NO_SEAL_ELF ? &lost_firmware : NULL;
    if (mode >= NO_SEAL_ELF && is_memory(kind))
        lost_lie_in_memory(dump);
}

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

/* ---- comparing --------------------------------------------------------------------------------------------------- */

struct sums {
    uint64_t cases, events, kept, changed, misplaced, outside, silent, floor;
    uint64_t unproved;        /* silent cases of wiped headers in which nothing shows that this is right: silence.h */
    uint64_t worst;           /* most events that one case lost */
    uint64_t touched, beyond; /* events of which bytes are damaged; those that are lost beside them */
    uint64_t whole_events, whole_kept, whole_touched; /* of the cases that touch no header */
};

static bool is_event(const struct item *item)
{
    return item->code != ITEM_LOSS && item->code != ITEM_DAMAGE && item->code != ITEM_MARK
           && item->code != ITEM_RATE_UNKNOWN;
}

/* What the undamaged dump holds, and which of that was found again. */
struct reference {
    struct list list;
    bool *taken;
    size_t own;           /* items of the run that is decoded; those of another run follow */
    uint64_t events;      /* of the own ones */
    uint64_t first, last; /* times */
    struct floor floor;
    bool *touched;  /* of each own item: bytes of it are damaged */
    bool is_steady; /* the clock has one rate: else it is not known which events are touched */
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
static void take_reference(struct reference *reference, struct bytes dump, const struct kind *kind)
{
    *reference = (struct reference){.first = UINT64_MAX, .is_steady = kind->options.rates == 0};
    floor_of(&reference->floor, dump);
    add_reference(reference, dump);
    reference->own = reference->list.n;
    reference->events = count_events(&reference->list);
    reference->touched = calloc(reference->own + 1, sizeof *reference->touched);
    if (kind->runs > 1)
        add_reference(reference, (struct bytes){dump.data, dump.n / 2});
}

static void reference_free(struct reference *reference)
{
    floor_free(&reference->floor);
    free(reference->taken);
    free(reference->touched);
    free(reference->list.item);
}

/* The first slot's place, and the place behind the last one, of the group that a slot belongs to under a seal. */
static struct range group_of(struct bytes dump, size_t slot)
{
    size_t image = 0, size, first, slots, index, last;
    for (size_t at = 0; (at = find_image(dump, at, &size)) != SIZE_MAX && at <= slot; at += size)
        image = at;
    slots = get32(dump.data + image + CHUNK_SLOTS);
    first = image + HEADER;
    if (slot >= first + slots * SLOT) { /* an emergency slot, behind the end mark */
        first += (slots + 1) * SLOT;
        slots = get32(dump.data + image + CHUNK_EMERGENCY);
    }
    index = (slot - first) / SLOT / 32 * 32;
    last = index + 32 < slots ? index + 32 : slots;
    return (struct range){first + index * SLOT, first + last * SLOT};
}

/* Find the own events that a damage touches; with a seal, those of whose groups it touches bytes. Slots that have one
 * time are taken for one event. Returns how many there are. */
static uint64_t find_touched(struct reference *reference, struct range damaged, bool sealed)
{
    const struct floor *floor = &reference->floor;
    uint64_t n = 0;
    memset(reference->touched, 0, reference->own * sizeof *reference->touched);
    for (size_t i = 0; i < floor->n; i++) {
        const struct floor_slot *slot = &floor->slot[i];
        struct range bytes = sealed ? group_of(floor->dump, slot->at) : (struct range){slot->at, slot->at + SLOT};
        if (bytes.from >= damaged.to || damaged.from >= bytes.to)
            continue;
        for (size_t k = 0; k < reference->own; k++) {
            const struct item *item = &reference->list.item[k];
            uint64_t ticks = (item->time * (HZ / 1000000u) + 500u) / 1000u;
            if (!reference->touched[k] && is_event(item) && item->cpu == slot->cpu && ticks == slot->time) {
                reference->touched[k] = true;
                n++;
            }
        }
    }
    return n;
}

/* How many own events are neither touched nor kept. */
static uint64_t count_beyond(const struct reference *reference)
{
    uint64_t n = 0;
    for (size_t i = 0; i < reference->own; i++)
        n += is_event(&reference->list.item[i]) && !reference->touched[i] && !reference->taken[i];
    return n;
}

/* How much of an event must be as in another one. */
enum match { ALL, ALL_BUT_TIME, TIME };

static bool matches(const struct item *a, const struct item *b, enum match match)
{
    struct item other = *b;
    if (match == TIME)
        return a->time == b->time && a->cpu == b->cpu;
    other.time = match == ALL ? b->time : a->time;
    return same_item(a, &other);
}

/* Find an event in the reference that was not taken, from *near on. */
static bool take(struct reference *reference, const struct item *item, enum match match, size_t *near)
{
    for (size_t i = 0, n = reference->list.n; i < n; i++) {
        size_t at = (*near + i) % n;
        if (!reference->taken[at] && is_event(&reference->list.item[at])
            && matches(&reference->list.item[at], item, match)) {
            reference->taken[at] = true;
            *near = at + 1;
            return true;
        }
    }
    return false;
}

/* Take the events whose times the decoder tells that it does not know, by a mark ahead of them. */
static void take_estimated(struct reference *reference, struct list *list)
{
    const struct item *mark = NULL;
    size_t near = 0;
    for (size_t i = 0; i < list->n; i++) {
        struct item *item = &list->item[i];
        mark = item->code == ITEM_RATE_UNKNOWN ? item : mark;
        if (mark != NULL && item->cpu == mark->cpu && is_event(item)
            && (mark->count == 0 || item->time - mark->time <= mark->count)
            && take(reference, item, ALL_BUT_TIME, &near))
            item->code = ITEM_LOSS;
    }
}

/* Take all exact matches first; the items that have none become LOSS, so that the second pass sees the others only. */
static void compare(struct reference *reference, struct decoded *decoded, struct sums *sums)
{
    uint64_t kept = 0, wrong = 0;
    size_t near = 0;
    memset(reference->taken, 0, reference->list.n * sizeof *reference->taken);
    for (size_t i = 0; i < decoded->list.n; i++) {
        struct item *item = &decoded->list.item[i];
        if (!is_event(item) || !take(reference, item, ALL, &near))
            continue;
        kept += near <= reference->own;
        item->code = ITEM_LOSS;
    }
    sums->beyond += reference->is_steady ? count_beyond(reference) : 0;
    take_estimated(reference, &decoded->list);
    for (size_t i = 0; i < decoded->list.n; i++) {
        const struct item *item = &decoded->list.item[i];
        if (!is_event(item))
            continue;
        wrong++;
        if (take(reference, item, TIME, &near))
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

/* ---- all cases --------------------------------------------------------------------------------------------------- */

/* Print a case that is not as it should be, if CAMPAIGN_SHOW is set; also what is lost beyond the damage, if that is
 * "beyond". */
static void show(enum damage damage, size_t number, const struct sums *now, const struct sums *before)
{
    const char *wanted = getenv("CAMPAIGN_SHOW");
    bool beyond = wanted != NULL && strcmp(wanted, "beyond") == 0 && now->beyond > before->beyond;
    if (wanted == NULL
        || (now->misplaced + now->changed + now->silent == before->misplaced + before->changed + before->silent
            && !beyond))
        return;
    printf("  %s, case %zu: kept %" PRIu64 " of %" PRIu64 ", lost beyond the damage %" PRIu64 ", changed %" PRIu64
           ", misplaced %" PRIu64 ", outside %" PRIu64 "%s\n",
           damage_names[damage], number, now->kept - before->kept, now->events - before->events,
           now->beyond - before->beyond, now->changed - before->changed, now->misplaced - before->misplaced,
           now->outside - before->outside,
           now->silent > before->silent ? now->unproved > before->unproved ? ", silent, unproved" : ", silent" : "");
}

static void try_case(struct reference *reference, struct bytes dump, enum damage damage, size_t number, bool sealed,
                     bool told, struct sums *sums)
{
    struct range damaged = damage_range(dump, damage, number);
    uint64_t touched = find_touched(reference, damaged, sealed);
    static unsigned char room[1 << 16];
    struct bytes copy = {room, dump.n};
    struct sums before = *sums;
    struct decoded decoded;
    memcpy(room, dump.data, dump.n);
    damage_do(&copy, damage, number);
    decode_bytes(&decoded, copy);
    compare(reference, &decoded, sums);
    decoded_free(&decoded);
    if (damage == WIPE && !sealed && sums->silent > before.silent && sums->beyond > before.beyond)
        sums->unproved += !silence_is_right(dump, damaged.from, damaged.to, told);
    sums->touched += touched;
    if (!silence_touches_header(dump, damaged.from, damaged.to)) {
        sums->whole_events += sums->events - before.events;
        sums->whole_kept += sums->kept - before.kept;
        sums->whole_touched += touched;
    }
    show(damage, number, sums, &before);
}

/* Every how-manieth case of a damage is tried. */
static unsigned step_of(enum damage damage, unsigned step)
{
    return damage == FLIP ? (step + 7u) / 8u : damage == CUT ? (step + 63u) / 64u : step;
}

/* Whether a damage is tried: with the ELF file those that can hit what tells which chunk it is. */
static bool is_tried(enum mode mode, enum damage damage)
{
    return damage == WIPE || mode < NO_SEAL_ELF || (mode == SEALED_ELF && (damage == DELETE || damage == ZERO));
}

/* Every step-th case of a kind of dump. */
static void try_kind(const struct kind *kind, enum mode mode, unsigned step, struct sums sums[DAMAGES])
{
    bool sealed = has_seal(mode);
    struct bytes dump = make_kind(kind, sealed);
    struct reference reference;
    give_firmware(kind, mode, dump);
    take_reference(&reference, dump, kind);
    for (enum damage damage = 0; damage < DAMAGES; damage++) {
        size_t n = is_tried(mode, damage) ? damage_cases(damage, dump) : 0;
        for (size_t number = 0; number < n; number += step_of(damage, step)) {
            try_case(&reference, dump, damage, number, sealed, mode >= NO_SEAL_ELF && is_memory(kind), &sums[damage]);
            sums[damage].floor += damage == FLIP && !sealed && floor_has(&reference.floor, number);
        }
    }
    firmware_given = NULL;
    reference_free(&reference);
    bytes_free(&dump);
}

static double percent(uint64_t part, uint64_t all)
{
    return 100.0 * (double)part / (double)(all > 0 ? all : 1);
}

static void print_row(const char *name, const struct sums *sums)
{
    double mille = 1000.0 / (double)(sums->cases ? sums->cases : 1);
    printf("%-34s %8" PRIu64 " %6.2f %7.2f %5" PRIu64 " %9.2f %9.2f %8.2f %8.2f %8.3f %7" PRIu64, name, sums->cases,
           percent(sums->kept, sums->events), mille * (double)(sums->events - sums->kept) / 1000.0, sums->worst,
           mille * (double)sums->changed, mille * (double)sums->misplaced,
           mille * (double)(sums->changed + sums->misplaced), mille * (double)sums->floor,
           mille * (double)sums->outside, sums->silent);
    printf(" %9.2f %9.2f %7.2f %7.2f\n", percent(sums->touched, sums->events), mille * (double)sums->beyond,
           percent(sums->whole_kept, sums->whole_events), percent(sums->whole_touched, sums->whole_events));
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
    to->unproved += more->unproved;
    to->floor += more->floor;
    to->touched += more->touched;
    to->beyond += more->beyond;
    to->whole_touched += more->whole_touched;
    to->whole_events += more->whole_events;
    to->whole_kept += more->whole_kept;
    to->worst = more->worst > to->worst ? more->worst : to->worst;
}

static void print_head(const char *what)
{
    printf("\n%-34s %8s %6s %7s %5s %9s %9s %8s %8s %8s %7s %9s %9s %7s %7s\n", what, "cases", "kept %", "lost", "most",
           "changed", "misplaced", "wrong", "floor", "outside", "silent", "touched %", "beyond", "whole %", "touched");
}

/* Try a kind of dump, print its row, and add what came of it to the sums. */
static void add_kind(const struct kind *kind, enum mode mode, unsigned step, struct sums of_damage[DAMAGES])
{
    struct sums sums[DAMAGES] = {{0}}, all = {0};
    char name[64];
    try_kind(kind, mode, step, sums);
    for (enum damage damage = 0; damage < DAMAGES; damage++) {
        add_sums(&of_damage[damage], &sums[damage]);
        add_sums(&all, &sums[damage]);
    }
    snprintf(name, sizeof name, "%s, %s", kind->name, mode_names[mode]);
    print_row(name, &all);
}

/* What the decoder must not fall behind, per damage: per mille of the events that are kept, events that are wrong in
 * 1000 cases, of these such as lie outside of all times, and silent cases of 1000. Without a seal nothing shows that a
 * parameter was changed; and a chunk whose header is not proved any more is none. */
static const struct bound {
    uint32_t kept, wrong, outside, silent;
} bounds[MODES][DAMAGES] = {
    {{984, 300, 10, 320},
     {480, 0, 0, 40},
     {970, 3, 2, 8},
     {880, 30, 2, 80},
     {915, 80, 4, 80},
     {965, 3, 2, 2},
     {740, 5, 1, 200}},
    {{985, 0, 0, 2}, {480, 0, 0, 40}, {999, 0, 0, 0}, {735, 1, 1, 8}, {745, 1, 1, 1}, {999, 0, 0, 0}, {700, 0, 0, 0}},
    {[WIPE] = {775, 5, 1, 200}},
    {[DELETE] = {735, 1, 1, 8}, [ZERO] = {745, 1, 1, 1}, [WIPE] = {700, 0, 0, 0}},
};

/* Whether the sums are within a bound; says so if not. */
static bool is_within(const char *name, const struct sums *sums, const struct bound *bound)
{
    uint64_t wrong = sums->changed + sums->misplaced;
    if (sums->unproved > 0)
        printf("%s: %" PRIu64 " cases are silent without a reason\n", name, sums->unproved);
    if (sums->unproved == 0
        && (sums->cases == 0
            || (1000u * sums->kept >= bound->kept * sums->events && 1000u * wrong <= bound->wrong * sums->cases
                && 1000u * sums->outside <= bound->outside * sums->cases
                && 1000u * sums->silent <= bound->silent * sums->cases)))
        return true;
    printf("%s: worse than %" PRIu32 " of 1000 kept, in 1000 cases %" PRIu32 " wrong, %" PRIu32 " outside, %" PRIu32
           " silent\n",
           name, bound->kept, bound->wrong, bound->outside, bound->silent);
    return false;
}

/* Try all kinds of dumps whose name has the word; those that are large have sums of their own. */
static void try_kinds(enum mode mode, unsigned step, const char *word, struct sums of_damage[2][DAMAGES])
{
    for (size_t i = 0; i < KINDS; i++) {
        bool large = kinds[i].large;
        if (strstr(kinds[i].name, word) != NULL)
            add_kind(&kinds[i], mode, (mode == SEALED_ELF ? ELF_STEP : 1u) * (large ? step * LARGE_STEP : step),
                     of_damage[large]);
    }
}

/* Print a row for each damage that was tried. Returns whether all of them are within their bounds; NULL: there are
 * none. */
static bool print_damages(const char *what, enum mode mode, const struct sums sums[DAMAGES], const struct bound *within)
{
    char name[64];
    bool good = true;
    snprintf(name, sizeof name, "%s, %s", what, mode_names[mode]);
    print_head(name);
    for (enum damage damage = 0; damage < DAMAGES; damage++) {
        if (!is_tried(mode, damage))
            continue;
        print_row(damage_names[damage], &sums[damage]);
        good = (within == NULL || is_within(damage_names[damage], &sums[damage], &within[damage])) && good;
    }
    return good;
}

int main(int argc, char **argv)
{
    unsigned step = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : tier_step(QUICK_TIMES) * FULL_STEP;
    struct sums of_damage[MODES][2][DAMAGES] = {{{{0}}}}; /* small dumps and large ones */
    bool within = true;
    clock_given = HZ;
    print_head("dump");
    for (enum mode mode = 0; mode < MODES; mode++)
        try_kinds(mode, step > 0 ? step : 1u, argc > 2 ? argv[2] : "", of_damage[mode]);
    for (enum mode mode = 0; mode < MODES; mode++) {
        within = print_damages("damage", mode, of_damage[mode][0], bounds[mode]) && within;
        print_damages("damage, 1000 slots", mode, of_damage[mode][1], NULL);
    }
    return !within;
}
