/* qnx_types.c - makes types of event of the rows of qnx_rows.h, and payloads: see qnx_types.h.
 *
 * An event may have up to three types, its forms. Which one an event is depends on how many words it has.
 */
#include "events/qnx_types.h"

#include "base/heap.h"
#include "base/bytes.h"
#include "events/qnx_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX    24u /* of a row */
#define FIELDS_ADDED 4u  /* at most so many fields stand before and behind the words */
#define HEX_WORD     9u  /* characters of a word in hexadecimal, and a blank */

/* With the words of a row's short form; of its long one; with words that have no names. Of user events: two words; a
 * text; more words. */
enum form { FORM_FAST, FORM_WIDE, FORM_DATA, FORMS };

struct qnx_type {
    struct qnx_type *next; /* in the list of all */
    struct tlog_type type;
    uint16_t index; /* in the trace */
    uint16_t words; /* words of data that are fields */
    uint16_t least; /* words that an event of the type has at least */
    bool text;      /* a text stands behind the words */
    bool context;   /* the thread's context stands before the words */
    bool class;     /* class and number stand before the words */
    enum qnx_layout layout;
    struct tlog_field field[WORDS_MAX + FIELDS_ADDED];
    char names[]; /* the type's name, then those of its fields, each with a NUL */
};

void qnx_types_start(struct qnx_types *types, struct trace *trace, unsigned release, uint32_t first, uint32_t last)
{
    static const char digits[] = "0123456789abcdef";
    *types = (struct qnx_types){.trace = trace, .release = release};
    qnx_threads_start(&types->threads, trace, release, first, last);
    for (unsigned i = 0; i < 256u; i++)
        types->hex[i] = (uint16_t)(digits[i >> 4] | digits[i & 15u] << 8);
}

void qnx_types_free(struct qnx_types *types)
{
    while (types->all != NULL) {
        struct qnx_type *type = types->all;
        types->all = type->next;
        heap_free(type);
    }
    for (unsigned class = 0; class < TLOG_TRACE_CLASS_COUNT; class ++) {
        heap_free(types->row[class]);
        heap_free(types->type[class]);
        types->row[class] = NULL;
        types->type[class] = NULL;
    }
    qnx_threads_free(&types->threads);
}

/* ---- making types ---------------------------------------------------------------------------------------------- */

/* Append a field of 4 bytes. */
static void add_field(struct qnx_type *type, const char *name, enum tlog_kind kind)
{
    type->field[type->type.nfields++] = (struct tlog_field){name, kind, type->type.size, 4};
    type->type.size = (uint16_t)(type->type.size + 4u);
}

/* Append the field of one word of a row's list. The mark behind its name says the kind, and is replaced by the NUL. */
static void add_word(struct qnx_type *type, char *name)
{
    char *mark = name + strcspn(name, "*?$");
    enum tlog_kind kind = *mark == '*' ? TLOG_KIND_HEX : *mark == '?' ? TLOG_KIND_OPTIONAL : TLOG_KIND_UNSIGNED;
    type->text = *mark == '$';
    *mark = '\0';
    add_field(type, name, type->text ? TLOG_KIND_STRING : kind);
    type->words = (uint16_t)(type->words + !type->text);
    type->least = kind == TLOG_KIND_OPTIONAL ? type->least : type->words;
}

/* Append a field for each name in a row's list; blanks separate the names, and NULs replace the blanks. A slot has two
 * words, so a list with fewer names gets nameless ones; those are shown if they are not 0. */
static void add_words(struct qnx_type *type, char *list)
{
    static const char *const nameless[] = {"word0", "word1"};
    for (char *name = list; *name != '\0' && type->words < WORDS_MAX;) {
        size_t n = strcspn(name, " ");
        bool more = name[n] != '\0';
        name[n] = '\0';
        add_word(type, name);
        name += n + more;
    }
    while (type->words < TLOG_TRACE_SLOT_WORDS && !type->text)
        add_field(type, nameless[type->words++], TLOG_KIND_OPTIONAL);
}

/* A type without fields, named name and suffix; the list is copied behind that name, for add_words(). NULL after
 * trace_fail(). */
static struct qnx_type *new_type(struct qnx_types *types, const char *name, const char *suffix, const char *list,
                                 enum tlog_meaning means)
{
    size_t bytes = strlen(name) + strlen(suffix) + 1u;
    struct qnx_type *type = heap_calloc(1, sizeof *type + bytes + strlen(list) + 1u);
    if (type == NULL) {
        trace_fail(types->trace, "%s: no memory for types of events", types->trace->input_name);
        return NULL;
    }
    snprintf(type->names, bytes, "%s%s", name, suffix);
    memcpy(type->names + bytes, list, strlen(list) + 1u);
    type->type.system = "qnx";
    type->type.name = type->names;
    type->type.means = means;
    type->layout = QNX_OTHER;
    type->type.fields = type->field;
    type->next = types->all;
    types->all = type;
    return type;
}

/* Declare the type, whose fields are complete, to the trace. NULL after trace_fail(). */
static struct qnx_type *declare(struct qnx_types *types, struct qnx_type *type)
{
    type->index = trace_type(types->trace, &type->type);
    return types->trace->failed ? NULL : type;
}

/* A type with data: how many words, and the words as a text. */
static struct qnx_type *make_data(struct qnx_types *types, const char *name, bool with_class, bool with_event,
                                  enum qnx_layout layout)
{
    struct qnx_type *type = new_type(types, name, "_data", "", TLOG_MEANS_PLAIN);
    if (type == NULL)
        return NULL;
    type->class = with_class;
    type->layout = layout;
    if (with_class)
        add_field(type, "class", TLOG_KIND_UNSIGNED);
    if (with_event)
        add_field(type, "event", TLOG_KIND_UNSIGNED);
    add_field(type, "words", TLOG_KIND_UNSIGNED);
    add_field(type, "data", TLOG_KIND_STRING);
    return declare(types, type);
}

/* The layout of a row's type. qnx_payload() must see events of class PR_TH, because they tell threads and names: they
 * have the layout QNX_OTHER, unless finding their context notes the thread. */
static enum qnx_layout layout_of(const struct qnx_type *type, const struct qnx_row *row)
{
    bool two = type->words == TLOG_TRACE_SLOT_WORDS;
    if (row->thread && !type->text)
        return two ? QNX_CONTEXT_WORDS : QNX_CONTEXT_MORE_WORDS;
    if (row->class == TLOG_TRACE_PR_TH)
        return QNX_OTHER;
    if (type->text)
        return two ? QNX_WORDS_EMPTY_TEXT : QNX_OTHER;
    return two ? QNX_WORDS : QNX_MORE_WORDS;
}

/* Whether the number of slots alone decides that an event has the form with data. It does if the row has no text, which
 * may be there or not, and if qnx_payload() need not see the event. */
static bool is_always_data(const struct qnx_row *row)
{
    return row->class != TLOG_TRACE_PR_TH && strchr(row->fast, '$') == NULL && strchr(row->wide, '$') == NULL;
}

/* The type of a row's event in one of its forms. */
static struct qnx_type *make_row(struct qnx_types *types, const struct qnx_row *row, enum form form)
{
    bool wide = form == FORM_WIDE;
    struct qnx_type *type;
    if (form == FORM_DATA)
        return make_data(types, row->name, false, false, is_always_data(row) ? QNX_DATA : QNX_OTHER);
    type = new_type(types, row->name, wide ? "_wide" : "", wide ? row->wide : row->fast, row->means);
    if (type == NULL)
        return NULL;
    type->context = row->thread;
    if (row->thread)
        add_field(type, "context", TLOG_KIND_UNSIGNED);
    add_words(type, type->names + strlen(type->names) + 1u);
    type->layout = layout_of(type, row);
    return declare(types, type);
}

/* A type of user events in one of their forms. The number is the first name of the list, but no word of data. */
static struct qnx_type *make_user(struct qnx_types *types, enum form form)
{
    static const char *const suffixes[] = {"", "_string"};
    static const char *const lists[] = {"event d0 d1", "event text$"};
    struct qnx_type *type;
    if (form == FORM_DATA)
        return make_data(types, "user", false, true, QNX_OTHER);
    type = new_type(types, "user", suffixes[form], lists[form], TLOG_MEANS_PLAIN);
    if (type == NULL)
        return NULL;
    add_words(type, type->names + strlen(type->names) + 1u);
    type->words--;
    type->layout = type->text ? QNX_EVENT_TEXT : QNX_EVENT_WORDS;
    return declare(types, type);
}

/* The type of user events with that many slots, each of whose words is a field: d0, d1, ... */
static struct qnx_type *make_user_words(struct qnx_types *types, uint32_t slots)
{
    char suffix[sizeof "_words16"], list[sizeof "event" + (size_t)2u * QNX_WORDS_SLOTS * sizeof "d15*"] = "event";
    size_t n = strlen(list);
    struct qnx_type *type;
    snprintf(suffix, sizeof suffix, "_words%u", (unsigned)(2u * slots) % 100u);
    for (unsigned i = 0; i < 2u * slots && n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, " d%u*", i);
    type = new_type(types, "user", suffix, list, TLOG_MEANS_PLAIN);
    if (type == NULL)
        return NULL;
    add_words(type, type->names + strlen(type->names) + 1u);
    type->words--;
    type->layout = QNX_EVENT_WORDS;
    return declare(types, type);
}

/* A type of events that no table has. Class and number are the first names of the list, but no words of data. */
static struct qnx_type *make_unknown(struct qnx_types *types, bool data)
{
    struct qnx_type *type;
    if (data)
        return make_data(types, "unknown", true, true, QNX_CLASS_EVENT_DATA);
    type = new_type(types, "unknown", "", "class event d0* d1*", TLOG_MEANS_PLAIN);
    if (type == NULL)
        return NULL;
    add_words(type, type->names + strlen(type->names) + 1u);
    type->words = type->least = 2;
    type->class = true;
    type->layout = QNX_CLASS_EVENT_WORDS;
    return declare(types, type);
}

/* ---- finding types --------------------------------------------------------------------------------------------- */

/* Find the row of each event number of a class. 0, or -1 after trace_fail(). */
static int index_class(struct qnx_types *types, uint32_t class)
{
    uint16_t *row = heap_calloc(_TRACE_MAX_EVENT_NUM, sizeof *row);
    struct qnx_type **type = heap_calloc((size_t)FORMS * _TRACE_MAX_EVENT_NUM, sizeof(struct qnx_type *));
    types->row[class] = row;
    types->type[class] = type;
    if (row == NULL || type == NULL)
        return trace_fail(types->trace, "%s: no memory for types of events", types->trace->input_name);
    for (uint16_t i = 0; i < qnx_rows_n; i++) {
        if (qnx_rows[i].class == class && qnx_row_is_of(&qnx_rows[i], types->release))
            row[qnx_rows[i].event] = (uint16_t)(i + 1u);
    }
    return 0;
}

static struct qnx_type *unknown_type(struct qnx_types *types, bool data)
{
    if (types->unknown[data] == NULL)
        types->unknown[data] = make_unknown(types, data);
    return types->unknown[data];
}

/* The event's type in that form, which is made if it is not there. User events share the types of number 0. NULL after
 * trace_fail(). */
static struct qnx_type *make_type(struct qnx_types *types, const struct qnx_event *event, enum form form)
{
    uint32_t number = event->event;
    struct qnx_type **type;
    uint16_t row;
    if (event->class >= TLOG_TRACE_CLASS_COUNT)
        return unknown_type(types, form == FORM_DATA);
    if (types->type[event->class] == NULL && index_class(types, event->class) != 0)
        return NULL;
    row = types->row[event->class][number];
    if (event->class == TLOG_TRACE_USER)
        number = 0;
    else if (row == 0)
        return unknown_type(types, form == FORM_DATA);
    else if (form == FORM_WIDE && qnx_rows[row - 1u].wide[0] == '\0')
        form = FORM_FAST;
    type = &types->type[event->class][number * FORMS + form];
    if (*type == NULL)
        *type = event->class == TLOG_TRACE_USER ? make_user(types, form) : make_row(types, &qnx_rows[row - 1u], form);
    return *type;
}

/* The same, fast if the type is there. */
static inline struct qnx_type *type_of(struct qnx_types *types, const struct qnx_event *event, enum form form)
{
    uint32_t number = event->class == TLOG_TRACE_USER ? 0 : event->event;
    struct qnx_type *known = NULL;
    if (event->class < TLOG_TRACE_CLASS_COUNT && types->type[event->class] != NULL)
        known = types->type[event->class][number * FORMS + form];
    return known != NULL ? known : make_type(types, event, form);
}

/* The type of a user event, whose data is a text or is none. */
static struct qnx_type *user_type(struct qnx_types *types, const struct qnx_event *event, bool text)
{
    if (text || event->slots <= 1u || event->slots > QNX_WORDS_SLOTS)
        return type_of(types, event, text ? FORM_WIDE : event->slots == 1u ? FORM_FAST : FORM_DATA);
    if (types->user[event->slots] == NULL)
        types->user[event->slots] = make_user_words(types, event->slots);
    return types->user[event->slots];
}

/* ---- choosing the type ----------------------------------------------------------------------------------------- */

/* Bytes of data that the event keeps. */
static uint32_t kept_bytes(const struct qnx_event *event)
{
    return 8u * (event->slots < QNX_SLOTS_MAX ? event->slots : QNX_SLOTS_MAX);
}

/* Whether the event has the words of the type, no less and no more. If the type has a text behind the words, the text's
 * length is put in *length. */
static bool fits(const struct qnx_type *type, const struct qnx_event *event, int *length)
{
    if (type->text) {
        *length = qnx_text_length(event->data, event->slots, 4u * (uint32_t)type->words);
        return *length >= 0;
    }
    return event->slots >= TLOG_TRACE_SLOTS((uint32_t)type->least)
           && event->slots <= TLOG_TRACE_SLOTS((uint32_t)type->words);
}

/* The type whose fields the event's words fit: the long form, else the short one, else data. *length: of its text. NULL
 * after trace_fail(). */
static struct qnx_type *choose_type(struct qnx_types *types, const struct qnx_event *event, int *length)
{
    bool simple = event->slots == 1u;
    struct qnx_type *type;
    if (event->class == TLOG_TRACE_USER) {
        *length = qnx_user_text(event->data, event->slots);
        return user_type(types, event, *length >= 0);
    }
    type = type_of(types, event, simple ? FORM_FAST : FORM_WIDE);
    if (type == NULL || fits(type, event, length))
        return type;
    if (!simple) {
        type = type_of(types, event, FORM_FAST);
        if (type == NULL || fits(type, event, length))
            return type;
    }
    return type_of(types, event, FORM_DATA);
}

/* ---- payloads -------------------------------------------------------------------------------------------------- */

/* Put a word; returns where the next one goes. */
static unsigned char *put(unsigned char *to, uint32_t word)
{
    put_le32(to, word);
    return to + 4;
}

/* Put a TLOG_KIND_STRING at `to` whose text is the event's words in hexadecimal, with blanks between. The payload
 * begins at data. Returns the payload's size. */
static uint16_t put_hex_words(struct qnx_types *types, unsigned char *to, const unsigned char *data,
                              const struct qnx_event *event)
{
    uint32_t words = kept_bytes(event) / 4u, size = words * HEX_WORD, offset = (uint32_t)(to + 4 - data);
    const unsigned char *from = event->data;
    unsigned char *text = to + 4, *end = text + size;
    types->cut += event->slots > QNX_SLOTS_MAX;
    put_le32(to, offset | size << 16);
    for (; text < end; text += HEX_WORD, from += 4) {
        uint32_t word = event->big ? __builtin_bswap32(get_le32(from)) : get_le32(from);
        put_le16(text, types->hex[word >> 24]);
        put_le16(text + 2, types->hex[word >> 16 & 0xFFu]);
        put_le16(text + 4, types->hex[word >> 8 & 0xFFu]);
        put_le16(text + 6, types->hex[word & 0xFFu]);
        text[8] = ' ';
    }
    end[-1] = '\0';
    put_le16(end, 0); /* after an odd number of slots the size is no multiple of 4: two bytes are left */
    return (uint16_t)((offset + size + 3u) & ~3u);
}

/* Put a TLOG_KIND_STRING at to whose text begins at byte `from` of the event's data. The payload begins at data. If the
 * event's data ends there, the text has not even a NUL, and writers leave it out. Returns the payload's size. */
static uint16_t put_text(unsigned char *to, const unsigned char *data, const struct qnx_event *event, uint32_t from,
                         int length)
{
    uint32_t offset = (uint32_t)(to + 4 - data), bytes = (uint32_t)(length > 0 ? length : 0),
             padded = (bytes + 4u) & ~3u;
    uint32_t size = from < QNX_SLOT_BYTES * event->slots ? bytes + 1u : 0;
    put_le32(to, offset | size << 16);
    put_le32(to + padded, 0); /* clears the NUL and the padding, which are in the text's last 4 bytes */
    memcpy(to + 4, event->data + from, bytes);
    return (uint16_t)(offset + padded);
}

uint16_t qnx_put_data(struct qnx_types *types, const struct qnx_event *event, bool with_class, bool with_event,
                      unsigned char *data)
{
    unsigned char *to = data;
    if (with_class)
        to = put(to, event->class);
    if (with_event)
        to = put(to, event->event);
    return put_hex_words(types, put(to, 2u * event->slots), data, event);
}

/* Put the words of a type's fields; words that the event lacks are 0. Little-endian words are copied slot by slot. */
static unsigned char *put_words(unsigned char *to, const struct qnx_type *type, const struct qnx_event *event)
{
    uint32_t i = 0, whole = event->slots < type->words / 2u ? event->slots : type->words / 2u;
    if (!event->big) {
        for (; i < whole; i++, to += QNX_SLOT_BYTES)
            put_le64(to, get_le64(event->data + (size_t)QNX_SLOT_BYTES * i));
        i *= 2u;
    }
    for (; i < type->words; i++)
        to = put(to, qnx_word(event, i));
    return to;
}

/* In the order of the payload: class, number, context, words, text, as far as the type has them. */
uint16_t qnx_payload(struct qnx_types *types, const struct qnx_event *event, unsigned char *data, uint16_t *index)
{
    int length = -1;
    struct qnx_type *type = choose_type(types, event, &length);
    unsigned char *to = data;
    if (type == NULL)
        return 0;
    if (event->class == TLOG_TRACE_PR_TH)
        qnx_threads_note(&types->threads, event);
    *index = type->index;
    types->layout = type->layout;
    if (type->words == 0 && !type->text)
        return qnx_put_data(types, event, type->class, type->class || event->class == TLOG_TRACE_USER, data);
    if (type->class)
        to = put(to, event->class);
    if (type->class || event->class == TLOG_TRACE_USER)
        to = put(to, event->event);
    if (type->context)
        to = put(to, qnx_context(types, qnx_word(event, 0), qnx_word(event, 1)));
    to = put_words(to, type, event);
    return type->text ? put_text(to, data, event, 4u * (uint32_t)type->words, length) : (uint16_t)(to - data);
}
