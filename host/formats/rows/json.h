/* json.h - the fields of an event as a JSON object, and texts in JSON and CSV.
 *
 * Each field is a member of the object, with its own name. If more is known of its number, another member follows:
 *   a number of a task, an interrupt, a mutex or another object   "mutex":2,"mutex_name":"bus"
 *   an address in the firmware                                   "caller":4660,"caller_name":"main+0x14"
 *   an enumeration or flags, as the print format has them        "state":2,"state_name":"STALL"
 *   a floating point number of the firmware's own event          "rpm":624.5, but null and "rpm_text":"nan" for others
 */
#ifndef ROWS_JSON_H
#define ROWS_JSON_H

#include "base/digits.h"
#include "model/trace.h"
#include "text/print_format.h"

#define JSON_MOST 6u /* bytes that one byte of text becomes at most: \u001f */

enum { JSON_NAMES = 1024, JSON_NAME_BYTES = 64 };

/* The name of a number as it stands in an object. Names are kept, since the same tasks and mutexes come again and
 * again. */
struct json_name {
    enum tlog_kind kind;
    uint32_t number;
    unsigned naming; /* trace.naming + 1 when it was looked up; 0: never */
    uint32_t bytes;  /* 0: it has no name */
    char text[JSON_NAME_BYTES + SHORT_BYTES];
};

/* What the encoders of all types share. */
struct json_output {
    const struct trace *trace;
    bool doubled; /* the objects stand in a quoted field of CSV, where a quotation mark is written twice */
    struct json_name name[JSON_NAMES];
};

/* How the fields of a type's events are written. A type gets its encoder when its first event comes. */
struct json_encoder {
    struct json_member *member; /* nmembers of them */
    unsigned nmembers;
    size_t room;    /* bytes that an object takes at most, without the texts below */
    size_t strings; /* fields whose texts may be as long as the payload */
    struct print_format pieces;
    char *heads; /* what stands before the members' values */
};

/* Make the encoder of a type. doubled: as in the output. 0, or -1: no memory. */
int json_encoder_make(struct json_encoder *encoder, const struct tlog_type *type, bool doubled);
void json_encoder_free(struct json_encoder *encoder);

/* Bytes that an event's object takes at most. */
static inline size_t json_room(const struct json_encoder *encoder, const struct tlog_event *event)
{
    return encoder->room + encoder->strings * JSON_MOST * event->size;
}

/* Put an event's object, where there is room for json_room() and SHORT_BYTES. Returns the place behind it. */
char *json_encode(char *to, const struct json_encoder *encoder, struct json_output *output,
                  const struct tlog_event *event);

/* Put a text of n bytes, without quotation marks around it. Control characters, also those of UTF-8, become \n, \t, \r
 * or \u00XX; bytes that are not UTF-8 become \u00XX. doubled: the JSON text is in a quoted field of CSV, where a
 * quotation mark is written twice. There is room for JSON_MOST * n bytes. Returns the place behind the text. */
char *json_put(char *to, const char *text, size_t n, bool doubled);

/* Put a field of CSV: in quotation marks if it has commas, quotation marks or line breaks (RFC 4180, 2.6). There is
 * room for 2 * n + 2 bytes. Returns the place behind it. */
char *csv_put(char *to, const char *text, size_t n);

/* Whether all of a text is a number as JSON writes it (RFC 8259, 6). */
bool json_is_number(const char *text, size_t n);

#endif
