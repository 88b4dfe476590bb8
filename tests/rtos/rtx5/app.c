/* app.c - firmware of rtx5.sh: an application of the stand-in, which runs every hook of tlog_rtx5.c. */
#include "stand_in.h"

#include "out_semihost.h"

static void thread_function(void *argument)
{
    (void)argument;
}

int main(void)
{
    static thread_t low, high, idle;
    interrupt_early();
    RUN(EvrRtxKernelInitialized, ());
    thread_create(&low, "LOW", osPriorityLow, thread_function);
    thread_create(&high, "HIGH", osPriorityHigh, thread_function);
    thread_create(&idle, "osRtxIdle", osPriorityIdle, osRtxIdleThread);
    kernel_start(&high);
    thread_tour(&low);
    flags_tour(&low);
    mutex_tour(&low);
    object_tour(&idle);
    heap_tour();
    idle_tour(&idle, &low);
    return tlog_semihost_save("dump.bin") | expect_save();
}
