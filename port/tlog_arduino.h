/* SPDX-License-Identifier: MIT */
/* tlog_arduino.h - the clock of boards that Arduino's cores support, unless an option names another one. tlog_config.h
 * includes it where ARDUINO is defined, which these cores do. Cortex-M3 and above have CYCCNT; its rate is F_CPU, if
 * that is a number. Cortex-M0 and M0+ have none:
 *
 *     RP2040             the chip's timer, which counts microseconds
 *     SAM D21            TC4 and TC5, which Servo and tone() cannot have then: chips/samd21.h
 *     STM32, Teensy LC   the core's milliseconds: events within one get stamps one tick apart (TLOG_UNIQUE_STAMPS) */
#ifndef TLOG_ARDUINO_H
#define TLOG_ARDUINO_H

#include <stdint.h>

#if defined(__ARM_ARCH_6M__) && !defined(TLOG_CLOCK_ADDRESS)
#if defined(ARDUINO_ARCH_RP2040) || defined(TARGET_RP2040)
#define TLOG_CLOCK_ADDRESS    0x40054028u /* TIMERAWL */
#define TLOG_CLOCK_HZ         1000000
#define TLOG_UNIQUE_STAMPS    1
#define TLOG_ONLY_CPU_ADDRESS 0xD0000000u /* CPUID: only core 0 logs */
#elif defined(ARDUINO_ARCH_SAMD)
#include "chips/samd21.h"
#elif defined(ARDUINO_ARCH_STM32) || defined(KINETISL)
#ifdef KINETISL
#define TLOG_ARDUINO_MILLISECONDS systick_millis_count
#else
#define TLOG_ARDUINO_MILLISECONDS uwTick
#endif
#ifdef __cplusplus
extern "C" {
#endif
extern volatile uint32_t TLOG_ARDUINO_MILLISECONDS;
#ifdef __cplusplus
}
#endif
#define TLOG_CLOCK_ADDRESS (&TLOG_ARDUINO_MILLISECONDS)
#define TLOG_CLOCK_HZ      1000
#define TLOG_UNIQUE_STAMPS 1
#endif
#endif

#if !defined(TLOG_CLOCK_HZ) && defined(F_CPU) && F_CPU > 0
#define TLOG_CLOCK_HZ F_CPU
#endif

#endif
