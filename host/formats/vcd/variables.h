/* variables.h - the variables of the file that is being written, what they are about, and their values.
 *
 * The file's header declares all variables, so it can be written only after the last event. Until then the body is in a
 * temporary file; at the end it is copied behind the header.
 *
 * Sources: IEEE Std 1364-2005, 18 (four state VCD). Strings and their escapes are those of GTKWave.
 *
 * Vocabulary
 *   variable   what has a value in the file; known by its id, a number
 *   code       the characters that stand for an id in the file
 *   wire       a variable of one bit: 0, 1, or x if it is not known
 *   unit       the ns that one step of time in the file has
 *   entity     what variables are about: a task, an interrupt, a mutex ... It is made by the first event about it, with
 *              all its variables, whose ids follow each other.
 *   tracked    an entity whose state is known. After a loss of events it is not, until an event tells it again.
 */
#ifndef VCD_VARIABLES_H
#define VCD_VARIABLES_H

#include "base/digits.h"
#include "model/trace.h"

#define VCD_CODE_MOST 8u /* characters of a code */
#define VCD_BUFFER    1048576u
#define VCD_BOARDS    16u /* more than there can be */

struct vcd_entity;
struct vcd_entities;
struct vcd_cpu;
struct vcd_encoder;
struct trace_session;

struct vcd {
    struct trace *trace;
    int to;                /* where the buffer is written: the temporary file, then the output */
    bool only_wires;       /* there are no other variables */
    bool begun;            /* the first event has come */
    uint32_t unit;         /* ns */
    uint64_t first;        /* times, in units: of the first event, */
    uint64_t now, stamped; /* of the event that is being written, and the last one that stands in the body */
    uint32_t ids;          /* of variables, so far */
    bool no_room;          /* there was none for an entity of the event that is being written */
    uint64_t left_out;     /* events of such entities */
    uint64_t not_wires;    /* events that no wire shows */
    struct vcd_entities *entities;
    struct vcd_cpu *cpu;                         /* one for each CPU of the trace */
    const struct trace_board *board[VCD_BOARDS]; /* by number; NULL: there is none */
    struct vcd_entity *tracked[VCD_BOARDS];      /* lists, by board: tasks that do not run, and mutexes */
    struct vcd_encoder **encoder;                /* by type; NULL: none of it has come */
    char *at;                                    /* next free byte of buffer */
    char buffer[VCD_BUFFER];
};

/* Kinds of entities, in the order of the header; with each its variables, in the order of their ids. */
enum vcd_kind {
    VCD_CPU,     /* name of the task that runs; wire: idle; events lost; gaps */
    VCD_TASK,    /* wires: runs; is ready and does not run; name of its state */
    VCD_IRQ,     /* wire: runs */
    VCD_MUTEX,   /* wire: is locked; name of its owner */
    VCD_COUNTER, /* its value */
    VCD_EVENT,   /* the event; the task or interrupt it was of; its fields (encoder.h) */
    VCD_KINDS,
};

enum { CPU_TASK, CPU_IDLE, CPU_LOST, CPU_GAPS, CPU_IDS };
enum { TASK_RUNS, TASK_READY, TASK_STATE, TASK_IDS };
enum { MUTEX_LOCKED, MUTEX_OWNER, MUTEX_IDS };
enum { EVENT_HAPPENS, EVENT_TASK, EVENT_FIELDS };

enum vcd_state { VCD_UNKNOWN, VCD_RUNS, VCD_READY, VCD_BLOCKED, VCD_ENDED };

#define VCD_ENTITIES_MOST 131072u /* numbers of tasks may be garbage */
#define VCD_NAME_BYTES    32u     /* of a name, with its NUL */

struct vcd_entity {
    uint64_t key;   /* vcd_key() */
    uint32_t first; /* id of its first variable */
    char initial;   /* value of its wire before the first value in the body */
    uint8_t state;  /* of a task: enum vcd_state; of an interrupt or a mutex: not 0 if it is known */
    union {
        struct { /* of a task: why it will wait; type 0: not known. And its priority, if that is known */
            uint16_t reason_type;
            bool has_priority, for_signal; /* the mutex that it will wait for is a signal */
            uint32_t reason;
            int32_t priority; /* as the last switch has it */
        };
        struct { /* of a mutex, if it is known */
            uint32_t owner, depth;
        };
        struct { /* of an event: the task of the last one */
            uint32_t task;
            unsigned naming; /* 1 + trace.naming then; 0: none came yet */
        };
    };
    char name[VCD_NAME_BYTES];        /* as an event tells it, or empty */
    struct vcd_entity *next, **place; /* in a list of tracked ones; place NULL: in none */
};

/* What an entity is known by. The header has entities in the order of their keys: by board, kind, CPU, number. */
static inline uint64_t vcd_key(unsigned board, enum vcd_kind kind, unsigned cpu, uint32_t number)
{
    return (uint64_t)board << 60 | (uint64_t)kind << 56 | (uint64_t)cpu << 32 | number;
}

static inline unsigned vcd_board_of(const struct vcd_entity *entity)
{
    return (unsigned)(entity->key >> 60);
}

static inline enum vcd_kind vcd_kind_of(const struct vcd_entity *entity)
{
    return (enum vcd_kind)(entity->key >> 56 & 15u);
}

static inline unsigned vcd_cpu_of(const struct vcd_entity *entity)
{
    return (unsigned)(entity->key >> 32 & 0xFFFFFFu);
}

static inline uint32_t vcd_number_of(const struct vcd_entity *entity)
{
    return (uint32_t)entity->key;
}

/* The board of a CPU, from 1; 0: there is only one board. */
static inline unsigned vcd_board(const struct vcd *vcd, unsigned cpu)
{
    return vcd->trace->boards != NULL ? vcd->trace->boards[cpu].number : 0;
}

/* An empty table. NULL: no memory. */
struct vcd_entities *vcd_entities_new(void);
void vcd_entities_free(struct vcd_entities *entities);

/* The entity of that key. A new one is made with that many variables. NULL: there are too many, or after trace_fail();
 * or there is none, and ids is 0. */
struct vcd_entity *vcd_entity_of(struct vcd *vcd, uint64_t key, unsigned ids);

/* All entities, sorted by key; *n becomes their number. This destroys the table: none can be looked up after it. */
struct vcd_entity **vcd_entities_sorted(struct vcd_entities *entities, size_t *n);

/* Put an entity into a list of tracked ones, or take it out of the list that it is in. */
void vcd_track(struct vcd_entity **list, struct vcd_entity *entity);
void vcd_untrack(struct vcd_entity *entity);

/* Put a variable's code. Returns the place behind it. */
static inline char *vcd_put_code(char *to, uint32_t id)
{
    do {
        *to++ = (char)('!' + id % 94u);
        id /= 94u;
    } while (id > 0);
    return to;
}

/* Write what is in the buffer. 0, or -1 after trace_fail(). */
int vcd_flush(struct vcd *vcd);

/* Make room for that many bytes in the buffer. The caller puts them at vcd->at, which is returned, and moves it. */
char *vcd_room(struct vcd *vcd, size_t bytes);

/* Put the present time into the body, if it is not there yet. */
void vcd_stamp(struct vcd *vcd);

/* Set the present time, which is an event's. If it is earlier than the time before, that one stays. */
void vcd_set_time(struct vcd *vcd, uint64_t time);

/* Put the value that a variable has from now on. If writing fails, trace_fail() is called. */
void vcd_wire(struct vcd *vcd, uint32_t id, char value);
void vcd_number(struct vcd *vcd, uint32_t id, uint64_t value);
void vcd_real(struct vcd *vcd, uint32_t id, const char *text, size_t n);
void vcd_text(struct vcd *vcd, uint32_t id, const char *text, size_t n);

/* Put that an event variable happens now. */
void vcd_trigger(struct vcd *vcd, uint32_t id);

/* ---- the save file of GTKWave ------------------------------------------------------------------------------------ */

/* Which variables GTKWave shows, in which order. By itself it shows none, and the first few ns. */
struct vcd_session;

/* NULL after trace_fail(). */
struct vcd_session *vcd_session_new(struct vcd *vcd);
void vcd_session_free(struct vcd_session *session);

/* Remember the name that a variable has in the file, with the bits behind it, as in "cpu0_lost[63:0]". */
void vcd_session_name(struct vcd_session *session, uint32_t id, const char *name, const char *bits);

/* Write the save file, when all variables have names. entities: n of them, sorted by key; here tasks get another order.
 * 0, or -1 after trace_fail(). */
int vcd_session_write(const struct vcd_session *session, const struct trace_session *to, struct vcd_entity **entities,
                      size_t n);

/* The scope of the variables of a kind, within that of their board. */
const char *vcd_scope(enum vcd_kind kind);

#endif
