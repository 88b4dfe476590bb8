/* app.c - firmware of smp.sh: a stand-in for a kernel on two cores, which run at the same time. Each core has two tasks
 * and an idle task, and switches between them, in PendSV, by the number of the round alone; so the application knows
 * what the trace of each core must show. As with FreeRTOS, the first hook of core 0 is SWITCHED_IN, that of core 1
 * SWITCHED_OUT, and in every third round the same task goes on. */
#include "FreeRTOS.h"

#include "task.h"

#include "board.h"
#include "board_cpus.h"
#include "out_semihost.h"

enum { CORES = 2, TASKS = 3, ROUNDS = 300 };

typedef struct tskTaskControlBlock {
    char pcTaskName[8];
    UBaseType_t uxPriority, uxTCBNumber, uxTaskNumber;
} TCB_t;

static TCB_t tasks[CORES][TASKS]; /* the last one is idle */
static TCB_t *volatile pxCurrentTCBs[CORES];
static TCB_t *volatile next_task[CORES];
static volatile uint32_t done;

#define portGET_CORE_ID() (*(const volatile uint32_t *)TLOG_CPU_ADDRESS)

TaskHandle_t xTaskGetCurrentTaskHandle(void)
{
    return pxCurrentTCBs[portGET_CORE_ID()];
}

UBaseType_t uxTaskGetTaskNumber(TaskHandle_t task)
{
    return task->uxTaskNumber;
}

TickType_t xTaskGetTickCount(void)
{
    return 0;
}

size_t xPortGetFreeHeapSize(void)
{
    return 0;
}

/* ---- what runs in each round ------------------------------------------------------------------------------------- */

/* The task behind round n: each third round the same, else the next one. */
static uint32_t task_behind(uint32_t round)
{
    return (2u * round / 3u + 2u) % TASKS;
}

/* Whether the task that is left in that round waits. Idle never does. */
static bool waits(uint32_t round)
{
    return task_behind(round) != TASKS - 1u && round % 2u == 0 && task_behind(round) != task_behind(round + 1u);
}

void pendsv_handler(void);
void pendsv_handler(void)
{
    uint32_t core = portGET_CORE_ID();
    traceTASK_SWITCHED_OUT();
    pxCurrentTCBs[core] = next_task[core];
    traceTASK_SWITCHED_IN();
}

static void play(uint32_t core)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        TickType_t xTicksToDelay = round;
        TCB_t *to = &tasks[core][task_behind(round + 1u)];
        if (waits(round))
            traceTASK_DELAY();
        traceMOVED_TASK_TO_READY_STATE(to);
        next_task[core] = to;
        *(volatile uint32_t *)0xE000ED04u = 1u << 28; /* ICSR, PENDSVSET */
        __asm volatile("dsb\n\tisb" ::: "memory");
    }
}

static void run_other(void)
{
    play(1);
    done = 1;
}

static void create(TCB_t *task, uint32_t core, uint32_t i)
{
    static UBaseType_t number;
    const char *name = i < TASKS - 1u ? "taskXY" : "IDLEX";
    for (uint32_t k = 0; name[k] != '\0'; k++)
        task->pcTaskName[k] = name[k];
    task->pcTaskName[4] = (char)('0' + core);
    task->pcTaskName[5] = i < TASKS - 1u ? (char)('a' + i) : '\0';
    task->uxPriority = i < TASKS - 1u ? i + 1u : 0;
    task->uxTCBNumber = ++number;
    traceTASK_CREATE(task);
}

int main(void)
{
    *(volatile uint32_t *)0xE000ED20u = 0x00FF0000u; /* SHPR3 */
    for (uint32_t core = 0; core < CORES; core++) {
        for (uint32_t i = 0; i < TASKS; i++)
            create(&tasks[core][i], core, i);
        pxCurrentTCBs[core] = &tasks[core][task_behind(0)];
    }
    traceTASK_SWITCHED_IN();
    board_start_cpu(1, run_other);
    play(0);
    while (!done)
        ;
    return tlog_semihost_save("dump.bin");
}
