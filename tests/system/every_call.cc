/* every_call.cc - logging from what only C++ has: inline functions, member functions, templates, lambdas, overloads.
 *
 * With -DRUN it is a program for the host that checks that an event logged by C++ is in the memory of the runtime, which
 * is compiled as C. */
#include "tlog.h"

#include <stdint.h>

namespace
{
enum kind { FIRST, SECOND };
} // namespace

struct counter {
    uint32_t n;
    void up()
    {
        n++;
        TRACER_LOGEVENT(FTrace_EVT_user_event_3, 7, n);
#if TLOG_TRACEEVENTS || !TLOG_ENABLE
        TLOG_PRINTK("up to %u", static_cast<unsigned>(n));
#endif
    }
};

inline void in_place(uint32_t a)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_4, a, a);
#if TLOG_TRACEEVENTS || !TLOG_ENABLE
    TLOG_PRINTK("in place, %u", static_cast<unsigned>(a));
#endif
}

template <class T> void in_template(T a)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_5, 5, static_cast<uint32_t>(a));
}

void all_types(char *a, const char *b, volatile int *c, bool d);
void all_types(char *a, const char *b, volatile int *c, bool d)
{
#if TLOG_TRACEEVENTS || !TLOG_ENABLE
    TLOG_PRINTK("%s %s %p %d %d", a, b, static_cast<void *>(const_cast<int *>(c)), *c, d);
    TLOG_PRINTK("%d %c %hd %f %f", SECOND, 'c', static_cast<short>(1), 1.0f, 1.0);
#else
    (void)a, (void)b, (void)c, (void)d;
#endif
}

void every_kind(uint32_t a);
void every_kind(uint32_t a)
{
    counter counts = {a};
    counts.up();
    in_place(a);
    in_template(a);
    in_template(static_cast<char>(a));
    auto lambda = [](uint32_t b) { TRACER_LOGEVENT(FTrace_EVT_user_event_6, b, b); };
    lambda(a);
}

#ifdef RUN
#include <stdio.h>

static int look(void *found, const void *bytes, uint32_t length)
{
    const uint32_t *word = static_cast<const uint32_t *>(bytes);
    for (uint32_t i = 0; i + 3u < length / 4u; i += 4)
        if ((word[i + TLOG_WORD_HEAD] & 0xFFFFu & ~TLOG_TAG_MASK) == FTrace_EVT_user_event_3
            && word[i + TLOG_WORD_HEAD] >> 16 == 7 && word[i] == 42)
            ++*static_cast<int *>(found);
    return 0;
}

int main()
{
    int found = 0;
    tlog_sink sink = {look, &found};
    every_kind(41);
    if (tlog_dump(&sink) != 0 || found != 1 || tlog_dropped() != 0) {
        printf("C++: %d events in memory, and not 1\n", found);
        return 1;
    }
    printf("C++: the event is in memory\n");
    return 0;
}
#endif
