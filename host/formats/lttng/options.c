/* options.c - what a written LTTng trace looks like: see options.h.
 *
 * The defaults are what most readers of 2008 understand: words of 8 bytes, little-endian, aligned, full stamps.
 */
#include "formats/lttng/options.h"

#include "formats/lttng/layout.h"
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_DEFAULT 65536u
#define BLOCK_MOST    (1u << 26) /* bytes */

/* Are the n characters at word this name? */
static bool is(const char *word, size_t n, const char *name)
{
    return strlen(name) == n && strncmp(word, name, n) == 0;
}

/* block=BYTES. The options' functions return false for what they do not understand. */
static bool take_block(struct lttng_options *options, const char *word, size_t n)
{
    char *end;
    unsigned long bytes;
    if (n < 7 || strncmp(word, "block=", 6) != 0 || word[6] < '0' || word[6] > '9')
        return false;
    bytes = strtoul(word + 6, &end, 10);
    options->block = (uint32_t)bytes;
    return end == word + n && bytes >= LTTNG_PAGE && bytes <= BLOCK_MOST && bytes % LTTNG_PAGE == 0;
}

static bool take_word(struct lttng_options *options, const char *word, size_t n)
{
    if (is(word, n, "word=4") || is(word, n, "word=8"))
        options->word = (uint8_t)(word[5] - '0');
    else if (is(word, n, "order=big") || is(word, n, "order=little"))
        options->big = word[6] == 'b';
    else if (is(word, n, "packed"))
        options->packed = true;
    else if (is(word, n, "heartbeat"))
        options->heartbeat = true;
    else if (is(word, n, "compact"))
        options->compact = options->heartbeat = true;
    else if (is(word, n, "flight"))
        options->flight = true;
    else if (is(word, n, "seed"))
        options->seed = true;
    else
        return take_block(options, word, n);
    return true;
}

int lttng_options_parse(struct lttng_options *options, struct trace *trace, const char *list)
{
    *options = (struct lttng_options){.word = 8, .block = BLOCK_DEFAULT};
    while (list != NULL && *list != '\0') {
        size_t n = strcspn(list, ",");
        if (!take_word(options, list, n))
            return trace_fail(trace,
                              "--lttng: %.*s is none of word=4, word=8, order=little, order=big, packed, heartbeat, "
                              "compact, flight, seed, and block=BYTES in whole pages of 4096 up to 64 MiB",
                              (int)n, list);
        list += n + (list[n] == ',');
    }
    return 0;
}
