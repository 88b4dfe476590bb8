/* block_header.c - headers of LTTng 0.x blocks, of all versions: see block_header.h.
 *
 * Before version 2 the magic number is at offset 40, behind the block header, or later where the block header has wall
 * times, too: versions 0.3 to 0.6 keep two struct timeval there, whose size depends on the machine. In version 2 the
 * magic number is at 16.
 */
#include "formats/lttng/block_header.h"

#define BLOCK_HEADER    40u /* bytes of a block header without wall times: begin and end, lost_size, buf_size */
#define ARCH_BYTES      16u /* from the magic number to arch_size, before version 2 */
#define MAGIC_2         16u /* offset of the magic number in version 2 */
#define KHZ             1000u
#define NS_PER_US       1000u
#define NS_PER_S        1000000000u
#define LAST_MULTIPLIED 1u /* 2.1 is the last version with frequency = start_freq * freq_scale */
#define VARIABLE_SIZE   5u /* 2.5 is the first version with data_size */

static const char bad_version[] = "its version is none of 0.3 to 0.8, 1.0 and 2.0 to 2.6";

/* ---- where the magic number is ----------------------------------------------------------------------------------- */

static bool is_magic(const unsigned char *bytes, size_t n, size_t at, bool *big)
{
    if (at + 4u > n)
        return false;
    *big = number_at(bytes + at, 4, true) == LTTNG_MAGIC;
    return *big || number_at(bytes + at, 4, false) == LTTNG_MAGIC;
}

/* Offset of the magic number, or 0. It also gives the byte order. */
static size_t find_magic(const unsigned char *bytes, size_t n, bool *big)
{
    static const size_t offsets[] = {BLOCK_HEADER, MAGIC_2, BLOCK_HEADER + 2u * 8u, BLOCK_HEADER + 2u * 16u};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        if (is_magic(bytes, n, offsets[i], big))
            return offsets[i];
    }
    return 0;
}

bool lttng_block_header_is(const unsigned char *bytes, size_t n)
{
    bool big;
    return find_magic(bytes, n, &big) > 0;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* ns since 1970 of seconds and a fraction in units of so many ns; 0 for what 64 bits cannot hold. */
static uint64_t real_time(uint64_t seconds, uint64_t fraction, uint64_t unit)
{
    if (seconds > UINT64_MAX / NS_PER_S / 2u || fraction > UINT64_MAX / unit / 2u)
        return 0;
    return seconds * NS_PER_S + fraction * unit;
}

/* A number of size bytes; 0 for one of more than 8, which only a wrong arch_size can make: that is reported later. */
static uint64_t read_long(struct cursor *cursor, unsigned size)
{
    if (size <= 8u)
        return cursor_number(cursor, size);
    cursor_skip(cursor, size);
    return 0;
}

/* When the trace began. The real time is a timeval of 2 x 8 bytes; 0.4 has a timespec of 2 longs, the document of
 * 2008 a timespec of 2 x 4 bytes. */
static void read_start(struct lttng_block_header *header, struct cursor *cursor)
{
    bool seed = header->family == LTTNG_SEED, timespec = header->major == 0 && header->minor == 4;
    unsigned size = seed ? 4u : timespec ? header->arch_size : 8u;
    uint64_t seconds;
    header->start_freq = cursor_64(cursor);
    header->start_tsc = cursor_64(cursor);
    cursor_skip(cursor, 8); /* start_monotonic, which no tracer has set */
    seconds = read_long(cursor, size);
    header->start_ns = real_time(seconds, read_long(cursor, size), seed || timespec ? 1u : NS_PER_US);
}

/* The end of the trace header, behind alignment: each version before 2 has other fields there. */
static const char *read_rest(struct lttng_block_header *header, struct cursor *cursor)
{
    bool has_tsc = true;
    if (header->major == 1 || header->minor >= 8u) {
        header->truncate = (uint8_t)cursor_number(cursor, 1);
        header->tscbits = (uint8_t)cursor_number(cursor, 1);
    }
    if (header->major == 1)
        header->data_shift = (uint8_t)cursor_number(cursor, 1);
    if (header->major == 0 && header->minor < 7u)
        has_tsc = cursor_number(cursor, 1) != 0;
    header->freq_scale = KHZ;
    if (header->major == 1 || header->minor >= 7u)
        header->freq_scale = cursor_32(cursor);
    if (header->major == 1 || header->minor >= 4u)
        read_start(header, cursor);
    return has_tsc ? NULL : "its stamps are no cycle counts (has_tsc is 0)";
}

/* What the block header has of begin or end: a wall time, if wall is its size and not 0, then cycle_count and freq. */
static uint64_t read_side(struct cursor *cursor, size_t wall, uint64_t *freq, uint64_t *wall_ns)
{
    uint64_t cycles, seconds = 0, fraction = 0;
    if (wall > 0) {
        seconds = cursor_number(cursor, (unsigned)wall / 2u);
        fraction = cursor_number(cursor, (unsigned)wall / 2u);
    }
    *wall_ns = real_time(seconds, fraction, NS_PER_US);
    cycles = cursor_64(cursor);
    *freq = cursor_64(cursor);
    return cycles;
}

static bool is_old_version(const struct lttng_block_header *header)
{
    return (header->major == 1 && header->minor == 0)
           || (header->major == 0 && header->minor >= 3 && header->minor <= 8);
}

/* Headers before version 2, whose magic number is at offset magic. */
static const char *read_old(struct lttng_block_header *header, struct cursor *cursor, size_t magic, bool seed)
{
    size_t wall = (magic - BLOCK_HEADER) / 2u;
    uint64_t freq, end_freq, wall_ns, end_ns;
    const char *wrong;
    header->begin = read_side(cursor, wall, &freq, &wall_ns);
    header->end = read_side(cursor, wall, &end_freq, &end_ns);
    header->lost = cursor_32(cursor);
    header->size = cursor_32(cursor);
    cursor_skip(cursor, ARCH_BYTES); /* magic, arch_type, arch_variant, float_word_order */
    header->arch_size = (uint8_t)cursor_number(cursor, 1);
    header->major = (uint8_t)cursor_number(cursor, 1);
    header->minor = (uint8_t)cursor_number(cursor, 1);
    header->flight = (uint8_t)cursor_number(cursor, 1);
    header->heartbeat = cursor_number(cursor, 1) != 0;
    header->alignment = (uint8_t)cursor_number(cursor, 1);
    if (!is_old_version(header))
        return bad_version;
    header->family = header->major == 0 ? LTTNG_FACILITIES : seed ? LTTNG_SEED : LTTNG_MARKERS;
    wrong = read_rest(header, cursor);
    if (header->major == 0 && header->minor < 4u) { /* 0.3 has no start of the trace: the first block's is taken */
        header->start_freq = freq;
        header->start_tsc = header->begin;
        header->start_ns = wall_ns;
    }
    header->first = (uint32_t)cursor->at;
    return wrong;
}

static const char *read_new(struct lttng_block_header *header, struct cursor *cursor)
{
    uint64_t seconds;
    header->begin = cursor_64(cursor);
    header->end = cursor_64(cursor);
    cursor_skip(cursor, 4); /* magic */
    header->major = (uint8_t)cursor_number(cursor, 1);
    header->minor = (uint8_t)cursor_number(cursor, 1);
    header->arch_size = (uint8_t)cursor_number(cursor, 1);
    header->alignment = (uint8_t)cursor_number(cursor, 1);
    if (header->major != 2 || header->minor > 6u)
        return bad_version;
    header->family = LTTNG_METADATA;
    header->tscbits = 27;
    seconds = cursor_64(cursor);
    header->start_ns = real_time(seconds, cursor_64(cursor), NS_PER_US);
    header->start_freq = cursor_64(cursor);
    header->freq_scale = cursor_32(cursor);
    header->lost = cursor_32(cursor);
    header->size = cursor_32(cursor);
    if (header->minor >= 2u) {
        header->events_lost = cursor_32(cursor);
        header->corrupt = cursor_32(cursor);
    }
    header->start_tsc = header->begin; /* holds for the first block of the metadata only */
    header->first = (uint32_t)cursor->at;
    return NULL;
}

const char *lttng_block_header_read(struct lttng_block_header *header, const unsigned char *bytes, size_t n, bool seed)
{
    bool big = false;
    size_t magic = find_magic(bytes, n, &big);
    struct cursor cursor = cursor_in_memory(bytes, n, big);
    const char *wrong;
    *header = (struct lttng_block_header){.big = big};
    if (magic == 0)
        return "there is no magic number 0x00D6B7ED";
    wrong = magic == MAGIC_2 ? read_new(header, &cursor) : read_old(header, &cursor, magic, seed);
    if (wrong != NULL)
        return wrong;
    if (cursor.bad)
        return "the file ends in its header";
    if (header->arch_size != 4 && header->arch_size != 8)
        return "its arch_size is neither 4 nor 8";
    if ((header->alignment & (header->alignment - 1)) != 0 || header->alignment > 16)
        return "its alignment is no power of two up to 16";
    return NULL;
}

/* ---- comparing, and what follows from a header ------------------------------------------------------------------- */

/* Do events lie in both blocks in the same way? */
static bool same_layout(const struct lttng_block_header *a, const struct lttng_block_header *b)
{
    return a->arch_size == b->arch_size && a->alignment == b->alignment && a->heartbeat == b->heartbeat
           && a->truncate == b->truncate && a->tscbits == b->tscbits && a->data_shift == b->data_shift;
}

/* Version 2 and 0.3 have no start_tsc of the trace: there it is that of the block. */
static bool same_clock(const struct lttng_block_header *a, const struct lttng_block_header *b)
{
    bool has_start = a->family != LTTNG_METADATA && !(a->major == 0 && a->minor < 4u);
    return a->start_freq == b->start_freq && a->freq_scale == b->freq_scale && a->start_ns == b->start_ns
           && (!has_start || a->start_tsc == b->start_tsc);
}

bool lttng_block_header_alike(const struct lttng_block_header *a, const struct lttng_block_header *b)
{
    return a->major == b->major && a->minor == b->minor && a->big == b->big && same_layout(a, b) && same_clock(a, b);
}

bool lttng_block_header_is_natural(const struct lttng_block_header *header)
{
    return header->family == LTTNG_METADATA && (header->minor == 4 || header->minor == 5);
}

uint64_t lttng_block_header_used(const struct lttng_block_header *header, uint64_t size)
{
    bool data_size = header->family == LTTNG_METADATA && header->minor >= VARIABLE_SIZE;
    if (header->lost == LTTNG_OPEN)
        return size;
    if (data_size)
        return header->lost >= header->first ? header->lost : UINT64_MAX;
    return size >= header->first && header->lost <= size - header->first ? size - header->lost : UINT64_MAX;
}

void lttng_block_header_clock(const struct lttng_block_header *header, uint64_t *freq, uint32_t *divisor)
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

size_t lttng_block_header_write_start(const struct lttng_block_header *header, unsigned char *bytes)
{
    bool seed = header->family == LTTNG_SEED;
    uint64_t fraction = header->start_ns % NS_PER_S;
    unsigned size = seed ? 4u : 8u;
    put(&bytes, size, header->big, header->start_ns / NS_PER_S);
    put(&bytes, size, header->big, seed ? fraction : fraction / NS_PER_US);
    return 2u * size;
}

/* arch_type: 1 I386, 2 PPC, 3 SH, 4 S390, 5 MIPS, 6 ARM, 7 PPC64, 8 X86_64, 10 POWERPC, 11 X86. */
void lttng_block_header_write(const struct lttng_block_header *header, unsigned char *bytes, uint32_t arch_type)
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
    lttng_block_header_write_start(header, bytes);
}
