/* SPDX-License-Identifier: MIT */
/* tlog_define_text_impl.h - how an own event gets its id and its description: names for the decoder, which the target
 * does not have.
 *
 * Private to tlog: firmware includes tlog.h.
 *
 * The usual form is assembly in the function that logs, so only events that are called are described. It makes a
 * section group of two sections that are not loaded. The linker keeps a group once, however many files have it:
 *
 *   tlog_event_id.GROUP   one byte. The linker script puts all of them from address class << 10 on: so the address of
 *                         that byte is the head of the event, class and id, and no two events have the same
 *   tlog_event            the description: see FORMAT.md
 *
 * The group is named by the byte's symbol, which bears system, name and fields: what differs in these is another event.
 * The names stand in assembly without operands, where % and braces mean themselves; enumerators' values in one with
 * operands. The compiler may put the function's code into a file several times; .ifndef leaves out all but the first.
 *
 * In the portable form, and on other cores than Arm, the description is a constant of the function. */
#ifndef TLOG_DEFINE_TEXT_IMPL_H
#define TLOG_DEFINE_TEXT_IMPL_H

#ifndef TLOG_DEFINE_H
#error "tlog: include tlog.h"
#endif

#if defined(TLOG_PORTABLE_EVENTS) || !defined(__arm__)
#define TLOG_OWN_PORTABLE 1
#else
#define TLOG_OWN_PORTABLE 0
#endif

/* The class of the group in which events are defined now. */
#define TLOG_OWN_CLASS_NOW (TLOG_CLASS_OWN + (TLOG_OWN_GROUP_NOW))
#define TLOG_OWN_CHECK_GROUP                                                                                           \
    TLOG_STATIC_ASSERT((TLOG_OWN_GROUP_NOW) >= 0 && (TLOG_OWN_GROUP_NOW) < (int)TLOG_OWN_GROUPS,                       \
                       "TLOG_EVENT_GROUP: 0..3")

/* ---- the text of a field ------------------------------------------------------------------------------------------
 *
 * "type name,\n" or "type name extra,\n", as strings with SEP() in front of each: a comma, or nothing. C's bool is a
 * macro, and so is _Bool here. */

#define TLOG_OWN_SPELL__Bool        , "bool"
#define TLOG_OWN_TEXT(sep, field)   TLOG_OWN_JOIN(TLOG_OWN_TEXT_, TLOG_OWN_MORE field)(sep, TLOG_OWN_OPEN field)
#define TLOG_OWN_TEXT_NO(sep, ...)  TLOG_OWN_TEXT_NO_(sep, __VA_ARGS__)
#define TLOG_OWN_TEXT_YES(sep, ...) TLOG_OWN_TEXT_YES_(sep, __VA_ARGS__)
#define TLOG_OWN_TEXT_NO_(sep, type, name)                                                                             \
    sep() TLOG_OWN_SECOND(TLOG_OWN_SPELL_##type, #type, ) sep() " " sep() #name sep() ",\n"
#define TLOG_OWN_TEXT_YES_(sep, type, name, ...)                                                                       \
    sep() TLOG_OWN_SECOND(TLOG_OWN_SPELL_##type, #type, )                                                              \
        sep() " " sep() #name sep() " " sep() #__VA_ARGS__ sep() ","                                                   \
                                                                 "\n"
#define TLOG_OWN_BY_COMMA() ,
#define TLOG_OWN_BY_NOTHING()

/* Whether there is something behind type and name; an error of the preprocessor if there is no name. */
#define TLOG_OWN_MORE(...)                                                                                             \
    TLOG_OWN_MORE_(__VA_ARGS__, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES, YES,   \
                   YES, YES, YES, YES, YES, YES, YES, NO, NONE, )
#define TLOG_OWN_MORE_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, more, ...) more

/* ---- the values of a field's enumerators -------------------------------------------------------------------------
 *
 * TLOG_OWN_VALUES(M, i, field) is M(i, 1, name) M(i, 2, name) and so on for types with enumerators, and nothing for
 * others. */

#define TLOG_OWN_HAS_VALUES_enum8    , YES
#define TLOG_OWN_HAS_VALUES_enum16   , YES
#define TLOG_OWN_HAS_VALUES_enum32   , YES
#define TLOG_OWN_HAS_VALUES_flags8   , YES
#define TLOG_OWN_HAS_VALUES_flags16  , YES
#define TLOG_OWN_HAS_VALUES_flags32  , YES
#define TLOG_OWN_VALUES(M, i, field) TLOG_OWN_CALL(TLOG_OWN_VALUES_, (M, i, TLOG_OWN_OPEN field, ))
#define TLOG_OWN_VALUES_(M, i, type, name, ...)                                                                        \
    TLOG_OWN_JOIN(TLOG_OWN_VALUES_, TLOG_OWN_SECOND(TLOG_OWN_HAS_VALUES_##type, NO, ))(M, i, __VA_ARGS__)
#define TLOG_OWN_VALUES_NO(M, i, ...)
#define TLOG_OWN_VALUES_YES(M, i, ...) TLOG_OWN_JOIN(TLOG_OWN_NAMES_, TLOG_OWN_NAMES(__VA_ARGS__))(M, i, __VA_ARGS__)

/* The number of names; an empty argument stands behind the last one. */
#define TLOG_OWN_NAMES(...)                                                                                            \
    TLOG_OWN_NAMES_OF(__VA_ARGS__, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, \
                      1, 0, )
#define TLOG_OWN_NAMES_OF(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, count, ...) count

#define TLOG_OWN_NAMES_0(M, i, none)
#define TLOG_OWN_NAMES_1(M, i, a, ...)  M(i, 1, a)
#define TLOG_OWN_NAMES_2(M, i, a, ...)  M(i, 2, a) TLOG_OWN_NAMES_1(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_3(M, i, a, ...)  M(i, 3, a) TLOG_OWN_NAMES_2(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_4(M, i, a, ...)  M(i, 4, a) TLOG_OWN_NAMES_3(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_5(M, i, a, ...)  M(i, 5, a) TLOG_OWN_NAMES_4(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_6(M, i, a, ...)  M(i, 6, a) TLOG_OWN_NAMES_5(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_7(M, i, a, ...)  M(i, 7, a) TLOG_OWN_NAMES_6(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_8(M, i, a, ...)  M(i, 8, a) TLOG_OWN_NAMES_7(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_9(M, i, a, ...)  M(i, 9, a) TLOG_OWN_NAMES_8(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_10(M, i, a, ...) M(i, 10, a) TLOG_OWN_NAMES_9(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_11(M, i, a, ...) M(i, 11, a) TLOG_OWN_NAMES_10(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_12(M, i, a, ...) M(i, 12, a) TLOG_OWN_NAMES_11(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_13(M, i, a, ...) M(i, 13, a) TLOG_OWN_NAMES_12(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_14(M, i, a, ...) M(i, 14, a) TLOG_OWN_NAMES_13(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_15(M, i, a, ...) M(i, 15, a) TLOG_OWN_NAMES_14(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_16(M, i, a, ...) M(i, 16, a) TLOG_OWN_NAMES_15(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_17(M, i, a, ...) M(i, 17, a) TLOG_OWN_NAMES_16(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_18(M, i, a, ...) M(i, 18, a) TLOG_OWN_NAMES_17(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_19(M, i, a, ...) M(i, 19, a) TLOG_OWN_NAMES_18(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_20(M, i, a, ...) M(i, 20, a) TLOG_OWN_NAMES_19(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_21(M, i, a, ...) M(i, 21, a) TLOG_OWN_NAMES_20(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_22(M, i, a, ...) M(i, 22, a) TLOG_OWN_NAMES_21(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_23(M, i, a, ...) M(i, 23, a) TLOG_OWN_NAMES_22(M, i, __VA_ARGS__)
#define TLOG_OWN_NAMES_24(M, i, a, ...) M(i, 24, a) TLOG_OWN_NAMES_23(M, i, __VA_ARGS__)

#if !TLOG_OWN_PORTABLE

/* ---- ids and descriptions that are not loaded -------------------------------------------------------------------- */

#define TLOG_OWN_PREFIX            0
#define TLOG_OWN_FIRST_WORD(words) (void)0

/* The symbol of the id, and that of the description's end, in quotes: in assembly any characters may stand in these. */
#define TLOG_OWN_SIGN(i, before, field) TLOG_OWN_CALL(TLOG_OWN_SIGN_, (TLOG_OWN_OPEN field, ))
#define TLOG_OWN_SIGN_(type, name, ...) "." #type "." #name
#define TLOG_OWN_SYMBOL(name, kind, each, ...)                                                                         \
    "\"tlog_ev." TLOG_OWN_STRING(TLOG_OWN_SYSTEM_NOW) "." #name "." kind each(TLOG_OWN_SIGN, __VA_ARGS__) "\""
#define TLOG_OWN_ENDS(name, kind, each, ...)                                                                           \
    "\".Ltlog_ev." TLOG_OWN_STRING(TLOG_OWN_SYSTEM_NOW) "." #name "." kind each(TLOG_OWN_SIGN, __VA_ARGS__) "\""

/* Names and fields, as the arguments of .ascii. */
#define TLOG_OWN_ASCII(i, before, field) TLOG_OWN_TEXT(TLOG_OWN_BY_COMMA, field)
#define TLOG_OWN_ALL_ASCII(name, kind, each, ...)                                                                      \
    TLOG_OWN_STRING(TLOG_OWN_STRING(TLOG_OWN_SYSTEM_NOW), "\n" #name "\n" kind "\n" each(TLOG_OWN_ASCII, __VA_ARGS__))

/* The values as the arguments of .long, as operands of the assembly, and their number. */
#define TLOG_OWN_LONG(i, before, field)  TLOG_OWN_VALUES(TLOG_OWN_LONG_, i, field)
#define TLOG_OWN_LONG_(i, k, name)       ", %c[v" #i "_" #k "]"
#define TLOG_OWN_INPUT(i, before, field) TLOG_OWN_VALUES(TLOG_OWN_INPUT_, i, field)
#define TLOG_OWN_INPUT_(i, k, name)      , [v##i##_##k] "i"((int)(name))
#define TLOG_OWN_ONE(i, before, field)   TLOG_OWN_VALUES(TLOG_OWN_ONE_, i, field)
#define TLOG_OWN_ONE_(i, k, name)        +1

/* The linker says this where the linker script lacks the sections. The relocation, of type NONE, changes no byte. */
#define TLOG_OWN_GUARD "tlog_own_events_need_INCLUDE_tlog.ld_in_the_linker_script_or_TLOG_PORTABLE_EVENTS"

/* `inline` tells the compiler not to take the lines for instructions when it decides what to inline. */
#define TLOG_OWN_DESCRIBE_(symbol, end, text, longs, count, inputs)                                                    \
    __asm__ __volatile__ __inline__(                                                                                   \
        ".ifndef " symbol "\n\t.pushsection tlog_event_id." TLOG_OWN_STRING(                                           \
            TLOG_OWN_GROUP_NOW) ",\"G\",%%progbits," symbol ",comdat\n\t.globl " symbol "\n\t.hidden " symbol          \
                                "\n" symbol ":\t.byte 0\n\t"                                                           \
                                ".popsection\n\t.pushsection tlog_event,\"G\",%%progbits," symbol                      \
                                ",comdat\n\t.balign 4\n"                                                               \
                                "1:\t.long " symbol ", " end " - 1b, %c[version], %c[n]" longs                         \
                                "\n\t.popsection\n\t.endif\n\t"                                                        \
                                ".reloc ., R_ARM_NONE, " TLOG_OWN_GUARD                                                \
        :                                                                                                              \
        : [version] "i"(TLOG_OWN_VERSION), [n] "i"(0 count)TLOG_OWN_OPEN inputs);                                      \
    __asm__ __inline__(".ifndef " end "\n\t.pushsection tlog_event,\"G\",%progbits," symbol ",comdat\n\t.ascii " text  \
                       "\n\t.byte 0\n\t.balign 4\n" end ":\n\t.popsection\n\t.endif")

#define TLOG_OWN_DESCRIBE(name, kind, each, ...)                                                                       \
    TLOG_OWN_CHECK_GROUP;                                                                                              \
    TLOG_OWN_DESCRIBE_(TLOG_OWN_SYMBOL(name, kind, each, __VA_ARGS__), TLOG_OWN_ENDS(name, kind, each, __VA_ARGS__),   \
                       TLOG_OWN_ALL_ASCII(name, kind, each, __VA_ARGS__), each(TLOG_OWN_LONG, __VA_ARGS__),            \
                       each(TLOG_OWN_ONE, __VA_ARGS__), (each(TLOG_OWN_INPUT, __VA_ARGS__)))

/* Load the symbol's address + addend, 16 bits. In assembly because C's access to the symbol needs a declaration, which
 * g++ takes for another symbol in templates, and loads a literal. ARMv6-M has no MOVW: a literal is jumped over. */
#ifdef __ARM_ARCH_6M__
#define TLOG_OWN_LOAD(head, symbol, addend)                                                                            \
    __asm__("ldr %0, 1f\n\tb 2f\n\t.balign 4\n1:\t.word " symbol " + %c1\n2:" : "=l"(head) : "i"(addend))
#else
#define TLOG_OWN_LOAD(head, symbol, addend) __asm__("movw %0, #:lower16:(" symbol " + %c1)" : "=r"(head) : "i"(addend))
#endif

/* Load the low half of the head, or par1 of a record: there the kind is bits 13..12, while in a head it stands in the
 * high half, which TLOG_OWN_HIGH() gives. */
#define TLOG_OWN_HEAD(head, kind, symbol) TLOG_OWN_LOAD(head, symbol, TLOG_OWN_ADDEND(kind))
#define TLOG_OWN_HIGH(kind)               (kind)
#if TLOG_TRACEEVENTS
#define TLOG_OWN_ADDEND(kind)      0
#define TLOG_OWN_CHECK_SIZE(words) (void)0
#else
#define TLOG_OWN_ADDEND(kind)                                                                                          \
    ((int)(kind)*0x1000 + TLOG_OWN_GROUP_NOW * 0x100 - (int)(TLOG_OWN_CLASS_NOW << TLOG_CLASS_SHIFT))
#define TLOG_OWN_CHECK_SIZE(words)                                                                                     \
    TLOG_STATIC_ASSERT((words) <= 1, "TLOG_DEFINE_EVENT: more than 32 bits of fields need TLOG_TRACEEVENTS=1")
#endif

#else

/* ---- descriptions in flash --------------------------------------------------------------------------------------- */

#define TLOG_OWN_PREFIX ((int)sizeof(uintptr_t))
#if TLOG_TRACEEVENTS
#define TLOG_OWN_CHECK_SIZE(words) (void)0
#else
#define TLOG_OWN_CHECK_SIZE(words) TLOG_STATIC_ASSERT(0, "TLOG_PORTABLE_EVENTS needs TLOG_TRACEEVENTS=1")
#endif

#define TLOG_OWN_STRINGS(i, before, field) TLOG_OWN_TEXT(TLOG_OWN_BY_NOTHING, field)
#define TLOG_OWN_VALUE(i, before, field)   TLOG_OWN_VALUES(TLOG_OWN_VALUE_, i, field)
#define TLOG_OWN_VALUE_(i, k, name)        , (int32_t)(name)
#define TLOG_OWN_ONE(i, before, field)     TLOG_OWN_VALUES(TLOG_OWN_ONE_, i, field)
#define TLOG_OWN_ONE_(i, k, name)          +1

#define TLOG_OWN_DESCRIBE(name, kind, each, ...)                                                                       \
    TLOG_OWN_DESCRIBE_(TLOG_OWN_STRING(TLOG_OWN_SYSTEM_NOW) "\n" #name "\n" kind                                       \
                                                            "\n" each(TLOG_OWN_STRINGS, __VA_ARGS__),                  \
                       0 each(TLOG_OWN_ONE, __VA_ARGS__), (each(TLOG_OWN_VALUE, __VA_ARGS__)))
#define TLOG_OWN_DESCRIBE_(names, count, values)                                                                       \
    TLOG_OWN_CHECK_GROUP;                                                                                              \
    static const struct {                                                                                              \
        int32_t number[4 + (count)];                                                                                   \
        char text[sizeof(names)];                                                                                      \
    } tlog_description = {{(int32_t)TLOG_OWN_MAGIC, (int32_t)sizeof(tlog_description), (int32_t)TLOG_OWN_VERSION,      \
                           (count)TLOG_OWN_OPEN values},                                                               \
                          names}

#define TLOG_OWN_FIRST_WORD(words) (void)tlog_own_put_pointer(words, 0, &tlog_description, (uint32_t)sizeof(uintptr_t))

#define TLOG_OWN_SYMBOL(name, kind, each, ...) ""
#define TLOG_OWN_HEAD(head, kind, symbol)                                                                              \
    (head) = TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, (TLOG_CONTROL_OWN + (kind)) % 256u)
#define TLOG_OWN_HIGH(kind) (TLOG_CONTROL_OWN / 256u)
#endif

#endif
