/* qnx_types.h - what QNX's traceevents are in the model: types with named fields, payloads, and tasks of threads.
 *
 * Every type is of system "qnx" and has the name that target/tlog_traceevent.h gives the event. More types:
 *
 *   NAME_wide      the form with more words of data, of an event that has two forms
 *   NAME_data      more words than the tables have names for: how many, and the words in hexadecimal as a text
 *   unknown        an event that no table has: class, number, two words
 *   unknown_data   the same with more words
 *   user           a user event: its number, two words
 *   user_words4, user_words6 .. user_words16    the same with as many words as the event's slots have
 *   user_data      the same with more words
 *   user_string    the same with a text; which data is a text: see qnx_event.h
 *
 * The events of a thread begin with the field "context", the pid of the thread's task: see qnx_threads.h. A type is
 * declared when the first event of it comes.
 */
#ifndef EVENTS_QNX_TYPES_H
#define EVENTS_QNX_TYPES_H

#include "events/qnx_event.h"
#include "events/qnx_threads.h"
#include "model/trace.h"

#include "tlog_traceevent.h"

#define QNX_WORDS_SLOTS 8u    /* most slots of a user event whose words are fields */
#define QNX_PAYLOAD_MAX 2048u /* bytes */

/* What the payload of an event consists of, where class, number and count of slots decide it. A reader of many events
 * learns the layout from the first event of a kind, and builds the payloads of the further ones itself. */
enum qnx_layout {
    QNX_UNKNOWN, /* not known yet; the value of zeroed memory */
    QNX_OTHER,   /* depends on the data, or has an effect: only qnx_payload() knows */
    /* Of one slot. "words": the two words of data. */
    QNX_WORDS,
    QNX_WORDS_EMPTY_TEXT,  /* words, then a text without a byte, not even a NUL */
    QNX_EVENT_WORDS,       /* number, words; of a user event with several slots: all words. qnx_short_text() tells
                              whether the data of a user event is a text instead */
    QNX_EVENT_TEXT,        /* number, text */
    QNX_CLASS_EVENT_WORDS, /* class, number, words */
    QNX_CONTEXT_WORDS,     /* context of the thread that the words name, words */
    /* From here on of several slots. Types have a fixed number of words; those that the event lacks are 0. */
    QNX_MORE_WORDS,
    QNX_CONTEXT_MORE_WORDS,
    QNX_DATA,            /* how many words, and the words as a text: see qnx_put_data() */
    QNX_CLASS_EVENT_DATA /* class, number, then the same */
};

struct qnx_type; /* private */

struct qnx_types {
    struct trace *trace;
    unsigned release; /* of QNX: 6, 7, 8 */
    struct qnx_threads threads;
    uint64_t cut;                                   /* events with more slots than an event keeps */
    uint16_t *row[TLOG_TRACE_CLASS_COUNT];          /* by event number: number of its row + 1; 0: it has none */
    struct qnx_type **type[TLOG_TRACE_CLASS_COUNT]; /* by event number: a type for each of its forms, or NULL */
    struct qnx_type *unknown[2];                    /* unknown, unknown_data */
    struct qnx_type *user[QNX_WORDS_SLOTS + 1u];    /* user_wordsN, by slots */
    struct qnx_type *all;                           /* a list of all types */
    uint16_t hex[256];      /* the two hexadecimal digits of a byte, the first one in the low byte */
    enum qnx_layout layout; /* of the last payload */
};

/* No type is declared. Contexts of threads are first .. last; all threads for which no other is left get the last. */
void qnx_types_start(struct qnx_types *types, struct trace *trace, unsigned release, uint32_t first, uint32_t last);

/* Free all types. The trace's writer must be closed. */
void qnx_types_free(struct qnx_types *types);

/* Put the event's payload to data, at most QNX_PAYLOAD_MAX bytes, and the index of its type in *type. Takes the threads
 * and names that the event tells. Returns the size; 0 after trace_fail(). */
uint16_t qnx_payload(struct qnx_types *types, const struct qnx_event *event, unsigned char *data, uint16_t *type);

/* Put the payload of an event whose words no type has fields for to data, at most QNX_PAYLOAD_MAX bytes: class and
 * number if wanted, how many words, and the words in hexadecimal as a text. Returns its size. */
uint16_t qnx_put_data(struct qnx_types *types, const struct qnx_event *event, bool with_class, bool with_event,
                      unsigned char *data);

/* The context of a thread; a new one if the thread was not seen before. */
static inline uint32_t qnx_context(struct qnx_types *types, uint32_t pid, uint32_t tid)
{
    return qnx_threads_context(&types->threads, pid, tid);
}

#endif
