/* SPDX-License-Identifier: MIT */
/* main.c - a thread that measures, and one that prints what comes by a queue. board.h is yours. */
#include "tx_api.h"

#include "board.h"
#include "tlog.h"

TLOG_DEFINE_EVENT(sample, (u16, number), (i16, millivolts, "mV"))

struct sample {
    ULONG number;
    int32_t millivolts;
};

static TX_QUEUE samples;
static TX_THREAD sensor_thread, printer_thread;
static ULONG sensor_stack[256], printer_stack[256];
static struct sample waiting[4];

static void sensor(ULONG unused)
{
    (void)unused;
    for (struct sample sample = {0, 0};; sample.number++) {
        tx_thread_sleep(TX_TIMER_TICKS_PER_SECOND / 100);
        sample.millivolts = board_measure();
        tx_queue_send(&samples, &sample, TX_WAIT_FOREVER);
    }
}

static void printer(ULONG unused)
{
    struct sample sample;
    (void)unused;
    for (;;) {
        tx_queue_receive(&samples, &sample, TX_WAIT_FOREVER);
        trace_sample((uint16_t)sample.number, (int16_t)sample.millivolts);
        board_print("sample", sample.number, sample.millivolts);
    }
}

void tx_application_define(void *unused)
{
    (void)unused;
    tx_queue_create(&samples, "samples", TX_2_ULONG, waiting, sizeof waiting);
    tx_thread_create(&sensor_thread, "sensor", sensor, 0, sensor_stack, sizeof sensor_stack, 2, 2, TX_NO_TIME_SLICE,
                     TX_AUTO_START);
    tx_thread_create(&printer_thread, "printer", printer, 0, printer_stack, sizeof printer_stack, 3, 3,
                     TX_NO_TIME_SLICE, TX_AUTO_START);
}

int main(void)
{
    board_init();
    tx_kernel_enter();
}
