/* kernel.c - the kernel. reschedule() decides that another task is to run and pends PendSV, which switches to it.
 * PendSV is the least urgent of all exceptions, so the switch happens after every other handler has returned. */
#include "kernel.h"

#include <stddef.h>

void systick_handler(void);
void pendsv_handler(void);
uint32_t *kernel_switch(uint32_t *sp);

struct systick {
    volatile uint32_t ctrl, load, value;
};
#define SYSTICK ((struct systick *)0xE000E010u)
#define ICSR    (*(volatile uint32_t *)0xE000ED04u)
#define SHPR3   (*(volatile uint32_t *)0xE000ED20u)

enum { SYSTICK_RUN = 7, ICSR_PENDSVSET = 1 << 28, IDLE_STACK_WORDS = 128, FRAME_WORDS = 16, XPSR_THUMB = 1 << 24 };

static struct kernel_task *tasks[KERNEL_TASKS]; /* the index is the context */
static uint32_t task_count;
static struct kernel_task idle;
static struct kernel_task *current;
static volatile uint32_t now;
static volatile bool stopped;
static uint32_t idle_stack[IDLE_STACK_WORDS] __attribute__((aligned(8)));

/* ---- short sections, which only handlers more urgent than KERNEL_MASK interrupt ---- */

/* Begin a section; returns what leave() needs to end it. Sections nest. */
static uint32_t enter(void)
{
    uint32_t before;
    __asm volatile("mrs %0, basepri\n\t"
                   "msr basepri_max, %1\n\t"
                   "isb"
                   : "=&r"(before)
                   : "r"(KERNEL_MASK)
                   : "memory");
    return before;
}

/* End a section. If it was the outermost one of a task, a pending switch happens here, before the next instruction. */
static void leave(uint32_t before)
{
    __asm volatile("msr basepri, %0\n\t"
                   "isb" ::"r"(before)
                   : "memory");
}

/* ---- scheduling; called only inside sections ---- */

/* Right also when the tick counter has wrapped, for ticks less than 2^31 away. */
static bool reached(uint32_t tick)
{
    return (int32_t)(now - tick) >= 0;
}

static struct kernel_task *most_important(void)
{
    struct kernel_task *best = &idle;
    for (uint32_t i = 0; i < task_count && !stopped; i++)
        if (tasks[i]->state == KERNEL_READY && tasks[i]->priority < best->priority)
            best = tasks[i];
    return best;
}

/* Pend PendSV if another task than the running one should run. */
static void reschedule(void)
{
    if (most_important() != current)
        ICSR = ICSR_PENDSVSET;
}

static void activate(struct kernel_task *task)
{
    task->state = KERNEL_READY;
    demo_log(FTrace_EVT_task_activate, task->context, 0);
}

/* Make the running task not ready. The caller has logged why. */
static void block(enum kernel_state state)
{
    current->state = state;
    reschedule();
}

static void set_priority(struct kernel_task *task, uint32_t priority)
{
    task->priority = priority;
    demo_log(FTrace_EVT_set_priority, task->context, priority);
}

/* Save the stack pointer of the task that ran, choose the next task, and return its stack pointer. */
__attribute__((used)) uint32_t *kernel_switch(uint32_t *sp)
{
    uint32_t section = enter();
    struct kernel_task *next = most_important();
    current->sp = sp;
    if (next != current)
        demo_log(FTrace_EVT_context_switch, next->context, 0);
    current = next;
    leave(section);
    return next->sp;
}

/* The core has pushed r0-r3, r12, lr, pc and xpsr onto the task's stack; this handler adds r4-r11, so that the stack
 * holds all registers of the task. r4 is pushed together with lr only to keep the main stack aligned to 8 bytes. */
__attribute__((naked)) void pendsv_handler(void)
{
    __asm volatile("mrs r0, psp\n\t"
                   "stmdb r0!, {r4-r11}\n\t"
                   "push {r4, lr}\n\t"
                   "bl kernel_switch\n\t"
                   "pop {r4, lr}\n\t"
                   "ldmia r0!, {r4-r11}\n\t"
                   "msr psp, r0\n\t"
                   "bx lr");
}

/* ---- tasks ---- */

/* A task's function returns to here. The loop runs only until the pending switch. */
static _Noreturn void task_end(void)
{
    uint32_t section = enter();
    demo_log(FTrace_EVT_task_end, current->context, current->context);
    block(KERNEL_ENDED);
    leave(section);
    for (;;)
        ;
}

/* Fill the stack as if the task had been interrupted before its first instruction; returns the stack pointer. */
static uint32_t *first_frame(const struct kernel_task_config *config)
{
    uint32_t *sp = config->stack + config->stack_words - FRAME_WORDS;
    for (uint32_t i = 0; i < FRAME_WORDS; i++)
        sp[i] = 0;
    sp[13] = (uint32_t)(uintptr_t)task_end;
    sp[14] = (uint32_t)(uintptr_t)config->entry & ~1u;
    sp[15] = XPSR_THUMB;
    return sp;
}

/* Give the task its context and log its creation, name and priority. */
static void enlist(struct kernel_task *task, const char *name, uint32_t priority)
{
    task->context = task_count;
    task->base = priority;
    tasks[task_count++] = task;
    demo_log(FTrace_EVT_task_create, task->context, task->context);
    tlog_name(TLOG_NAME_TASK, task->context, name);
    set_priority(task, priority);
}

void kernel_init(void)
{
    const uint32_t ticks_per_ms = TLOG_CLOCK_HZ / 1000u;
    demo_log(FTrace_EVT_trace_start, 0, ticks_per_ms);
    demo_log(FTrace_EVT_cycles_per_msec, 0, ticks_per_ms);
    enlist(&idle, "idle", KERNEL_IDLE_PRIORITY);
    current = &idle;
}

void kernel_task_create(struct kernel_task *task, const struct kernel_task_config *config)
{
    task->sp = first_frame(config);
    task->deadline = config->deadline;
    enlist(task, config->name, config->priority);
    activate(task);
}

/* ---- start and stop ---- */

/* Call a function on the process stack, as PendSV expects of every task; return on the main stack. */
__attribute__((naked)) static void call_on(uint32_t *stack __attribute__((unused)),
                                           void (*function)(void) __attribute__((unused)))
{
    __asm volatile("push {r4, lr}\n\t"
                   "msr psp, r0\n\t"
                   "movs r2, #2\n\t"
                   "msr control, r2\n\t"
                   "isb\n\t"
                   "blx r1\n\t"
                   "movs r2, #0\n\t"
                   "msr control, r2\n\t"
                   "isb\n\t"
                   "pop {r4, pc}");
}

/* The idle task is the caller of kernel_start() and runs when no other task is ready. A product would sleep here with
 * wfi; this demo does not, because QEMU with -icount loses ticks while the core sleeps, and every run is to give the
 * same trace. */
static void idle_until_stopped(void)
{
    ICSR = ICSR_PENDSVSET;
    while (!stopped)
        ;
}

void kernel_start(void)
{
    SHPR3 = KERNEL_SYSTICK_URGENCY << 24 | KERNEL_PENDSV_URGENCY << 16;
    SYSTICK->load = BOARD_CORE_HZ / KERNEL_TICKS_PER_SECOND - 1u;
    SYSTICK->value = 0;
    SYSTICK->ctrl = SYSTICK_RUN;
    call_on(idle_stack + IDLE_STACK_WORDS, idle_until_stopped);
    SYSTICK->ctrl = 0;
}

void kernel_stop(void)
{
    stopped = true;
    task_end();
}

/* ---- time ---- */

uint32_t kernel_now(void)
{
    return now;
}

/* Every tick: wake the tasks whose time has come, and log deadlines that pass. tlog_tick() lets tlog count the wraps of
 * its 32-bit clock also while nothing is logged. */
void systick_handler(void)
{
    tlog_tick();
    uint32_t section = enter();
    now = now + 1u;
    for (uint32_t i = 0; i < task_count; i++) {
        struct kernel_task *task = tasks[i];
        if (task->state == KERNEL_ASLEEP && reached(task->wake))
            activate(task);
        if (task->due_armed && reached(task->due)) {
            task->due_armed = false;
            demo_log(FTrace_EVT_task_deadline_miss, task->context, 0);
        }
    }
    reschedule();
    leave(section);
}

void kernel_delay_until(uint32_t tick)
{
    uint32_t section = enter();
    current->due = tick + current->deadline;
    current->due_armed = current->deadline != 0;
    if (!reached(tick)) {
        current->wake = tick;
        demo_log(FTrace_EVT_task_sleep, current->context, 0);
        block(KERNEL_ASLEEP);
    }
    leave(section);
}

void kernel_sleep(uint32_t ticks)
{
    kernel_delay_until(kernel_now() + ticks);
}

void kernel_begin_cycle(void)
{
    demo_log(FTrace_EVT_task_begin_cycle, current->context, 0);
}

void kernel_end_cycle(void)
{
    current->due_armed = false;
    demo_log(FTrace_EVT_task_end_cycle, current->context, 0);
}

/* ---- events ---- */

void kernel_event_wait(struct kernel_event *event)
{
    uint32_t section = enter();
    if (!event->raised) {
        current->event = event;
        demo_log(FTrace_EVT_task_sleep, current->context, 0);
        block(KERNEL_WAITING);
        leave(section); /* other tasks run here until the event is raised */
        section = enter();
    }
    event->raised = false;
    leave(section);
}

void kernel_event_raise(struct kernel_event *event)
{
    uint32_t section = enter();
    event->raised = true;
    for (uint32_t i = 0; i < task_count; i++)
        if (tasks[i]->state == KERNEL_WAITING && tasks[i]->event == event)
            activate(tasks[i]);
    reschedule();
    leave(section);
}

/* ---- mutexes ---- */

void kernel_mutex_create(struct kernel_mutex *mutex, uint32_t id, const char *name, bool inherit)
{
    *mutex = (struct kernel_mutex){.id = id, .inherits = inherit};
    tlog_name(TLOG_NAME_MUTEX, id, name);
    demo_log(FTrace_EVT_set_mutex_create, current->context, id);
}

static bool wants(const struct kernel_task *task, const struct kernel_mutex *mutex)
{
    return task->state == KERNEL_LOCKING && task->wanted == mutex;
}

/* The most important task that waits for the mutex, or NULL. */
static struct kernel_task *first_waiter(const struct kernel_mutex *mutex)
{
    struct kernel_task *best = NULL;
    for (uint32_t i = 0; i < task_count; i++)
        if (wants(tasks[i], mutex) && (best == NULL || tasks[i]->priority < best->priority))
            best = tasks[i];
    return best;
}

/* The more important of the task's configured priority and those of the tasks that wait for a mutex it owns, as far as
 * that mutex inherits. */
static uint32_t effective_priority(const struct kernel_task *task)
{
    uint32_t priority = task->base;
    for (uint32_t i = 0; i < task_count; i++) {
        const struct kernel_task *waiter = tasks[i];
        if (waiter->state == KERNEL_LOCKING && waiter->wanted->inherits && waiter->wanted->owner == task
            && waiter->priority < priority)
            priority = waiter->priority;
    }
    return priority;
}

/* Give the waiter's priority to the owner of the mutex it waits for. If that owner waits for another mutex, give it to
 * the owner of that one too, and so on. Stops at a mutex that does not inherit. */
static void lend(const struct kernel_task *waiter)
{
    while (waiter->state == KERNEL_LOCKING && waiter->wanted->inherits) {
        struct kernel_task *owner = waiter->wanted->owner;
        if (owner == NULL || owner->priority <= waiter->priority)
            return;
        demo_log(FTrace_EVT_set_mutex_inherit, owner->context, waiter->wanted->id);
        demo_log(FTrace_EVT_inheritance, owner->context, waiter->context);
        set_priority(owner, waiter->priority);
        waiter = owner;
    }
}

/* Log and set the running task's priority if locking or unlocking changed it. */
static void settle_priority(void)
{
    uint32_t priority = effective_priority(current);
    if (priority != current->priority)
        set_priority(current, priority);
}

/* Unlocking does not hand the mutex over: it is free until the woken task runs. If a more important task locks it
 * first, the woken task waits again. */
void kernel_mutex_lock(struct kernel_mutex *mutex)
{
    uint32_t section = enter();
    while (mutex->owner != NULL) {
        current->wanted = mutex;
        demo_log(FTrace_EVT_set_mutex_wait, current->context, mutex->id);
        block(KERNEL_LOCKING);
        lend(current);
        leave(section); /* other tasks run here until the mutex is unlocked */
        section = enter();
    }
    mutex->owner = current;
    demo_log(FTrace_EVT_set_mutex_lock, current->context, mutex->id);
    settle_priority();
    leave(section);
}

void kernel_mutex_unlock(struct kernel_mutex *mutex)
{
    uint32_t section = enter();
    struct kernel_task *next = first_waiter(mutex);
    mutex->owner = NULL;
    demo_log(FTrace_EVT_set_mutex_unlock, current->context, mutex->id);
    settle_priority();
    if (next != NULL)
        activate(next);
    reschedule();
    leave(section);
}
