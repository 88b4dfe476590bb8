/* plain.c - a board whose sensor is sound: see mps2.c. */
#include "mps2.c"

void board_init(void)
{
}

int16_t board_measure(void)
{
    return mps2_measure();
}
