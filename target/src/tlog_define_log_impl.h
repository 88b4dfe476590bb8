/* SPDX-License-Identifier: MIT */
/* tlog_define_log_impl.h - how an own event's fields become words, and the words an event or a record.
 *
 * Private to tlog: firmware includes tlog.h. Slots are reserved and filled by the functions of any other event. */
#ifndef TLOG_DEFINE_LOG_IMPL_H
#define TLOG_DEFINE_LOG_IMPL_H

#ifndef TLOG_DEFINE_H
#error "tlog: include tlog.h"
#endif

#if TLOG_ENABLE

/* ---- fields into words --------------------------------------------------------------------------------------------
 *
 * Each tlog_own_put_*() stores a field at byte `at` of the words, and returns how many words there are then. The first
 * field of a word begins at its first byte: that one stores the word, others add to it. So no word is cleared before,
 * which would be a call of memset for some compilers. */

TLOG_BEGIN_C

/* Copy an array, a byte at a time. */
uint32_t tlog_own_copy(uint32_t *words, uint32_t at, const uint8_t *from, uint32_t bytes);

TLOG_ALWAYS_INLINE uint32_t tlog_own_put_int(uint32_t *words, uint32_t at, int64_t value, uint32_t bytes)
{
    const uint32_t shift = at % 4u * 8u, mask = bytes < 4u ? (1u << bytes % 4u * 8u) - 1u : 0xFFFFFFFFu;
    const uint32_t low = (uint32_t)value & mask;
    if (shift == 0)
        words[at / 4u] = low;
    else
        words[at / 4u] |= low << shift;
    if (bytes > 4u)
        words[at / 4u + 1u] = (uint32_t)((uint64_t)value >> 32);
    return (at + bytes + 3u) / 4u;
}

TLOG_ALWAYS_INLINE uint32_t tlog_own_put_unsigned(uint32_t *words, uint32_t at, uint64_t value, uint32_t bytes)
{
    return tlog_own_put_int(words, at, (int64_t)value, bytes);
}

union tlog_own_float {
    float value;
    uint32_t bits;
};
union tlog_own_double {
    double value;
    int64_t bits;
};

TLOG_ALWAYS_INLINE uint32_t tlog_own_put_float(uint32_t *words, uint32_t at, float value, uint32_t bytes)
{
    const union tlog_own_float both = {value};
    return tlog_own_put_int(words, at, (int64_t)both.bits, bytes);
}

TLOG_ALWAYS_INLINE uint32_t tlog_own_put_double(uint32_t *words, uint32_t at, double value, uint32_t bytes)
{
    const union tlog_own_double both = {value};
    return tlog_own_put_int(words, at, both.bits, bytes);
}

TLOG_ALWAYS_INLINE uint32_t tlog_own_put_pointer(uint32_t *words, uint32_t at, const volatile void *value,
                                                 uint32_t bytes)
{
    return tlog_own_put_int(words, at, (int64_t)(uintptr_t)value, bytes);
}

#if TLOG_TRACEEVENTS
/* A text is copied when the event is logged, directly into its slots if it can be; until then its address stands in its
 * place, behind the words that are counted. */
TLOG_ALWAYS_INLINE uint32_t tlog_own_put_text(uint32_t *words, uint32_t at, const char *text, uint32_t bytes)
{
    (void)bytes;
    tlog_own_put_pointer(words, at, text, (uint32_t)sizeof(uintptr_t));
    return at / 4u;
}

TLOG_ALWAYS_INLINE const char *tlog_own_get_text(const uint32_t *words, uint32_t count)
{
    const uint64_t high = sizeof(uintptr_t) > 4u ? words[count + 1u] : 0;
    return (const char *)(uintptr_t)(high << 32 | words[count]);
}
#else /* a record has no texts: an event with one does not compile */
uint32_t tlog_own_put_text(uint32_t *words, uint32_t at, const char *text, uint32_t bytes);
#endif

/* Arrays: few elements inline, many by a call. */
#define TLOG_OWN_FEW 8u
#define TLOG_OWN_ARRAY(bits)                                                                                           \
    TLOG_ALWAYS_INLINE uint32_t tlog_own_put_array##bits(uint32_t *words, uint32_t at, const uint##bits##_t *from,     \
                                                         uint32_t bytes)                                               \
    {                                                                                                                  \
        const uint32_t size = (bits) / 8u;                                                                             \
        uint32_t i;                                                                                                    \
        if (bytes / size > TLOG_OWN_FEW)                                                                               \
            return tlog_own_copy(words, at, (const uint8_t *)(const void *)from, bytes);                               \
        _Pragma("GCC unroll 8") for (i = 0; i < bytes / size; i++)                                                     \
            tlog_own_put_int(words, at + i * size, (int64_t)from[i], size);                                            \
        return (at + bytes + 3u) / 4u;                                                                                 \
    }
TLOG_OWN_ARRAY(8)
TLOG_OWN_ARRAY(16)
TLOG_OWN_ARRAY(32)

TLOG_END_C

/* TLOG_OWN_PUT(value) is the function for that value: in C by _Generic, in C++ by overloads. */
#ifdef __cplusplus
TLOG_BEGIN_CXX
template <class Type> TLOG_ALWAYS_INLINE uint32_t tlog_own_put(uint32_t *words, uint32_t at, Type value, uint32_t bytes)
{
    return tlog_own_put_int(words, at, static_cast<int64_t>(value), bytes);
}
#define TLOG_OWN_TYPE(type, function)                                                                                  \
    TLOG_ALWAYS_INLINE uint32_t tlog_own_put(uint32_t *words, uint32_t at, type value, uint32_t bytes)                 \
    {                                                                                                                  \
        return function(words, at, value, bytes);                                                                      \
    }
TLOG_OWN_TYPE(float, tlog_own_put_float)
TLOG_OWN_TYPE(double, tlog_own_put_double)
TLOG_OWN_TYPE(const volatile void *, tlog_own_put_pointer)
TLOG_OWN_TYPE(const char *, tlog_own_put_text)
TLOG_OWN_TYPE(const uint8_t *, tlog_own_put_array8)
TLOG_OWN_TYPE(const uint16_t *, tlog_own_put_array16)
TLOG_OWN_TYPE(const uint32_t *, tlog_own_put_array32)
TLOG_END_CXX
#define TLOG_OWN_PUT(value) tlog_own_put
#else
#define TLOG_OWN_PUT(value)                                                                                            \
    _Generic((value), uint64_t : tlog_own_put_unsigned, float : tlog_own_put_float, double : tlog_own_put_double,      \
             const volatile void * : tlog_own_put_pointer, const char * : tlog_own_put_text,                           \
             const uint8_t * : tlog_own_put_array8, const uint16_t * : tlog_own_put_array16,                           \
             const uint32_t * : tlog_own_put_array32, default : tlog_own_put_int)
#endif

/* ---- words into an event ---------------------------------------------------------------------------------------- */

/* TLOG_OWN_LOG(words, count, has_text, kind, symbol): log the words of the event whose id has that symbol. The head is
 * loaded where it is needed, so that no register keeps it over the atomic step. */

TLOG_BEGIN_C

/* Whether the filter suppresses a class. */
TLOG_ALWAYS_INLINE bool tlog_own_is_muted(uint32_t cls)
{
    return tlog_ring_is_class_muted(tlog_cpu_here_volatile()->filter, cls);
}

#if TLOG_TRACEEVENTS

/* How to go on with an event: its slots are reserved; it must go the slow way; or it is suppressed. */
enum tlog_own_way { TLOG_OWN_RESERVED, TLOG_OWN_SLOW, TLOG_OWN_MUTED };

/* Whether an event is logged inline. One of one slot is otherwise logged by a call that looks at the filter, too. */
#define TLOG_OWN_INLINE_WORDS 8u
#if TLOG_BY_CALL
#define TLOG_OWN_IS_INLINE(count) 0
#else
#define TLOG_OWN_IS_INLINE(count) ((count) <= TLOG_OWN_INLINE_WORDS)
#endif

#define TLOG_OWN_LOG(words, count, has_text, kind, symbol)                                                             \
    do {                                                                                                               \
        uint32_t tlog_head;                                                                                            \
        if ((has_text) || !TLOG_OWN_IS_INLINE(count)) {                                                                \
            TLOG_NEED_OPTIONS();                                                                                       \
            TLOG_OWN_HEAD(tlog_head, kind, symbol);                                                                    \
            tlog_head |= TLOG_OWN_HIGH(kind) << 16;                                                                    \
            tlog_own_send(TLOG_OWN_CLASS_NOW, tlog_head, words, count, has_text);                                      \
        } else {                                                                                                       \
            struct tlog_reserved tlog_at;                                                                              \
            const enum tlog_own_way tlog_way = tlog_own_reserve(TLOG_OWN_CLASS_NOW, count, &tlog_at);                  \
            if (tlog_way == TLOG_OWN_RESERVED) {                                                                       \
                TLOG_OWN_HEAD(tlog_head, kind, symbol);                                                                \
                tlog_own_fill(&tlog_at, tlog_head, TLOG_OWN_HIGH(kind), words, count);                                 \
            } else if (tlog_way == TLOG_OWN_SLOW) {                                                                    \
                TLOG_OWN_HEAD(tlog_head, kind, symbol);                                                                \
                tlog_own_slow(tlog_head | TLOG_OWN_HIGH(kind) << 16, words, count);                                    \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

/* ---- tlog_define.c. Callable from: any context. Heads are without the tag and the structure ---------------------- */

/* Log a simple event unless the filter suppresses its group. */
void tlog_own_call_0(uint32_t d0, uint32_t d1, uint32_t head);
void tlog_own_call_1(uint32_t d0, uint32_t d1, uint32_t head);
void tlog_own_call_2(uint32_t d0, uint32_t d1, uint32_t head);
void tlog_own_call_3(uint32_t d0, uint32_t d1, uint32_t head);

/* Log an event of one, two, three or four slots without a look at the filter. The words are passed by value, so that a
 * caller need not have them in memory; words behind the last field are 0. */
void tlog_own_slow_1(uint32_t d0, uint32_t d1, uint32_t head);
void tlog_own_slow_2(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t head);
void tlog_own_slow_3(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f, uint32_t head);
void tlog_own_slow_4(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f, uint32_t g, uint32_t h,
                     uint32_t head);

/* ---- inline ----------------------------------------------------------------------------------------------------- */

/* Word i of an event of count words, of which there may be fewer. */
TLOG_ALWAYS_INLINE uint32_t tlog_own_word(const uint32_t *words, uint32_t count, uint32_t i)
{
    return i < count ? words[i] : 0;
}

/* Reserve the slots of an event of up to TLOG_OWN_INLINE_WORDS words. */
TLOG_ALWAYS_INLINE enum tlog_own_way tlog_own_reserve(uint32_t cls, uint32_t count, struct tlog_reserved *at)
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    tlog_port_home home;
    bool is_reserved;
    if (tlog_ring_is_class_muted(tlog_port_filter(cpu, &home), cls))
        return TLOG_OWN_MUTED;
    if (count <= 2u)
        is_reserved = tlog_ring_reserve_home(cpu, home, at);
    else
        is_reserved = tlog_event_reserve(cpu, tlog_port_cursor(home), TLOG_TRACE_SLOTS(count), at);
    return __builtin_expect(is_reserved, 1) ? TLOG_OWN_RESERVED : TLOG_OWN_SLOW;
}

/* The head of a slot: its high half, and a low half that is the low half of `sum`. */
#if defined(__OPTIMIZE__) && defined(__arm__) && !defined(__ARM_ARCH_6M__)
TLOG_ALWAYS_INLINE uint32_t tlog_own_head(uint32_t sum, uint32_t high)
{
    __asm("movt %0, %1" : "+r"(sum) : "i"(high));
    return sum;
}
#else
TLOG_ALWAYS_INLINE uint32_t tlog_own_head(uint32_t sum, uint32_t high)
{
    return (sum & 0xFFFFu) | high << 16;
}
#endif

/* Fill slot i, from 0 on, of an event of n slots. sum: the low half of the head + the cursor, whose low half is the
 * tag. Returns the head, whose low half is that of the next slot's. */
TLOG_ALWAYS_INLINE uint32_t tlog_own_fill_one(const struct tlog_reserved *at, uint32_t sum, uint32_t high,
                                              const uint32_t *words, uint32_t count, uint32_t i)
{
    const uint32_t last = TLOG_TRACE_SLOTS(count) - 1u;
    const uint32_t part = i == 0 ? TLOG_STRUCT_CB : i == last ? TLOG_STRUCT_CE : TLOG_STRUCT_CC;
    const uint32_t head = tlog_own_head(sum, high | part << (TLOG_STRUCT_SHIFT - 16u));
    tlog_event_put(at->slot + 4u * i, tlog_own_word(words, count, 2u * i), tlog_own_word(words, count, 2u * i + 1u),
                   at->low, head, i == 0);
    return head;
}

/* Fill the reserved slots. low, high: the halves of the head. As tlog_event_fill_all(), the first slot last. */
TLOG_ALWAYS_INLINE void tlog_own_fill(const struct tlog_reserved *at, uint32_t low, uint32_t high,
                                      const uint32_t *words, uint32_t count)
{
    uint32_t sum = low + at->cursor;
    if (count <= 2u) {
        tlog_event_put_simple(at, tlog_own_head(sum, high), tlog_own_word(words, count, 0),
                              tlog_own_word(words, count, 1));
        return;
    }
    if (count > 6u)
        sum = tlog_own_fill_one(at, sum, high, words, count, 3);
    if (count > 4u)
        sum = tlog_own_fill_one(at, sum, high, words, count, 2);
    sum = tlog_own_fill_one(at, sum, high, words, count, 1);
    tlog_own_fill_one(at, sum, high, words, count, 0);
}

TLOG_ALWAYS_INLINE void tlog_own_slow(uint32_t head, const uint32_t *words, uint32_t count)
{
    const uint32_t a = tlog_own_word(words, count, 0), b = tlog_own_word(words, count, 1);
    const uint32_t c = tlog_own_word(words, count, 2), d = tlog_own_word(words, count, 3);
    const uint32_t e = tlog_own_word(words, count, 4), f = tlog_own_word(words, count, 5);
    if (count <= 2u)
        tlog_own_slow_1(a, b, head);
    else if (count <= 4u)
        tlog_own_slow_2(a, b, c, d, head);
    else if (count <= 6u)
        tlog_own_slow_3(a, b, c, d, e, f, head);
    else
        tlog_own_slow_4(a, b, c, d, e, f, tlog_own_word(words, count, 6), tlog_own_word(words, count, 7), head);
}

/* Log the words and the text behind them. The filter was looked at before. */
TLOG_ALWAYS_INLINE void tlog_own_send_text(uint32_t head, uint32_t *words, uint32_t count)
{
    const char *text = tlog_own_get_text(words, count);
    if (count == 0)
        tlog_text_alone(text, head);
    else if (count == 1u)
        tlog_text_behind(words[0], text, head);
    else
        tlog_text_words(words, count, text, head);
}

/* Log by a call. The class is a constant. */
TLOG_ALWAYS_INLINE void tlog_own_send(uint32_t cls, uint32_t head, uint32_t *words, uint32_t count, bool has_text)
{
    const uint32_t d0 = tlog_own_word(words, count, 0), d1 = tlog_own_word(words, count, 1);
    if (has_text)
        tlog_own_send_text(head, words, count);
    else if (count > 4u) {
        if (!tlog_own_is_muted(cls))
            tlog_event_log(head, words, count);
    } else if (count > 2u) {
        if (!tlog_own_is_muted(cls))
            tlog_own_slow_2(d0, d1, words[2], tlog_own_word(words, count, 3), head);
    } else if (cls == TLOG_CLASS_OWN)
        tlog_own_call_0(d0, d1, head);
    else if (cls == TLOG_CLASS_OWN + 1u)
        tlog_own_call_1(d0, d1, head);
    else if (cls == TLOG_CLASS_OWN + 2u)
        tlog_own_call_2(d0, d1, head);
    else
        tlog_own_call_3(d0, d1, head);
}

#else

/* ---- words into a record ---------------------------------------------------------------------------------------- */

#define TLOG_OWN_LOG(words, count, has_text, kind, symbol)                                                             \
    do {                                                                                                               \
        uint32_t tlog_par1;                                                                                            \
        TLOG_OWN_HEAD(tlog_par1, kind, symbol);                                                                        \
        tlog_own_record(TLOG_OWN_CLASS_NOW, tlog_par1, (count) > 0 ? (words)[0] : 0);                                  \
    } while (0)

/* Log a record unless the filter suppresses the group, whose bit is the same as with traceevents. */
TLOG_ALWAYS_INLINE void tlog_own_record(uint32_t cls, uint32_t par1, uint32_t par2)
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    tlog_port_home home;
    struct tlog_reserved at;
    if (tlog_ring_is_class_muted(tlog_port_filter(cpu, &home), cls))
        return;
    if (__builtin_expect(tlog_ring_reserve_home(cpu, home, &at), 1))
        tlog_ring_fill(&at, TLOG_RECORD_OWN, par1, par2);
    else
        tlog_ring_slow(par1, par2, TLOG_RECORD_OWN, tlog_port_again(cpu));
}

#endif

TLOG_END_C

#endif

#endif
