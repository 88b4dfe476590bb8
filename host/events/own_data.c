/* own_data.c - see own_data.h. */
#include "events/own_data.h"

#include "base/bytes.h"

#include <string.h>

size_t own_data_text(const struct own_descriptor *of, struct own_data from)
{
    size_t at = 4u * (size_t)of->words, end = 4u * (size_t)from.n;
    const unsigned char *nul = of->has_text && at < end ? memchr(from.words + at, '\0', end - at) : NULL;
    return nul != NULL ? (size_t)(nul - from.words) - at + 1u : 0;
}

bool own_data_is_of(const struct own_descriptor *of, struct own_data from)
{
    size_t text = own_data_text(of, from), words = of->words + (text + 3u) / 4u;
    return 4u * words <= OWN_BYTES_MAX && from.n >= words && (from.n - words <= 1u || from.n <= 2u)
           && (text > 0 || !of->has_text);
}

void own_data_clear_thumb(const struct trace_firmware *firmware, unsigned char *at)
{
    uint32_t value = get_le32(at);
    uint64_t offset = 1;
    const struct trace_symbol *symbol = (value & 1u) != 0 ? trace_symbol_at(firmware, value - 1u, &offset) : NULL;
    if (symbol != NULL && offset == 0 && strchr("TtWw", symbol->type) != NULL)
        put_le32(at, value - 1u);
}
