// blinky.ino - logs each step of a loop. Send any character by the Serial Monitor's port, and the sketch sends its
// memory: what a terminal stores of it as binary, tlog-decode reads. Options, such as -DTLOG_SLOTS=1024, are the
// compiler's: arduino-cli compile --build-property "compiler.c.extra_flags=..." --build-property
// "compiler.cpp.extra_flags=...".
#include <tlog.h>

static int send(void *, const void *bytes, uint32_t length)
{
    return Serial.write((const uint8_t *)bytes, length) == length ? 0 : -1;
}

void setup()
{
    Serial.begin(115200);
    tlog_name(TLOG_NAME_TASK, 1, "blinky");
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
}

void loop()
{
    static uint32_t step;
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, step & 0xFFFF, step);
    step++;
    delay(10);
    if (Serial.read() >= 0) {
        const struct tlog_sink sink = {send, nullptr};
        tlog_dump(&sink);
    }
}
