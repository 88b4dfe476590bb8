/* tasks.c - the stand-in's tasks, ticks and sleep: the hooks of the kernel's file of that name. */
#include "stand_in.h"

#include "board.h"

TCB_t *volatile pxCurrentTCB;
volatile TickType_t xTickCount;
List_t pxReadyTasksLists[5];
BaseType_t xSchedulerRunning;
static UBaseType_t created;
static uint32_t context_of_next; /* 0: its number */
static TCB_t *next_task;
static bool is_running;

TaskHandle_t xTaskGetCurrentTaskHandle(void)
{
    return pxCurrentTCB;
}

UBaseType_t uxTaskGetTaskNumber(TaskHandle_t task)
{
    return task != 0 ? task->uxTaskNumber : 0;
}

TickType_t xTaskGetTickCount(void)
{
    return xTickCount;
}

static bool is_idle(const TCB_t *task)
{
    return task->pcTaskName[0] == 'I' && task->pcTaskName[4] != 'n' && task->uxPriority == 0;
}

static uint32_t context_of(const TCB_t *task)
{
    return is_idle(task) ? 0 : task->context;
}

static const char *name_of(const TCB_t *task)
{
    return is_idle(task) ? "idle" : task->pcTaskName;
}

/* ---- ready, switches --------------------------------------------------------------------------------------------- */

void make_ready(TCB_t *task)
{
    if (task->state == 'R' || task == pxCurrentTCB)
        expect("task_activate: task=%s", name_of(task));
    else
        expect("sched_waking: comm=%s pid=%u prio=%u target_cpu=000", name_of(task), context_of(task),
               task->uxPriority);
    task->state = 'R';
    RUN(traceMOVED_TASK_TO_READY_STATE, (task));
    RUN(tracePOST_MOVED_TASK_TO_READY_STATE, (task));
}

static void expect_switch(const TCB_t *to)
{
    if (!is_running)
        expect("sched_switch: boot:65536 [0] X ==> %s:%u [%u]", name_of(to), context_of(to), to->uxPriority);
    else if (to == pxCurrentTCB)
        expect("context_switch: task=%s", name_of(to));
    else
        expect("sched_switch: %s:%u [%u] %c ==> %s:%u [%u]", name_of(pxCurrentTCB), context_of(pxCurrentTCB),
               pxCurrentTCB->uxPriority, pxCurrentTCB->state, name_of(to), context_of(to), to->uxPriority);
}

/* The first task runs; or did so until now: before V10.1 no hook tells that it begins. */
static void expect_first(void)
{
    expect_switch(pxCurrentTCB);
    is_running = true;
}

void pendsv_handler(void);
void pendsv_handler(void)
{
    mask();
    if (!is_running)
        expect_first();
    RUN(traceTASK_SWITCHED_OUT, ());
    expect_switch(next_task);
    pxCurrentTCB = next_task;
    next_task->state = 'R';
    RUN(traceTASK_SWITCHED_IN, ());
    unmask();
}

void switch_to(TCB_t *task)
{
    next_task = task;
    *(volatile uint32_t *)0xE000ED04u = 1u << 28; /* ICSR, PENDSVSET */
    __asm volatile("dsb\n\tisb" ::: "memory");
}

void scheduler_start(TCB_t *first)
{
    mask();
    xSchedulerRunning = pdTRUE;
    pxCurrentTCB = first;
    if (KERNEL >= 1001) {
        expect_first();
        RUN(traceTASK_SWITCHED_IN, ());
    }
    RUN(traceSTARTING_SCHEDULER, (0));
    unmask();
}

/* ---- creating and deleting --------------------------------------------------------------------------------------- */

/* The control block points to a task before the scheduler has started, too. */
void task_create(TCB_t *task, const char *name, UBaseType_t priority)
{
    for (uint32_t i = 0; i < sizeof task->pcTaskName - 1u && name[i] != '\0'; i++)
        task->pcTaskName[i] = name[i];
    task->uxPriority = task->uxBasePriority = priority;
    task->uxTCBNumber = ++created;
    task->context = context_of_next != 0 ? context_of_next : (uint32_t)created;
    context_of_next = 0;
    task->uxTaskNumber = 0xDEADu;
    if (!is_running && (pxCurrentTCB == 0 || pxCurrentTCB->uxPriority <= priority))
        pxCurrentTCB = task;
    mask();
    expect("task_create: task=%s pid=%u", name_of(task), context_of(task));
    expect("set_priority: task=%s priority=%u", name_of(task), priority);
    RUN(traceTASK_CREATE, (task));
    task->state = 'N';
    if (!is_running) {
        expect("sched_waking: comm=%s pid=%u prio=%u target_cpu=000", name_of(task), context_of(task), priority);
        task->state = 'R';
        RUN(traceMOVED_TASK_TO_READY_STATE, (task));
    } else {
        make_ready(task);
    }
    unmask();
}

void task_number(UBaseType_t number, uint32_t context)
{
    created = number - 1u;
    context_of_next = context;
}

void task_delete(TCB_t *task)
{
    mask();
    expect("task_end: task=%s pid=%u", name_of(task), context_of(task));
    RUN(traceTASK_DELETE, (task));
    created++; /* as the kernel does */
    unmask();
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static void delay(TickType_t xTicksToDelay)
{
    expect("delay: ticks=%u", xTicksToDelay);
    pxCurrentTCB->state = 'S';
    RUN(traceTASK_DELAY, ());
    RUN(traceMOVED_TASK_TO_DELAYED_LIST, ());
}

static void delay_until(TickType_t time)
{
    expect("delay: ticks=%u", time - xTickCount);
    pxCurrentTCB->state = 'S';
    RUN(traceTASK_DELAY_UNTIL, (time));
}

void task_set_priority(TCB_t *task, UBaseType_t to)
{
    bool has_inherited = task->uxBasePriority != task->uxPriority;
    bool counts = !has_inherited || (STAND_IN >= 11 && to > task->uxPriority);
    mask();
    if (counts)
        expect("set_priority: task=%s priority=%u", name_of(task), to);
    RUN(traceTASK_PRIORITY_SET, (task, to));
    if (counts)
        task->uxPriority = to;
    task->uxBasePriority = to;
    make_ready(task);
    unmask();
}

static void suspend(TCB_t *task)
{
    mask();
    expect("task_disable: task=%s level=0", name_of(task));
    task->state = 'S';
    RUN(traceTASK_SUSPEND, (task));
    unmask();
}

static void resume_masked(void *argument)
{
    TCB_t *task = argument;
    expect("task_resume: task=%s", name_of(task));
    if (argument == pxCurrentTCB)
        RUN(traceTASK_RESUME, (task));
    else
        RUN(traceTASK_RESUME_FROM_ISR, (task));
    make_ready(task);
}

static void notify_from_isr(void *argument)
{
    TCB_t *pxTCB = argument;
    expect("task_notify: task=%s index=%u", name_of(pxTCB), SECOND);
    RUN(traceTASK_NOTIFY_FROM_ISR, INDEX(SECOND));
    expect("task_notify: task=%s index=0", name_of(pxTCB));
    RUN(traceTASK_NOTIFY_GIVE_FROM_ISR, INDEX(0));
    make_ready(pxTCB);
}

static void notify(TCB_t *pxTCB)
{
    mask();
    expect("task_notify: task=%s index=0", name_of(pxTCB));
    RUN(traceTASK_NOTIFY, INDEX(0));
    make_ready(pxTCB);
    unmask();
}

/* The running task waits for notifications, which `other` and a handler send. */
static void wait_for_notifications(TCB_t *other)
{
    TCB_t *waiter = pxCurrentTCB;
    expect("notification_take_block: notification=0");
    waiter->state = 'S';
    RUN(traceTASK_NOTIFY_TAKE_BLOCK, INDEX(0));
    switch_to(other);
    notify(waiter);
    switch_to(waiter);
    *NOTIFIED(waiter) = 3000;
    expect("notification_take: notification=0 count=2047");
    RUN(traceTASK_NOTIFY_TAKE, INDEX(0));
    expect("notification_wait_block: notification=%u", SECOND);
    waiter->state = 'S';
    RUN(traceTASK_NOTIFY_WAIT_BLOCK, INDEX(SECOND));
    switch_to(other);
    at(IRQ, notify_from_isr, waiter);
    switch_to(waiter);
    expect("notification_wait: notification=%u", SECOND);
    RUN(traceTASK_NOTIFY_WAIT, INDEX(SECOND));
}

/* Played by the running task, and by another one, which stays ready. */
void task_tour(TCB_t *other)
{
    TCB_t *self = pxCurrentTCB;
    switch_to(self);
    delay(7);
    switch_to(other);
    tick(2, self);
    switch_to(self);
    delay_until(xTickCount + 0xFFFFFFFFu);
    make_ready(self);
    delay_until(xTickCount + 5u);
    switch_to(other);
    tick(1, self);
    switch_to(self);
    wait_for_notifications(other);
    task_set_priority(self, self->uxPriority + 2u);
    task_set_priority(self, self->uxPriority - 2u);
    suspend(self);
    switch_to(other);
    at(IRQ, resume_masked, self);
    switch_to(self);
    suspend(self);
    mask();
    resume_masked(self);
    unmask();
    expect("task_create_failed: task=idle");
    RUN(traceTASK_CREATE_FAILED, ());
}

/* ---- the idle task ----------------------------------------------------------------------------------------------- */

/* The idle task ran, and runs again behind that task. The port must tell, or not. */
static void idle_behind(TCB_t *other, bool is_told, const char *where)
{
    TCB_t *idle = pxCurrentTCB;
    switch_to(other);
    expect_told(false, where);
    switch_to(idle);
    if (configUSE_IDLE_HOOK) {
        expect_told(false, where);
        tlog_rtos_idle();
    }
    expect_told(is_told, where);
}

static void be_ready(TCB_t *task, bool is_ready)
{
    task->xStateListItem.pxContainer = is_ready ? &pxReadyTasksLists[task->uxPriority] : 0;
}

static void resume(TCB_t *task)
{
    mask();
    resume_masked(task);
    unmask();
}

/* The other task is suspended while it is ready, by the task that runs. */
static void stop(TCB_t *task)
{
    be_ready(task, true);
    suspend(task);
    be_ready(task, false);
}

/* What does not stop a task: a suspension while it waits, one by itself, one ahead of the start. */
static void suspend_harmlessly(TCB_t *other)
{
    TCB_t *idle = pxCurrentTCB;
    suspend(other);
    idle_behind(other, true, "suspended while it waited");
    resume(other);
    switch_to(other);
    be_ready(other, true);
    suspend(other);
    switch_to(idle);
    expect_told(!configUSE_IDLE_HOOK, "suspended by itself");
    resume(other);
    be_ready(other, false);
    xSchedulerRunning = pdFALSE;
    stop(other);
    xSchedulerRunning = pdTRUE;
    idle_behind(other, true, "suspended before it ran");
    resume(other);
}

/* More tasks are stopped than the port keeps: from then on it tells nothing. The last one is not kept. */
static void stop_many(TCB_t *other)
{
#if TLOG_ENABLE
    static TCB_t many[9];
    for (uint32_t i = 0; i < 16u; i++)
        tlog_freertos_stops(&many[i / 2u]);
    for (uint32_t i = 0; i < 8u; i++)
        tlog_freertos_goes_on(&many[i]);
    idle_behind(other, true, "as many stopped as are kept");
    for (uint32_t i = 0; i < 9u; i++)
        tlog_freertos_stops(&many[i]);
    for (uint32_t i = 0; i < 8u; i++)
        tlog_freertos_goes_on(&many[i]);
    idle_behind(other, false, "too many stopped");
#else
    (void)other;
#endif
}

void idle_tour(TCB_t *other)
{
    static TCB_t stopped;
    task_create(&stopped, "stopped", 2);
    pxReadyTasksLists[0].uxNumberOfItems = 1;
    expect_told(false, "before");
    idle_behind(other, true, "alone");
    pxReadyTasksLists[0].uxNumberOfItems = 2;
    idle_behind(other, false, "another one of its priority is ready");
    pxReadyTasksLists[0].uxNumberOfItems = 1;
    suspend_harmlessly(other);
    stop(&stopped);
    idle_behind(other, false, "stopped");
    resume(&stopped);
    if (configUSE_IDLE_HOOK) { /* which may be called before the scheduler has made the task ready */
        tlog_rtos_idle();
        expect_told(false, "resumed meanwhile");
    }
    idle_behind(other, true, "resumed");
    stop(&stopped);
    task_delete(&stopped);
    idle_behind(other, true, "deleted");
    stop_many(other);
}

/* ---- ticks and sleep --------------------------------------------------------------------------------------------- */

/* A tick; woken: the task that it wakes, or NULL. */
static void tick_masked(void *woken)
{
#if STAND_IN >= 11
    expect_entry(15);
    RUN(traceISR_ENTER, ());
#endif
    if (TLOG_FREERTOS_TICK)
        expect("tick: value=%u", xTickCount);
    RUN(traceTASK_INCREMENT_TICK, (xTickCount));
    xTickCount = xTickCount + 1u;
    if (woken != 0)
        make_ready(woken);
#if STAND_IN >= 11
    expect_exit(15);
    if (woken != 0)
        RUN(traceISR_EXIT_TO_SCHEDULER, ());
    else
        RUN(traceISR_EXIT, ());
#endif
}

void tick(uint32_t ticks, TCB_t *wakes)
{
    for (uint32_t i = 1; i < ticks; i++)
        at(SYSTICK, tick_masked, 0);
    at(SYSTICK, tick_masked, wakes);
}

/* A tick while the scheduler is suspended: the count stays until tick_catch_up(). */
static void tick_pended(void *unused)
{
    (void)unused;
    if (TLOG_FREERTOS_TICK)
        expect("tick: value=%u", xTickCount);
    RUN(traceTASK_INCREMENT_TICK, (xTickCount));
}

void tick_catch_up(uint32_t ticks)
{
    mask();
    for (uint32_t i = 0; i < ticks; i++) {
        tick_pended(0);
        xTickCount = xTickCount + 1u;
    }
    unmask();
}

static void step_ticks(uint32_t ticks)
{
    __asm volatile("cpsid i" ::: "memory");
    xTickCount += ticks;
    RUN(traceINCREASE_TICK_COUNT, (ticks));
    __asm volatile("cpsie i" ::: "memory");
}

void sleep_for(uint32_t ticks)
{
    expect("sleep_begin: value=%u", xTickCount);
    RUN(traceLOW_POWER_IDLE_BEGIN, ());
    step_ticks(ticks);
    expect("sleep_end: value=%u", xTickCount);
    RUN(traceLOW_POWER_IDLE_END, ());
}

/* Without tlog there is no clock; that firmware is linked for its size, and not run. */
static uint32_t clock_now(void)
{
#if TLOG_ENABLE
    return tlog_port_now_at(tlog_cpu_here()->clock);
#else
    return 0;
#endif
}

void doze_for(uint32_t ticks)
{
    uint32_t begin;
    expect("sleep_begin: value=%u", xTickCount);
    RUN(traceLOW_POWER_IDLE_BEGIN, ());
    begin = clock_now();
    while (clock_now() - begin < ticks * (TLOG_CLOCK_HZ / configTICK_RATE_HZ))
        ;
    at(SYSTICK, tick_pended, 0);
    step_ticks(ticks);
    expect("sleep_end: value=%u", xTickCount);
    RUN(traceLOW_POWER_IDLE_END, ());
    tick_catch_up(1);
}
