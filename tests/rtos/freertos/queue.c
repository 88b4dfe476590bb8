/* queue.c - the stand-in's queues, semaphores and mutexes: the hooks of the kernel's file of that name. */
#include "stand_in.h"

/* Before V10.1 the holder of a mutex is in a member of queues. */
typedef struct QueueDefinition {
#if KERNEL < 1001
#define pxMutexHolder pcTail
    int8_t *pcHead, *pcTail, *pcWriteTo;
    union {
        int8_t *pcReadFrom;
        UBaseType_t uxRecursiveCallCount;
    } u;
#define HOLDER pxMutexHolder
#else
    int8_t *pcHead, *pcWriteTo;
    union {
        struct {
            int8_t *pcTail, *pcReadFrom;
        } xQueue;
        struct {
            TaskHandle_t xMutexHolder;
            UBaseType_t uxRecursiveCallCount;
        } xSemaphore;
    } u;
#define HOLDER u.xSemaphore.xMutexHolder
#endif
    volatile UBaseType_t uxMessagesWaiting;
    UBaseType_t uxLength, uxItemSize, uxQueueNumber;
    uint8_t ucQueueType;
} Queue_t;

/* The kernel's types. */
enum { QUEUE, MUTEX, COUNTING, BINARY, RECURSIVE, SET };

static const char *const kinds[] = {"queue", "mutex", "semaphore", "semaphore", "mutex", "queue_set"};
static const char *const counts[] = {"waiting", "", "count", "count", "", "waiting"};

/* A queue as the trace shows it: by its name; what it is called while it has none is not compared. */
struct named {
    Queue_t queue;
    const char *name;
};

static const char *kind_of(const struct named *it)
{
    return kinds[it->queue.ucQueueType];
}

static bool is_mutex(const struct named *it)
{
    return it->queue.ucQueueType == MUTEX || it->queue.ucQueueType == RECURSIVE;
}

static bool is_given(const struct named *it)
{
    return it->queue.ucQueueType != QUEUE && it->queue.ucQueueType != SET;
}

static void name(struct named *it)
{
    Queue_t *xQueue = &it->queue;
    RUN(traceQUEUE_REGISTRY_ADD, ((void *)xQueue, it->name));
}

/* Named ahead of its creation's event, as nothing else here has names that come late. */
static void create(struct named *it, const char *called, uint8_t type, UBaseType_t length)
{
    Queue_t *pxNewQueue = &it->queue;
    it->name = called;
    pxNewQueue->ucQueueType = type;
    pxNewQueue->uxLength = length;
    pxNewQueue->uxItemSize = type == QUEUE || type == SET ? 4 : 0;
    mask();
    if (is_mutex(it))
        expect("mutex_create: mutex=%s", called);
    else
        expect("%s_create: %s=%s size=%u", kind_of(it), kind_of(it), called, length < 2047u ? length : 2047u);
    RUN(traceQUEUE_CREATE, (pxNewQueue));
    if (is_mutex(it)) {
        RUN(traceCREATE_MUTEX, (pxNewQueue));
        RUN(traceQUEUE_SEND, (pxNewQueue)); /* the initial give */
        pxNewQueue->uxMessagesWaiting = 1;
    }
    unmask();
    name(it);
}

/* Send, with the count of before in the queue. */
static void send_masked(void *argument)
{
    struct named *it = argument;
    Queue_t *pxQueue = &it->queue;
    UBaseType_t behind = pxQueue->uxMessagesWaiting + (pxQueue->uxMessagesWaiting < pxQueue->uxLength);
    if (is_mutex(it))
        expect("set_mutex_unlock: task=%s mutex=%s", pxCurrentTCB->pcTaskName, it->name);
    else
        expect("%s_%s: %s=%s %s=%u", kind_of(it), is_given(it) ? "give" : "send", kind_of(it), it->name,
               counts[pxQueue->ucQueueType], behind);
    if (pxQueue->ucQueueType == SET)
        RUN(traceQUEUE_SET_SEND, (pxQueue));
    else
        RUN(traceQUEUE_SEND, (pxQueue));
    pxQueue->uxMessagesWaiting = behind;
    pxQueue->HOLDER = 0;
}

static void send(struct named *it)
{
    mask();
    send_masked(it);
    unmask();
}

static void send_from_isr(void *argument)
{
    struct named *it = argument;
    Queue_t *pxQueue = &it->queue;
    expect("%s_%s: %s=%s %s=%u", kind_of(it), is_given(it) ? "give" : "send", kind_of(it), it->name,
           counts[pxQueue->ucQueueType], pxQueue->uxMessagesWaiting + 1u);
    RUN(traceQUEUE_SEND_FROM_ISR, (pxQueue));
    pxQueue->uxMessagesWaiting++;
#if STAND_IN >= 11
    RUN(traceISR_EXIT, ()); /* portYIELD_FROM_ISR(), without an entry */
#endif
}

static void take_counted(struct named *it)
{
    if (is_mutex(it))
        expect("set_mutex_lock: task=%s mutex=%s", pxCurrentTCB->pcTaskName, it->name);
    else
        expect("%s_%s: %s=%s %s=%u", kind_of(it), is_given(it) ? "take" : "receive", kind_of(it), it->name,
               counts[it->queue.ucQueueType], it->queue.uxMessagesWaiting - 1u);
}

static void receive(struct named *it)
{
    Queue_t *pxQueue = &it->queue;
    mask();
    take_counted(it);
    RUN(traceQUEUE_RECEIVE, (pxQueue));
    pxQueue->uxMessagesWaiting--;
    if (is_mutex(it))
        pxQueue->HOLDER = (void *)pxCurrentTCB;
    unmask();
}

static void receive_from_isr(void *argument)
{
    struct named *it = argument;
    Queue_t *pxQueue = &it->queue;
    take_counted(it);
    RUN(traceQUEUE_RECEIVE_FROM_ISR, (pxQueue));
    pxQueue->uxMessagesWaiting--;
    expect("%s_receive_failed: %s=%s", kind_of(it), kind_of(it), it->name);
    RUN(traceQUEUE_RECEIVE_FROM_ISR_FAILED, (pxQueue));
    expect("%s_send_failed: %s=%s", kind_of(it), kind_of(it), it->name);
    RUN(traceQUEUE_SEND_FROM_ISR_FAILED, (pxQueue));
    expect("%s_peek: %s=%s", kind_of(it), kind_of(it), it->name);
    RUN(traceQUEUE_PEEK_FROM_ISR, (pxQueue));
    expect("%s_peek_failed: %s=%s", kind_of(it), kind_of(it), it->name);
    RUN(traceQUEUE_PEEK_FROM_ISR_FAILED, (pxQueue));
}

/* The running task waits to receive. */
static void wait_to_receive(struct named *it)
{
    Queue_t *pxQueue = &it->queue;
    if (is_mutex(it))
        expect("set_mutex_wait: task=%s mutex=%s", pxCurrentTCB->pcTaskName, it->name);
    else
        expect("%s_%s_block: %s=%s", kind_of(it), is_given(it) ? "take" : "receive", kind_of(it), it->name);
    pxCurrentTCB->state = is_mutex(it) ? 'D' : 'S';
    RUN(traceBLOCKING_ON_QUEUE_RECEIVE, (pxQueue));
}

/* ---- what the tour shows ----------------------------------------------------------------------------------------- */

static void queue_alone(struct named *it, TCB_t *low)
{
    Queue_t *pxQueue = &it->queue;
    TCB_t *self = pxCurrentTCB;
    send(it);
    send(it);
    send(it); /* overwrites: the queue is full */
    expect("queue_send_block: queue=%s", it->name);
    self->state = 'S';
    RUN(traceBLOCKING_ON_QUEUE_SEND, (pxQueue));
    switch_to(low);
    tick(1, self);
    switch_to(self);
    expect("queue_send_failed: queue=%s", it->name);
    RUN(traceQUEUE_SEND_FAILED, (pxQueue));
    expect("queue_peek: queue=%s", it->name);
    RUN(traceQUEUE_PEEK, (pxQueue));
    receive(it);
    at(IRQ, receive_from_isr, it);
    expect("queue_peek_block: queue=%s", it->name);
    self->state = 'S';
    RUN(traceBLOCKING_ON_QUEUE_PEEK, (pxQueue));
    mask();
    make_ready(self); /* something was sent meanwhile: it goes on */
    unmask();
    expect("queue_peek_failed: queue=%s", it->name);
    RUN(traceQUEUE_PEEK_FAILED, (pxQueue));
#if STAND_IN >= 11
    RUN(traceENTER_xQueueGenericReset, (pxQueue, pdTRUE)); /* as when a queue is created */
    expect("queue_reset: queue=%s", it->name);
    RUN(traceENTER_xQueueGenericReset, (pxQueue, pdFALSE));
#endif
    expect("queue_delete: queue=%s", it->name);
    RUN(traceQUEUE_DELETE, (pxQueue));
}

/* A handler gives a semaphore to a task that waits for it. */
static void semaphore(struct named *it, TCB_t *low)
{
    TCB_t *self = pxCurrentTCB;
    Queue_t *pxQueue = &it->queue;
    wait_to_receive(it);
    switch_to(low);
    at(IRQ, send_from_isr, it);
    at(IRQ, (void (*)(void *))make_ready, self);
    switch_to(self);
    receive(it);
    expect("semaphore_take_failed: semaphore=%s", it->name);
    RUN(traceQUEUE_RECEIVE_FAILED, (pxQueue));
}

/* High waits for a mutex of low, which inherits its priority: the kernel takes it out of the list of ready tasks and
 * puts it into another one. */
static void wait_for_holder(struct named *it, TCB_t *low)
{
    TCB_t *high = pxCurrentTCB;
    switch_to(low);
    receive(it);
    switch_to(high);
    wait_to_receive(it);
    mask();
    make_ready(low);
    expect("set_priority: task=%s priority=%u", low->pcTaskName, high->uxPriority);
    RUN(traceTASK_PRIORITY_INHERIT, (low, high->uxPriority));
    low->uxPriority = high->uxPriority;
    unmask();
}

/* Low gives the mutex, and its inherited priority back. */
static void give_back(struct named *it, TCB_t *low)
{
    send_masked(it);
    if (low->uxPriority != low->uxBasePriority) {
        expect("set_priority: task=%s priority=%u", low->pcTaskName, low->uxBasePriority);
        RUN(traceTASK_PRIORITY_DISINHERIT, (low, low->uxBasePriority));
    }
    low->uxPriority = low->uxBasePriority;
    make_ready(low);
}

/* High's wait ends without the mutex. Low keeps the priority of another task that waits, which is `next`. */
static void time_out(struct named *it, TCB_t *low, UBaseType_t next)
{
    UBaseType_t uxPriorityToUse = next;
    mask();
    expect("set_priority: task=%s priority=%u", low->pcTaskName, next);
    RUN(traceTASK_PRIORITY_DISINHERIT, (low, KERNEL >= 1004 ? uxPriorityToUse : low->uxBasePriority));
    low->uxPriority = uxPriorityToUse;
    make_ready(low);
    unmask();
    expect("mutex_take_failed: mutex=%s", it->name);
    RUN(traceQUEUE_RECEIVE_FAILED, (&it->queue));
}

/* High waits in vain for a mutex of low, for which another task waits, too. */
static void vain(struct named *it, TCB_t *low)
{
    TCB_t *high = pxCurrentTCB;
    wait_for_holder(it, low);
    switch_to(low);
    tick(1, high);
    switch_to(high);
    time_out(it, low, low->uxBasePriority + 1u);
    switch_to(low);
    mask();
    give_back(it, low);
    unmask();
    switch_to(high);
}

/* While high waits for a mutex of low, low gets priority `to`. */
static void contention(struct named *it, TCB_t *low, UBaseType_t to)
{
    TCB_t *high = pxCurrentTCB;
    UBaseType_t base = low->uxPriority;
    wait_for_holder(it, low);
    task_set_priority(low, to);
    switch_to(low);
    mask();
    give_back(it, low);
    make_ready(high);
    unmask();
    switch_to(high);
    receive(it);
    send(it);
    task_set_priority(low, base);
}

static void recursive(struct named *it)
{
    Queue_t *pxMutex = &it->queue;
    for (uint32_t i = 0; i < 2u; i++) {
        expect("mutex_take: mutex=%s", it->name);
        RUN(traceTAKE_MUTEX_RECURSIVE, (pxMutex));
        if (i == 0)
            receive(it);
    }
    for (uint32_t i = 0; i < 2u; i++) {
        expect("mutex_give: mutex=%s", it->name);
        RUN(traceGIVE_MUTEX_RECURSIVE, (pxMutex));
        if (i == 1u)
            send(it);
    }
    expect("mutex_give_failed: mutex=%s", it->name);
    RUN(traceGIVE_MUTEX_RECURSIVE_FAILED, (pxMutex));
}

/* Played by high, while low is ready. */
void queue_tour(TCB_t *low, TCB_t *high)
{
    static struct named rx, full, mutex, count, done, nested, set;
    create(&rx, "rx_queue", QUEUE, 2);
    create(&full, "counter", QUEUE, 3000);
    create(&mutex, "uart_mutex", MUTEX, 1);
    create(&count, "slots", COUNTING, 4);
    create(&done, "done", BINARY, 1);
    create(&nested, "nested", RECURSIVE, 1);
    create(&set, "set", STAND_IN >= 11 ? SET : QUEUE, 5);
    expect("semaphore_create_failed: semaphore=0x0");
    RUN(traceQUEUE_CREATE_FAILED, (COUNTING));
    queue_alone(&rx, low);
    semaphore(&done, low);
    semaphore(&count, low);
    contention(&mutex, low, low->uxPriority + 1u);
    contention(&mutex, low, high->uxPriority + 1u);
    vain(&mutex, low);
    recursive(&nested);
    send(&set);
}
