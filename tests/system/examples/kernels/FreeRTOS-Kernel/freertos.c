/* freertos.c - FreeRTOS' face of the demo's kernel, with the hooks of its tasks and queues. Tasks have no argument.
 * A queue has one task that sends and one that receives. */
#include "FreeRTOS.h"

#include "kernel.h"
#include "queue.h"
#include "task.h"

enum { TASKS = 4, STACK_WORDS = 256, QUEUE_BYTES = 64, LEAST_URGENT = 100 };

typedef struct tskTaskControlBlock {
    char pcTaskName[configMAX_TASK_NAME_LEN];
    UBaseType_t uxPriority, uxBasePriority, uxTCBNumber, uxTaskNumber;
    ListItem_t xStateListItem;
    struct kernel_task task;
} TCB_t;

/* The layout is that which StaticQueue_t tells, up to ucQueueType. */
struct QueueDefinition {
    void *unused[2];
    union {
        struct {
            TaskHandle_t xMutexHolder;
            UBaseType_t uxRecursiveCallCount;
        } xSemaphore;
    } u;
    volatile UBaseType_t uxMessagesWaiting;
    UBaseType_t uxLength, uxItemSize, uxQueueNumber;
    uint8_t ucQueueType;
    UBaseType_t first;
    struct kernel_event sent, received;
    uint8_t bytes[QUEUE_BYTES];
};
typedef struct QueueDefinition Queue_t;

static TCB_t tcbs[TASKS] = {{.pcTaskName = "IDLE"}};
static UBaseType_t created;
static TCB_t *volatile pxCurrentTCB = tcbs;
static List_t pxReadyTasksLists[5] = {{1}};
static uint32_t stacks[TASKS][STACK_WORDS] __attribute__((aligned(8)));
static Queue_t queues[2];

size_t xPortGetFreeHeapSize(void)
{
    return 0;
}

TickType_t xTaskGetTickCount(void)
{
    return kernel_now();
}

TaskHandle_t xTaskGetCurrentTaskHandle(void)
{
    return pxCurrentTCB;
}

UBaseType_t uxTaskGetTaskNumber(TaskHandle_t task)
{
    return task != NULL ? task->uxTaskNumber : 0;
}

/* ---- what the demo's kernel tells -------------------------------------------------------------------------------- */

static void switched(TCB_t *to)
{
    traceTASK_SWITCHED_OUT();
    pxCurrentTCB = to;
    traceTASK_SWITCHED_IN();
}

void demo_log(uint32_t code, uint32_t par1, uint32_t par2)
{
    TCB_t *task = &tcbs[par1 % TASKS];
    (void)par2;
    if (code == FTrace_EVT_task_create) {
        task->uxTCBNumber = par1 + 1u;
        traceTASK_CREATE(task);
    } else if (code == FTrace_EVT_task_activate) {
        traceMOVED_TASK_TO_READY_STATE(task);
    } else if (code == FTrace_EVT_context_switch) {
        switched(task);
    }
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

BaseType_t xTaskCreate(void (*code)(void *), const char *name, uint32_t stack_words, void *argument,
                       UBaseType_t priority, TaskHandle_t *handle)
{
    (void)stack_words, (void)argument, (void)handle;
    if (created == 0)
        kernel_init();
    TCB_t *tcb = &tcbs[++created];
    for (uint32_t i = 0; i < sizeof tcb->pcTaskName - 1u && name[i] != '\0'; i++)
        tcb->pcTaskName[i] = name[i];
    tcb->uxPriority = tcb->uxBasePriority = priority;
    const struct kernel_task_config config = {.name = tcb->pcTaskName,
                                              .entry = (void (*)(void))(uintptr_t)code,
                                              .stack = stacks[created],
                                              .stack_words = STACK_WORDS,
                                              .priority = LEAST_URGENT - priority};
    kernel_task_create(&tcb->task, &config);
    return pdPASS;
}

void vTaskStartScheduler(void)
{
    traceTASK_SWITCHED_IN();
    kernel_start();
}

void vTaskDelay(TickType_t xTicksToDelay)
{
    traceTASK_DELAY();
    kernel_sleep(xTicksToDelay);
}

/* ---- queues ------------------------------------------------------------------------------------------------------ */

QueueHandle_t xQueueCreate(UBaseType_t length, UBaseType_t item_bytes)
{
    static uint32_t used;
    Queue_t *pxNewQueue = &queues[used++];
    pxNewQueue->uxLength = length;
    pxNewQueue->uxItemSize = item_bytes;
    traceQUEUE_CREATE(pxNewQueue);
    return pxNewQueue;
}

void vQueueAddToRegistry(QueueHandle_t xQueue, const char *name)
{
    (void)xQueue, (void)name;
    traceQUEUE_REGISTRY_ADD(xQueue, name);
}

/* Copy an item to or from the n-th place behind the first. */
static void copy(uint8_t *to, const uint8_t *from, UBaseType_t bytes)
{
    while (bytes-- > 0)
        *to++ = *from++;
}

static uint8_t *place(Queue_t *queue, UBaseType_t n)
{
    return queue->bytes + (queue->first + n) % queue->uxLength * queue->uxItemSize;
}

BaseType_t xQueueSend(QueueHandle_t pxQueue, const void *item, TickType_t ticks)
{
    (void)ticks;
    while (pxQueue->uxMessagesWaiting == pxQueue->uxLength) {
        traceBLOCKING_ON_QUEUE_SEND(pxQueue);
        kernel_event_wait(&pxQueue->received);
    }
    taskENTER_CRITICAL();
    traceQUEUE_SEND(pxQueue);
    copy(place(pxQueue, pxQueue->uxMessagesWaiting), item, pxQueue->uxItemSize);
    pxQueue->uxMessagesWaiting = pxQueue->uxMessagesWaiting + 1u;
    taskEXIT_CRITICAL();
    kernel_event_raise(&pxQueue->sent);
    return pdPASS;
}

BaseType_t xQueueReceive(QueueHandle_t pxQueue, void *item, TickType_t ticks)
{
    (void)ticks;
    while (pxQueue->uxMessagesWaiting == 0) {
        traceBLOCKING_ON_QUEUE_RECEIVE(pxQueue);
        kernel_event_wait(&pxQueue->sent);
    }
    taskENTER_CRITICAL();
    traceQUEUE_RECEIVE(pxQueue);
    copy(item, place(pxQueue, 0), pxQueue->uxItemSize);
    pxQueue->first = (pxQueue->first + 1u) % pxQueue->uxLength;
    pxQueue->uxMessagesWaiting = pxQueue->uxMessagesWaiting - 1u;
    taskEXIT_CRITICAL();
    kernel_event_raise(&pxQueue->received);
    return pdPASS;
}
