/* SPDX-License-Identifier: MIT */
/* ticks.c - a clock in memory that the SysTick interrupt advances, for boards without a counter that can be read. */
#include "board.h"

volatile uint32_t board_ticks[1];

void systick_handler(void);
void systick_handler(void)
{
    board_ticks[0]++;
}
