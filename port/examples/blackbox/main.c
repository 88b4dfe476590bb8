/* SPDX-License-Identifier: MIT */
/* main.c - a black box: a fault, and what the watchdog finds hanging, are the last events of a run. The watchdog resets
 * the chip, and the next run sends what the last one logged by a UART. board.h is yours. */
#include "board.h"
#include "tlog.h"

TLOG_DEFINE_EVENT(sample, (u16, number), (i16, millivolts, "mV"))

static void wait_for_watchdog(void)
{
    for (;;)
        ;
}

/* The watchdog's warning is an interrupt, here NMI; if nobody answers, the reset follows. With a watchdog that does not
 * warn, leave out the second line: the last event of a run that hung is then what was logged before. */
TLOG_FAULT_HANDLER(HardFault_Handler, wait_for_watchdog)
TLOG_FAULT_HANDLER(NMI_Handler, wait_for_watchdog)

static int send(void *unused, const void *bytes, uint32_t length)
{
    (void)unused;
    board_watchdog_feed();
    board_send(bytes, length);
    return 0;
}

int main(void)
{
    const struct tlog_sink uart = {send, TLOG_NULL};
    board_init();
    board_watchdog_start(100);
    if (tlog_old_runs() > 0)
        (void)tlog_last_run(&uart);
    tlog_name(TLOG_NAME_TASK, 1, "loop");
    for (uint16_t number = 0;; number++) {
        TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
        int16_t millivolts = board_measure();
        trace_sample(number, millivolts);
        board_print("sample", number, millivolts);
        board_watchdog_feed();
    }
}
