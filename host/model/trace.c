/* trace.c - the trace itself: types, names, counts, groups, the firmware, the first error, damage.
 *
 * All names are in one hash table with (kind, id) as the key. Each has its own allocation, so a pointer that
 * trace_name() returned stays valid when the table grows.
 */
#include "model/trace.h"

#include "base/heap.h"
#include "base/printable.h"
#include "base/sort.h"
#include "base/text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES  32u     /* with the NUL */
#define EVENT_BYTES 48u     /* of an event's name, which may name its parameters */
#define NAMES_MAX   131072u /* names that a trace keeps: no target has as many, but a damaged input may */
#define NAMES_FIRST 64u     /* places of a new table; a power of two */

struct name {
    uint64_t key; /* kind << 32 | id */
    char text[EVENT_BYTES];
    unsigned naming;            /* trace.naming when it was given last */
    unsigned tasks;             /* among texts: how many tasks are called so */
    struct name *older, *newer; /* the names given last just before and just after it; NULL = none */
};

struct trace_names {
    size_t n;
    size_t places;             /* a power of two, at most half of them taken */
    struct name **place;       /* by open addressing with linear probing; NULL = free */
    struct name **all;         /* the same names, n of them; trace_each_name() sorts them */
    bool full;                 /* there were more than NAMES_MAX */
    struct name *newest;       /* the one that was given last */
    struct trace_names *texts; /* names of tasks by the hash of their text; NULL: none */
    size_t shared;             /* how many texts are names of several tasks */
};

/* ---- types ------------------------------------------------------------------------------------------------------- */

uint16_t trace_type(struct trace *trace, const struct tlog_type *type)
{
    for (unsigned i = 0; i < trace->ntypes; i++) {
        if (trace->types[i] == type)
            return (uint16_t)i;
    }
    if (trace->ntypes == TRACE_TYPES_MAX) {
        trace_fail(trace, "%s: more than %u types of event", trace->input_name, TRACE_TYPES_MAX);
        return 0;
    }
    trace->types[trace->ntypes] = type;
    return (uint16_t)trace->ntypes++;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static uint64_t name_key(enum trace_name_kind kind, uint32_t id)
{
    return (uint64_t)kind << 32 | id;
}

/* The place of a key in a table, or the free one where it belongs. The multiplier is 2^64 divided by the golden ratio:
 * it spreads keys that follow each other. */
static struct name **find_place(struct name **place, size_t places, uint64_t key)
{
    uint64_t hash = (key ^ key >> 32) * 0x9E3779B97F4A7C15u;
    size_t at = (size_t)(hash >> 32) & (places - 1u);
    while (place[at] != NULL && place[at]->key != key)
        at = (at + 1u) & (places - 1u);
    return &place[at];
}

/* Double the table. False, and the table is as before, if memory runs out. */
static bool grow_names(struct trace_names *names)
{
    size_t places = names->places > 0 ? names->places * 2u : NAMES_FIRST;
    struct name **place = heap_calloc(places, sizeof *place);
    struct name **all = heap_realloc(names->all, places / 2u * sizeof *all);
    if (all != NULL)
        names->all = all;
    if (place == NULL || all == NULL) {
        heap_free(place);
        return false;
    }
    for (size_t i = 0; i < names->n; i++)
        *find_place(place, places, all[i]->key) = all[i];
    heap_free(names->place);
    names->place = place;
    names->places = places;
    return true;
}

/* Add an empty name for a key that has none. NULL: no memory. */
static struct name *add_name(struct trace_names *names, uint64_t key)
{
    struct name *name;
    if (names->n >= names->places / 2u && !grow_names(names))
        return NULL;
    name = heap_calloc(1, sizeof *name);
    if (name == NULL)
        return NULL;
    name->key = key;
    *find_place(names->place, names->places, key) = name;
    names->all[names->n++] = name;
    return name;
}

/* The name of a key, or NULL. names may be NULL: none. */
static struct name *find_name(const struct trace_names *names, uint64_t key)
{
    if (names == NULL || names->n == 0)
        return NULL;
    return *find_place(names->place, names->places, key);
}

/* Copy a name behind a prefix, cut to `room` bytes, but not inside a character. Only printable characters of UTF-8
 * stay. */
static void copy_name(char *to, size_t room, const char *prefix, const char *from)
{
    size_t n = strlen(prefix), left = strlen(from);
    memcpy(to, prefix, n);
    while (left > 0 && n + 1u < room) {
        size_t bytes = (unsigned char)*from >= 0x80u ? utf8_bytes((const unsigned char *)from, left) : 1u;
        if (n + (bytes > 0 ? bytes : 1u) >= room)
            break;
        if (bytes == 0 || (bytes == 1u && (*from < ' ' || *from > '~'))) {
            bytes = 1;
            to[n] = '_';
        } else
            memcpy(to + n, from, bytes);
        n += bytes;
        from += bytes;
        left -= bytes;
    }
    to[n] = '\0';
}

/* Tell, once, that there are too many names. */
static void note_full(struct trace *trace)
{
    if (!trace->names->full)
        trace_note(trace, "more than %u names: further ones are left out", NAMES_MAX);
    trace->names->full = true;
}

/* Put a name that was just given at the end of the list. */
static void make_newest(struct trace_names *names, struct name *name)
{
    if (names->newest == name)
        return;
    if (name->newer != NULL)
        name->newer->older = name->older;
    if (name->older != NULL)
        name->older->newer = name->newer;
    name->older = names->newest;
    name->newer = NULL;
    if (names->newest != NULL)
        names->newest->newer = name;
    names->newest = name;
}

/* ---- tasks of one name ------------------------------------------------------------------------------------------- */

/* Rows that the mapping adds, as that of the start-up code, share names with tasks all the time: they do not count. */
static bool is_counted(uint64_t key, const char *text)
{
    uint32_t id = (uint32_t)key;
    return key >> 32 == TRACE_NAME_TASK && text[0] != '\0' && (id < TRACE_MAPPED_TASK || id >= TRACE_MAPPED_TASK_END);
}

/* A name begins or ceases to have its text. Without room or memory it is not counted. If two texts have one hash, both
 * count as shared: that makes a name longer, and no other harm. */
static void count_text(struct trace_names *names, const struct name *of, bool begins)
{
    uint64_t hash = text_hash(of->text);
    struct name *text = find_name(names->texts, hash);
    if (!is_counted(of->key, of->text))
        return;
    if (names->texts == NULL)
        names->texts = heap_calloc(1, sizeof *names->texts);
    if (text == NULL && names->texts != NULL && names->texts->n < NAMES_MAX)
        text = add_name(names->texts, hash);
    if (text == NULL)
        return;
    names->shared -= text->tasks > 1;
    text->tasks += begins ? 1u : UINT_MAX;
    names->shared += text->tasks > 1;
}

bool trace_task_name_is_shared(const struct trace *trace, uint32_t task)
{
    const struct name *of, *text;
    if (trace->names == NULL || trace->names->shared == 0)
        return false;
    of = find_name(trace->names, name_key(TRACE_NAME_TASK, task));
    if (of == NULL || !is_counted(of->key, of->text))
        return false;
    text = find_name(trace->names->texts, text_hash(of->text));
    return text != NULL && text->tasks > 1;
}

/* ---- giving names ------------------------------------------------------------------------------------------------ */

/* Give a name that is in the table its text. */
static void set_text(struct trace_names *names, struct name *name, const char *prefix, const char *text)
{
    count_text(names, name, false);
    copy_name(name->text, name->key >> 32 == TRACE_NAME_EVENT ? EVENT_BYTES : NAME_BYTES, prefix, text);
    count_text(names, name, true);
}

void trace_set_name(struct trace *trace, enum trace_name_kind kind, uint32_t id, const char *name)
{
    uint64_t key = name_key(kind, id);
    struct name *found;
    if (kind >= TRACE_NAME_KINDS || name == NULL || name[0] == '\0')
        return;
    if (trace->names == NULL)
        trace->names = heap_calloc(1, sizeof *trace->names);
    found = find_name(trace->names, key);
    if (found == NULL && trace->names != NULL && trace->names->n == NAMES_MAX) {
        note_full(trace);
        return;
    }
    if (found == NULL && trace->names != NULL)
        found = add_name(trace->names, key);
    if (found == NULL)
        trace_fail(trace, "%s: no memory for names", trace->input_name);
    else
        set_text(trace->names, found, kind == TRACE_NAME_TASK ? trace->task_prefix : "", name);
    trace->naming++;
    if (found != NULL) {
        found->naming = trace->naming;
        make_newest(trace->names, found);
    }
}

const char *trace_name(const struct trace *trace, enum trace_name_kind kind, uint32_t id)
{
    const struct name *found = find_name(trace->names, name_key(kind, id));
    return found != NULL ? found->text : NULL;
}

/* For sort(): by kind, then by id. */
static int name_order(const void *a, const void *b)
{
    uint64_t left = (*(const struct name *const *)a)->key;
    uint64_t right = (*(const struct name *const *)b)->key;
    return (left > right) - (left < right);
}

void trace_each_name(const struct trace *trace, enum trace_name_kind kind,
                     void (*call)(void *ctx, uint32_t id, const char *name), void *ctx)
{
    const struct trace_names *names = trace->names;
    if (names == NULL || names->n == 0)
        return;
    sort(names->all, names->n, sizeof *names->all, name_order);
    for (size_t i = 0; i < names->n; i++) {
        if (names->all[i]->key >> 32 == (uint64_t)kind)
            call(ctx, (uint32_t)names->all[i]->key, names->all[i]->text);
    }
}

void trace_each_new_name(const struct trace *trace, unsigned naming,
                         void (*call)(void *ctx, enum trace_name_kind kind, uint32_t id, const char *name), void *ctx)
{
    const struct name *name = trace->names != NULL ? trace->names->newest : NULL;
    if (name == NULL || (int32_t)(name->naming - naming) <= 0)
        return;
    while (name->older != NULL && (int32_t)(name->older->naming - naming) > 0)
        name = name->older;
    for (; name != NULL; name = name->newer)
        call(ctx, (enum trace_name_kind)(name->key >> 32), (uint32_t)name->key, name->text);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

void trace_count_dropped(struct trace *trace, unsigned cpu, uint64_t n)
{
    trace->counts.dropped += n;
    if (cpu < TRACE_CPUS_COUNTED)
        trace->counts.cpu[cpu].dropped += n;
}

void trace_count_overwritten(struct trace *trace, unsigned cpu, uint64_t n)
{
    trace->counts.overwritten += n;
    if (cpu < TRACE_CPUS_COUNTED)
        trace->counts.cpu[cpu].overwritten += n;
}

void trace_count_pause(struct trace *trace, unsigned cpu, uint64_t length, bool is_uncounted)
{
    struct trace_counts *counts = &trace->counts;
    struct trace_cpu_counts *of = &counts->cpu[cpu < TRACE_CPUS_COUNTED ? cpu : TRACE_CPUS_COUNTED - 1u];
    of->pauses++;
    of->paused += length;
    counts->is_uncounted |= is_uncounted;
    if (of->pauses >= counts->pauses) {
        counts->pauses = of->pauses;
        counts->paused = of->paused;
    }
}

/* ---- priorities -------------------------------------------------------------------------------------------------- */

void trace_set_priority(struct trace *trace, uint32_t task, int32_t priority)
{
    struct trace_priority *all = heap_grow(trace->priorities, trace->npriorities, &trace->priorities_room, sizeof *all);
    if (all == NULL) {
        trace_fail(trace, "%s: no memory", trace->input_name);
        return;
    }
    trace->priorities = all;
    all[trace->npriorities++] = (struct trace_priority){task, priority};
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Declare a group. False: no memory. */
static bool add_group(struct trace *trace, const char *name)
{
    struct trace_group *groups = heap_realloc(trace->groups, (trace->ngroups + 1u) * sizeof *groups);
    struct trace_group *group;
    if (groups == NULL)
        return false;
    trace->groups = groups;
    group = &groups[trace->ngroups];
    snprintf(group->name, sizeof group->name, "%s", name);
    group->overwritten = heap_calloc(trace->ncpus + 1u, sizeof *group->overwritten);
    if (group->overwritten == NULL)
        return false;
    trace->ngroups++;
    return true;
}

uint16_t trace_group(struct trace *trace, const char *name)
{
    for (unsigned i = 0; i < trace->ngroups; i++) {
        if (strcmp(trace->groups[i].name, name) == 0)
            return (uint16_t)(i + 1u);
    }
    if (trace->ngroups < TRACE_GROUPS_MAX && add_group(trace, name))
        return (uint16_t)trace->ngroups;
    trace_fail(trace, "%s: no room for a group of events \"%s\"", trace->input_name, name);
    return 0;
}

void trace_count_in_group(struct trace *trace, uint16_t group, unsigned cpu, uint64_t n)
{
    if (group > 0 && group <= trace->ngroups && cpu < trace->ncpus)
        trace->groups[group - 1u].overwritten[cpu] += n;
}

/* ---- the firmware ------------------------------------------------------------------------------------------------ */

const struct trace_symbol *trace_symbol_before(const struct trace_firmware *firmware, uint64_t address)
{
    size_t low = 0, high = firmware != NULL ? firmware->nsymbols : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2u;
        if (firmware->symbols[middle].address <= address)
            low = middle + 1u;
        else
            high = middle;
    }
    return low > 0 ? &firmware->symbols[low - 1u] : NULL;
}

const struct trace_symbol *trace_symbol_at(const struct trace_firmware *firmware, uint64_t address, uint64_t *offset)
{
    const struct trace_symbol *symbol = trace_symbol_before(firmware, address);
    if (symbol == NULL || address - symbol->address >= symbol->size)
        return NULL;
    *offset = address - symbol->address;
    return symbol;
}

/* The last format string that begins at or before an address, or NULL. */
static const struct trace_printk *printk_before(const struct trace *trace, uint64_t address)
{
    size_t low = 0, high = trace->nprintk;
    while (low < high) {
        size_t middle = low + (high - low) / 2u;
        if (trace->printk[middle].address <= address)
            low = middle + 1u;
        else
            high = middle;
    }
    return low > 0 ? &trace->printk[low - 1u] : NULL;
}

const struct trace_printk *trace_printk_exactly_at(const struct trace *trace, uint64_t address)
{
    const struct trace_printk *found = printk_before(trace, address);
    return found != NULL && found->address == address ? found : NULL;
}

const char *trace_printk_at(const struct trace *trace, uint64_t address)
{
    const struct trace_printk *found = printk_before(trace, address);
    size_t offset = found != NULL ? (size_t)(address - found->address) : 0;
    if (found == NULL || text_length(found->format, offset) < offset)
        return NULL;
    return found->format + (address - found->address);
}

/* ---- details ---------------------------------------------------------------------------------------------------- */

void trace_add_unproved(struct trace *trace, uint64_t offset, const char *text)
{
    if (trace->nunproved < TRACE_UNPROVED_MAX) {
        struct trace_unproved *place = &trace->unproved[trace->nunproved];
        place->offset = offset;
        snprintf(place->text, sizeof place->text, "%s", text);
    }
    trace->nunproved++;
}

void trace_set_detail(struct trace *trace, const char *name, uint64_t value)
{
    unsigned at = 0;
    while (at < trace->ndetails && strcmp(trace->details[at].name, name) != 0)
        at++;
    if (at == TRACE_DETAILS_MAX)
        return;
    trace->details[at] = (struct trace_detail){name, value};
    trace->ndetails += at == trace->ndetails;
}

uint64_t trace_detail(const struct trace *trace, const char *name)
{
    for (unsigned i = 0; i < trace->ndetails; i++) {
        if (strcmp(trace->details[i].name, name) == 0)
            return trace->details[i].value;
    }
    return 0;
}

/* ---- errors and damage ------------------------------------------------------------------------------------------- */

int trace_fail(struct trace *trace, const char *format, ...)
{
    va_list arguments;
    if (trace->failed)
        return -1;
    trace->failed = true;
    va_start(arguments, format);
    vsnprintf(trace->error, sizeof trace->error, format, arguments);
    va_end(arguments);
    return -1;
}

int trace_fail_at(struct trace *trace, const char *name, uint64_t offset, const char *format, ...)
{
    va_list arguments;
    size_t n;
    if (trace->failed)
        return -1;
    trace_fail(trace, "%.300s: offset 0x%" PRIx64 ": ", name, offset);
    trace->has_error_offset = true;
    trace->error_offset = offset;
    n = strlen(trace->error);
    va_start(arguments, format);
    vsnprintf(trace->error + n, sizeof trace->error - n, format, arguments);
    va_end(arguments);
    return -1;
}

/* Tell the sink. A text that is longer than usual, as one with a long path is, takes memory; if there is none, it is
 * cut. */
__attribute__((format(printf, 3, 0))) static void tell(const struct trace *trace, struct tlog_message *message,
                                                       const char *format, va_list arguments)
{
    char usual[1024], *longer = NULL;
    va_list again;
    int n;
    if (trace->quiet || trace->sink == NULL || trace->sink->tell == NULL)
        return;
    va_copy(again, arguments);
    n = vsnprintf(usual, sizeof usual, format, arguments);
    if (n >= (int)sizeof usual && (longer = heap_alloc((size_t)n + 1u)) != NULL)
        vsnprintf(longer, (size_t)n + 1u, format, again);
    va_end(again);
    message->text = longer != NULL ? longer : usual;
    trace->sink->tell(trace->sink->ctx, message);
    heap_free(longer);
}

void trace_tell(const struct trace *trace, const char *format, ...)
{
    struct tlog_message message = {.told = TLOG_TOLD_NOTE};
    va_list arguments;
    va_start(arguments, format);
    tell(trace, &message, format, arguments);
    va_end(arguments);
}

void trace_note(const struct trace *trace, const char *format, ...)
{
    struct tlog_message message = {.told = TLOG_TOLD_WARNING, .input = trace->input_name};
    va_list arguments;
    va_start(arguments, format);
    tell(trace, &message, format, arguments);
    va_end(arguments);
}

void trace_leave_out(struct trace *trace, const char *writer, uint64_t n, const char *format, ...)
{
    char why[256];
    va_list arguments;
    trace->counts.no_place += n;
    if (n == 0)
        return;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    trace_tell(trace, "%s: %" PRIu64 " event%s left out: %s", writer, n, text_plural(n), why);
}

void trace_damage(struct trace *trace, uint64_t offset, uint64_t length, uint64_t count, const char *format, ...)
{
    struct tlog_message message = {TLOG_TOLD_DAMAGE,       trace->input_name, NULL, offset, length, count,
                                   trace->counts.gaps + 1u};
    va_list arguments;
    trace->counts.gaps++;
    trace->counts.damaged += count;
    va_start(arguments, format);
    tell(trace, &message, format, arguments);
    va_end(arguments);
}

void trace_silence_begin(struct trace *trace, struct trace_silence *silence)
{
    *silence = (struct trace_silence){trace->counts.gaps, trace->counts.damaged, trace->quiet};
    trace->quiet = true;
}

bool trace_silence_end(struct trace *trace, const struct trace_silence *silence)
{
    bool damaged = trace->counts.gaps > silence->gaps;
    trace->counts.gaps = silence->gaps;
    trace->counts.damaged = silence->damaged;
    trace->quiet = silence->quiet;
    return damaged;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

void trace_init(struct trace *trace, const char *input_name)
{
    memset(trace, 0, sizeof *trace);
    trace->input_name = input_name;
}

static void free_names(struct trace_names *names)
{
    if (names == NULL)
        return;
    free_names(names->texts);
    for (size_t i = 0; i < names->n; i++)
        heap_free(names->all[i]);
    heap_free(names->all);
    heap_free(names->place);
    heap_free(names);
}

void trace_free(struct trace *trace)
{
    for (unsigned i = 0; i < trace->ngroups; i++)
        heap_free(trace->groups[i].overwritten);
    heap_free(trace->past);
    trace->past = NULL;
    trace->npast = 0;
    heap_free(trace->priorities);
    trace->priorities = NULL;
    trace->npriorities = 0;
    heap_free(trace->groups);
    trace->groups = NULL;
    trace->ngroups = 0;
    free_names(trace->names);
    trace->names = NULL;
}
