/* refuse.c - calls from a CPU that may not log (TLOG_ONLY_CPU_ADDRESS). The register that tells the CPU is a word of
 * this program: so one CPU plays both. It makes each kind of call as the other one before the first event, between
 * events, and in an interrupt that comes at any instruction of an event.
 *
 * No refused call may change anything of tlog's but the count. user_event_0 is logged DELAYS times; user_event_5 tells
 * the count in the end, in par2. */
#include "irq.h"

#define fault_handler use_fault_handler /* the board has one */
#define tlog_wfi()    ((void)0)         /* nothing would wake this program */
#include "../../system/every_call.c"

enum { DELAYS = 200 };

uint32_t this_cpu_register;
static uint32_t muted;
static volatile bool is_handled;

/* Each kind of call that logs, names, or changes how tlog logs. */
static void use_all(void)
{
    use_records(FTrace_EVT_user_event_1, 2);
    use_control(3, true);
    tlog_priority(1, 2);
    (void)tlog_fault_log(words);
    use_shark(1, 0);
    use_define(1, text);
#if !TLOG_MINIMAL
    tlog_forget(TLOG_NAME_TASK, 1);
    tlog_trigger(3);
#endif
#if TLOG_TRACEEVENTS
    use_events(1, 2);
    use_printk(1, text);
#endif
}

static void as_other(void (*call)(void))
{
    const uint32_t before = this_cpu_register;
    this_cpu_register = 1;
    call();
    this_cpu_register = before;
}

/* Of tlog's memory but for the chunk that counts, and where CPU 0 keeps what it knows. */
static uint32_t sum_of_ring(void)
{
    return tlog_ring_crc(~0u, tlog_event_chunks[0], TLOG_EVENT_WORDS)
           ^ tlog_ring_crc(~0u, tlog_name_chunks[0], TLOG_NAME_WORDS)
           ^ tlog_ring_crc(~0u, &tlog_cpus->filter, sizeof(tlog_cpus) / 4u);
}

static void check_untouched(int code)
{
    const uint32_t before = sum_of_ring(), count = tlog_refused();
    as_other(use_all);
    check(sum_of_ring() == before, code);
    check(tlog_refused() > count, code + 1);
}

/* Each call is counted once. */
static void count_all(void)
{
    const uint32_t count = tlog_refused();
    TRACER_LOGEVENT(FTrace_EVT_user_event_1, 1, 1);
    FAST_TRACER_LOGEVENT(FTrace_EVT_user_event_1, 1, 1);
    tlog_record_any(1, 1, FTrace_EVT_user_event_1);
    tlog_record_any(1, 1, 0); /* this code is not allowed */
    tlog_name(TLOG_NAME_TASK, 1, "one");
    tlog_priority(1, 1);
    check(tlog_refused() == count + 6u, 50);
#if TLOG_TRACEEVENTS
    tlog_event(TLOG_TRACE_USER, 1, 1, 1);
    tlog_event_words(TLOG_TRACE_USER, 1, words, 4);
    tlog_event_words(TLOG_TRACE_USER, 1, words, 16);
    tlog_event_words(TLOG_TRACE_USER, 1, words, this_cpu_register);
    tlog_event_text(TLOG_TRACE_USER, 1, text);
    TLOG_PRINTK("%u", 1u);
    TLOG_PRINTK("%u %u %u", 1u, 2u, 3u);
    TLOG_PRINTK("%s", text);
    TLOG_PRINTK("%d %s", 1, text);
    trace_own_all(1, -1, 1.5f, 2.5, OWN_RUN, OWN_RUN, text, text);
    trace_own_small(1, 2);
    check(tlog_refused() == count + 17u, 51);
#endif
}

/* What is suppressed would not be logged anyway. */
static void count_none(void)
{
    const uint32_t count = tlog_refused();
    TRACER_LOGEVENT(FTrace_EVT_user_event_1, 1, 1);
    tlog_record_any(1, 1, FTrace_EVT_user_event_1);
    check(tlog_refused() == count, 52);
    muted++;
}

/* Interrupts this CPU in its event. */
void systick_handler(void);
void systick_handler(void)
{
    as_other(count_all);
    SYST_CSR = 0;
    is_handled = true;
}

static void log_interrupted(uint32_t i, uint32_t delay)
{
    is_handled = false;
    SYST_RVR = delay;
    SYST_CVR = 0;
    SYST_CSR = 7;
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, i, delay);
    while (!is_handled)
        ;
}

int main(void)
{
    check_untouched(60);
    for (uint32_t delay = 1; delay <= DELAYS; delay++)
        log_interrupted(delay, delay);
    check_untouched(62);
    tlog_disable();
    as_other(count_none);
    tlog_enable();
    check(muted == 1u && tlog_dropped() == tlog_refused(), 64);
    TRACER_LOGEVENT(FTrace_EVT_user_event_5, 0, tlog_refused());
    return 0;
}
