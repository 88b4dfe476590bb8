/* events.h - the events of define.sh's firmware, which files of C and C++ include. */
#ifndef EVENTS_H
#define EVENTS_H

#include "tlog.h"

enum motor_state { IDLE, RUN, STALL = 7 };
enum irq_bits { RX = 1, TX = 2, FAILED = 0x80 };

#define TLOG_EVENT_SYSTEM adc
#define TLOG_EVENT_GROUP  1
TLOG_DEFINE_EVENT(adc_sample, (u8, ch), (i16, mv, "mV"))
#undef TLOG_EVENT_GROUP
#undef TLOG_EVENT_SYSTEM
TLOG_DEFINE_EVENT(nothing)
TLOG_DEFINE_EVENT(percent, (uint8_t, load, "%"), (bool, high), (hex16, mask, "{\"\\|}%d"))
TLOG_DEFINE_EVENT(irq, (flags8, bits, RX, TX, FAILED), (enum8, state, IDLE, RUN, STALL))
TLOG_DEFINE_EVENT(never_called, (u8, a))
TLOG_DEFINE_EVENT(of_dead_code, (u8, a))
TLOG_DEFINE_SPAN(filter)
#if TLOG_TRACEEVENTS
TLOG_DEFINE_EVENT(motor_state, (u8, motor), (enum8, state, IDLE, RUN, STALL), (bool, braked), (f32, rpm))
TLOG_DEFINE_EVENT(energy, (u64, total, "uJ"), (i64, delta), (f64, ratio), (u32, serial))
TLOG_DEFINE_EVENT(opened, (u16, handle), (u8[3], mac), (u16[2], ports), (str, path))
#define TLOG_EVENT_GROUP 3
TLOG_DEFINE_EVENT(where, (ptr, function))
#undef TLOG_EVENT_GROUP
#endif

TLOG_BEGIN_C
void log_second(void);
void log_library(void);
void log_cxx(void);
void dead_code(void);
TLOG_END_C

#endif
