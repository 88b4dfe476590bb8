/* emit.c - the wrapper whose instructions are counted, in a translation unit of its own. Each -D selects one variant.
 */
#include "emit.h"

#if defined(EMIT_INLINE) || defined(EMIT_CALL) || defined(EMIT_TICK) || defined(EMIT_START) || defined(EMIT_EVENT)     \
    || defined(EMIT_WORDS) || defined(EMIT_FAST) || defined(EMIT_PRINTK) || defined(EMIT_TEXT) || defined(EMIT_BYTES)  \
    || defined(EMIT_NAME) || defined(EMIT_PRINTK_TEXT) || defined(EMIT_OWN) || defined(EMIT_FREERTOS)                  \
    || defined(EMIT_RENAME) || defined(EMIT_NEW_NAME) || defined(EMIT_PRIORITY)
#include "tlog.h"
#endif

#ifdef EMIT_IRQ
#include "tlog_irq.h"
static void do_nothing(void)
{
}

/* The linker gives irq_3_handler that function, or tlog_irq_any(). */
void handle_plainly(void);
void handle_plainly(void)
{
}

const tlog_irq_handler tlog_irq_handlers[] = {[16 + 3] = do_nothing};

static inline void pend_irq(void)
{
    *(volatile uint32_t *)0xE000E200u = 1u << 3;
    __asm volatile("dsb\n\tisb" ::: "memory");
}
#endif

#ifdef EMIT_FREERTOS /* what a kernel's file has at hand when it expands the hooks */
#include "tlog_freertos.h"
#define tskIDLE_PRIORITY              0u
#define listCURRENT_LIST_LENGTH(list) ((list)->uxNumberOfItems)
struct task {
    unsigned long uxTaskNumber, uxPriority;
};
static struct {
    unsigned long uxNumberOfItems;
} pxReadyTasksLists[1] __attribute__((unused));
static struct task tasks[2];
static struct task *volatile pxCurrentTCB = tasks;
static struct {
    volatile unsigned long uxMessagesWaiting, uxQueueNumber;
} semaphore;

/* No task is idle here, and no queue is anything but a semaphore. */
void tlog_freertos_idle(bool is_alone)
{
    (void)is_alone;
}

void tlog_freertos_queue(uint32_t operation, const void *queue)
{
    (void)operation, (void)queue;
}

/* EMIT_FREERTOS 1: with the hooks of a switch; 2, 3: of a semaphore that is given, taken. */
static inline void freertos(uint32_t a, uint32_t b)
{
    struct task *next = &tasks[a & 1u];
    next->uxTaskNumber = b;
    pxCurrentTCB = next;
    semaphore.uxMessagesWaiting = 1;
    semaphore.uxQueueNumber = TLOG_FREERTOS_PLAIN ^ TLOG_NAME_SEMAPHORE;
#if EMIT_FREERTOS == 1
    traceTASK_SWITCHED_IN();
#elif EMIT_FREERTOS == 2
    traceQUEUE_SEND(&semaphore);
#elif EMIT_FREERTOS == 3
    traceQUEUE_RECEIVE(&semaphore);
#endif
}
#endif

#ifdef EMIT_RTOS /* a call that kernels' hooks make */
#include "tlog_rtos.h"
#define RTOS_switch()   tlog_rtos_switch(a & 0xFFFFu), (void)b
#define RTOS_ready()    tlog_rtos_ready(a & 0xFFFFu), (void)b
#define RTOS_priority() tlog_rtos_priority(1, (int32_t)(b & 0x3FFFu)), (void)a
#define RTOS_block()    tlog_rtos_block(a & 0xFFFFu, TLOG_RTOS_receive, TLOG_NAME_QUEUE, b)
#define RTOS_object()   tlog_rtos_object(TLOG_RTOS_send, TLOG_NAME_QUEUE, b, a & 15u)
#define RTOS_mutex()    tlog_rtos_object(TLOG_RTOS_receive, TLOG_NAME_MUTEX, b, a & 0xFFFFu)
#define RTOS_create()   tlog_rtos_task_create(1 + b % 16u, "worker", 3), (void)a
#define RTOS_delete()   tlog_rtos_task_delete(1 + b % 16u), (void)a
#define RTOS_waits()                                                                                                   \
    tlog_rtos_will_wait(&plan, TLOG_RTOS_receive, TLOG_NAME_QUEUE, b), tlog_rtos_waits(a & 0xFFFFu, &plan)
#define RTOS_heap() tlog_rtos_object(TLOG_RTOS_allocate, 0, b, a & 0xFFu)
#define RTOS_handler()                                                                                                 \
    tlog_record(FTrace_EVT_interrupt_start, a & 0xFFFFu, 0), tlog_record(FTrace_EVT_interrupt_end, b & 0xFFFFu, 0)
static struct tlog_rtos_plan plan __attribute__((unused));

/* 1: each of 16 tasks exists, and the one that the call creates is deleted before. 2: none exists, and the one that the
 * call deletes is created before. That is not counted. */
#ifdef BENCH_PREPARE
void prepare(uint32_t b)
{
    static bool all;
    for (uint32_t i = 1; i <= 16 && !all; i++)
        tlog_rtos_task_create(i, "worker", 3);
    for (uint32_t i = 1; i <= 16 && !all && BENCH_PREPARE == 2; i++)
        tlog_rtos_task_delete(i);
    all = true;
    if (BENCH_PREPARE == 1)
        tlog_rtos_task_delete(1 + b % 16u);
    else
        tlog_rtos_task_create(1 + b % 16u, "worker", 3);
}
#endif

#define RTOS(which)    RTOS_OF(which)
#define RTOS_OF(which) RTOS_##which()
#endif

#ifdef EMIT_ZEPHYR /* likewise */
#include <zephyr/kernel.h>
#include <zephyr/kernel_structs.h>

#include "tlog_zephyr.h"

static struct k_thread threads[2];
static struct k_mutex mutex;
static struct k_sem sem;
struct z_kernel _kernel = {&threads[0], {&threads[1]}};
static volatile int result; /* the kernel's calls succeed, which the compiler does not know */
void sys_trace_isr_enter(void);
void sys_trace_isr_exit(void);

/* The hook of that number, or none. From 5 on: all hooks of a switch, of a mutex that is locked and unlocked, and of an
 * interrupt. */
static inline void zephyr(uint32_t a, uint32_t b)
{
    int ret = result;
    mutex.lock_count = 1;
    mutex.owner = &threads[0];
    sem.count = a;
    (void)b;
#ifdef __OPTIMIZE_SIZE__
    __asm volatile("" ::: "lr"); /* as the kernel's functions, which call others, this one saves LR in any case */
#endif
#if EMIT_ZEPHYR == 1
    sys_port_trace_k_mutex_lock_exit(&mutex, K_FOREVER, ret);
#elif EMIT_ZEPHYR == 2
    sys_port_trace_k_mutex_unlock_enter(&mutex);
#elif EMIT_ZEPHYR == 3
    sys_port_trace_k_sem_give_enter(&sem);
#elif EMIT_ZEPHYR == 4
    sys_port_trace_k_sem_take_exit(&sem, K_FOREVER, ret);
#elif EMIT_ZEPHYR == 5
    sys_port_trace_k_thread_switched_out();
    sys_port_trace_k_thread_switched_in();
#elif EMIT_ZEPHYR == 6
    sys_port_trace_k_mutex_lock_exit(&mutex, K_FOREVER, ret);
    sys_port_trace_k_mutex_unlock_enter(&mutex);
#elif EMIT_ZEPHYR == 7
    sys_trace_isr_enter();
    sys_trace_isr_exit();
#endif
    (void)ret;
}
#endif

#ifdef EMIT_OWN
TLOG_DEFINE_EVENT(none)
TLOG_DEFINE_EVENT(u32, (u32, first))
TLOG_DEFINE_EVENT(u8_i16, (u8, first), (i16, second))
TLOG_DEFINE_EVENT(u32_u32, (u32, first), (u32, second))
TLOG_DEFINE_EVENT(four, (u32, first), (u32, second), (u32, third), (u32, fourth))
TLOG_DEFINE_EVENT(str16, (str, text))
TLOG_DEFINE_EVENT(u8_str, (u8, first), (str, text))
TLOG_DEFINE_SPAN(span)
#define OWN_none()    trace_none(), (void)a, (void)b
#define OWN_u32()     trace_u32(a), (void)b
#define OWN_u8_i16()  trace_u8_i16((uint8_t)a, (int16_t)b)
#define OWN_u32_u32() trace_u32_u32(a, b)
#define OWN_four()    trace_four(a, b, b, a)
#define OWN_str16()   trace_str16("sixteen letters."), (void)a, (void)b
#define OWN_s16()                                                                                                      \
    (void)a, (void)b;                                                                                                  \
    TLOG_PRINTK("%s", "sixteen letters.")
#define OWN_u8_str()  trace_u8_str((uint8_t)a, "sixteen letters."), (void)b
#define OWN_begin()   TLOG_SPAN_BEGIN(span), (void)a, (void)b
#define OWN(which)    OWN_OF(which)
#define OWN_OF(which) OWN_##which()
#endif

#ifdef EMIT_PRINTK
#define FORMAT_0     "none"
#define FORMAT_1     "%u", (unsigned)a
#define FORMAT_2     "%u %u", (unsigned)a, (unsigned)b
#define FORMAT_3     "%u %u %u", (unsigned)a, (unsigned)b, (unsigned)a
#define FORMAT_4     "%u %u %u %u", (unsigned)a, (unsigned)b, (unsigned)b, (unsigned)a
#define FORMAT_5     "%u %u %u %u %u", (unsigned)a, (unsigned)b, (unsigned)b, (unsigned)a, (unsigned)b
#define FORMAT_6     "%u %u %u %u %u %u", (unsigned)a, (unsigned)b, (unsigned)b, (unsigned)a, (unsigned)b, (unsigned)a
#define FORMAT(n)    FORMAT_OF(n)
#define FORMAT_OF(n) FORMAT_##n
#endif

#if defined(EMIT_RENAME) || defined(EMIT_NEW_NAME) || defined(EMIT_PRIORITY)
/* A fact of another task with each call; but for new ones, of 40 in turn. */
static inline void tell_fact(void)
{
    static uint32_t task, turn;
    task++;
#if defined(EMIT_NEW_NAME)
    (void)turn;
#else
    if (task > 40u) {
        task = 1;
        turn++;
    }
#endif
#if defined(EMIT_RENAME)
    tlog_name(TLOG_NAME_TASK, task, turn & 1u ? "first name." : "other name.");
#elif defined(EMIT_NEW_NAME)
    tlog_name(TLOG_NAME_TASK, task, "first name.");
#else
    tlog_priority(task, (int32_t)turn);
#endif
}
#endif

void emit(uint32_t a, uint32_t b)
{
#if defined(EMIT_INLINE)
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, a, b);
#elif defined(EMIT_CALL)
    tlog_record_call(FTrace_EVT_user_event_0, a, b);
#elif defined(EMIT_FAST)
    FAST_TRACER_LOGEVENT(FTrace_EVT_user_event_0, a, b);
#elif defined(EMIT_EVENT)
    tlog_event(TLOG_TRACE_USER, 7, a, b);
#elif defined(EMIT_WORDS)  /* that many words, whose values the compiler does not know */
    (void)a, (void)b;
    tlog_event_words(TLOG_TRACE_USER, 7, emit_words, EMIT_WORDS);
#elif defined(EMIT_PRINTK) /* that many integers */
    (void)a, (void)b;
    TLOG_PRINTK(FORMAT(EMIT_PRINTK));
#elif defined(EMIT_TEXT) || defined(EMIT_BYTES) || defined(EMIT_NAME) || defined(EMIT_PRINTK_TEXT) /* any length */
    const char *some = emit_text + a % sizeof emit_text;
    (void)b;
#if defined(EMIT_TEXT)
    trace_logs(7, some);
#elif defined(EMIT_BYTES)
    trace_logb(7, emit_text, a % (TLOG_EVENT_BYTES_MAX + 1u));
    (void)some;
#elif defined(EMIT_NAME)
    tlog_name(TLOG_NAME_TASK, 7, some);
#else
    TLOG_PRINTK("%s", some);
#endif
#elif defined(EMIT_RENAME) || defined(EMIT_NEW_NAME) || defined(EMIT_PRIORITY)
    tell_fact(), (void)a, (void)b;
#elif defined(EMIT_FREERTOS)
    freertos(a, b);
#elif defined(EMIT_RTOS)
    RTOS(EMIT_RTOS);
#elif defined(EMIT_ZEPHYR)
    zephyr(a, b);
#elif defined(EMIT_OWN)
    OWN(EMIT_OWN);
#elif defined(EMIT_TICK)
    tlog_tick(), (void)a, (void)b;
#elif defined(EMIT_START)
    tlog_start(), (void)a, (void)b;
#elif defined(EMIT_IRQ) /* an interrupt, whose handler is empty */
    pend_irq(), (void)a, (void)b;
#elif defined(EMIT_EMPTY)
    (void)a, (void)b;
#elif defined(EMIT_NOPS) /* calibration: 100 instructions */
    (void)a, (void)b;
    __asm volatile(".rept 100\n\tnop\n\t.endr");
#elif defined(                                                                                                         \
    EMIT_MASKED) /* calibration: 10 instructions, of which 4 + 3 in two masked windows, the unmasking included */
    (void)a, (void)b;
    __asm volatile("cpsid i\n\tnop\n\tnop\n\tnop\n\tcpsie i\n\t"
                   "movs r0, #16\n\tmsr basepri, r0\n\tnop\n\tmovs r0, #0\n\tmsr basepri, r0" ::
                       : "r0");
#else
#error "emit.c: which variant?"
#endif
}
