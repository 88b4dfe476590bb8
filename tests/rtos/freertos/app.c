/* app.c - firmware of freertos.sh: an application of the stand-in, which runs every hook of tlog_freertos.h. */
#include "stand_in.h"

#include "out_semihost.h"

int main(void)
{
    static TCB_t low, high, idle, daemon, late;
    heap_take(96);
    heap_take(200);
    task_create(&low, "LOW", 1);
    task_create(&high, "HIGH", 3);
    task_create(&idle, STAND_IN >= 11 ? "IDLE0" : "IDLE", 0);
    task_create(&daemon, "Tmr Svc", 2);
    scheduler_start(&high);
    task_tour(&low);
    queue_tour(&low, &high);
    switch_to(&daemon);
    timer_tour();
    group_tour();
    buffer_tour();
    heap_tour();
    task_create(&late, "late", 4);
    switch_to(&late);
    tick_catch_up(3);
    task_delete(&late);
    late.state = 'S';
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
