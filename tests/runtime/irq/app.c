/* app.c - interrupts that come by way of tlog_irq_trace(): nested, chained, at every instruction of it, on both stacks,
 * in handlers that use the FPU.
 *
 * Each handler logs user_event_1 (number, bytes between its stack and the frame that the core has written) when it
 * begins, and user_event_3 (number) when it ends. user_event_0 tells the part of the test that follows. At the end
 * user_event_5 (number, count) tells how often each handler ran, as it has counted itself. irq.sh compares. */
#include "irq.h"

uint32_t counts[CPUS][NUMBERS];
static volatile bool swept;   /* the sweep's SysTick has come */
static volatile bool uses_fp; /* handlers change the FPU's registers */
static volatile uint32_t part;

/* What the handlers do besides logging. */
static void act(uint32_t number)
{
    if ((part == NESTED || part == FPU) && number == LOW)
        pend(HIGH);
    else if (part == NESTED && number == HIGH)
        pend(SYSTICK);
    else if (part == AGAIN && number == LOW && counts[this_cpu()][LOW] % 2u == 1u)
        pend(LOW);
    else if (part == SWEPT && number == SYSTICK)
        SYST_CSR = 0, swept = true;
#ifdef __ARM_FP
    if (uses_fp)
        fpu_fill(number);
#endif
}

/* Run a handler. sp: its stack pointer on entry. Above it is what tlog has saved, at last EXC_RETURN, and the frame. */
__attribute__((used)) void inside(const uint32_t *sp)
{
    uint32_t number = tlog_irq_active(), i = 0;
    if (number == KEPT)
        sp -= 1; /* EXC_RETURN is in lr */
    else
        while (sp[i] < 0xFFFFFF80u)
            i++;
    TRACER_LOGEVENT(FTrace_EVT_user_event_1, number, number == KEPT ? 0 : 4u * (i + 1u));
    if (part == SWEPT && number == SYSTICK)
        TRACER_LOGEVENT(FTrace_EVT_user_event_2, number, sp[i + 1u + 6u]);
    counts[this_cpu()][number]++;
    act(number);
    TRACER_LOGEVENT(FTrace_EVT_user_event_3, number, 0);
}

/* A handler that tells its stack pointer. */
#define HANDLER(name)                                                                                                  \
    void name(void);                                                                                                   \
    __attribute__((naked)) void name(void)                                                                             \
    {                                                                                                                  \
        __asm volatile("mov r0, sp\n\tb inside");                                                                      \
    }
HANDLER(irq_3_handler)
HANDLER(irq_4_handler)
HANDLER(irq_5_handler)
HANDLER(irq_6_handler)
HANDLER(irq_7_handler)
HANDLER(irq_8_handler)
HANDLER(systick_handler)
HANDLER(another_handler)

/* Logs the EXC_RETURN that it finds in lr. */
__attribute__((used)) static void log_return(uint32_t exc_return)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_4, 11, exc_return);
}

void svc_handler(void);
__attribute__((naked)) void svc_handler(void)
{
    __asm volatile("mov r0, lr\n\tb log_return");
}

/* Changes between the thread on the main stack and the one on the process stack. */
void pendsv_handler(void);
__attribute__((naked)) void pendsv_handler(void)
{
    __asm volatile("eor lr, lr, #4\n\tbx lr");
}

static void begin(uint32_t next)
{
    part = next;
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, next, 0);
}

/* Each thread keeps its registers on its own stack. */
__attribute__((naked)) static void switch_threads(void)
{
    __asm volatile("push {r3-r11, lr}\n\tldr r0, =0xE000ED04\n\tmov r1, #0x10000000\n\tstr r1, [r0]\n\t"
                   "dsb\n\tisb\n\tpop {r3-r11, pc}\n\t.ltorg");
}

static void other_thread(void)
{
    for (;;) {
        pend(LOW);
        switch_threads();
    }
}

/* Interrupts while a thread runs on the process stack. PendSV leaves by an EXC_RETURN of its own. */
static void try_threads(void)
{
    static uint64_t stack[64];
    uint32_t *frame = (uint32_t *)(void *)&stack[60];
    frame[6] = (uint32_t)(uintptr_t)other_thread & ~1u;
    frame[7] = 1u << 24;
    __asm volatile("msr psp, %0" ::"r"(frame));
    begin(THREADS);
    for (uint32_t i = 0; i < 5u; i++) {
        pend(HIGH);
        switch_threads();
    }
}

static void try_order(void)
{
    begin(NESTED);
    pend(LOW);
    begin(CHAINED);
    __asm volatile("cpsid i" ::: "memory");
    pend(MIDDLE);
    pend(MIDDLE + 1u);
    pend(LOW);
    __asm volatile("cpsie i\n\tisb" ::: "memory");
    begin(AGAIN);
    pend(LOW);
    begin(UNTRACED);
    pend(KEPT);
    __asm volatile("svc #1" ::: "memory");
}

static void try_set(void)
{
    begin(SET);
    check(tlog_irq_set(CHANGED, another_handler), 20);
    check(VECTORS[CHANGED] == VECTORS[LOW], 21);
    pend(CHANGED);
    VECTORS[CHANGED] = irq_8_handler;
    VECTORS[CHANGED] = VECTORS[LOW];
    tlog_irq_keep(CHANGED);
    check(VECTORS[CHANGED] == another_handler, 22);
    check(tlog_irq_set(CHANGED, irq_8_handler), 23);
    pend(CHANGED);
    pend(LOW);
    check(!tlog_irq_set(14, irq_8_handler) && !tlog_irq_set(TLOG_IRQ_VECTORS, irq_8_handler), 24);
}

/* SysTick comes at every instruction of a lower interrupt. */
static void try_sweep(void)
{
    begin(SWEPT);
    for (uint32_t delay = 1; delay < SWEEP; delay++) {
        swept = false;
        SYST_RVR = delay;
        SYST_CVR = 0;
        SYST_CSR = 7;
        pend(LOW);
        while (!swept)
            ;
    }
}

#ifdef __ARM_FP
/* The thread's registers survive handlers that leave the FPU alone, and such as use it. */
static void try_fpu(void)
{
    for (uint32_t i = 0; i < 8u; i++) {
        begin(FPU);
        uses_fp = i % 2u == 1u;
        check(fpu_survives(LOW), 30);
    }
    uses_fp = false;
}
#else
static void try_fpu(void)
{
}
#endif

void set_priorities(void)
{
    NVIC_PRIORITY(LOW - 16u) = 0xC0;
    NVIC_PRIORITY(MIDDLE - 16u) = NVIC_PRIORITY(MIDDLE - 15u) = 0x80;
    NVIC_PRIORITY(HIGH - 16u) = NVIC_PRIORITY(KEPT - 16u) = 0x40;
    SHPR(SYSTICK) = 0x20;
    SHPR(14) = 0xFF;
    NVIC_ENABLE = 0x1F8;
}

/* The table is that of before, but for the vectors that are traced. */
static void check_vectors(const volatile tlog_irq_handler *before)
{
    for (uint32_t i = 0; i < 15u; i++)
        check(VECTORS[i] == before[i], 10);
    check(VECTORS[KEPT] == irq_7_handler && VECTORS[LOW] != irq_3_handler && VECTORS[LOW] == VECTORS[SYSTICK], 11);
    check(((uintptr_t)VECTORS & (sizeof(uint32_t) * TLOG_IRQ_VECTORS - 1u) & ~(sizeof(uint32_t) * 64u)) == 0, 12);
}

static void log_counts(uint32_t cpu)
{
    for (uint32_t i = 0; i < NUMBERS; i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_5, cpu << 8 | i, counts[cpu][i]);
}

/* Log a first lap, so that no event of the test formats slots: the sweep is to find the same instructions each time. */
static void fill_first_lap(void)
{
    for (uint32_t i = 0; i < TLOG_SLOTS; i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_6, i, 0);
}

int main(void)
{
    const volatile tlog_irq_handler *before = VECTORS;
#ifdef __ARM_FP
    *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20;
    __asm volatile("dsb\n\tisb");
#endif
    fill_first_lap();
    set_priorities();
    check(!tlog_irq_set(CHANGED, another_handler), 1);
    tlog_irq_keep(KEPT);
#ifdef TOO_SMALL
    check(!tlog_irq_trace() && VECTORS == before, 2);
    return 0;
#endif
    check(tlog_irq_trace() && VECTORS != before && tlog_irq_trace(), 3);
    check_vectors(before);
    try_order();
    try_threads();
    try_set();
    try_fpu();
    start_other();
    try_sweep();
    begin(COUNTS);
    for (uint32_t i = 0; i < CPUS; i++)
        log_counts(i);
    return tlog_dropped() != 0;
}
