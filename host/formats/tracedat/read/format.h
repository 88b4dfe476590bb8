/* format.h - the format of a type of event, taken apart: its fields, where they lie in a record, and how the kernel
 * would print them. */
#ifndef TRACEDAT_READ_FORMAT_H
#define TRACEDAT_READ_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TRACEDAT_FIELDS_MAX = 200,   /* of one format */
    TRACEDAT_ELEMENTS_MAX = 16,  /* of an array whose elements become fields; a longer one becomes hex */
    TRACEDAT_PAYLOAD_MAX = 4000, /* bytes of a payload: what fits on a page of 4096 bytes when it is written again */
};

/* What names are made of. */
#define TRACEDAT_WORD_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* How the bytes of a field are to be understood. */
enum tracedat_shape {
    TRACEDAT_SCALAR,       /* a number of 1, 2, 4 or 8 bytes */
    TRACEDAT_CHARS,        /* char[n] */
    TRACEDAT_DATA_LOC,     /* __data_loc char[]: 4 bytes that say where in the record the text is, and how long */
    TRACEDAT_REL_LOC,      /* __rel_loc char[]: the same, the place counted from behind these 4 bytes */
    TRACEDAT_ARRAY,        /* TRACEDAT_ELEMENTS_MAX elements at most, of 1, 2, 4 or 8 bytes: each becomes a field */
    TRACEDAT_BYTES,        /* n elements of 1 byte that are no text */
    TRACEDAT_HEX,          /* n bytes of anything else, shown as hex */
    TRACEDAT_DATA_LOC_HEX, /* __data_loc of anything but text */
    TRACEDAT_REL_LOC_HEX,  /* __rel_loc of anything but text */
    TRACEDAT_FLEXIBLE,     /* char[0], a flexible array: text up to the end of the record */
    TRACEDAT_FLEXIBLE_HEX, /* the same of anything but text */
    TRACEDAT_POINTER_TEXT, /* pointer to a text that the printk section has */
};

struct tracedat_field {
    char *name;
    enum tracedat_shape shape;
    bool is_signed;
    bool pointer;
    bool is_char;     /* char, which is text; unsigned char is a number */
    bool hex;         /* a number that is shown as hex */
    bool mask;        /* a set of bits in words of a long, the least significant one first, such as CPUs */
    bool optional;    /* a number that is not shown when it is 0 */
    uint32_t offset;  /* bytes from the beginning of the record */
    uint32_t size;    /* bytes of the whole field; 0: a flexible array */
    uint32_t element; /* bytes of an element of an array */
    uint32_t count;   /* elements of an array */
};

struct tracedat_format {
    char *name;
    char *print; /* the print format as the file has it, or NULL */
    uint32_t id;
    uint32_t common; /* bytes of common fields, which are not in field[] */
    uint32_t fixed;  /* offset behind the last field of known size; a record may have more bytes */
    unsigned nfields;
    struct tracedat_field field[TRACEDAT_FIELDS_MAX];
};

/* Where every record has the common fields that the reader uses: offset and size in bytes. */
struct tracedat_common {
    uint32_t type_at, type_size;
    uint32_t flags_at, flags_size;
    uint32_t pid_at, pid_size;
};

/* Whether the field becomes a text, because the event model has no other kind for it. */
static inline bool tracedat_is_text(enum tracedat_shape shape)
{
    return shape != TRACEDAT_SCALAR && shape != TRACEDAT_CHARS && shape != TRACEDAT_ARRAY && shape != TRACEDAT_BYTES;
}

/* Whether the field only says where in the record its content is. */
static inline bool tracedat_is_located(enum tracedat_shape shape)
{
    return shape == TRACEDAT_DATA_LOC || shape == TRACEDAT_REL_LOC || shape == TRACEDAT_DATA_LOC_HEX
           || shape == TRACEDAT_REL_LOC_HEX;
}

/* Parse the text of a format; long_size: bytes of a long of the traced system. *common, unless it is NULL, gets the
 * common fields. False if the text makes no sense: then only the name may be used, which may be NULL. The caller frees
 * the format in any case. */
bool tracedat_format_parse(struct tracedat_format *format, const char *text, unsigned long_size,
                           struct tracedat_common *common);
void tracedat_format_free(struct tracedat_format *format);

/* The number behind "ID:" in the text of a format; -1 if that or the name is missing. */
long tracedat_format_id(const char *text);

/* Replace every character of a name that is no letter, digit or _ by _. */
void tracedat_make_word(char *name);

/* ---- the print format: print_format.c ---------------------------------------------------------------------------- */

/* Learn from the print format how fields are shown: as hex, only if they are not 0, or as the text they point to. */
void tracedat_print_learn(struct tracedat_format *format);

/* The print format for the fields that the type has (type.h), which the caller frees: REC->a[1] has become REC->a_1, a
 * text __get_str(name). NULL if there is no print format, or one that cannot be translated; the fields are then shown
 * one by one. */
char *tracedat_print_make(struct tracedat_format *format);

#endif
