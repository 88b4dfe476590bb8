// blinky.ino - logs each step of a loop. Options, such as -DTLOG_SLOTS=1024, are the compiler's: arduino-cli compile
// --build-property "compiler.c.extra_flags=..." --build-property "compiler.cpp.extra_flags=...".
#include <tlog.h>

void setup()
{
    tlog_name(TLOG_NAME_TASK, 1, "blinky");
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
}

void loop()
{
    static uint32_t step;
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, step & 0xFFFF, step);
    step++;
    delay(10);
}
