/* marker_types.c - from a marker's format, such as "name %s id #2u%u", to a type of the event model.
 *
 * A field is written "name #type%conversion". The type is how it lies in the trace: attributes (b: in the word of a
 * compact event, n: network byte order), a size (h l ll L z Z t, or the digits 1 2 4 8) and a letter. The conversion is
 * how it is printed, as in printf(). Without a type the field lies in the trace as the conversion expects it.
 *
 * Linux's events that the model has a meaning for are known by name, as the kernel of that time called them. Before
 * version 2 a marker's name begins with its system: kernel_sched_schedule is kernel:sched_schedule, as it is in
 * version 2, where the channel is called kernel.
 */
#include "base/heap.h"
#include "formats/lttng/marker.h"

#include "text/print_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEM       64u                        /* bytes of a system's name, with its NUL */
#define NAME         96u                        /* bytes of a type's name, with its NUL */
#define PRINT_MOST   65536u                     /* bytes of a print format */
#define BYTES_FORMAT "event %u size %u data %s" /* for payloads that are shown as bytes: see payload.c */

/* A payload of the model always has room for fields as large as they can be, the least of each string, and padding at
 * the end. */
_Static_assert(LTTNG_FIELDS_MAX *(8u + LTTNG_TEXT_LEAST) + 4u <= TRACE_PAYLOAD_MAX, "all fields have room");

/* What "#..." or "%..." say of a field. */
struct conversion {
    enum lttng_conversion kind;
    uint8_t size; /* bytes; 0 = a string */
    bool found, network, compact;
};

/* ---- one conversion ---------------------------------------------------------------------------------------------- */

/* Read the size qualifier at *text and move *text behind it. 0 = there is none. "ll" is given as L, "hh" as 1. */
static char take_qualifier(const char **text)
{
    char c = **text;
    if (c == '\0' || strchr("hlLzZt1248", c) == NULL)
        return 0;
    ++*text;
    if (c == 'l' && **text == 'l') {
        ++*text;
        return 'L';
    }
    if (c == 'h' && **text == 'h') {
        ++*text;
        return '1';
    }
    return c;
}

/* Bytes of a number with a size qualifier. */
static uint8_t number_size(char size, const struct lttng_sizes *sizes)
{
    switch (size) {
    case 'h':
        return 2;
    case 'l':
        return sizes->of_long;
    case 'L':
        return 8;
    case 'z':
    case 'Z':
        return sizes->of_size_t;
    case 't':
        return sizes->of_pointer;
    case '1':
    case '2':
    case '4':
    case '8':
        return (uint8_t)(size - '0');
    default:
        return sizes->of_int;
    }
}

/* The letter that ends a type or conversion. Returns false if it is none that is known. */
static bool set_letter(struct conversion *conversion, char c, char size, const struct lttng_sizes *sizes)
{
    switch (c) {
    case 'd':
    case 'i':
        conversion->kind = LTTNG_SIGNED;
        break;
    case 'u':
    case 'o':
        conversion->kind = LTTNG_UNSIGNED;
        break;
    case 'x':
    case 'X':
        conversion->kind = LTTNG_HEX;
        break;
    case 'p':
        conversion->kind = LTTNG_HEX;
        break;
    case 'c':
        conversion->kind = LTTNG_UNSIGNED;
        conversion->size = 1;
        return true;
    case 's':
        conversion->kind = LTTNG_TEXT;
        conversion->size = 0;
        return true;
    default:
        return false;
    }
    conversion->size = c == 'p' ? sizes->of_pointer : number_size(size, sizes);
    return conversion->size == 1 || conversion->size == 2 || conversion->size == 4 || conversion->size == 8;
}

/* Read the type or conversion at *text and move *text behind it. attributes: the characters that may come first. */
static bool parse_conversion(struct conversion *conversion, const char **text, const char *attributes,
                             const struct lttng_sizes *sizes)
{
    char size;
    *conversion = (struct conversion){.found = true};
    for (; **text != '\0' && strchr(attributes, **text) != NULL; ++*text) {
        conversion->compact |= **text == 'b';
        conversion->network |= **text == 'n';
    }
    size = take_qualifier(text);
    return **text != '\0' && set_letter(conversion, *(*text)++, size, sizes);
}

/* ---- names of fields --------------------------------------------------------------------------------------------- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Copy up to n bytes of a text, with "_" for all that is no letter, digit or "_"; at most room - 1 bytes, then a
 * NUL. */
static void plain_name(char *to, size_t room, const char *from, size_t n)
{
    size_t i;
    for (i = 0; i < n && i < room - 1u && from[i] != '\0'; i++)
        to[i] = is_plain(from[i]) ? from[i] : '_';
    to[i] = '\0';
}

static bool is_taken(const struct lttng_format *format, const char *name)
{
    for (unsigned i = 0; i < format->n; i++) {
        if (strcmp(format->name[i], name) == 0)
            return true;
    }
    return false;
}

/* Name the next field after the text from from to end, which is before its type: up to the first blank. Names get a
 * number at their end where the format has one twice. */
static void name_field(struct lttng_format *format, const char *from, const char *end)
{
    char *name = format->name[format->n];
    size_t length;
    while (from < end && *from == ' ')
        from++;
    for (length = 0; from + length < end && from[length] != ' ';)
        length++;
    plain_name(name, LTTNG_NAME_BYTES - 8u, from, length);
    if (name[0] == '\0')
        snprintf(name, LTTNG_NAME_BYTES, "field_%u", format->n + 1u);
    length = strlen(name);
    for (unsigned i = 2; is_taken(format, name); i++)
        snprintf(name + length, LTTNG_NAME_BYTES - length, "_%u", i);
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* Add a field of the type stored, which may be missing, and the conversion print; its name is between from and end. */
static void add_field(struct lttng_format *format, const struct conversion *stored, const struct conversion *print,
                      const char *from, const char *end)
{
    const struct conversion *size = stored->found ? stored : print;
    struct lttng_field *field;
    if (format->n == LTTNG_FIELDS_MAX) {
        format->more++;
        return;
    }
    field = &format->field[format->n];
    *field = (struct lttng_field){.conversion = size->kind, .size = size->size, .network = stored->network};
    field->compact = stored->compact;
    if (print->kind == LTTNG_TEXT) {
        field->conversion = LTTNG_TEXT;
        field->size = 0;
    } else if (print->kind == LTTNG_HEX && field->size > 0) {
        field->conversion = LTTNG_HEX;
    }
    name_field(format, from, end);
    format->n++;
}

bool lttng_format_parse(struct lttng_format *format, const char *text, const struct lttng_sizes *sizes)
{
    struct conversion stored = {0}, print;
    const char *name = text, *name_end = NULL;
    format->n = format->more = 0;
    while (*text != '\0') {
        char c = *text++;
        if (c != '#' && c != '%')
            continue;
        if (*text == c) { /* ## and %% stand for themselves */
            text++;
            continue;
        }
        if (name_end == NULL)
            name_end = text - 1;
        if (!parse_conversion(c == '#' ? &stored : &print, &text, c == '#' ? "bn" : "-+ #0", sizes))
            return false;
        if (c == '#')
            continue;
        add_field(format, &stored, &print, name, name_end);
        stored.found = stored.network = stored.compact = false;
        name = text;
        name_end = NULL;
    }
    return true;
}

/* ---- Linux's events ---------------------------------------------------------------------------------------------- */

#define LEADING 3u /* fields that come first in types of a meaning, at most */

/* Of rows with the same name, the first one counts whose fields the marker has. */
static const struct linux_event {
    const char *system, *name;
    const char *field[LEADING]; /* the fields that come first in types of this meaning; NULL: no more */
    enum tlog_meaning means;
    enum lttng_role role;
} linux_events[] = {
    {"kernel", "sched_schedule", {"next_pid", "prev_pid", "prev_state"}, TLOG_MEANS_SWITCH_OF, LTTNG_EVENT_ONLY},
    {"kernel", "sched_schedule", {"next_pid"}, TLOG_MEANS_SWITCH, LTTNG_EVENT_ONLY},
    {"kernel", "sched_try_wakeup", {"pid"}, TLOG_MEANS_WAKE, LTTNG_EVENT_ONLY},
    {"kernel", "sched_wakeup", {"pid"}, TLOG_MEANS_WAKE, LTTNG_EVENT_ONLY},
    {"kernel", "sched_wakeup_new", {"pid"}, TLOG_MEANS_WAKE, LTTNG_EVENT_ONLY},
    {"kernel", "sched_wakeup_new_task", {"pid"}, TLOG_MEANS_WAKE, LTTNG_EVENT_ONLY},
    {"kernel", "irq_entry", {"irq_id"}, TLOG_MEANS_IRQ_ENTRY, LTTNG_EVENT_ONLY},
    {"kernel", "irq_exit", {"irq_id"}, TLOG_MEANS_IRQ_EXIT, LTTNG_EVENT_ONLY},
    {"kernel", "irq_exit", {NULL}, TLOG_MEANS_IRQ_LEAVE, LTTNG_EVENT_ONLY},
    {"list", "process_state", {NULL}, TLOG_MEANS_PLAIN, LTTNG_NAMES_PROCESS},
    {"task_state", "process_state", {NULL}, TLOG_MEANS_PLAIN, LTTNG_NAMES_PROCESS},
    {"list", "interrupt", {NULL}, TLOG_MEANS_PLAIN, LTTNG_NAMES_IRQ},
    {"irq_state", "interrupt", {NULL}, TLOG_MEANS_PLAIN, LTTNG_NAMES_IRQ},
    {"fs", "exec", {NULL}, TLOG_MEANS_PLAIN, LTTNG_NAMES_CURRENT},
};

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* How the model shows a field. */
static enum tlog_kind kind_of(const struct lttng_field *field)
{
    static const enum tlog_kind kinds[] = {[LTTNG_UNSIGNED] = TLOG_KIND_UNSIGNED,
                                           [LTTNG_SIGNED] = TLOG_KIND_SIGNED,
                                           [LTTNG_HEX] = TLOG_KIND_HEX,
                                           [LTTNG_TEXT] = TLOG_KIND_STRING};
    return kinds[field->conversion];
}

/* Lay the fields out in the model's payload, each aligned to its size. A string is a number of 4 bytes there, with its
 * offset and length; the texts follow behind the fields. */
static void lay_out(struct lttng_marker *marker)
{
    uint16_t offset = 0;
    for (unsigned i = 0; i < marker->nfields; i++) {
        struct lttng_field *field = &marker->field[i];
        uint16_t size = field->conversion == LTTNG_TEXT ? 4 : field->size;
        if (field->chars > 0)
            size = field->chars;
        else
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
        plain_name(names->system, SYSTEM, channel->name, SYSTEM);
        plain_name(names->name, NAME, name, NAME);
    } else if (n > 0 && bar[1] != '\0') {
        plain_name(names->system, SYSTEM, name, n);
        plain_name(names->name, NAME, bar + 1, NAME);
    } else {
        plain_name(names->system, SYSTEM, "lttng", SYSTEM);
        plain_name(names->name, NAME, name, NAME);
    }
}

/* The number in a type's name behind the first length bytes, which must be those of the names: 2 in name_2. 0 = no
 * number is there, or one that is larger than there can be types. */
static unsigned number_of(const struct tlog_type *type, const struct names *names, size_t length)
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
        const struct tlog_type *type = trace->types[i];
        is_new = is_new && (strcmp(type->system, names->system) != 0 || strcmp(type->name, names->name) != 0);
        taken[number_of(type, names, length)] = true;
    }
    while (taken[number])
        number++;
    if (!is_new)
        snprintf(names->name + length, NAME - length, "_%u", number);
}

/* Which of the marker's fields are shown first. */
struct leading {
    unsigned n;
    unsigned field[LEADING]; /* n indices */
};

/* Where in the type the marker's field i is shown: at the place of a leading field, or behind these, in the order of
 * the marker. */
static unsigned shown_at(const struct leading *leading, unsigned i)
{
    unsigned before = 0;
    for (unsigned k = 0; k < leading->n; k++) {
        if (leading->field[k] == i)
            return k;
        before += leading->field[k] < i;
    }
    return leading->n + i - before;
}

/* Fill the marker's type, with names and fields in memory that belongs to the marker. False if there is no memory. */
static bool fill_type(struct lttng_marker *marker, const struct names *names, const struct lttng_format *format,
                      const struct leading *leading)
{
    unsigned n = marker->nfields;
    char *text = heap_alloc(SYSTEM + NAME + (size_t)marker->nfields * LTTNG_NAME_BYTES);
    struct tlog_field *shown = heap_calloc(n + 1u, sizeof *shown);
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
        shown[shown_at(leading, i)] = (struct tlog_field){name, kind_of(field), field->offset, size};
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
static bool find_leading(const struct lttng_marker *marker, const struct linux_event *like,
                         const struct lttng_format *format, struct leading *leading)
{
    for (leading->n = 0; leading->n < LEADING && like->field[leading->n] != NULL; leading->n++) {
        leading->field[leading->n] = find_field(marker, format, like->field[leading->n]);
        if (leading->field[leading->n] == marker->nfields)
            return false;
    }
    return true;
}

/* The meaning and the role of a marker and the order of its type's fields, if it is one of Linux's events that are
 * known. */
static struct leading set_role(struct lttng_marker *marker, const struct names *names,
                               const struct lttng_format *format)
{
    struct leading leading;
    for (size_t i = 0; i < sizeof linux_events / sizeof linux_events[0]; i++) {
        if (strcmp(linux_events[i].system, names->system) != 0 || strcmp(linux_events[i].name, names->name) != 0
            || !find_leading(marker, &linux_events[i], format, &leading))
            continue;
        marker->type.means = linux_events[i].means;
        marker->role = linux_events[i].role;
        return leading;
    }
    return (struct leading){0};
}

static bool tells_facts(const char *name)
{
    return strcmp(name, LTTNG_TLOG_EVENT) == 0 || strcmp(name, LTTNG_TLOG_COMPACT) == 0;
}

/* Make a type of a marker and declare it. */
static int declare(struct lttng_markers *markers, const struct lttng_channel *channel, struct lttng_marker *marker)
{
    struct lttng_format format;
    struct names names;
    struct leading leading = {0};
    parse_format(marker, &format);
    split_name(&names, channel, marker->name);
    if (markers->by_tlog)
        marker->role = tells_facts(marker->name) ? LTTNG_TELLS_FACTS : LTTNG_EVENT_ONLY;
    else if (!marker->as_bytes)
        leading = set_role(marker, &names, &format);
    lay_out(marker);
    make_unique(markers->trace, &names);
    if (format.more > 0)
        trace_note(markers->trace, "%s:%s has %u fields, of which the first %u are shown", names.system, names.name,
                   format.n + format.more, format.n);
    if (!fill_type(marker, &names, &format, &leading))
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

void lttng_marker_rename(struct lttng_marker *marker, const char *system, const char *name, enum tlog_meaning means)
{
    plain_name(marker->text, SYSTEM, system, SYSTEM);
    plain_name(marker->text + SYSTEM, NAME, name, NAME);
    marker->type.means = means;
}

/* Make a string TLOG_KIND_CHARS of so many bytes. False: it is none, or they do not fit in a payload. */
static bool set_chars(struct lttng_marker *marker, unsigned i, uint64_t size)
{
    if (marker->shown[i].kind != TLOG_KIND_STRING || size == 0 || size + marker->type.size > TRACE_PAYLOAD_MAX / 2u)
        return false;
    marker->field[i].chars = (uint16_t)size;
    marker->shown[i].size = (uint16_t)size;
    lay_out(marker);
    for (unsigned k = 0; k < marker->nfields; k++)
        marker->shown[k].offset = marker->field[k].offset;
    return true;
}

bool lttng_marker_set_kind(struct lttng_marker *marker, uint64_t field, enum tlog_kind kind, uint64_t size)
{
    struct tlog_field *shown = field < marker->type.nfields ? &marker->shown[field] : NULL;
    bool fits = shown != NULL && shown->kind != TLOG_KIND_STRING && shown->kind != TLOG_KIND_CHARS
                && (shown->size == 4u || (shown->size == 8u && kind == TLOG_KIND_ADDRESS));
    if (shown != NULL && kind == TLOG_KIND_CHARS)
        fits = set_chars(marker, (unsigned)field, size);
    if (fits)
        shown->kind = kind;
    return fits;
}

/* Whether the text has no other characters than print formats have. */
static bool is_printable(const char *text)
{
    while (*text >= ' ' && *text <= '~')
        text++;
    return *text == '\0';
}

const char *lttng_marker_add_print(struct lttng_marker *marker, const char *text)
{
    size_t n = marker->print != NULL ? strlen(marker->print) : 0, more = strlen(text);
    char *print;
    if (!is_printable(text))
        return "has other characters than ASCII's";
    if (n + more >= PRINT_MOST)
        return "is too long";
    print = heap_realloc(marker->print, n + more + 1u);
    if (print == NULL)
        return "does not fit in memory";
    marker->print = print;
    memcpy(print + n, text, more + 1u);
    return NULL;
}

bool lttng_marker_end_print(struct lttng_marker *marker)
{
    struct print_format pieces = {0};
    bool good;
    marker->type.print = marker->print;
    good = print_format_parse(&pieces, &marker->type);
    heap_free(pieces.piece);
    if (!good)
        marker->type.print = NULL;
    return good;
}
