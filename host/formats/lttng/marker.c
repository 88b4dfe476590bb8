/* marker.c - the events an LTTng trace describes: see marker.h. */
#include "base/heap.h"
#include "formats/lttng/layout.h"
#include "formats/lttng/marker.h"

#include "base/text.h"
#include "events/rtos_types.h"

#include <string.h>

#define MARKERS_MAX  900u /* less than TRACE_TYPES_MAX, since other types are declared, too */
#define SIZES        5u   /* bytes at the end of an id event: of int, long, pointer, size_t, and the alignment */
#define FACILITY_7   28u  /* bytes of a facility's description behind its name, with the size of int: 0.7, 0.8 */
#define FACILITY_6   24u  /* without it: 0.3 to 0.6 */
#define FACILITY_IDS 256u /* ids of a facility */
#define CLASSES      (sizeof class_name / sizeof class_name[0])
#define NO_MEMORY    "does not fit in memory"

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
    channel = heap_calloc(1, sizeof *channel);
    if (channel == NULL)
        return NULL;
    channel->name = text_copy(markers->per_channel ? name : "");
    if (channel->name == NULL) {
        heap_free(channel);
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
    struct lttng_marker *marker = heap_calloc(1, sizeof *marker);
    if (marker == NULL)
        return NULL;
    marker->name = text_copy(name);
    if (marker->name == NULL) {
        heap_free(marker);
        return NULL;
    }
    marker->next = channel->markers;
    channel->markers = marker;
    markers->nmarkers++;
    return marker;
}

static void free_marker(struct lttng_marker *marker)
{
    heap_free(marker->name);
    heap_free(marker->format);
    heap_free(marker->shown);
    heap_free(marker->text);
    heap_free(marker->print);
    heap_free(marker);
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
            heap_free(channel->by_id[i]);
        heap_free(channel->name);
        heap_free(channel);
    }
}

/* Let an id lead to the marker. Returns false if there is no memory. */
static bool set_id(struct lttng_channel *channel, struct lttng_marker *marker, uint16_t id)
{
    struct lttng_marker ***some = &channel->by_id[id / LTTNG_IDS_TOGETHER];
    if (*some == NULL)
        *some = heap_calloc(LTTNG_IDS_TOGETHER, sizeof **some);
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
    marker->format = text_copy(format);
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
        if (marker->format == NULL && (marker->format = text_copy(format)) == NULL)
            return NO_MEMORY;
    }
    if (!known_name) {
        struct lttng_marker *marker = add_marker(markers, channel, name);
        if (marker == NULL || (marker->format = text_copy(format)) == NULL)
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

/* All events of a facility, id to id + 255, become one marker. */
static const char *add_facility(struct lttng_markers *markers, uint16_t id, const char *name)
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

/* In versions 0.3 to 0.8: name, checksum, id, and sizes of C's types. Other events of the core are passed over. */
static const char *learn_facility(struct lttng_markers *markers, struct cursor payload)
{
    const char *name = lttng_text(&payload);
    uint64_t rest = cursor_left(&payload);
    uint32_t id;
    if (name == NULL || name[0] == '\0' || rest < FACILITY_6 || rest >= FACILITY_7 + 4u)
        return NULL;
    cursor_skip(&payload, rest - (rest >= FACILITY_7 ? FACILITY_7 : FACILITY_6)); /* padding */
    cursor_skip(&payload, 4);                                                     /* checksum */
    id = cursor_32(&payload);
    if (id == 0 || id > 255u)
        return "gives a facility a number that is none of 1 to 255";
    return add_facility(markers, (uint16_t)(id << 8), name);
}

/* From version 1.0 on: the names, then what an id event or a format event has behind them. */
static const char *learn_marker(struct lttng_markers *markers, uint32_t id, struct cursor payload,
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
    if (strcmp(name, LTTNG_TLOG_WRITER) == 0)
        markers->by_tlog = true;
    return id == LTTNG_MARKER_FORMAT ? learn_format_event(markers, channel, name, payload)
                                     : learn_id_event(markers, channel, name, payload, header);
}

const char *lttng_markers_learn(struct lttng_markers *markers, uint32_t id, struct cursor payload,
                                const struct lttng_block_header *header)
{
    return header->family == LTTNG_FACILITIES ? learn_facility(markers, payload)
                                              : learn_marker(markers, id, payload, header);
}

uint32_t lttng_markers_description_size(const struct lttng_markers *markers, uint32_t id, struct cursor payload,
                                        const struct lttng_block_header *header)
{
    bool is_id = id == LTTNG_MARKER_ID;
    for (unsigned texts = (is_id ? 1u : 2u) + markers->per_channel; texts > 0; texts--)
        lttng_text(&payload);
    if (is_id)
        cursor_skip(&payload, lttng_pad(payload.at, 2, header->alignment) + 7u);
    return payload.bad ? LTTNG_SIZE_UNKNOWN : (uint32_t)payload.at;
}

/* ---- words of tlog-decode --------------------------------------------------------------------------------------- */

static const char *const class_name[] = {
    [TLOG_MEANS_PLAIN] = "plain",
    [TLOG_MEANS_SWITCH] = "switch",
    [TLOG_MEANS_SWITCH_OF] = "switch_of",
    [TLOG_MEANS_WAKE] = "wake",
    [TLOG_MEANS_BLOCK] = "block",
    [TLOG_MEANS_LOCK] = "lock",
    [TLOG_MEANS_UNBLOCK] = "unblock",
    [TLOG_MEANS_IRQ_ENTRY] = "irq_entry",
    [TLOG_MEANS_IRQ_EXIT] = "irq_exit",
    [TLOG_MEANS_IRQ_LEAVE] = "irq_leave",
    [TLOG_MEANS_RESUME] = "resume",
    [TLOG_MEANS_RUNNING] = "running",
    [TLOG_MEANS_PRIORITY] = "priority",
    [TLOG_MEANS_PAUSE] = "pause",
    [TLOG_MEANS_NO_SWITCHES] = "no_switches",
    [TLOG_MEANS_CREATE] = "create",
    [TLOG_MEANS_END] = "end",
    [TLOG_MEANS_LOSS] = "loss",
    [TLOG_MEANS_DAMAGE] = "damage",
    [TLOG_MEANS_LEFT_OUT] = "left_out",
    [TLOG_MEANS_MARK] = "mark",
    [TLOG_MEANS_BLOCK_RUNNING] = "block_running",
    [TLOG_MEANS_LOCK_RUNNING] = "lock_running",
};

const char *lttng_meaning_name(enum tlog_meaning means)
{
    return means < CLASSES ? class_name[means] : class_name[TLOG_MEANS_PLAIN];
}

enum tlog_meaning lttng_meaning_named(const char *name)
{
    for (size_t i = 0; i < CLASSES; i++) {
        if (strcmp(class_name[i], name) == 0)
            return (enum tlog_meaning)i;
    }
    return TLOG_MEANS_PLAIN;
}

const char *lttng_kind_name(enum tlog_kind kind)
{
    if (kind >= TLOG_KIND_OBJECT && kind <= TLOG_KIND_OBJECT_LAST)
        return rtos_object_name((uint32_t)(kind - TLOG_KIND_OBJECT));
    switch (kind) {
    case TLOG_KIND_TASK:
        return "task";
    case TLOG_KIND_TASK_OR_0:
        return "task_or_0";
    case TLOG_KIND_INTERRUPT:
        return "interrupt";
    case TLOG_KIND_MUTEX:
        return "mutex";
    case TLOG_KIND_CHARS:
        return "chars";
    case TLOG_KIND_OPTIONAL:
        return "optional";
    case TLOG_KIND_ADDRESS:
        return "address";
    default:
        return NULL;
    }
}

bool lttng_kind_named(const char *name, enum tlog_kind *kind)
{
    for (int i = TLOG_KIND_UNSIGNED; i <= (int)TLOG_KIND_WORDS; i++) {
        const char *word = lttng_kind_name((enum tlog_kind)i);
        *kind = (enum tlog_kind)i;
        if (word != NULL && strcmp(word, name) == 0)
            return true;
    }
    return false;
}
