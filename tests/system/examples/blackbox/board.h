/* board.h - a board of one's own, with a watchdog. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void board_init(void);

/* Measure something, in mV; takes some ms. In the first run it runs into a fault, in the second it hangs. */
int16_t board_measure(void);

/* Print a line: a word and two numbers. */
void board_print(const char *word, uint32_t first, int32_t second);

/* Send bytes by another UART. */
void board_send(const void *bytes, uint32_t length);

/* After so many ms without food the watchdog warns; after as many again it resets the chip. */
void board_watchdog_start(uint32_t ms);
void board_watchdog_feed(void);

#endif
