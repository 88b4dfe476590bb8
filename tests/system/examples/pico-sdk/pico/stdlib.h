/* stdlib.h - the stand-in's part of pico/stdlib.h that the example calls. */
#ifndef PICO_STDLIB_H
#define PICO_STDLIB_H

#include <stdint.h>

void stdio_init_all(void);
void sleep_ms(uint32_t ms);

#endif
