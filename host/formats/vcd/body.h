/* body.h - the file that is being written, and its body, which follows the header: times and values of variables.
 *
 * The header declares all variables, so it can be written only after the last event. Until then the body is in a
 * temporary file; at the end it is copied behind the header.
 *
 * Sources: IEEE Std 1364-2005, 18 (four state VCD). Strings and their escapes are those of GTKWave.
 *
 * Vocabulary
 *   variable   what has a value in the file; known by its id, a number
 *   code       the characters that stand for an id in the file
 *   wire       a variable of one bit: 0, 1, or x if it is not known
 *   unit       the ns that one step of time in the file has
 *   thing      what variables are about: a task, an interrupt, a mutex ... (things.h)
 */
#ifndef VCD_BODY_H
#define VCD_BODY_H

#include "base/digits.h"
#include "model/trace.h"

#define VCD_CODE_MOST 8u /* characters of a code */
#define VCD_BUFFER    1048576u
#define VCD_BOARDS    16u /* more than there can be */

struct vcd_thing;
struct vcd_things;
struct vcd_cpu;
struct vcd_shape;

struct vcd {
    struct trace *trace;
    int to;                /* where the buffer is written: the temporary file, then the output */
    bool only_wires;       /* there are no other variables */
    bool begun;            /* an event has come */
    uint32_t unit;         /* ns */
    uint64_t first;        /* time of the first event in the file; */
    uint64_t now, stamped; /* that of the event that is being written; the last one that stands in the body */
    uint32_t ids;          /* given */
    uint64_t left_out;     /* events of things for which there was no room */
    struct vcd_things *things;
    struct vcd_cpu *cpu;                         /* one for each CPU of the trace */
    const struct trace_board *board[VCD_BOARDS]; /* by number; NULL: there is none */
    struct vcd_thing *known[VCD_BOARDS]; /* of a board: tasks that do not run and mutexes whose state is known */
    struct vcd_shape **shape;            /* by type; NULL: none of it has come */
    char *at;                            /* next free byte of buffer */
    char buffer[VCD_BUFFER];
};

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

/* Room for that many bytes. The caller puts bytes there and moves vcd->at behind them. */
char *vcd_room(struct vcd *vcd, size_t bytes);

/* Put the present time into the body, if it is not there yet. */
void vcd_stamp(struct vcd *vcd);

/* Set the present time, which is an event's. If it is earlier than the time before, that one stays. */
void vcd_set_time(struct vcd *vcd, uint64_t time);

/* A variable has this value from now on. If writing fails, trace_fail() is called. */
void vcd_wire(struct vcd *vcd, uint32_t id, char value);
void vcd_number(struct vcd *vcd, uint32_t id, uint64_t value);
void vcd_real(struct vcd *vcd, uint32_t id, const char *text, size_t n);
void vcd_text(struct vcd *vcd, uint32_t id, const char *text, size_t n);

/* An event variable happens now. */
void vcd_happen(struct vcd *vcd, uint32_t id);

#endif
