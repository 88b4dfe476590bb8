/* calls.c - firmware of calls.sh: every call of tlog_rtos.h, with every operation on every kind of object, and records
 * that are none of these. */
#include "out_semihost.h"
#include "rtos/tlog_rtos.h"

enum { BASE = 0x20001000, SLEEP = 0x20003000, HELD = 0x20003010, PLANNED = 0x20003020 };

/* Each operation that has a code, then each that has none; some with a name, some without. */
static void objects(uint32_t kind)
{
    for (uint32_t operation = 1; operation < 32u; operation++) {
        if (operation == TLOG_RTOS_fail || operation == TLOG_RTOS_block || operation == TLOG_RTOS_other
            || operation == TLOG_RTOS_delay || operation == 15u)
            continue;
        tlog_rtos_object(operation, kind, BASE + kind * 16u, operation * kind);
        tlog_rtos_object(operation | TLOG_RTOS_FAILED, kind, BASE + operation, 0);
        tlog_rtos_block(kind, operation, kind, BASE + kind * 16u);
    }
}

static void limits(void)
{
    tlog_rtos_object(TLOG_RTOS_send, TLOG_NAME_QUEUE, BASE, 2046);
    tlog_rtos_object(TLOG_RTOS_send, TLOG_NAME_QUEUE, BASE, 2047);
    tlog_rtos_object(TLOG_RTOS_send, TLOG_NAME_QUEUE, BASE, 0xFFFFFFFFu);
    tlog_rtos_object(TLOG_RTOS_allocate, 0, 1000, 65535);
    tlog_rtos_object(TLOG_RTOS_allocate, 0, 66536, 65536);
    tlog_rtos_object(TLOG_RTOS_set_bits, 0, BASE, 0xFFFF);
    tlog_rtos_block(1, TLOG_RTOS_delay, 0, 0xFFFFFFFFu);
    for (uint32_t par1 = 0; par1 < 0x10000u; par1 += 997u) {
        TRACER_LOGEVENT(0x5Fu, par1, par1);
        TRACER_LOGEVENT(0x1Fu, par1, par1);
    }
}

/* A handler unlocks the mutex while task 1 waits for it: that is a sleep. The first time task 1 holds it; the second
 * time nobody has taken it since. */
static void sleep_by_mutex(void)
{
    tlog_name(TLOG_NAME_MUTEX, SLEEP, "sleep");
    tlog_rtos_object(TLOG_RTOS_receive, TLOG_NAME_MUTEX, SLEEP, 1);
    for (unsigned i = 0; i < 2; i++) {
        tlog_rtos_block(1, TLOG_RTOS_receive, TLOG_NAME_MUTEX, SLEEP);
        tlog_rtos_switch(2);
        tlog_rtos_object(TLOG_RTOS_send, TLOG_NAME_MUTEX, SLEEP, TLOG_RTOS_NO_TASK);
        tlog_rtos_ready(1);
        tlog_rtos_switch(1);
    }
}

/* Task 2 holds the mutex that task 1 held before, and task 1 waits for it. Its name is shown as it is. */
static void wait_for_holder(void)
{
    tlog_name(TLOG_NAME_MUTEX, HELD, "he\"l\\d");
    tlog_rtos_object(TLOG_RTOS_receive, TLOG_NAME_MUTEX, HELD, 1);
    tlog_rtos_object(TLOG_RTOS_send, TLOG_NAME_MUTEX, HELD, 1);
    tlog_rtos_switch(2);
    tlog_rtos_object(TLOG_RTOS_receive, TLOG_NAME_MUTEX, HELD, 2);
    tlog_rtos_switch(1);
    tlog_rtos_block(1, TLOG_RTOS_receive, TLOG_NAME_MUTEX, HELD);
    tlog_rtos_switch(2);
    tlog_rtos_object(TLOG_RTOS_send, TLOG_NAME_MUTEX, HELD, 2);
    tlog_rtos_ready(1);
    tlog_rtos_switch(1);
    tlog_rtos_object(TLOG_RTOS_receive, TLOG_NAME_MUTEX, HELD, 1);
    tlog_rtos_object(TLOG_RTOS_send, TLOG_NAME_MUTEX, HELD, 1);
}

/* What the API of a kernel tells of a wait is logged when its scheduler finds that the task waits. */
static void planned(void)
{
    struct tlog_rtos_plan plan = {0, 0};
    tlog_rtos_will_wait(&plan, TLOG_RTOS_receive, TLOG_NAME_QUEUE, PLANNED);
    tlog_rtos_switch(2);
    tlog_rtos_switch(1);
    tlog_rtos_waits(1, &plan);
    tlog_rtos_switch(2);
    tlog_rtos_switch(1);
    tlog_rtos_will_wait(&plan, TLOG_RTOS_receive, TLOG_NAME_MUTEX, PLANNED);
    tlog_rtos_waits(1, &plan);
    tlog_rtos_switch(2);
    tlog_rtos_switch(1);
    tlog_rtos_will_wait(&plan, TLOG_RTOS_delay, 0, 77);
    tlog_rtos_waits(1, &plan);
    tlog_rtos_switch(2);
    tlog_rtos_switch(1);
    tlog_rtos_will_wait(&plan, TLOG_RTOS_suspend, TLOG_NAME_TASK, 0);
    tlog_rtos_waits(1, &plan);
    tlog_rtos_switch(2);
    tlog_rtos_switch(1);
    tlog_rtos_waits(1, &plan);
    tlog_rtos_switch(2);
    tlog_rtos_switch(1);
}

/* Task 1 waits for one thing after the other, and 2 runs then. */
static void states(void)
{
    tlog_rtos_block(1, TLOG_RTOS_receive, TLOG_NAME_LOCK, BASE);
    tlog_rtos_switch(2);
    tlog_rtos_switch(1);
    tlog_rtos_block(1, TLOG_RTOS_receive, TLOG_NAME_MUTEX, BASE);
    tlog_rtos_switch(2);
    tlog_rtos_switch(1);
    tlog_rtos_block(1, TLOG_RTOS_receive, TLOG_NAME_PIPE, BASE);
    tlog_rtos_switch(2);
    tlog_rtos_switch(1);
    tlog_rtos_block(1, TLOG_RTOS_suspend, TLOG_NAME_TASK, 1);
    tlog_rtos_switch(2);
    tlog_rtos_switch(1);
    tlog_rtos_block(1, TLOG_RTOS_delay, 0, 9);
    tlog_rtos_switch(2);
    tlog_rtos_switch(1);
    tlog_rtos_block(1, TLOG_RTOS_receive, TLOG_NAME_LOCK, BASE);
    tlog_rtos_ready(1);
    tlog_rtos_switch(2);
    tlog_rtos_switch(1);
}

int main(void)
{
    tlog_name(TLOG_NAME_EVENT, 0xAF, "mine(one,two)");
    for (uint32_t kind = TLOG_NAME_OBJECT; kind <= TLOG_NAME_COUNTER; kind += 2u)
        tlog_name(kind, BASE + kind * 16u, "thing \"1\"");
    tlog_name(TLOG_NAME_MUTEX, BASE + 3u * 16u, "mtx");
    tlog_rtos_priority_order(TLOG_LOWEST_FIRST);
    tlog_rtos_task_create(1, "worker", 3);
    tlog_name(TLOG_NAME_TASK, 2, "Idle_Thread");
    tlog_rtos_task_create(0xFFFF, 0, -1);
    for (uint32_t kind = 0; kind < 32u; kind++)
        objects(kind);
    limits();
    tlog_rtos_ready(1);
    tlog_rtos_switch(1);
    states();
    sleep_by_mutex();
    wait_for_holder();
    planned();
    tlog_rtos_priority(1, 7);
    tlog_rtos_task_delete(1);
    return tlog_semihost_save("dump.bin");
}
