/* Arduino.h - a stand-in for an Arduino core: what the library's example calls. Serial's bytes become serial.bin, by
 * semihosting. */
#ifndef ARDUINO_H
#define ARDUINO_H

#include <stddef.h>
#include <stdint.h>

struct stand_in_serial {
    void begin(unsigned long baud);
    size_t write(const uint8_t *bytes, size_t length);
    int read();
};
extern stand_in_serial Serial;

void delay(unsigned long ms);
void setup();
void loop();
#endif
