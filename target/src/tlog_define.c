/* SPDX-License-Identifier: MIT */
/* tlog_define.c - the calls behind own events: see tlog_define.h. */
#include "tlog_speed.h"
#include "tlog.h"

#include <stddef.h>

#if TLOG_ENABLE

uint32_t tlog_own_copy(uint32_t *words, uint32_t at, const uint8_t *from, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        tlog_own_put_int(words, at + i, from[i], 1);
    return (at + bytes + 3u) / 4u;
}

/* Weak: a group may have no name. Of these the program has only what tlog_group_enable() needs, if that is called. */
extern const char tlog_group_name_0[] __attribute__((weak)), tlog_group_name_1[] __attribute__((weak));
extern const char tlog_group_name_2[] __attribute__((weak)), tlog_group_name_3[] __attribute__((weak));

static bool is_same_name(const char *left, const char *right)
{
    while (*left != 0 && *left == *right)
        left++, right++;
    return *left == *right;
}

bool tlog_group_enable(const char *name, bool enable)
{
    static const char *const names[] = {tlog_group_name_0, tlog_group_name_1, tlog_group_name_2, tlog_group_name_3};
    for (uint32_t group = 0; group < TLOG_OWN_GROUPS; group++) {
        if (name != NULL && names[group] != NULL && is_same_name(name, names[group])) {
            tlog_filter_group(group, !enable);
            return true;
        }
    }
    return false;
}

#endif

#if TLOG_ENABLE && TLOG_TRACEEVENTS

__attribute__((cold)) void tlog_own_slow_1(uint32_t d0, uint32_t d1, uint32_t head)
{
    tlog_event_slow(head, d0, d1, tlog_cpu_here());
}

/* With -Os this is the only call for an event of two slots. */
void tlog_own_slow_2(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t head)
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    struct tlog_reserved at;
    const uint32_t words[] = {a, b, c, d};
    if (__builtin_expect(tlog_event_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, 2, &at), 1))
        tlog_event_fill_all(&at, head | TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT, words, 4);
    else
        tlog_event_log(head, words, 4);
}

__attribute__((cold)) void tlog_own_slow_3(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f,
                                           uint32_t head)
{
    const uint32_t words[] = {a, b, c, d, e, f};
    tlog_event_log(head, words, 6);
}

__attribute__((cold)) void tlog_own_slow_4(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f,
                                           uint32_t g, uint32_t h, uint32_t head)
{
    const uint32_t words[] = {a, b, c, d, e, f, g, h};
    tlog_event_log(head, words, 8);
}

/* One function for each group, whose bit of the filter is then a constant. */
#define TLOG_DEFINE_GROUP_CALL(group)                                                                                  \
    void tlog_own_call_##group(uint32_t d0, uint32_t d1, uint32_t head)                                                \
    {                                                                                                                  \
        const uint32_t words[] = {d0, d1};                                                                             \
        struct tlog_reserved at;                                                                                       \
        const enum tlog_own_way way = tlog_own_reserve(TLOG_CLASS_OWN + (group), 2, &at);                              \
        if (way == TLOG_OWN_RESERVED)                                                                                  \
            tlog_event_fill(&at, head, d0, d1);                                                                        \
        else if (way == TLOG_OWN_SLOW)                                                                                 \
            tlog_own_slow(head, words, 2);                                                                             \
    }
TLOG_DEFINE_GROUP_CALL(0)
TLOG_DEFINE_GROUP_CALL(1)
TLOG_DEFINE_GROUP_CALL(2)
TLOG_DEFINE_GROUP_CALL(3)

#endif
