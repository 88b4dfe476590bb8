/* encoder.h - how the events of a type are written. A type gets its encoder when its first event comes. */
#ifndef VCD_ENCODER_H
#define VCD_ENCODER_H

#include "events/counters.h"
#include "text/print_format.h"
#include "formats/vcd/variables.h"

/* How an event is written. */
enum vcd_form {
    VCD_FORM_EVENT, /* an event variable happens, its fields have values, and so may a counter */
    VCD_FORM_SWITCH,
    VCD_FORM_WAKING,
    VCD_FORM_ENTRY, /* of an interrupt */
    VCD_FORM_EXIT,
    VCD_FORM_LOCK, /* of a mutex */
    VCD_FORM_UNLOCK,
    VCD_FORM_COUNTER, /* a counter has a value, and nothing else */
    VCD_FORM_GAP,     /* a loss or damage */
    VCD_FORM_LEFT_OUT /* from here on the user does not want events, or wants them again */
};

/* How a field is written. From VCD_NAMED on, a field is a number, and a string with the number's name. */
enum vcd_value {
    VCD_NUMBER,
    VCD_REAL, /* a floating point number, whose text is in the next field */
    VCD_TEXT,
    VCD_HEX, /* any bytes, as a string */
    VCD_NAMED,
    VCD_ADDRESS,
    VCD_SYMBOL, /* the print format has names for the numbers, or for their bits */
};

struct vcd_field {
    const struct tlog_field *field;
    enum vcd_value value;
    const struct piece *piece; /* of VCD_SYMBOL */
};

#define VCD_NEEDED 5u /* fields of a sched_switch that are used */

struct vcd_encoder {
    const struct tlog_type *type;
    enum vcd_form form;
    const struct tlog_field *needed[VCD_NEEDED]; /* by the form, in the order of the table in encoder.c */
    const struct tlog_field *left, *next;        /* of a switch: priorities of both tasks; NULL: it has none */
    struct vcd_field *field;                     /* nfields of them */
    unsigned nfields, ids;                       /* ids: variables of the fields */
    struct print_format pieces;
    bool blocks, unblocks, ends;     /* the event tells that a task will wait; that it will not; that it has ended */
    bool of_running;                 /* that task is the running one; else the first field tells it */
    const struct tlog_field *object; /* what it will wait for, or NULL */
    struct counter counter;          /* whose value is in the event */
};

/* The encoder of the type with that index, which is made if there is none. NULL after trace_fail(). */
struct vcd_encoder *vcd_encoder_of(struct vcd *vcd, uint16_t type);
void vcd_encoder_free(struct vcd_encoder *encoder);

/* Put the name of a number in a field, such as "bus" for mutex 2, or the number if it has none. Returns the length. */
size_t vcd_number_name(const struct trace *trace, const struct vcd_encoder *encoder, const struct tlog_field *field,
                       uint64_t number, char *to, size_t size);

/* Write the values of an event's fields; the first variable has that id. */
void vcd_fields(struct vcd *vcd, const struct vcd_encoder *encoder, const struct tlog_event *event, uint32_t id);

#endif
