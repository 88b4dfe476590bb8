/* product.c - memory as a product has it beside its chunks: tlog's table of vectors, entries of 16 bytes with numbers
 * and times, a heap with lists, pieces of dumps that were sent. It dumps again and again while it runs. */
#include "tlog.h"
#include "tlog_irq.h"

#define SYST_CSR  (*(volatile uint32_t *)0xE000E010u)
#define SYST_RVR  (*(volatile uint32_t *)0xE000E014u)
#define NVIC_ISER (*(volatile uint32_t *)0xE000E100u)
#define NVIC_PEND (*(volatile uint32_t *)0xE000E200u)

enum { ROUNDS = 600, FIRST = 6, SECOND = 7, ENTRIES = 300, LATEST = 32, SENT = 900, HEAP = 2048 };

struct entry {
    uint32_t id, value, begin, end;
};

static struct entry history[ENTRIES], latest[LATEST] = {{0, 1, 100, 101}, {3, 1, 200, 240}};
static uint32_t entries, heap[HEAP], heap_used, sent;
static uint8_t buffer[SENT];
static volatile uint32_t ticks;

static uint32_t now(void)
{
    return tlog_port_now_at((const volatile uint32_t *)TLOG_CLOCK_ADDRESS);
}

static void note(uint32_t id, uint32_t value)
{
    struct entry *entry = &history[entries++ % ENTRIES];
    entry->id = id;
    entry->value = value;
    entry->begin = now();
    entry->end = now() + 1u;
    latest[id % LATEST] = *entry;
}

void systick_handler(void);
void systick_handler(void)
{
    note(0, ++ticks);
    NVIC_PEND = (ticks % 3u == 0 ? 1u << FIRST : 0u) | (ticks % 5u == 0 ? 1u << SECOND : 0u);
}

void irq_6_handler(void);
void irq_6_handler(void)
{
    note(1, ticks);
    TRACER_LOGEVENT(FTrace_EVT_user_event_1, FIRST, ticks);
    NVIC_PEND = 1u << SECOND;
}

void irq_7_handler(void);
void irq_7_handler(void)
{
    note(2, ticks);
    TRACER_LOGEVENT(FTrace_EVT_user_event_2, SECOND, ticks);
}

/* A block of the heap: its size, the next block, and what the user of it has written. */
static void allocate(uint32_t value)
{
    if (heap_used + 6u > HEAP)
        return;
    uint32_t *block = &heap[heap_used];
    heap_used += 6u;
    block[0] = 24;
    block[1] = (uint32_t)(block + 6);
    block[2] = value;
    block[3] = now();
}

/* A sink that copies what is sent to a small buffer, over and over. */
static int send(void *handle, const void *bytes, uint32_t length)
{
    const uint8_t *from = bytes;
    (void)handle;
    while (length-- > 0)
        buffer[sent++ % SENT] = *from++;
    return 0;
}

static void work(uint32_t round)
{
    struct tlog_sink sink = {send, 0};
    TRACER_LOGEVENT(FTrace_EVT_context_switch, round % 3u, 0);
    note(3u + round % 5u, round);
    for (volatile int i = 0; i < 300; i++)
        ;
    if (round % 7u == 0)
        allocate(round);
    if (round % 100u == 60u)
        tlog_dump(&sink);
}

int main(void)
{
    static const char *const names[] = {"main", "control", "uart"};
    for (uint16_t i = 0; i < 3; i++)
        tlog_name(TLOG_NAME_TASK, i, names[i]);
    NVIC_ISER = 1u << FIRST | 1u << SECOND;
    SYST_RVR = 20000;
    SYST_CSR = 7;
    if (!tlog_irq_trace())
        return 1;
    for (uint32_t round = 0; round < ROUNDS; round++)
        work(round);
    SYST_CSR = 0;
    return 0;
}
