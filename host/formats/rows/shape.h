/* shape.h - what the rows of all events of a type have in common. Made when the first event of the type comes.
 *
 * The fields of an event are a JSON object. Each field of the type is a member with its own name. If more is known of
 * its number, another member follows:
 *   a number of a task, an interrupt, a mutex or another object   "mutex":2,"mutex_name":"bus"
 *   an address in the firmware                                   "caller":4660,"caller_name":"main+0x14"
 *   an enumeration or flags, as the print format has them        "state":2,"state_name":"STALL"
 *   a floating point number of the firmware's own event          "rpm":624.5, but null and "rpm_text":"nan" for others
 */
#ifndef ROWS_SHAPE_H
#define ROWS_SHAPE_H

#include "base/digits.h"
#include "model/trace.h"
#include "text/print_format.h"

/* A member of the object. */
struct column {
    const struct trace_field *field;
    const struct trace_field *text; /* of a floating point number: the field with its text, else NULL */
    const struct piece *piece;      /* with names of its numbers, or NULL */
    bool has_name;                  /* a member for its name follows, if it has one */
    char *head;                     /* ,"name": without the comma for the first one */
    char *name_head;                /* ,"name_name":" or for floating point numbers ,"name_text":" */
    uint32_t head_bytes, name_head_bytes;
};

enum { SHAPE_KNOWN = 1024, SHAPE_KNOWN_BYTES = 64 };

/* The name of a number as it is in a row. It is kept, because the same tasks and mutexes come again and again. */
struct known {
    enum trace_kind kind;
    uint32_t number;
    unsigned naming; /* trace.naming + 1 when it was looked up; 0: never */
    uint32_t bytes;  /* 0: it has no name */
    char text[SHAPE_KNOWN_BYTES + SHORT_BYTES];
};

/* What the shapes of an output have in common. */
struct shapes {
    const struct trace *trace;
    bool doubled; /* the objects stand in a quoted field of CSV */
    struct known known[SHAPE_KNOWN];
};

struct shape {
    struct column *column; /* NULL: it is not made yet */
    unsigned ncolumns;
    size_t room;    /* bytes that the object takes at most, without the texts below */
    size_t strings; /* fields whose texts may be as long as the payload */
    char *type;     /* the columns system and event, with the text before and after them; for put_short() */
    size_t type_bytes;
    /* The text of a row from kind to the object, if the event has no group and no context; [1]: of a derived event. The
     * writer makes and reads them. */
    char *middle[2];
    size_t middle_bytes[2];
    struct print_format pieces;
    char *heads;
};

/* Make the shape of a type. doubled: the object stands in a quoted field of CSV. 0, or -1: no memory. */
int shape_make(struct shape *shape, const struct trace_type *type, bool doubled);
void shape_free(struct shape *shape);

/* Put the object of an event of that shape; there is room for shape->room + shape->strings * JSON_MOST * event->size
 * bytes, and for SHORT_BYTES behind them. Returns the place behind it. */
char *shape_put(char *to, const struct shape *shape, struct shapes *shapes, const struct trace_event *event);

#endif
