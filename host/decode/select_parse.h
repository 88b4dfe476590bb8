/* select_parse.h - which events the user wants, told by --time, --around, --task, --cpu, --event and --irq. An
 * event must satisfy all that are given; of the patterns of one of them, with commas between them, one is enough.
 *
 *   time     A..B, from and to: seconds with up to nine decimals, or patterns as for event; A or B may be missing
 *   around   [SYSTEM:]EVENT:TIME, a pattern and a time such as 50ms, before and after its events; or TIME,TIME
 *   task     numbers, and patterns of names, with * ? [] as in the shell
 *   cpu      numbers, and ranges like 0-3
 *   event    patterns: [SYSTEM:]EVENT
 *   irq      numbers, and patterns of names */
#ifndef DECODE_SELECT_PARSE_H
#define DECODE_SELECT_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum select_kind { SELECT_TIME, SELECT_TASK, SELECT_CPU, SELECT_EVENT, SELECT_IRQ, SELECT_AROUND, SELECT_KINDS };
enum { SELECT_PATTERNS = 64, SELECT_ROOM = 8192 };

struct select_pattern {
    const char *text;          /* as it was given */
    const char *system, *name; /* patterns; system: NULL for any */
    bool is_number;            /* a task, an interrupt or CPUs by number: */
    uint32_t number, last;     /* ... from, to */
    uint64_t ahead, behind;    /* of SELECT_AROUND: ns before and after */
};

/* Where --time begins or ends: at a time, or at an event. */
struct select_edge {
    bool is_given, is_event;
    struct select_pattern event;
    uint64_t seconds;
    uint32_t ns;
};

/* All zero: every event is wanted. It holds pointers into itself, and must not be copied. */
struct decode_selection {
    struct select_edge from, to;
    struct {
        unsigned n;
        struct select_pattern pattern[SELECT_PATTERNS];
    } list[SELECT_KINDS]; /* time: n is 1 if it is given, and the pattern's text is all of it */
    size_t used;
    char room[SELECT_ROOM]; /* for texts */
};

/* Option names, without --, by kind. */
extern const char *const decode_select_names[SELECT_KINDS];

/* Add what an option says. NULL, or what is wrong with the text; then the selection must not be used. */
const char *decode_select_parse(struct decode_selection *selection, enum select_kind kind, const char *text);

#endif
