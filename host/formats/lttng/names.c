/* names.c - names of processes and interrupts, and what else control channels hold: see names.h. */
#include "formats/lttng/names.h"

#include "formats/lttng/block.h"
#include "formats/lttng/event.h"
#include "formats/lttng/own.h"

#include <string.h>

/* The event's field of a name, as a number or text: see payload.h. */
static bool number(const struct lttng_walk *walk, const char *name, uint64_t *value)
{
    return lttng_payload_number(walk->marker, &walk->payload, name, value);
}

static const char *text(const struct lttng_walk *walk, const char *name)
{
    return lttng_payload_text(walk->marker, &walk->payload, name);
}

/* ---- Linux's names ----------------------------------------------------------------------------------------------- */

/* An interrupt is called after its action: "name" is that of its controller. */
static void name_irq(struct lttng_metadata *metadata, const struct lttng_walk *walk)
{
    const char *name = text(walk, "action");
    uint64_t irq;
    if (name == NULL || name[0] == '\0')
        name = text(walk, "name");
    if (number(walk, "irq_id", &irq))
        trace_set_name(metadata->trace, TRACE_NAME_IRQ, (uint32_t)irq, name);
}

static void name_process(struct lttng_metadata *metadata, const struct lttng_walk *walk)
{
    uint64_t pid;
    if (number(walk, "pid", &pid) && pid != 0)
        trace_set_name(metadata->trace, TRACE_NAME_TASK, (uint32_t)pid, text(walk, "name"));
}

/* A process is called after the last component of what it executes. */
static void name_current(struct lttng_metadata *metadata, uint32_t current, const struct lttng_walk *walk)
{
    const char *path = text(walk, "filename");
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (path != NULL && current != 0)
        trace_set_name(metadata->trace, TRACE_NAME_TASK, current, slash != NULL ? slash + 1 : path);
}

void lttng_names_take(struct lttng_metadata *metadata, uint32_t current, const struct lttng_walk *walk)
{
    if (walk->marker->role == LTTNG_NAMES_PROCESS)
        name_process(metadata, walk);
    if (walk->marker->role == LTTNG_NAMES_IRQ)
        name_irq(metadata, walk);
    if (walk->marker->role == LTTNG_NAMES_CURRENT)
        name_current(metadata, current, walk);
}

/* ---- what tlog-decode put into control channels ------------------------------------------------------------------ */

/* System, name and class of a type, by the id of its marker. */
static void take_own_type(struct lttng_metadata *metadata, const struct lttng_walk *walk)
{
    const char *system = text(walk, "system"), *name = text(walk, "name"), *class = text(walk, "class");
    struct lttng_marker *marker;
    uint64_t id;
    if (!number(walk, "id", &id) || system == NULL || name == NULL || class == NULL)
        return;
    marker = lttng_marker_find(lttng_markers_channel(&metadata->markers, ""), (uint32_t)id);
    if (marker != NULL && system[0] != '\0' && name[0] != '\0')
        lttng_marker_rename(marker, system, name, lttng_own_class(class));
}

/* A name of any kind. */
static void take_own_name(struct lttng_metadata *metadata, const struct lttng_walk *walk)
{
    uint64_t kind, id;
    if (number(walk, "kind", &kind) && number(walk, "id", &id) && kind < TRACE_NAME_KINDS)
        trace_set_name(metadata->trace, (enum trace_name_kind)kind, (uint32_t)id, text(walk, "name"));
}

/* The clock's frequency, 0 if it is unknown, and its start in ns, which headers have in us; whether the system ran
 * before the trace began. */
static void take_own_clock(struct lttng_metadata *metadata, const struct lttng_walk *walk)
{
    uint64_t hz, start_ns, ran_before;
    if (!number(walk, "hz", &hz) || !number(walk, "start_ns", &start_ns))
        return;
    metadata->clock.freq = hz;
    metadata->clock.divisor = 1;
    metadata->clock.start_ns = start_ns;
    metadata->trace->ran_before = number(walk, "ran_before", &ran_before) && ran_before != 0;
}

static void take_own(struct lttng_metadata *metadata, const struct lttng_walk *walk)
{
    const char *name = walk->marker->name;
    if (strcmp(name, LTTNG_OWN_TYPE) == 0)
        take_own_type(metadata, walk);
    else if (strcmp(name, LTTNG_OWN_NAME) == 0)
        take_own_name(metadata, walk);
    else if (strcmp(name, LTTNG_OWN_CLOCK) == 0)
        take_own_clock(metadata, walk);
}

/* ---- control channels -------------------------------------------------------------------------------------------- */

/* Damage is reported here only in traces that tlog-decode wrote. In others the events of control channels are given out
 * like all events, and damage is reported then. */
static void read_file(struct lttng_metadata *metadata, const struct lttng_file *file)
{
    struct lttng_walk walk = lttng_metadata_walk(metadata, file);
    bool own = metadata->markers.own;
    walk.quiet = !own;
    lttng_block_start(&walk);
    while (lttng_event_next(&walk)) {
        if (own)
            take_own(metadata, &walk);
        else
            lttng_names_take(metadata, 0, &walk);
    }
}

/* Version 2 has no control/: there channels with names are called task_state, irq_state and the like. */
static bool has_names(const struct lttng_file *file)
{
    return !lttng_metadata_is(file) && (file->control || strstr(file->channel, "state") != NULL);
}

void lttng_names_read(struct lttng_metadata *metadata)
{
    for (size_t i = 0; i < metadata->files.n; i++) {
        if (has_names(&metadata->files.file[i]))
            read_file(metadata, &metadata->files.file[i]);
    }
}
