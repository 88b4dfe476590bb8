/* qnx_rows.h - the tables of target/tlog_traceevent.h in rows. Private to qnx_types. */
#ifndef EVENTS_QNX_ROWS_H
#define EVENTS_QNX_ROWS_H

#include "events/qnx_types.h"

struct qnx_row {
    uint8_t class;
    uint8_t releases; /* QNX_UP_TO_7, QNX_FROM_8 */
    bool thread;      /* its first two words are a thread's pid and tid, and it is about that thread's state */
    enum trace_class means;
    uint16_t event;
    const char *name;
    const char *fast, *wide; /* words of data; wide may be empty, and is as fast then */
};

#define QNX_UP_TO_7 1u
#define QNX_FROM_8  2u

extern const struct qnx_row qnx_rows[];
extern const uint16_t qnx_rows_n;

bool qnx_row_is_of(const struct qnx_row *row, unsigned release);

#endif
