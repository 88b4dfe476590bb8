/* shape.h - how the events of a type are written: in which form, and each field of its own type. A shape is made when
 * the first event of the type comes. Fields are written as debug annotations, which viewers call arguments. */
#ifndef PERFETTO_SHAPE_H
#define PERFETTO_SHAPE_H

#include "events/counters.h"
#include "model/display.h"
#include "formats/perfetto/packet.h"
#include "text/print.h"

/* How an event is written. */
enum perfetto_form {
    FORM_INSTANT, /* a moment on the track of its task or interrupt; perhaps with a value of a counter */
    FORM_SWITCH,
    FORM_WAKING,
    FORM_WAKEUP,
    FORM_IRQ_ENTRY,
    FORM_IRQ_EXIT,
    FORM_BEGIN, /* of a span, or of a function: a slice begins */
    FORM_END,
    FORM_LOCK, /* of a mutex: a slice begins on the mutex's own track */
    FORM_UNLOCK,
    FORM_PRIORITY, /* a value of the task's counter */
    FORM_COUNTER,  /* a value of a counter, and nothing else */
    FORM_LOG,      /* a line of text */
    FORM_LOSS,
    FORM_DAMAGE,
    FORM_LEFT_OUT, /* what comes behind it is left out, or is there again */
};

/* How a field is written. */
enum perfetto_value {
    VALUE_NUMBER, /* with or without a sign */
    VALUE_HEX,
    VALUE_NAMED, /* the number of a task, a mutex ...: its name */
    VALUE_ADDRESS,
    VALUE_STRING,
    VALUE_CHARS,
    VALUE_BYTES,
    VALUE_WORDS,
    VALUE_DOUBLE, /* a floating point number, of which the field has the text */
    VALUE_SYMBOL, /* the name of an enumerator */
    VALUE_FLAGS,  /* the names of bits */
};

/* An enumerator, or a bit with a name. */
struct perfetto_symbol {
    uint64_t value;
    const char *name; /* length bytes */
    size_t length;
    uint64_t iid; /* 0: it was not written yet */
};

struct perfetto_arg {
    const struct tlog_field *field;
    enum perfetto_value value;
    bool if_set; /* left out where it is 0 */
    const char *label;
    uint64_t iid;                   /* of the label; 0: it was not written yet */
    struct perfetto_symbol *symbol; /* nsymbols of them */
    unsigned nsymbols;
};

#define PERFETTO_PLACES 7u /* fields of a sched_switch */

struct perfetto_shape {
    const struct tlog_type *type;
    enum perfetto_form form;
    const struct tlog_field *place[PERFETTO_PLACES]; /* the fields that the form needs, in the order of its names */
    const char *name; /* length bytes: the type's; of a span the part that both ends have */
    size_t length;
    uint64_t iid, category;   /* of the name and of the system; 0: not written yet */
    struct perfetto_arg *arg; /* nargs of them */
    unsigned nargs;
    size_t room, strings; /* most bytes of all arguments but their texts in payloads; how many such texts */
    size_t system_length, type_length; /* of the names in the type */
    struct print_type *print;          /* of FORM_LOG */
    uint32_t reason_number;            /* of the last event that told why a task waits: the object's number, */
    unsigned reason_board;             /* its board, */
    bool reason_is_signal;             /* whether it was a signal, */
    unsigned reason_naming;            /* 1 + trace.naming then, */
    uint64_t reason;                   /* and the text's iid in the kernel's sequence; 0: none yet */
    struct counter counter;            /* that the event tells of, */
    char unit[32];                     /* and its unit */
};

/* The shape of the type with that index. NULL: no memory. */
struct perfetto_shape *perfetto_shape_new(const struct trace *trace, uint16_t index);
void perfetto_shape_free(struct perfetto_shape *shape);

/* The name of a number in a field, such as "bus" of mutex 2; its digits if it has no name. */
void perfetto_number_name(const struct trace *trace, const struct perfetto_shape *shape, const struct tlog_field *field,
                          uint32_t number, char to[DISPLAY_NAME_BYTES]);

/* ---- arguments of an event --------------------------------------------------------------------------------------- */

/* What is remembered of names in arguments. NULL: no memory. */
struct perfetto_args *perfetto_args_new(void);
void perfetto_args_free(struct perfetto_args *args);

/* Put all fields of an event. The caller must have made shape->room bytes of room, and more for each of shape->strings.
 * Returns the place behind them. */
unsigned char *perfetto_put_args(struct perfetto *state, unsigned char *to, struct perfetto_shape *shape,
                                 const struct tlog_event *event);

/* Put one argument that is a text. Returns the place behind it. */
unsigned char *perfetto_put_text_arg(struct perfetto *state, unsigned char *to, const char *label, const char *text);

#endif
