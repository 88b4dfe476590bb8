/* interns.h - texts of a sequence of packets: each is written once, and then referred to by a number.
 *
 * Vocabulary
 *   iid       the number of a text, from 1 on, among those of its kind
 *   kind      the field of InternedData that has the text: INTERNED_CATEGORIES ...
 *   pending   of a text: it has a number and is not written yet; the sequence's next packet will have it
 */
#ifndef PERFETTO_INTERNS_H
#define PERFETTO_INTERNS_H

#include "model/trace.h"

#include <stddef.h>
#include <stdint.h>

#define INTERNS_KINDS 32u

struct perfetto_interns {
    struct trace *trace;
    uint64_t last[INTERNS_KINDS]; /* iid given last, by kind */
    struct intern *table;         /* size of them, a power of two; n are used */
    size_t size, n;
    unsigned char *pending; /* messages of InternedData, used of room bytes */
    size_t used, room;
};

/* No texts; the trace stays the caller's. */
void perfetto_interns_init(struct perfetto_interns *interns, struct trace *trace);
void perfetto_interns_free(struct perfetto_interns *interns);

/* The number of a text of n bytes, which becomes pending if it is new. 0: there are too many texts, and this one has to
 * be written in full; or after trace_fail(). */
uint64_t perfetto_intern(struct perfetto_interns *interns, unsigned kind, const char *text, size_t n);

/* A new number for a text that is not remembered. 0 after trace_fail(). */
uint64_t perfetto_intern_once(struct perfetto_interns *interns, unsigned kind, const char *text, size_t n);

/* Put pending texts into a packet, which has room for perfetto_interns_room() bytes more. Returns the place behind. */
size_t perfetto_interns_room(const struct perfetto_interns *interns);
unsigned char *perfetto_interns_put(struct perfetto_interns *interns, unsigned char *to);

#endif
