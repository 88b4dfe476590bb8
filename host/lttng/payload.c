/* payload.c - payloads of LTTng events, from the trace's layout to the model's: see lttng/marker.h.
 *
 * Numbers become little-endian at their places; strings follow them, and are cut, with "..." for the rest, where the
 * model has no room.
 */
#include "lttng/marker.h"

#include "base/bytes.h"
#include "io/input.h"
#include "lttng/block.h"

#include <string.h>

#define PIECE    64u /* bytes of a string looked at at a time */
#define CUT      "..."
#define RAW_MOST 48u /* bytes of a payload of unknown format that are shown */

struct builder {
    const struct lttng_place *place;
    struct lttng_payload *payload;
    uint64_t at; /* in the file */
};

static void put_number(struct builder *builder, const struct lttng_field *field, uint64_t value)
{
    lttng_put(builder->payload->data + field->offset, field->conversion == LTTNG_TEXT ? 4 : field->size, false, value);
}

static bool take_number(struct builder *builder, const struct lttng_field *field, unsigned alignment)
{
    const struct lttng_place *place = builder->place;
    unsigned char bytes[8];

    builder->at += lttng_pad(builder->at - builder->payload->start, field->size, alignment);
    if (builder->at > place->limit || place->limit - builder->at < field->size
        || input_read(place->in, builder->at, bytes, field->size) < field->size)
        return false;
    builder->at += field->size;
    put_number(builder, field, lttng_get(bytes, field->size, place->big || field->network));
    return true;
}

/* Where a string begins in the payload; its length so far. */
struct text {
    uint16_t from, most;
    size_t length;
};

static void add_text(struct builder *builder, struct text *text, const unsigned char *bytes, size_t n)
{
    size_t room = text->length < text->most ? text->most - text->length : 0;

    if (room > 0)
        memcpy(builder->payload->data + text->from + text->length, bytes, n < room ? n : room);
    text->length += n;
}

static void end_text(struct builder *builder, const struct lttng_field *field, struct text *text)
{
    unsigned char *data = builder->payload->data + text->from;

    if (text->length > text->most) {
        text->length = text->most;
        memcpy(data + text->most - strlen(CUT), CUT, strlen(CUT));
    }
    data[text->length] = '\0';
    put_number(builder, field, text->from | (uint64_t)(text->length + 1u) << 16);
    builder->payload->size = (uint16_t)(text->from + text->length + 1u);
}

/* A string gets what room there is, except for the little that later ones need. */
static struct text begin_text(const struct builder *builder, unsigned later)
{
    struct text text = {.from = builder->payload->size};

    text.most = (uint16_t)(TRACE_PAYLOAD_MAX - 4u - text.from - later * LTTNG_TEXT_LEAST);
    return text;
}

static bool take_text(struct builder *builder, const struct lttng_field *field, unsigned later)
{
    const struct lttng_place *place = builder->place;
    struct text text = begin_text(builder, later);
    unsigned char bytes[PIECE], *end;

    for (;;) {
        uint64_t left = builder->at < place->limit ? place->limit - builder->at : 0;
        size_t n = input_read(place->in, builder->at, bytes, left < PIECE ? (size_t)left : PIECE);

        end = n > 0 ? memchr(bytes, 0, n) : NULL;
        add_text(builder, &text, bytes, end ? (size_t)(end - bytes) : n);
        builder->at += end ? (size_t)(end - bytes) + 1u : n;
        if (end != NULL)
            break;
        if (n == 0)
            return false;
    }
    end_text(builder, field, &text);
    return true;
}

/* ---- payloads without a format ----------------------------------------------------------------------------------- */

static bool take_raw(struct builder *builder, const struct lttng_marker *marker)
{
    static const unsigned char digits[] = "0123456789abcdef";
    const struct lttng_place *place = builder->place;
    struct text text = begin_text(builder, 0);
    unsigned char bytes[RAW_MOST];
    size_t n = place->size < RAW_MOST ? place->size : RAW_MOST;

    if (place->size == UINT32_MAX || place->size > place->limit - builder->at
        || input_read(place->in, builder->at, bytes, n) < n)
        return false;
    put_number(builder, &marker->field[0], place->id);
    put_number(builder, &marker->field[1], place->size);
    for (size_t i = 0; i < n; i++)
        add_text(builder, &text, (const unsigned char[]){digits[bytes[i] >> 4], digits[bytes[i] & 15u]}, 2);
    if (n < place->size)
        add_text(builder, &text, (const unsigned char *)CUT, strlen(CUT));
    end_text(builder, &marker->field[2], &text);
    builder->at += place->size;
    return true;
}

/* ---- payloads ---------------------------------------------------------------------------------------------------- */

static unsigned strings_after(const struct lttng_marker *marker, unsigned i)
{
    unsigned n = 0;

    while (++i < marker->nfields)
        n += marker->field[i].conversion == LTTNG_TEXT;
    return n;
}

static bool take_fields(struct builder *builder, const struct lttng_marker *marker, unsigned alignment)
{
    for (unsigned i = 0; i < marker->nfields; i++) {
        const struct lttng_field *field = &marker->field[i];

        if (field->compact && i == 0)
            put_number(builder, field, builder->place->compact);
        else if (!(field->conversion == LTTNG_TEXT ? take_text(builder, field, strings_after(marker, i))
                                                   : take_number(builder, field, alignment)))
            return false;
    }
    return true;
}

bool lttng_payload_read(const struct lttng_marker *marker, const struct lttng_place *place,
                        struct lttng_payload *payload)
{
    unsigned alignment = place->natural && marker->sizes.alignment ? 16u : marker->sizes.alignment;
    struct builder builder = {place, payload, place->at};

    if (place->aligns_start && marker->largest > 0)
        builder.at += lttng_pad(builder.at - place->block, marker->largest, alignment);
    payload->start = builder.at;
    payload->size = marker->type.size;
    memset(payload->data, 0, marker->type.size);
    if (builder.at > place->limit)
        return false;
    if (!(marker->raw ? take_raw(&builder, marker) : take_fields(&builder, marker, alignment)))
        return false;
    if (marker->more && place->size != UINT32_MAX && place->size >= builder.at - payload->start)
        builder.at = payload->start + place->size;
    payload->end = builder.at;
    while (payload->size % 4u != 0)
        payload->data[payload->size++] = 0;
    return builder.at <= place->limit;
}

/* ---- fields by name ---------------------------------------------------------------------------------------------- */

static const struct trace_field *find_field(const struct lttng_marker *marker, const char *name)
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
    const struct trace_field *field = find_field(marker, name);

    if (field == NULL || field->kind == TRACE_STRING)
        return false;
    *value = lttng_get(payload->data + field->offset, field->size, false);
    return true;
}

const char *lttng_payload_text(const struct lttng_marker *marker, const struct lttng_payload *payload, const char *name)
{
    const struct trace_field *field = find_field(marker, name);

    if (field == NULL || field->kind != TRACE_STRING)
        return NULL;
    return (const char *)payload->data + (get_le32(payload->data + field->offset) & 0xFFFFu);
}
