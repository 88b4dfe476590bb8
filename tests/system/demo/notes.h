/* notes.h - with -DDEMO_EXPECT=1, makes the calls that log app.c's own events keep notes, see expect.h. app.c includes
 * it behind the definitions of the events; without DEMO_EXPECT it is empty.
 *
 * The code of a note is of this file's own, because the linker numbers the events; no record has a code this large.
 * par1 and par2 are the fields, as the caller gave them. */
#ifndef SYSTEM_DEMO_NOTES_H
#define SYSTEM_DEMO_NOTES_H

#include "expect.h"

#if DEMO_EXPECT

enum {
    NOTE_adc_sample = 0x100,
    NOTE_filtered = 0x101,
    NOTE_control_output = 0x102,
    NOTE_motor_state = 0x103,
    NOTE_frame = 0x104,
    NOTE_flash_write = 0x105,
    NOTE_queue_depth = 0x106,
    NOTE_control_step_begin = 0x107,
    NOTE_control_step_end = 0x108
};

/* A function note_NAME() that logs NAME by `call`, which may use par1 and par2, and notes it. */
#define NOTE_FUNCTION(name, call)                                                                                      \
    static inline void note_##name(uint32_t par1, uint32_t par2)                                                       \
    {                                                                                                                  \
        struct expect_note note = {NOTE_##name, par1, par2, demo_clock(), 0};                                          \
        call;                                                                                                          \
        note.after = demo_clock();                                                                                     \
        expect_add(&note);                                                                                             \
    }

NOTE_FUNCTION(adc_sample, trace_adc_sample((uint8_t)par1, (int16_t)par2))
NOTE_FUNCTION(filtered, trace_filtered((uint8_t)par1, (int16_t)par2))
NOTE_FUNCTION(control_output, trace_control_output((int16_t)par1, (uint16_t)par2))
NOTE_FUNCTION(motor_state, trace_motor_state((uint8_t)par1, par2))
NOTE_FUNCTION(frame, trace_frame((uint8_t)par1, par2))
NOTE_FUNCTION(flash_write, trace_flash_write((uint8_t)par1, par2))
NOTE_FUNCTION(queue_depth, TLOG_COUNTER(queue_depth, (int32_t)par1))
NOTE_FUNCTION(control_step_begin, TLOG_SPAN_BEGIN(control_step))
NOTE_FUNCTION(control_step_end, TLOG_SPAN_END(control_step))

/* From here on the calls are these functions. */
#define trace_adc_sample(channel, value)       note_adc_sample((uint32_t)(channel), (uint32_t)(value))
#define trace_filtered(channel, value)         note_filtered((uint32_t)(channel), (uint32_t)(value))
#define trace_control_output(setpoint, output) note_control_output((uint32_t)(setpoint), (uint32_t)(output))
#define trace_motor_state(motor, state)        note_motor_state((uint32_t)(motor), (uint32_t)(state))
#define trace_frame(length, sequence)          note_frame((uint32_t)(length), (uint32_t)(sequence))
#define trace_flash_write(page, address)       note_flash_write((uint32_t)(page), (uint32_t)(address))
#undef TLOG_COUNTER
#undef TLOG_SPAN_BEGIN
#undef TLOG_SPAN_END
#define TLOG_COUNTER(name, value) note_##name((uint32_t)(value), 0)
#define TLOG_SPAN_BEGIN(name)     note_##name##_begin(0, 0)
#define TLOG_SPAN_END(name)       note_##name##_end(0, 0)

#endif

#endif
