/* cpus.c - two CPUs log; the first one sets a trigger of 25 events for both. Each goes on logging behind it, at last an
 * event and a fault, which take emergency slots. */
#include "board_cpus.h"
#include "tlog_fault.h"

enum { AFTER = 25, BEHIND = 300 };

static volatile uint32_t is_set, ended, logged[2];

static void log_event(uint32_t me, uint32_t code)
{
    tlog_record_call(code, me, logged[me]++);
}

static void work(void)
{
    static const uint32_t fault[TLOG_FAULT_WORDS] = {TLOG_FAULT_V7A << 16 | 4u};
    const uint32_t me = tlog_cpu_number();
    while (is_set == 0) {
        log_event(me, FTrace_EVT_user_event_0);
        if (me == 0 && logged[0] >= TEST_BEFORE && logged[1] >= TEST_BEFORE) {
            tlog_trigger(AFTER);
            is_set = 1;
        }
    }
    for (uint32_t i = 0; i < BEHIND; i++)
        log_event(me, FTrace_EVT_user_event_1);
    tlog_record_emergency(FTrace_EVT_user_event_2, me, 0);
    tlog_fault_log(fault);
    tlog_ring_add((uint32_t *)(uintptr_t)&ended, 1u);
}

int main(void)
{
    if (board_start_cpu(1, work) != 0)
        return 3;
    work();
    while (ended < 2u)
        ;
    return 0;
}
