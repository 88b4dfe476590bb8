/* object.c - the stand-in's mutexes, condition variables, semaphores, message queues, events and timers. */
#include "stand_in.h"

enum { EBUSY = 16, EAGAIN = 11, EPERM = 1, ENOMSG = 35 };

static struct k_mutex mutex;
static struct k_sem sem;
static struct k_msgq msgq;
static struct k_event event;
static uint32_t condvar, queue, timer, stack, mbox, pipe; /* no member of these is read */

static const k_timeout_t none = {0};

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

static void expect_lock(int result, uint32_t count)
{
    if (result != 0)
        expect("mutex_take_failed: mutex=mutex");
    else if (count > 1)
        expect("mutex_take: mutex=mutex");
    else
        expect("set_mutex_lock: task=%s mutex=mutex", name_of(running()));
}

/* Without a wait, or the end of one. */
static void lock(int result)
{
    TRACE(k_mutex, lock_enter, &mutex, forever);
    if (result == 0) {
        mutex.owner = _current;
        mutex.lock_count++;
    }
    expect_lock(result, mutex.lock_count);
    TRACE(k_mutex, lock_exit, &mutex, forever, result);
}

static void unlock(void)
{
    int is_owner = mutex.owner == _current;
    if (!is_owner)
        expect("mutex_give_failed: mutex=mutex");
    else if (mutex.lock_count > 1)
        expect("mutex_give: mutex=mutex");
    else
        expect("set_mutex_unlock: task=%s mutex=mutex", name_of(running()));
    TRACE(k_mutex, unlock_enter, &mutex);
    if (is_owner && --mutex.lock_count == 0)
        mutex.owner = 0;
    TRACE(k_mutex, unlock_exit, &mutex, is_owner ? 0 : -EPERM);
}

/* The owner gets the priority of the running thread, which waits. */
static void contend(thread_t *owner)
{
    mask();
    TRACE(k_mutex, lock_enter, &mutex, forever);
    expect("set_mutex_wait: task=%s mutex=mutex", name_of(running()));
    TRACE(k_mutex, lock_blocking, &mutex, forever);
    set_priority(owner, running()->block.base.prio);
    unmask();
    pend_in('D', owner);
}

/* The owner gives it to a thread that waits, which takes note when it runs. */
static void hand_over(thread_t *to, int8_t priority)
{
    expect("set_mutex_unlock: task=%s mutex=mutex", name_of(running()));
    TRACE(k_mutex, unlock_enter, &mutex);
    mask();
    set_priority(running(), priority);
    mutex.owner = &to->block;
    ready(to);
    unmask();
    switch_to(to);
    expect_lock(0, 1);
    TRACE(k_mutex, lock_exit, &mutex, forever, 0);
}

static void time_out(thread_t *waiter, thread_t *owner, int8_t priority)
{
    tick_wakes(waiter);
    switch_to(waiter);
    mask();
    set_priority(owner, priority);
    unmask();
    expect_lock(-EAGAIN, mutex.lock_count);
    TRACE(k_mutex, lock_exit, &mutex, forever, -EAGAIN);
}

/* Played by a high thread; low is ready. */
void mutex_tour(thread_t *low)
{
    thread_t *high = running();
    expect("mutex_create: mutex=mutex");
    TRACE(k_mutex, init, &mutex, 0);
    lock(0);
    lock(0);
    unlock();
    unlock();
    unlock();
    switch_to(low);
    lock(0);
    switch_to(high);
    unlock();
    contend(low);
    hand_over(high, 10);
    unlock();
    switch_to(low);
    lock(0);
    lock(0);
    switch_to(high);
    lock(-EBUSY);
    contend(low);
    time_out(high, low, 10);
}

static void yield_to(thread_t *other)
{
    thread_t *self = running();
    switch_to(other);
    switch_to(self);
}

/* ---- condition variables ----------------------------------------------------------------------------------------- */

static void condvar_tour(thread_t *other)
{
    thread_t *self = running();
    mutex.owner = 0;
    mutex.lock_count = 0;
    lock(0);
#if defined(CONFIG_TRACING_USER)
    TRACE(k_condvar, wait_enter, &condvar);
#else
    TRACE(k_condvar, wait_enter, &condvar, forever);
#endif
    yield_to(other); /* which runs before the wait */
    unlock();
    expect("condition_wait_block: condition=condvar");
    pend_in('S', other);
    tick_wakes(self);
    switch_to(self);
    lock(0);
#if defined(CONFIG_TRACING_USER)
    TRACE(k_condvar, wait_exit, &condvar, 0);
#else
    TRACE(k_condvar, wait_exit, &condvar, forever, 0);
    TRACE(k_condvar, wait_enter, &condvar, none); /* which does not wait */
    TRACE(k_condvar, wait_exit, &condvar, none, -EAGAIN);
#endif
    yield_to(other);
}

/* ---- semaphores -------------------------------------------------------------------------------------------------- */

static void take(int result)
{
    TRACE(k_sem, take_enter, &sem, forever);
    if (result == 0)
        expect("semaphore_take: semaphore=sem count=%u", sem.count);
    else
        expect("semaphore_take_failed: semaphore=sem");
    TRACE(k_sem, take_exit, &sem, forever, result);
}

static void give(void *waiter)
{
    expect("semaphore_give: semaphore=sem count=%u", sem.count);
    TRACE(k_sem, give_enter, &sem);
    if (waiter != 0)
        ready(waiter);
    else
        sem.count++;
    TRACE(k_sem, give_exit, &sem);
}

static void wait_for_sem(thread_t *other)
{
    mask();
    expect("semaphore_take_block: semaphore=sem");
    TRACE(k_sem, take_blocking, &sem, forever);
    unmask();
    pend_in('S', other);
}

static void sem_tour(thread_t *other)
{
    thread_t *self = running();
    expect("semaphore_create: semaphore=sem size=0");
    TRACE(k_sem, init, &sem, 0);
    give(0);
    give(0);
    sem.count--;
    take(0);
    sem.count--;
    take(0);
    take(-EBUSY);
    wait_for_sem(other);
    interrupt(give, self);
    switch_to(self);
    take(0);
    wait_for_sem(other);
    tick_wakes(self);
    switch_to(self);
    take(-EAGAIN);
    expect("semaphore_reset: semaphore=sem");
    TRACE(k_sem, reset, &sem);
}

/* ---- message queues ---------------------------------------------------------------------------------------------- */

static void expect_queue(const char *what, int result)
{
    if (result == 0)
        expect("queue_%s: queue=msgq waiting=%u", what, msgq.used_msgs);
    else
        expect("queue_%s_failed: queue=msgq", what);
}

static void put(int result)
{
    TRACE(k_msgq, put_enter, &msgq, forever);
    msgq.used_msgs += result == 0;
    expect_queue("send", result);
    TRACE(k_msgq, put_exit, &msgq, forever, result);
}

static void get(int result)
{
    TRACE(k_msgq, get_enter, &msgq, forever);
    msgq.used_msgs -= result == 0;
    expect_queue("receive", result);
    TRACE(k_msgq, get_exit, &msgq, forever, result);
}

/* Queues of three kinds of calls that wait; each is late. */
static void wait_for_queues(thread_t *other)
{
    thread_t *self = running();
    expect("queue_send_block: queue=msgq");
    TRACE(k_msgq, put_blocking, &msgq, forever);
    pend_in('S', other);
    tick_wakes(self);
    switch_to(self);
    expect("queue_send_block: queue=msgq");
    TRACE(k_msgq, put_front_blocking, &msgq, forever);
    pend_in('S', other);
    tick_wakes(self);
    switch_to(self);
    expect_queue("send", -EAGAIN);
    TRACE(k_msgq, put_front_exit, &msgq, forever, -EAGAIN);
    expect("queue_receive_block: queue=queue");
    TRACE(k_queue, get_blocking, &queue, forever);
    pend_in('S', other);
    tick_wakes(self);
    switch_to(self);
    TRACE(k_queue, get_blocking, &queue, none); /* an empty one, without a wait */
    switch_to(other);
    switch_to(self);
}

/* The queue is full, and the other thread waits until it can send. In versions of 2022 it may go on before the hook of
 * the end, in those of 2026 only after it. */
static void get_from_full(thread_t *other)
{
    thread_t *self = running();
    TRACE(k_msgq, get_enter, &msgq, none);
    TRACE(k_msgq, get_blocking, &msgq, none);
    switch_to(other);
    switch_to(self);
    expect_queue("receive", 0);
    TRACE(k_msgq, get_exit, &msgq, none, 0);
}

static void msgq_tour(thread_t *other)
{
    thread_t *self = running();
    msgq.max_msgs = 2;
    expect("queue_create: queue=msgq size=2");
    TRACE(k_msgq, init, &msgq);
    put(0);
    msgq.used_msgs++;
    expect_queue("send", 0);
    TRACE(k_msgq, put_front_exit, &msgq, forever, 0);
    put(-ENOMSG);
    wait_for_queues(other);
    get_from_full(other);
    get(0);
    expect("queue_reset: queue=msgq");
    TRACE(k_msgq, purge, &msgq);
    msgq.used_msgs = 0;
    get(-ENOMSG);
    TRACE(k_msgq, get_enter, &msgq, forever);
    expect("queue_receive_block: queue=msgq");
    TRACE(k_msgq, get_blocking, &msgq, forever);
    pend_in('S', other);
    expect_queue("send", 0);
    TRACE(k_msgq, put_exit, &msgq, forever, 0); /* the message goes to the thread that waits, which is ready then */
    mask();
    ready(self);
    unmask();
    switch_to(self);
    expect_queue("receive", 0);
    TRACE(k_msgq, get_exit, &msgq, forever, 0);
}

/* ---- stacks, mailboxes, pipes ------------------------------------------------------------------------------------ */

#define WAIT(other, type, hook, object, line)                                                                          \
    do {                                                                                                               \
        thread_t *waiter = running();                                                                                  \
        expect(line "=%s", &#object[1]);                                                                               \
        TRACE(type, hook, object, forever);                                                                            \
        pend_in('S', other);                                                                                           \
        tick_wakes(waiter);                                                                                            \
        switch_to(waiter);                                                                                             \
    } while (0)

/* With a reader that waits for the data; up to 3.1 the kernel calls the hook all the same, and does not wait. */
static void put_to_reader(thread_t *other)
{
    TRACE(k_pipe, put_blocking, &pipe, forever);
    yield_to(other);
    TRACE(k_pipe, put_exit, &pipe, forever, 0);
    expect("object_wait_block: object=0x0");
    pend_in('S', other);
}

static void pipe_tour(thread_t *other)
{
    thread_t *self = running();
    WAIT(other, k_stack, pop_blocking, &stack, "object_receive_block: object");
    TRACE(k_stack, pop_blocking, &stack, none);
    yield_to(other);
    WAIT(other, k_mbox, message_put_blocking, &mbox, "mailbox_send_block: mailbox");
    WAIT(other, k_mbox, get_blocking, &mbox, "mailbox_receive_block: mailbox");
    WAIT(other, k_pipe, put_blocking, &pipe, "pipe_send_block: pipe");
    TRACE(k_pipe, put_exit, &pipe, forever, 0);
    put_to_reader(other);
    tick_wakes(self);
    switch_to(self);
    WAIT(other, k_pipe, get_blocking, &pipe, "pipe_receive_block: pipe");
    WAIT(other, k_pipe, write_blocking, &pipe, "pipe_send_block: pipe");
    WAIT(other, k_pipe, read_blocking, &pipe, "pipe_receive_block: pipe");
}

/* ---- events, timers ---------------------------------------------------------------------------------------------- */

static void wait_for_event(thread_t *other, uint32_t received)
{
    thread_t *self = running();
    expect("event_group_wait_block: event_group=event bits=0x81");
    TRACE(k_event, wait_blocking, &event, 0x81, 0, forever);
    pend_in('S', other);
    tick_wakes(self);
    switch_to(self);
    expect(received != 0 ? "event_group_wait: event_group=event" : "event_group_wait_failed: event_group=event");
    TRACE(k_event, wait_exit, &event, 0x81, received);
}

static void event_tour(thread_t *other)
{
    expect("event_group_create: event_group=event size=0");
    TRACE(k_event, init, &event);
    expect("event_group_set_bits: event_group=event bits=0x80a1");
    TRACE(k_event, post_enter, &event, 0x780A1u, 0x780A1u);
    expect("event_group_clear_bits: event_group=event bits=0x21");
    TRACE(k_event, post_enter, &event, 0, 0x21u);
    wait_for_event(other, 0x80);
    wait_for_event(other, 0);
}

static void timer_tour(thread_t *other)
{
    expect("timer_create: timer=timer size=0");
    TRACE(k_timer, init, &timer);
    expect("timer_start: timer=timer");
#if defined(CONFIG_TRACING_USER)
    TRACE(k_timer, start, &timer);
#else
    TRACE(k_timer, start, &timer, forever, forever);
#endif
    expect("timer_expire: timer=timer");
    TRACE(k_timer, expiry_enter, &timer);
    WAIT(other, k_timer, status_sync_blocking, &timer, "timer_wait_block: timer");
    expect("timer_stop: timer=timer");
    TRACE(k_timer, stop, &timer);
}

void object_tour(thread_t *other)
{
    condvar_tour(other);
    sem_tour(other);
    msgq_tour(other);
    pipe_tour(other);
    event_tour(other);
    timer_tour(other);
}
