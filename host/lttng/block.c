/* block.c - headers of LTTng 0.x blocks, all versions: see block.h.
 *
 * Before version 2 the magic number is at 40, or later where the block header holds wall times, too (0.3 to 0.6, whose
 * struct timeval depends on the machine). In version 2 it is at 16.
 */
#include "lttng/block.h"

#define BLOCK_HEADER    40u /* begin and end, lost_size, buf_size */
#define TRACE_HEADER    22u /* what all trace headers before version 2 begin with */
#define MAGIC_2         16u
#define KHZ             1000u
#define NS_PER_US       1000u
#define NS_PER_S        1000000000u
#define LAST_MULTIPLIED 1u /* 2.1 is the last version with frequency = start_freq * freq_scale */
#define VARIABLE_SIZE   5u /* 2.5 is the first version with data_size */

/* The header's fields are read one behind the other. */
struct reader {
    const unsigned char *bytes;
    size_t n, at;
    bool big;
};

static uint64_t take(struct reader *reader, unsigned size)
{
    uint64_t value = 0;

    if (reader->n >= size && reader->at <= reader->n - size)
        value = lttng_get(reader->bytes + reader->at, size, reader->big);
    reader->at += size;
    return value;
}

/* ---- where the magic number is ----------------------------------------------------------------------------------- */

static bool is_magic(const unsigned char *bytes, size_t n, size_t at, bool *big)
{
    if (at + 4u > n)
        return false;
    *big = lttng_get(bytes + at, 4, true) == LTTNG_MAGIC;
    return *big || lttng_get(bytes + at, 4, false) == LTTNG_MAGIC;
}

/* Offset of the magic number, or 0. */
static size_t find_magic(const unsigned char *bytes, size_t n, bool *big)
{
    static const size_t places[] = {BLOCK_HEADER, MAGIC_2, BLOCK_HEADER + 2u * 8u, BLOCK_HEADER + 2u * 16u};

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (is_magic(bytes, n, places[i], big))
            return places[i];
    }
    return 0;
}

bool lttng_header_is(const unsigned char *bytes, size_t n)
{
    bool big;

    return find_magic(bytes, n, &big) > 0;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static uint64_t real_time(uint64_t seconds, uint64_t fraction, uint64_t unit)
{
    if (seconds > UINT64_MAX / NS_PER_S / 2u || fraction > UINT64_MAX / unit / 2u)
        return 0;
    return seconds * NS_PER_S + fraction * unit;
}

static void read_start(struct lttng_header *header, struct reader *reader)
{
    bool seed = header->family == LTTNG_SEED, timespec = header->major == 0 && header->minor == 4;
    unsigned size = seed ? 4u : timespec ? header->arch_size : 8u;
    uint64_t seconds;

    header->start_freq = take(reader, 8);
    header->start_tsc = take(reader, 8);
    reader->at += 8; /* start_monotonic, never used */
    seconds = take(reader, size);
    header->start_ns = real_time(seconds, take(reader, size), seed || timespec ? 1u : NS_PER_US);
}

/* What follows the first TRACE_HEADER bytes of the trace header. */
static const char *read_rest(struct lttng_header *header, struct reader *reader)
{
    bool has_tsc = true;

    if (header->major == 1 || header->minor >= 8u) {
        header->truncate = (uint8_t)take(reader, 1);
        header->tscbits = (uint8_t)take(reader, 1);
    }
    if (header->major == 1)
        header->data_shift = (uint8_t)take(reader, 1);
    if (header->major == 0 && header->minor < 7u)
        has_tsc = take(reader, 1) != 0;
    header->freq_scale = KHZ;
    if (header->major == 1 || header->minor >= 7u)
        header->freq_scale = (uint32_t)take(reader, 4);
    if (header->major == 1 || header->minor >= 4u)
        read_start(header, reader);
    return has_tsc ? NULL : "its stamps are no cycle counts (has_tsc is 0)";
}

/* begin or end: perhaps a wall time, then cycle_count and freq. */
static uint64_t read_side(struct reader *reader, size_t wall, uint64_t *freq, uint64_t *wall_ns)
{
    uint64_t cycles, seconds = take(reader, (unsigned)wall / 2u);

    *wall_ns = real_time(seconds, take(reader, (unsigned)wall / 2u), NS_PER_US);
    cycles = take(reader, 8);
    *freq = take(reader, 8);
    return cycles;
}

static const char *read_old(struct lttng_header *header, struct reader *reader, size_t magic, bool seed)
{
    size_t wall = (magic - BLOCK_HEADER) / 2u;
    uint64_t freq, end_freq, wall_ns, end_ns;
    const char *wrong;

    header->begin = read_side(reader, wall, &freq, &wall_ns);
    header->end = read_side(reader, wall, &end_freq, &end_ns);
    header->lost = (uint32_t)take(reader, 4);
    header->size = take(reader, 4);
    reader->at = magic + 16u;
    header->arch_size = (uint8_t)take(reader, 1);
    header->major = (uint8_t)take(reader, 1);
    header->minor = (uint8_t)take(reader, 1);
    header->flight = (uint8_t)take(reader, 1);
    header->heartbeat = take(reader, 1) != 0;
    header->alignment = (uint8_t)take(reader, 1);
    if (!(header->major == 1 && header->minor == 0)
        && !(header->major == 0 && header->minor >= 3 && header->minor <= 8))
        return "its version is none of 0.3 to 0.8, 1.0 and 2.0 to 2.6";
    header->family = header->major == 0 ? LTTNG_FACILITIES : seed ? LTTNG_SEED : LTTNG_MARKERS;
    wrong = read_rest(header, reader);
    if (header->major == 0 && header->minor < 4u) { /* 0.3 tells no start: the first block's will do */
        header->start_freq = freq;
        header->start_tsc = header->begin;
        header->start_ns = wall_ns;
    }
    header->first = (uint32_t)reader->at;
    return wrong;
}

static const char *read_new(struct lttng_header *header, struct reader *reader)
{
    uint64_t seconds;

    header->begin = take(reader, 8);
    header->end = take(reader, 8);
    reader->at += 4;
    header->major = (uint8_t)take(reader, 1);
    header->minor = (uint8_t)take(reader, 1);
    header->arch_size = (uint8_t)take(reader, 1);
    header->alignment = (uint8_t)take(reader, 1);
    if (header->major != 2 || header->minor > 6u)
        return "its version is none of 0.3 to 0.8, 1.0 and 2.0 to 2.6";
    header->family = LTTNG_METADATA;
    header->tscbits = 27;
    seconds = take(reader, 8);
    header->start_ns = real_time(seconds, take(reader, 8), NS_PER_US);
    header->start_freq = take(reader, 8);
    header->freq_scale = (uint32_t)take(reader, 4);
    header->lost = (uint32_t)take(reader, 4);
    header->size = take(reader, 4);
    if (header->minor >= 2u) {
        header->events_lost = (uint32_t)take(reader, 4);
        header->corrupt = (uint32_t)take(reader, 4);
    }
    header->start_tsc = header->begin; /* of the first block of metadata */
    header->first = (uint32_t)reader->at;
    return NULL;
}

const char *lttng_header_read(struct lttng_header *header, const unsigned char *bytes, size_t n, bool seed)
{
    struct reader reader = {.bytes = bytes, .n = n};
    size_t magic = find_magic(bytes, n, &reader.big);
    const char *wrong;

    *header = (struct lttng_header){.big = reader.big};
    if (magic == 0)
        return "there is no magic number 0x00D6B7ED";
    wrong = magic == MAGIC_2 ? read_new(header, &reader) : read_old(header, &reader, magic, seed);
    if (wrong != NULL)
        return wrong;
    if (reader.at > n)
        return "the file ends in its header";
    if (header->arch_size != 4 && header->arch_size != 8)
        return "its arch_size is neither 4 nor 8";
    if ((header->alignment & (header->alignment - 1)) != 0 || header->alignment > 16)
        return "its alignment is no power of two up to 16";
    return NULL;
}

bool lttng_header_alike(const struct lttng_header *a, const struct lttng_header *b)
{
    bool starts = a->family != LTTNG_METADATA && !(a->major == 0 && a->minor < 4u); /* it tells when the trace began */

    return a->major == b->major && a->minor == b->minor && a->big == b->big && a->arch_size == b->arch_size
           && a->alignment == b->alignment && a->heartbeat == b->heartbeat && a->truncate == b->truncate
           && a->tscbits == b->tscbits && a->data_shift == b->data_shift && a->start_freq == b->start_freq
           && a->freq_scale == b->freq_scale && a->start_ns == b->start_ns && (!starts || a->start_tsc == b->start_tsc);
}

uint64_t lttng_header_used(const struct lttng_header *header, uint64_t size)
{
    bool data_size = header->family == LTTNG_METADATA && header->minor >= VARIABLE_SIZE;

    if (header->lost == LTTNG_OPEN)
        return size;
    if (data_size)
        return header->lost >= header->first ? header->lost : UINT64_MAX;
    return size >= header->first && header->lost <= size - header->first ? size - header->lost : UINT64_MAX;
}

void lttng_header_clock(const struct lttng_header *header, uint64_t *freq, uint32_t *divisor)
{
    bool divides = header->family == LTTNG_METADATA && header->minor > LAST_MULTIPLIED;
    uint32_t scale = header->freq_scale == 0 ? 1u : header->freq_scale;

    *divisor = divides ? scale : 1u;
    *freq = header->start_freq;
    if (!divides)
        *freq = header->start_freq <= UINT64_MAX / scale ? header->start_freq * scale : 0;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put(unsigned char **to, unsigned size, bool big, uint64_t value)
{
    lttng_put(*to, size, big, value);
    *to += size;
}

/* arch_type: 1 I386, 2 PPC, 3 SH, 4 S390, 5 MIPS, 6 ARM, 7 PPC64, 8 X86_64, 10 POWERPC, 11 X86. */
void lttng_header_write(const struct lttng_header *header, unsigned char *bytes, uint32_t arch_type)
{
    bool big = header->big;

    put(&bytes, 8, big, header->begin);
    put(&bytes, 8, big, header->start_freq);
    put(&bytes, 8, big, header->end);
    put(&bytes, 8, big, header->start_freq);
    put(&bytes, 4, big, header->lost);
    put(&bytes, 4, big, header->size);
    put(&bytes, 4, big, LTTNG_MAGIC);
    put(&bytes, 4, big, arch_type);
    put(&bytes, 4, big, 0); /* arch_variant */
    put(&bytes, 4, big, 0); /* float_word_order, of user space traces only */
    put(&bytes, 1, big, header->arch_size);
    put(&bytes, 1, big, 1); /* version 1.0 */
    put(&bytes, 1, big, 0);
    put(&bytes, 1, big, header->flight);
    put(&bytes, 1, big, header->heartbeat);
    put(&bytes, 1, big, header->alignment);
    put(&bytes, 1, big, header->truncate);
    put(&bytes, 1, big, header->tscbits);
    put(&bytes, 1, big, header->data_shift);
    put(&bytes, 4, big, header->freq_scale);
    put(&bytes, 8, big, header->start_freq);
    put(&bytes, 8, big, header->start_tsc);
    put(&bytes, 8, big, 0); /* start_monotonic */
    put(&bytes, 8, big, header->start_ns / NS_PER_S);
    put(&bytes, 8, big, header->start_ns % NS_PER_S / NS_PER_US);
}
