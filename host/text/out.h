/* out.h - text that is put into memory with an end: what has no room ends in "...". */
#ifndef TEXT_OUT_H
#define TEXT_OUT_H

#include "base/printable.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct out {
    char *at;  /* where the next byte goes */
    char *end; /* behind the room */
};

/* Whether there is room for that many bytes and the dots. If not, the dots are put, and nothing more. */
static inline bool out_has_room(struct out *out, size_t bytes)
{
    if (bytes + 3u <= (size_t)(out->end - out->at))
        return true;
    if (out->end - out->at >= 3)
        memcpy(out->at, "...", 3);
    out->at += out->end - out->at >= 3 ? 3 : 0;
    out->end = out->at;
    return false;
}

static inline void out_bytes(struct out *out, const char *from, size_t n)
{
    if (out_has_room(out, n)) {
        memcpy(out->at, from, n);
        out->at += n;
    }
}

/* Bytes as printable.h shows them, backslashes as they are. */
static inline void out_printable(struct out *out, const char *from, size_t n)
{
    if (out_has_room(out, PRINTABLE_MOST * n))
        out->at = printable_put(out->at, from, n, false);
}

#endif
