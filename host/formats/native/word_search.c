/* word_search.c - the search for the words of headers, heads and seals: see word_search.h. */
#include "formats/native/word_search.h"

#include "base/bytes.h"
#include "tlog_wire.h"

#include <stdbool.h>

#define FORMAT(address_bytes) (TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16 | (address_bytes) << 24)

static const struct {
    uint32_t value;
    enum native_word word;
} words[] = {
    {TLOG_WIRE_MAGIC, NATIVE_WORD_MAGIC},
    {TLOG_WIRE_TAG, NATIVE_WORD_TAG},
    {FORMAT(4u), NATIVE_WORD_FORMAT},
    {FORMAT(8u), NATIVE_WORD_FORMAT},
    {TLOG_WIRE_SEAL, NATIVE_WORD_SEAL},
    {TLOG_PACK_MAGIC, NATIVE_WORD_REGION},
    {TLOG_PACK_VERSION | TLOG_PACK_HEAD_BYTES << 16, NATIVE_WORD_REGION_VERSION},
    {__builtin_bswap32(TLOG_WIRE_MAGIC), NATIVE_WORD_MAGIC_BIG},
    {__builtin_bswap32(TLOG_PACK_MAGIC), NATIVE_WORD_REGION_BIG},
};

/* Whether the four bytes are one of the words; tells which. */
static bool is_word(const unsigned char *bytes, enum native_word *word)
{
    uint32_t value = get_le32(bytes);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (words[i].value == value) {
            *word = words[i].word;
            return true;
        }
    }
    return false;
}

size_t native_word_find(const unsigned char *bytes, size_t n, size_t from, enum native_word *word)
{
    for (; from < n && n - from >= NATIVE_WORD_BYTES; from++) {
        if (is_word(bytes + from, word))
            return from;
    }
    return n;
}
