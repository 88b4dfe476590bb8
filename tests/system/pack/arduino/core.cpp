/* core.cpp - the stand-in's code: 50 turns of the loop, then a character on Serial; what the sketch sends ends the run.
 * uwTick is the tick of STM32's core, which delay() advances here. */
#include "Arduino.h"
#include "out_semihost.h"

extern "C" {
volatile uint32_t uwTick;
int main();
}
stand_in_serial Serial;
static int file = -1;
static unsigned turns;

void stand_in_serial::begin(unsigned long)
{
    file = semihost_open("serial.bin");
}

size_t stand_in_serial::write(const uint8_t *bytes, size_t length)
{
    return semihost_write(file, bytes, static_cast<uint32_t>(length)) == 0 ? length : 0;
}

int stand_in_serial::read()
{
    return turns == 50 ? 'd' : -1;
}

void delay(unsigned long ms)
{
    uwTick = uwTick + ms;
}

int main()
{
    setup();
    for (turns = 1; turns <= 50; turns++)
        loop();
    semihost_exit(semihost_close(file));
}
