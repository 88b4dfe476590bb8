/* qnx_event.c - finds texts in the data of QNX's events: see qnx_event.h. */
#include "events/qnx_event.h"

/* Whether one of the data's bytes from .. last - 1 is 0. from is a multiple of 4, last one of 8. */
static bool has_early_zero(const unsigned char *data, uint32_t from, uint32_t last)
{
    for (; from + QNX_SLOT_BYTES <= last; from += QNX_SLOT_BYTES) {
        if (qnx_zero_bytes(get_le64(data + from)) != 0)
            return true;
    }
    /* A single word may be left; the bytes above it are made other than 0. */
    return from < last && qnx_zero_bytes(get_le32(data + from) | QNX_BYTES(1u) << 32) != 0;
}

int qnx_text_length(const unsigned char *data, uint32_t slots, uint32_t from)
{
    uint32_t end = QNX_SLOT_BYTES * slots, last = end - QNX_SLOT_BYTES;
    uint64_t bytes, zeros;
    unsigned n;
    if (slots > QNX_SLOTS_MAX || from > end)
        return -1;
    if (from == end)
        return slots == 1u ? 0 : -1;
    if (has_early_zero(data, from, last))
        return -1;
    bytes = get_le64(data + last);
    if (from > last) /* the text begins at the last slot's second word: its first one is no part of the text */
        bytes |= UINT32_MAX;
    zeros = qnx_zero_bytes(bytes);
    n = zeros != 0 ? (unsigned)__builtin_ctzll(zeros) / 8u : QNX_SLOT_BYTES;
    return zeros != 0 && bytes >> 8u * n == 0 ? (int)(last + n - from) : -1;
}

/* Bytes of the UTF-8 character at text if it is printable, a tab or a line end; else 0. */
static size_t printable(const unsigned char *text, size_t left)
{
    size_t n = *text < 0xC2u ? 1u : *text < 0xE0u ? 2u : *text < 0xF0u ? 3u : *text < 0xF5u ? 4u : 0u;
    if (n == 1u)
        return (*text >= ' ' && *text < 0x7Fu) || *text == '\t' || *text == '\n' || *text == '\r';
    if (n > left)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((text[i] & 0xC0u) != 0x80u)
            return 0;
    }
    return n;
}

/* Whether all of a user event's text is printable. Most texts are ASCII, so they are first looked at slot by slot; the
 * zeros behind the text in the last slot count as blanks. */
static bool is_printable(const unsigned char *data, size_t length)
{
    size_t at = 0;
    while (at + QNX_SLOT_BYTES <= length && qnx_is_ascii(get_le64(data + at)))
        at += QNX_SLOT_BYTES;
    if (at + QNX_SLOT_BYTES > length && qnx_is_ascii(get_le64(data + at) | QNX_BYTES(0x20u) << 8u * (length - at)))
        return true;
    while (at < length) {
        size_t n = printable(data + at, length - at);
        if (n == 0)
            return false;
        at += n;
    }
    return true;
}

int qnx_user_text(const unsigned char *data, uint32_t slots)
{
    int length;
    if (slots == 0 || slots > QNX_SLOTS_MAX || data[QNX_SLOT_BYTES * slots - 1u] != '\0'
        || !qnx_may_be_text(get_le32(data)))
        return -1;
    length = qnx_text_length(data, slots, 0);
    return length >= (int)QNX_TEXT_LEAST && is_printable(data, (size_t)length) ? length : -1;
}
