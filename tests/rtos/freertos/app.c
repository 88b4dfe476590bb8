/* app.c - firmware of freertos.sh: an application of the stand-in, which runs every hook of tlog_freertos.h. */
#include "stand_in.h"

#include "out_semihost.h"

/* The kernel's count of tasks gets beyond what a context has room for. Blocks of 1024 with tasks that live are left
 * out: the first one here. */
static void number_tour(void)
{
    static TCB_t edge, turn, next, again;
    task_number(65535u, 65535u);
    task_create(&edge, "edge", 2);
    task_number(65536u, 1024u);
    task_create(&turn, "turn", 2);
    task_number(65540u, 1025u);
    task_create(&next, "next", 2);
    task_delete(&turn);
    task_number(2u * 65536u, 1026u);
    task_create(&again, "again", 2);
    task_delete(&edge);
    task_delete(&next);
    task_delete(&again);
}

int main(void)
{
    static TCB_t low, high, idle, daemon, late, user;
    interrupt_early();
    heap_take(96);
    heap_take(200);
    task_create(&low, "LOW", 1);
    task_create(&high, "HIGH", 3);
    task_create(&idle, configIDLE_TASK_NAME, 0);
    task_create(&user, "IDLEness", 0); /* not the kernel's */
    task_create(&daemon, "Tmr Svc", 2);
    scheduler_start(&high);
    task_tour(&low);
    queue_tour(&low, &high);
    switch_to(&daemon);
    timer_tour();
    group_tour();
    buffer_tour(&low);
    heap_tour();
    switch_to(&idle);
    idle_tour(&high);
    task_create(&late, "late", 4);
    switch_to(&late);
    tick_catch_up(3);
    task_delete(&late);
    late.state = 'X';
    if (!TLOG_MINIMAL) /* which gives contexts out anew */
        number_tour();
    switch_to(&idle);
    tick(70, 0);
    sleep_for(2000);
    tick(1, 0);
    doze_for(40);
    tick(1, &low);
    switch_to(&low);
    expect("task_stack_overflow: task=LOW");
    tlog_freertos_stack_overflow(&low);
    return tlog_semihost_save("dump.bin") | expect_save();
}
