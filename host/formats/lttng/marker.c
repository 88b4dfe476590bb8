/* marker.c - the events an LTTng trace describes, and their types in the event model: see marker.h.
 *
 * Linux's events that the model has a class for are known by name, as the kernel of that time called them. Before
 * version 2 a marker's name begins with its system: kernel_sched_schedule is kernel:sched_schedule, as it is in
 * version 2, where the channel is called kernel.
 */
#include "formats/lttng/marker.h"

#include "events/shark_types.h"
#include "formats/lttng/own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKERS_MAX  900u /* less than TRACE_TYPES_MAX, since other types are declared, too */
#define SYSTEM       32u  /* bytes of a system's name, with its NUL */
#define NAME         64u  /* bytes of a type's name, with its NUL */
#define SIZES        5u   /* bytes at the end of an id event: of int, long, pointer, size_t, and the alignment */
#define FACILITY_IDS 256u /* ids of a facility */
#define NO_MEMORY    "does not fit in memory"
#define BYTES_FORMAT "event %u size %u data %s" /* for payloads that are shown as bytes: see payload.c */

/* A payload of the model always has room for fields as large as they can be, the least of each string, and padding at
 * the end. */
_Static_assert(LTTNG_FIELDS_MAX *(8u + LTTNG_TEXT_LEAST) + 4u <= TRACE_PAYLOAD_MAX, "all fields have room");

/* ---- Linux's events ---------------------------------------------------------------------------------------------- */

#define LEADING 3u /* fields that come first in types of a class, at most */

/* Of several rows with one name the first one counts whose fields the marker has. */
static const struct known {
    const char *system, *name;
    const char *field[LEADING]; /* the fields that come first in types of this class; NULL: no more */
    enum trace_class class;
    enum lttng_role role;
} known[] = {
    {"kernel", "sched_schedule", {"next_pid", "prev_pid", "prev_state"}, TRACE_SWITCH_OF, LTTNG_EVENT_ONLY},
    {"kernel", "sched_schedule", {"next_pid"}, TRACE_SWITCH, LTTNG_EVENT_ONLY},
    {"kernel", "sched_try_wakeup", {"pid"}, TRACE_WAKE, LTTNG_EVENT_ONLY},
    {"kernel", "sched_wakeup", {"pid"}, TRACE_WAKE, LTTNG_EVENT_ONLY},
    {"kernel", "sched_wakeup_new", {"pid"}, TRACE_WAKE, LTTNG_EVENT_ONLY},
    {"kernel", "sched_wakeup_new_task", {"pid"}, TRACE_WAKE, LTTNG_EVENT_ONLY},
    {"kernel", "irq_entry", {"irq_id"}, TRACE_IRQ_ENTRY, LTTNG_EVENT_ONLY},
    {"kernel", "irq_exit", {"irq_id"}, TRACE_IRQ_EXIT, LTTNG_EVENT_ONLY},
    {"kernel", "irq_exit", {NULL}, TRACE_IRQ_LEAVE, LTTNG_EVENT_ONLY},
    {"list", "process_state", {NULL}, TRACE_PLAIN, LTTNG_NAMES_PROCESS},
    {"task_state", "process_state", {NULL}, TRACE_PLAIN, LTTNG_NAMES_PROCESS},
    {"list", "interrupt", {NULL}, TRACE_PLAIN, LTTNG_NAMES_IRQ},
    {"irq_state", "interrupt", {NULL}, TRACE_PLAIN, LTTNG_NAMES_IRQ},
    {"fs", "exec", {NULL}, TRACE_PLAIN, LTTNG_NAMES_CURRENT},
};

/* ---- channels and markers ---------------------------------------------------------------------------------------- */

/* The channel of a name, or NULL. Before version 2 all names lead to the one channel. */
static struct lttng_channel *find_channel(const struct lttng_markers *markers, const char *name)
{
    struct lttng_channel *channel = markers->channels;
    while (channel != NULL && strcmp(channel->name, markers->per_channel ? name : "") != 0)
        channel = channel->next;
    return channel;
}

/* The channel of a name, which is added if it is new. NULL = no memory, or too many. */
static struct lttng_channel *take_channel(struct lttng_markers *markers, const char *name)
{
    struct lttng_channel *channel = find_channel(markers, name);
    if (channel != NULL)
        return channel;
    if (markers->nchannels == MARKERS_MAX)
        return NULL;
    channel = calloc(1, sizeof *channel);
    if (channel == NULL)
        return NULL;
    channel->name = strdup(markers->per_channel ? name : "");
    if (channel->name == NULL) {
        free(channel);
        return NULL;
    }
    channel->next = markers->channels;
    markers->channels = channel;
    markers->nchannels++;
    return channel;
}

/* Add a marker without id and format. NULL = no memory. */
static struct lttng_marker *add_marker(struct lttng_markers *markers, struct lttng_channel *channel, const char *name)
{
    struct lttng_marker *marker = calloc(1, sizeof *marker);
    if (marker == NULL)
        return NULL;
    marker->name = strdup(name);
    if (marker->name == NULL) {
        free(marker);
        return NULL;
    }
    marker->next = channel->markers;
    channel->markers = marker;
    markers->nmarkers++;
    return marker;
}

static void free_marker(struct lttng_marker *marker)
{
    free(marker->name);
    free(marker->format);
    free(marker->shown);
    free(marker->text);
    free(marker);
}

void lttng_markers_free(struct lttng_markers *markers)
{
    struct lttng_channel *channel;
    struct lttng_marker *marker;
    while ((channel = markers->channels) != NULL) {
        markers->channels = channel->next;
        while ((marker = channel->markers) != NULL) {
            channel->markers = marker->next;
            free_marker(marker);
        }
        for (size_t i = 0; i < LTTNG_IDS / LTTNG_IDS_TOGETHER; i++)
            free(channel->by_id[i]);
        free(channel->name);
        free(channel);
    }
}

/* Let an id lead to the marker. Returns false if there is no memory. */
static bool set_id(struct lttng_channel *channel, struct lttng_marker *marker, uint16_t id)
{
    struct lttng_marker ***some = &channel->by_id[id / LTTNG_IDS_TOGETHER];
    if (*some == NULL)
        *some = calloc(LTTNG_IDS_TOGETHER, sizeof **some);
    if (*some == NULL)
        return false;
    (*some)[id % LTTNG_IDS_TOGETHER] = marker;
    marker->id = id;
    marker->has_id = true;
    return true;
}

const struct lttng_channel *lttng_markers_channel(const struct lttng_markers *markers, const char *name)
{
    return find_channel(markers, name);
}

/* ---- learning ---------------------------------------------------------------------------------------------------- */

/* A marker of the name that may get the id, because it has none yet, or has that one already; or NULL. Several
 * markers may have one name, since each use of a marker in the kernel's code gets an id. */
static struct lttng_marker *find_for_id(struct lttng_channel *channel, const char *name, uint16_t id)
{
    for (struct lttng_marker *marker = channel->markers; marker != NULL; marker = marker->next) {
        if (strcmp(marker->name, name) == 0 && (!marker->has_id || marker->id == id))
            return marker;
    }
    return NULL;
}

/* The format of any marker of the name, or NULL: those of one name have one format. */
static const char *format_of(const struct lttng_channel *channel, const char *name)
{
    for (const struct lttng_marker *marker = channel->markers; marker != NULL; marker = marker->next) {
        if (marker->format != NULL && strcmp(marker->name, name) == 0)
            return marker->format;
    }
    return NULL;
}

/* A marker's id, and the sizes of C's types, were read. NULL, or what is wrong. */
static const char *learn_id(struct lttng_markers *markers, struct lttng_channel *channel, const char *name, uint16_t id,
                            const struct lttng_sizes *sizes)
{
    struct lttng_marker *marker = lttng_marker_find(channel, id);
    const char *format;
    if (marker != NULL)
        return strcmp(marker->name, name) == 0 ? NULL : "gives an id that another marker has";
    marker = find_for_id(channel, name, id);
    if (marker == NULL)
        marker = add_marker(markers, channel, name);
    if (marker == NULL || !set_id(channel, marker, id))
        return NO_MEMORY;
    marker->sizes = *sizes;
    format = format_of(channel, name);
    if (marker->format != NULL || format == NULL)
        return NULL;
    marker->format = strdup(format);
    return marker->format != NULL ? NULL : NO_MEMORY;
}

/* The format of all markers of a name was read. It may come before their ids. NULL, or what is wrong. */
static const char *learn_format(struct lttng_markers *markers, struct lttng_channel *channel, const char *name,
                                const char *format)
{
    bool known_name = false;
    for (struct lttng_marker *marker = channel->markers; marker != NULL; marker = marker->next) {
        if (strcmp(marker->name, name) != 0)
            continue;
        if (marker->format != NULL && strcmp(marker->format, format) != 0)
            return "gives a marker a second format";
        known_name = true;
        if (marker->format == NULL && (marker->format = strdup(format)) == NULL)
            return NO_MEMORY;
    }
    if (!known_name) {
        struct lttng_marker *marker = add_marker(markers, channel, name);
        if (marker == NULL || (marker->format = strdup(format)) == NULL)
            return NO_MEMORY;
    }
    return NULL;
}

/* The rest of an id event, behind the names: the id, aligned, and the sizes, which must be those of the header. */
static const char *learn_id_event(struct lttng_markers *markers, struct lttng_channel *channel, const char *name,
                                  struct cursor payload, const struct lttng_block_header *header)
{
    uint8_t word = header->arch_size;
    const struct lttng_sizes sizes = {4, word, word, word, header->alignment};
    const unsigned char expected[SIZES] = {4, word, word, word, header->alignment}, *found;
    const char *wrong;
    uint16_t id;
    cursor_skip(&payload, lttng_pad(payload.at, 2, header->alignment));
    id = cursor_16(&payload);
    found = cursor_view(&payload, SIZES);
    if (found == NULL || payload.at != payload.end)
        return "has a wrong size";
    wrong = learn_id(markers, channel, name, id, &sizes);
    if (wrong == NULL && memcmp(found, expected, SIZES) != 0)
        wrong = "tells sizes that differ from the header's, which are taken to be right";
    return wrong;
}

/* The rest of a format event, behind the names. */
static const char *learn_format_event(struct lttng_markers *markers, struct lttng_channel *channel, const char *name,
                                      struct cursor payload)
{
    const char *format = lttng_text(&payload);
    return format != NULL && payload.at == payload.end ? learn_format(markers, channel, name, format)
                                                       : "has a wrong size";
}

const char *lttng_markers_learn(struct lttng_markers *markers, bool is_format, struct cursor payload,
                                const struct lttng_block_header *header)
{
    const char *channel_name = markers->per_channel ? lttng_text(&payload) : "";
    const char *name = channel_name != NULL ? lttng_text(&payload) : NULL;
    struct lttng_channel *channel;
    if (name == NULL || name[0] == '\0')
        return "has no name";
    if (markers->nmarkers >= MARKERS_MAX)
        return "is of more kinds of events than can be told apart";
    channel = take_channel(markers, channel_name);
    if (channel == NULL)
        return "is of more channels than can be told apart";
    if (strcmp(name, LTTNG_OWN_WRITER) == 0)
        markers->own = true;
    return is_format ? learn_format_event(markers, channel, name, payload)
                     : learn_id_event(markers, channel, name, payload, header);
}

const char *lttng_markers_facility(struct lttng_markers *markers, uint16_t id, const char *name)
{
    static const struct lttng_sizes sizes = {4, 4, 4, 4, 0};
    struct lttng_channel *channel = take_channel(markers, "");
    struct lttng_marker *marker;
    const char *wrong = channel != NULL ? learn_id(markers, channel, name, id, &sizes) : NO_MEMORY;
    if (wrong != NULL)
        return wrong;
    marker = lttng_marker_find(channel, id);
    marker->as_bytes = true;
    for (unsigned i = 0; i < FACILITY_IDS; i++) {
        if (!set_id(channel, marker, (uint16_t)(id + i)))
            return NO_MEMORY;
    }
    return NULL;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* How the model shows a field. Pointers are addresses in the firmware only in traces of a firmware, which tlog-decode
 * wrote; in others they are those of a kernel. */
static enum trace_kind kind_of(const struct lttng_field *field, bool own)
{
    static const enum trace_kind kinds[] = {
        [LTTNG_UNSIGNED] = TRACE_UNSIGNED, [LTTNG_SIGNED] = TRACE_SIGNED,     [LTTNG_HEX] = TRACE_HEX,
        [LTTNG_ADDRESS] = TRACE_HEX,       [LTTNG_OPTIONAL] = TRACE_OPTIONAL, [LTTNG_TEXT] = TRACE_STRING};
    return own && field->conversion == LTTNG_ADDRESS && field->size >= 4 ? TRACE_ADDRESS : kinds[field->conversion];
}

/* The same for a field of a record, where a parameter's name may tell that it is a mutex or another object, whose names
 * tlog-decode wrote, too. */
static enum trace_kind kind_named(const struct lttng_field *field, const char *name, const char *system, bool own)
{
    enum trace_kind called = shark_kind_called(name);
    bool is_number = own && field->conversion == LTTNG_UNSIGNED && field->size == 4 && strcmp(system, "shark") == 0;
    return is_number && (called == TRACE_MUTEX || called >= TRACE_OBJECT) ? called : kind_of(field, own);
}

/* Lay the fields out in the model's payload, each aligned to its size. A string is a number of 4 bytes there, with its
 * offset and length; the texts follow behind the fields. */
static void lay_out(struct lttng_marker *marker)
{
    uint16_t offset = 0;
    for (unsigned i = 0; i < marker->nfields; i++) {
        struct lttng_field *field = &marker->field[i];
        uint16_t size = field->conversion == LTTNG_TEXT ? 4 : field->size;
        offset = (uint16_t)((offset + size - 1) & ~(size - 1));
        field->offset = offset;
        offset = (uint16_t)(offset + size);
    }
    marker->type.size = (uint16_t)((offset + 3u) & ~3u);
}

/* The system and the name of a type. */
struct names {
    char system[SYSTEM], name[NAME];
};

/* A channel is the system of its markers. Without channels the system is what the marker's name has before its first
 * "_", or "lttng". */
static void split_name(struct names *names, const struct lttng_channel *channel, const char *name)
{
    const char *bar = strchr(name, '_');
    size_t n = bar != NULL ? (size_t)(bar - name) : 0;
    if (channel->name[0] != '\0') {
        lttng_plain_name(names->system, SYSTEM, channel->name, SYSTEM);
        lttng_plain_name(names->name, NAME, name, NAME);
    } else if (n > 0 && bar[1] != '\0') {
        lttng_plain_name(names->system, SYSTEM, name, n);
        lttng_plain_name(names->name, NAME, bar + 1, NAME);
    } else {
        lttng_plain_name(names->system, SYSTEM, "lttng", SYSTEM);
        lttng_plain_name(names->name, NAME, name, NAME);
    }
}

/* The number that a type's name has behind the first length bytes of this one: name_2. 0 = it has other ones there, or
 * a number that is larger than there can be types. */
static unsigned number_of(const struct trace_type *type, const struct names *names, size_t length)
{
    const char *rest = type->name + length;
    unsigned long number;
    char *end;
    if (strcmp(type->system, names->system) != 0 || strncmp(type->name, names->name, length) != 0 || rest[0] != '_'
        || rest[1] < '1' || rest[1] > '9')
        return 0;
    number = strtoul(rest + 1, &end, 10);
    return *end == '\0' && number <= TRACE_TYPES_MAX ? (unsigned)number : 0;
}

/* If another type has the name, put a number at its end: the lowest one from 2 on that makes it new. */
static void make_unique(const struct trace *trace, struct names *names)
{
    bool taken[TRACE_TYPES_MAX + 2u] = {false}, is_new = true;
    size_t length = strlen(names->name);
    unsigned number = 2;
    if (length > NAME - 8u)
        length = NAME - 8u;
    for (unsigned i = 0; i < trace->ntypes; i++) {
        const struct trace_type *type = trace->types[i];
        is_new = is_new && (strcmp(type->system, names->system) != 0 || strcmp(type->name, names->name) != 0);
        taken[number_of(type, names, length)] = true;
    }
    while (taken[number])
        number++;
    if (!is_new)
        snprintf(names->name + length, NAME - length, "_%u", number);
}

/* Which of the marker's fields are shown first. */
struct order {
    unsigned n;
    unsigned field[LEADING]; /* n indices */
};

/* Where in the type the marker's field i is shown: at the place of a leading field, or behind these, in the order of
 * the marker. */
static unsigned shown_at(const struct order *order, unsigned i)
{
    unsigned before = 0;
    for (unsigned k = 0; k < order->n; k++) {
        if (order->field[k] == i)
            return k;
        before += order->field[k] < i;
    }
    return order->n + i - before;
}

/* Fill the marker's type, with names and fields in memory that belongs to the marker. False if there is no memory. */
static bool fill_type(struct lttng_marker *marker, const struct names *names, const struct lttng_format *format,
                      const struct order *order, bool own)
{
    unsigned n = marker->nfields;
    char *text = malloc(SYSTEM + NAME + (size_t)marker->nfields * LTTNG_NAME_BYTES);
    struct trace_field *shown = calloc(n + 1u, sizeof *shown);
    marker->text = text;
    marker->shown = shown;
    if (text == NULL || shown == NULL)
        return false;
    memcpy(text, names->system, SYSTEM);
    memcpy(text + SYSTEM, names->name, NAME);
    for (unsigned i = 0; i < marker->nfields; i++) {
        const struct lttng_field *field = &marker->field[i];
        char *name = text + SYSTEM + NAME + (size_t)i * LTTNG_NAME_BYTES;
        uint16_t size = field->conversion == LTTNG_TEXT ? 4 : field->size;
        memcpy(name, format->name[i], LTTNG_NAME_BYTES);
        shown[shown_at(order, i)] = (struct trace_field){name, kind_named(field, name, text, own), field->offset, size};
    }
    marker->type.system = text;
    marker->type.name = text + SYSTEM;
    marker->type.nfields = (uint16_t)n;
    marker->type.fields = shown;
    return true;
}

/* Index of the field of a name if it is a number, else the number of fields. */
static unsigned find_field(const struct lttng_marker *marker, const struct lttng_format *format, const char *name)
{
    unsigned i = 0;
    while (i < marker->nfields && strcmp(format->name[i], name) != 0)
        i++;
    return i < marker->nfields && marker->field[i].conversion != LTTNG_TEXT ? i : marker->nfields;
}

/* Parse the marker's format, or the one for payloads that are shown as bytes. */
static void parse_format(struct lttng_marker *marker, struct lttng_format *format)
{
    marker->as_bytes =
        marker->as_bytes || marker->format == NULL || !lttng_format_parse(format, marker->format, &marker->sizes);
    if (marker->as_bytes)
        lttng_format_parse(format, BYTES_FORMAT, &(const struct lttng_sizes){4, 4, 4, 4, 0});
    marker->nfields = format->n;
    marker->has_more = format->more > 0;
    memcpy(marker->field, format->field, sizeof marker->field);
    for (unsigned i = 0; i < marker->nfields; i++) {
        if (marker->field[i].size > marker->largest)
            marker->largest = marker->field[i].size;
    }
}

/* Find the leading fields of the row in the marker. False: it does not have them all. */
static bool find_leading(const struct lttng_marker *marker, const struct known *like, const struct lttng_format *format,
                         struct order *order)
{
    for (order->n = 0; order->n < LEADING && like->field[order->n] != NULL; order->n++) {
        order->field[order->n] = find_field(marker, format, like->field[order->n]);
        if (order->field[order->n] == marker->nfields)
            return false;
    }
    return true;
}

/* The class and the role of a marker and the order of its type's fields, if it is one of Linux's events that are
 * known. */
static struct order set_role(struct lttng_marker *marker, const struct names *names, const struct lttng_format *format)
{
    struct order order;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].system, names->system) != 0 || strcmp(known[i].name, names->name) != 0
            || !find_leading(marker, &known[i], format, &order))
            continue;
        marker->type.class = known[i].class;
        marker->role = known[i].role;
        return order;
    }
    return (struct order){0};
}

/* Make a type of a marker and declare it. */
static int declare(struct lttng_markers *markers, const struct lttng_channel *channel, struct lttng_marker *marker)
{
    struct lttng_format format;
    struct names names;
    struct order order = {0};
    parse_format(marker, &format);
    split_name(&names, channel, marker->name);
    if (!markers->own && !marker->as_bytes)
        order = set_role(marker, &names, &format);
    lay_out(marker);
    make_unique(markers->trace, &names);
    if (format.more > 0)
        trace_note(markers->trace, "%s:%s has %u fields, of which the first %u are shown", names.system, names.name,
                   format.n + format.more, format.n);
    if (!fill_type(marker, &names, &format, &order, markers->own))
        return trace_fail(markers->trace, "%s: no memory for markers", markers->trace->input_name);
    marker->index = trace_type(markers->trace, &marker->type);
    return markers->trace->failed ? -1 : 0;
}

/* Declare the markers of a channel, in the order of their ids. A facility has many ids. */
static int declare_channel(struct lttng_markers *markers, const struct lttng_channel *channel)
{
    for (uint32_t id = 0; id < LTTNG_IDS; id++) {
        struct lttng_marker *marker = lttng_marker_find(channel, id);
        if (channel->by_id[id / LTTNG_IDS_TOGETHER] == NULL)
            id += LTTNG_IDS_TOGETHER - 1u;
        else if (marker != NULL && marker->text == NULL && declare(markers, channel, marker) != 0)
            return -1;
    }
    return 0;
}

int lttng_markers_declare(struct lttng_markers *markers)
{
    for (struct lttng_channel *channel = markers->channels; channel != NULL; channel = channel->next) {
        if (declare_channel(markers, channel) != 0)
            return -1;
    }
    return 0;
}

void lttng_marker_rename(struct lttng_marker *marker, const char *system, const char *name, enum trace_class class)
{
    lttng_plain_name(marker->text, SYSTEM, system, SYSTEM);
    lttng_plain_name(marker->text + SYSTEM, NAME, name, NAME);
    marker->type.class = class;
}
