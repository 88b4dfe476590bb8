/* wire.c - headers and seals field by field: see wire.h. */
#include "native/wire.h"

#include "base/cursor.h"

/* Both structures consist of 32-bit words alone, so their fields are read in the order in which tlog_wire.h has
 * them. */
static void read_words(const unsigned char *bytes, void *structure, size_t size)
{
    struct cursor cursor = cursor_in_memory(bytes, size, false);
    for (size_t at = 0; at < size; at += sizeof(uint32_t)) {
        uint32_t word = cursor_32(&cursor);
        memcpy((unsigned char *)structure + at, &word, sizeof word);
    }
}

struct tlog_chunk native_read_header(const unsigned char *bytes)
{
    struct tlog_chunk header;
    read_words(bytes, &header, sizeof header);
    return header;
}

struct tlog_seal native_read_seal(const unsigned char *bytes)
{
    struct tlog_seal seal;
    read_words(bytes, &seal, sizeof seal);
    return seal;
}
