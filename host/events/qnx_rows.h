/* qnx_rows.h - the tables of target/tlog_traceevent.h as rows, one per event of QNX; and which traceevents a type
 * stands for. */
#ifndef EVENTS_QNX_ROWS_H
#define EVENTS_QNX_ROWS_H

#include "model/trace.h"

#include "tlog_traceevent.h"

struct qnx_row {
    uint8_t class;
    uint8_t releases; /* QNX_UP_TO_7, QNX_FROM_8 */
    bool thread;      /* its first two words are a thread's pid and tid, and it is about that thread's state */
    enum tlog_meaning means;
    uint16_t event; /* number within the class */
    const char *name;
    /* Names of the words of data, with blanks between: of the form with fewer words, and of the one with more. An empty
     * wide says that both forms are the same. Behind a name: * hexadecimal, ? not always there, $ a text. */
    const char *fast, *wide;
};

/* Releases of QNX that have the event. */
#define QNX_UP_TO_7 1u
#define QNX_FROM_8  2u

extern const struct qnx_row qnx_rows[];
extern const uint16_t qnx_rows_n;

/* Whether that release of QNX has the row's event. */
bool qnx_row_is_of(const struct qnx_row *row, unsigned release);

/* What a type of system "qnx" says about the traceevent that its events come from. */
struct qnx_origin {
    uint32_t class, event;
    bool in_payload; /* class and event are the first two fields; of class USER the event is the first field */
    unsigned first;  /* number of the field that is the first word of data */
    unsigned words;  /* fields with one word each */
    unsigned least;  /* words that such an event has at least */
    bool text;       /* the field behind the words is a text */
    bool data;       /* that text has the words of data in hexadecimal; the field before it says how many */
};

/* Find out which traceevents of a release of QNX a type stands for. False: none, and *origin is not to be used. */
bool qnx_origin(const struct tlog_type *type, unsigned release, struct qnx_origin *origin);

#endif
