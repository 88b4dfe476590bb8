/* app.c - firmware of chibios.sh: stands in for ChibiOS's scheduler in its orders, and plays an application, which
 * notes what the trace must show.
 *
 * It switches no stacks: main() plays all threads. Handlers are real. The kernel's calls run with interrupts masked. */
#include "ch.h"

#include "board.h"
#include "expect.h"
#include "out_semihost.h"

os_instance_t ch0;

static const char worker_name[] = "worker";
static thread_t main_thread, worker, idle;
static char mutex, semaphore, condition, reference;

static uint32_t context_of(const thread_t *thread)
{
    return thread == &idle ? 0 : (uint32_t)(uintptr_t)thread >> 4 & 0xFFFFu;
}

static uint32_t priority_of(const thread_t *thread)
{
    return thread == &idle ? 0 : thread->hdr.pqueue.prio;
}

/* ---- the scheduler ----------------------------------------------------------------------------------------------- */

static void create(thread_t *thread, const char *name, uint32_t priority)
{
    thread->name = name;
    thread->hdr.pqueue.prio = priority;
    thread->state = CH_STATE_WTSTART;
    if (thread != &idle) {
        const char *shown = thread == &worker ? worker_name : name; /* the decoder knows the last name */
        expect("task_create: task=%s pid=%u", shown, context_of(thread));
        expect("set_priority: task=%s priority=%u", shown, priority);
    }
    RUN(CH_CFG_THREAD_INIT_HOOK, (thread));
}

static void expect_waking(const thread_t *thread)
{
    if (thread != &idle && thread->state != CH_STATE_READY && thread->state != CH_STATE_CURRENT)
        expect("sched_waking: comm=%s pid=%u prio=%u target_cpu=000", thread->name, context_of(thread),
               thread->hdr.pqueue.prio);
}

static void ready(void *argument)
{
    thread_t *thread = argument;
    expect_waking(thread);
    RUN(__trace_ready, (thread, thread->u.rdymsg));
    thread->state = CH_STATE_READY;
}

static void switch_to(thread_t *next, char state)
{
    thread_t *leaving = chThdGetSelfX();
    next->state = CH_STATE_CURRENT;
    ch0.rlist.current = next;
    expect("sched_switch: %s:%u [%u] %c ==>", leaving->name, context_of(leaving), priority_of(leaving), state);
    expect("+ %s:%u [%u]", next->name, context_of(next), priority_of(next));
    RUN(CH_CFG_CONTEXT_SWITCH_HOOK, (next, leaving));
}

/* The running thread is preempted: it is made ready, though it was not waiting. */
static void preempt(thread_t *next)
{
    ready(chThdGetSelfX());
    switch_to(next, 'R');
}

/* The running thread waits. object: what the kernel keeps of it. line, shown: what the trace must show. */
static void go_to_sleep(uint8_t state, void *object, thread_t *next, const char *line, const void *shown)
{
    thread_t *leaving = chThdGetSelfX();
    leaving->state = state;
    leaving->u.wtobjp = object;
    expect(line, (uint32_t)(uintptr_t)shown);
    switch_to(next, state == CH_STATE_WTMTX ? 'D' : 'S');
}

/* A handler of the application wakes a thread. */
static void wake_up(void *argument)
{
    expect_entry(36);
    RUN(CH_CFG_IRQ_PROLOGUE_HOOK, ());
    mask();
    ready(argument);
    unmask();
    expect_exit(36);
    RUN(CH_CFG_IRQ_EPILOGUE_HOOK, ());
}

/* ---- the application --------------------------------------------------------------------------------------------- */

static void start(void)
{
    create(&main_thread, "main", 128);
    main_thread.state = CH_STATE_CURRENT;
    ch0.rlist.current = &main_thread;
    expect("sched_switch: boot:65536 [0] X ==>\n+ main:%u [128]", context_of(&main_thread));
    RUN(CH_CFG_OS_INSTANCE_INIT_HOOK, (&ch0));
    create(&idle, "idle", IDLEPRIO);
    ready(&idle);
    create(&worker, "noname", 140);
    worker.name = worker_name; /* by chRegSetThreadName(): known when it becomes ready, or at a switch */
    ready(&worker);
    preempt(&worker);
}

/* The worker waits in each state, and the idle thread runs until a handler wakes it. */
static void wait_in_each_state(void)
{
    static const struct {
        uint8_t state;
        void *object;
        const char *line;
        const void *shown;
    } waits[] = {
        {CH_STATE_SUSPENDED, &reference, "object_wait_block: object=0x%x", &reference},
        {CH_STATE_QUEUED, &reference, "object_wait_block: object=0x%x", 0},
        {CH_STATE_WTSEM, &semaphore, "semaphore_take_block: semaphore=0x%x", &semaphore},
        {CH_STATE_WTMTX, &mutex, "set_mutex_wait: task=worker mutex=0x%x", &mutex},
        {CH_STATE_WTCOND, &condition, "condition_wait_block: condition=0x%x", &condition},
        {CH_STATE_SLEEPING, &reference, "timer_wait_block: timer=0x%x", 0},
        {CH_STATE_WTEXIT, &reference, "object_wait_block: object=0x%x", 0},
        {CH_STATE_WTOREVT, (void *)5, "event_group_wait_block: event_group=0x%x", &worker},
        {CH_STATE_WTANDEVT, (void *)5, "event_group_wait_block: event_group=0x%x", &worker},
        {CH_STATE_SNDMSGQ, &reference, "mailbox_send_block: mailbox=0x%x", 0},
        {CH_STATE_SNDMSG, &reference, "mailbox_send_block: mailbox=0x%x", 0},
        {CH_STATE_WTMSG, &reference, "mailbox_receive_block: mailbox=0x%x", &worker},
    };
    for (uint32_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        mask();
        go_to_sleep(waits[i].state, waits[i].object, &idle, waits[i].line, waits[i].shown);
        unmask();
        in(IRQ, wake_up, &worker);
        mask();
        preempt(&worker);
        unmask();
    }
}

static void change_priority(thread_t *thread, uint32_t priority)
{
    thread->hdr.pqueue.prio = priority;
    expect("set_priority: task=%s priority=%u", thread->name, priority);
}

/* main() has the mutex, is ready, and inherits the worker's priority. It gives it back, and the mutex. */
static void inherit(void)
{
    mask();
    change_priority(&main_thread, 140);
    ready(&main_thread); /* it is put into another place among those that are ready */
    go_to_sleep(CH_STATE_WTMTX, &mutex, &main_thread, "set_mutex_wait: task=worker mutex=0x%x", &mutex);
    change_priority(&main_thread, 128);
    ready(&worker);
    preempt(&worker);
    change_priority(&worker, 150); /* by chThdSetPriority(): known at the next switch */
    go_to_sleep(CH_STATE_WTSEM, &semaphore, &main_thread, "semaphore_take_block: semaphore=0x%x", &semaphore);
    ready(&worker);
    preempt(&worker);
    unmask();
}

/* The worker ends, and main() goes on. */
static void end(void)
{
    mask();
    expect("task_end: task=worker pid=%u", context_of(&worker));
    RUN(CH_CFG_THREAD_EXIT_HOOK, (&worker));
    worker.state = CH_STATE_FINAL;
    switch_to(&main_thread, 'X');
    unmask();
}

int main(void)
{
    interrupt_early();
    mask();
    start();
    unmask();
    wait_in_each_state();
    inherit();
    end();
    return tlog_semihost_save("dump.bin") | expect_save();
}
