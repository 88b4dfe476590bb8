/* own_fields.h - the type of an event that a firmware defines, made of its descriptor, and the payloads of that type.
 *
 * The payload has the event's data as the firmware laid them out. Behind the data is added what trace.dat and other
 * formats have no type for. For a floating point number NAME there are two fields: NAME, rounded to a whole number, and
 * NAME_text, as it is shown. A unit that is not ASCII is a field NAME_unit. An array NAME has a field for each element:
 * NAME_0, NAME_1 ...
 */
#ifndef EVENTS_OWN_FIELDS_H
#define EVENTS_OWN_FIELDS_H

#include "events/own_descriptor.h"
#include "model/trace.h"

#define OWN_FIELD_ROOM (OWN_NAME_MAX + 16u) /* of a field's name */

/* The type of a descriptor's events of one tag. */
struct own_type {
    struct tlog_type type;
    uint16_t index;                /* in the trace */
    bool is_plain;                 /* the payload is the data of the event */
    uint16_t added;                /* offset in the payload of what is added to the data */
    char name[OWN_NAME_MAX + 24u]; /* with a suffix, and a number where the name is taken */
    char *print;
    char (*names)[OWN_FIELD_ROOM]; /* of the fields */
    struct tlog_field *field;
};

/* Make and declare the type of a descriptor's events of one tag. NULL after trace_fail(). Ends with own_type_free(),
 * which allows NULL. */
struct own_type *own_type_declare(struct trace *trace, const struct own_descriptor *of, enum own_tag tag);
void own_type_free(struct own_type *type);

/* Put the payload of an event with these data. The firmware, or NULL, tells which pointers are functions of Thumb code.
 * Returns its size; 0: they are not the data that the descriptor says. */
uint16_t own_type_payload(const struct own_type *type, const struct own_descriptor *of,
                          const struct trace_firmware *firmware, struct own_data from, unsigned char *data);

/* ---- floating point numbers, as IEEE 754 has them ---------------------------------------------------------------- */

#define OWN_FLOAT_TEXT 32u /* bytes of the longest text, with its NUL */

/* The number of 4 or 8 bytes, little-endian. */
double own_float_at(const unsigned char *from, unsigned size);

/* Write the shortest text that reads as this number again. size: bytes that the number had, 4 or 8. Returns the text's
 * length. */
size_t own_float_text(char *to, double value, unsigned size);

/* The nearest whole number; halves are rounded away from 0. A number that is too large becomes INT64_MAX or INT64_MIN,
 * and what is no number becomes 0. */
int64_t own_float_round(double value);

#endif
