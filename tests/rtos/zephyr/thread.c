/* thread.c - the stand-in's threads, switches, handlers and idle thread. */
#include "stand_in.h"

#include "board.h"

struct z_kernel _kernel;
const k_timeout_t forever = {-1};

#if defined(CONFIG_TRACING_USER)
/* The kernel's own, which call functions of early versions' arguments. */
void sys_trace_isr_enter_user(int nested_interrupts);
void sys_trace_isr_exit_user(int nested_interrupts);
void sys_trace_idle_user(void);

static void sys_trace_isr_enter(void)
{
    RUN(sys_trace_isr_enter_user, (1));
}

static void sys_trace_isr_exit(void)
{
    RUN(sys_trace_isr_exit_user, (1));
}

static void sys_trace_idle(void)
{
    RUN(sys_trace_idle_user, ());
}
#endif

thread_t *running(void)
{
    return (thread_t *)_current;
}

static int is_idle(const thread_t *thread)
{
    return thread->block.base.prio == K_IDLE_PRIO;
}

const char *name_of(const thread_t *thread)
{
    return thread->block.name;
}

uint32_t context_of(const thread_t *thread)
{
    return is_idle(thread) ? 0 : ADDRESS(thread) >> 4 & 0xFFFFu;
}

/* ---- switches ---------------------------------------------------------------------------------------------------- */

static void expect_switch(const thread_t *to)
{
    const thread_t *from = running();
    if (from == 0)
        expect("sched_switch: boot:65536 [0] X ==> %s:%u [%d]", name_of(to), context_of(to), to->block.base.prio);
    else
        expect("sched_switch: %s:%u [%d] %c ==> %s:%u [%d]", name_of(from), context_of(from), from->block.base.prio,
               from->state, name_of(to), context_of(to), to->block.base.prio);
}

static void change_to(thread_t *to)
{
    expect_switch(to);
    to->state = 'R';
    to->block.base.thread_state = 0;
    _current = &to->block;
}

static thread_t *next;

void pendsv_handler(void);
void pendsv_handler(void)
{
    _kernel.ready_q.cache = &next->block;
    TRACE(k_thread, switched_out);
    mask();
    change_to(next);
    unmask();
#if !defined(CONFIG_USE_SWITCH)
    TRACE(k_thread, switched_in);
#endif
}

void switch_to(thread_t *to)
{
    next = to;
    *(volatile uint32_t *)0xE000ED04u = 1u << 28; /* ICSR, PENDSVSET */
    __asm volatile("dsb\n\tisb" ::: "memory");
}

static void leave_in(char state, uint8_t thread_state, thread_t *to)
{
    running()->state = state;
    running()->block.base.thread_state = thread_state;
    switch_to(to);
}

#if defined(_THREAD_SLEEPING)
#define SLEEPS _THREAD_SLEEPING
#else /* before 4.1 */
#define SLEEPS _THREAD_SUSPENDED
#endif

static void sleep_in(thread_t *to)
{
    leave_in('S', SLEEPS, to);
}

void pend_in(char state, thread_t *to)
{
    TRACE(k_thread, sched_pend, &running()->block);
    leave_in(state, _THREAD_PENDING, to);
}

/* The first thread is entered without an exception, and before it the kernel's parts are initialised. */
void kernel_start(thread_t *first)
{
#if defined(CONFIG_TRACING_CUSTOM)
    sys_trace_sys_init_enter(first, 0);
    sys_trace_sys_init_exit(first, 0, 0);
#endif
    mask();
    change_to(first);
    TRACE(k_thread, switched_in);
    unmask();
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

void ready(thread_t *thread)
{
    expect("sched_waking: comm=%s pid=%u prio=%d target_cpu=000", name_of(thread), context_of(thread),
           thread->block.base.prio);
    thread->state = 'R';
    thread->block.base.thread_state = 0;
    TRACE(k_thread, sched_ready, &thread->block);
}

void set_priority(thread_t *thread, int8_t priority)
{
    thread->block.base.prio = priority;
    expect("set_priority: task=%s priority=%d", name_of(thread), priority);
    TRACE(k_thread, sched_priority_set, &thread->block, priority);
}

static void set_name(thread_t *thread, const char *name)
{
    uint32_t i = 0;
    do {
        thread->block.name[i] = name[i];
    } while (name[i++] != '\0');
}

/* A thread that is made at run time gets its name by a call of its own. */
void thread_create(thread_t *thread, const char *name, int8_t priority)
{
    int is_static = running() == 0;
    thread->block.base.prio = priority;
    if (is_static)
        set_name(thread, name);
    expect("task_create: task=%s pid=%u", name, context_of(thread));
    expect("set_priority: task=%s priority=%d", name, priority);
    TRACE(k_thread, create, &thread->block);
    if (!is_static) {
        set_name(thread, name);
        TRACE(k_thread, name_set, &thread->block, 0);
    }
    if (!is_idle(thread)) {
        mask();
        ready(thread);
        unmask();
    }
}

/* ---- handlers ---------------------------------------------------------------------------------------------------- */

static void (*volatile served)(void *);

static void handler(void *argument)
{
    expect_entry(36);
    note_hook("sys_trace_isr_enter");
    sys_trace_isr_enter();
    mask();
    served(argument);
    unmask();
    expect_exit(36);
    note_hook("sys_trace_isr_exit");
    sys_trace_isr_exit();
}

void interrupt(void (*function)(void *), void *argument)
{
    served = function;
    in(IRQ, handler, argument);
}

static void wake(void *argument)
{
    ready(argument);
}

/* It does not run again; it still runs. */
static void wake_running(void *argument)
{
    thread_t *thread = argument;
    expect("task_activate: task=%s", name_of(thread));
    thread->block.base.thread_state = 0;
    TRACE(k_thread, sched_ready, &thread->block);
}

void tick_wakes(thread_t *thread)
{
    at(SYSTICK, wake, thread);
}

#if defined(CONFIG_TRACING_CUSTOM)
/* As on cores where an interrupt ends in a switch. */
static void handler_to_scheduler(void *argument)
{
    (void)argument;
    expect_entry(36);
    sys_trace_isr_enter();
    expect_exit(36);
    RUN(sys_trace_isr_exit_to_scheduler, ());
}
#endif

/* The idle thread waits for an interrupt. */
static void idle_once(void)
{
    note_hook("sys_trace_idle");
    sys_trace_idle();
#if defined(CONFIG_TRACING_CUSTOM)
    in(IRQ, handler_to_scheduler, 0);
    RUN(sys_trace_idle_exit, ());
#endif
}

/* ---- what threads do --------------------------------------------------------------------------------------------- */

/* A handler's k_pipe_put() that does not wait: nor is it the thread's call. */
static void put_at_once(void *unused)
{
    const k_timeout_t none = {0};
    (void)unused;
    TRACE(k_pipe, put_blocking, 0, none);
    TRACE(k_pipe, put_exit, 0, none, 0);
}

/* Another thread runs before the running one waits, which it has told already. */
static void preempted_by(thread_t *other)
{
    thread_t *self = running();
    switch_to(other);
    switch_to(self);
}

static void sleep_and_wake(thread_t *other)
{
    thread_t *self = running();
    const k_timeout_t seven = {7}, eight = {8};
    TRACE(k_thread, sleep_enter, seven);
    interrupt(put_at_once, 0);
    preempted_by(other);
    expect("delay: ticks=7");
    sleep_in(other);
    idle_once();
    tick_wakes(self);
    switch_to(self);
    TRACE(k_thread, sleep_exit, seven, 0);
    TRACE(k_thread, sleep_ticks_enter, eight);
    preempted_by(other);
    expect("delay: ticks=8");
    sleep_in(other);
    interrupt(wake, self);
    switch_to(self);
    TRACE(k_thread, sleep_ticks_exit, eight, 0);
}

/* By the other call, and for no time, which is no wait. */
static void sleep_shortly(thread_t *other)
{
    thread_t *self = running();
    const k_timeout_t none = {0};
    TRACE(k_thread, usleep_enter, 2001);
    expect("delay: ticks=3");
    sleep_in(other);
    tick_wakes(self);
    switch_to(self);
    TRACE(k_thread, usleep_exit, 2001, 0);
    TRACE(k_thread, sleep_enter, none);
    switch_to(other);
    switch_to(self);
    TRACE(k_thread, sleep_exit, none, 0);
}

/* More threads than the port remembers have told that they will sleep, and were preempted. Those that it does not
 * remember show as if they slept. */
enum { SLEEPERS = 10, REMEMBERED = 8 };
static void many_sleep(thread_t *other)
{
    static thread_t sleeper[SLEEPERS];
    static const char *const name[SLEEPERS] = {"S0", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9"};
    thread_t *self = running();
    const k_timeout_t five = {5};
    for (int i = 0; i < SLEEPERS; i++) {
        thread_create(&sleeper[i], name[i], 5);
        switch_to(&sleeper[i]);
        if (i >= REMEMBERED) {
            expect("delay: ticks=5");
            sleeper[i].state = 'S';
        }
        TRACE(k_thread, sleep_enter, five);
        switch_to(self);
    }
    for (int i = 0; i < REMEMBERED; i++) {
        switch_to(&sleeper[i]);
        expect("delay: ticks=5");
        sleep_in(other);
        if (i % 2 == 0) {
            tick_wakes(&sleeper[i]);
            switch_to(&sleeper[i]);
            TRACE(k_thread, sleep_exit, five, 0);
        }
        switch_to(self);
    }
}

/* A wait that has no hook of its own, as that of k_poll(). A dummy thread, which carries a message, does not run. */
static void pend(thread_t *other)
{
    static thread_t dummy;
    thread_t *self = running();
    TRACE(k_thread, sched_pend, &dummy.block);
    expect("object_wait_block: object=0x0");
    pend_in('S', other);
    tick_wakes(self);
    switch_to(self);
}

static void suspend_and_resume(thread_t *other)
{
    thread_t *self = running();
    TRACE(k_thread, suspend_enter, &self->block);
    preempted_by(other);
    expect("task_disable: task=%s level=0", name_of(self));
    leave_in('S', _THREAD_SUSPENDED, other);
    expect("task_resume: task=%s", name_of(self));
    TRACE(k_thread, resume_enter, &self->block);
    mask();
    ready(self);
    unmask();
    switch_to(self);
    TRACE(k_thread, suspend_exit, &self->block);
    TRACE(k_thread, suspend_enter, &self->block);
    self->block.base.thread_state = _THREAD_SUSPENDED;
    interrupt(wake_running, self); /* before the switch */
    TRACE(k_thread, suspend_exit, &self->block);
    expect("object_wait_block: object=0x0");
    pend_in('S', other);
    interrupt(wake, self);
    switch_to(self);
}

/* A ready thread, which may run before the kernel suspends it, or be resumed before the call ends. */
static void suspend_another(thread_t *other)
{
    static thread_t victim;
    thread_t *self = running();
    thread_create(&victim, "victim", 4);
    TRACE(k_thread, suspend_enter, &victim.block);
    switch_to(&victim);
    switch_to(self);
    victim.block.base.thread_state = _THREAD_SUSPENDED;
    expect("task_disable: task=victim level=0");
    TRACE(k_thread, suspend_exit, &victim.block);
    mask();
    ready(&victim);
    unmask();
    TRACE(k_thread, suspend_enter, &victim.block);
    interrupt(wake_running, &victim);
    TRACE(k_thread, suspend_exit, &victim.block);
    switch_to(&victim);
    switch_to(other);
    switch_to(self);
}

/* The running thread waits for the end of another one, which makes it ready. */
static void join(void)
{
    static thread_t late;
    thread_t *self = running();
    thread_create(&late, "late", 3);
    mask();
    expect("object_wait_block: object=0x0");
    TRACE(k_thread, sched_pend, &self->block);
    expect("task_join_block: task=%s", name_of(&late));
    TRACE(k_thread, join_blocking, &late.block, forever);
    unmask();
    leave_in('S', _THREAD_PENDING, &late);
    mask();
    ready(self);
    expect("task_end: task=%s pid=%u", name_of(&late), context_of(&late));
    TRACE(k_thread, sched_abort, &late.block);
    unmask();
    leave_in('X', _THREAD_DEAD, self);
}

/* Played by the running thread, and by another one, which is ready. */
void thread_tour(thread_t *other)
{
    thread_t *self = running();
    sleep_and_wake(other);
    sleep_shortly(other);
    many_sleep(other);
    pend(other);
    suspend_and_resume(other);
    suspend_another(other);
    set_priority(self, -3);
    set_priority(self, -2);
    join();
}

/* ---- the idle thread --------------------------------------------------------------------------------------------- */

/* The running thread sleeps; the idle one runs meanwhile. The port must tell, or not. */
static void idles(thread_t *idle, bool is_told, const char *where)
{
    thread_t *self = running();
    const k_timeout_t seven = {7};
    expect_told(false, where);
    TRACE(k_thread, sleep_enter, seven);
    expect("delay: ticks=7");
    sleep_in(idle);
    tick_wakes(self);
    switch_to(self);
    TRACE(k_thread, sleep_exit, seven, 0);
    expect_told(is_told, where);
}

/* The running thread suspends another one. between: what happens to that ahead of it, or NULL. */
static void stop(thread_t *thread, void (*between)(void *))
{
    TRACE(k_thread, suspend_enter, &thread->block);
    if (between != 0)
        at(SYSTICK, between, thread);
    thread->block.base.thread_state = _THREAD_SUSPENDED;
    thread->state = 'S';
    expect("task_disable: task=%s level=0", name_of(thread));
    TRACE(k_thread, suspend_exit, &thread->block);
}

static void suspend_running(void *argument)
{
    (void)argument;
    TRACE(k_thread, suspend_enter, &running()->block);
    running()->block.base.thread_state = _THREAD_SUSPENDED;
    TRACE(k_thread, suspend_exit, &running()->block);
}

static void stopped_by_handler(thread_t *idle)
{
    thread_t *self = running();
    interrupt(suspend_running, 0);
    expect("task_disable: task=%s level=0", name_of(self));
    leave_in('S', _THREAD_SUSPENDED, idle);
    expect_told(false, "stopped by a handler");
    tick_wakes(self);
    switch_to(self);
}

void idle_tour(thread_t *idle, thread_t *other)
{
    static thread_t stopped;
    thread_create(&stopped, "stopped", 7);
    expect_told(true, "before");
    idles(idle, true, "alone");
    stop(other, 0);
    idles(idle, false, "stopped");
    tick_wakes(other);
    idles(idle, true, "resumed");
    stop(other, wake_running);
    idles(idle, false, "ready ahead of it, and stopped");
    tick_wakes(other);
    stopped_by_handler(idle);
    idles(idle, true, "resumed behind a handler");
    stop(&stopped, 0);
    idles(idle, false, "another is stopped");
    mask();
    expect("task_end: task=%s pid=%u", name_of(&stopped), context_of(&stopped));
    TRACE(k_thread, sched_abort, &stopped.block);
    unmask();
    idles(idle, true, "ended");
}
