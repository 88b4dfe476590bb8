/* file.c - parses the header of a .kev file, reads its slots, and looks at single ones: see file.h. */
#include "formats/qnx/file.h"

#include "base/heap.h"
#include "base/bytes.h"
#include "base/cursor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX     "TRACE_"
#define POSTFIX    "::"
#define KEY_MAX    32u /* bytes of an attribute's name, with the prefix */
#define NUMBER_MAX 20u /* digits */

/* The header's attributes; text: a cursor from their beginning to their end. */
struct attributes {
    struct trace *trace;
    struct cursor text;
};

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Whether the word stands at the cursor, which then goes behind it. Otherwise the cursor is of no further use. */
static bool take_word(struct cursor *at, const char *word)
{
    const unsigned char *bytes = cursor_view(at, strlen(word));
    return bytes != NULL && memcmp(bytes, word, strlen(word)) == 0;
}

/* The character at the cursor; NUL at its end. */
static char peek(struct cursor at)
{
    return (char)cursor_number(&at, 1);
}

/* Move the cursor to the next place where the word stands. False: there is none. */
static bool find_word(struct cursor *at, const char *word)
{
    for (; cursor_left(at) > 0; cursor_skip(at, 1)) {
        struct cursor ahead = *at;
        if (take_word(&ahead, word))
            return true;
    }
    return false;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* Bytes of the attribute's name that begins at the cursor, with prefix and postfix; 0 if none begins there. */
static size_t key_length(struct cursor at)
{
    uint64_t begin = at.at;
    if (!take_word(&at, PREFIX))
        return 0;
    while (at.at - begin < KEY_MAX && ((peek(at) >= 'A' && peek(at) <= 'Z') || peek(at) == '_'))
        cursor_skip(&at, 1);
    return take_word(&at, POSTFIX) ? (size_t)(at.at - begin) : 0;
}

/* Find the first attribute with that key. *value becomes a cursor over its value, which ends where the next attribute
 * begins. False: there is no such attribute. */
static bool value_of(const struct attributes *attributes, const char *key, struct cursor *value)
{
    for (struct cursor at = attributes->text; cursor_left(&at) > 0; cursor_skip(&at, 1)) {
        struct cursor end;
        if (key_length(at) != strlen(PREFIX) + strlen(key) + strlen(POSTFIX))
            continue;
        *value = at;
        cursor_skip(value, strlen(PREFIX));
        if (!take_word(value, key))
            continue;
        cursor_skip(value, strlen(POSTFIX));
        for (end = *value; cursor_left(&end) > 0 && key_length(end) == 0;)
            cursor_skip(&end, 1);
        value->end = end.at;
        return true;
    }
    return false;
}

/* Get a number; *number stays as it is if there is no such attribute. 0, or -1 after trace_fail(). */
static int read_number(const struct attributes *attributes, const char *key, uint64_t *number)
{
    struct trace *trace = attributes->trace;
    struct cursor value;
    char digits[NUMBER_MAX + 1u] = "";
    uint64_t n;
    if (!value_of(attributes, key, &value))
        return 0;
    n = cursor_left(&value);
    if (n > 0 && n < NUMBER_MAX)
        cursor_get(&value, digits, (size_t)n);
    if (n == 0 || n >= NUMBER_MAX || strspn(digits, "0123456789") != n)
        return trace_fail(trace, "%s: header: TRACE_%s is not a number", trace->input_name, key);
    *number = strtoull(digits, NULL, 10);
    return 0;
}

/* Get a text in KEV_ATTRIBUTE_MAX bytes, cut if it is longer; what is no printable ASCII becomes '_'. Empty if there is
 * no such attribute. */
static void read_text(const struct attributes *attributes, const char *key, char *to)
{
    struct cursor value;
    if (value_of(attributes, key, &value)) {
        for (unsigned i = 0; i < KEV_ATTRIBUTE_MAX - 1u && cursor_left(&value) > 0; i++) {
            char c = (char)cursor_number(&value, 1);
            *to++ = c >= ' ' && c <= '~' ? c : '_';
        }
    }
    *to = '\0';
}

static bool has(const struct attributes *attributes, const char *key)
{
    struct cursor value;
    return value_of(attributes, key, &value);
}

/* Get the byte order of the slots. 0, or -1 after trace_fail(). */
static int read_order(const struct attributes *attributes, struct kev_header *header)
{
    bool little = has(attributes, "LITTLE_ENDIAN");
    header->big = has(attributes, "BIG_ENDIAN");
    if (header->big == little)
        return trace_fail(attributes->trace,
                          "%s: header: %s byte order; expected one of TRACE_LITTLE_ENDIAN, TRACE_BIG_ENDIAN",
                          attributes->trace->input_name, little ? "contradicting" : "no");
    return 0;
}

/* Get what the target is called, and the release of QNX. */
static void read_target(const struct attributes *attributes, struct kev_header *header)
{
    char name[KEV_ATTRIBUTE_MAX], release[KEV_ATTRIBUTE_MAX], machine[KEV_ATTRIBUTE_MAX];
    read_text(attributes, "SYSNAME", name);
    read_text(attributes, "SYS_RELEASE", release);
    read_text(attributes, "MACHINE", machine);
    snprintf(header->target, sizeof header->target, "%s%s%s%s%s", name[0] ? name : "QNX", release[0] ? " " : "",
             release, machine[0] ? " " : "", machine);
    header->release = release[0] >= '1' && release[0] <= '9' ? (unsigned)strtoul(release, NULL, 10) : 6u;
}

/* Which priorities are the more important ones: to QNX the highest. Of others tlog-decode tells what it knows. */
static enum trace_priority_order order_of(const struct attributes *attributes)
{
    if (has(attributes, "TLOG_LOWEST_FIRST"))
        return TRACE_LOWEST_FIRST;
    return has(attributes, "TLOG_HIGHEST_FIRST") || !has(attributes, "TLOG_COUNTS") ? TRACE_HIGHEST_FIRST
                                                                                    : TRACE_ORDER_UNKNOWN;
}

/* Get all that the decoder wants of the attributes. header->slots must be their end; it becomes the end of the system
 * page, which follows them. size: of the input. 0, or -1 after trace_fail(). */
static int read_attributes(const struct attributes *attributes, struct kev_header *header, uint64_t size)
{
    struct trace *trace = attributes->trace;
    uint64_t syspage = 0, cpus = 0;
    if (read_order(attributes, header) != 0 || read_number(attributes, "CYCLES_PER_SEC", &header->hz) != 0
        || read_number(attributes, "SYSPAGE_LEN", &syspage) != 0 || read_number(attributes, "CPU_NUM", &cpus) != 0)
        return -1;
    if (header->hz > UINT32_MAX * (uint64_t)1000)
        return trace_fail(trace, "%s: header: a clock of %" PRIu64 " Hz", trace->input_name, header->hz);
    if (cpus > KEV_CPUS_MAX)
        return trace_fail(trace, "%s: header: %" PRIu64 " CPUs; expected %u at most", trace->input_name, cpus,
                          KEV_CPUS_MAX);
    if (syspage > size - header->slots)
        return trace_fail_at(trace, trace->input_name, header->slots,
                             "the file ends in the system page: %" PRIu64 " bytes expected, %" PRIu64 " there", syspage,
                             size - header->slots);
    header->cpus = (unsigned)cpus;
    header->counts = has(attributes, "TLOG_COUNTS");
    header->main = has(attributes, "TLOG_MAIN");
    header->order = order_of(attributes);
    header->slots += syspage;
    read_target(attributes, header);
    return 0;
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

bool kev_begins(struct input *in)
{
    char bytes[KEV_BEGINS_WITHIN];
    struct cursor text = cursor_in_memory(bytes, input_read(in, 0, bytes, sizeof bytes), false);
    return find_word(&text, KEV_HEADER_BEGIN);
}

/* Parse the header; bytes: room for KEV_HEADER_MAX. 0, or -1 after trace_fail(). */
static int parse(struct trace *trace, struct input *in, struct kev_header *header, char *bytes)
{
    size_t n = input_read(in, 0, bytes, KEV_HEADER_MAX);
    struct cursor begin = cursor_in_memory(bytes, n < KEV_BEGINS_WITHIN ? n : KEV_BEGINS_WITHIN, false), end;
    struct attributes attributes = {.trace = trace};
    if (!find_word(&begin, KEV_HEADER_BEGIN))
        return trace_fail(trace, "%s: no .kev file: \"" KEV_HEADER_BEGIN "\" expected in the first %u bytes",
                          trace->input_name, KEV_BEGINS_WITHIN);
    end = begin;
    end.end = n;
    if (!find_word(&end, KEV_HEADER_END))
        return trace_fail(trace, "%s: header: \"" KEV_HEADER_END "\" expected in the first %u bytes", trace->input_name,
                          KEV_HEADER_MAX);
    attributes.text = begin;
    attributes.text.end = end.at;
    header->slots = end.at + strlen(KEV_HEADER_END);
    return read_attributes(&attributes, header, input_size(in));
}

int kev_header_read(struct trace *trace, struct input *in, struct kev_header *header)
{
    char *bytes = heap_alloc(KEV_HEADER_MAX);
    int result;
    *header = (struct kev_header){.release = 6};
    if (bytes == NULL)
        return trace_fail(trace, "%s: no memory", trace->input_name);
    result = parse(trace, in, header, bytes);
    heap_free(bytes);
    return result;
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

void kev_walk_start(struct kev_walk *walk, struct input *in, const struct kev_header *header)
{
    walk->in = in;
    walk->at = header->slots;
    walk->used = walk->n = 0;
    walk->big = header->big;
}

/* Read the next whole slots into the empty buffer. False: there are none. */
static bool fill(struct kev_walk *walk)
{
    walk->used = 0;
    walk->n = input_read(walk->in, walk->at, walk->buffer, KEV_WALK_BYTES) & ~(size_t)(KEV_SLOT_BYTES - 1u);
    walk->at += walk->n;
    return walk->n > 0;
}

/* A word at some address of the buffer, in the target's byte order. */
static uint32_t word(const struct kev_walk *walk, const unsigned char *at)
{
    return walk->big ? __builtin_bswap32(get_le32(at)) : get_le32(at);
}

/* Every CPU of the trace reads every slot, so words are loaded without a cursor. */
bool kev_walk_next(struct kev_walk *walk, struct kev_slot *slot)
{
    const unsigned char *at;
    if (walk->used == walk->n && !fill(walk))
        return false;
    at = walk->buffer + walk->used;
    slot->offset = walk->at - walk->n + walk->used;
    slot->header = word(walk, at + KEV_AT_HEADER);
    slot->stamp = word(walk, at + KEV_AT_STAMP);
    slot->word[0] = word(walk, at + KEV_AT_DATA);
    slot->word[1] = word(walk, at + KEV_AT_DATA + 4);
    memcpy(slot->data, at + KEV_AT_DATA, sizeof slot->data);
    walk->used += KEV_SLOT_BYTES;
    return true;
}

/* ---- what a slot is ---------------------------------------------------------------------------------------------- */

unsigned kev_cpu(const struct kev_slot *slot)
{
    return _NTO_TRACE_GETCPU(slot->header);
}

bool kev_is_control(const struct kev_slot *slot, uint32_t event)
{
    return _NTO_TRACE_GETEVENT_C(slot->header) == _TRACE_CONTROL_C && _NTO_TRACE_GETEVENT(slot->header) == event;
}

bool kev_tells_trace(const struct kev_slot *slot)
{
    return kev_is_control(slot, TLOG_CONTROL_TIME) || kev_is_control(slot, TLOG_CONTROL_BUFFER)
           || kev_is_control(slot, TLOG_CONTROL_BUFFER_END) || kev_is_control(slot, TLOG_CONTROL_DROPPED);
}

bool kev_is_empty(const struct kev_slot *slot)
{
    return slot->header == 0 && slot->stamp == 0 && slot->word[0] == 0 && slot->word[1] == 0;
}

/* In QNX 8 the CPU of CONTROL slots may be wrong, so it is not checked. */
const char *kev_fault(const struct kev_slot *slot, unsigned release, unsigned ncpus)
{
    if (_NTO_TRACE_GETEVENT_C(slot->header) == _TRACE_EMPTY_C)
        return kev_is_empty(slot) ? NULL : "a slot of no class";
    if (kev_cpu(slot) >= ncpus && !(kev_tells_trace(slot) && release >= 8u))
        return "a slot of a CPU that the header does not count";
    return NULL;
}

/* Bits 31..30 of the header are the part, as enum kev_part_kind has them. */
struct kev_part kev_joinable(const struct kev_slot *slot, uint64_t time)
{
    return (struct kev_part){slot->header & (_NTO_TRACE_CPU_BITS | _NTO_TRACE_CLASS_BITS | _NTO_TRACE_EVENT_BITS),
                             slot->stamp,
                             (enum kev_part_kind)(slot->header >> 30),
                             time,
                             slot->offset,
                             slot->data};
}

struct qnx_event kev_event(const struct kev_joined *joined, bool big)
{
    return (struct qnx_event){_NTO_TRACE_GETEVENT_C(joined->header) >> 10, _NTO_TRACE_GETEVENT(joined->header),
                              joined->slots, joined->data, big};
}

uint32_t kev_buffers_step(struct kev_buffers *buffers, const struct kev_slot *slot)
{
    unsigned i = buffers->per_cpu ? kev_cpu(slot) : 0;
    uint32_t missing = buffers->begun[i] ? (slot->word[0] - buffers->last[i] - 1u) % KEV_SEQUENCES : 0;
    buffers->begun[i] = true;
    buffers->last[i] = slot->word[0];
    buffers->expected = slot->word[1];
    buffers->found = 0;
    return missing;
}

bool kev_buffers_wrong(const struct kev_buffers *buffers, unsigned release)
{
    return release < 8u && buffers->expected != 0 && buffers->expected != buffers->found;
}
