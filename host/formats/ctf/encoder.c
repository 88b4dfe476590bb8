/* encoder.c - see encoder.h. */
#include "formats/ctf/encoder.h"

#include "base/heap.h"
#include "base/bytes.h"
#include "base/printable.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_TEXT 64u /* bytes of the text of a floating point number that are read */

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* The part of the print format that shows the field, or NULL. */
static const struct piece *piece_of(const struct ctf_encoder *encoder, const struct tlog_field *field)
{
    for (unsigned i = 0; i < encoder->pieces.n; i++) {
        if (encoder->pieces.piece[i].field == field)
            return &encoder->pieces.piece[i];
    }
    return NULL;
}

/* Whether the field is a rounded floating point number: the next field has its text, and the print format shows only
 * the text. */
static bool is_float(const struct ctf_encoder *encoder, const struct tlog_type *type, const struct tlog_field *field)
{
    const struct tlog_field *text = field + 1;
    size_t n = strlen(field->name);
    if (text >= type->fields + type->nfields || field->kind != TLOG_KIND_SIGNED || text->kind != TLOG_KIND_STRING)
        return false;
    if (strncmp(text->name, field->name, n) != 0 || strcmp(text->name + n, "_text") != 0)
        return false;
    return piece_of(encoder, text) != NULL && piece_of(encoder, field) == NULL;
}

static enum ctf_form form_of(const struct tlog_field *field)
{
    return field->kind == TLOG_KIND_CHARS ? (field->size <= CTF_CHARS_MOST ? CTF_CHARS : CTF_TEXT)
           : field->kind == TLOG_KIND_STRING && field->size == 4u ? CTF_STRING
           : field->kind == TLOG_KIND_WORDS                       ? CTF_WORDS
                                                                  : CTF_COPY;
}

/* The names that a print format has for the numbers in a field, if it has any. */
static const struct piece *names_of(const struct ctf_encoder *encoder, const struct tlog_field *field)
{
    const struct piece *piece = piece_of(encoder, field);
    bool is_listed = piece != NULL && (piece->kind == PIECE_SYMBOL || piece->kind == PIECE_FLAGS);
    return is_listed && (field->kind == TLOG_KIND_UNSIGNED || field->kind == TLOG_KIND_HEX) ? piece : NULL;
}

/* Add the part of a field. If it is copied, and the part before is copied, too, both become one part. */
static void add_part(struct ctf_encoder *encoder, enum ctf_form form, const struct tlog_field *field)
{
    struct ctf_part *part = &encoder->part[encoder->nparts];
    size_t end = (size_t)field->offset + field->size;
    encoder->needs = end > encoder->needs ? end : encoder->needs;
    encoder->variable += form == CTF_STRING || form == CTF_WORDS;
    encoder->fixed += form == CTF_DOUBLE ? 8u : field->size + 1u;
    if (form == CTF_COPY && encoder->nparts > 0 && part[-1].form == CTF_COPY
        && part[-1].offset + part[-1].size == field->offset) {
        part[-1].size += field->size;
        return;
    }
    *part = (struct ctf_part){form, field->offset, field->size};
    encoder->nparts++;
}

static void add_all(struct ctf_encoder *encoder, const struct tlog_type *type)
{
    for (unsigned i = 0; i < type->nfields; i++) {
        const struct tlog_field *field = &type->fields[i];
        enum ctf_form form = is_float(encoder, type, field) ? CTF_DOUBLE : form_of(field);
        if (field->size == 0 && form != CTF_WORDS)
            continue;
        encoder->member[encoder->nmembers++] = (struct ctf_member){field, form, names_of(encoder, field)};
        i += form == CTF_DOUBLE; /* its text is not shown besides */
        add_part(encoder, form, &type->fields[i]);
    }
}

int ctf_encoder_make(struct ctf_encoder *encoder, const struct tlog_type *type)
{
    memset(encoder, 0, sizeof *encoder);
    if (type->print != NULL && !print_format_parse(&encoder->pieces, type))
        encoder->pieces.n = 0;
    encoder->member = heap_calloc(type->nfields + 1u, sizeof *encoder->member);
    encoder->part = heap_calloc(type->nfields + 1u, sizeof *encoder->part);
    if (encoder->member == NULL || encoder->part == NULL)
        return -1;
    add_all(encoder, type);
    encoder->scratch = heap_alloc(encoder->needs + 1u);
    return encoder->scratch != NULL ? 0 : -1;
}

void ctf_encoder_free(struct ctf_encoder *encoder)
{
    heap_free(encoder->member);
    heap_free(encoder->part);
    heap_free(encoder->scratch);
    heap_free(encoder->pieces.piece);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Replace bytes that are not UTF-8 by question marks. */
static void clean(unsigned char *at, size_t n)
{
    const unsigned char *end = at + n;
    while (at < end) {
        size_t bytes = *at < 0x80u ? 1u : utf8_bytes(at, (size_t)(end - at));
        if (bytes == 0)
            *at = '?';
        at += bytes == 0 ? 1u : bytes;
    }
}

/* Copy n bytes of a text. */
static unsigned char *put_chars(unsigned char *to, const unsigned char *from, size_t n)
{
    unsigned char all = 0;
    for (size_t i = 0; i < n; i++)
        all |= from[i];
    memcpy(to, from, n);
    if (all >= 0x80u)
        clean(to, n);
    return to + n;
}

unsigned char *ctf_put_text(unsigned char *to, const void *text, size_t n)
{
    to = put_chars(to, text, text_length(text, n));
    *to++ = '\0';
    return to;
}

/* The text of a TLOG_KIND_STRING. False: the payload does not have it. */
static bool find_string(const struct tlog_event *event, uint32_t string, const unsigned char **text, size_t *n)
{
    size_t offset = string & 0xFFFFu, length = string >> 16;
    if (offset > event->size || length > event->size - offset)
        return false;
    *text = event->data + offset;
    *n = length;
    return true;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static unsigned char *put_string(unsigned char *to, const struct tlog_event *event, uint32_t string)
{
    const unsigned char *text = NULL;
    size_t n = 0;
    if (!find_string(event, string, &text, &n))
        return ctf_put_text(to, "", 0);
    return ctf_put_text(to, text, n);
}

/* Put the number that a text shows; NaN if it shows none. */
static unsigned char *put_double(unsigned char *to, const struct tlog_event *event, uint32_t string)
{
    char number[NUMBER_TEXT] = "";
    const unsigned char *text = NULL;
    size_t n = 0;
    char *end;
    double value;
    uint64_t bits;
    if (find_string(event, string, &text, &n) && n > 0)
        memcpy(number, text, n < NUMBER_TEXT - 1u ? n : NUMBER_TEXT - 1u);
    value = strtod(number, &end);
    if (end == number)
        value = (double)NAN;
    memcpy(&bits, &value, sizeof bits);
    put_le64(to, bits);
    return to + 8;
}

static unsigned char *put_words(unsigned char *to, const struct tlog_event *event, size_t offset)
{
    size_t n = offset < event->size ? (event->size - offset) / 4u : 0;
    put_le32(to, (uint32_t)n);
    if (n > 0)
        memcpy(to + 4, event->data + offset, 4u * n);
    return to + 4 + 4u * n;
}

unsigned char *ctf_encode(unsigned char *to, const struct ctf_encoder *encoder, const struct tlog_event *event)
{
    const unsigned char *data = event->data;
    if (event->size < encoder->needs) {
        memset(encoder->scratch, 0, encoder->needs);
        if (event->size > 0)
            memcpy(encoder->scratch, event->data, event->size);
        data = encoder->scratch;
    }
    for (const struct ctf_part *part = encoder->part, *end = part + encoder->nparts; part < end; part++) {
        const unsigned char *from = data + part->offset;
        if (part->form == CTF_COPY) {
            memcpy(to, from, part->size);
            to += part->size;
        } else if (part->form == CTF_CHARS) {
            to = put_chars(to, from, part->size);
        } else if (part->form == CTF_TEXT) {
            to = ctf_put_text(to, from, part->size);
        } else if (part->form == CTF_STRING) {
            to = put_string(to, event, get_le32(from));
        } else if (part->form == CTF_DOUBLE) {
            to = put_double(to, event, get_le32(from));
        } else {
            to = put_words(to, event, part->offset);
        }
    }
    return to;
}
