/* qnx_types.h - what QNX's traceevents are in the model: types with named fields, and contexts for threads.
 *
 * Every event is of system "qnx" and has the name that target/tlog_traceevent.h gives it. NAME_wide is the form with
 * more words of data, for events that have two; NAME_data one with more words than the tables have names for: their
 * number, and the words in hexadecimal as a text. Events that no table has are unknown and unknown_data, with class and
 * number. User events are user (two words), user_words4, user_words6 .. user_words16 (as many words as their slots have),
 * user_data (more) and user_string (a text), with their number: a text is what ends with a NUL in the last slot, is
 * nothing but printable UTF-8 before and zeros behind, and has four characters at least.
 *
 * A thread's events begin with its context: threads get contexts in the order in which they appear, from the first one
 * of a range on, because pids of QNX are large, and pid and tid are one number to a trace viewer. Tasks are named after
 * process and thread, "name:tid", else "pid:tid". Types are declared when the first event of theirs comes.
 */
#ifndef EVENTS_QNX_TYPES_H
#define EVENTS_QNX_TYPES_H

#include "model/trace.h"

#include "tlog_traceevent.h"

#define QNX_SLOTS_MAX   112u /* whose data an event keeps */
#define QNX_SLOT_BYTES  8u   /* of data in each */
#define QNX_WORDS_SLOTS 8u   /* of a user event whose words are fields, at most */
#define QNX_TEXT_OTHER  255u
#define QNX_PAYLOAD_MAX 2048u
#define QNX_THREADS_MAX 16384u

struct qnx_event {
    uint32_t class, event;
    uint32_t slots;            /* there were */
    const unsigned char *data; /* 8 bytes for each slot, up to QNX_SLOTS_MAX, as they lie in the target's memory */
    bool big;                  /* words are big-endian */
};

/* What the payload of an event is, where class, number and slots decide it. Its two words, and before them its number, its
 * class and its number, or the context of the thread they name; or behind them a text that is empty. With more words: as
 * many as the type has, zeros for those that the event's slots lack. With data: their number, and they as a text, perhaps
 * behind class and number: see qnx_put_data(). QNX_UNKNOWN: it remains to be seen. A user event with
 * its number may still be a text: see qnx_short_text(); those of several slots have all their words behind their number. */
enum qnx_layout {
    QNX_UNKNOWN,
    QNX_OTHER,
    QNX_WORDS,
    QNX_WORDS_EMPTY_TEXT,
    QNX_EVENT_WORDS,
    QNX_EVENT_TEXT,
    QNX_CLASS_EVENT_WORDS,
    QNX_CONTEXT_WORDS,
    QNX_MORE_WORDS, /* from here on: of several slots */
    QNX_CONTEXT_MORE_WORDS,
    QNX_DATA,
    QNX_CLASS_EVENT_DATA
};

struct qnx_type; /* private */

struct qnx_thread {
    uint32_t pid, tid;
    uint32_t context; /* 0: a process, whose tid is 0, or idle */
    uint32_t sibling; /* number of another thread of the process, from 1 on; of a process: of a thread of its own */
    bool known;
    char name[20];
};

struct qnx_types {
    struct trace *trace;
    unsigned release;                               /* of QNX: 6, 7, 8 */
    uint32_t idle;                                  /* threads 1 .. idle of process 1 are context 0 */
    uint32_t next;                                  /* context of the next new thread */
    uint32_t last;                                  /* of all threads that find no number */
    uint64_t cut;                                   /* events that had more slots than an event keeps */
    uint16_t *row[TLOG_TRACE_CLASS_COUNT];          /* by event: number in the tables */
    struct qnx_type **type[TLOG_TRACE_CLASS_COUNT]; /* by event, as many forms of each */
    struct qnx_type *unknown[2];
    struct qnx_type *user[QNX_WORDS_SLOTS + 1u]; /* of words, by slots, of which there are several */
    struct qnx_type *all;                        /* a list */
    uint16_t hex[256];                           /* the two digits of a byte, the first one low */
    enum qnx_layout layout;                      /* of the last payload */
    struct qnx_thread *thread;                   /* open addressing over pid and tid; NULL before the first */
    size_t nthreads;
};

/* Contexts are first .. last, last standing for all threads for which there is no other. */
void qnx_types_start(struct qnx_types *types, struct trace *trace, unsigned release, uint32_t first, uint32_t last);

/* Frees what the types are made of, so only when no writer needs them any more. */
void qnx_types_free(struct qnx_types *types);

/* Put the event's payload, at most QNX_PAYLOAD_MAX bytes, to data, and its type in *type. The size; 0 after
 * trace_fail(), or if it is no event but tells a name. Sets names of tasks. */
uint16_t qnx_payload(struct qnx_types *types, const struct qnx_event *event, unsigned char *data, uint16_t *type);

#define QNX_THREADS_ROOM_BITS 15u /* twice as many as there may be */

/* A process or thread, or where it would be. There are some. */
static inline struct qnx_thread *qnx_thread(const struct qnx_types *types, uint32_t pid, uint32_t tid)
{
    uint64_t hash = ((uint64_t)tid << 32 | pid) * 0x9E3779B97F4A7C15u;
    struct qnx_thread *thread = &types->thread[hash >> (64u - QNX_THREADS_ROOM_BITS)];

    while ((thread->pid != pid || thread->tid != tid) && thread->known)
        thread = thread + 1 < types->thread + (1u << QNX_THREADS_ROOM_BITS) ? thread + 1 : types->thread;
    return thread;
}

/* The context of a thread that was not seen before, or is idle. */
uint32_t qnx_new_context(struct qnx_types *types, uint32_t pid, uint32_t tid);

/* The context of a thread; a new one if it was not seen before. */
static inline uint32_t qnx_context(struct qnx_types *types, uint32_t pid, uint32_t tid)
{
    uint32_t context = types->thread != NULL ? qnx_thread(types, pid, tid)->context : 0;

    return context != 0 ? context : qnx_new_context(types, pid, tid);
}

/* False: the words of a simple user event, the first one low, are surely no text: their last byte is not 0, or one of the
 * first four is a control character. */
static inline bool qnx_may_be_text(uint64_t words)
{
    uint32_t first = (uint32_t)words;

    return words >> 56 == 0 && ((first - 0x09090909u) & ~first & 0x80808080u) == 0;
}

#define QNX_BYTES(b) (0x0101010101010101u * (b))

/* The top bits of bytes that are 0; further bits may be set above the lowest one. */
static inline uint64_t qnx_zero_bytes(uint64_t bytes)
{
    return (bytes - QNX_BYTES(1u)) & ~bytes & QNX_BYTES(0x80u);
}

/* Whether eight bytes are all printable ASCII, blanks included. */
static inline bool qnx_is_ascii(uint64_t bytes)
{
    return ((bytes | (bytes - QNX_BYTES(0x20u)) | (bytes + QNX_BYTES(0x01u))) & QNX_BYTES(0x80u)) == 0;
}

/* Whether no byte is a control character below a tab, so that these may be characters beside printable ASCII. */
static inline bool qnx_may_be_printable(uint64_t bytes)
{
    return ((bytes - QNX_BYTES(0x09u)) & ~bytes & QNX_BYTES(0x80u)) == 0;
}

#define QNX_TEXT_LEAST 4u /* characters of a user event's text */

/* Length of the text that the words of a simple user event are, the first one low. 0: none; QNX_TEXT_OTHER: it may be one
 * with characters beside printable ASCII. Zeros behind the last other byte, of which there has to be one, are taken for
 * blanks; a zero before it is not printable. */
static inline unsigned qnx_short_text(uint64_t words)
{
    uint64_t filled;
    unsigned n;

    if (words >> 56 != 0 || words >> 8u * (QNX_TEXT_LEAST - 1u) == 0)
        return 0;
    n = (63u - (unsigned)__builtin_clzll(words)) / 8u + 1u;
    filled = words | QNX_BYTES(0x20u) << 8u * n;
    if (qnx_is_ascii(filled))
        return n;
    return qnx_may_be_printable(filled) ? QNX_TEXT_OTHER : 0;
}

/* Length of the text that a user event with data in so many slots is, or -1. */
int qnx_user_text(const unsigned char *data, uint32_t slots);

/* Put the payload of an event whose words no type has fields for to data, at most QNX_PAYLOAD_MAX bytes: class and event
 * where the type has them, the number of words, and they in hexadecimal as a text. Its size. */
uint16_t qnx_put_data(struct qnx_types *types, const struct qnx_event *event, bool with_class, bool with_event,
                      unsigned char *data);

/* Only the contexts and names that an event brings. */
void qnx_note(struct qnx_types *types, const struct qnx_event *event);

/* Word i of the event's data. */
uint32_t qnx_word(const struct qnx_event *event, uint32_t i);

/* What a type of system "qnx" says about the traceevent it is of. */
struct qnx_origin {
    uint32_t class, event;
    bool in_payload; /* class and event are the first two fields; of class USER the event is the first one */
    unsigned first;  /* field that is the first word of data */
    unsigned words;  /* fields with one each */
    unsigned least;  /* words that such an event has at least */
    bool text;       /* the field behind them is a text */
    bool data;       /* a text with the words, behind their number */
};

/* False: no such event in that release of QNX. */
bool qnx_origin(const struct trace_type *type, unsigned release, struct qnx_origin *origin);

#endif
