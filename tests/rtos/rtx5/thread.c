/* thread.c - the stand-in's threads, ticks and sleep. */
#include "stand_in.h"

#include <stdbool.h>

#include "board.h"
#include "tlog_rtos.h"

osRtxInfo_t osRtxInfo;
const osRtxConfig_t osRtxConfig = {1000};

static void (*volatile called)(void *);
static void *volatile called_argument;

void osRtxIdleThread(void *argument)
{
    (void)argument;
}

/* A switch is done when the handler is left. */
static void handle(void)
{
    called(called_argument);
    osRtxInfo.thread.run.curr = osRtxInfo.thread.run.next;
}

void svc_handler(void);
void svc_handler(void)
{
    handle();
}

void pendsv_handler(void);
void pendsv_handler(void)
{
    handle();
}

void svc(void (*function)(void *), void *argument)
{
    called = function;
    called_argument = argument;
    __asm volatile("svc 0" ::: "memory");
}

void pendsv(void (*function)(void *), void *argument)
{
    called = function;
    called_argument = argument;
    *(volatile uint32_t *)0xE000ED04u = 1u << 28; /* ICSR, PENDSVSET */
    __asm volatile("dsb\n\tisb" ::: "memory");
}

thread_t *running(void)
{
    return (thread_t *)osRtxInfo.thread.run.curr;
}

static bool is_idle(const thread_t *thread)
{
    return thread->block.name[0] == 'o';
}

const char *name_of(const thread_t *thread)
{
    return is_idle(thread) ? "idle" : thread->block.name;
}

uint32_t context_of(const thread_t *thread)
{
    return is_idle(thread) ? 0 : ((uint32_t)(uintptr_t)thread >> 4) & 0xFFFFu;
}

/* ---- switches ---------------------------------------------------------------------------------------------------- */

void unblock(thread_t *thread)
{
    expect("sched_waking: comm=%s pid=%u prio=%u target_cpu=000", name_of(thread), context_of(thread),
           (uint32_t)thread->block.priority);
    RUN(EvrRtxThreadUnblocked, (thread, 0));
    thread->state = 'R';
    thread->block.state = osRtxThreadReady;
}

void dispatch(thread_t *to)
{
    const thread_t *from = running();
    if (from == 0)
        expect("sched_switch: boot:65536 [0] X ==> %s:%u [%u]", name_of(to), context_of(to),
               (uint32_t)to->block.priority);
    else
        expect("sched_switch: %s:%u [%u] %c ==> %s:%u [%u]", name_of(from), context_of(from),
               (uint32_t)from->block.priority, from->state, name_of(to), context_of(to), (uint32_t)to->block.priority);
    to->block.state = osRtxThreadRunning;
    osRtxInfo.thread.run.next = &to->block;
    RUN(EvrRtxThreadSwitched, (to));
}

void preempt(thread_t *to)
{
    running()->block.state = osRtxThreadReady;
    dispatch(to);
}

void block(char state)
{
    running()->state = state;
    RUN(EvrRtxThreadBlocked, (running(), 100));
    running()->block.state = osRtxThreadBlocked | 0x10;
}

static void create(void *argument)
{
    thread_t *thread = argument;
    expect("task_create: task=%s pid=%u", name_of(thread), context_of(thread));
    expect("set_priority: task=%s priority=%u", name_of(thread), (uint32_t)thread->block.priority);
    expect("sched_waking: comm=%s pid=%u prio=%u target_cpu=000", name_of(thread), context_of(thread),
           (uint32_t)thread->block.priority);
    thread->state = 'R';
    thread->block.state = osRtxThreadReady;
    RUN(EvrRtxThreadCreated, (thread, thread->block.thread_addr, thread->block.name));
}

void thread_create(thread_t *thread, const char *name, int8_t priority, void (*function)(void *))
{
    thread->block.name = name;
    thread->block.priority = thread->block.priority_base = priority;
    thread->block.thread_addr = (uint32_t)(uintptr_t)function;
    svc(create, thread);
}

static void start(void *argument)
{
    dispatch(argument);
}

void kernel_start(thread_t *first)
{
    svc(start, first);
}

/* ---- delays, suspension, ends ------------------------------------------------------------------------------------ */

static void delay_call(void *argument)
{
    running()->state = 'S';
    expect("delay: ticks=7");
    RUN(EvrRtxThreadBlocked, (running(), 7));
    running()->block.state = osRtxThreadBlocked;
    dispatch(argument); /* the kernel's hook for delays comes here */
}

void delay(uint32_t ticks, thread_t *to)
{
    (void)ticks;
    svc(delay_call, to);
}

static void wake(void *argument)
{
    unblock(argument);
    preempt(argument);
    osRtxInfo.thread.run.curr = osRtxInfo.thread.run.next;
}

void tick_wakes(thread_t *thread)
{
    in(SYSTICK, wake, thread);
}

static void suspend_self(void *argument)
{
    expect("task_disable: task=%s level=0", name_of(running()));
    running()->state = 'S';
    RUN(EvrRtxThreadSuspended, (running()));
    dispatch(argument);
    running()->block.state = osRtxThreadBlocked;
}

static void resume(void *argument)
{
    thread_t *thread = argument;
    expect("task_resume: task=%s", name_of(thread));
    RUN(EvrRtxThreadResumed, (thread));
    expect("sched_waking: comm=%s pid=%u prio=%u target_cpu=000", name_of(thread), context_of(thread),
           (uint32_t)thread->block.priority);
    thread->state = 'R';
    preempt(thread);
}

static void join(void *argument)
{
    expect("task_join_block: task=%s", name_of(argument));
    RUN(EvrRtxThreadJoinPending, (argument));
    block('S');
    dispatch(argument);
}

static thread_t *joins;

/* The running thread ends: behind its switch it is destroyed, and the kernel says that none runs. */
static void end(void *argument)
{
    thread_t *thread = running();
    unblock(joins);
    expect("task_join: task=%s", name_of(joins));
    RUN(EvrRtxThreadJoined, (joins));
    expect("task_end: task=%s pid=%u", name_of(thread), context_of(thread));
    thread->state = 'X';
    dispatch(argument);
    osRtxInfo.thread.run.curr = 0;
    thread->block.state = osRtxThreadTerminated;
    RUN(EvrRtxThreadDestroyed, (thread));
}

static void terminate(void *argument)
{
    expect("task_end: task=%s pid=%u", name_of(argument), context_of(argument));
    RUN(EvrRtxThreadDestroyed, (argument));
}

static void fail(void *argument)
{
    (void)argument;
    expect("task_create_failed: task=idle");
    RUN(EvrRtxThreadError, (0, osErrorNoMemory));
    RUN(EvrRtxThreadError, (0, osErrorParameter));
}

static void raise_priority(void *argument)
{
    thread_t *thread = argument;
    thread->block.priority += 3;
    expect("set_priority: task=%s priority=%u", name_of(thread), (uint32_t)thread->block.priority);
    RUN(EvrRtxThreadPriorityUpdated, (thread, (osPriority_t)thread->block.priority));
}

/* Played by the running thread, and by another one, which is ready. */
void thread_tour(thread_t *other)
{
    static thread_t late, never;
    thread_t *self = running();
    delay(7, other);
    tick_wakes(self);
    svc(suspend_self, other);
    svc(resume, self);
    svc(raise_priority, self);
    thread_create(&late, "late", osPriorityNormal, delay_call);
    svc(join, &late);
    joins = self;
    svc(end, self);
    thread_create(&never, "never", osPriorityLow, delay_call);
    svc(terminate, &never);
    svc(fail, 0);
}

/* ---- the idle thread --------------------------------------------------------------------------------------------- */

static void suspend_another(void *argument)
{
    thread_t *thread = argument;
    expect("task_disable: task=%s level=0", name_of(thread));
    RUN(EvrRtxThreadSuspended, (thread));
    thread->state = 'S';
    thread->block.state = osRtxThreadBlocked;
}

static void kernel_suspend(void *argument)
{
    (void)argument;
    expect("sleep_begin: value=%u", osRtxInfo.kernel.tick);
    RUN(EvrRtxKernelSuspended, (0));
}

/* The idle thread calls. The port must tell, or not. */
static void idle_calls(bool is_told, const char *where)
{
    expect_told(false, where);
    tlog_rtos_idle();
    expect_told(is_told, where);
}

/* The other thread, which waits, runs, and leaves to the idle one again. */
static void runs(thread_t *other, thread_t *idle)
{
    svc(resume, other);
    delay(7, idle);
}

#ifndef __ARM_ARCH_6M__
static void privilege(void *argument)
{
    (void)argument;
    __asm volatile("msr control, %0\n\tisb" ::"r"(0) : "memory");
}

/* Without privilege nothing can be masked. Cortex-M0 has no such state. */
static void without_privilege(void)
{
    __asm volatile("msr control, %0\n\tisb" ::"r"(1) : "memory");
    idle_calls(false, "without privilege");
    svc(privilege, 0);
}
#endif

void idle_tour(thread_t *idle, thread_t *other)
{
    static thread_t stopped;
    idle_calls(false, "not the idle thread");
    thread_create(&stopped, "stopped", osPriorityLow, delay_call);
    delay(7, idle);
    idle_calls(true, "alone");
    svc(kernel_suspend, 0);
    expect_told(true, "sleep");
    osRtxInfo.thread.ready.thread_list = &other->block;
    idle_calls(false, "another one is ready");
    osRtxInfo.thread.ready.thread_list = 0;
    other->block.state = osRtxThreadReady;
    svc(suspend_another, other);
    idle_calls(false, "stopped");
    runs(other, idle);
    idle_calls(true, "resumed");
    other->block.state = osRtxThreadBlocked | 0x30;
    svc(suspend_another, other);
    idle_calls(true, "suspended while it waited");
    svc(suspend_another, &stopped);
    idle_calls(false, "another is stopped");
    svc(terminate, &stopped);
    idle_calls(true, "deleted");
#ifndef __ARM_ARCH_6M__
    without_privilege();
#endif
}
