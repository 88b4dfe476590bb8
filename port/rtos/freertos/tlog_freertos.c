/* SPDX-License-Identifier: MIT */
/* tlog_freertos.c - what the hooks of tlog_freertos.h call. With -ffunction-sections and --gc-sections a firmware gets
 * only the functions that its kernel uses. */
#include "FreeRTOS.h"

#include "task.h"
#include "tlog_config.h"

/* If FreeRTOSConfig.h had not included tlog_freertos.h, the kernel would call no hook. */
#if TLOG_ENABLE && !defined TLOG_FREERTOS_H
#error "tlog: FreeRTOSConfig.h does not include tlog_freertos.h: write that at its end, and compile the kernel again"
#elif TLOG_ENABLE

/* V10.0.0 says that it is 9.0, but has a macro that came with it. */
#if TLOG_FREERTOS_BEFORE(10, 0) && !defined configPRE_SUPPRESS_TICKS_AND_SLEEP_PROCESSING
#error "tlog: this kernel is older than FreeRTOS 10.0: take a newer one, or make the calls of tlog_rtos.h yourself"
#elif !TLOG_FREERTOS_BEFORE(12, 0)
#error "tlog: this kernel is newer than FreeRTOS 11: take FreeRTOS 11, or a newer tlog"
#else
#include "tlog_rtos_idle.h"

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* How many characters of its name an idle task keeps at least. Several cores have their number behind them. */
#define TLOG_FREERTOS_NUMBERED (TLOG_CPUS > 1 ? 1 : 0)
#define TLOG_FREERTOS_KEPT                                                                                             \
    (configMAX_TASK_NAME_LEN > 1 + TLOG_FREERTOS_NUMBERED ? configMAX_TASK_NAME_LEN - 1 - TLOG_FREERTOS_NUMBERED : 1)

/* Whether an idle task has that name. */
static bool is_idle_name(const char *name)
{
    const char *idle_name = TLOG_FREERTOS_IDLE, *end = name + TLOG_FREERTOS_KEPT;
    while (name != end && *idle_name != '\0')
        if (*name++ != *idle_name++)
            return false;
    return name[TLOG_FREERTOS_NUMBERED] == '\0';
}

#if TLOG_MINIMAL
/* The minimal runtime does not reuse the room of a name, so it is not for firmware that keeps creating tasks. */
static uint32_t take_context(uint32_t number)
{
    return (number & 0xFFFFu) != 0 ? number & 0xFFFFu : 1u;
}

static void give_back(uint32_t context)
{
    (void)context;
}
#else
/* For each block of 1024 contexts, how many tasks in it live. The kernel masks interrupts and holds its locks where
 * these numbers change. */
static uint16_t living[64];

/* A context for a task whose number does not fit in a record: the next one after the last. Blocks in which tasks live
 * are skipped. */
static uint32_t next_context(void)
{
    static uint32_t last = 0xFFFFu;
    last++;
    for (uint32_t tries = 0; last % 1024u == 0 && living[last / 1024u % 64u] != 0 && tries < 64u; tries++)
        last += 1024u;
    if ((last & 0xFFFFu) == 0)
        last++;
    return last & 0xFFFFu;
}

static uint32_t take_context(uint32_t number)
{
    const uint32_t context = number <= 0xFFFFu ? number : next_context();
    living[context / 1024u]++;
    return context;
}

static void give_back(uint32_t context)
{
    if (context != 0)
        living[context / 1024u]--;
}
#endif

/* A task with the priority and the name of an idle task is taken for one. There is one for each core. It needs no name,
 * so in the name's place the order of priorities is told: one call for both takes less flash. */
uint32_t tlog_freertos_task_create(uint32_t number, const char *name, uint32_t priority)
{
    uint32_t context = 0, kind = TLOG_NAME_ORDER;
    tlog_rtos_begin();
    if (priority == 0 && is_idle_name(name)) {
        name = TLOG_HIGHEST_FIRST;
    } else {
        kind = TLOG_NAME_TASK;
        context = take_context(number);
    }
    tlog_name(kind, context, name);
    tlog_rtos_task_create(context, 0, (int32_t)priority);
    return context;
}

void tlog_freertos_task_delete(uint32_t context)
{
    give_back(context);
    tlog_rtos_task_delete(context);
}

void tlog_freertos_ready(uint32_t context)
{
    tlog_rtos_ready(context);
}

void tlog_freertos_priority(uint32_t context, uint32_t priority)
{
    tlog_rtos_priority(context, (int32_t)priority);
}

static bool has_begun[TLOG_CPUS];

#if TLOG_CPUS > 1
void tlog_freertos_switch(uint32_t context)
{
    has_begun[tlog_cpu_number()] = true;
    tlog_rtos_switch(context);
}
#endif

void tlog_freertos_first(uint32_t context, uint32_t core)
{
    if (has_begun[core])
        return;
    has_begun[core] = true;
    tlog_record_call(FTrace_EVT_context_switch, context, 0); /* as tlog_rtos_switch(); rare */
}

#if TLOG_CPUS == 1
/* Whether no task that has run was ready beside the idle task when that was switched in, nor has been resumed since. */
static bool is_idle_alone;

void tlog_freertos_idle(bool is_alone)
{
    is_idle_alone = is_alone;
    if (is_alone && configUSE_IDLE_HOOK == 0)
        tlog_rtos_tell_idle();
}

/* Masked, so that no other task runs between the question and the answer. */
void tlog_rtos_idle(void)
{
    taskENTER_CRITICAL();
    if (is_idle_alone)
        tlog_rtos_tell_idle();
    taskEXIT_CRITICAL();
}

void tlog_freertos_stops(const void *task)
{
    tlog_rtos_stop((uintptr_t)task);
}

/* Trap: a task of the idle task's priority, or one that the scheduler makes ready later, does not end idle's run. */
void tlog_freertos_goes_on(const void *task)
{
    if (tlog_rtos_stopped.count != 0)
        is_idle_alone = false;
    tlog_rtos_go_on((uintptr_t)task);
}
#else
void tlog_rtos_idle(void)
{
}
#endif

/* The context of a task; 0 for none. */
static uint32_t context_of(void *task)
{
    return (uint32_t)uxTaskGetTaskNumber((TaskHandle_t)task);
}

void tlog_freertos_stack_overflow(void *task)
{
    tlog_record_emergency(TLOG_RTOS_other << 4 | TLOG_RTOS_FAMILY,
                          TLOG_RTOS_REASON(TLOG_RTOS_stack_overflow, TLOG_NAME_TASK), context_of(task));
}

static __attribute__((noreturn)) void stop(void)
{
    taskDISABLE_INTERRUPTS();
    for (;;)
        ;
}

/* Used if the application has none. */
__attribute__((weak)) void vApplicationStackOverflowHook(TaskHandle_t task, char *name);
__attribute__((weak)) void vApplicationStackOverflowHook(TaskHandle_t task, char *name)
{
    (void)name;
    tlog_freertos_stack_overflow(task);
    stop();
}

__attribute__((weak)) void vApplicationMallocFailedHook(void);
__attribute__((weak)) void vApplicationMallocFailedHook(void)
{
    stop();
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) void delete_object(uint32_t kind, uintptr_t object)
{
    tlog_rtos_object(TLOG_RTOS_delete, kind, object, 0);
    tlog_forget(kind, object);
}

#if TLOG_START
void tlog_freertos_begin(void)
{
    tlog_rtos_begin();
}
#endif

/* Ends in a jump, so it takes no stack of the task. */
void tlog_freertos_object(uint32_t operation, uint32_t kind, uintptr_t object, uint32_t value)
{
    if (operation == TLOG_RTOS_delete)
        delete_object(kind, object);
    else
        tlog_rtos_object(operation, kind, object, value);
}

#if TLOG_FREERTOS_WHY || TLOG_FREERTOS_QUEUES
/* The kind of a queue of that type. */
static uint32_t kind_of_type(uint32_t type)
{
    static const uint8_t kinds[] = {TLOG_NAME_QUEUE,     TLOG_NAME_MUTEX, TLOG_NAME_SEMAPHORE,
                                    TLOG_NAME_SEMAPHORE, TLOG_NAME_MUTEX, TLOG_NAME_QUEUE_SET};
    return type < sizeof kinds ? kinds[type] : TLOG_NAME_QUEUE;
}

/* What a queue has at a place that tlog_freertos.h checks. */
static uint32_t word_at(const void *queue, size_t offset)
{
    const volatile UBaseType_t *word = (const volatile UBaseType_t *)((uintptr_t)queue + offset);
    return (uint32_t)*word;
}

static __attribute__((noinline)) uint32_t kind_of(const void *queue)
{
    return kind_of_type(((const uint8_t *)queue)[offsetof(StaticQueue_t, ucDummy9)]);
}

static uint32_t count_in(const void *queue)
{
    return word_at(queue, offsetof(StaticQueue_t, uxDummy4[0]));
}

static uint32_t length_of(const void *queue)
{
    return word_at(queue, offsetof(StaticQueue_t, uxDummy4[1]));
}

/* The number that the event tells. The kernel changes its count after this. */
static uint32_t count_behind(uint32_t operation, const void *queue)
{
    uint32_t count = count_in(queue), length = length_of(queue);
    if (operation == TLOG_RTOS_create)
        return length;
    if (operation == TLOG_RTOS_reset)
        return 0;
    if (operation == TLOG_RTOS_send)
        return count + (count < length);
    return operation == TLOG_RTOS_receive ? count - 1u : count;
}

static void *holder_of(const void *mutex)
{
    return *(void *const volatile *)((uintptr_t)mutex + offsetof(StaticQueue_t, TLOG_FREERTOS_HOLDER_THERE));
}

/* The task that the event of a mutex tells: who gives it, or else who runs. */
static void *task_at(uint32_t operation, const void *mutex)
{
#if configUSE_MUTEXES == 1
    return operation == TLOG_RTOS_send ? holder_of(mutex) : (void *)xTaskGetCurrentTaskHandle();
#else
    return holder_of(mutex); /* there are none */
#endif
}

/* Trap: the kernel gives a mutex once when it creates it, and no task holds it then. */
void tlog_freertos_queue(uint32_t operation, const void *queue)
{
    uint32_t kind = kind_of(queue), value = count_behind(operation, queue);
    if (kind == TLOG_NAME_MUTEX
        && (operation == TLOG_RTOS_send || operation == TLOG_RTOS_receive || operation & TLOG_RTOS_WAITS)) {
        void *task = task_at(operation, queue);
        if (task == 0 && operation == TLOG_RTOS_send)
            return;
        value = context_of(task);
    }
    tlog_freertos_object(operation, kind, (uintptr_t)queue, value);
}
#endif

#if TLOG_FREERTOS_QUEUES
/* A message may overwrite another one, which does not change the count; a semaphore has none. */
static bool is_plain(const void *queue)
{
    return kind_of(queue) != TLOG_NAME_MUTEX && length_of(queue) < TLOG_RTOS_COUNT_MOST
           && word_at(queue, offsetof(StaticQueue_t, uxDummy4[2])) == 0;
}

void tlog_freertos_create(void *queue)
{
    UBaseType_t *number = (UBaseType_t *)((uintptr_t)queue + offsetof(StaticQueue_t, uxDummy8));
    *number = is_plain(queue) ? (UBaseType_t)(TLOG_FREERTOS_PLAIN ^ kind_of(queue)) : 0;
    tlog_rtos_begin();
    tlog_freertos_queue(TLOG_RTOS_create, queue);
}

void tlog_freertos_send(const void *queue)
{
    tlog_freertos_move(TLOG_RTOS_send, queue, word_at(queue, offsetof(StaticQueue_t, uxDummy8)), count_in(queue));
}

void tlog_freertos_receive(const void *queue)
{
    tlog_freertos_move(TLOG_RTOS_receive, queue, word_at(queue, offsetof(StaticQueue_t, uxDummy8)), count_in(queue));
}
#endif

#if TLOG_FREERTOS_WHY || TLOG_FREERTOS_STREAM_BUFFERS
static uint32_t buffer_kind(const void *buffer)
{
    uint32_t flags = ((const uint8_t *)buffer)[offsetof(StaticStreamBuffer_t, ucDummy3)];
    return flags & 1u ? TLOG_NAME_MESSAGE_BUFFER : TLOG_NAME_STREAM_BUFFER;
}
#endif

#if TLOG_FREERTOS_STREAM_BUFFERS
void tlog_freertos_buffer(uint32_t operation, const void *buffer, uint32_t bytes)
{
    tlog_freertos_object(operation, buffer_kind(buffer), (uintptr_t)buffer, bytes);
}
#endif

#if TLOG_FREERTOS_QUEUES
void tlog_freertos_queue_failed(uint32_t type)
{
    tlog_freertos_object(TLOG_RTOS_create | TLOG_RTOS_FAILED, kind_of_type(type), 0, 0);
}

void tlog_freertos_name_queue(const void *queue, const char *name)
{
    tlog_name(kind_of(queue), (uintptr_t)queue, name);
}
#endif

/* ---- why a task waits -------------------------------------------------------------------------------------------- */

#if TLOG_FREERTOS_WHY
void tlog_freertos_delay(uint32_t ticks)
{
    tlog_rtos_block(0, TLOG_RTOS_delay, 0, ticks);
}

void tlog_freertos_suspend(uint32_t context)
{
    tlog_rtos_block(context, TLOG_RTOS_suspend, TLOG_NAME_TASK, 0);
}

void tlog_freertos_resume(uint32_t context)
{
    tlog_rtos_object(TLOG_RTOS_resume, TLOG_NAME_TASK, context, 0);
}

void tlog_freertos_wait_bits(void *group, uint32_t bits)
{
    tlog_rtos_object(TLOG_RTOS_wait_bits, TLOG_NAME_EVENT_GROUP, (uintptr_t)group, bits);
}

/* The task that is about to wait for a buffer, and that buffer's address, with TLOG_FREERTOS_IS_SENT in its lowest bit.
 * Another task may write here at any time. Whoever reads here finds both words of the same task, or no task. */
static struct {
    const void *volatile task;
    volatile uintptr_t buffer;
} about_to_wait;

enum { TLOG_FREERTOS_IS_SENT = 1 };

void tlog_freertos_buffer_wait(const void *buffer, uint32_t is_sent, const void *task)
{
    uintptr_t what = (uintptr_t)buffer | (is_sent ? TLOG_FREERTOS_IS_SENT : 0u);
    about_to_wait.task = 0;
    about_to_wait.buffer = what;
    about_to_wait.task = task;
    if (about_to_wait.buffer != what)
        about_to_wait.task = 0;
}

void tlog_freertos_notification_wait(uintptr_t index, const void *task)
{
    uintptr_t what = about_to_wait.buffer, object = index;
    uint32_t operation = TLOG_RTOS_wait, kind = TLOG_NAME_NOTIFICATION;
    if (about_to_wait.task == task) {
        about_to_wait.task = 0; /* if the task is deleted, a new one may have the same address */
        object = what & ~(uintptr_t)TLOG_FREERTOS_IS_SENT;
        operation = what & TLOG_FREERTOS_IS_SENT ? TLOG_RTOS_send : TLOG_RTOS_receive;
        kind = buffer_kind((const void *)object);
    }
    tlog_freertos_object(operation | TLOG_RTOS_WAITS, kind, object, 0);
}

void tlog_freertos_waited(uintptr_t index, const void *task)
{
    if (about_to_wait.task == task)
        about_to_wait.task = 0;
    if (TLOG_FREERTOS_NOTIFICATIONS)
        tlog_freertos_object(TLOG_RTOS_wait, TLOG_NAME_NOTIFICATION, index, 0);
}
#endif

/* ---- timers ------------------------------------------------------------------------------------------------------ */

#if TLOG_FREERTOS_TIMERS
void tlog_freertos_timer_create(void *timer, const char *name, uint32_t period)
{
    tlog_rtos_begin();
    if (name != 0)
        tlog_name(TLOG_NAME_TIMER, (uintptr_t)timer, name);
    tlog_freertos_object(TLOG_RTOS_create, TLOG_NAME_TIMER, (uintptr_t)timer, period);
}

/* added: TLOG_RTOS_FAILED, or 0. */
void tlog_freertos_timer(void *timer, int32_t command, uint32_t added)
{
    /* what commands 0..9 do */
    static const uint8_t operations[] = {TLOG_RTOS_start,  TLOG_RTOS_start,  TLOG_RTOS_reset, TLOG_RTOS_stop,
                                         TLOG_RTOS_change, TLOG_RTOS_delete, TLOG_RTOS_start, TLOG_RTOS_reset,
                                         TLOG_RTOS_stop,   TLOG_RTOS_change};
    uint32_t operation = (uint32_t)command < sizeof operations ? operations[command] : TLOG_RTOS_call;
    tlog_freertos_object(operation | added, TLOG_NAME_TIMER, (uintptr_t)timer, 0);
}

void tlog_freertos_call(uintptr_t function, int32_t sent)
{
    tlog_freertos_object(TLOG_RTOS_call | (sent != pdPASS ? TLOG_RTOS_FAILED : 0u), 0, function & ~(uintptr_t)1, 0);
}
#endif

/* ---- ticks and sleep --------------------------------------------------------------------------------------------- */

#if TLOG_FREERTOS_SLEEP && configUSE_TICKLESS_IDLE != 0
/* How many ticks of the clock a tick of the kernel has, times 2^16. */
#define TLOG_FREERTOS_PER_TICK (((uint64_t)tlog_rate_now() << 16) / configTICK_RATE_HZ)

static struct {
    uint32_t clock, count; /* the clock, and the kernel's count, in the last tick */
    bool is_asleep, has_slept;
} tick;

/* Called behind tlog_tick(), which opens the ring. */
static uint32_t clock_now(void)
{
    return tlog_port_now_at(tlog_cpu_here()->clock);
}

/* The kernel counts `count` ticks now. If the clock is behind by a quarter of a tick or more, it stood still, and is
 * advanced by what is missing. During a sleep the kernel's count lags by up to a tick, so this is exact only when
 * called in a tick. */
static void catch_up(uint32_t count)
{
    uint32_t ticks = (TickType_t)(count - tick.count);
    int64_t missing = (int64_t)(ticks * TLOG_FREERTOS_PER_TICK >> 16) - (int64_t)(uint32_t)(clock_now() - tick.clock);
    if (TLOG_SLEEP_HZ == 0 && missing > (int64_t)(TLOG_FREERTOS_PER_TICK >> 18))
        tlog_clock_slept((uint64_t)missing >> TLOG_CLOCK_SHIFT);
}

/* The tick that ends a sleep still has the count from before the sleep, so it is ignored. */
static void note_tick(uint32_t count)
{
    if (tick.is_asleep)
        return;
    if (tick.has_slept)
        catch_up(count);
    tick.has_slept = false;
    tick.clock = clock_now();
    tick.count = count;
}
#else
static void note_tick(uint32_t count)
{
    (void)count;
}
#endif

void tlog_freertos_tick(uint32_t count)
{
    tlog_tick();
    note_tick(count);
    if (TLOG_FREERTOS_TICK)
        tlog_rtos_object(TLOG_RTOS_tick, 0, count, 0);
}

#if TLOG_FREERTOS_SLEEP && configUSE_TICKLESS_IDLE != 0
void tlog_freertos_sleep_begin(void)
{
    tlog_tick();
    if (configUSE_IDLE_HOOK != 0)
        tlog_rtos_idle();
    tick.is_asleep = true;
    tlog_rtos_object(TLOG_RTOS_sleep_begin, 0, xTaskGetTickCount(), 0);
}

/* The hook of a tick has the count of the tick before. */
void tlog_freertos_slept(uint32_t count)
{
    tick.has_slept = true;
    catch_up(count - 1u);
}

void tlog_freertos_sleep_end(void)
{
    tick.is_asleep = false;
    tlog_rtos_object(TLOG_RTOS_sleep_end, 0, xTaskGetTickCount(), 0);
}
#endif

/* ---- heap -------------------------------------------------------------------------------------------------------- */

#if TLOG_FREERTOS_HEAP
size_t xPortGetFreeHeapSize(void) __attribute__((weak)); /* heap_3 has none */

/* The bytes in use. The first call is an allocation of `first` bytes, from which the size of the whole heap follows,
 * without the bytes that the kernel lost to alignment. */
static uint32_t in_use(uint32_t first)
{
    static uint32_t all;
    uint32_t rest;
    if (xPortGetFreeHeapSize == 0)
        return 0;
    rest = (uint32_t)xPortGetFreeHeapSize();
    if (all == 0)
        all = rest + first;
    return all - rest;
}

void tlog_freertos_heap(uint32_t operation, const void *block, uint32_t bytes)
{
    tlog_rtos_begin();
    if (block == 0)
        tlog_record_emergency(TLOG_RTOS_fail << 4 | TLOG_RTOS_FAMILY, TLOG_RTOS_REASON(TLOG_RTOS_allocate, 0), bytes);
    else
        tlog_freertos_object(operation, 0, in_use(bytes), bytes);
}
#endif

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

#if TLOG_FREERTOS_ISR && __ARM_ARCH_PROFILE == 'M'
static uint32_t entered[TLOG_CPUS][16]; /* a bit for each exception */

static uint32_t exception(void)
{
    uint32_t ipsr;
    __asm volatile("mrs %0, ipsr" : "=r"(ipsr));
    return ipsr & 0x1FFu;
}

/* code: FTrace_EVT_interrupt_start or _end. A handler that interrupts between the read and the write of the word leaves
 * it as it was, or with its own bit set, which does no harm. The end of a handler whose start was not logged is not
 * logged, either. */
void tlog_freertos_isr(uint32_t code)
{
    uint32_t number = exception(), bit = 1u << number % 32u, *word = &entered[tlog_cpu_number()][number / 32u];
    uint32_t before = *word;
    bool is_start = code == FTrace_EVT_interrupt_start;
    if (is_start ? tlog_rtos_is_traced(number) : (before & bit) == 0)
        return;
    *word = is_start ? before | bit : before & ~bit;
    tlog_record_call(code, number, 0);
}
#endif

#endif
#endif
