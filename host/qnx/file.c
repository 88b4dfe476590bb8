/* file.c - header and slots of a .kev file: see file.h. */
#include "qnx/file.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX     "TRACE_"
#define POSTFIX    "::"
#define KEY_MAX    32u
#define NUMBER_MAX 20u /* digits */

/* The header's text while it is parsed. */
struct text {
    struct trace *trace;
    const char *bytes;
    size_t n;
};

/* ---- attributes ------------------------------------------------------------------------------------------------ */

static const char *find(const char *from, const char *end, const char *what)
{
    size_t n = strlen(what);

    for (; (size_t)(end - from) >= n; from++) {
        if (memcmp(from, what, n) == 0)
            return from;
    }
    return NULL;
}

/* Bytes of the attribute's name there with all that marks it, or 0 if none begins there. */
static size_t key_length(const char *at, const char *end)
{
    size_t n = strlen(PREFIX), left = (size_t)(end - at);

    if (left < n || memcmp(at, PREFIX, n) != 0)
        return 0;
    while (n < left && n < KEY_MAX && ((at[n] >= 'A' && at[n] <= 'Z') || at[n] == '_'))
        n++;
    return left - n >= strlen(POSTFIX) && memcmp(at + n, POSTFIX, strlen(POSTFIX)) == 0 ? n + strlen(POSTFIX) : 0;
}

/* The value of an attribute, up to the next one or the end: true, with its bytes. */
static bool value_of(const struct text *text, const char *key, const char **value, size_t *bytes)
{
    const char *end = text->bytes + text->n;

    for (const char *at = text->bytes; at < end; at++) {
        size_t n = key_length(at, end);
        const char *next;

        if (n == 0 || n != strlen(PREFIX) + strlen(key) + strlen(POSTFIX)
            || memcmp(at + strlen(PREFIX), key, strlen(key)) != 0)
            continue;
        for (next = at + n; next < end && key_length(next, end) == 0;)
            next++;
        *value = at + n;
        *bytes = (size_t)(next - *value);
        return true;
    }
    return false;
}

/* A number; *number stays as it is if there is no such attribute. */
static int read_number(const struct text *text, const char *key, uint64_t *number)
{
    const char *value;
    char digits[NUMBER_MAX + 1u] = "";
    size_t n;

    if (!value_of(text, key, &value, &n))
        return 0;
    if (n > 0 && n < NUMBER_MAX)
        memcpy(digits, value, n);
    if (n == 0 || n >= NUMBER_MAX || strspn(digits, "0123456789") != n)
        return trace_fail(text->trace, "%s: header: TRACE_%s is not a number", text->trace->input_name, key);
    *number = strtoull(digits, NULL, 10);
    return 0;
}

static void read_text(const struct text *text, const char *key, char *to)
{
    const char *value;
    size_t n;

    to[0] = '\0';
    if (!value_of(text, key, &value, &n))
        return;
    n = n < KEV_ATTRIBUTE_MAX - 1u ? n : KEV_ATTRIBUTE_MAX - 1u;
    for (size_t i = 0; i < n; i++)
        to[i] = value[i] >= ' ' && value[i] <= '~' ? value[i] : '_';
    to[n] = '\0';
}

static bool has(const struct text *text, const char *key)
{
    const char *value;
    size_t n;

    return value_of(text, key, &value, &n);
}

static int read_order(const struct text *text, struct kev_header *header)
{
    bool little = has(text, "LITTLE_ENDIAN");

    header->big = has(text, "BIG_ENDIAN");
    if (header->big == little)
        return trace_fail(text->trace,
                          "%s: header: %s byte order; expected one of TRACE_LITTLE_ENDIAN, TRACE_BIG_ENDIAN",
                          text->trace->input_name, little ? "contradicting" : "no");
    return 0;
}

static void read_target(const struct text *text, struct kev_header *header)
{
    char name[KEV_ATTRIBUTE_MAX], release[KEV_ATTRIBUTE_MAX], machine[KEV_ATTRIBUTE_MAX];

    read_text(text, "SYSNAME", name);
    read_text(text, "SYS_RELEASE", release);
    read_text(text, "MACHINE", machine);
    snprintf(header->target, sizeof header->target, "%s%s%s%s%s", name[0] ? name : "QNX", release[0] ? " " : "",
             release, machine[0] ? " " : "", machine);
    header->release = release[0] >= '1' && release[0] <= '9' ? (unsigned)strtoul(release, NULL, 10) : 6u;
}

static int read_attributes(const struct text *text, struct kev_header *header, uint64_t size)
{
    struct trace *trace = text->trace;
    uint64_t syspage = 0, cpus = 0;

    if (read_order(text, header) != 0 || read_number(text, "CYCLES_PER_SEC", &header->hz) != 0
        || read_number(text, "SYSPAGE_LEN", &syspage) != 0 || read_number(text, "CPU_NUM", &cpus) != 0)
        return -1;
    if (header->hz > UINT32_MAX * (uint64_t)1000)
        return trace_fail(trace, "%s: header: a clock of %" PRIu64 " Hz", trace->input_name, header->hz);
    if (cpus > KEV_CPUS_MAX)
        return trace_fail(trace, "%s: header: %" PRIu64 " CPUs; expected %u at most", trace->input_name, cpus,
                          KEV_CPUS_MAX);
    if (syspage > size - header->slots)
        return trace_fail(trace,
                          "%s: offset 0x%" PRIx64 ": the file ends in the system page: %" PRIu64
                          " bytes expected, %" PRIu64 " there",
                          trace->input_name, header->slots, syspage, size - header->slots);
    header->cpus = (unsigned)cpus;
    header->counts = has(text, "TLOG_COUNTS");
    header->slots += syspage;
    read_target(text, header);
    return 0;
}

/* ---- the header ------------------------------------------------------------------------------------------------ */

bool kev_begins(struct input *in)
{
    char bytes[KEV_BEGINS_WITHIN];
    size_t n = input_read(in, 0, bytes, sizeof bytes);

    return find(bytes, bytes + n, KEV_HEADER_BEGIN) != NULL;
}

static int parse(struct trace *trace, struct input *in, struct kev_header *header, char *bytes)
{
    size_t n = input_read(in, 0, bytes, KEV_HEADER_MAX);
    const char *begin = find(bytes, bytes + (n < KEV_BEGINS_WITHIN ? n : KEV_BEGINS_WITHIN), KEV_HEADER_BEGIN);
    const char *end = begin != NULL ? find(begin, bytes + n, KEV_HEADER_END) : NULL;
    struct text text = {trace, begin, 0};

    if (begin == NULL)
        return trace_fail(trace, "%s: no .kev file: \"" KEV_HEADER_BEGIN "\" expected in the first %u bytes",
                          trace->input_name, KEV_BEGINS_WITHIN);
    if (end == NULL)
        return trace_fail(trace, "%s: header: \"" KEV_HEADER_END "\" expected in the first %u bytes", trace->input_name,
                          KEV_HEADER_MAX);
    text.n = (size_t)(end - begin);
    header->slots = (uint64_t)(end - bytes) + strlen(KEV_HEADER_END);
    return read_attributes(&text, header, input_size(in));
}

int kev_header_read(struct trace *trace, struct input *in, struct kev_header *header)
{
    char *bytes = malloc(KEV_HEADER_MAX);
    int result;

    *header = (struct kev_header){.release = 6};
    if (bytes == NULL)
        return trace_fail(trace, "%s: no memory", trace->input_name);
    result = parse(trace, in, header, bytes);
    free(bytes);
    return result;
}

/* ---- slots ----------------------------------------------------------------------------------------------------- */

void kev_walk_start(struct kev_walk *walk, struct input *in, const struct kev_header *header)
{
    walk->in = in;
    walk->at = header->slots;
    walk->used = walk->n = 0;
    walk->big = header->big;
}

static bool fill(struct kev_walk *walk)
{
    walk->used = 0;
    walk->n = input_read(walk->in, walk->at, walk->buffer, KEV_WALK_BYTES) & ~(size_t)(KEV_SLOT_BYTES - 1u);
    walk->at += walk->n;
    return walk->n > 0;
}

static uint32_t word(const struct kev_walk *walk, const unsigned char *at)
{
    return walk->big ? __builtin_bswap32(get_le32(at)) : get_le32(at);
}

bool kev_walk_next(struct kev_walk *walk, struct kev_slot *slot)
{
    const unsigned char *at;

    if (walk->used == walk->n && !fill(walk))
        return false;
    at = walk->buffer + walk->used;
    slot->offset = walk->at - walk->n + walk->used;
    slot->header = word(walk, at);
    slot->stamp = word(walk, at + 4);
    slot->word[0] = word(walk, at + 8);
    slot->word[1] = word(walk, at + 12);
    memcpy(slot->data, at + 8, sizeof slot->data);
    walk->used += KEV_SLOT_BYTES;
    return true;
}
