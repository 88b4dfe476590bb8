/* board.h - a board of one's own. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void board_init(void);

/* Measure something, in mV; takes some ms. */
int16_t board_measure(void);

void board_wait_ms(uint32_t ms);

/* Print a line: a word and two numbers. */
void board_print(const char *word, uint32_t first, int32_t second);

#endif
