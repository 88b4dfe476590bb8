/* app.c - firmware of riot.sh: an application of the stand-in, which notes what the trace must show. */
#include "kernel.h"

#include "board.h"
#include "expect.h"
#include "out_semihost.h"

static thread_t high = {.pid = 1, .name = "high"}, low = {.pid = 2, .name = "low"}, brief = {.pid = 3, .name = "brief"},
                zombie = {.pid = 4, .name = "zombie"};
static mutex_t mutex, alarm = {{MUTEX_LOCKED}};

static thread_t *running(void)
{
    return thread_get(sched_active_pid);
}

/* ---- orders of the kernel ---------------------------------------------------------------------------------------- */

static void wake(void *argument)
{
    thread_t *thread = argument;
    expect("sched_waking: comm=%s pid=%u prio=%u target_cpu=000", thread->name, thread->pid, thread->priority);
    sched_set_status(thread, STATUS_PENDING);
}

static void create(thread_t *thread, uint8_t priority)
{
    sched_threads[thread->pid] = thread;
    thread->priority = priority;
    thread->status = STATUS_STOPPED;
    expect("task_create: task=%s pid=%u", thread->name, thread->pid);
    expect("set_priority: task=%s priority=%u", thread->name, priority);
    wake(thread);
}

static void switch_to(thread_t *next, char state)
{
    const thread_t *leaving = running();
    if (leaving == NULL)
        expect("sched_switch: boot:65536 [0] X ==>\n+ %s:%u [%u]", next->name, next->pid, next->priority);
    else
        expect("sched_switch: %s:%u [%u] %c ==>\n+ %s:%u [%u]", leaving->name, leaving->pid, leaving->priority, state,
               next->name, next->pid, next->priority);
    kernel_switch(next);
}

/* The running thread waits: line and object are what the trace must show. */
static void wait(thread_status_t status, thread_t *next, const char *line, const void *object)
{
    sched_set_status(running(), status);
    expect(line, (uint32_t)(uintptr_t)object);
    switch_to(next, *line == 's' ? 'D' : 'S'); /* set_mutex_wait */
}

static void lock(mutex_t *which, const char *name)
{
    if (which->queue.next == NULL)
        expect("set_mutex_lock: task=%s mutex=0x%x", name, (uint32_t)(uintptr_t)which);
    mutex_lock_internal(which, true);
}

static void unlock(mutex_t *which, const char *name)
{
    expect("set_mutex_unlock: task=%s mutex=0x%x", name, (uint32_t)(uintptr_t)which);
    mutex_unlock(which);
}

static void change_priority(thread_t *thread, uint8_t priority)
{
    expect("set_priority: task=%s priority=%u", thread->name, priority);
    sched_change_priority(thread, priority);
    sched_change_priority(thread, priority); /* nothing changes */
}

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

static void handle_alarm(void *argument)
{
    unlock(&alarm, "-");
    alarm.queue.next = MUTEX_LOCKED; /* the waiter has it */
    wake(argument);
}

/* All threads wait, and the CPU is idle, until a handler unlocks the mutex. */
static void sleep_meanwhile(void)
{
    static char state = 'D'; /* nothing has told yet that the mutex is a signal */
    sched_set_status(&high, STATUS_MUTEX_BLOCKED);
    expect("set_mutex_wait: task=high mutex=0x%x", (uint32_t)(uintptr_t)&alarm);
    expect("sched_switch: high:1 [%u] %c ==>\n+ idle:0 [0]", high.priority, state);
    kernel_handler = handle_alarm;
    kernel_argument = &high;
    kernel_switch(&high);
    expect("sched_switch: idle:0 [0] R ==>\n+ high:1 [%u]", high.priority);
    expect("set_mutex_lock: task=high mutex=0x%x", (uint32_t)(uintptr_t)&alarm);
    state = 'S';
}

static void sleep_by_mutex(void)
{
    kernel_meanwhile = sleep_meanwhile;
    lock(&alarm, "high");
    lock(&alarm, "high");
    mutex_lock_internal(&alarm, false); /* it tries, and does not wait */
}

static void inherit_meanwhile(void)
{
    change_priority(&low, 3);
    wait(STATUS_MUTEX_BLOCKED, &low, "set_mutex_wait: task=high mutex=0x%x", &mutex);
    unlock(&mutex, "low");
    mutex.queue.next = MUTEX_LOCKED;
    wake(&high);
    change_priority(&low, 10);
    switch_to(&high, 'R');
    expect("set_mutex_lock: task=high mutex=0x%x", (uint32_t)(uintptr_t)&mutex);
}

/* low has a mutex that high waits for. */
static void inherit(void)
{
    wait(STATUS_RECEIVE_BLOCKED, &low, "mailbox_receive_block: mailbox=0x%x", &high);
    lock(&mutex, "low");
    wake(&high);
    switch_to(&high, 'R');
    kernel_meanwhile = inherit_meanwhile;
    lock(&mutex, "high");
    unlock(&mutex, "high");
    mutex_unlock(&mutex); /* it is not locked: nothing happens */
}

static void time_out_meanwhile(void)
{
    wait(STATUS_MUTEX_BLOCKED, &low, "set_mutex_wait: task=high mutex=0x%x", &mutex);
    wake(&high);
    switch_to(&high, 'R');
}

static void do_nothing(void)
{
}

/* high tries to lock a mutex that low has, until a time is up, and then one that is free. A mutex that was given just
 * before a thread would have waited for it leaves no plan behind for its next wait. */
static void try_for_a_time(void)
{
    mutex_cancel_t cancel = {&mutex};
    wait(STATUS_RECEIVE_BLOCKED, &low, "mailbox_receive_block: mailbox=0x%x", &high);
    lock(&mutex, "low");
    wake(&high);
    switch_to(&high, 'R');
    kernel_meanwhile = time_out_meanwhile;
    mutex_lock_cancelable(&cancel);
    wait(STATUS_RECEIVE_BLOCKED, &low, "mailbox_receive_block: mailbox=0x%x", &high);
    unlock(&mutex, "low");
    wake(&high);
    switch_to(&high, 'R');
    expect("set_mutex_lock: task=high mutex=0x%x", (uint32_t)(uintptr_t)&mutex);
    mutex_lock_cancelable(&cancel);
    kernel_meanwhile = do_nothing;
    expect("set_mutex_lock: task=high mutex=0x%x", (uint32_t)(uintptr_t)&alarm);
    mutex_lock_internal(&alarm, true);
    unlock(&mutex, "high");
    wait(STATUS_MUTEX_BLOCKED, &low, "object_wait_block: object=0x%x", NULL);
    wake(&high);
    switch_to(&high, 'R');
}

/* ---- other waits, and ends --------------------------------------------------------------------------------------- */

static void wait_in_each_state(void)
{
    static const struct {
        thread_status_t status;
        const char *line;
        const void *object;
    } waits[] = {
        {STATUS_SLEEPING, "task_disable: task=high level=0", 0},
        {STATUS_RECEIVE_BLOCKED, "mailbox_receive_block: mailbox=0x%x", &high},
        {STATUS_REPLY_BLOCKED, "mailbox_receive_block: mailbox=0x%x", &high},
        {STATUS_SEND_BLOCKED, "mailbox_send_block: mailbox=0x%x", 0},
        {STATUS_FLAG_BLOCKED_ANY, "event_group_wait_block: event_group=0x%x", &high},
        {STATUS_FLAG_BLOCKED_ALL, "event_group_wait_block: event_group=0x%x", &high},
        {STATUS_MBOX_BLOCKED, "object_wait_block: object=0x%x", 0},
        {STATUS_COND_BLOCKED, "object_wait_block: object=0x%x", 0},
    };
    for (uint32_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        wait(waits[i].status, &low, waits[i].line, waits[i].object);
        wake(&high);
        switch_to(&high, 'R');
    }
}

/* A thread that ends is not running any more when the kernel switches. */
static void end(void)
{
    expect("task_end: task=brief pid=3");
    expect("sched_switch: brief:3 [7] X ==>\n+ high:1 [3]");
    brief.status = STATUS_STOPPED;
    sched_threads[3] = NULL;
    sched_active_pid = KERNEL_PID_UNDEF;
    kernel_switch(&high);
}

/* Another thread puts an end to it. */
static void be_killed(void)
{
    wait(STATUS_ZOMBIE, &high, "object_wait_block: object=0x%x", 0);
    expect("task_end: task=zombie pid=4");
    sched_threads[4] = NULL;
    sched_set_status(&zombie, STATUS_STOPPED);
}

int main(void)
{
    interrupt_early();
    create(&low, 10);
    create(&high, 3);
    switch_to(&high, 'X');
    sleep_by_mutex();
    inherit();
    try_for_a_time();
    wait_in_each_state();
    create(&brief, 7);
    switch_to(&brief, 'R');
    end();
    create(&zombie, 7);
    switch_to(&zombie, 'R');
    be_killed();
    return tlog_semihost_save("dump.bin") | expect_save();
}
