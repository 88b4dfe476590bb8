/* object.c - the stand-in's queues, semaphores, mutexes, event flags and timers. */
#include "stand_in.h"

#define NAME(text) (CHAR *)(uintptr_t)text

static TX_QUEUE queue = {NAME("rx_queue"), 2, 0, 2, 0};
static TX_SEMAPHORE semaphore = {NAME("slots"), 1};
static TX_MUTEX mutex = {NAME("uart_mutex"), 0, 1, 0};
static TX_EVENT_FLAGS_GROUP group = {NAME("events")};
static TX_TIMER timer = {NAME("blink")};

/* The running thread waits, and the other one runs, until end_wait(). Both are called masked. */
static void wait_until(UINT state, void *object, ULONG info, thread_t *other)
{
    suspend(state, object, info);
    TX_RESTORE
    switch_to(other);
    TX_DISABLE
}

static void end_wait(thread_t *self, UINT status)
{
    resume(self, status);
    TX_RESTORE
    switch_to(self);
}

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

static void get(const char *line)
{
    TX_DISABLE
    if (line[0] == 's')
        expect("set_mutex_lock: task=%s mutex=%s", running()->block.tx_thread_name, mutex.tx_mutex_name);
    else
        expect("%s: mutex=%s", line, mutex.tx_mutex_name);
    EVENT(MUTEX_GET, &mutex, TX_NO_WAIT, mutex.tx_mutex_owner, mutex.tx_mutex_ownership_count);
    if (line[0] == 's')
        mutex.tx_mutex_owner = &running()->block;
    if (mutex.tx_mutex_owner == &running()->block)
        mutex.tx_mutex_ownership_count++;
    TX_RESTORE
}

static void put(const char *line)
{
    TX_DISABLE
    if (line[0] == 's')
        expect("set_mutex_unlock: task=%s mutex=%s", mutex.tx_mutex_owner->tx_thread_name, mutex.tx_mutex_name);
    else
        expect("%s: mutex=%s", line, mutex.tx_mutex_name);
    EVENT(MUTEX_PUT, &mutex, mutex.tx_mutex_owner, mutex.tx_mutex_ownership_count, &line);
    if (line[0] == 's' || mutex.tx_mutex_ownership_count > 1u)
        mutex.tx_mutex_ownership_count--;
    if (mutex.tx_mutex_ownership_count == 0)
        mutex.tx_mutex_owner = 0;
    TX_RESTORE
}

/* The running one waits for the mutex of low, which gets its priority: at once if it waits itself, as here, unseen. */
static void contend(thread_t *low)
{
    thread_t *high = running();
    TX_DISABLE
    EVENT(MUTEX_GET, &mutex, 100, mutex.tx_mutex_owner, 1);
    expect("set_priority: task=%s priority=%u", low->block.tx_thread_name, high->block.tx_thread_priority);
    expect("set_mutex_wait: task=%s mutex=%s", high->block.tx_thread_name, mutex.tx_mutex_name);
    suspend(TX_MUTEX_SUSP, &mutex, 0);
    low->block.tx_thread_priority = high->block.tx_thread_priority;
    TX_RESTORE
    switch_to(low);
}

/* Low puts it: its priority goes back in a pseudo state, and the mutex goes to high. */
static void hand_over(thread_t *high)
{
    thread_t *low = running();
    TX_DISABLE
    expect("set_mutex_unlock: task=%s mutex=%s", low->block.tx_thread_name, mutex.tx_mutex_name);
    EVENT(MUTEX_PUT, &mutex, mutex.tx_mutex_owner, 1, &low);
    pseudo_state(low, low->block.tx_thread_user_priority);
    mutex.tx_mutex_owner = &high->block;
    expect("set_mutex_lock: task=%s mutex=%s", high->block.tx_thread_name, mutex.tx_mutex_name);
    end_wait(high, TX_SUCCESS);
}

void mutex_tour(thread_t *low)
{
    thread_t *high = running();
    TX_DISABLE
    expect("mutex_create: mutex=%s", mutex.tx_mutex_name);
    _tx_trace_object_register(5, &mutex, mutex.tx_mutex_name, 1, 0);
    EVENT(MUTEX_CREATE, &mutex, 1, &low, 0);
    TX_RESTORE
    get("set");
    get("mutex_take");
    put("mutex_give");
    put("set");
    put("mutex_give_failed");
    switch_to(low);
    get("set");
    switch_to(high);
    get("mutex_take_failed");
    put("mutex_give_failed");
    contend(low);
    hand_over(high);
    switch_to(low);
    _tx_thread_preempt_disable = 1; /* the kernel puts the mutex of a thread that ends */
    put("set");
    _tx_thread_preempt_disable = 0;
    switch_to(high);
    TX_DISABLE
    expect("mutex_delete: mutex=%s", mutex.tx_mutex_name);
    EVENT(MUTEX_DELETE, &mutex, &low, 0, 0);
    TX_RESTORE
}

/* ---- queues ------------------------------------------------------------------------------------------------------ */

static void send(ULONG wait, const char *line)
{
    if (line != 0)
        expect("queue_send: queue=rx_queue waiting=%s", line);
    EVENT(QUEUE_SEND, &queue, &line, wait, queue.tx_queue_enqueued);
}

static void count(UINT enqueued, UINT suspended)
{
    queue.tx_queue_enqueued = enqueued;
    queue.tx_queue_available_storage = 2u - enqueued;
    queue.tx_queue_suspended_count = suspended;
}

/* Senders wait, get in, and are late. */
static void full_queue(thread_t *other)
{
    thread_t *self = running();
    count(2, 0);
    expect("queue_send_failed: queue=rx_queue");
    send(TX_NO_WAIT, 0);
    send(100, 0);
    expect("queue_send_block: queue=rx_queue");
    wait_until(TX_QUEUE_SUSP, &queue, 0, other);
    count(2, 1);
    expect("queue_receive: queue=rx_queue waiting=2");
    EVENT(QUEUE_RECEIVE, &queue, &self, 100, 2);
    expect("queue_send: queue=rx_queue waiting=2");
    end_wait(self, TX_SUCCESS);
    TX_DISABLE
    send(100, 0);
    expect("queue_send_block: queue=rx_queue");
    wait_until(TX_QUEUE_SUSP, &queue, 0, other);
    expect("queue_send_failed: queue=rx_queue");
    end_wait(self, 11);
}

static void empty_queue(thread_t *other)
{
    thread_t *self = running();
    TX_DISABLE
    count(0, 0);
    expect("queue_receive_failed: queue=rx_queue");
    EVENT(QUEUE_RECEIVE, &queue, &self, TX_NO_WAIT, 0);
    EVENT(QUEUE_RECEIVE, &queue, &self, 100, 0);
    expect("queue_receive_block: queue=rx_queue");
    wait_until(TX_QUEUE_SUSP, &queue, 0, other);
    count(0, 1);
    send(100, "0");
    expect("queue_receive: queue=rx_queue waiting=0");
    end_wait(self, TX_SUCCESS);
    TX_DISABLE
    EVENT(QUEUE_RECEIVE, &queue, &self, 100, 0);
    expect("queue_receive_block: queue=rx_queue");
    wait_until(TX_QUEUE_SUSP, &queue, 0, other);
    expect("queue_receive_failed: queue=rx_queue");
    end_wait(self, 10);
}

static void queue_tour(thread_t *other)
{
    TX_DISABLE
    expect("queue_create: queue=rx_queue size=2");
    _tx_trace_object_register(3, &queue, queue.tx_queue_name, 32, 4);
    EVENT(QUEUE_CREATE, &queue, 4, &queue, 32);
    send(100, "1");
    count(1, 0);
    expect("queue_send: queue=rx_queue waiting=2");
    EVENT(QUEUE_FRONT_SEND, &queue, &other, 100, 1);
    count(2, 0);
    expect("queue_receive: queue=rx_queue waiting=1");
    EVENT(QUEUE_RECEIVE, &queue, &other, 100, 2);
    full_queue(other);
    empty_queue(other);
    TX_DISABLE
    expect("queue_reset: queue=rx_queue");
    EVENT(QUEUE_FLUSH, &queue, &other, 0, 0);
    expect("queue_delete: queue=rx_queue");
    EVENT(QUEUE_DELETE, &queue, &other, 0, 0);
    TX_RESTORE
}

/* ---- semaphores -------------------------------------------------------------------------------------------------- */

static void put_in_handler(void *argument)
{
    TX_DISABLE
    expect("semaphore_give: semaphore=slots count=0");
    EVENT(SEMAPHORE_PUT, &semaphore, 0, 1, &argument);
    expect("semaphore_take: semaphore=slots count=0");
    resume(argument, TX_SUCCESS);
    TX_RESTORE
}

static void semaphore_alone(thread_t *other)
{
    expect("semaphore_create: semaphore=slots size=1");
    EVENT(SEMAPHORE_CREATE, &semaphore, 1, &other, 0);
    expect("semaphore_take: semaphore=slots count=0");
    EVENT(SEMAPHORE_GET, &semaphore, 100, 1, &other);
    semaphore.tx_semaphore_count = 0;
    expect("semaphore_take_failed: semaphore=slots");
    EVENT(SEMAPHORE_GET, &semaphore, TX_NO_WAIT, 0, &other);
    expect("semaphore_give: semaphore=slots count=4");
    EVENT(SEMAPHORE_PUT, &semaphore, 3, 0, &other);
    expect("semaphore_give: semaphore=slots count=5");
    EVENT(SEMAPHORE_CEILING_PUT, &semaphore, 4, 0, 5);
    expect("semaphore_give_failed: semaphore=slots");
    EVENT(SEMAPHORE_CEILING_PUT, &semaphore, 5, 0, 5);
}

/* No thread is ready while this one waits, in PendSV. */
static void semaphore_tour(thread_t *other)
{
    thread_t *self = running();
    TX_DISABLE
    semaphore_alone(other);
    EVENT(SEMAPHORE_GET, &semaphore, 100, 0, &other);
    expect("semaphore_take_block: semaphore=slots");
    suspend(TX_SEMAPHORE_SUSP, &semaphore, 0);
    TX_RESTORE
    idle_until(put_in_handler, self);
    TX_DISABLE
    EVENT(SEMAPHORE_GET, &semaphore, 100, 0, &other);
    expect("semaphore_take_block: semaphore=slots");
    wait_until(TX_SEMAPHORE_SUSP, &semaphore, 0, other);
    expect("semaphore_take_failed: semaphore=slots");
    end_wait(self, 13);
    TX_DISABLE
    expect("semaphore_delete: semaphore=slots");
    EVENT(SEMAPHORE_DELETE, &semaphore, &other, 0, 0);
    TX_RESTORE
}

/* ---- event flags, timers ----------------------------------------------------------------------------------------- */

static void flags_tour(thread_t *other)
{
    thread_t *self = running();
    TX_DISABLE
    expect("event_group_create: event_group=events size=0");
    EVENT(EVENT_FLAGS_CREATE, &group, &other, 0, 0);
    expect("event_group_set_bits: event_group=events bits=0x80a1");
    EVENT(EVENT_FLAGS_SET, &group, 0x780A1u, 0, 0);
    expect("event_group_clear_bits: event_group=events bits=0x21");
    EVENT(EVENT_FLAGS_SET, &group, ~0x21u, TX_AND, 0);
    expect("event_group_wait: event_group=events");
    EVENT(EVENT_FLAGS_GET, &group, 0x81u, 0x80u, 1);
    EVENT(EVENT_FLAGS_GET, &group, 0x81u, 0x80u, TX_AND);
    expect("event_group_wait_block: event_group=events bits=0x81");
    wait_until(TX_EVENT_FLAG, &group, 0x81u, other);
    expect("event_group_wait: event_group=events");
    end_wait(self, TX_SUCCESS);
    TX_DISABLE
    EVENT(EVENT_FLAGS_GET, &group, 6u, 0x80u, 0);
    expect("event_group_wait_block: event_group=events bits=0x6");
    wait_until(TX_EVENT_FLAG, &group, 6u, other);
    expect("event_group_wait_failed: event_group=events");
    end_wait(self, 7);
    TX_DISABLE
    expect("event_group_delete: event_group=events");
    EVENT(EVENT_FLAGS_DELETE, &group, &other, 0, 0);
    TX_RESTORE
}

static void timer_tour(void)
{
    TX_DISABLE
    expect("timer_create: timer=blink size=500");
    EVENT(TIMER_CREATE, &timer, 500, 100, 1);
    expect("timer_start: timer=blink");
    EVENT(TIMER_ACTIVATE, &timer, 0, 0, 0);
    expect("timer_change: timer=blink");
    EVENT(TIMER_CHANGE, &timer, 5, 5, 0);
    expect("timer_stop: timer=blink");
    EVENT(TIMER_DEACTIVATE, &timer, &timer, 0, 0);
    expect("timer_delete: timer=blink");
    EVENT(TIMER_DELETE, &timer, 0, 0, 0);
    TX_RESTORE
}

void object_tour(thread_t *other)
{
    queue_tour(other);
    semaphore_tour(other);
    flags_tour(other);
    timer_tour();
}
