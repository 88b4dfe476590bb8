/* encoder.h - how the fields of a type's events are written in CTF. A type gets its encoder when its first event comes.
 *
 *   numbers                       integers of the same size and sign, in base 16 for hexadecimal ones and addresses
 *   numbers with names            enumerations: tasks, mutexes ..., and what a print format has names for
 *   a text                        TLOG_KIND_CHARS of up to 16 characters: an array of them; any other: a string
 *   bytes, words                  an array, a sequence
 *   a floating point number       a floating point number of 64 bits
 *
 * Fields that follow each other as they do in the payload are copied at once.
 */
#ifndef CTF_ENCODER_H
#define CTF_ENCODER_H

#include "model/trace.h"
#include "text/print_format.h"

#define CTF_CHARS_MOST 16u /* characters of a text that is an array, as the name of a task in Linux's events is */

enum ctf_form {
    CTF_COPY,   /* bytes of the payload as they are */
    CTF_CHARS,  /* the same of an array of characters */
    CTF_TEXT,   /* characters as a string */
    CTF_STRING, /* TLOG_KIND_STRING as a string */
    CTF_DOUBLE, /* TLOG_KIND_STRING with the text of a floating point number, as that number */
    CTF_WORDS,  /* a sequence of words: their count, then the words */
};

/* A field in CTF. */
struct ctf_member {
    const struct tlog_field *field;
    enum ctf_form form;
    const struct piece *piece; /* with names of its numbers, or NULL */
};

/* What is written at once: a field, or several that are copied together. */
struct ctf_part {
    enum ctf_form form;
    uint32_t offset, size;
};

struct ctf_encoder {
    struct ctf_member *member; /* nmembers of them, for the metadata; NULL: the encoder is not made yet */
    struct ctf_part *part;
    unsigned nmembers, nparts;
    size_t needs;           /* bytes of payload that are read; a shorter payload is copied to scratch, with 0 behind */
    size_t fixed;           /* bytes that events take at most, without the texts and words below */
    size_t variable;        /* parts that may be as long as the payload */
    unsigned char *scratch; /* of so many bytes */
    struct print_format pieces;
};

/* Make the encoder of a type. 0, or -1: no memory. */
int ctf_encoder_make(struct ctf_encoder *encoder, const struct tlog_type *type);
void ctf_encoder_free(struct ctf_encoder *encoder);

/* Bytes that an event's fields take at most. */
static inline size_t ctf_encoder_room(const struct ctf_encoder *encoder, const struct tlog_event *event)
{
    return encoder->fixed + encoder->variable * (event->size + 4u);
}

/* Put the fields of an event, at most ctf_encoder_room() bytes. Fields that are not in the payload are 0, or empty.
 * Returns the place behind them. */
unsigned char *ctf_encode(unsigned char *to, const struct ctf_encoder *encoder, const struct tlog_event *event);

/* Put a text of n bytes, or up to its NUL, and a NUL. Bytes that are not UTF-8 become question marks. */
unsigned char *ctf_put_text(unsigned char *to, const void *text, size_t n);

#endif
