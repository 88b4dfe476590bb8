/* payload.c - payloads of events, from the trace's layout to the model's: see payload.h.
 *
 * In the model's payload numbers are little-endian and lie at the offsets that marker_types.c gave them. Texts of
 * strings follow them. A text that has no room there is cut, and ends in "...".
 */
#include "formats/lttng/payload.h"

#include "base/bytes.h"
#include "io/input.h"

#include <string.h>

#define PIECE      64u /* bytes of a string looked at at a time */
#define CUT        "..."
#define BYTES_MOST 48u /* bytes of a payload of unknown format that are shown */
#define NATURAL    16u /* an alignment that is no limit to any number */
#define AT_ONCE    64u /* bytes of a payload that are read at once */

/* A payload on its way into the model. */
struct builder {
    const struct lttng_stored_payload *stored;
    struct lttng_payload *payload;
    unsigned alignment;
    uint64_t from;        /* offset in the file of what the cursor is in */
    struct cursor cursor; /* in the payload's first bytes in memory, or in the file */
};

static void put_number(struct builder *builder, const struct lttng_field *field, uint64_t value)
{
    lttng_put(builder->payload->data + field->offset, field->conversion == LTTNG_TEXT ? 4 : field->size, false, value);
}

/* Offset in the file of what comes next. */
static uint64_t offset(const struct builder *builder)
{
    return builder->from + builder->cursor.at;
}

static bool take_number(struct builder *builder, const struct lttng_field *field)
{
    struct cursor *cursor = &builder->cursor;
    uint32_t pad = lttng_pad(offset(builder) - builder->payload->start, field->size, builder->alignment);
    if (pad > 0)
        cursor_skip(cursor, pad);
    cursor->big = builder->stored->big || field->network;
    put_number(builder, field, cursor_number(cursor, field->size));
    return !cursor->bad;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* A text on its way into the model's payload. */
struct text {
    uint16_t from, most; /* offset there, and bytes it may have without its NUL */
    size_t length;       /* bytes so far, those that have no room included */
};

static void add_text(struct builder *builder, struct text *text, const unsigned char *bytes, size_t n)
{
    size_t room = text->length < text->most ? text->most - text->length : 0;
    if (room > 0)
        memcpy(builder->payload->data + text->from + text->length, bytes, n < room ? n : room);
    text->length += n;
}

/* Finish a text, and make the field lead to it: offset and length with the NUL, 16 bits each. */
static void end_text(struct builder *builder, const struct lttng_field *field, struct text *text)
{
    unsigned char *data = builder->payload->data + text->from;
    if (text->length > text->most) {
        text->length = text->most;
        if (field->chars == 0)
            memcpy(data + text->most - strlen(CUT), CUT, strlen(CUT));
    }
    data[text->length] = '\0';
    if (field->chars > 0)
        return;
    put_number(builder, field, text->from | (uint64_t)(text->length + 1u) << 16);
    builder->payload->size = (uint16_t)(text->from + text->length + 1u);
}

/* A string gets all the room there is, except for LTTNG_TEXT_LEAST bytes for each of the later strings; or, if it is
 * TLOG_KIND_CHARS, the room of its field. */
static struct text begin_text(const struct builder *builder, const struct lttng_field *field, unsigned later)
{
    struct text text = {.from = builder->payload->size};
    if (field->chars > 0)
        return (struct text){.from = field->offset, .most = (uint16_t)(field->chars - 1u)};
    text.most = (uint16_t)(TRACE_PAYLOAD_MAX - 4u - text.from - later * LTTNG_TEXT_LEAST);
    return text;
}

/* Read a string piece by piece, until a piece has its NUL. Then the cursor goes back to what is behind the NUL. */
static bool take_text(struct builder *builder, const struct lttng_field *field, unsigned later)
{
    struct cursor *cursor = &builder->cursor;
    struct text text = begin_text(builder, field, later);
    unsigned char bytes[PIECE], *end = NULL;
    while (end == NULL) {
        uint64_t left = cursor_left(cursor);
        size_t n = left < PIECE ? (size_t)left : PIECE, length;
        if (n == 0 || !cursor_get(cursor, bytes, n))
            return false;
        end = memchr(bytes, 0, n);
        length = end != NULL ? (size_t)(end - bytes) : n;
        add_text(builder, &text, bytes, length);
        if (end != NULL)
            cursor->at -= n - length - 1u;
    }
    end_text(builder, field, &text);
    return true;
}

/* ---- payloads that are shown as bytes ---------------------------------------------------------------------------- */

/* The fields are those of BYTES_FORMAT in marker_types.c: id, size, and the first bytes as hexadecimal digits. */
static bool take_bytes(struct builder *builder, const struct lttng_marker *marker)
{
    static const unsigned char digits[] = "0123456789abcdef";
    uint32_t size = builder->stored->size;
    struct text text = begin_text(builder, &marker->field[2], 0);
    unsigned char bytes[BYTES_MOST];
    size_t n = size < BYTES_MOST ? size : BYTES_MOST;
    if (size == LTTNG_SIZE_UNKNOWN || size > cursor_left(&builder->cursor) || !cursor_get(&builder->cursor, bytes, n))
        return false;
    put_number(builder, &marker->field[0], builder->stored->id);
    put_number(builder, &marker->field[1], size);
    for (size_t i = 0; i < n; i++)
        add_text(builder, &text, (const unsigned char[]){digits[bytes[i] >> 4], digits[bytes[i] & 15u]}, 2);
    if (n < size)
        add_text(builder, &text, (const unsigned char *)CUT, strlen(CUT));
    end_text(builder, &marker->field[2], &text);
    return cursor_skip(&builder->cursor, size - n);
}

/* ---- payloads ---------------------------------------------------------------------------------------------------- */

/* How many strings there are behind field i. */
static unsigned strings_after(const struct lttng_marker *marker, unsigned i)
{
    unsigned n = 0;
    while (++i < marker->nfields)
        n += marker->field[i].conversion == LTTNG_TEXT;
    return n;
}

/* Only the first field can lie in the header of a compact event. */
static bool take_fields(struct builder *builder, const struct lttng_marker *marker)
{
    for (unsigned i = 0; i < marker->nfields; i++) {
        const struct lttng_field *field = &marker->field[i];
        if (field->compact && i == 0)
            put_number(builder, field, builder->stored->compact);
        else if (!(field->conversion == LTTNG_TEXT ? take_text(builder, field, strings_after(marker, i))
                                                   : take_number(builder, field)))
            return false;
    }
    return true;
}

/* Read a payload from where the cursor is. */
static bool take_payload(struct builder *builder, const struct lttng_marker *marker)
{
    const struct lttng_stored_payload *stored = builder->stored;
    struct lttng_payload *payload = builder->payload;
    if (stored->aligns_start && marker->largest > 0)
        cursor_skip(&builder->cursor, lttng_pad(stored->at - stored->block, marker->largest, builder->alignment));
    payload->start = offset(builder);
    payload->size = marker->type.size;
    memset(payload->data, 0, marker->type.size);
    if (builder->cursor.bad || !(marker->as_bytes ? take_bytes(builder, marker) : take_fields(builder, marker)))
        return false;
    payload->end = offset(builder);
    return true;
}

/* Most payloads are short: then all is read at once, which is faster than field by field. */
static bool take_quickly(struct builder *builder, const struct lttng_marker *marker)
{
    const struct lttng_stored_payload *stored = builder->stored;
    uint64_t left = stored->at < stored->limit ? stored->limit - stored->at : 0;
    unsigned char bytes[AT_ONCE];
    size_t n = input_read(stored->in, stored->at, bytes, left < AT_ONCE ? (size_t)left : AT_ONCE);
    builder->from = stored->at;
    builder->cursor = cursor_in_memory(bytes, n, stored->big);
    return take_payload(builder, marker);
}

bool lttng_payload_read(const struct lttng_marker *marker, const struct lttng_stored_payload *stored,
                        struct lttng_payload *payload)
{
    unsigned alignment = stored->natural && marker->sizes.alignment != 0 ? NATURAL : marker->sizes.alignment;
    struct builder builder = {.stored = stored, .payload = payload, .alignment = alignment};
    if (!take_quickly(&builder, marker)) {
        builder.from = 0;
        builder.cursor = input_cursor(stored->in, stored->at, stored->limit, stored->big);
        if (!take_payload(&builder, marker))
            return false;
    }
    if (marker->has_more && stored->size != LTTNG_SIZE_UNKNOWN && stored->size >= payload->end - payload->start)
        payload->end = payload->start + stored->size;
    while (payload->size % 4u != 0)
        payload->data[payload->size++] = 0;
    return payload->end <= stored->limit;
}

/* ---- fields by name ---------------------------------------------------------------------------------------------- */

static const struct tlog_field *find_field(const struct lttng_marker *marker, const char *name)
{
    for (unsigned i = 0; i < marker->type.nfields; i++) {
        if (strcmp(marker->shown[i].name, name) == 0)
            return &marker->shown[i];
    }
    return NULL;
}

bool lttng_payload_number(const struct lttng_marker *marker, const struct lttng_payload *payload, const char *name,
                          uint64_t *value)
{
    const struct tlog_field *field = find_field(marker, name);
    if (field == NULL || field->kind == TLOG_KIND_STRING || field->kind == TLOG_KIND_CHARS)
        return false;
    *value = number_at(payload->data + field->offset, field->size, false);
    return true;
}

const char *lttng_payload_text(const struct lttng_marker *marker, const struct lttng_payload *payload, const char *name)
{
    const struct tlog_field *field = find_field(marker, name);
    if (field == NULL || field->kind != TLOG_KIND_STRING)
        return NULL;
    return (const char *)payload->data + (get_le32(payload->data + field->offset) & 0xFFFFu);
}
