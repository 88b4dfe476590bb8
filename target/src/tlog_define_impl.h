/* SPDX-License-Identifier: MIT */
/* tlog_define_impl.h - what TLOG_DEFINE_EVENT() and its companions expand to.
 *
 * Private to tlog: firmware includes tlog.h.
 *
 * TLOG_DEFINE_EVENT() counts its arguments and becomes TLOG_OWN_FUNCTION_n, which defines an inline function. That
 * function does three things: it computes where each field stands (TLOG_OWN_LAYOUT), describes the event for the
 * decoder (TLOG_OWN_DESCRIBE, tlog_define_text_impl.h), and logs it (tlog_define_log_impl.h). Each of these goes over
 * the fields once, by TLOG_OWN_EACH_n(M, fields...): that is M(1, 0, field) M(2, 1, field) and so on, with the number
 * of the field and of the one before it. */
#ifndef TLOG_DEFINE_IMPL_H
#define TLOG_DEFINE_IMPL_H

#ifndef TLOG_DEFINE_H
#error "tlog: include tlog.h"
#endif

/* ---- tools of the preprocessor ---------------------------------------------------------------------------------- */

#define TLOG_OWN_JOIN(a, b)  TLOG_OWN_JOIN_(a, b)
#define TLOG_OWN_JOIN_(a, b) a##b

#define TLOG_OWN_STRING(...)  TLOG_OWN_STRING_(__VA_ARGS__)
#define TLOG_OWN_STRING_(...) #__VA_ARGS__

/* Call a macro with arguments that are in parentheses, and expanded before; take off the parentheses of a field. An
 * empty argument stands behind a field's, because ISO C wants at least one where a macro has `...`. */
#define TLOG_OWN_CALL(macro, arguments) macro arguments
#define TLOG_OWN_OPEN(...)              __VA_ARGS__

#define TLOG_OWN_SECOND(...)        TLOG_OWN_SECOND_(__VA_ARGS__)
#define TLOG_OWN_SECOND_(a, b, ...) b

/* TLOG_OWN_SECOND(TLOG_OWN_DEFAULT_##x, x, ) is x, unless a macro of that name puts another value in front of it. So
 * names that nobody has defined get a default: their own name is what stands behind the ##. */
#define TLOG_OWN_DEFAULT_TLOG_EVENT_SYSTEM , user
#define TLOG_OWN_DEFAULT_TLOG_EVENT_GROUP  , 0
#define TLOG_OWN_DEFAULT_TLOG_EVENT_LEVEL  , TLOG_LEVEL_ERROR
#define TLOG_OWN_OR_DEFAULT(name)          TLOG_OWN_OR_DEFAULT_(name)
#define TLOG_OWN_OR_DEFAULT_(name)         TLOG_OWN_SECOND(TLOG_OWN_DEFAULT_##name, name, )
#define TLOG_OWN_SYSTEM_NOW                TLOG_OWN_OR_DEFAULT(TLOG_EVENT_SYSTEM)
#define TLOG_OWN_GROUP_NOW                 TLOG_OWN_OR_DEFAULT(TLOG_EVENT_GROUP)
#define TLOG_OWN_LEVEL_NOW                 TLOG_OWN_OR_DEFAULT(TLOG_EVENT_LEVEL)

/* The number of arguments behind the first one; BAD for more than 8. */
#define TLOG_OWN_COUNT(...) TLOG_OWN_COUNT_(__VA_ARGS__, BAD, BAD, BAD, BAD, BAD, BAD, BAD, 8, 7, 6, 5, 4, 3, 2, 1, 0, )

#define TLOG_OWN_COUNT_(n, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, count, ...) count

#define TLOG_OWN_FUNCTION_BAD(...)                                                                                     \
    TLOG_STATIC_ASSERT(0, "TLOG_DEFINE_EVENT: a name and at most 8 fields, each (type, name)");

#define TLOG_OWN_EACH_1(M, a)             M(1, 0, a)
#define TLOG_OWN_EACH_2(M, a, b)          TLOG_OWN_EACH_1(M, a) M(2, 1, b)
#define TLOG_OWN_EACH_3(M, a, b, c)       TLOG_OWN_EACH_2(M, a, b) M(3, 2, c)
#define TLOG_OWN_EACH_4(M, a, b, c, d)    TLOG_OWN_EACH_3(M, a, b, c) M(4, 3, d)
#define TLOG_OWN_EACH_5(M, a, b, c, d, e) TLOG_OWN_EACH_4(M, a, b, c, d) M(5, 4, e)
#define TLOG_OWN_EACH_6(M, a, b, c, d, e, f)                                                                           \
    TLOG_OWN_EACH_5(M, a, b, c, d, e)                                                                                  \
    M(6, 5, f)
#define TLOG_OWN_EACH_7(M, a, b, c, d, e, f, g)                                                                        \
    TLOG_OWN_EACH_6(M, a, b, c, d, e, f)                                                                               \
    M(7, 6, g)
#define TLOG_OWN_EACH_8(M, a, b, c, d, e, f, g, h)                                                                     \
    TLOG_OWN_EACH_7(M, a, b, c, d, e, f, g)                                                                            \
    M(8, 7, h)

/* ---- one function for each number of fields --------------------------------------------------------------------- */

#define TLOG_OWN_FUNCTION_0(name)      TLOG_OWN_FUNCTION(name, 0, (void), TLOG_OWN_NO_FIELDS, )
#define TLOG_OWN_FUNCTION_1(name, ...) TLOG_OWN_FUNCTION_N(name, 1, TLOG_OWN_EACH_1, __VA_ARGS__)
#define TLOG_OWN_FUNCTION_2(name, ...) TLOG_OWN_FUNCTION_N(name, 2, TLOG_OWN_EACH_2, __VA_ARGS__)
#define TLOG_OWN_FUNCTION_3(name, ...) TLOG_OWN_FUNCTION_N(name, 3, TLOG_OWN_EACH_3, __VA_ARGS__)
#define TLOG_OWN_FUNCTION_4(name, ...) TLOG_OWN_FUNCTION_N(name, 4, TLOG_OWN_EACH_4, __VA_ARGS__)
#define TLOG_OWN_FUNCTION_5(name, ...) TLOG_OWN_FUNCTION_N(name, 5, TLOG_OWN_EACH_5, __VA_ARGS__)
#define TLOG_OWN_FUNCTION_6(name, ...) TLOG_OWN_FUNCTION_N(name, 6, TLOG_OWN_EACH_6, __VA_ARGS__)
#define TLOG_OWN_FUNCTION_7(name, ...) TLOG_OWN_FUNCTION_N(name, 7, TLOG_OWN_EACH_7, __VA_ARGS__)
#define TLOG_OWN_FUNCTION_8(name, ...) TLOG_OWN_FUNCTION_N(name, 8, TLOG_OWN_EACH_8, __VA_ARGS__)

#define TLOG_OWN_FUNCTION_N(name, n, each, ...)                                                                        \
    TLOG_OWN_FUNCTION(name, n, (each(TLOG_OWN_PARAMETER, __VA_ARGS__)), each, __VA_ARGS__)
#define TLOG_OWN_NO_FIELDS(M, none)

/* The function: n fields, of which `each` goes over all. */
#define TLOG_OWN_FUNCTION(name, n, parameters, each, ...)                                                              \
    TLOG_EVENT_FUNCTION void trace_##name parameters                                                                   \
    {                                                                                                                  \
        TLOG_OWN_LOG_FIELDS(name, n, each, __VA_ARGS__)                                                                \
    }

/* A parameter: TLOG_OWN_PARAM_type where one is defined, else the type on the wire. __typeof__ makes an array's pointer
 * of it. */
#define TLOG_OWN_PARAMETER(i, before, field) TLOG_OWN_CALL(TLOG_OWN_PARAMETER_, (i, TLOG_OWN_OPEN field, ))
#define TLOG_OWN_PARAMETER_(i, type, name, ...)                                                                        \
    TLOG_OWN_COMMA_##i __attribute__((unused))                                                                         \
    const __typeof__(TLOG_OWN_SECOND(TLOG_OWN_PARAM_##type, TLOG_OWN_WIRE_##type, )) name
#define TLOG_OWN_COMMA_1
#define TLOG_OWN_COMMA_2 ,
#define TLOG_OWN_COMMA_3 ,
#define TLOG_OWN_COMMA_4 ,
#define TLOG_OWN_COMMA_5 ,
#define TLOG_OWN_COMMA_6 ,
#define TLOG_OWN_COMMA_7 ,
#define TLOG_OWN_COMMA_8 ,

/* ---- names of groups -------------------------------------------------------------------------------------------- */

#if TLOG_ENABLE
#define TLOG_OWN_NAME_GROUP(group, name)                                                                               \
    TLOG_BEGIN_C                                                                                                       \
    extern const char tlog_group_name_##group[];                                                                       \
    const char tlog_group_name_##group[] = name;                                                                       \
    TLOG_END_C                                                                                                         \
    TLOG_STATIC_ASSERT((group) >= 0 && (group) < (int)TLOG_OWN_GROUPS, "TLOG_NAME_GROUP: 0..3")
#else
#define TLOG_OWN_NAME_GROUP(group, name) struct tlog_chunk
#endif

/* ---- types ------------------------------------------------------------------------------------------------------
 *
 * TLOG_OWN_WIRE_type has the size and the alignment that the field has in the event. What stands behind the name of a
 * type, the [4] of u8[4], stays behind what that becomes. */

#define TLOG_OWN_WIRE_u8       uint8_t
#define TLOG_OWN_WIRE_u16      uint16_t
#define TLOG_OWN_WIRE_u32      uint32_t
#define TLOG_OWN_WIRE_u64      uint64_t
#define TLOG_OWN_WIRE_i8       int8_t
#define TLOG_OWN_WIRE_i16      int16_t
#define TLOG_OWN_WIRE_i32      int32_t
#define TLOG_OWN_WIRE_i64      int64_t
#define TLOG_OWN_WIRE_uint8_t  uint8_t
#define TLOG_OWN_WIRE_uint16_t uint16_t
#define TLOG_OWN_WIRE_uint32_t uint32_t
#define TLOG_OWN_WIRE_uint64_t uint64_t
#define TLOG_OWN_WIRE_int8_t   int8_t
#define TLOG_OWN_WIRE_int16_t  int16_t
#define TLOG_OWN_WIRE_int32_t  int32_t
#define TLOG_OWN_WIRE_int64_t  int64_t
#define TLOG_OWN_WIRE_bool     bool
#define TLOG_OWN_WIRE__Bool    bool
#define TLOG_OWN_WIRE_f32      float
#define TLOG_OWN_WIRE_f64      double
#define TLOG_OWN_WIRE_hex8     uint8_t
#define TLOG_OWN_WIRE_hex16    uint16_t
#define TLOG_OWN_WIRE_hex32    uint32_t
#define TLOG_OWN_WIRE_hex64    uint64_t
#define TLOG_OWN_WIRE_enum8    uint8_t
#define TLOG_OWN_WIRE_enum16   uint16_t
#define TLOG_OWN_WIRE_enum32   uint32_t
#define TLOG_OWN_WIRE_flags8   uint8_t
#define TLOG_OWN_WIRE_flags16  uint16_t
#define TLOG_OWN_WIRE_flags32  uint32_t
#define TLOG_OWN_WIRE_ptr      uintptr_t
#define TLOG_OWN_WIRE_str      struct tlog_own_text

/* Enumerators have type int, or that of their enumeration. */
#define TLOG_OWN_PARAM_enum8   , unsigned
#define TLOG_OWN_PARAM_enum16  , unsigned
#define TLOG_OWN_PARAM_enum32  , unsigned
#define TLOG_OWN_PARAM_flags8  , unsigned
#define TLOG_OWN_PARAM_flags16 , unsigned
#define TLOG_OWN_PARAM_flags32 , unsigned
#define TLOG_OWN_PARAM_ptr     , const volatile void *
#define TLOG_OWN_PARAM_str     , const char *

/* The room that a text takes at most. No other field has this alignment: so a text is told from others. */
struct tlog_own_text {
    __attribute__((aligned(16))) char bytes[TLOG_OWN_TEXT_BYTES];
};

/* ---- where the fields stand -------------------------------------------------------------------------------------
 *
 * Enumerators of the function: tlog_at_i is the byte at which field i begins, tlog_end_i the one behind it. */

#ifdef __cplusplus
#define TLOG_OWN_ALIGNOF(type) ((int)alignof(type))
#else
#define TLOG_OWN_ALIGNOF(type) ((int)_Alignof(type))
#endif
#define TLOG_OWN_ALIGN(type)   (TLOG_OWN_ALIGNOF(type) > 4 ? 4 : TLOG_OWN_ALIGNOF(type))
#define TLOG_OWN_IS_TEXT(type) (TLOG_OWN_ALIGNOF(type) == 16)
#define TLOG_OWN_UP(at, align) (((at) + (align)-1) / (align) * (align))

#define TLOG_OWN_PLACE(i, before, field) TLOG_OWN_CALL(TLOG_OWN_PLACE_, (i, before, TLOG_OWN_OPEN field, ))
#define TLOG_OWN_PLACE_(i, before, type, ...)                                                                          \
    tlog_at_##i = TLOG_OWN_UP(tlog_end_##before, TLOG_OWN_ALIGN(TLOG_OWN_WIRE_##type)),                                \
    tlog_end_##i = tlog_at_##i + (int)sizeof(TLOG_OWN_WIRE_##type),                                                    \
    tlog_is_text_##i = TLOG_OWN_IS_TEXT(TLOG_OWN_WIRE_##type), /* whether it is one, or one stands before it: */       \
        tlog_texts_##i = tlog_texts_##before + tlog_is_text_##before,

#define TLOG_OWN_LAYOUT(n, each, ...)                                                                                  \
    enum tlog_layout {                                                                                                 \
        tlog_end_0 = TLOG_OWN_PREFIX,                                                                                  \
        tlog_is_text_0 = 0,                                                                                            \
        tlog_texts_0 = 0,                                                                                              \
        each(TLOG_OWN_PLACE, __VA_ARGS__) tlog_has_text = tlog_is_text_##n,                                            \
        tlog_most = (tlog_end_##n + 3) / 4                                                                             \
    };                                                                                                                 \
    TLOG_STATIC_ASSERT(tlog_texts_##n == 0, "TLOG_DEFINE_EVENT: str must be the last field");                          \
    TLOG_STATIC_ASSERT((int)tlog_most <= 224, "TLOG_DEFINE_EVENT: at most 896 bytes of fields")

/* Store a field into the words, and count these. */
#define TLOG_OWN_STORE(i, before, field) TLOG_OWN_CALL(TLOG_OWN_STORE_, (i, TLOG_OWN_OPEN field, ))
#define TLOG_OWN_STORE_(i, type, name, ...)                                                                            \
    tlog_count = TLOG_OWN_PUT(name)(tlog_words, tlog_at_##i, name, (uint32_t)sizeof(TLOG_OWN_WIRE_##type));

/* ---- logging ---------------------------------------------------------------------------------------------------- */

#include "tlog_define_text_impl.h"

#include "tlog_define_log_impl.h"

#define TLOG_OWN_IS_ON ((TLOG_OWN_LEVEL_NOW) <= (TLOG_LEVEL))

#if TLOG_ENABLE
/* The body of a function that logs fields. */
#define TLOG_OWN_LOG_FIELDS(name, n, each, ...)                                                                        \
    TLOG_OWN_LAYOUT(n, each, __VA_ARGS__);                                                                             \
    TLOG_OWN_CHECK_SIZE((int)tlog_most);                                                                               \
    if (TLOG_OWN_IS_ON) {                                                                                              \
        uint32_t tlog_words[tlog_most > 2 ? (int)tlog_most : 2], tlog_count = 0;                                       \
        TLOG_OWN_DESCRIBE(name, "event", each, __VA_ARGS__);                                                           \
        if (tlog_has_text && tlog_own_is_muted(TLOG_OWN_CLASS_NOW))                                                    \
            return;                                                                                                    \
        TLOG_OWN_FIRST_WORD(tlog_words);                                                                               \
        each(TLOG_OWN_STORE, __VA_ARGS__)                                                                              \
            TLOG_OWN_LOG(tlog_words, tlog_has_text ? tlog_count : (uint32_t)tlog_most, tlog_has_text, TLOG_OWN_EVENT,  \
                         TLOG_OWN_SYMBOL(name, "event", each, __VA_ARGS__));                                           \
    }

#define TLOG_OWN_COUNTER(name, number)                                                                                 \
    do {                                                                                                               \
        const int32_t tlog_number = (number);                                                                          \
        TLOG_OWN_CHECK_SIZE(1);                                                                                        \
        if (TLOG_OWN_IS_ON) {                                                                                          \
            uint32_t tlog_words[TLOG_OWN_PREFIX / 4 + 2];                                                              \
            TLOG_OWN_DESCRIBE(name, "counter", TLOG_OWN_EACH_1, (i32, value));                                         \
            TLOG_OWN_FIRST_WORD(tlog_words);                                                                           \
            tlog_words[TLOG_OWN_PREFIX / 4] = (uint32_t)tlog_number;                                                   \
            TLOG_OWN_LOG(tlog_words, TLOG_OWN_PREFIX / 4 + 1u, false, TLOG_OWN_EVENT,                                  \
                         TLOG_OWN_SYMBOL(name, "counter", TLOG_OWN_EACH_1, (i32, value)));                             \
        }                                                                                                              \
    } while (0)

#define TLOG_OWN_LOG_SPAN(name, number)                                                                                \
    TLOG_OWN_CHECK_SIZE(0);                                                                                            \
    if (TLOG_OWN_IS_ON) {                                                                                              \
        uint32_t tlog_words[TLOG_OWN_PREFIX / 4 + 2];                                                                  \
        TLOG_OWN_DESCRIBE(name, "span", TLOG_OWN_NO_FIELDS, );                                                         \
        TLOG_OWN_FIRST_WORD(tlog_words);                                                                               \
        TLOG_OWN_LOG(tlog_words, TLOG_OWN_PREFIX / 4 + 0u, false, number,                                              \
                     TLOG_OWN_SYMBOL(name, "span", TLOG_OWN_NO_FIELDS, ));                                             \
    }
#else
#define TLOG_OWN_LOG_FIELDS(name, n, each, ...)
#define TLOG_OWN_COUNTER(name, number)                                                                                 \
    do {                                                                                                               \
        const int32_t tlog_number = (number);                                                                          \
        (void)tlog_number;                                                                                             \
    } while (0)
#define TLOG_OWN_LOG_SPAN(name, number)
#endif

/* ---- spans ------------------------------------------------------------------------------------------------------ */

#define TLOG_OWN_SPAN(name)                                                                                            \
    TLOG_EVENT_FUNCTION void tlog_span_begin_##name(void){                                                             \
        TLOG_OWN_LOG_SPAN(name, TLOG_OWN_BEGIN)} TLOG_EVENT_FUNCTION void tlog_span_end_##name(void){                  \
        TLOG_OWN_LOG_SPAN(name, TLOG_OWN_END)} TLOG_OWN_SPAN_SCOPE(name)

/* What ends a span at the end of a block: a destructor, or a function that C calls there. */
#ifdef __cplusplus
#define TLOG_OWN_SPAN_SCOPE(name)                                                                                      \
    struct tlog_span_##name {                                                                                          \
        __attribute__((always_inline, no_instrument_function)) tlog_span_##name()                                      \
        {                                                                                                              \
            tlog_span_begin_##name();                                                                                  \
        }                                                                                                              \
        __attribute__((always_inline, no_instrument_function)) ~tlog_span_##name()                                     \
        {                                                                                                              \
            tlog_span_end_##name();                                                                                    \
        }                                                                                                              \
        tlog_span_##name(const tlog_span_##name &) = delete;                                                           \
        tlog_span_##name &operator=(const tlog_span_##name &) = delete;                                                \
    };
#define TLOG_OWN_SCOPE(name, line) const tlog_span_##name TLOG_OWN_JOIN(tlog_scope_, line)
#else
#define TLOG_OWN_SPAN_SCOPE(name)                                                                                      \
    TLOG_ALWAYS_INLINE void tlog_span_leave_##name(const char *scope)                                                  \
    {                                                                                                                  \
        (void)scope;                                                                                                   \
        tlog_span_end_##name();                                                                                        \
    }
#define TLOG_OWN_SCOPE(name, line)                                                                                     \
    __attribute__((cleanup(tlog_span_leave_##name), unused)) const char TLOG_OWN_JOIN(tlog_scope_, line) =             \
        (tlog_span_begin_##name(), (char)0)
#endif

#endif
