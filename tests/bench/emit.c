/* emit.c - the wrapper whose instructions are counted, in a translation unit of its own. Each -D selects one variant.
 */
#include "emit.h"

#if defined(EMIT_INLINE) || defined(EMIT_CALL) || defined(EMIT_TICK) || defined(EMIT_EVENT) || defined(EMIT_WORDS)     \
    || defined(EMIT_FAST) || defined(EMIT_PRINTK)
#include "tlog.h"
#endif

void emit(uint32_t a, uint32_t b)
{
#if defined(EMIT_INLINE)
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, a, b);
#elif defined(EMIT_CALL)
    tlog_record_call(FTrace_EVT_user_event_0, a, b);
#elif defined(EMIT_FAST)
    FAST_TRACER_LOGEVENT(FTrace_EVT_user_event_0, a, b);
#elif defined(EMIT_EVENT)
    tlog_event(TLOG_TRACE_USER, 7, a, b);
#elif defined(EMIT_WORDS)  /* that many words, whose values the compiler does not know */
    (void)a, (void)b;
    tlog_event_words(TLOG_TRACE_USER, 7, emit_words, EMIT_WORDS);
#elif defined(EMIT_PRINTK) /* that many integers */
    (void)a, (void)b;
#define FORMAT_0     "none"
#define FORMAT_1     "%u", (unsigned)a
#define FORMAT_2     "%u %u", (unsigned)a, (unsigned)b
#define FORMAT_3     "%u %u %u", (unsigned)a, (unsigned)b, (unsigned)a
#define FORMAT_4     "%u %u %u %u", (unsigned)a, (unsigned)b, (unsigned)b, (unsigned)a
#define FORMAT_5     "%u %u %u %u %u", (unsigned)a, (unsigned)b, (unsigned)b, (unsigned)a, (unsigned)b
#define FORMAT_6     "%u %u %u %u %u %u", (unsigned)a, (unsigned)b, (unsigned)b, (unsigned)a, (unsigned)b, (unsigned)a
#define FORMAT(n)    FORMAT_OF(n)
#define FORMAT_OF(n) FORMAT_##n
    TLOG_PRINTK(FORMAT(EMIT_PRINTK));
#elif defined(EMIT_TICK)
    (void)a, (void)b;
    tlog_tick();
#elif defined(EMIT_EMPTY)
    (void)a, (void)b;
#elif defined(EMIT_NOPS) /* calibration: 100 instructions */
    (void)a, (void)b;
    __asm volatile(".rept 100\n\tnop\n\t.endr");
#elif defined(                                                                                                         \
    EMIT_MASKED) /* calibration: 10 instructions, of which 4 + 3 in two masked windows, the unmasking included */
    (void)a, (void)b;
    __asm volatile("cpsid i\n\tnop\n\tnop\n\tnop\n\tcpsie i\n\t"
                   "movs r0, #16\n\tmsr basepri, r0\n\tnop\n\tmovs r0, #0\n\tmsr basepri, r0" ::
                       : "r0");
#else
#error "emit.c: which variant?"
#endif
}
