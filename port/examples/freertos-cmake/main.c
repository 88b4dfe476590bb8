/* SPDX-License-Identifier: MIT */
/* main.c - a task that measures, and one that prints what comes by a queue. board.h is yours. */
#include "FreeRTOS.h"
#include "board.h"
#include "queue.h"
#include "task.h"
#include "tlog.h"

TLOG_DEFINE_EVENT(sample, (u16, number), (i16, millivolts, "mV"))

struct sample {
    uint16_t number;
    int16_t millivolts;
};

static QueueHandle_t samples;

static void sensor(void *unused)
{
    (void)unused;
    for (struct sample sample = {0, 0};; sample.number++) {
        vTaskDelay(pdMS_TO_TICKS(10));
        sample.millivolts = board_measure();
        xQueueSend(samples, &sample, portMAX_DELAY);
    }
}

static void printer(void *unused)
{
    struct sample sample;
    (void)unused;
    for (;;) {
        xQueueReceive(samples, &sample, portMAX_DELAY);
        trace_sample(sample.number, sample.millivolts);
        board_print("sample", sample.number, sample.millivolts);
    }
}

int main(void)
{
    board_init();
    samples = xQueueCreate(4, sizeof(struct sample));
    vQueueAddToRegistry(samples, "samples");
    xTaskCreate(sensor, "sensor", configMINIMAL_STACK_SIZE, NULL, 3, NULL);
    xTaskCreate(printer, "printer", configMINIMAL_STACK_SIZE, NULL, 2, NULL);
    vTaskStartScheduler();
    for (;;)
        ;
}
