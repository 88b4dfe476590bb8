/* switch.c - what stands in for RIOT's sched_run(): in a file of its own, so that what it calls is wrapped. */
#include "kernel.h"

void kernel_switch(thread_t *next)
{
    thread_t *leaving = thread_get(sched_active_pid);
    bool waits = kernel_handler != NULL;
    if (leaving != NULL && leaving->status == STATUS_RUNNING)
        leaving->status = STATUS_PENDING;
    if (leaving != NULL)
        kernel_callback(leaving->pid, KERNEL_PID_UNDEF);
    for (uint32_t i = 0; waits && i < 3; i++) /* it looks again and again */
        sched_arch_idle();
    next->status = STATUS_RUNNING;
    sched_active_pid = next->pid;
    kernel_callback(KERNEL_PID_UNDEF, next->pid);
}
