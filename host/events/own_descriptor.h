/* own_descriptor.h - the description of an event that a firmware defines itself, as it stands in the firmware's file.
 *
 * Prefix: own_ names in events/ are about events that a firmware defines by TLOG_DEFINE_EVENT and its like.
 *
 * Vocabulary
 *   descriptor   the bytes that describe an event: words in the byte order of the file, then lines of text
 *   group        0 to 3: events of group g are traceevents of class 12 + g
 *   id           0 to 255: the number of an event in its group
 *   fixed part   the words of an event's data ahead of its text, if it has one
 *
 * The words of a descriptor: the head of the event (OWN_MAGIC in one that is logged by its address), bytes of the
 * descriptor, version, n, and n values of enumerators. The text: system, name, what it is, and a line for each field:
 * "i16 mv "mV"," or "enum8 state IDLE, RUN,". Every word of it may be damaged.
 */
#ifndef EVENTS_OWN_DESCRIPTOR_H
#define EVENTS_OWN_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OWN_VERSION    1u
#define OWN_MAGIC      0x54564554u /* "TEVT" in a little-endian file */
#define OWN_LEAST      20u         /* bytes of the shortest descriptor */
#define OWN_FIELDS_MAX 12u
#define OWN_BYTES_MAX  896u /* of an event's data */
#define OWN_UNIT_MAX   31u  /* characters of a unit */
#define OWN_VALUES_MAX 256u
#define OWN_NAME_MAX   63u /* characters of a name */

enum own_kind { OWN_EVENT, OWN_COUNTER, OWN_SPAN };

enum own_form { OWN_UNSIGNED, OWN_SIGNED, OWN_FLOAT, OWN_HEX, OWN_ENUM, OWN_FLAGS, OWN_POINTER, OWN_TEXT };

/* An enumerator. */
struct own_name {
    const char *text;
    uint64_t value; /* cut to the field's size */
};

struct own_field {
    const char *name;
    const char *unit; /* "": none; without quotation marks and backslashes, which print formats do not take */
    enum own_form form;
    uint16_t offset;              /* bytes from the beginning of the data */
    uint16_t size;                /* bytes, of one element */
    uint16_t elements;            /* of an array; 0: it is none */
    const struct own_name *names; /* nnames of them */
    unsigned nnames;
};

struct own_descriptor {
    uint32_t head; /* its class is 12 to 15; or OWN_MAGIC */
    enum own_kind kind;
    const char *system, *name;
    uint32_t words; /* of the fixed part */
    bool has_text;  /* the last field is one */
    unsigned nfields;
    struct own_field field[OWN_FIELDS_MAX];
    struct own_name *names; /* of all fields */
    char *text;             /* what all texts above point into */
};

/* What an event is: bits 9 and 8 of its number. */
enum own_tag { OWN_TAG_EVENT, OWN_TAG_BEGIN, OWN_TAG_END, OWN_TAGS };

/* The data of an event: n words of 4 bytes, little-endian. A slot has two, so the last one may be no part of the
 * event. */
struct own_data {
    const unsigned char *words;
    uint32_t n;
};

/* The size of the descriptor at `bytes`, of which size bytes are there; 0: it has none that can be right. */
size_t own_descriptor_size(const unsigned char *bytes, size_t size, bool big);

/* Parse a descriptor. NULL: it is none, and *why says so in a few words; or there is no memory, and *why is NULL. Ends
 * with own_descriptor_free(), which allows NULL. */
struct own_descriptor *own_descriptor_parse(const unsigned char *bytes, size_t size, bool big, const char **why);
void own_descriptor_free(struct own_descriptor *descriptor);

/* The descriptor of a format of TLOG_PRINTK that names its arguments, like "motor: rpm=%d state=%u temp=%d°C\n": a name
 * and a colon, then fields with blanks or commas between them. The data of the event are the format's arguments. NULL:
 * the format is another one, or there is no memory. Ends with own_descriptor_free(). */
struct own_descriptor *own_descriptor_of_format(const char *format);

/* Whether a text is a name as C has them, of 1 to OWN_NAME_MAX characters. */
bool own_is_name(const char *text);

#endif
