/* adc.h - the stand-in's part of hardware/adc.h that the example calls. */
#ifndef HARDWARE_ADC_H
#define HARDWARE_ADC_H

#include <stdint.h>

void adc_init(void);
void adc_gpio_init(unsigned gpio);
void adc_select_input(unsigned input);
uint16_t adc_read(void);

#endif
