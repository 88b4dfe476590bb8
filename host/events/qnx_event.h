/* qnx_event.h - a traceevent of QNX, and the words and texts of its data.
 *
 * Prefix: qnx_ names in events/ are about what QNX's kernel logs, whatever file it comes from: a .kev file
 * (formats/qnx/), or a tlog dump of traceevents (formats/native/).
 *
 * Vocabulary, from QNX's documentation:
 *   traceevent   an event of QNX: a class, a number within the class, a CPU, a time stamp, and words of data
 *   slot         16 bytes, as QNX's traceevent_t: header, stamp, two words of data
 *   simple       said of an event that is one slot
 *   combine      said of an event that is several slots, each with two more words of its data
 *   release      the first number of QNX's version: 6, 7 or 8; some numbers mean other events from 8 on
 */
#ifndef EVENTS_QNX_EVENT_H
#define EVENTS_QNX_EVENT_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QNX_SLOTS_MAX  112u /* slots whose data an event keeps; the data of further ones is dropped */
#define QNX_SLOT_BYTES 8u   /* of data in each slot: two words of 4 bytes */

struct qnx_event {
    uint32_t class, event;
    uint32_t slots;            /* that the event had, also those beyond QNX_SLOTS_MAX */
    const unsigned char *data; /* QNX_SLOT_BYTES of each slot that is kept, as they lie in the target's memory */
    bool big;                  /* words are big-endian */
};

/* Word i of the event's data, from 0 on; 0 if the event has no such word. */
static inline uint32_t qnx_word(const struct qnx_event *event, uint32_t i)
{
    uint32_t word;
    if (i >= 2u * event->slots || i >= 2u * QNX_SLOTS_MAX)
        return 0;
    word = get_le32(event->data + (size_t)4u * i);
    return event->big ? __builtin_bswap32(word) : word;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* A text is bytes up to a NUL; the NUL is in the event's last slot, and zeros fill the rest of that slot. User events
 * do not tell whether their data is words or a text. It is taken for a text if it is one by this rule, has
 * QNX_TEXT_LEAST bytes at least, and is nothing but printable UTF-8, tabs and line ends.
 *
 * Most user events are words, and a dump may have millions of them: the inline functions decide the frequent cases for
 * eight bytes at once. */

#define QNX_TEXT_LEAST 4u   /* bytes of a user event's text, without the NUL */
#define QNX_TEXT_OTHER 255u /* see qnx_short_text() */

/* The byte b eight times. */
#define QNX_BYTES(b) (0x0101010101010101u * (b))

/* Quick check of a simple user event; words: its eight bytes of data as a little-endian number. False: they are surely
 * no text, because the last byte is not 0, or one of the first four is a control character below a tab. */
static inline bool qnx_may_be_text(uint64_t words)
{
    uint32_t first = (uint32_t)words;
    return words >> 56 == 0 && ((first - 0x09090909u) & ~first & 0x80808080u) == 0;
}

/* The top bit of each byte that is 0, up to the lowest such byte. Bits above that one may be set wrongly. */
static inline uint64_t qnx_zero_bytes(uint64_t bytes)
{
    return (bytes - QNX_BYTES(1u)) & ~bytes & QNX_BYTES(0x80u);
}

/* Whether eight bytes are all printable ASCII, blanks included. */
static inline bool qnx_is_ascii(uint64_t bytes)
{
    return ((bytes | (bytes - QNX_BYTES(0x20u)) | (bytes + QNX_BYTES(0x01u))) & QNX_BYTES(0x80u)) == 0;
}

/* Whether no byte is a control character below a tab: the bytes may be printable, though not all are ASCII. */
static inline bool qnx_may_be_printable(uint64_t bytes)
{
    return ((bytes - QNX_BYTES(0x09u)) & ~bytes & QNX_BYTES(0x80u)) == 0;
}

/* Length of the text in a simple user event; words as for qnx_may_be_text(). 0: it has none. QNX_TEXT_OTHER: it may
 * have one with characters beside printable ASCII, which qnx_user_text() finds out. Zeros behind the last byte that is
 * not 0 count as blanks here; a zero ahead of that byte is not printable. */
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

/* Length of the text in a user event with data in so many slots, without the NUL; -1: the data is no text. */
int qnx_user_text(const unsigned char *data, uint32_t slots);

/* Length of the text that begins at byte from of an event's data; a word begins there. -1: no text by the rule above;
 * what characters it has is not checked. An event of one slot whose data ends at from has an empty text. */
int qnx_text_length(const unsigned char *data, uint32_t slots, uint32_t from);

#endif
