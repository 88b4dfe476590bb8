/* own_types.c - see own_types.h.
 *
 * A bad descriptor is left out, and so are two that contradict each other about one event. The events then stay
 * numbers. */
#include "events/own_types.h"

#include "base/heap.h"
#include "base/bytes.h"
#include "events/own_fields.h"
#include "tlog_wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDS         256u
#define HEADS       (OWN_CLASSES * IDS)
#define TAG_SHIFT   8u
#define TYPES_SPARE 64u /* types that are left for all that is not the firmware's own */

/* An event that the firmware defines by a good descriptor, and the types made of that. */
struct own_event {
    const struct trace_descriptors *at;
    const unsigned char *bytes;
    size_t size;
    struct own_descriptor *descriptor; /* NULL: two descriptors contradict each other */
    struct own_event *same; /* one with an equal descriptor at another address, whose types it has; or NULL */
    struct own_type *type[OWN_TAGS];
};

struct own_types {
    struct trace *trace;
    const struct trace_firmware *firmware; /* whose descriptors were read, or NULL */
    bool is_read;
    bool is_full;             /* the trace has no room for further types */
    struct own_event *events; /* n of them: those of sections, then those with an address in its order */
    size_t n, nsections;      /* all; those of sections */
    struct own_event **texts; /* by the index of the format string, ntexts of them; NULL: not looked at yet */
    size_t ntexts;
    uint16_t of[HEADS];   /* by group and id: index in events + 1; 0: there is none */
    uint64_t undescribed; /* events that stayed numbers */
    size_t bad;           /* descriptors that are left out */
    const char *bad_why;  /* the first one of them */
    char bad_name[64];    /* ... and what it is called */
};

struct own_types *own_types_new(struct trace *trace)
{
    struct own_types *types = heap_calloc(1, sizeof *types);
    if (types != NULL)
        types->trace = trace;
    return types;
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

static void note_bad(struct own_types *types, const char *why, const char *name)
{
    if (types->bad++ > 0)
        return;
    types->bad_why = why;
    snprintf(types->bad_name, sizeof types->bad_name, "%s", name);
}

/* Two descriptors of one event: the same thing twice is nothing bad. */
static void take_second(struct own_types *types, struct own_event *event, const unsigned char *bytes, size_t size)
{
    if (event->size == size && memcmp(event->bytes, bytes, size) == 0)
        return;
    if (event->descriptor != NULL)
        note_bad(types, "two of them for one event", event->descriptor->name);
    own_descriptor_free(event->descriptor);
    event->descriptor = NULL;
}

/* Index in types->of of a group's event. */
static size_t place_of(uint32_t group, uint32_t id)
{
    return (size_t)group * IDS + id;
}

/* Take a descriptor of a section. False: no memory. */
static bool take(struct own_types *types, const unsigned char *bytes, size_t size)
{
    const char *why;
    struct own_descriptor *descriptor = own_descriptor_parse(bytes, size, types->firmware->big_endian, &why);
    uint16_t *place;
    if (descriptor == NULL) {
        if (why != NULL)
            note_bad(types, why, "");
        return why != NULL;
    }
    if (descriptor->head == OWN_MAGIC) {
        note_bad(types, "not of an event of a group", descriptor->name);
        own_descriptor_free(descriptor);
        return true;
    }
    place = &types->of[place_of((descriptor->head >> TLOG_CLASS_SHIFT) - OWN_CLASS_FIRST, descriptor->head & 0xFFu)];
    if (*place != 0) {
        take_second(types, &types->events[*place - 1u], bytes, size);
        own_descriptor_free(descriptor);
        return true;
    }
    types->events[types->n] = (struct own_event){.bytes = bytes, .size = size, .descriptor = descriptor};
    *place = (uint16_t)++types->n;
    return true;
}

/* Take all descriptors of a section, up to one whose size cannot be. Words of 0 between them are padding. */
static bool take_section(struct own_types *types, const struct trace_descriptors *section)
{
    size_t at = 0, size;
    for (; at + 4u <= section->size; at += size) {
        size = 4u;
        if (get_le32(section->bytes + at) == 0)
            continue;
        size = own_descriptor_size(section->bytes + at, section->size - at, types->firmware->big_endian);
        if (size == 0) {
            note_bad(types, "a size that cannot be", "");
            return true;
        }
        if (!take(types, section->bytes + at, size))
            return false;
    }
    return true;
}

/* The first descriptor that lies at an address and has the same bytes as this one; NULL: there is none. Each file of
 * the firmware that uses an event may have a copy of its descriptor, and so may a span's beginning and end. */
static struct own_event *find_equal(struct own_types *types, const struct trace_descriptors *at)
{
    for (size_t i = types->nsections; i < types->n; i++) {
        const struct trace_descriptors *other = types->events[i].at;
        if (other->size == at->size && memcmp(other->bytes, at->bytes, at->size) == 0)
            return &types->events[i];
    }
    return NULL;
}

/* Take the descriptors that have addresses. Nothing is told of bad ones: their bytes may be no descriptors at all. */
static bool take_addressed(struct own_types *types)
{
    const struct trace_firmware *firmware = types->firmware;
    const char *why;
    for (size_t i = firmware->nsections; i < firmware->ndescriptors; i++) {
        const struct trace_descriptors *at = &firmware->descriptors[i];
        size_t size = own_descriptor_size(at->bytes, at->size, firmware->big_endian);
        struct own_descriptor *descriptor = own_descriptor_parse(at->bytes, size, firmware->big_endian, &why);
        if (descriptor == NULL && why == NULL)
            return false;
        if (descriptor != NULL) {
            struct own_event *same = find_equal(types, at);
            types->events[types->n++] = (struct own_event){.at = at, .descriptor = descriptor, .same = same};
        }
    }
    return true;
}

/* ---- what the user is told --------------------------------------------------------------------------------------- */

static void tell_bad(const struct own_types *types)
{
    const char *name = types->bad_name;
    if (types->bad > 0)
        trace_tell(
            types->trace,
            "%s: %zu description%s of events cannot be used, the first one%s%s because it has %s: these events stay "
            "numbers",
            types->firmware->path, types->bad, types->bad == 1u ? "" : "s", name[0] != '\0' ? ", of " : "", name,
            types->bad_why);
}

/* The first event came, and no descriptor describes any. */
static void tell_none(const struct own_types *types)
{
    const struct trace_firmware *firmware = types->trace->firmware;
    if (types->trace->missed_firmware)
        return;
    if (firmware == NULL || firmware->path == NULL)
        trace_note(types->trace, "events that the firmware defines stay numbers: --elf=FILE tells what they are");
    else if (!firmware->is_wrong)
        trace_tell(types->trace, "%s: no descriptions of events in it: those that the firmware defines stay numbers",
                   firmware->path);
}

/* Read all descriptors, when the first event comes. False after trace_fail(). */
static bool read_all(struct own_types *types)
{
    const struct trace_firmware *firmware = types->trace->firmware;
    bool good = true;
    types->is_read = true;
    if (firmware == NULL || firmware->ndescriptors == 0 || firmware->is_wrong) {
        tell_none(types);
        return true;
    }
    types->firmware = firmware;
    types->events = heap_calloc(HEADS + firmware->ndescriptors, sizeof *types->events);
    for (size_t i = 0; types->events != NULL && good && i < firmware->nsections; i++)
        good = take_section(types, &firmware->descriptors[i]);
    types->nsections = types->n;
    if (types->events == NULL || !good || !take_addressed(types))
        return trace_fail(types->trace, "%s: no memory for what is in it", firmware->path) == 0;
    tell_bad(types);
    return true;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* Whether the trace has room for further types. If not, that is told once. */
static bool have_room(struct own_types *types)
{
    if (types->trace->ntypes + TYPES_SPARE < TRACE_TYPES_MAX)
        return true;
    if (!types->is_full)
        trace_note(types->trace, "more types of event than there is room for: some events stay numbers");
    types->is_full = true;
    return false;
}

/* Make the type of a tag; of a span both types, as nesting.c wants them. */
static void make_types(struct own_types *types, struct own_event *event, enum own_tag tag)
{
    enum own_tag first = tag == OWN_TAG_END ? OWN_TAG_BEGIN : tag, last = tag == OWN_TAG_BEGIN ? OWN_TAG_END : tag;
    for (unsigned i = first; i <= (unsigned)last; i++)
        event->type[i] = own_type_declare(types->trace, event->descriptor, (enum own_tag)i);
}

/* The type of such events; NULL: they have none. */
static struct own_type *type_of(struct own_types *types, struct own_event *event, enum own_tag tag)
{
    if (event != NULL && event->same != NULL)
        event = event->same;
    if (event == NULL || event->descriptor == NULL || tag >= OWN_TAGS)
        return NULL;
    if ((event->descriptor->kind == OWN_SPAN) != (tag != OWN_TAG_EVENT))
        return NULL;
    if (event->type[tag] == NULL && have_room(types))
        make_types(types, event, tag);
    return event->type[tag];
}

/* ---- payloads ---------------------------------------------------------------------------------------------------- */

/* Put the payload of an event; *type: its type. 0: it has none, or other data than the descriptor says. */
static uint16_t put(struct own_types *types, struct own_event *event, enum own_tag tag, struct own_data from,
                    unsigned char *data, struct own_type **type)
{
    *type = type_of(types, event, tag);
    return *type != NULL ? own_type_payload(*type, event->descriptor, types->trace->firmware, from, data) : 0;
}

uint16_t own_types_payload(struct own_types *types, uint32_t group, uint32_t number, struct own_data from,
                           unsigned char *data, uint16_t *type, bool *is_plain)
{
    uint32_t tag = number >> TAG_SHIFT;
    struct own_type *of;
    uint16_t found, size;
    if (!types->is_read && !read_all(types))
        return 0;
    found = types->of[place_of(group % OWN_CLASSES, number % IDS)];
    size = put(types, found > 0 ? &types->events[found - 1u] : NULL, tag < OWN_TAGS ? (enum own_tag)tag : OWN_TAGS,
               from, data, &of);
    types->undescribed += size == 0 && types->firmware != NULL;
    *type = size > 0 ? of->index : 0;
    *is_plain = size > 0 && of->is_plain;
    return size;
}

bool own_types_are_known(const struct own_types *types)
{
    return types->firmware != NULL;
}

static int address_order(const void *address, const void *event)
{
    uint64_t left = *(const uint64_t *)address, right = ((const struct own_event *)event)->at->address;
    return (left > right) - (left < right);
}

/* The event whose descriptor is at an address, or NULL. */
static struct own_event *find_at(struct own_types *types, uint64_t address)
{
    size_t first = types->nsections;
    if (types->n <= first)
        return NULL;
    return bsearch(&address, types->events + first, types->n - first, sizeof *types->events, address_order);
}

uint16_t own_types_payload_at(struct own_types *types, uint64_t address, enum own_tag tag, struct own_data from,
                              unsigned char *data, uint16_t *type)
{
    struct own_type *of;
    uint16_t size;
    if (!types->is_read && !read_all(types))
        return 0;
    size = put(types, find_at(types, address), tag, from, data, &of);
    types->undescribed += size == 0 && types->firmware != NULL;
    *type = size > 0 ? of->index : 0;
    return size;
}

/* The event of the format string at an address. NULL: there is no format string, or no memory. */
static struct own_event *text_event(struct own_types *types, uint64_t address)
{
    const struct trace *trace = types->trace;
    const struct trace_printk *printk = trace_printk_exactly_at(trace, address);
    struct own_event **event;
    if (types->texts == NULL && trace->nprintk > 0)
        types->texts = heap_calloc(trace->nprintk, sizeof *types->texts);
    if (printk == NULL || types->texts == NULL)
        return NULL;
    event = &types->texts[printk - trace->printk];
    types->ntexts = trace->nprintk;
    if (*event == NULL) {
        *event = heap_calloc(1, sizeof **event);
        if (*event != NULL)
            (*event)->descriptor = own_descriptor_of_format(printk->format);
    }
    return *event;
}

uint16_t own_types_payload_of_text(struct own_types *types, uint64_t address, struct own_data from, unsigned char *data,
                                   uint16_t *type)
{
    struct own_type *of;
    uint16_t size = put(types, text_event(types, address), OWN_TAG_EVENT, from, data, &of);
    *type = size > 0 ? of->index : 0;
    return size;
}

/* Free what a descriptor has, and its types. */
static void free_event(struct own_event *event)
{
    for (unsigned tag = 0; tag < OWN_TAGS; tag++)
        own_type_free(event->type[tag]);
    own_descriptor_free(event->descriptor);
}

void own_types_free(struct own_types *types)
{
    if (types == NULL)
        return;
    if (types->undescribed > 0)
        trace_note(types->trace, "%" PRIu64 " event%s that the firmware defines stayed numbers: not as described in %s",
                   types->undescribed, types->undescribed == 1u ? "" : "s", types->firmware->path);
    for (size_t i = 0; i < types->n; i++)
        free_event(&types->events[i]);
    for (size_t i = 0; i < types->ntexts; i++) {
        if (types->texts[i] != NULL)
            free_event(types->texts[i]);
        heap_free(types->texts[i]);
    }
    heap_free(types->events);
    heap_free(types->texts);
    heap_free(types);
}
