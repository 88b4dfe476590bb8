/* others.c - the stand-in's timers, event groups, stream buffers and heap: the hooks of these files of the kernel. */
#include "stand_in.h"

/* ---- timers ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const char *pcTimerName;
    TickType_t xTimerPeriodInTicks;
} Timer_t;

static void call_me(void)
{
}

static void pend_from_isr(void *argument)
{
    (void)argument;
    expect("call_failed: function=0x%x", (uint32_t)(uintptr_t)call_me & ~1u);
    RUN(tracePEND_FUNC_CALL_FROM_ISR, (call_me, 0, 0, 0));
}

void timer_tour(void)
{
    static Timer_t blink = {"blink", 500};
    static const char *const does[] = {"start",  "start", "reset", "stop", "change",
                                       "delete", "start", "reset", "stop", "change"};
    Timer_t *pxTimer = &blink;
    mask();
    expect("timer_create: timer=blink size=500");
    RUN(traceTIMER_CREATE, (pxTimer));
    unmask();
    for (BaseType_t command = 0; command < 10; command++) {
        expect("timer_%s: timer=blink", does[command]);
        RUN(traceTIMER_COMMAND_RECEIVED, (pxTimer, command, 0));
        RUN(traceTIMER_COMMAND_SEND, (pxTimer, command, 0, pdPASS)); /* late: the daemon has run */
    }
    expect("timer_stop_failed: timer=blink");
    RUN(traceTIMER_COMMAND_SEND, (pxTimer, 3, 0, 0));
    expect("timer_expire: timer=blink");
    RUN(traceTIMER_EXPIRED, (pxTimer));
    expect("timer_create_failed: timer=0x0");
    RUN(traceTIMER_CREATE_FAILED, ());
    expect("call: function=0x%x", (uint32_t)(uintptr_t)call_me & ~1u);
    RUN(tracePEND_FUNC_CALL, (call_me, 0, 0, pdPASS));
    at(IRQ, pend_from_isr, 0);
}

/* ---- event groups ------------------------------------------------------------------------------------------------ */

static uint32_t group;

static void group_from_isr(void *argument)
{
    (void)argument;
    expect("event_group_call: event_group=flags");
    RUN(traceEVENT_GROUP_SET_BITS_FROM_ISR, (&group, 4u));
    expect("event_group_call: event_group=flags");
    RUN(traceEVENT_GROUP_CLEAR_BITS_FROM_ISR, (&group, 4u));
}

void group_tour(void)
{
    tlog_freertos_name_group(&group, "flags");
    expect("event_group_create: event_group=flags size=0");
    RUN(traceEVENT_GROUP_CREATE, (&group));
    expect("event_group_create_failed: event_group=0x0");
    RUN(traceEVENT_GROUP_CREATE_FAILED, ());
    expect("event_group_wait_block: event_group=flags bits=0x23");
    RUN(traceEVENT_GROUP_WAIT_BITS_BLOCK, (&group, 0x23u));
    expect("event_group_set_bits: event_group=flags bits=0x80a1");
    RUN(traceEVENT_GROUP_SET_BITS, (&group, 0x80A1u));
    expect("event_group_wait: event_group=flags");
    RUN(traceEVENT_GROUP_WAIT_BITS_END, (&group, 0x23u, 0));
    expect("event_group_wait_failed: event_group=flags");
    RUN(traceEVENT_GROUP_WAIT_BITS_END, (&group, 0x23u, 1));
    expect("event_group_clear_bits: event_group=flags bits=0x20");
    RUN(traceEVENT_GROUP_CLEAR_BITS, (&group, 0x20u));
    expect("event_group_wait_block: event_group=flags bits=0x7");
    RUN(traceEVENT_GROUP_SYNC_BLOCK, (&group, 1u, 7u));
    expect("event_group_sync: event_group=flags");
    RUN(traceEVENT_GROUP_SYNC_END, (&group, 1u, 7u, 0));
    expect("event_group_sync_failed: event_group=flags");
    RUN(traceEVENT_GROUP_SYNC_END, (&group, 1u, 7u, 1));
    at(IRQ, group_from_isr, 0);
    expect("event_group_delete: event_group=flags");
    RUN(traceEVENT_GROUP_DELETE, (&group));
}

/* ---- stream buffers ---------------------------------------------------------------------------------------------- */

#define sbFLAGS_IS_MESSAGE_BUFFER 1u

typedef struct {
    size_t xTail, xHead, xLength, xTriggerLevelBytes;
    TCB_t *volatile xTaskWaitingToReceive, *volatile xTaskWaitingToSend;
    uint8_t *pucBuffer;
    uint8_t ucFlags;
} StreamBuffer_t;

static const char *kind_of(const StreamBuffer_t *buffer)
{
    return buffer->ucFlags & sbFLAGS_IS_MESSAGE_BUFFER ? "message_buffer" : "stream_buffer";
}

static void line(const StreamBuffer_t *buffer, const char *what, const char *more, uint32_t bytes)
{
    expect("%s_%s: %s=the_%s", kind_of(buffer), what, kind_of(buffer), kind_of(buffer));
    if (more != 0)
        expect("+ %s=%u", more, bytes);
}

static void buffer_from_isr(void *argument)
{
    StreamBuffer_t *buffer = argument;
    line(buffer, "send", "bytes", 9);
    RUN(traceSTREAM_BUFFER_SEND_FROM_ISR, (buffer, 9u));
    line(buffer, "receive", "bytes", 9);
    RUN(traceSTREAM_BUFFER_RECEIVE_FROM_ISR, (buffer, 9u));
    line(buffer, "receive_failed", 0, 0);
    RUN(traceSTREAM_BUFFER_RECEIVE_FROM_ISR, (buffer, 0u));
    line(buffer, "reset", 0, 0);
    RUN(traceSTREAM_BUFFER_RESET_FROM_ISR, (buffer));
}

/* The running task is about to wait for room or for bytes, and does not wait yet. */
static void announce(StreamBuffer_t *buffer, bool is_sent)
{
    if (is_sent) {
        buffer->xTaskWaitingToSend = pxCurrentTCB;
        RUN(traceBLOCKING_ON_STREAM_BUFFER_SEND, (buffer));
    } else {
        buffer->xTaskWaitingToReceive = pxCurrentTCB;
        RUN(traceBLOCKING_ON_STREAM_BUFFER_RECEIVE, (buffer));
    }
}

/* It waits. */
static void wait(TCB_t *other)
{
    pxCurrentTCB->state = 'S';
    RUN(traceTASK_NOTIFY_WAIT_BLOCK, INDEX(0));
    switch_to(other);
}

/* It waits, until another task wakes it. */
static void wait_until_woken(TCB_t *other)
{
    TCB_t *waiter = pxCurrentTCB;
    wait(other);
    mask();
    make_ready(waiter);
    unmask();
    switch_to(waiter);
}

static void end_wait(void)
{
    expect("notification_wait: notification=0");
    RUN(traceTASK_NOTIFY_WAIT, INDEX(0));
}

/* A task waits: at once; behind a switch to another task, for which it was ready; not at all, and then for
 * something else; and behind a switch to a task that is about to wait, too. */
static void wait_for_buffer(StreamBuffer_t *buffer, TCB_t *other)
{
    TCB_t *self = pxCurrentTCB;
    for (int is_sent = 0; is_sent < 2; is_sent++) {
        announce(buffer, is_sent);
        line(buffer, is_sent ? "send_block" : "receive_block", 0, 0);
        wait_until_woken(other);
        end_wait();
        announce(buffer, is_sent);
        switch_to(other);
        switch_to(self);
        line(buffer, is_sent ? "send_block" : "receive_block", 0, 0);
        wait_until_woken(other);
        end_wait();
        announce(buffer, is_sent);
        end_wait();
        expect("notification_wait_block: notification=0");
        wait_until_woken(other);
        end_wait();
        announce(buffer, is_sent);
        switch_to(other);
        announce(buffer, !is_sent);
        switch_to(self);
        expect("notification_wait_block: notification=0");
        wait_until_woken(other);
        end_wait();
        switch_to(other);
        end_wait();
        announce(buffer, is_sent);
        line(buffer, is_sent ? "send_block" : "receive_block", 0, 0);
        wait_until_woken(self);
        end_wait();
        switch_to(self);
    }
}

/* A task that waits is deleted. A new one whose control block has the same address waits for a notification. */
static void delete_waiter(StreamBuffer_t *buffer)
{
    static TCB_t waiter;
    static const char *const names[] = {"waiter", "heir", "wait2", "heir2"};
    const char *const *name = buffer->ucFlags & sbFLAGS_IS_MESSAGE_BUFFER ? &names[2] : &names[0];
    TCB_t *self = pxCurrentTCB;
    for (int i = 0; i < 2; i++) {
        task_create(&waiter, name[i], 3);
        switch_to(&waiter);
        if (i == 0)
            announce(buffer, false);
        if (i == 0)
            line(buffer, "receive_block", 0, 0);
        else
            expect("notification_wait_block: notification=0");
        wait(self);
        task_delete(&waiter);
        waiter = (TCB_t){.state = 0};
    }
}

static void use_buffer(StreamBuffer_t *buffer)
{
    line(buffer, "send", "bytes", 100);
    RUN(traceSTREAM_BUFFER_SEND, (buffer, 100u));
    line(buffer, "send_failed", 0, 0);
    RUN(traceSTREAM_BUFFER_SEND_FAILED, (buffer));
    line(buffer, "receive", "bytes", 2047);
    RUN(traceSTREAM_BUFFER_RECEIVE, (buffer, 5000u));
    line(buffer, "receive_failed", 0, 0);
    RUN(traceSTREAM_BUFFER_RECEIVE_FAILED, (buffer));
    at(IRQ, buffer_from_isr, buffer);
    line(buffer, "reset", 0, 0);
    RUN(traceSTREAM_BUFFER_RESET, (buffer));
    line(buffer, "delete", 0, 0);
    RUN(traceSTREAM_BUFFER_DELETE, (buffer));
}

void buffer_tour(TCB_t *other)
{
    static StreamBuffer_t buffers[2] = {{.xLength = 300}, {.xLength = 64, .ucFlags = sbFLAGS_IS_MESSAGE_BUFFER}};
    tlog_freertos_name_stream(&buffers[0], "the_stream_buffer");
    tlog_freertos_name_message(&buffers[1], "the_message_buffer");
    for (BaseType_t type = 0; type < 2; type++) {
        line(&buffers[type], "create", "size", (uint32_t)buffers[type].xLength);
        RUN(traceSTREAM_BUFFER_CREATE, (&buffers[type], type));
        wait_for_buffer(&buffers[type], other);
        delete_waiter(&buffers[type]);
        use_buffer(&buffers[type]);
    }
    expect("message_buffer_create_failed: message_buffer=0x0");
    RUN(traceSTREAM_BUFFER_CREATE_FAILED, (1));
    expect("stream_buffer_create_failed: stream_buffer=0x0");
    RUN(traceSTREAM_BUFFER_CREATE_STATIC_FAILED, (0, 0));
    mask();
    make_ready(pxCurrentTCB); /* it has gone on after all these waits */
    unmask();
}

/* ---- heap -------------------------------------------------------------------------------------------------------- */

static size_t rest = 8192;
static uint32_t taken;

size_t xPortGetFreeHeapSize(void)
{
    return rest;
}

void *heap_take(uint32_t bytes)
{
    static char block[8];
    rest -= bytes;
    taken += bytes;
    expect("heap_allocate: bytes=%u in_use=%u", bytes, taken);
    RUN(traceMALLOC, (block, bytes));
    return block;
}

void heap_tour(void)
{
    void *block = heap_take(512);
    (void)block;
    expect("allocate_failed: value=9000");
    RUN(traceMALLOC, (0, 9000u));
    rest += 512;
    taken -= 512;
    expect("heap_free: bytes=512 in_use=%u", taken);
    RUN(traceFREE, (block, 512u));
}
