/* thread.c - the stand-in's threads, switches and ticks. */
#include "stand_in.h"

#include <stddef.h>

#include "board.h"
#include "tx_initialize.h"

TX_THREAD *_tx_thread_current_ptr, *_tx_thread_execute_ptr;
volatile UINT _tx_thread_preempt_disable;
volatile ULONG _tx_thread_system_state;
ULONG _tx_thread_priority_maps[TX_MAX_PRIORITIES / 32u];
thread_t timer_thread;
extern TX_THREAD _tx_timer_thread __attribute__((alias("timer_thread")));
volatile ULONG _tx_timer_system_clock;
static const thread_t *left; /* the last one that ran; NULL: none has */

void _tx_execution_initialize(void);
void _tx_execution_thread_enter(void);
void _tx_execution_thread_exit(void);
void _tx_execution_isr_enter(void);
void _tx_execution_isr_exit(void);

/* Without a buffer the kernel's own does nothing, too. */
void _tx_trace_object_register(UCHAR type, VOID *object, CHAR *name, ULONG first, ULONG second)
{
    (void)type, (void)object, (void)name, (void)first, (void)second;
}

thread_t *running(void)
{
    return (thread_t *)_tx_thread_current_ptr;
}

uint32_t context_of(const thread_t *thread)
{
    return ((uint32_t)(uintptr_t)thread >> 4) & 0xFFFFu;
}

/* ---- switches ---------------------------------------------------------------------------------------------------- */

static void expect_leave(void)
{
    if (left == 0)
        expect("sched_switch: boot:65536 [0] X ==>");
    else
        expect("sched_switch: %s:%u [%u] %c ==>", left->block.tx_thread_name, context_of(left),
               left->block.tx_thread_priority, left->state);
}

static bool is_idle;
static void (*volatile wake)(void *);
static thread_t *woken;

static void expect_switch(const thread_t *to)
{
    if (to == left && !is_idle) {
        expect("context_switch: task=%s", to->block.tx_thread_name);
        return;
    }
    if (is_idle)
        expect("sched_switch: idle:0 [0] R ==>");
    else
        expect_leave();
    expect("+ %s:%u [%u]", to->block.tx_thread_name, context_of(to), to->block.tx_thread_priority);
}

/* As the kernel's: exit masked, waiting and enter with interrupts open. */
void pendsv_handler(void);
void pendsv_handler(void)
{
    TX_DISABLE
    is_idle = _tx_thread_execute_ptr == 0;
    if (is_idle) {
        expect_leave();
        expect("+ idle:0 [0]");
    }
    RUN(_tx_execution_thread_exit, ());
    _tx_thread_current_ptr = 0;
    TX_RESTORE
    if (is_idle) {
        in(IRQ, wake, woken);
        _tx_thread_execute_ptr = &woken->block;
    }
    expect_switch((thread_t *)_tx_thread_execute_ptr);
    _tx_thread_current_ptr = _tx_thread_execute_ptr;
    left = running();
    running()->state = 'R';
    RUN(_tx_execution_thread_enter, ());
}

void switch_to(thread_t *thread)
{
    _tx_thread_execute_ptr = thread != NULL ? &thread->block : NULL;
    *(volatile uint32_t *)0xE000ED04u = 1u << 28; /* ICSR, PENDSVSET */
    __asm volatile("dsb\n\tisb" ::: "memory");
}

void idle_until(void (*handler)(void *), thread_t *wakes)
{
    wake = handler;
    woken = wakes;
    switch_to(NULL);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static const char *const states[] = {"TX_READY",        "TX_COMPLETED",   "TX_TERMINATED",     "TX_SUSPENDED",
                                     "TX_SLEEP",        "TX_QUEUE_SUSP",  "TX_SEMAPHORE_SUSP", "TX_EVENT_FLAG",
                                     "TX_BLOCK_MEMORY", "TX_BYTE_MEMORY", "TX_IO_DRIVER",      "TX_FILE",
                                     "TX_TCP_IP",       "TX_MUTEX_SUSP",  "TX_PRIORITY_CHANGE"};

static void change_state(thread_t *thread, UINT state)
{
    thread->block.tx_thread_state = state;
    note_hook(states[state]);
    TX_THREAD_STATE_CHANGE(&thread->block, state)
}

void suspend(UINT state, void *object, ULONG info)
{
    thread_t *thread = running();
    thread->block.tx_thread_suspend_control_block = object;
    thread->block.tx_thread_suspend_info = info;
    thread->state = state == TX_MUTEX_SUSP ? 'D' : 'S';
    change_state(thread, state);
    EVENT(THREAD_SUSPEND, &thread->block, state, &state, 0);
}

static void wake_up(thread_t *thread)
{
    expect("sched_waking: comm=%s pid=%u prio=%u target_cpu=000", thread->block.tx_thread_name, context_of(thread),
           thread->block.tx_thread_priority);
    change_state(thread, TX_READY);
    thread->state = 'R';
}

void resume(thread_t *thread, UINT status)
{
    thread->block.tx_thread_suspend_status = status;
    EVENT(THREAD_RESUME, &thread->block, thread->block.tx_thread_state, &status, _tx_thread_execute_ptr);
    wake_up(thread);
}

void pseudo_state(thread_t *thread, UINT priority)
{
    change_state(thread, TX_PRIORITY_CHANGE);
    EVENT(THREAD_SUSPEND, &thread->block, TX_PRIORITY_CHANGE, &priority, 0);
    thread->block.tx_thread_priority = priority;
    EVENT(THREAD_RESUME, &thread->block, TX_PRIORITY_CHANGE, &priority, 0);
    expect("set_priority: task=%s priority=%u", thread->block.tx_thread_name, priority);
    change_state(thread, TX_READY);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void expect_create(const thread_t *thread)
{
    expect("task_create: task=%s pid=%u", thread->block.tx_thread_name, context_of(thread));
    expect("set_priority: task=%s priority=%u", thread->block.tx_thread_name, thread->block.tx_thread_user_priority);
}

void thread_create(thread_t *thread, const char *name, UINT priority)
{
    thread->block.tx_thread_name = (CHAR *)(uintptr_t)name;
    thread->block.tx_thread_priority = thread->block.tx_thread_user_priority = priority;
    thread->block.tx_thread_state = TX_SUSPENDED;
    expect_create(thread);
    TX_DISABLE
    _tx_trace_object_register(1, thread, thread->block.tx_thread_name, 0, 0);
    EVENT(THREAD_CREATE, &thread->block, priority, thread, 1024);
    resume(thread, TX_SUCCESS);
    TX_RESTORE
}

static void tick(void *argument)
{
    expect_entry(15);
    RUN(_tx_execution_isr_enter, ());
    _tx_timer_system_clock = _tx_timer_system_clock + 1u;
    if (argument != 0) {
        TX_DISABLE
        resume(argument, TX_SUCCESS);
        TX_RESTORE
    }
    expect_exit(15);
    RUN(_tx_execution_isr_exit, ());
}

/* A handler that does not tell of itself. */
static void resume_in_handler(void *argument)
{
    TX_DISABLE
    resume(argument, TX_SUCCESS);
    TX_RESTORE
}

static void sleep_for(ULONG ticks)
{
    TX_DISABLE
    expect("delay: ticks=%u", (uint32_t)ticks);
    EVENT(THREAD_SLEEP, (VOID *)ticks, running()->block.tx_thread_state, &ticks, 0);
    suspend(TX_SLEEP, 0, 0);
    TX_RESTORE
}

static void suspend_self(thread_t *other)
{
    thread_t *self = running();
    TX_DISABLE
    expect("task_disable: task=%s level=0", self->block.tx_thread_name);
    suspend(TX_SUSPENDED, 0, 0);
    TX_RESTORE
    switch_to(other);
    TX_DISABLE
    expect("task_resume: task=%s", self->block.tx_thread_name);
    EVENT(THREAD_RESUME_API, &self->block, TX_SUSPENDED, 0, 0);
    resume(self, TX_SUCCESS);
    TX_RESTORE
    switch_to(self);
}

static void change_priorities(thread_t *other)
{
    thread_t *self = running();
    TX_DISABLE
    EVENT(THREAD_PRIORITY_CHANGE, &self->block, 2, self->block.tx_thread_priority, TX_READY);
    pseudo_state(self, 2);
    self->block.tx_thread_user_priority = 2;
    EVENT(THREAD_RELINQUISH, &self, 0, 0, 0);
    TX_RESTORE
    switch_to(self);
    TX_DISABLE
    expect("set_priority: task=%s priority=11", other->block.tx_thread_name);
    other->block.tx_thread_priority = other->block.tx_thread_user_priority = 11;
    EVENT(THREAD_PRIORITY_CHANGE, &other->block, 11, 10, TX_SUSPENDED);
    TX_RESTORE
}

/* The running thread ends in that state, then is reset, ready again, and gets it back. */
static void end_in(UINT state, thread_t *other)
{
    thread_t *self = running();
    TX_DISABLE
    expect("task_end: task=%s pid=%u", self->block.tx_thread_name, context_of(self));
    self->state = 'X';
    change_state(self, state);
    TX_RESTORE
    switch_to(other);
    expect_create(self);
    TX_DISABLE
    EVENT(THREAD_RESET, &self->block, state, 0, 0);
    self->block.tx_thread_state = TX_SUSPENDED;
    resume(self, TX_SUCCESS);
    TX_RESTORE
    switch_to(self);
}

/* The timer thread runs once, and waits for the next timer, for which the kernel suspends it. */
static void timers_run(void)
{
    thread_t *self = running();
    thread_create(&timer_thread, "System Timer", 0);
    switch_to(&timer_thread);
    TX_DISABLE
    expect("timer_wait_block: timer=any");
    suspend(TX_SUSPENDED, 0, 0);
    TX_RESTORE
    switch_to(self);
}

static void wait_for_file(UINT state, thread_t *other)
{
    thread_t *self = running();
    TX_DISABLE
    expect("object_wait_block: object=0x%x", 0x2000FF00u);
    suspend(state, (void *)0x2000FF00u, 0);
    TX_RESTORE
    switch_to(other);
    in(IRQ, resume_in_handler, self);
    switch_to(self);
}

/* Played by the running thread, and by another one, which is ready. */
void thread_tour(thread_t *other)
{
    thread_t *self = running();
    sleep_for(7);
    switch_to(other);
    in(SYSTICK, tick, 0);
    in(SYSTICK, tick, self);
    switch_to(self);
    sleep_for(9);
    idle_until(resume_in_handler, self);
    suspend_self(other);
    timers_run();
    change_priorities(other);
    end_in(TX_COMPLETED, other);
    end_in(TX_TERMINATED, other);
    wait_for_file(TX_FILE, other);
    wait_for_file(TX_IO_DRIVER, other);
    wait_for_file(TX_TCP_IP, other);
    expect("task_stack_overflow: task=%s", self->block.tx_thread_name);
    tlog_threadx_stack_error(&self->block);
}

/* ---- the idle kernel --------------------------------------------------------------------------------------------- */

/* No thread is ready for a while. The port must tell, or not. */
static void idle_once(bool is_told, const char *where)
{
    expect_told(false, where);
    sleep_for(3);
    idle_until(resume_in_handler, running());
    expect_told(is_told, where);
}

/* A thread that is ready is suspended by the running one; the running one is, by a handler; and both go on. */
static void suspend_another(void *argument)
{
    thread_t *thread = argument;
    TX_DISABLE
    expect("task_disable: task=%s level=0", thread->block.tx_thread_name);
    thread->state = 'S';
    change_state(thread, TX_SUSPENDED);
    TX_RESTORE
}

/* Where no thread but the running one is ready, a thread of the lowest priority may tell. */
static void idle_in_thread(thread_t *other)
{
    thread_t *self = running();
    const UINT priority = self->block.tx_thread_priority;
    self->block.tx_thread_ready_next = &self->block;
    _tx_thread_priority_maps[0] = (ULONG)1 << priority;
    tlog_rtos_idle();
    expect_told(true, "thread alone");
    _tx_thread_priority_maps[1] = 1;
    tlog_rtos_idle();
    _tx_thread_priority_maps[1] = 0;
    _tx_thread_priority_maps[0] |= (ULONG)1 << (priority + 1u);
    tlog_rtos_idle();
    expect_told(false, "another one is ready");
    _tx_thread_priority_maps[0] = (ULONG)1 << priority;
    self->block.tx_thread_ready_next = &other->block;
    tlog_rtos_idle();
    expect_told(false, "another one of its priority is ready");
}

void idle_tour(thread_t *other)
{
    static thread_t stopped;
    thread_t *self = running();
    thread_create(&stopped, "stopped", 5);
    expect_told(true, "before");
    idle_once(true, "alone");
    suspend_another(other);
    idle_once(false, "stopped");
    TX_DISABLE
    resume(other, TX_SUCCESS);
    TX_RESTORE
    idle_once(true, "resumed");
    _tx_thread_system_state = TX_INITIALIZE_IN_PROGRESS;
    suspend_another(other);
    _tx_thread_system_state = 0;
    idle_once(true, "suspended before it ran");
    suspend_another(&stopped);
    idle_once(false, "another is stopped");
    expect("task_end: task=stopped pid=%u", context_of(&stopped));
    change_state(&stopped, TX_TERMINATED);
    in(IRQ, suspend_another, self);
    idle_until(resume_in_handler, self);
    expect_told(false, "stopped by a handler");
    _tx_thread_preempt_disable = 1;
    idle_once(false, "the scheduler is locked");
    _tx_thread_preempt_disable = 0;
    TX_DISABLE
    resume(other, TX_SUCCESS);
    TX_RESTORE
    idle_in_thread(other);
}
