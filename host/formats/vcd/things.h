/* things.h - what variables are about. A thing is made when the first event about it comes; its variables have
 * consecutive ids.
 */
#ifndef VCD_THINGS_H
#define VCD_THINGS_H

#include "formats/vcd/body.h"

/* Kinds of things, in the order of the header; with each its variables, in the order of their ids. */
enum vcd_kind {
    VCD_CPU,     /* name of the task that runs; wire: idle; events lost; gaps */
    VCD_TASK,    /* wires: runs; is ready and does not run; name of its state */
    VCD_IRQ,     /* wire: runs */
    VCD_MUTEX,   /* wire: is locked; name of its owner */
    VCD_COUNTER, /* its value */
    VCD_EVENT,   /* the event; the task or interrupt it was of; its fields (shape.h) */
    VCD_KINDS,
};

enum { CPU_TASK, CPU_IDLE, CPU_LOST, CPU_GAPS, CPU_IDS };
enum { TASK_RUNS, TASK_READY, TASK_STATE, TASK_IDS };
enum { MUTEX_LOCKED, MUTEX_OWNER, MUTEX_IDS };
enum { EVENT_HAPPENS, EVENT_TASK, EVENT_FIELDS };

enum vcd_state { VCD_UNKNOWN, VCD_RUNS, VCD_READY, VCD_BLOCKED };

#define VCD_THINGS_MOST 131072u /* numbers of tasks may be garbage */
#define VCD_NAME_BYTES  32u     /* of a name, with its NUL */

struct vcd_thing {
    uint64_t key;   /* see below */
    uint32_t first; /* id of its first variable */
    char initial;   /* value of its wire before the first one in the body */
    uint8_t state;  /* of a task: enum vcd_state; of an interrupt or a mutex: not 0 if it is known */
    union {
        struct { /* of a task: why it will wait; type 0: not known */
            uint16_t reason_type;
            uint32_t reason;
        };
        struct { /* of a mutex, if it is known */
            uint32_t owner, depth;
        };
        struct { /* of an event: the task of the last one */
            uint32_t task;
            unsigned naming; /* 1 + trace.naming then; 0: none came yet */
        };
    };
    char name[VCD_NAME_BYTES];       /* as an event tells it, or empty */
    struct vcd_thing *next, **place; /* in the list of those that are known; place NULL: in none */
};

/* Things in the order of their keys are in the order of the header: board, kind, CPU, number. */
static inline uint64_t vcd_key(unsigned board, enum vcd_kind kind, unsigned cpu, uint32_t number)
{
    return (uint64_t)board << 60 | (uint64_t)kind << 56 | (uint64_t)cpu << 32 | number;
}

static inline unsigned vcd_board_of(const struct vcd_thing *thing)
{
    return (unsigned)(thing->key >> 60);
}

static inline enum vcd_kind vcd_kind_of(const struct vcd_thing *thing)
{
    return (enum vcd_kind)(thing->key >> 56 & 15u);
}

static inline unsigned vcd_cpu_of(const struct vcd_thing *thing)
{
    return (unsigned)(thing->key >> 32 & 0xFFFFFFu);
}

static inline uint32_t vcd_number_of(const struct vcd_thing *thing)
{
    return (uint32_t)thing->key;
}

/* The board of a CPU, from 1; 0: there is only one board. */
static inline unsigned vcd_board(const struct vcd *vcd, unsigned cpu)
{
    return vcd->trace->boards != NULL ? vcd->trace->boards[cpu].number : 0;
}

/* No things. NULL: no memory. */
struct vcd_things *vcd_things_new(void);
void vcd_things_free(struct vcd_things *things);

/* The thing of that key. If it is new, it is made with that many variables. NULL: there are too many things, or after
 * trace_fail(). */
struct vcd_thing *vcd_thing(struct vcd *vcd, uint64_t key, unsigned ids);

/* All things in the order of their keys; *n becomes their number. After this call no thing can be looked up. */
struct vcd_thing **vcd_things_sorted(struct vcd_things *things, size_t *n);

/* Put a thing into a list of those that are known, or take it out of its list. */
void vcd_know(struct vcd_thing **list, struct vcd_thing *thing);
void vcd_unlist(struct vcd_thing *thing);

#endif
