/* rows.h - the rows of a trace, which a viewer draws one below the other, and the state of the writer. */
#ifndef COLUMNS_ROWS_H
#define COLUMNS_ROWS_H

#include "answer/figures.h"
#include "events/counters.h"
#include "formats/columns/store.h"
#include "text/print.h"

#define COLUMNS_ROWS_MOST  65536u
#define COLUMNS_CPUS_MOST  65536u
#define COLUMNS_NO_ROW     UINT32_MAX
#define COLUMNS_NAME_BYTES 144u
#define COLUMNS_FRAMES     64u /* spans inside each other */
#define COLUMNS_GAPS_OPEN  8u  /* of a CPU; a further one is counted in with one of its kind */

enum columns_kind {
    COLUMNS_CPU,
    COLUMNS_TASK,
    COLUMNS_IRQ,
    COLUMNS_MUTEX,
    COLUMNS_COUNTER,
    COLUMNS_SPAN,
    COLUMNS_LOG,
    COLUMNS_KINDS,
};

/* Flags of an interval of an interrupt or a mutex. */
#define COLUMNS_FROM_UNKNOWN 1u /* its beginning is not known: it was so before */
#define COLUMNS_TO_UNKNOWN   2u /* its end is not known */
#define COLUMNS_LEFT         4u /* the interrupt's handler was left without an exit, before the end that is told */
#define COLUMNS_NO_EXIT      8u /* the interrupt has no exit, or no more events follow */

enum columns_gap { COLUMNS_LOSS, COLUMNS_DAMAGE, COLUMNS_PAUSE, COLUMNS_LEFT_OUT };

/* The columns, in the order of the layouts in rows.c. */
enum { ROW_START, ROW_END, ROW_WHAT, ROW_STATE, ROW_FLAGS, MUTEX_FLAGS = ROW_STATE, ROW_VALUE = ROW_END };
enum { LOG_START, LOG_WHAT };
enum { EVENT_TIME, EVENT_ROW, EVENT_TEXT, EVENT_TYPE, EVENT_CPU, EVENT_FLAGS };
enum { GAP_START, GAP_END, GAP_COUNT, GAP_CPU, GAP_KIND };
enum { WAKE_TIME, WAKE_FROM, WAKE_TO };

struct columns_row {
    uint32_t index, parent;
    unsigned board; /* that its name tells; 0: none */
    enum columns_kind kind;
    bool is_function;      /* of spans: they are functions */
    bool is_cut;           /* of a task: what it did was known up to `since`, and then was not */
    enum stat_state begun; /* of a task: the state in which it is, if it is not written and it does not run; */
    uint64_t begun_at;     /* and since when */
    bool is_open;          /* of a mutex: it has a holder that is not written */
    bool is_listed;        /* it is in one of the lists */
    int64_t cpu;           /* -1: none */
    uint64_t number;
    void *of;                 /* the task, interrupt, mutex; or the name of a counter */
    uint32_t what, naming;    /* number of its name, as it was with so many names */
    uint64_t since;           /* what is before that time is written */
    struct columns_row *next; /* of the interrupt on another CPU; or in a list */
    struct columns_store store;
    uint64_t *open; /* of spans: depth records, each 1 + its number; 0: none */
    uint32_t depth;
};

struct columns_lane {
    struct columns_row *row;
    uint64_t since;  /* what ran before that time is written */
    bool is_unknown; /* the last that is written is that nothing is known */
    struct {
        struct columns_row *row;
        uint64_t record;
    } nested[STAT_NESTING];
    struct columns_row *spans; /* list of rows with open spans */
    unsigned ngaps;            /* that go on */
    struct {
        uint64_t record;
        double count;
        enum columns_gap kind;
    } gap[COLUMNS_GAPS_OPEN];
    uint32_t pid, pid_row; /* of the last event's task */
    bool has_pid;
    uint32_t irq_pid; /* of the last event in an interrupt, whose row is irq: derived events behind its exit are its */
    struct columns_row *irq;
};

/* What is the same for all events of a type. */
enum columns_form { FORM_EVENT, FORM_SPAN, FORM_SPAN_END, FORM_FUNCTION, FORM_FUNCTION_END, FORM_LOG };

struct columns_type {
    struct print_type *print;
    enum columns_form form;
    uint32_t name; /* of a span */
    struct counter counter;
    const struct tlog_field *depth, *what;
};

struct columns_state {
    struct trace *trace;
    int fd;
    struct stat *stat;
    struct stat_watch watch;
    struct columns_spill spill;
    struct columns_strings strings;
    struct columns_lane *lane; /* by CPU */
    struct columns_row **row;  /* nrows of them */
    uint32_t nrows;
    size_t rows_room;
    uint64_t rows_missed;        /* things that have no row, since there are too many */
    struct table keys;           /* of counters, spans, logs: struct columns_key */
    struct columns_row *tasks;   /* list of those whose state is known */
    struct columns_row *mutexes; /* list of those with a holder */
    struct columns_store events, gaps, wakes;
    struct columns_type *type[TRACE_TYPES_MAX];
    struct columns_cached *cached;  /* events.c */
    char *text;                     /* room for the text of an event: PRINT_MOST bytes */
    const struct tlog_event *event; /* that is counted now, */
    unsigned cpu;                   /* and its CPU */
    uint64_t inexact;               /* numbers that doubles do not have exactly */
};

extern const struct columns_layout columns_row_layout[COLUMNS_KINDS];
extern const struct columns_layout columns_events_layout, columns_gaps_layout, columns_wakes_layout;

/* A new row. NULL: there are too many, or after trace_fail(). */
struct columns_row *columns_row_new(struct columns_state *state, enum columns_kind kind, int64_t cpu, uint64_t number);

/* The row of a key, which has none before the first call; is_new tells that. NULL as above. */
struct columns_row *columns_row_of_key(struct columns_state *state, enum columns_kind kind, uint64_t key, bool *is_new);

struct columns_row *columns_task_row(struct columns_state *state, struct stat_task *task);
struct columns_row *columns_mutex_row(struct columns_state *state, struct stat_mutex *mutex);
struct columns_row *columns_irq_row(struct columns_state *state, struct stat_irq *irq, unsigned cpu);

/* The name of a row, as --stat has it; with several boards, that of a mutex or counter behind the board's number. */
const char *columns_row_name(const struct columns_state *state, const struct columns_row *row,
                             char room[COLUMNS_NAME_BYTES]);

/* The board in the number of an object (stat_of_board()); 0: there is only one. */
unsigned columns_board_of(const struct columns_state *state, uint64_t number);

/* The number of the row's name among the strings. */
uint32_t columns_row_string(struct columns_state *state, struct columns_row *row);

/* Add an interval; its columns are those of the kind. Returns its record; UINT64_MAX after trace_fail(). */
uint64_t columns_interval(struct columns_state *state, struct columns_row *row, uint64_t start, uint64_t end,
                          uint32_t what, unsigned value);

void columns_rows_free(struct columns_state *state);

/* ---- watch.c ----------------------------------------------------------------------------------------------------- */

/* Be told by state->stat of what happens. */
void columns_watch(struct columns_state *state);

/* The trace has ended, and stat_end() was called: write what goes on up to its end. */
void columns_watch_end(struct columns_state *state);

/* The row of what logs events on a CPU now: the interrupt that runs, or the task `pid`; COLUMNS_NO_ROW: not known. */
uint32_t columns_owner(struct columns_state *state, unsigned cpu, const struct tlog_event *event);

/* ---- events.c ---------------------------------------------------------------------------------------------------- */

/* Write an event. 0, or -1 after trace_fail(). */
int columns_event(struct columns_state *state, unsigned cpu, const struct tlog_event *event);
void columns_events_free(struct columns_state *state);
bool columns_events_open(struct columns_state *state); /* false: no memory */

/* ---- file.c ------------------------------------------------------------------------------------------------------ */

/* Put the file together. 0, or -1 after trace_fail(). */
int columns_write_file(struct columns_state *state);

#endif
